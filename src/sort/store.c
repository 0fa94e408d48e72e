// SPDX-License-Identifier: BSD-2-Clause
/* store.c - keys in host memory */
#include "sort/store.h"

size_t
gs_store_bytes(const struct gs_store *store)
{
	size_t bytes = 0;

	for (unsigned s = 0; s < GS_STREAMS; s++)
		bytes += store->shelf[s].count * (store->shelf[s].bits / 8);
	return bytes;
}
