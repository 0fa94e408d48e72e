// SPDX-License-Identifier: BSD-2-Clause
/*
 * backend.h - a device that sorts a batch of ordered bits; the CPU's way is batch.h
 *
 * A batch: take a tile, fill it, feed it, and so on; finish; drain spans until
 * one is empty; then the next batch may begin.  A batch ends early when take()
 * has no room left.
 */
#ifndef GS_GPU_BACKEND_H
#define GS_GPU_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/span.h"

/* What a backend is told before the first key. */
struct gs_backend_options {
	unsigned         class_bits[GS_CLASSES];	/* 32, 64, or 0: no such key class */
	bool             descending_classes;	/* drain the last key class first */
	unsigned         threads;
	size_t           tile_bytes;	/* a power of two */
	unsigned         ring_tiles;	/* pinned buffers for a device */
	uint64_t         hint_bytes;	/* of keys to come, or UINT64_MAX */
	int              gpu_index;
	uint64_t         gpu_memory_bytes;	/* most to use; 0: by percent */
	unsigned         gpu_memory_percent;	/* of what is free */
};

/* What a device has done so far, for the statistics.  Parts overlap: each is the time in
 * which it went on, not the time that it took longer for. */
struct gs_device_work {
	double   to_seconds;		/* keys crossed the bus to it */
	double   sort_seconds;
	double   from_seconds;		/* and back */
	uint64_t memory_bytes;		/* of its own memory that were used */
};

struct gs_device;	/* each backend's own */

/* All functions are required. */
struct gs_backend {
	/** May take long (a GPU's context: 0.2 s); everything is allocated here.
	 *  GS_ENODEV, GS_EDEVMEM: another backend can do it. */
	gs_status (*open)(struct gs_device **device, const struct gs_backend_options *options);

	/** What it runs on, for people; the device's. */
	const char *(*describe)(const struct gs_device *device);

	/** Most key bytes one batch can hold, in whole tiles. */
	uint64_t (*batch_bytes)(const struct gs_device *device);

	/** An empty tile of STREAM to fill; blocks while all are in flight.  Room 0:
	 *  the batch is full.  Several may be taken, one for each key class. */
	gs_status (*take)(struct gs_device *device, unsigned key_class, struct gs_staging *tile);

	/** Give a taken tile; returns before it is sorted.  May be empty. */
	gs_status (*feed)(struct gs_device *device, const struct gs_staging *tile);

	/** No more tiles: make one order of each key class.  Once for a batch. */
	gs_status (*finish)(struct gs_device *device);

	/** The next sorted keys, borrowed until the next call; count 0: the end,
	 *  and the device is empty again. */
	gs_status (*drain)(struct gs_device *device, struct gs_span *span);

	void (*work)(const struct gs_device *device, struct gs_device_work *work);

	void (*close)(struct gs_device *device);	/* NULL is allowed */

	/** What it was built of, for people, after a blank; asks no device. */
	void (*build)(char *into, size_t bytes);

	/** Tell what it could run on, a line each: slow (it may make a GPU's context). */
	void (*survey)(void (*tell)(void *context, const char *line), void *context);
};

/* The GPU backend, or NULL if this build has none. */
extern const struct gs_backend *const gs_backend_gpu;

#endif
