# SPDX-License-Identifier: BSD-2-Clause
import threading

import gsort
import numpy as np
import pytest

DTYPES = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]


def some(dtype, count, seed=1):
	random = np.random.default_rng(seed)
	dtype = np.dtype(dtype)
	if dtype.kind == "f":
		return random.standard_normal(count).astype(dtype)
	info = np.iinfo(dtype)
	return random.integers(info.min, info.max, count, dtype=dtype, endpoint=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [0, 1, 2, 1000, 300000])
def test_sort_is_that_of_numpy(dtype, count):
	keys = some(dtype, count)
	expect = np.sort(keys)
	assert np.array_equal(gsort.sort(keys), expect)
	assert np.array_equal(gsort.sort(keys, descending=True), expect[::-1])
	assert np.array_equal(gsort.sort(keys, unique=True), np.unique(keys))
	assert np.array_equal(gsort.sort(keys, threads=1), expect)
	assert np.array_equal(keys, some(dtype, count))		# the input is as it was
	assert gsort.is_sorted(expect)
	assert gsort.is_sorted(expect[::-1], descending=True)
	assert count < 1000 or not gsort.is_sorted(keys)


@pytest.mark.parametrize("dtype", DTYPES)
def test_argsort_is_stable(dtype):
	keys = some(dtype, 100000)
	keys[::3] = keys[0]
	assert np.array_equal(gsort.argsort(keys), np.argsort(keys, kind="stable"))
	down = gsort.argsort(keys, descending=True)
	assert down.dtype == np.intp
	assert np.array_equal(keys[down], np.sort(keys)[::-1])
	same = down[keys[down] == keys[0]]
	assert (np.diff(same) > 0).all()


def test_in_place_copies_nothing():
	keys = some("u4", 100000)
	address = keys.ctypes.data
	result = gsort.sort(keys, out=keys)
	assert result is keys and keys.ctypes.data == address and gsort.is_sorted(keys)
	few = np.array([3, 1, 3, 1], np.int64)
	view = gsort.sort(few, out=few, unique=True)
	assert view.base is few and view.tolist() == [1, 3]


def test_memory_maps(tmp_path):
	keys = some("f8", 50000)
	np.save(tmp_path / "keys.npy", keys)
	mapped = np.load(tmp_path / "keys.npy", mmap_mode="r+")
	gsort.sort(mapped, out=mapped)
	mapped.flush()
	assert np.array_equal(np.load(tmp_path / "keys.npy"), np.sort(keys))
	readonly = np.load(tmp_path / "keys.npy", mmap_mode="r")
	assert gsort.is_sorted(readonly)
	with pytest.raises(ValueError, match="read-only"):
		gsort.sort(readonly, out=readonly)


def test_pairs():
	for dtype in DTYPES:
		for payload_type in ("u4", "f8", "i8"):
			keys = some(dtype, 20000)
			payload = np.arange(len(keys)).astype(payload_type)
			before = keys.copy()
			gsort.sort_pairs(keys, payload)
			assert np.array_equal(keys, np.sort(before))
			assert np.array_equal(before[payload.astype(np.intp)], keys)


def test_merge():
	parts = [np.sort(some("i4", count, count)) for count in (0, 1, 5000, 70000)]
	assert np.array_equal(gsort.merge(parts), np.sort(np.concatenate(parts)))
	with pytest.raises(gsort.InputError, match="array 1 is not sorted: element 1"):
		gsort.merge([np.array([1, 2]), np.array([2, 1])])


def test_lists_and_slices():
	assert gsort.sort([3, 1, 2]).tolist() == [1, 2, 3]
	assert gsort.argsort([30, 10, 20]).tolist() == [1, 2, 0]
	keys = some("u8", 1000)
	assert np.array_equal(gsort.sort(keys[::-3]), np.sort(keys[::-3]))
	assert gsort.sort(np.array([True, False])).tolist() == [False, True]


def test_total_order():
	keys = np.array([np.nan, 0.0, -0.0, -np.nan, -np.inf, np.inf])
	result = gsort.sort(keys)
	assert np.signbit(result).tolist() == [True, True, True, False, False, False]
	assert np.isnan(result[[0, 5]]).all()


def test_what_cannot_be_sorted():
	for bad in (np.zeros(2, np.longdouble), np.zeros(2, ">i4"), np.array(["a"]), np.zeros(2, complex)):
		with pytest.raises(TypeError, match="gsort sorts integers"):
			gsort.sort(bad)
	for bad, way_out in ((np.zeros(2, "M8[ns]"), r"a.view\('i8'\) has its ticks, in which NaT is the least"),
	                     (np.zeros(2, "m8[s]"), "NaT is the least"),
	                     (np.array([1, None]), r"a.astype\(...\) makes numbers"),
	                     (np.zeros(2, [("price", "f8")]), r"a\[gsort.argsort\(a\['field'\]\)\] sorts by a field"),
	                     (np.zeros(2, ">i4"), r"a.astype\('int32'\) is"),
	                     (np.ma.array([1, 2], mask=[0, 1]), r"a.compressed\(\)")):
		with pytest.raises(TypeError, match=way_out):
			gsort.sort(bad)
	with pytest.raises(ValueError, match=r"one dimension, not of 2; a.ravel\(\) has one"):
		gsort.sort(np.zeros((2, 2)))
	with pytest.raises(ValueError, match="out has 3 keys, and a 1"):		# not three times that one
		gsort.sort([5.0], out=np.zeros(3))
	with pytest.raises(TypeError, match="Cannot cast"):
		gsort.sort([5, 4, 3], out=np.zeros(3))
	masked = np.ma.array([2, 1], mask=[True, False])
	for call in (lambda: gsort.sort(masked), lambda: gsort.sort([1, 2], out=masked),
	             lambda: gsort.argsort(masked), lambda: gsort.sort_pairs(np.zeros(2), masked)):
		with pytest.raises(TypeError, match="masks"):
			call()
	with pytest.raises(ValueError, match="threads must be a whole number from 0 on, not -1"):
		gsort.sort([2, 1], threads=-1)
	with pytest.raises(TypeError, match="threads must be a whole number from 0 on, not 1.5"):
		gsort.argsort([2, 1], threads=1.5)
	strided = np.zeros(10)[::2]
	with pytest.raises(ValueError, match="contiguous"):
		gsort.sort(strided, out=strided)
	with pytest.raises(TypeError, match="4 or 8 bytes"):
		gsort.sort_pairs(np.zeros(2), np.zeros(2, np.int16))
	with pytest.raises(ValueError, match="2 keys have 3 payloads"):
		gsort.sort_pairs(np.zeros(2), np.zeros(3))


def test_threads_run_side_by_side():
	"""Another thread counts on while a sort runs: the interpreter's lock is released."""
	keys = some("u8", 1 << 22)
	counted, done = 0, threading.Event()

	def work():
		for _ in range(3):
			gsort.sort(keys, threads=1)
		done.set()

	thread = threading.Thread(target=work)
	thread.start()
	while not done.is_set():
		counted += 1
	thread.join()
	assert counted > 1000
