// SPDX-License-Identifier: BSD-2-Clause
/* disorder.h - the errors for an element that is out of order, and for input that ends within a binary key */
#ifndef GS_TEXT_DISORDER_H
#define GS_TEXT_DISORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"
#include "key/record.h"
#include "text/encode.h"

/* What follows the message about disorder in a merge; of lines with equal keys, which have an order, too. */
#define GS_ADVICE_UNSORTED	": merging needs sorted inputs; sort it, or use --force"
#define GS_ADVICE_TIES		": merging needs sorted inputs; sort it, use -s if its keys alone are in " \
				"order, or --force"

/**
 * A binary key: "f.bin:3: disorder: 2 (byte 8)", and TAIL.
 *
 * @bits        of the key
 * @number      of the key in its input, from 1
 * @key         its ordered bits; OPTIONS say what it is
 * @skip_bytes  before the first key
 * @return      GS_EINPUT
 */
gs_status gs_disorder_key(const struct gsort_options *options, unsigned bits, const char *name,
                          uint64_t number, const void *key, uint64_t skip_bytes, const char *tail);

/** "f:3: disorder: LINE", with up to 1000 of the line's BYTES, which are without its end; and TAIL. */
gs_status gs_disorder_line(const char *name, uint64_t number, const char *line, size_t bytes,
                           const char *tail);

/** The error for ITEM, record NUMBER of a file, from 1, which is less than the one before; and TAIL.
 *  Returns GS_EINPUT. */
gs_status gs_disorder_record(const struct gs_record *record, const char *name, const char *item,
                             uint64_t number, uint64_t skip_bytes, const char *tail);

/** A binary input whose BYTES after SKIP_BYTES are not whole keys or records.  Returns GS_EINPUT. */
gs_status gs_partial(const struct gsort_options *options, const char *name, uint64_t skip_bytes,
                     uint64_t bytes);

#endif
