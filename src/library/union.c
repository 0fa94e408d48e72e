// SPDX-License-Identifier: BSD-2-Clause
/*
 * union.c - merge sorted arrays
 *
 * In:   sorted arrays; their order is checked first, since a merge of others loses keys.
 * Out:  all their keys, in order.
 *
 * sort/merge.h merges ordered bits.  Keys of other types are mapped in a copy.  Keys of 8 and 16 bits
 * are counted, which takes less time than to merge them.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "key/key.h"
#include "library/array.h"
#include "sort/merge.h"

static gs_status
check_order(const void *const arrays[], const size_t counts[], size_t count,
            const struct gs_array_args *args)
{
	for (size_t a = 0; a < count; a++) {
		const size_t at = gs_array_disorder(arrays[a], counts[a], args);

		if (at < counts[a])
			return gs_fail(GS_EINPUT, "array %zu is not sorted: element %zu should come before "
			               "element %zu", a, at, at - 1);
	}
	return GS_OK;
}

/* All keys, one array after the other. */
static void
join(void *into, const void *const arrays[], const size_t counts[], size_t count,
     const struct gs_array_args *args)
{
	char *at = into;

	for (size_t a = 0; a < count; a++) {
		gs_team_copy(gs_array_threads(args, counts[a] * args->key_bytes), at, arrays[a],
		             counts[a] * args->key_bytes);
		at += counts[a] * args->key_bytes;
	}
}

/* The runs are the arrays, or what MAPPED, a copy of all keys as ordered bits, has of them. */
static void
list_runs(struct gs_run *runs, const void *const arrays[], const size_t counts[], size_t count,
          const char *mapped, size_t key_bytes)
{
	for (size_t a = 0; a < count; a++) {
		runs[a] = (struct gs_run){ .keys = mapped != NULL ? mapped : arrays[a],
		                           .count = counts[a] };
		if (mapped != NULL)
			mapped += counts[a] * key_bytes;
	}
}

static gs_status
merge(void *into, size_t keys, const struct gs_run *runs, size_t count,
      const struct gs_array_args *args)
{
	const unsigned threads = gs_array_threads(args, keys * args->key_bytes);
	void *memory = malloc(gs_merge_bytes(count, threads));
	struct gs_span span;

	if (memory == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	gs_merge_next(gs_merge_init(memory, args->key_bits, runs, count, threads, into,
	                            keys * args->key_bytes), &span);
	assert(span.count == keys);
	free(memory);
	return GS_OK;
}

static gs_status
merge_mapped(void *into, size_t keys, const void *const arrays[], const size_t counts[], size_t count,
             struct gs_run *runs, const struct gs_array_args *args)
{
	const unsigned threads = gs_array_threads(args, keys * args->key_bytes);
	struct gs_array_memory mapped;
	gs_status status;

	TRY(gs_array_memory_get(&mapped, keys * args->key_bytes));
	join(mapped.at, arrays, counts, count, args);
	gs_raw_to_ordered(args->type, GSORT_ENDIAN_HOST, args->reverse, mapped.at, keys, threads);
	list_runs(runs, arrays, counts, count, mapped.at, args->key_bytes);
	status = merge(into, keys, runs, count, args);
	gs_array_memory_give(&mapped);
	if (status == GS_OK)
		gs_ordered_to_raw(args->type, GSORT_ENDIAN_HOST, args->reverse, into, keys, threads);
	return status;
}

gs_status
gs_array_union(void *into, const void *const arrays[], const size_t counts[], size_t count,
               const struct gs_array_args *args)
{
	struct gs_run *runs;
	gs_status status;
	size_t keys = 0;

	for (size_t a = 0; a < count; a++)
		keys += counts[a];
	if (!args->trust_order)
		TRY(check_order(arrays, counts, count, args));
	if (keys == 0)
		return GS_OK;
	if (args->key_bits <= 16) {
		struct gs_array_args counted = *args;
		struct gs_array_memory memory;

		counted.scratch_bytes = gs_array_sort_bytes(keys, args);
		TRY(gs_array_memory_get(&memory, counted.scratch_bytes));	/* before INTO is written */
		counted.scratch = memory.at;
		join(into, arrays, counts, count, args);
		status = gs_array_sort(into, keys, &counted);
		gs_array_memory_give(&memory);
		return status;
	}
	runs = malloc(count * sizeof *runs);
	if (runs == NULL)
		return gs_fail(GS_EBUDGET, "out of memory");
	if (gs_key_orders_itself(args->type) && !args->reverse) {
		list_runs(runs, arrays, counts, count, NULL, args->key_bytes);
		status = merge(into, keys, runs, count, args);
	} else {
		status = merge_mapped(into, keys, arrays, counts, count, runs, args);
	}
	free(runs);
	return status;
}
