// SPDX-License-Identifier: BSD-2-Clause
/* huge.h - memory in huge pages, as in the arena of a job */
#ifndef GS_BENCH_HUGE_H
#define GS_BENCH_HUGE_H

#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE_BYTES = 2 << 20 };

/** BYTES or somewhat more, for free(); NULL if memory is short. */
static inline void *
huge_allocate(size_t bytes)
{
	const size_t page_bytes = HUGE_PAGE_BYTES;
	const size_t whole_bytes = (bytes + page_bytes - 1) / page_bytes * page_bytes;
	void *taken = aligned_alloc(page_bytes, whole_bytes);

	if (taken != NULL)
		(void)madvise(taken, whole_bytes, MADV_HUGEPAGE);
	return taken;
}

#endif
