// SPDX-License-Identifier: BSD-2-Clause
/* merge_inputs.c - sorted inputs become one */
#include "job/job.h"

gs_status
gs_merge_inputs(struct gsort *job)
{
	(void)job;
	return gs_fail(GS_EUSAGE, "no merging yet");
}
