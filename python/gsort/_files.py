# SPDX-License-Identifier: BSD-2-Clause
"""Sort, merge, check and combine files, and compute figures about files and arrays."""
from __future__ import annotations

import _thread
import contextlib
import ctypes
import functools
import itertools
import json
import operator
import os
import tempfile
import warnings
from typing import (TYPE_CHECKING, Any, BinaryIO, Callable, Dict, List, Mapping, NamedTuple,
                    Optional, Protocol, Sequence, Tuple, Union, overload)

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import _array
from ._keys import Array, type_of
from ._npy import adopt
from ._options import (NAMED, Options, Path, Progress, check_whole, dtype_of, fill, is_path, is_record, items_of,
                       paths_of)
from ._words import words

if TYPE_CHECKING:
	from typing_extensions import Unpack

Paths = Union[Path, Sequence[Path]]
Source = Union[Path, npt.ArrayLike, Sequence[Union[Path, npt.ArrayLike]]]		# an array, or several

class Stats(NamedTuple):
	"""What a job did."""
	keys: int		# read
	keys_out: int		# written
	bytes_in: int
	bytes_out: int
	runs: int		# in temporary files
	seconds: float


class Check(NamedTuple):
	"""What check_file() found: true if the file is sorted."""
	is_sorted: bool
	disorder: str		# the first item that is out of order: "in.txt:3: disorder: 7"; "" if there is none
	breaks: int		# items less than the one before; if counted
	duplicates: int		# items equal to the one before; if counted

	def __bool__(self) -> bool:
		return self.is_sorted


_PHASES = ("idle", "reading", "sorting", "merging", "writing", "done")
_NO_SIZE = 2**64 - 1
_POLL_SECONDS = 0.1

_Append = ctypes.CFUNCTYPE(None, ctypes.py_object, ctypes.c_char_p)
_Extend = ctypes.CFUNCTYPE(None, ctypes.py_object)
_LIBC = ctypes.CDLL(None)
_LIBC.pthread_create.argtypes = [ctypes.POINTER(ctypes.c_ulong), ctypes.c_void_p, _Extend, ctypes.py_object]
_LIBC.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]


# --- running a job -------------------------------------------------------------------------

_call = functools.partial


class _Job:
	"""A job that runs in its own thread, so that the calling thread can be interrupted.

	The handler of a signal may raise an exception when a function of Python begins, in a loop, and after a
	call into C, but not within such a call.  map() makes its calls when it is asked for their results, and
	list.extend() asks for all: for the interpreter this is one call into C.  So the thread runs no Python,
	and nothing cuts end() short, which interrupts the job, waits for the thread, and closes the job.
	A second end() finds nothing to do.  Until Python 3.10, a handler may also run before the first call of a
	finally block; then the interpreter calls end(), through a property without Python, when it drops the
	exception and with it the job.
	"""

	__del__ = property(operator.attrgetter("end"))

	def __init__(self, options: _native.Struct, names: Dict[bytes, str]) -> None:
		library = _native.LIBRARY
		self.options, self.names = options, names
		self.warnings: List[bytes] = []
		options.put_pointer("warn", _Append(list.append))
		options.put_object("warn_context", self.warnings)
		self.handle, self.thread, self.ended = ctypes.c_void_p(), ctypes.c_ulong(), _thread.allocate_lock()
		self.ended.acquire()
		self.figures = _native.Struct("gsort_stats")
		self.results: List[Any] = []	# the status, and what is said of it
		calls = [_call(library.gsort_run, self.handle), *_native.ERROR, _call(self.ended.release)]
		self.body, self.calls = _Extend(self.results.extend), map(_call.__call__, calls)	# of the thread
		self.started: List[int] = []	# 0 once it has been
		self.end = _call(self.results.extend, itertools.chain(
			map(library.gsort_interrupt, [self.handle]),
			map(_LIBC.pthread_join, [self.thread], self.started),
			map(library.gsort_close, [self.handle])))

	def _do(self, progress: Optional[Callable[[Progress], Any]]) -> Optional[Progress]:
		"""Do the job.  Returns how far it has come, or None if it could not be opened."""
		library = _native.LIBRARY
		opened = library.gsort_open(ctypes.byref(self.handle), self.options)
		if opened != _native.OK:
			self.results += [opened, *[call() for call in _native.ERROR]]
			return None
		self.started.extend(filter((0).__eq__, map(_LIBC.pthread_create, [self.thread], [None], [self.body],
		                                           [self.calls])))
		if not self.started:
			raise RuntimeError("cannot start a thread")
		while not self.ended.acquire(timeout=_POLL_SECONDS):
			if progress is not None:
				progress(self._progress())
		ctypes.memmove(self.figures.bytes, library.gsort_stats(self.handle), self.figures.size)
		return self._progress()

	def _progress(self) -> Progress:
		now = _native.Struct("gsort_progress")
		_native.LIBRARY.gsort_progress(self.handle, now)
		total = now.get("bytes_total", "Q")
		return Progress(_PHASES[now.get("phase", "I")], now.get("bytes_in", "Q"),
		                None if total in (0, _NO_SIZE) else total, now.get("keys_in", "Q"),
		                now.get("bytes_out", "Q"))

	def stats(self) -> Stats:
		return Stats(*[self.figures.get(name, "I" if name == "runs" else "d" if name == "seconds" else "Q")
		               for name in Stats._fields])

	def run(self, progress: Optional[Callable[[Progress], Any]]) -> None:
		try:
			last = self._do(progress)
		finally:
			self.end()
		for line in self.warnings:
			warnings.warn(words(line, self.names), RuntimeWarning, stacklevel=4)
		status, kind, number, said = self.results[:4]
		if status not in (_native.OK, _native.DISORDER):
			raise _native.error(kind, number, words(said, self.names), self.names.values())
		self.is_sorted = bool(status == _native.OK)		# of a check
		self.said = "" if self.is_sorted else words(said, self.names)
		if progress is not None and last is not None:
			progress(last)


# --- what goes in and out ----------------------------------------------------------------------

def _memory() -> BinaryIO:
	"""A file without a name, in memory if the system supports that."""
	if hasattr(os, "memfd_create"):
		return os.fdopen(os.memfd_create("gsort"), "w+b")
	return tempfile.TemporaryFile()


def _path_of(file: BinaryIO) -> bytes:
	return b"/proc/self/fd/%d" % file.fileno()


def _sources(src: Any) -> List[Any]:
	"""The paths and arrays in SRC; a sequence of numbers is an array."""
	one = is_path(src) or hasattr(src, "__array__")
	if not one and (hasattr(src, "read") or not hasattr(src, "__iter__")):		# an open file has lines, not paths
		raise TypeError(f"src must be a path, an array, or several of them, not {type(src).__name__}")
	several: List[Any] = [src] if one else list(src)
	if several and not is_path(several[0]) and np.ndim(several[0]) == 0:
		several = [np.asarray(src)]
	sources = [source if is_path(source) else _array(source) for source in several]
	if len({None if is_path(source) else source.dtype.newbyteorder("=") for source in sources}) > 1:
		return sources
	return [source if is_path(source) or len({other.dtype for other in sources}) == 1
	        else source.astype(source.dtype.newbyteorder("=")) for source in sources]


def _with_type(sources: Sequence[Any], given: Mapping[str, Any]) -> Dict[str, Any]:
	"""The options GIVEN, with the type of the arrays among SOURCES."""
	dtypes = {source.dtype for source in sources if not is_path(source)}
	if not dtypes:
		return dict(given)
	for dtype in dtypes:
		if dtype.hasobject or not is_record(dtype):
			type_of(dtype)
	kind = given.get("type")
	if len(dtypes) > 1 or kind is not None and dtype_of(kind) not in dtypes:
		raise TypeError("arrays that go together have one dtype, which is the type")
	return {"format": "raw", "force": True, **given, "type": dtypes.pop()}


def _run(function: str, src: Source, dst: Optional[Path], given: Mapping[str, Any], **own: Any) -> _Job:
	"""Run a job for FUNCTION, which the caller gave the options GIVEN, and which adds its OWN."""
	sources, outputs = _sources(src), [] if dst is None else paths_of([dst])
	given = _with_type(sources, adopt(sources, given)[0])
	with contextlib.ExitStack() as stack:
		names, paths = {path: os.fsdecode(path) for path in outputs}, []
		for number, source in enumerate(sources):
			if is_path(source):
				paths += paths_of(source)
				names[paths[-1]] = os.fsdecode(paths[-1])
			else:
				file = stack.enter_context(_memory())
				file.write(np.ascontiguousarray(source).reshape(-1).view("u1").data)
				file.flush()
				paths.append(_path_of(file))
				names[paths[-1]] = f"array {number}"
		job = _Job(fill(function, paths, outputs[0] if outputs else None, given, own), names)
		job.run(given.get("progress"))
		return job


# --- files ---------------------------------------------------------------------------------

def _write(function: str, src: Paths, dst: Path, options: Mapping[str, Any], **own: Any) -> Stats:
	"""Run a job whose output has the header of its inputs, but for the number of items."""
	sources, path = _sources(src), os.fspath(dst)
	given, npy = adopt(sources, options)
	if npy is None:
		return _run(function, sources, path, given, **own).stats()
	with _memory() as header:
		header.write(npy.header_of(npy.items))		# raises before anything is written if there is no room
		header.flush()
		if len(sources) > 1:
			sources = [_path_of(header), *sources]
		stats = _run(function, sources, path, given, **own).stats()
	if stats.keys_out != npy.items:
		with open(path, "r+b") as file:
			file.write(npy.header_of(stats.keys_out))
	return stats


def sort_file(src: Paths, dst: Path, **options: Unpack[Options]) -> Stats:
	"""Sort one or several files SRC into the file DST, which may be SRC.

	For OPTIONS see gsort.Options: type="u4" for raw binary keys, memory=2**30, csv=True, header=1,
	key="price:n".  Every name is a file name, even "-".  DST is replaced when the output is complete.  After
	an error or KeyboardInterrupt, it is unchanged.
	"""
	return _write("sort_file", src, dst, options)


def merge_files(srcs: Paths, dst: Path, **options: Unpack[Options]) -> Stats:
	"""Merge sorted files into DST, with the options of sort_file().  InputError: a file is not sorted."""
	return _write("merge_files", srcs, dst, options, operation="GSORT_MERGE")


def check_file(src: Paths, *, counted: bool = False, **options: Unpack[Options]) -> Check:
	"""Is the file SRC in the order in which sort_file() would write it?  The result is true if it is.

	The check stops at the first item out of order and names it.  With COUNTED, it reads the whole file, and counts
	breaks and duplicates.
	"""
	job = _run("check_file", src, None, options, operation="GSORT_CHECK",
	           check="summary" if counted else "first")
	return Check(job.is_sorted, job.said, job.figures.get("breaks", "Q"), job.figures.get("duplicates", "Q"))


# --- times, whose NaT is last --------------------------------------------------------------------

_SIGN, _ONE = np.uint64(2**63), np.uint64(1)


def _dtype_of_times(sources: List[Any]) -> "Optional[np.dtype[Any]]":
	dtypes = {None if is_path(source) else source.dtype for source in sources}
	dtype = next(iter(dtypes), None)
	return dtype if len(dtypes) == 1 and dtype is not None and dtype.kind in "mM" else None


def _ticks(sources: List[Any]) -> Tuple[List[Any], "Optional[np.dtype[Any]]"]:
	"""Arrays of times as unsigned integers in numpy's order, and their dtype; other arrays unchanged."""
	dtype = _dtype_of_times(sources)
	if dtype is None:
		return sources, None
	native = [np.ascontiguousarray(source, dtype.newbyteorder("=")) for source in sources]
	return [(times.view("u8") ^ _SIGN) - _ONE for times in native], dtype


def _times(ticks: npt.ArrayLike, dtype: "np.dtype[Any]") -> Array:
	"""Undo _ticks(): integers become times of DTYPE again."""
	bits: Array = np.asarray((np.atleast_1d(np.asarray(ticks, "u8")) + _ONE) ^ _SIGN)
	return bits.view(dtype.newbyteorder("=")).astype(dtype, copy=False)


# --- figures --------------------------------------------------------------------------------

def _kind_of_value(given: Mapping[str, Any]) -> Any:
	"""The type of the keys; for records, the type of their key field."""
	kind, key = given.get("type"), given.get("key")
	if kind is None or isinstance(kind, str) and kind in NAMED or not is_record(dtype_of(kind)):
		return kind
	fields: Mapping[str, Any] = dtype_of(kind).fields or {}
	names = [key] if isinstance(key, str) else list(key or fields)
	return fields[names[0].partition(":")[0]][0] if names and fields else None


def _value(said: Any, kind: Any, is_edge: bool = False) -> Any:
	"""The key of type KIND that the library SAID with the fewest digits, or as a word.  An edge may exceed the type."""
	word = kind if isinstance(kind, str) and kind in NAMED else None
	if said is not None and (word in ("text-float", "bf16") or said in ("nan", "-nan", "inf", "-inf")):
		return float(said)
	if said is None or kind is None or word:
		return said
	dtype = dtype_of(kind)
	if dtype.kind in "iu":
		return int(said)
	return float(said) if is_edge and dtype.kind == "f" else dtype.type(said).item()


def _figures(function: str, src: Source, given: Mapping[str, Any], value: Any, *keys: str, **more: Any) -> Any:
	"""The figures that the library writes about SRC.  Members named in KEYS are keys; MORE are options of FUNCTION."""
	for name in "tail", "sample":		# the library would write these keys beside the figures
		if given.get(name) is not None:
			raise ValueError(f"{function}() and {name} are incompatible")
	sources, times = _ticks(_sources(src))
	given = _with_type(sources, adopt(sources, given)[0])
	with _memory() as into:
		_run(function, sources, _path_of(into), given, json=True, **{function: value}, **more)
		found = json.load(into, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))[function]
		kind = _kind_of_value(given)
	edges = more.get("edges", "equal") != "equal"
	for row in found if isinstance(found, list) else [found]:
		row.update({key: _value(row[key], kind, edges) for key in keys})
		if times is not None:
			row.update({key: _times(row[key], times)[0] for key in keys if row[key] is not None})
			for name in {"sum", "mean"} & row.keys():
				del row[name]
	return found


def quantiles(src: Source, q: Union[float, Sequence[float]], **options: Unpack[Options]) -> Any:
	"""The quantile Q (0 to 1) of the keys in SRC, files or arrays; a list if Q is a sequence.

	A quantile is always one of the keys (nearest rank): the smallest key such that at least Q times the number of
	keys are less than or equal to it.  It is None if there are no keys.  For lines, give a numeric key: csv=True, header=1, key="price:n".  If
	the key is text, a quantile is the first line with that key.
	"""
	text = ",".join(np.format_float_positional(float(one), trim="-") for one in np.atleast_1d(q))
	found = [row["value"] for row in _figures("quantiles", src, options, text, "value")]
	return found if np.ndim(q) > 0 else found[0]


def summary(src: Source, **options: Unpack[Options]) -> Dict[str, Any]:
	"""Count, distinct, min, q1, median, q3, max, sum and mean of the keys in SRC, files or arrays.

	Times have no sum and mean.  For lines, keys are numbers or text, as for quantiles(); missing counts the lines
	without a number.
	"""
	found: Dict[str, Any] = _figures("summary", src, options, True, "min", "q1", "median", "q3", "max")
	are_floats = isinstance(found["max"], float)
	for name in {"sum", "mean"} & found.keys():
		found[name] = _value(found[name], "text-float" if are_floats else None)
	return found


def top(src: Source, k: int = 10, **options: Unpack[Options]) -> List[Tuple[Any, int]]:
	"""The K most frequent keys in SRC, files or arrays, each with its count.

	For lines with key=..., a key is the text of its field, or a list if there are several keys.  For records, it is
	the key fields.
	"""
	check_whole("k", k)
	sources = _sources(src)
	given = adopt(sources, options)[0]
	arrays = [source.dtype for source in sources if not is_path(source)]
	given = {"type": arrays[0], **given} if arrays else given
	items = items_of(given)
	if items == "keys":
		return [(row["value"], row["count"]) for row in _figures("top", sources, options, k, "value")]
	return _top_items(items, sources, given, k)


def _top_items(items: str, sources: List[Any], given: Mapping[str, Any], k: int) -> List[Tuple[Any, int]]:
	"""The same for lines, records and keys of 128 bits."""
	form: Dict[str, Any] = {"json": True} if items == "lines" else {"to": "text"} if items == "wide" else {}
	with _memory() as into:
		_run("top", sources, _path_of(into), given, top=k, **form)
		if items == "lines":
			return [(row["value"], row["count"]) for row in json.load(into)["top"]]
		if items == "wide":
			words = list(map(int, into.read().replace(b"\0", b"\n").split()))
			return list(zip(words[1::2], words[::2]))
		dtype, keys = dtype_of(given["type"]), given.get("key") or []
		names = [name.removesuffix(":r") for name in ([keys] if isinstance(keys, str) else keys)]
		fields = np.dtype([(name, dtype[name]) for name in names or dtype.names or []])
		rows = np.fromfile(into, [("value", fields if fields.names else dtype), ("count", "u8")],
		                   offset=given.get("skip_bytes", 0))
		values = rows["value"][names[0]] if len(names) == 1 else rows["value"]
		return list(zip(values.tolist(), rows["count"].tolist()))


def histogram(src: Source, bins: int = 10, *, edges: str = "equal",
              **options: Unpack[Options]) -> List[Tuple[Any, Any, int]]:
	"""The number of keys in SRC, files or arrays, in each of BINS equal intervals.

	With EDGES="round", there are at most BINS intervals, whose edges have few digits.  With "log", edges are 1, 2, 5,
	10, 20 and so on, or powers of ten; times are refused.  A row is the first and the last number of an interval,
	and the count; these numbers may exceed the type of the keys.  NaN and NaT have their own row.
	"""
	check_whole("bins", bins, 1)
	sources = _sources(src)
	dtype = _dtype_of_times(sources)
	if dtype is not None:
		return _histogram_of_times(sources, bins, edges, options, dtype)
	return [(row["from"], row["to"], row["count"])
	        for row in _figures("histogram", sources, options, bins, "from", "to", edges=edges)]


def _histogram_of_times(sources: List[Any], bins: int, edges: str, options: Mapping[str, Any],
                        dtype: "np.dtype[Any]") -> List[Tuple[Any, Any, int]]:
	"""A histogram of the times as numbers in their unit, so that edges are round in it."""
	if edges == "log":
		raise ValueError(f"edges='log' is of numbers, not of {dtype}")
	native = dtype.newbyteorder("=")
	numbers = [source[~np.isnat(source)].astype(native).view("i8") for source in sources]

	def time(edge: int) -> Any:
		"""-2**63 is NaT."""
		return np.array([min(max(edge, 1 - 2**63), 2**63 - 1)], "i8").view(native)[0]

	rows = [(time(row["from"]), time(row["to"]), row["count"])
	        for row in _figures("histogram", numbers, options, bins, "from", "to", edges=edges)]
	missing = sum(np.size(source) - np.size(number) for source, number in zip(sources, numbers))
	if missing > 0:
		nat = np.array("NaT", dtype)[()]
		rows.append((nat, nat, missing))
	return rows


# --- sets -----------------------------------------------------------------------------------

class _SetOperation(Protocol):
	@overload
	def __call__(self, srcs: Source, dst: None = None, **options: Unpack[Options]) -> Array: ...
	@overload
	def __call__(self, srcs: Source, dst: Path, **options: Unpack[Options]) -> Stats: ...


def _set_operation(name: str, count: str) -> _SetOperation:
	def combine(srcs: Source, dst: Optional[Path] = None, **options: Unpack[Options]) -> Any:
		constant = "GSORT_" + name.upper()
		if adopt(_sources(srcs), options)[1] is not None:
			raise ValueError(f"{name}() takes no .npy files: numpy.load(path, mmap_mode='r') gives an array")
		if dst is not None:
			return _run(name, srcs, dst, options, set=constant).stats()
		sources, times = _ticks(_sources(srcs))
		given = _with_type(sources, options)
		if any(map(is_path, sources)) or given.keys() & {"to", "count"}:
			raise ValueError(f"{name}() needs a dst for files, and with to and count")
		with _memory() as into:
			_run(name, sources, _path_of(into), given, set=constant)
			result = np.fromfile(into, given["type"])
			return result if times is None else _times(result, times)

	combine.__name__ = combine.__qualname__ = name
	combine.__doc__ = f"""The {name} of SRCS, files or arrays, sorted or not, in the file DST or as an array.

	A key that occurs M times in the first and N times in the second occurs {count} times in the result; with
	unique=True, all these numbers are 0 or 1.  The result for two SRCS is combined with the third, and so on.
	"""
	return combine


union = _set_operation("union", "max(M, N)")
intersect = _set_operation("intersect", "min(M, N)")
difference = _set_operation("difference", "max(M - N, 0)")
symmetric = _set_operation("symmetric", "abs(M - N)")
