#!/usr/bin/env python3
"""small_floats.py - tables of all numbers of the small types, and of their rounding, against exact fractions and ml_dtypes

Run by scripts/interop.sh:

    small_floats.py ZINC DIRECTORY

(1) outward: every bit pattern, read as float32 and printed as JSON, is the fraction that the fields of the pattern give;
(2) inward from float32: every number, every middle of two numbers, and one step of a float32 to both sides of each, is
    stored as the nearest number, ties to the even mantissa, and as ml_dtypes rounds it;
(3) inward from float64: the same with steps of a float64, where rounding by way of float32 would round twice; then random
    numbers of all magnitudes;
(4) beyond the largest number, NaN or infinity where the type has none, 0 or less where it has no zero: refused.

Prints a row per type: patterns, numbers rounded from float32 and from float64, refusals, differences.  Ends with
"N passed, N failed, N skipped".
"""
import io
import json
import os
import random
import shutil
import sys
from fractions import Fraction

import numpy as np
from exchange import DIRECTORY, counts, tell, zinc

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

# name: exponent bits, mantissa bits, bias, largest pattern, infinity, NaN; the last has neither sign nor zero
FORMATS = {
    "float4_e2m1fn": (2, 1, 1, 0x7, None, None),
    "float6_e2m3fn": (2, 3, 1, 0x1F, None, None),
    "float6_e3m2fn": (3, 2, 3, 0x1F, None, None),
    "float8_e3m4": (3, 4, 3, 0x6F, 0x70, 0x78),
    "float8_e4m3": (4, 3, 7, 0x77, 0x78, 0x7C),
    "float8_e4m3b11fnuz": (4, 3, 11, 0x7F, None, 0x80),
    "float8_e4m3fnuz": (4, 3, 8, 0x7F, None, 0x80),
    "float8_e5m2": (5, 2, 15, 0x7B, 0x7C, 0x7E),
    "float8_e5m2fnuz": (5, 2, 16, 0x7F, None, 0x80),
    "float8_e8m0fnu": (8, 0, 127, 0xFE, None, 0xFF),
    "bfloat16": (8, 7, 127, 0x7F7F, 0x7F80, 0x7FC0),
    "float16": (5, 10, 15, 0x7BFF, 0x7C00, 0x7E00),
}


class Format:
    def __init__(self, name):
        self.name = name
        self.e, self.m, self.bias, self.max, self.infinity, self.nan = FORMATS[name]
        self.signed = name != "float8_e8m0fnu"
        self.bits = self.e + self.m + self.signed
        self.sign = 1 << (self.bits - 1) if self.signed else 0
        self.stored = np.dtype("<u2" if self.bits > 8 else "u1")
        self.kind = getattr(ml_dtypes, name, np.dtype("f2") if name == "float16" else None) if ml_dtypes else None

    def magnitude(self, code):
        """The value of a pattern without its sign, also of the one after the largest."""
        field, mantissa = code >> self.m, code & ((1 << self.m) - 1)
        if field == 0 and self.signed:
            return Fraction(mantissa) * Fraction(2) ** (1 - self.bias - self.m)
        return Fraction((1 << self.m) + mantissa) * Fraction(2) ** (field - self.bias - self.m)

    def value(self, code):
        """A Fraction, or "nan", "inf", "-inf"."""
        negative, rest = bool(code & self.sign), code & ~self.sign
        if rest > self.max or (negative and rest == 0 and self.nan == self.sign):
            return ("-inf" if negative else "inf") if rest == self.infinity else "nan"
        return -self.magnitude(rest) if negative else self.magnitude(rest)

    def nearest(self, number):
        """The pattern of a float's value; None: refused."""
        number = float(number)
        negative = np.signbit(number)
        if number != number:
            return self.nan
        if abs(number) == float("inf"):
            return None if self.infinity is None else self.infinity | (self.sign if negative else 0)
        exact = abs(Fraction(number))
        if not self.signed and (negative or exact < self.magnitude(0) * 3 / 4):
            return None
        if not self.signed and exact < self.magnitude(0):
            return 0
        low, high = 0, self.max + 1
        while high - low > 1:  # magnitude(low) <= exact < magnitude(high), unless it is too large
            middle = (low + high) // 2
            low, high = (middle, high) if self.magnitude(middle) <= exact else (low, middle)
        if exact >= self.magnitude(high):
            return None
        twice = 2 * exact - self.magnitude(low) - self.magnitude(high)
        code = low + (twice > 0 or (twice == 0 and (low & 1 or self.m == 0)))  # without a mantissa, halfway goes up
        if code > self.max:
            return None
        return code | self.sign if negative and (code or self.nan != self.sign) else code


def create(name, dtype, n):
    url = os.path.join(DIRECTORY, name)
    shutil.rmtree(url, ignore_errors=True)
    status, _, err = zinc("create", url, "--dtype", dtype, "--shape", str(n), "--chunks", str(max(n // 3, 1)))
    assert status == 0, err
    return url


def put(url, array):
    path = os.path.join(DIRECTORY, "values.npy")
    np.save(path, array)
    return zinc("put", url, "--from", path)


def printed_type(f):
    """The NumPy type whose shortest decimals are printed."""
    return np.float16 if f.name == "float16" else np.float32


def outward(f):
    """(1); the number of patterns and of differences."""
    n = 1 << f.bits
    url, raw = create("outward", f.name, n), os.path.join(DIRECTORY, "patterns.raw")
    np.arange(n, dtype=f.stored).tofile(raw)
    status, _, err = zinc("put", url, "--from", raw)
    tell(status == 0, f"{f.name}: all patterns are written", err)
    floats = np.load(io.BytesIO(zinc("cat", "--as", "npy", url)[1]))
    texts = json.loads(zinc("cat", "--as", "json", url)[1])
    names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    wrong = 0
    for code, (number, text) in enumerate(zip(floats, texts)):
        want = f.value(code)
        if isinstance(want, str):
            wrong += str(number) != want or text != names[want]
        else:
            wrong += Fraction(float(number)) != want or printed_type(f)(text) != printed_type(f)(float(want))
            wrong += bool(np.signbit(number)) != bool(code & f.sign)
    back = np.frombuffer(zinc("cat", "--as", "raw", url)[1], f.stored)
    wrong += int((back != np.arange(n)).sum())
    if f.kind is not None:
        theirs = np.arange(n, dtype=f.stored).view(f.kind).astype("f4")
        wrong += int((~((theirs == floats) | (np.isnan(theirs) & np.isnan(floats)))).sum())
    tell(wrong == 0, f"{f.name}: values of all patterns", f"{wrong} differ")
    return n, wrong


def around(f, dtype):
    """Numbers, middles, and their neighbours of type dtype; both signs."""
    out = []
    codes = range(f.max + 1) if f.bits <= 8 else [*range(300), *range(300, f.max, 61), *range(f.max - 300, f.max + 1)]
    for code in codes:
        low, high = f.magnitude(code), f.magnitude(code + 1)
        for exact in (low, (low + high) / 2):
            at = dtype(float(exact))
            assert dtype is np.float32 or Fraction(float(at)) == exact
            out += [at, np.nextafter(at, dtype(0)), np.nextafter(at, dtype(np.inf))]
    if dtype is np.float64:
        draw = random.Random(1)
        low, high = float(f.magnitude(0 if not f.signed else 1)), float(f.magnitude(f.max))
        span = (np.log2(low) - 2, np.log2(high))
        out += [2.0 ** draw.uniform(*span) for _ in range(5000)]
        if f.m:  # the middle, plus less than a float32 can hold
            out += [float(f.magnitude(c) + f.magnitude(c + 1)) / 2 * (1 + s * 2.0**-40) for c in codes[:-1] for s in (1, -1)]
    both = np.array(out, dtype=dtype)
    return np.concatenate([both, -both])


def inward(f, dtype):
    """(2), (3); the number of values and of differences."""
    given = around(f, dtype)
    codes = [f.nearest(v) for v in given]
    fit = np.array([c is not None for c in codes])
    given, want = given[fit], np.array([c for c in codes if c is not None], f.stored)
    url = create("inward", f.name, len(given))
    status, _, err = put(url, given)
    if status != 0:
        tell(False, f"{f.name}: from {dtype.__name__}", err)
        return len(given), len(given)
    got = np.frombuffer(zinc("cat", "--as", "raw", url)[1], f.stored)
    wrong = int((got != want).sum())
    if f.kind is not None and dtype is np.float32:
        theirs = given.astype(f.kind).view(f.stored)
        off = theirs != got
        if not f.signed:  # ml_dtypes 0.6 rounds subnormal numbers of float32 up to 2^-126
            off &= np.abs(given) >= 2.0**-126
        tell(not off.any(), f"{f.name}: as ml_dtypes", f"{off.sum()} differ: {given[off][:5]} to {theirs[off][:5]}")
    bad = np.nonzero(got != want)[0][:5]
    tell(wrong == 0, f"{f.name}: from {dtype.__name__}", f"{wrong} differ, {given[bad]}: {got[bad]} not {want[bad]}")
    return len(given), wrong


def refused(f):
    """(4); the number of values."""
    half = float(f.magnitude(f.max) + f.magnitude(f.max + 1)) / 2
    given = [half, -half, 1e300, -1e300, float("nan"), float("inf"), -float("inf"), 0.0, -0.0, -1.0, 1e-300]
    given = [v for v in given if f.nearest(v) is None]
    url = create("refused", f.name, 1)
    for v in given:
        status, _, err = put(url, np.array([v]))
        tell(status != 0 and "does not fit" in err, f"{f.name}: {v} is refused", f"status {status} {err}")
    return len(given)


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    if ml_dtypes is None:
        print("small_floats: no ml_dtypes: compared with fractions only")
        counts["skipped"] += 1
    print(f"{'type':20} {'patterns':>8} {'float32':>8} {'float64':>8} {'refused':>8} {'different':>9}")
    for name in FORMATS:
        f = Format(name)
        patterns, wrong = outward(f)
        single, wrong_single = inward(f, np.float32)
        double, wrong_double = inward(f, np.float64)
        different = wrong + wrong_single + wrong_double
        print(f"{name:20} {patterns:8} {single:8} {double:8} {refused(f):8} {different:9}", flush=True)
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return counts["failed"] != 0


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(main())
