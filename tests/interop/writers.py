"""writers.py - many processes write parts of one stored object at the same time, and no write is lost

Processes of Zinc (poke.c), and with `tensorstore` one of TensorStore beside them, each write their own
elements of an array that is one chunk or one shard, one element per call.  Readers of both kinds run meanwhile
(poke.c describes their checks).  In the end every element must be set.

    writers.py write URL WORKER WORKERS COUNT | watch URL WORKERS      the same as poke, by TensorStore
"""

import os
import select
import subprocess
import sys
import time

import numpy as np

from cases import codec, plain, shard, to_bytes
from peers import BUILD, TensorStore, Zinc, fresh

WORKERS, COUNT = 8, 1000
POKE = [os.path.join(BUILD, "interop-poke")]
TENSORSTORE = [sys.executable, os.path.abspath(__file__)]


# ---- what a TensorStore process does ----


def write(url, worker, workers, count):
    array = TensorStore().open(url, read=True, write=True)
    print("ready", flush=True)
    sys.stdin.read()
    for index in range(worker, workers * count, workers):
        array[index].write(index + 1).result()


def progress(seen, worker, workers):
    """How many elements of `worker` are set; -1 if they are not its first ones or a value is wrong."""
    own = seen[worker::workers]
    n = int(np.count_nonzero(own))
    return n if np.array_equal(own[:n], np.arange(worker, len(seen), workers)[:n] + 1) else -1


def watch(url, workers):
    array, before, reads, last = TensorStore().open(url, read=True), [0] * workers, 0, False
    print("ready", flush=True)
    while not last:
        last = bool(select.select([sys.stdin], [], [], 0.001)[0])
        seen = array.read().result()
        for w in range(workers):
            now = progress(seen, w, workers)
            if now < before[w]:
                sys.exit(f"read {reads}: worker {w} had {before[w]} elements, now {now}")
            before[w] = now
        reads += 1
    print(reads)


# ---- the scenarios ----


def layouts(size):
    zstd = [to_bytes("uint32"), codec("zstd", level=1, checksum=False)]
    yield "one chunk", [to_bytes("uint32")], (size,)
    yield "one chunk, zstd", zstd, (size,)
    yield "one shard", [shard((size // 8,), zstd)], (size,)
    yield "one shard, index at start", [shard((size // 8,), [to_bytes("uint32"), codec("crc32c")], location="start")], (size,)


def start(programs):
    """Start all programs and wait until each is ready."""
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(p, **pipe) for p in programs]
    for process in running:
        process.stdout.readline()
    return running


def finish(running):
    """Close stdin of all at once, wait, and return what they printed; raises if one fails."""
    for process in running:
        process.stdin.close()
        process.stdin = None  # or communicate() would close it again
    ends = [(*p.communicate(), p.returncode) for p in running]
    trouble = [said.strip() or f"exit status {code}" for _, said, code in ends if said or code]
    if trouble:
        raise RuntimeError("; ".join(trouble))
    return [out.strip() for out, _, _ in ends]


def scene(path, codecs, chunks, programs, count):
    """`programs` write at once while readers check; raises if a write is lost or a state is invalid."""
    workers, size = len(programs), len(programs) * count
    Zinc().create(plain("writers", "", "uint32", (size,), chunks, codecs, 0), fresh(path))
    readers = start([[*p, "watch", path, str(workers)] for p in (POKE, TENSORSTORE)])
    writers = start([[*p, "write", path, str(n), str(workers), str(count)] for n, p in enumerate(programs)])
    try:
        finish(writers)
    finally:
        looks = finish(readers)
    for who in (Zinc(), TensorStore()):
        lost = np.flatnonzero(who.read(path).values != np.arange(size) + 1)
        if lost.size:
            raise RuntimeError(f"{who.name} sees {lost.size} of {size} elements lost, first {lost[0]}")
    return f"readers looked {looks[0]} (zinc) and {looks[1]} (tensorstore) times"


def run(folder, quick):
    """All scenarios; yields a line for each: name, state, detail."""
    count = COUNT // 20 if quick else COUNT
    parties = {
        f"{WORKERS} zinc": [POKE] * WORKERS,
        f"{WORKERS - 1} zinc + 1 tensorstore": [POKE] * (WORKERS - 1) + [TENSORSTORE],
    }
    for who, programs in parties.items():
        for name, codecs, chunks in layouts(WORKERS * count):
            title, began = f"{who}, {count} writes each, {name}", time.monotonic()
            try:
                said = scene(os.path.join(folder, "writers"), codecs, chunks, programs, count)
                yield title, "pass", f"none lost in {time.monotonic() - began:.0f} s; {said}"
            except Exception as e:  # a lost element and a program that fails are the same to us
                yield title, "fail", str(e)[:600]


if __name__ == "__main__":
    {"write": write, "watch": watch}[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:]))
