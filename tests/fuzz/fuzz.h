// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz.h - bytes of the fuzzer, taken as what is needed
 *
 * A target is LLVMFuzzerTestOneInput() (LLVM, "libFuzzer"); it ends with abort() when what
 * gsort did is wrong.  What bytes there are not is 0.
 */
#ifndef GS_FUZZ_H
#define GS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

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

/* Sebastiano Vigna's splitmix64. */
static inline uint64_t
fuzz_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Bytes as a callback gives them, MOST at a time; the first of a struct, or alone. */
struct fuzz_input {
	const uint8_t *data;
	size_t         bytes, at, most;
};

static inline ptrdiff_t
fuzz_give(void *context, void *into, size_t bytes)
{
	struct fuzz_input *in = context;
	size_t now = in->bytes - in->at;

	now = now > bytes ? bytes : now;
	now = now > in->most ? in->most : now;
	memcpy(into, in->data + in->at, now);
	in->at += now;
	return (ptrdiff_t)now;
}

#define FUZZ_MUST(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			abort(); \
		} \
	} while (0)

#endif
