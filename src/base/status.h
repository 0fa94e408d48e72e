// SPDX-License-Identifier: BSD-2-Clause
/*
 * status.h - errors: a code by value, and a message beside it
 *
 * The message and its code are thread-local, like errno; thread.c carries both from
 * a worker to the thread that joins it.  Only src/cli prints messages.
 */
#ifndef GS_STATUS_H
#define GS_STATUS_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum gs_status {
	GS_OK = 0,
	GS_EUSAGE,	/* options that exclude each other              */
	GS_EINPUT,	/* the input has bad lines, keys or compressed data */
	GS_EIO,		/* a system call on a file failed               */
	GS_EBUDGET,	/* more memory is needed than may be used       */
	GS_ENODEV,	/* no usable GPU: the CPU can do it             */
	GS_EDEVMEM,	/* out of device memory: try with less          */
	GS_EDEVICE,	/* the GPU failed                               */
	GS_EINTERRUPTED, /* gsort_interrupt() was called                */
} gs_status;

/* Room for the longest file name and 1,023 bytes more, so that no name cuts off the reason. */
enum { GS_MESSAGE_BYTES = PATH_MAX + 1024 };

#define MUST_CHECK	__attribute__((warn_unused_result))
#define PRINTF(f, a)	__attribute__((format(printf, f, a)))

/** Set this thread's message; returns STATUS. */
gs_status gs_fail(gs_status status, const char *format, ...) PRINTF(2, 3);

/** The same, with ": " and the text of errno appended. */
gs_status gs_fail_errno(gs_status status, const char *format, ...) PRINTF(2, 3);

/** The errno NUMBER caused this thread's last error, which a gs_fail() with STATUS has just described;
 *  returns STATUS. */
gs_status gs_caused(int number, gs_status status);

/** Copy at most MOST of the BYTES at TEXT into a message, with a NUL as "\0", and "..." for the rest.
 *
 * @into  has room for GS_EXCERPT_BYTES(MOST)
 * @return  INTO */
const char *gs_excerpt(char *into, const char *text, size_t bytes, size_t most);

#define GS_EXCERPT_BYTES(most)	(2 * (most) + sizeof "...")

/** This thread's last message; "" if there was none. */
const char *gs_message(void);

/** The status that the message belongs to. */
gs_status gs_failure(void);

/** The errno that caused the error; 0: no system call failed. */
int gs_failure_errno(void);

/* An error that goes to another thread, or must survive other calls. */
struct gs_error {
	gs_status status;
	int       number;		/* gs_failure_errno() */
	char      message[GS_MESSAGE_BYTES];
};

/** Keep this thread's last message and errno, with STATUS. */
void gs_error_keep(struct gs_error *error, gs_status status);

/** Make ERROR this thread's last error; returns its status. */
gs_status gs_error_again(const struct gs_error *error);

/* The first error of several threads that work together; it ends the work of all. */
struct gs_first_error {
	atomic_bool     any;
	pthread_mutex_t lock;
	struct gs_error first;
};

void gs_first_error_open(struct gs_first_error *error);

/**
 * Keep STATUS and this thread's message, if STATUS is an error and the first one.
 *
 * @return  true while no thread has failed
 */
bool gs_first_error_note(struct gs_first_error *error, gs_status status);

/** All threads are done: return the first error, and make its message the caller's; or return GS_OK. */
gs_status gs_first_error_close(struct gs_first_error *error);

/** Do the same if there is an error by now; otherwise return GS_OK, and stay open. */
gs_status gs_first_error_now(struct gs_first_error *error);

/** Set the pointer at AT to zeroed memory for COUNT objects of BYTES, which the caller frees; or to NULL:
 *  GS_EBUDGET, "no memory for COUNT WHAT", without a COUNT of 1. */
MUST_CHECK gs_status gs_allocate(void *at, size_t count, size_t bytes, const char *what);

/** The same for objects of the type of *POINTER. */
#define GS_NEW(pointer, count, what)	gs_allocate(&(pointer), count, sizeof *(pointer), what)

/** If the memory of the pointer at AT has ROOM for fewer than NEEDED objects of BYTES, let it grow to twice
 *  NEEDED, and set *ROOM.  GS_EBUDGET: the memory is unchanged. */
MUST_CHECK gs_status gs_grow(void *at, size_t *room, size_t needed, size_t bytes, const char *what);

/** The same for objects of the type of *POINTER. */
#define GS_GROW(pointer, room, needed, what)	gs_grow(&(pointer), room, needed, sizeof *(pointer), what)

/* Bytes in memory that grows: it has ROOM for more. */
struct gs_bytes {
	char  *data;
	size_t bytes, room;
};

/** If *INTERRUPTED is set, return GS_EINTERRUPTED, with a message; INTERRUPTED may be NULL. */
MUST_CHECK gs_status gs_check_interrupted(const atomic_bool *interrupted);

/* In a function that only calls others: return an error to the caller. */
#define TRY(call) \
	do { \
		gs_status try_status = (call); \
		if (try_status != GS_OK) \
			return try_status; \
	} while (0)

/* In a function that owns something: continue if nothing has failed. */
#define THEN(status, call) \
	do { \
		if ((status) == GS_OK) \
			(status) = (call); \
	} while (0)

#endif
