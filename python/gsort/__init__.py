# SPDX-License-Identifier: BSD-2-Clause
"""Sort arrays and files of numbers at the speed the bytes can move.

	import gsort, numpy as np

	keys = np.random.default_rng().integers(0, 2**32, 10**8, dtype=np.uint32)
	gsort.sort(keys, out=keys)                    # in place, with all cores
	order = gsort.argsort(keys, descending=True)  # stable
	gsort.sort_file("big.npy", "sorted.npy", memory=2**30)
"""
import importlib
from typing import TYPE_CHECKING, Any, List

from ._arrays import argsort, is_sorted, merge, sort, sort_pairs
from ._files import Progress, Stats, merge_files, sort_file
from ._native import LIBRARY as _LIBRARY
from ._native import DeviceError, InputError

if TYPE_CHECKING:
	from . import cuda as cuda

__version__: str = _LIBRARY.gsort_version().decode()

__all__ = ["DeviceError", "InputError", "Progress", "Stats", "argsort", "is_sorted", "merge",
           "merge_files", "sort", "sort_file", "sort_pairs"]


def __getattr__(name: str) -> Any:
	if name == "cuda":
		return importlib.import_module(".cuda", __name__)
	raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> List[str]:
	return sorted([*globals(), "cuda"])
