// SPDX-License-Identifier: BSD-2-Clause
/* fnv.h - FNV-1a (G. Fowler, L. Noll, P. Vo): a digest of bytes that is the same on any machine */
#ifndef GS_FNV_H
#define GS_FNV_H

#include <stddef.h>
#include <stdint.h>

#define GS_FNV_BEGIN	UINT64_C(0xcbf29ce484222325)	/* the digest of nothing */

/** The digest of the bytes of SUM, and DATA behind them. */
static inline uint64_t
gs_fnv_add(uint64_t sum, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

#endif
