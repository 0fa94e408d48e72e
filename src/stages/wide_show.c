// SPDX-License-Identifier: BSD-2-Clause
/*
 * wide_show.c - keys of 128 bits as text, with their number of occurrences
 *
 * In:   sorted keys.
 * Out:  lines, as --to=text writes them of any other type.
 */
#include "format/encode.h"
#include "format/notation.h"
#include "stages/emit.h"

enum { KEY_BYTES = 16 };

static gs_status
show_keys(void *context, const char *data, const char *end, size_t count, const uint64_t *times)
{
	struct gs_wide_show *show = context;
	const struct gsort_options *options = show->options;

	(void)end;
	for (size_t k = 0; k < count; k++) {
		char *at = show->text + show->bytes;

		if (options->counts)
			at = gs_count_print(times[k], at);
		at += gs_wide_print(options->type, options->endian, options->notation,
		                    data + k * KEY_BYTES, at);
		*at++ = options->zero_terminated ? '\0' : '\n';
		show->bytes = (size_t)(at - show->text);
		if (show->bytes > sizeof show->text - GS_COUNT_BYTES - GS_WIDE_BYTES - 1)
			TRY(gs_emit_flush(show->emit, show->text, &show->bytes));
	}
	return gs_emit_flush(show->emit, show->text, &show->bytes);
}

void
gs_wide_show_open(struct gs_wide_show *show, const struct gsort_options *options,
                  struct gs_emit *emit)
{
	show->options = options;
	show->emit = emit;
	show->bytes = 0;
	emit->show = show_keys;
	emit->show_context = show;
}
