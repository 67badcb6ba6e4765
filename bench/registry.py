#!/usr/bin/env python3
"""registry.py - registered extensions and N5: Zinc beside the implementations that have them, and the limit

Each workload is one array, written and read as a whole by each contender in turn, in processes with one core.  A process
does it twice, its second time counts, and of all its runs the median.  Codecs are measured without compression, so
that they are what costs.  The limit is Zinc with the codec `bytes` alone: the same elements as they are, in equal chunks
of the mean length.  Memory is freed outside of the time, and in huge pages where the C library can do so.  Peak memory is
that of the whole process (VmHWM).  Before anything is timed, every contender's elements are compared with Zinc's.

    registry.py BUILD        a build directory with bench-zinc and the peers (make bench-registry has made one)

Environment: BENCH_QUICK=1 (small arrays, 1 run), BENCH_RUNS [7], BENCH_OUT [bench]: where registry.md is written,
BENCH_DIR [/dev/shm, so that disks do not count]: where a directory with the arrays is made, BENCH_ONLY (a pattern of names), ZARRS_PEER
[BUILD/zarrs_peer].
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
import tempfile

BUILD = os.path.abspath(sys.argv[1])
QUICK = bool(os.environ.get("BENCH_QUICK"))
RUNS = int(os.environ.get("BENCH_RUNS", "1" if QUICK else "7"))
WHERE = tempfile.mkdtemp("", "zinc-bench-", os.environ.get("BENCH_DIR") or ("/dev/shm" if os.path.isdir("/dev/shm") else BUILD))
OUT = os.path.join(os.environ.get("BENCH_OUT") or "bench", "registry.md")
ONLY = re.compile(os.environ.get("BENCH_ONLY", ""))
ZINC, BENCH = os.path.join(BUILD, "zinc"), os.path.join(BUILD, "bench-zinc")
ZARRS = os.environ.get("ZARRS_PEER", os.path.join(BUILD, "zarrs_peer"))
PYTHON, PYTHON2 = (os.path.join(BUILD, venv, "bin/python") for venv in ("interop-venv", "interop-venv2"))
SIDE = 64 if QUICK else 256  # of the cubes; lines have a quarter of their elements
SIZES = {"bool": 1, "uint16": 2, "int16": 2, "int32": 4, "float16": 2, "float32": 4, "float64": 8}
LETTERS = {"uint16": "H", "int16": "h", "int32": "i", "float16": "e", "float32": "f", "float64": "d"}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


# ---- workloads: name, type, elements, shape, chunks, codecs or compression of N5, peers ----

def cast(dtype, **more):
    return [{"name": "cast_value", "configuration": {"data_type": dtype, **more}}, LITTLE]


def scaled(**parameters):
    return [{"name": "scale_offset", "configuration": parameters}, LITTLE]


NAN_MAP = {"encode": [["NaN", -32768]], "decode": [[-32768, "NaN"]]}
TO_NAN = cast("int16", out_of_range="clamp", scalar_map=NAN_MAP)
LINE, CUBE = [SIDE**3 // 4], [SIDE] * 3
PIECE, BLOCK = [SIDE**3 // 64], [SIDE // 4] * 3
THIRDS = [[SIDE // 8, SIDE // 4, SIDE // 8, SIDE // 2]] * 3
PACKED = [{"name": "packbits", "configuration": {"padding_encoding": "none"}}]

WORKLOADS = [
    ("cast_value float64 to int16, clamp", "float64", "reals", LINE, PIECE, cast("int16", out_of_range="clamp"), ["zarr-python"]),
    ("cast_value float64 to int16, towards-zero", "float64", "reals", LINE, PIECE, cast("int16", rounding="towards-zero"), ["zarr-python"]),
    ("cast_value float64 to int16, NaN mapped", "float64", "third NaN", LINE, PIECE, TO_NAN, ["zarr-python"]),
    ("cast_value float64 to uint8, wrap", "float64", "reals", LINE, PIECE, cast("uint8", out_of_range="wrap"), ["zarr-python"]),
    ("cast_value float64 to float32", "float64", "reals", LINE, PIECE, cast("float32"), ["zarr-python"]),
    ("cast_value float64 to int32", "float64", "reals", LINE, PIECE, cast("int32"), ["zarr-python"]),
    ("cast_value float32 to uint8", "float32", "reals", LINE, PIECE, cast("uint8", out_of_range="clamp"), ["zarr-python"]),
    ("cast_value float32 to int16, NaN mapped", "float32", "third NaN", LINE, PIECE, TO_NAN, ["zarr-python"]),
    ("cast_value float16 to uint8, NaN mapped", "float16", "third NaN", LINE, PIECE,
     cast("uint8", out_of_range="clamp", scalar_map={"encode": [["NaN", 255]], "decode": [[255, "NaN"]]}), ["zarr-python"]),
    ("cast_value int32 to int16", "int32", "steps", LINE, PIECE, cast("int16"), ["zarr-python"]),
    ("cast_value int16 to uint8, clamp", "int16", "steps", LINE, PIECE, cast("uint8", out_of_range="clamp"), ["zarr-python"]),
    ("cast_value int32 to float32", "int32", "steps", LINE, PIECE, cast("float32"), ["zarr-python"]),
    ("scale_offset float64", "float64", "reals", LINE, PIECE, scaled(offset=5, scale=0.5), ["zarr-python"]),
    ("scale_offset float32", "float32", "reals", LINE, PIECE, scaled(offset=5, scale=0.5), ["zarr-python"]),
    ("scale_offset int32", "int32", "steps", LINE, PIECE, scaled(offset=-5, scale=2), ["zarr-python"]),
    ("packbits bool", "bool", "bits", LINE, PIECE, PACKED, ["zarrs"]),
    ("packbits uint16", "uint16", "steps", LINE, PIECE, PACKED, ["zarrs"]),
    ("packbits uint16, bits 0 to 9", "uint16", "steps", LINE, PIECE,
     [{"name": "packbits", "configuration": {"padding_encoding": "none", "first_bit": 0, "last_bit": 9}}], ["zarrs"]),
    ("rectilinear, bytes", "uint16", "steps", CUBE, THIRDS, [LITTLE], ["zarr-python", "zarrs"]),
    ("rectilinear, zstd", "uint16", "steps", CUBE, THIRDS,
     [LITTLE, {"name": "zstd", "configuration": {"level": 3, "checksum": False}}], ["zarr-python", "zarrs"]),
    ("N5, raw", "uint16", "steps", CUBE, BLOCK, "none", ["tensorstore", "z5py", "zarr 2"]),
    ("N5, gzip", "uint16", "steps", CUBE, BLOCK, "gzip:5", ["tensorstore", "z5py", "zarr 2"]),
    ("N5, bzip2", "uint16", "steps", CUBE, BLOCK, "numcodecs.bz2:5", ["tensorstore", "z5py", "zarr 2"]),
    ("N5, xz", "uint16", "steps", CUBE, BLOCK, "numcodecs.lzma:1", ["tensorstore", "zarr 2"]),
    ("N5, blosc", "uint16", "steps", CUBE, BLOCK, "blosc:lz4:5", ["tensorstore", "z5py", "zarr 2"]),
    ("N5, zstd", "uint16", "steps", CUBE, BLOCK, "zstd:3", ["tensorstore"]),
]


def block(dtype, kind):
    """The bytes of some thousand elements, little-endian"""
    pick, n = random.Random(1), 1 << 12
    if kind == "bits":
        return bytes(pick.getrandbits(1) for _ in range(n))
    if kind == "steps":
        numbers = [i // 16 % 256 + (pick.randrange(4) if i % 8 == 0 else 0) for i in range(n)]
    else:
        numbers = [math.nan if kind == "third NaN" and pick.random() < 1 / 3 else pick.uniform(0, 200) for _ in range(n)]
    return struct.pack(f"<{n}{LETTERS[dtype]}", *numbers)


# ---- arrays ----

def document(dtype, shape, chunks, codecs):
    grid = {"name": "regular", "configuration": {"chunk_shape": chunks}}
    if isinstance(chunks[0], list):
        grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": chunks}}
    return {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": dtype, "chunk_grid": grid,
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": False if dtype == "bool" else 0, "codecs": codecs, "attributes": {}}


def plain(dtype):
    return [{"name": "bytes"} if SIZES[dtype] == 1 else LITTLE]


def place(name, dtype, shape, chunks, codecs):
    path = os.path.join(WHERE, name)
    shutil.rmtree(path + (".n5" if isinstance(codecs, str) else ""), ignore_errors=True)
    if isinstance(codecs, str):
        path += ".n5/array"  # z5py wants a root
        subprocess.run([ZINC, "create", path, "--format", "n5", "--shape", ",".join(map(str, shape)), "--chunks",
                        ",".join(map(str, chunks)), "--dtype", dtype, "--codecs", codecs], check=True, stdout=subprocess.PIPE)
    else:
        os.makedirs(path)
        with open(os.path.join(path, "zarr.json"), "w") as f:
            json.dump(document(dtype, shape, chunks, codecs), f)
    return path


def fill(path, dtype, kind, shape):
    """With the elements of the workload"""
    left, piece = math.prod(shape) * SIZES[dtype], block(dtype, kind)
    put = subprocess.Popen([ZINC, "put", path, "--from", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for at in range(0, left, len(piece)):
        put.stdin.write(piece[:left - at])
    put.communicate()
    if put.returncode != 0:
        sys.exit(f"zinc put {path} failed")


# ---- contenders: milliseconds and MiB of one process ----

HUGE = {**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}  # as bench-zinc asks for


def run(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, env=HUGE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv[:3])} failed")
    return done.stdout


def zinc(how, path, source):
    said = json.loads((run(BENCH, "read", path, "1", "2") if how == "read" else run(BENCH, "write", source, "1", "2", f"to={path}")).splitlines()[-1])
    return said["ms"][-1], said["rss_kb"] / 1024


PROGRAM = """
import re, sys, time, warnings
warnings.simplefilter("ignore")
path, source, how = sys.argv[1:]
{opening}
import numpy
x = numpy.load(source, mmap_mode="r" if how == "read" else None)
for _ in range(0 if how == "check" else 2):
    got = None
    t = time.perf_counter()
    if how == "write":
        {writing}
    else:
        got = {reading}
    ms = (time.perf_counter() - t) * 1000
if how == "check":
    got = {reading}{turned}
    sys.exit(not (got.dtype == x.dtype and numpy.array_equal(got, x, equal_nan=x.dtype.kind == "f")))
print(ms, re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
"""
ASSIGN = {"writing": "z[...] = x", "reading": "z[...]", "turned": ""}
IN_PYTHON = {
    "zarr-python": (PYTHON, "import zarr\nzarr.config.set({'array.rectilinear_chunks': True})\nz = zarr.open_array(path, mode='r+')", ASSIGN),
    "tensorstore": (PYTHON, "import os, tensorstore\nz = tensorstore.open({'driver': 'n5', 'kvstore': {'driver': 'file', "
                    "'path': path + '/'}, 'context': {'file_io_sync': False}}).result()",
                    {"writing": "z.write(x.T).result()", "reading": "z.read(order='F').result()", "turned": ".T"}),
    "z5py": (PYTHON, "import os, z5py\nz = z5py.File(os.path.dirname(path), 'a', use_zarr_format=False)[os.path.basename(path)]\nz.n_threads = 1",
             ASSIGN),
    "zarr 2": (PYTHON2, "import os, zarr\nz = zarr.open_group(zarr.n5.N5Store(os.path.dirname(path)))[os.path.basename(path)]", ASSIGN),
}


def in_python(name, how, path, source):
    python, opening, doing = IN_PYTHON[name]
    return run(python, "-c", PROGRAM.format(opening=opening, **doing), path, source, how)


def peer(name, how, path, source):
    said = run(ZARRS, f"time-{how}", path, "2") if name == "zarrs" else in_python(name, how, path, source)
    *_, ms, kib = said.split()
    return float(ms), int(kib) / 1024


def check(peers, path, source):
    """What each reads is what is there"""
    for name in peers:
        if name != "zarrs":
            in_python(name, "check", path, source)
        elif run(ZARRS, "read", path) != run(ZINC, "cat", "--as", "raw", path):
            sys.exit(f"{path}: zarrs has other elements")


def has(name):
    return os.access(ZARRS if name == "zarrs" else IN_PYTHON[name][0], os.X_OK)


# ---- the table ----

def measure(name, dtype, kind, shape, chunks, codecs, peers):
    """Two lines of the table"""
    mean = [n if isinstance(n, int) else sum(n) // len(n) for n in chunks]
    raw, copy = (place(n, dtype, shape, mean, plain(dtype)) for n in ("raw.zarr", "copy.zarr"))
    ours, theirs = (place(n, dtype, shape, chunks, codecs) for n in ("ours", "theirs"))
    expected = os.path.join(WHERE, "expected.npy")
    peers = [p for p in peers if has(p)]
    fill(raw, dtype, kind, shape)
    fill(theirs, dtype, kind, shape)  # zarrs writes what it reads
    run(ZINC, "cat", "--as", "npy", "-o", raw + ".npy", "--overwrite", raw)
    run(ZINC, "cat", "--as", "npy", "-o", expected, "--overwrite", theirs)  # a codec may have rounded
    check(peers, theirs, expected)
    times = {}
    for _ in range(RUNS):
        for how in ("write", "read"):
            times.setdefault((how, "Zinc"), []).append(zinc(how, ours, raw))
            times.setdefault((how, "limit"), []).append(zinc(how, copy, raw))
            for p in peers:
                times.setdefault((how, p), []).append(peer(p, how, theirs, raw + ".npy"))
    check(peers, ours, expected)
    if run(ZINC, "cat", "--as", "raw", ours) != run(ZINC, "cat", "--as", "raw", theirs):
        sys.exit(f"{name}: others have written other elements")
    for how in ("read", "write"):
        yield line(f"{name}, {how}", *({who: median(times[how, who], i) for who in ("Zinc", "limit", *peers)} for i in (0, 1)))


def median(pairs, i):
    return statistics.median(pair[i] for pair in pairs)


def line(name, ms, peak):
    peers = [p for p in ms if p not in ("Zinc", "limit")]
    best = min(peers, key=ms.get, default=None)
    ratio, most = (f"{ms[best] / ms['Zinc']:.2f}", f"{peak[best]:.0f}") if best else ("–", "–")
    others = ", ".join(f"{p} {ms[p]:.1f}" for p in peers)
    return f"| {name} | {ms['Zinc']:.1f} | {ms['Zinc'] / ms['limit']:.2f} | {others} | {ratio} | {peak['Zinc']:.0f} | {most} |"


def versions():
    names = ("zarr", "cast-value-rs", "tensorstore", "z5py")
    said = run(PYTHON, "-c", f"import importlib.metadata as m\nfor n in {names!r}: print(n, m.version(n))").decode().splitlines()
    if has("zarr 2"):
        said.append("zarr " + run(PYTHON2, "-c", "import zarr; print(zarr.__version__)").decode().strip())
    if has("zarrs"):
        said.append("zarrs " + run(ZARRS, "version").decode().strip())
    return ", ".join(said)


HEAD = """# Registered extensions and N5

One core, arrays of {elements} elements in 16 to 64 chunks, medians of {runs} times in turns; the second time of each process.
"limit" is Zinc with the codec `bytes` alone; "ratio" is the time of the fastest other implementation divided by
Zinc's. Times in milliseconds, peak memory of the processes in MiB. Load average {load:.1f} before; made by
`make bench-registry`. {versions}.

| | Zinc | Zinc / limit | others | ratio | peak | of the fastest other |
|---|---|---|---|---|---|---|
"""


def main():
    load = os.getloadavg()[0]
    os.makedirs(os.path.dirname(OUT), exist_ok=True)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    head = HEAD.format(elements=f"{math.prod(LINE):,} or {math.prod(CUBE):,}", runs=RUNS, load=load, versions=versions())
    print(head, end="")
    lines = []
    for workload in WORKLOADS:
        if ONLY.search(workload[0]):
            for row in measure(*workload):
                print(row, flush=True)
                lines.append(row)
    if not ONLY.pattern:
        with open(OUT, "w") as f:
            f.write(head + "\n".join(lines) + "\n")


try:
    main()
finally:
    shutil.rmtree(WHERE)
