// SPDX-License-Identifier: BSD-2-Clause
/* args.c - the arguments of the calls of gsort.h that take arrays */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/team.h"
#include "base/thread.h"
#include "key/key.h"
#include "library/array.h"

enum { DEFAULT_THREADS = 16 };

/* A thread that is woken has work for 200 us at least.  Not tuned. */
enum { THREAD_BYTES = 256 << 10 };

/* A C program can store any byte in a bool, and to read one that is neither is undefined. */
static gs_status
check_flag(const char *name, const bool *flag)
{
	unsigned char byte;

	memcpy(&byte, flag, sizeof byte);
	return byte <= 1 ? GS_OK : gs_fail(GS_EUSAGE, "%s is %u: there is no such value", name, byte);
}

gs_status
gs_array_args_read(struct gs_array_args *args, enum gsort_type type,
                   const struct gsort_array_options *options)
{
	const size_t known = sizeof *options, given = options != NULL ? options->struct_size : known;
	struct gsort_array_options copy = { .threads = 0 };
	unsigned threads;

	TRY(gs_thread_check_stack());
	if (given < sizeof(size_t) || given > 16 * known)
		return gs_fail(GS_EUSAGE, "struct_size of the array options is %zu: set it to "
		               "sizeof(struct gsort_array_options), which is %zu here", given, known);
	for (size_t at = known; at < given; at++)
		if (((const char *)options)[at] != 0)
			return gs_fail(GS_EUSAGE, "an array option is set that this libgsort does not "
			               "know: the program needs a newer one");
	if (options != NULL)
		memcpy(&copy, options, given < known ? given : known);
	TRY(check_flag("reverse", &copy.reverse));
	TRY(check_flag("trust_order", &copy.trust_order));
	if (type > GS_TYPE_LAST || gs_key_bits(type) == 0 || gs_key_is_wide(type))
		return gs_fail(GS_EUSAGE, "the keys of an array are of a binary type: u8 .. f64");
	threads = copy.threads;
	if (threads == 0)
		threads = gs_team_most() < DEFAULT_THREADS ? gs_team_most() : DEFAULT_THREADS;
	*args = (struct gs_array_args){
		.type = type,
		.reverse = copy.reverse,
		.trust_order = copy.trust_order,
		.key_bits = gs_key_bits(type),
		.key_bytes = gs_key_bits(type) / 8,
		.threads = threads < GS_TEAM_MAX ? threads : GS_TEAM_MAX,
		.scratch = copy.scratch,
		.scratch_bytes = copy.scratch_bytes,
	};
	return GS_OK;
}

gs_status
gs_array_check(const char *name, const void *array, size_t count, size_t bytes)
{
	if (count > 0 && array == NULL)
		return gs_fail(GS_EUSAGE, "the array of %s is NULL", name);
	if (count > PTRDIFF_MAX / bytes)
		return gs_fail(GS_EUSAGE, "no array holds %zu %s", count, name);
	if ((uintptr_t)array % bytes != 0)
		return gs_fail(GS_EUSAGE, "the array of %s is not aligned to %zu bytes", name, bytes);
	return GS_OK;
}

gs_status
gs_array_check_apart(const char *one_name, const void *one, size_t one_bytes, const char *other_name,
                     const void *other, size_t other_bytes)
{
	const uintptr_t a = (uintptr_t)one, b = (uintptr_t)other;

	if (one_bytes == 0 || other_bytes == 0 || (a < b ? b - a >= one_bytes : a - b >= other_bytes))
		return GS_OK;
	return gs_fail(GS_EUSAGE, "the arrays of %s and %s overlap", one_name, other_name);
}

void
gs_array_read(const struct gs_array_args *args, const void *keys, size_t at, size_t count, uint64_t *into)
{
	_Alignas(64) uint64_t narrow[GS_ARRAY_READ_KEYS];
	uint64_t *const copy = args->key_bits == 64 ? into : narrow;

	assert(count <= GS_ARRAY_READ_KEYS);
	memcpy(copy, (const char *)keys + at * args->key_bytes, count * args->key_bytes);
	gs_raw_to_ordered(args->type, GSORT_ENDIAN_HOST, args->reverse, copy, count, 1);
	if (copy == into)
		return;
	if (args->key_bits == 32) {
		#pragma omp simd
		for (size_t i = 0; i < count; i++)
			into[i] = ((const uint32_t *)copy)[i];
		return;
	}
	for (size_t i = 0; i < count; i++)
		switch (args->key_bits) {
		case 8:  into[i] = ((const uint8_t *)copy)[i]; break;
		default: into[i] = ((const uint16_t *)copy)[i]; break;
		}
}

struct gs_array_args
gs_array_args_u64(unsigned threads)
{
	return (struct gs_array_args){
		.type = GSORT_U64, .key_bits = 64, .key_bytes = sizeof(uint64_t), .threads = threads,
	};
}

unsigned
gs_array_threads(const struct gs_array_args *args, size_t bytes)
{
	const size_t useful = bytes / THREAD_BYTES + 1;

	return useful < args->threads ? (unsigned)useful : args->threads;
}
