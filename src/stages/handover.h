// SPDX-License-Identifier: BSD-2-Clause
/*
 * handover.h - one job hands its sorted elements to a thread of another job
 *
 *     giver:  open; end; { sink, end } for each class; shut
 *     taker:  { next, until it says that this has ended } for reading, then for each class; shut; close
 *
 * Nothing is copied: a span is borrowed until the taker asks for the next one.  A giver that sorts in
 * slots goes on meanwhile, half of the slots ahead at most; any other giver waits for that.
 */
#ifndef GS_STAGES_HANDOVER_H
#define GS_STAGES_HANDOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/thread.h"
#include "sort/span.h"
#include "stages/verify.h"

enum { GS_HANDOVER_OFFERS = 16 };

struct gs_handover {
	struct gs_queue there, back;
	struct gs_span  offers[GS_HANDOVER_OFFERS];	/* in turn; count 0: an end */
	size_t          given, returned;
	size_t          keeps;		/* offers that may be out once a span in a slot is taken */
	unsigned        threads;	/* of the giver */
	struct gs_span *borrowed;	/* the taker has it; or NULL */
	struct gs_verify *verify;
	bool            shut;		/* for the giver: the taker wants no more */
};

/** At most THREADS of a giver that sorts in slots work on spans. */
void gs_handover_open(struct gs_handover *handover, unsigned threads);

/* ---- the giver ---- */

/** The sink of any class: it has enough once the taker has shut.  Notes in VERIFY what leaves.  The
 *  producer may have SLOTS. */
struct gs_span_sink gs_handover_sink(struct gs_handover *handover, struct gs_verify *verify,
                                     size_t slots);

/** The input has been read; later: all elements of the class have been given. */
void gs_handover_end(struct gs_handover *handover);

/* ---- the taker ---- */

/** Wait for the next span, which may be changed; count 0: the input was read, or the class has ended.
 *  False: the giver has ended before that. */
bool gs_handover_next(struct gs_handover *handover, struct gs_span *span);

#endif
