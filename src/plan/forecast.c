// SPDX-License-Identifier: BSD-2-Clause
/*
 * forecast.c - what a job takes, about: memory, temporary files, and the time of each phase
 *
 * In:   a plan, its input, and the kind of work.
 * Out:  struct gs_forecast, for --plan and for the time left.
 *
 * Time is of threads, a byte of input: processor time of whole processes, divided into phases as the clock
 * was (bench/results/h200-2026-11-26/time-left.txt: two cores of a Xeon each, 0.3 to 2 GB in the page
 * cache, means of two; counted keys, records of 100 bytes, figures and checks: 60 to 200 MB, best of three).
 */
#include "base/round.h"
#include "plan/plan.h"

#define MIB	((uint64_t)1 << 20)

/* A row of measurements: hundredths of a nanosecond of a thread for each byte of input. */
struct rates {
	struct {
		unsigned reading, writing;	/* until the last byte has been read; and then */
	} memory, disk;				/* if all fits in memory; with temporary files */
	unsigned checking, merging;		/* of --check, of --merge */
	unsigned memory_percent;		/* of the bytes that are kept */
	unsigned beside_mib;			/* for what is on its way, of a large input */
};

static const struct rates rates[] = {
	[GS_WORK_KEYS]    = { { 100, 120 }, { 165, 165 },  20,  90, 105,  8 },
	[GS_WORK_COUNTED] = { {  45,  20 }, {  45,  20 },  20,  65,   0, 12 },
	[GS_WORK_TEXT]    = { {  90, 150 }, { 130,  95 }, 120, 200,  80, 32 },
	[GS_WORK_FLOATS]  = { { 300, 420 }, { 370, 460 }, 270, 600,  70, 32 },
	[GS_WORK_LINES]   = { { 175, 210 }, { 235, 315 },  36, 180, 115, 16 },
	[GS_WORK_FIELDS]  = { { 195, 242 }, { 250, 274 }, 300, 1000, 115, 16 },
	[GS_WORK_CSV]     = { { 430, 310 }, { 480, 340 }, 500, 1200, 115, 16 },
	[GS_WORK_RECORDS] = { {  40,  62 }, {  90, 100 },  20,  60, 105, 12 },
	[GS_WORK_SMALL]   = { { 180, 160 }, { 215, 215 },  50, 180, 110, 16 },
	[GS_WORK_NUMBERED] = { { 370, 315 }, { 440, 370 }, 50, 180, 105, 16 },
	[GS_WORK_COLUMN]  = { { 120,   5 }, { 200, 110 }, 300, 350, 180, 24 },
};

/*
 * What no number of threads makes faster, in the same unit: 17 GB of u64 on 16 cores of an H200 host, from a
 * file to a new one 4.5 s, most of it writing; with runs, in one disk's cache, 14.9 s.  A GPU is so fast that
 * only these count, after it has been opened.
 */
enum { LEAST_READING = 5, LEAST_WRITING = 20, LEAST_SPILLING = 40, LEAST_MERGING = 47, MERGE_PASS = 60 };
enum { GPU_OPENS_MS = 300, STARTS_MS = 4 };

#define PROGRAM_BYTES	(8 * MIB)	/* of a process that sorts ten keys */

static double
seconds(uint64_t bytes, unsigned rate, unsigned threads, unsigned least)
{
	const double each = threads > 0 ? (double)rate / threads : rate;

	return (double)bytes * (each > least ? each : least) * 1e-11;
}

void
gs_plan_forecast(struct gs_forecast *forecast, const struct gs_plan *plan,
                 const struct gs_plan_input *input, enum gs_work work, uint64_t kept_bytes)
{
	const struct rates *rate = &rates[work];
	const bool sorts = input->operation == GSORT_SORT, head = plan->head_keys > 0;
	const bool gpu = plan->device == GSORT_DEVICE_GPU, keeps = sorts && !head && !plan->by_counting;
	const unsigned least = input->to_file && !head ? LEAST_WRITING : 0;
	const uint64_t bytes = input->input_bytes;
	const uint64_t kept = keeps ? kept_bytes : 0;
	const bool classes = gs_class_count(plan->class_bits) > 0;
	const bool merges = input->operation == GSORT_MERGE && classes;
	const unsigned threads = plan->threads, mergers = classes ? threads : 1;
	const unsigned shares = input->shares > 0 ? input->shares : 1;
	/* memory of what is kept, and of what is on its way */
	const uint64_t held = gs_least(kept / 100 * rate->memory_percent, plan->pool_bytes * shares);
	/* a merge of items has buffers of its own, which are smaller */
	const uint64_t most = rate->beside_mib * MIB / (input->operation == GSORT_MERGE && !classes ? 2 : 1);
	const uint64_t beside = gs_least(most, gs_least(bytes, MIB << 20) / 2 * 5);
	const unsigned parts = shares > 1 ? shares - 1 : 1;	/* inputs of a set of keys */
	struct gs_plan_input part = *input;
	struct gs_estimate estimate;

	*forecast = (struct gs_forecast){ .known = bytes != UINT64_MAX };
	if (!forecast->known)
		return;
	/* How much goes to temporary files. */
	part.input_bytes = (merges ? kept_bytes : kept) / parts;
	if (plan->spills && part.input_bytes > 0 && classes) {
		gs_plan_estimate(plan, &part, &estimate);
		forecast->disk_bytes = parts * estimate.disk_bytes;
		forecast->written_bytes = parts * estimate.written_bytes;
	} else if (plan->spills && part.input_bytes / 100 * rate->memory_percent > plan->pool_bytes) {
		forecast->disk_bytes = forecast->written_bytes = part.input_bytes;
	}
	forecast->memory_bytes = gs_least(PROGRAM_BYTES + held + beside, plan->host_bytes * shares);
	forecast->read_seconds = (double)STARTS_MS * 1e-3;
	if (!sorts) {
		forecast->read_seconds += seconds(bytes, input->operation == GSORT_CHECK ? rate->checking
		                                         : rate->merging,
		                                  input->operation == GSORT_CHECK ? threads : mergers,
		                                  LEAST_READING + least);
	} else if (forecast->disk_bytes > 0) {
		forecast->read_seconds += seconds(bytes, rate->disk.reading, threads, LEAST_SPILLING);
		forecast->merge_seconds = seconds(forecast->written_bytes - forecast->disk_bytes,
		                                  rate->disk.writing, threads, MERGE_PASS);
		forecast->write_seconds = seconds(bytes, rate->disk.writing, threads, LEAST_MERGING);
	} else if (gpu) {
		const unsigned rate_read = input->key_bits > 0 ? 0 : rate->memory.reading;

		forecast->read_seconds += (double)GPU_OPENS_MS * 1e-3 +
		                          seconds(bytes, rate_read, threads, LEAST_READING);
		forecast->write_seconds = seconds(bytes, 0, threads, LEAST_WRITING);
	} else {
		forecast->read_seconds += seconds(bytes, rate->memory.reading, threads, LEAST_READING);
		forecast->write_seconds = seconds(bytes, head ? 0 : rate->memory.writing, threads, least);
	}
	if (sorts && input->compares)
		forecast->write_seconds += seconds(bytes, rate->merging, mergers, 0);
}
