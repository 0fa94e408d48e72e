// SPDX-License-Identifier: BSD-2-Clause
/*
 * rank_job.h - the job of one rank; several ranks sort together
 *
 * Each rank has its own job: its part of the inputs, its plan, its memory, its store.
 */
#ifndef GS_RANK_JOB_H
#define GS_RANK_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "io/open.h"
#include "io/output.h"
#include "io/replace.h"
#include "job/job.h"
#include "linekey/line_order.h"
#include "output/verify.h"
#include "plan/plan.h"
#include "ranks/net/ranks.h"
#include "ranks/exchange.h"
#include "sort/items/items.h"
#include "spill/file.h"

/* ---- where rows of CSV begin in the share of a rank (rows.c) ------------- */

enum gs_parted_kind { GS_PARTED_PLAIN, GS_PARTED_COMPRESSED, GS_PARTED_STREAM };

/* An input of several ranks. */
struct gs_parted {
	const char *name;
	enum gs_parted_kind kind;
	uint64_t    bytes;	/* of the file */
	uint64_t    header;	/* the bytes of its header */
	uint64_t    shared;	/* all bytes of a plain file, or 0 */
	unsigned    reader;	/* the rank that reads it, if it is not plain */
};

/* Where the share of a rank begins. */
struct gs_cut {
	const struct gs_parted *file;	/* the file that is cut; NULL: the share begins with a file, or in
					 * a header */
	uint64_t                at;
};

/** Set BEGINS[r] to the place in its file where the first row at or after CUTS[r] begins.  There is a cut for
 *  each rank, and one at the end of the last.  Collective.  GS_EIO; GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_rows_find(struct gs_ranks *ranks, const struct gs_line_order *order,
                                  const struct gs_cut *cuts, uint64_t *begins);

/* Rows, or lines, in the bytes FROM .. TO. */
struct gs_rows {
	uint64_t first;		/* the end of the first row, or TO */
	uint64_t last;		/* the beginning of the last row, or FROM */
	uint64_t count;		/* the rows that begin there; the last one may lack its end */
};

/** Find the rows in bytes FROM .. TO of the file NAME; a row begins at FROM.  FIRST: read only until that row
 *  ends.  GS_EIO; GS_EBUDGET. */
MUST_CHECK gs_status gs_rows_scan(const struct gs_line_order *order, const char *name, uint64_t from,
                                  uint64_t to, bool first, struct gs_rows *rows);

/* ---- which bytes of the inputs each rank reads (parts.c) ----------------- */

/*
 * Regular files that are not compressed form one long sequence of bytes, which is cut into equal shares, one
 * for each rank.  A line of text belongs to the rank in whose share it begins.  Compressed files are dealt
 * out whole, the largest first, each to the rank with the least to read so far.  Rank 0 reads everything
 * else, such as standard input, and the header of the first input.
 */

struct gs_parts {
	const char      **names;	/* the files that this rank reads, in whole or in part */
	struct gs_range  *ranges;	/* the bytes of these; END GS_UNKNOWN: the whole file */
	size_t            count;
	uint64_t          plain_bytes;	/* the bytes shared by ranges, of all ranks */
	uint64_t          other_bytes;	/* in compressed files; GS_UNKNOWN: there is a pipe */
	bool              inflates;	/* a file is compressed */
	char              terminator;	/* of lines */
	char             *header;	/* of the first file that has a line, if lines have one; or NULL */
	size_t            header_bytes;
	unsigned          overlap_keys;	/* the keys of this rank that another rank reads, too */
	uint64_t          overlap_bytes;
};

/**
 * Find out what the inputs are, and divide them among the ranks; collective.
 *
 * @overlap  each part begins one key, or line, before its share, to check the order
 * @return   GS_OK; GS_EIO, GS_EINPUT, GS_EUSAGE as from gs_input_open(); GS_EIO also: a file has
 *           not the same size on all hosts
 */
MUST_CHECK gs_status gs_parts_open(struct gs_parts *parts, const struct gsort_options *options,
                                   struct gs_ranks *ranks, bool overlap);

/** For gs_text_options.lines_before: CONTEXT is the parts. */
uint64_t gs_parts_lines_before(void *context, const char *name, bool count);

void gs_parts_close(struct gs_parts *parts);

/* ---- the output of several ranks: one file, or one per rank (rank_output.c) ---- */

/*
 *     open; begin; the job writes; finish; close
 *
 * One file: rank 0 creates a new file beside it, with a temporary name, and the other ranks open that.  Each
 * rank writes its part at its place (io/replace.h), and rank 0 renames the file when all have succeeded.
 * So the file is the old one or the new one, never a mixture.
 *
 * A rank knows the place of its part when all ranks know the sizes of theirs.  If a size depends on the
 * sorted keys (groups of equal keys, the head of lines), a rank first writes to a temporary file.
 */

struct gs_rank_output {
	const struct gsort_options *given;
	struct gs_ranks  *ranks;
	bool              one_file;
	bool              spools;	/* bytes go to a temporary file first */
	char             *own_name;	/* the name of this rank's file; NULL: one file */

	/* one file */
	enum gs_output_kind kind;
	struct gs_replace replace;	/* on rank 0; the others know the temporary name */
	int               fd;		/* -1: not open */
	struct gs_place   place;

	struct gs_spill_file spool;
	uint64_t          spooled;	/* bytes in SPOOL, ... */
	uint64_t          header_bytes;	/* ... and those of them that are the header */
};

/** Open the output, and let the job of this rank, whose options are OWN, write to it; collective.  GS_EUSAGE,
 *  GS_EIO: several ranks cannot write this output. */
MUST_CHECK gs_status
gs_rank_output_open(struct gs_rank_output *output, const struct gsort_options *given,
                    struct gs_ranks *ranks, struct gsort_options *own);

/** All keys have been read; collective.  BYTES is the size of this rank's part, with its header, if it is
 *  known.  If only RANKS of OUTPUT is set, the output is not shared. */
MUST_CHECK gs_status gs_rank_output_begin(struct gs_rank_output *output, uint64_t bytes);

/**
 * The job has written everything; collective.
 *
 * @keys       the keys that it has written; lowered to the number that is wanted
 * @key_bytes  the size of a key; 0: they are LINES
 * @own        the outputs of the job, used if each rank has its own file, or there is one rank
 * @bytes      of this rank; lowered if only the first keys of its temporary file are wanted
 */
MUST_CHECK gs_status
gs_rank_output_finish(struct gs_rank_output *output, uint64_t *keys, size_t key_bytes,
                      const struct gs_line_order *lines, const struct gs_outputs *own, uint64_t *bytes);

/** Close OUTPUT, which may be zeroed. */
void gs_rank_output_close(struct gs_rank_output *output);

/* ---- verify the output of all ranks together (border.c) ------------------- */

/**
 * Let the verification of this rank see what all ranks have read and written; collective.
 *
 * @return  GS_OK; GS_EDEVICE: the result is wrong; GS_EBUDGET
 */
MUST_CHECK gs_status gs_border_verify(struct gs_ranks *ranks, struct gs_verify *verify);

/* ---- options and limits (rank_job.c) --------------------------------------- */

/*
 * The options and limits of a rank come first, then what it does between the stages of a sort.
 */

/* Compressed bytes are not trusted until they are decompressed.  But MPI holds sockets and shared memory, so
 * a rank cannot enter a sandbox. */
#define GS_RANKS_UNCONFINED	"an input is compressed, and MPI does not allow the sandbox in which gsort " \
				"decompresses: add --decompress=no-sandbox if you trust the input"

struct gs_rank_job {
	struct gs_ranks            *ranks;	/* the caller's, or SELF */
	struct gs_ranks             self;
	bool                        alone;	/* there is one rank: collective calls return at once */
	struct gsort_options        given;	/* the caller's; a merge has become a sort */
	struct gs_parts             parts;
	struct gs_key_exchange      exchange;
	struct gs_item_exchange     item_exchange;	/* for items, instead of EXCHANGE */
	struct gs_rank_output     output;
	unsigned                    sharers;	/* the ranks that share this rank's cores */
	size_t                      window_bytes;
};

/** Check that the input NAME of a merge is in order.  GS_EINPUT: it is not.  Collective. */
typedef gs_status gs_input_check(const struct gsort_options *merge, const char *name);

/**
 * Begin, as one of RANKS.  A single rank, or RANKS of NULL, is alone and reads all input.  Each of several
 * ranks finds out what the inputs are and which part it reads, sets OWN to the options of its job, and opens
 * its output.  Collective.
 *
 * @check   for a merge by several ranks, which is a sort
 * @return  GS_OK; GS_EUSAGE: several ranks cannot do this job; as CHECK and gs_parts_open(); GS_EBUDGET
 */
MUST_CHECK gs_status gs_rank_job_open(struct gs_rank_job **rank_job,
                                      const struct gsort_options *options, gs_input_check *check,
                                      struct gsort_options *own);

/** STATUS is the result of describing elements, and ORDER the order of lines: all ranks must agree on STATUS,
 *  and know the columns that keys name.  Collective. */
MUST_CHECK gs_status gs_rank_describe(const struct gs_rank_job *rank_job, gs_status status,
                                      struct gs_line_order *order);

/** Divide the machine among the ranks on it, unless this rank is alone; set *SHARE of the input. */
void gs_rank_limit(struct gs_rank_job *rank_job, struct gs_plan_input *input, struct gs_share *share);

/** Add up what all ranks have done; collective. */
MUST_CHECK gs_status gs_rank_sum_stats(struct gs_rank_job *rank_job, struct gsort_stats *stats);

/** Close RANK_JOB, which may be NULL. */
void gs_rank_job_close(struct gs_rank_job *rank_job);

/* ---- ranks between the stages of a sort (stages.c) ------------------------ */

/*
 *     deal; the job reads; complete; place; the job writes; finish
 *
 * All are collective.  After a failure, gs_ranks_abort() must end the other ranks, unless ranks->agreed.
 * A single rank keeps what it reads, and writes the whole output.
 */

/** Set *TAKER, the engine's, to one that sends elements to the ranks that own them.  GS_EBUDGET. */
MUST_CHECK gs_status gs_rank_deal(struct gsort *job, struct gs_taker *taker);

/** All input has been read: take what other ranks still send. */
MUST_CHECK gs_status gs_rank_complete(struct gsort *job);

/** Begin the output of this rank.  If the number of its elements must be known before they are written, count
 *  them; of a head or tail, several ranks then drain only the elements that they write. */
MUST_CHECK gs_status gs_rank_place(struct gsort *job);

/** The job has written everything, or has failed with STATUS: verify and finish the output of all ranks, or
 *  let all ranks remove what they have written.  A single rank finishes its own output. */
MUST_CHECK gs_status gs_rank_finish(struct gsort *job, gs_status status);

/** This rank has checked its part, and found DISORDER, or failed with STATUS: set *DISORDER to the answer of
 *  all ranks.  The rank with the first disorder has its message; on other ranks the message is empty. */
MUST_CHECK gs_status gs_rank_check(struct gsort *job, gs_status status, bool *disorder);

#endif
