// SPDX-License-Identifier: BSD-2-Clause
/*
 * given.h - the options that a program gives, with any number in any member
 *
 * Behind this door every enum and bool has a value that it can have, and every pointer that a count
 * belongs to is there.
 */
#ifndef GS_GIVEN_H
#define GS_GIVEN_H

#include "base/status.h"
#include "gsort.h"

/**
 * Copy what a program compiled with any version of gsort.h passes: members that it does not know
 * are 0.
 *
 * @return  GS_OK; GS_EUSAGE: OPTIONS is NULL, struct_size is wrong, an option is set that this library
 *          does not know, or a member, also of one of the keys, is no value or a NULL in place of an array
 */
MUST_CHECK gs_status gs_options_copy(struct gsort_options *copy, const struct gsort_options *options);

#endif
