"""cf_decode.py ZINC DIR [--quick] - `zinc cat --cf` prints what xarray decodes

xarray writes data sets of all calendars, units, packed numbers, missing values, bounds and durations, in versions 2 and
3.  Each variable that xarray.open_zarr decodes must have the same type and the same bits in `zinc cat --cf --as npy`;
dates that NumPy does not have are compared as texts.  The mean of `zinc stats --cf` must be xarray's, nearly.
"""
import io
import json
import os
import shutil
import subprocess
import sys
import warnings

import numpy as np
import xarray as xr

warnings.simplefilter("ignore")

CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day"]
COUNTS = np.array([0, 1, 31, 58, 59, 60, 365, 366, 1000, 36525, 73000], "i4")
REAL = np.array([0.0, 0.1, 1 / 3, 1e-7, 59.999999999, 364.99999999999, 12345.678901])


def times(data, units, calendar=None, **more):
    attrs = {"units": units, **more}
    if calendar:
        attrs["calendar"] = calendar
    return ("time", np.asarray(data), attrs)


def of_calendars():
    """(name, variables) of each calendar: integers, floats, across leap days, from old references"""
    for calendar in CALENDARS:
        last = "30" if calendar == "360_day" else "28"
        yield calendar, {
            "days": times(COUNTS, f"days since 2000-02-{last}", calendar),
            "real": times(REAL, "days since 2001-1-1 06:30:00", calendar),
            "single": times(REAL.astype("f4"), "hours since 1999-12-30T23:59:59.5", calendar),
            "back": times(COUNTS[::-1] - 40000, "days since 2000-01-01 12:00", calendar),
            "old": times(COUNTS + 577000, "days since 0001-01-01", calendar),
            "long_ago": times(COUNTS * 10, "days since 0850-1-1 00:00:0.0", calendar),
            "reform": times(np.arange(577730, 577745), "days since 1-1-1", calendar) if calendar != "360_day" else times([1], "days since 1-1-1", calendar),
            "zone": times(COUNTS * 1440, "minutes since 2000-01-01 00:00:00 +05:30", calendar),
            "micro": times(np.arange(9) * 123456789, "microseconds since 1970-01-01", calendar),
        }
    yield "months", {"t": times(COUNTS, "months since 2000-01-15", "360_day")}
    yield "years", {"t": times(COUNTS, "common_years since 2000-01-15", "365_day")}


def of_units():
    words = "days day Days d hours hour hr hrs h minutes min mins seconds sec secs s milliseconds msec ms microseconds microsec"
    yield "words", {w: times(COUNTS * 7, f"{w} since 1980-01-06") for w in words.split()}
    yield "real_words", {w: times(REAL * 1000, f"{w} since 1980-01-06") for w in words.split()}
    yield "nanoseconds", {"t": times(np.arange(5) * 10**15 + 1, "nanoseconds since 1970-01-01 00:00:00.000000001")}
    dates = ["2000-1-1", "2000-01-01 00:00:0.0", "2000-01-01T00:00:00Z", "2000-01-01 12:30:15.25", "2000-01-01 00:00 -6:00",
             "2000-01-01 UTC", "2000-01", "2000", "20000101", "2000/01/31", "2000-01-01 12", "  2000-01-01  1:2:3  ", "1-1-1",
             "1677-09-22", "2262-04-11", "1582-10-15", "1582-10-04", "-0044-03-15", "9999-12-31"]
    yield "dates", {f"d{i}": times(COUNTS[:6], f"days since {d}") for i, d in enumerate(dates)}
    unusual = ["+2000-02-29", "2000-02-29 +05:30", "2000-02-29 -05:30", "2000-02-29 UTC", "2000-02-29Z", "2000-02-29 12:00 utc", "2000-02-29 12:00 UTC"]
    yield "unusual_dates", {f"d{i}": times(REAL, f"seconds since {d}") for i, d in enumerate(unusual)}
    yield "types", {t: times(np.arange(5).astype(t), "hours since 2000-01-01") for t in "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split()}
    yield "far", {"after": times([0, 10**6], "days since 2000-01-01"), "middle": times([0, 10**6, 1], "days since 2000-01-01"),
                  "before": times([0, -10**6], "days since 2000-01-01"), "proleptic": times([-10**6, 5], "days since 2000-01-01", "proleptic_gregorian")}
    nat = np.iinfo("i8").min
    yield "no_time", {"int": times(np.array([1, nat, 3]), "days since 2000-01-01"), "real": times([1, np.nan, 2.5], "days since 2000-01-01"),
                      "fill": times(np.array([1, -1, 3], "i2"), "days since 2000-01-01", _FillValue=np.int16(-1)),
                      "packed": times(np.array([1, -1, 3], "i2"), "days since 2000-01-01", _FillValue=np.int16(-1), scale_factor=0.1),
                      "whole": times(np.array([1, -1, 3], "i2"), "days since 2000-01-01", scale_factor=2)}


def of_bounds():
    for calendar in ["standard", "noleap"]:
        ends = np.stack([COUNTS, COUNTS + 1], 1)
        attrs = {"units": "days since 2000-01-01", "calendar": calendar, "bounds": "time_bnds"}
        yield f"bounds_{calendar}", {"time": ("time", COUNTS, attrs), "time_bnds": (("time", "nv"), ends), "lat_bnds": (("time", "nv"), ends * 0.5)}


def of_durations():
    spans = {"dtype": "timedelta64[ns]", "units": "days"}
    yield "durations", {
        "ns": ("x", np.array([1, -2, 3], "i4"), spans),
        "hours": ("x", np.array([1, 2, 30], "i8"), {"units": "hours", "dtype": "timedelta64[s]"}),
        "fine": ("x", np.array([1, 2, 30], "i8"), {"units": "milliseconds", "dtype": "timedelta64[s]"}),
        "real": ("x", np.array([0.5, np.nan, 1 / 3]), {"units": "days", "dtype": "timedelta64[ms]"}),
        "single": ("x", np.array([0.5, 0.25, 0.125], "f4"), {"units": "seconds", "dtype": "timedelta64[s]"}),
        "fill": ("x", np.array([5, -1, 7], "i2"), {**spans, "_FillValue": np.int16(-1)}),
        "number": ("x", np.array([5, 6, 7], "i2"), {"units": "days"}),
        "written": ("x", np.array([1, 90061, 3], "m8[s]").astype("m8[ns]")),
    }


def of_numbers():
    packed = {"scale_factor": 0.01, "add_offset": 273.15}
    for t in "i1 u1 i2 u2 i4 u4 i8".split():
        data = np.array([0, 1, 2, 3, 100, 127], t)
        fill = data.dtype.type(127)
        yield f"packed_{t}", {
            "both": ("x", data, {**packed, "_FillValue": fill}),
            "bare": ("x", data, packed),
            "scale": ("x", data, {"scale_factor": 0.1}),
            "offset": ("x", data, {"add_offset": -5.5}),
            "fill": ("x", data, {"_FillValue": fill}),
            "missing": ("x", data, {"missing_value": fill}),
            "two": ("x", data, {"_FillValue": fill, "missing_value": data.dtype.type(3)}),
            "list": ("x", data, {"missing_value": [1, 3]}),
            "text": ("x", data, {"missing_value": "none"}),
            "whole": ("x", data, {"scale_factor": 3}),
            "wholes": ("x", data, {"scale_factor": 3, "add_offset": 1}),
            "plain": ("x", data, {"units": "K"}),
            "zero": ("x", data, {"_FillValue": data.dtype.type(0)}),
        }
    for t in ["f2", "f4", "f8"]:
        data = np.array([0.1, 1e4, -9999, np.nan, np.inf, 3], t)
        yield f"floats_{t}", {
            "nan": ("x", data, {"_FillValue": data.dtype.type(np.nan)}),
            "fill": ("x", data, {"_FillValue": data.dtype.type(-9999)}),
            "tenth": ("x", data, {"missing_value": 0.1}),
            "scale": ("x", data, {"scale_factor": 0.1, "_FillValue": data.dtype.type(np.nan)}),
            "both": ("x", data, {**packed, "missing_value": float(data.dtype.type(3))}),
            "bare": ("x", data, {}),
        }
    signed = np.array([1, -1, -128, 127], "i1")
    yield "unsigned", {
        "plain": ("x", signed, {"_Unsigned": "true"}),
        "fill": ("x", signed, {"_Unsigned": "true", "_FillValue": np.int8(-1)}),
        "packed": ("x", signed, {"_Unsigned": "true", "_FillValue": np.int8(-1), "scale_factor": 0.5}),
        "other": ("x", signed.view("u1"), {"_Unsigned": "false"}),
        "short": ("x", np.array([-1, -32768, 5], "i2"), {"_Unsigned": "true", "scale_factor": 2.0, "add_offset": 0.5}),
    }
    yield "truth", {"bool": ("x", np.array([True, False, True])), "byte": ("x", np.array([2, 0, 1], "i1"), {"dtype": "bool"})}
    yield "complex", {"c8": ("x", np.array([1 + 2j, 3j, 5], "c8")), "c16": ("x", np.array([1 + 2j, 3j, 5], "c16"))}
    yield "ranks", {"scalar": ((), np.int16(5), {"scale_factor": 0.5}), "empty": ("e", np.zeros(0, "i2"), {"scale_factor": 0.5}),
                    "cube": (("a", "b", "c"), np.arange(24, dtype="i2").reshape(2, 3, 4), packed)}


def data_sets():
    for group in (of_calendars, of_units, of_bounds, of_durations, of_numbers):
        yield from group()


def data_set(variables):
    """Variables with a dimension of their own: their lengths differ"""
    made = {}
    for name, (dims, data, *rest) in variables.items():
        dims = (dims,) if isinstance(dims, str) else dims
        own = dims if "time_bnds" in variables else tuple(f"{d}_{name}" for d in dims)
        made[name] = (own, data, *rest)
    return xr.Dataset(made)


def as_texts(values):
    return np.array([v.isoformat() for v in values.ravel()], "U32").reshape(values.shape)


def same(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "fc":
        nan = np.isnan(a) & np.isnan(b)
        return bool(((a == b) | nan).all())
    return a.tobytes() == b.tobytes()


class Checks:
    def __init__(self, zinc, directory):
        self.zinc, self.directory = zinc, directory
        self.passed = self.failed = self.skipped = 0

    def say(self, ok, what):
        self.passed += ok
        self.failed += not ok
        if not ok:
            print("FAILED", what)

    def cat(self, url):
        run = subprocess.run([self.zinc, "cat", "--cf", "--as", "npy", url], capture_output=True)
        return np.load(io.BytesIO(run.stdout)) if run.returncode == 0 else run.stderr.decode().strip()

    def mean(self, url, wanted):
        run = subprocess.run([self.zinc, "stats", "--cf", "--json", url], capture_output=True, text=True)
        got = json.loads(run.stdout) if run.returncode == 0 else {"mean": None}
        finite = wanted[np.isfinite(wanted)]
        ok = got["nan"] == np.isnan(wanted).sum() and (finite.size < wanted.size - got["nan"] or finite.size == 0 or
                                                       np.isclose(got["mean"], finite.mean(dtype="f8"), rtol=1e-12, atol=1e-300))
        self.say(ok, f"{url}: mean {got}")

    def variable(self, path, name, quick):
        url = os.path.join(path, name)
        try:
            wanted = xr.open_zarr(path, chunks=None, consolidated=False, drop_variables=self.others(path, name))[name].load().values
        except Exception as e:  # what xarray cannot open has nothing to compare
            print("skipped", url, str(e).splitlines()[0][:80])
            self.skipped += 1
            return
        if wanted.dtype == object:
            wanted = as_texts(wanted)
        got = self.cat(url)
        ok = isinstance(got, np.ndarray) and same(got, wanted)
        self.say(ok, f"{url}: xarray {wanted.dtype} {wanted.ravel()[:8]}, zinc {getattr(got, 'dtype', '')} {got if isinstance(got, str) else got.ravel()[:8]}")
        if ok and not quick and wanted.dtype.kind == "f" and wanted.ndim:
            self.mean(url, wanted)

    @staticmethod
    def others(path, name):
        keep = {name, "time"} if name.endswith("_bnds") else {name}
        return [n for n in os.listdir(path) if not n.startswith((".", "zarr.json")) and n not in keep]

    def data_set(self, name, variables, version, quick):
        path = os.path.join(self.directory, f"{name}_v{version}.zarr")
        shutil.rmtree(path, ignore_errors=True)
        data_set(variables).to_zarr(path, zarr_format=version, consolidated=False)
        for variable in variables:
            self.variable(path, variable, quick)


def main():
    zinc, directory = os.path.abspath(sys.argv[1]), sys.argv[2]
    quick = "--quick" in sys.argv
    checks = Checks(zinc, directory)
    sets = 0
    os.makedirs(directory, exist_ok=True)
    for name, variables in data_sets():
        for version in [3] if quick else [2, 3]:
            checks.data_set(name, variables, version, quick)
            sets += 1
    print(f"decoding: {sets} data sets, {checks.passed} passed, {checks.failed} failed, {checks.skipped} skipped")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
