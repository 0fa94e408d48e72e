// SPDX-License-Identifier: BSD-2-Clause
/*
 * text_decoder.c - where a text decoder's keys lie, and how they are fetched
 *
 * Each section has an array a class, as long as its share of a chunk could need if all
 * lines were the shortest of that class.  Much more than any text fills; but a page
 * that is not touched is no memory.
 */
#include <assert.h>
#include <string.h>

#include "base/team.h"
#include "format/parse.h"

enum {
	/*
	 * A thread's least share.  Reckoned, not tuned: if starting a team costs 10 us,
	 * one thread parses 20 KB in that time; at 10 times that it does not matter.
	 */
	SHARE_BYTES = 256 << 10,
	PAGE_BYTES = 4096,
	HEADER_BYTES = 1 << 20,		/* most that is kept of the top of a file */
	PARALLEL_COPY_BYTES = 1 << 20,
};

/* By class: bytes of the shortest line, terminator included, and of a key. */
static const struct {
	unsigned line_bytes, key_bytes;
} sizes[GS_TEXT_CLASSES] = {
	[GS_NEG_WIDE]   = { sizeof "-2147483649", 8 },
	[GS_NEG_NARROW] = { sizeof "-32769", 4 },
	[GS_SMALL]      = { sizeof "0", 0 },
	[GS_POS_NARROW] = { sizeof "65536", 4 },
	[GS_POS_WIDE]   = { sizeof "4294967296", 8 },
};
static const unsigned float_line_bytes = sizeof "0";

/* ---- memory ------------------------------------------------------------ */

static size_t
pages(size_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

size_t
gs_text_share_bytes(size_t chunk_bytes, unsigned threads)
{
	size_t share = (chunk_bytes + threads - 1) / threads;

	return share < SHARE_BYTES ? SHARE_BYTES : share;
}

/* A share's last line may end outside; one more is carried in, one ends the file; and
 * GS_PARSE_SPILL_KEYS behind the last may be overwritten. */
static size_t
class_bytes(size_t share, unsigned class, bool floats)
{
	const unsigned line_bytes = floats ? float_line_bytes : sizes[class].line_bytes;

	if (floats && class != GS_FLOATS)
		return 0;
	return pages((share / line_bytes + 4 + GS_PARSE_SPILL_KEYS) * sizes[class].key_bytes);
}

static size_t
small_bytes(bool floats)
{
	return floats ? 0 : pages(GS_SMALL_COUNT * sizeof(uint64_t));
}

static size_t
section_bytes(size_t share, bool floats)
{
	size_t bytes = small_bytes(floats);

	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++)
		bytes += class_bytes(share, class, floats);
	return bytes;
}

static size_t
head_bytes(unsigned threads)
{
	return pages(sizeof(struct gs_text_decoder) + threads * sizeof(struct gs_text_section));
}

/* One more: the last line's terminator may be missing. */
static size_t
header_bytes(const struct gs_text_options *options)
{
	return options->header_lines > 0 ? pages(HEADER_BYTES + 1) : 0;
}

size_t
gs_text_decoder_bytes(size_t chunk_bytes, unsigned threads,
                      const struct gs_text_options *options)
{
	return head_bytes(threads) + header_bytes(options) +
	       threads * section_bytes(gs_text_share_bytes(chunk_bytes, threads), options->floats);
}

struct gs_text_decoder *
gs_text_decoder_init(void *memory, size_t chunk_bytes, unsigned threads,
                     const struct gs_text_options *options)
{
	struct gs_text_decoder *decoder = memory;
	char *next = (char *)memory + head_bytes(threads);
	size_t share = gs_text_share_bytes(chunk_bytes, threads);

	assert(threads > 0);
	decoder->options = *options;
	decoder->simd = gs_simd_best();
	decoder->name = "-";
	decoder->flip = options->reverse ? UINT64_MAX : 0;
	decoder->chunk_bytes = chunk_bytes;
	decoder->threads = threads;
	decoder->header = (struct gs_text_header){ .text = next, .room = HEADER_BYTES };
	next += header_bytes(options);
	for (unsigned t = 0; t < threads; t++) {
		decoder->sections[t].small = (uint64_t *)next;
		next += small_bytes(options->floats);
		for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
			decoder->sections[t].keys[class] = next;
			next += class_bytes(share, class, options->floats);
		}
	}
	assert(next == (char *)memory + gs_text_decoder_bytes(chunk_bytes, threads, options));
	return decoder;
}

void
gs_text_count_into(struct gs_text_decoder *decoder, uint64_t *counts)
{
	decoder->sections[0].small = counts;
}

void
gs_text_decoder_with(struct gs_text_decoder *decoder, enum gs_simd simd)
{
	assert(simd <= gs_simd_best());
	decoder->simd = simd;
}

/* ---- what was found ---------------------------------------------------- */

static size_t
left_in(const struct gs_text_section *section, enum gs_text_class class)
{
	return section->count[class] - section->fetched[class];
}

size_t
gs_text_left(const struct gs_text_decoder *decoder, enum gs_text_class class)
{
	size_t left = 0;

	for (unsigned s = 0; s < decoder->threads; s++)
		left += left_in(&decoder->sections[s], class);
	return left;
}

/* The first ROOM keys of a class. */
struct fetch {
	struct gs_text_decoder *decoder;
	enum gs_text_class      class;
	char                   *into;
	size_t                  room;
};

/* Copy what is left in section S to its place among them. */
static void
copy_out(void *context, size_t s)
{
	const struct fetch *fetch = context;
	struct gs_text_decoder *decoder = fetch->decoder;
	const enum gs_text_class class = fetch->class;
	const size_t width = sizes[class].key_bytes, room = fetch->room;
	struct gs_text_section *section = &decoder->sections[s];
	size_t before = 0, count = left_in(section, class);

	for (size_t b = 0; b < s; b++)
		before += left_in(&decoder->sections[b], class);
	if (before >= room)
		return;
	if (count > room - before)
		count = room - before;
	memcpy(fetch->into + before * width,
	       (char *)section->keys[class] + section->fetched[class] * width, count * width);
}

size_t
gs_text_fetch(struct gs_text_decoder *decoder, enum gs_text_class class, void *into, size_t room)
{
	const size_t left = gs_text_left(decoder, class);
	const size_t count = left < room ? left : room;
	size_t more = count;

	assert(class != GS_SMALL);
	gs_team_each(count * sizes[class].key_bytes >= PARALLEL_COPY_BYTES ? decoder->threads : 1,
	             decoder->threads, copy_out, &(struct fetch){ decoder, class, into, count });
	for (unsigned s = 0; more > 0; s++) {	/* copy_out() looks at these */
		struct gs_text_section *section = &decoder->sections[s];
		size_t here = left_in(section, class) < more ? left_in(section, class) : more;

		section->fetched[class] += here;
		more -= here;
	}
	return count;
}

unsigned
gs_text_sections(const struct gs_text_decoder *decoder)
{
	return decoder->threads;
}

void *
gs_text_keys(const struct gs_text_decoder *decoder, unsigned section, enum gs_text_class class,
             size_t *count)
{
	*count = decoder->sections[section].count[class];
	return decoder->sections[section].keys[class];
}

/* A part of the small values' counts. */
static void
move_small(uint64_t *from, uint64_t *to)
{
	for (size_t v = 0; v < GS_SMALL_PART; v++)
		to[v] += from[v];
	memset(from, 0, GS_SMALL_PART * sizeof *from);
}

uint64_t
gs_text_fetch_small(struct gs_text_decoder *decoder, uint64_t *counts)
{
	uint64_t parts = 0;

	for (unsigned s = 0; s < decoder->threads; s++) {
		struct gs_text_section *section = &decoder->sections[s];

		for (unsigned part = 0; part < 64; part++) {
			const size_t from = (size_t)part * GS_SMALL_PART;

			if (!section->small_parts[part])
				continue;
			if (section->small != counts)
				move_small(section->small + from, counts + from);
			section->small_parts[part] = false;
			parts |= UINT64_C(1) << part;
		}
	}
	return parts;
}

uint64_t
gs_text_lines(const struct gs_text_decoder *decoder)
{
	return decoder->lines;
}

uint64_t
gs_text_invalid(const struct gs_text_decoder *decoder)
{
	return decoder->invalid;
}

const char *
gs_text_header(const struct gs_text_decoder *decoder, size_t *bytes)
{
	*bytes = decoder->header.bytes;
	return decoder->header.text;
}

void
gs_text_end(const struct gs_text_decoder *decoder)
{
	gs_line_reject_end(&decoder->options, decoder->invalid);
}
