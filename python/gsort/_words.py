# SPDX-License-Identifier: BSD-2-Clause
"""Translate messages of the library, which name options of gsort(1), to the words of this module."""
from __future__ import annotations

import os
import re
from typing import Callable, Dict, List, Match, Tuple, Union

# Long options of gsort(1), as they are called here.  Of others nothing is said.
PARAMETERS = {
	**{name: name.replace("-", "_") for name in (
		"type", "to", "format", "argsort", "key", "csv", "lines", "stable", "unique", "count",
		"keep-order", "repeated", "singletons", "head", "tail", "sample", "seed", "verify", "header", "skip-bytes",
		"zero-terminated", "invalid", "decompress", "force", "split", "in-place", "compress-program",
		"batch-size", "device", "gpu-memory")},
	**{name: name + "()" for name in ("union", "intersect", "difference", "symmetric", "quantiles", "summary",
	                                  "top", "histogram")},
	"merge": "merge_files()", "check": "check_file()", "nocheck-order": "trust_order", "output": "dst",
	"reverse": "descending", "field-separator": "separator", "record-size": "records",
	"endian": "the byte order of type", "buffer-size": "memory", "parallel": "threads",
	"temporary-directory": "temp_dirs", "json": "figures",
}

_LETTERS = {"g": "type='text-float'", "h": "ordering='h'", "k": "key", "m": "merge_files()",
            "M": "ordering='M'", "n": "ordering='n'", "o": "dst",
            "r": "descending", "S": "memory", "T": "temp_dirs", "t": "separator", "u": "unique",
            "V": "ordering='V'", "z": "zero_terminated"}
_FLAGS = ("csv", "lines", "force", "in_place", "trust_order")
_KINDS = {"u": "uint", "i": "int", "f": "float"}
_TEXTS = {"int": "text", "float": "text-float"}		# numpy means binary ones by these


def _value(option: str, word: str) -> str:
	if option == "type":
		word = _TEXTS.get(word, word)
	return word if word.isdigit() else repr(_type_names(word))


def _type_names(text: str) -> str:
	"""Spell types as numpy does, where u8 has 8 bytes."""
	return re.sub(r"\b([uif])(8|16|32|64)\b", lambda m: _KINDS[m[1]] + m[2], text)


def _long(match: "Match[str]") -> str:
	quote, option, value = match[1], match[2], match[3]
	name = PARAMETERS.get(option)
	if name is None:
		return match[0]
	if value is not None:
		return f"{name}={_value(option, value)}"
	return name if quote else f"{name}=True" if name in _FLAGS else "header=1" if name == "header" else name


_Becomes = Union[str, Callable[["Match[str]"], str]]
_PATTERNS: List[Tuple[str, _Becomes]] = [
	(r"\boptions? ('--?[^']+')", r"\1"),
	(r"'--histogram=(\w+)' is of numbers", r"edges='\1' is of numbers"),
	(r"'-([a-zA-Z])'", lambda m: _LETTERS.get(m[1], m[0])),
	(r"'--buffer-size=(\d+)M' \(-S\)|(?<!\S)-S (\d+)M\b", lambda m: f"memory={m[1] or m[2]} << 20"),
	(r": keys of records are -k TYPE@OFFSET, such as -k u32@8$", ": the fields of a type are its keys"),
	(r"\bsort it with --header=\S+ .* in Python\b", "leave the type and the format out, the header names the type"),
	(r"--unique=(repeated|singletons)\b", r"--\1"),
	(r"--to=json\b", "--json"),
	(r"\b(sort it, or use) --force$", r"\1 --nocheck-order"),
	(r"\bsort by (-k\S.*)", lambda m: f"sort by key={m[1].replace('-k', '').split()}"),
	(r"(?<!\S)-k ?('[^']+'|[\w\"]+(?:[:,.][\w.]+)+|(?<=--header -k )\w+)", lambda m: f"key='{m[1].strip(chr(39))}'"),
	(r"(?<!\S)-t (?:\$)?'([^']+)'", r"separator='\1'"),
	(r"(?<![\w./-])('?)--([a-z0-9-]+)(?:=([\w.]+(?:-\w+)*))?\1", _long),
	(r"\bwith -T\b", "in temp_dirs"),
	(r": pipe one gsort into another$|, or pipe into \w+$", ""),
	(r"; install it, or use ", "; the wheel gsort-cuda has it, or use "),
	(r"\btwo FILEs\b", "two inputs"),
	(r"(?<!\S)-([uif])(8|16|32|64)\b", lambda m: f"'{_KINDS[m[1]]}{m[2]}'"),
	(r"(?<![\w./'-])-([a-zA-Z])(?![\w-])", lambda m: _LETTERS.get(m[1], m[0])),
	(r"\bgsort (?=\w+=)", ""),
	(r"(=(?:True|1|'[^']*')) (?=(?:header|key)=)", r"\1, "),
	(r"\b([uif])(8|16|32|64)\b", lambda m: _KINDS[m[1]] + m[2]),
]
_RULES = [(re.compile(pattern), becomes) for pattern, becomes in _PATTERNS]

# A line of the input, and what is for another program.
_KEPT = (r"""\bsed -E (?:'[^']*'|"[^"]*")|"""
         r'"(?:[^"\\]|\\.)*"|\b(?:ulimit|shuf|unzip|tar|7z x|h5dump|lz4) -\w+|\btail -c \+\d+|\btr -\w [^;()"]*'
         r"|\ba\.view\('i8'\)"
         r'|\biconv -f [\w-]+ -t [\w-]+')
_ABOUT_OPTIONS = re.compile(r"(?:; | \()[^;(]*(?<![\w-])--?[a-zA-Z][^;(]*$")


def words(said: bytes, names: Dict[bytes, str]) -> str:
	"""Translate what the library SAID.  File NAMES in it are kept, or replaced by what NAMES calls them."""
	kept: List[str] = []
	spelled = {os.fsdecode(name): shown for name, shown in names.items()}

	def keep(match: "Match[str]") -> str:
		kept.append(spelled.get(match[0], match[0]))
		return f"\0{len(kept) - 1}\0"

	files = "|".join(sorted(map(re.escape, spelled), key=len, reverse=True)) or "(?!)"
	message = re.sub(rf"(?<![^\s'])(?:{files})(?=[\s:;,']|$)|{_KEPT}", keep, os.fsdecode(said))
	for pattern, becomes in _RULES:
		message = pattern.sub(becomes, message)
	longer = ""
	while longer != message:
		longer, message = message, _ABOUT_OPTIONS.sub("", message)
	return re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], message)
