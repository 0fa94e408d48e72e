// SPDX-License-Identifier: BSD-2-Clause
/* store.c - keys in host memory */
#include <string.h>

#include "sort/store.h"

size_t
gs_store_bytes(const struct gs_store *store)
{
	size_t bytes = 0;

	for (unsigned s = 0; s < GS_STREAMS; s++)
		bytes += (store->shelf[s].count - store->shelf[s].gone) * (store->shelf[s].bits / 8);
	return bytes;
}

void
gs_store_copy(void *to, const void *from, size_t bytes, unsigned threads)
{
	enum { PIECE_BYTES = 1 << 20 };		/* one thread copies that in 0.1 ms */
	const size_t pieces = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;

	#pragma omp parallel for num_threads(threads) if(pieces > 1)
	for (size_t p = 0; p < pieces; p++) {
		const size_t at = p * PIECE_BYTES;
		const size_t count = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;

		memcpy((char *)to + at, (const char *)from + at, count);
	}
}
