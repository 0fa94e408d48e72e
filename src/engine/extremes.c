// SPDX-License-Identifier: BSD-2-Clause
/*
 * extremes.c - the least and the greatest key of each class, known before the first is drained
 *
 * In:   keys as they arrive.
 * Out:  their range, from which the edges of a histogram's bars are computed.
 */
#include <math.h>

#include "base/round.h"
#include "base/simd.h"
#include "engine/store.h"
#include "key/key.h"
#include "text/encode.h"

#define DEFINE_NOTE(type, bits) \
	static void \
	note##bits(struct gs_extreme *found, type low, type high, const type *keys, size_t count) \
	{ \
		type least = (type)~(type)0, most = 0; \
		bool any = false; \
		_Pragma("omp simd reduction(min:least) reduction(max:most) reduction(|:any)") \
		for (size_t at = 0; at < count; at++) { \
			const bool in = keys[at] >= low && keys[at] <= high; \
			const type down = in ? keys[at] : (type)~(type)0, up = in ? keys[at] : 0; \
			least = down < least ? down : least; \
			most = up > most ? up : most; \
			any |= in; \
		} \
		if (any && least < found->least) \
			found->least = least; \
		if (any && most > found->most) \
			found->most = most; \
	}
DEFINE_NOTE(uint8_t, 8)
DEFINE_NOTE(uint16_t, 16)
DEFINE_NOTE(uint32_t, 32)
DEFINE_NOTE(uint64_t, 64)

void
gs_extremes_open(struct gs_extremes *extremes, const struct gsort_options *options)
{
	extremes->on = options->histogram > 0;
	extremes->low = 0;
	extremes->high = UINT64_MAX;
	if (!extremes->on)
		return;
	if (gs_key_is_float(options->type)) {
		extremes->low = gs_key_of_float(options->type, -(double)INFINITY) + 1;
		extremes->high = gs_key_of_float(options->type, (double)INFINITY) - 1;
	}
	for (unsigned worker = 0; worker < GS_TEAM_MAX; worker++)
		for (unsigned c = 0; c < GS_CLASSES; c++)
			extremes->of[worker][c] = (struct gs_extreme){ .least = UINT64_MAX, .most = 0 };
}

void
gs_extremes_note(void *context, unsigned worker, const struct gs_piece *piece)
{
	struct gs_extremes *extremes = context;
	struct gs_extreme *found = &extremes->of[worker][piece->key_class];
	const uint64_t low = extremes->low, high = extremes->high;

#define NOTE(width)	\
	note##width(found, (uint##width##_t)low, (uint##width##_t)high, piece->keys, piece->count)
	GS_BY_WIDTH(piece->key_bits, NOTE);
}

struct gs_extreme
gs_extremes_of(const struct gs_extremes *extremes, unsigned key_class, const struct gs_count *count)
{
	struct gs_extreme all = { .least = UINT64_MAX, .most = 0 };

	for (uint64_t bin = 0; count != NULL && bin < count->bin_count; bin++)
		if (count->bins[bin] > 0 && bin >= extremes->low && bin <= extremes->high) {
			all.least = gs_least(all.least, bin);
			all.most = bin;
		}
	for (unsigned worker = 0; worker < GS_TEAM_MAX; worker++) {
		const struct gs_extreme *one = &extremes->of[worker][key_class];

		all.least = one->least < all.least ? one->least : all.least;
		all.most = one->most > all.most ? one->most : all.most;
	}
	return all;
}
