# SPDX-License-Identifier: BSD-2-Clause
"""Files of numpy.save(), which the library treats as a header of some bytes, followed by keys or records."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from . import _native
from ._options import NAMED, dtype_of, is_path, is_record, paths_of

_MAGIC = b"\x93NUMPY"
_REFUSED = ("to", "count", "argsort", "split", "skip_bytes", "header", "zero_terminated")


class Npy(NamedTuple):
	"""The contents of a job's .npy files."""
	dtype: "np.dtype[Any]"
	items: int		# of all of them
	header: bytes		# of the first one

	def header_of(self, count: int) -> bytes:
		"""A header as long as those of the files, for COUNT items."""
		begin = 10 if self.header[6] == 1 else 12		# by the version: how many bytes the length has
		text = repr({"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (count,)})
		line = text.encode("latin-1" if self.header[6] < 3 else "utf-8").ljust(len(self.header) - begin - 1) + b"\n"
		if begin + len(line) > len(self.header):
			raise ValueError("the header of the .npy file has no room for another number of items; numpy.save() makes one "
			                 "that has")
		return self.header[:begin] + line


def _is_npy(path: bytes) -> bool:
	if not os.path.isfile(path):		# to open a FIFO would wait for its writer
		return False
	try:
		with open(path, "rb") as file:
			return file.read(len(_MAGIC)) == _MAGIC
	except OSError:		# the library says what is wrong
		return False


def _open(path: bytes) -> "np.memmap[Any, Any]":
	name = os.fsdecode(path)
	try:
		array: "np.memmap[Any, Any]" = np.lib.format.open_memmap(name, mode="r")
	except (ValueError, EOFError) as error:
		raise _native.InputError(f"{name}: not a whole .npy file: {error}") from None
	if array.ndim != 1:
		raise _native.InputError(f"{name}: a .npy file with {array.ndim} dimensions; gsort sorts arrays of one; a.ravel() has one")
	if os.path.getsize(path) != array.offset + array.nbytes:
		raise _native.InputError(f"{name}: the header of the .npy file names {len(array)} items, and there are more")
	return array


def adopt(sources: List[Any], given: Mapping[str, Any]) -> Tuple[Dict[str, Any], Optional[Npy]]:
	"""The options GIVEN, completed from the headers if SOURCES are .npy files; None if they are not."""
	given = {name: value for name, value in given.items() if value is not None}
	paths = paths_of([source for source in sources if is_path(source)])
	kind, form = given.get("type"), given.get("format", "auto")
	other = isinstance(kind, str) and kind in NAMED or any(given.get(name) for name in (
		"lines", "csv", "separator", "ordering", "force", "skip_bytes", "header")) or given.get("decompress", "auto") != "auto"
	if form not in ("auto", "npy") or not paths or form != "npy" and (other or not any(map(_is_npy, paths))):
		return given, None
	arrays = [_open(path) for path in paths]
	first, name = arrays[0], os.fsdecode(paths[0])
	if len(paths) < len(sources):
		raise ValueError(f"{name}: .npy files and arrays do not go together; numpy.load(path, mmap_mode='r') gives an array")
	for refused in _REFUSED:
		if given.get(refused):
			raise ValueError(f"{name}: {refused} does not go with a .npy file; numpy.load(path, mmap_mode='r') gives an array")
	if kind is not None and dtype_of(kind) != first.dtype:
		raise ValueError(f"{name}: the items of this .npy file are not of type {dtype_of(kind)}: leave it out, the header names the type")
	if given.get("key") and not is_record(first.dtype):
		raise ValueError(f"{name}: key is for structures, and the items of this .npy file are {first.dtype}")
	for path, array in zip(paths, arrays):
		if array.dtype != first.dtype:
			raise _native.InputError(f"{os.fsdecode(path)}: items of another type than in {name}: {array.dtype}, not {first.dtype}")
		if array.offset != first.offset:
			raise ValueError(f"{os.fsdecode(path)}: a .npy file with a header of another length than in {name}; numpy.save() makes equal ones")
	with open(paths[0], "rb") as file:
		header = file.read(first.offset)
	given.update(type=first.dtype, format="raw", skip_bytes=first.offset)
	return given, Npy(first.dtype, sum(map(len, arrays)), header)
