// SPDX-License-Identifier: BSD-2-Clause
/*
 * engine.h - what a GPU module offers: an engine that sorts ordered bits by a GPU
 *
 * The module is gsort-cuda.so, or is linked in (the emulated GPU of tests/emu).  It defines two
 * symbols: gs_gpu_module_version, checked before anything else is touched, and gs_gpu_module.
 *
 * By one thread at a time:
 *
 *     { lend, commit }*      staging buffers are filled with keys of any class
 *     finish                 each class becomes one order
 *     { drain, give }*       spans, until one is empty; then all begins anew
 *
 * Keys that do not fit the GPU's memory go to host memory in sorted batches, which the GPU
 * merges.  When lend() has no room left, both are full: finish and drain.
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
	size_t   staging_bytes;		/* of a staging buffer; a power of two */
	unsigned ring_buffers;		/* staging buffers, pinned; more than there are classes */
	uint64_t hint_bytes;		/* of keys to come, or UINT64_MAX */
	int      gpu;			/* which to use, as CUDA numbers them */
	void    *resident;		/* host memory for sorted batches; zeroed, not touched yet */
	size_t   resident_bytes;
	uint64_t gpu_memory_bytes;	/* most to use of it; 0: by percent */
	unsigned gpu_memory_percent;	/* of free memory; 0: the engine's default */
};

/* What an engine has done so far.  The stages overlap: each figure is the time during which
 * its stage was active. */
struct gs_gpu_work {
	double   h2d_seconds;
	double   sort_seconds;
	double   d2h_seconds;
	uint64_t memory_bytes;		/* of device memory in use */
	unsigned batches;		/* that were sorted */
};

/* Sorted keys, and their checksum as the device found it before they crossed the bus. */
struct gs_gpu_span {
	struct gs_span span;
	uint64_t       sum;		/* gs_checksum() */
	size_t         strand;		/* its number, if strands were asked for; else 0 */
	uint64_t       at;		/* keys of its class before it */
	void          *handle;		/* the lender's */
};

struct gs_gpu;		/* an open engine */

struct gs_gpu_module {
	/** How many GPUs there are. */
	gs_status (*count)(unsigned *gpus);

	/** Open the GPU and allocate everything there; slow (a context: 0.2 s).  GS_ENODEV,
	 *  GS_EDEVMEM: there is no device, or its free memory is too small. */
	gs_status (*open)(struct gs_gpu **gpu, const struct gs_gpu_options *options);

	/** The GPU's name for people; owned by the engine. */
	const char *(*describe)(const struct gs_gpu *gpu);

	/** Most bytes of keys that the GPU holds at once, in whole staging buffers. */
	uint64_t (*batch_bytes)(const struct gs_gpu *gpu);

	/** Lend an empty staging buffer for keys of KEY_CLASS; blocks while all are in flight.
	 *  Room 0: all memory is full.  Several may be lent at once, but not all. */
	gs_status (*lend)(struct gs_gpu *gpu, unsigned key_class, struct gs_staging *staging);

	/** Take a lent buffer back with its keys, and their checksum; none are allowed.
	 *  Returns before they are sorted. */
	gs_status (*commit)(struct gs_gpu *gpu, const struct gs_staging *staging);

	/** All keys are committed: sort each class. */
	gs_status (*finish)(struct gs_gpu *gpu);

	/** Before the first span: the keys, of one class, are to come by COUNT strands in turn, a
	 *  staging buffer of each; strand S begins with key number AT[S], ascending from 0. */
	gs_status (*by_strands)(struct gs_gpu *gpu, const uint64_t *at, size_t count);

	/** The next sorted keys, borrowed until they are given back, classes in the order of the
	 *  options; count 0: the end, and the engine is empty once all are given back.  Waits for
	 *  some of them if most of a ring is borrowed.  The GPU found the span in order, and its sum
	 *  follows from the sum of what was committed. */
	gs_status (*drain)(struct gs_gpu *gpu, struct gs_gpu_span *span);

	/** Give a span back; any thread, and while another one is in drain(). */
	void (*give)(struct gs_gpu *gpu, const struct gs_gpu_span *span);

	void (*work)(struct gs_gpu *gpu, struct gs_gpu_work *work);

	void (*close)(struct gs_gpu *gpu);	/* NULL is allowed */

	/** What the module was built from, for --version -v; no device is asked. */
	void (*build)(char *into, size_t bytes);

	/** Print a line for each device, for --version -vv; slow. */
	void (*survey)(void (*print)(void *context, const char *line), void *context);

	/** The message of this thread's last error. */
	const char *(*message)(void);
};

#define GS_GPU_MODULE_VERSION_SYMBOL	"gs_gpu_module_version"
#define GS_GPU_MODULE_SYMBOL		"gs_gpu_module"

#endif
