// SPDX-License-Identifier: BSD-2-Clause
/* option_use.c - one option on the command line: where its value goes, and values that do not agree */
#include "cli/option_use.h"
#include "cli/report.h"

void *
gs_option_field(struct gs_opts *opts, const struct gs_option_use *use)
{
	return (char *)opts + use->option->field;
}

bool
gs_refuse_two(const struct gs_option_use *use, const char *one, const char *other)
{
	gs_report_error("options '--%s=%s' and '--%s=%s' are incompatible", use->option->name, one,
	                use->option->name, other);
	return false;
}

bool
gs_refuse_pair(const char *one, const char *other)
{
	gs_report_error("options '%s' and '%s' are incompatible", one, other);
	return false;
}
