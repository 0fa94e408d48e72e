// SPDX-License-Identifier: BSD-2-Clause
/* info.c - what this machine offers: gsort --info */
#include "gsort.h"

void
gsort_info(const struct gsort_options *options, void (*tell)(void *context, const char *line),
           void *context)
{
	(void)options;
	tell(context, "gsort");
}
