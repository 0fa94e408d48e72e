// SPDX-License-Identifier: BSD-2-Clause
/*
 * handover.h - one job hands its sorted keys to a thread of another job
 *
 *     giver:  open; begin; { sink, class_end } for each class; shut
 *     taker:  header; { next, until it says that the class has ended } for each class; shut; close
 *
 * Nothing is copied: a span is borrowed until the taker asks for the next one, and the giver waits
 * for that.
 */
#ifndef GS_STAGES_HANDOVER_H
#define GS_STAGES_HANDOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/thread.h"
#include "sort/span.h"
#include "stages/verify.h"

struct gs_handover {
	struct gs_queue there, back;	/* at most one offer in both */
	struct gs_span  offer;		/* count 0: the class has ended */
	bool            borrowed;	/* the taker has it */
	const char     *header;		/* of the input */
	size_t          header_bytes;
	struct gs_verify *verify;
	bool            shut;		/* for the giver: the taker wants no more */
};

void gs_handover_open(struct gs_handover *handover);

/* ---- the giver ---- */

/** The first key is ready; HEADER is borrowed to the end. */
void gs_handover_begin(struct gs_handover *handover, const char *header, size_t header_bytes);

/** The sink of any class: it has enough once the taker has shut.  Notes in VERIFY what leaves. */
struct gs_span_sink gs_handover_sink(struct gs_handover *handover, struct gs_verify *verify);

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
