// SPDX-License-Identifier: BSD-2-Clause
/*
 * stretch.h - stretches of one input: decode them, and compare what they have with what came before
 *
 * For checking and merging, whose inputs are in order, or else are an error that says where they are not.
 */
#ifndef GS_JOB_STRETCH_H
#define GS_JOB_STRETCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/lines.h"
#include "job/job.h"
#include "sort/follow.h"

/* Binary keys, or records. */
struct gs_stretch {
	struct gsort     *job;
	struct gs_follow *follow;
	const char       *advice;	/* ends the message about disorder */
	size_t            element_bytes;

	/* The file that is being read. */
	const char *name;
	uint64_t    elements;	/* compared before it, less those of it that another rank checks */
	uint64_t    bytes;	/* of it so far */
};

/** Begin; all are borrowed. */
struct gs_stretch gs_stretch_open(struct gsort *job, struct gs_follow *follow, const char *advice);

/** A file called NAME begins, after SKIPPED elements of it. */
void gs_stretch_begin(struct gs_stretch *stretch, const char *name, uint64_t skipped);

/**
 * The next BYTES of the file are at DATA: keys become ordered bits, in place.
 *
 * @return  GS_OK; GS_EINPUT: an element is not whole, or out of order (follow.disorder), but the
 *          follow.elements before it are good; GS_EBUDGET
 */
MUST_CHECK gs_status gs_stretch_next(struct gs_stretch *stretch, void *data, size_t bytes);

/** Begin to read INPUT, of text, in MEMORY of ROOM bytes; nothing to close. */
struct gs_line_reader *gs_stretch_open_text(struct gsort *job, struct gs_input *input, void *memory,
                                            size_t room);

/** Compare the last batch of READER.  GS_EINPUT: a line is out of order (follow->disorder). */
MUST_CHECK gs_status gs_stretch_text(struct gsort *job, const struct gs_line_reader *reader,
                                     struct gs_follow *follow, const char *advice);

/** The error for line number AT of that batch: it is out of order. */
gs_status gs_stretch_fail_text(const struct gsort *job, const struct gs_line_reader *reader, size_t at,
                               const char *advice);

#endif
