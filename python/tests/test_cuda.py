# SPDX-License-Identifier: BSD-2-Clause
"""gsort.cuda: with the emulated GPU, whose memory is that of the host; with torch and CuPy on a real one."""
import ctypes
import os

import gsort
import gsort.cuda
import numpy as np
import pytest

EMULATED = "emu" in os.environ.get("GSORT_CUDA_LIBRARY", "")


class There:
	"""A copy of a numpy array in the memory of the emulated GPU; ARRAY is a view of it."""

	def __init__(self, array, read_only=False):
		memory = ctypes.c_void_p()
		assert gsort.cuda._library().cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(array.nbytes)) == 0
		self.array = np.frombuffer((ctypes.c_char * array.nbytes).from_address(memory.value), array.dtype)
		self.array = self.array.reshape(array.shape)
		self.array[...] = array
		self.__cuda_array_interface__ = {
			"data": (memory.value, read_only), "shape": array.shape, "typestr": array.dtype.str,
			"strides": None if array.flags.c_contiguous else array.strides, "version": 3, "stream": None,
		}


def allocate(size):
	return There(np.zeros(size, np.uint8))


def some(dtype, count):
	return np.frombuffer(np.random.default_rng(7).bytes(count * np.dtype(dtype).itemsize), dtype).copy()


def in_order(keys):
	"""KEYS by IEEE 754 totalOrder."""
	return gsort.sort(keys) if keys.dtype != np.float16 else keys[np.argsort(order16(keys), kind="stable")]


def order16(keys):
	bits = keys.view(np.int16).astype(np.int32)
	return np.where(bits < 0, bits ^ 0x7FFF, bits)


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"])
def test_sort(dtype):
	there = There(some(dtype, 30000))
	expect = in_order(there.array.copy())
	assert gsort.cuda.sort(there, allocate=allocate) is there
	assert there.array.tobytes() == expect.tobytes()
	gsort.cuda.sort(there, allocate=allocate, descending=True)
	assert there.array.tobytes() == expect[::-1].tobytes()


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
@pytest.mark.parametrize("dtype", ["u4", "f4", "i8"])
@pytest.mark.parametrize("values", ["u4", "i8"])
def test_sort_pairs(dtype, values):
	before = some(dtype, 20000)
	keys, payload = There(before), There(np.arange(20000).astype(values))
	gsort.cuda.sort_pairs(keys, payload, allocate=allocate)
	assert keys.array.tobytes() == in_order(before).tobytes()
	assert before[payload.array].tobytes() == keys.array.tobytes()
	assert np.array_equal(np.sort(payload.array), np.arange(20000))


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
def test_what_is_refused():
	keys = np.arange(10, dtype="u4")
	with pytest.raises(TypeError, match="must be an array in the memory of a GPU, not ndarray"):
		gsort.cuda.sort(keys)
	with pytest.raises(TypeError, match="not <c8"):
		gsort.cuda.sort(There(keys.astype("c8")), allocate=allocate)
	with pytest.raises(ValueError, match="contiguous"):
		gsort.cuda.sort(There(keys[::2]), allocate=allocate)
	with pytest.raises(ValueError, match="one dimension"):
		gsort.cuda.sort(There(keys.reshape(2, 5)), allocate=allocate)
	with pytest.raises(ValueError, match="read-only"):
		gsort.cuda.sort(There(keys, read_only=True), allocate=allocate)
	with pytest.raises(TypeError, match="gsort cannot allocate beside There"):
		gsort.cuda.sort(There(keys))
	with pytest.raises(ValueError, match="10 keys have 9 values"):
		gsort.cuda.sort_pairs(There(keys), There(keys[:9].copy()), allocate=allocate)
	with pytest.raises(ValueError, match="value_bytes is 2, and must be 4 or 8"):
		gsort.cuda.sort_pairs(There(keys), There(keys.astype("u2")), allocate=allocate)


def real(name):
	"""The module of that NAME, if it has a GPU, and so does gsort."""
	if EMULATED:
		pytest.skip("for a real GPU")
	module = pytest.importorskip(name)
	try:
		gsort.cuda._library()
		there = module.cuda.is_available()
	except (gsort.DeviceError, AttributeError) as error:
		pytest.skip(str(error))
	if not there:
		pytest.skip("no GPU")
	return module


@pytest.mark.parametrize("count", [0, 1, 1000, 200000, 3000001])
def test_tensors_of_torch(count):
	torch = real("torch")
	for dtype in (torch.int8, torch.int16, torch.float16, torch.int32, torch.float32, torch.int64, torch.float64):
		keys = (torch.randn(count, device="cuda") * 1000).to(dtype)
		expect = torch.sort(keys).values
		assert torch.equal(gsort.cuda.sort(keys), expect)
		assert torch.equal(gsort.cuda.sort(keys, descending=True), expect.flip(0))
	with torch.cuda.stream(torch.cuda.Stream()):
		keys = torch.randn(count, device="cuda")
		before, order = keys.clone(), torch.arange(count, device="cuda")
		gsort.cuda.sort_pairs(keys, order)
		assert torch.equal(before[order], keys)
		assert torch.equal(keys, torch.sort(before).values)


def test_arrays_of_cupy():
	cupy = real("cupy")
	for dtype in ("u1", "i2", "f2", "u4", "f4", "u8", "f8"):
		keys = (cupy.random.random(300001) * 100).astype(dtype)
		expect = cupy.sort(keys)
		assert bool((gsort.cuda.sort(keys) == expect).all())
		assert bool((gsort.cuda.sort(keys, descending=True) == expect[::-1]).all())
