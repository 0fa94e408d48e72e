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
 * never prints and never exits.  Options, and the strings they point to, are
 * borrowed until gsort_close().  A job belongs to one thread at a time, where nothing
 * else is said.
 */
#ifndef GSORT_H
#define GSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the keys are.  Binary keys are in the byte order of the host, unless told. */
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

/* How much a check says; gsort_run() returns GSORT_DISORDER whichever it is. */
enum gsort_check {
	GSORT_CHECK_FIRST,	/* gsort_message() tells the first key out of order */
	GSORT_CHECK_QUIET,	/* stop there, too, but without a message */
	GSORT_CHECK_SUMMARY,	/* read all: stats.breaks and stats.duplicates */
};

/* What becomes of a line of text that is no number. */
enum gsort_invalid {
	GSORT_INVALID_ABORT,	/* trouble, at once */
	GSORT_INVALID_FAIL,	/* left out with a warning; trouble once all else is written */
	GSORT_INVALID_WARN,	/* left out with a warning */
	GSORT_INVALID_IGNORE,	/* left out */
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
	GSORT_DEVICE_AUTO,	/* by size; a GPU that cannot be opened is done without */
	GSORT_DEVICE_CPU,
	GSORT_DEVICE_GPU,	/* this or an error */
};

/* All zero means: text from standard input, ascending, to standard output. */
struct gsort_options {
	enum gsort_operation	 operation;
	enum gsort_type		 type;
	bool			 reverse;	/* largest first */
	bool			 force;		/* binary keys may come from or go to a terminal */

	/* which keys go out */
	bool			 unique;	/* of equal keys only one */
	bool			 counts;	/* like unique, each with how often it came */
	bool			 repeated;	/* only keys that came more than once, once each */
	bool			 singletons;	/* only keys that came once */
	bool			 head;		/* only the first HEAD_COUNT of what would go out */
	uint64_t		 head_count;
	bool			 verify;	/* that the output is in order and has the input's keys */

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
						 * go out first, unsorted, the others' are dropped */
	uint64_t		 skip_bytes;	/* the same, for binary inputs */
	uint64_t		 size_hint;	/* bytes that the input will have; 0: nobody knows */

	/* Called for input instead of the above: as read(2); -1 and errno: trouble. */
	ptrdiff_t		(*read)(void *context, void *into, size_t bytes);
	void			*read_context;
	bool			 fed;		/* or: input is given by gsort_feed() */

	/* output */
	const char		*output;	/* NULL: standard output */
	bool			 in_place;	/* write over an existing file, do not replace it */
	bool			 converts;	/* the output's type is another: TO */
	enum gsort_type		 to;		/* GSORT_TEXT: numbers as text, whatever they are */

	/* Called for output instead: takes all bytes and returns 0; or -1 and errno. */
	int			(*write)(void *context, const void *data, size_t bytes);
	void			*write_context;
	bool			 drained;	/* or: output is fetched by gsort_drain() */

	/* resources */
	enum gsort_device	 device;
	int			 gpu_index;	/* with GSORT_DEVICE_GPU: as CUDA counts them, from 0 */
	uint64_t		 gpu_memory_bytes;	/* most device memory to use; 0: by percent */
	unsigned		 gpu_memory_percent;	/* of the free device memory; 0: 80 */
	unsigned		 threads;	/* 0: one per core, at most 16 */
	uint64_t		 memory_bytes;	/* most host memory to use, in all; 0: by percent */
	unsigned		 memory_percent;	/* of physical memory; 0: what can be had */
	bool			 sandbox;	/* confine the process while it decompresses, to its end:
						 * for programs that do nothing else */
	const char *const	*temp_dirs;	/* for temporary files, in rotation */
	size_t			 temp_dir_count;	/* 0: $TMPDIR, else /tmp */
	const char		*compress_program;	/* for them: "zstd" and "lz4" need no program */
	unsigned		 merge_files;	/* most runs or files merged at once; 0: by memory */

	/* Called, if set, with one line of news at a time: decisions, fallbacks. */
	void			(*note)(void *context, const char *line);
	void			*note_context;

	/* Called, if set, with one line that a user should see although the job goes on. */
	void			(*warn)(void *context, const char *line);
	void			*warn_context;
};

/* What a job did.  Counts are complete once gsort_run() has returned. */
/* What the threads of a job were busy with: seconds of all of them together, so the sum is
 * THREADS times as long as the job, or more where a thread beside them reads or writes. */
struct gsort_stages {
	double read;			/* waiting for input, and decompressing, included */
	double decode;			/* bytes to keys */
	double sort;
	double merge;
	double spill;			/* to and from temporary files */
	double encode;			/* keys to bytes; selecting and verifying, too */
	double write;			/* waiting for output included */
	double idle;			/* waiting for each other, or for a GPU */
};

struct gsort_stats {
	uint64_t    keys;		/* read */
	uint64_t    keys_out;		/* written: fewer with unique */
	uint64_t    bytes_in;		/* after decompression */
	uint64_t    bytes_out;
	uint64_t    invalid_lines;	/* left out */
	uint64_t    breaks;		/* of a check: keys less than the one before */
	uint64_t    duplicates;		/* of a check: keys equal to the one before */
	double      seconds;		/* from gsort_run()'s call to its return */
	double      read_seconds;	/* of these, until the last key was in */
	double      sort_seconds;	/* from then until the first sorted key was there */
	double      write_seconds;	/* the rest */
	const char *device;		/* "cpu", or the name of the GPU; static or the job's */
	unsigned    threads;
	unsigned    batches;		/* sorted pieces that had to be merged on the host; 1: none */
	unsigned    runs;		/* of these, on disk */
	uint64_t    spilled_bytes;	/* written to temporary files, all passes together */
	unsigned    merge_passes;	/* over spilled keys, the last one included */
	bool        verified;		/* order, count and checksum were right */
	double      h2d_seconds;	/* keys were on their way to the GPU; 0 on the CPU, ... */
	double      gpu_sort_seconds;	/* ... it sorted, ... */
	double      d2h_seconds;	/* ... and they were on their way back: parts overlap */
	uint64_t    gpu_bytes;		/* GPU memory that was used */
	struct gsort_stages busy;
};

/* How far a job has come. */
enum gsort_phase { GSORT_IDLE, GSORT_READING, GSORT_SORTING, GSORT_MERGING, GSORT_WRITING,
                   GSORT_DONE };

struct gsort_progress {
	enum gsort_phase phase;
	uint64_t bytes_in;		/* read so far, after decompression */
	uint64_t bytes_total;		/* that will be read; UINT64_MAX: nobody knows */
	uint64_t keys_in;
	uint64_t keys_sorted;		/* of keys_in, so far drained from the last merge */
	uint64_t bytes_out;
	unsigned runs;			/* set aside so far */
};

typedef enum gsort_status {
	GSORT_OK       = 0,
	GSORT_DISORDER = 1,		/* of a check: the input is not in order */
	GSORT_TROUBLE  = 2,		/* gsort_message() says what, and what would have worked */
} gsort_status;

typedef struct gsort gsort;

/**
 * Check the options, open every input, plan, and open the output.
 *
 * @job      set to the new job, or to NULL on trouble
 * @options  borrowed until gsort_close()
 * @return   GSORT_OK, or GSORT_TROUBLE: nothing was read, nothing written
 */
gsort_status gsort_open(gsort **job, const struct gsort_options *options);

/**
 * Tell the plan: a line at a time, to TELL, without newlines.  Valid between
 * gsort_open() and gsort_run().
 */
void gsort_plan(const gsort *job, void (*tell)(void *context, const char *line), void *context);

/**
 * Read, sort and write everything.  Once per job, and only if its options do not say
 * FED or DRAINED.
 *
 * @return  GSORT_OK: all keys written and the output closed without error; or
 *          GSORT_TROUBLE: a named output file is as it was before, except one
 *          that had to be written in place (devices, pipes, hard links), and
 *          with GSORT_INVALID_FAIL; GSORT_DISORDER from a check alone
 */
gsort_status gsort_run(gsort *job);

/*
 * Jobs that are fed, drained or both run in a thread of their own, from the first of
 * these calls on.  It ends when all input is in and all output out; its result is then
 * what gsort_run() would have returned, and gsort_message() its sentence.  One thread
 * may feed while another one drains.  One alone feeds everything, ends, and then
 * drains; a merge, which writes before it has read all, needs two.
 */

/**
 * Give the job BYTES more of input; DATA may be changed when it returns.
 *
 * @return  GSORT_OK: taken; else the job has ended early, with this result
 */
gsort_status gsort_feed(gsort *job, const void *data, size_t bytes);

/**
 * There is no more input.
 *
 * @return  the job's result, for which it waits, if the output is not drained; else
 *          GSORT_OK, at once
 */
gsort_status gsort_feed_end(gsort *job);

/**
 * Fetch the next BYTES of output.
 *
 * @got     set to BYTES, or less: the output ends there
 * @return  GSORT_OK; with *GOT less than BYTES the job's result
 */
gsort_status gsort_drain(gsort *job, void *into, size_t bytes, size_t *got);

/** What has been done so far; the job's, valid until gsort_close(). */
const struct gsort_stats *gsort_stats(const gsort *job);

/** How far it has come.  May be called by any thread while gsort_run() goes on. */
void gsort_progress(const gsort *job, struct gsort_progress *progress);

/** Give everything back; a job that has not ended is given up.  NULL is allowed. */
void gsort_close(gsort *job);

/**
 * The process is about to be killed by a signal: remove files that are not complete and
 * have names.  Async-signal-safe; no job may go on after it.
 */
void gsort_abandon(void);

/** One sentence about this thread's last trouble, without newline at its end; never NULL.
 *  Names and lines of the input are in it as they are. */
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
 * @return  true and *CONFLICT is set; or false: there are none
 */
bool gsort_conflict(const struct gsort_options *options, struct gsort_conflict *conflict);

/**
 * Describe this machine, a line at a time: GPUs, memory, temporary directories.
 *
 * @options  the limits and directories to describe; may be all zero
 *
 * Slow where there is a GPU: it loads the GPU module and creates a context (0.3 s).
 */
void gsort_info(const struct gsort_options *options,
                void (*print)(void *context, const char *line), void *context);

/** The version, "X.Y.Z". */
const char *gsort_version(void);

/** Describe this build, a line at a time: SIMD, the GPU module, libraries.  Loads the module. */
void gsort_build(void (*print)(void *context, const char *line), void *context);

#ifdef __cplusplus
}
#endif
#endif
