#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Draw jobs of all kinds, with any options, under a limit of memory, and compare their peak with it.

limits.py SEED JOBS [MOST_MIB]: a job keeps to -S, or is refused with a SIZE that it then keeps to.
Prints each job that is wrong, then a summary; exits with 1 if there was one.  Inputs have up to
MOST_MIB [20], and four times -S at most.  Works in the current folder; gsort, gsort-ranks, gen and
measure are on PATH.
"""
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter

MIB = 1 << 20
LEAST = 16              # MiB; less means this
TYPES = "u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 u128 i128".split()
WIDTHS = {kind: int(re.sub("^[a-z]*", "", kind)) // 8 for kind in TYPES}
SIZES = [0, 1000, 200_000, 3 * MIB, 8 * MIB, 20 * MIB, 60 * MIB, 200 * MIB]
PACKERS = {"gz": "gzip -1", "zst": "zstd -q -3", "xz": "xz -0", "bz2": "bzip2 -1", "lz4": "lz4 -q -1"}

draw = random.Random(int(sys.argv[1]))
jobs = int(sys.argv[2])
most_bytes = (int(sys.argv[3]) if len(sys.argv) > 3 else 20) * MIB
made = set()


def chance(part):
    return draw.random() < part


def shell(command):
    subprocess.run(["bash", "-c", command], check=True)


# ---- inputs ---------------------------------------------------------------------------

def lines_of(file, size, text):
    """Lines that TEXT makes from numbers: a block of a MiB, repeated with other digits."""
    block = b""
    while len(block) < min(size, MIB):
        block += b"".join(text(draw.getrandbits(40)) for _ in range(100))
    for _ in range(0, size, MIB):
        digits = draw.sample(b"0123456789", 10)
        file.write(block.translate(bytes.maketrans(b"0123456789", bytes(digits))))


LINES = {
    "lines": lambda n: b"%d some words %d\n" % (n, n % 7),
    "ties": lambda n: b"%d same\n" % (n % 3),
    "empty": lambda n: b"\n" * (n % 5) + b"%d\n" % n,
    "csv": lambda n: b'%d,"a, %d",%d\n' % (n % 1000, n, n % 13),
    "wide": lambda n: b"%d %s\n" % (n, b"x" * (n % 20000)),
    "ipv4": lambda n: b"%d.%d.%d.%d\n" % (n >> 24 & 255, n >> 16 & 255, n >> 8 & 255, n & 255),
    "time": lambda n: b"%04d-%02d-%02dT%02d:01:02.%d\n" % (n % 9999, n % 13, n % 32, n % 24, n % 1000),
}
TEXTS = ("text", "ipv4", "time")


def write_file(kind, size, name):
    gen = "gen --seed %d --keys %d " % (draw.randrange(1000), size // 8)
    if kind == "binary":
        shell(gen + "--type u64 --dist %s >%s" % (draw.choice(["uniform", "zipf", "few", "sorted"]), name))
    elif kind == "text":
        ranges = draw.choice(["u32", "i64", "small", "full"])
        shell(gen + "--type text --range %s | head -c %d | sed '$d' >%s" % (ranges, size, name))
    elif kind == "long":                # one line is most of it
        with open(name, "wb") as file:
            file.write(b"b\n" + b"z" * (size // 4) + b"\na\n")
    else:
        with open(name, "wb") as file:
            lines_of(file, size, LINES[kind])


def input_file(kind, size):
    name = "%s-%d" % (kind, size)
    if name not in made:
        write_file(kind, size, name)
        made.add(name)
    return name


def derived(name, suffix, command):
    """Run COMMAND, whose standard output becomes the file NAME, and return NAME."""
    if name + suffix not in made:
        shell("{ %s; } >%s" % (command, name + suffix))
        made.add(name + suffix)
    return name + suffix


# ---- jobs -----------------------------------------------------------------------------

def some():
    return draw.choice([1, 10, 1000, 100_000, 1_000_000])


def draw_kind():
    """The kind of input, and the options for it."""
    kind = draw.choice(["binary"] * 4 + ["text"] * 3 + ["records"] * 2 + ["lines"] * 3 + ["csv"])
    if kind == "binary":
        width = draw.choice(TYPES)
        return kind, width, [draw.choice(["-%s", "--type=%s"]) % width]
    if kind == "text":
        kind = draw.choice([kind] * 4 + ["ipv4", "time"])
        if kind != "text":
            return kind, None, ["--type=" + kind, "--invalid=ignore"]
        return kind, None, draw.choice([[], [], ["-g", "--invalid=ignore"], ["-n"], ["--type=hex", "--invalid=ignore"]])
    if kind == "records":
        bytes_ = draw.choice([8, 16, 40, 100, 1000, 100_000, 1_000_000])
        keys = draw.choice([[], ["-k", "u64@0"], ["-k", "i8@3", "-k", "bytes2@0"]])
        return "binary", bytes_, ["--record-size=%d" % bytes_] + keys
    if kind == "lines":
        kind = draw.choice(["lines", "lines", "ties", "empty", "wide", "long", "text"])
        return kind, None, draw.choice([["--lines"], ["-k1,1n"], ["-s", "-k2,2"], ["-k1,1g"], ["-k2,2V", "-k1,1r"]])
    if kind == "csv":
        return kind, None, draw.choice([["--csv", "-k1,1n"], ["--csv", "-k2"], ["--csv", "-s", "-k3,3n"]])
    return kind, None, []


def draw_operation(kind, unit):
    operations = [
        [], [], [], ["-r"], ["-u"], ["-u", "--keep-order"], ["--verify"], ["--head=%d" % some()], ["--tail=%d" % some()],
        ["-c"], ["-C", "-u"], ["--check=summary"], ["-m"], ["-m"], ["-m", "-u"], ["-m", "--head=99"],
        ["--argsort=u32"], ["--argsort=u64"], ["--split=%d" % draw.choice([2, 7, 64, 300])],
    ]
    if not isinstance(unit, int):
        operations += [["--count"], ["--unique=repeated"], ["--unique=singletons"], ["-m", "--count"]]
    operations += [["--union"], ["--intersect", "-u"], ["--difference"], ["--symmetric", "--tail=99"]]
    if kind in TEXTS or unit in WIDTHS and WIDTHS[unit] <= 8:
        operations += [
            ["--tail=%d" % some(), "--count"], ["--sample=%d" % some()], ["--top=%d" % some()], ["--summary"],
            ["--quantiles=0.1,0.5,0.99"], ["--histogram=%d" % some()], ["--top=%d" % some(), "--summary", "--to=json"],
            ["--to=f64"], ["--sample=%d:3" % some()],
        ]
    return draw.choice(operations + ([["--to=text"], ["--to=text", "--count"]] if unit in WIDTHS else []))


def draw_header(kind, unit):
    if not chance(0.15):
        return []
    if kind == "binary":
        width = WIDTHS[unit] if unit in WIDTHS else unit
        return ["--header=%d" % (draw.choice([1, 20_000, 20 * MIB]) // width * width)]
    return ["--header=%d" % draw.choice([1, 100, 10_000])]


# The options that draw_job() does not draw with a kind or an operation.
OTHERS = """--progress=1 --progress=3T --debug --verbose --progress=always --quiet --progress=never --force --device=cpu
    --decompress=auto --decompress=none --decompress=no-sandbox --stable --reverse --verify --head=1000
    --verbose=json -Sgpu:1M""".split()
OF_TEXT = "--zero-terminated --invalid=fail --invalid=skip-blank --invalid=warn --sort=numeric".split()
OF_LINES = """--ignore-case --dictionary-order --ignore-nonprinting --ignore-leading-blanks --month-sort --version-sort
    --human-numeric-sort --locale --zero-terminated --invalid=ignore --header --field-separator=, -k1,1dfr""".split()
OF_KEYS = "--to=u64be --type=raw --unique --numeric-sort --general-numeric-sort".split()
# Options that this file spells differently (--check --count --key --merge --output ...), or that are not jobs.
ELSEWHERE = """--key --merge --output --buffer-size --temporary-directory
    --plan --help --version""".split()


def draw_others(kind):
    """A few of the other options."""
    own = OF_KEYS if kind == "binary" else OF_TEXT + OF_KEYS if kind in TEXTS else OF_LINES
    return [draw.choice(OTHERS + own * 2) for _ in range(draw.choice([0, 0, 0, 1, 1, 2]))]


def not_drawn():
    """Options in --help that this file lacks."""
    with open(__file__) as file:
        words = set(re.findall("--[a-z0-9-]+", file.read()))
    told = subprocess.run(["gsort", "--help=all"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return [option for option in re.findall("^ +(?:-., )?(--[a-z0-9-]+)", told, re.M) if option not in words]


def draw_inputs(kind, unit, size, options, plain):
    """Names, and what feeds standard input."""
    name = input_file(kind, size)
    if isinstance(unit, int) and size % unit != 0:
        name = derived(name, ".%d" % unit, "head -c %d %s" % (size // unit * unit, name))
    in_order = any(option in options for option in ("-m", "-c", "-C"))
    if in_order and chance(0.9):
        keep = [o for o in options if o[0] != "-" or o[1] == "-" and re.match("--(type|record|lines|csv|base)", o)
                or re.match("-[ufibgnks]", o) and o != "-u"]
        name = derived(name, "." + re.sub("[^a-z0-9]", "", "".join(keep)), shlex.join(["gsort"] + keep + [name])
                       + " 2>/dev/null || true")
    elif not plain and chance(0.2):
        suffix = draw.choice([suffix for suffix in PACKERS if shutil.which(PACKERS[suffix].split()[0])])
        name = derived(name, "." + suffix, "%s -c <%s" % (PACKERS[suffix], name))
    way = draw.random()
    if way < 0.15 and not plain:
        return [], "cat %s |" % name
    if way < 0.25 and size < 10_000:
        count = draw.choice([100, 5000, 30_000])
        return ["--files0-from=" + derived(name, ".%d.names" % count,
                                           "yes %s | head -n %d | tr '\\n' '\\0'" % (name, count))], ""
    return [name] * draw.choice([1, 1, 1, 2, 3, 20]), ""


def draw_job():
    """A program, its options without -S, its inputs, what feeds it, and how many limits it takes."""
    size = draw.choice([size for size in SIZES if size <= (most_bytes if chance(0.3) else 8 * MIB)])
    kind, unit, options = draw_kind()
    ranks = draw.choice([2, 3]) if chance(0.08) else 0
    options = options + draw_operation(kind, unit)
    if any(re.match("--(keep-order|argsort|sample|top|quantiles|histogram|summary|union|inters|diff|symm)", o) for o in options):
        ranks = 0
    options += draw_header(kind, unit)
    options += draw_others(kind)
    options += ["--parallel=%d" % draw.choice([1, 2, 3, 4])] if chance(0.7) else []
    options += ["--verbose=json:stats"] if chance(0.1) else []
    options += ["--batch-size=%d" % draw.choice([2, 5, 100])] if chance(0.1) else []
    if chance(0.1) and (kind in TEXTS or unit in WIDTHS) and "--argsort" not in " ".join(options):
        options += ["--compress-program=" + draw.choice(["zstd", "lz4", "none"])]
    sets = any(option in options for option in ("--union", "--intersect", "--difference", "--symmetric"))
    names, feed = draw_inputs(kind, unit, size, options, ranks > 0)
    if sets:
        names, feed = [input_file(kind, size), input_file(kind, draw.choice(SIZES[1:4]))], ""
    if any(option.startswith("--split") for option in options):
        options += ["-o", "part-%r"]
    elif (ranks or chance(0.3)) and not any(option[:2] in ("-c", "-C") or option.startswith("--check") for option in options):
        options += ["-o", draw.choice(["out", "out-%r"]) if ranks else "out"]
        if not ranks and names == [input_file(kind, size)] and chance(0.3):
            shutil.copy(names[0], "out")        # onto the input
            names = ["out"]
        options += ["--in-place"] * (not ranks and chance(0.3))
    return ranks, options, names, feed, len(names) + 1 if sets else ranks or 1


# ---- running --------------------------------------------------------------------------

def run(ranks, words, feed):
    """Its status, peak memory in KiB, and messages."""
    environment = "GSORT_RANKS=%d " % ranks if ranks else ""
    command = "%s %smeasure took gsort%s %s" % (feed, environment, "-ranks" if ranks else "", shlex.join(words))
    done = subprocess.run(["bash", "-c", command + " >/dev/null"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with open("took") as took:
        return done.returncode, int(took.read().split()[1]), done.stderr.decode(errors="replace"), command


def play(tally):
    """Run one job, and return what is wrong with it, or None."""
    ranks, options, names, feed, shares = draw_job()
    limit = draw.choice([1, 4, 16, 16, 17, 20, 24, 32, 48, 64])
    for attempt in range(12):
        words = ["-S", "%dM" % limit, "-T", "."] + options + names
        status, peak, messages, command = run(ranks, words, feed)
        if status not in (0, 1, 2):
            return "status %d: %s\n%s" % (status, command, messages[-500:])
        if status < 2:
            tally["kept" if attempt == 0 else "kept with the SIZE named"] += 1
            allowed = shares * max(limit, LEAST) * 1024
            if re.search(r"\.(%s) \|" % "|".join(PACKERS), feed):       # gsort(1): it cannot know
                allowed += 12 * 1024
            return None if peak <= allowed else "%d KiB of %d: %s" % (peak, allowed, command)
        named = re.findall(r"(?:-S |--buffer-size=)(\d+)M", messages)
        if not named:
            break
        if attempt > 0 and "at least" not in messages:
            return "the SIZE named is not enough: %s\n%s" % (command, messages[-500:])
        limit = int(named[-1])
    else:
        return "the SIZE named is not enough: %s\n%s" % (command, messages[-500:])
    if run(ranks, options + names, feed)[0] < 2:
        return "refused without a SIZE: %s\n%s" % (command, messages[-500:])
    tally["no job"] += 1        # refused with all memory, too
    return None


missing = not_drawn()
if missing:
    sys.exit("options that no job has: " + " ".join(missing))
tally = Counter()
for job in range(jobs):
    wrong = play(tally)
    if wrong is not None:
        tally["wrong"] += 1
        print("job %d: %s" % (job, wrong), flush=True)
print(", ".join("%d %s" % (count, what) for what, count in sorted(tally.items())))
sys.exit(tally["wrong"] > 0)
