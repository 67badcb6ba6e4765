#!/usr/bin/env python3
"""local_stores.py - reads of one array in files, in a zip archive, in SQLite and in LMDB

Each row is one array of 100 MiB, copied from the file system store into the others by `zinc cp`, which keeps the stored
bytes.  "read" reads it all in one call on THREADS threads; "inner" reads the inner chunks of shards one by one.  The
stores take turns, each in a process of its own, and the second of two repeats counts: page cache and pools are warm.
Figures are the median time of the file system store, and the medians of the ratios to it within a turn, of elapsed and of
CPU time.  Needs Python alone.

Environment: BUILD, BENCH_QUICK=1 (8 MiB, 3 rounds), BENCH_ROUNDS [9], BENCH_THREADS [2], BENCH_STORES [zip sqlite lmdb],
BENCH_ONLY (a pattern of rows).
"""

import array
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
QUICK = bool(os.environ.get("BENCH_QUICK"))
MIB = 8 if QUICK else 100
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3" if QUICK else "9"))
THREADS = os.environ.get("BENCH_THREADS", "2")
STORES = os.environ.get("BENCH_STORES", "zip sqlite lmdb").split()
URLS = {"files": "{}.zarr/a", "zip": "{}.zip/a", "sqlite": "{}.sqlite/a", "lmdb": "lmdb://{}.lmdb/a"}
GOAL = 1.15

# name: bytes of a chunk, of a shard, codecs
ROWS = {
    "16 KiB": (1 << 14, 0, "none"),
    "100 KiB": (100 << 10, 0, "none"),
    "1 MiB": (1 << 20, 0, "none"),
    "16 KiB, zstd": (1 << 14, 0, "zstd:3"),
    "100 KiB, zstd": (100 << 10, 0, "zstd:3"),
    "1 MiB, zstd": (1 << 20, 0, "zstd:3"),
    "inner 64 KiB of 4 MiB": (1 << 16, 1 << 22, "none"),
    "inner 64 KiB of 4 MiB, zstd": (1 << 16, 1 << 22, "zstd:3"),
}


def zinc(*argv, **more):
    subprocess.run([os.path.join(BUILD, "zinc"), *argv], check=True, stdout=subprocess.DEVNULL, **more)


def values():
    """16-bit numbers that zstd makes about half as long"""
    mixed = random.Random(1)
    block = array.array("H", (mixed.randrange(256) for _ in range(1 << 19)))
    if sys.byteorder != "little":
        block.byteswap()
    return block.tobytes() * MIB


def make(where, data, row):
    """The array in each store; returns the URLs"""
    chunk, shard, codecs = ROWS[row]
    urls = {store: url.format(os.path.join(where, "x")) for store, url in URLS.items() if store in ("files", *STORES)}
    shards = ["--shards", str(shard // 2)] if shard else []
    zinc("create", urls["files"], "--shape", str(len(data) // 2), "--dtype", "uint16", "--chunks", str(chunk // 2), *shards, "--codecs", codecs)
    zinc("put", urls["files"], "--from", "-", input=data)
    for store in STORES:
        zinc("cp", urls["files"], urls[store])
    return urls


def once(url, row):
    chunk, shard, _ = ROWS[row]
    what = ["chunks", url, THREADS, "2", f"chunk={chunk // 2}"] if shard else ["read", url, THREADS, "2"]
    told = subprocess.run([os.path.join(BUILD, "bench-zinc"), *what], stdout=subprocess.PIPE, text=True, check=True).stdout
    told = json.loads(told.splitlines()[-1])
    return told["ms"][-1], told["cpu_ms"][-1]


def measure(urls, row):
    """The times of each store in each turn; a first, unused turn warms the page cache"""
    turns = []
    for k in range(ROUNDS + 1):
        order = sorted(urls, reverse=bool(k % 2))
        turns.append({store: once(urls[store], row) for store in order})
    return turns[1:]


def ratio(turns, store, what):
    return statistics.median(turn[store][what] / turn["files"][what] for turn in turns)


def main():
    data, slow = values(), []
    print(f"| {MIB} MiB in chunks of | files | " + " | ".join(f"{store} | CPU" for store in STORES) + " |")
    print("|---|---|" + "---|---|" * len(STORES))
    for row in (row for row in ROWS if re.search(os.environ.get("BENCH_ONLY", ""), row)):
        with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as where:
            turns = measure(make(where, data, row), row)
        cells = []
        for store in STORES:
            wall, cpu = ratio(turns, store, 0), ratio(turns, store, 1)
            cells += [f"{wall:.2f} ×", f"{cpu:.2f} ×"]
            if wall > GOAL:
                slow.append(f"{store}, {row}")
        print(f"| {row} | {statistics.median(t['files'][0] for t in turns):.1f} ms | " + " | ".join(cells) + " |", flush=True)
    print(f"\nslower than {GOAL} ×: " + ("; ".join(slow) or "none"))


if __name__ == "__main__":
    main()
