// SPDX-License-Identifier: BSD-2-Clause
/*
 * count.h - few different keys: the histogram is the sorted file
 *
 * Keys of 8 and 16 bits, and small text integers, never reach a backend.  One
 * pass counts them, a second writes each as often as it came.  Memory is
 * constant, so there is no limit on the input.
 */
#ifndef GS_COUNT_H
#define GS_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/team.h"
#include "sort/span.h"

struct gs_count {
	uint64_t *bins;		/* how often each key came, the least first */
	size_t    bin_count;
	unsigned  key_bits;	/* 8, 16 or 32: width of the keys in spans */
	unsigned  key_class;	/* noted in spans */
	unsigned  threads;	/* that may count at once */
	uint64_t  parts;	/* bit P: some of the Pth 64th of the bins may not be 0; all set
				 * unless who fills the bins knows better */
	size_t    at;		/* drain: current key */
	bool      counted[GS_TEAM_MAX];	/* the thread's tables are not empty */
};

/** Bytes of bins, and of tables in which THREADS count; 0 threads: others fill the bins. */
size_t gs_count_bytes(size_t bin_count, unsigned threads);

/** Begin, in MEMORY of gs_count_bytes(), zeroed and borrowed; nothing to close. */
void gs_count_open(struct gs_count *count, void *memory, size_t bin_count, unsigned key_bits,
                   unsigned key_class, unsigned threads);

/** Count KEYS (8 or 16 bits wide, ordered bits), as thread RANK of those that count at once. */
void gs_count_add(struct gs_count *count, unsigned rank, const void *keys, size_t key_count);

/** All have counted; at the latest when a thread has counted UINT32_MAX keys. */
void gs_count_sum(struct gs_count *count);

/**
 * The next sorted keys, into BUFFER; in descending order of bins if DESCENDING.
 * Bins are used up.  Span count 0: the end.
 */
void gs_count_drain(struct gs_count *count, bool descending, void *buffer, size_t buffer_bytes,
                    struct gs_span *span);

/**
 * The same with each key once: up to ROOM keys into BUFFER, and how often each came
 * into TIMES.  Takes as long as there are bins, however many keys came.  Bins stay.
 */
void gs_count_drain_pairs(struct gs_count *count, bool descending, void *buffer, uint64_t *times,
                          size_t room, struct gs_span *span);

#endif
