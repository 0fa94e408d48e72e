# SPDX-License-Identifier: BSD-2-Clause
"""Arrays in memory: numpy arrays, memory maps, and what numpy makes arrays of."""
from __future__ import annotations

import ctypes
from typing import Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _native

_TYPES = {
	np.dtype(np.bool_): "U8",
	np.dtype(np.uint8): "U8", np.dtype(np.int8): "I8",
	np.dtype(np.uint16): "U16", np.dtype(np.int16): "I16",
	np.dtype(np.uint32): "U32", np.dtype(np.int32): "I32",
	np.dtype(np.uint64): "U64", np.dtype(np.int64): "I64",
	np.dtype(np.float16): "F16", np.dtype(np.float32): "F32", np.dtype(np.float64): "F64",
}


_WAYS_OUT = {		# by the kind of a dtype
	"M": "; a.view('i8') has its ticks, in which NaT is the least",
	"m": "; a.view('i8') has its ticks, in which NaT is the least",
	"O": "; a.astype(...) makes numbers of objects",
	"V": "; a[gsort.argsort(a['field'])] sorts by a field",
}


def type_of(dtype: npt.DTypeLike) -> int:
	"""The gsort_type of a dtype in the byte order of this machine."""
	dtype = np.dtype(dtype)
	if dtype not in _TYPES:
		way_out = _WAYS_OUT.get(dtype.kind, "")
		if not dtype.isnative and dtype.newbyteorder("=") in _TYPES:
			way_out = f"; a.astype('{dtype.newbyteorder('=').name}') is"
		raise TypeError("gsort sorts integers of 8 to 64 bits and floats of 16 to 64, in this machine's "
		                f"byte order, not {dtype!r}{way_out}")
	return _native.ABI["GSORT_" + _TYPES[dtype]]


def _options(descending: bool, threads: int) -> _native.Struct:
	options = _native.options("gsort_array_options")
	options.put("reverse", "?", descending)
	options.put("threads", "I", threads)
	return options


def _refuse_mask(array: npt.ArrayLike) -> None:
	if isinstance(array, np.ma.MaskedArray):
		raise TypeError("gsort does not know masks: sort a.compressed()")


def _vector(array: npt.ArrayLike) -> np.ndarray:
	"""ARRAY as one that the library can read: of one dimension, contiguous, aligned."""
	_refuse_mask(array)
	vector = np.require(array, requirements=["C", "A"])
	if vector.ndim != 1:
		raise ValueError(f"gsort sorts arrays of one dimension, not of {vector.ndim}"
		                 + ("; a.ravel() has one" if vector.ndim > 1 else ""))
	type_of(vector.dtype)
	return vector


def _in_place(array: np.ndarray, name: str) -> np.ndarray:
	if not isinstance(array, np.ndarray):
		raise TypeError(f"{name} must be a numpy array, not {type(array).__name__}")
	_refuse_mask(array)
	if array.ndim != 1 or not array.flags.c_contiguous or not array.flags.aligned:
		raise ValueError(f"{name} must be a contiguous array of one dimension")
	if not array.flags.writeable:
		raise ValueError(f"{name} is read-only")
	return array


def _unique(keys: np.ndarray) -> np.ndarray:
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


def sort(a: npt.ArrayLike, *, descending: bool = False, unique: bool = False,
         out: Optional[np.ndarray] = None, threads: int = 0) -> np.ndarray:
	"""A sorted copy of A; with out=A, A itself is sorted and nothing is copied.

	Floats are in IEEE 754 totalOrder: -nan, -inf .. -0, 0 .. inf, nan.  With UNIQUE, one of equal keys
	is returned; the rest of OUT has no meaning then.  THREADS: 0 is one a core, at most 16.
	"""
	if out is None:
		keys = np.array(_vector(a))
	else:
		keys = _in_place(out, "out")
		if a is not out:
			vector = _vector(a)
			if len(vector) != len(keys):
				raise ValueError(f"out has {len(keys)} keys, and a {len(vector)}")
			np.copyto(keys, vector, casting="no")
	kind = type_of(keys.dtype)
	options = _options(descending, threads)
	if _native.LIBRARY.gsort_sort(keys.ctypes.data, len(keys), kind, options) != _native.OK:
		_native.fail()
	return _unique(keys) if unique else keys


def argsort(a: npt.ArrayLike, *, descending: bool = False, threads: int = 0) -> np.ndarray:
	"""The indices, of dtype intp, that sort A.  Stable: equal keys keep their order."""
	keys = _vector(a)
	indices = np.empty(len(keys), np.intp)
	index_type = _native.ABI["GSORT_U64" if indices.itemsize == 8 else "GSORT_U32"]
	options = _options(descending, threads)
	if _native.LIBRARY.gsort_argsort(keys.ctypes.data, len(keys), type_of(keys.dtype),
	                                 indices.ctypes.data, index_type, options) != _native.OK:
		_native.fail()
	return indices


def sort_pairs(keys: np.ndarray, payload: np.ndarray, *, descending: bool = False,
               threads: int = 0) -> None:
	"""Sort KEYS in place, and move PAYLOAD, an array of elements of 4 or 8 bytes, with them.

	Not stable.  For other payloads, index them with argsort().
	"""
	_in_place(keys, "keys")
	_in_place(payload, "payload")
	if len(keys) != len(payload):
		raise ValueError(f"{len(keys)} keys have {len(payload)} payloads")
	if payload.dtype.hasobject or payload.itemsize not in (4, 8):
		raise TypeError(f"a payload has 4 or 8 bytes, not {payload.dtype!r}; use argsort()")
	options = _options(descending, threads)
	if _native.LIBRARY.gsort_sort_pairs(keys.ctypes.data, payload.ctypes.data, payload.itemsize,
	                                    len(keys), type_of(keys.dtype), options) != _native.OK:
		_native.fail()


def is_sorted(a: npt.ArrayLike, *, descending: bool = False, threads: int = 0) -> bool:
	"""Is A sorted, as sort() would leave it?"""
	keys = _vector(a)
	options = _options(descending, threads)
	status = _native.LIBRARY.gsort_is_sorted(keys.ctypes.data, len(keys), type_of(keys.dtype),
	                                         options)
	if status not in (_native.OK, _native.DISORDER):
		_native.fail()
	return bool(status == _native.OK)


def merge(arrays: Sequence[npt.ArrayLike], *, descending: bool = False,
          threads: int = 0) -> np.ndarray:
	"""All keys of sorted ARRAYS, of one dtype, sorted.  InputError: one of them is not sorted."""
	vectors = [_vector(a) for a in arrays]
	if not vectors:
		raise ValueError("there are no arrays to merge")
	dtype = vectors[0].dtype
	if any(v.dtype != dtype for v in vectors):
		raise TypeError("arrays that are merged have one dtype")
	into = np.empty(sum(len(v) for v in vectors), dtype)
	pointers = (ctypes.c_void_p * len(vectors))(*[v.ctypes.data for v in vectors])
	counts = (ctypes.c_size_t * len(vectors))(*[len(v) for v in vectors])
	options = _options(descending, threads)
	if _native.LIBRARY.gsort_merge_arrays(into.ctypes.data, pointers, counts, len(vectors),
	                                      type_of(dtype), options) != _native.OK:
		_native.fail()
	return into
