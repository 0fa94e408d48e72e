# SPDX-License-Identifier: BSD-2-Clause
import errno
import os
import pickle
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
	with pytest.raises(ValueError, match="not of type uint32"):
		gsort.sort_file(tmp_path / "a.npy", tmp_path / "out.npy", type="u4")
	np.save(tmp_path / "big.npy", keys_of(1000, ">i8"))
	gsort.sort_file(tmp_path / "big.npy", tmp_path / "out.npy", descending=True)
	assert np.array_equal(np.load(tmp_path / "out.npy"), np.sort(keys_of(1000, ">i8"))[::-1])


NPY_DTYPES = ["u1", "<i2", ">u4", "<i8", ">f8", "f2", "?", "S3", [("id", ">u2"), ("name", "S3"), ("x", "<f4", 2)],
              [("\xe9", "<i4"), ("x", "u1")], [("\u043a", "<i4"), ("x", "u1")]]


@pytest.mark.parametrize("dtype", NPY_DTYPES, ids=str)
@pytest.mark.parametrize("count", [0, 1, 9, 3000])
@pytest.mark.filterwarnings("ignore:Stored array in format")
def test_npy_beside_arrays(tmp_path, dtype, count):
	"""What numpy.load() gives is the array, sorted: all types, one file and two, and fewer items than the header had."""
	random = np.random.default_rng(count)
	items = np.zeros(count, dtype)
	if items.dtype.names:
		items[items.dtype.names[0]] = random.integers(0, 90, count)
		key = items.dtype.names[0]
	else:
		items[:] = random.integers(0, 90, count)
		key = None
	np.save(tmp_path / "a.npy", items)
	np.save(tmp_path / "b.npy", items[:5])
	out = tmp_path / "out.npy"

	def written(src=tmp_path / "a.npy", call=gsort.sort_file, **options):
		stats = call(src, out, **options)
		found = np.load(out)
		assert len(found) == stats.keys_out
		return found

	both = np.concatenate([items, items[:5]]).astype(items.dtype)
	for found, expect in (
		(written(key=key), gsort.sort(items) if key is None else items[gsort.argsort(items[key])]),
		(written(key=key, descending=True), gsort.sort(items, descending=True) if key is None else
		 items[gsort.argsort(items[key], descending=True)]),
		(written([tmp_path / "a.npy", tmp_path / "b.npy"], key=key), both[gsort.argsort(both if key is None else both[key])]),
	):
		assert found.dtype == items.dtype and found.tobytes() == expect.tobytes()
	whole = written(key=key)
	assert written(key=key, head=3).tobytes() == whole[:3].tobytes()
	assert written(key=key, tail=3).tobytes() == whole[-3:].tobytes()
	unique = written(key=key, unique=True)
	assert unique.dtype == items.dtype and len(unique) == len(np.unique(items if key is None else items[key]))
	np.save(tmp_path / "c.npy", whole)
	assert gsort.check_file(tmp_path / "c.npy", key=key)
	merged = written([tmp_path / "c.npy", tmp_path / "c.npy"], gsort.merge_files, key=key)
	assert len(merged) == 2 * count and merged[::2].tobytes() == whole.tobytes()
	gsort.sort_file(tmp_path / "a.npy", tmp_path / "a.npy", key=key)
	assert np.load(tmp_path / "a.npy").tobytes() == whole.tobytes()


def test_what_npy_is_refused(tmp_path):
	np.save(tmp_path / "a.npy", np.arange(9))
	data = (tmp_path / "a.npy").read_bytes()
	for name, content, said in (("short", data[:-4], "short: not a whole .npy file: mmap length"), ("cut", data[:50], "cut: not a whole"),
	                            ("more", data + b"12345678", "more: the header of the .npy file names 9 items, and there are more"),
	                            ("new", data[:6] + b"\x09" + data[7:], "new: not a whole"),
	                            ("objects", data.replace(b"'<i8'", b"'|O' "), "objects: not a whole .npy file: .*objects")):
		(tmp_path / name).write_bytes(content)
		with pytest.raises(gsort.InputError, match=said):
			gsort.sort_file(tmp_path / name, tmp_path / "out")
	np.save(tmp_path / "b.npy", np.arange(9.0))
	long = data[:8] + (118 + 64).to_bytes(2, "little") + data[10:127] + b" " * 64 + data[127:]
	(tmp_path / "long").write_bytes(long)
	assert len(np.load(tmp_path / "long")) == 9
	tight = b"{'descr': '<i8', 'fortran_order': False, 'shape': (9,)}\n"
	(tmp_path / "tight").write_bytes(data[:8] + len(tight).to_bytes(2, "little") + tight + data[128:])
	(tmp_path / "text").write_text("1\n")
	for sources, options, kind, said in (
		(["a.npy", "b.npy"], {}, gsort.InputError, "b.npy: items of another type than in .*a.npy: float64, not int64"),
		(["a.npy", "long"], {}, ValueError, "long: a .npy file with a header of another length than in .*a.npy"),
		(["tight", "tight"], {}, ValueError, "the header of the .npy file has no room for another number of items"),
		(["a.npy"], {"to": "text"}, ValueError, "a.npy: to does not go with a .npy file; numpy.load"),
		(["a.npy"], {"argsort": "u4"}, ValueError, "argsort does not go"),
		(["a.npy"], {"count": True}, ValueError, "count does not go"), (["a.npy"], {"split": 2}, ValueError, "split does not go"),
		(["a.npy"], {"key": "x"}, ValueError, "key is for structures, and the items of this .npy file are int64"),
		(["text"], {"format": "npy"}, gsort.InputError, "text: not a whole .npy file: .*magic"),
		(["a.npy"], {"format": "nyp"}, ValueError, "format must be one of"),
	):
		with pytest.raises(kind, match=said):
			gsort.sort_file([tmp_path / name for name in sources], tmp_path / "out", **options)
	with pytest.raises(ValueError, match="a.npy: .npy files and arrays do not go together"):
		gsort.summary([tmp_path / "a.npy", np.arange(3)])
	with pytest.raises(gsort.InputError, match="a.npy: a NumPy array, not a file of numbers; leave the type and the format out, the header"):
		gsort.sort_file(tmp_path / "a.npy", tmp_path / "out", type="text")
	assert not (tmp_path / "out").exists()
	assert gsort.sort_file(tmp_path / "a.npy", tmp_path / "out", type="u1", format="raw").keys == 200


def test_npy_larger_than_memory(tmp_path):
	keys = keys_of(1400000, "u8")
	np.save(tmp_path / "in.npy", keys)
	stats = gsort.sort_file(tmp_path / "in.npy", tmp_path / "out.npy", memory=16 << 20, temp_dirs=tmp_path, unique=True)
	assert stats.runs > 1 and np.array_equal(np.load(tmp_path / "out.npy"), np.unique(keys))


def test_larger_than_memory(tmp_path):
	keys = keys_of(1400000, "u8")
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
	assert caught.value.errno == errno.ENOENT and caught.value.filename == str(tmp_path / "missing")
	assert str(caught.value) == f"[Errno 2] cannot read: No such file or directory: '{tmp_path / 'missing'}'"
	again = pickle.loads(pickle.dumps(caught.value))
	assert (again.filename, again.errno, str(again)) == (caught.value.filename, errno.ENOENT, str(caught.value))
	with pytest.raises(IsADirectoryError, match="Is a directory"):
		gsort.sort_file(tmp_path / "in", tmp_path)
	(tmp_path / "one").write_text("1\n")
	with pytest.raises(OSError, match="No space left on device") as caught:
		gsort.sort_file(tmp_path / "one", "/dev/full")
	assert caught.value.errno == errno.ENOSPC
	with pytest.raises(gsort.InputError, match="disorder"):
		(tmp_path / "in").write_text("2\n1\n")
		gsort.merge_files([tmp_path / "in"], tmp_path / "out")
	with pytest.raises(ValueError, match=r"^sort_file\(\) needs a file or an array, or several$"):
		gsort.sort_file([], tmp_path / "out")
	for src in open(tmp_path / "in"), None, 5:		# lines of an open file are no paths
		with pytest.raises(TypeError, match="src must be a path, an array, or several of them, not (TextIO|NoneType|int)"):
			gsort.sort_file(src, tmp_path / "out")
	for call in gsort.sort_file, gsort.merge_files:		# standard output is not its own
		with pytest.raises(TypeError, match="not NoneType"):
			call(tmp_path / "one", None)
	for name, value, said in (("key", 1, "key must be a string, not 1"), ("key", ["1", 2], "key must be a string, not 2"),
	                          ("separator", 5, "separator must be a string, not 5"), ("device", 0, "device must be a string"),
	                          ("progress", 5, "progress must be a function, not 5")):
		with pytest.raises(TypeError, match=said):
			gsort.sort_file(tmp_path / "one", tmp_path / "out", **{name: value})
	for call, said in ((lambda: gsort.top([1], -1), "k must be a whole number from 0 on, not -1"),
	                   (lambda: gsort.histogram([1], 0), "bins must be a whole number from 1 on, not 0")):
		with pytest.raises(ValueError, match=said):
			call()
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
	with pytest.raises(ValueError, match="not of type uint64"):
		gsort.sort_file(tmp_path / "a.npy", tmp_path / "out.npy", type="u8")
	if dtype == "<i4":
		with pytest.raises(ValueError, match="not of type >i4: leave it out, the header names the type"):
			gsort.sort_file(tmp_path / "a.npy", tmp_path / "out.npy", type=">i4")


def test_messages_name_parameters(tmp_path):
	"""Each is a call that works, or a way around; test_words.py holds the whole class."""
	structures = np.zeros(3, [("x", "f4"), ("y", "i8")])
	for content, kind, type_, said in (
		(b"1\nn/a\n", gsort.InputError, None, 'in:2: not a number: "n/a"; invalid=\'ignore\' leaves out what is not a number$'),
		(b"1\n\n", gsort.InputError, None, "in:2: empty line; invalid='skip-blank' leaves empty lines out$"),
		(b"1\n2.5\n", gsort.InputError, None, "floats need type='text-float'$"),
		(b"1\n0x1f\n", gsort.InputError, None, "hexadecimal numbers need type='hex'$"),
		(b"a;price\n1;2\n", gsort.InputError, None, r"sort lines by one: separator=';', header=1, key='a' \(:n behind it for numbers\)$"),
		(b"1\n1,000\n", gsort.InputError, None, "remove the commas between thousands: tr -d ,$"),
		(b"some text\n" * 9, gsort.InputError, "u4",
		 r"text, not a file of binary keys; without a type gsort reads text \(force=True reads it as binary keys\)$"),
	):
		(tmp_path / "in").write_bytes(content)
		with pytest.raises(kind, match=said):
			gsort.sort_file(tmp_path / "in", tmp_path / "out", type=type_)
	np.save(tmp_path / "s.npy", structures)
	with pytest.raises(ValueError, match="the records have no field 'z'; there are: x, y$"):
		gsort.sort_file(tmp_path / "s.npy", tmp_path / "out", key="z")
	np.save(tmp_path / "t.npy", np.array(["NaT", "1970-01-02"], "M8[s]"))
	with pytest.raises(TypeError, match=r"not dtype.*as 'i8' they are ticks, in which NaT is the least$"):
		gsort.sort_file(tmp_path / "t.npy", tmp_path / "out")
	with pytest.raises(ValueError, match="device must be one of auto, cpu, gpu, not 'gpu:one'"):
		gsort.sort_file(tmp_path / "in", tmp_path / "out", device="gpu:one")
	with pytest.raises(MemoryError, match=r"not enough .*gsort needs memory=\d+ << 20$"):
		gsort.sort_file(tmp_path / "in", tmp_path / "out%r", memory=2**24, split=1000, type="u2", force=True)


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


def rows_of(count):
	random = np.random.default_rng(count)
	return [(f"n{random.integers(9)}", str(random.integers(-50, 50))) for _ in range(count)]


def test_lines_and_csv(tmp_path):
	rows, text = rows_of(2000), tmp_path / "in.csv"
	text.write_text("name,price\n" + "".join(",".join(row) + "\n" for row in rows))

	def after(**options):
		stats = gsort.sort_file(text, tmp_path / "out.csv", **options)
		assert stats.keys == len(rows)
		head, *lines = (tmp_path / "out.csv").read_text().splitlines()
		assert head == "name,price"
		return [tuple(line.split(",")) for line in lines]

	assert after(csv=True, header=1, key="price:n", stable=True) == sorted(rows, key=lambda row: int(row[1]))
	assert after(csv=True, header=1, key=["name", "price:nr"]) == sorted(rows, key=lambda row: (row[0], -int(row[1])))
	assert after(separator=",", header=1, key=["2,2n", "1,1"], descending=True) == sorted(
		sorted(rows, key=lambda row: row[0], reverse=True), key=lambda row: int(row[1]))
	assert after(lines=True, header=1) == sorted(rows, key=",".join)
	text.write_text("name,price\n" + "".join(f"{at},{price}\n" for at, (_, price) in enumerate(rows)))
	gsort.sort_file(text, tmp_path / "out.csv", csv=True, header=1, key="price:n", sample=50, seed=3)
	sample = [tuple(map(int, line.split(","))) for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
	assert len({at for at, _ in sample}) == 50 and all(rows[at][1] == str(price) for at, price in sample)
	assert [price for _, price in sample] == sorted(price for _, price in sample)
	(tmp_path / "v").write_text("f-10\nf-9\n")
	gsort.sort_file(tmp_path / "v", tmp_path / "out", ordering="V")
	assert (tmp_path / "out").read_text() == "f-9\nf-10\n"
	gsort.sort_file(tmp_path / "v", tmp_path / "out", lines=True, argsort="u4")
	assert np.fromfile(tmp_path / "out", "u4").tolist() == [0, 1] or (tmp_path / "out").read_text() == "0\n1\n"
	with pytest.raises(gsort.InputError, match="no column 'prize'"):
		after(csv=True, header=1, key="prize:n")


@pytest.mark.parametrize("align", [False, True])
def test_records(tmp_path, align):
	"""By fields, as numpy.sort(order=) sorts them, in any byte order."""
	dtype = np.dtype([("b", "S3"), ("u", ">u2"), ("f", "<f8"), ("i", "i1")], align=align)
	random, records = np.random.default_rng(1), np.zeros(3000, dtype)
	records["b"] = random.choice([b"x", b"ab", b"abc"], 3000)
	records["u"], records["i"] = random.integers(0, 9, 3000), random.integers(-9, 9, 3000)
	records["f"] = random.standard_normal(3000).round(1)
	records["f"][records["f"] == 0] = 0
	records.tofile(tmp_path / "in")
	np.save(tmp_path / "in.npy", records)

	def after(key, **options):
		gsort.sort_file(tmp_path / "in", tmp_path / "out", type=dtype, key=key, **options)
		by_type = np.fromfile(tmp_path / "out", dtype)
		if key is not None:
			gsort.sort_file(tmp_path / "in.npy", tmp_path / "out.npy", key=key, **options)
			assert np.array_equal(by_type, np.load(tmp_path / "out.npy"))
		return by_type

	assert np.array_equal(after(None), np.sort(records))
	assert np.array_equal(after(["u", "i"]), records[np.argsort(records, order=["u", "i"], kind="stable")]) or \
		np.array_equal(after(["u", "i"]), records[np.lexsort((records["i"], records["u"]))])
	assert np.array_equal(after(["f:r", "b"]), records[np.lexsort((records["b"], -records["f"]))])
	assert np.array_equal(after("i", descending=True), records[np.argsort(-records["i"], kind="stable")])
	gsort.sort_file([records[:9], tmp_path / "in"], tmp_path / "out", key="i:r", type=dtype, skip_bytes=0)
	assert np.array_equal(np.fromfile(tmp_path / "out", dtype)["i"], np.sort(np.append(records["i"], records["i"][:9]))[::-1])
	halves = [np.sort(records[:1000]), np.sort(records[1000:])]
	gsort.merge_files(halves, tmp_path / "out")
	assert np.array_equal(np.fromfile(tmp_path / "out", dtype), np.sort(records)) and gsort.check_file(halves[0])
	assert gsort.check_file(records, key="i").disorder.startswith("array 0:")
	assert len(after(["b", "u"], unique=True)) == len(np.unique(records[["b", "u"]]))
	(tmp_path / "in").write_bytes(b"cdabca")
	gsort.sort_file(tmp_path / "in", tmp_path / "out", type="S2", force=True)
	assert (tmp_path / "out").read_bytes() == b"abcacd"
	with pytest.raises(ValueError, match="no field 'x'; there are: b, u, f, i"):
		after("x")
	with pytest.raises(ValueError, match="have no bytes"):
		gsort.sort_file(tmp_path / "in", tmp_path / "out", type="S")
	with pytest.raises(TypeError, match="gsort sorts integers"):
		gsort.sort_file(np.zeros(2, [("o", "O")]), tmp_path / "out")
	with pytest.raises(ValueError, match="lines and records are incompatible: the fields of a type are its keys"):
		after("u", csv=True)


def test_selections_and_conversions(tmp_path):
	keys = keys_of(5000, "u4") % 1000
	keys.tofile(tmp_path / "in")
	values, counts = np.unique(keys, return_counts=True)

	def after(kind="u4", **options):
		gsort.sort_file(tmp_path / "in", tmp_path / "out", **{"type": "u4", **options})
		return np.fromfile(tmp_path / "out", kind)

	expect = np.sort(keys)
	assert np.array_equal(after(head=10), expect[:10]) and np.array_equal(after(tail=10), expect[-10:])
	assert len(after(head=0)) == 0
	assert np.array_equal(after(repeated=True), values[counts > 1])
	assert np.array_equal(after(singletons=True), values[counts == 1])
	sample = after(sample=100, seed=3)
	assert len(sample) == 100 and np.isin(sample, keys).all() and not np.array_equal(sample, after(sample=100, seed=4))
	assert np.array_equal(after(argsort="u8", kind="u8"), np.argsort(keys, kind="stable"))
	assert np.array_equal(after(to="f8", kind="f8"), expect.astype("f8"))
	assert np.array_equal(after(skip_bytes=400)[100:], np.sort(keys[100:]))
	after(to="hex")
	assert (tmp_path / "out").read_text() == "".join(f"{key:x}\n" for key in expect)
	gsort.sort_file(tmp_path / "out", tmp_path / "out", type="hex", to=">u4", descending=True)
	assert np.array_equal(np.fromfile(tmp_path / "out", ">u4"), expect[::-1])
	after(to="text", count=True)
	assert (tmp_path / "out").read_text().split()[:2] == [str(counts[0]), str(values[0])]
	gsort.sort_file(tmp_path / "in", tmp_path / "part%r", type="u4", split=3, verify=True)
	assert np.array_equal(np.concatenate([np.fromfile(tmp_path / f"part{n}", "u4") for n in range(3)]), expect)
	(tmp_path / "in").write_text("h\n2026-01-02\n2025-01-02\nx\n")
	with pytest.warns(RuntimeWarning, match='in:4: .*"x"'):
		stats = gsort.sort_file(tmp_path / "in", tmp_path / "out", type="time", header=1, invalid="warn")
	assert (tmp_path / "out").read_text() == "h\n2025-01-02T00:00:00Z\n2026-01-02T00:00:00Z\n"
	for options, said in (({"type": "text", "to": "hex"}, "to='hex' needs binary keys, or type='hex'"), ({"argsort": "i8"}, "argsort must be 'u4' or 'u8'"),
	                      ({"invalid": "no"}, "invalid must be one of abort, fail, warn, ignore, skip-blank, not 'no'"),
	                      ({"to": ">f8"}, "type and to must have one byte order"),
	                      ({"head": -1}, "head must be a whole number from 0 on")):
		with pytest.raises(ValueError, match=said):
			after(**options)


def test_check(tmp_path):
	(tmp_path / "in").write_text("1\n3\n3\n2\n")
	check = gsort.check_file(tmp_path / "in")
	assert not check and check.disorder == f"{tmp_path}/in:4: disorder: 2"
	check = gsort.check_file(tmp_path / "in", counted=True)
	assert not check and (check.breaks, check.duplicates) == (1, 1)
	gsort.sort_file(tmp_path / "in", tmp_path / "in")
	assert gsort.check_file(tmp_path / "in") and not gsort.check_file(tmp_path / "in", unique=True)
	assert gsort.check_file(tmp_path / "in", counted=True) == (True, "", 0, 1)
	assert not gsort.check_file(tmp_path / "in", counted=True, unique=True)
	(tmp_path / "in").write_text("b,1\na,2\n")
	assert gsort.check_file(tmp_path / "in", csv=True, key="2,2n") and not gsort.check_file(tmp_path / "in", lines=True)


def test_layout_is_that_of_the_header():
	"""Every member that the module writes is in libgsort.abi."""
	from gsort import _native, _options
	members = [*_options._FLAGS.values(), *[member for member, _ in _options._NUMBERS.values()], *_options._COUNTS,
	           *_options._WORDS.values(), *_options._TEXTS, "operation", "set", "type", "to", "converts", "endian", "notation",
	           "record_bytes", "keys", "key_count", "lines", "keydefs", "keydef_count", "head", "head_count",
	           "argsort_bits", "inputs", "input_count", "output", "warn", "warn_context", "temp_dirs", "temp_dir_count"]
	for member in members:
		assert f"gsort_options.{member}" in _native.ABI
