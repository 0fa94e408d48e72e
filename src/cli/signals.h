// SPDX-License-Identifier: BSD-2-Clause
/*
 * signals.h - dying without leaving anything behind
 */
#ifndef GS_SIGNALS_H
#define GS_SIGNALS_H

/** Handle the signals that end a process, but for those that it was started to ignore. */
void gs_signals_catch(void);

#endif
