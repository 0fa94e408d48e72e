// SPDX-License-Identifier: BSD-2-Clause
/* print.c - sizes, times and JSON as --plan and --version print them */
#include <string.h>

#include "job/print.h"
#include "tests/unit/units.h"

void unit_print(void);

static const struct {
	uint64_t    bytes;
	const char *text;
} sizes[] = {
	{ 0, "0 bytes" }, { 1, "1 bytes" }, { 1023, "1023 bytes" }, { 1024, "1.0 KiB" }, { 1536, "1.5 KiB" },
	{ (1 << 20) - (1 << 9), "1023.5 KiB" }, { 1 << 20, "1.0 MiB" }, { 1 << 30, "1.0 GiB" },
	{ UINT64_C(1) << 40, "1.0 TiB" }, { UINT64_C(5) << 49, "2.5 PiB" }, { UINT64_C(1) << 60, "1.0 EiB" },
	{ UINT64_MAX, "16.0 EiB" },
};

static const struct {
	double      seconds;
	const char *text;
} times[] = {
	{ 0, "0.1 s" }, { 0.04, "0.1 s" }, { 0.2, "0.2 s" }, { 9.94, "9.9 s" }, { 9.95, "10 s" },
	{ 119.4, "119 s" }, { 120, "2 min" }, { 7140, "119 min" }, { 7200, "2 h" }, { 36e4, "100 h" },
};

static char printed[400];

static void
keep(void *context, const char *line)
{
	CHECK(context == printed, "the context is the caller's");
	snprintf(printed, sizeof printed, "%s", line);
}

static void
check_json(void)
{
	struct gs_json json;

	gs_json_open(&json);
	gs_json_begin(&json, NULL, '{');
	gs_json_number(&json, "a", 0);
	gs_json_number(&json, "b", UINT64_MAX);
	gs_json_number(&json, "c", UINT64_MAX - 1);
	gs_json_begin(&json, "d", '[');
	gs_json_end(&json, ']');
	gs_json_begin(&json, "e", '[');
	gs_json_string(&json, NULL, NULL);
	gs_json_string(&json, NULL, "");
	gs_json_string(&json, NULL, "\1\037 !\"#[\\]}~\177\200\377");
	gs_json_begin(&json, NULL, '{');
	gs_json_bool(&json, "f", true);
	gs_json_end(&json, '}');
	gs_json_bool(&json, NULL, false);
	gs_json_end(&json, ']');
	gs_json_string(&json, "g", "h");
	gs_json_end(&json, '}');
	gs_json_print(&json, keep, printed);
	CHECK(strcmp(printed, "{\"a\":0,\"b\":null,\"c\":18446744073709551614,\"d\":[],\"e\":[null,\"\","
	             "\"\\u0001\\u001f !\\u0022#[\\u005c]}~\\u007f\\u0080\\u00ff\",{\"f\":true},false],"
	             "\"g\":\"h\"}") == 0, "%s", printed);
}

/* Without memory to begin with, JSON is null. */
static void
check_no_memory(void)
{
	struct gs_json json = { .stream = NULL };

	gs_json_begin(&json, NULL, '{');
	gs_json_string(&json, "a", "b");
	gs_json_end(&json, '}');
	gs_json_print(&json, keep, printed);
	CHECK(strcmp(printed, "null") == 0, "%s", printed);
}

void
unit_print(void)
{
	const struct gs_line_printer to = { keep, printed };
	char text[32];

	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
		CHECK(strcmp(gs_size_text(sizes[s].bytes, text), sizes[s].text) == 0, "%s is %s",
		      sizes[s].text, text);
	for (size_t t = 0; t < sizeof times / sizeof times[0]; t++)
		CHECK(strcmp(gs_time_text(times[t].seconds, text), times[t].text) == 0, "%s is %s",
		      times[t].text, text);
	gs_print_line(&to, "what", "%d %s", 7, "more");
	CHECK(strcmp(printed, "what     7 more") == 0, "%s", printed);
	check_json();
	check_no_memory();
}
