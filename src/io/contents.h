// SPDX-License-Identifier: BSD-2-Clause
/*
 * contents.h - what a file is, by its first bytes
 *
 * Binary keys can have any bytes.  So a format is recognized only by more of its header than
 * keys have by chance: uniformly random bytes pass for one with a probability below 2^-36.
 */
#ifndef GS_CONTENTS_H
#define GS_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "gsort.h"

enum {
	GS_CONTENTS_BYTES = 4096,	/* more of a file are not looked at */
	GS_CONTENTS_LEAST = 32,		/* with fewer, a header of compressed data may be cut */
};

/** The format of compressed data, its header read as far as it goes, for binary inputs;
 *  GSORT_DECOMPRESS_NONE: none. */
enum gsort_decompress gs_contents_packed(const void *data, size_t bytes);

/**
 * Refuse a file that is plainly something else than numbers: an archive, a table, a program; or,
 * if it should be BINARY keys, text.
 *
 * @name    of the file, for the message
 * @bytes   at DATA, the file's first; at most GS_CONTENTS_BYTES are looked at
 * @whole   the file has no more
 * @return  GS_OK; GS_EINPUT: the message says what it is, and the way out
 */
MUST_CHECK gs_status
gs_contents_check(const char *name, const void *data, size_t bytes, bool whole, bool binary);

#endif
