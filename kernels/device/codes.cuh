// SPDX-License-Identifier: BSD-2-Clause
/*
 * codes.cuh - many keys that have few values in each 16 bits: sort short codes in their place
 *
 * In:   keys; a sample of them (sample.cuh) has few values in each unit of 16 bits.
 * Out:  whether all have; then they ascend.
 *
 *     values_kernel       which values does each unit have?  A sweep that only reads
 *     to_codes_kernel     a key's code: the number of each unit's value, as digits of one number
 *     from_codes_kernel   keys again
 *     count_codes_kernel  and begin, write: how many keys have each code?  Then nothing is sorted
 *
 * Codes are in the order of keys, and without gaps where a unit has no values: text, keys with bits that are
 * always the same, or of several columns.  So 64 bits become 32, which are sorted as such; and if there are
 * no more than 2^16 codes, keys are counted, and pairs are moved to a bin for each code.
 */
#ifndef GS_CODES_CUH
#define GS_CODES_CUH

#include "kernels/device/order.cuh"

enum {
	CODE_THREADS  = 1024,
	CODE_EACH     = 8,		/* keys of a thread at once */
	CODE_PART     = CODE_THREADS * CODE_EACH,
	SUM_CODES     = 4 * CODE_THREADS,
	CODED_THREADS = 256,		/* that write keys */
	CODED_BYTES   = 4096,		/* that a warp of these writes */
};

template <class Key> static __device__ __forceinline__ uint32_t
unit_of(Key key, unsigned unit)
{
	return (uint32_t)(key >> unit * UNIT_BITS) % UNIT_VALUES;
}

/* BODY(x, at, here) for each part of COUNT keys that is this block's: it has HERE keys from AT on, and X has
 * EACH of them, CODE_THREADS apart, or the last one. */
template <unsigned EACH = CODE_EACH, class Key, class Body> static __device__ __forceinline__ void
parts_each(const Key *keys, size_t count, const Body &body)
{
	enum { PART = CODE_THREADS * EACH };

	for (size_t at = blockIdx.x * (size_t)PART; at < count; at += gridDim.x * (size_t)PART) {
		const unsigned here = (unsigned)min(count - at, (size_t)PART);
		Key x[EACH];

#pragma unroll
		for (unsigned i = 0; i < EACH; i++)
			x[i] = keys[at + min(i * CODE_THREADS + threadIdx.x, here - 1)];
		body(x, at, here);
	}
}

/* ---- which values ------------------------------------------------------------- */

/* Number the values that are present in the first UNITS; all threads of one block. */
static __device__ __forceinline__ void
values_number(code_book *book, unsigned units)
{
	enum { EACH = UNIT_WORDS / CODE_THREADS };
	__shared__ uint32_t sums[CODE_THREADS / 32];
	uint64_t codes = 1;

	for (unsigned u = 0; u < units; u++) {
		const unsigned first = u * UNIT_WORDS + threadIdx.x * EACH;
		uint32_t words[EACH], mine = 0, all;

#pragma unroll
		for (unsigned w = 0; w < EACH; w++) {
			words[w] = *(volatile uint32_t *)&book->present[first + w];
			mine += (uint32_t)__popc(words[w]);
		}
		uint32_t number = block_sum_before<CODE_THREADS>(mine, sums, &all);

#pragma unroll
		for (unsigned w = 0; w < EACH; w++) {
			book->before[first + w] = (uint16_t)number;
			for (uint32_t rest = words[w]; rest != 0; rest &= rest - 1)
				book->value[u * UNIT_VALUES + number++] = (uint16_t)(
					(threadIdx.x * EACH + w) * 32 + (unsigned)__ffs((int)rest) - 1);
		}
		codes = min(codes, (uint64_t)1 << 33) * all;
		if (threadIdx.x == 0)
			book->many[u] = all;
		__syncthreads();
	}
	if (threadIdx.x == 0)
		book->codes = codes;
}

template <class Key, class Map> static __global__ void
__launch_bounds__(CODE_THREADS, blocks_that_fit(CODE_THREADS, 2))
values_kernel(code_book *book, const Key *keys, size_t count, Map map)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	enum { UNITS = sampling<Key>::UNITS, WORDS = UNITS * UNIT_WORDS };
	__shared__ uint32_t present[WORDS];
	__shared__ bool last;

	for (unsigned w = threadIdx.x; w < WORDS; w += CODE_THREADS)
		present[w] = 0;
	__syncthreads();
	parts_each(keys, count, [&](const Key *x, size_t, unsigned) {
#pragma unroll
		for (unsigned n = 0; n < CODE_EACH * UNITS; n++) {
			const uint32_t value = unit_of(ordered(map, x[n / UNITS]), n % UNITS);
			uint32_t *const word = &present[n % UNITS * UNIT_WORDS + value / 32];
			const uint32_t bit = 1u << value % 32;

			if ((*(volatile uint32_t *)word & bit) == 0)
				atomicOr(word, bit);
		}
	});
	__syncthreads();
	for (unsigned w = threadIdx.x; w < WORDS; w += CODE_THREADS)
		if ((present[w] & ~*(volatile uint32_t *)&book->present[w]) != 0)
			atomicOr(&book->present[w], present[w]);
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0) {
		last = atomicAdd(&book->done, 1u) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	if (last)
		values_number(book, UNITS);
}

/* ---- codes -------------------------------------------------------------------- */

/* What finds codes, in shared memory. */
template <class Key> struct coder {
	enum { UNITS = sampling<Key>::UNITS, WORDS = UNITS * UNIT_WORDS };
	static const size_t BYTES = WORDS * (sizeof(uint32_t) + sizeof(uint16_t));
	const uint32_t *present;
	const uint16_t *before;
	uint32_t        many[UNITS];
};

/* Load it to MEMORY; ends with a barrier. */
template <class Key> static __device__ __forceinline__ coder<Key>
coder_load(const code_book *book, void *memory)
{
	enum { WORDS = coder<Key>::WORDS };
	uint32_t *const present = (uint32_t *)memory, *const before = present + WORDS;
	coder<Key> c = { present, (const uint16_t *)before, {} };

	for (unsigned w = threadIdx.x; w < WORDS; w += CODE_THREADS)
		present[w] = book->present[w];
	for (unsigned w = threadIdx.x; w < WORDS / 2; w += CODE_THREADS)
		before[w] = ((const uint32_t *)book->before)[w];
#pragma unroll
	for (unsigned u = 0; u < coder<Key>::UNITS; u++)
		c.many[u] = book->many[u];
	__syncthreads();
	return c;
}

template <class Key> static __device__ __forceinline__ uint32_t
code_of(const coder<Key> &c, Key key)
{
	uint32_t code = 0;

#pragma unroll
	for (unsigned u = coder<Key>::UNITS; u-- > 0;) {
		const uint32_t value = unit_of(key, u), at = u * UNIT_WORDS + value / 32;
		const uint32_t below = c.present[at] & ((1u << value % 32) - 1);

		code = code * c.many[u] + c.before[at] + (uint32_t)__popc(below);
	}
	return code;
}

template <class Key> static __device__ __forceinline__ Key
key_of_code(const code_book *book, uint32_t code)
{
	Key key = 0;

#pragma unroll
	for (unsigned u = 0; u < coder<Key>::UNITS; u++) {
		const uint32_t many = book->many[u], rest = code / many;

		key |= (Key)book->value[u * UNIT_VALUES + (code - rest * many)] << u * UNIT_BITS;
		code = rest;
	}
	return key;
}

/* CODES may be where KEYS are. */
template <class Key, class Map> static __global__ void
__launch_bounds__(CODE_THREADS, blocks_that_fit(CODE_THREADS, 2))
to_codes_kernel(uint32_t *codes, const Key *keys, size_t count, Map map, const code_book *book)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	DYNAMIC_SHARED(memory);
	const coder<Key> c = coder_load<Key>(book, memory);

	parts_each(keys, count, [&](const Key *x, size_t at, unsigned here) {
#pragma unroll
		for (unsigned i = 0; i < CODE_EACH; i++)
			if (i * CODE_THREADS + threadIdx.x < here)
				codes[at + i * CODE_THREADS + threadIdx.x] = code_of(c, ordered(map, x[i]));
	});
}

template <class Key, class Map> static __global__ void
__launch_bounds__(CODE_THREADS, blocks_that_fit(CODE_THREADS, 2))
from_codes_kernel(Key *keys, const uint32_t *codes, size_t count, Map map, const code_book *book)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	enum { EACH = CODE_EACH / 2 };

	parts_each<EACH>(codes, count, [&](const uint32_t *x, size_t at, unsigned here) {
#pragma unroll
		for (unsigned i = 0; i < EACH; i++)
			if (i * CODE_THREADS + threadIdx.x < here)
				keys[at + i * CODE_THREADS + threadIdx.x] =
					original(map, key_of_code<Key>(book, x[i]));
	});
}

/* ---- keys are counted ----------------------------------------------------------- */

/* Count codes.  There are MOST counters at most: 2^n for each code, so that lanes seldom meet in one. */
template <class Key, class Map> static __global__ void
__launch_bounds__(CODE_THREADS)
count_codes_kernel(uint32_t *counts, const Key *keys, size_t count, Map map, const code_book *book,
                   uint32_t most)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	static_assert(CODE_PART <= (int)HISTOGRAM_HALF, "counters never overflow");
	DYNAMIC_SHARED(memory);
	uint32_t *const counters = (uint32_t *)(memory + coder<Key>::BYTES);
	const uint32_t codes = (uint32_t)book->codes;
	const unsigned copies = min(31u - (unsigned)__clz((int)(most / codes)), 5u);
	const uint32_t slots = codes << copies, copy = threadIdx.x & ((1u << copies) - 1);

	for (uint32_t w = threadIdx.x; w < (slots + 1) / 2; w += CODE_THREADS)
		counters[w] = 0;
	const coder<Key> c = coder_load<Key>(book, memory);

	parts_each(keys, count, [&](const Key *x, size_t, unsigned here) {
		/* keys in order: one addition for a warp whose lanes agree */
		const bool alike = here == CODE_PART && warp_agrees(code_of(c, ordered(map, x[0])));

#pragma unroll
		for (unsigned i = 0; i < CODE_EACH; i++) {
			const uint32_t code = code_of(c, ordered(map, x[i]));
			const bool together = alike && warp_agrees(code);

			if (together ? threadIdx.x % 32 != 0 : i * CODE_THREADS + threadIdx.x >= here)
				continue;
			histogram_add(counters, counts, code << copies | copy, together ? 32 : 1, copies);
		}
		__syncthreads();
	});
	for (uint32_t code = threadIdx.x; code < codes; code += CODE_THREADS) {
		uint32_t rest = 0;

		for (uint32_t s = code << copies; s < (code + 1) << copies; s++)
			rest += counters[s / 2] >> s % 2 * 16 & 0xffff;
		if (rest > 0)
			atomicAdd(&counts[code], rest);
	}
}

/* Where codes begin, SUM_CODES a block, which adds up all counts before; those behind the last code are 0. */
template <class Key> static __global__ void
__launch_bounds__(CODE_THREADS)
begin_codes_kernel(uint4 *begins, const uint4 *counts)
{
	begin_in_turn();

	__shared__ uint32_t warps[2][CODE_THREADS / 32];
	const uint32_t first = blockIdx.x * CODE_THREADS;
	const uint4 mine = counts[first + threadIdx.x];
	uint32_t before = 0, at, all;

#pragma unroll 8
	for (uint32_t c = threadIdx.x; c < first; c += CODE_THREADS)
		before += counts[c].x + counts[c].y + counts[c].z + counts[c].w;
	(void)block_sum_before<CODE_THREADS>(before, warps[0], &at);
	at += block_sum_before<CODE_THREADS>(mine.x + mine.y + mine.z + mine.w, warps[1], &all);
	begins[first + threadIdx.x] = uint4{ at, at + mine.x, at + mine.x + mine.y,
		                             at + mine.x + mine.y + mine.z };
}

/* The last of CODES codes that begins at AT or before; all lanes look at once. */
static __device__ __forceinline__ uint32_t
code_at(const uint32_t *begins, uint32_t codes, size_t at)
{
	uint32_t low = 0, high = codes;

	while (high - low > 1) {
		const uint32_t step = (high - low + 31) / 32, probe = low + threadIdx.x % 32 * step;
		const uint32_t lanes = __ballot_sync(ALL_LANES, probe < high && begins[probe] <= at);

		low += ((uint32_t)__popc(lanes) - 1) * step;
		high = min(low + step, high);
	}
	return low;
}

/*
 * A warp writes some of COUNT keys, by the places where CODES codes begin; each lane the keys of a code,
 * if these are few.  Codes without keys cost as much as others: 256 values and 128 outliers of 2^23 u32 make
 * 50,000 codes, and one warp would go through nearly all of them, for 0.5 ms.  So where few codes have keys,
 * each lane searches for the codes of single keys.
 */
template <class Key, class Map> static __global__ void
__launch_bounds__(CODED_THREADS)
write_codes_kernel(Key *keys, size_t count, Map map, const uint32_t *begins, const code_book *book)
{
	if (!begin_in_turn(SHARED_LARGE))
		return;

	enum { EACH = CODED_BYTES / sizeof(Key), WARPS = CODED_THREADS / 32, FEW = 32, SPARSE = 4 };
	__shared__ Key written[WARPS][EACH];
	Key *const mine = written[threadIdx.x / 32];
	const unsigned lane = threadIdx.x % 32;
	const size_t from = (blockIdx.x * (size_t)WARPS + threadIdx.x / 32) * EACH;
	const uint32_t here = from < count ? (uint32_t)min(count - from, (size_t)EACH) : 0;
	const uint32_t codes = (uint32_t)book->codes;
	uint32_t code, at = 0, was;

	if (here == 0)
		return;
	code = code_at(begins, codes, from);
	do {
		const bool is_code = code + lane < codes;
		const Key key = is_code ? original(map, key_of_code<Key>(book, code + lane)) : (Key)0;
		const size_t next = code + lane + 1 < codes ? begins[code + lane + 1] : count;
		const uint32_t end = (uint32_t)min(next - from, (size_t)here);
		const uint32_t before = __shfl_up_sync(ALL_LANES, end, 1);
		const uint32_t begin = lane > 0 ? before : at;
		uint32_t many = __ballot_sync(ALL_LANES, end - begin > FEW);

		if (end - begin <= FEW)
			for (uint32_t i = begin; i < end; i++)
				mine[i] = key;
		for (; many != 0; many &= many - 1) {
			const int one = __ffs((int)many) - 1;
			const uint32_t last = __shfl_sync(ALL_LANES, end, one);
			const Key value = __shfl_sync(ALL_LANES, key, one);

			for (uint32_t i = __shfl_sync(ALL_LANES, begin, one) + lane; i < last; i += 32)
				mine[i] = value;
		}
		was = at;
		at = __shfl_sync(ALL_LANES, end, 31);
		code += 32;
	} while (at < here && at - was >= SPARSE);
	for (uint32_t i = at + lane; i < here; i += 32) {
		const uint32_t its = last_upto(begins, code - 1, codes, (uint32_t)(from + i));

		mine[i] = original(map, key_of_code<Key>(book, its));
	}
	__syncwarp();
	for (uint32_t i = lane; i < here; i += 32)
		keys[from + i] = mine[i];
}

/* ---- and all of it --------------------------------------------------------------- */

/* How codes of keys are sorted. */
template <class Of> struct of_codes;
template <class Word> struct of_codes<typed<Word>> { typedef typed<uint32_t> type; };
template <class Word, class Value> struct of_codes<pairs<Word, Value>> {
	typedef pairs<uint32_t, Value> type;
};

static const size_t BOOK_BYTES = (sizeof(code_book) + 255) / 256 * 256;

/* Memory behind a code book for codes of COUNT keys that do not fit among these. */
template <class Of> static size_t
codes_bytes(size_t count)
{
	const size_t bytes = count * sizeof(uint32_t);

	return Of::CARRIES && sizeof(typename Of::key) == 8 ? (bytes + 255) / 256 * 256 : 0;
}

/* So many codes of keys alone, at most, have counters beside what finds codes. */
template <class Of> static uint32_t
counted_codes(const job<Of> &j)
{
	const size_t others = coder<typename Of::key>::BYTES + 512;

	return (uint32_t)std::min<size_t>(COUNTED_CODES, ((size_t)j.sorter->shared_bytes - others) / 2);
}

/* Keys alone, which have no more codes than have counters. */
template <class Of> static cudaError_t
count_codes(const job<Of> &j)
{
	typedef typename Of::key Key;
	const scratch &s = j.s;
	const size_t blocks = COUNTED_CODES / SUM_CODES, parts = j.count / CODE_PART + 1;
	const size_t each = CODED_BYTES / sizeof(Key) * (CODED_THREADS / 32);
	uint32_t *const counts = (uint32_t *)(((uintptr_t)j.other + 15) / 16 * 16);
	uint32_t *const begins = counts + blocks * SUM_CODES;
	const uint32_t most = counted_codes(j);

	TRY_CUDA(cudaMemsetAsync(counts, 0, blocks * SUM_CODES * sizeof *counts, j.stream));
	TRY_CUDA(launch_shared(count_codes_kernel<Key, typename Of::map>,
	                       std::min<size_t>((size_t)j.sorter->processors, parts), CODE_THREADS,
	                       coder<Key>::BYTES + (most / 2 + 1) * sizeof(uint32_t), j.stream, counts,
	                       j.keys, j.count, j.map, s.book, most));
	TRY_CUDA(launch(begin_codes_kernel<Key>, blocks, CODE_THREADS, j.stream, (uint4 *)begins,
	                (const uint4 *)counts));
	return launch(write_codes_kernel<Key, typename Of::map>, (j.count + each - 1) / each, CODED_THREADS,
	              j.stream, j.keys, j.count, j.map, begins, s.book);
}

template <class Of> static cudaError_t sort(job<Of> j, void *memory, bool in_order = false);

/* Sort CODES codes in place of J's keys, and their payloads with them. */
template <class Of> static cudaError_t
sort_coded(const job<Of> &j, uint64_t codes)
{
	typedef typename Of::key Key;
	typedef typename of_codes<Of>::type coded;
	const size_t blocks = (size_t)j.sorter->processors * 2;
	Key *const keys = keys_at(j.keys);
	char *const memory = (char *)j.s.book + BOOK_BYTES;
	job<coded> c = { j.sorter, {}, {}, {}, j.count, {}, j.stream };
	uint32_t *place;

	c.coded = true;
	if constexpr (Of::CARRIES) {
		place = sizeof(Key) == sizeof *place ? (uint32_t *)keys : (uint32_t *)memory;
		c.keys = { place, j.keys.values };
		c.codes = codes <= COUNTED_CODES ? (uint32_t)codes : 0;
	} else {
		place = (uint32_t *)j.other;
		c.keys = place;
		c.other = place + j.count;
	}
	TRY_CUDA(launch_shared(to_codes_kernel<Key, typename Of::map>, blocks, CODE_THREADS,
	                       coder<Key>::BYTES, j.stream, place, keys, j.count, j.map, j.s.book));
	TRY_CUDA(sort(c, memory + codes_bytes<Of>(j.count)));
	return launch(from_codes_kernel<Key, typename Of::map>, blocks, CODE_THREADS, j.stream, keys, place,
	              j.count, j.map, j.s.book);
}

/* Are codes counted, or sorted, or too many? */
struct codes_choice {
	uint64_t counted, sorted;

	__host__ __device__ uint32_t
	operator()(uint64_t codes) const
	{
		return codes <= counted ? 0 : codes <= sorted ? 1 : 2;
	}
};

/* Sort J's keys by codes, if these are few enough; were they? */
template <class Of> static cudaError_t
sort_by_codes(const job<Of> &j, bool *were)
{
	/* so many codes, at most, are sorted in place of keys */
	const uint64_t few = Of::CARRIES ? COUNTED_CODES : 0;
	const uint64_t sorted = sizeof(typename Of::key) == 8 ? most_codes(Of::CARRIES) : few;
	const codes_choice choice = { Of::CARRIES ? 0 : (uint64_t)counted_codes(j), sorted };

	const size_t blocks = std::min<size_t>((size_t)j.sorter->processors * 2, j.count / CODE_PART + 1);
	code_book *const book = j.s.book;

	*were = false;
	if (book == NULL)
		return cudaSuccess;
	TRY_CUDA(cudaMemsetAsync(&book->done, 0, (char *)book->before - (char *)&book->done, j.stream));
	TRY_CUDA(launch(values_kernel<typename Of::key, typename Of::map>, blocks, CODE_THREADS, j.stream,
	                book, keys_at(j.keys), j.count, j.map));
	return decide(j, &book->codes, sorted > 0 ? 2 : 1, choice, [&](const job<Of> &all, unsigned part) {
		*were = true;
		if constexpr (!Of::CARRIES)
			if (part == 0)
				TRY_CUDA(count_codes(all));
		if constexpr (Of::CARRIES || sizeof(typename Of::key) == 8)
			if (part == 1)
				TRY_CUDA(sort_coded(all, j.sorter->of_graph ? sorted
				                         : *(const uint64_t *)j.sorter->told));
		return tell_sorted(all);
	});
}

#endif
