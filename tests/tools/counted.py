#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the keys of lines that gsort counts with those of Python's csv and Counter.

counted.py SEED ROUNDS: each round draws lines, keys, --count or --top, and other options.  Prints each
job that is wrong, and exits with 1 if there is one.  Works in the current folder.
"""
import csv
import io
import json
import random
import re
import subprocess
import sys
from collections import Counter

draw = random.Random(int(sys.argv[1]))


class Key:
    """-kF[.C][,G[.D]]LETTERS for lines with three fields or more."""

    def __init__(self, kind):
        self.kind, self.first, self.last = kind, draw.randrange(3), None
        self.begin, self.end, self.letters = 0, 0, draw.choice(["", "", "", "f", "n", "r", "b" if kind == "blanks" else ""])
        if draw.random() < 0.9:
            self.last = self.first if kind == "csv" or draw.random() < 0.8 else draw.randrange(self.first, 3)
        if draw.random() < 0.3 and self.letters in ("", "f", "r"):
            self.begin, self.last = draw.randrange(3), self.first
            self.end = draw.choice([0, self.begin + 1, self.begin + 3])
        if kind == "csv" and self.letters == "n":     # it is strict: the first column alone has numbers
            self.first = self.last = 0

    def option(self):
        word = "%d%s" % (self.first + 1, ".%d" % (self.begin + 1) if self.begin or self.end else "")
        if self.last is not None:
            word += ",%d%s" % (self.last + 1, ".%d" % self.end if self.end else "")
        if self.letters == "b":     # of the beginning
            return ["-k", word.replace(",", "b,") if "," in word else word + "b"]
        return ["-k", word + self.letters]

    def is_whole(self):
        return self.begin == self.end == 0

    def fields(self, fields, separator):
        """What gsort prints for a line with these FIELDS, which for CSV are a list."""
        of = fields[self.first:None if self.last is None else self.last + 1]
        if self.kind == "csv" and self.is_whole():
            return of
        # counting of characters continues behind the end of a field
        text = separator.join(fields[self.first:])[self.begin:self.end or len(separator.join(of))]
        if self.kind == "csv":
            return [text]
        return text.lstrip(" ") if "b" in self.letters or "n" in self.letters and self.kind == "blanks" else text

    def order(self, fields, separator):
        text = self.fields(fields, separator)
        text = separator.join(text) if isinstance(text, list) else text
        if "n" in self.letters:
            number = re.match(" *(-?[0-9]+)", text)
            return int(number[1]) if number else 0
        return text.upper() if "f" in self.letters else text


def backwards(value):
    return -value if isinstance(value, int) else tuple(-ord(c) for c in value) + (1,)


class Job:
    def __init__(self):
        self.kind = draw.choice(["csv", "csv", "blanks", "colons", "tabs"])
        self.separator = dict(csv=",", blanks="", colons=":", tabs="\t")[self.kind]
        self.lines = [self.line() for _ in range(draw.choice([0, 1, 3, 100, 100, 2000]))]
        self.header = draw.random() < 0.3
        self.names = ["id", "the name" if self.separator else "name", "n"]
        if self.kind == "blanks":
            self.names[1:] = [" " + name for name in self.names[1:]]
        self.keys = [Key(self.kind) for _ in range(draw.choice([1, 1, 2, 3]))]
        self.most = draw.choice([None, 0, 1, 7, 10000])
        self.json = self.most is not None and draw.random() < 0.3

    def line(self):
        words = ["%d" % draw.randrange(30), draw.choice(["a", "B", "b", "", "long word", "c", 'say "x"', "1,2", "a:b"]),
                 draw.choice(["7", "07", "-3", "12 apples", "9", "x\ny"])]
        if self.kind != "csv":
            words = [re.sub("[ :\n]", "_", word) or "_" for word in words]
        if self.kind == "blanks":
            words = [" " * draw.choice([0] * (not number) + [1, 1, 2]) + word for number, word in enumerate(words)]
        return words

    def text(self, lines):
        into = io.StringIO()
        if self.kind == "csv":
            csv.writer(into, lineterminator="\n").writerows(lines)
        else:
            into.write("".join(self.separator.join(line) + "\n" for line in lines))
        return into.getvalue()

    def compare(self, line):
        """The key that sorts a line; equal keys are counted together."""
        return tuple(backwards(key.order(line, self.separator)) if "r" in key.letters
                     else key.order(line, self.separator) for key in self.keys)

    def printed(self, line):
        fields = [key.fields(line, self.separator) for key in self.keys]
        if self.kind == "csv":
            return fields if self.json else [field for of in fields for field in of]
        if self.kind != "blanks" or self.json:
            return fields if self.json else self.separator.join(fields)
        return "".join(field if n == 0 or field[:1] == " " else " " + field for n, field in enumerate(fields))

    def expected(self):
        counts, first = Counter(map(self.compare, self.lines)), {}
        for line in self.lines:
            first.setdefault(self.compare(line), line)
        groups = sorted(counts)
        if self.most is not None:
            groups = sorted(groups, key=lambda group: -counts[group])[:self.most]
        rows = [(counts[group], self.printed(first[group])) for group in groups]
        if self.json:
            values = [[",".join(of) if isinstance(of, list) else of for of in fields] for _, fields in rows]
            return {"keys": len(self.lines), "top": [{"value": value if len(value) > 1 else value[0], "count": count}
                                                     for (count, _), value in zip(rows, values)]}
        if self.header:
            for key in self.keys:
                key.begin = key.end = 0
                key.letters += "b" * (self.kind == "blanks")
            rows.insert(0, ("count", self.printed(self.names)))
        if self.kind == "csv":
            return [["%s" % count, *fields] for count, fields in rows]
        return "".join("%7s %s\n" % row for row in rows)

    def is_right(self):
        middle = draw.randrange(len(self.lines) + 1)
        for name, lines in ("a", self.lines[:middle]), ("b", self.lines[middle:]):
            with open(name, "w", encoding="utf-8", newline="") as file:
                file.write(self.text([self.names] * self.header + lines))
        options = [word for key in self.keys for word in key.option()]
        options += {"csv": ["--csv"], "blanks": [], "colons": ["-t", ":"], "tabs": ["-t", "\\t"]}[self.kind]
        options += ["--header"] * self.header + draw.choice([[], ["--parallel=1"], ["-S", "1M", "-T", "."], ["--verify"]])
        options += ["--count"] if self.most is None else ["--top=%d" % self.most] + ["--to=json"] * self.json
        wanted = self.expected()
        done = subprocess.run(["gsort", *options, "a", "b"], capture_output=True)
        got = done.stdout.decode()
        if self.json:
            got = json.loads(got)
        elif self.kind == "csv":
            got = list(csv.reader(io.StringIO(got, newline="")))
        if done.returncode == 0 and got == wanted:
            return True
        print("status %d:" % done.returncode, *options, done.stderr, got if len(got) < 500 else "", wanted if len(wanted) < 500 else "")
        return False


wrong = sum(not Job().is_right() for _ in range(int(sys.argv[2])))
sys.exit(wrong > 0)
