// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_run.h - a job on records or lines, from memory to memory
 */
#ifndef GS_FUZZ_ITEM_RUN_H
#define GS_FUZZ_ITEM_RUN_H

#include "fuzz.h"
#include "gsort.h"

struct item_run {
	struct gsort_options options;
	struct fuzz_bytes    input, output;
	size_t               at;	/* of the input, given */
	uint64_t             state;	/* random: how many bytes are given at a time */
};

/** Set the options that records and lines share, by FLAGS and MORE of the fuzzer.  RUN is zeroed, and
 *  stays where it is. */
void item_run_open(struct item_run *run, unsigned flags, unsigned more);

/** Open, run, close; an error must have a message. */
gsort_status item_run_job(struct item_run *run);

/** Is one of each group of equal items written? */
bool item_run_groups(const struct item_run *run);

/** Is a group of COUNT equal items written? */
bool item_run_takes(const struct item_run *run, size_t count);

/** Check that the output is RIGHT, and free that. */
void item_run_compare(const struct item_run *run, struct fuzz_bytes *right);

/** The output becomes the input of a merge or a check, which writes all of it. */
void item_run_again(struct item_run *run, bool merge);

void item_run_close(struct item_run *run);

#endif
