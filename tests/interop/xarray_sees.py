"""xarray_sees.py ZINC DIR - xarray reads the same data set after a copy from Zarr v2 to v3 and back

xarray writes a data set of floats, integers, packed numbers, times, texts and truth values, with and without _FillValue,
in both versions.  Zinc copies it to the other one, and back.  If the copy prints that --for-xarray is needed, a
second copy is made with it, and only that one must be identical.
"""
import os
import shutil
import subprocess
import sys
import warnings

import numpy as np
import xarray as xr

warnings.simplefilter("ignore")


def data_set():
    times = np.array(["2020-01-01", "2020-01-02", "NaT"], dtype="datetime64[ns]")
    packed = {"dtype": "i2", "_FillValue": -1, "scale_factor": 0.5, "add_offset": 1.0}
    return xr.Dataset(
        {
            "float": ("x", np.array([1.5, np.nan, 0], "f4"), {"units": "K", "valid_min": np.nan}),
            "double": ("x", np.array([1.5, 2, 0])),
            "sentinel": ("x", np.array([1.5, np.nan, 0], "f4"), {}, {"_FillValue": -9999.0}),
            "zero": ("x", np.array([1.5, np.nan, 2], "f4"), {}, {"_FillValue": 0.0}),
            "int": ("x", np.array([0, 1, 7], "i2")),
            "masked": ("x", np.array([0, np.nan, 7]), {}, {"dtype": "i2", "_FillValue": -9999}),
            "masked_zero": ("x", np.array([5, np.nan, 7]), {}, {"dtype": "u1", "_FillValue": 0}),
            "packed": ("x", np.array([0.5, np.nan, 7.5]), {}, packed),
            "time": ("x", times),
            "span": ("x", times - times[0]),
            "text": ("x", np.array(["a", "", "ccc"], dtype=object)),
            "fixed": ("x", np.array(["a", "", "ccc"])),
            "bytes": ("x", np.array([b"a", b"", b"ccc"])),
            "truth": ("x", np.array([True, False, True])),
            "complex": ("x", np.array([1 + 2j, 0, 3j])),
            "scalar": ((), np.int32(0)),
            "large": (("y", "x"), np.zeros((100, 3), "f4")),
        },
        coords={"x": [0, 20, 30]},
        attrs={"title": "of all sorts", "nothing": float("inf")},
    )


def see(url):
    return xr.open_zarr(url, consolidated=False).load()


class Checks:
    def __init__(self, zinc, directory):
        self.zinc, self.directory = zinc, directory
        self.passed = self.failed = 0

    def path(self, name):
        return os.path.join(self.directory, name)

    def copy(self, source, target, *options):
        shutil.rmtree(self.path(target), ignore_errors=True)
        done = subprocess.run([self.zinc, "cp", self.path(source), self.path(target), *options],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"zinc cp {source} {target}: {done.stderr}")
        return done.stderr

    def same(self, what, source, target):
        try:
            xr.testing.assert_identical(see(self.path(source)), see(self.path(target)))
            self.passed += 1
        except (AssertionError, KeyError, TypeError, ValueError) as e:
            self.failed += 1
            print(f"FAILED: {what}: {e}")

    def copy_as_told(self, source, target, form):
        """By default, or as in the notice; the options"""
        options = []
        if "--for-xarray" in self.copy(source, target, "--format", form):
            options = ["--for-xarray"]
            self.copy(source, target, "--format", form, *options)
        return " ".join(options)

    def convert(self, form, other):
        source, there, back = f"{form}.zarr", f"{form}-{other}.zarr", f"{form}-back.zarr"
        options = self.copy_as_told(source, there, other)
        self.same(f"{form} to {other} {options}", source, there)
        options = self.copy_as_told(there, back, form)
        self.same(f"{form} to {other} and back {options}", source, back)


def main():
    checks = Checks(sys.argv[1], sys.argv[2])
    os.makedirs(checks.directory, exist_ok=True)
    for number in (2, 3):
        url = checks.path(f"v{number}.zarr")
        shutil.rmtree(url, ignore_errors=True)
        data_set().to_zarr(url, zarr_format=number, consolidated=False)
    checks.convert("v2", "v3")
    checks.convert("v3", "v2")
    print(f"xarray {xr.__version__}: {checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
