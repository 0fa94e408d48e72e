// SPDX-License-Identifier: BSD-2-Clause
/*
 * values.h - what the texts on a command line mean: numbers, types, names of inputs, and near misses
 *
 * The caller reports a value that is refused; only files0.c prints.
 */
#ifndef GS_CLI_VALUES_H
#define GS_CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gsort.h"

/* ---- numbers: pure functions (parse_value.c) -------------------------------------- */

/** "auto", "cpu", "gpu", "gpu:N"; for ranks "gpu:N,N", "gpu:all".  False: another word, or a GPU twice. */
bool gs_parse_device(const char *value, struct gsort_options *options);

enum gs_size_error { GS_SIZE_OK, GS_SIZE_NOT_A_NUMBER, GS_SIZE_BAD_SUFFIX };

/**
 * A size as sort -S takes it: a whole number of KiB, or with a suffix: b (bytes),
 * K k M m G g T t P E Z Y R Q (powers of 1024), KiB MiB GiB TiB, or %.  Above 64 bits it becomes
 * UINT64_MAX: more than there can be.
 *
 * @return  GS_SIZE_OK, and *BYTES or, with %, *PERCENT is set; or its fault
 */
enum gs_size_error gs_parse_size(const char *value, uint64_t *bytes, uint64_t *percent);

/** PERCENT of the physical memory, in bytes. */
uint64_t gs_memory_share(uint64_t percent);

/** A number of things, or with a suffix of a size, K to E, as of head(1); above 64 bits it becomes
 *  UINT64_MAX.  False: not a number. */
bool gs_parse_count(const char *value, uint64_t *number);

/** A number of bytes, or with a suffix of a size, K to E.  False: not a number, or too large. */
bool gs_parse_bytes(const char *value, uint64_t *bytes);

/** A key of a record: "u32@8", "f32@4r", "bytes10@0".  False: it is none. */
bool gs_parse_record_key(const char *value, struct gsort_key *key);

/** A number of threads, at least 1; numbers that cannot help are cut down. */
bool gs_parse_threads(const char *value, unsigned *threads);

/* ---- types: what C, numpy, Rust and data bases call them (type_names.c) ----------- */

/**
 * The type that C, numpy, Rust or a data base call NAME: "uint32_t", "double", "<u4".
 *
 * @type    set, unless the result is NULL
 * @endian  set if NAME says the byte order, as "<u4" and ">f8" do
 * @return  gsort's name of it, a constant; or NULL: no such type
 */
const char *gs_type_called(const char *name, enum gsort_type *type, enum gsort_endian *endian);

/** Is WORD, of BYTES, with "_" for "-", one of those of LIST, which blanks separate? */
bool gs_words_have(const char *list, const char *word, size_t bytes);

/** Is NAME text in another notation, "hex", "ipv4" or "time" or another word for it?  Then *NOTATION is
 *  set. */
bool gs_notation_called(const char *name, enum gsort_notation *notation);

/* ---- names of inputs: --files0-from (files0.c) ------------------------------------ */

/**
 * Read the names in the file FROM ("-": standard input).  A NUL ends each name; the last
 * may lack it.
 *
 * @names   set to the names, which are never freed
 * @return  true; or false after a message
 */
bool gs_files0_read(const char *from, const char *const **names, size_t *count);

/* ---- near misses: what other programs call an option (near.c) --------------------- */

/** What --NAME, a long option of BYTES that does not exist, may mean, as the end of a message: "; did
 *  you mean '--head'?"; "": nobody knows.  Valid until the next call. */
const char *gs_near_option(const char *name, size_t bytes);

/** The same for a LETTER. */
const char *gs_near_letter(char letter);

#endif
