// SPDX-License-Identifier: BSD-2-Clause
/* forecast.c - what jobs take, as planned; and how much of it they say they have done, from first to last */
#include <string.h>

#include "base/splitmix.h"
#include "gsort.h"
#include "ingest/ingest.h"
#include "plan/plan.h"
#include "tests/unit/units.h"

void unit_forecast(void);

/* A row overrides the machine of FACTS(): that is the point. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define MiB	<< 20
#define GiB	<< 30

/* Keys of 64 bits, on a machine of 4 cores and 64 GiB, unless a row says otherwise. */
#define FACTS(...)	{ .cores = 4, .host_bytes = 64ull GiB, .address_bytes = 1ull << 46, \
			  .seekable = true, .device = GSORT_DEVICE_CPU, .type = GSORT_U64, \
			  .key_bits = 64, __VA_ARGS__ }

/* ---- the plan -------------------------------------------------------------------- */

/* The time of OTHER relative to ONE. */
enum relation { SAME, MORE, TWICE };

static const struct {
	const char     *sentence;
	struct gs_plan_input one, other;
	enum relation   seconds, memory;
	bool            disk;		/* OTHER needs temporary files */
	enum gs_work    work;
} pairs[] = {
	{ "twice as much takes twice as long", FACTS(.input_bytes = 4ull GiB), FACTS(.input_bytes = 8ull GiB),
	  TWICE, TWICE, false, GS_WORK_KEYS },
	{ "half the threads take twice as long", FACTS(.input_bytes = 4ull GiB),
	  FACTS(.input_bytes = 4ull GiB, .threads = 2), TWICE, SAME, false, GS_WORK_KEYS },
	{ "what goes to disk takes longer", FACTS(.input_bytes = 4ull GiB, .memory_bytes = 1ull GiB),
	  FACTS(.input_bytes = 8ull GiB, .memory_bytes = 1ull GiB), TWICE, SAME, true, GS_WORK_KEYS },
	{ "so does another pass", FACTS(.input_bytes = 4ull GiB, .memory_bytes = 256ull MiB),
	  FACTS(.input_bytes = 4ull GiB, .memory_bytes = 256ull MiB, .merge_files = 2), MORE, SAME, true,
	  GS_WORK_KEYS },
	{ "records that do not fit are on disk once",
	  FACTS(.input_bytes = 4ull GiB, .key_bits = GS_ITEM_BITS),
	  FACTS(.input_bytes = 4ull GiB, .key_bits = GS_ITEM_BITS, .memory_bytes = 1ull GiB), MORE, MORE,
	  true, GS_WORK_RECORDS },
	{ "a histogram has the same memory for all",
	  FACTS(.type = GSORT_U16, .key_bits = 16, .input_bytes = 4ull GiB),
	  FACTS(.type = GSORT_U16, .key_bits = 16, .input_bytes = 8ull GiB), TWICE, SAME, false,
	  GS_WORK_COUNTED },
	{ "so has a check",
	  FACTS(.operation = GSORT_CHECK, .input_bytes = 4ull GiB, .key_bits = GS_ITEM_BITS),
	  FACTS(.operation = GSORT_CHECK, .input_bytes = 8ull GiB, .key_bits = GS_ITEM_BITS), TWICE, SAME,
	  false, GS_WORK_FIELDS },
	{ "and a merge", FACTS(.operation = GSORT_MERGE, .input_bytes = 4ull GiB),
	  FACTS(.operation = GSORT_MERGE, .input_bytes = 8ull GiB), TWICE, SAME, false, GS_WORK_KEYS },
	{ "a merge of more inputs than it may open has passes",
	  FACTS(.operation = GSORT_MERGE, .input_bytes = 4ull GiB, .input_count = 6),
	  FACTS(.operation = GSORT_MERGE, .input_bytes = 8ull GiB, .input_count = 6, .merge_files = 2),
	  TWICE, SAME, true, GS_WORK_KEYS },
};

static bool
relates(double one, double other, enum relation relation)
{
	switch (relation) {
	case SAME:  return other > 0.99 * one && other < 1.01 * one;
	case TWICE: return other > 1.9 * one && other < 2.1 * one;
	default:    return other > 1.1 * one || one > 1.1 * other;
	}
}

static void
planned(const char *sentence, const struct gs_plan_input *facts, enum gs_work work,
        struct gs_forecast *forecast)
{
	struct gs_plan_input input = *facts;
	struct gs_plan plan;

	if (input.key_bits < GS_ITEM_BITS)
		gs_ingest_plan(&input);
	CHECK(gs_plan_make(&plan, &input) == GS_OK, "%s: %s", sentence, gs_message());
	gs_plan_forecast(forecast, &plan, &input, work, input.input_bytes);
	CHECK(forecast->memory_bytes <= plan.host_bytes && forecast->written_bytes >= forecast->disk_bytes &&
	      (forecast->disk_bytes == 0 || plan.spills), "%s: within the plan", sentence);
	input.input_bytes = UINT64_MAX;
	gs_plan_forecast(forecast, &plan, &input, work, input.input_bytes);
	CHECK(!forecast->known, "%s: nothing is known without a size", sentence);
	input.input_bytes = facts->input_bytes;
	gs_plan_forecast(forecast, &plan, &input, work, input.input_bytes);
}

static void
plans(void)
{
	for (size_t r = 0; r < sizeof pairs / sizeof pairs[0]; r++) {
		const char *sentence = pairs[r].sentence;
		struct gs_forecast one, other;

		planned(sentence, &pairs[r].one, pairs[r].work, &one);
		planned(sentence, &pairs[r].other, pairs[r].work, &other);
		CHECK(relates(gs_forecast_seconds(&one), gs_forecast_seconds(&other), pairs[r].seconds),
		      "%s: %g and %g seconds", sentence, gs_forecast_seconds(&one),
		      gs_forecast_seconds(&other));
		CHECK(relates((double)one.memory_bytes, (double)other.memory_bytes, pairs[r].memory),
		      "%s: %g and %g bytes", sentence, (double)one.memory_bytes, (double)other.memory_bytes);
		CHECK((other.disk_bytes > 0) == pairs[r].disk, "%s: %g bytes on disk", sentence,
		      (double)other.disk_bytes);
	}
}

/* ---- jobs ------------------------------------------------------------------------ */

/* A job that looks at its own progress whenever it reads or writes. */
struct watched {
	const char *sentence;
	gsort      *job;
	uint64_t    total, done;	/* by the last look */
	uint64_t    left;		/* bytes of input */
	uint64_t    state;
	bool        text;		/* lines of eight bytes */
	unsigned    values;		/* of them */
};

static void
look(struct watched *watched)
{
	struct gsort_progress p;

	gsort_progress(watched->job, &p);
	CHECK(p.work_total > 0 && (watched->total == 0 || watched->total == p.work_total),
	      "%s: %llu of work in all, after %llu", watched->sentence, (unsigned long long)p.work_total,
	      (unsigned long long)watched->total);
	CHECK(p.work_done >= watched->done && p.work_done <= p.work_total,
	      "%s: %llu done of %llu, after %llu", watched->sentence, (unsigned long long)p.work_done,
	      (unsigned long long)p.work_total, (unsigned long long)watched->done);
	watched->total = p.work_total;
	watched->done = p.work_done;
}

static ptrdiff_t
read_some(void *context, void *into, size_t room)
{
	struct watched *watched = context;
	const size_t bytes = (room < watched->left ? room : watched->left) / 8 * 8;
	char *to = into;

	if (watched->job != NULL)	/* else gsort_open() peeks */
		look(watched);
	for (size_t b = 0; b < bytes; b += 8) {
		const uint64_t key = gs_splitmix_next(&watched->state);
		char line[32];

		if (watched->text)
			snprintf(line, sizeof line, "%07u\n", (unsigned)(key % watched->values + 1000000));
		memcpy(to + b, watched->text ? line : (const char *)&key, 8);
	}
	watched->left -= bytes;
	return (ptrdiff_t)bytes;
}

static int
write_some(void *context, const void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	look(context);
	return 0;
}

static const char *const field[] = { "1.3n" };

static const struct {
	const char *sentence;
	bool        text;
	struct gsort_options options;
} jobs[] = {
	{ "keys", false, { .type = GSORT_U64 } },
	{ "keys, to disk", false, { .type = GSORT_U64, .memory_bytes = 16 MiB } },
	{ "keys, with several passes", false,
	  { .type = GSORT_U64, .memory_bytes = 16 MiB, .merge_files = 2 } },
	{ "narrow keys", false, { .type = GSORT_U16 } },
	{ "numbers", true, { .type = GSORT_TEXT } },
	{ "lines by a key", true, { .lines = true, .keydefs = field, .keydef_count = 1 } },
	{ "lines, to disk", true, { .lines = true, .memory_bytes = 16 MiB } },
	{ "few lines, one of each", true, { .lines = true, .unique = true } },
	{ "records", false, { .record_bytes = 32 } },
	{ "records, to disk", false, { .record_bytes = 8, .memory_bytes = 16 MiB } },
	{ "figures", false, { .type = GSORT_U64, .summary = true } },
	{ "a few of them", false, { .type = GSORT_U64, .head = true, .head_count = 3 } },
};

static void
watch(void)
{
	for (size_t j = 0; j < sizeof jobs / sizeof jobs[0]; j++) {
		struct watched watched = {
			.sentence = jobs[j].sentence, .left = 24 MiB, .text = jobs[j].text,
			.values = jobs[j].options.unique ? 3 : 9000000,
		};
		struct gsort_options options = jobs[j].options;
		gsort *job;

		options.struct_size = sizeof options;
		options.device = GSORT_DEVICE_CPU;
		options.size_hint = watched.left;
		options.read = read_some;
		options.write = write_some;
		options.read_context = options.write_context = &watched;
		CHECK(gsort_open(&job, &options) == GSORT_OK, "%s: %s", watched.sentence, gsort_message());
		watched.job = job;
		CHECK(gsort_run(job) == GSORT_OK, "%s: %s", watched.sentence, gsort_message());
		CHECK(watched.done > watched.total / 2, "%s: when it ends, %llu are done of %llu",
		      watched.sentence, (unsigned long long)watched.done, (unsigned long long)watched.total);
		look(&watched);
		CHECK(watched.done == watched.total, "%s: all is done", watched.sentence);
		gsort_close(job);
	}
}

void
unit_forecast(void)
{
	plans();
	watch();
}
