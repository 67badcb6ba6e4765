"""cases.py - the matrix, as data

A case is one array: its v3 document and its elements.  `cross` multiplies the common axes (types, byte
order, codecs, memory order, sharding); the functions below it add properties with too many values to combine.  Tags
are the lines of the table in which a case is counted.
"""

import itertools
from dataclasses import dataclass, field

import numpy as np

import values
from values import TYPES, dtype_of, fill_of

# ---- codecs as in a document ----


def codec(name, **configuration):
    return {"name": name, "configuration": configuration} if configuration else {"name": name}


def to_bytes(dtype, endian="little"):
    """The `bytes` codec; types of single bytes have no byte order."""
    single = dtype_of(dtype).itemsize == 1 or dtype[0] == "r"
    return codec("bytes") if single else codec("bytes", endian=endian)


def blosc(dtype, cname="lz4", level=5, shuffle="shuffle", blocksize=0):
    return codec("blosc", cname=cname, clevel=level, shuffle=shuffle, typesize=dtype_of(dtype).itemsize, blocksize=blocksize)


INDEX = [codec("bytes", endian="little"), codec("crc32c")]


def shard(inner, codecs, index=INDEX, location="end"):
    return codec("sharding_indexed", chunk_shape=list(inner), codecs=codecs, index_codecs=index, index_location=location)


# ---- a case ----


@dataclass(frozen=True)
class Case:
    name: str
    tags: tuple
    dtype: str
    shape: tuple
    chunks: tuple  # of the grid: the shard if sharded
    codecs: list
    fill: object
    keys: tuple = ("default", "/")
    names: tuple | None = None
    attributes: dict = field(default_factory=dict)
    holes: bool = True  # the first inner chunk and the last stored object contain only the fill value
    written: bool = True  # False: metadata only, no element is ever written
    short: tuple | None = None  # arguments after `zinc create URL`, for cases of the command's short forms
    constant: object = None  # every element is this

    def document(self):
        encoding, separator = self.keys
        doc = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": list(self.shape),
            "data_type": self.dtype,
            "chunk_grid": codec("regular", chunk_shape=list(self.chunks)),
            "chunk_key_encoding": codec(encoding, separator=separator),
            "fill_value": self.fill,
            "codecs": self.codecs,
            "attributes": self.attributes,
        }
        if self.names is not None:
            doc["dimension_names"] = list(self.names)
        return doc

    def chain(self, name):
        """Every codec called `name`, in the outer chain and in those of shards, indexes excepted."""
        found, chains = [], [self.codecs]
        while chains:
            for c in chains.pop():
                if c["name"] == name:
                    found.append(c)
                if c["name"] == "sharding_indexed":
                    chains.append(c["configuration"]["codecs"])
        return found

    def shards(self):
        """Configurations of all levels of sharding, the outermost first."""
        return [c["configuration"] for c in self.chain("sharding_indexed")]

    @property
    def inner(self):
        """Shape of the smallest chunk, in the array's own order of dimensions."""
        shape, chain = self.chunks, self.codecs
        while chain:
            shard = next((c for c in chain if c["name"] == "sharding_indexed"), None)
            if shard is None:
                return shape
            before = [c for c in chain if c["name"] == "transpose"]
            shape = tuple(shard["configuration"]["chunk_shape"])
            for c in reversed(before):  # the shard has transposed dimensions
                order = c["configuration"]["order"]
                shape = tuple(shape[order.index(i)] for i in range(len(order)))
            chain = shard["configuration"]["codecs"]
        return shape

    def data(self):
        fill = fill_of(self.dtype, self.fill)
        if not self.written:
            return np.full(self.shape, fill)
        if self.constant is not None:
            return np.full(self.shape, fill_of(self.dtype, self.constant))
        data = values.random(self.dtype, self.shape, self.name)
        if self.holes and self.shape and data.size:
            data[tuple(slice(0, n) for n in self.inner)] = fill
            last = tuple(slice((n - 1) // c * c, n) for n, c in zip(self.shape, self.chunks))
            data[last] = fill
        return data


# ---- the common axes ----

# A fill value per type that differs from all usual defaults
FILLS = {
    "bool": True,
    "int8": -7, "int16": -300, "int32": -70000, "int64": -(2**40) - 1,
    "uint8": 200, "uint16": 60000, "uint32": 4000000000, "uint64": 2**53 - 1,
    "float16": -1.5, "float32": "Infinity", "float64": 1e300,
    "complex64": [1.5, -2.5], "complex128": ["-Infinity", 2.5],
    "r16": [1, 254], "r24": [1, 2, 3],
}  # fmt: skip

CHAINS = {
    "none": lambda t: [],
    "gzip": lambda t: [codec("gzip", level=6)],
    "zstd": lambda t: [codec("zstd", level=3, checksum=False)],
    "zstd with checksum": lambda t: [codec("zstd", level=-5, checksum=True)],
    "blosc": lambda t: [blosc(t)],
    "crc32c": lambda t: [codec("crc32c")],
    "zstd, crc32c": lambda t: [codec("zstd", level=1, checksum=False), codec("crc32c")],
    "crc32c, gzip": lambda t: [codec("crc32c"), codec("gzip", level=1)],
}
ORDERS = {"C": None, "F": [2, 1, 0], "cyclic": [1, 2, 0]}  # (1,2,0) is not its own inverse
SHARDINGS = ["none", "index at end", "index at start", "nested"]
SHAPE, CHUNKS, SHARDS, MIDDLE, INNER = (3, 5, 4), (2, 3, 4), (2, 6, 4), (2, 3, 4), (1, 3, 2)


def cross_case(dtype, endian, chain, order, sharding):
    codecs = [codec("transpose", order=ORDERS[order])] if ORDERS[order] else []
    codecs += [to_bytes(dtype, endian), *CHAINS[chain](dtype)]
    if sharding == "nested":
        codecs = [shard(MIDDLE, [shard(INNER, codecs)])]
    elif sharding != "none":
        codecs = [shard(INNER, codecs, location=sharding.split()[-1])]
    tags = (f"type {dtype}", f"byte order {endian}", f"codec {chain}", f"order {order}", f"sharding {sharding}")
    name = "-".join(("x", dtype, endian, chain, order, sharding)).replace(", ", "+").replace(" ", "_")
    return Case(name, tags, dtype, SHAPE, CHUNKS if sharding == "none" else SHARDS, codecs, FILLS[dtype])


def endians(dtype):
    return ["little", "big"] if dtype_of(dtype).itemsize > 1 else ["little"]


def cross():
    typed = [(t, e) for t in TYPES for e in endians(t)]
    for (dtype, endian), *rest in itertools.product(typed, CHAINS, ORDERS, SHARDINGS):
        yield cross_case(dtype, endian, *rest)


def pairs(cases):
    """Few of `cases`, such that any two tags of one case are also together in one of the few."""
    of = {case.name: set(itertools.combinations(case.tags, 2)) for case in cases}
    missing = set().union(*of.values())
    while missing:
        best = max(of, key=lambda name: len(of[name] & missing))
        missing -= of[best]
        yield best


# ---- one property each ----


def plain(name, tag, dtype="int32", shape=(5, 7), chunks=(3, 4), codecs=None, fill=None, **more):
    """A case that differs from an ordinary array only in the given properties."""
    codecs = [to_bytes(dtype)] if codecs is None else codecs
    return Case(name, (tag,), dtype, shape, chunks, codecs, FILLS[dtype] if fill is None else fill, **more)


def bloscs():
    for cname, shuffle, dtype in itertools.product(
        ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"],
        ["noshuffle", "shuffle", "bitshuffle"],
        ["uint8", "int16", "float32", "complex128"],
    ):
        chain = [to_bytes(dtype), blosc(dtype, cname, 5, shuffle)]
        # Larger than the rest: blosc does not compress data smaller than a block
        yield plain(f"blosc-{cname}-{shuffle}-{dtype}", f"blosc {cname}", dtype, (60, 70), (50, 40), chain)
    for level, blocksize in itertools.product([0, 1, 9], [0, 256, 65536]):
        chain = [to_bytes("int32"), blosc("int32", "zstd", level, "shuffle", blocksize)]
        yield plain(f"blosc-level{level}-block{blocksize}", "blosc levels, block sizes", "int32", (60, 70), (50, 40), chain)


def levels():
    for level in range(10):
        chain = [to_bytes("int32"), codec("gzip", level=level)]
        yield plain(f"gzip-{level}", "codec gzip", "int32", (60, 70), (50, 40), chain)
    for level, checksum in itertools.product([-131072, -7, 0, 1, 3, 9, 19, 22], [False, True]):
        chain = [to_bytes("int32"), codec("zstd", level=level, checksum=checksum)]
        tag = "codec zstd with checksum" if checksum else "codec zstd"
        yield plain(f"zstd-{level}-{checksum}", tag, "int32", (60, 70), (50, 40), chain)
    chain = [to_bytes("int32"), codec("gzip", level=1), codec("blosc", cname="lz4", clevel=1, shuffle="noshuffle", typesize=1, blocksize=0),
             codec("crc32c"), codec("zstd", level=1, checksum=True), codec("crc32c")]  # fmt: skip
    yield plain("codec-five-in-a-row", "codec five in a row", codecs=chain)


def numcodecs():
    """Codecs of Zarr v2 under the names that zarr-python gives them in v3; only lossless ones."""
    lzma = {"format": 3, "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]}
    table = [
        ("zlib", {"level": 1}), ("zlib", {"level": 9}), ("gzip", {"level": 1}), ("bz2", {"level": 1}), ("bz2", {"level": 9}),
        ("lzma", {}), ("lzma", {"preset": 1, "check": 10}), ("lzma", {"format": 2}), ("lzma", lzma),
        ("lz4", {"acceleration": 1}), ("zstd", {"level": 3}), ("zstd", {"level": 1, "checksum": True}),
        ("blosc", {"cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}), ("blosc", {"cname": "zstd", "clevel": 3, "shuffle": 2, "blocksize": 0}),
        ("shuffle", {"elementsize": 4}), ("shuffle", {"elementsize": 8}),
        ("crc32", {}), ("crc32", {"location": "end"}), ("adler32", {}), ("adler32", {"location": "end"}),
        ("crc32c", {}), ("crc32c", {"location": "start"}), ("fletcher32", {}), ("jenkins_lookup3", {"initval": 7, "prefix": None}),
    ]  # fmt: skip
    for n, (name, configuration) in enumerate(table):
        chain = [to_bytes("int32"), {"name": f"numcodecs.{name}", "configuration": configuration}]
        yield plain(f"numcodecs-{name}-{n}", f"numcodecs {name}", "int32", (60, 70), (50, 40), chain)
    arrays = [
        ("delta", "int32", {"dtype": "<i4"}, "int32"), ("delta", "int16", {"dtype": "<i2", "astype": "<i4"}, "int32"),
        ("delta", "uint64", {"dtype": "<u8", "astype": "<u8"}, "uint64"),
        ("astype", "int16", {"encode_dtype": "<f4", "decode_dtype": "<i2"}, "float32"),
        ("astype", "float32", {"encode_dtype": "<f8", "decode_dtype": "<f4"}, "float64"),
        ("fixedscaleoffset", "int16", {"offset": 100, "scale": 1, "dtype": "<i2", "astype": "<i4"}, "int32"),
        ("bitround", "float32", {"keepbits": 23}, "float32"),
    ]  # fmt: skip
    for n, (name, dtype, configuration, stored) in enumerate(arrays):
        for order, endian in itertools.product(("C", "F"), ("little", "big")):
            front = [codec("transpose", order=[1, 0])] if order == "F" else []
            filters = [{"name": f"numcodecs.{name}", "configuration": configuration}, to_bytes(stored, endian)]
            chain = [*front, *filters, {"name": "numcodecs.zlib", "configuration": {"level": 1}}, codec("crc32c")]
            fill = 0 if dtype[0] in "iu" else 0.0
            yield plain(f"numcodecs-{name}-{n}-{order}-{endian}", f"numcodecs {name}", dtype, (6, 7), (4, 3), chain, fill)
    chain = [{"name": "numcodecs.packbits", "configuration": {}}, codec("bytes"), {"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}]
    yield plain("numcodecs-packbits", "numcodecs packbits", "bool", (6, 7), (4, 3), chain)


def fills():
    """Fill values; once with nothing stored, once with a missing chunk in real data."""
    wide = {"float16": 4, "float32": 8, "float64": 16}
    nans = {2: "0x7e05", 4: "0xffc00005", 8: "0x7ff8000000000abc"}
    forms = {"NaN": "NaN", "Infinity": "Infinity", "-Infinity": "-Infinity", "-0.0": -0.0, "0.0": 0.0, "0.1": 0.1}
    table = [(t, k, v) for t in wide for k, v in forms.items()]
    table += [(t, "NaN payload", nans[dtype_of(t).itemsize]) for t in wide]
    table += [("float64", "5e-324", 5e-324), ("float64", "max", 1.7976931348623157e308), ("float32", "hex of a number", "0x3f800001")]
    for t in TYPES:
        if t[0] in "iu" and t != "bool":
            info = np.iinfo(dtype_of(t))
            table += [(t, "extremes", int(info.max)), (t, "extremes", int(info.min))]
    table += [("bool", "bool", False), ("bool", "bool", True)]
    for t, nan in (("complex64", "0x7fc00005"), ("complex128", "0xfff8000000000abc")):
        table += [(t, "complex", v) for v in ([0.0, 0.0], [-0.0, 0.0], ["NaN", "Infinity"], ["-Infinity", -0.0], [nan, 1.5])]
    table += [("r16", "raw bytes", [0, 0]), ("r16", "raw bytes", [255, 1]), ("r24", "raw bytes", [1, 2, 3])]
    for n, (t, kind, fill) in enumerate(table):
        yield plain(f"fill-{t}-{n}-none", f"fill {kind}", t, fill=fill, written=False)
        yield plain(f"fill-{t}-{n}-holes", f"fill {kind}", t, fill=fill)
        chain = [shard((3, 2), [to_bytes(t), codec("crc32c")])]
        yield plain(f"fill-{t}-{n}-shard", f"fill {kind}", t, chunks=(3, 4), codecs=chain, fill=fill)
    # A chunk of -0.0 is not a chunk of 0.0, and one of another NaN is not the fill value either
    for t in wide:
        yield plain(f"fill-{t}-negative-zero", "fill 0.0, data -0.0", t, fill=0.0, constant=-0.0)
        yield plain(f"fill-{t}-other-nan", "fill NaN, data other NaN", t, fill="NaN", constant=nans[dtype_of(t).itemsize])


def shapes():
    table = {
        "0 dimensions": [((), ())],
        "zero length": [((0,), (3,)), ((0, 5), (2, 3)), ((3, 0, 2), (2, 2, 2))],
        "1 dimension": [((1,), (1,)), ((7,), (3,)), ((100,), (7,)), ((6,), (6,))],
        "chunk larger than array": [((2, 3), (5, 7)), ((1, 1), (64, 64))],
        "chunks of one": [((3, 2), (1, 1))],
        "no edge chunks": [((4, 6), (2, 3))],
        "many dimensions": [((2, 3, 2, 3, 2), (1, 2, 2, 2, 1)), ((1, 2, 1, 2, 1, 2, 1, 3), (1, 1, 1, 2, 1, 2, 1, 2))],
    }
    chains = {"none": [], "zstd": [codec("zstd", level=3, checksum=False)], "gzip": [codec("gzip", level=5)]}
    for tag, entries in table.items():
        for (shape, chunks), (label, chain), dtype in itertools.product(entries, chains.items(), ["int16", "float64"]):
            name = "shape-" + "x".join(map(str, shape)) + "-in-" + "x".join(map(str, chunks)) + f"-{label}-{dtype}"
            yield plain(name, f"shape {tag}", dtype, shape, chunks, [to_bytes(dtype), *chain])
            yield plain(name + "-sharded", f"shape {tag}", dtype, shape, chunks, [shard(chunks, [to_bytes(dtype), *chain])])


def raws():
    for t, (label, chain) in itertools.product(["r16", "r24"], CHAINS.items()):
        if label != "blosc":
            yield plain(f"raw-{t}-{label.replace(', ', '+').replace(' ', '_')}", f"type {t}", t, codecs=[to_bytes(t), *chain(t)])


def key_encodings():
    dims = {0: ((), ()), 1: ((7,), (3,)), 2: ((5, 7), (3, 4)), 3: (SHAPE, CHUNKS)}
    for (encoding, separator), (ndim, (shape, chunks)) in itertools.product(
        itertools.product(["default", "v2"], "/."), dims.items()
    ):
        label = "slash" if separator == "/" else "dot"
        yield plain(f"keys-{encoding}-{label}-{ndim}d", f"keys {encoding} {separator}", "int32", shape, chunks, keys=(encoding, separator))


def shardings():
    """Further cases of shards."""
    t, zstd, gzip, crc = "int32", codec("zstd", level=3, checksum=False), codec("gzip", level=1), codec("crc32c")
    base = [to_bytes(t), zstd]
    big = [codec("bytes", endian="big"), crc]

    def case(name, tag, codecs, shape=(7, 9), chunks=(4, 6), **more):
        return plain(f"shard-{name}", f"sharding {tag}", t, shape, chunks, codecs, **more)

    for location in ("end", "start"):
        yield case(f"plain-index-{location}", "index without crc32c", [shard((2, 3), base, INDEX[:1], location)])
        yield case(f"big-index-{location}", "index big-endian", [shard((2, 3), base, big, location)])
        yield case(f"then-gzip-{location}", "then gzip", [shard((2, 3), base, location=location), gzip])
        yield case(f"then-crc32c-{location}", "then crc32c", [shard((2, 3), base, location=location), crc])
        outer = codec("transpose", order=[1, 0])
        yield case(f"after-transpose-{location}", "after transpose", [outer, shard((3, 2), base, location=location)])
        square = [outer, shard((3, 2), base, location=location)]  # inner chunks that divide the shard in both orders
        yield case(f"square-after-transpose-{location}", "after transpose", square, chunks=(6, 6))
        inner = [codec("transpose", order=[2, 0, 1]), *base]
        both = [codec("transpose", order=[1, 2, 0]), shard((3, 2, 1), inner, location=location)]
        yield case(f"transpose-twice-{location}", "after transpose", both, (5, 7, 4), (2, 6, 4))
        nested = [shard((4, 3), [shard((2, 3), [shard((1, 1), base, location=location)], INDEX[:1], "start")])]
        yield case(f"three-levels-{location}", "nested three times", nested)
        crossed = [shard((4, 3), [codec("transpose", order=[1, 0]), shard((3, 2), base, location=location), gzip])]
        yield case(f"nested-with-codecs-{location}", "nested with codecs between", crossed)
        yield case(f"larger-than-array-{location}", "larger than array", [shard((2, 3), base, location=location)], (3, 2), (8, 9))
        yield case(f"empty-{location}", "nothing written", [shard((2, 3), base, location=location)], written=False)
        yield case(f"one-inner-chunk-{location}", "one inner chunk", [shard((4, 6), base, location=location)])
        yield case(f"inner-of-one-{location}", "inner chunks of one", [shard((1, 1), [to_bytes(t)], location=location)])
        yield case(f"keys-{location}", "v2 keys", [shard((2, 3), base, location=location)], keys=("v2", "."))


BIG = {
    "largest": 2**64 - 1, "smallest": -(2**63), "odd": 2**53 + 1,
    "beyond": 123456789012345678901234567890,
}  # fmt: skip


def metadata():
    def case(name, tag, **more):
        return plain(f"meta-{name}", tag, **more)

    text = {"ascii": "a b", "umlaut": "äöü", "kanji": "亜", "astral": "𝄞", "escapes": "\"\\/\b\f\n\r\t\u0001\u007f\u2028", "": "empty key", "é": 1}
    nested = {"a": {"b": [1, [2, {"c": None}], True, False], "d": {}}, "e": [], "f": -0.5, "g": 1e-300, "h": 0, "i": -1}
    yield case("no-attributes", "attributes nested")
    yield case("nested", "attributes nested", attributes=nested)
    yield case("unicode", "attributes unicode", attributes=text)
    yield case("big-integers", "attributes big integers", attributes=BIG)
    yield case("many", "attributes many", attributes={f"key{i}": i for i in range(1000)})
    yield case("names", "dimension names", names=("y", "x"))
    yield case("names-null", "dimension names null, empty, equal", names=(None, "x"))
    yield case("names-all-null", "dimension names null, empty, equal", names=(None, None))
    yield case("names-empty", "dimension names null, empty, equal", names=("", "x"))
    yield case("names-equal", "dimension names null, empty, equal", names=("x", "x"))
    yield case("names-unicode", "dimension names unicode", names=("größe, breit", "亜 \"x\""))


def short_forms():
    """The result of the short forms of `zinc create` must be this document."""
    f4, le = "float32", to_bytes("float32")
    table = [
        ("zstd:5", [le, codec("zstd", level=5, checksum=False)]),
        ("gzip:1", [le, codec("gzip", level=1)]),
        ("none", [le]),
        ("blosc:lz4:5:shuffle", [le, blosc(f4)]),
        ("blosc:zstd:3:bitshuffle", [le, blosc(f4, "zstd", 3, "bitshuffle")]),
        ("transpose:1,0+zstd:3+crc32c", [codec("transpose", order=[1, 0]), le, codec("zstd", level=3, checksum=False), codec("crc32c")]),
    ]
    for n, (text, chain) in enumerate(table):
        shape = ("--shape", "5,7", "--dtype", f4, "--fill", '"NaN"')
        yield plain(f"short-{n}", "command's short forms", f4, codecs=chain, fill="NaN", short=(*shape, "--chunks", "3,4", "--codecs", text))
        inner = ("--chunks", "3,2", "--shards", "3,4", "--codecs", text)
        yield plain(f"short-{n}-shards", "command's short forms", f4, codecs=[shard((3, 2), chain)], fill="NaN", short=(*shape, *inner))
    for v2, t in (("<f4", "float32"), ("|b1", "bool"), ("<i8", "int64"), ("<c16", "complex128")):
        args = ("--shape", "5,7", "--dtype", v2, "--chunks", "3,4", "--codecs", "none")
        zero = {"float32": 0.0, "bool": False, "int64": 0, "complex128": [0.0, 0.0]}[t]
        yield plain(f"short-dtype-{t}", "command's short forms", t, fill=zero, short=args)


def all_cases(quick=False):
    common = list(cross())
    if quick:
        few = set(pairs(common))
        common = [case for case in common if case.name in few]
    rest = (bloscs(), levels(), numcodecs(), fills(), shapes(), raws(), key_encodings(), shardings(), metadata(), short_forms())
    return [*common, *itertools.chain(*rest)]
