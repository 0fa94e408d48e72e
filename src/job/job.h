// SPDX-License-Identifier: BSD-2-Clause
/*
 * job.h - one job, for the files of src/job alone
 *
 * job.c tells what happens; fill.c is its first half (input to keys, land.c where they land),
 * aside.c sets batches aside as runs, runs.c merges them, emit.c is the second half
 * (sorted keys to output), device.c decides where, spare.c is for a GPU that fails.
 * check.c and merge_inputs.c are the other two operations.  handover.c runs any of them
 * behind the caller's back.
 */
#ifndef GS_JOB_H
#define GS_JOB_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/monitor.h"
#include "base/thread.h"
#include "format/encode.h"
#include "format/raw.h"
#include "format/text_decoder.h"
#include "gsort.h"
#include "io/ahead.h"
#include "io/input.h"
#include "io/output.h"
#include "job/rendezvous.h"
#include "plan/plan.h"
#include "stages/select.h"
#include "stages/verify.h"
#include "gpu/backend.h"
#include "sort/buckets/batch.h"
#include "sort/count.h"
#include "spill/external_merge.h"
#include "sort/merge.h"
#include "sort/run.h"
#include "spill/spill.h"

/* Opening a GPU, beside everything else. */
struct gs_opener {
	struct gs_thread           thread;
	struct gs_backend_options  options;
	struct gs_device          *device;	/* set by the thread when it ends well */
	bool                       started;
	bool                       settled;	/* taken, or given up: ask no more */
	atomic_uint                first;	/* who came first: */
};

/* The GPU's opener and the sandbox, in which none can be opened, exclude each other. */
enum { GS_FIRST_NOBODY, GS_FIRST_GPU, GS_FIRST_SANDBOX };

/* A sorted batch of one key class, set aside. */
struct gs_aside {
	struct gs_run    run;
	struct gs_spill *spill;		/* that can read it, if it is on disk, ... */
	struct gs_clock *clock;		/* ... with the job's clock */
	unsigned         depth;		/* merges it has come from */
};

struct gs_aside_list {
	struct gs_aside *runs;		/* room for plan.most_runs */
	size_t           count;
};

/* What of the first keys is known: head.c. */
struct gs_head {
	bool     bounded;	/* of the key class's keys only those less than KEY matter, ... */
	unsigned key_class;	/* ... and none of the streams after it */
	uint64_t key;
	uint64_t held;		/* keys landed and kept, at most */
	void    *kept[GS_CLASSES];	/* the first of them, while the others are forgotten: */
	size_t   kept_keys[GS_CLASSES];	/* memory for options.head_count each */
};

struct gsort {
	const struct gsort_options *options;
	struct gs_plan_input             facts;
	struct gs_plan              plan;
	struct gsort_stats          stats;
	struct gs_monitor           monitor;
	char                        device_name[320];

	struct gs_input            *input;
	struct gs_output           *output;
	struct gs_arena             arena;

	/* where keys go */
	struct gs_batch             batch;	/* unless a GPU has taken over */
	struct gs_count             small;	/* 8 and 16 bits; small text integers */
	struct gs_device           *gpu;	/* NULL: the CPU sorts */
	struct gs_opener            opener;
	char                       *pool_memory;	/* of the batch: plan.batch_bytes, ... */
	void                       *pool_books, *bucket_memory[GS_CLASSES];	/* ... and tables */
	char                       *piece_memory;	/* plan.piece_bytes a thread */
	struct gs_staging           tiles[GS_CLASSES];	/* of the GPU, being filled; keys NULL: none */
	uint64_t                    landed_bytes;	/* of keys, so far */
	void                       *count_memory;	/* plan.count_bytes: to and from SMALL */

	/* text */
	struct gs_text_options      text;
	struct gs_ahead             ahead;
	char                       *chunk_memory;
	void                       *decoder_memory;
	struct gs_text_decoder     *decoder;
	char                       *print[2];	/* one is written while the other is printed */
	char                       *part_print;	/* plan.part_print_bytes for each slot of BATCH */
	unsigned                    print_at;

	/* what was set aside */
	struct gs_aside_list        asides[GS_CLASSES];
	struct gs_aside_list        merged;		/* of them, or of inputs, before the last pass */
	struct gs_keep {		/* batches of a GPU, in host memory, back to back */
		char  *memory;
		size_t bytes;		/* in use */
		size_t most_bytes;
	} keep;
	struct gs_spare {		/* a copy of what only a GPU has: spare.c */
		char    *memory;	/* plan.spare_bytes */
		size_t   bytes;		/* in use */
		uint64_t gone[GS_CLASSES];	/* keys of its batch that were drained, and went on */
		struct gs_thread copier;	/* of the last tile, beside whatever comes next: */
		struct gs_copy {
			char       *to;
			const char *from;
			size_t      bytes;
			unsigned    threads;
		} copy;
	} spare;
	struct gs_source           *sources;		/* of the merge that goes on */
	uint64_t                    aside_bytes;	/* of keys, so far */
	void                       *merge_memory;	/* of gathering: plan.merge_bytes */
	char                       *source_memory;	/* of GSORT_MERGE: plan.fan_in times
							 * plan.source_bytes, for inputs being read */
	void                       *spill_memory;	/* plan.spill_bytes */
	struct gs_spill            *spill;		/* NULL: none was needed yet */

	/* what comes out */
	struct gs_span              held;	/* drained, but another key class's turn */
	struct gs_select            select;
	struct gs_verify            verify;
	struct gs_head              head;
	struct gs_encoding          encoding;
	struct gs_text_header       text_header;	/* of GSORT_MERGE */
	char                       *header;	/* of a binary input: options.skip_bytes of it */
	size_t                      header_bytes;

	pthread_mutex_t             confining;	/* guards CONFINED */
	bool                        confined;
	struct gs_rendezvous          handover;
};

/** "1.0 GiB": for people, so one decimal will do; returns TEXT. */
const char *gs_job_size_text(uint64_t bytes, char text[32]);
/* open.c */

/** Open inputs and output, plan, and get memory: all that can fail before a job runs. */
MUST_CHECK gs_status gs_job_open(struct gsort *job);

/* job.c */

/** gsort_run(), for the thread that has the job. */
gsort_status gs_job_run(struct gsort *job);

/* Who listens to gsort_plan() and gsort_info(). */
struct gs_line_printer {
	void (*tell)(void *context, const char *line);
	void  *context;
};

/** Tell one line: WHAT it is about, and the rest behind it. */
void gs_print_line(const struct gs_line_printer *to, const char *what, const char *format, ...) PRINTF(3, 4);

/* device.c: which backend sorts */

/** Begin on the CPU, whose memory is where keys land until a GPU is ready. */
MUST_CHECK gs_status gs_device_begin(struct gsort *job);

/** Between rounds: open the GPU if it is time, move over to it when it is ready. */
MUST_CHECK gs_status gs_device_poll(struct gsort *job);

/** All keys have landed: wait for the GPU if that pays. */
MUST_CHECK gs_status gs_device_settle(struct gsort *job);

/** Have the GPU make one order of all that it holds. */
MUST_CHECK gs_status gs_device_sort(struct gsort *job);

/** Make one order of all that is held, wherever it is. */
MUST_CHECK gs_status gs_device_finish(struct gsort *job);

/** The next sorted keys of the GPU; none: that was all, or it has failed, and the rest is in
 *  the batch, settled: see gs_spare_skip(). */
MUST_CHECK gs_status gs_device_drain(struct gsort *job, struct gs_span *span);

/** Do without the GPU from now on. */
void gs_device_lose(struct gsort *job);

/** Note what the device has done in job->stats. */
void gs_device_tell(struct gsort *job);

/** Close whichever is open. */
void gs_device_end(struct gsort *job);

/* spare.c: a copy of what only a GPU has.  All but gs_spare_copy() do nothing if none is kept. */

/** May another tile be taken? */
bool gs_spare_has_room(const struct gsort *job);

/** Begin to copy a tile that is to be fed; its memory must stay until it is released, or the
 *  next one is kept. */
void gs_spare_keep(struct gsort *job, const struct gs_staging *tile);

/** The memory at KEYS will be filled again: if it is being copied, wait.  With several streams
 *  the GPU's ring may give the very buffer that was fed last. */
void gs_spare_release(struct gsort *job, const void *keys);

/** Wait until it is copied. */
void gs_spare_wait(struct gsort *job);

/** Copy BYTES, with all threads. */
void gs_spare_copy(const struct gsort *job, void *to, const void *from, size_t bytes);

/** All of the batch is safe. */
void gs_spare_forget(struct gsort *job);

/** A call of the GPU came to STATUS.  If that is trouble and its keys were copied, say so,
 *  and put all that it had into the CPU's batch: then job->gpu is NULL.  Else return it. */
MUST_CHECK gs_status gs_spare_survive(struct gsort *job, gs_status status);

/** A span of the batch that the CPU sorted after that: pass over what had gone on before. */
void gs_spare_skip(struct gsort *job, struct gs_span *span);

/* confine.c */

/** Before anything is decompressed: shut what the job does not need (options.sandbox).  Does
 *  so once; any thread, others wait until it is done.  CONTEXT is the job. */
void gs_confine(void *context);

/* land.c: where keys land */

/** Before LEAST bytes of keys come or more: *ROOM, how many may; none, if a GPU takes them. */
MUST_CHECK gs_status gs_land_room(struct gsort *job, size_t least, size_t *room);

/** A tile of the GPU for STREAM, with room for at least one key: job->tiles[key class]; none if
 *  it has failed. */
MUST_CHECK gs_status gs_land_take(struct gsort *job, unsigned key_class);

/** A tile of STREAM with room for at least one key: job->tiles[key class].  It is the GPU's; or
 *  the CPU's, if that has failed just now. */
MUST_CHECK gs_status gs_land_tile(struct gsort *job, unsigned key_class);

/** Note that COUNT keys were put into job->tiles[key class]; feeds it when full, the CPU's at once. */
MUST_CHECK gs_status gs_land_took(struct gsort *job, unsigned key_class, size_t count);

/** Feed all tiles that are being filled. */
MUST_CHECK gs_status gs_land_flush(struct gsort *job);

/* fill.c: input to keys */

/** Pass over options.skip_bytes at the top of the current binary input; the first one's
 *  are kept in job->header. */
MUST_CHECK gs_status gs_fill_header(struct gsort *job);

/** Read everything; at the end all keys are with the backend, counted, or in runs. */
MUST_CHECK gs_status gs_fill(struct gsort *job);

/* aside.c: batches set aside as runs */

/** Sort what is held and set it aside as runs, one a key class: of a GPU in host memory where
 *  there is room, else on disk.  Nothing is held any more; but if the GPU fails before any
 *  of it has come back, all is in the CPU's batch instead. */
MUST_CHECK gs_status gs_aside_batch(struct gsort *job);

/** The same with the last batch, in order already. */
MUST_CHECK gs_status gs_aside_last(struct gsort *job);

/* runs.c: runs on disk, and runs merged */

/** Check that runs can be written to disk, as they may have to be. */
MUST_CHECK gs_status gs_runs_open(struct gsort *job);

/** A run of STREAM is written, begun, written and ended; then it is the last of LIST, and
 *  DEPTH times merged. */
MUST_CHECK gs_status gs_runs_begin(struct gsort *job, unsigned key_class);
MUST_CHECK gs_status gs_runs_write(struct gsort *job, const struct gs_span *span);
MUST_CHECK gs_status gs_runs_end(struct gsort *job, struct gs_aside_list *list, unsigned depth);

/** See that each key class of the next batch can have a run, and one more: merge first ones. */
MUST_CHECK gs_status gs_runs_make_room(struct gsort *job);

/** Merge sorted sources of STREAM, at most plan.fan_in, into a run on disk that is set aside. */
MUST_CHECK gs_status
gs_runs_add(struct gsort *job, unsigned key_class, const struct gs_source *sources,
                 size_t count);

/** Merge all that was set aside of STREAM, to gs_emit_span(). */
MUST_CHECK gs_status gs_runs_emit(struct gsort *job, unsigned key_class);

/**
 * Merge sorted sources of STREAM (keys of plan.class_bits[key class]), to gs_emit_span(),
 * with all threads, in the memory of the plan.  If there are more than plan.fan_in of
 * them, the first ones are merged into runs on disk, until few enough are left.
 *
 * @sources  used up, changed in place.  At most plan.fan_in of them are being read at
 *           a time, in other threads; each from its front to its end, and only after
 *           those before it have been begun.  Only if gs_select_ends() are keys left
 *           unread.
 * @return   GS_OK; trouble of reading, spilling or emitting
 */
MUST_CHECK gs_status
gs_runs_merge(struct gsort *job, unsigned key_class, struct gs_source *sources, size_t count);

/** Close and forget what is on disk. */
void gs_runs_close(struct gsort *job);

/* head.c: keep but the first keys, if plan.head_keys > 0 */

/** Nothing has landed yet. */
void gs_head_begin(struct gsort *job);

/** COUNT keys of STREAM have landed at KEYS: keep those that may go out; how many.  Any thread. */
size_t gs_head_filter(const struct gsort *job, unsigned key_class, void *keys, size_t count);

/** Before more keys land: if there are too many, forget all but the first. */
MUST_CHECK gs_status gs_head_poll(struct gsort *job);

/* emit.c: sorted keys to output */

/** Everything that was filled: each key class from where its keys are. */
MUST_CHECK gs_status gs_emit(struct gsort *job);

/** The same, piece by piece, for who has sorted keys already.  First the header ... */
MUST_CHECK gs_status gs_emit_header(struct gsort *job);

/** ... then spans, key class by key class in the order of the output (changed in place) ... */
MUST_CHECK gs_status gs_emit_span(struct gsort *job, struct gs_span *span);

/** ... after each key class this; no more spans are wanted once gs_select_ends() ... */
MUST_CHECK gs_status gs_emit_stream_end(struct gsort *job, unsigned key_class);

/** ... and at the end this: all is with the output. */
MUST_CHECK gs_status gs_emit_end(struct gsort *job);

/* check.c, merge_inputs.c: the other operations, from open inputs to the end */

/** @disorder  set: the answer of the check */
MUST_CHECK gs_status gs_job_check(struct gsort *job, bool *disorder);
MUST_CHECK gs_status gs_job_merge(struct gsort *job);

#endif
