// SPDX-License-Identifier: BSD-2-Clause
/* disorder.h - find the first key of an array that is out of order */
#ifndef GS_ARRAY_DISORDER_H
#define GS_ARRAY_DISORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "array/args.h"

/** The least index whose key should come before the key at the index before it; COUNT: there is none.
 *  O(n), with the threads of ARGS; reads no further than they have come when one is found. */
size_t gs_array_disorder(const void *keys, size_t count, const struct gs_array_args *args);

/** Is each key from index BEGIN, 1 at least, to before END in order after the key before it? */
bool gs_array_in_order(const void *keys, size_t begin, size_t end, const struct gs_array_args *args);

#endif
