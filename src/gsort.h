// SPDX-License-Identifier: BSD-2-Clause
/*
 * gsort.h - sort a stream of numbers
 *
 * The whole public interface of libgsort.  One job at a time is described by a
 * struct gsort_options, opened, run and closed:
 *
 *     struct gsort_options options = { .type = GSORT_U32 };
 *     gsort *job;
 *
 *     if (gsort_open(&job, &options) != GSORT_OK || gsort_run(job) != GSORT_OK)
 *             fprintf(stderr, "%s\n", gsort_message());
 *     gsort_close(job);
 *
 * reads standard input and writes it, sorted, to standard output.  The library
 * never prints and never exits.  Options, and the strings they point to, are borrowed until
 * gsort_close().  A job belongs to one thread at a time, unless a function says otherwise.
 */
#ifndef GSORT_H
#define GSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of the keys.  Binary keys are in the byte order of the host, or of ENDIAN. */
enum gsort_type {
	GSORT_TEXT,		/* decimal integers, -2^63 .. 2^64-1, one per line */
	GSORT_U8, GSORT_I8, GSORT_U16, GSORT_I16,
	GSORT_U32, GSORT_I32, GSORT_U64, GSORT_I64,
	GSORT_F32, GSORT_F64,	/* IEEE 754 totalOrder, payloads kept */
	GSORT_TEXT_FLOAT,	/* decimal floats (f64), one per line: NaN, -inf .. -0, 0 .. inf */
};

enum gsort_operation {
	GSORT_SORT,
	GSORT_MERGE,		/* the inputs are sorted: merge them */
	GSORT_CHECK,		/* is the input sorted?  Nothing is written */
};

/* How much a check reports; gsort_run() returns GSORT_DISORDER in every case. */
enum gsort_check {
	GSORT_CHECK_FIRST,	/* gsort_message() names the first key out of order */
	GSORT_CHECK_QUIET,	/* stop there, too, but without a message */
	GSORT_CHECK_SUMMARY,	/* read all: stats.breaks and stats.duplicates */
};

/* What to do with a line of text that is not a number. */
enum gsort_invalid {
	GSORT_INVALID_ABORT,	/* an error, at once */
	GSORT_INVALID_FAIL,	/* warn and leave it out; an error after all else is written */
	GSORT_INVALID_WARN,	/* warn and leave it out */
	GSORT_INVALID_IGNORE,	/* leave it out */
};

/* Byte order of binary keys, in and out. */
enum gsort_endian { GSORT_ENDIAN_HOST, GSORT_ENDIAN_LITTLE, GSORT_ENDIAN_BIG };

/* How the input is compressed. */
enum gsort_decompress {
	GSORT_DECOMPRESS_AUTO,	/* text: by its first bytes; binary: by the suffix of its name */
	GSORT_DECOMPRESS_NONE,
	GSORT_DECOMPRESS_GZIP, GSORT_DECOMPRESS_BZIP2, GSORT_DECOMPRESS_XZ,
	GSORT_DECOMPRESS_ZSTD, GSORT_DECOMPRESS_LZ4,
};

/* Where the keys are sorted. */
enum gsort_device {
	GSORT_DEVICE_AUTO,	/* chosen once, by size and threads; the CPU if the GPU fails */
	GSORT_DEVICE_CPU,
	GSORT_DEVICE_GPU,	/* an error if it cannot be used */
};

enum { GSORT_GPUS_MOST = 16 };		/* that one job uses */
#define GSORT_ALL_GPUS	(~0u)

/* The processes that sort together: of gsort-mpi alone. */
struct gs_ranks;

/* All zero means: text from standard input, ascending, to standard output. */
struct gsort_options {
	enum gsort_operation	 operation;
	enum gsort_type		 type;
	bool			 reverse;	/* largest first */
	bool			 force;		/* binary keys may come from or go to a terminal */

	/* which keys are written */
	bool			 unique;	/* one of equal keys */
	bool			 counts;	/* like unique, each with its number of occurrences */
	bool			 repeated;	/* one of each key that occurs more than once */
	bool			 singletons;	/* only keys that occur once */
	bool			 head;		/* only the first HEAD_COUNT of the selected keys */
	uint64_t		 head_count;
	bool			 verify;	/* check order, number and checksum of the output */

	/* checking and merging */
	enum gsort_check	 check;
	bool			 trust_order;	/* merge inputs without checking their order */

	/* input */
	const char *const	*inputs;	/* file names; "-" is standard input */
	size_t			 input_count;	/* 0: standard input */
	enum gsort_decompress	 decompress;
	enum gsort_endian	 endian;
	enum gsort_invalid	 invalid;
	bool			 zero_terminated;	/* lines of text end in NUL, in and out */
	uint64_t		 header_lines;	/* at the top of each input of text: the first input's
						 * are copied to the start, the others' are dropped */
	uint64_t		 skip_bytes;	/* the same, for binary inputs */
	uint64_t		 size_hint;	/* approximate bytes of the input; 0: unknown */

	/* Called for input instead of the above: as read(2); an error is -1 and errno. */
	ptrdiff_t		(*read)(void *context, void *into, size_t bytes);
	void			*read_context;
	bool			 fed;		/* or: gsort_feed() supplies the input */

	/* output */
	const char		*output;	/* NULL: standard output */
	bool			 in_place;	/* overwrite an existing file, do not replace it */
	unsigned		 split;		/* so many files that together are the output, at most 1024;
						 * "%r" in OUTPUT becomes the rank of each, "%%" a "%";
						 * 0: one output */
	bool			 converts;	/* convert keys to the type TO */
	enum gsort_type		 to;		/* GSORT_TEXT: any type as text */

	/* Called for output instead: takes all bytes and returns 0; or -1 and errno. */
	int			(*write)(void *context, const void *data, size_t bytes);
	void			*write_context;
	bool			 drained;	/* or: gsort_drain() fetches the output */

	/* resources */
	enum gsort_device	 device;
	int			 gpus[GSORT_GPUS_MOST];	/* with GSORT_DEVICE_GPU: as CUDA counts them,
						 * from 0; each once */
	unsigned		 gpu_count;	/* of them; 0: one; GSORT_ALL_GPUS: all there are */
	uint64_t		 gpu_memory_bytes;	/* limit of each GPU's memory; 0: by percent */
	unsigned		 gpu_memory_percent;	/* of free GPU memory; 0: 80 */
	unsigned		 threads;	/* 0: one per core, at most 16 */
	uint64_t		 memory_bytes;	/* limit of host memory, in all; 0: by percent */
	unsigned		 memory_percent;	/* of physical memory; 0: what is available */
	bool			 sandbox;	/* put the process into a sandbox before it decompresses,
						 * for good: for programs that do nothing else */
	const char *const	*temp_dirs;	/* for temporary files, in rotation */
	size_t			 temp_dir_count;	/* 0: $TMPDIR, else /tmp */
	const char		*compress_program;	/* for them; "zstd" and "lz4" are built in */
	unsigned		 merge_files;	/* limit of runs or files merged at once; 0: by memory */

	unsigned		 plan_ranks;	/* for gsort_plan() alone: describe a sort by so many hosts,
						 * too; 0: do not */

	/* Of gsort-mpi: the ranks that sort together, each with these options; NULL: this process. */
	struct gs_ranks		*ranks;

	/* If set, called with one line about each decision: device, runs, fallback. */
	void			(*note)(void *context, const char *line);
	void			*note_context;

	/* If set, called with each warning, one line.  The job continues. */
	void			(*warn)(void *context, const char *line);
	void			*warn_context;
};

/* The busy time of the threads of a job, in seconds.  The sum is THREADS times the time of the
 * job, or more if other threads read ahead or write. */
struct gsort_stages {
	double read;			/* includes waiting for input, and decompression */
	double decode;			/* bytes to keys */
	double sort;
	double merge;
	double spill;			/* to and from temporary files */
	double encode;			/* keys to bytes; selection and verification, too */
	double write;			/* includes waiting for output */
	double idle;			/* waiting for other threads, or for a GPU */
};

/* What a job did.  The figures are complete when gsort_run() has returned. */
struct gsort_stats {
	uint64_t    keys;		/* read */
	uint64_t    keys_out;		/* written, after selection */
	uint64_t    bytes_in;		/* after decompression */
	uint64_t    bytes_out;
	uint64_t    invalid_lines;	/* left out */
	uint64_t    breaks;		/* of a check: keys less than the one before */
	uint64_t    duplicates;		/* of a check: keys equal to the one before */
	double      seconds;		/* from gsort_run()'s call to its return */
	double      read_seconds;	/* of these, until the last key was read */
	double      sort_seconds;	/* from then until the first sorted key was ready */
	double      write_seconds;	/* the rest */
	const char *device;		/* for people: "cpu, avx2, 2 threads"; owned by the job */
	const char *device_rule;	/* why there; static; NULL before a plan */
	unsigned    threads;
	unsigned    batches;		/* sorted batches that were merged; 1: no merge was needed */
	unsigned    runs;		/* of these, in temporary files */
	uint64_t    spilled_bytes;	/* written to temporary files, all passes together */
	unsigned    merge_passes;	/* over the temporary files, the last one included */
	bool        verified;		/* VERIFY found no error */
	double      h2d_seconds;	/* keys were copied to the GPU; these three may overlap, */
	double      gpu_sort_seconds;	/* sorted there, */
	double      d2h_seconds;	/* and copied back */
	uint64_t    gpu_bytes;		/* GPU memory used, at most */
	struct gsort_stages busy;
};

/* How far a job has come. */
enum gsort_phase { GSORT_IDLE, GSORT_READING, GSORT_SORTING, GSORT_MERGING, GSORT_WRITING,
                   GSORT_DONE };

struct gsort_progress {
	enum gsort_phase phase;
	uint64_t bytes_in;		/* read so far, after decompression */
	uint64_t bytes_total;		/* that will be read; UINT64_MAX: unknown */
	uint64_t keys_in;
	uint64_t keys_sorted;		/* of keys_in, ready to be written */
	uint64_t bytes_out;
	unsigned runs;			/* written or kept so far */
};

typedef enum gsort_status {
	GSORT_OK       = 0,
	GSORT_DISORDER = 1,		/* a check found the input not sorted */
	GSORT_ERROR  = 2,		/* gsort_message() describes it */
} gsort_status;

typedef struct gsort gsort;

/**
 * Check the options, open every input, plan, and open the output.
 *
 * @job      set to the new job, or to NULL after an error
 * @options  borrowed until gsort_close()
 * @return   GSORT_OK; GSORT_ERROR: nothing has been read or written
 */
gsort_status gsort_open(gsort **job, const struct gsort_options *options);

/**
 * Describe the plan: call PRINT with each line, without newline.  Valid between gsort_open()
 * and gsort_run().
 */
void gsort_plan(const gsort *job, void (*print)(void *context, const char *line), void *context);

/**
 * Read, sort and write everything.  Once for each job, and not if it is FED or DRAINED.
 *
 * @return  GSORT_OK: the output is complete and closed; GSORT_DISORDER: a check found the input
 *          not sorted; GSORT_ERROR: a named output is unchanged, unless it had to be written in
 *          place (a device, a FIFO, a file with several hard links), or the error is only that
 *          lines were left out (GSORT_INVALID_FAIL)
 */
gsort_status gsort_run(gsort *job);

/*
 * A job that is fed, drained or both runs in a thread of its own, which the first of these calls
 * starts.  The thread ends when all input is read and all output written; the job's result is
 * what gsort_run() would have returned, and gsort_message() describes it.  One thread may feed
 * while another one drains.  A single thread feeds everything, ends the input, then drains; a
 * merge writes before it has read everything, so it needs two threads.
 */

/**
 * Give the job the next BYTES of input.  DATA may be reused on return.
 *
 * @return  GSORT_OK: the job has taken all of it; else the job has ended, with this result
 */
gsort_status gsort_feed(gsort *job, const void *data, size_t bytes);

/**
 * End the input.
 *
 * @return  if the job is drained: GSORT_OK, at once; else the job's result, for which it waits
 */
gsort_status gsort_feed_end(gsort *job);

/**
 * Wait for output, and store the next BYTES of it.
 *
 * @got     set to BYTES, or less at the end of the output
 * @return  GSORT_OK if *GOT is BYTES; at the end the job's result
 */
gsort_status gsort_drain(gsort *job, void *into, size_t bytes, size_t *got);

/** What the job has done so far; owned by the job, valid until gsort_close(). */
const struct gsort_stats *gsort_stats(const gsort *job);

/** Store in PROGRESS how far the job has come.  Any thread, also while gsort_run() runs. */
void gsort_progress(const gsort *job, struct gsort_progress *progress);

/** Free the job; NULL is allowed.  A job that has not ended is stopped: its output file is
 *  unchanged. */
void gsort_close(gsort *job);

/**
 * Remove unfinished output files that have a name, because a signal is about to end the process.
 * Async-signal-safe; no job may continue after it.
 */
void gsort_abandon(void);

/** The message of this thread's last error, without newline; never NULL.  It contains names and
 *  lines of the input unchanged. */
const char *gsort_message(void);

/**
 * The type called NAME: "u8" .. "u64", "i8" .. "i64", "f32", "f64", "text",
 * "text-float".
 *
 * @return  true and *TYPE set, or false: no such type
 */
bool gsort_type_named(const char *name, enum gsort_type *type);

/* Two options that cannot be used together, by their long names in gsort(1): "to", "type". */
struct gsort_conflict {
	const char *one, *other;	/* string constants */
	bool        needs;		/* ONE needs OTHER; false: they exclude each other */
};

/**
 * Find two options that cannot be used together, so that a program can name them in its own
 * words.  gsort_open() refuses such OPTIONS.  O(1); any thread may call it.
 *
 * @return  true: *CONFLICT is set; false: there is no conflict
 */
bool gsort_conflict(const struct gsort_options *options, struct gsort_conflict *conflict);

/**
 * Describe this machine, a line at a time: processors, GPUs, memory, temporary directories.
 *
 * @options  its temp_dirs are described; may be all zero
 *
 * Slow where there is a GPU: it loads the GPU module and creates a context (0.3 s).
 */
void gsort_info(const struct gsort_options *options,
                void (*print)(void *context, const char *line), void *context);

/** The version, "X.Y.Z". */
const char *gsort_version(void);

/** Describe this build, a line at a time: vector instructions, the GPU module or why it cannot be
 *  loaded, libraries.  Loads the module; opens no GPU. */
void gsort_build(void (*print)(void *context, const char *line), void *context);

#ifdef __cplusplus
}
#endif
#endif
