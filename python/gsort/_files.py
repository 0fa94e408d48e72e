# SPDX-License-Identifier: BSD-2-Clause
"""Files: raw binary keys, text, and .npy of one dimension."""
from __future__ import annotations

import _thread
import ctypes
import functools
import os
import sys
import warnings
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import type_of

Path = Union[str, "os.PathLike[str]"]


class Progress(NamedTuple):
	"""How far a job has come."""
	phase: str		# reading, sorting, merging, writing, done
	bytes_in: int
	bytes_total: Optional[int]	# None: unknown
	keys_in: int
	bytes_out: int


class Stats(NamedTuple):
	"""What a job did."""
	keys: int		# read
	keys_out: int		# written
	bytes_in: int
	bytes_out: int
	runs: int		# in temporary files
	seconds: float


_PHASES = ("idle", "reading", "sorting", "merging", "writing", "done")
_NO_SIZE = 2**64 - 1
_POLL_SECONDS = 0.1

_Append = ctypes.CFUNCTYPE(None, ctypes.py_object, ctypes.c_char_p)


# --- what the inputs are ---------------------------------------------------------------

def _type(kind: Union[npt.DTypeLike, str, None]) -> Tuple[int, bool]:
	"""The gsort_type, and whether the keys are in the other byte order."""
	if kind is None or kind == "text":
		return _native.TEXT, False
	if kind == "text-float":
		return _native.TEXT_FLOAT, False
	try:
		dtype = np.dtype(kind)
	except TypeError as error:
		raise TypeError(f"{error}; type is a dtype such as 'u4' or 'float64', 'text' or 'text-float'") from None
	return type_of(dtype.newbyteorder("=")), not dtype.isnative


# --- running a job -------------------------------------------------------------------------

_call = functools.partial


def _call_each(calls: Iterable["functools.partial[Any]"], results: List[Any]) -> None:
	"""Append what each call returns.  For the interpreter this is one call into C: an exception from
	elsewhere (a signal, another thread) comes before the first or after the last."""
	results.extend(map(functools.partial.__call__, calls))


class _Job:
	"""A job that runs in a thread of its own, so that this one can be interrupted.

	An exception may come between any two lines of Python.  So the thread runs none: it is a list of
	calls into C, from gsort_open() to gsort_close(), and holds what they need.  It alone opens and
	closes the job, and then sets the handle to NULL; with NULL, calls of the library do nothing.
	Others use the handle with the lock.
	"""

	def __init__(self, options: _native.Struct) -> None:
		library = _native.LIBRARY
		self.warnings: List[bytes] = []
		options.put_pointer("warn", _Append(list.append))
		options.put_object("warn_context", self.warnings)
		self.handle = ctypes.c_void_p()
		self.figures, self.last = _native.Struct("gsort_stats"), _native.Struct("gsort_progress")
		self.lock, self.ended = _thread.allocate_lock(), _thread.allocate_lock()
		self.ended.acquire()
		self.calls = [
			_call(library.gsort_open, ctypes.byref(self.handle), options), *_native.ERROR,
			_call(library.gsort_run, self.handle), *_native.ERROR,
			_call(next, map(ctypes.memmove, [self.figures], map(library.gsort_stats, [self.handle]),
			                [self.figures.size])),
			_call(library.gsort_progress, self.handle, self.last),
			_call(self.lock.acquire),
			_call(library.gsort_close, self.handle),
			_call(ctypes.memset, ctypes.byref(self.handle), 0, ctypes.sizeof(self.handle)),
			_call(self.lock.release),
			_call(self.ended.release),
		]
		self.results: List[Any] = []	# of the calls
		self.threads: List[int] = []	# that have been started: one

	def _start(self) -> None:
		calls = map(functools.partial.__call__, self.calls)
		_call_each([_call(_thread.start_new_thread, self.results.extend, (calls,))], self.threads)

	def _has_ended(self) -> bool:
		return len(self.results) >= len(self.calls) - 1		# all calls before that which says so

	def _use(self, function: Callable[..., Any], *arguments: Any) -> None:
		_call_each([_call(self.lock.acquire), _call(function, self.handle, *arguments),
		            _call(self.lock.release)], [])

	def _stop(self) -> None:
		"""End the job and wait for it, however often Ctrl-C is pressed."""
		while self.threads and not self._has_ended():
			try:
				self._use(_native.LIBRARY.gsort_interrupt)
				self.ended.acquire(timeout=_POLL_SECONDS)
			except BaseException:
				pass

	def progress(self) -> Progress:
		now = _native.Struct("gsort_progress")
		self._use(_native.LIBRARY.gsort_progress, now)
		if self._has_ended():
			now = self.last
		total = now.get("bytes_total", "Q")
		return Progress(_PHASES[now.get("phase", "I")], now.get("bytes_in", "Q"),
		                None if total in (0, _NO_SIZE) else total, now.get("keys_in", "Q"),
		                now.get("bytes_out", "Q"))

	def stats(self) -> Stats:
		return Stats(*[self.figures.get(name, "I" if name == "runs" else "d" if name == "seconds" else "Q")
		               for name in Stats._fields])

	def run(self, progress: Optional[Callable[[Progress], Any]]) -> Stats:
		try:
			self._start()
			while not self._has_ended():
				if not self.ended.acquire(timeout=_POLL_SECONDS) and progress is not None:
					progress(self.progress())
		except BaseException:		# KeyboardInterrupt, or what PROGRESS raises
			self._stop()
			raise
		for line in self.warnings:
			warnings.warn(_native.words(line), RuntimeWarning, stacklevel=4)
		length = 1 + len(_native.ERROR)		# of a result and what is said of it
		for status, *error in (self.results[:length], self.results[length:2 * length]):
			if status != _native.OK:
				raise _native.error(*error)
		if progress is not None:
			progress(self.progress())
		return self.stats()


def _paths(names: Union[Path, Sequence[Path]]) -> List[bytes]:
	"""The bytes of one path, or of several."""
	paths = [os.fsencode(p) for p in ([names] if isinstance(names, (str, bytes, os.PathLike)) else names)]
	if any(b"\0" in path for path in paths):
		raise ValueError("a path has a null byte in it")
	return paths


def _put_paths(options: _native.Struct, member: str, count: str, paths: List[bytes]) -> None:
	options.put_pointer(member, (ctypes.c_char_p * len(paths))(*paths))
	options.put(count, "N", len(paths))


def _run(operation: str, src: Union[Path, Sequence[Path]], dst: Path, kind: Any, descending: bool,
         unique: bool, memory: Optional[int], threads: int, temp_dirs: Union[Path, Sequence[Path]],
         progress: Optional[Callable[[Progress], Any]]) -> Stats:
	paths, directories, (output,) = _paths(src), _paths(temp_dirs), _paths([dst])
	if not paths:
		raise ValueError("there is no file to read")
	gsort_type, swapped = _type(kind)
	paths = [b"./-" if path == b"-" else path for path in paths]	# which is a file here, as any other
	options = _native.options("gsort_options")
	options.put("operation", "I", _native.ABI[operation])
	options.put("type", "I", gsort_type)
	options.put("reverse", "?", descending)
	options.put("unique", "?", unique)
	_put_paths(options, "inputs", "input_count", paths)
	options.put("memory_bytes", "Q", memory or 0, "memory")
	options.put("threads", "I", threads)
	if directories:
		_put_paths(options, "temp_dirs", "temp_dir_count", directories)
	if swapped:
		options.put("endian", "I", _native.ABI["GSORT_ENDIAN_BIG" if sys.byteorder == "little"
		                                       else "GSORT_ENDIAN_LITTLE"])
	options.put_pointer("output", ctypes.c_char_p(output))
	return _Job(options).run(progress)


def sort_file(src: Union[Path, Sequence[Path]], dst: Path, *,
              type: Union[npt.DTypeLike, str, None] = None, descending: bool = False,
              unique: bool = False, memory: Optional[int] = None, threads: int = 0,
              temp_dirs: Union[Path, Sequence[Path]] = (),
              progress: Optional[Callable[[Progress], Any]] = None) -> Stats:
	"""Sort the keys of the file SRC, or of several together, into the file DST, which may be SRC.

	TYPE is a dtype of raw binary keys as numpy spells it ("u8" has 8 bytes), "text" (integers, one a
	line; the default) or "text-float".  A file of numpy.save() is known by how it begins; its header
	says the type, and DST gets one, too.  MEMORY is a limit in bytes: what is larger is sorted through
	temporary files in TEMP_DIRS.  PROGRESS is called ten times a second with a Progress.

	All names are those of files: "-" is one, too.  DST is replaced when all is written.  After an error, or KeyboardInterrupt, it is as it was.
	"""
	return _run("GSORT_SORT", src, dst, type, descending, unique, memory, threads, temp_dirs, progress)


def merge_files(srcs: Sequence[Path], dst: Path, *,
                type: Union[npt.DTypeLike, str, None] = None, descending: bool = False,
                unique: bool = False, memory: Optional[int] = None, threads: int = 0,
                temp_dirs: Union[Path, Sequence[Path]] = (),
                progress: Optional[Callable[[Progress], Any]] = None) -> Stats:
	"""Merge sorted files into DST.  InputError: one of them is not sorted.  Otherwise as sort_file()."""
	return _run("GSORT_MERGE", srcs, dst, type, descending, unique, memory, threads, temp_dirs, progress)
