// SPDX-License-Identifier: BSD-2-Clause
/*
 * answer.c - a sort whose output is figures about its keys
 *
 * In:   the store, with all keys.
 * Out:  lines or JSON.  Nothing is written before the last key has been seen.
 */
#include "job/answer.h"
#include "stages/figures.h"

gs_status
gs_job_answer(struct gsort *job)
{
	struct gs_answer *answer = &job->answer;

	TRY(gs_answer_open(answer, job->options, &job->plan, &job->store, job->ingest.keys,
	                   &job->verify, &job->monitor));
	for (unsigned i = 0; i < GS_CLASSES; i++) {
		const struct gs_span_sink sink = gs_answer_sink(answer);

		TRY(gs_store_drain(&job->store, job->options->reverse ? GS_CLASSES - 1 - i : i, &sink));
		gs_answer_class_end(answer);
	}
	TRY(gs_verify_end(&job->verify));
	gs_answer_end(answer);
	TRY(gs_figures_write(answer, job->outputs.files[0], &job->emit.bytes));
	return gs_outputs_finish(&job->outputs);
}
