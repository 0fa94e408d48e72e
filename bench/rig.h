// SPDX-License-Identifier: BSD-2-Clause
/* rig.h - the device, memory on it, and who runs there */
#ifndef GS_BENCH_RIG_H
#define GS_BENCH_RIG_H

#include "bench/bench.h"
#include "bench/device_keys.h"

enum { MAX_RUNS = 99, STREAMS = 4 };

/* Memory for three times the keys, and streams that tiles and merges take in turn. */
struct rig {
	char        *source, *work, *other;
	void        *scratch[STREAMS], *cub_scratch, *sort_scratch;
	size_t       cub_scratch_bytes;
	cudaStream_t stream[STREAMS];
	cudaEvent_t  joined[STREAMS], begin, end;
	enum key_kind kind;			/* of the keys in SOURCE */
	double       cycles_per_second;		/* of all multiprocessors together */
	double       copy_bandwidth;		/* bytes read and written per second */
};

extern struct rig rig;

/* A contestant: queues work on rig.work, and says where its result will be. */
struct contestant {
	const char *name;
	char     *(*run)(unsigned bits, size_t count, size_t tile_keys);
	double      predicted_seconds;		/* 0: nobody did */
	double      seconds[MAX_RUNS];
};

void rig_open(unsigned bits, size_t keys);
void rig_close(void);

/** Restore rig.work from rig.source, then: seconds that ONE takes, its result in *RESULT. */
double rig_time(const struct contestant *one, unsigned bits, size_t count, size_t tile_keys,
                char **result);

char *run_copy(unsigned bits, size_t count, size_t tile_keys);
char *run_tiles(unsigned bits, size_t count, size_t tile_keys);
char *run_sort(unsigned bits, size_t count, size_t tile_keys);
char *run_network(unsigned bits, size_t count, size_t tile_keys);
char *run_merge(unsigned bits, size_t count, size_t tile_keys);
char *run_tuned(unsigned bits, size_t count, size_t tile_keys);
char *run_radix(unsigned bits, size_t count, size_t tile_keys);
char *run_cub_merge(unsigned bits, size_t count, size_t tile_keys);

#endif
