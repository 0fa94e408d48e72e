// SPDX-License-Identifier: BSD-2-Clause
/*
 * plan.c - from what is known to every size
 *
 * Where to sort is a race that can be computed.  The CPU sorts at a rate in
 * proportion to its threads; a GPU sorts faster than its bus delivers, but must
 * be opened first.  Reading a file takes less than that; a pipe hides it.
 */
#include <assert.h>
#include <stdio.h>

#include "format/text.h"
#include "job/plan.h"

#define KIB	((size_t)1 << 10)
#define MIB	((size_t)1 << 20)

/*
 * Bytes of keys, for each thread of the CPU, from which a GPU is opened.  Seconds of
 * the whole process, cpu against gpu, median of 3, H200 host, files in memory:
 *
 *                  file to file                pipe to file
 *     u32          16 threads    4 threads     16 threads    4 threads
 *      512 MiB     0.27  0.51    0.47  0.54    0.47  0.59    0.77  0.66
 *     1024 MiB     0.66  0.82    1.12  0.77    1.23  1.13    1.59  1.12
 *     2048 MiB     1.44  1.27    2.11  1.10    2.59  2.02    3.27  2.03
 *
 * (u64 crosses at the same bytes.)  So a file pays from about 1.7 GiB with 16
 * threads and 0.55 GiB with 4.  A pipe pays from 0.8 and 0.4 GiB, for it hides the
 * 0.27 s of opening; it must begin that long before, when 0.7 GiB less have come.
 */
#define FILE_CROSSOVER_BYTES	(112 * MIB)
#define PIPE_CROSSOVER_BYTES	(16 * MIB)

enum { MOST_THREADS = 16 };

/*
 * Addresses that each thread may have its share of: two stacks of 8 MiB, as text is read
 * and parsed by a team each, and what the plan multiplies by threads.  Without room for
 * a stack OpenMP ends the program.
 */
#define THREAD_BYTES		(64 * MIB)

/*
 * A tile is what crosses the bus at once: large enough that its copy (16 MiB:
 * 0.3 ms at 55 GB/s) hides the cost of asking for it, small enough that the
 * pinned ring is quick to allocate (28 ms for 64 MiB).
 */
#define TILE_BYTES		(16 * MIB)
#define LEAST_TILE_BYTES	(64 * KIB)

/* Keys that are held in any case before all but the first are forgotten: 8 MiB at
 * most, sorted in some ms.  Not tuned. */
#define LEAST_HEAD_KEYS		((uint64_t)1 << 20)

/* A stack; the pipeline has three threads, and reads and parses with a team each. */
#define STACK_BYTES		(8 * MIB)

/* Chunks of text, the decoder's arrays and what is printed: 48, 46 and 21 MiB at most. */
#define TEXT_BYTES		(128 * MIB)

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static size_t
power_of_two_from(uint64_t bytes)
{
	size_t power = 1;

	while (power < bytes)
		power *= 2;
	return power;
}

static unsigned
threads(const struct gs_facts *facts)
{
	uint64_t threads = least(facts->cores, MOST_THREADS);

	if (facts->threads > 0)
		threads = facts->threads;
	threads = least(threads, facts->address_bytes / THREAD_BYTES);
	return threads > 0 ? (unsigned)threads : 1;
}

static void
set_streams(struct gs_plan *plan, const struct gs_facts *facts)
{
	if (facts->key_bits >= 32)
		plan->stream_bits[0] = facts->key_bits;
	if (facts->key_bits == 0) {
		plan->stream_bits[GS_NEG_WIDE]   = plan->stream_bits[GS_POS_WIDE]   = 64;
		plan->stream_bits[GS_NEG_NARROW] = plan->stream_bits[GS_POS_NARROW] = 32;
	}
	plan->counts = facts->key_bits == 8 || facts->key_bits == 16;
}

static gs_status
choose_device(struct gs_plan *plan, const struct gs_facts *facts)
{
	const uint64_t file_from = (uint64_t)FILE_CROSSOVER_BYTES * plan->threads;
	const uint64_t pipe_from = (uint64_t)PIPE_CROSSOVER_BYTES * plan->threads;
	/* A line of text is two to three times as long as its key. */
	const uint64_t known_bytes = facts->key_bits == 0 ? facts->input_bytes / 3
	                                                  : facts->input_bytes;

	plan->gpu_from_bytes = plan->gpu_wait_bytes = GS_NEVER;
	if (facts->device == GSORT_DEVICE_CPU || plan->counts)
		return GS_OK;
	if (!facts->gpu_built)
		return facts->device == GSORT_DEVICE_AUTO ? GS_OK :
		       gs_fail(GS_ENODEV, "this gsort was built without a GPU backend; "
		               "use --device=cpu, or build it where nvcc is");
	if (facts->device == GSORT_DEVICE_GPU) {
		plan->gpu_from_bytes = plan->gpu_wait_bytes = 0;
	} else if (facts->input_bytes == UINT64_MAX) {
		plan->gpu_from_bytes = pipe_from;
		plan->gpu_wait_bytes = file_from;
	} else if (known_bytes >= file_from) {
		plan->gpu_from_bytes = plan->gpu_wait_bytes = 0;
	}
	return GS_OK;
}

/* Tiles of a small job, or for a small part of a GPU, are small themselves. */
static void
set_tiles(struct gs_plan *plan, const struct gs_facts *facts)
{
	plan->tile_bytes = TILE_BYTES;
	if (facts->input_bytes < TILE_BYTES)
		plan->tile_bytes = power_of_two_from(facts->input_bytes);
	while (facts->gpu_memory_bytes > 0 && plan->tile_bytes > facts->gpu_memory_bytes / 8)
		plan->tile_bytes /= 2;
	if (plan->tile_bytes < LEAST_TILE_BYTES)
		plan->tile_bytes = LEAST_TILE_BYTES;
	/* One fills, one crosses the bus, one waits; and each stream of text fills its own. */
	plan->ring_tiles = facts->key_bits == 0 ? GS_STREAMS + 1 : 4;
}

/*
 * Address space: as much as the input could need, a file may still grow, but
 * never more than memory; less where addresses themselves are limited.
 */
static void
set_shelves(struct gs_plan *plan, const struct gs_facts *facts)
{
	uint64_t bytes = facts->host_bytes, addresses = facts->address_bytes;
	unsigned streams = 0;

	for (unsigned s = 0; s < GS_STREAMS; s++)
		streams += plan->stream_bits[s] > 0;
	if (streams == 0)
		return;
	if (facts->input_bytes < UINT64_MAX / 4)	/* text: 7 bytes "-32769\n" hold 8 of keys at most */
		bytes = least(bytes, 2 * facts->input_bytes + 16 * plan->tile_bytes);
	addresses -= least(addresses, (3 + 2 * plan->threads) * STACK_BYTES +
	                              (facts->key_bits == 0 ? TEXT_BYTES : 0));
	addresses /= 4 * streams;
	while (plan->tile_bytes > addresses && plan->tile_bytes > LEAST_TILE_BYTES)
		plan->tile_bytes /= 2;
	bytes = least(bytes, addresses);
	plan->shelf_bytes = bytes - bytes % plan->tile_bytes;
	plan->run_bytes = least(plan->shelf_bytes, facts->host_bytes);
	plan->sort_bytes = least(plan->shelf_bytes, facts->host_bytes / 2);
}

/*
 * Where only the first keys are wanted, when to forget the others.  With 4 times as
 * many a sort is amortized over 3 times as many that have passed; if not even twice
 * as many fit, the job is a job like any other, and only its output is cut.
 */
static void
set_head(struct gs_plan *plan, const struct gs_facts *facts)
{
	const uint64_t tiles_bytes = GS_STREAMS * plan->tile_bytes;
	const uint64_t room_keys = plan->sort_bytes < tiles_bytes ? 0 :
	                           (plan->sort_bytes - tiles_bytes) / sizeof(uint64_t);

	if (!facts->heads || facts->device == GSORT_DEVICE_GPU || facts->head_count > room_keys / 2)
		return;
	plan->head_keys = facts->head_count > LEAST_HEAD_KEYS / 4 ? 4 * facts->head_count
	                                                          : LEAST_HEAD_KEYS;
	plan->head_keys = least(plan->head_keys, room_keys);
	if (plan->head_keys > 0)
		plan->gpu_from_bytes = plan->gpu_wait_bytes = GS_NEVER;
}

static gs_status
check_budget(const struct gs_plan *plan, const struct gs_facts *facts)
{
	if (plan->counts || plan->head_keys > 0)
		return GS_OK;
	if (plan->shelf_bytes < plan->tile_bytes)
		return gs_fail(GS_EBUDGET, "only %llu MiB of memory can be had; gsort needs 256 MiB "
		               "and twice the size of the input",
		               (unsigned long long)(least(facts->host_bytes, facts->address_bytes) / MIB));
	if (facts->key_bits > 0 && facts->input_bytes != UINT64_MAX &&
	    plan->gpu_from_bytes == GS_NEVER && facts->input_bytes > facts->host_bytes / 2)
		return gs_fail(GS_EBUDGET, "the input of %llu MiB needs %llu MiB of memory, but only "
		               "%llu MiB can be had; use sort(1), or sort it in parts",
		               (unsigned long long)(facts->input_bytes / MIB),
		               (unsigned long long)(facts->input_bytes / MIB * 2),
		               (unsigned long long)(facts->host_bytes / MIB));
	return GS_OK;
}

gs_status
gs_plan_make(struct gs_plan *plan, const struct gs_facts *facts)
{
	*plan = (struct gs_plan){ .threads = threads(facts) };
	set_streams(plan, facts);
	TRY(choose_device(plan, facts));
	set_tiles(plan, facts);
	set_shelves(plan, facts);
	set_head(plan, facts);
	if (facts->key_bits == 0)
		plan->chunk_bytes = facts->input_bytes < 8 * MIB ? 1 * MIB : 16 * MIB;
	plan->print_keys = 512 * KIB;
	assert(plan->tile_bytes % LEAST_TILE_BYTES == 0);
	assert(plan->sort_bytes <= plan->shelf_bytes || plan->counts);
	return check_budget(plan, facts);
}

uint64_t
gs_plan_shelves_bytes(const struct gs_plan *plan)
{
	uint64_t bytes = 0;

	for (unsigned s = 0; s < GS_STREAMS; s++)
		if (plan->stream_bits[s] > 0)
			bytes += 2 * (uint64_t)plan->shelf_bytes;
	return bytes;
}
