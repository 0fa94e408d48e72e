// SPDX-License-Identifier: BSD-2-Clause
/* source.c - the keys that are sorted in a comparison, and the check of the results */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/device/device_harness.h"
#include "bench/device/source.h"
#include "bench/keys.h"
#include "bench/must.h"

void
source_check(const char *name, char *result, unsigned bits, size_t count, size_t run_keys,
             uint64_t digest)
{
	struct keys_verdict verdict;

	must(device_keys_map(result, bits, harness.kind, false, count, NULL), "mapping");
	must(device_keys_check(result, bits, count, run_keys, &verdict), "checking");
	if (verdict.falls != 0 || verdict.digest != digest) {
		fprintf(stderr, "gsort-bench: %s: the result is wrong\n", name);
		exit(1);
	}
}

uint64_t
source_load(unsigned bits, size_t count, unsigned shape, uint64_t seed)
{
	struct keys_verdict verdict;

	must(device_keys_fill(harness.source, bits, count, shape, seed), "making keys");
	must(device_keys_map(harness.source, bits, harness.kind, true, count, NULL), "mapping");
	/* a second time, for the mapping to floats changes bits that no float has */
	must(device_keys_map(harness.source, bits, harness.kind, false, count, NULL), "mapping");
	must(device_keys_check(harness.source, bits, count, count, &verdict), "checking");
	must(device_keys_map(harness.source, bits, harness.kind, true, count, NULL), "mapping");
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
	must(cudaMemcpy(harness.source, host, count * width, cudaMemcpyHostToDevice), "copying keys");
	free(host);
	return digest;
}
