// SPDX-License-Identifier: BSD-2-Clause
/*
 * parse_value.h - from the text of an option's value to a number
 *
 * Pure functions: option_handlers.c reports what they refuse.
 */
#ifndef GS_PARSE_VALUE_H
#define GS_PARSE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "gsort.h"

/** "auto", "cpu", "gpu", "gpu:N"; for ranks "gpu:N,N", "gpu:all".  False: another word, or a GPU twice. */
bool gs_parse_device(const char *value, struct gsort_options *options);

enum gs_size_error { GS_SIZE_OK, GS_SIZE_NOT_A_NUMBER, GS_SIZE_BAD_SUFFIX };

/**
 * A size as sort -S takes it: a whole number of KiB, or with a suffix: b (bytes),
 * K k M m G g T t P E Z Y R Q (powers of 1024), KiB MiB GiB TiB, or %.  Above 64 bits it becomes
 * UINT64_MAX: more than there can be.
 *
 * @return  GS_SIZE_OK, and *BYTES or, with %, *PERCENT is set; or what is wrong
 */
enum gs_size_error gs_parse_size(const char *value, uint64_t *bytes, uint64_t *percent);

/** PERCENT of the physical memory, in bytes. */
uint64_t gs_memory_share(uint64_t percent);

/** A number of things, or with a suffix of a size, K to E, as of head(1); above 64 bits it becomes
 *  UINT64_MAX.  False: not a number. */
bool gs_parse_count(const char *value, uint64_t *number);

/** A number of bytes, or with a suffix of a size, K to E.  False: not a number, or too large. */
bool gs_parse_bytes(const char *value, uint64_t *bytes);

/** A key of a record: "u32@8", "f32@4r", "bytes10@0".  False: it is none. */
bool gs_parse_record_key(const char *value, struct gsort_key *key);

/** A number of threads, at least 1; numbers that cannot help are cut down. */
bool gs_parse_threads(const char *value, unsigned *threads);

#endif
