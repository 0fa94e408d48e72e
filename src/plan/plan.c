// SPDX-License-Identifier: BSD-2-Clause
/*
 * plan.c - from what is known to every size
 *
 * Where to sort is a race that can be computed.  The CPU sorts at a rate in
 * proportion to its threads; a GPU sorts faster than its bus delivers, but must
 * be opened first.  Reading a file takes less than that; a pipe hides it.
 *
 * Memory is shared out in one place, set_buffers(): what the program itself needs, a
 * few small shares for buffers, and the pool, all the rest.  While keys come, the pool
 * is theirs; when they have been set aside, it is the merge's.
 */
#include <assert.h>
#include <stdio.h>

#include "base/arena.h"
#include "format/line_reader.h"
#include "format/text_decoder.h"
#include "io/ahead.h"
#include "plan/device.h"
#include "plan/plan.h"
#include "sort/buckets/batch.h"
#include "spill/external_merge.h"

#define KIB	((size_t)1 << 10)
#define MIB	((size_t)1 << 20)

enum { MOST_THREADS = 16 };

/*
 * Addresses that each thread may have its share of: a stack, what malloc(3) keeps
 * for it, and what the plan multiplies by threads.
 */
#define THREAD_ADDRESSES	(64 * MIB)

/*
 * A tile is what crosses the bus at once: large enough that its copy (16 MiB:
 * 0.3 ms at 55 GB/s) hides the cost of asking for it, small enough that the
 * pinned ring is touched (7 ms for 64 MiB) while the context is being made.
 */
#define TILE_BYTES		(16 * MIB)
#define LEAST_TILE_BYTES	(64 * KIB)

/* Keys that are held in any case before all but the first are forgotten: 8 MiB at
 * most, sorted in some ms.  Not tuned. */
#define LEAST_HEAD_KEYS		((uint64_t)1 << 20)

/*
 * A piece of input is read, mapped and put into buckets by one thread, and should stay in
 * its second-level cache.  2^26 u32 from file and pipe until all are in buckets, two cores of
 * an EPYC 9005, least of 5: 128 KiB 0.19 and 0.27 s, 256 KiB 0.20 and 0.27 s, 512 KiB 0.20
 * and 0.26 s.  A part of the keys is sorted by one thread, with as much scratch; not tuned.
 */
#define LEAST_PIECE_BYTES	(64 * KIB)
#define MOST_PIECE_BYTES	(256 * KIB)
#define LEAST_PART_BYTES	(16 * KIB)
#define MOST_PART_TEXT_BYTES	(1 * MIB)	/* its lines take 5 times as much */

/*
 * Decompression in parallel: a block of xz -6 -T0 is 24 MiB, in memory with its compressed
 * bytes and 8 MiB of dictionary; a frame of pzstd is 8 MiB.  Too little for two: one thread.
 */
#define INFLATE_THREAD_BYTES	(64 * MIB)
#define INFLATE_LEAST_BYTES	(16 * MIB)

/* To decompress what xz -6 and zstd -19 wrote takes 9 MiB; xz -9 65, zstd --long=31 2 GiB. */
#define WINDOW_LEAST_BYTES	(12 * MIB)
#define WINDOW_MOST_BYTES	(4096 * MIB + 64 * MIB)

/* A stack; the pipeline has three threads.  Those of teams need less, but malloc(3) reserves
 * addresses for them, too. */
#define STACK_BYTES		(8 * MIB)

/*
 * Memory.  The program itself, sorting ten keys: 7.1 MiB, most of it libraries (Debian
 * 12, x86-64).  A thread: lines and sums of a partition on its stack, and what the
 * heap keeps for it.
 */
#define PROGRAM_BYTES		(9 * MIB)
#define THREAD_BYTES		(256 * KIB)

/* Of the pool, what merging may have while a GPU's batches fill it.  Not tuned. */
#define GPU_MERGE_BYTES		(256 * MIB)

/* What gsort can do with, and says so in its manual. */
#define LEAST_BYTES		(16 * MIB)
#define LEAST_SORT_BYTES	(320 * KIB)	/* the keys of a chunk of text, whatever they are */

/* A file may grow while it is being read; a little is no reason to go to disk. */
#define SPARE_BYTES		(64 * MIB)

/*
 * What is read at once from each run: a disk with heads reads 256 KiB in the time
 * it takes to seek once.  Where that allows but few runs at a time, less.  Not tuned.
 */
#define SEEK_BYTES		(256 * KIB)
#define NO_SEEK_BYTES		(64 * KIB)	/* what gather takes at least */
enum { FEW_RUNS = 16, MOST_FAN_IN = 4096 };

/* Files that are open whatever is merged: streams, output, temporary files.  Not tuned. */
enum { FILES_BESIDE = 24 };

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t
within(uint64_t low, uint64_t value, uint64_t high)
{
	return value < low ? low : least(value, high);
}

static void
take_from(uint64_t *left, uint64_t bytes)
{
	*left -= least(*left, bytes);
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

unsigned
gs_plan_classes(const struct gs_plan *plan)
{
	unsigned count = 0;

	for (unsigned s = 0; s < GS_CLASSES; s++)
		count += plan->class_bits[s] > 0;
	return count;
}

static bool
uses_gpu(const struct gs_plan *plan)
{
	return plan->device == GSORT_DEVICE_GPU;
}

/* What the input cannot be larger than, unless it grows. */
static uint64_t
input_bytes_most(const struct gs_plan_input *input)
{
	return input->guessed ? UINT64_MAX : input->input_bytes;
}

/* Most bytes of keys that it can become. */
static uint64_t
key_bytes_most(const struct gs_plan_input *input)
{
	const uint64_t bytes = input_bytes_most(input);

	if (input->key_bits > 0 || bytes > UINT64_MAX / 8)
		return bytes;
	if (input->type == GSORT_TEXT_FLOAT)	/* "0\n" */
		return bytes / 2 * 8 + 8;
	return bytes / 11 * 8 + 16;	/* "4294967296\n"; "65536\n" is no worse */
}

/* ---- memory, and who may use it ------------------------------------------- */

/* A limit of the user's that is too small for anything is raised: it is meant well. */
static void
set_budget(struct gs_plan *plan, const struct gs_plan_input *input)
{
	uint64_t need = LEAST_BYTES;

	if (input->device == GSORT_DEVICE_GPU)
		need += gs_plan_cuda_bytes() + 8 * LEAST_TILE_BYTES;
	plan->host_bytes = input->host_bytes;
	if (input->memory_bytes > 0)
		plan->host_bytes = least(within(need, input->memory_bytes, UINT64_MAX), plan->host_bytes);
}

/* With little memory, few threads: each has tables of its own. */
static void
set_threads(struct gs_plan *plan, const struct gs_plan_input *input)
{
	uint64_t threads = least(input->cores, MOST_THREADS), bytes = plan->host_bytes;

	if (input->threads > 0)
		threads = input->threads;
	threads = least(threads, input->address_bytes / THREAD_ADDRESSES);
	if (input->device == GSORT_DEVICE_GPU)
		take_from(&bytes, gs_plan_cuda_bytes());
	threads = least(threads, bytes / (LEAST_BYTES / 2));
	plan->threads = threads > 0 ? (unsigned)threads : 1;
}

static void
set_streams(struct gs_plan *plan, const struct gs_plan_input *input)
{
	if (input->key_bits >= 32)
		plan->class_bits[0] = input->key_bits;
	if (input->type == GSORT_TEXT_FLOAT) {
		plan->class_bits[GS_FLOATS] = 64;
	} else if (input->key_bits == 0) {
		plan->class_bits[GS_NEG_WIDE]   = plan->class_bits[GS_POS_WIDE]   = 64;
		plan->class_bits[GS_NEG_NARROW] = plan->class_bits[GS_POS_NARROW] = 32;
	}
	if (input->operation == GSORT_MERGE && input->type == GSORT_TEXT)
		plan->class_bits[GS_SMALL] = 32;	/* not counted: they come in order */
	plan->by_counting = input->key_bits == 8 || input->key_bits == 16;
}

static gs_status
choose_device(struct gs_plan *plan, const struct gs_plan_input *input)
{
	struct gs_device_choice choice;

	TRY(gs_plan_choose_device(&choice, input, plan->threads, plan->host_bytes));
	plan->device = choice.device;
	plan->device_rule = choice.rule;
	plan->peek_bytes = choice.peek_bytes;
	return GS_OK;
}

/* Tiles of a small job, or for a small part of a GPU, are small themselves. */
static void
set_tiles(struct gs_plan *plan, const struct gs_plan_input *input)
{
	uint64_t bytes = plan->host_bytes;

	if (uses_gpu(plan))
		take_from(&bytes, gs_plan_cuda_bytes());
	/* One fills, one crosses the bus, one waits; and each key class of text fills its own. */
	plan->ring_tiles = input->key_bits == 0 ? GS_CLASSES + 1 : 4;
	plan->tile_bytes = TILE_BYTES;
	if (input_bytes_most(input) < TILE_BYTES)
		plan->tile_bytes = power_of_two_from(input->input_bytes);
	while (input->gpu_memory_bytes > 0 && plan->tile_bytes > input->gpu_memory_bytes / 8)
		plan->tile_bytes /= 2;
	while (plan->tile_bytes > bytes / 64)
		plan->tile_bytes /= 2;
	if (plan->tile_bytes < LEAST_TILE_BYTES)
		plan->tile_bytes = LEAST_TILE_BYTES;
}

static void
set_text(struct gs_plan *plan, const struct gs_plan_input *input, uint64_t *left)
{
	const uint64_t most = input_bytes_most(input) < 8 * MIB ? 1 * MIB : 16 * MIB;
	const struct gs_text_options text = {
		.floats = input->type == GSORT_TEXT_FLOAT, .header_lines = input->headers,
	};
	uint64_t share = *left / 64;

	if (input->operation == GSORT_MERGE) {
		share /= within(1, input->input_count, MOST_FAN_IN);
		plan->source_bytes = (within(GS_LINE_READER_LEAST_BYTES, share, GS_LINE_READER_MOST_BYTES) +
		                      4095) / 4096 * 4096;
		return;
	}
	plan->chunk_bytes = within(64 * KIB, share, most);
	plan->chunk_bytes -= plan->chunk_bytes % (64 * KIB);
	take_from(left, GS_AHEAD_CHUNKS * plan->chunk_bytes +
	                gs_text_decoder_bytes(plan->chunk_bytes, plan->threads, &text));
	take_from(left, GS_SMALL_COUNT * sizeof(uint64_t));
}

/* Buffers of each thread, for reading and for sorting: at most a sixteenth each. */
static void
set_pieces(struct gs_plan *plan, const struct gs_plan_input *input, uint64_t *left)
{
	const size_t key_bytes = input->key_bits == 64 || input->type == GSORT_TEXT_FLOAT ? 8 : 4;
	const size_t print_bytes = input->print_bytes / 2 / key_bytes;	/* for each of keys, and more */
	const unsigned slots = gs_batch_slots(plan->threads);
	const uint64_t most = input->print_bytes > 0 ? MOST_PART_TEXT_BYTES : GS_PART_BYTES;
	const uint64_t shares = slots + plan->threads + slots * (print_bytes + 1);

	if (input->operation != GSORT_SORT)
		return;
	if (input->key_bits > 0)
		plan->piece_bytes = power_of_two_to(within(LEAST_PIECE_BYTES, *left / 16 / plan->threads,
		                                           MOST_PIECE_BYTES));
	take_from(left, plan->threads * plan->piece_bytes);
	if (gs_plan_classes(plan) == 0)
		return;
	plan->part_bytes = power_of_two_to(within(LEAST_PART_BYTES, *left / 16 / shares, most));
	plan->part_print_bytes = plan->part_bytes / key_bytes * (input->print_bytes / 2);
	take_from(left, (slots + plan->threads) * plan->part_bytes + slots * plan->part_print_bytes);
}

/* Everything but keys, and what merging reads them into. */
static void
set_buffers(struct gs_plan *plan, const struct gs_plan_input *input)
{
	const uint64_t carvings = 2 * gs_plan_classes(plan) + 6;
	uint64_t left = plan->host_bytes;

	take_from(&left, PROGRAM_BYTES + plan->threads * THREAD_BYTES);
	if (uses_gpu(plan))
		take_from(&left, gs_plan_cuda_bytes() + plan->ring_tiles * plan->tile_bytes);
	plan->huge_pages = gs_arena_round(1) * carvings <= left / 16;
	if (plan->huge_pages)
		take_from(&left, gs_arena_round(1) * carvings);
	plan->inflate_bytes = least(left / 16, plan->threads * INFLATE_THREAD_BYTES);
	if (!input->compressed || plan->threads == 1 || plan->inflate_bytes < INFLATE_LEAST_BYTES)
		plan->inflate_bytes = 0;
	take_from(&left, plan->inflate_bytes);
	plan->window_bytes = within(WINDOW_LEAST_BYTES, input->operation == GSORT_MERGE
		? plan->host_bytes / 2 / within(1, input->input_count, MOST_FAN_IN)
		: plan->host_bytes / 4, WINDOW_MOST_BYTES);
	if (input->large_window && input->operation == GSORT_SORT &&
	    plan->window_bytes > WINDOW_LEAST_BYTES)
		take_from(&left, least(left / 4, plan->window_bytes));
	if (input->key_bits == 0)
		set_text(plan, input, &left);
	plan->print_keys = 512 * KIB;
	if (input->print_bytes > 0) {
		plan->print_keys = within(4 * KIB, left / 16 / input->print_bytes, plan->print_keys);
		take_from(&left, plan->print_keys * input->print_bytes);
	}
	plan->count_bytes = 0;
	if (plan->by_counting || input->key_bits == 0)
		plan->count_bytes = within(64 * KIB, left / 16, plan->tile_bytes) / 4096 * 4096;
	take_from(&left, plan->count_bytes);
	set_pieces(plan, input, &left);
	plan->spill_bytes = within(256 * KIB, left / 16, 8 * MIB) / 4096 * 4096;
	take_from(&left, plan->spill_bytes);
	plan->pool_bytes = left;
}

uint64_t
gs_plan_expected(const struct gs_plan_input *input)
{
	return input->key_bits > 0 && input->input_bytes < UINT64_MAX
	       ? input->input_bytes / (input->key_bits / 8) : UINT64_MAX;
}

/* Of a pool for all streams' keys, what may be in blocks that are not full. */
static uint64_t
reserve(const struct gs_plan *plan, const struct gs_plan_input *input, uint64_t bytes)
{
	uint64_t all = gs_buckets_reserve_once(plan->threads, bytes, plan->part_bytes);

	for (unsigned s = 0; s < GS_CLASSES; s++)
		if (plan->class_bits[s] > 0)
			all += gs_buckets_reserve(plan->class_bits[s], plan->threads, bytes,
			                          gs_plan_classes(plan), gs_plan_expected(input));
	return all;
}

/*
 * Host memory beside a GPU: sorted runs, if there are several batches; and for the restart on
 * the CPU a recording of what cannot be read again.  A user who asks for a GPU gets no restart.
 */
static void
set_gpu_memory(struct gs_plan *plan, const struct gs_plan_input *input, uint64_t addresses)
{
	const uint64_t bytes = least(plan->pool_bytes - plan->merge_bytes, addresses / 4);

	plan->resident_bytes = bytes;
	if (input->seekable || input->device == GSORT_DEVICE_GPU)
		return;
	plan->resident_bytes = plan->record_bytes = bytes / 2 / 4096 * 4096;
}

/*
 * Address space: as much as the input could need, a file may still grow, but
 * never more than memory; less where addresses themselves are limited.
 */
static void
set_batch(struct gs_plan *plan, const struct gs_plan_input *input)
{
	uint64_t bytes = plan->pool_bytes, addresses = input->address_bytes;
	const unsigned streams = gs_plan_classes(plan);

	if (streams == 0)
		return;
	take_from(&addresses, (3 + 2 * plan->threads) * STACK_BYTES +
	                      plan->host_bytes - plan->pool_bytes);
	plan->merge_bytes = least(plan->pool_bytes, addresses / 4);
	if (uses_gpu(plan))
		plan->merge_bytes = least(plan->merge_bytes / 4, GPU_MERGE_BYTES);
	if (input->operation != GSORT_SORT)
		return;
	if (uses_gpu(plan)) {
		set_gpu_memory(plan, input, addresses);
		plan->spills = key_bytes_most(input) > plan->resident_bytes;
		return;
	}
	take_from(&bytes, gs_pool_bytes(bytes) + bytes / 64);	/* and lists, mostly untouched */
	if (key_bytes_most(input) < UINT64_MAX / 4)
		bytes = least(bytes, key_bytes_most(input) + SPARE_BYTES + reserve(plan, input, bytes));
	bytes = least(bytes, addresses / 2);
	plan->batch_bytes = bytes - bytes % (plan->huge_pages ? 2 * MIB : 64 * KIB);
	plan->sort_bytes = plan->batch_bytes;
	take_from(&plan->sort_bytes, reserve(plan, input, plan->batch_bytes));
	plan->spills = key_bytes_most(input) > plan->sort_bytes;
	if (plan->peek_bytes > 0)
		plan->record_bytes = least(plan->pool_bytes / 2, addresses / 4) / 4096 * 4096;
}

/*
 * Where only the first keys are wanted, when to forget the others.  With 4 times as
 * many a sort is amortized over 3 times as many that have passed; if not even twice
 * as many fit beside them, the job is a job like any other, and only its output is cut.
 */
static void
set_head(struct gs_plan *plan, const struct gs_plan_input *input)
{
	/* What comes in a round may be more than was to be held. */
	const uint64_t round_bytes = least(within(plan->chunk_bytes, GS_HEAD_ROUND_BYTES, SIZE_MAX),
	                                   plan->sort_bytes / 4);
	const uint64_t room_keys = (plan->sort_bytes - round_bytes) / sizeof(uint64_t);

	if (!input->heads || uses_gpu(plan) || input->head_count > room_keys / 3 ||
	    gs_plan_classes(plan) == 0)
		return;
	plan->head_keys = input->head_count > LEAST_HEAD_KEYS / 4 ? 4 * input->head_count
	                                                          : LEAST_HEAD_KEYS;
	plan->head_keys = least(plan->head_keys, room_keys - input->head_count);
	if (plan->head_keys > 0)
		plan->spills = false;
}

/* ---- merging --------------------------------------------------------------- */

/* How many sources, each with two buffers of so many bytes, or of what gather takes at least. */
static size_t
sources_with(const struct gs_plan *plan, size_t buffer_bytes, uint64_t bytes)
{
	size_t low = 2, high = MOST_FAN_IN;

	while (low < high) {
		const size_t n = (low + high + 1) / 2;

		if (gs_external_merge_least_bytes(n, plan->threads) +
		    n * (2 * (buffer_bytes - NO_SEEK_BYTES) + plan->source_bytes) <= bytes)
			low = n;
		else
			high = n - 1;
	}
	return low;
}

size_t
gs_plan_fan_in(const struct gs_plan *plan, const struct gs_plan_input *input, uint64_t bytes)
{
	size_t buffer_bytes = SEEK_BYTES, count;

	while ((count = sources_with(plan, buffer_bytes, bytes)) < FEW_RUNS &&
	       buffer_bytes > NO_SEEK_BYTES)
		buffer_bytes /= 2;
	if (input->merge_files > 0)
		count = least(count, input->merge_files);
	return count < 2 ? 2 : count;
}

static void
set_merge(struct gs_plan *plan, const struct gs_plan_input *input)
{
	plan->most_runs = within(256, plan->host_bytes / (4 * KIB), 64 * KIB);
	if (plan->most_runs < input->input_count)
		plan->most_runs = input->input_count;
	plan->fan_in = gs_plan_fan_in(plan, input, plan->merge_bytes);
	if (input->operation != GSORT_MERGE)
		return;
	if (input->files > 0 && plan->fan_in + FILES_BESIDE > input->files)
		plan->fan_in = input->files > FILES_BESIDE + 2 ? input->files - FILES_BESIDE : 2;
	plan->spills = input->input_count > plan->fan_in;
	plan->fan_in = least(plan->fan_in, within(2, input->input_count, MOST_FAN_IN));
	plan->merge_bytes -= least(plan->merge_bytes, plan->fan_in * plan->source_bytes);
}

/* ---- all of it -------------------------------------------------------------- */

static gs_status
check_budget(const struct gs_plan *plan, const struct gs_plan_input *input)
{
	const bool merges = input->operation == GSORT_MERGE &&
	                    plan->merge_bytes < gs_external_merge_least_bytes(plan->fan_in, plan->threads);
	const bool sorts = input->operation == GSORT_SORT && !uses_gpu(plan) &&
	                   plan->sort_bytes < LEAST_SORT_BYTES;

	if (plan->host_bytes < LEAST_BYTES || (gs_plan_classes(plan) > 0 && (merges || sorts)))
		return gs_fail(GS_EBUDGET, "only %llu MiB of memory can be had; gsort needs 16 MiB, "
		               "and 256 MiB of address space",
		               (unsigned long long)(least(plan->host_bytes, input->address_bytes) / MIB));
	return GS_OK;
}

static gs_status
make(struct gs_plan *plan, const struct gs_plan_input *input)
{
	*plan = (struct gs_plan){ .threads = 1 };
	set_streams(plan, input);
	set_budget(plan, input);
	set_threads(plan, input);
	TRY(choose_device(plan, input));
	set_tiles(plan, input);
	set_buffers(plan, input);
	set_batch(plan, input);
	set_merge(plan, input);
	set_head(plan, input);
	TRY(check_budget(plan, input));
	assert(plan->tile_bytes % LEAST_TILE_BYTES == 0);
	assert(plan->sort_bytes <= plan->pool_bytes && plan->pool_bytes < plan->host_bytes);
	return GS_OK;
}

/* Is the device a GPU by our choice, and the input too large for the copy that its failure would
 * need? */
static bool
lacks_copy(const struct gs_plan *plan, const struct gs_plan_input *input)
{
	return uses_gpu(plan) && input->device == GSORT_DEVICE_AUTO && !input->seekable &&
	       (plan->record_bytes == 0 || (input->input_bytes != UINT64_MAX &&
	                                    input->input_bytes > plan->record_bytes));
}

gs_status
gs_plan_make(struct gs_plan *plan, const struct gs_plan_input *input)
{
	struct gs_plan_input cpu = *input;

	TRY(make(plan, input));
	if (!lacks_copy(plan, input))
		return GS_OK;
	cpu.device = GSORT_DEVICE_CPU;
	TRY(make(plan, &cpu));
	plan->device_rule = "memory has no room for a copy of the input, in case a GPU fails";
	return GS_OK;
}
