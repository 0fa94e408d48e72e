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

/* The path of PROGRAM, by PATH; the caller frees it.  NULL: no such file may be run. */
static char *
find_program(const char *program)
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

bool
gs_compression_starts_programs(const char *name)
{
	return name != NULL && strcmp(name, "zstd") != 0 && strcmp(name, "lz4") != 0;
}

bool
gs_compression_open(struct gs_compression *by, const char *name, const struct gs_monitor *monitor)
{
	*by = (struct gs_compression){ .method = name[0] == 'z' ? GS_PACK_ZSTD : GS_PACK_LZ4 };
	if (!gs_compression_starts_programs(name))
		return true;
	*by = (struct gs_compression){ GS_PACK_PROGRAM, find_program(name) };
	if (by->program == NULL)
		gs_warn(monitor, "cannot run '%s': temporary files are not compressed", name);
	return by->program != NULL;
}

void
gs_compression_close(struct gs_compression *by)
{
	free(by->program);
}

/* A child process belongs to the caller that started it, until it has ended. */
struct child {
	pid_t id;	/* 0: none */
	int   pipe;	/* to its input, or from its output */
};

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

/* Run PROGRAM: bytes written to child->pipe go through it to FILE; if it EXPANDS, by -d, bytes read from
 * child->pipe come through it from FILE. */
static gs_status
start(struct child *child, const char *program, int file, bool expands)
{
	int ends[2], error;

	*child = (struct child){ .id = 0, .pipe = -1 };
	if (!make_pipe(ends))
		return gs_fail_errno(GS_EIO, "cannot make a pipe to '%s'", program);
	error = expands ? spawn(&child->id, program, "-d", file, ends[1])
	                : spawn(&child->id, program, NULL, ends[0], file);
	(void)close(ends[expands ? 1 : 0]);
	child->pipe = ends[expands ? 0 : 1];
	if (error == 0)
		return GS_OK;
	(void)close(child->pipe);
	*child = (struct child){ .id = 0, .pipe = -1 };
	errno = error;
	return gs_fail_errno(GS_EIO, "cannot run '%s' for temporary files", program);
}

/* Wait for the child.  Returns its status, as wait(2) does; 0: it succeeded, as far as is known. */
static int
reap(struct child *child)
{
	int status = 0;
	pid_t ended;

	(void)close(child->pipe);
	while ((ended = waitpid(child->id, &status, 0)) < 0 && errno == EINTR)
		;
	*child = (struct child){ .id = 0, .pipe = -1 };
	/* If SIGCHLD is ignored, the status is lost; the checksum of the keys will show an
	 * error. */
	return ended < 0 ? 0 : status;
}

/* Close the pipe and wait for the end. */
static gs_status
end(struct child *child, const char *program)
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

/* Write BYTES to the program's input. */
static gs_status
write_all(struct child *child, const char *program, const void *from, size_t bytes)
{
	if (gs_spill_write_quietly(child->pipe, from, bytes, -1) == bytes)
		return GS_OK;
	if (errno != EPIPE)
		return gs_fail_errno(GS_EIO, "cannot write to '%s'", program);
	TRY(end(child, program));
	return gs_fail(GS_EIO, "'%s', which compresses temporary files, ended before it had read "
	               "all its input", program);
}

/* Read all that the program writes INTO.  *GOT: BYTES if all is as expected; else it wrote fewer, or more. */
static gs_status
read_all(struct child *child, const char *program, void *into, size_t bytes, size_t *got)
{
	char beyond;

	*got = 0;
	while (*got <= bytes) {
		const ssize_t more = *got < bytes ? read(child->pipe, (char *)into + *got, bytes - *got)
		                                  : read(child->pipe, &beyond, 1);

		if (more < 0 && errno != EINTR)
			return gs_fail_errno(GS_EIO, "cannot read from '%s -d'", program);
		if (more == 0)
			break;
		*got += more > 0 ? (size_t)more : 0;
	}
	/* If the program writes more than expected, do not wait for it. */
	return *got <= bytes ? end(child, program) : GS_OK;
}

/* Kill the program, if it runs, and wait for its end. */
static void
kill_child(struct child *child)
{
	if (child->id == 0)
		return;
	(void)kill(child->id, SIGKILL);
	(void)reap(child);
}

/* ---- bytes in memory, through a file -------------------------------------------- */

/* Run the program with the packer's file, from its front on: bytes FROM to it, or from it INTO; *GOT says how
 * many. */
static gs_status
run(const struct gs_packer *packer, const void *from, void *into, size_t bytes, size_t *got)
{
	const struct gs_spill_file *scratch = &packer->scratch;
	const char *program = packer->by->program;
	struct child child;
	gs_status status;

	if (lseek(scratch->fd, 0, SEEK_SET) != 0)
		return gs_fail_errno(GS_EIO, "cannot read a temporary file in %s", scratch->dir);
	TRY(start(&child, program, scratch->fd, from == NULL));
	if (from == NULL)
		status = read_all(&child, program, into, bytes, got);
	else if ((status = write_all(&child, program, from, bytes)) == GS_OK)
		status = end(&child, program);
	kill_child(&child);
	return status;
}

/* The packer's file is there and empty; its disk space is free. */
static gs_status
clear(struct gs_packer *packer, const char *dir)
{
	struct gs_spill_file *scratch = &packer->scratch;

	if (scratch->fd < 0)
		return gs_spill_file_make(scratch, dir);
	scratch->end = 0;
	while (ftruncate(scratch->fd, 0) != 0)
		if (errno != EINTR)
			return gs_fail_errno(GS_EIO, "cannot write a temporary file in %s", scratch->dir);
	return GS_OK;
}

gs_status
gs_program_pack(struct gs_packer *packer, const char *dir, const void *from, void *to, size_t bytes,
                size_t *packed)
{
	off_t end;

	*packed = 0;
	TRY(clear(packer, dir));
	TRY(run(packer, from, NULL, bytes, NULL));
	end = lseek(packer->scratch.fd, 0, SEEK_END);
	if (end > 0 && (size_t)end < bytes) {
		TRY(gs_spill_file_read(&packer->scratch, 0, to, (size_t)end));
		*packed = (size_t)end;
	}
	return clear(packer, dir);
}

gs_status
gs_program_unpack(struct gs_packer *packer, const char *dir, const void *from, size_t packed, void *to,
                  size_t bytes)
{
	size_t got = 0;

	TRY(clear(packer, dir));
	TRY(gs_spill_file_write(&packer->scratch, from, packed));
	TRY(run(packer, NULL, to, bytes, &got));
	TRY(clear(packer, dir));
	return got == bytes ? GS_OK : gs_spill_file_corrupt(dir);
}
