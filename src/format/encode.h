// SPDX-License-Identifier: BSD-2-Clause
/*
 * encode.h - ordered bits to bytes
 *
 * Encoders own no memory: they work in place, or in what they are given.
 */
#ifndef GS_ENCODE_H
#define GS_ENCODE_H

#include <stddef.h>

#include "format/text.h"
#include "gsort.h"

/** Turn COUNT keys back into the bits of TYPE, in place, in parallel. */
void gs_ordered_to_raw(enum gsort_type type, bool reverse, void *keys, size_t count);

/**
 * Print COUNT sorted keys of one class, a line each, with all threads.
 *
 * @keys     uint32_t or uint64_t, by the class's width; ascending (the sorted
 *           order gives the place of each line without a pass to measure it)
 * @reverse  keys are complemented, so values descend
 * @into     room for GS_TEXT_LINE_BYTES a key
 * @return   bytes printed
 */
size_t gs_text_encode(enum gs_text_class class, bool reverse, const void *keys, size_t count,
                      char *into);

#endif
