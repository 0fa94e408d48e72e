// SPDX-License-Identifier: BSD-2-Clause
/* text_keys.c - how large the arrays of struct gs_text_keys are */
#include <string.h>

#include "format/text_section.h"

enum { PAGE_BYTES = 4096 };

/* By class: bytes of the shortest line, terminator included, and of a key. */
static const struct {
	unsigned line_bytes, key_bytes;
} sizes[GS_TEXT_CLASSES] = {
	[GS_NEG_WIDE]   = { sizeof "-2147483649", 8 },
	[GS_NEG_NARROW] = { sizeof "-32769", 4 },
	[GS_SMALL]      = { sizeof "0", 0 },
	[GS_POS_NARROW] = { sizeof "65536", 4 },
	[GS_POS_WIDE]   = { sizeof "4294967296", 8 },
};
static const unsigned float_line_bytes = sizeof "0";

static size_t
pages(size_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

size_t
gs_text_key_bytes(enum gs_text_class class)
{
	return sizes[class].key_bytes;
}

/* The last line of a share may end outside of it; one more line is carried in, and one ends the
 * file. */
static size_t
class_bytes(size_t share, unsigned class, bool floats)
{
	const unsigned line_bytes = floats ? float_line_bytes : sizes[class].line_bytes;

	if (floats && class != GS_FLOATS)
		return 0;
	return pages((share / line_bytes + 4 + GS_TEXT_SPILL_KEYS) * sizes[class].key_bytes);
}

static size_t
small_bytes(bool floats)
{
	return floats ? 0 : pages(GS_SMALL_COUNT * sizeof(uint64_t));
}

size_t
gs_text_keys_bytes(size_t share, bool floats)
{
	size_t bytes = small_bytes(floats);

	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++)
		bytes += class_bytes(share, class, floats);
	return bytes;
}

char *
gs_text_keys_init(struct gs_text_keys *keys, char *memory, size_t share, bool floats)
{
	keys->small = (uint64_t *)memory;
	memory += small_bytes(floats);
	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
		keys->keys[class] = memory;
		memory += class_bytes(share, class, floats);
	}
	return memory;
}

void
gs_text_keys_clear(struct gs_text_keys *keys)
{
	memset(keys->count, 0, sizeof keys->count);
	memset(keys->fetched, 0, sizeof keys->fetched);
}
