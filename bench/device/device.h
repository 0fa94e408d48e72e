// SPDX-License-Identifier: BSD-2-Clause
/* device.h - gsort-bench tile, merge, device, call, rows and check: gsort's own kernels */
#ifndef GS_BENCH_DEVICE_H
#define GS_BENCH_DEVICE_H

/** Run the subcommand that the operand names; ARGV[0] is the program's name.  Returns the exit status. */
int bench_device(int argc, char **argv);

#endif
