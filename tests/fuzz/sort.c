// SPDX-License-Identifier: BSD-2-Clause
/*
 * sort.c - any job on any numbers, beside a sort that is too simple to be wrong
 *
 * The first bytes choose type, options, sizes and how keys are made; the rest is the first
 * keys themselves.  Input comes as files without names or from a callback that gives as
 * many bytes as it likes; output goes to a callback and is compared key by key.
 */
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "gsort.h"

enum { FILES = 4 };

struct side {
	uint8_t *data;
	size_t   bytes, at;
	uint64_t state;
};

static ptrdiff_t
give(void *context, void *into, size_t bytes)
{
	struct side *in = context;
	const size_t most = 1 + (size_t)(fuzz_random(&in->state) % 100000);
	size_t now = in->bytes - in->at;

	now = now > bytes ? bytes : now;
	now = now > most ? most : now;
	memcpy(into, in->data + in->at, now);
	in->at += now;
	return (ptrdiff_t)now;
}

static int
take(void *context, const void *data, size_t bytes)
{
	struct side *out = context;

	FUZZ_MUST(bytes <= out->bytes - out->at);
	memcpy(out->data + out->at, data, bytes);
	out->at += bytes;
	return 0;
}

static unsigned key_bytes;
static bool reverse, is_signed;

static uint64_t
key_at(const uint8_t *keys, size_t at)
{
	uint64_t key = 0;

	memcpy(&key, keys + at * key_bytes, key_bytes);
	return is_signed ? key ^ (uint64_t)1 << (8 * key_bytes - 1) : key;
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = key_at(a, 0), y = key_at(b, 0);
	const int order = x < y ? -1 : x > y;

	return reverse ? -order : order;
}

static size_t
unique(uint8_t *keys, size_t count)
{
	size_t kept = 0;

	for (size_t k = 0; k < count; k++)
		if (kept == 0 || compare(keys + (kept - 1) * key_bytes, keys + k * key_bytes) != 0)
			memmove(keys + kept++ * key_bytes, keys + k * key_bytes, key_bytes);
	return kept;
}

static void
make_keys(struct fuzz *from, uint8_t *keys, size_t count)
{
	const unsigned shape = (unsigned)fuzz_take(from, 1) % 6, shift = (unsigned)fuzz_take(from, 1) % 64;
	uint64_t state = fuzz_take(from, 4), last = fuzz_take(from, 8);

	for (size_t k = 0; k < count; k++) {
		uint64_t key = fuzz_random(&state) >> shift;

		if (k * key_bytes + key_bytes <= from->bytes && k < 64)
			memcpy(&key, from->data + k * key_bytes, key_bytes);
		else if (shape == 1)
			key = last += key >> 40;		/* ascending, until it overflows */
		else if (shape == 2)
			key = last -= key >> 40;
		else if (shape == 3)
			key = last;				/* all the same */
		else if (shape == 4)
			key = k * 8 < count ? key : last + key % 1000;	/* changes its mind */
		else if (shape == 5)
			key = k % 1000 * last;			/* saw */
		memcpy(keys + k * key_bytes, &key, key_bytes);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const enum gsort_type types[] = { GSORT_U8, GSORT_I8, GSORT_U16, GSORT_I16, GSORT_U32,
	                                         GSORT_I32, GSORT_U64, GSORT_I64 };
	struct fuzz from = { data, bytes };
	const unsigned t = (unsigned)fuzz_take(&from, 1) % 8;
	const unsigned flags = (unsigned)fuzz_take(&from, 2);
	const unsigned log_keys = (unsigned)fuzz_take(&from, 1) % 20;
	const size_t count = (size_t)(fuzz_take(&from, 3) & ((1u << log_keys) - 1));
	char names[FILES][32];
	const char *inputs[FILES];
	int files[FILES];
	struct side in = { .state = flags }, out = { .state = 0 };
	struct gsort_options options = {
		.type = types[t],
		.reverse = reverse = flags & 1,
		.unique = flags & 2,
		.verify = flags & 4,
		.head = flags & 8,
		.head_count = fuzz_take(&from, 2),
		.threads = 1 + (flags >> 4) % 4,
		.memory_bytes = flags & 64 ? 16 << 20 : 0,
		.write = take,
		.write_context = &out,
	};
	const unsigned count_files = flags & 128 ? 1 + (flags >> 8) % FILES : 0;
	uint8_t *right;
	size_t expected = count;
	gsort *job;

	is_signed = t % 2;
	key_bytes = 1u << t / 2;
	in.data = malloc(count * key_bytes + 1);
	out.data = malloc(count * key_bytes + 1);
	right = malloc(count * key_bytes + 1);
	FUZZ_MUST(in.data != NULL && out.data != NULL && right != NULL);
	in.bytes = out.bytes = count * key_bytes;
	make_keys(&from, in.data, count);
	memcpy(right, in.data, in.bytes);
	qsort(right, count, key_bytes, compare);
	if (options.unique)
		expected = unique(right, count);
	if (options.head && expected > options.head_count)
		expected = options.head_count;

	for (unsigned f = 0; f < count_files; f++) {
		const size_t begin = count * f / count_files * key_bytes;
		const size_t end = count * (f + 1) / count_files * key_bytes;

		files[f] = memfd_create("fuzz", 0);
		FUZZ_MUST(write(files[f], in.data + begin, end - begin) == (ssize_t)(end - begin));
		snprintf(names[f], sizeof names[f], "/proc/self/fd/%d", files[f]);
		inputs[f] = names[f];
	}
	options.inputs = inputs;
	options.input_count = count_files;
	if (count_files == 0) {
		options.read = give;
		options.read_context = &in;
	}
	FUZZ_MUST(gsort_open(&job, &options) == GSORT_OK);
	FUZZ_MUST(gsort_run(job) == GSORT_OK);
	FUZZ_MUST(out.at == expected * key_bytes);
	FUZZ_MUST(memcmp(out.data, right, out.at) == 0);
	gsort_close(job);
	for (unsigned f = 0; f < count_files; f++)
		close(files[f]);
	free(in.data);
	free(out.data);
	free(right);
	return 0;
}
