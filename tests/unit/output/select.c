// SPDX-License-Identifier: BSD-2-Clause
/* select.c - rows for src/output/select.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/select.h"
#include "tests/unit/units.h"

void unit_select(void);

static const struct row {
	const char *name;
	size_t      count;
	unsigned    repeat;	/* each key so often, about; 0: once, twice, 3 and 4 times */
	size_t      span_keys;
} rows[] = {
	{ "one key", 1, 1, 10 },
	{ "keys that all differ", 1000, 1, 1000 },
	{ "keys that all differ, one a span", 200, 1, 1 },
	{ "pairs, in spans that cut them", 1000, 2, 7 },
	{ "runs of ten, in spans of three", 1000, 10, 3 },
	{ "all keys equal", 1000, 1000000, 1000 },
	{ "all keys equal, in spans", 1000, 1000000, 13 },
	{ "groups of one to four", 30011, 0, 1000 },
	{ "groups of one to four, in spans of two", 3000, 0, 2 },
	{ "many keys", 200000, 3, 70000 },
};

static uint64_t
key_of(const struct row *row, unsigned bits, size_t i)
{
	/* Ascending, and as far apart as fits; small widths repeat more often. */
	static const uint64_t turn[10] = { 0, 1, 1, 2, 2, 2, 3, 3, 3, 3 };
	const uint64_t place = row->repeat == 0 ? i / 10 * 4 + turn[i % 10] : i / row->repeat;
	const uint64_t places = row->count / (row->repeat == 0 ? 2 : row->repeat) + 1;

	return (uint64_t)((double)place / (double)places * (double)(UINT64_MAX >> (64 - bits) >> 1));
}

/* The selection, and the head: a number, or all. */
static const struct wish {
	const char *name;
	struct gsort_options options;
} wishes[] = {
	{ "unique", { .unique = true } },
	{ "counts", { .counts = true } },
	{ "unique counts", { .unique = true, .counts = true } },
	{ "repeated", { .repeated = true } },
	{ "repeated counts", { .repeated = true, .counts = true } },
	{ "singletons", { .singletons = true } },
	{ "singletons counts", { .singletons = true, .counts = true } },
	{ "the first key", { .head = true, .head_count = 1 } },
	{ "no key", { .head = true } },
	{ "77 keys", { .head = true, .head_count = 77 } },
	{ "more keys than there are", { .head = true, .head_count = UINT64_MAX } },
	{ "the first 50 that differ", { .unique = true, .head = true, .head_count = 50 } },
	{ "counts of the first 50", { .counts = true, .head = true, .head_count = 50 } },
	{ "the first 5 repeated", { .repeated = true, .head = true, .head_count = 5 } },
	{ "the first singleton", { .singletons = true, .head = true, .head_count = 1 } },
};

/* The output, one key class after the other. */
struct out { uint64_t *keys, *times; size_t count; };

/* The simple way: each group, from its first key to its last. */
static void
expect(const struct row *row, unsigned bits, const struct gsort_options *options, struct out *out)
{
	const uint64_t most = options->head ? options->head_count : UINT64_MAX;
	const bool groups = options->unique || options->counts || options->repeated ||
	                    options->singletons;

	out->count = 0;
	for (size_t at = 0, end; at < row->count; at = end) {
		for (end = at + 1; end < row->count && groups &&
		     key_of(row, bits, end) == key_of(row, bits, at); end++)
			;
		if (out->count < most && !(options->repeated && end - at == 1) &&
		    !(options->singletons && end - at > 1)) {
			out->times[out->count] = end - at;
			out->keys[out->count++] = key_of(row, bits, at);
		}
	}
}

static void
append(struct out *out, const struct gs_select *select, const struct gs_span *span)
{
	for (size_t i = 0; i < span->count; i++) {
		out->times[out->count] = select->times[i];
		out->keys[out->count++] = gs_key_at(span->keys, span->key_bits, i);
	}
}

static bool
same(const struct out *got, const struct out *expected, bool counts)
{
	const size_t bytes = expected->count * sizeof(uint64_t);

	return got->count == expected->count && memcmp(got->keys, expected->keys, bytes) == 0 &&
	       (!counts || memcmp(got->times, expected->times, bytes) == 0);
}

/* KEYS in spans; more keys than there are must not come out, so there is room for them. */
static void
select_spans(const struct row *row, unsigned bits, char *keys, struct gs_select *select,
             struct out *got)
{
	struct gs_span span;

	got->count = 0;
	for (size_t at = 0; at < row->count; at += row->span_keys) {
		span = (struct gs_span){
			.keys = keys + at * (bits / 8), .key_bits = bits, .key_class = 3,
			.count = row->count - at < row->span_keys ? row->count - at : row->span_keys,
		};
		gs_select_span(select, &span);
		append(got, select, &span);
	}
	gs_select_end(select, &span);
	append(got, select, &span);
}

/* The same, each span by itself, in pieces of PIECE keys; then joined. */
static void
select_alone(const struct row *row, unsigned bits, char *keys, struct gs_select *select,
             size_t piece_keys, struct out *got)
{
	struct gs_span span;

	got->count = 0;
	for (size_t at = 0; at < row->count; at += row->span_keys) {
		uint64_t front[GS_SEAM_KEYS], front_times[GS_SEAM_KEYS];
		struct out own = { calloc(row->count, 8), calloc(row->count, 8), 0 };
		struct gs_seam seam;
		size_t joined;

		span = (struct gs_span){
			.keys = keys + at * (bits / 8), .key_bits = bits, .key_class = 3,
			.count = row->count - at < row->span_keys ? row->count - at : row->span_keys,
		};
		gs_select_alone(select, &span, select->times, &seam);
		for (size_t done = 0; done < span.count; done += piece_keys) {
			struct gs_span piece = span;

			piece.keys = (char *)span.keys + done * (bits / 8);
			piece.count = span.count - done < piece_keys ? span.count - done : piece_keys;
			gs_select_span(&seam.alone, &piece);
			append(&own, &seam.alone, &piece);
		}
		joined = gs_select_join(select, 3, bits, &seam, front, front_times);
		joined = gs_select_head(select, joined);
		for (size_t i = 0; i < joined; i++) {
			got->times[got->count] = front_times[i];
			got->keys[got->count++] = gs_key_at(front, bits, i);
		}
		own.count = gs_select_head(select, own.count);
		memcpy(got->times + got->count, own.times, own.count * sizeof *own.times);
		memcpy(got->keys + got->count, own.keys, own.count * sizeof *own.keys);
		got->count += own.count;
		free(own.keys);
		free(own.times);
	}
	gs_select_end(select, &span);
	append(got, select, &span);
}

/* The same from groups that are complete, as a histogram gives them. */
static void
select_pairs(const struct row *row, unsigned bits, char *keys, const struct out *groups,
             struct gs_select *select, struct out *got)
{
	struct gs_span span;

	got->count = 0;
	for (size_t at = 0; at < groups->count; at += row->span_keys) {
		span = (struct gs_span){ .keys = keys, .key_bits = bits, .key_class = 3 };
		for (; span.count < row->span_keys && at + span.count < groups->count; span.count++) {
			gs_key_put(keys, bits, span.count, groups->keys[at + span.count]);
			select->times[span.count] = groups->times[at + span.count];
		}
		span.times = select->times;
		gs_select_span(select, &span);
		append(got, select, &span);
	}
	gs_select_end(select, &span);
	append(got, select, &span);
}

static void
check_row(const struct row *row, unsigned bits, const struct wish *wish)
{
	const size_t room = row->count + 1;
	char *keys = malloc(row->count * (bits / 8));
	uint64_t *memory = calloc(7 * room, sizeof *memory);
	struct out expected = { memory, memory + room, 0 };
	struct out all = { memory + 5 * room, memory + 6 * room, 0 };
	struct out got = { memory + 2 * room, memory + 3 * room, 0 };
	struct gs_select select;

	expect(row, bits, &wish->options, &expected);
	for (size_t i = 0; i < row->count; i++)
		gs_key_put(keys, bits, i, key_of(row, bits, i));
	gs_select_open(&select, &wish->options, memory + 4 * room);
	select_spans(row, bits, keys, &select, &got);
	CHECK(same(&got, &expected, wish->options.counts), "%s of %s, %u bits: %zu keys, %zu came",
	      wish->name, row->name, bits, expected.count, got.count);
	CHECK(!select.head || select.left == wish->options.head_count - expected.count,
	      "%s of %s, %u bits: what is left of the head is known", wish->name, row->name, bits);
	for (size_t piece = 3; gs_select_wants_groups(&wish->options) && piece < 10000; piece *= 100) {
		for (size_t i = 0; i < row->count; i++)
			gs_key_put(keys, bits, i, key_of(row, bits, i));
		gs_select_open(&select, &wish->options, memory + 4 * room);
		select_alone(row, bits, keys, &select, piece, &got);
		CHECK(same(&got, &expected, wish->options.counts),
		      "%s of %s, %u bits, span by span: %zu keys, %zu came", wish->name, row->name, bits,
		      expected.count, got.count);
	}
	gs_select_open(&select, &wish->options, memory + 4 * room);
	if (gs_select_wants_groups(&wish->options)) {
		expect(row, bits, &(struct gsort_options){ .counts = true }, &all);
		select_pairs(row, bits, keys, &all, &select, &got);
		CHECK(same(&got, &expected, wish->options.counts),
		      "%s of %s, %u bits, in pairs: %zu keys, %zu came", wish->name, row->name, bits,
		      expected.count, got.count);
	}
	free(keys);
	free(memory);
}

/* Streams have nothing in common; one may end without a key. */
static void
check_streams(const struct wish *wish)
{
	uint32_t a[] = { 5, 5, 9 }, b[] = { 9, 9 };
	uint64_t c[] = { 9 }, memory[12];
	struct gs_span spans[] = {
		{ .keys = a, .count = 3, .key_bits = 32 },
		{ .keys = b, .count = 2, .key_bits = 32, .key_class = 1 },
		{ .keys = c, .count = 1, .key_bits = 64, .key_class = 2 },
		{ .keys = c, .key_bits = 64, .key_class = 3 },
	};
	struct out got = { memory, memory + 4, 0 };
	struct gs_select select;

	gs_select_open(&select, &wish->options, memory + 8);
	for (size_t s = 0; s < sizeof spans / sizeof spans[0]; s++) {
		struct gs_span end;

		gs_select_span(&select, &spans[s]);
		append(&got, &select, &spans[s]);
		gs_select_end(&select, &end);
		append(&got, &select, &end);
	}
	CHECK(same(&got, &(struct out){ (uint64_t[]){ 5, 9, 9, 9 }, (uint64_t[]){ 2, 1, 2, 1 }, 4 },
	           wish->options.counts), "%s: the same bits in the next key_class are another key",
	      wish->name);
}

/* Counts do not end with 32 bits: the last span's group is made older. */
static void
check_long_group(void)
{
	const struct gsort_options options = { .counts = true };
	uint64_t key[] = { 7, 8 }, times[2];
	struct gs_span span = { .keys = key, .count = 1, .key_bits = 64 };
	struct gs_select select;

	gs_select_open(&select, &options, times);
	gs_select_span(&select, &span);
	CHECK(span.count == 0 && select.last_times == 1, "a group that has begun is kept back");
	select.last_times = UINT64_MAX - 1;
	span = (struct gs_span){ .keys = key, .count = 1, .key_bits = 64 };
	gs_select_span(&select, &span);
	gs_select_end(&select, &span);
	CHECK(span.count == 1 && times[0] == UINT64_MAX && *(const uint64_t *)span.keys == 7,
	      "a key may come 2^64 - 1 times, not %llu", (unsigned long long)times[0]);
}

/* A tail of so many keys at most is kept, if there is another way at all. */
static void
check_tail_most(void)
{
	struct gsort_options options = { .operation = GSORT_MERGE, .tail = { true, GS_TAIL_MOST } };

	CHECK(gs_tail_bytes(&options, 100) > 100 * sizeof(uint64_t), "memory for the last keys");
	CHECK(gs_tail_bytes(&options, 200) == 2 * gs_tail_bytes(&options, 100), "for each of them");
	options.tail.count = 100;
	CHECK(gs_tail_bytes(&options, 200) == gs_tail_bytes(&options, 100), "and for no others");
	options.tail.count = GS_TAIL_MOST + 1;
	CHECK(gs_tail_bytes(&options, 100) == 0, "too many are not kept");
}

void
unit_select(void)
{
	check_tail_most();
	for (size_t w = 0; w < sizeof wishes / sizeof wishes[0]; w++)
		for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
			for (unsigned bits = 8; bits <= 64; bits *= 2)
				check_row(&rows[r], bits, &wishes[w]);
	check_streams(&wishes[0]);
	check_streams(&wishes[1]);
	check_streams(&wishes[2]);
	check_long_group();
}
