// SPDX-License-Identifier: BSD-2-Clause
/*
 * output.h - the bytes go out, and no error is lost
 *
 * A named regular file is replaced as a whole: written beside it without a
 * name, given the old one's mode, owner and attributes, and renamed over it in
 * gs_output_finish().  Until then, whatever happens, the old file is untouched
 * and nothing new has a name.  Devices, pipes, files with several links, files
 * of another owner and files in unwritable directories are written through, as
 * sort(1) does.
 *
 * With IN_PLACE every file is written through: an existing one keeps its inode, and
 * its content until the first byte is written, or until gs_output_finish() if there
 * is none; one that does not exist is made at once, empty.
 */
#ifndef GS_OUTPUT_H
#define GS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"

struct gs_output;

struct gs_output_options {
	const char *name;		/* NULL: standard output */
	bool        binary;
	bool        terminal_ok;	/* write binary keys to a terminal */
	bool        in_place;		/* write through, always */

	/* Instead of a file: see gsort.h.  Called by one thread at a time, but not always the
	 * same, and not at all for no bytes.  In messages it is called "output". */
	int       (*write)(void *context, const void *data, size_t bytes);
	void       *write_context;

	struct gs_clock *clock;		/* of writing; or NULL */
};

/**
 * Open, without truncating: nothing is lost until the first byte is written.
 *
 * @return  GS_OK; GS_EIO; GS_EUSAGE (binary keys to a terminal)
 */
MUST_CHECK gs_status
gs_output_open(struct gs_output **output, const struct gs_output_options *options);

/** Would writing destroy the file called NAME, or read through FD (NAME NULL)?  True
 *  only of a regular file that is written through. */
bool gs_output_overwrites(const struct gs_output *output, const char *name, int fd);

/** The file that will be replaced or made in the end; NULL: none, it is written through. */
const char *gs_output_target(const struct gs_output *output);

/** Write all BYTES before returning. */
MUST_CHECK gs_status
gs_output_write(struct gs_output *output, const void *data, size_t bytes);

/**
 * Write BYTES while the caller goes on.  DATA is borrowed until the next
 * gs_output_submit() or gs_output_wait() returns: two buffers, used in turn,
 * keep printing and writing side by side.  Trouble may come out one call late.
 */
MUST_CHECK gs_status
gs_output_submit(struct gs_output *output, const void *data, size_t bytes);
MUST_CHECK gs_status gs_output_wait(struct gs_output *output);

/** Is the output a pipe that takes pages instead of copies? */
bool gs_output_takes_pages(const struct gs_output *output);

/**
 * Write BYTES at PAGES, a mapping of its own of MAPPED bytes, which is unmapped whatever
 * happens and must not be touched any more: the reader of a pipe may still see its pages
 * (vmsplice(2)).  Blocks until the pipe has taken them all; one thread at a time.  What is
 * no pipe gets them written.  Pays for whole MiBs of huge pages that are there anyway, not
 * for such as have to be filled first by copying.
 */
MUST_CHECK gs_status
gs_output_give_pages(struct gs_output *output, void *pages, size_t bytes, size_t mapped);

/** Flush, close, rename into place: only now is the output the output. */
MUST_CHECK gs_status gs_output_finish(struct gs_output *output);

/** Drop what was not finished.  NULL is allowed. */
void gs_output_close(struct gs_output *output);

/** Take back what would stay of all outputs, from a handler of a signal that ends the process. */
void gs_output_abandon(void);

#endif
