#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run gsort with one file under two names, in all pairs of roles and all ways to name it twice.

same_file.py [RANKS]: prints each case that loses data or breaks a rule below, then how many ran; exits with
1 if there is a bad one.  Works in the current folder.  RANKS is the program gsort-ranks.

A job has read all its input before it writes, so its output may be its input.  No other two roles of which
one writes go together: status 2, one line, and all files are as they were.
"""
import itertools
import json
import os
import shutil
import subprocess
import sys

RANKS = sys.argv[1] if len(sys.argv) > 1 else None
READS = ("input", "stdin", "names")
PATTERNS = ("part", "rank")		# -o %r: the files 0 and 1
OUTPUTS = ("output", "inplace", "together") + PATTERNS
OPTIONS = {"part": ["--split=2"], "inplace": ["--in-place"]}
ROLES = READS + ("stdout", "stats") + OUTPUTS
PATHS = ("same", "dot", "folder", "absolute")
WAYS = PATHS + ("hard", "link", "links", "fd", "proc", "standard")
MODES = {"stdin": ("read",), "stdout": ("keep", "append", "empty")}
FLAGS = {"read": os.O_RDONLY, "keep": os.O_RDWR | os.O_CREAT,
         "append": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
         "empty": os.O_WRONLY | os.O_CREAT | os.O_TRUNC}
JOBS = ([], ["-m"], ["--union"], ["--lines"], ["-c"], ["--check=summary"], ["--plan"], ["--parallel=1", "-r"])
LONG = 100				# seconds: ranks that wait for each other


class Impossible(Exception):
    """There is no such case."""


def files():
    """All files here with their bytes; for a dangling link, its target."""
    return {name: open(name, "rb").read() if os.path.exists(name) else os.readlink(name)
            for name in os.listdir(".") if name != "folder"}


def name_again(name, again, way, exists, open_files, other=None):
    """A second name of file NAME: AGAIN if it is a link; OTHER is the first role."""
    if way in PATHS:
        return {"same": "", "dot": "./", "folder": "folder/", "absolute": os.getcwd() + "/"}[way] + name
    if way == "standard" and other in MODES:
        return "/dev/" + other
    if way == "standard" or way in ("hard", "fd", "proc") and not exists:
        raise Impossible
    if way in ("fd", "proc"):
        open_files.append(os.open(name, os.O_RDWR))
        os.set_inheritable(open_files[-1], True)
        return ("/dev/fd/%d" if way == "fd" else "/proc/self/fd/%d") % open_files[-1]
    if way == "hard":
        os.link(name, again)
    elif way == "link":
        os.symlink(name, again)
    else:				# to a link, through a folder that is a link
        os.symlink("folder/between", again)
        os.symlink("./" + name, "between")
    return again


class Case:
    def __init__(self, a, b, way, mode, exists, job):
        self.roles, self.way, self.mode, self.exists, self.job = (a, b), way, mode, exists, job
        self.summary = job == ["--check=summary"]
        self.checks = job == ["-c"] or self.summary
        self.output = a if a in OUTPUTS else b if b in OUTPUTS else None
        self.listed = "names" in self.roles
        self.ranked = self.output in ("rank", "together")

    def __str__(self):
        return "%s, %s, %s%s, %s" % (" ".join(self.roles), self.way, self.mode or "",
                                     "" if self.exists else " not there yet", " ".join(self.job) or "sort")

    def is_possible(self):
        a, b = self.roles
        if a == b:			# two of the files of one pattern
            return a in PATTERNS and self.way in ("hard", "link", "links") and self.job == []
        if b in MODES or a in OUTPUTS and b in OUTPUTS or a == "stdin" and not self.exists:
            return False
        if self.checks and (self.output or self.listed) or "--union" in self.job and self.listed:
            return False
        if self.output == "part" and self.job in (["-m"], ["--union"]):
            return False
        return not self.ranked or RANKS is not None and a != "stdin" and self.job in ([], ["--lines"])

    def written(self):
        """The roles that write the file."""
        prints = self.output is None and (not self.checks or self.summary)
        return [role for role in self.roles if role == "stats" or role in OUTPUTS or role == "stdout" and prints]

    def is_refused(self):
        written = self.written()
        if len(written) == 2 or self.listed and written:
            return True
        return "stats" in written and bool(set(self.roles) & set(READS))

    def prepare(self, open_files):
        """Make the files; returns the name of the file, and of each role."""
        a, b = self.roles
        name = "0" if a in PATTERNS or b in PATTERNS and self.way in PATHS else "7"	# a number, as an input of names
        self.numbers = b"1\n2\n3\n" if self.job == ["-m"] or self.checks else b"3\n1\n2\n"
        with open("data", "wb") as file:
            file.write(self.numbers)
        if self.exists:
            with open(name, "wb") as file:
                file.write(b"data\0" if self.listed and "input" not in self.roles else
                           name.encode() if self.listed else self.numbers)
        os.symlink(".", "folder")
        if a == b:
            name_again(name, "1", self.way, self.exists, open_files)
            return name, {a: "%r"}
        if b not in PATTERNS:
            return name, {a: "%r" if a in PATTERNS else name,
                          b: name_again(name, "again", self.way, self.exists, open_files, a)}
        if self.way in ("fd", "proc", "standard"):
            raise Impossible
        again = name_again(name, "0", self.way, self.exists, open_files)
        return name, {a: name, b: again[:-1] + "%r"}

    def command(self, names):
        words = [RANKS if self.ranked else "gsort"] + self.job
        if self.output:
            words += ["-o", names[self.output]] + OPTIONS.get(self.output, [])
        if "stats" in names:
            words.append("--verbose=json:" + names["stats"])
        if self.listed:
            return words + ["--files0-from=" + names["names"]]
        words.append(names.get("input", "-" if "stdin" in names else "data"))
        return words + ["data"] * (self.job == ["--union"])

    def run(self):
        """What is wrong, or None."""
        open_files, streams = [], {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
        try:
            name, names = self.prepare(open_files)
            if self.mode is not None:
                open_files.append(os.open(name, FLAGS[self.mode], 0o644))
                streams[self.roles[0]] = open_files[-1]
            before = files()
            got = subprocess.run(self.command(names), stderr=subprocess.PIPE, close_fds=False, timeout=LONG,
                                 env=dict(os.environ, GSORT_RANKS="2"), **streams)
            return self.judge(name, before, files(), got)
        except subprocess.TimeoutExpired:
            return "it hangs"
        finally:
            for fd in open_files:
                os.close(fd)

    def judge(self, name, before, after, got):
        reads = set(self.roles) & set(READS)
        told = got.stderr.decode()
        if self.is_refused() or reads and name not in before or self.listed and before[name] == b"":
            good = got.returncode == 2 and after == before and len(told.splitlines()) == 1
            return None if good else "status %d, not 2 and all as before; %s" % (got.returncode, told)
        if got.returncode != 0:
            return "status %d, not 0: %s" % (got.returncode, told)
        if self.job == ["--plan"]:
            return None
        if "stats" in self.roles:	# only they are written here
            return None if json.loads(after[name].decode())["status"] == 0 else "the statistics are wrong"
        if self.mode == "empty" and reads and not self.checks and not self.output and "is input and output" not in told:
            return "the shell has emptied the input, and nobody says so"
        have = after[name] if "stdout" in self.roles else got.stdout
        if self.output:
            have = after["0"] + after["1"] if self.output in PATTERNS else after[name]
        return self.compare(before, name, have)

    def compare(self, before, name, have):
        if self.summary:
            return None if b"records\t" in have else "the summary is lost"
        keeps = "stdout" in self.roles and not self.output and (self.checks or self.mode == "append")
        own = "input" in self.roles or "stdin" in self.roles and not self.listed
        read = before[name] if own else self.numbers
        numbers = set() if self.checks else set(map(int, read.split()))
        if self.job == ["--union"]:
            numbers |= set(map(int, self.numbers.split()))
        want = (before[name] if keeps else b"") + "".join("%d\n" % n for n in sorted(numbers, reverse="-r" in self.job)).encode()
        return None if have == want else "%r, not %r" % (have, want)


def cases():
    for job, a, b in itertools.product(JOBS, ROLES, ROLES):
        for way, mode, exists in itertools.product(WAYS if not job else ("same", "hard"),
                                                   MODES.get(a, (None,)), (True, False)):
            case = Case(a, b, way, mode, exists, job)
            if case.is_possible():
                yield case


def main():
    count = bad = 0
    for case in cases():
        os.mkdir("case")
        os.chdir("case")
        try:
            wrong = case.run()
            count += 1
            if wrong is not None:
                bad += 1
                print("%s: %.300s" % (case, wrong))
        except Impossible:
            pass
        os.chdir("..")
        shutil.rmtree("case")
    print("%d cases, %d bad" % (count, bad))
    return bad > 0 or count < 1000


sys.exit(main())
