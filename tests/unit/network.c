// SPDX-License-Identifier: BSD-2-Clause
/*
 * network.c - the networks of kernels/ sort every input
 *
 * A thread sorts its 32 keys by Batcher's odd-even merges.  Then phase p, from 6 on, makes sorted
 * pieces of 2^p keys out of halves that are sorted.  By the 0-1 principle (Knuth, TAOCP 3, 5.3.4,
 * theorem Z) a network sorts all keys if it sorts all zeros and ones: 2^16 inputs of half a
 * thread's keys, (h + 1)^2 inputs for sorted halves of h keys. They are tried, 128 at once, on
 * the comparators of a thread, and on the textbook's phases; and each wire of the networks that
 * are compiled, as the emulated GPU runs them, meets the partners of the textbook, in its order.
 * Barriers are the emulator's, and racecheck's.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/emu/network.h"
#include "tests/unit/units.h"

enum { INPUTS = 128, MOST_BITS = 12 };
typedef uint64_t inputs __attribute__((vector_size(INPUTS / 8)));	/* a key of each */

/* The partner of WIRE in step STEP, from 0, of phase PHASE: its mirror image, then strides that halve. */
static uint32_t
partner(uint32_t wire, unsigned phase, unsigned step)
{
	return step == 0 ? wire ^ ((1u << phase) - 1) : wire ^ 1u << (phase - 1 - step);
}

/* Ones in all inputs beginning with FROM. */
static inputs
ones_from(size_t from)
{
	inputs v = { 0 };

	for (size_t word = 0; word < INPUTS / 64; word++)
		v[word] = from <= 64 * word ? ~0ull
		          : from >= 64 * (word + 1) ? 0 : ~0ull << (from - 64 * word);
	return v;
}

static bool
is_sorted(const inputs *x, size_t keys)
{
	inputs fall = { 0 };

	for (size_t i = 0; i + 1 < keys; i++)
		fall |= x[i] & ~x[i + 1];
	return (fall[0] | fall[1]) == 0;
}

static void
compare(inputs *x, struct network_pair pair)
{
	const inputs one = x[pair.low], other = x[pair.high];

	x[pair.low] = one & other;
	x[pair.high] = one | other;
}

/* Halves of KEYS keys, sorted: A ones in the first, and in the second B, B + 1, ... */
static void
fill_halves(inputs *x, size_t keys, size_t a, size_t b)
{
	const size_t half = keys / 2;

	for (size_t i = 0; i < half; i++) {
		x[i] = ones_from(i >= half - a ? 0 : INPUTS);
		x[half + i] = ones_from(half - i > b ? half - i - b : 0);
	}
}

/* Does phase PHASE of the textbook merge all sorted halves?  Comparator WITHOUT, from 0, is left out. */
static bool
phase_sorts(unsigned phase, size_t without)
{
	static inputs x[1 << MOST_BITS];
	const size_t keys = (size_t)1 << phase;

	for (size_t a = 0; a <= keys / 2; a++)
		for (size_t b = 0; b <= keys / 2; b += INPUTS) {
			size_t number = 0;

			fill_halves(x, keys, a, b);
			for (unsigned step = 0; step < phase; step++)
				for (uint32_t low = 0; low < keys; low++) {
					const uint32_t high = partner(low, phase, step);

					if (low < high && number++ != without)
						compare(x, (struct network_pair){ low, high });
				}
			if (!is_sorted(x, keys))
				return false;
		}
	return true;
}

static void
check_phases(void)
{
	const unsigned most = units_brief() ? 9 : MOST_BITS;

	for (unsigned phase = 1; phase <= most; phase++)
		CHECK(phase_sorts(phase, SIZE_MAX), "phase %u sorts all zeros and ones", phase);
	for (unsigned phase = 1; phase <= 6; phase++)
		for (size_t c = 0; c < (size_t)phase << (phase - 1); c++)
			CHECK(!phase_sorts(phase, c), "phase %u without comparator %zu does not", phase, c);
}

/* A thread's keys, and its comparators: of each half, then of both. */
enum {
	THREAD_BITS = 5, THREAD_KEYS = 1 << THREAD_BITS, HALF = THREAD_KEYS / 2,
	HALF_PAIRS = 63, THREAD_PAIRS = 2 * HALF_PAIRS + 65
};

/* Do the comparators of a thread sort its keys?  Number WITHOUT is left out. */
static bool
thread_sorts(const struct network_pair *pairs, size_t without)
{
	inputs x[THREAD_KEYS] = { { 0 } };

	for (size_t first = 0; first < THREAD_KEYS; first += HALF)
		for (uint32_t input = 0; input < 1u << HALF; input += INPUTS) {
			for (size_t i = 0; i < THREAD_KEYS; i++)
				for (unsigned lane = 0; lane < INPUTS; lane++) {
					const uint64_t bit = (uint64_t)((input + lane) >> i % HALF & 1)
					                     << lane % 64;

					x[i][lane / 64] = lane % 64 == 0 ? bit : x[i][lane / 64] | bit;
				}
			for (size_t c = 0; c < HALF_PAIRS; c++)
				if (c + first / HALF * HALF_PAIRS != without)
					compare(x, pairs[c + first / HALF * HALF_PAIRS]);
			if (!is_sorted(x + first, HALF))
				return false;
		}
	for (size_t a = 0; a <= HALF; a++) {
		fill_halves(x, THREAD_KEYS, a, 0);
		for (size_t c = 2 * (size_t)HALF_PAIRS; c < THREAD_PAIRS; c++)
			if (c != without)
				compare(x, pairs[c]);
		if (!is_sorted(x, THREAD_KEYS))
			return false;
	}
	return true;
}

/* How many comparators sort 2^LOG_KEYS keys. */
static size_t
comparators(unsigned log_keys)
{
	const size_t steps = (size_t)log_keys * (log_keys + 1) / 2 - THREAD_BITS * (THREAD_BITS + 1) / 2;

	return (steps << (log_keys - 1)) + ((size_t)THREAD_PAIRS << (log_keys - THREAD_BITS));
}

/*
 * Do all comparators of MET, for 2^LOG_KEYS wires, put the smaller key to the smaller place; do
 * those of threads come first, as in PAIRS, and does each wire then meet the partners of the
 * textbook, in its order?
 */
static bool
is_textbook(const struct network_pair *met, unsigned log_keys, const struct network_pair *pairs)
{
	struct { uint8_t phase, step, taken; } *at = calloc((size_t)1 << log_keys, sizeof *at);
	bool same = at != NULL;

	for (size_t c = 0; same && c < comparators(log_keys); c++) {
		const uint32_t wires[2] = { met[c].low, met[c].high }, first = wires[0] & ~(THREAD_KEYS - 1u);

		same = wires[0] < wires[1] && wires[1] >> log_keys == 0;
		if (!same)
			break;
		if (at[first].taken < THREAD_PAIRS) {
			const struct network_pair pair = pairs[at[first].taken++];

			same = wires[0] == first + pair.low && wires[1] == first + pair.high;
			continue;
		}
		for (int i = 0; i < 2 && same; i++) {
			const uint32_t wire = wires[i];

			if (at[wire].phase == 0)
				at[wire].phase = at[wire].step = THREAD_BITS;
			if (at[wire].step == at[wire].phase) {
				at[wire].phase++;
				at[wire].step = 0;
			}
			same = partner(wire, at[wire].phase, at[wire].step) == wires[1 - i];
			at[wire].step++;
		}
	}
	free(at);
	return same;
}

static void
check_recorded(void)
{
	static const struct { const char *of; unsigned bytes, block_bits, log_keys; bool slow; } rows[] = {
		{ "words of leaves of 2^12", 4, 12, 12, false },
		{ "a block of u32, words of leaves of 2^13", 4, 13, 13, false },
		{ "words of leaves of 2^14", 4, 14, 14, false },
		{ "words of leaves of 2^15", 4, 15, 15, true },
		{ "a block of u64, wide words", 8, 12, 12, false },
		{ "wide words of leaves of 2^13", 8, 13, 13, false },
		{ "wide words of leaves of 2^14", 8, 14, 14, true },
		{ "a tile of two blocks of u32", 4, 13, 14, false },
		{ "a tile of four blocks of u64", 8, 12, 14, true },
		{ "a tile of u64, with all kinds of passes", 8, 12, 18, true },
	};
	struct network_pair pairs[THREAD_PAIRS];

	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		const unsigned bits = rows[r].log_keys;
		const size_t room = comparators(bits);
		struct network_pair *met = rows[r].slow && units_brief() ? NULL : malloc(room * sizeof *met);
		size_t count = 0;

		if (met == NULL)
			continue;
		count = network_record(rows[r].bytes, rows[r].block_bits, bits, met, room);
		for (size_t c = 0, taken = 0; r == 0 && c < count && taken < THREAD_PAIRS; c++)
			if (met[c].low < THREAD_KEYS)
				pairs[taken++] = met[c];
		CHECK(count == room && is_textbook(met, bits, pairs), "%s: %zu comparators of %zu",
		      rows[r].of, count, room);
		for (unsigned round = 0; round < 20 && count == room; round++) {
			const size_t left_out = units_mix(round) % (count - 1);
			const struct network_pair saved = met[left_out];

			met[left_out] = met[count - 1];
			CHECK(!is_textbook(met, bits, pairs), "%s: comparator %zu is needed", rows[r].of,
			      left_out);
			met[left_out] = saved;
		}
		free(met);
	}
	CHECK(thread_sorts(pairs, SIZE_MAX), "a thread sorts all zeros and ones");
	for (size_t c = 0; c < THREAD_PAIRS; c++)
		CHECK(!thread_sorts(pairs, c), "a thread without comparator %zu does not", c);
}

void unit_network(void);

void
unit_network(void)
{
	check_phases();
	check_recorded();
}
