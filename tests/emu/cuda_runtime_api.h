// SPDX-License-Identifier: BSD-2-Clause
/*
 * cuda_runtime_api.h - an emulated CUDA runtime, as much of it as gsort uses
 *
 * Found before the real one by -I tests/emu.  "Device" memory is host memory
 * with bookkeeping; every call has finished when it returns, so streams and
 * events are only checked to exist and to be of the right device.  The environment describes the device:
 *
 *     GSORT_EMU_DEVICES=N      how many (1); 0: cudaErrorNoDevice; CUDA_VISIBLE_DEVICES
 *                              chooses among them, by numbers
 *     GSORT_EMU_MEMORY=BYTES   memory of each (1 GiB); more is out of memory.  A list: of the first
 *                              device, the second, ...; the last entry is for all others, too
 *     GSORT_EMU_SHARED=BYTES   shared memory that a block may ask for (227 KiB), and the most that
 *                              kernels of the device's code may need (kernels/launch.cuh)
 *     GSORT_EMU_CODE=90        the virtual architecture that its code is for
 *     GSORT_EMU_CAPTURING=1    streams are captured: waiting and pinning fail
 *     GSORT_EMU_OPEN_MS=N      how long opening takes (0), keys landing meanwhile
 *     GSORT_EMU_QUEUES=N       no device unless CUDA_DEVICE_MAX_CONNECTIONS is N
 *     GSORT_EMU_FAIL=N:CODE    the Nth call of the runtime fails with CODE
 *     GSORT_EMU_CORRUPT=N      the Nth copy from device to host has a wrong bit
 *
 * Numbers are those of the real runtime (13.0).
 */
#ifndef GS_EMU_CUDA_RUNTIME_API_H
#define GS_EMU_CUDA_RUNTIME_API_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDART_VERSION	13000

typedef enum cudaError {
	cudaSuccess                     = 0,
	cudaErrorInvalidValue           = 1,
	cudaErrorMemoryAllocation       = 2,
	cudaErrorInitializationError    = 3,
	cudaErrorInvalidConfiguration   = 9,
	cudaErrorInsufficientDriver     = 35,
	cudaErrorDevicesUnavailable     = 46,
	cudaErrorNoDevice               = 100,
	cudaErrorInvalidDevice          = 101,
	cudaErrorNoKernelImageForDevice = 209,
	cudaErrorECCUncorrectable       = 214,
	cudaErrorUnsupportedPtxVersion  = 222,
	cudaErrorInvalidResourceHandle  = 400,
	cudaErrorNotReady               = 600,
	cudaErrorIllegalAddress         = 700,
	cudaErrorLaunchOutOfResources   = 701,
	cudaErrorHostMemoryAlreadyRegistered = 712,
	cudaErrorHostMemoryNotRegistered = 713,
	cudaErrorMisalignedAddress      = 716,
	cudaErrorLaunchFailure          = 719,
	cudaErrorNotSupported           = 801,
	cudaErrorStreamCaptureUnsupported = 900,
	cudaErrorUnknown                = 999,
} cudaError_t;

enum cudaMemcpyKind {
	cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice, cudaMemcpyDefault,
};

enum cudaDeviceAttr {
	cudaDevAttrMaxThreadsPerBlock       = 1,
	cudaDevAttrMaxSharedMemoryPerBlock  = 8,
	cudaDevAttrWarpSize                 = 10,
	cudaDevAttrClockRate                = 13,	/* kHz */
	cudaDevAttrMultiProcessorCount      = 16,
	cudaDevAttrL2CacheSize              = 38,
	cudaDevAttrMaxThreadsPerMultiProcessor = 39,
	cudaDevAttrComputeCapabilityMajor   = 75,
	cudaDevAttrComputeCapabilityMinor   = 76,
	cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};

enum cudaFuncAttribute {
	cudaFuncAttributeMaxDynamicSharedMemorySize    = 8,
	cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};

#define cudaHostAllocDefault		0x0
#define cudaHostAllocPortable		0x1
#define cudaHostAllocMapped		0x2
#define cudaHostAllocWriteCombined	0x4
#define cudaHostRegisterDefault		0x0
#define cudaHostRegisterPortable	0x1
#define cudaHostRegisterReadOnly	0x8
#define cudaStreamDefault		0x0
#define cudaStreamNonBlocking		0x1
#define cudaEventDefault		0x0
#define cudaEventBlockingSync		0x1
#define cudaEventDisableTiming		0x2
#define cudaEventWaitDefault		0x0
#define cudaDeviceScheduleBlockingSync	0x4

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st  *cudaEvent_t;

#define cudaStreamPerThread	((cudaStream_t)2)	/* there for every thread, unasked */

enum cudaDriverEntryPointQueryResult {
	cudaDriverEntryPointSuccess               = 0,
	cudaDriverEntryPointSymbolNotFound        = 1,
	cudaDriverEntryPointVersionNotSufficent   = 2,
};

enum cudaStreamCaptureStatus {
	cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated,
};

#define cudaEnableDefault	0x0

struct cudaDeviceProp {
	char   name[256];
	size_t totalGlobalMem;
	size_t sharedMemPerBlock;
	int    major, minor;
	int    warpSize;
	int    maxThreadsPerBlock;
	int    multiProcessorCount;
	int    l2CacheSize;
	int    memoryBusWidth;
	int    asyncEngineCount;
};

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *id, int bytes, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);
/* cuCtxGetId() is the only function of the driver. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **entry, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);

cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags);
cudaError_t cudaMallocHost(void **memory, size_t bytes);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *memory);

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemset(void *memory, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared_bytes);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);

struct cudaFuncAttributes {
	int ptxVersion;
};

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);

/* Not CUDA's: what the runtime and the launcher tell each other and the tests. */
cudaError_t emu_call(void);			/* count one call; its injected error */
cudaError_t emu_note(cudaError_t error);	/* remember an error for cudaGetLastError() */
void        emu_launched(void);			/* a kernel has ended; see GSORT_EMU_CORRUPT */
unsigned long emu_calls(void);			/* so far */
unsigned long emu_works(void);			/* copies and kernels */
size_t      emu_allocations(void);		/* device and pinned pieces that are not freed */
size_t      emu_shared_bytes(void);		/* of a block, as somebody has last asked */
bool        emu_shared_allowed(const void *kernel, size_t bytes);	/* may KERNEL have so many? */

#ifdef __cplusplus
}
#endif
#endif
