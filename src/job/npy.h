// SPDX-License-Identifier: BSD-2-Clause
/*
 * npy.h - inputs that are .npy files become records, or keys behind a header
 *
 * Their headers are read before the job opens its inputs, since they name the types in them.
 */
#ifndef GS_JOB_NPY_H
#define GS_JOB_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"

struct gs_npy;

/* The .npy files of a job. */
struct gs_npy_inputs {
	struct gs_npy    *first;	/* what the first one is made of; NULL: there are none */
	char             *header;	/* of it */
	char             *made;		/* of the output */
	struct gsort_key *keys;
	uint64_t         *skips;	/* bytes before the array of each input that are still there */
	uint64_t          count;	/* items of all, as their headers say */
	bool              writes_header;	/* the output needs a header of its own */
};

/**
 * If the inputs of OPTIONS are .npy files, read their headers, and change OPTIONS to what they are.
 *
 * @return  GS_OK; GS_EIO; GS_EINPUT: they cannot be sorted; GS_EUSAGE: options do not go with them
 */
MUST_CHECK gs_status gs_npy_adopt(struct gs_npy_inputs *inputs, struct gsort_options *options);

/** Do the inputs have as many items as their headers say?  One may have changed since.  GS_EINPUT: no. */
MUST_CHECK gs_status gs_npy_check(const struct gs_npy_inputs *inputs, uint64_t items);

/** Make the header of COUNT items of the output; *HEADER belongs to INPUTS.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_npy_make_header(struct gs_npy_inputs *inputs,
                                        const struct gsort_options *options, uint64_t count,
                                        const char **header, size_t *bytes);

/** A zeroed struct is allowed. */
void gs_npy_close(struct gs_npy_inputs *inputs);

#endif
