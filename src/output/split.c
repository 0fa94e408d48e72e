// SPDX-License-Identifier: BSD-2-Clause
/*
 * split.c - which of several output files a sorted key belongs to
 *
 * In:   numbers of keys.
 * Out:  files, and places in them.
 *
 * Invariant: a key of a higher number is never in a file of a lower number.
 */
#include <assert.h>
#include <stdlib.h>

#include "output/emit.h"

gs_status
gs_split_open(struct gs_split *split, const struct gs_outputs *outputs)
{
	const size_t files = outputs->count;

	*split = (struct gs_split){ .outputs = outputs };
	if (files == 1)
		return GS_OK;
	TRY(GS_NEW(split->strand_at, files, "outputs"));
	return GS_NEW(split->digests, files, "outputs");
}

/* ---- numbers ------------------------------------------------------------------ */

/* The number of the first key of FILE. */
static uint64_t
start_of(const struct gs_split *split, size_t file)
{
	const uint64_t files = split->outputs->count;

	return split->keys / files * file + split->keys % files * file / files;
}

/* The file of key number AT. */
static size_t
file_of(const struct gs_split *split, uint64_t at)
{
	size_t low = 0, high = split->outputs->count - 1;

	while (low < high) {
		const size_t middle = (low + high + 1) / 2;

		if (start_of(split, middle) <= at)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* How many of COUNT keys from number AT on are in FILE. */
static uint64_t
keys_in(const struct gs_split *split, size_t file, uint64_t at, uint64_t count)
{
	const uint64_t left = file + 1 < split->outputs->count ? start_of(split, file + 1) - at
	                                                       : UINT64_MAX;

	return count < left ? count : left;
}

/* ---- in order ------------------------------------------------------------------- */

uint64_t
gs_split_together(const struct gs_split *split, uint64_t count)
{
	return keys_in(split, file_of(split, split->position), split->position, count);
}

gs_status
gs_split_output(struct gs_split *split, struct gs_output **output)
{
	const size_t file = file_of(split, split->position);

	for (; split->complete < file; split->complete++)
		TRY(gs_output_complete(split->outputs->files[split->complete]));
	*output = split->outputs->files[file];
	return GS_OK;
}

/* ---- by strands --------------------------------------------------------------------- */

/* Preallocate what binary files FROM .. TO will have. */
static void
expect_bytes(const struct gs_split *split, size_t from, size_t to)
{
	for (size_t file = from; split->record_bytes > 0 && file < to; file++) {
		const uint64_t keys = keys_in(split, file, start_of(split, file), split->keys);

		gs_output_expect(split->outputs->files[file],
		                 (file == 0 ? split->header_bytes : 0) + keys * split->record_bytes);
	}
}

static bool
all_are_new(const struct gs_split *split)
{
	for (size_t file = 0; file < split->outputs->count; file++)
		if (gs_output_target(split->outputs->files[file]) == NULL)
			return false;
	return true;
}

bool
gs_split_begin_strands(struct gs_split *split, uint64_t count, size_t record_bytes)
{
	const size_t last = file_of(split, split->position + count - 1);

	assert(split->strands == 0 && count > 0);
	if (!all_are_new(split))
		return false;
	split->first = file_of(split, split->position);
	split->record_bytes = record_bytes;
	split->written = 0;
	for (size_t file = split->first; file <= last; file++) {
		const uint64_t start = start_of(split, file);

		split->strand_at[split->strands] = start > split->position ? start - split->position : 0;
		split->digests[split->strands++] = (struct gs_span_digest){ .keys = 0 };
	}
	expect_bytes(split, split->first, split->first + split->strands);
	return true;
}

bool
gs_split_begin_places(struct gs_split *split, size_t record_bytes)
{
	if (!all_are_new(split))
		return false;
	split->record_bytes = record_bytes;
	expect_bytes(split, 0, split->outputs->count);
	return true;
}

gs_status
gs_split_put_at(const struct gs_split *split, uint64_t at, const char *data, size_t bytes)
{
	for (uint64_t left = bytes / split->record_bytes, keys; left > 0; left -= keys, at += keys) {
		const size_t file = file_of(split, at);
		const uint64_t place = (at - start_of(split, file)) * split->record_bytes;

		keys = keys_in(split, file, at, left);
		TRY(gs_output_write_at(split->outputs->files[file], data, keys * split->record_bytes,
		                       (file == 0 ? split->header_bytes : 0) + place));
		data += keys * split->record_bytes;
	}
	return GS_OK;
}

gs_status
gs_split_put(struct gs_split *split, const struct gs_sorted_span *sorted, const char *data, size_t bytes)
{
	if (split->record_bytes > 0)
		TRY(gs_split_put_at(split, split->position + sorted->at, data, bytes));
	else
		TRY(gs_output_write(split->outputs->files[split->first + sorted->strand], data, bytes));
	atomic_fetch_add(&split->written, bytes);
	return GS_OK;
}

uint64_t
gs_split_end_strands(struct gs_split *split, uint64_t count, struct gs_verify *verify)
{
	for (size_t strand = 0; strand < split->strands; strand++)
		gs_verify_join(verify, &verify->out, &split->digests[strand]);
	split->strands = 0;
	split->position += count;
	return split->written;
}

void
gs_split_close(struct gs_split *split)
{
	free(split->strand_at);
	free(split->digests);
}
