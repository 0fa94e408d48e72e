// SPDX-License-Identifier: BSD-2-Clause
/* given.c - rows for src/job/given.c, and calls of gsort.h that are wrong */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gsort.h"
#include "tests/unit/units.h"

void unit_given(void);

#define OPTIONS(...)	(&(struct gsort_options){ .struct_size = sizeof(struct gsort_options), __VA_ARGS__ })

static void
refused(gsort_status status, const char *said, const char *what)
{
	CHECK(status == GSORT_ERROR && gsort_last_error() == GSORT_ERROR_USAGE &&
	      strstr(gsort_message(), said) != NULL, "%s is refused with \"%s\": status %d, \"%s\"",
	      what, said, (int)status, gsort_message());
}

static void
opens_not(const struct gsort_options *options, const char *said)
{
	gsort *job = (gsort *)&job;

	refused(gsort_open(&job, options), said, "gsort_open()");
	CHECK(job == NULL, "there is no job after an error");
}

static ptrdiff_t
no_input(void *context, void *into, size_t room)
{
	(void)context, (void)into, (void)room;
	return 0;
}

static int
no_output(void *context, const void *data, size_t count)
{
	(void)context, (void)data, (void)count;
	return 0;
}

/* Every byte in turn is one that no flag or enum can be; pointers stay NULL, as what they point to is the
 * caller's. */
static void
bytes(void)
{
	for (size_t at = sizeof(size_t); at < sizeof(struct gsort_options); at++) {
		struct gsort_options options = *OPTIONS();
		gsort *job;

		((unsigned char *)&options)[at] = 99;
		options.quantiles = options.output = options.compress_program = NULL;
		options.ordering = options.separator = NULL;
		options.inputs = options.temp_dirs = options.keydefs = NULL;
		options.keys = NULL;
		options.read = no_input;
		options.write = no_output;
		options.note = options.warn = NULL;
		options.begins = NULL;
		options.ranks = NULL;
		CHECK(gsort_open(&job, &options) == GSORT_OK || gsort_message()[0] != '\0',
		      "byte %zu of the options: a job or a message", at);
		gsort_close(job);
	}
}

static void
members(void)
{
	static const char *const names[] = { "a", NULL };
	const struct gsort_key keys[] = { { .bytes = 1 }, { .type = (enum gsort_type)99 } };
	const struct gsort_key ends[] = { { .type = GSORT_U8, .endian = (enum gsort_endian)-1 } };
	const struct gsort_key newer[] = { { .type = GSORT_U8, .reserved = { 0, 1 } } };
	const struct gsort_key text[] = { { .type = GSORT_TEXT_FLOAT } };
	struct gsort_options flag = *OPTIONS(.read = no_input);

	opens_not(NULL, "they are NULL");
	opens_not(OPTIONS(.type = (enum gsort_type)99), "type is 99: there is no such value");
	opens_not(OPTIONS(.record_bytes = 8, .keys = keys, .key_count = 2),
	          "keys[1].type is 99: there is no such value");
	opens_not(OPTIONS(.record_bytes = 8, .keys = ends, .key_count = 1), "keys[0].endian is 42949");
	opens_not(OPTIONS(.record_bytes = 8, .keys = newer, .key_count = 1), "needs a newer libgsort");
	opens_not(OPTIONS(.record_bytes = 8, .keys = text, .key_count = 1), "keys of records are");
	opens_not(OPTIONS(.record_bytes = 8, .key_count = 3), "keys is NULL, and has 3 elements");
	opens_not(OPTIONS(.input_count = 1), "inputs is NULL, and has 1 elements");
	opens_not(OPTIONS(.inputs = names, .input_count = 2), "inputs[1] is NULL");
	opens_not(OPTIONS(.temp_dirs = names, .temp_dir_count = 2), "temp_dirs[1] is NULL");
	opens_not(OPTIONS(.lines = true, .keydefs = names, .keydef_count = 2), "keydefs[1] is NULL");
	memset(&flag.tail.wanted, 2, 1);
	opens_not(&flag, "tail.wanted is 2: there is no such value");
	opens_not(OPTIONS(.was_fed = true), "was_fed is 1: there is no such value");
	opens_not(OPTIONS(.was_plan_ranks = 4), "was_plan_ranks is 4: there is no such value");
	opens_not(OPTIONS(.was_drained = true), "was_drained is 1: there is no such value");
}

static void
calls(void)
{
	static const char needs[] = "there is no job";
	struct gsort_progress progress;
	struct gsort_conflict conflict;
	enum gsort_type type;
	gsort *job;

	refused(gsort_open(NULL, OPTIONS(.read = no_input)), "a place for the job", "gsort_open(NULL)");
	refused(gsort_run(NULL), needs, "gsort_run(NULL)");
	gsort_progress(NULL, &progress);
	CHECK(progress.phase == GSORT_IDLE && progress.bytes_in == 0, "no job is idle");
	CHECK(gsort_stats(NULL)->keys == 0, "no job has no keys");
	gsort_progress(NULL, NULL);
	gsort_interrupt(NULL);
	gsort_close(NULL);
	gsort_plan(NULL, NULL, NULL);
	gsort_plan_json(NULL, NULL, NULL);
	gsort_info(NULL, NULL, NULL);
	gsort_info_json(NULL, NULL, NULL);
	gsort_build(NULL, NULL);
	CHECK(!gsort_conflict(NULL, &conflict) && !gsort_type_named(NULL, &type) &&
	      !gsort_type_named("u8", NULL), "NULL conflicts with nothing, and names no type");

	CHECK(gsort_open(&job, OPTIONS(.read = no_input, .write = no_output)) == GSORT_OK &&
	      gsort_run(job) == GSORT_OK, "nothing is sorted: %s", gsort_message());
	refused(gsort_run(job), "a job runs once", "gsort_run() once more");
	gsort_progress(job, NULL);
	gsort_plan(job, NULL, NULL);
	gsort_close(job);
}

static void
arrays(void)
{
	uint32_t keys[64] = { 3, 1, 2 };
	const void *const list[] = { keys, keys + 32 };
	const size_t counts[] = { 3, 3 };
	struct gsort_array_options flag = { .struct_size = sizeof flag };

	refused(gsort_sort(keys, 3, (enum gsort_type)99, NULL), "binary type", "a type that is none");
	memset(&flag.reverse, 77, 1);
	refused(gsort_sort(keys, 3, GSORT_U32, &flag), "reverse is 77", "a flag that is none");
	refused(gsort_argsort(keys, 3, GSORT_U32, keys + 2, GSORT_U32, NULL), "overlap",
	        "indices in the keys");
	refused(gsort_sort_pairs(keys, keys + 2, 4, 3, GSORT_U32, NULL), "overlap",
	        "payloads in the keys");
	refused(gsort_merge_arrays(keys + 34, list, counts, 2, GSORT_U32, NULL), "overlap",
	        "a merge into its arrays");
	refused(gsort_merge_arrays(keys, NULL, counts, 2, GSORT_U32, NULL), "NULL", "arrays that are NULL");
	refused(gsort_merge_arrays(keys, list, NULL, 2, GSORT_U32, NULL), "NULL", "counts that are NULL");
}

void
unit_given(void)
{
	bytes();
	members();
	calls();
	arrays();
}
