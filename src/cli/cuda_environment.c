// SPDX-License-Identifier: BSD-2-Clause
/*
 * cuda_environment.c - let CUDA open only what gsort uses: of the GPUs, and of their queues
 *
 * CUDA initialises every GPU that it sees.  With two H200s, opening one took 0.31 s and the
 * exit 0.12 s; with the other one hidden 0.20 s and 0.08 s (medians of 3).
 *
 * It also makes queues for commands ("connections"), eight by default, each of which takes time.
 * With eight, two and one of them, seconds of whole jobs (medians of 3 to 6;
 * bench/results/h200-2026-11-23/queues.json):
 *
 *     2^30 u32, --split=8                   0.97   0.77   0.74
 *     2^31 u64 to /dev/null                 1.30   1.17   1.16
 *     the same with -S gpu:4G               2.12   2.06   2.20    gathering waits for sending
 *
 * This is in the tool because it sets environment variables, which a library must not do.
 *
 * What the user has hidden stays hidden: the index counts the GPUs that are left.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/process.h"

#define VISIBLE		"CUDA_VISIBLE_DEVICES"
#define CONNECTIONS	"CUDA_DEVICE_MAX_CONNECTIONS"

void
gs_cuda_environment(struct gsort_options *options)
{
	const char *visible = getenv(VISIBLE);
	char name[128];
	glob_t found;
	int count;

	if (options->device == GSORT_DEVICE_CPU || options->operation != GSORT_SORT ||
	    options->lines || options->record_bytes > 0)
		return;
	(void)setenv(CONNECTIONS, "2", 0);
	if (options->gpu_count > 1)
		return;			/* of ranks, or an error */
	if (visible != NULL) {
		for (int g = options->gpus[0]; g > 0; g--) {
			visible += strcspn(visible, ",");
			visible += *visible == ',';
		}
		if ((size_t)snprintf(name, sizeof name, "%.*s", (int)strcspn(visible, ","), visible) >=
		    sizeof name || name[0] == '\0')
			return;		/* no such GPU, which CUDA reports */
	} else {	/* access() first: glob() would take as long as sorting ten lines */
		if (access("/dev/nvidiactl", F_OK) != 0 ||
		    glob("/dev/nvidia[0-9]*", GLOB_NOSORT, NULL, &found) != 0)
			return;
		count = (int)found.gl_pathc;
		globfree(&found);
		if (count < 2 || options->gpus[0] >= count)
			return;		/* no gain, or no such GPU */
		snprintf(name, sizeof name, "%d", options->gpus[0]);
	}
	if (setenv(VISIBLE, name, 1) == 0)
		options->gpus[0] = 0;
}
