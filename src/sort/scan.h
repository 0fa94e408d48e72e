// SPDX-License-Identifier: BSD-2-Clause
/*
 * scan.h - groups of equal keys in a sorted span, and sums of keys
 *
 * All functions are pure.  KEYS are COUNT sorted keys of KEY_BITS, 8 to 64; COUNT is at most 2^32.
 */
#ifndef GS_SCAN_H
#define GS_SCAN_H

#include <stddef.h>
#include <stdint.h>

/** How many different keys there are.  O(COUNT), vectorized. */
uint64_t gs_scan_groups(const void *keys, unsigned key_bits, size_t count);

/** The end of the group that begins at FROM.  O(log of its length). */
size_t gs_scan_group_end(const void *keys, unsigned key_bits, size_t from, size_t count);

/** Where the last group begins; COUNT > 0. */
size_t gs_scan_last_group(const void *keys, unsigned key_bits, size_t count);

/**
 * The first group of more than TIMES keys that begins at FROM or after it; COUNT: there is none.
 * A group begins at FROM.  O(COUNT), vectorized.
 */
size_t gs_scan_repeated(const void *keys, unsigned key_bits, size_t from, size_t count,
                        uint64_t times);

/** The sum of all keys, each after & MASK.  O(COUNT), vectorized. */
unsigned __int128 gs_scan_sum(const void *keys, unsigned key_bits, uint64_t mask, size_t count);

#endif
