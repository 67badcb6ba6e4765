#!/usr/bin/env python3
"""value_codecs.py - exchange arrays of cast_value, scale_offset and packbits with zarr-python and zarrs, both ways

Run by scripts/interop.sh, with ZARRS_PEER naming the program of tests/interop/zarrs_peer, and BUILD the directory of
interop-npm, where zarrita is:

    value_codecs.py ZINC DIRECTORY

zarrita reads cast_value and scale_offset, and does not write them.  Both sides get the same zarr.json.  Of each case:

(1) the peer writes, and Zinc reads the elements that the peer reads, and validates the array;
(2) Zinc writes, and the peer reads the elements that Zinc reads;
(3) both have stored the same bytes;
(4) what must be refused is refused by both; also elements that were stored and do not fit when they are read: the peer
    writes them, and neither reads them.  Zinc does not write them.

Known differences, all of the peers (each is a case here that expects it):

- zarr-python makes a dict of scalar_map, so that the last pair of a number wins; the specification says the first.
- zarr-python's cast_value rounds float64 to float16 twice if halves go away from zero.
- zarr-python's scale_offset computes int64 in int64, and stores -2^63 for -2^63 * -1.
- zarrita wraps 64-bit integers to shorter ones as doubles, which changes the large ones (left out here).
- zarrita computes scale_offset of float32 in float64 and rounds once; zarr-python and Zinc round twice.
- zarrs leaves out the byte of padding_encoding if all bits of whole bytes are stored.
- zarrs repeats the sign of packbits only up to the end of the byte, so numbers with several bytes of sign are wrong.
- zarrs drops the high bits of a number that does not fit first_bit to last_bit; Zinc refuses to write it.

Prints one line per codec, peer and direction and ends with "N passed, N failed, N skipped".
"""
import base64
import itertools
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import zarr
from exchange import DIRECTORY, counts, some, tell, zinc

HERE = os.path.dirname(os.path.abspath(__file__))
NPM = os.path.join(os.environ.get("BUILD", "build"), "interop-npm")
ZARRS = os.path.abspath(os.environ.get("ZARRS_PEER", "build/zarrs_peer"))
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
ROUNDINGS = ["nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"]
NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
lines = {}


def count(item, peer, direction, ok, what, why=""):
    """Count one check, also for the line of this item, peer and direction."""
    done = lines.setdefault((item, peer, direction), [0, 0])
    done[0] += bool(ok)
    done[1] += 1
    tell(ok, f"{item}, {peer}, {direction}: {what}", why)


def document(dtype, n, codecs, fill=0, chunk=None):
    return {"zarr_format": 3, "node_type": "array", "shape": n if isinstance(n, list) else [n], "data_type": dtype,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk or (n if isinstance(n, list) else [n])}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": fill,
            "codecs": codecs, "attributes": {}}


def place(name, doc):
    """A new array in the directory."""
    path = os.path.join(DIRECTORY, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    with open(os.path.join(path, "zarr.json"), "w") as f:
        json.dump(doc, f)
    return path


def chunks(path):
    found = {}
    for base, _, names in os.walk(path):
        for name in names:
            if name != "zarr.json":
                with open(os.path.join(base, name), "rb") as f:
                    found[os.path.relpath(os.path.join(base, name), path)] = f.read()
    return found


# ---- the three programs: write raw elements, read them; None and why not ----

def zinc_write(path, raw):
    name = os.path.join(DIRECTORY, "elements")
    with open(name, "wb") as f:
        f.write(raw)
    status, _, err = zinc("put", path, "--from", name)
    return status == 0, err


def zinc_read(path):
    status, out, err = zinc("cat", "--as", "raw", path)
    return out if status == 0 else None, err


def python_write(path, raw):
    try:
        z = zarr.open_array(path, mode="r+")
        z[...] = np.frombuffer(raw, z.dtype.newbyteorder("<")).reshape(z.shape)
    except Exception as e:
        return False, repr(e)
    return True, ""


def python_read(path):
    try:
        z = zarr.open_array(path, mode="r")
        return np.ascontiguousarray(z[...]).astype(z.dtype.newbyteorder("<")).tobytes(), ""
    except Exception as e:
        return None, repr(e)


def zarrs_write(path, raw):
    done = subprocess.run([ZARRS, "write", path], input=raw, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode == 0, done.stderr.decode()


def zarrs_read(path):
    done = subprocess.run([ZARRS, "read", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout if done.returncode == 0 else None, done.stderr.decode()


PEERS = {"zarr-python": (python_write, python_read), "zarrs": (zarrs_write, zarrs_read)}


# ---- zarrita, in a Node process that answers lines of JSON ----

node = None


def zarrita_read(path):
    global node
    if node is None:
        node = subprocess.Popen(["node", os.path.join(HERE, "zarrita.mjs"), NPM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                encoding="utf-8")
    node.stdin.write(json.dumps({"op": "read", "path": path}) + "\n")
    node.stdin.flush()
    answer = json.loads(node.stdout.readline())
    return (base64.b64decode(answer["data"]), "") if "data" in answer else (None, answer["error"])


def zarrita_lacks(doc):
    """Why zarrita cannot read the array; None: it can."""
    codecs = json.dumps(doc["codecs"])
    if "float16" in doc["data_type"] + codecs:
        return "Node has float16 since version 24"
    if len(doc["codecs"]) > 1 and "sharding_indexed" in codecs:
        return "it passes over codecs beside a shard"
    if {"name": "scale_offset"} in doc["codecs"]:
        return "it fails without a configuration"
    if doc["data_type"].startswith("float") and '"data_type": "float' in codecs and '"rounding"' in codecs and "nearest-even" not in codecs:
        return "of float to float it knows nearest-even only"
    if '"data_type": "uint64"' in codecs and "wrap" in codecs and doc["data_type"] in ("int8", "int16", "int32"):
        return "it wraps 64-bit integers as doubles"
    return None


def zarrita_reads(item, what, doc, path, want):
    """What Zinc has written."""
    if not os.path.exists(os.path.join(NPM, "complete")) or zarrita_lacks(doc):
        counts["skipped"] += 1
        return
    got, why = zarrita_read(path)
    near = item == "scale_offset" and doc["data_type"] == "float32" and got is not None and \
        np.allclose(np.frombuffer(got, "<f4"), np.frombuffer(want, "<f4"), rtol=3e-7, atol=3e-5)
    count(item, "zarrita", "zarrita reads", got == want or near, what, why or "other elements")


def exchange(item, peer, what, doc, raw, identical=True):
    """(1), (2), (3)"""
    write, read = PEERS[peer]
    theirs, ours = place("theirs", doc), place("ours", doc)
    ok, why = write(theirs, raw)
    want, why_not = read(theirs)
    got, err = zinc_read(theirs)
    if ok and want is None and got is None:
        ok, why = zinc_write(ours, raw)
        count(item, peer, "neither reads", not ok and "could not be read back" in why and not chunks(ours), what, why or err)
        return
    count(item, peer, "Zinc reads", ok and want is not None and got == want, what, why or why_not or err or "other elements")
    status, out, err = zinc("validate", theirs)
    count(item, peer, "Zinc validates", status == 0, what, out.decode() + err)
    ok, why = zinc_write(ours, raw)
    want, err = zinc_read(ours)
    got, why_not = read(ours)
    count(item, peer, f"{peer} reads", ok and want is not None and got == want, what,
          why or err or why_not or "other elements")
    if item != "packbits" and want is not None:
        zarrita_reads(item, what, doc, ours, want)
    if identical:
        count(item, peer, "same bytes", chunks(ours) == chunks(theirs), what, "other stored bytes")


def refused(item, peer, what, doc, raw):
    """(4)"""
    theirs, ours = place("theirs", doc), place("ours", doc)
    ok, _ = PEERS[peer][0](theirs, raw)
    count(item, peer, f"{peer} refuses", not ok, what, "written")
    ok, _ = zinc_write(ours, raw)
    count(item, peer, "Zinc refuses", not ok, what, "written")


# ---- cast_value ----

def cast(dtype, **more):
    return {"name": "cast_value", "configuration": {"data_type": dtype, **more}}


def numbers(source, target, rng):
    """Random numbers of `source` that are in the range of `target`, with fractions if there are any."""
    kind, to = np.dtype(source).kind, np.dtype(target)
    low, high = (np.iinfo(to).min, np.iinfo(to).max) if to.kind != "f" else (-np.finfo(to).max, np.finfo(to).max)
    if kind == "f":
        rounds_twice = (source, target) == ("float64", "float16")
        x = np.concatenate([rng.normal(0, s, 60) for s in (0.3, 3, 100, 1e4)] + [np.arange(-5, 5) + 0.5])
        x = x.astype("f4" if rounds_twice else source).astype(source)
        x = np.where((x > low / 2 + 1) & (x < high / 2 - 1), x, x.dtype.type(0.25))
        return np.where(x < 0, -x, x).astype(source) if low == 0 else x.astype(source)
    info = np.iinfo(source)
    picks = [int(v) for v in rng.integers(max(info.min, -2**62), min(info.max, 2**62), 200)]
    picks += [info.min, info.max, 0, 1, 127, 128, 255, 256, 2**24 + 1, 2**53 + 1]
    return np.array([v if max(low, info.min) <= v <= min(high, info.max) else 1 for v in picks], source)


def casts():
    rng = np.random.default_rng(7)
    for source, target in some(itertools.product(NUMBERS, NUMBERS)):
        for rounding in ROUNDINGS:
            x = numbers(source, target, rng)
            doc = document(source, len(x), [cast(target, rounding=rounding), LITTLE])
            exchange("cast_value", "zarr-python", f"{source} -> {target} {rounding}", doc, x.tobytes())
        wide = rng.integers(-2**62, 2**62, 200).astype(source) if np.dtype(source).kind != "f" else \
            np.concatenate([rng.normal(0, s, 50) for s in (1, 1e3, 1e6, 1e12)]).astype("f8").clip(-6e4, 6e4).astype(source)
        for mode in ["clamp"] + ["wrap"] * (np.dtype(target).kind != "f"):
            doc = document(source, len(wide), [cast(target, out_of_range=mode), LITTLE])
            # what was wrapped or clamped need not fit when it is read
            exchange("cast_value", "zarr-python", f"{source} -> {target} {mode}", doc, wide.tobytes())


def cast_maps():
    nan_map = {"encode": [["NaN", -128], [0.5, 7]], "decode": [[-128, "NaN"], [7, 0.5]]}
    x = np.array([np.nan, 0.5, 1, -1, 100, np.nan, 3, 4], "f8")
    chain = [cast("int8", scalar_map=nan_map), {"name": "bytes"}]
    exchange("cast_value", "zarr-python", "scalar_map", document("float64", 8, chain), x.tobytes())
    exchange("cast_value", "zarr-python", "scalar_map, fill NaN", document("float64", 12, chain, "NaN", [8]),
             np.append(x, [np.nan] * 4).tobytes(), identical=False)
    sharded = [cast("int8", scalar_map=nan_map),
               {"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": [{"name": "bytes"}],
                                                              "index_codecs": [LITTLE, {"name": "crc32c"}]}}]
    y = np.array([np.nan, np.nan, 1, 2, np.nan, np.nan, np.nan, 3], "f8")
    exchange("cast_value", "zarr-python", "a shard behind it", document("float64", 8, sharded, "NaN"), y.tobytes())
    inside = [{"name": "sharding_indexed", "configuration": {
        "chunk_shape": [2], "codecs": chain, "index_codecs": [LITTLE, {"name": "crc32c"}]}}]
    exchange("cast_value", "zarr-python", "inside a shard", document("float64", 8, inside, "NaN"), y.tobytes())
    grid = np.arange(12, dtype="f4").reshape(3, 4) * 1.5
    for chain in ([{"name": "transpose", "configuration": {"order": [1, 0]}}, cast("int16"), LITTLE],
                  [cast("int16"), {"name": "transpose", "configuration": {"order": [1, 0]}}, LITTLE]):
        exchange("cast_value", "zarr-python", "next to transpose", document("float32", [3, 4], chain), grid.tobytes())
    # the known differences: rounded twice; of two pairs of a number the first wins, in zarr-python the last
    doc = document("float64", 1, [cast("float16", rounding="nearest-away"), LITTLE])
    ours, theirs = place("ours", doc), place("theirs", doc)
    middle = float.fromhex("0x1.045fffa893c1cp-1")  # a little less than the middle of two halves
    zinc_write(ours, np.float64(middle).tobytes())
    python_write(theirs, np.float64(middle).tobytes())
    count("cast_value", "zarr-python", "known difference",
          chunks(ours) == {"c/0": np.float16(middle).tobytes()} and chunks(theirs) != chunks(ours), "rounded twice", "no difference")
    chain = [cast("int8", scalar_map={"encode": [[0.5, 1], [0.5, 2]]}), {"name": "bytes"}]
    ours, theirs = (place(p, document("float64", 1, chain)) for p in ("ours", "theirs"))
    zinc_write(ours, np.float64(0.5).tobytes())
    python_write(theirs, np.float64(0.5).tobytes())
    count("cast_value", "zarr-python", "known difference", chunks(ours) == {"c/0": b"\1"} and chunks(theirs) == {"c/0": b"\2"},
          "the first pair wins", f"{chunks(ours)} {chunks(theirs)}")


def cast_refusals():
    for source, target, value, more in [
            ("float64", "int8", 128.0, {}), ("float64", "int8", np.nan, {}), ("float64", "int8", np.nan, {"out_of_range": "clamp"}),
            ("float64", "int8", np.inf, {"out_of_range": "clamp"}), ("float64", "int8", -np.inf, {"out_of_range": "wrap"}),
            ("float64", "float32", 1e300, {}), ("float64", "float16", 65520.0, {}), ("int16", "int8", 128, {}),
            ("int8", "uint8", -1, {}), ("uint64", "int64", 2**63, {}), ("float64", "uint8", -0.6, {}),
            ("float64", "float32", 1.0, {"out_of_range": "wrap"}), ("float64", "int8", 1.0, {"other": 1}),
            ("float64", "bool", 1.0, {}), ("float64", "int8", 1.0, {"scalar_map": {"encode": [[1, 200]]}})]:
        refused("cast_value", "zarr-python", f"{value} {source} -> {target} {more}",
                document(source, 1, [cast(target, **more), LITTLE]), np.array([value], source).tobytes())


# ---- scale_offset ----

def scale(**members):
    return {"name": "scale_offset", **({"configuration": members} if members else {})}


def scales():
    rng = np.random.default_rng(8)
    for dtype in NUMBERS:
        if np.dtype(dtype).kind == "f":
            x = rng.normal(0, 50, 300).astype(dtype)
            cases = [{}, {"offset": 5, "scale": 0.1}, {"offset": -0.3}, {"scale": 3}, {"offset": 1e3, "scale": -7.25}]
        else:
            x = rng.integers(20, 50, 300).astype(dtype)
            cases = [{}, {"offset": 20, "scale": 2}, {"offset": 5}, {"scale": 2}]
        for members, shards in itertools.product(cases, (False, True)):
            tail = [LITTLE] if not shards else [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": [50], "codecs": [LITTLE], "index_codecs": [LITTLE, {"name": "crc32c"}]}}]
            fill = 30 if np.dtype(dtype).kind != "f" else 0.5
            y = x.copy()
            y[50:100] = fill
            doc = document(dtype, 300, [scale(**members), *tail], fill)
            exchange("scale_offset", "zarr-python", f"{dtype} {members}", doc, y.tobytes())
    x = np.array([20.04, 19.97, np.nan], "f8")
    chain = [scale(offset=20, scale=100), cast("int16", scalar_map={"encode": [["NaN", -32768]], "decode": [[-32768, "NaN"]]}), LITTLE]
    exchange("scale_offset", "zarr-python", "with cast_value", document("float64", 3, chain, "NaN"), x.tobytes())


def scale_refusals():
    for dtype, value, members in [("int8", 100, {"scale": 2}), ("int8", -100, {"offset": 100}), ("uint8", 4, {"offset": 5}),
                                  ("uint64", 2**63, {"scale": 2}), ("int32", -2**31, {"scale": -1}), ("int8", 1, {"scale": 0}),
                                  ("float64", 1, {"scale": 0}), ("float64", 1, {"factor": 1}), ("int8", 1, {"offset": 0.5}),
                                  ("uint8", 1, {"offset": -1})]:
        refused("scale_offset", "zarr-python", f"{value} {dtype} {members}",
                document(dtype, 1, [scale(**members), LITTLE], value), np.array([value], dtype).tobytes())
    doc = document("int64", 1, [scale(scale=-1), LITTLE])
    ours, theirs = place("ours", doc), place("theirs", doc)
    least = np.array([-2**63], "i8").tobytes()
    count("scale_offset", "zarr-python", "known difference", not zinc_write(ours, least)[0] and python_write(theirs, least)[0],
          "-2^63 * -1", "both agree")
    path = place("ours", document("int8", 2, [scale(scale=2), {"name": "bytes"}], 0))
    os.makedirs(os.path.join(path, "c"))
    with open(os.path.join(path, "c", "0"), "wb") as f:
        f.write(b"\4\3")
    count("scale_offset", "zarr-python", "zarr-python refuses", python_read(path)[0] is None, "a remainder", "read")
    count("scale_offset", "zarr-python", "Zinc refuses", zinc_read(path)[0] is None, "a remainder", "read")


# ---- packbits ----

# name: bytes of a component, bits, components, signed
PACKED = {"bool": (1, 1, 1, False), "int2": (1, 2, 1, True), "uint2": (1, 2, 1, False), "int4": (1, 4, 1, True),
          "uint4": (1, 4, 1, False), "float4_e2m1fn": (1, 4, 1, False), "float6_e2m3fn": (1, 6, 1, False),
          "float6_e3m2fn": (1, 6, 1, False), "complex_float4_e2m1fn": (1, 4, 2, False),
          "complex_float6_e2m3fn": (1, 6, 2, False), "complex_float6_e3m2fn": (1, 6, 2, False)}
PACKED |= {f"{u}int{n}": (n // 8, n, 1, not u) for u in ("", "u") for n in (8, 16, 32, 64)}
PACKED |= {"float32": (4, 32, 1, False), "float64": (8, 64, 1, False), "bfloat16": (2, 16, 1, False),
           "complex64": (4, 32, 2, False), "complex_bfloat16": (2, 16, 2, False)}


def patterns(dtype, first, last, n, rng):
    """n elements that read as themselves if bits `first` to `last` are stored."""
    size, _, parts, signed = PACKED[dtype]
    out = b""
    for _ in range(n * parts):
        v = int(rng.integers(0, 2**63)) * 2 + int(rng.integers(0, 2))
        v &= (1 << (last - first + 1)) - 1
        if signed and v >> (last - first):
            v -= 1 << (last - first + 1)
        v = (v << first) & ((1 << 8 * size) - 1)
        out += v.to_bytes(size, "little")
    return out


def packs():
    rng = np.random.default_rng(9)
    for dtype, (size, bits, parts, signed) in some(PACKED.items()):
        fill = [0, 0] if parts == 2 else False if dtype == "bool" else 0
        for padding in ("none", "first_byte", "last_byte"):
            doc = document(dtype, 13, [{"name": "packbits", "configuration": {"padding_encoding": padding}}], fill)
            if padding != "none" and bits == 8 * size:
                no_padding_byte(dtype, doc, patterns(dtype, 0, bits - 1, 13, rng))
            else:
                exchange("packbits", "zarrs", f"{dtype} {padding}", doc, patterns(dtype, 0, bits - 1, 13, rng))
        ranges = [(f, l) for f in range(bits) for l in range(f, bits) if (f, l) != (0, bits - 1)]
        for first, last in [ranges[i] for i in rng.permutation(len(ranges))[:12]]:
            config = {"padding_encoding": "last_byte", "first_bit": first, "last_bit": last}
            doc = document(dtype, 13, [{"name": "packbits", "configuration": config}], fill)
            raw = patterns(dtype, first, last, 13, rng)
            if signed and last // 8 < size - 1:
                sign_of_one_byte(dtype, doc, raw)
            else:
                exchange("packbits", "zarrs", f"{dtype} bits {first} to {last}", doc, raw)


def no_padding_byte(dtype, doc, raw):
    """The known difference: zarrs stores no byte of padding."""
    ours, theirs = place("ours", doc), place("theirs", doc)
    zinc_write(ours, raw)
    zarrs_write(theirs, raw)
    a, b = chunks(ours).get("c/0", b""), chunks(theirs).get("c/0", b"")
    count("packbits", "zarrs", "known difference", len(a) == len(raw) + 1 and b == raw and zinc_read(ours)[0] == raw,
          f"{dtype}: zarrs leaves out the byte of padding", f"{a.hex()} {b.hex()}")


def sign_of_one_byte(dtype, doc, raw):
    """The known difference: the same bytes, and zarrs reads negative numbers wrongly."""
    ours, theirs = place("ours", doc), place("theirs", doc)
    zinc_write(ours, raw)
    zarrs_write(theirs, raw)
    count("packbits", "zarrs", "same bytes", chunks(ours) == chunks(theirs), dtype, "other stored bytes")
    count("packbits", "zarrs", "Zinc reads", zinc_read(theirs)[0] == raw, dtype, "other elements")
    count("packbits", "zarrs", "known difference", zarrs_read(ours)[0] != raw, f"{dtype}: zarrs extends the sign in one byte", "right")


def pack_more():
    bits = (np.arange(24) % 3 == 0).astype("u1")
    grid = [{"name": "transpose", "configuration": {"order": [1, 0]}}, {"name": "packbits", "configuration": {"padding_encoding": "none"}},
            {"name": "crc32c"}]
    exchange("packbits", "zarrs", "behind transpose", document("bool", [4, 6], grid, False, [4, 3]), bits.tobytes())
    shard = [{"name": "sharding_indexed", "configuration": {
        "chunk_shape": [4], "codecs": [{"name": "packbits", "configuration": {"padding_encoding": "first_byte"}}],
        "index_codecs": [LITTLE, {"name": "crc32c"}]}}]
    exchange("packbits", "zarrs", "in shards", document("bool", 24, shard, True), bits.tobytes(), identical=False)
    doc = document("bool", 10, [{"name": "packbits"}], False)
    exchange("packbits", "zarrs", "without configuration", doc, bits[:10].tobytes())
    doc = document("uint16", 2, [{"name": "packbits", "configuration": {"padding_encoding": "none", "last_bit": 9}}])
    ours, theirs = place("ours", doc), place("theirs", doc)
    ok, _ = zinc_write(ours, np.array([1, 5000], "u2").tobytes())
    zarrs_write(theirs, np.array([1, 5000], "u2").tobytes())
    count("packbits", "zarrs", "known difference", not ok and zarrs_read(theirs)[0] == np.array([1, 5000 & 1023], "u2").tobytes(),
          "high bits that do not fit", "both agree")


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    try:
        import cast_value_rs  # noqa: F401  zarr-python needs it
    except ImportError:
        print("skipped: cast_value with zarr-python: no package cast-value-rs")
        counts["skipped"] += 1
    else:
        casts()
        cast_maps()
        cast_refusals()
    scales()
    scale_refusals()
    if os.access(ZARRS, os.X_OK):
        packs()
        pack_more()
    else:
        print(f"skipped: packbits with zarrs: no program {ZARRS}")
        counts["skipped"] += 1
    print("skipped: packbits with zarr-python and TensorStore: they do not have it")
    print("skipped: cast_value and scale_offset with zarrs 0.23: it does not have them")
    for (item, peer, direction), (ok, all_) in lines.items():
        print(f"{item:12}  {peer:11}  {direction:20} {ok} of {all_}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return counts["failed"] > 0


sys.exit(main())
