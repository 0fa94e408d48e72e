// SPDX-License-Identifier: BSD-2-Clause
/* array.c - the calls of gsort.h that take arrays, compared with sorts of the C library */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gsort.h"
#include "key/key.h"
#include "sort/span.h"
#include "tests/unit/shapes.h"
#include "tests/unit/units.h"

void unit_array(void);

enum { MOST = 1 << 21 };

/* Keys of the input as ordered bits, in the order of a stable sort. */
static struct units_placed expect[MOST];
static uint64_t input[MOST], keys[MOST], payload[MOST], indices[MOST];
/* The input as ordered bits; room for others. */
static uint64_t before[MOST], after[MOST];

struct shot {
	enum gsort_type type;
	unsigned shape;
	size_t   count;
	struct gsort_array_options options;
	char     name[128];
};

static unsigned
bits(const struct shot *shot)
{
	return gs_key_bits(shot->type);
}

/* Keys as ordered bits of the shot. */
static const uint64_t *
ordered(const struct shot *shot, const void *of, uint64_t *to)
{
	memcpy(to, of, shot->count * (bits(shot) / 8));
	gs_raw_to_ordered(shot->type, GSORT_ENDIAN_HOST, shot->options.reverse, to, shot->count, 1);
	return to;
}

/* What is expected of the input. */
static void
expect_sorted(const struct shot *shot)
{
	(void)ordered(shot, input, before);
	for (size_t i = 0; i < shot->count; i++)
		expect[i] = (struct units_placed){ gs_key_at(before, bits(shot), i), i };
	units_sort_placed(expect, shot->count);
}

static void
fill(struct shot *shot)
{
	for (size_t i = 0; i < shot->count; i++)
		gs_key_put(input, bits(shot), i,
		           shapes[shot->shape].key(i, shot->count) >> (64 - bits(shot)));
	snprintf(shot->name, sizeof shot->name, "%zu times %s, %s, %s, %u threads", shot->count,
	         gs_key_name(shot->type), shapes[shot->shape].name,
	         shot->options.reverse ? "down" : "up", shot->options.threads);
}

/* The input is complete. */
static void
begin(const struct shot *shot)
{
	expect_sorted(shot);
	memcpy(keys, input, shot->count * (bits(shot) / 8));
}

/* The first place where KEYS are not as expected. */
static size_t
wrong_key(const struct shot *shot)
{
	const uint64_t *sorted = ordered(shot, keys, after);
	const unsigned key_bits = bits(shot);
	size_t at = 0;

	while (at < shot->count && gs_key_at(sorted, key_bits, at) == expect[at].key)
		at++;
	return at;
}

static void
check_sort(const struct shot *shot)
{
	const gsort_status found = gsort_is_sorted(keys, shot->count, shot->type, &shot->options);
	const unsigned key_bits = bits(shot);
	bool sorted = true;

	for (size_t i = 1; sorted && i < shot->count; i++)
		sorted = gs_key_at(before, key_bits, i - 1) <= gs_key_at(before, key_bits, i);
	CHECK(found == (sorted ? GSORT_OK : GSORT_DISORDER), "%s: sorted: %d", shot->name, sorted);
	CHECK(gsort_sort(keys, shot->count, shot->type, &shot->options) == GSORT_OK &&
	      wrong_key(shot) == shot->count, "%s: not at %zu", shot->name, wrong_key(shot));
	CHECK(gsort_is_sorted(keys, shot->count, shot->type, &shot->options) == GSORT_OK,
	      "%s: is sorted", shot->name);
}

/* With memory from the caller, and not a byte beyond it. */
static void
check_scratch(struct shot *shot)
{
	const size_t bytes = gsort_scratch_bytes(shot->count, shot->type, &shot->options);
	unsigned char *scratch = malloc(bytes + 1);

	scratch[bytes] = 0x5a;
	memset(scratch, 0xa5, bytes);
	memcpy(keys, input, shot->count * (bits(shot) / 8));
	shot->options.scratch = scratch;
	shot->options.scratch_bytes = bytes;
	CHECK(gsort_sort(keys, shot->count, shot->type, &shot->options) == GSORT_OK &&
	      wrong_key(shot) == shot->count && scratch[bytes] == 0x5a, "%s: with scratch", shot->name);
	shot->options.scratch = NULL;
	free(scratch);
}

/* The promise of gsort.h: as much as the keys, a sixteenth more, and 28 MiB a thread; or 3 MiB a thread; or
 * three times few keys, 2 MiB at most, for each thread that has 512 KiB, beside 2 MiB for alignment. */
static void
check_scratch_sizes(void)
{
	static const enum gsort_type types[] = { GSORT_U8, GSORT_U16, GSORT_U32, GSORT_U64 };

	for (unsigned t = 0; t < 4; t++)
		for (unsigned threads = 1; threads <= 64; threads *= 2)
			for (unsigned k = 28; k <= 63; k++) {	/* 16 KiB to 3 GiB, and halves between */
				const struct gsort_array_options options = {
					.struct_size = sizeof options, .threads = threads,
				};
				const size_t all = (size_t)(2 + k % 2) << (k / 2 - 1), count = all >> t;
				const size_t most = t < 2 ? 0 : all + all / 16;
				const size_t more = (size_t)(t < 2 ? 3 : 28) << 20;
				const size_t team = threads < 1 + (all >> 20) ? threads : 1 + (all >> 20);
				const size_t few = (2 << 20) + team * (3 * all < 2 << 20 ? 3 * all : 2 << 20);
				const size_t bytes = gsort_scratch_bytes(count, types[t], &options);

				CHECK(bytes <= most + threads * more &&
				      (t < 2 || all > 1 << 20 || bytes <= few),
				      "%zu keys of %u bytes, %u threads: %zu", count, 1u << t, threads,
				      bytes);
			}
}

static void
check_argsort(const struct shot *shot, enum gsort_type index_type)
{
	const unsigned index_bits = gs_key_bits(index_type);
	size_t at = 0;

	CHECK(gsort_argsort(input, shot->count, shot->type, indices, index_type, &shot->options) ==
	      GSORT_OK, "%s: %s", shot->name, gsort_message());
	while (at < shot->count && gs_key_at(indices, index_bits, at) == expect[at].place)
		at++;
	CHECK(at == shot->count, "%s: stable indices of %u bits: not at %zu", shot->name, index_bits, at);
}

/* The payload is a number that belongs to the index; each of them is there once. */
static void
check_pairs(const struct shot *shot, unsigned payload_bits)
{
	uint64_t sum = 0, all = 0;
	size_t at = 0;

	memcpy(keys, input, shot->count * (bits(shot) / 8));
	for (size_t i = 0; i < shot->count; i++) {
		gs_key_put(payload, payload_bits, i, i);
		all += units_mix(i);
	}
	CHECK(gsort_sort_pairs(keys, payload, payload_bits / 8, shot->count, shot->type, &shot->options) ==
	      GSORT_OK && wrong_key(shot) == shot->count, "%s: keys of pairs: not at %zu", shot->name,
	      wrong_key(shot));
	for (; at < shot->count; at++) {
		const uint64_t index = gs_key_at(payload, payload_bits, at);

		sum += units_mix(index);
		if (index >= shot->count || gs_key_at(before, bits(shot), index) != expect[at].key)
			break;
	}
	CHECK(at == shot->count && sum == all, "%s: payloads of %u bits: not at %zu", shot->name,
	      payload_bits, at);
}

/* With the memory that gsort.h asks for, and not a byte beyond it.  PAYLOAD_BITS 0: indices. */
static void
check_scratch_of_pairs(enum gsort_type type, unsigned payload_bits, unsigned threads)
{
	struct shot shot = { type, 0, 150001, { .struct_size = sizeof shot.options,
	                     .threads = threads }, "" };
	const size_t bytes = 24 * shot.count + ((size_t)30 << 20) * threads;
	unsigned char *scratch = malloc(bytes + 1);
	size_t touched = 0;

	fill(&shot);
	begin(&shot);
	memset(scratch, 0x5a, bytes + 1);
	shot.options.scratch = scratch;
	for (size_t given = bytes; given > 0; given = given > 5 ? 5 : 0) {
		shot.options.scratch_bytes = given;
		if (payload_bits > 0)
			check_pairs(&shot, payload_bits);
		else
			check_argsort(&shot, type == GSORT_F64 ? GSORT_U64 : GSORT_U32);
	}
	for (size_t at = 0; at + 8 <= bytes; at += 8) {
		uint64_t word;

		memcpy(&word, scratch + at, sizeof word);
		touched += word == UINT64_C(0x5a5a5a5a5a5a5a5a) ? 0 : sizeof word;
	}
	CHECK(touched >= 4 * shot.count && scratch[bytes] == 0x5a, "%s: %zu bytes of scratch are touched",
	      shot.name, touched);
	free(scratch);
}

/* Sorted pieces of the input are merged again. */
static void
check_merge(const struct shot *shot, size_t pieces)
{
	const size_t key_bytes = bits(shot) / 8;
	const void *arrays[64];
	size_t counts[64];

	memcpy(payload, input, shot->count * key_bytes);
	for (size_t p = 0; p < pieces; p++) {
		const size_t begin = shot->count * p / pieces;
		char *piece = (char *)payload + begin * key_bytes;

		arrays[p] = piece;
		counts[p] = shot->count * (p + 1) / pieces - begin;
		(void)gsort_sort(piece, counts[p], shot->type, &shot->options);
	}
	memset(keys, 0x55, shot->count * key_bytes);
	CHECK(gsort_merge_arrays(keys, arrays, counts, pieces, shot->type, &shot->options) == GSORT_OK &&
	      wrong_key(shot) == shot->count, "%s: %zu pieces are merged: not at %zu", shot->name, pieces,
	      wrong_key(shot));
}

static void
check_all(enum gsort_type type, unsigned shape, size_t count, bool reverse, unsigned threads)
{
	struct shot shot = { type, shape, count, { .struct_size = sizeof shot.options,
	                     .reverse = reverse, .threads = threads }, "" };

	fill(&shot);
	begin(&shot);
	check_sort(&shot);
	check_scratch(&shot);
	check_argsort(&shot, count % 2 == 0 ? GSORT_U32 : GSORT_U64);
	check_pairs(&shot, count % 3 == 0 ? 32 : 64);
	check_merge(&shot, count % 37 + 1);
}

static void
check_few(enum gsort_type type, size_t count, unsigned threads, size_t others)
{
	struct shot shot = { type, SHAPE_FEW, count, { .struct_size = sizeof shot.options,
	                     .reverse = threads > 1, .threads = threads }, "" };

	fill(&shot);
	for (size_t i = 0; i < others; i++)
		gs_key_put(input, bits(&shot), count - 2 - i, units_mix(i) >> (64 - bits(&shot)));
	begin(&shot);
	check_sort(&shot);
	check_scratch(&shot);
}

static void
check_sizes(void)
{
	static const size_t counts[] = { 0, 1, 2, 3, 31, 1000, 2049, 4097, 40000 };

	for (int type = GSORT_U8; type <= GSORT_F64; type++)
		for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
			for (unsigned reverse = 0; reverse < 2; reverse++)
				check_all((enum gsort_type)type, 0, counts[c], reverse, 1 + reverse * 3);
	/* Few values, and others where a sample does not look: counted, but for these. */
	for (int type = GSORT_U32; type <= GSORT_F64; type++)
		for (unsigned threads = 1; threads <= 3; threads += 2)
			for (size_t others = 0; others < 2; others++)
				check_few((enum gsort_type)type, 1000003, threads, others);
	for (unsigned threads = 1; threads <= 4; threads += 3) {
		check_scratch_of_pairs(GSORT_I16, 32, threads);
		check_scratch_of_pairs(GSORT_F32, 64, threads);
		check_scratch_of_pairs(GSORT_U64, 32, threads);
		check_scratch_of_pairs(GSORT_F64, 64, threads);
		check_scratch_of_pairs(GSORT_F64, 0, threads);
		check_scratch_of_pairs(GSORT_U32, 0, threads);
	}
	/* Partitioned where they are, by one thread; few values, and dense ones, are mapped at once. */
	check_all(GSORT_F64, 0, 600007, false, 1);
	check_all(GSORT_I32, 0, 600007, true, 1);
	check_all(GSORT_I64, SHAPE_DENSE, 600007, true, 1);
	check_all(GSORT_F32, SHAPE_FEW, 600007, false, 1);
	/* This many keys that repeat or are dense are not divided into buckets by one thread. */
	check_all(GSORT_F64, SHAPE_HEAVY, MOST - 5, false, 1);
	check_all(GSORT_U64, SHAPE_HEAVY, MOST - 5, true, 1);
	check_all(GSORT_I64, SHAPE_DENSE, MOST - 5, true, 1);
}

static void
check_shapes(void)
{
	const size_t count = units_brief() ? 300001 : 1500001;

	for (unsigned shape = 0; shape < SHAPES; shape++) {
		check_all(GSORT_F64, shape, count, false, 16);		/* in buckets */
		check_all(GSORT_U32, shape, count, shape % 2, 2);	/* where they are, by a team */
		check_all(GSORT_U64, shape, 50000, shape % 2, 1);
	}
	check_all(GSORT_I64, 0, MOST, true, 4);
	check_all(GSORT_I16, 0, MOST, true, 4);
	check_all(GSORT_F32, 0, MOST, false, 1);
}

/* Leading bits that are equal, in runs of every length, again and again: refine() of order.c, sort_ties() of
 * pairs.c.  One key is far from all others. */
static void
check_ties(void)
{
	static const unsigned spans[] = { 1, 20, 40, 63 };

	for (unsigned s = 0; s < sizeof spans / sizeof spans[0]; s++) {
		struct shot shot = { GSORT_U64, 0, 200000, { .struct_size = sizeof shot.options,
		                     .threads = 2 }, "" };

		for (size_t i = 0; i < shot.count; i++) {
			input[i] = units_mix(i % (s < 2 ? 2 : 7)) << spans[s] |
			           (units_mix(~i) & ((UINT64_C(1) << spans[s]) - 1));
			if (i % 5 == 0)
				input[i] = i == 5 ? UINT64_MAX : units_mix(i) % 3;
		}
		expect_sorted(&shot);
		snprintf(shot.name, sizeof shot.name, "ties of %u bits", spans[s]);
		check_argsort(&shot, GSORT_U64);
		check_pairs(&shot, 32);
	}
}

/* The order of floats, and the bits of NaNs. */
static void
check_floats(void)
{
	double floats[] = { NAN, 1, -0.0, INFINITY, 0.0, -NAN, -INFINITY, -1 };
	const size_t count = sizeof floats / sizeof floats[0];

	CHECK(gsort_sort(floats, count, GSORT_F64, NULL) == GSORT_OK, "floats");
	CHECK(isinf(floats[0]) && floats[1] < 0 && signbit(floats[2]) && !signbit(floats[3]) &&
	      isinf(floats[5]) && isnan(floats[6]) && !signbit(floats[6]) && isnan(floats[7]) &&
	      signbit(floats[7]), "-inf, -1, -0, 0, 1, inf, NaN, -NaN");
}

static void
fails(gsort_status status, enum gsort_error kind, const char *says)
{
	CHECK(status == GSORT_ERROR && gsort_last_error() == kind &&
	      strstr(gsort_message(), says) != NULL, "\"%s\" says \"%s\"", gsort_message(), says);
}

static void
check_errors(void)
{
	struct { struct gsort_array_options options; size_t more; } newer = {
		{ .struct_size = sizeof newer }, 0
	};
	struct gsort_array_options unset = { .reverse = true };
	uint32_t few[4] = { 3, 1, 2, 0 };
	const void *arrays[2] = { few, few };
	const size_t counts[2] = { 1, 4 };

	fails(gsort_sort(few, 4, GSORT_TEXT, NULL), GSORT_ERROR_USAGE, "binary type");
	fails(gsort_sort(few, 4, (enum gsort_type)99, NULL), GSORT_ERROR_USAGE, "binary type");
	fails(gsort_sort(NULL, 4, GSORT_U32, NULL), GSORT_ERROR_USAGE, "the array of keys is NULL");
	fails(gsort_sort((char *)few + 1, 2, GSORT_U32, NULL), GSORT_ERROR_USAGE,
	      "the array of keys is not aligned to 4 bytes");
	fails(gsort_sort(few, SIZE_MAX / 2, GSORT_U32, NULL), GSORT_ERROR_USAGE,
	      "no array holds 9223372036854775807 keys");
	fails(gsort_sort(few, 4, GSORT_U32, &unset), GSORT_ERROR_USAGE,
	      "struct_size of the array options is 0: set it to sizeof(struct gsort_array_options)");
	CHECK(gsort_sort(few, 1, GSORT_U32, &newer.options) == GSORT_OK, "a newer program");
	newer.more = 1;
	fails(gsort_sort(few, 4, GSORT_U32, &newer.options), GSORT_ERROR_USAGE, "needs a newer one");
	unset = (struct gsort_array_options){
		.struct_size = sizeof unset, .scratch = few, .scratch_bytes = sizeof few,
	};
	fails(gsort_sort(keys, 50000, GSORT_U32, &unset), GSORT_ERROR_USAGE, "scratch has 16 bytes, but");
	fails(gsort_merge_arrays(keys, arrays, NULL, 2, GSORT_U32, NULL), GSORT_ERROR_USAGE,
	      "the list of counts is NULL");
	fails(gsort_sort_pairs(keys, few, 4, 4, GSORT_U32, &unset), GSORT_ERROR_USAGE,
	      "the arrays of payloads and scratch bytes overlap");
	fails(gsort_argsort(few, 4, GSORT_U32, payload, GSORT_I64, NULL), GSORT_ERROR_USAGE,
	      "indices are u32 or u64");
	fails(gsort_argsort(few, (size_t)1 << 33, GSORT_U32, payload, GSORT_U32, NULL),
	      GSORT_ERROR_USAGE, "8589934592 keys have indices of 64 bits, u64");
	CHECK(gsort_sort(NULL, 0, GSORT_U32, NULL) == GSORT_OK &&
	      gsort_argsort(NULL, 0, GSORT_U32, NULL, GSORT_U32, NULL) == GSORT_OK &&
	      gsort_sort_pairs(NULL, NULL, 4, 0, GSORT_U32, NULL) == GSORT_OK &&
	      gsort_is_sorted(NULL, 0, GSORT_U32, NULL) == GSORT_OK, "no keys need no arrays");
	CHECK(gsort_merge_arrays(keys, (const void *[]){ NULL, few + 2, NULL }, (size_t[]){ 0, 1, 0 }, 3,
	                         GSORT_U32, NULL) == GSORT_OK && (uint32_t)keys[0] == few[2],
	      "nor does an empty one");
	fails(gsort_sort_pairs(few, payload, 2, 4, GSORT_U32, NULL), GSORT_ERROR_USAGE,
	      "a payload has 4 or 8 bytes, not 2; for others, sort indices");
	fails(gsort_merge_arrays(keys, arrays, counts, 2, GSORT_U32, NULL), GSORT_ERROR_INPUT,
	      "array 1 is not sorted: element 1 should come before element 0");
	CHECK(gsort_is_sorted(few, 4, GSORT_U32, NULL) == GSORT_DISORDER &&
	      strcmp(gsort_message(), "element 1 should come before element 0") == 0, "the first break");
	fails(gsort_is_sorted(few, 4, GSORT_TEXT_FLOAT, NULL), GSORT_ERROR_USAGE, "binary type");
	CHECK(few[0] == 3 && few[3] == 0, "and nothing is sorted");
}

#if defined __OPTIMIZE__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
static void *
call_there(void *context)
{
	struct shot *shot = context;

	check_sort(shot);
	check_argsort(shot, shot->count % 2 == 0 ? GSORT_U32 : GSORT_U64);
	check_pairs(shot, shot->count % 2 == 0 ? 32 : 64);
	check_merge(shot, 37);
	return NULL;
}

/* Keys of 64 bits that look even where a sample of them is drawn, while all others have one bin, the middle
 * one; and so on in that bin. */
static void
fill_sampled(struct shot *shot)
{
	enum { SAMPLE = 256, MIDDLE = SAMPLE / 2, APART = 12 };
	size_t count = shot->count;

	for (size_t i = 0; i < count; i++) {
		indices[i] = i;
		input[i] = units_mix(i) >> 52;
	}
	for (int shift = 56; shift > 12; shift -= 18) {
		const size_t step = count / SAMPLE;
		size_t others = 0;

		for (size_t i = 0; i < count; i++) {
			const size_t s = i / step;
			uint64_t place = s * 77 % SAMPLE;

			if (s >= SAMPLE || i % step != step / 2) {
				input[indices[i]] += (uint64_t)MIDDLE << shift;
				indices[others++] = indices[i];
				continue;
			}
			if (place + APART >= MIDDLE && place < MIDDLE + APART)
				place = place < MIDDLE ? place - 2 * APART : place + 2 * APART;
			input[indices[i]] = place << shift | input[indices[i]];
		}
		count = others;
	}
	snprintf(shot->name, sizeof shot->name, "%zu keys for three divisions", shot->count);
}

static void *
refused_there(void *context)
{
	const struct gsort_options options = { .struct_size = sizeof options };
	uint64_t two[2] = { 2, 1 };
	gsort *job;

	(void)context;
	CHECK(gsort_sort(two, 2, GSORT_U64, NULL) == GSORT_ERROR &&
	      gsort_last_error() == GSORT_ERROR_USAGE && two[0] == 2, "an array: %s", gsort_message());
	CHECK(gsort_open(&job, &options) == GSORT_ERROR && gsort_last_error() == GSORT_ERROR_USAGE &&
	      job == NULL && strstr(gsort_message(), "the stack of this thread has ") == gsort_message(),
	      "a job: %s", gsort_message());
	return NULL;
}

/* The caller's stack may have as little as gsort.h says; less is refused. */
static void
check_small_stack(void)
{
	enum { STACK_BYTES = 64 << 10 };
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0, "a stack of 64 KiB");
	for (unsigned shape = 0; shape < SHAPES; shape++) {
		const enum gsort_type type = shape % 2 == 0 ? GSORT_U64 : GSORT_F32;
		struct shot shot = { type, shape, shape % 3 == 0 ? 5000 : 200003,
		                     { .struct_size = sizeof shot.options, .threads = 1 }, "" };

		fill(&shot);
		begin(&shot);
		CHECK(pthread_create(&thread, &attributes, call_there, &shot) == 0 &&
		      pthread_join(thread, NULL) == 0, "%s, with a stack of 64 KiB", shot.name);
	}
	for (size_t count = 4708; count <= 5000; count += 73) {
		struct shot shot = { GSORT_U64, 0, count,
		                     { .struct_size = sizeof shot.options, .threads = 1 }, "" };

		fill_sampled(&shot);
		begin(&shot);
		CHECK(pthread_create(&thread, &attributes, call_there, &shot) == 0 &&
		      pthread_join(thread, NULL) == 0, "%s, with a stack of 64 KiB", shot.name);
	}
	/* the C library gives a thread a larger stack that it has left from another one */
	for (size_t bytes = 16 << 10; bytes <= 32 << 10; bytes *= 2) {
		void *stack = aligned_alloc(4096, bytes);

		CHECK(pthread_attr_setstack(&attributes, stack, bytes) == 0 &&
		      pthread_create(&thread, &attributes, refused_there, NULL) == 0 &&
		      pthread_join(thread, NULL) == 0, "a stack of %zu bytes", bytes);
		free(stack);
	}
	pthread_attr_destroy(&attributes);
}
#else	/* all frames are larger */
static void
check_small_stack(void)
{
}
#endif

void
unit_array(void)
{
	check_sizes();
	check_scratch_sizes();
	check_shapes();
	check_ties();
	check_floats();
	check_errors();
	check_small_stack();
}
