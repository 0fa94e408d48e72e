# SPDX-License-Identifier: BSD-2-Clause
"""The options of a job: keyword arguments become a struct gsort_options."""
from __future__ import annotations

import ctypes
import difflib
import os
import sys
from typing import Any, Callable, Collection, List, Mapping, NamedTuple, Optional, Sequence, TypedDict, Union

import numpy as np

from . import _native
from ._keys import type_of
from ._words import PARAMETERS

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Progress(NamedTuple):
	"""How far a job has come."""
	phase: str		# reading, sorting, merging, writing, done
	bytes_in: int
	bytes_total: Optional[int]	# None: unknown
	keys_in: int
	bytes_out: int


class Options(TypedDict, total=False):
	"""Keyword arguments of all functions for files; None means that an option is not given.

	Items: TYPE is one of these:
	- a dtype for raw binary keys, as numpy spells it ("u8" has 8 bytes), or "bf16", "u128", "i128";
	- "text" (integers, the default), "text-float", "hex", "ipv4" or "time", for numbers as text, one per line;
	- a dtype with fields, for binary records.
	FORMAT is "auto", "raw" or "npy".  With "auto", a file written by numpy.save() is recognized by its first
	bytes.  Its header gives the type, and the output gets a header, too; TO, COUNT, ARGSORT and SPLIT cannot be
	combined with it.  LINES, CSV, SEPARATOR, ORDERING or KEY sort lines, as sort(1) does.

	Keys: KEY is one key or a list of keys.  For lines, a key is "3,3n" as for sort(1), or with HEADER a column name,
	"price:nr".  ORDERING has the letters for keys without letters; DESCENDING, too, applies only to these.  For
	records and .npy files, a key is a field, "price" or "price:r"; without KEY, records are sorted by all fields.

	Input: HEADER lines or SKIP_BYTES bytes at the start are copied unchanged.  INVALID says what to do with lines
	that are not numbers: "abort", "fail", "warn", "ignore" or "skip-blank".  DECOMPRESS is "auto", "none",
	"gzip", "bzip2", "xz", "zstd" or "lz4".  FORCE reads files that do not look like keys.

	Output: DESCENDING sorts in descending order.  UNIQUE writes one of equal keys, COUNT also how often it occurs;
	REPEATED writes only keys that occur several times, SINGLETONS only keys that occur once.  HEAD, TAIL and SAMPLE
	are numbers of keys to write.  TO is another type; ARGSORT "u4" or "u8" writes positions in the input.  VERIFY
	checks the output.  SPLIT is a number of files to write; "%r" in the name stands for their number.  IN_PLACE
	overwrites the file instead of replacing it.

	Resources: MEMORY is a limit in bytes.  Larger inputs go through temporary files in TEMP_DIRS.
	COMPRESS_PROGRAM "zstd" or "lz4" compresses these files.  At most BATCH_SIZE runs or files are merged at once.
	THREADS=0 means one per core, at most 16.  DEVICE is "auto", "cpu", "gpu" or "gpu:1"; GPU_MEMORY limits its memory.
	PROGRESS is called ten times a second with a Progress.
	"""
	type: Any
	format: str
	lines: bool
	csv: bool
	separator: str
	ordering: str
	key: Union[str, Sequence[str], None]
	stable: bool
	zero_terminated: bool
	header: int
	skip_bytes: int
	invalid: str
	decompress: str
	force: bool
	descending: bool
	unique: bool
	count: bool
	keep_order: bool
	repeated: bool
	singletons: bool
	head: int
	tail: int
	sample: int
	seed: int
	trust_order: bool
	to: Any
	argsort: Any
	verify: bool
	split: int
	in_place: bool
	memory: Optional[int]
	temp_dirs: Union[Path, Sequence[Path]]
	compress_program: str
	batch_size: int
	threads: int
	device: str
	gpu_memory: Optional[int]
	progress: Optional[Callable[[Progress], Any]]


# Members that take a value as it is, by parameter.
_FLAGS = {"descending": "reverse", "count": "counts",
          **{name: name for name in ("force", "csv", "stable", "zero_terminated", "unique", "keep_order",
                                     "repeated", "singletons", "trust_order", "verify", "in_place", "summary", "json")}}
_NUMBERS = {"header": ("header_lines", "Q"), "skip_bytes": ("skip_bytes", "Q"), "seed": ("seed", "Q"),
            "split": ("split", "I"), "memory": ("memory_bytes", "Q"), "batch_size": ("merge_files", "I"),
            "gpu_memory": ("gpu_memory_bytes", "Q"), "threads": ("threads", "I"), "histogram": ("histogram", "I")}
_COUNTS = ("tail", "sample", "top")
_WORDS = {**{name: name for name in ("format", "invalid", "decompress", "check")}, "edges": "histogram_edges"}
_TEXTS = ("separator", "ordering", "compress_program", "quantiles")

# Types that have a name here and not in numpy: the type, and the notation.
NAMED = {"text": ("TEXT", "DECIMAL"), "text-float": ("TEXT_FLOAT", "DECIMAL"), "hex": ("TEXT", "HEXADECIMAL"),
         "ipv4": ("TEXT", "IPV4"), "time": ("TEXT", "TIME"), "bf16": ("BF16", "DECIMAL"),
         "u128": ("U128", "DECIMAL"), "i128": ("I128", "DECIMAL")}


def is_path(source: Any) -> bool:
	return isinstance(source, (str, bytes, os.PathLike))


def paths_of(names: Union[Path, Sequence[Path]]) -> List[bytes]:
	"""The bytes of one path, or of several.  Every path names a file, even "-"."""
	paths = [os.fsencode(p) for p in ([names] if isinstance(names, (str, bytes, os.PathLike)) else names)]
	if any(b"\0" in path for path in paths):
		raise ValueError("a path has a null byte in it")
	return [b"./-" if path == b"-" else path for path in paths]


def dtype_of(kind: Any, parameter: str = "type") -> "np.dtype[Any]":
	try:
		dtype: "np.dtype[Any]" = np.dtype(kind)
		return dtype
	except TypeError as error:
		raise TypeError(f"{error}; {parameter} is a dtype such as 'u4' or 'float64', or one of "
		                + ", ".join(map(repr, NAMED))) from None


def check_whole(parameter: str, value: Any, least: int = 0) -> None:
	if not hasattr(value, "__index__") or value < least:
		_native.refuse_number(parameter, value, least)


def _check_text(parameter: str, value: Any) -> None:
	if not isinstance(value, str):
		raise TypeError(f"{parameter} must be a string, not {value!r}")


def _put_strings(options: _native.Struct, member: str, count: str, strings: Sequence[bytes]) -> None:
	options.put_pointer(member, (ctypes.c_char_p * len(strings))(*strings))
	options.put(count, "N", len(strings))


def _put_word(options: _native.Struct, parameter: str, word: str) -> None:
	prefix = f"GSORT_{parameter.upper()}_"
	known = {name[len(prefix):].lower().replace("_", "-"): value for name, value in _native.ABI.items()
	         if name.startswith(prefix)}
	if word not in known:
		raise ValueError(f"{parameter} must be one of {', '.join(known)}, not {word!r}")
	options.put(_WORDS.get(parameter, parameter), "I", known[word])


_WITHOUT_ORDER = [_native.ABI["GSORT_" + name] for name in ("TEXT", "TEXT_FLOAT", "U8", "I8")]	# of bytes


# --- what is sorted -----------------------------------------------------------------------------

def is_record(dtype: "np.dtype[Any]") -> bool:
	return dtype.names is not None or dtype.kind in "SV"


def _endian(dtype: "np.dtype[Any]") -> int:
	if dtype.isnative:
		return _native.ABI["GSORT_ENDIAN_HOST"]
	return _native.ABI["GSORT_ENDIAN_BIG" if sys.byteorder == "little" else "GSORT_ENDIAN_LITTLE"]


def _put_type(options: _native.Struct, member: str, kind: Any) -> None:
	"""Put the type and byte order of KIND, for the option TYPE or TO."""
	if isinstance(kind, str) and kind in NAMED:
		name, notation = NAMED[kind]
		options.put(member, "I", _native.ABI["GSORT_" + name])
		if notation != "DECIMAL":
			if (member == "to" and options.get("type", "I") == _native.TEXT
			    and options.get("notation", "I") != _native.ABI["GSORT_" + notation]):
				raise ValueError(f"to={kind!r} needs binary keys, or type={kind!r}: text has one notation")
			options.put("notation", "I", _native.ABI["GSORT_" + notation])
		return
	dtype = dtype_of(kind, member)
	if member == "type" and is_record(dtype):
		if dtype.itemsize == 0:
			raise ValueError(f"records of type {kind!r} have no bytes")
		options.put("record_bytes", "Q", dtype.itemsize)
		return
	options.put(member, "I", type_of(dtype))
	if dtype.itemsize > 1:
		if (member == "to" and options.get("type", "I") not in _WITHOUT_ORDER and
		    options.get("endian", "I") != _endian(dtype)):
			raise ValueError("type and to must have one byte order")
		options.put("endian", "I", _endian(dtype))


def _put_field(key: _native.Struct, dtype: "np.dtype[Any]", name: str) -> None:
	"""Make KEY the field NAME of records of DTYPE."""
	if dtype.fields is None or name not in dtype.fields:
		raise ValueError(f"the records have no field {name!r}; there are: {', '.join(dtype.names or ())}")
	field, offset = dtype.fields[name][:2]
	key.put("offset", "Q", offset)
	if is_record(field) or field.subdtype is not None and field.base == np.dtype("u1"):
		key.put("bytes", "Q", field.itemsize)
	else:
		key.put("type", "I", type_of(field))
		key.put("endian", "I", _endian(field))


def _put_keys(options: _native.Struct, names: Sequence[str], dtype: "np.dtype[Any]") -> None:
	"""Put the keys NAMES for records of DTYPE."""
	keys = []
	for name in names:
		key = _native.Struct("gsort_key")
		field = name[:-2] if name.endswith(":r") else name
		key.put("reverse", "?", name.endswith(":r"))
		_put_field(key, dtype, field)
		keys.append(key)
	if keys:
		options.keep.append(keys)
		options.put_pointer("keys", ctypes.create_string_buffer(b"".join(key.bytes.raw for key in keys)))
		options.put("key_count", "N", len(keys))


def items_of(given: Mapping[str, Any]) -> str:
	"""What is sorted: "lines", "records", "wide" keys, or "keys"."""
	kind = given.get("type", "text")
	named = isinstance(kind, str) and kind in NAMED
	if given.get("lines") or given.get("csv") or "separator" in given or "ordering" in given:
		return "lines"
	if not named and is_record(dtype_of(kind)):
		return "records"
	return "lines" if given.get("key") else "wide" if named and kind in ("u128", "i128") else "keys"


def _put_items(options: _native.Struct, given: Mapping[str, Any]) -> None:
	"""What is sorted, and by which keys."""
	kind, key = given.get("type", "text"), given.get("key", [])
	keys = list(key) if isinstance(key, (list, tuple)) else [key]
	for text in keys:
		_check_text("key", text)
	items = items_of(given)
	_put_type(options, "type", kind)
	if items == "records":
		dtype = dtype_of(kind)
		_put_keys(options, keys or dtype.names or [], dtype)
	elif keys:
		_put_strings(options, "keydefs", "keydef_count", [os.fsencode(text) for text in keys])
	options.put("lines", "?", items == "lines")
	if items == "lines":
		letters = given.get("ordering", "") + ("r" if given.get("descending") else "")
		options.put_pointer("ordering", ctypes.c_char_p(os.fsencode(letters)))


# --- all of them --------------------------------------------------------------------------------

def _put_device(options: _native.Struct, device: str) -> None:
	"""Put DEVICE: a word, or a GPU by its number, "gpu:1"."""
	_check_text("device", device)
	word, _, number = device.partition(":")
	if word == "gpu" and number.isascii() and number.isdigit():
		options.put("gpus", "i", int(number), "the number of a GPU")
		options.put("gpu_count", "I", 1)
		device = word
	_put_word(options, "device", device)


def _put(options: _native.Struct, parameter: str, value: Any) -> None:
	if parameter in _FLAGS:
		options.put(_FLAGS[parameter], "?", value, parameter)
	elif parameter in _NUMBERS:
		options.put(*_NUMBERS[parameter], value, parameter)
	elif parameter in _WORDS:
		_put_word(options, parameter, value)
	elif parameter in _COUNTS:
		options.put(parameter, "?", True)
		options.put(parameter, "Q", value, parameter, _native.ABI["gsort_count.count"])
	elif parameter == "head":
		options.put("head", "?", True)
		options.put("head_count", "Q", value, parameter)
	elif parameter in _TEXTS:
		_check_text(parameter, value)
		options.put_pointer(parameter, ctypes.c_char_p(os.fsencode(value)))
	elif parameter == "temp_dirs":
		if paths_of(value):
			_put_strings(options, "temp_dirs", "temp_dir_count", paths_of(value))
	elif parameter == "device":
		_put_device(options, value)
	elif parameter == "progress":
		if not callable(value):
			raise TypeError(f"progress must be a function, not {value!r}")
	elif parameter == "argsort":
		if value not in ("u4", "u8", np.uint32, np.uint64):
			raise ValueError(f"argsort must be 'u4' or 'u8', not {value!r}")
		options.put("argsort_bits", "I", np.dtype(value).itemsize * 8)
	elif parameter == "to":
		options.put("converts", "?", True)
		_put_type(options, "to", value)
	elif parameter in ("operation", "set"):
		options.put(parameter, "I", _native.ABI[value])


def refuse_unknown(function: str, given: Mapping[str, Any], known: Collection[str]) -> None:
	"""Raise TypeError if a name that FUNCTION was GIVEN is not among its KNOWN parameters."""
	for name in given:
		if name not in known:
			option = name.replace("_", "-")
			named = PARAMETERS.get(option, "")
			near = ([named] if named in known or named.endswith("()")
			        else difflib.get_close_matches(name, known, 1))
			hint = f"; did you mean {near[0]}?" if near else ""
			raise TypeError(f"{function}() has no parameter {name!r}{hint}")


def fill(function: str, paths: Sequence[bytes], output: Optional[bytes], given: Mapping[str, Any],
         own: Mapping[str, Any]) -> _native.Struct:
	"""The options of a job: those that the caller has GIVEN to FUNCTION, and its OWN."""
	refuse_unknown(function, given, Options.__annotations__)
	if not paths:
		raise ValueError(f"{function}() needs a file or an array, or several")
	given = {name: value for name, value in given.items() if value is not None}
	options = _native.options("gsort_options")
	_put_items(options, given)
	for parameter, value in {**given, **own}.items():
		_put(options, parameter, value)
	_put_strings(options, "inputs", "input_count", paths)
	if output is not None:
		options.put_pointer("output", ctypes.c_char_p(output))
	return options
