// SPDX-License-Identifier: BSD-2-Clause
/* damage.h - does the verdict on a sort find what is wrong?  For gsort-bench check and the emulated GPU */
#ifndef GS_BENCH_DAMAGE_H
#define GS_BENCH_DAMAGE_H

#include <stddef.h>

/** TRIALS of planted damage, in COUNT rows at a time, of all widths, with values, places and none: how many
 *  have a wrong verdict?  Each is told. */
unsigned damage_check(size_t count, unsigned trials);

#endif
