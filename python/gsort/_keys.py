# SPDX-License-Identifier: BSD-2-Clause
"""The keys of an array: numbers and times are their own keys, structures and strings have several."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _native

if TYPE_CHECKING:
	Array = npt.NDArray[Any]
else:
	Array = np.ndarray		# numpy 1.20 has no NDArray

Order = Union[str, Sequence[str], None]

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
	"O": "; a.astype(...) makes numbers or strings of objects",
	"U": "; np.char.encode(a) makes bytes, whose order in UTF-8 is the same",
	"V": "; a[gsort.argsort(a['field'])] sorts by a field",
}

_WORD_BYTES = 8


def type_of(dtype: np.dtype[Any]) -> int:
	"""The gsort_type for numbers of DTYPE, in any byte order."""
	name = _TYPES.get(dtype if dtype.isnative else dtype.newbyteorder("="))
	if name is None:
		raise TypeError("gsort sorts integers of 8 to 64 bits, floats of 16 to 64 and booleans, sort() and argsort() "
		                f"also strings, times and structures of these, not {dtype!r}{_WAYS_OUT.get(dtype.kind, '')}")
	return _native.ABI["GSORT_" + name]


def type_of_items(dtype: np.dtype[Any]) -> int:
	"""The same, with times as integers."""
	return _native.ABI["GSORT_I64"] if dtype.kind in "mM" else type_of(dtype)


def has_several(dtype: np.dtype[Any], order: Order = None) -> bool:
	"""May an item of DTYPE have several keys?"""
	return order is not None or dtype.names is not None or dtype.kind in "SU"


def _names(dtype: np.dtype[Any], order: Order) -> Sequence[str]:
	"""The fields by which numpy sorts structures: those of ORDER, then the others."""
	fields = dtype.names or ()
	first = [order] if isinstance(order, str) else list(order or ())
	for name in first:
		if name not in fields:
			raise ValueError(f"order has {name!r}, which is not a field; fields are: {', '.join(fields) or 'none'}")
		if first.count(name) > 1:
			raise ValueError(f"order has {name!r} twice")
	return [*first, *(name for name in fields if name not in first)]


def _words_of(strings: Array) -> Iterator[Array]:
	"""Integers of 8 bytes that together compare like STRINGS, by bytes or by code points."""
	bytes_of_one = 1 if strings.dtype.kind == "S" else 4
	count = -(-strings.itemsize // _WORD_BYTES)
	padded = strings.astype(f"={strings.dtype.kind}{count * _WORD_BYTES // bytes_of_one}", order="C")
	words = padded if bytes_of_one == 1 else padded.view("u4").astype(">u4")
	yield from words.view(">u8").reshape(len(strings), count).T.astype("u8")


def keys_of(a: Array, order: Order = None) -> Iterator[Array]:
	"""The keys of A, which has one dimension: numbers or times, the most significant first."""
	names = _names(a.dtype, order)
	if a.dtype.names is not None:
		for name in names:
			yield from keys_of(a[name])
	elif a.ndim > 1:
		raise TypeError("gsort does not compare the arrays in a field; a[gsort.argsort(a['field'])] sorts by another")
	elif a.dtype.kind in "SU":
		yield from _words_of(a)
	else:
		type_of_items(a.dtype)
		yield a
