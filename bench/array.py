#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""array.py - gsort.sort() beside the call from C that it makes, and beside numpy's sort

    PYTHONPATH=python GSORT_LIBRARY=build/libgsort.so.0 bench/array.py [LOG_KEYS [RUNS [THREADS [DTYPE...]]]]

Sorts the same 2^LOG_KEYS (24) uniform keys in place RUNS times (5) by each of them, by turns, and prints
medians in Mkeys/s, and how much longer Python takes than C: the median of the RUNS ratios.  One thread,
beside numpy, which sorts with x86-simd-sort where it and the processor can; then THREADS (2).
"""
import statistics
import sys
import time

import numpy as np

import gsort
from gsort import _arrays, _native


def sort_from_c(keys, threads):
    """What a C program does: options, and the call."""
    options = _arrays._options(False, threads)
    status = _native.LIBRARY.gsort_sort(keys.ctypes.data, len(keys), _arrays.type_of(keys.dtype),
                                        options)
    assert status == _native.OK


def seconds(sort, keys, source, expected):
    np.copyto(keys, source)
    start = time.perf_counter()
    sort()
    spent = time.perf_counter() - start
    assert np.array_equal(keys, expected)
    return spent


def measure(source, runs, threads):
    keys, expected = np.empty_like(source), np.sort(source)
    ways = {"numpy": keys.sort} if threads == 1 else {}
    ways |= {
        "C": lambda: sort_from_c(keys, threads),
        "gsort.sort": lambda: gsort.sort(keys, out=keys, threads=threads),
    }
    spent = {name: [] for name in ways}
    for run in range(runs + 1):		# the first one warms up
        for name, sort in list(ways.items())[::1 if run % 2 else -1]:
            taken = seconds(sort, keys, source, expected)
            if run > 0:
                spent[name].append(taken)
    rates = ", ".join(f"{name} {len(keys) / statistics.median(times) / 1e6:.1f}"
                      for name, times in spent.items())
    longer = statistics.median(python / c for python, c in zip(spent["gsort.sort"], spent["C"])) - 1
    print(f"{source.dtype} {len(keys)}, {threads} threads: {rates}; Python takes {longer:.1%} longer than C",
          flush=True)


def main(arguments):
    numbers, dtypes = arguments[:3], arguments[3:]
    log_keys, runs, most = (int(word) for word in numbers + ["24", "5", "2"][len(numbers):])
    random = np.random.default_rng(1)
    print(f"numpy {np.__version__}")
    for dtype in dtypes or ("uint32", "uint64", "float32", "float64"):
        if np.dtype(dtype).kind == "f":
            source = random.random(1 << log_keys, dtype)
        else:
            source = random.integers(0, np.iinfo(dtype).max, 1 << log_keys, dtype, endpoint=True)
        for threads in sorted({1, most}):
            measure(source, runs, threads)


main(sys.argv[1:])
