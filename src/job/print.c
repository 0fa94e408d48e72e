// SPDX-License-Identifier: BSD-2-Clause
/* print.c - print lines for people, or one JSON object on one line */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "job/print.h"

void
gs_print_line(const struct gs_line_printer *to, const char *what, const char *format, ...)
{
	char value[4300], line[4400];	/* a path and its description */
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

	for (; size >= 1024; u++)
		size /= 1024;
	snprintf(text, 32, u == 0 ? "%.0f %s" : "%.1f %s", size, units[u]);
	return text;
}

const char *
gs_time_text(double seconds, char text[32])
{
	if (seconds < 9.95)
		snprintf(text, 32, "%.1f s", seconds < 0.1 ? 0.1 : seconds);
	else if (seconds < 120)
		snprintf(text, 32, "%.0f s", seconds);
	else if (seconds < 2 * 3600)
		snprintf(text, 32, "%.0f min", seconds / 60);
	else
		snprintf(text, 32, "%.0f h", seconds / 3600);
	return text;
}

/* ---- JSON ---------------------------------------------------------------------- */

static void PRINTF(2, 3)
add(struct gs_json *json, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (json->stream != NULL)
		(void)vfprintf(json->stream, format, args);
	va_end(args);
}

void
gs_json_open(struct gs_json *json)
{
	*json = (struct gs_json){ .follows = false };
	json->stream = open_memstream(&json->text, &json->bytes);
}

void
gs_json_print(struct gs_json *json, void (*print)(void *context, const char *line), void *context)
{
	const bool whole = json->stream != NULL && (ferror(json->stream) | fclose(json->stream)) == 0;

	print(context, whole ? json->text : "null");
	free(json->text);
}

/* A comma, if one is needed, and the name. */
static void
add_name(struct gs_json *json, const char *name)
{
	if (json->follows)
		add(json, ",");
	if (name != NULL)
		add(json, "\"%s\":", name);
	json->follows = true;
}

void
gs_json_begin(struct gs_json *json, const char *name, char bracket)
{
	add_name(json, name);
	add(json, "%c", bracket);
	json->follows = false;
}

void
gs_json_end(struct gs_json *json, char bracket)
{
	add(json, "%c", bracket);
	json->follows = true;
}

void
gs_json_number(struct gs_json *json, const char *name, uint64_t number)
{
	add_name(json, name);
	if (number == UINT64_MAX)
		add(json, "null");
	else
		add(json, "%" PRIu64, number);
}

void
gs_json_bool(struct gs_json *json, const char *name, bool value)
{
	add_name(json, name);
	add(json, "%s", value ? "true" : "false");
}

void
gs_json_string(struct gs_json *json, const char *name, const char *text)
{
	add_name(json, name);
	if (text == NULL) {
		add(json, "null");
		return;
	}
	add(json, "\"");
	for (; *text != '\0'; text++) {
		const unsigned char byte = (unsigned char)*text;

		if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\')
			add(json, "\\u%04x", byte);
		else
			add(json, "%c", byte);
	}
	add(json, "\"");
}
