// SPDX-License-Identifier: BSD-2-Clause
/*
 * rank_job.h - the job of one rank, of several that sort together
 *
 * Each rank has a job of its own: its part of the inputs, its plan, its memory, its store.
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
	uint64_t    header;	/* of these, at its beginning */
	uint64_t    shared;	/* all bytes of a plain file, or 0 */
	unsigned    reader;	/* if it is not plain */
};

/* Where the share of a rank begins. */
struct gs_cut {
	const struct gs_parted *file;	/* that is cut there; NULL: it is at the beginning of one, or in a
					 * header */
	uint64_t                at;
};

/** Set BEGINS[r] to where in its file the first row begins at or behind CUTS[r], of the ranks and the end of
 *  the last one; collective.  GS_EIO; GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_rows_find(struct gs_ranks *ranks, const struct gs_line_order *order,
                                  const struct gs_cut *cuts, uint64_t *begins);

/* Rows, or lines, of some bytes FROM .. TO. */
struct gs_rows {
	uint64_t first;		/* the end of the first one, or TO */
	uint64_t last;		/* the beginning of the last one, or FROM */
	uint64_t count;		/* that begin there; the last one may lack its end */
};

/** Read bytes FROM .. TO of the file called NAME, where a row begins at FROM; FIRST: only until it ends.
 *  GS_EIO; GS_EBUDGET. */
MUST_CHECK gs_status gs_rows_scan(const struct gs_line_order *order, const char *name, uint64_t from,
                                  uint64_t to, bool first, struct gs_rows *rows);

/* ---- which bytes of the inputs each rank reads (parts.c) ----------------- */

/*
 * Regular files that are not compressed are one long row of bytes, which is cut into equal shares,
 * one a rank.  A line of text belongs to the rank in whose share it begins.  Compressed files are
 * dealt out whole, the largest first, each to the rank with the least to read so far.  Whatever else
 * there is, such as standard input, rank 0 reads.  The first input's header is always read by rank
 * 0.
 */

struct gs_parts {
	const char      **names;	/* of the files of this rank, or parts of them */
	struct gs_range  *ranges;	/* their bytes; END GS_UNKNOWN: the whole file */
	size_t            count;
	uint64_t          plain_bytes;	/* of all ranks, that are shared out by ranges */
	uint64_t          other_bytes;	/* of compressed files; GS_UNKNOWN: there is a pipe */
	bool              inflates;	/* a file is compressed */
	char              terminator;	/* of lines */
	char             *header;	/* of the first file that has a line, if lines have one; or NULL */
	size_t            header_bytes;
	unsigned          overlap_keys;	/* of this rank, that another one has, too */
	uint64_t          overlap_bytes;
};

/**
 * Find out what the inputs are, and share them out; collective.
 *
 * @overlap  each part begins one key, or line, before its share: for a check of the order
 * @return   GS_OK; GS_EIO, GS_EINPUT, GS_EUSAGE as from gs_input_open(); GS_EIO also: a file has
 *           not the same size on all hosts
 */
MUST_CHECK gs_status gs_parts_open(struct gs_parts *parts, const struct gsort_options *options,
                                   struct gs_ranks *ranks, bool overlap);

/** For gs_text_options.lines_before: CONTEXT is the parts. */
uint64_t gs_parts_lines_before(void *context, const char *name, bool count);

void gs_parts_close(struct gs_parts *parts);

/* ---- the output of several ranks: one file, or a file a rank (rank_output.c) ---- */

/*
 *     open; begin; the job writes; finish; close
 *
 * One file: rank 0 makes a new one beside it with a temporary name, the others open that, each
 * writes its part at its place (io/replace.h), and rank 0 renames the file when all have succeeded.
 * So there is the old file or the new one, never half.
 *
 * A rank knows where its part begins when all know how many bytes theirs have.  Where that
 * depends on the sorted keys (groups of equal keys, the head of lines), a rank writes to a temporary
 * file first.
 */

struct gs_rank_output {
	const struct gsort_options *given;
	struct gs_ranks  *ranks;
	bool              one_file;
	bool              spools;	/* bytes go to a temporary file first */
	char             *own_name;	/* of the file of this rank; NULL: one file */

	/* one file */
	enum gs_output_kind kind;
	struct gs_replace replace;	/* of rank 0; the others know the temporary name */
	int               fd;		/* -1: not open */
	struct gs_place   place;

	struct gs_spill_file spool;	/* with: */
	uint64_t          spooled;	/* bytes, ... */
	uint64_t          header_bytes;	/* ... without keys, these of them */
};

/** Open, and let the job of this rank, whose options are OWN, write here; collective.  GS_EUSAGE, GS_EIO:
 *  several ranks cannot write that. */
MUST_CHECK gs_status
gs_rank_output_open(struct gs_rank_output *output, const struct gsort_options *given,
                    struct gs_ranks *ranks, struct gsort_options *own);

/** All keys have been read; collective.  BYTES, if it is to be known: of this rank's part, with its
 *  header.  A struct with nothing but RANKS is allowed: the output is not shared. */
MUST_CHECK gs_status gs_rank_output_begin(struct gs_rank_output *output, uint64_t bytes);

/**
 * The job has written everything; collective.
 *
 * @keys       that it has written; lowered to the number that is wanted
 * @key_bytes  of each; 0: they are LINES
 * @own        the outputs of the job, used if each rank has a file of its own, or the job has one rank
 * @bytes      of this rank: set to fewer if only the first keys of its temporary file are wanted
 */
MUST_CHECK gs_status
gs_rank_output_finish(struct gs_rank_output *output, uint64_t *keys, size_t key_bytes,
                      const struct gs_line_order *lines, const struct gs_outputs *own, uint64_t *bytes);

/** A zeroed struct is allowed. */
void gs_rank_output_close(struct gs_rank_output *output);

/* ---- is the output of all ranks their input, and in order? (border.c) ---- */

/**
 * Let the verification of this rank see what all have read and written; collective.
 *
 * @return  GS_OK; GS_EDEVICE: the result is wrong; GS_EBUDGET
 */
MUST_CHECK gs_status gs_border_verify(struct gs_ranks *ranks, struct gs_verify *verify);

/* ---- options and limits (rank_job.c) --------------------------------------- */

/*
 * Each rank has a job of its own: its part of the inputs, its plan, its memory, its store.  Its options
 * and limits come first; then what it does between the stages of a sort.
 */

/* Compressed bytes are hostile until they are decompressed; but MPI holds sockets and memory that it
 * shares, so a rank cannot be put into a sandbox. */
#define GS_RANKS_UNCONFINED	"an input is compressed, and MPI does not allow the sandbox in which gsort " \
				"decompresses: add --decompress=no-sandbox if you trust the input"

struct gs_rank_job {
	struct gs_ranks            *ranks;	/* the caller's, or SELF */
	struct gs_ranks             self;
	bool                        alone;	/* RANKS are one: calls to others return at once */
	struct gsort_options        given;	/* the caller's; a merge has become a sort */
	struct gs_parts             parts;
	struct gs_key_exchange      exchange;
	struct gs_item_exchange     item_exchange;	/* in its place, for items */
	struct gs_rank_output     output;
	unsigned                    sharers;	/* ranks that share the cores of this one */
	size_t                      window_bytes;
};

/** Is the input called NAME of a merge in order?  GS_EINPUT: no.  Collective. */
typedef gs_status gs_input_check(const struct gsort_options *merge, const char *name);

/**
 * Begin: one of RANKS; alone, and reads all, if they are one, or NULL.  Of several, look what the inputs are
 * and which part of them this one reads, set OWN to the options of its job, and open its output.  Collective.
 *
 * @check   for a merge by ranks, which is a sort
 * @return  GS_OK; GS_EUSAGE: several ranks cannot do that; as CHECK and gs_parts_open(); GS_EBUDGET
 */
MUST_CHECK gs_status gs_rank_job_open(struct gs_rank_job **rank_job,
                                      const struct gsort_options *options, gs_input_check *check,
                                      struct gsort_options *own);

/** STATUS is what came of describing elements, whose lines have ORDER: all ranks must agree on it, and know
 *  the columns that keys name.  Collective. */
MUST_CHECK gs_status gs_rank_describe(const struct gs_rank_job *rank_job, gs_status status,
                                      struct gs_line_order *order);

/** Divide what the machine has by the ranks on it, unless this one is alone; *SHARE: of the input. */
void gs_rank_limit(struct gs_rank_job *rank_job, struct gs_plan_input *input, struct gs_share *share);

/** Add up what all ranks have done; collective. */
MUST_CHECK gs_status gs_rank_sum_stats(struct gs_rank_job *rank_job, struct gsort_stats *stats);

/** NULL is allowed. */
void gs_rank_job_close(struct gs_rank_job *rank_job);

/* ---- what several ranks do between the stages of a sort (stages.c) ------- */

/*
 *     deal; the job reads; complete; place; the job writes; finish
 *
 * All are collective.  After a failure gs_ranks_abort() must end the other ranks, unless ranks->agreed.
 * A job alone keeps what it reads, and its output is the whole.
 */

/** Set *TAKER, the engine's, to one that deals out elements to the ranks that own them.  GS_EBUDGET. */
MUST_CHECK gs_status gs_rank_deal(struct gsort *job, struct gs_taker *taker);

/** All has been read: take what other ranks still send. */
MUST_CHECK gs_status gs_rank_complete(struct gsort *job);

/** Begin the output of this rank, with as many elements as leave.  Where that must be known before they are
 *  written, they are counted: of the head or tail of several ranks only these are drained then. */
MUST_CHECK gs_status gs_rank_place(struct gsort *job);

/** The job has written everything, or has failed with STATUS: verify, and finish the output of all; or
 *  let all remove what they have written.  A job alone finishes its own. */
MUST_CHECK gs_status gs_rank_finish(struct gsort *job, gs_status status);

/** This rank has checked its part, and found DISORDER, or has failed with STATUS: *DISORDER becomes the
 *  answer of all.  The rank with the first disorder has its message; on others it is empty. */
MUST_CHECK gs_status gs_rank_check(struct gsort *job, gs_status status, bool *disorder);

#endif
