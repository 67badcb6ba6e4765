#!/usr/bin/env python3
"""registry.py - codecs of the registry: Zinc beside zarr-python and zarrs, and the limit

Each workload is one array of 64 MiB in chunks of 4 MiB, without compression, so that the codec is what costs.  It is
read and written as a whole by every contender that has the codec, in turn, on one core; the figures are medians.  The
limit is Zinc with the codec `bytes` alone: the same elements read and written as they are.

    registry.py BUILD        a build directory with bench-zinc (scripts/bench.sh makes one)

Environment: BENCH_RUNS [9], BENCH_DIR [BUILD/bench-registry], BENCH_ONLY (a pattern), ZARRS_PEER [BUILD/zarrs_peer],
BENCH_PYTHON (with zarr and cast-value-rs) [BUILD/interop-venv/bin/python].
"""
import json
import math
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys

BUILD = os.path.abspath(sys.argv[1])
RUNS = int(os.environ.get("BENCH_RUNS", "9"))
WHERE = os.path.abspath(os.environ.get("BENCH_DIR", os.path.join(BUILD, "bench-registry")))
ONLY = re.compile(os.environ.get("BENCH_ONLY", ""))
ZARRS = os.environ.get("ZARRS_PEER", os.path.join(BUILD, "zarrs_peer"))
PYTHON = os.environ.get("BENCH_PYTHON", os.path.join(BUILD, "interop-venv/bin/python"))
NBYTES = 64 << 20
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
SIZES = {"bool": 1, "int16": 2, "float32": 4, "float64": 8}


def cast(dtype, **more):
    return {"name": "cast_value", "configuration": {"data_type": dtype, **more}}


NAN_MAP = {"encode": [["NaN", -32768]], "decode": [[-32768, "NaN"]]}

# name, type, share of NaN, codecs, contenders besides Zinc
WORKLOADS = [
    ("cast_value float64 -> int16, clamp", "float64", 0, [cast("int16", out_of_range="clamp"), LITTLE], ["zarr-python"]),
    ("cast_value float32 -> uint8", "float32", 0, [cast("uint8", out_of_range="clamp"), LITTLE], ["zarr-python"]),
    ("cast_value float64 -> int16, a third NaN", "float64", 1 / 3, [cast("int16", scalar_map=NAN_MAP), LITTLE],
     ["zarr-python"]),
    ("cast_value float64 -> float32", "float64", 0, [cast("float32"), LITTLE], ["zarr-python"]),
    ("scale_offset float64", "float64", 0,
     [{"name": "scale_offset", "configuration": {"offset": 5, "scale": 0.5}}, LITTLE], ["zarr-python"]),
    ("packbits bool", "bool", 0, [{"name": "packbits", "configuration": {"padding_encoding": "none"}}], ["zarrs"]),
]


def document(dtype, codecs):
    n = NBYTES // SIZES[dtype]
    return {"zarr_format": 3, "node_type": "array", "shape": [n], "data_type": dtype,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [n // 16]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": False if dtype == "bool" else 0, "codecs": codecs, "attributes": {}}


def place(name, dtype, codecs):
    path = os.path.join(WHERE, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    with open(os.path.join(path, "zarr.json"), "w") as f:
        json.dump(document(dtype, codecs), f)
    return path


def elements(dtype, nan):
    """The stored bytes of one chunk, repeated: numbers up to 200 with fractions, bools at random"""
    rng = random.Random(1)
    n = 1 << 16
    if dtype == "bool":
        block = bytes(rng.getrandbits(1) for _ in range(n))
    else:
        numbers = [math.nan if rng.random() < nan else rng.uniform(0, 200) for _ in range(n)]
        block = struct.pack(f"<{n}{'d' if dtype == 'float64' else 'f'}", *numbers)
    return block * (NBYTES // 16 // len(block))


# ---- contenders: milliseconds of one run ----

def zinc_read(path, _):
    return told([os.path.join(BUILD, "bench-zinc"), "read", path, "1", "2"])


def zinc_write(path, source):
    return told([os.path.join(BUILD, "bench-zinc"), "write", source, "1", "2", f"to={path}"])


def told(argv):
    return json.loads(subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1])["ms"][-1]


PROGRAM = """
import sys, time, zarr
path, source = sys.argv[1], sys.argv[2]
z = zarr.open_array(path, mode="r+")
x = zarr.open_array(source, mode="r")[...]
for _ in range(2):
    t = time.perf_counter()
    if sys.argv[3] == "write": z[...] = x
    else: z[...]
    ms = (time.perf_counter() - t) * 1000
print(ms)
"""


def python(path, source, how):
    return float(subprocess.run([PYTHON, "-c", PROGRAM, path, source, how], stdout=subprocess.PIPE, text=True, check=True).stdout)


def zarrs(path, _, how):
    done = subprocess.run([ZARRS, f"time-{how}", path, "2"], stdout=subprocess.PIPE, check=True)
    return float(done.stdout.split()[-1])


PEERS = {"zarr-python": python, "zarrs": zarrs}


def has(peer):
    return os.access(PYTHON if peer == "zarr-python" else ZARRS, os.X_OK)


def measure(name, dtype, nan, codecs, peers):
    raw, tested, theirs = (place(n, dtype, c) for n, c in (("raw.zarr", [LITTLE] if dtype != "bool" else [{"name": "bytes"}]),
                                                           ("tested.zarr", codecs), ("theirs.zarr", codecs)))
    chunk = elements(dtype, nan)
    os.makedirs(os.path.join(raw, "c"))
    with open(os.path.join(WHERE, "raw"), "wb") as all_:
        for i in range(16):
            with open(os.path.join(raw, "c", str(i)), "wb") as f:
                f.write(chunk)
            all_.write(chunk)
    copy = place("copy.zarr", dtype, [LITTLE] if dtype != "bool" else [{"name": "bytes"}])
    peers = [p for p in peers if has(p)]
    if "zarrs" in peers:  # time-write writes what it reads
        with open(os.path.join(WHERE, "raw"), "rb") as f:
            subprocess.run([ZARRS, "write", theirs], stdin=f, check=True)
    times = {}
    for _ in range(RUNS):
        for how in ("write", "read"):
            times.setdefault((how, "Zinc"), []).append((zinc_write if how == "write" else zinc_read)(tested, raw))
            times.setdefault((how, "limit"), []).append((zinc_write if how == "write" else zinc_read)(copy, raw))
            for peer in peers:
                times.setdefault((how, peer), []).append(PEERS[peer](theirs, raw, how))
    for how in ("write", "read"):
        ours, limit = (statistics.median(times[how, who]) for who in ("Zinc", "limit"))
        others = [(p, statistics.median(times[how, p])) for p in peers]
        print(f"| {name}, {how} | {ours:.1f} | {limit:.1f} | " +
              ", ".join(f"{p} {ms:.1f} ({ms / ours:.1f} times)" for p, ms in others) + " |", flush=True)


def main():
    os.makedirs(WHERE, exist_ok=True)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"| 64 MiB, one core, medians of {RUNS} | Zinc ms | limit ms | others ms |\n|---|---|---|---|")
    for w in WORKLOADS:
        if ONLY.search(w[0]):
            measure(*w)
    shutil.rmtree(WHERE)


main()
