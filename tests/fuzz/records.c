// SPDX-License-Identifier: BSD-2-Clause
/*
 * records.c - records of any size and keys, sorted, merged or checked, against a stable sort with a
 * full comparison
 */
#include "item_run.h"

enum { KEYS = 3, MOST_RECORDS = 60000, MOST_BYTES = 1 << 20 };

struct run {
	struct item_run  job;
	struct gsort_key keys[KEYS];
};

/* ---- what is right --------------------------------------------------------------- */

static const struct run *comparing;

static unsigned
width(const struct gsort_key *key)
{
	static const unsigned widths[] = { 0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8 };

	return key->type == GSORT_TEXT ? (unsigned)key->bytes : widths[key->type];
}

/* A NaN with its sign bit set. */
static bool
is_late(enum gsort_type type, uint64_t bits)
{
	return (type == GSORT_F32 && bits > 0xff800000) || (type == GSORT_F64 && bits > 0xfff0000000000000);
}

/* Number of the key in a record: sign and magnitude as integers and floats have them. */
static int
compare_number(const struct gsort_key *key, bool big, const uint8_t *a, const uint8_t *b)
{
	const unsigned bytes = width(key);
	uint64_t one = 0, other = 0;
	bool minus, other_minus;

	for (unsigned i = 0; i < bytes; i++) {
		one |= (uint64_t)a[big ? bytes - 1 - i : i] << 8 * i;
		other |= (uint64_t)b[big ? bytes - 1 - i : i] << 8 * i;
	}
	if (key->type == GSORT_U8 || key->type == GSORT_U16 || key->type == GSORT_U32 ||
	    key->type == GSORT_U64)
		return one < other ? -1 : one > other;
	minus = one >> (8 * bytes - 1);
	other_minus = other >> (8 * bytes - 1);
	if (is_late(key->type, one) != is_late(key->type, other))
		return is_late(key->type, one) ? 1 : -1;
	if (minus != other_minus)
		return minus ? -1 : 1;
	if (minus && (key->type == GSORT_F32 || key->type == GSORT_F64))
		return one > other ? -1 : one < other;
	return one < other ? -1 : one > other;
}

static int
compare_keys(const uint8_t *a, const uint8_t *b)
{
	const struct gsort_options *options = &comparing->job.options;
	int compared = 0;

	for (size_t k = 0; k < options->key_count && compared == 0; k++) {
		const struct gsort_key *key = &options->keys[k];

		compared = key->type == GSORT_TEXT
		           ? memcmp(a + key->offset, b + key->offset, key->bytes)
		           : compare_number(key, options->endian == GSORT_ENDIAN_BIG,
		                            a + key->offset, b + key->offset);
		if (key->reverse || options->reverse)
			compared = -compared;
	}
	if (options->key_count == 0) {
		compared = memcmp(a, b, options->record_bytes);
		return options->reverse ? -compared : compared;
	}
	return compared;
}

static int
compare_pointers(const void *one, const void *other)
{
	const uint8_t *a = *(const uint8_t *const *)one, *b = *(const uint8_t *const *)other;
	const int compared = compare_keys(a, b);

	return compared != 0 ? compared : a < b ? -1 : a > b;
}

static void
put_count(struct fuzz_bytes *to, uint64_t count, bool big)
{
	for (unsigned i = 0; i < 8; i++) {
		const uint8_t byte = (uint8_t)(count >> 8 * (big ? 7 - i : i));

		fuzz_put(to, &byte, 1);
	}
}

/* Append the sorted and selected records to RIGHT. */
static void
sort_right(const struct run *run, struct fuzz_bytes *right)
{
	const struct gsort_options *options = &run->job.options;
	const size_t bytes = options->record_bytes, count = run->job.input.bytes / bytes;
	const bool groups = item_run_groups(&run->job);
	const uint8_t **order = calloc(count + 1, sizeof *order);
	uint64_t left = options->head ? options->head_count : UINT64_MAX;

	FUZZ_MUST(order != NULL);
	for (size_t i = 0; i < count; i++)
		order[i] = (const uint8_t *)run->job.input.data + i * bytes;
	comparing = run;
	qsort(order, count, sizeof *order, compare_pointers);
	for (size_t i = 0, end; i < count && left > 0; i = end) {
		for (end = i + 1; groups && end < count && compare_keys(order[i], order[end]) == 0; end++)
			;
		if (!item_run_takes(&run->job, end - i))
			continue;
		/* counts are of keys */
		for (size_t k = 0; options->counts && k < options->key_count; k++)
			fuzz_put(right, order[i] + options->keys[k].offset, width(&options->keys[k]));
		if (!options->counts || options->key_count == 0)
			fuzz_put(right, order[i], bytes);
		if (options->counts)
			put_count(right, end - i, options->endian == GSORT_ENDIAN_BIG);
		left--;
	}
	free(order);
}

static bool
is_sorted(const struct run *run)
{
	const size_t bytes = run->job.options.record_bytes;
	const uint8_t *data = (const uint8_t *)run->job.input.data;

	comparing = run;
	for (size_t at = bytes; at + bytes <= run->job.input.bytes; at += bytes) {
		const int compared = compare_keys(data + at - bytes, data + at);

		if (compared > 0 || (compared == 0 && run->job.options.unique))
			return false;
	}
	return true;
}

/* ---- a job -------------------------------------------------------------------------- */

static void
choose_keys(struct run *run, struct fuzz *from)
{
	struct gsort_options *options = &run->job.options;

	options->keys = run->keys;
	options->key_count = fuzz_pick(from, KEYS + 1);
	for (size_t k = 0; k < options->key_count; k++) {
		struct gsort_key *key = &run->keys[k];

		*key = (struct gsort_key){
			.type = (enum gsort_type)fuzz_pick(from, 11), .reverse = fuzz_pick(from, 2),
			.bytes = 1 + fuzz_pick(from, 20),
		};
		if (width(key) > options->record_bytes)
			*key = (struct gsort_key){ .type = GSORT_TEXT, .bytes = 1 };
		key->offset = fuzz_take(from, 2) % (options->record_bytes - width(key) + 1);
	}
}

/* Records of few or many letters, some of which are alike. */
static void
make_input(struct run *run, struct fuzz *from)
{
	const size_t bytes = run->job.options.record_bytes;
	const unsigned shape = fuzz_pick(from, 8), letters = fuzz_pick(from, 2) ? 256 : 3;
	size_t count = (size_t)fuzz_take(from, 2);
	uint8_t record[256];

	count = shape & 1 ? count % 100 : count % MOST_RECORDS;
	count = count < MOST_BYTES / bytes ? count : MOST_BYTES / bytes;
	for (size_t i = 0; i < count; i++) {
		for (size_t b = 0; b < bytes; b++)
			record[b] = (uint8_t)(fuzz_random(&run->job.state) % letters);
		if (shape & 2)
			memset(record, 7, bytes * 3 / 4);
		if (shape & 4 && i % 10 == 0)
			memset(record, 1, bytes);
		fuzz_put(&run->job.input, record, bytes);
	}
	fuzz_put(&run->job.input, from->data, from->bytes / bytes * bytes);
}

static void
judge(struct run *run)
{
	struct fuzz_bytes right = { .data = NULL };
	const gsort_status status = item_run_job(&run->job);

	if (run->job.options.operation == GSORT_CHECK) {
		FUZZ_MUST(status == (is_sorted(run) ? GSORT_OK : GSORT_DISORDER));
		return;
	}
	FUZZ_MUST(status == GSORT_OK);
	sort_right(run, &right);
	item_run_compare(&run->job, &right);
}

void
fuzz_records(const uint8_t *data, size_t bytes)
{
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 2), more = (unsigned)fuzz_take(&from, 1);
	struct run run = { .job.at = 0 };
	struct gsort_options *options = &run.job.options;

	options->record_bytes = 1 + fuzz_take(&from, 1) % 200;
	item_run_open(&run.job, flags, more);
	options->reverse = flags & 16;
	options->endian = flags & 0x2000 ? GSORT_ENDIAN_BIG : GSORT_ENDIAN_LITTLE;
	choose_keys(&run, &from);
	make_input(&run, &from);
	judge(&run);
	/* The sorted output is in order, and merging it alone changes nothing. */
	if (options->operation == GSORT_SORT && !options->counts) {
		item_run_again(&run.job, flags & 1);
		judge(&run);
	}
	item_run_close(&run.job);
}
