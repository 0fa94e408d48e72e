// SPDX-License-Identifier: BSD-2-Clause
/* args.h - the arguments of the calls of gsort.h that take arrays */
#ifndef GS_ARRAY_ARGS_H
#define GS_ARRAY_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "gsort.h"

/* How the keys of an array are ordered, and by how many threads. */
struct gs_array_args {
	enum gsort_type type;		/* binary */
	bool            reverse;
	bool            trust_order;
	unsigned        key_bits;
	size_t          key_bytes;
	unsigned        threads;	/* 1 at least */
	void           *scratch;	/* the caller's, for gs_array_sort() alone; or NULL */
	size_t          scratch_bytes;
};

/**
 * Read the type and the options, which may be NULL.
 *
 * @return  GS_OK; GS_EUSAGE: the type is text, or an option is unknown
 */
MUST_CHECK gs_status gs_array_args_read(struct gs_array_args *args, enum gsort_type type,
                                        const struct gsort_array_options *options);

/** Is ARRAY, called NAME, one of COUNT elements of BYTES each?  GS_EUSAGE: it is NULL, not aligned to
 *  its elements, or longer than the address space. */
MUST_CHECK gs_status gs_array_check(const char *name, const void *array, size_t count, size_t bytes);

/** Have two arrays, of so many bytes, no byte in common?  GS_EUSAGE: they have. */
MUST_CHECK gs_status gs_array_check_apart(const char *one_name, const void *one, size_t one_bytes,
                                          const char *other_name, const void *other,
                                          size_t other_bytes);

/** The arguments of ordered bits of 64 bits, ascending, for THREADS. */
struct gs_array_args gs_array_args_u64(unsigned threads);

/** Threads that pay for an array of BYTES. */
unsigned gs_array_threads(const struct gs_array_args *args, size_t bytes);

#endif
