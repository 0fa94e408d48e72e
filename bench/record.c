// SPDX-License-Identifier: BSD-2-Clause
/* record.c - rows of figures for other programs: JSON, one row per line, and CSV */
#include "config.h"

#include <math.h>
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

/* Texts are our names and the device's, which have no quotes.  Counts stay exact. */
static void
put_field(FILE *file, unsigned f)
{
	const double number = record.row[f].number;

	if (record.row[f].text != NULL)
		fprintf(file, "\"%s\"", record.row[f].text);
	else
		fprintf(file, number == floor(number) ? "%.0f" : "%.5g", number);
}

/* JSON leaves out what is empty or zero. */
static void
put_json(void)
{
	const char *between = record.rows == 0 ? "\n{" : ",\n{";

	for (unsigned f = 0; f < record.fields; f++) {
		const char *text = record.row[f].text;

		if (text != NULL ? text[0] == '\0' : record.row[f].number == 0.0)
			continue;
		fprintf(record.json, "%s\"%s\": ", between, record.row[f].name);
		put_field(record.json, f);
		between = ", ";
	}
	fputs("}", record.json);
	fflush(record.json);
}

static void
put_csv(void)
{
	for (unsigned f = 0; record.rows == 0 && f < record.fields; f++)
		fprintf(record.csv, "%s%s", record.row[f].name, f + 1 < record.fields ? "," : "\n");
	for (unsigned f = 0; f < record.fields; f++) {
		put_field(record.csv, f);
		fputs(f + 1 < record.fields ? "," : "\n", record.csv);
	}
	fflush(record.csv);
}

void
record_end(void)
{
	if (record.json != NULL)
		put_json();
	if (record.csv != NULL)
		put_csv();
	record.rows++;
	record.fields = 0;
}
