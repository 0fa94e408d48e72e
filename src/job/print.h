// SPDX-License-Identifier: BSD-2-Clause
/* print.h - what gsort --plan and --version -vv print: lines for people, or one JSON object on one line */
#ifndef GS_PRINT_H
#define GS_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

struct gs_line_printer {
	void (*print)(void *context, const char *line);
	void  *context;
};

/** Print one line: WHAT it is about in a column of its own, and the rest after it. */
void gs_print_line(const struct gs_line_printer *to, const char *what, const char *format, ...)
	PRINTF(3, 4);

/** "1.0 GiB", with one decimal; returns TEXT. */
const char *gs_size_text(uint64_t bytes, char text[32]);

/** "0.3 s", "25 min", "7 h", rounded; returns TEXT. */
const char *gs_time_text(double seconds, char text[32]);

/* ---- one JSON object, on one line ---------------------------------------------- */

struct gs_json {
	bool   follows;		/* a value: the next one needs a comma */
	FILE  *stream;		/* writes to TEXT; NULL: no memory */
	char  *text;
	size_t bytes;
};

/** Begin to write JSON to memory; gs_json_print() ends it. */
void gs_json_open(struct gs_json *json);

/** Print it, or null if there was no memory. */
void gs_json_print(struct gs_json *json, void (*print)(void *context, const char *line), void *context);

/** Begin an object or a list, '{' or '['; NAME is NULL in a list, and for the outermost. */
void gs_json_begin(struct gs_json *json, const char *name, char bracket);

/** End it, with '}' or ']'. */
void gs_json_end(struct gs_json *json, char bracket);

/** Add a value.  A number that is UINT64_MAX is unknown: null. */
void gs_json_number(struct gs_json *json, const char *name, uint64_t number);
void gs_json_bool(struct gs_json *json, const char *name, bool value);

/** Bytes that are not printable ASCII are escaped one by one, as Latin-1; NULL is null. */
void gs_json_string(struct gs_json *json, const char *name, const char *text);

#endif
