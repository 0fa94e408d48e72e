// SPDX-License-Identifier: BSD-2-Clause
/*
 * futex.h - sleep until another thread has changed a word
 *
 * As futex(2) of Linux: whoever changes the word wakes afterwards, and a sleeper looks at the word
 * again.  Elsewhere, and with GS_PORTABLE, the fallback has a lock and a condition variable for each of
 * a few classes of addresses.
 */
#ifndef GS_FUTEX_H
#define GS_FUTEX_H

#include <stdatomic.h>

/** Sleep while *WORD is VALUE, or wake up early. */
void gs_futex_wait(atomic_uint *word, unsigned value);

/** Wake up to SLEEPERS threads, which may be more in the fallback.  WORD is not read: it may be gone. */
void gs_futex_wake(atomic_uint *word, int sleepers);

/** In the child of fork(), before anything else: nobody sleeps. */
void gs_futex_forget(void);

#endif
