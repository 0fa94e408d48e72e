// SPDX-License-Identifier: BSD-2-Clause
/*
 * gpu_drain.c - the keys of a GPU, drained by several threads
 *
 * In:   spans in order, or by strands, which take turns.
 * Out:  the spans of one class, checked: in order within a strand, several strands at once.  The first span
 *       of a later class stays for the next call.
 *
 * One thread at a time waits for the next span.  Then it checks the span, waits for the span's turn in
 * its strand, lets the sink take it, and gives it back.  So spans are checked in parallel, and strands
 * are written in parallel.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/round.h"
#include "base/team.h"
#include "engine/store.h"

/* Threads for one span: more only wait for each other.  Not tuned. */
enum { MOST_CHECK_THREADS = 8 };

/* Spans that are checked at once, where one is taken after the other; a ring has room for more.  Two H200
 * send 110 GB/s; 32 GiB of them are checked by 16 threads in 0.61 s, by 32 in two lanes for each GPU
 * in 0.55 s, in four in 0.50 s. */
enum { LANES = 2 };

struct drainer {
	struct gs_guard           *gpu;
	unsigned                   key_class;
	const struct gs_span_sink *sink;
	unsigned                   check_threads;	/* of each span */
	struct gs_first_error      error;
	atomic_bool                enough;		/* the sink wants no more */
	pthread_mutex_t next;		/* whoever waits for the GPU; guards: */
	struct gs_gpu_span *pending;	/* the caller's: the first span of a later class */
	bool            ended;
	size_t          number;		/* spans so far */
	size_t         *drained;	/* spans of each strand */
	pthread_mutex_t lock;		/* guards: */
	pthread_cond_t  changed;
	size_t         *taken;		/* spans of each strand */
	struct gs_seen *seen;		/* of each strand, by the thread that has its turn */
};

/* A span, and its turn within its strand. */
struct turn {
	struct gs_gpu_span    span;
	struct gs_sorted_span sorted;
	size_t                number;
};

/* Take the next span, or the pending one.  False: the class has no more. */
static bool
next_span(struct drainer *drainer, unsigned worker, struct turn *turn)
{
	struct gs_gpu_span *pending = drainer->pending;
	const struct gs_gpu_span *span = &turn->span;
	bool found = false;

	pthread_mutex_lock(&drainer->next);
	if (!drainer->ended && !drainer->enough && !atomic_load(&drainer->error.any) &&
	    (pending->span.count > 0 ||
	     gs_first_error_note(&drainer->error, gs_guard_call(drainer->gpu, drain, pending))))
		found = pending->span.count > 0 && pending->span.key_class == drainer->key_class;
	drainer->ended |= !found;
	if (found) {
		turn->span = *pending;
		pending->span.count = 0;
		turn->sorted = (struct gs_sorted_span){
			.span = span->span, .number = drainer->number++, .strand = span->strand,
			.at = span->at, .slot = drainer->sink->strand_count > 0 ? worker : GS_NO_SLOT,
			.summed = true, .sum = span->sum,
		};
		turn->number = drainer->drained[span->strand]++;
	}
	pthread_mutex_unlock(&drainer->next);
	return found;
}

static void
drain_spans(void *context, unsigned worker, unsigned size)
{
	struct drainer *drainer = context;
	const struct gs_span_sink *sink = drainer->sink;
	struct turn turn;

	(void)size;
	while (next_span(drainer, worker, &turn)) {
		const size_t strand = turn.span.strand;
		gs_status status = gs_guard_check(&turn.span, drainer->check_threads);

		gs_first_error_note(&drainer->error, status);
		pthread_mutex_lock(&drainer->lock);
		while (drainer->taken[strand] < turn.number)
			pthread_cond_wait(&drainer->changed, &drainer->lock);
		pthread_mutex_unlock(&drainer->lock);
		if (!drainer->enough && !atomic_load(&drainer->error.any)) {
			status = gs_guard_follow(&turn.span, &drainer->seen[strand]);
			if (sink->strand_count > 0)
				THEN(status, sink->make(sink->context, &turn.sorted));
			THEN(status, sink->take(sink->context, &turn.sorted));
			gs_first_error_note(&drainer->error, status);
		}
		if (turn.sorted.enough)
			drainer->enough = true;
		drainer->gpu->module->give(drainer->gpu->gpu, &turn.span);
		pthread_mutex_lock(&drainer->lock);
		drainer->taken[strand]++;
		pthread_cond_broadcast(&drainer->changed);
		pthread_mutex_unlock(&drainer->lock);
	}
}

gs_status
gs_gpu_drain(struct gs_guard *gpu, struct gs_gpu_span *pending, unsigned key_class, unsigned threads,
             const struct gs_span_sink *sink)
{
	const size_t strands = sink->strand_count, rows = strands > 0 ? strands : 1;
	unsigned lanes = threads < LANES ? threads : LANES;
	const size_t check_threads = strands > 0 ? 1 : threads / lanes;
	struct drainer drainer = {
		.gpu = gpu, .pending = pending, .key_class = key_class, .sink = sink,
		.check_threads = (unsigned)gs_least(check_threads, MOST_CHECK_THREADS),
		.next = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	gs_status status = GS_NEW(drainer.seen, rows, "outputs");

	THEN(status, GS_NEW(drainer.drained, rows, "outputs"));
	THEN(status, GS_NEW(drainer.taken, rows, "outputs"));
	if (strands > 0) {
		THEN(status, gs_guard_call(gpu, by_strands, sink->strand_at, strands));
		/* While one thread writes a file, another one checks what comes next. */
		lanes = threads < 2 * strands ? threads : (unsigned)(2 * strands);
	}
	if (status == GS_OK) {
		gs_first_error_open(&drainer.error);
		gs_team_run(lanes, drain_spans, &drainer);
		status = gs_first_error_close(&drainer.error);
	}
	THEN(status, gs_guard_check_strands(drainer.seen, strands));
	free(drainer.seen);
	free(drainer.drained);
	free(drainer.taken);
	return status;
}
