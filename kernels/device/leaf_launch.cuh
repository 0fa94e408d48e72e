// SPDX-License-Identifier: BSD-2-Clause
/*
 * leaf_launch.cuh - sort the listed leaves, each kind with its own network
 *
 * In:   lists of leaves, and what they lie in.
 * Out:  their keys, sorted, where they belong; how many segments there are to divide.
 */
#ifndef GS_LEAF_LAUNCH_CUH
#define GS_LEAF_LAUNCH_CUH

#include <time.h>

#include "kernels/block/leaf_sort.cuh"
#include "kernels/block/leaf_windows.cuh"
#include "kernels/device/scratch.cuh"
#include "kernels/kernels.h"

/* With fewer u32 keys leaves of 16 bits are not worth a kernel that may find none; with an eighth of these or
 * more they are, where there are some. */
#ifndef GS_NARROW_FROM
#define GS_NARROW_FROM	(1 << 24)
#endif

/* With fewer u64 keys leaves are so few that windows gain nothing. */
#ifndef GS_WINDOWS_FROM
#define GS_WINDOWS_FROM	(1 << 25)
#endif

enum {
	SLEEP_FROM   = 1 << 25,	/* keys that keep the device busy while the host sleeps and wakes */
	EQUAL_SLICES = 8,	/* of EQUAL_KEYS, for as many blocks */
};

/* One sort under way. */
template <class Of> struct job {
	const gs_sorter    *sorter;
	typename Of::place  keys, other;
	typename Of::map    map;
	size_t              count;
	scratch             s;
	cudaStream_t        stream;
	bool                even = false;	/* keys, as far as a sample says */
	bool                wide = false;	/* and their leaves have more than 16 bits */
	const uint32_t     *skewed = NULL;	/* of a plan: on the device, the opposite */
	bool                coded = false;	/* keys are codes (device/codes.cuh) */
	uint32_t            codes = 0;		/* of pairs: their number, a bin each */
	bool                has_long = false;	/* some leaves are LONG; all, if keys are not few */
	bool                rare = false;	/* leaves are, in a graph, after the first divisions */
	const uint32_t     *many = NULL;	/* in a graph: how many of COUNT keys there are */
};

/* The plan of its keys. */
template <class Of> static bin_plan<typename Of::key> *
plan_of(const job<Of> &j)
{
	return (bin_plan<typename Of::key> *)j.s.plan;
}

/* CHOICE(*NEWS), on the device. */
template <class News, class Choice> struct choice_by {
	const News *news;
	Choice      choice;

	__host__ __device__ uint32_t
	operator()() const
	{
		return choice(*news);
	}
};

/* The only part, if a word is not zero. */
struct is_zero {
	__host__ __device__ uint32_t
	operator()(uint32_t word) const
	{
		return word == 0;
	}
};

typedef choice_by<uint32_t, is_zero> if_not_zero;

/*
 * The host is told the NEWS that there are when J's stream has done all that it has so far.  It asks on
 * another stream, so J's does what WORK queues meanwhile; and SLEEPS if that takes long.
 */
template <class Of, class News, class Work> static cudaError_t
ask(const job<Of> &j, const News *news, bool sleeps, const Work &work)
{
	const cudaStream_t aside = j.sorter->aside[0];
	const struct timespec some = { 0, 20000 };

	static_assert(sizeof *news <= (KINDS + 1) * sizeof *j.sorter->told, "it fits where the host is told");
	TRY_CUDA(cudaEventRecord(j.sorter->listed, j.stream));
	TRY_CUDA(work());
	TRY_CUDA(cudaStreamWaitEvent(aside, j.sorter->listed, 0));
	TRY_CUDA(cudaMemcpyAsync(j.sorter->told, news, sizeof *news, cudaMemcpyDeviceToHost, aside));
	TRY_CUDA(cudaEventRecord(j.sorter->copied, aside));
	/* in short sleeps: an event that wakes the host takes 0.2 ms in a virtual machine */
	while (sleeps && cudaEventQuery(j.sorter->listed) == cudaErrorNotReady)
		(void)nanosleep(&some, NULL);
	return cudaEventSynchronize(j.sorter->copied);
}

/* BODY(j, part), for that of PARTS which CHOICE(news) names, or for none: for J in a graph, where the device
 * knows NEWS, each as a part; otherwise when the host has been told.  Meanwhile J's stream does what WORK
 * queues, if that is not NULL; then the host SLEEPS if that takes long. */
template <class Of, class News, class Choice, class Body, class Work = std::nullptr_t> static cudaError_t
decide(const job<Of> &j, const News *news, unsigned parts, const Choice &choice, const Body &body,
       const Work &work = nullptr, bool sleeps = false)
{
	uint32_t named;

	if constexpr (!Of::CARRIES)
		if (j.sorter->of_graph) {
			chosen<choice_by<News, Choice>> c = { parts, { news, choice } };

			if constexpr (std::is_null_pointer<Work>::value)
				TRY_CUDA(choose(j.stream, &c));
			else
				TRY_CUDA(queue_beside(j.stream, 2, [&](unsigned i) {
					return i == 0 ? choose(j.stream, &c) : work();
				}));
			return queue_chosen(j.stream, &c, [&](unsigned part, cudaStream_t stream) {
				job<Of> all = j;

				all.stream = stream;
				return body(all, part);
			});
		}
	if constexpr (std::is_null_pointer<Work>::value) {
		TRY_CUDA(cudaMemcpyAsync(j.sorter->told, news, sizeof *news, cudaMemcpyDeviceToHost,
		                         j.stream));
		TRY_CUDA(cudaStreamSynchronize(j.stream));
	} else {
		TRY_CUDA(ask(j, news, sleeps, work));
	}
	named = choice(*(const News *)j.sorter->told);
	return named < parts ? body(j, named) : cudaSuccess;
}

/* Lists for keys that have been moved to TO; leaves in chunks of this many keys, or 0.  Leaves of 16
 * bits are not made for chunks. */
template <class Of> static lists
lists_of(const job<Of> &j, typename Of::source to, uint32_t chunk = 0)
{
	const size_t narrow_from = j.sorter->of_graph ? GS_NARROW_FROM : GS_NARROW_FROM / 8;
	const bool narrow = Of::PLAN_BITS == 32 && j.count >= narrow_from && !j.rare &&
	                    !keys_are_few(Of::PLAN_BITS, j.count);
	const bool in_place = maps_none(j.map) && keys_at(to) == keys_at(j.keys);
	/* in a graph each kind takes a launch, whether it has leaves or not */
	const bool longer_rare = j.sorter->of_graph && keys_are_few(Of::PLAN_BITS, j.count) &&
	                         j.s.leaf_bits == LEAF_BITS;
	lists l = { {}, j.s.listed, in_place, chunk > 0 ? EQUAL_KEYS / chunk : 0, narrow,
	            (int)(j.s.room.longest - LEAF_BITS) + 1, j.rare ? 0 : longer_rare ? 2 : (int)KINDS };

	for (int k = 0; k < KINDS; k++)
		l.list[k] = j.s.lists[k];
	return l;
}

/* The leaves of a list, and where their chunks are. */
struct leaf_chunks {
	const uint64_t *at;		/* NULL: leaves are in one piece */
	unsigned        bits;		/* log2 of the keys of a chunk */
	bool            unread;		/* keys are in one piece, and not mapped yet */
	bool            strange = false;	/* leaves are not as long as planned, so they are uneven */
	/* bins of one value, and how many, for the kernel that is to write them too */
	const leaf_item *equal = NULL;
	const uint32_t  *equals = NULL;
	const leaf_item *list = NULL;
	const uint32_t  *listed = NULL;	/* how many leaves */
};

/* ---- leaves are sorted ---------------------------------------------------- */

/* Write bins of one value where they belong, if that is for this kernel: they wait for no answer of the host
 * then.  Values of pairs come from FROM, unless they are there. */
template <class Place, class Source, class Map> static __device__ __forceinline__ void
write_equal(const Place &to, const Source &from, const Map &map, const leaf_chunks &chunks)
{
	typedef typename std::remove_reference<decltype(*keys_at(to))>::type Key;
	const uint32_t slices = chunks.equal != NULL ? *chunks.equals * EQUAL_SLICES : 0;

	for (uint32_t i = blockIdx.x; i < slices; i += gridDim.x) {
		const leaf_item item = chunks.equal[i / EQUAL_SLICES];

		for (uint32_t k = i % EQUAL_SLICES * blockDim.x + threadIdx.x; k < item.count;
		     k += EQUAL_SLICES * blockDim.x) {
			keys_at(to)[item.from + k] = original(map, (Key)item.low);
			if constexpr (!std::is_pointer<Place>::value) {
				if (chunks.at != NULL)
					to.values[item.from + k] = from.values[
						chunks.at[item.first + (k >> chunks.bits)] +
						(k & ((1u << chunks.bits) - 1))];
				else if (from.values != to.values)
					to.values[item.from + k] = from.values[item.from + k];
			}
		}
	}
}

/* Blocks take the leaves of a list in turn. */
template <unsigned BITS, class Map> static __global__ void
__launch_bounds__(block<pair<BITS>>::THREADS, block<pair<BITS>>::BLOCKS)
narrow_kernel(uint32_t *to, const uint32_t *from, Map map, leaf_chunks chunks)
{
	if (!begin_in_turn(block<pair<BITS>>::ROOM * sizeof(pair<BITS>)))
		return;

	DYNAMIC_SHARED(shared);

	for (uint32_t i = blockIdx.x; i < *chunks.listed; i += gridDim.x) {
		const leaf_item item = chunks.list[i];

		leaf_sort_narrow<BITS>(to + item.from, map, from + item.from, (uint32_t)item.count,
		                       (uint32_t)item.low, (pair<BITS> *)shared);
		__syncthreads();
	}
}

/* Sort leaves of words.  REST: only leaves of 64-bit keys that windows have left. */
template <unsigned BITS, class Key, class Map> static __global__ void
__launch_bounds__(block<word<BITS>>::THREADS, block<word<BITS>>::BLOCKS / (sizeof(Key) / 4))
word_kernel(Key *to, const Key *from, Map map, leaf_chunks chunks, bool rest)
{
	if (!begin_in_turn(leaf_bytes<BITS, typed<Key>>()))
		return;

	static const bool WIDE = sizeof(Key) == 8;
	DYNAMIC_SHARED(shared);
	leaf_space<BITS> *const space = (leaf_space<BITS> *)shared;
	const uint32_t end = WIDE && rest && chunks.listed[AGAIN_12 - WORD_12] == 0 ? 0 : *chunks.listed;

	write_equal(to, from, map, chunks);
	for (uint32_t i = blockIdx.x; i < end; i += gridDim.x) {
		const leaf_item item = chunks.list[i];
		const uint32_t count = (uint32_t)item.count;
		word<BITS> x[THREAD_KEYS];
		const auto load = [&](const auto &keys) {
			if (count <= 32)
				leaf_sort_few(to + item.from, map, keys, count);
			else if constexpr (WIDE)
				leaf_load(space, keys, count, item.low);
			else
				leaf_load(x, keys, count);
		};

		if (WIDE && rest && (item.count & UNEVEN) == 0)
			continue;
		if (chunks.unread)
			load(mapped<Key, Map>{ from + item.from, map });
		else if (chunks.at == NULL)
			load(from + item.from);
		else
			load(chunked<Key>{ from, chunks.at + item.first, chunks.bits });
		if (count <= 32)
			continue;
		if constexpr (!WIDE)
			leaf_sort<BITS>(to + item.from, map, x, count, (word<BITS> *)shared);
		else if (!leaf_sort<BITS>(to + item.from, map, count, item.low, space))
			leaf_sort_wide<BITS>(to + item.from, map, count, item.low, space);
		__syncthreads();
	}
}

/* LONG leaves, or parts of them: part LOW of HIGH. */
template <class Of> static __global__ void
__launch_bounds__(long_leaf<Of>::THREADS, blocks_that_fit(long_leaf<Of>::THREADS, 1))
long_kernel(typename Of::place to, typename Of::source from, typename Of::map map, leaf_chunks chunks,
            uint32_t chunk, uint32_t inverse)
{
	if (!begin_in_turn(sizeof(long_leaf<Of>)))
		return;

	DYNAMIC_SHARED(shared);

	write_equal(to, from, map, chunks);
	for (uint32_t i = blockIdx.x; i < *chunks.listed; i += gridDim.x) {
		const leaf_item item = chunks.list[i];
		const uint64_t *const at = chunks.at + item.first;
		const long_source<typename Of::source> source = { from, at, chunk, inverse };

		leaf_sort_long<Of>(to + item.from, map, source, (uint32_t)item.count, (uint32_t)item.low,
		                   (uint32_t)item.high, (long_leaf<Of> *)shared);
		__syncthreads();
	}
}

/* Blocks that shared memory has room for. */
template <unsigned BITS, class Key, class Value> static constexpr unsigned
pairs_blocks(void)
{
	const unsigned blocks = block<word<BITS>>::BLOCKS;

	return sizeof(Key) + sizeof(Value) == 8 ? blocks / 4 * 3 + blocks / 2 % 2 : blocks / 2;
}

template <unsigned BITS, class Key, class Value> static __global__ void
__launch_bounds__(block<word<BITS>>::THREADS, pairs_blocks<BITS, Key, Value>())
pairs_kernel(arrays<Key, Value> to, arrays<Key, Value> from, key_map<Key> map, leaf_chunks chunks,
             const uint32_t *skewed)
{
	if (!begin_in_turn(sizeof(leaf_space<BITS, Key, Value>)))
		return;

	DYNAMIC_SHARED(shared);
	const bool uneven = chunks.strange || (skewed != NULL && *skewed != 0);
	leaf_space<BITS, Key, Value> *space = (leaf_space<BITS, Key, Value> *)shared;

	write_equal(to, from, map, chunks);
	for (uint32_t i = blockIdx.x; i < *chunks.listed; i += gridDim.x) {
		const leaf_item item = chunks.list[i];
		const bool whole = chunks.at == NULL;
		const uint64_t *const at = whole ? NULL : chunks.at + item.first;
		const arrays<Key, Value> in = whole ? from + item.from : from;
		const bool direct = (item.high - item.low) >> (32 - BITS) == 0;

		leaf_sort_pairs(to + item.from, map, anywhere<Key>{ { in.keys, at, chunks.bits } },
		                anywhere<Value>{ { in.values, at, chunks.bits } }, (uint32_t)item.count,
		                (Key)item.low, direct, uneven, space);
		__syncthreads();
	}
}

/*
 * A block sorts an item that fits no leaf, in device memory, where it belongs; in a graph, where the host
 * cannot have it divided once more.
 */
template <class Key, class Map> static __global__ void
__launch_bounds__(COUNT_THREADS)
too_large_kernel(Key *to, const Key *from, Map map, leaf_chunks chunks)
{
	begin_in_turn();

	for (uint32_t i = blockIdx.x; i < *chunks.listed; i += gridDim.x) {
		const leaf_item item = chunks.list[i];
		const bool whole = chunks.at == NULL;
		const anywhere<Key> keys = { { whole ? from + item.from : from,
		                               whole ? NULL : chunks.at + item.first, chunks.bits } };
		Key *const x = to + item.from;
		const uint64_t count = item.count;

		for (unsigned k = threadIdx.x; k < count; k += COUNT_THREADS)
			x[k] = keys[k];
		__syncthreads();
		for (uint64_t size = 2; size / 2 < count; size *= 2)	/* as in tile_sort.cu */
			for (uint64_t stride = size / 2; stride > 0; stride /= 2) {
				for (uint64_t c = threadIdx.x; c < count / 2 + stride; c += COUNT_THREADS) {
					const uint64_t in = c & (stride - 1), low = 2 * c - in;
					const uint64_t high = stride < size / 2 ? low + stride :
					                      low - in + 2 * stride - 1 - in;

					if (high < count && x[low] > x[high])
						exchange(&x[low], &x[high]);
				}
				__syncthreads();
			}
		for (uint64_t k = threadIdx.x; k < count; k += COUNT_THREADS)
			x[k] = original(map, x[k]);
		__syncthreads();
	}
}

/* Where leaves are, and how many at most: a block that finds none waits for room all the same. */
template <class Of> struct leaf_place {
	typename Of::source from;
	leaf_chunks         chunks;
	uint32_t            most = UINT32_MAX;
	uint32_t            rounds = 4;		/* blocks for each that runs at once, for these even out */
};

/* Leaves AT, for the kernel that writes bins of one value, too. */
template <class Of> static leaf_place<Of>
with_equal(const job<Of> &j, leaf_place<Of> at)
{
	at.chunks.equal = j.s.lists[EQUAL];
	at.chunks.equals = &j.s.listed[EQUAL];
	return at;
}

/* The leaves of KIND, and their chunks. */
template <class Of> static leaf_chunks
leaves_of(const job<Of> &j, int kind, leaf_chunks chunks)
{
	chunks.list = j.s.lists[kind];
	chunks.listed = &j.s.listed[kind];
	return chunks;
}

/* How many blocks sort leaves AT, if EACH fit on a multiprocessor. */
template <class Of> static size_t
leaf_blocks(const job<Of> &j, const leaf_place<Of> &at, unsigned each)
{
	const size_t most = std::min<size_t>(at.most, j.count / LEAF_KEYS * 3 + FEW_BUCKETS);

	return std::min<size_t>((size_t)j.sorter->processors * each * at.rounds, most);
}

/* Leaves of KIND, by a network.  Where there may be none, launches shall cost little.  Others are not early:
 * at 2^20 keys they would be sorted by half of the multiprocessors. */
template <class Net, class Of, class... Param, class... More> static cudaError_t
sort_kind(const job<Of> &j, int kind, size_t shared_bytes, unsigned blocks, const leaf_place<Of> &at,
          void (*kernel)(Param...), More... more)
{
	const size_t many = leaf_blocks(j, at, blocks);
	const auto queue = j.rare ? launch_shared<true, Param...> : launch_shared<false, Param...>;

	return queue(kernel, j.rare ? (many + 3) / 4 : many, block<Net>::THREADS, shared_bytes, j.stream,
	             j.keys, at.from, j.map, leaves_of(j, kind, at.chunks), more...);
}

/* Even keys of 64 bits in one piece go to windows first: what these leave is few. */
template <unsigned BITS, class Of> static cudaError_t
sort_words(const job<Of> &j, int kind, const leaf_place<Of> &at)
{
	typedef word<BITS> net;
	const size_t bytes = leaf_bytes<BITS, Of>();

	if constexpr (Of::CARRIES)
		return sort_kind<net>(j, kind, bytes,
		                      pairs_blocks<BITS, typename Of::key, typename Of::value>(), at,
		                      pairs_kernel<BITS, typename Of::key, typename Of::value>, j.skewed);
	else {
		const bool wide = sizeof(typename Of::key) == 8;
		const bool rest = wide && j.even && at.chunks.at == NULL && !at.chunks.unread;

		if constexpr (wide)
			if (rest)
				TRY_CUDA(launch_shared<false>(windows_slots_kernel<BITS, typename Of::map>,
				                              leaf_blocks(j, at, windows<BITS>::BLOCKS),
				                              windows<BITS>::THREADS, sizeof(windows<BITS>),
				                              j.stream, j.keys, (uint64_t *)at.from, j.map,
				                              slot_leaves<uint64_t>{}, j.s.lists[kind],
				                              &j.s.listed[kind]));
		return sort_kind<net>(j, kind, bytes, wide ? block<net>::BLOCKS / 2 : block<net>::BLOCKS, at,
		                      word_kernel<BITS, typename Of::key, typename Of::map>, rest);
	}
}

/* A leaf a block, so that whichever block ends first takes the next one. */
template <class Of> static cudaError_t
sort_long(const job<Of> &j, const leaf_place<Of> &at)
{
	const uint32_t blocks = std::min<uint32_t>(at.most, BUCKETS / 8 * 9);	/* some leaves have parts */
	const uint32_t chunk = j.s.pool.chunks.size;

	static_assert(sizeof(long_leaf<Of>) <= (227 << 10) - 512, "it fits a block: room_of()");
	static_assert(tile_of_few<Of>::KEYS % long_leaf<Of>::BATCH == 0 &&
	              tile_of_many<Of>::KEYS % long_leaf<Of>::BATCH == 0, "a batch is in one chunk");
	static_assert((int)long_leaf<Of>::LONGEST == (int)long_leaf<typename Of::seen>::LONGEST,
	              "as they are listed");
	static_assert(!Of::CARRIES || long_most<Of>() * 4 < 3 * BUCKETS * 8 * tile_of_many<Of>::KEYS,
	              "a chunk is one tile, or two: plan_chunks()");

	return launch_shared<false>(long_kernel<Of>, blocks, long_leaf<Of>::THREADS, sizeof(long_leaf<Of>),
	                            j.stream, j.keys, at.from, j.map, leaves_of(j, LONG, at.chunks), chunk,
	                            UINT32_MAX / chunk + 1);
}

/* Leaves of KIND, by the network NET or their kind's. */
template <class Of> static cudaError_t
sort_leaves(const job<Of> &j, int kind, const leaf_place<Of> &at, int net = KINDS)
{
	const auto words = [&](auto bits) { return sort_words<bits()>(j, kind, at); };

	net = net == KINDS ? kind : net;
	if constexpr (has_long_leaves<Of>())
		if (kind == LONG)
			return sort_long(j, at);
	if constexpr (Of::PLAN_BITS == 32) {
		if (net >= WORD_12)
			return by_bits<12, 13, 14, 15>((unsigned)(net - WORD_12 + LEAF_BITS), words);
		/* 2^11 words and so on, so twice as many keys */
		return by_bits<11, 12, 13, 14>((unsigned)(net - NARROW_12 + LEAF_BITS - 1), [&](auto bits) {
			typedef pair<bits()> net;

			return sort_kind<net>(j, kind, block<net>::ROOM * sizeof(net), block<net>::BLOCKS, at,
			                      narrow_kernel<bits(), typename Of::map>);
		});
	}
	return by_bits<12, 13, 14>((unsigned)(net - WORD_12 + LEAF_BITS), words);
}

/* Launch the kernel for leaves of length K, of 16 bits if NARROW; the shortest others come with bins of one
 * value.  Few blocks where leaves are not likely; where they are rare, lengths come in pairs. */
template <class Of> static cudaError_t
sort_kind_in_graph(const job<Of> &j, const leaf_place<Of> &at, int k, bool narrow)
{
	const lists l = lists_of(j, at.from);
	const int likely = (int)j.s.leaf_bits - LEAF_BITS;
	const bool few = keys_are_few(Of::PLAN_BITS, j.count);
	leaf_place<Of> here = k == 0 && !narrow ? with_equal(j, at) : at;

	if ((narrow && !l.narrow) || (j.has_long && (!few || k > likely)))
		return cudaSuccess;
	if (few && k > likely) {	/* each leaf has more keys than the next shorter kind has room for */
		const size_t most = (j.count >> (LEAF_BITS - 1 + k)) + 1;

		here.most = (uint32_t)(k == likely + 1 ? most >> (Of::PLAN_BITS == 32) :
		                       std::min<size_t>(most, (size_t)j.sorter->processors / 4 + 1));
	}
	if (!j.rare && !few && k != likely)
		here.rounds = 1;
	if (narrow)
		return sort_leaves(j, NARROW_12 + k, here);
	if (k < l.paired)
		return sort_leaves(j, WORD_12 + k, here);
	return k % 2 != 0 ? cudaSuccess :
	       sort_leaves(j, WORD_12 + k, here, WORD_12 + std::min(k + 1, l.kinds - 1));
}

/* Sort leaves of all kinds, whether there are any or not, for the host waits for no counts: longest first,
 * then LONG ones, and side by side if they are not rare.  Beside them is what ALSO queues. */
template <class Of, class Also> static cudaError_t
sort_all_kinds(const job<Of> &j, const leaf_place<Of> &at, const Also &also)
{
	const unsigned kinds = (unsigned)lists_of(j, at.from).kinds, many = 2 * kinds + 1 + j.has_long;
	const bool few = keys_are_few(Of::PLAN_BITS, j.count);
	const auto queue = [&](unsigned i) {
		return i == 2 * kinds ? also() :
		       i > 2 * kinds ? sort_leaves(j, LONG, few ? at : with_equal(j, at)) :
		       sort_kind_in_graph(j, at, (int)(kinds - 1) - (int)(i / 2), i % 2 != 0);
	};

	if (!j.rare)
		return queue_beside(j.stream, many, queue);
	for (unsigned i = 0; i < many; i++)
		TRY_CUDA(queue(i));
	return cudaSuccess;
}

/* Sort the LISTED leaves of all kinds, longest first, side by side; leaves are under way on the streams in
 * the set BUSY.  J's stream then waits for all of these. */
template <class Of> static cudaError_t
sort_others(const job<Of> &j, const leaf_place<Of> &at, const uint32_t *listed, unsigned busy)
{
	job<Of> others = j;
	leaf_place<Of> here = at;
	unsigned next = 0;

	here.chunks.strange = true;
	for (int kind = KINDS - 1; kind >= NARROW_12; kind--)
		if (listed[kind] > 0) {
			others.stream = j.sorter->aside[next];
			busy |= 1u << next;
			next = (next + GS_ASIDES - 1) % GS_ASIDES;	/* in turn */
			here.most = listed[kind];
			TRY_CUDA(sort_leaves(others, kind, here));
		}
	for (unsigned i = 0; i < GS_ASIDES; i++)
		if ((busy >> i & 1) != 0) {
			TRY_CUDA(cudaEventRecord(j.sorter->listed, j.sorter->aside[i]));
			TRY_CUDA(cudaStreamWaitEvent(j.stream, j.sorter->listed, 0));
		}
	return cudaSuccess;
}

/* Queue leaves of KIND on another stream, ASIDE, from where lists are known on. */
template <class Of> static cudaError_t
sort_beside(job<Of> j, int kind, const leaf_place<Of> &at, unsigned aside)
{
	j.stream = j.sorter->aside[aside];
	TRY_CUDA(cudaStreamWaitEvent(j.stream, j.sorter->listed, 0));
	return sort_leaves(j, kind, at);
}

/*
 * Sort what is listed, from AT to where it belongs; returns how many are TOO_LARGE.
 *
 * Leaves of 2^LEAF_BITS keys are likely, so they are queued before the host knows how many there
 * are; if few keys are in chunks, so are longer leaves, or LONG ones in place of them, and shorter ones,
 * beside them, for each kind alone leaves multiprocessors idle; and what ALSO queues, which needs no answer.
 * Longer ones are on a stream of a higher priority: each takes about as long as all others.  While these are
 * at work, the host asks on another stream, and has others sort the other kinds: these are few, and each
 * alone would take as long as its longest leaf.  Leaves of 16 bits with fewer keys, which may be all or none,
 * are sorted beside.
 */
template <class Of, class Also> static cudaError_t
sort_listed(const job<Of> &j, const leaf_place<Of> &at, unsigned leaf_bits, uint32_t *too_large,
            const Also &also)
{
	const bool may = lists_of(j, at.from).narrow && !j.wide;
	const bool narrow = may && j.count >= GS_NARROW_FROM, beside = may && !narrow;
	const bool few = keys_are_few(Of::PLAN_BITS, j.count), long_beside = j.has_long && few;
	const int likely[2] = { j.has_long && !few ? (int)LONG : WORD_12 + (int)(leaf_bits - LEAF_BITS),
		                NARROW_12 + (int)(leaf_bits - LEAF_BITS) };
	const bool shorter = at.chunks.at != NULL && leaf_bits > LEAF_BITS;
	/* not for less than 2^20 keys of 32 bits, whose leaves take no longer than it takes to queue these */
	const bool longer = few && at.chunks.at != NULL && leaf_bits < j.s.room.longest &&
	                    (Of::PLAN_BITS == 64 || j.count >= GS_FEW_BYTES / 16);
	const int large = long_beside ? (int)LONG : longer ? likely[0] + 1 : (int)KINDS;
	/* longer leaves get fewer blocks than can run at once: a block that finds no leaf is in the way */
	const uint32_t some = (uint32_t)j.sorter->processors;
	uint32_t *const listed = j.sorter->told;

	TRY_CUDA(ask(j, (const uint32_t (*)[KINDS])j.s.listed, j.count >= SLEEP_FROM, [&] {
		TRY_CUDA(sort_leaves(j, likely[0], with_equal(j, at)));
		if (narrow)
			TRY_CUDA(sort_leaves(j, likely[1], at));
		TRY_CUDA(also());
		if (large < KINDS)
			TRY_CUDA(sort_beside(j, large, leaf_place<Of>{ at.from, at.chunks,
			                                               large == LONG ? some : some / 2 }, 2));
		if (shorter)		/* not on the first stream: the answer would wait for them */
			TRY_CUDA(sort_beside(j, likely[0] - 1, at, 1));
		if (beside)
			TRY_CUDA(sort_beside(j, likely[1],
			                     leaf_place<Of>{ at.from, at.chunks, 16 * some }, 1));
		return cudaSuccess;
	}));
	*too_large = listed[TOO_LARGE];
	listed[TOO_LARGE] = 0;
	listed[LONG] = 0;
	for (int i = 0; i < 1 + may; i++)
		listed[likely[i]] = 0;
	if (large < KINDS)
		listed[large] = 0;
	if (shorter)
		listed[likely[0] - 1] = 0;
	return sort_others(j, at, listed, (large < KINDS ? 4u : 0) | (shorter || beside ? 2u : 0));
}

#endif
