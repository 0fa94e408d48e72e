// SPDX-License-Identifier: BSD-2-Clause
/*
 * options.h - are the options of a job valid, can they be used together, and do they want items?
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

/* ---- what a program gives, with any number in any member (given.c) ------------- */

/*
 * Behind this door every enum and bool has a value that it can have, and every pointer that a count
 * belongs to is there.
 */

/**
 * Copy what a program compiled with any version of gsort.h passes: members that it does not know
 * are 0.
 *
 * @return  GS_OK; GS_EUSAGE: OPTIONS is NULL, struct_size is wrong, an option is set that this library
 *          does not know, or a member, also of one of the keys, has no valid value or is NULL where an
 *          array should be
 */
MUST_CHECK gs_status gs_options_copy(struct gsort_options *copy, const struct gsort_options *options);

/** What they name if they name no input. */
extern const char *const gs_standard_input[];

/** If they name no folder for temporary files, they name *DIR from now on, which is set. */
void gs_options_name_dir(struct gsort_options *options, const char **dir);

/* ---- behind that door (options.c) ---------------------------------------------- */

/**
 * Check OPTIONS, which gs_options_copy() has let in, without opening anything.
 *
 * @return  GS_OK; or GS_EUSAGE with a message that names long options of gsort(1) in quotes
 */
MUST_CHECK gs_status gs_options_check(const struct gsort_options *options);

/** Find the first option that needs or excludes another one, and that one.  Enums are valid. */
bool gs_options_conflict(const struct gsort_options *options, struct gsort_conflict *conflict);

/** What elements do OPTIONS sort, or make figures of?  Keys that no bucket holds are records, too.  A column
 *  or a field is the numbers that lines or records are by their key, which figures are of. */
enum gs_elements { GS_OF_KEYS, GS_OF_RECORDS, GS_OF_FIELD, GS_OF_LINES, GS_OF_COLUMN, GS_OF_TEXT_NUMBERS };
enum gs_elements gs_options_elements(const struct gsort_options *options);

/** Is the output no text? */
bool gs_options_write_binary(const struct gsort_options *options);

/** Which inputs are refused by how they begin? */
enum gs_guarded gs_options_guard(const struct gsort_options *options);

/** The first of the figures that they want. */
const char *gs_options_answer(const struct gsort_options *options);

/** Have the items that they want their numbers in the input with them? */
bool gs_options_want_numbers(const struct gsort_options *options);

/* ---- enter the sandbox before anything is decompressed (sandbox_policy.c) ---- */

/* Once entered, the sandbox holds for the process to its end (base/sandbox.h). */

/** Enter it, for a job with OPTIONS whose files are open; before any other thread exists. */
void gs_confine(const struct gsort_options *options, const struct gs_outputs *outputs,
                const struct gs_monitor *monitor);

#endif
