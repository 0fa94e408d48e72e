// SPDX-License-Identifier: BSD-2-Clause
/*
 * fan_in.c - how many runs, or sorted inputs, are merged at once
 *
 * In:   memory, and the user's limit.
 * Out:  the fan-in.
 */
#include "base/round.h"
#include "plan/plan.h"
#include "spill/external_merge.h"

#define KIB	((size_t)1 << 10)

/*
 * Bytes that the merge reads at once from each run: a hard disk reads 256 KiB in the time of one
 * seek.  If memory then suffices for few runs only, less.  Not tuned.
 */
#define SEEK_BYTES		(256 * KIB)
#define NO_SEEK_BYTES		(64 * KIB)	/* the least of an external merge */
enum { FEW_RUNS = 16 };

/* The number of sources that can be read in BYTES, each with two buffers of BUFFER_BYTES and with
 * SOURCE_BYTES of its own. */
static size_t
sources_with(unsigned threads, size_t buffer_bytes, size_t source_bytes, uint64_t bytes)
{
	size_t low = 2, high = GS_FAN_IN_MOST;

	while (low < high) {
		const size_t n = (low + high + 1) / 2;

		if (gs_external_merge_least_bytes(n, threads) +
		    n * (2 * (buffer_bytes - NO_SEEK_BYTES) + source_bytes) <= bytes)
			low = n;
		else
			high = n - 1;
	}
	return low;
}

/* Files that are open beside those merged: standard streams, output, temporary files.  Not tuned. */
enum { FILES_BESIDE = 24 };

size_t
gs_plan_fan_in_of_files(const struct gs_plan_input *input, size_t most)
{
	if (input->files == 0 || most + FILES_BESIDE <= input->files)
		return most;
	return input->files > FILES_BESIDE + 2 ? input->files - FILES_BESIDE : 2;
}

size_t
gs_plan_fan_in(const struct gs_plan_input *input, unsigned threads, size_t source_bytes,
               uint64_t bytes)
{
	size_t buffer_bytes = SEEK_BYTES, count;

	while ((count = sources_with(threads, buffer_bytes, source_bytes, bytes)) < FEW_RUNS &&
	       buffer_bytes > NO_SEEK_BYTES)
		buffer_bytes /= 2;
	if (input->merge_files > 0)
		count = gs_least(count, input->merge_files);
	return count < 2 ? 2 : count;
}
