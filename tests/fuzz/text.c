// SPDX-License-Identifier: BSD-2-Clause
/*
 * text.c - any text, cut anywhere: four readers agree
 *
 * The readers are the decoder with vectors and without, the same in the order of lines, and
 * reference_model.c.  Chunks end where mapped memory ends, so a read beyond them crashes.  The text is the
 * fuzzer's input, or is made from it line by line, so that most lines are numbers; it may be repeated, so
 * that several threads share a chunk.
 */
#include <sys/mman.h>

#include "base/simd.h"
#include "reference_model.h"
#include "text/text_decoder.h"

enum { FILES = 2, CHUNK_BYTES = 1 << 20, OFTEN_BYTES = 270 << 10, THREADS = 3 };

static const char *const names[FILES] = { "one", "two" };
static struct fuzz_bytes texts[FILES];
static struct gsort_options options;

/* What a reader says. */
struct said {
	struct fuzz_numbers numbers;
	bool                in_order;	/* the numbers are in the order of their lines */
	gs_status           status;
	char                message[1024];
	unsigned            warnings;
	uint64_t            warned;	/* a sum over them, since their order may differ, ... */
	uint64_t            sum;	/* ... and that of the numbers */
	char                first[1024];
};

/* ---- text ----------------------------------------------------------------- */

static void
make_line(struct fuzz *from, struct fuzz_bytes *text, char terminator)
{
	static const char *const odd[] = { "", " ", "+", "-", "--1", "1 2", "0x10", "1e3", "abc", "nan",
	                                   "1e999", "-0", "\r", "5\r\r", "\t7\t", "18446744073709551616" };
	const unsigned kind = (unsigned)fuzz_take(from, 1), digits = kind % 24;
	uint64_t state = kind < 192 ? fuzz_take(from, 2) : 0;

	if (kind >= 240) {
		fuzz_put(text, odd[kind - 240], strlen(odd[kind - 240]));
	} else if (kind >= 232) {	/* about as long as a line may be */
		const size_t length = 4095 - 4 + kind - 232;

		for (size_t b = 0; b < length; b++)
			fuzz_put(text, b + 9 < length ? "0" : "7", 1);
	} else {
		if (kind / 24 % 4 == 1)
			fuzz_put(text, "-", 1);
		if (kind >= 192)
			fuzz_put(text, "  ", kind % 3);
		for (unsigned d = 0; d < digits; d++)
			fuzz_put(text, &"0123456789"[fuzz_random(&state) % 10], 1);
		if (kind / 24 == 5)
			fuzz_put(text, "\r", 1);
	}
	fuzz_put(text, &terminator, 1);
}

static void
make_texts(struct fuzz *from, bool made, bool often)
{
	for (unsigned f = 0; f < FILES; f++)
		texts[f].bytes = 0;
	if (made) {
		while (from->bytes > 0 && texts[0].bytes < 64 << 10)
			make_line(from, &texts[0], options.zero_terminated ? '\0' : '\n');
	} else {
		const size_t first = fuzz_take(from, 1) * from->bytes / 255;

		fuzz_put(&texts[0], from->data, first);
		fuzz_put(&texts[1], from->data + first, from->bytes - first);
	}
	while (often && texts[0].bytes > 0 && texts[0].bytes < OFTEN_BYTES) {
		fuzz_put(&texts[0], "", 0);
		texts[0].data = realloc(texts[0].data, texts[0].room = 2 * texts[0].bytes + 1);
		memcpy(texts[0].data + texts[0].bytes, texts[0].data, texts[0].bytes);
		texts[0].bytes *= 2;
	}
}

/* ---- readers --------------------------------------------------------------- */

static void
warned(void *context, const char *line)
{
	struct said *said = context;
	uint64_t sum = 0;

	if (said->warnings++ == 0)
		snprintf(said->first, sizeof said->first, "%s", line);
	for (; *line != '\0'; line++)
		sum = sum * 1099511628211 + (uint8_t)*line;
	said->warned += sum;
}

static struct gs_text_options
text_options(struct said *said, struct gs_text_header *header)
{
	return (struct gs_text_options){
		.floats = options.type == GSORT_TEXT_FLOAT, .reverse = options.reverse,
		.merge_zeros = options.unique, .terminator = options.zero_terminated ? '\0' : '\n',
		.invalid = options.invalid, .header_lines = options.header_lines, .header = header,
		.warn = { warned, said }, .in_order = said->in_order,
	};
}

static void
add(struct fuzz_numbers *numbers, unsigned class, uint64_t key)
{
	if (numbers->count == numbers->room) {
		numbers->room = 2 * numbers->room + 64;
		numbers->at = realloc(numbers->at, numbers->room * sizeof *numbers->at);
		FUZZ_MUST(numbers->at != NULL);
	}
	if (options.type != GSORT_TEXT_FLOAT)
		numbers->at[numbers->count++].rank =
			(fuzz_rank)key - (fuzz_rank)gs_text_bias((enum gs_text_class)class);
	else		/* ordered bits */
		numbers->at[numbers->count++].rank =
			(fuzz_rank)key - ((fuzz_rank)1 << 63) + ((fuzz_rank)1 << 52) - 1;
}

/* How much comes at a time. */
static size_t
next_cut(uint64_t *cuts, size_t left)
{
	static const size_t most[] = { 1, 3, 40, 70, 600, 5000, CHUNK_BYTES, CHUNK_BYTES };
	const size_t bytes = 1 + (size_t)(fuzz_random(cuts) % most[*cuts >> 32 & 7]);
	const size_t piece = (*cuts >> 40 & 3) == 0 ? bytes : most[*cuts >> 32 & 7];

	return piece < left ? piece : left;
}

static void
fetch(struct gs_text_decoder *decoder, struct said *said)
{
	const struct gs_text_keys *first = &decoder->sections[0].keys;

	for (size_t k = 0; said->in_order && k < first->count[0]; k++) {
		const unsigned class = first->classes[k];
		const uint64_t key = ((const uint64_t *)first->keys[0])[k];

		add(&said->numbers, options.reverse ? GS_TEXT_CLASSES - 1u - class : class,
		    options.reverse ? ~key : key);
	}
	if (said->in_order)
		return;
	for (unsigned class = 0; class < GS_TEXT_CLASSES; class++) {
		const bool wide = gs_text_bits((enum gs_text_class)class) == 64;

		if (class == GS_SMALL || (options.type == GSORT_TEXT_FLOAT && class != GS_FLOATS))
			continue;
		for (unsigned s = 0; s < decoder->threads; s++) {
			const void *keys = decoder->sections[s].keys.keys[class];

			for (size_t k = 0; k < decoder->sections[s].keys.count[class]; k++) {
				const uint64_t key = wide ? ((const uint64_t *)keys)[k]
				                          : ((const uint32_t *)keys)[k];

				add(&said->numbers, class,
				    !options.reverse ? key : wide ? ~key : (uint32_t)~key);
			}
		}
	}
}

static void
fetch_small(struct gs_text_decoder *decoder, struct said *said)
{
	static uint64_t counts[GS_SMALL_COUNT];
	const uint64_t parts = gs_text_fetch_small(decoder, counts);

	for (unsigned part = 0; part < 64; part++)
		for (size_t v = part * GS_SMALL_PART;
		     (parts >> part & 1) && v < (part + 1) * GS_SMALL_PART; v++)
			for (; counts[v] > 0; counts[v]--)
				add(&said->numbers, GS_SMALL, v);
}

static void
decode(struct said *said, enum gs_simd simd, unsigned threads, uint64_t cuts)
{
	struct gs_text_header header = { .text = NULL };
	const struct gs_text_options text = text_options(said, &header);
	const size_t bytes = gs_text_decoder_bytes(CHUNK_BYTES, threads, &text);
	static char *memory;
	struct gs_text_decoder *decoder;

	if (memory == NULL)	/* of which few pages are touched */
		memory = mmap(NULL, 128 << 20, PROT_READ | PROT_WRITE,
		              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	FUZZ_MUST(memory != MAP_FAILED && bytes <= 128 << 20);
	madvise(memory, 128 << 20, MADV_DONTNEED);
	gs_simd_at_most(simd);
	decoder = gs_text_decoder_init(memory, CHUNK_BYTES, threads, &text);
	gs_simd_at_most(GS_SIMD_AVX512);
	for (unsigned f = 0; f < FILES && said->status == GS_OK; f++) {
		size_t at = 0;

		gs_text_begin_file(decoder, names[f]);
		do {
			const size_t now = next_cut(&cuts, texts[f].bytes - at);
			char *chunk = malloc(now);

			if (now > 0)
				memcpy(chunk, texts[f].data + at, now);
			at += now;
			said->status = gs_text_decode(decoder, chunk, now, at == texts[f].bytes);
			free(chunk);
			if (said->status == GS_OK)
				fetch(decoder, said);
		} while (said->status == GS_OK && at < texts[f].bytes);
	}
	if (!said->in_order)
		fetch_small(decoder, said);
	if (said->status == GS_OK) {
		gs_line_reject_end(&text, decoder->invalid);
		fuzz_put(&said->numbers.header, header.text, header.known);
		said->numbers.bad_lines = decoder->invalid;
		FUZZ_MUST(decoder->lines == said->numbers.count);
	}
	free(header.text);
}

/* ---- do they agree? ---------------------------------------------------------- */

static void
end(struct said *said)
{
	if (said->status != GS_OK)
		snprintf(said->message, sizeof said->message, "%s", gs_message());
	for (size_t k = 0; k < said->numbers.count; k++) {
		uint64_t state = (uint64_t)said->numbers.at[k].rank;

		said->sum += fuzz_random(&state) + (uint64_t)(said->numbers.at[k].rank >> 64);
	}
}

static void
compare(const struct said *one, const struct said *two)
{
	FUZZ_MUST(one->status == two->status && strcmp(one->message, two->message) == 0);
	FUZZ_MUST(one->warnings == two->warnings && one->warned == two->warned);
	if (one->status != GS_OK)
		return;
	FUZZ_MUST(one->numbers.count == two->numbers.count);
	FUZZ_MUST(one->numbers.bad_lines == two->numbers.bad_lines);
	FUZZ_MUST(one->sum == two->sum);
	FUZZ_MUST(one->numbers.header.bytes == two->numbers.header.bytes);
	FUZZ_MUST(memcmp(one->numbers.header.data, two->numbers.header.data,
	                 one->numbers.header.bytes) == 0);
}

/* The same with reference_model.c, which tells only the first bad line. */
static void
compare_simple(const struct said *said)
{
	struct said simple = { .status = GS_OK };
	struct fuzz_numbers *numbers = &simple.numbers;
	char place[40];

	for (unsigned f = 0; f < FILES; f++)
		fuzz_read(numbers, &options, f, texts[f].data, texts[f].bytes);
	end(&simple);
	snprintf(place, sizeof place, "%s:%llu: ", names[numbers->first_bad_input],
	         (unsigned long long)numbers->first_bad);
	if (numbers->other_header > 0 && (numbers->bad_lines == 0 || options.invalid != GSORT_INVALID_ABORT ||
	                                  numbers->first_bad_input >= numbers->other_header)) {
		FUZZ_MUST(said->status == GS_EINPUT && strstr(said->message, ": its header is ") != NULL);
	} else if (numbers->bad_lines > 0 && options.invalid == GSORT_INVALID_ABORT) {
		FUZZ_MUST(said->status == GS_EINPUT && strncmp(said->message, place, strlen(place)) == 0);
	} else {
		if (numbers->bad_lines > 0 && options.invalid != GSORT_INVALID_IGNORE &&
		    options.type == GSORT_TEXT)
			FUZZ_MUST(strncmp(said->first, place, strlen(place)) == 0);
		memcpy(simple.message, said->message, sizeof simple.message);
		simple.warnings = said->warnings;
		simple.warned = said->warned;
		fuzz_put(&numbers->header, "", 0);
		compare(said, &simple);
		for (size_t k = 0; said->in_order && said->status == GS_OK && k < numbers->count; k++)
			FUZZ_MUST(said->numbers.at[k].rank == numbers->at[k].rank);
	}
	fuzz_numbers_free(numbers);
}

void
fuzz_text(const uint8_t *data, size_t bytes)
{
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 1), more = (unsigned)fuzz_take(&from, 1);
	uint64_t cuts = fuzz_take(&from, 2);
	struct said first = { .status = GS_OK };

	options = (struct gsort_options){
		.type = flags & 1 ? GSORT_TEXT_FLOAT : GSORT_TEXT, .reverse = flags & 2,
		.zero_terminated = (flags & 12) == 4, .invalid = (enum gsort_invalid)(flags >> 4 & 3),
		.header_lines = (flags & 0xc0) == 0xc0 ? 1 + more % 3 : 0, .unique = more & 8,
	};
	make_texts(&from, more & 16, (more & 0xf8) == 0x70);
	decode(&first, GS_SIMD_NONE, 1, UINT64_C(7) << 32);
	end(&first);
	compare_simple(&first);
	for (unsigned reader = 0; reader < 6; reader++) {
		const enum gs_simd simd = reader % 3;
		struct said other = { .status = GS_OK, .in_order = reader >= 3 };

		if (simd > gs_simd_best())
			continue;
		decode(&other, simd, other.in_order ? 1 : 1 + (more + reader) % THREADS, fuzz_random(&cuts));
		end(&other);
		compare(&first, &other);
		if (other.in_order)
			compare_simple(&other);
		fuzz_numbers_free(&other.numbers);
	}
	fuzz_numbers_free(&first.numbers);
}
