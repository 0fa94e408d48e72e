// SPDX-License-Identifier: BSD-2-Clause
/*
 * call_check.c - are the results of gsort_cuda.h right?
 *
 * Keys go up, are sorted, come back and are looked at by the host: they must ascend or descend by the
 * order of their type, and each payload must be there once, beside the key that it was made for.
 * Keys without payloads are compared by a sum of hashes.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/call_types.h"
#include "bench/device/call.h"
#include "bench/device/pairs.h"
#include "bench/keys.h"
#include "bench/must.h"

/* One call: COUNT keys of TYPE with payloads of VALUE_BYTES, or none. */
struct row {
	const struct call_type *type;
	unsigned                value_bytes, flags, shape;
	size_t                  count;
};

static bool
in_order(const struct row *r, const void *keys, size_t i)
{
	const uint64_t before = call_order(r->type, call_get(keys, i - 1, r->type->bytes));
	const uint64_t here = call_order(r->type, call_get(keys, i, r->type->bytes));

	return (r->flags & GSORT_CUDA_DESCENDING) != 0 ? before >= here : before <= here;
}

/* Keys and values are sorted; SOURCE has the keys as they were. */
static bool
right(const struct row *r, const void *keys, const void *values, const void *source)
{
	const unsigned bytes = r->type->bytes;
	unsigned char *seen = calloc(r->count + 1, 1);
	uint64_t sum = 0;
	bool all = seen != NULL;

	for (size_t i = 0; i < r->count && all; i++) {
		const uint64_t key = call_get(keys, i, bytes);

		all = i == 0 || in_order(r, keys, i);
		if (r->value_bytes > 0) {
			const uint64_t from = call_get(values, i, r->value_bytes);

			all = all && from < r->count && seen[from] == 0 &&
			      call_get(source, from, bytes) == key;
			seen[from < r->count ? from : 0] = 1;
		}
		sum += random_at(key, 1) - random_at(call_get(source, i, bytes), 1);
	}
	free(seen);
	return all && sum == 0;
}

static enum gsort_error
call(const struct row *r, void *keys, void *other, void *scratch, size_t *bytes,
     cudaStream_t stream)
{
	if (r->value_bytes > 0)
		return gsort_cuda_sort_pairs(keys, other, r->value_bytes, r->count, r->type->type, r->flags,
		                             scratch, bytes, stream);
	return gsort_cuda_sort(keys, other, r->count, r->type->type, r->flags, scratch, bytes, stream);
}

/* Sort SOURCE on the device to KEYS and VALUES, which are of the host. */
static enum gsort_error
sort_there(const struct row *r, const void *source, void *keys, void *values, cudaStream_t stream)
{
	const size_t bytes = r->count * r->type->bytes;
	const size_t other_bytes = r->value_bytes > 0 ? r->count * r->value_bytes : bytes;
	void *keys_there, *other_there, *scratch;
	size_t scratch_bytes = 0;
	enum gsort_error error = call(r, NULL, NULL, NULL, &scratch_bytes, stream);

	must(cudaMalloc(&keys_there, bytes), "cudaMalloc");
	must(cudaMalloc(&other_there, other_bytes), "cudaMalloc");
	must(cudaMalloc(&scratch, scratch_bytes), "cudaMalloc");
	must(cudaMemcpyAsync(keys_there, source, bytes, cudaMemcpyHostToDevice, stream), "copy");
	must(cudaMemcpyAsync(other_there, values, other_bytes, cudaMemcpyHostToDevice, stream), "copy");
	if (error == GSORT_ERROR_NONE)
		error = call(r, keys_there, other_there, scratch, &scratch_bytes, stream);
	must(cudaMemcpyAsync(keys, keys_there, bytes, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaMemcpyAsync(values, other_there, other_bytes, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "waiting");
	must(cudaFree(keys_there), "cudaFree");
	must(cudaFree(other_there), "cudaFree");
	must(cudaFree(scratch), "cudaFree");
	return error;
}

static unsigned
check_row(const struct row *r, cudaStream_t stream)
{
	const unsigned bytes = r->type->bytes;
	void *source = must_malloc(r->count * 8), *keys = must_malloc(r->count * 8);
	void *values = must_malloc(r->count * 8);
	enum gsort_error error;
	bool holds;

	for (size_t i = 0; i < r->count; i++) {
		const uint64_t key = key_of(r->shape, bytes > 4 ? 64 : 32, i, r->count, r->count);

		call_put(source, i, bytes, bytes < 4 ? key >> (32 - bytes * 8) : key);
		call_put(values, i, r->value_bytes > 0 ? r->value_bytes : bytes, i);
	}
	error = sort_there(r, source, keys, values, stream);
	holds = error == GSORT_ERROR_NONE && right(r, keys, values, source);
	if (!holds)
		printf("wrong: %zu %s, payloads of %u bytes, flags %u, %s: %s\n", r->count, r->type->name,
		       r->value_bytes, r->flags, keys_shapes[r->shape], gsort_cuda_message());
	free(source);
	free(keys);
	free(values);
	return !holds;
}

/* COUNT u32 keys with u32 payloads, or without; made and checked on the device. */
static unsigned
check_big(size_t count, bool pairs)
{
	const struct pairs_kind kind = { 32, 32 };
	const struct row r = { &call_types[CALL_U32], pairs ? 4 : 0, 0, SHAPE_UNIFORM, count };
	void *source = NULL, *keys, *other, *scratch;
	struct keys_verdict before, after;
	size_t bytes = 0;
	bool holds;

	must(cudaMalloc(&keys, count * 4), "cudaMalloc");
	must(cudaMalloc(&other, count * 4), "cudaMalloc");
	must(device_keys_fill(keys, 32, count, SHAPE_UNIFORM, 1), "making keys");
	must(device_keys_check(keys, 32, count, count, &before), "checking");
	if (pairs) {
		must(cudaMalloc(&source, count * 4), "cudaMalloc");
		must(cudaMemcpy(source, keys, count * 4, cudaMemcpyDeviceToDevice), "copy");
		must(pairs_fill(other, kind, count), "making payloads");
	}
	holds = call(&r, NULL, NULL, NULL, &bytes, NULL) == GSORT_ERROR_NONE;
	must(cudaMalloc(&scratch, bytes), "cudaMalloc");
	holds = holds && call(&r, keys, other, scratch, &bytes, NULL) == GSORT_ERROR_NONE;
	must(device_keys_check(keys, 32, count, count, &after), "checking");
	holds = holds && after.falls == 0 && after.digest == before.digest;
	if (pairs && holds)
		must(pairs_check(keys, other, source, kind, count, &holds), "checking");
	printf("%s: %zu u32%s: %s\n", holds ? "right" : "wrong", count, pairs ? " with u32" : "",
	       holds ? "" : gsort_cuda_message());
	must(cudaFree(keys), "cudaFree");
	must(cudaFree(other), "cudaFree");
	must(cudaFree(scratch), "cudaFree");
	must(cudaFree(source), "cudaFree");
	return !holds;
}

/* COUNT keys of TYPE, both directions, with payloads of up to MOST_BYTES; every other SEED is uniform. */
static unsigned
check_type(const struct call_type *type, unsigned most_bytes, size_t count, unsigned seed,
           cudaStream_t stream)
{
	const unsigned shape = seed % 2 == 0 ? SHAPE_UNIFORM : seed % SHAPES;
	unsigned wrong = 0;

	for (unsigned flags = 0; flags < 2; flags++)
		for (unsigned value_bytes = 0; value_bytes <= most_bytes; value_bytes += 4)
			wrong += check_row(&(struct row){ type, value_bytes, flags, shape, count }, stream);
	return wrong;
}

unsigned
call_check(bool big)
{
	static const size_t sizes[] = { 1, 1000, 5000, 16385, 131072, 300001, 2500003, 6000001 };
	const unsigned many = big ? 8 : 6;	/* few enough for compute-sanitizer */
	unsigned wrong = 0;
	cudaStream_t stream;

	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
	for (unsigned s = 0; s < many; s++)
		for (unsigned t = 0; t < CALL_TYPES; t++)
			wrong += check_type(&call_types[t], t < CALL_WIDE ? 0 : 8, sizes[s], s * 7 + t,
			                    stream);
	must(cudaStreamDestroy(stream), "a stream");
	if (big) {
		wrong += check_big(((size_t)1 << 31) + 12345, false);
		wrong += check_big(((size_t)1 << 31) + 12345, true);
	}
	return wrong;
}
