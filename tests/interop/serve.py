#!/usr/bin/env python3
"""serve.py - other programs read the clean version 3 face of `zinc serve` over HTTP

    serve.py ZINC DIRECTORY [--quick] [HIERARCHY ...]

Makes hierarchies of all five formats, with every type, byte order, order of elements, some chains of codecs, shards,
missing chunks, records, times, texts; further ones are those given.  Each is served, and zarr-python, TensorStore and
zarrita (from $BUILD/interop-npm) read every array of its face.  All elements are compared with `zinc cat --as npy`.

Prints the failures and "N passed, N failed, N skipped" for each peer; the last line has the sums.
"""

import base64
import collections
import io
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import warnings

import numpy as np

warnings.simplefilter("ignore")
QUICK = "--quick" in sys.argv
ARGUMENTS = [a for a in sys.argv[1:] if a != "--quick"]
ZINC, DIRECTORY, GIVEN = os.path.abspath(ARGUMENTS[0]), ARGUMENTS[1], ARGUMENTS[2:]

import numcodecs  # noqa: E402
import tensorstore  # noqa: E402
import xarray  # noqa: E402
import zarr  # noqa: E402
from peers import Zarrita  # noqa: E402

FORMATS = ["v2", "v3", "v3-2019", "v3-2020", "v3-2022"]
counts = collections.defaultdict(collections.Counter)


def zinc(*args):
    done = subprocess.run([ZINC, *args], capture_output=True)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


# ---- data ----

TYPES = ["|b1", "|i1", "<i2", ">i2", "<i4", "<i8", "|u1", "<u2", ">u4", "<u8", "<f2", "<f4", ">f4", "<f8", "<c8", ">c16", "|S4",
         "<U3", "<M8[s]", ">M8[ns]", "<M8[W]", "<M8[25s]", "<M8[M]", "<m8[us]", "<m8[Y]"]  # fmt: skip
COMPRESSORS = {"raw": None, "zlib": numcodecs.Zlib(1), "gzip": numcodecs.GZip(5), "bz2": numcodecs.BZ2(1), "lz4": numcodecs.LZ4(),
               "zstd": numcodecs.Zstd(3), "blosc": numcodecs.Blosc("lz4", 5, 1), "bits": numcodecs.Blosc("zstd", 5, 2)}  # fmt: skip
RECORD = np.dtype([("a", "<i4"), ("b", "<i2", (2, 3)), ("n", [("x", ">f8"), ("t", "<M8[D]"), ("z", "<c8")]), ("s", "<U2")])


def elements(dtype, shape):
    """Elements that all differ, with extremes where the type has such."""
    dtype, n = np.dtype(dtype), int(np.prod(shape, dtype=int))
    if dtype.names:
        out = np.zeros(shape, dtype)
        for name in dtype.names:
            out[name] = elements(dtype[name].base, shape + dtype[name].shape)
        return out
    out = np.arange(n) * 7 % 120
    if dtype.kind == "b":
        out = out % 2 == 0
    elif dtype.kind == "c":
        out = out * (0.5 - 2j)
    elif dtype.kind == "S":
        out = [b"s%d" % i for i in range(n)]
    elif dtype.kind == "U":
        out = ["\u00e9%d" % i for i in range(n)]
    elif dtype.kind in "mM":
        out = (np.arange(n) * 1000 - 5).astype("i8").view(dtype.newbyteorder("="))
        out[:1] = np.array("NaT", dtype.newbyteorder("="))
    elif dtype.kind == "f":
        out = out * 0.25
        out[:3] = [np.nan, np.inf, -0.0][: min(3, n)]
    return np.asarray(out).astype(dtype).reshape(shape)


def write(parent, name, values, chunks, **options):
    """Some chunks are not written: they are missing."""
    a = parent.create_array(name, shape=values.shape, chunks=chunks, dtype=values.dtype, **options)
    if values.ndim == 2:
        a[: chunks[0], :] = values[: chunks[0], :]
    elif values.size:
        a[...] = values


def write_records(path, values):
    """Version 2, in chunks of two of which the last is missing; zarr-python has no records with dates or sub-arrays."""
    lists = lambda t: [[n, lists(t[n]) if t[n].names else t[n].base.str, *([t[n].shape] if t[n].shape else [])] for n in t.names]
    os.makedirs(path)
    with open(os.path.join(path, ".zarray"), "w") as f:
        json.dump({"zarr_format": 2, "shape": [len(values)], "chunks": [2], "dtype": lists(values.dtype), "order": "C",
                   "compressor": None, "filters": None, "fill_value": None}, f)  # fmt: skip
    for i in range(0, len(values) - 2, 2):
        values[i : i + 2].tofile(os.path.join(path, str(i // 2)))


def make_v2(path):
    g = zarr.create_group(path, zarr_format=2, attributes={"title": "all types", "odd": float("nan")})
    for dtype in TYPES:
        name = re.sub(r"\W", "_", dtype.replace("<", "l").replace(">", "b"))
        for order in "C" if QUICK else "CF":
            write(g, f"types/{order}{name}", elements(dtype, (7, 5)), (4, 3), order=order, compressors=numcodecs.Zstd(1))
    for name, compressor in COMPRESSORS.items():
        write(g, f"codecs/{name}", elements("<i4", (7, 5)), (4, 3), compressors=compressor)
        write(g, f"codecs/big_{name}", elements(">f8", (7, 5)), (4, 3), compressors=compressor)
    write(g, "filters/delta", elements("<i4", (7, 5)), (4, 3), filters=[numcodecs.Delta("<i4")])
    write(g, "filters/shuffle", elements("<i4", (7, 5)), (4, 3), filters=[numcodecs.Shuffle(4)])
    write(g, "dots.and spaces/\u00fc+b", elements("<f4", (7, 5)), (4, 3), chunk_key_encoding={"name": "v2", "separator": "/"})
    write(g, "scalar", elements("<f8", ()), ())
    write(g, "empty", elements("<f8", (0, 4)), (1, 2))
    write(g, "fills", elements("<f8", (7, 5)), (4, 3), fill_value=-1.5)
    write(g, "nan", elements("<f4", (7, 5)), (4, 3), fill_value=float("nan"))
    write(g, "dims", elements("<f4", (7, 5)), (4, 3), attributes={"_ARRAY_DIMENSIONS": ["y", "x"], "units": "K"})
    write_records(os.path.join(path, "record"), elements(RECORD, (6,)))
    text = g.create_array("text", shape=(5,), chunks=(2,), dtype=str)
    text[1:4] = ["a", "", "\u20ac uro"]


def make_v3(path):
    g = zarr.create_group(path, attributes={"title": "shards"})
    inner = {"shards": (4, 6), "chunks": (2, 3)}
    for dtype in ["|u1", "<i4", "<f8", "<c8", "<M8[s]", "<U3"] if QUICK else TYPES:
        name = re.sub(r"\W", "_", dtype.replace("<", "l").replace(">", "b"))
        v = elements(dtype, (7, 11))
        write(g, f"shards/{name}", v, compressors=zarr.codecs.ZstdCodec(), **inner)
    write(g, "chunks/gzip", elements("<i4", (7, 11)), (2, 3), compressors=zarr.codecs.GzipCodec(level=1))
    write(g, "chunks/big", elements("<i4", (7, 11)), (2, 3), serializer=zarr.codecs.BytesCodec(endian="big"))
    write(g, "chunks/turned", elements("<i4", (7, 11)), (2, 3), filters=[zarr.codecs.TransposeCodec(order=(1, 0))])
    write(g, "turned_complex", elements("<c16", (7, 11)), filters=[zarr.codecs.TransposeCodec(order=(1, 0))], **inner)
    write(g, "big_shards", elements("<f4", (7, 11)), serializer=zarr.codecs.BytesCodec(endian="big"), **inner)
    write(g, "early_index", elements("<f4", (7, 11)), (2, 3), shards={"shape": (4, 6), "index_location": "start"})
    write(g, "complex_fill", elements("<c8", (7, 5)), (4, 3), fill_value=1 + 2j)
    write(g, "complex_fill_in_shards", elements("<c8", (7, 11)), fill_value=1 + 2j, **inner)
    text = g.create_array("text", shape=(5,), chunks=(2,), dtype=str)
    text[1:4] = ["a", "", "\u20ac uro"]


def hierarchies():
    """Their paths: both data sets, and copies in the other formats."""
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    os.makedirs(DIRECTORY)
    for name, make in ("types", make_v2), ("shards", make_v3):
        own = "v2" if make is make_v2 else "v3"
        make(os.path.join(DIRECTORY, f"{name}-{own}.zarr"))
        yield os.path.join(DIRECTORY, f"{name}-{own}.zarr")
        for version in FORMATS:
            to = os.path.join(DIRECTORY, f"{name}-{version}.zarr")
            if version == own or (QUICK and name == "shards" and version != "v3-2022"):
                continue
            status, _, err = zinc("cp", "--format", version, os.path.join(DIRECTORY, f"{name}-{own}.zarr"), to)
            if status == 0:
                yield to
                continue
            for path in arrays_of(os.path.join(DIRECTORY, f"{name}-{own}.zarr")):  # what the format can hold
                zinc("cp", "--format", version, os.path.join(DIRECTORY, f"{name}-{own}.zarr", path), os.path.join(to, path))
            print(f"{to}: {len(list(arrays_of(to)))} arrays ({err.splitlines()[-1][:150] if err else ''})")
            yield to
    yield from (p for p in GIVEN if os.path.isdir(p))


def arrays_of(url):
    """Paths of all arrays, as Zinc sees them."""
    status, out, err = zinc("tree", "--json", url)

    def below(node):
        if node["node_type"] == "array":
            yield node["path"].lstrip("/")
        for child in node.get("children", []):
            yield from below(child)

    if status not in (0, 1):
        raise SystemExit(f"zinc tree {url}: {err}")
    yield from below(json.loads(out))


# ---- what the face should have ----

UNITS = {"days": "D", "hours": "h", "minutes": "m", "seconds": "s", "milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}


def expected(values, path, documents):
    """Pairs of an array of the face and its elements."""
    if values.dtype.names:
        for name in values.dtype.names:
            yield from expected(values[name], f"{path}/{name}", documents)
        return
    kind = values.dtype.kind
    if kind == "V" and values.dtype.subdtype:
        kind = values.dtype.base.kind
    if kind == "c":
        part = np.dtype(f"f{values.dtype.itemsize // 2}")
        values = np.stack([values.real, values.imag], -1).astype(part)
    elif kind in "mM":
        values = as_integers(values, documents[path]["attributes"].get("units"))
    elif kind == "U" and documents.get(path, {}).get("data_type") == "string":
        values = values.astype(object)
    yield path, values


def as_integers(values, units):
    values = values.astype(values.dtype.newbyteorder("="))
    if units == "calendar_months":
        step = np.datetime_data(values.dtype)
        return values.astype("i8") * np.where(np.isnat(values), 1, step[1] * (12 if step[0] == "Y" else 1))
    if units is None:
        return values.astype("i8")
    unit = UNITS[units.split()[0]]
    return values.astype(f"{values.dtype.kind}8[{unit}]").astype("i8")


# ---- peers ----


class Skip(Exception):
    pass


def quoted(url, path):
    return url + urllib.parse.quote(path)


class ZarrPython:
    name = "zarr-python"

    def __init__(self, url):
        self.group = zarr.open(zarr.storage.FsspecStore.from_url(url.rstrip("/"), read_only=True), mode="r")

    def read(self, path, document):
        return (self.group[path] if path else self.group)[...]


class TensorStore:
    name = "TensorStore"

    def __init__(self, url):
        self.url = url

    def read(self, path, document):
        if not isinstance(document["data_type"], str) or document["data_type"] in ("string", "bytes"):
            raise Skip("has no such type")
        spec = {"driver": "zarr3", "kvstore": quoted(self.url, path + "/" if path else "")}
        return tensorstore.open(spec).result().read().result()


class ZarritaOverHttp:
    name = "zarrita"
    node = Zarrita()

    def __init__(self, url):
        self.url = url

    def read(self, path, document):
        kind = document["data_type"]
        if not isinstance(kind, str) or kind in ("bytes", "float16") or kind.startswith("r"):
            raise Skip("has no such type")
        if 0 in document["shape"]:
            raise Skip("does not read arrays without elements")
        a = self.node.ask("read_url", self.url, node=path)
        if "texts" in a:
            return np.array(a["texts"], object).reshape(a["shape"])
        return np.frombuffer(base64.b64decode(a["data"]), np.dtype(a["dtype"])).reshape(a["shape"])


def same(got, want):
    got = np.asarray(got)
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if want.dtype == object:
        ok = got.astype(object) == want
    elif want.dtype.kind in "fc":
        ok = (got == want) | (np.isnan(got) & np.isnan(want))
        ok &= (np.signbit(got) == np.signbit(want)) | np.isnan(want)
    else:
        ok = got == want
    if np.all(ok):
        return None
    at = tuple(int(i[0]) for i in np.nonzero(~np.asarray(ok))) if want.ndim else ()
    return f"element {at}: {got[at]!r}, not {want[at]!r}"


def check(peer, url, path, document, want, what):
    try:
        trouble = same(peer.read(path, document), want)
    except Skip:
        counts[peer.name]["skipped"] += 1
        return
    except Exception as e:  # any exception of a peer is a result here
        trouble = f"{type(e).__name__}: {str(e)[:300]}"
    counts[peer.name]["failed" if trouble else "passed"] += 1
    if trouble:
        print(f"FAILED {peer.name}: {what}: {path}: {trouble}")


# ---- xarray ----


def xarray_sees():
    """What xarray decodes and masks is the same through the face as in the source."""
    values = np.array([[1.0, np.nan], [3, 4]])
    data = xarray.Dataset(
        {"t": (("time", "x"), values.astype("f4")), "p": (("time", "x"), values, {"units": "K"}), "q": ("x", [1.0, 2.0])},
        {"time": np.array(["2000-01-01", "2001-02-03"], "M8[ns]")})  # fmt: skip
    encoding = {"t": {"_FillValue": -9.0}, "p": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -999}, "q": {"_FillValue": None}}
    for version in FORMATS:
        to = os.path.join(DIRECTORY, f"xarray-{version}.zarr")
        if version in ("v2", "v3"):
            data.to_zarr(to, zarr_format=int(version[1]), encoding=encoding)
        else:
            zinc("cp", "--format", version, os.path.join(DIRECTORY, "xarray-v2.zarr"), to)
        server = Server(to)
        try:
            seen = xarray.open_zarr(server.url.rstrip("/"))
            for name in data.variables:
                ok = seen[name].equals(data[name])
                counts["xarray"]["passed" if ok else "failed"] += 1
                if not ok:
                    print(f"FAILED xarray: {version} {name}: {seen[name].values} is not {data[name].values}")
        except Exception as e:  # a result, as above
            counts["xarray"]["failed"] += 1
            print(f"FAILED xarray: {version}: {type(e).__name__}: {str(e)[:300]}")
        finally:
            server.stop()


# ---- serving ----


class Server:
    def __init__(self, path):
        self.process = subprocess.Popen([ZINC, "serve", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = ""
        while "http://" not in line:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"zinc serve {path} ended")
        self.url = re.search(r"http://\S+", line).group(0).rstrip("/") + "/v3/"

    def stop(self):
        self.process.terminate()
        self.process.wait()


def fetch(url):
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


def documents_of(url):
    """Those of the root's consolidated metadata; each must be what the node itself has."""
    root = fetch(url + "zarr.json")
    if root["node_type"] == "array":
        return {"": root}
    documents = root["consolidated_metadata"]["metadata"]
    for path, document in documents.items():
        alone = fetch(quoted(url, path + "/zarr.json"))
        alone.pop("consolidated_metadata", None)
        ok = alone == document
        counts["documents"]["passed" if ok else "failed"] += 1
        if not ok:
            print(f"FAILED documents: {path}: {alone} is not {document}")
    return documents


def status_of(url):
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status
    except urllib.error.HTTPError as e:
        return e.code


def serve(source):
    server = Server(source)
    try:
        documents = documents_of(server.url)
        peers = [ZarrPython(server.url), TensorStore(server.url), ZarritaOverHttp(server.url)]
        wanted = set()
        for path in arrays_of(source):
            status, out, err = zinc("cat", "--as", "npy", os.path.join(source, path) if path else source)
            if status == 4:  # not in this build: the face says so, too
                ok = status_of(quoted(server.url, path + "/zarr.json")) == 501
                counts["documents"]["passed" if ok else "failed"] += 1
                continue
            if status:
                print(f"FAILED zinc cat {source} {path}: {err}")
                counts["documents"]["failed"] += 1
                continue
            for name, want in expected(np.load(io.BytesIO(out)), path, documents):
                wanted.add(name)
                for peer in peers:
                    check(peer, server.url, name, documents.get(name, {}), want, os.path.basename(source))
        more = {p for p, d in documents.items() if d["node_type"] == "array"} - wanted
        counts["documents"]["failed" if more else "passed"] += 1
        if more:
            print(f"FAILED documents: {source}: nobody expects {sorted(more)}")
    finally:
        server.stop()


def main():
    for source in hierarchies():
        serve(source)
    xarray_sees()
    total = collections.Counter()
    for name, count in counts.items():
        print(f"{name}: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
        total += count
    print(f"v3 over HTTP: {total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return total["failed"] > 0


sys.exit(main())
