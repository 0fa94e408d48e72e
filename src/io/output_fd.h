// SPDX-License-Identifier: BSD-2-Clause
/* output_fd.h - where bytes leave the process: a file, a pipe, a device or a callback */
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
	bool        truncates;	/* still to do, before the first byte */
	bool        pipe;
	bool        may_die;	/* of SIGPIPE, as who opened it */
	struct gs_preallocation room;		/* if it is a regular file */
};

/** NAME and FD, or WRITE, are there: find out the rest. */
void gs_output_fd_inspect(struct gs_output_fd *sink);

/** What was in the file goes now, if it still has to. */
MUST_CHECK gs_status gs_output_fd_truncate(struct gs_output_fd *sink);

/** Write all BYTES behind those before. */
MUST_CHECK gs_status gs_output_fd_write(struct gs_output_fd *sink, const char *data, size_t bytes);

/** The same; if it is a pipe, it gets the pages themselves, which must not change any more. */
MUST_CHECK gs_status gs_output_fd_give_pages(struct gs_output_fd *sink, char *pages, size_t bytes);

#endif
