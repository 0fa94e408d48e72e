// SPDX-License-Identifier: BSD-2-Clause
/* raw_ingest.h - binary keys of all files to ordered bits in the store; and the header */
#ifndef GS_STAGES_RAW_INGEST_H
#define GS_STAGES_RAW_INGEST_H

#include "base/status.h"
#include "stages/ingest_state.h"

/** Read every file to its end.  GS_EINPUT: one ends within a key. */
MUST_CHECK gs_status gs_raw_ingest(struct gs_ingest *ingest);

#endif
