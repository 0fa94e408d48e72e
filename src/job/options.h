// SPDX-License-Identifier: BSD-2-Clause
/*
 * options.h - do the options of a job go together?
 */
#ifndef GS_OPTIONS_H
#define GS_OPTIONS_H

#include "base/status.h"
#include "gsort.h"

/**
 * Check OPTIONS alone: nothing is opened, nobody asked.
 *
 * @return  GS_OK; or GS_EUSAGE, naming long options of the command line in quotes
 */
MUST_CHECK gs_status gs_options_check(const struct gsort_options *options);

#endif
