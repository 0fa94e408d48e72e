// SPDX-License-Identifier: BSD-2-Clause
/*
 * item_store.c - rows for src/engine/item_store.c and item_drain.c: which items leave, and in which
 * order
 *
 * Records have a word and their number; lines have a first byte that is their word, and differ in length.
 * The model is a stable sort, a walk over its groups, and a cut at the head or tail.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "engine/item_store.h"
#include "tests/unit/units.h"

void unit_item_store(void);

enum { ITEMS = 60000, RECORD = 16, LINE_MOST = 40, ORIGINS = 3, LARGE = 50000 };

enum memory { ENOUGH = 64 << 20, LITTLE = 1 };

struct row {
	const char *about;
	bool        lines;
	size_t      items;
	unsigned    values, threads;
	uint64_t    memory;
	uint64_t    least, most;	/* items of a group that leaves; 0: no groups */
	uint64_t    head, tail;		/* 0: all leave */
	uint64_t    limited;		/* to so many, by gs_engine.limit(); 0: it is not called */
	enum gs_set_keep keep;		/* of a set of so many ORIGINS; 0: there is none */
	bool        origins, verify, puts, distinct;
	bool        same;		/* records have no numbers: equal ones are the same */
	bool        firsts;		/* the first of each group, in the order of the input */
	size_t      emit_at, emit_bytes;
	uint64_t    enough;		/* the sink stops after this many items; 0: never */
	bool        grows;		/* memory, for a large item */
	bool        fails;		/* the sink fails at its second call */
	unsigned    last_call;		/* the sink has enough at this call; 0: it does not count them */
	bool        asleep;		/* the sink waits until no other thread works */
	const struct gs_item_order *order;	/* a wrong one; or NULL */
	const char *program;		/* compresses what is on disk; or NULL */
};

#define GROUPS	.least = 1, .most = UINT64_MAX

static const struct row rows[] = {
	{ "no items", false, 0, 9, 2, ENOUGH, .verify = true },
	{ "one item", true, 1, 9, 2, ENOUGH, .verify = true },
	{ "records", false, ITEMS, 5000, 3, ENOUGH, .verify = true },
	{ "records by one thread", false, ITEMS, 5000, 1, ENOUGH, .head = 0 },
	{ "equal records", false, ITEMS, 1, 3, ENOUGH, .verify = true },
	{ "records in files", false, ITEMS, 5000, 2, LITTLE, .verify = true },
	{ "equal records in files", false, ITEMS, 1, 2, LITTLE, .verify = true },
	{ "records in files, by one packer", false, ITEMS, 5000, 2, LITTLE, .verify = true,
	  .program = "lz4" },
	{ "records that are put", false, ITEMS, 5000, 3, ENOUGH, .puts = true },
	{ "records of a file that are put", false, ITEMS, 50, 2, LITTLE, .verify = true, .puts = true },
	{ "a part of each record", false, ITEMS, 5000, 3, ENOUGH, .emit_at = 8, .emit_bytes = 8 },
	{ "records of origins", false, ITEMS, 20, 3, ENOUGH, .origins = true, .verify = true },
	{ "records of origins in files", false, ITEMS, 20, 2, LITTLE, .origins = true, .verify = true },
	{ "lines", true, ITEMS, 200, 3, ENOUGH, .verify = true },
	{ "lines in files", true, ITEMS, 200, 2, LITTLE, .verify = true },
	{ "groups", false, ITEMS, 5000, 3, ENOUGH, GROUPS, .verify = true },
	{ "groups in files", false, ITEMS, 5000, 2, LITTLE, GROUPS, .verify = true },
	{ "one group", false, ITEMS, 1, 3, ENOUGH, GROUPS, .verify = true },
	{ "groups of the same records", false, ITEMS, 5000, 3, ENOUGH, GROUPS, .verify = true, .same = true },
	{ "groups of the same records in files", false, ITEMS, 5000, 2, LITTLE, .least = 9, .most = 12,
	  .verify = true, .same = true },
	{ "one group of so many", false, ITEMS, 1, 3, ENOUGH, .least = ITEMS, .most = ITEMS },
	{ "one group of more", false, ITEMS, 1, 3, ENOUGH, .least = 1, .most = ITEMS - 1 },
	{ "one group of fewer", true, ITEMS, 1, 3, ENOUGH, .least = ITEMS + 1, .most = UINT64_MAX },
	{ "groups of one item", false, ITEMS, 60000, 3, ENOUGH, .least = 1, .most = 1, .verify = true },
	{ "groups of several items", true, ITEMS, 200, 3, ENOUGH, .least = 2, .most = 300, .verify = true },
	{ "a head", false, ITEMS, 5000, 3, ENOUGH, .head = 777 },
	{ "a head in files", true, ITEMS, 200, 2, LITTLE, .head = 20000 },
	{ "a head of 40 threads", true, ITEMS, 200, 40, UINT64_C(8) << 30, .head = 777 },
	{ "a head of all", false, ITEMS, 5000, 3, ENOUGH, .head = ITEMS },
	{ "a head of groups", false, ITEMS, 5000, 3, ENOUGH, .least = 12, .most = 15, .head = 777 },
	{ "a tail", false, ITEMS, 5000, 3, ENOUGH, .tail = 777 },
	{ "a tail in files", true, ITEMS, 200, 2, LITTLE, .tail = 30000 },
	{ "a tail of groups", false, ITEMS, 5000, 3, ENOUGH, GROUPS, .tail = 777 },
	{ "a limited head", false, ITEMS, 5000, 3, ENOUGH, .head = 777, .limited = 70 },
	{ "a limited tail", true, ITEMS, 200, 3, ENOUGH, GROUPS, .tail = 100, .limited = 7 },
	{ "a union", false, ITEMS, 5000, 3, ENOUGH, .keep = GS_KEEP_UNION, .verify = true },
	{ "a union of equal lines", true, ITEMS, 1, 3, ENOUGH, .keep = GS_KEEP_UNION, .verify = true },
	{ "a union in files", true, ITEMS, 3, 2, LITTLE, .keep = GS_KEEP_UNION, .verify = true },
	{ "an intersection", false, ITEMS, 9000, 1, ENOUGH, .keep = GS_KEEP_INTERSECTION },
	{ "an intersection of equal records", false, ITEMS, 1, 3, ENOUGH, .keep = GS_KEEP_INTERSECTION },
	{ "an intersection in files, distinct", false, ITEMS, 5000, 2, LITTLE, GROUPS, .distinct = true,
	  .keep = GS_KEEP_INTERSECTION, .verify = true },
	{ "a difference", true, ITEMS, 200, 3, ENOUGH, .keep = GS_KEEP_DIFFERENCE, .head = 100 },
	{ "a difference of many records", false, ITEMS, 60000, 3, ENOUGH, .keep = GS_KEEP_DIFFERENCE },
	{ "a difference of equal records in files", false, ITEMS, 2, 2, LITTLE, .keep = GS_KEEP_DIFFERENCE },
	{ "a symmetric difference", false, ITEMS, 5000, 3, ENOUGH, .tail = 500, .keep = GS_KEEP_SYMMETRIC },
	{ "groups of a symmetric difference", false, ITEMS, 5000, 2, LITTLE, .least = 2, .most = 4,
	  .keep = GS_KEEP_SYMMETRIC, .verify = true },
	{ "one group, symmetric", true, ITEMS, 1, 2, ENOUGH, GROUPS, .keep = GS_KEEP_SYMMETRIC },
	{ "one group of a set, of so many", false, ITEMS, 1, 3, ENOUGH, .least = ITEMS / 3, .most = ITEMS / 3,
	  .keep = GS_KEEP_INTERSECTION },
	{ "one group of a set, of more", true, ITEMS, 1, 3, ENOUGH, .least = 1, .most = ITEMS / 3 - 1,
	  .keep = GS_KEEP_INTERSECTION },
	{ "one group of a set, of fewer", false, ITEMS, 1, 3, ENOUGH, .least = ITEMS / 3 + 1,
	  .most = UINT64_MAX, .keep = GS_KEEP_INTERSECTION },
	{ "first items", false, ITEMS, 5000, 3, ENOUGH, GROUPS, .firsts = true, .verify = true },
	{ "first items in files", false, ITEMS, 60000, 2, LITTLE, GROUPS, .firsts = true, .verify = true },
	{ "a head of first items, cut", false, ITEMS, 5000, 3, ENOUGH, GROUPS, .firsts = true, .head = 777,
	  .verify = true, .emit_bytes = 8 },
	{ "a tail of first items", false, ITEMS, 60000, 3, ENOUGH, .least = 1, .most = 1, .firsts = true,
	  .tail = 777, .verify = true },
	{ "a sink that has enough", false, ITEMS, 5000, 3, ENOUGH, .enough = 9 },
	{ "a head that is put", false, ITEMS, 5000, 3, ENOUGH, .head = 20000, .puts = true },
	{ "a tail in files that is put", false, ITEMS, 5000, 2, LITTLE, .tail = 20001, .puts = true },
	{ "a sink that fails while all others wait", true, ITEMS, 200, 3, LITTLE, .fails = true,
	  .asleep = true },
	{ "a sink that goes on when all others wait", true, ITEMS, 200, 3, LITTLE, .asleep = true },
	{ "a sink that fails", true, ITEMS, 200, 3, ENOUGH, .fails = true },
	{ "a sink of groups in files that fails", false, ITEMS, 5000, 2, LITTLE, GROUPS, .fails = true },
	{ "a sink that fails, of one thread", false, ITEMS, 5000, 1, LITTLE, .fails = true },
	{ "a sink that fails to put items", false, ITEMS, 5000, 3, ENOUGH, .puts = true, .fails = true },
};

struct item {
	const char *data;
	size_t      bytes;
	uint64_t    word;
	size_t      group;	/* items that are equal to it */
};

static struct item items[ITEMS], sorted[ITEMS];
static char *memory, *got;	/* of all items, and what leaves */
static uint64_t got_times[ITEMS];
static const char *temp_dir;

static uint64_t
word_of(const char *data)
{
	uint64_t word = 0;

	for (size_t b = 0; b < 8; b++)
		word = word << 8 | (uint8_t)data[b];
	return word;
}

static bool
words_of(const void *context, const char *const *list, const uint32_t *bytes, size_t count,
         unsigned at, uint64_t *words)
{
	(void)context, (void)bytes;
	for (size_t i = 0; i < count; i++)
		words[i] = at == 0 ? word_of(list[i]) : 0;
	return false;
}

/* An order that turns around, once all items are in their buckets. */
static bool turned;

static bool
turning_words(const void *context, const char *const *list, const uint32_t *bytes, size_t count,
              unsigned at, uint64_t *words)
{
	(void)words_of(context, list, bytes, count, at, words);
	for (size_t i = 0; i < count && turned && at == 0; i++)
		words[i] = ~words[i];
	return false;
}

/* All words tie, and each item is less than any other. */
static bool
no_words(const void *context, const char *const *list, const uint32_t *bytes, size_t count,
         unsigned at, uint64_t *words)
{
	(void)context, (void)list, (void)bytes, (void)at;
	memset(words, 0, count * sizeof *words);
	return false;
}

static int
always_less(const void *context, const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	(void)context, (void)one, (void)one_bytes, (void)other, (void)other_bytes;
	return -1;
}

static const struct gs_item_order turning = { .item_bytes = RECORD, .words = turning_words };
static const struct gs_item_order less = {
	.item_bytes = RECORD, .words = no_words, .compare = always_less,
};
static const struct gs_item_order records = { .item_bytes = RECORD, .words = words_of };
static const struct gs_item_order lines = { .end = units_line_end, .words = units_first_byte };

/* ---- the model -------------------------------------------------------------------------- */

static void
make_items(const struct row *row)
{
	char *to = memory;

	for (size_t i = 0; i < row->items; i++) {
		const uint64_t value = units_mix(i) % row->values;
		struct item *item = &items[i];

		if (row->lines) {
			item->word = 32 + value % 200;
			item->bytes = (size_t)sprintf(to, "%c%zu:%.*s\n", (int)item->word, i, (int)(i % 23),
			                              "-----------------------");
		} else {
			const size_t number = row->same ? 0 : i;

			item->word = units_mix(value);
			item->bytes = RECORD;
			for (size_t b = 0; b < 8; b++)
				to[b] = (char)(item->word >> (56 - 8 * b));
			memcpy(to + 8, &number, sizeof number);
		}
		item->data = to;
		to += item->bytes;
	}
}

/* By word; equal ones by their place in the input, which is that in memory. */
static int
compare(const void *a, const void *b)
{
	const struct item *one = a, *other = b;

	return one->word != other->word ? (one->word < other->word ? -1 : 1)
	                                : (one->data > other->data) - (one->data < other->data);
}

static int
compare_places(const void *a, const void *b)
{
	const struct item *one = a, *other = b;

	return (one->data > other->data) - (one->data < other->data);
}

/* The items that a set keeps from COUNT equal items, ordered by origin; returns how many. */
static size_t
combine(const struct row *row, const struct item *group, size_t count, struct item *kept)
{
	static struct item side[ITEMS], result[ITEMS];
	size_t at = 0, kept_count = 0;

	for (unsigned o = 1; o <= ORIGINS; o++) {
		const struct item *last = &items[row->items / ORIGINS * o - 1];
		size_t sides = 0, results = 0;

		for (; at < count && group[at].data <= last->data; at++)
			side[sides++] = group[at];
		if (row->distinct && sides > 1)
			sides = 1;
		for (size_t i = 0; i < kept_count || i < sides; i++) {
			const bool a = i < kept_count, b = i < sides;
			const enum gs_set_keep passes = a && b ? GS_KEEP_BOTH : a ? GS_KEEP_A : GS_KEEP_B;

			if (o == 1 || (passes & row->keep) != 0)
				result[results++] = a ? kept[i] : side[i];
		}
		memcpy(kept, result, results * sizeof *result);
		kept_count = results;
	}
	return kept_count;
}

/* Write the expected items to SORTED; returns how many. */
static size_t
select_items(const struct row *row)
{
	static struct item group[ITEMS], of_set[ITEMS];
	size_t count = 0, first;
	uint64_t wanted = row->limited > 0 ? row->limited : row->head > 0 ? row->head : row->tail;

	memcpy(sorted, items, row->items * sizeof *items);
	qsort(sorted, row->items, sizeof *sorted, compare);
	for (size_t i = 0; i < row->items; i = first) {
		size_t kept;

		for (first = i; first < row->items && sorted[first].word == sorted[i].word; first++)
			group[first - i] = sorted[first];
		kept = first - i;
		memcpy(of_set, group, kept * sizeof *group);
		if (row->keep > 0)
			kept = combine(row, of_set, kept, group);
		group[0].group = kept;
		if (row->most > 0)
			kept = kept > 0 && kept >= row->least && kept <= row->most;
		memcpy(sorted + count, group, kept * sizeof *group);
		count += kept;
	}
	if (row->firsts)
		qsort(sorted, count, sizeof *sorted, compare_places);
	if (wanted == 0 || wanted > count)
		return count;
	if (row->head == 0)
		memmove(sorted, sorted + count - wanted, wanted * sizeof *sorted);
	return wanted;
}

/* ---- the store -------------------------------------------------------------------------- */

static struct gs_item_firsts *firsts;	/* opened in place of a store by a row of FIRSTS */

static gs_status
open_store(const struct row *row, struct gs_item_store **store)
{
	static struct gs_monitor monitor;
	const struct gs_item_store_options options = {
		.order = row->order != NULL ? row->order : row->lines ? &lines : &records,
		.facts = {
			.memory_bytes = row->memory, .threads = row->threads,
			.item_bytes = row->lines ? 0 : RECORD, .input_bytes = UINT64_MAX,
		},
		.temp_dirs = &temp_dir, .temp_dir_count = 1, .address_bytes = UINT64_C(1) << 46,
		.compress_program = row->program, .grows = row->grows,
		.groups = row->most > 0, .least = row->least, .most = row->most,
		.head = row->head > 0, .tail = row->tail > 0, .count = row->head + row->tail,
		.origins = row->origins, .verify = row->verify,
		.set = { row->keep, row->keep > 0 ? ORIGINS : 0, row->distinct },
		.cut = { .at = row->emit_at, .bytes = row->emit_bytes },
	};

	return row->firsts ? gs_item_firsts_open(&firsts, &options, 8, &monitor)
	                   : gs_item_store_open(store, &options, &monitor);
}

static struct gs_engine
engine_of(const struct row *row, struct gs_item_store *store)
{
	return row->firsts ? gs_item_firsts_engine(firsts) : gs_item_store_engine(store);
}

/* Add items in pieces, by one thread after the other; with origins, a third of all from each in turn, and
 * of a set from one after the other. */
static gs_status
fill(const struct row *row, const struct gs_taker *taker)
{
	const unsigned origins = row->origins || row->keep > 0 ? ORIGINS : 1;
	const size_t each = row->items / origins;
	size_t at[ORIGINS] = { 0 };
	unsigned worker = 0;

	if (row->origins)
		TRY(taker->sample(taker->context, memory, row->items / 10 * RECORD));
	for (unsigned o = 0, ended = 0; ended < origins; o = (o + (row->keep == 0 || ended > 0)) % origins) {
		const char *data = items[o * each + at[o]].data;
		size_t bytes = 0, room;

		for (; at[o] < each && bytes + items[o * each + at[o]].bytes <= taker->piece_bytes; at[o]++)
			bytes += items[o * each + at[o]].bytes;
		ended = at[o] == each ? ended + 1 : 0;
		if (bytes == 0)
			continue;
		TRY(taker->reserve(taker->context, bytes, 1, &room));
		taker->add(taker->context, worker, gs_taker_next_sequence(taker, 0, 1), &(struct gs_piece){
			.slices = &(const struct gs_item_slice){ data, bytes }, .count = 1, .origin = o,
		});
		worker = (worker + 1) % row->threads;
		gs_taker_end_round(taker);
	}
	return GS_OK;
}

/* ---- draining --------------------------------------------------------------------------- */

struct drained {
	const struct row *row;
	size_t   count, bytes, wrong;
	bool     ended;
	_Atomic size_t put;
	_Atomic unsigned calls;
};

/* Does another thread of this process work? */
static bool
works_another(void)
{
	DIR *tasks = opendir("/proc/self/task");
	bool works = false;

	for (struct dirent *entry; tasks != NULL && (entry = readdir(tasks)) != NULL;) {
		char name[300], text[200];
		FILE *file;

		snprintf(name, sizeof name, "/proc/self/task/%s/stat", entry->d_name);
		file = atoi(entry->d_name) > 0 && atoi(entry->d_name) != gettid() ? fopen(name, "r") : NULL;
		works |= file != NULL && fgets(text, sizeof text, file) != NULL &&
		         strstr(text, ") S ") == NULL;
		if (file != NULL)
			fclose(file);
	}
	if (tasks != NULL)
		closedir(tasks);
	return works;
}

/* Nothing follows the failed call, except items that other threads put meanwhile. */
static gs_status
count_call(struct drained *drained)
{
	const unsigned calls = atomic_fetch_add(&drained->calls, 1);

	if (!drained->row->fails || calls < 1)
		return GS_OK;
	drained->wrong += calls > 1 && !drained->row->puts;
	return gs_fail(GS_EIO, "the disk is full");
}

static gs_status
take(void *context, struct gs_sorted_span *span)
{
	struct drained *drained = context;
	const struct gs_span *items_of = &span->span;

	for (unsigned try = 0; drained->row->asleep && try < 1000 && works_another(); try++)
		usleep(1000);
	TRY(count_call(drained));
	drained->wrong += drained->ended || span->slot != GS_NO_SLOT || items_of->key_bits != 0 ||
	                  (items_of->times != NULL) != (drained->row->most > 0 && !drained->row->firsts);
	if (drained->count + items_of->count > ITEMS || drained->wrong > 0) {
		drained->wrong++;
		return GS_OK;
	}
	for (size_t i = 0; i < items_of->count && items_of->times != NULL; i++)
		got_times[drained->count + i] = items_of->times[i];
	memcpy(got + drained->bytes, items_of->items, items_of->bytes);
	drained->bytes += items_of->bytes;
	drained->count += items_of->count;
	span->enough = drained->ended = (drained->row->enough > 0 && drained->count >= drained->row->enough &&
	                                 drained->calls >= drained->row->last_call);
	return GS_OK;
}

static gs_status
put(void *context, uint64_t at, const struct gs_span *span)
{
	struct drained *drained = context;

	TRY(count_call(drained));
	if (at + span->count <= ITEMS && span->bytes == span->count * RECORD)
		memcpy(got + at * RECORD, span->items, span->bytes);
	atomic_fetch_add(&drained->put, span->count);
	return GS_OK;
}

/* Of what left: each is the whole item that the model has there, or the part of it that is emitted. */
static void
check_items(const struct row *row, const struct drained *drained, size_t count)
{
	const char *at = got;
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		const size_t bytes = row->emit_bytes > 0 ? row->emit_bytes : sorted[i].bytes;

		wrong += memcmp(at, sorted[i].data + row->emit_at, bytes) != 0 ||
		         (row->most > 0 && !row->firsts && got_times[i] != sorted[i].group);
		at += bytes;
	}
	CHECK(wrong == 0, "%s: %zu of %zu items are wrong", row->about, wrong, count);
	CHECK(row->puts || row->enough > 0 || drained->bytes == (size_t)(at - got), "%s: %zu bytes",
	      row->about, drained->bytes);
}

/* All items were drained before any was selected. */
static void
check_digest(const struct row *row, const struct gs_item_digest *digest)
{
	const struct gs_item_order *order = row->lines ? &lines : &records;
	const struct item *end = &items[row->items > 0 ? row->items - 1 : 0];
	const size_t bytes = row->items > 0 ? (size_t)(end->data + end->bytes - memory) : 0;
	const struct gs_item_slice all = { memory, bytes };
	const struct item *first = &items[0], *last = &items[0];

	for (size_t i = 0; i < row->items; i++) {
		first = items[i].word < first->word ? &items[i] : first;
		last = items[i].word >= last->word ? &items[i] : last;
	}
	CHECK(digest->sum == gs_items_sum(order, &all) && !digest->falls, "%s: the sum is that of the input",
	      row->about);
	CHECK(row->items == 0 ? digest->first == NULL : digest->first_bytes == first->bytes &&
	      memcmp(digest->first, first->data, first->bytes) == 0 && digest->last_bytes == last->bytes &&
	      memcmp(digest->last, last->data, last->bytes) == 0,
	      "%s: the ends are those of all items", row->about);
}

static void
check_row(const struct row *row)
{
	struct drained drained = { .row = row };
	const struct gs_span_sink sink = {
		.take = take, .put = row->puts ? put : NULL, .groups = row->most > 0 && !row->firsts,
		.context = &drained,
	};
	struct gsort_stats stats = { .keys = 0 };
	struct gs_item_store *store = NULL;
	struct gs_engine engine;
	void *context;
	size_t count;
	uint64_t out = 0;

	firsts = NULL;
	make_items(row);
	CHECK(open_store(row, &store) == GS_OK, "%s: %s", row->about, gs_message());
	engine = engine_of(row, store);
	context = engine.context;
	CHECK(fill(row, &engine.taker) == GS_OK && engine.finish(context) == GS_OK, "%s: it is filled: %s",
	      row->about, gs_message());
	CHECK(engine.count(context, 0) == row->items && engine.count(context, 1) == 0, "%s: all are counted",
	      row->about);
	count = select_items(row);
	CHECK(engine.count_out(context, &out) == GS_OK && (row->limited > 0 || out == count),
	      "%s: %llu will leave, not %zu", row->about, (unsigned long long)out, count);
	if (row->limited > 0)
		engine.limit(context, row->limited);
	CHECK(engine.drain(context, 0, &sink) == (row->fails ? GS_EIO : GS_OK) && drained.wrong == 0,
	      "%s: %zu spans are wrong: %s", row->about, drained.wrong, gs_message());
	if (row->fails) {
		CHECK(strcmp(gs_message(), "the disk is full") == 0 && drained.count + drained.put < count,
		      "%s: it says why: %s", row->about, gs_message());
		gs_item_store_close(store);
		return;
	}
	CHECK(row->enough > 0 ? drained.count >= row->enough && drained.count < count
	      : drained.count + drained.put == count, "%s: %zu leave, not %zu", row->about, drained.count,
	      count);
	CHECK(!row->puts || drained.count == 0 || row->verify, "%s: all are put", row->about);
	if (!row->puts || drained.count == 0)
		check_items(row, &drained, row->enough > 0 ? row->enough : count);
	if (row->verify)
		check_digest(row, engine.digest(context));
	engine.stats(context, &stats);
	CHECK((stats.spilled_bytes > 0) == (row->memory == LITTLE) &&
	      (stats.runs > 0) == (row->memory == LITTLE), "%s: %llu bytes in files", row->about,
	      (unsigned long long)stats.spilled_bytes);
	CHECK(row->program == NULL ||
	      stats.spilled_bytes < (uint64_t)(items[ITEMS - 1].data - memory) * 3 / 2,
	      "%s: %llu bytes in files", row->about, (unsigned long long)stats.spilled_bytes);
	CHECK(!row->firsts || row->memory != LITTLE ||
	      stats.spilled_bytes == 2 * (row->items + count) * RECORD,
	      "%s: %llu bytes in files, where all are divided twice", row->about,
	      (unsigned long long)stats.spilled_bytes);
	gs_item_store_close(store);
	gs_item_firsts_close(firsts);
}

/* ---- errors ----------------------------------------------------------------------------- */

/* All steps of a job; *OUT items will leave. */
static gs_status
sort_all(const struct row *row, struct drained *drained, const struct gs_engine *engine, uint64_t *out)
{
	const struct gs_span_sink sink = {
		.take = take, .groups = row->most > 0 && !row->firsts, .context = drained,
	};

	TRY(fill(row, &engine->taker));
	TRY(engine->finish(engine->context));
	TRY(engine->count_out(engine->context, out));
	TRY(engine->drain(engine->context, 0, &sink));
	if (row->verify)
		check_digest(row, engine->digest(engine->context));
	return GS_OK;
}

/* Each of the first calls to the system fails in turn, and some of the others: that is an error, or the
 * result is right without it. */
static void
check_failures(const struct row *row)
{
	unsigned errors = 0;
	bool failed = true;
	size_t count, taken = 0;

	make_items(row);
	count = select_items(row);
	for (long number = 0; failed; number += number < 40 ? 1 : number / 16) {
		struct drained drained = { .row = row };
		struct gs_item_store *store = NULL;
		struct gs_engine engine;
		uint64_t out = count;
		gs_status status;

		firsts = NULL;
		units_fail(number);
		status = open_store(row, &store);
		if (status == GS_OK) {
			engine = engine_of(row, store);
			status = sort_all(row, &drained, &engine, &out);
		}
		failed = units_has_failed();
		errors += status != GS_OK;
		CHECK(status == GS_OK || (failed && (status == GS_EBUDGET || status == GS_EIO)),
		      "%s: call %ld fails: status %d, %s", row->about, number, (int)status, gs_message());
		CHECK(status != GS_OK || (drained.wrong == 0 && drained.count == count && out == count),
		      "%s: call %ld fails: %zu items leave, not %zu", row->about, number, drained.count,
		      count);
		if (status == GS_OK && drained.count == count)
			check_items(row, &drained, count);
		if (status == GS_OK) {
			struct gsort_stats stats = { .keys = 0 };

			engine.stats(engine.context, &stats);
			CHECK((stats.spilled_bytes > 0) == (row->memory == LITTLE), "%s: %llu bytes in files",
			      row->about, (unsigned long long)stats.spilled_bytes);
		}
		gs_item_store_close(store);
		gs_item_firsts_close(firsts);
		taken = number == 0 ? units_memory() : taken;
		CHECK(units_memory() == taken, "%s: call %ld fails: %zd bytes of memory are not given back",
		      row->about, number, (ssize_t)(units_memory() - taken));
	}
	CHECK(errors > 10, "%s: %u errors", row->about, errors);
}

/* Verifying reports items out of order: within a part, or between two parts. */
static void
check_falls(void)
{
	static const struct row falling[] = {
		{ "parts that fall", false, ITEMS, 5000, 2, LITTLE, .verify = true, .order = &turning },
		{ "first items that fall", false, ITEMS, 5000, 2, LITTLE, GROUPS, .verify = true,
		  .order = &turning, .firsts = true },
		{ "a part that falls", false, 50, 5000, 2, ENOUGH, .verify = true, .order = &less },
		{ "groups that fall", false, 50, 5000, 2, ENOUGH, GROUPS, .verify = true, .order = &less },
	};

	for (size_t r = 0; r < sizeof falling / sizeof falling[0]; r++) {
		const struct row *row = &falling[r];
		struct drained drained = { .row = row };
		const struct gs_span_sink sink = {
			.take = take, .groups = row->most > 0 && !row->firsts, .context = &drained,
		};
		struct gs_item_store *store = NULL;
		struct gs_engine engine;

		firsts = NULL;
		make_items(row);
		CHECK(open_store(row, &store) == GS_OK, "%s: %s", row->about, gs_message());
		engine = engine_of(row, store);
		CHECK(fill(row, &engine.taker) == GS_OK, "%s: it is filled", row->about);
		turned = true;
		CHECK(engine.finish(engine.context) == GS_OK &&
		      engine.drain(engine.context, 0, &sink) == GS_OK &&
		      engine.digest(engine.context)->falls, "%s: that is told: %s", row->about, gs_message());
		turned = false;
		gs_item_store_close(store);
		gs_item_firsts_close(firsts);
	}
}

/* How many bins are wanted, by bytes, by items, and by the extents that memory holds. */
static void
check_wanted(void)
{
	static const struct {
		uint64_t bytes, items;
		unsigned operands, wanted;
		size_t   extents, most_items;
	} cases[] = {
		{ 1000, 0, 0, 11, 0, 30 }, { 999, 0, 0, 10, 0, 30 }, { 10, 99, 0, 10, 0, 30 },
		{ 10, 98, 0, 9, 0, 30 }, { 10, 98, 0, 10, 0, 29 }, { 1000, 98, 0, 11, 0, 30 },
		{ 10000, 0, 0, 54, 600, 30 }, { 10000, 0, 4, 40, 600, 30 }, { 10000, 0, 0, 8, 50, 30 },
		{ 9999, 0, 0, 60, 600, 30 }, { 500, 0, 0, 6, 600, 30 }, { 500, 0, 0, 6, 5, 30 },
		{ UINT64_C(1) << 40, 0, 0, GS_ITEM_BINS_MOST, 0, 30 }, { 102300, 0, 0, 1024, 0, 30 },
		{ 102200, 0, 0, 1023, 0, 30 },
	};

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		const struct gs_item_limits limits = {
			.items = cases[c].most_items, .bytes = 1000, .bin_bytes = 100,
			.extents = cases[c].extents, .memory_bytes = 1000,
		};
		const unsigned wanted = gs_item_buckets_wanted(cases[c].bytes, cases[c].items,
		                                               cases[c].operands, &limits);

		CHECK(wanted == cases[c].wanted, "case %zu: %u bins, not %u", c, wanted, cases[c].wanted);
	}
}

/* The -S that a message names for a large item: that of each share, times their number. */
static void
check_named(void)
{
	static const struct {
		size_t   bytes;
		unsigned share;
		uint64_t beside;
		unsigned shares, mib;
	} cases[] = {
		{ 3 << 20, 5, 0, 1, 36 }, { 3 << 20, 5, 0, 0, 36 }, { 3 << 20, 5, 0, 3, 108 },
		{ (3 << 20) + 1, 10, (15 << 20) - 1, 1, 51 }, { 3 << 20, 10, 15 << 20, 1, 51 },
		{ 3 << 20, 10, 16 << 20, 2, 104 }, { 1, 3, 99 << 20, 1, 105 },
	};

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		char named[40];

		snprintf(named, sizeof named, "'--buffer-size=%uM' (-S)", cases[c].mib);
		CHECK(gs_item_fail_large(cases[c].bytes, cases[c].share, cases[c].beside, cases[c].shares) ==
		      GS_EBUDGET && strstr(gs_message(), named) != NULL, "%s, not %s", named, gs_message());
	}
	/* first items: two stores have a share each */
	for (unsigned shares = 0; shares < 4; shares++) {
		const struct gs_item_store_options options = {
			.order = &records,
			.facts = { .memory_bytes = ENOUGH, .threads = 1, .item_bytes = RECORD },
			.shares = shares, .temp_dirs = &temp_dir, .temp_dir_count = 1,
		};
		static struct gs_monitor monitor;
		struct gs_taker taker;
		char named[40];
		size_t room;

		snprintf(named, sizeof named, "'--buffer-size=%uM' (-S)",
		         2 * (shares > 0 ? shares : 1) * (5 * 1024 + 5 + 16));
		CHECK(gs_item_firsts_open(&firsts, &options, 8, &monitor) == GS_OK, "two stores");
		taker = gs_item_firsts_engine(firsts).taker;
		CHECK(taker.reserve(taker.context, (size_t)1 << 30, 1, &room) == GS_EBUDGET &&
		      strstr(gs_message(), named) != NULL, "%s, not %s", named, gs_message());
		gs_item_firsts_close(firsts);
	}
}

/* For an item that is too large for it memory grows by three times its size, and no more. */
static void
check_growth(void)
{
	static const struct row row = { "an item that is large", true, 0, 9, 2, LITTLE, .grows = true };
	struct gs_item_store *store = NULL;
	struct gs_taker taker;
	size_t room[3] = { 0 };

	CHECK(open_store(&row, &store) == GS_OK, "a store that grows");
	taker = gs_item_store_engine(store).taker;
	for (size_t r = 0; r < 3; r++)
		CHECK(taker.reserve(taker.context, (size_t)1 << (20 + 2 * r), 1, &room[r]) == GS_OK,
		      "there is room: %s", gs_message());
	/* some of it is for the addresses of rows */
	CHECK(room[1] - room[0] <= 3 << 22 && room[1] - room[0] > 23 << 19 &&
	      room[2] - room[1] <= 3 << 24 && room[2] - room[1] > 23 << 21, "%zu, %zu, %zu bytes", room[0],
	      room[1], room[2]);
	gs_item_store_close(store);
}

static void
check_errors(void)
{
	static const struct row failing[] = {
		{ "failures of groups in files", false, 40000, 5000, 2, LITTLE, GROUPS, .tail = 777,
		  .verify = true },
		{ "failures of packed lines", true, 40000, 200, 2, LITTLE, .verify = true, .program = "lz4" },
		{ "failures of first items", false, 40000, 60000, 2, LITTLE, GROUPS, .firsts = true },
		{ "failures of a union in files", true, 40000, 3, 2, LITTLE, .keep = GS_KEEP_UNION },
		{ "failures in memory", false, 20000, 5000, 3, ENOUGH, .verify = true },
	};

	static const struct row row = { "errors", true, ITEMS, 200, 2, LITTLE, GROUPS };
	const char *usable = temp_dir;
	struct gs_item_store *store = NULL;
	struct gs_taker taker;
	size_t room;

	make_items(&row);
	temp_dir = "/does/not/exist";
	CHECK(open_store(&row, &store) == GS_OK, "a store");
	taker = gs_item_store_engine(store).taker;
	CHECK(fill(&row, &taker) == GS_EIO && strstr(gs_message(), temp_dir) != NULL, "no such folder: %s",
	      gs_message());
	gs_item_store_close(store);
	temp_dir = usable;
	CHECK(open_store(&row, &store) == GS_OK, "another store");
	taker = gs_item_store_engine(store).taker;
	CHECK(taker.reserve(taker.context, LARGE, 1, &room) == GS_OK && room >= LARGE,
	      "an item may be larger than a piece: %s", gs_message());
	CHECK(taker.reserve(taker.context, (size_t)1 << 30, 1, &room) == GS_EBUDGET, "but not than memory");
	CHECK(taker.lend(taker.context, LARGE) == GS_OK && taker.lend(taker.context, 0) == GS_OK,
	      "memory is lent: %s", gs_message());
	CHECK(taker.lend(taker.context, (size_t)1 << 30) == GS_EBUDGET, "but not more than there is");
	gs_item_store_close(store);
	check_growth();
	for (size_t r = 0; r < sizeof failing / sizeof failing[0]; r++)
		check_failures(&failing[r]);
}

void
unit_item_store(void)
{
	temp_dir = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
	memory = malloc((size_t)ITEMS * LINE_MOST);
	got = malloc((size_t)ITEMS * LINE_MOST);
	CHECK(memory != NULL && got != NULL, "there is memory");
	for (size_t r = 0; r < sizeof rows / sizeof rows[0] && got != NULL; r++)
		check_row(&rows[r]);
	for (unsigned keep = 0; keep < 8 && got != NULL; keep++)	/* each value fills several parts */
		check_row(&(struct row){
			.about = "a set of few values", .lines = keep % 2 == 0, .items = ITEMS, .values = 3,
			.threads = 2, .memory = LITTLE, .distinct = keep == 7,
			.keep = keep > 0 ? (enum gs_set_keep)keep : GS_KEEP_UNION,
		});
	/* each thread makes two parts ahead */
	for (unsigned call = 1; call <= 8 && got != NULL; call++)
		check_row(&(struct row){
			.about = "a sink that has enough while all others wait", .lines = true,
			.items = ITEMS, .values = 200, .threads = 3, .memory = LITTLE, .enough = 1,
			.last_call = call, .asleep = true,
		});
	check_falls();
	check_errors();
	check_named();
	check_wanted();
	free(memory);
	free(got);
}
