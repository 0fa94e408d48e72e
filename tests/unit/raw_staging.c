// SPDX-License-Identifier: BSD-2-Clause
/* raw_staging.c - rows for src/stages/raw_staging.c, with a device that has one buffer */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sort/checksum.h"
#include "stages/ingest.h"
#include "stages/store.h"
#include "tests/unit/units.h"

void unit_raw_staging(void);

/* A buffer has so many pieces that rank 0 asks for another one before it is full, nearly always. */
enum { PIECE_KEYS = 64, ROOM_KEYS = 256 * PIECE_KEYS, KEYS = 4 * ROOM_KEYS, ROUNDS_MOST = 1000 };

/* A device that lends its only buffer, and says that it is full while that is out. */
struct gs_gpu {
	struct gs_pieces *pieces;	/* of the file */
	uint64_t buffer[ROOM_KEYS];
	bool     lent;
	size_t   due_bytes;	/* of the file, once the buffers lent so far are full */
	size_t   keys, refused;	/* keys that came; times that it was asked before that */
	uint64_t sum;
	bool     right;		/* sums are those of the keys that came */
};

static bool
is_filled(const struct gs_gpu *gpu)
{
	bool filled;

	pthread_mutex_lock(&gpu->pieces->lock);
	filled = gpu->pieces->file_bytes >= gpu->due_bytes;
	pthread_mutex_unlock(&gpu->pieces->lock);
	return filled;
}

static gs_status
lend(struct gs_gpu *gpu, unsigned key_class, struct gs_staging *staging)
{
	*staging = (struct gs_staging){ .key_bits = 64, .key_class = key_class };
	if (gpu->lent) {
		gpu->refused += !is_filled(gpu);
		while (!is_filled(gpu))		/* nobody waits for that thread's signal */
			(void)sched_yield();
		return GS_OK;
	}
	gpu->lent = true;
	if (gpu->due_bytes < KEYS * sizeof(uint64_t))
		gpu->due_bytes += sizeof gpu->buffer;
	staging->keys = gpu->buffer;
	staging->room = ROOM_KEYS;
	return GS_OK;
}

static gs_status
commit(struct gs_gpu *gpu, const struct gs_staging *staging, uint64_t sum)
{
	gpu->lent = false;
	gpu->keys += staging->count;
	gpu->sum += sum;
	gpu->right &= sum == gs_checksum(1, 0, 64, staging->keys, staging->count, false).sum;
	return GS_OK;
}

static gs_status
stage(struct gs_gpu *gpu, const char *name)
{
	static const struct gs_gpu_module module = { .lend = lend, .commit = commit };
	static struct gs_store store;
	static struct gs_monitor monitor;
	const struct gsort_options options = { .type = GSORT_U64 };
	const struct gs_plan_input input = { .threads = 2, .key_bits = 64 };
	const struct gs_plan plan = {
		.threads = 2, .device = GSORT_DEVICE_GPU, .ring_buffers = 4,
		.piece_bytes = PIECE_KEYS * sizeof(uint64_t), .class_bits = { 64 },
	};
	const struct gs_input_options in = { .names = &name, .count = 1, .binary = true, .threads = 1 };
	struct gs_ingest ingest = {
		.options = &options, .plan_input = &input, .plan = &plan, .monitor = &monitor,
		.key_bits = 64,
	};
	static struct gs_pieces pieces;
	gs_status status;

	store = (struct gs_store){
		.plan = &plan, .plan_input = &input, .options = &options, .monitor = &monitor,
		.gpu = { .module = &module, .gpu = gpu },
	};
	ingest.taker = gs_store_engine(&store).taker;
	gpu->pieces = &pieces;
	TRY(gs_input_open(&ingest.input, &in));
	(void)gs_input_next(ingest.input);
	status = gs_pieces_open(&pieces, ingest.input, sizeof(uint64_t), &ingest.read, &monitor);
	while (status == GS_OK && !pieces.ended)
		status = gs_raw_stage(&ingest, &pieces);
	gs_pieces_close(&pieces);
	gs_input_close(ingest.input);
	return status;
}

void
unit_raw_staging(void)
{
	static struct gs_gpu gpu;
	static uint64_t keys[KEYS];
	char name[] = "/tmp/units.XXXXXX";
	const int fd = mkstemp(name);
	gs_status status;

	for (size_t i = 0; i < KEYS; i++)
		keys[i] = units_mix(i);
	CHECK(fd >= 0 && write(fd, keys, sizeof keys) == (ssize_t)sizeof keys, "a file is made");
	alarm(60);		/* all threads might wait for each other */
	for (unsigned round = 0; round < ROUNDS_MOST && gpu.refused == 0; round++) {
		gpu = (struct gs_gpu){ .right = true };
		status = stage(&gpu, name);
		CHECK(status == GS_OK && gpu.keys == KEYS && gpu.right &&
		      gpu.sum == gs_checksum(1, 0, 64, keys, KEYS, false).sum,
		      "all keys come: %s", gs_message());
	}
	alarm(0);
	CHECK(gpu.refused > 0, "a buffer that is filled while no other is to be had is given back");
	close(fd);
	remove(name);
}
