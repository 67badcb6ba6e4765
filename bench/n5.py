#!/usr/bin/env python3
"""n5.py - time to read N5 beside TensorStore, z5py and the N5Store of zarr-python 2

    n5.py ZINC DIRECTORY [PYTHON_OF_ZARR_2] [ROUNDS]

One dataset of 256^3 uint16 in blocks of 64^3, not compressed and with gzip, written by Zinc, its files cached.  Each
program reads all of it in a process of its own, which measures only the read; the rounds of all programs alternate, and
the median of each is printed.  Zinc is measured by `zinc bench`, which has the elements in memory like the others.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys

import numpy as np

ZINC, DIRECTORY = sys.argv[1], sys.argv[2]
ZARR2 = sys.argv[3] if len(sys.argv) > 3 else ""
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 7
N = 256

TIMED = """
import time, sys
path, name = sys.argv[1:]
{opening}
start = time.perf_counter()
a = {reading}
print(time.perf_counter() - start)
assert a.shape == (%d, %d, %d) and int(a[-1, -1, -1]) == %d
""" % (N, N, N, (N**3 - 1) // 64 % 65536)

PEERS = {
    "tensorstore": (sys.executable, "import tensorstore, os\n"
                    "d = tensorstore.open({'driver': 'n5', 'kvstore': {'driver': 'file', 'path': os.path.join(path, name) + '/'}}).result()",
                    "d.read().result()"),
    "z5py": (sys.executable, "import z5py\nd = z5py.File(path, mode='r', use_zarr_format=False)[name]\nd.n_threads = 2", "d[...]"),
    "zarr 2": (ZARR2, "import warnings; warnings.simplefilter('ignore')\nimport zarr\nd = zarr.open_group(zarr.n5.N5Store(path), mode='r')[name]",
               "d[...]"),
}


def run(*words, stdin=None):
    done = subprocess.run(words, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace")[-300:])
    return done.stdout.decode()


def zinc_seconds(url):
    """Of one read of the whole array by a program of the library."""
    return json.loads(run(ZINC, "bench", url, "--json", "--repeat", "1"))["workloads"][0]["seconds"][0]


def make(path):
    shutil.rmtree(path, ignore_errors=True)
    data = (np.arange(N**3, dtype=np.uint64) // 64).astype("<u2").tobytes()
    for name, codecs in (("raw", "none"), ("gzip", "gzip:5")):
        run(ZINC, "create", f"{path}/{name}", "--format", "n5", "--shape", f"{N},{N},{N}", "--chunks", "64,64,64", "--dtype", "uint16",
            "--codecs", codecs)
        run(ZINC, "put", f"{path}/{name}", "--from", "-", stdin=data)


def main():
    path = os.path.join(DIRECTORY, "bench.n5")
    make(path)
    for name in ("raw", "gzip"):
        times = {"zinc": []}
        for _ in range(ROUNDS):
            times["zinc"].append(zinc_seconds(f"{path}/{name}"))
            for peer, (python, opening, reading) in PEERS.items():
                try:
                    out = run(python, "-c", TIMED.format(opening=opening, reading=reading), path, name)
                    times.setdefault(peer, []).append(float(out))
                except (RuntimeError, OSError) as e:
                    times.setdefault(peer, [])
                    print(f"{peer} skipped: {e}", file=sys.stderr)
        for peer, t in times.items():
            if t:
                print(f"{name:5} {peer:12} {statistics.median(t) * 1000:8.1f} ms")
    shutil.rmtree(path)


if __name__ == "__main__":
    main()
