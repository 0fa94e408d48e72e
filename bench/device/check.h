// SPDX-License-Identifier: BSD-2-Clause
/* check.h - does the device sort and merge correctly, at sizes that a network finds awkward? */
#ifndef GS_BENCH_CHECK_H
#define GS_BENCH_CHECK_H

#include <stdbool.h>

/** Sort and merge, with BIG beyond 2^32 keys, too; returns how many results were wrong. */
unsigned check_all(bool big);

#endif
