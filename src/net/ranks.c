// SPDX-License-Identifier: BSD-2-Clause
/* ranks.c - calls that do not depend on what connects the ranks */
#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "net/ranks.h"

gs_status
gs_ranks_gather(struct gs_ranks *ranks, const void *mine, size_t bytes, void *all)
{
	return ranks->calls->gather(ranks, mine, bytes, all);
}

gs_status
gs_ranks_sum(struct gs_ranks *ranks, uint64_t *values, size_t count)
{
	return ranks->calls->sum(ranks, values, count);
}

gs_status
gs_ranks_share(struct gs_ranks *ranks, void *data, size_t bytes)
{
	return ranks->calls->share(ranks, data, bytes);
}

gs_status
gs_ranks_scan(struct gs_ranks *ranks, uint64_t mine, uint64_t *before, uint64_t *all)
{
	uint64_t *each = calloc(ranks->size, sizeof *each);
	gs_status status = each == NULL ? gs_fail(GS_EBUDGET, "no memory for %u ranks", ranks->size)
	                                : gs_ranks_gather(ranks, &mine, sizeof mine, each);

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
	uint64_t before, all = failed;

	/* All have left, or will: whoever failed in a call like this one has told them in the next. */
	if (ranks->agreed)
		return status;
	/* A failure of the call itself is one of this rank alone.  A sum needs no memory: the last call is
	 * made when the output has its name. */
	if (gs_ranks_sum(ranks, &all, 1) != GS_OK)
		return status != GS_OK ? status : gs_failure();
	if (all == 0)
		return GS_OK;
	if (gs_ranks_scan(ranks, failed, &before, &all) != GS_OK)
		return status != GS_OK ? status : gs_failure();
	ranks->agreed = true;
	return failed != 0 && before == 0 ? status : gs_fail(GS_EIO, "%s", "");
}

gs_status
gs_ranks_open(struct gs_ranks *ranks, struct gs_window *window)
{
	assert(window->gives > 0 && window->takes > 0 && window->block_bytes < (size_t)1 << 30);
	TRY(gs_ranks_agree(ranks, ranks->calls->make(ranks, window)));
	return ranks->calls->open(ranks);
}

gs_status
gs_ranks_give(struct gs_ranks *ranks, unsigned slot, unsigned to, size_t bytes)
{
	assert(to < ranks->size && to != ranks->rank && bytes > 0);
	return ranks->calls->give(ranks, slot, to, bytes);
}

gs_status
gs_ranks_retake(struct gs_ranks *ranks, unsigned slot)
{
	return ranks->calls->retake(ranks, slot);
}

gs_status
gs_ranks_poll(struct gs_ranks *ranks, unsigned *given, unsigned *given_count,
              struct gs_arrival *taken, unsigned *taken_count)
{
	*given_count = *taken_count = 0;
	return ranks->calls->poll(ranks, given, given_count, taken, taken_count);
}

void
gs_ranks_close(struct gs_ranks *ranks)
{
	ranks->calls->close(ranks);
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
