// SPDX-License-Identifier: BSD-2-Clause
/* npy.c - rows for src/format/npy.c: headers that NumPy writes, and damaged ones */
#include <string.h>

#include "format/npy.h"
#include "tests/unit/units.h"

void unit_npy(void);

static const struct row {
	const char *dictionary;
	size_t      item_bytes;		/* 0: it is refused */
	uint64_t    count;
	size_t      fields;
} rows[] = {
	{ "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 8, 3, 1 },
	{ "{'shape': (0,), 'descr': '|u1', 'fortran_order': True}", 1, 0, 1 },
	{ "{\"descr\": \">i2\", \"fortran_order\": False, \"shape\": (7L,)}", 2, 7, 1 },
	{ "{'descr': [('a', '<i4'), ('b', '|S3')], 'fortran_order': False, 'shape': (2,), }", 7, 2, 2 },
	{ "{'descr': [('a', '<f4', (2, 3)), ('', '|V4')], 'fortran_order': False, 'shape': (1,), }", 28,
	  1, 2 },
	{ "{'descr': [('a', '<f4', (4611686018427387905,))], 'fortran_order': False, 'shape': (1,), }",
	  0, 0, 0 },	/* 2^64 + 4 bytes */
	{ "{'descr': '<U5', 'fortran_order': False, 'shape': (1,), }", 20, 1, 1 },
	{ "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 0, 0, 0 },
	{ "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", 0, 0, 0 },
	{ "{'descr': '<x8', 'fortran_order': False, 'shape': (3,), }", 0, 0, 0 },
	{ "{'descr': [], 'fortran_order': False, 'shape': (3,), }", 0, 0, 0 },
	{ "{'descr': [('a', [('b', '<i4')])], 'fortran_order': False, 'shape': (3,), }", 0, 0, 0 },
	{ "{'fortran_order': False, 'shape': (3,), }", 0, 0, 0 },
	{ "{'descr': '<f8", 0, 0, 0 },
	{ "{'descr': '<f99999999999', 'shape': (99999999999999999999,)", 0, 0, 0 },
	{ "", 0, 0, 0 },
};

static size_t
make_header(const char *dictionary, char into[1024])
{
	const size_t bytes = strlen(dictionary);

	memcpy(into, "\x93NUMPY\1\0", 8);
	into[8] = (char)bytes;
	into[9] = (char)(bytes >> 8);
	memcpy(into + 10, dictionary, bytes);
	return 10 + bytes;
}

static void
check_row(const struct row *row)
{
	char header[1024] = "", again[1024];
	const size_t bytes = make_header(row->dictionary, header);
	static struct gs_npy npy, second;
	gs_status status, ignored;
	size_t length;

	status = gs_npy_read(&npy, "in", header, bytes);
	CHECK((status == GS_OK) == (row->item_bytes > 0), "%s: status %d", row->dictionary, (int)status);
	for (size_t cut = 10; cut < bytes; cut++)	/* whatever is said, nothing behind it is read */
		ignored = gs_npy_read(&second, "in", header, cut);
	(void)ignored;
	if (status != GS_OK)
		return;
	CHECK(npy.item_bytes == row->item_bytes && npy.count == row->count &&
	      npy.field_count == row->fields, "%s: %zu bytes, %llu items, %zu fields", row->dictionary,
	      npy.item_bytes, (unsigned long long)npy.count, npy.field_count);
	length = gs_npy_write(npy.descr, npy.descr_bytes, npy.utf8, UINT64_C(12345678901), again);
	CHECK(length % 64 == 0 && gs_npy_read(&second, "out", again, length) == GS_OK &&
	      second.item_bytes == npy.item_bytes && second.count == UINT64_C(12345678901),
	      "%s: what is written is read", row->dictionary);
}

void
unit_npy(void)
{
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
		check_row(&rows[r]);
}
