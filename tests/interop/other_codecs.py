#!/usr/bin/env python3
"""other_codecs.py - exchange arrays of zfp, reshape and codecs of variable length with zarrs and zarr-python, both ways

Run by scripts/interop.sh, once with zarr-python 3 and once with zarr-python 2:

    other_codecs.py ZINC DIRECTORY

The program of zarrs is $ZARRS_PEER, else zarrs_peer beside ZINC.  Both sides decode the same chunks, so also the
numbers of a mode that rounds must be the same.  Prints one line per codec, peer and direction, and ends with
"N passed, N failed, N skipped".
"""
import itertools
import json
import os
import shutil
import struct
import subprocess
import sys

import numpy as np
import zarr
from exchange import DIRECTORY, ZINC, counts, some, tell, zinc

PEER = os.environ.get("ZARRS_PEER", os.path.join(os.path.dirname(ZINC), "zarrs_peer"))
PYTHON3 = zarr.__version__.startswith("3")
NAMES = {"i": "int", "u": "uint", "f": "float"}
SHAPES = [((10,), (6,)), ((9, 7), (5, 4)), ((5, 6, 7), (4, 4, 7)), ((3, 4, 5, 6), (3, 2, 5, 6))]
TEXTS = ["a", "", "\u00e9t\u00e9", "\U0001f600", "z" * 300, "b", "c"]
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
LETTERS = {"name": "bytes"}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}
RANDOM = np.random.default_rng(20)


def at(name):
    url = os.path.join(DIRECTORY, "other.zarr", name)
    shutil.rmtree(url, ignore_errors=True)
    return url


def numbers(dtype, shape):
    """Smooth, and within what zfp can store in every mode."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return np.cumsum(RANDOM.standard_normal(shape), -1).astype(dtype)
    low, high = max(np.iinfo(dtype).min, -2**29), min(np.iinfo(dtype).max, 2**29)
    return RANDOM.integers(low, high, shape).astype(dtype)


def create(url, data, chunks, codecs, *more):
    name = data if isinstance(data, str) else NAMES[data.dtype.kind] + str(8 * data.dtype.itemsize)
    shape = more[0] if more else data.shape
    status, _, err = zinc("create", url, "--shape", ",".join(map(str, shape)), "--chunks", ",".join(map(str, chunks)),
                          "--dtype", name, "--codecs", json.dumps(codecs))
    return status == 0 or tell(False, f"create {codecs}", err)


def put(url, data):
    path = os.path.join(DIRECTORY, "data.npy")
    np.save(path, data)
    status, _, err = zinc("put", url, "--from", path)
    return status == 0 or tell(False, f"put {url}", err)


def cat(url):
    """The elements in C order, little-endian; or why not."""
    status, out, err = zinc("cat", "--as", "raw", url)
    return out if status == 0 else err


def peer(what, url, data=None):
    done = subprocess.run([PEER, what, url], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout if done.returncode == 0 else done.stderr.decode(errors="replace")[-200:]


def short(value):
    return value if isinstance(value, str) else f"{len(value)} bytes {value[:40].hex()}"


# What zarrs 0.23 says of what it lacks: zfpy of integers by tolerance, reading a part of a chunk through a reshape to
# another rank and a codec that moves elements, and the name.
LACKING = ("failed to create zfp stream", "IncompatibleDimensionalityError", "codec numcodecs.vlen-array is not supported")
skipped = set()


def alike(what, a, b):
    why = next((v for v in LACKING for said in (a, b) if isinstance(said, str) and v in said), None)
    if why:
        counts["skipped"] += 1
        if why not in skipped:
            print(f"skipped {what}: zarrs says {why}")
        skipped.add(why)
        return
    tell(isinstance(a, bytes) and a == b, what, f"{short(a)} is not {short(b)}")


# ---- numbers, with zarrs ----

def zfp_modes():
    return [{"mode": "reversible"}, {"mode": "fixed_precision", "precision": 19}, {"mode": "fixed_accuracy", "tolerance": 0.05},
            {"mode": "fixed_rate", "rate": 10.5}, {"mode": "expert", "minbits": 1, "maxbits": 16658, "maxprec": 19, "minexp": -20}]


def zfp_cases():
    for mode, (shape, chunks), dtype in some(itertools.product(zfp_modes(), SHAPES, "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split())):
        if mode["mode"] != "fixed_accuracy" or dtype[0] == "f":
            yield f"zfp {mode['mode']} {len(shape)}-d {dtype}", numbers(dtype, shape), chunks, [{"name": "zfp", "configuration": mode}]


def zfpy_cases():
    for mode, (shape, chunks), dtype in itertools.product([{"mode": 5}, {"mode": 4, "tolerance": 0.01}, {"mode": 3, "precision": 20}], SHAPES,
                                                          "i4 i8 f4 f8".split()):
        yield f"zfpy {mode} {len(shape)}-d {dtype}", numbers(dtype, shape), chunks, [{"name": "numcodecs.zfpy", "configuration": mode}]


def shape_cases():
    def reshape(*shape):
        return {"name": "reshape", "configuration": {"shape": list(shape)}}

    turn = {"name": "transpose", "configuration": {"order": [1, 0]}}
    shards = {"name": "sharding_indexed", "configuration": {"chunk_shape": [10, 2], "codecs": [BYTES, ZSTD],
                                                            "index_codecs": [BYTES, {"name": "crc32c"}]}}
    for codecs in ([reshape([0, 1], -1), BYTES], [reshape(-1), BYTES, ZSTD], [reshape(4, -1), turn, BYTES], [reshape([0], [1, 2]), turn, BYTES],
                   [reshape([0, 1], [2]), shards], [reshape([0, 1], [2]), {"name": "zfp", "configuration": {"mode": "reversible"}}]):
        for dtype in ("i4", "f8"):
            yield f"reshape {codecs[0]['configuration']['shape']} {dtype}", numbers(dtype, (9, 4, 6)), (5, 4, 6), codecs
    for codecs in ([{"name": "zarrs.squeeze"}, BYTES], [{"name": "zarrs.squeeze"}, turn, BYTES],
                   [{"name": "zarrs.squeeze"}, {"name": "zfp", "configuration": {"mode": "reversible"}}]):
        yield "zarrs.squeeze", numbers("f4", (2, 1, 5, 1, 7)), (1, 1, 3, 1, 4), codecs


def zarrs_writes(cases):
    for what, data, chunks, codecs in cases():
        url = at("z")
        if create(url, data, chunks, codecs):
            done = peer("write", url, data.astype(data.dtype.newbyteorder("<")).tobytes())
            alike(what, done if isinstance(done, str) else peer("read", url), cat(url))


def rate_differs(codecs, chunks):
    """zarrs 0.23 uses the size of a block of three dimensions for every rate; Zinc reads that, but zarrs cannot read
    what libzfp makes of the rate."""
    return codecs[0].get("configuration", {}).get("mode") == "fixed_rate" and len(chunks) != 3


def zarrs_reads(cases):
    for what, data, chunks, codecs in cases():
        url = at("o")
        if rate_differs(codecs, chunks):
            counts["skipped"] += 1
            continue
        if create(url, data, chunks, codecs) and put(url, data):
            alike(what, cat(url), peer("read", url))
            if "reversible" in what or "zfp" not in what:
                alike(what + " is exact", cat(url), data.tobytes())


# ---- variable length, with zarrs ----

def vlen_codecs():
    for index, where, more in itertools.product(("uint32", "uint64"), ("start", "end"), ([], [ZSTD])):
        yield "string", {"name": "zarrs.vlen", "configuration": {
            "index_codecs": [BYTES, *more], "data_codecs": [LETTERS, *more], "index_data_type": index, "index_location": where}}
    yield "string", {"name": "zarrs.vlen_v2"}
    yield "string", {"name": "vlen-utf8"}
    yield "bytes", {"name": "vlen-bytes"}
    yield "bytes", {"name": "zarrs.vlen_v2"}
    yield "bytes", {"name": "numcodecs.vlen-array", "configuration": {}}


def pack(texts):
    return b"".join(struct.pack("<I", len(t.encode())) + t.encode() for t in texts)


def vlen_cases():
    for dtype, codec in vlen_codecs():
        for chunks in (3, 7):
            yield f"{codec['name']} {dtype} {chunks}", dtype, chunks, [codec]


def shown(url, dtype):
    """The elements as pack() makes them of texts."""
    status, out, err = zinc("cat", "--as", "json", url)
    if status != 0:
        return err
    import base64

    raw = [base64.b64decode(v) if dtype == "bytes" else v.encode() for v in json.loads(out)]
    return b"".join(struct.pack("<I", len(v)) + v for v in raw)


def zarrs_writes_vlen(cases):
    for what, dtype, chunks, codecs in cases():
        url = at("z")
        if create(url, dtype, (chunks,), codecs, (7,)):
            name = codecs[0]["name"]
            path = os.path.join(url, "zarr.json")
            with open(path) as f:
                document = json.load(f)
            document["codecs"][0]["name"] = name  # Zinc writes zarrs.vlen_v2 as the codec that it is
            with open(path, "w") as f:
                json.dump(document, f)
            done = peer("write", url, pack(TEXTS))
            alike(what, done if isinstance(done, str) else pack(TEXTS), shown(url, dtype))


def zarrs_reads_vlen(cases):
    for what, dtype, chunks, codecs in cases():
        url = at("o")
        data = np.array(TEXTS) if dtype == "string" else np.array([t.encode() for t in TEXTS])
        if create(url, dtype, (chunks,), codecs, (7,)) and put(url, data):
            alike(what, pack(TEXTS), peer("read", url))


# ---- zarr-python ----

def python_cases():
    import numcodecs.zfpy

    for mode, (shape, chunks), dtype in itertools.product([{"mode": 4, "tolerance": 0.01}, {"mode": 4}, {"mode": 2, "rate": 9},
                                                           {"mode": 3, "precision": 20}], SHAPES, "i4 i8 f4 f8".split()):
        for version in (2, 3) if PYTHON3 else (2,):
            yield f"zfpy v{version} {mode} {len(shape)}-d {dtype}", numbers(dtype, shape), chunks, mode, version, numcodecs.zfpy.ZFPY(**mode)


def python_array(url, data, chunks, mode, version, codec):
    if not PYTHON3:
        return zarr.open(url, mode="w", shape=data.shape, chunks=chunks, dtype=data.dtype, compressor=codec, fill_value=0)
    if version == 2:
        return zarr.create_array(url, shape=data.shape, chunks=chunks, dtype=data.dtype, compressors=codec, zarr_format=2, fill_value=0)
    from zarr.codecs.numcodecs import ZFPY

    return zarr.create_array(url, shape=data.shape, chunks=chunks, dtype=data.dtype, serializer=ZFPY(**mode), compressors=None, fill_value=0)


def python_writes(cases):
    for what, data, chunks, mode, version, codec in some(cases()):
        url = at("p")
        z = python_array(url, data, chunks, mode, version, codec)
        z[...] = data
        alike(what, np.ascontiguousarray(z[...]).tobytes(), cat(url))


def python_reads(cases):
    for what, data, chunks, mode, version, codec in some(cases()):
        url = at("q")
        z = python_array(url, data, chunks, mode, version, codec)
        if put(url, data):
            alike(what, cat(url), np.ascontiguousarray(zarr.open_array(url, mode="r")[...]).tobytes())
        # new metadata, too
        status, _, err = zinc("cp", url, at("copy"), "--chunks", ",".join(map(str, chunks)), "--overwrite")
        tell(status == 0, what + " copies", err)


ROWS = [[np.array(r, "<i4") for r in ([1, 2, 3], [], [-1], [2**31 - 1], [5, 6])]]


def row_cases():
    yield "vlen-array", ROWS[0]


def python_writes_rows(cases):
    import numcodecs

    for what, rows in cases():
        z = zarr.open(at("rows"), mode="w", shape=(len(rows),), chunks=(2,), dtype=object, object_codec=numcodecs.VLenArray("<i4"))
        for i, row in enumerate(rows):
            z[i] = row
        alike(what, b"".join(struct.pack("<I", r.nbytes) + r.tobytes() for r in rows),
              shown(os.path.join(DIRECTORY, "other.zarr", "rows"), "bytes"))


def python_reads_rows(cases):
    """Zinc copies into chunks of another size, so that it encodes every element itself."""
    for what, rows in cases():
        status, _, err = zinc("cp", os.path.join(DIRECTORY, "other.zarr", "rows"), at("rows3"), "--chunks", "3")
        got = list(zarr.open(os.path.join(DIRECTORY, "other.zarr", "rows3"), mode="r")[...]) if status == 0 else []
        tell([list(r) for r in got] == [list(r) for r in rows], what, err or repr(got))


def run(name, part, *args):
    before = dict(counts)
    part(*args)
    print(f"codecs {name} {part.__name__}: " + ", ".join(f"{counts[k] - before[k]} {k}" for k in counts))


def with_zarrs():
    if not os.access(PEER, os.X_OK):
        counts["skipped"] += 1
        print(f"skipped zarrs: there is no {PEER}")
        return
    for name, cases in (("zfp", zfp_cases), ("zfpy", zfpy_cases), ("reshape", shape_cases)):
        run(name, zarrs_writes, cases)
        run(name, zarrs_reads, cases)
    run("variable length", zarrs_writes_vlen, vlen_cases)
    run("variable length", zarrs_reads_vlen, vlen_cases)


def with_python():
    try:
        next(python_cases())
    except (ImportError, AttributeError) as why:
        counts["skipped"] += 1
        print(f"skipped zfpy of Python: {why}")
    else:
        run(f"zfpy, zarr-python {zarr.__version__},", python_writes, python_cases)
        run(f"zfpy, zarr-python {zarr.__version__},", python_reads, python_cases)
    if not PYTHON3:
        run(f"vlen-array, zarr-python {zarr.__version__},", python_writes_rows, row_cases)
        run(f"vlen-array, zarr-python {zarr.__version__},", python_reads_rows, row_cases)


os.makedirs(DIRECTORY, exist_ok=True)
if PYTHON3:
    with_zarrs()
with_python()
print(", ".join(f"{v} {k}" for k, v in counts.items()))
sys.exit(counts["failed"] != 0)
