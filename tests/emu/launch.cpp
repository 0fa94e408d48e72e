// SPDX-License-Identifier: BSD-2-Clause
/*
 * launch.cpp - run a grid on the host: fibers for threads
 *
 * A block runs on one thread of the host.  Each of its threads is a fiber that
 * runs until it has to wait for others: then it resumes the next lane of its warp that can
 * run or, if none can, the scheduler, which runs the next warp.  The last lane to
 * reach a warp's operation performs it for all; a block's barrier opens when every
 * warp waits at it.
 *
 * A thread that waits for another block sleeps (__nanosleep) between two looks, so that others of
 * its block can run, which that block may wait for.
 *
 * If no fiber can run and some still wait, the kernel is wrong: the program prints
 * which threads wait where, and aborts.  It also aborts when threads wait at
 * different barriers, or have left a block in which others wait.
 *
 * Fibers change only where they wait, so a missing barrier might go unnoticed.
 * GSORT_EMU_REVERSE=1 runs lanes and warps last to first; a kernel that lacks a
 * barrier is wrong in one of the two orders.  Dynamic shared memory is all zeros
 * before a block, or all ones: a kernel may rely on neither.
 *
 * Invariant: of the fibers of one warp at a time one runs; those that can are in READY of their warps.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cuda_runtime.h"

/*
 * Shared memory of all kernels is thread_local, and the C library takes it from each thread's stack.  It is
 * more than a megabyte: with the stack that gsort asks for no thread could start.  emu_link wraps the call.
 */
extern "C" int __real_pthread_attr_setstacksize(pthread_attr_t *, size_t) __attribute__((weak));
extern "C" int __wrap_pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes);

extern "C" int
__wrap_pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes)
{
	return __real_pthread_attr_setstacksize(attributes, bytes + (4 << 20));
}

static const unsigned LANES = 32, MAX_THREADS = 1024;
static const size_t GUARD_BYTES = 4096;
/* An odd number of pages: with 64 all stacks shared a few sets of the TLB, and sorts took a tenth longer. */
static const size_t STACK_BYTES = 65 * GUARD_BYTES;
/* Stacks begin that much apart modulo STACK_BYTES, or all would share a few sets of the cache. */
static const size_t STAGGER_BYTES = 128;

enum state { READY, IN_WARP, IN_BLOCK, ASLEEP, LEFT };

/* ---- switching stacks ---------------------------------------------------- */

#ifdef __x86_64__

/* Where a fiber continues: its stack and frame. */
struct stack { void *top, *place, *frame; };

/*
 * What runs goes to *FROM, then *TO runs.  The compiler saves other registers once, if they matter: a
 * function that saved all of them took a fifth more time for a sort.  Nothing is pushed, as a leaf function
 * may have data below its stack.
 */
static inline __attribute__((always_inline)) void
emu_switch(stack *from, stack *to)
{
	__asm__ volatile(
		"	leaq 1f(%%rip), %%rax\n"
		"	movq %%rsp, (%%rdi)\n	movq %%rax, 8(%%rdi)\n	movq %%rbp, 16(%%rdi)\n"
		"	movq (%%rsi), %%rsp\n	movq 16(%%rsi), %%rbp\n"
		"	jmpq *8(%%rsi)\n"
		"1:\n"
		: "+D"(from), "+S"(to)
		:
		: "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
		  "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
		  "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

static void
stack_init(stack *fiber, char *memory, size_t unused, void (*entry)(void))
{
	void **top = (void **)(memory + STACK_BYTES - unused) - 1;

	*top = NULL;			/* as after a call */
	*fiber = stack{ top, (void *)entry, NULL };
}

#else

#include <ucontext.h>

typedef ucontext_t stack;

static void
emu_switch(stack *from, stack *to)
{
	swapcontext(from, to);
}

static void
stack_init(stack *fiber, char *memory, size_t unused, void (*entry)(void))
{
	getcontext(fiber);
	fiber->uc_stack.ss_sp = memory;
	fiber->uc_stack.ss_size = STACK_BYTES - unused;
	fiber->uc_link = NULL;
	makecontext(fiber, entry, 0);
}

#endif

/* ---- one block ----------------------------------------------------------- */

struct fiber {
	emu_place place;
	stack     saved;
	state     now;
};

/* The lanes of a warp, as bits and by number: which can run, which sleep, and where the others wait. */
struct warp {
	fiber   *fibers;
	unsigned lanes, ready, asleep;
	unsigned arrived;	/* wait for others of a mask: */
	unsigned masks[LANES];
	int      sources[LANES];
	uint64_t values[LANES], results[LANES];
	const emu_site *sites[LANES];
};

/* What a host thread needs to run blocks; kept for the next launch. */
struct runner {
	fiber    *fibers;
	warp     *warps;
	char     *stacks;
	unsigned  count;
	fiber    *self;
	warp     *own;		/* warp of SELF */
	stack     scheduler;
	void    (*thread)(void *context);
	void     *context;
	bool      reverse;
	unsigned  left;		/* threads that have left the block */
	unsigned  at_barrier;	/* or wait there: */
	const emu_site *barrier;
	uint64_t  sum, result;	/* of those that wait, and of the last barrier */
};

static thread_local runner here;
__thread emu_place *emu_here;

static void
give_up(const char *what)
{
	fprintf(stderr, "emulator: block %u: %s\n", emu_here->block_index.x, what);
	for (unsigned t = 0; t < here.count; t++) {
		const warp *w = &here.warps[t / LANES];
		const emu_site *site = w->sites[t % LANES];
		const state now = here.fibers[t].now;

		if (now == IN_WARP || now == IN_BLOCK)
			fprintf(stderr, "  thread %u waits at %s:%d (operation %d, mask %08x)\n", t,
			        site->file, site->line, (int)site->operation, w->masks[t % LANES]);
		else
			fprintf(stderr, "  thread %u %s\n", t,
			        now == LEFT ? "has left" : now == ASLEEP ? "sleeps" : "runs");
	}
	abort();
}

static bool
same_site(const emu_site *a, const emu_site *b)
{
	return a == b || (a->operation == b->operation && a->line == b->line &&
	                  (a->file == b->file || strcmp(a->file, b->file) == 0));
}

unsigned char *
emu_dynamic_shared(void)
{
	static thread_local struct alignas(128) { unsigned char bytes[EMU_SHARED_BYTES]; } shared;

	return shared.bytes;
}

/* Of the lanes that can run, the first one behind LANE in the order of this launch, or else the first. */
static unsigned
next_lane(unsigned ready, unsigned lane)
{
	const unsigned behind = ready & (here.reverse ? (1u << lane) - 1 : ~((2u << lane) - 1));
	const unsigned from = behind != 0 ? behind : ready;

	return (unsigned)(here.reverse ? 31 - __builtin_clz(from) : __builtin_ctz(from));
}

/* Let LANE of this warp run, which can; what ran until now goes to FROM. */
static inline __attribute__((always_inline)) void
resume(stack *from, unsigned lane)
{
	fiber *next = &here.own->fibers[lane];

	here.own->ready &= ~(1u << lane);
	here.self = next;
	emu_here = &next->place;
	next->now = READY;
	emu_switch(from, &next->saved);
}

static inline __attribute__((always_inline)) void
wait_as(state state)
{
	fiber *self = here.self;

	self->now = state;
	if (here.own->ready != 0)
		resume(&self->saved, next_lane(here.own->ready, self->place.lane));
	else
		emu_switch(&self->saved, &here.scheduler);
}

/* The result of an operation that gives the same to all lanes of MASK, which have all arrived. */
static uint64_t
common_result(const warp *w, unsigned mask, emu_operation operation)
{
	uint64_t bits = 0, sum = 0, least = UINT64_MAX, most = 0;

	for (unsigned l = 0; l < LANES; l++)
		if (mask >> l & 1) {
			const uint64_t value = w->values[l];

			bits |= (uint64_t)(value != 0) << l;
			sum += value;
			least = value < least ? value : least;
			most = value > most ? value : most;
		}
	return operation == EMU_ADD ? sum : operation == EMU_MIN ? least : operation == EMU_MAX ? most : bits;
}

/* The lanes of MASK that have the value of LANE. */
static unsigned
matches(const warp *w, unsigned mask, unsigned lane)
{
	unsigned bits = 0;

	for (unsigned l = 0; l < LANES; l++)
		bits |= (unsigned)(w->values[l] == w->values[lane]) << l;
	return bits & mask;
}

/* All lanes of MASK have arrived: set their results. */
static void
perform(warp *w, unsigned mask, const emu_site *site)
{
	uint64_t common = 0;

	for (unsigned l = 0; l < LANES; l++)
		if ((mask >> l & 1) && (w->masks[l] != mask || !same_site(w->sites[l], site)))
			give_up("lanes of a mask do different things");
	if (site->operation == EMU_SYNC)
		return;
	if (site->operation != EMU_SHUFFLE && site->operation != EMU_MATCH)
		common = common_result(w, mask, site->operation);
	for (unsigned l = 0; l < LANES; l++) {
		if ((mask >> l & 1) == 0)
			continue;
		if (site->operation == EMU_SHUFFLE && (mask >> w->sources[l] & 1) == 0)
			give_up("a shuffle reads a lane that does not take part");
		w->results[l] = site->operation == EMU_SHUFFLE ? w->values[w->sources[l]]
		                : site->operation == EMU_MATCH ? matches(w, mask, l) : common;
	}
}

uint64_t
emu_warp(const emu_site *site, unsigned mask, uint64_t value, int source)
{
	const unsigned lane = emu_lane();
	warp *w = here.own;

	w->sites[lane] = site;
	w->masks[lane] = mask;
	w->values[lane] = value;
	w->sources[lane] = source;
	if ((mask >> lane & 1) == 0)
		give_up("a lane is not in its own mask");
	if ((mask & ~w->lanes) != 0)
		give_up("a mask names a lane that does not exist");
	w->arrived |= 1u << lane;
	if ((w->arrived & mask) != mask) {
		wait_as(IN_WARP);
		return w->results[lane];
	}
	perform(w, mask, site);
	w->arrived &= ~mask;
	w->ready |= mask & ~(1u << lane);
	return w->results[lane];
}

int
emu_block(const emu_site *site, int value)
{
	here.own->sites[emu_lane()] = site;
	if (here.at_barrier++ == 0)
		here.barrier = site;
	else if (!same_site(here.barrier, site))
		give_up("threads wait at different barriers");
	here.sum += (uint64_t)value;
	wait_as(IN_BLOCK);
	return (int)here.result;
}

void
emu_sleep(void)
{
	here.own->asleep |= 1u << emu_lane();
	wait_as(ASLEEP);
}

/* Wake all sleeping lanes; were there any? */
static bool
wake_all(unsigned warps)
{
	unsigned any = 0;

	for (unsigned w = 0; w < warps; w++) {
		here.warps[w].ready |= here.warps[w].asleep;
		any |= here.warps[w].asleep;
		here.warps[w].asleep = 0;
	}
	return any != 0;
}

/* No lane can run.  Open the barrier if all are there; report whether all have left. */
static bool
open_barrier(unsigned warps)
{
	if (here.left == here.count)
		return false;
	if (here.left + here.at_barrier < here.count)
		give_up("deadlock: lanes of a mask never come");
	if (here.left > 0)
		give_up("a barrier waits for threads that have left");
	for (unsigned w = 0; w < warps; w++)
		here.warps[w].ready = here.warps[w].lanes;
	here.result = here.sum;
	here.sum = 0;
	here.at_barrier = 0;
	return true;
}

static void
fiber_main(void)
{
	for (;;) {
		here.thread(here.context);
		here.left++;
		wait_as(LEFT);
	}
}

/* What all blocks of a grid have in common.  Fibers that have left a block go on with the next one. */
static void
begin_grid(dim3 grid, dim3 block)
{
	for (unsigned t = 0; t < here.count; t++) {
		fiber *f = &here.fibers[t];

		f->place = emu_place{ { t % block.x, t / block.x % block.y, t / block.x / block.y },
		                      uint3{ 0, 0, 0 }, block, grid, t % LANES };
		if (f->now != LEFT)
			stack_init(&f->saved, here.stacks + t * STACK_BYTES, t * STAGGER_BYTES, fiber_main);
	}
}

static void
run_block(dim3 grid, size_t index)
{
	const uint3 place = {
		(unsigned)(index % grid.x), (unsigned)(index / grid.x % grid.y),
		(unsigned)(index / grid.x / grid.y),
	};
	const unsigned warps = (here.count + LANES - 1) / LANES;

	for (unsigned t = 0; t < here.count; t++)
		here.fibers[t].place.block_index = place;
	for (unsigned w = 0; w < warps; w++) {
		const unsigned lanes = here.count - w * LANES < LANES ? here.count - w * LANES : LANES;

		here.warps[w].fibers = &here.fibers[(size_t)w * LANES];
		here.warps[w].lanes = here.warps[w].ready = UINT32_MAX >> (LANES - lanes);
	}
	here.left = 0;
	do {
		for (unsigned w = 0; w < warps; w++) {
			here.own = &here.warps[here.reverse ? warps - 1 - w : w];
			while (here.own->ready != 0)	/* lanes resume each other until none can run */
				resume(&here.scheduler,
				       next_lane(here.own->ready, here.reverse ? 0 : LANES - 1));
		}
	} while (wake_all(warps) || open_barrier(warps));
}

/* A thread of OpenMP may end before the program: its runner goes with it. */
static thread_local struct leaver {
	bool armed;

	~leaver()
	{
		free(here.fibers);
		free(here.warps);
		munmap(here.stacks, (size_t)MAX_THREADS * STACK_BYTES);
	}
} leaver;

/* Stacks grow down, that of the first lane of a warp to a page that must not be touched: others need as much,
 * and a page for each of them took a third of the time of a small sort. */
static void
runner_init(void)
{
	const size_t bytes = (size_t)MAX_THREADS * STACK_BYTES;
	void *memory;

	if (here.fibers != NULL)
		return;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	here.fibers = (fiber *)calloc(MAX_THREADS, sizeof(fiber));
	here.warps = (warp *)calloc(MAX_THREADS / LANES, sizeof(warp));
	if (memory == MAP_FAILED || here.fibers == NULL || here.warps == NULL) {
		fprintf(stderr, "emulator: no memory for stacks\n");
		abort();
	}
	here.stacks = (char *)memory;
	leaver.armed = true;		/* its destructor runs when the thread ends */
	for (size_t at = 0; at < bytes; at += LANES * STACK_BYTES)
		mprotect(here.stacks + at, GUARD_BYTES, PROT_NONE);
}

cudaError_t
emu_launch(dim3 grid, dim3 block, size_t shared_bytes, void (*thread)(void *context),
           void *context)
{
	const size_t threads = (size_t)block.x * block.y * block.z;
	const size_t blocks = (size_t)grid.x * grid.y * grid.z;
	const char *reverse = getenv("GSORT_EMU_REVERSE");
	cudaError_t error = emu_call();

	if (error != cudaSuccess)
		return error;
	if (threads == 0 || threads > MAX_THREADS || blocks == 0 || grid.x > 0x7fffffffu ||
	    grid.y > 65535 || grid.z > 65535)
		return emu_note(cudaErrorInvalidConfiguration);
#pragma omp parallel if (blocks > 1)
	{
		runner_init();
		here.count = (unsigned)threads;
		here.thread = thread;
		here.context = context;
		here.reverse = reverse != NULL && *reverse == '1';
		begin_grid(grid, block);
#pragma omp for schedule(dynamic)
		for (size_t b = 0; b < blocks; b++) {
			memset(emu_dynamic_shared(), here.reverse ? 0xff : 0, shared_bytes);
			run_block(grid, b);
		}
	}
	emu_launched();
	return cudaSuccess;
}
