// SPDX-License-Identifier: BSD-2-Clause
/*
 * array.cpp - gsort-bench-array: gsort_sort() and its relatives beside vqsort, or std::sort
 *
 *     gsort-bench-array [FROM..TO [RUNS [THREADS [SHAPE...]]]]
 *
 * Sorts 2^FROM (10) to 2^TO (24) keys of six types and of each SHAPE (bench/shapes.h; by default uniform,
 * sorted, reversed, few, zipf) RUNS times (5), the ways in turn, and prints the best in Mkeys/s: vqsort, of
 * Google's Highway, if configure found it, else of std::sort; of gsort_sort() with 1 thread, 2, 4, 16 .. up
 * to THREADS; for uniform keys, of pairs (with indices as wide as a key) and argsort, with THREADS, and up to
 * 2^22 keys with 1.
 * Small arrays are sorted many times in one measurement, each from a copy, which is timed, too.  Each result
 * is checked.  Then the worst cells: over the peer, and with threads over fewer threads.
 * bench/array.py measures numpy's sort, which is x86-simd-sort.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/clock.h"
#include "bench/huge.h"
#include "bench/shapes.h"
#include "bench/stats.h"
#include "config.h"
#include "gsort.h"

#ifdef HAVE_VQSORT
#include <hwy/contrib/sort/vqsort.h>
#endif

namespace {

enum { SMALL = 1 << 17 };	/* fewer keys are sorted several times per run, this many in all */
enum { MOST_SLOW = 1 << 22 };	/* keys of pairs, and of argsort, with one thread */

const char *const shape_names[] = {
#define SHAPE(constant, name) name,
	SHAPES_OF_KEYS
#undef SHAPE
};

struct limits {
	unsigned from = 10, to = 24, runs = 5, threads = 2;
};

/* The least ratio of a kind, and where. */
struct worst {
	double ratio;
	std::string cell;
};

std::map<std::string, worst> worsts;

void
note(const std::string &kind, double ratio, const std::string &cell)
{
	const auto found = worsts.find(kind);

	if (found == worsts.end() || ratio < found->second.ratio)
		worsts[kind] = { ratio, cell };
}

void
must(bool right, const char *message)
{
	if (!right) {
		std::fprintf(stderr, "gsort-bench-array: %s\n", message);
		std::exit(1);
	}
}

void
must_be_ok(gsort_status status)
{
	must(status == GSORT_OK, gsort_message());
}

/* In huge pages, as numpy's arrays are, and touched. */
template <class T> struct huge {
	explicit huge(std::size_t size)
		: at(static_cast<T *>(huge_allocate(size * sizeof(T)))), count(size)
	{
		must(at != nullptr, "no memory");
		std::memset(static_cast<void *>(at), 1, size * sizeof(T));
	}
	~huge() { std::free(at); }
	huge(const huge &) = delete;
	huge &operator=(const huge &) = delete;

	T *at;
	std::size_t count;
};

/* Key AT: integers of the shape; floats in the same order, uniform ones from 0 to 1. */
template <class Key> Key
key_at(unsigned shape, std::size_t at, std::size_t count)
{
	const std::uint64_t bits = key_of(shape, 8 * sizeof(Key), at, count, 1);

	if (!std::is_floating_point<Key>::value)
		return static_cast<Key>(bits ^ (std::is_signed<Key>::value
		                                ? std::uint64_t(1) << (8 * sizeof(Key) - 1) : 0));
	return static_cast<Key>(static_cast<double>(bits) * (sizeof(Key) == 4 ? 0x1p-32 : 0x1p-64));
}

/* A way to sort: its column, and the function that sorts a copy of the input. */
struct way {
	std::string           name;
	unsigned              threads;
	std::function<void()> sort;
	std::function<void()> finish;	/* is not timed */
	std::vector<double>   seconds;
};

template <class Key> void
measure_once(way &way, const huge<Key> &input, huge<Key> &keys)
{
	const std::size_t times = std::max<std::size_t>(SMALL / input.count, 1);
	double start = 0;

	for (std::size_t t = 0; t < times; t++) {
		std::memcpy(keys.at, input.at, input.count * sizeof(Key));
		if (t == 0)
			start = now();
		way.sort();
	}
	way.seconds.push_back((now() - start) / static_cast<double>(times));
	if (way.finish)
		way.finish();
	must(std::is_sorted(keys.at, keys.at + keys.count), "not sorted");
}

/* The ways to sort KEYS; ways for uniform keys carry INDICES, too. */
template <class Key, class Index> std::vector<way>
ways_of(const huge<Key> &input, huge<Key> &keys, huge<Index> &indices, gsort_type type, bool uniform,
        const limits &limits)
{
	std::vector<way> ways;

#ifdef HAVE_VQSORT
	ways.push_back({ "vqsort", 1, [&] {
		hwy::Sorter()(keys.at, keys.count, hwy::SortAscending()); }, {}, {} });
#else
	ways.push_back({ "std::sort", 1, [&] { std::sort(keys.at, keys.at + keys.count); }, {}, {} });
#endif
	for (unsigned threads = 1; threads <= limits.threads; threads *= threads <= 2 ? 2 : 4)
		ways.push_back({ "gsort", threads, [&, type, threads] {
			gsort_array_options options = {};

			options.struct_size = sizeof options;
			options.threads = threads;
			must_be_ok(gsort_sort(keys.at, keys.count, type, &options)); }, {}, {} });
	if (!uniform)
		return ways;
	for (unsigned threads : { 1U, limits.threads }) {
		gsort_array_options options = {};

		if (threads == 1 && limits.threads > 1 && input.count > MOST_SLOW)
			continue;

		options.struct_size = sizeof options;
		options.threads = threads;
		ways.push_back({ "pairs", threads, [&, type, options] {
			must_be_ok(gsort_sort_pairs(keys.at, indices.at, sizeof(Index), keys.count, type,
			                            &options)); }, {}, {} });
		ways.push_back({ "argsort", threads, [&, type, options] {
			must_be_ok(gsort_argsort(input.at, input.count, type, indices.at,
			                         sizeof(Index) == 4 ? GSORT_U32 : GSORT_U64,
			                         &options)); }, [&] {
			for (std::size_t i = 0; i < input.count; i++)
				keys.at[i] = input.at[indices.at[i]]; }, {} });
	}
	return ways;
}

template <class Key> void
measure(const char *name, gsort_type type, std::size_t count, unsigned shape, const limits &limits)
{
	using Index = typename std::conditional<sizeof(Key) == 4, std::uint32_t, std::uint64_t>::type;
	huge<Key> input(count), keys(count);
	huge<Index> indices(count);
	const std::string kind = std::string(name) + (shape == SHAPE_UNIFORM ? " uniform" : " shapes");
	const std::string cell = std::string(name) + " " + shape_names[shape] + " " + std::to_string(count);
	std::vector<way> ways = ways_of(input, keys, indices, type, shape == SHAPE_UNIFORM, limits);
	double peer = 0, best = 0;

	for (std::size_t i = 0; i < count; i++)
		input.at[i] = key_at<Key>(shape, i, count);
	for (unsigned run = 0; run <= limits.runs; run++)
		for (way &way : ways) {
			measure_once(way, input, keys);
			if (run == 0)		/* warms up */
				way.seconds.clear();
		}
	std::printf("%s:", cell.c_str());
	for (way &way : ways) {
		const double took = stats_of(way.seconds.data(), limits.runs).least;
		const double rate = static_cast<double>(count) / took / 1e6;

		std::printf("%s %s", &way == &ways[0] ? "" : ",", way.name.c_str());
		if (&way != &ways[0])
			std::printf(" (%u)", way.threads);
		std::printf(" %.1f", rate);
		if (&way == &ways[0])
			peer = rate;
		else if (way.name == "gsort" && way.threads == 1)
			note(kind + ", one thread over " + ways[0].name, rate / peer, cell);
		else if (way.name == "gsort")
			note("more threads over fewer", rate / best,
			     cell + ", " + std::to_string(way.threads));
		if (way.name == "gsort")
			best = std::max(rate, way.threads == 1 ? 0 : best);
	}
	std::printf("\n");
	std::fflush(stdout);
}

} /* namespace */

int
main(int argc, char **argv)
{
	std::vector<unsigned> shapes = { SHAPE_UNIFORM, SHAPE_SORTED, SHAPE_REVERSED, SHAPE_FEW, SHAPE_ZIPF };
	limits limits;

	if (argc > 1)
		must(std::sscanf(argv[1], "%u..%u", &limits.from, &limits.to) == 2,
		     "not FROM..TO: 10..24, say");
	if (argc > 2)
		limits.runs = static_cast<unsigned>(std::atoi(argv[2]));
	if (argc > 3)
		limits.threads = static_cast<unsigned>(std::atoi(argv[3]));
	must(limits.runs > 0 && limits.threads > 0 && limits.to < 40, "numbers from 1 on, 2^39 keys at most");
	if (argc > 4)
		shapes.clear();
	for (int i = 4; i < argc; i++) {
		const auto found = std::find(std::begin(shape_names), std::end(shape_names),
		                             std::string(argv[i]));

		must(found != std::end(shape_names), "a shape is uniform, sorted ..: see bench/shapes.h");
		shapes.push_back(static_cast<unsigned>(found - std::begin(shape_names)));
	}
	for (unsigned shape : shapes)
		for (unsigned log_keys = limits.from; log_keys <= limits.to; log_keys++) {
			const std::size_t count = std::size_t(1) << log_keys;

			measure<std::uint32_t>("u32", GSORT_U32, count, shape, limits);
			measure<std::int32_t>("i32", GSORT_I32, count, shape, limits);
			measure<float>("f32", GSORT_F32, count, shape, limits);
			measure<std::uint64_t>("u64", GSORT_U64, count, shape, limits);
			measure<std::int64_t>("i64", GSORT_I64, count, shape, limits);
			measure<double>("f64", GSORT_F64, count, shape, limits);
		}
	for (const auto &found : worsts)
		std::printf("%s: %.2f at worst (%s)\n", found.first.c_str(), found.second.ratio,
		            found.second.cell.c_str());
	return 0;
}
