// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - does the device sort and merge correctly, at sizes that a network finds awkward?
 *
 * A result is right if it ascends, has the same keys by their digest, and the guards around it
 * are untouched.  Small enough to run under compute-sanitizer, but for check_big(), whose keys are made and
 * checked on the device.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/device/check.h"
#include "bench/device/device_keys.h"
#include "bench/keys.h"
#include "bench/must.h"
#include "kernels/kernels.h"
#include "kernels/paper/tile_merge.h"

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

/* Are the COUNT keys on the device sorted, and are they the keys of DIGEST? */
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

static void
sort_there(void *keys, void *other, unsigned bits, size_t count, void *scratch)
{
	struct gs_sorter sorter;

	must(gs_sorter_open(&sorter), "gs_sorter_open");
	must(gs_sort(&sorter, keys, other, bits, (struct gs_key_map){ 0 }, count, scratch, NULL), "gs_sort");
	gs_sorter_close(&sorter);
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
	sort_there(keys, other, bits, count, scratch);
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
check_whole(unsigned bits)
{
	static const size_t counts[] = { 70000, (1 << 17) + 1, 1 << 20 };
	unsigned wrong = 0;

	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
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

/* ---- on the device ---------------------------------------------------------- */

/* Do the COUNT keys there ascend, and are they the keys of DIGEST?  Frees KEYS, and the OTHER memory. */
static unsigned
told(const char *what, unsigned bits, size_t count, unsigned shape, uint64_t digest, void *keys, void *other)
{
	struct keys_verdict after;
	bool right;

	must(device_keys_check(keys, bits, count, count, &after), "checking");
	right = after.falls == 0 && after.digest == digest;
	if (!right || count > UINT32_MAX / 4)
		printf("%s: %s of %zu u%u keys, %s\n", right ? "right" : "WRONG", what, count, bits,
		       keys_shapes[shape]);
	must(cudaFree(keys), "cudaFree");
	must(cudaFree(other), "cudaFree");
	return !right;
}

static uint64_t
made(void *keys, unsigned bits, size_t count, unsigned shape)
{
	struct keys_verdict before;

	must(device_keys_fill(keys, bits, count, shape, count + shape), "making keys");
	must(device_keys_check(keys, bits, count, count, &before), "checking");
	return before.digest;
}

static unsigned
check_sort_there(unsigned bits, size_t count, unsigned shape)
{
	const size_t bytes = count * (bits / 8);
	void *keys, *other, *scratch;
	uint64_t digest;

	must(cudaMalloc(&keys, bytes), "cudaMalloc");
	must(cudaMalloc(&other, bytes), "cudaMalloc");
	must(cudaMalloc(&scratch, gs_sort_scratch_bytes(bits, count)), "cudaMalloc");
	digest = made(keys, bits, count, shape);
	sort_there(keys, other, bits, count, scratch);
	must(cudaDeviceSynchronize(), "sorting");
	must(cudaFree(scratch), "cudaFree");
	return told("sort", bits, count, shape, digest, keys, other);
}

static unsigned
check_merge_there(unsigned bits, size_t a_count, size_t b_count)
{
	const size_t width = bits / 8, count = a_count + b_count;
	void *runs, *out, *scratch;
	uint64_t digest;

	must(cudaMalloc(&runs, count * width), "cudaMalloc");
	must(cudaMalloc(&out, count * width), "cudaMalloc");
	must(cudaMalloc(&scratch, gs_tile_merge_scratch_bytes(bits, count)), "cudaMalloc");
	digest = made(runs, bits, a_count, SHAPE_SORTED);
	digest += made((char *)runs + a_count * width, bits, b_count, SHAPE_SORTED);
	must(gs_tile_merge(out, runs, a_count, (char *)runs + a_count * width, b_count, bits, scratch, NULL),
	     "gs_tile_merge");
	must(cudaDeviceSynchronize(), "merging");
	must(cudaFree(scratch), "cudaFree");
	return told("merge", bits, count, SHAPE_SORTED, digest, out, runs);
}

/* Many keys of all shapes; then beyond 31 and 32 bits of index. */
unsigned
check_big(void)
{
	static const size_t counts[] = { 3000001, 4300001, ((size_t)1 << 24) + 5, 100000001 };
	const size_t tile = ((size_t)1 << 31) + 12345;
	unsigned wrong = 0;
	uint64_t digest;
	void *keys;

	for (unsigned log = 31; log <= 33; log++) {
		wrong += check_sort_there(32, ((size_t)1 << log) + 12345, SHAPE_UNIFORM);
		wrong += check_sort_there(32, ((size_t)1 << log) - 1, SHAPE_ADDRESSES);
		if (log < 33)
			wrong += check_sort_there(64, ((size_t)1 << log) + 5, log == 31 ? SHAPE_NORMAL :
			                                                                 SHAPE_UNIFORM);
	}
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		must(cudaMalloc(&keys, tile * (bits / 8)), "cudaMalloc");
		digest = made(keys, bits, tile, SHAPE_UNIFORM);
		must(gs_tile_sort(keys, bits, tile, NULL), "gs_tile_sort");
		wrong += told("tile", bits, tile, SHAPE_UNIFORM, digest, keys, NULL);
		wrong += check_merge_there(bits, ((size_t)1 << 31) + 1, ((size_t)1 << 31) + 77);
		wrong += check_merge_there(bits, ((size_t)1 << 32) + 3, 100001);
		for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
			for (unsigned shape = 0; shape < SHAPES; shape++)
				wrong += check_sort_there(bits, counts[c], shape);
	}
	return wrong;
}

unsigned
check_all(void)
{
	const unsigned wrong = check_small(32) + check_small(64) + check_whole(32) +
	                       check_whole(64);

	return wrong + check_sort(32, ((size_t)1 << 24) + 1, 0) + check_sort(64, ((size_t)1 << 23) + 1, 4);
}
