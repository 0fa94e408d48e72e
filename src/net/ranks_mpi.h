// SPDX-License-Identifier: BSD-2-Clause
/*
 * ranks_mpi.h - ranks that are processes of a job of MPI
 *
 * MPI is asked for MPI_THREAD_FUNNELED: only the thread that calls gs_ranks_mpi_open() makes calls
 * of ranks.h.
 */
#ifndef GS_RANKS_MPI_H
#define GS_RANKS_MPI_H

#include "net/ranks.h"

/**
 * Begin MPI.
 *
 * @return  GS_OK; GS_EIO: MPI cannot start, or a launcher has started several processes and MPI
 *          sees only one, because the launcher is another MPI's
 */
MUST_CHECK gs_status gs_ranks_mpi_open(struct gs_ranks **ranks, int *argc, char ***argv);

/** End MPI, after all ranks have succeeded, or all have agreed that they have not. */
void gs_ranks_mpi_close(struct gs_ranks *ranks);

#endif
