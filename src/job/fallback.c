// SPDX-License-Identifier: BSD-2-Clause
/*
 * fallback.c - -n and -g sort numbers, and fall back to lines at the first one that gsort would print
 * differently
 *
 * In:   options of a sort, merge or check of lines.
 * Out:  options of the same operation on numbers; later, on lines again.
 *
 * Lines that gsort would print unchanged have equal keys only if they have equal bytes, and all of them
 * come before the other lines.  So lines with equal keys may be written in any order: -s and -u make no
 * difference.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "figures/statistics.h"
#include "job/job.h"

bool
gs_fallback_begin(struct gs_fallback *fallback, struct gsort_options *o)
{
	const char *letters = o->ordering != NULL ? o->ordering : "";
	const bool n = strchr(letters, 'n') != NULL, g = strchr(letters, 'g') != NULL;
	struct stat status;

	/* whole lines are compared, as integers (n) or floats (g); a locale may have no point */
	if (o->csv || o->separator != NULL || o->keydef_count > 0 || n == g || (g && o->locale != NULL) ||
	    letters[strspn(letters, "bngr")] != '\0')
		return false;
	if (fallback->ended || o->set != GSORT_NO_SET || o->argsort_bits > 0 ||
	    o->keep_order || o->underline || o->sample.wanted || o->invalid != GSORT_INVALID_ABORT ||
	    gs_statistics_is_wanted(o) || o->read != NULL)
		return false;
	/* a merge that becomes one of lines skips what it has written: equal keys may not leave by input */
	if (o->operation == GSORT_MERGE && (o->stable || o->trust_order))
		return false;
	/* all inputs can be read again; nothing is opened: that may wait for a writer */
	for (size_t i = 0; i < o->input_count; i++)
		if ((o->operation == GSORT_MERGE && strcmp(o->inputs[i], "-") == 0) ||
		    (strcmp(o->inputs[i], "-") == 0 ? fstat(STDIN_FILENO, &status)
		                                    : stat(o->inputs[i], &status)) != 0 ||
		    !S_ISREG(status.st_mode))
			return false;
	fallback->lines = *o;
	fallback->may = true;
	o->lines = false;
	o->type = n ? GSORT_TEXT : GSORT_TEXT_FLOAT;
	o->reverse = strchr(letters, 'r') != NULL;
	return true;
}

void
gs_fallback_end(struct gs_fallback *fallback, struct gsort_options *o)
{
	*o = fallback->lines;
	*fallback = (struct gs_fallback){ .ended = true };
}
