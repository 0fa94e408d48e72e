// SPDX-License-Identifier: BSD-2-Clause
/* plan.c - the planner as a table: facts, and what must come of them */
#include "job/plan.h"
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
			  .gpu_built = true, __VA_ARGS__ }

static const struct {
	const char     *sentence;
	struct gs_facts facts;
	gs_status       status;
	uint64_t        gpu_from_bytes;
	size_t          tile_bytes;
} rows[] = {
	{ "a small file of u32 never opens a GPU",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull MiB), GS_OK, GS_NEVER, 1 MiB },
	{ "a file beyond the crossover opens it at once",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 8ull GiB), GS_OK, 0, 16 MiB },
	{ "two threads give way to a GPU sooner than sixteen",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB, .threads = 2),
	  GS_OK, 0, 16 MiB },
	{ "a pipe opens it only once much has come",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN),
	  GS_OK, 256ull MiB, 16 MiB },
	{ "--device=cpu never opens it",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8ull GiB,
	        .device = GSORT_DEVICE_CPU), GS_OK, GS_NEVER, 16 MiB },
	{ "--device=gpu opens it for a single key",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8, .device = GSORT_DEVICE_GPU),
	  GS_OK, 0, 64 KiB },
	{ "--device=gpu is refused by a build without",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = 8, .device = GSORT_DEVICE_GPU,
	        .gpu_built = false), GS_ENODEV, GS_NEVER, 0 },
	{ "such a build sorts on the CPU if it may",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .gpu_built = false),
	  GS_OK, GS_NEVER, 16 MiB },
	{ "keys of 16 bits are counted whatever the device",
	  FACTS(.type = GSORT_I16, .key_bits = 16, .input_bytes = 8ull GiB,
	        .device = GSORT_DEVICE_GPU), GS_OK, GS_NEVER, 16 MiB },
	{ "counting needs no memory for keys",
	  FACTS(.type = GSORT_U8, .key_bits = 8, .input_bytes = 1ull << 42, .host_bytes = 1 MiB),
	  GS_OK, GS_NEVER, 16 MiB },
	{ "little GPU memory makes small tiles",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB,
	        .device = GSORT_DEVICE_GPU, .gpu_memory_bytes = 8 MiB), GS_OK, 0, 1 MiB },
	{ "but none below the least tile",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB,
	        .device = GSORT_DEVICE_GPU, .gpu_memory_bytes = 1), GS_OK, 0, 64 KiB },
	{ "a file of half the memory is just sorted",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 32ull GiB,
	        .device = GSORT_DEVICE_CPU), GS_OK, GS_NEVER, 16 MiB },
	{ "a key more is refused before it is read",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = (32ull GiB) + 4,
	        .device = GSORT_DEVICE_CPU), GS_EBUDGET, GS_NEVER, 0 },
	{ "few addresses make small tiles",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .device = GSORT_DEVICE_CPU,
	        .address_bytes = 320 MiB), GS_OK, GS_NEVER, 4 MiB },
	{ "no memory at all is refused",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .host_bytes = 1 MiB),
	  GS_EBUDGET, GS_NEVER, 0 },
};

/* What must be true of every plan. */
static void
check_invariants(const char *sentence, const struct gs_facts *facts, const struct gs_plan *plan)
{
	CHECK((plan->tile_bytes & (plan->tile_bytes - 1)) == 0, "%s: tile is a power of two", sentence);
	CHECK(gs_plan_shelves_bytes(plan) <= facts->address_bytes, "%s: fits the addresses", sentence);
	CHECK(plan->sort_bytes <= facts->host_bytes / 2 || plan->counts,
	      "%s: keys and scratch fit the memory", sentence);
	CHECK(plan->threads >= 1, "%s: there is a thread", sentence);
	CHECK(plan->threads == 1 || plan->threads * (64ull MiB) <= facts->address_bytes,
	      "%s: every thread has room for its stacks", sentence);
}

/* Where only the first keys are wanted. */
static const struct {
	const char     *sentence;
	struct gs_facts facts;
	uint64_t        head_keys, gpu_from_bytes;
} heads[] = {
	{ "a short head is kept on the CPU, however long the input",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull << 42, .heads = true,
	        .head_count = 10), 1 MiB, GS_NEVER },
	{ "no key is the shortest head",
	  FACTS(.type = GSORT_TEXT, .input_bytes = UNKNOWN, .heads = true), 1 MiB, GS_NEVER },
	{ "a longer one lets four times as many in",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = 100 MiB), 400 MiB, GS_NEVER },
	{ "if they fit; or else at least twice as many",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = 2000ull MiB), 4086ull MiB, GS_NEVER },
	{ "one beyond that is a sort like any other",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = 2048ull MiB), 0, 256 MiB },
	{ "even if it has no end",
	  FACTS(.type = GSORT_U64, .key_bits = 64, .input_bytes = UNKNOWN, .heads = true,
	        .head_count = UINT64_MAX), 0, 256 MiB },
	{ "--device=gpu sorts all of them there",
	  FACTS(.type = GSORT_U32, .key_bits = 32, .input_bytes = 1ull GiB, .heads = true,
	        .head_count = 10, .device = GSORT_DEVICE_GPU), 0, 0 },
	{ "keys that are counted need no head",
	  FACTS(.type = GSORT_U16, .key_bits = 16, .input_bytes = 1ull GiB, .heads = true,
	        .head_count = 10), 0, GS_NEVER },
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
		CHECK(plan.gpu_from_bytes == heads[r].gpu_from_bytes, "%s: from %llu",
		      heads[r].sentence, (unsigned long long)plan.gpu_from_bytes);
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
		CHECK(plan.gpu_from_bytes == rows[r].gpu_from_bytes, "%s: from %llu", rows[r].sentence,
		      (unsigned long long)plan.gpu_from_bytes);
		CHECK(plan.tile_bytes == rows[r].tile_bytes, "%s: tile of %zu", rows[r].sentence,
		      plan.tile_bytes);
		check_invariants(rows[r].sentence, &rows[r].facts, &plan);
	}
}
