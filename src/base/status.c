// SPDX-License-Identifier: BSD-2-Clause
/* status.c - the thread-local message, and the first error of several threads */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sandbox.h"
#include "base/status.h"

static _Thread_local char message[GS_MESSAGE_BYTES];
static _Thread_local gs_status failure;
static _Thread_local int failure_errno;

gs_status
gs_fail(gs_status status, const char *format, ...)
{
	char text[sizeof message];	/* arguments may point into the old message */
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	memcpy(message, text, sizeof message);
	failure = status;
	failure_errno = 0;
	return status;
}

gs_status
gs_caused(int number, gs_status status)
{
	failure_errno = number;
	return status;
}

gs_status
gs_fail_errno(gs_status status, const char *format, ...)
{
	const int number = errno;
	const bool denied = (number == EPERM || number == ENOSYS) && gs_sandbox_holds();
	const char *reason = strerror(number);
	char text[sizeof message];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return gs_caused(number, gs_fail(status, "%.*s: %s%s", (int)sizeof text - 160, text, reason,
	                                 denied ? " (if the sandbox denies it: --decompress=no-sandbox)"
	                                        : ""));
}

const char *
gs_excerpt(char *into, const char *text, size_t bytes, size_t most)
{
	char *at = into;

	for (size_t b = 0; b < bytes && b < most; b++) {
		if (text[b] == '\0')
			*at++ = '\\';
		*at++ = text[b] == '\0' ? '0' : text[b];
	}
	strcpy(at, bytes > most ? "..." : "");
	return into;
}

gs_status
gs_allocate(void *at, size_t count, size_t bytes, const char *what)
{
	void *memory = calloc(count + (count == 0), bytes);	/* it is never NULL where there is memory */

	memcpy(at, &memory, sizeof memory);
	return memory != NULL ? GS_OK : count == 1 ? gs_fail(GS_EBUDGET, "no memory for %s", what)
	       : gs_fail(GS_EBUDGET, "no memory for %zu %s", count, what);
}

gs_status
gs_grow(void *at, size_t *room, size_t needed, size_t bytes, const char *what)
{
	void *memory;

	if (needed <= *room)
		return GS_OK;
	memcpy(&memory, at, sizeof memory);
	memory = realloc(memory, 2 * needed * bytes);
	if (memory == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %zu %s", 2 * needed, what);
	memcpy(at, &memory, sizeof memory);
	*room = 2 * needed;
	return GS_OK;
}

const char *
gs_message(void)
{
	return message;
}

gs_status
gs_failure(void)
{
	return failure;
}

int
gs_failure_errno(void)
{
	return failure_errno;
}

void
gs_error_keep(struct gs_error *error, gs_status status)
{
	error->status = status;
	error->number = failure_errno;
	memcpy(error->message, message, sizeof message);
}

gs_status
gs_error_again(const struct gs_error *error)
{
	return gs_caused(error->number, gs_fail(error->status, "%s", error->message));
}

gs_status
gs_check_interrupted(const atomic_bool *interrupted)
{
	return interrupted != NULL && atomic_load(interrupted) ? gs_fail(GS_EINTERRUPTED, "interrupted")
	                                                       : GS_OK;
}

void
gs_first_error_open(struct gs_first_error *error)
{
	*error = (struct gs_first_error){ .any = false };
	pthread_mutex_init(&error->lock, NULL);
}

bool
gs_first_error_note(struct gs_first_error *error, gs_status status)
{
	if (status != GS_OK) {
		pthread_mutex_lock(&error->lock);
		if (error->first.status == GS_OK) {
			gs_error_keep(&error->first, status);
			atomic_store(&error->any, true);
		}
		pthread_mutex_unlock(&error->lock);
	}
	return !atomic_load(&error->any);
}

gs_status
gs_first_error_now(struct gs_first_error *error)
{
	return atomic_load(&error->any) ? gs_error_again(&error->first) : GS_OK;
}

gs_status
gs_first_error_close(struct gs_first_error *error)
{
	pthread_mutex_destroy(&error->lock);
	return error->first.status == GS_OK ? GS_OK : gs_error_again(&error->first);
}
