// SPDX-License-Identifier: BSD-2-Clause
/*
 * split.c - which of several output files a sorted key belongs to
 *
 * In:   numbers of keys.
 * Out:  files, and places in them.
 *
 * Invariant: a key with a higher number is never in a file with a lower number.
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

/* ---- at places --------------------------------------------------------------------- */

bool
gs_split_begin_places(struct gs_split *split, size_t record_bytes, size_t from, size_t to)
{
	for (size_t file = 0; file < split->outputs->count; file++)
		if (gs_output_target(split->outputs->files[file]) == NULL)
			return false;
	split->record_bytes = record_bytes;
	for (size_t file = from; record_bytes > 0 && file < to; file++) {	/* preallocate */
		const uint64_t keys = keys_in(split, file, start_of(split, file), split->keys);

		gs_output_expect(split->outputs->files[file],
		                 (file == 0 ? split->header_bytes : 0) + keys * record_bytes);
	}
	return true;
}

bool
gs_split_begin_strands(struct gs_split *split, uint64_t count, size_t record_bytes)
{
	const size_t first = file_of(split, split->position);
	const size_t end = file_of(split, split->position + count - 1) + 1;

	assert(split->strands == 0 && count > 0);
	if (!gs_split_begin_places(split, record_bytes, first, end))
		return false;
	split->first = first;
	split->strand_keys = count;
	split->written = 0;
	for (size_t file = first; file < end; file++) {
		const uint64_t start = start_of(split, file);

		split->strand_at[split->strands] = start > split->position ? start - split->position : 0;
		split->digests[split->strands++] = (struct gs_span_digest){ .keys = 0 };
	}
	return true;
}

gs_status
gs_split_put_at(const struct gs_split *split, uint64_t at, const char *data, size_t bytes)
{
	for (uint64_t left = bytes / split->record_bytes, keys; left > 0; left -= keys, at += keys) {
		const size_t file = file_of(split, at);

		keys = keys_in(split, file, at, left);
		TRY(gs_output_write_at(split->outputs->files[file], data, keys * split->record_bytes,
		                       (file == 0 ? split->header_bytes : 0) +
		                       (at - start_of(split, file)) * split->record_bytes));
		data += keys * split->record_bytes;
	}
	return GS_OK;
}

void
gs_split_close(struct gs_split *split)
{
	free(split->strand_at);
	free(split->digests);
}
