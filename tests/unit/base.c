// SPDX-License-Identifier: BSD-2-Clause
/* base.c - messages, limits, arena, threads and their queue */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/thread.h"
#include "tests/unit/units.h"

void unit_base(void);

static void
check_status(void)
{
	CHECK(gs_fail(GS_EIO, "%s: gone", "a") == GS_EIO && strcmp(gs_message(), "a: gone") == 0,
	      "a failure keeps its sentence");
	(void)gs_fail(GS_EIO, "again: %s", gs_message());
	CHECK(strcmp(gs_message(), "again: a: gone") == 0, "a sentence may quote the last one");
	errno = ENOENT;
	(void)gs_fail_errno(GS_EIO, "b");
	CHECK(strcmp(gs_message(), "b: No such file or directory") == 0, "errno is put in words");
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
	CHECK(gs_limits_disk_bytes("/nowhere") == UINT64_MAX, "nobody knows the room nowhere");
	CHECK(gs_limits_disk_bytes("/proc") == 0, "there is none in /proc");
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
	CHECK(gs_thread_ends(&thread), "a joined thread has ended");
	gs_queue_close(&numbers.queue);

	gs_queue_open(&numbers.queue);
	gs_queue_shut(&numbers.queue);
	CHECK(gs_thread_start(&thread, give_all, &numbers) == GS_OK, "it starts again");
	CHECK(gs_thread_join(&thread) == GS_EIO && strcmp(gs_message(), "shut at 0") == 0,
	      "a thread's trouble is joined with its sentence");
	gs_queue_close(&numbers.queue);
}

void
unit_base(void)
{
	check_status();
	check_limits();
	check_arena();
	check_thread();
}
