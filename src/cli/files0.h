// SPDX-License-Identifier: BSD-2-Clause
/*
 * files0.h - names of inputs from a file: --files0-from
 */
#ifndef GS_FILES0_H
#define GS_FILES0_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Read the names in the file FROM ("-": standard input), each ended by NUL; the last
 * NUL may be missing.
 *
 * @names   set to them; they stay until the process ends
 * @return  true; or false, and standard error has said why
 */
bool gs_files0_read(const char *from, const char *const **names, size_t *count);

#endif
