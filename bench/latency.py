#!/usr/bin/env python3
"""latency.py - many small remote objects: Zinc and TensorStore over HTTP with a delay

1 000 stored objects of 32 KiB are served by bench-latency-server, which answers every request after 20 ms.  Plain, zstd
and sharded (four inner chunks in each), read and written, with 1, 2 and 8 threads.  Contenders take turns; times are
in-process medians of ROUNDS, array open.  TensorStore runs with its default (32 requests open at once) and with as
many open as Zinc, 64; it writes with its s3 driver, because its http driver cannot.  With 64 open the minimum is
1 000 / 64 delays, 320 ms.  Written data is read back and compared.  Prints the table, and writes latency.md to
$BENCH_OUT [bench].  Environment: BUILD, BENCH_QUICK=1 (100 objects, 2 threads), BENCH_ROUNDS [7].
"""

import json
import os
import shutil
import statistics
import subprocess
import sys

import numpy
import zarr

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
HERE = os.path.dirname(os.path.abspath(__file__))
QUICK = bool(os.environ.get("BENCH_QUICK"))
COUNT = 100 if QUICK else 1000
DELAY = 20
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "2" if QUICK else "7"))
THREADS = (2,) if QUICK else (1, 2, 8)
OUT = os.environ.get("BENCH_OUT", HERE)
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else BUILD  # no disk: only the latency is measured
WHERE = os.path.join(MEMORY, f"zinc-bench-latency-server-{os.getpid()}")
KINDS = ("plain", "zstd", "shards")
WANTED = 1.2  # times as fast as TensorStore
OPEN = 64  # requests of Zinc at once
WHO = {"zinc": {}, "tensorstore": {}, "tensorstore with 64": {"BENCH_FAR_OPEN": str(OPEN)}}


def make(kind, name, values=None):
    """An array of COUNT objects, empty without values; the metadata alone is written through no contender"""
    inner = (1, 64, 64) if kind == "shards" else (1, 128, 128)
    a = zarr.create_array(
        os.path.join(WHERE, "data", name),
        shape=(COUNT, 128, 128),
        dtype="uint16",
        chunks=inner,
        shards=(1, 128, 128) if kind == "shards" else None,
        compressors=None if kind == "plain" else [zarr.codecs.ZstdCodec(level=3)],
        fill_value=0,
        overwrite=True,
    )
    if values is not None:
        a[...] = values


def values():
    """Rising rows with some noise: zstd halves them"""
    noise = numpy.random.default_rng(1).integers(0, 256, (COUNT, 128, 128), dtype="uint16")
    return noise + numpy.arange(1, 129, dtype="uint16") * 256


class Far:
    """The server, as long as it is needed"""

    def __enter__(self):
        self.child = subprocess.Popen([os.path.join(BUILD, "bench-latency-server"), WHERE, str(DELAY)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.child.stdout.readline())}"
        return self

    def __exit__(self, *_):
        self.told = self.child.communicate()[0].strip()


def command(who, operation, url, name, threads):
    read = f"{url}/data/{name}"
    to = [f"to={url}/data/{name}-to?http.write=yes" if who == "zinc" else f"to={url}/data/{name}-to"] if operation == "write" else []
    if operation == "write":
        read = os.path.join(WHERE, "data", name)
    if who == "zinc":
        return [os.path.join(BUILD, "bench-zinc"), operation, read, str(threads), "1", *to]
    return [sys.executable, os.path.join(HERE, "peers.py"), "tensorstore", operation, read, str(threads), "1", *to]


def run(who, operation, url, kind, threads):
    """Milliseconds, CPU milliseconds and peak bytes of one run"""
    if operation == "write":
        make(kind, f"{kind}-to")
    argv, env = command(who, operation, url, kind, threads), {**os.environ, **WHO[who]}
    done = subprocess.run(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"latency: {who} {operation} {kind}: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}")
    told = json.loads(done.stdout.splitlines()[-1])
    if operation == "write" and not numpy.array_equal(zarr.open_array(os.path.join(WHERE, "data", f"{kind}-to"), mode="r")[...], VALUES):
        sys.exit(f"latency: {who} wrote other elements of {kind}")
    return told["ms"][-1], told["cpu_ms"][-1], told["rss_kb"] / 1024


def row(url, operation, kind, threads):
    seen = {who: [] for who in WHO}
    for r in range(ROUNDS):
        for who in sorted(seen, reverse=r % 2 == 0):
            seen[who].append(run(who, operation, url, kind, threads))
    z, t, u = ([statistics.median(x) for x in zip(*seen[who])] for who in WHO)
    ratio = t[0] / z[0]
    line = f"| {operation} | {kind} | {threads} | {z[0]:.0f} | {t[0]:.0f} | {ratio:.2f} | {u[0]:.0f} | {u[0] / z[0]:.2f} "
    line += f"| {z[1]:.0f} | {u[1]:.0f} | {z[2]:.0f} | {u[2]:.0f} |"
    print(line, flush=True)
    return line, ratio, u[0] / z[0]


TITLE = f"""# {COUNT} objects of 32 KiB at a latency of {DELAY} ms

Milliseconds of one call, medians of {ROUNDS} interleaved runs; `times` is how many times faster Zinc is (target: {WANTED}).

| | | threads | Zinc | TensorStore | times | TensorStore with {OPEN} | times | Zinc CPU | TensorStore CPU | Zinc MiB | TensorStore MiB |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


def main():
    shutil.rmtree(WHERE, ignore_errors=True)
    for kind in KINDS:
        make(kind, kind, VALUES)
    print(TITLE)
    try:
        with Far() as far:
            rows = [row(far.url, o, k, t) for o in ("read", "write") for k in KINDS for t in THREADS]
    finally:
        shutil.rmtree(WHERE, ignore_errors=True)
    os.makedirs(OUT, exist_ok=True)
    worst, even = (min(r[k] for r in rows) for k in (1, 2))
    with open(os.path.join(OUT, "latency.md"), "w", encoding="utf-8") as f:
        f.write("\n".join([TITLE, *(r[0] for r in rows), "", f"Server: {far.told}.  Smallest ratio: {worst:.2f}, with {OPEN} open {even:.2f}.", ""]))
    print(f"latency: the smallest ratio is {worst:.2f} (target {WANTED}), and {even:.2f} with as many requests open; wrote {OUT}/latency.md")


VALUES = values()
main()
