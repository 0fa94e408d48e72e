# SPDX-License-Identifier: BSD-2-Clause
"""Sort arrays and files at the speed the bytes can move.

	import gsort, numpy as np

	keys = np.random.default_rng().integers(0, 2**32, 10**8, dtype=np.uint32)
	np.save("big.npy", keys)
	gsort.sort(keys, out=keys)                    # in place, with all cores
	order = gsort.argsort(keys, descending=True)  # stable
	gsort.sort_file("big.npy", "sorted.npy", memory=2**30)
	gsort.sort_file("events.csv", "sorted.csv", csv=True, header=1, key="price:n")
	gsort.quantiles("big.npy", [0.5, 0.99])

gsort.cuda, for arrays in GPU memory, is imported when it is first used.
"""
import importlib
from typing import TYPE_CHECKING, Any, List

from ._arrays import argsort, is_sorted, merge, sort, sort_pairs
from ._files import (Check, Stats, check_file, difference, histogram, intersect, merge_files, quantiles,
                     sort_file, summary, symmetric, top, union)
from ._native import LIBRARY as _LIBRARY
from ._native import DeviceError, InputError
from ._options import Options, Progress

if TYPE_CHECKING:
	from . import cuda as cuda

__version__: str = _LIBRARY.gsort_version().decode()

__all__ = ["Check", "DeviceError", "InputError", "Options", "Progress", "Stats", "argsort", "check_file",
           "difference", "histogram", "intersect", "is_sorted", "merge", "merge_files", "quantiles", "sort",
           "sort_file", "sort_pairs", "summary", "symmetric", "top", "union"]


def __getattr__(name: str) -> Any:
	if name == "cuda":
		return importlib.import_module(".cuda", __name__)
	raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> List[str]:
	return sorted([*globals(), "cuda"])
