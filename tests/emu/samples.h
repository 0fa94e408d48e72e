// SPDX-License-Identifier: BSD-2-Clause
/* samples.h - launchers of samples.cu */
#ifndef GS_EMU_SAMPLES_H
#define GS_EMU_SAMPLES_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sample_wrong {
	SAMPLE_HALF_BARRIER, SAMPLE_OTHER_BARRIER, SAMPLE_HALF_WARP, SAMPLE_STRANGER,
	SAMPLE_TOO_MANY,
};

/** Add 0 + 1 + ... + COUNT - 1 to *SUM. */
cudaError_t sample_sum(unsigned *sum, unsigned count);

/** Reverse up to 1024 keys; without a barrier it is wrong in one order of lanes. */
cudaError_t sample_reverse(unsigned *keys, unsigned count, int with_barrier);

/** A kernel with BYTES of shared memory, and never more than MOST. */
cudaError_t sample_shared(size_t bytes, size_t most);

enum { SAMPLE_CHUNK = 24 * 512 };	/* keys of a chunk that sample_long() reads */

/* A leaf of COUNT keys.  Chunk I begins at FROM + CHUNKS[I].  Payloads have VALUE_BITS, or 0: none. */
struct sample_leaf {
	void           *to, *values_to, *from, *values;
	unsigned        bits, value_bits;
	const uint64_t *chunks;
	uint32_t        count;
	uint64_t        always;		/* bits that are inverted in TO */
};

/** Sort LEAF as a long leaf (block/leaf_long.cuh), by as many blocks as it takes. */
cudaError_t sample_long(const struct sample_leaf *leaf);

/** Take a sample of LEAF, and sort it TO there. */
cudaError_t sample_sample(const struct sample_leaf *leaf);

/* What a sample of u64 keys says of them all, and the ways to sort these that have been tried
 * (device/sample.cuh); VALUES: of each 16 bits. */
struct sample_says {
	const char *order;		/* "rises", "falls", "nearly" */
	const char *tried;
	bool        skewed, spread;
	unsigned    range_bits, values;
};

/** The way to sort them: "in slots", "in levels", ... */
const char *sample_way(const struct sample_says *says);

/** A kernel that the emulator must not let pass. */
cudaError_t sample_wrong(enum sample_wrong which, unsigned *sum);

#ifdef __cplusplus
}
#endif
#endif
