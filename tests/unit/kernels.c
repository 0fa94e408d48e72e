// SPDX-License-Identifier: BSD-2-Clause
/*
 * kernels.c - tile sort, merge, sort and check, on the emulated GPU, against a sort on the host
 *
 * Every case runs with lanes forwards and backwards, between guard keys; whole sorts, if time is
 * short, either way in turn.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/shapes.h"
#include "kernels/kernels.h"
#include "kernels/paper/tile_merge.h"
#include "tests/emu/samples.h"
#include "tests/unit/units.h"

void unit_kernels(void);

enum { GUARD = 16, GUARD_BYTE = 0x5c };

/* How keys are made: a formula of index, count and a random number. */
struct formula {
	const char *name;
	uint64_t  (*key)(uint64_t i, uint64_t count, uint64_t random);
};

static uint64_t uniform(uint64_t i, uint64_t n, uint64_t r) { (void)i; (void)n; return r; }
static uint64_t rising(uint64_t i, uint64_t n, uint64_t r)  { (void)n; (void)r; return i * 3; }
static uint64_t falling(uint64_t i, uint64_t n, uint64_t r) { (void)r; return n - i; }
static uint64_t equal(uint64_t i, uint64_t n, uint64_t r)   { (void)i; (void)n; (void)r; return 7; }
static uint64_t few(uint64_t i, uint64_t n, uint64_t r)     { (void)i; (void)n; return r % 5 << 30; }
static uint64_t extreme(uint64_t i, uint64_t n, uint64_t r) { (void)i; (void)n; return -(r & 1); }
static uint64_t organ(uint64_t i, uint64_t n, uint64_t r)   { (void)r; return i < n / 2 ? i : n - i; }
static uint64_t saw(uint64_t i, uint64_t n, uint64_t r)     { (void)n; (void)r; return i % 1000; }
static uint64_t steep(uint64_t i, uint64_t n, uint64_t r)   { (void)n; return r >> i % 64; }
/* two heaps far apart, the second one again two heaps, ... */
static uint64_t
heaps(uint64_t i, uint64_t n, uint64_t r)
{
	(void)n;
	return (UINT64_C(1) << 2 * (i % 31)) + r % 7;
}

/* 16 clusters with nothing between */
static uint64_t
clusters(uint64_t i, uint64_t n, uint64_t r)
{
	(void)i;
	(void)n;
	return (r % 16 * UINT64_C(0x9e3779b97f4a7c15) ^ UINT64_C(0x9e3779b9) * (r % 16)) +
	       (r >> 8 & 0x3fff);
}

/*
 * The last of 64 bins with keys at both of its ends: in a leaf of u64 the words of
 * the upper ones begin as those behind the last key.
 */
static uint64_t
ends(uint64_t i, uint64_t n, uint64_t r)
{
	(void)n;
	return i % 5000 == 0 ? -(1 + r % 5000) : i % 5000 == 1 ? (UINT64_C(63) << 58) + r % 5000 : r;
}

/* a dense middle, and tails that a sample does not see all of */
static uint64_t
tails(uint64_t i, uint64_t n, uint64_t r)
{
	const uint64_t middle = UINT64_C(0x6000000060000000) + (r & UINT64_C(0x0fffffff0fffffff));

	(void)n;
	return i % 997 == 0 ? r : middle;
}

/* two keys in 100000 are far outside of all that a sample sees */
static uint64_t
strays(uint64_t i, uint64_t n, uint64_t r)
{
	const uint64_t middle = UINT64_C(0x6000000060000000) + (r & UINT64_C(0x0fffffff0fffffff));

	(void)n;
	return i % 99991 == 5 ? 7 : i % 99991 == 17 ? -(uint64_t)16 : middle;
}

/* nothing in the middle: where keys are, they are evenly spread */
static uint64_t
gap(uint64_t i, uint64_t n, uint64_t r)
{
	const uint32_t low = (uint32_t)r / 10 * 6, key = low + (low >> 30 > 0 ? 1717986918 : 0);

	(void)i;
	(void)n;
	return (uint64_t)key << 32 | key;
}

/* 2048 narrow heaps at even distances: even, but not inside a leaf of u64 */
static uint64_t
heaped(uint64_t i, uint64_t n, uint64_t r)
{
	(void)i;
	(void)n;
	return (r >> 53 << 53) + (r & 0xffffff);
}

static const struct formula shapes[] = {
	{ "uniform", uniform }, { "rising", rising }, { "falling", falling }, { "equal", equal },
	{ "few different", few }, { "extreme", extreme }, { "organ pipe", organ }, { "saw", saw },
	{ "steep", steep }, { "heaps", heaps }, { "tails", tails },
	{ "strays", strays }, { "gap", gap },
	{ "clusters", clusters }, { "ends", ends }, { "heaped", heaped },
};

enum { MORE_SHAPES = sizeof shapes / sizeof shapes[0] };

static uint64_t random_state = 42;

/* Vigna, "splitmix64". */
static uint64_t
random_next(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void
sort_on_host(void *keys, unsigned bits, size_t count)
{
	uint64_t *wide = bits == 64 ? keys : malloc((count + 1) * sizeof *wide);

	for (size_t i = 0; bits == 32 && i < count; i++)
		wide[i] = ((uint32_t *)keys)[i];
	units_sort(wide, count);
	for (size_t i = 0; bits == 32 && i < count; i++)
		((uint32_t *)keys)[i] = (uint32_t)wide[i];
	if (bits == 32)
		free(wide);
}

static void
fill(void *keys, unsigned bits, size_t count, const struct formula *shape)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t key = shape->key(i, count, random_next());

		if (bits == 32)
			((uint32_t *)keys)[i] = (uint32_t)key;
		else
			((uint64_t *)keys)[i] = key;
	}
}

/* Device memory for COUNT keys from byte SHIFT on, between guards. */
struct guarded {
	unsigned char *memory, *keys;
	size_t         before, bytes;
};

static struct guarded
guarded_open(unsigned bits, size_t count, size_t shift_keys)
{
	struct guarded g = {
		.before = (GUARD + shift_keys) * (bits / 8), .bytes = count * (bits / 8),
	};
	void *memory = NULL;

	if (cudaMalloc(&memory, g.before + g.bytes + GUARD * 8) != cudaSuccess)
		abort();
	memset(memory, GUARD_BYTE, g.before + g.bytes + GUARD * 8);
	g.memory = memory;
	g.keys = g.memory + g.before;
	return g;
}

/* Free it; are the guards unchanged? */
static bool
guarded_close(struct guarded *g)
{
	bool whole = true;

	for (size_t b = 0; b < g->before; b++)
		whole = whole && g->memory[b] == GUARD_BYTE;
	for (size_t b = 0; b < GUARD * 8; b++)
		whole = whole && g->keys[g->bytes + b] == GUARD_BYTE;
	(void)cudaFree(g->memory);
	return whole;
}

static void
backwards(bool on)
{
	setenv("GSORT_EMU_REVERSE", on ? "1" : "0", 1);
}

/* ---- tile sort ----------------------------------------------------------- */

static void
check_sort(unsigned bits, size_t count, const struct formula *shape)
{
	void *want = malloc((count + 1) * (bits / 8));
	void *unsorted = malloc((count + 1) * (bits / 8));

	fill(unsorted, bits, count, shape);
	memcpy(want, unsorted, count * (bits / 8));
	sort_on_host(want, bits, count);
	for (int reverse = 0; reverse < 2; reverse++) {
		struct guarded tile = guarded_open(bits, count, count % 3);
		bool sorted;

		backwards(reverse);
		memcpy(tile.keys, unsorted, tile.bytes);
		sorted = gs_tile_sort(tile.keys, bits, count, NULL) == cudaSuccess &&
		         memcmp(tile.keys, want, tile.bytes) == 0;
		CHECK(sorted, "a tile of %zu u%u keys, %s, gets sorted", count, bits, shape->name);
		CHECK(guarded_close(&tile), "%zu u%u keys, %s: nothing around is written",
		      count, bits, shape->name);
	}
	free(unsorted);
	free(want);
}

static void
check_sorts(unsigned bits)
{
	static const size_t sizes[] = {
		0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 1000, 1023, 1024, 1025,
		2049, 4095, 4096, 4097, 6000, 8191, 8192, 8193, 12288, 12289, 16383, 16384, 16385,
		24577, 40000, 65535, 65536, 65537, 100003,
	};

	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
		check_sort(bits, sizes[s], &shapes[s % 3 == 0 ? 0 : s % MORE_SHAPES]);
	for (size_t s = 0; s < MORE_SHAPES; s++)
		check_sort(bits, 8192 + 4096 + 77, &shapes[s]);
	/* in the last phase six strides span blocks: two passes */
	check_sort(bits, (bits == 32 ? 1u << 18 : 1u << 17) + 30001, &shapes[0]);
}

/*
 * A network that sorts every sequence of zeros and ones sorts everything (Knuth,
 * TAOCP 3, 5.3.4, theorem Z).  Not every one of 2^8192, but runs of ones that
 * begin and end everywhere: these are what merges are made of.
 */
static void
check_zeros_and_ones(unsigned bits)
{
	enum { KEYS = 8192 };
	struct guarded tile = guarded_open(bits, KEYS, 0);
	unsigned wrong = 0;

	backwards(false);
	for (size_t from = 0; from < KEYS; from += 509)
		for (size_t length = 1; length < KEYS; length *= 3) {
			memset(tile.keys, 0, tile.bytes);
			for (size_t i = 0; i < length; i++)
				tile.keys[(from + i) % KEYS * (bits / 8)] = 1;
			(void)gs_tile_sort(tile.keys, bits, KEYS, NULL);
			for (size_t i = 0; i < KEYS; i++)
				wrong += tile.keys[i * (bits / 8)] != (i >= KEYS - length);
		}
	CHECK(wrong == 0, "runs of ones among zeros are sorted as u%u keys", bits);
	CHECK(guarded_close(&tile), "and nothing around is written");
}

/* ---- sort ---------------------------------------------------------------- */

/* Whether a case need not run with lanes backwards, or forwards: of rows in any regular order, such as
 * two sizes of each shape, each size and each shape has both (Thue and Morse). */
static bool
leaves_out(int reverse)
{
	static unsigned cases;

	return units_brief() && __builtin_parity(cases++ / 2) == reverse;
}

static void
invert(void *keys, unsigned bits, size_t count, uint64_t ones)
{
	for (size_t i = 0; ones != 0 && i < count; i++)
		if (bits == 32)
			((uint32_t *)keys)[i] ^= (uint32_t)ones;
		else
			((uint64_t *)keys)[i] ^= ones;
}

/* As gs_sort(), for keys that are in order when the bits set in ALWAYS are inverted; or as for a GRAPH. */
static cudaError_t
sort_inverted(void *keys, void *other, unsigned bits, size_t count, uint64_t always, bool graph,
              void *scratch)
{
	const struct gs_key_map map = { .always = always };
	struct gs_sorter sorter;
	cudaError_t error;

	error = graph ? gs_sorter_of_graph(&sorter) : gs_sorter_open(&sorter);
	if (error == cudaSuccess)
		error = gs_sort(&sorter, keys, other, bits, map, count, scratch, NULL);
	gs_sorter_close(&sorter);
	return error;
}

/* Sort COUNT keys that are at UNSORTED, but inverted where ALWAYS has ones; NAME: their shape. */
static void
check_inverted_sort(const void *unsorted, unsigned bits, size_t count, const char *name, uint64_t always,
                    bool graph)
{
	const size_t width = bits / 8;
	void *want = malloc((count + 1) * width);
	void *scratch = NULL;

	memcpy(want, unsorted, count * width);
	sort_on_host(want, bits, count);
	invert(want, bits, count, always);
	for (int reverse = 0; reverse < 2; reverse++) {
		struct guarded keys, room;
		bool sorted;

		if (leaves_out(reverse))
			continue;
		keys = guarded_open(bits, count, count % 3);
		room = guarded_open(bits, count, count % 2);
		(void)cudaMalloc(&scratch, gs_sort_scratch_bytes(bits, count));
		memset(scratch, 0xa5, gs_sort_scratch_bytes(bits, count));
		backwards(reverse);
		memcpy(keys.keys, unsorted, keys.bytes);
		invert(keys.keys, bits, count, always);
		sorted = sort_inverted(keys.keys, room.keys, bits, count, always, graph, scratch) ==
		                 cudaSuccess && memcmp(keys.keys, want, keys.bytes) == 0;
		CHECK(sorted, "%zu u%u keys, %s, get sorted, by %016jx", count, bits, name,
		      (uintmax_t)always);
		CHECK(guarded_close(&keys), "%zu u%u keys, %s: nothing around is written", count, bits,
		      name);
		CHECK(guarded_close(&room), "%zu u%u keys, %s: nor around their room", count, bits, name);
		(void)cudaFree(scratch);
	}
	free(want);
}

static void
check_whole_sort_of(const void *unsorted, unsigned bits, size_t count, const char *name)
{
	check_inverted_sort(unsorted, bits, count, name, 0, false);
}

static void
check_whole_sort(unsigned bits, size_t count, const struct formula *shape)
{
	void *unsorted = malloc((count + 1) * (bits / 8));

	fill(unsorted, bits, count, shape);
	check_whole_sort_of(unsorted, bits, count, shape->name);
	free(unsorted);
}

/* Keys as benchmarks have them. */
static void
check_bench_sort(unsigned bits, size_t count, unsigned shape)
{
	static const char *const names[] = {
#define SHAPE(constant, name) name,
		SHAPES_OF_KEYS
#undef SHAPE
	};
	void *unsorted = malloc((count + 1) * (bits / 8));

	for (size_t i = 0; i < count; i++)
		if (bits == 32)
			((uint32_t *)unsorted)[i] = (uint32_t)key_of(shape, bits, i, count, count);
		else
			((uint64_t *)unsorted)[i] = key_of(shape, bits, i, count, count);
	check_whole_sort_of(unsorted, bits, count, names[shape]);
	free(unsorted);
}

/*
 * Here sorts by bins begin at 20000 keys, buckets are leaves up to 560000 bytes, and leaves of 16
 * bits are made from 60000 keys on, if buckets are not leaves.
 */
static void
check_whole_sorts(unsigned bits)
{
	static const size_t sizes[] = {
		0, 1, 2, 5000, 19999, 20000, 20001, 59999, 60000, 65536, 70000, 70001, 139999, 140000,
		140001, 150500, 150501, 222000,
	};
	static const size_t counts[] = { 67000, 151000, 148000 };

	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
		check_whole_sort(bits, sizes[s], &shapes[0]);
		if (!units_brief() || (s + bits / 64) % 2 == 0)
			check_bench_sort(bits, sizes[s], SHAPE_ZIPF);
	}
	/* if time is short, each shape of keys has one of these sizes, another one for each width */
	for (size_t s = 0; s < MORE_SHAPES; s++) {
		if (!units_brief() || (s + bits / 64) % 2 == 0)
			check_whole_sort(bits, 66000, &shapes[s]);	/* few: buckets are leaves */
		if (!units_brief() || (s + bits / 64) % 2 != 0)
			check_whole_sort(bits, 150000, &shapes[s]);	/* many; u32: uneven ones are, too */
	}
	for (unsigned shape = 0; shape < SHAPES; shape++)
		for (unsigned s = 0; s < (bits == 32 ? 3 : 2); s++)
			if (!units_brief() || (shape + bits / 64) % (bits == 32 ? 3 : 2) == s)
				check_bench_sort(bits, counts[s], shape);
	check_bench_sort(bits, bits == 32 ? 1200000 : 600000, SHAPE_CLUSTERS);	/* large buckets */
	check_bench_sort(bits, 700000, SHAPE_THOUSAND);		/* few values in each */
	check_bench_sort(bits, 700000, SHAPE_NESTED);		/* crowded in each */
	check_whole_sort(bits, 222000, &shapes[MORE_SHAPES - 1]);	/* 64 bins */
}

/* ---- long leaves of uneven keys ------------------------------------------------ */

enum { LEAF_SAMPLE = 2048 };	/* of a leaf, at even distances; a block has room for 4096 u32, fewer pairs */

static bool
leaf_samples(uint64_t i, uint64_t n)
{
	const uint64_t s = (i * LEAF_SAMPLE + n - 1) / n;

	return s < LEAF_SAMPLE && s * n / LEAF_SAMPLE == i;
}

/* most are between two neighbours of a sample */
static uint64_t
unseen(uint64_t i, uint64_t n, uint64_t r)
{
	return leaf_samples(i, n) ? (r | 1) & 0xffff0fff : 0x12342000 + r % 0x4000;
}

/* half have one value, which are more than a block has room for; 100 values, each with a bin for itself */
static uint64_t crowd(uint64_t i, uint64_t n, uint64_t r)   { (void)i; (void)n; return r >> 40 & 1 ? 0 : r; }
static uint64_t hundred(uint64_t i, uint64_t n, uint64_t r) { (void)i; (void)n; return r % 100 * 0x2908d2d; }

/* BITS of key I. */
static uint64_t
key_get(const void *keys, unsigned bits, size_t i)
{
	return bits == 32 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

static void
key_put(void *keys, unsigned bits, size_t i, uint64_t key)
{
	if (bits == 32)
		((uint32_t *)keys)[i] = (uint32_t)key;
	else
		((uint64_t *)keys)[i] = key;
}

/* Sort a leaf of COUNT keys, to which MORE is added, with payloads or none; chunks of it lie in reverse. */
static void
check_long_leaf(unsigned bits, unsigned value_bits, uint32_t count, const struct formula *way,
                uint32_t more)
{
	const uint32_t chunks = (count + SAMPLE_CHUNK - 1) / SAMPLE_CHUNK;
	const uint64_t always = count % 2 == 0 ? 0 : (UINT64_C(1) << (bits - 1)) + 1;
	const size_t room = (size_t)chunks * SAMPLE_CHUNK;
	struct guarded from = guarded_open(bits, room, 0), to = guarded_open(bits, count, count % 3);
	struct guarded values = guarded_open(64, room, 0), values_to = guarded_open(64, count, 0);
	unsigned char *const seen = calloc(room, 1);
	uint64_t *const want = malloc(count * sizeof *want);
	uint64_t places[8] = { 0 };
	uint32_t astray = 0;
	cudaError_t error;

	for (uint32_t c = 0; c < chunks; c++)
		places[c] = (uint64_t)(chunks - 1 - c) * SAMPLE_CHUNK;
	fill(want, bits, count, way);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t place = places[i / SAMPLE_CHUNK] + i % SAMPLE_CHUNK;

		key_put(want, bits, i, key_get(want, bits, i) + (bits == 32 ? more : (uint64_t)more << 32));
		key_put(from.keys, bits, place, key_get(want, bits, i));
		if (value_bits > 0)
			key_put(values.keys, value_bits, place, place);
	}
	sort_on_host(want, bits, count);
	for (uint32_t i = 0; i < count; i++)
		key_put(want, bits, i, key_get(want, bits, i) ^ always);
	error = sample_long(&(struct sample_leaf){
		to.keys, values_to.keys, from.keys, values.keys, bits, value_bits, places, count, always });
	CHECK(error == cudaSuccess && memcmp(to.keys, want, to.bytes) == 0,
	      "a leaf of %u keys of %u bits, %s, gets sorted", count, bits, way->name);
	for (uint32_t i = 0; value_bits > 0 && i < count; i++) {
		const uint64_t place = key_get(values_to.keys, value_bits, i) % room;

		astray += key_get(from.keys, bits, place) != (key_get(want, bits, i) ^ always) ||
		          seen[place]++ > 0;
	}
	CHECK(astray == 0, "%u of %u payloads of %u bits, %s, are with other keys", astray, count, value_bits,
	      way->name);
	CHECK(guarded_close(&to) && guarded_close(&from), "%u keys, %s: nothing around is written", count,
	      way->name);
	CHECK(guarded_close(&values) && guarded_close(&values_to),
	      "payloads of %u keys, %s: nothing around is written", count, way->name);
	free(seen);
	free(want);
}

/* The sample of a leaf of COUNT keys is sorted: bad splitters would give the same results, but slowly. */
static void
check_long_sample(unsigned bits, uint32_t count)
{
	static const uint64_t places[] = { SAMPLE_CHUNK, 0 };
	const struct formula random = { "uniform", uniform };
	struct guarded from = guarded_open(bits, 2 * SAMPLE_CHUNK, 0);
	struct guarded to = guarded_open(bits, LEAF_SAMPLE, 0);
	uint64_t want[LEAF_SAMPLE];
	cudaError_t error;

	fill(from.keys, bits, 2 * SAMPLE_CHUNK, &random);
	for (uint32_t s = 0; s < LEAF_SAMPLE; s++) {
		const uint32_t i = s * count / LEAF_SAMPLE;

		key_put(want, bits, s, key_get(from.keys, bits, places[i / SAMPLE_CHUNK] + i % SAMPLE_CHUNK));
	}
	sort_on_host(want, bits, LEAF_SAMPLE);
	error = sample_sample(&(struct sample_leaf){
		.to = to.keys, .from = from.keys, .bits = bits, .chunks = places, .count = count });
	CHECK(error == cudaSuccess && memcmp(to.keys, want, to.bytes) == 0,
	      "the sample of a leaf of %u keys of %u bits gets sorted", count, bits);
	CHECK(guarded_close(&to) && guarded_close(&from), "and nothing around it is written");
}

/* Leaves of up to 18 * 4096 u32, or 12 * 4096 rows with payloads. */
static void
check_long_leaves(void)
{
	static const uint32_t counts[] = {
		1, 2, 31, 256, 257, 512, 513, 1023, 1024, 1025, 4095, 4096, 4097, 6144, 6145, 8192, 12288,
		12289, 24577, 49152, 61441, 73727, 73728,
	};
	static const struct {
		struct formula keys;
		uint32_t       more;	/* is added to all */
	} ways[] = {
		{ { "steep", steep }, 0 }, { { "unseen", unseen }, 0 }, { { "crowd first", crowd }, 0 },
		{ { "crowd within", crowd }, 0x40000000 }, { { "crowd last", crowd }, 0xffffffff },
		{ { "hundred", hundred }, 0 }, { { "uniform", uniform }, 0 }, { { "equal", equal }, 0 },
		{ { "extreme", extreme }, 0 },
	};
	static const unsigned kinds[][2] = { { 32, 0 }, { 32, 32 }, { 32, 64 }, { 64, 32 }, { 64, 64 } };
	enum { COUNTS = sizeof counts / sizeof counts[0], WAYS = sizeof ways / sizeof ways[0], KINDS = 5 };

	for (unsigned i = 0; i < 8; i++) {
		backwards(i / 4 != 0);
		check_long_sample(i % 2 == 0 ? 32 : 64, i / 2 % 2 == 0 ? 20001 : 777);
	}
	for (unsigned row = 0; row < COUNTS * WAYS * KINDS; row++) {
		const unsigned way = row / COUNTS % WAYS, kind = row / COUNTS / WAYS;
		const uint32_t count = counts[row % COUNTS];
		/* that takes COUNT^2 */
		const bool freak = ways[way].keys.key == unseen && count > 12289;

		if (freak || (units_brief() && row % 11 != 0) ||
		    (kind > 0 && (count > 49152 || row % 2 != 0)))
			continue;
		backwards(row / 3 % 2 != 0);
		check_long_leaf(kinds[kind][0], kinds[kind][1], count, &ways[way].keys, ways[way].more);
	}
}

/* ---- slots ------------------------------------------------------------------ */

/* Even keys.  If they are many, the first are the least and the largest, as many as lie between two of a
 * sample, and none is near: so small a sample as here does not see these otherwise. */
static uint64_t
slotted(uint64_t i, uint64_t n, uint64_t r)
{
	const uint64_t step = n > 500000 ? n / 512 : 0, margin = step > 0 ? 4000 : 0;

	if (i < 2 * step)
		return 0x60000000 + (i < step ? 0 : 400000);
	return 0x60000000 + margin + r % (400000 - 2 * margin);
}

/* a sample does not see the last keys */
static uint64_t
beyond(uint64_t i, uint64_t n, uint64_t r)
{
	return i + 1 == n ? 0x70000000 : slotted(i, n, r);
}

static uint64_t
below(uint64_t i, uint64_t n, uint64_t r)
{
	return i + 1 == n ? 5 : slotted(i, n, r);
}

/* on both sides, some of them equal */
static uint64_t
astride(uint64_t i, uint64_t n, uint64_t r)
{
	return i + 150 < n ? slotted(i, n, r) : (i % 2 == 0 ? UINT64_C(0xffffffff00000000) : 0) +
	                                        (i % 2 == 0 ? 0xffffffff - r % 50 : r % 50);
}

static uint64_t
many_beyond(uint64_t i, uint64_t n, uint64_t r)
{
	return i + 300 < n ? slotted(i, n, r) : 0x70000000 + r % 1000;
}

static uint64_t
many_below(uint64_t i, uint64_t n, uint64_t r)
{
	return i + 300 < n ? slotted(i, n, r) : r % 1000;
}

/* in a fourth of each 2048 values: too uneven for short slots, which a sample does not tell */
static uint64_t
toothed(uint64_t i, uint64_t n, uint64_t r)
{
	return (slotted(i, n, r) & ~UINT64_C(2047)) + (r >> 40 & 511);
}

/* The way that keys take, by their sample and by the ways tried before. */
static void
check_ways(void)
{
	static const struct {
		struct sample_says says;
		const char        *way;
	} rows[] = {
		{ { "", "", false, false, 64, 60000 }, "in slots" },
		{ { "", "", false, true, 64, 60000 }, "in levels" },
		{ { "", "", false, false, 19, 60000 }, "in levels" },
		{ { "", "", true, true, 64, 60000 }, "unevenly" },
		{ { "", "", true, true, 64, 100 }, "coded" },
		{ { "", "coded", true, true, 64, 100 }, "unevenly" },
		{ { "", "", true, true, 64, 200 }, "unevenly" },
		{ { "rises", "", false, false, 64, 60000 }, "compared" },
		{ { "falls", "", true, true, 64, 100 }, "compared" },
		{ { "rises", "compared", false, false, 64, 60000 }, "united" },
		{ { "falls", "compared", false, false, 64, 60000 }, "in slots" },
		{ { "nearly", "", true, true, 64, 60000 }, "united" },
		{ { "nearly", "united", true, true, 64, 100 }, "coded" },
		{ { "nearly", "united, coded", true, true, 64, 100 }, "unevenly" },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const char *way = sample_way(&rows[r].says);

		CHECK(strcmp(way, rows[r].way) == 0, "way %zu is %s, not %s", r, rows[r].way, way);
	}
}

/*
 * Slots of each size; keys outside of the range, for which a sort takes one call more if they are few, and
 * a bin is not longer than what the plan adds to the range; and keys that do not fit slots, for which it
 * takes many more.
 */
static void
check_slots(unsigned bits)
{
	enum { OUTSIDE = 1, MANY = 4, TOOTHED = 6, ALL, SHORT = 2 };
	static const size_t from[] = { 800, 360, 170, 80, 38, 18, 9, 8 };
	static const struct formula even[ALL] = {
		{ "slotted", slotted },
		{ "one beyond", beyond },
		{ "one below", below },
		{ "some astride", astride },
		{ "many beyond", many_beyond },
		{ "many below", many_below },
		{ "toothed", toothed },
	};
	const uint64_t always[] = { 0, UINT64_C(1) << (bits - 1), ~UINT64_C(0) };
	const size_t usual = gs_slots_from, most = bits == 32 ? 260001 : 520001;
	const unsigned long sorts = units_brief() ? 1 : 2;
	void *unsorted = malloc(most * sizeof(uint64_t));

	for (size_t f = 0; f < (bits == 32 ? sizeof from / sizeof from[0] : 1); f++) {
		const size_t count = bits == 32 && from[f] > 8 ? 150001 : most;
		unsigned long calls[ALL];

		gs_slots_from = from[f];
		for (size_t s = 0; s < ALL; s++) {
			if (f >= SHORT && s > 0 && (s == TOOTHED ? units_brief() && f % 2 == 0 :
			                            s > OUTSIDE || (units_brief() && f % 2 != 0)))
				continue;
			calls[s] = emu_calls();
			random_state = 42;	/* a sample of other keys may repeat values: not for slots */
			fill(unsorted, bits, count, &even[s]);
			check_inverted_sort(unsorted, bits, count, even[s].name, always[(s + f) % 3], false);
			calls[s] = emu_calls() - calls[s];
			/* the device finds out; if time is short, with one of both sizes */
			if (f < SHORT && s >= MANY && (!units_brief() || f == s % 2))
				check_inverted_sort(unsorted, bits, count, even[s].name, always[s % 3], true);
			CHECK(s < OUTSIDE || s >= MANY || f >= SHORT || calls[s] == calls[0] + sorts,
			      "u%u keys in slots: %lu calls, %lu if %s", bits, calls[0], calls[s],
			      even[s].name);
			CHECK(s < MANY || (s == TOOTHED && (f >= SHORT || bits == 64)) ||
			      calls[s] > calls[0] + sorts,
			      "u%u keys in slots: %lu calls, %lu if %s", bits, calls[0], calls[s],
			      even[s].name);
		}
	}
	gs_slots_from = usual;
	free(unsorted);
}

/* Many keys in order, or in reverse, but for two neighbours, or all of them. */
static void
check_order(unsigned bits, bool falls)
{
	enum { KEYS = 150001 };
	enum { SPAN = 9376 };	/* of each of eight blocks that reverse half the keys each way */
	static const size_t wrong[] = { KEYS, 0, 4095, 4096, KEYS / 2, KEYS - 2, SPAN - 1, SPAN,
	                                KEYS / 2 - 1, KEYS - 1 - SPAN, KEYS - 2 - SPAN };
	const size_t width = bits / 8;
	unsigned char *keys = malloc(KEYS * width), swapped[8];
	unsigned long calls[2];

	for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
		if (units_brief() && w > 1 && (w + bits / 64) % 2 == 0)		/* the other width has it */
			continue;
		for (uint64_t i = 0; i < KEYS; i++) {
			const uint64_t key = (falls ? KEYS - i : i) * 28001;

			memcpy(keys + i * width, &key, width);
		}
		if (wrong[w] < KEYS) {
			unsigned char *const one = keys + wrong[w] * width;

			memcpy(swapped, one, width);
			memmove(one, one + width, width);
			memcpy(one + width, swapped, width);
		}
		calls[w > 0] = emu_calls();
		check_whole_sort_of(keys, bits, KEYS, falls ? "in reverse" : "in order");
		calls[w > 0] = emu_calls() - calls[w > 0];
	}
	CHECK(calls[0] < calls[1], "%d u%u keys that all %s: %lu calls, %lu of others", KEYS, bits,
	      falls ? "fall" : "rise", calls[0], calls[1]);
	free(keys);
}

/* ---- strays ----------------------------------------------------------------- */

enum { STRAY_KEYS = 150001 };

/* Keys that rise but for these, which are one in 45 at most, unless they are too many. */
static uint64_t
random_strays(uint64_t i, uint64_t key, uint64_t r)
{
	return i % 64 == 5 ? r : key;
}

static uint64_t
one_value_strays(uint64_t i, uint64_t key, uint64_t r)
{
	(void)r;
	return i % 45 == 5 ? ~(uint64_t)0 : key;
}

static uint64_t
least_strays(uint64_t i, uint64_t key, uint64_t r)
{
	(void)r;
	return i % 45 == 5 ? 0 : key;
}

static uint64_t
runs_of_strays(uint64_t i, uint64_t key, uint64_t r)
{
	return i % 3000 > 2950 ? r : key;
}

static uint64_t
neighbours(uint64_t i, uint64_t key, uint64_t r)
{
	(void)r;
	return i % 100 == 5 ? key + 2 * 28001 : key;
}

static uint64_t
random_at_the_end(uint64_t i, uint64_t key, uint64_t r)
{
	return i > STRAY_KEYS - 2000 ? r : key;
}

static uint64_t
too_many(uint64_t i, uint64_t key, uint64_t r)
{
	return i % 23 == 5 ? r : key;
}

static uint64_t
two_runs(uint64_t i, uint64_t key, uint64_t r)
{
	(void)r;
	return i > STRAY_KEYS / 2 ? key - STRAY_KEYS / 2 * UINT64_C(28001) : key;
}

static uint64_t
turned_around(uint64_t i, uint64_t key, uint64_t r)
{
	(void)r;
	return i >= 40000 && i < 42000 ? (82000 - i) * 28001 : key;
}

/* Many keys that rise but for some, as they are or in steps of 512 equal ones.  Random strays are sorted
 * apart: that takes fewer calls of the device than to find that strays are too many. */
static void
check_strays(unsigned bits)
{
	static const struct {
		const char *name;
		uint64_t  (*key)(uint64_t i, uint64_t key, uint64_t r);
	} rows[] = {
		{ "random strays", random_strays }, { "too many strays", too_many },
		{ "strays of one value", one_value_strays }, { "least strays", least_strays },
		{ "runs of strays", runs_of_strays }, { "neighbours", neighbours },
		{ "random at the end", random_at_the_end }, { "a part turned around", turned_around },
		{ "two runs", two_runs },
	};
	enum { ROWS = sizeof rows / sizeof rows[0] };
	const size_t width = bits / 8;
	unsigned char *keys = malloc(STRAY_KEYS * width);
	unsigned long calls[ROWS];

	/* if time is short, each row has one step for each width; of the first two, calls are counted */
	for (size_t row = 0; row < ROWS; row++)
		for (unsigned step = 1; step <= 512; step *= 512) {
			if (units_brief() && (row < 2 ? step == 1 : (row + bits / 64 + step / 512) % 2 == 0))
				continue;
			for (uint64_t i = 0; i < STRAY_KEYS; i++) {
				const uint64_t rising = i / step * step * 28001;
				uint64_t key = rows[row].key(i, rising, random_next());

				if (bits == 64 && key >> 34 > 0)
					key >>= 30;
				memcpy(keys + i * width, &key, width);
			}
			calls[row] = emu_calls();
			check_whole_sort_of(keys, bits, STRAY_KEYS, rows[row].name);
			calls[row] = emu_calls() - calls[row];
		}
	CHECK(calls[0] < calls[1], "u%u keys with strays: %lu calls, %lu if these are too many", bits,
	      calls[0], calls[1]);
	free(keys);
}

/* ---- codes ------------------------------------------------------------------ */

/* HIGH values in the upper 16 bits with LOW in the lower ones, or of 64 bits in all four with HIGH in the
 * second, and LAST at LAST_AT.  RUNS: three of four runs of so many keys have one value. */
static void
fill_units(void *keys, unsigned bits, size_t count, uint64_t high, uint64_t low, size_t last_at,
           uint64_t last, size_t runs)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t r = random_at(high, runs > 0 && i / runs % 4 != 0 ? 0 : i);
		const uint64_t unit = r % low * (65535 / low), upper = (r >> 32) % high * (65535 / high);
		const uint64_t key = i == last_at ? last : bits == 32 ? upper << 16 | unit :
		                     (r >> 16) % low << 52 | upper << 32 | (r >> 24) % low * 31 << 16 | unit;

		if (bits == 32)
			((uint32_t *)keys)[i] = (uint32_t)key;
		else
			((uint64_t *)keys)[i] = key;
	}
}

/*
 * Many keys with few values in each 16 bits, as many as have codes or one more; and such that a sample
 * has and all keys have not.
 */
static void
check_codes(unsigned bits)
{
	enum { KEYS = 160001 };
	static const struct {
		uint64_t high, low;
		size_t   last_at;
		uint64_t last;
		size_t   runs;
	} rows[] = {
		{ 256, 256, KEYS, 0, 0 }, { 257, 255, KEYS, 0, 0 }, { 257, 256, KEYS, 0, 0 },
		{ 1, 65535, KEYS, 0, 0 }, { 200, 100, 77, ~UINT64_C(0), 0 },
		{ 200, 100, KEYS - 1, 12345, 0 }, { 70, 1, KEYS, 0, 0 }, { 2, 70, KEYS / 2, 0, 0 },
		{ 40000, 1, KEYS, 0, 1000 },	/* 60,000 keys of a block in one counter of 16 bits */
	};
	unsigned char *keys = malloc(KEYS * (bits / 8));

	/* in ten thousands of codes, few of which have keys */
	for (size_t i = 0; i < KEYS; i++) {
		const uint64_t key = i % 1250 == 5 ? random_at(bits, i) : random_at(bits, i) % 256;

		if (bits == 32)
			((uint32_t *)keys)[i] = (uint32_t)key;
		else
			((uint64_t *)keys)[i] = key % 256 | key >> 48 << 48;
	}
	check_whole_sort_of(keys, bits, KEYS, "of bytes, and outliers");
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		fill_units(keys, bits, KEYS, rows[r].high, rows[r].low, rows[r].last_at, rows[r].last,
		           rows[r].runs);
		check_whole_sort_of(keys, bits, KEYS, "of few values in each 16 bits");
	}
	free(keys);
}

/* ---- merge --------------------------------------------------------------- */

static void
check_merge(unsigned bits, size_t a_count, size_t b_count, const struct formula *a_shape,
            const struct formula *b_shape, size_t shift)
{
	const size_t count = a_count + b_count, width = bits / 8;
	void *want = malloc((count + 1) * width), *scratch = NULL;
	struct guarded a = guarded_open(bits, a_count, shift);
	struct guarded b = guarded_open(bits, b_count, shift / 2);

	fill(a.keys, bits, a_count, a_shape);
	fill(b.keys, bits, b_count, b_shape);
	sort_on_host(a.keys, bits, a_count);
	sort_on_host(b.keys, bits, b_count);
	memcpy(want, a.keys, a.bytes);
	memcpy((char *)want + a.bytes, b.keys, b.bytes);
	sort_on_host(want, bits, count);
	(void)cudaMalloc(&scratch, gs_tile_merge_scratch_bytes(bits, count));
	for (int reverse = 0; reverse < 2; reverse++) {
		struct guarded out = guarded_open(bits, count, shift % 3);
		bool merged;

		backwards(reverse);
		merged = gs_tile_merge(out.keys, a.keys, a_count, b.keys, b_count, bits, scratch,
		                       NULL) == cudaSuccess &&
		         memcmp(out.keys, want, out.bytes) == 0;
		CHECK(merged, "%zu and %zu u%u keys, %s and %s, at odd address %zu, merge",
		      a_count, b_count, bits, a_shape->name, b_shape->name, shift);
		CHECK(guarded_close(&out), "%zu and %zu u%u keys: nothing around is written",
		      a_count, b_count, bits);
	}
	(void)cudaFree(scratch);
	CHECK(guarded_close(&a), "nothing around the first run is written");
	CHECK(guarded_close(&b), "nor around the second");
	free(want);
}

static void
check_merges(unsigned bits)
{
	static const size_t sizes[][2] = {
		{ 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 }, { 2, 1 }, { 0, 5000 }, { 9000, 0 },
		{ 1, 8191 }, { 8192, 1 }, { 4096, 4096 }, { 4095, 4097 }, { 8192, 8192 },
		{ 8191, 8193 }, { 3, 30000 },
		{ 30000, 3 }, { 12345, 54321 }, { 40001, 40000 }, { 65536, 65536 }, { 100000, 777 },
	};

	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
		check_merge(bits, sizes[s][0], sizes[s][1], &shapes[s % MORE_SHAPES],
		            &shapes[s % 2 == 0 ? s % MORE_SHAPES : 0], s % 5);
	for (size_t s = 0; s < MORE_SHAPES; s++) {
		check_merge(bits, 20000, 15001, &shapes[s], &shapes[s], 0);
		check_merge(bits, 20000, 15001, &shapes[s], &shapes[(s + 3) % MORE_SHAPES], 1);
	}
}

/* ---- check ----------------------------------------------------------------- */

enum { SPAN = 1 << 14 };

/* As sort/checksum.h has it. */
static uint64_t
mixed(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Keys as they come: falls and sums of gs_check() against a loop. */
static void
check_check(unsigned bits, size_t count, const struct formula *shape, uint64_t salt)
{
	enum { SPANS = 8 };
	struct guarded g = guarded_open(bits, count, 1);
	uint64_t found[1 + SPANS], want[1 + SPANS] = { 0 }, *memory = NULL, before = 0;

	fill(g.keys, bits, count, shape);
	for (size_t i = 0; i < count; i++) {
		const uint64_t key = bits == 32 ? ((uint32_t *)g.keys)[i] : ((uint64_t *)g.keys)[i];

		want[0] += i > 0 && key < before;
		want[1 + i / SPAN] += mixed(key + salt);
		before = key;
	}
	(void)cudaMalloc((void **)&memory, sizeof found);
	for (int reverse = 0; reverse < 2; reverse++) {
		backwards(reverse);
		(void)cudaMemset(memory, 0, sizeof found);
		CHECK(gs_check(g.keys, bits, count, SPAN, salt, memory + 1, memory, NULL) == cudaSuccess &&
		      cudaMemcpy(found, memory, sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess &&
		      memcmp(found, want, sizeof found) == 0,
		      "%zu u%u keys, %s: %llu fall, and sums of spans", count, bits, shape->name,
		      (unsigned long long)want[0]);
	}
	(void)cudaFree(memory);
	CHECK(guarded_close(&g), "%zu u%u keys: nothing around is written", count, bits);
}

static void
check_checks(unsigned bits)
{
	static const size_t sizes[] = {
		0, 1, 2, 33, 8191, 8192, 8193, 16383, 16384, 16385, 24576, 49153, 100000,
	};

	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
		for (size_t k = 0; k < 4; k++)
			check_check(bits, sizes[s], &shapes[(s + k) % MORE_SHAPES], k << 63 | s);
}

static void
check_contract(void)
{
	const struct gs_sorter sorter = { 0 };
	uint64_t keys[4] = { 3, 2, 1, 0 };

	CHECK(gs_tile_sort(keys, 16, 4, NULL) == cudaErrorInvalidValue, "keys are not 16 bits wide");
	CHECK(gs_tile_merge(keys, keys, 1, keys, 1, 8, keys, NULL) ==
	      cudaErrorInvalidValue,
	      "nor 8, to be merged");
	CHECK(gs_sort(&sorter, keys, keys, 16, (struct gs_key_map){ 0 }, 4, keys, NULL) ==
	      cudaErrorInvalidValue,
	      "not here either");
	CHECK(gs_check(keys, 16, 4, SPAN, 0, keys, keys, NULL) == cudaErrorInvalidValue &&
	      gs_check(keys, 32, 4, 1000, 0, keys, keys, NULL) == cudaErrorInvalidValue,
	      "nor looked at, nor in spans that blocks do not fill");
	CHECK(keys[0] == 3 && keys[3] == 0, "whatever is refused is untouched");
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		size_t before = 0, falls = 0;

		for (size_t count = 1; count < (size_t)1 << 34; count += count / 1000 + 1) {
			const size_t bytes = gs_sort_scratch_bytes(bits, count);

			falls += bytes < before;
			before = bytes;
		}
		CHECK(falls == 0, "scratch for keys of %u bits is enough for fewer: %zu times not", bits,
		      falls);
	}
}

/* Code for lesser GPUs has no kernels that these have no room for: a greater one has to do without. */
static void
check_code(void)
{
	static const struct {
		const char *code;
		int         kilobytes;
	} rows[] = { { "75", 64 }, { "80", 163 }, { "86", 163 }, { "90", 227 }, { "120", 99 } };
	struct gs_sorter sorter;

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		setenv("GSORT_EMU_CODE", rows[r].code, 1);
		CHECK(gs_sorter_open(&sorter) == cudaSuccess &&
		      sorter.shared_bytes == rows[r].kilobytes << 10, "code of compute_%s: %d bytes",
		      rows[r].code, sorter.shared_bytes);
		gs_sorter_close(&sorter);
	}
	unsetenv("GSORT_EMU_CODE");
}

void
unit_kernels(void)
{
	check_contract();
	check_code();
	check_ways();
	check_long_leaves();
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		check_sorts(bits);
		check_zeros_and_ones(bits);
		check_whole_sorts(bits);
		check_slots(bits);
		check_order(bits, false);
		check_order(bits, true);
		check_strays(bits);
		check_codes(bits);
		check_merges(bits);
		check_checks(bits);
	}
	unsetenv("GSORT_EMU_REVERSE");
	(void)cudaGetLastError();
}
