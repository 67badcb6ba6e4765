#!/usr/bin/env python3
"""pairs.py OLD NEW - compare two builds of Zinc, workload by workload

OLD and NEW are build directories, each with a bench-zinc beside its libzinc (scripts/bench.sh makes one).  Every
workload of bench/workloads.py runs in pairs, one of each build, in alternating order; the figures are medians of the
pairs' ratios, NEW to OLD, of elapsed and of CPU time.  A row that seems slower by more than 3 % gets three times as
many further pairs, and all of them are used; the last lines name the rows that are still slower.  Environment: BENCH_PAIRS
[15], BENCH_SIDE [256], BENCH_ONLY (a pattern), BENCH_DIR (data [build/bench-data-SIDE]).
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys

import data
from workloads import workloads

PAIRS = int(os.environ.get("BENCH_PAIRS", "15"))
SIDE = int(os.environ.get("BENCH_SIDE", "256"))
WHERE = os.path.abspath(os.environ.get("BENCH_DIR", f"build/bench-data-{SIDE}"))
TARGET = os.path.join(WHERE, "pair-target")
MANY = data.place_of_many(TARGET)
SETS = data.sets(SIDE)
MOST = 1.03


def target(w):
    if not w.to:
        return []
    path = MANY if w.many else TARGET
    made = data.full_copy(SETS[w.to[1:]], path) if w.to.startswith("+") else data.empty_copy(SETS[w.to], path, False)
    return [f"to={made}"]


def once(build, w, threads):
    """Times of the second of two repeats: code and pools are warm"""
    path = os.path.join(WHERE, w.set)
    argv = [os.path.join(build, "bench-zinc"), w.operation, path, str(threads), "1" if w.to else "2", *w.options, *target(w)]
    told = json.loads(subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1])
    return told["ms"][-1], told["cpu_ms"][-1]


def measure(old, new, w, threads, n):
    """n pairs of (elapsed, CPU time), one of each build; a first, unused pair warms the page cache"""
    pairs = []
    for k in range(n + 1):
        order = (old, new) if k % 2 else (new, old)
        pair = {build: once(build, w, threads) for build in order}
        pairs.append((pair[old], pair[new]))
    return pairs[1:]


def ratios(pairs):
    return [statistics.median(new[i] / old[i] for old, new in pairs) for i in (0, 1)]


def compare(old, new, w, threads):
    pairs = measure(old, new, w, threads, PAIRS)
    if ratios(pairs)[0] > MOST:
        pairs += measure(old, new, w, threads, 3 * PAIRS)
    wall, cpu = ratios(pairs)
    before, after = (statistics.median(pair[i][0] for pair in pairs) for i in (0, 1))
    print(f"| {w.name} | {threads} | {len(pairs)} | {before:.2f} | {after:.2f} | {wall:.3f} | {cpu:.3f} |", flush=True)
    return w.name, threads, wall, cpu


def main():
    old, new = (os.path.abspath(p) for p in sys.argv[1:3])
    only = re.compile(os.environ.get("BENCH_ONLY", ""))
    chosen = [w for w in workloads(SIDE) if only.search(w.name)]
    os.makedirs(WHERE, exist_ok=True)
    for name in {w.set for w in chosen} | {w.to.lstrip("+") for w in chosen if w.to}:
        if name == "tree":
            data.make_tree(WHERE, 2000)
        else:
            data.make(SETS[name], WHERE)
    print(f"| side {SIDE} | threads | pairs | before ms | after ms | time | computed |\n|---|---|---|---|---|---|---|")
    rows = [compare(old, new, w, t) for w in chosen for t in w.threads]
    slow = [r for r in rows if r[2] > MOST]
    print(f"pairs: {len(rows)} rows, medians {statistics.median(r[2] for r in rows):.3f} of time, {statistics.median(r[3] for r in rows):.3f} computed")
    for name, threads, wall, cpu in slow:
        print(f"pairs: slower: {name}, {threads} threads: {wall:.3f} of the time, {cpu:.3f} computed")
    for place in (TARGET, MANY):
        shutil.rmtree(place, ignore_errors=True)


main()
