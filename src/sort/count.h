// SPDX-License-Identifier: BSD-2-Clause
/*
 * count.h - a histogram: keys of few different values are counted, not stored
 *
 * For keys of 8 and 16 bits, and for small integers of text.  One pass counts the keys, another
 * writes each as often as it came.  Memory does not depend on the input, and so its length has no
 * limit.
 *
 *     open; { add, sum | fill the bins }*; { next | next_pairs }* or drain
 */
#ifndef GS_COUNT_H
#define GS_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/monitor.h"
#include "base/status.h"
#include "base/team.h"
#include "sort/span.h"

struct gs_count {
	uint64_t *bins;		/* how often each key came, the least first */
	size_t    bin_count;
	unsigned  key_bits;	/* 8, 16 or 32: width of the keys in spans */
	unsigned  key_class;	/* of the spans */
	unsigned  threads;	/* that may count at once */
	uint64_t  touched;	/* bit P: the Pth 64th of the bins may have counts; all bits are set
				 * unless whoever fills the bins knows better */
	size_t    at;		/* next: current key */
	bool      counted[GS_TEAM_MAX];	/* the tables of a thread have counts */
};

/** Bytes of bins, and of tables in which THREADS count; 0 threads: the caller fills the bins. */
size_t gs_count_bytes(size_t bin_count, unsigned threads);

/** Begin, in MEMORY of gs_count_bytes(), zeroed and borrowed; there is nothing to close. */
void gs_count_open(struct gs_count *count, void *memory, size_t bin_count, unsigned key_bits,
                   unsigned key_class, unsigned threads);

/** Count KEYS (8 or 16 bits wide, ordered bits), as thread WORKER of the team that counts. */
void gs_count_add(struct gs_count *count, unsigned worker, const void *keys, size_t key_count);

/** Add what all threads have counted to the bins.  Call it before a thread has counted UINT32_MAX
 *  keys. */
void gs_count_sum(struct gs_count *count);

/**
 * Write the next sorted keys to BUFFER; their counts are used up.  Or, if there is room for as many
 * TIMES, each key once, and how often it came to TIMES: counts are not used up, and all calls together
 * take as long as there are bins.
 *
 * @reversed  the greatest key first, and each key complemented: so spans always ascend
 * @span      borrows BUFFER; count 0: no keys are left
 */
void gs_count_next(struct gs_count *count, bool reversed, void *buffer, size_t buffer_bytes,
                   uint64_t *times, struct gs_span *span);

/* Keys of a span with times, at most. */
enum { GS_COUNT_PAIRS = 4096 };

/**
 * Hand all keys in order to SINK, as spans in BUFFER: each key once and with its times, if the sink
 * welcomes groups, else as often as it came.
 *
 * @times  room for GS_COUNT_PAIRS counts, and BUFFER for as many keys, if it does
 * @clock  counts the time as sorting; or NULL
 */
MUST_CHECK gs_status
gs_count_drain(struct gs_count *count, bool reversed, void *buffer, size_t buffer_bytes,
               uint64_t *times, struct gs_clock *clock, const struct gs_span_sink *sink);

#endif
