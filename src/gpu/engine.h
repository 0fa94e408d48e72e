// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine.h - what a GPU module offers: one engine that sorts batches of ordered bits
 *
 * The module is gsort-cuda.so, or is linked in (the emulated GPU of tests/emu).  It defines two
 * symbols: gs_gpu_module_version, checked before anything else is touched, and gs_gpu_module.
 *
 * A batch, by one thread:
 *
 *     { lend, commit }*      staging buffers are filled with keys of any class
 *     finish                 each class becomes one order
 *     drain, drain, ...      spans, until one is empty; then the next batch may begin
 *
 * A batch ends early when lend() has no room left.
 *
 * Errors: any status but GS_OK means that the engine is unusable; message() has the reason.
 * Nothing is repaired inside: the caller closes the engine and starts the job again elsewhere.
 */
#ifndef GS_GPU_ENGINE_H
#define GS_GPU_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sort/span.h"

struct gs_gpu_options {
	unsigned class_bits[GS_CLASSES];	/* 32, 64, or 0: no such class */
	bool     descending_classes;	/* drain the last class first */
	size_t   tile_bytes;		/* of a staging buffer; a power of two */
	unsigned ring_tiles;		/* staging buffers, pinned; more than there are classes */
	uint64_t hint_bytes;		/* of keys to come, or UINT64_MAX */
	int      gpu_index;
	uint64_t gpu_memory_bytes;	/* most to use; 0: by percent */
	unsigned gpu_memory_percent;	/* of what is free; 0: the engine's default */
};

/* What an engine has done so far.  The stages overlap: each figure is the time during which
 * its stage was active. */
struct gs_gpu_work {
	double   h2d_seconds;
	double   sort_seconds;
	double   d2h_seconds;
	uint64_t memory_bytes;		/* of device memory in use */
};

/* Sorted keys, and their checksum as the device found it before they crossed the bus. */
struct gs_gpu_span {
	struct gs_span span;
	uint64_t       sum;		/* gs_checksum() */
};

struct gs_gpu;		/* an open engine */

struct gs_gpu_module {
	/** Open a device and allocate everything; slow (a context: 0.2 s).  GS_ENODEV,
	 *  GS_EDEVMEM: there is no device, or too little of its memory. */
	gs_status (*open)(struct gs_gpu **gpu, const struct gs_gpu_options *options);

	/** The device's name for people; owned by the engine. */
	const char *(*describe)(const struct gs_gpu *gpu);

	/** Most bytes of keys that one batch can hold, in whole tiles. */
	uint64_t (*batch_bytes)(const struct gs_gpu *gpu);

	/** Lend an empty staging buffer for keys of KEY_CLASS; blocks while all are in flight.
	 *  Room 0: the batch is full.  Several may be lent at once, one a class. */
	gs_status (*lend)(struct gs_gpu *gpu, unsigned key_class, struct gs_staging *staging);

	/** Take a lent buffer back with its keys, whose checksum is SUM; none are allowed.
	 *  Returns before they are sorted. */
	gs_status (*commit)(struct gs_gpu *gpu, const struct gs_staging *staging, uint64_t sum);

	/** All keys are committed: begin to sort each class. */
	gs_status (*finish)(struct gs_gpu *gpu);

	/** The next sorted keys, borrowed until the next call, classes in the order of the
	 *  options; count 0: the end, and the engine is empty.  The keys of a class were found in
	 *  order, and its checksum equal to that of what was committed, before its first span. */
	gs_status (*drain)(struct gs_gpu *gpu, struct gs_gpu_span *span);

	void (*work)(const struct gs_gpu *gpu, struct gs_gpu_work *work);

	void (*close)(struct gs_gpu *gpu);	/* NULL is allowed */

	/** What the module was built from, for --version -v; no device is asked. */
	void (*build)(char *into, size_t bytes);

	/** Print a line for each device, for --info; slow. */
	void (*survey)(void (*print)(void *context, const char *line), void *context);

	/** The message of this thread's last error. */
	const char *(*message)(void);
};

#define GS_GPU_MODULE_VERSION_SYMBOL	"gs_gpu_module_version"
#define GS_GPU_MODULE_SYMBOL		"gs_gpu_module"

#endif
