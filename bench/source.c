// SPDX-License-Identifier: BSD-2-Clause
/* source.c - the keys that contestants sort, and whether they have */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/rig.h"

void
source_check(const char *name, char *result, unsigned bits, size_t count, size_t piece_keys,
             uint64_t digest)
{
	struct keys_verdict verdict;

	must(device_keys_map(result, bits, rig.kind, false, count, NULL), "mapping");
	must(device_keys_check(result, bits, count, piece_keys, &verdict), "checking");
	if (verdict.falls != 0 || verdict.digest != digest) {
		fprintf(stderr, "gsort-bench: %s: the result is wrong\n", name);
		exit(1);
	}
}

uint64_t
source_load(unsigned bits, size_t count, unsigned shape)
{
	struct keys_verdict verdict;

	must(device_keys_fill(rig.source, bits, count, shape, 1), "making keys");
	must(device_keys_map(rig.source, bits, rig.kind, true, count, NULL), "mapping");
	/* again: a key that no float is has become another */
	must(device_keys_map(rig.source, bits, rig.kind, false, count, NULL), "mapping");
	must(device_keys_check(rig.source, bits, count, count, &verdict), "checking");
	must(device_keys_map(rig.source, bits, rig.kind, true, count, NULL), "mapping");
	must(cudaDeviceSynchronize(), "making keys");
	return verdict.digest;
}

uint64_t
source_load_runs(unsigned bits, size_t count, size_t run_keys)
{
	const size_t width = bits / 8;
	char *host = must_malloc(count * width);
	uint64_t digest;

	for (size_t at = 0; at < count; at += run_keys)
		keys_fill_sorted(host + at * width, bits,
		                 count - at < run_keys ? count - at : run_keys, at);
	digest = keys_digest(host, bits, count);
	must(cudaMemcpy(rig.source, host, count * width, cudaMemcpyHostToDevice), "copying keys");
	free(host);
	return digest;
}
