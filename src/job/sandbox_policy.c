// SPDX-License-Identifier: BSD-2-Clause
/*
 * sandbox_policy.c - before bytes of strangers are decompressed, give up what is not needed
 *
 * In:   a job whose files are open.
 * Out:  a process that can open but what the job still has to: temporary files, the
 *       output's new name, inputs whose turn has not come, libraries not loaded yet;
 *       and that can neither call nor start anybody (base/sandbox.h).
 *
 * If an input is known to be compressed that is done before any thread is there.  Of a
 * pipe it is known when its first bytes are: then it is done by the thread that will
 * decompress them, which for the first input is the only one.
 *
 * The folder of temporary files stays open whole, /tmp if nobody names another.
 *
 * The model is xz(1), which does so when it decompresses to standard output.  Left alone
 * are jobs that open a GPU, whose driver opens and starts what it likes (if the user does not
 * ask for one, compressed input does without), and those that run a program to compress
 * temporary files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sandbox.h"
#include "job/job.h"

/* Where the dynamic linker finds what a format needs. */
static const char *const library_dirs[] = {
	"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
};

static void
allow_libraries(struct gs_sandbox *box)
{
	const char *path = getenv("LD_LIBRARY_PATH");
	char dir[4096];

	for (size_t i = 0; i < sizeof library_dirs / sizeof *library_dirs; i++)
		gs_sandbox_allow(box, library_dirs[i], GS_SANDBOX_READ);
	while (path != NULL && *path != '\0') {
		const size_t length = strcspn(path, ":");

		if (length > 0 && length < sizeof dir) {
			snprintf(dir, sizeof dir, "%.*s", (int)length, path);
			gs_sandbox_allow(box, dir, GS_SANDBOX_READ);
		}
		path += length + (path[length] == ':');
	}
}

static void
allow_temp(struct gs_sandbox *box, const struct gsort_options *options)
{
	const char *dir = getenv("TMPDIR");

	for (size_t d = 0; d < options->temp_dir_count; d++)
		gs_sandbox_allow(box, options->temp_dirs[d], GS_SANDBOX_MAKE);
	if (options->temp_dir_count == 0)
		gs_sandbox_allow(box, dir != NULL && *dir != '\0' ? dir : "/tmp", GS_SANDBOX_MAKE);
}

/* The folder of the name that the output will have. */
static void
allow_output(struct gs_sandbox *box, const struct gs_output *output)
{
	const char *target = output != NULL ? gs_output_target(output) : NULL;
	const char *slash = target != NULL ? strrchr(target, '/') : NULL;
	char dir[4096];

	if (target == NULL)
		return;
	snprintf(dir, sizeof dir, "%.*s", slash != NULL ? (int)(slash + 1 - target) : 1,
	         slash != NULL ? target : ".");
	gs_sandbox_allow(box, dir, GS_SANDBOX_MAKE);
}

/* Who looks for leaks asks which threads there are, and what is found is written down. */
static void
allow_reports(struct gs_sandbox *box)
{
#ifdef GS_TIDY		/* configure --enable-sanitizer */
	const char *dir = getenv("GSORT_REPORTS");

	gs_sandbox_allow(box, "/proc", GS_SANDBOX_READ);
	if (dir != NULL)
		gs_sandbox_allow(box, dir, GS_SANDBOX_MAKE);
#else
	(void)box;
#endif
}

/* Decompressing takes longer than sorting: rather a sandbox than a GPU, unless one is demanded
 * or being opened. */
static bool
may_open_gpu(struct gsort *job)
{
	unsigned nobody = GS_FIRST_NOBODY;

	if (job->plan.gpu_from_bytes == GS_NEVER)
		return false;
	return job->options->device != GSORT_DEVICE_AUTO ||
	       !atomic_compare_exchange_strong(&job->opener.first, &nobody, GS_FIRST_SANDBOX);
}

static void
confine(struct gsort *job)
{
	const struct gsort_options *options = job->options;
	struct gs_sandbox box;
	unsigned kinds;

	if (may_open_gpu(job) || gs_spill_starts_programs(options->compress_program)) {
		gs_note(&job->monitor, "no sandbox: a GPU, or a program for temporary files, may be started");
		return;
	}
	gs_sandbox_begin(&box);
	for (size_t i = 0; i < options->input_count; i++)
		gs_sandbox_allow(&box, options->inputs[i], GS_SANDBOX_READ);
	allow_libraries(&box);
	allow_temp(&box, options);
	allow_output(&box, job->output);
	allow_reports(&box);
	kinds = gs_sandbox_enter(&box);
	gs_note(&job->monitor, "sandbox: %s",
	            kinds == (GS_SANDBOX_FILES | GS_SANDBOX_CALLS) ? "files and calls" :
	            kinds == GS_SANDBOX_FILES ? "files" : kinds == GS_SANDBOX_CALLS ? "calls" :
	            "this kernel has none");
}

void
gs_confine(void *context)
{
	struct gsort *job = context;

	if (!job->options->sandbox)
		return;
	pthread_mutex_lock(&job->confining);
	if (!job->confined)
		confine(job);
	job->confined = true;
	pthread_mutex_unlock(&job->confining);
}
