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
	unsigned    files;		/* outputs that are written at the same time; 0: only this one */
	const char *const *inputs;	/* borrowed names; a file that replaces one is forced to the disk */
	size_t      input_count;

	/* If set, called instead of write(2), see gsort.h; by one thread at a time, but not always the
	 * same, and never for 0 bytes.  Messages name it "output". */
	int       (*write)(void *context, const void *data, size_t bytes);
	void       *write_context;

	struct gs_clock *clock;		/* counts the time of writing; or NULL */
	const atomic_bool *interrupted;	/* once it is true, every call that writes fails, and no new file
					 * gets its name; or NULL */
};

/**
 * Open the output without truncating it: nothing is lost until the first byte is written.
 *
 * @return  GS_OK; GS_EIO; GS_EUSAGE: binary keys to a terminal
 */
MUST_CHECK gs_status gs_output_open(struct gs_output **output, const struct gs_output_options *options);

/** The name that a new file gets at the end; its bytes can be written at any place.  NULL: the output is
 *  written in place. */
const char *gs_output_target(const struct gs_output *output);

/** Write all BYTES before returning. */
MUST_CHECK gs_status gs_output_write(struct gs_output *output, const void *data, size_t bytes);

/**
 * Write BYTES in another thread while the caller continues.  DATA is borrowed until the next
 * gs_output_submit() or gs_output_wait() returns: with two buffers, used in turn, encoding and
 * writing overlap.  An error may be returned one call late.
 */
MUST_CHECK gs_status gs_output_submit(struct gs_output *output, const void *data, size_t bytes);
MUST_CHECK gs_status gs_output_wait(struct gs_output *output);

/** Is the output a pipe, to which gs_output_give_pages() gives pages without a copy? */
bool gs_output_takes_pages(const struct gs_output *output);

/**
 * Write BYTES at PAGES.  The reader of a pipe may still see these pages (vmsplice(2)), so nothing may write
 * to them any more: gs_arena_forget() replaces them.
 *
 * Blocks until the pipe has taken all pages; one thread at a time.  If the output is not a pipe, the bytes
 * are written.  This is faster for MiBs of data that are already in huge pages, and slower if they must be
 * copied there first, or are in small pages.
 */
MUST_CHECK gs_status gs_output_give_pages(struct gs_output *output, void *pages, size_t bytes);

/** A new file will have BYTES; call this before anything is written. */
void gs_output_expect(struct gs_output *output, uint64_t bytes);

/** Write BYTES at AT in a new file, after gs_output_expect(); several threads may do so at once. */
MUST_CHECK gs_status
gs_output_write_at(struct gs_output *output, const void *data, size_t bytes, uint64_t at);

/** Write the last bytes; no more will come.  A new file has no name yet. */
MUST_CHECK gs_status gs_output_complete(struct gs_output *output);

/** Does OUTPUT replace an input? */
bool gs_output_replaces_input(const struct gs_output *output);

/** Do what gs_output_complete() does, and everything else that can fail before the file has its name;
 *  gs_output_finish() then only renames it.  FORCED: this or another output of the job replaces an input. */
MUST_CHECK gs_status gs_output_prepare(struct gs_output *output, bool forced);

/** After both: keep the new file if it STAYS, otherwise restore the old one, or remove the new one.  GS_EIO:
 *  the system does not allow that; the message says where the old one is. */
MUST_CHECK gs_status gs_output_settle(struct gs_output *output, bool stays);

/**
 * Write the last bytes of COUNT outputs, close them, and rename new files.  All are complete before the first
 * one gets its name.
 *
 * @return  GS_OK; GS_EIO: no new file has its name, unless the system refuses to rename one after
 *          it has renamed others
 */
MUST_CHECK gs_status gs_output_finish(struct gs_output *const outputs[], size_t count);

/** Free OUTPUT, which may be NULL; what was not finished is dropped. */
void gs_output_close(struct gs_output *output);

/* ---- the output of a job: one, or several files that together are one (outputs.c) ---- */

/*
 * A pattern names several files: "%r" stands for the number of a file, from 0, and "%%" for "%".  Numbers
 * have leading zeros, so that all names have the same length, and sort by number.
 * The caller writes to each file.  gs_output_finish() replaces all files, or none.
 */

enum { GS_OUTPUTS_MOST = 1024 };

struct gs_outputs {
	struct gs_output **files;	/* by index; NULL: not open */
	char             **names;	/* of several files; else NULL */
	size_t             count;
};

/** Check that PATTERN can name several files.  GS_EUSAGE: it has no %r, or a % before something else. */
MUST_CHECK gs_status gs_outputs_check_pattern(const char *pattern);

/** Set *MADE to the name of file INDEX, of COUNT files, for free(3), or to NULL: GS_EBUDGET; GS_EIO: it is
 *  too long. */
MUST_CHECK gs_status gs_outputs_name(const char *pattern, size_t index, size_t count, char **made);

/** Check that the COUNT files of PATTERN are different.  GS_EUSAGE: two names mean the same file; GS_EIO: a
 *  name is too long. */
MUST_CHECK gs_status gs_outputs_check_files(const char *pattern, size_t count);

/**
 * Open all outputs, see gs_output_open().
 *
 * @options  for each; with SPLIT, NAME is a pattern
 * @split    how many files, at most GS_OUTPUTS_MOST; 0: one output, of any kind
 * @return   GS_OK; GS_EIO; GS_EUSAGE: binary keys to a terminal, or two names for one file; then
 *           close what is open
 */
MUST_CHECK gs_status gs_outputs_open(struct gs_outputs *outputs,
                                     const struct gs_output_options *options, unsigned split);

/* Memory for each of several files: names, and messages between threads.  Measured. */
enum { GS_OUTPUT_BYTES = 24 << 10 };

/** Wait until no submitted data are borrowed any more. */
MUST_CHECK gs_status gs_outputs_wait(const struct gs_outputs *outputs);

/** Free OUTPUTS, which may be zeroed; what was not finished is dropped. */
void gs_outputs_close(struct gs_outputs *outputs);

#endif
