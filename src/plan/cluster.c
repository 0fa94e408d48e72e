// SPDX-License-Identifier: BSD-2-Clause
/* cluster.c - what a sort by several hosts takes: a model, with a rank on each host */
#include "plan/cluster.h"

/*
 * The largest share over the mean: 1.05 with 16384 sampled keys a rank (up to 256 ranks), 1.25 with
 * 1024 (4096 ranks); tests/unit/splitters.c measures less.
 */
static uint64_t
largest_of(uint64_t share, unsigned ranks)
{
	return ranks == 1 ? share : share + share / (ranks <= 256 ? 20 : 4);
}

double
gs_cluster_seconds(const struct gs_cluster *cluster, uint64_t rate)
{
	const double read = (double)cluster->share_bytes / (double)GS_CLUSTER_IN;
	const double sent = (double)cluster->sent_bytes / (double)rate;
	const double disk = 2 * (double)cluster->disk_bytes / (double)GS_CLUSTER_DISK;

	return (read > sent ? read : sent) + disk +
	       (double)cluster->largest_bytes / (double)GS_CLUSTER_OUT;
}

void
gs_plan_cluster(struct gs_cluster *cluster, uint64_t bytes, unsigned ranks, uint64_t memory_bytes)
{
	const uint64_t share = bytes / ranks;

	*cluster = (struct gs_cluster){
		.share_bytes = share, .largest_bytes = largest_of(share, ranks),
		.sent_bytes = share / ranks * (ranks - 1),
		.files_in_rate = GS_CLUSTER_IN * ranks, .files_out_rate = GS_CLUSTER_OUT * ranks,
	};
	/* Blocks that are not full, and the window of the network. */
	cluster->memory_bytes = cluster->largest_bytes + cluster->largest_bytes / 8 + (64 << 20);
	if (memory_bytes < cluster->memory_bytes)
		cluster->disk_bytes = cluster->largest_bytes;
	cluster->seconds = gs_cluster_seconds(cluster, GS_CLUSTER_IN);
}
