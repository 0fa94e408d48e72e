// SPDX-License-Identifier: BSD-2-Clause
/*
 * text.c - gsort-bench-text: how fast lines are parsed and printed, beside memcpy()
 *
 * Each thread has lines, a decoder and an output of its own, so the two inner loops are timed
 * and nothing else but the memory bandwidth that threads share.  All threads copy, then all
 * parse, then all print.  The table shows medians: GB/s of text, all threads together.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/simd.h"
#include "bench/clock.h"
#include "bench/huge.h"
#include "bench/keys.h"
#include "bench/shapes.h"
#include "bench/stats.h"
#include "key/key.h"
#include "text/encode.h"
#include "text/floats.h"
#include "text/text_decoder.h"

enum {
	CHUNK_BYTES = 4 << 20,
	SPAN_KEYS = 8192,	/* printed by one thread */
	MOST_RUNS = 99,
};
enum part { COPY, PARSE, PRINT, PARTS };

struct line_shape;
struct bench {
	size_t   lines;		/* a thread's */
	unsigned threads, runs;
	enum gs_simd simd;
	const struct line_shape *shape;
	pthread_barrier_t barrier;
};

/* One thread's share. */
struct share {
	struct bench *bench;
	unsigned      rank;
	char         *text, *copy;
	size_t        bytes, printed;
	struct gs_text_decoder *decoder;
	void         *keys[GS_TEXT_CLASSES];	/* sorted */
	size_t        count[GS_TEXT_CLASSES];
	bool          wrong;
	double        times[PARTS][MOST_RUNS];
};

/* --- lines ----------------------------------------------------------------- */

static int u32(char *into, uint64_t x)   { return sprintf(into, "%u\n", (unsigned)x); }
static int u64(char *into, uint64_t x)   { return sprintf(into, "%llu\n", (unsigned long long)x); }
static int i64(char *into, uint64_t x)   { return sprintf(into, "%lld\n", (long long)x); }
static int small(char *into, uint64_t x) { return sprintf(into, "%u\n", (unsigned)(x % 65536)); }
static int ten(char *into, uint64_t x)   { return sprintf(into, "1%09u\n", (unsigned)(x % 1000000000)); }
static int crlf(char *into, uint64_t x)  { return sprintf(into, "%u\r\n", (unsigned)x); }
static int mixed(char *into, uint64_t x) { return u64(into, x >> random_at(1, x) % 64); }
static int spots(char *into, uint64_t x) { return x % 10007 ? u32(into, x) : sprintf(into, "a spot\n"); }
static int cents(char *into, uint64_t x) { return sprintf(into, "%.2f\n", (double)(x % 10000000) / 100); }
static int f64(char *into, uint64_t x)
{
	const int bytes = (int)gs_float_print((double)(x >> 11) / 9007199254740992.0, false, into);

	into[bytes] = '\n';
	return bytes + 1;
}

static const struct line_shape {
	const char *name, *says;
	int       (*line)(char *into, uint64_t random);
	bool        floats;
} shapes[] = {
	{ "u32", "random, 32 bits", u32, false },
	{ "u64", "random, 64 bits", u64, false },
	{ "i64", "random, 64 bits, signed", i64, false },
	{ "mixed", "1 to 20 digits", mixed, false },
	{ "small", "below 65536: counted", small, false },
	{ "ten", "ten digits each", ten, false },
	{ "crlf", "u32 with CR LF", crlf, false },
	{ "spots", "u32, a bad line in 10007", spots, false },
	{ "cents", "floats, two decimals", cents, true },
	{ "f64", "floats, 16 digits and more", f64, true },
};
enum { LINE_SHAPES = sizeof shapes / sizeof shapes[0] };

/* Memory that has been touched. */
static void *
allocate(size_t bytes)
{
	void *taken = huge_allocate(bytes);

	if (taken == NULL) {
		fprintf(stderr, "gsort-bench-text: no memory for %zu bytes; try fewer lines\n", bytes);
		exit(2);
	}
	memset(taken, 0, bytes);
	return taken;
}

/* --- what is timed --------------------------------------------------------- */

static void
take_keys(struct share *share, unsigned section, unsigned class)
{
	const size_t key_bytes = gs_text_bits(class) / 8;
	const struct gs_text_keys *keys = &share->decoder->sections[section].keys;
	const size_t count = keys->count[class];

	memcpy((char *)share->keys[class] + share->count[class] * key_bytes, keys->keys[class],
	       count * key_bytes);
	share->count[class] += count;
}

/* Parse all lines.  KEEP: copy each chunk's keys out of the decoder. */
static void
parse(struct share *share, bool keep)
{
	struct gs_text_decoder *decoder = share->decoder;

	gs_text_begin_file(decoder, "text");
	for (size_t at = 0; at < share->bytes; at += CHUNK_BYTES) {
		const size_t left = share->bytes - at;

		if (gs_text_decode(decoder, share->text + at, left < CHUNK_BYTES ? left : CHUNK_BYTES,
		                   left <= CHUNK_BYTES) != GS_OK)
			share->wrong = true;
		for (unsigned class = 0; keep && class < GS_TEXT_CLASSES; class++)
			for (unsigned s = 0; class != GS_SMALL && s < decoder->threads; s++)
				take_keys(share, s, class);
	}
}

/* Print all keys. */
static void
print(struct share *share)
{
	const struct gs_encoding floats = {
		.from = GSORT_TEXT_FLOAT, .to = GSORT_TEXT, .terminator = '\n',
	};
	char *into = share->copy;
	size_t bytes;

	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
		const unsigned bits = gs_text_bits(class);
		struct gs_integers source = {
			.bits = bits, .bias = gs_text_bias(class), .terminator = '\n',
		};

		for (size_t k = 0; k < share->count[class]; k += SPAN_KEYS, into += bytes) {
			const size_t left = share->count[class] - k;
			const size_t count = left < SPAN_KEYS ? left : SPAN_KEYS;

			const struct gs_span span = {
				.keys = (char *)share->keys[class] + k * (bits / 8), .count = count,
				.key_bits = bits, .key_class = class,
			};

			source.keys = span.keys;
			if (!share->bench->shape->floats)
				bytes = gs_integers_print(&source, count, into);
			else if (gs_encode(&floats, &span, into, &bytes) != GS_OK)
				share->wrong = true;
		}
	}
	share->printed = (size_t)(into - share->copy);
}

static void
prepare(struct share *share)
{
	const struct bench *bench = share->bench;
	const struct gs_text_options options = {
		.floats = bench->shape->floats, .terminator = '\n', .invalid = GSORT_INVALID_IGNORE,
	};
	uint64_t *counts = calloc(GS_SMALL_COUNT, sizeof *counts);
	uint32_t *small_keys;
	char *next;

	share->text = next = allocate(bench->lines * 27 + 64);
	for (size_t l = 0; l < bench->lines; l++)
		next += bench->shape->line(next, random_at(0, share->rank * bench->lines + l));
	share->bytes = (size_t)(next - share->text);
	share->copy = allocate(bench->lines * 32 + SPAN_KEYS * 32);
	share->decoder = gs_text_decoder_init(allocate(gs_text_decoder_bytes(CHUNK_BYTES, 1, &options)),
	                                      CHUNK_BYTES, 1, &options);
	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++)
		share->keys[class] = allocate(bench->lines * 8);
	parse(share, true);
	gs_text_fetch_small(share->decoder, counts);
	small_keys = share->keys[GS_SMALL];
	for (size_t v = 0; v < GS_SMALL_COUNT; v++)
		for (uint64_t c = 0; c < counts[v] && !bench->shape->floats; c++)
			small_keys[share->count[GS_SMALL]++] = (uint32_t)v;
	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++)
		qsort(share->keys[class], share->count[class], gs_text_bits(class) / 8,
		      gs_text_bits(class) == 64 ? keys_compare64 : keys_compare32);
	free(counts);
}

static void *
work(void *given)
{
	struct share *share = given;
	struct bench *bench = share->bench;

	prepare(share);
	for (unsigned run = 0; run < bench->runs; run++)
		for (enum part part = COPY; part < PARTS; part++) {
			double start;

			pthread_barrier_wait(&bench->barrier);
			start = now();
			if (part == COPY)
				memcpy(share->copy, share->text, share->bytes);
			else if (part == PARSE)
				parse(share, false);
			else
				print(share);
			pthread_barrier_wait(&bench->barrier);
			share->times[part][run] = now() - start;
		}
	return NULL;
}

/* --- results --------------------------------------------------------------- */

static bool
report(const struct bench *bench, struct share *shares)
{
	double gigabytes[PARTS] = { 0 }, time[PARTS];
	bool wrong = false;

	for (enum part part = COPY; part < PARTS; part++)
		time[part] = stats_of(shares[0].times[part], bench->runs).median;
	for (unsigned t = 0; t < bench->threads; t++) {
		gigabytes[COPY] += 1e-9 * (double)shares[t].bytes;
		gigabytes[PRINT] += 1e-9 * (double)shares[t].printed;
		wrong |= shares[t].wrong;
	}
	gigabytes[PARSE] = gigabytes[COPY];
	printf("%-6s %-8s %3u threads %5.1f B/line  copy %6.2f GB/s  parse %6.2f GB/s %7.1f Mlines/s"
	       " %5.2f of copy  print %6.2f GB/s %7.1f Mlines/s %5.2f of copy%s\n",
	       bench->shape->name, gs_simd_name(bench->simd), bench->threads,
	       (double)shares[0].bytes / (double)bench->lines, gigabytes[COPY] / time[COPY],
	       gigabytes[PARSE] / time[PARSE],
	       (double)(bench->lines * bench->threads) / time[PARSE] / 1e6,
	       gigabytes[PARSE] / time[PARSE] / (gigabytes[COPY] / time[COPY]),
	       gigabytes[PRINT] / time[PRINT],
	       (double)(bench->lines * bench->threads) / time[PRINT] / 1e6,
	       gigabytes[PRINT] / time[PRINT] / (gigabytes[COPY] / time[COPY]),
	       wrong ? "  WRONG" : "");
	fflush(stdout);
	return !wrong;
}

static bool
measure(struct bench *bench)
{
	struct share *shares = calloc(bench->threads, sizeof *shares);
	pthread_t *threads = calloc(bench->threads, sizeof *threads);
	bool good;

	pthread_barrier_init(&bench->barrier, NULL, bench->threads);
	for (unsigned t = 0; t < bench->threads; t++) {
		shares[t] = (struct share){ .bench = bench, .rank = t };
		if (pthread_create(&threads[t], NULL, work, &shares[t]) != 0)
			exit(2);
	}
	for (unsigned t = 0; t < bench->threads; t++)
		pthread_join(threads[t], NULL);
	good = report(bench, shares);
	for (unsigned t = 0; t < bench->threads; t++) {
		free(shares[t].text);
		free(shares[t].copy);
		free(shares[t].decoder);
		for (unsigned class = 0; class < GS_TEXT_CLASSES; class++)
			free(shares[t].keys[class]);
	}
	pthread_barrier_destroy(&bench->barrier);
	free(threads);
	free(shares);
	return good;
}

static void
help(void)
{
	printf("Usage: gsort-bench-text [OPTION]...\n"
	       "Parse and print lines of numbers, several times, and print medians.\n\n"
	       "  -l, --lines=N      of each thread (default 2000000)\n"
	       "  -j, --threads=N    1 to 256 (default 1)\n"
	       "  -n, --runs=N       1 to 99 (default 5)\n"
	       "  -s, --simd=NAME    only portable, avx2 or avx512; best: the best (default all)\n"
	       "  -d, --shape=NAME   what the lines are (default all):\n");
	for (unsigned s = 0; s < LINE_SHAPES; s++)
		printf("                       %-6s %s\n", shapes[s].name, shapes[s].says);
	printf("  -h, --help\n");
}

static const struct option long_options[] = {
	{ "lines", required_argument, NULL, 'l' }, { "threads", required_argument, NULL, 'j' },
	{ "runs", required_argument, NULL, 'n' }, { "simd", required_argument, NULL, 's' },
	{ "shape", required_argument, NULL, 'd' }, { "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

int
main(int argc, char **argv)
{
	struct bench bench = { .lines = 2000000, .threads = 1, .runs = 5 };
	const char *level = "all", *shape = "all";
	unsigned measured = 0;
	bool good = true;
	int option;

	while ((option = getopt_long(argc, argv, "l:j:n:s:d:h", long_options, NULL)) != -1)
		switch (option) {
		case 'l': bench.lines = strtoul(optarg, NULL, 10); break;
		case 'j': bench.threads = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'n': bench.runs = (unsigned)strtoul(optarg, NULL, 10); break;
		case 's': level = optarg; break;
		case 'd': shape = optarg; break;
		case 'h': help(); return 0;
		default: bench.lines = 0;
		}
	for (unsigned s = 0; s < LINE_SHAPES && bench.lines > 0 && bench.threads - 1 < 256 &&
	     bench.runs - 1 < MOST_RUNS; s++)
		for (int simd = 0; simd <= (int)gs_simd_best(); simd++) {
			bench.shape = &shapes[s];
			bench.simd = (enum gs_simd)simd;
			if ((strcmp(shape, "all") != 0 && strcmp(shape, shapes[s].name) != 0) ||
			    (strcmp(level, "all") != 0 && strcmp(level, gs_simd_name(bench.simd)) != 0 &&
			     (strcmp(level, "best") != 0 || bench.simd != gs_simd_best())))
				continue;
			gs_simd_at_most(bench.simd);
			good &= measure(&bench);
			gs_simd_at_most(GS_SIMD_AVX512);
			measured++;
		}
	if (measured == 0) {
		fprintf(stderr, "gsort-bench-text: nothing to measure\n"
		        "Try 'gsort-bench-text --help'.\n");
		return 2;
	}
	return good ? 0 : 1;
}
