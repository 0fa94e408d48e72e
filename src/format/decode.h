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

/** Turn COUNT keys of TYPE (any width) into ordered bits, in place, by THREADS. */
void gs_raw_to_ordered(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                       size_t count, unsigned threads);

/** The error for a file whose size is no multiple of the key's: GS_EINPUT. */
gs_status gs_raw_partial(enum gsort_type type, const char *name, uint64_t bytes);

/* --- text -------------------------------------------------------------- */

/* How text is to be read. */
struct gs_text_options {
	bool               floats;	/* GSORT_TEXT_FLOAT */
	bool               reverse;	/* keys are complemented */
	bool               merge_zeros;	/* -0 is read as 0: of equal keys one is wanted */
	char               terminator;	/* '\n'; or '\0', and then a newline is a blank */
	enum gsort_invalid invalid;
	uint64_t           header_lines;	/* of each file: passed over */

	/** Called for each of the first 10 invalid lines that are left out, by gs_text_end() or
	 *  gs_lines_end() for the others ("... and N more"), and for the first float that
	 *  becomes infinite; NULL: nobody cares. */
	void             (*warn)(void *context, const char *line);
	void              *warn_context;
};

/* Where the top of a file is kept. */
struct gs_text_header {
	char  *text;
	size_t bytes, room;
};

/*
 * One chunk at a time is parsed by all threads; then its keys are fetched, class
 * by class, before the next chunk.  Small values are only counted.
 */
struct gs_text_decoder;

/** Memory for chunks of up to CHUNK_BYTES parsed by THREADS; page-aligned, zeroed. */
size_t gs_text_decoder_bytes(size_t chunk_bytes, unsigned threads,
                             const struct gs_text_options *options);

/** A decoder inside MEMORY (borrowed for its life; nothing to close). */
struct gs_text_decoder *
gs_text_decoder_init(void *memory, size_t chunk_bytes, unsigned threads,
                     const struct gs_text_options *options);

/**
 * Count small values of the first section straight into COUNTS, which are 0; all others
 * are added by gs_text_fetch_small(), to be called with the same COUNTS, once.  Without it
 * a job of few lines would touch twice the pages.
 */
void gs_text_count_into(struct gs_text_decoder *decoder, uint64_t *counts);

/** From here on the text comes from the file called NAME (borrowed); line 1 follows. */
void gs_text_begin_file(struct gs_text_decoder *decoder, const char *name);

/**
 * Parse the next BYTES of the file.  An unfinished last line is kept for the
 * next call; with LAST it is a line all the same.
 *
 * @return  GS_OK, or GS_EINPUT: "NAME:LINE: ..." for the first bad line
 *
 * A line: blanks (space, tab; newline, if it ends no line), an optional + or -, digits,
 * blanks, and perhaps one CR; value within -2^63 .. 2^64-1; at most 4095 bytes.  Floats:
 * what strtod(3) takes in the C locale between blanks; beyond f64 it becomes infinite
 * (one warning).
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

/** Or by many threads: the sections of the last chunk ... */
unsigned gs_text_sections(const struct gs_text_decoder *decoder);

/** ... each have COUNT keys of CLASS, which may be changed where they are; any thread. */
void *gs_text_keys(const struct gs_text_decoder *decoder, unsigned section,
                   enum gs_text_class class, size_t *count);

/** Keys of CLASS of the last chunk not yet fetched; 0 for GS_SMALL. */
size_t gs_text_left(const struct gs_text_decoder *decoder, enum gs_text_class class);

/**
 * How often each small value came, over all files: add this to COUNTS
 * (GS_SMALL_COUNT of them, from the least value up), and start again at 0.
 *
 * @return  bit P set: something was added to COUNTS[P * GS_SMALL_PART] and those after it
 */
uint64_t gs_text_fetch_small(struct gs_text_decoder *decoder, uint64_t *counts);

/** Lines parsed so far, over all files; headers and invalid ones not counted. */
uint64_t gs_text_lines(const struct gs_text_decoder *decoder);

/** Invalid lines left out so far. */
uint64_t gs_text_invalid(const struct gs_text_decoder *decoder);

/** The header of the first file, terminators included; complete when its first key is. */
const char *gs_text_header(const struct gs_text_decoder *decoder, size_t *bytes);

/** Behind the last file: tell options.warn how many more lines were left out. */
void gs_text_end(const struct gs_text_decoder *decoder);

#endif
