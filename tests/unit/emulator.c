// SPDX-License-Identifier: BSD-2-Clause
/* emulator.c - the promises of the emulated GPU to the tests that use it */
#include "config.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/emu/samples.h"
#include "tests/unit/units.h"

static void
check_devices(void)
{
	int count = -1;

	CHECK(cudaGetDeviceCount(&count) == cudaSuccess && count == 1, "there is one device");
	setenv("GSORT_EMU_DEVICES", "0", 1);
	CHECK(cudaGetDeviceCount(&count) == cudaErrorNoDevice && count == 0,
	      "GSORT_EMU_DEVICES=0 is a machine without a device");
	setenv("GSORT_EMU_DEVICES", "3", 1);
	CHECK(cudaSetDevice(2) == cudaSuccess, "of three devices there is a last one");
	CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice, "and none behind it");
	CHECK(cudaGetLastError() == cudaErrorInvalidDevice, "the error is remembered");
	CHECK(cudaGetLastError() == cudaSuccess, "once");
	unsetenv("GSORT_EMU_DEVICES");
	(void)cudaSetDevice(0);
}

static void
check_memory(void)
{
	unsigned char host[64] = { 0 };
	void *first = NULL, *second = NULL;
	size_t free_bytes = 0, total_bytes = 0, before = emu_allocations();

	setenv("GSORT_EMU_MEMORY", "1000", 1);
	CHECK(cudaMalloc(&first, 600) == cudaSuccess, "600 of 1000 bytes can be had");
	CHECK(cudaMalloc(&second, 401) == cudaErrorMemoryAllocation && second == NULL,
	      "401 more cannot");
	CHECK(cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess && free_bytes == 400 &&
	      total_bytes == 1000, "400 are said to be free");
	CHECK(cudaMemcpy(host, first, 64, cudaMemcpyDeviceToHost) == cudaSuccess && host[0] != 0,
	      "fresh device memory is not zero");
	CHECK(cudaMemcpy((char *)first + 536, host, 64, cudaMemcpyHostToDevice) == cudaSuccess,
	      "a copy may end where device memory ends");
	CHECK(cudaMemcpy((char *)first + 537, host, 64, cudaMemcpyHostToDevice) ==
	      cudaErrorInvalidValue, "but not a byte behind it");
	CHECK(cudaMemcpy(host, host, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
	      "host memory is no device memory");
	CHECK(cudaFree(first) == cudaSuccess, "memory can be given back");
	CHECK(cudaFree(first) == cudaErrorInvalidValue, "once");
	/* NOLINTNEXTLINE(misc-redundant-expression): twice is what is asked */
	CHECK(cudaHostRegister(host, sizeof host, 0) == cudaSuccess &&
	      cudaHostRegister(host, sizeof host, 0) == cudaErrorHostMemoryAlreadyRegistered &&
	      cudaHostUnregister(host) == cudaSuccess, "host memory is registered once");
	CHECK(emu_allocations() == before, "nothing is left over");
	unsetenv("GSORT_EMU_MEMORY");
	(void)cudaGetLastError();
}

/* Each device has its own memory, streams and events. */
static void
check_several(void)
{
	cudaStream_t streams[2] = { NULL, NULL };
	cudaEvent_t event = NULL;
	void *memory[2] = { NULL, NULL };
	unsigned char host[64] = { 7 };

	setenv("GSORT_EMU_DEVICES", "2", 1);
	setenv("GSORT_EMU_MEMORY", "1000,100", 1);
	for (int d = 0; d < 2; d++)
		CHECK(cudaSetDevice(d) == cudaSuccess && cudaMalloc(&memory[d], 64) == cudaSuccess &&
		      cudaStreamCreate(&streams[d]) == cudaSuccess, "each of two devices has memory");
	CHECK(cudaMalloc(&memory[1], 64) == cudaErrorMemoryAllocation, "the second one has less");
	CHECK(cudaMalloc(&memory[1], 36) == cudaSuccess, "but that");
	CHECK(cudaMemcpyAsync(memory[1], host, 36, cudaMemcpyHostToDevice, streams[0]) ==
	      cudaErrorInvalidValue, "a copy is of the stream's device");
	CHECK(cudaMemcpyAsync(memory[1], host, 36, cudaMemcpyHostToDevice, streams[1]) ==
	      cudaSuccess, "then it is done");
	CHECK(cudaEventCreate(&event) == cudaSuccess &&
	              cudaEventRecord(event, streams[0]) == cudaErrorInvalidResourceHandle &&
	      cudaEventRecord(event, streams[1]) == cudaSuccess, "an event is of one device");
	unsetenv("GSORT_EMU_DEVICES");
	unsetenv("GSORT_EMU_MEMORY");
	CHECK(cudaEventDestroy(event) == cudaSuccess && cudaDeviceReset() == cudaSuccess &&
	              cudaStreamDestroy(streams[0]) == cudaSuccess &&
	      cudaStreamDestroy(streams[1]) == cudaSuccess, "all is given back");
	(void)cudaSetDevice(0);
	(void)cudaGetLastError();
}

/* What BODY returns, or 1000 + the signal that ends it. */
static int
in_child(int (*body)(void))
{
	pid_t child;
	int status = -1;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		(void)!freopen("/dev/null", "w", stderr);
		_exit(body());
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Of a hundred calls, the number of the first one that fails, and 100 if the last one does. */
static int
call_that_fails(void)
{
	int count, failed = 0;

	for (int call = 1; call <= 100; call++)
		if (cudaGetDeviceCount(&count) != cudaSuccess)
			failed = failed == 0 ? call : call == 100 ? failed + 100 : failed;
	return failed;
}

static enum sample_wrong wrong;

static int
run_wrong(void)
{
	static unsigned sum;

	return sample_wrong(wrong, &sum) == cudaSuccess ? 0 : 1;
}

static void
check_errors(void)
{
	static const struct {
		const char        *row;
		enum sample_wrong  which;
		int                ends;
	} rows[] = {
		{ "a barrier that half of the block skips is noticed", SAMPLE_HALF_BARRIER,
		  1000 + SIGABRT },
		{ "two barriers for one block are noticed", SAMPLE_OTHER_BARRIER, 1000 + SIGABRT },
		{ "a warp barrier that half of the lanes skip is noticed", SAMPLE_HALF_WARP,
		  1000 + SIGABRT },
		{ "a shuffle from a lane that is not there is noticed", SAMPLE_STRANGER,
		  1000 + SIGABRT },
		{ "2048 threads are too many for a block: an error", SAMPLE_TOO_MANY, 1 },
	};
	char fail[40];

	snprintf(fail, sizeof fail, "%lu:%d", emu_calls() + 90, cudaErrorMemoryAllocation);
	setenv("GSORT_EMU_FAIL", fail, 1);
	CHECK(in_child(call_that_fails) == 90, "GSORT_EMU_FAIL lets the 90th call fail");
	snprintf(fail, sizeof fail, "%lu:%d", emu_calls() + 90, cudaErrorECCUncorrectable);
	setenv("GSORT_EMU_FAIL", fail, 1);
	CHECK(in_child(call_that_fails) == 190, "and all that follow, if nothing helps but a reset");
	unsetenv("GSORT_EMU_FAIL");
	setenv("OMP_NUM_THREADS", "1", 1);
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		int ends;

		wrong = rows[r].which;
		ends = in_child(run_wrong);
		CHECK(ends == rows[r].ends, "%s (ended with %d)", rows[r].row, ends);
	}
}

static void
check_threads(void)
{
	static unsigned keys[1024];
	unsigned sum = 0;

	CHECK(sample_sum(&sum, 10000) == cudaSuccess && sum == 49995000,
	      "shuffles, atomics and many blocks add up to 10000 x 9999 / 2");
	for (unsigned reverse = 0; reverse < 2; reverse++) {
		unsigned right = 0, right_without = 0;

		setenv("GSORT_EMU_REVERSE", reverse ? "1" : "0", 1);
		for (unsigned with_barrier = 0; with_barrier < 2; with_barrier++) {
			/* keys that were never there before */
			unsigned first = 5000 * (2 * reverse + with_barrier);

			for (unsigned k = 0; k < 1024; k++)
				keys[k] = first + k;
			(void)sample_reverse(keys, 1024, with_barrier == 1);
			for (unsigned k = 0; k < 1024; k++)
				*(with_barrier ? &right : &right_without) +=
					keys[k] == first + 1023 - k;
		}
		CHECK(right == 1024, "a block reverses its keys through shared memory");
		CHECK(right_without < 1024, "and does not if it forgets the barrier");
	}
	unsetenv("GSORT_EMU_REVERSE");
}

/* CUDA allows a kernel a size, whichever thread asks. */
static void
check_shared(void)
{
	CHECK(sample_shared(40 << 10, 60 << 10) == cudaSuccess &&
	      sample_shared(60 << 10, 60 << 10) == cudaSuccess,
	      "a kernel has as much shared memory as it asks for");
	CHECK(sample_shared(61 << 10, 60 << 10) == cudaErrorInvalidValue, "and not more");
	CHECK(sample_shared(40 << 10, 40 << 10) == cudaErrorInvalidValue,
	      "nor may it ask for less: another thread may be about to launch it with more");
	(void)cudaGetLastError();
}

void unit_emulator(void);

void
unit_emulator(void)
{
	check_errors();		/* forks: before OpenMP has started threads */
	check_devices();
	check_memory();
	check_several();
	check_threads();
	check_shared();
}
