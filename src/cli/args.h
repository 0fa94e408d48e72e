// SPDX-License-Identifier: BSD-2-Clause
/*
 * args.h - from argv to struct gs_opts
 */
#ifndef GS_ARGS_H
#define GS_ARGS_H

#include "cli/opts.h"

/**
 * Read the command line, the file of --files0-from and GSORT_DEVICE.
 *
 * @opts    set to options and operands
 * @return  true; or false after a message on standard error
 */
bool gs_args_parse(struct gs_opts *opts, int argc, char **argv);

/** List the given options that have no effect, "-b, -s".  False: there are none. */
bool gs_args_ignored(const struct gs_opts *opts, char *into, size_t room);

#endif
