// SPDX-License-Identifier: BSD-2-Clause
/*
 * plan.h - every size of a job and the device that sorts, decided before the first key
 *
 * The planner is pure: no clock, no environment, no allocation; the same input gives the same
 * plan.  gsort --plan prints it.
 */
#ifndef GS_PLAN_H
#define GS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/thread.h"
#include "gsort.h"
#include "sort/buckets/buckets.h"
#include "sort/span.h"

/* ---- what a plan is made from ------------------------------------------------ */

/* Input of unknown size is planned as if it had this.  Not tuned. */
#define GS_PLAN_UNKNOWN_BYTES	((uint64_t)1 << 30)

/* Items are of no class, and items.h divides the pool. */
enum { GS_ITEM_BITS = 128 };

/* What is known before anything is sorted. */
struct gs_plan_input {
	enum gsort_operation operation;
	enum gsort_type   type;
	enum gsort_notation notation;		/* of text */
	unsigned          key_bits;		/* 8 .. 64; 0: text; GS_ITEM_BITS */
	unsigned          class_bits[GS_CLASSES];	/* of keys of each class; 0: there are none */
	const char       *cpu_rule;		/* why the CPU sorts in any case, for people; or NULL */
	unsigned          ahead_chunks;		/* of text that are in memory, one of them read ahead */
	size_t            reader_least_bytes;	/* of text that is merged: memory for each input */
	size_t            reader_most_bytes;

	/** Memory to decode chunks of text of CHUNK_BYTES by THREADS. */
	size_t          (*decoder_bytes)(const struct gs_plan_input *input, size_t chunk_bytes,
	                                 unsigned threads);

	bool              headers;		/* lines at the top of files that are kept */
	uint64_t          overhead_bytes;	/* memory that is kept beside the keys: figures, positions,
						 * names, skipped bytes, output files */
	uint64_t          window_bytes;		/* what the ranks have taken of the user's limit */
	unsigned          shares;		/* the user's limit has these; the job, one; 0: 1 */
	uint64_t          beside_most;		/* of it, that are for: */
	const char       *beside_what;		/* for people */
	size_t            print_bytes;		/* memory to print a key; 0: keys are written as they are */
	bool              compressed;		/* an input is compressed */
	bool              large_window;		/* an input's format may need a large window */
	uint64_t          input_bytes;		/* of all inputs, or UINT64_MAX: unknown */
	uint64_t          all_bytes;		/* the same, of all ranks together */
	bool              guessed;		/* input_bytes is a hint, not a promise */
	bool              seekable;		/* all inputs can be read again from where they began */
	size_t            input_count;		/* of GSORT_MERGE: to be merged */
	enum gsort_device device;		/* the user's choice; GSORT_DEVICE_CPU once a GPU failed */
	bool              gpu_possible;		/* a GPU module may exist */
	bool              gpu_present;		/* so may a GPU */
	bool              to_file;		/* the output is a regular file */
	unsigned          split;		/* number of output files; 0: one */
	int               gpu;			/* which, if there are several */
	uint64_t          gpu_memory_bytes;	/* the user's limit; 0: none */
	bool              compares;	/* elements with their neighbours: a set, --count */
	bool              heads;		/* only the first HEAD_COUNT keys are wanted */
	uint64_t          head_count;
	unsigned          threads;		/* the user's limit; 0: none */
	unsigned          cores;
	uint64_t          memory_bytes;		/* the user's limit; 0: none */
	bool              memory_grows;		/* it is a wish: what needs more gets it */
	uint64_t          host_bytes;		/* the machine's: base/limits.h */
	uint64_t          address_bytes;
	size_t            files;		/* that may be open */
	unsigned          merge_files;		/* the user's limit of the fan-in; 0: none */
};

/** BYTES of memory are kept beside the keys, for WHAT. */
static inline void
gs_plan_reserve(struct gs_plan_input *input, uint64_t bytes, const char *what)
{
	input->overhead_bytes += bytes;
	if (bytes < input->beside_most)
		return;
	input->beside_most = bytes;
	input->beside_what = what;
}

/** The memory that the user allows, or the machine has. */
static inline uint64_t
gs_plan_memory(const struct gs_plan_input *input)
{
	return input->memory_bytes > 0 ? input->memory_bytes : input->host_bytes;
}

/* ---- the plan (plan.c) ----------------------------------------------------------- */

/* With --head, bytes that are read between two trims: enough to keep a team busy.  Not tuned. */
#define GS_HEAD_ROUND_BYTES	((size_t)4 << 20)

struct gs_plan {
	unsigned threads;
	bool     by_counting;		/* keys of 8 and 16 bits: a histogram, nothing is sorted */
	unsigned class_bits[GS_CLASSES];

	/* The device. */
	enum gsort_device device;	/* GSORT_DEVICE_CPU or GSORT_DEVICE_GPU */
	const char *device_rule;	/* the rule that chose it, for people */
	uint64_t gpu_from_bytes;	/* of input, from which a GPU pays with these threads; 0: the
					 * size did not matter */

	/* Memory: of the whole process; and what of it is left for keys. */
	uint64_t host_bytes;
	uint64_t pool_bytes;
	bool     huge_pages;

	size_t   staging_bytes;		/* of a GPU's staging buffer: a power of two */
	unsigned ring_buffers;		/* how many of them are pinned */

	size_t   piece_bytes;		/* of binary input, read by a thread at a time */
	struct gs_bucket_sizes buckets;
	size_t   part_print_bytes;	/* to encode buckets.part_bytes */

	size_t   chunk_bytes;		/* of text, read ahead */
	size_t   inflate_bytes;		/* for decompression in parallel; 0: none */
	uint64_t window_bytes;		/* limit of the memory that decompresses an input */
	size_t   print_keys;		/* encoded at a time */
	size_t   count_bytes;		/* of keys on their way to and from the histogram */

	size_t   batch_bytes;		/* of keys on the CPU, partly filled blocks included */
	uint64_t sort_bytes;		/* of it keys, at least */
	uint64_t head_keys;		/* a batch of more keys is trimmed to the first K; 0: never */
	uint64_t resident_bytes;	/* of host memory for keys that do not fit the GPU */

	/* Runs and sorted inputs. */
	bool     spills;		/* the input may be too large for memory */
	size_t   most_runs;		/* of each class */
	size_t   fan_in;		/* most that are merged at once */
	size_t   merge_bytes;		/* memory of merging them */
	size_t   source_bytes;		/* GSORT_MERGE: memory for each input of text that is
					 * being read (text/text_decoder.h) */
	size_t   spill_bytes;		/* memory of writing runs to disk */
};

/**
 * Decide.
 *
 * @return  GS_OK; GS_EBUDGET: the limits are too small for any job; GS_ENODEV: the user wants a
 *          GPU, and there can be none
 */
MUST_CHECK gs_status gs_plan_make(struct gs_plan *plan, const struct gs_plan_input *input);

/* More threads make a sort to a file no faster, and others by a fifth or a quarter (plan.c). */
enum { GS_USEFUL_THREADS = 16 };

/** The most threads of a plan. */
unsigned gs_plan_threads_most(const struct gs_plan_input *input);

/* ---- for people, and for the message of a full disk (fan_in.c) ----------------- */

/* What a plan will cost on disk; all 0 but runs (1) if the size of the input is unknown. */
struct gs_estimate {
	uint64_t key_bytes;		/* of text: about */
	uint64_t runs;			/* the last batch included; 1: nothing goes to disk */
	unsigned passes;		/* of merging */
	uint64_t disk_bytes;		/* on disk at a time */
	uint64_t written_bytes;		/* to disk, in all */
};

/** Estimate a sort on the CPU. */
void gs_plan_estimate(const struct gs_plan *plan, const struct gs_plan_input *input,
                      struct gs_estimate *estimate);

/* ---- what a job takes, about (forecast.c) ----------------------------------------- */

enum gs_work {
	GS_WORK_KEYS,		/* binary */
	GS_WORK_COUNTED,	/* of 8 and 16 bits */
	GS_WORK_TEXT,		/* integers */
	GS_WORK_FLOATS,		/* as text */
	GS_WORK_LINES,		/* by their bytes */
	GS_WORK_FIELDS,		/* lines by keys */
	GS_WORK_CSV,
	GS_WORK_RECORDS,
	GS_WORK_SMALL,		/* records of less than 32 bytes, keys of 128 bits */
	GS_WORK_NUMBERED,	/* --argsort */
	GS_WORK_COLUMN,		/* figures of a column of lines */
};

struct gs_forecast {
	bool     known;			/* the size of the input is; else the rest is 0 */
	uint64_t memory_bytes;		/* of the process */
	uint64_t disk_bytes;		/* of temporary files at a time */
	uint64_t written_bytes;		/* to them, in all */
	double   read_seconds;		/* until all input has been read, and has become runs if it must */
	double   merge_seconds;		/* of passes over runs, before the last */
	double   write_seconds;		/* the rest */
};

static inline double
gs_forecast_seconds(const struct gs_forecast *forecast)
{
	return forecast->read_seconds + forecast->merge_seconds + forecast->write_seconds;
}

/** Say what a job of this WORK takes.  PLAN is for INPUT; a sort keeps KEPT_BYTES. */
void gs_plan_forecast(struct gs_forecast *forecast, const struct gs_plan *plan,
                      const struct gs_plan_input *input, enum gs_work work, uint64_t kept_bytes);

/* ---- the parts of gs_plan_make(): the fan-in (fan_in.c) --------------------------- */

enum { GS_FAN_IN_MOST = 4096 };

/**
 * How many can be merged at once in BYTES of memory, by THREADS, with SOURCE_BYTES beside the buffers of
 * each; 2 at least, even if memory is too little for them.
 */
size_t gs_plan_fan_in(const struct gs_plan_input *input, unsigned threads, size_t source_bytes,
                      uint64_t bytes);

/* What an external merge consists of (spill/external_merge.c), at most: the merge itself, and what it
 * knows of a source; on what each part is aligned; and the buffer of spans for each thread. */
enum {
	GS_MERGE_BYTES        = sizeof(struct gs_thread) + 2 * sizeof(struct gs_queue) +
	                        sizeof(struct gs_span) + 12 * sizeof(void *),
	GS_MERGE_SOURCE_BYTES = 10 * sizeof(void *),
	GS_MERGE_ALIGN_BYTES  = 128,
	GS_MERGE_SPAN_BYTES   = 4 << 20,
};

/** The least memory in which SOURCES can be merged by THREADS; and that beyond which more makes nothing
 *  faster. */
size_t gs_plan_merge_least(size_t sources, unsigned threads);
size_t gs_plan_merge_useful(size_t sources, unsigned threads);

/** MOST, or as many files as may be open at once, if these are fewer. */
size_t gs_plan_fan_in_of_files(const struct gs_plan_input *input, size_t most);

/* ---- the device (device.c) -------------------------------------------------------- */

/** Memory of a process that has opened CUDA. */
uint64_t gs_plan_cuda_bytes(void);

/**
 * Choose the device of a PLAN that has threads and memory.
 *
 * @return  GS_OK; GS_ENODEV: the user wants a GPU, and there can be none
 */
MUST_CHECK gs_status gs_plan_choose_device(struct gs_plan *plan, const struct gs_plan_input *input);

#endif
