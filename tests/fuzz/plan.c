// SPDX-License-Identifier: BSD-2-Clause
/* plan.c - any plan input: the plan keeps its promises, or there is an error */
#include "fuzz.h"
#include "ingest/ingest.h"
#include "io/input.h"
#include "plan/plan.h"
#include "sort/buckets/batch.h"

/* Mostly round numbers and their neighbours. */
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

/* All memory in use at once is within the budget; sums are wide enough not to overflow. */
static void
check_shares(const struct gs_plan *plan, const struct gs_plan_input *facts)
{
	const unsigned slots = gs_batch_slots(plan->threads);
	unsigned __int128 sum = plan->pool_bytes;

	sum += (unsigned __int128)plan->threads * plan->piece_bytes;
	sum += (unsigned __int128)(slots + plan->threads) * plan->buckets.part_bytes;
	sum += (unsigned __int128)slots * plan->part_print_bytes;
	sum += (unsigned __int128)plan->print_keys * facts->print_bytes;
	sum += GS_AHEAD_CHUNKS * (unsigned __int128)plan->chunk_bytes;
	sum += plan->count_bytes + plan->spill_bytes + plan->inflate_bytes;
	if (plan->device == GSORT_DEVICE_GPU)
		sum += (unsigned __int128)plan->ring_buffers * plan->staging_bytes;
	FUZZ_MUST(sum <= plan->host_bytes);
	FUZZ_MUST(plan->host_bytes <= facts->host_bytes);
	FUZZ_MUST(plan->threads >= 1 && plan->threads <= 256);
	FUZZ_MUST(facts->threads == 0 || plan->threads <= facts->threads);
	FUZZ_MUST((plan->staging_bytes & (plan->staging_bytes - 1)) == 0);
	FUZZ_MUST(plan->sort_bytes <= plan->batch_bytes && plan->batch_bytes <= plan->pool_bytes);
	FUZZ_MUST(plan->device == GSORT_DEVICE_CPU ||
	          (plan->device == GSORT_DEVICE_GPU && facts->gpu_possible));
	FUZZ_MUST(plan->resident_bytes <= plan->pool_bytes);
	/* If the GPU fails, the input can be read again, unless the user insists on a GPU. */
	FUZZ_MUST(plan->device == GSORT_DEVICE_CPU || facts->device == GSORT_DEVICE_GPU || facts->seekable);
}

static void
check_merge(const struct gs_plan *plan, const struct gs_plan_input *facts)
{
	FUZZ_MUST(plan->fan_in >= 2 && plan->most_runs >= plan->fan_in);
	FUZZ_MUST(plan->most_runs >= facts->input_count);
	FUZZ_MUST(facts->merge_files == 0 || plan->fan_in <= facts->merge_files);
	FUZZ_MUST(plan->merge_bytes <= plan->pool_bytes);
	if (facts->operation == GSORT_MERGE && facts->key_bits != 8 && facts->key_bits != 16)
		FUZZ_MUST(gs_plan_merge_least(plan->fan_in, plan->threads) <= plan->merge_bytes);
}

void
fuzz_plan(const uint8_t *data, size_t bytes)
{
	static const unsigned widths[] = { 0, 8, 16, 32, 64 };
	struct fuzz from = { data, bytes };
	const unsigned bits = widths[fuzz_take(&from, 1) % 5];
	struct gs_plan_input facts = {
		.operation = (enum gsort_operation)(fuzz_take(&from, 1) % 3),
		.type = bits == 8 ? GSORT_U8 : bits == 16 ? GSORT_U16 : bits == 32 ? GSORT_U32 :
		        bits == 64 ? GSORT_U64 : fuzz_take(&from, 1) % 2 ? GSORT_TEXT : GSORT_TEXT_FLOAT,
		.key_bits = bits,
		.headers = fuzz_take(&from, 1) % 2,
		.print_bytes = fuzz_take(&from, 1) % 64,
		.compressed = fuzz_take(&from, 1) % 2,
		.large_window = fuzz_take(&from, 1) % 2,
		.input_bytes = size_of(&from),
		.guessed = fuzz_take(&from, 1) % 2,
		.input_count = 1 + fuzz_take(&from, 2),
		.device = (enum gsort_device)(fuzz_take(&from, 1) % 3),
		.seekable = fuzz_take(&from, 1) % 2,
		.gpu_possible = fuzz_take(&from, 1) % 2,
		.gpu_present = true,
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
	struct gs_estimate estimate;

	if (facts.merge_files == 1)
		facts.merge_files = 0;
	gs_ingest_plan(&facts);
	if (gs_plan_make(&plan, &facts) != GS_OK) {
		FUZZ_MUST(*gs_message() != '\0');
		return;
	}
	check_shares(&plan, &facts);
	check_merge(&plan, &facts);
	gs_plan_estimate(&plan, &facts, &estimate);
	FUZZ_MUST(estimate.runs <= 1 || plan.spills || plan.head_keys > 0 ||
	          plan.device == GSORT_DEVICE_GPU || facts.operation == GSORT_MERGE);
	FUZZ_MUST(estimate.disk_bytes <= estimate.written_bytes);
}
