// SPDX-License-Identifier: BSD-2-Clause
/* external_merge.c - rows for src/spill/external_merge.c: any sources, however they give their keys */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/monitor.h"
#include "plan/plan.h"
#include "spill/spill.h"
#include "tests/unit/units.h"

void unit_external_merge(void);

enum { MOST_SOURCES = 100, NEVER = -1 };

/* Keys from a random number and the source; 32-bit keys are the upper half. */
static uint64_t any(uint64_t x, size_t source)   { (void)source; return x; }
static uint64_t equal(uint64_t x, size_t source) { (void)x; (void)source; return 7ull << 32; }
static uint64_t most(uint64_t x, size_t source)  { (void)source; return x % 4 ? UINT64_MAX : x; }
static uint64_t few(uint64_t x, size_t source)   { (void)source; return x % 3 << 32; }
static uint64_t apart(uint64_t x, size_t source) { return (uint64_t)source << 56 | x >> 8; }
static uint64_t dense(uint64_t x, size_t source) { return source == 0 ? x >> 6 : x; }

static const struct row {
	const char *name;
	size_t      sources;
	size_t      keys;	/* of each; every fifth source is empty, if UNEVEN */
	int         uneven;
	size_t      most;	/* keys in one read */
	uint64_t  (*key)(uint64_t x, size_t source);
} rows[] = {
	{ "no source at all is the end", 0, 0, 0, SIZE_MAX, any },
	{ "one source is passed through", 1, 300000, 0, SIZE_MAX, any },
	{ "one source without keys is the end", 1, 0, 0, SIZE_MAX, any },
	{ "two sources of any keys", 2, 100000, 0, SIZE_MAX, any },
	{ "two sources of equal keys", 2, 50000, 0, SIZE_MAX, equal },
	{ "two sources, all keys of one below the other's", 2, 50000, 0, SIZE_MAX, apart },
	{ "three sources, mostly the largest key", 3, 50000, 0, SIZE_MAX, most },
	{ "three sources that give ten keys at a time", 3, 5000, 0, 10, any },
	{ "three sources that give a key at a time", 3, 500, 0, 1, few },
	{ "five sources, one much denser", 5, 60000, 0, SIZE_MAX, dense },
	{ "five sources that are shorter than a window", 5, 100, 0, SIZE_MAX, any },
	{ "seven sources of one key each", 7, 1, 0, SIZE_MAX, any },
	{ "seven sources, some of them empty", 7, 30000, 1, 4096, any },
	{ "sixteen sources of equal keys", 16, 20000, 0, SIZE_MAX, equal },
	{ "sixteen sources one behind the other", 16, 20000, 0, 5000, apart },
	{ "a hundred sources, some of them empty", 100, 9000, 1, SIZE_MAX, any },
	{ "a hundred sources of three different keys", 100, 3000, 1, 777, few },
};

/* A source of a row, or of the test of errors. */
struct given {
	const char *keys;
	size_t      at, count;
	size_t      key_bytes;
	size_t      most;
	long        fails_at;	/* key, or NEVER */
	size_t      room;	/* the most that was asked for */
	unsigned    ends;	/* calls that were told the end, or the error */
	bool        waits;	/* the thread that opened the merge has called */
};

static pthread_t opener;
static bool alone;	/* no other thread can be started */

static struct given
give(const void *keys, size_t count, size_t key_bytes, size_t most_once, long fails_at)
{
	return (struct given){ .keys = keys, .count = count, .key_bytes = key_bytes, .most = most_once,
	                       .fails_at = fails_at };
}

static gs_status
read_given(void *context, void *into, size_t room, size_t *count)
{
	struct given *given = context;
	size_t keys = given->count - given->at;

	given->waits |= !alone && pthread_equal(pthread_self(), opener);
	given->room = room > given->room ? room : given->room;
	keys = keys < room ? keys : room;
	keys = keys < given->most ? keys : given->most;
	if (given->fails_at != NEVER && given->at + keys > (size_t)given->fails_at)
		keys = (size_t)given->fails_at - given->at;
	memcpy(into, given->keys + given->at * given->key_bytes, keys * given->key_bytes);
	given->at += keys;
	*count = keys;
	given->ends += keys == 0 || given->at == (size_t)given->fails_at;
	if (given->fails_at != NEVER && given->at == (size_t)given->fails_at)
		return gs_fail(GS_EIO, "source of %zu keys fails", given->count);
	return GS_OK;
}

/* Append a span, whose memory the borrower may change; one of no keys may have none. */
static void
append(const struct gs_span *span, unsigned bits, char *got, size_t *count)
{
	if (span->count == 0)
		return;
	memcpy(got + *count * (bits / 8), span->keys, span->count * (bits / 8));
	memset(span->keys, 0x55, span->count * (bits / 8));
	*count += span->count;
}

/* Drain all keys into GOT, spans that stay after the next call; returns how many, or SIZE_MAX if something is
 * odd.  *PASSED is set to the keys in spans that do not stay, as windows are passed on. */
static size_t
drain(struct gs_external_merge *merge, unsigned bits, char *got, size_t room, size_t *passed,
      gs_status *status)
{
	size_t count = 0;
	struct gs_span span, before = { .count = 0 };

	*passed = 0;
	while ((*status = gs_external_merge_next(merge, &span)) == GS_OK && span.count > 0) {
		if (span.key_bits != bits || count + before.count + span.count > room)
			return SIZE_MAX;
		append(&before, bits, got, &count);
		before = span;
		if (!span.stays) {
			*passed += span.count;
			append(&span, bits, got, &count);
			before.count = 0;
		}
	}
	append(&before, bits, got, &count);
	return count;
}

/* The keys of source S, sorted, from AT on in ALL and KEYS; how many. */
static size_t
fill(const struct row *row, size_t s, unsigned bits, size_t at, uint64_t *all, char *keys)
{
	const size_t count = !row->uneven ? row->keys : s % 5 == 2 ? 0 : row->keys / 2 + 13 * s;

	for (size_t i = 0; i < count; i++) {
		const uint64_t key = row->key(units_mix((uint64_t)s << 32 | i), s);

		all[at + i] = bits == 32 ? key >> 32 : key;
	}
	units_sort(all + at, count);
	for (size_t i = 0; i < count; i++)
		gs_key_put(keys, bits, at + i, all[at + i]);
	return count;
}

static void
check_row(const struct row *row, unsigned bits, unsigned threads, size_t memory_bytes)
{
	const size_t key_bytes = bits / 8, room = row->sources * (row->keys + 13 * MOST_SOURCES) + 1;
	struct gs_source sources[MOST_SOURCES];
	struct given given[MOST_SOURCES] = { { .keys = NULL } };
	uint64_t *all = malloc(room * sizeof *all);
	char *keys = malloc(room * key_bytes), *got = malloc(room * key_bytes);
	char *memory = malloc(memory_bytes);
	size_t total = 0, at, count = SIZE_MAX, passed = 0, windows = 0;
	struct gs_external_merge *merge;
	gs_status status;
	bool over = true;

	for (size_t s = 0; s < row->sources; s++) {
		const size_t filled = fill(row, s, bits, total, all, keys);

		given[s] = give(keys + total * key_bytes, filled, key_bytes, row->most, NEVER);
		sources[s] = (struct gs_source){ .read = read_given, .context = &given[s],
		                                 .side_by_side = threads > 2 && s % 3 > 0 };
		total += filled;
	}
	units_sort(all, total);
	status = gs_external_merge_open(&merge, memory, memory_bytes, bits, sources, row->sources, threads);
	if (status == GS_OK)
		count = drain(merge, bits, got, total, &passed, &status);
	gs_external_merge_close(merge);
	for (size_t s = 0; s < row->sources; s++) {
		over &= given[s].ends == 1 && !given[s].waits;
		windows += 2 * given[s].room * key_bytes;
	}
	for (at = 0; at < total && count == total; at++)
		if (gs_key_at(got, bits, at) != all[at])
			break;
	CHECK(status == GS_OK && count == total && at == total, "%s: %u bits, %u threads, %zu bytes",
	      row->name, bits, threads, memory_bytes);
	CHECK(over, "%s: another thread reads each source, until it ends", row->name);
	CHECK(row->sources > 2 || memory_bytes > 3000000 || (row->key != apart && row->sources > 1) ||
	      passed >= total / 2,
	      "%s: %zu of %zu keys are passed on as they are", row->name, passed, total);
	CHECK(row->key != any || row->sources < 2 || passed <= total / 2,
	      "%s: %zu of %zu keys do not stay", row->name, passed, total);
	CHECK(memory_bytes <= 3000000 || row->sources == 0 || windows > memory_bytes / 4 * 3,
	      "%s: windows take %zu bytes of %zu", row->name, windows, memory_bytes);
	free(memory);
	free(got);
	free(keys);
	free(all);
}

/* Sources 0, 1 .. of keys 0, 4, 8 ..; 1, 5, 9 ..; the row says which fail. */
static const struct {
	const char *name;
	long        fails_at[4];
	size_t      safe;	/* keys that come before the error does */
	const char *message;
} errors[] = {
	{ "no source fails", { NEVER, NEVER, NEVER, NEVER }, 40000, "" },
	{ "a source fails at once", { NEVER, 0, NEVER, NEVER }, 0, "source of 10001 keys fails" },
	/* Keys 4i + 2 are safe up to i = 4999, and all others up to that one. */
	{ "a source fails in the middle", { NEVER, NEVER, 5000, NEVER }, 4 * 5000 - 1,
	  "source of 10002 keys fails" },
	{ "the first error that matters is reported", { 9000, 8000, NEVER, 7000 }, 4 * 7000,
	  "source of 10003 keys fails" },
	{ "a source fails at its end", { 9999, NEVER, NEVER, NEVER }, 4 * 9998 + 1,
	  "source of 10000 keys fails" },
};

static void
check_error(size_t row, bool side_by_side)
{
	enum { KEYS = 10004 };
	const size_t memory_before = units_memory();
	static uint64_t keys[4][KEYS], got[4 * KEYS];
	struct given given[4];
	struct gs_source sources[4];
	const size_t memory_bytes = gs_plan_merge_least(4, 2);
	char *memory = malloc(memory_bytes);
	struct gs_external_merge *merge;
	size_t count = SIZE_MAX, at = 0, passed;
	gs_status status;
	bool over = true;

	for (size_t s = 0; s < 4; s++) {
		const bool fails = errors[row].fails_at[s] != NEVER;

		for (size_t i = 0; i < KEYS; i++)
			keys[s][i] = 4 * i + s;
		given[s] = give(keys[s], fails ? 10000 + s : 10000, sizeof keys[s][0], 1000,
		                errors[row].fails_at[s]);
		sources[s] = (struct gs_source){ .read = read_given, .context = &given[s],
		                                 .side_by_side = side_by_side };
	}
	status = gs_external_merge_open(&merge, memory, memory_bytes, 64, sources, 4, 2);
	if (status == GS_OK)
		count = drain(merge, 64, (char *)got, 4 * KEYS, &passed, &status);
	while (at < count && got[at] == at)
		at++;
	for (size_t s = 0; s < 4; s++)
		over &= given[s].ends <= 1 && !given[s].waits;
	CHECK(count == errors[row].safe && at == count && over &&
	      (status == GS_OK) == (errors[row].message[0] == '\0') &&
	      (status == GS_OK || strcmp(gs_message(), errors[row].message) == 0),
	      "%s: %zu keys, '%s'", errors[row].name, count, gs_message());
	gs_external_merge_close(merge);
	free(memory);
	CHECK(units_memory() == memory_before, "%s: %zd bytes are not given back", errors[row].name,
	      (ssize_t)(units_memory() - memory_before));
}

/* The greatest key of a source is its FIRST one, or the least is its last; a window has all of them. */
static void
check_turned(unsigned bits, bool first)
{
	enum { KEYS = 100 };
	const size_t memory_bytes = gs_plan_merge_least(2, 1);
	char *memory = malloc(memory_bytes);
	static uint64_t keys[2][KEYS], got[2 * KEYS];
	struct given given[2];
	struct gs_source sources[2];
	struct gs_external_merge *merge;
	size_t count = SIZE_MAX, good = 0, passed;
	gs_status status;

	for (size_t s = 0; s < 2; s++) {
		for (size_t i = 0; i < KEYS; i++)
			gs_key_put((char *)keys[s], bits, i, 2 * ((first ? i + KEYS - 1 : i + 1) % KEYS) + s);
		given[s] = give(keys[s], KEYS, bits / 8, SIZE_MAX, NEVER);
		sources[s] = (struct gs_source){ .read = read_given, .context = &given[s] };
	}
	status = gs_external_merge_open(&merge, memory, memory_bytes, bits, sources, 2, 1);
	if (status == GS_OK)
		count = drain(merge, bits, (char *)got, 2 * KEYS, &passed, &status);
	while (count == 2 * KEYS && good < count && gs_key_at((char *)got, bits, good) == good)
		good++;
	CHECK(status == GS_OK && good == 2 * KEYS, "the %s key is not at its place: %u bits, %zu of %zu",
	      first ? "first" : "last", bits, good, count);
	gs_external_merge_close(merge);
	free(memory);
}

/* Unordered keys come out unordered, but complete, and without an error; those of one source that checks them
 * itself, as they are. */
static void
check_disorder(unsigned bits, unsigned threads, size_t used, bool verified)
{
	enum { SOURCES = 5, KEYS = 40000 };
	static uint64_t all[SOURCES * KEYS];
	const size_t memory_bytes = gs_plan_merge_least(SOURCES, threads);
	char *memory = malloc(memory_bytes), *got = malloc(sizeof all);
	struct given given[SOURCES];
	struct gs_source sources[SOURCES];
	struct gs_external_merge *merge;
	uint64_t sum = 0;
	size_t count = SIZE_MAX, passed = 0;
	gs_status status;

	for (size_t i = 0; i < used * KEYS; i++) {
		gs_key_put((char *)all, bits, i, units_mix(i));
		sum += gs_key_at((char *)all, bits, i);
	}
	for (size_t s = 0; s < used; s++) {
		given[s] = give((char *)all + s * KEYS * (bits / 8), KEYS, bits / 8, SIZE_MAX, NEVER);
		sources[s] = (struct gs_source){ .read = read_given, .context = &given[s],
		                                 .verified = verified };
	}
	status = gs_external_merge_open(&merge, memory, memory_bytes, bits, sources, used, threads);
	if (status == GS_OK)
		count = drain(merge, bits, got, used * KEYS, &passed, &status);
	gs_external_merge_close(merge);
	for (size_t i = 0; i < count && count == used * KEYS; i++)
		sum -= gs_key_at(got, bits, i);
	CHECK(status == GS_OK && count == used * KEYS && sum == 0,
	      "%zu sources without order: %u bits, %u threads: %zu keys", used, bits, threads, count);
	CHECK(used > 1 || (memcmp(got, all, KEYS * (bits / 8)) == 0) == verified,
	      "keys of one source are%s as they were: %u bits", verified ? "" : " not", bits);
	free(memory);
	free(got);
}

/* A sink that takes SPANS of keys 0, 1, 2 ... */
struct taker {
	size_t count, spans, most;
	bool   good, fails;	/* instead of wanting no more */
};

static gs_status
take(void *context, struct gs_sorted_span *sorted)
{
	struct taker *taker = context;
	const struct gs_span *span = &sorted->span;

	taker->good &= !sorted->enough && sorted->slot == GS_NO_SLOT && sorted->number == taker->spans++ &&
	               span->key_class == 2 && span->count > 0;
	for (size_t i = 0; i < span->count; i++)
		taker->good &= gs_key_at(span->keys, span->key_bits, i) == taker->count++;
	sorted->enough = taker->spans == taker->most && !taker->fails;
	return taker->spans == taker->most && taker->fails ? gs_fail(GS_EIO, "the sink fails") : GS_OK;
}

static void
check_drain(size_t most, long fails_at, bool sink_fails)
{
	enum { KEYS = 300000 };
	static uint32_t keys[2][KEYS];
	struct given given[2];
	struct gs_source sources[2];
	const size_t memory_bytes = gs_plan_merge_least(2, 1);
	char *memory = malloc(memory_bytes);
	struct taker taker = { .most = most, .good = true, .fails = sink_fails };
	const struct gs_span_sink sink = { .take = take, .context = &taker };
	struct gs_external_merge *merge;
	struct gs_clock clock = { .ns = { 0 } };
	bool enough = false;
	gs_status status;

	for (size_t s = 0; s < 2; s++) {
		for (size_t i = 0; i < KEYS; i++)
			keys[s][i] = (uint32_t)(2 * i + s);
		given[s] = give(keys[s], KEYS, sizeof keys[0][0], 1000, NEVER);
		sources[s] = (struct gs_source){ .read = read_given, .context = &given[s] };
	}
	given[1].fails_at = fails_at;
	status = gs_external_merge_open(&merge, memory, memory_bytes, 32, sources, 2, 1);
	if (status == GS_OK)
		status = gs_external_merge_drain(merge, 2, &clock, &sink, &enough);
	gs_external_merge_close(merge);
	CHECK((clock.ns[GS_STAGE_MERGE] > 0) == (taker.count > 0), "a merge takes time");
	CHECK(taker.good && status == (fails_at == NEVER && !sink_fails ? GS_OK : GS_EIO),
	      "a sink takes keys in order");
	CHECK(enough == (most < SIZE_MAX && status == GS_OK), "and says whether that was enough");
	CHECK(most < SIZE_MAX ? taker.spans == most :
	      fails_at != NEVER ? taker.count == (size_t)fails_at * 2 : taker.count == 2 * KEYS,
	      "a sink that wants %zu spans takes %zu keys", most, taker.count);
	free(memory);
}

/* Sources that can be read side by side are: the first read() of each waits for the other's. */
struct meeting {
	pthread_mutex_t lock;
	pthread_cond_t  changed;
	unsigned        came;
};

static gs_status
meet(void *context, void *into, size_t room, size_t *count)
{
	struct meeting *meeting = context;

	(void)into, (void)room;
	pthread_mutex_lock(&meeting->lock);
	meeting->came++;
	pthread_cond_broadcast(&meeting->changed);
	while (meeting->came < 2)
		pthread_cond_wait(&meeting->changed, &meeting->lock);
	pthread_mutex_unlock(&meeting->lock);
	*count = 0;
	return GS_OK;
}

static void
check_together(void)
{
	struct meeting meeting = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
	const struct gs_source source = { .read = meet, .context = &meeting, .side_by_side = true };
	const struct gs_source sources[2] = { source, source };
	const size_t memory_bytes = gs_plan_merge_least(2, 2);
	char *memory = malloc(memory_bytes);
	struct gs_external_merge *merge;
	struct gs_span span;

	CHECK(gs_external_merge_open(&merge, memory, memory_bytes, 32, sources, 2, 2) == GS_OK &&
	      gs_external_merge_next(merge, &span) == GS_OK && span.count == 0,
	      "two sources are read at once");
	gs_external_merge_close(merge);
	free(memory);
}

/* Close when nothing, or something, was taken: nobody waits for the rest. */
static void
check_close(unsigned spans)
{
	enum { KEYS = 100000 };
	static uint32_t keys[2][KEYS];
	struct given given[2];
	struct gs_source sources[2];
	const size_t memory_bytes = gs_plan_merge_least(2, 1);
	char *memory = malloc(memory_bytes);
	struct gs_external_merge *merge;
	struct gs_span span = { .count = 1 };
	gs_status status;

	for (size_t s = 0; s < 2; s++) {
		given[s] = give(keys[s], KEYS, sizeof keys[0][0], 1000, NEVER);
		sources[s] = (struct gs_source){ .read = read_given, .context = &given[s] };
	}
	status = gs_external_merge_open(&merge, memory, memory_bytes, 32, sources, 2, 1);
	for (unsigned i = 0; i < spans && status == GS_OK; i++)
		status = gs_external_merge_next(merge, &span);
	gs_external_merge_close(merge);
	CHECK(status == GS_OK && span.count > 0, "closed after %u spans", spans);
	free(memory);
}

static void
merge_alone(void)
{
	alone = true;
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r += 3)
		check_row(&rows[r], 64, 3, gs_plan_merge_least(rows[r].sources, 3));
	check_error(2, true);
	check_close(0);
	check_close(1);
}

void
unit_external_merge(void)
{
	opener = pthread_self();
	for (unsigned row = 0; row < 4; row++)
		check_turned(row < 2 ? 32 : 64, row % 2);
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (unsigned bits = 32; bits <= 64; bits += 32)
			for (unsigned threads = 1; threads <= 3; threads++) {
				const size_t least = gs_plan_merge_least(rows[r].sources, threads);

				check_row(&rows[r], bits, threads, least);
				if (threads == 2)
					check_row(&rows[r], bits, threads, least + 3000001);
			}
	for (size_t r = 0; r < sizeof errors / sizeof errors[0]; r++)
		for (unsigned beside = 0; beside < 2; beside++)
			check_error(r, beside == 1);
	for (unsigned threads = 1; threads <= 3; threads++) {
		check_disorder(threads == 2 ? 32 : 64, threads, 5, true);
		check_disorder(32, threads, threads == 3 ? 1 : 5, false);
		check_disorder(64, threads, 5, false);
		check_disorder(32, threads, 1, true);
	}
	check_drain(SIZE_MAX, NEVER, false);
	check_drain(1, NEVER, false);
	check_drain(3, NEVER, false);
	check_drain(2, NEVER, true);
	check_drain(SIZE_MAX, 5000, false);
	check_together();
	units_denied(merge_alone, 0, 0, 0, 0);
	check_close(0);
	check_close(1);
	check_close(3);
}
