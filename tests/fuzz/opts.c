// SPDX-License-Identifier: BSD-2-Clause
/* opts.c - any command line: read, or refused with a sentence; words are between NULs */
#include <getopt.h>

#include "cli/opts.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static char name[] = "gsort";
	enum { WORDS = 16 };
	char text[2048], *words[WORDS + 2] = { name };
	struct gs_opts opts;
	int count = 1;

	if (bytes >= sizeof text)
		return 0;
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	/* Names of files would be opened: whatever is there. */
	for (size_t at = 0; at + 5 <= bytes; at++)
		if (memcmp(text + at, "files", 5) == 0 || memcmp(text + at, "--fi", 4) == 0)
			return 0;
	for (char *word = text; word < text + bytes && count <= WORDS; word += strlen(word) + 1)
		words[count++] = word;
	optind = 0;
	memset(&opts, 0, sizeof opts);
	if (gs_opts_parse(&opts, count, words)) {
		if (opts.job.operation > GSORT_CHECK || opts.job.type > GSORT_TEXT_FLOAT)
			abort();
		if (opts.job.merge_files == 1 || opts.job.gpu_memory_percent > 100)
			abort();
	}
	return 0;
}
