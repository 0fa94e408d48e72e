// SPDX-License-Identifier: BSD-2-Clause
/*
 * status.h - how trouble travels: a code by value, a sentence beside it
 *
 * The sentence is thread-local, like errno; thread.c carries a worker's to the
 * thread that joins it.  Nobody below src/cli prints.
 */
#ifndef GS_STATUS_H
#define GS_STATUS_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef enum gs_status {
	GS_OK = 0,
	GS_EUSAGE,	/* options that do not go together              */
	GS_EINPUT,	/* the input is not what it was said to be      */
	GS_EIO,		/* a system call on a file failed               */
	GS_EBUDGET,	/* more memory is needed than may be used       */
	GS_ENODEV,	/* no usable GPU: the CPU can do it             */
	GS_EDEVMEM,	/* out of device memory: try with less          */
	GS_EDEVICE,	/* the GPU failed                               */
} gs_status;

/* A sentence is whole whatever is the name in it: behind it stands what was wrong. */
enum { GS_MESSAGE_BYTES = PATH_MAX + 1024 };

#define MUST_CHECK	__attribute__((warn_unused_result))
#define PRINTF(f, a)	__attribute__((format(printf, f, a)))

/** Note a sentence about what went wrong; returns STATUS. */
gs_status gs_fail(gs_status status, const char *format, ...) PRINTF(2, 3);

/** The same, with ": " and the text of errno appended. */
gs_status gs_fail_errno(gs_status status, const char *format, ...) PRINTF(2, 3);

/** This thread's last sentence; "" if there was none. */
const char *gs_message(void);

/*
 * Of threads that work side by side the first one's trouble counts, and ends the work of all.
 */
struct gs_first_error {
	atomic_bool     any;
	pthread_mutex_t lock;
	gs_status       status;
	char            message[GS_MESSAGE_BYTES];
};

void gs_first_error_open(struct gs_first_error *trouble);

/** Note what this thread has come to, unless it is GS_OK or another was first; is all well? */
bool gs_first_error_note(struct gs_first_error *trouble, gs_status status);

/** The work has ended: its status, with its sentence now the caller's. */
gs_status gs_first_error_close(struct gs_first_error *trouble);

/* In a function that only sequences others: pass trouble up. */
#define TRY(call) \
	do { \
		gs_status try_status = (call); \
		if (try_status != GS_OK) \
			return try_status; \
	} while (0)

#endif
