// SPDX-License-Identifier: BSD-2-Clause
/*
 * options.c - do the options of a job go together?
 *
 * In: the caller's options.  Out: a sentence about the first two that do not, in the
 * order of the tables here.  What is only useless is allowed (a check with -T), as in
 * sort(1); refused is what would not do what it says.
 */
#include <stdio.h>

#include "format/key.h"
#include "job/options.h"

#define COUNT(array)	(sizeof (array) / sizeof (array)[0])

/* Fields that hold numbers: callers from C may put anything there. */
static gs_status
check_ranges(const struct gsort_options *o)
{
	if (o->type > GSORT_TEXT_FLOAT || o->to > GSORT_TEXT_FLOAT ||
	    o->operation > GSORT_CHECK || o->check > GSORT_CHECK_SUMMARY ||
	    o->invalid > GSORT_INVALID_IGNORE || o->endian > GSORT_ENDIAN_BIG ||
	    o->decompress > GSORT_DECOMPRESS_LZ4 || o->device > GSORT_DEVICE_GPU)
		return gs_fail(GS_EUSAGE, "an option of gsort_open() has no such value");
	if (o->gpu_memory_percent > 100)
		return gs_fail(GS_EUSAGE, "%u%% of the GPU's memory is more than there is",
		               o->gpu_memory_percent);
	if (o->merge_files == 1)
		return gs_fail(GS_EUSAGE, "'--batch-size' is 1: the minimum is 2");
	if (o->converts && o->to == GSORT_TEXT_FLOAT && o->type != GSORT_TEXT_FLOAT)
		return gs_fail(GS_EUSAGE, "'--to=text' is how any type becomes text");
	return GS_OK;
}

/* Options that need another. */
static gs_status
check_needs(const struct gsort_options *o, bool binary_in, bool binary_out)
{
	const struct {
		bool lacks;
		const char *option, *needs;
	} lacks[] = {
		{ o->in_place && o->output == NULL, "--in-place", "'--output'" },
		{ o->endian != GSORT_ENDIAN_HOST && !binary_in && !binary_out, "--endian",
		  "a binary type" },
		{ o->skip_bytes > 0 && !binary_in, "--skip-bytes",
		  "a binary type (for text: '--header')" },
	};

	for (size_t i = 0; i < COUNT(lacks); i++)
		if (lacks[i].lacks)
			return gs_fail(GS_EUSAGE, "option '%s' needs %s", lacks[i].option,
			               lacks[i].needs);
	return GS_OK;
}

/* Options that exclude another. */
static gs_status
check_clashes(const struct gsort_options *o, bool binary_in, bool binary_out)
{
	const bool check = o->operation == GSORT_CHECK;
	char type[32], to[32];
	const struct {
		bool clash;
		const char *one, *other;
	} clashes[] = {
		{ check && o->output != NULL, "--check", "--output" },
		{ check && o->converts, "--check", to },
		{ check && o->counts, "--check", "--count" },
		{ check && o->repeated, "--check", "--repeated" },
		{ check && o->singletons, "--check", "--singletons" },
		{ check && o->head, "--check", "--head-count" },
		{ check && o->verify, "--check", "--verify" },
		{ check && o->device == GSORT_DEVICE_GPU, "--check", "--device=gpu" },
		{ o->operation == GSORT_MERGE && o->device == GSORT_DEVICE_GPU, "--merge",
		  "--device=gpu" },
		{ o->repeated && o->singletons, "--repeated", "--singletons" },
		{ binary_in && binary_out && o->zero_terminated, "--zero-terminated", type },
		{ binary_in && o->header_lines > 0, "--header", type },
		{ binary_in && o->invalid != GSORT_INVALID_ABORT, "--invalid", type },
		/* a header goes out as it came */
		{ binary_out && o->header_lines > 0, "--header", to },
		{ !binary_out && o->skip_bytes > 0, "--skip-bytes", to },
	};

	snprintf(type, sizeof type, "--type=%s", gs_key_name(o->type));
	snprintf(to, sizeof to, "--to=%s", gs_key_name(o->to));
	for (size_t i = 0; i < COUNT(clashes); i++)
		if (clashes[i].clash)
			return gs_fail(GS_EUSAGE, "options '%s' and '%s' are incompatible",
			               clashes[i].one, clashes[i].other);
	return GS_OK;
}

gs_status
gs_options_check(const struct gsort_options *options)
{
	gs_status status = check_ranges(options);
	bool binary_in, binary_out;

	if (status != GS_OK)
		return status;
	binary_in = gs_key_bits(options->type) > 0;
	binary_out = options->converts ? gs_key_bits(options->to) > 0 : binary_in;
	TRY(check_needs(options, binary_in, binary_out));
	TRY(check_clashes(options, binary_in, binary_out));
	if (options->operation == GSORT_CHECK && options->input_count > 1 && options->read == NULL)
		return gs_fail(GS_EUSAGE, "extra operand '%s': '--check' takes one input",
		               options->inputs[1]);
	return GS_OK;
}
