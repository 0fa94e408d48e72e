// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_decoder.c - lines of numbers to keys, in no order
 *
 * In:   chunks of text.
 * Out:  keys by class (text.h); small values counted.
 *
 * A chunk is cut into sections, one for each thread, at line boundaries: a section has the lines
 * that begin in its share of the bytes.  A line that two chunks share is joined in CARRY.
 *
 * Invariant: sections are in the order of the file and end after a terminator.  So when the lines
 * of the sections before are counted, the number of a bad line is known, and the first bad line is in
 * the first section that has one, however many threads there are.
 */
#include <assert.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "text/text_decoder.h"

enum {
	/*
	 * The least share of a thread.  Estimated, not tuned: if starting a team costs 10 us, one
	 * thread parses 20 KB in that time; at 10 times that it does not matter.
	 */
	SHARE_BYTES = 256 << 10,
	SPILL_KEYS = 8,		/* after the last key may be overwritten */
};

/* ---- memory ------------------------------------------------------------ */

/* The most bytes of a chunk that are one thread's. */
static size_t
share_bytes(size_t chunk_bytes, unsigned threads)
{
	size_t share = (chunk_bytes + threads - 1) / threads;

	return share < SHARE_BYTES && threads > 1 ? SHARE_BYTES : share;
}

/* Lay out, in MEMORY unless it is NULL, the decoder and an array of keys for each section and class; returns
 * their bytes.  An array is long enough for a share that is full of the shortest lines of its class. */
static size_t
lay_out(char *memory, size_t chunk_bytes, unsigned threads, const struct gs_text_options *options)
{
	enum { PAGE_BYTES = 4096 };	/* memory of a thread is whole pages */
	/* by class: bytes of the shortest line, terminator included, and of a key */
	static const struct {
		unsigned line_bytes, key_bytes;
	} sizes[GS_TEXT_CLASSES] = {
		[GS_NEG_WIDE]   = { sizeof "-2147483649", 8 },
		[GS_NEG_NARROW] = { sizeof "-32769", 4 },
		[GS_SMALL]      = { sizeof "0", 0 },
		[GS_POS_NARROW] = { sizeof "65536", 4 },
		[GS_POS_WIDE]   = { sizeof "4294967296", 8 },
	};
	struct gs_text_decoder *decoder = (void *)memory;
	const bool alone = options->floats || options->in_order;	/* the first class has all keys */
	size_t share = share_bytes(chunk_bytes, threads);
	size_t bytes = gs_round_up(sizeof *decoder + threads * sizeof decoder->sections[0], PAGE_BYTES);

	/* hexadecimal text of -8001 has 6 bytes where decimal text has 7, and so on */
	if (options->notation != GSORT_DECIMAL && !alone)
		share += share / 4;
	for (unsigned t = 0; t < threads; t++) {
		if (memory != NULL)
			decoder->sections[t].keys.small = (uint64_t *)(memory + bytes);
		if (!alone)
			bytes += gs_round_up(GS_SMALL_COUNT * sizeof(uint64_t), PAGE_BYTES);
		for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
			const unsigned line_bytes = alone ? sizeof "0" : sizes[class].line_bytes;
			/* the last line of a share may end outside of it; one more line is carried in, and
			 * one ends the file */
			const size_t keys = share / line_bytes + 4 + SPILL_KEYS;

			if (memory != NULL)
				decoder->sections[t].keys.keys[class] = memory + bytes;
			if (!alone || class == 0)
				bytes += gs_round_up(keys * sizes[class].key_bytes, PAGE_BYTES);
			if (memory != NULL && options->in_order && class == 0)
				decoder->sections[t].keys.classes = (uint8_t *)memory + bytes;
			if (options->in_order && class == 0)
				bytes += gs_round_up(keys, PAGE_BYTES);
		}
	}
	return bytes;
}

size_t
gs_text_decoder_bytes(size_t chunk_bytes, unsigned threads, const struct gs_text_options *options)
{
	return lay_out(NULL, chunk_bytes, threads, options);
}

/* Each key is 9 bytes, and its line 2 or more. */
size_t
gs_text_ordered_chunk(size_t bytes)
{
	return (bytes - lay_out(NULL, 0, 1, &(const struct gs_text_options){ .in_order = true })) / 6;
}

struct gs_text_decoder *
gs_text_decoder_init(void *memory, size_t chunk_bytes, unsigned threads,
                     const struct gs_text_options *options)
{
	struct gs_text_decoder *decoder = memory;

	assert(threads > 0);
	*decoder = (struct gs_text_decoder){
		.name = "-", .chunk_bytes = chunk_bytes, .threads = threads,
		.rules = {
			.options = *options, .simd = gs_simd_best(),
			.flip = options->reverse ? UINT64_MAX : 0,
		},
	};
	(void)lay_out(memory, chunk_bytes, threads, options);
	return decoder;
}

/* ---- lines of a section ---------------------------------------------------- */

/* While a section is read its line numbers are relative: the lines of the sections before it are counted
 * when all threads are done.  Many lines are parsed at once with vectors (parse.c); unusual ones, and those
 * near the ends of the chunk, one by one (line.h). */

/* Parse LINE .. END, without its terminator, which need not be in the section; AT is its place there.
 * False: it is bad. */
static bool
read_line(struct gs_text_section *section, const struct gs_text_rules *rules, uint64_t at,
          const char *line, const char *end)
{
	const struct gs_text_options *options = &rules->options;
	struct gs_text_keys *keys = &section->keys;
	enum gs_float found;
	uint64_t key;
	bool negative;

	if (options->exact && !gs_line_is_exact(options, line, end))
		return false;
	if (options->floats) {
		found = gs_line_float(options, line, end, &key);
		if (found == GS_FLOAT_OVERFLOW && section->overflow.line == NULL)
			section->overflow = (struct gs_text_line){ line, end, at };
		if (found != GS_FLOAT_NONE)
			gs_text_put_first(keys, rules->flip, GS_FLOATS, key);
		return found != GS_FLOAT_NONE;
	}
	return gs_line_whole(options, line, end, &negative, &key) &&
	       gs_text_put(keys, rules->flip, negative, key);
}

/* Parse one line, inline if it is usual, and note it if it is bad; returns the next one, or the end of the
 * section where a bad line ends that. */
static const char *
read_next(struct gs_text_section *section, const struct gs_text_rules *rules, const char *line)
{
	const char terminator = rules->options.terminator, *next, *end;
	uint64_t magnitude;
	bool negative;

	next = line < rules->looks_end ? gs_line_usual(line, terminator, &negative, &magnitude) : NULL;
	if (next != NULL && (!rules->options.exact || gs_line_is_exact(&rules->options, line, next - 1)) &&
	    gs_text_put(&section->keys, rules->flip, negative, magnitude)) {
		section->lines++;
		return next;
	}
	end = memchr(line, terminator, (size_t)(section->end - line));
	assert(end != NULL);
	if (!read_line(section, rules, section->lines, line, end)) {
		const bool aborts = gs_line_aborts(&rules->options, line, end);
		const uint64_t slot = aborts ? 0 : section->bad_lines;

		if (slot < GS_LINE_WARNINGS)
			section->bad[slot] = (struct gs_text_line){ line, end, section->lines };
		section->bad_lines++;
		if (aborts)
			return section->end;
	}
	section->lines++;
	return end + 1;
}

/*
 * Parse lines from LINE on, many at once.  Returns the first that was not parsed, or the end of
 * the section.  The last few lines of a block come again with the next block.
 */
static const char *
read_block(struct gs_text_section *section, const struct gs_text_rules *rules, const char *line)
{
	const struct gs_parser *parser = gs_parser_of(rules->simd);
	const size_t left = (size_t)(section->end - line);
	uint32_t found[1 + GS_PARSE_BLOCK_BYTES + 64], *ends = found + 1;
	unsigned count, i = 0;

	found[0] = UINT32_MAX;		/* the first line begins at 0 */
	count = parser->find(line, left < GS_PARSE_BLOCK_BYTES ? left : GS_PARSE_BLOCK_BYTES, true,
	                     rules->options.terminator, ends);
	while (count - i >= GS_PARSE_LINES) {
		const unsigned usual = parser->read(&section->keys, rules->flip, line, ends + i,
		                                    count - i, rules->options.exact);

		section->lines += usual;
		i += usual;
		for (unsigned n = 0; n < GS_PARSE_LINES && i < count; n++, i++)
			if (read_next(section, rules, line + (uint32_t)(found[i] + 1)) == section->end)
				return section->end;
	}
	return i > 0 ? line + found[i] + 1 : read_next(section, rules, line);
}

/* ---- sections -------------------------------------------------------------- */

void
gs_text_begin_file(struct gs_text_decoder *decoder, const char *name)
{
	assert(decoder->carry_bytes == 0);
	decoder->name = name;
	decoder->file_lines = 0;
	decoder->header_left = gs_line_header_lines(&decoder->rules.options, name);
	decoder->in_long_line = false;
}

static void
read_one(void *context, size_t s)
{
	struct gs_text_decoder *decoder = context;
	struct gs_text_section *section = &decoder->sections[s];
	const struct gs_text_rules *rules = &decoder->rules;
	const bool many = gs_text_is_decimal(&rules->options) && gs_parser_of(rules->simd) != NULL;
	const char *line = section->begin;

	while (line < section->end)
		line = many && line >= rules->looks_begin ? read_block(section, rules, line)
		                                          : read_next(section, rules, line);
}

static gs_status
read_sections(struct gs_text_decoder *decoder, const char *text, const char *end)
{
	const size_t share = share_bytes((size_t)(end - text), decoder->threads);
	const char *begin = text;
	unsigned count = 0;

	for (; begin < end; count++) {	/* cut whole lines into sections */
		struct gs_text_section *section = &decoder->sections[count];
		const char *bound = text + (count + 1) * share;

		assert(count < decoder->threads);
		section->lines = section->bad_lines = 0;
		section->overflow.line = NULL;
		section->begin = begin;
		if (bound >= end) {
			begin = end;
		} else if (bound > begin) {	/* else a long line covers all of it */
			begin = memchr(bound - 1, decoder->rules.options.terminator,
			               (size_t)(end - bound + 1));
			assert(begin != NULL);
			begin++;
		}
		section->end = begin;
	}
	gs_team_each(count, count, read_one, decoder);
	for (unsigned s = 0; s < count; s++) {
		const struct gs_text_section *section = &decoder->sections[s];
		const uint64_t first = decoder->file_lines + 1;
		uint64_t b = 0;

		decoder->first_line = first;
		decoder->file_lines += section->lines;
		decoder->stopped |= section->bad_lines > 0 && decoder->rules.options.exact;
		if (decoder->stopped)
			break;
		if (section->overflow.line != NULL)
			gs_line_overflow(&decoder->rules.options, decoder->name, first + section->overflow.at,
			                 section->overflow.line, section->overflow.end,
			                 &decoder->overflow_warned);
		for (; b < section->bad_lines && b < GS_LINE_WARNINGS; b++)
			TRY(gs_line_reject(&decoder->rules.options, decoder->name, first + section->bad[b].at,
			                   section->bad[b].line, section->bad[b].end, &decoder->invalid));
		decoder->invalid += section->bad_lines - b;
		decoder->lines += section->lines - section->bad_lines;
	}
	return GS_OK;
}

/* Add *TEXT to the line that is carried over, up to END; read the line as a section if it ends. */
static gs_status
join_carry(struct gs_text_decoder *decoder, const char **text, const char *end, bool last)
{
	struct gs_text_rules *rules = &decoder->rules;
	/* a byte more than any valid line has, which is noticed */
	const size_t most = gs_least((size_t)(end - *text), GS_LINE_BYTES + 1 - decoder->carry_bytes);
	const char *stop = memchr(*text, rules->options.terminator, most);
	const size_t bytes = stop != NULL ? (size_t)(stop - *text) : most;
	char *carry = decoder->carry, *carry_end = carry + decoder->carry_bytes + bytes;

	memcpy(carry_end - bytes, *text, bytes);
	*text += bytes + (stop != NULL);
	decoder->carry_bytes += bytes;
	if (stop == NULL && !last && decoder->carry_bytes <= GS_LINE_BYTES)
		return GS_OK;
	decoder->in_long_line = stop == NULL;	/* its rest, if any, is skipped */
	decoder->carry_bytes = 0;
	*carry_end++ = rules->options.terminator;
	rules->looks_begin = carry_end;
	rules->looks_end = carry;
	return read_sections(decoder, carry, carry_end);
}

gs_status
gs_text_decode(struct gs_text_decoder *decoder, const char *text, size_t bytes, bool last)
{
	struct gs_text_rules *rules = &decoder->rules;
	const char *const begin = text, *const end = text + bytes, *whole, *stop;

	assert(bytes <= decoder->chunk_bytes);
	for (unsigned s = 0; s < decoder->threads; s++)
		memset(decoder->sections[s].keys.count, 0, sizeof decoder->sections[s].keys.count);
	if (decoder->header_left > 0) {
		const uint64_t before = decoder->header_left;
		const gs_status status = gs_line_header(&rules->options, decoder->name, text, end, last,
		                                        &decoder->header_left, &text);

		decoder->file_lines += before - decoder->header_left;
		decoder->stopped = status != GS_OK && rules->options.exact;	/* too long to be kept */
		if (status != GS_OK)
			return decoder->stopped ? GS_OK : status;
	}
	if (decoder->carry_bytes > 0)
		TRY(join_carry(decoder, &text, end, last));
	if (decoder->stopped)
		return GS_OK;
	if (decoder->in_long_line) {	/* its beginning was left out: skip the rest */
		stop = memchr(text, rules->options.terminator, (size_t)(end - text));
		decoder->in_long_line = stop == NULL;
		text = stop != NULL ? stop + 1 : end;
	}
	rules->looks_begin = bytes > GS_PARSE_LOOK_BYTES ? begin + GS_PARSE_LOOK_BYTES : end;
	rules->looks_end = gs_text_is_decimal(&rules->options) && bytes > GS_LINE_LOOK_BYTES ?
	                   end - GS_LINE_LOOK_BYTES : begin;
	whole = memrchr(text, rules->options.terminator, (size_t)(end - text));
	whole = whole != NULL ? whole + 1 : text;
	if (whole > text)
		TRY(read_sections(decoder, text, whole));
	return whole == end || decoder->stopped ? GS_OK : join_carry(decoder, &whole, end, last);
}

uint64_t
gs_text_line_of(struct gs_text_decoder *decoder, size_t at, const char **line, const char **end)
{
	struct gs_text_section *section = decoder->sections;
	uint64_t number = decoder->first_line;

	for (*line = section->begin;; *line = *end + 1, number++) {
		*end = memchr(*line, decoder->rules.options.terminator, (size_t)(section->end - *line));
		section->keys.count[0] = 0;
		if (read_line(section, &decoder->rules, 0, *line, *end) && at-- == 0)
			return number;
	}
}

uint64_t
gs_text_fetch_small(struct gs_text_decoder *decoder, uint64_t *counts)
{
	uint64_t parts = 0;

	for (unsigned s = 0; s < decoder->threads; s++) {
		struct gs_text_keys *keys = &decoder->sections[s].keys;

		for (unsigned part = 0; part < 64; part++) {
			const size_t first = (size_t)part * GS_SMALL_PART;

			if (!keys->small_parts[part])
				continue;
			if (keys->small != counts) {
				for (size_t v = first; v < first + GS_SMALL_PART; v++)
					counts[v] += keys->small[v];
				memset(keys->small + first, 0, GS_SMALL_PART * sizeof *keys->small);
			}
			keys->small_parts[part] = false;
			parts |= UINT64_C(1) << part;
		}
	}
	return parts;
}
