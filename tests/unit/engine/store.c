// SPDX-License-Identifier: BSD-2-Clause
/*
 * store.c - rows for src/engine/store.c, runs.c and staging_buffers.c: every key that was added leaves once,
 * in order
 *
 * The model is a sort by digits.  Classes are drained in the order of the output.  Spans
 * are numbered, and those in slots know their place; make() has seen them once.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/store.h"
#include "ingest/ingest.h"
#include "tests/unit/units.h"
#include "text/text.h"

void unit_store(void);

enum { MOST_KEYS = 2 << 20, MANY_KEYS = 3 << 19, PIECE_KEYS = 1 << 13, ROUND_KEYS = 32 * PIECE_KEYS };

struct row {
	const char *about;
	enum gsort_type type;
	unsigned    key_bits, threads;
	size_t      keys;	/* in each class */
	uint64_t    values;	/* so many; 0: any */
	unsigned    fan_in, most_runs;	/* 0: as the plan has it */
	bool        spills, reverse, groups;
	uint64_t    head;	/* 0: all leave */
	uint64_t    enough;	/* the sink stops after this many keys of a class; 0: never */
};

static const struct row rows[] = {
	{ "no keys", GSORT_U32, 32, 2, 0, .values = 0 },
	{ "one key", GSORT_U64, 64, 2, 1, .values = 0 },
	{ "keys of 32 bits", GSORT_U32, 32, 3, 100000, .values = 0 },
	{ "keys of 64 bits by one thread", GSORT_U64, 64, 1, 100000, .values = 0 },
	{ "few values", GSORT_U64, 64, 2, 100000, .values = 3 },
	{ "counted bytes", GSORT_U8, 8, 2, 100000, .values = 0 },
	{ "counted bytes in groups", GSORT_U8, 8, 2, 100000, .groups = true },
	{ "counted keys of 16 bits", GSORT_U16, 16, 3, 300000, .values = 999 },
	{ "classes of text", GSORT_TEXT, 0, 2, 50000, .values = 0 },
	{ "classes of text, the last one first", GSORT_TEXT, 0, 2, 50000, .reverse = true, .groups = true },
	{ "a sink that has enough", GSORT_U64, 64, 2, 400000, .enough = 1000 },
	{ "a head", GSORT_U64, 64, 2, MANY_KEYS, .head = 1000 },
	{ "a head of several spans", GSORT_U64, 64, 2, MANY_KEYS, .head = 250000 },
	{ "a head of few values", GSORT_U32, 32, 2, MANY_KEYS, .values = 5, .head = 70000 },
	{ "a head of the last class", GSORT_TEXT, 0, 2, 50000, .reverse = true, .head = 60000 },
	{ "runs on disk", GSORT_U64, 64, 2, MANY_KEYS, .spills = true },
	{ "runs in passes", GSORT_U64, 64, 2, MOST_KEYS, .values = 7, .fan_in = 2, .spills = true },
	{ "more runs than are listed", GSORT_U64, 64, 2, MOST_KEYS, .fan_in = 2, .spills = true,
	  .most_runs = 3 },
	{ "runs of classes", GSORT_TEXT, 0, 2, 200000, .spills = true, .reverse = true },
	{ "runs for a sink that has enough", GSORT_U64, 64, 2, MANY_KEYS, .spills = true, .enough = 9 },
};

static struct gsort_options options;
static struct gs_plan_input input;
static struct gs_plan plan;
static struct gs_monitor monitor;
static struct gs_arena arena;
static struct gs_store store;
static const char *temp_dir;
static uint64_t *model, *got, *piece;

/* Key I of a class. */
static uint64_t
key_of(const struct row *row, unsigned key_class, unsigned key_bits, size_t i)
{
	const uint64_t random = units_mix(i * GS_CLASSES + key_class);
	const uint64_t key = row->values > 0 ? units_mix(random % row->values) : random;

	return key >> (64 - key_bits);
}

/* The width of the keys of a class; for counted keys, the width of the histogram. */
static unsigned
bits_of(const struct row *row, unsigned key_class)
{
	if (row->key_bits > 0)
		return key_class == 0 ? row->key_bits : 0;
	return key_class == GS_SMALL ? 10 : plan.class_bits[key_class];
}

/* ---- filling ---------------------------------------------------------------------- */

static gs_status
open_store(const struct row *row)
{
	const unsigned classes = row->key_bits > 0 ? 1 : 4;

	options = (struct gsort_options){
		.type = row->type, .reverse = row->reverse, .temp_dirs = &temp_dir, .temp_dir_count = 1,
		.head = row->head > 0, .head_count = row->head,
	};
	input = (struct gs_plan_input){
		.type = row->type, .key_bits = row->key_bits, .device = GSORT_DEVICE_CPU,
		.input_bytes = row->keys * 8 * classes, .threads = row->threads, .cores = row->threads,
		.memory_bytes = row->spills ? 1 : 0, .host_bytes = 1 << 30, .address_bytes = 1ull << 46,
		.files = 100, .merge_files = row->fan_in, .heads = row->head > 0, .head_count = row->head,
	};
	gs_ingest_plan(&input);
	TRY(gs_plan_make(&plan, &input));
	plan.most_runs = row->most_runs > 0 ? row->most_runs : plan.most_runs;
	arena = (struct gs_arena){ .base = NULL };
	gs_store_carve(&store, &options, &input, &plan, &arena);
	TRY(gs_arena_open(&arena, arena.used_bytes, false));
	gs_store_carve(&store, &options, &input, &plan, &arena);
	gs_store_open(&store, &monitor);
	return GS_OK;
}

static void
close_store(void)
{
	gs_store_close(&store);
	gs_arena_close(&arena);
}

/* A decoder of text counts small integers itself. */
static void
count_small(const struct row *row)
{
	for (size_t i = 0; i < row->keys; i++)
		store.histogram.bins[key_of(row, GS_SMALL, 10, i)]++;
	store.histogram.touched = UINT64_MAX;
}

/* Add the keys of a class, pieces of different workers in turn. */
static gs_status
add_class(const struct row *row, unsigned key_class, unsigned key_bits)
{
	const struct gs_taker taker = gs_store_engine(&store).taker;
	size_t room = 0, count;
	unsigned worker = 0;

	for (size_t at = 0; at < row->keys; at += count) {
		uint64_t sequence;

		count = row->keys - at < PIECE_KEYS ? row->keys - at : PIECE_KEYS;
		if (room < count * 8 || at % ROUND_KEYS == 0)
			TRY(taker.reserve(taker.context, PIECE_KEYS * 8, 0, &room));
		room -= count * 8;
		for (size_t i = 0; i < count; i++)
			gs_key_put(piece, key_bits, i, key_of(row, key_class, key_bits, at + i));
		sequence = gs_taker_next_sequence(&taker, key_class, 1);
		taker.add(taker.context, worker, sequence, &(struct gs_piece){
			.keys = piece, .count = count, .key_class = key_class, .key_bits = key_bits,
		});
		worker = (worker + 1) % plan.threads;
		if (worker == 0)
			gs_taker_end_round(&taker);
	}
	gs_taker_end_round(&taker);
	return GS_OK;
}

static gs_status
fill(const struct row *row)
{
	for (unsigned c = 0; c < GS_CLASSES; c++) {
		if (row->key_bits == 0 && c == GS_SMALL)
			count_small(row);
		else if (bits_of(row, c) > 0)
			TRY(add_class(row, c, bits_of(row, c)));
	}
	return gs_store_engine(&store).finish(&store);
}

/* ---- draining --------------------------------------------------------------------- */

struct drained {
	const struct row *row;
	unsigned key_class;
	size_t   count, spans, wrong;
	bool     ended;
	bool     made[GS_BATCH_SLOTS_MOST];	/* the span in a slot */
};

static gs_status
make(void *context, struct gs_sorted_span *sorted)
{
	struct drained *drained = context;

	drained->made[sorted->slot] = true;
	return GS_OK;
}

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	struct drained *drained = context;
	const struct gs_span *span = &sorted->span;

	drained->wrong += drained->ended || span->key_class != drained->key_class ||
	                  sorted->number != drained->spans++ ||
	                  (span->times != NULL && !drained->row->groups);
	if (sorted->slot != GS_NO_SLOT) {
		drained->wrong += !drained->made[sorted->slot] || sorted->at != drained->count;
		drained->made[sorted->slot] = false;
	}
	for (size_t i = 0; i < span->count; i++) {
		const uint64_t key = gs_key_at(span->keys, span->key_bits, i);

		for (uint64_t t = 0; t < (span->times != NULL ? span->times[i] : 1); t++)
			if (drained->count < MOST_KEYS)
				got[drained->count++] = key;
	}
	sorted->enough = drained->row->enough > 0 && drained->count >= drained->row->enough;
	drained->ended = sorted->enough;
	return GS_OK;
}

/* Drain a class; *LEFT: keys of the head that are to come. */
static void
check_class(const struct row *row, unsigned key_class, uint64_t *left)
{
	const struct gs_engine engine = gs_store_engine(&store);
	struct drained drained = { .row = row, .key_class = key_class };
	const struct gs_span_sink sink = {
		.make = make, .take = take, .groups = row->groups, .context = &drained,
	};
	const unsigned bits = bits_of(row, key_class);
	const size_t keys = bits > 0 ? row->keys : 0;
	const uint64_t wanted = row->head > 0 ? *left : row->enough > 0 ? row->enough : keys;
	const uint64_t least = wanted < keys ? wanted : keys;
	const bool counted = row->key_bits == 0 ? key_class == GS_SMALL : row->key_bits < 32;

	for (size_t i = 0; i < keys; i++)
		model[i] = key_of(row, key_class, bits, i) ^
		           (row->reverse && row->key_bits == 0 && key_class == GS_SMALL ? UINT32_MAX : 0);
	units_sort(model, keys);
	if (row->head == 0)
		CHECK(engine.count(&store, key_class) == (counted || row->spills ? 0 : keys),
		      "%s: class %u is counted", row->about, key_class);
	CHECK(engine.drain(&store, key_class, &sink) == GS_OK, "%s: class %u: %s", row->about, key_class,
	      gs_message());
	CHECK(drained.wrong == 0, "%s: %zu spans of class %u are wrong", row->about, drained.wrong,
	      key_class);
	CHECK(drained.count >= least && drained.count <= keys &&
	      (row->enough == 0 || keys < row->enough || drained.count < keys),
	      "%s: %zu keys of class %u", row->about, drained.count, key_class);
	CHECK(row->head == 0 || keys < MANY_KEYS || drained.count < MANY_KEYS,
	      "%s: %zu of %zu keys are left", row->about, drained.count, keys);
	CHECK(memcmp(got, model, least * sizeof *got) == 0, "%s: class %u is in order", row->about,
	      key_class);
	*left -= *left < keys ? *left : keys;
}

static void
check_row(const struct row *row)
{
	uint64_t left = row->head;
	struct gsort_stats stats = { .keys = 0 };
	gs_status status = open_store(row);

	CHECK(status == GS_OK && fill(row) == GS_OK, "%s: it is filled: %s", row->about, gs_message());
	for (unsigned i = 0; i < GS_CLASSES && status == GS_OK; i++)
		check_class(row, row->reverse ? GS_CLASSES - 1 - i : i, &left);
	gs_store_engine(&store).stats(&store, &stats);
	CHECK((stats.runs > 1) == row->spills && (stats.spilled_bytes > 0) == row->spills &&
	      (stats.batches > 1) == row->spills, "%s: %u runs of %u batches", row->about, stats.runs,
	      stats.batches);
	CHECK(row->fan_in > 0 ? stats.merge_passes > 1 : stats.merge_passes == row->spills, "%s: %u passes",
	      row->about, stats.merge_passes);
	close_store();
}

/* ---- errors ------------------------------------------------------------------------- */

static void
check_errors(void)
{
	static const struct row row = { "errors", GSORT_U64, 64, 2, MANY_KEYS, .spills = true };
	const char *usable = temp_dir;
	struct rlimit before, limit;
	gs_status status;

	temp_dir = "/does/not/exist";
	CHECK(open_store(&row) == GS_OK && fill(&row) == GS_EIO && strstr(gs_message(), temp_dir) != NULL,
	      "no such folder: %s", gs_message());
	close_store();
	temp_dir = usable;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 1 << 20;
	CHECK(open_store(&row) == GS_OK, "a store: %s", gs_message());
	setrlimit(RLIMIT_FSIZE, &limit);
	status = fill(&row);
	setrlimit(RLIMIT_FSIZE, &before);
	CHECK(status == GS_EIO, "files may not grow: %d, %s", (int)status, gs_message());
	close_store();
}

/* ---- staging buffers ----------------------------------------------------------------------- */

/* A ring of buffers of two keys, of which the caller keeps one of each class but the first. */
enum { RING = GS_CLASSES + 1, RING_KEYS = 2 };

static struct gs_staging_buffers buffers;
static uint32_t ring[RING][RING_KEYS];
static unsigned ring_lent;
static bool ring_waits;

static gs_status
lend_one(void *context, unsigned key_class, bool not_alone, struct gs_staging *staging)
{
	(void)context;
	(void)not_alone;
	ring_waits |= ring_lent == RING;	/* for a buffer that this lock holds back */
	*staging = (struct gs_staging){
		.key_class = key_class, .key_bits = 32, .keys = ring[ring_lent % RING], .room = RING_KEYS,
	};
	ring_lent++;
	return GS_OK;
}

static gs_status
take_back(void *context, const struct gs_staging *staging)
{
	(void)context;
	(void)staging;
	ring_lent--;
	return GS_OK;
}

static void *
add_one(void *context)
{
	uint32_t key = 1;

	(void)context;
	gs_staging_buffers_add(&buffers, &(struct gs_piece){ .key_bits = 32, .keys = &key, .count = 1 });
	return NULL;
}

/* Threads copy to as many buffers of a class as there may be, and one more thread has a key of it. */
static void
check_staging_buffers(void)
{
	pthread_t thread;

	buffers = (struct gs_staging_buffers){ .stage = lend_one, .give = take_back };
	gs_staging_buffers_open(&buffers, RING, GS_CLASSES);
	for (unsigned f = 0; f < buffers.most; f++) {
		buffers.each[f].used = true;
		buffers.each[f].writers = 1;
		buffers.each[f].claimed = buffers.each[f].staging.room = RING_KEYS;
	}
	ring_lent = GS_CLASSES - 1 + buffers.most;
	CHECK(ring_lent <= RING, "%u of %d buffers are filled and kept", ring_lent, RING);
	CHECK(pthread_create(&thread, NULL, add_one, NULL) == 0, "a thread begins");
	pthread_mutex_lock(&buffers.lock);
	buffers.each[0].writers = 0;
	pthread_cond_broadcast(&buffers.changed);
	pthread_mutex_unlock(&buffers.lock);
	pthread_join(thread, NULL);
	for (unsigned f = 0; f < buffers.most; f++)
		buffers.each[f].writers = 0;
	CHECK(gs_staging_buffers_rest(&buffers) == GS_OK && ring_lent == GS_CLASSES - 1, "all come back");
	CHECK(!ring_waits, "a buffer is left for each that is asked for");
}

/* A buffer that one thread fills leaves when another, which began before, has copied its keys, too. */
static void
check_staging_writers(void)
{
	struct gs_staging_buffer *buffer = &buffers.each[0];

	buffers = (struct gs_staging_buffers){ .stage = lend_one, .give = take_back };
	gs_staging_buffers_open(&buffers, RING, GS_CLASSES);
	*buffer = (struct gs_staging_buffer){
		.used = true, .claimed = 1, .writers = 1,
		.staging = { .key_bits = 32, .keys = ring[0], .room = RING_KEYS },
	};
	ring_lent = 1;
	add_one(NULL);
	CHECK(ring_lent == 1 && buffer->claimed == RING_KEYS && buffer->writers == 1,
	      "it is full, and stays");
	buffer->writers = 0;
	CHECK(gs_staging_buffers_rest(&buffers) == GS_OK && ring_lent == 0, "and leaves later");
	*buffer = (struct gs_staging_buffer){
		.used = true, .staging = { .key_bits = 32, .keys = ring[0], .room = RING_KEYS },
	};
	ring_lent = 1;
	add_one(NULL);
	CHECK(ring_lent == 1 && buffer->used, "a buffer with room for another key stays");
	add_one(NULL);
	CHECK(ring_lent == 0 && !buffer->used, "until it is full");
}

/* Each thread has its own extremes: the least and the greatest of any of them, and of counted keys. */
static void
check_extremes(void)
{
	static struct gs_extremes extremes;
	const struct gsort_options wanted = { .type = GSORT_U32, .histogram = 5 };
	uint64_t bins[8] = { 0, 0, 1, 0, 0, 9, 0, 0 };
	struct gs_count count = { .bins = bins, .bin_count = 8 };
	struct gs_extreme found;

	for (unsigned worker = 0; worker < GS_TEAM_MAX; worker++) {
		const unsigned other = (worker + 1) % GS_TEAM_MAX;
		uint32_t keys[2][3] = { { 900, 300 + worker, 800 }, { 900, 7000 + worker, 6000 } };

		gs_extremes_open(&extremes, &wanted);
		gs_extremes_note(&extremes, worker, &(const struct gs_piece){
			.keys = keys[0], .count = 3, .key_class = 1, .key_bits = 32 });
		gs_extremes_note(&extremes, other, &(const struct gs_piece){
			.keys = keys[1], .count = 3, .key_class = 1, .key_bits = 32 });
		found = gs_extremes_of(&extremes, 1, NULL);
		CHECK(found.least == 300 + worker && found.most == 7000 + worker,
		      "threads %u and %u: %llu, %llu",
		      worker, other, (unsigned long long)found.least, (unsigned long long)found.most);
		found = gs_extremes_of(&extremes, 1, &count);
		CHECK(found.least == 2 && found.most == 7000 + worker, "keys that are counted are less");
		found = gs_extremes_of(&extremes, 2, &count);
		CHECK(found.least == 2 && found.most == 5, "no others");
		found = gs_extremes_of(&extremes, 2, NULL);
		CHECK(found.least > found.most, "no keys");
	}
}

void
unit_store(void)
{
	temp_dir = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
	model = malloc(MOST_KEYS * sizeof *model);
	got = malloc(MOST_KEYS * sizeof *got);
	piece = malloc(PIECE_KEYS * sizeof *piece);
	CHECK(model != NULL && got != NULL && piece != NULL, "there is memory");
	for (size_t r = 0; r < sizeof rows / sizeof rows[0] && piece != NULL; r++)
		check_row(&rows[r]);
	check_errors();
	check_staging_buffers();
	check_staging_writers();
	check_extremes();
	free(model);
	free(got);
	free(piece);
}
