// SPDX-License-Identifier: BSD-2-Clause
/*
 * places.h - which TRY and THEN has passed an error up, in what run; or one of them drops its errors
 *
 * tests/tools/places compiles every file with this first.  In the folder $GSORT_PLACES each program has a
 * file with a record for each place: memory that processes share, so that it works in a sandbox and until
 * SIGKILL, and without calls to the system that tests/fault would count.  $GSORT_DROP is a FILE:LINE that
 * goes on as if there were no error.  For tests/fault each place is a call that may fail: then the error is
 * here, and what was to be called is not called.
 */
#ifndef GS_TESTS_PLACES_H
#define GS_TESTS_PLACES_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/status.h"

enum { GS_SPOT_RUNS = 8, GS_SPOT_NAME = 128, GS_SPOT_RUN = 448 };

/* Aligned, so that the linker leaves no gaps between them. */
struct __attribute__((aligned(64))) gs_spot {
	char name[GS_SPOT_NAME];
	struct {			/* as in tests/fault/fault_schedule.h */
		const char      *name;
		_Atomic uint64_t count;
		_Atomic int      wanted;
	} call;
};

/* As tests/tools/places reads it. */
struct gs_spot_record {
	char name[GS_SPOT_NAME];
	char runs[GS_SPOT_RUNS][GS_SPOT_RUN];	/* the first that differ */
};

/* One of each in a program: all files have the same. */
#define GS_SPOT_SHARED	__attribute__((weak, visibility("hidden")))

extern struct gs_spot __start_gs_spots[] GS_SPOT_SHARED, __stop_gs_spots[] GS_SPOT_SHARED;
bool gs_spot_fails(struct gs_spot *spot);
bool gs_spot_drops(const struct gs_spot *spot);
void gs_spot_begin(void);

GS_SPOT_SHARED struct gs_spot_record *gs_spot_records;
GS_SPOT_SHARED const char *gs_spot_dropped;
GS_SPOT_SHARED char gs_spot_run[GS_SPOT_RUN];
GS_SPOT_SHARED bool (*gs_spot_strikes)(void *);
GS_SPOT_SHARED gs_status gs_spot_planted = GS_EIO;

/* What runs now: a fault, or a row of Bats; and the command. */
static inline void
gs_spot_name_run(void)
{
	const char *call = getenv("FAULT_CALL"), *row = getenv("BATS_TEST_NAME");
	char command[256] = "";
	const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	const ssize_t bytes = read(fd, command, sizeof command - 1);

	close(fd);
	for (ssize_t b = 0; b < bytes - 1; b++)
		if (command[b] == '\0' || command[b] == '\n' || command[b] == '\t')
			command[b] = ' ';
	if (call != NULL)
		snprintf(gs_spot_run, sizeof gs_spot_run, "fault\t%s\t%s:%s:%s\t%s\t%s", getenv("FAULT_RUN"),
		         call, getenv("FAULT_ERROR"), getenv("FAULT_HOW"), getenv("FAULT_AT"), command);
	else
		snprintf(gs_spot_run, sizeof gs_spot_run, "row\t%s\t%s\t\t%s",
		         row != NULL ? getenv("BATS_TEST_FILENAME") : "", row != NULL ? row : "", command);
}

GS_SPOT_SHARED __attribute__((constructor)) void
gs_spot_begin(void)
{
	const size_t count = (size_t)(__stop_gs_spots - __start_gs_spots);
	const size_t bytes = count * sizeof *gs_spot_records;
	const char *folder = getenv("GSORT_PLACES"), *error = getenv("FAULT_ERROR");
	char name[4096];
	void *memory;
	int fd;

	if (gs_spot_run[0] != '\0')
		return;
	gs_spot_dropped = getenv("GSORT_DROP");
	gs_spot_strikes = (bool (*)(void *))dlsym(RTLD_DEFAULT, "fault_place");
	if (error != NULL && strcmp(error, "ENOMEM") == 0)
		gs_spot_planted = GS_EBUDGET;
	for (size_t s = 0; s < count; s++) {
		const char *name = strstr(__start_gs_spots[s].name, "src/");

		if (name != NULL && gs_spot_strikes != NULL) {
			char *copy = strdup(name);

			*strrchr(copy, ':') = '@';
			__start_gs_spots[s].call.name = copy;
		}
	}
	gs_spot_name_run();
	if (folder == NULL)
		return;
	snprintf(name, sizeof name, "%s/%s.%zu", folder, program_invocation_short_name, count);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0) {
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		gs_spot_records = memory != MAP_FAILED ? memory : NULL;
	}
	for (size_t s = 0; gs_spot_records != NULL && s < count; s++)
		if (gs_spot_records[s].name[0] == '\0')
			memcpy(gs_spot_records[s].name, __start_gs_spots[s].name, GS_SPOT_NAME);
	close(fd);
}

/* Is there an error of SPOT itself? */
GS_SPOT_SHARED bool
gs_spot_fails(struct gs_spot *spot)
{
	return spot->call.name != NULL && gs_spot_strikes(&spot->call);
}

/* SPOT has an error: is it dropped? */
GS_SPOT_SHARED bool
gs_spot_drops(const struct gs_spot *spot)
{
	const char *drop = gs_spot_dropped;

	for (unsigned r = 0; gs_spot_records != NULL && r < GS_SPOT_RUNS; r++) {
		char *run = gs_spot_records[spot - __start_gs_spots].runs[r];

		if (run[0] == '\0')
			memcpy(run, gs_spot_run, GS_SPOT_RUN);
		if (strcmp(run, gs_spot_run) == 0)
			break;
	}
	return drop != NULL && strlen(spot->name) >= strlen(drop) &&
	       strcmp(spot->name + strlen(spot->name) - strlen(drop), drop) == 0;
}

#define GS_SPOT_TEXT(line)	#line
#define GS_SPOT_AT(line)	__FILE__ ":" GS_SPOT_TEXT(line)
#define GS_SPOT \
	static struct gs_spot gs_this_spot __attribute__((section("gs_spots"), used)) = { \
		GS_SPOT_AT(__LINE__), { 0 } }
#define GS_SPOT_CALL(made) \
	(gs_spot_fails(&gs_this_spot) \
	 ? gs_fail(gs_spot_planted, "planted: %s", gs_this_spot.call.name) : (made))

#undef TRY
#define TRY(call) \
	do { \
		GS_SPOT; \
		const gs_status try_status = GS_SPOT_CALL(call); \
		\
		if (try_status != GS_OK && !gs_spot_drops(&gs_this_spot)) \
			return try_status; \
	} while (0)

#undef THEN
#define THEN(status, call) \
	do { \
		if ((status) == GS_OK) { \
			GS_SPOT; \
			const gs_status then_status = GS_SPOT_CALL(call); \
			\
			if (then_status != GS_OK && !gs_spot_drops(&gs_this_spot)) \
				(status) = then_status; \
		} \
	} while (0)

#endif
