// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranked_output.c - the output of several ranks: one file, or a file a rank
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
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "figures/answer.h"
#include "io/output.h"
#include "key/key.h"
#include "options/options.h"
#include "output/select.h"
#include "ranks/ranked.h"

/* ---- opening ----------------------------------------------------------------------- */

/* Is a selection's number of bytes known only when it has been made? */
static bool
needs_spool(const struct gsort_options *o, bool one_file)
{
	const bool groups = gs_select_wants_groups(o);
	const bool wide_text = o->converts && gs_key_is_wide(o->type);
	const bool ends = o->head || o->tail.wanted, differ = !gs_options_write_binary(o);

	return (groups && ends) || (one_file && (groups || wide_text || (differ && ends)));
}

/* Ranks write at several places of the file.  A terminal, as the standard output of a rank of MPI may
 * be, takes their bytes in any order. */
static bool
takes_parts(const struct stat *st)
{
	struct stat null;

	return S_ISREG(st->st_mode) || (S_ISCHR(st->st_mode) && stat("/dev/null", &null) == 0 &&
	                                st->st_rdev == null.st_rdev);
}

/* Rank 0 decides how the file is written. */
static gs_status
aim(struct gs_ranked_output *output, const char *name, bool in_place)
{
	struct stat st;

	if (stat(name, &st) == 0 && !takes_parts(&st))
		return gs_fail(GS_EUSAGE, "%s: not with several ranks: it is not a regular file, and they "
		               "write at several places of it", name);
	output->replace.inputs = output->given->inputs;
	output->replace.input_count = output->given->input_count;
	return gs_replace_aim(&output->replace, name, in_place, &output->fd, &output->kind);
}

/* The others open what rank 0 has made. */
static gs_status
follow(struct gs_ranked_output *output, const char *name)
{
	output->fd = gs_open(name, O_WRONLY, 0);
	if (output->fd < 0)
		return gs_fail_errno(GS_EIO, "cannot open %s, which rank 0 has made: is its folder the "
		                     "same on all hosts?", name);
	if (output->kind == GS_OUTPUT_NEW)
		gs_replace_adopt(&output->replace, name);
	return GS_OK;
}

static gs_status
open_shared(struct gs_ranked_output *output)
{
	const char *name = output->given->output;
	const bool first = output->ranks->rank == 0;
	struct {
		char name[PATH_MAX];
		enum gs_output_kind kind;
		bool forced;
	} made = { .name = "" };
	gs_status status = first ? aim(output, name, output->given->in_place) : GS_OK;

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
	if (!first)
		status = follow(output, made.name);
	return gs_ranks_agree(output->ranks, status);
}

gs_status
gs_ranked_output_open(struct gs_ranked_output *output, const struct gsort_options *given,
                      struct gs_ranks *ranks)
{
	gs_status status = GS_OK;

	*output = (struct gs_ranked_output){
		.given = given, .ranks = ranks, .fd = -1, .replace.shared = true,
		.one_file = strstr(given->output, "%r") == NULL,
	};
	output->spools = needs_spool(given, output->one_file);
	if (output->one_file)
		return open_shared(output);
	status = gs_outputs_check_pattern(given->output);
	if (status == GS_OK &&
	    (output->own_name = gs_outputs_name(given->output, ranks->rank, ranks->size)) == NULL)
		status = gs_fail(GS_EIO, "open failed: the name of output %u is too long", ranks->rank);
	if (status == GS_OK && ranks->rank == 0)
		status = gs_outputs_check_files(given->output, ranks->size);
	return gs_ranks_agree(ranks, status);
}

void
gs_ranked_output_close(struct gs_ranked_output *output)
{
	if (output->fd > STDERR_FILENO)
		close(output->fd);
	gs_replace_drop(&output->replace);
	free(output->place.head);
	if (output->spool.dir != NULL)
		gs_spill_file_close(&output->spool);
	free(output->own_name);
	*output = (struct gs_ranked_output){ .ranks = output->ranks };
}

/* ---- writing ------------------------------------------------------------------------- */

static int
write_spool(void *context, const void *data, size_t bytes)
{
	struct gs_ranked_output *output = context;

	if (gs_spill_file_write(&output->spool, data, bytes) != GS_OK)
		return -1;
	output->spooled += bytes;
	return 0;
}

void
gs_ranked_output_set(struct gs_ranked_output *output, struct gsort_options *options)
{
	if (output->own_name != NULL)
		options->output = output->own_name;
	if (output->spools) {
		options->write = write_spool;
		options->write_context = output;
	} else if (output->one_file) {
		options->write = gs_place_write;
		options->write_context = &output->place;
	}
}

bool
gs_ranked_output_places(const struct gs_ranked_output *output)
{
	return output->one_file && !output->spools;
}

/* Find the place of this rank's BYTES. */
static gs_status
open_place(struct gs_ranked_output *output, uint64_t bytes)
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
gs_ranked_output_begin(struct gs_ranked_output *output, uint64_t bytes)
{
	const struct gsort_options *given = output->given;
	uint64_t before, all;

	if (gs_ranked_output_places(output))
		return open_place(output, bytes);
	/* An input may be this file: nobody still reads. */
	TRY(gs_ranks_scan(output->ranks, 0, &before, &all));
	return !output->spools ? GS_OK
	       : gs_spill_file_make(&output->spool, given->temp_dirs, given->temp_dir_count, 0);
}

/* ---- heads of parts, which another rank writes ------------------------------------------ */

struct part {
	uint64_t begin, end;
};

/* The rank that writes the MiB with byte AT: whose part has its first byte. */
static unsigned
writer_of(const struct part *parts, unsigned ranks, uint64_t at)
{
	const uint64_t first = at - at % GS_PLACE_BYTES;

	for (unsigned r = 0; r < ranks; r++)
		if (parts[r].begin <= first && first < parts[r].end)
			return r;
	return ranks;		/* a hole: there is none */
}

static size_t
head_of(const struct part *part)
{
	const uint64_t left = (GS_PLACE_BYTES - part->begin % GS_PLACE_BYTES) % GS_PLACE_BYTES;

	return part->end - part->begin < left ? (size_t)(part->end - part->begin) : (size_t)left;
}

/* In a window of one slot to send and a few to receive: send this rank's head, and write those of
 * others until all have come. */
static gs_status
exchange_heads(struct gs_ranked_output *output, const struct part *parts)
{
	enum { TAKES = 3, SLOT = GS_PLACE_BYTES + sizeof(uint64_t) };
	struct gs_ranks *ranks = output->ranks;
	struct gs_window window = { .block_bytes = SLOT, .gives = 1, .takes = TAKES };
	const size_t head = output->place.head_bytes;
	unsigned due = 0, given, taken, slot, idle = 0, sends = head > 0;
	struct gs_arrival arrivals[TAKES];

	for (unsigned r = 0; r < ranks->size; r++)
		due += head_of(&parts[r]) > 0 && writer_of(parts, ranks->size, parts[r].begin) ==
		       ranks->rank;
	TRY(gs_ranks_open(ranks, &window));
	if (head > 0) {
		memcpy(window.memory, &output->place.begin, sizeof(uint64_t));
		memcpy(window.memory + sizeof(uint64_t), output->place.head, head);
		TRY(gs_ranks_give(ranks, 0, writer_of(parts, ranks->size, output->place.begin),
		                  sizeof(uint64_t) + head));
	}
	while (sends > 0 || due > 0) {
		TRY(gs_ranks_poll(ranks, &slot, &given, arrivals, &taken));
		sends -= given;
		for (unsigned t = 0; t < taken; t++) {
			const char *block = arrivals[t].data;
			uint64_t at;

			memcpy(&at, block, sizeof at);
			if (gs_place_write_at(&output->place, block + sizeof at,
			                      arrivals[t].bytes - sizeof at, at) != 0)
				return gs_fail_errno(GS_EIO, "write failed: %s", output->given->output);
			TRY(ranks->calls->retake(ranks, arrivals[t].slot));
			due--;
		}
		if (given + taken == 0)
			gs_ranks_rest(&idle);
		else
			idle = 0;
	}
	ranks->calls->close(ranks);
	return GS_OK;
}

static gs_status
write_heads(struct gs_ranked_output *output)
{
	const struct part mine = { output->place.begin, output->place.end };
	struct part *parts;
	gs_status status = gs_ranks_gather_new(output->ranks, &mine, sizeof mine, &parts);

	if (status == GS_OK && output->place.seeks)
		status = exchange_heads(output, parts);
	free(parts);
	return status;
}

/* ---- from the temporary file --------------------------------------------------------------- */

enum { COPY_BYTES = 1 << 18 };

/* Which of the selected keys of a rank, and which bytes of its temporary file, are written. */
struct spooled {
	uint64_t from, to;	/* keys */
	uint64_t begin, end;	/* their bytes */
};

/* The bytes of the header and the first KEYS, which are lines if KEY_BYTES is 0. */
static gs_status
measure(const struct gs_ranked_output *output, uint64_t keys, size_t key_bytes,
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

/* Of the selected KEYS of this rank the head or tail of all may want fewer. */
static gs_status
clip(struct gs_ranked_output *output, uint64_t keys, size_t key_bytes,
     const struct gs_line_order *lines, char *buffer, struct spooled *part)
{
	const struct gsort_options *given = output->given;
	uint64_t before, all, most;

	*part = (struct spooled){
		.to = keys, .begin = output->header_bytes, .end = output->spooled,
	};
	TRY(gs_ranks_scan(output->ranks, keys, &before, &all));
	most = before < given->head_count ? given->head_count - before : 0;
	if (given->head && most < keys)
		part->to = most;
	most = all - before - keys < given->tail.count ? given->tail.count - (all - before - keys) : 0;
	if (given->tail.wanted && most < keys)
		part->from = keys - most;
	if (part->from > 0)
		TRY(measure(output, part->from, key_bytes, lines, buffer, &part->begin));
	return part->to == keys ? GS_OK
	       : measure(output, part->to, key_bytes, lines, buffer, &part->end);
}

/* Copy the bytes FROM .. TO to where they belong: to OWN, or else to the place. */
static gs_status
copy_spool(struct gs_ranked_output *output, uint64_t from, uint64_t to, struct gs_output *own,
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

static gs_status
finish_spool(struct gs_ranked_output *output, uint64_t *keys, size_t key_bytes,
             const struct gs_line_order *lines, struct gs_output *own, uint64_t *bytes)
{
	struct spooled part = { .from = 0 };
	char *buffer;
	gs_status status = gs_allocate(&buffer, COPY_BYTES, 1, "bytes");

	THEN(status, clip(output, *keys, key_bytes, lines, buffer, &part));
	*keys = part.to - part.from;
	*bytes = output->header_bytes + part.end - part.begin;
	if (status == GS_OK && own == NULL)
		status = open_place(output, *bytes);
	THEN(status, copy_spool(output, 0, output->header_bytes, own, buffer));
	THEN(status, copy_spool(output, part.begin, part.end, own, buffer));
	free(buffer);
	return status;
}

/* ---- the end ------------------------------------------------------------------------------- */

/* All parts are there: the file gets its name. */
static gs_status
finish_shared(struct gs_ranked_output *output)
{
	const char *name = output->given->output;
	const int fd = output->fd;
	gs_status status;

	TRY(write_heads(output));
	output->fd = -1;
	status = !output->replace.forced || fdatasync(fd) == 0 ? GS_OK
	         : gs_fail_errno(GS_EIO, "write failed: %s", name);
	if (close(fd) != 0 && status == GS_OK)
		status = gs_fail_errno(GS_EIO, "close failed: %s", name);
	TRY(gs_ranks_agree(output->ranks, status));
	if (output->ranks->rank > 0)
		gs_replace_forget(&output->replace);	/* rank 0 renames it */
	else if (output->kind == GS_OUTPUT_NEW && gs_replace_finish(&output->replace) != 0)
		status = gs_fail_errno(GS_EIO, "rename failed: %s", name);
	return gs_ranks_agree(output->ranks, status);
}

/* Each rank has a file of its own: all are complete before the first gets its name, and if one does not
 * get it, the others lose theirs. */
static gs_status
finish_own(struct gs_ranked_output *output, struct gs_output *own)
{
	uint64_t forced = gs_output_replaces_input(own);
	gs_status finished, status, settled = GS_OK;

	TRY(gs_ranks_sum(output->ranks, &forced, 1));
	TRY(gs_ranks_agree(output->ranks, gs_output_prepare(own, forced > 0)));
	finished = gs_output_finish(own);
	status = gs_ranks_agree(output->ranks, finished);
	if (finished == GS_OK)
		settled = gs_output_settle(own, status == GS_OK);
	return settled != GS_OK ? settled : status;
}

/* The same for bytes that are still in the temporary file. */
static gs_status
finish_own_spool(struct gs_ranked_output *output, uint64_t *keys, size_t key_bytes,
                 const struct gs_line_order *lines, uint64_t *bytes)
{
	const struct gs_output_options options = {
		.name = output->own_name, .in_place = output->given->in_place,
		.inputs = output->given->inputs, .input_count = output->given->input_count,
	};
	struct gs_output *own;
	gs_status status = gs_output_open(&own, &options);

	TRY(gs_ranks_agree(output->ranks, status));
	status = finish_spool(output, keys, key_bytes, lines, own, bytes);
	THEN(status, finish_own(output, own));
	gs_output_close(own);
	return status;
}

gs_status
gs_ranked_output_finish(struct gs_ranked_output *output, uint64_t *keys, size_t key_bytes,
                        const struct gs_line_order *lines, const struct gs_outputs *own, uint64_t *bytes)
{
	if (output->own_name != NULL)
		return output->spools ? finish_own_spool(output, keys, key_bytes, lines, bytes)
		                      : finish_own(output, own->files[0]);
	if (!output->one_file)
		return gs_ranks_agree(output->ranks, gs_output_finish_all(own->files, own->count));
	if (output->spools)
		TRY(finish_spool(output, keys, key_bytes, lines, NULL, bytes));
	return finish_shared(output);
}
