// SPDX-License-Identifier: BSD-2-Clause
/*
 * npy.c - inputs that are .npy files become records, or keys behind a header
 *
 * In:   options, and the headers of the inputs.
 * Out:  options for records (record_bytes, keys); or, where the header of one file stays right, for
 *       keys of a binary type with skip_bytes, which is faster.
 *
 * A pipe is read up to the end of its header; the rest is the job's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/key.h"
#include "format/npy.h"
#include "job/job.h"
#include "job/options.h"
#include "stages/figures/answer.h"
#include "stages/select.h"

/* ---- one file ----------------------------------------------------------------------- */

/* An input that is open for its header. */
struct file {
	const char *name;
	int         fd;
	bool        regular;
	uint64_t    start, bytes;	/* where it begins; behind that */
};

static gs_status
open_file(struct file *file, const char *name)
{
	struct stat status;
	off_t start;

	*file = (struct file){ .name = name, .fd = STDIN_FILENO };
	if (strcmp(name, "-") != 0)
		file->fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);	/* waits for no writer */
	if (file->fd < 0 || fstat(file->fd, &status) != 0)
		return gs_fail_errno(GS_EIO, "cannot read: %s", name);
	file->regular = S_ISREG(status.st_mode);
	if (!file->regular)
		return file->fd == STDIN_FILENO ? GS_OK
		       : gs_fail(GS_EUSAGE, "%s: not a regular file; a .npy file in a pipe is read from "
		                 "standard input", name);
	start = lseek(file->fd, 0, SEEK_CUR);
	file->start = start > 0 ? (uint64_t)start : 0;
	file->bytes = (uint64_t)status.st_size > file->start
	              ? (uint64_t)status.st_size - file->start : 0;
	return GS_OK;
}

static void
close_file(struct file *file)
{
	if (file->fd > STDIN_FILENO)
		(void)close(file->fd);
	file->fd = -1;
}

/* Read BYTES from AT on. */
static gs_status
read_file(const struct file *file, uint64_t at, char *into, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		const ssize_t got = file->regular
			? pread(file->fd, into + done, bytes - done, (off_t)(file->start + at + done))
			: read(file->fd, into + done, bytes - done);

		if (got < 0 && errno != EINTR)
			return gs_fail_errno(GS_EIO, "read failed: %s", file->name);
		if (got == 0)
			return gs_fail(GS_EINPUT, "%s: the header of the .npy file is cut off", file->name);
		done += got > 0 ? (size_t)got : 0;
	}
	return GS_OK;
}

/* The header of a file, and its contents; *HEADER is to be freed in any case. */
static gs_status
read_header(const struct file *file, struct gs_npy *npy, char **header)
{
	char prefix[GS_NPY_PREFIX_BYTES];
	uint64_t bytes;

	*header = NULL;
	TRY(read_file(file, 0, prefix, sizeof prefix));
	TRY(gs_npy_length(file->name, prefix, &bytes));
	if (bytes < sizeof prefix)
		return gs_fail(GS_EINPUT, "%s: the header of the .npy file is cut off", file->name);
	TRY(gs_allocate(header, (size_t)bytes, 1, "bytes of a header"));
	memcpy(*header, prefix, sizeof prefix);
	TRY(read_file(file, sizeof prefix, *header + sizeof prefix, (size_t)bytes - sizeof prefix));
	TRY(gs_npy_read(npy, file->name, *header, (size_t)bytes));
	if (!file->regular || (file->bytes - bytes) / npy->item_bytes == npy->count)
		return GS_OK;
	return gs_fail(GS_EINPUT, "%s: the header of the .npy file names %llu items, and there are %llu",
	               file->name, (unsigned long long)npy->count,
	               (unsigned long long)((file->bytes - bytes) / npy->item_bytes));
}

/* ---- all files ---------------------------------------------------------------------- */

/* Is the first input a .npy file, as its first bytes say?  Nothing is read from a pipe. */
static bool
has_magic(const struct gsort_options *options)
{
	char begin[GS_NPY_MAGIC_BYTES];
	const char *name = options->inputs[0];
	struct gsort_options as_npy = *options;
	struct gsort_conflict conflict;
	struct stat status;
	struct file file;
	bool has;

	as_npy.format = GSORT_FORMAT_NPY;
	if (gs_options_conflict(&as_npy, &conflict) || options->type == GSORT_TEXT_FLOAT ||
	    (options->record_bytes > 0 && options->force) || options->skip_bytes > 0 ||
	    options->header_lines > 0 || options->decompress != GSORT_DECOMPRESS_AUTO)
		return false;
	/* To open a named pipe would wait for its writer. */
	if (strcmp(name, "-") != 0 && (stat(name, &status) != 0 || !S_ISREG(status.st_mode)))
		return false;
	has = open_file(&file, name) == GS_OK && file.regular &&
	      pread(file.fd, begin, sizeof begin, (off_t)file.start) == (ssize_t)sizeof begin &&
	      gs_npy_has_magic(begin, sizeof begin);
	close_file(&file);
	return has;
}

/* Is there a name that Latin-1 and UTF-8 write in different ways? */
static bool
has_other_bytes(const struct gs_npy *npy)
{
	for (size_t b = 0; b < npy->descr_bytes; b++)
		if ((unsigned char)npy->descr[b] >= 0x80)
			return true;
	return false;
}

static bool
is_alike(const struct gs_npy *one, const struct gs_npy *other)
{
	return one->descr_bytes == other->descr_bytes &&
	       memcmp(one->descr, other->descr, one->descr_bytes) == 0 &&
	       (one->utf8 == other->utf8 || !has_other_bytes(one));
}

static gs_status
read_headers(struct gs_npy_inputs *inputs, const struct gsort_options *options)
{
	struct gs_npy *npy = NULL;
	gs_status status = GS_NEW(inputs->first, 1, "header");

	THEN(status, GS_NEW(inputs->skips, options->input_count, "headers"));
	THEN(status, GS_NEW(npy, 1, "header"));
	for (size_t i = 0; status == GS_OK && i < options->input_count; i++) {
		struct gs_npy *now = i == 0 ? inputs->first : npy;
		char *header = NULL;
		struct file file;

		status = open_file(&file, options->inputs[i]);
		THEN(status, read_header(&file, now, &header));
		if (status == GS_OK && !is_alike(now, inputs->first))
			status = gs_fail(GS_EINPUT, "%s: items of another type than in %s", file.name,
			                 options->inputs[0]);
		close_file(&file);
		if (i == 0)
			inputs->header = header;
		else
			free(header);
		if (status != GS_OK)
			break;
		inputs->skips[i] = file.regular ? now->header_bytes : 0;
		inputs->count += now->count;
	}
	free(npy);
	return status;
}

/* ---- options ------------------------------------------------------------------------- */

/* NAME as a word of a shell; of a name that is too long, "FILE". */
static const char *
shell_word(const char *name, char *into, size_t room)
{
	char *to = into;

	if (name[strcspn(name, " \t\n\"\\$`'&|;()<>*?[]#~=%!{}")] == '\0')
		return name;
	*to++ = '\'';
	for (; *name != '\0'; name++) {
		if (to + sizeof "'\\''" + 1 > into + room)
			return "FILE";
		to = *name == '\'' ? stpcpy(to, "'\\''") : (*to = *name, to + 1);
	}
	strcpy(to, "'");
	return into;
}

/* Options that make no sense, as the file itself says it; and those that work on bare keys. */
static gs_status
check_options(const struct gs_npy *npy, const struct gsort_options *o, const char *name)
{
	static const char *const sets[] = { "", "union", "intersect", "difference", "symmetric" };
	const bool ordered = o->endian != GSORT_ENDIAN_HOST;
	const char *said = o->zero_terminated ? "zero-terminated" : o->header_lines > 0 ? "header" :
		o->skip_bytes > 0 ? "skip-bytes" : npy->is_structure && ordered ? "type" :
		o->record_bytes > 0 ? "record-size" : NULL;
	const char *refused = o->set != GSORT_NO_SET ? sets[o->set] :
		o->converts ? "to" : o->counts ? "count" : o->split > 0 ? "split" :
		o->sample.wanted ? "sample" : NULL;
	const struct gs_npy_field *field = &npy->fields[0];
	char word[512];

	if (ordered && !npy->is_structure && field->bytes > 1 &&
	    field->big != (o->endian == GSORT_ENDIAN_BIG))
		return gs_fail(GS_EUSAGE, "%s: the items of this .npy file are in the other byte order: "
		               "leave the suffix '%s' out, the header names the order", name,
		               o->endian == GSORT_ENDIAN_BIG ? "be" : "le");
	if (refused == NULL && said == NULL)
		return GS_OK;
	if (refused == NULL)
		return gs_fail(GS_EUSAGE, "%s: '--%s' does not go with a .npy file, whose header tells what "
		               "its items are", name, said);
	if (npy->is_structure || !field->sorts || field->type == GSORT_TEXT)
		return gs_fail(GS_EUSAGE, "%s: '--%s' does not go with a .npy file", name, refused);
	return gs_fail(GS_EUSAGE, "%s: '--%s' does not go with a .npy file, but with its keys alone: tail "
	               "-c +%llu %s | gsort --type=%s%s", name, refused,
	               (unsigned long long)npy->header_bytes + 1, shell_word(name, word, sizeof word),
	               gs_key_name(field->type), field->big ? "be" : "");
}

/* All names, for a message. */
static void
list_fields(const struct gs_npy *npy, char list[512])
{
	char name[GS_NPY_NAME_BYTES + 1];
	size_t at = 0;

	list[0] = '\0';
	for (size_t f = 0; f < npy->field_count && at < 400; f++)
		if (npy->fields[f].sorts) {
			(void)gs_npy_name(npy, &npy->fields[f], name);
			at += (size_t)snprintf(list + at, 512 - at, "%s%.100s", at > 0 ? ", " : "", name);
		}
}

/* Is FIELD called so, in UTF-8 or as its bytes are? */
static bool
is_called(const struct gs_npy *npy, const struct gs_npy_field *field, const char *text)
{
	const size_t bytes = strlen(text);
	char name[GS_NPY_NAME_BYTES + 1];

	return (bytes == field->name_bytes && memcmp(text, field->name, bytes) == 0) ||
	       (gs_npy_name(npy, field, name) == bytes && strcmp(text, name) == 0);
}

static void
set_key(struct gsort_key *key, const struct gs_npy_field *field, bool reverse)
{
	*key = (struct gsort_key){
		.type = field->type, .offset = field->offset,
		.bytes = field->type == GSORT_TEXT ? field->bytes : 0,
		.reverse = reverse, .endian = field->big ? GSORT_ENDIAN_BIG : GSORT_ENDIAN_LITTLE,
	};
}

/* The fields that are keys: those that the options name, or the only one. */
static gs_status
find_keys(struct gs_npy_inputs *inputs, struct gsort_options *options, const char *name)
{
	const struct gs_npy *npy = inputs->first;
	const size_t wanted = options->key_count > 0 ? options->key_count : 1;
	char list[512];

	TRY(GS_NEW(inputs->keys, wanted, "keys"));
	list_fields(npy, list);
	if (npy->is_structure && options->key_count == 0)
		return gs_fail(GS_EUSAGE, "%s: a .npy file of structures: name a field with --type=npy "
		               "and -k: %s", name, list);
	if (!npy->is_structure && !npy->fields[0].sorts)
		return gs_fail(GS_EINPUT, "%s: the items of this .npy file are not numbers%s", name,
		               npy->descr_bytes > 4 && (npy->descr[2] == 'M' || npy->descr[2] == 'm')
		               ? "; save times as a.view('i8')" : "");
	if (!npy->is_structure)
		set_key(&inputs->keys[0], &npy->fields[0], false);
	for (size_t k = 0; k < options->key_count; k++) {
		const char *text = options->keys[k].name != NULL ? options->keys[k].name : "";
		size_t f = 0;

		while (f < npy->field_count &&
		       (!npy->fields[f].sorts || !npy->is_structure ||
		        !is_called(npy, &npy->fields[f], text)))
			f++;
		if (f == npy->field_count)
			return gs_fail(GS_EUSAGE, "%s: no field '%s' that can be sorted%s%s", name, text,
			               npy->is_structure ? "; there are: " : ": items have no fields",
			               npy->is_structure ? list : "");
		set_key(&inputs->keys[k], &npy->fields[f], options->keys[k].reverse);
	}
	options->keys = inputs->keys;
	options->key_count = wanted;
	return GS_OK;
}

/* Numbers of which nothing is written but figures, behind headers of one length. */
static bool
needs_no_header(const struct gs_npy_inputs *inputs, const struct gsort_options *options)
{
	for (size_t i = 1; i < options->input_count; i++)
		if (inputs->skips[i] != inputs->skips[0])
			return false;
	return gs_answer_is_wanted(options) && options->operation == GSORT_SORT &&
	       !inputs->first->is_structure && inputs->first->fields[0].type != GSORT_TEXT;
}

/* One regular file whose header stays as it is. */
static bool
keeps_header(const struct gs_npy_inputs *inputs, const struct gsort_options *options)
{
	return options->operation != GSORT_MERGE && options->input_count < 2 &&
	       inputs->skips[0] > 0 && !inputs->first->is_structure && options->argsort_bits == 0 &&
	       inputs->first->fields[0].type != GSORT_TEXT && !gs_select_wants_groups(options) &&
	       !options->head && !options->tail.wanted;
}

/* They are records now: which options do not go with that? */
static gs_status
check_records(const struct gs_npy *npy, const struct gsort_options *options, const char *name)
{
	struct gsort_conflict conflict;
	bool first;

	if (gs_answer_is_wanted(options))
		return gs_fail(GS_EUSAGE, "%s: '--%s' does not go with .npy files here: figures are of %s",
		               name, gs_options_answer(options), npy->is_structure
		               ? "numbers alone" : "files whose headers are of one length");
	if (!gs_options_conflict(options, &conflict))
		return GS_OK;
	first = strcmp(conflict.one, "record-size") == 0;
	if (!first && strcmp(conflict.other, "record-size") != 0)
		return GS_OK;
	return gs_fail(GS_EUSAGE, "%s: '--%s' does not go with .npy files here%s%s", name,
	               first ? conflict.other : conflict.one, conflict.why != NULL ? ": " : "",
	               conflict.why != NULL ? conflict.why : "");
}

/* A check begins behind headers of one length. */
static gs_status
set_check(const struct gs_npy_inputs *inputs, struct gsort_options *options)
{
	for (size_t i = 1; i < options->input_count; i++)
		if (inputs->skips[i] != inputs->skips[0])
			return gs_fail(GS_EUSAGE, "%s: a .npy file with a header of another length; check it "
			               "by itself", options->inputs[i]);
	options->skip_bytes = inputs->skips[0];
	return GS_OK;
}

gs_status
gs_npy_adopt(struct gs_npy_inputs *inputs, struct gsort_options *options)
{
	const char *name = options->inputs[0];
	enum gsort_type type;

	if (options->read != NULL)
		options->format = GSORT_FORMAT_RAW;
	if (options->format == GSORT_FORMAT_RAW)
		return GS_OK;
	if (options->format == GSORT_FORMAT_AUTO && !has_magic(options))
		return GS_OK;
	TRY(read_headers(inputs, options));
	TRY(check_options(inputs->first, options, name));
	options->endian = GSORT_ENDIAN_HOST;	/* from here on the header alone says it */
	type = inputs->first->fields[0].type;
	if (options->type != GSORT_TEXT && (inputs->first->is_structure || options->type != type))
		return gs_fail(GS_EUSAGE, "%s: the items of this .npy file are not of type %s: leave it "
		               "out, the header names the type", name, gs_key_name(options->type));
	TRY(find_keys(inputs, options, name));
	if (keeps_header(inputs, options) || needs_no_header(inputs, options)) {
		options->type = type;
		options->endian = inputs->keys[0].endian;
		options->skip_bytes = inputs->skips[0];
		options->keys = NULL;
		options->key_count = 0;
		return GS_OK;
	}
	options->type = GSORT_TEXT;
	options->record_bytes = inputs->first->item_bytes;
	inputs->writes_header = options->operation != GSORT_CHECK;
	TRY(check_records(inputs->first, options, name));
	return options->operation == GSORT_CHECK ? set_check(inputs, options) : GS_OK;
}

gs_status
gs_npy_check(const struct gs_npy_inputs *inputs, uint64_t items)
{
	if (inputs->first == NULL || inputs->count == items)
		return GS_OK;
	return gs_fail(GS_EINPUT, "the headers of the .npy files name %llu items, and there are %llu: "
	               "one is cut off, or changed while it was read",
	               (unsigned long long)inputs->count, (unsigned long long)items);
}

gs_status
gs_npy_make_header(struct gs_npy_inputs *inputs, const struct gsort_options *options,
                   uint64_t count, const char **header, size_t *bytes)
{
	const char *descr = inputs->first->descr;
	size_t descr_bytes = inputs->first->descr_bytes;
	bool utf8 = inputs->first->utf8 && has_other_bytes(inputs->first);
	char numbers[] = "'<u4'";

	if (options->argsort_bits > 0) {
		numbers[1] = gs_endian_swaps(GSORT_ENDIAN_LITTLE) ? '>' : '<';
		numbers[3] = (char)('0' + options->argsort_bits / 8);
		descr = numbers;
		descr_bytes = sizeof numbers - 1;
		utf8 = false;
	}
	*bytes = gs_npy_write(descr, descr_bytes, utf8, count, NULL);
	TRY(gs_allocate(&inputs->made, *bytes, 1, "bytes of a header"));
	*header = inputs->made;
	(void)gs_npy_write(descr, descr_bytes, utf8, count, inputs->made);
	return GS_OK;
}

void
gs_npy_close(struct gs_npy_inputs *inputs)
{
	free(inputs->first);
	free(inputs->header);
	free(inputs->made);
	free(inputs->keys);
	free(inputs->skips);
	*inputs = (struct gs_npy_inputs){ .first = NULL };
}
