// SPDX-License-Identifier: BSD-2-Clause
/*
 * ladder.c - every variant against qsort, and its promises against what it did
 *
 * Compiled with tests/emu in front, so GPU variants run here; on a real GPU it is
 * `gsort-bench ladder --check-only` (tests/gpu/ladder.bats) that does the same.
 */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/paper/ladder.h"
#include "tests/unit/units.h"

void unit_ladder(void);

#define ROWS(a)	(sizeof (a) / sizeof (a)[0])

enum pattern { RANDOM, FEW, EQUAL, ASCENDING, DESCENDING, SAW, EXTREMES, PATTERNS };

static const char *const pattern_names[] = {
	"random", "few distinct", "equal", "ascending", "descending", "saw", "extremes",
};

/* A variant must sort these counts unless it refuses them; for some, in every pattern. */
static const struct {
	size_t keys;
	bool   all_patterns;
} sizes[] = {
	{ 1, 0 }, { 2, 0 }, { 3, 0 }, { 5, 0 }, { 32, 0 }, { 33, 0 }, { 64, 1 }, { 100, 1 },
	{ 128, 0 }, { 255, 0 }, { 256, 1 }, { 257, 0 }, { 511, 0 }, { 512, 0 }, { 513, 0 },
	{ 777, 1 }, { 1000, 0 }, { 1023, 0 }, { 1024, 0 }, { 1025, 0 }, { 2048, 0 }, { 2049, 0 },
	{ 3000, 0 }, { 4096, 0 }, { 4097, 0 }, { 8192, 0 },
};

/* Grids of report 001; 0 is its default. */
static const struct {
	const char *sentence;
	size_t      keys;
	unsigned    blocks, threads;
	bool        local;	/* V2 works in shared memory */
} shapes[] = {
	{ "one warp sorts everything",               1000,  1, 32,   true  },
	{ "a block of one thread",                   700,   1, 1,    true  },
	{ "threads need not be a power of two",      3000,  4, 384,  true  },
	{ "more threads than a tile has pairs",      2000,  4, 1024, true  },
	{ "more blocks than tiles of 512 keys",      3000,  64, 96,  true  },
	{ "tiles of 1024 keys",                      4096,  4, 100,  true  },
	{ "tiles of 2048 keys",                      8000,  4, 128,  true  },
	{ "tiles of 4096 keys",                      8192,  2, 256,  true  },
	{ "the largest tile that fits",              16000, 2, 512,  true  },
	{ "a larger one makes V2 fall back to V1",   16385, 2, 512,  false },
};

static uint32_t
random32(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 32);
}

static void
fill(uint32_t *keys, size_t count, enum pattern pattern)
{
	uint64_t state = 88172645463325252u + count;

	for (size_t i = 0; i < count; i++) {
		const uint32_t any = random32(&state);

		switch (pattern) {
		case RANDOM:     keys[i] = any; break;
		case FEW:        keys[i] = any % 3 << 24; break;
		case EQUAL:      keys[i] = 7; break;
		case ASCENDING:  keys[i] = (uint32_t)i; break;
		case DESCENDING: keys[i] = (uint32_t)(count - i); break;
		case SAW:        keys[i] = (uint32_t)(i % 100) << 25; break;
		case EXTREMES:   keys[i] = any % 4 < 2 ? any % 4 - 1 : any; break;
		case PATTERNS:   break;
		}
	}
}

static int
ascending(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int
descending(const void *a, const void *b)
{
	return ascending(b, a);
}

static struct variant_cost cost;		/* of the sort that runs */
static unsigned kinds_seen;

static int
note(struct variant_job *job, unsigned kind, const void *kernel, unsigned threads, double bytes)
{
	(void)job, (void)kernel, (void)threads;
	cost.launches++;
	cost.bytes += bytes;
	kinds_seen |= 1u << kind;
	return 0;
}

/* Sort KEYS by VARIANT as JOB says, on the device if that is its place. */
static int
sort_with(const struct variant *variant, struct variant_job *job, uint32_t *keys)
{
	const size_t bytes = job->count * sizeof *keys;
	void *device = NULL;
	int error;

	cost = (struct variant_cost){ 0, 0 };
	kinds_seen = 0;
	job->note = note;
	job->keys = keys;
	if (variant->place == VARIANT_CPU)
		return variant->sort(job);
	error = (int)cudaMalloc(&device, variant_room(variant, job->count) * sizeof *keys);
	if (error == cudaSuccess)
		error = (int)cudaMemcpy(device, keys, bytes, cudaMemcpyHostToDevice);
	job->keys = device;
	if (error == cudaSuccess)
		error = variant->sort(job);
	if (error == cudaSuccess)
		error = (int)cudaMemcpy(keys, job->keys + job->first, bytes, cudaMemcpyDeviceToHost);
	cudaFree(device);
	return error;
}

static void
check_sort(const struct variant *variant, struct variant_job job, enum pattern pattern, const char *sentence)
{
	const size_t bytes = job.count * sizeof(uint32_t);
	uint32_t *keys = malloc(bytes), *expected = malloc(bytes);
	int error;

	fill(keys, job.count, pattern);
	memcpy(expected, keys, bytes);
	qsort(expected, job.count, sizeof *keys, job.descending ? descending : ascending);
	error = sort_with(variant, &job, keys);
	CHECK(error == 0 && memcmp(keys, expected, bytes) == 0,
	      "%s sorts %zu keys, %s, %s%s (error %d)", variant->name, job.count,
	      pattern_names[pattern], job.descending ? "descending" : "ascending", sentence, error);
	if (variant->predict != NULL) {
		const struct variant_cost predicted = variant->predict(&job);

		CHECK(predicted.launches == cost.launches && predicted.bytes == cost.bytes,
		      "%s keeps its promise for %zu keys%s: %g launches, %g bytes, not %g, %g",
		      variant->name, job.count, sentence, predicted.launches, predicted.bytes,
		      cost.launches, cost.bytes);
	}
	free(keys);
	free(expected);
}

/* Both orders of COUNT keys, where VARIANT does not refuse; a refusal must have a cause. */
static void
check_size(const struct variant *variant, size_t count, bool all_patterns, unsigned threads)
{
	const bool power = (count & (count - 1)) == 0;
	char why[128];

	for (int down = 0; down <= 1; down++) {
		struct variant_job job = { .count = count, .descending = down, .threads = threads };

		if (variant->shapes && variant->place == VARIANT_GPU && count != 1000)
			job.blocks = 8, job.threads = 96;	/* 4096 x 384 takes long here */
		if (variant_refuses(variant, count, down, why, sizeof why)) {
			CHECK((down && !variant->descends) || (!power && !variant->pads) ||
			      count < variant->least_keys || count > variant->most_keys,
			      "%s refuses %zu keys with reason", variant->name, count);
			continue;
		}
		for (int p = RANDOM; p < (all_patterns ? PATTERNS : FEW); p++)
			check_sort(variant, job, (enum pattern)p, "");
	}
}

static void
check_sizes(const struct variant *variant)
{
	for (size_t s = 0; s < ROWS(sizes); s++)
		check_size(variant, sizes[s].keys, sizes[s].all_patterns,
		           variant->place == VARIANT_CPU ? 1 + (unsigned)s % 3 : 0);
}

static void
check_shapes(const struct variant *variant, bool v2)
{
	for (size_t s = 0; s < ROWS(shapes); s++)
		for (int down = 0; down <= 1; down++) {
			struct variant_job job = {
				.count = shapes[s].keys, .descending = down,
				.blocks = shapes[s].blocks, .threads = shapes[s].threads,
			};

			check_sort(variant, job, EXTREMES, shapes[s].sentence);
			/* 3: bitonicMergeLocal; one tile alone needs no merge */
			if (v2 && shapes[s].blocks > 1)
				CHECK((kinds_seen >> 3 & 1) == shapes[s].local, "%s: %s",
				      variant->name, shapes[s].sentence);
		}
}

static const struct variant *
variant_of(const char *name)
{
	for (size_t r = 0; ladder[r] != NULL; r++)
		if (strcmp(ladder[r]->name, name) == 0)
			return ladder[r];
	return NULL;
}

/* Figures that the reports give for themselves. */
static void
check_reports(void)
{
	const struct variant_job job = { .count = (size_t)1 << 28 };
	char why[128];

	CHECK(variant_of("fraidakis_v0")->predict(&job).launches == 406,
	      "report 003: V0 launches 406 at 2^28");
	CHECK(variant_of("fraidakis_v1")->predict(&job).launches == 190,
	      "report 003: V1 launches 190 at 2^28");
	CHECK(variant_refuses(variant_of("slides"), 512, false, why, sizeof why),
	      "the slides sort 256 keys only");
	CHECK(variant_refuses(variant_of("michalainas_v0"), 1000, false, why, sizeof why) &&
	      strstr(why, "such as 512 keys") != NULL, "a refusal names a size that works: %s",
	      why);
}

/* The CPU variant that deals to buckets does so from 2^15 keys on. */
static void
check_buckets(void)
{
	for (int p = RANDOM; p < PATTERNS; p++)
		for (unsigned threads = 1; threads <= 3; threads++)
			for (int down = 0; down <= 1; down++)
				check_sort(variant_of("martoccia_cpu_v2"),
				           (struct variant_job){ .count = 100001, .threads = threads,
				                              .descending = down },
				           (enum pattern)p, " in buckets");
}

void
unit_ladder(void)
{
	for (size_t r = 0; ladder[r] != NULL; r++)
		check_sizes(ladder[r]);
	check_buckets();
	check_shapes(variant_of("martoccia_gpu_v1"), false);
	check_shapes(variant_of("martoccia_gpu_v2"), true);
	check_reports();
}
