// SPDX-License-Identifier: BSD-2-Clause
/*
 * shapes.h - distributions of keys, as formulas that run on the host and on the device
 *
 * Key number AT of COUNT keys depends on the shape, the width, SEED and nothing else, so any
 * part of an input can be made anywhere, in any order.  Every benchmark makes its keys here.
 */
#ifndef GS_BENCH_SHAPES_H
#define GS_BENCH_SHAPES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ON_HOST_AND_DEVICE	static __host__ __device__ inline
#else
#define ON_HOST_AND_DEVICE	static inline
#endif

/* SHAPE(constant, name): the name is what --shape takes. */
#define SHAPES_OF_KEYS \
	SHAPE(UNIFORM,       "uniform")		/* random bits */ \
	SHAPE(SORTED,        "sorted")		/* over the whole range */ \
	SHAPE(REVERSED,      "reversed") \
	SHAPE(ORGAN,         "organ")		/* organ pipe: ascending, then descending */ \
	SHAPE(SAW,           "saw")		/* a thousand values ascend, again and again */ \
	SHAPE(NEARLY,        "nearly")		/* sorted, except that one key in 64 is random */ \
	SHAPE(EQUAL,         "equal") \
	SHAPE(EQUAL_BUT_TWO, "equal-but-two")	/* one smallest and one largest key */ \
	SHAPE(FEW,           "few")		/* 16 values */ \
	SHAPE(THOUSAND,      "thousand")	/* 1000 values */ \
	SHAPE(NARROW,        "narrow")		/* below the number of keys */ \
	SHAPE(OUTLIER,       "outlier")		/* narrow, and one largest key */ \
	SHAPE(NORMAL,        "normal")		/* a bell: the mean of four random numbers */ \
	SHAPE(ZIPF,          "zipf")		/* rank k as often as 1 / k: many duplicates */ \
	SHAPE(POWER,         "power")		/* power law: the range times u^8 */ \
	SHAPE(POWERS,        "powers")		/* as many keys from 2^k to 2^(k+1) for every k */ \
	SHAPE(TWOS,          "twos")		/* a power of two, and at most 2 more */ \
	SHAPE(SPIKE,         "spike")		/* half of the keys in 1/65536 of the range */ \
	SHAPE(CLUSTERS,      "clusters")	/* 64 places, 2^16 values wide each */ \
	SHAPE(PREFIXES,      "prefixes")	/* 64 upper halves, any lower half */ \
	SHAPE(NESTED,        "nested")		/* clusters of clusters, two at each of many levels */ \
	SHAPE(FLOATS,        "floats")		/* ordered bits of floats from 0 to 1 */ \
	SHAPE(NORMAL_FLOATS, "normal-floats")	/* ordered bits of floats around 0, in a bell */ \
	SHAPE(TWO_ENDS,      "two-ends")	/* the upper and lower eighth of the bits are random */ \
	SHAPE(PLACES,        "places")		/* three eighths of the bits are random, at three places */ \
	SHAPE(FEW_BY_FEW,    "few-by-few")	/* 256 upper halves with 256 lower halves each */ \
	SHAPE(DIGITS,        "digits")		/* decimal digits as text */ \
	SHAPE(CURVE,         "curve")		/* points of a bell in the plane, on a Z-order curve */ \
	SHAPE(ADDRESSES,     "addresses")	/* few networks have most hosts */ \
	SHAPE(PRICES,        "prices")		/* in cents: most are low and end in 99 */ \
	SHAPE(UUIDS,         "uuids")		/* of version 7: milliseconds, then random bits */ \
	SHAPE(ZIPF_HASHED,   "zipf-hashed")	/* zipf of hashed identifiers */ \
	SHAPE(CUSTOMERS,     "customers")	/* few customers have most orders, whose numbers ascend */ \
	SHAPE(LOG_FLOATS,    "log-floats")	/* floats of any magnitude from e^-20 to e^20 */ \
	SHAPE(AMOUNTS,       "amounts")		/* of money: most are round, in tens to millions */ \
	SHAPE(TWO_LOGS,      "two-logs")	/* interleaved, each in order but for some jitter */ \
	SHAPE(BURSTS,        "bursts")		/* about 40 equal keys in a row */ \
	SHAPE(BLOCKS,        "blocks")		/* sorted blocks of 4096 keys, shuffled */ \
	SHAPE(OUTLIERS,      "outliers")	/* bytes, and one key in 65537 anywhere */ \
	SHAPE(FIELDS,        "fields")		/* a year, a place, a kind and a number, packed */ \
	SHAPE(CAUCHY,        "cauchy")		/* floats in a bell with heavy tails */ \
	SHAPE(KMERS,         "kmers")		/* of a genome, a quarter of it repeats */ \
	SHAPE(DRAWN,         "drawn")		/* bits in use, values and order drawn by the seed */

enum shape {
#define SHAPE(constant, name) SHAPE_##constant,
	SHAPES_OF_KEYS
#undef SHAPE
	SHAPES
};

/** Number AT of the sequence that SEED begins (S. Vigna, "splitmix64"). */
ON_HOST_AND_DEVICE uint64_t
random_at(uint64_t seed, uint64_t at)
{
	uint64_t z = seed + (at + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* From 0 to 1. */
ON_HOST_AND_DEVICE double
shape_fraction(uint64_t random)
{
	return (double)(random >> 11) * (1.0 / 9007199254740992.0);	/* 2^53 */
}

/* Ordered bits of VALUE: a sign bit inverted, of a negative number all others, too; NaNs with a sign, which
 * would come first, are last. */
ON_HOST_AND_DEVICE uint64_t
shape_float_bits(unsigned bits, double value)
{
	const float narrow = (float)value;
	uint64_t wide_bits;
	uint32_t narrow_bits;

	memcpy(&wide_bits, &value, sizeof wide_bits);
	memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
	narrow_bits ^= narrow_bits >> 31 != 0 ? ~UINT32_C(0) : UINT32_C(1) << 31;
	wide_bits ^= wide_bits >> 63 != 0 ? ~UINT64_C(0) : UINT64_C(1) << 63;
	return bits == 32 ? narrow_bits - ((UINT32_C(1) << 23) - 1) : wide_bits - ((UINT64_C(1) << 52) - 1);
}

/* The mean of four random numbers: from 0 to 2^BITS, a bell four deviations wide on either side. */
ON_HOST_AND_DEVICE uint64_t
shape_bell(unsigned bits, uint64_t at, uint64_t seed)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 4; i++)
		sum += random_at(seed + i, at) >> (66 - bits);
	return sum;
}

/* Each nibble but the last two is 3 or 12: a Cantor set of clusters, 256 values wide. */
ON_HOST_AND_DEVICE uint64_t
shape_nested(unsigned bits, uint64_t random)
{
	uint64_t key = random >> 56;

	for (unsigned nibble = 2; nibble < bits / 4; nibble++)
		key |= UINT64_C(3) << (random >> nibble & 1) * 2 << nibble * 4;
	return key;
}

/* Bits that are in use: WIDE at each of PLACES that SEED draws. */
ON_HOST_AND_DEVICE uint64_t
shape_places(unsigned bits, unsigned places, unsigned wide, uint64_t seed)
{
	uint64_t mask = 0;

	for (unsigned p = 0; p < places; p++)
		mask |= ((UINT64_C(1) << wide) - 1) << random_at(seed, p) % (bits - wide + 1);
	return mask;
}

/* A decimal digit in each byte. */
ON_HOST_AND_DEVICE uint64_t
shape_digits(unsigned bits, uint64_t random)
{
	uint64_t key = 0;

	for (unsigned byte = 0; byte < bits / 8; byte++, random /= 10)
		key = key << 8 | ('0' + random % 10);
	return key;
}

/* The bits of two coordinates take turns. */
ON_HOST_AND_DEVICE uint64_t
shape_curve(unsigned bits, uint64_t x, uint64_t y)
{
	uint64_t key = 0;

	for (unsigned bit = 0; bit < bits / 2; bit++)
		key |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
	return key;
}

/* Four of five prices end in 99 cents. */
ON_HOST_AND_DEVICE uint64_t
shape_price(uint64_t random, uint64_t any)
{
	const uint64_t cents = (uint64_t)(100 * pow(10000, pow(shape_fraction(random), 2)));

	return any % 5 == 0 ? cents : cents / 100 * 100 + 99;
}

/* Round to the first two of its digits, three times of four. */
ON_HOST_AND_DEVICE uint64_t
shape_amount(uint64_t random, uint64_t any)
{
	const uint64_t amount = (uint64_t)(1000 * pow(1e6, shape_fraction(random)));
	uint64_t unit = 1;

	while (any % 4 != 0 && amount / unit >= 100)
		unit *= 10;
	return amount / unit * unit;
}

/* A window of the bases that SEED draws, two bits each; one in four begins at one of 1000 places. */
ON_HOST_AND_DEVICE uint64_t
shape_kmer(unsigned bits, uint64_t random, uint64_t any, uint64_t count, uint64_t seed)
{
	const uint64_t from = any % 4 == 0 ? random % 1000 : random % (count / 2 + 1);
	uint64_t key = 0;

	for (unsigned base = 0; base < bits / 2; base++)
		key = key << 2 | random_at(seed + 5, from + base) >> 62;
	return key;
}

/*
 * SEED draws which bits are in use, how many values there are at most, and if the first half of the
 * keys ascends.
 */
ON_HOST_AND_DEVICE uint64_t
shape_drawn(unsigned bits, uint64_t at, uint64_t count, uint64_t seed)
{
	const uint64_t wide = 1 + random_at(seed, 0) % (bits / 2);
	const uint64_t mask = shape_places(bits, 1 + random_at(seed, 1) % 4, (unsigned)wide, seed + 1);
	const uint64_t most = random_at(seed, 3) % 2 == 0 ? 20 : 60;
	const uint64_t values = UINT64_C(1) << (3 + random_at(seed, 2) % most);
	const uint64_t ordered = random_at(seed, 4) % 4 == 0 ? count / 2 : 0;

	if (at < ordered)
		return at * (~UINT64_C(0) >> (64 - bits)) / count & mask;
	return random_at(seed + 3, random_at(seed + 2, at) % values) & mask;
}

/** Key AT of COUNT, as ordered bits. */
ON_HOST_AND_DEVICE uint64_t
key_of(unsigned shape, unsigned bits, uint64_t at, uint64_t count, uint64_t seed)
{
	const uint64_t r = random_at(seed, at), top = r >> (64 - bits);
	const uint64_t any = random_at(seed + 1, at);
	const uint64_t largest = ~UINT64_C(0) >> (64 - bits), step = largest / count;

	switch (shape) {
	case SHAPE_SORTED:        return at * step;
	case SHAPE_REVERSED:      return (count - 1 - at) * step;
	case SHAPE_ORGAN:         return (at < count / 2 ? 2 * at : 2 * (count - at) - 1) * step;
	case SHAPE_SAW:           return at % 1000 * (largest / 1000);
	case SHAPE_NEARLY:        return any % 64 == 0 ? top : at * step;
	case SHAPE_EQUAL:         return largest / 3;
	case SHAPE_EQUAL_BUT_TWO: return at == count / 3 ? largest : at == count / 2 ? 0 : largest / 3;
	case SHAPE_FEW:           return random_at(seed, r % 16) >> (64 - bits);
	case SHAPE_THOUSAND:      return random_at(seed, r % 1000) >> (64 - bits);
	case SHAPE_NARROW:        return r % count;
	case SHAPE_OUTLIER:       return at == count / 2 ? largest : r % count;
	case SHAPE_NORMAL:        return shape_bell(bits, at, seed);
	case SHAPE_ZIPF:          return (uint64_t)pow((double)count, shape_fraction(r));
	case SHAPE_POWER:         return (uint64_t)(pow(shape_fraction(r), 8) * (double)(largest >> 1)) * 2;
	case SHAPE_POWERS:        return top >> any % bits;
	case SHAPE_TWOS:          return (UINT64_C(1) << any % bits) + r % 3;
	case SHAPE_SPIKE:         return any % 2 == 0 ? top : largest / 3 + (top >> 16);
	case SHAPE_CLUSTERS:      return (random_at(seed, r % 64) >> (64 - bits)) + (r >> 6 & 0xffff);
	case SHAPE_PREFIXES:      return (random_at(seed, r % 64) >> (64 - bits / 2) << bits / 2) |
	                                 any >> (64 - bits / 2);
	case SHAPE_NESTED:        return shape_nested(bits, r);
	case SHAPE_FLOATS:        return shape_float_bits(bits, shape_fraction(r));
	case SHAPE_NORMAL_FLOATS: return shape_float_bits(bits, (double)shape_bell(64, at, seed) *
	                                                        0x1p-60 - 8);
	case SHAPE_TWO_ENDS:      return top & ~(largest >> bits / 8 & largest << bits / 8);
	case SHAPE_PLACES:        return top & shape_places(bits, 3, bits / 8, seed + 2);
	case SHAPE_FEW_BY_FEW:    return (random_at(seed, r % 256) >> (64 - bits / 2) << bits / 2) |
	                                 random_at(seed + 2, any % 256) >> (64 - bits / 2);
	case SHAPE_DIGITS:        return shape_digits(bits, r);
	case SHAPE_CURVE:         return shape_curve(bits, shape_bell(bits / 2, at, seed),
	                                             shape_bell(bits / 2, at, seed + 4));
	case SHAPE_ADDRESSES:     return (random_at(seed, (uint64_t)pow(4096, shape_fraction(r))) >>
	                                  (64 - bits / 2) << bits / 2) | any % 1024;
	case SHAPE_PRICES:        return shape_price(r, any);
	case SHAPE_UUIDS:         return (at * 16 / 1000) << bits / 2 | r >> (64 - bits / 2);
	case SHAPE_ZIPF_HASHED:   return random_at(seed + 7, (uint64_t)pow((double)count, shape_fraction(r)))
	                                 >> (64 - bits);
	case SHAPE_CUSTOMERS:     return (uint64_t)pow(65535, shape_fraction(r)) << bits / 2 |
	                                 (at >> 6 & largest >> bits / 2);
	case SHAPE_LOG_FLOATS:    return shape_float_bits(bits, exp(40 * shape_fraction(r) - 20));
	case SHAPE_AMOUNTS:       return shape_amount(r, any);
	case SHAPE_TWO_LOGS:      return (at / 2 * step + (at % 2 == 0 ? largest / 3 : r % 1000)) & largest;
	case SHAPE_BURSTS:        return random_at(seed + 9, (at + random_at(seed, at >> 10) % 64) / 40) >>
	                                 (64 - bits);
	case SHAPE_BLOCKS:        return (random_at(seed, at / 4096) % (count / 4096 + 1) * 4096 + at % 4096)
	                                 * (largest / (count + 4096));
	case SHAPE_OUTLIERS:      return at % 65537 == 5 ? top : r % 256;
	case SHAPE_FIELDS:        return (2000 + r % 24) << (bits - 12) | (any % 300) << (bits - 21) |
	                                 (r >> 32) % 8 << (bits - 24) | (any >> 32) % 250;
	case SHAPE_CAUCHY:        return shape_float_bits(bits, tan(3.14159265 * (shape_fraction(r) - 0.5)));
	case SHAPE_KMERS:         return shape_kmer(bits, r, any, count, seed);
	case SHAPE_DRAWN:         return shape_drawn(bits, at, count, seed);
	default:                  return top;
	}
}

#endif
