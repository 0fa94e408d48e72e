// SPDX-License-Identifier: BSD-2-Clause
/*
 * call_check.c - are the results of gsort_cuda.h right?
 *
 * Keys go up, are sorted, come back and are looked at by the host: they must ascend or descend by the
 * order of their type, in each row or segment if there are such, and each payload must be there once,
 * beside the key that it was made for, and if pairs are stable behind those of equal keys before it.  Keys
 * without payloads are compared by a sum of hashes.
 */
#include "config.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/call_types.h"
#include "bench/device/call.h"
#include "bench/device/pairs.h"
#include "bench/device/rows.h"
#include "bench/device/segmented.h"
#include "bench/keys.h"
#include "bench/must.h"
#include "kernels/kernels.h"

/*
 * One call, which is made REPEATS times more: COUNT keys of TYPE with payloads of VALUE_BYTES, or none.  AT:
 * where each of PIECES begins, and the end of the last one: rows of LENGTH, or segments; NULL: all keys are
 * one.
 */
struct row {
	const struct call_type *type;
	unsigned                value_bytes, flags, shape, repeats;
	size_t                  count;
	const uint64_t         *at;
	size_t                  pieces, length;
};

static bool
in_order(const struct row *r, const void *keys, size_t i)
{
	const uint64_t before = call_order(r->type, call_get(keys, i - 1, r->type->bytes));
	const uint64_t here = call_order(r->type, call_get(keys, i, r->type->bytes));

	return (r->flags & GSORT_CUDA_DESCENDING) != 0 ? before >= here : before <= here;
}

/* Payloads of equal keys keep their order; places do. */
static bool
is_stable(const struct row *r)
{
	return r->at != NULL || r->type->bytes < 4 ||
	       (r->flags & (GSORT_CUDA_STABLE | GSORT_CUDA_PLACES)) != 0;
}

/* Keys and values are sorted; SOURCE has the keys as they were. */
static bool
right(const struct row *r, const void *keys, const void *values, const void *source)
{
	const unsigned bytes = r->type->bytes;
	unsigned char *seen = calloc(r->count + 1, 1);
	const bool in_rows = r->length > 0 && (r->flags & GSORT_CUDA_PLACES) != 0;
	size_t piece = 0;		/* that key i is in, from 1 on; 0: in front of all */
	uint64_t sum = 0, last = 0;
	bool all = seen != NULL;

	for (size_t i = 0; i < r->count && all; i++) {
		const uint64_t key = call_get(keys, i, bytes);
		bool begins = i == 0;

		for (; r->at != NULL && piece <= r->pieces && r->at[piece] <= i; piece++)
			begins = true;
		if (r->at != NULL && (piece == 0 || piece > r->pieces))		/* it stays */
			all = key == call_get(source, i, bytes);
		else
			all = begins || in_order(r, keys, i);
		if (r->value_bytes > 0) {
			const uint64_t from = call_get(values, i, r->value_bytes) +
			                      (in_rows ? r->at[piece - 1] : 0);

			all = all && from < r->count && seen[from] == 0 &&
			      call_get(source, from, bytes) == key &&
			      (begins || !is_stable(r) || last < from || call_get(keys, i - 1, bytes) != key);
			last = from;
			seen[from < r->count ? from : 0] = 1;
		}
		sum += random_at(key, piece) - random_at(call_get(source, i, bytes), piece);
	}
	free(seen);
	return all && sum == 0;
}

/* AT: of the device. */
static enum gsort_error
call(const struct row *r, const uint64_t *at, void *keys, void *other, void *scratch, size_t *bytes,
     cudaStream_t stream)
{
	if (r->at != NULL && r->length > 0 && r->value_bytes > 0)
		return gsort_cuda_sort_pairs_rows(keys, other, r->value_bytes, r->pieces, r->length,
		                                  r->type->type, r->flags, scratch, bytes, stream);
	if (r->at != NULL && r->value_bytes > 0)
		return gsort_cuda_sort_pairs_segments(keys, other, r->value_bytes, r->count, at, r->pieces,
		                                      r->type->type, r->flags, scratch, bytes, stream);
	if (r->at != NULL && r->length > 0)
		return gsort_cuda_sort_rows(keys, other, r->pieces, r->length, r->type->type, r->flags,
		                            scratch, bytes, stream);
	if (r->at != NULL)
		return gsort_cuda_sort_segments(keys, other, r->count, at, r->pieces, r->type->type, r->flags,
		                                scratch, bytes, stream);
	if (r->value_bytes > 0)
		return gsort_cuda_sort_pairs(keys, other, r->value_bytes, r->count, r->type->type, r->flags,
		                             scratch, bytes, stream);
	return gsort_cuda_sort(keys, other, r->count, r->type->type, r->flags, scratch, bytes, stream);
}

/* Where R's pieces are, in memory of the device, once STREAM has come so far; NULL: it has none. */
static uint64_t *
cuts_there(const struct row *r, cudaStream_t stream)
{
	const size_t bytes = (r->pieces + 1) * sizeof r->at[0];
	uint64_t *at = NULL;

	if (r->at == NULL)
		return NULL;
	must(cudaMalloc((void **)&at, bytes), "cudaMalloc");
	/* cudaMemcpy() of pageable memory may return before all is there, and STREAM waits for no other */
	must(cudaMemcpyAsync(at, r->at, bytes, cudaMemcpyHostToDevice, stream), "copy");
	return at;
}

/* The call R as a graph. */
static enum gsort_error
replay(const struct row *r, void *keys, void *other, void *scratch, size_t *bytes, cudaStream_t stream)
{
	cudaGraph_t graph;
	cudaGraphExec_t ready;
	enum gsort_error error;

	must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing");
	error = call(r, NULL, keys, other, scratch, bytes, stream);
	must(cudaStreamEndCapture(stream, &graph), "capturing");
	must(cudaGraphInstantiate(&ready, graph, 0), "a graph");
	must(cudaGraphLaunch(ready, stream), "a graph");
	must(cudaStreamSynchronize(stream), "waiting");
	must(cudaGraphExecDestroy(ready), "a graph");
	must(cudaGraphDestroy(graph), "a graph");
	return error;
}

/* Sort SOURCE on the device to KEYS and VALUES, which are of the host; as a GRAPH, or by the call. */
static enum gsort_error
sort_there(const struct row *r, const void *source, void *keys, void *values, bool graph,
           cudaStream_t stream)
{
	const size_t bytes = r->count * r->type->bytes;
	const size_t other_bytes = r->value_bytes > 0 ? r->count * r->value_bytes : bytes;
	uint64_t *at = cuts_there(r, stream);
	void *keys_there, *other_there, *scratch;
	size_t scratch_bytes = 0;
	enum gsort_error error = call(r, at, NULL, NULL, NULL, &scratch_bytes, stream);

	must(cudaMalloc(&keys_there, bytes), "cudaMalloc");
	must(cudaMalloc(&other_there, other_bytes), "cudaMalloc");
	must(cudaMalloc(&scratch, scratch_bytes), "cudaMalloc");
	for (unsigned i = 0; i <= r->repeats && error == GSORT_ERROR_NONE; i++) {
		must(cudaMemcpyAsync(keys_there, source, bytes, cudaMemcpyHostToDevice, stream), "copy");
		must(cudaMemcpyAsync(other_there, values, other_bytes, cudaMemcpyHostToDevice, stream),
		     "copy");
		error = graph ? replay(r, keys_there, other_there, scratch, &scratch_bytes, stream) :
		                call(r, at, keys_there, other_there, scratch, &scratch_bytes, stream);
	}
	must(cudaMemcpyAsync(keys, keys_there, bytes, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaMemcpyAsync(values, other_there, other_bytes, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "waiting");
	must(cudaFree(keys_there), "cudaFree");
	must(cudaFree(other_there), "cudaFree");
	must(cudaFree(scratch), "cudaFree");
	must(cudaFree(at), "cudaFree");
	return error;
}

static unsigned
check_way(const struct row *r, bool graph, cudaStream_t stream)
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
	error = sort_there(r, source, keys, values, graph, stream);
	holds = error == GSORT_ERROR_NONE && right(r, keys, values, source);
	if (!holds)
		printf("wrong: %zu %s, payloads of %u bytes, flags %u, %s, %zu pieces of %zu%s: %s\n",
		       r->count, r->type->name, r->value_bytes, r->flags, keys_shapes[r->shape], r->pieces,
		       r->length, graph ? ", as a graph" : "", gsort_cuda_message());
	free(source);
	free(keys);
	free(values);
	return !holds;
}

static unsigned
check_row(const struct row *r, cudaStream_t stream)
{
	return check_way(r, false, stream);
}

/* COUNT u32 keys with u32 payloads, or without; made and checked on the device. */
static unsigned
check_big(size_t count, bool pairs, unsigned flags)
{
	const struct pairs_kind kind = { 32, 32, (flags & (GSORT_CUDA_STABLE | GSORT_CUDA_PLACES)) != 0 };
	const struct row r = { .type = &call_types[CALL_U32], .value_bytes = pairs ? 4 : 0, .flags = flags,
	                       .count = count };
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
	holds = call(&r, NULL, NULL, NULL, NULL, &bytes, NULL) == GSORT_ERROR_NONE;
	must(cudaMalloc(&scratch, bytes), "cudaMalloc");
	holds = holds && call(&r, NULL, keys, other, scratch, &bytes, NULL) == GSORT_ERROR_NONE;
	must(device_keys_check(keys, 32, count, count, &after), "checking");
	holds = holds && after.falls == 0 && after.digest == before.digest;
	if (pairs && holds)
		must(pairs_check(keys, other, source, kind, count, &holds), "checking");
	printf("%s: %zu u32%s, flags %u: %s\n", holds ? "right" : "wrong", count, pairs ? " with u32" : "",
	       flags, holds ? "" : gsort_cuda_message());
	must(cudaFree(keys), "cudaFree");
	must(cudaFree(other), "cudaFree");
	must(cudaFree(scratch), "cudaFree");
	must(cudaFree(source), "cudaFree");
	return !holds;
}

/* COUNT keys of TYPE, both directions, with payloads or places; every other SEED is uniform.  What is stable
 * is also a graph, and so are keys alone. */
static unsigned
check_type(const struct call_type *type, size_t count, unsigned seed, cudaStream_t stream)
{
	static const unsigned kept[] = { 0, GSORT_CUDA_STABLE, GSORT_CUDA_PLACES };
	struct row r = { .type = type, .shape = seed % 2 == 0 ? SHAPE_UNIFORM : seed % SHAPES,
	                 .count = count };
	unsigned wrong = 0;

	for (unsigned down = 0; down < 2; down++)
		for (unsigned k = 0; k < 3; k++)
			for (r.value_bytes = k == 0 ? 0 : 4; r.value_bytes <= 8; r.value_bytes += 4) {
				r.flags = kept[k] | down;
				wrong += check_row(&r, stream);
				if (r.value_bytes == 0 || (k > 0 && (seed + k + down) % 2 == 0))
					wrong += check_way(&r, true, stream);
			}
	return wrong;
}

/* Graphs of more keys than few, of all ways to sort these, and of stable pairs. */
static unsigned
check_graphs(cudaStream_t stream)
{
	static const unsigned shapes[] = {
		SHAPE_UNIFORM, SHAPE_SORTED, SHAPE_REVERSED, SHAPE_NEARLY,
		SHAPE_NORMAL, SHAPE_DIGITS, SHAPE_FEW_BY_FEW, SHAPE_NESTED,
	};
	unsigned wrong = 0;

	for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
		struct row r = { .type = &call_types[CALL_U32], .shape = shapes[s], .count = 4300001 };

		wrong += check_way(&r, true, stream);
		r.type = &call_types[CALL_U64];
		r.count = 2200001;
		wrong += check_way(&r, true, stream);
		r.flags = s % 2 == 0 ? GSORT_CUDA_STABLE : GSORT_CUDA_PLACES;
		r.value_bytes = 4;
		wrong += check_way(&r, true, stream);
	}
	return wrong;
}

/* ---- rows and segments -------------------------------------------------------- */

/* Rows of LENGTH, or if that is 0, segments of 0 to 2^17 keys; about COUNT in all. */
static unsigned
check_cuts(const struct call_type *type, size_t count, size_t length, unsigned seed,
           cudaStream_t stream)
{
	struct row r = { .type = type, .flags = seed % 2, .length = length,
	                 .shape = seed / 2 % 2 == 0 ? SHAPE_UNIFORM : seed % SHAPES };
	uint64_t *at = must_malloc((count + 2) * sizeof *at);
	unsigned wrong;

	at[0] = length == 0 ? seed : 0;		/* keys in front of the first one */
	while (at[r.pieces] < count) {
		const uint64_t random = random_at(seed, r.pieces);
		const size_t keys = length > 0 ? length : random % ((1u << (random >> 32) % 18) + 1);

		r.pieces++;
		at[r.pieces] = at[r.pieces - 1] + keys;
		if (r.pieces > count)
			break;
	}
	r.at = at;
	r.count = at[r.pieces] + (length == 0 ? 7 : 0);
	wrong = check_row(&r, stream);
	r.value_bytes = seed % 3 == 0 ? 8 : 4;
	r.flags |= seed % 4 < 2 ? GSORT_CUDA_PLACES : 0;
	wrong += check_row(&r, stream);
	free(at);
	return wrong;
}

/* All types and lengths. */
static unsigned
check_all_cuts(size_t count, cudaStream_t stream)
{
	static const size_t lengths[] = {
		0, 1, 2, 31, 32, 33, 64, 100, 1000, 1024, 1025, 4096, 4097, 8192, 8193, 16384, 16385, 32768,
		32769, 100000, 131072,
	};
	unsigned wrong = 0;

	for (unsigned t = 0; t < CALL_TYPES; t++)
		for (unsigned l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
			wrong += check_cuts(&call_types[t], count, lengths[l], l * 5 + t, stream);
	return wrong;
}

/* COUNT keys of u8, u32 or u64 in rows of LENGTH, or RAGGED; made and checked on the device. */
static unsigned
check_big_cuts(const struct call_type *type, size_t count, size_t length, bool ragged)
{
	const unsigned bits = type->bytes * 8;
	struct row r = { .type = type, .count = count, .length = ragged ? 0 : length };
	uint64_t *const cuts = rows_cuts(count, length, ragged, &r.pieces), *at;
	struct keys_verdict before, after;
	void *keys, *other, *scratch;
	size_t bytes = 0;
	bool holds;

	r.at = cuts;
	at = cuts_there(&r, NULL);
	must(cudaMalloc(&keys, count * type->bytes), "cudaMalloc");
	must(cudaMalloc(&other, count * type->bytes), "cudaMalloc");
	must(device_keys_fill(keys, bits < 32 ? 32 : bits, bits < 32 ? count / 4 : count, SHAPE_UNIFORM, 1),
	     "making keys");
	must(segmented_check(keys, bits, at, r.pieces, &before), "checking");
	holds = call(&r, at, NULL, NULL, NULL, &bytes, NULL) == GSORT_ERROR_NONE;
	must(cudaMalloc(&scratch, bytes), "cudaMalloc");
	holds = holds && call(&r, at, keys, other, scratch, &bytes, NULL) == GSORT_ERROR_NONE;
	must(segmented_check(keys, bits, at, r.pieces, &after), "checking");
	holds = holds && after.falls == 0 && after.digest == before.digest;
	printf("%s: %zu %s in %zu %s of about %zu: %s\n", holds ? "right" : "wrong", count, type->name,
	       r.pieces, ragged ? "segments" : "rows", length, holds ? "" : gsort_cuda_message());
	must(cudaFree(keys), "cudaFree");
	must(cudaFree(other), "cudaFree");
	must(cudaFree(scratch), "cudaFree");
	must(cudaFree(at), "cudaFree");
	free(cuts);
	return !holds;
}

static unsigned
check_all_big_cuts(void)
{
	const size_t count = ((size_t)1 << 31) + (1 << 20);
	unsigned wrong = check_big_cuts(&call_types[CALL_U8], 2 * count, 100, false);

	for (size_t length = 32; length <= 1 << 17; length *= 16)
		for (int ragged = 0; ragged < 2; ragged++)
			wrong += check_big_cuts(&call_types[CALL_U32], count, length, ragged != 0);
	wrong += check_big_cuts(&call_types[CALL_U64], count, 3000, false);
	return wrong + check_big_cuts(&call_types[CALL_U64], count, 20000, true);
}

/* ---- threads -------------------------------------------------------------------- */

enum { SORTING_THREADS = 6 };

struct sorting_thread {
	pthread_t thread;
	unsigned  number, wrong;
};

/* Keys, pairs and rows, 2^16 to 2^25 of them: another count each time, and never another thread's. */
static void *
sort_in_thread(void *context)
{
	struct sorting_thread *t = context;
	cudaStream_t stream;

	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
	for (unsigned i = 0; i < 10; i++) {
		const unsigned log = 16 + (i * 7 + t->number * 3) % 10;
		struct row r = { .type = &call_types[i % 2 == 0 ? CALL_U32 : CALL_U64],
		                 .shape = SHAPE_UNIFORM, .value_bytes = i % 3 * 4,
		                 .repeats = log > 22 ? 3 : 30,
		                 .count = ((size_t)1 << log) + t->number * 1001 };

		if (i % 5 == 4)
			t->wrong += check_cuts(r.type, r.count, (size_t)1000 << i / 2, i * 4 + 3,
			                       stream);
		else
			t->wrong += check_way(&r, i % 4 == 3 && r.value_bytes == 0, stream);
	}
	must(cudaStreamDestroy(stream), "a stream");
	return NULL;
}

/* Threads sort at once, each on a stream of its own. */
static unsigned
check_threads(void)
{
	struct sorting_thread threads[SORTING_THREADS] = { { .number = 0 } };
	unsigned wrong = 0;

	for (unsigned t = 0; t < SORTING_THREADS; t++) {
		threads[t].number = t;
		must(pthread_create(&threads[t].thread, NULL, sort_in_thread, &threads[t]) == 0 ?
		     cudaSuccess : cudaErrorUnknown, "a thread");
	}
	for (unsigned t = 0; t < SORTING_THREADS; t++) {
		(void)pthread_join(threads[t].thread, NULL);
		wrong += threads[t].wrong;
	}
	return wrong;
}

unsigned
call_check(void)
{
	static const size_t sizes[] = { 1, 1000, 5000, 16385, 131072, 300001 };	/* for compute-sanitizer */
	unsigned wrong = 0;
	cudaStream_t stream;

	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
	for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
		for (unsigned t = 0; t < CALL_TYPES; t++)
			wrong += check_type(&call_types[t], sizes[s], s * 7 + t, stream);
	if (gs_shared_most < INT_MAX)	/* on lesser GPUs networks sort less */
		for (unsigned t = CALL_WIDE; t < CALL_TYPES; t++)
			wrong += check_row(&(struct row){ .type = &call_types[t], .shape = t,
			                                  .count = 2500003 }, stream);
	wrong += check_graphs(stream);
	wrong += check_threads();
	wrong += check_all_cuts(100000, stream);
	must(cudaStreamDestroy(stream), "a stream");
	return wrong;
}

unsigned
call_check_big(void)
{
	const size_t count = ((size_t)1 << 31) + 12345;

	return check_all_big_cuts() + check_big(count, false, 0) +
	       check_big(count, false, GSORT_CUDA_CHECKED) +
	       check_big(count, true, 0) + check_big(count, true, GSORT_CUDA_CHECKED) +
	       check_big(count, true, GSORT_CUDA_STABLE) + check_big(count, true, GSORT_CUDA_PLACES) +
	       check_big(2 * count, false, GSORT_CUDA_CHECKED);
}

/* ---- many calls of threads ---------------------------------------------------------- */

struct calling_thread {
	pthread_t thread;
	size_t    count;
	unsigned  calls, failed;
};

/* Sort the same pairs again and again; calls look at their results. */
static void *
call_in_thread(void *context)
{
	struct calling_thread *t = context;
	const size_t bytes = t->count * sizeof(uint32_t);
	struct row r = { .type = &call_types[CALL_U32], .value_bytes = 4, .count = t->count,
	                 .flags = GSORT_CUDA_CHECKED };
	void *source, *keys, *values, *scratch;
	size_t scratch_bytes = 0;
	cudaStream_t stream;

	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
	must(cudaMalloc(&source, bytes), "cudaMalloc");
	must(cudaMalloc(&keys, bytes), "cudaMalloc");
	must(cudaMalloc(&values, bytes), "cudaMalloc");
	must(call(&r, NULL, NULL, NULL, NULL, &scratch_bytes, NULL) == GSORT_ERROR_NONE ? cudaSuccess :
	     cudaErrorUnknown, "asking for scratch");
	must(cudaMalloc(&scratch, scratch_bytes), "cudaMalloc");
	must(device_keys_fill(source, 32, t->count, SHAPE_UNIFORM, t->count), "making keys");
	must(pairs_fill(values, (struct pairs_kind){ 32, 32, false }, t->count), "making payloads");
	must(cudaDeviceSynchronize(), "making keys");
	for (unsigned i = 0; i < t->calls; i++) {
		must(cudaMemcpyAsync(keys, source, bytes, cudaMemcpyDeviceToDevice, stream), "copy");
		if (call(&r, NULL, keys, values, scratch, &scratch_bytes, stream) == GSORT_ERROR_NONE)
			continue;
		printf("wrong: call %u of %zu pairs: %s\n", i, t->count, gsort_cuda_message());
		t->failed++;
	}
	must(cudaFree(source), "cudaFree");
	must(cudaFree(keys), "cudaFree");
	must(cudaFree(values), "cudaFree");
	must(cudaFree(scratch), "cudaFree");
	must(cudaStreamDestroy(stream), "a stream");
	return NULL;
}

unsigned
call_threads(unsigned calls)
{
	/* all ways of even pairs: in the longest of the others kernels have other sizes of shared memory */
	static const size_t counts[SORTING_THREADS] = {
		1 << 12, 1 << 16, 1 << 18, (1 << 20) + 7, (1 << 21) + 4099, 1 << 22,
	};
	struct calling_thread threads[SORTING_THREADS];
	unsigned failed = 0;

	for (unsigned t = 0; t < SORTING_THREADS; t++) {
		threads[t] = (struct calling_thread){ .count = counts[t], .calls = calls };
		must(pthread_create(&threads[t].thread, NULL, call_in_thread, &threads[t]) == 0 ?
		     cudaSuccess : cudaErrorUnknown, "a thread");
	}
	for (unsigned t = 0; t < SORTING_THREADS; t++) {
		(void)pthread_join(threads[t].thread, NULL);
		failed += threads[t].failed;
	}
	printf("%u calls of each of %d threads: %u failed\n", calls, SORTING_THREADS, failed);
	return failed;
}
