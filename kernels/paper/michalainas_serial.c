// SPDX-License-Identifier: BSD-2-Clause
/*
 * michalainas_serial.c - the network as it is drawn, on one core   [report 000, chapter 1]
 *
 * Phase `size` turns sorted pieces of size/2, one up, one down, into sorted
 * pieces of `size`; step `stride` of it compares keys that far apart.  Pieces
 * at an even multiple of `size` go up, the others down, and the last is up.
 *
 *     steps = m (m + 1) / 2 for 2^m keys     bytes = 2 * 4n * steps
 *
 * At 2^24 that is 300 sweeps where qsort needs some 24, so on one core the
 * network loses; but all n/2 comparisons of a step are independent, and known
 * before the first key is read.  Everything after this lives on that.
 */
#include "kernels/paper/ladder.h"

struct variant_cost
michalainas_serial_predict(const struct variant_job *job)
{
	const double steps = variant_steps(variant_bits(job->count));

	return (struct variant_cost){ steps, 2.0 * sizeof *job->keys * (double)job->count * steps };
}

static void
bitonic_step(uint32_t *keys, size_t count, size_t size, size_t stride)
{
	for (size_t i = 0; i < count; i++) {
		const size_t partner = i ^ stride;

		if (partner > i && (keys[i] > keys[partner]) == ((i & size) == 0)) {
			const uint32_t key = keys[i];

			keys[i] = keys[partner];
			keys[partner] = key;
		}
	}
}

int
michalainas_serial_sort(struct variant_job *job)
{
	const double bytes = 2.0 * sizeof *job->keys * (double)job->count;

	for (size_t size = 2; size <= job->count; size *= 2)
		for (size_t stride = size / 2; stride > 0; stride /= 2) {
			bitonic_step(job->keys, job->count, size, stride);
			if (job->note != NULL)
				(void)job->note(job, 0, NULL, 0, bytes);
		}
	return 0;
}
