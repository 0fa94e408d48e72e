// SPDX-License-Identifier: BSD-2-Clause
/*
 * device.c - gsort-bench tile, merge, device, call, rows, check and threads: gsort's own kernels
 *
 * The rows show what was measured beside what was predicted.  A prediction is the budget in
 * doc/notebook/device-sort.md: the block sort is bound by its instructions, every other sweep over device
 * memory by the bytes that it moves, at 85% of the copy bandwidth measured a moment before.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/device/call.h"
#include "bench/device/check.h"
#include "bench/device/compare.h"
#include "bench/device/damage.h"
#include "bench/device/device.h"
#include "bench/device/rows.h"
#include "bench/device/source.h"
#include "bench/device/table.h"
#include "bench/keys.h"
#include "bench/must.h"
#include "bench/record.h"
#include "bench/stats.h"
#include "bench/usage.h"
#include "kernels/kernels.h"

static const char usage[] =
	"Usage: gsort-bench [OPTION]... tile | merge | device | call | rows | check | threads\n"
	"       gsort-bench ladder | sweep [OPTION]...      (--help has more)\n"
	"Measure gsort's GPU kernels.\n"
	"\n"
	"  tile    sort tiles of 2^12 .. 2^24 keys, each size alone\n"
	"  merge   merge two sorted runs of half the keys each\n"
	"  device  sort all keys: partition and leaves, tiles and merges, CUB's sorts\n"
	"  call    gsort_cuda_sort() beside the kernels that it runs, and sorts of pairs\n"
	"  rows    sorts of rows and of segments of many lengths beside CUB's segmented sorts\n"
	"  check   sort and merge at awkward sizes; exit 1 if anything is wrong\n"
	"  threads six threads that sort pairs at once, checked; exit 1 if a call fails\n"
	"\n"
	"  --keys=N    keys in all: 1000000 or 2^28 [2^28]\n"
	"  --keys=2^A..2^B  device, call: a table of these powers of two and all shapes, of keys\n"
	"              or (call) of pairs: gsort over the fastest call of CUB's radix sort in\n"
	"              turn, the worst cell last\n"
	"  --tile=N    keys of a tile, for device [2^22]\n"
	"  --type=T    u32 or u64 [both]; device, call: also i32, i64, f32, f64, or all\n"
	"  --shape=S   distribution of the keys, or all [uniform; of a table: all]; --shapes\n"
	"              lists them\n"
	"  --shapes    list the shapes and exit\n"
	"  --seed=N    of the keys [1; of the shape drawn, in a table: the time]\n"
	"  --runs=N    timed runs of each, 1 to 99 [9]\n"
	"  --json=FILE write the figures to FILE, too\n"
	"  --graph     device: sorts are captured, and their graphs launched; --quick\n"
	"  --calls=N   threads: of each [50000]\n"
	"  --quick     device: only gsort and CUB's radix sort, and check the last run only\n"
	"  --shared=KB shared memory of a block as on lesser GPUs: 64, 99 or 163 [all]\n"
	"  --big       check: instead, up to 2^33 keys (80 GB of device memory)\n"
	"  --help      print this and exit\n";

static struct {
	size_t      keys, tile_keys;
	size_t      table_from;		/* keys; 0: no table */
	const char *type;		/* NULL: u32 and u64 */
	int         shape;		/* SHAPES: all; -1: not said */
	unsigned    runs, calls;
	uint64_t    seed;		/* 0: not said */
	bool        big, quick;
	const char *json;
} args = { .keys = (size_t)1 << 28, .tile_keys = (size_t)1 << 22,
           .shape = -1, .runs = 9, .calls = 50000 };

static const struct key_type {
	const char    name[4];
	unsigned      bits;
	enum key_kind kind;
} key_types[] = {
	{ "u32", 32, KEYS_UNSIGNED }, { "u64", 64, KEYS_UNSIGNED }, { "i32", 32, KEYS_SIGNED },
	{ "i64", 64, KEYS_SIGNED }, { "f32", 32, KEYS_FLOAT }, { "f64", 64, KEYS_FLOAT },
};

enum { KEY_TYPES = sizeof key_types / sizeof key_types[0] };

/* ---- predictions --------------------------------------------------------- */

static unsigned
log2_up(size_t x)
{
	unsigned log = 0;

	while (((size_t)1 << log) < x)
		log++;
	return log;
}

/* Sweeps over device memory that sorting a tile takes, without the block sort. */
static unsigned
tile_sweeps(unsigned bits, size_t tile_keys)
{
	const unsigned block_bits = bits == 32 ? 13 : 12;
	unsigned sweeps = 0;

	for (unsigned phase = block_bits + 1; phase <= log2_up(tile_keys); phase++)
		sweeps += 1 + (phase - block_bits + 4) / 5;
	return sweeps;
}

static double
predict(unsigned bits, size_t count, unsigned sweeps, bool with_block_sort)
{
	const double block_cycles = bits == 32 ? 2.3 : 5.1;	/* doc/notebook/device-sort.md */
	const double sweep_bytes = 2.0 * (bits / 8) * (double)count;

	return (with_block_sort ? block_cycles * (double)count / harness.cycles_per_second : 0) +
	       sweeps * sweep_bytes / (0.85 * harness.copy_bandwidth);
}

/* ---- subcommands --------------------------------------------------------- */

static uint64_t
source_seed(void)
{
	return args.seed != 0 ? args.seed : 1;
}

static struct comparison
comparison_of(const struct key_type *type, const char *shape)
{
	return (struct comparison){
		.bits = type->bits, .runs = args.runs, .count = args.keys, .tile_keys = args.tile_keys,
		.run_keys = args.keys, .type = type->name, .shape = shape,
		.check_last_only = args.quick,
	};
}

static void
measure_copy(const struct key_type *type)
{
	double seconds[COMPARE_MOST_RUNS];
	char *result;

	for (unsigned run = 0; run < args.runs; run++)
		seconds[run] = harness_time("copy", run_copy, type->bits, args.keys, 0, &result);
	harness.copy_bandwidth = 2.0 * (type->bits / 8) * (double)args.keys /
	                         stats_of(seconds, args.runs).median;
	printf("copy of %zu %s keys: %.0f GB/s read and written\n", args.keys, type->name,
	       harness.copy_bandwidth / 1e9);
	compare_heading();
}

static void
bench_tile(const struct key_type *type)
{
	struct comparison what = comparison_of(type, "uniform");

	what.digest = source_load(type->bits, args.keys, SHAPE_UNIFORM, source_seed());
	for (unsigned log = 12; log <= 24 && (size_t)1 << log <= args.keys; log++) {
		struct candidate tiles = { .name = "tile sort", .run = run_tiles };

		what.tile_keys = what.run_keys = (size_t)1 << log;
		tiles.predicted_seconds =
			predict(type->bits, args.keys, tile_sweeps(type->bits, what.tile_keys), true);
		compare(&what, &tiles, 1);
	}
}

static void
bench_merge(const struct key_type *type)
{
	struct comparison what = comparison_of(type, "uniform");
	struct candidate merge = { .name = "merge", .run = run_merge };

	what.tile_keys = (args.keys + 1) / 2;
	what.digest = source_load_runs(type->bits, args.keys, what.tile_keys);
	merge.predicted_seconds = predict(type->bits, args.keys, 1, false);
	compare(&what, &merge, 1);
}

static void
bench_sort(const struct key_type *type, unsigned shape)
{
	const unsigned bits = type->bits;
	const unsigned levels = log2_up((args.keys + args.tile_keys - 1) / args.tile_keys);
	const double mapping = type->kind == KEYS_UNSIGNED ? 0 : predict(bits, args.keys, 2, false);
	struct comparison what = comparison_of(type, keys_shapes[shape]);
	struct candidate all[4] = {
		{ .name = "gsort", .run = run_sort },
		{ .name = "cub::DeviceRadixSort", .run = run_radix },	/* its fastest call */
	};
	unsigned many = 2;

	all[0].predicted_seconds = (bits == 32 ? 3.2 : 5.7) * (double)args.keys /
	                           harness.cycles_per_second + mapping;	/* doc/notebook/device-sort.md */
	if (!args.quick)
		all[many++] = (struct candidate){ .name = "cub::DeviceMergeSort", .run = run_cub_merge };
	if (!args.quick && type->kind == KEYS_UNSIGNED)
		all[many++] = (struct candidate){ .name = "gsort, network", .run = run_network,
			.predicted_seconds = predict(bits, args.keys, levels +
			                             tile_sweeps(bits, args.tile_keys), true) };
	what.digest = source_load(bits, args.keys, shape, source_seed());
	all[1].call = radix_choose(bits, args.keys);
	compare(&what, all, many);
}

static bool
shape_wanted(unsigned shape)
{
	const int wanted = args.shape >= 0 ? args.shape : SHAPE_UNIFORM;

	return wanted == (int)SHAPES || wanted == (int)shape;
}

static void
bench_sorts(const struct key_type *type)
{
	for (unsigned shape = 0; shape < SHAPES; shape++)
		if (shape_wanted(shape))
			bench_sort(type, shape);
}

static void
bench_calls(const struct key_type *type)
{
	for (unsigned shape = 0; shape < SHAPES; shape++)
		if (shape_wanted(shape)) {
			struct comparison what = comparison_of(type, keys_shapes[shape]);

			what.digest = source_load(type->bits, args.keys, shape, source_seed());
			call_compare(&what);
			if (type->kind == KEYS_UNSIGNED)
				call_compare_pairs(&what);
		}
}

static void
bench_table(const struct key_type *type, unsigned value_bits)
{
	char name[16];
	const struct table table = {
		.type = name, .bits = type->bits, .value_bits = value_bits, .runs = args.runs,
		.log_from = log2_up(args.table_from), .log_to = log2_up(args.keys), .seed = args.seed,
		.shape = args.shape >= 0 ? args.shape : (int)SHAPES,
	};

	(void)snprintf(name, sizeof name, value_bits > 0 ? "%s+u%u" : "%s", type->name, value_bits);
	table_print(&table);
}

/* The same of pairs, with payloads of 32 and of 64 bits. */
static void
bench_tables_of_pairs(const struct key_type *type)
{
	for (unsigned value_bits = 32; value_bits <= 64 && type->kind == KEYS_UNSIGNED; value_bits += 32)
		bench_table(type, value_bits);
}

static void
bench_rows(const struct key_type *type)
{
	const struct rows rows = {
		.type = type->name, .bits = type->bits, .runs = args.runs, .count = args.keys,
		.shape = args.shape >= 0 && args.shape < (int)SHAPES ? (unsigned)args.shape : SHAPE_UNIFORM,
		.seed = source_seed(),
	};

	rows_print(&rows);
}

static int
run_check(bool threads)
{
	unsigned wrong;

	if (threads)
		wrong = call_threads(args.calls);
	else if (args.big)
		wrong = call_check_big() + check_big();
	else
		wrong = damage_check(100000, 10000) + call_check() + check_all();
	printf(wrong == 0 ? "all right\n" : "%u wrong\n", wrong);
	return wrong > 0;
}

/* ---- the command line ---------------------------------------------------- */

static bool
type_exists(const char *name)
{
	bool exists = strcmp(name, "all") == 0;

	for (size_t t = 0; t < KEY_TYPES; t++)
		exists = exists || strcmp(name, key_types[t].name) == 0;
	return exists;
}

static bool
type_wanted(const struct key_type *type)
{
	return args.type == NULL ? type->kind == KEYS_UNSIGNED :
	       strcmp(args.type, "all") == 0 || strcmp(args.type, type->name) == 0;
}

static int
list_shapes(void)
{
	for (unsigned shape = 0; shape < SHAPES; shape++)
		puts(keys_shapes[shape]);
	return -1;
}

/* N, or 2^A..2^B; is it one of them? */
static bool
parse_keys(const char *text)
{
	char from[8] = "";
	const char *dots = strstr(text, "..");

	args.keys = parse_number(dots != NULL ? dots + 2 : text);
	args.table_from = 0;
	if (dots == NULL)
		return args.keys >= 2;
	if ((size_t)(dots - text) < sizeof from)
		memcpy(from, text, (size_t)(dots - text));
	args.table_from = parse_number(from);
	return args.table_from >= 2 && args.table_from <= args.keys &&
	       (args.table_from & (args.table_from - 1)) == 0 && (args.keys & (args.keys - 1)) == 0;
}

/* Fill in args; 0, or the exit status, or -1 to exit with 0. */
static int
parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "keys", required_argument, NULL, 'k' }, { "tile", required_argument, NULL, 't' },
		{ "type", required_argument, NULL, 'y' }, { "shape", required_argument, NULL, 's' },
		{ "shapes", no_argument, NULL, 'l' }, { "seed", required_argument, NULL, 'e' },
		{ "runs", required_argument, NULL, 'r' }, { "json", required_argument, NULL, 'j' },
		{ "big", no_argument, NULL, 'b' }, { "quick", no_argument, NULL, 'q' },
		{ "shared", required_argument, NULL, 'm' }, { "graph", no_argument, NULL, 'g' },
		{ "calls", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 },
	};
	size_t shared;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 'k':
			if (!parse_keys(optarg))
				return bad_usage("--keys takes a number from 2 on or 2^A..2^B, not",
				                 optarg);
			break;
		case 't':
			if ((args.tile_keys = parse_number(optarg)) < 4 || args.tile_keys % 4 != 0)
				return bad_usage("--tile takes a multiple of 4, not", optarg);
			break;
		case 'y':
			if (!type_exists(optarg))
				return bad_usage("--type is u32, u64, i32, i64, f32, f64 or all, not",
				                 optarg);
			args.type = optarg;
			break;
		case 's':
			if ((args.shape = keys_shape_named(optarg)) < 0)
				return bad_usage("there is no shape", optarg);
			break;
		case 'r':
			args.runs = (unsigned)parse_number(optarg);
			if (args.runs < 1 || args.runs > COMPARE_MOST_RUNS)
				return bad_usage("--runs takes a number from 1 to 99, not", optarg);
			break;
		case 'm':
			shared = parse_number(optarg);
			if (shared < 64 || shared > 227)
				return bad_usage("--shared takes a number from 64 to 227, not", optarg);
			gs_shared_most = (int)shared << 10;
			break;
		case 'e': args.seed = strtoull(optarg, NULL, 0); break;
		case 'j': args.json = optarg; break;
		case 'b': args.big = true; break;
		case 'q': args.quick = true; break;
		case 'g': harness.graphs = args.quick = true; break;
		case 'c': args.calls = (unsigned)parse_number(optarg); break;
		case 'l': return list_shapes();
		case 'h': fputs(usage, stdout); return -1;
		default:  return 2;
		}
	return 0;
}

static void
open_gpu(void)
{
	int sms, kilohertz;

	must(cudaSetDevice(0), "opening the GPU");
	must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "asking the GPU");
	must(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "asking the GPU");
	harness.cycles_per_second = 1e3 * sms * kilohertz;
}

int
bench_device(int argc, char **argv)
{
	static const struct {
		const char *name;
		void      (*bench)(const struct key_type *type);	/* NULL: run_check() */
	} commands[] = {
		{ "tile", bench_tile }, { "merge", bench_merge }, { "device", bench_sorts },
		{ "call", bench_calls }, { "rows", bench_rows }, { "check", NULL },
		{ "threads", NULL },
	};
	enum { COMMANDS = sizeof commands / sizeof commands[0] };
	int status = parse(argc, argv);
	size_t c = 0;

	if (status != 0)
		return status < 0 ? 0 : status;
	if (optind + 1 != argc)
		return bad_usage("one of tile, merge, device, call, rows, check, threads is wanted, not",
		                 optind < argc ? argv[optind + 1] : "");
	while (c < COMMANDS && strcmp(commands[c].name, argv[optind]) != 0)
		c++;
	if (c == COMMANDS)
		return bad_usage("there is no benchmark", argv[optind]);
	if (commands[c].bench != bench_sorts && commands[c].bench != bench_calls && args.type != NULL &&
	    args.type[0] != 'u')
		return bad_usage("only device and call have keys of type", args.type);
	if (commands[c].bench != bench_sorts && commands[c].bench != bench_calls && args.table_from != 0)
		return bad_usage("only device and call print a table of", "2^A..2^B keys");
	if (commands[c].bench != bench_sorts && harness.graphs)
		return bad_usage("only device takes", "--graph");
	if (commands[c].bench == bench_rows && args.keys > INT32_MAX)
		return bad_usage("rows takes less than 2^31 keys, for CUB counts with an", "int");
	if (args.seed == 0 && args.table_from != 0)
		args.seed = (uint64_t)time(NULL);
	open_gpu();
	if (commands[c].bench == NULL)
		return run_check(c == COMMANDS - 1);
	record_open(args.json, NULL);
	for (const struct key_type *type = key_types; type < key_types + KEY_TYPES; type++)
		if (type_wanted(type)) {
			harness.kind = type->kind;
			harness_open(type->bits, args.keys);
			if (args.table_from != 0 && commands[c].bench == bench_calls) {
				bench_tables_of_pairs(type);
			} else if (args.table_from != 0) {
				bench_table(type, 0);
			} else {
				measure_copy(type);
				commands[c].bench(type);
			}
			harness_close();
		}
	table_print_worst();
	record_close();
	return 0;
}
