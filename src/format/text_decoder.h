// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_decoder.h - lines of numbers to keys, in no order
 *
 * Several threads parse one chunk at a time; then the caller takes its keys, section by section,
 * before the next chunk.  Small values are only counted.  The decoder lies in memory that the
 * caller lends.
 *
 *     gs_text_begin_file(decoder, name);
 *     do {
 *             TRY(gs_text_decode(decoder, chunk, bytes, last));
 *             for (each section, and each class)
 *                     keys = gs_text_keys(decoder, section, class, &count);
 *     } while (!last);
 *
 * With options.exact it may stop: then it has taken nothing of the last chunk.
 */
#ifndef GS_TEXT_DECODER_H
#define GS_TEXT_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/text.h"

struct gs_text_decoder;

/** Memory for chunks of up to CHUNK_BYTES parsed by THREADS; page-aligned, zeroed. */
size_t gs_text_decoder_bytes(size_t chunk_bytes, unsigned threads,
                             const struct gs_text_options *options);

/** A decoder inside MEMORY, borrowed for its life.  Nothing to close. */
struct gs_text_decoder *
gs_text_decoder_init(void *memory, size_t chunk_bytes, unsigned threads,
                     const struct gs_text_options *options);

/**
 * Count the small values of the first thread in COUNTS, which are 0, at once.  At the end call
 * gs_text_fetch_small() with the same COUNTS, once, which adds those of the other threads.  So a
 * job of few lines touches half as many pages.
 */
void gs_text_count_into(struct gs_text_decoder *decoder, uint64_t *counts);

/** What follows is the text of the file called NAME (borrowed), from line 1 on. */
void gs_text_begin_file(struct gs_text_decoder *decoder, const char *name);

/**
 * Parse the next BYTES of the file.  An unfinished line at the end is kept for the next call; with
 * LAST it is a line all the same.
 *
 * @return  GS_OK, or GS_EINPUT: "NAME:LINE: ..." for the first bad line
 *
 * A line is: blanks (space, tab; newline, if it ends no line), an optional + or -, digits,
 * blanks, and an optional CR; with a value within -2^63 .. 2^64-1, in at most 4095 bytes.  Floats
 * are what strtod(3) reads in the C locale, between blanks; a float larger than any f64 becomes
 * infinite, with one warning.
 */
MUST_CHECK gs_status
gs_text_decode(struct gs_text_decoder *decoder, const char *text, size_t bytes, bool last);

/** Keys of CLASS of the last chunk; complemented if the options have REVERSE; 0 for GS_SMALL. */
size_t gs_text_left(const struct gs_text_decoder *decoder, enum gs_text_class class);

/** So many sections has the chunk ... */
unsigned gs_text_sections(const struct gs_text_decoder *decoder);

/** ... and each has COUNT keys of CLASS, not GS_SMALL, of 32 or 64 bits by its width, which may be changed
 *  where they are.  Any thread. */
void *gs_text_keys(const struct gs_text_decoder *decoder, unsigned section,
                   enum gs_text_class class, size_t *count);

/**
 * How often each small value came, over all files: add this to COUNTS (GS_SMALL_COUNT of them,
 * from the least value up), and start again at 0.
 *
 * @return  bit P is set: something was added to the GS_SMALL_PART counts from P * GS_SMALL_PART on
 */
uint64_t gs_text_fetch_small(struct gs_text_decoder *decoder, uint64_t *counts);

/* What a decoder has taken of a file, but has not parsed, when it stopped. */
struct gs_text_rest {
	const char *begun;	/* an unfinished line; lives as long as the decoder */
	size_t      bytes;
	uint64_t    header_left;	/* lines of the file's header still to come */
	unsigned    files;	/* begun, with that of the chunk */
};

/** Did the last chunk have a line that is not exact?  No key of that chunk can be fetched, nor was one
 *  counted; REST is set to what came before the chunk. */
bool gs_text_stopped(const struct gs_text_decoder *decoder, struct gs_text_rest *rest);

/** Numbers parsed so far, over all files. */
uint64_t gs_text_lines(const struct gs_text_decoder *decoder);

/** Invalid lines left out so far. */
uint64_t gs_text_invalid(const struct gs_text_decoder *decoder);

/** The header of the first file, terminators included; complete when its first key is. */
const char *gs_text_header(const struct gs_text_decoder *decoder, size_t *bytes);

/** Behind the last file: warn of the invalid lines that were not reported one by one. */
void gs_text_end(const struct gs_text_decoder *decoder);

#endif
