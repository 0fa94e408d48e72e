// SPDX-License-Identifier: BSD-2-Clause
/*
 * run_variant.h - run one variant, with clocks, events and a check of every result
 *
 * The times are measured as in the reports: from the first byte sent to the device to the last one
 * received, and the kernels alone.  Allocation is not timed.  A variant whose report sends from
 * pinned memory finds its keys there.
 */
#ifndef GS_BENCH_RUN_VARIANT_H
#define GS_BENCH_RUN_VARIANT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/stats.h"
#include "kernels/paper/ladder.h"

enum { MOST_RUNS = 999 };

/* How to run it. */
struct run_args {
	unsigned runs;			/* of each variant and size */
	double   seconds;		/* but no more than three beyond these */
	double   patience;		/* and one alone if it takes longer than these */
	unsigned threads, blocks;	/* 0: the variant's own */
	bool     descending;
};

/* One kind of kernel, in the one run, warm, that was watched. */
struct kind_result {
	double seconds, launches;
	double occupancy;	/* part of an SM's threads that can be resident; 0: unknown */
};

/* What was measured. */
struct run_result {
	bool              right;	/* sorted, and the same keys, in every run */
	struct stats      total, kernels, sent, received;	/* seconds */
	struct variant_cost  predicted, counted;
	struct kind_result kinds[VARIANT_KINDS];
};

/** Open the GPU, if there is one, and its bus: pinned memory for MOST_KEYS if any variant needs it. */
void runner_open(size_t most_keys, bool gpu, bool pinned);
void runner_close(void);
bool runner_has_gpu(void);

/** The device and the bytes that a copy on it reads and writes each second; "" and 0 without. */
const char *runner_device(void);
double runner_copy_bandwidth(void);

/** Make the COUNT keys that all variants are to sort from now on. */
void runner_load(size_t count);

/**
 * Run VARIANT on the loaded keys.
 *
 * @return  0, or why it could not: ENOMEM, or a cudaError_t, put in words by run_error()
 */
int run_variant(const struct variant *variant, const struct run_args *args, struct run_result *result);
const char *run_error(const struct variant *variant, int error);

#endif
