// SPDX-License-Identifier: BSD-2-Clause
/* backend_cpu.c - rows for src/sort/backend_cpu.c: batches of several streams */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sort/backend.h"
#include "tests/unit/units.h"

void unit_backend_cpu(void);

static const struct row {
	const char *name;
	unsigned    bits[GS_STREAMS];
	size_t      keys[GS_STREAMS];	/* to feed in a batch */
	bool        descending_streams;
	size_t      tile_bytes;
	unsigned    batches;
} rows[] = {
	{ "nothing at all is an empty batch", { 32 }, { 0 }, false, 4096, 1 },
	{ "one key", { 64 }, { 1 }, false, 4096, 1 },
	{ "a shelf of many tiles is one order", { 32 }, { 100000 }, false, 4096, 1 },
	{ "a span is not the whole shelf", { 64 }, { 700000 }, false, 1 << 20, 1 },
	{ "the device is empty after a batch", { 32 }, { 20000 }, false, 8192, 3 },
	{ "streams come one after the other", { 64, 32, 0, 32, 64 }, { 999, 5000, 0, 1, 30000 },
	  false, 4096, 2 },
	{ "or the last first", { 64, 32, 0, 32, 64 }, { 999, 0, 0, 4096, 3000 }, true, 4096, 2 },
};

static uint64_t
next_key(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state ^ *state >> 29;
}

/* Feed one batch in turns; the sum of all keys of each stream. */
static void
feed(struct gs_device *device, const struct row *row, uint64_t *state, uint64_t *sums)
{
	size_t left[GS_STREAMS];
	bool more = true;

	memcpy(left, row->keys, sizeof left);
	while (more) {
		more = false;
		for (unsigned s = 0; s < GS_STREAMS; s++) {
			struct gs_tile tile;

			if (left[s] == 0)
				continue;
			CHECK(gs_backend_cpu.take(device, s, &tile) == GS_OK && tile.room > 0 &&
			      tile.stream == s && tile.key_bits == row->bits[s] && tile.count == 0 &&
			      tile.room <= row->tile_bytes / (row->bits[s] / 8),
			      "%s: a tile of stream %u has room", row->name, s);
			tile.count = left[s] < tile.room ? left[s] : tile.room - tile.room / 3;
			for (size_t i = 0; i < tile.count; i++)
				if (row->bits[s] == 32)
					sums[s] += ((uint32_t *)tile.keys)[i] = (uint32_t)next_key(state);
				else
					sums[s] += ((uint64_t *)tile.keys)[i] = next_key(state);
			CHECK(gs_backend_cpu.feed(device, &tile) == GS_OK, "%s: feed", row->name);
			left[s] -= tile.count;
			more = true;
		}
	}
}

static void
check_drain(struct gs_device *device, const struct row *row, uint64_t *sums)
{
	size_t counts[GS_STREAMS] = { 0 };
	uint64_t last = 0;
	int stream = -1;
	bool good = true;
	struct gs_span span;

	while (gs_backend_cpu.drain(device, &span) == GS_OK && span.count > 0) {
		const int step = row->descending_streams ? -1 : 1;

		if ((int)span.stream != stream) {
			good &= stream < 0 || ((int)span.stream - stream) * step > 0;
			stream = (int)span.stream;
			last = 0;
		}
		good &= span.key_bits == row->bits[stream] && span.count <= 1 << 21;
		for (size_t i = 0; i < span.count && good; i++) {
			const uint64_t key = span.key_bits == 32 ? ((uint32_t *)span.keys)[i]
			                                         : ((uint64_t *)span.keys)[i];

			good &= key >= last;
			last = key;
			sums[stream] -= key;
		}
		counts[stream] += span.count;
	}
	CHECK(good, "%s: streams and keys in order", row->name);
	for (unsigned s = 0; s < GS_STREAMS; s++)
		CHECK(counts[s] == row->keys[s] && sums[s] == 0, "%s: all keys of stream %u come out",
		      row->name, s);
}

static void
check_row(const struct row *row, unsigned threads)
{
	struct gs_store store = { .total_bytes = 0 };
	struct gs_backend_options options = {
		.descending_streams = row->descending_streams, .threads = threads,
		.tile_bytes = row->tile_bytes, .store = &store,
	};
	struct gs_device *device;
	uint64_t state = 7;

	for (unsigned s = 0; s < GS_STREAMS; s++) {
		struct gs_shelf *shelf = &store.shelf[s];

		options.stream_bits[s] = shelf->bits = row->bits[s];
		shelf->room = row->keys[s];
		shelf->keys = malloc(shelf->room * 8 + 1);
		shelf->scratch = malloc(shelf->room * 8 + 1);
		store.total_bytes += shelf->room * (shelf->bits / 8);
	}
	CHECK(gs_backend_cpu.open(&device, &options) == GS_OK, "%s: opens", row->name);
	CHECK(strncmp(gs_backend_cpu.describe(device), "cpu, ", 5) == 0, "%s: a CPU", row->name);
	CHECK(gs_backend_cpu.batch_bytes(device) == store.total_bytes, "%s: batch", row->name);
	for (unsigned batch = 0; batch < row->batches; batch++) {
		uint64_t sums[GS_STREAMS] = { 0 };
		struct gs_tile tile;

		feed(device, row, &state, sums);
		for (unsigned s = 0; s < GS_STREAMS; s++)
			if (row->bits[s] > 0)
				CHECK(gs_backend_cpu.take(device, s, &tile) == GS_OK && tile.room == 0,
				      "%s: no room is left for stream %u", row->name, s);
		CHECK(gs_backend_cpu.finish(device) == GS_OK, "%s: finishes", row->name);
		check_drain(device, row, sums);
		CHECK(gs_store_bytes(&store) == 0, "%s: the store is empty again", row->name);
	}
	gs_backend_cpu.close(device);
	for (unsigned s = 0; s < GS_STREAMS; s++) {
		free(store.shelf[s].keys);
		free(store.shelf[s].scratch);
	}
}

/* Shelves may be longer, together, than the store: one stream may take it all. */
static void
check_total(void)
{
	static uint32_t keys[2][1000], scratch[2][1000];
	struct gs_store store = {
		.shelf = {
			{ .keys = keys[0], .scratch = scratch[0], .room = 1000, .bits = 32 },
			{ .keys = keys[1], .scratch = scratch[1], .room = 1000, .bits = 32 },
		},
		.total_bytes = 4000,
	};
	struct gs_backend_options options = { .tile_bytes = 4096, .threads = 1, .store = &store };
	struct gs_device *device;
	struct gs_tile tile, other;

	if (gs_backend_cpu.open(&device, &options) != GS_OK ||
	    gs_backend_cpu.take(device, 0, &tile) != GS_OK)
		return;
	CHECK(tile.room == 1000, "one stream may take the whole store");
	CHECK(gs_backend_cpu.take(device, 1, &other) == GS_OK && other.room == 0,
	      "what one has taken and not yet fed is no room for another");
	tile.count = 600;
	memset(tile.keys, 1, 600 * sizeof(uint32_t));
	if (gs_backend_cpu.feed(device, &tile) != GS_OK ||
	    gs_backend_cpu.take(device, 1, &tile) != GS_OK)
		return;
	CHECK(tile.room == 400, "another gets what is left of the store, not of its shelf");
	gs_backend_cpu.close(device);
	gs_backend_cpu.close(NULL);
}

void
unit_backend_cpu(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned threads = 1; threads <= 2; threads++)
			check_row(&rows[r], threads);
	check_total();
}
