// SPDX-License-Identifier: BSD-2-Clause
/*
 * gen.c - make keys from a seed, and check that a file is sorted
 *
 *     gen [--seed N] [--keys N] [--type TYPE] [--dist DIST] [--range RANGE]
 *     gen --digest FILE [--type TYPE]
 *     gen --check FILE [--type TYPE] [--reverse] [--unique]
 *
 * TYPE is u8 .. f64, or text; RANGE, for text, is u32 (the default), i32, u64,
 * i64, small or full (-2^63 .. 2^64-1).  FILE may be -.
 *
 * A file is sorted if it is in order and has the keys of the input.  --check
 * checks the order; the keys are the same if --digest prints the same line for
 * both: the count, and sum and xor of a hash of each key, which do not depend on
 * order.
 *
 * This program shares no code with gsort, so it does not share its bugs.  Keys are
 * made in a 64-bit space U that has the order of the type: uniform over U is
 * uniform over bit patterns, sorted in U is sorted in the type.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 20 };

static _Noreturn void __attribute__((format(printf, 1, 2)))
die(const char *format, ...)
{
	va_list args;

	fputs("gen: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

/* --- types ----------------------------------------------------------------- */

struct type {
	const char *name;
	char        kind;	/* 'u', 'i', 'f', or 't' for text */
	unsigned    bits;
};

static const struct type types[] = {
	{ "u8", 'u', 8 }, { "u16", 'u', 16 }, { "u32", 'u', 32 }, { "u64", 'u', 64 },
	{ "i8", 'i', 8 }, { "i16", 'i', 16 }, { "i32", 'i', 32 }, { "i64", 'i', 64 },
	{ "f32", 'f', 32 }, { "f64", 'f', 64 }, { "text", 't', 64 }, { .name = NULL },
};

static const struct type *
type_named(const char *name)
{
	for (const struct type *type = types; type->name != NULL; type++)
		if (strcmp(type->name, name) == 0)
			return type;
	die("no type is called '%s'", name);
}

/* How many NaNs have a sign. */
static uint64_t
late_of(const struct type *type)
{
	return type->kind == 'f' ? (UINT64_C(1) << (type->bits == 32 ? 23 : 52)) - 1 : 0;
}

/*
 * The bits of the key at place U of its type's order.  Signed: the first half
 * are the negative ones.  Floats: sign and magnitude, from the negative infinity
 * to NaNs, then NaNs with a sign, the largest payload first.
 */
static uint64_t
key_at(const struct type *type, uint64_t u)
{
	uint64_t half = UINT64_C(1) << (type->bits - 1);

	u >>= 64 - type->bits;
	if (type->kind == 'u')
		return u;
	if (type->kind == 'i')
		return u ^ half;
	u = (u + late_of(type)) & UINT64_MAX >> (64 - type->bits);
	return u >= half ? u - half : half | (half - 1 - u);
}

/* The inverse, to compare by: smaller places come first. */
static uint64_t
place_of(const struct type *type, uint64_t key)
{
	uint64_t half = UINT64_C(1) << (type->bits - 1);

	if (type->kind == 'u')
		return key;
	if (type->kind == 'i')
		return key ^ half;
	key = key >= half ? half - 1 - (key - half) : half + key;
	return (key - late_of(type)) & UINT64_MAX >> (64 - type->bits);
}

/* --- distributions: the place of key AT of KEYS ----------------------------- */

struct stream {
	const struct type *type;
	uint64_t seed, keys;
	uint64_t step;		/* of places, so that KEYS steps go once through all */
};

/* Splitmix64 (Steele, Lea, Flood, OOPSLA 2014) as a function of its counter. */
static uint64_t
mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint64_t
random_at(const struct stream *s, uint64_t at)
{
	return mix(s->seed + at * UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t
uniform(const struct stream *s, uint64_t at)
{
	return random_at(s, at);
}

static uint64_t
sorted(const struct stream *s, uint64_t at)
{
	return at * s->step;
}

static uint64_t
reversed(const struct stream *s, uint64_t at)
{
	return (s->keys - 1 - at) * s->step;
}

static uint64_t
equal(const struct stream *s, uint64_t at)
{
	(void)at;
	return mix(s->seed);
}

static uint64_t
few(const struct stream *s, uint64_t at)
{
	return mix(s->seed + random_at(s, at) % 16);
}

/* 64 ascending runs. */
static uint64_t
saw(const struct stream *s, uint64_t at)
{
	return at % (s->keys / 64 + 1) * s->step * 64;
}

/* Up, then down again. */
static uint64_t
organ(const struct stream *s, uint64_t at)
{
	return (at < s->keys / 2 ? at : s->keys - 1 - at) * s->step * 2;
}

/* Both ends and the middle: 0 and -1, -0.0 and +0.0, NaNs of both signs. */
static uint64_t
extremes(const struct stream *s, uint64_t at)
{
	static const uint64_t ends[] = { 0, UINT64_MAX, UINT64_MAX / 2, UINT64_MAX / 2 + 1 };
	uint64_t one = UINT64_C(1) << (64 - s->type->bits);
	uint64_t random = random_at(s, at);
	uint64_t end = ends[random % 4];

	return random & 4 ? end : end < UINT64_MAX / 2 + 1 ? end + one : end - one;
}

/* Half of them NaNs with payloads; infinities and zeros. */
static uint64_t
nans(const struct stream *s, uint64_t at)
{
	unsigned fraction = s->type->bits == 32 ? 23 : 52;
	uint64_t infinity = (UINT64_C(1) << (s->type->bits - 1)) - (UINT64_C(1) << fraction);
	uint64_t random = random_at(s, at);
	uint64_t sign = random & 8 ? UINT64_C(1) << (s->type->bits - 1) : 0;
	uint64_t payload = mix(random) & ((UINT64_C(1) << fraction) - 1);
	uint64_t key;

	if (s->type->kind != 'f')
		return extremes(s, at);
	switch (random & 7) {
	case 0:  key = infinity; break;
	case 1:  key = 0; break;
	case 2:
	case 3:  key = mix(random) & (infinity - 1); break;
	default: key = infinity + (payload != 0 ? payload : 1); break;
	}
	return place_of(s->type, key | sign) << (64 - s->type->bits);
}

/* Rank r about as often as 1 / r: a number of random length. */
static uint64_t
zipf(const struct stream *s, uint64_t at)
{
	uint64_t random = random_at(s, at);

	return mix(s->seed + (mix(random) >> (random % 63)));
}

typedef uint64_t place_fn(const struct stream *s, uint64_t at);

static const struct {
	const char *name;
	place_fn   *place;
} dists[] = {
	{ "uniform", uniform }, { "sorted", sorted }, { "reversed", reversed }, { "equal", equal },
	{ "few", few }, { "saw", saw }, { "organ", organ }, { "extremes", extremes },
	{ "nans", nans }, { "zipf", zipf }, { .name = NULL },
};

static place_fn *
dist_named(const char *name)
{
	for (int d = 0; dists[d].name != NULL; d++)
		if (strcmp(dists[d].name, name) == 0)
			return dists[d].place;
	die("no distribution is called '%s'", name);
}

/* --- making ---------------------------------------------------------------- */

static void
put(const void *data, size_t bytes)
{
	const char *from = data;

	while (bytes > 0) {
		ssize_t written = write(STDOUT_FILENO, from, bytes);

		if (written < 0 && errno != EINTR)
			die("write failed: %s", strerror(errno));
		if (written > 0) {
			from += written;
			bytes -= (size_t)written;
		}
	}
}

static void
make_binary(const struct stream *s, place_fn *place)
{
	static uint64_t buffer[BUFFER_BYTES / 8];
	const size_t key_bytes = s->type->bits / 8;
	char *into = (char *)buffer;
	char *const end = into + BUFFER_BYTES;

	for (uint64_t at = 0; at < s->keys; at++) {
		uint64_t key = key_at(s->type, place(s, at));

		memcpy(into, &key, key_bytes);		/* little-endian hosts only */
		into += key_bytes;
		if (into == end) {
			put(buffer, BUFFER_BYTES);
			into = (char *)buffer;
		}
	}
	put(buffer, (size_t)(into - (char *)buffer));
}

/* The number of RANGE at place U. */
static __int128
number_at(const char *range, uint64_t u)
{
	if (strcmp(range, "u32") == 0)
		return u >> 32;
	if (strcmp(range, "i32") == 0)
		return (__int128)(u >> 32) - 0x80000000;
	if (strcmp(range, "u64") == 0)
		return u;
	if (strcmp(range, "i64") == 0)
		return (__int128)u - ((__int128)1 << 63);
	if (strcmp(range, "small") == 0)
		return (__int128)(u >> 54) - 512;
	if (strcmp(range, "full") == 0)
		return (__int128)u * 3 / 2 - ((__int128)1 << 63);
	die("no range is called '%s'", range);
}

/* Print NUMBER and a newline; returns the place behind. */
static char *
print_number(char *into, __int128 number)
{
	uint64_t size = (uint64_t)(number < 0 ? -number : number);
	char digits[24];
	int count = 0;

	do
		digits[count++] = (char)('0' + size % 10);
	while ((size /= 10) != 0);
	if (number < 0)
		*into++ = '-';
	while (count > 0)
		*into++ = digits[--count];
	*into++ = '\n';
	return into;
}

static void
make_text(const struct stream *s, place_fn *place, const char *range)
{
	static char buffer[BUFFER_BYTES];
	char *into = buffer;

	for (uint64_t at = 0; at < s->keys; at++) {
		into = print_number(into, number_at(range, place(s, at)));
		if (into > buffer + BUFFER_BYTES - 32) {
			put(buffer, (size_t)(into - buffer));
			into = buffer;
		}
	}
	put(buffer, (size_t)(into - buffer));
}

/* --- reading --------------------------------------------------------------- */

/* What is known about the keys so far. */
struct proof {
	const struct type *type;
	bool     order, reverse, unique;	/* what to check */
	uint64_t count, sum, xor;
	__int128 last;
};

static void
take_key(struct proof *proof, __int128 place)
{
	uint64_t mixed = mix((uint64_t)place ^ mix((uint64_t)(place >> 64)));

	if (proof->order && proof->count > 0) {
		__int128 step = proof->reverse ? proof->last - place : place - proof->last;

		if (step < 0 || (step == 0 && proof->unique)) {
			printf("key %llu %s the one before it\n", (unsigned long long)proof->count + 1,
			       step < 0 ? "belongs before" : "is equal to");
			exit(1);
		}
	}
	proof->last = place;
	proof->count++;
	proof->sum += mixed;
	proof->xor ^= mixed;
}

static void
read_binary(struct proof *proof, FILE *file)
{
	static unsigned char buffer[BUFFER_BYTES];
	const size_t key_bytes = proof->type->bits / 8;
	size_t bytes;

	while ((bytes = fread(buffer, 1, sizeof buffer, file)) > 0) {
		if (bytes % key_bytes != 0)
			die("the file ends within a key");
		for (size_t at = 0; at < bytes; at += key_bytes) {
			uint64_t key = 0;

			memcpy(&key, buffer + at, key_bytes);
			take_key(proof, place_of(proof->type, key));
		}
	}
}

/* Lines as gsort writes them, and others that it reads: blanks, sign, digits, blanks. */
static void
read_text(struct proof *proof, FILE *file)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		const char *at = line + strspn(line, " \t");
		bool negative = *at == '-';
		size_t digits;
		__int128 number = 0;

		at += *at == '-' || *at == '+';
		digits = strspn(at, "0123456789");
		for (size_t d = 0; d < digits; d++)
			number = number * 10 + (at[d] - '0');
		if (digits == 0 || at[digits + strspn(at + digits, " \t\r\n")] != '\0')
			die("not a number: %s", line);
		take_key(proof, negative ? -number : number);
	}
	free(line);
}

static void
prove(struct proof *proof, const char *name)
{
	FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");

	if (file == NULL)
		die("%s: %s", name, strerror(errno));
	if (proof->type->kind == 't')
		read_text(proof, file);
	else
		read_binary(proof, file);
	if (ferror(file))
		die("%s: %s", name, strerror(errno));
	if (!proof->order)
		printf("%llu keys, sum %016llx, xor %016llx\n", (unsigned long long)proof->count,
		       (unsigned long long)proof->sum, (unsigned long long)proof->xor);
}

/* --- the command line ------------------------------------------------------ */

static uint64_t
whole_number(const char *text)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 0);

	if (*end != '\0' || end == text)
		die("'%s' is not a whole number", text);
	return number;
}

int
main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seed", 1, NULL, 's' }, { "keys", 1, NULL, 'k' }, { "type", 1, NULL, 't' },
		{ "dist", 1, NULL, 'd' }, { "range", 1, NULL, 'g' }, { "digest", 1, NULL, 'D' },
		{ "check", 1, NULL, 'C' }, { "reverse", 0, NULL, 'r' }, { "unique", 0, NULL, 'u' },
		{ .name = NULL },
	};
	struct stream s = { .type = type_named("u32"), .seed = 1, .keys = 1000 };
	struct proof proof = { .order = false };
	const char *range = "u32", *file = NULL;
	place_fn *place = uniform;
	int id;

	while ((id = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (id) {
		case 's': s.seed = mix(whole_number(optarg)); break;
		case 'k': s.keys = whole_number(optarg); break;
		case 't': s.type = type_named(optarg); break;
		case 'd': place = dist_named(optarg); break;
		case 'g': range = optarg; break;
		case 'D': file = optarg; break;
		case 'C': file = optarg; proof.order = true; break;
		case 'r': proof.reverse = true; break;
		case 'u': proof.unique = true; break;
		default:  return 2;
		}
	if (optind < argc)
		die("extra operand '%s'", argv[optind]);
	proof.type = s.type;
	s.step = s.keys > 0 ? UINT64_MAX / s.keys : 0;
	if (file != NULL)
		prove(&proof, file);
	else if (s.type->kind == 't')
		make_text(&s, place, range);
	else
		make_binary(&s, place);
	return fflush(stdout) == 0 ? 0 : 2;
}
