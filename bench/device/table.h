// SPDX-License-Identifier: BSD-2-Clause
/* table.h - gsort's sort over CUB's radix sort, for all shapes and many sizes, as one table */
#ifndef GS_BENCH_TABLE_H
#define GS_BENCH_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* The keys of a table: TYPE, of BITS, and the sizes 2^LOG_FROM, 2^(LOG_FROM + 1), .. */
struct table {
	const char *type;
	unsigned    bits, value_bits;	/* of keys, and of their payloads: 0: none */
	unsigned    log_from, log_to;
	unsigned    runs;
	int         shape;		/* SHAPES: all */
	uint64_t    seed;		/* of SHAPE_DRAWN: each cell is another shape */
};

/**
 * Print a row for each shape, a column for each size: the speed of gsort over the one of CUB's fastest call.
 *
 * The harness is open for 2^LOG_TO keys.  Each cell is the ratio of medians of RUNS runs, which
 * take turns; both results of the first runs are checked.  Cells are recorded (bench/record.h).
 */
void table_print(const struct table *table);

/** Print the worst cell of all tables printed so far, and of those from 2^18 keys on. */
void table_print_worst(void);

#endif
