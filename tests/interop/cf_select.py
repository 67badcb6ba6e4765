"""cf_select.py ZINC DIR [--quick] - selections by coordinate value select what xarray's .sel and .isel select

Each data set has one coordinate, "c", and a variable of two dimensions whose elements name their indices.  Every
selection is made by `zinc cat -s` and by xarray, and shapes and elements must be equal.

Where Zinc does otherwise on purpose:

* "a..b" takes both ends in any order and whichever way the coordinate runs; a slice of xarray is empty when they are
  the wrong way round.  So slices are given to xarray in the coordinate's own direction.
* "a..b" of a coordinate without an order selects what lies between, as a mask does; xarray refuses.
* A date as fine as the coordinate drops the dimension in every calendar.  xarray keeps it for calendars that
  datetime64 does not have, because there every date is a slice: `one` says so.
* A nearest value of a coordinate with duplicates selects all of them; xarray refuses.
"""
import io
import os
import shutil
import subprocess
import sys
import warnings

import numpy as np
import xarray as xr

warnings.simplefilter("ignore")

SETS = []


def data_set(*selections, **options):
    """A function that makes a coordinate, and the selections to try on it."""

    def register(make):
        SETS.append((make.__name__, make, selections, options))
        return make

    return register


# ---- what xarray selects ----


def sel(text, label=None):
    """One value: text -> .sel(c=label)"""
    return text, lambda v: v.sel(c=number(text) if label is None else label)


def one(text, label=None):
    """The same where xarray keeps the dimension"""
    return text, lambda v: v.sel(c=label or text).isel(c=0)


def near(text, label=None):
    return "~" + text, lambda v: v.sel(c=number(text) if label is None else label, method="nearest")


def span(text, first, last):
    """A range: text -> .sel(c=slice(first, last)), in the coordinate's direction"""
    return text, lambda v: v.sel(c=slice(first, last))


def at(text, index):
    """What is at these indices: a number drops the dimension"""
    return text, lambda v: v.isel(c=index)


def mask(text, test):
    return text, lambda v: v.isel(c=np.flatnonzero(test(v.c.values)))


def none(text, status=2):
    """Nothing: the command fails, and so does xarray"""
    return text, status


def number(text):
    return float(text) if any(c in text for c in ".e") else int(text)


# ---- numbers ----


@data_set(sel("0"), sel("70"), none("75"), none("200"), near("74"), near("75"), near("76"), near("-9"), near("999"),
          span("20..50", 20, 50), span("50..20", 20, 50), span("15..55", 15, 55), span("40..", 40, None),
          span("..40", None, 40), span("..", None, None), span("41..49", 41, 49), span("500..600", 500, 600),
          none("abc", 2), none("~abc", 2), sel("70.0"), sel("7e1"), none("70.5"))
def int64_up():
    return np.arange(0, 100, 10)


@data_set(sel("0"), sel("90"), near("74"), near("75"), span("20..50", 50, 20), span("50..20", 50, 20),
          span("40..", None, 40), span("..40", 40, None), span("41..49", 49, 41))
def int32_down():
    return np.arange(90, -1, -10, dtype="i4")


@data_set(sel("0"), sel("250"), none("256"), none("-1"), near("-1"), at("~999", 25), span("-10..20", 0, 20),
          span("240..300", 240, 255))
def uint8_up():
    return np.arange(0, 255, 10, dtype="u1")


@data_set(sel("9007199254740993"), sel("9007199254740992"), none("9007199254740995"),
          span("9007199254740993..9007199254740994", 9007199254740993, 9007199254740994),
          at("~9007199254740999", 2), at("~-99999999999999999999999999", 0), none("99999999999999999999999999"))
def int64_beyond_doubles():
    return np.array([9007199254740992, 9007199254740993, 9007199254740994])


@data_set(at("18446744073709551615", 2), at("18446744073709551614", 1), none("18446744073709551613"),
          at("18446744073709551614..", slice(1, 3)), at("..1", slice(0, 1)))
def uint64_large():
    return np.array([1, 18446744073709551614, 18446744073709551615], dtype="u8")


@data_set(sel("40"), sel("40.0"), sel("-90"), none("41"), near("41.1"), near("41.25"), near("1e9"), span("40..50", 40, 50),
          span("50..40", 40, 50), span("-1e3..-85.5", -1e3, -85.5), span("40.1..41", 40.1, 41), span("..", None, None),
          span("..inf", None, None), none("nan"), none("1.2.3"))
def float64_up():
    return np.arange(-90, 90.1, 2.5)


@data_set(sel("40"), none("41"), near("41.1"), near("41.25"), span("40..50", 50, 40), span("50..40", 50, 40),
          span("85..", None, 85), span("..-85", -85, None), near("-1000"), near("1000"))
def float64_down():
    return np.arange(90, -90.1, -2.5)


@data_set(at("0.1", 1), at("0.3", 3), at("0.7", 7), none("0.15"), at("0.1..0.3", slice(1, 4)), at("~0.12", 1),
          at("0.3..0.1", slice(1, 4)), at("0.9..", slice(9, 10)))
def float32_tenths():
    return (np.arange(10) / 10).astype("f4")


@data_set(at("0.1", 8), at("0.3..0.1", slice(6, 9)), at("~0.26", 6), at("~5", 0), none("5"))
def float32_down():
    return (np.arange(9, -1, -1) / 10).astype("f4")


@data_set(at("0.1", 1), at("0.1..0.2", slice(1, 3)), at("~0.33", 3))
def float16_tenths():
    return (np.arange(5) / 10).astype("f2")


@data_set(at("10", 0), at("12.5", 5), none("12.6"), at("11..12", slice(2, 5)), at("~12.6", 5))
def packed():
    return xr.Variable("c", np.arange(10, 20, 0.5), encoding={"dtype": "i2", "scale_factor": 0.5, "add_offset": 10.0})


@data_set(at("10", 9), at("12..11", slice(5, 8)), at("~10.7", 8), at("..10.5", slice(8, 10)), none("-999"))
def packed_down_with_missing():
    encoding = {"dtype": "i2", "scale_factor": 0.5, "add_offset": 10.0, "_FillValue": -1}
    values = np.arange(14.5, 9.9, -0.5)
    values[0] = np.nan
    return xr.Variable("c", values, encoding=encoding)


@data_set(at("5", 0), at("4", 3), at("~4.4", 3), mask("2..4", lambda c: (c >= 2) & (c <= 4)), mask("6..7", lambda c: c > 5),
          mask("..2", lambda c: c <= 2), at("~100", 0))
def without_order():
    return np.array([5.0, 1, 3, 4, 2])


@data_set(at("1", slice(0, 2)), at("2", 2), at("3", slice(3, 6)), span("1..2", 1, 2), at("~2.9", slice(3, 6)), none("0"))
def duplicates_up():
    return np.array([1, 1, 2, 3, 3, 3])


@data_set(at("1", [0, 2]), at("2", 1), at("3", [3, 5]), at("~0", [0, 2]), mask("1..2", lambda c: c < 3))
def duplicates_apart():
    return np.array([1, 2, 1, 3, 4, 3])


@data_set(at("7", slice(0, 4)), at("6..8", slice(0, 4)), none("6"), at("8..9", slice(0, 0)), at("~1", slice(0, 4)))
def constant():
    return np.full(4, 7.0)


@data_set(at("1", 0), at("3", 2), at("1..3", [0, 2]), at("~2.4", 2), none("nan"), at("..", [0, 2, 3]))
def with_nan():
    return np.array([1, np.nan, 3, 4])


@data_set(at("5", 0), at("5..6", slice(0, 1)), none("6"), at("~6", 0))
def of_one():
    return np.array([5.0])


@data_set(none("5"), none("~5"), at("4..6", slice(0, 0)))
def of_none():
    return np.array([], dtype="f8")


# ---- texts ----


@data_set(at("ab", 1), at("c", 2), at('"c"', 2), at('"x, y"', 3), at('"a..b"', 4), none("b"), none("a..c"), none("~a"),
          at("\u00e9", 5))
def texts_fixed():
    return np.array(["a", "ab", "c", "x, y", "a..b", "\u00e9"])


@data_set(at("ab", [1, 3]), at("c", 2), none("cc"), at("", 4), at('""', 4))
def texts_variable():
    return np.array(["a", "ab", "c", "ab", ""], dtype=object)


# ---- times ----

DAYS = ("2020-01-03", "2020-01-03T00", "2020-01-03T00:00:00", "2020-02", "2020")


@data_set(*(sel(d, d) for d in DAYS), none("2020-01-03T12"), none("2019-12-31"), none("2021"), none("2020-13"),
          none("2020-02-30"), none("soon"), none("2020-1x"), near("2020-01-03T12", "2020-01-03T12"),
          near("2020-01-03T11:59", "2020-01-03T11:59"), near("2030", "2030"), span("2020-01-30..2020-02-02", "2020-01-30", "2020-02-02"),
          span("2020-02..2020-02", "2020-02", "2020-02"), span("2020-02..2020-03-05", "2020-02", "2020-03-05"),
          span("2020-03-05..2020-02", "2020-02", "2020-03-05"), span("2020-03..", "2020-03", None),
          span("..2020-01-02", None, "2020-01-02"), span("2020-01-02T06..2020-01-03T06", "2020-01-02T06", "2020-01-03T06"),
          span("2030..2031", "2030", "2031"), span("2019..2020-01-01", "2019", "2020-01-01"))
def daily():
    return xr.date_range("2020-01-01", periods=80)


@data_set(sel("2020-01-01T05", "2020-01-01T05"), sel("2020-01-01", "2020-01-01"), sel("2020-01-02 03:00", "2020-01-02 03:00"),
          sel("2020-01", "2020-01"), none("2020-01-01T05:30"), near("2020-01-01T05:30", "2020-01-01T05:30"),
          span("2020-01-01T22..2020-01-02T01", "2020-01-01T22", "2020-01-02T01"), span("2020-01-02..", "2020-01-02", None),
          none("2020-02"))
def hourly():
    return xr.date_range("2020-01-01", periods=60, freq="h")


@data_set(sel("2020-01-03", "2020-01-03"), sel("2020-01-03T12", "2020-01-03T12"), near("2020-01-03", "2020-01-03"),
          span("2020-01-03..2020-01-04", "2020-01-03", "2020-01-04"), none("2020-01-03T00"))
def noons():
    return xr.date_range("2020-01-01T12", periods=20)


@data_set(sel("2000-03", "2000-03"), sel("2000", "2000"), sel("2000-03-01", "2000-03-01"), none("2000-03-02"),
          sel("2001", "2001"), span("2000-06..2001-02", "2000-06", "2001-02"), near("2000-03-20", "2000-03-20"))
def monthly():
    return xr.date_range("2000-01-01", periods=30, freq="MS")


@data_set(sel("2000-12-31", "2000-12-31"), sel("2003", "2003"), span("2001..2003", "2001", "2003"), near("2001", "2001"))
def year_ends():
    return xr.date_range("2000-12-31", periods=10, freq="YE")


@data_set(sel("2020-01-01T00:00:00.250", "2020-01-01T00:00:00.250"), at("2020-01-01T00:00:01", slice(4, 8)),
          none("2020-01-01T00:00:00.251"), at("2020-01-01T00:00", slice(0, 10)))
def milliseconds():
    return np.datetime64("2020-01-01T00:00:00", "ns") + np.arange(10) * np.timedelta64(250, "ms")


@data_set(at("2020-01-03", 77), at("2020-02", slice(20, 49)), at("2020-02-05..2020-02-03", slice(44, 47)),
          at("~2020-01-03T12", 76), none("2021"))
def daily_down():
    return xr.date_range("2020-01-01", periods=80)[::-1]


@data_set(at("2020-01-01", slice(0, 2)), at("2020-01-02", 2), at("2020-01", slice(0, 4)), none("2020-01-05"))
def times_twice():
    return np.array(["2020-01-01", "2020-01-01", "2020-01-02", "2020-01-03"], dtype="M8[ns]")


@data_set(at("2020-01-01", 0), at("2020-01-03", 2), at("2020", [0, 2]), at("..", [0, 2]), at("~2020-01-02T13", 2))
def times_with_nat():
    return np.array(["2020-01-01", "NaT", "2020-01-03"], dtype="M8[ns]")


@data_set(sel("2020-01-01", "2020-01-01"), sel("2020-01-02", "2020-01-02"), sel("2020-01-01T06", "2020-01-01T06"),
          span("2020-01-02..2020-01-03", "2020-01-02", "2020-01-03"))
def times_as_floats():
    return xr.Variable("c", xr.date_range("2020-01-01", periods=20, freq="6h"),
                       encoding={"units": "days since 1990-01-01", "dtype": "f8"})


@data_set(at("6 hours", 1), at("6h", 1), at("1 day", 4), at("0.25 days", 1), at("6h..1D", slice(1, 5)), at("~7 hours", 1),
          none("5h"), none("hours"))
def durations():
    return np.arange(10) * np.timedelta64(6, "h").astype("m8[ns]")


# ---- calendars that datetime64 does not have ----


def calendar_set(calendar, start, *more):
    @data_set(one(f"{start}-01-03"), at(f"{start}-01", slice(0, 30 if calendar == "360_day" else 31)), sel(f"{start}-02", f"{start}-02"),
              sel(f"{start}", f"{start}"), span(f"{start}-01-30..{start}-02-02", f"{start}-01-30", f"{start}-02-02"),
              span(f"{start}-02..{start}-03-05", f"{start}-02", f"{start}-03-05"), span(f"{start}-03..", f"{start}-03", None),
              at(f"~{start}-01-03T13", 3), none(f"{start}-01-03T12"), none("0900"), *more)
    def make():
        return xr.date_range(f"{start}-01-01", periods=400, calendar=calendar, use_cftime=True)

    SETS[-1] = (f"calendar_{calendar}_{start}", *SETS[-1][1:])


calendar_set("noleap", "2000", none("2000-02-29"), at("2000-03-01", 59))
calendar_set("360_day", "2000", at("2000-02-30", 59), none("2000-01-31"), at("2000-12-30", 359))
calendar_set("all_leap", "2001", at("2001-02-29", 59), at("2001-03-01", 60))
calendar_set("julian", "1900", at("1900-02-29", 59))
calendar_set("standard", "1582", at("1582-10-04", 276), at("1582-10-15", 277), none("1582-10-10"), at("1582-10", slice(273, 294)))
calendar_set("proleptic_gregorian", "1500", none("1500-02-29"))


# ---- the check ----


def make_dataset(make, bounds):
    c = make()
    values = c if isinstance(c, xr.Variable) else xr.Variable("c", c)
    n = len(values)
    variables = {"v": (("c", "x"), np.arange(n * 3, dtype="i4").reshape(n, 3))}
    if bounds:
        values.attrs["bounds"] = "c_bounds"
        variables["c_bounds"] = (("c", "two"), np.zeros((n, 2)))
    return xr.Dataset(variables, coords={"c": values, "x": [10, 20, 30]})


def run(zinc, url, text):
    done = subprocess.run([zinc, "cat", url, "-s", text, "--as", "npy"], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


def check(zinc, url, v, text, want):
    """What is wrong, or None"""
    status, out, message = run(zinc, url, "c@" + text)
    if isinstance(want, int):
        return None if status == want and message.count("\n") == 0 else f"status {status}, {message!r}"
    if status:
        return f"status {status}: {message}"
    got, wanted = np.load(io.BytesIO(out)), want(v).values
    if got.shape != wanted.shape:
        return f"shape {got.shape} instead of {wanted.shape}"
    return None if (got == wanted).all() else f"{got[:3]} instead of {wanted[:3]}"


def check_names(zinc, url, v):
    """By name, and by name and value together"""
    n = v.sizes["c"]
    for text, want in (("x=1", v.isel(x=1)), ("x=[2,0], c=0:2", v.isel(x=[2, 0], c=slice(0, 2))), ("x@20", v.sel(x=20)),
                       ("x@20..30, c=::2", v.sel(x=slice(20, 30)).isel(c=slice(None, None, 2))), ("c=-1:, x@~12", v.isel(c=slice(n - 1, n)).sel(x=10))):
        status, out, message = run(zinc, url, text)
        if status or not np.array_equal(np.load(io.BytesIO(out)), want.values) or np.load(io.BytesIO(out)).shape != want.shape:
            yield f"{text}: {status} {message}"


def main():
    zinc, directory = sys.argv[1], sys.argv[2]
    quick = "--quick" in sys.argv or os.environ.get("INTEROP_QUICK")
    shutil.rmtree(directory, ignore_errors=True)
    passed, failed = 0, []
    for i, (name, make, selections, options) in enumerate(SETS):
        for version in (2, 3)[i % 2 if quick else 0:][:1 if quick else 2]:
            url = os.path.join(directory, f"{name}.v{version}.zarr")
            make_dataset(make, i % 3 == 0).to_zarr(url, zarr_format=version, consolidated=False)
            v = xr.open_zarr(url, consolidated=False, decode_timedelta=True).load().v
            wrong = [f"c@{text}: {w}" for text, want in selections for w in [check(zinc, url + "/v", v, text, want)] if w]
            if len(v.c):
                wrong += check_names(zinc, url + "/v", v)
            passed += len(selections) + (5 if len(v.c) else 0) - len(wrong)
            failed += [f"{name} v{version}: {w}" for w in wrong]
    for line in failed:
        print("cf_select:", line)
    print(f"cf_select: {len(SETS)} data sets, {passed} selections as xarray makes them, {len(failed)} others")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
