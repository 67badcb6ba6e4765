#!/usr/bin/env python3
"""readme_table.py [--check] - the README's table of times, from bench/readme.json

`scripts/bench.sh readme` measures it (run.py --readme) and writes both.  With --check nothing is written: the README
must already match the figures.
"""

import json
import os
import sys
import textwrap

from data import FILES, Workload

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = os.path.join(HERE, "readme.json")
README = os.path.join(HERE, "..", "README.md")
BEGIN, END = "<!-- times: scripts/bench.sh readme -->", "<!-- end of times -->"
CODECS = {"raw": "quarter-raw", "gzip": "gzip", "zstd": "quarter-zstd", "blosc": "blosc"}
# For zarrs the faster of its own program and its pipeline in zarr-python; only the latter can write from memory.
COLUMNS = {
    "Zinc": ("zinc",),
    "HDF5": ("hdf5",),
    "netCDF-C": ("netcdf",),
    "GDAL": ("gdal",),
    "TensorStore": ("tensorstore",),
    "zarrs": ("zarrs", "zarrs-python"),
    "zarr-python": ("zarr-python",),
}


def workloads():
    """All of an array in and out of memory, by every contender; GDAL's arrays are of version 2"""
    readers = ("zinc", *FILES, "gdal", "tensorstore", "zarrs", "zarrs-python", "zarr-python")
    writers = tuple(c for c in readers if c != "zarrs")
    out = []
    for codec, name in CODECS.items():
        instead = {"gdal": f"v2-{codec}"}
        out.append(Workload(f"read, {codec}", "read", name, [], readers, instead=instead))
        out.append(Workload(f"write, {codec}", "write", name, [], writers, to=name, instead=instead))
    return out


def time_of(row, who):
    times = [row["contenders"].get(c, {}).get("warm") for c in who]
    return min((t for t in times if t), default=None)


def cell(row, name):
    """Zinc's time, and the others' as multiples of it"""
    ours, took = time_of(row, COLUMNS["Zinc"]), time_of(row, COLUMNS[name])
    if not ours or not took:
        return "–"
    return f"{ours:.0f} ms" if name == "Zinc" else f"{took / ours:.1f} ×"


def table(results):
    m = results["machine"]
    versions = ", ".join(f"{k} {v}" for k, v in sorted(m["versions"].items()) if k != "numpy")
    out = ["| | " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for row in results["workloads"]:
        out.append(f"| {row['name']} | " + " | ".join(cell(row, name) for name in COLUMNS) + " |")
    what = f"{m['side']}³ `uint16` ({m['side'] ** 3 * 2 >> 20} MiB) in chunks of {m['side'] // 4}³; medians, files cached, no fsync, 2 threads"
    text = f"{what}; {m['processor']}, {m['processors']} processors; {versions}."
    return "\n".join([*out, "", *textwrap.wrap(text, 100, break_on_hyphens=False)])


def filled(text, results):
    """The README with this table"""
    before, rest = text.split(BEGIN, 1)
    return before + BEGIN + "\n" + table(results) + "\n" + END + rest.split(END, 1)[1]


def main():
    with open(FIGURES, encoding="utf-8") as f:
        results = json.load(f)
    with open(README, encoding="utf-8") as f:
        old = f.read()
    new = filled(old, results)
    if "--check" in sys.argv:
        if new != old:
            sys.exit("README.md: run bench/readme_table.py")
        return
    with open(README, "w", encoding="utf-8") as f:
        f.write(new)


if __name__ == "__main__":
    main()
