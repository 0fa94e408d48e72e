#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The size and grain of src, from the project's root: lines of code (neither comments nor blanks), files and
headers of each folder; how long functions are, and how many static ones have one caller; how many take the
whole job; headers with one reader beside their own source; how many members a struct has; the bytes of
bench/results."""
import os
import re
import subprocess


def code_of(text):
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group(0).count("\n"), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def code_lines(text):
    return sum(1 for line in code_of(text).split("\n") if line.strip())


# Each function of PLAIN: is it static, its name, its parameters, and the lines of its body.  It begins with its name in the
# first column, below its type, and ends with a brace in the first column.
def functions(plain):
    for found in re.finditer(r"^([A-Za-z_][^\n;}]*)\n([A-Za-z_]\w*)\s*\(([^;{}]*)\)\s*\n\{\n(.*?)^\}", plain, re.M | re.S):
        yield ("static" in found[1], found[2], found[3],
               sum(1 for line in found[4].split("\n") if line.strip()))


# How many members each struct of PLAIN has; one that is within another is one member of it.
def members(plain):
    for found in re.finditer(r"^(?:static |typedef )?(?:struct|union)(?: \w+)? \{\n(.*?)^\}", plain, re.M | re.S):
        body, inner = re.sub(r"^\s*#.*$", "", found[1], flags=re.M), 1
        while inner:
            body, inner = re.subn(r"\{[^{}]*\}|\([^()]*\)", "", body)
        yield sum(1 + part.count(",") for part in body.split(";") if part.strip())


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
    bodies, once, takers = [], 0, 0
    for name, text in texts.items():
        if name.endswith(".h") or name.endswith(".def"):
            continue
        plain = code_of(text)
        for static, function, parameters, body in functions(plain):
            bodies.append(body)
            takers += bool(re.search(r"\bstruct gsort \*", parameters))
            uses = re.findall(rf"\b{function}\b(\s*\()?", plain)
            once += static and len(uses) == 2 and all(uses)
    longer = [body for body in bodies if body > 3]
    print(f"{sum(bodies) / max(len(bodies), 1):.1f} lines of body in the mean of {len(bodies)} functions")
    print(f"{sum(longer) / max(len(longer), 1):.1f} in those longer than three lines")
    print(once, "static functions are called once")
    print(takers, "functions take the whole job")
    print(sum(len(re.findall(r"job->(?:items|keys)\b", code_of(text))) for text in texts.values()),
          "accesses to job->items and job->keys")
    single = sum(readers(header, texts) == 1 for header in headers)
    print(f"{single} headers have one reader beside their own source")
    # what the user gives and gets, and what a plan is made from, have one member for each fact
    widest = max((count for name, text in texts.items() if not re.match(r"src/(cli/|gsort|plan/plan\.h)", name)
                  for count in members(code_of(text))), default=0)
    print(widest, "members of the widest struct below cli")
    print(sum(os.path.getsize(name) for name in tracked("bench/results")), "bytes of bench/results")


main()
