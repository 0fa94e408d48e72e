// SPDX-License-Identifier: BSD-2-Clause
/* rows.h - where rows of CSV begin in the share of a rank; a line may have terminators between quotes */
#ifndef GS_JOB_ROWS_H
#define GS_JOB_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/line_order.h"
#include "net/ranks.h"

/* Where the share of a rank begins. */
struct gs_cut {
	const char *name;	/* of the file that is cut there; NULL: it is at the beginning of one, or in a
				 * header */
	size_t      source;	/* its number */
	uint64_t    at;		/* in the file */
	uint64_t    header;	/* of its bytes */
	uint64_t    bytes;	/* of the file */
};

/** Set BEGINS[r] to where in its file the first row begins at or behind CUTS[r], of the ranks and the end of
 *  the last one; collective.  GS_EIO; GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_rows_find(struct gs_ranks *ranks, const struct gs_line_order *order,
                                  const struct gs_cut *cuts, uint64_t *begins);

/** Set *BEGIN to where the last row begins before AT; one begins at FROM.  O(AT - FROM).  GS_EIO;
 *  GS_EBUDGET. */
MUST_CHECK gs_status gs_rows_before(const struct gs_line_order *order, const char *name, uint64_t from,
                                    uint64_t at, uint64_t *begin);

/** Count the rows, or lines, that begin in FROM .. TO, where one begins and one ends.  GS_EIO;
 *  GS_EBUDGET. */
MUST_CHECK gs_status gs_rows_count(const struct gs_line_order *order, const char *name, uint64_t from,
                                   uint64_t to, uint64_t *count);

#endif
