// SPDX-License-Identifier: BSD-2-Clause
/* cuda.c - what the engine asks of CUDA besides sorting, and what CUDA's errors mean */
#include "config.h"

#include <ctype.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "gpu/cuda/device.h"

gs_status
gs_cuda_status(cudaError_t error, const char *doing)
{
	int version = 0;

	switch (error) {
	case cudaSuccess:
		return GS_OK;
	case cudaErrorMemoryAllocation:		/* halve, or let the CPU do it */
		(void)cudaGetLastError();
		return gs_fail(GS_EDEVMEM, "%s: out of GPU memory", doing);
	case cudaErrorNoDevice:
		(void)cudaGetLastError();
		return gs_fail(GS_ENODEV, "%s", cudaGetErrorString(error));
	case cudaErrorInsufficientDriver:	/* said of a driver that is not there, too */
		(void)cudaGetLastError();
		(void)cudaDriverGetVersion(&version);
		return version == 0 ? gs_fail(GS_ENODEV, "there is no NVIDIA driver on this machine")
		       : gs_fail(GS_ENODEV, "the NVIDIA driver is too old: it knows CUDA %d.%d, gsort needs "
		                 "%d.%d", version / 1000, version % 1000 / 10, CUDART_VERSION / 1000,
		                 CUDART_VERSION % 1000 / 10);
	default:				/* the context is lost */
		return gs_fail(GS_EDEVICE, "the GPU failed while %s: %s", doing, cudaGetErrorString(error));
	}
}

/* Add the processors of a list, "0-15,32-47", that are in MAY, to STAY. */
static void
read_list(FILE *list, const cpu_set_t *may, cpu_set_t *stay)
{
	unsigned from, to;

	while (fscanf(list, "%u", &from) == 1) {
		to = from;
		if (fscanf(list, "-%u", &to) < 0)
			to = from;
		for (unsigned c = from; c <= to && c < CPU_SETSIZE; c++)
			if (CPU_ISSET(c, may))
				CPU_SET(c, stay);
		if (fgetc(list) != ',')
			return;
	}
}

void
gs_cuda_stay_near(int index)
{
	char id[32], path[96];
	cpu_set_t may, stay;
	FILE *list;

	if (cudaDeviceGetPCIBusId(id, sizeof id, index) != cudaSuccess) {
		(void)cudaGetLastError();
		return;
	}
	for (char *at = id; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/local_cpulist", id);
	if ((list = fopen(path, "re")) == NULL)
		return;
	CPU_ZERO(&stay);
	if (pthread_getaffinity_np(pthread_self(), sizeof may, &may) == 0)
		read_list(list, &may, &stay);
	fclose(list);
	if (CPU_COUNT(&stay) > 0)
		(void)pthread_setaffinity_np(pthread_self(), sizeof stay, &stay);
}

/* ---- for gsort --version -v and -vv ------------------------------------------- */

void
gs_cuda_build(char *into, size_t bytes)
{
	snprintf(into, bytes, "CUDA runtime %d.%d, " GS_CUDA_ARCH, CUDART_VERSION / 1000,
	         CUDART_VERSION % 1000 / 10);
}

/* One GPU, or why it cannot be used. */
static gs_status
survey_gpu(int index, char *line, size_t bytes)
{
	struct cudaDeviceProp properties;
	size_t free_bytes, total_bytes;

	TRY_CUDA(cudaGetDeviceProperties(&properties, index), "asking the GPU what it is");
	TRY_CUDA(cudaSetDevice(index), "choosing the GPU");
	TRY_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free GPU memory");
	snprintf(line, bytes, "gpu:%d    %s, sm_%d%d, %.1f GiB, %.1f GiB free", index,
	         properties.name, properties.major, properties.minor,
	         (double)total_bytes / (1 << 30), (double)free_bytes / (1 << 30));
	return GS_OK;
}

void
gs_cuda_survey(void (*print)(void *context, const char *line), void *context)
{
	char line[1200];
	int count = 0, driver = 0;

	if (gs_cuda_status(cudaGetDeviceCount(&count), "looking for GPUs") != GS_OK) {
		snprintf(line, sizeof line, "gpu      none: %s", gs_message());
		print(context, line);
		return;
	}
	(void)cudaDriverGetVersion(&driver);
	snprintf(line, sizeof line, "driver   CUDA %d.%d", driver / 1000, driver % 1000 / 10);
	print(context, line);
	for (int g = 0; g < count; g++) {
		if (survey_gpu(g, line, sizeof line) != GS_OK)
			snprintf(line, sizeof line, "gpu:%d    not usable: %s", g, gs_message());
		print(context, line);
	}
}
