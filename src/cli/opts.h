// SPDX-License-Identifier: BSD-2-Clause
/*
 * opts.h - what the command line asks for
 */
#ifndef GS_OPTS_H
#define GS_OPTS_H

#include <stdbool.h>
#include <stdio.h>

#include "gsort.h"

/* Strings point into argv and the environment, or are constants. */
struct gs_opts {
	struct gsort_options job;	/* what the library is told */
	const char *type_name;		/* "u32"; NULL: not given, text */
	const char *device_name;	/* of --device; NULL: not given */
	bool        numeric;		/* -n */
	bool        bare_f;		/* -f without a width */
	bool        quiet;
	unsigned    verbose;
	bool        debug, plan, help, version;
	bool        none;		/* for options without effect */
};

/**
 * Read the command line and GSORT_DEVICE.
 *
 * @opts    options and operands; the operands are argv's
 * @return  true; or false: not possible, and standard error has said why
 */
bool gs_opts_parse(struct gs_opts *opts, int argc, char **argv);

/** Print --help: every line within 80 columns. */
void gs_opts_help(FILE *to);

#endif
