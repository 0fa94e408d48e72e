#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""crash.py - what a crash of the machine may leave of files that a command reads and replaces

    crash.py FILE[,FILE]... COMMAND [ARGUMENT]...

The command runs under strace in the folder of the files.  A crash may come after each of its calls.  The
disk then has a prefix of the names that were given, at least up to the last fsync(2) of the folder, and of
each file any state since it was last forced, whether its name came before or after: that is what POSIX
promises, and what XFS does.  In each such state each FILE must be whole, the old one or the new one; what it
was before, or what all of them become, must have names; and all must be new once the command has ended.

Exit status: 0; 1, and the first state that is wrong; 77: strace cannot trace here.
"""
import itertools
import os
import re
import subprocess
import sys

CALLS = ("open,openat,write,pwrite64,writev,ftruncate,rename,renameat,renameat2,link,linkat,unlink,"
         "unlinkat,fsync,fdatasync,close,dup,dup2,dup3,fcntl")


def record(command):
    """The system calls of COMMAND, one per line, in the order in which they returned."""
    log = "crash.trace"
    ended = subprocess.run(["strace", "-f", "-qq", "-s", "0", "-o", log, "-e", "trace=" + CALLS] + command,
                           check=False)
    if ended.returncode != 0:
        sys.exit("crash.py: status %d of %s" % (ended.returncode, " ".join(command)))
    lines, begun = [], {}
    with open(log, encoding="utf-8", errors="replace") as trace:
        for line in trace:
            thread, call = line.split(None, 1)
            if "<unfinished ...>" in call:
                begun[thread] = call[:call.index("<unfinished")].strip()
                continue
            resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", call)
            lines.append((begun.pop(thread, "") + resumed.group(1) if resumed else call).strip())
    os.unlink(log)
    return lines


def steps_of(lines, before):
    """What the calls did to the files named in BEFORE, and to those that they made."""
    names, fds, steps, made = {name: name for name in before}, {}, [], itertools.count()
    for line in lines:
        call = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", line)
        if not call or int(call.group(3)) < 0:
            continue
        what, arguments, result = call.group(1), call.group(2), int(call.group(3))
        paths = [os.path.normpath(path) for path in re.findall(r'"([^"]*)"', arguments)]
        first = int(arguments.split(",")[0]) if re.match(r"\d+\b", arguments) else None
        if what in ("open", "openat"):
            fds.pop(result, None)
            if "O_TMPFILE" in arguments:
                fds[result] = "nameless %d" % next(made)
                steps.append(("make", fds[result]))
            elif os.path.isdir(paths[0]):
                fds[result] = None
            elif paths[0] in names:
                fds[result] = names[paths[0]]
                if "O_TRUNC" in arguments:
                    steps.append(("empty", fds[result]))
            elif "O_CREAT" in arguments:
                fds[result] = names[paths[0]] = "made %d" % next(made)
                steps += [("make", fds[result]), ("name", paths[0], fds[result])]
        elif what in ("dup", "dup2", "dup3") or (what == "fcntl" and "F_DUPFD" in arguments):
            if first in fds:
                fds[result] = fds[first]
        elif what.startswith("link"):
            fd = re.search(r'/proc/self/fd/(\d+)|^(\d+), ""', arguments)
            names[paths[-1]] = fds[int(fd.group(1) or fd.group(2))] if fd else names[paths[0]]
            steps.append(("name", paths[-1], names[paths[-1]]))
        elif what.startswith("rename"):
            if paths[0] in names:
                names[paths[1]] = names.pop(paths[0])
                steps += [("move", paths[0], paths[1], names[paths[1]])]
        elif what.startswith("unlink"):
            if names.pop(paths[0], None) is not None:
                steps.append(("unname", paths[0]))
        elif first in fds:
            if what == "close":
                del fds[first]
            elif what in ("fsync", "fdatasync"):
                steps.append(("force folder",) if fds[first] is None else ("force", fds[first]))
            elif fds[first] is not None and what in ("write", "pwrite64", "writev"):
                steps.append(("write", fds[first], result))
            elif fds[first] is not None and what == "ftruncate" and arguments.endswith(" 0"):
                steps.append(("empty", fds[first]))
    return steps


def states(steps, before):
    """Each state that may be on the disk: after how many steps, name -> file, and file -> bytes; -1: as before."""
    for end in range(len(steps) + 1):
        named, safe, files = [], 0, {name: [-1] for name in before}
        for step in steps[:end]:
            if step[0] == "make":
                files[step[1]] = [0]
            elif step[0] == "empty":
                files[step[1]].append(0)
            elif step[0] == "write":
                files[step[1]].append(max(files[step[1]][-1], 0) + step[2])
            elif step[0] == "force":
                files[step[1]] = files[step[1]][-1:]
            elif step[0] == "force folder":
                safe = len(named)
            else:
                named.append(step)
        for kept in range(safe, len(named) + 1):
            names = {name: name for name in before}
            for step in named[:kept]:
                if step[0] != "name":
                    names.pop(step[1], None)
                if step[0] != "unname":
                    names[step[-2]] = step[-1]
            there = sorted(set(names.values()))
            some = [sorted({files[file][at] for at in (0, len(files[file]) // 2, -1)}) for file in there]
            for contents in itertools.product(*some):
                yield end, names, dict(zip(there, contents))


def main():
    """Record, then look at all states."""
    targets, command = sys.argv[1].split(","), sys.argv[2:]
    before = [name for name in os.listdir(".") if os.path.isfile(name)]
    if subprocess.run(["strace", "-f", "-o", "crash.trace", "true"], stderr=subprocess.DEVNULL,
                      check=False).returncode != 0:
        sys.exit(77)
    steps, whole, count = steps_of(record(command), before), {}, 0
    for step in steps:
        if step[0] == "write":
            whole[step[1]] = whole.get(step[1], 0) + step[2]
    for end, names, contents in states(steps, before):
        count += 1
        word = {file: "old" if contents[file] < 0 else "new" if contents[file] == whole.get(file) else "a part"
                for file in contents}
        shown = [word[names[name]] if name in names else "nothing" for name in targets]
        good = set(shown) <= {"old", "new"} and (
            all(word.get(name) == "old" for name in targets) or
            sum(word[file] == "new" for file in contents) >= len(targets))
        if not good or (end == len(steps) and set(shown) != {"new"}):
            print("after %d of %d steps: %s" % (end, len(steps), ", ".join(
                "%s is %s" % pair for pair in zip(targets, shown))))
            for step in steps[:end][-12:]:
                print("  " + " ".join(map(str, step)))
            sys.exit(1)
    print("%d states of %d steps" % (count, len(steps)))


main()
