// SPDX-License-Identifier: BSD-2-Clause
/*
 * launch.cpp - run a grid on the host: fibers for threads
 *
 * A block runs on one thread of the host.  Each of its threads is a fiber that
 * runs until it has to wait for others: then the scheduler resumes the next.  A
 * warp runs while any of its lanes can, then the next warp runs.  The last lane to
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
 * Invariant: a fiber that can run is READY; only the scheduler resumes fibers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cuda_runtime.h"

static const unsigned LANES = 32, MAX_THREADS = 1024;
static const size_t STACK_BYTES = 256 << 10, GUARD_BYTES = 4096;
/* Stacks begin that much apart modulo STACK_BYTES, or all would share a few sets of the cache. */
static const size_t STAGGER_BYTES = 128;

enum state { READY, IN_WARP, IN_BLOCK, ASLEEP, LEFT };

/* ---- switching stacks ---------------------------------------------------- */

#ifdef __x86_64__

/* What a call preserves goes on the stack, the stack to *from; then the same backwards. */
typedef void *stack;

extern "C" void emu_switch(stack *from, stack *to);

__asm__(
	".text\n"
	".globl emu_switch\n"
	".type emu_switch, @function\n"
	"emu_switch:\n"
	"	pushq %rbp\n	pushq %rbx\n	pushq %r12\n"
	"	pushq %r13\n	pushq %r14\n	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq (%rsi), %rsp\n"
	"	popq %r15\n	popq %r14\n	popq %r13\n"
	"	popq %r12\n	popq %rbx\n	popq %rbp\n"
	"	ret\n"
	".size emu_switch, .-emu_switch\n"
	".section .note.GNU-stack,\"\",@progbits\n"
	".text\n");

static void
stack_init(stack *fiber, char *memory, size_t unused, void (*entry)(void))
{
	void **top = (void **)(memory + STACK_BYTES - unused) - 2;

	top[0] = (void *)entry;		/* ret goes there, stack as after a call */
	top[1] = NULL;
	for (int saved = 1; saved <= 6; saved++)
		top[-saved] = NULL;
	*fiber = top - 6;
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
	emu_site  site;		/* where it waits */
	unsigned  mask;		/* for whom */
	uint64_t  value, result;
	int       source;
};

/* What a host thread needs to run blocks; kept for the next launch. */
struct runner {
	fiber    *fibers;
	char     *stacks;
	unsigned  count;
	fiber    *self;
	stack     scheduler;
	void    (*thread)(void *context);
	void     *context;
	bool      reverse;
	unsigned  arrived[MAX_THREADS / LANES];	/* of each warp: the lanes that are IN_WARP */
};

static thread_local runner here;
__thread emu_place *emu_here;

static void
give_up(const char *what)
{
	fprintf(stderr, "emulator: block %u: %s\n", emu_here->block_index.x, what);
	for (unsigned t = 0; t < here.count; t++) {
		const fiber *f = &here.fibers[t];

		if (f->now == LEFT)
			fprintf(stderr, "  thread %u has left\n", t);
		else
			fprintf(stderr, "  thread %u waits at %s:%d (operation %d, mask %08x)\n",
			        t, f->site.file, f->site.line, (int)f->site.operation, f->mask);
	}
	abort();
}

static bool
same_site(const emu_site *a, const emu_site *b)
{
	return a->operation == b->operation && a->line == b->line &&
	       (a->file == b->file || strcmp(a->file, b->file) == 0);
}

unsigned char *
emu_dynamic_shared(void)
{
	static thread_local struct alignas(128) { unsigned char bytes[EMU_SHARED_BYTES]; } shared;

	return shared.bytes;
}

static void
wait_as(state state)
{
	here.self->now = state;
	emu_switch(&here.self->saved, &here.scheduler);
}

/* What lane LANE gets, once all lanes of MASK have come. */
static uint64_t
warp_result(const fiber *warp, unsigned lane)
{
	const fiber *self = &warp[lane];
	uint64_t bits = 0, sum = 0, least = UINT64_MAX, most = 0;

	if (self->site.operation == EMU_SHUFFLE) {
		if ((self->mask >> self->source & 1) == 0)
			give_up("a shuffle reads a lane that does not take part");
		return warp[self->source].value;
	}
	for (unsigned l = 0; l < LANES; l++)
		if (self->mask >> l & 1) {
			uint64_t value = warp[l].value;

			if (self->site.operation == EMU_MATCH ? value == self->value : value != 0)
				bits |= (uint64_t)1 << l;
			sum += value;
			least = value < least ? value : least;
			most = value > most ? value : most;
		}
	switch (self->site.operation) {
	case EMU_ADD: return sum;
	case EMU_MIN: return least;
	case EMU_MAX: return most;
	default:      return bits;
	}
}

uint64_t
emu_warp(emu_site site, unsigned mask, uint64_t value, int source)
{
	fiber *self = here.self;
	const unsigned lane = emu_lane();
	fiber *warp = self - lane;
	const size_t first = (size_t)(warp - here.fibers);
	unsigned *arrived = &here.arrived[first / LANES];

	self->site = site;
	self->mask = mask;
	self->value = value;
	self->source = source;
	self->now = IN_WARP;
	if ((mask >> lane & 1) == 0)
		give_up("a lane is not in its own mask");
	if (here.count - first < LANES && mask >> (here.count - first) > 0)
		give_up("a mask names a lane that does not exist");
	*arrived |= 1u << lane;
	if ((*arrived & mask) != mask) {
		wait_as(IN_WARP);
		return self->result;
	}
	for (unsigned l = 0; l < LANES; l++)
		if ((mask >> l & 1) && (warp[l].mask != mask || !same_site(&warp[l].site, &site)))
			give_up("lanes of a mask do different things");
	/* all lanes get the same, but of a shuffle and a match */
	self->result = warp_result(warp, lane);
	for (unsigned l = 0; l < LANES; l++)
		if (mask >> l & 1)
			warp[l].result = site.operation == EMU_SHUFFLE || site.operation == EMU_MATCH ?
				warp_result(warp, l) : self->result;
	for (unsigned l = 0; l < LANES; l++)
		if (mask >> l & 1)
			warp[l].now = READY;
	*arrived &= ~mask;
	return self->result;
}

int
emu_block(emu_site site, int value)
{
	here.self->site = site;
	here.self->value = (uint64_t)value;
	wait_as(IN_BLOCK);
	return (int)here.self->result;
}

void
emu_sleep(void)
{
	wait_as(ASLEEP);
}

/* Wake all that sleep; were there any? */
static bool
wake_all(void)
{
	bool any = false;

	for (unsigned t = 0; t < here.count; t++)
		if (here.fibers[t].now == ASLEEP) {
			here.fibers[t].now = READY;
			any = true;
		}
	return any;
}

/* Nobody can go on.  Open the barrier if all are there, tell if all have left. */
static bool
open_barrier(void)
{
	const fiber *first = &here.fibers[0];
	unsigned left = 0;
	uint64_t sum = 0;

	for (unsigned t = 0; t < here.count; t++) {
		left += here.fibers[t].now == LEFT;
		sum += here.fibers[t].value;
	}
	if (left == here.count)
		return false;
	for (unsigned t = 0; t < here.count; t++) {
		if (here.fibers[t].now == IN_WARP)
			give_up("deadlock: lanes of a mask never come");
		if (here.fibers[t].now == LEFT)
			give_up("a barrier waits for threads that have left");
		if (!same_site(&here.fibers[t].site, &first->site))
			give_up("threads wait at different barriers");
	}
	for (unsigned t = 0; t < here.count; t++) {
		here.fibers[t].result = sum;
		here.fibers[t].now = READY;
	}
	return true;
}

static void
fiber_main(void)
{
	for (;;) {
		here.thread(here.context);
		wait_as(LEFT);
	}
}

/* Let the lanes of a warp run until none of them can. */
static void
run_warp(fiber *warp, unsigned lanes)
{
	bool ran = true;

	while (ran) {
		ran = false;
		for (unsigned l = 0; l < lanes; l++) {
			fiber *f = &warp[here.reverse ? lanes - 1 - l : l];

			if (f->now == READY) {
				here.self = f;
				emu_here = &f->place;
				emu_switch(&here.scheduler, &f->saved);
				ran = true;
			}
		}
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

	for (unsigned t = 0; t < here.count; t++) {
		fiber *f = &here.fibers[t];

		f->place.block_index = place;
		f->now = READY;
		f->value = 0;
	}
	do {
		for (unsigned w = 0; w < warps; w++) {
			unsigned first = (here.reverse ? warps - 1 - w : w) * LANES;
			unsigned lanes = here.count - first < LANES ? here.count - first : LANES;

			run_warp(&here.fibers[first], lanes);
		}
	} while (wake_all() || open_barrier());
}

/* A thread of OpenMP may end before the program: its runner goes with it. */
static thread_local struct leaver {
	bool armed;

	~leaver()
	{
		free(here.fibers);
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
	if (memory == MAP_FAILED || here.fibers == NULL) {
		fprintf(stderr, "emulator: no memory for stacks\n");
		abort();
	}
	here.stacks = (char *)memory;
	leaver.armed = true;		/* whoever touches it is told of the thread's end */
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
