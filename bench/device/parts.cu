// SPDX-License-Identifier: BSD-2-Clause
/*
 * parts.cu - gsort-bench-parts: which kernels a device sort runs, and how long each takes
 *
 *     gsort-bench-parts TYPE:SHAPE:LOG2 ...        as in u64:uniform:28, or u32+u64:curve:22
 *
 * For each kernel: how often it runs in one sort, and the median over RUNS sorts of its
 * microseconds and of its cycles of a multiprocessor per key, which add up over the sort.  The
 * last line is a sort that is not taken apart.
 *
 * The sort is compiled once more, with a hook at each launch (kernels/launch.cuh) that records an
 * event before and after it.  Events keep a kernel from starting while the one before ends, and
 * add about 2 us to each: of few keys, parts are more than the whole.  Every result is checked.
 */
#include <cuda_runtime.h>

static void part_begins(const void *kernel, cudaStream_t stream);
static void part_ends(cudaStream_t stream);

#define GS_LAUNCHING(kernel, stream)	part_begins((const void *)(kernel), stream)
#define GS_LAUNCHED(stream)		part_ends(stream)

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <string>
#include <vector>

#include "kernels/device/sort_keys.cu"
#include "kernels/device/sort_pairs.cu"
#include "kernels/device/tile_merge.cu"
#include "kernels/device/tile_sort.cu"

#include "bench/device/device_keys.h"
#include "bench/must.h"
#include "bench/shapes.h"
#include "bench/stats.h"

extern "C" {
#include "bench/keys.h"
}

enum { RUNS = 9 };

static double cycles_per_second;

/* ---- the hook ------------------------------------------------------------- */

struct part {
	const void *kernel;
	cudaEvent_t begin, end;
};

static bool taking_apart;
static std::vector<part> parts;		/* of one sort */

static void
part_begins(const void *kernel, cudaStream_t stream)
{
	part p = { kernel, NULL, NULL };

	if (!taking_apart)
		return;
	must(cudaEventCreate(&p.begin), "event");
	must(cudaEventCreate(&p.end), "event");
	must(cudaEventRecord(p.begin, stream), "event");
	parts.push_back(p);
}

static void
part_ends(cudaStream_t stream)
{
	if (taking_apart)
		must(cudaEventRecord(parts.back().end, stream), "event");
}

/* The kernel's name without its parameters. */
static std::string
name_of(const void *kernel)
{
	const char *mangled = NULL;
	int status = 1;

	must(cudaFuncGetName(&mangled, kernel), "asking for a kernel's name");
	char *plain = abi::__cxa_demangle(mangled, NULL, NULL, &status);
	std::string name = status == 0 ? plain : mangled;

	free(plain);
	if (name.compare(0, 5, "void ") == 0)
		name.erase(0, 5);
	return name.substr(0, name.rfind('('));
}

/* ---- sorting ---------------------------------------------------------------- */

struct bench {
	unsigned    bits, value_bits, shape;	/* no VALUE_BITS: keys alone */
	size_t      count;
	void       *source, *keys, *other, *scratch;	/* OTHER: or payloads */
	gs_sorter   sorter;
	cudaEvent_t begin, end;
};

/* What all launches of one kernel took in one sort, in each of RUNS. */
struct row {
	unsigned            launches;
	std::vector<double> seconds;
};

static double
seconds_between(cudaEvent_t begin, cudaEvent_t end)
{
	float milliseconds;

	must(cudaEventElapsedTime(&milliseconds, begin, end), "event");
	return milliseconds / 1e3;
}

/* Sort a copy of the source; the seconds that it took. */
static double
sort_once(const bench &b)
{
	must(cudaMemcpy(b.keys, b.source, b.count * (b.bits / 8), cudaMemcpyDeviceToDevice), "copy");
	must(cudaDeviceSynchronize(), "copy");
	must(cudaEventRecord(b.begin, 0), "event");
	if (b.value_bits > 0)
		must(gs_sort_pairs(&b.sorter, b.keys, b.other, b.bits, b.value_bits, gs_key_map{}, b.count,
		                   false, b.scratch, 0), "sorting");
	else
		must(gs_sort(&b.sorter, b.keys, b.other, b.bits, gs_key_map{}, b.count, b.scratch, 0),
		     "sorting");
	must(cudaEventRecord(b.end, 0), "event");
	must(cudaDeviceSynchronize(), "sorting");
	return seconds_between(b.begin, b.end);
}

/* Sort once, and add what each kernel took to ROWS; ORDER: kernels as they are first launched. */
static void
take_apart(const bench &b, std::map<std::string, row> *rows, std::vector<std::string> *order)
{
	std::map<std::string, double> sums;
	std::map<std::string, unsigned> launches;

	taking_apart = true;
	sort_once(b);
	taking_apart = false;
	for (const part &p : parts) {
		const std::string name = name_of(p.kernel);

		sums[name] += seconds_between(p.begin, p.end);
		launches[name]++;
		if (std::find(order->begin(), order->end(), name) == order->end())
			order->push_back(name);
		must(cudaEventDestroy(p.begin), "event");
		must(cudaEventDestroy(p.end), "event");
	}
	parts.clear();
	for (const auto &sum : sums) {
		(*rows)[sum.first].launches = launches[sum.first];
		(*rows)[sum.first].seconds.push_back(sum.second);
	}
}

static bool
is_sorted(const bench &b)
{
	keys_verdict before, after;

	must(device_keys_check(b.source, b.bits, b.count, b.count, &before), "checking");
	must(device_keys_check(b.keys, b.bits, b.count, b.count, &after), "checking");
	return after.falls == 0 && after.digest == before.digest;
}

static void
print_row(const bench &b, const char *name, unsigned launches, std::vector<double> *seconds)
{
	const double median = stats_of(seconds->data(), (unsigned)seconds->size()).median;

	printf("%9.1f us %7.3f cycles a key  %3u  %s\n", median * 1e6,
	       median * cycles_per_second / (double)b.count, launches, name);
}

/* Take sorts of B apart; false: a result was wrong. */
static bool
bench_parts(const bench &b)
{
	std::map<std::string, row> rows;
	std::vector<std::string> order;
	std::vector<double> whole;
	bool right = true;

	must(device_keys_fill(b.source, b.bits, b.count, b.shape, 1), "making keys");
	sort_once(b);
	for (unsigned run = 0; run < RUNS; run++) {
		take_apart(b, &rows, &order);
		whole.push_back(sort_once(b));
		right = right && is_sorted(b);
	}
	printf("u%u", b.bits);
	if (b.value_bits > 0)
		printf("+u%u", b.value_bits);
	printf(" %s, %zu keys\n", keys_shapes[b.shape], b.count);
	for (const std::string &name : order)
		print_row(b, name.c_str(), rows[name].launches, &rows[name].seconds);
	print_row(b, right ? "the whole" : "the whole, WRONG", 1, &whole);
	return right;
}

static void *
device_memory(size_t bytes)
{
	void *memory;

	must(cudaMalloc(&memory, bytes), "cudaMalloc");
	return memory;
}

/* TYPE:SHAPE:LOG2. */
static bool
parse(const char *text, bench *b)
{
	char shape[32];
	unsigned log;
	int named;

	if ((sscanf(text, "u%u:%31[^:]:%u", &b->bits, shape, &log) != 3 &&
	     (sscanf(text, "u%u+u%u:%31[^:]:%u", &b->bits, &b->value_bits, shape, &log) != 4 ||
	      (b->value_bits != 32 && b->value_bits != 64))) ||
	    log > 33 || (b->bits != 32 && b->bits != 64))
		return false;
	named = keys_shape_named(shape);
	b->shape = (unsigned)named;
	b->count = (size_t)1 << log;
	return named >= 0 && named < SHAPES;
}

static int
run(const char *text)
{
	bench b = {};
	bool right;

	if (!parse(text, &b)) {
		fprintf(stderr, "gsort-bench-parts: TYPE:SHAPE:LOG2 is wanted, as in u64:uniform:28, not "
		        "%s\n", text);
		return 2;
	}
	b.source = device_memory(b.count * (b.bits / 8));
	b.keys = device_memory(b.count * (b.bits / 8));
	b.other = device_memory(b.count * (std::max(b.bits, b.value_bits) / 8));
	must(cudaMemset(b.other, 0, b.count * (std::max(b.bits, b.value_bits) / 8)), "payloads");
	b.scratch = device_memory(b.value_bits > 0 ?
	                          gs_sort_pairs_scratch_bytes(b.bits, b.value_bits, b.count, false) :
	                          gs_sort_scratch_bytes(b.bits, b.count));
	must(gs_sorter_open(&b.sorter), "gs_sorter_open");
	must(cudaEventCreate(&b.begin), "event");
	must(cudaEventCreate(&b.end), "event");
	right = bench_parts(b);
	must(cudaEventDestroy(b.begin), "event");
	must(cudaEventDestroy(b.end), "event");
	gs_sorter_close(&b.sorter);
	for (void *memory : { b.source, b.keys, b.other, b.scratch })
		must(cudaFree(memory), "cudaFree");
	return right ? 0 : 1;
}

int
main(int argc, char **argv)
{
	int sms, kilohertz, status = 0;

	must(cudaSetDevice(0), "opening the GPU");
	must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "asking the GPU");
	must(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "asking the GPU");
	cycles_per_second = 1e3 * sms * kilohertz;
	if (argc < 2)
		return std::max(run("u32:uniform:28"), run("u64:uniform:28"));
	for (int i = 1; i < argc; i++)
		status = std::max(status, run(argv[i]));
	return status;
}
