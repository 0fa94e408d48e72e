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

enum { STAGING_BYTES = 64 << 10, GPU_BYTES = 16 << 20, RESIDENT_BYTES = 8 << 20 };

static const struct row {
	const char *name;
	unsigned    bits[GS_CLASSES];
	size_t      keys[GS_CLASSES];	/* to feed, twice */
	bool        descending_classes;
	const char *shared;		/* GSORT_EMU_SHARED: less than all steps need, or NULL */
	unsigned    few;		/* keys are numbers below it; 0: any */
	size_t      gpu_bytes;		/* of memory; 0: more than all keys need */
	unsigned    batches;		/* that are sorted at least each time; 0: one */
	unsigned    strands;		/* that its keys are drained by; 0: in order */
} rows[] = {
	{ .name = "nothing at all", .bits = { 32 } },
	{ .name = "one key", .bits = { 64 }, .keys = { 1 } },
	{ .name = "buffers that are not full lie one behind the other",
	  .bits = { 32 }, .keys = { 100001 } },
	{ .name = "enough for a partition", .bits = { 32 }, .keys = { 270001 } },
	{ .name = "and of wide ones", .bits = { 64 }, .keys = { 150001 } },
	{ .name = "a GPU with little shared memory sorts, too",
	  .bits = { 64 }, .keys = { 150001 }, .shared = "65536" },
	{ .name = "several classes are brought together",
	  .bits = { 64, 32, 0, 32, 64 }, .keys = { 999, 50001, 0, 1, 30003 } },
	{ .name = "two of them are partitioned, the last one is first",
	  .bits = { 64, 32, 0, 32, 64 }, .keys = { 999, 140001, 0, 0, 140007 },
	  .descending_classes = true },
	{ .name = "only one of several has keys",
	  .bits = { 64, 32, 0, 32, 64 }, .keys = { 0, 0, 0, 70001, 0 }, .descending_classes = true },
	{ .name = "several batches are cut into slices",
	  .bits = { 32 }, .keys = { 400001 }, .gpu_bytes = 1 << 20, .batches = 4 },
	{ .name = "and of wide keys",
	  .bits = { 64 }, .keys = { 200003 }, .gpu_bytes = 1 << 20, .batches = 4 },
	{ .name = "three different ones are cut at exact ranks",
	  .bits = { 32 }, .keys = { 400001 }, .gpu_bytes = 1 << 20, .batches = 4, .few = 3 },
	{ .name = "and equal ones",
	  .bits = { 64 }, .keys = { 200003 }, .gpu_bytes = 1 << 20, .batches = 4, .few = 1 },
	{ .name = "batches of several classes",
	  .bits = { 64, 32, 0, 32, 64 }, .keys = { 999, 90001, 0, 190001, 60007 },
	  .gpu_bytes = 2 << 20, .batches = 2, .descending_classes = true },
	{ .name = "one run by strands",
	  .bits = { 32 }, .keys = { 270001 }, .strands = 7 },
	{ .name = "more strands than keys",
	  .bits = { 64 }, .keys = { 5 }, .strands = 9 },
	{ .name = "several batches by strands",
	  .bits = { 64 }, .keys = { 200003 }, .gpu_bytes = 1 << 20, .batches = 4, .strands = 5 },
	{ .name = "and equal keys",
	  .bits = { 32 }, .keys = { 400001 }, .gpu_bytes = 1 << 20, .batches = 4, .few = 2,
	  .strands = 3 },
	{ .name = "many cuts",
	  .bits = { 64 }, .keys = { 400001 }, .gpu_bytes = 600 << 10, .batches = 7, .strands = 2 },
	{ .name = "a batch is a buffer",
	  .bits = { 32, 64 }, .keys = { 70001, 30011 }, .gpu_bytes = 200 << 10, .batches = 8 },
};

static void
fill(struct gs_staging *staging, unsigned few, uint64_t *seed, uint64_t *sum)
{
	for (size_t i = 0; i < staging->count; i++) {
		const uint64_t key = few > 0 ? units_mix((*seed)++) % few * 1000 : units_mix((*seed)++);

		gs_key_put(staging->keys, staging->key_bits, i, key);
		*sum += gs_key_at(staging->keys, staging->key_bits, i);
	}
	staging->sum = gs_checksum(1, staging->key_class, staging->key_bits, staging->keys,
	                           staging->count, false).sum;
}

/* Feed all keys, classes in turn, buffers two thirds full; sums of all keys.  False: a call failed,
 * or there is no room. */
static bool
feed(struct gs_gpu *gpu, const struct row *row, uint64_t seed, uint64_t *sums)
{
	size_t left[GS_CLASSES];
	bool more = true;

	memcpy(left, row->keys, sizeof left);
	while (more) {
		more = false;
		for (unsigned c = 0; c < GS_CLASSES; c++) {
			struct gs_staging staging;

			if (left[c] == 0)
				continue;
			if (gs_gpu_module.lend(gpu, c, &staging) != GS_OK || staging.room == 0)
				return false;
			CHECK(staging.key_bits == row->bits[c], "%s: a buffer is as wide as its class",
			      row->name);
			staging.count = left[c] < staging.room ? left[c] : staging.room - staging.room / 3;
			fill(&staging, row->few, &seed, &sums[c]);
			if (gs_gpu_module.commit(gpu, &staging) != GS_OK)
				return false;
			left[c] -= staging.count;
			more = true;
		}
	}
	return true;
}

/* A span follows the spans before it, and has the sum that it claims. */
static bool
is_right(const struct gs_gpu_span *drained, uint64_t last)
{
	const struct gs_span *span = &drained->span;
	const struct gs_checksum found = gs_checksum(1, span->key_class, span->key_bits,
	                                             span->keys, span->count, true);

	return !found.falls && found.sum == drained->sum &&
	       gs_key_at(span->keys, span->key_bits, 0) >= last;
}

enum { STRANDS_MOST = 16 };

/* Drain all keys by strands; false: a call failed. */
static bool
check_strands(struct gs_gpu *gpu, const struct row *row, uint64_t *sums)
{
	uint64_t at[STRANDS_MOST + 1] = { 0 }, next[STRANDS_MOST], last[STRANDS_MOST] = { 0 };
	uint64_t first[STRANDS_MOST];
	const unsigned count = row->strands;
	unsigned before = count - 1;		/* strand of the last span */
	bool good = true, turns = false;
	struct gs_gpu_span drained;

	for (unsigned s = 0; s <= count; s++)	/* the second strand is empty */
		at[s] = s == 2 && count > 2 ? at[1] : row->keys[0] * s / count;
	memcpy(next, at, sizeof next);
	memset(first, 0xff, sizeof first);
	if (gs_gpu_module.by_strands(gpu, at, count) != GS_OK)
		return false;
	for (;;) {
		const struct gs_span *span = &drained.span;
		size_t s;

		if (gs_gpu_module.drain(gpu, &drained) != GS_OK)
			return false;
		if (span->count == 0)
			break;
		s = drained.strand;
		good &= s < count && drained.at == next[s] && is_right(&drained, last[s]);
		if (!good)
			break;
		turns |= s != before && span->count < at[s + 1] - at[s];
		before = (unsigned)s;
		if (next[s] == at[s])
			first[s] = gs_key_at(span->keys, span->key_bits, 0);
		next[s] += span->count;
		last[s] = gs_key_at(span->keys, span->key_bits, span->count - 1);
		for (size_t i = 0; i < span->count; i++)
			sums[0] -= gs_key_at(span->keys, span->key_bits, i);
		gs_gpu_module.give(gpu, &drained);
	}
	for (unsigned s = 0; s < count; s++)
		good &= next[s] == at[s + 1] && (s == 0 || last[s - 1] <= first[s]);
	CHECK(good && sums[0] == 0, "%s: each strand has its keys in order", row->name);
	CHECK(turns || row->keys[0] / count < STAGING_BYTES / 4, "%s: strands come in turn", row->name);
	return true;
}

/* Drain all keys; false: a call failed. */
static bool
check_drain(struct gs_gpu *gpu, const struct row *row, uint64_t *sums)
{
	const int step = row->descending_classes ? -1 : 1;
	size_t counts[GS_CLASSES] = { 0 };
	uint64_t last = 0;
	int key_class = -1;
	bool good = true;
	struct gs_gpu_span drained;

	for (;;) {
		const struct gs_span *span = &drained.span;

		if (gs_gpu_module.drain(gpu, &drained) != GS_OK)
			return false;
		if (span->count == 0)
			break;
		if ((int)span->key_class != key_class) {
			good &= key_class < 0 || ((int)span->key_class - key_class) * step > 0;
			key_class = (int)span->key_class;
			last = 0;
		}
		good &= is_right(&drained, last);
		for (size_t i = 0; i < span->count; i++)
			sums[key_class] -= gs_key_at(span->keys, span->key_bits, i);
		last = gs_key_at(span->keys, span->key_bits, span->count - 1);
		counts[key_class] += span->count;
		gs_gpu_module.give(gpu, &drained);
	}
	CHECK(good, "%s: classes and keys in order", row->name);
	for (unsigned c = 0; c < GS_CLASSES; c++)
		CHECK(counts[c] == row->keys[c] && sums[c] == 0, "%s: all keys of class %u come out",
		      row->name, c);
	CHECK(gs_gpu_module.drain(gpu, &drained) == GS_OK && drained.span.count == 0,
	      "%s: and once only", row->name);
	return true;
}

static struct gs_gpu_options
options_of(const struct row *row)
{
	struct gs_gpu_options options = {
		.descending_classes = row->descending_classes, .staging_bytes = STAGING_BYTES,
		.ring_buffers = 6, .hint_bytes = UINT64_MAX,
		.gpu_memory_bytes = row->gpu_bytes > 0 ? row->gpu_bytes : GPU_BYTES,
		.resident = aligned_alloc(4096, RESIDENT_BYTES), .resident_bytes = RESIDENT_BYTES,
	};

	memcpy(options.class_bits, row->bits, sizeof row->bits);
	return options;
}

static bool
has_keys(const struct row *row)
{
	for (unsigned c = 0; c < GS_CLASSES; c++)
		if (row->keys[c] > 0)
			return true;
	return false;
}

static void
check_work(struct gs_gpu *gpu, const struct row *row, const struct gs_gpu_options *options)
{
	const bool any = has_keys(row);
	struct gs_gpu_work work;

	gs_gpu_module.work(gpu, &work);
	CHECK(row->batches > 0 ? work.batches >= 2 * row->batches : work.batches == 2 * any,
	      "%s: %u batches were sorted", row->name, work.batches);
	CHECK(work.memory_bytes <= options->gpu_memory_bytes &&
	              work.memory_bytes >= 2 * gs_gpu_module.batch_bytes(gpu),
	      "%s: %llu bytes of the GPU were used", row->name, (unsigned long long)work.memory_bytes);
	CHECK((work.sort_seconds > 0) == any && (work.d2h_seconds > 0) == any &&
	      (work.h2d_seconds > 0) == any, "%s: times are told of what was done", row->name);
}

static void
check_row(const struct row *row)
{
	struct gs_gpu_options options = options_of(row);
	const size_t before = emu_allocations();
	struct gs_gpu *gpu;

	if (row->shared != NULL)
		setenv("GSORT_EMU_SHARED", row->shared, 1);
	if (gs_gpu_module.open(&gpu, &options) != GS_OK) {
		CHECK(false, "%s: %s", row->name, gs_message());
		return;
	}
	for (unsigned batch = 0; batch < 2; batch++) {
		uint64_t sums[GS_CLASSES] = { 0 };

		CHECK(feed(gpu, row, batch << 20, sums), "%s: there is room", row->name);
		CHECK(gs_gpu_module.finish(gpu) == GS_OK, "%s: finishes", row->name);
		CHECK(row->strands > 0 ? check_strands(gpu, row, sums) : check_drain(gpu, row, sums),
		      "%s: drains", row->name);
	}
	check_work(gpu, row, &options);
	gs_gpu_module.close(gpu);
	free(options.resident);
	unsetenv("GSORT_EMU_SHARED");
	CHECK(emu_allocations() == before, "%s: nothing is left over", row->name);
}

/* Room ends where host memory ends, and is free again when all is drained. */
static void
check_room(void)
{
	static const struct row row = {
		.name = "two slots", .bits = { 64 }, .gpu_bytes = 1 << 20,
	};
	struct gs_gpu_options options = options_of(&row);
	struct gs_gpu *gpu;
	size_t batch;

	options.resident_bytes = 1 << 20;
	CHECK(gs_gpu_module.open(&gpu, &options) == GS_OK, "%s: opens", row.name);
	batch = (size_t)gs_gpu_module.batch_bytes(gpu);
	for (unsigned round = 0; round < 2; round++) {
		struct row full = row;
		uint64_t sums[GS_CLASSES] = { 0 };
		struct gs_staging staging;

		/* Buffers are two thirds full: no more than this is certain to fit. */
		full.keys[0] = (1 + options.resident_bytes / batch) * (batch / STAGING_BYTES) *
		               (STAGING_BYTES / 8 - STAGING_BYTES / 8 / 3);
		CHECK(feed(gpu, &full, round, sums), "%s: there is room for a batch more than that",
		      row.name);
		CHECK(gs_gpu_module.lend(gpu, 0, &staging) == GS_OK && staging.room == 0,
		      "%s: then there is none", row.name);
		CHECK(gs_gpu_module.finish(gpu) == GS_OK, "%s: finishes", row.name);
		CHECK(check_drain(gpu, &full, sums), "%s: drains", row.name);
	}
	gs_gpu_module.close(gpu);
	free(options.resident);
}

/* Open, feed, finish, drain, until a call fails.  True: none did. */
static bool
run_once(const struct row *row, const struct gs_gpu_options *options)
{
	uint64_t sums[GS_CLASSES] = { 0 };
	struct gs_gpu *gpu;
	bool good;

	if (gs_gpu_module.open(&gpu, options) != GS_OK)
		return false;
	good = feed(gpu, row, 7, sums) && gs_gpu_module.finish(gpu) == GS_OK &&
	       check_drain(gpu, row, sums);
	gs_gpu_module.close(gpu);
	return good;
}

/* Each call of CUDA fails once, from the first to the last (without GSORT_SLOW, every fourth, or
 * every ninth if time is short): it is said, and nothing leaks. */
static void
check_failures(int code)
{
	const unsigned long step = getenv("GSORT_SLOW") != NULL ? 1 : units_brief() ? 9 : 4;
	static const struct row rows_that_fail[] = {
		{ .name = "one batch", .bits = { 32, 64 }, .keys = { 900, 700 },
		  .gpu_bytes = 1 << 20 },
		{ .name = "several batches", .bits = { 64 }, .keys = { 20000 }, .gpu_bytes = 200 << 10 },
	};

	for (unsigned r = 0; r < sizeof rows_that_fail / sizeof rows_that_fail[0]; r++) {
		const struct row *row = &rows_that_fail[r];
		struct gs_gpu_options options = options_of(row);
		const size_t before = emu_allocations();
		unsigned long calls, begin, tries = 0, fails = 0;

		begin = emu_calls();
		CHECK(run_once(row, &options), "%s: nothing fails", row->name);
		calls = emu_calls() - begin;
		for (unsigned long call = 1; call <= calls; call += step) {
			char fail[40];

			tries++;
			snprintf(fail, sizeof fail, "%lu:%d", emu_calls() + call, code);
			setenv("GSORT_EMU_FAIL", fail, 1);
			if (!run_once(row, &options)) {
				fails++;
				CHECK(gs_message()[0] != '\0', "%s, call %lu: it is said why", row->name,
				      call);
			}
			unsetenv("GSORT_EMU_FAIL");
			CHECK(emu_allocations() == before, "%s, call %lu: nothing is left over",
			      row->name, call);
			(void)cudaGetLastError();
		}
		CHECK(fails >= tries / 3, "%s: of %lu calls %lu fail with %d", row->name, tries, fails,
		      code);
		free(options.resident);
	}
}

void
unit_engine(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
	check_room();
	check_failures(cudaErrorMemoryAllocation);
	check_failures(cudaErrorIllegalAddress);
	gs_gpu_module.close(NULL);
}
