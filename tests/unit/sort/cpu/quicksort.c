// SPDX-License-Identifier: BSD-2-Clause
/* quicksort.c - rows for src/sort/cpu/: every kind of vectors that this processor has */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "key/key.h"
#include "sort/cpu/quicksort.h"
#include "sort/span.h"
#include "tests/unit/shapes.h"
#include "tests/unit/units.h"

void unit_quicksort(void);

struct arrays {
	uint64_t *expect;	/* sorted by the C library, of any width */
	void     *input;	/* the same keys before */
	void     *keys, *scratch;
};

static void
make(struct arrays *arrays, unsigned bits, unsigned shape, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t key = shapes[shape].key(i, count);

		arrays->expect[i] = bits == 32 ? key >> 32 : key;
		gs_key_put(arrays->input, bits, i, arrays->expect[i]);
	}
	units_sort(arrays->expect, count);
}

static size_t floats_ordered;	/* by the next function */

/* Reversed floats of BITS, as ordered bits. */
static void
order_floats(const void *bits, void *keys, size_t count)
{
	floats_ordered += count;
	gs_raw_to_ordered(*(const unsigned *)bits == 32 ? GSORT_F32 : GSORT_F64, GSORT_ENDIAN_HOST, true,
	                  keys, count, 1);
}

/* Sort raw keys where they are, by vectors of SIMD: ARRAYS has their ordered bits.  False: the sort made no
 * ordered bits of them, since they are multiples of a number. */
static bool
check_raw(const struct arrays *arrays, unsigned bits, const char *name, size_t count, int simd)
{
	const struct gs_raw_bits raw = { UINT64_MAX, GS_NANS(bits == 32 ? 23 : 52), UINT64_MAX,
		                         UINT64_C(1) << (bits - 1), 0 };
	const struct gs_quicksort_maps maps = { order_floats, &bits, raw };
	bool has_ordered;
	size_t at;

	memcpy(arrays->keys, arrays->input, count * (bits / 8));
	for (size_t i = 0; i < count; i++)
		gs_key_put(arrays->keys, bits, i,
		           gs_raw_bits(&raw, bits, gs_key_at(arrays->keys, bits, i)));
	floats_ordered = 0;
	gs_quicksort_in_place(gs_simd_kernels((enum gs_simd)simd, bits), arrays->keys, count, arrays->scratch,
	                      gs_quicksort_scratch_bytes(count * (bits / 8)), &maps, 1);
	has_ordered = floats_ordered > 0;
	order_floats(&bits, arrays->keys, count);
	at = units_same(arrays->keys, bits, arrays->expect, count);
	CHECK(at == count, "%zu times f%u, %s, are sorted by %s: not at %zu", count, bits, name,
	      gs_simd_name((enum gs_simd)simd), at);
	return has_ordered;
}

/* @exact  tell the sort the least and the largest key, not only those of the type */
static void
check(const struct arrays *arrays, unsigned bits, const char *name, size_t count, bool exact)
{
	const uint64_t least = exact && count > 0 ? arrays->expect[0] : 0;
	const uint64_t most = exact && count > 0 ? arrays->expect[count - 1]
	                                         : UINT64_MAX >> (64 - bits);

	for (int simd = GS_SIMD_NONE; simd <= (int)gs_simd_best(); simd++) {
		size_t at;

		memcpy(arrays->scratch, arrays->input, count * (bits / 8));
		gs_quicksort(gs_simd_kernels((enum gs_simd)simd, bits), arrays->keys, arrays->scratch,
		             count, least, most);
		at = units_same(arrays->keys, bits, arrays->expect, count);
		CHECK(at == count, "%zu times u%u, %s, are sorted by %s: not at %zu", count, bits,
		      name, gs_simd_name((enum gs_simd)simd), at);
		memcpy(arrays->keys, arrays->input, count * (bits / 8));
		gs_quicksort_in_place(gs_simd_kernels((enum gs_simd)simd, bits), arrays->keys,
		                      count, arrays->scratch, gs_quicksort_scratch_bytes(count * (bits / 8)),
		                      NULL, 1);
		at = units_same(arrays->keys, bits, arrays->expect, count);
		CHECK(at == count, "and where they are: not at %zu", at);
		if (!exact)
			(void)check_raw(arrays, bits, name, count, simd);
		if (count < 1024 || simd < (int)gs_simd_best())
			continue;
		memcpy(arrays->keys, arrays->input, count * (bits / 8));
		gs_quicksort_in_place(gs_simd_kernels((enum gs_simd)simd, bits), arrays->keys, count,
		                      arrays->scratch,
		                      gs_least(count * (bits / 8), GS_QUICKSORT_SCRATCH_BYTES), NULL, 3);
		at = units_same(arrays->keys, bits, arrays->expect, count);
		CHECK(at == count, "and by three threads: not at %zu", at);
	}
}

/* If time is short, a large COUNT has every other shape, as TURN says, and others for the other width. */
static void
check_shapes(struct arrays *arrays, size_t count, unsigned turn)
{
	for (unsigned bits = 32; bits <= 64; bits += 32)
		for (unsigned shape = 0; shape < SHAPES; shape++) {
			if (units_brief() && count >= 65535 && (shape + turn + bits / 64) % 2 != 0)
				continue;
			make(arrays, bits, shape, count);
			check(arrays, bits, shapes[shape].name, count, false);
			check(arrays, bits, shapes[shape].name, count, true);
		}
}

/* --- a leaf of floats -------------------------------------------------------------- */

/* The first KINDS of these numbers, where the processor takes denormals for 0 if DAZ. */
static void
check_leaf(enum gs_simd simd, bool reverse, unsigned kinds, bool daz)
{
	enum { KEYS = 200 };
	static const double numbers[] = { 1, -1e300, 0, -INFINITY, 5e-324, -5e-324, 1e-310, -0.0, NAN, -NAN };
	const struct gs_raw_bits raw = {
		reverse ? UINT64_MAX : 0, GS_NANS(52), UINT64_MAX, UINT64_C(1) << 63, 0
	};
	uint64_t keys[KEYS], expect[KEYS];

	for (unsigned i = 0; i < KEYS; i++)
		memcpy(&keys[i], &numbers[units_mix(i) % kinds], sizeof keys[i]);
	gs_raw_to_ordered(GSORT_F64, GSORT_ENDIAN_HOST, reverse, keys, KEYS, 1);
	memcpy(expect, keys, sizeof keys);
	units_sort(expect, KEYS);
#if defined __x86_64__
	const unsigned csr = __builtin_ia32_stmxcsr();

	__builtin_ia32_ldmxcsr(daz ? csr | 0x40 : csr);
#endif
	gs_simd_kernels(simd, 64)->sort_last(keys, keys, KEYS, &raw);
#if defined __x86_64__
	__builtin_ia32_ldmxcsr(csr);
#endif
	gs_raw_to_ordered(GSORT_F64, GSORT_ENDIAN_HOST, reverse, keys, KEYS, 1);
	CHECK(memcmp(keys, expect, sizeof keys) == 0, "%u kinds of f64, %s, denormals are %s, by %s", kinds,
	      reverse ? "reversed" : "in order", daz ? "0" : "numbers", gs_simd_name(simd));
}

static void
check_leaves(void)
{
	for (int simd = GS_SIMD_NONE; simd <= (int)gs_simd_best(); simd++)
		for (unsigned kinds = 2; kinds <= 10; kinds++)
			for (unsigned way = 0; way < 4; way++)
				check_leaf((enum gs_simd)simd, way % 2 == 1, kinds, way / 2 == 1);
}

/* --- threads that wait for a piece --------------------------------------------------- */

/* More than the pieces of some large keys: some threads wait to the end. */
enum { CREW = 24 };

static struct {
	const struct gs_simd_kernels *kernels;	/* NULL: nobody looks */
	pthread_t    first;		/* the thread that has all keys, and partitions them about PIVOT */
	uint64_t     pivot;
	_Atomic(pthread_mutex_t *) lock;
	atomic_uint  waiting;
	unsigned     wanted;
	atomic_bool  begun, helped, late, unlocked, deaf;
} crew;

/* Who waits or wakes others has the lock. */
static void
look_at_lock(pthread_mutex_t *lock)
{
	if (lock != NULL && pthread_mutex_trylock(lock) == 0) {
		atomic_store(&crew.unlocked, true);
		(void)pthread_mutex_unlock(lock);
	}
}

/* Linked in place of the functions of threads. */
int __real_pthread_cond_wait(pthread_cond_t *changed, pthread_mutex_t *lock);
int __real_pthread_cond_signal(pthread_cond_t *changed);
int __real_pthread_cond_broadcast(pthread_cond_t *changed);
int __wrap_pthread_cond_wait(pthread_cond_t *changed, pthread_mutex_t *lock);
int __wrap_pthread_cond_signal(pthread_cond_t *changed);
int __wrap_pthread_cond_broadcast(pthread_cond_t *changed);

int
__wrap_pthread_cond_wait(pthread_cond_t *changed, pthread_mutex_t *lock)
{
	int status;

	if (crew.kernels == NULL)
		return __real_pthread_cond_wait(changed, lock);
	atomic_store(&crew.lock, lock);
	look_at_lock(lock);
	atomic_fetch_add(&crew.waiting, 1);
	status = __real_pthread_cond_wait(changed, lock);
	atomic_fetch_sub(&crew.waiting, 1);
	return status;
}

int
__wrap_pthread_cond_signal(pthread_cond_t *changed)
{
	look_at_lock(atomic_load(&crew.lock));
	return atomic_load(&crew.deaf) ? 0 : __real_pthread_cond_signal(changed);
}

int
__wrap_pthread_cond_broadcast(pthread_cond_t *changed)
{
	look_at_lock(atomic_load(&crew.lock));
	return __real_pthread_cond_broadcast(changed);
}

static void
await(atomic_bool *helped)
{
	unsigned tries = 100000;

	while (helped != NULL ? !atomic_load(helped) : atomic_load(&crew.waiting) < crew.wanted) {
		if (--tries == 0 || atomic_load(&crew.late)) {
			atomic_store(&crew.late, true);
			return;
		}
		usleep(100);
	}
}

/* The first thread begins when all others wait, and goes on with its half when another has the other. */
static void
partition_by_crew(void *to, size_t *low, size_t *high, const void *from, size_t count, uint64_t pivot)
{
	if (!atomic_exchange(&crew.begun, true)) {
		crew.first = pthread_self();
		crew.pivot = pivot;
		await(NULL);
	} else if (!pthread_equal(pthread_self(), crew.first)) {
		atomic_store(&crew.helped, true);
	} else if (pivot != crew.pivot) {
		await(&crew.helped);
	}
	crew.kernels->partition(to, low, high, from, count, pivot);
}

/* Before all keys are counted by one thread, others wait. */
static bool
tally_by_crew(const void *keys, size_t count, const void *values, size_t value_count, size_t *counts)
{
	if (!atomic_exchange(&crew.begun, true))
		await(NULL);
	return crew.kernels->tally(keys, count, values, value_count, counts);
}

static const struct crew_row {
	unsigned bits;
	size_t   count;
	uint64_t values;	/* 0: all keys differ */
	unsigned threads;
	bool     deaf;		/* threads that wait are not woken for a piece, only at the end */
} crew_rows[] = {
	{ 32, 180000, 0, CREW, false },
	{ 64, 90000, 0, CREW, false },
	{ 64, 1500000, 0, 2, false },	/* half of them do not fit the scratch memory */
	{ 64, 270000, 2, 3, false },	/* one thread counts all of them */
	{ 64, 1500000, 0, 90, true },	/* more pieces wait than there is room for */
};

/* Threads that wait are woken for each half, and when there will be none. */
static void
check_crew(const struct crew_row *row)
{
	const unsigned bits = row->bits, threads = row->threads;
	const size_t count = row->count;
	struct gs_simd_kernels kernels = *gs_simd_kernels(gs_simd_best(), bits);
	char *scratch = malloc(threads * (size_t)GS_QUICKSORT_SCRATCH_BYTES);
	uint64_t *expect = malloc(count * sizeof *expect), *keys = malloc(count * sizeof *keys);
	size_t at;

	for (size_t i = 0; i < count; i++) {
		expect[i] = units_mix(row->values > 0 ? units_mix(i) % row->values : i) >> (64 - bits);
		gs_key_put(keys, bits, i, expect[i]);
	}
	units_sort(expect, count);
	crew.kernels = gs_simd_kernels(gs_simd_best(), bits);
	crew.wanted = threads - 1;
	crew.helped = crew.deaf = row->deaf;
	kernels.partition = partition_by_crew;
	kernels.tally = tally_by_crew;
	gs_quicksort_in_place(&kernels, keys, count, scratch, GS_QUICKSORT_SCRATCH_BYTES, NULL, threads);
	at = units_same(keys, bits, expect, count);
	CHECK(at == count, "%zu times u%u are sorted by %u threads: not at %zu", count, bits, threads, at);
	CHECK(!crew.late, "of %u threads all but one wait, and take halves", threads);
	CHECK(!crew.unlocked, "who waits or wakes others has the lock");
	memset(&crew, 0, sizeof crew);
	free(keys);
	free(expect);
	free(scratch);
}

/* --- floats that are integers ------------------------------------------------------ */

/* Floats that are 1/64 apart, but for one, which is OTHER; if FIXED, they are fixed points; -1: or not. */
static void
check_fixed(struct arrays *arrays, unsigned bits, double other, int fixed, const char *name)
{
	enum { KEYS = 40000, VALUES = 3000 };

	for (size_t i = 0; i < KEYS; i++) {
		const uint64_t product = units_mix(i) % VALUES * (units_mix(~i) % VALUES) / VALUES;
		const double number = ((double)product - 700) / 64;
		union { double number; uint64_t bits; } wide = { i == KEYS - 3 ? other : number };
		union { float number; uint32_t bits; } narrow = { (float)wide.number };

		gs_key_put(arrays->input, bits, i, bits == 32 ? narrow.bits : wide.bits);
	}
	order_floats(&bits, arrays->input, KEYS);
	for (size_t i = 0; i < KEYS; i++)
		arrays->expect[i] = gs_key_at(arrays->input, bits, i);
	units_sort(arrays->expect, KEYS);
	for (int simd = GS_SIMD_NONE; simd <= (int)gs_simd_best(); simd++)
		CHECK((check_raw(arrays, bits, name, KEYS, simd) ? 0 : 1) == fixed || fixed < 0,
		      "f%u, %s: fixed points by %s", bits, name, gs_simd_name((enum gs_simd)simd));
}

/* --- dense ranges ----------------------------------------------------------------- */

enum { BELOW = 1, ABOVE = 2, HEAVY = 4, BETWEEN = 8, ALL_OTHERS = 16 };

/* RANGE values from FIRST on, APART from each other; 1 of 16 keys is below or above if OTHERS has these, and
 * if that has HEAVY, 7 of 8 keys are one value; if BETWEEN, one key is between two. */
static void
make_dense(struct arrays *arrays, unsigned bits, size_t count, uint64_t first, uint64_t range,
           uint64_t apart, unsigned others)
{
	const uint64_t last = first + (range - 1) * apart, room = (UINT64_MAX >> (64 - bits)) - last;

	for (size_t i = 0; i < count; i++) {
		const uint64_t kind = units_mix(i) % 16, away = units_mix(~i);
		uint64_t key = first + away % range * apart;

		if (kind == 0 && others & BELOW && first > 0)
			key = away % first;
		else if (kind == 1 && others & ABOVE && room > 0)
			key = last + 1 + away % room;
		else if (kind > 1 && others & HEAVY)
			key = first + range / 3 * apart;
		else if (i == count / 3 * 2 && others & BETWEEN && range > 1)
			key = first + apart / 2;
		arrays->expect[i] = key;
		gs_key_put(arrays->input, bits, i, key);
	}
	units_sort(arrays->expect, count);
}

/* A range at both ends of all keys and between them, of as many values as are counted, and of more. */
static void
check_dense(struct arrays *arrays, unsigned bits, uint64_t apart)
{
	/* The last count, of u64, does not fit the cache. */
	static const size_t counts[] = { 700, 5000, 20000, 270000 };
	static const size_t ranges[] = { 1, 2, 100, 4096, 4097, 5000 };
	const uint64_t end = UINT64_MAX >> (64 - bits);
	char name[128];

	for (unsigned r = 0; r < sizeof ranges / sizeof ranges[0]; r++)
		for (unsigned at = 0; at < 3 * ALL_OTHERS; at++) {
			const uint64_t firsts[] = { 0, end / 3, end - (ranges[r] - 1) * apart };
			const uint64_t first = firsts[at % 3];
			const unsigned others = at / 3;

			if ((others & (apart == 1 ? BETWEEN : HEAVY)) != 0)
				continue;
			snprintf(name, sizeof name, "%zu values from %llu on, %llu apart%s%s%s%s", ranges[r],
			         (unsigned long long)first, (unsigned long long)apart,
			         others & BELOW ? ", some below" : "", others & ABOVE ? ", some above" : "",
			         others & HEAVY ? ", most are one" : "",
			         others & BETWEEN ? ", one between" : "");
			for (unsigned c = 0; c < sizeof counts / sizeof counts[0]; c++) {
				if (units_brief() && (c + r + others) % 3 != 0)	/* each range, each count */
					continue;
				if (c == 3 && (ranges[r] != 100 || at % 3 != 1))
					continue;
				make_dense(arrays, bits, counts[c], first, ranges[r], apart, others);
				check(arrays, bits, name, counts[c], false);
				check(arrays, bits, name, counts[c], true);
			}
		}
}

/* --- partition -------------------------------------------------------------------- */

/* Into a gap that is longer than the keys, in two calls: what is around the gap stays. */
static void
check_partition(enum gs_simd simd, unsigned bits, size_t count, size_t beyond)
{
	enum { MARGIN = 3 };
	const struct gs_simd_kernels *kernels = gs_simd_kernels(simd, bits);
	const uint64_t most = UINT64_MAX >> (64 - bits), pivot = most / 3, mark = 0x55;
	const size_t room = count + beyond, all = room + 2 * MARGIN;
	uint64_t *from = malloc((count + 1) * 8), *to = malloc(all * 8);
	size_t low = MARGIN, high = MARGIN + room, lows = 0;
	bool good = true;

	for (size_t i = 0; i < all; i++)
		gs_key_put(to, bits, i, mark);
	for (size_t i = 0; i < count; i++) {
		gs_key_put(from, bits, i, units_mix(i) & most);
		lows += (units_mix(i) & most) <= pivot;
	}
	kernels->partition(to, &low, &high, from, count / 2, pivot);
	kernels->partition(to, &low, &high, (char *)from + count / 2 * (bits / 8), count - count / 2,
	                   pivot);
	good &= low == MARGIN + lows && high == MARGIN + room - (count - lows);
	for (size_t i = 0; i < MARGIN; i++)
		good &= gs_key_at(to, bits, i) == mark && gs_key_at(to, bits, all - 1 - i) == mark;
	for (size_t i = MARGIN; i < low; i++)
		good &= gs_key_at(to, bits, i) <= pivot;
	for (size_t i = high; i < MARGIN + room; i++)
		good &= gs_key_at(to, bits, i) > pivot;
	CHECK(good, "%zu times u%u are partitioned by %s into a gap with %zu to spare", count, bits,
	      gs_simd_name(simd), beyond);
	free(from);
	free(to);
}

/* --- few values ------------------------------------------------------------------- */

/* One key has another value; one of 50 has; or all values have equal halves, so that u64 share a slot. */
enum values_way { KNOWN, ONE_STRANGER, STRANGERS, SAME_SLOT, VALUES_WAYS };

/* 0 is one of VALUES, and so is a neighbour of its slot. */
static void
make_values(struct arrays *arrays, unsigned bits, size_t count, size_t values, enum values_way way)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t v = units_mix(i) % values;
		uint64_t key = v < 6 || way == SAME_SLOT ? v << 32 | v : units_mix(v);

		if (way == ONE_STRANGER ? i + 1 == count : way == STRANGERS && i % 50 == 7)
			key = units_mix(~i);
		arrays->expect[i] = bits == 32 ? (uint32_t)key : key;
		gs_key_put(arrays->input, bits, i, arrays->expect[i]);
	}
	units_sort(arrays->expect, count);
}

/* Are VALUES those of the sorted keys, and their counts? */
static bool
are_counted(const struct arrays *arrays, unsigned bits, size_t count, const struct gs_values *values)
{
	size_t at = 0;

	for (size_t v = 0; v < values->count; v++)
		for (uint32_t c = 0; c < values->counts[v]; c++, at++)
			if (at == count || arrays->expect[at] != gs_key_at(values->values, bits, v))
				return false;
	return at == count;
}

static void
check_count(const struct arrays *arrays, unsigned bits, size_t count, size_t likely, bool counted)
{
	for (int simd = GS_SIMD_NONE; simd <= (int)gs_simd_best(); simd++)
		for (int there = 0; there < 2; there++) {
			const size_t bytes = count * (bits / 8);
			struct gs_values values;

			memcpy(arrays->keys, arrays->input, bytes);
			values = gs_values_count(gs_simd_kernels((enum gs_simd)simd, bits), arrays->keys,
			                         count, likely, arrays->scratch, bytes,
			                         there ? arrays->keys : NULL);
			CHECK(counted ? are_counted(arrays, bits, count, &values)
			      : values.count == 0 && memcmp(arrays->keys, arrays->input, bytes) == 0,
			      "%zu times u%u of %zu values are %s by %s", count, bits, likely,
			      counted ? "counted" : "as they were", gs_simd_name((enum gs_simd)simd));
		}
}

static void
check_few_values(struct arrays *arrays, unsigned bits)
{
	static const size_t counts[] = { 4000, 8000, 8200, 20000, 65536, 270000 };
	static const size_t values[] = { 17, 30, 60, 250, 1000, 4000, 30000 };
	char name[64];

	for (unsigned c = 0; c < sizeof counts / sizeof counts[0]; c++)
		for (unsigned v = 0; v < sizeof values / sizeof values[0]; v++)
			for (int way = KNOWN; way < VALUES_WAYS; way++) {
				const size_t count = counts[c], likely = values[v];
				const bool few = likely <= count / 32 && likely <= 4000;

				(void)snprintf(name, sizeof name, "%zu values, way %d", likely, way);
				make_values(arrays, bits, count, likely, (enum values_way)way);
				check(arrays, bits, name, count, way == KNOWN);
				if (way == KNOWN || (way == ONE_STRANGER && likely < 4000))
					check_count(arrays, bits, count, likely, few);
				else if (way == SAME_SLOT && bits == 64)
					check_count(arrays, bits, count, likely, false);
			}
	make_values(arrays, bits, 65536, 30000, KNOWN);
	check_count(arrays, bits, 65536, 1000, false);
}

/* Samples of few values and of many, and samples in which one value alone repeats. */
static void
check_estimate(unsigned bits)
{
	static const struct {
		size_t values, often, least, most;	/* OFTEN of 256 keys have one value */
	} rows[] = {
		{ 1, 0, 1, 1 }, { 100, 0, 80, 120 }, { 1000, 0, 600, 1700 }, { SIZE_MAX, 0, 0, 0 },
		{ SIZE_MAX, 40, 0, 0 }, { 3000, 100, 0, 0 },
	};
	uint64_t keys[GS_DISTRIBUTION_SAMPLE], sample[GS_DISTRIBUTION_SAMPLE];

	for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		size_t values;

		for (size_t i = 0; i < GS_DISTRIBUTION_SAMPLE; i++)
			keys[i] = i < rows[r].often ? 7
			          : units_mix(units_mix(i) % rows[r].values) >> (64 - bits);
		units_sort(keys, GS_DISTRIBUTION_SAMPLE);
		for (size_t i = 0; i < GS_DISTRIBUTION_SAMPLE; i++)
			gs_key_put(sample, bits, i, keys[i]);
		values = gs_values_estimate(sample, bits, GS_DISTRIBUTION_SAMPLE);
		CHECK(rows[r].least <= values && values <= rows[r].most, "%zu values seem to be %zu",
		      rows[r].values, values);
	}
}

/* --- tally ------------------------------------------------------------------------ */

/* Most keys have one value; all have; or the halves of a value of 64 bits are equal, and no product of what
 * they differ in tells two values apart. */
enum tally_way { MOSTLY_ONE, ALL_ONE, EQUAL_HALVES };
enum { TALLY_KEYS = 9000 };

/* VALUES values of COUNT keys are counted; a stranger among them, in the middle or the last one, is found. */
static void
check_tally(enum gs_simd simd, unsigned bits, size_t count, size_t values, enum tally_way way)
{
	enum { MOST_VALUES = 16 };
	const struct gs_simd_kernels *kernels = gs_simd_kernels(simd, bits);
	static uint64_t keys[TALLY_KEYS];
	uint64_t value[MOST_VALUES];
	size_t counts[MOST_VALUES], expect[MOST_VALUES] = { 0 };
	bool good;

	for (size_t v = 0; v < values; v++)
		gs_key_put(value, bits, v, way == EQUAL_HALVES ? v << 32 | v : units_mix(v) >> (64 - bits));
	for (size_t i = 0; i < count; i++) {
		const size_t v = way == ALL_ONE ? values - 1 :
		                 units_mix(i) % (i % 2 + 1 < values ? i % 2 + 1 : values) + (values - 1) / 2;

		expect[v < values ? v : 0]++;
		gs_key_put(keys, bits, i, gs_key_at(value, bits, v < values ? v : 0));
	}
	good = kernels->tally(keys, count, value, values, counts) &&
	       memcmp(counts, expect, values * sizeof *counts) == 0;
	CHECK(good, "%zu u%u of %zu values, way %d, are counted by %s", count, bits, values, (int)way,
	      gs_simd_name(simd));
	for (size_t at = count / 2; at < count; at = at + 1 < count ? count - 1 : count) {
		const uint64_t before = gs_key_at(keys, bits, at);

		gs_key_put(keys, bits, at, units_mix(MOST_VALUES) >> (64 - bits));
		CHECK(!kernels->tally(keys, count, value, values, counts),
		      "one of another value at %zu is found by %s", at, gs_simd_name(simd));
		gs_key_put(keys, bits, at, before);
	}
}

/* --- distribution ----------------------------------------------------------------- */

enum { DISTRIBUTED = 20000, PIECE = 7001 };

static void
scatter_pieces(struct gs_distribution *distribution, unsigned bits, const char *keys, uint64_t *to,
               uint16_t *bins)
{
	for (size_t at = 0; at < DISTRIBUTED; at += PIECE)
		gs_distribution_count(distribution, keys + at * (bits / 8),
		                      DISTRIBUTED - at < PIECE ? DISTRIBUTED - at : PIECE,
		                      bins == NULL ? NULL : bins + at);
	gs_distribution_place(distribution);
	for (size_t at = 0; at < DISTRIBUTED; at += PIECE)
		gs_distribution_scatter(distribution, to, keys + at * (bits / 8),
		                        DISTRIBUTED - at < PIECE ? DISTRIBUTED - at : PIECE,
		                        bins == NULL ? NULL : bins + at, keys + at * (bits / 8));
}

/* Of keys in pieces, with bins that are kept and bins that are found again, from one place and from several,
 * the same are in each bin: none is greater than one of a later bin. */
static void
check_distribution(enum gs_simd simd, unsigned bits, bool kept, bool ordered)
{
	static uint64_t keys[DISTRIBUTED], to[DISTRIBUTED], sorted[DISTRIBUTED], expect[DISTRIBUTED];
	static uint16_t bins[DISTRIBUTED];
	const struct gs_simd_kernels *kernels = gs_simd_kernels(simd, bits);
	uint64_t sample[GS_DISTRIBUTION_SAMPLE];
	struct gs_distribution distribution;
	size_t begin = 0;
	bool good = true;

	for (size_t i = 0; i < DISTRIBUTED; i++) {
		expect[i] = units_mix(i) >> (64 - bits);
		gs_key_put(keys, bits, i, expect[i]);
		if (i < GS_DISTRIBUTION_SAMPLE)
			gs_key_put(sample, bits, i, expect[i]);
	}
	if (!gs_distribution_choose(&distribution, kernels, sample, GS_DISTRIBUTION_SAMPLE, DISTRIBUTED,
	                            ordered)) {
		CHECK(false, "random keys of %u bits are divided", bits);
		return;
	}
	scatter_pieces(&distribution, bits, (const char *)keys, to, kept ? bins : NULL);
	for (unsigned b = 0; b < distribution.binner.bins; b++) {
		for (size_t i = begin; i < distribution.end[b]; i++)
			sorted[i] = gs_key_at(to, bits, i);
		units_sort(sorted + begin, distribution.end[b] - begin);
		good &= begin <= distribution.end[b];
		begin = distribution.end[b];
	}
	units_sort(expect, DISTRIBUTED);
	good &= begin == DISTRIBUTED && memcmp(sorted, expect, sizeof expect) == 0;
	CHECK(good, "u%u are divided into %u bins by %s", bits, distribution.binner.bins,
	      gs_simd_name(simd));
}

/* Random keys; keys that crowd between two of the sample, behind the first eighth; every other bin empty. */
enum once_way { EVEN, CLUMP, HALVES, ONCE_WAYS };

/* Keys in pieces, the second of which ends the trial. */
static bool
scatter_once(struct gs_distribution *distribution, unsigned bits, const uint64_t *keys, uint64_t *to)
{
	enum { FEW = 1000 };
	bool fit = true;

	for (size_t at = 0; at < DISTRIBUTED && fit; at += FEW)
		fit = gs_distribution_scatter_once(distribution, to, (const char *)keys + at * (bits / 8),
		                                   FEW, keys);
	return fit;
}

/* Even keys are divided without counts if there is enough room; others are not. */
static void
check_once(enum gs_simd simd, unsigned bits, enum once_way way)
{
	enum { ROOM = 3 * DISTRIBUTED, STEP = DISTRIBUTED / GS_DISTRIBUTION_SAMPLE };
	static uint64_t keys[DISTRIBUTED], to[ROOM], sorted[DISTRIBUTED], expect[DISTRIBUTED];
	struct gs_distribution distribution;
	uint64_t sample[GS_DISTRIBUTION_SAMPLE];
	size_t at = 0;
	bool once, fits, good;

	for (size_t i = 0; i < DISTRIBUTED; i++) {
		expect[i] = units_mix(i) >> (64 - bits);
		if (way == CLUMP && i > DISTRIBUTED / 8 && i % STEP == 1)
			expect[i] = (UINT64_MAX >> 1 | i) >> (64 - bits);
		else if (way == HALVES)
			expect[i] &= ~(UINT64_C(1) << (bits - 8));
		gs_key_put(keys, bits, i, expect[i]);
		if (i % STEP == 0 && i / STEP < GS_DISTRIBUTION_SAMPLE)
			gs_key_put(sample, bits, i / STEP, expect[i]);
	}
	good = gs_distribution_choose(&distribution, gs_simd_kernels(simd, bits), sample,
	                              GS_DISTRIBUTION_SAMPLE, DISTRIBUTED, false);
	CHECK(good && !gs_distribution_begin_once(&distribution, DISTRIBUTED, 2 * DISTRIBUTED),
	      "twice the room is too little");
	once = gs_distribution_begin_once(&distribution, DISTRIBUTED, ROOM) &&
	       gs_distribution_end_once(&distribution, scatter_once(&distribution, bits, keys, to));
	/* Narrow vectors sort so few keys at once that bins take more room. */
	fits = distribution.room < 2 * DISTRIBUTED / distribution.binner.bins;
	CHECK(once == (way == EVEN && fits), "way %d, u%u are divided without counts by %s: %d", (int)way,
	      bits, gs_simd_name(simd), once);
	for (unsigned b = 0; b < distribution.binner.bins; b++) {
		const size_t begin = at;

		for (size_t i = once ? gs_distribution_begin(&distribution, b) : 0;
		     i < distribution.end[b]; i++)
			sorted[at++] = gs_key_at(to, bits, i);
		units_sort(sorted + begin, at - begin);
	}
	units_sort(expect, DISTRIBUTED);
	good = once ? at == DISTRIBUTED && memcmp(sorted, expect, sizeof expect) == 0 : at == 0;
	CHECK(good, "way %d, each is in its bin by %s, or none is", (int)way, gs_simd_name(simd));
}

static void
check_undivided(unsigned bits)
{
	const struct gs_simd_kernels *kernels = gs_simd_kernels(gs_simd_best(), bits);
	uint64_t sample[GS_DISTRIBUTION_SAMPLE];
	struct gs_distribution distribution;

	for (size_t i = 0; i < GS_DISTRIBUTION_SAMPLE; i++)
		gs_key_put(sample, bits, i, i);
	CHECK(!gs_distribution_choose(&distribution, kernels, sample, GS_DISTRIBUTION_SAMPLE,
	                              16 * kernels->block_keys, false),
	      "16 blocks are few");
	CHECK(!gs_distribution_choose(&distribution, kernels, sample, GS_DISTRIBUTION_SAMPLE, SIZE_MAX / 8,
	                              false),
	      "all keys of the world fit no cache");
	gs_key_put(sample, bits, 0, UINT64_MAX >> (65 - bits));
	CHECK(!gs_distribution_choose(&distribution, kernels, sample, GS_DISTRIBUTION_SAMPLE, DISTRIBUTED,
	                              false),
	      "one large key leaves most bins empty");
	for (size_t i = 0; i < GS_DISTRIBUTION_SAMPLE; i++)
		gs_key_put(sample, bits, i, 7);
	CHECK(!gs_distribution_choose(&distribution, kernels, sample, GS_DISTRIBUTION_SAMPLE, DISTRIBUTED,
	                              false),
	      "equal keys are one bin");
}

static void
check_ordered(void)
{
	static const struct { unsigned shape; bool ordered; } cases[] = {
		{ SHAPE_SORTED, true }, { SHAPE_REVERSED, true }, { SHAPE_ORGAN, true },
		{ SHAPE_UNIFORM, false }, { SHAPE_FEW, false },
	};
	uint64_t sample[GS_DISTRIBUTION_SAMPLE];

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		for (size_t i = 0; i < GS_DISTRIBUTION_SAMPLE; i++)
			sample[i] = shapes[cases[c].shape].key(i, GS_DISTRIBUTION_SAMPLE);
		CHECK(gs_sample_ordered(sample, 64, GS_DISTRIBUTION_SAMPLE) == cases[c].ordered,
		      "%s: ordered", shapes[cases[c].shape].name);
	}
}

/* --- range and bins --------------------------------------------------------------- */

/* -NaNs, which come behind all others. */
static uint64_t
late(unsigned bits)
{
	return ((uint64_t)1 << (bits == 32 ? 23 : 52)) - 1;
}

/* The number whose ordered bits a key has: the sign bit is inverted, below 0 all others, too; if REVERSE, the
 * negative of the number whose ordered bits are complemented. */
static long double
number_of(uint64_t key, unsigned bits, bool reverse)
{
	const uint64_t top = (uint64_t)1 << (bits - 1), all = UINT64_MAX >> (64 - bits);
	const uint64_t total = (key + (reverse ? -late(bits) : late(bits))) & all;
	const uint64_t raw = total & top ? total - top : ~total;
	const uint32_t low = (uint32_t)raw;
	float narrow;
	double wide;

	memcpy(&narrow, &low, sizeof narrow);
	memcpy(&wide, &raw, sizeof wide);
	return bits == 32 ? (long double)narrow : (long double)wide;
}

static bool
is_near_by_value(const struct gs_binner *binner, uint64_t key, unsigned bin)
{
	const bool reverse = binner->shift > INT64_MAX;
	const long double least = number_of(binner->least, binner->value_bits, reverse);
	const long double most = number_of(binner->most, binner->value_bits, reverse);
	const long double number = number_of(key, binner->value_bits, reverse);
	const long double near = (number - least) / (most - least) * binner->bins;

	return bin <= near + 0.01L && bin >= near - 1.01L;
}

/* The bin of a key as binner.c has it, rounded down here or there. */
static bool
is_near(const struct gs_binner *binner, uint64_t key, unsigned bin)
{
	const long double above = (long double)(key - binner->least);
	const long double linear = above * binner->bins / (long double)(binner->most - binner->least);
	unsigned shift = 0;

	if (binner->value_bits > 0)
		return is_near_by_value(binner, key, bin);
	if (binner->scale > 0)
		return bin <= linear + 0.01L && bin >= linear - 1.01L;
	while ((key - binner->least) >> shift >> binner->mantissa_bits > 1)
		shift++;
	return bin == shift * (1u << binner->mantissa_bits) + ((key - binner->least) >> shift);
}

static void
check_bins(enum gs_simd simd, unsigned bits, const struct gs_binner *binner)
{
	enum { KEYS = 1003 };
	const struct gs_simd_kernels *kernels = gs_simd_kernels(simd, bits);
	const uint64_t least = binner->least, most = binner->most;
	uint64_t sorted[KEYS], keys[KEYS], low = UINT64_MAX >> (64 - bits), high = 0;
	uint16_t found[KEYS];
	unsigned wrong = 0;

	for (size_t i = 0; i < KEYS; i++) {
		const uint64_t within = units_mix(i) % (most - least), near = within >> (i % bits);

		sorted[i] = i % 3 == 0 ? units_mix(i) >> (64 - bits) : least + (i % 3 == 1 ? within : near);
	}
	sorted[0] = least;
	sorted[1] = most;
	units_sort(sorted, KEYS);
	for (size_t i = 0; i < KEYS; i++)
		gs_key_put(keys, bits, i, sorted[i]);
	kernels->bins(binner, keys, KEYS, found);
	for (size_t i = 0; i < KEYS; i++) {
		const uint64_t key = sorted[i] < least ? least : sorted[i] > most ? most : sorted[i];

		wrong += found[i] >= binner->bins || (i > 0 && found[i] < found[i - 1]);
		wrong += !is_near(binner, key, found[i]);
		wrong += (key == least && found[i] != 0) || (key == most && found[i] != binner->bins - 1);
		wrong += gs_binner_first(binner, found[i]) > key ||
		         (found[i] + 1u < binner->bins && gs_binner_first(binner, found[i] + 1u) <= key);
	}
	CHECK(wrong == 0, "u%u from %llu to %llu are divided into %u bins, %s, by %s: %u are wrong", bits,
	      (unsigned long long)least, (unsigned long long)most, binner->bins,
	      binner->value_bits > 0 ? "by value" : binner->scale > 0 ? "linear" : "logarithmic",
	      gs_simd_name(simd), wrong);
	kernels->range(keys, KEYS, &low, &high);
	CHECK(low == sorted[0] && high == sorted[KEYS - 1], "their range is found by %s",
	      gs_simd_name(simd));
	low = sorted[0] / 2;
	high = sorted[KEYS - 1];
	kernels->range((char *)keys + bits / 8, 7, &low, &high);
	CHECK(low == sorted[0] / 2 && high == sorted[KEYS - 1], "a range never becomes narrower");
}

static void
check_range(enum gs_simd simd, unsigned bits, uint64_t least, uint64_t most)
{
	static const unsigned bins[] = { 256, 2048, GS_BINS_MOST };
	struct gs_binner binner = gs_binner_linear(least, most, 16);

	check_bins(simd, bits, &binner);
	for (unsigned b = 0; b < sizeof bins / sizeof bins[0]; b++) {
		binner = gs_binner_linear(least, most, bins[b]);
		check_bins(simd, bits, &binner);
		binner = gs_binner_logarithmic(least, most, bins[b]);
		CHECK(binner.bins <= bins[b], "%u bins are not more than %u", binner.bins, bins[b]);
		check_bins(simd, bits, &binner);
	}
}

/* The ordered bits of a number. */
static uint64_t
ordered_bits(double number, unsigned bits)
{
	const float narrow = (float)number;
	uint64_t raw = 0;

	if (bits == 32)
		memcpy(&raw, &narrow, sizeof narrow);
	else
		memcpy(&raw, &number, sizeof number);
	raw = raw >> (bits - 1) ? ~raw : raw | (uint64_t)1 << (bits - 1);
	return (raw - late(bits)) & UINT64_MAX >> (64 - bits);
}

static bool
by_value(struct gs_binner *binner, uint64_t least, uint64_t most, unsigned bins, unsigned bits)
{
	uint64_t both[2];

	gs_key_put(both, bits, 0, least);
	gs_key_put(both, bits, 1, most);
	return gs_binner_by_value(binner, least, most, bins, both, bits, 2);
}

/* Bins of equal width between two numbers; none if they are too far apart or no numbers. */
static void
check_values(enum gs_simd simd, unsigned bits)
{
	static const double pairs[][2] = {
		{ -1, 1 }, { 0, 1 }, { 1e-30, 1 }, { -1e20, -3 }, { 1, 1.0001 }, { -0.0, 1e-20 },
	};
	const double huge = bits == 32 ? FLT_MAX : DBL_MAX;
	const uint64_t all = UINT64_MAX >> (64 - bits);
	const uint64_t one = ordered_bits(1, bits), none[][2] = {
		{ 0, one }, { one, all }, { one, ordered_bits(HUGE_VAL, bits) },
		{ ordered_bits(-huge, bits), ordered_bits(huge, bits) },
		{ ordered_bits(-0.0, bits), ordered_bits(0, bits) },
	};
	struct gs_binner binner;

	for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++)
		for (unsigned bins = 2; bins <= GS_BINS_MOST; bins *= 8) {
			const uint64_t low = ordered_bits(pairs[p][0], bits);
			const uint64_t high = ordered_bits(pairs[p][1], bits);

			CHECK(by_value(&binner, low, high, bins, bits),
			      "%g and %g have bins between them", pairs[p][0], pairs[p][1]);
			check_bins(simd, bits, &binner);
			CHECK(by_value(&binner, all - high, all - low, bins, bits) &&
			      (binner.shift > INT64_MAX) == (p == 0),
			      "%g and %g have bins between them, reversed", pairs[p][1], pairs[p][0]);
			check_bins(simd, bits, &binner);
		}
	for (size_t n = 0; n < sizeof none / sizeof none[0]; n++)
		CHECK(!by_value(&binner, none[n][0], none[n][1], 64, bits),
		      "NaN, infinity, the largest numbers, and 0 alone have no bins of equal width");
}

/* Which binner suits a shape? */
static void
check_choice(unsigned shape, unsigned bits, bool logarithmic)
{
	enum { KEYS = 512 };
	uint64_t sorted[KEYS], sample[KEYS];
	struct gs_binner binner;

	for (size_t i = 0; i < KEYS; i++)
		sorted[i] = shapes[shape].key(i * 1999, KEYS * 1999) >> (64 - bits);
	units_sort(sorted, KEYS);
	for (size_t i = 0; i < KEYS; i++)
		gs_key_put(sample, bits, i, sorted[i]);
	binner = gs_binner_choose(sorted[0], sorted[KEYS - 1], 2048, gs_simd_kernels(gs_simd_best(), bits),
	                          sample, KEYS);
	CHECK((binner.scale == 0) == logarithmic, "%s, %u bits, are divided by %s", shapes[shape].name,
	      bits, binner.scale == 0 ? "logarithms" : "width");
}

/* ---- what a sample says ------------------------------------------------------------- */

/* Key I of a sample: any, or below PARAM; I times PARAM; about a middle; mostly one, but for one in PARAM;
 * ascending, but for one in PARAM; shifted by less than PARAM bits. */
enum sampled_kind { ANY_KEYS, EVEN_STEPS, A_BELL, ONE_KEY, NEARLY_IN_ORDER, SHIFTED_KEYS };

/* From KEYS of COUNT keys: what is chosen, where a little more or less would be chosen otherwise. */
static const struct sampled {
	unsigned kind;
	uint64_t param;
	unsigned bits;
	size_t   count, keys, most;
	/* these are found */
	bool     ordered;
	size_t   estimate;
	bool     chosen;
	unsigned bins;
	bool     even;
	size_t   room;
	uint64_t scale;
	unsigned left, right, mantissa_bits, value_bits;
	uint64_t first;		/* key of a third of the bins */
	bool     once;
} sampled[] = {
	{ 0, 0, 32, 1791, 256, 7164, false, 0, .chosen = false },
	{ 0, 0, 32, 60000, 100, 400000, false, 0, true,
	  2142, false, 96, 1161961300, 0, 0, 0, 0, 1451454648, false },
	{ 0, 300, 32, 524289, 256, 2097156, false, 249, .chosen = false },
	{ 1, 1, 32, 134455, 256, 537820, true, 0, true,
	  2400, true, 96, 1263225674, 24, 0, 0, 0, 86, false },
	{ 2, 0, 32, 524288, 256, 2097152, false, 0, true,
	  2340, false, 299, 1633327013, 0, 0, 0, 0, 1689127093, false },
	{ 3, 8, 32, 1792, 256, 7168, true, 0, .chosen = false },
	{ 4, 3, 32, 1792, 256, 7168, false, 0, .chosen = false },
	{ 4, 8, 32, 134456, 256, 537824, true, 0, true,
	  2400, false, 167, 1265166158, 12, 0, 0, 0, 348651, false },
	{ 4, 8, 32, 30000, 37, 400000, false, 0, true,
	  505, true, 96, 0, 0, 0, 5, 0, 1664, true },
	{ 5, 20, 32, 100000, 256, 400000, false, 0, true,
	  1717, true, 96, 0, 0, 0, 6, 0, 16089, true },
	{ 5, 60, 64, 7168, 256, 28672, false, 0, true,
	  493, false, 58, 0, 0, 0, 3, 0, 6291456, false },
	{ 5, 8, 64, 60000, 256, 240000, false, 0, true,
	  2142, false, 58, 1271605933, 0, 32, 0, 0, UINT64_C(5433321263063373043), false },
	{ 5, 8, 64, 30000, 37, 400000, false, 0, true,
	  1913, false, 58, 0, 0, 0, 5, 0, UINT64_C(3821993357201483), false },
	{ 0, 0, 64, 896, 256, 1016, false, 0, true,
	  32, true, 58, 17013645, 0, 32, 0, 0, UINT64_C(5762850587877774535), false },
	{ 0, 9, 64, 1, 64, 1, false, 9, .chosen = false },
	{ 0, 30, 64, 1, 64, 1, false, 31, .chosen = false },
	{ 0, 100, 64, 1, 128, 1, false, 94, .chosen = false },
	{ 0, 400, 64, 1, 128, 1, false, 481, .chosen = false },
	{ 0, 359, 64, 60000, 256, 300000, false, 426, true,
	  2142, false, 58, 1610612735, 23, 0, 0, 0, 121, false },
	{ 5, 50, 64, 60000, 256, 300000, false, 0, true,
	  1906, true, 58, 0, 0, 0, 5, 0, 15467365, true },
};

static uint64_t
sampled_key(const struct sampled *row, uint64_t i)
{
	const uint64_t param = row->param;
	bool narrow = row->bits == 32;
	uint64_t key = 0;

	switch (row->kind) {
	case ANY_KEYS:
		key = param == 0 ? units_mix(i) : units_mix(i) % param;
		narrow &= param == 0;
		break;
	case EVEN_STEPS:
		return i * param;
	case A_BELL:
		for (unsigned k = 0; k < 4; k++)
			key += units_mix(4 * i + k) >> 2;
		break;
	case ONE_KEY:
		key = units_mix(2 * i) % param == 0 ? units_mix(2 * i + 1) : UINT64_MAX / 3;
		break;
	case NEARLY_IN_ORDER:
		return i % param == 0 ? units_mix(i) % (1 << 20) : i << 10;
	default:
		key = units_mix(i) >> units_mix(i + 1000) % param;
	}
	return narrow ? key >> 32 : key;
}

static void
check_sampled(const struct sampled *row)
{
	const struct gs_simd_kernels *kernels = gs_simd_kernels(GS_SIMD_NONE, row->bits);
	struct gs_distribution d = { .kernels = NULL };
	uint64_t sample[GS_DISTRIBUTION_SAMPLE];
	size_t estimate, wrong;
	bool ordered, chosen;

	for (size_t i = 0; i < row->keys; i++)
		gs_key_put(sample, row->bits, i, sampled_key(row, i));
	ordered = gs_sample_ordered(sample, row->bits, row->keys);
	chosen = gs_distribution_choose(&d, kernels, sample, row->keys, row->count, ordered);
	kernels->sort_leaf(sample, sample, row->keys);
	estimate = gs_values_estimate(sample, row->bits, row->keys);
	wrong = ordered != row->ordered || estimate != row->estimate || chosen != row->chosen;
	CHECK(wrong == 0, "kind %u of %llu, %u bits, %zu keys: %s, about %zu values, %s", row->kind,
	      (unsigned long long)row->param, row->bits, row->count, ordered ? "in order" : "in no order",
	      estimate, chosen ? "divided" : "not divided");
	if (!chosen || !row->chosen)
		return;
	wrong = d.binner.bins != row->bins || d.even != row->even || d.room != row->room ||
	        d.binner.scale != row->scale || d.binner.left != row->left || d.binner.right != row->right ||
	        d.binner.mantissa_bits != row->mantissa_bits || d.binner.value_bits != row->value_bits ||
	        gs_binner_first(&d.binner, d.binner.bins / 3) != row->first ||
	        gs_distribution_begin_once(&d, row->count, row->most) != row->once;
	CHECK(wrong == 0, "kind %u of %llu, %u bits, %zu keys: %u bins with room for %zu keys, %s", row->kind,
	      (unsigned long long)row->param, row->bits, row->count, d.binner.bins, d.room,
	      d.even ? "even" : "not even");
}

void
unit_quicksort(void)
{
	/* Around blocks, leaves (2^11 u64, 2^12 u32) and the cache (2^18 u64, 2^19 u32). */
	static const size_t sizes[] = {
		1535, 2047, 2048, 2049, 3000, 4095, 4096, 4097, 5000, 8191, 8192, 8193, 20000,
		65535, 65536, 65537, 131073, (1 << 18) + 4321,
	};
	const size_t most = 270000;
	char *memory = malloc(6 * (most * 8 + 8));	/* scratch memory is three times as large */
	struct arrays arrays = { .expect = (uint64_t *)(void *)memory };

	arrays.input = memory + (most + 1) * 8;
	arrays.keys = memory + (most + 1) * 16;
	arrays.scratch = memory + (most + 1) * 24;
	for (size_t r = 0; r < sizeof sampled / sizeof sampled[0]; r++)
		check_sampled(&sampled[r]);
	for (size_t count = 0; count <= 1100; count += count < 300 ? 1 : 7)
		for (unsigned bits = 32; bits <= 64; bits += 32) {
			make(&arrays, bits, SHAPE_UNIFORM, count);
			check(&arrays, bits, shapes[SHAPE_UNIFORM].name, count, false);
		}
	for (size_t count = 1; count < 600; count += 73)
		check_shapes(&arrays, count, 0);
	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
		check_shapes(&arrays, sizes[s], (unsigned)s);
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		check_dense(&arrays, bits, 1);
		check_dense(&arrays, bits, 3 << 14);
		check_few_values(&arrays, bits);
		check_estimate(bits);
		check_fixed(&arrays, bits, 1, 1, "multiples of 1/64");
		check_fixed(&arrays, bits, 1e-9, 0, "and one between");
		check_fixed(&arrays, bits, -0.0, 0, "and -0");
		check_fixed(&arrays, bits, NAN, -1, "and a NaN");
		check_fixed(&arrays, bits, -1e9, bits == 64, "and one far away");
	}
	for (size_t r = 0; r < sizeof crew_rows / sizeof crew_rows[0]; r++)
		check_crew(&crew_rows[r]);
	free(memory);
	check_leaves();
	for (int simd = GS_SIMD_NONE; simd <= (int)gs_simd_best(); simd++)
		for (unsigned bits = 32; bits <= 64; bits += 32) {
			const uint64_t end = UINT64_MAX >> (64 - bits);

			check_values((enum gs_simd)simd, bits);

			for (unsigned way = 0; way < 8; way++) {
				gs_simd_set_fetches_first(way / 4 == 1);
				check_distribution((enum gs_simd)simd, bits, way % 2 == 1, way / 2 % 2 == 1);
			}
			for (int way = EVEN; way < ONCE_WAYS; way++)
				check_once((enum gs_simd)simd, bits, (enum once_way)way);
			check_range((enum gs_simd)simd, bits, 0, end);
			check_range((enum gs_simd)simd, bits, end - 1, end);
			check_range((enum gs_simd)simd, bits, 5, end / 3);
			check_range((enum gs_simd)simd, bits, end / 7, end / 7 + 1000);
			check_range((enum gs_simd)simd, bits, 1u << 31, UINT32_MAX);
			for (size_t values = 1; values <= 16; values++)
				for (size_t count = 0; count < TALLY_KEYS; count += 1 + count)
					for (int way = MOSTLY_ONE; way <= EQUAL_HALVES; way++)
						check_tally((enum gs_simd)simd, bits, count, values,
						            (enum tally_way)way);
			for (size_t count = 0; count < 200; count += 1 + count / 5)
				for (size_t beyond = 0; beyond < 40; beyond += 7)
					check_partition((enum gs_simd)simd, bits, count, beyond);
		}
	check_ordered();
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		check_undivided(bits);
		check_choice(SHAPE_UNIFORM, bits, false);
		check_choice(SHAPE_SORTED, bits, false);
		check_choice(SHAPE_HEAVY, bits, false);
		check_choice(SHAPE_POWERS, bits, true);
	}
}
