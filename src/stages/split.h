// SPDX-License-Identifier: BSD-2-Clause
/*
 * split.h - which of several output files a sorted key belongs to
 *
 * Keys are numbered as they come, in order, before anything is selected from them.  With N files
 * and K keys, file F begins with key floor(F * K / N).  So sizes of binary files differ by one key
 * at most; text is cut at lines.  Where groups of equal keys become one key, that key is in one
 * file.
 *
 * Keys of a class that memory or a GPU holds are written by strands: a strand is the keys that one file
 * gets, and several strands are written at once, each in its order.  Binary keys have their place
 * in a file whatever comes before them.  A span of text belongs to the strand in which its middle
 * key lies, as a line's place depends on the lines before it.
 *
 * Records of a fixed length have their places, too, and many threads write them, in any order.
 */
#ifndef GS_STAGES_SPLIT_H
#define GS_STAGES_SPLIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/output.h"
#include "sort/span.h"
#include "stages/verify.h"

struct gs_split {
	const struct gs_outputs *outputs;
	uint64_t keys;			/* that will come, about; more go to the last file */
	uint64_t position;		/* the number of the next key */
	uint64_t header_bytes;		/* at the front of the first file */
	size_t   complete;		/* files that get nothing more */

	/* the strands of a class, while it is drained */
	size_t   first;			/* file of the first strand */
	size_t   record_bytes;		/* of a binary key in the output; 0: text */
	uint64_t *strand_at;		/* number within the class of the first key of each */
	struct gs_span_digest *digests;	/* of all spans of each, for verifying */
	size_t   strands;			/* 0: no class is drained by strands */
	_Atomic uint64_t written;	/* bytes */
};

/** Begin; OUTPUTS is borrowed.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_split_open(struct gs_split *split, const struct gs_outputs *outputs);

/** How many keys will come is known. */
void gs_split_expect(struct gs_split *split, uint64_t keys);

/** How many of COUNT keys, the next ones, belong to the same file. */
uint64_t gs_split_together(const struct gs_split *split, uint64_t count);

/** The output of the next key; those before it are completed. */
MUST_CHECK gs_status gs_split_output(struct gs_split *split, struct gs_output **output);

/** The next COUNT keys are a whole class, which comes by strands; see split.strands and strand_at.
 *  False: it cannot, because an output is written in place. */
bool gs_split_begin_strands(struct gs_split *split, uint64_t count, size_t record_bytes);

/** All keys that are expected come to numbered places, RECORD_BYTES each, and none in order.
 *  False: they cannot, because an output is written in place. */
bool gs_split_begin_places(struct gs_split *split, size_t record_bytes);

/** Write keys from number AT on, as many as there are BYTES; any threads at once. */
MUST_CHECK gs_status gs_split_put_at(const struct gs_split *split, uint64_t at, const char *data,
                                     size_t bytes);

/** Write a span of a strand, encoded in BYTES of DATA.  One thread at a time for each strand, its
 *  spans in their order. */
MUST_CHECK gs_status gs_split_put(struct gs_split *split, const struct gs_sorted_span *sorted,
                                  const struct gs_span_digest *digest, const char *data,
                                  size_t bytes);

/** The class has been drained; COUNT as above.  What left is noted in VERIFY.
 *  Returns the bytes written. */
uint64_t gs_split_end_strands(struct gs_split *split, uint64_t count, struct gs_verify *verify);

/** The class begins again, after an error; none has begun, is allowed. */
void gs_split_drop_strands(struct gs_split *split);

/** A zeroed struct is allowed. */
void gs_split_close(struct gs_split *split);

#endif
