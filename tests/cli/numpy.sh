#!/usr/bin/env bash
# numpy.sh - elements that are not numbers, through .npy files and as text: the same as in NumPy, if it is installed
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"

cat >compare.py <<'END'
import itertools, json, subprocess, sys
import numpy as np

def zinc(*words):
    return subprocess.run([sys.argv[1], *words], check=True, capture_output=True, text=True).stdout

rng = np.random.default_rng(4)
words = ["", "a", "bc", "def", "gh ij", "\u00e9t\u00e9"]
def dates(name, n): return rng.integers(-10**9, 10**9, n).astype("i8").view(name)
makers = {
    "M8[D]": lambda n: rng.integers(-10**5, 10**5, n).astype("M8[D]"),
    "M8[ns]": lambda n: dates("M8[ns]", n),
    "M8[25s]": lambda n: dates("M8[25s]", n),
    "m8[s]": lambda n: dates("m8[s]", n),
    "U5": lambda n: np.array(rng.choice(words, n), dtype="U5"),
    "S5": lambda n: np.array(rng.choice(words[:5], n), dtype="S5"),
    "V3": lambda n: np.frombuffer(rng.bytes(3 * n), "V3").copy(),
}
record = np.dtype([("a", "<i4"), ("b", "<f8"), ("c", "S3"), ("d", "<M8[s]"), ("e", [("x", "u1"), ("y", "<c8")])])
def records(n):
    r = np.zeros(n, record)
    r["a"], r["b"] = rng.integers(-99, 99, n), rng.normal(size=n)
    r["c"] = rng.choice(["", "p", "qrs"], n)
    r["d"] = rng.integers(0, 10**9, n).astype("M8[s]")
    r["e"]["x"] = rng.integers(0, 255, n)
    return r
makers["record"] = records

count = 0
STEP = int(sys.argv[2])
for name, shape, form in list(itertools.product(makers, [(), (5,), (3, 4), (2, 0, 2)], ["v3", "v2"]))[::STEP]:
    a = makers[name](int(np.prod(shape, dtype=int))).reshape(shape)
    descr = str(np.lib.format.dtype_to_descr(a.dtype)) if name == "record" else a.dtype.str
    zinc("create", "n.zarr", "--overwrite", "--format", form, "--shape", ",".join(map(str, shape)), "--dtype", descr)
    for order, endian in itertools.product("CF", "<>"):
        b = np.array(a.astype(a.dtype.newbyteorder(endian)), order=order)
        np.save("n.npy", b)
        zinc("put", "n.zarr", "--from", "n.npy")
        zinc("cat", "n.zarr", "-o", "m.npy", "--overwrite")
        m = np.load("m.npy", allow_pickle=False)
        assert m.dtype == a.dtype and m.shape == a.shape and m.tobytes() == a.tobytes(), (name, shape, form, order, endian)
        count += 1
    zinc("stats", "n.zarr")
    json.loads(zinc("cat", "n.zarr", "--as", "json"))
    if name[0] in "MUS" and a.ndim == 1:
        assert zinc("cat", "n.zarr") == str(a) + "\n", (name, str(a), zinc("cat", "n.zarr"))
    if name[0] == "M" and a.size:
        assert json.loads(zinc("cat", "n.zarr", "--as", "json")) == np.datetime_as_string(a).tolist(), name
    if name[0] == "U":
        assert json.loads(zinc("cat", "n.zarr", "--as", "json")) == a.tolist()
# lines are as wide as NumPy's, which counts characters
for words_, dtype in ((["\u00e9t\u00e9", "\u00fcber", "na\u00efve", "\u4e2d\u6587", "\U0001f600"] * 9, "U5"), (["e\u0301 \u00e4"] * 40, "U8")):
    a = np.array(words_, dtype=dtype)
    zinc("create", "n.zarr", "--overwrite", "--shape", str(a.size), "--dtype", dtype)
    np.save("n.npy", a)
    zinc("put", "n.zarr", "--from", "n.npy")
    assert zinc("cat", "n.zarr") == str(a) + "\n", (str(a), zinc("cat", "n.zarr"))
# years before 1: four digits after the sign, as NumPy reads them
for unit in ("Y", "M", "D", "h", "s", "ms"):
    a = np.array(["-0044-03-15", "0000-02-29", "-1000-01-01", "0044-12-31", "9999-12-31", "10000-01-01"], dtype="M8[D]").astype(f"M8[{unit}]")
    zinc("create", "n.zarr", "--overwrite", "--shape", "6", "--dtype", f"M8[{unit}]")
    np.save("n.npy", a)
    zinc("put", "n.zarr", "--from", "n.npy")
    shown = json.loads(zinc("cat", "n.zarr", "--as", "json"))
    assert (np.array(shown, dtype=f"M8[{unit}]") == a).all() and shown[0].startswith("-0044"), shown
# texts of variable length become U of the longest
zinc("create", "n.zarr", "--overwrite", "--shape", "6", "--dtype", "string")
np.save("n.npy", np.array(words))
zinc("put", "n.zarr", "--from", "n.npy")
zinc("cat", "n.zarr", "-o", "m.npy", "--overwrite")
m = np.load("m.npy", allow_pickle=False)
assert m.dtype == np.dtype("<U5") and m.tolist() == words
print(count, "arrays through NumPy")
END
numpy compare.py "$ZINC" $(sampled && echo 5 || echo 1) || echo "no NumPy: skipped"

# ---- records whose fields are stored in both byte orders ----
cat >mixed.py <<'END'
import json, shutil, subprocess, sys
import numpy as np

def zinc(*words, text=True):
    return subprocess.run([sys.argv[1], *words], check=True, capture_output=True, text=text).stdout

rng = np.random.default_rng(3)
def random(dt, n):
    if dt.fields:
        r = np.zeros(n, dt)
        for f in dt.names: r[f] = random(dt[f], n)
        return r
    if dt.subdtype:
        return random(dt.base, n * int(np.prod(dt.shape))).reshape((n,) + dt.shape)
    if dt.kind in "Mm": return rng.integers(-10**9, 10**9, n).astype("i8").view(dt.newbyteorder("=")).astype(dt)
    if dt.kind == "c": return (rng.normal(size=n) + 1j * rng.normal(size=n)).astype(dt)
    if dt.kind == "S": return rng.choice([b"", b"a", b"bcd"], n).astype(dt)
    if dt.kind == "U": return rng.choice(["", "a", "b\u00e9\U0001f600"], n).astype(dt)
    if dt.kind == "V": return np.frombuffer(rng.bytes(dt.itemsize * n), dt).copy()
    return (rng.normal(size=n) * 50).astype(dt) if dt.kind == "f" else rng.integers(0, 2 if dt.kind == "b" else 100, n).astype(dt)

def descr(dt): # as in Zarr v2
    if not dt.fields: return dt.str
    return [[f, descr(dt[f].base)] + ([list(dt[f].shape)] if dt[f].shape else []) for f in dt.names]

def loads(url, a): # the array's own type in little-endian, and its values
    zinc("cat", url, "-o", "m.npy", "--overwrite")
    m, want = np.load("m.npy", allow_pickle=False), a.astype(a.dtype.newbyteorder("<"))
    assert m.dtype == want.dtype and m.tobytes() == want.tobytes(), (url, a.dtype, m.dtype)
    assert zinc("cat", url, "--as", "raw", text=False) == want.tobytes(), (url, a.dtype)

types = [
    [("a", "<i4"), ("p", [("x", ">f4"), ("y", "<f8")])],
    [("a", ">i4"), ("p", [("x", ">f4"), ("y", "<f8")])],
    [("a", "|u1"), ("p", [("x", ">f4"), ("y", "<f8"), ("z", ">c8")]), ("q", ">i2", (2, 3))],
    [("s", "S3"), ("u", ">U2"), ("v", "V3"), ("m", ">M8[s]"), ("d", "<m8[us]"), ("w", "<U2"), ("n", "<M8[ns]")],
    [("s", ">U1", (2,)), ("r", [("b", "|b1"), ("k", [("i", ">u8"), ("j", "<u8")])], (2,)), ("t", ">f2")],
]
for dt, form in [(np.dtype(t), f) for t in types for f in ("v2", "v3")][::int(sys.argv[2])]:
    a = random(dt, 7)
    np.save("n.npy", a)
    zinc("create", "n.zarr", "--overwrite", "--format", form, "--shape", "7", "--dtype", json.dumps(descr(dt)),
         "--codecs", "none", "--chunks", "7")
    zinc("put", "n.zarr", "--from", "n.npy")
    if form == "v2":
        assert json.load(open("n.zarr/.zarray"))["dtype"] == descr(dt)
        assert open("n.zarr/0", "rb").read() == a.tobytes()
    loads("n.zarr", a)
    assert "swapped" not in zinc("info", "n.zarr", "--json")
    for to in ("v2", "v3"):
        for more in ([], ["--chunks", "3"]):
            shutil.rmtree("c.zarr", ignore_errors=True)
            zinc("cp", "n.zarr", "c.zarr", "--format", to, "--verify", *more)
            loads("c.zarr", a)
            zinc("diff", "n.zarr", "c.zarr")
            doc = open("c.zarr/" + ("zarr.json" if to == "v3" else ".zarray")).read()
            assert "swapped" not in doc
            assert to == "v3" or form == "v3" or json.loads(doc)["dtype"] == descr(dt), doc
    for order in "<>": # and in
        np.save("n.npy", a.astype(dt.newbyteorder(order)))
        zinc("put", "n.zarr", "--from", "n.npy")
        loads("n.zarr", a)
    shutil.rmtree("n.zarr")
END
numpy mixed.py "$ZINC" $(sampled && echo 3 || echo 1) || echo "no NumPy: skipped"

# by hand, without NumPy: 1, 2.0 in big-endian, 3.0
mkdir -p mixed.zarr
printf %s '{"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": [["a", "<i4"], ["p", [["x", ">f4"], ["y", "<f8"]]]],
 "compressor": null, "fill_value": null, "order": "C", "filters": null}' >mixed.zarr/.zarray
bytes 01 00 00 00 40 00 00 00 00 00 00 00 00 00 08 40 >mixed.zarr/0
zinc 0 cat mixed.zarr --as json
prints <<<'[{"a":1,"p":{"x":2.0,"y":3.0}}]'
zinc 0 cat mixed.zarr --as npy
has "[('a', '<i4'), ('p', [('x', '<f4'), ('y', '<f8')])]"
tail -c 16 out | od -An -tx1 | grep -q '01 00 00 00 00 00 00 40 00 00 00 00 00 00 08 40' || bad "bytes of the .npy file"
zinc 0 info mixed.zarr --json
lacks zinc.
zinc 0 cp mixed.zarr plain.zarr --format v3
says 'replaced: /: fields of different byte orders become fields of one'
lacks zinc. plain.zarr/zarr.json
zinc 0 cat plain.zarr --as json
prints <<<'[{"a":1,"p":{"x":2.0,"y":3.0}}]'
finish
