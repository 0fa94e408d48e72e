// SPDX-License-Identifier: BSD-2-Clause
/*
 * npy.h - the header of a .npy file: what the array in it is made of
 *
 * The format is NumPy's: numpy.lib.format, "Format Version 1.0" to 3.0.  After a magic string of 6
 * bytes, a version and a length stands a Python dictionary: 'descr', 'fortran_order' and 'shape'.
 * Known are arrays of one dimension whose items are numbers or structures of numbers and bytes.
 */
#ifndef GS_NPY_H
#define GS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "gsort.h"

enum { GS_NPY_MAGIC_BYTES = 6, GS_NPY_PREFIX_BYTES = 12, GS_NPY_MOST_BYTES = 1 << 16,
       GS_NPY_FIELDS = 256, GS_NPY_NAME_BYTES = 255 };

/* A field of a structure; or the only one, without a name. */
struct gs_npy_field {
	const char *name;		/* in the header, not terminated */
	size_t      name_bytes;
	size_t      offset, bytes;
	bool        sorts;		/* it can be a key of TYPE; GSORT_TEXT: of BYTES */
	enum gsort_type type;
	bool        big;		/* its byte order */
};

struct gs_npy {
	uint64_t    header_bytes;	/* with all that stands before the array */
	uint64_t    count;		/* items of the array */
	size_t      item_bytes;
	const char *descr;		/* what stands behind 'descr', borrowed from the header */
	size_t      descr_bytes;
	bool        utf8;		/* names are UTF-8, or else Latin-1 */
	bool        is_structure;
	struct gs_npy_field fields[GS_NPY_FIELDS];
	size_t      field_count;
};

/** Does a file that begins with BYTES of DATA have the magic string? */
bool gs_npy_has_magic(const char *data, size_t bytes);

/** How long the header is, by its first GS_NPY_PREFIX_BYTES.  GS_EINPUT: it is none that is known. */
MUST_CHECK gs_status gs_npy_length(const char *name, const char *prefix, uint64_t *bytes);

/**
 * Understand the header of the file called NAME.
 *
 * @header  all of it, of BYTES; kept
 * @return  GS_OK; GS_EINPUT: it is damaged, or the array is not one that can be sorted
 */
MUST_CHECK gs_status gs_npy_read(struct gs_npy *npy, const char *name, const char *header,
                                 size_t bytes);

/** Bytes of the header of COUNT items of a type, in version 3 of the format if UTF8; INTO has room for
 *  them, or is NULL. */
size_t gs_npy_write(const char *descr, size_t descr_bytes, bool utf8, uint64_t count, char *into);

/** Write the name of a field as UTF-8; INTO has room for GS_NPY_NAME_BYTES of it, and its end.  Returns its
 *  bytes, of which INTO may lack the last ones. */
size_t gs_npy_name(const struct gs_npy *npy, const struct gs_npy_field *field,
                   char into[GS_NPY_NAME_BYTES + 1]);

#endif
