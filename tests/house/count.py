#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The size of src, from the project's root: lines of code (neither comments nor blanks), files and
headers of each folder; headers with one reader beside their own source; how often a job asks what its
elements are, or whether it is alone; the bytes of bench/results."""
import os
import re
import subprocess


# Tests of what elements are, and of the ranks of a job.
FORK = re.compile(r"kind->items|\bkind [=!]= &gs_|\bo(?:ptions)?(?:\.|->)lines\b(?! = )|[!=]= GS_OF_|"
                  r"kind->(?:type|large|cpu_rule) [!=]= NULL|gs_line_order_has_value\(|"
                  r"\bcount_out [!=]= NULL|\b(?:o|output)->ranks [!=]= NULL|"
                  r"\binput->items|\border [!=]= NULL|->alone\b(?! = )|->size == 1\b")


def code_of(text):
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group(0).count("\n"), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def code_lines(text):
    return sum(1 for line in code_of(text).split("\n") if line.strip())


def tracked(folder):
    listed = subprocess.run(["git", "ls-files", folder], capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if os.path.exists(name)]


def read(name):
    with open(name, errors="replace") as file:
        return file.read()


def readers(header, texts):
    own = header[:-1] + "c"
    return sum(name not in (header, own) and f'"{header[4:]}"' in text for name, text in texts.items())


def main():
    texts = {name: read(name) for name in tracked("src") if re.search(r"\.(c|h|inc|cpp|def)$", name)}
    headers = [name for name in texts if name.endswith(".h")]
    folders = {}
    for name, text in texts.items():
        folder = folders.setdefault(os.path.dirname(name), [0, 0, 0])
        folder[0] += 1
        folder[1] += name.endswith(".h")
        folder[2] += code_lines(text)
    print("files headers  code")
    for name in sorted(folders):
        print("{:5} {:7} {:5}  {}".format(*folders[name], name))
    total = [sum(folder[i] for folder in folders.values()) for i in range(3)]
    print("{:5} {:7} {:5}  in all".format(*total))
    single = sum(readers(header, texts) == 1 for header in headers)
    print(f"{single} headers have one reader beside their own source")
    forks = sum(len(FORK.findall(code_of(text))) for name, text in texts.items()
                if re.match("src/(job|stages|plan)/", name))
    print(f"{forks} tests of kind and reach in job, stages and plan")
    print(sum(os.path.getsize(name) for name in tracked("bench/results")), "bytes of bench/results")


main()
