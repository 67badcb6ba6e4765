#!/usr/bin/env python3
"""rectilinear.py - exchange arrays in chunks of several lengths with zarr-python 3 and zarrs, both ways

Run by scripts/interop.sh:

    rectilinear.py ZINC DIRECTORY

(1) Zinc reads and validates the arrays of the peer;
(2) the peer reads the arrays of Zinc, also after Zinc has made them longer or shorter;
(3) what a peer has resized Zinc reads, and the other way round.

The program zarrs_peer is named by the environment ZARRS_PEER (default: beside ZINC).  TensorStore does not know the grid.
Prints one line per peer and direction, and ends with "N passed, N failed, N skipped".
"""
import json
import os
import random
import shutil
import subprocess

import numpy as np
import zarr
from exchange import DIRECTORY, ZINC, cat, counts, some, tell, zinc

ZARRS = os.environ.get("ZARRS_PEER", os.path.join(os.path.dirname(ZINC), "zarrs_peer"))
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
PLAIN = [BYTES, {"name": "zstd", "configuration": {"level": 1, "checksum": False}}]

# name: shape, chunk_shapes, inner chunks of shards
CASES = {
    "list": ([30], [[5, 10, 15]], None),
    "number": ([30, 7], [[5, 10, 15], 3], None),
    "run": ([30, 8], [[[5, 4], 10], [[4, 2]]], None),
    "runs of one": ([30], [[[10, 1], [20, 1]]], None),
    "two edges, not a run": ([6], [[4, 2]], None),
    "overrun": ([30, 6], [[20, 20], [4, 4, 4, 4]], None),
    "overrun of a run": ([11, 5], [[[3, 100]], 2], None),
    "all numbers": ([11, 5], [4, 2], None),
    "no elements": ([0, 4], [[3, 3], [2, 2]], None),
    "one element": ([1], [[1]], None),
    "3-d": ([9, 8, 7], [[1, 3, 5], [[2, 4]], [6, 1]], None),
    "shards": ([32, 8], [[8, 16, 8], 4], [4, 2]),
    "shards, run": ([32, 8], [[[4, 2], 16, 8], [6, 2]], [2, 2]),
    "shards, overrun": ([30, 7], [[4, 12, 8, 8, 20], [6, 2, 2]], [2, 2]),
}


def random_cases(n, seed):
    pick = random.Random(seed)
    for i in range(n):
        inner = [pick.randint(1, 3) for _ in range(pick.randint(1, 3))] if i % 2 else None
        ndim = len(inner) if inner else pick.randint(1, 3)
        shape, edges = [], []
        for d in range(ndim):
            unit = inner[d] if inner else 1
            items = [[unit * pick.randint(1, 4), pick.randint(1, 3)] if pick.random() < 0.3 else unit * pick.randint(1, 5)
                     for _ in range(pick.randint(1, 5))]
            total = sum(x[0] * x[1] if isinstance(x, list) else x for x in items)
            shape.append(pick.randint(1, total))
            edges.append(items if pick.random() < 0.8 else unit * pick.randint(1, 3))
        yield f"random {i}", (shape, edges, inner)


def document(shape, edges, inner):
    codecs = PLAIN if inner is None else [{"name": "sharding_indexed", "configuration": {
        "chunk_shape": inner, "codecs": PLAIN, "index_codecs": [BYTES, {"name": "crc32c"}], "index_location": "end"}}]
    return {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "int32", "fill_value": -1,
            "chunk_grid": {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": edges}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "codecs": codecs,
            "attributes": {}}


def store(name):
    return os.path.join(DIRECTORY, name.replace(" ", "_").replace(",", "") + ".zarr")


def put(url, doc):
    shutil.rmtree(url, ignore_errors=True)
    os.makedirs(url)
    with open(os.path.join(url, "zarr.json"), "w") as f:
        json.dump(doc, f)


def numbers(shape):
    return np.arange(int(np.prod(shape)), dtype="<i4").reshape(shape)


# ---- the peers ----

class ZarrPython:
    name = "zarr-python " + zarr.__version__

    @staticmethod
    def missing():
        return None

    @staticmethod
    def write(url, data):
        zarr.open_array(url, mode="r+")[...] = data

    @staticmethod
    def read(url, shape):
        return zarr.open_array(url, mode="r")[...]


class Zarrs:
    name = "zarrs"

    @staticmethod
    def missing():
        return None if os.access(ZARRS, os.X_OK) else f"{ZARRS} is not there"

    @staticmethod
    def write(url, data):
        subprocess.run([ZARRS, "write", url], input=data.tobytes(), check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @staticmethod
    def read(url, shape):
        done = subprocess.run([ZARRS, "read", url], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return np.frombuffer(done.stdout, dtype="<i4").reshape(shape)


def attempt(what, call, *args):
    """The result, or None when the peer fails."""
    try:
        return call(*args)
    except subprocess.CalledProcessError as e:
        tell(False, what, e.stderr.decode(errors="replace"))
    except Exception as e:  # noqa: BLE001 - whatever the peer raises is a failure to be told
        tell(False, what, repr(e))
    return None


def check(what, got, data):
    if got is not None:
        tell(got.shape == data.shape and got.tobytes() == data.tobytes(), what, f"{got} is not {data}")


def they_write(peer, name, shape, edges, inner):
    url, data, what = store(f"{peer.name} {name}"), numbers(shape), f"{peer.name} writes {name}"
    put(url, document(shape, edges, inner))
    before = counts["failed"]
    attempt(what, peer.write, url, data)
    if counts["failed"] > before:
        return
    got, why, _ = cat(url)
    if got is None:
        tell(False, what, why)
    check(what, got, data)
    status, out, err = zinc("validate", url)
    tell(status == 0, what + " validates", out.decode() + err)


def we_write(name, shape, edges, inner):
    url, data = store(f"zinc {name}"), numbers(shape)
    shutil.rmtree(url, ignore_errors=True)
    grid = ["--shards", json.dumps(edges), "--chunks", ",".join(map(str, inner))] if inner else ["--chunks", json.dumps(edges)]
    status, _, err = zinc("create", url, "--shape", ",".join(map(str, shape)), "--dtype", "int32", "--fill", "-1",
                          "--codecs", "gzip:1", *grid)  # zarrs needs the member `checksum` of zstd
    tell(status == 0, f"create {name}", err)
    raw = store(f"raw {name}")[:-5] + ".npy"
    np.save(raw, data)
    status, _, err = zinc("put", url, "--from", raw)
    tell(status == 0, f"put {name}", err)
    return url, data


def they_read(peer, name, url, data):
    what = f"{peer.name} reads {name}"
    check(what, attempt(what, peer.read, url, data.shape), data)


def we_resize(peer, name, url, data):
    """Shorter, then longer than the list."""
    half, longer = [-(-n // 2) for n in data.shape], [n + 5 for n in data.shape]
    expected = np.full(longer, -1, dtype="<i4")
    for to in (half, longer):
        status, _, err = zinc("resize", url, ",".join(map(str, to)))
        tell(status == 0, f"resize {name}", err)
    got, why, _ = cat(url)
    if got is None:
        tell(False, f"resized {name}", why)
        return
    box = tuple(slice(0, n) for n in half)
    expected[box] = data[box]
    tell(got[box].tobytes() == expected[box].tobytes(), f"resized {name}", f"{got[box]} is not {expected[box]}")
    they_read(peer, name + ", resized", url, got)  # elements of chunks that were cut may show again, in both


def they_resize(name, shape, edges):
    """Only zarr-python can; without shards."""
    url, data = store(f"their resize {name}"), numbers(shape)
    put(url, document(shape, edges, None))
    z = zarr.open_array(url, mode="r+")
    z[...] = data
    z.resize(tuple(-(-n // 2) for n in shape))
    z.resize(tuple(n + 9 for n in shape))
    z[-1] = 77
    got, why, _ = cat(url)
    if got is None:
        tell(False, f"zarr-python resizes {name}", why)
    check(f"zarr-python resizes {name}", got, z[...])
    status, out, err = zinc("validate", url)
    tell(status == 0, f"zarr-python resizes {name}: validates", out.decode() + err)


def quirks():
    """Spellings of zarr-python 3.2: edges as 4.0, and lists under the name regular."""
    data = numbers([10, 4])
    for name, grid in [("edges 4.0", {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[4.0, 6.0], 2]}}),
                       ("runs of 4.0", {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[[5.0, 2]], 2]}}),
                       ("lists in regular", {"name": "regular", "configuration": {"chunk_shape": [[4, 6], 2]}}),
                       ("true in regular", {"name": "regular", "configuration": {"chunk_shape": [3, True]}})]:
        url, doc = store(f"quirk {name}"), document([10, 4], [1, 1], None)
        doc["chunk_grid"] = grid
        put(url, doc)
        attempt(name, ZarrPython.write, url, data)
        got, why, _ = cat(url)
        if got is None:
            tell(False, name, why)
        check(name, got, data)


def grids_of_zarrs():
    """zarrs.regular_bounded cuts chunks at the array's end; rectangular is what rectilinear was called in a draft."""
    for shape, inner, grid in [
            ([10, 7], None, {"name": "zarrs.regular_bounded", "configuration": {"chunk_shape": [4, 3]}}),
            ([3], None, {"name": "zarrs.regular_bounded", "configuration": {"chunk_shape": [8]}}),
            ([10, 6], [2, 3], {"name": "zarrs.regular_bounded", "configuration": {"chunk_shape": [4, 3]}}),
            ([10, 7], None, {"name": "rectangular", "configuration": {"chunk_shape": [[4, 6], 3]}})]:
        data, doc = numbers(shape), document(shape, [1] * len(shape), inner)
        doc["chunk_grid"] = grid
        what = f"{grid['name']} {shape} inner {inner}"
        theirs, ours, raw = store(f"zarrs {what}"), store(f"zinc {what}"), store(f"raw {what}")[:-5] + ".npy"
        put(theirs, doc)
        attempt(what, Zarrs.write, theirs, data)
        got, why, _ = cat(theirs)
        if got is None:
            tell(False, what, why)
        check("zarrs writes " + what, got, data)
        status, out, err = zinc("validate", theirs)
        tell(status == 0, f"zarrs writes {what}: validates", out.decode() + err)
        put(ours, doc)
        np.save(raw, data)
        status, _, err = zinc("put", ours, "--from", raw)
        tell(status == 0, f"put {what}", err)
        they_read(Zarrs, what, ours, data)


def difference(before):
    return ", ".join(f"{counts[k] - before[k]} {k}" for k in counts)


def main():
    zarr.config.set({"array.rectilinear_chunks": True})
    os.makedirs(DIRECTORY, exist_ok=True)
    cases = {**CASES, **dict(some(random_cases(30, 20261119)))}
    for peer in (ZarrPython, Zarrs):
        if peer.missing():
            counts["skipped"] += 1
            print(f"{peer.name}: skipped: {peer.missing()}")
            continue
        before = dict(counts)
        for name, case in cases.items():
            they_write(peer, name, *case)
        print(f"{peer.name} -> zinc: {difference(before)}")
        before = dict(counts)
        for name, case in cases.items():
            url, data = we_write(name, *case)
            they_read(peer, name, url, data)
            we_resize(peer, name, url, data)
        print(f"zinc -> {peer.name}: {difference(before)}")
    before = dict(counts)
    for name, (shape, edges, inner) in cases.items():
        if inner is None and 0 not in shape:
            they_resize(name, shape, edges)
    quirks()
    print(f"{ZarrPython.name}, resized and quirks -> zinc: {difference(before)}")
    if not Zarrs.missing():
        before = dict(counts)
        grids_of_zarrs()
        print(f"zarrs' own grids, both ways: {difference(before)}")
    counts["skipped"] += 1
    print("TensorStore: skipped: it does not know the grid")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    raise SystemExit(counts["failed"] > 0)


if __name__ == "__main__":
    main()
