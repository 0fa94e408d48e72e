// SPDX-License-Identifier: BSD-2-Clause
/* outputs.c - rows for src/io/outputs.c: the names of several files, all opened or none */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/output.h"
#include "tests/unit/units.h"

void unit_outputs(void);

static char folder[64], pattern[80];

static const char *
path(const char *name)
{
	return units_path(folder, name);
}

static void
check_names(void)
{
	static const struct { const char *pattern; size_t index, count; const char *name; } rows[] = {
		{ "a%r", 0, 1, "a0" }, { "a%r", 9, 10, "a9" }, { "a%r", 9, 11, "a09" },
		{ "a%r", 10, 11, "a10" }, { "a%r", 7, 100, "a07" }, { "a%r", 7, 101, "a007" },
		{ "a%r", 100, 101, "a100" }, { "%rb", 3, 4, "3b" }, { "%%%r%%", 3, 4, "%3%" },
		{ "%r%%r", 3, 4, "3%r" }, { "%r", 0, 1, "0" },
	};
	char long_one[PATH_MAX + 8], *name;

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		CHECK(gs_outputs_name(rows[r].pattern, rows[r].index, rows[r].count, &name) == GS_OK &&
		      strcmp(name, rows[r].name) == 0, "%s %zu of %zu: %s", rows[r].pattern, rows[r].index,
		      rows[r].count, name);
		free(name);
	}
	for (size_t length = PATH_MAX - 3; length < PATH_MAX + 3; length++)
		for (unsigned last = 0; last < 2; last++) {
			const bool good = length < PATH_MAX;

			memset(long_one, 'x', length);
			if (last)
				strcpy(long_one + length - 1, "%r");
			else
				long_one[length] = '\0';
			name = long_one;
			CHECK((gs_outputs_name(long_one, 7, 8, &name) == GS_OK) == good &&
			      (name != NULL) == good && (good ? strlen(name) == length &&
			      name[length - 1] == (last ? '7' : 'x') : strcmp(gs_message(),
			      "open failed: the name of output 7 is too long") == 0),
			      "a name of %zu bytes, %u", length, last);
			free(name);
		}
}

/* Two names may be links to one file, which may be missing. */
static void
check_same(void)
{
	static const struct { const char *link, *to, *says; } rows[] = {
		{ "f1", "f0", "f0 and " }, { "f2", "f1", "f1 and " }, { "f2", "./f0", "f0 and " },
		{ "f1", "other", NULL }, { "f0", "other", NULL },
	};

	const struct gs_output_options options = { .name = pattern };
	struct gs_outputs outputs;

	CHECK(gs_outputs_check_files(pattern, 3) == GS_OK, "three files that do not exist");
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		const char *link = path(rows[r].link);
		const size_t memory = units_memory();
		gs_status status;

		CHECK(symlink(rows[r].to, link) == 0, "a link");
		status = gs_outputs_check_files(pattern, 3);
		CHECK(rows[r].says == NULL ? status == GS_OK : status == GS_EUSAGE &&
		      strstr(gs_message(), rows[r].says) != NULL && strstr(gs_message(), link) != NULL &&
		      strstr(gs_message(), " are the same file") != NULL, "%s is %s: %s", rows[r].link,
		      rows[r].to, status == GS_OK ? "ok" : gs_message());
		CHECK(gs_outputs_open(&outputs, &options, 3) == status, "they are opened or not, too");
		gs_outputs_close(&outputs);
		CHECK(units_memory() == memory, "%zd bytes are not given back",
		      (ssize_t)(units_memory() - memory));
		remove(link);
	}
}

static const char *const three[] = { "f0", "f1", "f2" };

/* Three files; the one at WRONG, if any, cannot be opened. */
static void
check_open(unsigned wrong)
{
	static char data[1 << 18];
	const struct gs_output_options options = { .name = pattern };
	const char *name = wrong < 3 ? path(three[wrong]) : NULL;
	struct gs_outputs outputs;
	gs_status status;

	if (wrong < 3)
		mkdir(name, 0700);
	status = gs_outputs_open(&outputs, &options, 3);
	CHECK((status == GS_OK) == (wrong == 3) && outputs.count == 3, "file %u is a folder: %s", wrong,
	      status == GS_OK ? "ok" : gs_message());
	for (size_t f = 0; f < 3 && status == GS_OK; f++)
		CHECK(strcmp(outputs.names[f], path(three[f])) == 0 &&
		      gs_output_submit(outputs.files[f], data, sizeof data) == GS_OK, "file %zu is open", f);
	CHECK(status != GS_OK || gs_outputs_wait(&outputs) == GS_OK, "they are written");
	gs_outputs_close(&outputs);
	CHECK(outputs.count == 0 && outputs.files == NULL && outputs.names == NULL, "they are closed");
	if (wrong < 3)
		rmdir(name);
}

/* An error of one file is an error of all. */
static void
check_wait(unsigned full)
{
	static char data[1 << 18];
	const struct gs_output_options options = { .name = pattern };
	const char *name = path(three[full]);
	struct gs_outputs outputs;

	if (access("/dev/full", W_OK) != 0)
		return;
	CHECK(symlink("/dev/full", name) == 0 && gs_outputs_open(&outputs, &options, 3) == GS_OK,
	      "a full disk");
	for (size_t f = 0; f < 3; f++)
		CHECK(gs_output_submit(outputs.files[f], data, sizeof data) == GS_OK, "file %zu", f);
	CHECK(gs_outputs_wait(&outputs) == GS_EIO && strstr(gs_message(), "No space left") != NULL,
	      "file %u fails: %s", full, gs_message());
	gs_outputs_close(&outputs);
	remove(name);
}

/* One output, which is not a pattern. */
static void
check_one(void)
{
	const struct gs_output_options options = { .name = path("%r") };
	struct gs_outputs outputs;
	struct stat st;

	CHECK(gs_outputs_open(&outputs, &options, 0) == GS_OK && outputs.count == 1 &&
	      outputs.names == NULL && gs_output_finish(outputs.files, 1) == GS_OK &&
	      stat(path("%r"), &st) == 0, "one output");
	gs_outputs_close(&outputs);
	remove(path("%r"));
}

/* Each call for memory fails in turn. */
static void
check_memory(void)
{
	const struct gs_output_options options = { .name = pattern };
	bool failed = true;

	for (long call = 0; failed; call++) {
		const size_t memory = units_memory();
		struct gs_outputs outputs;
		gs_status status;

		units_fail(call);
		status = gs_outputs_open(&outputs, &options, 1);
		failed = units_has_failed();
		CHECK(status == (failed ? GS_EBUDGET : GS_OK) && (failed || strcmp(outputs.names[0],
		      path("f0")) == 0), "call %ld fails: %s", call, gs_message());
		gs_outputs_close(&outputs);
		CHECK(units_memory() == memory, "call %ld fails: %zd bytes are not given back", call,
		      (ssize_t)(units_memory() - memory));
	}
}

void
unit_outputs(void)
{
	const char *temp = getenv("TMPDIR");
	size_t memory = 0;

	snprintf(folder, sizeof folder, "%s/units.XXXXXX", temp != NULL && strlen(temp) < 40 ? temp : "/tmp");
	CHECK(mkdtemp(folder) != NULL, "a temporary folder is made");
	snprintf(pattern, sizeof pattern, "%s/f%%r", folder);
	check_names();
	for (unsigned time = 0; time < 2; time++) {	/* the first time allocates what threads keep */
		memory = units_memory();
		check_same();
		for (unsigned wrong = 0; wrong < 4; wrong++)
			check_open(wrong);
		for (unsigned full = 0; full < 3; full++)
			check_wait(full);
		check_one();
		check_memory();
	}
	CHECK(units_memory() == memory, "%zd bytes are not given back", (ssize_t)(units_memory() - memory));
	CHECK(rmdir(folder) == 0, "nothing was left behind");
}
