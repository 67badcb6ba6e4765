"""data.py - the arrays that are read and written, made by TensorStore and zarr-python, not by us

A data set is a directory with a zarr.json or a .zarray, plus the parameters of the contender `limit`, which reads no
metadata.  For HDF5 and netCDF-C there is a file with the same elements beside it, see twins.py.  Existing data sets
are not changed.  A workload is an operation on one.
"""

import json
import math
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

import twins

ENTROPIES = ("smooth", "noise", "random")


@dataclass
class Set:
    name: str
    shape: tuple
    chunk: tuple  # of the stored objects
    codec: str
    entropy: str = "noise"
    inner: tuple | None = None
    dtype: str = "uint16"
    transposed: bool = False
    version: int = 3
    path: str = ""
    told: list = field(default_factory=list)  # name=value for `limit`

    @property
    def size(self):
        return {"uint16": 2, "float32": 4}[self.dtype]

    @property
    def nbytes(self):
        return math.prod(self.shape) * self.size


READERS = ("zinc", "limit", "zarrs", "tensorstore", "zarr-python", "zarrs-python")
FILES = ("hdf5", "netcdf")  # the same chunks in a file of another format


@dataclass
class Workload:
    name: str
    operation: str
    set: str
    options: list = field(default_factory=list)
    contenders: tuple = READERS
    threads: tuple = (2,)
    cold: bool = False
    to: str | None = None  # data set whose metadata the target has
    many: bool = False  # the target has so many files that it should be in memory
    instead: dict = field(default_factory=dict)  # contender -> data set that it uses instead of `set` and `to`

    def set_of(self, who):
        return self.instead.get(who, self.set)

    def to_of(self, who):
        return self.instead.get(who, self.to)


def sets(n):
    """All data sets for volumes of n**3; n is a multiple of 64"""
    cube = (n, n, n)
    half, quarter, eighth = (n // 2,) * 3, (n // 4,) * 3, (n // 8,) * 3
    edge = tuple(side * n // 512 for side in (500, 517, 611))
    out = []
    for entropy in ENTROPIES:
        out.append(Set(f"raw-{entropy}", cube, half, "raw", entropy))
        out.append(Set(f"zstd-{entropy}", cube, half, "zstd", entropy))
        out.append(Set(f"shard-{entropy}", cube, half, "zstd", entropy, inner=eighth))
    out.append(Set("gzip", cube, quarter, "gzip"))
    out.append(Set("blosc", cube, quarter, "blosc"))
    out += [Set(f"quarter-{codec}", cube, quarter, codec) for codec in ("raw", "zstd")]
    out += [Set(f"v2-{codec}", cube, quarter, codec, version=2) for codec in ("raw", "gzip", "zstd", "blosc")]
    out.append(Set("edge", edge, (100 * n // 512,) * 3, "zstd"))
    out.append(Set("float", cube, quarter, "zstd", dtype="float32"))
    out.append(Set("transposed", cube, quarter, "zstd", transposed=True))
    many = (1600, 1600, 80) if n >= 512 else (160, 160, 80)
    out.append(Set("tiny", many, (16, 16, 8), "raw", entropy="smooth"))
    out.append(Set("planes", (128, 128, 128), (1, 128, 128), "raw"))
    out.append(Set("columns", (128, 128, 128), (128, 1, 1), "raw"))
    return {s.name: s for s in out}


def values(np, s):
    """The elements: a smooth field, the same with three bits of noise, or only noise, in all or six bits"""
    rng = np.random.default_rng(1)
    if s.entropy in ("random", "bits"):
        return rng.integers(0, 65536 if s.entropy == "random" else 64, s.shape, dtype=np.uint16)
    x, y, z = np.ogrid[tuple(slice(0, n) for n in s.shape)]
    if s.entropy == "smooth":
        out = (x + y * y // 32 + z**3) % 65536
    else:
        out = ((x * 5 + y * 3 + z) % 8192) * 8 + rng.integers(0, 8, s.shape, dtype=np.uint16)
    return (out / 7).astype(np.float32) if s.dtype == "float32" else out.astype(np.uint16)


def codecs_of(s):
    bytes_codec = {"name": "bytes", "configuration": {"endian": "little"}}
    packers = {
        "raw": [],
        "zstd": [{"name": "zstd", "configuration": {"level": 0, "checksum": False}}],
        "gzip": [{"name": "gzip", "configuration": {"level": 5}}],
        "blosc": [
            {
                "name": "blosc",
                "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": s.size, "blocksize": 0},
            }
        ],
    }[s.codec]
    chain = [bytes_codec, *packers]
    if s.transposed:
        chain.insert(0, {"name": "transpose", "configuration": {"order": [2, 1, 0]}})
    if not s.inner:
        return chain
    index = [bytes_codec, {"name": "crc32c"}]
    shard = {"chunk_shape": list(s.inner), "codecs": chain, "index_codecs": index, "index_location": "end"}
    return [{"name": "sharding_indexed", "configuration": shard}]


def document(s):
    """In the form for TensorStore, which fills in the rest"""
    return {
        "shape": list(s.shape),
        "data_type": s.dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(s.chunk)}},
        "codecs": codecs_of(s),
    }


def document_v2(s):
    compressors = {
        "raw": None,
        "gzip": {"id": "gzip", "level": 5},
        "zstd": {"id": "zstd", "level": 0},
        "blosc": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    }
    return {"shape": list(s.shape), "chunks": list(s.chunk), "dtype": "<u2", "compressor": compressors[s.codec], "dimension_separator": "."}


def make(s, where):
    """Make the data set, unless it exists"""
    s.path = os.path.join(where, s.name)
    words = {"shape": s.shape, "chunk": s.chunk}
    if s.inner:
        words["inner"] = s.inner
    s.told = [f"{k}={','.join(map(str, v))}" for k, v in words.items()] + [f"size={s.size}", f"codec={s.codec}", f"version={s.version}"]
    if os.path.exists(os.path.join(s.path, "complete")):
        return
    import numpy as np
    import tensorstore as ts

    shutil.rmtree(s.path, ignore_errors=True)
    spec = {
        "driver": "zarr3" if s.version == 3 else "zarr",
        "kvstore": {"driver": "file", "path": s.path},
        "metadata": document(s) if s.version == 3 else document_v2(s),
    }
    if s.name != "columns":  # only its metadata is needed: others write into it
        ts.open(spec, create=True).result().write(values(np, s)).result()
    else:
        ts.open(spec, create=True).result()
    with open(os.path.join(s.path, "complete"), "w", encoding="utf-8"):
        pass


def make_twin(s, kind):
    """The same in a file of HDF5 or netCDF, or for nczarr in a group; the chunks are those within shards"""
    if kind == "nczarr":
        twins.group_of(s.path)
    elif not os.path.exists(s.path + twins.MAKERS[kind][1]):
        chunk = ",".join(map(str, s.inner or s.chunk))
        subprocess.run([sys.executable, twins.__file__, kind, s.path, chunk, s.codec], check=True)


def make_tree(where, nodes):
    """A hierarchy of so many nodes: groups of 99 arrays each"""
    top = os.path.join(where, "tree")
    if os.path.exists(os.path.join(top, "complete")):
        return top
    shutil.rmtree(top, ignore_errors=True)
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"made": "for benchmarks"}}
    array = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [10, 20],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10, 20]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {"units": "K", "long_name": "temperature"},
    }
    write_document(top, group)
    for i in range(nodes):
        at = os.path.join(top, f"g{i // 100:04d}")
        write_document(at if i % 100 == 0 else os.path.join(at, f"a{i % 100:02d}"), group if i % 100 == 0 else array)
    with open(os.path.join(top, "complete"), "w", encoding="utf-8"):
        pass
    return top


def write_document(path, document):
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "zarr.json"), "w", encoding="utf-8") as f:
        json.dump(document, f)


def place_of_many(otherwise):
    """Where to write many files: in memory, if a gigabyte is free

    ext4 skips every inode that was deleted in the last minutes when it searches for a free one.  Writing 10 000 files
    where 10 000 were just deleted takes seconds only for that, for every contender.
    """
    memory = "/dev/shm"
    if os.path.isdir(memory) and os.statvfs(memory).f_bavail * os.statvfs(memory).f_frsize > 1 << 30:
        return os.path.join(memory, f"zinc-bench-{os.getpid()}")
    return otherwise


def empty_copy(s, path, with_directories):
    """An array with the metadata of the set and no chunks, to be written; `limit` makes no directories itself"""
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    shutil.copy(os.path.join(s.path, "zarr.json" if s.version == 3 else ".zarray"), path)
    if with_directories:
        n, m = [-(-a // b) for a, b in zip(s.shape, s.chunk)][:2]
        for i in range(n):
            for j in range(m):
                os.makedirs(os.path.join(path, "c", str(i), str(j)))
    return path


def file_copy(s, path, kind, empty):
    """The same for a contender whose arrays are files"""
    ending = twins.MAKERS[kind][1]
    shutil.copy(s.path + ("-empty" if empty else "") + ending, path + ending)
    return path + ending


def full_copy(s, path):
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(s.path, path)
    os.unlink(os.path.join(path, "complete"))
    return path
