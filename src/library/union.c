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

/* The arrays are merged where they are, if their keys are ordered bits, or else in a copy of all of them. */
static gs_status
merge(void *into, size_t keys, const void *const arrays[], const size_t counts[], size_t count,
      const struct gs_array_args *args)
{
	const bool maps = args->reverse || !gs_key_orders_itself(args->type);
	const unsigned threads = gs_array_threads(args, keys * args->key_bytes);
	struct gs_array_memory mapped = { .at = NULL };
	void *memory = malloc(gs_merge_bytes(count, threads));
	struct gs_run *runs = malloc(count * sizeof *runs);
	gs_status status = GS_OK;
	struct gs_span span;
	char *at;

	if (memory == NULL || runs == NULL)
		status = gs_fail(GS_EBUDGET, "out of memory");
	else if (maps)
		status = gs_array_memory_get(&mapped, keys * args->key_bytes);
	if (runs != NULL && status == GS_OK) {
		if (maps) {
			join(mapped.at, arrays, counts, count, args);
			gs_raw_to_ordered(args->type, GSORT_ENDIAN_HOST, args->reverse, mapped.at, keys,
			                  threads);
		}
		at = mapped.at;
		for (size_t a = 0; a < count; a++) {
			runs[a] = (struct gs_run){ .keys = maps ? at : arrays[a], .count = counts[a] };
			at = maps ? at + counts[a] * args->key_bytes : at;
		}
		gs_merge_next(gs_merge_init(memory, args->key_bits, runs, count, threads, into,
		                            keys * args->key_bytes), &span);
		assert(span.count == keys);
		if (maps)
			gs_ordered_to_raw(args->type, GSORT_ENDIAN_HOST, args->reverse, into, keys, threads);
	}
	gs_array_memory_give(&mapped);
	free(memory);
	free(runs);
	return status;
}

gs_status
gs_array_union(void *into, const void *const arrays[], const size_t counts[], size_t count,
               const struct gs_array_args *args)
{
	struct gs_array_args counted = *args;
	struct gs_array_memory memory;
	gs_status status;
	size_t keys = 0;

	for (size_t a = 0; a < count; a++) {
		const size_t at = args->trust_order ? counts[a]
		                  : gs_array_disorder(arrays[a], counts[a], args);

		if (at < counts[a])
			return gs_fail(GS_EINPUT, "array %zu is not sorted: element %zu should come before "
			               "element %zu", a, at, at - 1);
		keys += counts[a];
	}
	if (keys == 0)
		return GS_OK;
	if (args->key_bits > 16)
		return merge(into, keys, arrays, counts, count, args);
	counted.scratch_bytes = gs_array_sort_bytes(keys, args);
	TRY(gs_array_memory_get(&memory, counted.scratch_bytes));	/* before INTO is written */
	counted.scratch = memory.at;
	join(into, arrays, counts, count, args);
	status = gs_array_sort(into, keys, &counted);
	gs_array_memory_give(&memory);
	return status;
}
