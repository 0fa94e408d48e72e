// SPDX-License-Identifier: BSD-2-Clause
/*
 * report.c - all messages and statistics
 *
 * One write for each message, so that lines of two processes on one terminal do not mix.
 * The progress bar is erased first.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/progress.h"
#include "cli/report.h"

enum { MESSAGE_BYTES = 8192, LINE_BYTES = 4 * MESSAGE_BYTES + 1 };

/* --- escaping -------------------------------------------------------------- */

/*
 * Characters that a terminal shows as a blank or as nothing, or that change the direction of
 * the text after them: Unicode's white space, Default_Ignorable_Code_Point and bidirectional
 * controls, without the joiners and variation selectors of visible characters.
 */
static const struct {
	uint32_t first, last;
} invisible[] = {
	{ 0x80, 0xa0 }, { 0xad, 0xad }, { 0x61c, 0x61c }, { 0x115f, 0x1160 },
	{ 0x1680, 0x1680 }, { 0x180e, 0x180e }, { 0x2000, 0x200b }, { 0x200e, 0x200f },
	{ 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x2800, 0x2800 }, { 0x3000, 0x3000 },
	{ 0x3164, 0x3164 }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
	{ 0xe0000, 0xe0fff },
	{ 0xd800, 0xdfff }, { 0x110000, UINT32_MAX },	/* not characters at all */
};

/* Bytes of the UTF-8 character at TEXT; 0: not a valid or not a visible one. */
static size_t
visible_bytes(const unsigned char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };	/* by bytes */
	const size_t bytes = text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 :
	                     text[0] < 0xf5 ? 4 : 0;
	uint32_t point = bytes == 0 ? 0 : text[0] & (0x7fu >> bytes);

	if (text[0] > 0x1f && text[0] < 0x7f)
		return 1;
	for (size_t b = 1; b < bytes; b++) {
		if ((text[b] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (text[b] & 0x3f);
	}
	for (size_t r = 0; r < sizeof invisible / sizeof invisible[0]; r++)
		if (point >= invisible[r].first && point <= invisible[r].last)
			return 0;
	return bytes == 0 || point < least[bytes] ? 0 : bytes;
}

/* Write invisible bytes as \t, \n, \r or \xHH: in a file name they could move the cursor.  NULs come as
 * \0 (gs_excerpt). */
static void
escape(const char *from, char *into, size_t room)
{
	const char *end = into + room - sizeof "\\xff";

	while (*from != '\0' && into <= end) {
		const size_t bytes = visible_bytes((const unsigned char *)from);

		if (bytes == 0) {
			const char *letter = memchr("\tt\nn\rr", *from, 6);

			into += letter != NULL ? sprintf(into, "\\%c", letter[1])
			                       : sprintf(into, "\\x%02x", (unsigned char)*from);
			from++;
		} else {
			memcpy(into, from, bytes);
			into += bytes;
			from += bytes;
		}
	}
	*into = '\0';
}

/* --- messages -------------------------------------------------------------- */

static struct {
	bool on, with_help;
	char message[MESSAGE_BYTES];
} held;

/* An escaped line: too large for a stack, or for each thread, which would clear it as it starts. */
static struct {
	pthread_mutex_t lock;
	char line[LINE_BYTES];
} shown = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
print_message(const char *before, const char *message, bool with_help)
{
	const char *line = shown.line;
	char self[256];

	escape(gs_program_name(), self, sizeof self);
	gs_progress_hold();
	pthread_mutex_lock(&shown.lock);
	escape(message, shown.line, sizeof shown.line);
	if (with_help)
		fprintf(stderr, "%s: %s%s\nTry '%s --help' for more information.\n", self, before, line,
		        self);
	else
		fprintf(stderr, "%s: %s%s\n", self, before, line);
	pthread_mutex_unlock(&shown.lock);
	gs_progress_release();
}

void
gs_report_hold(void)
{
	held.on = true;
}

void
gs_report_release(const char *before)
{
	held.on = false;
	if (before != NULL && held.message[0] != '\0')
		print_message(before, held.message, held.with_help);
}

bool
gs_report(bool with_help, const char *format, ...)
{
	char message[MESSAGE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	if (!held.on) {
		print_message("", message, with_help);
	} else {
		strcpy(held.message, message);
		held.with_help = with_help;
	}
	return false;
}

void
gs_report_note(void *context, const char *line)
{
	(void)context;
	gs_report_error("%s", line);
}

void
gs_report_warning(void *context, const char *line)
{
	(void)context;
	gs_report_error("warning: %s", line);
}

void
gs_report_line(void *context, const char *line)
{
	pthread_mutex_lock(&shown.lock);
	if (*line != '{') {		/* JSON has nothing to escape, and may be longer */
		escape(line, shown.line, sizeof shown.line);
		line = shown.line;
	}
	fprintf(context, "%s\n", line);
	pthread_mutex_unlock(&shown.lock);
}

/* --- statistics ------------------------------------------------------------ */

static const char *
type_name(const struct gs_opts *opts)
{
	return opts->job.record_bytes > 0 ? "record"
	       : opts->letters['g'] ? "text-float" : opts->type.name != NULL ? opts->type.name : "text";
}

static double
seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

void
gs_report_summary(const struct gs_opts *opts, const struct gsort_stats *stats)
{
	const double seconds = stats->seconds > 1e-6 ? stats->seconds : 1e-6;
	const struct gsort_stages *busy = &stats->busy;
	struct rusage used = { .ru_maxrss = 0 };
	const char *unit = opts->job.lines ? "lines" : "keys";
	const bool unique = opts->job.unique && !opts->job.repeated && !opts->job.singletons &&
	                    !opts->job.head;
	char fewer[64] = "", threads[160] = "", type[32] = "", disk[64] = "";

	(void)getrusage(RUSAGE_SELF, &used);
	if (opts->check)
		snprintf(fewer, sizeof fewer, ", %" PRIu64 " out of order", stats->breaks);
	else if (stats->keys_out != stats->keys)
		snprintf(fewer, sizeof fewer, ", %" PRIu64 " %s", stats->keys_out,
		         unique ? "different" : "written");
	/* lines and records are sorted while they are read and while they are written, so the time of
	 * threads says what took long */
	if (opts->job.lines || opts->job.record_bytes > 0)
		snprintf(threads, sizeof threads, "; of threads: read %.3f, decode %.3f, sort %.3f, "
		         "merge %.3f, spill %.3f, write %.3f, idle %.3f s", busy->read, busy->decode,
		         busy->sort, busy->merge, busy->spill, busy->encode + busy->write, busy->idle);
	if (!opts->job.lines)
		snprintf(type, sizeof type, " (%s)", type_name(opts));
	if (stats->spilled_bytes > 0)	/* of the inputs of a merge none is a batch that became a run */
		snprintf(disk, sizeof disk, "; %u %s, %.2f GB on disk",
		         stats->runs > 0 ? stats->runs : stats->merge_passes,
		         stats->runs > 0 ? "runs" : "merge passes", (double)stats->spilled_bytes / 1e9);
	gs_report_error("%" PRIu64 " %s%s%s in %.3f s: %.1f M%s/s, %.2f GB/s; read %.3f, sort %.3f, "
	                "write %.3f s%s; processor time %.3f s; device %s%s%s", stats->keys, unit, type,
	                fewer, stats->seconds, (double)stats->keys / seconds / 1e6, unit,
	                (double)stats->bytes_in / seconds / 1e9, stats->read_seconds,
	                stats->sort_seconds, stats->write_seconds, threads,
	                seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
	                stats->device != NULL ? stats->device : "cpu", disk,
	                stats->verified ? "; verified" : "");
	if (opts->verbose >= 2)
		gs_report_error("%u threads: read %.3f, decode %.3f, sort %.3f, merge %.3f, "
		                "spill %.3f, encode %.3f, write %.3f, idle %.3f s", stats->threads,
		                busy->read, busy->decode, busy->sort, busy->merge, busy->spill,
		                busy->encode, busy->write, busy->idle);
	if (opts->verbose >= 2 && stats->gpu_bytes > 0)
		gs_report_error("GPU: copy to it %.3f, sort %.3f, copy back %.3f s; %.1f MiB of "
		                "GPU memory", stats->h2d_seconds, stats->gpu_sort_seconds, stats->d2h_seconds,
		                (double)stats->gpu_bytes / (1 << 20));
}

static FILE *stats_to;	/* where --verbose=json goes */

bool
gs_report_open(const struct gs_opts *opts)
{
	const char *names = opts->files0_name, *also = NULL;
	const char *own[3] = { "/dev/stderr" };
	struct gsort_options beside = {		/* what the process has open beside the job */
		.struct_size = sizeof beside, .operation = GSORT_CHECK, .inputs = own, .input_count = 1,
	};

	if (names != NULL && (also = gsort_clash(&opts->job, names, false)) != NULL)
		return gs_report_error("%s would overwrite '%s', which names the inputs; name another file",
		                       also, names);
	if (names != NULL)
		own[beside.input_count++] = names;
	if (opts->check && opts->job.check == GSORT_CHECK_SUMMARY)	/* printed by gsort, not the job */
		own[beside.input_count++] = "/dev/stdout";
	if (opts->stats_file != NULL && (also = gsort_clash(&opts->job, opts->stats_file, true)) == NULL)
		also = gsort_clash(&beside, opts->stats_file, true);
	if (also != NULL)
		return gs_report_error("--verbose=json would overwrite '%s', which is input or output; name "
		                       "another file", also);
	stats_to = opts->stats_file == NULL ? stderr : fopen(opts->stats_file, "we");
	if (stats_to == NULL)
		gs_report_error("open failed: %s: %s", opts->stats_file, strerror(errno));
	return stats_to != NULL;
}

/* Print BEFORE, and TEXT as a JSON string. */
static void
print_text(const char *before, const char *text)
{
	fprintf(stats_to, "%s\"", before);
	for (; *text != '\0'; text++) {
		const unsigned char byte = (unsigned char)*text;

		if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\')
			fprintf(stats_to, "\\u%04x", byte);	/* as Latin 1 */
		else
			fputc(byte, stats_to);
	}
	fputc('"', stats_to);
}

static void
print_json(const struct gs_opts *opts, const struct gsort_stats *stats, int status)
{
	const struct {
		const char *name;
		uint64_t    value;
	} counts[] = {
		{ "records_out", stats->keys_out }, { "bytes_in", stats->bytes_in },
		{ "bytes_out", stats->bytes_out }, { "invalid_lines", stats->invalid_lines },
		{ "breaks", stats->breaks }, { "duplicates", stats->duplicates },
		{ "threads", stats->threads }, { "batches", stats->batches },
		{ "runs", stats->runs }, { "spilled_bytes", stats->spilled_bytes },
		{ "merge_passes", stats->merge_passes }, { "peak_vram", stats->gpu_bytes },
	};
	const struct {
		const char *name;
		double      seconds;
	} times[] = {
		{ "total_ms", stats->seconds }, { "read_ms", stats->read_seconds },
		{ "sort_ms", stats->sort_seconds }, { "write_ms", stats->write_seconds },
		{ "h2d_ms", stats->h2d_seconds }, { "gpu_ms", stats->gpu_sort_seconds },
		{ "d2h_ms", stats->d2h_seconds },
	};
	const struct gsort_stages *busy = &stats->busy;
	struct rusage used;
	const bool known = getrusage(RUSAGE_SELF, &used) == 0;

	fprintf(stats_to, "{\"records\":%" PRIu64, stats->keys);
	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
		fprintf(stats_to, ",\"%s\":%" PRIu64, counts[c].name, counts[c].value);
	/* the version and the names: a line in a log says what it is about */
	print_text(",\"version\":", gsort_version());
	fprintf(stats_to, ",\"inputs\":[");
	for (size_t i = 0; i < opts->job.input_count || i == 0; i++)
		print_text(i > 0 ? "," : "", opts->job.input_count > 0 ? opts->job.inputs[i] : "-");
	fprintf(stats_to, "]");
	if (opts->job.output != NULL)
		print_text(",\"output\":", opts->job.output);
	print_text(",\"type\":", type_name(opts));
	print_text(",\"device\":", stats->device != NULL ? stats->device : "cpu");
	print_text(",\"device_rule\":", stats->device_rule != NULL ? stats->device_rule : "");
	for (size_t t = 0; t < sizeof times / sizeof times[0]; t++)
		fprintf(stats_to, ",\"%s\":%.3f", times[t].name, times[t].seconds * 1e3);
	fprintf(stats_to, ",\"stages_ms\":{\"read\":%.3f,\"decode\":%.3f,\"h2d\":%.3f,"
	        "\"sort\":%.3f,\"merge\":%.3f,\"spill\":%.3f,\"d2h\":%.3f,\"encode\":%.3f,"
	        "\"write\":%.3f,\"idle\":%.3f}", busy->read * 1e3, busy->decode * 1e3,
	        stats->h2d_seconds * 1e3, (busy->sort + stats->gpu_sort_seconds) * 1e3,
	        busy->merge * 1e3, busy->spill * 1e3, stats->d2h_seconds * 1e3, busy->encode * 1e3,
	        busy->write * 1e3, busy->idle * 1e3);
	if (known)
		fprintf(stats_to, ",\"user_ms\":%.3f,\"system_ms\":%.3f,\"peak_rss\":%" PRIu64,
		        seconds_of(used.ru_utime) * 1e3, seconds_of(used.ru_stime) * 1e3,
		        (uint64_t)used.ru_maxrss << 10);
	fprintf(stats_to, ",\"verified\":%s,\"status\":%d}\n", stats->verified ? "true" : "false",
	        status);
}

/* One write, of standard error, too, which has no buffer. */
bool
gs_report_json(const struct gs_opts *opts, const struct gsort_stats *stats, int status)
{
	FILE *const to = stats_to;
	char *text = NULL;
	size_t bytes = 0;
	bool good = true;

	stats_to = open_memstream(&text, &bytes);
	if (stats_to == NULL)		/* no memory: a byte at a time */
		stats_to = to;
	gs_progress_hold();
	print_json(opts, stats, status);
	if (stats_to != to) {
		(void)fclose(stats_to);
		(void)!fwrite(text, 1, bytes, to);	/* ferror() below asks for errors */
		stats_to = to;
	}
	gs_progress_release();
	free(text);
	if (to != stderr) {
		good = ferror(to) == 0;
		good = fclose(to) == 0 && good;
		stats_to = stderr;
	}
	if (!good)		/* the file is not complete */
		gs_report_error("write failed: %s: %s", opts->stats_file, strerror(errno));
	return good;
}
