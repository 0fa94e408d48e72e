# SPDX-License-Identifier: BSD-2-Clause
"""libgsort.so.0 through ctypes, and through _calls.c where ctypes costs too much.  Both release the interpreter's lock
during a call, but for few keys in _calls.c.

The values of constants and the layout of structs come from libgsort.abi, which the tests of gsort
compare with gsort.h: so this file repeats no declaration of a struct.
"""
from __future__ import annotations

import ctypes
import functools
import importlib
import os
import pathlib
import struct
from typing import Any, Callable, Dict, Iterable, NoReturn, Optional, TypeVar

import numpy

from ._words import words

_HERE = pathlib.Path(__file__).resolve().parent
_Function = TypeVar("_Function", bound=Callable[..., Any])


class InputError(ValueError):
	"""The input is not what its type says: a line that is not a number, an array that is not sorted."""


class DeviceError(RuntimeError):
	"""A GPU that was demanded cannot be used, or failed."""


def _read_abi() -> Dict[str, int]:
	values = {}
	path = _HERE / "libgsort.abi"
	if not path.exists():		# in a source tree
		path = _HERE.parent.parent / "src" / "libgsort.abi"
	for line in path.read_text().splitlines():
		words = line.split()
		if len(words) == 2 and words[0].startswith("GSORT_"):
			values[words[0]] = int(words[1])
		elif len(words) == 3 and words[0] == "struct":
			values[words[1]] = int(words[2])
	return values


def load(library: str, variable: str) -> ctypes.CDLL:
	"""The library that the environment VARIABLE names, or the one in this package, or the installed one."""
	beside = _HERE / library
	return ctypes.CDLL(os.environ.get(variable) or (str(beside) if beside.exists() else library))


ABI = _read_abi()
LIBRARY = load("libgsort.so.0", "GSORT_LIBRARY")

_P, _Z, _I = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
for _name, _result, _arguments in [
	("gsort_open", _I, [ctypes.POINTER(_P), _P]),
	("gsort_run", _I, [_P]),
	("gsort_close", None, [_P]),
	("gsort_interrupt", None, [_P]),
	("gsort_progress", None, [_P, _P]),
	("gsort_stats", _P, [_P]),
	("gsort_message", ctypes.c_char_p, []),
	("gsort_last_error", _I, []),
	("gsort_last_errno", _I, []),
	("gsort_version", ctypes.c_char_p, []),
	("gsort_sort", _I, [_P, _Z, _I, _P]),
	("gsort_argsort", _I, [_P, _Z, _I, _P, _I, _P]),
	("gsort_sort_pairs", _I, [_P, _P, _Z, _Z, _I, _P]),
	("gsort_is_sorted", _I, [_P, _Z, _I, _P]),
	("gsort_merge_arrays", _I, [_P, _P, _P, _Z, _I, _P]),
]:
	_function = getattr(LIBRARY, _name)
	_function.restype, _function.argtypes = _result, _arguments


def _through_ctypes(*arguments: Any) -> None:
	"""Stands for _calls.sort() where that cannot be loaded: sorts nothing, so that the caller uses ctypes."""


try:
	_calls: Any = importlib.import_module("._calls", __package__)
	_calls.use(*[ctypes.cast(function, _P).value for function in (LIBRARY.gsort_sort, LIBRARY.gsort_argsort)])
	sort_quickly: Callable[..., Optional[int]] = _calls.sort
except ImportError:
	sort_quickly = _through_ctypes


def in_place(sort: _Function) -> _Function:
	"""SORT as gsort.sort(); with _calls, a function in C, which calls SORT unless it sorts one array in place."""
	if sort_quickly is _through_ctypes:
		return sort
	function: Any = sort
	names = function.__code__.co_varnames[:function.__code__.co_argcount]
	shown = [names[0], *(f"{name}={value!r}" for name, value in zip(names[1:], function.__defaults__)), "*",
	         *(f"{name}={value!r}" for name, value in function.__kwdefaults__.items())]
	made: _Function = _calls.in_place(sort, numpy.ndarray, f"sort({', '.join(shown)})\n--\n\n{sort.__doc__}", "gsort")
	return made


OK, DISORDER = ABI["GSORT_OK"], ABI["GSORT_DISORDER"]
TEXT, TEXT_FLOAT = ABI["GSORT_TEXT"], ABI["GSORT_TEXT_FLOAT"]

KINDS = {
	ABI["GSORT_ERROR_USAGE"]: ValueError,
	ABI["GSORT_ERROR_INPUT"]: InputError,
	ABI["GSORT_ERROR_IO"]: OSError,
	ABI["GSORT_ERROR_MEMORY"]: MemoryError,
	ABI["GSORT_ERROR_DEVICE"]: DeviceError,
	ABI["GSORT_ERROR_INTERRUPTED"]: KeyboardInterrupt,
}


# What a thread's last call said.
ERROR = [functools.partial(LIBRARY.gsort_last_error), functools.partial(LIBRARY.gsort_last_errno),
         functools.partial(LIBRARY.gsort_message)]


def error(kind_of_error: int, number: int, message: str, files: Iterable[str] = ()) -> BaseException:
	"""The exception for an ERROR, with the errno and the name of the one of FILES in its MESSAGE."""
	kind = KINDS.get(kind_of_error, RuntimeError)
	if kind is OSError and number != 0:		# FileNotFoundError, PermissionError ...
		for file in sorted(files, key=len, reverse=True):
			if f": {file}: " in message:
				return OSError(number, message.replace(f": {file}: ", ": ", 1), file)
		return OSError(number, message)
	return kind(message)


def fail() -> NoReturn:
	kind, number, said = [call() for call in ERROR]
	raise error(kind, number, words(said, {}))


def refuse_number(parameter: str, value: Any, least: int = 0) -> NoReturn:
	kind = ValueError if hasattr(value, "__index__") else TypeError
	raise kind(f"{parameter} must be a whole number from {least} on, not {value!r}") from None


class Struct:
	"""The bytes of a struct of gsort.h, by the names of its members.  C takes it as a pointer."""

	def __init__(self, name: str) -> None:
		self.name, self.size = name, ABI[name]
		self.bytes = ctypes.create_string_buffer(self.size)
		self.keep: Any = []		# what members point to
		self._as_parameter_ = ctypes.cast(self.bytes, _P)

	def put(self, member: str, code: str, value: Any, parameter: str = "", within: int = 0) -> None:
		try:
			struct.pack_into(code, self.bytes, ABI[f"{self.name}.{member}"] + within, value)
		except struct.error:
			refuse_number(parameter or member, value)

	def get(self, member: str, code: str) -> Any:
		return struct.unpack_from(code, self.bytes, ABI[f"{self.name}.{member}"])[0]

	def put_pointer(self, member: str, value: Any) -> None:
		"""Point MEMBER to a ctypes object, and keep that."""
		self.keep.append(value)
		self.put(member, "P", ctypes.cast(value, _P).value)

	def put_object(self, member: str, value: Any) -> None:
		"""Point MEMBER to a Python object, and keep that."""
		self.keep.append(value)
		self.put(member, "P", id(value))


def options(name: str) -> Struct:
	new = Struct(name)
	new.put("struct_size", "N", ABI[name])
	return new
