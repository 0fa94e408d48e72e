// SPDX-License-Identifier: BSD-2-Clause
/* call.c - the calls of gsort_cuda.h beside the kernels that they run, and CUB */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/device/call.h"
#include "bench/device/pairs.h"
#include "bench/must.h"
#include "gsort_cuda.h"

/* What candidates use beside the harness; HOLDS: which pairs. */
static struct {
	void             *scratch, *cub_scratch, *values, *other_values;
	size_t            scratch_bytes, cub_scratch_bytes;
	struct pairs_kind holds;
	enum cub_which    which;	/* CUB's fastest call */
} at;

static void
must_call(enum gsort_error error)
{
	if (error == GSORT_ERROR_NONE)
		return;
	fprintf(stderr, "gsort-bench: %s\n", gsort_cuda_message());
	exit(1);
}

static enum gsort_type
harness_type(unsigned bits)
{
	static const enum gsort_type types[][2] = {
		[KEYS_UNSIGNED] = { GSORT_U32, GSORT_U64 }, [KEYS_SIGNED] = { GSORT_I32, GSORT_I64 },
		[KEYS_FLOAT] = { GSORT_F32, GSORT_F64 },
	};

	return types[harness.kind][bits == 64];
}

static char *
run_call(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	must_call(gsort_cuda_sort(harness.work, harness.other, count, harness_type(bits), 0, at.scratch,
	                          &at.scratch_bytes, harness.stream[0]));
	return harness.work;
}

static char *
run_call_checked(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	must_call(gsort_cuda_sort(harness.work, harness.other, count, harness_type(bits), GSORT_CUDA_CHECKED,
	                          at.scratch, &at.scratch_bytes, harness.stream[0]));
	return harness.work;
}

void
call_compare(const struct comparison *what)
{
	struct candidate all[] = {
		{ .name = "gsort", .run = run_sort }, { .name = "gsort_cuda_sort", .run = run_call },
		{ .name = "the same, checked", .run = run_call_checked },
		{ .name = "cub::DeviceRadixSort", .run = run_radix },
	};

	must_call(gsort_cuda_sort(NULL, NULL, what->count, harness_type(what->bits), GSORT_CUDA_CHECKED, NULL,
	                          &at.scratch_bytes, NULL));
	must(cudaMalloc(&at.scratch, at.scratch_bytes), "cudaMalloc");
	all[3].call = radix_choose(what->bits, what->count);
	compare(what, all, 4);
	must(cudaFree(at.scratch), "cudaFree");
}

/* ---- pairs ---------------------------------------------------------------- */

static char *
run_call_flags(unsigned bits, size_t count, unsigned flags)
{
	must_call(gsort_cuda_sort_pairs(harness.work, at.values, at.holds.value_bits / 8, count,
	                                harness_type(bits), flags, at.scratch, &at.scratch_bytes,
	                                harness.stream[0]));
	return harness.work;
}

char *
run_call_pairs(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	return run_call_flags(bits, count, 0);
}

static char *
run_call_pairs_checked(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	return run_call_flags(bits, count, GSORT_CUDA_CHECKED);
}

static char *
run_call_stable(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	return run_call_flags(bits, count, GSORT_CUDA_STABLE);
}

static char *
run_call_places(unsigned bits, size_t count, size_t tile_keys)
{
	(void)tile_keys;
	return run_call_flags(bits, count, GSORT_CUDA_PLACES);
}

char *
run_cub_pairs(unsigned bits, size_t count, size_t tile_keys)
{
	void *keys[2] = { harness.work, harness.other }, *values[2] = { at.values, at.other_values };

	(void)bits;
	(void)tile_keys;
	must(pairs_cub(at.which, keys, values, at.holds, count, at.cub_scratch, &at.cub_scratch_bytes,
	               harness.stream[0]), "CUB");
	at.values = values[0];
	at.other_values = values[1];
	return keys[0];
}

void
pairs_check_run(const char *name, harness_function *run, size_t count)
{
	bool right = false;
	char *keys;

	must(pairs_fill(at.values, at.holds, count), "making payloads");
	(void)harness_time(name, run, at.holds.bits, count, 0, &keys);
	must(pairs_check(keys, at.values, harness.source, at.holds, count, &right), "checking");
	if (right)
		return;
	fprintf(stderr, "gsort-bench: %s: the result is wrong\n", name);
	exit(1);
}

/* Time CUB's calls, and keep the fastest. */
static const char *
choose_pairs(size_t count)
{
	static const char *const names[CUB_TUNED] = {
		"buffer, 32 bits", "buffer, 64 bits", "in/out, 32 bits", "in/out, 64 bits",
	};
	enum cub_which best = CUB_BUFFER_64;
	double least = 0;

	for (int which = 0; which < CUB_TUNED; which++) {
		if (!cub_takes((enum cub_which)which, count))
			continue;
		at.which = (enum cub_which)which;
		for (unsigned run = 0; run < 4; run++) {
			char *result;
			const double time = harness_time("CUB", run_cub_pairs, at.holds.bits, count, 0,
			                                 &result);

			if (run > 0 && (least == 0 || time < least)) {	/* the first one warms up */
				least = time;
				best = at.which;
			}
		}
	}
	at.which = best;
	return names[best];
}

const char *
pairs_open(unsigned bits, unsigned value_bits, size_t count, unsigned flags)
{
	const size_t value_bytes = count * (value_bits / 8);
	size_t any_order;

	at.holds = (struct pairs_kind){ bits, value_bits, false };
	must_call(gsort_cuda_sort_pairs(NULL, NULL, value_bits / 8, count, harness_type(bits),
	                                flags, NULL, &at.scratch_bytes, NULL));
	must_call(gsort_cuda_sort_pairs(NULL, NULL, value_bits / 8, count, harness_type(bits),
	                                GSORT_CUDA_CHECKED, NULL, &any_order, NULL));
	if (at.scratch_bytes < any_order)
		at.scratch_bytes = any_order;
	at.cub_scratch_bytes = 0;
	for (int which = 0; which < CUB_TUNED; which++) {
		void *none[2] = { NULL, NULL }, *no_values[2] = { NULL, NULL };
		size_t bytes = 0;

		if (!cub_takes((enum cub_which)which, count))
			continue;
		must(pairs_cub((enum cub_which)which, none, no_values, at.holds, count, NULL, &bytes, NULL),
		     "CUB");
		if (at.cub_scratch_bytes < bytes)
			at.cub_scratch_bytes = bytes;
	}
	must(cudaMalloc(&at.scratch, at.scratch_bytes), "cudaMalloc");
	must(cudaMalloc(&at.cub_scratch, at.cub_scratch_bytes), "cudaMalloc");
	must(cudaMalloc(&at.values, value_bytes), "cudaMalloc");
	must(cudaMalloc(&at.other_values, value_bytes), "cudaMalloc");
	must(cudaMemset(at.other_values, 0, value_bytes), "touching memory");
	must(pairs_fill(at.values, at.holds, count), "making payloads");
	return choose_pairs(count);
}

void
pairs_close(void)
{
	must(cudaFree(at.scratch), "cudaFree");
	must(cudaFree(at.cub_scratch), "cudaFree");
	must(cudaFree(at.values), "cudaFree");
	must(cudaFree(at.other_values), "cudaFree");
}

void
call_compare_pairs(const struct comparison *what)
{
	for (unsigned value_bits = 32; value_bits <= 64; value_bits += 32) {
		struct candidate all[] = {
			{ .name = "gsort_cuda_sort_pairs", .run = run_call_pairs },
			{ .name = "the same, checked", .run = run_call_pairs_checked },
			{ .name = "the same, stable", .run = run_call_stable },
			{ .name = "the same, places", .run = run_call_places },
			{ .name = "cub, SortPairs", .run = run_cub_pairs },
		};
		enum { MANY = sizeof all / sizeof all[0] };
		struct comparison pairs = *what;
		char type[16];

		(void)snprintf(type, sizeof type, "u%u+u%u", what->bits, value_bits);
		pairs.type = type;
		pairs.run_keys = 0;	/* check_run() looks at keys and payloads */
		all[MANY - 1].call = pairs_open(what->bits, value_bits, what->count, GSORT_CUDA_STABLE);
		for (unsigned c = 0; c < MANY; c++) {
			at.holds.stable = c > 1;
			pairs_check_run(all[c].name, all[c].run, what->count);
		}
		compare(&pairs, all, MANY);
		pairs_close();
	}
}
