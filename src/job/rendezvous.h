// SPDX-License-Identifier: BSD-2-Clause
/*
 * rendezvous.h - a job that is fed and drained by its caller, beside files and callbacks
 *
 * The job runs in a thread of its own.  Bytes change hands without a buffer between:
 * who gives waits until all of a piece has been taken.
 */
#ifndef GS_RENDEZVOUS_H
#define GS_RENDEZVOUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/thread.h"
#include "gsort.h"

/* Bytes to be taken. */
struct gs_piece {
	const char *data;
	size_t      bytes;
};

/* From one thread to another. */
struct gs_channel {
	struct gs_queue  there, back;
	struct gs_piece  piece;		/* the giver's, while it waits */
	struct gs_piece *now;		/* the taker's: of it something is left */
};

struct gs_rendezvous {
	struct gs_channel      in, out;
	struct gs_thread   thread;
	atomic_bool        started;
	atomic_bool        stopped;	/* the job is closed before its end */
	bool               ended;	/* gsort_feed_end() was called */
	gsort_status       result;	/* of the thread, valid once OUT has ended */
	char               message[GS_MESSAGE_BYTES];
};

/** Check the options; nothing runs yet. */
MUST_CHECK gs_status gs_rendezvous_open(struct gsort *job);

/** For struct gs_input_options and gs_output_options: CONTEXT is the job. */
ptrdiff_t gs_rendezvous_read(void *context, void *into, size_t bytes);
int       gs_rendezvous_write(void *context, const void *data, size_t bytes);

/** End the thread, if it runs, whatever it does; before anything else is closed. */
void gs_rendezvous_close(struct gsort *job);

#endif
