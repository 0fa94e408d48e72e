// SPDX-License-Identifier: BSD-2-Clause
/* plan.c - any facts: the plan keeps its promises, or says why there is none */
#include "fuzz.h"
#include "job/plan.h"

/* Mostly round numbers and those beside them. */
static uint64_t
size_of(struct fuzz *from)
{
	const unsigned kind = (unsigned)fuzz_take(from, 1);

	if (kind < 16)
		return kind;
	if (kind == 255)
		return UINT64_MAX;
	return ((uint64_t)1 << kind % 64) + (uint64_t)(int8_t)fuzz_take(from, 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const unsigned widths[] = { 0, 8, 16, 32, 64 };
	struct fuzz from = { data, bytes };
	const unsigned bits = widths[fuzz_take(&from, 1) % 5];
	struct gs_facts facts = {
		.operation = (enum gsort_operation)(fuzz_take(&from, 1) % 3),
		.type = bits == 8 ? GSORT_U8 : bits == 16 ? GSORT_U16 : bits == 32 ? GSORT_U32 :
		        bits == 64 ? GSORT_U64 : fuzz_take(&from, 1) % 2 ? GSORT_TEXT : GSORT_TEXT_FLOAT,
		.key_bits = bits,
		.headers = fuzz_take(&from, 1) % 2,
		.print_bytes = fuzz_take(&from, 1) % 64,
		.input_bytes = size_of(&from),
		.guessed = fuzz_take(&from, 1) % 2,
		.input_count = 1 + fuzz_take(&from, 2),
		.device = (enum gsort_device)(fuzz_take(&from, 1) % 3),
		.gpu_built = fuzz_take(&from, 1) % 2,
		.gpu_memory_bytes = size_of(&from),
		.heads = fuzz_take(&from, 1) % 2,
		.head_count = size_of(&from),
		.threads = (unsigned)fuzz_take(&from, 1),
		.cores = 1 + (unsigned)fuzz_take(&from, 1),
		.memory_bytes = size_of(&from),
		.host_bytes = size_of(&from),
		.address_bytes = size_of(&from),
		.files = (size_t)fuzz_take(&from, 2),
		.merge_files = (unsigned)fuzz_take(&from, 1),
	};
	struct gs_plan plan;
	struct gs_forecast forecast;

	if (facts.merge_files == 1)
		facts.merge_files = 0;
	if (gs_plan_make(&plan, &facts) != GS_OK) {
		FUZZ_MUST(*gs_message() != '\0');
		return 0;
	}
	FUZZ_MUST(plan.threads >= 1 && plan.threads <= 256);
	FUZZ_MUST(facts.threads == 0 || plan.threads <= facts.threads);
	FUZZ_MUST((plan.tile_bytes & (plan.tile_bytes - 1)) == 0);
	FUZZ_MUST(plan.pool_bytes < plan.host_bytes);
	FUZZ_MUST(plan.sort_bytes <= plan.pool_bytes);
	FUZZ_MUST(plan.fan_in >= 2 && plan.most_runs >= plan.fan_in);
	FUZZ_MUST(plan.gpu_from_bytes == GS_NEVER || facts.gpu_built);
	gs_plan_forecast(&plan, &facts, &forecast);
	return 0;
}
