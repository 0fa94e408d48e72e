// SPDX-License-Identifier: BSD-2-Clause
/* must.c - calls that end the benchmark if they fail */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/must.h"

void
must(cudaError_t error, const char *doing)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "gsort-bench: %s: %s\n", doing, cudaGetErrorString(error));
	exit(1);
}

void *
must_malloc(size_t bytes)
{
	void *memory = malloc(bytes);

	if (memory == NULL) {
		fprintf(stderr, "gsort-bench: no memory for %zu bytes; try fewer --keys\n", bytes);
		exit(1);
	}
	return memory;
}
