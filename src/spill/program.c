// SPDX-License-Identifier: BSD-2-Clause
/*
 * program.c - an external program that compresses: PROG from keys to a file, PROG -d back
 *
 * In:   keys as bytes, or a file.
 * Out:  a file, or the same bytes.
 *
 * Invariant: a child inherits no descriptor of ours (O_CLOEXEC) but the two that it is given, and
 * neither of those has the number of a standard stream here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "spill/compress.h"
#include "spill/file.h"

extern char **environ;		/* POSIX declares it in no header */

static bool
may_run(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

char *
gs_program_find(const char *program)
{
	const char *at = getenv("PATH"), *end;

	if (strchr(program, '/') != NULL)
		return may_run(program) ? strdup(program) : NULL;
	for (at = at != NULL ? at : "/bin:/usr/bin"; program[0] != '\0'; at = end + 1) {
		char *path;

		end = strchrnul(at, ':');
		if (asprintf(&path, "%.*s%s%s", (int)(end - at), at, end > at ? "/" : "", program) < 0)
			return NULL;
		if (may_run(path))
			return path;
		free(path);
		if (*end == '\0')
			break;
	}
	return NULL;
}

/* Start a process that reads INPUT and writes OUTPUT, with no signal blocked and SIGPIPE as
 * usual. */
static int
spawn(pid_t *id, const char *program, const char *option, int input, int output)
{
	char *arguments[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)option, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int error;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawn_file_actions_init(&actions);
	error = posix_spawn_file_actions_adddup2(&actions, input, 0);	/* may fail: it allocates */
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, output, 1);
	if (error == 0)
		error = posix_spawn(id, program, &actions, &attributes, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* A pipe whose ends have no number of a standard stream, even if those are closed. */
static bool
make_pipe(int ends[2])
{
	if (!gs_pipe_open(ends, true))
		return false;
	ends[0] = gs_high_fd(ends[0]);
	ends[1] = gs_high_fd(ends[1]);
	return ends[0] >= 0 && ends[1] >= 0;
}

gs_status
gs_child_start(struct gs_child *child, const char *program, int file, bool expands)
{
	int ends[2], error;

	*child = (struct gs_child){ .id = 0, .pipe = -1 };
	if (!make_pipe(ends))
		return gs_fail_errno(GS_EIO, "cannot make a pipe to '%s'", program);
	error = expands ? spawn(&child->id, program, "-d", file, ends[1])
	                : spawn(&child->id, program, NULL, ends[0], file);
	(void)close(ends[expands ? 1 : 0]);
	child->pipe = ends[expands ? 0 : 1];
	if (error == 0)
		return GS_OK;
	(void)close(child->pipe);
	*child = (struct gs_child){ .id = 0, .pipe = -1 };
	errno = error;
	return gs_fail_errno(GS_EIO, "cannot run '%s' for temporary files", program);
}

/* Wait for the child.  Returns its status, as wait(2) does; 0: it succeeded, as far as is known. */
static int
reap(struct gs_child *child)
{
	int status = 0;
	pid_t ended;

	(void)close(child->pipe);
	while ((ended = waitpid(child->id, &status, 0)) < 0 && errno == EINTR)
		;
	*child = (struct gs_child){ .id = 0, .pipe = -1 };
	/* If SIGCHLD is ignored, the status is lost; the checksum of the keys will show an
	 * error. */
	return ended < 0 ? 0 : status;
}

gs_status
gs_child_end(struct gs_child *child, const char *program)
{
	const int status = reap(child);

	if (WIFSIGNALED(status))
		return gs_fail(GS_EIO, "'%s', which compresses temporary files, was killed by signal %d",
		               program, WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return gs_fail(GS_EIO, "'%s', which compresses temporary files, failed with status %d",
		               program, WEXITSTATUS(status));
	return GS_OK;
}

gs_status
gs_child_write(struct gs_child *child, const char *program, const void *from, size_t bytes)
{
	if (gs_spill_write_quietly(child->pipe, from, bytes, -1) == bytes)
		return GS_OK;
	if (errno != EPIPE)
		return gs_fail_errno(GS_EIO, "cannot write to '%s'", program);
	TRY(gs_child_end(child, program));
	return gs_fail(GS_EIO, "'%s', which compresses temporary files, ended before it had read "
	               "all its input", program);
}

gs_status
gs_child_read(struct gs_child *child, const char *program, void *into, size_t bytes, bool last,
              size_t *got)
{
	char beyond;

	*got = 0;
	while (*got < bytes + last) {
		const ssize_t more = *got < bytes ? read(child->pipe, (char *)into + *got, bytes - *got)
		                                  : read(child->pipe, &beyond, 1);

		if (more < 0 && errno != EINTR)
			return gs_fail_errno(GS_EIO, "cannot read from '%s -d'", program);
		if (more == 0)
			break;
		*got += more > 0 ? (size_t)more : 0;
	}
	/* If the program writes more than expected, do not wait for it. */
	return *got < bytes || (last && *got == bytes) ? gs_child_end(child, program) : GS_OK;
}

void
gs_child_kill(struct gs_child *child)
{
	if (child->id == 0)
		return;
	(void)kill(child->id, SIGKILL);
	(void)reap(child);
}

/* ---- bytes in memory, through a file -------------------------------------------- */

/* Run PROGRAM with SCRATCH, from its front on: bytes FROM to it, or from it INTO; *GOT says how many. */
static gs_status
run(const char *program, const struct gs_spill_file *scratch, const void *from, void *into, size_t bytes,
    size_t *got)
{
	struct gs_child child;
	gs_status status;

	if (lseek(scratch->fd, 0, SEEK_SET) != 0)
		return gs_fail_errno(GS_EIO, "cannot read a temporary file in %s", scratch->dir);
	TRY(gs_child_start(&child, program, scratch->fd, from == NULL));
	if (from == NULL)
		status = gs_child_read(&child, program, into, bytes, true, got);
	else if ((status = gs_child_write(&child, program, from, bytes)) == GS_OK)
		status = gs_child_end(&child, program);
	gs_child_kill(&child);
	return status;
}

/* The scratch is empty; its disk space is free. */
static gs_status
clear(struct gs_spill_file *scratch)
{
	scratch->end = 0;
	while (ftruncate(scratch->fd, 0) != 0)
		if (errno != EINTR)
			return gs_fail_errno(GS_EIO, "cannot write a temporary file in %s", scratch->dir);
	return GS_OK;
}

gs_status
gs_program_pack(const char *program, struct gs_spill_file *scratch, const void *from, size_t bytes,
                void *into, size_t *packed)
{
	off_t end;

	*packed = 0;
	TRY(clear(scratch));
	TRY(run(program, scratch, from, NULL, bytes, NULL));
	end = lseek(scratch->fd, 0, SEEK_END);
	if (end > 0 && (size_t)end < bytes) {
		TRY(gs_spill_file_read(scratch, 0, into, (size_t)end));
		*packed = (size_t)end;
	}
	return clear(scratch);
}

gs_status
gs_program_unpack(const char *program, struct gs_spill_file *scratch, const void *from, size_t packed,
                  void *into, size_t bytes)
{
	size_t got = 0;

	TRY(clear(scratch));
	TRY(gs_spill_file_write(scratch, from, packed));
	TRY(run(program, scratch, NULL, into, bytes, &got));
	TRY(clear(scratch));
	return got == bytes ? GS_OK : gs_spill_file_corrupt(scratch->dir);
}
