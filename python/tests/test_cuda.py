# SPDX-License-Identifier: BSD-2-Clause
"""gsort.cuda: with the emulated GPU, whose memory is that of the host; with torch and CuPy on a real one."""
import ctypes
import os
import sys
import types

import gsort
import gsort.cuda
import numpy as np
import pytest

EMULATED = "emu" in os.environ.get("GSORT_CUDA_LIBRARY", "")


class There:
	"""A copy of a numpy array in the memory of the emulated GPU; ARRAY is a view of it."""

	def __init__(self, array, read_only=False):
		memory, size = ctypes.c_void_p(), max(array.nbytes, 1)
		assert gsort.cuda._library().cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(size)) == 0
		self.array = np.ndarray(array.shape, array.dtype, (ctypes.c_char * size).from_address(memory.value))
		self.array[...] = array
		self.__cuda_array_interface__ = {
			"data": (memory.value, read_only), "shape": array.shape, "typestr": array.dtype.str,
			"strides": None if array.flags.c_contiguous else array.strides, "version": 3, "stream": None,
		}


class Lent:
	"""The same through DLPack: with a capsule of numpy, which exports the memory as that of the host."""

	def __init__(self, array, code=None, device=(2, 0)):
		self.there, self.code, self.device = There(array), code, device
		self.array, self.streams = self.there.array, []

	def __dlpack_device__(self):
		return self.device

	def __dlpack__(self, *, stream=None):
		self.streams.append(stream)
		capsule = self.array.__dlpack__()
		if self.code is not None:
			get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
			get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
			gsort.cuda._Tensor.from_address(get_pointer(capsule, b"dltensor")).code = self.code
		return capsule


def allocate(size):
	return There(np.zeros(size, np.uint8))


def some(dtype, count):
	return np.frombuffer(np.random.default_rng(7).bytes(count * np.dtype(dtype).itemsize), dtype).copy()


def in_order(keys):
	"""KEYS by their bits, NaNs with a sign last."""
	if keys.dtype.kind != "f":
		return np.sort(keys)
	bits = keys.view(f"i{keys.itemsize}")
	return keys[np.lexsort((np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits), np.isnan(keys) & (bits < 0)))]


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
@pytest.mark.parametrize("pairs", [False, True])
def test_a_wrong_sort_is_known(monkeypatch, pairs):
	"""A kernel of the sort flips a bit of a key, behind the first look at all keys."""
	library, before = gsort.cuda._library(), some("u4", 150001)
	keys, values = There(before), There(np.arange(150001, dtype="u4"))

	def call(kernel, **options):
		address = ctypes.c_void_p(keys.__cuda_array_interface__["data"][0])
		assert library.cudaMemcpy(address, before.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(before.nbytes), 1) == 0
		monkeypatch.setenv("GSORT_EMU_CORRUPT", str(library.emu_works() + kernel) if kernel else "0")
		if pairs:
			gsort.cuda.sort_pairs(keys, values, allocate=allocate, **options)
		else:
			gsort.cuda.sort(keys, allocate=allocate, **options)
		return np.array_equal(keys.array, np.sort(before))

	assert call(0) and call(0, checked=True) and call(0, checked=False)
	assert not call(1, checked=False)
	with pytest.raises(gsort.DeviceError, match="the sort is wrong: "):
		call(3)
	with pytest.raises(ValueError, match="not for rows and segments"):
		gsort.cuda.sort(There(before[:150000].reshape(3, 50000)), allocate=allocate, checked=True)


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
@pytest.mark.parametrize("dtype", ["i1", "f2", "u4", "f4", "i8"])
@pytest.mark.parametrize("shape", [(30, 1000), (2, 3, 5000), (1, 30000), (30000, 1), (7, 0), (0, 7)])
@pytest.mark.parametrize("lend", [There, Lent])
def test_rows(dtype, shape, lend):
	"""Along the last dimension, as numpy and torch sort without an axis."""
	there = lend(some(dtype, np.prod(shape)).reshape(shape))
	expect = np.array([in_order(row.copy()) for row in there.array.reshape(-1, max(shape[-1], 1))], dtype)
	assert gsort.cuda.sort(there, allocate=allocate) is there
	assert there.array.tobytes() == expect.tobytes()
	gsort.cuda.sort(there, allocate=allocate, descending=True)
	assert there.array.tobytes() == expect[:, ::-1].tobytes() if expect.size else there.array.size == 0


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
@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8"])
@pytest.mark.parametrize("shape", [(30000,), (6, 5000)])
def test_stable_pairs(dtype, shape):
	before = (some("u4", 30000) % 100).astype(dtype).reshape(shape)
	keys, payload = There(before), There(np.arange(30000).reshape(shape))
	gsort.cuda.sort_pairs(keys, payload, stable=True, allocate=allocate)
	order = np.argsort(before, kind="stable")
	assert np.array_equal(payload.array, np.take_along_axis(np.arange(30000).reshape(shape), order, -1))
	assert np.array_equal(keys.array, np.sort(before))


class Tensor(There):
	"""What argsort() and dimensions need of torch, beside memory."""

	shape = property(lambda self: self.array.shape)

	def clone(self):
		return Tensor(self.array)

	def swapaxes(self, one, other):
		return Tensor(np.ascontiguousarray(self.array.swapaxes(one, other)))

	def contiguous(self):
		return self

	def __setitem__(self, at, tensor):
		self.array[at] = tensor.array


@pytest.fixture
def torch(monkeypatch):
	"""A module like torch, of Tensor."""
	module = types.ModuleType("torch")
	module.int64 = "i8"
	module.empty_like = lambda a, dtype: Tensor(np.zeros(a.array.shape, dtype))
	monkeypatch.setitem(sys.modules, Tensor.__module__, module)


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
@pytest.mark.parametrize("dtype", ["i1", "u2", "u4", "i8"])
@pytest.mark.parametrize("shape, dim", [((20000,), -1), ((20, 1000), -1), ((20, 1000), 1), ((900, 20), 0), ((3, 40, 50), 1)])
def test_argsort(torch, dtype, shape, dim):
	tensor = Tensor((some("u4", np.prod(shape)) % 100).astype(dtype).reshape(shape))
	before = tensor.array.copy()
	order = gsort.cuda.argsort(tensor, dim, allocate=allocate)
	assert np.array_equal(order.array, np.argsort(before, axis=dim, kind="stable"))
	falling = gsort.cuda.argsort(tensor, dim=dim, descending=True, stable=True, allocate=allocate)
	assert np.array_equal(falling.array, np.argsort(-before.astype("i8"), axis=dim, kind="stable"))
	assert tensor.array.tobytes() == before.tobytes()
	assert gsort.cuda.sort(tensor, dim, stable=True, allocate=allocate) is tensor
	assert np.array_equal(tensor.array, np.sort(before, axis=dim))


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"])
def test_dlpack(dtype):
	"""An array that has no other interface is sorted in its memory, and borrowed no longer than that."""
	before = some(dtype, 20000)
	lent = Lent(before)
	held = sys.getrefcount(lent.array)
	assert gsort.cuda.sort(lent, allocate=allocate) is lent
	assert lent.array.tobytes() == in_order(before).tobytes()
	left = sys.getrefcount(lent.array)
	assert left == held
	assert lent.streams == [1]		# the default stream, of which 0 is no name in DLPack
	gsort.cuda.sort(lent, descending=True, allocate=allocate)
	assert lent.array.tobytes() == in_order(before)[::-1].tobytes()


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
def test_truth_values_through_dlpack():
	lent = Lent((some("u1", 20000) > 99).view("u1"), code=6)
	ones = int(lent.array.sum())
	gsort.cuda.sort(lent, allocate=allocate)
	assert lent.array.tobytes() == bytes(20000 - ones) + bytes([1]) * ones


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
def test_bfloat16_through_dlpack():
	"""Also where the older interface is there, and calls bfloat16 two bytes without a meaning."""
	before = some("u2", 30000)
	order = before.view("i2").astype("i4")
	expect = before[np.lexsort((np.where(order < 0, order ^ 0x7FFF, order), before > 0xFF80))]	# -NaN is last
	lent = Lent(before, code=4)
	gsort.cuda.sort(lent, allocate=allocate)
	assert lent.array.tobytes() == expect.tobytes()
	lent = Lent(before, code=4)
	lent.__cuda_array_interface__ = {**lent.there.__cuda_array_interface__, "typestr": "<V2"}
	gsort.cuda.sort(lent, allocate=allocate)
	assert lent.array.tobytes() == expect.tobytes()


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
def test_pairs_through_dlpack():
	before = some("f4", 20000)
	keys, payload = Lent(before), Lent(np.arange(20000, dtype="i8"))
	gsort.cuda.sort_pairs(keys, payload, allocate=lambda size: Lent(np.zeros(size, "u1")))
	assert keys.array.tobytes() == in_order(before).tobytes()
	assert before[payload.array].tobytes() == keys.array.tobytes()


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
def test_what_dlpack_is_refused():
	keys = np.arange(10, dtype="u4")
	with pytest.raises(TypeError, match="must be an array in the memory of a GPU, not Lent"):
		gsort.cuda.sort(Lent(keys, device=(1, 0)), allocate=allocate)
	with pytest.raises(TypeError, match="not complex64"):
		gsort.cuda.sort(Lent(keys.astype("c8")), allocate=allocate)
	with pytest.raises(TypeError, match="not type 9 of 32"):
		gsort.cuda.sort(Lent(keys, code=9), allocate=allocate)
	with pytest.raises(ValueError, match="10 keys have 9 values"):
		gsort.cuda.sort_pairs(Lent(keys.reshape(2, 5)), Lent(keys[:9].copy()), allocate=allocate)
	for cut in np.s_[::2], np.s_[:, :3], np.s_[:, ::-1]:
		strided = Lent(keys if cut == np.s_[::2] else keys.reshape(2, 5))
		strided.array = strided.array[cut]
		with pytest.raises(ValueError, match="keys must be a contiguous array"):
			gsort.cuda.sort(strided, allocate=allocate)
	with pytest.raises(TypeError, match="gsort cannot allocate beside Lent"):
		gsort.cuda.sort(Lent(keys))


@pytest.mark.skipif(not EMULATED, reason="for memory of the host")
def test_what_is_refused():
	keys = np.arange(10, dtype="u4")
	with pytest.raises(TypeError, match="must be an array in the memory of a GPU, not ndarray"):
		gsort.cuda.sort(keys)
	with pytest.raises(TypeError, match="not <c8"):
		gsort.cuda.sort(There(keys.astype("c8")), allocate=allocate)
	for strided in keys[::2], keys.reshape(2, 5).T, keys.reshape(2, 5)[:, 1:]:
		with pytest.raises(ValueError, match="keys must be a contiguous array"):
			gsort.cuda.sort(There(strided), allocate=allocate)
	with pytest.raises(ValueError, match="one dimension or more"):
		gsort.cuda.sort(There(keys[0]), allocate=allocate)
	with pytest.raises(ValueError, match="rows of 10 keys have rows of 5 values"):
		gsort.cuda.sort_pairs(There(keys), There(keys.reshape(2, 5)), allocate=allocate)
	with pytest.raises(TypeError, match="There along its last dimension only"):
		gsort.cuda.sort(There(keys.reshape(2, 5)), dim=0, allocate=allocate)
	with pytest.raises(TypeError, match="returns what torch and CuPy have, not There"):
		gsort.cuda.argsort(There(keys), allocate=allocate)
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
	rows = torch.randn((count % 7 + 1, count), device="cuda")
	expect = torch.sort(rows).values
	assert torch.equal(gsort.cuda.sort(rows), expect)
	for dim in 0, 1, -1:
		rows = torch.randint(100, (count % 7 + 1, count), device="cuda")
		for descending in False, True:
			expect = torch.sort(rows, dim=dim, descending=descending, stable=True)
			order = gsort.cuda.argsort(rows, dim, descending=descending)
			assert order.dtype == torch.int64 and torch.equal(order, expect.indices)
			assert torch.equal(gsort.cuda.sort(rows.clone(), dim, descending=descending), expect.values)
	if hasattr(torch.empty(0), "__dlpack__"):
		keys = torch.randn(count, device="cuda").to(torch.bfloat16)
		expect = torch.sort(keys).values
		assert torch.equal(gsort.cuda.sort(keys), expect)
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
		assert bool((gsort.cuda.argsort(keys) == cupy.argsort(keys, kind="stable")).all())
		assert bool((gsort.cuda.sort(keys, descending=True) == expect[::-1]).all())
