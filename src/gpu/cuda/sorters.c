// SPDX-License-Identifier: BSD-2-Clause
/*
 * sorters.c - the sorters of libgsort_cuda
 *
 * To open one takes longer than to sort 2^20 keys.  A context is known by its number, which the driver
 * never gives to another one: so a sorter of a context that is gone is never used again.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda/sorters.h"

/* One of a list. */
struct kept {
	struct gs_sorter   sorter;	/* first: gs_sorters_give() gets its address */
	struct kept       *next;
	unsigned long long context;
	bool               busy;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *all;	/* guarded by lock */

/* cuCtxGetId(), of the driver; NULL if there is none. */
typedef int context_number(void *context, unsigned long long *number);
static context_number *number_of;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
find_number_of(void)
{
	enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	void *entry = NULL;

#if CUDART_VERSION >= 12050
	if (cudaGetDriverEntryPointByVersion("cuCtxGetId", &entry, 12000, cudaEnableDefault, &found) ==
#else
	if (cudaGetDriverEntryPoint("cuCtxGetId", &entry, cudaEnableDefault, &found) ==
#endif
	    cudaSuccess && found == cudaDriverEntryPointSuccess)
		memcpy(&number_of, &entry, sizeof entry);
}

/* The number of the current context, which is there after that. */
static cudaError_t
current_context(unsigned long long *number)
{
	cudaError_t error;

	pthread_once(&once, find_number_of);
	if (number_of == NULL)
		return cudaErrorInsufficientDriver;
	if (number_of(NULL, number) == 0)
		return cudaSuccess;
	error = cudaFree(NULL);		/* the thread has no context yet */
	if (error != cudaSuccess)
		return error;
	return number_of(NULL, number) == 0 ? cudaSuccess : cudaErrorUnknown;
}

cudaError_t
gs_sorters_take(struct gs_sorter **sorter)
{
	unsigned long long context;
	cudaError_t error = current_context(&context);
	struct kept *k = NULL;

	if (error != cudaSuccess)
		return error;
	pthread_mutex_lock(&lock);
	for (k = all; k != NULL && (k->busy || k->context != context); k = k->next)
		;
	if (k != NULL)
		k->busy = true;
	pthread_mutex_unlock(&lock);
	if (k == NULL) {
		if ((k = malloc(sizeof *k)) == NULL)
			return cudaErrorMemoryAllocation;
		*k = (struct kept){ .context = context, .busy = true };
		if ((error = gs_sorter_open(&k->sorter)) != cudaSuccess) {
			free(k);
			return error;
		}
		pthread_mutex_lock(&lock);
		k->next = all;
		all = k;
		pthread_mutex_unlock(&lock);
	}
	*sorter = &k->sorter;
	return cudaSuccess;
}

/* Take K out of the list; the lock is held. */
static void
unlist(const struct kept *k)
{
	struct kept **at = &all;

	while (*at != k)
		at = &(*at)->next;
	*at = k->next;
}

void
gs_sorters_give(struct gs_sorter *sorter, bool failed)
{
	struct kept *k = (struct kept *)sorter;

	pthread_mutex_lock(&lock);
	if (failed)
		unlist(k);
	else
		k->busy = false;
	pthread_mutex_unlock(&lock);
	if (failed) {
		gs_sorter_close(&k->sorter);
		free(k);
	}
}

cudaError_t
gs_sorters_release(void)
{
	unsigned long long context;
	cudaError_t error = current_context(&context);
	struct kept *k, *next;

	if (error != cudaSuccess)
		return error;
	pthread_mutex_lock(&lock);
	for (k = all; k != NULL; k = next) {
		next = k->next;
		if (k->busy || k->context != context)
			continue;
		unlist(k);
		gs_sorter_close(&k->sorter);
		free(k);
	}
	pthread_mutex_unlock(&lock);
	return cudaSuccess;
}
