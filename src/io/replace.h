// SPDX-License-Identifier: BSD-2-Clause
/* replace.h - a file that is written: its blocks, a part that a rank writes, and a new one for an old one */
#ifndef GS_REPLACE_H
#define GS_REPLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* ---- the blocks of a regular file, before its bytes (preallocate.c) --------------- */

struct gs_preallocation {
	int      fd;
	bool     wanted;	/* more blocks are to be allocated */
	uint64_t at;		/* in the file: where the next byte is written */
	uint64_t written;	/* bytes so far */
	uint64_t end;		/* blocks may have been allocated up to here; 0: none */
	uint64_t ahead_bytes;	/* that are allocated at once, at least */
};

/** Begin: blocks are wanted if FD is a regular file, and is not appended to.  It is one of FILES
 *  that are written at the same time: together they do not allocate more than one does. */
void gs_preallocate_open(struct gs_preallocation *blocks, int fd, unsigned files);

/** Before anything is written: allocate all blocks of a file of BYTES. */
void gs_preallocate_all(struct gs_preallocation *blocks, uint64_t bytes);

/** Call this before write(2) of BYTES, which follow the bytes before. */
void gs_preallocate_ahead(struct gs_preallocation *blocks, size_t bytes);

/** All has been written: free the blocks after the end of the file.
 *  Returns 0, or -1 and errno. */
int gs_preallocate_cut(struct gs_preallocation *blocks);

/* ---- a part of a file whose other parts others write (place.c) -------------------- */

/*
 * The file is divided into pieces of a MiB, and each of them has one writer: the one whose part has
 * the first byte of the piece.  Clients of NFS would overwrite a page that they share; clients of
 * Lustre would take locks from each other.  So the first bytes of a part, up to the next whole MiB,
 * are kept for the writer of that piece.
 */

enum { GS_PLACE_BYTES = 1 << 20 };

struct gs_place {
	int         fd;
	const char *name;		/* for messages */
	bool        seeks;		/* false: a device, which takes bytes in any order */
	uint64_t    begin, end;		/* the part */
	uint64_t    at;			/* of the next byte */
	char       *head;		/* the first bytes, for another writer */
	size_t      head_bytes;		/* how many there will be */
};

/** Begin; FD is borrowed.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status gs_place_open(struct gs_place *place, int fd, const char *name, bool seeks,
                                   uint64_t begin, uint64_t end);

/** Write the next BYTES: for gsort_options.write.  CONTEXT is the place.  -1 and errno: it failed. */
int gs_place_write(void *context, const void *data, size_t bytes);

/** Write BYTES to AT: another one's head. */
int gs_place_write_at(const struct gs_place *place, const void *data, size_t bytes, uint64_t at);

/* ---- a new file that replaces an old one in one step, or many together (replace.c) ---- */

/*
 * Until gs_replace_finish() a new file is invisible, and the old one is as it was.
 *
 * If the old file is an input, its bytes may be nowhere else.  Then the caller forces the bytes of the new
 * file to the disk before that gets its name, and gs_replace_finish() forces the folder: after a crash of
 * the machine there is the old file or the new one.
 */

struct gs_replace {
	int  fd;			/* the new file, for writing */
	bool existed;			/* there is an old file */
	bool forced;			/* the old file is an input, or another output's old file is */
	const char *const *inputs;	/* the caller may set them before gs_replace_aim(): borrowed names */
	size_t input_count;
	bool differs;			/* the new file could not get the attributes of the old one */
	bool shared;			/* others open it by its temporary name: it has one at once */
	char target[PATH_MAX];		/* the name it will have: gs_follow_links() */
	char hidden[PATH_MAX];		/* its temporary name, or "" */
	char backup[PATH_MAX];		/* another name of the old file, or "" */
};

/* The output is a new file, or an old one that is written in place: a regular file, or a device. */
enum gs_output_kind { GS_OUTPUT_NEW, GS_OUTPUT_IN_PLACE, GS_OUTPUT_DEVICE };

/**
 * Open NAME for writing: a new file that will replace it.  A device, a file whose replacement would lose
 * something, such as another link, and one that this user may not replace are written in place.
 *
 * @in_place  it is to be written in place
 * @fd        the old file, or the new one; before that -1, and still so if none could be opened
 */
MUST_CHECK gs_status gs_replace_aim(struct gs_replace *new, const char *name, bool in_place, int *fd,
                                    enum gs_output_kind *kind);

/**
 * Give COUNT new files their names, with all signals blocked; a NULL is skipped.  Each first gets a
 * temporary name; only when all have one are they renamed, so what can fail has failed before.  A
 * single one may get its name at once.  Each FD stays open.
 *
 * @failed  set to the first file that failed
 * @return  0; or -1 and errno: the files before *FAILED may have their names, the others do not
 */
int gs_replace_finish(struct gs_replace *const new[], size_t count, size_t *failed);

/**
 * Do what can fail before gs_replace_finish() is called: a temporary name for the new file and,
 * where the file system allows that, another name for the old one.
 *
 * @return  0, or -1 and errno
 */
int gs_replace_prepare(struct gs_replace *new);

/**
 * After both: the new file STAYS; or else the old file gets its name again, and if there was none, the new
 * one loses its name.
 *
 * @return  0; or -1 and errno: the new file stays though it should not, and the old one keeps its other
 *          name, if it has one
 */
int gs_replace_settle(struct gs_replace *new, bool stays);

/** Another process has made the file HIDDEN: remove it as if it were this one's, unless it is
 *  forgotten before. */
void gs_replace_adopt(struct gs_replace *new, const char *hidden);
void gs_replace_forget(struct gs_replace *new);

/** Remove temporary names.  A zeroed struct is allowed. */
void gs_replace_drop(struct gs_replace *new);

/** Remove the temporary names of all new files.  Safe in the handler of a signal. */
void gs_replace_abandon(void);

#endif
