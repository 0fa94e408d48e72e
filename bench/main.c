// SPDX-License-Identifier: BSD-2-Clause
/* main.c - gsort-bench: run a subcommand */
#include "config.h"

#include <string.h>

#include "bench/device/device.h"
#include "bench/ladder/ladder.h"
#include "bench/ladder/sweep.h"

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "ladder") == 0)
		return bench_ladder(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "sweep") == 0)
		return bench_sweep(argc - 1, argv + 1);
	return bench_device(argc, argv);
}
