// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz.h - take values from the bytes of the fuzzer
 *
 * A target (targets.def) takes any bytes, and calls abort() if gsort does something wrong with
 * them.  Missing bytes are 0, so no input is too short.
 */
#ifndef GS_FUZZ_H
#define GS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"

/* The interface of libFuzzer (LLVM, "libFuzzer - a library for coverage-guided fuzz
 * testing"), which main.c calls where there is no clang. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

typedef void fuzz_target(const uint8_t *data, size_t bytes);
#define TARGET(name, what) fuzz_target fuzz_##name;
#include "targets.def"
#undef TARGET

struct fuzz {
	const uint8_t *data;
	size_t         bytes;
};

static inline uint64_t
fuzz_take(struct fuzz *from, unsigned bytes)
{
	uint64_t value = 0;

	for (; bytes > 0; bytes--, from->data += from->bytes > 0, from->bytes -= from->bytes > 0)
		value = value << 8 | (from->bytes > 0 ? *from->data : 0);
	return value;
}

/* One of COUNT, by one byte. */
static inline unsigned
fuzz_pick(struct fuzz *from, unsigned count)
{
	return (unsigned)fuzz_take(from, 1) % count;
}

static inline uint64_t
fuzz_random(uint64_t *state)
{
	return gs_splitmix_next(state);
}

/* Bytes that grow. */
struct fuzz_bytes {
	char  *data;
	size_t bytes, room;
};

static inline void
fuzz_put(struct fuzz_bytes *to, const void *data, size_t bytes)
{
	if (to->bytes + bytes >= to->room) {	/* so that even no bytes have an address */
		to->room = 2 * (to->bytes + bytes) + 256;
		to->data = realloc(to->data, to->room);
		if (to->data == NULL)
			abort();
	}
	if (bytes > 0)
		memcpy(to->data + to->bytes, data, bytes);
	to->bytes += bytes;
}

static inline void
fuzz_free(struct fuzz_bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct fuzz_bytes){ .data = NULL };
}

#define FUZZ_MUST(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			abort(); \
		} \
	} while (0)

#endif
