// SPDX-License-Identifier: BSD-2-Clause
/* pipe.h - pipes: what Linux can do beyond POSIX, and what is done elsewhere */
#ifndef GS_PIPE_H
#define GS_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Make a pipe that no program inherits; false: errno says why. */
bool gs_pipe_open(int ends[2], bool blocks);

/** Make room for 1 MiB in a pipe, which is the most that an ordinary process may have: fewer switches,
 *  4.1 instead of 2.7 GB/s on a server.  May be forbidden, or unknown to the system: then nothing happens. */
void gs_pipe_enlarge(int fd);

/** Give pages to the reader of a pipe, as vmsplice(2): they must never change again.
 *  @return  bytes; -1: errno says why, ENOSYS where there is no such call: write(2) them */
ssize_t gs_pipe_give(int fd, char *pages, size_t bytes);

#endif
