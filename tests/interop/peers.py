"""peers.py - the implementations that exchange arrays, one class each

Every class has the same few methods: write (create and fill an array), read (everything that a reader gets), put
(write a part), resize, append.  `cannot_write` and `cannot_read` list what an implementation does not support or does
wrongly, with the reason; such exchanges are skipped and counted, and the reasons are printed.  `run.py --anyway` runs
them, to find reasons that no longer hold.
"""

import base64
import functools
import importlib.metadata
import json
import os
import shutil
import subprocess
import tempfile
import warnings
from dataclasses import dataclass

import numpy as np

from values import dtype_of, fill_of

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "..", "..", "build")))


def version_of(package):
    return tuple(int(n) for n in importlib.metadata.version(package).split(".")[:2])


class Refused(Exception):
    """The implementation refused, with a text."""


@dataclass
class Seen:
    """An array as a reader gets it."""

    values: np.ndarray
    dtype: str
    shape: list
    fill: bytes
    attributes: dict
    names: list | None
    chunks: list | None = None  # of the grid
    codecs: list | None = None


@dataclass
class Cannot:
    reason: str
    applies: object  # Case -> bool


def names_or_none(names):
    """Absent names and names that are all null mean the same."""
    return None if names is None or all(n is None for n in names) else list(names)


def at(path, document):
    """Write a metadata document by hand."""
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "zarr.json"), "w", encoding="utf-8") as f:
        json.dump(document, f)


def read_document(path):
    with open(os.path.join(path, "zarr.json"), encoding="utf-8") as f:
        return json.load(f)


# ---- properties of cases that not all implementations support ----


def is_raw(case):
    return case.dtype[0] == "r"


def fill_parts(case):
    return case.fill if isinstance(case.fill, list) and not is_raw(case) else [case.fill]


def nan_payload(case):
    """The fill value is a NaN with a payload."""
    return any(isinstance(p, str) and p.startswith("0x") for p in fill_parts(case)) and np.isnan(fill_of(case.dtype, case.fill))


def other_nan(case):
    return isinstance(case.constant, str)


def of_numcodecs(case):
    """Codecs of Zarr v2, by their ids, of which zarr-python alone has all in v3."""
    return {c["name"].removeprefix("numcodecs.") for c in case.codecs if c["name"].startswith("numcodecs.")}


def has_numcodecs(case):
    return bool(of_numcodecs(case))


def filtered(case, *ids):
    return bool(of_numcodecs(case) & set(ids))


def beside_shard(case):
    """Codecs beside a shard at the top of the chain."""
    return bool(case.shards()) and len(case.codecs) > 1


def position(chain, name):
    return next((i for i, c in enumerate(chain) if c["name"] == name), len(chain))


def after_shard(case):
    """Codecs after a shard, at any level."""
    chains = [case.codecs, *(s["codecs"] for s in case.shards())]
    return any(position(c, "sharding_indexed") < len(c) - 1 for c in chains)


def transposed_unevenly(case):
    """A transpose before a shard whose inner chunks divide the shard only in the transposed order."""
    chain = case.codecs
    if not position(chain, "transpose") < position(chain, "sharding_indexed") < len(chain):
        return False
    return any(n % c for n, c in zip(case.chunks, case.shards()[0]["chunk_shape"]))


def big_endian(case):
    return any(c.get("configuration", {}).get("endian") == "big" for c in case.chain("bytes"))


def beyond_double(case):
    """Integers that a JSON reader with only doubles cannot represent."""
    numbers = [case.fill, *case.attributes.values()]
    return any(isinstance(n, int) and abs(n) > 2**53 for n in numbers)


def beyond_64_bits(case):
    return any(isinstance(n, int) and not -(2**63) <= n < 2**64 for n in case.attributes.values())


def negative_zero(case):
    return any(isinstance(p, float) and p == 0 and np.signbit(p) for p in fill_parts(case))


class Peer:
    cannot_write = []
    cannot_read = []

    def exact(self, case):
        """Do NaNs keep their payload?  If not, all NaNs are equal."""
        return True

    def why_not(self, case, how):
        """None, or why this implementation cannot `how` ("read" or "write") the case."""
        rules = self.cannot_write + self.cannot_read if how == "write" else self.cannot_read
        return next((f"{self.name}: {r.reason}" for r in rules if r.applies(case)), None)

    def __reduce__(self):
        return named, (self.name,)  # each worker process has its own; a Node process cannot be passed on

    def version(self):
        return importlib.metadata.version(self.package)


# ---- zarr-python, with its own codecs and with those of zarrs ----


class ZarrPython(Peer):
    name = package = "zarr"
    settings = {}
    cannot_read = [
        Cannot("has no data types r16, r24 ...", is_raw),
        Cannot("checks the inner chunk shape against the shard before the transpose", transposed_unevenly),
        Cannot("its blosc has no snappy", lambda c: any(b["configuration"]["cname"] == "snappy" for b in c.chain("blosc"))),
        Cannot(
            "takes big-endian numbers for little-endian ones before numcodecs' filters",
            lambda c: big_endian(c) and filtered(c, "delta", "astype", "fixedscaleoffset"),
        ),
    ]
    cannot_write = [
        Cannot(
            "puts transposed chunks through some of numcodecs' filters in another order than it reads",
            lambda c: bool(c.chain("transpose")) and filtered(c, "delta", "fixedscaleoffset"),
        ),
        Cannot("before 3.2 it cannot shard 0 dimensions", lambda c: not c.shape and c.shards() and version_of("zarr") < (3, 2)),
        Cannot("leaves out a chunk of other NaNs where the fill value is a NaN", other_nan),
    ]

    def exact(self, case):
        return not nan_payload(case)  # of a fill value it is lost

    def session(self):
        import zarr

        warnings.filterwarnings("ignore", module="zarr")
        return zarr.config.set(self.settings)

    def write(self, case, path):
        import zarr
        from zarr.core.metadata.v3 import ArrayV3Metadata

        with self.session():
            # A document is parsed and printed by zarr's own model
            metadata = ArrayV3Metadata.from_dict(case.document())
            dict(zarr.create_hierarchy(store=zarr.storage.LocalStore(path), nodes={"": metadata}, overwrite=True))
            if case.written:
                zarr.open_array(path, mode="r+")[...] = case.data()

    def write_default(self, path, values):
        import zarr

        with self.session():
            zarr.create_array(path, shape=values.shape, dtype=values.dtype)[...] = values

    def read(self, path):
        import zarr

        with self.session():
            array = zarr.open_array(path, mode="r")
            values = np.asarray(array[...])
        meta = array.metadata.to_dict()
        return Seen(
            values,
            meta["data_type"],
            list(array.shape),
            np.asarray(array.fill_value).astype(dtype_of(meta["data_type"])).tobytes(),
            array.attrs.asdict(),
            names_or_none(array.metadata.dimension_names),
            list(meta["chunk_grid"]["configuration"]["chunk_shape"]),
        )

    def put(self, path, box, values):
        import zarr

        with self.session():
            zarr.open_array(path, mode="r+")[box] = values

    def resize(self, path, shape):
        import zarr

        zarr.open_array(path, mode="r+").resize(shape)

    def append(self, path, axis, values):
        import zarr

        with self.session():
            zarr.open_array(path, mode="r+").append(values, axis=axis)


class Zarrs(ZarrPython):
    name = package = "zarrs"
    # Strict: an error instead of quietly using zarr's own codecs
    settings = {"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}
    cannot_read = ZarrPython.cannot_read[:2] + [
        Cannot("swaps the two parts of big-endian complex numbers", lambda c: c.dtype.startswith("complex") and big_endian(c)),
        Cannot("has few of numcodecs' codecs", lambda c: bool(of_numcodecs(c) - {"zlib", "bz2", "shuffle", "fixedscaleoffset"})),
    ]
    cannot_write = []


class ZarrsProgram(Peer):
    """The Rust library itself, through zarrs_peer; it takes the elements alone, so the rest is the document's."""

    name = "zarrs.rs"
    program = os.environ.get("ZARRS_PEER", os.path.join(BUILD, "zarrs_peer"))
    numcodecs = {"adler32", "bitround", "bz2", "fixedscaleoffset", "fletcher32", "shuffle", "zlib"}
    cannot_read = [Cannot("has few of numcodecs' codecs", lambda c: bool(of_numcodecs(c) - ZarrsProgram.numcodecs))]

    def version(self):
        return self.run("version").decode().strip()

    def run(self, *args, **options):
        done = subprocess.run([self.program, *args], capture_output=True, **options)
        if done.returncode:
            raise Refused(done.stderr.decode(errors="replace").strip())
        return done.stdout

    def write(self, case, path):
        at(path, case.document())
        if case.written:
            self.run("write", path, input=case.data().tobytes())

    def read(self, path):
        meta = read_document(path)
        values = np.frombuffer(self.run("read", path), dtype_of(meta["data_type"])).reshape(meta["shape"])
        return Seen(
            values,
            meta["data_type"],
            meta["shape"],
            fill_of(meta["data_type"], meta["fill_value"]).tobytes(),
            meta.get("attributes", {}),
            names_or_none(meta.get("dimension_names")),
        )


# ---- TensorStore ----


class TensorStore(Peer):
    name = package = "tensorstore"
    cannot_read = [
        Cannot("wants the fill value of r16, r24 ... in base64, and then aborts", is_raw),
        Cannot("has no codecs behind a shard", after_shard),
        Cannot("refuses dimension names that are equal", lambda c: c.names and c.names[0] and len(set(c.names)) < len(c.names)),
        Cannot("turns integers beyond 64 bits into floats", beyond_64_bits),
        Cannot("has none of numcodecs' codecs", has_numcodecs),
    ]

    def open(self, path, **options):
        import tensorstore as ts

        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}
        if "metadata" in options:
            spec["metadata"] = options.pop("metadata")
        return ts.open(spec, **options).result()

    def write(self, case, path):
        array = self.open(path, create=True, metadata=case.document())
        if case.written:
            array.write(case.data()).result()

    def write_default(self, path, values):
        import tensorstore as ts

        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}
        ts.open(spec, create=True, dtype=values.dtype, shape=values.shape).result().write(values).result()

    def read(self, path):
        array = self.open(path, read=True)
        meta = array.spec().to_json()["metadata"]
        return Seen(
            np.asarray(array.read().result()),
            meta["data_type"],
            list(array.shape),
            np.asarray(array.fill_value).tobytes(),
            meta.get("attributes", {}),
            names_or_none(meta.get("dimension_names")),
            meta["chunk_grid"]["configuration"]["chunk_shape"],
        )

    def put(self, path, box, values):
        self.open(path, read=True, write=True)[box].write(values).result()

    def resize(self, path, shape):
        array = self.open(path, read=True, write=True)
        array.resize(exclusive_max=shape).result()

    def append(self, path, axis, values):
        before = list(self.open(path, read=True).shape)
        after = list(before)
        after[axis] += values.shape[axis]
        self.resize(path, after)
        box = tuple(slice(before[d] if d == axis else 0, n) for d, n in enumerate(after))
        self.put(path, box, values)


# ---- zarrita, in a Node process that answers lines of JSON ----


class Zarrita(Peer):
    name = "zarrita"
    cannot_read = [
        Cannot("has no data types complex64, complex128, r16, r24 ...", lambda c: is_raw(c) or c.dtype.startswith("complex")),
        Cannot("has float16 only where Node has it (24 and later)", lambda c: c.dtype == "float16"),
        Cannot("does not read arrays without elements", lambda c: 0 in c.shape),
        Cannot("has no nested shards", lambda c: len(c.shards()) > 1),
        Cannot("looks for the index at the end only", lambda c: any(s["index_location"] == "start" for s in c.shards())),
        Cannot("passes over codecs beside a shard", beside_shard),
        Cannot("reads integers as doubles", beyond_double),
        Cannot("has few of numcodecs' codecs", has_numcodecs),
        Cannot("does not read a fill value in hexadecimal", lambda c: any(isinstance(p, str) and p.startswith("0x") for p in fill_parts(c))),
    ]
    cannot_write = [
        Cannot("does not write shards", lambda c: bool(c.shards())),
        Cannot("does not write gzip", lambda c: bool(c.chain("gzip"))),
        Cannot("does not write crc32c", lambda c: bool(c.chain("crc32c"))),
        Cannot("writes a fill value of -0.0 as 0", negative_zero),
    ]

    def exact(self, case):
        return False  # elements pass through JavaScript's numbers

    @functools.cached_property
    def process(self):
        return subprocess.Popen(
            ["node", os.path.join(HERE, "zarrita.mjs"), os.path.join(BUILD, "interop-npm")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip

    def ask(self, op, path=None, **more):
        self.process.stdin.write(json.dumps({"op": op, "path": path, **more}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            del self.process  # the next request starts another
            raise Refused("the Node process died")
        answer = json.loads(answer)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer

    def version(self):
        return self.ask("version")["version"]

    def write(self, case, path):
        data = base64.b64encode(case.data().tobytes()).decode() if case.written else None
        self.ask("write", path, document=case.document(), data=data)

    def write_default(self, path, values):
        name = values.dtype.name
        document = {"shape": values.shape, "data_type": name, "chunk_shape": [3] * values.ndim}
        self.ask("write_default", path, document=document, data=base64.b64encode(values.tobytes()).decode())

    def read(self, path):
        a = self.ask("read", path)
        dtype = dtype_of(a["dtype"])
        values = np.frombuffer(base64.b64decode(a["data"]), dtype).reshape(a["shape"])
        fill = base64.b64decode(a["fill"])
        return Seen(values, a["dtype"], a["shape"], fill, a["attributes"], names_or_none(a["names"]))

    def put(self, path, box, values):
        box = [[s.start, s.stop] for s in box]
        data = base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
        self.ask("put", path, box=box, shape=values.shape, data=data)


# ---- Zinc: its command, and a small program for what the command does not have ----


class Zinc(Peer):
    name = "zinc"

    def run(self, *args, program="zinc", **options):
        binary = os.path.join(BUILD, program)
        done = subprocess.run([binary, *args], capture_output=True, close_fds=False, **options)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            raise Refused(f"`{program} {' '.join(args)}` exits {done.returncode}: {said}")
        return done.stdout

    def drive(self, *args, **options):
        return self.run(*args, program="interop-drive", **options)

    def version(self):
        return self.run("--version").decode().split()[1]

    def create(self, case, path):
        if case.short:
            return self.run("create", path, *case.short)
        if case.names and any(n is not None and (n == "" or "," in n) for n in case.names):  # --dims cannot say that
            return self.drive("create", path, input=json.dumps(case.document()).encode())
        comma = lambda items: ",".join("" if i is None else str(i) for i in items)
        encoding, separator = case.keys
        usual = separator == {"default": "/", "v2": "."}[encoding]
        args = ["--shape", comma(case.shape), "--chunks", comma(case.chunks), "--dtype", case.dtype]
        args += ["--codecs", json.dumps(case.codecs), "--fill", json.dumps(case.fill)]
        args += ["--key-encoding", encoding if usual else encoding + separator]
        args += ["--attrs", json.dumps(case.attributes)] if case.attributes else []
        args += ["--dims", comma(case.names)] if case.names else []
        return self.run("create", path, *args)

    def write(self, case, path):
        self.create(case, path)
        if case.written:
            self.put(path, None, case.data())

    def write_default(self, path, values):
        self.run("create", path, "--shape", ",".join(map(str, values.shape)), "--dtype", values.dtype.name)
        self.put(path, None, values)

    def read(self, path):
        info = json.loads(self.run("info", "--json", path))
        return Seen(
            self.cat(path),
            info["data_type"],
            info["shape"],
            fill_of(info["data_type"], info["fill_value"]).tobytes(),
            info["attributes"],
            names_or_none(info["dimension_names"]),
            info["shard_shape"] or info["chunk_shape"],
            info["codecs"],
        )

    def cat(self, path, selection=None):
        with tempfile.NamedTemporaryFile(suffix=".npy") as f:
            self.run("cat", path, *(["-s", selection] if selection else []), "--as", "npy", "-o", f.name, "--overwrite")
            return np.load(f.name, allow_pickle=False)

    def put(self, path, box, values):
        self.put_text(path, box and ",".join(f"{s.start}:{s.stop}" for s in box), values)

    def put_text(self, path, selection, values):
        with tempfile.NamedTemporaryFile(suffix=".npy") as f:
            np.save(f, values)
            f.flush()
            self.run("put", path, *(["-s", selection] if selection else []), "--from", f.name)

    def resize(self, path, shape):
        self.drive("resize", path, ",".join(map(str, shape)))

    def append(self, path, axis, values):
        self.drive("append", path, str(axis), input=np.ascontiguousarray(values).tobytes())

    def validate(self, path):
        self.run("validate", path)


@functools.cache
def peers():
    program = [ZarrsProgram()] if os.path.exists(ZarrsProgram.program) else []
    return [ZarrPython(), TensorStore(), Zarrs(), *program, Zarrita()]


@functools.cache
def named(name):
    return next((p for p in peers() if p.name == name), None) or Zinc()


def fresh(path):
    shutil.rmtree(path, ignore_errors=True)
    return path
