// SPDX-License-Identifier: BSD-2-Clause
/*
 * spill.c - runs on disk, in temporary files without names
 *
 * In:   sorted keys, run by run.
 * Out:  the keys of any run, front to back, once; and their space is given back.
 *
 * A directory has one file, in which its runs lie one behind the other, so any number
 * of runs needs a descriptor a directory.
 *
 * A run's sum goes over its keys, each times an odd number of its place.  One changed
 * key always changes it, and keys that changed places do; it costs one multiplication
 * a key.
 *
 * Invariant: the extents of a file are disjoint, and begin on whole blocks.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sort/spill.h"
#include "sort/spill_file.h"

enum {
	BLOCK_BYTES = 4096,
	FORGET_BYTES = 4 << 20,	/* given back at a time: 100 us a hole.  Not tuned. */
};

/* Where on disk a run is, and how far it was read. */
struct gs_extent {
	struct gs_extent     *next;	/* of all there are, for closing */
	struct gs_spill_file *file;
	uint64_t  at, end;		/* not read yet */
	uint64_t  kept;			/* what is before it was given back */
	unsigned  bits;
	uint64_t  left_keys;
	uint64_t  written_sum, read_sum;
	uint64_t  place;		/* factor of the next key's sum: see add_up() */
};

struct gs_spill {
	struct gs_spill_options options;
	struct gs_spill_file   *files;	/* of each directory */
	const char            **dirs;	/* owned, their names are not */
	size_t                  dir_count;
	size_t                  turn;	/* directory of the next run */
	struct gs_extent       *extents;
	struct gs_extent       *written;	/* the run that is being written, or NULL */
	size_t                  staged_bytes;	/* of keys too few to write at once */
	uint64_t                total_bytes;	/* written */
	uint64_t                key_bytes;	/* of keys spilled, and ... */
	uint64_t                expected_bytes;	/* ... of those that will be */
};

/* --- what was written is what is read ------------------------------------------- */

/* As said above; PLACE is kept between calls, and begins at 1. */
static uint64_t
add_up(const void *keys, size_t count, unsigned bits, uint64_t *place)
{
	const uint64_t step = 2 * UINT64_C(0x9e3779b97f4a7c15);	/* even: all factors are odd */
	uint64_t sum = 0, factor = *place;

	if (bits == 32)
		for (size_t i = 0; i < count; i++, factor += step)
			sum += ((const uint32_t *)keys)[i] * factor;
	else
		for (size_t i = 0; i < count; i++, factor += step)
			sum += ((const uint64_t *)keys)[i] * factor;
	*place = factor;
	return sum;
}

/* --- open, close ------------------------------------------------------------------ */

static gs_status
check_dirs(struct gs_spill *spill)
{
	const struct gs_spill_options *options = &spill->options;
	const char *usual = getenv("TMPDIR");

	spill->dir_count = options->dir_count > 0 ? options->dir_count : 1;
	spill->dirs = calloc(spill->dir_count, sizeof *spill->dirs);
	spill->files = calloc(spill->dir_count, sizeof *spill->files);
	if (spill->dirs == NULL || spill->files == NULL)
		return gs_fail(GS_EBUDGET, "no memory for %zu temporary directories", spill->dir_count);
	spill->dirs[0] = usual != NULL && usual[0] != '\0' ? usual : "/tmp";
	for (size_t d = 0; d < spill->dir_count; d++) {
		spill->files[d].fd = -1;
		if (options->dir_count > 0)
			spill->dirs[d] = options->dirs[d];
	}
	for (size_t d = 0; d < spill->dir_count; d++)
		TRY(gs_spill_dir_check(spill->dirs[d]));
	return GS_OK;
}

gs_status
gs_spill_open(struct gs_spill **opened, const struct gs_spill_options *options)
{
	struct gs_spill *spill = calloc(1, sizeof *spill);
	gs_status status;

	*opened = NULL;
	if (spill == NULL)
		return gs_fail(GS_EBUDGET, "no memory for temporary files");
	spill->options = *options;
	status = check_dirs(spill);
	if (status != GS_OK)
		gs_spill_close(spill);
	else
		*opened = spill;
	return status;
}

void
gs_spill_close(struct gs_spill *spill)
{
	if (spill == NULL)
		return;
	for (size_t d = 0; d < spill->dir_count && spill->files != NULL; d++)
		gs_spill_file_close(&spill->files[d]);
	while (spill->extents != NULL) {
		struct gs_extent *extent = spill->extents;

		spill->extents = extent->next;
		free(extent);
	}
	free(spill->files);
	free(spill->dirs);
	free(spill);
}

void
gs_spill_expect(struct gs_spill *spill, uint64_t bytes)
{
	spill->expected_bytes = bytes;
}

size_t
gs_spill_most_runs(const struct gs_spill *spill)
{
	(void)spill;
	return SIZE_MAX;
}

uint64_t
gs_spill_bytes(const struct gs_spill *spill)
{
	return spill->total_bytes;
}

/* --- write ------------------------------------------------------------------------ */

static void
note_memory(const struct gs_spill *spill, const char *dir)
{
	char line[1024];

	if (spill->options.note == NULL || !gs_spill_dir_is_memory(dir))
		return;
	snprintf(line, sizeof line, "temporary files in %s are kept in memory; name a directory on "
	         "a disk with -T", dir);
	spill->options.note(spill->options.note_context, line);
}

gs_status
gs_spill_begin(struct gs_spill *spill, unsigned bits)
{
	struct gs_spill_file *file = &spill->files[spill->turn];
	struct gs_extent *extent = calloc(1, sizeof *extent);

	assert(spill->written == NULL && (bits == 32 || bits == 64));
	if (extent == NULL)
		return gs_fail(GS_EBUDGET, "no memory for another run");
	extent->next = spill->extents;
	spill->extents = spill->written = extent;
	if (file->fd < 0) {
		TRY(gs_spill_file_make(file, spill->dirs[spill->turn]));
		note_memory(spill, file->dir);
	}
	spill->turn = (spill->turn + 1) % spill->dir_count;
	file->end = (file->end + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
	extent->file = file;
	extent->bits = bits;
	extent->place = 1;
	extent->at = extent->kept = extent->end = file->end;
	return GS_OK;
}

static gs_status
append(struct gs_spill *spill, const void *from, size_t bytes)
{
	struct gs_extent *extent = spill->written;
	struct gs_spill_file *file = extent->file;

	file->needed_bytes = spill->expected_bytes > spill->key_bytes
	                     ? spill->expected_bytes - spill->key_bytes : 0;
	TRY(gs_spill_file_write(file, from, bytes));
	extent->end += bytes;
	spill->total_bytes += bytes;
	spill->key_bytes += bytes;
	return GS_OK;
}

static gs_status
append_staged(struct gs_spill *spill)
{
	const size_t bytes = spill->staged_bytes;

	spill->staged_bytes = 0;
	return bytes > 0 ? append(spill, spill->options.buffer, bytes) : GS_OK;
}

gs_status
gs_spill_write(struct gs_spill *spill, const void *keys, size_t count)
{
	struct gs_extent *extent = spill->written;
	const size_t bytes = count * (extent->bits / 8);

	extent->written_sum += add_up(keys, count, extent->bits, &extent->place);
	extent->left_keys += count;
	if (spill->staged_bytes + bytes > spill->options.buffer_bytes ||
	    bytes > spill->options.buffer_bytes / 2)
		TRY(append_staged(spill));
	if (bytes > spill->options.buffer_bytes / 2)
		return append(spill, keys, bytes);
	memcpy((char *)spill->options.buffer + spill->staged_bytes, keys, bytes);
	spill->staged_bytes += bytes;
	return GS_OK;
}

gs_status
gs_spill_end(struct gs_spill *spill, struct gs_run *run)
{
	struct gs_extent *extent = spill->written;

	TRY(append_staged(spill));
	spill->written = NULL;
	extent->place = 1;
	*run = (struct gs_run){ .count = (size_t)extent->left_keys, .extent = extent };
	return GS_OK;
}

/* --- read ------------------------------------------------------------------------- */

/* The space of what was read, piece by piece; all of it at the end. */
static void
forget(struct gs_extent *extent)
{
	const uint64_t whole = extent->at == extent->end
	                       ? (extent->end + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES
	                       : extent->at / BLOCK_BYTES * BLOCK_BYTES;

	if (whole - extent->kept < FORGET_BYTES && extent->at < extent->end)
		return;
	gs_spill_file_forget(extent->file, extent->kept, whole);
	extent->kept = whole;
}

gs_status
gs_spill_read(struct gs_spill *spill, struct gs_run *run, void *into, size_t room, size_t *count)
{
	struct gs_extent *extent = run->extent;
	const size_t keys = room < extent->left_keys ? room : (size_t)extent->left_keys;
	const size_t bytes = keys * (extent->bits / 8);

	(void)spill;
	*count = 0;
	TRY(gs_spill_file_read(extent->file, extent->at, into, bytes));
	extent->read_sum += add_up(into, keys, extent->bits, &extent->place);
	extent->at += bytes;
	extent->left_keys -= keys;
	if (extent->left_keys == 0 && extent->read_sum != extent->written_sum)
		return gs_spill_file_garbled(extent->file->dir);
	forget(extent);
	*count = keys;
	return GS_OK;
}
