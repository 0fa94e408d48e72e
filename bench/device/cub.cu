// SPDX-License-Identifier: BSD-2-Clause
/* cub.cu - NVIDIA's sorts, callable from C; part of gsort-bench only */
#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "bench/device/cub.h"
#if CUB_VERSION < 300100		/* internals, which newer ones have under other names */
#include "bench/device/cub_tuned.cuh"
static const bool HAS_TUNED = true;
#else
static const bool HAS_TUNED = false;
#endif

/* Numbers as they compare; floats as radix sorts order them: NaNs have a place, too. */
struct less_than {
	template <class Key> __host__ __device__ bool
	operator()(const Key &a, const Key &b) const
	{
		return a < b;
	}

	__device__ bool
	operator()(const float &a, const float &b) const
	{
		const int32_t x = __float_as_int(a), y = __float_as_int(b);

		return (x ^ (x >> 31 & INT32_MAX)) < (y ^ (y >> 31 & INT32_MAX));
	}

	__device__ bool
	operator()(const double &a, const double &b) const
	{
		const int64_t x = __double_as_longlong(a), y = __double_as_longlong(b);

		return (x ^ (x >> 63 & INT64_MAX)) < (y ^ (y >> 63 & INT64_MAX));
	}
};

#if CUB_VERSION < 300100
template <class Key> struct tuning {
	enum { THREADS = sizeof(Key) == 4 ? 512 : 320, ITEMS = sizeof(Key) == 4 ? 21 : 14 };
	typedef tuned_hub<Key, uint32_t, THREADS, ITEMS, cub::RADIX_SORT_STORE_DIRECT> hub;
	typedef cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, cub::NullType, uint32_t,
	                               cub::detail::identity_decomposer_t, hub> dispatch;
};
#endif

extern "C" bool
cub_takes(enum cub_which which, size_t count)
{
	if (which == CUB_TUNED && !HAS_TUNED)
		return false;
	return count <= UINT32_MAX || which == CUB_BUFFER_64 || which == CUB_INTO_64 || which == CUB_MERGE;
}

/* CUB picks 32 or 64 bits for offsets by the type of the count. */
template <class Count, class Key> static cudaError_t
radix_sort(bool into, cub::DoubleBuffer<Key> &buffer, size_t count, void *scratch, size_t *bytes,
           cudaStream_t stream)
{
	const int bits = sizeof(Key) * 8;

	if (!into)
		return cub::DeviceRadixSort::SortKeys(scratch, *bytes, buffer, (Count)count, 0, bits, stream);
	buffer.selector ^= 1;
	return cub::DeviceRadixSort::SortKeys(scratch, *bytes, (const Key *)buffer.Alternate(),
	                                      buffer.Current(), (Count)count, 0, bits, stream);
}

/* SCRATCH NULL: only say how many bytes. */
template <class Key> static cudaError_t
sort(cub_which which, void **keys, void **other, size_t count, void *scratch, size_t *bytes,
     cudaStream_t stream)
{
	cub::DoubleBuffer<Key> buffer((Key *)*keys, (Key *)*other);
	cudaError_t error;

	if (!cub_takes(which, count))
		return cudaErrorInvalidValue;
	switch (which) {
	case CUB_BUFFER_32:
	case CUB_INTO_32:
		error = radix_sort<uint32_t>(which == CUB_INTO_32, buffer, count, scratch, bytes, stream);
		break;
	case CUB_BUFFER_64:
	case CUB_INTO_64:
		error = radix_sort<size_t>(which == CUB_INTO_64, buffer, count, scratch, bytes, stream);
		break;
#if CUB_VERSION < 300100
	case CUB_TUNED: {
		cub::DoubleBuffer<cub::NullType> none;

		error = tuning<Key>::dispatch::Dispatch(scratch, *bytes, buffer, none, (uint32_t)count, 0,
		                                        (int)sizeof(Key) * 8, false, stream);
		break;
	}
#endif
	default:
		return cub::DeviceMergeSort::SortKeys(scratch, *bytes, (Key *)*keys, count, less_than(),
		                                      stream);
	}
	*keys = buffer.Current();
	*other = buffer.Alternate();
	return error;
}

template <class Unsigned, class Signed, class Float> static cudaError_t
sort_kind(cub_which which, key_kind kind, void **keys, void **other, size_t count, void *scratch,
          size_t *bytes, cudaStream_t stream)
{
	switch (kind) {
	case KEYS_SIGNED: return sort<Signed>(which, keys, other, count, scratch, bytes, stream);
	case KEYS_FLOAT:  return sort<Float>(which, keys, other, count, scratch, bytes, stream);
	default:          return sort<Unsigned>(which, keys, other, count, scratch, bytes, stream);
	}
}

extern "C" cudaError_t
cub_sort(enum cub_which which, void **keys, void **other, unsigned bits, enum key_kind kind,
         size_t count, void *scratch, size_t scratch_bytes, cudaStream_t stream)
{
	if (bits == 32)
		return sort_kind<uint32_t, int32_t, float>(which, kind, keys, other, count, scratch,
		                                           &scratch_bytes, stream);
	return sort_kind<uint64_t, int64_t, double>(which, kind, keys, other, count, scratch,
	                                            &scratch_bytes, stream);
}

extern "C" cudaError_t
cub_scratch_bytes(enum cub_which which, unsigned bits, enum key_kind kind, size_t count,
                  size_t *bytes)
{
	void *none[2] = { NULL, NULL };

	*bytes = 0;
	if (bits == 32)
		return sort_kind<uint32_t, int32_t, float>(which, kind, &none[0], &none[1], count, NULL,
		                                           bytes, 0);
	return sort_kind<uint64_t, int64_t, double>(which, kind, &none[0], &none[1], count, NULL, bytes,
	                                            0);
}
