// SPDX-License-Identifier: BSD-2-Clause
/*
 * smallest.c - the ten smallest of a million doubles, from memory to memory
 *
 *     cc smallest.c $(pkg-config --cflags --libs gsort)
 */
#include <gsort.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 1000000, WANTED = 10 };

static int
fail(gsort *job)
{
	fprintf(stderr, "smallest: %s\n", gsort_message());
	gsort_close(job);
	return 1;
}

int
main(void)
{
	static double values[KEYS];
	static double smallest[WANTED + 1];	/* one more, to see the end */
	const struct gsort_options options = {
		.struct_size = sizeof options,
		.type = GSORT_F64,
		.head = true,		/* keeps ten keys, not a million */
		.head_count = WANTED,
		.fed = true,
		.drained = true,
	};
	gsort *job;
	size_t got;

	for (size_t i = 0; i < KEYS; i++)
		values[i] = (double)(i * 514229 % KEYS) / 8 - 1;

	if (gsort_open(&job, &options) != GSORT_OK ||
	    gsort_feed(job, values, sizeof values) != GSORT_OK ||
	    gsort_feed_end(job) != GSORT_OK ||
	    gsort_drain(job, smallest, sizeof smallest, &got) != GSORT_OK)
		return fail(job);
	for (size_t i = 0; i < got / sizeof smallest[0]; i++)
		printf("%g\n", smallest[i]);
	gsort_close(job);
	return 0;
}
