// SPDX-License-Identifier: BSD-2-Clause
/* api.c - the calls of gsort.h that take arrays */

#include "library/array.h"

/* Pass an error up, whose message is set. */
#define CHECK(call) \
	do { \
		if ((call) != GS_OK) \
			return GSORT_ERROR; \
	} while (0)

static gs_status
check_scratch(const char *name, const void *array, size_t bytes, const struct gs_array_args *args)
{
	return gs_array_check_apart(name, array, bytes, "scratch bytes", args->scratch,
	                            args->scratch == NULL ? 0 : args->scratch_bytes);
}

gsort_status
gsort_sort(void *keys, size_t count, enum gsort_type type, const struct gsort_array_options *options)
{
	struct gs_array_args args;

	CHECK(gs_array_args_read(&args, type, options));
	CHECK(gs_array_check("keys", keys, count, args.key_bytes));
	CHECK(check_scratch("keys", keys, count * args.key_bytes, &args));
	CHECK(gs_array_sort(keys, count, &args));
	return GSORT_OK;
}

size_t
gsort_scratch_bytes(size_t count, enum gsort_type type, const struct gsort_array_options *options)
{
	struct gs_array_args args;

	if (gs_array_args_read(&args, type, options) != GS_OK || count > PTRDIFF_MAX / args.key_bytes)
		return 0;
	return gs_array_sort_bytes(count, &args);
}

gsort_status
gsort_argsort(const void *keys, size_t count, enum gsort_type type, void *indices,
              enum gsort_type index_type, const struct gsort_array_options *options)
{
	const size_t index_bytes = index_type == GSORT_U32 ? 4 : 8;
	struct gs_array_args args;

	CHECK(gs_array_args_read(&args, type, options));
	CHECK(gs_array_check("keys", keys, count, args.key_bytes));
	if (index_type != GSORT_U32 && index_type != GSORT_U64)
		CHECK(gs_fail(GS_EUSAGE, "indices are u32 or u64"));
	CHECK(gs_array_check("indices", indices, count, index_bytes));
	CHECK(gs_array_check_apart("keys", keys, count * args.key_bytes, "indices", indices,
	                           count * index_bytes));
	CHECK(check_scratch("keys", keys, count * args.key_bytes, &args));
	CHECK(check_scratch("indices", indices, count * index_bytes, &args));
	if (index_type == GSORT_U32 && count > (uint64_t)UINT32_MAX + 1)
		CHECK(gs_fail(GS_EUSAGE, "%zu keys have indices of 64 bits, u64", count));
	CHECK(gs_array_order(indices, index_bytes, keys, count, &args));
	return GSORT_OK;
}

gsort_status
gsort_sort_pairs(void *keys, void *payload, size_t payload_bytes, size_t count, enum gsort_type type,
                 const struct gsort_array_options *options)
{
	struct gs_array_args args;

	CHECK(gs_array_args_read(&args, type, options));
	CHECK(gs_array_check("keys", keys, count, args.key_bytes));
	if (payload_bytes != 4 && payload_bytes != 8)
		CHECK(gs_fail(GS_EUSAGE, "a payload has 4 or 8 bytes, not %zu; for others, sort indices",
		              payload_bytes));
	CHECK(gs_array_check("payloads", payload, count, payload_bytes));
	CHECK(gs_array_check_apart("keys", keys, count * args.key_bytes, "payloads", payload,
	                           count * payload_bytes));
	CHECK(check_scratch("keys", keys, count * args.key_bytes, &args));
	CHECK(check_scratch("payloads", payload, count * payload_bytes, &args));
	CHECK(gs_array_sort_pairs(keys, payload, payload_bytes, count, &args));
	return GSORT_OK;
}

gsort_status
gsort_is_sorted(const void *keys, size_t count, enum gsort_type type,
                const struct gsort_array_options *options)
{
	struct gs_array_args args;
	size_t at;

	CHECK(gs_array_args_read(&args, type, options));
	CHECK(gs_array_check("keys", keys, count, args.key_bytes));
	at = gs_array_disorder(keys, count, &args);
	if (at == count)
		return GSORT_OK;
	(void)gs_fail(GS_OK, "element %zu should come before element %zu", at, at - 1);
	return GSORT_DISORDER;
}

gsort_status
gsort_merge_arrays(void *into, const void *const arrays[], const size_t counts[], size_t array_count,
                   enum gsort_type type, const struct gsort_array_options *options)
{
	struct gs_array_args args;
	size_t keys = 0;

	CHECK(gs_array_args_read(&args, type, options));
	if (array_count > 0 && (arrays == NULL || counts == NULL))
		CHECK(gs_fail(GS_EUSAGE, "the list of %s is NULL", arrays == NULL ? "arrays" : "counts"));
	for (size_t a = 0; a < array_count; a++) {
		CHECK(gs_array_check("keys", arrays[a], counts[a], args.key_bytes));
		if (__builtin_add_overflow(keys, counts[a], &keys))
			keys = SIZE_MAX;
	}
	CHECK(gs_array_check("merged keys", into, keys, args.key_bytes));
	for (size_t a = 0; a < array_count; a++)
		CHECK(gs_array_check_apart("merged keys", into, keys * args.key_bytes, "keys", arrays[a],
		                           counts[a] * args.key_bytes));
	CHECK(gs_array_union(into, arrays, counts, array_count, &args));
	return GSORT_OK;
}
