// SPDX-License-Identifier: BSD-2-Clause
/*
 * place.h - write a part of a file whose other parts others write
 *
 * The file is divided into pieces of a MiB, and each of them has one writer: the one whose part has
 * the first byte of the piece.  Clients of NFS would overwrite a page that they share; those of
 * Lustre would take locks from each other.  So the first bytes of a part, up to the next whole MiB,
 * are kept, and are for the writer of that piece.
 */
#ifndef GS_PLACE_H
#define GS_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { GS_PLACE_BYTES = 1 << 20 };

struct gs_place {
	int         fd;
	const char *name;		/* for messages */
	bool        seeks;		/* false: a device, which takes bytes in any order */
	uint64_t    begin, end;		/* the part */
	uint64_t    at;			/* of the next byte */
	char       *head;		/* the first bytes, for another writer */
	size_t      head_bytes;		/* how many there will be */
};

/** Begin; FD is borrowed.  GS_EBUDGET: no memory. */
MUST_CHECK gs_status
gs_place_open(struct gs_place *place, int fd, const char *name, bool seeks, uint64_t begin,
              uint64_t end);

/** Write the next BYTES: for gsort_options.write.  CONTEXT is the place.  -1 and errno: it failed. */
int gs_place_write(void *context, const void *data, size_t bytes);

/** Write BYTES to AT: another one's head. */
int gs_place_write_at(const struct gs_place *place, const void *data, size_t bytes, uint64_t at);

/** A zeroed struct is allowed. */
void gs_place_close(struct gs_place *place);

#endif
