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

enum { SAMPLE_CHUNK = 24 * 512 };	/* keys of a chunk that sample_uneven() reads */

/** Sort COUNT keys to TO as a long leaf (block/leaf_uneven.cuh), by one block or two.  Chunk i of them is
 *  where CHUNKS says, as seen FROM there; bits are inverted where ALWAYS has ones, in TO. */
cudaError_t sample_uneven(uint32_t *to, const uint32_t *from, const uint64_t *chunks, uint32_t count,
                          uint32_t always);

/** A kernel that the emulator must not let pass. */
cudaError_t sample_wrong(enum sample_wrong which, unsigned *sum);

#ifdef __cplusplus
}
#endif
#endif
