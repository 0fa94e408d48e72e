// SPDX-License-Identifier: BSD-2-Clause
/*
 * read.c - all input of a sort, of any kind, for any taker
 *
 * In:   bytes of all inputs.
 * Out:  keys or items, for the store of this process or for the exchange between ranks.
 */
#include "job/line_job.h"
#include "job/options.h"
#include "job/read.h"

gs_status
gs_job_read(struct gsort *job, struct gs_taker taker)
{
	const bool text = job->plan_input.key_bits == 0;

	gs_verify_watch(&job->verify, &taker);
	if (gs_options_read_lines(job->options))
		return gs_line_job_read(job, &taker);
	if (gs_options_want_items(job->options)) {
		TRY(gs_record_ingest_run(&job->items.ingest, job->input, &taker, &job->monitor));
		return gs_npy_check(&job->items.npy, job->items.ingest.records);
	}
	TRY(gs_ingest_run(&job->ingest, &taker));
	if (text)
		gs_verify_in_counts(&job->verify, &job->store.histogram,
		                    job->options->reverse ? UINT32_MAX : 0);
	return gs_npy_check(&job->items.npy, job->ingest.keys);
}

gs_status
gs_job_header(struct gsort *job, uint64_t count, const char **header, size_t *bytes)
{
	struct gs_items *items = &job->items;

	if (!gs_options_want_items(job->options)) {
		*header = gs_ingest_header(&job->ingest, bytes);
		return GS_OK;
	}
	if (items->npy.writes_header)
		return gs_npy_make_header(&items->npy, job->options, count, header, bytes);
	*header = job->options->lines ? job->lines.ingest.header.data : items->ingest.header;
	*bytes = job->options->argsort_bits > 0 ? 0 :
	         job->options->lines ? job->lines.ingest.header.bytes : items->ingest.header_bytes;
	return GS_OK;
}
