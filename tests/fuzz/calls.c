// SPDX-License-Identifier: BSD-2-Clause
/*
 * calls.c - calls of gsort.h that a program may make, however wrong
 *
 * Structs hold any numbers, pointers are NULL or point to as many elements as their counts say, calls
 * come in any order and from two threads at once, and callbacks fail.  Each call must return a result
 * or a described error; the other targets check results.
 *
 * Two rules are kept, because only a caller can know them: gsort_close() is the last call for a job, and
 * its callbacks give and take bytes to the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "gsort.h"

enum { MOST_NAMES = 3, MOST_KEYS = 3, MOST_CALLS = 6, INPUT_BYTES = 3000 };

/* ---- numbers --------------------------------------------------------------- */

/* Members that are not pointers, without SANDBOX, which cannot be undone. */
static const struct {
	size_t offset, bytes;
} numbers[] = {
#define NUMBER(member)	{ offsetof(struct gsort_options, member), sizeof ((struct gsort_options *)0)->member }
	NUMBER(operation), NUMBER(set), NUMBER(type), NUMBER(type), NUMBER(notation), NUMBER(reverse),
	NUMBER(force), NUMBER(unique), NUMBER(counts), NUMBER(repeated), NUMBER(singletons), NUMBER(head),
	NUMBER(head_count), NUMBER(tail.wanted), NUMBER(tail.count), NUMBER(sample.wanted),
	NUMBER(sample.count), NUMBER(seed), NUMBER(summary), NUMBER(top.wanted), NUMBER(top.count),
	NUMBER(histogram), NUMBER(bar_columns), NUMBER(json), NUMBER(verify), NUMBER(check),
	NUMBER(trust_order), NUMBER(decompress), NUMBER(endian), NUMBER(invalid), NUMBER(zero_terminated),
	NUMBER(header_lines), NUMBER(skip_bytes), NUMBER(size_hint), NUMBER(in_place), NUMBER(split),
	NUMBER(converts), NUMBER(to), NUMBER(device), NUMBER(gpus), NUMBER(gpu_count),
	NUMBER(gpu_memory_bytes), NUMBER(gpu_memory_percent), NUMBER(threads), NUMBER(memory_bytes),
	NUMBER(memory_percent), NUMBER(merge_files), NUMBER(explained), NUMBER(record_bytes),
	NUMBER(record_bytes), NUMBER(format), NUMBER(argsort_bits), NUMBER(lines), NUMBER(lines),
	NUMBER(csv), NUMBER(stable), NUMBER(underline), NUMBER(was_plan_ranks), NUMBER(struct_size),
};

/* Values that are wrong by themselves are rare, so that most calls get further. */
static bool
rarely(struct fuzz *from)
{
	return fuzz_take(from, 1) > 247;
}

/* Mostly one that means something. */
static uint64_t
number(struct fuzz *from)
{
	const unsigned kind = (unsigned)fuzz_take(from, 1);

	if (kind < 200)
		return kind < 100 ? 1 : kind < 160 ? kind % 4 : kind % 17;
	if (kind < 220)
		return UINT64_MAX << kind % 3 >> kind % 5 * 8;
	return kind < 240 ? UINT64_C(1) << kind % 64 : fuzz_take(from, 8);
}

static void
put_number(void *member, size_t bytes, uint64_t value)
{
	memcpy(member, &value, bytes < sizeof value ? bytes : sizeof value);
}

/* A flag that may have any byte in it. */
static unsigned
is_set(const bool *flag)
{
	unsigned char byte;

	memcpy(&byte, flag, 1);
	return byte != 0;
}

/* One of them, which may be NULL. */
#define ONE_OF(from, ...) \
	((const char *const[]){ __VA_ARGS__ }[fuzz_pick(from, sizeof (const char *const[]){ __VA_ARGS__ } / \
	                                              sizeof (char *))])

/* ---- a job ------------------------------------------------------------------- */

struct calls {
	struct gsort_options options;
	const char          *inputs[MOST_NAMES], *temp_dirs[MOST_NAMES], *keydefs[MOST_NAMES];
	struct gsort_key     keys[MOST_KEYS];
	char                 names[2][32], output[32];	/* of files in memory */
	int                  fds[3];
	char                 data[INPUT_BYTES];
	size_t               left;		/* of them, for the callback */
	unsigned             fails_at;		/* which call of a callback; 0: none */
	atomic_uint          called;
	int                  result;		/* of a callback that fails */
	gsort               *_Atomic job;
};

static bool
fails(struct calls *calls)
{
	errno = (int)(calls->fails_at % 2) * EIO;
	return atomic_fetch_add(&calls->called, 1) + 1 == calls->fails_at;
}

static ptrdiff_t
give(void *context, void *into, size_t bytes)
{
	struct calls *calls = context;
	const size_t now = calls->left < bytes ? calls->left : bytes;

	if (fails(calls))
		return calls->result == 1 ? (ptrdiff_t)bytes + 1 : calls->result;	/* more than asked */
	memcpy(into, calls->data + sizeof calls->data - calls->left, now);
	calls->left -= now;
	return (ptrdiff_t)now;
}

static int
take(void *context, const void *data, size_t bytes)
{
	(void)data, (void)bytes;
	return fails(context) ? ((struct calls *)context)->result : 0;
}

/* Callbacks that ask for progress, or end their job. */
static void
told(void *context, const char *line)
{
	struct calls *calls = context;
	struct gsort_progress progress;

	FUZZ_MUST(line != NULL);
	gsort_progress(calls->job, &progress);
	if (fails(calls))
		gsort_interrupt(calls->job);
}

static void
begins(void *context, enum gsort_phase phase)
{
	struct calls *calls = context;

	told(calls, phase <= GSORT_DONE ? "" : NULL);
	if (calls->result == 1)
		FUZZ_MUST(gsort_run(calls->job) == GSORT_ERROR);	/* it runs */
}

static void
make_file(int *fd, char name[32], const char *data, size_t bytes)
{
	*fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_MUST(*fd >= 0 && write(*fd, data, bytes) == (ssize_t)bytes);
	sprintf(name, "/proc/self/fd/%d", *fd);
}

/* Text, mostly, or an array of numpy, or anything. */
static void
make_data(struct calls *calls, struct fuzz *from)
{
	static const char npy[] = "\x93NUMPY\1\0\x76\0"
	                          "{'descr': '<i4', 'fortran_order': False, 'shape': (718,), }";
	const unsigned kind = fuzz_pick(from, 4);
	uint64_t state = fuzz_take(from, 4);

	for (size_t at = 0; at < sizeof calls->data; at++)
		calls->data[at] = kind == 0 ? (char)fuzz_random(&state)
		                  : at % 4 == 3 ? '\n' : (char)('0' + fuzz_random(&state) % 10);
	if (kind == 1) {
		memset(calls->data, ' ', 128);
		memcpy(calls->data, npy, sizeof npy - 1);
		calls->data[127] = '\n';
	}
	calls->left = sizeof calls->data;
	make_file(&calls->fds[0], calls->names[0], calls->data, sizeof calls->data);
	make_file(&calls->fds[1], calls->names[1], calls->data, fuzz_pick(from, 200));
	make_file(&calls->fds[2], calls->output, "", 0);
}

/* Lists are as long as their counts say, or NULL; names in them may be NULL. */
static void
make_lists(struct calls *calls, struct fuzz *from)
{
	struct gsort_options *o = &calls->options;

	for (unsigned i = 0; i < MOST_NAMES; i++) {
		calls->inputs[i] = rarely(from) ? ONE_OF(from, "", "/no/file", "/", NULL)
		                   : ONE_OF(from, calls->names[0], calls->names[1], calls->names[0], "-");
		calls->temp_dirs[i] = rarely(from) ? ONE_OF(from, "/no/folder", "", NULL) : "/tmp";
		calls->keydefs[i] = rarely(from) ? ONE_OF(from, "0", "", "99999999999999999999", "x", NULL)
		                    : ONE_OF(from, "1,1n", "2", "1.2,1.3r", "1V", "1,1M");
	}
	for (unsigned k = 0; k < MOST_KEYS; k++) {
		struct gsort_key *key = &calls->keys[k];

		key->type = (enum gsort_type)fuzz_pick(from, GSORT_I128 + 1);
		key->bytes = number(from);
		key->offset = fuzz_pick(from, 8) == 7 ? number(from) : 0;
		key->name = ONE_OF(from, NULL, NULL, "a", "");
		if (rarely(from))
			put_number((char *)key + fuzz_pick(from, offsetof(struct gsort_key, name)), 1,
			           fuzz_take(from, 1));
		key->reserved[0] = rarely(from);
	}
	o->inputs = rarely(from) ? NULL : calls->inputs;
	o->input_count = o->inputs == NULL ? number(from) : fuzz_pick(from, MOST_NAMES + 1);
	o->temp_dirs = rarely(from) ? NULL : calls->temp_dirs;
	o->temp_dir_count = o->temp_dirs == NULL ? number(from) : fuzz_pick(from, 8) / 4;
	o->keydefs = rarely(from) ? NULL : calls->keydefs;
	o->keydef_count = o->keydefs == NULL ? number(from)
	                  : is_set(&o->lines) * fuzz_pick(from, MOST_NAMES + 1);
	o->keys = rarely(from) ? NULL : calls->keys;
	o->key_count = o->keys == NULL ? number(from)
	               : fuzz_pick(from, MOST_KEYS + 1) * (o->record_bytes > 0);
}

static void
make_options(struct calls *calls, struct fuzz *from)
{
	struct gsort_options *o = &calls->options;
	const unsigned ways = fuzz_pick(from, 64);

	o->struct_size = sizeof *o;
	for (unsigned n = fuzz_pick(from, 8); n > 0; n--) {
		const size_t at = fuzz_pick(from, sizeof numbers / sizeof numbers[0]);

		put_number((char *)o + numbers[at].offset, numbers[at].bytes,
		           numbers[at].bytes > 1 || rarely(from) ? number(from) : 1);
	}
	if (!rarely(from))
		o->struct_size = sizeof *o;
	o->struct_size = o->struct_size <= sizeof *o ? o->struct_size : sizeof *o;
	make_lists(calls, from);
	o->quantiles = ONE_OF(from, NULL, NULL, NULL, NULL, "0.5", "0.1,0.9", "2");
	o->compress_program = ONE_OF(from, NULL, NULL, NULL, NULL, "lz4", "zstd", "", "gzip");
	o->ordering = ONE_OF(from, NULL, NULL, NULL, NULL, "n", "Mbg", "r", "?");
	o->separator = ONE_OF(from, NULL, NULL, NULL, NULL, ",", "", "\\0", "ab");
	o->read = (ways & 3) > 1 || rarely(from) ? give : NULL;
	if (o->read != NULL && !rarely(from))
		o->input_count = 0;
	o->write = (ways & 12) > 4 || rarely(from) ? take : NULL;
	o->output = rarely(from) || (o->write == NULL && o->operation != GSORT_CHECK)
	            ? calls->output : NULL;
	o->note = o->warn = told;
	o->begins = ways & 16 ? begins : NULL;
	o->read_context = o->write_context = o->note_context = o->warn_context = o->begins_context = calls;
	calls->fails_at = fuzz_pick(from, 32) > 15 ? 0 : fuzz_pick(from, 16);
	calls->result = (int[]){ -1, 1, INT_MIN, 2 }[fuzz_pick(from, 4)];
}

/* ---- calls, by two threads ----------------------------------------------------- */

/* What every call leaves. */
static gsort_status
said(gsort_status status)
{
	FUZZ_MUST(status == GSORT_OK || status == GSORT_DISORDER || status == GSORT_ERROR);
	if (status == GSORT_ERROR)
		FUZZ_MUST(gsort_last_error() != GSORT_ERROR_NONE &&
		          gsort_last_error() <= GSORT_ERROR_INTERRUPTED &&
		          gsort_message()[0] != '\0');
	return status;
}

static void
printed(void *context, const char *line)
{
	(void)context;
	FUZZ_MUST(line != NULL && strchr(line, '\n') == NULL);
}

static void
make_call(struct calls *calls, struct fuzz *from)
{
	gsort *job = fuzz_pick(from, 16) == 15 ? NULL : calls->job;
	void (*print)(void *, const char *) = fuzz_pick(from, 8) == 7 ? NULL : printed;
	struct gsort_progress progress;
	struct gsort_conflict conflict;
	enum gsort_type type;

	switch (fuzz_pick(from, 10)) {
	case 0: case 1: case 2: said(gsort_run(job)); break;
	case 3: gsort_progress(job, fuzz_pick(from, 8) == 7 ? NULL : &progress); break;
	case 4: FUZZ_MUST(gsort_stats(job)->struct_size == sizeof(struct gsort_stats)); break;
	case 5: gsort_plan(job, print, NULL); break;
	case 6: gsort_plan_json(job, print, NULL); break;
	case 7: gsort_interrupt(job); break;
	case 8: (void)gsort_conflict(&calls->options, fuzz_pick(from, 8) == 7 ? NULL : &conflict); break;
	case 9: (void)gsort_type_named(ONE_OF(from, NULL, "", "u8"), rarely(from) ? NULL : &type); break;
	}
}

struct caller { struct calls *calls; struct fuzz from; };

static void *
make_calls(void *context)
{
	struct caller *caller = context;

	for (unsigned n = fuzz_pick(&caller->from, MOST_CALLS); n > 0; n--)
		make_call(caller->calls, &caller->from);
	return NULL;
}

/* One thread makes calls beside another. */
static void
run(struct calls *calls, struct fuzz *from)
{
	struct caller any = { calls, *from };
	pthread_t thread;

	FUZZ_MUST(pthread_create(&thread, NULL, make_calls, &any) == 0);
	make_call(calls, from);
	pthread_join(thread, NULL);
	make_call(calls, from);
}

static void
fuzz_job_calls(struct fuzz *from)
{
	struct calls *calls = calloc(1, sizeof *calls);
	gsort *job = (gsort *)calls;

	FUZZ_MUST(calls != NULL);
	make_data(calls, from);
	make_options(calls, from);
	said(gsort_open(&job, rarely(from) ? NULL : &calls->options));
	FUZZ_MUST(job != (gsort *)calls);
	calls->job = job;
	if (job != NULL)
		run(calls, from);
	else
		make_call(calls, from);
	calls->job = NULL;
	gsort_close(job);
	for (unsigned f = 0; f < 3; f++)
		close(calls->fds[f]);
	free(calls);
}

/* ---- arrays -------------------------------------------------------------------- */

/* Memory for COUNT elements of 8 bytes, or NULL; the pointer may be off by a few bytes. */
struct memory { char *base, *at; };

static struct memory
make_memory(struct fuzz *from, size_t count, uint64_t *state)
{
	const unsigned off = fuzz_pick(from, 16);
	struct memory memory = { malloc(8 * count + 8), NULL };
	uint64_t bits;

	FUZZ_MUST(memory.base != NULL);
	for (size_t k = 0; k < count; k++) {
		bits = fuzz_random(state) >> (off * 4);
		memcpy(memory.base + 8 * k, &bits, 8);
	}
	if (off < 15)
		memory.at = memory.base + (off < 10 ? 0 : off - 10);
	return memory;
}

static void
fuzz_array_calls(struct fuzz *from)
{
	const size_t most = fuzz_pick(from, 8) == 7 ? 70000 : 600;
	size_t count = (size_t)fuzz_take(from, 3) % most;
	uint64_t state = fuzz_take(from, 2);
	struct memory memory[3] = { make_memory(from, most, &state), make_memory(from, most, &state),
	                            make_memory(from, 2 * most, &state) };
	struct gsort_array_options options = { .struct_size = sizeof options }, *given = &options;
	const enum gsort_type type = (enum gsort_type)(rarely(from) ? number(from) : fuzz_pick(from, 13));
	const enum gsort_type other = (enum gsort_type)(fuzz_pick(from, 8) == 7 ? number(from)
	                                                : fuzz_pick(from, 2) ? GSORT_U32 : GSORT_U64);
	char *keys = memory[0].at, *with = fuzz_pick(from, 8) == 7 ? keys : memory[1].at;
	const void *arrays[2] = { keys, with };
	size_t counts[2] = { count, count / 2 };
	size_t scratch;

	put_number(&options.reverse, 1, fuzz_pick(from, 9) % 3);
	put_number(&options.trust_order, 1, fuzz_pick(from, 9) % 3);
	options.threads = (unsigned)number(from);
	if (fuzz_pick(from, 4) == 3) {
		options.scratch = fuzz_pick(from, 4) == 3 ? keys : memory[2].at;
		options.scratch_bytes = (size_t)fuzz_take(from, 3) % (8 * most);
	}
	if (fuzz_pick(from, 16) == 15)
		options.struct_size = (size_t)fuzz_take(from, 1) % (sizeof options + 1);
	if (fuzz_pick(from, 8) == 7)
		given = NULL;
	if (keys == NULL || with == NULL)	/* any count belongs to NULL */
		count = counts[0] = counts[1] = fuzz_pick(from, 2) ? (size_t)number(from) : 0;
	if (count > most)	/* then one of the two must not be read */
		keys = with = NULL, arrays[0] = arrays[1] = NULL;
	switch (fuzz_pick(from, 6)) {
	case 0:
		if (said(gsort_sort(keys, count, type, given)) == GSORT_OK)
			FUZZ_MUST(gsort_is_sorted(keys, count, type, given) == GSORT_OK);
		break;
	case 1: said(gsort_argsort(keys, count, type, with, other, given)); break;
	case 2: said(gsort_sort_pairs(keys, with, rarely(from) ? (size_t)number(from)
	                              : other == GSORT_U32 ? 4 : 8, count, type, given)); break;
	case 3: said(gsort_is_sorted(keys, count, type, given)); break;
	case 4: said(gsort_merge_arrays(fuzz_pick(from, 8) == 7 ? keys : memory[2].at,
	                                fuzz_pick(from, 16) == 15 ? NULL : arrays,
	                                fuzz_pick(from, 16) == 15 ? NULL : counts, fuzz_pick(from, 3), type,
	                                given)); break;
	case 5:
		scratch = gsort_scratch_bytes(count, type, given);
		FUZZ_MUST(scratch == 0 || count > 0);
		break;
	}
	for (unsigned m = 0; m < 3; m++)
		free(memory[m].base);
}

void
fuzz_calls(const uint8_t *data, size_t bytes)
{
	struct fuzz from = { data, bytes };

	if (fuzz_pick(&from, 4) == 3)
		fuzz_array_calls(&from);
	else
		fuzz_job_calls(&from);
}
