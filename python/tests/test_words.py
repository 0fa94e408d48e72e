# SPDX-License-Identifier: BSD-2-Clause
"""Messages name parameters of this module, never options of the command."""
import pathlib
import random
import re

import gsort
import numpy as np
import pytest
from gsort._options import Options
from gsort._words import PARAMETERS, words

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"
OPTION = re.compile(r"(?<![\w.-])--?[a-zA-Z][\w-]*")
OF_OTHER_PROGRAMS = re.compile(r"\bsed -E '[^']*'?|\b(?:ulimit|tr|shuf|unzip|tar|7z x|h5dump|lz4|tail|iconv -f UTF-16) -\w+")

# No call of this module ends in a message with these: ranks, the text of a plan, an input that is a stream.
NEVER_SAID = {"--locale", "--plan", "-d"}


def options_in(message):
	return set(OPTION.findall(OF_OTHER_PROGRAMS.sub("", re.sub(r'"[^"]*"', "", message))))


def strings_of_the_library():
	for path in sorted([*SOURCE.rglob("*.c"), *SOURCE.rglob("*.h")]):
		if "cli" not in path.relative_to(SOURCE).parts:
			code = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.DOTALL)
			for literals in re.findall(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', code):
				pieces = re.findall(r'"((?:[^"\\\n]|\\.)*)"', literals)
				yield "".join(pieces).replace("%llu", "7").replace("%zu", "7").replace('\\"', "'")


def test_every_string_of_the_library():
	strings = [text for text in strings_of_the_library() if options_in(text)]
	assert len(strings) > 100
	for text in strings:
		assert options_in(words(text.encode(), {})) <= NEVER_SAID, text


def test_names_are_those_of_parameters():
	"""Each long option of the command is a parameter, a function, or not in this module."""
	names = {name for name in PARAMETERS.values() if not name.endswith("()")}
	assert names - Options.__annotations__.keys() == {"dst", "records", "the byte order of type", "figures"}
	assert all(hasattr(gsort, name[:-2]) for name in PARAMETERS.values() if name.endswith("()"))
	table = (SOURCE / "cli" / "opts.def").read_text()
	options = set(re.findall(r'^(?:OPT|RARE)\( *"([\w-]+)"', table, flags=re.MULTILINE))
	assert len(options) > 50
	assert options - PARAMETERS.keys() == {
		# orderings: letters of a key
		"numeric-sort", "general-numeric-sort", "sort", "ignore-leading-blanks", "dictionary-order",
		"ignore-case", "human-numeric-sort", "ignore-nonprinting", "month-sort", "version-sort", "locale",
		# what a program does itself
		"files0-from", "progress", "quiet", "verbose", "debug", "help", "version", "plan"}


@pytest.mark.parametrize("content", [
	"1\n2.5\n", "1\n0x1f\n", "10.0.0.1\n", "2026-01-02\n", "1\nn/a\n", "1\n\n2\n", "price\n1\n", "1\nv1.2.3\n",
	"id,price\n1,2\n", "id;price\n1;2\n", "a\tb\n1\t2\n", "1|2\n", "1 a\n2 b\n", "1\n10K\n", "5th\n", "1\n12:30\n",
	"1\n550e8400-e29b-41d4-a716-446655440000\n", "1\n18446744073709551616\n", "1\n::1\n", "name,price\nx,1\n",
])
def test_parameters_in_messages_work_as_printed(tmp_path, content):
	(tmp_path / "in").write_text(content)
	with pytest.raises(gsort.InputError) as caught:
		gsort.sort_file(tmp_path / "in", tmp_path / "out")
	advice = re.search(r"[;?(] ?.*?(\w+=(?:'[^']*'|\w+)(?:, \w+=(?:'[^']*'|\w+))*)", re.sub(r'"[^"]*"', "", str(caught.value)))
	assert advice, str(caught.value)
	options = eval(f"dict({advice[1]})", {})
	stats = gsort.sort_file(tmp_path / "in", tmp_path / "out", **options)
	lines = len(content.splitlines())
	assert stats.keys_out + options.get("header", 0) == lines or options.get("invalid")


VALUES = {
	"type": ["text", "text-float", "hex", "ipv4", "time", "u4", ">i8", "f2", "bf16", "u128", "S4", "u1,u4",
	         [("price", ">u4"), ("b", "S2")]],
	"to": ["text", "u1", "f8", ">u2", "text-float", "u128", "hex"], "format": ["auto", "raw", "npy"],
	"key": ["1,1n", "price:n", "price", "f1:r", ["2", "1r"], "0", "", "x:r"], "csv": [True], "lines": [True],
	"separator": [";", "\t", "ab", '"', "", "\\0"], "ordering": ["n", "Vr", "x", "h"], "stable": [True],
	"zero_terminated": [True], "header": [0, 1, 9], "skip_bytes": [0, 4, 2**40],
	"invalid": ["abort", "fail", "warn", "ignore", "skip-blank"], "decompress": ["none", "gzip", "zstd"],
	"force": [True], "descending": [True], "unique": [True], "keep_order": [True], "count": [True], "repeated": [True],
	"singletons": [True], "head": [0, 2, 2**50], "tail": [0, 2, 2**50], "sample": [0, 1, 2**50], "seed": [7],
	"trust_order": [True], "argsort": ["u4", "u8"], "verify": [True], "split": [2, 5000], "in_place": [True],
	"memory": [1, 2**24], "temp_dirs": [".", "/nowhere"], "compress_program": ["zstd", "no-such-program"],
	"batch_size": [1, 2, 2**20], "threads": [1, 1000], "device": ["cpu", "gpu", "gpu:0", "gpu:99"],
	"gpu_memory": [1, 2**30],
}


def test_values_are_of_all_parameters():
	assert VALUES.keys() == Options.__annotations__.keys() - {"progress"}


def inputs(folder):
	(folder / "n.txt").write_text("3\n1\n2\n2\n")
	(folder / "bad.txt").write_text("3\n\n1.5\n0x1f\n10K\n2026-01-02\n1.2.3.4\nn/a\n")
	(folder / "a.csv").write_text('name,price\nx,3\n"y ""z""",1\n')
	(folder / "b.csv").write_text('"open\nprice;1\n')
	(folder / "raw").write_bytes(np.arange(64, dtype="u8")[::-1].tobytes())
	(folder / "raw.gz").write_bytes(b"\x1f\x8b\x08\x00 no gzip")
	np.save(folder / "a.npy", np.arange(9)[::-1])
	np.save(folder / "s.npy", np.zeros(3, [("price", "f4"), ("x", "i8")]))
	return ["n.txt", "bad.txt", "a.csv", "b.csv", "raw", "raw.gz", "a.npy", "s.npy", "missing", ".",
	        np.array([3, 1, 2], "u4"), ["n.txt", "a.csv"], ["n.txt", "n.txt"], ["a.npy", "s.npy"]]


def ways(src):
	return [lambda **options: gsort.sort_file(src, "out", **options),
	        lambda **options: gsort.sort_file(src, "out%r", **options),
	        lambda **options: gsort.sort_file(src, "out.gz", **options),
	        lambda **options: gsort.merge_files(src, "out", **options),
	        lambda **options: gsort.check_file(src, **options),
	        lambda **options: gsort.check_file(src, counted=True, **options),
	        lambda **options: gsort.quantiles(src, [0.5, 1], **options),
	        lambda **options: gsort.quantiles(src, -1, **options),
	        lambda **options: gsort.summary(src, **options),
	        lambda **options: gsort.top(src, 2, **options),
	        lambda **options: gsort.histogram(src, 2**30, **options),
	        lambda **options: gsort.union(src, "out", **options),
	        lambda **options: gsort.difference(src, **options)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(20))
def test_drawn_calls(tmp_path, monkeypatch, seed):
	"""Calls of all functions with a few options: each works, or says why it does not in words of this module."""
	monkeypatch.chdir(tmp_path)
	draw, refused = random.Random(seed), 0
	sources = inputs(tmp_path)
	for _ in range(200):
		options = {name: draw.choice(VALUES[name]) for name in draw.sample(sorted(VALUES), draw.randrange(4))}
		call = draw.choice(ways(draw.choice(sources)))
		try:
			call(**options)
		except (ValueError, TypeError, OSError, MemoryError, gsort.DeviceError) as error:
			refused += 1
			assert str(error) and not options_in(str(error)), (options, str(error))
	assert 0 < refused < 200


def test_lines_and_names_of_files_are_left_as_they_are(tmp_path, monkeypatch):
	monkeypatch.chdir(tmp_path)
	for line, hint in ("a; --tail", ""), ("--tail=1", ""), ("n/a", "; invalid='ignore' leaves out what is not a number"):
		(tmp_path / "--tail -g").write_text(f"1\n{line}\n")
		with pytest.raises(gsort.InputError) as caught:
			gsort.sort_file("--tail -g", "out")
		assert str(caught.value) == f'--tail -g:2: not a number: "{line}"{hint}'
	with pytest.raises(FileNotFoundError, match="No such file.*'u32; --head'$"):
		gsort.sort_file("u32; --head", "out")
	with pytest.raises(gsort.InputError, match="^array 1:2: disorder: 1 "):
		gsort.merge_files([np.array([1, 2], "u4"), np.array([2, 1], "u4")], "out")


def test_types_of_text_have_other_names():
	"""Of numpy, "float" is a binary type."""
	assert words(b"floats need --type=float", {}) == "floats need type='text-float'"
	assert words(b"'--type=int' and '--to=f64' are incompatible", {}) == "type='text' and to='float64' are incompatible"


def test_what_a_shell_would_do_is_left_out(tmp_path, monkeypatch):
	monkeypatch.chdir(tmp_path)
	(tmp_path / "t.txt").write_text("2026-01-02\n")
	with pytest.raises(ValueError, match="^o.gz would hold plain text; write to o$"):
		gsort.sort_file("t.txt", "o.gz", type="time")
	with pytest.raises(ValueError, match="^edges='log' is of numbers, not of type='time'$"):
		gsort.histogram("t.txt", type="time", edges="log")


def test_unknown_parameters():
	for name, hint in (("reverse", "; did you mean descending?"), ("buffer_size", "; did you mean memory?"),
	                   ("parallel", "; did you mean threads?"), ("uniqe", "; did you mean unique?"),
	                   ("xyz", ""), ("json", "")):
		with pytest.raises(TypeError) as caught:
			gsort.top("in", **{name: 1})
		assert str(caught.value) == f"top() has no parameter {name!r}{hint}"
