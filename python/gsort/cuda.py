# SPDX-License-Identifier: BSD-2-Clause
"""Arrays in GPU memory: torch tensors, CuPy arrays, and others with __cuda_array_interface__ or __dlpack__.

	import gsort.cuda, torch

	keys = torch.randn(10**8, device="cuda")
	order = gsort.cuda.argsort(keys)              # stable, on the current stream
	gsort.cuda.sort(keys)                         # in place

libgsort_cuda.so.0 is loaded at the first call: $GSORT_CUDA_LIBRARY, the one in the wheel gsort-cuda, or the installed
one.
"""
from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import os
import sys
from typing import Any, Callable, ContextManager, NamedTuple, NoReturn, Optional, Sequence

from . import _native

_DESCENDING, _STABLE, _PLACES, _CHECKED = 1, 2, 4, 8	# GSORT_CUDA_DESCENDING and so on
_KINDS = {"u": "U", "i": "I", "f": "F", "b": "U"}
_LEGACY_STREAM = 1			# what DLPack calls the default stream

Allocate = Callable[[int], Any]


class _Array(NamedTuple):
	address: int
	rows: int
	length: int			# of a row
	kind: str
	bytes: int
	owner: Any = None		# keeps the memory


class _Tensor(ctypes.Structure):
	"""DLTensor of dlpack.h, with which a managed tensor begins."""
	_fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
	            ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
	            ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
	            ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


# DLDeviceType: kDLCUDA, kDLCUDAManaged; DLDataTypeCode by its number, as a name and as a type of gsort.
_GPUS = (2, 13)
_CODES = {0: ("int", "I"), 1: ("uint", "U"), 2: ("float", "F"), 4: ("bfloat", "BF"), 5: ("complex", ""),
          6: ("bool", "U")}


class _Place(NamedTuple):
	"""Where an array is sorted: its device, made current; the stream; new memory of so many bytes."""
	device: ContextManager[Any]
	stream: int
	allocate: Optional[Allocate]


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
	try:
		library = _native.load("libgsort_cuda.so.0", "GSORT_CUDA_LIBRARY")
	except OSError as error:
		raise _native.DeviceError(f"the library for GPUs cannot be loaded: {error}; the wheel gsort-cuda has it, "
		                          "and configure --with-cuda builds it") from None
	pointer, size = ctypes.c_void_p, ctypes.c_size_t
	bytes_at = ctypes.POINTER(size)
	for name, arrays, counts in (("sort", [pointer] * 2, [size]), ("sort_rows", [pointer] * 2, [size] * 2),
	                             ("sort_pairs", [pointer, pointer, size], [size]),
	                             ("sort_pairs_rows", [pointer, pointer, size], [size] * 2)):
		getattr(library, "gsort_cuda_" + name).argtypes = [
			*arrays, *counts, ctypes.c_int, ctypes.c_uint, pointer, bytes_at, pointer]
	library.gsort_cuda_message.restype = ctypes.c_char_p
	return library


def _check(library: ctypes.CDLL, code: int) -> None:
	if code != _native.ABI["GSORT_ERROR_NONE"]:
		kind = _native.KINDS.get(code, RuntimeError)
		raise kind(os.fsdecode(library.gsort_cuda_message()))


def _refuse(what: str) -> NoReturn:
	raise TypeError(f"gsort sorts integers of 8 to 64 bits and floats of 16 to 64, not {what}")


def _rows_of(name: str, shape: Sequence[int], strides: Optional[Sequence[int]], step: int) -> tuple[int, int]:
	"""How many rows along the last dimension, and of how many elements; STEP: from one to the next."""
	if not shape:
		raise ValueError(f"{name} must be an array of one dimension or more")
	if strides is not None and 0 not in shape:
		for length, stride in zip(reversed(shape), reversed(strides)):
			if length != 1 and stride != step:
				raise ValueError(f"{name} must be a contiguous array")
			step *= length
	return math.prod(shape[:-1]), shape[-1]


def _from_dlpack(a: Any, name: str, stream: int) -> _Array:
	"""A, whose memory is borrowed while the capsule lives: as it keeps its name, it frees itself."""
	get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
	get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
	capsule = a.__dlpack__(stream=stream or _LEGACY_STREAM)
	tensor = _Tensor.from_address(get_pointer(capsule, b"dltensor"))
	word, kind = _CODES.get(tensor.code, (f"type {tensor.code} of ", "?"))
	kind += str(tensor.bits)
	if "GSORT_" + kind not in _native.ABI or tensor.bits > 64 or tensor.lanes != 1:
		_refuse(f"{word}{tensor.bits}" + (f" in {tensor.lanes} lanes" if tensor.lanes != 1 else ""))
	shape, strides = tensor.shape[:tensor.ndim], tensor.strides[:tensor.ndim] if tensor.strides else None
	return _Array((tensor.data or 0) + tensor.byte_offset, *_rows_of(name, shape, strides, 1), kind,
	              tensor.bits // 8, capsule)


def _array_of(a: Any, name: str, stream: int = 0) -> _Array:
	"""A, with which work queued on STREAM may begin."""
	try:
		interface = a.__cuda_array_interface__
	except (AttributeError, KeyError):	# torch: KeyError for types that the interface does not know
		interface = None
	if interface is None or interface["typestr"][1] not in _KINDS:
		if hasattr(a, "__dlpack_device__") and a.__dlpack_device__()[0] in _GPUS:
			return _from_dlpack(a, name, stream)
	if interface is None:
		raise TypeError(f"{name} must be an array in the memory of a GPU, not {type(a).__name__}")
	address, read_only = interface["data"]
	shape, typestr = interface["shape"], interface["typestr"]
	width = int(typestr[2:])
	if typestr[0] == ">" or typestr[1] not in _KINDS or width > 8:
		_refuse(typestr)
	rows, length = _rows_of(name, shape, interface.get("strides"), width)
	if read_only:
		raise ValueError(f"{name} is read-only")
	return _Array(address, rows, length, _KINDS[typestr[1]] + str(width * 8), width)


def _place_of(a: Any) -> _Place:
	module = type(a).__module__.partition(".")[0]
	if module == "torch" and a.is_cuda:
		torch = sys.modules["torch"]
		return _Place(torch.cuda.device(a.device), torch.cuda.current_stream(a.device).cuda_stream,
		              lambda size: torch.empty(size, dtype=torch.uint8, device=a.device))
	if module == "cupy":
		cupy = sys.modules["cupy"]
		with a.device:
			stream = cupy.cuda.get_current_stream().ptr
		return _Place(a.device, stream, lambda size: cupy.empty(size, cupy.uint8))
	interface = getattr(a, "__cuda_array_interface__", {})
	return _Place(contextlib.nullcontext(), interface.get("stream") or 0, None)


def _is_last(a: Any, dim: int) -> bool:
	return dim == -1 or dim == len(getattr(a, "shape", ())) - 1


def _moved(a: Any, dim: int) -> Any:
	"""A, of torch or CuPy, with its dimension DIM last; contiguous, and new unless A is that."""
	if _is_last(a, dim):
		return a
	if not hasattr(a, "swapaxes"):
		raise TypeError(f"gsort sorts {type(a).__name__} along its last dimension only")
	moved = a.swapaxes(dim, -1)
	return moved.contiguous() if hasattr(moved, "contiguous") else moved.copy()


def _run(keys: Any, values: Any, flags: int, checked: Optional[bool], allocate: Optional[Allocate],
         stream: Optional[int]) -> None:
	library, place = _library(), _place_of(keys)
	queue = place.stream if stream is None else stream
	array = _array_of(keys, "keys", queue)
	room = allocate or place.allocate
	if room is None:
		raise TypeError(f"gsort cannot allocate beside {type(keys).__name__}: allocate=FUNCTION takes a "
		                "number of bytes and returns an array")
	kind = _native.ABI["GSORT_" + array.kind]
	if checked or (checked is None and array.rows == 1):
		flags |= _CHECKED
	size = ctypes.c_size_t()
	with place.device:
		if values is None:
			other = room(max(array.rows * array.length * array.bytes, 1))
			arrays: tuple[int, ...] = (array.address, _array_of(other, "the memory allocated").address)
			name = "gsort_cuda_sort"
		else:
			payload = _array_of(values, "values", queue)
			if (payload.rows, payload.length) != (array.rows, array.length):
				if payload.rows * payload.length == array.rows * array.length:
					raise ValueError(f"rows of {array.length} keys have rows of {payload.length} values")
				raise ValueError(f"{array.rows * array.length} keys have {payload.rows * payload.length} values")
			arrays = array.address, payload.address, payload.bytes
			name = "gsort_cuda_sort_pairs"
		counts = (array.length,) if array.rows == 1 else (array.rows, array.length)
		function = getattr(library, name if array.rows == 1 else name + "_rows")
		_check(library, function(*arrays, *counts, kind, flags, None, ctypes.byref(size), queue))
		scratch = room(size.value)
		address = _array_of(scratch, "the memory allocated").address
		_check(library, function(*arrays, *counts, kind, flags, address, ctypes.byref(size), queue))


def sort(a: Any, dim: int = -1, *, descending: bool = False, stable: bool = True, checked: Optional[bool] = None,
         allocate: Optional[Allocate] = None, stream: Optional[int] = None) -> Any:
	"""Sort A in place, along dimension DIM, and return it.

	Floats are in the order -inf .. -0, 0 .. inf, nan, -nan.  Equal keys have the same bits, so STABLE makes no
	difference.  Bfloat16 needs __dlpack__, which torch tensors have.  For torch and CuPy, the call allocates
	as much memory as A has, from their pools, and queues the sort on their current stream; if DIM is not the
	last dimension, it sorts a copy and copies that back.  For other arrays, ALLOCATE is a function that
	returns memory of a given number of bytes.  This memory must last until STREAM, a cudaStream_t, has
	finished the sort.  A must be on the current device.

	The call waits until the GPU has checked that the result is in order and has the keys of A.  If not, it
	raises DeviceError.  CHECKED=False returns earlier, and takes 12 to 40 % less time.  Rows are not checked.
	"""
	moved = _moved(a, dim)
	_run(moved, None, _DESCENDING if descending else 0, checked, allocate, stream)
	if moved is not a:
		a[...] = moved.swapaxes(dim, -1)
	return a


def argsort(a: Any, dim: int = -1, *, descending: bool = False, stable: bool = True, checked: Optional[bool] = None,
            allocate: Optional[Allocate] = None, stream: Optional[int] = None) -> Any:
	"""Return the indices, of int64, that sort A along dimension DIM; A is not changed.

	Equal keys keep their order, whatever STABLE says.  A is a torch tensor or a CuPy array, and so is
	the result.  The rest is as for sort().
	"""
	if not hasattr(a, "swapaxes"):
		raise TypeError(f"gsort.cuda.argsort() returns what torch and CuPy have, not {type(a).__name__}")
	keys = _moved(a, dim)
	if keys is a:
		keys = a.clone() if hasattr(a, "clone") else a.copy()
	module = sys.modules[type(a).__module__.partition(".")[0]]
	places = module.empty_like(keys, dtype=module.int64)
	_run(keys, places, _PLACES | (_DESCENDING if descending else 0), checked, allocate, stream)
	return places if _is_last(a, dim) else places.swapaxes(dim, -1)


def sort_pairs(keys: Any, values: Any, *, descending: bool = False, stable: bool = False, checked: Optional[bool] = None,
               allocate: Optional[Allocate] = None, stream: Optional[int] = None) -> None:
	"""Sort KEYS in place, along their last dimension, and move VALUES, elements of 4 or 8 bytes, with them.

	Values of equal keys keep their order with STABLE, in rows, and for keys of 8 and 16 bits.
	"""
	_run(keys, values, (_DESCENDING if descending else 0) | (_STABLE if stable else 0), checked,
	     allocate, stream)
