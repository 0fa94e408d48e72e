// SPDX-License-Identifier: BSD-2-Clause
/* clock.c - the one variable of clock.h */
#include "base/clock.h"

_Thread_local uint64_t gs_clock_helped;
