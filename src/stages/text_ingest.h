// SPDX-License-Identifier: BSD-2-Clause
/* text_ingest.h - numbers of all text files to ordered bits in the store */
#ifndef GS_STAGES_TEXT_INGEST_H
#define GS_STAGES_TEXT_INGEST_H

#include "base/status.h"
#include "stages/ingest_state.h"

/** Read every file to its end.  GS_EINPUT: a line is no number, and such lines end the job. */
MUST_CHECK gs_status gs_text_ingest(struct gs_ingest *ingest);

#endif
