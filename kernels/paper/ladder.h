// SPDX-License-Identifier: BSD-2-Clause
/*
 * ladder.h - the systems of five reports as rungs of one ladder
 *
 * A rung is a way to sort that can be run, predicted and measured like all
 * others.  It is told where keys are and where to report; what it is run with
 * (memory, events, checks, clocks) is the caller's, bench/rung.c or a test.
 *
 * Keys are uint32_t.  Report 001 sorts these; the others sort int, which is the
 * same work but for the signed comparison.
 */
#ifndef LADDER_H
#define LADDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RUNG_KINDS = 4 };

enum rung_place { RUNG_CPU, RUNG_GPU };

/* What a sort will launch and read and write, or has. */
struct rung_cost {
	double launches;	/* kernels; on the CPU, threads started or parallel loops */
	double bytes;		/* asked of device memory (CPU: of memory), cached or not */
};

struct rung_job {
	uint32_t *keys;		/* room for rung_room() keys, on the device for a GPU rung */
	size_t    count;	/* the first COUNT are to be sorted, where they lie */
	size_t    first;	/* the rung says where the sorted keys begin, if not at 0 */
	bool      descending;
	unsigned  threads;	/* CPU: threads.  GPU: of a block; 0: as the report has it */
	unsigned  blocks;	/* of the grid; 0: as the report has it */
	void     *scratch;	/* scratch_bytes() of it */
	struct CUstream_st *stream;

	/*
	 * Called after each launch: KIND is an index of the rung's kinds, KERNEL and
	 * BLOCK_THREADS what was launched (NULL on the CPU).  Returns 0, or an error
	 * that the rung passes on.  It may be NULL.
	 */
	int (*note)(struct rung_job *job, unsigned kind, const void *kernel,
	            unsigned block_threads, double bytes);
};

struct rung {
	const char *name;	/* of its file, too */
	const char *report;	/* which one, and where in it */
	const char *idea;	/* what this rung adds */
	enum rung_place place;
	size_t least_keys, most_keys;
	bool   pads;		/* any count; otherwise powers of two only */
	bool   descends;	/* both orders */
	bool   shapes;		/* threads and blocks are free (CPU: threads) */
	bool   pinned;		/* the report sends from, and receives in, pinned memory */
	const char *kinds[RUNG_KINDS];	/* of kernels, as the report calls them; NULL: none */

	size_t (*room)(size_t count);		/* keys of memory; NULL: COUNT */
	size_t (*scratch_bytes)(size_t count);	/* NULL: none */
	struct rung_cost (*predict)(const struct rung_job *job);	/* NULL: no claim */
	int (*sort)(struct rung_job *job);	/* 0, or a cudaError_t, or ENOMEM */
};

/* All rungs of the reports, slowest first within each; ends with a NULL. */
extern const struct rung *const ladder[];

/** Keys of memory that sorting COUNT keys takes. */
size_t rung_room(const struct rung *rung, size_t count);

/**
 * Why RUNG cannot sort COUNT keys in this order: a sentence in WHY, or "".
 *
 * @return  true if it refuses
 */
bool rung_refuses(const struct rung *rung, size_t count, bool descending,
                  char *why, size_t why_bytes);

/** log2 of COUNT, rounded up: the bits of a network that holds COUNT keys. */
unsigned rung_bits(size_t count);

/** Steps of a bitonic sort of 2^BITS keys: each compares every key once. */
double rung_steps(unsigned bits);

/* Of a sort whose blocks sort 2^BLOCK_BITS keys in one launch, and merge as many in one. */
double rung_fused_launches(unsigned bits, unsigned block_bits);

/* What each rung's file defines. */
#define RUNG(name) \
	struct rung_cost name##_predict(const struct rung_job *job); \
	int name##_sort(struct rung_job *job);

RUNG(slides)
RUNG(michalainas_serial)
RUNG(michalainas_v0)
RUNG(michalainas_v1)
RUNG(michalainas_v2)
RUNG(fraidakis_v0)
RUNG(fraidakis_v1)
RUNG(fraidakis_v2)
RUNG(fraidakis_v3)
RUNG(martoccia_cpu_v1)
RUNG(martoccia_gpu_v1)
RUNG(martoccia_gpu_v2)
RUNG(sharma)
#undef RUNG
int martoccia_cpu_v2_sort(struct rung_job *job);	/* its cost depends on the keys */

#ifdef __cplusplus
}
#endif
#endif
