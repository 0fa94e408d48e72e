// SPDX-License-Identifier: BSD-2-Clause
/* option_special.c - options whose value is a type, a device, or one of words that mean several things */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "cli/report.h"

/* --- key types ------------------------------------------------------------- */

const char *
gs_spell_type(const struct gs_named_type *type, char into[24])
{
	snprintf(into, 24, "%s%s", gs_is_binary(type->type) ? "-" : "--type=", type->name);
	return into;
}

/* All keys are in one byte order.  False after a message. */
static bool
set_endian(struct gs_opts *opts, const struct gs_option_use *use, enum gsort_endian endian)
{
	if (endian == GSORT_ENDIAN_HOST)
		return true;
	if (opts->job.endian != GSORT_ENDIAN_HOST && endian != opts->job.endian)
		return gs_report_error("%s=%s is in another byte order than the option before it",
		                       use->spelled, use->value);
	opts->job.endian = endian;
	return true;
}

/* "<u4" says the byte order, too.  Text is in one notation, up to the LAST that is possible.  False after a
 * message. */
static bool
parse_type(struct gs_opts *opts, const struct gs_option_use *use, enum gsort_notation last,
           const char *also, struct gs_named_type *type)
{
	if (!gs_type_called(use->value, type) || type->notation > last)
		return gs_report_usage("invalid argument '%s' for %s: must be one of u8, u16, u32, u64, i8, "
		                       "i16, i32, i64, f16, bf16, f32, f64, %s; be behind a binary type is "
		                       "big endian%s", use->value, use->spelled, also,
		                       strcmp(use->value, "ipv6") == 0 ? "; gsort knows no IPv6 addresses; "
		                       "--lines sorts them as text" : "");
	if (type->notation == GSORT_DECIMAL)
		return set_endian(opts, use, type->endian);
	if (opts->job.notation != GSORT_DECIMAL && opts->job.notation != type->notation)
		return gs_report_error("%s=%s is in another notation than the option before it", use->spelled,
		                       use->value);
	opts->job.notation = type->notation;
	return true;
}

bool
gs_set_type(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct gs_named_type type;
	char one[24], other[24];

	if (strcmp(use->value, "npy") == 0)
		return gs_report_error("option '--type=npy' is not known: gsort --header=128 -f64 FILE sorts "
		                       "an array of f64 behind 128 bytes, and gsort.sort_file() in Python "
		                       "any");
	if (strcmp(use->value, "raw") == 0) {
		opts->job.format = GSORT_FORMAT_RAW;
		return true;
	}
	if (!parse_type(opts, use, GSORT_TIME, "u128, i128, int, float, hex, ipv4, time, raw", &type))
		return false;
	if (opts->type.name != NULL &&
	    (opts->type.type != type.type || opts->type.notation != type.notation))
		return gs_refuse_pair(gs_spell_type(&opts->type, one), gs_spell_type(&type, other), NULL);
	if (type.endian == GSORT_ENDIAN_HOST)
		type.endian = opts->type.endian;
	opts->type = type;
	opts->job.type = type.type;
	return true;
}

bool
gs_set_to(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct gs_named_type to;

	if (strcmp(use->value, "json") == 0)
		return opts->job.json = true;
	if (!parse_type(opts, use, GSORT_HEXADECIMAL, "text, hex, json", &to))
		return false;
	if (to.type == GSORT_TEXT_FLOAT)	/* as output, the same as text */
		to.type = GSORT_TEXT;
	if (opts->to.name != NULL && (opts->to.type != to.type || opts->to.notation != to.notation))
		return gs_refuse_two(use, opts->to.name);
	opts->to = to;
	opts->job.to = to.type;
	opts->job.converts = true;
	return true;
}

bool
gs_set_argsort(struct gs_opts *opts, const struct gs_option_use *use)
{
	struct gs_named_type type;
	const bool known = gs_type_ordered(use->value, &type);
	const unsigned bits = !known ? 0 : type.type == GSORT_U32 ? 32 : type.type == GSORT_U64 ? 64 : 0;

	if (bits == 0)
		return gs_report_usage("invalid argument '%s' for %s: must be u32 or u64", use->value,
		                       use->spelled);
	if (use->previous != NULL && opts->job.argsort_bits != bits)
		return gs_refuse_two(use, use->previous);
	opts->job.argsort_bits = bits;
	return set_endian(opts, use, type.endian);
}

bool
gs_parse_record_key(const char *value, struct gsort_key *key)
{
	const char *at = strchr(value, '@');
	struct gs_named_type type;
	char name[16];

	*key = (struct gsort_key){ .type = GSORT_TEXT };
	if (at == NULL || (size_t)(at - value) >= sizeof name)
		return false;
	memcpy(name, value, (size_t)(at - value));
	name[at - value] = '\0';
	if (strncmp(name, "bytes", 5) == 0) {
		const char *digits = name + 5;

		if (!gs_read_whole(&digits, &key->bytes) || *digits != '\0' || key->bytes == 0)
			return false;
	} else {
		if (!gs_type_ordered(name, &type) || !gs_is_binary(type.type))
			return false;
		key->type = type.type;
		key->endian = type.endian;
	}
	at++;
	if (!gs_read_whole(&at, &key->offset))
		return false;
	key->reverse = *at == 'r';
	return at[key->reverse] == '\0';
}

/* --- devices --------------------------------------------------------------- */

bool
gs_parse_device(const char *value, struct gsort_options *options)
{
	const char *at = value + 3;	/* behind "gpu": nothing, ":all" or a list of numbers */
	uint64_t index;

	if (strcmp(value, "auto") == 0 || strcmp(value, "cpu") == 0) {
		options->device = *value == 'a' ? GSORT_DEVICE_AUTO : GSORT_DEVICE_CPU;
		return true;
	}
	if (strncmp(value, "gpu", 3) != 0)
		return false;
	options->gpu_count = 0;
	options->gpus[0] = 0;
	if (strcmp(at, ":all") == 0) {
		options->gpu_count = GSORT_ALL_GPUS;
		at += strlen(at);
	} else if (*at == ':') {
		do {
			++at;
			if (!gs_read_whole(&at, &index) || index > INT_MAX ||
			    options->gpu_count == GSORT_GPUS_MOST)
				return false;
			for (unsigned g = 0; g < options->gpu_count; g++)
				if ((uint64_t)options->gpus[g] == index)
					return false;	/* twice */
			options->gpus[options->gpu_count++] = (int)index;
		} while (*at == ',');
	}
	if (*at != '\0')
		return false;
	options->device = GSORT_DEVICE_GPU;
	return true;
}

bool
gs_set_device(struct gs_opts *opts, const struct gs_option_use *use)
{
	if (!gs_parse_device(use->value, &opts->job))
		return gs_report_usage("invalid argument '%s' for --device: must be auto, cpu, gpu "
		                       "or gpu:N (N counts the GPUs from 0)", use->value);
	if (use->previous != NULL && strcmp(use->previous, use->value) != 0)
		return gs_refuse_two(use, use->previous);
	opts->device_name = use->value;
	return true;
}

/* --- words that mean several things ---------------------------------------- */

bool
gs_set_sort(struct gs_opts *opts, const struct gs_option_use *use)
{
	unsigned word;

	if (strcmp(use->value, "random") == 0)
		return gs_report_error("--sort=random is not supported; use shuf(1)");
	return gs_parse_word(use, use->value, &word) && (opts->letters[(int)"nghMV"[word]] = true);
}

const char *
gs_spell_check(enum gsort_check check)
{
	return check == GSORT_CHECK_FIRST ? "-c" : check == GSORT_CHECK_QUIET ? "-C"
	                                                                      : "--check=summary";
}

/* -c, -C, --check and --check=HOW. */
bool
gs_set_check(struct gs_opts *opts, const struct gs_option_use *use)
{
	static const enum gsort_check checks[] = {
		GSORT_CHECK_FIRST, GSORT_CHECK_QUIET, GSORT_CHECK_QUIET, GSORT_CHECK_SUMMARY,
	};
	unsigned word;

	/* sort(1) has no --check=summary, so there "s" is short for "silent" */
	if (!gs_parse_word(use, strcmp(use->value, "s") == 0 ? "silent" : use->value, &word))
		return false;
	if (opts->check && opts->job.check != checks[word])
		return gs_refuse_pair(gs_spell_check(opts->job.check), gs_spell_check(checks[word]), NULL);
	opts->check = true;
	opts->job.check = checks[word];
	return true;
}

/* A format, and whether a sandbox is wanted: both may be given. */
bool
gs_set_decompress(struct gs_opts *opts, const struct gs_option_use *use)
{
	unsigned word;

	if (!gs_parse_word(use, use->value, &word))
		return false;
	if (gs_find_word("no-sandbox", use->value) == 0)
		return opts->no_sandbox = true;
	if (opts->packed_text != NULL && opts->job.decompress != word)
		return gs_refuse_two(use, opts->packed_text);
	opts->job.decompress = (enum gsort_decompress)word;
	opts->packed_text = use->value;
	return true;
}

/* -v, --verbose, --verbose=json, --verbose=json:FILE */
bool
gs_set_verbose(struct gs_opts *opts, const struct gs_option_use *use)
{
	const char *value = use->value;
	const char *file = value != NULL && strncmp(value, "json:", 5) == 0 ? value + 5 : NULL;

	if (value == NULL) {
		opts->verbose++;
		return true;
	}
	if (opts->stats_text != NULL && strcmp(opts->stats_text, value) != 0)
		return gs_refuse_two(use, opts->stats_text);
	if (file == NULL && gs_find_word("json", value) < 0)
		return gs_report_usage("invalid argument '%s' for %s: must be json or json:FILE", value,
		                       use->spelled);
	if (file != NULL && *file == '\0')
		return gs_report_usage("invalid argument '%s' for %s: the name of the file is empty", value,
		                       use->spelled);
	opts->stats = GS_REPORT_JSON;
	opts->stats_text = value;
	opts->stats_file = file;
	return true;
}
