// SPDX-License-Identifier: BSD-2-Clause
/*
 * smallest.c - the ten smallest of a million doubles, from memory to memory
 *
 *     cc smallest.c $(pkg-config --cflags --libs gsort)
 */
#include <gsort.h>
#include <stdio.h>
#include <string.h>

enum { KEYS = 1000000, WANTED = 10 };

static int
fail(gsort *job)
{
	fprintf(stderr, "smallest: %s\n", gsort_message());
	gsort_close(job);
	return 1;
}

/* Bytes of an array that have been read, or written. */
struct bytes {
	char  *data;
	size_t at, end;
};

static ptrdiff_t
give(void *context, void *into, size_t bytes)
{
	struct bytes *from = context;
	const size_t left = from->end - from->at, now = bytes < left ? bytes : left;

	memcpy(into, from->data + from->at, now);
	from->at += now;
	return (ptrdiff_t)now;
}

static int
take(void *context, const void *data, size_t bytes)
{
	struct bytes *into = context;

	memcpy(into->data + into->at, data, bytes);	/* at most WANTED keys */
	into->at += bytes;
	return 0;
}

int
main(void)
{
	static double values[KEYS], smallest[WANTED];
	struct bytes in = { (char *)values, 0, sizeof values };
	struct bytes out = { (char *)smallest, 0, sizeof smallest };
	const struct gsort_options options = {
		.struct_size = sizeof options,
		.type = GSORT_F64,
		.head = true,		/* keeps ten keys, not a million */
		.head_count = WANTED,
		.read = give,
		.read_context = &in,
		.write = take,
		.write_context = &out,
	};
	gsort *job;

	for (size_t i = 0; i < KEYS; i++)
		values[i] = (double)(i * 514229 % KEYS) / 8 - 1;

	if (gsort_open(&job, &options) != GSORT_OK || gsort_run(job) != GSORT_OK)
		return fail(job);
	for (size_t i = 0; i < out.at / sizeof smallest[0]; i++)
		printf("%g\n", smallest[i]);
	gsort_close(job);
	return 0;
}
