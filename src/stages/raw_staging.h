// SPDX-License-Identifier: BSD-2-Clause
/* raw_staging.h - one file of binary keys to the staging buffers of a GPU */
#ifndef GS_STAGES_RAW_STAGING_H
#define GS_STAGES_RAW_STAGING_H

#include "base/status.h"
#include "stages/raw_reading.h"

/** Read the file to its end.  GS_ENOCOPY: the recorder cannot keep it, in case the GPU fails. */
MUST_CHECK gs_status gs_raw_stage(struct gs_raw_reading *reading);

#endif
