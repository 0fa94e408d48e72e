// SPDX-License-Identifier: BSD-2-Clause
/* spill.c - runs on disk, in temporary files without names */
#include "sort/spill.h"

gs_status gs_spill_open(struct gs_spill **spill, const struct gs_spill_options *options)
{ (void)spill, (void)options; return gs_fail(GS_EIO, "no spilling yet"); }
gs_status gs_spill_begin(struct gs_spill *spill, unsigned bits)
{ (void)spill, (void)bits; return gs_fail(GS_EIO, "no spilling yet"); }
gs_status gs_spill_write(struct gs_spill *spill, const void *keys, size_t count)
{ (void)spill, (void)keys, (void)count; return gs_fail(GS_EIO, "no spilling yet"); }
gs_status gs_spill_end(struct gs_spill *spill, struct gs_run *run)
{ (void)spill, (void)run; return gs_fail(GS_EIO, "no spilling yet"); }
void gs_spill_expect(struct gs_spill *spill, uint64_t bytes)
{ (void)spill, (void)bytes; }
gs_status gs_spill_read(struct gs_spill *spill, struct gs_run *run, void *into, size_t room, size_t *count)
{ (void)spill, (void)run, (void)into, (void)room, (void)count; return gs_fail(GS_EIO, "no spilling yet"); }
size_t gs_spill_most_runs(const struct gs_spill *spill) { (void)spill; return SIZE_MAX; }
uint64_t gs_spill_bytes(const struct gs_spill *spill) { (void)spill; return 0; }
void gs_spill_close(struct gs_spill *spill) { (void)spill; }
