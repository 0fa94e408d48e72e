# SPDX-License-Identifier: BSD-2-Clause
import importlib
import os
import re
import subprocess
import sys
import threading
import tracemalloc

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


@pytest.mark.parametrize("dtype", ["u4", "f8", "M8[s]"])
def test_rows_without_keys_take_no_time(dtype):
	"""However many there are: these would take half an hour."""
	a = np.empty((10 ** 9, 0), dtype)
	assert gsort.sort(a, out=a) is a and gsort.sort(a.T, 0).shape == a.T.shape and gsort.argsort(a).shape == a.shape


@pytest.mark.parametrize("shape, axis, order", [
	((40, 9000), -1, "C"), ((40, 9000), 1, "C"), ((9000, 40), 0, "F"), ((6, 7, 9000), 2, "C"), ((9000, 7, 6), 0, "F"),
	((3, 1, 90000), -1, "C"), ((100000,), 0, "C"), ((100000,), None, "C"),
])
@pytest.mark.parametrize("dtype", ["u2", "i8", "f4", "M8[s]"])
def test_rows_in_place_copy_nothing(shape, axis, order, dtype):
	"""Whatever the number of dimensions, if they are contiguous along the axis."""
	keys = np.array(some("i8", int(np.prod(shape))).reshape(shape) % 5000, dtype, order=order)
	for a in keys, keys[1:-1] if keys.ndim == 2 and order == "C" else keys:
		expect = np.sort(a, axis)
		tracemalloc.start()
		result = gsort.sort(a, axis, out=a)
		_, peak = tracemalloc.get_traced_memory()
		tracemalloc.stop()
		assert result is a and np.array_equal(a, expect) and peak < a.nbytes / 10
		tracemalloc.start()
		gsort.sort(a, axis)		# one copy, which is the result
		_, peak = tracemalloc.get_traced_memory()
		tracemalloc.stop()
		assert peak < 1.1 * a.nbytes


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
@pytest.mark.parametrize("shape", [(3, 70000), (400, 501), (20, 30, 400), (70001, 2)])
def test_threads_share_rows(shape, threads):
	keys = some("i8", int(np.prod(shape))).reshape(shape) % 5000
	assert np.array_equal(gsort.argsort(keys, threads=threads), np.argsort(keys, kind="stable"))
	unaligned = np.zeros(keys.nbytes + 1, "u1")[1:].view("i8").reshape(shape)	# no thread can sort a row
	for a in keys, keys[..., :-1], unaligned:
		a[...] = keys[..., :a.shape[-1]]
		expect = np.sort(a)
		assert gsort.sort(a, out=a, threads=threads) is a and np.array_equal(a, expect)


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
	mixed = gsort.merge([parts[2], parts[3].astype(">i4")])		# numpy makes such
	assert mixed.dtype == "i4" and np.array_equal(mixed, np.sort(np.concatenate(parts[2:])))
	with pytest.raises(gsort.InputError, match="array 1 is not sorted: element 1"):
		gsort.merge([np.array([1, 2]), np.array([2, 1])])


def test_lists_and_slices():
	assert gsort.sort([3, 1, 2]).tolist() == [1, 2, 3]
	assert gsort.argsort([30, 10, 20]).tolist() == [1, 2, 0]
	keys = some("u8", 1000)
	assert np.array_equal(gsort.sort(keys[::-3]), np.sort(keys[::-3]))
	assert gsort.sort(np.array([True, False])).tolist() == [False, True]


# --- as numpy ------------------------------------------------------------------------------------

ALL_DTYPES = DTYPES + ["?", "M8[s]", "m8[ns]"] + [">" + d for d in DTYPES if d[1] != "1"] + [">M8[us]"]


def drawn(random, dtype, shape):
	"""Few values and many, all of them of all bits, NaN and NaT; but one zero and one NaN, so that equal
	keys are equal bits, as argsort() has them."""
	dtype = np.dtype(dtype)
	count = int(np.prod(shape))
	if random.integers(2):
		keys = random.integers(-9, 9, count).astype("i8" if dtype.kind in "mM" else dtype.newbyteorder("="))
	else:
		keys = np.frombuffer(random.bytes(count * dtype.itemsize), f"u{dtype.itemsize}").copy()
	keys = (keys > 0 if dtype.kind == "b" else keys).view(dtype.newbyteorder("="))
	if dtype.kind in "fmM":
		missing = "NaT" if dtype.kind != "f" else random.choice([1, -1]) * np.nan
		keys[np.isnan(keys) | (random.random(count) < random.choice([0, 0.2, 1], p=[0.4, 0.5, 0.1]))] = missing
	if dtype.kind == "f":
		keys[keys == 0] = 0
	return keys.astype(dtype).reshape(shape)


def same(result, expect):
	assert result.dtype == expect.dtype and result.shape == expect.shape
	assert result.tobytes() == expect.tobytes() or np.array_equal(
		result, expect, equal_nan=result.dtype.kind in "fmM")


@pytest.mark.parametrize("seed", range(1500 if os.environ.get("GSORT_SLOW") else 150))
def test_drawn_as_numpy(seed):
	"""Types, byte orders, shapes, strides, axes, kinds: all that numpy.sort() and argsort() are asked."""
	random = np.random.default_rng(seed)
	shape = tuple(random.integers(0, 30, random.integers(1, 4)))
	keys = drawn(random, random.choice(ALL_DTYPES), shape if random.integers(4) else int(random.integers(3000)))
	if random.integers(3) == 0:
		keys = keys[::random.choice([-2, -1, 2])]
	if random.integers(3) == 0:
		keys = keys.T
	before = keys.copy()
	axis = random.choice([*range(-keys.ndim, keys.ndim), None])
	kind = random.choice([None, "quicksort", "mergesort", "heapsort", "stable"])
	same(gsort.sort(keys, axis, kind), np.sort(keys, axis, kind))
	same(gsort.argsort(keys, axis, kind), np.argsort(keys, axis, "stable"))
	order = gsort.argsort(keys, axis=axis, stable=True, descending=True)
	flat, along = (keys.ravel(), 0) if axis is None else (keys, axis)
	same(np.take_along_axis(flat, order, along), gsort.sort(keys, axis=axis, descending=True))
	same(gsort.sort(keys, axis, descending=True), np.flip(np.sort(keys, axis), along))
	# stable: the mirror image of the ascending order of the mirror image
	mirror = flat.shape[along] - 1 - np.flip(np.argsort(np.flip(flat, along), along, "stable"), along)
	same(order, mirror)
	same(keys, before)
	if axis is not None:
		out = np.empty_like(keys)
		assert gsort.sort(keys, axis, out=out) is out
		same(out, np.sort(before, axis))
		assert gsort.sort(keys, axis, out=keys) is keys
		same(keys, out)


def fields_of(a):
	"""The bytes of A without padding."""
	return [fields_of(a[name]) for name in a.dtype.names] if a.dtype.names else a.tobytes()


FIELDS = ["?", "u1", ">i2", "f4", ">f8", "u8", "M8[s]", "S1", "S3", "S8", "S17", "U2", "U5", [("p", "i1"), ("q", "S2")]]


@pytest.mark.parametrize("seed", range(600 if os.environ.get("GSORT_SLOW") else 60))
def test_drawn_structures_and_strings_as_numpy(seed):
	"""Each field has few values, so that the next one decides; an order, fields of all types, and strings alone."""
	random = np.random.default_rng(seed)
	shape = tuple(random.integers(0, 40, random.integers(1, 3)))

	def values(dtype):
		if dtype.names:
			found = np.zeros(shape, dtype)
			for name in dtype.names:
				found[name] = values(dtype[name])
			return found
		if dtype.kind in "SU":
			letters = random.choice([0, 1, 97, 98, 255], (*shape, dtype.itemsize // (4 if dtype.kind == "U" else 1)))
			return letters.astype("u1" if dtype.kind == "S" else "u4").view(dtype.newbyteorder("=")).reshape(shape).astype(dtype)
		return drawn(random, dtype, shape) if random.integers(2) else random.integers(0, 2, shape).astype(dtype)

	chosen = [FIELDS[at] for at in random.permutation(len(FIELDS))[:random.integers(1, 5)]]
	dtype = np.dtype([(f"f{number}", field) for number, field in enumerate(chosen)], align=bool(random.integers(2)))
	dtype = np.dtype(random.choice(["S1", "S9", "U3", ">U4"])) if random.integers(4) == 0 else dtype
	keys = values(dtype)[..., ::random.choice([-1, 1])]
	order = list(random.permutation(dtype.names)[:random.integers(len(dtype.names) + 1)]) or None if dtype.names else None
	axis = random.choice([*range(-keys.ndim, keys.ndim), None])
	found, indices = gsort.sort(keys, axis, None, order), gsort.argsort(keys, axis, order=order)
	assert fields_of(found) == fields_of(np.sort(keys, axis, "stable", order))
	assert np.array_equal(indices, np.argsort(keys, axis, "stable", order))
	down = gsort.argsort(keys, axis, order=order, descending=True)
	flat, along = (keys.ravel(), 0) if axis is None else (keys, axis)
	mirror = np.argsort(np.flip(flat, along), along, "stable", order)
	assert np.array_equal(down, flat.shape[along] - 1 - np.flip(mirror, along))
	if keys.size and dtype.kind != "V":
		assert gsort.sort(keys, None, unique=True).tolist() == np.unique(keys).tolist()
	if axis is not None:
		assert gsort.sort(keys, axis, order=order, out=keys) is keys and fields_of(keys) == fields_of(found)


def test_structures():
	rows = np.array([(2, b"b", 1.5), (1, b"b", 0), (2, b"a", 1.5), (1, b"b", 0)], [("n", "u2"), ("s", "S4"), ("x", "f8")])
	assert gsort.sort(rows, order=["s", "x"]).tolist() == [rows[2].item(), rows[1].item(), rows[3].item(), rows[0].item()]
	assert gsort.sort(rows, descending=True, unique=True).tolist() == [rows[0].item(), rows[2].item(), rows[1].item()]
	objects = np.array([(2, None), (1, "x")], [("n", "i4"), ("o", "O")])
	with pytest.raises(TypeError, match=r"not dtype\('O'\)"):
		gsort.sort(objects)
	assert objects[gsort.argsort(objects["n"])]["o"].tolist() == ["x", None]
	for order, said in (("z", "order has 'z', which is not a field; fields are: n, s, x"), (["n", "n"], "order has 'n' twice")):
		with pytest.raises(ValueError, match=said):
			gsort.argsort(rows, order=order)
	with pytest.raises(ValueError, match="order has 'n', which is not a field; fields are: none"):
		gsort.sort([1, 2], order="n")
	with pytest.raises(TypeError, match="does not compare the arrays in a field"):
		gsort.sort(np.zeros(2, [("a", "f4", 3)]))


@pytest.mark.parametrize("seed", range(300 if os.environ.get("GSORT_SLOW") else 60))
def test_drawn_merges_and_checks(seed):
	"""What sort() leaves is sorted and can be merged, whatever NaNs are in it; one change, and it is not."""
	random = np.random.default_rng(seed)
	dtype, descending = random.choice(ALL_DTYPES), bool(random.integers(2))
	parts = [gsort.sort(drawn(random, dtype, int(random.integers(200))), descending=descending)
	         for _ in range(random.integers(1, 5))]
	assert all(gsort.is_sorted(part, descending=descending) for part in parts)
	whole = gsort.merge(parts, descending=descending)
	same(whole, gsort.sort(np.concatenate(parts).astype(dtype), descending=descending))
	assert gsort.is_sorted(whole, descending=descending)
	order = gsort.sort(whole, descending=not descending)
	if len(whole) > 1 and whole[0].tobytes() != whole[-1].tobytes():
		assert not gsort.is_sorted(order, descending=descending)
		with pytest.raises(gsort.InputError, match="array 1 is not sorted"):
			gsort.merge([whole, order], descending=descending)
		whole[[0, -1]] = whole[[-1, 0]]
		assert not gsort.is_sorted(whole, descending=descending)
	if whole.dtype.isnative and whole.dtype.kind != "b":
		keys, payload = np.concatenate(parts)[::-1].copy(), np.arange(len(whole))
		before = keys.copy()
		gsort.sort_pairs(keys, payload, descending=descending)
		same(before[payload], keys)
		assert gsort.is_sorted(keys, descending=descending)


def test_nan_is_last_and_keeps_its_bits():
	bits = np.array([0x7ff8000000000001, 0xfff8000000000001, 0xfff8000000000002, 0x7ff0000000000000, 0, 1 << 63,
	                 0xfff0000000000000, 0x7ff8000000000002], "u8")
	# -inf -0 0 inf, NaN by their payloads, -NaN from the largest payload on
	order = [0xfff0000000000000, 1 << 63, 0, 0x7ff0000000000000, 0x7ff8000000000001, 0x7ff8000000000002,
	         0xfff8000000000002, 0xfff8000000000001]
	for way in 1, -1:
		keys = gsort.sort(bits.view("f8"), descending=way < 0)
		assert keys.view("u8").tolist() == order[::way]
		assert gsort.is_sorted(keys, descending=way < 0) and not gsort.is_sorted(keys[::-1], descending=way < 0)
		assert bits[gsort.argsort(bits.view("f8"), descending=way < 0)].tolist() == order[::way]
		assert gsort.sort(np.append(keys, keys), descending=way < 0, unique=True).view("u8").tolist() == order[::way]
	nans = np.array([np.nan, -np.nan, np.nan])
	assert np.signbit(gsort.sort(nans)).tolist() == [False, False, True]
	assert not gsort.is_sorted([-np.nan, np.nan]) and gsort.is_sorted([np.nan, -np.nan])
	assert not gsort.is_sorted([-np.nan, 1, -np.nan]) and not gsort.is_sorted([1, -np.nan, 2])


def test_times():
	times = np.array(["2026-01-02", "NaT", "1969-12-31", "NaT", "2026-01-01"], "M8[D]")
	assert gsort.sort(times).astype(str).tolist() == ["1969-12-31", "2026-01-01", "2026-01-02", "NaT", "NaT"]
	assert gsort.argsort(times).tolist() == [2, 4, 0, 1, 3]
	assert gsort.sort(times, descending=True, unique=True).astype(str).tolist() == [
		"NaT", "2026-01-02", "2026-01-01", "1969-12-31"]


def test_arguments_of_numpy():
	keys = np.array([[3, 1], [2, 4]])
	assert gsort.sort(keys, None).tolist() == gsort.sort(keys, axis=None).tolist() == [1, 2, 3, 4]
	assert gsort.argsort(keys, 0).tolist() == [[1, 0], [0, 1]]
	for axis in 2, -3:
		for call in gsort.sort, gsort.argsort:
			with pytest.raises((ValueError, IndexError), match="out of bounds for array of dimension 2"):
				call(keys, axis)
	with pytest.raises((ValueError, IndexError), match="out of bounds for array of dimension 0"):
		gsort.sort(np.array(5))
	for axis in (0, 1), 0.0:
		for call in gsort.sort, gsort.argsort:
			with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
				call(keys, axis)
			with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
				call(keys[0], axis)
	for axis in -1, 0, None:
		same(gsort.argsort(np.array(5), axis), np.argsort(np.array(5), axis))
	for wrong in keys, None, "yes":
		for call in gsort.sort, gsort.argsort, gsort.is_sorted, lambda a, **given: gsort.merge([a], **given):
			with pytest.raises(TypeError, match="descending must be True or False, not "):
				call(keys[0], descending=wrong)
	with pytest.raises(ValueError, match=r"threads must be a whole number from 0 on, not array\(\[3, 1"):
		gsort.sort(keys, threads=keys[0])
	for call, name, said in ((gsort.sort, "reverse", "sort() has no parameter 'reverse'; did you mean descending?"),
	                         (gsort.argsort, "reverse", "argsort() has no parameter 'reverse'; did you mean descending?"),
	                         (gsort.sort, "parallel", "; did you mean threads?"), (gsort.sort, "uniq", "; did you mean unique?"),
	                         (gsort.argsort, "axes", "; did you mean axis?"), (gsort.sort, "zzz", "has no parameter 'zzz'")):
		with pytest.raises(TypeError, match=re.escape(said) + "$"):
			call(keys, **{name: True})
	with pytest.raises(ValueError, match="kind must be one of quicksort, .* not 'radix'"):
		gsort.argsort(keys, kind="radix")
	few = np.arange(5)
	for wrong in {"kind": ""}, {"axis": 1}, {"threads": -1}, {"descending": "no"}, {"order": "name"}, {"kin": 1}:
		with pytest.raises((TypeError, ValueError)):		# in place, too, where few things are looked at
			gsort.sort(few, out=few, **wrong)
	with pytest.raises(ValueError, match="kind and stable cannot be given together"):
		gsort.sort(keys, kind="stable", stable=True)
	with pytest.raises(ValueError, match="unique needs an array of one dimension; axis=None makes one"):
		gsort.sort(keys, unique=True)
	assert gsort.sort(keys, axis=None, unique=True).tolist() == [1, 2, 3, 4]


def test_what_cannot_be_sorted():
	for bad in (np.zeros(2, np.longdouble), np.array([b"a"]).view("V1"), np.zeros(2, complex)):
		with pytest.raises(TypeError, match="gsort sorts integers.*floats.*booleans.*strings.*times.*structures"):
			gsort.sort(bad)
	for bad, way_out in ((np.array([1, None]), r"a.astype\(...\) makes numbers or strings"),
	                     (np.zeros(2, [("n", "O")]), r"a.astype\(...\) makes numbers"),
	                     (np.ma.array([1, 2], mask=[0, 1]), r"a.compressed\(\)")):
		with pytest.raises(TypeError, match=way_out):
			gsort.sort(bad)
	for call in gsort.is_sorted, lambda a: gsort.merge([a]):
		with pytest.raises(ValueError, match="one dimension is needed, not of 2"):
			call(np.zeros((2, 2)))
	with pytest.raises(ValueError, match=r"out has shape \(3,\), and a \(1,\)"):		# not three times that one
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
	for bad in strided, np.zeros(2, ">f8"), np.zeros((2, 2)):
		with pytest.raises(ValueError, match="contiguous"):
			gsort.sort_pairs(bad, np.zeros(len(bad)))
	with pytest.raises(TypeError, match="4 or 8 bytes"):
		gsort.sort_pairs(np.zeros(2), np.zeros(2, np.int16))
	with pytest.raises(ValueError, match="2 keys have 3 payloads"):
		gsort.sort_pairs(np.zeros(2), np.zeros(3))


class Column:
	"""As a library of tables has it: numpy makes floats of integers of which some are missing."""

	def __init__(self, name, values):
		setattr(self, *name)
		self.values = values

	def __array__(self, dtype=None, copy=None):
		return np.array([np.nan if value is None else value for value in self.values], dtype)


def columns(kind, values):
	"""One of each library that there is, and what it says it is."""
	yield Column(("dtype", kind), values)
	yield Column(("type", kind.lower()), values)
	for library, make in (("pandas", lambda m: m.Series(values, dtype=kind)), ("polars", lambda m: m.Series(values, dtype=getattr(m, kind))),
	                      ("pyarrow", lambda m: m.array(values, getattr(m, kind.lower())())),
	                      ("pyarrow", lambda m: m.chunked_array([values], getattr(m, kind.lower())()))):
		try:
			yield make(importlib.import_module(library))
		except ImportError:
			pass


@pytest.mark.parametrize("kind", ["Int64", "UInt64", "Int8", "UInt32"])
def test_missing_values_change_no_other(kind):
	"""Integers with missing values are refused; without any they keep every bit."""
	largest = int(np.iinfo(kind.lower()).max)
	for column in columns(kind, [largest, None, largest - 1]):
		for call in (gsort.sort, gsort.argsort, gsort.is_sorted, gsort.top, gsort.summary,
		             lambda a: gsort.merge([a]), lambda a: gsort.union([a, a]), lambda a: gsort.quantiles(a, 0.5)):
			with pytest.raises(TypeError, match=r"integers \(u?int[0-9]+\) and missing values.*drop_nulls\(\) of polars".replace("u?int", "[uU]?[iI]nt")):
				call(column)
	for column in columns(kind, [largest, largest - 1, 0]):
		if not isinstance(column, Column):
			assert gsort.sort(column).tolist() == [0, largest - 1, largest] and gsort.argsort(column).tolist() == [2, 1, 0]
	for column in columns("Float64", [2.5, None, -1.0]) if kind == "Int64" else []:		# NaN, which is last
		if type(column).__module__.partition(".")[0] != "pyarrow":
			assert gsort.argsort(column).tolist() == [2, 0, 1]
			assert np.array_equal(gsort.sort(column), [-1.0, 2.5, np.nan], equal_nan=True)


def test_cuda_is_imported_when_it_is_used():
	program = "import sys, gsort; assert 'gsort.cuda' not in sys.modules; print(gsort.cuda.sort.__name__, 'cuda' in dir(gsort))"
	assert subprocess.run([sys.executable, "-c", program], check=True, text=True, capture_output=True).stdout == "sort True\n"
	with pytest.raises(AttributeError, match="no attribute 'nothing'"):
		gsort.nothing


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
