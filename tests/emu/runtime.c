// SPDX-License-Identifier: BSD-2-Clause
/*
 * runtime.c - the emulated CUDA runtime: memory with bookkeeping, and nothing else
 *
 * Every call is complete when it returns.  Some errors that a real runtime does not
 * detect are errors here: a copy whose device side is not within one allocation, an
 * allocation freed twice, a stream or an event that does not exist.
 *
 * GSORT_EMU_FAIL=N:CODE makes the N-th call fail, and all later calls if CUDA calls such an error
 * sticky.  GSORT_EMU_CORRUPT=N flips a bit in the result of the N-th copy or kernel,
 * GSORT_EMU_STRAY=N one in the host memory that the N-th copy to the GPU came from.  The file that
 * GSORT_EMU_MARK names is created if one of these happened.
 *
 * Invariant: pieces[] holds every living piece once; device_bytes is their sum.
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cuda_runtime_api.h"

enum { PIECES = 4096, DEVICES = 16, GARBAGE = 0xa5, GARBAGE_BYTES = 8 << 20 };

enum kind { NOTHING, DEVICE, PINNED, REGISTERED };

static struct piece {
	char     *at;
	size_t    bytes;
	enum kind kind;
	int       device;	/* whose memory it is */
} pieces[PIECES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by lock, like pieces and calls. */
static size_t device_bytes[DEVICES];
static unsigned long calls;
static cudaError_t lost;	/* the sticky error, that every call returns from LOST_AT on */
static unsigned long lost_at;
static unsigned long long resets;	/* of devices: contexts after them are others */
static _Thread_local cudaError_t last_error;
static _Thread_local int current_device;

struct CUstream_st { unsigned alive; int device; };
struct CUevent_st  { unsigned alive; int device; struct timespec recorded; };

enum { ALIVE = 0x6c697665 };

static unsigned long long
setting(const char *name, unsigned long long otherwise)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? strtoull(value, NULL, 10) : otherwise;
}

/* GSORT_EMU_CAPTURING: all streams are captured, and work is done all the same. */
static bool
captures(void)
{
	return setting("GSORT_EMU_CAPTURING", 0) != 0;
}

/* Of CUDA_VISIBLE_DEVICES only numbers are known; a device that does not exist ends the list. */
static int
visible_device(int index)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	const unsigned long long devices = setting("GSORT_EMU_DEVICES", 1);
	const long count = devices < DEVICES ? (long)devices : DEVICES;
	long device = index < count ? index : -1;

	for (int i = 0; list != NULL && i <= index && device >= 0; i++) {
		char *end;

		device = strtol(list, &end, 10);
		if (end == list || device >= count)
			device = -1;
		list = *end == ',' ? end + 1 : "";
	}
	return (int)device;
}

static int
device_count(void)
{
	const unsigned long long queues = setting("CUDA_DEVICE_MAX_CONNECTIONS", 8);
	int count = 0;

	if (setting("GSORT_EMU_QUEUES", queues) != queues)
		return 0;
	while (visible_device(count) >= 0)
		count++;
	return count;
}

static size_t
device_room(int device)
{
	const char *list = getenv("GSORT_EMU_MEMORY");
	unsigned long long bytes = 1ull << 30;

	for (int d = 0; d <= device && list != NULL && *list != '\0'; d++) {
		char *end;

		bytes = strtoull(list, &end, 10);
		list = *end == ',' ? end + 1 : "";
	}
	return (size_t)bytes;
}

cudaError_t
emu_note(cudaError_t error)
{
	if (error != cudaSuccess && error != cudaErrorNotReady)
		last_error = error;
	return error;
}

/* What was to go wrong did. */
static void
mark(void)
{
	const char *name = getenv("GSORT_EMU_MARK");
	const int fd = name != NULL ? open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0666) : -1;

	if (fd >= 0)
		close(fd);
}

/* Nothing works after it but in a new process: "CUDA Runtime API", Error Handling. */
static bool
is_sticky(cudaError_t error)
{
	return error == cudaErrorECCUncorrectable || error == cudaErrorIllegalAddress ||
	       error == cudaErrorMisalignedAddress || error == cudaErrorLaunchFailure;
}

/* One call of the runtime.  GSORT_EMU_FAIL may have chosen it to fail. */
cudaError_t
emu_call(void)
{
	const char *fail = getenv("GSORT_EMU_FAIL");
	cudaError_t error = cudaSuccess;
	unsigned long nth = 0;
	int code = 0;

	if (device_count() == 0)
		return emu_note(cudaErrorNoDevice);
	if (fail != NULL && sscanf(fail, "%lu:%d", &nth, &code) != 2)
		nth = 0;
	pthread_mutex_lock(&lock);
	if (++calls == nth) {
		error = lost = (cudaError_t)code;
		lost_at = is_sticky(error) ? nth : 0;
		mark();
	} else if (nth > 0 && lost_at == nth) {	/* otherwise a test plays something else now */
		error = lost;
	}
	pthread_mutex_unlock(&lock);
	return emu_note(error);
}

static unsigned long
read_counter(const unsigned long *counter)
{
	unsigned long so_far;

	pthread_mutex_lock(&lock);
	so_far = *counter;
	pthread_mutex_unlock(&lock);
	return so_far;
}

unsigned long
emu_calls(void)
{
	return read_counter(&calls);
}

#define CALL() \
	do { \
		cudaError_t call_error = emu_call(); \
		if (call_error != cudaSuccess) \
			return call_error; \
	} while (0)

/* ---- memory ------------------------------------------------------------- */

/* The piece that holds BYTES from AT on, or NULL.  Locked. */
static struct piece *
piece_around(const void *at, size_t bytes)
{
	uintptr_t from = (uintptr_t)at;

	for (size_t p = 0; p < PIECES; p++) {
		uintptr_t begin = (uintptr_t)pieces[p].at;

		if (pieces[p].kind != NOTHING && from >= begin &&
		    from - begin <= pieces[p].bytes && bytes <= pieces[p].bytes - (from - begin))
			return &pieces[p];
	}
	return NULL;
}

/* Note a piece.  Locked. */
static cudaError_t
piece_add(void *at, size_t bytes, enum kind kind)
{
	for (size_t p = 0; p < PIECES; p++)
		if (pieces[p].kind == NOTHING) {
			pieces[p] = (struct piece){
				.at = at, .bytes = bytes, .kind = kind, .device = current_device,
			};
			return cudaSuccess;
		}
	return cudaErrorMemoryAllocation;
}

/*
 * Fill what was allocated.  Of large memory only both ends: a job with a little input
 * allocates most of 1 GiB, and writing that took most of the time of a fuzzed job (0.8 s).
 */
static void
fill_with_garbage(void *memory, size_t bytes)
{
	if (bytes <= 2 * GARBAGE_BYTES) {
		memset(memory, GARBAGE, bytes);
		return;
	}
	memset(memory, GARBAGE, GARBAGE_BYTES);
	memset((char *)memory + bytes - GARBAGE_BYTES, GARBAGE, GARBAGE_BYTES);
}

/* Memory as a driver returns it: 256-byte aligned, full of garbage. */
static cudaError_t
allocate(void **memory, size_t bytes, enum kind kind)
{
	const size_t room = device_room(current_device);
	size_t *used = &device_bytes[current_device];
	cudaError_t error = cudaErrorMemoryAllocation;
	void *at = NULL;

	*memory = NULL;
	if (bytes == 0)
		return cudaSuccess;
	pthread_mutex_lock(&lock);
	if ((kind != DEVICE || bytes <= room - *used) && *used <= room &&
	    (at = aligned_alloc(256, (bytes + 255) & ~(size_t)255)) != NULL)
		error = piece_add(at, bytes, kind);
	if (error == cudaSuccess && kind == DEVICE)
		*used += bytes;
	pthread_mutex_unlock(&lock);
	if (error != cudaSuccess) {
		free(at);
		return emu_note(error);
	}
	fill_with_garbage(at, bytes);
	*memory = at;
	return cudaSuccess;
}

/* Forget the piece that begins at MEMORY; give its memory back unless it was lent.  If the
 * call fails, it tells of something that went wrong before. */
static cudaError_t
release(void *memory, enum kind kind, cudaError_t otherwise)
{
	const cudaError_t before = emu_call();
	struct piece *piece = NULL;

	if (memory == NULL)
		return before;
	pthread_mutex_lock(&lock);
	for (size_t p = 0; p < PIECES && piece == NULL; p++)
		if (pieces[p].kind == kind && pieces[p].at == memory)
			piece = &pieces[p];
	if (piece != NULL) {
		piece->kind = NOTHING;
		if (kind == DEVICE)
			device_bytes[piece->device] -= piece->bytes;
	}
	pthread_mutex_unlock(&lock);
	if (piece == NULL)
		return emu_note(otherwise);
	if (kind != REGISTERED)
		free(memory);
	return before;
}

cudaError_t
cudaMalloc(void **memory, size_t bytes)
{
	CALL();
	return allocate(memory, bytes, DEVICE);
}

cudaError_t
cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
	(void)stream;
	return cudaMalloc(memory, bytes);
}

cudaError_t
cudaFree(void *memory)
{
	return release(memory, DEVICE, cudaErrorInvalidValue);
}

cudaError_t
cudaFreeAsync(void *memory, cudaStream_t stream)
{
	(void)stream;
	return cudaFree(memory);
}

cudaError_t
cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
	(void)flags;
	CALL();
	return captures() ? cudaErrorStreamCaptureUnsupported : allocate(memory, bytes, PINNED);
}

cudaError_t
cudaMallocHost(void **memory, size_t bytes)
{
	return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}

cudaError_t
cudaFreeHost(void *memory)
{
	return release(memory, PINNED, cudaErrorInvalidValue);
}

cudaError_t
cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
	cudaError_t error = cudaErrorInvalidValue;

	(void)flags;
	CALL();
	pthread_mutex_lock(&lock);
	if (memory != NULL && bytes > 0)
		error = piece_around(memory, 1) != NULL ? cudaErrorHostMemoryAlreadyRegistered :
		        piece_add(memory, bytes, REGISTERED);
	pthread_mutex_unlock(&lock);
	return emu_note(error);
}

cudaError_t
cudaHostUnregister(void *memory)
{
	return release(memory, REGISTERED, cudaErrorHostMemoryNotRegistered);
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	size_t used;

	CALL();
	*total_bytes = device_room(current_device);
	pthread_mutex_lock(&lock);
	used = device_bytes[current_device];
	pthread_mutex_unlock(&lock);
	*free_bytes = *total_bytes > used ? *total_bytes - used : 0;
	return cudaSuccess;
}

size_t
emu_allocations(void)
{
	size_t count = 0;

	pthread_mutex_lock(&lock);
	for (size_t p = 0; p < PIECES; p++)
		count += pieces[p].kind != NOTHING;
	pthread_mutex_unlock(&lock);
	return count;
}

/* Is all of it memory of DEVICE, or none of it any device's (DEVICE < 0)? */
static bool
side_holds(const void *at, size_t bytes, int device)
{
	struct piece *piece;
	bool is_device, is_right;

	pthread_mutex_lock(&lock);
	piece = piece_around(at, device >= 0 ? bytes : 0);
	is_device = piece != NULL && piece->kind == DEVICE;
	is_right = device < 0 ? !is_device : is_device && piece->device == device;
	pthread_mutex_unlock(&lock);
	return is_right;
}

static int
device_of(cudaStream_t stream)
{
	return stream == NULL || stream == cudaStreamPerThread ? current_device : stream->device;
}

static unsigned long works;	/* copies and kernels so far; guarded by lock */

/* Does GSORT_EMU_CORRUPT mean this copy or kernel? */
static bool
goes_wrong(void)
{
	bool wrong;

	pthread_mutex_lock(&lock);
	wrong = ++works == setting("GSORT_EMU_CORRUPT", 0);
	pthread_mutex_unlock(&lock);
	if (wrong)
		mark();
	return wrong;
}

unsigned long
emu_works(void)
{
	return read_counter(&works);
}

static void
stray(const char *from, size_t bytes)
{
	static unsigned long long copies;
	const struct piece *home;

	pthread_mutex_lock(&lock);
	home = piece_around(from, bytes);
	if (++copies == setting("GSORT_EMU_STRAY", 0) && home != NULL)
		home->at[(size_t)(from - home->at) + bytes / 2] ^= 1;
	pthread_mutex_unlock(&lock);
}

/* Keys that were copied to a device last, or on it; guarded by lock. */
static struct {
	const char *at;
	size_t      bytes;
} arrived;

static void
copied(unsigned char *to, size_t bytes, enum cudaMemcpyKind kind)
{
	if (kind != cudaMemcpyDeviceToHost) {
		pthread_mutex_lock(&lock);
		arrived.at = (const char *)to;
		arrived.bytes = bytes;
		pthread_mutex_unlock(&lock);
	}
	if (goes_wrong())
		to[bytes / 2] ^= 1;
}

/* A kernel damages a key that came last; in all pieces as large, for it may have moved. */
void
emu_launched(void)
{
	const struct piece *home;

	if (!goes_wrong())
		return;
	pthread_mutex_lock(&lock);
	home = arrived.bytes > 0 ? piece_around(arrived.at, arrived.bytes) : NULL;
	for (size_t p = 0; home != NULL && p < PIECES; p++)
		if (pieces[p].kind == DEVICE && pieces[p].bytes == home->bytes)
			pieces[p].at[(size_t)(arrived.at - home->at) + arrived.bytes / 2] ^= 1;
	pthread_mutex_unlock(&lock);
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                cudaStream_t stream)
{
	const int device = device_of(stream);
	const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
	const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;

	CALL();
	if (stream != NULL && stream != cudaStreamPerThread && stream->alive != ALIVE)
		return emu_note(cudaErrorInvalidResourceHandle);
	if (bytes == 0)
		return cudaSuccess;
	if (kind != cudaMemcpyDefault && (!side_holds(to, bytes, to_device ? device : -1) ||
	                                  !side_holds(from, bytes, from_device ? device : -1)))
		return emu_note(cudaErrorInvalidValue);
	if (kind == cudaMemcpyHostToDevice)
		stray(from, bytes);
	memmove(to, from, bytes);
	copied(to, bytes, kind);
	return cudaSuccess;
}

cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	return cudaMemcpyAsync(to, from, bytes, kind, NULL);
}

cudaError_t
cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
	CALL();
	if (bytes > 0 && !side_holds(memory, bytes, device_of(stream)))
		return emu_note(cudaErrorInvalidValue);
	if (bytes > 0)
		memset(memory, value, bytes);
	return cudaSuccess;
}

cudaError_t
cudaMemset(void *memory, int value, size_t bytes)
{
	return cudaMemsetAsync(memory, value, bytes, NULL);
}

/* ---- devices ------------------------------------------------------------ */

cudaError_t
cudaGetDeviceCount(int *count)
{
	const unsigned long long ms = setting("GSORT_EMU_OPEN_MS", 0);
	const struct timespec opening = { (time_t)(ms / 1000), (long)(ms % 1000 * 1000000) };

	*count = 0;
	CALL();
	nanosleep(&opening, NULL);
	*count = device_count();
	return cudaSuccess;
}

cudaError_t
cudaSetDevice(int device)
{
	CALL();
	if (device < 0 || device >= device_count())
		return emu_note(cudaErrorInvalidDevice);
	current_device = device;
	return cudaSuccess;
}

cudaError_t
cudaGetDevice(int *device)
{
	CALL();
	*device = current_device;
	return cudaSuccess;
}

cudaError_t
cudaSetDeviceFlags(unsigned flags)
{
	(void)flags;
	CALL();
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
	CALL();
	if (device < 0 || device >= device_count())
		return emu_note(cudaErrorInvalidDevice);
	*properties = (struct cudaDeviceProp){
		.name = "emulated GPU 0", .totalGlobalMem = device_room(device),
		.sharedMemPerBlock = 48 << 10, .major = 9, .minor = 0, .warpSize = 32,
		.maxThreadsPerBlock = 1024, .multiProcessorCount = 2, .l2CacheSize = 1 << 20,
		.memoryBusWidth = 64, .asyncEngineCount = 2,
	};
	properties->name[13] = (char)('0' + visible_device(device) % 10);
	return cudaSuccess;
}

static _Atomic size_t room_of_block = SIZE_MAX;	/* asked by each thread: getenv() is too slow */

size_t
emu_shared_bytes(void)
{
	return room_of_block;
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	struct cudaDeviceProp properties;
	cudaError_t error = cudaGetDeviceProperties(&properties, device);

	if (error != cudaSuccess)
		return error;
	switch (attribute) {
	case cudaDevAttrMaxThreadsPerBlock:      *value = properties.maxThreadsPerBlock; break;
	case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)properties.sharedMemPerBlock; break;
	case cudaDevAttrWarpSize:                *value = properties.warpSize; break;
	case cudaDevAttrClockRate:               *value = 1000000; break;
	case cudaDevAttrMultiProcessorCount:     *value = properties.multiProcessorCount; break;
	case cudaDevAttrL2CacheSize:             *value = properties.l2CacheSize; break;
	case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
	case cudaDevAttrComputeCapabilityMajor:  *value = properties.major; break;
	case cudaDevAttrComputeCapabilityMinor:  *value = properties.minor; break;
	case cudaDevAttrMaxSharedMemoryPerBlockOptin:
		*value = (int)setting("GSORT_EMU_SHARED", 227 << 10);
		room_of_block = (size_t)*value;
		break;
	default: return emu_note(cudaErrorInvalidValue);
	}
	return cudaSuccess;
}

/* /sys has no such device, so no thread is bound near it. */
cudaError_t
cudaDeviceGetPCIBusId(char *id, int bytes, int device)
{
	CALL();
	if (device < 0 || device >= device_count())
		return emu_note(cudaErrorInvalidDevice);
	snprintf(id, (size_t)bytes, "FFFF:FF:%02X.7", (unsigned)device);
	return cudaSuccess;
}

cudaError_t
cudaDeviceSynchronize(void)
{
	CALL();
	return cudaSuccess;
}

/* All memory of all devices is lost, whoever had it. */
cudaError_t
cudaDeviceReset(void)
{
	CALL();
	pthread_mutex_lock(&lock);
	for (size_t p = 0; p < PIECES; p++) {
		if (pieces[p].kind == DEVICE || pieces[p].kind == PINNED)
			free(pieces[p].at);
		pieces[p].kind = NOTHING;
	}
	memset(device_bytes, 0, sizeof device_bytes);
	resets++;
	pthread_mutex_unlock(&lock);
	return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}

cudaError_t
cudaDriverGetVersion(int *version)
{
	*version = device_count() > 0 ? CUDART_VERSION : 0;
	return cudaSuccess;
}

static int
context_number(void *context, unsigned long long *number)
{
	(void)context;
	pthread_mutex_lock(&lock);
	*number = resets * DEVICES + (unsigned long long)current_device;
	pthread_mutex_unlock(&lock);
	return 0;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **entry, unsigned version,
                                 unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *found)
{
	int (*const function)(void *, unsigned long long *) = context_number;

	(void)version;
	(void)flags;
	*found = cudaDriverEntryPointSymbolNotFound;
	*entry = NULL;
	if (strcmp(symbol, "cuCtxGetId") == 0) {
		*found = cudaDriverEntryPointSuccess;
		memcpy(entry, &function, sizeof *entry);
	}
	return cudaSuccess;
}

/* Nothing but threads limits it here. */
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                              size_t shared_bytes)
{
	(void)kernel;
	(void)shared_bytes;
	CALL();
	if (threads < 1 || threads > 1024)
		return emu_note(cudaErrorInvalidValue);
	*blocks = 2048 / threads;
	return cudaSuccess;
}

/* Dynamic shared memory that kernels have been allowed, where a block has so much ROOM. */
static struct allowance {
	const void *kernel;
	size_t      room, bytes;
} allowances[2048];

/* For whoever has the lock. */
static struct allowance *
allowance_of(const void *kernel)
{
	enum { MANY = sizeof allowances / sizeof allowances[0] };
	struct allowance *a = &allowances[(uintptr_t)kernel / 16 % MANY];

	while (a->kernel != NULL && a->kernel != kernel)
		a = a + 1 < allowances + MANY ? a + 1 : allowances;
	if (a->kernel == NULL || a->room != room_of_block)
		*a = (struct allowance){ kernel, room_of_block, 48 << 10 };
	return a;
}

bool
emu_shared_allowed(const void *kernel, size_t bytes)
{
	bool allowed;

	pthread_mutex_lock(&lock);
	allowed = bytes <= allowance_of(kernel)->bytes;
	pthread_mutex_unlock(&lock);
	return allowed;
}

/* It cannot be lowered: another thread may be about to launch the kernel with more. */
cudaError_t
cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
	const size_t bytes = (size_t)value;
	struct allowance *a;
	bool holds;

	CALL();
	if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
		return cudaSuccess;
	if (bytes > setting("GSORT_EMU_SHARED", 227 << 10))
		return emu_note(cudaErrorInvalidValue);
	pthread_mutex_lock(&lock);
	a = allowance_of(kernel);
	holds = a->bytes == 48 << 10 || bytes >= a->bytes;
	if (holds)
		a->bytes = bytes;
	pthread_mutex_unlock(&lock);
	return holds ? cudaSuccess : emu_note(cudaErrorInvalidValue);
}

cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
	(void)kernel;
	CALL();
	attributes->ptxVersion = (int)setting("GSORT_EMU_CODE", 90);
	return cudaSuccess;
}

/* ---- streams and events ------------------------------------------------- */

static cudaError_t
stream_call(cudaStream_t stream)
{
	CALL();
	if (stream != NULL && stream != cudaStreamPerThread && stream->alive != ALIVE)
		return emu_note(cudaErrorInvalidResourceHandle);
	return cudaSuccess;
}

static cudaError_t
event_call(cudaEvent_t event)
{
	CALL();
	if (event == NULL || event->alive != ALIVE)
		return emu_note(cudaErrorInvalidResourceHandle);
	return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
	(void)flags;
	*stream = NULL;
	CALL();
	if ((*stream = malloc(sizeof **stream)) == NULL)
		return emu_note(cudaErrorMemoryAllocation);
	(*stream)->alive = ALIVE;
	(*stream)->device = current_device;
	return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
	(void)priority;
	return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t
cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
	const cudaError_t before = emu_call();

	if (stream == NULL || stream->alive != ALIVE)
		return emu_note(cudaErrorInvalidResourceHandle);
	stream->alive = 0;
	free(stream);
	return before;
}

cudaError_t
cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	*status = captures() ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
	return stream_call(stream);
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
	return captures() ? cudaErrorStreamCaptureUnsupported : stream_call(stream);
}

cudaError_t
cudaStreamQuery(cudaStream_t stream)
{
	return stream_call(stream);
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	cudaError_t error = stream_call(stream);

	(void)flags;
	return error != cudaSuccess ? error : event_call(event);
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
	(void)flags;
	*event = NULL;
	CALL();
	if ((*event = calloc(1, sizeof **event)) == NULL)
		return emu_note(cudaErrorMemoryAllocation);
	(*event)->alive = ALIVE;
	(*event)->device = current_device;
	return cudaSuccess;
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
	const cudaError_t before = emu_call();

	if (event == NULL || event->alive != ALIVE)
		return emu_note(cudaErrorInvalidResourceHandle);
	event->alive = 0;
	free(event);
	return before;
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	cudaError_t error = stream_call(stream);

	if (error == cudaSuccess)
		error = event_call(event);
	if (error == cudaSuccess && event->device != device_of(stream))
		error = emu_note(cudaErrorInvalidResourceHandle);
	if (error == cudaSuccess)
		clock_gettime(CLOCK_MONOTONIC, &event->recorded);
	return error;
}

cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
	return captures() ? cudaErrorStreamCaptureUnsupported : event_call(event);
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
	return event_call(event);
}

/* Read by another thread than the one that records, which has waited since. */
cudaError_t
cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
	cudaError_t error = event_call(from);

	if (error == cudaSuccess)
		error = event_call(to);
	if (error == cudaSuccess)
		*milliseconds = (float)((double)(to->recorded.tv_sec - from->recorded.tv_sec) * 1e3 +
		                        (double)(to->recorded.tv_nsec - from->recorded.tv_nsec) / 1e6);
	return error;
}

/* ---- errors ------------------------------------------------------------- */

cudaError_t
cudaGetLastError(void)
{
	cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

cudaError_t
cudaPeekAtLastError(void)
{
	return last_error;
}

const char *
cudaGetErrorString(cudaError_t error)
{
	switch (error) {
	case cudaSuccess:                   return "no error";
	case cudaErrorInvalidValue:         return "invalid argument";
	case cudaErrorMemoryAllocation:     return "out of memory";
	case cudaErrorInitializationError:  return "initialization error";
	case cudaErrorInvalidConfiguration: return "invalid configuration argument";
	case cudaErrorInsufficientDriver:
		return "CUDA driver version is insufficient for CUDA runtime version";
	case cudaErrorNoDevice:             return "no CUDA-capable device is detected";
	case cudaErrorInvalidDevice:        return "invalid device ordinal";
	case cudaErrorInvalidResourceHandle: return "invalid resource handle";
	case cudaErrorIllegalAddress:       return "an illegal memory access was encountered";
	case cudaErrorMisalignedAddress:    return "misaligned address";
	case cudaErrorLaunchFailure:        return "unspecified launch failure";
	case cudaErrorECCUncorrectable:     return "uncorrectable ECC error encountered";
	default:                            return "unknown error";
	}
}

const char *
cudaGetErrorName(cudaError_t error)
{
	return cudaGetErrorString(error);
}
