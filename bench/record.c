// SPDX-License-Identifier: BSD-2-Clause
/* record.c - rows of figures for other programs: JSON, a row a line, and CSV */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/record.h"

enum { MOST_FIELDS = 64 };

static struct {
	FILE *json, *csv;
	unsigned rows, fields;
	struct {
		const char *name, *text;	/* TEXT NULL: a number */
		double      number;
	} row[MOST_FIELDS];
} record;

static FILE *
open_or_exit(const char *path)
{
	FILE *file = path != NULL ? fopen(path, "w") : NULL;

	if (path != NULL && file == NULL) {
		perror(path);
		exit(2);
	}
	return file;
}

static void
close_or_exit(FILE *file)
{
	if (file != NULL && (ferror(file) | fclose(file)) != 0) {
		fputs("gsort-bench: the figures could not be written\n", stderr);
		exit(2);
	}
}

void
record_open(const char *json, const char *csv)
{
	record.json = open_or_exit(json);
	record.csv = open_or_exit(csv);
	record.rows = 0;
	if (record.json != NULL)
		fputs("[", record.json);
}

void
record_close(void)
{
	if (record.json != NULL)
		fputs("\n]\n", record.json);
	close_or_exit(record.json);
	close_or_exit(record.csv);
}

void
record_text(const char *name, const char *text)
{
	if (record.fields == MOST_FIELDS)
		abort();
	record.row[record.fields].name = name;
	record.row[record.fields++].text = text != NULL ? text : "";
}

void
record_number(const char *name, double number)
{
	record_text(name, NULL);
	record.row[record.fields - 1].text = NULL;
	record.row[record.fields - 1].number = number;
}

/* Texts are names of ours and of the device: none has a quote in it. */
static void
put_row(FILE *file, const char *begin, bool names, const char *end)
{
	fputs(begin, file);
	for (unsigned f = 0; f < record.fields; f++) {
		fputs(f == 0 ? "" : names ? ", " : ",", file);
		if (names)
			fprintf(file, "\"%s\": ", record.row[f].name);
		if (record.row[f].text != NULL)
			fprintf(file, "\"%s\"", record.row[f].text);
		else
			fprintf(file, "%.9g", record.row[f].number);
	}
	fputs(end, file);
	fflush(file);
}

void
record_end(void)
{
	if (record.csv != NULL && record.rows == 0)
		for (unsigned f = 0; f < record.fields; f++)
			fprintf(record.csv, "%s%s", record.row[f].name,
			        f + 1 < record.fields ? "," : "\n");
	if (record.json != NULL)
		put_row(record.json, record.rows == 0 ? "\n{" : ",\n{", true, "}");
	if (record.csv != NULL)
		put_row(record.csv, "", false, "\n");
	record.rows++;
	record.fields = 0;
}
