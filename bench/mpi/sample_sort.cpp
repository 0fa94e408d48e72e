// SPDX-License-Identifier: BSD-2-Clause
/*
 * sample_sort.cpp - a plain MPI sample sort of u64, as a yardstick for gsort-mpi
 *
 *     mpirun -n N sample-sort IN OUT
 *
 * As textbooks have it: each rank reads its part, sorts it, takes regular samples; all gather them and
 * choose splitters; MPI_Alltoallv moves all keys at once; each rank sorts what it has got, and writes
 * it at its offset.  Less than 2^31 keys from one rank to another.
 */
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const int SAMPLES = 4096;	/* of each rank */

static void
fail(const char *what)
{
	perror(what);
	MPI_Abort(MPI_COMM_WORLD, 2);
}

static void
transfer(bool write, int fd, void *data, size_t bytes, off_t at)
{
	char *from = static_cast<char *>(data);

	while (bytes > 0) {
		const ssize_t done = write ? pwrite(fd, from, bytes, at) : pread(fd, from, bytes, at);

		if (done <= 0)
			fail(write ? "write" : "read");
		from += done;
		at += done;
		bytes -= static_cast<size_t>(done);
	}
}

int
main(int argc, char **argv)
{
	int rank, size;
	struct stat st;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const int in = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	if (in < 0 || fstat(in, &st) != 0)
		fail("usage: sample-sort IN OUT");
	const uint64_t all = static_cast<uint64_t>(st.st_size) / 8;
	const uint64_t first = all * static_cast<unsigned>(rank) / static_cast<unsigned>(size);
	const uint64_t last = all * static_cast<unsigned>(rank + 1) / static_cast<unsigned>(size);
	std::vector<uint64_t> keys(last - first);

	transfer(false, in, keys.data(), keys.size() * 8, static_cast<off_t>(first * 8));
	std::sort(keys.begin(), keys.end());

	std::vector<uint64_t> sample(SAMPLES, UINT64_MAX), samples(static_cast<size_t>(SAMPLES * size));
	for (size_t s = 0; s < SAMPLES && !keys.empty(); s++)
		sample[s] = keys[s * keys.size() / SAMPLES];
	MPI_Allgather(sample.data(), SAMPLES, MPI_UINT64_T, samples.data(), SAMPLES, MPI_UINT64_T,
	              MPI_COMM_WORLD);
	std::sort(samples.begin(), samples.end());

	std::vector<int> sends(static_cast<size_t>(size)), takes(sends), from(sends), to(sends);
	size_t at = 0;
	for (size_t r = 0; r < sends.size(); r++) {
		size_t end = keys.size();

		if (r + 1 < sends.size())
			end = static_cast<size_t>(std::lower_bound(keys.begin(), keys.end(),
			                          samples[(r + 1) * SAMPLES]) - keys.begin());

		from[r] = static_cast<int>(at);
		sends[r] = static_cast<int>(end - at);
		at = end;
	}
	MPI_Alltoall(sends.data(), 1, MPI_INT, takes.data(), 1, MPI_INT, MPI_COMM_WORLD);
	uint64_t mine = 0, before = 0;
	for (size_t r = 0; r < takes.size(); r++) {
		to[r] = static_cast<int>(mine);
		mine += static_cast<uint64_t>(takes[r]);
	}
	std::vector<uint64_t> own(mine);
	MPI_Alltoallv(keys.data(), sends.data(), from.data(), MPI_UINT64_T, own.data(), takes.data(),
	              to.data(), MPI_UINT64_T, MPI_COMM_WORLD);
	std::sort(own.begin(), own.end());

	MPI_Exscan(&mine, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		before = 0;
	const int out = open(argv[2], O_WRONLY | O_CREAT, 0666);
	if (out < 0)
		fail(argv[2]);
	transfer(true, out, own.data(), own.size() * 8, static_cast<off_t>(before * 8));
	close(out);
	MPI_Finalize();
	return 0;
}
