#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""backend.py - two builds of gsort with --device=gpu, in turn, medians: backend.json

    backend.py OLD NEW GEN OUT.json COMMIT RUNS

OLD and NEW are programs, GEN is tests/gen.  Output goes to /dev/null, so that what is
seen is the GPU's part; and to a file, as it is used.  Every pair of outputs is compared.
"""
import filecmp
import json
import os
import statistics
import subprocess
import sys
import time

old, new, gen, out, commit, runs = sys.argv[1:7]
runs = int(runs)
PARTS = ["total_ms", "read_ms", "sort_ms", "write_ms", "h2d_ms", "gpu_ms", "d2h_ms", "peak_vram"]
FILES = {
    "u32.1g": ["--keys", str(1 << 28), "--type", "u32"],
    "bits.8g": ["--keys", str(1 << 30), "--type", "u64"],
    "lines": ["--keys", "30000000", "--type", "text", "--range", "full"],
}
ROWS = [
    ("u32 2^28", "-u32", "u32.1g"), ("u32 2^31", "-u32", "bits.8g"),
    ("u64 2^30", "-u64", "bits.8g"), ("text 3e7", "-n", "lines"),
    ("u64 2^30, 1 GiB of GPU memory", "-u64 --gpu-memory=1G", "bits.8g"),
]


def run(program, options, name, output):
    if os.path.exists("out"):
        os.remove("out")
    start = time.monotonic()
    ran = subprocess.run([program, "--device=gpu", "--stats=json", *options.split(), name, "-o", output],
                         stderr=subprocess.PIPE, check=True, text=True)
    stats = json.loads(ran.stderr.splitlines()[-1])
    return {"whole_ms": (time.monotonic() - start) * 1e3, **{p: stats.get(p) for p in PARTS}}


def medians(samples):
    return {k: statistics.median(s[k] for s in samples) if samples[0][k] is not None else None
            for k in samples[0]}


def measure(name, options, file, output):
    row = {"row": name, "output": output, "options": options, "bytes": os.path.getsize(file)}
    samples = {old: [], new: []}
    for r in range(runs + 1):
        for program in (old, new):
            sample = run(program, options, file, output)
            if r > 0:
                samples[program].append(sample)
            if output == "out":
                os.replace("out", "ref" if program == old else "out.new")
    if output == "out":
        assert filecmp.cmp("ref", "out.new", shallow=False), name
    row["old"], row["new"] = medians(samples[old]), medians(samples[new])
    print(f"{name:32} {output:10} whole {row['old']['whole_ms']:7.0f} {row['new']['whole_ms']:7.0f}"
          f"  read {row['old']['read_ms']:6.0f} {row['new']['read_ms']:6.0f}"
          f"  write {row['old']['write_ms']:6.1f} {row['new']['write_ms']:6.1f}"
          f"  gpu {row['new']['gpu_ms']:6.2f} h2d {row['new']['h2d_ms']:6.1f} d2h {row['new']['d2h_ms']:6.1f}",
          flush=True)
    return row


for name, options in FILES.items():
    with open(name, "wb") as file:
        subprocess.run([gen, "--seed", "1", *options], stdout=file, check=True)
rows = [measure(*row, "/dev/null") for row in ROWS] + [measure("u32 2^28", "-u32", "u32.1g", "out")]
with open(out, "w", encoding="utf-8") as file:
    json.dump({"benchmark": "backend", "date": time.strftime("%F"), "commit": commit, "runs": runs,
               "rows": rows}, file, indent=1)
