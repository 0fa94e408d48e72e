// SPDX-License-Identifier: BSD-2-Clause
/*
 * damage.c - does the verdict on a sort find what is wrong?
 *
 * The host sorts rows.  A few of them are damaged as a sort might damage them, the verdict is asked for,
 * and they are mended.  Some damage leaves rows right: then the verdict must say so.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/call_types.h"
#include "bench/device/damage.h"
#include "bench/must.h"
#include "bench/shapes.h"
#include "kernels/kernels.h"

enum { MOST_ROWS = 4096 };	/* that are damaged at once: a leaf's */

/* LOST: rows behind it move up, and the last one is there twice.  UNWRITTEN: rows are as they were. */
static const char *const kinds[] = {
	"nothing", "a row lost", "a key doubled", "a bit of a key changed", "halves exchanged",
	"rows unwritten", "values swapped", "a value changed", "rows swapped",
};

enum kind {
	NOTHING, LOST, DOUBLED, CHANGED, EXCHANGED, UNWRITTEN, SWAPPED, OTHER_VALUE, ROWS_SWAPPED, KINDS
};

/* Rows of BYTES and VALUE_BYTES, or none; PLACES: values are these; FALLS: the largest key is first. */
struct rows_kind {
	unsigned bytes, value_bytes;
	bool     places, falls;
};

struct table {
	struct rows_kind kind;
	size_t           count;
	unsigned char   *source, *keys, *given, *values;	/* before and after, of the host */
	unsigned char   *some_keys, *some_values;		/* that are damaged */
	unsigned char   *keys_there, *values_there;
	void            *evidence, *begun;	/* of gs_verify_begin(), and a copy of that */
};

static int
compare_rows(const void *a, const void *b)
{
	const uint64_t *const x = a, *const y = b;

	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	return x[1] < y[1] ? -1 : x[1] > y[1];
}

static struct gs_stable
stable_of(const struct table *t)
{
	return (struct gs_stable){
		.keys = t->keys_there, .values = t->values_there, .bits = t->kind.bytes * 8,
		.value_bits = t->kind.value_bytes * 8, .places = t->kind.places, .count = t->count,
		.map.always = t->kind.falls ? ~UINT64_C(0) : 0,
	};
}

/* Make rows, of SOME values as often, sort them, and let the device see both. */
static void
table_open(struct table *t, uint64_t seed, uint64_t some)
{
	const unsigned bytes = t->kind.bytes, value_bytes = t->kind.value_bytes;
	uint64_t *rows = must_malloc(t->count * 2 * sizeof *rows);
	struct gs_stable stable;

	t->source = must_malloc(t->count * 8);
	t->keys = must_malloc(t->count * 8);
	t->given = must_malloc(t->count * 8);
	t->values = must_malloc(t->count * 8);
	t->some_keys = must_malloc(MOST_ROWS * 8);
	t->some_values = must_malloc(MOST_ROWS * 8);
	must(cudaMalloc((void **)&t->keys_there, t->count * 8), "cudaMalloc");
	must(cudaMalloc((void **)&t->values_there, t->count * 8), "cudaMalloc");
	must(cudaMalloc(&t->evidence, GS_VERIFY_BYTES), "cudaMalloc");
	must(cudaMalloc(&t->begun, GS_VERIFY_BYTES), "cudaMalloc");
	/* all of it is copied, and gs_verify_begin() does not set the end */
	must(cudaMemset(t->begun, 0, GS_VERIFY_BYTES), "cudaMemset");
	for (size_t i = 0; i < t->count; i++) {
		uint64_t *const row = &rows[2 * i];

		call_put(t->source, i, bytes, random_at(seed, random_at(seed, i) % some));
		call_put(t->given, i, 8, 0);
		call_put(t->given, i, value_bytes, t->kind.places ? i : random_at(seed + 1, i));
		row[0] = call_get(t->source, i, bytes) ^ (t->kind.falls ? ~UINT64_C(0) : 0);
		row[1] = i;
	}
	must(cudaMemcpy(t->keys_there, t->source, t->count * bytes, cudaMemcpyHostToDevice), "copy");
	must(cudaMemcpy(t->values_there, t->given, t->count * value_bytes, cudaMemcpyHostToDevice), "copy");
	stable = stable_of(t);
	must(gs_verify_begin(&stable, t->begun, NULL), "gs_verify_begin");
	qsort(rows, t->count, 2 * sizeof *rows, compare_rows);
	for (size_t i = 0; i < t->count; i++) {
		call_put(t->keys, i, bytes, call_get(t->source, rows[2 * i + 1], bytes));
		call_put(t->values, i, value_bytes, call_get(t->given, rows[2 * i + 1], value_bytes));
	}
	must(cudaMemcpy(t->keys_there, t->keys, t->count * bytes, cudaMemcpyHostToDevice), "copy");
	must(cudaMemcpy(t->values_there, t->values, t->count * value_bytes, cudaMemcpyHostToDevice), "copy");
	free(rows);
}

static void
table_close(struct table *t)
{
	free(t->source);
	free(t->keys);
	free(t->given);
	free(t->values);
	free(t->some_keys);
	free(t->some_values);
	must(cudaFree(t->keys_there), "cudaFree");
	must(cudaFree(t->values_there), "cudaFree");
	must(cudaFree(t->evidence), "cudaFree");
	must(cudaFree(t->begun), "cudaFree");
}

/* Rows FROM to FROM + MANY - 1 of KEYS and VALUES, from the host to the device. */
static void
put_rows(const struct table *t, const unsigned char *keys, const unsigned char *values, size_t from,
         size_t many)
{
	const unsigned bytes = t->kind.bytes, value_bytes = t->kind.value_bytes;

	must(cudaMemcpy(t->keys_there + from * bytes, keys, many * bytes, cudaMemcpyHostToDevice), "copy");
	if (value_bytes > 0)
		must(cudaMemcpy(t->values_there + from * value_bytes, values, many * value_bytes,
		                cudaMemcpyHostToDevice), "copy");
}

static void
swap(unsigned char *array, size_t a, size_t b, unsigned bytes, uint64_t mask)
{
	const uint64_t x = call_get(array, a, bytes), y = call_get(array, b, bytes);

	call_put(array, a, bytes, (x & ~mask) | (y & mask));
	call_put(array, b, bytes, (y & ~mask) | (x & mask));
}

/* Damage MANY rows of the table, from FROM on; are they still right? */
static bool
plant(const struct table *t, enum kind kind, uint64_t random, size_t from, size_t many)
{
	unsigned char *const keys = t->some_keys, *const values = t->some_values;
	const unsigned bytes = t->kind.bytes, value_bytes = t->kind.value_bytes;
	const size_t last = many - 1;
	uint64_t key, value, end;

	memcpy(keys, t->keys + from * bytes, many * bytes);
	memcpy(values, t->values + from * value_bytes, many * value_bytes);
	key = call_get(keys, 0, bytes);
	value = call_get(values, 0, value_bytes);
	end = call_get(keys, last, bytes);
	switch (kind) {
	case LOST:
		memmove(keys, keys + bytes, last * bytes);
		memmove(values, values + value_bytes, last * value_bytes);
		break;
	case DOUBLED:
		call_put(keys, 0, bytes, end);
		break;
	case CHANGED:
		call_put(keys, 0, bytes, key ^ (uint64_t)1 << random % (bytes * 8));
		break;
	case EXCHANGED:
		swap(keys, 0, last, bytes, (UINT64_C(1) << bytes * 4) - 1);
		break;
	case UNWRITTEN:
		memcpy(keys, t->source + from * bytes, many * bytes);
		memcpy(values, t->given + from * value_bytes, many * value_bytes);
		break;
	case SWAPPED:
		swap(values, 0, last, value_bytes, ~UINT64_C(0));
		/* rows of equal keys have no order but by their places */
		return value_bytes == 0 || (key == end && !t->kind.places) ||
		       call_get(values, 0, value_bytes) == value;
	case OTHER_VALUE:
		if (value_bytes > 0)
			call_put(values, 0, value_bytes, value ^ (uint64_t)1 << random % (value_bytes * 8));
		break;
	case ROWS_SWAPPED:
		swap(keys, 0, last, bytes, ~UINT64_C(0));
		swap(values, 0, last, value_bytes, ~UINT64_C(0));
		if (!t->kind.places)
			return key == end;
		break;
	default:
		break;
	}
	return memcmp(keys, t->keys + from * bytes, many * bytes) == 0 &&
	       memcmp(values, t->values + from * value_bytes, many * value_bytes) == 0;
}

static unsigned
check_trial(const struct table *t, enum kind kind, uint64_t random)
{
	const size_t from = random % t->count;
	const size_t most = t->count - from < MOST_ROWS ? t->count - from : MOST_ROWS;
	/* mostly neighbours, and now and then all of a leaf */
	const size_t many = random >> 40 & 1 ? 1 + (random >> 20) % most : most < 2 ? 1 : 2;
	const struct gs_stable stable = stable_of(t);
	const bool right = plant(t, kind, random >> 48, from, many);
	struct gs_verdict verdict;

	put_rows(t, t->some_keys, t->some_values, from, many);
	must(cudaMemcpy(t->evidence, t->begun, GS_VERIFY_BYTES, cudaMemcpyDeviceToDevice), "copy");
	must(gs_verify_end(&stable, t->evidence, NULL), "gs_verify_end");
	must(cudaMemcpy(&verdict, t->evidence, sizeof verdict, cudaMemcpyDeviceToHost), "copy");
	put_rows(t, t->keys + from * t->kind.bytes, t->values + from * t->kind.value_bytes, from, many);
	if (verdict.state == (right ? GS_RIGHT : GS_WRONG))
		return 0;
	printf("wrong: %s, %zu rows of %zu, keys of %u bytes, values of %u%s: the verdict is %u, %u\n",
	       kinds[kind], many, t->count, t->kind.bytes, t->kind.value_bytes,
	       t->kind.places ? ", places" : "", verdict.state, verdict.what);
	return 1;
}

unsigned
damage_check(size_t count, unsigned trials)
{
	static const struct rows_kind all[] = {
		{ 4, 0, false, false }, { 8, 0, false, true }, { 4, 4, false, true }, { 8, 4, false, false },
		{ 4, 8, false, false }, { 8, 8, false, false }, { 4, 4, true, false }, { 8, 8, true, true },
		{ 1, 0, false, false }, { 2, 4, true, false },
	};
	enum { ALL = sizeof all / sizeof all[0] };
	unsigned wrong = 0;

	for (unsigned a = 0; a < ALL; a++) {
		struct table t = { .kind = all[a], .count = count + a };
		const uint64_t some = a % 2 == 0 ? count / 2 + 1 : UINT64_MAX;

		table_open(&t, trials + a, some);
		for (unsigned i = 0; i < trials / ALL; i++)
			wrong += check_trial(&t, (enum kind)(i % KINDS), random_at(a, i));
		table_close(&t);
	}
	return wrong;
}
