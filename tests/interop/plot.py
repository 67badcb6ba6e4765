#!/usr/bin/env python3
"""plot.py ZINC DIRECTORY [ROUNDS [SEED]] - compare `zinc plot` with NumPy's own reduction, pixel by pixel

Random shapes, chunks, types, missing values, selections and sizes.  The reduced numbers of --json must be those of NumPy, and
the pixels of --png must be the colours of these numbers.  With matplotlib the colour maps are compared, too.
"""
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import zlib

import numpy as np

ZINC, WORK = os.path.abspath(sys.argv[1]), sys.argv[2]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 64
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16", "?", "M8[s]"]
MAPS = ["viridis", "magma", "inferno", "cividis", "grey", "balance"]
rng = np.random.default_rng(SEED)


def zinc(*words):
    done = subprocess.run([ZINC, *words], capture_output=True)
    assert done.returncode == 0, (words, done.returncode, done.stderr.decode())
    return done.stdout


def decode_png(path):
    """Rows of palette indices, and the palette; every checksum is verified."""
    with open(path, "rb") as f:
        data, at, parts = f.read(), 8, {}
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + n]
        assert struct.unpack(">I", data[at + 8 + n : at + 12 + n])[0] == zlib.crc32(kind + body), kind
        parts[kind] = body
        at += 12 + n
    assert at == len(data) and list(parts) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    width, height, *rest = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert rest == [8, 3, 0, 0, 0]
    lines = np.frombuffer(zlib.decompress(parts[b"IDAT"]), "u1").reshape(height, width + 1)
    assert not lines[:, 0].any()
    return lines[:, 1:], np.frombuffer(parts[b"PLTE"], "u1").reshape(256, 3)


def random_array(shape):
    kind = TYPES[rng.integers(len(TYPES))]
    if kind == "M8[s]":
        a = rng.integers(-(10**9), 2 * 10**9, shape).astype("M8[s]")
        a[rng.random(shape) < 0.1] = "NaT"
    elif kind == "?":
        a = rng.random(shape) < 0.3
    elif kind[0] in "ui":
        info = np.iinfo(kind)
        a = rng.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
    else:
        a = rng.normal(3, 100, shape)
        if kind[0] == "c":
            a = a + 1j * rng.normal(0, 10, shape)
        a = (a * 10.0 ** (rng.integers(-200, 200) if kind in ("f8", "c16") else 0)).astype(kind)
        for bad in (np.nan, np.inf, -np.inf):
            a[rng.random(shape) < rng.choice([0, 0.02, 0.6])] = bad
    return a


def numbers(a):
    """As doubles; missing is NaN."""
    if a.dtype.kind == "M":
        v = a.astype("i8").astype("f8")
        v[np.isnat(a)] = np.nan
    elif a.dtype.kind == "c":
        v = np.hypot(a.real.astype("f8"), a.imag.astype("f8"))
    else:
        v = a.astype("f8")
    return np.where(np.isfinite(v), v, np.nan)


def bands(n, cells):
    cells = min(n, cells)
    return [(i * n // cells, (i + 1) * n // cells) for i in range(cells)]


def mean(v):
    v = v[np.isfinite(v)]
    return math.fsum(v) / v.size if v.size else math.nan


def number(a, v):
    """A value of --json."""
    if v is None:
        return math.nan
    return float(np.datetime64(v, "s").astype("i8")) if a.dtype.kind == "M" else float(v)


def near(a, got, want, scale):
    slack = 1.0 if a.dtype.kind == "M" else 1e-12 * scale  # times are printed in whole seconds
    assert np.array_equal(np.isnan(got), np.isnan(want))
    assert np.all(np.abs(got - want)[~np.isnan(got)] <= slack), np.nanmax(abs(got - want))


def check_heat(a, options, width, height, cmap):
    v = numbers(a)
    shown = json.loads(zinc("plot", "x.zarr", "--json", "--png", "x.png", "--overwrite", "--cmap", cmap, *options))
    want = np.array([[mean(v[r0:r1, c0:c1]) for c0, c1 in bands(v.shape[1], width)] for r0, r1 in bands(v.shape[0], height)])
    got = np.array([[number(a, x) for x in row] for row in shown["values"]])
    assert shown["shape"] == list(want.shape) and shown["kind"] == "heat" and not shown["sampled"]
    near(a, got, want, np.nanmax(np.abs(v), initial=0))
    assert shown["missing"] == np.isnan(v).sum() and shown["numbers"] == np.isfinite(v).sum()
    pixels, palette = decode_png("x.png")
    assert pixels.shape == (height, width)
    cells = got[np.arange(height) * want.shape[0] // height][:, np.arange(width) * want.shape[1] // width]
    check_pixels(a, shown, cells, pixels, cmap, options)
    return palette


def check_pixels(a, shown, cells, pixels, cmap, options):
    assert np.array_equal(pixels == 255, np.isnan(cells))
    finite = ~np.isnan(cells)
    if not finite.any():
        assert shown["range"] is None
        return
    lo, hi = (number(a, x) for x in shown["range"])
    values = np.array([[number(a, x) for x in row] for row in shown["values"]])
    values = values[np.isfinite(values)]
    if "--range" not in options:
        want = np.percentile(values, [2, 98])
        if cmap == "balance" and want[0] < 0 < want[1]:
            want = np.array([-1, 1]) * abs(want).max()
        assert np.allclose([lo, hi], want, rtol=1e-9, atol=1.0 if a.dtype.kind == "M" else 1e-9 * abs(values).max())
    share = np.clip((cells[finite] - lo) / (hi - lo), 0, 1) if hi > lo else np.full(finite.sum(), 0.5)
    levels = np.minimum(np.floor(share * 255), 254)
    # a time was rounded to a second when it was printed: its level may be the neighbour
    assert np.abs(levels - pixels[finite]).max() <= (1 if a.dtype.kind == "M" else 0)


def check_line(a, options, width):
    v = numbers(a)
    shown = json.loads(zinc("plot", "x.zarr", "--json", *options))
    cut = [v[b:e][np.isfinite(v[b:e])] for b, e in bands(v.size, width)]
    near(a, np.array([number(a, x) for x in shown["values"]]), np.array([mean(c) for c in cut]), np.nanmax(np.abs(v), initial=0))
    for name, pick in (("min", np.min), ("max", np.max)):
        want = np.array([pick(c) if c.size else np.nan for c in cut])
        assert np.array_equal([number(a, x) for x in shown[name]], want, equal_nan=True), name
    decode_png("x.png") if os.path.exists("x.png") else None


def check_hist(a):
    v = numbers(a)
    shown = json.loads(zinc("plot", "x.zarr", "--json", "--kind", "hist"))
    v = v[np.isfinite(v)]
    if v.size and a.dtype.kind != "M":
        want, _ = np.histogram(v, [number(a, x) for x in shown["edges"]])
        assert list(want) == shown["values"]
    assert sum(shown["values"]) == v.size == shown["numbers"] and shown["outside"] == 0


def one_round(i):
    ndim = 1 if i % 4 == 3 else 2
    shape = tuple(int(rng.integers(1, 90)) for _ in range(ndim))
    chunks = ",".join(str(rng.integers(1, n + 5)) for n in shape)
    a = random_array(shape)
    np.save("x.npy", a)
    shutil.rmtree("x.zarr", ignore_errors=True)
    descr = np.lib.format.dtype_to_descr(a.dtype)
    zinc("create", "x.zarr", "--shape", ",".join(map(str, shape)), "--dtype", descr, "--chunks", chunks)
    zinc("put", "x.zarr", "--from", "x.npy")
    options = ["--max-memory", "1M"] if i % 5 == 0 else []
    if rng.random() < 0.4:  # a part of it
        step = int(rng.integers(1, 4))
        begin = int(rng.integers(0, shape[0]))
        a = a[begin::step]
        options += ["-s", f"{begin}::{step}"]
    if i % 7 == 0:
        options += ["--range", "-20.5,77"] if a.dtype.kind != "M" else ["--range", "full"]
    check_hist(a) if "-s" not in options else None
    width, height = int(rng.integers(1, 150)), int(rng.integers(1, 150))
    if ndim == 1:
        check_line(a, options + ["--width", str(width)], width)
    else:
        check_heat(a, options + ["--width", str(width), "--height", str(height)], width, height, MAPS[i % len(MAPS)])


def check_maps():
    try:
        from matplotlib import colormaps
    except ImportError:
        return
    a = np.arange(512, dtype="f8").reshape(2, 256)
    np.save("x.npy", a)
    shutil.rmtree("x.zarr", ignore_errors=True)
    zinc("create", "x.zarr", "--shape", "2,256", "--dtype", "f8")
    zinc("put", "x.zarr", "--from", "x.npy")
    for name in ("viridis", "magma", "inferno", "cividis"):
        palette = check_heat(a, ["--width", "16", "--height", "2"], 16, 2, name)[:255].astype("f8")
        want = colormaps[name](np.arange(255) / 254)[:, :3] * 255
        assert np.abs(palette - want).max() < 9 and np.abs(palette - want).mean() < 1, name


os.makedirs(WORK, exist_ok=True)
os.chdir(WORK)
for i in range(ROUNDS):
    state = rng.bit_generator.state
    try:
        one_round(i)
    except Exception:
        print(f"plot.py: round {i} of seed {SEED} failed", file=sys.stderr)
        raise
check_maps()
print(f"plot.py: {ROUNDS} rounds")
