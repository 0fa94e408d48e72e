// SPDX-License-Identifier: BSD-2-Clause
/* source.h - the keys that are sorted in a comparison, and the check of the results */
#ifndef GS_BENCH_SOURCE_H
#define GS_BENCH_SOURCE_H

#include <stddef.h>
#include <stdint.h>

/** Make COUNT keys of harness.kind in harness.source; returns the digest of their ordered bits. */
uint64_t source_load(unsigned bits, size_t count, unsigned shape, uint64_t seed);

/** The same, in ascending runs of RUN_KEYS. */
uint64_t source_load_runs(unsigned bits, size_t count, size_t run_keys);

/**
 * Check that RESULT ascends, in runs of RUN_KEYS, and has the keys of DIGEST.
 *
 * If not, name the culprit NAME and end the program.  RESULT becomes ordered bits.
 */
void source_check(const char *name, char *result, unsigned bits, size_t count, size_t run_keys,
                  uint64_t digest);

#endif
