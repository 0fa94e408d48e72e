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
 * To another host, blocks are sent in synchronous mode (MPI_Issend): a send is complete only when
 * the receiver has a slot for it.  So no MPI ever keeps more blocks than the windows have room for.
 *
 * On one host ranks share their windows, and only a locator goes through MPI, which says where the block
 * is.  The receiver uses it there, and sets a flag beside it when it is done.  So a block is copied by
 * the threads that store its keys, not twice by the one thread that calls MPI.
 */
#include <assert.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/shared.h"
#include "ranks/net/ranks.h"

enum { BLOCK_TAG = 1, LOCATOR_TAG };
#define FAR	UINT32_MAX		/* a rank of another host */

/* What is sent in place of a block: where it is in the memory of its rank. */
struct locator {
	uint64_t at, bytes, slot;
	uint64_t peer;			/* set by its receiver: who has sent it; FAR: the block was copied */
};

struct ranks_mpi {
	struct gs_ranks  ranks;
	MPI_Comm         comm;
	MPI_Comm         host;		/* the ranks of this host */
	uint32_t        *peer_of;	/* the number of each rank there, or FAR */

	struct gs_window window;
	MPI_Request     *requests;	/* of all slots */
	int             *indices;
	MPI_Status      *statuses;

	struct gs_shared shared;	/* a flag for each slot that gives, and the window */
	struct gs_shared_offer offer;
	struct gs_shared *peers;	/* the same of each rank of this host; NULL: not reached */
	struct locator  *locators;	/* of all slots; a slot that gives: bytes 0, none */
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

/* CALL has begun a request, or failed with ERROR: wait without keeping a core busy. */
static gs_status
await(int error, MPI_Request *request, const char *call)
{
	unsigned idle = 0;
	int done = 0;

	TRY(check(error, call));
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
	return await(MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
	                            own(ranks)->comm, &request), &request, "MPI_Iallgather");
}

static gs_status
sum(struct gs_ranks *ranks, uint64_t *values, size_t count)
{
	MPI_Request request;

	assert(count < (size_t)1 << 30);
	return await(MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, MPI_SUM,
	                            own(ranks)->comm, &request), &request, "MPI_Iallreduce");
}

static gs_status
share(struct gs_ranks *ranks, void *data, size_t bytes)
{
	MPI_Request request;

	assert(bytes < (size_t)1 << 30);
	return await(MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, own(ranks)->comm, &request), &request,
	             "MPI_Ibcast");
}

/* ---- windows ------------------------------------------------------------------------ */

static _Atomic uint32_t *
flag_at(const struct gs_shared *shared, uint64_t slot)
{
	return (_Atomic uint32_t *)(void *)shared->base + slot;
}

static char *
slot_at(const struct ranks_mpi *mpi, unsigned slot)
{
	return mpi->window.memory + slot * mpi->window.block_bytes;
}

static gs_status
make_window(struct gs_ranks *ranks, struct gs_window *window)
{
	struct ranks_mpi *mpi = own(ranks);
	const size_t slots = window->gives + window->takes;
	const size_t flag_bytes = gs_round_up(window->gives * sizeof(uint32_t), 4096);

	mpi->window = *window;
	TRY(GS_NEW(mpi->requests, slots, "blocks"));
	for (size_t s = 0; s < slots; s++)
		mpi->requests[s] = MPI_REQUEST_NULL;
	TRY(GS_NEW(mpi->indices, slots, "blocks"));
	TRY(GS_NEW(mpi->statuses, slots, "blocks"));
	TRY(GS_NEW(mpi->locators, slots, "blocks"));
	if (!gs_shared_make(&mpi->shared, flag_bytes + slots * window->block_bytes, &mpi->offer))
		return gs_fail(GS_EBUDGET, "no memory for %zu blocks", slots);
	mpi->window.memory = window->memory = mpi->shared.base + flag_bytes;
	return GS_OK;
}

/* Ask for a block, or a locator, in a slot. */
static gs_status
receive(struct ranks_mpi *mpi, unsigned slot)
{
	assert(mpi->requests[slot] == MPI_REQUEST_NULL);
	return check(MPI_Irecv(slot_at(mpi, slot), (int)mpi->window.block_bytes, MPI_BYTE,
	                       MPI_ANY_SOURCE, MPI_ANY_TAG, mpi->comm, &mpi->requests[slot]),
	             "MPI_Irecv");
}

static gs_status
open_window(struct gs_ranks *ranks)
{
	struct ranks_mpi *mpi = own(ranks);
	const unsigned size = ranks->local_size;
	struct gs_shared_offer *offers;
	MPI_Request request;
	int reached = 1;
	gs_status status = GS_NEW(offers, size, "ranks");

	/* map the memory of the others of this host: each reaches all of them, or none does */
	THEN(status, GS_NEW(mpi->peers, size, "ranks"));
	THEN(status, await(MPI_Iallgather(&mpi->offer, sizeof mpi->offer, MPI_BYTE, offers, sizeof *offers,
	                                  MPI_BYTE, mpi->host, &request), &request, "MPI_Iallgather"));
	for (unsigned p = 0; status == GS_OK && reached && p < size; p++)
		reached = p == ranks->local_rank || gs_shared_map(&mpi->peers[p], &offers[p]);
	free(offers);
	TRY(status);
	TRY(await(MPI_Iallreduce(MPI_IN_PLACE, &reached, 1, MPI_INT, MPI_MIN, mpi->host, &request), &request,
	          "MPI_Iallreduce"));
	if (!reached) {
		for (unsigned p = 0; p < size; p++)
			gs_shared_close(&mpi->peers[p]);
		free(mpi->peers);
		mpi->peers = NULL;
	}
	for (unsigned s = 0; s < mpi->window.takes; s++)
		TRY(receive(mpi, mpi->window.gives + s));
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
	for (unsigned p = 0; mpi->peers != NULL && p < mpi->ranks.local_size; p++)
		gs_shared_close(&mpi->peers[p]);
	gs_shared_close(&mpi->shared);
	free(mpi->peers);
	free(mpi->requests);
	free(mpi->indices);
	free(mpi->statuses);
	free(mpi->locators);
	*mpi = (struct ranks_mpi){
		.ranks = mpi->ranks, .comm = mpi->comm, .host = mpi->host, .peer_of = mpi->peer_of,
	};
}

/* ---- blocks ------------------------------------------------------------------------ */

static gs_status
give(struct gs_ranks *ranks, unsigned slot, unsigned to, size_t bytes)
{
	struct ranks_mpi *mpi = own(ranks);
	struct locator *locator = &mpi->locators[slot];

	assert(mpi->requests[slot] == MPI_REQUEST_NULL && locator->bytes == 0);
	if (mpi->peers == NULL || mpi->peer_of[to] == FAR)
		return check(MPI_Issend(slot_at(mpi, slot), (int)bytes, MPI_BYTE, (int)to, BLOCK_TAG,
		                        mpi->comm, &mpi->requests[slot]), "MPI_Issend");
	*locator = (struct locator){
		.at = (uint64_t)(slot_at(mpi, slot) - mpi->shared.base), .bytes = bytes, .slot = slot,
	};
	atomic_store_explicit(flag_at(&mpi->shared, slot), 0, memory_order_release);
	return check(MPI_Isend(locator, sizeof *locator, MPI_BYTE, (int)to, LOCATOR_TAG, mpi->comm,
	                       &mpi->requests[slot]), "MPI_Isend");
}

static gs_status
retake(struct gs_ranks *ranks, unsigned slot)
{
	struct ranks_mpi *mpi = own(ranks);
	const struct locator *origin = &mpi->locators[slot];

	if (origin->peer != FAR)
		atomic_store_explicit(flag_at(&mpi->peers[origin->peer], origin->slot), 1,
		                      memory_order_release);
	return receive(mpi, slot);
}

static gs_status
poll(struct gs_ranks *ranks, unsigned *given, unsigned *given_count, struct gs_arrival *taken,
     unsigned *taken_count)
{
	struct ranks_mpi *mpi = own(ranks);
	const unsigned gives = mpi->window.gives;
	int count = 0, bytes;

	*given_count = *taken_count = 0;
	TRY(check(MPI_Testsome((int)(gives + mpi->window.takes), mpi->requests, &count, mpi->indices,
	                       mpi->statuses), "MPI_Testsome"));
	for (int c = 0; count != MPI_UNDEFINED && c < count; c++) {
		const MPI_Status *status = &mpi->statuses[c];
		const unsigned slot = (unsigned)mpi->indices[c];
		char *data = slot_at(mpi, slot);
		struct locator *origin = &mpi->locators[slot];

		if (slot < gives) {
			if (origin->bytes == 0)
				given[(*given_count)++] = slot;
			continue;
		}
		/* a block, or a locator, has come to a slot that takes */
		TRY(check(MPI_Get_count(status, MPI_BYTE, &bytes), "MPI_Get_count"));
		origin->peer = FAR;
		taken[*taken_count] = (struct gs_arrival){ slot, (size_t)bytes, data };
		if (status->MPI_TAG == LOCATOR_TAG) {
			memcpy(origin, data, sizeof *origin);
			origin->peer = mpi->peer_of[status->MPI_SOURCE];
			taken[*taken_count] = (struct gs_arrival){
				slot, origin->bytes, mpi->peers[origin->peer].base + origin->at,
			};
			atomic_thread_fence(memory_order_acquire);
		}
		++*taken_count;
	}
	for (unsigned s = 0; mpi->peers != NULL && s < gives; s++)
		if (mpi->locators[s].bytes > 0 && mpi->requests[s] == MPI_REQUEST_NULL &&
		    atomic_load_explicit(flag_at(&mpi->shared, s), memory_order_acquire) != 0) {
			mpi->locators[s].bytes = 0;
			given[(*given_count)++] = s;
		}
	return GS_OK;
}

static void
end_all(struct gs_ranks *ranks, int status)
{
	(void)MPI_Abort(own(ranks)->comm, status);
}

static const struct gs_ranks_calls calls = {
	gather, sum, share, make_window, open_window, give, retake, poll, close_window, end_all,
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
		const long ranks = value != NULL ? strtol(value, NULL, 10) : 0;

		if (ranks > 0)
			return (unsigned)ranks;
	}
	return 0;
}

gs_status
gs_ranks_mpi_open(struct gs_ranks **ranks, int *argc, char ***argv)
{
	static struct ranks_mpi mpi = { .ranks = { .calls = &calls } };
	const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE"), *all = getenv("OMPI_COMM_WORLD_SIZE");
	const unsigned expected = launched();
	char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
	int provided, rank, size, bytes, *members;
	gs_status status;

	*ranks = NULL;
	/*
	 * All ranks are on this host: messages of Open MPI need none of the networks that it would look
	 * for.  Two ranks on two cores start in 0.26 s instead of 0.46 (mpirun of a program that does
	 * nothing: 0.15).  Whoever has chosen otherwise, as with mpirun --mca, has set the variable.
	 */
	if (here != NULL && all != NULL && strcmp(here, all) == 0)
		(void)setenv("OMPI_MCA_pml", "ob1", 0);
	if (MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
		return gs_fail(GS_EIO, "MPI_Init_thread failed");
	if (provided < MPI_THREAD_SERIALIZED)
		return gs_fail(GS_EIO, "this MPI allows no threads; gsort-mpi needs MPI_THREAD_SERIALIZED");
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

	/* who shares this host? */
	TRY(check(MPI_Comm_split_type(mpi.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &mpi.host),
	          "MPI_Comm_split_type"));
	(void)MPI_Comm_set_errhandler(mpi.host, MPI_ERRORS_RETURN);
	(void)MPI_Comm_rank(mpi.host, &rank);
	(void)MPI_Comm_size(mpi.host, &size);
	mpi.ranks.local_rank = (unsigned)rank;
	mpi.ranks.local_size = (unsigned)size;
	if (MPI_Get_processor_name(name, &bytes) == MPI_SUCCESS)
		snprintf(mpi.ranks.host, sizeof mpi.ranks.host, "%.*s", GS_HOST_BYTES - 1, name);
	TRY(GS_NEW(mpi.peer_of, mpi.ranks.size, "ranks"));
	TRY(GS_NEW(members, (size_t)size, "ranks"));
	rank = (int)mpi.ranks.rank;
	status = check(MPI_Allgather(&rank, 1, MPI_INT, members, 1, MPI_INT, mpi.host), "MPI_Allgather");
	for (unsigned r = 0; r < mpi.ranks.size; r++)
		mpi.peer_of[r] = FAR;
	for (int p = 0; status == GS_OK && p < size; p++)
		mpi.peer_of[members[p]] = (uint32_t)p;
	free(members);
	return status;
}

void
gs_ranks_mpi_close(struct gs_ranks *ranks)
{
	if (ranks == NULL)
		return;
	free(own(ranks)->peer_of);
	own(ranks)->peer_of = NULL;
	(void)MPI_Finalize();
}
