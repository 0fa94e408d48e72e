// SPDX-License-Identifier: BSD-2-Clause
/*
 * main.c - gsort: sort numbers, from a pipe to a pipe
 *
 * The whole program, and where to find it.  Each folder sees only those to its
 * right, and this one only gsort.h:
 *
 *     cli/            job/            io/ format/ sort/              base/
 *
 *     main.c          job.c           input.c, ahead.c, inflate.c    status.c
 *      |- opts.c       |- plan.c         bytes in, maybe compressed  arena.c
 *      |   |- argv.c   |- device.c    decode_*.c                     limits.c
 *      |   |- table.c  |- ingest.c         bytes to ordered bits       thread.c
 *      |   |- option_handlers.c   |- emit.c      batch.c, buckets.c, backend_cuda.c
 *      |   |- parse_value.c |- select.c       keys to one sorted batch
 *      |   |- option_conflicts.c  |- explain.c   merge.c, external_merge.c, count.c
 *      |   `- help.c   `- info.c         many batches to one order
 *      |- cuda_visible.c, progress.c, signals.c
 *      `- report.c
 *                                     encode_*.c
 *                                        ordered bits to bytes
 *                                     output.c
 *                                        bytes out, no error lost
 *
 * The way of the keys is told once, in job/job.c.  What a GPU does is in
 * kernels/, behind gpu/backend_cuda.c.  Words: a chunk is bytes of I/O, a key
 * is ordered bits, a tile is unsorted keys, a batch is the tiles a backend can
 * hold, a run is a sorted batch set aside, a span a borrowed piece of sorted keys.
 *
 * Exit status: 0 sorted, or in order; 1 a check found disorder; 2 trouble.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_conflicts.h"
#include "cli/cuda_visible.h"
#include "cli/opts.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/signals.h"
#include "gsort.h"

#ifndef GS_TIDY		/* 1: give everything back, so that leaks show (configure.ac) */
#define GS_TIDY	0
#endif

enum { SORTED = 0, DISORDER = 1, TROUBLE = 2 };

static bool leaves;	/* by our own decision */

/*
 * Nobody else may get descriptors 0 to 2: if one is closed, the next file opened
 * would be taken for standard input, or overwritten by a message.  /dev/null
 * takes its place, opened the wrong way round, so that using it is still an error.
 */
static void
fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* Leave, unless standard output still has something bad to say. */
static _Noreturn void
leave(int status)
{
	if ((fflush(stdout) != 0 || ferror(stdout)) && status != TROUBLE) {
		gs_report_error("write failed: standard output: %s", strerror(errno));
		status = TROUBLE;
	}
	/*
	 * No exit(): everything is flushed, and the destructors of the CUDA runtime
	 * take 80 ms to give back what the kernel takes anyway.
	 */
	leaves = true;
	if (GS_TIDY)
		exit(status);
	_exit(status);
}

/* Somebody else has said exit(1), as libarchive does without memory: that is no disorder. */
static void
give_up(void)
{
	if (leaves)
		return;
	gsort_abandon();
	_exit(TROUBLE);
}

static void
print_version(bool with_build)
{
	const char *version = gsort_version();
	int first = (int)strcspn(version, "\n");

	printf("gsort %.*s\n", first, version);
	printf("Copyright (c) 2026 The gsort authors\n"
	       "License BSD-2-Clause: free to use, change and share, without any warranty.\n");
	if (with_build && version[first] == '\n')
		printf("%s\n", version + first + 1);
}

/*
 * "gsort -u 32" reads the file 32.  If there is none, the dash was meant to be
 * nearer: the type to suggest, or NULL.
 */
static const char *
meant_type(const struct gs_opts *opts)
{
	static const char *const types[][2] = {
		{ "8", "-u8" }, { "16", "-u16" }, { "32", "-u32" }, { "64", "-u64" },
	};

	for (size_t i = 0; i < opts->job.input_count; i++)
		for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
			if (strcmp(opts->job.inputs[i], types[t][0]) == 0
			    && access(opts->job.inputs[i], F_OK) != 0)
				return opts->bare_f && t >= 2 ? (t == 2 ? "-f32" : "-f64")
				                              : types[t][1];
	return NULL;
}

static int
complain(const struct gs_opts *opts)
{
	const char *type = meant_type(opts);

	if (type != NULL)
		gs_report_error("%s (did you mean %s?)", gsort_message(), type);
	else
		gs_conflict_report(opts, gsort_message());
	return TROUBLE;
}

/* What a check found, on standard output, for programs: names and numbers, with tabs. */
static void
print_check(const struct gsort_stats *stats)
{
	printf("records\t%" PRIu64 "\nbreaks\t%" PRIu64 "\nduplicates\t%" PRIu64 "\n",
	       stats->keys, stats->breaks, stats->duplicates);
}

/* What the job found out, said in the order in which it is looked for. */
static int
conclude(const struct gs_opts *opts, const gsort *job, gsort_status status)
{
	const struct gsort_stats *stats = gsort_stats(job);
	const int exit_status = status == GSORT_OK ? SORTED :
	                        status == GSORT_DISORDER ? DISORDER : TROUBLE;

	gs_progress_end();
	if (status == GSORT_TROUBLE)
		complain(opts);
	else if (opts->check && opts->job.check == GSORT_CHECK_SUMMARY)
		print_check(stats);
	else if (status == GSORT_DISORDER && opts->job.check == GSORT_CHECK_FIRST)
		gs_report_error("%s", gsort_message());
	if (opts->verbose > 0 && status != GSORT_TROUBLE)
		gs_report_summary(opts, stats);
	if (opts->stats == GS_STATS_JSON)
		gs_report_json(opts, stats, exit_status);
	return exit_status;
}

static bool
is_binary(enum gsort_type type)
{
	return type != GSORT_TEXT && type != GSORT_TEXT_FLOAT;
}

/* --debug: what the options come to, before the plan. */
static void
debug(const struct gs_opts *opts)
{
	static const char *const orders[] = {
		[GSORT_ENDIAN_HOST] = BYTE_ORDER == LITTLE_ENDIAN ? "little endian, as this machine's"
		                                                  : "big endian, as this machine's",
		[GSORT_ENDIAN_LITTLE] = "little endian", [GSORT_ENDIAN_BIG] = "big endian",
	};
	char ignored[128];

	if (is_binary(opts->job.type) || (opts->job.converts && is_binary(opts->job.to)))
		gs_report_error("bytes    %s", orders[opts->job.endian]);
	if (gs_opts_ignored(opts, ignored, sizeof ignored))
		gs_report_error("ignored  %s: without effect on numbers", ignored);
}

static int
sort(struct gs_opts *opts)
{
	static const struct gsort_stats nothing;
	static gsort *job;		/* not lost when it is left to the kernel */
	int status = SORTED;

	if (opts->debug || opts->verbose >= 2)
		opts->job.note = gs_report_note;
	if (!opts->quiet)
		opts->job.warn = gs_report_warning;
	gs_cuda_visible(&opts->job);
	opts->job.sandbox = !opts->no_sandbox;
	gs_progress_begin(opts);
	if (gsort_open(&job, &opts->job) != GSORT_OK) {
		gs_progress_end();
		(void)complain(opts);
		if (opts->stats == GS_STATS_JSON)
			gs_report_json(opts, &nothing, TROUBLE);
		return TROUBLE;
	}
	if (opts->debug) {
		debug(opts);
		gsort_plan(job, gs_report_note, NULL);
	}
	if (opts->plan) {
		gsort_plan(job, gs_report_line, stdout);
	} else {
		gs_progress_watch(job);
		status = conclude(opts, job, gsort_run(job));
	}
	if (status == TROUBLE || GS_TIDY)
		gsort_close(job);	/* drops an output that was not finished */
	return status;			/* else see leave(): no gsort_close() either */
}

int
main(int argc, char **argv)
{
	struct gs_opts opts;

	gs_progress_block();
	gs_signals_catch();
	(void)atexit(give_up);
	fill_standard_descriptors();
	if (argc < 1 || !gs_opts_parse(&opts, argc, argv))
		leave(TROUBLE);
	if (opts.help)
		gs_opts_help(stdout);
	else if (opts.version)
		print_version(opts.verbose > 0);
	else if (opts.info)
		gsort_info(&opts.job, gs_report_line, stdout);
	else
		leave(sort(&opts));
	leave(SORTED);
}
