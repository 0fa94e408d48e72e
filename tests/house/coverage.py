#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""coverage.py - which lines and branches of src/ and kernels/ the tests have run

    make coverage [MISSED=--missed]
    tests/house/coverage.py [--source DIR] [--build DIR] [--clang CLANG] [--missed]

After tests in a build of configure CC=clang CXX=clang++ --enable-coverage; what `make coverage`
prints.  A line counts once, however many programs it is compiled into and however often it is
included, and is run if any of them ran it; so does each of the two ways out of a branch.
--missed lists the lines that nothing ran, and the ways that nothing went.

Counters lie in files that are mapped into all processes (clang's continuous mode), so also those
of a process that is killed, leaves by _exit() or may not open files any more are counted.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import tempfile

arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
arguments.add_argument("--source", default=".")
arguments.add_argument("--build", default=".")
arguments.add_argument("--clang", default="clang")
arguments.add_argument("--missed", action="store_true")
options = arguments.parse_args()
source, build = os.path.realpath(options.source), os.path.realpath(options.build)
programs = ["gsort", "gsort-emu", "gsort-ranks", "gsort-ways", "tests/unit/units", "tests/unit/units-emu"]


def clangs(tool, *arguments):
    path = subprocess.run([options.clang, "-print-prog-name=" + tool], check=True,
                          capture_output=True, text=True).stdout.strip()
    return subprocess.run([path, *arguments], cwd=build, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def lines_of(segments):
    """{line: count}.  A segment says what counts from there on; a line counts as often as the
    most frequent of what begins in it, or else of what goes on in it.  What lies between two
    statements (a gap) has a count of its own, which behind an assertion is that of its failure."""
    lines, at = {}, 0
    while at < len(segments):
        number, here = segments[at][0], []
        while at < len(segments) and segments[at][0] == number:
            here.append(segments[at])
            at += 1
        before = segments[at - len(here) - 1] if at > len(here) else None
        begins = [s[2] for s in here if s[3] and not s[5] and (s[4] or before and before[5])]
        goes_on = [before[2]] if before and before[3] and not (before[5] and begins) else []
        skipped = here[0][4] and not here[0][3]
        if not skipped and (begins or goes_on):
            lines[number] = max(begins + goes_on)
        last, until = here[-1], segments[at][0] if at < len(segments) else number
        if last[3] and not last[5]:
            lines.update((line, last[2]) for line in range(number + 1, until))
    return lines


lines, ways = {}, collections.defaultdict(lambda: collections.defaultdict(int))
with tempfile.NamedTemporaryFile() as merged:
    raw = glob.glob(os.path.join(build, "coverage", "*.profraw"))
    clangs("llvm-profdata", "merge", "-sparse", "-o", merged.name, *raw)
    objects = [word for program in programs for word in ("-object", program)]
    told = json.loads(clangs("llvm-cov", "export", "-instr-profile=" + merged.name, *objects[1:]))
for file in told["data"][0]["files"]:
    name = os.path.relpath(os.path.realpath(file["filename"]), source)
    if name.startswith(("src/", "kernels/")):
        lines[name] = lines_of(file["segments"])
        for line, column, _, _, true, false, *_ in file["branches"]:
            ways[name][line, column, "true"] += true
            ways[name][line, column, "false"] += false


def share(counts):
    ran = sum(count > 0 for count in counts)
    return f"{ran:6} of {len(counts):6} {100 * ran / max(len(counts), 1):6.1f} %"


def tell(what, names):
    print(f"{what:30} lines {share([n for name in names for n in lines[name].values()])}",
          f"  branches {share([n for name in names for n in ways[name].values()])}")


for name in sorted(lines):
    tell(name, [name])
    if options.missed:
        print("".join(f"    not run: {line}\n" for line, count in sorted(lines[name].items()) if not count),
              "".join(f"    never {way}: {line}:{column}\n"
                      for (line, column, way), count in sorted(ways[name].items()) if not count),
              sep="", end="")
print()
for folder in sorted({os.path.dirname(name) for name in lines}):
    tell(folder + "/", [name for name in lines if os.path.dirname(name) == folder])
for top in "src/", "kernels/":
    tell("all of " + top, [name for name in lines if name.startswith(top)])
