// SPDX-License-Identifier: BSD-2-Clause
/*
 * store.h - every key of a sort, wherever it is: CPU buckets, a histogram, a GPU, runs
 *
 * The parts of the store come first, and are only for its own files; the store itself, at the end, is for
 * other folders.
 */
#ifndef GS_ENGINE_STORE_H
#define GS_ENGINE_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/status.h"
#include "base/team.h"
#include "engine/engine.h"
#include "gpu/guard.h"
#include "gsort.h"
#include "plan/plan.h"
#include "sort/buckets/batch.h"
#include "sort/count.h"
#include "sort/span.h"
#include "spill/spill.h"

/* ---- the least and the greatest key of each class (extremes.c) ----------------- */

struct gs_extreme {
	uint64_t least, most;	/* LEAST > MOST: no keys */
};

struct gs_extremes {
	bool     on;
	uint64_t low, high;	/* only keys between them matter: finite floats */
	struct gs_extreme of[GS_TEAM_MAX][GS_CLASSES];	/* found by each thread */
};

/** Begin.  Keys are noted only if OPTIONS want a histogram. */
void gs_extremes_open(struct gs_extremes *extremes, const struct gsort_options *options);

/** Note keys of 8 to 64 bits in CONTEXT, a struct gs_extremes that is on; different workers at once. */
void gs_extremes_note(void *context, unsigned worker, const struct gs_piece *piece);

/** The extremes of a class, over all threads, and over COUNT unless it is NULL. */
struct gs_extreme gs_extremes_of(const struct gs_extremes *extremes, unsigned key_class,
                                 const struct gs_count *count);

/* ---- keep only the first K keys of a long input (head.c) ----------------------- */

/*
 * The head works on the CPU's batch: when keys are read, it drops keys that cannot be among the first K,
 * and from time to time it trims the batch to the first K.
 */

struct gs_head {
	uint64_t keys;		/* K */
	uint64_t limit;		/* the most keys in the batch; 0: no head, keep all keys */
	bool     descending_classes, unique;
	struct gs_batch *batch;
	bool     bounded;	/* in BOUND_CLASS, only keys less than BOUND matter, ... */
	unsigned bound_class;	/* ... and in the classes after it, none */
	uint64_t bound;
	_Atomic uint64_t stored;	/* an upper limit of the keys in the batch */
	void    *first[GS_CLASSES];	/* during a trim, the first keys: room for KEYS of each class */
	size_t   first_keys[GS_CLASSES];	/* the number of these */
};

/** Begin; BATCH is borrowed, and FIRST is set. */
void gs_head_open(struct gs_head *head, const struct gsort_options *options,
                  const struct gs_plan *plan, struct gs_batch *batch);

/** Move the keys that may be needed, of COUNT keys of KEY_CLASS at KEYS, to the front, and return their
 *  number.  Any thread, but not while gs_head_trim() runs. */
size_t gs_head_filter(const struct gs_head *head, unsigned key_class, void *keys, size_t count);

/** Between rounds: if the batch holds too many keys, drop all but the first K. */
MUST_CHECK gs_status gs_head_trim(struct gs_head *head);

/* ---- keys from many threads to the staging buffers of a GPU (staging_buffers.c) - */

/*
 *     open; { add*; rest }*; close
 */

/* A staging buffer that threads fill. */
struct gs_staging_buffer {
	struct gs_staging staging;
	bool     used;
	size_t   claimed;	/* the part of its room, in keys, that threads have claimed */
	unsigned writers;	/* threads that copy keys to it */
};

enum { GS_STAGING_BUFFERS = 4 };

struct gs_staging_buffers {
	/** Lend the caller a staging buffer of KEY_CLASS.  May write to disk.  With NOT_ALONE, it never
	 *  writes; a room of 0 then means: give the other buffers back first. */
	gs_status (*stage)(void *context, unsigned key_class, bool not_alone, struct gs_staging *staging);

	/** Give the buffer back, with its keys, if any, and their checksum. */
	gs_status (*give)(void *context, const struct gs_staging *staging);
	void     *context;		/* of both; one thread at a time calls them */

	unsigned          most;		/* the most buffers at a time */
	pthread_mutex_t   lock;		/* guards: */
	pthread_cond_t    changed;
	struct gs_staging_buffer each[GS_STAGING_BUFFERS];
	struct gs_first_error error;
};

/** Begin; stage, give and their context are set.  RING is the number of staging buffers, for keys of
 *  CLASSES; the caller keeps at most one for each class. */
void gs_staging_buffers_open(struct gs_staging_buffers *buffers, unsigned ring, unsigned classes);

/** Copy the keys of PIECE to staging buffers; any thread.  gs_staging_buffers_rest() reports
 *  errors. */
void gs_staging_buffers_add(struct gs_staging_buffers *buffers, const struct gs_piece *piece);

/** No thread adds keys now: give all buffers back, full or not.  GS_EIO, GS_EDEVICE: the error of the first
 *  call that failed. */
MUST_CHECK gs_status gs_staging_buffers_rest(struct gs_staging_buffers *buffers);

/* ---- keys on a GPU, drained by several threads (gpu_drain.c) ------------------- */

/** Drain KEY_CLASS, the next in the order of the output, with THREADS, to SINK.  A sink that wants strands
 *  (sort/span.h) has make(), and each thread has its own slot for it.  Any other sink takes all keys in
 *  order, while later keys are checked.  PENDING, empty at first, keeps the first span of a later class. */
MUST_CHECK gs_status gs_gpu_drain(struct gs_guard *gpu, struct gs_gpu_span *pending, unsigned key_class,
                                  unsigned threads, const struct gs_span_sink *sink);

/* ---- sorted runs of each key class, on disk, and their merge (runs.c) ---------- */

/*
 *     carve, open; { begin, sink, end }*; drain each class; close
 *
 * The runs own files, lists and the memory of merging.
 */

/* A run, and how to read it. */
struct gs_run_entry {
	struct gs_run    run;
	struct gs_spill *spill;		/* reads it */
	struct gs_clock *clock;
	unsigned         depth;		/* the number of merges that made it */
};

struct gs_run_list {
	struct gs_run_entry *entries;	/* room for plan.most_runs */
	size_t               count;
};

struct gs_runs {
	const struct gs_plan       *plan;
	const struct gs_plan_input *plan_input;
	const struct gsort_options *options;
	struct gs_monitor          *monitor;
	struct gs_run_list lists[GS_CLASSES];
	struct gs_run_list merged;	/* runs made by merges before the last one */
	struct gs_source  *sources;	/* of the current merge */
	struct gs_spill   *spill;	/* NULL: not needed yet */
	void              *spill_memory, *merge_memory;
	unsigned           merge_threads;
	unsigned           key_class;	/* of the run that is being written, ... */
	uint64_t           part_at[GS_SPILL_PARTS];	/* ... and the first key's number of each part */

	/** If not NULL, called when a merge ends before its sources do. */
	void             (*stop)(void *context);
	void              *stop_context;

	unsigned           spilled, passes;	/* runs written; passes over runs */
};

/** Take buffers from ARENA; if it is not open, only add up their sizes. */
void gs_runs_carve(struct gs_runs *runs, const struct gs_plan *plan, struct gs_arena *arena);

/** Begin, with the carved buffers; everything is borrowed. */
void gs_runs_open(struct gs_runs *runs, const struct gsort_options *options,
                  const struct gs_plan_input *input, struct gs_monitor *monitor);

/** Check that runs can be written to disk. */
MUST_CHECK gs_status gs_runs_prepare_disk(struct gs_runs *runs);

/* Write a run to disk: begin it, drain a producer into its SINK, end it.  KEYS: the number of keys, from a
 * producer that knows strands; 0: from another one. */
MUST_CHECK gs_status gs_runs_begin(struct gs_runs *runs, unsigned key_class, uint64_t keys,
                                   struct gs_span_sink *sink);
MUST_CHECK gs_status gs_runs_end(struct gs_runs *runs);

/** Must some runs be merged before the next batch?  gs_runs_make_room() does so; the pool must be
 *  empty. */
bool gs_runs_are_crowded(const struct gs_runs *runs);
MUST_CHECK gs_status gs_runs_make_room(struct gs_runs *runs);

/** Merge sorted SOURCES of KEY_CLASS, at most plan.fan_in, into a run on disk. */
MUST_CHECK gs_status gs_runs_add(struct gs_runs *runs, unsigned key_class,
                                 const struct gs_source *sources, size_t count);

/** Merge all runs of KEY_CLASS into SINK. */
MUST_CHECK gs_status
gs_runs_drain(struct gs_runs *runs, unsigned key_class, const struct gs_span_sink *sink);

/**
 * Merge sorted sources of KEY_CLASS into SINK, with all threads, in the memory of the plan.  If
 * there are more than plan.fan_in of them, the first ones are merged into runs on disk until
 * few enough are left.
 *
 * @sources  used up, changed in place.  At most plan.fan_in of them are read at a time, by
 *           other threads; each from its front to its end, and only after those before it
 *           were begun.  Keys are left unread only if the sink has enough.
 * @return   GS_OK; the error of a source, of the spill or of the sink
 *
 * O(n log k) comparisons for k sources of n keys in all, times the passes.
 */
MUST_CHECK gs_status
gs_runs_merge(struct gs_runs *runs, unsigned key_class, struct gs_source *sources, size_t count,
              const struct gs_span_sink *sink);

/** Close the files, forget all runs. */
void gs_runs_close(struct gs_runs *runs);

/* ---- the store (store.c) ------------------------------------------------- */

/*
 * The only legal order of calls is:
 *
 *     carve, open; as an engine (engine.h); close
 *
 * The plan says whether the CPU or a GPU holds the keys; that never changes.  A full batch becomes
 * sorted runs.  If a GPU fails, a call returns GS_EDEVICE, and then the store can only be closed.
 *
 * Classes are drained in the order of the output, each once.
 */

/* A GPU, and the keys on their way to it and from it. */
struct gs_store_gpu {
	struct gs_guard   guard;
	struct gs_staging staging[GS_CLASSES];	/* buffers that are not full; keys NULL: none */
	struct gs_staging_buffers buffers;	/* being filled */
	uint64_t          keys[GS_CLASSES];	/* the number of keys that it holds */
	struct gs_gpu_span pending;	/* a drained span of a later class */
	void             *resident;	/* plan.resident_bytes, for its sorted batches */
};

struct gs_store {
	const struct gs_plan       *plan;
	const struct gs_plan_input *plan_input;
	const struct gsort_options *options;
	struct gs_monitor          *monitor;
	char              device_name[320];

	struct gs_batch   batch;	/* on the CPU, with its memory: */
	char             *pool_memory;
	void             *block_table, *bucket_memory[GS_CLASSES];

	struct gs_count   histogram;	/* keys of 8 and 16 bits; small text integers */
	void             *count_memory;	/* plan.count_bytes: its spans, ... */
	uint64_t         *count_times;	/* ... and how often keys occur */

	struct gs_store_gpu gpu;	/* if the plan's device is a GPU */

	struct gs_runs    runs;
	struct gs_head    head;
	struct gs_extremes extremes;
	unsigned          batches;	/* the number of batches that became runs on disk */
};

/** Take buffers from ARENA; if it is not open, only add up their sizes. */
void gs_store_carve(struct gs_store *store, const struct gsort_options *options,
                    const struct gs_plan_input *input, const struct gs_plan *plan,
                    struct gs_arena *arena);

/** Begin, with the carved buffers; everything is borrowed. */
void gs_store_open(struct gs_store *store, struct gs_monitor *monitor);

/** Open the plan's GPU; slow.  GS_ENODEV, GS_EDEVMEM, GS_EDEVICE: it cannot be used. */
MUST_CHECK gs_status gs_store_open_gpu(struct gs_store *store);

/** The engine of STORE.  To reserve room, it may trim the head, or turn a full batch into runs. */
struct gs_engine gs_store_engine(struct gs_store *store);

/** The least and the greatest key of KEY_CLASS, if OPTIONS want a histogram. */
struct gs_extreme gs_store_extreme(struct gs_store *store, unsigned key_class);

/** Close the GPU and the runs; the store is zeroed, which it may have been before. */
void gs_store_close(struct gs_store *store);

#endif
