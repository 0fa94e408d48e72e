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
 * opens a GPU has no sandbox, because the driver opens files and starts threads at any time.
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

void
gs_confine(const struct gsort_options *options, const struct gs_outputs *outputs,
           const struct gs_monitor *monitor)
{
	const char *path = getenv("LD_LIBRARY_PATH");
	struct gs_sandbox box;
	char dir[PATH_MAX];
	unsigned kinds;

	gs_sandbox_begin(&box);
	for (size_t i = 0; i < options->input_count; i++)
		gs_sandbox_allow(&box, options->inputs[i], GS_SANDBOX_READ);
	for (size_t i = 0; i < sizeof library_dirs / sizeof *library_dirs; i++)
		gs_sandbox_allow(&box, library_dirs[i], GS_SANDBOX_READ);
	while (path != NULL && *path != '\0') {
		const size_t length = strcspn(path, ":");

		if (length > 0 && length < sizeof dir) {
			snprintf(dir, sizeof dir, "%.*s", (int)length, path);
			gs_sandbox_allow(&box, dir, GS_SANDBOX_READ);
		}
		path += length + (path[length] == ':');
	}
	for (size_t d = 0; d < options->temp_dir_count; d++)
		gs_sandbox_allow(&box, options->temp_dirs[d], GS_SANDBOX_MAKE);
	/* the directories in which the outputs will get their names */
	for (size_t f = 0; f < outputs->count; f++) {
		const char *target = outputs->files[f] != NULL ? gs_output_target(outputs->files[f]) : NULL;

		if (target == NULL)
			continue;
		gs_folder_of(target, dir);
		gs_sandbox_allow(&box, dir, GS_SANDBOX_MAKE);
	}
#ifdef GS_TIDY	/* configure --enable-sanitizer: a leak checker reads /proc and writes its reports */
	gs_sandbox_allow(&box, "/proc", GS_SANDBOX_READ);
	if (getenv("GSORT_REPORTS") != NULL)
		gs_sandbox_allow(&box, getenv("GSORT_REPORTS"), GS_SANDBOX_MAKE);
#endif
	kinds = gs_sandbox_enter(&box);
	gs_note(monitor, "sandbox: %s",
	        kinds == (GS_SANDBOX_FILES | GS_SANDBOX_CALLS) ? "files and calls" :
	        kinds == GS_SANDBOX_FILES ? "files" : kinds == GS_SANDBOX_CALLS ? "calls" :
	        "this kernel has none");
}
