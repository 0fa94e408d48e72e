// SPDX-License-Identifier: BSD-2-Clause
/*
 * spill.h - runs on disk, in temporary files without names, and their merge
 *
 *     open; { begin, write*, end }*; { read* of any runs }; close
 *
 * A file never has a name (O_TMPFILE, or unlinked at once with signals blocked), so nothing is left
 * behind, however the process ends.  Directories are used in rotation.  The disk space of what has been
 * read is freed at once, by holes or by closing the file.
 *
 * Keys may be compressed, block by block (zstd, lz4).  zstd takes extra memory: 0.7 MiB for each MiB of
 * the buffer, but at least 0.7 MiB, and at most 0.7 MiB for each thread.
 *
 * One run is written at a time.  Several threads write a plain run, each a part of it in its own file: one
 * inode takes 4.7 GB/s on an H200 host, sixteen take 36 GB/s.  Meanwhile, any runs may be read, in turn,
 * but all by one thread, which need not be the writer.  Several threads may read plain runs, each another
 * one.  The spill owns files and extents.
 */
#ifndef GS_SPILL_H
#define GS_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "sort/span.h"

struct gs_spill;

struct gs_spill_options {
	const char *const *dirs;	/* in rotation, until they are full; borrowed */
	size_t             dir_count;	/* at least 1 */
	const char        *compress_program;	/* "zstd" or "lz4"; NULL: none */
	unsigned           threads;	/* how many may compress */
	size_t             buffer_bytes;	/* of BUFFER; at least 64 KiB if keys are compressed */
	void              *buffer;	/* all memory; borrowed */
	uint64_t           expected_bytes;	/* of all keys to be spilled, for a message; 0: unknown */
	const struct gs_monitor *monitor;	/* for notes and warnings; borrowed */
};

/**
 * Begin, and check that every directory takes temporary files.
 *
 * @return  GS_OK; GS_EIO naming the directory; GS_EBUDGET
 */
MUST_CHECK gs_status
gs_spill_open(struct gs_spill **spill, const struct gs_spill_options *options);

enum { GS_SPILL_PARTS = 4 };	/* not tuned */

/** Can several threads write the parts of a run, and read several runs? */
bool gs_spill_is_plain(const struct gs_spill *spill);

/** Begin a run of keys of BITS, in PARTS that are written at once: 1, or up to GS_SPILL_PARTS if the spill is
 *  plain. */
MUST_CHECK gs_status gs_spill_begin(struct gs_spill *spill, unsigned bits, unsigned parts);

/**
 * Append COUNT sorted keys to a part of the run.  The caller may change them when the call returns.
 * Each part has one thread at a time.
 *
 * @return  GS_OK; GS_EIO: if a disk is full, the message names the directory, -T, and if they are known
 *          (expected_bytes), the bytes that are still needed
 */
MUST_CHECK gs_status
gs_spill_write(struct gs_spill *spill, unsigned part, const void *keys, size_t count);

/** End the run and set *RUN to it.  A run without keys is allowed. */
MUST_CHECK gs_status gs_spill_end(struct gs_spill *spill, struct gs_run *run);

/**
 * Read the next keys of a run, front to back, once.
 *
 * @count   set to the number of keys: ROOM unless the run ends; 0: the end
 * @return  GS_OK; GS_EIO; GS_EINPUT: these are not the keys that were written
 */
MUST_CHECK gs_status
gs_spill_read(struct gs_spill *spill, struct gs_run *run, void *into, size_t room, size_t *count);

/** Bytes written to disk so far. */
uint64_t gs_spill_bytes(const struct gs_spill *spill);

/** Close everything; all runs are gone.  NULL is allowed. */
void gs_spill_close(struct gs_spill *spill);

/* ---- merge sorted sources, which are read when needed (external_merge.c) ---- */

/*
 * Each source has two buffers: one is merged while a thread fills the other.  All keys in the
 * buffers up to the least of their last keys can be merged, since no later key is less.  All
 * threads merge them in memory (sort/merge.h).  If sources are not in order, neither is the result, but no
 * key is lost.
 *
 * Knuth, TAOCP 3, 5.4.6 (buffering); D. Salzberg, "Merging sorted runs using large main memory",
 * Acta Informatica 27, 1989.
 */

/* A source of sorted keys of one width. */
struct gs_source {
	bool        verified;	/* read() itself checks that keys ascend */
	bool        side_by_side;	/* read() may run while another source reads */

	/**
	 * Store the next keys, in ascending order, at INTO, which has ROOM for that many.  One thread at
	 * a time calls it, not the thread that opened the merge, until a buffer is full.
	 *
	 * @count   set to the number of keys; 0 with GS_OK: the end
	 * @return  GS_OK, or an error; *COUNT keys are valid then, too
	 */
	gs_status (*read)(void *context, void *into, size_t room, size_t *count);
	void       *context;
};

struct gs_external_merge;

/**
 * Begin, and start to read.
 *
 * @memory   MEMORY_BYTES for buffers, spans and the merge, at least gs_plan_merge_least(); borrowed
 * @sources  borrowed
 */
MUST_CHECK gs_status
gs_external_merge_open(struct gs_external_merge **merge, void *memory, size_t memory_bytes,
                       unsigned bits, const struct gs_source *sources, size_t count,
                       unsigned threads);

/**
 * The next span of all sources in order, borrowed until the next call; count 0: the end.
 *
 * @return  GS_OK, or the error of a source, after all keys that can be merged without it
 */
MUST_CHECK gs_status gs_external_merge_next(struct gs_external_merge *merge, struct gs_span *span);

/** Hand all keys in order to SINK, as keys of KEY_CLASS; *ENOUGH is set if the sink did not want all.
 *  CLOCK, which may be NULL, counts the time as merging. */
MUST_CHECK gs_status
gs_external_merge_drain(struct gs_external_merge *merge, unsigned key_class,
                        struct gs_clock *clock, const struct gs_span_sink *sink, bool *enough);

/**
 * Stop reading and forget everything.  NULL is allowed.
 *
 * Waits until a running read() returns.  If that may take for ever, as with a pipe, the caller must
 * make it return first.
 */
void gs_external_merge_close(struct gs_external_merge *merge);

#endif
