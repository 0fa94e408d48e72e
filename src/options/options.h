// SPDX-License-Identifier: BSD-2-Clause
/*
 * options.h - check that the options of a job are valid and can be used together, and what they sort
 *
 * gsort_conflict() of gsort.h is here, too.
 */
#ifndef GS_OPTIONS_H
#define GS_OPTIONS_H

#include <stdbool.h>

#include "base/status.h"
#include "gsort.h"
#include "io/files.h"
#include "io/output.h"

/* ---- options from a program, whose members may have any values (given.c) ------- */

/*
 * In a copy, every enum and bool has a valid value, and no array that a count describes is NULL.
 */

/**
 * Copy the options of a program that was compiled with any version of gsort.h: members that it does not
 * know are 0.
 *
 * @return  GS_OK; GS_EUSAGE: OPTIONS is NULL, struct_size is wrong, an option is set that this library
 *          does not know, or a member of OPTIONS or of a key has an invalid value, or is NULL instead of an
 *          array
 */
MUST_CHECK gs_status gs_options_copy(struct gsort_options *copy, const struct gsort_options *options);

/** The inputs of options that name none. */
extern const char *const gs_standard_input[];

/** If OPTIONS name no folder for temporary files, set *DIR, and let them name it. */
void gs_options_name_dir(struct gsort_options *options, const char **dir);

/* ---- options that were copied (options.c) --------------------------------------- */

/**
 * Check OPTIONS, which gs_options_copy() has copied, without opening anything.
 *
 * @return  GS_OK; or GS_EUSAGE with a message that names long options of gsort(1) in quotes
 */
MUST_CHECK gs_status gs_options_check(const struct gsort_options *options);

/** Find the first option that needs or excludes another one, and the other one.  Enums are valid. */
bool gs_options_conflict(const struct gsort_options *options, struct gsort_conflict *conflict);

/** The elements that OPTIONS sort, or compute figures about.  Keys of 128 bits are records, too.  A field or
 *  column is the numeric key of all records or lines, for figures. */
enum gs_elements { GS_OF_KEYS, GS_OF_RECORDS, GS_OF_FIELD, GS_OF_LINES, GS_OF_COLUMN, GS_OF_TEXT_NUMBERS };
enum gs_elements gs_options_elements(const struct gsort_options *options);

/** Is the output binary? */
bool gs_options_write_binary(const struct gsort_options *options);

/** The inputs to refuse by their first bytes. */
enum gs_guarded gs_options_guard(const struct gsort_options *options);

/** The name of the first figure that OPTIONS want. */
const char *gs_options_answer(const struct gsort_options *options);

/** Must items carry their numbers in the input? */
bool gs_options_want_numbers(const struct gsort_options *options);

/* ---- enter the sandbox before anything is decompressed (sandbox_policy.c) ---- */

/* A process never leaves the sandbox (base/sandbox.h). */

/** Enter the sandbox, for a job with OPTIONS whose files are open, before any other thread exists. */
void gs_confine(const struct gsort_options *options, const struct gs_outputs *outputs,
                const struct gs_monitor *monitor);

#endif
