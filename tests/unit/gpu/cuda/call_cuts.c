// SPDX-License-Identifier: BSD-2-Clause
/*
 * call_cuts.c - libgsort_cuda on the emulated GPU: rows and segments, of keys, of pairs, for places
 *
 * Each is compared with a sort of its own on the host, with lanes forwards and, if there is time, backwards.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "bench/shapes.h"
#include "kernels/kernels.h"
#include "tests/unit/gpu/cuda/call_arrays.h"
#include "tests/unit/units.h"

void unit_call_cuts(void);

struct pair {
	uint64_t key, value;
};

/* COUNT segments of T in SHAPE from offsets AT, which are on the device; or ROWS, of as many keys each; with
 * payloads of VALUE_BYTES, or none. */
struct cut {
	const struct call_type *type;
	unsigned  value_bytes, flags, shape;
	uint64_t *at;
	size_t    count, rows;
};

static enum gsort_error
call_cut(const struct cut *c, size_t keys, struct arrays *a)
{
	if (c->value_bytes > 0 && c->rows > 0)
		return gsort_cuda_sort_pairs_rows(a->keys, a->other, c->value_bytes, c->count, c->at[1],
		                                  c->type->type, c->flags, a->scratch, &a->scratch_bytes,
		                                  NULL);
	if (c->value_bytes > 0)
		return gsort_cuda_sort_pairs_segments(a->keys, a->other, c->value_bytes, keys, c->at,
		                                      c->count, c->type->type, c->flags, a->scratch,
		                                      &a->scratch_bytes, NULL);
	if (c->rows > 0)
		return gsort_cuda_sort_rows(a->keys, a->other, c->count, c->at[1], c->type->type, c->flags,
		                            a->scratch, &a->scratch_bytes, NULL);
	return gsort_cuda_sort_segments(a->keys, a->other, keys, c->at, c->count, c->type->type, c->flags,
	                                a->scratch, &a->scratch_bytes, NULL);
}

/* Keys and payloads of C to A; the keys with the payloads that they get to PAIRS.  No call touches payloads
 * behind its rows. */
static void
fill_cut(const struct cut *c, size_t count, const struct arrays *a, struct pair *pairs)
{
	const unsigned bytes = c->type->bytes;
	const bool places = (c->flags & GSORT_CUDA_PLACES) != 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t key = key_of(c->shape, bytes > 4 ? 64 : 32, i, count, count);

		call_put(a->keys, i, bytes, bytes < 4 ? key >> (32 - bytes * 8) : key);
		pairs[i] = (struct pair){ .key = call_get(a->keys, i, bytes) };
		if (c->value_bytes == 0)
			continue;
		call_put(a->other, i, c->value_bytes, units_mix(i));
		pairs[i].value = call_get(a->other, i, c->value_bytes);
		if (places && c->rows == 0)
			pairs[i].value = i;
		else if (places && i < c->at[c->count])
			pairs[i].value = i % c->at[1];
	}
}

/* The pairs with each segment sorted; equal keys stay in their order. */
static struct pair *
sorted_cut(const struct cut *c, size_t count, const struct pair *pairs)
{
	struct units_placed *order = malloc(count * sizeof *order);
	struct pair *sorted = malloc(count * sizeof *sorted);

	for (size_t i = 0; i < count; i++) {
		const uint64_t key = call_order(c->type, pairs[i].key);

		order[i] = (struct units_placed){ (c->flags & GSORT_CUDA_DESCENDING) != 0 ? ~key : key, i };
	}
	for (size_t s = 0; s < c->count; s++)
		units_sort_placed(order + c->at[s], c->at[s + 1] - c->at[s]);
	for (size_t i = 0; i < count; i++)
		sorted[i] = pairs[order[i].place];
	free(order);
	return sorted;
}

/* Sort the segments, and seven keys behind them that are in none. */
static void
check_cut(const struct cut *c)
{
	enum { BEHIND = 7 };
	const unsigned bytes = c->type->bytes, other_bytes = c->value_bytes > 0 ? c->value_bytes : bytes;
	const size_t count = c->at[c->count] + BEHIND, odd = count % 3 * bytes;
	struct pair *pairs = malloc(count * sizeof *pairs), *want;
	struct arrays a = { guarded(count * bytes, odd), guarded(count * other_bytes, 0), NULL, 0 };
	size_t wrong = 0;

	fill_cut(c, count, &a, pairs);
	want = sorted_cut(c, count, pairs);
	free(pairs);
	CHECK(call_cut(c, count, &a) == GSORT_ERROR_NONE && a.scratch_bytes > 0, "the scratch is told");
	a.scratch = guarded(a.scratch_bytes, 0);
	CHECK(call_cut(c, count, &a) == GSORT_ERROR_NONE, "%zu segments: %s", c->count,
	      gsort_cuda_message());
	for (size_t i = 0; i < count; i++)
		wrong += call_get(a.keys, i, bytes) != want[i].key ||
		         (c->value_bytes > 0 && call_get(a.other, i, c->value_bytes) != want[i].value);
	CHECK(wrong == 0,
	      "%zu %s of %s, %zu keys, the first with %llu, shape %u, payloads of %u bytes, flags %u, get "
	      "sorted: %zu are not", c->count, c->rows > 0 ? "rows" : "segments", c->type->name, count,
	      c->count > 0 ? (unsigned long long)c->at[1] : 0, c->shape, c->value_bytes, c->flags, wrong);
	CHECK(guards_hold(a.keys, count * bytes, odd), "nothing around the segments is written");
	CHECK(guards_hold(a.other, count * other_bytes, 0), "nor around the other room");
	CHECK(guards_hold(a.scratch, a.scratch_bytes, 0), "nor around scratch");
	free(want);
}

/* C once more as stable pairs, and for places. */
static void
check_cut_pairs(struct cut c)
{
	const unsigned way = c.type->bytes + c.shape + (unsigned)c.count;

	c.value_bytes = way % 2 == 0 ? 4 : 8;
	c.flags |= way / 2 % 2 == 0 ? GSORT_CUDA_STABLE : GSORT_CUDA_PLACES;
	check_cut(&c);
}

/* COUNT segments, of as many keys as LENGTH(i) says. */
static void
check_segments(const struct call_type *type, unsigned shape, size_t count, size_t (*length)(size_t))
{
	struct cut c = { type, 0, shape % 2, shape, NULL, count, 0 };

	c.at = (uint64_t *)guarded((count + 1) * sizeof c.at[0], 0);
	c.at[0] = count % 5;		/* keys before the first segment */
	for (size_t s = 0; s < count; s++)
		c.at[s + 1] = c.at[s] + length(s);
	check_cut(&c);
	check_cut_pairs(c);
	CHECK(guards_hold((unsigned char *)c.at, (count + 1) * sizeof c.at[0], 0), "offsets stay");
}

static void
check_rows(const struct call_type *type, unsigned shape, size_t rows, size_t length)
{
	struct cut c = { type, 0, shape % 2, shape, NULL, rows, 1 };

	c.at = malloc((rows + 2) * sizeof c.at[0]);
	c.at[1] = length;
	for (size_t s = 0; s <= rows; s++)
		c.at[s] = s * length;
	check_cut(&c);
	check_cut_pairs(c);
	free(c.at);
}

/* Around the slots of each kind, and around leaves. */
static size_t
odd_length(size_t i)
{
	static const size_t lengths[] = {
		0, 1, 2, 3, 31, 32, 33, 64, 65, 0, 0, 127, 129, 255, 257, 512, 1023, 1025, 2048, 2049, 4096,
		4097, 8191, 8192, 8193, 16384, 16385, 32768, 32769, 1, 45000, 5,
	};

	return lengths[i % (sizeof lengths / sizeof lengths[0])];
}

static size_t no_length(size_t i)   { (void)i; return 0; }
static size_t one_length(size_t i)  { (void)i; return 1; }
static size_t all_length(size_t i)  { (void)i; return 70001; }	/* two leaves, and more */
static size_t zipf_length(size_t i) { return 20000 / (1 + units_mix(i) % 2000); }

static void
check_cuts(void)
{
	static const size_t rows[][2] = {
		{ 1, 1 }, { 7, 2 }, { 1100, 31 }, { 300, 32 }, { 77, 33 }, { 33, 64 }, { 9, 1000 },
		{ 5, 1024 }, { 3, 1025 }, { 3, 4096 }, { 3, 4097 }, { 2, 8192 }, { 2, 8193 }, { 2, 16385 },
		{ 2, 40000 }, { 1, 145001 }, { 0, 5 }, { 3, 0 },
	};

	for (size_t t = 0; t < CALL_TYPES; t++) {
		const struct call_type *type = &call_types[t];
		const unsigned shape = t % 3 == 0 ? SHAPE_UNIFORM : (unsigned)(t * 5) % SHAPES;

		for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
			if (!units_brief() || t % 3 == 0 || r % 3 == t % 3)
				check_rows(type, r % 2 == 0 ? SHAPE_UNIFORM : shape + 1, rows[r][0],
				           rows[r][1]);
		check_segments(type, shape, 32, odd_length);
		check_segments(type, shape + 1, 2500, zipf_length);
		check_segments(type, shape, 3000, one_length);
		check_segments(type, shape, 40, no_length);
		check_segments(type, shape, 0, no_length);
		check_segments(type, shape, 1, all_length);
	}
	/* segments that are divided; if time is short, every fifth shape, and so all types */
	for (unsigned shape = 0; shape < SHAPES; shape += units_brief() ? 5 : 1)
		check_segments(&call_types[CALL_WIDE + shape % 6], shape, 3, all_length);
}

/* Offsets that fall, or are behind the last key: nothing is done. */
static void
check_wrong_cuts(void)
{
	static const uint64_t cuts[][5] = {
		{ 0, 30, 20, 60, 100 }, { 0, 30, 60, 90, 101 }, { 0, UINT64_MAX, 60, 90, 100 },
		{ 5, 4, 4, 4, 4 }, { 101, 101, 101, 101, 101 },
	};
	enum { KEYS = 100 };
	uint64_t *keys = (uint64_t *)guarded(KEYS * 8, 0), *other = (uint64_t *)guarded(KEYS * 8, 0);
	uint64_t *at = (uint64_t *)guarded(sizeof cuts[0], 0);
	size_t bytes = 0, moved = 0;
	void *scratch;

	for (size_t i = 0; i < KEYS; i++)
		keys[i] = KEYS - i;
	CHECK(gsort_cuda_sort_segments(NULL, NULL, KEYS, NULL, 4, GSORT_U64, 0, NULL, &bytes, NULL) ==
	      GSORT_ERROR_NONE, "asking needs no arrays");
	scratch = guarded(bytes, 0);
	for (size_t c = 0; c < sizeof cuts / sizeof cuts[0]; c++) {
		memcpy(at, cuts[c], sizeof cuts[0]);
		CHECK(gsort_cuda_sort_segments(keys, other, KEYS, at, 4, GSORT_U64, 0, scratch, &bytes,
		                               NULL) == GSORT_ERROR_USAGE &&
		      strstr(gsort_cuda_message(), "offsets fall") != NULL, "wrong offsets %zu are refused",
		      c);
	}
	for (size_t i = 0; i < KEYS; i++)
		moved += keys[i] != KEYS - i;
	CHECK(moved == 0, "then keys are as they were");
	CHECK(gsort_cuda_sort_segments(keys, other, KEYS, NULL, 4, GSORT_U64, 0, scratch, &bytes, NULL) ==
	      GSORT_ERROR_USAGE && strstr(gsort_cuda_message(), "offsets is NULL") != NULL, "no offsets");
	CHECK(gsort_cuda_sort_segments(keys, other, KEYS, at, (size_t)1 << 32, GSORT_U64, 0, scratch, &bytes,
	                               NULL) == GSORT_ERROR_USAGE, "more segments than lists can name");
	CHECK(gsort_cuda_sort_rows(keys, other, (size_t)1 << 40, (size_t)1 << 40, GSORT_U64, 0, NULL, &bytes,
	                           NULL) == GSORT_ERROR_USAGE, "more rows than memory holds");
	CHECK(guards_hold((unsigned char *)keys, KEYS * 8, 0), "nothing around is written");
	(void)guards_hold((unsigned char *)other, KEYS * 8, 0);
	(void)guards_hold((unsigned char *)at, sizeof cuts[0], 0);
	(void)guards_hold(scratch, bytes, 0);
}

/* Segments need no more scratch than gsort_cuda.h tells. */
static void
check_scratch_of_segments(void)
{
	enum { KEYS = 1 << 26 };
	size_t sort_bytes = 0, bytes = 0;

	CHECK(gsort_cuda_sort(NULL, NULL, KEYS, GSORT_U32, 0, NULL, &sort_bytes, NULL) == GSORT_ERROR_NONE,
	      "the scratch of a sort is told");
	for (size_t length = 2; length <= 1 << 20; length *= 2) {
		const size_t each = KEYS / length * 80, all = 5 * (size_t)KEYS;

		CHECK(gsort_cuda_sort_segments(NULL, NULL, KEYS, NULL, KEYS / length, GSORT_U32, 0, NULL,
		                               &bytes, NULL) == GSORT_ERROR_NONE &&
		      bytes <= sort_bytes / 100 * 101 + (each < all ? each : all),
		      "segments of %zu keys need %zu bytes, and a sort %zu", length, bytes, sort_bytes);
	}
}

/* A device whose blocks have little shared memory; if time is short, one type of each width. */
static void
check_small_device(const char *shared)
{
	static unsigned devices;

	devices++;
	setenv("GSORT_EMU_SHARED", shared, 1);
	(void)gsort_cuda_release();
	for (size_t t = CALL_WIDE; t < CALL_TYPES; t++)
		if (!units_brief() || (t + devices) % 3 == 0)
			check_segments(&call_types[t], SHAPE_UNIFORM, 32, odd_length);
	unsetenv("GSORT_EMU_SHARED");
	(void)gsort_cuda_release();
}

/* While a stream is captured: short rows are sorted, what needs the host is refused. */
static void
check_captured(void)
{
	enum { KEYS = 10000 };
	uint64_t *keys = (uint64_t *)guarded(KEYS * 8, 0), *other = (uint64_t *)guarded(KEYS * 8, 0);
	uint64_t *cuts = (uint64_t *)guarded(3 * 8, 0);
	size_t bytes = 0;
	void *scratch;

	memset(cuts, 0, 3 * 8);
	(void)gsort_cuda_sort_rows(NULL, NULL, 1, 8193, GSORT_U64, 0, NULL, &bytes, NULL);
	scratch = guarded(bytes, 0);
	setenv("GSORT_EMU_CAPTURING", "1", 1);
	for (size_t t = 0; t < CALL_TYPES; t++)
		check_rows(&call_types[t], SHAPE_UNIFORM, 9, 1000);
	CHECK(gsort_cuda_sort_rows(keys, other, 1, 8193, GSORT_U64, 0, scratch, &bytes, NULL) ==
	      GSORT_ERROR_USAGE && strstr(gsort_cuda_message(), "long rows") != NULL, "long rows: refused");
	CHECK(gsort_cuda_sort_segments(keys, other, 100, cuts, 2, GSORT_U64, 0, scratch, &bytes, NULL) ==
	      GSORT_ERROR_USAGE && strstr(gsort_cuda_message(), "segments") != NULL, "segments: refused");
	unsetenv("GSORT_EMU_CAPTURING");
	(void)guards_hold((unsigned char *)keys, KEYS * 8, 0);
	(void)guards_hold((unsigned char *)other, KEYS * 8, 0);
	(void)guards_hold((unsigned char *)cuts, 3 * 8, 0);
	(void)guards_hold(scratch, bytes, 0);
}

void
unit_call_cuts(void)
{
	check_wrong_cuts();
	check_scratch_of_segments();
	for (int reverse = 0; reverse < (units_brief() ? 1 : 2); reverse++) {
		setenv("GSORT_EMU_REVERSE", reverse ? "1" : "0", 1);
		check_cuts();
	}
	check_small_device("65536");
	check_small_device("101376");
	check_captured();
	unsetenv("GSORT_EMU_REVERSE");
	(void)cudaGetLastError();
}
