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

/* A device whose blocks have little shared memory. */
static void
check_small_device(void)
{
	setenv("GSORT_EMU_SHARED", "101376", 1);
	(void)gsort_cuda_release();
	for (size_t t = CALL_WIDE; t < CALL_TYPES; t++) {
		check_row(&(struct row){ &call_types[t], 0, 1, SHAPE_UNIFORM, 30001 });
		check_row(&(struct row){ &call_types[t], 8, 0, SHAPE_ZIPF, 30001 });
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
	for (int reverse = 0; reverse < (units_brief() ? 1 : 2); reverse++) {
		setenv("GSORT_EMU_REVERSE", reverse ? "1" : "0", 1);
		check_pairs();
		check_types();
	}
	check_shapes();
	check_small_device();
	unsetenv("GSORT_EMU_REVERSE");
	(void)cudaGetLastError();
}
