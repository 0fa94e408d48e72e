// SPDX-License-Identifier: BSD-2-Clause
/*
 * parts.cu - gsort-bench-parts: the parts of the device sort, each alone
 *
 *     leaf        many leaves of 2^11 to 2^15 keys, in networks of every kind
 *     partition   one level: bins, tiles and blocks in turn
 *     cub         CUB's radix sort as shipped, and with its best published tuning
 *
 * The unit is cycles of one multiprocessor per key, which add up over parts; the predictions
 * beside them are of doc/notebook/device-sort.md.  Every result is checked.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bench/device/cub_tuned.cuh"
#include "bench/must.h"
#include "bench/shapes.h"
#include "bench/stats.h"
#include "kernels/block/bitonic.cuh"
#include "kernels/block/leaf_sort.cuh"
#include "kernels/block/partition.cuh"

static const unsigned RUNS = 9;

static double cycles_per_second;
static unsigned wrong;

template <class Type> static Type *
device(size_t count)
{
	void *memory;

	must(cudaMalloc(&memory, count * sizeof(Type)), "cudaMalloc");
	return (Type *)memory;
}

/* ---- keys, checks -------------------------------------------------------- */

/* Random keys of BITS bits, each plus ABOVE. */
template <class Key> static __global__ void
fill_kernel(Key *keys, size_t count, unsigned bits, Key above)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
	     i += (size_t)gridDim.x * blockDim.x)
		keys[i] = (Key)(random_at(0, i) >> (64 - bits)) + above;
}

struct verdict {
	unsigned long long falls, digest;
};

template <class Key> static __global__ void
check_kernel(const Key *keys, size_t count, size_t run, verdict *v)
{
	unsigned long long falls = 0, digest = 0;

	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
	     i += (size_t)gridDim.x * blockDim.x) {
		falls += run > 0 && i % run != 0 && keys[i - 1] > keys[i];
		digest += random_at(0, keys[i]);
	}
	atomicAdd(&v->falls, falls);
	atomicAdd(&v->digest, digest);
}

template <class Key> static verdict
check(const Key *keys, size_t count, size_t run)
{
	verdict *v = device<verdict>(1), result;

	must(cudaMemset(v, 0, sizeof *v), "cudaMemset");
	check_kernel<<<1056, 256>>>(keys, count, run, v);
	must(cudaGetLastError(), "checking");
	must(cudaMemcpy(&result, v, sizeof *v, cudaMemcpyDeviceToHost), "checking");
	must(cudaFree(v), "cudaFree");
	return result;
}

/* ---- timing -------------------------------------------------------------- */

/* Median seconds of WORK; BEFORE each, RESTORE, which is not timed. */
template <class Work, class Restore> static double
median_seconds(Work work, Restore restore)
{
	std::vector<double> seconds;
	cudaEvent_t begin, end;

	must(cudaEventCreate(&begin), "event");
	must(cudaEventCreate(&end), "event");
	for (unsigned run = 0; run <= RUNS; run++) {
		float milliseconds;

		restore();
		must(cudaEventRecord(begin), "event");
		work();
		must(cudaGetLastError(), "launching");
		must(cudaEventRecord(end), "event");
		must(cudaEventSynchronize(end), "running");
		must(cudaEventElapsedTime(&milliseconds, begin, end), "event");
		if (run > 0)
			seconds.push_back(milliseconds / 1e3);
	}
	must(cudaEventDestroy(begin), "event");
	must(cudaEventDestroy(end), "event");
	return stats_of(seconds.data(), RUNS).median;
}

static void
row(const char *part, const char *what, unsigned bits, size_t count, double seconds,
    double predicted, bool right)
{
	static bool first = true;

	fprintf(stderr, "%-10s %-34s u%u %10zu %7.3f ms %8.2f Gkeys/s %6.3f cycles, predicted %5.2f%s\n",
	        part, what, bits, count, seconds * 1e3, (double)count / seconds / 1e9,
	        seconds * cycles_per_second / (double)count, predicted, right ? "" : "  WRONG");
	printf("%s\n  {\"part\": \"%s\", \"what\": \"%s\", \"bits\": %u, \"keys\": %zu, \"ms\": %.4f, "
	       "\"gkeys\": %.3f, \"cycles\": %.4f, \"predicted_cycles\": %.2f}", first ? "" : ",",
	       part, what, bits, count, seconds * 1e3, (double)count / seconds / 1e9,
	       seconds * cycles_per_second / (double)count, predicted);
	first = false;
	wrong += !right;
}

/* ---- leaves -------------------------------------------------------------- */

/* A u64 network of 2^BITS keys, compared as the key, or as the double of its bits. */
template <unsigned BITS> struct whole { uint64_t bits; };
template <unsigned BITS> struct real { uint64_t bits; };
template <unsigned BITS> struct tune<whole<BITS>> {
	enum { BLOCK_BITS = BITS, BLOCKS = 1 << (14 - BITS), PASS_BLOCKS = 4 };
};
template <unsigned BITS> struct tune<real<BITS>> : tune<whole<BITS>> {};

template <unsigned BITS> static __device__ __forceinline__ void
exchange(whole<BITS> *low, whole<BITS> *high)
{
	exchange(&low->bits, &high->bits);
}

template <unsigned BITS> static __device__ __forceinline__ void
exchange(real<BITS> *low, real<BITS> *high)
{
	const uint64_t a = low->bits, b = high->bits;
	const bool less = __longlong_as_double((long long)a) < __longlong_as_double((long long)b);

	low->bits = less ? a : b;
	high->bits = a ^ b ^ low->bits;
}

/* Block b sorts keys b * LEAF ..., which are all there. */
template <unsigned BITS> struct u32_leaf {
	typedef uint32_t key;
	typedef word<BITS> net;
	enum { KEYS = 1 << BITS, KEY_BITS = 32, BLOCKS = block<net>::BLOCKS,
	       SHARED = sizeof(net) * block<net>::ROOM };

	static __device__ __forceinline__ void
	sort(uint32_t *to, const uint32_t *from, void *shared)
	{
		leaf_sort<BITS>(to, from, KEYS, (net *)shared);
	}
};

template <unsigned BITS> struct u16_leaf {
	typedef uint32_t key;
	typedef pair<BITS> net;
	enum { KEYS = 2 << BITS, KEY_BITS = 16, BLOCKS = block<net>::BLOCKS,
	       SHARED = sizeof(net) * block<net>::ROOM };

	static __device__ __forceinline__ void
	sort(uint32_t *to, const uint32_t *from, void *shared)
	{
		leaf_sort_narrow<BITS>(to, from, KEYS, 5u, (net *)shared);
	}
};

template <unsigned BITS, unsigned BLOCKS_> struct u64_leaf {
	typedef uint64_t key;
	typedef word<BITS> net;
	enum { KEYS = 1 << BITS, KEY_BITS = 48, BLOCKS = BLOCKS_, SHARED = sizeof(leaf_space<BITS>) };

	static __device__ __forceinline__ void
	sort(uint64_t *to, const uint64_t *from, void *shared)
	{
		(void)leaf_sort<BITS>(to, from, KEYS, 5u, (leaf_space<BITS> *)shared);
	}
};

template <class Net> struct wide_leaf {
	typedef uint64_t key;
	typedef Net net;
	enum { KEYS = block<net>::KEYS, KEY_BITS = 52, BLOCKS = block<net>::BLOCKS,
	       SHARED = sizeof(net) * block<net>::ROOM };

	static __device__ __forceinline__ void
	sort(uint64_t *to, const uint64_t *from, void *shared)
	{
		Net x[THREAD_KEYS];

#pragma unroll
		for (unsigned r = 0; r < THREAD_KEYS; r++)
			x[r].bits = from[r * block<net>::THREADS + threadIdx.x] | UINT64_C(0x3ff) << 52;
		block_sort(x, (net *)shared);
		leaf_each(x, (net *)shared, KEYS, [=](unsigned at, net w) { to[at] = w.bits; });
	}
};

template <class Leaf> static __global__ void
__launch_bounds__(block<typename Leaf::net>::THREADS, Leaf::BLOCKS)
leaf_kernel(typename Leaf::key *to, const typename Leaf::key *from)
{
	begin_in_turn();

	DYNAMIC_SHARED(shared);
	const size_t at = blockIdx.x * (size_t)Leaf::KEYS;

	Leaf::sort(to + at, from + at, shared);
}

template <class Leaf> static void
leaf(const char *what, size_t count, double predicted)
{
	typedef typename Leaf::key Key;
	Key *from = device<Key>(count), *to = device<Key>(count);
	verdict want, got;
	double seconds;
	bool above = Leaf::KEY_BITS == 52;

	fill_kernel<<<1056, 256>>>(from, count, Leaf::KEY_BITS,
	                           above ? (Key)(UINT64_C(0x3ff) << 52) : (Key)5);
	must(cudaMemset(to, 0, count * sizeof(Key)), "cudaMemset");
	seconds = median_seconds([=] {
		must(launch_shared(leaf_kernel<Leaf>, count / Leaf::KEYS,
		                   block<typename Leaf::net>::THREADS, Leaf::SHARED, 0, to, from), what);
	}, [] {});
	want = check(from, count, 0);
	got = check(to, count, Leaf::KEYS);
	row("leaf", what, sizeof(Key) * 8, count, seconds, predicted,
	    got.falls == 0 && got.digest == want.digest);
	must(cudaFree(from), "cudaFree");
	must(cudaFree(to), "cudaFree");
}

static void
leaves(size_t count)
{
	leaf<u32_leaf<11>>("u32 2^11", count, 1.6);
	leaf<u32_leaf<12>>("u32 2^12", count, 1.9);
	leaf<u32_leaf<13>>("u32 2^13", count, 2.2);
	leaf<u32_leaf<14>>("u32 2^14", count, 2.6);
	leaf<u32_leaf<15>>("u32 2^15", count, 3.2);
	leaf<u16_leaf<10>>("u16x2 2^11", count, 0.9);
	leaf<u16_leaf<11>>("u16x2 2^12", count, 1.1);
	leaf<u16_leaf<12>>("u16x2 2^13", count, 1.25);
	leaf<u16_leaf<13>>("u16x2 2^14", count, 1.45);
	leaf<wide_leaf<whole<12>>>("u64 2^12, all 64 bits", count, 5.1);
	leaf<wide_leaf<real<12>>>("u64 2^12, as doubles", count, 3.8);
	leaf<u64_leaf<11, 8>>("u64 2^11, words, 8 blocks", count, 2.2);
	leaf<u64_leaf<12, 4>>("u64 2^12, words, 4 blocks", count, 2.5);
	leaf<u64_leaf<13, 2>>("u64 2^13, words, 2 blocks", count, 2.9);
	leaf<u64_leaf<14, 1>>("u64 2^14, words, 1 block", count, 3.8);
}

/* ---- partition ----------------------------------------------------------- */

template <class Key> static __global__ void
count_kernel(unsigned long long *counts, const Key *keys, size_t count, const digits *plan)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
	     i += (size_t)gridDim.x * blockDim.x)
		atomicAdd(&counts[digit_of(*plan, keys[i])], 1ull);
}

static __global__ void
plan_kernel(digits *plan, unsigned bits, uint32_t bins)
{
	*plan = digits_over(bits, 0, bits == 32 ? UINT32_MAX : UINT64_MAX, bins);
}

/* Are digits in order?  Counts falls. */
template <class Key> static __global__ void
order_kernel(const Key *keys, size_t count, const digits *plan, unsigned long long *falls)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i + 1 < count;
	     i += (size_t)gridDim.x * blockDim.x)
		if (digit_of(*plan, keys[i]) > digit_of(*plan, keys[i + 1]))
			atomicAdd(falls, 1ull);
}

template <class Key> struct partition_rig {
	Key *from, *to;
	digits *plan;
	unsigned long long *counts, *cursors, *begins;
	std::vector<unsigned long long> places;
	size_t count;
	uint32_t bins;
};

template <class Key> static partition_rig<Key>
partition_open(size_t count, uint32_t bins)
{
	partition_rig<Key> rig = {
		device<Key>(count), device<Key>(count), device<digits>(1),
		device<unsigned long long>(bins + 1), device<unsigned long long>(bins),
		device<unsigned long long>(2), {}, count, bins,
	};
	const unsigned long long ends[2] = { 0, count };
	unsigned long long sum = 0;

	rig.places.resize(bins);
	fill_kernel<<<1056, 256>>>(rig.from, count, (unsigned)sizeof(Key) * 8, (Key)0);
	plan_kernel<<<1, 1>>>(rig.plan, (unsigned)sizeof(Key) * 8, bins);
	must(cudaMemset(rig.counts, 0, (bins + 1) * 8), "cudaMemset");
	count_kernel<<<1056, 256>>>(rig.counts, rig.from, count, rig.plan);
	must(cudaMemcpy(rig.places.data(), rig.counts, bins * 8, cudaMemcpyDeviceToHost), "copying");
	for (auto &place : rig.places) {
		const unsigned long long keys = place;

		place = sum;
		sum += keys;
	}
	must(cudaMemcpy(rig.begins, ends, sizeof ends, cudaMemcpyHostToDevice), "copying");
	return rig;
}

template <class Key> static void
partition_close(partition_rig<Key> *rig)
{
	for (void *memory : { (void *)rig->from, (void *)rig->to, (void *)rig->plan,
	                      (void *)rig->counts, (void *)rig->cursors, (void *)rig->begins })
		must(cudaFree(memory), "cudaFree");
}

template <class Key, unsigned THREADS, unsigned ITEMS, unsigned BLOCKS> static void
partition(const partition_rig<Key> &rig, double predicted)
{
	enum { TILE = THREADS * ITEMS };
	const level l = { (const uint64_t *)rig.begins, 1, rig.bins, 0, ~0u, rig.cursors };
	const size_t bytes = partition_bytes<Key, TILE>(rig.bins);
	unsigned long long falls = 0;
	char what[80];
	double seconds;

	if (bytes * BLOCKS > 227 << 10)
		return;
	snprintf(what, sizeof what, "%u bins, tile %d, %ux%u threads", rig.bins, TILE, BLOCKS, THREADS);
	must(cudaMemset(rig.to, 0, rig.count * sizeof(Key)), "cudaMemset");
	seconds = median_seconds([&] {
		must(launch_shared(partition_kernel<Key, THREADS, ITEMS, BLOCKS>,
		                   level_tiles(rig.count, 1, TILE), THREADS, bytes, 0,
		                   rig.to, rig.from, rig.plan, l), what);
	}, [&] {
		must(cudaMemcpy(rig.cursors, rig.places.data(), rig.bins * 8, cudaMemcpyHostToDevice),
		     "copying");
	});
	must(cudaMemset(rig.counts, 0, 8), "cudaMemset");
	order_kernel<<<1056, 256>>>(rig.to, rig.count, rig.plan, rig.counts);
	must(cudaMemcpy(&falls, rig.counts, 8, cudaMemcpyDeviceToHost), "checking");
	row("partition", what, sizeof(Key) * 8, rig.count, seconds, predicted,
	    falls == 0 && check(rig.to, rig.count, 0).digest == check(rig.from, rig.count, 0).digest);
}

template <class Key> static void
partitions(size_t count, double predicted)
{
	for (uint32_t bins : { 256, 512, 1024, 4608 }) {
		partition_rig<Key> rig = partition_open<Key>(count, bins);
		const double p = bins == 4608 ? predicted * 1.3 : bins == 1024 ? predicted * 1.1 : predicted;

		if (sizeof(Key) == 4) {
			partition<Key, 256, 32, 4>(rig, p);
			partition<Key, 512, 32, 2>(rig, p);
			partition<Key, 1024, 32, 1>(rig, p);
			partition<Key, 1024, 48, 1>(rig, p);
			partition<Key, 512, 24, 2>(rig, p);
			partition<Key, 384, 22, 3>(rig, p);
		}
		partition<Key, 256, 16, 4>(rig, p);
		partition<Key, 256, 16, 5>(rig, p);
		partition<Key, 384, 16, 3>(rig, p);
		partition<Key, 512, 8, 4>(rig, p);
		partition<Key, 512, 12, 3>(rig, p);
		partition<Key, 512, 16, 2>(rig, p);
		partition<Key, 512, 16, 3>(rig, p);
		partition<Key, 1024, 8, 2>(rig, p);
		partition<Key, 1024, 16, 1>(rig, p);
		partition<Key, 1024, 24, 1>(rig, p);
		partition_close(&rig);
	}
}

/* ---- CUB ----------------------------------------------------------------- */

template <class Key, class Offset, class Hub> static void
cub_radix(const char *what, size_t count, double predicted)
{
	typedef cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, cub::NullType, Offset,
	                               cub::detail::identity_decomposer_t, Hub> dispatch;
	Key *from = device<Key>(count), *to = device<Key>(count);
	cub::NullType *none = nullptr;
	size_t bytes = 0;
	void *scratch;
	verdict got;
	double seconds;
	auto sort = [&](void *memory) {
		cub::DoubleBuffer<Key> keys(from, to);
		cub::DoubleBuffer<cub::NullType> values(none, none);

		must(dispatch::Dispatch(memory, bytes, keys, values, (Offset)count, 0, sizeof(Key) * 8,
		                        false, 0), what);
	};

	fill_kernel<<<1056, 256>>>(from, count, (unsigned)sizeof(Key) * 8, (Key)0);
	sort(nullptr);
	scratch = device<char>(bytes);
	seconds = median_seconds([&] { sort(scratch); }, [] {});
	got = check(to, count, count);
	row("cub", what, sizeof(Key) * 8, count, seconds, predicted,
	    got.falls == 0 && got.digest == check(from, count, 0).digest);
	must(cudaFree(from), "cudaFree");
	must(cudaFree(to), "cudaFree");
	must(cudaFree(scratch), "cudaFree");
}

template <class Key, class Offset, int THREADS, int ITEMS> static void
cub_tuned(size_t count, double predicted)
{
	char what[80];

	snprintf(what, sizeof what, "%d threads, %d keys each, %zu byte offsets", THREADS, ITEMS,
	         sizeof(Offset));
	cub_radix<Key, Offset, tuned_hub<Key, Offset, THREADS, ITEMS, cub::RADIX_SORT_STORE_DIRECT>>
		(what, count, predicted);
}

static void
cubs(size_t count)
{
	typedef unsigned long long wide;

	cub_radix<uint32_t, wide, cub::detail::radix::policy_hub<uint32_t, cub::NullType, wide>>
		("as shipped, 8 byte offsets", count, 5.29);
	cub_radix<uint32_t, uint32_t, cub::detail::radix::policy_hub<uint32_t, cub::NullType, uint32_t>>
		("as shipped, 4 byte offsets", count, 5.2);
	cub_tuned<uint32_t, uint32_t, 512, 21>(count, 5.1);
	cub_tuned<uint32_t, uint32_t, 512, 20>(count, 5.1);
	cub_radix<uint64_t, wide, cub::detail::radix::policy_hub<uint64_t, cub::NullType, wide>>
		("as shipped, 8 byte offsets", count, 16.0);
	cub_radix<uint64_t, uint32_t, cub::detail::radix::policy_hub<uint64_t, cub::NullType, uint32_t>>
		("as shipped, 4 byte offsets", count, 15.8);
	cub_tuned<uint64_t, uint32_t, 320, 14>(count, 13.3);
	cub_tuned<uint64_t, uint32_t, 512, 11>(count, 14.0);
	cub_tuned<uint64_t, uint32_t, 288, 18>(count, 14.0);
	cub_tuned<uint64_t, wide, 320, 18>(count, 13.3);
}

int
main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "all";
	const size_t count = (size_t)1 << (argc > 2 ? atoi(argv[2]) : 28);
	int sms, kilohertz;

	must(cudaSetDevice(0), "opening the GPU");
	must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "asking the GPU");
	must(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "asking the GPU");
	cycles_per_second = 1e3 * sms * kilohertz;
	printf("[");
	if (strcmp(part, "leaf") == 0 || strcmp(part, "all") == 0)
		leaves(count);
	if (strcmp(part, "partition") == 0 || strcmp(part, "all") == 0) {
		partitions<uint32_t>(count, 0.85);
		partitions<uint64_t>(count, 1.4);
	}
	if (strcmp(part, "cub") == 0 || strcmp(part, "all") == 0)
		cubs(count);
	printf("\n]\n");
	return wrong > 0;
}
