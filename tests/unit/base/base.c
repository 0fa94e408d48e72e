// SPDX-License-Identifier: BSD-2-Clause
/* base.c - messages, limits, arena, libraries, clocks, threads and their queue */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/dynload.h"
#include "base/limits.h"
#include "base/monitor.h"
#include "base/shared.h"
#include "base/status.h"
#include "base/thread.h"
#include "tests/unit/units.h"

void unit_base(void);

static void
check_status(void)
{
	struct gs_error error;
	void *memory = NULL;
	size_t room = 0;

	CHECK(gs_fail(GS_EIO, "%s: gone", "a") == GS_EIO && strcmp(gs_message(), "a: gone") == 0,
	      "a failure keeps its message");
	(void)gs_fail(GS_EIO, "again: %s", gs_message());
	CHECK(strcmp(gs_message(), "again: a: gone") == 0, "a message may quote the last one");
	errno = ENOENT;
	(void)gs_fail_errno(GS_EIO, "b");
	CHECK(strcmp(gs_message(), "b: No such file or directory") == 0, "errno is put in words");
	gs_error_keep(&error, GS_EIO);
	CHECK(gs_allocate(&memory, SIZE_MAX / 8, 8, "words") == GS_EBUDGET && memory == NULL &&
	      strcmp(gs_message(), "no memory for 2305843009213693951 words") == 0,
	      "what is too much is named");
	CHECK(gs_allocate(&memory, 1, SIZE_MAX / 2, "words") == GS_EBUDGET &&
	      strcmp(gs_message(), "no memory for words") == 0, "one is not counted: WHAT may be several");
	CHECK(gs_grow(&memory, &room, SIZE_MAX / 32, 8, "words") == GS_EBUDGET && room == 0 &&
	      strcmp(gs_message(), "no memory for 1152921504606846974 words") == 0, "also where it grows");
	(void)gs_error_again(&error);
	CHECK(gs_failure_errno() == ENOENT && gs_fail(GS_EINPUT, "c") == GS_EINPUT &&
	      gs_failure_errno() == 0, "a failure has the errno that it came of, if there is one");
	CHECK(gs_error_again(&error) == GS_EIO && gs_failure() == GS_EIO && gs_failure_errno() == ENOENT &&
	      strcmp(gs_message(), "b: No such file or directory") == 0,
	      "an error that was kept is the same");
}

static void
check_limits(void)
{
	struct gs_limits limits;

	gs_limits_read(&limits, false);
	CHECK(limits.cores >= 1, "there is a core");
	CHECK(limits.ram_bytes >= 64 << 20, "and memory");
	CHECK(limits.room_bytes <= limits.ram_bytes && limits.room_bytes <= limits.address_bytes,
	      "no more room than memory or addresses");
	CHECK(limits.host_bytes <= limits.ram_bytes / 4 * 3 && limits.host_bytes < limits.room_bytes,
	      "some memory is left to others");
	CHECK(gs_limits_disk_bytes("/nowhere") == UINT64_MAX, "the space of no folder is unknown");
	CHECK(gs_limits_disk_bytes("/proc") == 0, "there is none in /proc");
}

static void
check_temp_dir(void)
{
	static const struct { const char *set, *expected; } rows[] = {
		{ NULL, "/tmp" }, { "", "/tmp" }, { "/", "/" }, { "a folder", "a folder" },
	};
	const char *before = getenv("TMPDIR");
	char *kept = before != NULL ? strdup(before) : NULL;

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		if (rows[r].set != NULL)
			setenv("TMPDIR", rows[r].set, 1);
		else
			unsetenv("TMPDIR");
		CHECK(strcmp(gs_temp_dir(), rows[r].expected) == 0,
		      "TMPDIR '%s' means %s", rows[r].set, gs_temp_dir());
	}
	if (kept != NULL)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

static void
check_library(void)
{
	static void (*function)(void), (*other)(void);
	static const struct gs_symbol whole[] = {
		{ "pow", &function, false }, { "no_such_function", &other, true },
	}, broken[] = { { "no_such_function", &other, false } };
	struct gs_library library = GS_LIBRARY("libm.so.6", whole);
	struct gs_library lacking = GS_LIBRARY("libm.so.6", broken);
	struct gs_library missing = GS_LIBRARY("libnothing.so.0", whole);

	CHECK(gs_library_loads(&library) && function != NULL && other == NULL,
	      "a library may lack a function that is optional");
	function = NULL;
	CHECK(gs_library_loads(&library) && function == NULL, "it is loaded once");
	CHECK(!gs_library_loads(&lacking), "it may not lack another");
	CHECK(!gs_library_loads(&missing), "a library that does not exist is not loaded");
	missing.soname = library.soname;
	CHECK(gs_library_loads(&missing) && function != NULL, "until it does");
}

static void
check_clock(void)
{
	struct gs_clock clock = { .ns = { 0 } };
	const uint64_t before = gs_clock_wall();
	uint64_t since = gs_clock_now();

	while (gs_clock_wall() == before)
		;
	gs_clock_lap(&clock, GS_STAGE_MERGE, &since);
	gs_clock_lap(NULL, GS_STAGE_READ, &since);
	CHECK(clock.ns[GS_STAGE_MERGE] > 0 && clock.ns[GS_STAGE_READ] == 0,
	      "a lap counts for its stage");
}

static void
check_arena(void)
{
	struct gs_arena arena;
	char *a, *b;

	CHECK(gs_arena_open(&arena, gs_arena_round(100) + gs_arena_round(5 << 20), true) == GS_OK, "opens");
	a = gs_arena_take(&arena, 100);
	b = gs_arena_take(&arena, 5 << 20);
	CHECK((uintptr_t)a % 4096 == 0 && (uintptr_t)b % 4096 == 0, "carvings are page-aligned");
	CHECK(b >= a + 100, "carvings are disjoint");
	b[0] = b[(5 << 20) - 1] = 1;
	gs_arena_forget(b, 5 << 20);
	CHECK(b[0] == 0 && b[(5 << 20) - 1] == 0, "what was forgotten is zero again");
	CHECK(mlock(b, 4096) == 0, "a page can be locked");
	b[0] = 1;
	CHECK(gs_arena_forget(b, 5 << 20), "and forgotten");
	CHECK(b[0] == 0, "one that is locked, too");
	gs_arena_close(&arena);
	CHECK(gs_arena_open(&arena, SIZE_MAX / 2, false) == GS_EBUDGET, "too much is refused");
	CHECK(strstr(gs_message(), "MiB") != NULL, "with its size");
}

struct numbers {
	struct gs_queue queue;
	int             items[100];
};

static gs_status
give_all(void *context)
{
	struct numbers *numbers = context;

	for (int i = 0; i < 100; i++) {
		numbers->items[i] = i;
		if (!gs_queue_give(&numbers->queue, &numbers->items[i]))
			return gs_fail(GS_EIO, "shut at %d", i);
	}
	gs_queue_shut(&numbers->queue);
	return GS_OK;
}

static void
check_thread(void)
{
	struct gs_thread thread = { .runs = false };
	struct numbers numbers;
	int *item, expected = 0;

	gs_queue_open(&numbers.queue);
	CHECK(gs_thread_start(&thread, give_all, &numbers) == GS_OK, "a thread starts");
	while ((item = gs_queue_take(&numbers.queue)) != NULL)
		expected += *item == expected;
	CHECK(expected == 100, "a queue keeps order and loses nothing");
	CHECK(gs_thread_join(&thread) == GS_OK, "a thread's success is joined");
	gs_queue_close(&numbers.queue);

	gs_queue_open(&numbers.queue);
	gs_queue_shut(&numbers.queue);
	CHECK(gs_thread_start(&thread, give_all, &numbers) == GS_OK, "it starts again");
	CHECK(gs_thread_join(&thread) == GS_EIO && strcmp(gs_message(), "shut at 0") == 0,
	      "a thread's error is joined with its message");
	gs_queue_close(&numbers.queue);
}

/* Another process would map it with the same offer. */
static void
check_shared(void)
{
	struct gs_shared own = { .base = NULL }, other = { .base = NULL };
	struct gs_shared_offer offer, wrong;

	CHECK(gs_shared_make(&own, 100000, &offer), "memory to share is made");
	CHECK(own.bytes >= 100000 && own.base[0] == 0 && own.base[99999] == 0, "it is zeroed");
	if (offer.fd >= 0) {		/* else this system cannot share it */
		CHECK(gs_shared_map(&other, &offer) && other.base != own.base, "it is mapped once more");
		own.base[99999] = 7;
		CHECK(other.base != NULL && other.base[99999] == 7, "what one writes the other reads");
		gs_shared_close(&other);
		wrong = offer;
		wrong.mark++;
		CHECK(!gs_shared_map(&other, &wrong), "another mark: it is the file of somebody else");
		wrong = offer;
		wrong.bytes += 4096;
		CHECK(!gs_shared_map(&other, &wrong), "another length: likewise");
		wrong = offer;
		wrong.fd = 0;
		CHECK(!gs_shared_map(&other, &wrong), "what is no such memory is not even opened");
	}
	wrong = offer;
	wrong.fd = -1;
	CHECK(!gs_shared_map(&other, &wrong), "what cannot be shared is not mapped");
	gs_shared_close(&other);
	gs_shared_close(&own);
	CHECK(own.base == NULL, "it is closed");
}

void
unit_base(void)
{
	check_shared();
	check_status();
	check_limits();
	check_temp_dir();
	check_library();
	check_clock();
	check_arena();
	check_thread();
}
