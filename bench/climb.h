// SPDX-License-Identifier: BSD-2-Clause
/*
 * climb.h - run one rung, with clocks, events and a check of every result
 *
 * What is timed is what the reports time: from the first byte sent to the device
 * to the last one received, and the kernels alone.  Allocation is not; a rung
 * whose report sends from pinned memory finds its keys there.
 */
#ifndef GS_BENCH_CLIMB_H
#define GS_BENCH_CLIMB_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/stats.h"
#include "kernels/paper/ladder.h"

enum { CLIMB_MOST_RUNS = 999 };

/* How to climb. */
struct climb_ask {
	unsigned runs;			/* of each rung and size */
	double   seconds;		/* but no more than three beyond these */
	double   patience;		/* and one alone if it takes longer than these */
	unsigned threads, blocks;	/* 0: the rung's own */
	bool     descending;
};

/* One kind of kernel, in the one run, warm, that was watched. */
struct climb_kind {
	double seconds, launches;
	double occupancy;	/* part of an SM's threads that can be resident; 0: unknown */
};

/* What came of it. */
struct climb {
	bool              right;	/* sorted, and the same keys, in every run */
	struct stats      total, kernels, sent, received;	/* seconds */
	struct rung_cost  predicted, counted;
	struct climb_kind kinds[RUNG_KINDS];
};

/** Open the GPU, if there is one, and its bus: pinned memory for MOST_KEYS if any rung needs it. */
void climb_open(size_t most_keys, bool gpu, bool pinned);
void climb_close(void);
bool climb_has_gpu(void);

/** The device and the bytes that a copy on it reads and writes each second; "" and 0 without. */
const char *climb_device(void);
double climb_copy_bandwidth(void);

/** Make the COUNT keys that all rungs are to sort from now on. */
void climb_load(size_t count);

/**
 * Run RUNG on the loaded keys.
 *
 * @return  0, or why it could not: ENOMEM, or a cudaError_t, put in words by climb_why()
 */
int climb(const struct rung *rung, const struct climb_ask *ask, struct climb *result);
const char *climb_why(const struct rung *rung, int error);

#endif
