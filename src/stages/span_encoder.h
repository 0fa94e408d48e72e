// SPDX-License-Identifier: BSD-2-Clause
/*
 * span_encoder.h - a sorted span to the bytes of the output, on the thread that sorted it
 *
 * A producer of spans with many threads calls room() and encode() for each span, several at once;
 * then one thread calls join() or cut() in the order of spans.
 */
#ifndef GS_STAGES_SPAN_ENCODER_H
#define GS_STAGES_SPAN_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/encode.h"
#include "sort/buckets/batch.h"
#include "sort/span.h"
#include "stages/select.h"
#include "stages/verify.h"

/* What a span became, by its slot. */
struct gs_encoded {
	void            *data;
	size_t           bytes;
	void            *pages;		/* DATA is in a mapping of its own; else NULL */
	size_t           mapped;	/* bytes of it */
	struct gs_span_digest digest;	/* for verifying */
	size_t           taken;		/* keys of the span, before any is selected */
	size_t           keys;		/* that DATA has, ... */
	struct gs_seam   seam;		/* ... if they are selected, between these groups */
};

struct gs_span_encoder {
	const struct gs_encoding *encoding;	/* of the output; borrowed */
	char             *print;	/* PRINT_BYTES for each slot */
	size_t            print_bytes;
	bool              gives_pages;	/* this class goes to a pipe as pages */
	struct gs_encoded encoded[GS_BATCH_SLOTS_MOST];
};

/** Keys that are not encoded, and go to a pipe as pages, are sorted there: sets *KEYS.
 *  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_span_room(struct gs_span_encoder *encoder,
                                  const struct gs_sorted_span *sorted, void **keys);

/**
 * Select keys of a span and encode them, to what is then encoded[slot]; any thread.  SELECT is only
 * read.  Groups of equal keys that may cross spans are left to join().
 *
 * @return  GS_OK; GS_EBUDGET: no memory; an error of gs_encode()
 */
MUST_CHECK gs_status gs_span_encode(struct gs_span_encoder *encoder,
                                    const struct gs_select *select,
                                    const struct gs_sorted_span *sorted);

/** If groups are selected: put the keys that are written before those of a span itself in front of
 *  them, and drop those beyond the head. */
MUST_CHECK gs_status gs_span_join(struct gs_span_encoder *encoder, struct gs_select *select,
                                  const struct gs_span *span, struct gs_encoded *encoded);

/** If not: drop the keys beyond the head. */
void gs_span_cut(const struct gs_span_encoder *encoder, struct gs_select *select,
                 struct gs_encoded *encoded);

/** After an error, free spans that were encoded but not taken. */
void gs_span_unmap(struct gs_span_encoder *encoder);

#endif
