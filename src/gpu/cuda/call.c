// SPDX-License-Identifier: BSD-2-Clause
/*
 * call.c - libgsort_cuda: the calls of gsort_cuda.h, over the kernels
 *
 * A call checks its arguments, takes a sorter, and hands all to one of five sorts: of keys with a map to
 * ordered bits, of keys of 8 or 16 bits, of keys in pieces, of pairs, and of pairs that stay in order where
 * keys are equal, which is also the sort of all other pairs.
 *
 * A checked call has the verdict on its rows (kernels/device/verify.cu) in front of the scratch of the sort.
 */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gsort_cuda.h"
#include "kernels/kernels.h"

enum { MESSAGE_BYTES = 256, SCRATCH_ALIGNMENT = 256 };

#define STABLE_MOST	((size_t)1 << 32)

_Static_assert(sizeof(struct gsort_cuda_verdict) == sizeof(struct gs_verdict) &&
               (int)GSORT_CUDA_RIGHT == (int)GS_RIGHT && (int)GSORT_CUDA_WRONG == (int)GS_WRONG &&
               GS_VERIFY_BYTES % SCRATCH_ALIGNMENT == 0, "both are the same word");

static _Thread_local char message[MESSAGE_BYTES];

static enum gsort_error __attribute__((format(printf, 2, 3)))
fail(enum gsort_error kind, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	(void)vsnprintf(message, sizeof message, format, list);
	va_end(list);
	return kind;
}

/* ---- sorters: one for each call under way, kept for later ones ------------------------ */

/*
 * To open one takes longer than to sort 2^20 keys.  A context is known by its number, which the driver
 * never gives to another one: so a sorter of a context that is gone is never used again.
 *
 * Invariant: no two calls have the same sorter, and each has one of its own context.
 */

/* One of a list. */
struct kept {
	struct gs_sorter   sorter;
	struct kept       *next;
	unsigned long long context;
	bool               busy;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *kept_sorters;	/* guarded by lock */

/* The driver's cuCtxGetId(), or NULL. */
typedef int context_number(void *context, unsigned long long *number);
static context_number *number_of;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
find_number_of(void)
{
	enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	void *entry = NULL;

#if CUDART_VERSION >= 12050
	if (cudaGetDriverEntryPointByVersion("cuCtxGetId", &entry, 12000, cudaEnableDefault, &found) ==
#else
	if (cudaGetDriverEntryPoint("cuCtxGetId", &entry, cudaEnableDefault, &found) ==
#endif
	    cudaSuccess && found == cudaDriverEntryPointSuccess)
		memcpy(&number_of, &entry, sizeof entry);
}

/* The number of the current context, which is there after that. */
static cudaError_t
current_context(unsigned long long *number)
{
	cudaError_t error;

	pthread_once(&once, find_number_of);
	if (number_of == NULL)
		return cudaErrorInsufficientDriver;
	if (number_of(NULL, number) == 0)
		return cudaSuccess;
	error = cudaFree(NULL);		/* the thread has no context yet */
	return error != cudaSuccess ? error : number_of(NULL, number) == 0 ? cudaSuccess : cudaErrorUnknown;
}

/* Take an idle sorter of the current context to *TAKEN, or open one. */
static cudaError_t
take_sorter(struct kept **taken)
{
	unsigned long long context;
	cudaError_t error = current_context(&context);
	struct kept *k = NULL;

	if (error != cudaSuccess)
		return error;
	pthread_mutex_lock(&lock);
	for (k = kept_sorters; k != NULL && (k->busy || k->context != context); k = k->next)
		;
	if (k != NULL)
		k->busy = true;
	pthread_mutex_unlock(&lock);
	if (k == NULL) {
		if ((k = malloc(sizeof *k)) == NULL)
			return cudaErrorMemoryAllocation;
		*k = (struct kept){ .context = context, .busy = true };
		if ((error = gs_sorter_open(&k->sorter)) != cudaSuccess) {
			free(k);
			return error;
		}
		pthread_mutex_lock(&lock);
		k->next = kept_sorters;
		kept_sorters = k;
		pthread_mutex_unlock(&lock);
	}
	*taken = k;
	return cudaSuccess;
}

/* Close the idle sorters of CONTEXT; or ONLY this one, if that is not NULL. */
static void
close_sorters(unsigned long long context, const struct kept *only)
{
	pthread_mutex_lock(&lock);
	for (struct kept *k, **at = &kept_sorters; (k = *at) != NULL;) {
		if (only != NULL ? k != only : k->busy || k->context != context) {
			at = &k->next;
			continue;
		}
		*at = k->next;
		gs_sorter_close(&k->sorter);
		free(k);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- what a call is about ------------------------------------------------------------- */

/* All of a call.  ROWS: keys, and values or for keys alone the other room. */
struct call {
	struct gs_stable rows;
	bool             pairs, in_pieces;
	size_t           value_bytes;
	unsigned         flags;
	void            *scratch;
	cudaStream_t     stream;
};

/* Set the width and the map of C's keys; false: keys of type NAME cannot be sorted. */
static bool
set_type(struct call *c, enum gsort_type name)
{
	enum { UNSIGNED, SIGNED, FLOAT };
	static const struct { unsigned width; int kind, fraction_bits; } types[] = {
		[GSORT_U8] = { 8, UNSIGNED, 0 },   [GSORT_I8] = { 8, SIGNED, 0 },
		[GSORT_U16] = { 16, UNSIGNED, 0 }, [GSORT_I16] = { 16, SIGNED, 0 },
		[GSORT_U32] = { 32, UNSIGNED, 0 }, [GSORT_I32] = { 32, SIGNED, 0 },
		[GSORT_U64] = { 64, UNSIGNED, 0 }, [GSORT_I64] = { 64, SIGNED, 0 },
		[GSORT_F32] = { 32, FLOAT, 23 }, [GSORT_F64] = { 64, FLOAT, 52 },
		[GSORT_F16] = { 16, FLOAT, 10 }, [GSORT_BF16] = { 16, FLOAT, 7 },
	};
	struct gs_key_map *const map = &c->rows.map;
	uint64_t sign;

	if ((size_t)name >= sizeof types / sizeof types[0] || types[name].width == 0)
		return false;
	c->rows.bits = types[name].width;
	sign = (uint64_t)1 << (c->rows.bits - 1);
	map->negative = types[name].kind == FLOAT ? sign - 1 : 0;
	map->always = types[name].kind != UNSIGNED ? sign : 0;
	if (types[name].kind == FLOAT)	/* NaNs whose sign is set would be first */
		map->shift = 1 - ((uint64_t)1 << types[name].fraction_bits);
	if ((c->flags & GSORT_CUDA_DESCENDING) != 0) {
		map->always ^= sign | (sign - 1);
		map->shift = 0 - map->shift;
	}
	return true;
}

static bool
is_stable(const struct call *c)
{
	return c->pairs && (c->in_pieces || c->rows.bits < 32 ||
	                              (c->flags & (GSORT_CUDA_STABLE | GSORT_CUDA_PLACES)) != 0);
}

static bool
is_checked(const struct call *c)
{
	return (c->flags & GSORT_CUDA_CHECKED) != 0;
}

static size_t
scratch_bytes_of(const struct call *c)
{
	const struct gs_stable *const rows = &c->rows;
	size_t bytes;

	if (is_stable(c))
		bytes = gs_sort_stable_scratch_bytes(rows);
	else if (c->in_pieces)
		bytes = gs_sort_pieces_scratch_bytes(rows->bits, rows->pieces, rows->count);
	else if (rows->bits < 32)
		bytes = GS_SHORT_BYTES;
	else if (c->pairs)
		bytes = gs_sort_pairs_scratch_bytes(rows->bits, rows->value_bits, rows->count, false);
	else
		bytes = gs_sort_scratch_bytes(rows->bits, rows->count);
	return bytes + SCRATCH_ALIGNMENT + (is_checked(c) ? GS_VERIFY_BYTES : 0);
}

static bool
is_captured(const struct call *c)
{
	enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

	return cudaStreamIsCapturing(c->stream, &status) == cudaSuccess &&
	       status != cudaStreamCaptureStatusNone;
}

static bool
misaligned(const void *memory, size_t bytes)
{
	return (uintptr_t)memory % bytes != 0;
}

/* By SORTER.  *WRONG: the pieces are. */
static cudaError_t
run_with(const struct gs_sorter *sorter, const struct call *c, bool *wrong)
{
	const struct gs_stable *const rows = &c->rows;
	void *const keys = rows->keys, *const other = rows->values;

	if (is_stable(c))
		return gs_sort_stable(sorter, rows, c->scratch, wrong, c->stream);
	if (c->in_pieces)
		return gs_sort_pieces(sorter, keys, other, rows->bits, rows->map, rows->pieces, rows->count,
		                      c->scratch, wrong, c->stream);
	if (c->pairs)
		return gs_sort_pairs(sorter, keys, other, rows->bits, rows->value_bits, rows->map,
		                     rows->count, false, c->scratch, c->stream);
	if (rows->bits < 32)
		return gs_sort_short(keys, rows->bits, rows->map, rows->count, c->scratch, c->stream);
	return gs_sort(sorter, keys, other, rows->bits, rows->map, rows->count, c->scratch, c->stream);
}

static cudaError_t
run(const struct call *c, bool *wrong)
{
	struct gs_sorter of_graph;
	struct kept *k;
	cudaError_t error;

	*wrong = false;
	if (c->rows.count == 0)
		return cudaSuccess;
	if (c->rows.bits < 32 && !c->in_pieces && !c->pairs)
		return run_with(NULL, c, wrong);
	if (is_captured(c)) {
		error = gs_sorter_of_graph(&of_graph);
		return error != cudaSuccess ? error : run_with(&of_graph, c, wrong);
	}
	if ((error = take_sorter(&k)) != cudaSuccess)
		return error;
	error = run_with(&k->sorter, c, wrong);
	if (error != cudaSuccess) {
		close_sorters(0, k);
		return error;
	}
	pthread_mutex_lock(&lock);
	k->busy = false;
	pthread_mutex_unlock(&lock);
	return cudaSuccess;
}

/*
 * The same between two looks at all rows, the verdict on which is at VERDICT, on the device.
 * *FOUND: what it is, unless C is captured.
 */
static cudaError_t
run_checked(const struct call *c, void *verdict, struct gs_verdict *found, bool *wrong)
{
	cudaError_t error = gs_verify_begin(&c->rows, verdict, c->stream);

	if (error == cudaSuccess)
		error = run(c, wrong);
	if (error == cudaSuccess)
		error = gs_verify_end(&c->rows, verdict, c->stream);
	if (error != cudaSuccess || is_captured(c))
		return error;
	error = cudaMemcpyAsync(found, verdict, sizeof *found, cudaMemcpyDeviceToHost, c->stream);
	return error != cudaSuccess ? error : cudaStreamSynchronize(c->stream);
}

static enum gsort_error
from_cuda(cudaError_t error)
{
	if (error == cudaSuccess)
		return GSORT_ERROR_NONE;
	(void)cudaGetLastError();	/* of this library's runtime */
	return fail(error == cudaErrorMemoryAllocation ? GSORT_ERROR_MEMORY : GSORT_ERROR_DEVICE,
	            "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
}

static enum gsort_error
sort(struct call *c, enum gsort_type type, size_t *scratch_bytes)
{
	const unsigned known = GSORT_CUDA_DESCENDING | GSORT_CUDA_STABLE | GSORT_CUDA_CHECKED |
	                       (c->pairs ? GSORT_CUDA_PLACES : 0);
	struct gs_stable *const rows = &c->rows;
	const char *const other = c->pairs ? "values" : "other";
	size_t width, other_bytes, needed;
	struct gs_verdict found = { .state = GS_RIGHT };
	enum gsort_error error;
	bool wrong, waits;
	void *verdict;

	/* is what C says by itself possible? */
	if (!set_type(c, type))
		return fail(GSORT_ERROR_USAGE,
		            "type %d is not one of u8 .. u64, i8 .. i64, f16, bf16, f32, f64", (int)type);
	if (c->pairs && c->value_bytes != 4 && c->value_bytes != 8)
		return fail(GSORT_ERROR_USAGE, "value_bytes is %zu, and must be 4 or 8", c->value_bytes);
	if ((c->flags & ~known) != 0)
		return fail(GSORT_ERROR_USAGE, "flags is %#x, of which the call knows %#x", c->flags, known);
	if (is_checked(c) && c->in_pieces)
		return fail(GSORT_ERROR_USAGE, "GSORT_CUDA_CHECKED is not for rows and segments");
	if (rows->count > SIZE_MAX >> 8)
		return fail(GSORT_ERROR_USAGE, "count is %zu: no memory holds so many keys", rows->count);
	if (is_stable(c) && rows->count > STABLE_MOST)
		return fail(GSORT_ERROR_USAGE, "count is %zu, and 2^32 are the most of stable pairs",
		            rows->count);
	if (scratch_bytes == NULL)
		return fail(GSORT_ERROR_USAGE, "scratch_bytes is NULL");
	rows->value_bits = (unsigned)c->value_bytes * 8;
	rows->places = (c->flags & GSORT_CUDA_PLACES) != 0;
	if (!c->in_pieces)
		rows->pieces = (struct gs_cuts){ .count = 1, .length = rows->count };
	needed = scratch_bytes_of(c);
	if (c->scratch == NULL) {
		*scratch_bytes = needed;
		return GSORT_ERROR_NONE;
	}
	if (rows->count == 0 && !is_checked(c))
		return GSORT_ERROR_NONE;
	/* and memory and stream? */
	width = rows->bits / 8;
	other_bytes = c->pairs ? c->value_bytes : width;
	if (*scratch_bytes < needed)
		return fail(GSORT_ERROR_USAGE, "scratch_bytes is %zu, and %zu are needed", *scratch_bytes,
		            needed);
	if (is_checked(c) && misaligned(c->scratch, sizeof found))
		return fail(GSORT_ERROR_USAGE, "scratch is not at a multiple of %zu bytes", sizeof found);
	if (rows->count > 0 && (rows->keys == NULL ||
	                        (rows->values == NULL && (rows->bits >= 32 || c->pairs))))
		return fail(GSORT_ERROR_USAGE, "%s is NULL", rows->keys == NULL ? "keys" : other);
	if (misaligned(rows->keys, width))
		return fail(GSORT_ERROR_USAGE, "keys is not at a multiple of %zu bytes", width);
	if (misaligned(rows->values, other_bytes))
		return fail(GSORT_ERROR_USAGE, "%s is not at a multiple of %zu bytes", other, other_bytes);
	if (rows->count > 0 && rows->values == rows->keys)
		return fail(GSORT_ERROR_USAGE, "keys and %s are the same memory", other);
	/* also if no bins are made: only pieces that are short need no scratch */
	waits = !c->in_pieces ? c->pairs && !is_stable(c)
	        : gs_sort_pieces_scratch_bytes(c->pairs ? 64 : rows->bits, rows->pieces, rows->count) > 0;
	if (waits && is_captured(c))
		return fail(GSORT_ERROR_USAGE, "the stream is being captured, but segments, long rows and "
		            "pairs without GSORT_CUDA_STABLE need the host");
	verdict = c->scratch;
	if (is_checked(c))
		c->scratch = (char *)c->scratch + GS_VERIFY_BYTES;
	c->scratch = (void *)(((uintptr_t)c->scratch + SCRATCH_ALIGNMENT - 1) / SCRATCH_ALIGNMENT *
	                      SCRATCH_ALIGNMENT);
	error = from_cuda(is_checked(c) ? run_checked(c, verdict, &found, &wrong) : run(c, &wrong));
	if (error == GSORT_ERROR_NONE && wrong)
		return fail(GSORT_ERROR_USAGE, "offsets fall, or one is behind the last key");
	if (error == GSORT_ERROR_NONE && found.state != GS_RIGHT)
		return fail(GSORT_ERROR_DEVICE, "the sort is wrong: %s", (found.what & GS_NOT_IN_ORDER) != 0
		            ? "keys are out of order" : "keys or values differ from those given");
	return error;
}

static enum gsort_error
sort_rows(struct call *c, size_t rows, size_t length, enum gsort_type type, size_t *scratch_bytes)
{
	if (length > 0 && rows > (SIZE_MAX >> 8) / length)
		return fail(GSORT_ERROR_USAGE, "no memory holds %zu rows of %zu keys", rows, length);
	c->rows.count = rows * length;
	c->in_pieces = true;
	c->rows.pieces = (struct gs_cuts){ .count = rows, .length = length };
	return sort(c, type, scratch_bytes);
}

static enum gsort_error
sort_segments(struct call *c, const uint64_t *offsets, size_t segments, enum gsort_type type,
              size_t *scratch_bytes)
{
	if (c->scratch != NULL && (offsets == NULL || misaligned(offsets, sizeof *offsets)))
		return fail(GSORT_ERROR_USAGE, "offsets is %s",
		            offsets == NULL ? "NULL" : "not at a multiple of 8 bytes");
	if (segments > UINT32_MAX)
		return fail(GSORT_ERROR_USAGE, "segments is %zu, and 2^32 - 1 are the most", segments);
	c->in_pieces = true;
	c->rows.pieces = (struct gs_cuts){ .at = offsets, .count = segments };
	return sort(c, type, scratch_bytes);
}

/* ---- the calls --------------------------------------------------------------------- */

enum gsort_error
gsort_cuda_sort(void *keys, void *other, size_t count, enum gsort_type type, unsigned flags,
                void *scratch, size_t *scratch_bytes, void *stream)
{
	struct call c = { .rows = { .keys = keys, .values = other, .count = count }, .flags = flags,
	                  .scratch = scratch, .stream = stream };

	return sort(&c, type, scratch_bytes);
}

enum gsort_error
gsort_cuda_sort_rows(void *keys, void *other, size_t rows, size_t length, enum gsort_type type,
                     unsigned flags, void *scratch, size_t *scratch_bytes, void *stream)
{
	struct call c = { .rows = { .keys = keys, .values = other }, .flags = flags, .scratch = scratch,
	                  .stream = stream };

	return sort_rows(&c, rows, length, type, scratch_bytes);
}

enum gsort_error
gsort_cuda_sort_segments(void *keys, void *other, size_t count, const uint64_t *offsets,
                         size_t segments, enum gsort_type type, unsigned flags, void *scratch,
                         size_t *scratch_bytes, void *stream)
{
	struct call c = { .rows = { .keys = keys, .values = other, .count = count }, .flags = flags,
	                  .scratch = scratch, .stream = stream };

	return sort_segments(&c, offsets, segments, type, scratch_bytes);
}

enum gsort_error
gsort_cuda_sort_pairs(void *keys, void *values, size_t value_bytes, size_t count,
                      enum gsort_type type, unsigned flags, void *scratch, size_t *scratch_bytes,
                      void *stream)
{
	struct call c = { .rows = { .keys = keys, .values = values, .count = count }, .pairs = true,
	                  .value_bytes = value_bytes, .flags = flags, .scratch = scratch, .stream = stream };

	return sort(&c, type, scratch_bytes);
}

enum gsort_error
gsort_cuda_sort_pairs_rows(void *keys, void *values, size_t value_bytes, size_t rows, size_t length,
                           enum gsort_type type, unsigned flags, void *scratch,
                           size_t *scratch_bytes, void *stream)
{
	struct call c = { .rows = { .keys = keys, .values = values }, .pairs = true,
	                  .value_bytes = value_bytes, .flags = flags, .scratch = scratch, .stream = stream };

	return sort_rows(&c, rows, length, type, scratch_bytes);
}

enum gsort_error
gsort_cuda_sort_pairs_segments(void *keys, void *values, size_t value_bytes, size_t count,
                               const uint64_t *offsets, size_t segments, enum gsort_type type,
                               unsigned flags, void *scratch, size_t *scratch_bytes, void *stream)
{
	struct call c = { .rows = { .keys = keys, .values = values, .count = count }, .pairs = true,
	                  .value_bytes = value_bytes, .flags = flags, .scratch = scratch, .stream = stream };

	return sort_segments(&c, offsets, segments, type, scratch_bytes);
}

/* Close all idle sorters of the current context. */
enum gsort_error
gsort_cuda_release(void)
{
	unsigned long long context;
	cudaError_t error = current_context(&context);

	if (error == cudaSuccess)
		close_sorters(context, NULL);
	return from_cuda(error);
}

const char *
gsort_cuda_message(void)
{
	return message;
}
