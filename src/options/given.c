// SPDX-License-Identifier: BSD-2-Clause
/*
 * given.c - the options that a program gives, with any number in any member
 *
 * In:   the caller's struct.
 * Out:  a copy, or which member has no value.
 *
 * A C program can store any number in an enum, and any byte in a bool: to read such a bool is
 * undefined, so members are read as bytes here.
 */
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "key/key.h"
#include "options/options.h"

#define COUNT(array)	(sizeof (array) / sizeof (array)[0])

/* A member with few values: 0 to LAST. */
struct limited {
	const char *name;
	size_t      offset, bytes;
	unsigned    last;
};

#define LIMITED(type, member, last) \
	{ #member, offsetof(struct type, member), sizeof ((struct type *)NULL)->member, last }
#define OPTION(member, last)	LIMITED(gsort_options, member, last)

static const struct limited options_limited[] = {
	OPTION(operation, GSORT_CHECK), OPTION(set, GSORT_SYMMETRIC), OPTION(type, GS_TYPE_LAST),
	OPTION(notation, GSORT_TIME), OPTION(check, GSORT_CHECK_SUMMARY),
	OPTION(decompress, GSORT_DECOMPRESS_LZ4), OPTION(endian, GSORT_ENDIAN_BIG),
	OPTION(invalid, GSORT_INVALID_SKIP_BLANK), OPTION(to, GS_TYPE_LAST),
	OPTION(device, GSORT_DEVICE_GPU), OPTION(format, GSORT_FORMAT_RAW),
	OPTION(reverse, true), OPTION(force, true), OPTION(unique, true), OPTION(counts, true),
	OPTION(repeated, true), OPTION(singletons, true), OPTION(head, true),
	OPTION(tail.wanted, true), OPTION(sample.wanted, true), OPTION(summary, true),
	OPTION(top.wanted, true), OPTION(json, true), OPTION(verify, true), OPTION(trust_order, true),
	OPTION(histogram_edges, GSORT_EDGES_LOG), OPTION(keep_order, true),
	OPTION(memory_grows, true),
	OPTION(zero_terminated, true), OPTION(was_fed, false), OPTION(in_place, true),
	OPTION(converts, true), OPTION(was_drained, false), OPTION(was_plan_ranks, 0),
	OPTION(sandbox, true), OPTION(explained, true),
	OPTION(lines, true), OPTION(csv, true), OPTION(stable, true), OPTION(underline, true),
};

static const struct limited key_limited[] = {
	LIMITED(gsort_key, type, GS_TYPE_LAST), LIMITED(gsort_key, reverse, true),
	LIMITED(gsort_key, endian, GSORT_ENDIAN_BIG),
};

/* Arrays of pointers, none of which is NULL, and the members that count them. */
static const struct list {
	const char *name;
	size_t      offset, count;
} lists[] = {
#define LIST(member, count)	{ #member, offsetof(struct gsort_options, member), \
	                          offsetof(struct gsort_options, count) }
	LIST(inputs, input_count), LIST(temp_dirs, temp_dir_count), LIST(keydefs, keydef_count),
};

/* WHERE is written before the name of a member. */
static gs_status
check_limited(const void *members, const struct limited *limited, size_t count, const char *where)
{
	for (size_t m = 0; m < count; m++) {
		unsigned value = 0;

		memcpy(&value, (const char *)members + limited[m].offset, limited[m].bytes);
		if (value > limited[m].last)
			return gs_fail(GS_EUSAGE, "%s%s is %u: there is no such value", where,
			               limited[m].name, value);
	}
	return GS_OK;
}

const char *const gs_standard_input[] = { "-" };
static const char *const caller_input[] = { "input" };

/* As struct clone_args of clone3(2) grows: members beyond the shorter struct are 0. */
gs_status
gs_options_copy(struct gsort_options *copy, const struct gsort_options *options)
{
	const size_t known = sizeof *copy;
	char where[40];
	size_t bytes;

	if (options == NULL)
		return gs_fail(GS_EUSAGE, "there are no options: they are NULL");
	bytes = options->struct_size;
	if (bytes < sizeof bytes || bytes > 16 * known)
		return gs_fail(GS_EUSAGE, "struct_size of the options is %zu: set it to "
		               "sizeof(struct gsort_options), which is %zu here", bytes, known);
	for (size_t at = known; at < bytes; at++)
		if (((const char *)options)[at] != 0)
			return gs_fail(GS_EUSAGE, "an option is set that gsort %s does not know: the "
			               "program needs a newer libgsort", PACKAGE_VERSION);
	memset(copy, 0, known);
	memcpy(copy, options, bytes < known ? bytes : known);
	copy->struct_size = known;
	TRY(check_limited(copy, options_limited, COUNT(options_limited), ""));
	for (size_t l = 0; l < COUNT(lists); l++) {
		const char *const *list;
		size_t count;

		memcpy(&list, (const char *)copy + lists[l].offset, sizeof list);
		memcpy(&count, (const char *)copy + lists[l].count, sizeof count);
		if (count > 0 && list == NULL)
			return gs_fail(GS_EUSAGE, "%s is NULL, and has %zu elements", lists[l].name, count);
		for (size_t i = 0; i < count; i++)
			if (list[i] == NULL)
				return gs_fail(GS_EUSAGE, "%s[%zu] is NULL", lists[l].name, i);
	}
	if (copy->key_count > 0 && copy->keys == NULL)
		return gs_fail(GS_EUSAGE, "keys is NULL, and has %zu elements", copy->key_count);
	for (size_t k = 0; k < copy->key_count; k++) {
		const struct gsort_key *key = &copy->keys[k];

		snprintf(where, sizeof where, "keys[%zu].", k);
		TRY(check_limited(key, key_limited, COUNT(key_limited), where));
		if (key->reserved[0] != 0 || key->reserved[1] != 0)
			return gs_fail(GS_EUSAGE, "%sreserved is set, which gsort %s does not know: the "
			               "program needs a newer libgsort", where, PACKAGE_VERSION);
		if (key->name != NULL)
			return gs_fail(GS_EUSAGE, "%sname is set: fields have an offset, no name", where);
	}
	if (copy->read != NULL || copy->input_count == 0) {
		copy->inputs = copy->read != NULL ? caller_input : gs_standard_input;
		copy->input_count = 1;
	}
	return GS_OK;
}

void
gs_options_name_dir(struct gsort_options *options, const char **dir)
{
	if (options->temp_dir_count > 0)
		return;
	*dir = gs_temp_dir();
	options->temp_dirs = dir;
	options->temp_dir_count = 1;
}
