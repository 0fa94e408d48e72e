// SPDX-License-Identifier: BSD-2-Clause
/*
 * martoccia_cpu_v1.c - every step is cut in chunks, one thread each   [report 001, 2.2]
 *
 * A padded copy of the array, and for each step of the network T new threads, of
 * which each walks over its chunk of indices i and compares i with i ^ stride if
 * that is the larger.  A pair belongs to its lower index, so no key is written by
 * two threads; joining them is the barrier.  Largest first is sorted smallest
 * first, then reversed.
 *
 *     threads started = T m (m + 1) / 2       bytes = 2 * 4n * m (m + 1) / 2
 *
 * At 64 Mi keys that is 351 sweeps over 256 MB, none of which finds in the caches
 * what the last one left there.  V2 attacks this: it first makes pieces that fit.
 *
 * The report's chunk is n / T keys, which drops the end of the array if T is not
 * a power of two; here the last thread takes it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/paper/ladder.h"

enum { MOST_THREADS = 256 };

struct chunk {
	uint32_t *keys;
	size_t    first, last;	/* indices to walk over */
	size_t    size, stride;
};

static void *
compare_and_swap(void *context)
{
	const struct chunk *chunk = context;
	uint32_t *keys = chunk->keys;

	for (size_t i = chunk->first; i < chunk->last; i++) {
		const size_t partner = i ^ chunk->stride;

		if (partner > i && (keys[i] > keys[partner]) == ((i & chunk->size) == 0)) {
			const uint32_t key = keys[i];

			keys[i] = keys[partner];
			keys[partner] = key;
		}
	}
	return NULL;
}

/* One step: THREADS threads are started and joined.  One that cannot be started is done here. */
static void
bitonic_step(uint32_t *keys, size_t count, size_t size, size_t stride, unsigned threads)
{
	pthread_t ids[MOST_THREADS];
	struct chunk chunks[MOST_THREADS];
	unsigned started = 0;

	for (unsigned t = 0; t < threads; t++)
		chunks[t] = (struct chunk){
			.keys = keys, .size = size, .stride = stride,
			.first = count / threads * t,
			.last = t + 1 < threads ? count / threads * (t + 1) : count,
		};
	while (started < threads &&
	       pthread_create(&ids[started], NULL, compare_and_swap, &chunks[started]) == 0)
		started++;
	for (unsigned t = started; t < threads; t++)
		(void)compare_and_swap(&chunks[t]);
	for (unsigned t = 0; t < started; t++)
		pthread_join(ids[t], NULL);
}

static unsigned
threads_of(const struct variant_job *job)
{
	return job->threads == 0 ? 1 : job->threads < MOST_THREADS ? job->threads : MOST_THREADS;
}

struct variant_cost
martoccia_cpu_v1_predict(const struct variant_job *job)
{
	const unsigned bits = variant_bits(job->count);
	const double steps = variant_steps(bits);

	return (struct variant_cost){
		threads_of(job) * steps,
		2.0 * sizeof *job->keys * (double)((size_t)1 << bits) * steps,
	};
}

int
martoccia_cpu_v1_sort(struct variant_job *job)
{
	const size_t padded = (size_t)1 << variant_bits(job->count);
	const double bytes = 2.0 * sizeof *job->keys * (double)padded;
	const unsigned threads = threads_of(job);
	uint32_t *keys = malloc(padded * sizeof *keys);

	if (keys == NULL)
		return ENOMEM;
	memcpy(keys, job->keys, job->count * sizeof *keys);
	memset(keys + job->count, 0xff, (padded - job->count) * sizeof *keys);
	for (size_t size = 2; size <= padded; size *= 2)
		for (size_t stride = size / 2; stride > 0; stride /= 2) {
			bitonic_step(keys, padded, size, stride, threads);
			for (unsigned t = 0; t < threads && job->note != NULL; t++)
				(void)job->note(job, 0, NULL, 0, t == 0 ? bytes : 0);
		}
	for (size_t i = 0; i < job->count; i++)
		job->keys[i] = keys[job->descending ? job->count - 1 - i : i];
	free(keys);
	return 0;
}
