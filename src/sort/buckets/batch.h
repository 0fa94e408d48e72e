// SPDX-License-Identifier: BSD-2-Clause
/*
 * batch.h - all keys that the CPU holds: buckets for each key class, and how they come out
 *
 *     gs_batch_add(), any thread          while keys come
 *     gs_batch_seal()                   once, when none come any more
 *     gs_batch_drain(), each key class       its keys in order
 *     gs_batch_reset()                    or on to the next batch
 *
 * Keys come out in pieces, the parts of the buckets, sorted by a team while those before
 * them are being written.
 */
#ifndef GS_BUCKETS_BATCH_H
#define GS_BUCKETS_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/team.h"
#include "sort/buckets/buckets.h"
#include "sort/span.h"

struct gs_batch {
	struct gs_pool    *pool;
	struct gs_buckets *buckets[GS_CLASSES];	/* NULL: no such key class */
	unsigned           bits[GS_CLASSES];
	size_t             parts[GS_CLASSES];	/* once it is settled */
	uint64_t           places[GS_CLASSES];	/* next number of a piece that comes */
	unsigned           threads;
	size_t             part_bytes;		/* most that a part has */
	char              *slots;		/* gs_batch_slots() parts: where they are sorted ... */
	char              *scratch;		/* ... with this, one a thread */
	struct gs_clock   *clock;		/* of sorting; or NULL */
};

/* Pieces of sorted keys that there may be at once. */
enum { GS_BATCH_SLOTS_MOST = 2 * GS_TEAM_MAX };

/** How many there are.  As many as are being made wait for their turn: pieces take their time,
 *  and who has made one that is not next should not have to wait for the others. */
static inline unsigned
gs_batch_slots(unsigned threads)
{
	return threads > 1 ? 2 * threads : 1;
}

/** Bytes of keys that surely fit, whatever streams they are of. */
size_t gs_batch_room(const struct gs_batch *batch);

/** Add COUNT keys, fewer than there is room for, from any thread; PLACE from places[STREAM]. */
void gs_batch_add(struct gs_batch *batch, unsigned rank, unsigned key_class, uint64_t place,
                  const void *keys, size_t count);

/** Keys of STREAM. */
uint64_t gs_batch_count(const struct gs_batch *batch, unsigned key_class);

/** No more keys. */
void gs_batch_seal(struct gs_batch *batch);

/** Forget all keys. */
void gs_batch_reset(struct gs_batch *batch);

/** Hand all keys of KEY_CLASS in order to SINK: parts are sorted and made ahead by a team, and
 *  taken by the caller. */
MUST_CHECK gs_status
gs_batch_drain(struct gs_batch *batch, unsigned key_class, const struct gs_span_sink *sink);

#endif
