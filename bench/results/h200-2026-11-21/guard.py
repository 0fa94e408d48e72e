#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a GPU that may fail costs: whole processes of two builds, or with two sets of options,
in turn.

    guard.py OLD NEW GEN OUT.json COMMIT RUNS

Each row is run RUNS times, one of either in turn; figures are medians.
"""
import json, os, re, statistics, subprocess, sys, tempfile, time

old, new, gen, out, commit, runs = sys.argv[1:7]
KEYS = ("total_ms", "read_ms", "sort_ms", "write_ms", "h2d_ms", "gpu_ms", "d2h_ms", "peak_rss")
ROWS = [  # what, type, log2 of keys, way, options of either
    ("u32 2^28, gpu, to /dev/null", "u32", 28, "null", "--device=gpu", "--device=gpu"),
    ("u64 2^27, gpu, to /dev/null", "u64", 27, "null", "--device=gpu", "--device=gpu"),
    ("u32 2^29, auto of 4 threads, to /dev/null", "u32", 29, "null", "--parallel=4", "--parallel=4"),
    ("u32 2^29, auto of 4 threads, to a new file", "u32", 29, "file", "--parallel=4", "--parallel=4"),
    ("u32 2^29, auto of 4 threads, a pipe to /dev/null", "u32", 29, "pipe", "--parallel=4", "--parallel=4"),
    ("u32 2^29, 4 threads, to /dev/null: cpu, auto", "u32", 29, "null", "--parallel=4 --device=cpu", "--parallel=4"),
    ("u32 2^29, 4 threads, to a new file: cpu, auto", "u32", 29, "file", "--parallel=4 --device=cpu", "--parallel=4"),
    ("u32 2^29, 4 threads, a pipe to /dev/null: cpu, auto", "u32", 29, "pipe", "--parallel=4 --device=cpu", "--parallel=4"),
    ("u32 2^29, 2 threads, to a new file: cpu, auto", "u32", 29, "file", "--parallel=2 --device=cpu", "--parallel=2"),
    ("u32 2^28, gpu, to /dev/null: --verify", "u32", 28, "null", "--device=gpu", "--device=gpu --verify"),
    ("u32 2^28, cpu of 16 threads, to /dev/null: --verify", "u32", 28, "null", "--device=cpu", "--device=cpu --verify"),
    ("u32 2^28, cpu of 16 threads, to a new file: --verify", "u32", 28, "file", "--device=cpu", "--device=cpu --verify"),
    ("u32 2^28, cpu of 2 threads, to /dev/null: --verify", "u32", 28, "null", "--device=cpu --parallel=2", "--device=cpu --parallel=2 --verify"),
]


def run(program, kind, way, options, folder):
    result = os.path.join(folder, "out")
    if os.path.exists(result):
        os.unlink(result)
    command = f"{program} --type={kind} --stats=json {options} "
    command = {"null": command + "in >/dev/null", "file": command + "in -o out",
               "pipe": "cat in | " + command + ">/dev/null"}[way]
    start = time.monotonic()
    done = subprocess.run(command, shell=True, cwd=folder, stderr=subprocess.PIPE, text=True, check=True)
    whole = (time.monotonic() - start) * 1e3
    stats = json.loads(done.stderr.strip().splitlines()[-1])
    return {"whole_ms": whole, **{k: stats[k] for k in KEYS}, "device": stats["device"]}


def median(results):
    row = {k: round(statistics.median(r[k] for r in results), 3) for k in ("whole_ms",) + KEYS}
    row["whole_ms_all"] = [round(r["whole_ms"], 1) for r in results]
    row["device"] = results[-1]["device"]
    return row


rows, made = [], None
with tempfile.TemporaryDirectory(dir="/tmp") as folder:
    for what, kind, power, way, a, b in ROWS:
        if made != (kind, power):
            with open(os.path.join(folder, "in"), "wb") as f:
                subprocess.run([gen, "--seed", "1", "--keys", str(1 << power), "--type", kind], stdout=f, check=True)
            made = (kind, power)
        first, second = (new, new) if a != b else (old, new)
        found = {"old": [], "new": []}
        for r in range(int(runs) + 1):
            one, two = run(first, kind, way, a, folder), run(second, kind, way, b, folder)
            if r > 0:
                found["old"].append(one)
                found["new"].append(two)
        row = {"row": what, "options": [a, b], **{k: median(v) for k, v in found.items()}}
        rows.append(row)
        print(what, *("%s: whole %.0f total %.0f read %.0f sort %.2f write %.0f h2d %.1f gpu %.2f d2h %.1f rss %.0f MB %s;" % (
            k, v["whole_ms"], *(v[x] for x in KEYS[:-1]), v["peak_rss"] / 1e6, v["device"][:12])
            for k, v in ((k, row[k]) for k in ("old", "new"))), flush=True)
        with open(out, "w") as f:
            json.dump({"benchmark": "guard", "date": "2026-11-21", "commit": commit, "runs": int(runs), "rows": rows}, f, indent=1)
