"""report.py - the figures as text, JSON and a plot"""

import json
import math
import os

from targets import MOST, WANTED

PEERS = ("zarrs", "tensorstore", "zarr-python", "zarrs-python", "gdal", "nczarr")
FILES = ("hdf5", "netcdf")  # the same chunks in a format of their own: shown, but not peers
ORDER = ("limit", "zinc", *PEERS, *FILES)
COLOURS = {
    "limit": "#bbbbbb",
    "zinc": "#d55e00",
    "zarrs": "#0072b2",
    "tensorstore": "#009e73",
    "zarr-python": "#cc79a7",
    "zarrs-python": "#56b4e9",
    "gdal": "#f0e442",
    "nczarr": "#e69f00",
    "hdf5": "#5b3f8c",
    "netcdf": "#8c6d3f",
}


def value(row, who, key="warm"):
    return row["contenders"].get(who, {}).get(key)


def best_peer(row, key="warm"):
    times = [value(row, c, key) for c in PEERS]
    return min((t for t in times if t), default=None)


def columns(rows, key="warm"):
    """The contenders that have a figure in any row"""
    return [c for c in ORDER if any(value(row, c, key) for row in rows)]


def over(a, b):
    return a / b if a and b else None


def figure(x, digits=3):
    """Three significant digits"""
    if x is None:
        return "–"
    if x == 0:
        return "0"
    return f"{x:.{max(0, digits - 1 - math.floor(math.log10(abs(x))))}f}"


def line(row):
    cells = [f"{c} {figure(value(row, c)) if 'failed' not in v else 'failed: ' + v['failed']}" for c, v in row["contenders"].items()]
    ours = value(row, "zinc")
    ratios = f"zinc/limit {figure(over(ours, value(row, 'limit')))}  best peer/zinc {figure(over(best_peer(row), ours))}"
    computed = f"by cpu {figure(over(value(row, 'zinc', 'cpu'), value(row, 'limit', 'cpu')))} {figure(over(best_peer(row, 'cpu'), value(row, 'zinc', 'cpu')))}"
    return f"{row['name']:34} {row['threads']} thr  {ratios}  {computed}  |  " + "  ".join(cells)


def table(results, key, scale=1.0):
    who = columns(results["workloads"], key)
    if not who:
        return "Not measured."
    out = ["| workload | threads | " + " | ".join(who) + " | zinc / limit | best peer / zinc |"]
    out.append("|---|---|" + "---|" * (len(who) + 2))
    for row in results["workloads"]:
        if not columns([row], key):
            continue
        cells = [figure(value(row, c, key) / scale if value(row, c, key) else None) for c in who]
        ours = value(row, "zinc", key)
        cells += [figure(over(ours, value(row, "limit", key))), figure(over(best_peer(row, key), ours))]
        out.append(f"| {row['name']} | {row['threads']} | " + " | ".join(cells) + " |")
    return "\n".join(out)


# ---- scaling ----


def rate(row, who, key="warm"):
    """Millions of bytes per second"""
    ms = value(row, who, key)
    return row["nbytes"] / ms / 1e3 if ms else None


def series(results, part):
    """The rows of each series of that part, in order of x"""
    out = {}
    for row in results["scaling"]:
        if row["part"] == part:
            out.setdefault(row["series"], []).append(row)
    return {name: sorted(rows, key=lambda r: r["x"]) for name, rows in out.items()}


def rates(results, part, unit):
    who = columns([row for rows in series(results, part).values() for row in rows])
    out = [f"| | {unit} | " + " | ".join(who) + " | zinc / limit | zinc / best peer | zinc, per second computed |"]
    out.append("|---|---|" + "---|" * (len(who) + 3))
    for name, rows in series(results, part).items():
        for row in rows:
            peer = max((rate(row, c) for c in PEERS if rate(row, c)), default=None)
            cells = [rate(row, c) for c in who] + [over(rate(row, "zinc"), rate(row, "limit")), over(rate(row, "zinc"), peer)]
            cells.append(rate(row, "zinc", "cpu"))
            out.append(f"| {name} | {row['x']} | " + " | ".join(map(figure, cells)) + " |")
    return "\n".join(out)


def cost_of_one(results):
    """Cost of another chunk, from the longest and the shortest of a series, in microseconds"""
    who = columns([row for rows in series(results, "chunks").values() for row in rows])
    out = ["| | " + " | ".join(who) + " |", "|---|" + "---|" * len(who)]
    for name, rows in series(results, "chunks").items():
        first, last = rows[0], rows[-1]
        if first["x"] == last["x"]:
            continue
        ends = [(value(first, c), value(last, c)) for c in who]
        cells = [(b - a) * 1e3 / (last["x"] - first["x"]) if a and b else None for a, b in ends]
        out.append(f"| {name} | " + " | ".join(map(figure, cells)) + " |")
    return "\n".join(out)


def speed_up(results):
    who = ("limit", "zinc")
    heads = [f"{c}, 1 thread (ms) | {c}, 2 threads (ms) | times faster | times computed" for c in who]
    out = ["| | " + " | ".join(heads) + " |", "|---|" + "---|" * 8]
    for name, rows in series(results, "threads").items():
        times = {r["x"]: r for r in rows}
        if len(times) < 2:
            continue
        cells = []
        for c in who:
            one, two = value(times[1], c), value(times[2], c)
            cells += [one, two, over(one, two), over(value(times[2], c, "cpu"), value(times[1], c, "cpu"))]
        out.append(f"| {name} | " + " | ".join(map(figure, cells)) + " |")
    return "\n".join(out)


def scaling(results):
    if not results.get("scaling"):
        return ""
    return f"""
## Scaling

The same bytes in more chunks, and in more dimensions, in millions of bytes per second. The rate should not change along a series until the cost of a
file exceeds that of its bytes. `bench/scaling.py` describes the series.

{rates(results, "chunks", "chunks")}

Cost of one more chunk in the time above (µs), from the ends of each series:

{cost_of_one(results)}

{rates(results, "rank", "rank")}

Two threads instead of one: in one call; in calls for one chunk each, on one handle; and the same with one handle per thread. "Times computed" is the
CPU time of all threads relative to one thread; the part above 1 is the overhead of sharing.

{speed_up(results)}
"""


def verdict(row, wanted):
    ours, limit, peer = value(row, "zinc"), value(row, "limit"), best_peer(row)
    if not ours or not peer:
        return "–"
    if peer / ours >= wanted:
        return "met"
    if limit and peer / (MOST * limit) < wanted:
        return "out of reach"
    return "missed"


def targets(results):
    rows = {r["name"]: r for r in results["workloads"] if r["threads"] == 2}
    out = ["| workload, 2 threads | zinc / limit | best peer / zinc | target | best peer / limit | |", "|---|---|---|---|---|---|"]
    for name, wanted in WANTED.items():
        row = rows.get(name)
        if not row:
            continue
        ours, limit, peer = value(row, "zinc"), value(row, "limit"), best_peer(row)
        cells = (figure(over(ours, limit)), figure(over(peer, ours)), f"{wanted:g}", figure(over(peer, limit)), verdict(row, wanted))
        out.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def markdown(results):
    m = results["machine"]
    versions = ", ".join(f"{k} {v}" for k, v in sorted(m["versions"].items()))
    start = "\n".join(f"| {k} | {figure(v)} |" for k, v in results["start_up"].items())
    return f"""# Results of `make bench`

{m["processor"]}, {m["processors"]} processors, {m["system"]}; {versions}; volumes of {m["side"]}³; medians of {m["times"]} times, contenders
interleaved. Load average {m["load"]:.1f} before, {m["load_at_end"]:.1f} after: on a machine with other work the figures are not reliable.

`limit` does the same I/O and codec calls without any Zarr. A ratio to it of 1.1 means that Zinc needs a tenth more; a ratio to the best peer of 2
means that the fastest other implementation takes twice as long. "–": the contender does not support it, or does not report it. `hdf5` and `netcdf` have the same elements,
chunks and codecs in a file of their own format, with one thread except for those of Blosc; they are shown, but are not peers. `nczarr` is netCDF-C reading Zarr v2.

![plot](results.svg)

## Targets

"Out of reach": even 1.1 times the limit's time would not give this ratio.

{targets(results)}

## In the process, files cached (ms)

{table(results, "warm")}

## Computed in that time by all threads, user and system (ms)

{table(results, "cpu")}

## Whole process, files cached (ms)

{table(results, "process")}

## In the process, page cache dropped (ms)

{table(results, "cold")}

## Peak memory (MB)

{table(results, "rss", 1e6)}

## Start-up, whole process (ms)

| | |
|---|---|
{start}
{scaling(results)}"""


def svg(results):
    """Bars of each workload, as multiples of Zinc's time, on a logarithmic scale"""
    rows = [r for r in results["workloads"] if value(r, "zinc")]
    bar, gap, left, width = 7, 10, 260, 520
    heights = [bar * sum(1 for c in ORDER if value(r, c)) + gap for r in rows]
    total = sum(heights) + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 40}" height="{total}" font-family="sans-serif" font-size="10">']
    out.append('<rect width="100%" height="100%" fill="white"/>')

    def x(ratio):  # from a tenth to a hundred times
        return left + width * (min(2.0, max(-1.0, math.log10(ratio))) + 1) / 3

    for k, c in enumerate(ORDER):
        at = 10 + 80 * k
        out.append(f'<rect x="{at}" y="8" width="9" height="9" fill="{COLOURS[c]}"/><text x="{at + 13}" y="16">{c}</text>')
    for mark in (0.1, 1, 10, 100):
        out.append(f'<line x1="{x(mark)}" x2="{x(mark)}" y1="36" y2="{total - 10}" stroke="#ddd"/><text x="{x(mark) + 2}" y="34">{mark:g}</text>')
    y = 44
    for row, height in zip(rows, heights):
        ours = value(row, "zinc")
        out.append(f'<text x="4" y="{y + 9}">{row["name"]}, {row["threads"]} thr</text>')
        at = y
        for c in ORDER:
            if value(row, c):
                ratio = value(row, c) / ours
                out.append(f'<rect x="{left}" y="{at}" width="{x(ratio) - left:.1f}" height="{bar - 1}" fill="{COLOURS[c]}"/>')
                at += bar
        y += height
    out.append(f'<text x="{left}" y="{total - 2}">time, as a multiple of Zinc\'s (logarithmic)</text></svg>')
    return "\n".join(out) + "\n"


def write(results, where):
    for name, text in (
        ("results.json", json.dumps(results, indent=1) + "\n"),
        ("results.md", markdown(results)),
        ("results.svg", svg(results)),
    ):
        with open(os.path.join(where, name), "w", encoding="utf-8") as f:
            f.write(text)
