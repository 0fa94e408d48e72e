// SPDX-License-Identifier: BSD-2-Clause
/* encode.c - sorted keys of any type to bytes of any type */
#include "format/encode.h"

size_t
gs_encoding_bytes(const struct gs_encoding *encoding)
{
	(void)encoding;
	return GS_TEXT_LINE_BYTES;
}

bool
gs_encoding_in_place(const struct gs_encoding *encoding)
{
	return encoding->from == encoding->to && encoding->from != GSORT_TEXT && !encoding->counts;
}

gs_status
gs_encode(const struct gs_encoding *encoding, unsigned stream, unsigned key_bits, const void *keys,
          const uint64_t *counts, size_t count, char *into, size_t *bytes)
{
	(void)key_bits, (void)counts;
	*bytes = gs_text_encode((enum gs_text_class)stream, encoding->reverse, encoding->terminator,
	                        keys, count, into);
	return GS_OK;
}
