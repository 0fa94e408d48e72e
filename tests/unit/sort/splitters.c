// SPDX-License-Identifier: BSD-2-Clause
/* splitters.c - rows for src/sort/splitters.c: keys have one owner, in order, and shares are equal */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sort/splitters.h"
#include "tests/unit/units.h"

void unit_splitters(void);

enum shape { UNIFORM, SORTED, ZIPF, EQUAL, FEW, SHAPES };

static const char *const shape_names[SHAPES] = {
	"uniform", "sorted", "zipf", "all equal", "three values",
};

/* Key AT of COUNT. */
static uint64_t
key_of(enum shape shape, uint64_t at, uint64_t count)
{
	const double u = (double)(units_mix(at) >> 11) / 9007199254740992.0;

	switch (shape) {
	case UNIFORM: return units_mix(at);
	case SORTED:  return at;
	case ZIPF:    return (uint64_t)exp(u * log((double)count));	/* density 1 / key */
	case EQUAL:   return 42;
	default:      return units_mix(at) % 3 * 1000;
	}
}

static int
compare(const void *a, const void *b)
{
	const struct gs_sampled *one = a, *other = b;

	return one->key < other->key ? -1 : one->key > other->key;
}

/* Splitters from a stratified sample: one random key of each of SAMPLE_KEYS pieces of COUNT keys. */
static struct gs_splitters
make(enum shape shape, uint64_t count, size_t sample_keys, unsigned owners, bool together,
     unsigned bits)
{
	struct gs_sampled *sample = calloc(sample_keys, sizeof *sample);
	struct gs_splitters splitters;

	for (size_t i = 0; i < sample_keys; i++) {
		const uint64_t from = (uint64_t)((double)count / (double)sample_keys * (double)i);
		const uint64_t piece = count / sample_keys;

		sample[i] = (struct gs_sampled){
			.key = key_of(shape, from + units_mix(~i) % piece, count) &
			       (bits == 64 ? UINT64_MAX : UINT32_MAX), .weight = 1,
		};
	}
	qsort(sample, sample_keys, sizeof *sample, compare);
	CHECK(gs_splitters_make(&splitters, sample, sample_keys, owners, 0, together, false) == GS_OK,
	      "splitters are made");
	free(sample);
	return splitters;
}

/* The largest share over the mean, of COUNT keys that are divided piece by piece. */
static double
imbalance(struct gs_splitters *splitters, enum shape shape, uint64_t count)
{
	enum { PIECE = 32768 };
	const unsigned owners = splitters->owners;
	uint64_t *piece = malloc(PIECE * sizeof *piece), *shares = calloc(owners, sizeof *shares);
	size_t *ends = calloc(owners, sizeof *ends);
	void *scratch = aligned_alloc(64, gs_splitters_scratch_bytes(owners, PIECE * 8) + 64);
	uint64_t most = 0;

	for (uint64_t at = 0; at < count; at += PIECE) {
		const size_t some = count - at < PIECE ? (size_t)(count - at) : PIECE;

		for (size_t k = 0; k < some; k++)
			piece[k] = key_of(shape, at + k, count);
		(void)gs_splitters_divide(splitters, 0, 64, piece, some, scratch, ends);
		for (unsigned o = 0; o < owners; o++)
			shares[o] += ends[o] - (o == 0 ? 0 : ends[o - 1]);
	}
	for (unsigned o = 0; o < owners; o++)
		most = shares[o] > most ? shares[o] : most;
	free(piece);
	free(shares);
	free(ends);
	free(scratch);
	return (double)most * owners / (double)count;
}

/* What a rank's share is at most: the table of the issue, and what its sample allows beyond. */
static void
simulate(void)
{
	static const struct {
		unsigned owners;
		size_t   sample_keys;
		double   bound;
	} rows[] = {
		{ 2, 32768, 1.03 }, { 64, 1 << 20, 1.06 }, { 512, 1 << 22, 1.08 }, { 4096, 1 << 22, 1.25 },
	};

	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		for (enum shape shape = 0; shape < FEW; shape++) {
			const uint64_t count = 4 * (uint64_t)rows[r].sample_keys;
			const double bound = shape == EQUAL ? 1.01 : rows[r].bound;
			struct gs_splitters splitters;
			double largest;

			if (units_brief() && rows[r].owners > 64)
				continue;
			splitters = make(shape, count, rows[r].sample_keys, rows[r].owners, false, 64);
			largest = imbalance(&splitters, shape, count);
			printf("# %4u ranks, %7zu keys sampled of %8llu, %-9s: largest share %.4f of "
			       "the mean\n", rows[r].owners, rows[r].sample_keys,
			       (unsigned long long)count, shape_names[shape], largest);
			CHECK(largest <= bound, "%u ranks, %s: the largest share is %.4f, not above %.2f",
			      rows[r].owners, shape_names[shape], largest, bound);
			gs_splitters_close(&splitters);
		}
}

/* Divide keys of BITS, and look at each. */
static void
divide(unsigned bits, enum shape shape, unsigned owners, bool together, size_t count)
{
	struct gs_splitters splitters = make(shape, 65536, 1024, owners, together, bits);
	const size_t bytes = count * bits / 8;
	uint64_t sum = 0, divided = 0;
	char *keys = malloc(bytes + 8);
	size_t *ends = calloc(owners, sizeof *ends);
	void *scratch = aligned_alloc(64, (gs_splitters_scratch_bytes(owners, bytes) + 127) / 64 * 64);
	bool right = true, ordered = true;
	unsigned first, last;
	void *in_order;

	for (size_t k = 0; k < count; k++) {
		const uint64_t key = key_of(shape, k * 7 % 65536, 65536);

		gs_key_put(keys, bits, k, key);
		sum += units_mix(gs_key_at(keys, bits, k));
	}
	in_order = gs_splitters_divide(&splitters, 0, bits, keys, count, scratch, ends);
	for (size_t k = 0, owner = 0; k < count; k++) {
		const uint64_t key = gs_key_at(in_order, bits, k);

		while (k >= ends[owner])
			owner++;
		gs_splitters_owners(&splitters, 0, key, &first, &last);
		right &= first <= owner && owner <= last && (!together || first == last);
		divided += units_mix(key);
		ordered &= owner < owners;
	}
	CHECK(right && ordered && divided == sum && ends[owners - 1] == count,
	      "%u bits, %s, %u owners%s, %zu keys: each is with its owner", bits, shape_names[shape],
	      owners, together ? ", together" : "", count);
	free(keys);
	free(ends);
	free(scratch);
	gs_splitters_close(&splitters);
}

/* Of a histogram: what all owners get of a key is all there is. */
static void
share(void)
{
	static const struct gs_sampled sample[] = {
		{ 3, 10, 0 }, { 5, 1000, 0 }, { 9, 1, 0 }, { 2, 500, 2 },
	};

	for (unsigned owners = 1; owners <= 9; owners++)
		for (unsigned together = 0; together < 2; together++) {
			struct gs_splitters splitters;
			uint64_t most = 0, all = 0;

			CHECK(gs_splitters_make(&splitters, sample, 4, owners, 0, together, false) == GS_OK,
			      "splitters are made");
			for (unsigned o = 0; o < owners; o++) {
				uint64_t mine = 0;

				for (unsigned i = 0; i < 4; i++)
					mine += gs_splitters_share(&splitters, (unsigned)sample[i].place,
					                           sample[i].key, sample[i].weight, o);
				all += mine;
				most = mine > most ? mine : most;
			}
			CHECK(all == 1511 && (together || most <= 1511 / owners + 4),
			      "%u owners%s share out a histogram: all of it, at most %llu each", owners,
			      together ? ", equal keys together" : "", (unsigned long long)most);
			gs_splitters_close(&splitters);
		}
}

void
unit_splitters(void)
{
	static const unsigned owners[] = { 1, 2, 3, 7, 64 };

	for (size_t o = 0; o < sizeof owners / sizeof owners[0]; o++)
		for (enum shape shape = 0; shape < SHAPES; shape++)
			for (unsigned together = 0; together < 2; together++) {
				divide(64, shape, owners[o], together, 10000);
				divide(32, shape, owners[o], together, 9999);
				divide(64, shape, owners[o], together, 1);
			}
	share();
	simulate();
}
