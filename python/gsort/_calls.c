/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * _calls.c - gsort_sort() and gsort_argsort() for the rows of a buffer, and gsort.sort(a, out=a)
 *
 * A call through ctypes takes 6 to 10 microseconds, as long as sorting a thousand keys.  This
 * module is not linked with the library: use() takes the addresses of the functions that
 * _native.py has loaded.  It needs the limited API alone (abi3), so one file serves every CPython
 * from 3.11 on; where it cannot be loaded, _arrays.py calls through ctypes.
 */
#define _GNU_SOURCE
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "gsort.h"

typedef gsort_status sorts(void *, size_t, enum gsort_type, const struct gsort_array_options *);
typedef gsort_status argsorts(const void *, size_t, enum gsort_type, void *, enum gsort_type,
                              const struct gsort_array_options *);

static sorts *sort_keys;
static argsorts *argsort_keys;

enum { FEW_BYTES = 4096 };		/* releasing the interpreter's lock takes a quarter of a call for few keys */

struct call {
	Py_buffer keys, indices;		/* indices.obj == NULL: sort the keys */
	enum gsort_type type;
	struct gsort_array_options options;
	Py_ssize_t length, rows;
	atomic_ptrdiff_t next;		/* row */
	atomic_int status, at_work;	/* threads at work; the last one releases DONE */
	PyThread_type_lock done;
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

/* The address of row number ROW: the last dimension of BUFFER, which is contiguous. */
static char *
row_at(const Py_buffer *buffer, Py_ssize_t row)
{
	char *at = buffer->buf;

	for (int d = buffer->ndim - 2; d >= 0; row /= buffer->shape[d--])
		at += row % buffer->shape[d] * buffer->strides[d];
	return at;
}

/* Sort rows until none is left, some at a time. */
static void
sort_some(struct call *call)
{
	enum { SOME_KEYS = 1 << 13 };
	const Py_ssize_t some = call->length < SOME_KEYS ? SOME_KEYS / (call->length + 1) + 1 : 1;
	Py_ssize_t row;

	while ((row = atomic_fetch_add(&call->next, some)) < call->rows && call->status == GSORT_OK)
		for (Py_ssize_t r = row; r < row + some && r < call->rows; r++) {
			char *keys = row_at(&call->keys, r);
			const gsort_status status = call->indices.obj == NULL
				? sort_keys(keys, (size_t)call->length, call->type, &call->options)
				: argsort_keys(keys, (size_t)call->length, call->type, row_at(&call->indices, r),
				               call->indices.itemsize == 8 ? GSORT_U64 : GSORT_U32,
				               &call->options);

			if (status != GSORT_OK)
				call->status = (int)status;
		}
}

static void
help(void *context)
{
	struct call *call = context;

	sort_some(call);
	if (atomic_fetch_sub(&call->at_work, 1) == 1)
		PyThread_release_lock(call->done);
}

/* Sort all rows.  Threads share many short rows; a long row uses all threads.  Python starts them: a wheel that
 * calls pthread_create() needs a C library as new as the one with which it was built. */
static gsort_status
sort_rows(struct call *call)
{
	/* starting a thread takes as long as sorting 10,000 keys */
	enum { FEW_KEYS = 1 << 16, DEFAULT_THREADS = 16 };
	const Py_ssize_t shares = call->length > FEW_KEYS ? 1 : call->rows * call->length / FEW_KEYS;
	Py_ssize_t threads = call->options.threads;
	cpu_set_t cores;

	if (call->rows > 1 && shares > 1) {
		if (threads == 0)
			threads = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
		if (call->options.threads == 0 && threads > DEFAULT_THREADS)
			threads = DEFAULT_THREADS;
		call->options.threads = 1;
		call->done = threads > 1 ? PyThread_allocate_lock() : NULL;
	}
	call->at_work = 1;
	if (call->done != NULL) {
		PyThread_acquire_lock(call->done, WAIT_LOCK);
		for (Py_ssize_t thread = 1; thread < threads && thread < shares; thread++) {
			call->at_work++;
			if (PyThread_start_new_thread(help, call) == (unsigned long)-1) {
				call->at_work--;
				break;
			}
		}
	}
	sort_some(call);
	if (atomic_fetch_sub(&call->at_work, 1) != 1)
		PyThread_acquire_lock(call->done, WAIT_LOCK);
	if (call->done != NULL) {
		PyThread_release_lock(call->done);
		PyThread_free_lock(call->done);
	}
	if (call->status != GSORT_OK) {		/* perhaps in another thread, which has the message */
		call->next = 0;
		call->status = GSORT_OK;
		sort_some(call);
	}
	return (gsort_status)call->status;
}

static int
has_rows(const Py_buffer *buffer)
{
	const int last = buffer->ndim - 1;

	return last >= 0 && (buffer->shape[last] < 2 || buffer->strides[last] == buffer->itemsize);
}

/* The status of the library; -1: nothing was done, and _arrays.py looks: it has words for what it refuses. */
static int
try_rows(PyObject *keys, PyObject *descending, PyObject *threads, PyObject *indices)
{
	struct call call = { .options.struct_size = sizeof call.options };
	PyThreadState *state = NULL;
	int status = -1, type;
	long count;

	if (sort_keys == NULL || !PyBool_Check(descending) || !PyLong_CheckExact(threads))
		return -1;
	count = PyLong_AsLong(threads);
	if (count < 0 || count > INT_MAX ||
	    PyObject_GetBuffer(keys, &call.keys, PyBUF_STRIDES | PyBUF_FORMAT |
	                       (indices == NULL ? PyBUF_WRITABLE : 0)) != 0) {
		PyErr_Clear();
		return -1;
	}
	type = type_of(call.keys.format, call.keys.itemsize);
	if (type < 0 || !has_rows(&call.keys))
		goto out;
	if (indices != NULL) {
		if (PyObject_GetBuffer(indices, &call.indices, PyBUF_STRIDES | PyBUF_WRITABLE) != 0) {
			PyErr_Clear();
			goto out;
		}
		if (!has_rows(&call.indices) || call.indices.ndim != call.keys.ndim ||
		    memcmp(call.indices.shape, call.keys.shape,
		           (size_t)call.keys.ndim * sizeof *call.keys.shape) != 0)
			goto out;
	}
	call.type = (enum gsort_type)type;
	call.options.reverse = descending == Py_True;
	call.options.threads = (unsigned)count;
	call.length = call.keys.shape[call.keys.ndim - 1];
	call.rows = call.length == 0 ? 0 : call.keys.len / call.keys.itemsize / call.length;
	if (call.keys.len > FEW_BYTES)
		state = PyEval_SaveThread();
	status = (int)sort_rows(&call);
	if (state != NULL)
		PyEval_RestoreThread(state);
out:
	if (call.indices.obj != NULL)
		PyBuffer_Release(&call.indices);
	PyBuffer_Release(&call.keys);
	return status;
}

/* (keys, descending, threads[, indices]): the status of the library; or None, and nothing has been done. */
static PyObject *
sort(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	int status = -1;

	(void)module;
	if (count >= 3)
		status = try_rows(arguments[0], arguments[1], arguments[2], count > 3 ? arguments[3] : NULL);
	return status < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(status);
}

/* ---- gsort.sort() -------------------------------------------------------------- */

static PyObject *sort_any, *plain, *no_threads;		/* sort() of _arrays.py, numpy.ndarray, 0 */
static PyObject *names_of[3];				/* out, descending, threads */

/* Do sort(a, out=a, descending=, threads=) here, and leave everything else to _arrays.py. */
static PyObject *
sort_here(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
	const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
	PyObject *values[3] = { NULL, Py_False, no_threads };
	PyObject *positional, *keywords, *result = NULL;
	int simple = count == 1 && (PyObject *)Py_TYPE(arguments[0]) == plain;

	(void)module;
	for (Py_ssize_t i = 0; i < named && simple; i++) {
		int n = 0;

		while (n < 3 && PyTuple_GetItem(names, i) != names_of[n])
			n++;
		simple = n < 3;
		if (simple)
			values[n] = arguments[count + i];
	}
	if (simple && values[0] == arguments[0] &&
	    try_rows(values[0], values[1], values[2], NULL) == GSORT_OK)
		return Py_NewRef(values[0]);

	positional = PyTuple_New(count);
	keywords = PyDict_New();
	for (Py_ssize_t i = 0; i < count && positional != NULL; i++)
		PyTuple_SetItem(positional, i, Py_NewRef(arguments[i]));
	for (Py_ssize_t i = 0; i < named && keywords != NULL; i++)
		PyDict_SetItem(keywords, PyTuple_GetItem(names, i), arguments[count + i]);
	if (positional != NULL && keywords != NULL)
		result = PyObject_Call(sort_any, positional, keywords);
	Py_XDECREF(positional);
	Py_XDECREF(keywords);
	return result;
}

static PyMethodDef here = {
	"sort", (PyCFunction)(void (*)(void))sort_here, METH_FASTCALL | METH_KEYWORDS, NULL
};

/* (sort() of _arrays.py, numpy.ndarray, signature and documentation, "gsort"): sort_here() as gsort.sort() */
static PyObject *
in_place(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	static const char *const words[] = { "out", "descending", "threads" };

	(void)module;
	if (count != 4) {
		PyErr_BadArgument();
		return NULL;
	}
	for (int n = 0; n < 3; n++)
		names_of[n] = PyUnicode_InternFromString(words[n]);
	no_threads = PyLong_FromLong(0);
	sort_any = Py_NewRef(arguments[0]);
	plain = Py_NewRef(arguments[1]);
	here.ml_doc = PyUnicode_AsUTF8AndSize(Py_NewRef(arguments[2]), NULL);
	return PyErr_Occurred() ? NULL : PyCFunction_NewEx(&here, NULL, arguments[3]);
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
	{ "in_place", (PyCFunction)(void (*)(void))in_place, METH_FASTCALL, NULL },
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
