// SPDX-License-Identifier: BSD-2-Clause
/*
 * array.cpp - gsort-bench-array: gsort_sort() and its relatives beside std::sort and vqsort
 *
 *     gsort-bench-array [LOG_KEYS [RUNS [THREADS]]]
 *
 * Sorts the same uniform keys RUNS times (5) and prints medians in Mkeys/s: first 1,000 keys, then
 * 2^LOG_KEYS (24).  Each result is checked.  THREADS is the most: 1, 4, 16 .. are measured.  vqsort, of
 * Google's Highway, is there if configure found it; x86-simd-sort is in numpy, beside which bench/array.py
 * sorts.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "bench/clock.h"
#include "bench/huge.h"
#include "bench/stats.h"
#include "config.h"
#include "gsort.h"

#ifdef HAVE_VQSORT
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace {

std::uint64_t
mix(std::uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

void
must(gsort_status status)
{
	if (status != GSORT_OK) {
		std::fprintf(stderr, "gsort-bench-array: %s\n", gsort_message());
		std::exit(1);
	}
}

/* In huge pages, as numpy has its arrays, and touched. */
template <class T> struct huge {
	explicit huge(std::size_t count)
		: at(static_cast<T *>(huge_allocate(count * sizeof(T)))), count(count)
	{
		if (at == nullptr)
			std::exit(1);
		std::memset(static_cast<void *>(at), 1, count * sizeof(T));
	}
	~huge() { std::free(at); }
	huge(const huge &) = delete;
	huge &operator=(const huge &) = delete;

	T *at;
	std::size_t count;
};

template <class Key> struct arrays {
	huge<Key> input, keys;
	huge<std::uint32_t> other;
	gsort_array_options options;
};

/* Small arrays are sorted many times in one measurement, each from a copy that is timed, too. */
template <class Key, class Sort> double
rate(arrays<Key> &a, unsigned runs, Sort sort)
{
	const std::size_t count = a.input.count, times = count < 100000 ? 10000 : 1;
	std::vector<double> seconds;

	for (unsigned r = 0; r < runs; r++) {
		double start, spent = 0;

		for (std::size_t t = 0; t < times; t++) {
			std::memcpy(a.keys.at, a.input.at, count * sizeof(Key));
			if (t == 0)
				start = now();
			sort();
			if (times == 1)
				spent = now() - start;
		}
		seconds.push_back(times == 1 ? spent : now() - start);
		if (!std::is_sorted(a.keys.at, a.keys.at + count)) {
			std::fprintf(stderr, "gsort-bench-array: not sorted\n");
			std::exit(1);
		}
	}
	return static_cast<double>(count * times) /
	       stats_of(seconds.data(), static_cast<unsigned>(seconds.size())).median / 1e6;
}

template <class Key> void
measure(const char *name, gsort_type type, std::size_t count, unsigned runs, unsigned most)
{
	arrays<Key> a = { huge<Key>(count), huge<Key>(count), huge<std::uint32_t>(count), {} };

	a.options.struct_size = sizeof a.options;
	for (std::size_t i = 0; i < count; i++)
		a.input.at[i] = std::is_floating_point<Key>::value
			? static_cast<Key>(static_cast<double>(mix(i) >> 11) * 0x1p-53)
			: static_cast<Key>(mix(i));
	std::printf("%s %zu:", name, count);
	if (count <= std::size_t(1) << 24)	/* it takes a second and more */
		std::printf(" std::sort %.1f,", rate(a, count < 100000 ? runs : 1, [&] {
			std::sort(a.keys.at, a.keys.at + count); }));
#ifdef HAVE_VQSORT
	std::printf(" vqsort %.1f,", rate(a, runs, [&] {
		hwy::Sorter()(a.keys.at, count, hwy::SortAscending()); }));
#endif
	for (unsigned threads = 1; threads <= most; threads *= 4) {
		a.options.threads = threads;
		huge<char> scratch(gsort_scratch_bytes(count, type, &a.options) + 1);

		a.options.scratch = scratch.at;
		a.options.scratch_bytes = scratch.count;
		std::printf(" with scratch (%u) %.1f,", threads, rate(a, runs, [&] {
			must(gsort_sort(a.keys.at, count, type, &a.options)); }));
		a.options.scratch = nullptr;
		std::printf(" gsort_sort (%u) %.1f,", threads, rate(a, runs, [&] {
			must(gsort_sort(a.keys.at, count, type, &a.options)); }));
		std::fflush(stdout);
	}
	std::printf(" gsort_sort_pairs with u32 %.1f,", rate(a, runs, [&] {
		must(gsort_sort_pairs(a.keys.at, a.other.at, 4, count, type, &a.options)); }));
	std::printf(" gsort_argsort %.1f\n", rate(a, runs, [&] {
		must(gsort_argsort(a.input.at, count, type, a.other.at, GSORT_U32, &a.options));
		for (std::size_t i = 0; i < count; i++)
			a.keys.at[i] = a.input.at[a.other.at[i]]; }));
}

} /* namespace */

int
main(int argc, char **argv)
{
	const unsigned log_keys = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 24;
	const unsigned runs = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 5;
	const unsigned most = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 2;

	for (std::size_t count : { std::size_t(1000), std::size_t(1) << log_keys }) {
		const unsigned threads = count < 100000 ? 1 : most;

		measure<std::uint32_t>("u32", GSORT_U32, count, runs, threads);
		measure<std::uint64_t>("u64", GSORT_U64, count, runs, threads);
		measure<float>("f32", GSORT_F32, count, runs, threads);
		measure<double>("f64", GSORT_F64, count, runs, threads);
	}
	return 0;
}
