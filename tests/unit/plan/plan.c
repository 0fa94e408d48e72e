// SPDX-License-Identifier: BSD-2-Clause
/* plan.c - the planner as a table: its input, and the plan that must follow */
#include "base/team.h"
#include "ingest/ingest.h"
#include "io/input.h"
#include "plan/plan.h"
#include "tests/unit/units.h"

void unit_plan(void);

/* A row overrides the machine of FACTS(): that is the point. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define KiB	<< 10
#define MiB	<< 20
#define GiB	<< 30
#define UNKNOWN	UINT64_MAX

/* A machine of 16 cores and 64 GiB with a GPU module, unless a row says otherwise. */
#define FACTS(...)	{ .cores = 16, .host_bytes = 64ull GiB, .address_bytes = 1ull << 46, \
			  .gpu_possible = true, .gpu_present = true, .seekable = true, __VA_ARGS__ }

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
	size_t          staging_bytes;
} rows[] = {
	{ "a small file of u32 is sorted by the CPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull MiB), GS_OK, CPU_, 1 MiB },
	{ "a file beyond the crossover is sorted by a GPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 2ull GiB, .threads = 4),
	  GS_OK, GPU_, 16 MiB },
	{ "two threads give way to a GPU sooner than four",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 768ull MiB, .threads = 2),
	  GS_OK, GPU_, 16 MiB },
	{ "and four not yet",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 768ull MiB, .threads = 4),
	  GS_OK, CPU_, 16 MiB },
	{ "eight threads are as fast as a GPU opens, if nothing is written",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB, .threads = 8),
	  GS_OK, CPU_, 16 MiB },
	{ "and write a larger file",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 2ull GiB, .to_file = true, .threads = 8),
	  GS_OK, CPU_, 16 MiB },
	{ "sixteen threads sort what a disk takes for long",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 4ull GiB, .to_file = true),
	  GS_OK, CPU_, 16 MiB },
	{ "but not for ever",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8ull GiB, .to_file = true),
	  GS_OK, GPU_, 16 MiB },
	{ "and less where nothing is written",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 4ull GiB), GS_OK, GPU_, 16 MiB },
	{ "of a thousand threads there are as many as a team has",
	  CPU(.input_bytes = 2ull GiB, .threads = 1000), GS_OK, CPU_, 16 MiB },
	{ "a hundred threads give way where sixteen do, as they write files no faster",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8ull GiB, .to_file = true,
	        .cores = 100, .threads = 100), GS_OK, GPU_, 16 MiB },
	{ "one thread sorts a pipe as it comes",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .threads = 1,
	        .seekable = false), GS_OK, CPU_, 16 MiB },
	{ "so it does what has no size",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .threads = 1), GS_OK, CPU_, 16 MiB },
	{ "and a pipe of a known size, which could not be read again if the GPU failed",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 8ull GiB, .guessed = true,
	        .threads = 1, .seekable = false), GS_OK, CPU_, 16 MiB },
	{ "but --device=gpu takes a GPU for it",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .seekable = false,
	        .device = GSORT_DEVICE_GPU), GS_OK, GPU_, 16 MiB },
	{ "--device=cpu never opens a GPU",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8ull GiB,
	        .device = GSORT_DEVICE_CPU), GS_OK, CPU_, 16 MiB },
	{ "--device=gpu opens it for a single key",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8, .device = GSORT_DEVICE_GPU),
	  GS_OK, GPU_, 64 KiB },
	{ "--device=gpu is refused without the module",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8, .device = GSORT_DEVICE_GPU,
	        .gpu_possible = false), GS_ENODEV, CPU_, 0 },
	{ "without it the CPU sorts if it may",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .gpu_possible = false,
	        .threads = 4), GS_OK, CPU_, 16 MiB },
	{ "without a driver it does, and waits for no pipe",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .gpu_present = false,
	        .threads = 4), GS_OK, CPU_, 16 MiB },
	{ "keys of 16 bits are counted whatever the device",
	  FACTS(.type = GSORT_I16, .key_bits = 16, .input_bytes = 8ull GiB,
	        .device = GSORT_DEVICE_GPU), GS_OK, CPU_, 16 MiB },
	{ "counting needs no memory for keys",
	  FACTS(.type = GSORT_U8, .key_bits = 8, .input_bytes = 1ull << 42, .host_bytes = 16 MiB),
	  GS_OK, CPU_, 256 KiB },
	{ "a limit that is a wish gives way to what is kept beside the keys",
	  CPU(.input_bytes = 8ull GiB, .memory_bytes = 20 MiB, .memory_grows = true,
	      .overhead_bytes = 100 MiB), GS_OK, CPU_, 1 MiB },
	{ "little GPU memory makes small staging buffers",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB,
	        .device = GSORT_DEVICE_GPU, .gpu_memory_bytes = 8 MiB), GS_OK, GPU_, 1 MiB },
	{ "several files at once take more of them, and smaller ones",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB,
	        .device = GSORT_DEVICE_GPU, .to_file = true, .split = 8), GS_OK, GPU_, 8 MiB },
	{ "files that are written at once do not hold a GPU up",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 4ull GiB, .to_file = true,
	        .split = 8), GS_OK, GPU_, 8 MiB },
	{ "but none below the least",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB,
	        .device = GSORT_DEVICE_GPU, .gpu_memory_bytes = 1), GS_OK, GPU_, 64 KiB },
	{ "a hint is good enough to choose a GPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 2ull GiB, .guessed = true,
	        .threads = 4), GS_OK, GPU_, 16 MiB },
	{ "with little memory no GPU is opened: CUDA alone takes most of it",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 8ull GiB, .memory_bytes = 256 MiB,
	        .threads = 4), GS_OK, CPU_, 4 MiB },
	{ "unless it is requested: then memory must be enough",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 8ull GiB, .memory_bytes = 1 MiB,
	        .device = GSORT_DEVICE_GPU), GS_OK, GPU_, 256 KiB },
	{ "compressed input is sorted by the CPU, in a sandbox",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = UNKNOWN, .threads = 4,
	        .compressed = true), GS_OK, CPU_, 16 MiB },
	{ "merging and checking open no GPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 8ull GiB, .operation = GSORT_MERGE,
	        .threads = 4), GS_OK, CPU_, 16 MiB },
	{ "few addresses make small staging buffers",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .device = GSORT_DEVICE_CPU,
	        .host_bytes = 320 MiB, .address_bytes = 320 MiB), GS_OK, CPU_, 4 MiB },
	{ "a limit of the user's that is too small is raised",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .memory_bytes = 1), GS_OK, CPU_,
	  256 KiB },
	{ "no memory at all is refused",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .host_bytes = 1 MiB),
	  GS_EBUDGET, CPU_, 0 },
	{ "the least memory is enough for a header, too",
	  FACTS(.type = GSORT_TEXT, .input_bytes = 147, .memory_bytes = 16 MiB, .headers = true,
	        .print_bytes = 42, .threads = 2), GS_OK, CPU_, 64 KiB },
	{ "and for a count before each number: by one thread",
	  FACTS(.type = GSORT_TEXT, .input_bytes = 147, .memory_bytes = 16 MiB, .headers = true,
	        .print_bytes = 64, .threads = 2), GS_OK, CPU_, 64 KiB },
	{ "and no addresses for what a merge reads, too",
	  CPU(.operation = GSORT_MERGE, .input_count = 2, .address_bytes = 40 MiB,
	      .host_bytes = 40 MiB), GS_EBUDGET, CPU_, 0 },
};

static gs_status
make(struct gs_plan *plan, const struct gs_plan_input *facts)
{
	struct gs_plan_input input = *facts;

	gs_ingest_plan(&input);
	return gs_plan_make(plan, &input);
}

/* What must be true of every plan. */
static void
check_invariants(const char *sentence, const struct gs_plan_input *facts, const struct gs_plan *plan)
{
	CHECK((plan->staging_bytes & (plan->staging_bytes - 1)) == 0,
	      "%s: a staging buffer is a power of two", sentence);
	CHECK(plan->batch_bytes + plan->resident_bytes <= facts->address_bytes, "%s: fits the addresses",
	      sentence);
	CHECK(plan->resident_bytes <= plan->pool_bytes, "%s: runs fit the pool", sentence);
	CHECK((plan->device == GSORT_DEVICE_GPU) == (plan->batch_bytes == 0 && plan->resident_bytes > 0) ||
	      plan->device == GSORT_DEVICE_CPU, "%s: a GPU's keys are not in the batch", sentence);
	CHECK(plan->device == CPU_ || facts->seekable || facts->device == GSORT_DEVICE_GPU,
	      "%s: if the GPU fails, the input can be read again", sentence);
	CHECK(plan->device_rule != NULL, "%s: a rule has chosen the device", sentence);
	CHECK(plan->host_bytes <= facts->host_bytes, "%s: fits the machine", sentence);
	CHECK(facts->memory_bytes < (16 MiB) || plan->host_bytes <= facts->memory_bytes ||
	      facts->device == GSORT_DEVICE_GPU || facts->memory_grows, "%s: as the user said", sentence);
	CHECK(plan->sort_bytes <= plan->batch_bytes && plan->batch_bytes <= plan->pool_bytes,
	      "%s: keys fit the pool", sentence);
	CHECK(plan->pool_bytes + plan->spill_bytes + GS_AHEAD_CHUNKS * plan->chunk_bytes +
	      plan->print_keys * facts->print_bytes < plan->host_bytes,
	      "%s: and the buffers beside it", sentence);
	CHECK(plan->fan_in >= 2 && (facts->merge_files == 0 || plan->fan_in <= facts->merge_files),
	      "%s: two can be merged, and no more than allowed", sentence);
	if (plan->merge_bytes > 0)
		CHECK(gs_plan_merge_least(plan->fan_in, plan->threads) <= plan->merge_bytes,
		      "%s: and so many fit the memory for it", sentence);
	CHECK(plan->threads >= 1 && plan->threads <= GS_TEAM_MAX, "%s: %u threads", sentence, plan->threads);
	CHECK(plan->threads == 1 || plan->threads * (64ull MiB) <= facts->address_bytes,
	      "%s: every thread has room for its stacks", sentence);
}

/* The result on the CPU: batches, passes, and bytes written. */
static const struct {
	const char     *sentence;
	struct gs_plan_input facts;
	uint64_t        runs;
	unsigned        passes;
	uint64_t        written_percent;	/* of the keys */
	bool            spills;
} estimates[] = {
	{ "a file of nearly all memory is sorted in it",
	  CPU(.input_bytes = 60ull GiB), 1, 0, 0, false },
	{ "a larger one goes to disk, and is merged once",
	  CPU(.input_bytes = 65ull GiB), 2, 1, 100, true },
	{ "4 GiB in 256 MiB",
	  CPU(.input_bytes = 4ull GiB, .memory_bytes = 256 MiB), 20, 1, 100, true },
	{ "1 TB in 256 MiB: two passes",
	  CPU(.input_bytes = 1000000000000, .memory_bytes = 256 MiB), 4592, 2, 190, true },
	{ "1 TB in the least memory: still a plan",
	  CPU(.input_bytes = 1000000000000, .memory_bytes = 16 MiB), 187135, 4, 400, true },
	{ "two at a time: many passes",
	  CPU(.input_bytes = 4ull GiB, .memory_bytes = 256 MiB, .merge_files = 2), 20, 5, 466, true },
	{ "17 runs, 16 at a time: only two of them are merged before the others",
	  CPU(.input_bytes = 17 * (98ull MiB), .memory_bytes = 137 MiB, .merge_files = 16),
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
check_estimates(void)
{
	for (size_t r = 0; r < sizeof estimates / sizeof estimates[0]; r++) {
		const char *sentence = estimates[r].sentence;
		struct gs_estimate estimate;
		struct gs_plan plan;

		CHECK(make(&plan, &estimates[r].facts) == GS_OK, "%s: %s", sentence, gs_message());
		gs_plan_estimate(&plan, &estimates[r].facts, &estimate);
		check_invariants(sentence, &estimates[r].facts, &plan);
		CHECK(plan.spills == estimates[r].spills, "%s: spills %d", sentence, plan.spills);
		CHECK(estimate.runs == estimates[r].runs && estimate.passes == estimates[r].passes,
		      "%s: %llu runs of %llu, %u passes of %zu", sentence,
		      (unsigned long long)estimate.runs, (unsigned long long)plan.sort_bytes,
		      estimate.passes, plan.fan_in);
		CHECK(estimate.runs == 1 || estimate.written_bytes * 100 / estimate.key_bytes ==
		      estimates[r].written_percent, "%s: %llu bytes written", sentence,
		      (unsigned long long)estimate.written_bytes);
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

				CHECK(make(&plan, &facts) == GS_OK, "%llu: %s",
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
	uint64_t        head_keys;
} heads[] = {
	{ "a short head is kept on the CPU, however long the input",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull << 42, .heads = true,
	        .head_count = 10), 1 MiB },
	{ "no key is the shortest head",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .heads = true), 1 MiB },
	{ "a longer one lets four times as many in",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = 100 MiB), 400 MiB },
	{ "if they fit; or else at least twice as many",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = 2000ull MiB), 6016402944 },
	{ "one beyond that is a sort like any other",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = 2900ull MiB, .threads = 1), 0 },
	{ "even if it has no end",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = UINT64_MAX, .threads = 1), 0 },
	{ "--device=gpu sorts all of them there",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB, .heads = true,
	        .head_count = 10, .device = GSORT_DEVICE_GPU), 0 },
	{ "keys that are counted need no head",
	  FACTS(.type = GSORT_U16, .key_bits = 16, .input_bytes = 1ull GiB, .heads = true,
	        .head_count = 10), 0 },
};

static void
check_heads(void)
{
	for (size_t r = 0; r < sizeof heads / sizeof heads[0]; r++) {
		struct gs_plan plan;
		const gs_status status = make(&plan, &heads[r].facts);

		CHECK(status == GS_OK, "%s: %s", heads[r].sentence, gs_message());
		CHECK(plan.head_keys == heads[r].head_keys, "%s: %llu keys", heads[r].sentence,
		      (unsigned long long)plan.head_keys);
	}
}

/* The more threads there are, the less memory each has. */
static const struct {
	const char     *sentence;
	struct gs_plan_input facts;
	unsigned        bins;
	size_t          block_bytes, part_bytes;
} shares[] = {
	{ "256 MB for one thread",
	  CPU(.input_bytes = 256000000, .threads = 1), 512, 4096, 4 MiB },
	{ "for two", CPU(.input_bytes = 256000000, .threads = 2), 512, 4096, 4 MiB },
	{ "for 4", CPU(.input_bytes = 256000000, .threads = 4), 512, 4096, 2 MiB },
	{ "for 16", CPU(.input_bytes = 256000000, .threads = 16), 1024, 1024, 512 KiB },
	{ "for 32", CPU(.input_bytes = 256000000, .threads = 32), 1024, 512, 512 KiB },
	{ "for 200", CPU(.input_bytes = 256000000, .threads = 200), 128, 512, 512 KiB },
	{ "16 GiB for 32", CPU(.input_bytes = 16ull GiB, .threads = 32), 4096, 4096, 8 MiB },
	{ "8 GiB for 16", CPU(.input_bytes = 8ull GiB, .threads = 16), 4096, 4096, 4 MiB },
	{ "a head for 32",
	  CPU(.input_bytes = 16ull GiB, .threads = 32, .heads = true, .head_count = 10), 64, 1024,
	  256 KiB },
	{ "who knows what, for 16", CPU(.input_bytes = UNKNOWN, .threads = 16), 1024, 4096, 4 MiB },
	{ "64 MiB of memory for 4",
	  CPU(.input_bytes = UNKNOWN, .threads = 4, .memory_bytes = 64 MiB), 256, 1024, 128 KiB },
};

static void
check_shares(void)
{
	for (size_t r = 0; r < sizeof shares / sizeof shares[0]; r++) {
		struct gs_plan plan;
		const struct gs_bucket_sizes *got = &plan.buckets;

		CHECK(make(&plan, &shares[r].facts) == GS_OK, "%s: %s", shares[r].sentence,
		      gs_message());
		CHECK(got->bins == shares[r].bins && got->block_bytes == shares[r].block_bytes &&
		      got->part_bytes == shares[r].part_bytes,
		      "%s: %u bins, blocks of %zu, parts of %zu", shares[r].sentence, got->bins,
		      got->block_bytes, got->part_bytes);
	}
}

/* The number of threads on 100 cores, unless a row says otherwise. */
static const struct {
	const char *sentence;
	struct gs_plan_input facts;
	unsigned    threads;
} threads[] = {
	{ "a file is sorted by sixteen", CPU(.cores = 100, .input_bytes = 8ull GiB, .to_file = true), 16 },
	{ "so is a small input", CPU(.cores = 100, .input_bytes = (1ull GiB) - 1), 16 },
	{ "and one of unknown size", CPU(.cores = 100, .input_bytes = UNKNOWN), 16 },
	{ "sixty-four sort a large one of which no file is made",
	  CPU(.cores = 100, .input_bytes = 1ull GiB), 64 },
	{ "as many as there are cores", CPU(.cores = 3, .input_bytes = 1ull GiB), 3 },
	{ "the user may have more", CPU(.cores = 100, .threads = 80, .to_file = true), 80 },
	{ "but not more than a team has", CPU(.cores = 100, .threads = 1000), GS_TEAM_MAX },
};

static void
check_threads(void)
{
	for (size_t r = 0; r < sizeof threads / sizeof threads[0]; r++) {
		const unsigned most = gs_plan_threads_most(&threads[r].facts);

		CHECK(most == threads[r].threads, "%s: %u", threads[r].sentence, most);
	}
}

/* What a message names is enough; one MiB less is not, or for addresses four. */
static const struct {
	struct gs_plan_input facts;
	const char *says;		/* NULL: it is enough */
} refusals[] = {
#define BESIDE(bytes, ...)	CPU(.input_bytes = UNKNOWN, .overhead_bytes = (bytes), \
				    .beside_what = "names", __VA_ARGS__)
#define NOT_ENOUGH	" MiB of memory are not enough for names: gsort needs -S "
#define ADDRESSES(a, b)	"only " a " MiB of address space are available; gsort needs " b " MiB (see ulimit -v)"
	{ BESIDE(8 MiB, .memory_bytes = 16 MiB), "16" NOT_ENOUGH "24M" },
	{ BESIDE(8 MiB, .memory_bytes = 23 MiB), "23" NOT_ENOUGH "24M" },
	{ BESIDE(8 MiB, .memory_bytes = 24 MiB), NULL },
	{ BESIDE(2 MiB, .memory_bytes = 16 MiB), NULL },
	{ BESIDE((8 MiB) + 1, .memory_bytes = 16 MiB), "16" NOT_ENOUGH "25M" },
	{ BESIDE((9 MiB) - 1, .memory_bytes = 16 MiB), "16" NOT_ENOUGH "25M" },
	{ BESIDE(12 MiB, .memory_bytes = 16 MiB, .window_bytes = 3800 KiB), "16" NOT_ENOUGH "33M" },
	{ BESIDE(12 MiB, .memory_bytes = 16 MiB, .window_bytes = 4 MiB), "16" NOT_ENOUGH "33M" },
	{ BESIDE((12 MiB) - 7, .memory_bytes = 16 MiB, .window_bytes = 1), "16" NOT_ENOUGH "32M" },
	{ BESIDE(12 MiB, .memory_bytes = 16 MiB, .window_bytes = 10 MiB), "16" NOT_ENOUGH "38M" },
	{ BESIDE(8 MiB, .memory_bytes = 16 MiB, .shares = 1), "16" NOT_ENOUGH "24M" },
	{ BESIDE(8 MiB, .memory_bytes = 16 MiB, .shares = 2), "16" NOT_ENOUGH "48M" },
	{ CPU(.host_bytes = 3 MiB), "only 3 MiB of memory are available; gsort needs 16 MiB" },
	{ CPU(.address_bytes = 40 MiB, .host_bytes = 3 MiB),
	  "only 3 MiB of memory are available; gsort needs 16 MiB" },
	{ CPU(.address_bytes = 40 MiB, .host_bytes = 40 MiB), ADDRESSES("40", "56") },
	{ CPU(.address_bytes = 52 MiB, .host_bytes = 40 MiB), ADDRESSES("52", "56") },
	{ CPU(.address_bytes = 56 MiB, .host_bytes = 40 MiB), NULL },
	{ CPU(.address_bytes = 84 MiB), ADDRESSES("84", "88") },
	{ CPU(.address_bytes = 88 MiB), NULL },
};

static void
check_refusals(void)
{
	for (size_t r = 0; r < sizeof refusals / sizeof refusals[0]; r++) {
		const char *says = refusals[r].says;
		struct gs_plan plan;
		const gs_status status = make(&plan, &refusals[r].facts);

		CHECK(status == (says == NULL ? GS_OK : GS_EBUDGET) &&
		      (says == NULL || strcmp(gs_message(), says) == 0),
		      "row %zu: status %d, %s", r, (int)status, gs_message());
	}
}

void
unit_plan(void)
{
	check_refusals();
	check_threads();
	check_heads();
	check_shares();
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		struct gs_plan plan;
		gs_status status = make(&plan, &rows[r].facts);

		CHECK(status == rows[r].status, "%s: status %d", rows[r].sentence, status);
		if (status != GS_OK) {
			CHECK(gs_message()[0] != '\0', "%s: says why", rows[r].sentence);
			continue;
		}
		CHECK(plan.device == rows[r].device, "%s: %s", rows[r].sentence, plan.device_rule);
		CHECK(plan.staging_bytes == rows[r].staging_bytes, "%s: staging buffers of %zu",
		      rows[r].sentence, plan.staging_bytes);
		check_invariants(rows[r].sentence, &rows[r].facts, &plan);
	}
	check_estimates();
	check_budgets();
}
