// SPDX-License-Identifier: BSD-2-Clause
/* spill.c - rows for src/sort/spill.c: runs that come back as they went */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sort/spill.h"
#include "tests/unit/units.h"

void unit_spill(void);

enum { MOST_RUNS = 64, DIRS = 3 };

static char folder[64];
static char dirs[DIRS][96];
static const char *dir_names[DIRS] = { dirs[0], dirs[1], dirs[2] };

static const struct row {
	const char *name;
	const char *program;
	size_t      dirs, runs, keys;	/* run r has keys / (r + 1) of them */
	size_t      piece;		/* keys written at once */
	size_t      room;		/* keys read at once, from all runs in turn */
	unsigned    threads;
	size_t      buffer_bytes;
} rows[] = {
	{ "one run", NULL, 1, 1, 100000, 100000, 100000, 1, 1 << 16 },
	{ "a run without keys", NULL, 1, 1, 0, 1, 10, 1, 1 << 16 },
	{ "two runs, in small pieces", NULL, 1, 2, 50000, 7, 1001, 1, 1 << 16 },
	{ "more runs than directories", NULL, 3, 20, 50000, 5000, 3000, 1, 1 << 12 },
	{ "large pieces, and holes behind them", NULL, 2, 4, 4000000, 1000000, 700001, 2, 1 << 20 },
};

static uint64_t
key_of(size_t run, size_t at)
{
	return (uint64_t)at << 20 | run << 8 | (at * 7 & 255);
}

static size_t
keys_of(const struct row *row, size_t run)
{
	return row->keys / (run + 1);
}

static gs_status
write_run(struct gs_spill *spill, const struct row *row, unsigned bits, size_t run,
          struct gs_run *written)
{
	const size_t count = keys_of(row, run);
	char *keys = malloc(row->piece * (bits / 8) + 1);
	gs_status status = gs_spill_begin(spill, bits);

	for (size_t at = 0; at < count && status == GS_OK; at += row->piece) {
		const size_t piece = count - at < row->piece ? count - at : row->piece;

		for (size_t i = 0; i < piece; i++)
			if (bits == 32)
				((uint32_t *)(void *)keys)[i] = (uint32_t)key_of(run, at + i);
			else
				((uint64_t *)(void *)keys)[i] = key_of(run, at + i);
		status = gs_spill_write(spill, keys, piece);
		memset(keys, 0x55, piece * (bits / 8));		/* we may */
	}
	if (status == GS_OK)
		status = gs_spill_end(spill, written);
	free(keys);
	return status;
}

/* Read from all runs in turn.  Keys that came as they went, or SIZE_MAX. */
static size_t
read_runs(struct gs_spill *spill, const struct row *row, unsigned bits, struct gs_run *runs,
          gs_status *status)
{
	char *keys = malloc(row->room * (bits / 8) + 1);
	size_t at[MOST_RUNS] = { 0 }, ended = 0, total = 0, count;
	bool good = true;

	*status = GS_OK;
	for (size_t r = 0; ended < row->runs && good && *status == GS_OK; r = (r + 1) % row->runs) {
		ended = r == 0 ? 0 : ended;
		*status = gs_spill_read(spill, &runs[r], keys, row->room, &count);
		for (size_t i = 0; i < count && *status == GS_OK; i++) {
			const uint64_t key = key_of(r, at[r] + i);

			good &= bits == 32 ? ((uint32_t *)(void *)keys)[i] == (uint32_t)key
			                   : ((uint64_t *)(void *)keys)[i] == key;
		}
		at[r] += count;
		total += count;
		good &= count == row->room || at[r] == keys_of(row, r);
		ended += count == 0;
	}
	free(keys);
	return good ? total : SIZE_MAX;
}

static struct gs_spill_options
options_of(const struct row *row, void *buffer)
{
	return (struct gs_spill_options){
		.dirs = dir_names, .dir_count = row->dirs, .compress_program = row->program,
		.threads = row->threads, .buffer = buffer, .buffer_bytes = row->buffer_bytes,
	};
}

static void
check_row(const struct row *row, unsigned bits)
{
	char *buffer = malloc(row->buffer_bytes);
	const struct gs_spill_options options = options_of(row, buffer);
	struct gs_run runs[MOST_RUNS];
	struct gs_spill *spill;
	size_t total = 0, came = SIZE_MAX;
	gs_status status = gs_spill_open(&spill, &options);

	for (size_t r = 0; r < row->runs && status == GS_OK; r++) {
		status = write_run(spill, row, bits, r, &runs[r]);
		total += keys_of(row, r);
	}
	if (status == GS_OK)
		came = read_runs(spill, row, bits, runs, &status);
	CHECK(status == GS_OK && came == total, "%s, %u bits: %zu of %zu keys, '%s'", row->name, bits,
	      came, total, status == GS_OK ? "" : gs_message());
	gs_spill_close(spill);
	free(buffer);
}

void
unit_spill(void)
{
	strcpy(folder, "/tmp/gsort-unit-XXXXXX");
	CHECK(mkdtemp(folder) != NULL, "a folder for the test");
	for (size_t d = 0; d < DIRS; d++) {
		snprintf(dirs[d], sizeof dirs[d], "%s/%zu", folder, d);
		mkdir(dirs[d], 0700);
	}
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		check_row(&rows[r], 32);
		check_row(&rows[r], 64);
	}
	for (size_t d = 0; d < DIRS; d++)
		CHECK(rmdir(dirs[d]) == 0, "nothing is left in directory %zu", d);
	rmdir(folder);
}
