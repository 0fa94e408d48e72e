// SPDX-License-Identifier: BSD-2-Clause
/* print.h - lines for people: gsort --plan, --info */
#ifndef GS_PRINT_H
#define GS_PRINT_H

#include <stdint.h>

#include "base/status.h"

struct gs_line_printer {
	void (*print)(void *context, const char *line);
	void  *context;
};

/** Print one line: WHAT it is about in a column of its own, and the rest behind it. */
void gs_print_line(const struct gs_line_printer *to, const char *what, const char *format, ...)
	PRINTF(3, 4);

/** "1.0 GiB", with one decimal; returns TEXT. */
const char *gs_size_text(uint64_t bytes, char text[32]);

#endif
