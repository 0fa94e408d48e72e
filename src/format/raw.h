// SPDX-License-Identifier: BSD-2-Clause
/*
 * raw.h - binary keys as they are in files, to ordered bits and back
 *
 * Keys are converted where they are.  Unsigned keys, ascending and in this machine's byte order,
 * are ordered bits already, and are not touched.
 */
#ifndef GS_RAW_H
#define GS_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"

/** Turn COUNT keys of TYPE (any width) into ordered bits, in place, by THREADS. */
void gs_raw_to_ordered(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                       size_t count, unsigned threads);

/** Turn COUNT keys back into the bits of TYPE, in place, by THREADS. */
void gs_ordered_to_raw(enum gsort_type type, enum gsort_endian endian, bool reverse, void *keys,
                       size_t count, unsigned threads);

/** The error for a file of BYTES, which are no multiple of a key's: GS_EINPUT. */
gs_status gs_raw_partial(enum gsort_type type, const char *name, uint64_t bytes);

#endif
