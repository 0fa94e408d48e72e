// SPDX-License-Identifier: BSD-2-Clause
/*
 * hint.h - what a line that is not a number looks like, and what would have worked
 *
 * For the message about the line that ends a job.  It takes microseconds: not for each of many.
 */
#ifndef GS_HINT_H
#define GS_HINT_H

#include <stddef.h>
#include <stdint.h>

#include "format/text.h"

enum { GS_HINT_BYTES = 256 };

/**
 * Describe LINE .. END, line NUMBER of its file, without its terminator.
 *
 * @into    set to "; " and what to do; or to "": it looks like nothing known
 * @return  INTO
 */
const char *gs_hint(char into[GS_HINT_BYTES], const struct gs_text_options *options,
                    uint64_t number, const char *line, const char *end);

#endif
