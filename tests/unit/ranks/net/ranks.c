// SPDX-License-Identifier: BSD-2-Clause
/* ranks.c - rows for src/net: ranks as threads gather, add up, agree, and exchange blocks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/rank_job.h"
#include "tests/mpi/ranks_threads.h"
#include "tests/unit/units.h"

void unit_ranks(void);

enum { RANKS = 5, BLOCK = 256, BLOCKS = 200, GIVES = 2, TAKES = 2 };

struct member {
	uint64_t  gathered, summed, before, all, shared, taken;
	gs_status agreed, failed;
	char      message[64];
	bool      aborts;		/* rank 1 does */
};

/* Send BLOCKS to each other rank, through two slots, and take theirs. */
static gs_status
exchange(struct gs_ranks *ranks, struct member *member)
{
	struct gs_window window = { .block_bytes = BLOCK, .gives = GIVES, .takes = TAKES };
	unsigned given[GIVES] = { 0, 1 }, slots[GIVES] = { 0, 1 }, sent, came, idle = 0;
	unsigned open = GIVES, left = BLOCKS * (RANKS - 1), due = BLOCKS * (RANKS - 1);
	struct gs_arrival taken[TAKES];

	TRY(gs_ranks_agree(ranks, ranks->calls->make(ranks, &window)));
	TRY(ranks->calls->open(ranks));
	while (left > 0 || due > 0 || open < GIVES) {
		while (left > 0 && open > 0) {
			const unsigned slot = slots[--open];
			const unsigned to = (ranks->rank + 1 + --left % (RANKS - 1)) % RANKS;

			memset(window.memory + slot * BLOCK, (int)(ranks->rank * RANKS + to), BLOCK);
			TRY(ranks->calls->give(ranks, slot, to, 1 + left % BLOCK));
		}
		TRY(ranks->calls->poll(ranks, given, &sent, taken, &came));
		for (unsigned s = 0; s < sent; s++)
			slots[open++] = given[s];
		for (unsigned t = 0; t < came; t++) {
			const char *block = taken[t].data;

			member->taken += (unsigned)*block % RANKS == ranks->rank &&
			                 block[taken[t].bytes - 1] == *block;
			TRY(ranks->calls->retake(ranks, taken[t].slot));
			due--;
		}
		if (sent + came == 0)
			gs_ranks_rest(&idle);
	}
	ranks->calls->close(ranks);
	return GS_OK;
}

static gs_status
talk(struct gs_ranks *ranks, struct member *member)
{
	const uint64_t mine = ranks->rank + 1;
	uint64_t each[RANKS], sums[3] = { mine, 1, mine * mine };

	TRY(gs_ranks_gather(ranks, &mine, sizeof mine, each));
	for (unsigned r = 0; r < RANKS; r++)
		member->gathered = member->gathered * 10 + each[r];
	TRY(gs_ranks_sum(ranks, sums, 3));
	member->summed = sums[0] * 10000 + sums[1] * 100 + sums[2];
	TRY(gs_ranks_scan(ranks, mine, &member->before, &member->all));
	member->shared = ranks->rank == 0 ? 77 : 0;
	TRY(gs_ranks_share(ranks, &member->shared, sizeof member->shared));
	TRY(exchange(ranks, member));
	if (member->aborts && ranks->rank == 1) {
		gs_ranks_abort(ranks, 2);
		return GS_OK;
	}
	if (member->aborts)
		return gs_ranks_gather(ranks, &mine, sizeof mine, each);
	member->agreed = gs_ranks_agree(ranks, GS_OK);
	member->failed = gs_ranks_agree(ranks, ranks->rank >= 2
		? gs_fail(GS_EINPUT, "rank %u", ranks->rank) : GS_OK);
	snprintf(member->message, sizeof member->message, "%s", gs_message());
	return GS_OK;
}

static void
run(struct gs_ranks *ranks, void *context)
{
	struct member *member = context;
	const gs_status status = talk(ranks, member);

	if (member->aborts)
		member->failed = status;
}

static void
together(bool aborts)
{
	struct member members[RANKS];

	for (unsigned r = 0; r < RANKS; r++)
		members[r] = (struct member){ .aborts = aborts };
	CHECK(gs_ranks_threads_run(RANKS, run, members, sizeof *members), "the threads start");
	for (unsigned r = 0; r < RANKS; r++) {
		const struct member *m = &members[r];

		CHECK(m->gathered == 12345, "rank %u gathers from all, in order", r);
		CHECK(m->summed == 150555, "rank %u knows the sums", r);
		CHECK(m->before == r * (r + 1) / 2 && m->all == 15, "rank %u knows the sum before it", r);
		CHECK(m->shared == 77, "rank %u has what rank 0 shares", r);
		CHECK(m->taken == BLOCKS * (RANKS - 1), "rank %u takes all blocks that are for it", r);
		if (aborts) {
			CHECK(r == 1 || m->failed == GS_EIO, "rank %u fails after rank 1 has aborted", r);
			continue;
		}
		CHECK(m->agreed == GS_OK, "rank %u agrees that all is well", r);
		CHECK(m->failed == (r == 2 ? GS_EINPUT : GS_EIO) &&
		      strcmp(m->message, r == 2 ? "rank 2" : "") == 0,
		      "ranks 2 to 4 fail: rank 2 alone says why (rank %u: \"%s\")", r, m->message);
	}
}

/* Rank 1 wants more memory than there is: all leave, and none waits for its bytes. */
static void
gather_too_much(struct gs_ranks *ranks, void *context)
{
	gs_status *status = context;
	char *all;

	*status = gs_ranks_gather_new(ranks, "", ranks->rank == 1 ? SIZE_MAX / 2 : 1, &all);
	free(all);
}

static void
short_of_memory(void)
{
	gs_status members[RANKS];

	CHECK(gs_ranks_threads_run(RANKS, gather_too_much, members, sizeof *members), "the threads start");
	for (unsigned r = 0; r < RANKS; r++)
		CHECK(members[r] == (r == 1 ? GS_EBUDGET : GS_EIO), "rank 1 has no memory: rank %u", r);
}

static gs_status
fail_to_share(struct gs_ranks *ranks, void *data, size_t bytes)
{
	(void)ranks, (void)data, (void)bytes;
	return gs_fail(GS_EIO, "no link");
}

static gs_status
wait_for_others(struct gs_ranks *ranks, uint64_t *values, size_t count)
{
	(void)ranks, (void)values, (void)count;
	CHECK(false, "a rank waits for others, which wait in a call that has failed here");
	return GS_OK;
}

static void
fail_alone(void)
{
	static const struct gs_ranks_calls calls = { .share = fail_to_share, .sum = wait_for_others };
	struct gs_ranks ranks = { .calls = &calls, .size = 2, .local_size = 2 };

	CHECK(gs_ranks_agree(&ranks, gs_ranks_share(&ranks, NULL, 0)) == GS_EIO && !ranks.agreed,
	      "a call that fails on one rank is an error that the others do not know of");
}

/* ---- borders ------------------------------------------------------------------ */

static int
compare_bytes(const void *context, const char *one, size_t one_bytes, const char *other,
              size_t other_bytes)
{
	const size_t least = one_bytes < other_bytes ? one_bytes : other_bytes;
	const int difference = memcmp(one, other, least);

	(void)context;
	return difference != 0 ? difference : (one_bytes > other_bytes) - (one_bytes < other_bytes);
}

static bool
no_words(const void *context, const char *const *items, const uint32_t *bytes, size_t count,
         unsigned at, uint64_t *words)
{
	(void)context, (void)items, (void)bytes, (void)at;
	memset(words, 0, count * sizeof *words);
	return false;
}

struct bordering {
	const struct gs_item_digest *ends;
	gs_status      status;
	char           message[256];
};

static void
check_border(struct gs_ranks *ranks, void *context)
{
	struct bordering *b = context;
	const struct gs_item_order order = { .words = no_words, .compare = compare_bytes };
	struct gs_verify verify = { .on = true, .order = &order, .items = *b->ends };

	b->status = gs_border_verify(ranks, &verify);
	snprintf(b->message, sizeof b->message, "%s", gs_message());
}

/* An item of each of the ends of ranks; "": none. */
static void
border(const char *about, const char *const firsts[RANKS], const char *const lasts[RANKS],
       unsigned wrong)
{
	struct gs_item_digest ends[RANKS];
	struct bordering members[RANKS];
	char said[80];

	for (unsigned r = 0; r < RANKS; r++) {
		ends[r] = (struct gs_item_digest){
			.first = firsts[r] == NULL ? NULL : strdup(firsts[r]),
			.last = lasts[r] == NULL ? NULL : strdup(lasts[r]),
			.first_bytes = firsts[r] == NULL ? 0 : strlen(firsts[r]),
			.last_bytes = lasts[r] == NULL ? 0 : strlen(lasts[r]),
		};
		members[r] = (struct bordering){ .ends = &ends[r] };
	}
	snprintf(said, sizeof said, "the result is wrong: it is not in order where rank %u begins", wrong);
	CHECK(gs_ranks_threads_run(RANKS, check_border, members, sizeof *members), "the threads start");
	for (unsigned r = 0; r < RANKS; r++) {
		free(ends[r].first);
		free(ends[r].last);
	}
	for (unsigned r = 0; r < RANKS; r++)
		CHECK(wrong == RANKS ? members[r].status == GS_OK
		      : members[r].status == (r == wrong ? GS_EDEVICE : GS_EIO) &&
		        (strcmp(members[r].message, said) == 0) == (r == wrong),
		      "%s: rank %u: %s", about, r, members[r].message);
}

static void
borders(void)
{
	char low[9001], high[9001];

	memset(low, 'a', 9000);
	low[9000] = '\0';
	memcpy(high, low, sizeof low);
	high[8999] = 'b';
	border("in order", (const char *const[]){ "a", "c", "c", "d", "f" },
	       (const char *const[]){ "b", "c", "d", "e", "z" }, RANKS);
	border("rank 3 begins before the end of rank 2",
	       (const char *const[]){ "a", "c", "c", "d", "f" },
	       (const char *const[]){ "b", "c", "e", "e", "z" }, 3);
	border("ranks without items", (const char *const[]){ NULL, "c", NULL, NULL, "f" },
	       (const char *const[]){ NULL, "c", NULL, NULL, "z" }, RANKS);
	border("rank 4 begins before the end of rank 1",
	       (const char *const[]){ NULL, "c", NULL, NULL, "b" },
	       (const char *const[]){ NULL, "c", NULL, NULL, "z" }, 4);
	border("large items", (const char *const[]){ low, high, "b", NULL, NULL },
	       (const char *const[]){ low, high, "b", NULL, NULL }, RANKS);
	border("large items that differ in their last byte",
	       (const char *const[]){ "a", low, "b", NULL, NULL },
	       (const char *const[]){ high, high, "b", NULL, NULL }, 1);
	border("nobody has any", (const char *const[RANKS]){ NULL }, (const char *const[RANKS]){ NULL },
	       RANKS);
}

void
unit_ranks(void)
{
	together(false);
	together(true);
	short_of_memory();
	fail_alone();
	borders();
}
