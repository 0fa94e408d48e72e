// SPDX-License-Identifier: BSD-2-Clause
/* ladder.h - gsort-bench ladder: every variant at every size */
#ifndef GS_BENCH_LADDER_H
#define GS_BENCH_LADDER_H

/** ARGV[0] is the subcommand's name.  Returns the exit status. */
int bench_ladder(int argc, char **argv);

#endif
