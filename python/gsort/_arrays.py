# SPDX-License-Identifier: BSD-2-Clause
"""Arrays in memory: numpy arrays, memory maps, and what numpy makes arrays of."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, List, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _native

if TYPE_CHECKING:
	Array = npt.NDArray[Any]
else:
	Array = np.ndarray		# numpy 1.20 has no NDArray

_TYPES = {
	np.dtype(np.bool_): "U8",
	np.dtype(np.uint8): "U8", np.dtype(np.int8): "I8",
	np.dtype(np.uint16): "U16", np.dtype(np.int16): "I16",
	np.dtype(np.uint32): "U32", np.dtype(np.int32): "I32",
	np.dtype(np.uint64): "U64", np.dtype(np.int64): "I64",
	np.dtype(np.float16): "F16", np.dtype(np.float32): "F32", np.dtype(np.float64): "F64",
}

_WAYS_OUT = {		# by the kind of a dtype
	"M": "; as 'i8' they are ticks, in which NaT is the least",
	"m": "; as 'i8' they are ticks, in which NaT is the least",
	"O": "; a.astype(...) makes numbers of objects",
	"V": "; a[gsort.argsort(a['field'])] sorts by a field",
}

_KINDS = ("quicksort", "mergesort", "heapsort", "stable")


def type_of(dtype: np.dtype[Any]) -> int:
	"""The gsort_type of numbers of DTYPE, whatever their byte order."""
	name = _TYPES.get(dtype if dtype.isnative else dtype.newbyteorder("="))
	if name is None:
		raise TypeError("gsort sorts integers of 8 to 64 bits and floats of 16 to 64, "
		                f"not {dtype!r}{_WAYS_OUT.get(dtype.kind, '')}")
	return _native.ABI["GSORT_" + name]


def _type_of_items(dtype: np.dtype[Any]) -> int:
	"""The same; times are integers."""
	return _native.ABI["GSORT_I64"] if dtype.kind in "mM" else type_of(dtype)


def _options(descending: bool, threads: int) -> _native.Struct:
	options = _native.options("gsort_array_options")
	options.put("reverse", "?", descending)
	options.put("threads", "I", threads)
	return options


def _call(name: str, *arguments: Any) -> None:
	if getattr(_native.LIBRARY, name)(*arguments) != _native.OK:
		_native.fail()


# --- what numpy makes of arguments -------------------------------------------------------------

def _array(a: npt.ArrayLike, name: str = "a") -> Array:
	if isinstance(a, np.ma.MaskedArray):
		raise TypeError(f"gsort does not know masks: sort {name}.compressed()")
	return np.asarray(a)


def _check_kind(kind: Optional[str], stable: Optional[bool]) -> None:
	"""All kinds are one here: equal keys are equal bits, and argsort() is stable."""
	if kind is not None and kind not in _KINDS:
		raise ValueError(f"kind must be one of {', '.join(_KINDS)}, not {kind!r}")
	if kind is not None and stable is not None:
		raise ValueError("kind and stable cannot be given together")


def _axis_last(a: Array, axis: int) -> Array:
	"""A view of A; numpy's AxisError if there is no such axis."""
	return a if a.ndim == 1 and axis in (-1, 0) else np.moveaxis(a, axis, -1)


def _readable(a: Array) -> Array:
	"""A, or a copy, as the library reads it: contiguous, aligned, in this machine's byte order."""
	return np.require(a, a.dtype if a.dtype.isnative else a.dtype.newbyteorder("="), ["C", "A"])


def _is_plain(a: Array) -> bool:
	return a.flags.c_contiguous and a.flags.aligned and a.dtype.isnative


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


# --- NaN and NaT are last -----------------------------------------------------------------------

def _is_late(keys: Array) -> Any:
	"""Are KEYS first for the library, and last for numpy?  NaN with a sign bit, and NaT, are."""
	return np.isnan(keys) & (keys.view(f"i{keys.itemsize}") < 0)


def _is_late_at(keys: Array, at: int) -> bool:
	if keys.dtype.kind not in "fmM" or len(keys) == 0 or keys[at] == keys[at]:
		return False
	return bool(_is_late(keys[at:][:1])[0])


def _shift(keys: Array, descending: bool, order: Optional[Array] = None) -> int:
	"""How far KEYS have to be rolled, in the ORDER in which the library has sorted them."""
	first = -1 if descending else 0
	if len(keys) == 0 or not _is_late_at(keys, first if order is None else int(order[first])):
		return 0
	late = _is_late(keys if order is None else keys[order])
	return int(late[::-1].argmin()) if descending else -int(late.argmin())


def _parts(keys: Array, descending: bool) -> List[Array]:
	"""Sorted KEYS in two parts, each in the order of the library: those that are late are apart."""
	if not _is_late_at(keys, 0 if descending else -1):
		count = 0
	else:
		late = _is_late(keys if descending else keys[::-1])
		count = len(keys) if late.all() else int(late.argmin())
	return np.split(keys, [count if descending else len(keys) - count])


def _has_disorder(keys: Array, descending: bool, options: _native.Struct) -> bool:
	"""Are KEYS not sorted?"""
	first, last = (-1, 0) if descending else (0, -1)
	for part in _parts(keys, descending):
		status = _native.LIBRARY.gsort_is_sorted(part.ctypes.data, len(part), _type_of_items(part.dtype), options)
		if status not in (_native.OK, _native.DISORDER):
			_native.fail()
		if status == _native.DISORDER or _is_late_at(part, first) and not _is_late_at(part, last):
			return True
	return False


# --- the calls ----------------------------------------------------------------------------------

def _rows(a: Array) -> List[Array]:
	"""The rows of a contiguous array along its last axis."""
	return [a] if a.ndim == 1 else list(a.reshape(-1, a.shape[-1])) if a.size else []


def _addresses(a: Array, length: int) -> "range":
	"""Of the rows, each of LENGTH elements, of a contiguous array."""
	bytes_of_row = length * a.itemsize
	return range(a.ctypes.data, a.ctypes.data + a.nbytes, bytes_of_row) if bytes_of_row else range(0)


def _sort_rows(rows: Array, descending: bool, threads: int) -> None:
	"""Sort each row of ROWS, a plain array, along its last axis."""
	kind, options, length = _type_of_items(rows.dtype), _options(descending, threads), rows.shape[-1]
	sort_row = _native.LIBRARY.gsort_sort
	for address in _addresses(rows, length):
		if sort_row(address, length, kind, options) != _native.OK:
			_native.fail()
	for row in _rows(rows) if rows.dtype.kind in "fmM" else []:
		shift = _shift(row, descending)
		if shift:
			row[:] = np.roll(row, shift)


def _unique(keys: Array) -> Array:
	"""One of equal keys; keys are equal if their bits are."""
	if len(keys) < 2:
		return keys
	bits = keys.view(f"u{keys.dtype.itemsize}")
	keep = np.empty(len(keys), bool)
	keep[0] = True
	np.not_equal(bits[1:], bits[:-1], out=keep[1:])
	count = int(np.count_nonzero(keep))
	if count < len(keys):
		keys[:count] = keys[keep]
	return keys[:count]


def sort(a: npt.ArrayLike, axis: Optional[int] = -1, kind: Optional[str] = None, *,
         stable: Optional[bool] = None, descending: bool = False, unique: bool = False,
         out: Optional[Array] = None, threads: int = 0) -> Array:
	"""A sorted copy of A along AXIS, as numpy.sort(); AXIS None: of A flattened.

	With out=A, A itself is sorted; nothing is copied if it is contiguous along AXIS, and in this machine's byte
	order.  KIND and STABLE are as for numpy, and make no difference.  NaN and NaT are last, or first
	if DESCENDING; -0 is before 0, and each NaN keeps its bits.  With UNIQUE, one of equal keys of an
	array of one dimension is returned; the rest of OUT has no meaning then.  THREADS: 0 is one a core,
	at most 16.
	"""
	_check_kind(kind, stable)
	source = _array(a)
	if axis is None:
		source, axis = source.ravel(), -1
	_type_of_items(source.dtype)
	rows = _axis_last(source, axis)
	if unique and source.ndim != 1:
		raise ValueError("unique needs an array of one dimension; axis=None makes one")
	target = np.empty_like(source, subok=False) if out is None else _writable(out, "out")
	if target.shape != source.shape:
		raise ValueError(f"out has shape {target.shape}, and a {source.shape}")
	if rows is source and _is_plain(target):
		if target is not source:
			np.copyto(target, source, casting="no")
		_sort_rows(target, descending, threads)
	else:
		copy = np.array(rows, rows.dtype.newbyteorder("="), order="C")
		_sort_rows(copy, descending, threads)
		np.copyto(_axis_last(target, axis), copy.astype(source.dtype, copy=False), casting="no")
	return _unique(target) if unique else target


def argsort(a: npt.ArrayLike, axis: Optional[int] = -1, kind: Optional[str] = None, *,
            stable: Optional[bool] = None, descending: bool = False, threads: int = 0) -> Array:
	"""The indices, of dtype intp, that sort A along AXIS, as numpy.argsort(); AXIS None: of A flattened.

	Stable, whatever KIND and STABLE say, also if DESCENDING: equal keys keep their order.
	"""
	_check_kind(kind, stable)
	source = _array(a)
	if axis is None:
		source, axis = source.ravel(), -1
	key_type, options = _type_of_items(source.dtype), _options(descending, threads)
	rows = _readable(_axis_last(source, axis))
	indices = np.empty(rows.shape, np.intp)
	index_type = _native.ABI["GSORT_U64" if indices.itemsize == 8 else "GSORT_U32"]
	length, argsort_row = rows.shape[-1], _native.LIBRARY.gsort_argsort
	for keys, into in zip(_addresses(rows, length), _addresses(indices, length)):
		if argsort_row(keys, length, key_type, into, index_type, options) != _native.OK:
			_native.fail()
	for row, order in zip(_rows(rows), _rows(indices)) if rows.dtype.kind in "fmM" else []:
		shift = _shift(row, descending, order)
		if shift:
			order[:] = np.roll(order, shift)
	return indices if indices.ndim == 1 else np.ascontiguousarray(np.moveaxis(indices, -1, axis))


def sort_pairs(keys: Array, payload: Array, *, descending: bool = False, threads: int = 0) -> None:
	"""Sort KEYS in place, and move PAYLOAD, an array of elements of 4 or 8 bytes, with them.

	Not stable.  For other payloads, index them with argsort().
	"""
	_in_place(keys, "keys")
	_in_place(payload, "payload")
	if len(keys) != len(payload):
		raise ValueError(f"{len(keys)} keys have {len(payload)} payloads")
	if payload.dtype.hasobject or payload.itemsize not in (4, 8):
		raise TypeError(f"a payload has 4 or 8 bytes, not {payload.dtype!r}; use argsort()")
	_call("gsort_sort_pairs", keys.ctypes.data, payload.ctypes.data, payload.itemsize, len(keys),
	      _type_of_items(keys.dtype), _options(descending, threads))
	shift = _shift(keys, descending)
	if shift:
		keys[:], payload[:] = np.roll(keys, shift), np.roll(payload, shift)


def is_sorted(a: npt.ArrayLike, *, descending: bool = False, threads: int = 0) -> bool:
	"""Is A, of one dimension, sorted, as sort() would leave it?"""
	keys = _vector(a)
	_type_of_items(keys.dtype)
	options = _options(descending, threads)
	return not _has_disorder(keys, descending, options)


def merge(arrays: Sequence[npt.ArrayLike], *, descending: bool = False, threads: int = 0) -> Array:
	"""All keys of sorted ARRAYS, of one dtype, sorted.  InputError: one of them is not sorted."""
	sources = [_array(a) for a in arrays]
	if not sources:
		raise ValueError("there are no arrays to merge")
	dtype = sources[0].dtype
	if any(source.dtype != dtype for source in sources):
		raise TypeError("arrays that are merged have one dtype")
	key_type, options = _type_of_items(dtype), _options(descending, threads)
	vectors = [_vector(source) for source in sources]
	split = [_parts(vector, descending) for vector in vectors]
	for number, vector in enumerate(vectors):
		if _is_late_at(vector, 0) or _is_late_at(vector, -1):
			if _has_disorder(vector, descending, options):
				raise _native.InputError(f"array {number} is not sorted: NaN and NaT are "
				                         + ("first" if descending else "last"))
	into = np.empty(sum(map(len, vectors)), vectors[0].dtype)
	rest = into
	for parts in zip(*split):
		pointers = (ctypes.c_void_p * len(parts))(*[part.ctypes.data for part in parts])
		counts = (ctypes.c_size_t * len(parts))(*map(len, parts))
		_call("gsort_merge_arrays", rest.ctypes.data, pointers, counts, len(parts), key_type, options)
		rest = rest[sum(counts):]
	return into.astype(dtype, copy=False)
