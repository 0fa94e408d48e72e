#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""figures.py - print the figures of documents that differ from their results or from another document

    tests/house/figures.py, in the folder of the project

1. A paragraph that names files of bench/results, with the table that a colon at its end announces, has no decimal
   figure that none of these files has, rounded.
2. A number between the same three words and the same two has the same value in every document.
3. The figures of "named", below, are the same wherever they stand.
"""
import collections, pathlib, re

PATTERNS = "*.md", "doc/*.md", "doc/decisions/*.md", "man/*.in", "src/**/*.md", "src/*.h", "python/**/*.md", \
    "python/gsort/*.[cp]*", "kernels/**/*.md", "bench/*.md", "bench/mpi/*.md", "tests/*.md", "packaging/**/*.md", \
    "packaging/*/control", "packaging/*/*.spec"
PAGES = {str(path): path.read_text() for pattern in PATTERNS for path in sorted(pathlib.Path().glob(pattern))}
DECIMAL = r"(?<![\w.^/-])(\d+\.\d+)(?![\w.])"


def beside_results(name, page):
    """Figures of PAGE that are not in the results which their paragraph names"""
    blocks = page.split("\n\n")
    for block, after in zip(blocks, blocks[1:] + [""]):
        files = re.findall(r"bench/results/[\w.-]+/[\w.-]+\.(?:txt|json)", block)
        if block.endswith(":") and after.startswith("|"):
            block += after
        results = [float(n) for file in files for n in re.findall(r"\d+(?:\.\d+)?", pathlib.Path(file).read_text())]
        for figure in re.findall(DECIMAL, block) if files else []:
            if not any(f"{n:.{len(figure.partition('.')[2])}f}" == figure for n in results):
                yield f"{name}: {figure} is not in {' '.join(files)}"


def between_words():
    """Numbers with the same three words before them and two after them, which differ"""
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for name, page in PAGES.items():
        words = re.findall(r"\d[\d.]*(?=\W)|[\w-]+|[.|]", re.sub(r"(?m)^\.TH.*|\\f.|\\|[*`]", "", page))
        for at, word in enumerate(words[:-2]):
            around = words[max(at - 3, 0):at] + words[at + 1:at + 3]
            if re.fullmatch(r"\d[\d.]*", word) and len(around) == 5 and all(w[0].isalpha() for w in around):
                found[" ".join(around[:3] + ["N"] + around[3:])][name].add(word.strip("."))
    for phrase, pages in found.items():
        least = min(pages.values(), key=len)
        if not all(least <= values for values in pages.values()):
            yield f"{phrase}: {dict(pages)}"


NAMED = {
    "minutes of ./bootstrap check": r"\./bootstrap check\b[^.]*?(\d+) minutes",
    "minutes of .ci/run": r"\.ci/run\b[^.]*?(\d+ to \d+) minutes",
    "a call from Python": r"calls? (?:the library )?(?:in|takes) (0\.\d) (?:us|microseconds)(?! longer)",
    "a call through ctypes": r"(?:through ctypes a call takes|through ctypes takes|takes 0\.\d us, not) (\d+ to \d+)",
    "lines that a faster change may cost": r"[Uu]nder 5 % for (?:more than|over) (\d+) lines",
}


def named(least=2):
    """Figures with a name that differ, or that fewer than two documents have"""
    for what, pattern in NAMED.items():
        found = {(name, figure) for name, page in PAGES.items()
                 for figure in re.findall(pattern, " ".join(page.split()))}
        if len({figure for _, figure in found}) != 1 or len({name for name, _ in found}) < least:
            yield f"{what}: {sorted(found)}"


wrong = [line for name, page in PAGES.items() for line in beside_results(name, page)]
wrong += [*between_words(), *named()]
print("".join(line + "\n" for line in wrong), end="")
raise SystemExit(bool(wrong))
