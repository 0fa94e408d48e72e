// SPDX-License-Identifier: BSD-2-Clause
/*
 * type_names.h - what C, numpy, Rust and data bases call a type
 */
#ifndef GS_TYPE_NAMES_H
#define GS_TYPE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "gsort.h"

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

/** Is NAME text in another notation, "ipv4" or "time" or another word for it?  Then *NOTATION is
 *  set. */
bool gs_notation_called(const char *name, enum gsort_notation *notation);

#endif
