// SPDX-License-Identifier: BSD-2-Clause
/*
 * fan_in.c - how many runs, or sorted inputs, are merged at once; and what merging them costs on disk
 *
 * In:   memory, and the user's limit; a plan.
 * Out:  the fan-in; runs, passes and bytes.
 *
 * Runs of equal length are merged as engine/runs.c merges them: always the first of a queue, and
 * before the last pass only so many that the last pass merges FAN_IN runs.
 */
#include "base/round.h"
#include "plan/plan.h"
#include "sort/merge.h"

#define KIB	((size_t)1 << 10)

/*
 * Bytes that the merge reads at once from each run: a hard disk reads 256 KiB in the time of one
 * seek.  If memory then suffices for few runs only, less.  Not tuned.
 */
#define SEEK_BYTES		(256 * KIB)
enum { FEW_RUNS = 16 };

/*
 * The size of one buffer of a source, and of the buffer of spans for each thread.  Sixteen u32
 * files of 64 MiB, cached, least of 9 runs on 2 busy cores: windows of 512 KiB 0.39 s, 1 MiB 0.50
 * s, 4 MiB 0.75 s; two files 0.25, 0.25, 0.28 s.  A span is merged in 1 ms: that is more than
 * threads take to meet, and the span is still in the third-level cache when it is printed; not
 * tuned.
 */
#define LEAST_WINDOW_BYTES	(64 * KIB)
#define MOST_WINDOW_BYTES	(512 * KIB)
#define LEAST_SPAN_BYTES	(64 * KIB)

/* Memory of a merge with buffers of BUFFER_BYTES. */
static size_t
merge_bytes(size_t sources, unsigned threads, size_t window_bytes, size_t span_bytes)
{
	const size_t tables[] = {
		GS_MERGE_BYTES, sources * GS_MERGE_SOURCE_BYTES, sources * sizeof(struct gs_run),
		gs_merge_bytes(sources, threads),
	};
	size_t bytes = GS_MERGE_ALIGN_BYTES;	/* of the first one */

	for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++)
		bytes += gs_round_up(tables[t], GS_MERGE_ALIGN_BYTES);
	return bytes + sources * 2 * window_bytes + threads * span_bytes;
}

size_t
gs_plan_merge_least(size_t sources, unsigned threads)
{
	return merge_bytes(sources, threads, LEAST_WINDOW_BYTES, LEAST_SPAN_BYTES);
}

size_t
gs_plan_merge_useful(size_t sources, unsigned threads)
{
	return merge_bytes(sources, threads, MOST_WINDOW_BYTES, GS_MERGE_SPAN_BYTES);
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
	size_t buffer_bytes = SEEK_BYTES, count = 0;

	for (; count < FEW_RUNS && buffer_bytes >= LEAST_WINDOW_BYTES; buffer_bytes /= 2) {
		size_t high = GS_FAN_IN_MOST;

		/* the most sources that can be read in BYTES, each with two buffers and SOURCE_BYTES */
		for (count = 2; count < high;) {
			const size_t n = (count + high + 1) / 2;
			const size_t need = merge_bytes(n, threads, buffer_bytes, LEAST_SPAN_BYTES);

			if (need + n * source_bytes <= bytes)
				count = n;
			else
				high = n - 1;
		}
	}
	if (input->merge_files > 0)
		count = gs_least(count, input->merge_files);
	return count < 2 ? 2 : count;
}

void
gs_plan_estimate(const struct gs_plan *plan, const struct gs_plan_input *input,
                 struct gs_estimate *estimate)
{
	const size_t fan_in = plan->fan_in;
	const bool sorted = input->operation == GSORT_MERGE;	/* inputs are */
	uint64_t bytes = input->input_bytes, runs;

	*estimate = (struct gs_estimate){ .runs = 1 };
	if (bytes == UINT64_MAX || (plan->sort_bytes == 0 && !sorted))
		return;
	if (input->key_bits == 0 && input->type == GSORT_TEXT)
		bytes = bytes / 5 * 2;		/* ten digits and a newline for 4 bytes, twenty for 8 */
	estimate->key_bytes = bytes;
	runs = sorted ? input->input_count : bytes / plan->sort_bytes + (bytes % plan->sort_bytes > 0);
	estimate->runs = runs;
	if (runs < 2 || (sorted && runs <= fan_in))
		return;
	estimate->written_bytes = sorted && input->key_bits > 0 ? 0 : bytes;	/* binary inputs are runs */
	for (estimate->passes = 1; runs > fan_in; estimate->passes++) {
		/* Merge just enough that FAN_IN runs are left. */
		const uint64_t merges = (runs - fan_in + fan_in - 2) / (fan_in - 1);
		const uint64_t merged = runs - fan_in + merges;

		if (__builtin_add_overflow(estimate->written_bytes, merged < runs ? bytes / runs * merged
		                           : bytes, &estimate->written_bytes))
			estimate->written_bytes = UINT64_MAX;
		runs = merged < runs ? fan_in : (runs + fan_in - 1) / fan_in;
	}
	estimate->disk_bytes = gs_least(bytes, estimate->written_bytes);
}
