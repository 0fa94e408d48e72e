// SPDX-License-Identifier: BSD-2-Clause
/*
 * reference_model.h - sorting as the manual describes it, too simple to be wrong
 *
 * A number is its rank: an integer's own value; a float's place among all, where -0 is -1 and 0
 * is 0.  So every order is that of integers, and no number is lost in its rank.
 */
#ifndef GS_FUZZ_REFERENCE_MODEL_H
#define GS_FUZZ_REFERENCE_MODEL_H

#include "fuzz.h"
#include "gsort.h"

typedef __int128 fuzz_rank;

struct fuzz_number {
	fuzz_rank rank;
	uint64_t  times;	/* once fuzz_select() has counted */
};

struct fuzz_numbers {
	struct fuzz_number *at;
	size_t              count, room;
	struct fuzz_bytes   header;
	uint64_t            bad_lines, first_bad;	/* whose number in its input this is, ... */
	size_t              first_bad_input;
	bool                partial;	/* an input has a part of a key or header, or: */
	size_t              other_header;	/* has another header than the first input; 0: none */
};

/* Types that the model knows: text, and keys of 8 to 64 bits except floats of 16. */
enum { FUZZ_TYPES = 12 };

/** One of them, by its NUMBER. */
enum gsort_type fuzz_type(unsigned number);

/** Bits of a binary TYPE; 0: text. */
unsigned fuzz_bits(enum gsort_type type);
bool fuzz_is_float(enum gsort_type type);

/** The rank of a key, its BITS in the byte order of the host. */
fuzz_rank fuzz_rank_of(enum gsort_type type, uint64_t bits);

/** Read the numbers of one more INPUT, number AT, as OPTIONS say. */
void fuzz_read(struct fuzz_numbers *numbers, const struct gsort_options *options, size_t at,
               const char *input, size_t bytes);

/** Are the numbers in order? Counts BREAKS and DUPLICATES. */
bool fuzz_ordered(const struct fuzz_numbers *numbers, const struct gsort_options *options,
                  uint64_t *breaks, uint64_t *duplicates);

/** Sort, and leave what goes out. */
void fuzz_select(struct fuzz_numbers *numbers, const struct gsort_options *options);

/** The right output for header and numbers.  False: a number does not fit. */
bool fuzz_write(const struct fuzz_numbers *numbers, const struct gsort_options *options,
                struct fuzz_bytes *out);

void fuzz_numbers_free(struct fuzz_numbers *numbers);

/** Is TEXT an integer in digits, decimal or hexadecimal, that VALUE, as strtod(3) reads it, is not? */
bool fuzz_is_rounded(const char *text, double value);

#endif
