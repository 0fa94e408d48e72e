// SPDX-License-Identifier: BSD-2-Clause
/*
 * rank_job.c - the job of one rank, of several that sort together
 *
 * In:   the caller's options, which are the same on all ranks.
 * Out:  the options, limits and plan of this rank's job.
 */
#include <stdlib.h>
#include <string.h>

#include "base/round.h"
#include "base/team.h"
#include "gpu/guard.h"
#include "key/key.h"
#include "linekey/collation.h"
#include "options/options.h"
#include "ranks/rank_job.h"

/* ---- what several ranks cannot do --------------------------------------------------- */

/* A merge by ranks is a sort: must each input be known to be sorted? */
static bool
checks_merge(const struct gsort_options *o)
{
	return o->operation == GSORT_MERGE && !o->trust_order;
}

static gs_status
check_options(const struct gsort_options *o)
{
	static const char elsewhere[] = "gsort does that, in one process";
	static const char before[] = "to check order a rank must know the number before its first line; "
		"gsort does it in one process";
	const bool lacks = !o->lines && gs_key_is_text(o->type) && o->invalid != GSORT_INVALID_ABORT;
	const struct {
		bool wanted;
		const char *what, *why;
	} refused[] = {
		{ gs_statistics_is_wanted(o), "figures", elsewhere },
		{ o->set != GSORT_NO_SET, "operations on sets", elsewhere },
		{ o->sample.wanted, "--sample", elsewhere },
		{ o->argsort_bits > 0, "--argsort", elsewhere },
		{ o->keep_order, "--keep-order", elsewhere },
		{ lacks && o->operation == GSORT_CHECK, "--check with --invalid", before },
		{ lacks && checks_merge(o), "--merge with --invalid", before },
		{ o->split > 0, "--split", "there is one file a rank: -o 'out-%r'" },
		{ o->read != NULL || o->write != NULL, "a function for input or output",
		  "ranks read and write files" },
	};

	TRY(gs_options_check(o));
	for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++)
		if (refused[r].wanted)
			return gs_fail(GS_EUSAGE, "%s: not with several ranks: %s", refused[r].what,
			               refused[r].why);
	if (o->operation != GSORT_CHECK && o->output == NULL)
		return gs_fail(GS_EUSAGE, "several ranks cannot write to standard output, which goes "
		               "through the launcher: name a file with -o FILE, or one a rank with "
		               "-o 'out-%%r'");
	return GS_OK;
}

static gs_status
check_parts(const struct gs_parts *parts, const struct gsort_options *o)
{
	const char *others = parts->inflates ? "compressed files" : "from a pipe";

	/* equal records and lines leave in the order of the input, so parts must be in that order */
	if (gs_options_elements(o) != GS_OF_KEYS && parts->other_bytes > 0)
		return gs_fail(GS_EUSAGE, "records and lines by key: several ranks read regular files that "
		               "are not compressed, so that equal ones keep their order; gsort sorts %s in "
		               "one process", others);
	if (o->operation == GSORT_CHECK && o->input_count > 1 && parts->other_bytes > 0)
		return gs_fail(GS_EUSAGE, "--check: several ranks read one input, or regular files that are "
		               "not compressed, so that each knows the key before its part; gsort checks %s "
		               "in one process", others);
	if (parts->inflates && o->sandbox)
		return gs_fail(GS_EUSAGE, GS_RANKS_UNCONFINED);
	if (checks_merge(o) && parts->other_bytes == GS_UNKNOWN)
		return gs_fail(GS_EUSAGE, "--merge: several ranks read each input twice, first to see "
		               "whether it is sorted, so it must be a file; with --force they sort it as it "
		               "is");
	return GS_OK;
}

/* ---- the plan -------------------------------------------------------------------------- */

void
gs_rank_limit(struct gs_rank_job *rank_job, struct gs_plan_input *input, struct gs_share *share)
{
	const unsigned local = rank_job->ranks->local_size;
	const struct gsort_options *given = &rank_job->given;
	const struct gs_parts *parts = &rank_job->parts;
	uint64_t memory, bytes = parts->plain_bytes;
	unsigned gpus;

	if (rank_job->alone)
		return;
	*share = (struct gs_share){
		.headed = rank_job->ranks->rank > 0,	/* rank 0 reads it once more */
		.header = parts->header, .header_bytes = parts->header_bytes,
	};
	input->all_bytes = parts->other_bytes == 0 ? bytes : UINT64_MAX;
	input->cores = input->cores / rank_job->sharers > 0 ? input->cores / rank_job->sharers : 1;
	if (given->memory_bytes == 0)
		input->memory_bytes /= local;		/* a percentage of the host's */
	input->host_bytes /= local;
	if (input->operation != GSORT_SORT)
		return;
	memory = input->memory_bytes > 0 ? gs_least(input->memory_bytes, input->host_bytes)
	                                 : input->host_bytes;
	if (input->key_bits == 0 || input->key_bits >= 32)
		rank_job->window_bytes = gs_transport_window_bytes(rank_job->ranks->size, memory);
	if (rank_job->window_bytes > 0)
		share->window = gs_item_exchange_window(rank_job->ranks->size, rank_job->window_bytes);
	input->window_bytes = rank_job->window_bytes;
	if (input->memory_bytes > rank_job->window_bytes)
		input->memory_bytes -= rank_job->window_bytes;
	if (input->host_bytes > 2 * rank_job->window_bytes)
		input->host_bytes -= rank_job->window_bytes;
	if (parts->other_bytes == GS_UNKNOWN || parts->inflates)
		bytes = given->size_hint > 0 ? given->size_hint : GS_UNKNOWN;
	/* the input whose keys this rank will own, and some more: shares are not equal */
	input->input_bytes = bytes == GS_UNKNOWN ? bytes : bytes / rank_job->ranks->size / 4 * 5 + (1 << 20);
	input->guessed = true;
	/* a rank has one GPU: the one of its number among the ranks of its host */
	if (input->device != GSORT_DEVICE_GPU || gs_guard_count(&gpus) != GS_OK || gpus == 0)
		return;
	input->gpu = (int)(rank_job->ranks->local_rank % gpus);
	if (given->gpu_count > 0 && given->gpu_count != GSORT_ALL_GPUS)
		input->gpu = given->gpus[rank_job->ranks->local_rank % given->gpu_count];
	input->gpu_memory_bytes /= (local + gpus - 1) / gpus;
}

/* ---- the order of lines -------------------------------------------------------------------- */

gs_status
gs_rank_describe(const struct gs_rank_job *rank_job, gs_status status, struct gs_line_order *order)
{
	const struct gs_parts *parts = &rank_job->parts;
	uint64_t mine, first;
	const char *end;

	if (rank_job->alone)
		return status;
	TRY(gs_ranks_agree(rank_job->ranks, status));
	if (rank_job->given.locale != NULL) {	/* of several, sorted parts would not fit together */
		mine = first = gs_locale_digest(order->locale);
		TRY(gs_ranks_share(rank_job->ranks, &first, sizeof first));
		TRY(gs_ranks_agree(rank_job->ranks, first == mine ? GS_OK
		    : gs_fail(GS_EUSAGE, "--locale: the locale here is another one than where rank 0 runs: "
		              "all ranks need the same, of the same release")));
	}
	if (parts->header == NULL || !gs_line_order_wants_header(order))
		return GS_OK;
	/* one of them reads lines from the header, and all know it */
	end = gs_line_end(order, parts->header + gs_line_mark(parts->header, parts->header_bytes),
	                  parts->header + parts->header_bytes);
	status = gs_line_order_header(order, parts->header, (size_t)(end - parts->header));
	return status == GS_OK ? GS_OK
	       : gs_fail(status, "%s: %s", rank_job->given.inputs[0], gs_message());
}

/* ---- opening -------------------------------------------------------------------------- */

/* Look what the inputs are, which part of them this rank reads, and where it writes; set its OWN options. */
static gs_status
begin(struct gs_rank_job *rank_job, gs_input_check *check, struct gsort_options *own)
{
	struct gs_ranks *ranks = rank_job->ranks;
	struct gsort_options *given = &rank_job->given;
	struct place {
		char          host[GS_HOST_BYTES];
		unsigned char cores[GS_CORES_BYTES];
	} *all, mine;
	gs_status status;

	TRY(gs_ranks_agree(ranks, check_options(given)));
	TRY(gs_parts_open(&rank_job->parts, given, ranks, given->operation == GSORT_CHECK));
	TRY(gs_ranks_agree(ranks, check_parts(&rank_job->parts, given)));
	for (size_t i = 0; checks_merge(given) && i < given->input_count; i++)
		TRY(check(given, given->inputs[i]));
	if (given->operation == GSORT_MERGE)
		given->operation = GSORT_SORT;

	/* how many ranks of this host may run on the same cores as this one? */
	memset(&mine, 0, sizeof mine);
	memcpy(mine.host, ranks->host, sizeof mine.host);
	gs_cores_set(mine.cores);
	status = gs_ranks_gather_new(ranks, &mine, sizeof mine, &all);
	for (unsigned r = 0; status == GS_OK && r < ranks->size; r++)
		rank_job->sharers += memcmp(&all[r], &mine, sizeof mine) == 0;
	free(all);
	TRY(status);

	*own = *given;
	if (rank_job->parts.count == 0) {		/* nothing to read, and so no header to skip */
		rank_job->parts.names[rank_job->parts.count++] = "/dev/null";
		own->skip_bytes = 0;
		own->decompress = GSORT_DECOMPRESS_NONE;
	}
	own->inputs = rank_job->parts.names;
	own->input_count = rank_job->parts.count;
	if (own->device != GSORT_DEVICE_GPU)	/* a failure of one GPU would end all ranks */
		own->device = GSORT_DEVICE_CPU;
	own->sandbox = false;
	if (given->skip_bytes > 0 || gs_options_guard(own) == GS_UNGUARDED)
		own->format = GSORT_FORMAT_RAW;		/* without a header it would be guarded */
	return given->operation != GSORT_SORT ? GS_OK
	       : gs_rank_output_open(&rank_job->output, given, ranks, own);
}

gs_status
gs_rank_job_open(struct gs_rank_job **opened, const struct gsort_options *options, gs_input_check *check,
                 struct gsort_options *own)
{
	struct gs_ranks *ranks = options->ranks;
	const bool alone = ranks == NULL || ranks->size == 1;
	const gs_status status = GS_NEW(*opened, 1, "job of a rank");
	struct gs_rank_job *rank_job = *opened;

	TRY(alone ? status : gs_ranks_agree(ranks, status));
	rank_job->self = (struct gs_ranks){ .size = 1, .local_size = 1 };
	rank_job->ranks = rank_job->output.ranks = alone ? &rank_job->self : ranks;
	rank_job->alone = alone;
	rank_job->given = *options;
	return alone ? GS_OK : begin(rank_job, check, own);
}

void
gs_rank_job_close(struct gs_rank_job *rank_job)
{
	if (rank_job == NULL)
		return;
	gs_key_exchange_close(&rank_job->exchange);
	gs_item_exchange_close(&rank_job->item_exchange);
	gs_rank_output_close(&rank_job->output);
	gs_parts_close(&rank_job->parts);
	free(rank_job);
}

/* ---- statistics ------------------------------------------------------------------------- */

gs_status
gs_rank_sum_stats(struct gs_rank_job *rank_job, struct gsort_stats *stats)
{
#define COUNTS(F) \
	F(keys) F(keys_out) F(bytes_in) F(bytes_out) F(invalid_lines) F(breaks) F(duplicates) F(threads) \
	F(batches) F(runs) F(spilled_bytes) F(gpu_bytes)
#define TIMES(F) \
	F(busy.read) F(busy.decode) F(busy.sort) F(busy.merge) F(busy.spill) F(busy.encode) F(busy.write) \
	F(busy.idle) F(h2d_seconds) F(gpu_sort_seconds) F(d2h_seconds)
#define COUNT(figure)	stats->figure,
#define NANOSECONDS(figure)	stats->figure > 0 ? (uint64_t)(stats->figure * 1e9) : 0,
#define SET_COUNT(figure)	stats->figure = (__typeof__(stats->figure))*sum++;
#define SET_TIME(figure)	stats->figure = (double)*sum++ / 1e9;
	uint64_t sums[] = { COUNTS(COUNT) TIMES(NANOSECONDS) }, *sum = sums;

	TRY(gs_ranks_sum(rank_job->ranks, sums, sizeof sums / sizeof sums[0]));
	COUNTS(SET_COUNT)
	TIMES(SET_TIME)
	return GS_OK;
#undef COUNTS
#undef TIMES
#undef COUNT
#undef NANOSECONDS
#undef SET_COUNT
#undef SET_TIME
}
