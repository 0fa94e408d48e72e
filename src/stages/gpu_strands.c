// SPDX-License-Identifier: BSD-2-Clause
/*
 * gpu_strands.c - the keys of a GPU, drained by strands
 *
 * In:   spans of all strands in turn.
 * Out:  the same, checked; those of a strand in order, several strands at once.
 *
 * One thread at a time waits for the next span, and then has the span's turn in its strand: it
 * checks it, lets the sink make and take it, and gives it back.  As spans come from all strands in
 * turn, threads seldom wait for each other.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/team.h"
#include "stages/gpu_strands.h"

/* Threads that take spans of strands from a GPU. */
struct strands {
	struct gs_guard           *gpu;
	const struct gs_span_sink *sink;
	struct gs_seen            *seen;	/* of each strand, by who has its turn */
	struct gs_first_error      error;
	pthread_mutex_t draining;	/* whoever waits for the GPU; guards: */
	bool            ended;
	size_t          number;		/* spans so far */
	size_t         *drained;	/* spans of each strand */
	pthread_mutex_t lock;		/* guards: */
	pthread_cond_t  changed;
	size_t         *taken;		/* spans of each strand */
};

/* The next span, and its TURN among those of its strand.  False: there is none. */
static bool
next_span(struct strands *strands, struct gs_gpu_span *span, struct gs_sorted_span *sorted,
          size_t *turn)
{
	bool found = false;

	pthread_mutex_lock(&strands->draining);
	if (!strands->ended && !atomic_load(&strands->error.any))
		found = gs_first_error_note(&strands->error,
		                            gs_guard_take(strands->gpu, span)) &&
		        span->span.count > 0;
	strands->ended |= !found;
	if (found) {
		sorted->span = span->span;
		sorted->number = strands->number++;
		sorted->strand = span->strand;
		sorted->at = span->at;
		*turn = strands->drained[span->strand]++;
	}
	pthread_mutex_unlock(&strands->draining);
	return found;
}

static gs_status
pass_span(struct strands *strands, const struct gs_gpu_span *span, struct gs_sorted_span *sorted)
{
	const struct gs_span_sink *sink = strands->sink;
	bool enough = false;

	TRY(gs_guard_check(strands->gpu, span, &strands->seen[span->strand], 1));
	TRY(sink->make(sink->context, sorted));
	return sink->take(sink->context, sorted, &enough);
}

/* Take spans, those of a strand in their order. */
static void
take_spans(void *context, unsigned rank, unsigned size)
{
	struct strands *strands = context;
	struct gs_sorted_span sorted = { .slot = rank };
	struct gs_gpu_span span;
	size_t turn;

	(void)size;
	while (next_span(strands, &span, &sorted, &turn)) {
		pthread_mutex_lock(&strands->lock);
		while (strands->taken[span.strand] < turn)
			pthread_cond_wait(&strands->changed, &strands->lock);
		pthread_mutex_unlock(&strands->lock);
		if (!atomic_load(&strands->error.any))
			gs_first_error_note(&strands->error, pass_span(strands, &span, &sorted));
		gs_guard_give(strands->gpu, &span);
		pthread_mutex_lock(&strands->lock);
		strands->taken[span.strand]++;
		pthread_cond_broadcast(&strands->changed);
		pthread_mutex_unlock(&strands->lock);
	}
}

static gs_status
run(struct strands *strands, unsigned threads)
{
	const size_t count = strands->sink->strand_count;

	if (strands->seen == NULL || strands->drained == NULL || strands->taken == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %zu outputs", count);
	TRY(gs_guard_by_strands(strands->gpu, strands->sink->strand_at, count));
	gs_first_error_open(&strands->error);
	gs_team_run(threads < count ? threads : (unsigned)count, take_spans, strands);
	TRY(gs_first_error_close(&strands->error));
	return gs_guard_check_strands(strands->gpu, strands->seen, count);
}

gs_status
gs_gpu_drain_strands(struct gs_guard *gpu, unsigned threads, const struct gs_span_sink *sink)
{
	const size_t count = sink->strand_count;
	struct strands strands = {
		.gpu = gpu, .sink = sink,
		.seen = calloc(count, sizeof *strands.seen),
		.drained = calloc(count, sizeof *strands.drained),
		.taken = calloc(count, sizeof *strands.taken),
		.draining = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	const gs_status status = run(&strands, threads);

	free(strands.seen);
	free(strands.drained);
	free(strands.taken);
	return status;
}
