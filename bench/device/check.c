// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - does the device sort and merge correctly, at sizes that a network finds awkward?
 *
 * A result is right if it ascends, has the same keys by their digest, and the guards around it
 * are untouched.  Small enough to run under compute-sanitizer, unless BIG.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/device/check.h"
#include "bench/keys.h"
#include "bench/must.h"
#include "kernels/kernels.h"

enum { GUARD_BYTES = 256, GUARD = 0x5c };

/* Device memory of BYTES between guards. */
static char *
guarded(size_t bytes)
{
	void *memory = NULL;

	must(cudaMalloc(&memory, bytes + 2 * GUARD_BYTES), "cudaMalloc");
	must(cudaMemset(memory, GUARD, GUARD_BYTES), "cudaMemset");
	must(cudaMemset((char *)memory + GUARD_BYTES + bytes, GUARD, GUARD_BYTES), "cudaMemset");
	return (char *)memory + GUARD_BYTES;
}

/* Give it back; were the guards whole? */
static bool
guarded_close(char *keys, size_t bytes)
{
	unsigned char guards[2 * GUARD_BYTES];
	bool whole = true;

	must(cudaMemcpy(guards, keys - GUARD_BYTES, GUARD_BYTES, cudaMemcpyDeviceToHost), "copy");
	must(cudaMemcpy(guards + GUARD_BYTES, keys + bytes, GUARD_BYTES, cudaMemcpyDeviceToHost),
	     "copy");
	must(cudaFree(keys - GUARD_BYTES), "cudaFree");
	for (size_t b = 0; b < sizeof guards; b++)
		whole = whole && guards[b] == GUARD;
	return whole;
}

/* Are the COUNT keys on the device sorted, and those that DIGEST says? */
static bool
device_holds(const char *keys, unsigned bits, size_t count, uint64_t digest)
{
	const size_t bytes = count * (bits / 8);
	void *host = must_malloc(bytes + 1);
	bool right;

	must(cudaMemcpy(host, keys, bytes, cudaMemcpyDeviceToHost), "copying the result");
	right = keys_ascend(host, bits, count) && keys_digest(host, bits, count) == digest;
	free(host);
	return right;
}

static unsigned
check_sort(unsigned bits, size_t count, unsigned shape)
{
	const size_t bytes = count * (bits / 8);
	void *host = must_malloc(bytes + 1);
	char *keys = guarded(bytes);
	uint64_t digest;
	bool right;

	keys_fill(host, bits, count, shape, count + shape);
	digest = keys_digest(host, bits, count);
	must(cudaMemcpy(keys, host, bytes, cudaMemcpyHostToDevice), "copying keys");
	free(host);
	must(gs_tile_sort(keys, bits, count, NULL), "gs_tile_sort");
	must(cudaDeviceSynchronize(), "sorting");
	right = device_holds(keys, bits, count, digest);
	right = guarded_close(keys, bytes) && right;
	if (!right)
		printf("WRONG: tile of %zu u%u keys, %s\n", count, bits, keys_shapes[shape]);
	return !right;
}

static unsigned
check_merge(unsigned bits, size_t a_count, size_t b_count, unsigned shift)
{
	const size_t width = bits / 8, count = a_count + b_count;
	const size_t longest = a_count > b_count ? a_count : b_count;
	void *host = must_malloc(longest * width + 1), *scratch = NULL;
	char *a = guarded((a_count + 8) * width), *b = guarded((b_count + 8) * width);
	char *out = guarded(count * width);
	uint64_t digest;
	bool right;

	keys_fill_sorted(host, bits, a_count, 1);
	digest = keys_digest(host, bits, a_count);
	must(cudaMemcpy(a + shift * width, host, a_count * width, cudaMemcpyHostToDevice), "copy");
	keys_fill_sorted(host, bits, b_count, 2);
	digest += keys_digest(host, bits, b_count);
	must(cudaMemcpy(b + shift / 2 * width, host, b_count * width, cudaMemcpyHostToDevice),
	     "copy");
	free(host);
	must(cudaMalloc(&scratch, gs_tile_merge_scratch_bytes(bits, count)), "cudaMalloc");
	must(gs_tile_merge(out, a + shift * width, a_count, b + shift / 2 * width, b_count, bits,
	                   scratch, NULL), "gs_tile_merge");
	must(cudaDeviceSynchronize(), "merging");
	right = device_holds(out, bits, count, digest);
	right = guarded_close(out, count * width) && right;
	(void)guarded_close(a, (a_count + 8) * width);
	(void)guarded_close(b, (b_count + 8) * width);
	must(cudaFree(scratch), "cudaFree");
	if (!right)
		printf("WRONG: merge of %zu and %zu u%u keys, shifted by %u\n", a_count, b_count, bits,
		       shift);
	return !right;
}

static unsigned
check_whole_sort(unsigned bits, size_t count, unsigned shape)
{
	const size_t bytes = count * (bits / 8);
	void *host = must_malloc(bytes + 1), *scratch = NULL;
	char *keys = guarded(bytes), *other = guarded(bytes);
	uint64_t digest;
	bool right;

	keys_fill(host, bits, count, shape, count + shape);
	digest = keys_digest(host, bits, count);
	must(cudaMemcpy(keys, host, bytes, cudaMemcpyHostToDevice), "copying keys");
	must(cudaMalloc(&scratch, gs_sort_scratch_bytes(bits, count)), "cudaMalloc");
	free(host);
	must(gs_sort(keys, other, bits, count, scratch, NULL), "gs_sort");
	must(cudaDeviceSynchronize(), "sorting");
	right = device_holds(keys, bits, count, digest);
	right = guarded_close(keys, bytes) && right;
	right = guarded_close(other, bytes) && right;
	must(cudaFree(scratch), "cudaFree");
	if (!right)
		printf("WRONG: sort of %zu u%u keys, %s\n", count, bits, keys_shapes[shape]);
	return !right;
}

/* One level of bins and two, of every shape. */
static unsigned
check_whole(unsigned bits, size_t most)
{
	static const size_t counts[] = {
		70000, (1 << 17) + 1, 1 << 20, 3000001, 4000001, (1 << 24) + 5, 100000001,
	};
	unsigned wrong = 0;

	for (size_t c = 0; c < sizeof counts / sizeof counts[0] && counts[c] <= most; c++)
		for (unsigned shape = 0; keys_shapes[shape] != NULL; shape++)
			wrong += check_whole_sort(bits, counts[c], shape);
	return wrong;
}

/* Around powers of two up to 2^20, each shape now and then. */
static unsigned
check_small(unsigned bits)
{
	unsigned wrong = 0, cases = 0;

	for (size_t power = 1; power <= (size_t)1 << 20; power *= 2)
		for (int off = -1; off <= 1; off++) {
			size_t count = power + (size_t)off;

			wrong += check_sort(bits, count, 0);
			wrong += check_sort(bits, count + count / 3, ++cases % SHAPES);
			wrong += check_merge(bits, count, count, 0);
			wrong += check_merge(bits, count, cases % 7 * count / 5, cases % 4);
			wrong += check_merge(bits, cases % 3, count, cases % 5);
		}
	return wrong;
}

/* Beyond 31 and 32 bits of index; needs 52 GB on the device, 18 GB here. */
static unsigned
check_big(void)
{
	unsigned wrong = check_whole(32, SIZE_MAX) + check_whole(64, SIZE_MAX);

	wrong += check_whole_sort(32, ((size_t)1 << 32) + 12345, 0);
	wrong += check_whole_sort(64, ((size_t)1 << 31) + 5, 0);
	wrong += check_sort(32, ((size_t)1 << 31) + 12345, 0);
	wrong += check_sort(64, ((size_t)1 << 31) + 5, 0);
	wrong += check_merge(32, ((size_t)1 << 31) + 1, ((size_t)1 << 31) + 77, 1);
	wrong += check_merge(32, ((size_t)1 << 32) + 3, 100001, 3);
	wrong += check_merge(64, ((size_t)1 << 30) + 1, ((size_t)1 << 31) + 7, 1);
	return wrong;
}

unsigned
check_all(bool big)
{
	unsigned wrong = check_small(32) + check_small(64) + check_whole(32, 1 << 20) +
	                 check_whole(64, 1 << 20);

	wrong += check_sort(32, ((size_t)1 << 24) + 1, 0) + check_sort(64, ((size_t)1 << 23) + 1, 4);
	return wrong + (big ? check_big() : 0);
}
