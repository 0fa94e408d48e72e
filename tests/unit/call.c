// SPDX-License-Identifier: BSD-2-Clause
/*
 * call.c - libgsort_cuda on the emulated GPU: all types, directions, payloads and errors
 *
 * What the calls do is compared with a sort on the host, of pairs by key and then by payload.  Pairs and
 * types run with lanes forwards and backwards; if time is short, all rows either way in turn.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "bench/call_types.h"
#include "bench/shapes.h"
#include "kernels/kernels.h"
#include "tests/unit/units.h"

void unit_call(void);

enum { GUARD_BYTE = 0x5c, GUARD_BYTES = 64 };

struct pair {
	uint64_t order, value, key;
};

static bool descending;		/* for compare_pairs() */

static int
compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->order != y->order)
		return (x->order > y->order) != descending ? 1 : -1;
	return (x->value > y->value) - (x->value < y->value);
}

/* Device memory of BYTES, at ODD elements of WIDTH, between guards. */
static unsigned char *
guarded(size_t bytes, size_t odd)
{
	void *memory = NULL;

	if (cudaMalloc(&memory, GUARD_BYTES + odd + bytes + GUARD_BYTES) != cudaSuccess)
		abort();
	memset(memory, GUARD_BYTE, GUARD_BYTES + odd + bytes + GUARD_BYTES);
	return (unsigned char *)memory + GUARD_BYTES + odd;
}

static bool
guards_hold(unsigned char *array, size_t bytes, size_t odd)
{
	bool hold = true;

	for (size_t b = 1; b <= GUARD_BYTES; b++)
		hold = hold && array[0 - b] == GUARD_BYTE && array[bytes + b - 1] == GUARD_BYTE;
	(void)cudaFree(array - odd - GUARD_BYTES);
	return hold;
}

/* One call: COUNT keys of T in SHAPE, with payloads of VALUE_BYTES or none. */
struct row {
	const struct call_type *type;
	unsigned           value_bytes, flags, shape;
	size_t             count;
};

/* As the call sees them: what is in the arrays, and where. */
struct arrays {
	unsigned char *keys, *other, *scratch;
	size_t         scratch_bytes;
};

static enum gsort_error
call(const struct row *r, struct arrays *a)
{
	if (r->value_bytes > 0)
		return gsort_cuda_sort_pairs(a->keys, a->other, r->value_bytes, r->count, r->type->type,
		                             r->flags, a->scratch, &a->scratch_bytes, NULL);
	return gsort_cuda_sort(a->keys, a->other, r->count, r->type->type, r->flags, a->scratch,
	                       &a->scratch_bytes, NULL);
}

static bool
same_pairs(const struct row *r, const struct arrays *a, struct pair *got, const struct pair *want)
{
	bool same = true, falls = false;

	for (size_t i = 0; i < r->count; i++) {
		got[i].key = call_get(a->keys, i, r->type->bytes);
		got[i].order = call_order(r->type, got[i].key);
		got[i].value = r->value_bytes > 0 ? call_get(a->other, i, r->value_bytes) : 0;
		falls = falls || got[i].order != want[i].order;
	}
	/* payloads of equal keys come in any order */
	qsort(got, r->count, sizeof got[0], compare_pairs);
	for (size_t i = 0; i < r->count; i++)
		same = same && got[i].key == want[i].key && got[i].value == want[i].value;
	return same && !falls;
}

/* If time is short: of rows in any regular order, such as both flags of each type, each flag and each type
 * has both directions of lanes (Thue and Morse). */
static void
turn_lanes(void)
{
	static unsigned rows;

	if (units_brief())
		setenv("GSORT_EMU_REVERSE", __builtin_parity(rows++) ? "1" : "0", 1);
}

static void
check_row(const struct row *r)
{
	const unsigned bytes = r->type->bytes;
	const unsigned other_bytes = r->value_bytes > 0 ? r->value_bytes : bytes;
	const size_t odd = r->count % 3 * bytes, other_odd = r->count % 2 * other_bytes;
	struct pair *want = malloc((r->count + 1) * sizeof *want);
	struct pair *got = malloc((r->count + 1) * sizeof *got);
	struct arrays a = {
		guarded(r->count * bytes, odd), guarded(r->count * other_bytes, other_odd), NULL, 0,
	};
	const bool down = (r->flags & GSORT_CUDA_DESCENDING) != 0;

	for (size_t i = 0; i < r->count; i++) {
		const uint64_t key = key_of(r->shape, bytes > 4 ? 64 : 32, i, r->count, r->count);

		call_put(a.keys, i, bytes, bytes < 4 ? key >> (32 - bytes * 8) : key);
		want[i].key = call_get(a.keys, i, bytes);
		want[i].order = call_order(r->type, want[i].key);
		want[i].value = 0;
		if (r->value_bytes > 0) {
			call_put(a.other, i, other_bytes, units_mix(i));
			want[i].value = call_get(a.other, i, other_bytes);
		}
	}
	turn_lanes();
	descending = down;
	qsort(want, r->count, sizeof want[0], compare_pairs);
	CHECK(call(r, &a) == GSORT_ERROR_NONE && a.scratch_bytes > 0, "the scratch of %zu %s is told",
	      r->count, r->type->name);
	a.scratch = guarded(a.scratch_bytes, 0);
	CHECK(call(r, &a) == GSORT_ERROR_NONE && same_pairs(r, &a, got, want),
	      "%zu %s with payloads of %u bytes, shape %u, %s, get sorted: %s", r->count, r->type->name,
	      r->value_bytes, r->shape, down ? "descending" : "ascending", gsort_cuda_message());
	CHECK(guards_hold(a.keys, r->count * bytes, odd), "nothing around %zu %s is written", r->count,
	      r->type->name);
	CHECK(guards_hold(a.other, r->count * other_bytes, other_odd), "nor around the other room");
	CHECK(guards_hold(a.scratch, a.scratch_bytes, 0), "nor around scratch");
	free(want);
	free(got);
}

/* The longest keys of each path: networks, buckets that are leaves, two levels, one leaf. */
static const size_t sizes[] = { 0, 1, 2, 3, 4097, 16384, 16385, 66001, 150000 };

enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void
check_types(void)
{
	for (size_t t = 0; t < CALL_TYPES; t++)
		for (size_t s = 0; s < SIZES; s++) {
			const unsigned shape = s % 2 == 0 ? SHAPE_UNIFORM : (unsigned)(s * 5) % SHAPES;
			struct row r = { &call_types[t], 0, s % 2, shape, sizes[s] };

			check_row(&r);
			r.flags ^= 1;
			check_row(&r);
		}
}

/* Every shape takes its own way: one value, few, digits, splitters, chunks, ties. */
static void
check_shapes(void)
{
	for (unsigned shape = 0; shape < SHAPES; shape++)
		for (size_t t = CALL_WIDE; t < CALL_TYPES; t++) {
			const struct call_type *type = &call_types[t];
			const unsigned value_bytes = (shape + t) % 2 == 0 ? 4 : 8;

			if (units_brief() && (shape + t) % 3 != 0)
				continue;
			check_row(&(struct row){ type, 0, shape % 2, shape, 67000 });
			check_row(&(struct row){ type, value_bytes, shape % 2, shape, 67000 });
			check_row(&(struct row){ type, 12 - value_bytes, t % 2, shape, 151000 });
		}
}

static void
check_pairs(void)
{
	for (size_t s = 0; s < SIZES; s++)
		for (unsigned both = 0; both < 4; both++) {
			const struct call_type *type = &call_types[both % 2 == 0 ? CALL_U32 : CALL_U64];

			const unsigned value_bytes = both < 2 ? 4 : 8;

			check_row(&(struct row){ type, value_bytes, both == 3, SHAPE_UNIFORM, sizes[s] });
			check_row(&(struct row){ type, value_bytes, both == 0, SHAPE_ZIPF, sizes[s] });
		}
	/* leaves of a small range, of each length */
	for (size_t count = 100000; count < 900000; count *= 2) {
		check_row(&(struct row){ &call_types[CALL_U32], 4, 0, SHAPE_NARROW, count });
		check_row(&(struct row){ &call_types[CALL_U64], 8, 1, SHAPE_NARROW, count });
	}
	/* a bucket of most rows, few and many; bins of one value, with and without a map */
	for (unsigned flags = 0; flags < 2; flags++) {
		check_row(&(struct row){ &call_types[CALL_U32], 8, flags, SHAPE_EQUAL_BUT_TWO, 69000 });
		check_row(&(struct row){ &call_types[CALL_U64], 4, flags, SHAPE_EQUAL_BUT_TWO, 151000 });
		check_row(&(struct row){ &call_types[CALL_U32], 4, flags, SHAPE_FEW, 151000 });
		check_row(&(struct row){ &call_types[CALL_U64], 8, flags, SHAPE_SAW, 300000 });
		check_row(&(struct row){ &call_types[CALL_U32], 8, flags, SHAPE_REVERSED, 151000 });
	}
	/* large buckets; few values in each */
	check_row(&(struct row){ &call_types[CALL_U64], 8, 0, SHAPE_CLUSTERS, 600000 });
	check_row(&(struct row){ &call_types[CALL_U32], 4, 0, SHAPE_THOUSAND, 700000 });
}

/* ---- rows and segments -------------------------------------------------------------- */

/* COUNT segments of T in SHAPE from offsets AT, which are on the device; or ROWS, of as many keys each. */
struct cut {
	const struct call_type *type;
	unsigned  flags, shape;
	uint64_t *at;
	size_t    count, rows;
};

static enum gsort_error
call_cut(const struct cut *c, size_t keys, struct arrays *a)
{
	if (c->rows > 0)
		return gsort_cuda_sort_rows(a->keys, a->other, c->count, c->at[1], c->type->type, c->flags,
		                            a->scratch, &a->scratch_bytes, NULL);
	return gsort_cuda_sort_segments(a->keys, a->other, keys, c->at, c->count, c->type->type, c->flags,
	                                a->scratch, &a->scratch_bytes, NULL);
}

/* Sort the segments, and seven keys behind them that are in none. */
static void
check_cut(const struct cut *c)
{
	enum { BEHIND = 7 };
	const unsigned bytes = c->type->bytes;
	const size_t count = c->at[c->count] + BEHIND, odd = count % 3 * bytes;
	struct pair *want = malloc((count + 1) * sizeof *want);
	struct arrays a = { guarded(count * bytes, odd), guarded(count * bytes, 0), NULL, 0 };
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t key = key_of(c->shape, bytes > 4 ? 64 : 32, i, count, count);

		call_put(a.keys, i, bytes, bytes < 4 ? key >> (32 - bytes * 8) : key);
		want[i] = (struct pair){ .key = call_get(a.keys, i, bytes) };
		want[i].order = call_order(c->type, want[i].key);
	}
	descending = (c->flags & GSORT_CUDA_DESCENDING) != 0;
	for (size_t s = 0; s < c->count; s++)
		qsort(want + c->at[s], c->at[s + 1] - c->at[s], sizeof want[0], compare_pairs);
	CHECK(call_cut(c, count, &a) == GSORT_ERROR_NONE && a.scratch_bytes > 0, "the scratch is told");
	a.scratch = guarded(a.scratch_bytes, 0);
	CHECK(call_cut(c, count, &a) == GSORT_ERROR_NONE, "%zu segments: %s", c->count,
	      gsort_cuda_message());
	for (size_t i = 0; i < count; i++)
		wrong += call_get(a.keys, i, bytes) != want[i].key;
	CHECK(wrong == 0,
	      "%zu %s of %s, %zu keys, the first with %llu, shape %u, %s, get sorted: %zu are not",
	      c->count, c->rows > 0 ? "rows" : "segments", c->type->name, count,
	      c->count > 0 ? (unsigned long long)c->at[1] : 0, c->shape, descending ? "descending" :
	      "ascending", wrong);
	CHECK(guards_hold(a.keys, count * bytes, odd), "nothing around the segments is written");
	CHECK(guards_hold(a.other, count * bytes, 0), "nor around the other room");
	CHECK(guards_hold(a.scratch, a.scratch_bytes, 0), "nor around scratch");
	free(want);
}

/* COUNT segments, of as many keys as LENGTH(i) says. */
static void
check_segments(const struct call_type *type, unsigned shape, size_t count, size_t (*length)(size_t))
{
	struct cut c = { type, shape % 2, shape, NULL, count, 0 };

	c.at = (uint64_t *)guarded((count + 1) * sizeof c.at[0], 0);
	c.at[0] = count % 5;		/* keys before the first segment */
	for (size_t s = 0; s < count; s++)
		c.at[s + 1] = c.at[s] + length(s);
	check_cut(&c);
	CHECK(guards_hold((unsigned char *)c.at, (count + 1) * sizeof c.at[0], 0), "offsets stay");
}

static void
check_rows(const struct call_type *type, unsigned shape, size_t rows, size_t length)
{
	struct cut c = { type, shape % 2, shape, NULL, rows, 1 };

	c.at = malloc((rows + 2) * sizeof c.at[0]);
	c.at[1] = length;
	for (size_t s = 0; s <= rows; s++)
		c.at[s] = s * length;
	check_cut(&c);
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
static size_t all_length(size_t i)  { (void)i; return 150001; }
static size_t zipf_length(size_t i) { return 20000 / (1 + units_mix(i) % 2000); }

static void
check_cuts(void)
{
	static const size_t rows[][2] = {
		{ 1, 1 }, { 7, 2 }, { 1100, 31 }, { 300, 32 }, { 77, 33 }, { 33, 64 }, { 9, 1000 },
		{ 5, 1024 }, { 3, 1025 }, { 3, 4096 }, { 3, 4097 }, { 2, 8192 }, { 2, 8193 }, { 2, 16385 },
		{ 2, 40000 }, { 1, 150001 }, { 0, 5 }, { 3, 0 },
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
	for (unsigned shape = 0; shape < SHAPES; shape++)	/* segments that are divided */
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

/* A device whose blocks have little shared memory. */
static void
check_small_device(void)
{
	setenv("GSORT_EMU_SHARED", "101376", 1);
	(void)gsort_cuda_release();
	for (size_t t = CALL_WIDE; t < CALL_TYPES; t++) {
		check_row(&(struct row){ &call_types[t], 0, 1, SHAPE_UNIFORM, 30001 });
		check_row(&(struct row){ &call_types[t], 8, 0, SHAPE_ZIPF, 30001 });
		check_segments(&call_types[t], SHAPE_UNIFORM, 32, odd_length);
	}
	unsetenv("GSORT_EMU_SHARED");
	(void)gsort_cuda_release();
}

/* ---- what is refused, and what is kept -------------------------------------------- */

static void
check_refused(void)
{
	static uint64_t keys[16], other[16], scratch[1 << 13];
	size_t bytes = 0, needed = 0;
	const struct {
		const char *why;
		void       *keys, *other;
		int         type;
		unsigned    flags;
		size_t      bytes, count;
		const char *message;
	} rows[] = {
		{ "text", keys, other, GSORT_TEXT, 0, sizeof scratch, 16, "type 0 is not one of" },
		{ "keys of 128 bits", keys, other, GSORT_U128, 0, sizeof scratch, 4,
		  "type 14 is not one of" },
		{ "no type", keys, other, -1, 0, sizeof scratch, 16, "type -1 is not one of" },
		{ "an unknown flag", keys, other, GSORT_U64, 6, sizeof scratch, 16, "flags is 0x6" },
		{ "no keys", NULL, other, GSORT_U64, 0, sizeof scratch, 16, "keys is NULL" },
		{ "no other room", keys, NULL, GSORT_U64, 0, sizeof scratch, 16, "other is NULL" },
		{ "keys at an odd address", (char *)keys + 2, other, GSORT_U64, 0, sizeof scratch, 8,
		  "keys is not at a multiple of 8 bytes" },
		{ "one room for both", keys, keys, GSORT_U64, 0, sizeof scratch, 16, "are the same memory" },
		{ "too little scratch", keys, other, GSORT_U64, 0, 1, 16, "scratch_bytes is 1, and " },
		{ "no such count", keys, other, GSORT_U64, 0, sizeof scratch, SIZE_MAX,
		  "no memory holds" },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		bytes = rows[r].bytes;
		CHECK(gsort_cuda_sort(rows[r].keys, rows[r].other, rows[r].count,
		                      (enum gsort_type)rows[r].type, rows[r].flags, scratch, &bytes,
		                      NULL) == GSORT_ERROR_USAGE &&
		      strstr(gsort_cuda_message(), rows[r].message) != NULL, "%s: refused, not '%s'",
		      rows[r].why, gsort_cuda_message());
	}
	CHECK(gsort_cuda_sort(keys, other, 16, GSORT_U64, 0, scratch, NULL, NULL) == GSORT_ERROR_USAGE,
	      "no place for the bytes: refused");
	CHECK(gsort_cuda_sort_pairs(keys, other, 4, 16, GSORT_U16, 0, NULL, &needed, NULL) ==
	      GSORT_ERROR_USAGE, "pairs of u16: refused");
	CHECK(gsort_cuda_sort_pairs(keys, other, 2, 16, GSORT_U32, 0, NULL, &needed, NULL) ==
	      GSORT_ERROR_USAGE, "payloads of 2 bytes: refused");
	CHECK(gsort_cuda_sort(NULL, NULL, 16, GSORT_U64, 0, NULL, &needed, NULL) == GSORT_ERROR_NONE &&
	      needed <= sizeof scratch, "asking needs no arrays");
}

/* A call that runs alone opens what it needs once; a failed one says so, and the next one works. */
static void
check_kept(void)
{
	struct row r = { &call_types[CALL_U32], 0, 1, SHAPE_UNIFORM, 20000 };
	struct arrays a = { guarded(r.count * 4, 0), guarded(r.count * 4, 0), NULL, 0 };
	unsigned long first, later, before;
	size_t pieces;
	char fault[32];

	(void)gsort_cuda_release();
	(void)call(&r, &a);
	a.scratch = guarded(a.scratch_bytes, 0);
	pieces = emu_allocations();
	before = emu_calls();
	CHECK(call(&r, &a) == GSORT_ERROR_NONE, "the first call works");
	first = emu_calls() - before;
	CHECK(emu_allocations() == pieces + 1, "the first call keeps a page");
	before = emu_calls();
	CHECK(call(&r, &a) == GSORT_ERROR_NONE, "the second call works");
	later = emu_calls() - before;
	CHECK(later < first && emu_allocations() == pieces + 1, "and opens nothing");
	for (unsigned long n = 1; n <= later; n++) {
		(void)snprintf(fault, sizeof fault, "%lu:%d", emu_calls() + n,
		               (int)cudaErrorMemoryAllocation);
		setenv("GSORT_EMU_FAIL", fault, 1);
		const enum gsort_error error = call(&r, &a);
		unsetenv("GSORT_EMU_FAIL");
		CHECK(error == GSORT_ERROR_NONE ||
		      (error == GSORT_ERROR_MEMORY && gsort_cuda_message()[0] != '\0'),
		      "call %lu fails: no memory, says the library, not %d", n, (int)error);
		CHECK(call(&r, &a) == GSORT_ERROR_NONE, "after call %lu failed another sort works", n);
	}
	CHECK(gsort_cuda_release() == GSORT_ERROR_NONE && emu_allocations() == pieces,
	      "released, nothing is kept");
	(void)guards_hold(a.keys, r.count * 4, 0);
	(void)guards_hold(a.other, r.count * 4, 0);
	(void)guards_hold(a.scratch, a.scratch_bytes, 0);
}

void
unit_call(void)
{
	check_refused();
	check_kept();
	check_wrong_cuts();
	for (int reverse = 0; reverse < (units_brief() ? 1 : 2); reverse++) {
		setenv("GSORT_EMU_REVERSE", reverse ? "1" : "0", 1);
		check_pairs();
		check_cuts();
		check_types();
	}
	check_shapes();
	check_small_device();
	unsetenv("GSORT_EMU_REVERSE");
	(void)cudaGetLastError();
}
