// SPDX-License-Identifier: BSD-2-Clause
/* std_sort.cpp - the C++ library's sort behind a C wall; part of gsort-bench only */
#include <algorithm>
#include <cstdint>

#include "bench/references.h"

extern "C" void
std_sort(uint32_t *keys, size_t count)
{
	std::sort(keys, keys + count);
}
