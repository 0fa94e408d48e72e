// SPDX-License-Identifier: BSD-2-Clause
/* key.c - what the table of key types says, and maps over many keys */
#include <assert.h>
#include <stdbool.h>

#include "base/team.h"
#include "format/key.h"

/* keytype.def is in the order of enum gsort_type, which begins with text. */
static const struct {
	const char *name;
	unsigned    bits;
} types[] = {
	{ "text", 0 },
#define KEY(name, type, bits, map, unmap) { #name, bits },
#include "format/keytype.def"
#undef KEY
	{ "text-float", 0 },
};
_Static_assert(sizeof types / sizeof types[0] == GSORT_TEXT_FLOAT + 1, "a row for every type");

unsigned
gs_key_bits(enum gsort_type type)
{
	assert(type <= GSORT_TEXT_FLOAT);
	return types[type].bits;
}

bool
gs_key_orders_itself(enum gsort_type type)
{
	return type == GSORT_U8 || type == GSORT_U16 || type == GSORT_U32 || type == GSORT_U64;
}

const char *
gs_key_name(enum gsort_type type)
{
	assert(type <= GSORT_TEXT_FLOAT);
	return types[type].name;
}

uint64_t
gs_key_bias(enum gsort_type type)
{
	return gs_key_orders_itself(type) ? 0 : UINT64_C(1) << (gs_key_bits(type) - 1);
}

/* ---- maps ------------------------------------------------------------------ */

/* Fewer keys than this are mapped by the calling thread: it takes about 10 us, the order
 * of what waking others takes.  Estimated, not tuned. */
enum { TEAM_KEYS = 1 << 16 };

struct mapped {
	gs_key_map *map;
	char       *keys;
	size_t      count, key_bytes;
	uint64_t    flip;
	bool        swap;
};

static void
map_share(void *context, unsigned rank, unsigned size)
{
	const struct mapped *mapped = context;
	const size_t begin = gs_team_begin(mapped->count, rank, size);
	const size_t end = gs_team_begin(mapped->count, rank + 1, size);

	mapped->map(mapped->keys + begin * mapped->key_bytes, end - begin, mapped->flip,
	            mapped->swap);
}

void
gs_key_map_all(gs_key_map *map, unsigned bits, uint64_t flip, bool swap, void *keys, size_t count,
               unsigned threads)
{
	gs_team_run(count >= TEAM_KEYS ? threads : 1, map_share,
	            &(struct mapped){ map, keys, count, bits / 8, flip, swap });
}
