// SPDX-License-Identifier: BSD-2-Clause
/*
 * key_version.h - keys that are versions: the order V of sort(1)
 *
 * As "Version sort ordering" in the manual of the GNU coreutils describes it, in their newest
 * release: numbers within the text compare as numbers, and suffixes like ".tar.gz" only if what is
 * before them is equal.  A key of a suffix alone is no suffix there; in 9.1 it was.
 */
#ifndef GS_KEY_VERSION_H
#define GS_KEY_VERSION_H

#include <stdbool.h>

#include "format/key_text.h"

/** Less than, equal to or greater than 0. */
int gs_version_compare(struct gs_key_text one, struct gs_key_text other);

/** Append the key; returns true when eight bytes are there. */
bool gs_version_put(struct gs_key_bytes *bytes, struct gs_key_text text);

#endif
