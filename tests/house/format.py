#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""format.py - which changed lines of C and CUDA differ from .clang-format

    tests/house/format.py [--base COMMIT | --all] [FILE]...

Lines changed since COMMIT [HEAD], committed or not, are looked at; --all: every line.
What clang-format cannot know is accepted: blanks and tabs inside a line, which align, the
breaks of lists, functions and structs of one line, calls of NAME(what)(), where the branches of
"? :", parts of strings, lines behind "&&" and kernels behind their launch bounds begin, and
macros.  Prints the lines that differ and what clang-format makes of them, and exits with 1 if
there are any.
"""
import argparse
import difflib
import re
import subprocess
import sys

SUFFIXES = (".c", ".h", ".inc", ".cu", ".cuh", ".cpp")
FOLDERS = ("src/", "kernels/", "tests/", "bench/", "examples/")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def changed(base, files):
    """{file: [(first, last)]}: lines that are not as in the commit BASE."""
    found, name = {}, None
    for line in output_of("git", "diff", "-U0", "--no-color", "--diff-filter=d", base, "--", *files).splitlines():
        if line.startswith("+++ b/"):
            name = line[6:]
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and name:
            count = int(hunk[2] or 1)
            if count > 0:
                found.setdefault(name, []).append((int(hunk[1]), int(hunk[1]) + count - 1))
    return found


def bare(line):
    return re.sub(r"\s", "", line)


def shown(line):
    """The line with its indentation, and a blank where there are any."""
    return line[:len(line) - len(line.lstrip())] + re.sub(r"\s+", " ", line.strip())


def is_list(lines):
    """Is it one, or are all lines functions and structs?"""
    return all(re.search(r"\{.*\}.*;?$", line) for line in lines) or all(re.search(r"[,{(]\s*(\\|/\*.*\*/)?$", line) for line in lines[:-1])


def in_macro(lines, at):
    return lines[at].lstrip().startswith("#") or (at > 0 and lines[at - 1].endswith("\\"))


def is_kernel(lines, at):
    """Is the line of a kernel's name and parameters, behind its launch bounds?"""
    while at > 0 and lines[at - 1].endswith(","):
        at -= 1
    return at > 0 and lines[at - 1].startswith("__launch_bounds__(")


def differences(old, new):
    """(index, what is there, what should be) of the lines that clang-format changes."""
    blocks = difflib.SequenceMatcher(None, [bare(line) for line in old], [bare(line) for line in new],
                                     autojunk=False)
    for kind, a, b, c, d in blocks.get_opcodes():
        if kind == "equal":
            for i, j in zip(range(a, b), range(c, d)):
                if shown(old[i]) != shown(new[j]) and not in_macro(old, i) and (
                        not old[i].lstrip().startswith(("?", ":", '"'))) and (
                        i == 0 or not old[i - 1].rstrip().endswith(("&&", "||"))) and (
                        not is_kernel(old, i)):
                    yield i, old[i:i + 1], new[j:j + 1]
            continue
        if "".join(map(bare, old[a:b])) == "".join(map(bare, new[c:d])) and (
                is_list(new[c:d]) or is_list(old[a:b]) or any("NAME(" in line for line in old[a:b]) or
                any(len(line.expandtabs()) > 100 for line in new[c:d])):
            continue
        if a < b and in_macro(old, a):
            continue
        yield a, old[a:b], new[c:d]


arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
arguments.add_argument("--base", default="HEAD")
arguments.add_argument("--all", action="store_true")
arguments.add_argument("files", nargs="*")
options = arguments.parse_args()

if options.all:
    ranges = {name: [] for name in options.files or output_of("git", "ls-files").split()}
else:
    ranges = changed(options.base, options.files)
wrong = 0
for name, lines in sorted(ranges.items()):
    if not name.startswith(FOLDERS) or not name.endswith(SUFFIXES):
        continue
    with open(name, encoding="utf-8") as file:
        before = file.read().splitlines()
    after = output_of("clang-format", "--style=file", *[f"--lines={a}:{b}" for a, b in lines], name).splitlines()
    for at, there, wanted in differences(before, after):
        wrong += len(there)
        print("\n".join([f"{name}:{at + 1}: clang-format has this otherwise:", *["-" + line for line in there],
                         *["+" + line for line in wanted]]))
if wrong > 0:
    print(f"{wrong} lines")
sys.exit(wrong > 0)
