// SPDX-License-Identifier: BSD-2-Clause
/*
 * parse_value.h - what option values mean; nothing here prints, but one warning
 */
#ifndef GS_PARSE_VALUE_H
#define GS_PARSE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gsort.h"

/** "auto", "cpu", "gpu", "gpu:N".  False: it is none of these. */
bool gs_parse_device(const char *value, enum gsort_device *device, int *gpu_index);

/** GSORT_DEVICE, if it is set; a bad value is ignored, with a warning unless QUIET. */
void gs_parse_environment(struct gsort_options *job, bool quiet);

/**
 * A size as sort -S takes it: a whole number of KiB, or with a suffix: b (bytes),
 * K k M m G g T t P E Z Y R Q (powers of 1024), KiB MiB GiB TiB, or %.
 *
 * @return  NULL, and *BYTES or *PERCENT set; or what is wrong, to end a sentence
 */
const char *gs_parse_size(const char *value, uint64_t *bytes, uint64_t *percent);

/** So many percent of all memory of this machine, in bytes. */
uint64_t gs_parse_share(uint64_t percent);

/** A whole number; more than 64 bits can hold becomes the largest.  False: it is none. */
bool gs_parse_whole(const char *value, uint64_t *number);

/** A number of bytes, or with a suffix of a size, K to E; "" is none. */
bool gs_parse_bytes(const char *value, uint64_t *bytes);

/** A number of threads, at least 1; more than could ever help is cut down. */
bool gs_parse_threads(const char *value, unsigned *threads);

/** Edits (one letter in, out or another; two swapped) between TYPED and NAME. */
size_t gs_parse_distance(const char *typed, size_t bytes, const char *name);

#endif
