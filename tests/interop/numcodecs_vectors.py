#!/usr/bin/env python3
"""numcodecs_vectors.py > tests/support/numcodecs_vectors.h - what numcodecs makes of a few elements

Needs numcodecs, numpy and google-crc32c or crc32c (the header says which versions it was made with).  Each row is a
chain, elements, the bytes that numcodecs encodes them to, and what it decodes those to.  `same` rows must be encoded to
the same bytes; compressors may do it otherwise, as long as it decodes to the same.
"""

import json
import warnings

import numcodecs
import numpy as np

warnings.simplefilter("ignore")

NAMES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}


def hexed(array):
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes().hex()


def v3_name(dtype):
    return "bool" if dtype.kind == "b" else f"{NAMES[dtype.kind]}{dtype.itemsize * 8}"


def to_bytes(dtype, endian="little"):
    return {"name": "bytes"} if dtype.itemsize == 1 else {"name": "bytes", "configuration": {"endian": endian}}


def row(codec, elements, same, big=False):
    """One vector.  The element's own byte order is the one in which numcodecs sees it."""
    config = codec.get_config()
    name = "numcodecs." + config.pop("id")
    config.pop("typesize", None)
    encoded = codec.encode(elements)
    is_array = isinstance(encoded, np.ndarray) and name.split(".")[1] in ARRAY_CODECS
    stored = np.asarray(encoded).tobytes() if is_array else bytes(encoded)
    decoded = codec.decode(np.asarray(encoded) if is_array else stored)
    decoded = np.frombuffer(np.asarray(decoded).tobytes(), elements.dtype)
    item = {"name": name, "configuration": config}
    if name == "numcodecs.packbits":
        chain = [item, {"name": "bytes"}]
    elif is_array:
        chain = [item, to_bytes(np.asarray(encoded).dtype, "big" if big else "little")]
    else:
        chain = [to_bytes(elements.dtype), item]
    again = None if hexed(decoded) == hexed(elements) else hexed(decoded)
    return name, json.dumps(chain), v3_name(elements.dtype), elements.size, hexed(elements), stored.hex(), again, same


ARRAY_CODECS = {"delta", "fixedscaleoffset", "quantize", "bitround", "astype", "packbits"}

TEXT = np.frombuffer(b"hello, zinc; hello, zarr; hello, hello, hello", "u1")
RAMP = np.arange(0, 600, 7, dtype="<i4")
WAVE = (np.sin(np.arange(40)) * 100).astype("<f4")
ODD = np.frombuffer(bytes(range(1, 38)), "u1")
ONES = np.full(33, 255, "u1")


def compressors():
    for level in (0, 1, 6, 9, -1):
        yield row(numcodecs.Zlib(level), RAMP, False)
    for level in (1, 9):
        yield row(numcodecs.BZ2(level), RAMP, False)
    for level in (1, 9):
        yield row(numcodecs.GZip(level), TEXT, False)
    for config in (
        {},
        {"preset": 0},
        {"preset": 9 | 1 << 31},
        {"check": 0},
        {"check": 1},
        {"check": 4, "preset": 1},
        {"check": 10, "preset": 9},
        {"format": 2, "preset": 1},
        {"format": 2, "preset": 9},
        {"format": 3, "filters": [{"id": 33, "preset": 1}]},
        {"format": 3, "filters": [{"id": 3, "dist": 4}, {"id": 33, "dict_size": 65536, "lc": 2, "lp": 1, "pb": 1}]},
        {"format": 3, "filters": [{"id": 4, "start_offset": 16}, {"id": 33}]},
        {"format": 3, "filters": [{"id": 0x4000000000000001, "mode": 1, "nice_len": 16, "mf": 3, "depth": 4}]},
    ):
        yield row(numcodecs.LZMA(**config), RAMP, False)
    for acceleration in (1, 10):
        yield row(numcodecs.LZ4(acceleration), TEXT, False)
        yield row(numcodecs.LZ4(acceleration), RAMP, False)
    for config in ({}, {"cname": "zstd", "clevel": 9, "shuffle": 2}, {"cname": "zlib", "shuffle": -1}, {"shuffle": 0}, {"clevel": 0}):
        yield row(numcodecs.Blosc(**config), RAMP, False)
    for config in ({}, {"level": 22, "checksum": True}, {"level": -5}):
        yield row(numcodecs.Zstd(**config), TEXT, False)


def bytes_to_bytes():
    for size in (1, 2, 3, 4, 8, 12):
        yield row(numcodecs.Shuffle(size), np.arange(48, dtype="u1"), True)
    for codec in (
        numcodecs.CRC32(),
        numcodecs.CRC32("end"),
        numcodecs.Adler32(),
        numcodecs.Adler32("end"),
        numcodecs.CRC32C(),
        numcodecs.CRC32C("start"),
        numcodecs.JenkinsLookup3(),
        numcodecs.JenkinsLookup3(initval=0xFFFFFFFE),
        numcodecs.Fletcher32(),
    ):
        for data in (TEXT, ODD, ODD[:1], ODD[:12], ODD[:13], ODD[:24], ONES, ONES[:32], np.zeros(7, "u1")):
            yield row(codec, data, True)


def deltas():
    ints = np.array([5, 3, 100, 7, 7, 50, 0, 127], "i8")
    for decoded, encoded in (("i1", None), ("u1", "i2"), ("<i2", "i1"), ("<i4", "<i2"), ("<u4", "<i2"), ("<i8", "<i4"), ("<u8", None)):
        yield row(numcodecs.Delta(decoded, encoded), ints.astype(decoded), True)
    yield row(numcodecs.Delta("<i2"), np.array([-32768, 32767, 0, -1, 1], "<i2"), True)
    yield row(numcodecs.Delta("<u8"), np.array([0, 2**64 - 1, 2**63, 1], "<u8"), True)
    yield row(numcodecs.Delta(">i4", ">i2"), ints.astype(">i4"), True, big=True)
    reals = np.array([-0.0, 0.1, 1e3, -2.7, 3.333, 0.0, 1e-3, 12.5], "f8")
    for decoded, encoded in (("<f2", None), ("<f4", None), ("<f8", None), ("<f4", "<f8"), ("<f8", "<f4"), ("<f4", "<f2"), ("<f2", "<f4")):
        yield row(numcodecs.Delta(decoded, encoded), reals.astype(decoded), True)
    for decoded, encoded in (("<f8", "<i4"), ("<f4", "i1"), ("<f2", "u1"), ("<i4", "<f4"), ("i1", "<f2")):
        yield row(numcodecs.Delta(decoded, encoded), np.array([5, 7, 12, 60, 100], decoded), True)
    yield row(numcodecs.Delta("<c8"), np.array([1 + 2j, 1.5 - 2j, -3 + 0.1j], "<c8"), True)
    yield row(numcodecs.Delta("<c16", "<c8"), np.array([1 + 2j, 1.5 - 2j, -3 + 0.1j], "<c16"), True)
    many = np.cumsum(np.arange(300) % 13 - 6)
    yield row(numcodecs.Delta("<i4", "i1"), many.astype("<i4"), True)
    yield row(numcodecs.Delta("<f4"), (many * 0.1).astype("<f4"), True)


def scales():
    reals = np.array([1000, 1000.111, 1000.2249, 1000.335, 1000.45, 1000.55, 1000.999, 1001, 1025.1], "f8")
    for decoded, encoded in (("<f8", "u1"), ("<f8", "<i2"), ("<f4", "<i4"), ("<f4", "<f4"), ("<f8", "<f4"), ("<f4", "<f8")):
        yield row(numcodecs.FixedScaleOffset(1000, 10, decoded, encoded), reals.astype(decoded), True)
    yield row(numcodecs.FixedScaleOffset(999.5, 7.25, "<f4", "<i2"), reals.astype("<f4"), True)
    yield row(numcodecs.FixedScaleOffset(-0.1, 1e-3, "<f8", "<f8"), reals, True)
    yield row(numcodecs.FixedScaleOffset(0, 100, "<f2", "<i2"), np.array([0.125, -3.5, 2.005, 100.0], "<f2"), True)
    yield row(numcodecs.FixedScaleOffset(1.5, 0.3, "<f2", "<f2"), np.array([0.125, -3.5, 2.005, 100.0], "<f2"), True)
    halves = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5], "<f8")
    yield row(numcodecs.FixedScaleOffset(0, 1, "<f8", "i1"), halves, True)
    ints = np.array([1000, 1010, 1020, 1255, 900], "<i4")
    yield row(numcodecs.FixedScaleOffset(1000, 2, "<i4", "<i2"), ints, True)
    yield row(numcodecs.FixedScaleOffset(1000, 0.1, "<i4", "i1"), ints, True)
    yield row(numcodecs.FixedScaleOffset(1000.5, 2, "<i4", "<i2"), ints, True)
    yield row(numcodecs.FixedScaleOffset(2**60, 0.5, "<i8", "<i4"), np.array([2**60, 2**60 + 3, 2**60 - 7], "<i8"), True)


def quantizes():
    reals = np.concatenate([np.linspace(-1, 1, 21), [1e-9, 123.456, -0.0, 1e6, np.inf, -np.inf, np.nan]])
    for digits in (0, 1, 2, 3, 7, -1, -2):
        yield row(numcodecs.Quantize(digits, "<f8"), reals.astype("<f8"), True)
        yield row(numcodecs.Quantize(digits, "<f4"), reals.astype("<f4"), True)
    yield row(numcodecs.Quantize(3, "<f8", "<f4"), reals.astype("<f8"), True)
    yield row(numcodecs.Quantize(1, "<f2"), np.array([0.11, 3.3, -7.77, 100], "<f2"), True)


def bitrounds():
    reals = np.array([1, 1.1, -2.7, 3.14159265, 1e-3, 65504, 0, -0.0, np.inf, -np.inf, 1.9999999], "f8")
    for decoded, bits in (("<f2", 10), ("<f4", 23), ("<f8", 52)):
        for keep in (1, 3, bits - 1, bits):
            yield row(numcodecs.BitRound(keep), reals.astype(decoded), True)
    yield row(numcodecs.BitRound(0), reals[:8].astype("<f4"), True)


def astypes():
    ints = np.array([0, 1, -7, 100, 127], "i8")
    for decoded, encoded in (("<i8", "i1"), ("<i4", "<f4"), ("<f8", "<i2"), ("<f4", "<f2"), ("<f2", "<f8"), ("i1", "<i8")):
        yield row(numcodecs.AsType(encoded, decoded), ints.astype(decoded), True)
    yield row(numcodecs.AsType("<i4", "<f8"), np.array([1.9, -1.9, 0.5, -0.5]), True)
    yield row(numcodecs.AsType("<f4", "<f8"), np.array([0.1, np.nan, np.inf, -0.0]), True)
    yield row(numcodecs.AsType("u1", "?"), np.array([True, False, True]), True)
    yield row(numcodecs.AsType("?", "<i2"), np.array([1, 0, 1], "<i2"), True)
    yield row(numcodecs.AsType("<c8", "<c16"), np.array([1 + 2j, -0.5j]), True)


def packs():
    for n in (1, 2, 4, 7, 8, 9, 16, 17):
        yield row(numcodecs.PackBits(), np.array([i % 3 == 0 for i in range(n)]), True)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main():
    print(f"""/*
 * numcodecs_vectors.h - what numcodecs {numcodecs.__version__} with NumPy {np.__version__} makes of a few elements
 *
 * Written by tests/interop/numcodecs_vectors.py; not to be changed by hand.  Columns: codec, chain, data type, number of
 * elements, elements (little-endian), encoded bytes, what those decode to (NULL: the elements), whether Zinc must encode to
 * the same bytes.
 */
/* clang-format off */""")
    for rows in (compressors, bytes_to_bytes, deltas, scales, quantizes, bitrounds, astypes, packs):
        for name, chain, dtype, n, decoded, encoded, again, same in rows():
            cells = [quoted(name), quoted(chain), quoted(dtype), str(n), quoted(decoded), quoted(encoded)]
            print("{" + ", ".join(cells + [quoted(again) if again else "NULL", "true" if same else "false"]) + "},")


if __name__ == "__main__":
    main()
