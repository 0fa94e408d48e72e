// SPDX-License-Identifier: BSD-2-Clause
/*
 * fillings.h - keys of many threads on their way to the staging buffers of a GPU
 *
 *     open; { add*; rest }*; close
 */
#ifndef GS_STAGES_FILLINGS_H
#define GS_STAGES_FILLINGS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/team.h"
#include "sort/span.h"
#include "stages/taker.h"

/* A staging buffer that threads fill. */
struct gs_filling {
	struct gs_staging staging;
	bool     used;
	size_t   claimed;	/* keys of its room */
	unsigned writers;	/* threads that copy keys to it */
	uint64_t sum;		/* of the keys in it */
};

enum { GS_FILLINGS = 4 };

struct gs_fillings {
	struct gs_taker   to;		/* whose stage() and give() are called, by one thread at a time */
	unsigned          most;		/* buffers at a time */
	pthread_mutex_t   lock;		/* guards: */
	pthread_cond_t    changed;
	struct gs_filling filling[GS_FILLINGS];
	struct gs_first_error error;
};

/** Begin.  RING: the staging buffers that there are. */
void gs_fillings_open(struct gs_fillings *fillings, struct gs_taker to, unsigned ring);

/** Copy the keys of PIECE to staging buffers; any thread.  An error comes out of gs_fillings_rest(). */
void gs_fillings_add(struct gs_fillings *fillings, const struct gs_piece *piece);

/** The first error of all, or GS_OK; any thread. */
MUST_CHECK gs_status gs_fillings_error(struct gs_fillings *fillings);

/** No thread adds keys: give all buffers back, full or not.  GS_EIO, GS_EDEVICE: as the first call of TO that
 *  has failed. */
MUST_CHECK gs_status gs_fillings_rest(struct gs_fillings *fillings);

/** After open. */
void gs_fillings_close(struct gs_fillings *fillings);

#endif
