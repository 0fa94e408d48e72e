// SPDX-License-Identifier: BSD-2-Clause
/*
 * turn.h - lines that are compared as numbers are numbers, until one of them is none (-n, -g)
 *
 *     begin, before the kind is chosen; if reading is stopped: { [keep; { append }*]; { next }* }; close
 *
 * While each line is what gsort prints for its number, the job sorts numbers, several times as fast.  At the
 * first other line it becomes one of lines (sort.c).  The numbers so far go to a temporary file, as so many
 * lines; the job reads them from there, then the chunk in which it has stopped, then the rest.  Nothing of
 * the input is read twice.
 */
#ifndef GS_JOB_TURN_H
#define GS_JOB_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "spill/file.h"

struct gs_turn {
	struct gsort_options *lines;	/* of the job of lines that this may become; NULL: of none */
	struct gs_spill_file  file;	/* what came before the chunk that has stopped it */
	struct gs_error       error;	/* of writing that */
	uint64_t  at;			/* bytes of it that were read again */
	uint64_t  bytes;		/* of the input, that it stands for */
	unsigned  files;		/* begun, with that of the chunk */
	uint64_t  header_left;		/* lines of its header that are still to come */
	char     *header;		/* what there is of that of the first file */
	size_t    header_bytes;
	bool      turned;
};

/** Make OPTIONS those of a sort of numbers, if that is how it may begin.  GS_EBUDGET. */
MUST_CHECK gs_status gs_turn_begin(struct gs_turn *turn, struct gsort_options *options);

/** Make the file, in the folder that OPTIONS name.  GS_EIO. */
MUST_CHECK gs_status gs_turn_keep(struct gs_turn *turn, const struct gsort_options *options);

/** Append to the file: write() of gs_output_options, with the turn as context; an error is in turn->error. */
int gs_turn_append(void *turn, const void *data, size_t bytes);

/** The next of what was read before, in MEMORY of ROOM bytes; *BYTES is 0 at the end. */
MUST_CHECK gs_status gs_turn_next(struct gs_turn *turn, char *memory, size_t room, size_t *bytes);

/** gs_place_reader of what was read before; CONTEXT is the turn. */
size_t gs_turn_glance(void *context, uint64_t offset, char *into, size_t bytes);

/** Drop the file, if there is one. */
void gs_turn_forget(struct gs_turn *turn);

/** A zeroed struct is allowed. */
void gs_turn_close(struct gs_turn *turn);

#endif
