// SPDX-License-Identifier: BSD-2-Clause
/*
 * ladder.h - the systems of five reports as variants of one ladder
 *
 * A variant is a way to sort that can be run, predicted and measured like all
 * others.  It is told where keys are and where to report; what it is run with
 * (memory, events, checks, clocks) is the caller's, bench/ladder/run_variant.c or a test.
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

enum { VARIANT_KINDS = 4 };

enum variant_place { VARIANT_CPU, VARIANT_GPU };

/* What a sort will launch and read and write, or has. */
struct variant_cost {
	double launches;	/* kernels; on the CPU, threads started or parallel loops */
	double bytes;		/* asked of device memory (CPU: of memory), cached or not */
};

struct variant_job {
	uint32_t *keys;		/* room for variant_room() keys, on the device for a GPU variant */
	size_t    count;	/* the first COUNT are to be sorted, where they lie */
	size_t    first;	/* the variant says where the sorted keys begin, if not at 0 */
	bool      descending;
	unsigned  threads;	/* CPU: threads.  GPU: of a block; 0: as the report has it */
	unsigned  blocks;	/* of the grid; 0: as the report has it */
	void     *scratch;	/* scratch_bytes() of it */
	struct CUstream_st *stream;

	/*
	 * Called after each launch: KIND is an index of the variant's kinds, KERNEL and
	 * BLOCK_THREADS what was launched (NULL on the CPU).  Returns 0, or an error
	 * that the variant passes on.  It may be NULL.
	 */
	int (*note)(struct variant_job *job, unsigned kind, const void *kernel,
	            unsigned block_threads, double bytes);
};

struct variant {
	const char *name;	/* of its file, too */
	const char *report;	/* which one, and where in it */
	const char *idea;	/* what this variant adds */
	enum variant_place place;
	size_t least_keys, most_keys;
	bool   pads;		/* any count; otherwise powers of two only */
	bool   descends;	/* both orders */
	bool   shapes;		/* threads and blocks are free (CPU: threads) */
	bool   pinned;		/* the report sends from, and receives in, pinned memory */
	const char *kinds[VARIANT_KINDS];	/* of kernels, as the report calls them; NULL: none */

	size_t (*room)(size_t count);		/* keys of memory; NULL: COUNT */
	size_t (*scratch_bytes)(size_t count);	/* NULL: none */
	struct variant_cost (*predict)(const struct variant_job *job);	/* NULL: no claim */
	int (*sort)(struct variant_job *job);	/* 0, or a cudaError_t, or ENOMEM */
};

/* All variants of the reports, slowest first within each; ends with a NULL. */
extern const struct variant *const ladder[];

/** Keys of memory that sorting COUNT keys takes. */
size_t variant_room(const struct variant *variant, size_t count);

/**
 * Why VARIANT cannot sort COUNT keys in this order: a sentence in WHY, or "".
 *
 * @return  true if it refuses
 */
bool variant_refuses(const struct variant *variant, size_t count, bool descending,
                  char *why, size_t why_bytes);

/** log2 of COUNT, rounded up: the bits of a network that holds COUNT keys. */
unsigned variant_bits(size_t count);

/** Steps of a bitonic sort of 2^BITS keys: each compares every key once. */
double variant_steps(unsigned bits);

/* Of a sort whose blocks sort 2^BLOCK_BITS keys in one launch, and merge as many in one. */
double variant_fused_launches(unsigned bits, unsigned block_bits);

/* What each variant's file defines. */
#define VARIANT(name) \
	struct variant_cost name##_predict(const struct variant_job *job); \
	int name##_sort(struct variant_job *job);

VARIANT(slides)
VARIANT(michalainas_serial)
VARIANT(michalainas_v0)
VARIANT(michalainas_v1)
VARIANT(michalainas_v2)
VARIANT(fraidakis_v0)
VARIANT(fraidakis_v1)
VARIANT(fraidakis_v2)
VARIANT(fraidakis_v3)
VARIANT(martoccia_cpu_v1)
VARIANT(martoccia_gpu_v1)
VARIANT(martoccia_gpu_v2)
VARIANT(sharma)
#undef VARIANT
int martoccia_cpu_v2_sort(struct variant_job *job);	/* its cost depends on the keys */

#ifdef __cplusplus
}
#endif
#endif
