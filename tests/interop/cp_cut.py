"""cp_cut.py ZINC DIR [--quick] - `zinc cp -s` of a group gives what xarray's isel and sel give

Random data sets with coordinates that rise or fall, bounds, two-dimensional coordinates and arrays without the cut
dimensions, in versions 2 and 3, cut by indices and by values.  The copy, opened by xarray, must have the same variables,
dimensions, types and elements as the data set that xarray cut.
"""
import os
import random
import shutil
import subprocess
import sys
import warnings

import numpy as np
import xarray as xr

warnings.simplefilter("ignore")


def data_set(rng):
    nt, ny, nx = (int(n) for n in rng.integers(3, 40, 3))
    lat = np.linspace(-80, 80, ny)
    start = np.datetime64("2019-12-30T00", "ns")
    arrays = {
        "t2m": (("time", "lat", "lon"), rng.random((nt, ny, nx)).astype("f4")),
        "u": (("lat", "time"), rng.integers(-99, 99, (ny, nt)).astype("i2")),
        "time_bnds": (("time", "nv"), rng.random((nt, 2))),
        "mask": (("lat", "lon"), rng.integers(0, 2, (ny, nx)).astype("i1")),
        "other": (("z",), rng.random(5)),
        "scalar": ((), np.int64(3)),
    }
    coordinates = {
        "time": start + np.arange(nt) * np.timedelta64(6, "h"),
        "lat": lat[::-1] if rng.random() < 0.5 else lat,
        "lon": np.arange(nx) * 2.5,
        "area": (("lat", "lon"), rng.random((ny, nx))),
    }
    return xr.Dataset(arrays, coords=coordinates)


def by_index(rng, length):
    """The text of an index, and what isel takes"""
    i, k = sorted(int(v) for v in rng.integers(0, length + 1, 2))
    step = int(rng.integers(1, 4))
    return random.Random(int(rng.integers(1 << 30))).choice(
        [
            (str(min(i, length - 1)), min(i, length - 1)),
            ("-1", -1),
            (f"{i}:{k}", slice(i, k)),
            (f"{i}:{k}:{step}", slice(i, k, step)),
            (f"[{min(i, length - 1)},0]", [min(i, length - 1), 0]),
            (f"-{k}:" if k else ":", slice(-k, None) if k else slice(None)),
        ]
    )


def by_value(rng, ds, name):
    """The text of a value or a range, and the data set cut by it"""
    c = ds[name].values
    a, b = (c[int(i)] for i in rng.integers(0, len(c), 2))
    low, high = min(a, b), max(a, b)
    if name == "time":
        spell = lambda t: str(t)[:19]
        if rng.random() < 0.4:
            day = str(a)[:10]
            return f"@{day}", lambda d: d.sel(time=day)
        return f"@{spell(low)}..{spell(high)}", lambda d: d.sel(time=slice(spell(low), spell(high)))
    kind = int(rng.integers(3))
    if kind == 0:
        return f"@{a!r}".replace("np.float64(", "").replace(")", ""), lambda d: d.sel({name: a})
    if kind == 1:
        v = float(a) + 0.3
        return f"@~{v!r}", lambda d: d.sel({name: v}, method="nearest")
    return f"@{float(low)!r}..{float(high)!r}", lambda d: d.sel({name: slice(low, high) if c[0] <= c[-1] else slice(high, low)})


def cut(rng, ds):
    """A selection as text, and the data set that xarray cuts"""
    items, out = [], ds
    names = [n for n in ("time", "lat", "lon") if rng.random() < 0.6] or ["time"]
    for name in names:
        if rng.random() < 0.5:
            text, index = by_index(rng, ds.sizes[name])
            items.append(f"{name}={text}")
            out = out.isel({name: index})
        else:
            text, function = by_value(rng, ds, name)
            items.append(name + text)
            out = function(out)
    return ", ".join(items), out


def differences(want, got):
    want, got = want.reset_coords(), got.reset_coords()
    if set(want.variables) != set(got.variables):
        yield f"variables {sorted(map(str, got.variables))}"
        return
    for name in want.variables:
        a, b = want.variables[name], got.variables[name]
        if a.dims != b.dims or a.shape != b.shape or a.dtype != b.dtype:
            yield f"{name}: {b.dtype}{b.dims}{b.shape}, not {a.dtype}{a.dims}{a.shape}"
        elif not np.array_equal(a.values, b.values):
            yield f"{name}: elements differ"


def main():
    zinc, place = sys.argv[1], sys.argv[2]
    count = 16 if "--quick" in sys.argv else 80
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    failed = 0
    for i in range(count):
        rng = np.random.default_rng(i)
        ds, version = data_set(rng), 2 + i % 2
        source, target = f"{place}/{i}.zarr", f"{place}/{i}-cut.zarr"
        ds.to_zarr(source, zarr_format=version, encoding={"t2m": {"chunks": (7, 5, 6)}})
        stored = xr.open_zarr(source).load()
        text, want = cut(rng, stored)
        options = [[], ["--format", "v3"], ["--format", "v2"], ["--chunks", "t2m=auto", "--verify"]][i % 4]
        done = subprocess.run([zinc, "cp", source, target, "-s", text, *options], capture_output=True, text=True)
        wrong = [done.stderr.strip()] if done.returncode else list(differences(want, xr.open_zarr(target, consolidated=False).load()))
        if wrong:
            failed += 1
            print(f"cp_cut: {i}: -s {text!r} {' '.join(options)}: {'; '.join(wrong)}")
    print(f"cp_cut: {count - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
