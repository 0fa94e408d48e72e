// SPDX-License-Identifier: BSD-2-Clause
/* rendezvous.c - jobs that are fed and drained */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "gsort.h"
#include "tests/unit/units.h"

enum { KEYS = 300007, MOST = 1 << 22 };

static uint32_t keys[KEYS];
static char out[MOST];

static const struct gsort_options both = { .struct_size = sizeof both, .fed = true, .drained = true };

static gsort *
open_job(const struct gsort_options *options)
{
	gsort *job;
	const gsort_status status = gsort_open(&job, options);

	CHECK(status == GSORT_OK, "a job opens: %s", gsort_message());
	return job;
}

/* Feed all in pieces of PIECE bytes. */
static gsort_status
feed_all(gsort *job, const void *data, size_t bytes, size_t piece)
{
	for (size_t at = 0; at < bytes; at += piece) {
		const size_t now = bytes - at < piece ? bytes - at : piece;
		const gsort_status status = gsort_feed(job, (const char *)data + at, now);

		if (status != GSORT_OK)
			return status;
	}
	return gsort_feed_end(job);
}

/* Drain all into OUT in pieces of PIECE bytes; the job's result. */
static gsort_status
drain_all(gsort *job, size_t piece, size_t *bytes)
{
	gsort_status status;
	size_t got;

	*bytes = 0;
	do {
		status = gsort_drain(job, out + *bytes, piece, &got);
		CHECK(got <= piece && (status == GSORT_OK || got < piece), "trouble is the end");
		*bytes += got;
	} while (got == piece && *bytes + piece <= sizeof out);
	return status;
}

static int
compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* --- what goes well ------------------------------------------------------- */

static void
text(void)
{
	static const char in[] = "10\n9\n-1\n100000000000\n9";
	static const char expected[] = "-1\n9\n9\n10\n100000000000\n";
	static const size_t pieces[] = { 1, 2, 3, 7, 1000 };

	for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
		gsort *job = open_job(&both);
		size_t bytes = 0;

		CHECK(feed_all(job, in, sizeof in - 1, pieces[p]) == GSORT_OK, "text is taken");
		CHECK(drain_all(job, pieces[p], &bytes) == GSORT_OK, "%s", gsort_message());
		CHECK(bytes == sizeof expected - 1 && memcmp(out, expected, bytes) == 0,
		      "in pieces of %zu comes %.*s", pieces[p], (int)bytes, out);
		CHECK(gsort_stats(job)->keys == 5, "five keys");
		gsort_close(job);
	}
}

static void
binary(void)
{
	struct gsort_options options = both;
	static const size_t pieces[] = { 1 << 20, 4096, 4099, sizeof keys };
	uint32_t *sorted = malloc(sizeof keys);

	options.type = GSORT_U32;
	memcpy(sorted, keys, sizeof keys);
	qsort(sorted, KEYS, sizeof *sorted, compare);
	for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
		gsort *job = open_job(&options);
		size_t bytes = 0;

		CHECK(feed_all(job, keys, sizeof keys, pieces[p]) == GSORT_OK, "keys are taken");
		CHECK(drain_all(job, pieces[p], &bytes) == GSORT_OK, "%s", gsort_message());
		CHECK(bytes == sizeof keys && memcmp(out, sorted, bytes) == 0,
		      "keys in pieces of %zu come back in order", pieces[p]);
		gsort_close(job);
	}
	free(sorted);
}

static void
nothing(void)
{
	gsort *job = open_job(&both);
	size_t bytes;

	CHECK(gsort_feed(job, NULL, 0) == GSORT_OK, "no bytes are no end");
	CHECK(gsort_feed_end(job) == GSORT_OK, "no input at all");
	CHECK(drain_all(job, 10, &bytes) == GSORT_OK && bytes == 0, "is no output");
	gsort_close(job);
}

/* One side is a file. */
static void
half(void)
{
	const struct gsort_options to_file = { .struct_size = sizeof to_file, .fed = true,
	                                       .output = "rendezvous.tmp" };
	const char *const names[] = { "rendezvous.tmp" };
	const struct gsort_options from_file = {
		.struct_size = sizeof from_file,
		.drained = true, .inputs = names, .input_count = 1, .reverse = true,
	};
	gsort *job = open_job(&to_file);
	size_t bytes;

	CHECK(feed_all(job, "3\n1\n2\n", 6, 4) == GSORT_OK, "a fed job writes a file");
	gsort_close(job);
	job = open_job(&from_file);
	CHECK(drain_all(job, 100, &bytes) == GSORT_OK, "a drained job reads it");
	CHECK(bytes == 6 && memcmp(out, "3\n2\n1\n", 6) == 0, "and it is sorted");
	gsort_close(job);
}

/* A header goes out first, but not before all is in. */
static void
header(void)
{
	struct gsort_options options = both;
	gsort *job;
	size_t bytes;

	options.header_lines = 1;
	job = open_job(&options);
	CHECK(feed_all(job, "heading\n2\n1\n", 12, 5) == GSORT_OK, "a heading is taken");
	CHECK(drain_all(job, 7, &bytes) == GSORT_OK, "%s", gsort_message());
	CHECK(bytes == 12 && memcmp(out, "heading\n1\n2\n", 12) == 0, "and stays on top");
	gsort_close(job);
}

static gs_status
feed_keys(void *context)
{
	gsort *job = context;

	return feed_all(job, keys, sizeof keys, 10007) == GSORT_OK ? GS_OK : GS_EIO;
}

static void
two_threads(enum gsort_operation operation)
{
	struct gsort_options options = both;
	struct gs_thread feeder = { .runs = false };
	gsort *job;
	size_t bytes;

	options.operation = operation;
	options.trust_order = true;
	options.type = GSORT_U32;
	job = open_job(&options);
	CHECK(gs_thread_start(&feeder, feed_keys, job) == GS_OK, "a second thread");
	CHECK(drain_all(job, 5003, &bytes) == GSORT_OK && bytes == sizeof keys, "drains while fed");
	CHECK(gs_thread_join(&feeder) == GS_OK, "and all was taken");
	gsort_close(job);
}

/* Runs go to disk and come back, and nobody outside can tell. */
static void
larger_than_memory(void)
{
	enum { TIMES = 40 };
	const char *const temp_dirs[] = { "." };
	struct gsort_options options = both;
	uint64_t count = 0, breaks = 0;
	uint32_t last = 0;
	size_t got = 0;
	gsort *job;

	options.type = GSORT_U32;
	options.memory_bytes = 24 << 20;
	options.temp_dirs = temp_dirs, options.temp_dir_count = 1;
	options.device = GSORT_DEVICE_CPU;
	job = open_job(&options);
	for (int i = 0; i < TIMES; i++)
		CHECK(gsort_feed(job, keys, sizeof keys) == GSORT_OK, "%s", gsort_message());
	CHECK(gsort_feed_end(job) == GSORT_OK, "the end of it");
	do {
		CHECK(gsort_drain(job, out, sizeof out, &got) == GSORT_OK, "%s", gsort_message());
		for (size_t at = 0; at + sizeof last <= got; at += sizeof last, count++) {
			uint32_t key;

			memcpy(&key, out + at, sizeof key);
			breaks += key < last;
			last = key;
		}
	} while (got == sizeof out);
	CHECK(count == (uint64_t)TIMES * KEYS && breaks == 0, "all keys, in order");
	CHECK(gsort_stats(job)->runs > 0, "by way of the disk");
	gsort_close(job);
}

/* --- what does not -------------------------------------------------------- */

static void
trouble(void)
{
	struct gsort_options options = both;
	gsort *job = open_job(&both);
	gsort_status status = GSORT_OK;
	size_t bytes;

	/* Large enough that the job ends while it is fed. */
	CHECK(gsort_feed(job, "1\nx\n", 4) == GSORT_OK, "the bad line is taken");
	for (int i = 0; i < 10000 && status == GSORT_OK; i++)
		status = gsort_feed(job, "12345678\n12345678\n12345678\n12345678\n", 36);
	CHECK(gsort_feed_end(job) == GSORT_OK, "the end is told");
	CHECK(drain_all(job, 10, &bytes) == GSORT_ERROR && bytes == 0, "the drain tells trouble");
	CHECK(strstr(gsort_message(), ":2: ") != NULL, "it names the line: %s", gsort_message());
	CHECK(drain_all(job, 10, &bytes) == GSORT_ERROR, "again, when asked again");
	gsort_close(job);
	CHECK(strstr(gsort_message(), ":2: ") != NULL, "closing keeps the sentence");

	options.type = GSORT_U32;
	options.drained = false;
	options.output = "rendezvous.tmp";
	job = open_job(&options);
	CHECK(feed_all(job, "12345", 5, 5) == GSORT_ERROR, "a fed job tells trouble at its end");
	CHECK(strstr(gsort_message(), "multiple") != NULL, "part of a key: %s", gsort_message());
	gsort_close(job);
}

static void
check(void)
{
	const struct gsort_options options = { .struct_size = sizeof options,
	                                       .operation = GSORT_CHECK, .fed = true };
	gsort *job = open_job(&options);

	CHECK(feed_all(job, "1\n3\n2\n", 6, 3) == GSORT_DISORDER, "a check finds disorder");
	CHECK(strstr(gsort_message(), ":3: ") != NULL, "at its place: %s", gsort_message());
	gsort_close(job);
	job = open_job(&options);
	CHECK(feed_all(job, "1\n2\n3\n", 6, 3) == GSORT_OK, "and order");
	gsort_close(job);
}

/* Closing at any moment ends everything, and leaves an output file as it was. */
static void
close_early(void)
{
	struct gsort_options options = both;
	const struct gsort_options to_file = { .struct_size = sizeof to_file, .fed = true,
	                                       .output = "rendezvous.tmp" };
	char piece[100];
	size_t got;
	gsort *job;
	FILE *file;

	gsort_close(open_job(&both));				/* before it began */
	options.type = GSORT_U32;
	job = open_job(&options);
	CHECK(gsort_feed(job, keys, sizeof keys) == GSORT_OK, "keys, but no end");
	gsort_close(job);
	job = open_job(&options);
	CHECK(feed_all(job, keys, sizeof keys, sizeof keys) == GSORT_OK, "all keys, no drain");
	gsort_close(job);
	job = open_job(&options);
	CHECK(feed_all(job, keys, sizeof keys, sizeof keys) == GSORT_OK, "all keys");
	CHECK(gsort_drain(job, piece, sizeof piece, &got) == GSORT_OK && got == sizeof piece,
	      "some drained");
	gsort_close(job);

	CHECK((file = fopen("rendezvous.tmp", "w")) != NULL && fputs("old\n", file) >= 0 &&
	      fclose(file) == 0, "an old file");
	job = open_job(&to_file);
	CHECK(gsort_feed(job, "2\n1\n", 4) == GSORT_OK, "half an input");
	gsort_close(job);
	CHECK((file = fopen("rendezvous.tmp", "r")) != NULL &&
	      fgets(piece, sizeof piece, file) != NULL && strcmp(piece, "old\n") == 0,
	      "the old file is as it was");
	if (file != NULL)
		fclose(file);
	unlink("rendezvous.tmp");
}

/* A job that waits for a pipe in which nothing comes. */
static void
close_waiting(void)
{
	char name[32];
	const char *const names[] = { name };
	const struct gsort_options options = { .struct_size = sizeof options, .drained = true,
	                                       .inputs = names, .input_count = 1 };
	struct gsort_progress progress = { .phase = GSORT_IDLE };
	int ends[2];
	gsort *job;
	size_t got;

	if (pipe(ends) != 0)
		return;
	snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
	job = open_job(&options);
	CHECK(gsort_drain(job, out, 0, &got) == GSORT_OK && got == 0, "no bytes asked, none got");
	for (int i = 0; i < 1000 && progress.phase == GSORT_IDLE; i++) {
		usleep(1000);
		gsort_progress(job, &progress);
	}
	gsort_close(job);		/* the writer's end is still open */
	close(ends[0]);
	close(ends[1]);
}

static void
misuse(void)
{
	const char *const names[] = { "rendezvous.tmp" };
	struct gsort_options options = both;
	size_t got;
	gsort *job;

	options.inputs = names, options.input_count = 1;
	CHECK(gsort_open(&job, &options) == GSORT_ERROR && job == NULL, "fed, but from a file");
	options = both;
	options.output = "rendezvous.tmp";
	CHECK(gsort_open(&job, &options) == GSORT_ERROR && job == NULL, "drained, but to a file");
	job = open_job(&both);
	CHECK(gsort_run(job) == GSORT_ERROR, "such a job is not run");
	CHECK(feed_all(job, "1\n", 2, 2) == GSORT_OK, "but fed");
	CHECK(gsort_feed(job, "1\n", 2) == GSORT_ERROR, "and not after the end");
	gsort_close(job);
	options = (struct gsort_options){ .struct_size = sizeof options, .drained = true };
	job = open_job(&options);
	CHECK(gsort_feed(job, "1\n", 2) == GSORT_ERROR, "nor if it reads standard input");
	gsort_close(job);
	options = (struct gsort_options){ .struct_size = sizeof options, .fed = true };
	job = open_job(&options);
	CHECK(gsort_drain(job, out, 1, &got) == GSORT_ERROR && got == 0, "nor drained if not so");
	gsort_close(job);
}

void unit_rendezvous(void);

void
unit_rendezvous(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < KEYS; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		keys[i] = (uint32_t)(state >> 32);
	}
	text();
	binary();
	nothing();
	half();
	header();
	two_threads(GSORT_SORT);
	two_threads(GSORT_MERGE);
	larger_than_memory();
	trouble();
	check();
	close_early();
	close_waiting();
	misuse();
}
