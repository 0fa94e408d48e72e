// SPDX-License-Identifier: BSD-2-Clause
/*
 * memory.c - each allocation of each call on arrays fails in turn: the arrays are as they were
 *
 * And units_fail() and units_memory(), for other tables.
 */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gsort.h"
#include "key/key.h"
#include "sort/span.h"
#include "tests/unit/units.h"

void unit_memory(void);

/* ---- the program is linked with these in place of malloc() and the others (tests/local.mk) ---- */

static atomic_long granted = LONG_MAX;	/* calls that succeed before one fails */
static bool goes_on;			/* all later ones fail, too */

static bool
fails_now(int number)
{
	const long left = atomic_fetch_sub(&granted, 1);

	if (goes_on ? left > 0 : left != 0)
		return false;
	errno = number;
	return true;
}

void
units_fail(long number)
{
	goes_on = false;
	atomic_store(&granted, number);
}

bool
units_has_failed(void)
{
	return atomic_exchange(&granted, LONG_MAX) < 0;
}

size_t
units_memory(void)
{
#ifdef __GLIBC__
	const char *tunables = getenv("GLIBC_TUNABLES");

	if (tunables != NULL && strstr(tunables, "malloc.tcache_count=0") != NULL)
		return mallinfo2().uordblks;
#endif
	return 0;
}

#define WRAP(type, failed, number, function, parameters, ...) \
	type __real_##function parameters; \
	type __wrap_##function parameters; \
	type \
	__wrap_##function parameters \
	{ \
		return fails_now(number) ? failed : __real_##function(__VA_ARGS__); \
	}

WRAP(void *, NULL, ENOMEM, malloc, (size_t bytes), bytes)
WRAP(void *, NULL, ENOMEM, calloc, (size_t count, size_t bytes), count, bytes)
WRAP(void *, NULL, ENOMEM, realloc, (void *memory, size_t bytes), memory, bytes)
WRAP(void *, NULL, ENOMEM, aligned_alloc, (size_t alignment, size_t bytes), alignment, bytes)
WRAP(void *, MAP_FAILED, ENOMEM, mmap,
     (void *at, size_t bytes, int protection, int flags, int fd, off_t offset),
     at, bytes, protection, flags, fd, offset)
WRAP(ssize_t, -1, EIO, pread, (int fd, void *into, size_t bytes, off_t at), fd, into, bytes, at)
WRAP(ssize_t, -1, EIO, pwrite, (int fd, const void *from, size_t bytes, off_t at), fd, from, bytes, at)

/* ---- the calls ----------------------------------------------------------------------- */

enum { MOST = 200003, PIECES = 3 };

static const enum call { SORT, ARGSORT, ARGSORT_SHORT, PAIRS, PAIRS_SHORT, MERGE, IS_SORTED, CALLS }
	first_call = SORT;
static const char *const call_names[CALLS] = {
	"sort", "argsort", "argsort with u32", "pairs", "pairs of 4 bytes", "merge", "is_sorted",
};

struct arrays {
	uint64_t keys[MOST], others[MOST];	/* indices, payloads or merged keys */
};

static struct arrays before, expected, found;

struct trial {
	enum call call;
	enum gsort_type type;
	size_t count;
	struct gsort_array_options options;
};

static gsort_status
run(const struct trial *trial, struct arrays *arrays)
{
	const size_t key_bytes = gs_key_bits(trial->type) / 8;
	const void *pieces[PIECES];
	size_t counts[PIECES];

	switch (trial->call) {
	case SORT:
		return gsort_sort(arrays->keys, trial->count, trial->type, &trial->options);
	case ARGSORT: case ARGSORT_SHORT:
		return gsort_argsort(arrays->keys, trial->count, trial->type, arrays->others,
		                     trial->call == ARGSORT ? GSORT_U64 : GSORT_U32, &trial->options);
	case PAIRS: case PAIRS_SHORT:
		return gsort_sort_pairs(arrays->keys, arrays->others, trial->call == PAIRS ? 8 : 4,
		                        trial->count, trial->type, &trial->options);
	case MERGE:
		for (size_t p = 0; p < PIECES; p++) {
			const size_t begin = trial->count * p / PIECES;

			pieces[p] = (char *)arrays->keys + begin * key_bytes;
			counts[p] = trial->count * (p + 1) / PIECES - begin;
		}
		return gsort_merge_arrays(arrays->others, pieces, counts, PIECES, trial->type,
		                          &trial->options);
	default:
		return gsort_is_sorted(arrays->keys, trial->count, trial->type, &trial->options);
	}
}

/* Keys of all bits, or with TIES of which most share their leading ones; no two of 64 bits are equal. */
static void
fill(const struct trial *trial, bool ties)
{
	const unsigned bits = gs_key_bits(trial->type);

	for (size_t i = 0; i < trial->count; i++) {
		const uint64_t key = ties && i > 0 ? i % 3 << 62 | units_mix(i) >> 44 << 20 >> 2 | i
		                                   : units_mix(i);

		gs_key_put(before.keys, bits, i,
		           ties && bits < 64 ? units_mix(i) % 300 : key >> (64 - bits));
		before.others[i] = units_mix(~i);
	}
	if (trial->call == MERGE || trial->call == IS_SORTED)
		for (size_t p = 0; p < PIECES; p++) {
			const size_t begin = trial->count * p / PIECES;

			(void)gsort_sort((char *)before.keys + begin * (bits / 8),
			                 trial->count * (p + 1) / PIECES - begin, trial->type,
			                 &trial->options);
		}
}

/* As far as a trial goes: all of the arrays took two thirds of the time of this table. */
static void
copy(const struct trial *trial, struct arrays *to, const struct arrays *from)
{
	memcpy(to->keys, from->keys, trial->count * sizeof *to->keys);
	memcpy(to->others, from->others, trial->count * sizeof *to->others);
}

/* Payloads of equal keys have no order. */
static bool
same(const struct trial *trial, const struct arrays *arrays)
{
	const bool pairs = trial->call == PAIRS || trial->call == PAIRS_SHORT;

	return memcmp(&found.keys, &arrays->keys, trial->count * sizeof *found.keys) == 0 &&
	       ((pairs && arrays == &expected) ||
	        memcmp(&found.others, &arrays->others, trial->count * sizeof *found.others) == 0);
}

/* Let allocation 1, 2, 3 ... fail, until there are fewer allocations. */
static void
walk(const struct trial *trial, const char *name)
{
	gsort_status status;
	long number = 0, left;

	copy(trial, &expected, &before);
	(void)run(trial, &expected);
	do {
		copy(trial, &found, &before);
		atomic_store(&granted, number++);
		status = run(trial, &found);
		left = atomic_exchange(&granted, LONG_MAX);
		CHECK(status == GSORT_ERROR
		      ? gsort_last_error() == GSORT_ERROR_MEMORY && same(trial, &before)
		      : same(trial, &expected),
		      "%s: allocation %ld%s fails, status %d: the arrays are as they were, or right", name,
		      number, goes_on ? " and each later one" : "", (int)status);
	} while (left < 0);
}

void
unit_memory(void)
{
	static const enum gsort_type types[] = { GSORT_I8, GSORT_U16, GSORT_F32, GSORT_U64 };
	static const size_t counts[] = { 10, 3000, 9000, MOST };
	char name[100];

	for (unsigned t = 0; t < 4 * 4 * 2 * 2 * 2; t++)
		for (unsigned call = first_call; call < CALLS; call++) {
			const struct trial trial = {
				(enum call)call, types[t / 4 % 4], counts[t % 4],
				{ .struct_size = sizeof trial.options, .reverse = t / 64 % 2 == 1,
				  .threads = t / 32 % 2 == 0 ? 1 : 16 },
			};

			fill(&trial, t / 16 % 2 == 1);
			snprintf(name, sizeof name, "%s of %zu %s, %u threads", call_names[call], trial.count,
			         gs_key_name(trial.type), trial.options.threads);
			for (unsigned all = 0; all < 2; all++) {
				goes_on = all == 1;
				walk(&trial, name);
			}
		}
}
