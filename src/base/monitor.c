// SPDX-License-Identifier: BSD-2-Clause
/* monitor.c - notes and warnings of a job, formatted and passed on */
#include <stdarg.h>
#include <stdio.h>

#include "base/monitor.h"

_Thread_local uint64_t gs_clock_helped;

void
gs_tell(const struct gs_listener *to, const char *format, ...)
{
	char line[GS_MESSAGE_BYTES];
	va_list args;

	if (to->take == NULL)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	to->take(to->context, line);
}
