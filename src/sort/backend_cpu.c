// SPDX-License-Identifier: BSD-2-Clause
/*
 * backend_cpu.c - sort a batch where it lies, in the store
 *
 * In:   tiles, which are slices of a shelf: what is decoded into one is already
 *       where it will be sorted.
 * Out:  spans, which are slices of the sorted shelf.
 *
 * A batch is what the store may hold; nothing is copied but by the sort itself.
 *
 * Invariant: a tile that is taken begins behind the count of its shelf, so tiles of
 * one stream are fed in the order in which they were taken, each before the next.  What
 * is held and the room of tiles that are taken are together no more than the store may hold.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/team.h"
#include "sort/backend.h"
#include "sort/cpu_sort.h"

/* Keys are drained in spans of this size: long enough to be written or printed at
 * full speed, short enough for the cache, as the next stages pass over it again. */
enum { SPAN_BYTES = 2 << 20 };

struct gs_device {
	struct gs_store *store;		/* borrowed */
	unsigned threads;
	size_t   tile_bytes;
	size_t   promised_bytes;	/* room of tiles that are taken */
	bool     descending_streams;
	unsigned drained_shelves;	/* of this batch, in the order of draining */
	size_t   drained_keys;		/* of the next shelf */
	char     description[64];
};

static gs_status
cpu_open(struct gs_device **device, const struct gs_backend_options *options)
{
	struct gs_device *cpu = calloc(1, sizeof *cpu);

	if (cpu == NULL)
		return gs_fail_errno(GS_EBUDGET, "cannot open the CPU");
	cpu->store = options->store;
	cpu->threads = options->threads;
	cpu->tile_bytes = options->tile_bytes;
	cpu->descending_streams = options->descending_streams;
	snprintf(cpu->description, sizeof cpu->description, "cpu, %s, %u thread%s",
	         gs_simd_name(gs_simd_best()), cpu->threads, cpu->threads == 1 ? "" : "s");
	*device = cpu;
	return GS_OK;
}

static const char *
cpu_describe(const struct gs_device *cpu)
{
	return cpu->description;
}

static uint64_t
cpu_batch_bytes(const struct gs_device *cpu)
{
	return cpu->store->total_bytes;	/* tiles are slices: the last may be short */
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static gs_status
cpu_take(struct gs_device *cpu, unsigned stream, struct gs_tile *tile)
{
	const struct gs_shelf *shelf = &cpu->store->shelf[stream];
	const size_t key_bytes = shelf->bits / 8;
	const size_t held_bytes = gs_store_bytes(cpu->store) + cpu->promised_bytes;

	assert(stream < GS_STREAMS && key_bytes > 0);
	assert(held_bytes <= cpu->store->total_bytes && shelf->count <= shelf->room);
	*tile = (struct gs_tile){
		.keys = (char *)shelf->keys + shelf->count * key_bytes,
		.room = least(least(cpu->tile_bytes, cpu->store->total_bytes - held_bytes) / key_bytes,
		              shelf->room - shelf->count),
		.key_bits = shelf->bits,
		.stream = stream,
	};
	cpu->promised_bytes += tile->room * key_bytes;
	return GS_OK;
}

static gs_status
cpu_feed(struct gs_device *cpu, const struct gs_tile *tile)
{
	struct gs_shelf *shelf = &cpu->store->shelf[tile->stream];

	assert(tile->stream < GS_STREAMS && tile->count <= tile->room);
	assert((char *)tile->keys == (char *)shelf->keys + shelf->count * (shelf->bits / 8));
	assert(tile->count <= shelf->room - shelf->count);
	shelf->count += tile->count;
	cpu->promised_bytes -= tile->room * (shelf->bits / 8);
	assert(gs_store_bytes(cpu->store) <= cpu->store->total_bytes);
	return GS_OK;
}

static gs_status
cpu_finish(struct gs_device *cpu)
{
	for (unsigned s = 0; s < GS_STREAMS; s++) {
		const struct gs_shelf *shelf = &cpu->store->shelf[s];

		if (shelf->count > 0)
			gs_cpu_sort(shelf->keys, shelf->scratch, shelf->bits, shelf->count,
			            cpu->threads);
	}
	cpu->drained_shelves = 0;
	cpu->drained_keys = 0;
	return GS_OK;
}

static gs_status
cpu_drain(struct gs_device *cpu, struct gs_span *span)
{
	*span = (struct gs_span){ .count = 0 };
	while (cpu->drained_shelves < GS_STREAMS) {
		const unsigned stream = cpu->descending_streams ? GS_STREAMS - 1 - cpu->drained_shelves
		                                                : cpu->drained_shelves;
		const struct gs_shelf *shelf = &cpu->store->shelf[stream];
		const size_t key_bytes = shelf->bits / 8;

		if (cpu->drained_keys < shelf->count) {
			*span = (struct gs_span){
				.keys = (char *)shelf->keys + cpu->drained_keys * key_bytes,
				.count = least(SPAN_BYTES / key_bytes, shelf->count - cpu->drained_keys),
				.key_bits = shelf->bits,
				.stream = stream,
			};
			cpu->drained_keys += span->count;
			return GS_OK;
		}
		cpu->drained_shelves++;
		cpu->drained_keys = 0;
	}
	for (unsigned s = 0; s < GS_STREAMS; s++)
		cpu->store->shelf[s].count = 0;
	return GS_OK;
}

static void
cpu_close(struct gs_device *cpu)
{
	free(cpu);
}

static void
cpu_build(char *into, size_t bytes)
{
	snprintf(into, bytes, "CPU with %s", gs_simd_name(gs_simd_best()));
}

static void
cpu_survey(void (*tell)(void *context, const char *line), void *context)
{
	char line[64];

	snprintf(line, sizeof line, "cpu      %u threads, %s", gs_team_most(),
	         gs_simd_name(gs_simd_best()));
	tell(context, line);
}

const struct gs_backend gs_backend_cpu = {
	.open = cpu_open,
	.describe = cpu_describe,
	.batch_bytes = cpu_batch_bytes,
	.take = cpu_take,
	.feed = cpu_feed,
	.finish = cpu_finish,
	.drain = cpu_drain,
	.close = cpu_close,
	.build = cpu_build,
	.survey = cpu_survey,
};
