// SPDX-License-Identifier: BSD-2-Clause
/*
 * spill.h - runs on disk, in temporary files without names, and their merge
 *
 *     open; { begin, write*, end }*; { read* of any runs }; close
 *
 * A file has no name from the moment it exists (O_TMPFILE, or unlinked at once with signals
 * blocked), so nothing is left behind, whatever ends the process.  Directories are used in
 * rotation.  The disk space of what has been read is freed at once, by holes or by closing the
 * file.
 *
 * Keys may be compressed, block by block (zstd, lz4).  zstd takes memory besides: 0.7 MiB for each MiB of
 * the buffer, at least 0.7 MiB and at most as many times as there are threads.
 *
 * One run is written at a time; if it is plain, by several threads, each a part of it in a file of
 * its own: one inode takes 4.7 GB/s on an H200 host, sixteen take 36.  Meanwhile any number may be
 * read, in turn, but all by one thread, which may be another than the one that writes; plain ones by
 * several threads, each another run.  The spill owns files and extents.
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
	unsigned           threads;	/* that may compress */
	size_t             buffer_bytes;	/* of all memory; 64 KiB at least if compressed */
	void              *buffer;	/* these; borrowed */
	uint64_t           expected_bytes;	/* of all keys to be spilled, for a message; 0: unknown */
	const struct gs_monitor *monitor;	/* for notes and warnings; borrowed */
};

/**
 * Begin; check that every directory takes temporary files.
 *
 * @return  GS_OK; GS_EIO naming the directory; GS_EBUDGET
 */
MUST_CHECK gs_status
gs_spill_open(struct gs_spill **spill, const struct gs_spill_options *options);

enum { GS_SPILL_PARTS = 4 };	/* not tuned */

/** Can a run be written by parts, and read beside others? */
bool gs_spill_is_plain(const struct gs_spill *spill);

/** Begin a run of keys of BITS, in PARTS that are written at once: 1, or to GS_SPILL_PARTS if it is
 *  plain. */
MUST_CHECK gs_status gs_spill_begin(struct gs_spill *spill, unsigned bits, unsigned parts);

/**
 * Append COUNT sorted keys to a part of the run.  The caller may change them when it returns.
 * Several parts: one thread at a time for each.
 *
 * @return  GS_OK; GS_EIO: on a full disk the message names the directory, the bytes that are still
 *          needed as far as known (expected_bytes), and -T
 */
MUST_CHECK gs_status
gs_spill_write(struct gs_spill *spill, unsigned part, const void *keys, size_t count);

/** End the run and set *RUN to it.  A run without keys is allowed. */
MUST_CHECK gs_status gs_spill_end(struct gs_spill *spill, struct gs_run *run);

/**
 * Read the next keys of a run, front to back, once.
 *
 * @count   set to the number of keys: ROOM unless the run ends; 0: the end
 * @return  GS_OK; GS_EIO; GS_EINPUT: other keys were written
 */
MUST_CHECK gs_status
gs_spill_read(struct gs_spill *spill, struct gs_run *run, void *into, size_t room, size_t *count);

/** Bytes written to disk so far. */
uint64_t gs_spill_bytes(const struct gs_spill *spill);

/** Close everything; all runs are gone.  NULL is allowed. */
void gs_spill_close(struct gs_spill *spill);

/* ---- merge sorted sources, which are read as they are needed (external_merge.c) ---- */

/*
 * Each source has two buffers: one is merged while a thread fills the other.  The
 * keys in the buffers up to the least of their last keys can be merged, since no key that comes
 * later is less. They are merged in memory by all threads (sort/merge.h).  Sources that are not in
 * order come out in no order, but without loss.
 *
 * Knuth, TAOCP 3, 5.4.6 (buffering); D. Salzberg, "Merging sorted runs using large main memory",
 * Acta Informatica 27, 1989.
 */

/* Where sorted keys of one width come from. */
struct gs_source {
	bool        verified;	/* read() itself checks that keys ascend */
	bool        side_by_side;	/* read() may run beside another source's */

	/**
	 * Put the next keys, ascending, INTO memory with ROOM for so many.  One thread at
	 * a time calls it, not the one that opened, until a buffer is full.
	 *
	 * @count   set to the number of keys; 0 with GS_OK: the end
	 * @return  GS_OK, or an error, with which *COUNT keys may come, too
	 */
	gs_status (*read)(void *context, void *into, size_t room, size_t *count);
	void       *context;
};

struct gs_external_merge;

/**
 * Begin, and start to read.
 *
 * @memory   MEMORY_BYTES of it, for buffers, spans and the merge, at least gs_plan_merge_least(); borrowed
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

/** Hand all keys in order to SINK, as keys of KEY_CLASS; *ENOUGH: set if the sink did not want all.
 *  CLOCK, or NULL, counts the time as merging. */
MUST_CHECK gs_status
gs_external_merge_drain(struct gs_external_merge *merge, unsigned key_class,
                        struct gs_clock *clock, const struct gs_span_sink *sink, bool *enough);

/**
 * Stop reading and forget everything.  NULL is allowed.
 *
 * Waits until a read() that is under way returns.  If that may take for ever, as with a pipe, the
 * caller must first make it return.
 */
void gs_external_merge_close(struct gs_external_merge *merge);

#endif
