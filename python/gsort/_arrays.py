# SPDX-License-Identifier: BSD-2-Clause
"""Sort arrays in memory: numpy arrays, memory maps, and whatever numpy converts to an array."""
from __future__ import annotations

import ctypes
import functools
import operator
import re
from typing import Any, Iterable, Iterator, List, NoReturn, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _native
from ._keys import Array, Order, has_several, keys_of, type_of_items
from ._options import refuse_unknown

_KINDS = ("quicksort", "mergesort", "heapsort", "stable")
_SORTING = ("axis", "kind", "order", "stable", "descending", "threads")		# parameters


@functools.lru_cache(maxsize=64, typed=True)		# making one takes as long as sorting a hundred keys
def _made(descending: bool, threads: int) -> _native.Struct:
	options = _native.options("gsort_array_options")
	options.put("reverse", "?", descending)
	options.put("threads", "I", threads)
	return options


def _options(descending: bool, threads: int) -> _native.Struct:
	if not isinstance(descending, (bool, int, np.bool_)):
		raise TypeError(f"descending must be True or False, not {descending!r}")
	if getattr(threads, "shape", ()) != ():
		_native.refuse_number("threads", threads)
	return _made(descending, threads)


def _call(name: str, *arguments: Any) -> None:
	if getattr(_native.LIBRARY, name)(*arguments) != _native.OK:
		_native.fail()


# --- what numpy makes of arguments -------------------------------------------------------------

def _array(a: npt.ArrayLike, name: str = "a") -> Array:
	if isinstance(a, np.ma.MaskedArray):
		raise TypeError(f"gsort does not know masks: sort {name}.compressed()")
	array: Array = np.asarray(a)
	if array is not a and array.dtype.kind in "fO":		# integers with missing values, which numpy would round
		types = [str(one) for one in (getattr(a, "dtype", None), getattr(a, "type", None))]
		if any(re.match("u?int[0-9]", one.lower()) for one in types):
			raise TypeError(f"{name} has integers ({types[0] if types[0] != 'None' else types[1]}) and missing values, "
			                f"which no array of integers has: sort {name}.drop_nulls() of polars, {name}.dropna() of "
			                f"pandas, {name}.drop_null() of pyarrow")
	return array


def _check_kind(kind: Optional[str], stable: Optional[bool]) -> None:
	"""Check KIND and STABLE, which make no difference: equal keys have equal bits, and argsort() is stable."""
	if kind is not None and kind not in _KINDS:
		raise ValueError(f"kind must be one of {', '.join(_KINDS)}, not {kind!r}")
	if kind is not None and stable is not None:
		raise ValueError("kind and stable cannot be given together")


def _axis_last(a: Array, axis: int) -> Array:
	"""A view of A; numpy's AxisError if there is no such axis."""
	axis = operator.index(axis)
	return a if a.ndim == 1 and axis in (-1, 0) else np.moveaxis(a, axis, -1)


def _readable(a: Array) -> Array:
	"""A, or a copy that the library can read: contiguous, aligned, in this machine's byte order."""
	return a if _is_plain(a) else np.require(a, a.dtype if a.dtype.isnative else a.dtype.newbyteorder("="), ["C", "A"])


def _is_plain(a: Array) -> bool:
	return a.flags.c_contiguous and a.flags.aligned and a.dtype.isnative


def _has_plain_rows(a: Array) -> bool:
	"""Can the library sort each row of A along its last axis in place?"""
	return bool(a.flags.aligned and a.dtype.isnative and (a.shape[-1] < 2 or a.strides[-1] == a.itemsize))


def _vector(a: npt.ArrayLike) -> Array:
	vector = _array(a)
	if vector.ndim != 1:
		raise ValueError(f"an array of one dimension is needed, not of {vector.ndim}")
	return _readable(vector)


def _writable(a: Array, name: str) -> Array:
	if not isinstance(a, np.ndarray):
		raise TypeError(f"{name} must be a numpy array, not {type(a).__name__}")
	if not a.flags.writeable:
		raise ValueError(f"{name} is read-only")
	return _array(a, name)


def _in_place(a: Array, name: str) -> Array:
	if _writable(a, name).ndim != 1 or not _is_plain(a):
		raise ValueError(f"{name} must be a contiguous array of one dimension, in this machine's byte order")
	return a


# --- NaT is last, but first for the library, which sees it as the least integer -------------------

def _is_late_at(keys: Array, at: int) -> bool:
	return keys.dtype.kind in "mM" and len(keys) > 0 and bool(np.isnat(keys[at]))


def _shift(keys: Array, descending: bool, order: Optional[Array] = None) -> int:
	"""How far to roll KEYS, which the library has sorted in ORDER, to put NaT in its place."""
	first = -1 if descending else 0
	if len(keys) == 0 or not _is_late_at(keys, first if order is None else int(order[first])):
		return 0
	late = np.isnat(keys if order is None else keys[order])
	return int(late[::-1].argmin()) if descending else -int(late.argmin())


def _parts(keys: Array, descending: bool) -> List[Array]:
	"""Split sorted KEYS into two parts, each in the library's order: NaT is apart."""
	if not _is_late_at(keys, 0 if descending else -1):
		count = 0
	else:
		late = np.isnat(keys if descending else keys[::-1])
		count = len(keys) if late.all() else int(late.argmin())
	return np.split(keys, [count if descending else len(keys) - count])


def _has_disorder(keys: Array, descending: bool, options: _native.Struct) -> bool:
	"""Are KEYS not sorted?"""
	first, last = (-1, 0) if descending else (0, -1)
	for part in _parts(keys, descending):
		status = _native.LIBRARY.gsort_is_sorted(part.ctypes.data, len(part), type_of_items(part.dtype), options)
		if status not in (_native.OK, _native.DISORDER):
			_native.fail()
		if status == _native.DISORDER or _is_late_at(part, first) and not _is_late_at(part, last):
			return True
	return False


# --- the calls ----------------------------------------------------------------------------------

def _rows(a: Array) -> Iterator[Array]:
	"""The rows of A along its last axis, as views."""
	return (a[index] for index in np.ndindex(a.shape[:-1])) if a.ndim > 1 else iter([a])


def _addresses(a: Array) -> Iterable[int]:
	"""The addresses of the rows of A along its last axis, each contiguous."""
	address, bytes_of_row = a.ctypes.data, a.shape[-1] * a.itemsize
	if a.size == 0:
		return range(0)
	if a.flags.c_contiguous:
		return range(address, address + a.nbytes, bytes_of_row)
	return (address + sum(map(operator.mul, index, a.strides)) for index in np.ndindex(a.shape[:-1]))


def _sort_rows(rows: Array, indices: Optional[Array], descending: bool, threads: int) -> None:
	"""Sort each row of ROWS, all plain, along the last axis, or store the indices that sort it in INDICES.  Threads
	share many short rows, except where calls go through ctypes."""
	key_type, options, length = type_of_items(rows.dtype), _options(descending, threads), rows.shape[-1]
	has_times = rows.dtype.kind in "mM"
	calls: Iterable[Any]
	if rows.size == 0 and rows.ndim > 1:		# there may be a billion rows of nothing
		return
	numbers = rows.view("i8") if has_times else rows		# a buffer cannot have times
	if indices is None:
		status = _native.sort_quickly(numbers, bool(descending), threads)
		calls = ((_native.LIBRARY.gsort_sort, keys, length, key_type, options) for keys in _addresses(rows))
	else:
		index_type = _native.ABI["GSORT_U64" if indices.itemsize == 8 else "GSORT_U32"]
		status = _native.sort_quickly(numbers, bool(descending), threads, indices)
		calls = ((_native.LIBRARY.gsort_argsort, keys, length, key_type, into, index_type, options)
		         for keys, into in zip(_addresses(rows), _addresses(indices)))
	if status is None:
		status = next((failed for failed in (call(*arguments) for call, *arguments in calls) if failed), _native.OK)
	if status != _native.OK:
		_native.fail()
	for row, order in zip(_rows(rows), _rows(rows if indices is None else indices)) if has_times else []:
		shift = _shift(row, descending, None if indices is None else order)
		if shift:
			order[:] = np.roll(order, shift)


def _unique(a: Array) -> Array:
	"""The first of each group of equal items in the sorted array A; keys are equal if their bits are."""
	keep = np.ones(len(a), bool)
	if len(a) > 1:
		keep[1:] = False
		for key in keys_of(a):
			bits = np.ascontiguousarray(key).view(f"u{key.dtype.itemsize}")
			keep[1:] |= bits[1:] != bits[:-1]
	count = int(np.count_nonzero(keep))
	if count < len(a):
		a[:count] = a[keep]
	return a[:count]


def _argsort_keys(row: Array, order: Order, descending: bool, threads: int) -> Array:
	"""The indices that sort ROW, of one dimension: stable sorts, from the last key to the first."""
	indices = np.arange(len(row))
	for key in reversed(list(keys_of(row, order))):
		indices = indices[argsort(key[indices], descending=descending, threads=threads)]
	return indices


@_native.in_place
def sort(a: npt.ArrayLike, axis: Optional[int] = -1, kind: Optional[str] = None, order: Order = None, *,
         stable: Optional[bool] = None, descending: bool = False, unique: bool = False,
         out: Optional[Array] = None, threads: int = 0, **unknown: NoReturn) -> Array:
	"""A copy of A sorted along AXIS, as by numpy.sort(); with AXIS None, A is flattened first.

	With out=A, A itself is sorted; nothing is copied if A is contiguous along AXIS and in this machine's byte
	order.  KIND and STABLE are as for numpy, and make no difference.  NaN and NaT are last, or first
	if DESCENDING; each NaN keeps its bits.  -0 comes before 0, and a NaN with a sign bit after the other NaNs.  These
	are different values, even for UNIQUE and argsort(); a + 0.0 has no -0.  Structures are sorted by the fields that
	ORDER names, then by their other fields.  UNIQUE returns one of equal keys, for arrays of one dimension; the rest
	of OUT then has no meaning.  THREADS=0 means one per core, at most 16.
	"""
	refuse_unknown("sort", unknown, _SORTING + ("unique", "out"))
	_check_kind(kind, stable)
	source = _array(a)
	if axis is None:
		source, axis = source.ravel(), -1
	if unique and source.ndim != 1:
		raise ValueError("unique needs an array of one dimension; axis=None makes one")
	several = has_several(source.dtype, order)
	if not several:
		type_of_items(source.dtype)
	rows = _axis_last(source, axis)
	target = np.empty_like(source, subok=False) if out is None else _writable(out, "out")
	if target.shape != source.shape:
		raise ValueError(f"out has shape {target.shape}, and a {source.shape}")
	if several:
		indices = argsort(source, axis, kind, order, descending=descending, threads=threads)
		np.copyto(target, np.take_along_axis(source, indices, axis), casting="no")
	elif _has_plain_rows(_axis_last(target, axis)):
		if target is not source:
			np.copyto(target, source, casting="no")
		_sort_rows(_axis_last(target, axis), None, descending, threads)
	else:
		copy = np.array(rows, rows.dtype.newbyteorder("="), order="C")
		_sort_rows(copy, None, descending, threads)
		np.copyto(_axis_last(target, axis), copy.astype(source.dtype, copy=False), casting="no")
	return _unique(target) if unique else target


def argsort(a: npt.ArrayLike, axis: Optional[int] = -1, kind: Optional[str] = None, order: Order = None, *,
            stable: Optional[bool] = None, descending: bool = False, threads: int = 0,
            **unknown: NoReturn) -> Array:
	"""The indices, of dtype intp, that sort A along AXIS, as by numpy.argsort(); with AXIS None, A is flattened first.

	Equal keys keep their order (stable), whatever KIND and STABLE say, even if DESCENDING.  ORDER is as for sort().
	"""
	refuse_unknown("argsort", unknown, _SORTING)
	_check_kind(kind, stable)
	source = np.atleast_1d(_array(a))
	if axis is None:
		source, axis = source.ravel(), -1
	rows = _axis_last(source, axis)
	indices = np.empty(rows.shape, np.intp)
	if has_several(source.dtype, order):
		for row, into in zip(_rows(rows), _rows(indices)):
			into[:] = _argsort_keys(row, order, descending, threads)
	else:
		plain = rows if rows.size and _has_plain_rows(rows) else _readable(rows)
		_sort_rows(plain, indices, descending, threads)
	return indices if indices.ndim == 1 else np.ascontiguousarray(np.moveaxis(indices, -1, axis))


def sort_pairs(keys: Array, payload: Array, *, descending: bool = False, threads: int = 0) -> None:
	"""Sort KEYS in place, and move the elements of PAYLOAD, which have 4 or 8 bytes, with them.

	This sort is not stable.  Index other payloads with argsort().
	"""
	_in_place(keys, "keys")
	_in_place(payload, "payload")
	if len(keys) != len(payload):
		raise ValueError(f"{len(keys)} keys have {len(payload)} payloads")
	if payload.dtype.hasobject or payload.itemsize not in (4, 8):
		raise TypeError(f"a payload has 4 or 8 bytes, not {payload.dtype!r}; use argsort()")
	_call("gsort_sort_pairs", keys.ctypes.data, payload.ctypes.data, payload.itemsize, len(keys),
	      type_of_items(keys.dtype), _options(descending, threads))
	shift = _shift(keys, descending)
	if shift:
		keys[:], payload[:] = np.roll(keys, shift), np.roll(payload, shift)


def is_sorted(a: npt.ArrayLike, *, descending: bool = False, threads: int = 0) -> bool:
	"""Is A, which has one dimension, in the order of sort()?"""
	keys = _vector(a)
	type_of_items(keys.dtype)
	options = _options(descending, threads)
	return not _has_disorder(keys, descending, options)


def merge(arrays: Sequence[npt.ArrayLike], *, descending: bool = False, threads: int = 0) -> Array:
	"""Merge sorted ARRAYS, all of one dimension and one dtype.  InputError: one of them is not sorted."""
	sources = [_array(a) for a in arrays]
	if not sources:
		raise ValueError("there are no arrays to merge")
	dtype = sources[0].dtype
	if any(source.dtype.newbyteorder("=") != dtype.newbyteorder("=") for source in sources):
		raise TypeError("arrays that are merged have one dtype")
	key_type, options = type_of_items(dtype), _options(descending, threads)
	vectors = [_vector(source) for source in sources]
	split = [_parts(vector, descending) for vector in vectors]
	for number, vector in enumerate(vectors):
		if _is_late_at(vector, 0) or _is_late_at(vector, -1):
			if _has_disorder(vector, descending, options):
				raise _native.InputError(f"array {number} is not sorted: NaT is "
				                         + ("first" if descending else "last"))
	into = np.empty(sum(map(len, vectors)), vectors[0].dtype)
	rest = into
	for parts in zip(*split):
		pointers = (ctypes.c_void_p * len(parts))(*[part.ctypes.data for part in parts])
		counts = (ctypes.c_size_t * len(parts))(*map(len, parts))
		_call("gsort_merge_arrays", rest.ctypes.data, pointers, counts, len(parts), key_type, options)
		rest = rest[sum(counts):]
	return into.astype(dtype, copy=False)
