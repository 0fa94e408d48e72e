#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare gsort's figures about columns of lines with those of Python's csv and statistics.

columns.py SEED ROUNDS: each round draws a table, the form in which it is written, a column, figures and
other options.  Prints each figure that is wrong, and exits with 1 if there is one.  Works in the current
folder.
"""
import csv
import gzip
import io
import json
import math
import random
import statistics
import subprocess
import sys
from fractions import Fraction

QUANTILES = ["0", "0.5", "0.95", "0.333333", "1", ".25", "0.999"]
NAMES = ["id", "a price", "quo\"ted", "x,y", "2024"]
draw = random.Random(int(sys.argv[1]))
wrong = 0


def draw_decimal(style):
    if style == "few":
        return draw.choice(["1.5", "1.50", "-2", "0", "-0", "007", ".5", "3."])
    if style == "long":
        return draw.choice(["", "-"]) + "".join(draw.choices("0123456789", k=draw.randrange(1, 25))) + "." + \
            "".join(draw.choices("0123456789", k=draw.randrange(0, 25)))
    return draw.choice(["%d" % draw.randrange(-10**6, 10**6), "%.2f" % draw.uniform(-100, 1000),
                        "%d" % draw.randrange(2**53), "%.9f" % draw.uniform(0, 1)])


def draw_float(style):
    if style == "few":
        return draw.choice(["1e3", "inf", "-inf", "1.5", "0x1.8p1", "+2", "1E-3", "1e999", "Infinity"])
    if style == "ends":
        return draw.choice(["1.7976931348623157e308", "-1e308", "1.7e+308", "5e-324", "-0"])
    return draw.choice([repr(draw.uniform(-1, 1) * 10.0 ** draw.randrange(-300, 300)), draw_decimal(style)])


def draw_size(style):
    return draw.choice(["%d", "%.1f"]) % draw.uniform(-9, 1000) + draw.choice(["", "", "K", "M", "G", "k", "T"])


def value_of(letter, text):
    if letter == "h" and text[-1:].isalpha():
        return float(text[:-1]) * 1024.0 ** (" KMGT".index(text[-1].upper()))
    if text.startswith("0x"):
        return float.fromhex(text)
    return float(text)


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


def draw_text():
    return draw.choice(["", "abc", "1,2", 'say "so"', "two\nlines", "x" * draw.randrange(300), "-", "9"])


class Round:
    def __init__(self):
        self.n = draw.choice([0, 1, 2, 3, 10, 100, 1000, 5000])
        self.letter = draw.choice("nnngh")
        self.style = draw.choice(["few", "long", "usual", "usual"] + ["ends"] * (self.letter == "g"))
        self.csv = draw.random() < 0.7
        self.columns = draw.randrange(1, 5)
        self.column = draw.randrange(self.columns)
        self.separator = draw.choice([",", ";", "\t", "|"])
        self.end = draw.choice(["\n", "\n", "\r\n"])
        self.named = draw.random() < 0.6
        self.quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        self.header = draw.sample(NAMES, self.columns) if self.csv else NAMES[:1] + list("abc")[:self.columns - 1]
        self.bars = draw.choice([1, 2, 7, 10, 100])
        self.reverse = draw.random() < 0.3
        self.numbers = [self.draw_number() for _ in range(self.n)]
        self.values = [value_of(self.letter, text) + 0.0 for text in self.numbers if text != ""]
        self.ordered = sorted(self.values, reverse=self.reverse)

    def draw_number(self):
        if draw.random() < 0.1 and (self.columns > 1 or self.csv):
            return ""
        return {"n": draw_decimal, "g": draw_float, "h": draw_size}[self.letter](self.style)

    def rows(self, numbers):
        for number in numbers:
            row = [draw_text() if self.csv else draw.choice(["a", "b c", "12"]) for _ in range(self.columns)]
            row[self.column] = number
            yield row

    def text(self, numbers):
        into = io.StringIO()
        rows = ([self.header] if self.named else []) + list(self.rows(numbers))
        if self.csv:
            csv.writer(into, delimiter=self.separator, lineterminator=self.end, quoting=self.quoting).writerows(rows)
        else:
            into.write("".join(self.separator.join(row) + self.end for row in rows))
        return into.getvalue().encode()

    def key(self):
        letters = self.letter + "r" * self.reverse
        if not self.named:
            return "%d,%d%s" % (self.column + 1, self.column + 1, letters)
        name = self.header[self.column]
        quoted = '"%s"' % name.replace('"', '""') if name[0].isdigit() or draw.random() < 0.3 else name
        return quoted + ":" + letters

    def report(self, what, *details):
        global wrong
        wrong += 1
        print(what, "of", self.n, "lines:", *self.options, *details)

    def compare(self, what, printed, expected):
        if printed is not None and expected is not None:
            printed, expected = float(printed), float(expected)
        if printed != expected and (printed == printed or expected == expected):
            self.report(what, printed, "is not", expected)

    def nearest(self, fraction):
        n = len(self.values)
        return self.ordered[max(1, math.ceil(Fraction(fraction) * n)) - 1] if n > 0 else None

    def run(self):
        middle = draw.randrange(self.n + 1)
        whole = [self.text(self.numbers[:middle]), self.text(self.numbers[middle:])]
        if draw.random() < 0.3 and whole[0].endswith(b"\n"):
            whole[0] = whole[0][:-len(self.end)] if middle > 0 else whole[0]
        with open("a", "wb") as file:
            file.write(whole[0])
        with gzip.open("b.gz", "wb") as file:
            file.write(whole[1])
        self.options = ["-t", self.separator, "-k", self.key(), "--to=json", "--quantiles=" + ",".join(QUANTILES)]
        self.options += ["--csv"] * self.csv + ["--header"] * self.named
        self.options += [] if self.reverse else ["--summary", "--histogram=%d" % self.bars]
        self.options += draw.choice([[], ["--parallel=1"], ["-S", "1M", "-T", "."], ["--verify"]])
        done = subprocess.run(["gsort", *self.options, "a", "b.gz"], capture_output=True)
        if done.returncode != 0:
            self.report("status %d" % done.returncode, done.stderr)
            return
        figures = json.loads(done.stdout)
        self.compare("keys", figures["keys"], len(self.values))
        for name, figure in zip(QUANTILES, figures["quantiles"]):
            self.compare("quantile " + name, figure["value"], self.nearest("0" + name if name[0] == "." else name))
        if not self.reverse:
            self.check_summary(figures["summary"])
            self.check_bars(figures["histogram"])

    def check_summary(self, printed):
        finite = all(math.isfinite(x) for x in self.values)
        self.compare("count", printed["count"], len(self.values))
        self.compare("missing", printed["missing"], self.n - len(self.values))
        self.compare("distinct", printed["distinct"], len(set(self.values)))
        self.compare("min", printed["min"], min(self.values, default=None))
        self.compare("median", printed["median"], statistics.median_low(self.values) if self.values else None)
        self.compare("max", printed["max"], max(self.values, default=None))
        if finite:
            total = sum(map(Fraction, self.values))
            self.compare("sum", printed["sum"], rounded(total))
            self.compare("mean", printed["mean"], mean(total, len(self.values)) if self.values else None)

    def check_bars(self, bars):
        self.compare("all bars", sum(bar["count"] for bar in bars), len(self.values))
        finite = [x for x in self.values if math.isfinite(x)]
        for bar in bars:
            low, high = float(bar["from"]), float(bar["to"])
            if math.isfinite(low):
                inside = sum(low <= x < high or x == high == max(finite) for x in finite)
            else:
                inside = self.values.count(low)
            self.compare("bar", bar["count"], inside)


for _ in range(int(sys.argv[2])):
    Round().run()
sys.exit(wrong > 0)
