// SPDX-License-Identifier: BSD-2-Clause
/* record.h - rows of figures for other programs: JSON, one row per line, and CSV */
#ifndef GS_BENCH_RECORD_H
#define GS_BENCH_RECORD_H

/** Write rows to these files; NULL: no such file.  Ends the program if one cannot be written. */
void record_open(const char *json, const char *csv);
void record_close(void);

/* A row: its fields, then its end.  All rows of one program have the same fields. */
void record_text(const char *name, const char *text);
void record_number(const char *name, double number);
void record_end(void);

#endif
