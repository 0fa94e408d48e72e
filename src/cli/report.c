// SPDX-License-Identifier: BSD-2-Clause
/*
 * report.c - everything gsort says to people
 *
 * A message is made whole and written at once, so that the lines of two
 * processes in one terminal do not mix.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/report.h"

enum { MESSAGE_BYTES = 2048 };

/* Bytes of the UTF-8 character at TEXT; 0: it is none, or one that cannot be seen. */
static size_t
character_bytes(const unsigned char *text)
{
	size_t bytes = text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 :
	               text[0] < 0xf5 ? 4 : 0;

	for (size_t b = 1; b < bytes; b++)
		if ((text[b] & 0xc0) != 0x80)
			return 0;
	if (text[0] == 0xc2 && text[1] < 0xa0)
		return 0;		/* a control character */
	return strncmp((const char *)text, "\xef\xbb\xbf", 3) == 0 ? 0 : bytes;	/* a byte order mark */
}

/* Make control characters harmless: in a name they could move the cursor. */
static void
escape(const char *from, char into[4 * MESSAGE_BYTES + 1])
{
	for (; *from != '\0'; from++) {
		unsigned char byte = (unsigned char)*from;

		size_t bytes = byte < 0x80 ? 1 : character_bytes((const unsigned char *)from);

		if (byte < 0x20 || byte == 0x7f || bytes == 0) {
			into += sprintf(into, "\\%03o", byte);
		} else {
			memcpy(into, from, bytes);
			into += bytes;
			from += bytes - 1;
		}
	}
	*into = '\0';
}

static void __attribute__((format(printf, 1, 0)))
say(const char *format, va_list args, const char *rest)
{
	char message[MESSAGE_BYTES];
	char line[4 * MESSAGE_BYTES + 1];

	vsnprintf(message, sizeof message, format, args);
	escape(message, line);
	fprintf(stderr, "gsort: %s\n%s", line, rest);
	fflush(stderr);
}

void
gs_report_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args, "");
	va_end(args);
}

void
gs_report_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args, "Try 'gsort --help' for more information.\n");
	va_end(args);
}

void
gs_report_note(void *context, const char *line)
{
	(void)context;
	gs_report_error("%s", line);
}

void
gs_report_warning(void *context, const char *line)
{
	(void)context;
	gs_report_error("warning: %s", line);
}

void
gs_report_line(void *context, const char *line)
{
	fprintf(context, "%s\n", line);
}

void
gs_report_summary(const struct gsort_stats *stats, const char *type_name)
{
	double seconds = stats->seconds > 1e-6 ? stats->seconds : 1e-6;
	char fewer[64] = "";

	if (stats->keys_out != stats->keys)
		snprintf(fewer, sizeof fewer, ", %llu different",
		         (unsigned long long)stats->keys_out);
	gs_report_error("%llu keys (%s)%s in %.3f s: %.1f Mkeys/s, %.2f GB/s; read %.3f, "
	                "sort %.3f, write %.3f s; device %s",
	                (unsigned long long)stats->keys, type_name != NULL ? type_name : "text",
	                fewer, stats->seconds, (double)stats->keys / seconds / 1e6,
	                (double)stats->bytes_in / seconds / 1e9, stats->read_seconds,
	                stats->sort_seconds, stats->write_seconds, stats->device);
}
