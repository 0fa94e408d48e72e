// SPDX-License-Identifier: BSD-2-Clause
/*
 * call.c - libgsort_cuda on the emulated GPU: all types, directions, payloads and errors
 *
 * What the calls do is compared with a sort of the keys on the host; payloads say where their keys came from.
 * Pairs and types run with lanes forwards and backwards; if time is short, all rows either way in turn.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "bench/device/damage.h"
#include "bench/shapes.h"
#include "kernels/kernels.h"
#include "tests/unit/gpu/cuda/call_arrays.h"
#include "tests/unit/units.h"

void unit_call(void);

/* One call: COUNT keys of T in SHAPE, with payloads of VALUE_BYTES or none. */
struct row {
	const struct call_type *type;
	unsigned           value_bytes, flags, shape;
	size_t             count;
};

static enum gsort_error
call_with(const struct row *r, unsigned more, struct arrays *a)
{
	if (r->value_bytes > 0)
		return gsort_cuda_sort_pairs(a->keys, a->other, r->value_bytes, r->count, r->type->type,
		                             r->flags | more, a->scratch, &a->scratch_bytes, NULL);
	return gsort_cuda_sort(a->keys, a->other, r->count, r->type->type, r->flags | more, a->scratch,
	                       &a->scratch_bytes, NULL);
}

static enum gsort_error
call(const struct row *r, struct arrays *a)
{
	return call_with(r, 0, a);
}

/* Every other type, with each kind of payloads, is checked. */
static unsigned
checked(const struct row *r)
{
	return ((size_t)(r->type - call_types) + r->value_bytes / 4) % 2 != 0 ? GSORT_CUDA_CHECKED : 0;
}

/* Do equal keys of a call keep their order?  Pairs of keys that no network of pairs sorts do. */
static bool
keeps_order(const struct call_type *type, unsigned value_bytes, unsigned flags)
{
	return value_bytes > 0 && (type->bytes < 4 || (flags & (GSORT_CUDA_STABLE | GSORT_CUDA_PLACES)) != 0);
}

/* Payloads name the place of their keys: PLACE times an odd number, of which this is the inverse mod 2^64. */
static const uint64_t SPREAD = UINT64_C(0x9e3779b97f4a7c15), GATHER = UINT64_C(0xf1de83e19937733d);

static size_t
place_of(const struct row *r, uint64_t payload)
{
	if ((r->flags & GSORT_CUDA_PLACES) != 0)
		return payload;
	payload *= GATHER;
	return r->value_bytes == 4 ? (uint32_t)payload : payload;
}

/* Are keys in the order of SORTED, each with the payload that it had in KEYS? */
static bool
same_pairs(const struct row *r, const struct arrays *a, const uint64_t *keys, const uint64_t *sorted)
{
	const bool stable = keeps_order(r->type, r->value_bytes, r->flags);
	bool *seen = calloc(r->count + 1, sizeof *seen);
	size_t i, last = 0;

	for (i = 0; i < r->count; i++) {
		const uint64_t key = call_get(a->keys, i, r->type->bytes);
		size_t place;

		if (call_order(r->type, key) != sorted[i])
			break;
		if (r->value_bytes == 0)
			continue;
		place = place_of(r, call_get(a->other, i, r->value_bytes));
		if (place >= r->count || seen[place] || keys[place] != key ||
		    (stable && i > 0 && sorted[i - 1] == sorted[i] && place < last))
			break;
		seen[place] = true;
		last = place;
	}
	free(seen);
	return i == r->count;
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
	uint64_t *keys = malloc((r->count + 1) * sizeof *keys);
	uint64_t *sorted = malloc((r->count + 1) * sizeof *sorted);
	struct arrays a = {
		guarded(r->count * bytes, odd), guarded(r->count * other_bytes, other_odd), NULL, 0,
	};

	for (size_t i = 0; i < r->count; i++) {
		const uint64_t key = key_of(r->shape, bytes > 4 ? 64 : 32, i, r->count, r->count);

		call_put(a.keys, i, bytes, bytes < 4 ? key >> (32 - bytes * 8) : key);
		keys[i] = call_get(a.keys, i, bytes);
		sorted[i] = call_order(r->type, keys[i]);
		if (r->value_bytes > 0)
			call_put(a.other, i, other_bytes, i * SPREAD);
	}
	turn_lanes();
	units_sort(sorted, r->count);
	for (size_t i = 0; (r->flags & GSORT_CUDA_DESCENDING) != 0 && i < r->count / 2; i++) {
		const uint64_t order = sorted[i];

		sorted[i] = sorted[r->count - 1 - i];
		sorted[r->count - 1 - i] = order;
	}
	CHECK(call_with(r, checked(r), &a) == GSORT_ERROR_NONE && a.scratch_bytes > 0,
	      "the scratch of %zu %s is told", r->count, r->type->name);
	a.scratch = guarded(a.scratch_bytes, 0);
	CHECK(call_with(r, checked(r), &a) == GSORT_ERROR_NONE && same_pairs(r, &a, keys, sorted),
	      "%zu %s with payloads of %u bytes, shape %u, flags %u, get sorted: %s", r->count,
	      r->type->name, r->value_bytes, r->shape, r->flags, gsort_cuda_message());
	CHECK(checked(r) == 0 || ((struct gsort_cuda_verdict *)a.scratch)->state == GSORT_CUDA_RIGHT,
	      "%zu %s with payloads of %u bytes, shape %u, flags %u, pass for right", r->count, r->type->name,
	      r->value_bytes, r->shape, r->flags);
	CHECK(guards_hold(a.keys, r->count * bytes, odd), "nothing around %zu %s is written", r->count,
	      r->type->name);
	CHECK(guards_hold(a.other, r->count * other_bytes, other_odd), "nor around the other room");
	CHECK(guards_hold(a.scratch, a.scratch_bytes, 0), "nor around scratch");
	free(keys);
	free(sorted);
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
			if (!units_brief() || sizes[s] <= 16384 || (t + s) % 2 == 0)
				check_row(&r);
		}
}

/* Every shape takes its own way: one value, few, digits, splitters, chunks, ties.  If time is short, each has
 * one row of one of the six types, mostly the last one, which takes the most branches of kernels. */
static void
check_shapes(void)
{
	for (unsigned shape = 0; shape < SHAPES; shape++)
		for (size_t t = CALL_WIDE; t < CALL_TYPES; t++) {
			const struct call_type *type = &call_types[t];
			const unsigned value_bytes = (shape + t) % 2 == 0 ? 4 : 8, down = shape / 2 % 2;
			const struct row rows[] = {
				{ type, 0, down, shape, 67000 },
				{ type, value_bytes, down, shape, 67000 },
				{ type, 12 - value_bytes, t % 2, shape, 604000 / type->bytes },
			};

			for (unsigned r = 0; r < 3; r++)
				if (!units_brief() ||
				    ((shape + t) % 6 == 0 && r == (shape / 6 % 3 == 2 ? 0 : 2)))
					check_row(&rows[r]);
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
	/* leaves of a small range, of each length; if time is short, of either width in turn */
	for (unsigned turn = 0; turn < 4; turn++) {
		const size_t count = (size_t)100000 << turn;

		if (!units_brief() || turn % 2 == 0)
			check_row(&(struct row){ &call_types[CALL_U32], 4, 0, SHAPE_NARROW, count });
		if (!units_brief() || turn % 2 != 0)
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
	/* leaves that a crowd begins or ends in, and of several lengths side by side; if time is short, each
	 * shape has the least of these counts and another one */
	for (unsigned turn = 0; turn < 3; turn++) {
		const size_t count = (size_t)150001 << turn;

		if (!units_brief() || turn < 2)
			check_row(&(struct row){ &call_types[CALL_U32], 4, 0, SHAPE_SPIKE, count });
		if (!units_brief() || turn < 2)
			check_row(&(struct row){ &call_types[CALL_U32], 8, 1, SHAPE_CURVE, count });
		if (!units_brief() || turn != 1)
			check_row(&(struct row){ &call_types[CALL_U64], 8, 0, SHAPE_ADDRESSES, count });
	}
	/* buckets of uneven rows are LONG leaves, but for bins of one value; so are long ones of even rows */
	check_row(&(struct row){ &call_types[CALL_U32], 4, 0, SHAPE_EQUAL_BUT_TWO, 75000 });
	for (unsigned i = 0; i < 8 * SHAPES; i++)
		if (!units_brief() || i % 11 == 0)
			check_row(&(struct row){ &call_types[i % 2 == 0 ? CALL_U32 : CALL_U64],
			                         i / 2 % 2 == 0 ? 4 : 8, i % 3 == 0, i / 8,
			                         (i / 4 % 2 == 0 ? 70001 : 21000) + 49 * i });
	/* large buckets; few values in each */
	check_row(&(struct row){ &call_types[CALL_U64], 8, 0, SHAPE_CLUSTERS, 600000 });
	check_row(&(struct row){ &call_types[CALL_U32], 4, 0, SHAPE_THOUSAND, 700000 });
}

/* Stable pairs, and places: by words, by pairs and runs of equal keys, by two halves of short keys. */
static void
check_stable(void)
{
	static const unsigned shapes[] = {
		SHAPE_UNIFORM, SHAPE_ZIPF, SHAPE_FEW, SHAPE_EQUAL_BUT_TWO, SHAPE_REVERSED, SHAPE_THOUSAND,
	};
	enum { STABLE_SHAPES = sizeof shapes / sizeof shapes[0] };
	unsigned turn = 0;

	for (size_t t = 0; t < CALL_TYPES; t++)
		for (size_t s = 0; s < SIZES; s++, turn++) {
			const unsigned shape = shapes[turn % STABLE_SHAPES], down = turn / 2 % 2;

			if (units_brief() && t % 3 != 0 && s % 3 != t % 3)
				continue;
			check_row(&(struct row){ &call_types[t], turn % 2 == 0 ? 4 : 8,
			                         GSORT_CUDA_STABLE | down, shape, sizes[s] });
			check_row(&(struct row){ &call_types[t], turn % 2 == 0 ? 8 : 4,
			                         GSORT_CUDA_PLACES | down, shape, sizes[s] });
		}
	for (unsigned s = 0; s < STABLE_SHAPES; s++) {
		check_row(&(struct row){ &call_types[CALL_U64], 8, GSORT_CUDA_STABLE, shapes[s], 160001 });
		check_row(&(struct row){ &call_types[CALL_U32], 4, GSORT_CUDA_PLACES, shapes[s], 160001 });
	}
}

/* Devices whose blocks have little shared memory: so many bytes.  If time is short each has one type of each
 * width, in turn. */
static void
check_small_device(const char *shared)
{
	static unsigned devices;

	devices++;
	setenv("GSORT_EMU_SHARED", shared, 1);
	(void)gsort_cuda_release();
	for (size_t t = CALL_WIDE; t < CALL_TYPES; t++) {
		if (units_brief() && (t + devices) % 3 != 0)
			continue;
		check_row(&(struct row){ &call_types[t], 0, 1, SHAPE_UNIFORM, 130001 });
		check_row(&(struct row){ &call_types[t], 0, 0, SHAPE_ZIPF, 30001 });
		check_row(&(struct row){ &call_types[t], 8, 0, SHAPE_ZIPF, 30001 });
		check_row(&(struct row){ &call_types[t], 4, 1, SHAPE_UNIFORM, 60001 });
		check_row(&(struct row){ &call_types[t], 4, GSORT_CUDA_STABLE, SHAPE_ZIPF, 30001 });
	}
	check_row(&(struct row){ &call_types[CALL_U64], 0, 0, SHAPE_DIGITS, 160001 });	/* with codes */
	check_row(&(struct row){ &call_types[CALL_U32], 0, 0, SHAPE_FEW_BY_FEW, 160001 });
	check_row(&(struct row){ &call_types[CALL_U64], 8, 0, SHAPE_FEW_BY_FEW, 160001 });
	unsetenv("GSORT_EMU_SHARED");
	(void)gsort_cuda_release();
}

/* COUNT keys, most of which no sample has (device/sample.cuh) and are close together.  They fit no leaf.  If
 * they are FEW, they are a LONG leaf, or one block sorts them in a graph; others are uneven, and are divided
 * once more. */
static void
check_hidden(const struct call_type *type, unsigned value_bytes, size_t count, bool few)
{
	const struct row r = { type, value_bytes, 0, SHAPE_UNIFORM, count };
	struct arrays a = { guarded(count * 8, 0), guarded(count * 8, 0), NULL, 0 };
	unsigned char *seen = calloc(count, 1);
	size_t falls = 0, hidden = 0, rest = 0;

	for (size_t keys = 256; keys <= 8192; keys *= 2)
		for (size_t i = 0, step = count / keys; i < keys; i++)
			seen[i * step + ((i * UINT64_C(0x9e3779b97f4a7c15) >> 32) * step >> 32)] = 1;
	for (size_t i = 0; i < count; i++) {
		const uint64_t close = ((uint64_t)1 << (type->bytes * 8 - 1)) + i * 7919 % 200000;
		const uint64_t apart = units_mix(i) >> (few ? 0 : 32 + i % 29);

		hidden += seen[i] == 0;
		call_put(a.keys, i, type->bytes, seen[i] == 0 ? close : apart);
		rest += call_get(a.keys, i, type->bytes);
	}
	(void)call(&r, &a);
	a.scratch = guarded(a.scratch_bytes, 0);
	CHECK(hidden > 50000 && call(&r, &a) == GSORT_ERROR_NONE, "%s that no sample sees are sorted",
	      type->name);
	for (size_t i = 0; i < count; i++) {
		rest -= call_get(a.keys, i, type->bytes);
		falls += i > 0 && call_get(a.keys, i - 1, type->bytes) > call_get(a.keys, i, type->bytes);
	}
	CHECK(falls == 0 && rest == 0, "%zu of %s that no sample sees fall", falls, type->name);
	(void)guards_hold(a.keys, count * 8, 0);
	(void)guards_hold(a.other, count * 8, 0);
	(void)guards_hold(a.scratch, a.scratch_bytes, 0);
	free(seen);
}

/* Calls of the device that a captured sort of COUNT keys of SHAPE and TYPE takes. */
static unsigned long
calls_of(const struct call_type *type, unsigned shape, size_t count)
{
	const unsigned long before = emu_calls();

	check_row(&(struct row){ type, 0, 0, shape, count });
	return emu_calls() - before;
}

/* Captured sorts look at order and at codes, too, of u32: keys that are not divided take fewer calls. */
static void
check_looks(const struct call_type *type, size_t count)
{
	static const unsigned looked_at[] = { SHAPE_SORTED, SHAPE_REVERSED, SHAPE_NEARLY, SHAPE_DIGITS };
	const unsigned long divided = calls_of(type, SHAPE_NORMAL, count);

	for (size_t s = 0; s < 3 + (type->bytes == 4); s++)
		CHECK(calls_of(type, looked_at[s], count) < divided, "%s of shape %u are not divided",
		      type->name, looked_at[s]);
}

/* Calls that neither wait nor allocate, as a captured stream requires: the same results. */
static void
check_captured(void)
{
	size_t bytes = 1 << 20;
	uint64_t *keys = (uint64_t *)guarded(bytes, 0), *other = (uint64_t *)guarded(bytes, 0);

	setenv("GSORT_EMU_CAPTURING", "1", 1);
	for (size_t t = 0; t < CALL_TYPES; t++) {
		check_row(&(struct row){ &call_types[t], 0, t % 2, SHAPE_UNIFORM, 140001 });
		check_row(&(struct row){ &call_types[t], 4, GSORT_CUDA_STABLE, SHAPE_ZIPF, 30001 });
		check_row(&(struct row){ &call_types[t], 8, GSORT_CUDA_PLACES, SHAPE_FEW, 4097 });
	}
	for (unsigned shape = 0; shape < SHAPES; shape += units_brief() ? 7 : 1) {
		check_row(&(struct row){ &call_types[CALL_U32 + shape % 3], 0, shape % 2, shape, 139000 });
		check_row(&(struct row){ &call_types[CALL_U32 + shape % 3], 0, shape % 2, shape, 160001 });
		check_row(&(struct row){ &call_types[CALL_U64 + shape % 3], 0, shape % 2, shape, 69000 });
		check_row(&(struct row){ &call_types[CALL_U64 + shape % 3], 0, shape % 2, shape, 80001 });
	}
	check_looks(&call_types[CALL_U32], 160001);
	check_looks(&call_types[CALL_U64], 85001);
	check_row(&(struct row){ &call_types[CALL_U32], 0, 0, SHAPE_NEARLY, 500001 });
	for (unsigned shape = 0; shape < SHAPES; shape += units_brief() ? 7 : 1)
		check_row(&(struct row){ &call_types[CALL_U64 + shape % 3], 4 + shape % 2 * 4,
		                         shape % 2 == 0 ? GSORT_CUDA_PLACES : GSORT_CUDA_STABLE, shape,
		                         70001 });
	/* uneven ones of so many are leaves */
	for (unsigned shape = 0; shape < SHAPES; shape += units_brief() ? 5 : 1)
		check_row(&(struct row){ &call_types[CALL_U32 + shape % 3], 0, shape % 2, shape, 148000 });
	check_hidden(&call_types[CALL_U32], 0, 75000, true);
	check_hidden(&call_types[CALL_U32], 0, 139000, true);
	check_hidden(&call_types[CALL_U32], 0, 148000, false);
	check_hidden(&call_types[CALL_U64], 0, 69000, true);
	CHECK(gsort_cuda_sort_pairs(keys, other, 8, 100, GSORT_U64, 0, keys + 1000, &bytes, NULL) ==
	      GSORT_ERROR_USAGE && strstr(gsort_cuda_message(), "being captured") != NULL, "pairs: refused");
	unsetenv("GSORT_EMU_CAPTURING");
	(void)guards_hold((unsigned char *)keys, 1 << 20, 0);
	(void)guards_hold((unsigned char *)other, 1 << 20, 0);
}

/* ---- refusals, and what stays unchanged -------------------------------------------- */

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
		{ "places of no pairs", keys, other, GSORT_U64, GSORT_CUDA_PLACES, sizeof scratch, 16,
		  "flags is 0x4, of which the call knows 0xb" },
		{ "no keys", NULL, other, GSORT_U64, 0, sizeof scratch, 16, "keys is NULL" },
		{ "no other room", keys, NULL, GSORT_U64, 0, sizeof scratch, 16, "other is NULL" },
		{ "keys at an odd address", (char *)keys + 2, other, GSORT_U64, 0, sizeof scratch, 8,
		  "keys is not at a multiple of 8 bytes" },
		{ "one room for both", keys, keys, GSORT_U64, 0, sizeof scratch, 16, "are the same memory" },
		{ "too little scratch", keys, other, GSORT_U64, 0, 1, 16, "scratch_bytes is 1, and " },
		{ "no such count", keys, other, GSORT_U64, 0, sizeof scratch, SIZE_MAX,
		  "no memory holds" },
		{ "too little scratch for a verdict", keys, other, GSORT_U8, GSORT_CUDA_CHECKED, 1, 0,
		  "scratch_bytes is 1, and " },
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
	CHECK(gsort_cuda_sort_pairs(keys, other, 4, 16, GSORT_U128, 0, NULL, &needed, NULL) ==
	      GSORT_ERROR_USAGE, "pairs of u128: refused");
	CHECK(gsort_cuda_sort_pairs(keys, other, 4, ((size_t)1 << 32) + 1, GSORT_U32, GSORT_CUDA_STABLE, NULL,
	                            &needed, NULL) == GSORT_ERROR_USAGE &&
	      strstr(gsort_cuda_message(), "2^32 are the most of stable pairs") != NULL,
	      "more stable pairs than places have numbers: refused");
	CHECK(gsort_cuda_sort_pairs(keys, other, 2, 16, GSORT_U32, 0, NULL, &needed, NULL) ==
	      GSORT_ERROR_USAGE, "payloads of 2 bytes: refused");
	CHECK(gsort_cuda_sort(NULL, NULL, 16, GSORT_U64, 0, NULL, &needed, NULL) == GSORT_ERROR_NONE &&
	      needed <= sizeof scratch, "asking needs no arrays");
	bytes = sizeof scratch - 8;
	CHECK(gsort_cuda_sort(keys, other, 16, GSORT_U64, GSORT_CUDA_CHECKED, (char *)scratch + 8, &bytes,
	                      NULL) ==
	      GSORT_ERROR_USAGE && strstr(gsort_cuda_message(), "not at a multiple of 16 bytes") != NULL,
	      "no place for a verdict: refused");
	CHECK(gsort_cuda_sort_rows(keys, other, 4, 4, GSORT_U64, GSORT_CUDA_CHECKED, scratch, &needed,
	                           NULL) ==
	      GSORT_ERROR_USAGE && strstr(gsort_cuda_message(), "not for rows and segments") != NULL,
	      "checked rows: refused");
}

/* Flip a bit of a key after each copy and kernel of a checked sort of R, or if time is short after one in
 * three: it is right, or known as wrong. */
static void
check_corrupted(const struct row *r)
{
	enum { LAST = 3 };	/* works: the last check, the verdict, its copy; nothing checks after them */
	const size_t bytes = r->count * r->type->bytes;
	struct arrays a = { guarded(bytes, 0), guarded(bytes, 0), NULL, 0 };
	uint64_t *source = malloc(r->count * sizeof *source);
	unsigned char *given = malloc(bytes);
	const unsigned long step = units_brief() ? 3 : 1;
	unsigned long works = 0, wrong = 0;
	char fault[32];

	for (size_t i = 0; i < r->count; i++)
		call_put(given, i, r->type->bytes, key_of(r->shape, r->type->bytes * 8, i, r->count, 1));
	for (size_t i = 0; i < r->count; i++)
		source[i] = call_order(r->type, call_get(given, i, r->type->bytes));
	units_sort(source, r->count);
	(void)call_with(r, GSORT_CUDA_CHECKED, &a);
	a.scratch = guarded(a.scratch_bytes, 0);
	for (unsigned long n = 0; n + LAST <= works || n == 0; n += n > 0 ? step : 1) {	/* none is work 0 */
		unsigned long before;
		enum gsort_error error;

		(void)cudaMemcpy(a.keys, given, bytes, cudaMemcpyHostToDevice);
		before = emu_works();
		(void)snprintf(fault, sizeof fault, "%lu", n > 0 ? before + n : 0);
		setenv("GSORT_EMU_CORRUPT", fault, 1);
		error = call_with(r, GSORT_CUDA_CHECKED, &a);
		unsetenv("GSORT_EMU_CORRUPT");
		if (n == 0)
			works = emu_works() - before;
		wrong += error != GSORT_ERROR_NONE;
		CHECK(error == GSORT_ERROR_NONE ? same_pairs(r, &a, NULL, source) :
		      error == GSORT_ERROR_DEVICE && n > 0 &&
		      strstr(gsort_cuda_message(), "the sort is wrong") != NULL,
		      "a bit of %zu %s of shape %u, flipped by work %lu of %lu, is known", r->count,
		      r->type->name, r->shape, n, works);
	}
	CHECK(wrong > 0 && works > 5, "some flips of bits make %zu %s wrong", r->count, r->type->name);
	(void)guards_hold(a.keys, bytes, 0);
	(void)guards_hold(a.other, bytes, 0);
	(void)guards_hold(a.scratch, a.scratch_bytes, 0);
	free(source);
	free(given);
}

/* Let each call of the device fail in a sort of R with scratch memory in A: the library says so, and the next
 * sort works. */
static void
check_failures(const struct row *r, struct arrays *a)
{
	unsigned long calls = 1;
	char fault[32];

	for (unsigned long n = 0; n <= calls; n++) {	/* none is call 0 */
		const unsigned long before = emu_calls();
		enum gsort_error error;
		size_t falls = 0;

		(void)snprintf(fault, sizeof fault, "%lu:%d", before + n, (int)cudaErrorMemoryAllocation);
		for (unsigned turn = 0; turn < 2; turn++) {
			for (size_t i = 0; i < r->count; i++)
				call_put(a->keys, i, 4, key_of(r->shape, 32, i, r->count, r->count));
			if (turn == 0 && n > 0)
				setenv("GSORT_EMU_FAIL", fault, 1);
			error = call(r, a);
			unsetenv("GSORT_EMU_FAIL");
			if (turn == 0 && n == 0)
				calls = emu_calls() - before;
			CHECK(error == GSORT_ERROR_NONE || (turn == 0 && error == GSORT_ERROR_MEMORY &&
			                                    n > 0 && gsort_cuda_message()[0] != '\0'),
			      "call %lu fails: no memory, says the library, not %d; then a sort works", n,
			      (int)error);
		}
		for (size_t i = 1; i < r->count; i++)
			falls += call_get(a->keys, i - 1, 4) > call_get(a->keys, i, 4);
		CHECK(falls == 0, "%zu keys of shape %u fall after call %lu failed", falls, r->shape, n);
	}
}

/* A call that runs alone opens what it needs once; a failed one says so, and the next one works. */
static void
check_kept(void)
{
	static const struct row rows[] = {
		{ &call_types[CALL_U32], 0, 0, SHAPE_UNIFORM, 20000 },
		{ &call_types[CALL_U32], 0, 0, SHAPE_UNIFORM, 150001 },
		{ &call_types[CALL_U32], 0, 0, SHAPE_CURVE, 150001 },
		{ &call_types[CALL_U32], 0, 0, SHAPE_NEARLY, 150001 },
	};
	const struct row *r = &rows[0];
	const size_t most = 150001 * 4;
	struct arrays a = { guarded(most, 0), guarded(most, 0), NULL, 0 };
	unsigned long first, before;
	size_t pieces;

	(void)gsort_cuda_release();
	(void)call(&rows[1], &a);
	a.scratch = guarded(a.scratch_bytes, 0);
	pieces = emu_allocations();
	before = emu_calls();
	CHECK(call(r, &a) == GSORT_ERROR_NONE, "the first call works");
	first = emu_calls() - before;
	CHECK(emu_allocations() == pieces + 1, "the first call keeps a page");
	before = emu_calls();
	CHECK(call(r, &a) == GSORT_ERROR_NONE, "the second call works");
	CHECK(emu_calls() - before < first && emu_allocations() == pieces + 1, "and opens nothing");
	for (size_t i = 0; i < (units_brief() ? 1 : sizeof rows / sizeof rows[0]); i++)
		check_failures(&rows[i], &a);
	CHECK(gsort_cuda_release() == GSORT_ERROR_NONE && emu_allocations() == pieces,
	      "released, nothing is kept");
	(void)guards_hold(a.keys, most, 0);
	(void)guards_hold(a.other, most, 0);
	(void)guards_hold(a.scratch, a.scratch_bytes, 0);
}

void
unit_call(void)
{
	static const unsigned damaged[] = {
		SHAPE_UNIFORM, SHAPE_SORTED, SHAPE_CURVE, SHAPE_NEARLY, SHAPE_DIGITS
	};

	check_refused();
	check_kept();
	CHECK(damage_check(300, units_brief() ? 5000 : 1000000) == 0, "planted damage is found");
	for (size_t s = 0; s < sizeof damaged / sizeof damaged[0]; s++)
		check_corrupted(&(struct row){ &call_types[s % 2 == 0 ? CALL_U32 : CALL_U64], 0, 0,
		                               damaged[s], 150001 });
	for (int reverse = 0; reverse < (units_brief() ? 1 : 2); reverse++) {
		setenv("GSORT_EMU_REVERSE", reverse ? "1" : "0", 1);
		check_pairs();
		check_stable();
		check_types();
	}
	check_shapes();
	check_small_device("65536");
	check_small_device("101376");
	check_small_device("166912");
	check_hidden(&call_types[CALL_U32], 0, 148000, false);
	check_hidden(&call_types[CALL_U32], 0, 75000, true);
	check_hidden(&call_types[CALL_U64], 8, 69000, true);
	check_captured();
	unsetenv("GSORT_EMU_REVERSE");
	(void)cudaGetLastError();
}
