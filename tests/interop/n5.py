#!/usr/bin/env python3
"""n5.py - exchange N5 with TensorStore, z5py and the N5 stores of zarr-python 2, both ways

Run by scripts/interop.sh:

    n5.py ZINC DIRECTORY [PYTHON_OF_ZARR_2]

For every peer: each data type with each compression that the peer has, in 1 to 4 dimensions with blocks that reach past
the array, some blocks not stored;

(1) Zinc reads and validates what the peer wrote: elements in their places, attributes, groups;
(2) the peer reads what Zinc wrote, and what Zinc changed in its own arrays;
(3) arrays of version 3 with the codec n5_default have the same blocks: the peer reads them by an attributes.json, and Zinc
    reads the blocks of the peer by a zarr.json.

TensorStore shows the dimensions in N5's order, the others and Zinc the other way round.  A peer that is not installed is
skipped, with the reason.  Prints one line per peer and direction and ends with "N passed, N failed, N skipped".
"""
import itertools
import json
import os
import shutil
import subprocess
import sys

import numpy as np
from exchange import DIRECTORY, cat, counts, some, tell, values, zinc

TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]
SHAPES = [((23,), (5,)), ((7, 5), (3, 4)), ((7, 5, 3), (4, 3, 2)), ((3, 4, 5, 6), (2, 3, 2, 4))]
HELPER = os.path.abspath(__file__)


def data(dtype, shape):
    """Elements without blocks of zeros, but one: its block is not stored."""
    a = values(dtype, int(np.prod(shape))).reshape(shape).copy()
    a[(-1,) * len(shape)] = 7  # z5 does not store a block of -0.0
    a[tuple(slice(0, 2) for _ in shape)] = 0
    return a


def same(got, want):
    return got is not None and got.shape == want.shape and got.astype(want.dtype).tobytes() == want.tobytes()


def cases(compressions):
    """(name, dtype, shape, blocks, compression): all types x compressions, the shapes in turn, and all shapes once."""
    shapes = itertools.cycle(SHAPES)
    for dtype, name in some(itertools.product(TYPES, compressions)):
        yield (f"{dtype}-{name}", dtype, *next(shapes), name)
    for (shape, blocks), name in itertools.product(SHAPES, compressions):
        yield (f"int16-{len(shape)}d-{name}", "int16", shape, blocks, name)


def attributes_of(shape, blocks, dtype, compression):
    return {"dimensions": list(shape[::-1]), "blockSize": list(blocks[::-1]), "dataType": dtype, "compression": compression}


# ---- the peers: write(path, name, array, blocks, compression), read(path, name) -> array as Zinc shows it ----

class TensorStore:
    COMPRESSIONS = {"raw": {"type": "raw"}, "gzip": {"type": "gzip", "level": 5}, "zlib": {"type": "gzip", "useZlib": True},
                    "bzip2": {"type": "bzip2", "blockSize": 3}, "xz": {"type": "xz", "preset": 2},
                    "blosc": {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1}, "zstd": {"type": "zstd", "level": 3}}
    CODECS = {"raw": "none", "gzip": "gzip:3", "zlib": "numcodecs.zlib:3", "bzip2": "numcodecs.bz2:3", "xz": "numcodecs.lzma:2",
              "blosc": "blosc:lz4:5", "zstd": "zstd:3"}

    def __init__(self):
        import tensorstore
        self.ts = tensorstore

    def open(self, path, name, **more):
        return self.ts.open({"driver": "n5", "kvstore": {"driver": "file", "path": os.path.join(path, name) + "/"}, **more}).result()

    def group(self, path):
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, "attributes.json"), "w", encoding="utf-8") as f:
            json.dump({"n5": "2.0.0"}, f)

    def write(self, path, name, array, blocks, compression):
        metadata = attributes_of(array.shape, blocks, str(array.dtype), self.COMPRESSIONS[compression])
        metadata["note"] = [4, 40]
        self.open(path, name, metadata=metadata, create=True)[...] = array.T

    def read(self, path, name):
        return np.ascontiguousarray(self.open(path, name).read().result().T)


class Z5py:
    COMPRESSIONS = {"raw": {}, "gzip": {"level": 4}, "bzip2": {"level": 3}, "xz": {"level": 2}, "lz4": {},
                    "blosc": {}, "zstd": {}}
    CODECS = TensorStore.CODECS

    def __init__(self):
        import z5py
        self.z5py = z5py

    def group(self, path):
        self.z5py.File(path, mode="a", use_zarr_format=False)

    def write(self, path, name, array, blocks, compression):
        f = self.z5py.File(path, mode="a", use_zarr_format=False)
        d = f.create_dataset(name, shape=array.shape, dtype=str(array.dtype), chunks=blocks,
                             compression=compression, **self.COMPRESSIONS[compression])
        d[...] = array
        d.attrs["note"] = [4, 40]

    def read(self, path, name):
        return self.z5py.File(path, mode="r", use_zarr_format=False)[name][...]


class Zarr2:
    """In the Python that has zarr-python 2, which this program starts: n5.py - - zarr2 ..."""
    store = "N5Store"
    COMPRESSIONS = {"raw": "None", "gzip": "numcodecs.GZip(5)", "zlib": "numcodecs.Zlib(5)", "bzip2": "numcodecs.BZ2(3)",
                    "xz": "numcodecs.LZMA(1, preset=2)", "blosc": "numcodecs.Blosc('lz4', 5, 1)", "zstd": "numcodecs.Zstd(3)",
                    "lz4": "numcodecs.LZ4(1)"}
    CODECS = TensorStore.CODECS

    def __init__(self):
        if len(sys.argv) < 4 or not os.path.exists(sys.argv[3]):
            raise ImportError("no Python with zarr-python 2")
        self.calls = []

    def group(self, path):
        self.calls.append(["group", path])

    def write(self, path, name, array, blocks, compression):
        np.save(self.file(path, name), array)
        self.calls.append(["write", path, name, self.file(path, name), list(blocks), self.COMPRESSIONS[compression]])

    def prepare_read(self, path, name):
        self.calls.append(["read", path, name, self.file(path, name)])

    @staticmethod
    def file(path, name):
        return path + "-" + name.replace("/", "-") + ".npy"

    def run(self):
        calls = os.path.join(DIRECTORY, "calls.json")
        with open(calls, "w", encoding="utf-8") as f:
            json.dump([self.store, self.calls], f)
        self.calls = []
        done = subprocess.run([sys.argv[3], HELPER, "-", "-", "zarr2", calls], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            print(done.stdout.decode(errors="replace"))

    def read(self, path, name):
        file = self.file(path, name)
        return np.load(file) if os.path.exists(file) else None


class Zarr2FS(Zarr2):
    store = "N5FSStore"

    def __init__(self):
        super().__init__()
        if subprocess.run([sys.argv[3], "-c", "import fsspec"], stderr=subprocess.DEVNULL).returncode != 0:
            raise ImportError("zarr-python 2 is without fsspec")


def zarr2(calls):
    """What the calls say, with zarr-python 2."""
    import numcodecs  # noqa: F401, used by eval
    import zarr.n5
    with open(calls, encoding="utf-8") as f:
        store, todo = json.load(f)
    for what, path, *rest in todo:
        root = zarr.open_group(getattr(zarr.n5, store)(path), mode="a")
        if what == "write":
            name, file, blocks, compressor = rest
            a = np.load(file)
            d = root.create_dataset(name, shape=a.shape, dtype=a.dtype, chunks=blocks, compressor=eval(compressor), overwrite=True)
            d[...] = a
            d.attrs["note"] = [4, 40]
            os.remove(file)
        elif what == "read":
            try:
                np.save(rest[1], root[rest[0]][...])
            except Exception as e:  # the caller misses the file
                print(rest, repr(e))


# ---- both directions ----

def they_write(peer, path):
    peer.group(path)
    for name, dtype, shape, blocks, compression in cases(peer.COMPRESSIONS):
        peer.write(path, "g/" + name, data(dtype, shape), blocks, compression)
    if isinstance(peer, Zarr2):
        peer.run()
    for name, dtype, shape, blocks, compression in cases(peer.COMPRESSIONS):
        url = os.path.join(path, "g", name)
        got, why, _ = cat(url)
        tell(same(got, data(dtype, shape)), f"{path} {name}", why or f"{got}")
        status, out, why = zinc("attrs", url)
        tell(status == 0 and json.loads(out).get("note") == [4, 40], f"{path} {name}: attributes", why)
    status, out, why = zinc("validate", path)
    tell(status == 0, f"{path} validates", out.decode() + why)
    status, out, why = zinc("ls", os.path.join(path, "g"))
    tell(len(out.split()) == len(list(cases(peer.COMPRESSIONS))), f"{path}: children", out.decode() + why)


def we_write_one(path, name, dtype, shape, blocks, codecs):
    """Written in two pieces, the second by changing blocks of the first."""
    url = os.path.join(path, "g", name)
    a = data(dtype, shape)
    file = os.path.join(DIRECTORY, "data.npy")
    np.save(file, a)
    done = zinc("create", url, "--format", "n5", "--shape", ",".join(map(str, shape)), "--chunks", ",".join(map(str, blocks)),
                "--dtype", dtype, "--codecs", codecs, "--attrs", '{"note": [4, 40]}')
    if done[0] == 0:
        done = zinc("put", url, "--from", file)
    part = np.ascontiguousarray(a[1:3])
    np.save(file, part[::-1])
    if done[0] == 0:
        done = zinc("put", url, "--from", file, "-s", "1:3")
    a[1:3] = part[::-1]
    tell(done[0] == 0, f"{path} {name}: writing", done[2])
    return a


def we_write(peer, path):
    wrote = {}
    for name, dtype, shape, blocks, compression in cases(peer.CODECS):
        wrote[name] = we_write_one(path, name, dtype, shape, blocks, peer.CODECS[compression])
    if isinstance(peer, Zarr2):
        for name in wrote:
            peer.prepare_read(path, "g/" + name)
        peer.run()
    for name, want in wrote.items():
        try:
            got = peer.read(path, "g/" + name)
            tell(same(got, want), f"{path} {name} read by the peer", f"{got}")
        except Exception as e:  # of the peer
            tell(False, f"{path} {name} read by the peer", repr(e))


def n5_default(peer, path):
    """Arrays of version 3 with the codec n5_default: the peer reads the blocks by an attributes.json beside zarr.json."""
    peer.group(path)
    for n, (dtype, (shape, blocks)) in enumerate(some(itertools.product(TYPES, SHAPES))):
        theirs, ours = shape[::-1], blocks[::-1]  # version 3 shows N5's own order of dimensions
        order = list(range(len(shape)))[::-1]
        inner = [{"name": "transpose", "configuration": {"order": order}}, {"name": "bytes", "configuration": {"endian": "big"}}]
        compression = {"type": "raw"}
        if n % 2:
            inner.append({"name": "gzip", "configuration": {"level": 3}})
            compression = {"type": "gzip", "level": 3, "useZlib": False}
        url, name = os.path.join(path, f"d{n}"), f"d{n}"
        a = data(dtype, shape)
        np.save(os.path.join(DIRECTORY, "data.npy"), np.ascontiguousarray(a.T))
        done = zinc("create", url, "--no-climb", "--format", "v3", "--shape", ",".join(map(str, theirs)), "--chunks", ",".join(map(str, ours)),
                    "--dtype", dtype, "--key-encoding", "v2/", "--codecs",
                    json.dumps([{"name": "n5_default", "configuration": {"codecs": inner}}]))
        if done[0] == 0:
            done = zinc("put", url, "--no-climb", "--format", "v3", "--from", os.path.join(DIRECTORY, "data.npy"))
        with open(os.path.join(url, "attributes.json"), "w", encoding="utf-8") as f:
            json.dump(attributes_of(shape, blocks, dtype, compression), f)
        peer.write(path, f"p{n}", a, blocks, compression["type"])
        shutil.copy(os.path.join(url, "zarr.json"), os.path.join(path, f"p{n}"))
        status, out, why = zinc("cat", os.path.join(path, f"p{n}"), "--no-climb", "--format", "v3", "--as", "npy")
        tell(status == 0 and out[-a.nbytes:] == np.ascontiguousarray(a.T).tobytes(), f"n5_default {dtype} {shape} of the peer", why)
        if not isinstance(peer, TensorStore):  # z5 refuses a directory with both documents
            os.remove(os.path.join(url, "zarr.json"))
        try:
            tell(done[0] == 0 and same(peer.read(path, name), a), f"n5_default {dtype} {shape}", done[2])
        except Exception as e:  # of the peer
            tell(False, f"n5_default {dtype} {shape}", repr(e))
        status, out, why = zinc("cat", url, "--format", "n5", "--as", "npy")
        tell(status == 0 and out[-a.nbytes:] == a.tobytes(), f"n5_default {dtype} {shape} as N5", why)


def exchange(kind):
    name = kind.__name__
    try:
        peer = kind()
    except ImportError as e:
        counts["skipped"] += 2
        print(f"n5: {name} skipped: {e}")
        return
    for what, run in (("Zinc reads", they_write), ("it reads Zinc's", we_write), ("it reads n5_default", n5_default)):
        if run is n5_default and isinstance(peer, Zarr2):
            continue
        before = dict(counts)
        run(peer, os.path.join(DIRECTORY, f"{name}-{run.__name__}.n5"))
        print(f"n5: {name}: {what}: {counts['passed'] - before['passed']} passed, {counts['failed'] - before['failed']} failed")


def main():
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    os.makedirs(DIRECTORY)
    for kind in (TensorStore, Z5py, Zarr2, Zarr2FS):
        exchange(kind)
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(zarr2(sys.argv[4]) if sys.argv[3:4] == ["zarr2"] else main())
