// SPDX-License-Identifier: BSD-2-Clause
/*
 * spill.h - runs on disk, in temporary files without names
 *
 * A file has no name from the moment it exists (O_TMPFILE, else unlinked at once
 * with signals blocked), so nothing is left behind whatever ends the process.
 * Directories are used in rotation.  What has been read is given back to the file
 * system as soon as it is (holes are punched, or the file is closed).
 *
 * Keys may be compressed: block by block in this process (zstd, lz4), or by a
 * program, PROG to compress and PROG -d to decompress, one process a run, as
 * sort(1) does it.  zstd takes 0.7 MiB for each MiB of the buffer besides, 0.7 at least
 * and as many times as there are threads at most.  A program that cannot be run is done
 * without, with a warning.
 *
 * One run is written at a time.  Any number may be read meanwhile, in turn, but all by
 * one thread; it may be another than the one that writes.  The spill owns files,
 * extents and child processes.
 */
#ifndef GS_SPILL_H
#define GS_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/run.h"

struct gs_spill;

struct gs_spill_options {
	const char *const *dirs;	/* in rotation; borrowed */
	size_t             dir_count;	/* 0: $TMPDIR, else /tmp */
	const char        *compress_program;	/* NULL: none; "zstd", "lz4": in process */
	unsigned           threads;	/* that may compress */
	size_t             buffer_bytes;	/* of memory for all this; 64 KiB at least if compressed */
	void              *buffer;	/* these; borrowed */
	void             (*note)(void *context, const char *line);	/* or NULL */
	void              *note_context;
	void             (*warn)(void *context, const char *line);	/* or NULL */
	void              *warn_context;
};

/** Does COMPRESS_PROGRAM, or NULL, mean a process for each run that is being read? */
bool gs_spill_starts_programs(const char *compress_program);

/**
 * Check that every directory can be written to; leaves none.
 *
 * @return  GS_OK; GS_EIO naming the directory
 */
MUST_CHECK gs_status
gs_spill_open(struct gs_spill **spill, const struct gs_spill_options *options);

/** The next gs_spill_write() begins a run of keys of BITS. */
MUST_CHECK gs_status gs_spill_begin(struct gs_spill *spill, unsigned bits);

/**
 * Append COUNT sorted keys to the run.  They may be changed when it returns.
 *
 * @return  GS_OK; GS_EIO: on a full disk it names the directory, the bytes that
 *          are still needed as far as known (gs_spill_expect()), and -T
 */
MUST_CHECK gs_status gs_spill_write(struct gs_spill *spill, const void *keys, size_t count);

/** The run is complete: *RUN tells where it is.  A run without keys is allowed. */
MUST_CHECK gs_status gs_spill_end(struct gs_spill *spill, struct gs_run *run);

/** So many bytes of keys will be spilled in all, for the message of a full disk; 0: unknown. */
void gs_spill_expect(struct gs_spill *spill, uint64_t bytes);

/**
 * Read the next keys of a run, front to back, once.
 *
 * @count   set to how many: as many as ROOM unless the run ends; 0: the end
 * @return  GS_OK; GS_EIO; GS_EINPUT: what comes back is not what was written
 */
MUST_CHECK gs_status
gs_spill_read(struct gs_spill *spill, struct gs_run *run, void *into, size_t room, size_t *count);

/** Most runs that may exist unread at once (descriptors, processes); SIZE_MAX: any number. */
size_t gs_spill_most_runs(const struct gs_spill *spill);

/** Bytes written to disk so far. */
uint64_t gs_spill_bytes(const struct gs_spill *spill);

/** Close and forget everything.  NULL is allowed. */
void gs_spill_close(struct gs_spill *spill);

#endif
