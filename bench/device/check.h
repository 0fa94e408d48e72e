// SPDX-License-Identifier: BSD-2-Clause
/* check.h - does the device sort and merge correctly, at sizes that a network finds awkward? */
#ifndef GS_BENCH_CHECK_H
#define GS_BENCH_CHECK_H

/** Sort and merge; or keys that are made on the device, up to 2^33 of them.  How many results are wrong? */
unsigned check_all(void);
unsigned check_big(void);

#endif
