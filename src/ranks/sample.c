// SPDX-License-Identifier: BSD-2-Clause
/*
 * sample.c - a sample of the elements of all ranks, and who owns what by it
 *
 * In:   parts of files; keys that are known otherwise, with their weights.
 * Out:  splitters of keys; owners of items, and the items of the sample that this rank will own.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/round.h"
#include "base/splitmix.h"
#include "base/team.h"
#include "key/key.h"
#include "ranks/rank_job.h"
#include "ranks/exchange.h"
#include "sort/items/items.h"
#include "text/text_decoder.h"

enum { OWNER_KEYS = 16384, ALL_KEYS = 1 << 22 };

/* For little input one key in this many bytes is enough, for less yet 256 keys: shares are within 1.2 of the
 * mean. */
enum { LEAST_KEYS = 256, LEAST_STRATUM_BYTES = 64 };

size_t
gs_sample_wanted(unsigned ranks)
{
	return ranks <= ALL_KEYS / OWNER_KEYS ? OWNER_KEYS : ALL_KEYS / ranks;
}

void
gs_sample_close(struct gs_sample *sample)
{
	free(sample->items);
	free(sample->keys);
	*sample = (struct gs_sample){ .keys = NULL };
}

/* ---- from files ---------------------------------------------------------------- */

/* A part of a rank.  A unit is a key or record, or a byte of text. */
struct source {
	uint64_t begin;		/* of its units, in the file */
	uint64_t units;
	int      fd;
};

/* The parts as one row of units, from which threads take some. */
struct sampler {
	const struct gs_sample *sample;
	struct source *sources;
	uint64_t units;		/* in all */
	size_t   unit_bytes;
	size_t   count;		/* to be taken */
	size_t  *filled;	/* bytes of SAMPLE->items that each piece has */
	struct gs_first_error error;
};

enum { PIECE_KEYS = 256 };

/*
 * Strata up to this are read several at once.  Two ranks as threads, two busy cores of an EPYC 9004, cached
 * files, processor time of the job, medians of 9: 2^20 u64 (strata of 256 bytes) 42 ms, with a call for
 * each key 71; 2^22 96 and 123; 2^23 (2 KiB) 152 and 174.
 */
enum { DENSE_BYTES = 2 << 10, BUFFER_BYTES = 32 << 10 };

/* Where a thread takes units, and what it has read there. */
struct cursor {
	size_t   part;
	uint64_t unit;		/* of the part */
	size_t   read_part;
	uint64_t read_at;
	size_t   bytes;		/* of BUFFER */
	char     buffer[BUFFER_BYTES];
};

/* As gs_read_file(), from the unit of CURSOR on; false: an error.  Where strata are short, what follows is
 * read, too. */
static bool
read_unit(struct sampler *sampler, struct cursor *cursor, char *into, size_t bytes, size_t *got)
{
	const struct source *source = &sampler->sources[cursor->part];
	const uint64_t at = source->begin + cursor->unit * sampler->unit_bytes;
	const uint64_t stratum = sampler->units / sampler->count * sampler->unit_bytes;
	const char *name = sampler->sample->parts->names[cursor->part];
	size_t from;

	if (stratum > DENSE_BYTES || bytes > BUFFER_BYTES)
		return gs_first_error_note(&sampler->error,
		                           gs_read_file(name, source->fd, into, bytes, at, got));
	if (cursor->read_part != cursor->part || at < cursor->read_at ||
	    at + bytes > cursor->read_at + cursor->bytes) {
		const size_t most = (size_t)gs_least(stratum * PIECE_KEYS + bytes, BUFFER_BYTES);

		cursor->read_part = cursor->part;
		cursor->read_at = at;
		if (!gs_first_error_note(&sampler->error, gs_read_file(name, source->fd, cursor->buffer, most,
		                                                       at, &cursor->bytes)))
			return false;
	}
	from = (size_t)(at - cursor->read_at);
	*got = gs_least(bytes, cursor->bytes - from);
	memcpy(into, cursor->buffer + from, *got);
	return true;
}

/* A record or a key, or the next line that begins, with its terminator, goes to *ITEM, which is moved behind
 * it; a line only if there is one that has room.  False: an error. */
static bool
take_item(struct sampler *sampler, struct cursor *cursor, char **item)
{
	const struct gs_sample *sample = sampler->sample;
	const uint64_t units = sampler->sources[cursor->part].units;
	const size_t most = sample->item_bytes > 0 ? sample->item_bytes
	                    : (size_t)gs_least(sample->room - 1, units - cursor->unit);
	const char terminator = sample->parts->terminator;
	struct gs_line_place place = GS_LINE_PLACE_BEGIN;
	const char *line = *item, *end;
	bool whole = true;
	size_t got;

	if (!read_unit(sampler, cursor, *item, most, &got))
		return false;
	if (sample->item_bytes > 0) {
		if (got == most)	/* or the file has shrunk, as the ingest stage will say */
			*item += most;
		return true;
	}
	if (got == most && cursor->unit + got == units && (got == 0 || line[got - 1] != terminator))
		(*item)[got++] = terminator;	/* the last line may lack it */
	if (cursor->unit > 0) {
		line = memchr(line, terminator, got);
		line += line != NULL;
	}
	end = line == NULL ? NULL : memchr(line, terminator, got - (size_t)(line - *item));
	/* what a place between quotes seems to be is not a row */
	if (end == NULL || (sample->order->fields.csv &&
	                    (gs_line_end_within(sample->order, line, end + 1, &place, &whole) != end + 1 ||
	                     !whole)))
		return true;
	memmove(*item, line, (size_t)(end + 1 - line));
	*item += end + 1 - line;
	return true;
}

/* Take the units of some strata. */
static void
take_piece(void *context, size_t piece)
{
	struct sampler *sampler = context;
	char *begin = sampler->sample->items + piece * PIECE_KEYS * sampler->sample->room, *item = begin;
	struct cursor *cursor;
	uint64_t before = 0;

	if (!gs_first_error_note(&sampler->error, GS_NEW(cursor, 1, "reader of a sample")))
		return;
	cursor->read_part = SIZE_MAX;
	for (size_t i = piece * PIECE_KEYS; i < sampler->count && i < (piece + 1) * PIECE_KEYS; i++) {
		const unsigned __int128 units = sampler->units;
		const uint64_t from = (uint64_t)(units * i / sampler->count);
		const uint64_t to = (uint64_t)(units * (i + 1) / sampler->count);
		const uint64_t unit = to > from ? from + gs_splitmix(i + GS_GOLDEN) % (to - from) : from;

		while (unit - before >= sampler->sources[cursor->part].units)
			before += sampler->sources[cursor->part++].units;
		assert(cursor->part < sampler->sample->parts->count);
		cursor->unit = unit - before;
		if (!take_item(sampler, cursor, &item))
			break;
	}
	sampler->filled[piece] = (size_t)(item - begin);
	free(cursor);
}

/* Find the units of all parts, and open those that have any. */
static gs_status
open_sources(struct sampler *sampler)
{
	const struct gs_sample *sample = sampler->sample;

	TRY(GS_NEW(sampler->sources, sample->parts->count, "inputs"));
	for (size_t p = 0; p < sample->parts->count; p++)
		sampler->sources[p].fd = -1;
	for (size_t p = 0; p < sample->parts->count; p++) {
		const struct gs_range *range = &sample->parts->ranges[p];
		struct source *source = &sampler->sources[p];

		if (range->end == GS_UNKNOWN)
			continue;
		source->begin = range->begin;
		if (sample->item_bytes > 0 && range->begin == 0)	/* keys begin behind the header */
			source->begin = gs_least(sample->options->skip_bytes, range->end);
		source->units = (range->end - source->begin) / sampler->unit_bytes;
		sampler->units += source->units;
		if (source->units > 0)
			TRY(gs_open_to_read(sample->parts->names[p], &source->fd));
	}
	return GS_OK;
}

gs_status
gs_sample_draw(struct gs_sample *sample)
{
	struct sampler sampler = {
		.sample = sample, .unit_bytes = sample->item_bytes > 0 ? sample->item_bytes : 1,
	};
	gs_status status = open_sources(&sampler);
	const uint64_t strata = sampler.units / LEAST_STRATUM_BYTES * sampler.unit_bytes;
	size_t pieces;

	sampler.count = (size_t)gs_least(sample->wanted,
		gs_least(sampler.units, strata > LEAST_KEYS ? strata : LEAST_KEYS));
	pieces = (sampler.count + PIECE_KEYS - 1) / PIECE_KEYS;
	THEN(status, GS_NEW(sampler.filled, pieces, "pieces of a sample"));
	THEN(status, gs_allocate(&sample->items, sampler.count, sample->room, "items of a sample"));
	if (status == GS_OK) {
		gs_first_error_open(&sampler.error);
		/* Disks, and more so file systems of a cluster, answer many requests at once. */
		gs_team_each(16, pieces, take_piece, &sampler);
		status = gs_first_error_close(&sampler.error);
	}
	for (size_t p = 0; status == GS_OK && p < pieces; sample->bytes += sampler.filled[p++])
		memmove(sample->items + sample->bytes, sample->items + p * PIECE_KEYS * sample->room,
		        sampler.filled[p]);
	for (size_t p = 0; sampler.sources != NULL && p < sample->parts->count; p++)
		if (sampler.sources[p].fd >= 0)
			close(sampler.sources[p].fd);
	free(sampler.sources);
	free(sampler.filled);
	return status;
}

/* ---- keys -------------------------------------------------------------------------- */

gs_status
gs_sample_add(struct gs_sample *sample, unsigned place, uint64_t key, uint64_t weight)
{
	TRY(GS_GROW(sample->keys, &sample->keys_room, sample->count + 1, "keys of a sample"));
	sample->keys[sample->count++] = (struct gs_sampled){
		.key = key, .weight = weight & GS_SAMPLED_MOST, .place = place & 0xff,
	};
	return GS_OK;
}

gs_status
gs_sample_read_keys(struct gs_sample *sample, const struct gs_text_options *text)
{
	enum { CHUNK_BYTES = 64 << 10 };
	const struct gsort_options *options = sample->options;
	const char *end = sample->items + sample->bytes;
	struct gs_text_decoder *decoder = NULL;
	const struct gs_text_keys *keys;
	gs_status status;
	size_t used;

	for (const char *at = sample->items; sample->item_bytes > 0 && at < end; at += sample->item_bytes) {
		uint64_t key[1] = { 0 };

		memcpy(key, at, sample->item_bytes);
		gs_raw_to_ordered(options->type, options->endian, options->reverse, key, 1, 1);
		TRY(gs_sample_add(sample, gs_class_place(0, options->reverse),
		                  gs_key_at(key, (unsigned)sample->item_bytes * 8, 0), 1));
	}
	if (sample->item_bytes > 0)
		return GS_OK;
	TRY(gs_allocate(&decoder, gs_text_decoder_bytes(CHUNK_BYTES, 1, text), 1, "keys of a sample"));
	keys = &gs_text_decoder_init(decoder, CHUNK_BYTES, 1, text)->sections[0].keys;
	status = GS_OK;
	for (const char *at = sample->items; status == GS_OK && at < end; at += used) {
		used = gs_least((size_t)(end - at), CHUNK_BYTES);
		status = gs_text_decode(decoder, at, used, at + used == end);
		for (unsigned c = 0; c < GS_TEXT_CLASSES; c++)
			for (size_t k = 0; status == GS_OK && k < keys->count[c]; k++)
				status = gs_sample_add(sample, gs_class_place(c, options->reverse),
				                       gs_key_at(keys->keys[c], gs_text_bits(c), k), 1);
	}
	for (size_t v = 0; status == GS_OK && !text->floats && v < GS_SMALL_COUNT; v++)
		if (keys->small[v] > 0)
			status = gs_sample_add(sample, gs_class_place(GS_SMALL, options->reverse),
			                       options->reverse ? (uint32_t)~v : v, keys->small[v]);
	free(decoder);
	return status;
}

static int
compare(const void *a, const void *b)
{
	const struct gs_sampled *one = a, *other = b;

	if (one->place != other->place)
		return one->place < other->place ? -1 : 1;
	return one->key != other->key ? (one->key < other->key ? -1 : 1) : 0;
}

gs_status
gs_sample_split(const struct gs_sample *sample, gs_status status, struct gs_key_exchange *exchange)
{
	struct gs_ranks *ranks = exchange->all.ranks;
	struct gs_collected all;

	status = gs_ranks_collect(ranks, status, sample->keys, sample->count * sizeof *sample->keys,
	                          0, ranks->size, &all);
	if (status == GS_OK) {
		struct gs_sampled *keys = (struct gs_sampled *)(void *)all.data;
		const size_t count = all.bytes / sizeof *keys;

		if (count > 0)
			qsort(keys, count, sizeof *keys, compare);
		status = gs_splitters_make(&exchange->splitters, keys, count, ranks->size, ranks->rank,
		                           exchange->together, exchange->descending_classes);
		exchange->split = status == GS_OK;
	}
	gs_collected_close(&all);
	return status;
}

/* ---- items ------------------------------------------------------------------------- */

/* Show the store what this rank will own, moved to the front of ALL. */
static gs_status
show(const struct gs_item_exchange *exchange, const struct gs_item_slice *slices, char *all)
{
	const struct gs_taker *store = &exchange->all.own;
	const size_t fixed = exchange->order->item_bytes;
	const char *items[GS_ITEM_BATCH];
	uint32_t bytes[GS_ITEM_BATCH];
	uint16_t found[GS_ITEM_BATCH];
	size_t own = 0, count;

	for (unsigned r = 0; r < exchange->all.ranks->size; r++) {
		struct gs_item_walk walk = gs_item_walk_begin(exchange->order, &slices[r], 1);

		while ((count = gs_item_walk_next(&walk, items, bytes, GS_ITEM_BATCH)) > 0) {
			gs_item_owners_find(&exchange->owners, r, items, bytes, count, found);
			for (size_t i = 0; i < count; i++) {
				const size_t here = fixed > 0 ? fixed : bytes[i];

				if (found[i] != exchange->all.ranks->rank)
					continue;
				memmove(all + own, items[i], here);
				own += here;
			}
		}
	}
	return store->sample(store->context, all, own);
}

gs_status
gs_sample_split_items(const struct gs_sample *sample, gs_status status, bool together,
                      struct gs_item_exchange *exchange)
{
	struct gs_ranks *ranks = exchange->all.ranks;
	struct gs_item_slice *slices = NULL;
	struct gs_collected all;
	size_t at = 0;

	THEN(status, GS_NEW(slices, ranks->size, "ranks"));
	status = gs_ranks_collect(ranks, status, sample->items, sample->bytes, 0, ranks->size, &all);
	for (unsigned r = 0; status == GS_OK && r < ranks->size; at += all.sizes[r++])
		slices[r] = (struct gs_item_slice){ all.data + at, all.sizes[r] };
	THEN(status, gs_item_owners_make(&exchange->owners, exchange->order, slices, ranks->size, ranks->size,
	                                 together));
	THEN(status, show(exchange, slices, all.data));
	gs_collected_close(&all);
	free(slices);
	return status;
}
