// SPDX-License-Identifier: BSD-2-Clause
/*
 * turn.c - lines that are compared as numbers are numbers, until one of them is none
 *
 * In:   options of a sort of lines; later, the numbers that were read.
 * Out:  options of a sort of numbers; later, the numbers as lines, of what is not read again.
 *
 * Lines that are printed numbers have equal keys only if they have equal bytes, and all of them come before
 * the other lines.  So they may be written in any order: no -s and no -u sees a difference.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "spill/spill.h"
#include "stages/figures/answer.h"

/* Are whole lines compared, as integers (n) or floats (g)?  0: no. */
static char
letter_of(const struct gsort_options *o)
{
	const char *letters = o->ordering != NULL ? o->ordering : "";
	const bool n = strchr(letters, 'n') != NULL, g = strchr(letters, 'g') != NULL;

	if (o->csv || o->separator != NULL || o->keydef_count > 0 || n == g ||
	    letters[strspn(letters, "bngr")] != '\0')
		return '\0';
	return n ? 'n' : o->locale == NULL ? 'g' : '\0';	/* a locale may have no point */
}

bool
gs_turn_begin(struct gs_turn *turn, struct gsort_options *o)
{
	const char letter = letter_of(o);

	if (letter == '\0' || o->operation != GSORT_SORT || o->set != GSORT_NO_SET || o->argsort_bits > 0 ||
	    o->keep_order || o->underline || o->sample.wanted ||
	    o->invalid != GSORT_INVALID_ABORT || gs_answer_is_wanted(o))
		return false;
	turn->lines = *o;
	turn->may = true;
	o->lines = false;
	o->type = letter == 'n' ? GSORT_TEXT : GSORT_TEXT_FLOAT;
	o->reverse = strchr(o->ordering, 'r') != NULL;
	return true;
}

int
gs_turn_append(void *context, const void *data, size_t bytes)
{
	struct gs_turn *turn = context;
	const gs_status status = gs_spill_file_write(&turn->file, data, bytes);

	if (status == GS_OK)
		return 0;
	gs_error_keep(&turn->error, status);
	errno = EIO;
	return -1;
}

gs_status
gs_turn_next(struct gs_turn *turn, char *memory, size_t room, size_t *bytes)
{
	const uint64_t left = turn->file.end - turn->at;

	*bytes = left < room ? (size_t)left : room;
	if (*bytes == 0)
		return GS_OK;
	TRY(gs_spill_file_read(&turn->file, turn->at, memory, *bytes));
	gs_spill_file_forget(&turn->file, turn->at, turn->at + *bytes);
	turn->at += *bytes;
	return GS_OK;
}

size_t
gs_turn_glance(void *context, uint64_t offset, char *into, size_t bytes)
{
	const struct gs_turn *turn = context;

	return offset + bytes <= turn->file.end &&
	       gs_spill_file_read(&turn->file, offset, into, bytes) == GS_OK ? bytes : 0;
}

void
gs_turn_forget(struct gs_turn *turn)
{
	if (turn->file.dir != NULL)
		gs_spill_file_close(&turn->file);
	turn->file = (struct gs_spill_file){ .dir = NULL };
	turn->error = (struct gs_error){ .status = GS_OK };
}

void
gs_turn_close(struct gs_turn *turn)
{
	gs_turn_forget(turn);
	free(turn->header);
}
