#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare gsort's unions, intersections and differences of random inputs with those of Python.

sets.py SEED ROUNDS: prints each round that is wrong, and exits with 1 if there is one.
Works in the current folder.
"""
import random
import struct
import subprocess
import sys
from itertools import groupby

FORMATS = dict(u8="B", i8="b", u16="H", i16="h", u32="I", i32="i", u64="Q", i64="q")
draw = random.Random(int(sys.argv[1]))
# Words are pieces of these, because a draw for each letter took half of the time.
LETTERS = bytes(draw.choices(b"abAB", k=100_000))

# ---- kinds of elements: each draws one, with its bytes in a file, its key and its text --------


class Numbers:
    """Binary or text, written as text."""
    end, header, counts_bytes = b"\n", b"", False

    def __init__(self, name):
        self.name, self.options = name, ["--type=" + name, "--to=text"]

    def draw(self, values):
        if self.name == "text":
            return draw.choice([1, -1]) * draw.randrange(values)
        bits = int(self.name[1:])
        low = -(1 << bits - 1) if self.name[0] == "i" else 0
        return low + draw.randrange(min(values, 1 << bits))

    def pack(self, number):
        return b"%d\n" % number if self.name == "text" else struct.pack("<" + FORMATS[self.name], number)

    def text(self, number):
        return b"%d" % number

    counted = text

    def key(self, number):
        return number


class Lines:
    """A word, a number, and more text; keys are some of these."""
    counts_bytes = False

    def __init__(self, options, key, end=b"\n", header=b"", separator=b" "):
        self.options, self.key, self.end = options.split(), key, end
        self.header, self.separator = header, separator

    def draw(self, values):
        length, at = draw.choice([1, 2, 9, 300]), draw.randrange(len(LETTERS) - 300)
        word = LETTERS[at:at + length]
        rest = draw.choice([b"", b"x", b'"a\nb"' if self.separator == b"," else b"y"])
        return self.separator.join([word, b"%d" % draw.randrange(min(values, 10**15)), rest])

    def pack(self, line):
        return line + self.end

    def text(self, line):
        return line

    def counted(self, line):
        """The text after a count: the fields of the keys, if there are keys."""
        fields = line.split(self.separator)
        keys = {"-k2,2n": [1], "-s -k2,2n -k1,1": [1, 0], "--csv --header -k number:n": [1]}.get(" ".join(self.options))
        return line if keys is None else self.separator.join(fields[key] for key in keys)


class Records:
    end, header, counts_bytes = b"", b"", True

    def __init__(self, options, format, field):
        self.options, self.format, self.field = options.split(), format, field

    def draw(self, values):
        return struct.pack(self.format, *(draw.randrange(min(values, 2**32)) for _ in self.format[1:]))

    def pack(self, record):
        return record

    def text(self, record):
        return record

    def counted(self, record):
        """The bytes of its keys."""
        places = [int(option[4:]) for option in self.options if option.startswith("u32@")]
        return b"".join(record[at:at + 4] for at in places) or record

    def key(self, record):
        return self.field(struct.unpack(self.format, record))


def second(line):
    return int(line.split(b" ")[1])


KINDS = [Numbers(name) for name in list(FORMATS) + ["text", "text"]] + [
    Lines("--lines", lambda line: line),
    Lines("--lines -f", lambda line: line.upper()),
    Lines("-z --lines", lambda line: line, end=b"\0"),
    Lines("--lines --header", lambda line: line, header=b"word number rest\n"),
    Lines("-k2,2n", second),
    Lines("-s -k2,2n -k1,1", lambda line: (second(line), line.split(b" ")[0])),
    Lines("--csv --header -k number:n", lambda line: int(line.split(b",")[1]), header=b"word,number,rest\n",
          separator=b","),
    Records("--record-size=12 -k u32@4", "<III", lambda fields: fields[1]),
    Records("--record-size=12 -k u32@8 -k u32@0", "<III", lambda fields: (fields[2], fields[0])),
    Records("--force -u128", "<IIII", lambda fields: fields[::-1]),
]

# ---- the model: lists that are sorted, with equal elements in the order of their inputs ------------


def once(elements, key):
    return [next(group) for _, group in groupby(elements, key)]


def combine(operation, a, b, key, reverse):
    """As std::set_union and its siblings: equal elements are paired, and the first list's element is kept."""
    result = []
    of = [{k: list(group) for k, group in groupby(side, key)} for side in (a, b)]
    for k in sorted(of[0].keys() | of[1].keys(), reverse=reverse):
        left, right = of[0].get(k, []), of[1].get(k, [])
        pairs = min(len(left), len(right))
        if operation in ("union", "intersect"):
            result += left[:pairs]
        if operation != "intersect":
            result += left[pairs:]
        if operation in ("union", "symmetric"):
            result += right[pairs:]
    return result


def select(kind, elements):
    """The bytes that gsort writes for sorted ELEMENTS, and the options for that."""
    choice = draw.choice(["all", "all", "head", "tail", "count"])
    if choice == "count":
        groups = [list(group) for _, group in groupby(elements, kind.key)]
        if kind.counts_bytes:
            return [kind.counted(group[0]) + struct.pack("<Q", len(group)) for group in groups], ["--count"]
        shape = b"%d,%s" if "--csv" in kind.options else b"%7d %s"
        return [shape % (len(group), kind.counted(group[0])) for group in groups], ["--count"]
    if choice != "all":
        elements = elements[:3] if choice == "head" else elements[-3:]
    return [kind.text(element) for element in elements], [] if choice == "all" else ["--%s=3" % choice]


# ---- rounds --------------------------------------------------------------------------------------


def play():
    kind = draw.choice(KINDS)
    operation = draw.choice(["union", "intersect", "difference", "symmetric"])
    values = draw.choice([5, 100, 10**5, 2**63])
    names = ["input-%d" % i for i in range(draw.choice([2, 2, 2, 3, 4]))]
    unique = draw.random() < 0.4
    # -r does not apply to keys with letters.
    reverse = draw.random() < 0.3 and not any(option in ("-k", "-k2,2n") for option in kind.options)
    result = None
    for name in names:
        elements = [kind.draw(values) for _ in range(draw.choice([0, 1, 5, 7, 1000, 1000, 20000]))]
        with open(name, "wb") as file:
            file.write(kind.header + b"".join(kind.pack(element) for element in elements))
        elements.sort(key=kind.key, reverse=reverse)
        if unique:
            elements = once(elements, kind.key)
        result = elements if result is None else combine(operation, result, elements, kind.key, reverse)
    options = kind.options + ["--" + operation] + (["-u"] if unique else []) + (["-r"] if reverse else [])
    options += draw.choice([[], ["--parallel=1"], ["-S", "1M", "-T", "."], ["--verify"]])
    expected, selecting = select(kind, result)
    done = subprocess.run(["gsort", *options, *selecting, *names], capture_output=True)
    header = b"count,number\n" if "--csv" in options and "--count" in selecting else kind.header
    wanted = header + b"".join(element + kind.end for element in expected)
    if done.returncode == 0 and done.stdout == wanted:
        return True
    print("status %d, %d bytes for %d:" % (done.returncode, len(done.stdout), len(wanted)), *options, *selecting,
          *names, done.stderr)
    return False


results = [play() for _ in range(int(sys.argv[2]))]
sys.exit(not all(results))
