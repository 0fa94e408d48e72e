// SPDX-License-Identifier: BSD-2-Clause
/* cores.h - the processors that this process may run on */
#ifndef GS_CORES_H
#define GS_CORES_H

enum { GS_CORES_BYTES = 128 };

/** How many there are, as nproc(1) counts them. */
unsigned gs_cores_count(void);

/** Which ones, as bytes to compare with those of another process of the same host; all 0 if that is
 *  not known. */
void gs_cores_set(unsigned char set[GS_CORES_BYTES]);

#endif
