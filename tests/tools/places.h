// SPDX-License-Identifier: BSD-2-Clause
/*
 * places.h - which TRY and THEN has passed an error up, in what run; or one of them drops its errors
 *
 * tests/tools/places compiles every file with this first.  In the folder $GSORT_PLACES each program has a file with
 * a struct place_record for each place: memory that processes share, so that it works in a sandbox and until
 * SIGKILL, and without calls to the system that tests/fault would count.  $GSORT_DROP is a FILE:LINE that goes on as
 * if there were no error.
 */
#ifndef GS_TESTS_PLACES_H
#define GS_TESTS_PLACES_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/status.h"

enum { GS_ERROR_PLACE_RUNS = 8, GS_ERROR_PLACE_NAME = 128, GS_ERROR_PLACE_RUN = 448 };

struct gs_error_place {
	char name[GS_ERROR_PLACE_NAME];
};

/* As tests/tools/places reads it. */
struct gs_error_place_record {
	char name[GS_ERROR_PLACE_NAME];
	char runs[GS_ERROR_PLACE_RUNS][GS_ERROR_PLACE_RUN];	/* the first that differ */
};

/* One of each in a program: all files have the same. */
#define GS_ERROR_PLACE_SHARED	__attribute__((weak, visibility("hidden")))

extern const struct gs_error_place __start_gs_error_places[] GS_ERROR_PLACE_SHARED;
extern const struct gs_error_place __stop_gs_error_places[] GS_ERROR_PLACE_SHARED;
bool gs_error_place_drops(const struct gs_error_place *place);
void gs_error_place_begin(void);

GS_ERROR_PLACE_SHARED struct gs_error_place_record *gs_error_place_records;
GS_ERROR_PLACE_SHARED const char *gs_error_place_dropped;
GS_ERROR_PLACE_SHARED char gs_error_place_run[GS_ERROR_PLACE_RUN];

/* What runs now: a fault, or a row of Bats; and the command. */
static inline void
gs_error_place_name_run(void)
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
		snprintf(gs_error_place_run, sizeof gs_error_place_run, "fault\t%s\t%s:%s:%s\t%s\t%s", getenv("FAULT_RUN"), call,
		         getenv("FAULT_ERROR"), getenv("FAULT_HOW"), getenv("FAULT_AT"), command);
	else
		snprintf(gs_error_place_run, sizeof gs_error_place_run, "row\t%s\t%s\t\t%s",
		         row != NULL ? getenv("BATS_TEST_FILENAME") : "", row != NULL ? row : "", command);
}

GS_ERROR_PLACE_SHARED __attribute__((constructor)) void
gs_error_place_begin(void)
{
	const size_t count = (size_t)(__stop_gs_error_places - __start_gs_error_places);
	const char *folder = getenv("GSORT_PLACES");
	char name[4096];
	int fd;

	if (gs_error_place_run[0] != '\0')
		return;
	gs_error_place_dropped = getenv("GSORT_DROP");
	gs_error_place_name_run();
	if (folder == NULL)
		return;
	snprintf(name, sizeof name, "%s/%s.%zu", folder, program_invocation_short_name, count);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0 && ftruncate(fd, (off_t)(count * sizeof *gs_error_place_records)) == 0) {
		void *memory = mmap(NULL, count * sizeof *gs_error_place_records, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		gs_error_place_records = memory != MAP_FAILED ? memory : NULL;
	}
	for (size_t p = 0; gs_error_place_records != NULL && p < count; p++)
		if (gs_error_place_records[p].name[0] == '\0')
			memcpy(gs_error_place_records[p].name, __start_gs_error_places[p].name, GS_ERROR_PLACE_NAME);
	close(fd);
}

/* PLACE has an error: is it dropped? */
GS_ERROR_PLACE_SHARED bool
gs_error_place_drops(const struct gs_error_place *place)
{
	for (unsigned r = 0; gs_error_place_records != NULL && r < GS_ERROR_PLACE_RUNS; r++) {
		char *run = gs_error_place_records[place - __start_gs_error_places].runs[r];

		if (run[0] == '\0')
			memcpy(run, gs_error_place_run, GS_ERROR_PLACE_RUN);
		if (strcmp(run, gs_error_place_run) == 0)
			break;
	}
	return gs_error_place_dropped != NULL && strlen(place->name) >= strlen(gs_error_place_dropped) &&
	       strcmp(place->name + strlen(place->name) - strlen(gs_error_place_dropped), gs_error_place_dropped) == 0;
}

#define GS_ERROR_PLACE_TEXT(line)	#line
#define GS_ERROR_PLACE_AT(line)	__FILE__ ":" GS_ERROR_PLACE_TEXT(line)
#define GS_ERROR_PLACE_ERROR(status) \
	(__builtin_expect((status) != GS_OK, 0) && !__extension__({ \
		static const struct gs_error_place gs_this_place __attribute__((section("gs_error_places"), used)) = { \
			GS_ERROR_PLACE_AT(__LINE__) }; \
		gs_error_place_drops(&gs_this_place); \
	}))

#undef TRY
#define TRY(call) \
	do { \
		gs_status try_status = (call); \
		if (GS_ERROR_PLACE_ERROR(try_status)) \
			return try_status; \
	} while (0)

#undef THEN
#define THEN(status, call) \
	do { \
		if ((status) == GS_OK) { \
			const gs_status then_status = (call); \
			\
			if (GS_ERROR_PLACE_ERROR(then_status)) \
				(status) = then_status; \
		} \
	} while (0)

#endif
