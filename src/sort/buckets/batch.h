// SPDX-License-Identifier: BSD-2-Clause
/*
 * batch.h - all keys that the CPU holds: a set of buckets for each key class, and their way out
 *
 *     gs_batch_add(), any thread          while keys come
 *     gs_batch_seal()                     once, after the last key
 *     gs_batch_drain(), each key class    its keys, in order
 *     gs_batch_reset()                    and on to the next batch
 *
 * Keys leave in spans, the parts of the buckets.  A team sorts them while those before them are
 * being written.  The caller owns all memory.
 */
#ifndef GS_BUCKETS_BATCH_H
#define GS_BUCKETS_BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "base/team.h"
#include "sort/buckets/buckets.h"
#include "sort/buckets/pool.h"
#include "sort/span.h"

struct gs_batch {
	struct gs_pool    *pool;
	struct gs_buckets *buckets[GS_CLASSES];		/* NULL: no such key class */
	unsigned           bits[GS_CLASSES];
	size_t             parts[GS_CLASSES];		/* once it is sealed */
	uint64_t           sequences[GS_CLASSES];	/* the next sequence number of keys that come */
	unsigned           threads;
	size_t             part_bytes;		/* of a part, at most */
	char              *slots;		/* gs_batch_slots() parts: where they are sorted ... */
	char              *scratch;		/* ... with this, a part for each thread */
	struct gs_clock   *clock;		/* of sorting; or NULL */
};

/* Strands of a sink, at most. */
enum { GS_STRANDS_MOST = 1024 };

/* Spans that exist at once, at most. */
enum { GS_BATCH_SLOTS_MOST = 2 * GS_TEAM_MAX };

/** How many slots there are.  As many spans wait for their turn as are being sorted: a thread whose
 *  span is not the next one need not wait for the others. */
static inline unsigned
gs_batch_slots(unsigned threads)
{
	return threads > 1 ? 2 * threads : 1;
}

/** Bytes of keys that surely fit, of whatever key classes. */
size_t gs_batch_room(const struct gs_batch *batch);

/** Add COUNT keys, no more than there is room for, from any thread with a number WORKER of its own; SEQUENCE
 *  comes from sequences[KEY_CLASS]. */
void gs_batch_add(struct gs_batch *batch, unsigned worker, unsigned key_class, uint64_t sequence,
                  const void *keys, size_t count);

/** Keys of KEY_CLASS. */
uint64_t gs_batch_count(const struct gs_batch *batch, unsigned key_class);

/** No more keys come: divide large buckets, with all threads. */
void gs_batch_seal(struct gs_batch *batch);

/** Forget all keys. */
void gs_batch_reset(struct gs_batch *batch);

/**
 * Hand the keys of KEY_CLASS in order to SINK, once: a team calls its room() and make(), the
 * caller's thread its take().  Keys that SINK did not want stay until gs_batch_reset().  For a SINK
 * that wants strands: the next function.
 *
 * @return  GS_OK, or the first error of a function of SINK
 */
MUST_CHECK gs_status
gs_batch_drain(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink);

/** gs_batch_drain() for a SINK that wants strands, at most GS_STRANDS_MOST.  Any thread calls its
 *  take() (strands.c). */
MUST_CHECK gs_status
gs_batch_drain_strands(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink);

/*
 * What the two ways to drain have in common (batch.c in order, strands.c by strands): a span is
 * claimed, made (sorted, and the sink works on it), and taken.
 */
struct gs_drain {
	struct gs_batch           *batch;
	unsigned                   key_class, slots;
	const struct gs_span_sink *sink;
	struct gs_first_error      error;
	pthread_mutex_t            lock;	/* guards what the drainer has, and: */
	bool                       enough;	/* the sink wants no more */
};

/** DRAIN is zeroed. */
void gs_drain_open(struct gs_drain *drain, struct gs_batch *batch, unsigned key_class,
                   const struct gs_span_sink *sink);

/** No thread uses it any more; the first error of the sink. */
MUST_CHECK gs_status gs_drain_close(struct gs_drain *drain);

/** Are no more spans wanted? */
bool gs_drain_stops(const struct gs_drain *drain);

/** Span NUMBER, to be made in slot AT. */
struct gs_sorted_span gs_drain_claim(const struct gs_drain *drain, size_t number, size_t at);

/** Sort a claimed span, and let the sink work on it; any thread, with a number WORKER of its own. */
void gs_drain_make(struct gs_drain *drain, unsigned worker, struct gs_sorted_span *sorted);

/** Give it to the sink, unless no more are wanted.  With the lock, which is open meanwhile. */
void gs_drain_take(struct gs_drain *drain, struct gs_sorted_span *sorted);

#endif
