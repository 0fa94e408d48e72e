// SPDX-License-Identifier: BSD-2-Clause
/* cluster.c - rows for src/plan/cluster.c: the model's figures, computed by hand */
#include <math.h>

#include "plan/cluster.h"
#include "tests/unit/units.h"

void unit_cluster(void);

#define TB	UINT64_C(1000000000000)
#define GIB	(UINT64_C(1) << 30)

void
unit_cluster(void)
{
	struct gs_cluster cluster;

	gs_plan_cluster(&cluster, 64 * TB, 64, 2 * TB);
	CHECK(cluster.share_bytes == TB, "a share is the mean");
	CHECK(cluster.largest_bytes == TB / 20 * 21, "the largest share is 1.05 of it");
	CHECK(cluster.sent_bytes == TB / 64 * 63, "all but its own keys are sent");
	CHECK(cluster.disk_bytes == 0, "2 TB of memory hold a share of 1 TB");
	CHECK(fabs(cluster.seconds - (1e12 / 6.5e9 + 1.05e12 / 8.5e9)) < 1, "it takes %f s",
	      cluster.seconds);
	CHECK(fabs(gs_cluster_seconds(&cluster, 1250000000) - (1e12 / 64 * 63 / 1.25e9 +
	      1.05e12 / 8.5e9)) < 1, "10 Gbit/s are what it waits for");
	gs_plan_cluster(&cluster, 64 * TB, 64, 256 * GIB);
	CHECK(cluster.disk_bytes == TB / 20 * 21, "256 GiB do not: all of it goes to disk");
	gs_plan_cluster(&cluster, 1000, 1, GIB);
	CHECK(cluster.sent_bytes == 0 && cluster.largest_bytes == 1000, "one rank sends nothing");
	gs_plan_cluster(&cluster, 0, 4096, GIB);
	CHECK(cluster.share_bytes == 0 && cluster.disk_bytes == 0, "nothing takes nothing");
}
