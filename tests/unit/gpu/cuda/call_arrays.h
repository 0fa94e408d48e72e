// SPDX-License-Identifier: BSD-2-Clause
/* call_arrays.h - arrays for calls of libgsort_cuda, between guards */
#ifndef GS_UNIT_CALL_ARRAYS_H
#define GS_UNIT_CALL_ARRAYS_H

#include <stdlib.h>
#include <string.h>

#include "bench/call_types.h"
#include "kernels/kernels.h"

enum { GUARD_BYTE = 0x5c, GUARD_BYTES = 64 };

/* Device memory of BYTES, at ODD elements of WIDTH, between guards. */
static inline unsigned char *
guarded(size_t bytes, size_t odd)
{
	void *memory = NULL;

	if (cudaMalloc(&memory, GUARD_BYTES + odd + bytes + GUARD_BYTES) != cudaSuccess)
		abort();
	memset(memory, GUARD_BYTE, GUARD_BYTES + odd + bytes + GUARD_BYTES);
	return (unsigned char *)memory + GUARD_BYTES + odd;
}

static inline bool
guards_hold(unsigned char *array, size_t bytes, size_t odd)
{
	bool hold = true;

	for (size_t b = 1; b <= GUARD_BYTES; b++)
		hold = hold && array[0 - b] == GUARD_BYTE && array[bytes + b - 1] == GUARD_BYTE;
	(void)cudaFree(array - odd - GUARD_BYTES);
	return hold;
}

/* As the call sees them: what is in the arrays, and where. */
struct arrays {
	unsigned char *keys, *other, *scratch;
	size_t         scratch_bytes;
};

#endif
