// SPDX-License-Identifier: BSD-2-Clause
/*
 * emit.c - rows for src/output/emit.c and delivered.c: whatever produces the sorted keys, the
 * output has the bytes of a model
 *
 * The model is the sorted values, of which one loop selects and printf(3) prints.  Each row runs with
 * every producer: one thread, one that counts, many threads with slots or strands, and a GPU that fails after
 * some spans and is followed by many threads.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "key/key.h"
#include "output/emit.h"
#include "sort/checksum.h"
#include "tests/unit/units.h"
#include "text/text.h"

void unit_emit(void);

enum {
	MOST = 300000, THREADS = 3, SLOTS = 2 * THREADS, PART_KEYS = 300, PRINT_KEYS = 500,
	FILES_MOST = 9, ELEMENT_BYTES = 32,	/* that a key becomes, at most */
	ALL_SPANS = 1 << 30
};

static const struct row {
	const char *about;
	struct gsort_options options;
	size_t  count;
	int64_t least, step;	/* values are LEAST + STEP * (0 .. DIFFERENT - 1), in equal numbers about */
	size_t  different;
	bool    to_pipe;
} rows[] = {
#define TEXT(...)	{ .type = GSORT_TEXT, __VA_ARGS__ }
#define U32(...)	{ .type = GSORT_U32, __VA_ARGS__ }
#define I64(...)	{ .type = GSORT_I64, __VA_ARGS__ }
#define FIRST(n)	.head = true, .head_count = (n)
#define LAST(n)		.tail = { .wanted = true, .count = (n) }
#define SAMPLE(n)	.sample = { .wanted = true, .count = (n) }, .seed = 3
#define TO(what)	.converts = true, .to = what
#define UP		.reverse = false
#define DOWN		.reverse = true
#define ANY		0, 3, 1 << 20, false
#define FEW		5, 1, 40, false
#define CLASSES		-3000000000, 1500000, 5000, false	/* all five of text */
	{ "nothing", U32(UP), 0, ANY },
	{ "one line", TEXT(.unique = true), 1, FEW },
	{ "keys as they are", U32(UP), 9000, ANY },
	{ "keys in the other byte order", I64(.endian = GSORT_ENDIAN_BIG), 9000, -9, 3, 60, false },
	{ "the largest first", U32(DOWN), 9000, ANY },
	{ "keys as text", U32(TO(GSORT_TEXT)), 9000, ANY },
	{ "text of all classes", TEXT(UP), 20000, CLASSES },
	{ "text, the largest first", TEXT(DOWN), 20000, CLASSES },
	{ "text as keys", TEXT(TO(GSORT_I64)), 20000, CLASSES },
	{ "one of equal keys", U32(.unique = true), 9000, FEW },
	{ "one of equal keys, which all differ", U32(.unique = true, DOWN), 9000, ANY },
	{ "one of equal lines", TEXT(.unique = true, DOWN), 20000, CLASSES },
	{ "one key many times", U32(.counts = true, TO(GSORT_TEXT)), 9000, 5, 1, 1, false },
	{ "counts of keys", U32(.counts = true), 9000, 5, 1, 3000, false },
	{ "counts of lines", TEXT(.counts = true), 20000, CLASSES },
	{ "keys that repeat", I64(.repeated = true), 9000, -5, 1, 9000, false },
	{ "lines that repeat, with counts", TEXT(.repeated = true, .counts = true), 9000, CLASSES },
	{ "keys that occur once", U32(.singletons = true), 9000, 5, 1, 9000, false },
	{ "the first keys", U32(FIRST(777)), 9000, ANY },
	{ "the first lines, of all classes", TEXT(FIRST(8000)), 9000, CLASSES },
	{ "the first, none", TEXT(FIRST(0)), 900, CLASSES },
	{ "the first keys, which fit", U32(FIRST(600), TO(GSORT_U8)), 900, 0, 1, 300, false },
	{ "the first groups", TEXT(FIRST(50), .counts = true), 9000, CLASSES },
	{ "the first of those that repeat", U32(FIRST(9), .repeated = true), 9000, FEW },
	{ "the last keys", U32(LAST(1234)), 9000, ANY },
	{ "the last lines", TEXT(LAST(15000), DOWN), 20000, CLASSES },
	{ "the last groups", TEXT(LAST(700), .counts = true), 9000, CLASSES },
	{ "the last groups, all of them", U32(LAST(700), .unique = true), 9000, FEW },
	{ "a sample of keys", U32(SAMPLE(50)), 9000, ANY },
	{ "a sample of many keys", I64(SAMPLE(15000)), 30000, -9, 3, 1 << 20, false },
	{ "a sample of lines", TEXT(SAMPLE(15000), DOWN), 20000, CLASSES },
	{ "behind a header", TEXT(.header_lines = 1), 20000, CLASSES },
	{ "files", U32(.split = 7), 9000, ANY },
	{ "files behind a header", I64(.split = 3, .header_lines = 1), 9000, ANY },
	{ "files of no keys", U32(.split = 9), 8, ANY },
	{ "files of lines", TEXT(.split = 2), 60000, CLASSES },
	{ "files of groups", TEXT(.split = 5, .counts = true), 20000, CLASSES },
	{ "files of the first keys", U32(.split = 4, FIRST(2001)), 9000, ANY },
	{ "files of keys as text", I64(.split = 2, TO(GSORT_TEXT)), 60000, -7, 1, 90000, false },
	{ "pages to a pipe", U32(UP), MOST, 0, 3, 900000, true },
	{ "one of equal keys, to a pipe", U32(.unique = true), MOST, 0, 3, 99000, true },
	{ "a sample of keys, to a pipe", U32(SAMPLE(MOST / 2)), MOST, 0, 3, 900000, true },
	{ "printed pages to a pipe", U32(TO(GSORT_TEXT)), MOST, 0, 3, 900000, true },
};

enum producer { ONE, COUNTING, MANY, FAILS };
static const char *const producers[] = { "one thread", "counting", "many threads", "failing" };

/* Events between reading the keys and draining them, or after the GPU has failed. */
enum harm { NONE, LOST, CHANGED, LOST_LATER, CHANGED_LATER };

static const struct wrong {
	const char   *about;
	struct row    row;
	enum producer producer;
	enum harm     harm;
	const char   *says;
} wrongs[] = {
#define SOME	900, 5, 1, 1 << 20, false
#define FITS	U32(TO(GSORT_U8)), 900, 0, 1, 300, false	/* but for the last */
	{ "too large", { "", FITS }, ONE, NONE, "does not fit in u8" },
	{ "too large", { "", FITS }, MANY, NONE, "does not fit in u8" },
	{ "too small, between two spans", { "", I64(.unique = true, TO(GSORT_U8)), 900, -1, 1, 200, false },
	  MANY, NONE, "does not fit in u8" },
	{ "lost", { "", U32(UP), SOME }, ONE, LOST, "900 keys in, 899 out" },
	{ "lost", { "", U32(.unique = true), SOME }, COUNTING, LOST, "900 keys in, 899 out" },
	{ "lost", { "", U32(UP), SOME }, MANY, LOST, "900 keys in, 899 out" },
	{ "lost", { "", U32(.split = 2), SOME }, MANY, LOST, "900 keys in, 899 out" },
	{ "lost", { "", U32(UP), SOME }, FAILS, LOST_LATER, "has become shorter" },
	{ "changed", { "", U32(UP), SOME }, ONE, CHANGED, "other keys than the input" },
	{ "changed", { "", U32(.repeated = true), SOME }, COUNTING, CHANGED, "other keys than the input" },
	{ "changed", { "", U32(TO(GSORT_TEXT)), SOME }, MANY, CHANGED, "other keys than the input" },
	{ "changed", { "", U32(.split = 2), 9000, ANY }, MANY, CHANGED, "other keys than the input" },
	{ "changed", { "", U32(UP), SOME }, FAILS, CHANGED_LATER, "has changed since" },
	{ "changed", { "", TEXT(.counts = true), SOME }, FAILS, CHANGED_LATER, "has changed since" },
};

/* ---- the model -------------------------------------------------------------------- */

static uint64_t values[MOST];	/* less -2^63, so that they are in order; then in that of the output */
static char expected[(size_t)MOST * ELEMENT_BYTES];
static size_t expected_bytes, expected_elements;
static size_t element_end[MOST + 1];	/* in EXPECTED, behind the header */
static size_t element_at[MOST + 1];	/* the number of its first key */

#define MIDDLE	(UINT64_C(1) << 63)

static const char header[] = "a header\n";

static void
draw_values(const struct row *row)
{
	for (size_t i = 0; i < row->count; i++) {
		const int64_t drawn = (int64_t)(units_mix(i) % row->different);

		values[i] = MIDDLE + (uint64_t)(row->least + row->step * drawn);
	}
	units_sort(values, row->count);
	for (size_t i = 0; row->options.reverse && i < row->count / 2; i++) {
		const uint64_t value = values[i];

		values[i] = values[row->count - 1 - i];
		values[row->count - 1 - i] = value;
	}
}

/* Where the keys that are equal to the one at AT end. */
static size_t
group_end(const struct row *row, size_t at)
{
	size_t end = at + 1;

	while (end < row->count && values[end] == values[at])
		end++;
	return end;
}

static void
put_bytes(const struct gs_encoding *encoding, uint64_t number, unsigned bytes)
{
	for (unsigned b = 0; b < bytes; b++) {
		const unsigned place = encoding->endian == GSORT_ENDIAN_BIG ? bytes - 1 - b : b;

		expected[expected_bytes++] = (char)(number >> 8 * place);
	}
}

static void
expect(const struct gs_encoding *encoding, uint64_t value, size_t times, size_t next)
{
	const long long number = (long long)(value - MIDDLE);

	if (!gs_key_is_text(encoding->to)) {
		put_bytes(encoding, (uint64_t)number, gs_key_bits(encoding->to) / 8);
		if (encoding->counts)
			put_bytes(encoding, times, 8);
	} else {
		if (encoding->counts)
			expected_bytes += (size_t)sprintf(expected + expected_bytes, "%7zu ", times);
		expected_bytes += (size_t)sprintf(expected + expected_bytes, "%lld\n", number);
	}
	element_end[++expected_elements] = expected_bytes;
	element_at[expected_elements] = next;
}

/* Is the group that ends at END written, and has it TIMES keys? */
static bool
is_selected(const struct gsort_options *options, size_t times)
{
	return !(options->repeated && times == 1) && !(options->singletons && times > 1);
}

/* Fill EXPECTED with what OPTIONS select. */
static void
run_model(const struct row *row, const struct gs_encoding *encoding)
{
	const struct gsort_options *options = &row->options;
	const bool groups = gs_select_wants_groups(options);
	size_t selected = 0, all = 0, from = 0, to, position = 0;
	struct gs_pick pick = { .on = false };

	expected_bytes = expected_elements = 0;
	if (options->header_lines > 0)
		expected_bytes = (size_t)sprintf(expected, "%s", header);
	element_end[0] = expected_bytes;
	for (size_t at = 0, end; at < row->count; at = end) {
		end = groups ? group_end(row, at) : at + 1;
		all += is_selected(options, end - at);
	}
	if (options->tail.wanted && options->tail.count < all)
		from = all - options->tail.count;
	to = options->head && options->head_count < all ? options->head_count : all;
	if (options->sample.wanted && gs_pick_open(&pick, options, row->count) != GS_OK)
		return;
	for (size_t at = 0, end; at < row->count; at = end) {
		end = groups ? group_end(row, at) : at + 1;
		if (!is_selected(options, end - at))
			continue;
		if (pick.on && (position == pick.position_count || pick.positions[position] != at))
			continue;
		position++;
		if (selected >= from && selected < to)
			expect(encoding, values[at], end - at, end);
		selected++;
	}
	gs_pick_close(&pick);
}

/* ---- keys of the classes -------------------------------------------------------------- */

static unsigned
class_of(const struct row *row, uint64_t value)
{
	const int64_t number = (int64_t)(value - MIDDLE);

	return row->options.type != GSORT_TEXT ? 0 :
	       number < INT32_MIN ? GS_NEG_WIDE : number < GS_SMALL_LOW ? GS_NEG_NARROW :
	       number < 1 << 16 ? GS_SMALL : number <= UINT32_MAX ? GS_POS_NARROW : GS_POS_WIDE;
}

static unsigned
bits_of(const struct row *row, unsigned key_class)
{
	return row->options.type == GSORT_TEXT ? gs_text_bits(key_class) :
	       key_class == 0 ? gs_key_bits(row->options.type) : 0;
}

static uint64_t
key_of(const struct row *row, unsigned key_class, uint64_t value)
{
	const uint64_t bias = row->options.type == GSORT_TEXT ? gs_text_bias(key_class) :
	                      row->options.type == GSORT_I64 ? MIDDLE : 0;
	const uint64_t key = value - MIDDLE + bias;

	return row->options.reverse ? ~key : key;
}

/* ---- a run --------------------------------------------------------------------------------- */

struct run {
	struct row        row;
	enum producer     producer;
	enum harm         harm;
	struct gs_plan    plan;
	struct gs_monitor monitor;
	struct gs_arena   arena;
	struct gs_verify  verify;
	struct gs_emit    emit;
	struct gs_outputs outputs;
	char              folder[64], name[80];
	pthread_t         reader;

	unsigned key_class;
	size_t   first, count;	/* values of the class */
	size_t   spans;		/* until the GPU fails */
	bool     sound;		/* the sink stopped in time, and wrote only where it may */
};

static char written[sizeof expected + 1];
static size_t written_bytes;

static size_t fail_at;	/* the call of the writer that fails, from now on; 0: none */

/* A slow writer, which reads what it is given a second time after others have run. */
static int
collect(void *context, const void *data, size_t bytes)
{
	(void)context;
	if ((fail_at > 0 && --fail_at == 0) || bytes > sizeof written - written_bytes)
		return -1;
	memcpy(written + written_bytes, data, bytes);
	for (int turn = 0; turn < 4; turn++)
		sched_yield();
	if (memcmp(written + written_bytes, data, bytes) != 0)
		return -1;
	written_bytes += bytes;
	return 0;
}

/* Append a file, or what comes through a pipe, to WRITTEN. */
static void
read_file(const char *name)
{
	FILE *file = fopen(name, "r");

	if (file == NULL)
		return;
	written_bytes += fread(written + written_bytes, 1, sizeof written - written_bytes, file);
	fclose(file);
}

static void *
read_pipe(void *context)
{
	read_file(context);
	return NULL;
}

static bool
open_outputs(struct run *run)
{
	struct gs_output_options options = { .files = 1 };

	written_bytes = 0;
	snprintf(run->folder, sizeof run->folder, "/tmp/unit-emit-XXXXXX");
	if (mkdtemp(run->folder) == NULL)
		return false;
	snprintf(run->name, sizeof run->name, "%s/%s", run->folder, run->row.to_pipe ? "pipe" : "%r");
	if (run->row.to_pipe && (mkfifo(run->name, 0600) != 0 ||
	                          pthread_create(&run->reader, NULL, read_pipe, run->name) != 0))
		return false;
	if (run->row.to_pipe || run->row.options.split > 0)
		options.name = run->name;
	else
		options.write = collect;
	return gs_outputs_open(&run->outputs, &options, run->row.options.split) == GS_OK;
}

/* Close; what files have is WRITTEN, and ENDS where each ends there. */
static gs_status
close_outputs(struct run *run, size_t *ends)
{
	const gs_status status = gs_output_finish(run->outputs.files, run->outputs.count);
	const size_t files = run->row.options.split;

	gs_outputs_close(&run->outputs);
	for (size_t f = 0; f < files; f++) {
		char *name;

		CHECK(gs_outputs_name(run->name, f, files, &name) == GS_OK, "a part has a name");
		read_file(name);
		ends[f] = written_bytes;
		unlink(name);
		free(name);
	}
	if (run->row.to_pipe) {
		pthread_join(run->reader, NULL);
		unlink(run->name);
	}
	rmdir(run->folder);
	return status;
}

static void
open_emit(struct run *run)
{
	const struct gsort_options *options = &run->row.options;
	struct gs_arena none = { .base = NULL };
	size_t encoded;

	run->plan = (struct gs_plan){
		.threads = THREADS, .print_keys = PRINT_KEYS, .device = GSORT_DEVICE_CPU,
		.buckets = { .part_bytes = PART_KEYS * sizeof(uint64_t) },
	};
	for (unsigned c = 0; c < GS_CLASSES; c++)
		run->plan.class_bits[c] = bits_of(&run->row, c);
	gs_emit_set_format(&run->emit, options);
	encoded = gs_encoding_bytes(&run->emit.encoding);
	run->plan.part_print_bytes = PART_KEYS * encoded;
	gs_emit_carve(&run->emit, options, &run->plan, &none);
	CHECK(gs_arena_open(&run->arena, none.used_bytes, false) == GS_OK, "addresses");
	gs_emit_carve(&run->emit, options, &run->plan, &run->arena);
	gs_verify_open(&run->verify, options, NULL, THREADS);
	CHECK(gs_emit_open(&run->emit, options, &run->outputs, &run->verify, &run->monitor) == GS_OK,
	      "the output");
}

/* Fill KEYS with COUNT of the class from number AT on; returns their bytes. */
static size_t
fill(const struct run *run, size_t at, size_t count, void *keys)
{
	const unsigned bits = bits_of(&run->row, run->key_class);

	for (size_t i = 0; i < count; i++)
		gs_key_put(keys, bits, i, key_of(&run->row, run->key_class, values[run->first + at + i]));
	return count * bits / 8;
}

/* The keys of the next class have been read. */
static void
note_read(struct run *run)
{
	static uint64_t keys[MOST];
	const struct gs_piece piece = {
		.keys = keys, .count = run->count, .key_class = run->key_class,
		.key_bits = bits_of(&run->row, run->key_class),
	};

	fill(run, 0, run->count, keys);
	gs_verify_in(&run->verify, &piece);
}

/* ---- producers ----------------------------------------------------------------------------- */

static size_t
span_size(size_t number, size_t most, size_t left)
{
	const size_t size = 1 + units_mix(number + most) % (number % 4 == 0 ? 2 : most);

	return size < left ? size : left;
}

/* Spans stay as they are in one of two banks, and no longer than the sink was told. */
static uint64_t banks[2][10000];

/* One thread: spans of any size, which may know their checksum; GROUPS: keys with their times.  The first
 * of many is large enough for an output to start its thread. */
static gs_status
produce(struct run *run, const struct gs_span_sink *sink, bool groups)
{
	static uint64_t times[MOST];
	bool enough = false;

	for (size_t at = 0, number = 0, end; at < run->count && !enough; at = end, number++) {
		uint64_t *keys = banks[number % 2];
		struct gs_sorted_span sorted = {
			.span = { .keys = keys, .key_bits = bits_of(&run->row, run->key_class),
			          .key_class = run->key_class, .stays = number % 7 != 6 },
			.number = number, .slot = GS_NO_SLOT, .summed = !groups && number % 3 == 0,
		};
		struct gs_span *span = &sorted.span;

		if (run->spans-- == 0)
			return GS_EDEVICE;
		span->count = number == 0 && run->count > 18000 ? 9000
		              : span_size(number, 4 * PART_KEYS, run->count - at);
		end = at + span->count;
		fill(run, at, span->count, keys);
		if (groups) {
			size_t most = span->count;

			span->times = times;
			end = at;
			for (span->count = 0; span->count < most && end < run->count; span->count++) {
				const size_t next = group_end(&run->row, run->first + end) - run->first;

				fill(run, end, 1, (char *)keys + span->count * span->key_bits / 8);
				times[span->count] = next - end;
				end = next;
			}
		}
		if (sorted.summed)
			sorted.sum = gs_checksum(1, run->key_class, span->key_bits, keys, span->count,
			                         false).sum;
		TRY(sink->take(sink->context, &sorted));
		enough = sorted.enough;
		run->sound &= enough == gs_emit_is_complete(&run->emit);
		memset(banks[(number + 1) % 2], 0xaa, number == 1 ? sizeof banks[0] : 8 * 4 * PART_KEYS);
		if (number % 7 == 6)
			memset(keys, 0xaa, 8 * 4 * PART_KEYS);
	}
	return GS_OK;
}

/* Spans of a class in slots, in the order in which they are made: by strands in turn. */
struct cut {
	size_t at, count, number, strand;
};

static size_t
cut_spans(const struct run *run, const struct gs_span_sink *sink, struct cut *spans)
{
	static struct cut found[MOST];
	static uint64_t order[MOST];
	size_t count = 0, strand = 0, number = 0;

	for (size_t at = 0; at < run->count; count++) {
		const size_t size = span_size(count, PART_KEYS, run->count - at), middle = at + size / 2;
		struct cut *cut = &found[count];

		*cut = (struct cut){ .at = at, .count = size };
		for (; strand + 1 < sink->strand_count && middle >= sink->strand_at[strand + 1]; strand++)
			number = 0;
		cut->strand = strand;
		cut->number = number++;
		at += size;
		order[count] = (uint64_t)cut->number << 40 | strand << 32 | count;
	}
	units_sort(order, count);
	for (size_t i = 0; i < count; i++)
		spans[i] = found[order[i] & UINT32_MAX];
	return count;
}

static uint64_t slots[SLOTS][1 + PART_KEYS];	/* one key stays 0 */

/* Sort a span: into its slot, or where the sink has room. */
static gs_status
sort_span(const struct run *run, const struct gs_span_sink *sink, struct gs_sorted_span *sorted)
{
	sorted->skipped = sink->skip != NULL && sink->skip(sink->context, sorted);
	if (sorted->skipped)
		return GS_OK;
	sorted->span.keys = slots[sorted->slot] + 1;
	if (sink->room != NULL)
		sink->room(sink->context, sorted, &sorted->span.keys);
	fill(run, (size_t)sorted->at, sorted->span.count, sorted->span.keys);
	return GS_OK;
}

/* Many threads: as many spans as there are slots are sorted, made in another order, and taken in turn. */
static gs_status
produce_in_slots(struct run *run, const struct gs_span_sink *sink)
{
	static struct cut spans[MOST];
	const size_t count = cut_spans(run, sink, spans);
	struct gs_sorted_span sorted[SLOTS];
	bool enough = false;

	for (size_t at = 0, here; at < count && !enough; at += here) {
		here = count - at < SLOTS ? count - at : SLOTS;
		for (size_t s = 0; s < here; s++) {
			const struct cut *cut = &spans[at + s];

			sorted[s] = (struct gs_sorted_span){
				.span = { .count = cut->count, .key_bits = bits_of(&run->row, run->key_class),
				          .key_class = run->key_class },
				.number = cut->number, .slot = s, .at = cut->at, .strand = cut->strand,
			};
			TRY(sort_span(run, sink, &sorted[s]));
		}
		for (size_t s = here; s-- > 0; )
			if (sink->make != NULL && !sorted[s].skipped)
				TRY(sink->make(sink->context, &sorted[s]));
		for (size_t s = 0; s < here && !enough; s++) {
			if (run->spans-- == 0)
				return GS_EDEVICE;
			TRY(sink->take(sink->context, &sorted[s]));
			enough = sorted[s].enough;
			run->sound &= enough == gs_emit_is_complete(&run->emit) && slots[s][0] == 0;
		}
	}
	return GS_OK;
}

/* A histogram holds the small numbers; a class that is counted has known groups. */
static gs_status
drain(struct run *run, enum producer producer)
{
	const bool counted = run->row.options.type == GSORT_TEXT && run->key_class == GS_SMALL;
	const bool many = !counted && (producer == MANY || producer == FAILS);
	const struct gs_span_sink sink = gs_emit_sink(&run->emit, run->key_class, many ? run->count : 0);

	return many && (producer == MANY || sink.strand_count > 0) ? produce_in_slots(run, &sink)
	       : produce(run, &sink, sink.groups && (counted || producer == COUNTING));
}

/* All classes, in the order of the output. */
static gs_status
drain_all(struct run *run, enum producer producer, size_t spans)
{
	run->spans = spans;
	run->verify.keys_in = run->verify.sum_in = 0;
	if (run->row.options.header_lines > 0)
		TRY(gs_emit_header(&run->emit, header, sizeof header - 1));
	run->first = 0;
	for (unsigned place = 0; place < GS_CLASSES; place++, run->first += run->count) {
		run->key_class = run->row.options.reverse ? GS_CLASSES - 1 - place : place;
		run->count = 0;
		while (run->first + run->count < run->row.count &&
		       class_of(&run->row, values[run->first + run->count]) == run->key_class)
			run->count++;
		if (bits_of(&run->row, run->key_class) == 0)
			continue;
		note_read(run);
		run->count -= run->harm == LOST;
		values[0] -= run->harm == CHANGED;
		if (!gs_emit_is_complete(&run->emit))
			TRY(drain(run, producer));
		TRY(gs_emit_class_end(&run->emit, run->key_class));
		memset(banks, 0xaa, sizeof banks);
	}
	return gs_emit_end(&run->emit);
}

/* As a job does: if the GPU fails, do the same again on the CPU. */
static gs_status
sort_all(struct run *run, size_t spans)
{
	const struct row *row = &run->row;
	gs_status status;

	TRY(gs_emit_expect_keys(&run->emit, &row->options, row->count, 0, row->count));
	if (run->producer != FAILS)
		return drain_all(run, run->producer, ALL_SPANS);
	run->plan.device = GSORT_DEVICE_GPU;
	run->emit.delivered.resumable = true;
	status = drain_all(run, FAILS, spans);
	if (status != GS_EDEVICE)
		return status;
	TRY(gs_outputs_wait(&run->outputs));
	run->plan.device = GSORT_DEVICE_CPU;
	if (run->harm == LOST_LATER)
		run->row.count = 2;
	values[0] -= run->harm == CHANGED_LATER;
	gs_emit_resume(&run->emit);
	TRY(gs_emit_expect_keys(&run->emit, &row->options, row->count, 0, row->count));
	return drain_all(run, MANY, ALL_SPANS);
}

/* ---- what is written ------------------------------------------------------------------------ */

/* Does FILE end where it should?  Keys of one length do so exactly; others by groups, or by spans that are
 * printed at once. */
static bool
ends_well(const struct run *run, size_t file, size_t end)
{
	const bool exact = !gs_select_wants_groups(&run->row.options) &&
	                   !gs_key_is_text(run->emit.encoding.to);
	const size_t *found = bsearch(&end, element_end, expected_elements + 1, sizeof end, units_compare);
	const size_t first = element_at[expected_elements] * (file + 1) / run->row.options.split;
	const size_t most = exact ? 0 : PART_KEYS;
	size_t at;

	if (found == NULL)
		return false;
	at = element_at[found - element_end];
	return at <= first + most && first <= at + most;
}

/* Run a row; OUTPUT: then the output is that of the model. */
static gs_status
run_row(const struct row *row, enum producer producer, size_t spans, enum harm harm, bool output)
{
	static struct run run;	/* too large for the stack */
	size_t ends[FILES_MOST];
	gs_status status;

	memset(&run, 0, sizeof run);
	run.row = *row;
	run.producer = producer;
	run.harm = harm;
	run.sound = true;
	CHECK(open_outputs(&run), "%s: opens", row->about);
	open_emit(&run);
	draw_values(row);
	run_model(row, &run.emit.encoding);
	status = sort_all(&run, spans);
	if (close_outputs(&run, ends) != GS_OK)
		status = GS_EIO;
	for (size_t f = 0; output && f < row->options.split; f++)
		CHECK(ends_well(&run, f, ends[f]), "%s, %s: the end of file %zu", row->about,
		      producers[producer], f);
	if (output)
		CHECK(run.emit.written.keys == expected_elements &&
		      run.emit.written.bytes == expected_bytes && run.sound,
		      "%s, %s: the figures", row->about, producers[producer]);
	gs_emit_close(&run.emit);
	gs_arena_close(&run.arena);
	return status;
}

static void
check(const struct row *row, enum producer producer, size_t spans)
{
	struct row verified = *row;

	for (unsigned verify = 0; verify < 2; verify++) {
		verified.options.verify = verify > 0;
		CHECK(run_row(&verified, producer, spans, NONE, true) == GS_OK &&
		      written_bytes == expected_bytes && memcmp(written, expected, expected_bytes) == 0,
		      "%s, %s%s: %zu bytes, %zu written", row->about, producers[producer],
		      verify > 0 ? ", verified" : "", expected_bytes, written_bytes);
	}
}

/* One call of the writer fails, each of the first ones in turn: that is an error. */
static void
check_fails(const struct row *row, enum producer producer)
{
	for (size_t call = 1; call <= 4; call++) {
		gs_status status;

		fail_at = call;
		status = run_row(row, producer, ALL_SPANS, NONE, false);
		if (fail_at > 0)
			break;		/* there were fewer */
		CHECK(status == GS_EIO, "%s, %s: write %zu fails: status %d", row->about, producers[producer],
		      call, (int)status);
	}
	fail_at = 0;
}

static void
check_wrong(const struct wrong *wrong)
{
	struct row row = wrong->row;
	gs_status status;

	row.options.verify = true;
	status = run_row(&row, wrong->producer, 3, wrong->harm, false);
	CHECK(status != GS_OK && strstr(gs_message(), wrong->says) != NULL, "%s, %s: \"%s\", not \"%s\"",
	      wrong->about, producers[wrong->producer], wrong->says, status == GS_OK ? "" : gs_message());
}

/* ---- spans that one thread hands to another -------------------------------------------- */

enum { HANDED = 2000, IN_SLOTS = 8 };

struct giver {
	struct gs_span_queue queue;
	struct gs_verify     verify;
	bool                 in_slots;	/* else one span is used again and again */
	bool                 gaps;	/* behind each span the other slots have none */
	size_t               given;
};

/* Each span is filled when the giver believes that the taker has done with what it held. */
static void *
give_spans(void *argument)
{
	struct giver *giver = argument;
	const struct gs_span_sink sink = gs_span_queue_sink(&giver->queue, &giver->verify, IN_SLOTS);
	uint64_t keys[IN_SLOTS];
	bool enough = false;

	for (size_t i = 0; i < HANDED && !enough; i++) {
		const size_t at = giver->in_slots && !giver->gaps ? i % IN_SLOTS : 0;
		struct gs_sorted_span sorted = {
			.slot = giver->in_slots ? at : GS_NO_SLOT,
			.span = { .keys = &keys[at], .count = 1, .key_bits = 64 },
		};

		keys[at] = i;
		enough = sink.take(sink.context, &sorted) != GS_OK || sorted.enough;
		giver->given++;
		sorted.span.count = 0;
		for (sorted.slot = 1; giver->gaps && sorted.slot < IN_SLOTS && !enough; sorted.slot++)
			enough = sink.take(sink.context, &sorted) != GS_OK || sorted.enough;
	}
	gs_span_queue_end(&giver->queue);
	gs_queue_shut(&giver->queue.there);
	return NULL;
}

/* A taker that looks at each span at once and once more after a while. */
static void
check_queue(bool in_slots, bool gaps, size_t most)
{
	struct giver giver = { .in_slots = in_slots, .gaps = gaps };
	size_t taken = 0, wrong = 0;
	bool ended = false;
	struct gs_span span;
	pthread_t thread;

	gs_span_queue_open(&giver.queue, 1);
	pthread_create(&thread, NULL, give_spans, &giver);
	while (taken < most && !ended && gs_span_queue_next(&giver.queue, &span)) {
		ended = span.count == 0;
		for (unsigned turn = 0; turn < 3 && !ended; turn++) {
			wrong += *(const uint64_t *)span.keys != taken;
			sched_yield();
		}
		taken += !ended;
	}
	CHECK(wrong == 0 && ended == (most > HANDED) && (!ended || taken == HANDED),
	      "%s: %zu spans, %zu of them were changed while they were borrowed",
	      gaps ? "with gaps" : in_slots ? "in slots" : "one span", taken, wrong);
	CHECK(most > HANDED || ended || taken == most, "the taker wants no more");
	if (ended)
		CHECK(!gs_span_queue_next(&giver.queue, &span), "nothing comes behind the end");
	gs_queue_shut(&giver.queue.back);
	gs_queue_shut(&giver.queue.there);
	pthread_join(thread, NULL);
	CHECK(ended || giver.given <= most + GS_SPAN_QUEUE_OFFERS, "%zu are given for %zu that are taken",
	      giver.given, taken);
	gs_queue_close(&giver.queue.there);
	gs_queue_close(&giver.queue.back);
}

void
unit_emit(void)
{
	static const size_t failures[] = { 0, 1, 5, 40 };

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		check(&rows[r], ONE, ALL_SPANS);
		check(&rows[r], COUNTING, ALL_SPANS);
		check(&rows[r], MANY, ALL_SPANS);
		for (size_t f = 0; f < sizeof failures / sizeof failures[0] && !rows[r].to_pipe; f++)
			check(&rows[r], FAILS, failures[f]);
		if (rows[r].count <= 9000 && rows[r].options.split == 0)
			for (enum producer p = ONE; p <= MANY; p++)
				check_fails(&rows[r], p);
	}
	for (size_t w = 0; w < sizeof wrongs / sizeof wrongs[0]; w++)
		check_wrong(&wrongs[w]);
	for (unsigned in_slots = 0; in_slots < 2; in_slots++) {
		check_queue(in_slots, false, SIZE_MAX);
		check_queue(in_slots, false, 100);
	}
	check_queue(true, true, SIZE_MAX);
}
