// SPDX-License-Identifier: BSD-2-Clause
/*
 * disorder.c - find the first key of an array that is out of order
 *
 * Each thread takes the next stretch, with the key before it.  Keys that are not ordered bits are mapped
 * in a copy that stays in the first-level cache.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/team.h"
#include "key/key.h"
#include "library/array.h"
#include "sort/cpu/keys.h"

enum { STRETCH_KEYS = 1 << 16, COPY_BYTES = 8192 };

/* How many times as fast keys are compared as sorted: 2^20 sorted u32 in 149 us by one thread of the
 * Xeon of the H200 host, in 109, 173 and 324 by 2, 4 and 16. */
enum { FASTER = 16 };

struct search {
	const struct gs_array_args *args;
	const char *keys;
	size_t      count;
	atomic_size_t found;	/* COUNT: nothing yet */
};

/* Is each key from index BEGIN, 1 at least, to before END in order after the key before it? */
static bool
in_order(const void *keys, size_t begin, size_t end, const struct gs_array_args *args)
{
	const size_t step = COPY_BYTES / args->key_bytes - 1;
	_Alignas(64) char copy[COPY_BYTES];

	if (gs_key_orders_itself(args->type))
		return gs_keys_in_order(keys, args->key_bits, begin, end,
		                        args->reverse ? GS_DESCENDING : GS_ASCENDING);
	for (size_t at = begin, now; at < end; at += now) {
		now = end - at < step ? end - at : step;
		memcpy(copy, (const char *)keys + (at - 1) * args->key_bytes, (now + 1) * args->key_bytes);
		gs_raw_to_ordered(args->type, GSORT_ENDIAN_HOST, args->reverse, copy, now + 1, 1);
		if (!gs_keys_in_order(copy, args->key_bits, 1, now + 1, GS_ASCENDING))
			return false;
	}
	return true;
}

static void
search_stretch(void *context, size_t stretch)
{
	struct search *search = context;
	size_t begin = stretch * STRETCH_KEYS + 1, end = begin + STRETCH_KEYS;

	if (end > search->count)
		end = search->count;
	if (begin >= end || atomic_load(&search->found) < begin ||
	    in_order(search->keys, begin, end, search->args))
		return;
	while (end - begin > 1) {	/* the first half that is not */
		const size_t middle = begin + (end - begin) / 2;

		if (in_order(search->keys, begin, middle, search->args))
			begin = middle;
		else
			end = middle;
	}
	gs_team_least(&search->found, begin);
}

size_t
gs_array_disorder(const void *keys, size_t count, const struct gs_array_args *args)
{
	struct search search = { .args = args, .keys = keys, .count = count };

	atomic_init(&search.found, count);
	gs_team_each(gs_array_threads(args, count * args->key_bytes / FASTER), count / STRETCH_KEYS + 1,
	             search_stretch, &search);
	return atomic_load(&search.found);
}
