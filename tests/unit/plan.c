// SPDX-License-Identifier: BSD-2-Clause
/* plan.c - the planner as a table: what is known, and what must be planned for it */
#include "io/ahead.h"
#include "plan/estimate.h"
#include "plan/plan.h"
#include "spill/external_merge.h"
#include "tests/unit/units.h"

void unit_plan(void);

/* A row overrides the machine of FACTS(): that is the point. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define KiB	<< 10
#define MiB	<< 20
#define GiB	<< 30
#define UNKNOWN	UINT64_MAX

/* A machine of 16 cores and 64 GiB with a GPU backend, unless a row says otherwise. */
#define FACTS(...)	{ .cores = 16, .host_bytes = 64ull GiB, .address_bytes = 1ull << 46, \
			  .gpu_possible = true, .seekable = true, __VA_ARGS__ }

/* What is expected. */
#define CPU_	GSORT_DEVICE_CPU
#define GPU_	GSORT_DEVICE_GPU

#define CPU(...)	FACTS(.device = GSORT_DEVICE_CPU, .type = GSORT_U64, .key_bits = 64, \
			      __VA_ARGS__)

static const struct {
	const char     *sentence;
	struct gs_plan_input facts;
	gs_status       status;
	enum gsort_device device;
	uint64_t        peek_bytes;
	size_t          tile_bytes;
} rows[] = {
	{ "a small file of u32 is sorted by the CPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull MiB), GS_OK, CPU_, 0, 1 MiB },
	{ "a file beyond the crossover is sorted by a GPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 2ull GiB, .threads = 4),
	  GS_OK, GPU_, 0, 16 MiB },
	{ "two threads give way to a GPU sooner than four",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 512ull MiB, .threads = 2),
	  GS_OK, GPU_, 0, 16 MiB },
	{ "sixteen threads never do",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 60ull GiB), GS_OK, CPU_, 0,
	  16 MiB },
	{ "of a pipe much is read before the device is chosen",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .threads = 4),
	  GS_OK, CPU_, 462305507, 16 MiB },
	{ "three times as much of text, whose lines are longer than keys",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .threads = 4),
	  GS_OK, CPU_, 3 * 462305507, 16 MiB },
	{ "if so much has come, a GPU sorts",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .threads = 4,
	        .peeked_bytes = 462305507), GS_OK, GPU_, 0, 16 MiB },
	{ "of a pipe that only a CPU would sort nothing is read before",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN), GS_OK, CPU_, 0, 16 MiB },
	{ "--device=cpu never opens a GPU",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8ull GiB,
	        .device = GSORT_DEVICE_CPU), GS_OK, CPU_, 0, 16 MiB },
	{ "--device=gpu opens it for a single key",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8, .device = GSORT_DEVICE_GPU),
	  GS_OK, GPU_, 0, 64 KiB },
	{ "--device=gpu is refused without the module",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8, .device = GSORT_DEVICE_GPU,
	        .gpu_possible = false), GS_ENODEV, CPU_, 0, 0 },
	{ "without it the CPU sorts if it may",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .gpu_possible = false,
	        .threads = 4), GS_OK, CPU_, 0, 16 MiB },
	{ "keys of 16 bits are counted whatever the device",
	  FACTS(.type = GSORT_I16, .key_bits = 16, .input_bytes = 8ull GiB,
	        .device = GSORT_DEVICE_GPU), GS_OK, CPU_, 0, 16 MiB },
	{ "counting needs no memory for keys",
	  FACTS(.type = GSORT_U8, .key_bits = 8, .input_bytes = 1ull << 42, .host_bytes = 16 MiB),
	  GS_OK, CPU_, 0, 256 KiB },
	{ "little GPU memory makes small tiles",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB,
	        .device = GSORT_DEVICE_GPU, .gpu_memory_bytes = 8 MiB), GS_OK, GPU_, 0, 1 MiB },
	{ "but none below the least tile",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB,
	        .device = GSORT_DEVICE_GPU, .gpu_memory_bytes = 1), GS_OK, GPU_, 0, 64 KiB },
	{ "a hint is good enough to choose a GPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 2ull GiB, .guessed = true,
	        .threads = 4), GS_OK, GPU_, 0, 16 MiB },
	{ "with little memory no GPU is opened: CUDA alone takes most of it",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 8ull GiB, .memory_bytes = 256 MiB,
	        .threads = 4), GS_OK, CPU_, 0, 4 MiB },
	{ "unless it is requested: then memory must be enough",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 8ull GiB, .memory_bytes = 1 MiB,
	        .device = GSORT_DEVICE_GPU), GS_OK, GPU_, 0, 256 KiB },
	{ "compressed input is sorted by the CPU, in a sandbox",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = UNKNOWN, .threads = 4,
	        .compressed = true), GS_OK, CPU_, 0, 16 MiB },
	{ "a pipe with no room for a recording of a known size is sorted by the CPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 62ull GiB, .guessed = true,
	        .threads = 4, .seekable = false), GS_OK, CPU_, 0, 16 MiB },
	{ "merging and checking open no GPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 8ull GiB, .operation = GSORT_MERGE,
	        .threads = 4), GS_OK, CPU_, 0, 16 MiB },
	{ "few addresses make small tiles",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .device = GSORT_DEVICE_CPU,
	        .host_bytes = 320 MiB, .address_bytes = 320 MiB), GS_OK, CPU_, 0, 4 MiB },
	{ "a limit of the user's that is too small is raised",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .memory_bytes = 1), GS_OK, CPU_, 0,
	  256 KiB },
	{ "no memory at all is refused",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .host_bytes = 1 MiB),
	  GS_EBUDGET, CPU_, 0, 0 },
	{ "the least memory is enough for a header, too",
	  FACTS(.type = GSORT_TEXT, .input_bytes = 147, .memory_bytes = 16 MiB, .headers = true,
	        .print_bytes = 42, .threads = 2), GS_OK, CPU_, 0, 64 KiB },
	{ "and no addresses for what a merge reads, too",
	  CPU(.operation = GSORT_MERGE, .input_count = 2, .address_bytes = 40 MiB,
	      .host_bytes = 40 MiB), GS_EBUDGET, CPU_, 0, 0 },
};

/* What must be true of every plan. */
static void
check_invariants(const char *sentence, const struct gs_plan_input *facts, const struct gs_plan *plan)
{
	CHECK((plan->tile_bytes & (plan->tile_bytes - 1)) == 0, "%s: tile is a power of two", sentence);
	CHECK(plan->batch_bytes + plan->resident_bytes + plan->record_bytes <= facts->address_bytes,
	      "%s: fits the addresses", sentence);
	CHECK(plan->resident_bytes + plan->record_bytes <= plan->pool_bytes,
	      "%s: runs and recording fit the pool", sentence);
	CHECK((plan->device == GSORT_DEVICE_GPU) == (plan->batch_bytes == 0 && plan->resident_bytes > 0) ||
	      plan->device == GSORT_DEVICE_CPU, "%s: a GPU's keys are not in the batch", sentence);
	CHECK(plan->record_bytes > 0 || plan->peek_bytes == 0, "%s: what is peeked is recorded",
	      sentence);
	CHECK(plan->device_rule != NULL, "%s: a rule has chosen the device", sentence);
	CHECK(plan->host_bytes <= facts->host_bytes, "%s: fits the machine", sentence);
	CHECK(facts->memory_bytes < (16 MiB) || plan->host_bytes <= facts->memory_bytes ||
	      facts->device == GSORT_DEVICE_GPU, "%s: as the user said", sentence);
	CHECK(plan->sort_bytes <= plan->batch_bytes && plan->batch_bytes <= plan->pool_bytes,
	      "%s: keys fit the pool", sentence);
	CHECK(plan->pool_bytes + plan->spill_bytes + GS_AHEAD_CHUNKS * plan->chunk_bytes +
	      plan->print_keys * facts->print_bytes < plan->host_bytes,
	      "%s: and the buffers beside it", sentence);
	CHECK(plan->fan_in >= 2 && (facts->merge_files == 0 || plan->fan_in <= facts->merge_files),
	      "%s: two can be merged, and no more than allowed", sentence);
	if (plan->merge_bytes > 0)
		CHECK(gs_external_merge_least_bytes(plan->fan_in, plan->threads) <= plan->merge_bytes,
		      "%s: and so many fit the memory for it", sentence);
	CHECK(plan->threads >= 1, "%s: there is a thread", sentence);
	CHECK(plan->threads == 1 || plan->threads * (64ull MiB) <= facts->address_bytes,
	      "%s: every thread has room for its stacks", sentence);
}

/* What comes of it on the CPU: batches, passes, and how much is written. */
static const struct {
	const char     *sentence;
	struct gs_plan_input facts;
	uint64_t        runs;
	unsigned        passes;
	uint64_t        written_percent;	/* of the keys */
	bool            spills;
} forecasts[] = {
	{ "a file of nearly all memory is sorted in it",
	  CPU(.input_bytes = 60ull GiB), 1, 0, 0, false },
	{ "a larger one goes to disk, and is merged once",
	  CPU(.input_bytes = 65ull GiB), 2, 1, 100, true },
	{ "4 GiB in 256 MiB",
	  CPU(.input_bytes = 4ull GiB, .memory_bytes = 256 MiB), 23, 1, 100, true },
	{ "1 TB in 256 MiB: two passes",
	  CPU(.input_bytes = 1000000000000, .memory_bytes = 256 MiB), 5168, 2, 192, true },
	{ "1 TB in the least memory: still a plan",
	  CPU(.input_bytes = 1000000000000, .memory_bytes = 16 MiB), 184938, 4, 399, true },
	{ "two at a time: many passes",
	  CPU(.input_bytes = 4ull GiB, .memory_bytes = 256 MiB, .merge_files = 2), 23, 5, 466, true },
	{ "17 runs, 16 at a time: only two of them are merged before the others",
	  CPU(.input_bytes = 17 * (89ull MiB), .memory_bytes = 137 MiB, .merge_files = 16),
	  17, 2, 111, true },
	{ "what nobody knows may spill",
	  CPU(.input_bytes = UNKNOWN), 1, 0, 0, true },
	{ "so may a hint",
	  CPU(.input_bytes = 8, .guessed = true), 1, 0, 0, true },
	{ "text is twice as long as its keys or more",
	  CPU(.type = GSORT_TEXT, .key_bits = 0, .input_bytes = 32ull GiB), 1, 0, 0, false },
	{ "floats may be much shorter than theirs",
	  CPU(.type = GSORT_TEXT_FLOAT, .key_bits = 0, .input_bytes = 20ull GiB), 1, 0, 0, true },
	{ "a histogram never spills",
	  CPU(.type = GSORT_U16, .key_bits = 16, .input_bytes = 1ull << 50, .memory_bytes = 1),
	  1, 0, 0, false },
};

static void
check_forecasts(void)
{
	for (size_t r = 0; r < sizeof forecasts / sizeof forecasts[0]; r++) {
		const char *sentence = forecasts[r].sentence;
		struct gs_estimate forecast;
		struct gs_plan plan;

		CHECK(gs_plan_make(&plan, &forecasts[r].facts) == GS_OK, "%s: %s", sentence, gs_message());
		gs_plan_estimate(&plan, &forecasts[r].facts, &forecast);
		check_invariants(sentence, &forecasts[r].facts, &plan);
		CHECK(plan.spills == forecasts[r].spills, "%s: spills %d", sentence, plan.spills);
		CHECK(forecast.runs == forecasts[r].runs && forecast.passes == forecasts[r].passes,
		      "%s: %llu runs of %llu, %u passes of %zu", sentence,
		      (unsigned long long)forecast.runs, (unsigned long long)plan.sort_bytes,
		      forecast.passes, plan.fan_in);
		CHECK(forecast.runs == 1 || forecast.written_bytes * 100 / forecast.key_bytes ==
		      forecasts[r].written_percent, "%s: %llu bytes written", sentence,
		      (unsigned long long)forecast.written_bytes);
	}
}

/* Any limit from the least up leaves room for keys and for merging them. */
static void
check_budgets(void)
{
	static const enum gsort_type types[] = { GSORT_TEXT, GSORT_U32, GSORT_F64, GSORT_U8,
	                                         GSORT_TEXT_FLOAT };
	static const unsigned bits[] = { 0, 32, 64, 8, 0 };

	for (unsigned t = 0; t < 5; t++)
		for (uint64_t bytes = 16 MiB; bytes < 64ull GiB; bytes += bytes / 7)
			for (unsigned threads = 1; threads <= 16; threads *= 4) {
				const struct gs_plan_input facts = FACTS(
					.type = types[t], .key_bits = bits[t],
					.input_bytes = UNKNOWN, .memory_bytes = bytes, .threads = threads,
					.print_bytes = bits[t] == 0 ? 2 * 26 : 0,
					.device = GSORT_DEVICE_CPU);
				struct gs_plan plan;

				CHECK(gs_plan_make(&plan, &facts) == GS_OK, "%llu: %s",
				      (unsigned long long)bytes, gs_message());
				CHECK(bits[t] == 8 || plan.pool_bytes >= bytes / 10, "%llu: a tenth is keys'",
				      (unsigned long long)bytes);
				check_invariants("any limit", &facts, &plan);
			}
}

/* Where only the first keys are wanted. */
static const struct {
	const char     *sentence;
	struct gs_plan_input facts;
	uint64_t        head_keys, peek_bytes;
} heads[] = {
	{ "a short head is kept on the CPU, however long the input",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull << 42, .heads = true,
	        .head_count = 10), 1 MiB, 0 },
	{ "no key is the shortest head",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .heads = true), 1 MiB, 0 },
	{ "a longer one lets four times as many in",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = 100 MiB), 400 MiB, 0 },
	{ "if they fit; or else at least twice as many",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = 2000ull MiB), 5994021376, 0 },
	{ "one beyond that is a sort like any other",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = 2900ull MiB, .threads = 4), 0, 462305507 },
	{ "even if it has no end",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = UINT64_MAX, .threads = 4), 0, 462305507 },
	{ "--device=gpu sorts all of them there",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB, .heads = true,
	        .head_count = 10, .device = GSORT_DEVICE_GPU), 0, 0 },
	{ "keys that are counted need no head",
	  FACTS(.type = GSORT_U16, .key_bits = 16, .input_bytes = 1ull GiB, .heads = true,
	        .head_count = 10), 0, 0 },
};

static void
check_heads(void)
{
	for (size_t r = 0; r < sizeof heads / sizeof heads[0]; r++) {
		struct gs_plan plan;
		const gs_status status = gs_plan_make(&plan, &heads[r].facts);

		CHECK(status == GS_OK, "%s: %s", heads[r].sentence, gs_message());
		CHECK(plan.head_keys == heads[r].head_keys, "%s: %llu keys", heads[r].sentence,
		      (unsigned long long)plan.head_keys);
		CHECK(plan.peek_bytes == heads[r].peek_bytes, "%s: peeks at %llu",
		      heads[r].sentence, (unsigned long long)plan.peek_bytes);
	}
}

void
unit_plan(void)
{
	check_heads();
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		struct gs_plan plan;
		gs_status status = gs_plan_make(&plan, &rows[r].facts);

		CHECK(status == rows[r].status, "%s: status %d", rows[r].sentence, status);
		if (status != GS_OK) {
			CHECK(gs_message()[0] != '\0', "%s: says why", rows[r].sentence);
			continue;
		}
		CHECK(plan.device == rows[r].device, "%s: %s", rows[r].sentence, plan.device_rule);
		CHECK(plan.peek_bytes == rows[r].peek_bytes, "%s: peeks at %llu", rows[r].sentence,
		      (unsigned long long)plan.peek_bytes);
		CHECK(plan.tile_bytes == rows[r].tile_bytes, "%s: tile of %zu", rows[r].sentence,
		      plan.tile_bytes);
		check_invariants(rows[r].sentence, &rows[r].facts, &plan);
	}
	check_forecasts();
	check_budgets();
}
