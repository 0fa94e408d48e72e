// SPDX-License-Identifier: BSD-2-Clause
/*
 * handover.h - one job hands its sorted keys to a thread of another job
 *
 *     giver:  open; begin; { sink, class_end } for each class; shut
 *     taker:  header; { next, until it says that the class has ended } for each class; shut; close
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
	struct gs_span  offers[GS_HANDOVER_OFFERS];	/* in turn; count 0: the class has ended */
	size_t          given, returned;
	size_t          keeps;		/* offers that may be out once a span in a slot is taken */
	unsigned        threads;	/* of the giver */
	struct gs_span *borrowed;	/* the taker has it; or NULL */
	const char     *header;		/* of the input */
	size_t          header_bytes;
	struct gs_verify *verify;
	bool            shut;		/* for the giver: the taker wants no more */
};

/** At most THREADS of a giver that sorts in slots work on spans. */
void gs_handover_open(struct gs_handover *handover, unsigned threads);

/* ---- the giver ---- */

/** The first key is ready; HEADER is borrowed to the end. */
void gs_handover_begin(struct gs_handover *handover, const char *header, size_t header_bytes);

/** The sink of any class: it has enough once the taker has shut.  Notes in VERIFY what leaves.  The
 *  producer may have SLOTS. */
struct gs_span_sink gs_handover_sink(struct gs_handover *handover, struct gs_verify *verify,
                                     size_t slots);

/** All keys of the class have been given. */
void gs_handover_class_end(struct gs_handover *handover);

/* ---- the taker ---- */

/** Wait until the first key is ready.  False: the giver has ended before that. */
bool gs_handover_header(struct gs_handover *handover, const char **header, size_t *bytes);

/** Wait for the next span, which may be changed; count 0: the class has ended.  False: the giver
 *  has ended before that. */
bool gs_handover_next(struct gs_handover *handover, struct gs_span *span);

/* ---- either ---- */

/** No more is given or taken: the other side returns.  May be called twice. */
void gs_handover_shut(struct gs_handover *handover);

void gs_handover_close(struct gs_handover *handover);

#endif
