// SPDX-License-Identifier: BSD-2-Clause
/* nontemporal.h - write a line of cache to memory past the caches, where the processor can */
#ifndef GS_CPU_NONTEMPORAL_H
#define GS_CPU_NONTEMPORAL_H

#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

/**
 * Copy 64 bytes from LINE to TO, both aligned to 64.
 *
 * With plain stores a partition of u32 2^24 fell from 262 to 177 Mkeys/s on an AMD EPYC 9005: the
 * processor reads a line that it is about to overwrite.
 */
static inline void
nontemporal_store_line(void *to, const void *line)
{
#if defined __x86_64__
	const __m128i *from = line;
	const __m128i a = _mm_load_si128(from), b = _mm_load_si128(from + 1);
	const __m128i c = _mm_load_si128(from + 2), d = _mm_load_si128(from + 3);

	_mm_stream_si128((__m128i *)to, a);
	_mm_stream_si128((__m128i *)to + 1, b);
	_mm_stream_si128((__m128i *)to + 2, c);
	_mm_stream_si128((__m128i *)to + 3, d);
#else
	memcpy(to, line, 64);
#endif
}

/** Order the stores above before the next barrier, so that other threads see them after it. */
static inline void
nontemporal_fence(void)
{
#if defined __x86_64__
	_mm_sfence();
#endif
}

#endif
