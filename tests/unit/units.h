// SPDX-License-Identifier: BSD-2-Clause
/* units.h - the interface of unit tables: one program, a function per module */
#ifndef UNITS_H
#define UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

extern unsigned units_failed, units_run;

/* Note one case: its row's sentence, and whether it holds. */
#define CHECK(holds, ...) \
	do { \
		units_run++; \
		if (!(holds)) { \
			units_failed++; \
			printf("%s:%d: not so: ", __FILE__, __LINE__); \
			printf(__VA_ARGS__); \
			printf("\n"); \
		} \
	} while (0)

/*
 * Whether to leave the longest rows out, as ./bootstrap check does; .ci/run and make check-slow
 * run them all (GSORT_CI is set).
 */
bool units_brief(void);

/* A number that looks random: splitmix64 (Steele, Lea, Flood, OOPSLA 2014) of its counter. */
uint64_t units_mix(uint64_t x);

/* Of two uint64_t, for qsort(3). */
int units_compare(const void *a, const void *b);

/* Sort COUNT keys by digits, the lowest first: unlike the tested code, and faster than qsort(3). */
void units_sort(uint64_t *keys, size_t count);

/* How many of COUNT keys of BITS, 32 or 64, are as expected before the first one that is not. */
size_t units_same(const void *keys, unsigned bits, const uint64_t *expect, size_t count);

/* A key, and where it was: sorted by key, and equal ones stay in their order. */
struct units_placed {
	uint64_t key, place;
};
void units_sort_placed(struct units_placed *keys, size_t count);

/* FOLDER/NAME, in memory that the sixteenth call after it takes over. */
const char *units_path(const char *folder, const char *name);

/* Items that end with a newline and have their first byte as their word: for struct gs_item_order. */
const char *units_line_end(const void *context, const char *item, const char *limit);
bool units_first_byte(const void *context, const char *const *items, const uint32_t *bytes,
                      size_t count, unsigned at, uint64_t *words);

/* The same with a word for each of the first three bytes. */
bool units_three_bytes(const void *context, const char *const *items, const uint32_t *bytes,
                       size_t count, unsigned at, uint64_t *words);

/* In units, not in units-emu: after NUMBER more calls of malloc(3) and others for memory, pread(2) and
 * pwrite(2), one fails. */
void units_fail(long number);

/* Has one failed since?  From now on none does. */
bool units_has_failed(void);

/* Bytes of malloc(3) that are in use.  0: threads keep what they free, as without
 * GLIBC_TUNABLES=glibc.malloc.tcache_count=0. */
size_t units_memory(void);

/* Run ROWS in a child process; returns its wait status, 0 if they hold. */
int units_child(void (*rows)(void));

/* Run ROWS in a child process, in which CALL fails with ERROR if its ARGUMENT has one of BITS, or always with
 * BITS 0; with CALL 0 no thread can be started.  Rows that fail there count as one. */
void units_denied(void (*rows)(void), unsigned call, unsigned argument, unsigned bits, unsigned error);

#endif
