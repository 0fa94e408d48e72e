// SPDX-License-Identifier: BSD-2-Clause
/* output_fd.h - write to a file, a pipe, a device or a callback; for output.c */
#ifndef GS_OUTPUT_FD_H
#define GS_OUTPUT_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "io/preallocate.h"

struct gs_output_fd {
	const char *name;	/* for messages */
	int         fd;		/* -1: a callback takes the bytes */
	int       (*write)(void *context, const void *data, size_t bytes);
	void       *write_context;
	bool        truncates;	/* still to be done, before the first byte */
	bool        pipe;
	bool        may_die;	/* of SIGPIPE: the thread that opened it does not block it */
	struct gs_preallocation preallocation;	/* if it is a regular file */
};

/** NAME, and FD or WRITE, are set: set the other fields. */
void gs_output_fd_inspect(struct gs_output_fd *out);

/** Truncate the file, if that is still to be done. */
MUST_CHECK gs_status gs_output_fd_truncate(struct gs_output_fd *out);

/** Write all BYTES. */
MUST_CHECK gs_status gs_output_fd_write(struct gs_output_fd *out, const char *data, size_t bytes);

/** Write all BYTES.  A pipe gets the pages themselves, so they must not change any more. */
MUST_CHECK gs_status gs_output_fd_give_pages(struct gs_output_fd *out, char *pages, size_t bytes);

#endif
