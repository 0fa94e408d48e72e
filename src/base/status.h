// SPDX-License-Identifier: BSD-2-Clause
/*
 * status.h - how an error travels: a code by value, a message beside it
 *
 * The message, and the code that it came with, are thread-local, like errno; thread.c carries both from
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

/** This thread's last error, which a gs_fail() with STATUS has just described, came of the errno NUMBER;
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

/** The errno that it came of; 0: of no system call. */
int gs_failure_errno(void);

/* An error that goes to another thread, or outlasts other calls. */
struct gs_error {
	gs_status status;
	int       number;		/* gs_failure_errno() */
	char      message[GS_MESSAGE_BYTES];
};

/** Keep this thread's last message, and what belongs to it, with STATUS. */
void gs_error_keep(struct gs_error *error, gs_status status);

/** Make ERROR this thread's last one; returns its status. */
gs_status gs_error_again(const struct gs_error *error);

/* The first error of several threads that work side by side; it ends the work of all. */
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

/** All threads are done: returns the first error, with its message now the caller's; or GS_OK. */
gs_status gs_first_error_close(struct gs_first_error *error);

/** The same, if there is an error by now; else GS_OK, and it goes on. */
gs_status gs_first_error_now(struct gs_first_error *error);

/** Set the pointer at AT to memory for COUNT objects of BYTES, all 0, to be freed; or to NULL: GS_EBUDGET,
 *  "no memory for COUNT WHAT". */
MUST_CHECK gs_status gs_allocate(void *at, size_t count, size_t bytes, const char *what);

/** The same for what POINTER points to. */
#define GS_NEW(pointer, count, what)	gs_allocate(&(pointer), count, sizeof *(pointer), what)

/** If it has ROOM for fewer than NEEDED objects of BYTES, let the memory of the pointer at AT grow, to twice
 *  that; *ROOM is set.  GS_EBUDGET: it stays as it is. */
MUST_CHECK gs_status gs_grow(void *at, size_t *room, size_t needed, size_t bytes, const char *what);

/** The same for what POINTER points to. */
#define GS_GROW(pointer, room, needed, what)	gs_grow(&(pointer), room, needed, sizeof *(pointer), what)

/* Bytes in memory that grows: it has ROOM for more. */
struct gs_bytes {
	char  *data;
	size_t bytes, room;
};

/** Has somebody set *INTERRUPTED, which may be NULL?  Then GS_EINTERRUPTED, with a message. */
MUST_CHECK gs_status gs_check_interrupted(const atomic_bool *interrupted);

/* In a function that only sequences others: pass an error up. */
#define TRY(call) \
	do { \
		gs_status try_status = (call); \
		if (try_status != GS_OK) \
			return try_status; \
	} while (0)

/* In a function that owns something: go on if nothing has failed. */
#define THEN(status, call) \
	do { \
		if ((status) == GS_OK) \
			(status) = (call); \
	} while (0)

#endif
