// SPDX-License-Identifier: BSD-2-Clause
/*
 * place.c - write a part of a file whose other parts others write
 *
 * In:   bytes, in order.
 * Out:  the same bytes at their place in the file, except the head's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/filesystem.h"
#include "io/replace.h"

gs_status
gs_place_open(struct gs_place *place, int fd, const char *name, bool seeks, uint64_t begin, uint64_t end)
{
	const uint64_t left = (GS_PLACE_BYTES - begin % GS_PLACE_BYTES) % GS_PLACE_BYTES;
	struct gs_preallocation blocks;

	*place = (struct gs_place){
		.fd = fd, .name = name, .seeks = seeks, .begin = begin, .end = end, .at = begin,
		.head_bytes = !seeks ? 0 : left < end - begin ? (size_t)left : (size_t)(end - begin),
	};
	if (!seeks)
		return GS_OK;
	gs_preallocate_open(&blocks, fd, 1);
	blocks.at = begin + place->head_bytes;
	gs_preallocate_all(&blocks, end - begin - place->head_bytes);
	if (place->head_bytes > 0 && (place->head = malloc(place->head_bytes)) == NULL)
		return gs_fail(GS_EBUDGET, "no memory to write %s", name);
	return GS_OK;
}

int
gs_place_write_at(const struct gs_place *place, const void *data, size_t bytes, uint64_t at)
{
	return gs_write_all(place->fd, data, bytes, place->seeks ? (int64_t)at : -1) == bytes ? 0 : -1;
}

int
gs_place_write(void *context, const void *data, size_t bytes)
{
	struct gs_place *place = context;
	const uint64_t written = place->at - place->begin;
	const size_t head = written >= place->head_bytes ? 0 :
	                    bytes < place->head_bytes - written ? bytes
	                                                        : place->head_bytes - (size_t)written;

	if (place->seeks && bytes > place->end - place->at) {
		errno = EOVERFLOW;	/* our bug: others write there */
		return -1;
	}
	if (head > 0)
		memcpy(place->head + written, data, head);
	if (gs_place_write_at(place, (const char *)data + head, bytes - head, place->at + head) != 0)
		return -1;
	place->at += bytes;
	return 0;
}
