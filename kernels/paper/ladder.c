// SPDX-License-Identifier: BSD-2-Clause
/* ladder.c - the list of variants, and what can be said of each without running it */
#include <assert.h>
#include <stdio.h>

#include "kernels/paper/ladder.h"

/* Indices in the kernels are 32 bits wide, and the largest step doubles them. */
#define MOST_KEYS	((size_t)1 << 30)

#define COSTS(file)	.predict = file##_predict, .sort = file##_sort

static const struct variant michalainas_serial = {
	.name = "michalainas_serial", .report = "000 chapter 1", .place = VARIANT_CPU,
	.idea = "the network as three loops, on one core",
	.least_keys = 1, .most_keys = MOST_KEYS,
	.kinds = { "step" }, COSTS(michalainas_serial),
};

static const struct variant martoccia_cpu_v1 = {
	.name = "martoccia_cpu_v1", .report = "001 section 2.2", .place = VARIANT_CPU,
	.idea = "every step is cut in chunks, one new thread each",
	.least_keys = 1, .most_keys = MOST_KEYS, .pads = true, .descends = true, .shapes = true,
	.kinds = { "compareAndSwap" }, COSTS(martoccia_cpu_v1),
};

static const struct variant martoccia_cpu_v2 = {
	.name = "martoccia_cpu_v2", .report = "001 section 2.3", .place = VARIANT_CPU,
	.idea = "256 buckets by the first byte, each a SIMD bitonic sort in cache",
	.least_keys = 1, .most_keys = MOST_KEYS, .pads = true, .descends = true, .shapes = true,
	.sort = martoccia_cpu_v2_sort,
};

enum { MARTOCCIA_LEAST_KEYS = 512 };

static size_t
padded(size_t count)
{
	return (size_t)1 << variant_bits(count);
}

static size_t
padded_martoccia(size_t count)
{
	return count < MARTOCCIA_LEAST_KEYS ? MARTOCCIA_LEAST_KEYS : padded(count);
}

static const struct variant slides = {
	.name = "slides", .report = "002", .place = VARIANT_GPU,
	.idea = "one block, one thread a key, everything in shared memory",
	.least_keys = 256, .most_keys = 256,
	.kinds = { "bitonicSort" }, COSTS(slides),
};

static const struct variant michalainas_v0 = {
	.name = "michalainas_v0", .report = "000 section 2.1", .place = VARIANT_GPU,
	.idea = "n/2 threads work on two halves; a launch and a wait for every step",
	.least_keys = 2, .most_keys = MOST_KEYS,
	.kinds = { "bitonicExchange" }, COSTS(michalainas_v0),
};

static const struct variant michalainas_v1 = {
	.name = "michalainas_v1", .report = "000 section 2.2", .place = VARIANT_GPU,
	.idea = "steps below a block's 1024 threads loop inside the kernel",
	.least_keys = 2, .most_keys = MOST_KEYS,
	.kinds = { "bitonicExchange", "localSort" }, COSTS(michalainas_v1),
};

static const struct variant michalainas_v2 = {
	.name = "michalainas_v2", .report = "000 section 2.3", .place = VARIANT_GPU,
	.idea = "that loop works on two sections in shared memory",
	.least_keys = 2, .most_keys = MOST_KEYS,
	.kinds = { "bitonicExchange", "localSort" }, COSTS(michalainas_v2),
};

static const struct variant fraidakis_v0 = {
	.name = "fraidakis_v0", .report = "003 section 2", .place = VARIANT_GPU,
	.idea = "n threads, half of them idle; a launch for every step",
	.least_keys = 2, .most_keys = MOST_KEYS, .descends = true,
	.kinds = { "compareSwapV0" }, COSTS(fraidakis_v0),
};

static const struct variant fraidakis_v1 = {
	.name = "fraidakis_v1", .report = "003 section 3", .place = VARIANT_GPU,
	.idea = "kernel fusion: steps within a block share a launch",
	.least_keys = 2, .most_keys = MOST_KEYS, .descends = true,
	.kinds = { "compareSwapV0", "intraBlockMerge", "intraBlockSort" }, COSTS(fraidakis_v1),
};

static const struct variant fraidakis_v2 = {
	.name = "fraidakis_v2", .report = "003 section 4", .place = VARIANT_GPU,
	.idea = "fused steps work in shared memory",
	.least_keys = 2, .most_keys = MOST_KEYS, .descends = true,
	.kinds = { "compareSwapV0", "intraBlockMergeShared", "intraBlockSortShared" },
	COSTS(fraidakis_v2),
};

static const struct variant fraidakis_v3 = {
	.name = "fraidakis_v3", .report = "003 section 5", .place = VARIANT_GPU,
	.idea = "n/2 threads, the last strides in registers by warp shuffles, pinned memory",
	.least_keys = 64, .most_keys = MOST_KEYS, .descends = true, .pinned = true,
	.kinds = { "compareSwapV0", "intraBlockMergeShared", "intraBlockSortShared" },
	COSTS(fraidakis_v3),
};

static const struct variant martoccia_gpu_v1 = {
	.name = "martoccia_gpu_v1", .report = "001 section 3.2", .place = VARIANT_GPU,
	.idea = "a fixed grid strides over pairs; mirrored first steps, one direction",
	.least_keys = 1, .most_keys = MOST_KEYS, .pads = true, .descends = true, .shapes = true,
	.kinds = { "bitonicSort", "bitonicMergeGlobal", "pad" }, .room = padded_martoccia,
	COSTS(martoccia_gpu_v1),
};

static const struct variant martoccia_gpu_v2 = {
	.name = "martoccia_gpu_v2", .report = "001 section 3.3", .place = VARIANT_GPU,
	.idea = "a block's tile in shared memory, if it fits: global and local merges",
	.least_keys = 1, .most_keys = MOST_KEYS, .pads = true, .descends = true, .shapes = true,
	.kinds = { "bitonicSort", "bitonicMergeGlobal", "pad", "bitonicMergeLocal" },
	.room = padded_martoccia, COSTS(martoccia_gpu_v2),
};

static const struct variant sharma = {
	.name = "sharma", .report = "004", .place = VARIANT_GPU,
	.idea = "a thread a key, 512 a block, low strides shared, padded on the device, pinned",
	.least_keys = 1, .most_keys = MOST_KEYS, .pads = true, .pinned = true,
	.kinds = { "compareExchange", "sharedMerge", "pad" }, .room = padded, COSTS(sharma),
};

const struct variant *const ladder[] = {
	&michalainas_serial, &martoccia_cpu_v1, &martoccia_cpu_v2,
	&slides,
	&michalainas_v0, &michalainas_v1, &michalainas_v2,
	&martoccia_gpu_v1, &martoccia_gpu_v2,
	&sharma,
	&fraidakis_v0, &fraidakis_v1, &fraidakis_v2, &fraidakis_v3,
	NULL,
};

size_t
variant_room(const struct variant *variant, size_t count)
{
	return variant->room != NULL ? variant->room(count) : count;
}

bool
variant_refuses(const struct variant *variant, size_t count, bool descending, char *why, size_t why_bytes)
{
	assert(why_bytes > 0);
	why[0] = '\0';
	if (descending && !variant->descends)
		snprintf(why, why_bytes, "%s sorts smallest first only", variant->name);
	else if (count < variant->least_keys || count > variant->most_keys)
		snprintf(why, why_bytes, variant->least_keys == variant->most_keys ?
		         "%s sorts exactly %zu keys" : "%s sorts from %zu to %zu keys",
		         variant->name, variant->least_keys, variant->most_keys);
	else if (!variant->pads && count > 1 && (count & (count - 1)) != 0)
		snprintf(why, why_bytes, "%s sorts powers of two only, such as %zu keys",
		         variant->name, (size_t)1 << (variant_bits(count) - 1));
	return why[0] != '\0';
}

unsigned
variant_bits(size_t count)
{
	unsigned bits = 0;

	while ((size_t)1 << bits < count)
		bits++;
	return bits;
}

double
variant_steps(unsigned bits)
{
	return bits * (bits + 1) / 2.0;
}

/* One launch sorts blocks; phase block_bits + j takes j steps between blocks, then a merge. */
double
variant_fused_launches(unsigned bits, unsigned block_bits)
{
	const unsigned phases = bits > block_bits ? bits - block_bits : 0;

	return 1 + variant_steps(phases) + phases;
}
