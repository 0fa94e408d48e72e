#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare gsort's figures about random keys with those of Python.

figures.py SEED ROUNDS: each round draws a type, keys, figures and other options.  Prints each
figure that is wrong, and exits with 1 if there is one.  Works in the current folder.
"""
import collections
import gzip
import json
import math
import random
import struct
import subprocess
import sys
from fractions import Fraction

FORMATS = dict(u8="B", i8="b", u16="H", i16="h", u32="I", i32="i", u64="Q", i64="q", f16="e", bf16="bf", f32="f",
               f64="d")
QUANTILES = ["0", "0.5", "0.95", "0.333333", "1", "1.0", ".25", "0.999"]
draw = random.Random(int(sys.argv[1]))
wrong = 0


def is_float(kind):
    return "f" in kind


def pack(form, numbers):
    if form != "bf":
        return struct.pack("<%d%s" % (len(numbers), form), *numbers)
    words = struct.unpack("<%dI" % len(numbers), struct.pack("<%df" % len(numbers), *numbers))
    # to the nearest, ties to even, but a NaN stays a NaN
    return struct.pack("<%dH" % len(numbers), *((word if x != x else word + 0x7fff + (word >> 16 & 1)) >> 16
                                                for x, word in zip(numbers, words)))


def unpack(form, data):
    return struct.unpack("<f", b"\0\0" + data)[0] if form == "bf" else struct.unpack("<" + form, data)[0]


def ordered(kind, x):
    """The place of x in the order of its type: of floats NaN is last, and of these one with a sign."""
    if not is_float(kind):
        return x
    if kind == "text-float":
        kind = "f64"
        x = abs(x) if x != x else x + 0.0    # -0 of text is 0
    bits = int(kind.lstrip("bf"))
    raw = int.from_bytes(pack(FORMATS[kind], [x]), "little")
    sign = 1 << (bits - 1)
    if raw < sign:
        return raw
    return sign - 1 - raw if x == x else 4 * sign - raw


def draw_integer(low, high, style):
    if style == "few":
        return low + draw.randrange(3)
    if style == "edges":
        return draw.choice([low, high - 1, draw.randrange(low, high), low + draw.randrange(9)])
    return draw.randrange(low, high)


LARGEST = dict(e=65504.0, bf=float.fromhex("0x1.fep127"), f=float.fromhex("0x1.fffffep127"), d=sys.float_info.max)
SMALLEST = dict(e=2.0**-24, bf=2.0**-133, f=2.0**-149, d=5e-324)


def draw_float(form, style):
    if style == "few":
        x = draw.choice([1.5, -2.0, 0.1])
    elif style == "edges":
        x = draw.choice([0.0, -0.0, math.inf, -math.inf, math.nan, SMALLEST[form], draw.randrange(5) * 1.0,
                         draw.uniform(-1, 1) * 10 ** draw.randrange(-30, 4 if form == "e" else 30)])
    elif style == "ends":
        x = draw.choice([1, -1]) * draw.choice([LARGEST[form], LARGEST[form] * draw.random(),
                                                SMALLEST[form] * draw.randrange(9), 0.0])
    else:
        x = draw.uniform(-1e3, 1e3)
    return unpack(form, pack(form, [x]))


def draw_keys(kind, n):
    style = draw.choice(["few", "edges", "uniform"])
    if is_float(kind):
        values = [draw_float(FORMATS.get(kind, "d"), draw.choice([style, "ends"]))
                  for _ in range(min(n, draw.choice([1, 2, 3, n])))]
        return [draw.choice(values) for _ in range(n)] if len(values) < n else values
    if kind == "text":
        return [draw.choice([draw_integer(-2**63, 2**64, style), draw.randrange(-100, 100),
                             draw.randrange(-10**6, 10**6)]) for _ in range(n)]
    bits = int(kind[1:])
    low = -(1 << bits - 1) if kind[0] == "i" else 0
    return [draw_integer(low, low + (1 << bits), style) for _ in range(n)]


def as_bytes(kind, keys):
    if kind in FORMATS:
        return pack(FORMATS[kind], keys)
    return "".join("%r\n" % x for x in keys).encode()


WIDTHS = [digit * 10**power for power in range(22) for digit in (1, 2, 5)]


def is_round(number):
    return number == 0 or number in WIDTHS


def same(kind, printed, expected):
    """Is a figure in JSON that number? Short floats are printed with enough digits to read them back."""
    if printed is None or expected is None:
        return printed is expected
    if isinstance(printed, str) or isinstance(expected, float):
        printed = float(printed)
        if kind in ("f16", "bf16", "f32") and math.isfinite(printed):
            printed = unpack(FORMATS[kind], pack(FORMATS[kind], [printed]))
    return printed == expected or (printed != printed and expected != expected)


def rounded(fraction):
    try:
        return float(fraction)
    except OverflowError:
        return math.inf if fraction > 0 else -math.inf


def mean(total, count):
    """The mean of COUNT numbers whose sum may exceed the range of a float, rounded as by gsort."""
    if not math.isfinite(rounded(total)):
        return math.ldexp(float(total / 2 ** 64) / count, 64)
    return rounded(total) / count


class Round:
    def __init__(self):
        self.kind = draw.choice(list(FORMATS) + ["text", "text", "text-float"])
        self.n = draw.choice([0, 1, 2, 3, 10, 100, 1000, 5000])
        self.keys = draw_keys(self.kind, self.n)
        self.most = draw.choice([0, 1, 3, 10, 2000])
        self.bars = draw.choice([1, 2, 7, 10, 100])
        self.log = draw.choice(["", "", "log:"])
        self.reverse = draw.random() < 0.3
        self.options = ["--type=" + self.kind, "--to=json", "--quantiles=" + ",".join(QUANTILES),
                        "--top=%d" % self.most]
        self.options += ["-r"] if self.reverse else ["--summary", "--histogram=%s%d" % (self.log, self.bars)]
        self.options += draw.choice([[], ["--parallel=1"], ["-S", "1M", "-T", "."], ["--verify"]])
        self.ordered = sorted(self.keys, key=lambda x: ordered(self.kind, x), reverse=self.reverse)

    def report(self, what, *details):
        global wrong
        wrong += 1
        print(what, "of", self.n, "keys:", *self.options, *details)

    def compare(self, what, printed, expected):
        if not same(self.kind, printed, expected):
            self.report(what, printed, "is not", expected)

    def run(self):
        middle = draw.randrange(self.n + 1)
        with open("a", "wb") as file:
            file.write(as_bytes(self.kind, self.keys[:middle]))
        with gzip.open("b.gz", "wb") as file:
            file.write(as_bytes(self.kind, self.keys[middle:]))
        done = subprocess.run(["gsort", *self.options, "a", "b.gz"], capture_output=True)
        if done.returncode != 0:
            self.report("status %d" % done.returncode, done.stderr)
            return
        figures = json.loads(done.stdout)
        self.compare("keys", figures["keys"], self.n)
        self.check_quantiles(figures["quantiles"])
        self.check_top(figures["top"])
        if not self.reverse:
            self.check_summary(figures["summary"])
            (self.check_bars if is_float(self.kind) else self.check_integer_bars)(figures["histogram"])

    def nearest(self, fraction):
        return self.ordered[max(1, math.ceil(Fraction(fraction) * self.n)) - 1] if self.n > 0 else None

    def check_quantiles(self, printed):
        self.compare("quantiles", len(printed), len(QUANTILES))
        for name, figure in zip(QUANTILES, printed):
            self.compare("quantile " + name, figure["value"], self.nearest("0" + name if name[0] == "." else name))

    def check_top(self, printed):
        counts = collections.Counter(ordered(self.kind, x) for x in self.keys)
        values = {ordered(self.kind, x): x for x in self.keys}
        sign = -1 if self.reverse else 1
        expected = sorted(counts.items(), key=lambda pair: (-pair[1], sign * pair[0]))[:self.most]
        self.compare("top", len(printed), len(expected))
        for (key, count), figure in zip(expected, printed):
            self.compare("top value", figure["value"], values[key])
            self.compare("top count", figure["count"], count)

    def check_summary(self, printed):
        self.compare("count", printed["count"], self.n)
        self.compare("distinct", printed["distinct"], len({ordered(self.kind, x) for x in self.keys}))
        self.compare("min", printed["min"], self.ordered[0] if self.n > 0 else None)
        self.compare("max", printed["max"], self.ordered[-1] if self.n > 0 else None)
        for name, fraction in ("q1", "0.25"), ("median", "0.5"), ("q3", "0.75"):
            self.compare(name, printed[name], self.nearest(fraction))
        if is_float(self.kind):
            special = [x for x in self.keys if not math.isfinite(x)]
            exact = sum(map(Fraction, self.keys)) if not special else None
            total = rounded(exact) if not special else sum(special)
        else:
            total = sum(self.keys)
        average = None if self.n == 0 else mean(exact, self.n) if is_float(self.kind) and not special else total / self.n
        for name, figure in ("sum", total), ("mean", average):
            if not same("f64", printed[name], figure):
                self.report(name, printed[name], "is not", figure)

    def check_integer_bars(self, bars):
        if self.n == 0:
            self.compare("bars", len(bars), 0)
            return
        low, high = self.ordered[0], self.ordered[-1]
        widths = [bar["to"] - bar["from"] + 1 for bar in bars]
        self.compare("bars", len(bars) <= self.bars, True)
        self.compare("first bar", bars[0]["from"] <= low <= bars[0]["to"], True)
        self.compare("last bar", bars[-1]["from"] <= high <= bars[-1]["to"], True)
        if self.log:
            for bar in bars if self.bars >= 100 else []:
                self.compare("a power", is_round(abs(bar["from"])) or is_round(abs(bar["to"])), True)
        elif self.bars > 1 or low >= 0 or high < 0:
            self.compare("widths", is_round(widths[0]) and min(widths) == max(widths), True)
            self.compare("edges", any(bar["from"] % widths[0] for bar in bars), False)
            smaller = next(w for w in WIDTHS if 5 * w >= 2 * widths[0])
            self.compare("as many bars as there may be", smaller == widths[0] or
                         high // smaller - low // smaller + 1 > self.bars, True)
        for bar, following in zip(bars, bars[1:]):
            self.compare("edge", following["from"], bar["to"] + 1)
        for bar in bars:
            self.compare("bar", bar["count"], sum(bar["from"] <= x <= bar["to"] for x in self.keys))

    def check_bars(self, bars):
        finite = [bar for bar in bars if not isinstance(bar["from"], str)]
        if self.bars == 10 and not self.log and self.keys and max(map(abs, self.keys)) < 1e9 and len(finite) > 1:
            self.compare("digits", max(len("%r" % bar["from"]) for bar in finite) < 12, True)
        self.compare("all bars", sum(bar["count"] for bar in bars), self.n)
        for bar in bars:
            if bar in finite:
                last = bar is finite[-1]
                inside = sum(bar["from"] <= x < bar["to"] or last and x == bar["to"]
                             for x in self.keys if math.isfinite(x))
            else:
                inside = sum(same("f64", bar["from"], x) for x in self.keys)
            self.compare("bar", bar["count"], inside)


for _ in range(int(sys.argv[2])):
    Round().run()
sys.exit(wrong > 0)
