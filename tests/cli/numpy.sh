#!/usr/bin/env bash
# numpy.sh - elements that are no numbers, through .npy files and as text: the same as in NumPy itself, where it is
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
for name, shape, form in itertools.product(makers, [(), (5,), (3, 4), (2, 0, 2)], ["v3", "v2"]):
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
# texts of variable length become U of the longest
zinc("create", "n.zarr", "--overwrite", "--shape", "6", "--dtype", "string")
np.save("n.npy", np.array(words))
zinc("put", "n.zarr", "--from", "n.npy")
zinc("cat", "n.zarr", "-o", "m.npy", "--overwrite")
m = np.load("m.npy", allow_pickle=False)
assert m.dtype == np.dtype("<U5") and m.tolist() == words
print(count, "arrays through NumPy")
END
numpy compare.py "$ZINC" || echo "no NumPy: skipped"
finish
