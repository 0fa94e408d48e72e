// SPDX-License-Identifier: BSD-2-Clause
/*
 * rendezvous.c - a job that is fed and drained by its caller
 *
 * In:   gsort_feed() and gsort_drain(), from one thread or from two.
 * Out:  the same job as ever, in a thread of its own, behind the callbacks that
 *       gsort.h offers to everybody.
 *
 * A pass is a rendezvous: the giver's piece goes there, and comes back when all
 * of it has been copied (C. A. R. Hoare, "Communicating sequential processes", CACM
 * 21, 1978).  So nothing is buffered, and a queue that is shut tells either side that
 * the other one has gone.
 *
 * Invariant: a queue holds at most one piece.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "job/job.h"

/* ---- handing over ------------------------------------------------------- */

static void
pass_open(struct gs_channel *pass)
{
	gs_queue_open(&pass->there);
	gs_queue_open(&pass->back);
}

/* Wait until all BYTES are taken.  False: nobody takes any more. */
static bool
give(struct gs_channel *to, const void *data, size_t bytes)
{
	if (bytes == 0)
		return true;
	to->piece = (struct gs_piece){ .data = data, .bytes = bytes };
	return gs_queue_give(&to->there, &to->piece) && gs_queue_take(&to->back) != NULL;
}

/* Wait for bytes, at most ROOM.  0: no more will come. */
static size_t
take(struct gs_channel *from, void *into, size_t room)
{
	struct gs_piece *piece;
	size_t bytes;

	if (from->now == NULL && (from->now = gs_queue_take(&from->there)) == NULL)
		return 0;
	piece = from->now;
	assert(piece == &from->piece && piece->bytes > 0);
	bytes = piece->bytes < room ? piece->bytes : room;
	memcpy(into, piece->data, bytes);
	piece->data += bytes;
	piece->bytes -= bytes;
	if (piece->bytes == 0) {
		from->now = NULL;
		(void)gs_queue_give(&from->back, piece);
	}
	return bytes;
}

/* Nothing more is given, nor taken: both sides return. */
static void
shut(struct gs_channel *pass)
{
	gs_queue_shut(&pass->there);
	gs_queue_shut(&pass->back);
}

static void
pass_close(struct gs_channel *pass)
{
	gs_queue_close(&pass->there);
	gs_queue_close(&pass->back);
}

/* ---- the job's side ----------------------------------------------------- */

ptrdiff_t
gs_rendezvous_read(void *context, void *into, size_t bytes)
{
	struct gs_rendezvous *hands = &((struct gsort *)context)->handover;
	const size_t got = take(&hands->in, into, bytes);

	/* Not an end: half an input must not become a whole output. */
	if (atomic_load(&hands->stopped)) {
		errno = ECANCELED;
		return -1;
	}
	return (ptrdiff_t)got;
}

int
gs_rendezvous_write(void *context, const void *data, size_t bytes)
{
	struct gs_rendezvous *hands = &((struct gsort *)context)->handover;

	if (give(&hands->out, data, bytes))
		return 0;
	errno = ECANCELED;
	return -1;
}

/* Let everybody know how it ended. */
static void
end(struct gs_rendezvous *hands, gsort_status result)
{
	hands->result = result;
	snprintf(hands->message, sizeof hands->message, "%s", gs_message());
	shut(&hands->in);
	shut(&hands->out);
}

static gs_status
run(void *context)
{
	struct gsort *job = context;

	end(&job->handover, gs_job_run(job));
	return GS_OK;
}

/* Whoever comes first, the feeding thread or the draining one, starts the job. */
static void
start(struct gsort *job)
{
	if (atomic_exchange(&job->handover.started, true))
		return;
	if (gs_thread_start(&job->handover.thread, run, job) != GS_OK)
		end(&job->handover, GSORT_TROUBLE);
}

/* What the job has come to, once it has ended; its sentence is now the caller's. */
static gsort_status
result(const struct gs_rendezvous *hands)
{
	if (hands->result != GSORT_OK)
		(void)gs_fail(GS_OK, "%s", hands->message);
	return hands->result;
}

/* ---- the caller's side -------------------------------------------------- */

static gsort_status
misuse(const char *what)
{
	(void)gs_fail(GS_EUSAGE, "%s", what);
	return GSORT_TROUBLE;
}

gsort_status
gsort_feed(gsort *job, const void *data, size_t bytes)
{
	if (!job->options->fed)
		return misuse("a job is fed only with the option FED");
	if (job->handover.ended)
		return misuse("a job cannot be fed after gsort_feed_end()");
	start(job);
	return give(&job->handover.in, data, bytes) ? GSORT_OK : result(&job->handover);
}

gsort_status
gsort_feed_end(gsort *job)
{
	struct gs_rendezvous *hands = &job->handover;

	if (!job->options->fed)
		return misuse("a job is fed only with the option FED");
	start(job);
	hands->ended = true;
	gs_queue_shut(&hands->in.there);
	if (job->options->drained)
		return GSORT_OK;
	(void)gs_queue_take(&hands->out.there);	/* nothing comes, but the end */
	return result(hands);
}

gsort_status
gsort_drain(gsort *job, void *into, size_t bytes, size_t *got)
{
	size_t taken = 1;

	*got = 0;
	if (!job->options->drained)
		return misuse("a job is drained only with the option DRAINED");
	start(job);
	while (*got < bytes && taken > 0) {
		taken = take(&job->handover.out, (char *)into + *got, bytes - *got);
		*got += taken;
	}
	return *got == bytes ? GSORT_OK : result(&job->handover);
}

/* ---- opening and closing ------------------------------------------------ */

gs_status
gs_rendezvous_open(struct gsort *job)
{
	const struct gsort_options *options = job->options;

	pass_open(&job->handover.in);
	pass_open(&job->handover.out);
	if (options->fed && (options->input_count > 0 || options->read != NULL))
		return gs_fail(GS_EUSAGE, "a job that is fed reads nothing else");
	if (options->drained && (options->output != NULL || options->write != NULL))
		return gs_fail(GS_EUSAGE, "a job that is drained writes nothing else");
	return GS_OK;
}

void
gs_rendezvous_close(struct gsort *job)
{
	struct gs_rendezvous *hands = &job->handover;

	if (atomic_load(&hands->started)) {
		atomic_store(&hands->stopped, true);
		shut(&hands->in);
		shut(&hands->out);
		if (!job->options->fed)
			gs_input_stop(job->input);
		(void)gs_thread_join(&hands->thread);
	}
	pass_close(&hands->in);
	pass_close(&hands->out);
}
