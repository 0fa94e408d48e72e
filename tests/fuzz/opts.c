// SPDX-License-Identifier: BSD-2-Clause
/*
 * opts.c - any command line: accepted, or refused with a message
 *
 * NULs separate words.  Before them are a byte that chooses GSORT_DEVICE and the length of a list of
 * names, and that list, which --files0-from=- reads.  No other file is opened, because words with
 * slashes are left out.
 */
#include <getopt.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/opts.h"
#include "fuzz.h"
#include "options/options.h"

enum { WORDS = 24, TEXT_BYTES = 2048 };

static const char *const devices[] = {
	NULL, "", "auto", "cpu", "gpu", "gpu:1", "gpu:0,1", "gpu:all", "gpu:x", "tpu",
};

/* The list of names is standard input: --files0-from=-. */
static void
make_list(struct fuzz *from, size_t bytes)
{
	const size_t now = bytes < from->bytes ? bytes : from->bytes;
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_MUST(fd >= 0 && write(fd, from->data, now) == (ssize_t)now);
	FUZZ_MUST(lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	close(fd);
	clearerr(stdin);
	(void)fseek(stdin, 0, SEEK_SET);	/* forgets what was read ahead */
	from->data += now;
	from->bytes -= now;
}

static void
check(const struct gs_opts *opts)
{
	FUZZ_MUST(opts->job.operation <= GSORT_CHECK && opts->job.type <= GSORT_I128);
	FUZZ_MUST(opts->job.merge_files != 1 && opts->job.gpu_memory_percent <= 100);
	FUZZ_MUST(opts->job.memory_percent == 0 || opts->job.memory_bytes == 0);
	FUZZ_MUST(opts->job.to <= GSORT_I128 && opts->job.endian <= GSORT_ENDIAN_BIG);
	FUZZ_MUST(opts->job.decompress <= GSORT_DECOMPRESS_LZ4);
	FUZZ_MUST(opts->job.invalid <= GSORT_INVALID_IGNORE);
	FUZZ_MUST(opts->job.gpu_count == GSORT_ALL_GPUS || opts->job.gpu_count <= GSORT_GPUS_MOST);
	for (unsigned g = 0; g < opts->job.gpu_count && g < GSORT_GPUS_MOST; g++)
		FUZZ_MUST(opts->job.gpus[g] >= 0);
	for (size_t i = 0; i < opts->job.input_count; i++)
		FUZZ_MUST(opts->job.inputs[i][0] != '\0' || opts->help || opts->version);
	if (gs_options_check(&opts->job) != GS_OK)
		FUZZ_MUST(*gs_message() != '\0');
}

void
fuzz_opts(const uint8_t *data, size_t bytes)
{
	static char name[] = "gsort";
	struct fuzz from = { data, bytes };
	const unsigned flags = (unsigned)fuzz_take(&from, 1);
	char text[TEXT_BYTES + 1], *words[WORDS + 2] = { name };
	struct gs_opts opts;
	int count = 1;

	if (from.bytes > TEXT_BYTES)
		return;
	make_list(&from, flags / 8 * 3);
	if (devices[flags % 8] != NULL)
		setenv("GSORT_DEVICE", devices[flags % 8], 1);
	else
		unsetenv("GSORT_DEVICE");
	memcpy(text, from.data, from.bytes);
	text[from.bytes] = '\0';
	for (char *word = text; word < text + from.bytes && count <= WORDS; word += strlen(word) + 1)
		if (strchr(word, '/') == NULL)
			words[count++] = word;
	optind = 0;
	if (gs_args_parse(&opts, count, words, false))
		check(&opts);
}
