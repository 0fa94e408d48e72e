// SPDX-License-Identifier: BSD-2-Clause
/*
 * cluster.h - what a sort by several hosts takes: a model, with a rank on each host
 *
 * Every byte is read, crosses the network, perhaps goes to a disk and back, and is written; a host
 * does the first two at once.  doc/planning.md has the model, and what it leaves out.
 */
#ifndef GS_PLAN_CLUSTER_H
#define GS_PLAN_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

/* The rates of a host in bytes a second: one of 16 cores, as measured for gsort alone. */
#define GS_CLUSTER_IN	UINT64_C(6500000000)	/* read, divided by owner, put into buckets */
#define GS_CLUSTER_OUT	UINT64_C(8500000000)	/* sorted and written to a new file */
#define GS_CLUSTER_DISK	UINT64_C(3000000000)	/* written to, or read from, a local NVMe disk */

struct gs_cluster {
	uint64_t share_bytes;		/* of keys that a rank owns, on average ... */
	uint64_t largest_bytes;		/* ... and at most, but for one job in 10^6 */
	uint64_t sent_bytes;		/* by each rank, and as much received */
	uint64_t memory_bytes;		/* of a rank, if nothing is to go to disk */
	uint64_t disk_bytes;		/* of temporary files of a rank; 0: its keys fit */
	uint64_t files_in_rate;		/* that the file system must deliver, and take, if it is ... */
	uint64_t files_out_rate;	/* ... not to be what the ranks wait for */
	double   seconds;		/* if the network has as much as a host reads */
};

/** Estimate a sort of BYTES by RANKS, each with MEMORY_BYTES.  The imbalance is that of
 *  gs_sample_wanted(). */
void gs_plan_cluster(struct gs_cluster *cluster, uint64_t bytes, unsigned ranks,
                     uint64_t memory_bytes);

/** The seconds with a network of RATE bytes a second and direction for each host. */
double gs_cluster_seconds(const struct gs_cluster *cluster, uint64_t rate);

#endif
