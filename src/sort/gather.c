// SPDX-License-Identifier: BSD-2-Clause
/* gather.c - sorted sources, in memory or not, become one order */
#include "sort/gather.h"

size_t gs_gather_bytes_least(size_t sources, unsigned threads)
{ (void)sources, (void)threads; return 0; }
size_t gs_gather_bytes_useful(size_t sources, unsigned threads)
{ (void)sources, (void)threads; return 0; }
gs_status gs_gather_open(struct gs_gather **gather, void *memory, size_t memory_bytes, unsigned bits,
               const struct gs_source *sources, size_t count, unsigned threads)
{ (void)gather, (void)memory, (void)memory_bytes, (void)bits, (void)sources, (void)count, (void)threads;
  return gs_fail(GS_EIO, "no gathering yet"); }
gs_status gs_gather_next(struct gs_gather *gather, struct gs_span *span)
{ (void)gather, (void)span; return gs_fail(GS_EIO, "no gathering yet"); }
void gs_gather_close(struct gs_gather *gather) { (void)gather; }
