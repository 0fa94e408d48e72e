// SPDX-License-Identifier: BSD-2-Clause
/*
 * table.c - gsort's sort over CUB's radix sort, for all shapes and many sizes, as one table
 *
 * First CUB's calls are timed alone.  Then gsort and the fastest of them take turns: A B A B ...
 * Keys are restored by a copy that is not timed.
 */
#include "config.h"

#include <stdio.h>

#include "bench/device/call.h"
#include "bench/device/compare.h"
#include "bench/device/device_harness.h"
#include "bench/device/source.h"
#include "bench/device/table.h"
#include "bench/keys.h"
#include "bench/record.h"
#include "bench/stats.h"

enum { BUSY_FROM = 18 };	/* log2 of the keys from which on the device has enough to do */

enum { GSORT, CUB, WAYS };

/* Of keys, and of pairs. */
static const struct way {
	const char       *name;
	harness_function *run;
} ways[2][WAYS] = {
	{ { "gsort", run_sort }, { "CUB", run_radix } },
	{ { "gsort", run_call_pairs }, { "CUB", run_cub_pairs } },
};

struct cell {
	char        type[16];		/* or "" */
	const char *shape;
	unsigned    log_keys;
	const char *call;		/* CUB's fastest */
	uint64_t    seed;
	double      giga_keys[WAYS];	/* a second */
};

static struct {
	struct cell of_all, of_busy;
} worst;

static double
ratio(const struct cell *cell)
{
	return cell->giga_keys[GSORT] / cell->giga_keys[CUB];
}

static void
keep_if_worse(struct cell *kept, const struct cell *cell)
{
	if (kept->type[0] == '\0' || ratio(cell) < ratio(kept))
		*kept = *cell;
}

static struct cell
measure_cell(const struct table *table, unsigned shape, unsigned log_keys)
{
	const bool pairs = table->value_bits > 0;
	const size_t count = (size_t)1 << log_keys;
	struct cell cell = { .shape = keys_shapes[shape], .log_keys = log_keys,
	                     .seed = shape == SHAPE_DRAWN ? table->seed + log_keys : 1 };
	const uint64_t digest = source_load(table->bits, count, shape, cell.seed);
	double seconds[WAYS][COMPARE_MOST_RUNS];

	(void)snprintf(cell.type, sizeof cell.type, "%s", table->type);
	cell.call = pairs ? pairs_open(table->bits, table->value_bits, count, 0) :
	                    radix_choose(table->bits, count);
	for (unsigned run = 0; run <= table->runs; run++)
		for (unsigned w = 0; w < WAYS; w++) {
			const struct way *way = &ways[pairs][w];
			char *result;
			double time;

			if (run == 0 && pairs)
				pairs_check_run(way->name, way->run, count);
			time = harness_time(way->name, way->run, table->bits, count, 0, &result);
			if (run > 0)
				seconds[w][run - 1] = time;
			else if (!pairs && (w != CUB || radix_ascends()))	/* it also warms up */
				source_check(way->name, result, table->bits, count, count, digest);
		}
	if (pairs)
		pairs_close();
	for (unsigned w = 0; w < WAYS; w++)
		cell.giga_keys[w] = (double)count / 1e9 / stats_of(seconds[w], table->runs).median;
	return cell;
}

static void
record_cell(const struct table *table, const struct cell *cell)
{
	record_text("type", cell->type);
	record_text("shape", cell->shape);
	record_number("log2_keys", cell->log_keys);
	record_number("runs", table->runs);
	record_number("gsort_gkeys", cell->giga_keys[GSORT]);
	record_number("cub_gkeys", cell->giga_keys[CUB]);
	record_number("ratio", ratio(cell));
	record_text("cub_call", cell->call);
	record_number("seed", (double)cell->seed);
	record_end();
}

void
table_print(const struct table *table)
{
	printf("%s: gsort over CUB\n%-13s", table->type, "log2 of keys");
	for (unsigned log = table->log_from; log <= table->log_to; log++)
		printf("%6u", log);
	puts("");
	for (unsigned shape = 0; shape < SHAPES; shape++) {
		if (table->shape != SHAPES && table->shape != (int)shape)
			continue;
		printf("%-13s", keys_shapes[shape]);
		for (unsigned log = table->log_from; log <= table->log_to; log++) {
			const struct cell cell = measure_cell(table, shape, log);

			printf("%6.2f", ratio(&cell));
			fflush(stdout);
			record_cell(table, &cell);
			keep_if_worse(&worst.of_all, &cell);
			if (log >= BUSY_FROM)
				keep_if_worse(&worst.of_busy, &cell);
		}
		puts("");
	}
}

static void
print_worst(const char *of, const struct cell *cell)
{
	if (cell->type[0] != '\0')
		printf("worst cell%s: %.2f, %s %s 2^%u (--seed=%ju), %.2f beside CUB's %.2f Gkeys/s (%s)\n",
		       of, ratio(cell), cell->type, cell->shape, cell->log_keys, (uintmax_t)cell->seed,
		       cell->giga_keys[GSORT], cell->giga_keys[CUB], cell->call);
}

void
table_print_worst(void)
{
	print_worst("", &worst.of_all);
	print_worst(" from 2^18 on", &worst.of_busy);
}
