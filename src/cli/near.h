// SPDX-License-Identifier: BSD-2-Clause
/*
 * near.h - near misses: what other programs call an option
 */
#ifndef GS_NEAR_H
#define GS_NEAR_H

#include <stddef.h>

/** What --NAME, a long option of BYTES that does not exist, may mean, as the end of a message: "; did
 *  you mean '--head'?"; "": nobody knows.  Valid until the next call. */
const char *gs_near_option(const char *name, size_t bytes);

/** The same for a LETTER. */
const char *gs_near_letter(char letter);

#endif
