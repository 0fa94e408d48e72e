// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranked_output.h - the output of several ranks: one file, or a file a rank
 *
 *     open, set; begin; the job writes; finish; close
 *
 * One file: rank 0 makes a new one beside it with a temporary name, the others open that, each
 * writes its part at its place (io/output_fd.h), and rank 0 renames the file when all have succeeded.
 * So there is the old file or the new one, never half.
 *
 * A rank knows where its part begins when all know how many bytes theirs have.  Where that
 * depends on the sorted keys (groups of equal keys, the head of lines), a rank writes to a temporary
 * file first.
 */
#ifndef GS_RANKED_OUTPUT_H
#define GS_RANKED_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/line_order.h"
#include "gsort.h"
#include "io/output.h"
#include "io/output_fd.h"
#include "net/ranks.h"
#include "spill/file.h"

/* What the ranks write to. */
enum gs_shared_kind { GS_SHARED_NEW, GS_SHARED_IN_PLACE, GS_SHARED_DEVICE };

struct gs_ranked_output {
	const struct gsort_options *given;
	struct gs_ranks  *ranks;
	bool              one_file;
	bool              spools;	/* bytes go to a temporary file first */
	char             *own_name;	/* of the file of this rank; NULL: one file */

	/* one file */
	enum gs_shared_kind kind;
	struct gs_replace replace;	/* of rank 0; the others know the temporary name */
	int               fd;		/* -1: not open */
	struct gs_place   place;

	struct gs_spill_file spool;	/* with: */
	uint64_t          spooled;	/* bytes, of which */
	uint64_t          header_bytes;	/* are not keys */
};

/** Open; collective.  GS_EUSAGE, GS_EIO: several ranks cannot write that. */
MUST_CHECK gs_status
gs_ranked_output_open(struct gs_ranked_output *output, const struct gsort_options *given,
                      struct gs_ranks *ranks);

/** Let the job of this rank, with OPTIONS, write here. */
void gs_ranked_output_set(struct gs_ranked_output *output, struct gsort_options *options);

/** Will gs_ranked_output_begin() want to know the bytes of this rank's part? */
bool gs_ranked_output_places(const struct gs_ranked_output *output);

/** All keys have been read; collective.  BYTES, if it is to be known: of this rank's part, with
 *  HEADER_BYTES. */
MUST_CHECK gs_status
gs_ranked_output_begin(struct gs_ranked_output *output, uint64_t bytes, size_t header_bytes);

/**
 * The job has written everything; collective.
 *
 * @keys       that it has written; lowered to those that are wanted
 * @key_bytes  of each; 0: they are LINES
 * @own        the output of the job, which is used if each rank has a file of its own
 * @bytes      of this rank: set to fewer if only the first keys of its temporary file are wanted
 */
MUST_CHECK gs_status
gs_ranked_output_finish(struct gs_ranked_output *output, uint64_t *keys, size_t key_bytes,
                        const struct gs_line_order *lines, struct gs_output *own, uint64_t *bytes);

/** A zeroed struct is allowed. */
void gs_ranked_output_close(struct gs_ranked_output *output);

#endif
