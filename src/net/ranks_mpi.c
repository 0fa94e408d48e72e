// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranks_mpi.c - ranks that are processes of a job of MPI
 *
 * The only file that includes mpi.h.  Counts are below 2^30, as int is all that MPI 3 has.
 *
 * Every call is one that does not block, and a loop that tests it and rests: MPICH's own calls
 * poll without a pause, so that four ranks on two cores would hinder each other, and ranks that
 * wait for one that spills would each take a core.
 *
 * Blocks are sent in synchronous mode (MPI_Issend): a send is complete only when the receiver has
 * a slot for it.  So no MPI ever keeps more blocks than the windows have room for.
 */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/ranks_mpi.h"

enum { BLOCK_TAG = 1, LEAST_SUMS = 1 << 20 };

struct ranks_mpi {
	struct gs_ranks  ranks;
	MPI_Comm         comm;
	struct gs_window window;
	MPI_Request     *requests;	/* of all slots */
	int             *indices;
	MPI_Status      *statuses;
};

static struct ranks_mpi *
own(struct gs_ranks *ranks)
{
	return (struct ranks_mpi *)ranks;
}

/* ---- errors ------------------------------------------------------------------ */

static gs_status
check(int error, const char *call)
{
	char text[MPI_MAX_ERROR_STRING];
	int bytes = 0;

	if (error == MPI_SUCCESS)
		return GS_OK;
	if (MPI_Error_string(error, text, &bytes) != MPI_SUCCESS)
		bytes = 0;
	return gs_fail(GS_EIO, "%s failed: %.*s", call, bytes, text);
}

/* Wait for a request without keeping a core busy. */
static gs_status
await(MPI_Request *request, const char *call)
{
	unsigned idle = 0;
	int done = 0;

	for (;;) {
		TRY(check(MPI_Test(request, &done, MPI_STATUS_IGNORE), call));
		if (done)
			return GS_OK;
		gs_ranks_rest(&idle);
	}
}

/* ---- collective calls ----------------------------------------------------------- */

static gs_status
gather(struct gs_ranks *ranks, const void *mine, size_t bytes, void *all)
{
	MPI_Request request;

	assert(bytes < (size_t)1 << 30);
	TRY(check(MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
	                         own(ranks)->comm, &request), "MPI_Iallgather"));
	return await(&request, "MPI_Iallgather");
}

static gs_status
sum(struct gs_ranks *ranks, uint64_t *values, size_t count)
{
	MPI_Request request;

	for (size_t at = 0, some; at < count; at += some) {
		some = count - at < LEAST_SUMS ? count - at : LEAST_SUMS;
		TRY(check(MPI_Iallreduce(MPI_IN_PLACE, values + at, (int)some, MPI_UINT64_T, MPI_SUM,
		                         own(ranks)->comm, &request), "MPI_Iallreduce"));
		TRY(await(&request, "MPI_Iallreduce"));
	}
	return GS_OK;
}

static gs_status
share(struct gs_ranks *ranks, void *data, size_t bytes)
{
	MPI_Request request;

	assert(bytes < (size_t)1 << 30);
	TRY(check(MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, own(ranks)->comm, &request),
	          "MPI_Ibcast"));
	return await(&request, "MPI_Ibcast");
}

/* ---- blocks ------------------------------------------------------------------------ */

static char *
slot_at(const struct ranks_mpi *mpi, unsigned slot)
{
	return mpi->window.memory + slot * mpi->window.block_bytes;
}

static gs_status
retake(struct gs_ranks *ranks, unsigned slot)
{
	struct ranks_mpi *mpi = own(ranks);
	const unsigned at = mpi->window.gives + slot;

	assert(mpi->requests[at] == MPI_REQUEST_NULL);
	return check(MPI_Irecv(slot_at(mpi, at), (int)mpi->window.block_bytes, MPI_BYTE,
	                       MPI_ANY_SOURCE, BLOCK_TAG, mpi->comm, &mpi->requests[at]),
	             "MPI_Irecv");
}

static gs_status
open_window(struct gs_ranks *ranks, const struct gs_window *window)
{
	struct ranks_mpi *mpi = own(ranks);
	const size_t slots = window->gives + window->takes;

	mpi->window = *window;
	mpi->requests = calloc(slots, sizeof(MPI_Request));
	mpi->indices = calloc(slots, sizeof *mpi->indices);
	mpi->statuses = calloc(slots, sizeof *mpi->statuses);
	if (mpi->requests == NULL || mpi->indices == NULL || mpi->statuses == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %zu blocks", slots);
	for (size_t s = 0; s < slots; s++)
		mpi->requests[s] = MPI_REQUEST_NULL;
	for (unsigned s = 0; s < window->takes; s++)
		TRY(retake(ranks, s));
	return GS_OK;
}

static gs_status
give(struct gs_ranks *ranks, unsigned slot, unsigned to, size_t bytes)
{
	struct ranks_mpi *mpi = own(ranks);

	assert(mpi->requests[slot] == MPI_REQUEST_NULL);
	return check(MPI_Issend(slot_at(mpi, slot), (int)bytes, MPI_BYTE, (int)to, BLOCK_TAG,
	                        mpi->comm, &mpi->requests[slot]), "MPI_Issend");
}

static gs_status
poll(struct gs_ranks *ranks, unsigned *given, unsigned *given_count, struct gs_arrival *taken,
     unsigned *taken_count)
{
	struct ranks_mpi *mpi = own(ranks);
	const unsigned gives = mpi->window.gives;
	int count = 0;

	TRY(check(MPI_Testsome((int)(gives + mpi->window.takes), mpi->requests, &count, mpi->indices,
	                       mpi->statuses), "MPI_Testsome"));
	for (int c = 0; c != MPI_UNDEFINED && c < count; c++) {
		const unsigned slot = (unsigned)mpi->indices[c];
		int bytes;

		if (slot < gives) {
			given[(*given_count)++] = slot;
			continue;
		}
		TRY(check(MPI_Get_count(&mpi->statuses[c], MPI_BYTE, &bytes), "MPI_Get_count"));
		taken[(*taken_count)++] = (struct gs_arrival){ slot - gives, (size_t)bytes };
	}
	return GS_OK;
}

static void
close_window(struct gs_ranks *ranks)
{
	struct ranks_mpi *mpi = own(ranks);
	const unsigned slots = mpi->window.gives + mpi->window.takes;

	for (unsigned s = 0; mpi->requests != NULL && s < slots; s++)
		if (mpi->requests[s] != MPI_REQUEST_NULL) {
			(void)MPI_Cancel(&mpi->requests[s]);
			(void)MPI_Wait(&mpi->requests[s], MPI_STATUS_IGNORE);
		}
	free(mpi->requests);
	free(mpi->indices);
	free(mpi->statuses);
	mpi->requests = NULL;
	mpi->indices = NULL;
	mpi->statuses = NULL;
}

static void
end_all(struct gs_ranks *ranks, int status)
{
	(void)MPI_Abort(own(ranks)->comm, status);
}

static const struct gs_ranks_calls calls = {
	.gather = gather, .sum = sum, .share = share, .open = open_window, .give = give,
	.retake = retake, .poll = poll, .close = close_window, .end = end_all,
};

/* ---- beginning and end ----------------------------------------------------------------- */

/* The number of processes that a launcher says it has started; 0: it does not say. */
static unsigned
launched(void)
{
	static const char *const names[] = {
		"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
	};

	for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
		const char *value = getenv(names[n]);

		if (value != NULL && atoi(value) > 0)
			return (unsigned)atoi(value);
	}
	return 0;
}

/* Who shares this host? */
static gs_status
find_local(struct ranks_mpi *mpi)
{
	MPI_Comm host;
	int rank, size, bytes;
	char name[MPI_MAX_PROCESSOR_NAME + 1] = "";

	TRY(check(MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
	          "MPI_Comm_split_type"));
	(void)MPI_Comm_rank(host, &rank);
	(void)MPI_Comm_size(host, &size);
	(void)MPI_Comm_free(&host);
	mpi->ranks.local_rank = (unsigned)rank;
	mpi->ranks.local_size = (unsigned)size;
	if (MPI_Get_processor_name(name, &bytes) == MPI_SUCCESS)
		snprintf(mpi->ranks.host, sizeof mpi->ranks.host, "%.*s", GS_HOST_BYTES - 1, name);
	return GS_OK;
}

gs_status
gs_ranks_mpi_open(struct gs_ranks **ranks, int *argc, char ***argv)
{
	static struct ranks_mpi mpi = { .ranks = { .calls = &calls } };
	const unsigned expected = launched();
	int provided, rank, size;

	*ranks = NULL;
	if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
		return gs_fail(GS_EIO, "MPI_Init_thread failed");
	if (provided < MPI_THREAD_FUNNELED)
		return gs_fail(GS_EIO, "this MPI allows no threads; gsort-mpi needs MPI_THREAD_FUNNELED");
	TRY(check(MPI_Comm_dup(MPI_COMM_WORLD, &mpi.comm), "MPI_Comm_dup"));
	(void)MPI_Comm_set_errhandler(mpi.comm, MPI_ERRORS_RETURN);
	(void)MPI_Comm_rank(mpi.comm, &rank);
	(void)MPI_Comm_size(mpi.comm, &size);
	mpi.ranks.rank = (unsigned)rank;
	mpi.ranks.size = (unsigned)size;
	*ranks = &mpi.ranks;
	if (size == 1 && expected > 1)
		return gs_fail(GS_EIO, "the launcher has started %u processes, but each is a job of its "
		               "own: use the mpirun of the MPI that gsort-mpi was built with", expected);
	return find_local(&mpi);
}

void
gs_ranks_mpi_close(struct gs_ranks *ranks)
{
	if (ranks != NULL)
		(void)MPI_Finalize();
}
