// SPDX-License-Identifier: BSD-2-Clause
/*
 * plan.c - every size of a job
 *
 * In:   facts about the input, the machine and the user's limits (plan/plan.h).
 * Out:  a plan, or the reason why the limits are too small.
 *
 * set_buffers() divides memory: the program itself, buffers, and the pool, which gets all the
 * rest.  While keys are read, the pool holds them; after they have become runs, the merge uses it.
 */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/round.h"
#include "base/team.h"
#include "plan/plan.h"
#include "sort/buckets/batch.h"

#define KIB	((size_t)1 << 10)
#define MIB	((size_t)1 << 20)

/*
 * More threads than 16 make sorts to a file no faster, and small ones slower.  Seconds of wall (and of
 * processors), 32 cores of a Xeon, median of 4 (bench/results/h100-2026-11-26/threads.txt):
 *
 *                                 8 threads        16             24             32
 *      2^23 u32, to a file        0.022 (0.11)   0.021 (0.17)   0.025 (0.28)   0.027 (0.36)
 *      2^29 u32, to a file        0.870 (6.05)   0.717 (6.91)   0.741 (8.44)   0.750 (9.42)
 *      2^29 u32, to /dev/null     0.730 (5.33)   0.440 (6.37)   0.360 (7.64)   0.323 (8.62)
 *      2^28 u64, to /dev/null     0.551 (4.01)   0.325 (4.67)   0.292 (5.95)   0.261 (6.72)
 *      2^24 lines of CSV, a file  0.437 (2.50)   0.336 (2.72)   0.313 (3.04)   0.319 (3.43)
 *
 * More than 32 were not measured.
 */
enum { MOST_THREADS = 64 };
#define MANY_FROM_BYTES	((uint64_t)1 << 30)

/* Addresses of a thread: a stack, malloc(3)'s arena, and what the plan multiplies by threads. */
#define THREAD_ADDRESSES	(64 * MIB)

/*
 * A staging buffer crosses the bus at once.  It is so large that its copy (16 MiB: 0.3 ms at
 * 55 GB/s) hides the cost of the call, and so small that the pinned ring is touched (7 ms for
 * 64 MiB) while the context is created.
 */
#define STAGING_BYTES		(16 * MIB)
#define LEAST_STAGING_BYTES	(64 * KIB)

/* Several files are written at once, each from a staging buffer: more of them, and smaller ones.
 * Not tuned. */
#define SPLIT_STAGING_BYTES	(8 * MIB)
enum { SPLIT_RING = 20 };

/* The head is trimmed only when the batch has at least this many keys: 8 MiB at most, sorted in
 * some ms.  Not tuned. */
#define LEAST_HEAD_KEYS		((uint64_t)1 << 20)

/*
 * One thread reads a piece of input, maps its keys and puts them into buckets; the piece should
 * stay in the second-level cache.  2^26 u32 from file and pipe until all are in buckets, two cores of
 * an EPYC 9005, least of 5: 128 KiB 0.19 and 0.27 s, 256 KiB 0.20 and 0.27 s, 512 KiB 0.20
 * and 0.26 s.  One thread sorts a part, with as much scratch; not tuned.
 */
#define LEAST_PIECE_BYTES	(64 * KIB)
#define MOST_PIECE_BYTES	(256 * KIB)
#define PIECES_BYTES		(4 * MIB)	/* of all threads */
#define MOST_PART_TEXT_BYTES	(1 * MIB)	/* its lines take 5 times as much */

/*
 * Decompression by several threads: a block of xz -6 -T0 has 24 MiB, and needs its compressed
 * bytes and 8 MiB of dictionary in memory; a frame of pzstd has 8 MiB.  If memory does not suffice
 * for two, one thread decompresses.
 */
#define INFLATE_THREAD_BYTES	(64 * MIB)
#define INFLATE_LEAST_BYTES	(16 * MIB)

/* Decompression takes 9 MiB after xz -6 and zstd -19, 65 MiB after xz -9, 2 GiB after zstd
 * --long=31. */
#define WINDOW_LEAST_BYTES	(12 * MIB)
#define WINDOW_MOST_BYTES	(4096 * MIB + 64 * MIB)
#define WINDOW_TWELFTHS	8	/* of what there is, or as many as leave enough for keys */

/* Addresses of a stack.  The pipeline has three threads.  Workers need less, but malloc(3) reserves
 * addresses for them, too. */
#define STACK_BYTES		(8 * MIB)

/*
 * Memory.  The program itself, when it sorts ten keys, takes 7.1 MiB, most of it libraries (Debian
 * 12, x86-64).  A thread takes its stack, with the lines and sums of a partition, and its malloc(3)
 * arena.
 */
#define PROGRAM_BYTES		(9 * MIB)
#define THREAD_BYTES		(256 * KIB)

/* The merge's part of the pool while runs of a GPU's batches fill the rest.  Not tuned. */
#define GPU_MERGE_BYTES		(256 * MIB)

/* No job needs more address space than this. */
#define ADDRESSES_MOST		(1024 * MIB)

/* The minimum of -S in the manual. */
#define LEAST_BYTES		(16 * MIB)
#define LEAST_SORT_BYTES	(320 * KIB)	/* the keys of any chunk of text */

/* What is kept beside the keys in the least memory, too: sums of each thread, a few values, 64 files of
 * --split. */
#define LITTLE_BYTES		(2 * MIB)

/* A file may grow while it is read.  If it grows by less than this, it needs no disk. */
#define SPARE_BYTES		(64 * MIB)

static void
take_from(uint64_t *left, uint64_t bytes)
{
	*left -= gs_least(*left, bytes);
}

static size_t
power_of_two_from(uint64_t bytes)
{
	size_t power = 1;

	while (power < bytes)
		power *= 2;
	return power;
}

static size_t
power_of_two_to(uint64_t bytes)
{
	return power_of_two_from(bytes / 2 + 1);
}

static bool
uses_gpu(const struct gs_plan *plan)
{
	return plan->device == GSORT_DEVICE_GPU;
}

/* The largest size of the input, unless it grows. */
static uint64_t
input_bytes_most(const struct gs_plan_input *input)
{
	return input->guessed ? UINT64_MAX : input->input_bytes;
}

/* The most bytes of keys that BYTES of input can have. */
static uint64_t
key_bytes_of(const struct gs_plan_input *input, uint64_t bytes)
{
	if (input->key_bits > 0 || bytes > UINT64_MAX / 8)
		return bytes;
	if (input->type == GSORT_TEXT_FLOAT)	/* "0\n" */
		return bytes / 2 * 8 + 8;
	return bytes / 11 * 8 + 16;	/* "4294967296\n"; "65536\n" is not worse */
}

static uint64_t
key_bytes_most(const struct gs_plan_input *input)
{
	return key_bytes_of(input, input_bytes_most(input));
}

/* With --head, the keys that are kept, if memory has room for them. */
static uint64_t
head_keys_wanted(const struct gs_plan_input *input)
{
	return input->head_count > LEAST_HEAD_KEYS / 4 ? 4 * input->head_count : LEAST_HEAD_KEYS;
}

/* ---- memory ---------------------------------------------------------------- */

/* A limit of the user that is too small for any job is raised; a note reports it. */
static void
set_budget(struct gs_plan *plan, const struct gs_plan_input *input)
{
	uint64_t need = LEAST_BYTES + (input->memory_grows ? input->overhead_bytes : 0);

	if (input->device == GSORT_DEVICE_GPU)
		need += gs_plan_cuda_bytes() + 8 * LEAST_STAGING_BYTES;
	plan->host_bytes = input->host_bytes;
	if (input->memory_bytes > 0)
		plan->host_bytes = gs_least(gs_within(need, input->memory_bytes, UINT64_MAX),
		                            plan->host_bytes);
}

unsigned
gs_plan_threads_most(const struct gs_plan_input *input)
{
	const bool many = !input->to_file && input->input_bytes != UINT64_MAX &&
	                  input->input_bytes >= MANY_FROM_BYTES;

	if (input->threads > 0)
		return (unsigned)gs_least(input->threads, GS_TEAM_MAX);
	return (unsigned)gs_least(input->cores, many ? MOST_THREADS : GS_USEFUL_THREADS);
}

/* A small job, or a small limit of GPU memory, has small staging buffers. */
static void
set_staging(struct gs_plan *plan, const struct gs_plan_input *input)
{
	uint64_t bytes = plan->host_bytes;

	if (uses_gpu(plan))
		take_from(&bytes, gs_plan_cuda_bytes());
	/* One is filled, one crosses the bus, one waits; each key class of text fills one of its own. */
	plan->ring_buffers = input->key_bits == 0 ? GS_CLASSES + 1 : 4;
	plan->staging_bytes = STAGING_BYTES;
	if (input->split > 1 && input->key_bits > 0) {
		plan->ring_buffers = SPLIT_RING;
		plan->staging_bytes = SPLIT_STAGING_BYTES;
	}
	if (input_bytes_most(input) < plan->staging_bytes)
		plan->staging_bytes = power_of_two_from(input->input_bytes);
	while (input->gpu_memory_bytes > 0 && plan->staging_bytes > input->gpu_memory_bytes / 8)
		plan->staging_bytes /= 2;
	while (plan->staging_bytes > bytes / 64)
		plan->staging_bytes /= 2;
	if (plan->staging_bytes < LEAST_STAGING_BYTES)
		plan->staging_bytes = LEAST_STAGING_BYTES;
}

static void
set_text(struct gs_plan *plan, const struct gs_plan_input *input, uint64_t *left)
{
	const uint64_t most = input_bytes_most(input) < 8 * MIB ? 1 * MIB
	                      : gs_within(4 * MIB, plan->threads * (MIB / 2), 16 * MIB);
	uint64_t share = *left / 64;

	if (input->operation == GSORT_MERGE) {
		/* of 200 inputs of 0.8 MB, each with 1 MiB, 0.3 of 0.9 s was spent on clearing pages */
		share = gs_least(share, 32 * MIB) / gs_within(1, input->input_count, GS_FAN_IN_MOST);
		share = gs_within(input->reader_least_bytes, share, input->reader_most_bytes);
		plan->source_bytes = gs_round_up(share, 4096);
		return;
	}
	plan->chunk_bytes = gs_within(64 * KIB, share, most);
	plan->chunk_bytes -= plan->chunk_bytes % (64 * KIB);
	take_from(left, input->ahead_chunks * plan->chunk_bytes +
	                input->decoder_bytes(input, plan->chunk_bytes, plan->threads));
}

/* Buffers of all threads: at most a sixteenth of memory for reading, and one for sorting. */
static void
set_pieces(struct gs_plan *plan, const struct gs_plan_input *input, uint64_t *left)
{
	const size_t key_bytes = input->key_bits == 64 || input->type == GSORT_TEXT_FLOAT ? 8 : 4;
	const size_t print_bytes = input->print_bytes / 2 / key_bytes;	/* for each of keys, and more */
	const unsigned slots = gs_batch_slots(plan->threads), classes = gs_class_count(plan->class_bits);
	const uint64_t most = input->print_bytes > 0 ? MOST_PART_TEXT_BYTES : GS_PART_MOST_BYTES;
	const uint64_t shares = slots + plan->threads + slots * (print_bytes + 1);
	const uint64_t pieces = gs_least(*left / 16, PIECES_BYTES);
	uint64_t part_bytes, at_once = GS_PLAN_UNKNOWN_BYTES;	/* bytes of keys in memory, about */

	if (input->operation != GSORT_SORT || (classes == 0 && !plan->by_counting))
		return;		/* the store of items has pieces of its own */
	if (input->key_bits > 0)
		plan->piece_bytes = power_of_two_to(gs_within(LEAST_PIECE_BYTES, pieces / plan->threads,
		                                              MOST_PIECE_BYTES));
	take_from(left, plan->threads * plan->piece_bytes);
	if (classes == 0)
		return;
	part_bytes = power_of_two_to(gs_within(GS_PART_LEAST_BYTES, *left / 16 / shares, most));
	if (input->input_bytes < UINT64_MAX)
		at_once = key_bytes_of(input, input->input_bytes);
	if (input->heads && input->head_count < UINT64_MAX / 64)
		at_once = gs_least(at_once, head_keys_wanted(input) * (input->key_bits == 32 ? 4 : 8) +
		                            GS_HEAD_ROUND_BYTES);
	plan->buckets = gs_buckets_choose(plan->threads, classes, *left, at_once, part_bytes);
	plan->part_print_bytes = plan->buckets.part_bytes / key_bytes * (input->print_bytes / 2);
	take_from(left, (slots + plan->threads) * plan->buckets.part_bytes +
	                slots * plan->part_print_bytes);
}

/* Everything but the keys and the buffers of the merge.  Decompression has TWELFTHS of a twelfth. */
static void
set_buffers(struct gs_plan *plan, const struct gs_plan_input *input, unsigned twelfths)
{
	const uint64_t carvings = 2 * gs_class_count(plan->class_bits) + 6;
	const bool text = input->key_bits == 0;
	uint64_t left = plan->host_bytes;

	take_from(&left, PROGRAM_BYTES + plan->threads * THREAD_BYTES + input->overhead_bytes);
	if (uses_gpu(plan))
		take_from(&left, gs_plan_cuda_bytes() + plan->ring_buffers * plan->staging_bytes);
	plan->huge_pages = gs_arena_round(1) * carvings <= left / 16;
	if (plan->huge_pages)
		take_from(&left, gs_arena_round(1) * carvings);
	plan->inflate_bytes = gs_least(left / 16, plan->threads * INFLATE_THREAD_BYTES);
	if (!input->compressed || plan->threads == 1 || plan->inflate_bytes < INFLATE_LEAST_BYTES)
		plan->inflate_bytes = 0;
	take_from(&left, plan->inflate_bytes);
	plan->window_bytes = gs_within(WINDOW_LEAST_BYTES, input->operation == GSORT_MERGE
		? plan->host_bytes / 2 / gs_within(1, input->input_count, GS_FAN_IN_MOST)
		: plan->host_bytes / 4, WINDOW_MOST_BYTES);
	if (input->operation == GSORT_SORT)
		take_from(&left, gs_least(gs_within(WINDOW_LEAST_BYTES, left / 4, plan->window_bytes),
		                          left / 12 * twelfths));
	if (text)
		set_text(plan, input, &left);
	plan->print_keys = 512 * KIB;
	if (input->print_bytes > 0) {
		plan->print_keys = gs_within(4 * KIB, left / 16 / input->print_bytes, plan->print_keys);
		take_from(&left, plan->print_keys * input->print_bytes);
	}
	plan->count_bytes = 0;
	if (plan->by_counting || text)
		plan->count_bytes = gs_within(64 * KIB, left / 16, plan->staging_bytes) / 4096 * 4096;
	take_from(&left, plan->count_bytes);
	set_pieces(plan, input, &left);
	plan->spill_bytes = gs_within(256 * KIB, left / 16, 8 * MIB) / 4096 * 4096;
	take_from(&left, plan->spill_bytes);
	plan->pool_bytes = left;
}

/* Bytes of the pool that may be lost in blocks that are not full, for all key classes. */
static uint64_t
reserve(const struct gs_plan *plan, uint64_t bytes)
{
	return gs_buckets_reserve_once(&plan->buckets, bytes) +
	       gs_class_count(plan->class_bits) * gs_buckets_reserve(&plan->buckets, bytes);
}

/*
 * Address space: what the input could need, because a file may still grow, but never more than
 * memory; less where addresses are limited.
 */
static void
set_batch(struct gs_plan *plan, const struct gs_plan_input *input)
{
	uint64_t bytes = plan->pool_bytes, addresses = input->address_bytes;
	const unsigned classes = gs_class_count(plan->class_bits);

	if (classes == 0) {	/* items, or keys that are counted */
		plan->spills = !plan->by_counting && input_bytes_most(input) > plan->pool_bytes / 4 * 3;
		return;
	}
	take_from(&addresses, (3 + 2 * plan->threads) * STACK_BYTES +
	                      plan->host_bytes - plan->pool_bytes);
	plan->merge_bytes = gs_least(plan->pool_bytes, addresses / 4);
	if (uses_gpu(plan))
		plan->merge_bytes = gs_least(plan->merge_bytes / 4, GPU_MERGE_BYTES);
	if (input->operation != GSORT_SORT)
		return;
	if (uses_gpu(plan)) {
		/* Host memory beside a GPU holds sorted runs, if there are several batches. */
		plan->resident_bytes = gs_least(plan->pool_bytes - plan->merge_bytes, addresses / 4);
		plan->spills = key_bytes_most(input) > plan->resident_bytes;
		return;
	}
	/* Block table and lists; the lists are mostly untouched. */
	take_from(&bytes, gs_pool_bytes(bytes, plan->buckets.block_bytes) + bytes / 64);
	if (key_bytes_most(input) < UINT64_MAX / 4)
		bytes = gs_least(bytes, key_bytes_most(input) + SPARE_BYTES + reserve(plan, bytes));
	bytes = gs_least(bytes, addresses / 2);
	plan->batch_bytes = bytes - bytes % (plan->huge_pages ? 2 * MIB : 64 * KIB);
	plan->sort_bytes = plan->batch_bytes;
	take_from(&plan->sort_bytes, reserve(plan, plan->batch_bytes));
	plan->spills = key_bytes_most(input) > plan->sort_bytes;
}

/* Windows of smaller inputs, which are mostly empty, are in small pages: 65,536 inputs of three
 * numbers, 4096 at once, took 4.3 GB in huge pages, and take 132 MB. */
enum { SMALL_INPUT_BYTES = 512 << 10 };

/* ---- all of it -------------------------------------------------------------- */

static gs_status
make_once(struct gs_plan *plan, const struct gs_plan_input *input, unsigned twelfths)
{
	uint64_t bytes, round_bytes, room_keys;
	bool lacks;	/* of a merge or a sort */

	*plan = (struct gs_plan){
		.threads = 1, .by_counting = input->key_bits == 8 || input->key_bits == 16,
	};
	memcpy(plan->class_bits, input->class_bits, sizeof plan->class_bits);
	set_budget(plan, input);
	/* Little memory means few threads: each has tables of its own. */
	bytes = plan->host_bytes;
	take_from(&bytes, input->overhead_bytes);
	if (input->device == GSORT_DEVICE_GPU)
		take_from(&bytes, gs_plan_cuda_bytes());
	plan->threads = (unsigned)gs_within(1, gs_least(input->address_bytes / THREAD_ADDRESSES,
	                                                bytes / (LEAST_BYTES / 2)),
	                                    gs_plan_threads_most(input));
	TRY(gs_plan_choose_device(plan, input));
	set_staging(plan, input);
	set_buffers(plan, input, twelfths);
	set_batch(plan, input);
	plan->most_runs = gs_within(256, plan->host_bytes / (4 * KIB), 64 * KIB);
	if (plan->most_runs < input->input_count)
		plan->most_runs = input->input_count;
	plan->fan_in = gs_plan_fan_in(input, plan->threads, plan->source_bytes, plan->merge_bytes);
	if (input->operation == GSORT_MERGE) {
		plan->fan_in = gs_plan_fan_in_of_files(input, plan->fan_in);
		plan->spills = input->input_count > plan->fan_in;
		plan->fan_in = gs_least(plan->fan_in, gs_within(2, input->input_count, GS_FAN_IN_MOST));
		if (input->input_bytes / gs_within(1, input->input_count, SIZE_MAX) < SMALL_INPUT_BYTES)
			plan->huge_pages = false;
		plan->merge_bytes -= gs_least(plan->merge_bytes, plan->fan_in * plan->source_bytes);
	}
	/*
	 * With --head=K, the number of keys at which all but the first K are dropped.  With 4 K keys, the
	 * cost of a trim is spread over 3 K keys.  If less than 3 K keys fit, nothing is dropped: the job
	 * sorts everything and writes the first K keys.  A round may bring more keys than the limit.
	 */
	round_bytes = gs_least(gs_within(plan->chunk_bytes, GS_HEAD_ROUND_BYTES, SIZE_MAX),
	                       plan->sort_bytes / 4);
	room_keys = (plan->sort_bytes - round_bytes) / sizeof(uint64_t);
	if (input->heads && !uses_gpu(plan) && input->head_count <= room_keys / 3 &&
	    gs_class_count(plan->class_bits) > 0) {
		plan->head_keys = gs_least(head_keys_wanted(input), room_keys - input->head_count);
		if (plan->head_keys > 0)
			plan->spills = false;
	}
	lacks = (input->operation == GSORT_MERGE &&
	         plan->merge_bytes < gs_plan_merge_least(plan->fan_in, plan->threads)) ||
	        (input->operation == GSORT_SORT && !uses_gpu(plan) && plan->sort_bytes < LEAST_SORT_BYTES);
	if (plan->host_bytes < LEAST_BYTES || (gs_class_count(plan->class_bits) > 0 && lacks))
		return GS_EBUDGET;
	assert(plan->staging_bytes % LEAST_STAGING_BYTES == 0);
	assert(plan->sort_bytes <= plan->pool_bytes && plan->pool_bytes < plan->host_bytes);
	return GS_OK;
}

/*
 * By fewer threads if their buffers leave too little for keys.  Windows may be small, so if they take
 * too much, they get less.
 */
static gs_status
make(struct gs_plan *plan, const struct gs_plan_input *input)
{
	struct gs_plan_input fewer = *input;
	unsigned twelfths = input->large_window ? WINDOW_TWELFTHS : 0;
	gs_status status = make_once(plan, input, twelfths);

	while (status == GS_EBUDGET && plan->threads > 1) {
		fewer.threads = plan->threads - 1;
		status = make_once(plan, &fewer, twelfths);
	}
	while (status == GS_EBUDGET && twelfths > 0)
		status = make_once(plan, &fewer, --twelfths);
	return status;
}

gs_status
gs_plan_make(struct gs_plan *plan, const struct gs_plan_input *input)
{
	uint64_t need = LEAST_BYTES + input->overhead_bytes;
	struct gs_plan_input more = *input;
	struct gs_plan tried;
	gs_status status;

	set_budget(plan, input);
	/* What is kept beside the sort may need more than there is. */
	if (input->overhead_bytes > LITTLE_BYTES && need > plan->host_bytes) {
		if (input->window_bytes > 0)	/* an eighth of the limit, or the least */
			need += input->window_bytes > need / 7 ? input->window_bytes : need / 7 + 1;
		if (input->shares > 1)
			need *= input->shares;
		return gs_fail(GS_EBUDGET, "%llu MiB of memory are not enough for %s: gsort needs -S %lluM",
		               (unsigned long long)(plan->host_bytes / MIB), input->beside_what,
		               (unsigned long long)((need + MIB - 1) / MIB));
	}
	status = make(plan, input);
	if (status != GS_EBUDGET)
		return status;
	more.address_bytes = 0;		/* the least address space that will do for this job */
	do
		more.address_bytes += 4 * MIB;
	while (more.address_bytes < ADDRESSES_MOST && make(&tried, &more) != GS_OK);
	if (more.address_bytes > input->address_bytes && more.address_bytes < ADDRESSES_MOST)
		return gs_fail(status, "only %llu MiB of address space are available; gsort needs %llu MiB "
		               "(see ulimit -v)", (unsigned long long)(input->address_bytes / MIB),
		               (unsigned long long)(more.address_bytes / MIB));
	return gs_fail(status, "only %llu MiB of memory are available; gsort needs 16 MiB",
	               (unsigned long long)(plan->host_bytes / MIB));
}
