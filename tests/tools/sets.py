#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare gsort's unions, intersections and differences of random inputs with those of Python.

sets.py SEED ROUNDS: prints each round that is wrong, and exits with 1 if there is one.  Works in
the current folder.
"""
import random
import struct
import subprocess
import sys
from collections import Counter

FORMATS = dict(u8="B", i8="b", u16="H", i16="h", u32="I", i32="i", u64="Q", i64="q")
OPERATIONS = {
    "union": lambda a, b: a | b,
    "intersect": lambda a, b: a & b,
    "difference": lambda a, b: a - b,
    "symmetric": lambda a, b: (a - b) + (b - a),
}
draw = random.Random(int(sys.argv[1]))


def draw_keys(kind, values):
    n = draw.choice([0, 1, 5, 7, 1000, 1000, 20000])
    if kind == "text":
        return [draw.choice([1, -1]) * draw.randrange(values) for _ in range(n)]
    bits = int(kind[1:])
    low = -(1 << bits - 1) if kind[0] == "i" else 0
    return [low + draw.randrange(min(values, 1 << bits)) for _ in range(n)]


def write(name, kind, keys):
    with open(name, "wb") as file:
        if kind == "text":
            file.write("".join("%d\n" % key for key in keys).encode())
        else:
            file.write(struct.pack("<%d%s" % (len(keys), FORMATS[kind]), *keys))


def select(keys, reverse, options):
    """What is written of the sorted KEYS, and the options that say so."""
    choice = draw.choice(["all", "all", "head", "tail", "count"])
    if choice == "count":
        counts = Counter(keys)
        return ["%d %d" % (counts[key], key) for key in sorted(counts, reverse=reverse)], options + ["--count"]
    if choice != "all":
        return [str(key) for key in (keys[:3] if choice == "head" else keys[-3:])], options + ["--%s=3" % choice]
    return [str(key) for key in keys], options


def play():
    kind = draw.choice(list(FORMATS) + ["text", "text"])
    operation = draw.choice(list(OPERATIONS))
    values = draw.choice([5, 100, 10**5, 2**63])
    names = ["input-%d" % i for i in range(draw.choice([2, 2, 2, 3, 4]))]
    unique, reverse = draw.random() < 0.4, draw.random() < 0.3
    result = None
    for name in names:
        keys = draw_keys(kind, values)
        write(name, kind, keys)
        counted = Counter(set(keys) if unique else keys)
        result = counted if result is None else OPERATIONS[operation](result, counted)
    options = ["--type=" + kind, "--to=text", "--" + operation]
    options += (["-u"] if unique else []) + (["-r"] if reverse else [])
    options += draw.choice([[], ["--parallel=1"], ["-S", "1M", "-T", "."], ["--verify"]])
    expected, options = select(sorted(result.elements(), reverse=reverse), reverse, options)
    done = subprocess.run(["gsort", *options, *names], capture_output=True)
    printed = [" ".join(line.split()) for line in done.stdout.decode().splitlines()]
    if done.returncode == 0 and printed == expected:
        return True
    print("status %d, %d lines for %d:" % (done.returncode, len(printed), len(expected)), *options, *names,
          done.stderr)
    return False


results = [play() for _ in range(int(sys.argv[2]))]
sys.exit(not all(results))
