// SPDX-License-Identifier: BSD-2-Clause
/*
 * rendezvous.c - a job that its caller feeds and drains
 *
 * In:   the caller's calls, from one thread or from two.
 * Out:  a job in a thread of its own, which calls the callbacks of this file.
 *
 * A channel is a rendezvous: the giver's offer goes to the taker, and comes back when all of it has
 * been copied (C. A. R. Hoare, "Communicating sequential processes", CACM 21, 1978).  So nothing is
 * buffered.  A queue that is shut means that the other side has ended.
 *
 * Invariant: a queue holds at most one offer.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "job/rendezvous.h"

/* ---- channels ------------------------------------------------------------- */

static void
channel_open(struct gs_channel *channel)
{
	gs_queue_open(&channel->there);
	gs_queue_open(&channel->back);
}

/* Wait until all BYTES are taken.  False: the taker has ended. */
static bool
give(struct gs_channel *to, const void *data, size_t bytes)
{
	if (bytes == 0)
		return true;
	to->offer = (struct gs_offer){ .data = data, .bytes = bytes };
	return gs_queue_give(&to->there, &to->offer) && gs_queue_take(&to->back) != NULL;
}

/* Wait for bytes, at most ROOM.  0: the giver has ended. */
static size_t
take(struct gs_channel *from, void *into, size_t room)
{
	struct gs_offer *offer;
	size_t bytes;

	if (from->current == NULL && (from->current = gs_queue_take(&from->there)) == NULL)
		return 0;
	offer = from->current;
	assert(offer == &from->offer && offer->bytes > 0);
	bytes = offer->bytes < room ? offer->bytes : room;
	memcpy(into, offer->data, bytes);
	offer->data += bytes;
	offer->bytes -= bytes;
	if (offer->bytes == 0) {
		from->current = NULL;
		(void)gs_queue_give(&from->back, offer);
	}
	return bytes;
}

/* Shut the channel: both sides return. */
static void
shut(struct gs_channel *channel)
{
	gs_queue_shut(&channel->there);
	gs_queue_shut(&channel->back);
}

static void
channel_close(struct gs_channel *channel)
{
	gs_queue_close(&channel->there);
	gs_queue_close(&channel->back);
}

/* ---- the job's side --------------------------------------------------------- */

ptrdiff_t
gs_rendezvous_read(void *context, void *into, size_t bytes)
{
	struct gs_rendezvous *rendezvous = context;
	const size_t got = take(&rendezvous->in, into, bytes);

	/* An error, not the end of input: a part of the input must not become a complete output. */
	if (atomic_load(&rendezvous->stopped)) {
		errno = ECANCELED;
		return -1;
	}
	return (ptrdiff_t)got;
}

int
gs_rendezvous_write(void *context, const void *data, size_t bytes)
{
	struct gs_rendezvous *rendezvous = context;

	if (give(&rendezvous->out, data, bytes))
		return 0;
	errno = ECANCELED;
	return -1;
}

/* The job has ended: keep its result for the caller, and shut both channels. */
static void
end(struct gs_rendezvous *rendezvous, gsort_status result)
{
	rendezvous->result = result;
	gs_error_keep(&rendezvous->error, gs_failure());
	shut(&rendezvous->in);
	shut(&rendezvous->out);
}

static gs_status
run(void *context)
{
	struct gs_rendezvous *rendezvous = context;

	end(rendezvous, rendezvous->run(rendezvous->context));
	return GS_OK;
}

/* The first call of either thread starts the job. */
static void
start(struct gs_rendezvous *rendezvous)
{
	if (atomic_exchange(&rendezvous->started, true))
		return;
	if (gs_thread_start(&rendezvous->thread, run, rendezvous) != GS_OK)
		end(rendezvous, GSORT_ERROR);
}

/* The result of a job that has ended; its message becomes the caller's. */
static gsort_status
result(const struct gs_rendezvous *rendezvous)
{
	if (rendezvous->result != GSORT_OK)
		(void)gs_error_again(&rendezvous->error);
	return rendezvous->result;
}

/* ---- the caller's side -------------------------------------------------------- */

static gsort_status
misuse(const char *what)
{
	(void)gs_fail(GS_EUSAGE, "%s", what);
	return GSORT_ERROR;
}

/* Only one thread at a time is a giver or a taker. */
static gsort_status
claim(atomic_bool *busy, bool wanted, const char *without)
{
	if (!wanted)
		return misuse(without);
	return atomic_exchange(busy, true) ? misuse("another thread is in the same call for this job")
	                                   : GSORT_OK;
}

static const char not_fed[] = "a job is fed only with the option FED";

gsort_status
gs_rendezvous_feed(struct gs_rendezvous *rendezvous, const void *data, size_t bytes)
{
	gsort_status status = claim(&rendezvous->feeding, rendezvous->fed, not_fed);

	if (status != GSORT_OK)
		return status;
	if (data == NULL && bytes > 0) {
		status = misuse("the bytes to feed are NULL");
	} else if (rendezvous->ended) {
		status = misuse("a job cannot be fed after gsort_feed_end()");
	} else {
		start(rendezvous);
		if (!give(&rendezvous->in, data, bytes))
			status = result(rendezvous);
	}
	atomic_store(&rendezvous->feeding, false);
	return status;
}

gsort_status
gs_rendezvous_feed_end(struct gs_rendezvous *rendezvous)
{
	gsort_status status = claim(&rendezvous->feeding, rendezvous->fed, not_fed);

	if (status != GSORT_OK)
		return status;
	start(rendezvous);
	rendezvous->ended = true;
	gs_queue_shut(&rendezvous->in.there);
	if (!rendezvous->drained) {
		(void)gs_queue_take(&rendezvous->out.there);	/* waits for the end */
		status = result(rendezvous);
	}
	atomic_store(&rendezvous->feeding, false);
	return status;
}

gsort_status
gs_rendezvous_drain(struct gs_rendezvous *rendezvous, void *into, size_t bytes, size_t *got)
{
	gsort_status status = claim(&rendezvous->draining, rendezvous->drained,
	                            "a job is drained only with the option DRAINED");
	size_t taken = 1;

	*got = 0;
	if (status != GSORT_OK)
		return status;
	if (into == NULL && bytes > 0) {
		status = misuse("the room for drained bytes is NULL");
	} else {
		start(rendezvous);
		while (*got < bytes && taken > 0) {
			taken = take(&rendezvous->out, (char *)into + *got, bytes - *got);
			*got += taken;
		}
		if (*got < bytes)
			status = result(rendezvous);
	}
	atomic_store(&rendezvous->draining, false);
	return status;
}

/* ---- opening and closing --------------------------------------------------------- */

gs_status
gs_rendezvous_open(struct gs_rendezvous *rendezvous, const struct gsort_options *options,
                   gsort_status (*run_job)(void *context), void *context)
{
	channel_open(&rendezvous->in);
	channel_open(&rendezvous->out);
	rendezvous->run = run_job;
	rendezvous->context = context;
	rendezvous->fed = options->fed;
	rendezvous->drained = options->drained;
	if (options->fed && (options->input_count > 0 || options->read != NULL))
		return gs_fail(GS_EUSAGE, "a job that is fed reads nothing else");
	if (options->drained && (options->output != NULL || options->write != NULL))
		return gs_fail(GS_EUSAGE, "a job that is drained writes nothing else");
	return GS_OK;
}

void
gs_rendezvous_stop(struct gs_rendezvous *rendezvous)
{
	atomic_store(&rendezvous->stopped, true);
	shut(&rendezvous->in);
	shut(&rendezvous->out);
}

void
gs_rendezvous_close(struct gs_rendezvous *rendezvous)
{
	if (atomic_load(&rendezvous->started))
		(void)gs_thread_join(&rendezvous->thread);
	channel_close(&rendezvous->in);
	channel_close(&rendezvous->out);
}
