// SPDX-License-Identifier: BSD-2-Clause
/* device_harness.h - the device, its memory, and what can be timed there */
#ifndef GS_BENCH_DEVICE_HARNESS_H
#define GS_BENCH_DEVICE_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/device/device_keys.h"
#include "kernels/kernels.h"
#include "kernels/paper/tile_merge.h"

enum { HARNESS_STREAMS = 4 };

/* Memory for three times the keys, and streams that tiles and merges take in turn. */
struct device_harness {
	char        *source, *work, *other;
	void        *scratch[HARNESS_STREAMS], *cub_scratch, *sort_scratch;
	size_t       cub_scratch_bytes;
	cudaStream_t stream[HARNESS_STREAMS];
	cudaEvent_t  joined[HARNESS_STREAMS], begin, end;
	struct gs_sorter sorter;
	enum key_kind kind;			/* of the keys in SOURCE */
	double       cycles_per_second;		/* of all multiprocessors together */
	double       copy_bandwidth;		/* bytes read and written per second */
	bool         graphs;			/* what is timed is captured first, and launched */
};

extern struct device_harness harness;

/**
 * Queue work on harness.work.
 *
 * @tile_keys  keys of a tile or a run; not all functions use it
 * @return     where the result will be
 */
typedef char *harness_function(unsigned bits, size_t count, size_t tile_keys);

harness_function run_copy, run_tiles, run_sort, run_network, run_merge, run_radix, run_cub_merge;

/**
 * Time all ways to call CUB's radix sort (cub.h), unsigned keys as signed ones, too, and have
 * run_radix() call the fastest from now on; returns its name.
 */
const char *radix_choose(unsigned bits, size_t count);

/** Does what run_radix() sorts ascend?  Not unsigned keys that are sorted as signed ones. */
bool radix_ascends(void);

/** Allocate memory for KEYS of BITS; ends the program if there is not enough. */
void harness_open(unsigned bits, size_t keys);
void harness_close(void);

/** Copy harness.source to harness.work, then run FUNCTION there; seconds that it takes. */
double harness_time(const char *name, harness_function *function, unsigned bits, size_t count,
                    size_t tile_keys, char **result);

#endif
