// SPDX-License-Identifier: BSD-2-Clause
/*
 * output.h - write the output, one file or several, and report every error
 *
 * A named regular file is replaced as a whole.  A new file without a name is written beside it,
 * gets its mode, owner and attributes, and is renamed over it in gs_output_finish().  Until then
 * the old file is untouched, whatever happens.  Devices, pipes, files with several links, files
 * of another owner and files in unwritable folders are written in place, as sort(1) does.
 *
 * With IN_PLACE every file is written in place.  An existing file keeps its inode; its content
 * is lost with the first byte written, or in gs_output_finish() if nothing is written.  A file
 * that does not exist is made at once, empty.
 */
#ifndef GS_OUTPUT_H
#define GS_OUTPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"

struct gs_output;

struct gs_output_options {
	const char *name;		/* NULL: standard output */
	bool        binary;
	bool        terminal_ok;	/* write binary keys to a terminal */
	bool        whole;		/* records, positions or an array: do not suggest --to=text */
	bool        in_place;		/* write every file in place */
	unsigned    files;		/* outputs that are written at the same time; 0: this one */
	const char *const *inputs;	/* borrowed names; a new file in place of one is forced to the disk */
	size_t      input_count;

	/* If set: called in place of write(2) to a file, see gsort.h; by one thread at a time, but
	 * not always the same, and never for 0 bytes.  Messages name it "output". */
	int       (*write)(void *context, const void *data, size_t bytes);
	void       *write_context;

	struct gs_clock *clock;		/* counts the time of writing; or NULL */
	const atomic_bool *interrupted;	/* or NULL: once it is true every call fails that writes, and
					 * no new file gets its name */
};

/**
 * Open the output without truncating it: nothing is lost until the first byte is written.
 *
 * @return  GS_OK; GS_EIO; GS_EUSAGE: binary keys to a terminal
 */
MUST_CHECK gs_status gs_output_open(struct gs_output **output, const struct gs_output_options *options);

/** The name that a new file gets in the end, whose bytes can be written at any place; NULL: the output
 *  is written in place. */
const char *gs_output_target(const struct gs_output *output);

/** Write all BYTES before returning. */
MUST_CHECK gs_status gs_output_write(struct gs_output *output, const void *data, size_t bytes);

/**
 * Write BYTES in another thread while the caller goes on.  DATA is borrowed until the next
 * gs_output_submit() or gs_output_wait() returns: with two buffers, used in turn, encoding and
 * writing overlap.  An error may be returned one call late.
 */
MUST_CHECK gs_status gs_output_submit(struct gs_output *output, const void *data, size_t bytes);
MUST_CHECK gs_status gs_output_wait(struct gs_output *output);

/** Is the output a pipe, to which gs_output_give_pages() gives pages without a copy? */
bool gs_output_takes_pages(const struct gs_output *output);

/**
 * Write BYTES at PAGES.  The reader of a pipe may still see these pages (vmsplice(2)), so nobody may write to
 * them any more: gs_arena_forget() replaces them.
 *
 * Blocks until the pipe has taken all of them; one thread at a time.  If the output is not a
 * pipe, the bytes are written.  Faster for MiBs of data that lie in huge pages already; slower if
 * they have to be copied there first, or lie in small pages.
 */
MUST_CHECK gs_status gs_output_give_pages(struct gs_output *output, void *pages, size_t bytes);

/** Before anything is written: a new file will have BYTES. */
void gs_output_expect(struct gs_output *output, uint64_t bytes);

/** Write BYTES to AT in a new file, for which gs_output_expect() was called; any threads at once. */
MUST_CHECK gs_status
gs_output_write_at(struct gs_output *output, const void *data, size_t bytes, uint64_t at);

/** Write the last bytes: nothing more will come.  A new file has no name yet. */
MUST_CHECK gs_status gs_output_complete(struct gs_output *output);

/** Does it replace an input? */
bool gs_output_replaces_input(const struct gs_output *output);

/** The same as gs_output_complete(), and all that can fail before it has its name: gs_output_finish() only
 *  renames it.  FORCED: it, or another output of the same job, replaces an input. */
MUST_CHECK gs_status gs_output_prepare(struct gs_output *output, bool forced);

/** After both: the new file STAYS, or else there is the old one again, or none.  GS_EIO: the system does not
 *  allow that; the message says where the old one is. */
MUST_CHECK gs_status gs_output_settle(struct gs_output *output, bool stays);

/**
 * Write the last bytes of COUNT outputs, close them, and rename new files: only now do they have their names.
 * All are complete before the first one gets its name.
 *
 * @return  GS_OK; GS_EIO: no new file has its name, unless the system refuses to rename one after
 *          it has renamed others
 */
MUST_CHECK gs_status gs_output_finish(struct gs_output *const outputs[], size_t count);

/** Free OUTPUT; what was not finished is dropped.  NULL is allowed. */
void gs_output_close(struct gs_output *output);

/* ---- the output of a job: one, or several files that together are one (outputs.c) ---- */

/*
 * Several files are named by a pattern: "%r" stands for the number of a file, from 0 on, with zeros
 * before it, so that all names are of one length and in the order of their numbers; "%%" for "%".
 * The caller writes to each of them.  gs_output_finish() replaces all of them, or none.
 */

enum { GS_OUTPUTS_MOST = 1024 };

struct gs_outputs {
	struct gs_output **files;	/* by index; NULL: not open */
	char             **names;	/* of several files; else NULL */
	size_t             count;
};

/** Can PATTERN name several files?  GS_EUSAGE: it has no %r, or a % before something else. */
MUST_CHECK gs_status gs_outputs_check_pattern(const char *pattern);

/** Set *MADE to the name of file INDEX, of COUNT files, for free(3), or to NULL: GS_EBUDGET; GS_EIO: it is
 *  too long. */
MUST_CHECK gs_status gs_outputs_name(const char *pattern, size_t index, size_t count, char **made);

/** Are the COUNT files of PATTERN different ones?  GS_EUSAGE: two names are one file; GS_EIO: a name is
 *  too long. */
MUST_CHECK gs_status gs_outputs_check_files(const char *pattern, size_t count);

/**
 * Open all outputs, see gs_output_open().
 *
 * @options  of each; with SPLIT, NAME is a pattern
 * @split    how many files, at most GS_OUTPUTS_MOST; 0: one output, whatever it is
 * @return   GS_OK; GS_EIO; GS_EUSAGE: binary keys to a terminal, or two names for one file; then
 *           close what is open
 */
MUST_CHECK gs_status gs_outputs_open(struct gs_outputs *outputs,
                                     const struct gs_output_options *options, unsigned split);

/* Memory for each of several files: names, and messages between threads.  Measured. */
enum { GS_OUTPUT_BYTES = 24 << 10 };

/** Wait until nothing that was submitted is borrowed any more. */
MUST_CHECK gs_status gs_outputs_wait(const struct gs_outputs *outputs);

/** Free all; what was not finished is dropped.  A zeroed struct is allowed. */
void gs_outputs_close(struct gs_outputs *outputs);

#endif
