# SPDX-License-Identifier: BSD-2-Clause
"""keydefs.py - random lines and KEYDEFs: gsort prints what sort(1) prints

    keydefs.py SEED COUNT       options and lines drawn at random, against LC_ALL=C sort
    keydefs.py --locale=NAME SEED COUNT     the same in locale NAME, where localedef(1) has put it into LOCPATH
    keydefs.py --csv SEED COUNT rows with quotes, well-formed or not, against the fields that Python's csv reads
    keydefs.py --strict SEED COUNT  rows whose columns are numbers, mostly, with all kinds of --invalid

GSORT is the program.  Where releases of GNU sort differ, nothing is drawn: NaN, the suffixes R and Q,
byte 0x80 in a number, a version key that is a suffix alone.
"""
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

LETTERS = "bdfghiMnrV"
MONTHS = ["Jan", "FEB", "march", "apr", "May", "jun", "JULY", "aug", "sep", "oct", "nov", "Dec", "Ja", "foo"]
ENV = dict(os.environ, LC_ALL="C")

# Text in many languages, as bytes, and bytes that are not UTF-8.
WORDS = ["a", "A", "b", "Z", "ab", "aB", "AB", "a-b", "a b", "co-op", "coop", "Coop", "CO-OP", "resume", "résumé",
         "RÉSUMÉ", "ä", "Ä", "a\u0308", "ß", "ss", "ö", "å", "Ångström", "z", "œ", "ı", "i", "I", "İ", "ş", "ğ", "Straße",
         "strasse", "かな", "カナ", "日本", "日本語", "一", "漢字", "é", "e\u0301", "ñ", "ch", "c", "h", "cs", "dzs", "ll", "aa",
         "1月", "12月", "Mär", "MÄR", "märz", "Oca", "şub", "ŞUB", "jan", "maj", "Okt", "\u3000", "\u00a0", "½", "€", "😀",
         "\U0010ffff", "\u0378", "\ufeff"]
BYTES = [b"\xff", b"\xfe\xff", b"\xc3", b"\xe3\x81", b"\x80", b"\xed\xa0\x80", b"\xf5", b"a\0b", b"\0", b"\0\0", b"\x01",
         b"\x7f", b"\r", b"\v", b"\xe4", b"\xc0\x80"]


def run(program, options, data, env=ENV):
    done = subprocess.run([program] + options, input=data, capture_output=True, env=env)
    return done.returncode, done.stdout, done.stderr


class Case:
    def __init__(self, rnd, text=False):
        self.rnd = rnd
        self.text = text    # of any language

    def one(self, *choices):
        return self.rnd.choice(choices)

    def chance(self, share):
        return self.rnd.random() < share

    # ---- options ----

    def letters(self, share):
        """Mostly letters that go together."""
        while True:
            count = self.one(0, 0, 1, 1, 1, 2, 2, 3) if self.chance(share) else 0
            drawn = "".join(self.rnd.sample(LETTERS, count))
            orders = sum(c in drawn for c in "nghM") + any(c in drawn for c in "Vdi")
            if orders <= 1 or self.chance(0.02):
                return drawn

    def position(self, characters):
        text = str(self.one(1, 1, 2, 2, 3, 4, 9))
        return text + "." + str(self.one(*characters)) if self.chance(0.3) else text

    def keydef(self):
        text = self.position((1, 2, 3, 5)) + self.letters(0.8)
        if self.chance(0.7):
            text += "," + self.position((0, 1, 2, 3, 5)) + (self.one("b", "", "r") if self.chance(0.3) else "")
        return text

    def options(self):
        self.separator = self.one(",", "\t", ";", ":", "\\0", "x", "1", ".", None, None, None, None)
        self.zero = self.chance(0.15)
        self.keys = [self.keydef() for _ in range(self.one(0, 1, 1, 1, 2, 3))]
        words = ["-z"] * self.zero + ["-s"] * self.chance(0.2) + ["-u"] * self.chance(0.15)
        letters = self.letters(0.5)
        words += ["-" + letters] if letters else []
        self.versions = "V" in letters or any("V" in key for key in self.keys)
        self.numbers = any(letter in key for key in self.keys + [letters] for letter in "nh")
        if self.versions:    # a key must not begin within a suffix
            self.keys = [re.sub(r"\.[0-9]+", "", key) for key in self.keys]
            self.separator = "," if self.separator == "." else self.separator
        words += ["-t", self.separator] if self.separator else []
        return words + [word for key in self.keys for word in ("-k", key)]

    # ---- lines ----

    def digits(self, most):
        return "".join(self.one(*"0123456789") for _ in range(self.rnd.randrange(1, most + 1)))

    def number(self):
        body = self.one(
            self.digits(1), self.digits(4), "00" + self.digits(2) + "." + self.digits(2) + "00",
            "." + "0" * self.rnd.randrange(5) + self.digits(2), self.digits(self.one(15, 16, 17, 20, 40)),
            self.digits(2) + self.one("e", "E", "e+", "E-") + self.one("1", "2", "30", "400", "5000"),
            "0" * self.rnd.randrange(3), self.digits(3) + "." + self.digits(self.one(1, 3, 20)),
            self.one("0x1f", "0x.8p3", "inf", "Infinity", "1e", "0x", ".", "1.", "-0", "-inf", "1,000",
                     "1.2.3", "0x1p-20"))
        return self.one("", "", "-", "-", "+", " ", "--") + body + self.one(*([""] * 9 + list("KMkGTmxPEZY")))

    def version(self):
        parts = ["a", "b", "1", "2", "10", "0", "00", ".", "-", "~", "_", "v", ".tar", ".gz", "A", ".~", "+", " "]
        return "".join(self.one(*parts) for _ in range(self.rnd.randrange(1, 7)))

    def words(self):
        """Text in any language, sometimes long."""
        count = self.one(1, 1, 1, 2, 3, 5, 100, 700) if self.chance(0.05) else self.one(1, 1, 1, 2, 3)
        drawn = [self.one(*WORDS).encode() if self.chance(0.9) else self.one(*BYTES) for _ in range(count)]
        return self.one(b"", b"", b"", b"-", b" ", b".", b",").join(drawn).decode("latin1")

    def token(self):
        if self.text and self.chance(0.7):
            return self.words() if self.chance(0.8) else \
                self.one("", "-") + self.digits(4) + self.one(",", ".", ",,", " ", "") + self.digits(3) + \
                self.one(",", ".", "", "") + self.digits(2) + self.one("", "", "K", "M", "e2")
        kind = self.rnd.randrange(10)
        if kind < 4:
            return self.number()
        if kind < 6:
            return self.version() if kind == 4 else self.one(*MONTHS)
        if kind == 6:
            return self.one("", "\0", "\x01", "\x02", "\xff", "\xe9", "a\0b", "\x7f", "\r", "\v", "\x01\x02", "\0\0")
        return "".join(self.one(*"abcABC xyz01!-_\t~.") for _ in range(self.rnd.randrange(12)))

    def line(self):
        if self.chance(0.05):
            return ""
        between = "\0" if self.separator == "\\0" else self.separator or self.one(" ", "  ", "\t", " \t")
        return between.join(self.token() for _ in range(self.rnd.randrange(1, 6))) + self.one(*([""] * 19 + ["\r"]))

    def lines(self):
        pool = [self.line() for _ in range(self.one(2, 3, 5, 10, 30))]
        drawn = []
        for _ in range(self.one(2, 5, 20, 60)):
            line = self.one(*pool) if self.chance(0.6) else self.line()
            if line and self.chance(0.2):
                at = self.rnd.randrange(len(line))
                line = line[:at] + self.one(*"ab0 .19-") + line[at + 1:]
            if self.numbers:
                line = line.replace("\x80", "\x81")
            if self.versions:
                line = re.sub(r"(^|[^A-Za-z0-9~])\.(?=[A-Za-z~])", r"\1_", line)
                if self.separator and self.separator != "\\0":
                    line = line.replace(self.separator + ".", self.separator + "_")
            drawn.append(line.replace("\0", "\n") if self.zero else line)
        end = "\0" if self.zero else "\n"
        return (end.join(drawn) + (end if self.chance(0.8) else "")).encode("latin1")


def compare_with_sort(rnd):
    case = Case(rnd)
    options, data = case.options(), case.lines()
    operation = case.one([], [], [], [], [], ["-c"], ["-C"], ["--debug"], ["-S", "1M", "--parallel=3"])
    expected = run("sort", operation + options, data)
    found = run(os.environ["GSORT"], ["--lines", "--force"] + operation + options, data)
    if operation in (["-c"], ["-C"]) and not case.zero and expected[0] == 1:
        return options, data, expected[2].replace(b"sort: ", b"", 1)[:4] == found[2].replace(b"gsort: ", b"", 1)[:4] \
            and found[0] == 1
    return operation + options, data, expected[:2] == found[:2]


def compare_in_locale(rnd, name):
    """The same in another locale: sorted, checked, or merged after each of two files was sorted."""
    case = Case(rnd, True)
    options, data = case.options(), case.lines()
    env = dict(ENV, LC_ALL=name)
    operation = case.one([], [], [], [], ["-c"], ["-C"], ["-m"], ["-S", "1M", "--parallel=3"])
    with tempfile.TemporaryDirectory() as folder:
        names = []
        if operation == ["-m"]:
            names = [folder + "/a", folder + "/b"]
            for file, lines in zip(names, (data, case.lines())):
                with open(file, "wb") as to:
                    to.write(run("sort", options, lines, env)[1])
        expected = run("sort", operation + options + names, data, env)
        found = run(os.environ["GSORT"], ["--locale", "--force"] + operation + options + names, data, env)
    place = lambda status, output, message: message.split(b":")[1:3] if status == 1 else None    # of disorder
    return operation + options, data, expected[:2] == found[:2] and place(*expected) == place(*found)


def draw_rows(case):
    """Well-formed rows, as text and as fields."""
    words = [("".join(case.one(*'ab,"\n10 -.') for _ in range(case.rnd.randrange(6)))) for _ in range(12)]
    columns = case.rnd.randrange(1, 5)
    for _ in range(case.one(2, 10, 60)):
        fields = [case.one(*words) for _ in range(case.rnd.randrange(1, columns + 1))]
        quoted = ['"' + f.replace('"', '""') + '"' if re.search('[,"\n]', f) or case.chance(0.3) else f
                  for f in fields]
        yield ",".join(quoted) + "\n", fields


def read_rows(text):
    """The same for any text, as Python's csv reads it; the last row is SENTINEL if all quotes are closed."""
    lines = (text + "SENTINEL\n").splitlines(keepends=True)
    reader = csv.reader(lines)
    begin = 0
    for fields in reader:
        yield "".join(lines[begin:reader.line_num]), fields
        begin = reader.line_num


def draw_quotes(case):
    """Text with quotes anywhere."""
    return "".join("".join(case.one(*'""",,a1 \n') for _ in range(case.rnd.randrange(case.one(8, 8, 8, 200)))) + "\n"
                   for _ in range(case.one(1, 5, 30)))


def compare_ranks(rnd, program):
    """Are the lines of two files, sorted by several ranks, those of sort(1)?  GSORT_RANKS says how many."""
    case = Case(rnd)
    options = case.options()
    with tempfile.TemporaryDirectory() as folder:
        names = [folder + "/a", folder + "/b"]
        for name in names:
            with open(name, "wb") as file:
                file.write(case.lines())
        expected = run("sort", options + names, b"")
        found = run(program, ["--lines"] + options + names + ["-o", folder + "/out"], b"")
        try:
            with open(folder + "/out", "rb") as file:
                output = file.read()
        except FileNotFoundError:
            output = b""
    if expected[:2] == (found[0], output):
        return True
    print(options, found)
    return False


def compare_csv(rnd):
    """Each row once with quotes, and once with fields apart by 0x1f, ended by NUL, and its number last."""
    case = Case(rnd)
    if case.chance(0.5):
        rows = list(draw_rows(case))
    else:
        rows = list(read_rows(draw_quotes(case)))
        if rows.pop()[1] != ["SENTINEL"]:
            found = run(os.environ["GSORT"], ["--csv"], "".join(row for row, _ in rows).encode() + b'"')
            return [], rows, found[0] == 2 and b"a quote is not closed" in found[2]
    text = "".join(row for row, _ in rows).encode()
    columns = max((len(fields) for _, fields in rows), default=0) or 1
    plain = "".join("\x1f".join(fields + [""] * (columns - len(fields)) + [str(number)]) + "\0"
                    for number, (_, fields) in enumerate(rows))
    keys = []
    for _ in range(case.one(1, 1, 2, 3)):
        field = rnd.randrange(1, min(columns, 5) + 1)
        key = str(field) + "." + str(case.one(1, 2, 3)) if case.chance(0.3) else str(field)
        keys += ["-k", key + "," + str(field) + case.one("", "", "r", "f", "b")]
    expected = run("sort", ["-z", "-s", "-t", "\x1f"] + keys, plain.encode())
    order = [int(row.rsplit("\x1f", 1)[1]) for row in expected[1].decode().split("\0")[:-1]]
    found = run(os.environ["GSORT"], ["--csv", "-s"] + keys, text)
    return keys, text, (0, "".join(rows[i][0] for i in order).encode()) == found[:2]


def read_number(text, letter):
    """What a strict key is worth: a tuple that orders it; None: it is refused."""
    text = re.sub(r"\r$", "", text).strip(" \t\n")
    if text == "":
        return (0,)
    number = r"(-?(?:\d+\.?\d*|\.\d+))"
    if letter == "g":
        try:
            return (1, float(text)) if re.fullmatch("[+]?" + number + r"(?:[eE][-+]?\d+)?|[-+]?inf", text) else None
        except ValueError:
            return None
    found = re.fullmatch(number + ("([kKMGT]?)i?B?" if letter == "h" else "()"), text)
    if not found:
        return None
    value = Decimal(found[1])
    rank = " KMGT".index(found[2].upper() or " ")
    return (1, rank * ((value > 0) - (value < 0)), value)


def compare_strict(rnd):
    """Rows whose columns are numbers, mostly, with keys by name."""
    case = Case(rnd)
    names = ["a", "2024", 'x "y"', "p:n"]
    quoted = {"a": "a", "2024": '"2024"', 'x "y"': '"x ""y"""', "p:n": '"p:n"'}
    wrong = case.one(0, 0, 0.02, 0.5)
    word = lambda: case.one("N/A", "1e3", "1,000", "$5", "5x", "-", ".", "1 2", "1.2.3", "0x") \
        if case.chance(wrong) else case.one("", " ", "0", "-0", "007", ".5", "-.50", "3.", " 12 ", "-7",
                                            case.digits(3), "-" + case.digits(20), case.digits(2) + "." + case.digits(3))
    quote = lambda text: '"' + text.replace('"', '""') + '"' if re.search('[,"\n]', text) or case.chance(0.2) else text
    rows = []
    for _ in range(case.one(2, 30, 300)):
        fields = [word() for _ in names] + [case.one("x", "a\nb", "")]
        rows.append((fields, ",".join(quote(f) for f in fields) + case.one("\n", "\n", "\r\n")))
    keys = [(rnd.randrange(4), case.one("n", "n", "g", "h"), case.chance(0.3)) for _ in range(case.one(1, 1, 2))]
    words = [w for k, letter, r in keys for w in
             ("-k", case.one(quoted[names[k]] + ":" + letter, f"{k + 1},{k + 1}{letter}", f"{k + 1}{letter}") + "r" * r)]
    invalid = case.one("abort", "ignore", "ignore", "fail", "skip-blank")
    values = [[read_number(fields[k], letter) for k, letter, _ in keys] for fields, _ in rows]
    bad = [None in v for v in values]
    gone = [b or (invalid == "skip-blank" and (0,) in v) for b, v in zip(bad, values)]
    order = [i for i in range(len(rows)) if not gone[i]]
    for k, (_, _, r) in reversed(list(enumerate(keys))):
        order.sort(key=lambda i: values[i][k], reverse=r)
    header = ",".join(quoted[name] for name in names) + ",rest\n"
    text = header + "".join(row for _, row in rows)
    found = run(os.environ["GSORT"], ["--csv", "--header", "-s", "--invalid=" + invalid] + words +
                case.one([], [], ["-S", "4M", "--parallel=3"]), text.encode())
    if True in bad and invalid in ("abort", "skip-blank"):
        line = 1 + (header + "".join(row for _, row in rows[:bad.index(True)])).count("\n")
        return words, text, found[0] == 2 and found[2].startswith(b"gsort: -:%d: column " % line)
    status = 2 if True in bad and invalid == "fail" else 0
    return words, text, (status, (header + "".join(rows[i][1] for i in order)).encode()) == found[:2]


def main():
    strict = sys.argv[1] == "--strict"
    rows = sys.argv[1] == "--csv"
    locale = sys.argv[1].removeprefix("--locale=") if sys.argv[1].startswith("--locale=") else None
    seed, count = (int(word) for word in sys.argv[-2:])
    bad = 0
    for number in range(count):
        rnd = random.Random(seed * 1000000 + number)
        options, data, same = compare_in_locale(rnd, locale) if locale else \
            (compare_strict if strict else compare_csv if rows else compare_with_sort)(rnd)
        if not same:
            bad += 1
            print("case", number, options, data[:1000])
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
