// SPDX-License-Identifier: BSD-2-Clause
/*
 * sandbox_policy.c - which rights a job keeps when it decompresses untrusted bytes
 *
 * In:   options; outputs that are open.
 * Out:  a process that can open only temporary files, files in the output's directory, inputs not
 *       read yet, and libraries not loaded yet; it can make only the system calls that such a job makes
 *       (base/sandbox.h).
 *
 * Whether a pipe is compressed is known when its first bytes are read, by any thread.  Landlock binds the
 * thread that enters and those that it starts.  So if an input is compressed, or is a pipe that may be, the
 * process enters the sandbox before any other thread exists, and before anything is read.
 *
 * All files of the directory for temporary files stay accessible: of /tmp, if the user names none.
 *
 * The model is xz(1), which enters a sandbox when it decompresses to standard output.  A job that
 * opens a GPU has no sandbox, because the driver opens files and starts threads at any time; nor
 * has a job that runs a program to compress temporary files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sandbox.h"
#include "io/open.h"
#include "options/options.h"

/* The directories in which the dynamic linker finds the library of a format. */
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

/* The directory in which the output will get its name. */
static void
allow_output(struct gs_sandbox *box, const struct gs_output *output)
{
	const char *target = output != NULL ? gs_output_target(output) : NULL;
	char dir[PATH_MAX];

	if (target == NULL)
		return;
	gs_folder_of(target, dir);
	gs_sandbox_allow(box, dir, GS_SANDBOX_MAKE);
}

/* A leak checker reads /proc and writes its reports. */
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

void
gs_confine(const struct gsort_options *options, const struct gs_outputs *outputs,
           const struct gs_monitor *monitor)
{
	struct gs_sandbox box;
	unsigned kinds;

	gs_sandbox_begin(&box);
	for (size_t i = 0; i < options->input_count; i++)
		gs_sandbox_allow(&box, options->inputs[i], GS_SANDBOX_READ);
	allow_libraries(&box);
	for (size_t d = 0; d < options->temp_dir_count; d++)
		gs_sandbox_allow(&box, options->temp_dirs[d], GS_SANDBOX_MAKE);
	for (size_t f = 0; f < outputs->count; f++)
		allow_output(&box, outputs->files[f]);
	allow_reports(&box);
	kinds = gs_sandbox_enter(&box);
	gs_note(monitor, "sandbox: %s",
	        kinds == (GS_SANDBOX_FILES | GS_SANDBOX_CALLS) ? "files and calls" :
	        kinds == GS_SANDBOX_FILES ? "files" : kinds == GS_SANDBOX_CALLS ? "calls" :
	        "this kernel has none");
}
