// SPDX-License-Identifier: BSD-2-Clause
/* ranks.c - calls that do not depend on what connects the ranks */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/round.h"
#include "ranks/net/ranks.h"

/* A call that all ranks make has failed on this one.  Others may wait in it, so this rank makes no more. */
static gs_status
note(struct gs_ranks *ranks, gs_status status)
{
	ranks->lost |= status != GS_OK;
	return status;
}

gs_status
gs_ranks_gather(struct gs_ranks *ranks, const void *mine, size_t bytes, void *all)
{
	if (ranks->calls != NULL)
		return note(ranks, ranks->calls->gather(ranks, mine, bytes, all));
	memcpy(all, mine, bytes);
	return GS_OK;
}

gs_status
gs_ranks_gather_new(struct gs_ranks *ranks, const void *mine, size_t bytes, void *all)
{
	char *memory;
	const gs_status status = gs_allocate(&memory, ranks->size, bytes, "ranks");

	memcpy(all, &memory, sizeof memory);
	TRY(gs_ranks_agree(ranks, status));
	return gs_ranks_gather(ranks, mine, bytes, memory);
}

gs_status
gs_ranks_collect(struct gs_ranks *ranks, gs_status status, const void *mine, uint64_t bytes, unsigned from,
                 unsigned to, struct gs_collected *all)
{
	/* so many bytes of each rank at once that some MiB of memory have room for all */
	enum { MOST = 64 << 10, LEAST = 4 << 10, ALL = 4 << 20 };
	const size_t piece = gs_within(LEAST, ALL / ranks->size, MOST);
	char *pieces = NULL, *next;
	uint64_t most = 0;

	*all = (struct gs_collected){ .data = NULL };
	THEN(status, GS_NEW(all->sizes, ranks->size, "ranks"));
	TRY(gs_ranks_agree(ranks, status));
	status = gs_ranks_gather(ranks, &bytes, sizeof bytes, all->sizes);
	for (unsigned r = from; status == GS_OK && r < to; r++)
		all->bytes += all->sizes[r];
	THEN(status, gs_allocate(&pieces, ranks->size + 1, piece, "pieces of ranks"));
	if (from < to)
		THEN(status, gs_allocate(&all->data, all->bytes, 1, "bytes of all ranks"));
	status = gs_ranks_agree(ranks, status);
	for (unsigned r = 0; status == GS_OK && r < ranks->size; r++)
		most = all->sizes[r] > most ? all->sizes[r] : most;
	next = pieces + ranks->size * piece;
	for (uint64_t at = 0; at < most && status == GS_OK; at += piece) {
		uint64_t begin = 0;

		if (at < bytes)
			memcpy(next, (const char *)mine + at, gs_least(bytes - at, piece));
		status = gs_ranks_gather(ranks, next, piece, pieces);
		for (unsigned r = from; status == GS_OK && r < to; begin += all->sizes[r++])
			if (at < all->sizes[r])
				memcpy(all->data + begin + at, pieces + r * piece,
				       gs_least(all->sizes[r] - at, piece));
	}
	free(pieces);
	return status;
}

void
gs_collected_close(struct gs_collected *all)
{
	free(all->data);
	free(all->sizes);
}

gs_status
gs_ranks_sum(struct gs_ranks *ranks, uint64_t *values, size_t count)
{
	return ranks->calls == NULL ? GS_OK : note(ranks, ranks->calls->sum(ranks, values, count));
}

gs_status
gs_ranks_share(struct gs_ranks *ranks, void *data, size_t bytes)
{
	return ranks->calls == NULL ? GS_OK : note(ranks, ranks->calls->share(ranks, data, bytes));
}

gs_status
gs_ranks_scan(struct gs_ranks *ranks, uint64_t mine, uint64_t *before, uint64_t *all)
{
	uint64_t *each;
	gs_status status = gs_ranks_gather_new(ranks, &mine, sizeof mine, &each);

	*before = *all = 0;
	for (unsigned r = 0; status == GS_OK && r < ranks->size; r++) {
		*before += r < ranks->rank ? each[r] : 0;
		*all += each[r];
	}
	free(each);
	return status;
}

gs_status
gs_ranks_agree(struct gs_ranks *ranks, gs_status status)
{
	const uint64_t failed = status != GS_OK;
	unsigned first = 0, end = ranks->size;
	uint64_t all = failed;

	/* All have left, or will: whoever failed in a call like this one has told them in the next. */
	if (ranks->agreed || ranks->lost)
		return status;
	/* A sum needs no memory, which a rank may have failed to get: halve the range that has the first rank
	 * that failed. */
	if (gs_ranks_sum(ranks, &all, 1) != GS_OK)
		return status != GS_OK ? status : gs_failure();
	if (all == 0)
		return GS_OK;
	while (end - first > 1) {
		const unsigned middle = first + (end - first) / 2;

		all = ranks->rank < middle ? failed : 0;
		if (gs_ranks_sum(ranks, &all, 1) != GS_OK)
			return status != GS_OK ? status : gs_failure();
		*(all > 0 ? &end : &first) = middle;
	}
	ranks->agreed = true;
	return ranks->rank == first ? status : gs_fail(GS_EIO, "%s", "");
}

/*
 * Yield a few times, as the other rank may share this core; then sleep, so that ranks that wait
 * for one that spills take no processor time.  Not tuned.
 */
void
gs_ranks_rest(unsigned *idle)
{
	enum { YIELDS = 16, SLEEP_NS = 20000, LONGEST = 25 };
	const unsigned times = *idle < YIELDS ? 0 : *idle - YIELDS + 1;
	const struct timespec sleep = {
		.tv_nsec = SLEEP_NS * (long)(times < LONGEST ? times : LONGEST),
	};

	++*idle;
	if (times == 0)
		(void)sched_yield();
	else
		(void)nanosleep(&sleep, NULL);
}

void
gs_ranks_abort(struct gs_ranks *ranks, int status)
{
	ranks->calls->end(ranks, status);
}
