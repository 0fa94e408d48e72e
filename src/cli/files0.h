// SPDX-License-Identifier: BSD-2-Clause
/*
 * files0.h - read the names of inputs from a file: --files0-from
 */
#ifndef GS_FILES0_H
#define GS_FILES0_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Read the names in the file FROM ("-": standard input).  A NUL ends each name; the last
 * may lack it.
 *
 * @names   set to the names, which are never freed
 * @return  true; or false after a message
 */
bool gs_files0_read(const char *from, const char *const **names, size_t *count);

#endif
