// SPDX-License-Identifier: BSD-2-Clause
/* rows.h - sorts of rows and of segments beside CUB's segmented sorts */
#ifndef GS_BENCH_ROWS_H
#define GS_BENCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* COUNT keys in all, of TYPE, unsigned of BITS. */
struct rows {
	const char *type;
	unsigned    bits, shape, runs;
	size_t      count;		/* below 2^31 */
	uint64_t    seed;
};

/**
 * Print the speed of gsort_cuda_sort_rows() and gsort_cuda_sort_segments(), and of each of CUB's segmented
 * sorts, for many lengths.  The harness is open for the keys; all results of first runs are checked.
 */
void rows_print(const struct rows *rows);

/** Where pieces begin, and the last one ends, of LENGTH keys each or, if they are RAGGED, of 0 to twice as
 *  many, of COUNT keys at most; how many pieces to *MANY.  In host memory, to be freed. */
uint64_t *rows_cuts(size_t count, size_t length, bool ragged, size_t *many);

#endif
