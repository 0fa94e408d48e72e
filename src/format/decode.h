// SPDX-License-Identifier: BSD-2-Clause
/*
 * decode.h - bytes to ordered bits
 *
 * Decoders own no memory: they work in place, or in what they are given.
 */
#ifndef GS_DECODE_H
#define GS_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/text.h"
#include "gsort.h"

/* --- binary ------------------------------------------------------------ */

/** Turn COUNT keys of TYPE (any width) into ordered bits, in place, in parallel. */
void gs_raw_to_ordered(enum gsort_type type, bool reverse, void *keys, size_t count);

/** The error for a file whose size is no multiple of the key's: GS_EINPUT. */
gs_status gs_raw_partial(enum gsort_type type, const char *name, uint64_t bytes);

/* --- text -------------------------------------------------------------- */

/*
 * One chunk at a time is parsed by all threads; then its keys are fetched, class
 * by class, before the next chunk.  Small values are only counted.
 */
struct gs_text_decoder;

/** Memory for chunks of up to CHUNK_BYTES parsed by THREADS; page-aligned, zeroed. */
size_t gs_text_decoder_bytes(size_t chunk_bytes, unsigned threads);

/** A decoder inside MEMORY (borrowed for its life; nothing to close). */
struct gs_text_decoder *
gs_text_decoder_init(void *memory, size_t chunk_bytes, unsigned threads, bool reverse);

/** From here on the text comes from the file called NAME (borrowed); line 1 follows. */
void gs_text_begin_file(struct gs_text_decoder *decoder, const char *name);

/**
 * Parse the next BYTES of the file.  An unfinished last line is kept for the
 * next call; with LAST it is a line all the same.
 *
 * @return  GS_OK, or GS_EINPUT: "NAME:LINE: ..." for the first bad line
 *
 * A line: blanks (space, tab), an optional + or -, digits, blanks, and perhaps
 * one CR; value within -2^63 .. 2^64-1; at most 4095 bytes.
 */
MUST_CHECK gs_status
gs_text_decode(struct gs_text_decoder *decoder, const char *text, size_t bytes, bool last);

/**
 * Take up to ROOM keys of CLASS (not GS_SMALL) of the last chunk; complemented
 * if reverse.
 *
 * @into    uint32_t or uint64_t, by the class's width
 * @return  how many; 0: none left
 */
size_t
gs_text_fetch(struct gs_text_decoder *decoder, enum gs_text_class class, void *into, size_t room);

/** Keys of CLASS of the last chunk not yet fetched; 0 for GS_SMALL. */
size_t gs_text_left(const struct gs_text_decoder *decoder, enum gs_text_class class);

/**
 * How often each small value came, over all files: add this to COUNTS
 * (GS_SMALL_COUNT of them, from the least value up), and start again at 0.
 */
void gs_text_fetch_small(struct gs_text_decoder *decoder, uint64_t *counts);

/** Lines parsed so far, over all files. */
uint64_t gs_text_lines(const struct gs_text_decoder *decoder);

#endif
