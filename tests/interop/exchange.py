"""exchange.py - shared code of the exchanges with zarr-python: the command, its results, test data

The program that imports it was called as PROGRAM ZINC DIRECTORY ...
"""
import io
import os
import subprocess
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
ZINC, DIRECTORY = sys.argv[1], sys.argv[2]
counts = {"passed": 0, "failed": 0, "skipped": 0}


def zinc(*args):
    done = subprocess.run([ZINC, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def some(cases):
    """The cases; in the short form (INTEROP_QUICK) every fifth."""
    cases = list(cases)
    return cases[::5] if os.environ.get("INTEROP_QUICK") else cases


def tell(ok, what, why=""):
    counts["passed" if ok else "failed"] += 1
    if not ok:
        print(f"FAILED {what}: {why}")


def values(dtype, n):
    """n elements of a type, including extremes."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.arange(n) % 3 == 0
    if dtype.kind in "iu":
        out = (np.arange(n) * 7 % 120).astype(dtype)
        out[0], out[-1] = np.iinfo(dtype).min, np.iinfo(dtype).max
        return out
    if dtype.kind == "f":
        out = (np.arange(n) * 0.25 - 3).astype(dtype)
        out[0], out[1], out[-1] = np.nan, np.inf, -0.0
        return out
    if dtype.kind == "c":
        return (np.arange(n) * (0.5 - 2j)).astype(dtype)
    if dtype.kind in "mM":
        return (np.arange(n) * 1000 - 5).astype("i8").view(dtype.newbyteorder("=")).astype(dtype)
    if dtype.kind == "S":
        return np.array([("s%d" % i).encode()[: dtype.itemsize] for i in range(n)], dtype=dtype)
    if dtype.kind == "U":
        return np.array(["\u00e9%d" % i for i in range(n)], dtype=dtype)
    out = np.zeros(n, dtype=dtype)
    out.view("u1")[:] = np.arange(out.nbytes) % 100
    return out


def cat(url):
    """The array at url as Zinc reads it, or None; why not; and the exit status."""
    status, out, err = zinc("cat", "--as", "npy", url)
    return np.load(io.BytesIO(out), allow_pickle=False) if status == 0 else None, err, status


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    b = b.astype(b.dtype.newbyteorder("<")) if b.dtype.kind not in "SV" else b
    if a.dtype.itemsize != b.dtype.itemsize:
        return bool((a == b).all())
    return np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()


def check_read(url, expected, what, may_lack=False):
    """Zinc reads the expected elements, and validates the array; `may_lack`: unless this build does not have its
    type."""
    got, why, status = cat(url)
    if status == 4 and may_lack:
        counts["skipped"] += 1
        return
    tell(got is not None and same(got, expected), what, why or f"{got!r} is not {expected!r}")
    status, out, err = zinc("validate", url)
    tell(status == 0, what + " validates", out.decode() + err)
