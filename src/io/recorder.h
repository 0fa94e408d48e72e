// SPDX-License-Identifier: BSD-2-Clause
/*
 * recorder.h - bytes of inputs that cannot be read twice, kept in memory
 *
 * Pipes, terminals, sockets and callbacks give each byte once.  A recorder stands between them
 * and input.c, for one file at a time, and can do two things: look ahead, to recognize a format
 * or to learn whether a pipe is short; and keep all bytes, in the order in which they were read,
 * so that they can be read again.
 *
 *     gs_recorder_open(&recorder, memory, bytes);
 *     for (each file) {
 *             gs_recorder_begin(&recorder, &recording, &source);
 *             while (gs_recorder_read(&recorder, into, bytes) > 0)
 *                     ;
 *     }
 *     gs_recorder_rewind(&recorder);	and once more from the first file on
 *
 * The memory and the recordings are the caller's.  Without memory, a recorder keeps nothing
 * and can look at the first GS_LOOK_BYTES of a file.
 */
#ifndef GS_RECORDER_H
#define GS_RECORDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "io/open.h"

enum {
	GS_LOOK_BYTES = 4096,	/* of a file can be looked at without memory */
	GS_LOOK_LEAST = 32,	/* at any: as many as a format is recognized by (contents.c) */
};

/* What is kept of one file.  Zeroed: the file has not begun. */
struct gs_recording {
	char  *data;
	size_t bytes;
	bool   ended;		/* the file has no more */
	bool   consumed;	/* bytes of it have been read, since the last rewind */
};

struct gs_recorder {
	char       *memory;	/* touched only as it is used; NULL: there is none */
	size_t      memory_bytes, kept_bytes;
	atomic_bool keeps;	/* consumed bytes stay in MEMORY */
	bool        full;	/* it stopped keeping because MEMORY was used up */
	bool        rewound;

	/* the current file */
	struct gs_recording *recording;		/* NULL: none */
	struct gs_reader     source;
	size_t               at;	/* of its recording, what comes next */
	char                 look[GS_LOOK_BYTES];	/* its data, if none is kept */
};

/** Begin to keep bytes in MEMORY, borrowed; or, with 0 BYTES, keep none. */
void gs_recorder_open(struct gs_recorder *recorder, void *memory, size_t bytes);

/** Continue with the file of RECORDING, whose bytes come from SOURCE. */
void gs_recorder_begin(struct gs_recorder *recorder, struct gs_recording *recording,
                       const struct gs_reader *source);

/**
 * Read ahead until LEAST bytes of the current file are in its recording; fewer if the file
 * ends, or if there is no memory for more; up to MOST, if they need not be waited for.  Consumes
 * nothing.
 *
 * @return  0; or -1 and errno, or GS_READ_STOPPED, as gs_read()
 */
int gs_recorder_look(struct gs_recorder *recorder, size_t least, size_t most);

/**
 * The next BYTES of the current file, or fewer: from its recording, and then from its source.
 * What is read from the source is kept, while the recorder keeps, at the cost of a copy.
 *
 * @return  as gs_read()
 */
ptrdiff_t gs_recorder_read(struct gs_recorder *recorder, void *into, size_t bytes);

/** Pass over the next BYTES of the recording, or fewer, which the caller reads from it. */
size_t gs_recorder_skip(struct gs_recorder *recorder, size_t bytes);

/** Begin again with the first file.  New bytes will not be kept: recording ends where the first
 *  pass ended. */
void gs_recorder_rewind(struct gs_recorder *recorder);

/**
 * Give the memory of a range of RECORDING back, in whole pages; unless the recorder keeps.
 * Any thread.
 */
void gs_recorder_release(const struct gs_recorder *recorder, const struct gs_recording *recording,
                         size_t begin, size_t end);

#endif
