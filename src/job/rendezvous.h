// SPDX-License-Identifier: BSD-2-Clause
/*
 * rendezvous.h - a job that its caller feeds and drains, instead of files and callbacks
 *
 * The job runs in a thread of its own.  Bytes pass between the threads without a buffer: the giver
 * waits until all of its bytes have been taken.
 */
#ifndef GS_RENDEZVOUS_H
#define GS_RENDEZVOUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/thread.h"
#include "gsort.h"

/* Bytes that the giver offers. */
struct gs_offer {
	const char *data;
	size_t      bytes;
};

/* From one thread to another. */
struct gs_channel {
	struct gs_queue  there, back;
	struct gs_offer  offer;		/* the giver's, while it waits */
	struct gs_offer *current;	/* the taker's, while some of it is left */
};

struct gs_rendezvous {
	struct gs_channel  in, out;
	struct gs_thread   thread;
	gsort_status     (*run)(void *context);	/* the job, in its thread */
	void              *context;
	bool               fed, drained;	/* by the caller */
	atomic_bool        started;
	atomic_bool        stopped;	/* the job is closed before its end */
	atomic_bool        feeding, draining;	/* a thread is in such a call */
	bool               ended;	/* gs_rendezvous_feed_end() was called */
	gsort_status       result;	/* of the thread, valid once OUT has ended */
	struct gs_error    error;	/* its last error */
};

/** Begin; nothing runs yet.  GS_EUSAGE: OPTIONS name files or callbacks as well. */
MUST_CHECK gs_status
gs_rendezvous_open(struct gs_rendezvous *rendezvous, const struct gsort_options *options,
                   gsort_status (*run)(void *context), void *context);

/* The job's side: callbacks for struct gs_input_options and struct gs_output_options. */
ptrdiff_t gs_rendezvous_read(void *rendezvous, void *into, size_t bytes);
int       gs_rendezvous_write(void *rendezvous, const void *data, size_t bytes);

/* The caller's side: see gsort_feed(), gsort_feed_end() and gsort_drain(). */
gsort_status gs_rendezvous_feed(struct gs_rendezvous *rendezvous, const void *data, size_t bytes);
gsort_status gs_rendezvous_feed_end(struct gs_rendezvous *rendezvous);
gsort_status gs_rendezvous_drain(struct gs_rendezvous *rendezvous, void *into, size_t bytes,
                                 size_t *got);

/** Refuse all further bytes, so that the job ends; the input must not block any more. */
void gs_rendezvous_stop(struct gs_rendezvous *rendezvous);

/** Wait for the thread, if it runs; before anything else is closed. */
void gs_rendezvous_close(struct gs_rendezvous *rendezvous);

#endif
