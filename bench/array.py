#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""array.py - gsort.sort() beside the call from C that it makes, and beside numpy's sort

    PYTHONPATH=python GSORT_LIBRARY=build/libgsort.so.0 bench/array.py [LOG_KEYS [RUNS [THREADS [DTYPE...]]]]

Sorts the same 2^LOG_KEYS (24) uniform keys in place RUNS times (5) by each of them, by turns, and prints
medians in Mkeys/s, and how much longer Python takes than C: the median of the RUNS ratios.  One thread,
beside numpy, which sorts with x86-simd-sort where it and the processor can; then THREADS (2).

    bench/array.py pays [SECONDS [THREADS [MOST]]]

When does it pay?  Copies and indices of 10 to MOST (10^7) keys of several types and shapes, by numpy and by
gsort with one thread and THREADS (2): the least milliseconds of calls by turns for SECONDS (2), and the
least of the processor.  The machine may have other work: the least of many is then what they take.
"""
import statistics
import sys
import time

import numpy as np

import gsort
from gsort import _arrays, _keys, _native


def sort_from_c(keys, threads):
    """Do what a C program does: set options, and call."""
    options = _arrays._options(False, threads)
    status = _native.LIBRARY.gsort_sort(keys.ctypes.data, len(keys), _keys.type_of(keys.dtype),
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


def least(ways, seconds):
    """The least time of each way, and its least processor time, in turns."""
    spent, calls = {name: (float("inf"), float("inf")) for name in ways}, {}
    for name, call in ways.items():		# warms up, too
        start = time.perf_counter()
        call()
        calls[name] = max(1, int(0.0005 / (time.perf_counter() - start)))
    until, rounds = time.perf_counter() + seconds, 0
    while rounds < 3 or time.perf_counter() < until:
        rounds += 1
        for name, call in ways.items():
            start, busy = time.perf_counter(), time.process_time()
            for _ in range(calls[name]):
                call()
            taken = (time.perf_counter() - start) / calls[name], (time.process_time() - busy) / calls[name]
            spent[name] = tuple(map(min, spent[name], taken))
    return spent


SHAPES = [(dtype, (count,)) for dtype in ("uint8", "uint32", "int64", "float32", "float64")
          for count in (10, 1000, 10**5, 10**7)] + [("int64", (10**4, 100)), ("float64", (100, 10**4)),
                                                    ("i4,S8,f8", (10**5,))]


def drawn(random, dtype, shape):
    """Uniform integers, normal floats; structures with few values in each field but the last."""
    if np.dtype(dtype).names:
        keys = np.empty(shape, dtype)
        for name, most in zip(keys.dtype.names, (9, 99, 2**30)):
            keys[name] = random.integers(0, most, shape).astype(keys.dtype[name])
        return keys
    if np.dtype(dtype).kind == "f":
        return random.standard_normal(shape).astype(dtype)
    return random.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)


def pays(seconds=2.0, threads=2, most=10**7):
    random = np.random.default_rng(1)
    print(f"numpy {np.__version__}; milliseconds: numpy, gsort with 1 thread, with {threads}; of processors")
    for dtype, shape in [(dtype, shape) for dtype, shape in SHAPES if np.prod(shape) <= most]:
        keys = drawn(random, dtype, shape)
        for order, source in ("random", keys), ("sorted", np.sort(keys)):
            if order == "sorted" and keys.size < min(most, 10**6):
                continue
            for what, of_numpy, of_gsort in (
                ("sort", np.sort, gsort.sort), ("argsort", np.argsort, gsort.argsort),
                ("stable argsort", lambda keys: np.argsort(keys, kind="stable"), gsort.argsort),
            ):
                assert np.array_equal(of_gsort(source), of_numpy(source)) or what == "argsort"
                spent = least({
                    "numpy": lambda: of_numpy(source), "one": lambda: of_gsort(source, threads=1),
                    "more": lambda: of_gsort(source, threads=threads)}, seconds)
                print(f"{what:14} {dtype:7} {order:6} {' x '.join(map(str, shape)):11}",
                      *(f"{1000 * wall:10.4f}" for wall, _ in spent.values()), "  ",
                      *(f"{1000 * busy:10.4f}" for _, busy in spent.values()), flush=True)


def main(arguments):
    if arguments[:1] == ["pays"]:
        return pays(*(kind(word) for kind, word in zip((float, int, int), arguments[1:])))
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
