// SPDX-License-Identifier: BSD-2-Clause
/*
 * rank_output.c - the output of several ranks: one file, or a file a rank
 *
 * In:   the bytes of each rank.
 * Out:  files that are complete, or as they were before.
 *
 * Parts are written with pwrite(2).  MPI-IO takes as long: two ranks, 256 pieces of a MiB each, one
 * file on ext4, processor seconds, medians of 3 on a busy machine: 0.42 and 0.20 with Open MPI 4.1,
 * 0.19 and 0.20 with MPICH 4.0.  It would be one more thing that each MPI does in its own way.
 *
 * Invariant: no file has its name, or is cut, before all ranks have read all keys; no new file has
 * its name before all ranks have written theirs.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "base/round.h"
#include "figures/statistics.h"
#include "io/output.h"
#include "key/key.h"
#include "options/options.h"
#include "output/select.h"
#include "ranks/rank_job.h"

/* ---- opening ----------------------------------------------------------------------- */

/* Rank 0 decides how the file is written; the others open what it has made. */
static gs_status
open_shared(struct gs_rank_output *output)
{
	const struct gsort_options *given = output->given;
	const char *name = given->output;
	const bool first = output->ranks->rank == 0;
	struct {
		char name[PATH_MAX];
		enum gs_output_kind kind;
		bool forced;
	} made = { .name = "" };
	struct stat st, null;
	gs_status status = GS_OK;

	/* Ranks write at several places of the file.  A terminal, as the standard output of a rank of MPI may
	 * be, takes their bytes in any order. */
	if (first && stat(name, &st) == 0 && !S_ISREG(st.st_mode) &&
	    (!S_ISCHR(st.st_mode) || stat("/dev/null", &null) != 0 || st.st_rdev != null.st_rdev))
		status = gs_fail(GS_EUSAGE, "%s: not with several ranks: it is not a regular file, and they "
		                 "write at several places of it", name);
	if (first && status == GS_OK) {
		output->replace.inputs = given->inputs;
		output->replace.input_count = given->input_count;
		status = gs_replace_aim(&output->replace, name, given->in_place, &output->fd, &output->kind);
	}
	TRY(gs_ranks_agree(output->ranks, status));
	if (first) {
		made.kind = output->kind;
		made.forced = output->replace.forced;
		(void)memccpy(made.name, output->kind == GS_OUTPUT_NEW ? output->replace.hidden : name, '\0',
		              sizeof made.name - 1);
	}
	TRY(gs_ranks_share(output->ranks, &made, sizeof made));
	output->kind = made.kind;
	output->replace.forced = made.forced;
	if (!first) {
		output->fd = gs_open(made.name, O_WRONLY, 0);
		if (output->fd < 0)
			status = gs_fail_errno(GS_EIO, "cannot open %s, which rank 0 has made: is its folder "
			                       "the same on all hosts?", made.name);
		else if (output->kind == GS_OUTPUT_NEW)
			gs_replace_adopt(&output->replace, made.name);
	}
	return gs_ranks_agree(output->ranks, status);
}

static int
write_spool(void *context, const void *data, size_t bytes)
{
	struct gs_rank_output *output = context;

	if (gs_spill_file_write(&output->spool, data, bytes) != GS_OK)
		return -1;
	output->spooled += bytes;
	return 0;
}

gs_status
gs_rank_output_open(struct gs_rank_output *output, const struct gsort_options *given,
                    struct gs_ranks *ranks, struct gsort_options *own)
{
	const bool one_file = strstr(given->output, "%r") == NULL;
	const bool groups = gs_select_wants_groups(given), ends = given->head || given->tail.wanted;
	const bool wide_text = given->converts && gs_key_is_wide(given->type);
	const bool differ = !gs_options_write_binary(given);
	gs_status status = GS_OK;

	*output = (struct gs_rank_output){
		.given = given, .ranks = ranks, .fd = -1, .replace.shared = true, .one_file = one_file,
		/* the number of bytes of a selection may be known only when it has been made */
		.spools = (groups && ends) || (one_file && (groups || wide_text || (differ && ends))),
	};
	if (one_file) {
		status = open_shared(output);
	} else {
		status = gs_outputs_check_pattern(given->output);
		THEN(status, gs_outputs_name(given->output, ranks->rank, ranks->size, &output->own_name));
		if (ranks->rank == 0)
			THEN(status, gs_outputs_check_files(given->output, ranks->size));
		status = gs_ranks_agree(ranks, status);
		own->output = output->own_name;
	}
	if (output->spools || one_file) {
		own->write = output->spools ? write_spool : gs_place_write;
		own->write_context = output->spools ? (void *)output : &output->place;
	}
	return status;
}

void
gs_rank_output_close(struct gs_rank_output *output)
{
	if (output->fd > STDERR_FILENO)
		close(output->fd);
	gs_replace_drop(&output->replace);
	free(output->place.head);
	if (output->spool.dir != NULL)
		gs_spill_file_close(&output->spool);
	free(output->own_name);
	*output = (struct gs_rank_output){ .ranks = output->ranks };
}

/* ---- writing ------------------------------------------------------------------------- */

/* Find the place of this rank's BYTES. */
static gs_status
open_place(struct gs_rank_output *output, uint64_t bytes)
{
	uint64_t begin, all;
	gs_status status = GS_OK;

	if (output->kind == GS_OUTPUT_IN_PLACE && output->ranks->rank == 0 &&
	    ftruncate(output->fd, 0) != 0)
		status = gs_fail_errno(GS_EIO, "truncate failed: %s", output->given->output);
	TRY(gs_ranks_agree(output->ranks, status));
	TRY(gs_ranks_scan(output->ranks, bytes, &begin, &all));
	return gs_place_open(&output->place, output->fd, output->given->output,
	                     output->kind != GS_OUTPUT_DEVICE, begin, begin + bytes);
}

gs_status
gs_rank_output_begin(struct gs_rank_output *output, uint64_t bytes)
{
	const struct gsort_options *given = output->given;
	uint64_t before, all;

	if (output->one_file && !output->spools)
		return open_place(output, bytes);
	/* An input may be this file: nobody still reads. */
	TRY(gs_ranks_scan(output->ranks, 0, &before, &all));
	return !output->spools ? GS_OK
	       : gs_spill_file_make(&output->spool, given->temp_dirs, given->temp_dir_count, 0);
}

/* ---- heads of parts, which another rank writes ------------------------------------------ */

/* Each MiB of the file is written by the rank whose part has its first byte: ranks tell each other the heads
 * of their parts, and write those of others. */
static gs_status
write_heads(struct gs_rank_output *output)
{
	struct gs_ranks *ranks = output->ranks;
	const struct gs_place *place = &output->place;
	unsigned from = ranks->size, to = from;
	struct gs_collected begins, heads = { .data = NULL };
	const uint64_t *begin;
	uint64_t at = 0;
	gs_status status;

	if (!place->seeks)
		return GS_OK;
	status = gs_ranks_collect(ranks, GS_OK, &place->begin, sizeof place->begin, 0, ranks->size, &begins);
	begin = (const uint64_t *)(const void *)begins.data;
	for (unsigned r = ranks->size; status == GS_OK && r-- > 0;) {
		const uint64_t first = begin[r] - begin[r] % GS_PLACE_BYTES;

		from = first >= place->begin ? r : from;
		to = first >= place->end ? r : to;
	}
	status = gs_ranks_collect(ranks, status, place->head, place->head_bytes, from, to, &heads);
	for (unsigned r = from; status == GS_OK && r < to; at += heads.sizes[r++])
		if (heads.sizes[r] > 0 &&
		    gs_place_write_at(place, heads.data + at, heads.sizes[r], begin[r]) != 0)
			status = gs_fail_errno(GS_EIO, "write failed: %s", output->given->output);
	gs_collected_close(&begins);
	gs_collected_close(&heads);
	return status;
}

/* ---- from the temporary file --------------------------------------------------------------- */

enum { COPY_BYTES = 1 << 18 };

/* The bytes of the header and the first KEYS, which are lines if KEY_BYTES is 0. */
static gs_status
measure(const struct gs_rank_output *output, uint64_t keys, size_t key_bytes,
        const struct gs_line_order *lines, char *buffer, uint64_t *bytes)
{
	struct gs_line_place place = GS_LINE_PLACE_BEGIN;
	uint64_t at = output->header_bytes;
	bool whole;

	*bytes = at + keys * key_bytes;
	while (key_bytes == 0 && keys > 0 && at < output->spooled) {
		const size_t some = output->spooled - at < COPY_BYTES ? (size_t)(output->spooled - at)
		                                                      : COPY_BYTES;

		TRY(gs_spill_file_read(&output->spool, at, buffer, some));
		for (const char *end = buffer; end < buffer + some && keys > 0;) {
			end = gs_line_end_within(lines, end, buffer + some, &place, &whole);
			if (whole && --keys == 0)
				*bytes = at + (uint64_t)(end - buffer);
		}
		at += some;
	}
	return GS_OK;
}

/* Copy the bytes FROM .. TO to where they belong: to OWN, or else to the place. */
static gs_status
copy_spool(struct gs_rank_output *output, uint64_t from, uint64_t to, struct gs_output *own,
           char *buffer)
{
	for (uint64_t at = from, some; at < to; at += some) {
		some = to - at < COPY_BYTES ? to - at : COPY_BYTES;
		TRY(gs_spill_file_read(&output->spool, at, buffer, (size_t)some));
		if (own != NULL)
			TRY(gs_output_write(own, buffer, (size_t)some));
		else if (gs_place_write(&output->place, buffer, (size_t)some) != 0)
			return gs_fail_errno(GS_EIO, "write failed: %s", output->given->output);
	}
	return GS_OK;
}

/* Of the selected KEYS of this rank the head or tail of all may want fewer. */
static gs_status
finish_spool(struct gs_rank_output *output, uint64_t *keys, size_t key_bytes,
             const struct gs_line_order *lines, struct gs_output *own, uint64_t *bytes)
{
	const struct gsort_options *given = output->given;
	uint64_t before = 0, all = *keys, from = 0, to = *keys;
	uint64_t begin = output->header_bytes, end = output->spooled;
	char *buffer;
	gs_status status = gs_allocate(&buffer, COPY_BYTES, 1, "bytes");

	THEN(status, gs_ranks_scan(output->ranks, *keys, &before, &all));
	if (given->head)
		to = gs_least(to, given->head_count - gs_least(before, given->head_count));
	if (given->tail.wanted)
		from = to - gs_least(to, given->tail.count - gs_least(all - before - to, given->tail.count));
	if (from > 0)
		THEN(status, measure(output, from, key_bytes, lines, buffer, &begin));
	if (to < *keys)
		THEN(status, measure(output, to, key_bytes, lines, buffer, &end));
	*keys = to - from;
	*bytes = output->header_bytes + end - begin;
	if (own == NULL)
		THEN(status, open_place(output, *bytes));
	THEN(status, copy_spool(output, 0, output->header_bytes, own, buffer));
	THEN(status, copy_spool(output, begin, end, own, buffer));
	free(buffer);
	return status;
}

/* ---- the end ------------------------------------------------------------------------------- */

/* Each rank has a file of its own: all are complete before the first gets its name, and if one does not
 * get it, the others lose theirs. */
static gs_status
finish_own(struct gs_rank_output *output, struct gs_output *own)
{
	uint64_t forced = gs_output_replaces_input(own);
	gs_status finished, status, settled = GS_OK;

	TRY(gs_ranks_sum(output->ranks, &forced, 1));
	TRY(gs_ranks_agree(output->ranks, gs_output_prepare(own, forced > 0)));
	finished = gs_output_finish(&own, 1);
	status = gs_ranks_agree(output->ranks, finished);
	if (finished == GS_OK)
		settled = gs_output_settle(own, status == GS_OK);
	return settled != GS_OK ? settled : status;
}

gs_status
gs_rank_output_finish(struct gs_rank_output *output, uint64_t *keys, size_t key_bytes,
                      const struct gs_line_order *lines, const struct gs_outputs *own, uint64_t *bytes)
{
	struct gs_replace *new = &output->replace;
	struct gs_output *opened = NULL;
	const int fd = output->fd;
	size_t failed;
	gs_status status;

	if (output->own_name != NULL && output->spools) {
		const struct gs_output_options options = {
			.name = output->own_name, .in_place = output->given->in_place,
			.inputs = output->given->inputs, .input_count = output->given->input_count,
		};

		TRY(gs_ranks_agree(output->ranks, gs_output_open(&opened, &options)));
		status = finish_spool(output, keys, key_bytes, lines, opened, bytes);
		THEN(status, finish_own(output, opened));
		gs_output_close(opened);
		return status;
	}
	if (output->own_name != NULL)
		return finish_own(output, own->files[0]);
	if (!output->one_file)
		return gs_ranks_agree(output->ranks, gs_output_finish(own->files, own->count));
	if (output->spools)
		TRY(finish_spool(output, keys, key_bytes, lines, NULL, bytes));
	/* all parts are there: the file gets its name */
	TRY(write_heads(output));
	output->fd = -1;
	status = !new->forced || fdatasync(fd) == 0 ? GS_OK
	         : gs_fail_errno(GS_EIO, "write failed: %s", output->given->output);
	if (close(fd) != 0 && status == GS_OK)
		status = gs_fail_errno(GS_EIO, "close failed: %s", output->given->output);
	TRY(gs_ranks_agree(output->ranks, status));
	if (output->ranks->rank > 0)
		gs_replace_forget(new);		/* rank 0 renames it */
	else if (output->kind == GS_OUTPUT_NEW && gs_replace_finish(&new, 1, &failed) != 0)
		status = gs_fail_errno(GS_EIO, "rename failed: %s", output->given->output);
	return gs_ranks_agree(output->ranks, status);
}
