// SPDX-License-Identifier: BSD-2-Clause
/* input_options.h - which files an input has, and how they are read */
#ifndef GS_INPUT_OPTIONS_H
#define GS_INPUT_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gsort.h"
#include "io/open.h"

struct gs_input;

struct gs_input_options {
	const char *const    *names;	/* borrowed; "-" is standard input */
	size_t                count;	/* 0: standard input */
	bool                  binary;	/* keys, not text */
	bool                  guarded;	/* refuse files that plainly are neither (contents.h) */
	bool                  terminal_ok;	/* read binary keys from a terminal */
	enum gsort_decompress decompress;
	unsigned              threads;	/* for regular files, and decompression */
	size_t                unpack_bytes;	/* memory for decompression by several threads, 0: none */
	uint64_t              window_bytes;	/* for decompression by one thread, 0: no limit */
	const struct gs_input *stops_with;	/* or NULL: stopping that input stops this one, too */
	_Atomic uint64_t     *stored;	/* or NULL: raised by what is read of files, as they are */
	const struct gs_range *ranges;	/* or NULL: of each file only these bytes; a range that ends at
					 * GS_UNKNOWN is the whole file.  Regular, not compressed */
	bool                  later;	/* open only for a check, and again when its turn comes */

	/* Memory that keeps what is read from pipes and callbacks, for gs_input_rewind() and
	 * gs_input_peek_bytes(): borrowed addresses, touched only as they are used.  0: none. */
	void                 *record_memory;
	size_t                record_bytes;

	const atomic_bool    *interrupted;	/* or NULL: once it is true every read fails */

	/* If set: called before the first compressed byte of a file is decompressed, by the
	 * thread that does it. */
	void                (*before_inflate)(void *context);
	void                 *before_context;

	/* If set: called in place of read(2) of a file, see gsort.h.  Messages name it "input". */
	ptrdiff_t           (*read)(void *context, void *into, size_t bytes);
	void                 *read_context;
};

#endif
