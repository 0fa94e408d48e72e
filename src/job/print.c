// SPDX-License-Identifier: BSD-2-Clause
/* print.c - lines for people */
#include <stdarg.h>
#include <stdio.h>

#include "job/print.h"

void
gs_print_line(const struct gs_line_printer *to, const char *what, const char *format, ...)
{
	char value[4300], line[4400];	/* a path, and what is said of it */
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof value, format, args);
	va_end(args);
	snprintf(line, sizeof line, "%-8s %s", what, value);
	to->print(to->context, line);
}

const char *
gs_size_text(uint64_t bytes, char text[32])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double size = (double)bytes;
	unsigned u = 0;

	for (; size >= 1024 && u < 6; u++)
		size /= 1024;
	snprintf(text, 32, u == 0 ? "%.0f %s" : "%.1f %s", size, units[u]);
	return text;
}
