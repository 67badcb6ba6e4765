#!/usr/bin/env python3
"""small_types.py - exchange arrays of bfloat16, small floats, 2- and 4-bit integers and complex numbers with the peers

Run by scripts/interop.sh:

    small_types.py ZINC DIRECTORY

For every type: all bit patterns (of two bytes: all; of complex numbers: 4096 pairs), little- and big-endian, in chunks and
in shards, and fill values of every kind.
(1) Zinc reads the peer's stored bits and fill values, and validates the array;
(2) the peer reads those of Zinc.

The peers: zarrs through the program tests/interop/zarrs_peer (its path in ZARRS_PEER), TensorStore where it has the type.
Prints one line per peer and direction and ends with "N passed, N failed, N skipped".
"""
import json
import os
import shutil
import subprocess
import sys

import numpy as np
from exchange import DIRECTORY, counts, some, tell, zinc

try:
    import tensorstore
except ImportError:
    tensorstore = None

ZARRS = os.environ.get("ZARRS_PEER") or os.path.join(os.environ.get("BUILD", "build"), "zarrs_peer")

# name: bits of a number, has NaN, has infinities, zero as a fill value
FLOATS = {
    "float4_e2m1fn": (4, False, False),
    "float6_e2m3fn": (6, False, False),
    "float6_e3m2fn": (6, False, False),
    "float8_e3m4": (8, True, True),
    "float8_e4m3": (8, True, True),
    "float8_e4m3b11fnuz": (8, True, False),
    "float8_e4m3fnuz": (8, True, False),
    "float8_e5m2": (8, True, True),
    "float8_e5m2fnuz": (8, True, False),
    "float8_e8m0fnu": (8, True, False),
    "bfloat16": (16, True, True),
}
INTS = {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4}
COMPLEX = [f"complex_{name}" for name in FLOATS] + ["complex_float16", "complex_float32", "complex_float64"]
TYPES = some([*INTS, *FLOATS, *COMPLEX])


def float_of(name):
    """(bits, NaN, infinities) of a float, or of a complex number's parts."""
    part = name.removeprefix("complex_")
    wide = {"float16": (16, True, True), "float32": (32, True, True), "float64": (64, True, True)}
    return wide.get(part) or FLOATS[part]


def unit_of(name):
    bits = INTS.get(name) or float_of(name)[0]
    return max(bits // 8, 1)


def size_of(name):
    return unit_of(name) * (2 if name.startswith("complex_") else 1)


def patterns(name):
    """Stored elements, little-endian, as an array of bytes."""
    if name in INTS:
        v = np.arange(1 << INTS[name], dtype="u1")
        if name.startswith("int"):
            v |= np.where(v >> (INTS[name] - 1), 0xFF << INTS[name] & 0xFF, 0).astype("u1")
        return v.tobytes()
    bits = float_of(name)[0]
    draw = np.random.default_rng(5)
    n = 1 << min(bits, 16)
    if name.startswith("complex_"):
        v = draw.integers(0, 1 << min(bits, 63), 2 * 4096, dtype="u8")
    else:
        v = np.arange(n, dtype="u8")
    return v.astype(f"<u{unit_of(name)}").tobytes()


def fills(name):
    """Fill values as JSON."""
    if name in INTS:
        low = -(1 << (INTS[name] - 1)) if name.startswith("int") else 0
        return [0, 1, low, low + (1 << INTS[name]) - 1]
    bits, nan, infinite = float_of(name)
    some = [1.0, 0.5, 2.0]
    if "e8m0" not in name:
        some += [0.0, -1.0] + ([] if "uz" in name else [-0.0])
    if nan:
        some.append("NaN")
    if infinite:
        some += ["Infinity", "-Infinity"]
    some.append("0x" + "1" * (2 * unit_of(name)) if bits >= 8 else "0x5")
    if name.startswith("complex_"):
        return [[v, some[i - 1]] for i, v in enumerate(some)]
    return some


def plain_fill(name):
    """One that every reader knows."""
    one = 1 if name in INTS else 1.0 if unit_of(name) > 1 else "0x1"
    return [one, one] if name.startswith("complex_") else one


def metadata(name, n, fill, big=False, shards=False, chunk=None):
    endian = {"configuration": {"endian": "big" if big else "little"}} if unit_of(name) > 1 else {}
    codecs = [{"name": "bytes", **endian}]
    chunk = chunk or max(n // 4, 1)
    if shards:
        index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
        codecs = [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": [max(chunk // 2, 1)], "codecs": codecs, "index_codecs": index}}]
    return {"zarr_format": 3, "node_type": "array", "shape": [n], "data_type": name,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [chunk]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": fill, "codecs": codecs}


def place(*words):
    path = os.path.join(DIRECTORY, *words)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def write_metadata(path, document):
    with open(os.path.join(path, "zarr.json"), "w") as f:
        json.dump(document, f)


def zinc_put(path, data):
    raw = os.path.join(DIRECTORY, "elements.raw")
    with open(raw, "wb") as f:
        f.write(data)
    return zinc("put", path, "--from", raw)


def zinc_raw(path):
    status, out, err = zinc("cat", "--as", "raw", path)
    return out if status == 0 else err


# ---- peers: write and read return bytes, or a text: why not ----

def zarrs_read(path, name):
    done = subprocess.run([ZARRS, "read", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout if done.returncode == 0 else done.stderr.decode(errors="replace")[:300]


def zarrs_write(path, name, data):
    done = subprocess.run([ZARRS, "write", path], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return "" if done.returncode == 0 else done.stderr.decode(errors="replace")[:300]


def open_tensorstore(path):
    return tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": path + "/"}}).result()


def tensorstore_read(path, name):
    try:
        return np.asarray(open_tensorstore(path).read().result()).tobytes()
    except ValueError as why:
        return str(why)[:300]


def tensorstore_write(path, name, data):
    try:
        store = open_tensorstore(path)
        store.write(np.frombuffer(data, store.dtype.numpy_dtype)).result()
    except ValueError as why:
        return str(why)[:300]
    return ""


def narrowed(name, data):
    """Without the bits that a type ignores, for readers that hand them out."""
    bits = INTS.get(name) or float_of(name)[0]
    return bytes(b & ((1 << bits) - 1) for b in data) if bits < 8 else data


def same(name, a, b):
    return isinstance(a, bytes) and isinstance(b, bytes) and narrowed(name, a) == narrowed(name, b)


def exchange_elements(peer, write, read, name, big, shards):
    data = patterns(name)
    n = len(data) // size_of(name)
    what = f"{peer}, {name}, {'big' if big else 'little'}{', shards' if shards else ''}"
    for direction in ("theirs", "ours"):
        path = place(peer, direction)
        write_metadata(path, metadata(name, n, plain_fill(name), big, shards))
        if direction == "theirs":
            why = write(path, name, data)
            got = why or zinc_raw(path)
            tell(got == data, f"{what}: Zinc reads theirs", got if isinstance(got, str) else "other elements")
            status, out, err = zinc("validate", path)
            tell(status == 0, f"{what}: validates", out.decode() + err)
        else:
            status, _, err = zinc_put(path, data)
            got = read(path, name) if status == 0 else err
            tell(same(name, got, data), f"{what}: they read Zinc's", got if isinstance(got, str) else "other elements")


unknown = {}


def knows(peer, name, fill, got):
    """Does the peer know this spelling?  zarrs without its feature microfloat knows only hexadecimal digits of numbers of
    one byte; TensorStore 0.1.86 reads other numbers than those written as decimals of float8_e8m0fnu."""
    if peer == "zarrs" and isinstance(got, str) and unit_of(name) == 1 and name not in INTS:
        return "invalid fill value metadata" not in got
    return not (peer == "tensorstore" and "e8m0" in name and isinstance(fill, float))


def exchange_fills(peer, read, name):
    """Both read the same bits from arrays without chunks; the second document is Zinc's spelling."""
    for fill in fills(name):
        what = f"{peer}, {name}, fill value {json.dumps(fill)}"
        path = place(peer, "fill")
        write_metadata(path, metadata(name, 3, fill))
        ours, theirs = zinc_raw(path), read(path, name)
        if knows(peer, name, fill, theirs):
            tell(same(name, ours, theirs), what, f"{ours!r}, {theirs!r}")
        else:
            counts["skipped"] += 1
            unknown[peer] = unknown.get(peer, 0) + 1
        path = place(peer, "created")
        shutil.rmtree(path)
        status, _, err = zinc("create", path, "--dtype", name, "--shape", "3", "--codecs", "none", "--fill", json.dumps(fill))
        created = read(path, name) if status == 0 else err
        tell(same(name, created, ours), what + ", created by Zinc", f"{ours!r}, {created!r}")


def exchange(peer, write, read, names):
    for part in ("elements", "fill values"):
        before = dict(counts)
        for name in names:
            if part == "elements":
                for big in (False, True)[: 1 + (unit_of(name) > 1)]:
                    for shards in (False, True):
                        exchange_elements(peer, write, read, name, big, shards)
            else:
                exchange_fills(peer, read, name)
        print(f"small types, {peer}, {part}: {len(names)} types, {counts['passed'] - before['passed']} passed, "
              f"{counts['failed'] - before['failed']} failed", flush=True)
    if unknown.get(peer):
        print(f"small types, {peer}: it does not know, or misreads, the spelling of {unknown[peer]} fill values: skipped")


def supported(name):
    """Does TensorStore have the type?"""
    path = place("tensorstore", "has")
    write_metadata(path, metadata(name, 1, fills(name)[0]))
    try:
        open_tensorstore(path)
    except ValueError as why:
        if "supported data types" not in str(why):
            raise
        return False
    return True


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    if os.path.exists(ZARRS):
        exchange("zarrs", zarrs_write, zarrs_read, TYPES)
    else:
        counts["skipped"] += len(TYPES)
        print(f"small types: no program {ZARRS}, so nothing is exchanged with zarrs")
    if tensorstore:
        names = [name for name in TYPES if supported(name)]
        counts["skipped"] += len(TYPES) - len(names)
        print("small types: TensorStore does not have " + ", ".join(n for n in TYPES if n not in names))
        exchange("tensorstore", tensorstore_write, tensorstore_read, names)
    else:
        counts["skipped"] += len(TYPES)
        print("small types: no TensorStore")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return counts["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
