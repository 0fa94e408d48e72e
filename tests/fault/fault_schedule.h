// SPDX-License-Identifier: BSD-2-Clause
/* fault_schedule.h - which calls fail: fault.c asks for each call */
#ifndef TESTS_FAULT_SCHEDULE_H
#define TESTS_FAULT_SCHEDULE_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

#pragma GCC visibility push(hidden)

/* What is asked for. */
extern struct fault {
	const char *calls, *spared, *lacks;
	bool sites, on, halves, interrupts, signals;
	uint64_t at;
	int error;
	struct fault_report *report;
} fault;

/* One name, whoever has it. */
struct call {
	const char      *name;
	_Atomic uint64_t count;
	_Atomic int      wanted;	/* 0: not looked up yet; 1: yes; -1: no */
};

/* Is it this call's turn?  Then ERRNO is set. */
bool fails(struct call *call);

/* For calls that move bytes: the same, or halve the number of bytes. */
bool moves_not(struct call *call, size_t *bytes);

/* The same for a TRY or THEN of tests/tools/places.h, whose name is its place; "all" does not mean these. */
__attribute__((visibility("default"))) bool fault_place(struct call *call);

/* syscall(2) itself. */
long raw(long number, long a, long b, long c, long d, long e, long f);

#pragma GCC visibility pop

/* The usual kind is looked up by a function that ASan has taken over, but not always ready. */
#define THREAD_LOCAL	static _Thread_local __attribute__((tls_model("initial-exec")))

/* The function that would be called without the shim. */
#define REAL(function) \
	static __typeof__(&function) real; \
	if (real == NULL) \
		real = (__typeof__(&function))dlsym(RTLD_NEXT, #function)

#endif
