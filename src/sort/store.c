// SPDX-License-Identifier: BSD-2-Clause
/* store.c - keys in host memory */
#include <string.h>

#include "base/team.h"
#include "sort/store.h"

size_t
gs_store_bytes(const struct gs_store *store)
{
	size_t bytes = 0;

	for (unsigned s = 0; s < GS_STREAMS; s++)
		bytes += (store->shelf[s].count - store->shelf[s].gone) * (store->shelf[s].bits / 8);
	return bytes;
}

enum { PIECE_BYTES = 1 << 20 };		/* one thread copies that in 0.1 ms */

struct copy {
	char       *to;
	const char *from;
	size_t      bytes;
};

static void
copy_piece(void *context, size_t p)
{
	const struct copy *copy = context;
	const size_t at = p * PIECE_BYTES, left = copy->bytes - at;

	memcpy(copy->to + at, copy->from + at, left < PIECE_BYTES ? left : PIECE_BYTES);
}

void
gs_store_copy(void *to, const void *from, size_t bytes, unsigned threads)
{
	gs_team_each(threads, (bytes + PIECE_BYTES - 1) / PIECE_BYTES, copy_piece,
	             &(struct copy){ to, from, bytes });
}
