# SPDX-License-Identifier: BSD-2-Clause
"""suites_rust.py - run the calls of sort in the tests of uutils

    suites_rust.py SOURCE       SOURCE has tests/by-util/test_sort.rs

A call whose arguments and input are literals is run as it is, by the sort on PATH, in a copy of the fixtures and
with the files that its test has written.  A line for each says its test, what it was, its status, and a sum of
what it printed; the last one how many others there are.  What uutils expects is ignored.
"""
import codecs
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

STRING = r'b?"(?:\\.|[^"\\])*"'
GROUP = rf'\((?:[^()"]|{STRING}|\((?:[^()"]|{STRING}|\((?:[^()"]|{STRING})*\))*\))*\)'
CALL = re.compile(rf'(?:new_ucmd!\(\)|\bucmd\b|\.ucmd\(\))((?:\s*\.\w+{GROUP})+)', re.S)
STEP = re.compile(rf'\.(\w+)({GROUP})', re.S)
TEST = re.compile(r'#\[test\].*?\nfn (\w+)\(\) \{\n(.*?)\n\}\n', re.S)
HELPER = re.compile(r'test_helper\(\s*"([^"]*)",\s*&\[(.*?)\]', re.S)


def literal(text):
    """The bytes of a Rust literal."""
    text = re.sub(r'\\\n\s*', '', text[text.index('"') + 1:-1])
    text = re.sub(r'\\u\{([0-9a-fA-F]+)\}', lambda m: chr(int(m[1], 16)), text).replace(r'\0', r'\x00')
    return codecs.escape_decode(text.encode())[0]


def literals(text):
    """The bytes of an argument, or None if it is not a literal."""
    left = re.sub(STRING, '', text)
    return [literal(s) for s in re.findall(STRING, text)] if re.fullmatch(r'[\s&,()\[\]]*', left) else None


def read_call(steps):
    """Arguments, input, and the input file; None if they are not literals."""
    arguments, given, file = [], b"", None
    for name, group in STEP.findall(steps):
        if name not in ("arg", "args", "pipe_in", "pipe_in_fixture", "env", "current_dir", "set_stdin", "limit"):
            continue
        words = literals(group)
        if words is None or name not in ("arg", "args", "pipe_in", "pipe_in_fixture"):
            return None
        if name in ("arg", "args"):
            arguments += words
        elif name == "pipe_in":
            given = words[0]
        else:
            file = words[0]
    return arguments, given, file


def run(test, fixtures, files, call):
    arguments, given, file = call
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(fixtures, folder, dirs_exist_ok=True)
        for name, content in files:
            with open(os.path.join(folder, name.decode()), "wb") as out:
                out.write(content)
        if file is not None:
            with open(os.path.join(folder, file.decode()), "rb") as source:
                given = source.read()
        try:
            done = subprocess.run([b"sort"] + arguments, input=given, capture_output=True, cwd=folder, timeout=60)
            status, printed = done.returncode, done.stdout
        except subprocess.TimeoutExpired:
            status, printed = "late", b""
        left = sorted(set(os.listdir(folder)) - set(os.listdir(fixtures)))
        print(test, arguments, status, len(printed), zlib.crc32(printed), left)


def main():
    fixtures = os.path.join(sys.argv[1], "tests/fixtures/sort")
    with open(os.path.join(sys.argv[1], "tests/by-util/test_sort.rs"), encoding="utf-8") as source:
        tests = TEST.findall(source.read())
    others = 0
    for test, body in tests:
        files = [(literal(name), literal(content)) for name, content in
                 re.findall(rf'\.write(?:_bytes)?\(\s*({STRING}),\s*({STRING}),?\s*\)', body)]
        for name, options in HELPER.findall(body):
            for option in re.findall(STRING, options):
                for more in [], [b"--debug"]:
                    run(test, fixtures, files, ([name.encode() + b".txt"] + more + literal(option).split(), b"", None))
        for steps in CALL.findall(body):
            call = read_call(steps)
            if call is None:
                others += 1
            else:
                run(test, fixtures, files, call)
    print("others:", others)


if __name__ == "__main__":
    main()
