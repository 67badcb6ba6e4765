#!/usr/bin/env python3
"""v2.py - exchange arrays of Zarr version 2 with zarr-python 2, both ways

Run by scripts/interop.sh under each available zarr-python 2 (Debian's 2.13, PyPI's 2.18):

    v2.py ZINC DIRECTORY

(1) Zinc reads and validates the arrays of zarr-python (types x compressors x filters x order x separator x fill);
(2) zarr-python reads the arrays of Zinc;
(3) attributes and consolidated metadata are kept both ways.

Prints one line per kind of case and ends with "N passed, N failed, N skipped".  A type that this build of Zinc does
not have is skipped and counted as such.
"""
import itertools
import json
import os
import shutil
import sys

import numcodecs
import numpy as np
import zarr
from exchange import DIRECTORY, check_read, counts, same, tell, values, zinc


# ---- (1) zarr-python writes ----

TYPES = ["|b1", "|i1", "<i2", ">i2", "<i4", ">i8", "|u1", "<u2", ">u4", "<u8", "<f2", "<f4", ">f4", "<f8", ">f8", "<c8",
         ">c16", "|V5", "|S4", "<U3", ">U3", "<M8[s]", ">M8[ns]", "<m8[10us]", [("x", "<i4"), ("y", "<f8")]]
COMPRESSORS = [None, numcodecs.Zlib(1), numcodecs.GZip(5), numcodecs.BZ2(1), numcodecs.LZMA(preset=1), numcodecs.LZ4(),
               numcodecs.Zstd(3)] + [
    numcodecs.Blosc(cname=c, clevel=5, shuffle=s, blocksize=b)
    for c, s, b in [("lz4", 1, 0), ("zstd", 2, 0), ("blosclz", 0, 0), ("zlib", -1, 0), ("lz4hc", 1, 256)]]


def filters():
    yield "<i4", [numcodecs.Delta("<i4")], "delta"
    yield "<i4", [numcodecs.Delta("<i4", "<i8")], "delta to i8"
    yield "<f8", [numcodecs.FixedScaleOffset(offset=-3, scale=4, dtype="<f8", astype="<i2")], "fixedscaleoffset"
    yield "<f8", [numcodecs.Quantize(digits=2, dtype="<f8")], "quantize"
    yield "|b1", [numcodecs.PackBits()], "packbits"
    yield "<i4", [numcodecs.Shuffle(4)], "shuffle"
    yield "<i4", [numcodecs.Delta("<i4"), numcodecs.Shuffle(4)], "delta, shuffle"
    yield "<i4", [numcodecs.CRC32()], "crc32"
    yield "<i4", [numcodecs.Adler32()], "adler32"
    yield "<i2", [numcodecs.AsType(encode_dtype="<i8", decode_dtype="<i2")], "astype"
    if hasattr(numcodecs, "BitRound"):
        yield "<f4", [numcodecs.BitRound(5)], "bitround"
    if hasattr(numcodecs, "Fletcher32"):
        yield "<i4", [numcodecs.Fletcher32()], "fletcher32"


def write(name, data, **options):
    url = os.path.join(DIRECTORY, "theirs.zarr", name)
    if data.dtype.kind == "V":  # which zarr-python cannot guess
        options["fill_value"] = None if data.dtype.names else bytes(data.dtype.itemsize)
    z = zarr.open_array(url, mode="w", shape=data.shape, dtype=data.dtype, **options)
    z[...] = data
    return url, zarr.open_array(url, mode="r")[...]


def they_write():
    n = 0
    for dtype in TYPES:
        for order, separator in itertools.product("CF", "./"):
            n += 1
            data = values(dtype, 35).reshape(7, 5)
            try:
                url, data = write(f"t{n}", data, chunks=(3, 2), order=order, dimension_separator=separator)
            except TypeError:  # zarr-python 2.13 fails on raw bytes
                counts["skipped"] += 1
                continue
            check_read(url, data, f"{dtype} {order} {separator}", may_lack=True)
    for dtype, compressor in itertools.product(["|u1", "<i4", ">f8"], COMPRESSORS):
        n += 1
        url, data = write(f"t{n}", values(dtype, 1000), chunks=(300,), compressor=compressor)
        check_read(url, data, f"{dtype} {compressor}", may_lack=True)
    for (dtype, list_, what), order in itertools.product(filters(), "CF"):
        n += 1
        data = values(dtype, 35).reshape(7, 5)
        if np.dtype(dtype).kind == "f":
            data = (np.arange(35.0) / 4 - 3).astype(dtype).reshape(7, 5)
        url, data = write(f"t{n}", data, chunks=(3, 2), filters=list_, order=order, compressor=numcodecs.Zlib(1))
        check_read(url, data, f"filter {what} {order}", may_lack=True)
    for dtype, fill in [("<f4", np.nan), ("<f8", np.inf), ("<f8", -np.inf), ("<i8", 2**63 - 1),
                        ("<u8", 2**64 - 1), ("|b1", True), ("<c16", 1 - 2j), ("<i4", None), ("<f8", None),
                        ("|V3", b"abc"), ("|S3", b"ab"), ("<U3", "\u00e9"), ("<M8[s]", 77), ("<i4", -5)]:
        n += 1
        url = os.path.join(DIRECTORY, "theirs.zarr", f"t{n}")
        try:
            z = zarr.open_array(url, mode="w", shape=(4, 4), chunks=(2, 2), dtype=dtype, fill_value=fill)
        except TypeError:
            counts["skipped"] += 1
            continue
        z[0, 0] = z.dtype.type(3) if z.dtype.kind in "iufbc" else z[0, 0]
        expected = np.full((4, 4), np.zeros((), z.dtype) if fill is None else fill, dtype=z.dtype)
        expected[:2, :2] = z[:2, :2] if fill is not None else 0
        if z.dtype.kind in "iufbc":
            expected[0, 0] = 3
        if fill is None:
            z[:2, :2] = expected[:2, :2]
        check_read(url, expected, f"fill {dtype} {fill}", may_lack=True)
    url = os.path.join(DIRECTORY, "theirs.zarr", "scalar")
    zarr.open_array(url, mode="w", shape=(), dtype="<f8")[...] = 2.5
    check_read(url, np.array(2.5), "scalar", may_lack=True)
    for codec in (numcodecs.VLenUTF8(), numcodecs.VLenBytes()):
        url = os.path.join(DIRECTORY, "theirs.zarr", codec.codec_id)
        z = zarr.open_array(url, mode="w", shape=(4,), chunks=(3,), dtype=object, object_codec=codec)
        z[...] = np.array(["a", "", "\u00e9t\u00e9", "z"] if codec.codec_id == "vlen-utf8" else [b"a", b"", b"\0b", b"z"],
                          dtype=object)
        status, _, err = zinc("validate", url)
        counts["skipped" if status == 4 else "passed" if status == 0 else "failed"] += 1
        if status not in (0, 4):
            print("FAILED", codec, err)


# ---- (2) Zinc writes ----

CODECS = ["none", "zstd:3", "gzip:5", "blosc:lz4:5:shuffle", "blosc:zstd:5:bitshuffle", "numcodecs.zlib:6", "numcodecs.bz2:9",
          "numcodecs.lz4", "numcodecs.lzma"]


def we_write():
    n = 0
    for dtype in [t for t in TYPES if isinstance(t, str)]:
        for order, separator in itertools.product("CF", ["v2", "v2/"]):
            n += 1
            write_one(n, dtype, "zstd:1", ["--order", order, "--key-encoding", separator], f"{dtype} {order} {separator}")
    for dtype, codecs in itertools.product(["|u1", "<i4", ">f8"], CODECS):
        n += 1
        write_one(n, dtype, codecs, [], f"{dtype} {codecs}")
    write_one(n + 1, "<i4", "numcodecs.delta:i4+numcodecs.zlib:1", [], "delta")
    write_one(n + 2, "<i4", "numcodecs.shuffle:4+numcodecs.zlib:1", [], "shuffle")
    for dtype, fill, expected in [("float32", "NaN", np.nan), ("float64", "-Infinity", -np.inf), ("int64", "-9", -9),
                                  ("bool", "true", True), ("complex128", "[1,-2]", 1 - 2j)]:
        n += 1
        url = os.path.join(DIRECTORY, "ours.zarr", f"f{n}")
        status, _, err = zinc("create", url, "--format", "v2", "--shape", "3", "--dtype", dtype, "--fill", fill)
        got = zarr.open_array(url, mode="r")[...] if status == 0 else None
        tell(status == 0 and same(got, np.full(3, expected, got.dtype)), f"our fill {fill}", err or repr(got))


def write_one(n, dtype, codecs, options, what):
    url = os.path.join(DIRECTORY, "ours.zarr", f"t{n}")
    data = values(dtype, 35).reshape(7, 5)
    status, _, err = zinc("create", url, "--format", "v2", "--shape", "7,5", "--chunks", "3,2", "--dtype", dtype, "--codecs",
                          codecs, *options)
    if status in (2, 4) and ("data type" in err or "unsupported" in err or "knows no" in err):
        counts["skipped"] += 1
        return
    if status != 0:
        tell(False, what, err)
        return
    with open(os.path.join(DIRECTORY, "data.npy"), "wb") as f:
        np.save(f, data)
    status, _, err = zinc("put", url, "--from", os.path.join(DIRECTORY, "data.npy"))
    if status == 4 or "data type" in err:
        counts["skipped"] += 1
        return
    if status != 0:
        tell(False, what, err)
        return
    z = zarr.open_array(url, mode="r")
    tell(z.dtype == np.dtype(dtype) and z[...].tobytes() == data.astype(dtype).tobytes(), "our " + what, repr(z[...]))


# ---- (3) groups, attributes, consolidated metadata ----

def trees():
    url = os.path.join(DIRECTORY, "tree.zarr")
    root = zarr.open_group(url, mode="w")
    root.attrs["title"] = "caf\u00e9"
    x = root.create_group("g").create_dataset("x", data=np.arange(6.0).reshape(2, 3))
    x.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    x.attrs["missing"] = float("nan")
    zarr.consolidate_metadata(url)
    status, out, err = zinc("info", "--json", url + "/g/x")
    info = json.loads(out) if status == 0 else {}
    tell(info.get("dimension_names") == ["y", "x"] and info["attributes"]["missing"] == "NaN", "names of dimensions", err)
    status, out, err = zinc("validate", url)
    tell(status == 0, "tree validates", out.decode() + err)
    tell(zinc("attrs", url + "/g/x", 'units="K"')[0] == 0, "attrs KEY=JSON", "")
    copied = zarr.open_consolidated(url, mode="r")["g/x"].attrs.asdict()
    tell(copied.get("units") == "K", ".zmetadata is written anew", repr(copied))
    again = zarr.open_group(url, mode="r")["g/x"].attrs.asdict()
    tell(again["units"] == "K" and again["missing"] != again["missing"], "attributes are kept", repr(again))
    url = os.path.join(DIRECTORY, "ours.zarr")
    zinc("attrs", url + "/t1", "n=12345678901234567890")
    ours = zarr.open_group(url, mode="r")
    tell(ours["t1"].attrs["n"] == 12345678901234567890, "our attributes", "")


for directory in ("theirs.zarr", "ours.zarr", "tree.zarr"):
    shutil.rmtree(os.path.join(DIRECTORY, directory), ignore_errors=True)
for part in (they_write, we_write, trees):
    before = dict(counts)
    part()
    print(f"v2 zarr-python {zarr.__version__} {part.__name__}: "
          + ", ".join(f"{counts[k] - before[k]} {k}" for k in counts))
print(", ".join(f"{v} {k}" for k, v in counts.items()))
sys.exit(counts["failed"] != 0)
