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
 * borrowed until gsort_close().  A job belongs to one thread at a time.
 */
#ifndef GSORT_H
#define GSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the keys are.  Binary keys are in the byte order of the host. */
enum gsort_type {
	GSORT_TEXT,		/* decimal integers, -2^63 .. 2^64-1, one per line */
	GSORT_U8, GSORT_I8, GSORT_U16, GSORT_I16,
	GSORT_U32, GSORT_I32, GSORT_U64, GSORT_I64,
	GSORT_F32, GSORT_F64,	/* IEEE 754 totalOrder, payloads kept */
};

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
	enum gsort_type		 type;
	bool			 reverse;	/* largest first */
	bool			 unique;	/* of equal keys only one */
	bool			 force;		/* binary keys may come from or go to a terminal */

	const char *const	*inputs;	/* file names; "-" is standard input */
	size_t			 input_count;	/* 0: standard input */
	enum gsort_decompress	 decompress;
	const char		*output;	/* NULL: standard output */

	enum gsort_device	 device;
	int			 gpu_index;	/* with GSORT_DEVICE_GPU: as CUDA counts them, from 0 */
	uint64_t		 gpu_memory_bytes;	/* most device memory to use; 0: by percent */
	unsigned		 gpu_memory_percent;	/* of the free device memory; 0: 80 */
	unsigned		 threads;	/* 0: one per core, at most 16 */

	/* Called, if set, with one line of news at a time: decisions, fallbacks. */
	void			(*note)(void *context, const char *line);
	void			*note_context;
};

/* What a job did.  Counts are complete once gsort_run() has returned GSORT_OK. */
struct gsort_stats {
	uint64_t    keys;		/* read */
	uint64_t    keys_out;		/* written: fewer with unique */
	uint64_t    bytes_in;		/* after decompression */
	uint64_t    bytes_out;
	double      seconds;		/* from gsort_run()'s call to its return */
	double      read_seconds;	/* of these, until the last key was in */
	double      sort_seconds;	/* from then until the first sorted key was there */
	double      write_seconds;	/* the rest */
	const char *device;		/* "cpu", or the name of the GPU; static or the job's */
	unsigned    threads;
	unsigned    batches;		/* sorted pieces that had to be merged on the host; 1: none */
};

typedef enum gsort_status {
	GSORT_OK       = 0,
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
 * Read, sort and write everything.  Once per job.
 *
 * @return  GSORT_OK: all keys written and the output closed without error; or
 *          GSORT_TROUBLE: a named output file is as it was before, except one
 *          that had to be written in place (devices, pipes, hard links)
 */
gsort_status gsort_run(gsort *job);

/** What has been done so far; the job's, valid until gsort_close(). */
const struct gsort_stats *gsort_stats(const gsort *job);

/** Give everything back.  NULL is allowed. */
void gsort_close(gsort *job);

/** One sentence about this thread's last trouble, without newline; never NULL. */
const char *gsort_message(void);

/**
 * The type called NAME: "u8" .. "u64", "i8" .. "i64", "f32", "f64", "text".
 *
 * @return  true and *TYPE set, or false: no such type
 */
bool gsort_type_named(const char *name, enum gsort_type *type);

/** "X.Y.Z", then after a newline what this build contains. */
const char *gsort_version(void);

#ifdef __cplusplus
}
#endif
#endif
