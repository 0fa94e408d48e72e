// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench.c - gsort-bench: how fast are the kernels, beside what was predicted?
 *
 * Contestants of one table run in turn, A B C A B C ..., so that clocks and
 * neighbours hit all alike; medians are compared.  Keys are restored by a copy
 * that is not timed; the first and the last result of each are checked.
 *
 * A prediction is kernels/README.md's budget: the block sort bound by its
 * instructions, every other sweep over device memory bound by the bytes it moves
 * at 85% of the copy bandwidth that was measured a moment ago.
 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ladder.h"
#include "bench/rig.h"

static const char usage[] =
	"Usage: gsort-bench [OPTION]... tile | merge | device | check\n"
	"       gsort-bench ladder | sweep [OPTION]...      (--help has more)\n"
	"Measure gsort's GPU kernels.\n"
	"\n"
	"  tile    sort tiles of 2^12 .. 2^24 keys, each size alone\n"
	"  merge   merge two sorted runs of half the keys each\n"
	"  device  sort all keys: partition and leaves, tiles and merges, CUB's sorts\n"
	"  check   sort and merge at awkward sizes; exit 1 if anything is wrong\n"
	"\n"
	"  --keys=N    keys in all: 1000000 or 2^28 [2^28]\n"
	"  --tile=N    keys of a tile, for device [2^22]\n"
	"  --type=T    u32 or u64 [both]; device: also i32, i64, f32, f64, or all\n"
	"  --shape=S   uniform, sorted, reversed, equal, few, organ, normal, zipf, clusters,\n"
	"              floats or all [uniform]\n"
	"  --runs=N    timed runs of each, 1 to 99 [9]\n"
	"  --json=FILE write the figures to FILE, too\n"
	"  --quick     device: only gsort and CUB's radix sort, and check the last run only\n"
	"  --big       check: also beyond 2^32 keys (52 GB of device memory)\n"
	"  --help      print this and exit\n";

/* What was asked for. */
static struct {
	size_t   keys, tile_keys;
	const char *type;		/* NULL: u32 and u64 */
	int      shape;			/* -1: all */
	unsigned runs;
	bool     big, quick;
	FILE    *json;
	unsigned json_rows;
} ask = { .keys = (size_t)1 << 28, .tile_keys = (size_t)1 << 22, .runs = 9 };

static const struct key_type {
	const char    name[4];
	unsigned      bits;
	enum key_kind kind;
} key_types[] = {
	{ "u32", 32, KEYS_UNSIGNED }, { "u64", 64, KEYS_UNSIGNED }, { "i32", 32, KEYS_SIGNED },
	{ "i64", 64, KEYS_SIGNED }, { "f32", 32, KEYS_FLOAT }, { "f64", 64, KEYS_FLOAT },
};

enum { KEY_TYPES = sizeof key_types / sizeof key_types[0] };

static const char *
type_name(unsigned bits)
{
	size_t t = 0;

	while (key_types[t].bits != bits || key_types[t].kind != rig.kind)
		t++;
	return key_types[t].name;
}

/* ---- predictions --------------------------------------------------------- */

static unsigned
log2_up(size_t x)
{
	unsigned log = 0;

	while (((size_t)1 << log) < x)
		log++;
	return log;
}

/* Sweeps over device memory that sorting a tile takes, the block sort not counted. */
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
	const double block_cycles = bits == 32 ? 2.3 : 5.1;	/* kernels/README.md */
	const double sweep_bytes = 2.0 * (bits / 8) * (double)count;

	return (with_block_sort ? block_cycles * (double)count / rig.cycles_per_second : 0) +
	       sweeps * sweep_bytes / (0.85 * rig.copy_bandwidth);
}

/* ---- measuring ----------------------------------------------------------- */

static int
compare_seconds(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* RESULT ends up as ordered bits. */
static void
verify(const char *name, char *result, unsigned bits, size_t count, size_t piece_keys,
       uint64_t digest)
{
	struct keys_verdict verdict;

	must(device_keys_map(result, bits, rig.kind, false, count, NULL), "mapping");
	must(device_keys_check(result, bits, count, piece_keys, &verdict), "checking");
	if (verdict.falls != 0 || verdict.digest != digest) {
		fprintf(stderr, "gsort-bench: %s: the result is wrong\n", name);
		exit(1);
	}
}

static void
print_row(struct contestant *one, unsigned bits, size_t count, size_t tile_keys, const char *shape)
{
	const double giga = (double)count / 1e9;
	double median, least, most;

	qsort(one->seconds, ask.runs, sizeof one->seconds[0], compare_seconds);
	median = giga / one->seconds[ask.runs / 2];
	most = giga / one->seconds[0];
	least = giga / one->seconds[ask.runs - 1];
	printf("%-22s %s %11zu %9zu %-9s %8.2f %8.2f %8.2f", one->name, type_name(bits), count,
	       tile_keys, shape, median, least, most);
	if (one->predicted_seconds > 0)
		printf(" %9.2f", giga / one->predicted_seconds);
	else
		printf("         -");
	/* if keys were only copied once: what part of that speed is this? */
	printf(" %7.1f%%\n", 100 * median * 1e9 * 2 * (bits / 8) / rig.copy_bandwidth);
	if (ask.json != NULL)
		fprintf(ask.json, "%s\n  {\"name\": \"%s\", \"type\": \"%s\", \"keys\": %zu, \"tile\": %zu, "
		        "\"shape\": \"%s\", \"runs\": %u, \"gkeys_median\": %.4f, \"gkeys_min\": %.4f, "
		        "\"gkeys_max\": %.4f, \"gkeys_predicted\": %.4f, \"copy_gbytes\": %.1f}",
		        ask.json_rows++ == 0 ? "" : ",", one->name, type_name(bits), count, tile_keys, shape,
		        ask.runs, median, least, most,
		        one->predicted_seconds > 0 ? giga / one->predicted_seconds : 0.0,
		        rig.copy_bandwidth / 1e9);
}

/* Let contestants run in turn on the keys in rig.source; a result is sorted in pieces. */
static void
contest(struct contestant *all, unsigned many, unsigned bits, size_t count, size_t tile_keys,
        size_t piece_keys, uint64_t digest, const char *shape)
{
	for (unsigned run = 0; run <= ask.runs; run++)
		for (unsigned c = 0; c < many; c++) {
			char *result;
			double seconds = rig_time(&all[c], bits, count, tile_keys, &result);

			if (run > 0)		/* the first one warms up */
				all[c].seconds[run - 1] = seconds;
			if (((run == 0 && !ask.quick) || run == ask.runs) && piece_keys > 0)
				verify(all[c].name, result, bits, count, piece_keys, digest);
		}
	for (unsigned c = 0; c < many; c++)
		print_row(&all[c], bits, count, tile_keys, shape);
}

/* Make COUNT keys of rig.kind in rig.source; returns the digest of their ordered bits. */
static uint64_t
load(unsigned bits, size_t count, unsigned shape)
{
	struct keys_verdict verdict;

	must(device_keys_fill(rig.source, bits, count, shape, 1), "making keys");
	must(device_keys_map(rig.source, bits, rig.kind, true, count, NULL), "mapping");
	/* again: a key that no float is has become another */
	must(device_keys_map(rig.source, bits, rig.kind, false, count, NULL), "mapping");
	must(device_keys_check(rig.source, bits, count, count, &verdict), "checking");
	must(device_keys_map(rig.source, bits, rig.kind, true, count, NULL), "mapping");
	must(cudaDeviceSynchronize(), "making keys");
	return verdict.digest;
}

/* Make COUNT keys in rig.source, runs of RUN_KEYS that ascend. */
static uint64_t
load_runs(unsigned bits, size_t count, size_t run_keys)
{
	const size_t width = bits / 8;
	char *host = must_malloc(count * width);
	uint64_t digest;

	for (size_t at = 0; at < count; at += run_keys)
		keys_fill_sorted(host + at * width, bits,
		                 count - at < run_keys ? count - at : run_keys, at);
	digest = keys_digest(host, bits, count);
	must(cudaMemcpy(rig.source, host, count * width, cudaMemcpyHostToDevice), "copying keys");
	free(host);
	return digest;
}

static void
measure_copy(unsigned bits, size_t count)
{
	struct contestant copy = { .name = "copy", .run = run_copy };
	char *result;

	for (unsigned run = 0; run < ask.runs; run++)
		copy.seconds[run] = rig_time(&copy, bits, count, 0, &result);
	qsort(copy.seconds, ask.runs, sizeof copy.seconds[0], compare_seconds);
	rig.copy_bandwidth = 2.0 * (bits / 8) * (double)count / copy.seconds[ask.runs / 2];
	printf("copy of %zu %s keys: %.0f GB/s read and written\n", count, type_name(bits),
	       rig.copy_bandwidth / 1e9);
	printf("%-22s %3s %11s %9s %-9s %8s %8s %8s %9s %8s\n", "Gkeys/s", "", "keys", "tile",
	       "shape", "median", "min", "max", "predicted", "of copy");
}

/* ---- subcommands --------------------------------------------------------- */

static void
bench_tile(unsigned bits)
{
	uint64_t digest = load(bits, ask.keys, 0);

	for (unsigned log = 12; log <= 24 && (size_t)1 << log <= ask.keys; log++) {
		size_t tile_keys = (size_t)1 << log;
		struct contestant tiles = { .name = "tile sort", .run = run_tiles };

		tiles.predicted_seconds =
			predict(bits, ask.keys, tile_sweeps(bits, tile_keys), true);
		contest(&tiles, 1, bits, ask.keys, tile_keys, tile_keys, digest, "uniform");
	}
}

static void
bench_merge(unsigned bits)
{
	uint64_t digest = load_runs(bits, ask.keys, (ask.keys + 1) / 2);
	struct contestant merge = { .name = "merge", .run = run_merge };

	merge.predicted_seconds = predict(bits, ask.keys, 1, false);
	contest(&merge, 1, bits, ask.keys, (ask.keys + 1) / 2, ask.keys, digest, "uniform");
}

static void
bench_device(unsigned bits)
{
	const unsigned levels = log2_up((ask.keys + ask.tile_keys - 1) / ask.tile_keys);
	const double mapping = rig.kind == KEYS_UNSIGNED ? 0 : predict(bits, ask.keys, 2, false);

	for (unsigned shape = 0; keys_shapes[shape] != NULL; shape++) {
		struct contestant all[5] = {
			{ .name = "gsort", .run = run_sort },
			{ .name = "cub::DeviceRadixSort", .run = run_radix },
		};
		unsigned many = 2;

		if (ask.shape >= 0 && (unsigned)ask.shape != shape)
			continue;
		all[0].predicted_seconds = (bits == 32 ? 3.2 : 5.7) * (double)ask.keys /
		                           rig.cycles_per_second + mapping;	/* kernels/README.md */
		if (!ask.quick && ask.keys <= UINT32_MAX)
			all[many++] = (struct contestant){ .name = "cub, tuned", .run = run_tuned };
		if (!ask.quick)
			all[many++] = (struct contestant){ .name = "cub::DeviceMergeSort",
			                                   .run = run_cub_merge };
		if (!ask.quick && rig.kind == KEYS_UNSIGNED)
			all[many++] = (struct contestant){ .name = "gsort, network", .run = run_network,
				.predicted_seconds = predict(bits, ask.keys, levels +
				                             tile_sweeps(bits, ask.tile_keys), true) };
		contest(all, many, bits, ask.keys, ask.tile_keys, ask.keys,
		        load(bits, ask.keys, shape), keys_shapes[shape]);
	}
}

int
bad_usage(const char *what, const char *value)
{
	fprintf(stderr, "gsort-bench: %s '%s'; see --help\n", what, value);
	return 2;
}

size_t
number(const char *text)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10), power;

	if (end == text || *text == '-')
		return 0;
	if (*end == '\0')
		return (size_t)value;
	power = *end == '^' && value == 2 ? strtoull(end + 1, &end, 10) : 64;
	return *end == '\0' && power < 48 ? (size_t)1 << power : 0;
}

static int
shape_named(const char *name)
{
	for (int shape = 0; keys_shapes[shape] != NULL; shape++)
		if (strcmp(keys_shapes[shape], name) == 0)
			return shape;
	return strcmp(name, "all") == 0 ? -1 : -2;
}

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
	return ask.type == NULL ? type->kind == KEYS_UNSIGNED :
	       strcmp(ask.type, "all") == 0 || strcmp(ask.type, type->name) == 0;
}

/* Fill in ask; 0, or the exit status (with --help, -1). */
static int
parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "keys", required_argument, NULL, 'k' }, { "tile", required_argument, NULL, 't' },
		{ "type", required_argument, NULL, 'y' }, { "shape", required_argument, NULL, 's' },
		{ "runs", required_argument, NULL, 'r' }, { "json", required_argument, NULL, 'j' },
		{ "big", no_argument, NULL, 'b' }, { "quick", no_argument, NULL, 'q' },
		 { "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 'k':
			if ((ask.keys = number(optarg)) < 2)
				return bad_usage("--keys takes a number from 2 on, not", optarg);
			break;
		case 't':
			if ((ask.tile_keys = number(optarg)) < 4 || ask.tile_keys % 4 != 0)
				return bad_usage("--tile takes a multiple of 4, not", optarg);
			break;
		case 'y':
			if (!type_exists(optarg))
				return bad_usage("--type is u32, u64, i32, i64, f32, f64 or all, not",
				                 optarg);
			ask.type = optarg;
			break;
		case 's':
			if ((ask.shape = shape_named(optarg)) == -2)
				return bad_usage("there is no shape", optarg);
			break;
		case 'r':
			ask.runs = (unsigned)number(optarg);
			if (ask.runs < 1 || ask.runs > MAX_RUNS)
				return bad_usage("--runs takes a number from 1 to 99, not", optarg);
			break;
		case 'j':
			if ((ask.json = fopen(optarg, "w")) == NULL)
				return bad_usage("cannot write", optarg);
			break;
		case 'b':
			ask.big = true;
			break;
		case 'q':
			ask.quick = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return -1;
		default:
			return 2;
		}
	return 0;
}

static int
run_check(void)
{
	unsigned wrong = check_all(ask.big);

	printf(wrong == 0 ? "all right\n" : "%u wrong\n", wrong);
	return wrong > 0;
}

static void
run_bench(void (*bench)(unsigned bits))
{
	for (const struct key_type *type = key_types; type < key_types + KEY_TYPES; type++)
		if (type_wanted(type)) {
			rig.kind = type->kind;
			rig_open(type->bits, ask.keys);
			measure_copy(type->bits, ask.keys);
			bench(type->bits);
			rig_close();
		}
}

int
main(int argc, char **argv)
{
	static const struct { const char *name; void (*bench)(unsigned bits); } commands[] = {
		{ "tile", bench_tile }, { "merge", bench_merge }, { "device", bench_device },
		{ "check", NULL },
	};
	int status, sms, kilohertz;
	size_t c = 0;

	if (argc > 1 && strcmp(argv[1], "ladder") == 0)
		return bench_ladder(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "sweep") == 0)
		return bench_sweep(argc - 1, argv + 1);
	status = parse(argc, argv);

	if (status != 0)
		return status < 0 ? 0 : status;
	if (optind + 1 != argc)
		return bad_usage("one of tile, merge, device, check is wanted, not",
		                 optind < argc ? argv[optind + 1] : "");
	while (c < 4 && strcmp(commands[c].name, argv[optind]) != 0)
		c++;
	if (c == 4)
		return bad_usage("there is no benchmark", argv[optind]);
	must(cudaSetDevice(0), "opening the GPU");
	must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "asking the GPU");
	must(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "asking the GPU");
	rig.cycles_per_second = 1e3 * sms * kilohertz;
	if (commands[c].bench == NULL)
		return run_check();
	if (commands[c].bench != bench_device && ask.type != NULL && ask.type[0] != 'u')
		return bad_usage("only device has keys of type", ask.type);
	if (ask.json != NULL)
		fputs("[", ask.json);
	run_bench(commands[c].bench);
	if (ask.json != NULL) {
		fputs("\n]\n", ask.json);
		if (fclose(ask.json) != 0)
			return bad_usage("cannot write", "--json");
	}
	return 0;
}
