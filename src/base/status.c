// SPDX-License-Identifier: BSD-2-Clause
/* status.c - the thread-local sentence */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

static _Thread_local char message[1024];

gs_status
gs_fail(gs_status status, const char *format, ...)
{
	char text[sizeof message];	/* arguments may point into the old message */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	memcpy(message, text, sizeof message);
	return status;
}

gs_status
gs_fail_errno(gs_status status, const char *format, ...)
{
	const char *reason = strerror(errno);
	char text[sizeof message];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return gs_fail(status, "%.*s: %s", (int)sizeof text - 100, text, reason);
}

const char *
gs_message(void)
{
	return message;
}
