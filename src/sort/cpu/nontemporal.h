// SPDX-License-Identifier: BSD-2-Clause
/* key class.h - write a line of cache past the caches, where the processor lets us */
#ifndef GS_CPU_NONTEMPORAL_H
#define GS_CPU_NONTEMPORAL_H

#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

/* With plain stores u32 2^24, which gs_cpu_sort_with() partitions first, fell from 262 to 177
 * Mkeys/s on an AMD EPYC 9005. */
static inline void
stream_line(void *to, const void *line)
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

/* Others may read what was streamed after the next barrier. */
static inline void
stream_end(void)
{
#if defined __x86_64__
	_mm_sfence();
#endif
}

#endif
