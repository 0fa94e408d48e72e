// SPDX-License-Identifier: BSD-2-Clause
/* monitor.c - notes and warnings of a job, formatted and passed on */
#include <stdarg.h>
#include <stdio.h>

#include "base/monitor.h"

_Thread_local uint64_t gs_clock_helped;

static void PRINTF(2, 0)
report(const struct gs_listener *to, const char *format, va_list args)
{
	char line[1200];

	if (to->take == NULL)
		return;
	vsnprintf(line, sizeof line, format, args);
	to->take(to->context, line);
}

void
gs_note(const struct gs_monitor *monitor, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(&monitor->note, format, args);
	va_end(args);
}

void
gs_warn(const struct gs_monitor *monitor, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(&monitor->warn, format, args);
	va_end(args);
}
