#!/usr/bin/env python3
"""extension_types.py - exchange arrays of the extension data types with zarr-python 3, both ways

Run by scripts/interop.sh:

    extension_types.py ZINC DIRECTORY

(1) Zinc reads and validates the arrays of zarr-python (types x byte order x shards x fill value);
(2) zarr-python reads the arrays of Zinc, in its own type, fill value included.

The types: numpy.datetime64, numpy.timedelta64, fixed_length_utf32, null_terminated_bytes, raw_bytes, struct, string and
bytes of variable length; structured, the old name of struct, is read.  Prints one line per direction and ends with
"N passed, N failed, N skipped".
"""
import base64
import io
import itertools
import json
import os
import shutil
import sys

import numpy as np
import zarr
from exchange import DIRECTORY, counts, tell, zinc
from zarr.core.dtype import VariableLengthBytes

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "10us", "7D"]
RECORD = [("name", "<U4"), ("age", "<i4"), ("weight", "<f4")]
NESTED = [("when", "<M8[s]"), ("at", [("y", "<f8"), ("x", "<f8")]), ("tag", "|S3")]
FIXED = [f"<{k}8[{u}]" for k in "Mm" for u in UNITS] + ["<U1", "<U5", "|S1", "|S7", "|V1", "|V6", RECORD, NESTED]


def values(dtype, n=11):
    """n elements of a type, including extremes."""
    dtype = np.dtype(dtype)
    if dtype.kind in "mM":
        numbers = np.arange(n, dtype="i8") * 1001 - 5
        numbers[:3] = [-2**63, 2**63 - 1, -2**63 + 1]  # NaT, the last and the first
        return numbers.view(dtype)
    if dtype.kind == "S":
        return np.array([b"", *(b"s%d\xff" % i for i in range(n - 1))], dtype=dtype)
    if dtype.kind == "U":
        return np.array(["", "\U0001f600", *("\u00e9%d" % i for i in range(n - 2))], dtype=dtype)
    if dtype.names:
        out = np.zeros(n, dtype=dtype)
        for name in dtype.names:
            out[name] = values(dtype[name], n) if dtype[name].kind not in "if" else np.arange(n)
        return out
    out = np.zeros(n, dtype=dtype)
    out.view("u1")[:] = np.arange(out.nbytes) % 251
    return out


TEXTS = np.array(["a", "", "\u00e9t\u00e9", "\U0001f600", "z" * 300, "b", "c"], dtype=object)
BLOBS = np.array([b"a", b"", b"\0b", b"\xff\xfe", b"z" * 300, b"b", b"c\0"], dtype=object)


def cat(url, how="npy"):
    """The array at url as Zinc reads it, and its messages."""
    status, out, err = zinc("cat", "--as", how, url)
    if status != 0:
        return None, err
    return (np.load(io.BytesIO(out), allow_pickle=False) if how == "npy" else json.loads(out)), err


def validates(url, what):
    status, out, err = zinc("validate", url)
    tell(status == 0, what + " validates", out.decode() + err)


def show(array):
    """NumPy cannot print every instant that it can represent."""
    return "nothing" if array is None else f"{array.dtype} {array.tobytes().hex()}"


# ---- (1) zarr-python writes ----

def store(name):
    return os.path.join(DIRECTORY, "theirs.zarr", name)


def they_write():
    n = 0
    for dtype, big, shards in itertools.product(FIXED, (False, True), (None, (8,))):
        n += 1
        what = f"{dtype}{' big' if big else ''}{' sharded' if shards else ''}"
        data = values(dtype)
        serializer = zarr.codecs.BytesCodec(endian="big" if big else "little") if data.dtype.kind not in "SV" or data.dtype.names \
            else "auto"
        z = zarr.create_array(store(f"t{n}"), shape=data.shape, chunks=(4,), shards=shards, dtype=dtype, serializer=serializer)
        z[:9] = data[:9]  # the rest is fill value
        expected = zarr.open_array(store(f"t{n}"), mode="r")[...]
        got, why = cat(store(f"t{n}"))
        tell(got is not None and got.dtype == np.dtype(dtype) and got.tobytes() == expected.astype(dtype).tobytes(), what,
             why or f"{show(got)} is not {show(expected)}")
        validates(store(f"t{n}"), what)
    for dtype, fill in [("<M8[s]", np.datetime64(77, "s")), ("<m8[ns]", np.timedelta64(-5, "ns")), ("<U3", "\u00e9"), ("|S3", b"ab"),
                        ("|V2", b"\x01\x02"), (RECORD, np.array([("x", 3, 0.5)], dtype=RECORD)[0])]:
        n += 1
        z = zarr.create_array(store(f"t{n}"), shape=(3,), chunks=(2,), dtype=dtype, fill_value=np.array(fill, dtype=dtype)[()])
        got, why = cat(store(f"t{n}"))
        tell(got is not None and got.tobytes() == z[...].astype(dtype).tobytes(), f"fill {dtype} {fill}", why or repr(got))
    they_write_texts()
    they_write_structured()


def they_write_texts():
    for name, dtype, data, shown in [("string", "str", TEXTS, list(TEXTS)),
                                     ("bytes", VariableLengthBytes(), BLOBS, [base64.b64encode(x).decode() for x in BLOBS])]:
        for shards in (None, (4,)):
            url = store(f"{name}{'-sharded' if shards else ''}")
            z = zarr.create_array(url, shape=data.shape, chunks=(2,), shards=shards, dtype=dtype)
            z[...] = data
            got, why = cat(url, "json")
            tell(got == shown, f"{url}", why or repr(got))
            validates(url, url)


def they_write_structured():
    """zarr-python before 2026 used this name, with pairs for fields and a fill value of base64."""
    url = store("structured")
    data = np.array([(1, 2.5), (3, -0.5)], dtype=[("x", "<i4"), ("y", "<f8")])
    z = zarr.create_array(url, shape=(2,), chunks=(2,), dtype=data.dtype, compressors=None)
    z[...] = data
    with open(os.path.join(url, "zarr.json")) as f:
        document = json.load(f)
    document["data_type"] = {"name": "structured", "configuration": {"fields": [["x", "int32"], ["y", "float64"]]}}
    document["fill_value"] = "AAAAAAAAAAAAAAAA"
    with open(os.path.join(url, "zarr.json"), "w") as f:
        json.dump(document, f)
    got, why = cat(url)
    tell(got is not None and got.tobytes() == data.tobytes(), "structured", why or repr(got))


# ---- (2) Zinc writes ----

def word(dtype):
    """In the form for create"""
    return dtype if isinstance(dtype, str) else json.dumps(np_list(dtype))


def np_list(fields):
    return [[n, t if isinstance(t, str) else np_list(t)] for n, t in fields]


def ours(name):
    return os.path.join(DIRECTORY, "ours.zarr", name)


def put(url, data):
    path = os.path.join(DIRECTORY, "data.npy")
    with open(path, "wb") as f:
        np.save(f, data)
    return zinc("put", url, "--from", path)


def we_write():
    n = 0
    for dtype, big, shards in itertools.product(FIXED, (False, True), ([], ["--shards", "8"])):
        n += 1
        what = f"our {dtype}{' big' if big else ''}{' sharded' if shards else ''}"
        name = word(dtype)
        name = name.replace("<", ">") if big else name
        data = values(dtype)
        status, _, err = zinc("create", ours(f"t{n}"), "--shape", "11", "--chunks", "4", "--dtype", name, *shards)
        if status == 0:
            status, _, err = put(ours(f"t{n}"), data)
        if status != 0:
            tell(False, what, err)
            continue
        got = zarr.open_array(ours(f"t{n}"), mode="r")[...]
        tell(got.dtype.newbyteorder("<") == np.dtype(dtype) and got.astype(dtype).tobytes() == data.tobytes(), what, show(got))
    for dtype, fill, expected in [("M8[s]", '"NaT"', np.datetime64("NaT")), ("M8[s]", "77", np.datetime64(77, "s")),
                                  ("m8[ns]", "-5", np.timedelta64(-5, "ns")), ("U3", '"\u00e9"', "\u00e9"), ("S3", '"YWI="', b"ab"),
                                  ("string", '"\u00e9"', "\u00e9")]:
        n += 1
        status, _, err = zinc("create", ours(f"t{n}"), "--shape", "3", "--dtype", dtype, "--fill", fill)
        got = zarr.open_array(ours(f"t{n}"), mode="r")[...] if status == 0 else None
        same = status == 0 and (got[0] == expected or (got[0] != got[0] and expected != expected))
        tell(same, f"our fill {dtype} {fill}", err or repr(got))
    for shards in ([], ["--shards", "4"]):
        url = ours(f"string{len(shards)}")
        status, _, err = zinc("create", url, "--shape", "7", "--chunks", "2", "--dtype", "string", *shards)
        if status == 0:
            status, _, err = put(url, TEXTS.astype("U"))
        got = list(zarr.open_array(url, mode="r")[...]) if status == 0 else None
        tell(got == list(TEXTS), "our string", err or repr(got))
    we_write_bytes()


def we_write_bytes():
    """Named "bytes" by the registry; zarr-python may support only its own name."""
    url, data = ours("bytes"), BLOBS[:5]
    status, _, err = zinc("create", url, "--shape", "5", "--chunks", "2", "--dtype", "bytes")
    if status == 0:
        status, _, err = put(url, data.astype("S"))
    if status != 0:
        tell(False, "our bytes", err)
        return
    try:
        got = list(zarr.open_array(url, mode="r")[...])
    except (ValueError, TypeError) as why:
        counts["skipped"] += 1
        print(f"skipped our bytes: zarr-python {zarr.__version__} says {str(why).splitlines()[0][:100]}")
        return
    tell(got == list(data), "our bytes", repr(got))


for directory in ("theirs.zarr", "ours.zarr"):
    shutil.rmtree(os.path.join(DIRECTORY, directory), ignore_errors=True)
for part in (they_write, we_write):
    before = dict(counts)
    part()
    print(f"types zarr-python {zarr.__version__} {part.__name__}: " + ", ".join(f"{counts[k] - before[k]} {k}" for k in counts))
print(", ".join(f"{v} {k}" for k, v in counts.items()))
sys.exit(counts["failed"] != 0)
