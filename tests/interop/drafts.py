#!/usr/bin/env python3
"""drafts.py - exchange hierarchies of the draft of 2020 with the programs that wrote it, both ways

Run by scripts/interop.sh under each available zarr-python 2 (Debian's 2.13, PyPI's 2.18; the latter has shards):

    drafts.py ZINC DIRECTORY [FIXTURES]

(1) Zinc reads and validates the arrays of zarr-python (types x order x separator, compressors, filters, fill values,
    shards, groups);
(2) zarr-python reads the arrays of Zinc, also shards;
(3) Zinc and GDAL up to 3.7 read each other's arrays, if its Python module is installed;
(4) fixtures of other programs, if available: all arrays of zarrita have the same pixels.

Prints the failures and ends with "N passed, N failed, N skipped".
"""
import itertools
import json
import os
import shutil
import sys

os.environ["ZARR_V3_EXPERIMENTAL_API"] = "1"
os.environ["ZARR_V3_SHARDING"] = "1"
import numcodecs  # noqa: E402
import numpy as np  # noqa: E402
import zarr  # noqa: E402
from exchange import DIRECTORY, cat, check_read, counts, same, tell, values, zinc  # noqa: E402

THEIRS, OURS = os.path.join(DIRECTORY, "theirs.zr3"), os.path.join(DIRECTORY, "ours.zr3")
SHARDS = tuple(int(n) for n in zarr.__version__.split(".")[:2]) >= (2, 14)


# ---- (1) zarr-python writes ----

TYPES = ["|b1", "|i1", "<i2", ">i2", "<i4", ">i8", "|u1", "<u2", ">u4", "<u8", "<f2", "<f4", ">f4", "<f8", ">f8", "<c8",
         ">c16", "|S4", "<U3", "<M8[s]", ">M8[ns]", "<m8[us]", [("x", "<i4"), ("y", "<f8"), ("z", "<U2")]]
COMPRESSORS = [None, numcodecs.Zlib(1), numcodecs.GZip(5), numcodecs.BZ2(1), numcodecs.LZMA(preset=1), numcodecs.LZ4(),
               numcodecs.Zstd(3)] + [
    numcodecs.Blosc(cname=c, clevel=5, shuffle=s, blocksize=b)
    for c, s, b in [("lz4", 1, 0), ("zstd", 2, 0), ("blosclz", 0, 0), ("zlib", -1, 0), ("lz4hc", 1, 256)]]


def write(name, data, **options):
    if data.dtype.names:
        options["fill_value"] = None
    z = zarr.create(store=zarr.DirectoryStoreV3(THEIRS), path=name, shape=data.shape, dtype=data.dtype, zarr_version=3,
                    overwrite=True, **options)
    z[...] = data
    return os.path.join(THEIRS, name), z[...]


def sharding(*per_shard):
    from zarr._storage.v3_storage_transformers import ShardingStorageTransformer
    return [ShardingStorageTransformer("indexed", chunks_per_shard=per_shard)]


def they_write():
    n = 0
    for dtype in TYPES:
        for order, separator in itertools.product("CF", "./"):
            n += 1
            url, data = write(f"t/t{n}", values(dtype, 35).reshape(7, 5), chunks=(3, 2), order=order,
                              dimension_separator=separator)
            check_read(url, data, f"{dtype} {order} {separator}")
    for dtype, compressor in itertools.product(["|u1", "<i4", ">f8"], COMPRESSORS):
        n += 1
        try:
            url, data = write(f"c/t{n}", values(dtype, 1000), chunks=(300,), compressor=compressor)
        except zarr.errors.MetadataError:  # 2.13 cannot read its own output
            counts["skipped"] += 1
            continue
        check_read(url, data, f"{dtype} {compressor}")
    for list_, what in [([numcodecs.Delta("<i4")], "delta"), ([numcodecs.Delta("<i4"), numcodecs.Shuffle(4)], "two")]:
        n += 1
        url, data = write(f"f/t{n}", values("<i4", 35).reshape(7, 5), chunks=(3, 2), filters=list_)
        check_read(url, data, f"filter {what}")
    for dtype, fill in [("<f4", np.nan), ("<f8", np.inf), ("<f8", -np.inf), ("<i8", 2**63 - 1), ("<u8", 2**64 - 1),
                        ("|b1", True), ("|S3", b"ab"), ("<U3", "\u00e9"), ("<M8[s]", 77), ("<i4", -5)]:
        n += 1
        z = zarr.create(store=zarr.DirectoryStoreV3(THEIRS), path=f"v/t{n}", shape=(4,), chunks=(2,), dtype=dtype,
                        fill_value=fill, zarr_version=3, overwrite=True)
        check_read(os.path.join(THEIRS, f"v/t{n}"), z[...], f"fill {dtype} {fill}")
    url, data = write("scalar", np.array(2.5), compressor=None)
    check_read(url, data, "scalar")
    if SHARDS:
        they_write_shards()
    else:
        counts["skipped"] += 1


def they_write_shards():
    for n, (dtype, compressor, order) in enumerate(itertools.product(
            ["|u1", ">i2", "<f8"], [None, numcodecs.GZip(1), numcodecs.Blosc()], "CF")):
        url, data = write(f"s/t{n}", values(dtype, 35 * 4).reshape(14, 10), chunks=(3, 2), order=order,
                          compressor=compressor, storage_transformers=sharding(2, 3))
        check_read(url, data, f"shards {dtype} {compressor} {order}")


def they_write_trees():
    url = os.path.join(DIRECTORY, "tree.zr3")
    shutil.rmtree(url, ignore_errors=True)
    root = zarr.open_group(zarr.DirectoryStoreV3(url), path="top", mode="w", zarr_version=3)
    root.attrs["title"] = "caf\u00e9"
    root.attrs["missing"] = float("nan")
    root.create_group("g").create_dataset("x", data=np.arange(6.0).reshape(2, 3)).attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    status, out, err = zinc("info", "--json", url + "/top/g/x")
    tell(status == 0 and json.loads(out)["dimension_names"] == ["y", "x"], "names of dimensions", err)
    status, out, err = zinc("attrs", url + "/top", "title")
    tell(status == 0 and json.loads(out) == "caf\u00e9", "attributes", err)
    status, out, err = zinc("attrs", url + "/top", "missing")
    tell(status == 0 and json.loads(out) == "NaN", "NaN", err)
    zarr.consolidate_metadata(zarr.DirectoryStoreV3(url), path="top")
    status, out, err = zinc("validate", url)
    tell(status == 0, "tree validates", out.decode() + err)
    tell(zinc("attrs", url + "/top/g", 'units="K"')[0] == 0, "attrs KEY=JSON")
    copies = zarr.open_consolidated(zarr.DirectoryStoreV3(url), path="top")
    tell(copies["g"].attrs["units"] == "K" and copies["g/x"].shape == (2, 3), "consolidated metadata follows a change")
    group = zarr.open_group(zarr.DirectoryStoreV3(url), path="top/g", mode="r", zarr_version=3)
    tell(group.attrs["units"] == "K", "our attributes")


# ---- (2) Zinc writes ----

CODECS = ["none", "zstd:3", "gzip:5", "blosc:lz4:5:shuffle", "blosc:zstd:5:bitshuffle", "numcodecs.zlib:6", "numcodecs.bz2:9",
          "numcodecs.lz4", "numcodecs.lzma"]


def write_one(name, dtype, options, what):
    url = os.path.join(OURS, name)
    data = values(dtype, 35).reshape(7, 5)
    status, _, err = zinc("create", url, "--format", "v3-2020", "--shape", "7,5", "--chunks", "3,2", "--dtype", dtype,
                          "--overwrite", *options)
    if status == 0:
        with open(os.path.join(DIRECTORY, "data.npy"), "wb") as f:
            np.save(f, data)
        status, _, err = zinc("put", url, "--from", os.path.join(DIRECTORY, "data.npy"))
    if status != 0:
        tell(False, "our " + what, err)
        return
    z = zarr.open_array(zarr.DirectoryStoreV3(OURS), path=name, mode="r", zarr_version=3)
    tell(z.dtype == np.dtype(dtype) and z[...].tobytes() == data.astype(dtype).tobytes(), "our " + what, repr(z[...]))


def we_write():
    n = 0
    for dtype in [t for t in TYPES if isinstance(t, str)]:
        for order, separator in itertools.product("CF", ["default", "default."]):
            n += 1
            write_one(f"t/t{n}", dtype, ["--order", order, "--key-encoding", separator], f"{dtype} {order} {separator}")
    for dtype, codecs in itertools.product(["|u1", "<i4", ">f8"], CODECS):
        n += 1
        write_one(f"c/t{n}", dtype, ["--codecs", codecs], f"{dtype} {codecs}")
    write_one("f/delta", "<i4", ["--codecs", "numcodecs.delta:i4+numcodecs.zlib:1"], "delta")
    for dtype, codecs, order in itertools.product(["|u1", ">i2", "<f8"], CODECS[:4], "CF") if SHARDS else ():
        n += 1
        write_one(f"s/t{n}", dtype, ["--codecs", codecs, "--order", order, "--shards", "6,4"],
                  f"shards {dtype} {codecs} {order}")
    for dtype, fill, expected in [("float32", "NaN", np.nan), ("float64", "-Infinity", -np.inf),
                                  ("float64", "Infinity", np.inf), ("int64", "-9", -9), ("bool", "true", True)]:
        n += 1
        status, _, err = zinc("create", os.path.join(OURS, f"v/t{n}"), "--format", "v3-2020", "--shape", "3", "--dtype",
                              dtype, "--fill", fill, "--overwrite")
        got = zarr.open_array(zarr.DirectoryStoreV3(OURS), path=f"v/t{n}", mode="r", zarr_version=3)[...] if not status else 0
        tell(status == 0 and same(got, np.full(3, expected, got.dtype)), f"our fill {fill}", err or repr(got))


# ---- (3) GDAL ----

def gdal_exchange():
    try:
        from osgeo import gdal
    except ImportError:
        counts["skipped"] += 1
        return
    gdal.UseExceptions()
    zarr_driver, memory = gdal.GetDriverByName("ZARR"), gdal.GetDriverByName("MEM")
    if int(gdal.VersionInfo()) >= 3080000:
        counts["skipped"] += 1
        return
    types = [("|u1", gdal.GDT_Byte), ("<i2", gdal.GDT_Int16), ("<u4", gdal.GDT_UInt32), ("<f4", gdal.GDT_Float32),
             ("<f8", gdal.GDT_Float64)]
    for n, ((dtype, number), compress) in enumerate(itertools.product(types, ["NONE", "GZIP", "BLOSC", "ZLIB"])):
        data, url = np.arange(600).reshape(30, 20).astype(dtype) % 251, os.path.join(DIRECTORY, f"gdal{n}.zarr")
        shutil.rmtree(url, ignore_errors=True)
        source = memory.Create("", 20, 30, 1, number)
        source.GetRasterBand(1).WriteArray(data)
        try:
            zarr_driver.CreateCopy(url, source, options=["FORMAT=ZARR_V3", "COMPRESS=" + compress, "BLOCKSIZE=7,6"])
        except RuntimeError:
            counts["skipped"] += 1
            continue
        check_read(f"{url}/gdal{n}", data, f"GDAL {dtype} {compress}")
    for n, ((dtype, _), codecs) in enumerate(itertools.product(types, ["none", "gzip:5", "blosc:lz4:5:shuffle"])):
        name, data = f"g/g{n}", np.arange(600).reshape(30, 20).astype(dtype)
        with open(os.path.join(DIRECTORY, "data.npy"), "wb") as f:
            np.save(f, data)
        url = os.path.join(OURS, name)
        zinc("create", url, "--format", "v3-2020", "--shape", "30,20", "--chunks", "7,6", "--dtype", dtype, "--codecs",
             codecs, "--overwrite")
        zinc("put", url, "--from", os.path.join(DIRECTORY, "data.npy"))
        root = gdal.OpenEx(OURS, gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        got = root.OpenMDArrayFromFullname("/" + name).ReadAsArray()
        tell(np.array_equal(got, data), f"our {dtype} {codecs} in GDAL", repr(got))


# ---- (4) fixtures ----

def fixtures(place):
    pixels = [cat(os.path.join(place, "draft2020-zarrita.zr3", name))[0] for name in ("raw", "gzip", "zlib", "blosc/lz4")]
    tell(all(p is not None and np.array_equal(p, pixels[0]) for p in pixels), "zarrita's pixels")
    for name in ("draft2020-zarrita.zr3", "draft2020-gdal-3.6.zarr", "draft2020-zarr-python-2.13.zr3"):
        status, out, err = zinc("validate", os.path.join(place, name))
        tell(status == 0, name, out.decode() + err)


for place in (THEIRS, OURS):
    shutil.rmtree(place, ignore_errors=True)
os.makedirs(DIRECTORY, exist_ok=True)
they_write()
they_write_trees()
we_write()
gdal_exchange()
if len(sys.argv) > 3 and os.path.isdir(sys.argv[3]):
    fixtures(sys.argv[3])
print(f"drafts, zarr-python {zarr.__version__}: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
sys.exit(counts["failed"] > 0)
