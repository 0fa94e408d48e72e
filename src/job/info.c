// SPDX-License-Identifier: BSD-2-Clause
/*
 * info.c - describe the machine and this build: gsort --version -vv
 *
 * A machine without a GPU, or a build without the GPU module, is not an error.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "base/limits.h"
#include "base/simd.h"
#include "base/static_codecs.h"
#include "gpu/guard.h"
#include "io/inflate.h"
#include "job/print.h"
#include "options/options.h"
#include "spill/compress.h"

/* The caller's, or none; with a folder for temporary files, *DIR unless they name others. */
static void
take_options(struct gsort_options *own, const struct gsort_options *options, const char **dir)
{
	if (gs_options_copy(own, options) != GS_OK)
		*own = (struct gsort_options){ .temp_dir_count = 0 };
	gs_options_name_dir(own, dir);
}

/* --- the public interface ----------------------------------------------------- */

void
gsort_info(const struct gsort_options *options, void (*print)(void *context, const char *line),
           void *context)
{
	const struct gs_line_printer to = { print, context };
	const struct gs_gpu_module *module;
	struct gsort_options own;
	struct gs_limits limits;
	const char *dir;
	char size[32], room[32];

	if (print == NULL)
		return;
	take_options(&own, options, &dir);
	gs_limits_read(&limits, false);
	gs_print_line(&to, "gsort", "%s", PACKAGE_VERSION);
	gs_print_line(&to, "cpu", "%u thread%s, %s", limits.cores, limits.cores == 1 ? "" : "s",
	            gs_simd_name(gs_simd_best()));
	if (gs_gpu_module_load(&module) == GS_OK)
		module->survey(print, context);
	else
		gs_print_line(&to, "gpu", "none: %s", gs_message());
	gs_print_line(&to, "memory", "%s", gs_size_text(limits.ram_bytes, size));
	if (limits.room_bytes < limits.ram_bytes)
		gs_print_line(&to, "limit", "control groups and resource limits leave %s",
		              gs_size_text(limits.room_bytes, room));
	gs_print_line(&to, "-S", "%s unless -S is given", gs_size_text(limits.host_bytes, size));
	for (size_t d = 0; d < own.temp_dir_count; d++) {
		const char *name = own.temp_dirs[d];

		if (access(name, W_OK | X_OK) != 0)
			gs_print_line(&to, "temp", "%s: cannot be written to", name);
		else
			gs_print_line(&to, "temp", "%s: %s free, %s", name,
			              gs_size_text(gs_limits_disk_bytes(name), size),
			              gs_filesystem_name(name));
	}
}

/* The lines of a survey: lines about GPUs become a list, the rest stands beside it. */
struct survey {
	struct gs_json *json;
	char driver[64], none[GS_MESSAGE_BYTES];
};

static void
add_line(void *context, const char *line)
{
	struct survey *survey = context;
	const char *text = line + strcspn(line, " ");

	text += strspn(text, " ");
	if (strncmp(line, "gpu:", 4) == 0)
		gs_json_string(survey->json, NULL, line);
	else if (strncmp(line, "driver ", 7) == 0)
		snprintf(survey->driver, sizeof survey->driver, "%s", text);
	else
		snprintf(survey->none, sizeof survey->none, "%s",
		         text + (strncmp(text, "none: ", 6) == 0 ? 6 : 0));
}

static void
add_info(struct gs_json *json, const struct gsort_options *options)
{
	struct survey survey = { .json = json };
	const struct gs_gpu_module *module;
	struct gs_limits limits;

	gs_limits_read(&limits, false);
	gs_json_begin(json, NULL, '{');
	gs_json_string(json, "version", PACKAGE_VERSION);
	gs_json_number(json, "threads", limits.cores);
	gs_json_string(json, "simd", gs_simd_name(gs_simd_best()));
	gs_json_begin(json, "gpus", '[');
	if (gs_gpu_module_load(&module) == GS_OK)
		module->survey(add_line, &survey);
	else		/* why there are none */
		snprintf(survey.none, sizeof survey.none, "%s", gs_message());
	gs_json_end(json, ']');
	gs_json_string(json, "gpu_driver", survey.driver[0] != '\0' ? survey.driver : NULL);
	gs_json_string(json, "no_gpu", survey.none[0] != '\0' ? survey.none : NULL);
	gs_json_number(json, "ram_bytes", limits.ram_bytes);
	gs_json_number(json, "room_bytes", limits.room_bytes);
	gs_json_number(json, "memory_bytes", limits.host_bytes);
	gs_json_begin(json, "temporary_directories", '[');
	for (size_t d = 0; d < options->temp_dir_count; d++) {
		const char *dir = options->temp_dirs[d];

		gs_json_begin(json, NULL, '{');
		gs_json_string(json, "name", dir);
		gs_json_bool(json, "writable", access(dir, W_OK | X_OK) == 0);
		gs_json_number(json, "free_bytes", gs_limits_disk_bytes(dir));
		gs_json_string(json, "file_system", gs_filesystem_name(dir));
		gs_json_end(json, '}');
	}
	gs_json_end(json, ']');
	gs_json_end(json, '}');
}

void
gsort_info_json(const struct gsort_options *options,
                void (*print)(void *context, const char *line), void *context)
{
	struct gsort_options own;
	struct gs_json json;
	const char *dir;

	if (print == NULL)
		return;
	take_options(&own, options, &dir);
	gs_json_open(&json);
	add_info(&json, &own);
	gs_json_print(&json, print, context);
}

const char *
gsort_version(void)
{
	return PACKAGE_VERSION;
}

void
gsort_build(void (*print)(void *context, const char *line), void *context)
{
	const struct gs_gpu_module *module;
	char libraries[128], gpu[GS_MESSAGE_BYTES], line[GS_MESSAGE_BYTES + 64];

	if (print == NULL)
		return;
	snprintf(line, sizeof line, "SIMD: %s", gs_simd_name(gs_simd_best()));
	print(context, line);
	if (gs_gpu_module_load(&module) == GS_OK)
		module->build(gpu, sizeof gpu);
	else
		snprintf(gpu, sizeof gpu, "none (%s)", gs_message());
	snprintf(line, sizeof line, "GPU module: %s", gpu);
	print(context, line);
	snprintf(line, sizeof line, "Libraries: %s, liblz4 %s (%s)",
	         gs_inflate_libraries(libraries, sizeof libraries), gs_pack_lz4_version(),
	         &gs_static_codecs != NULL ? "linked in" : "loaded when they are needed");
	print(context, line);
}
