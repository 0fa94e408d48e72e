// SPDX-License-Identifier: BSD-2-Clause
/*
 * oracle.c - is the result of a job right?
 *
 * In:   a job and its inputs.
 * Out:  nothing, or abort().
 *
 * The right result is known from the inputs alone.  In few cases two results are right: a job may
 * stop before it reads what is wrong, and a merge may have unsorted inputs.
 */
#include "options/options.h"
#include "oracle.h"
#include "reference_model.h"

/* What is known of the inputs. */
struct facts {
	struct fuzz_numbers numbers;
	bool     ordered;		/* each input */
	uint64_t breaks, duplicates;	/* of the last input */
	bool     fits;			/* every number, in the output type */
	struct fuzz_bytes right;	/* what must come out */
};

static void
read_inputs(struct facts *facts, const struct fuzz_job *job)
{
	facts->ordered = true;
	for (unsigned i = 0; i < job->count; i++) {
		struct fuzz_numbers one = { .at = NULL };
		const struct fuzz_bytes *input = &job->inputs[i];

		fuzz_read(&facts->numbers, &job->options, i, input->data, input->bytes);
		if (job->options.operation == GSORT_SORT)
			continue;
		fuzz_read(&one, &job->options, i, input->data, input->bytes);
		facts->ordered &= fuzz_ordered(&one, &job->options, &facts->breaks, &facts->duplicates) ||
		                  (facts->breaks == 0 && job->options.operation == GSORT_MERGE);
		fuzz_numbers_free(&one);
	}
}

/* Both results, as far as they are the same. */
static void
compare(const struct fuzz_bytes *right, const struct fuzz_bytes *output)
{
	const size_t least = right->bytes < output->bytes ? right->bytes : output->bytes;
	size_t at = 0;

	while (at < least && right->data[at] == output->data[at])
		at++;
	if (at == right->bytes && at == output->bytes)
		return;
	fprintf(stderr, "%zu bytes are right, %zu came; they differ from byte %zu on:\n%.*s\n%.*s\n",
	        right->bytes, output->bytes, at, (int)(least - at < 40 ? least - at : 40),
	        right->data + at, (int)(least - at < 40 ? least - at : 40), output->data + at);
	FUZZ_MUST(right->bytes == output->bytes && at == right->bytes);
}

/* Does the message name the line of the error? */
static void
check_place(const struct fuzz_job *job, const struct facts *facts)
{
	char place[32];

	snprintf(place, sizeof place, ":%llu: ", (unsigned long long)facts->numbers.first_bad);
	if (job->options.invalid == GSORT_INVALID_ABORT && job->count == 1)
		FUZZ_MUST(strstr(job->message, place) != NULL);
	if (job->options.invalid == GSORT_INVALID_FAIL || job->options.invalid == GSORT_INVALID_WARN)
		FUZZ_MUST(job->warnings > 0);
}

static void
judge_check(const struct fuzz_job *job, const struct facts *facts)
{
	const bool bad = facts->numbers.partial || (facts->numbers.bad_lines > 0 &&
	                                            job->options.invalid <= GSORT_INVALID_FAIL);

	FUZZ_MUST(job->output.bytes == 0);
	if (bad) {
		FUZZ_MUST(job->status == GSORT_ERROR ||
		          (job->status == GSORT_DISORDER && (!facts->ordered || facts->numbers.partial)));
		return;
	}
	FUZZ_MUST(job->status == (facts->ordered ? GSORT_OK : GSORT_DISORDER));
	if (job->options.check != GSORT_CHECK_SUMMARY)
		return;
	FUZZ_MUST(job->stats.breaks == facts->breaks);
	FUZZ_MUST(job->stats.duplicates == facts->duplicates);
}

static void
judge_output(const struct fuzz_job *job, const struct facts *facts, bool may_fail)
{
	const struct gsort_options *options = &job->options;
	const bool may_stop = options->operation == GSORT_MERGE && options->head;
	const bool bad = facts->numbers.bad_lines > 0 && options->invalid <= GSORT_INVALID_FAIL;
	const bool good = !bad && facts->fits && !facts->numbers.partial;

	if (!facts->ordered) {
		FUZZ_MUST(job->status == GSORT_ERROR || options->trust_order || may_stop);
		return;
	}
	if (good && !may_fail && job->status != GSORT_OK)
		fprintf(stderr, "%s\n", job->message);
	FUZZ_MUST(job->status == GSORT_OK ? good || may_stop : !good || may_fail);
	if (job->status == GSORT_OK && good)
		compare(&facts->right, &job->output);
	if (bad && facts->fits && !facts->numbers.partial && !may_fail && !may_stop) {
		check_place(job, facts);
		if (options->invalid == GSORT_INVALID_FAIL)
			compare(&facts->right, &job->output);
	}
}

void
fuzz_judge(struct fuzz_job *job, bool may_fail)
{
	struct facts facts = { .fits = true };

	read_inputs(&facts, job);
	fuzz_select(&facts.numbers, &job->options);
	facts.fits = fuzz_write(&facts.numbers, &job->options, &facts.right);
	fuzz_job_run(job);
	if (gs_options_check(&job->options) != GS_OK)
		FUZZ_MUST(job->status == GSORT_ERROR && job->output.bytes == 0);
	else if (job->options.operation == GSORT_CHECK)
		judge_check(job, &facts);
	else
		judge_output(job, &facts, may_fail);
	fuzz_numbers_free(&facts.numbers);
	fuzz_free(&facts.right);
}
