// SPDX-License-Identifier: BSD-2-Clause
/* backend_cuda.h - a GPU that is open, for the two files of its backend alone */
#ifndef GS_GPU_BACKEND_CUDA_H
#define GS_GPU_BACKEND_CUDA_H

#include <cuda_runtime_api.h>

#include "gpu/engine.h"
#include "gpu/cuda/cuda.h"

enum { GS_RING_MOST = 8 };

struct gs_buffer {
	char        *host;	/* pinned, tile_bytes */
	cudaEvent_t  begun, copied;	/* the last copy from or to it */
	double      *seconds;	/* where that copy's time is to be added, or NULL */
	bool         taken;	/* by the caller, to fill */
};

/* A tile in the first half; the next one begins where it ends. */
struct gs_arrival {
	unsigned key_class;
	size_t   bytes;
};

/* A key class when all have arrived: its place in either half. */
struct gs_region {
	size_t   at, bytes;
	size_t   span;		/* number of the first one, of all classes' */
};

struct gs_gpu {
	struct gs_gpu_options options;
	char           name[256];
	size_t         tile_bytes;

	char          *double_buffer[2];
	void          *scratch;
	struct gs_gpu_work work_done;

	struct gs_arrival *arrivals;	/* room for tiles_most */
	size_t         tiles, tiles_promised, tiles_most;
	size_t         arrived_bytes;
	struct gs_region  regions[GS_CLASSES];
	const char    *sorted_half;	/* NULL: nothing was sorted since the last tile came */

	uint64_t       sums[GS_CLASSES];	/* of the keys that arrived */
	uint64_t      *found;		/* on the device: how often sorted keys fall, ... */
	uint64_t      *checks;		/* ... then the sum of each span; what of it came back */

	cudaStream_t   in, work, out;
	cudaEvent_t    arrived, begun, sorted;
	struct gs_pinned pinned;
	struct gs_buffer  ring[GS_RING_MOST];
	unsigned       ring_at;		/* next to take, or to copy out into */

	bool           draining;
	unsigned       drain_class;	/* next span to copy: key class, in draining order */
	size_t         drain_at;	/*                    and byte */
	struct gs_copy_in_flight {
		struct gs_span span;
		uint64_t       sum;	/* as it is on the device */
		struct gs_buffer *buffer;
	} ahead[GS_RING_MOST];		/* copies under way, oldest at ahead_first */
	unsigned       ahead_first, ahead_count;
};

/** Bytes of FOUND, and of what of it comes back, for so many tiles: spans are as long, but the
 *  last of each key class. */
static inline size_t
gs_engine_check_bytes(size_t tiles)
{
	return (1 + tiles + GS_CLASSES) * sizeof(uint64_t);
}

/** As struct gs_backend has them. */
MUST_CHECK gs_status gs_engine_open(struct gs_gpu **opened,
                                    const struct gs_gpu_options *options);
void gs_engine_close(struct gs_gpu *device);

#endif
