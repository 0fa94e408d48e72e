// SPDX-License-Identifier: BSD-2-Clause
/* futex.c - futex(2), or locks and condition variables */
#include "base/team.h"

#if defined __linux__ && !defined GS_PORTABLE
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void
gs_futex_wait(atomic_uint *word, unsigned value)
{
	(void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void
gs_futex_wake(atomic_uint *word, int sleepers)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, sleepers, NULL, NULL, 0);
}

void
gs_futex_forget(void)
{
}

#else
#include <pthread.h>
#include <stdint.h>

/*
 * Words whose addresses have the same remainder share a class.  A sleeper reads its word under the
 * lock of the class, and whoever wakes takes the lock after the word has changed: no wake-up is lost.
 */
enum { CLASSES = 64 };

#define CLASS1		{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER }
#define CLASS4		CLASS1, CLASS1, CLASS1, CLASS1
#define CLASS16		CLASS4, CLASS4, CLASS4, CLASS4
static struct class {
	pthread_mutex_t lock;
	pthread_cond_t  changed;
} classes[CLASSES] = { CLASS16, CLASS16, CLASS16, CLASS16 };

static struct class *
class_of(const atomic_uint *word)
{
	return &classes[((uintptr_t)word >> 4) % CLASSES];
}

void
gs_futex_wait(atomic_uint *word, unsigned value)
{
	struct class *class = class_of(word);

	pthread_mutex_lock(&class->lock);
	if (atomic_load(word) == value)
		pthread_cond_wait(&class->changed, &class->lock);
	pthread_mutex_unlock(&class->lock);
}

void
gs_futex_wake(atomic_uint *word, int sleepers)
{
	struct class *class = class_of(word);

	(void)sleepers;		/* sleepers on other words of the class look, and sleep again */
	pthread_mutex_lock(&class->lock);
	pthread_cond_broadcast(&class->changed);
	pthread_mutex_unlock(&class->lock);
}

void
gs_futex_forget(void)
{
	for (int c = 0; c < CLASSES; c++) {
		pthread_mutex_init(&classes[c].lock, NULL);
		pthread_cond_init(&classes[c].changed, NULL);
	}
}
#endif
