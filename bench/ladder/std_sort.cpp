// SPDX-License-Identifier: BSD-2-Clause
/* std_sort.cpp - the C++ library's sort, callable from C */
#include <algorithm>
#include <cstdint>

#include "bench/ladder/std_sort.h"

extern "C" void
std_sort(uint32_t *keys, size_t count)
{
	std::sort(keys, keys + count);
}
