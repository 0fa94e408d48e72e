// SPDX-License-Identifier: BSD-2-Clause
/*
 * main.c - gsort: sort numbers, from a pipe to a pipe
 *
 * In:   argv, the environment.
 * Out:  the exit status: 0 sorted, or in order; 1 a check found disorder; 2 an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/launch.h"
#include "cli/option.h"
#include "cli/opts.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "gsort.h"

static void
report_failure(const struct gs_opts *opts)
{
	const struct gsort_options *job = &opts->job;
	const struct gs_ranks *ranks = gs_launch_rank();
	char rank[GS_HOST_BYTES + 32] = "", meant[64] = "";

	if (gsort_message()[0] == '\0')		/* another rank says it */
		return;
	/*
	 * "gsort -u 32" names the file 32.  If there is no such file, the user meant -u32; or with --header
	 * the number of its lines, which "=" connects.  +1 was a key before there was -k.
	 */
	for (size_t i = 0; i < job->input_count && *meant == '\0'; i++) {
		const char *name = job->inputs[i];
		const size_t digits = strspn(name, "0123456789");
		const bool number = digits > 0 && name[digits] == '\0';

		if (access(name, F_OK) == 0)
			continue;
		if (name[0] == '+' && strspn(name + 1, "0123456789") > 0)
			snprintf(meant, sizeof meant, "-k%llu, which %.20s was",
			         strtoull(name + 1, NULL, 10) + 1, name);
		else if (number && (job->header_lines > 0 || job->histogram > 0))
			strcpy(meant, job->header_lines > 0 ? "--header=N" : "--histogram=N");
		else if (number && gs_words_have("8 16 32 64 128", name, digits))
			snprintf(meant, sizeof meant, "-%c%s",
			         opts->letters['f'] && gs_words_have("32 64", name, digits) ? 'f' : 'u',
			         name);
	}
	if (ranks != NULL && ranks->size > 1)
		snprintf(rank, sizeof rank, "rank %u on %s: ", ranks->rank, ranks->host);
	if (*meant != '\0')
		gs_report_error("%s%s (did you mean %s?)", rank, gsort_message(), meant);
	else if (job->ranks != NULL || !gs_conflict_report(opts))
		gs_report_error("%s%s", rank, gsort_message());
}

/* Report what the job returned; the exit status. */
static int
report_result(const struct gs_opts *opts, const gsort *job, gsort_status status)
{
	const struct gsort_stats *stats = gsort_stats(job);
	const int exit_status = status == GSORT_OK ? GS_EXIT_SORTED :
	                        status == GSORT_DISORDER ? GS_EXIT_DISORDER : GS_EXIT_ERROR;

	/* the check is complete, but lines were left out */
	const bool left_out = exit_status == GS_EXIT_ERROR && stats->invalid_lines > 0 &&
	                      stats->keys > 0 && gsort_last_error() == GSORT_ERROR_INPUT;

	if (gs_launch_is_root())
		gs_progress_end();
	if (exit_status == GS_EXIT_ERROR)
		report_failure(opts);
	if (opts->check && opts->job.check == GSORT_CHECK_SUMMARY && gs_launch_is_root() &&
	    (exit_status != GS_EXIT_ERROR || left_out))
		printf("records\t%" PRIu64 "\nbreaks\t%" PRIu64 "\nduplicates\t%" PRIu64 "\n", stats->keys,
		       stats->breaks, stats->duplicates);
	else if (status == GSORT_DISORDER && opts->job.check == GSORT_CHECK_FIRST &&
	         gsort_message()[0] != '\0')
		gs_report_error("%s", gsort_message());
	if (opts->verbose > 0 && exit_status != GS_EXIT_ERROR)
		gs_report_summary(opts, stats);
	if (opts->stats == GS_REPORT_JSON && !gs_report_json(opts, stats, exit_status))
		return GS_EXIT_ERROR;
	return exit_status;
}

/* One job, from its options to its exit status. */
static int
run_job(struct gs_opts *opts)
{
	static const char *const orders[] = {
		[GSORT_ENDIAN_HOST] = "little endian, as this machine's",
		[GSORT_ENDIAN_LITTLE] = "little endian", [GSORT_ENDIAN_BIG] = "big endian",
	};
	/* static: still reachable at exit, so not a leak */
	static _Thread_local gsort *job;
	char ignored[24] = "";
	int status = GS_EXIT_SORTED;
	bool opened;

	if (opts->debug || opts->verbose >= 2)
		opts->job.note = gs_report_note;
	if (!opts->quiet)
		opts->job.warn = gs_report_warning;
	gs_cuda_environment(&opts->job);
	opts->job.sandbox = !opts->no_sandbox;
	opts->job.explained = opts->plan || (opts->debug && opts->job.size_hint == 0);	/* --progress=SIZE */
	if (gs_launch_is_root() && !gs_report_open(opts)) {
		gs_launch_fail();
		return GS_EXIT_ERROR;
	}
	if (gs_launch_is_root())
		gs_progress_begin(opts);
	opened = gsort_open(&job, &opts->job) == GSORT_OK;
	if (!opened && opts->next != NULL)
		gs_next_sort(opts->next);
	/* the byte order and the options without effect, then the plan */
	if (opened && opts->debug) {
		if (gs_is_binary(opts->job.type) || (opts->job.converts && gs_is_binary(opts->job.to)))
			gs_report_error("bytes    %s", orders[opts->job.endian]);
		for (const char *letter = "bfsy"; *letter != '\0' && !opts->job.lines; letter++)
			if (opts->letters[(int)*letter])
				sprintf(ignored + strlen(ignored), "%s-%c", *ignored != '\0' ? ", " : "",
				        *letter);
		if (*ignored != '\0')
			gs_report_error("ignored  %s: no effect on numbers", ignored);
		gsort_plan(job, gs_report_note, NULL);
	}
	if (!opened) {
		status = report_result(opts, job, GSORT_ERROR);
	} else if (opts->plan) {
		if (gs_launch_is_root())
			(opts->plan == GS_REPORT_JSON ? gsort_plan_json : gsort_plan)(job, gs_report_line,
			                                                              stdout);
	} else {
		if (gs_launch_is_root())
			gs_progress_watch(job);
		status = report_result(opts, job, gsort_run(job));
	}
	if (status == GS_EXIT_ERROR)
		gs_launch_fail();
	/* After an error, close the job to drop its unfinished output.  After success, the
	 * kernel frees everything faster. */
	if (status == GS_EXIT_ERROR || GS_TIDY)
		gsort_close(job);
	return status;
}

static _Noreturn void
end(int status)
{
	gs_launch_end();
	gs_process_end(status);
}

/* Read the options of gsort, or of sort(1): if one is refused then, the next sort on PATH reports it.  That
 * one also merges more inputs than may be open: they would be sorted here, which shows if they were not. */
static bool
read_options(struct gs_opts *opts, int argc, char **argv)
{
	enum { FILES_BESIDE = 24 };	/* that are open, as in plan/fan_in.c */
	struct rlimit files = { .rlim_cur = RLIM_INFINITY };
	bool read, again;	/* standard input has not been read */

	if (!gs_as_sort(argc, argv))
		return gs_args_parse(opts, argc, argv, false);
	gs_report_hold();
	read = gs_args_parse(opts, argc, argv, true);
	again = opts->files0_name == NULL || strcmp(opts->files0_name, "-") != 0;
	if (!read && (again || opts->job.input_count > 0))
		gs_next_sort(argv);
	(void)getrlimit(RLIMIT_NOFILE, &files);
	if (again && opts->merge && opts->job.input_count + FILES_BESIDE > files.rlim_cur)
		gs_next_sort(argv);
	opts->next = again ? argv : NULL;
	gs_report_release("");
	return read;
}

int
main(int argc, char **argv)
{
	struct gs_opts opts = { .help = 0 };
	bool read;

	gs_progress_answer();
	gs_process_begin();
	gs_launch_begin(&argc, &argv);
	read = argc > 0 && read_options(&opts, argc, argv);
	if (!gs_launch_agree(&opts, read))
		end(GS_EXIT_ERROR);
	if (!opts.help && !opts.version) {
		/* "gsort -h" waits for lines, as in sort(1); most people who type it want help */
		if (gs_launch_is_root() && !opts.quiet && !opts.plan && !gs_is_binary(opts.job.type) &&
		    opts.job.record_bytes == 0 && opts.job.input_count == 0 && isatty(STDIN_FILENO))
			gs_report_error("reading lines from the terminal; Ctrl-D ends them (for help: "
			                "gsort --help)");
		gs_process_end(gs_launch_run(&opts, run_job));
	}
	if (!gs_launch_is_root())
		end(GS_EXIT_SORTED);
	if (opts.help) {
		gs_option_help(stdout, opts.help & GS_FIRST_WORD);
	} else if (opts.version & GS_FIRST_WORD) {
		gsort_info_json(&opts.job, gs_report_line, stdout);
	} else {
		printf("gsort %s\nCopyright (c) 2026 The gsort authors\n"
		       "License BSD-2-Clause: free to use, change and share, without any warranty.\n",
		       gsort_version());
		if (opts.verbose > 0)
			gsort_build(gs_report_line, stdout);
		if (opts.verbose > 1)
			gsort_info(&opts.job, gs_report_line, stdout);
	}
	end(GS_EXIT_SORTED);
}
