// SPDX-License-Identifier: BSD-2-Clause
/*
 * sample.c - a sample of the keys of all ranks, and from it the splitters
 *
 * In:   parts of files, or a histogram.
 * Out:  splitters.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/splitmix.h"
#include "base/team.h"
#include "key/key.h"
#include "ranks/ranked.h"
#include "ranks/spread.h"
#include "text/lines.h"

enum { OWNER_KEYS = 16384, ALL_KEYS = 1 << 22 };

/* Of little input a key of so many bytes is enough, of less yet 256: shares are within 1.2 of the mean. */
enum { LEAST_KEYS = 256, LEAST_STRATUM_BYTES = 64 };

size_t
gs_sample_wanted(unsigned ranks)
{
	return ranks <= ALL_KEYS / OWNER_KEYS ? OWNER_KEYS : ALL_KEYS / ranks;
}

gs_status
gs_sample_add(struct gs_sample *sample, unsigned place, uint64_t key, uint64_t weight)
{
	TRY(GS_GROW(sample->keys, &sample->room, sample->count + 1, "keys of a sample"));
	sample->keys[sample->count++] = (struct gs_sampled){
		.key = key, .weight = weight & GS_SAMPLED_MOST, .place = place & 0xff,
	};
	return GS_OK;
}

gs_status
gs_sample_add_raw(struct gs_sample *sample, const struct gsort_options *options, const char *key)
{
	const unsigned bits = gs_key_bits(options->type);
	uint64_t ordered = 0;

	memcpy(&ordered, key, bits / 8);
	gs_raw_to_ordered(options->type, options->endian, options->reverse, &ordered, 1, 1);
	return gs_sample_add(sample, gs_class_place(0, options->reverse), gs_key_at(&ordered, bits, 0), 1);
}

gs_status
gs_sample_add_text(struct gs_sample *sample, const struct gs_text_options *options, const char *text,
                   const char *end)
{
	enum { BATCH = 256 };
	uint64_t keys[BATCH];
	uint8_t places[BATCH];
	struct gs_lines lines;

	gs_lines_open(&lines, options);
	for (size_t count, used; text < end; text += used) {
		TRY(gs_lines_decode(&lines, text, (size_t)(end - text), true, keys, places, NULL, NULL, BATCH,
		                    &count, &used));
		for (size_t k = 0; k < count; k++)
			TRY(gs_sample_add(sample, places[k], keys[k], 1));
	}
	return GS_OK;
}

void
gs_sample_close(struct gs_sample *sample)
{
	free(sample->keys);
	*sample = (struct gs_sample){ .keys = NULL };
}

gs_status
gs_sample_histogram(struct gs_sample *sample, const struct gs_count *histogram, uint64_t flip,
                    bool descending_classes)
{
	for (size_t b = 0; b < histogram->bin_count; b++)
		if (histogram->bins[b] > 0)
			TRY(gs_sample_add(sample, gs_class_place(histogram->key_class, descending_classes),
			                  b ^ flip, histogram->bins[b]));
	return GS_OK;
}

/* ---- from files ---------------------------------------------------------------- */

/* The parts of a rank as one row of keys or records, or bytes of text, from which threads take some. */
struct sampler {
	const struct gs_parts      *parts;
	const struct gsort_options *options;
	const struct gs_line_order *order;	/* of lines */
	unsigned    key_bytes;		/* of a key or record; 0: text */
	uint64_t    units;		/* keys, or bytes, in all */
	size_t      count;		/* to be taken */
	int        *fds;		/* of the parts */
	char       *items;		/* room for COUNT of ITEM_ROOM, ... */
	size_t      item_room;
	size_t     *filled;		/* ... of which each piece has so many bytes */
	struct gs_first_error error;
};

enum { PIECE_KEYS = 256 };

/*
 * Strata up to this are read several at once.  Two ranks as threads, two busy cores of an EPYC 9004, cached
 * files, processor time of the job, medians of 9: 2^20 u64 (strata of 256 bytes) 42 ms, with a call for
 * each key 71; 2^22 96 and 123; 2^23 (2 KiB) 152 and 174.
 */
enum { DENSE_BYTES = 2 << 10, BUFFER_BYTES = 32 << 10 };

/* Where a thread takes keys, and what it has read there. */
struct cursor {
	size_t   part;
	uint64_t unit;		/* of the part */
	size_t   read_part;
	uint64_t read_at;
	size_t   bytes;		/* of BUFFER */
	char     buffer[BUFFER_BYTES];
};

/* As gs_read_file(), of the part of CURSOR; false: an error.  Where strata are short, what follows is read,
 * too. */
static bool
read_at(struct sampler *sampler, struct cursor *cursor, uint64_t at, char *into, size_t bytes, size_t *got)
{
	const uint64_t unit = sampler->key_bytes > 0 ? sampler->key_bytes : 1;
	const uint64_t stratum = sampler->units / sampler->count * unit;
	const uint64_t piece = stratum * PIECE_KEYS + bytes;
	const size_t most = piece < BUFFER_BYTES ? (size_t)piece : BUFFER_BYTES;
	const char *name = sampler->parts->names[cursor->part];
	const int fd = sampler->fds[cursor->part];
	size_t from;

	if (stratum > DENSE_BYTES || bytes > BUFFER_BYTES)
		return gs_first_error_note(&sampler->error, gs_read_file(name, fd, into, bytes, at, got));
	if (cursor->read_part != cursor->part || at < cursor->read_at ||
	    at + bytes > cursor->read_at + cursor->bytes) {
		cursor->read_part = cursor->part;
		cursor->read_at = at;
		if (!gs_first_error_note(&sampler->error, gs_read_file(name, fd, cursor->buffer, most, at,
		                                                       &cursor->bytes)))
			return false;
	}
	from = (size_t)(at - cursor->read_at);
	*got = bytes < cursor->bytes - from ? bytes : cursor->bytes - from;
	memcpy(into, cursor->buffer + from, *got);
	return true;
}

/* The random unit of stratum I. */
static uint64_t
unit_of(const struct sampler *sampler, size_t i)
{
	const uint64_t from = (uint64_t)((unsigned __int128)sampler->units * i / sampler->count);
	const uint64_t to = (uint64_t)((unsigned __int128)sampler->units * (i + 1) / sampler->count);

	return to > from ? from + gs_splitmix(i + GS_GOLDEN) % (to - from) : from;
}

static uint64_t
part_units(const struct sampler *sampler, size_t part)
{
	const struct gs_range *range = &sampler->parts->ranges[part];
	uint64_t begin = range->begin;

	if (range->end == GS_UNKNOWN)
		return 0;
	if (sampler->key_bytes == 0)
		return range->end - begin;
	if (begin == 0)			/* keys begin behind the header */
		begin = sampler->options->skip_bytes < range->end ? sampler->options->skip_bytes
		                                                 : range->end;
	return (range->end - begin) / sampler->key_bytes;
}

/* Read a key, or record.  False: the file has shrunk, as the ingest stage will say; or an error. */
static bool
read_unit(struct sampler *sampler, struct cursor *cursor, char *into)
{
	const size_t part = cursor->part;
	const struct gs_range *range = &sampler->parts->ranges[part];
	const uint64_t end = range->end - (range->end - (range->begin > 0 ? range->begin
		: sampler->options->skip_bytes)) % sampler->key_bytes;
	const uint64_t at = end - (part_units(sampler, part) - cursor->unit) * sampler->key_bytes;
	size_t got = 0;

	return read_at(sampler, cursor, at, into, sampler->key_bytes, &got) && got == sampler->key_bytes;
}

/* The next line that begins, in TEXT of MOST and one more bytes: to *LINE and *END, where its
 * terminator is; NULL: there is none, or it is too long.  False: an error. */
static bool
look_at_line(struct sampler *sampler, struct cursor *cursor, char *text, size_t most,
             const char **line, const char **end)
{
	const struct gs_range *range = &sampler->parts->ranges[cursor->part];
	const uint64_t at = range->begin + cursor->unit;
	const char terminator = sampler->parts->terminator;
	size_t got;

	if (range->end - at < most)
		most = (size_t)(range->end - at);
	if (!read_at(sampler, cursor, at, text, most, &got))
		return false;
	if (got == most && at + got == range->end && (got == 0 || text[got - 1] != terminator))
		text[got++] = terminator;	/* the last line may lack it */
	*line = cursor->unit == 0 ? text : memchr(text, terminator, got);
	*line += *line != NULL && cursor->unit > 0;
	*end = *line == NULL ? NULL : memchr(*line, terminator, got - (size_t)(*line - text));
	return true;
}

/* Is it a whole line?  What a place between quotes seems to be is none. */
static bool
is_line(const struct sampler *sampler, const char *item, const char *end)
{
	struct gs_line_place place = GS_LINE_PLACE_BEGIN;
	bool whole;

	return !sampler->order->fields.csv ||
	       (gs_line_end_within(sampler->order, item, end, &place, &whole) == end && whole);
}

/* A line with its terminator, a record or a key goes to *ITEM, which is moved behind it.  False: an error. */
static bool
take_item(struct sampler *sampler, struct cursor *cursor, char **item)
{
	const char *line, *end;

	if (sampler->key_bytes > 0) {
		if (!read_unit(sampler, cursor, *item))
			return !atomic_load(&sampler->error.any);
		*item += sampler->key_bytes;
		return true;
	}
	if (!look_at_line(sampler, cursor, *item, sampler->item_room - 1, &line, &end))
		return false;
	if (end != NULL && is_line(sampler, line, end + 1)) {
		memmove(*item, line, (size_t)(end + 1 - line));
		*item += end + 1 - line;
	}
	return true;
}

/* Take the keys of some strata. */
static void
take_piece(void *context, size_t piece)
{
	struct sampler *sampler = context;
	char *begin = sampler->items + piece * PIECE_KEYS * sampler->item_room, *item = begin;
	struct cursor *cursor;
	uint64_t before = 0;

	if (!gs_first_error_note(&sampler->error, GS_NEW(cursor, 1, "reader of a sample")))
		return;
	cursor->read_part = SIZE_MAX;
	for (size_t i = piece * PIECE_KEYS; i < sampler->count && i < (piece + 1) * PIECE_KEYS; i++) {
		const uint64_t unit = unit_of(sampler, i);

		while (unit - before >= part_units(sampler, cursor->part))
			before += part_units(sampler, cursor->part++);
		assert(cursor->part < sampler->parts->count);
		cursor->unit = unit - before;
		if (!take_item(sampler, cursor, &item))
			break;
	}
	sampler->filled[piece] = (size_t)(item - begin);
	free(cursor);
}

static size_t
pieces_of(const struct sampler *sampler)
{
	return (sampler->count + PIECE_KEYS - 1) / PIECE_KEYS;
}

static gs_status
take(struct sampler *sampler)
{
	for (size_t p = 0; p < sampler->parts->count; p++) {
		if (part_units(sampler, p) == 0)
			continue;
		TRY(gs_open_to_read(sampler->parts->names[p], &sampler->fds[p]));
	}
	gs_first_error_open(&sampler->error);
	/* Disks, and more so file systems of a cluster, answer many requests at once. */
	gs_team_each(16, pieces_of(sampler), take_piece, sampler);
	return gs_first_error_close(&sampler->error);
}

/* Take COUNT, or as many as there are strata. */
static gs_status
take_all(struct sampler *sampler, size_t count)
{
	const size_t parts = sampler->parts->count;
	uint64_t most;
	gs_status status;

	for (size_t p = 0; p < parts; p++)
		sampler->units += part_units(sampler, p);
	most = sampler->units / LEAST_STRATUM_BYTES * (sampler->key_bytes > 0 ? sampler->key_bytes : 1);
	most = most > LEAST_KEYS ? most : LEAST_KEYS;
	most = most < sampler->units ? most : sampler->units;
	sampler->count = most < count ? (size_t)most : count;
	if (sampler->count == 0)
		return GS_OK;
	status = GS_NEW(sampler->fds, parts, "inputs");
	for (size_t p = 0; status == GS_OK && p < parts; p++)
		sampler->fds[p] = -1;
	THEN(status, GS_NEW(sampler->filled, pieces_of(sampler), "pieces of a sample"));
	THEN(status, gs_allocate(&sampler->items, sampler->count, sampler->item_room, "items of a sample"));
	THEN(status, take(sampler));
	for (size_t p = 0; sampler->fds != NULL && p < parts; p++)
		if (sampler->fds[p] >= 0)
			close(sampler->fds[p]);
	free(sampler->fds);
	return status;
}

gs_status
gs_sample_items(char **items, size_t *bytes, const struct gs_parts *parts,
                const struct gsort_options *options, size_t item_bytes,
                const struct gs_line_order *order, size_t room, size_t count)
{
	struct sampler sampler = {
		.parts = parts, .options = options, .order = order, .key_bytes = (unsigned)item_bytes,
		.item_room = room,
	};
	gs_status status = take_all(&sampler, count);

	*bytes = 0;
	for (size_t p = 0; status == GS_OK && p * PIECE_KEYS < sampler.count; *bytes += sampler.filled[p++])
		memmove(sampler.items + *bytes, sampler.items + p * PIECE_KEYS * room, sampler.filled[p]);
	*items = sampler.items;
	free(sampler.filled);
	return status;
}

/* ---- splitters -------------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
	const struct gs_sampled *one = a, *other = b;

	if (one->place != other->place)
		return one->place < other->place ? -1 : 1;
	return one->key != other->key ? (one->key < other->key ? -1 : 1) : 0;
}

gs_status
gs_sample_split_alone(struct gs_sample *sample, const struct gs_ranks *ranks, bool together,
                      bool descending_classes, struct gs_splitters *splitters)
{
	if (sample->count > 0)
		qsort(sample->keys, sample->count, sizeof *sample->keys, compare);
	return gs_splitters_make(splitters, sample->keys, sample->count, ranks->size, ranks->rank,
	                         together, descending_classes);
}

gs_status
gs_sample_split(struct gs_sample *sample, struct gs_ranks *ranks, bool together,
                bool descending_classes, struct gs_splitters *splitters)
{
	struct gs_collected all;
	gs_status status = gs_ranks_collect(ranks, GS_OK, sample->keys, sample->count * sizeof *sample->keys,
	                                    GS_COLLECT_ALL, &all);
	struct gs_sample every = {
		.keys = (struct gs_sampled *)(void *)all.data, .count = all.bytes / sizeof *sample->keys,
	};

	THEN(status, gs_sample_split_alone(&every, ranks, together, descending_classes, splitters));
	gs_collected_close(&all);
	return status;
}
