# SPDX-License-Identifier: BSD-2-Clause
import errno
import os
import pathlib
import signal
import subprocess
import sys

import gsort
import numpy as np
import pytest


def keys_of(count, dtype="u4"):
	return np.random.default_rng(count).integers(0, 1000000, count).astype(dtype)


def test_raw_keys(tmp_path):
	keys = keys_of(100000, "i8")
	keys.tofile(tmp_path / "in")
	stats = gsort.sort_file(tmp_path / "in", tmp_path / "out", type=np.int64)
	assert np.array_equal(np.fromfile(tmp_path / "out", "i8"), np.sort(keys))
	assert stats.keys == stats.keys_out == len(keys) and stats.bytes_out == keys.nbytes
	gsort.sort_file(tmp_path / "in", tmp_path / "in", type="i8", descending=True)
	assert np.array_equal(np.fromfile(tmp_path / "in", "i8"), np.sort(keys)[::-1])


def test_big_endian(tmp_path):
	keys = keys_of(1000, ">i4")
	keys.tofile(tmp_path / "in")
	gsort.sort_file(tmp_path / "in", tmp_path / "out", type=">i4")
	assert np.array_equal(np.fromfile(tmp_path / "out", ">i4"), np.sort(keys))


def test_text(tmp_path):
	(tmp_path / "in").write_text("10\n-3\n7\n")
	gsort.sort_file([tmp_path / "in", tmp_path / "in"], tmp_path / "out", unique=True)
	assert (tmp_path / "out").read_text() == "-3\n7\n10\n"
	(tmp_path / "in").write_text("1.5\n-1e3\n")
	gsort.sort_file(tmp_path / "in", tmp_path / "out", type="text-float")
	assert (tmp_path / "out").read_text() == "-1000\n1.5\n"


def test_npy(tmp_path):
	keys = keys_of(50000, "f4")
	np.save(tmp_path / "a.npy", keys)
	gsort.sort_file(tmp_path / "a.npy", tmp_path / "out.npy")
	assert np.array_equal(np.load(tmp_path / "out.npy"), np.sort(keys))
	gsort.sort_file(tmp_path / "a.npy", tmp_path / "out.npy", unique=True)
	assert np.array_equal(np.load(tmp_path / "out.npy"), np.unique(keys))
	np.save(tmp_path / "b.npy", np.arange(9, dtype="f4"))
	gsort.sort_file(tmp_path / "a.npy", tmp_path / "a.npy")
	gsort.merge_files([tmp_path / "a.npy", tmp_path / "b.npy"], tmp_path / "out.npy")
	assert np.array_equal(np.load(tmp_path / "out.npy"), np.sort(np.append(keys, np.arange(9, dtype="f4"))))
	assert sorted(os.listdir(tmp_path)) == ["a.npy", "b.npy", "out.npy"]

	np.save(tmp_path / "square.npy", np.zeros((3, 3)))
	with pytest.raises(gsort.InputError, match="2 dimensions"):
		gsort.sort_file(tmp_path / "square.npy", tmp_path / "out.npy")
	with pytest.raises(ValueError, match="not of type u32"):
		gsort.sort_file(tmp_path / "a.npy", tmp_path / "out.npy", type="u4")
	np.save(tmp_path / "big.npy", keys_of(1000, ">i8"))
	gsort.sort_file(tmp_path / "big.npy", tmp_path / "out.npy", descending=True)
	assert np.array_equal(np.load(tmp_path / "out.npy"), np.sort(keys_of(1000, ">i8"))[::-1])


def test_larger_than_memory(tmp_path):
	keys = keys_of(4000000, "u8")
	keys.tofile(tmp_path / "in")
	seen = []
	stats = gsort.sort_file(tmp_path / "in", tmp_path / "out", type="u8", memory=16 << 20,
	                        temp_dirs=tmp_path, progress=seen.append)		# one, or a list of them
	assert stats.runs > 1
	assert np.array_equal(np.fromfile(tmp_path / "out", "u8"), np.sort(keys))
	assert seen[-1].bytes_in == seen[-1].bytes_out == keys.nbytes and seen[-1].phase == "done"
	assert seen[-1].bytes_total == keys.nbytes


def test_errors(tmp_path):
	(tmp_path / "in").write_text("1\ntwo\n")
	(tmp_path / "out").write_text("as it was")
	with pytest.raises(gsort.InputError, match="in:2: not a number"):
		gsort.sort_file(tmp_path / "in", tmp_path / "out")
	with pytest.raises(FileNotFoundError, match="No such file") as caught:
		gsort.sort_file(tmp_path / "missing", tmp_path / "out")
	assert caught.value.errno == errno.ENOENT
	with pytest.raises(IsADirectoryError, match="Is a directory"):
		gsort.sort_file(tmp_path / "in", tmp_path)
	(tmp_path / "one").write_text("1\n")
	with pytest.raises(OSError, match="No space left on device") as caught:
		gsort.sort_file(tmp_path / "one", "/dev/full")
	assert caught.value.errno == errno.ENOSPC
	with pytest.raises(gsort.InputError, match="disorder"):
		(tmp_path / "in").write_text("2\n1\n")
		gsort.merge_files([tmp_path / "in"], tmp_path / "out")
	with pytest.raises(ValueError, match="no file"):
		gsort.sort_file([], tmp_path / "out")
	for name in str(tmp_path / "in") + "\0x", [str(tmp_path / "in"), "\0"]:
		with pytest.raises(ValueError, match="null byte"):
			gsort.sort_file(name, tmp_path / "out")
	with pytest.raises(ValueError, match="null byte"):
		gsort.sort_file(tmp_path / "in", str(tmp_path / "out") + "\0")
	with pytest.raises(ValueError, match="^memory must be a whole number from 0 on, not -1"):
		gsort.sort_file(tmp_path / "in", tmp_path / "out", memory=-1)
	with pytest.raises(TypeError, match="^memory must be a whole number from 0 on, not '1G'"):
		gsort.sort_file(tmp_path / "in", tmp_path / "out", memory="1G")
	with pytest.raises(TypeError, match="'u32' not understood; type is a dtype such as 'u4'"):
		gsort.sort_file(tmp_path / "in", tmp_path / "out", type="u32")
	assert (tmp_path / "out").read_text() == "as it was"


def test_errno_is_that_of_the_error(tmp_path, monkeypatch):
	"""Not one that a file's name speaks of.  Also of the thread that writes, and of temporary files."""
	monkeypatch.chdir(tmp_path)
	with pytest.raises(FileNotFoundError):
		gsort.sort_file("x: Permission denied", "out")
	with pytest.raises(FileNotFoundError, match="x: Is a directory"):
		gsort.sort_file("x: Is a directory: Invalid argument", "out")
	keys_of(3000000, "u8").tofile("in")
	with pytest.raises(OSError, match="No space left on device") as caught:
		gsort.sort_file("in", "/dev/full", type="u8")
	assert caught.value.errno == errno.ENOSPC
	with pytest.raises(FileNotFoundError, match="name another directory in temp_dirs"):
		gsort.sort_file("in", "out", type="u8", memory=16 << 20, temp_dirs="no")
	assert os.listdir() == ["in"]


def test_a_dash_is_a_file(tmp_path, monkeypatch):
	monkeypatch.chdir(tmp_path)
	with pytest.raises(FileNotFoundError):
		gsort.sort_file("-", "-")
	(tmp_path / "-").write_text("2\n1\n")
	gsort.sort_file("-", "-")
	gsort.merge_files(["-", b"-"], "out")
	assert (tmp_path / "-").read_text() == "1\n2\n" and (tmp_path / "out").read_text() == "1\n1\n2\n2\n"


@pytest.mark.parametrize("dtype", [">i4", "<i4", ">f8", "<u2", "i1"])
def test_type_of_npy(tmp_path, dtype):
	"""The type that the header has is accepted, another one is not."""
	keys = keys_of(500, dtype)
	np.save(tmp_path / "a.npy", keys)
	gsort.sort_file(tmp_path / "a.npy", tmp_path / "out.npy", type=keys.dtype)
	gsort.sort_file(tmp_path / "a.npy", tmp_path / "some.npy", type=keys.dtype, unique=True)
	assert np.array_equal(np.load(tmp_path / "out.npy"), np.sort(keys))
	assert np.load(tmp_path / "some.npy").dtype == keys.dtype
	with pytest.raises(ValueError, match="not of type u64"):
		gsort.sort_file(tmp_path / "a.npy", tmp_path / "out.npy", type="u8")
	if dtype == "<i4":
		with pytest.raises(ValueError, match="other byte order"):
			gsort.sort_file(tmp_path / "a.npy", tmp_path / "out.npy", type=">i4")


def test_messages_name_no_options_of_the_command(tmp_path):
	"""Nor an end about them; what stands before that end is whole."""
	structures = np.zeros(3, [("x", "f4"), ("y", "i8")])
	for content, kind, type_, said in (
		(b"1\nn/a\n", gsort.InputError, None, 'in:2: not a number: "n/a"$'),
		(b"1\n\n", gsort.InputError, None, "in:2: empty line$"),
		(b"1\n2.5\n", gsort.InputError, None, "floats need type='text-float'$"),
		(b"1\n1,000\n", gsort.InputError, None, "remove the commas between thousands: tr -d ,$"),
		(b"1\na; --b\n", gsort.InputError, None, 'not a number: "a; --b"'),
		(b"some text\n" * 9, gsort.InputError, "u4", "text, not a file of binary keys; without a type gsort reads text$"),
	):
		(tmp_path / "in").write_bytes(content)
		with pytest.raises(kind, match=said) as caught:
			gsort.sort_file(tmp_path / "in", tmp_path / "out", type=type_)
	np.save(tmp_path / "s.npy", structures)
	with pytest.raises(ValueError, match="one field of it is an array: x, y$"):
		gsort.sort_file(tmp_path / "s.npy", tmp_path / "out")


def test_what_progress_raises_ends_the_job(tmp_path):
	keys_of(3000000, "u8").tofile(tmp_path / "in")

	def stop(_progress):
		raise RuntimeError("enough")

	with pytest.raises(RuntimeError, match="enough"):
		gsort.sort_file(tmp_path / "in", tmp_path / "out", type="u8", progress=stop)


def test_keyboard_interrupt(tmp_path):
	"""Ctrl-C while it waits for a FIFO: KeyboardInterrupt, at once, and nothing is left."""
	os.mkfifo(tmp_path / "fifo")
	hold = os.open(tmp_path / "fifo", os.O_RDWR)
	program = (
		"import gsort, sys\n"
		"def started(progress):\n"
		"    print(progress.phase, flush=True)\n"
		"try:\n"
		"    gsort.sort_file('fifo', 'out', type='u4', progress=started)\n"
		"except KeyboardInterrupt:\n"
		"    print('interrupted')\n")
	child = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, text=True,
	                         stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
	assert child.stdout.readline() == "reading\n"
	child.send_signal(signal.SIGINT)
	printed, _ = child.communicate()
	os.close(hold)
	assert printed.splitlines()[-1] == "interrupted" and child.returncode == 0
	assert os.listdir(tmp_path) == ["fifo"]


def test_layout_is_that_of_the_header():
	"""Every member that the module writes is in libgsort.abi."""
	source = pathlib.Path(gsort.__file__).parent
	from gsort import _native
	for member in ("operation", "type", "reverse", "unique", "inputs", "input_count", "output", "warn",
	               "memory_bytes", "threads", "temp_dirs", "temp_dir_count", "endian"):
		assert f"gsort_options.{member}" in _native.ABI
	assert _native.ABI["gsort_options"] >= 344 and source.exists()
