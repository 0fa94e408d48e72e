// SPDX-License-Identifier: BSD-2-Clause
/* input.h - what a plan is made from */
#ifndef GS_PLAN_INPUT_H
#define GS_PLAN_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gsort.h"

/* What is known before anything is sorted. */
struct gs_plan_input {
	enum gsort_operation operation;
	enum gsort_type   type;
	enum gsort_notation notation;		/* of text */
	unsigned          key_bits;		/* 8 .. 64; 0: text */
	bool              items;		/* records: key_bits means nothing, stages/item_store.h
						 * divides the pool */
	bool              headers;		/* lines at the top of files that are kept */
	uint64_t          beside_bytes;		/* memory for what is kept beside the keys: figures, ranks,
						 * names, skipped bytes, output files */
	uint64_t          window_bytes;		/* what the ranks have taken of the user's limit */
	unsigned          shares;		/* of the user's limit, of which the job has one; 0: 1 */
	const char       *beside_what;		/* what takes most of it, for people */
	size_t            print_bytes;		/* memory to print a key; 0: keys are written as they are */
	bool              compressed;		/* an input is compressed */
	bool              large_window;		/* an input's format may need a large window */
	uint64_t          input_bytes;		/* of all inputs, or UINT64_MAX: unknown */
	bool              guessed;		/* input_bytes is a hint, not a promise */
	uint64_t          peeked_bytes;		/* of unknown input that are there already */
	bool              seekable;		/* all inputs can be read again from where they began */
	size_t            input_count;		/* of GSORT_MERGE: to be merged */
	enum gsort_device device;		/* the user's choice; GSORT_DEVICE_CPU once a GPU failed */
	bool              gpu_possible;		/* a GPU module may exist */
	bool              gpu_present;		/* so may a GPU */
	bool              to_file;		/* the output is a regular file */
	unsigned          split;		/* so many files together are the output; 0: it is one */
	int               gpu;			/* which, if there are several */
	uint64_t          gpu_memory_bytes;	/* the user's limit; 0: none */
	bool              heads;		/* only the first HEAD_COUNT keys are wanted */
	uint64_t          head_count;
	unsigned          threads;		/* the user's limit; 0: none */
	unsigned          cores;
	uint64_t          memory_bytes;		/* the user's limit; 0: none */
	uint64_t          host_bytes;		/* the machine's: base/limits.h */
	uint64_t          address_bytes;
	size_t            files;		/* that may be open */
	unsigned          merge_files;		/* the user's limit of the fan-in; 0: none */
};

#endif
