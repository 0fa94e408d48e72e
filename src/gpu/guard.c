// SPDX-License-Identifier: BSD-2-Clause
/* guard.c - a GPU whose results are checked from host memory to host memory */
#include <stdio.h>

#include "gpu/guard.h"
#include "sort/checksum.h"

/* The module has a thread-local message of its own: make it the caller's. */
static gs_status
adopt(const struct gs_guard *guard, gs_status status)
{
	char message[GS_MESSAGE_BYTES];

	snprintf(message, sizeof message, "%s", guard->module->message());
	return gs_fail(status, "%s", message);
}

gs_status
gs_guard_checked(const struct gs_guard *guard, gs_status status)
{
	return status == GS_OK ? GS_OK : adopt(guard, GS_EDEVICE);
}

gs_status
gs_guard_count(unsigned *gpus)
{
	struct gs_guard none = { .gpu = NULL };
	gs_status status;

	TRY(gs_gpu_module_load(&none.module));
	status = none.module->count(gpus);
	return status == GS_OK ? GS_OK : adopt(&none, status);
}

gs_status
gs_guard_open(struct gs_guard *guard, const struct gs_gpu_options *options)
{
	gs_status status;

	*guard = (struct gs_guard){ .gpu = NULL };
	TRY(gs_gpu_module_load(&guard->module));
	status = guard->module->open(&guard->gpu, options);
	if (status == GS_OK)
		return GS_OK;
	guard->gpu = NULL;
	return adopt(guard, status == GS_ENODEV || status == GS_EDEVMEM ? status : GS_EDEVICE);
}

static gs_status
damaged(void)
{
	return gs_fail(GS_EDEVICE, "the GPU's result is wrong: sorted keys were damaged on "
	               "their way back");
}

gs_status
gs_guard_check(const struct gs_gpu_span *checked, unsigned threads)
{
	const struct gs_span *span = &checked->span;
	const struct gs_checksum here = gs_checksum(threads, span->key_class, span->key_bits,
	                                            span->keys, span->count, true);

	return !here.falls && here.sum == checked->sum ? GS_OK : damaged();
}

gs_status
gs_guard_follow(const struct gs_gpu_span *checked, struct gs_seen *seen)
{
	const struct gs_span *span = &checked->span;
	const uint64_t first = gs_key_at(span->keys, span->key_bits, 0);

	if (!seen->any || seen->key_class != span->key_class)
		*seen = (struct gs_seen){ .any = true, .key_class = span->key_class, .first = first };
	else if (first < seen->last)
		return damaged();
	seen->last = gs_key_at(span->keys, span->key_bits, span->count - 1);
	return GS_OK;
}

gs_status
gs_guard_check_strands(const struct gs_seen *seen, size_t count)
{
	const struct gs_seen *before = NULL;

	for (size_t strand = 0; strand < count; strand++) {
		if (!seen[strand].any)
			continue;
		if (before != NULL && seen[strand].first < before->last)
			return damaged();
		before = &seen[strand];
	}
	return GS_OK;
}

void
gs_guard_close(struct gs_guard *guard)
{
	if (guard->gpu != NULL)
		guard->module->close(guard->gpu);
	guard->gpu = NULL;
}
