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

/* ---- the input of a plan ------------------------------------------------------ */

/* The assumed size of an input of unknown size.  Not tuned. */
#define GS_PLAN_UNKNOWN_BYTES	((uint64_t)1 << 30)

/* Items are in no class, and items.h divides the pool. */
enum { GS_ITEM_BITS = 128 };

/* What is known before anything is sorted. */
struct gs_plan_input {
	enum gsort_operation operation;
	enum gsort_type   type;
	enum gsort_notation notation;		/* of text */
	unsigned          key_bits;		/* 8 .. 64; 0: text; GS_ITEM_BITS */
	unsigned          class_bits[GS_CLASSES];	/* bits of the keys of each class; 0: no keys */
	const char       *cpu_rule;		/* why only the CPU can sort, for people; or NULL */
	unsigned          ahead_chunks;		/* chunks of text in memory, including one read ahead */
	size_t            reader_least_bytes;	/* a merge of text: memory for each input */
	size_t            reader_most_bytes;

	/** Memory to decode chunks of text of CHUNK_BYTES by THREADS. */
	size_t          (*decoder_bytes)(const struct gs_plan_input *input, size_t chunk_bytes,
	                                 unsigned threads);

	bool              headers;		/* files have header lines */
	uint64_t          overhead_bytes;	/* memory beside the keys: for figures, positions, names,
						 * skipped bytes, output files */
	uint64_t          window_bytes;		/* the part of the user's limit that ranks use */
	unsigned          shares;		/* the user's limit divided by this is for the job; 0: 1 */
	uint64_t          beside_most;		/* the largest part of the overhead, ... */
	const char       *beside_what;		/* ... and what it is for, for people */
	size_t            print_bytes;		/* memory to print a key; 0: keys are written as they are */
	bool              compressed;		/* an input is compressed */
	bool              large_window;		/* an input's format may need a large window */
	uint64_t          input_bytes;		/* of all inputs, or UINT64_MAX: unknown */
	uint64_t          all_bytes;		/* the same, of all ranks together */
	bool              guessed;		/* input_bytes is a hint, not a promise */
	bool              seekable;		/* all inputs can be read again from their beginning */
	size_t            input_count;		/* of GSORT_MERGE */
	enum gsort_device device;		/* the user's choice; GSORT_DEVICE_CPU once a GPU failed */
	bool              gpu_possible;		/* a GPU module may exist */
	bool              gpu_present;		/* a GPU may exist */
	bool              to_file;		/* the output is a regular file */
	unsigned          split;		/* number of output files; 0: one */
	int               gpu;			/* the number of the GPU */
	uint64_t          gpu_memory_bytes;	/* the user's limit; 0: none */
	bool              compares;		/* neighbours are compared: a set, --count */
	bool              heads;		/* only the first HEAD_COUNT keys are wanted */
	uint64_t          head_count;
	unsigned          threads;		/* the user's limit; 0: none */
	unsigned          cores;
	uint64_t          memory_bytes;		/* the user's limit; 0: none */
	bool              memory_grows;		/* the limit is soft: a line that needs more gets it */
	uint64_t          host_bytes;		/* the machine's: base/limits.h */
	uint64_t          address_bytes;
	size_t            files;		/* how many may be open */
	unsigned          merge_files;		/* the user's limit of the fan-in; 0: none */
};

/** Reserve BYTES of memory beside the keys, for WHAT. */
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

/* The bytes to read between two trims with --head: enough to keep a team busy.  Not tuned. */
#define GS_HEAD_ROUND_BYTES	((size_t)4 << 20)

struct gs_plan {
	unsigned threads;
	bool     by_counting;		/* keys of 8 and 16 bits: a histogram, nothing is sorted */
	unsigned class_bits[GS_CLASSES];

	/* The device. */
	enum gsort_device device;	/* GSORT_DEVICE_CPU or GSORT_DEVICE_GPU */
	const char *device_rule;	/* the rule that chose it, for people */
	uint64_t gpu_from_bytes;	/* the size of input from which a GPU pays with these threads; 0:
					 * the size did not matter */

	/* Memory of the whole process, and the part of it that is left for keys. */
	uint64_t host_bytes;
	uint64_t pool_bytes;
	bool     huge_pages;

	size_t   staging_bytes;		/* the size of a GPU's staging buffer: a power of two */
	unsigned ring_buffers;		/* how many of these are pinned */

	size_t   piece_bytes;		/* the piece of binary input that a thread reads at once */
	struct gs_bucket_sizes buckets;
	size_t   part_print_bytes;	/* memory to encode buckets.part_bytes */

	size_t   chunk_bytes;		/* the size of a chunk of text */
	size_t   inflate_bytes;		/* memory to decompress in parallel; 0: none */
	uint64_t window_bytes;		/* the limit of memory to decompress an input */
	size_t   print_keys;		/* how many keys are encoded at once */
	size_t   count_bytes;		/* memory for keys on their way to and from the histogram */

	size_t   batch_bytes;		/* memory for keys on the CPU, with partly filled blocks */
	uint64_t sort_bytes;		/* the part of BATCH_BYTES that keys fill at least */
	uint64_t head_keys;		/* a batch of more keys is trimmed to the first K; 0: never */
	uint64_t resident_bytes;	/* host memory for keys that do not fit the GPU */

	/* Runs and sorted inputs. */
	bool     spills;		/* the input may be too large for memory */
	size_t   most_runs;		/* of each class */
	size_t   fan_in;		/* the most runs or inputs that are merged at once */
	size_t   merge_bytes;		/* memory to merge them */
	size_t   source_bytes;		/* GSORT_MERGE: memory to read each input of text
					 * (text/text_decoder.h) */
	size_t   spill_bytes;		/* memory to write runs to disk */
};

/**
 * Make the plan.
 *
 * @return  GS_OK; GS_EBUDGET: the limits are too small for any job; GS_ENODEV: the user wants a
 *          GPU, and there can be none
 */
MUST_CHECK gs_status gs_plan_make(struct gs_plan *plan, const struct gs_plan_input *input);

/* More threads do not make a sort to a file faster, and other sorts by a fifth or a quarter (plan.c). */
enum { GS_USEFUL_THREADS = 16 };

/** The most threads of a plan. */
unsigned gs_plan_threads_most(const struct gs_plan_input *input);

/* ---- for people, and for the message about a full disk (fan_in.c) -------------- */

/* What a plan needs on disk; if the size of the input is unknown, RUNS is 1 and the rest 0. */
struct gs_estimate {
	uint64_t key_bytes;		/* for text, an approximation */
	uint64_t runs;			/* including the last batch; 1: nothing goes to disk */
	unsigned passes;		/* of the merge */
	uint64_t disk_bytes;		/* the most on disk at a time */
	uint64_t written_bytes;		/* written to disk in all */
};

/** Estimate a sort on the CPU. */
void gs_plan_estimate(const struct gs_plan *plan, const struct gs_plan_input *input,
                      struct gs_estimate *estimate);

/* ---- a forecast of what a job takes (forecast.c) ---------------------------------- */

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
	bool     known;			/* the size of the input is known; otherwise the rest is 0 */
	uint64_t memory_bytes;		/* of the process */
	uint64_t disk_bytes;		/* the most in temporary files at a time */
	uint64_t written_bytes;		/* written to these in all */
	double   read_seconds;		/* until all input has been read, and runs are written */
	double   merge_seconds;		/* for the passes over runs before the last one */
	double   write_seconds;		/* the rest */
};

static inline double
gs_forecast_seconds(const struct gs_forecast *forecast)
{
	return forecast->read_seconds + forecast->merge_seconds + forecast->write_seconds;
}

/** Forecast what a job of this WORK takes.  PLAN is for INPUT; a sort keeps KEPT_BYTES. */
void gs_plan_forecast(struct gs_forecast *forecast, const struct gs_plan *plan,
                      const struct gs_plan_input *input, enum gs_work work, uint64_t kept_bytes);

/* ---- the parts of gs_plan_make(): the fan-in (fan_in.c) --------------------------- */

enum { GS_FAN_IN_MOST = 4096 };

/**
 * How many sources THREADS can merge at once in BYTES of memory, with SOURCE_BYTES for each beside its
 * buffers; at least 2, even if that needs more memory.
 */
size_t gs_plan_fan_in(const struct gs_plan_input *input, unsigned threads, size_t source_bytes,
                      uint64_t bytes);

/* Upper limits for an external merge (spill/external_merge.c): the merge itself, its state for a source,
 * the alignment of each part, and the buffer of spans for each thread. */
enum {
	GS_MERGE_BYTES        = sizeof(struct gs_thread) + 2 * sizeof(struct gs_queue) +
	                        sizeof(struct gs_span) + 12 * sizeof(void *),
	GS_MERGE_SOURCE_BYTES = 10 * sizeof(void *),
	GS_MERGE_ALIGN_BYTES  = 128,
	GS_MERGE_SPAN_BYTES   = 4 << 20,
};

/** The least memory in which THREADS can merge SOURCES; the memory beyond which more does not make the
 *  merge faster. */
size_t gs_plan_merge_least(size_t sources, unsigned threads);
size_t gs_plan_merge_useful(size_t sources, unsigned threads);

/** MOST, or the number of files that may be open at once if that is less. */
size_t gs_plan_fan_in_of_files(const struct gs_plan_input *input, size_t most);

/* ---- the device (device.c) -------------------------------------------------------- */

/** The memory that a process needs to have CUDA open. */
uint64_t gs_plan_cuda_bytes(void);

/**
 * Choose the device of a PLAN that has threads and memory.
 *
 * @return  GS_OK; GS_ENODEV: the user wants a GPU, and there can be none
 */
MUST_CHECK gs_status gs_plan_choose_device(struct gs_plan *plan, const struct gs_plan_input *input);

#endif
