// SPDX-License-Identifier: BSD-2-Clause
/* disorder.c - the errors for an element that is out of order, and for binary keys that are not whole */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "key/key.h"
#include "text/disorder.h"
#include "text/notation.h"

gs_status
gs_disorder_key(const struct gsort_options *options, unsigned bits, const char *name, uint64_t number,
                const void *key, uint64_t skip_bytes, const char *tail)
{
	const struct gs_encoding as_text = {
		.from = options->type, .to = GSORT_TEXT, .reverse = options->reverse,
		.endian = options->endian, .terminator = '\0',
	};
	char text[1024];	/* encoders may write some bytes beyond what they return */
	size_t bytes;

	TRY(gs_encode(&as_text, &(const struct gs_span){ .items = key, .key_bits = bits, .count = 1 }, text,
	              &bytes));
	assert(bytes > 0 && bytes < sizeof text && text[bytes - 1] == '\0');
	return gs_fail(GS_EINPUT, "%s:%" PRIu64 ": disorder: %s (byte %" PRIu64 ")%s", name, number, text,
	               skip_bytes + (number - 1) * (bits / 8), tail);
}

gs_status
gs_disorder_line(const char *name, uint64_t number, const char *line, size_t bytes, const char *tail)
{
	enum { QUOTED_MOST = 1000 };
	char shown[GS_EXCERPT_BYTES(QUOTED_MOST)];

	return gs_fail(GS_EINPUT, "%s:%" PRIu64 ": disorder: %s%s", name, number,
	               gs_excerpt(shown, line, bytes, QUOTED_MOST), tail);
}

gs_status
gs_disorder_record(const struct gs_record *record, const char *name, const char *item,
                   uint64_t number, uint64_t skip_bytes, const char *tail)
{
	const uint64_t at = skip_bytes + (number - 1) * record->bytes;
	char key[GS_WIDE_BYTES];
	int digits;

	if (!gs_key_is_wide(record->type))
		return gs_fail(GS_EINPUT, "%s:%" PRIu64 ": disorder: the record at byte %" PRIu64 "%s",
		               name, number, at, tail);
	digits = (int)gs_wide_print(record->type, record->endian, GSORT_DECIMAL, item, key);
	return gs_fail(GS_EINPUT, "%s:%" PRIu64 ": disorder: %.*s (byte %" PRIu64 ")%s", name, number,
	               digits, key, at, tail);
}

gs_status
gs_partial(const struct gsort_options *options, const char *name, uint64_t skip_bytes, uint64_t bytes)
{
	const uint64_t record = options->record_bytes, trailing = record > 0 ? bytes % record : 0;
	char name_and_offset[1024];

	if (record > 0)
		return gs_fail(GS_EINPUT, "%s: byte %" PRIu64 ": the last record is short: %" PRIu64 " of "
		               "%" PRIu64 " bytes", name, skip_bytes + bytes - trailing, trailing, record);
	snprintf(name_and_offset, sizeof name_and_offset, "%s: after %" PRIu64 " skipped bytes", name,
	         skip_bytes);
	return gs_raw_partial(options->type, skip_bytes > 0 ? name_and_offset : name, bytes);
}
