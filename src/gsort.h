// SPDX-License-Identifier: BSD-2-Clause
/*
 * gsort.h - sort a stream of numbers
 *
 * The whole public interface of libgsort.  One job at a time is described by a
 * struct gsort_options, opened, run and closed:
 *
 *     struct gsort_options options = { .struct_size = sizeof options, .type = GSORT_U32 };
 *     gsort *job;
 *
 *     if (gsort_open(&job, &options) != GSORT_OK || gsort_run(job) != GSORT_OK)
 *             fprintf(stderr, "%s\n", gsort_message());
 *     gsort_close(job);
 *
 * reads standard input and writes it, sorted, to standard output.  The library
 * never prints and never exits.  The strings and arrays that options point to are borrowed until
 * gsort_close().  A job belongs to one thread at a time, unless a function says otherwise.
 *
 * A wrong call returns GSORT_ERROR with GSORT_ERROR_USAGE, and never ends the program.  A call is wrong if
 * an enum or a flag has an invalid value, if a required pointer is NULL, or if calls come in the wrong order
 * or twice, even from several threads.  After a wrong call, a function without a result does nothing.  The
 * library cannot check three things: that an array is as large as its count says, that gsort_close() is the
 * last call for a job, and that the calling thread has 64 KiB of stack left.
 *
 * Structs grow at their end, or in members called reserved, so a program works with a later
 * library of the same soname without being compiled again.
 */
#ifndef GSORT_H
#define GSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __GNUC__
#define GSORT_API	__attribute__((visibility("default")))
#else
#define GSORT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The type of the keys.  Binary keys are in the byte order of the host, or of ENDIAN. */
enum gsort_type {
	GSORT_TEXT,		/* decimal integers, -2^63 .. 2^64-1, one per line */
	GSORT_U8, GSORT_I8, GSORT_U16, GSORT_I16,
	GSORT_U32, GSORT_I32, GSORT_U64, GSORT_I64,
	GSORT_F32, GSORT_F64,	/* -inf .. -0, 0 .. inf, NaN, -NaN; payloads kept */
	GSORT_F16, GSORT_BF16,	/* the same: binary16, and bfloat16 */
	GSORT_TEXT_FLOAT,	/* decimal floats (f64), one per line: -inf .. -0, 0 .. inf, NaN */
	GSORT_U128, GSORT_I128,	/* binary, or in records; converted to text only; not in arrays */
};

/* How integers of GSORT_TEXT are written, in the input and in the output. */
enum gsort_notation {
	GSORT_DECIMAL,
	GSORT_HEXADECIMAL,	/* 1f, 0x1F, -1f */
	GSORT_IPV4,		/* 192.0.2.1: an integer of 32 bits */
	GSORT_TIME,		/* ISO 8601: nanoseconds since 1970 */
};

enum gsort_operation {
	GSORT_SORT,
	GSORT_MERGE,		/* the inputs are sorted: merge them */
	GSORT_CHECK,		/* is the input sorted?  Nothing is written */
};

/* A set operation on inputs, sorted or not, which are multisets: if a key occurs M times in the first
 * input and N times in the second, the output has it as often as shown here.  With more than two
 * inputs, the result of the first two is combined with the third, and so on.  Lines and records are
 * equal if their keys are equal; the one from the first input is written. */
enum gsort_set {
	GSORT_NO_SET,
	GSORT_UNION,		/* max(M, N) */
	GSORT_INTERSECT,	/* min(M, N) */
	GSORT_DIFFERENCE,	/* max(M - N, 0) */
	GSORT_SYMMETRIC,	/* |M - N| */
};

/* How much a check reports; gsort_run() returns GSORT_DISORDER in every case. */
enum gsort_check {
	GSORT_CHECK_FIRST,	/* gsort_message() names the first key out of order */
	GSORT_CHECK_QUIET,	/* stop there, too, but without a message */
	GSORT_CHECK_SUMMARY,	/* read all: stats.breaks and stats.duplicates */
};

/* What to do with a line of text that is not a number, or whose numeric key, given by name or with CSV, is
 * not a number. */
enum gsort_invalid {
	GSORT_INVALID_ABORT,	/* an error, at once */
	GSORT_INVALID_FAIL,	/* warn and leave it out; return an error after the rest is written */
	GSORT_INVALID_WARN,	/* warn and leave it out */
	GSORT_INVALID_IGNORE,	/* leave it out */
	GSORT_INVALID_SKIP_BLANK,	/* leave it out if it is empty or blank, else an error, at once */
};

/* Byte order of binary keys, in and out. */
enum gsort_endian { GSORT_ENDIAN_HOST, GSORT_ENDIAN_LITTLE, GSORT_ENDIAN_BIG };

/* How the input is compressed. */
enum gsort_decompress {
	GSORT_DECOMPRESS_AUTO,	/* by its first bytes; binary: by the suffix of its name, too */
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

/* What a job is doing. */
enum gsort_phase { GSORT_IDLE, GSORT_READING, GSORT_SORTING, GSORT_MERGING, GSORT_WRITING,
                   GSORT_DONE };

enum { GSORT_GPUS_MOST = 16 };		/* GPUs in a list for ranks */
#define GSORT_ALL_GPUS	(~0u)

#define GSORT_RECORD_MOST_BYTES	(1u << 20)

/* A key of a binary record. */
struct gsort_key {
	enum gsort_type type;		/* binary; GSORT_TEXT: bytes, compared as unsigned numbers */
	uint64_t        offset;		/* in the record */
	uint64_t        bytes;		/* with GSORT_TEXT: the length of the key */
	bool            reverse;	/* largest first, whatever REVERSE is for all keys */
	enum gsort_endian endian;	/* GSORT_ENDIAN_HOST: the same as for all keys */
	const char     *name;		/* NULL: no longer used */
	uint64_t        reserved[2];	/* 0: an array of keys cannot grow otherwise */
};

/* The format of binary input. */
enum gsort_format {
	GSORT_FORMAT_AUTO,		/* keys or records; an error if a file begins like something else */
	GSORT_FORMAT_RAW,		/* keys or records, whatever the first bytes of a file are */
	GSORT_FORMAT_NPY,		/* no longer used */
};

/* Where the bars of a histogram begin and end. */
enum gsort_edges {
	GSORT_EDGES_EQUAL,		/* equal widths, from the least number to the greatest */
	GSORT_EDGES_ROUND,		/* equal widths, at round numbers, perhaps fewer bars */
	GSORT_EDGES_LOG,		/* at 1, 2, 5, 10, 20 ..., or powers of ten; perhaps fewer bars */
};

/* The processes that sort together; only gsort-mpi has them. */
struct gs_ranks;

/* A number of keys that may be 0. */
struct gsort_count {
	bool     wanted;
	uint64_t count;
};

/* If all but struct_size is zero: sort text from standard input, ascending, to standard output. */
struct gsort_options {
	size_t			 struct_size;	/* sizeof(struct gsort_options) */

	enum gsort_operation	 operation;
	enum gsort_set		 set;		/* with GSORT_SORT, for two or more named inputs; with
						 * UNIQUE, inputs are sets: M and N are 0 or 1 */
	enum gsort_type		 type;
	enum gsort_notation	 notation;	/* of integers as text, in the input and in the output */
	bool			 reverse;	/* largest first */
	bool			 force;		/* allow binary keys from or to a terminal, inputs that look
						 * like something other than numbers, and an OUTPUT with the
						 * suffix of a compressed file */

	/* which keys are written */
	bool			 unique;	/* one of equal keys */
	bool			 counts;	/* like unique, each with its number of occurrences; for lines
						 * and records with keys, only the keys */
	bool			 repeated;	/* one of each key that occurs more than once */
	bool			 singletons;	/* only keys that occur once */
	bool			 head;		/* only the first HEAD_COUNT of the selected keys */
	uint64_t		 head_count;
	struct gsort_count	 tail;		/* only the last keys, this many, in order */
	struct gsort_count	 sample;	/* only this many random keys, in order; every set of that
						 * many keys is equally likely */
	uint64_t		 seed;		/* the same keys and SEED give the same sample */

	/* figures about all keys, instead of the keys; they can be combined */
	const char		*quantiles;	/* "0.5,0.95": numbers from 0 to 1 with at most 18 decimals;
						 * the figure is the key of the nearest rank; NULL: none */
	bool			 summary;	/* count, distinct, min, quartiles, max, sum, mean */
	struct gsort_count	 top;		/* this many of the most frequent values, with counts */
	unsigned		 histogram;	/* bars, at most 2^20; 0: off; see HISTOGRAM_EDGES */
	unsigned		 bar_columns;	/* draw bars in this width, and align names; 0: do neither */
	bool			 json;		/* figures, tail or sample as JSON */
	bool			 verify;	/* check the output: order, number and checksum */

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
	uint64_t		 header_lines;	/* lines at the top of each text input, the same in all; they
						 * are copied to the start of the output */
	uint64_t		 skip_bytes;	/* bytes at the top of each binary input; those of the first
						 * input are copied to the output, the others are dropped */
	uint64_t		 size_hint;	/* approximate bytes of the input; 0: unknown */

	/* If set, called instead of reading INPUTS, as read(2) is: after an error, it sets errno and returns
	 * -1.  If it returns any other number outside 0 .. BYTES, the job fails with EPROTO. */
	ptrdiff_t		(*read)(void *context, void *into, size_t bytes);
	void			*read_context;
	bool			 was_fed;	/* false: no longer used */

	/* output */
	const char		*output;	/* NULL: standard output */
	bool			 in_place;	/* overwrite an existing file, do not replace it */
	unsigned		 split;		/* write the output to this many files, at most 1024; "%r" in
						 * OUTPUT becomes the number of each, "%%" a "%"; 0: one
						 * output */
	bool			 converts;	/* convert keys to the type TO */
	enum gsort_type		 to;		/* GSORT_TEXT: any type as text */

	/* If set, called instead of writing OUTPUT: takes all bytes and returns 0, or sets errno and returns
	 * -1.  If it returns any other number, the job fails with EPROTO. */
	int			(*write)(void *context, const void *data, size_t bytes);
	void			*write_context;
	bool			 was_drained;	/* false: no longer used */

	/* resources */
	enum gsort_device	 device;
	int			 gpus[GSORT_GPUS_MOST];	/* with GSORT_DEVICE_GPU: CUDA's number of the GPU,
						 * from 0; for ranks, a list without repetitions */
	unsigned		 gpu_count;	/* 0 or 1: one GPU; for ranks, also more, or GSORT_ALL_GPUS */
	uint64_t		 gpu_memory_bytes;	/* limit of the GPU's memory; 0: by percent */
	unsigned		 gpu_memory_percent;	/* of free GPU memory; 0: 80 */
	unsigned		 threads;	/* 0: one per core, at most 16, or 64: gsort(1) */
	uint64_t		 memory_bytes;	/* limit of host memory, in all; 0: by percent */
	unsigned		 memory_percent;	/* of physical memory; 0: all available */
	bool			 sandbox;	/* if an input may be compressed, gsort_open() puts the
						 * calling thread, and all that it starts, into a sandbox
						 * for good: only for programs that do nothing else */
	const char *const	*temp_dirs;	/* for temporary files, in rotation until they are full */
	size_t			 temp_dir_count;	/* 0: $TMPDIR, else /tmp */
	const char		*compress_program;	/* "zstd" or "lz4" compresses them; NULL: none does */
	unsigned		 merge_files;	/* limit of runs or files merged at once; 0: by memory */

	bool			explained;	/* gsort_plan() will be called: read all limits of the
						 * machine, even for a small input, and plan
						 * for SIZE_HINT, whatever the size of the input */

	/* If set, called with one line about each decision: device, runs, fallback. */
	void			(*note)(void *context, const char *line);
	void			*note_context;

	/* If set, the thread that runs the job calls it when a phase of a sort begins. */
	void			(*begins)(void *context, enum gsort_phase phase);
	void			*begins_context;

	/* If set, called with each warning, one line.  The job continues. */
	void			(*warn)(void *context, const char *line);
	void			*warn_context;

	/* Binary records instead of keys: they are moved as a whole.  TYPE stays 0. */
	uint64_t		 record_bytes;	/* the size of a record; 0: the input is keys, not records */
	const struct gsort_key	*keys;		/* a later key decides if the earlier ones are equal; equal
						 * records stay in input order */
	size_t			 key_count;	/* 0: all bytes of the record are the key */

	enum gsort_format	 format;	/* of binary input */

	unsigned		 argsort_bits;	/* 32 or 64: instead of the keys, records or lines, write
						 * their positions in the input, from 0, as unsigned
						 * integers; for text, positions count lines; 0: off */

	/* Lines by key, in the order of sort(1) in the C locale or in LOCALE; lines are written unchanged. */
	bool			 lines;		/* sort lines, not numbers; TYPE stays 0 */
	const char *const	*keydefs;	/* as for sort(1): "3,3n"; with HEADER_LINES also "name:n" */
	size_t			 keydef_count;	/* 0: the whole line is the key */
	const char		*ordering;	/* letters that apply to all keys: "nr"; or NULL */
	const char		*separator;	/* between fields: one byte, or "\\0" for NUL; NULL: blanks,
						 * or a comma with CSV */
	bool			 csv;		/* fields may be quoted (RFC 4180) */
	bool			 stable;	/* lines with equal keys stay in the order of the input;
						 * otherwise their bytes decide */
	bool			 underline;	/* mark the keys below each line */

	unsigned		 was_plan_ranks;	/* 0: no longer used */

	/* For gsort-mpi: the ranks that sort together, all with these options; NULL: this process. */
	struct gs_ranks		*ranks;

	bool			 keep_order;	/* with UNIQUE, REPEATED or SINGLETONS, for lines, records
						 * and binary keys: write them in the order of the input */
	enum gsort_edges	 histogram_edges;	/* where the bars of HISTOGRAM begin and end */

	const char		*locale;	/* for lines: a name; "": the environment's; NULL: C */

	bool			 memory_grows;	/* a line or input that needs more than MEMORY_BYTES gets
						 * it, as with sort(1) */
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
	double reserved[8];		/* 0 */
};

/* What a job did.  The figures are complete when gsort_run() has returned. */
struct gsort_stats {
	size_t      struct_size;	/* of the library: it has no members beyond these bytes */
	uint64_t    keys;		/* read */
	uint64_t    keys_out;		/* written, after selection */
	uint64_t    bytes_in;		/* after decompression */
	uint64_t    bytes_out;
	uint64_t    invalid_lines;	/* left out */
	uint64_t    breaks;		/* in a check: keys less than the one before */
	uint64_t    duplicates;		/* in a check: keys equal to the one before */
	double      seconds;		/* from the call of gsort_run() to its return */
	double      read_seconds;	/* of these, until the last key was read */
	double      sort_seconds;	/* from then until the first sorted key was ready */
	double      write_seconds;	/* the rest */
	const char *device;		/* for people: "cpu, avx2, 2 threads"; owned by the job */
	const char *device_rule;	/* the rule that chose it; static; NULL before a plan */
	unsigned    threads;
	unsigned    batches;		/* sorted batches that were merged; 1: no merge was needed */
	unsigned    runs;		/* of these, in temporary files */
	uint64_t    spilled_bytes;	/* written to temporary files, all passes together */
	unsigned    merge_passes;	/* over the temporary files, including the last one */
	bool        verified;		/* VERIFY found no error */
	double      h2d_seconds;	/* keys were copied to the GPU; these three may overlap, */
	double      gpu_sort_seconds;	/* sorted there, */
	double      d2h_seconds;	/* and copied back */
	uint64_t    gpu_bytes;		/* peak of the GPU memory used */
	struct gsort_stages busy;
};

/* How far a job has come. */
struct gsort_progress {
	enum gsort_phase phase;
	uint64_t bytes_in;		/* read so far, after decompression */
	uint64_t bytes_total;		/* to be read in all; UINT64_MAX: unknown */
	uint64_t keys_in;
	uint64_t keys_sorted;		/* of keys_in, ready to be written */
	uint64_t bytes_out;
	unsigned runs;			/* written or kept so far */
	uint64_t stored_in;		/* bytes read from files so far, before decompression */
	uint64_t stored_total;		/* bytes of these files together; UINT64_MAX: unknown */
	uint64_t work_done;		/* part of WORK_TOTAL, in nanoseconds by the plan */
	uint64_t work_total;		/* 0: unknown, while the size of the input is unknown */
	uint64_t reserved[6];		/* 0 */
};

typedef enum gsort_status {
	GSORT_OK       = 0,
	GSORT_DISORDER = 1,		/* a check found the input not sorted */
	GSORT_ERROR  = 2,		/* gsort_message() describes it, gsort_last_error() is its kind */
} gsort_status;

/* Kinds of errors, by what a program can do about them.  Later versions may have more. */
enum gsort_error {
	GSORT_ERROR_NONE,
	GSORT_ERROR_USAGE,		/* options or calls are wrong: change the program */
	GSORT_ERROR_INPUT,		/* the input is not what its type says: change the input */
	GSORT_ERROR_IO,			/* a file cannot be opened, read or written; a full disk */
	GSORT_ERROR_MEMORY,		/* not enough, or more than memory_bytes */
	GSORT_ERROR_DEVICE,		/* no GPU, or it failed: GSORT_DEVICE_CPU works without it */
	GSORT_ERROR_INTERRUPTED,	/* gsort_interrupt() was called */
};

typedef struct gsort gsort;

/**
 * Check the options, open every input, plan, and open the output.
 *
 * @job      set to the new job, or to NULL after an error
 * @options  copied; what they point to is borrowed until gsort_close().  A struct_size larger than
 *           the library's is allowed if all members unknown to the library are 0.
 * @return   GSORT_OK; GSORT_ERROR: nothing has been read or written
 */
GSORT_API gsort_status gsort_open(gsort **job, const struct gsort_options *options);

/**
 * Describe the plan: call PRINT with each line, without newline.  Valid between gsort_open()
 * and gsort_run().
 */
GSORT_API void gsort_plan(const gsort *job, void (*print)(void *context, const char *line), void *context);

/** The same, as one line of JSON; sizes are in bytes, unknown ones are null. */
GSORT_API void gsort_plan_json(const gsort *job, void (*print)(void *context, const char *line),
                     void *context);

/**
 * Read, sort and write everything.  Call it once for each job.
 *
 * @return  GSORT_OK: the output is complete and closed; GSORT_DISORDER: a check found the input
 *          not sorted; GSORT_ERROR: a named output is unchanged, unless it had to be written in
 *          place (a device, a FIFO, a file with several hard links), or the error is only that
 *          lines were left out (GSORT_INVALID_FAIL)
 */
GSORT_API gsort_status gsort_run(gsort *job);

/** Return what the job has done so far; owned by the job, valid until gsort_close().  For a JOB of NULL, all
 *  figures are 0. */
GSORT_API const struct gsort_stats *gsort_stats(const gsort *job);

/** Store in PROGRESS how far the job has come.  Any thread may call it, even while gsort_run() runs. */
GSORT_API void gsort_progress(const gsort *job, struct gsort_progress *progress);

/** Free the job; NULL is allowed.  A job that has not ended is stopped: its output file is
 *  unchanged. */
GSORT_API void gsort_close(gsort *job);

/**
 * End a job early: its next read or write fails with GSORT_ERROR_INTERRUPTED, and a named output is
 * unchanged.  A sort in memory, or a merge into a longer run, that has begun finishes first.
 *
 * Any thread and any signal handler may call it between gsort_open() and gsort_close().
 */
GSORT_API void gsort_interrupt(gsort *job);

/**
 * Remove unfinished output files that have a name, because a signal is about to end the process.
 * Async-signal-safe; no job may continue after it.
 */
GSORT_API void gsort_abandon(void);

/* ---- arrays -------------------------------------------------------------------------- */

/* How arrays are sorted; NULL, or all zero but for struct_size: ascending, one thread per core. */
struct gsort_array_options {
	size_t   struct_size;		/* sizeof(struct gsort_array_options) */
	bool     reverse;		/* largest first */
	bool     trust_order;		/* gsort_merge_arrays(): do not check the order of the arrays */
	unsigned threads;		/* 0: one per core, at most 16; 1: only the calling one */
	void    *scratch;		/* used instead of memory of the library; not by merges */
	size_t   scratch_bytes;		/* gsort_scratch_bytes() or more; for pairs, see gsort_sort_pairs() */
};

/*
 * These functions take keys of all binary types in this machine's byte order, aligned to their size.
 * Floats are in the order -inf .. -0, 0 .. inf, NaN, -NaN; NaNs keep their bits.  The functions read and
 * write no files.  Several threads may call them at once, each with its own arrays.  The arrays of one call
 * must not overlap.
 *
 * GSORT_ERROR_USAGE: an argument is wrong.  GSORT_ERROR_MEMORY: there is not enough memory; the arrays are
 * unchanged.  For time and memory, see gsort(3).
 */

/**
 * Sort COUNT keys in place.  Equal keys have equal bits, so stability makes no difference.
 *
 * Time: O(n) for keys of 8 and 16 bits, otherwise O(n log n) for most keys and O(n x bits) for any.
 * Memory: none up to 16 KiB of keys; then, for each thread, three times the keys, but at most 2 MiB; from
 * some MiB of keys on, 17/16 of the keys, and 28 MiB per thread, of which it touches about half.  This is
 * OPTIONS.scratch, or memory of the library, which keeps up to 64 MiB for the next call.
 */
GSORT_API gsort_status gsort_sort(void *keys, size_t count, enum gsort_type type,
                                  const struct gsort_array_options *options);

/**
 * Return the bytes of scratch memory that gsort_sort() needs for COUNT keys with these OPTIONS; 0: none, or
 * an argument is wrong.  Without scratch memory, a call that needs more than 64 MiB, or runs beside another
 * call, maps and unmaps memory, which takes up to a third of its time.
 */
GSORT_API size_t gsort_scratch_bytes(size_t count, enum gsort_type type,
                                     const struct gsort_array_options *options);

/**
 * Store in INDICES the indices of COUNT keys, from 0, in sorted order.  INDEX_TYPE is GSORT_U32 or GSORT_U64.
 * The sort is stable: equal keys keep their order, even with REVERSE.
 *
 * Time: that of gsort_sort() for u64.  Memory: 16 bytes per key, 8 more for GSORT_U32, and 12 MiB per thread.
 * OPTIONS.scratch is used if it has 24 bytes per key and 30 MiB per thread.
 */
GSORT_API gsort_status gsort_argsort(const void *keys, size_t count, enum gsort_type type,
                                     void *indices, enum gsort_type index_type,
                                     const struct gsort_array_options *options);

/**
 * Sort COUNT keys in place, and move the elements of PAYLOAD, of 4 or 8 bytes, with them.  The sort is not
 * stable: use gsort_argsort() if equal keys must keep their order.
 *
 * Time: twice that of gsort_sort() for u64, or the same if payloads have 4 bytes and keys at most 32 bits.
 * Memory: 16 to 24 bytes per key, and 12 MiB per thread; 8 bytes per key more if most keys are equal.
 * OPTIONS.scratch is used if it has 24 bytes per key and 30 MiB per thread, which saves up to a quarter of
 * the time.
 */
GSORT_API gsort_status gsort_sort_pairs(void *keys, void *payload, size_t payload_bytes, size_t count,
                                        enum gsort_type type,
                                        const struct gsort_array_options *options);

/**
 * Are COUNT keys sorted?
 *
 * @return  GSORT_OK: yes; GSORT_DISORDER: no, and gsort_message() names the first element out of order;
 *          GSORT_ERROR
 *
 * Time: O(n).  Memory: none.
 */
GSORT_API gsort_status gsort_is_sorted(const void *keys, size_t count, enum gsort_type type,
                                       const struct gsort_array_options *options);

/**
 * Merge ARRAY_COUNT sorted arrays into INTO, which has room for all keys.  Array i has COUNTS[i] keys.
 *
 * @return  GSORT_OK; GSORT_ERROR, with GSORT_ERROR_INPUT if an array is not sorted
 *
 * Time: O(n log k).  Memory: 1 MiB per thread, and 1 KiB per array and thread; for types other than GSORT_U32
 * and GSORT_U64, and with REVERSE, also as much as the keys.
 */
GSORT_API gsort_status gsort_merge_arrays(void *into, const void *const arrays[],
                                          const size_t counts[], size_t array_count,
                                          enum gsort_type type,
                                          const struct gsort_array_options *options);

/* ---- what went wrong, and what there is ------------------------------------------------- */

/** The message of this thread's last error, without newline; never NULL.  It contains names and
 *  lines of the input unchanged. */
GSORT_API const char *gsort_message(void);

/** The kind of this thread's last error; GSORT_ERROR_NONE if there was none. */
GSORT_API enum gsort_error gsort_last_error(void);

/** The errno that caused this thread's last error; 0 if no system call failed. */
GSORT_API int gsort_last_errno(void);

/**
 * The type called NAME: "u8" .. "u64", "i8" .. "i64", "f16" .. "f64", "bf16", "text",
 * "text-float".
 *
 * @return  true and *TYPE set, or false: no such type
 */
GSORT_API bool gsort_type_named(const char *name, enum gsort_type *type);

/* Two options that cannot be used together, by their long names in gsort(1): "to", "type".  A value with a
 * member of its own here is part of the name: "unique=repeated", "to=json".  The members skip_bytes and
 * seed are "skip-bytes" and "seed".  This struct never grows. */
struct gsort_conflict {
	const char *one, *other;	/* string constants */
	bool        needs;		/* ONE needs OTHER; false: they exclude each other */
	const char *why;		/* half a sentence; NULL: the names say it */
};

/**
 * Find two options that cannot be used together, so that a program can name them in its own
 * words.  gsort_open() refuses such OPTIONS.  Opens nothing; any thread may call it.
 *
 * @return  true: *CONFLICT is set; false: there is no conflict, or a single option is invalid, and
 *          gsort_message() describes the error
 */
GSORT_API bool gsort_conflict(const struct gsort_options *options, struct gsort_conflict *conflict);

/**
 * Find out whether NAME is also an input or output of the job, under this or another name.  NAME is a file
 * that the program itself reads or writes while the job runs; it need not exist yet.
 *
 * @written  true: the program writes the file, which may be neither an input nor an output; false: it reads
 *           the file, which may not be an output, and "-" is standard input
 * @return   the name of that input or output, valid until this thread's next call; NULL: no clash
 */
GSORT_API const char *gsort_clash(const struct gsort_options *options, const char *name, bool written);

/**
 * Describe this machine, a line at a time: processors, GPUs, memory, temporary directories.
 *
 * @options  names the directories (temp_dirs); may be all zero, or NULL
 *
 * If there is a GPU, this is slow: it loads the GPU module and creates a context (0.3 s).
 */
GSORT_API void gsort_info(const struct gsort_options *options,
                void (*print)(void *context, const char *line), void *context);

/** The same, as one line of JSON. */
GSORT_API void gsort_info_json(const struct gsort_options *options,
                     void (*print)(void *context, const char *line), void *context);

/** The version, "X.Y.Z". */
GSORT_API const char *gsort_version(void);

/** Describe this build, a line at a time: vector instructions, the GPU module or why it cannot be
 *  loaded, libraries.  It loads the module, but opens no GPU. */
GSORT_API void gsort_build(void (*print)(void *context, const char *line), void *context);

#ifdef __cplusplus
}
#endif
#endif
