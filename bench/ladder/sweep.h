// SPDX-License-Identifier: BSD-2-Clause
/* sweep.h - gsort-bench sweep: one variant with every shape of grid, or number of threads */
#ifndef GS_BENCH_SWEEP_H
#define GS_BENCH_SWEEP_H

/** ARGV[0] is the subcommand's name.  Returns the exit status. */
int bench_sweep(int argc, char **argv);

#endif
