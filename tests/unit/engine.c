// SPDX-License-Identifier: BSD-2-Clause
/* engine.c - rows for the engine of src/gpu/cuda, on the emulated GPU of tests/emu */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "gpu/engine.h"
#include "sort/checksum.h"
#include "tests/unit/units.h"

void unit_engine(void);

extern const struct gs_gpu_module gs_gpu_module;

enum { TILE_BYTES = 64 << 10 };

static const struct row {
	const char *name;
	unsigned    bits[GS_CLASSES];
	size_t      keys[GS_CLASSES];	/* to feed in a batch */
	bool        descending_classes;
	const char *shared;		/* GSORT_EMU_SHARED: less than a partition needs, or NULL */
} rows[] = {
	{ "nothing at all", { 32 }, { 0 }, false, NULL },
	{ "one key", { 64 }, { 1 }, false, NULL },
	{ "tiles that are not full lie one behind the other", { 32 }, { 100001 }, false, NULL },
	{ "enough for a partition", { 32 }, { 270001 }, false, NULL },
	{ "and of wide ones", { 64 }, { 150001 }, false, NULL },
	{ "a GPU with little shared memory sorts, too", { 64 }, { 150001 }, false, "49152" },
	{ "several streams are brought together", { 64, 32, 0, 32, 64 }, { 999, 50001, 0, 1, 30003 },
	  false, NULL },
	{ "two of them are partitioned, the last one is first", { 64, 32, 0, 32, 64 },
	  { 999, 140001, 0, 0, 140007 }, true, NULL },
	{ "only one of several has keys", { 64, 32, 0, 32, 64 }, { 0, 0, 0, 70001, 0 }, true, NULL },
};

static uint64_t
sum_of(const struct gs_staging *tile)
{
	return gs_checksum(1, tile->key_class, tile->key_bits, tile->keys, tile->count, false).sum;
}

/* Feed one batch, streams in turn, tiles two thirds full; sums of all keys. */
static void
feed(struct gs_gpu *device, const struct row *row, uint64_t seed, uint64_t *sums)
{
	size_t left[GS_CLASSES];
	bool more = true;

	memcpy(left, row->keys, sizeof left);
	while (more) {
		more = false;
		for (unsigned s = 0; s < GS_CLASSES; s++) {
			struct gs_staging tile;

			if (left[s] == 0)
				continue;
			CHECK(gs_gpu_module.lend(device, s, &tile) == GS_OK && tile.room > 0 &&
			      tile.key_bits == row->bits[s], "%s: a tile has room", row->name);
			tile.count = left[s] < tile.room ? left[s] : tile.room - tile.room / 3;
			for (size_t i = 0; i < tile.count; i++)
				if (row->bits[s] == 32)
					sums[s] += ((uint32_t *)tile.keys)[i] = (uint32_t)units_mix(seed++);
				else
					sums[s] += ((uint64_t *)tile.keys)[i] = units_mix(seed++);
			CHECK(gs_gpu_module.commit(device, &tile, sum_of(&tile)) == GS_OK, "%s: commit",
			      row->name);
			left[s] -= tile.count;
			more = true;
		}
	}
}

static uint64_t
key_at(const struct gs_span *span, size_t i)
{
	return span->key_bits == 32 ? ((uint32_t *)span->keys)[i] : ((uint64_t *)span->keys)[i];
}

static void
check_drain(struct gs_gpu *device, const struct row *row, uint64_t *sums)
{
	const int step = row->descending_classes ? -1 : 1;
	size_t counts[GS_CLASSES] = { 0 };
	uint64_t last = 0;
	int key_class = -1;
	bool good = true;
	struct gs_gpu_span drained;

	while (gs_gpu_module.drain(device, &drained) == GS_OK && drained.span.count > 0) {
		const struct gs_span span = drained.span;

		if ((int)span.key_class != key_class) {
			good &= key_class < 0 || ((int)span.key_class - key_class) * step > 0;
			key_class = (int)span.key_class;
			last = 0;
		}
		for (size_t i = 0; i < span.count; last = key_at(&span, i++)) {
			good &= key_at(&span, i) >= last;
			sums[key_class] -= key_at(&span, i);
		}
		counts[key_class] += span.count;
	}
	CHECK(good, "%s: streams and keys in order", row->name);
	for (unsigned s = 0; s < GS_CLASSES; s++)
		CHECK(counts[s] == row->keys[s] && sums[s] == 0, "%s: all keys of class %u come out",
		      row->name, s);
	CHECK(gs_gpu_module.drain(device, &drained) == GS_OK && drained.span.count == 0,
	      "%s: and once only", row->name);
}

static void
check_row(const struct row *row)
{
	struct gs_gpu_options options = {
		.descending_classes = row->descending_classes, .tile_bytes = TILE_BYTES,
		.ring_tiles = 6, .hint_bytes = UINT64_MAX, .gpu_memory_bytes = 16 << 20,
	};
	const size_t before = emu_allocations();
	struct gs_gpu_work work;
	struct gs_gpu *device;

	memcpy(options.class_bits, row->bits, sizeof row->bits);
	if (row->shared != NULL)
		setenv("GSORT_EMU_SHARED", row->shared, 1);
	if (gs_gpu_module.open(&device, &options) != GS_OK) {
		CHECK(false, "%s: %s", row->name, gs_message());
		return;
	}
	for (unsigned batch = 0; batch < 2; batch++) {
		uint64_t sums[GS_CLASSES] = { 0 };

		feed(device, row, batch << 20, sums);
		CHECK(gs_gpu_module.finish(device) == GS_OK, "%s: finishes", row->name);
		check_drain(device, row, sums);
	}
	gs_gpu_module.work(device, &work);
	CHECK(work.memory_bytes <= 16 << 20 &&
	      work.memory_bytes >= 2 * gs_gpu_module.batch_bytes(device),
	      "%s: %llu bytes of the GPU were used", row->name, (unsigned long long)work.memory_bytes);
	CHECK((work.sort_seconds > 0) == (work.h2d_seconds > 0) &&
	      (work.d2h_seconds > 0) == (work.h2d_seconds > 0) &&
	      (work.h2d_seconds > 0) == (row->keys[0] + row->keys[1] + row->keys[3] > 0),
	      "%s: times are told of what was done", row->name);
	gs_gpu_module.close(device);
	unsetenv("GSORT_EMU_SHARED");
	CHECK(emu_allocations() == before, "%s: nothing is left over", row->name);
}

/* Each call of CUDA fails once, from the first to the last: it is said, and nothing leaks. */
static void
check_failures(int code)
{
	static const struct row row = { "when a call fails", { 32, 64 }, { 20000, 9000 }, false, NULL };
	struct gs_gpu_options options = {
		.class_bits = { 32, 64 }, .tile_bytes = TILE_BYTES, .ring_tiles = 3,
		.hint_bytes = UINT64_MAX, .gpu_memory_bytes = 4 << 20,
	};
	const size_t before = emu_allocations();
	unsigned opened = 0, refused = 0, finished = 0, broken = 0;

	for (unsigned call = 1; call <= 60; call++) {
		struct gs_gpu *device = NULL;
		uint64_t sums[GS_CLASSES] = { 0 };
		char fail[40];

		snprintf(fail, sizeof fail, "%lu:%d", emu_calls() + call, code);
		setenv("GSORT_EMU_FAIL", fail, 1);
		if (gs_gpu_module.open(&device, &options) != GS_OK) {
			refused++;
			CHECK(gs_message()[0] != '\0', "call %u: it is said why", call);
		} else if (call > 45) {		/* feed() of these rows wants no trouble */
			opened++;
			unsetenv("GSORT_EMU_FAIL");
			feed(device, &row, call, sums);
			snprintf(fail, sizeof fail, "%lu:%d", emu_calls() + call - 45, code);
			setenv("GSORT_EMU_FAIL", fail, 1);
			if (gs_gpu_module.finish(device) == GS_OK)
				finished++;
			else
				broken++;
		}
		unsetenv("GSORT_EMU_FAIL");
		gs_gpu_module.close(device);
		CHECK(emu_allocations() == before, "call %u: nothing is left over", call);
		(void)cudaGetLastError();
	}
	CHECK(refused >= 10, "of opening, %u calls fail with %d", refused, code);
	CHECK(opened > 0 && broken > 0 && finished + broken == opened,
	      "of finish(), %u calls fail with %d", broken, code);
}

void
unit_engine(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
	check_failures(cudaErrorMemoryAllocation);
	check_failures(cudaErrorIllegalAddress);
	gs_gpu_module.close(NULL);
}
