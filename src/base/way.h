// SPDX-License-Identifier: BSD-2-Clause
/*
 * way.h - fast ways that are taken: a name for each, for tests
 *
 * A fast way that is never taken changes no result.  gs_way() is its condition, which a build with -DGS_WAYS
 * (tests/tools/ways.c) also notes where it holds; in any other it is the condition alone.
 */
#ifndef GS_WAY_H
#define GS_WAY_H

#ifdef GS_WAYS
#include <stdbool.h>

bool gs_way(const char *name, bool taken);
#else
#define gs_way(name, taken)	(taken)
#endif

#endif
