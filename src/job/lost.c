// SPDX-License-Identifier: BSD-2-Clause
/*
 * lost.c - warn of commands that lose data without an error: "gsort f > f", "gsort -o f"
 *
 * A shell empties the target of > before gsort starts.  What is left to see is an empty file that
 * is input and output.  And who forgets the input in "gsort -o f" sorts nothing into f.
 */
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/files.h"

void
gs_lost_open(struct gs_lost *lost, const struct gsort_options *options,
             const struct gs_monitor *monitor)
{
	struct stat output;
	const char *name;

	*lost = (struct gs_lost){ .output_bytes = 0 };
	if (options->read != NULL || options->split > 0)
		return;
	if (options->output != NULL) {
		if (options->input_count == 0 && stat(options->output, &output) == 0 &&
		    S_ISREG(output.st_mode))
			lost->output_bytes = (uint64_t)output.st_size;
		return;
	}
	if (options->write != NULL || fstat(STDOUT_FILENO, &output) != 0 || !S_ISREG(output.st_mode) ||
	    output.st_size > 0)
		return;
	name = gs_job_rewrites(options);
	if (name != NULL)
		gs_warn(monitor, "%s is input and output: the shell has emptied it before gsort could read "
		        "it; to sort a file in its place, use -o", name);
}

void
gs_lost_close(const struct gs_lost *lost, const struct gsort_options *options, uint64_t bytes,
              const struct gs_monitor *monitor)
{
	if (lost->output_bytes > 0 && bytes == 0)
		gs_warn(monitor, "no input was named and standard input was empty: %s, which had %" PRIu64
		        " bytes, is empty now; to sort that file: gsort -o %s %s", options->output,
		        lost->output_bytes, options->output, options->output);
}
