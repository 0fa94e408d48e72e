/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * _calls.c - gsort_sort() and gsort_argsort() for the rows of a buffer
 *
 * A call through ctypes takes 6 to 10 microseconds, as long as sorting a thousand keys.  This
 * module is not linked with the library: use() takes the addresses of the functions that
 * _native.py has loaded.  It needs the limited API alone (abi3), so one file serves every CPython
 * from 3.11 on; where it cannot be loaded, _arrays.py calls through ctypes.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "gsort.h"

typedef gsort_status sorts(void *, size_t, enum gsort_type, const struct gsort_array_options *);
typedef gsort_status argsorts(const void *, size_t, enum gsort_type, void *, enum gsort_type,
                              const struct gsort_array_options *);

static sorts *sort_keys;
static argsorts *argsort_keys;

struct call {
	Py_buffer keys, indices;		/* indices.obj == NULL: sort the keys */
	enum gsort_type type;
	struct gsort_array_options options;
};

/* The type of FORMAT, a character of the struct module, for elements of SIZE bytes; -1: none. */
static int
type_of(const char *format, Py_ssize_t size)
{
	static const char *const kinds[] = { "BHILQ?", "bhilq", "efd" };
	static const int types[][4] = {
		{ GSORT_U8, GSORT_U16, GSORT_U32, GSORT_U64 },
		{ GSORT_I8, GSORT_I16, GSORT_I32, GSORT_I64 },
		{ -1, GSORT_F16, GSORT_F32, GSORT_F64 },
	};

	if (format == NULL || format[0] == '\0' || format[1] != '\0')
		return -1;		/* other bytes have a prefix, structures have braces */
	for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
		for (int power = 0; power < 4; power++)
			if (strchr(kinds[kind], format[0]) != NULL && size == (Py_ssize_t)1 << power)
				return types[kind][power];
	return -1;
}

/* Sort what is at KEYS, and has all dimensions from DIMENSION on: rows, each contiguous. */
static gsort_status
sort_rows(const struct call *call, char *keys, char *indices, int dimension)
{
	const Py_ssize_t count = call->keys.shape[dimension];
	gsort_status status = GSORT_OK;

	if (dimension == call->keys.ndim - 1)
		return indices == NULL
		       ? sort_keys(keys, (size_t)count, call->type, &call->options)
		       : argsort_keys(keys, (size_t)count, call->type, indices,
		                      call->indices.itemsize == 8 ? GSORT_U64 : GSORT_U32, &call->options);
	for (Py_ssize_t i = 0; i < count && status == GSORT_OK; i++)
		status = sort_rows(call, keys + i * call->keys.strides[dimension],
		                   indices == NULL ? NULL : indices + i * call->indices.strides[dimension],
		                   dimension + 1);
	return status;
}

static int
has_rows(const Py_buffer *buffer)
{
	const int last = buffer->ndim - 1;

	return last >= 0 && (buffer->shape[last] < 2 || buffer->strides[last] == buffer->itemsize);
}

/* (keys, descending, threads[, indices]): the status of the library; or None, and nothing has been done. */
static PyObject *
sort(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	struct call call = { .options.struct_size = sizeof call.options };
	PyObject *result = NULL;
	gsort_status status;
	long threads;
	int type;

	(void)module;
	/* what _arrays.py refuses with words, it refuses later */
	if (sort_keys == NULL || count < 3 || !PyBool_Check(arguments[1]) || !PyLong_CheckExact(arguments[2]))
		Py_RETURN_NONE;
	threads = PyLong_AsLong(arguments[2]);
	if (threads < 0 || threads > INT_MAX) {
		PyErr_Clear();
		Py_RETURN_NONE;
	}
	if (PyObject_GetBuffer(arguments[0], &call.keys, PyBUF_STRIDES | PyBUF_FORMAT |
	                       (count == 3 ? PyBUF_WRITABLE : 0)) != 0) {
		PyErr_Clear();
		Py_RETURN_NONE;
	}
	type = type_of(call.keys.format, call.keys.itemsize);
	if (type < 0 || !has_rows(&call.keys))
		goto none;
	if (count > 3) {
		if (PyObject_GetBuffer(arguments[3], &call.indices, PyBUF_STRIDES | PyBUF_WRITABLE) != 0) {
			PyErr_Clear();
			goto none;
		}
		if (!has_rows(&call.indices) || call.indices.ndim != call.keys.ndim ||
		    memcmp(call.indices.shape, call.keys.shape,
		           (size_t)call.keys.ndim * sizeof *call.keys.shape) != 0)
			goto none;
	}
	call.type = (enum gsort_type)type;
	call.options.reverse = arguments[1] == Py_True;
	call.options.threads = (unsigned)threads;
	Py_BEGIN_ALLOW_THREADS
	status = sort_rows(&call, call.keys.buf, call.indices.obj == NULL ? NULL : call.indices.buf, 0);
	Py_END_ALLOW_THREADS
	result = PyLong_FromLong(status);
	goto out;
none:
	result = Py_NewRef(Py_None);
out:
	if (call.indices.obj != NULL)
		PyBuffer_Release(&call.indices);
	PyBuffer_Release(&call.keys);
	return result;
}

/* (address of gsort_sort, address of gsort_argsort) */
static PyObject *
use(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	void *functions[2];

	(void)module;
	for (Py_ssize_t i = 0; i < 2; i++) {
		functions[i] = count == 2 ? PyLong_AsVoidPtr(arguments[i]) : NULL;
		if (PyErr_Occurred())
			return NULL;
	}
	memcpy(&sort_keys, &functions[0], sizeof sort_keys);
	memcpy(&argsort_keys, &functions[1], sizeof argsort_keys);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "sort", (PyCFunction)(void (*)(void))sort, METH_FASTCALL, NULL },
	{ "use", (PyCFunction)(void (*)(void))use, METH_FASTCALL, NULL },
	{ NULL, NULL, 0, NULL }
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, "_calls", NULL, -1, methods, NULL, NULL, NULL, NULL
};

PyMODINIT_FUNC
PyInit__calls(void)
{
	return PyModule_Create(&definition);
}
