#!/usr/bin/env python3
"""run.py - all contenders side by side: time, memory, ratios

Every round runs every contender once per workload, in an order that rotates from round to round, so that other work
of the machine affects all equally.  For each workload it measures:

    warm     in-process time, files in the page cache, of the second and third of three repeats: code and pools are warm
    cpu      the CPU time of its threads in that time: the figure to use if the machine is busy
    process  the whole process from start to end, less those two repeats, with its peak memory
    cold     in-process time of one repeat with the page cache dropped first (needs root)

and reports medians over the rounds: 8 times of each, fewer if one takes more than PATIENCE. Environment: BUILD,
BENCH_QUICK=1 (small arrays, few rounds, for CI), BENCH_LARGE=1
(1024**3), BENCH_ROUNDS, BENCH_ONLY (a pattern of workload names; results of others stay), BENCH_DIR (directory of the
data [build/bench-data-512, by side]), BENCH_OUT (directory of the results [bench]).  With --readme it measures the
table of the README instead (readme_table.py).
"""

import argparse
import functools
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

import data
import readme_table
import report
import scaling
import twins
from workloads import workloads

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
QUICK = bool(os.environ.get("BENCH_QUICK"))
SIDE = 128 if QUICK else 1024 if os.environ.get("BENCH_LARGE") else 512
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3" if QUICK else "4"))
PATIENCE = 4e3  # milliseconds
WHERE = os.path.abspath(os.environ.get("BENCH_DIR", os.path.join(BUILD, f"bench-data-{SIDE}")))
TARGET = os.path.join(WHERE, "target")
MANY = data.place_of_many(TARGET)
HERE = os.path.dirname(os.path.abspath(__file__))
CARGO = os.environ.get("BENCH_CARGO", "")
ENDINGS = {kind: ending for kind, (_, ending) in twins.MAKERS.items()}
IMPORTS = {"gdal": "osgeo.gdal", "hdf5": "h5py, hdf5plugin", "netcdf": "netCDF4", "nczarr": "netCDF4"}

# The short form: one of each kind, and one run for warm and whole-process times alike.
SHORT = re.compile(r"read all, (raw|zstd|shard), noise|inner|gzip|edge|(axis 0|box), (raw|zstd|shard)|write all|parts|walk|all, v2 zstd")
SHORT_FILES = re.compile(r"read all, gzip|write all, raw")  # and there with HDF5 and netCDF-C

# ---- contenders ----


def command(who, w, s, threads, repeat, to):
    """The command line of a contender, its environment, and whether it prints its own times"""
    path = (s.path if s else os.path.join(WHERE, w.set)) + ENDINGS.get(who, "")
    options = list(w.options) + ([f"to={to}"] if to else [])
    if who in ("zinc", "limit"):
        program = os.path.join(BUILD, f"bench-{who}")
        told = s.told if who == "limit" else []
        options = [o for o in options if not (told and o.startswith("chunk="))]  # it is told the array's
        return [program, w.operation, path, str(threads), str(repeat), *options, *told], {}, True
    if who == "zarrs":
        return zarrs_command(w, path, to), {"RAYON_NUM_THREADS": str(threads)}, False
    return [python_of(who), os.path.join(HERE, "peers.py"), who, w.operation, path, str(threads), str(repeat), *options], {}, True


def python_of(who):
    """GDAL's bindings are those of the system; all others were installed by us"""
    return "/usr/bin/python3" if who == "gdal" else os.path.join(BUILD, "interop-venv", "bin", "python")


def zarrs_command(w, path, to):
    if w.operation == "roundtrip":
        return [os.path.join(CARGO, "zarrs_reencode"), path, to]
    flags = ["--read-all"] if w.operation == "read" else []
    if w.name.startswith("inner"):
        flags = ["--inner-chunks"]
    return [os.path.join(CARGO, "zarrs_benchmark_read_sync"), *flags, path]


def zarrs_time(text):
    """In-process seconds of zarrs' own report; None when it prints none"""
    found = re.search(r"in ([\d.]+)\s*ms", text) or None
    if found:
        return float(found[1])
    found = re.search(r"in ([\d.]+)\s*s", text)
    return float(found[1]) * 1e3 if found else None


def drop_caches():
    subprocess.run(["sync"], check=True)
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
        f.write("3\n")


def can_drop():
    return os.access("/proc/sys/vm/drop_caches", os.W_OK)


def run_once(who, w, s, threads, repeat, cold=False):
    """In-process median "ms" and "cpu", whole "process", peak "rss" in bytes; or the reason why not"""
    to = target(who, w)
    argv, more, prints = command(who, w, s, threads, repeat, to)
    if threads == 1 and shutil.which("taskset"):
        argv = ["taskset", "-c", "0", *argv]
    if cold:
        drop_caches()
    began = time.perf_counter()
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **more}, text=True)
    out, err = child.communicate()
    wall = (time.perf_counter() - began) * 1e3
    if child.returncode != 0:
        return {"failed": (err.strip().splitlines() or ["no reason"])[-1][:200]}
    if not prints:
        ms = zarrs_time(out + err)
        return {"ms": [ms] if ms else [], "process": wall}
    told = json.loads(out.splitlines()[-1])
    warm = slice(1 if repeat > 1 else 0, None)
    return {"ms": told["ms"][warm], "cpu": told["cpu_ms"][warm], "process": wall - sum(told["ms"][1:]), "rss": told["rss_kb"] * 1024}


def target(who, w):
    """A new place to write to"""
    if not w.to:
        return None
    path, to = MANY if w.many else TARGET, w.to_of(who)
    if who in ENDINGS:
        return data.file_copy(SETS[to.lstrip("+")], path, who, not to.startswith("+"))
    if to.startswith("+"):
        return data.full_copy(SETS[to[1:]], path)
    if who == "zarrs":
        shutil.rmtree(path, ignore_errors=True)
        return path
    return data.empty_copy(SETS[to], path, who == "limit")


# ---- all of it ----


@functools.cache
def present(who):
    if who == "zarrs":
        return os.path.exists(os.path.join(CARGO, "zarrs_benchmark_read_sync"))
    if who in ("zinc", "limit"):
        return os.path.exists(os.path.join(BUILD, f"bench-{who}"))
    if who in IMPORTS:
        return subprocess.run([python_of(who), "-c", f"import {IMPORTS[who]}"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    return os.path.exists(python_of(who))


def measure(w, threads):
    """Medians of one workload, contender by contender"""
    who = [c for c in w.contenders if present(c)]
    of = {c: SETS.get(w.set_of(c)) for c in who}
    seen = {c: {"warm": [], "cpu": [], "process": [], "cold": [], "rss": []} for c in who}
    runs = {}
    for c in who:  # files into the page cache, and contenders that cannot out of the way
        first = run_once(c, w, of[c], threads, 1)
        if "failed" in first:
            seen[c] = first
        runs[c] = patient(c, w, first.get("process", 0))
    for r in range(ROUNDS):
        for c in who[r % len(who) :] + who[: r % len(who)]:
            rounds, processes, repeat = runs[c]
            if "failed" in seen[c] or r >= rounds:
                continue
            for _ in range(processes):
                take(seen[c], run_once(c, w, of[c], threads, repeat))
            if w.cold and not QUICK and can_drop():
                seen[c]["cold"] += run_once(c, w, of[c], threads, 1, True).get("ms", [])
    return {c: v if "failed" in v else {k: middle(v[k]) for k in v} for c, v in seen.items()}


def patient(who, w, took):
    """Rounds, processes in each, and repeats in a process; one repeat where a process cannot or must not do more"""
    if QUICK:
        return ROUNDS, 1, 1
    if took > PATIENCE:
        return 1, 1, 1
    return (ROUNDS, 2, 1) if who == "zarrs" or w.operation == "append" else (ROUNDS, 1, 3)


def take(seen, told):
    seen["warm"] += told.get("ms", [])
    seen["cpu"] += told.get("cpu", [])
    for key in ("process", "rss"):
        seen[key] += [told[key]] if key in told else []


def middle(values):
    return statistics.median(values) if values else None


def start_up():
    """Time of a new process to show one array's metadata"""
    s = SETS["zstd-noise"]
    python = os.path.join(BUILD, "interop-venv", "bin", "python")
    rows = {
        "zinc info": [os.path.join(BUILD, "zinc"), "info", s.path],
        "ncdump -h": ["ncdump", "-h", f"file://{s.path}#mode=zarr,file"],
        "python -c 'import zarr'": [python, "-c", "import zarr"],
        "python -c 'import tensorstore'": [python, "-c", "import tensorstore"],
    }
    out = {}
    for name, argv in rows.items():
        if not shutil.which(argv[0]):
            continue
        times = []
        for _ in range(ROUNDS + 1):
            began = time.perf_counter()
            subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            times.append((time.perf_counter() - began) * 1e3)
        out[name] = statistics.median(times[1:])
    return out


def machine():
    model = ""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        for line in f:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    versions = subprocess.run(
        [os.path.join(BUILD, "interop-venv", "bin", "pip"), "list", "--format=json"], stdout=subprocess.PIPE, text=True, check=False
    ).stdout
    named = {p["name"]: p["version"] for p in json.loads(versions or "[]") if p["name"] in ("zarr", "zarrs", "tensorstore", "numpy")}
    spoken = {
        "gdal": "import osgeo; print(osgeo.__version__)",
        "hdf5": "import h5py; print(h5py.version.hdf5_version)",
        "netcdf": "import netCDF4; print(netCDF4.__netcdf4libversion__)",
    }
    for who, code in spoken.items():
        if present(who):
            named[who] = subprocess.run([python_of(who), "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return {
        "processor": model,
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "versions": named,
        "load": os.getloadavg()[0],
        "side": SIDE,
        "times": ROUNDS if QUICK else 2 * ROUNDS,
    }


def before(out, only):
    """Earlier results; a run of some workloads replaces only theirs"""
    path = os.path.join(out, "results.json")
    if not only or not os.path.exists(path):
        return {"workloads": [], "scaling": []}
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def add(results, which, row, out):
    """Report all results so far, in case the run is interrupted"""
    same = [i for i, r in enumerate(results[which]) if (r["name"], r["threads"]) == (row["name"], row["threads"])]
    at = same[0] if same else len(results[which])
    results[which][at : at + 1] = [row]
    order = [w.name for w in workloads(SIDE)]
    results["workloads"].sort(key=lambda r: (order.index(r["name"]) if r["name"] in order else len(order), r["threads"]))
    results["machine"]["load_at_end"] = os.getloadavg()[0]
    report.write(results, out)
    print(report.line(row), flush=True)


def prepare(wanted):
    """All data sets of these workloads, in every form that a contender uses"""
    data.make(SETS["zstd-noise"], WHERE)  # which start_up shows
    for w in wanted:
        for who in [c for c in w.contenders if present(c)]:
            for name in {w.set_of(who), (w.to_of(who) or w.set_of(who)).lstrip("+")}:
                if name == "tree":
                    data.make_tree(WHERE, 500 if QUICK else 10000)
                    continue
                data.make(SETS[name], WHERE)
                if who in ENDINGS or who == "nczarr":
                    data.make_twin(SETS[name], who)


def measure_readme(out):
    """The small table: its figures to readme.json, and with those of this directory to the README"""
    chosen = readme_table.workloads()
    prepare(chosen)
    results = {"machine": machine(), "workloads": []}
    for w in chosen:
        row = {"name": w.name, "threads": 2, "contenders": measure(w, 2)}
        results["workloads"].append(row)
        print(report.line(row), flush=True)
    with open(os.path.join(out, "readme.json"), "w", encoding="utf-8") as f:
        f.write(json.dumps(results, indent=1) + "\n")
    print(readme_table.table(results))
    if os.path.samefile(out, HERE):
        readme_table.main()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=os.environ.get("BENCH_OUT", HERE), help="where results go")
    parser.add_argument("--readme", action="store_true", help="measure the table of the README and nothing else")
    args = parser.parse_args()
    out = args.out
    os.makedirs(WHERE, exist_ok=True)
    os.makedirs(out, exist_ok=True)
    if args.readme:
        return measure_readme(out)
    only = re.compile(os.environ.get("BENCH_ONLY", ""))
    chosen = [w for w in workloads(SIDE) if only.search(w.name) and (not QUICK or SHORT.search(w.name))]
    for w in chosen if QUICK else []:
        w.contenders = tuple(c for c in w.contenders if c not in ENDINGS or SHORT_FILES.search(w.name))
    scaled = [p for p in scaling.points(QUICK) if only.search(p.work.name)]
    prepare([*chosen, *(p.work for p in scaled)])
    results = before(out, only.pattern) | {"machine": machine(), "start_up": start_up()}
    for w in chosen:
        for threads in w.threads[-1:] if QUICK else w.threads:
            row = {"name": w.name, "threads": threads, "contenders": measure(w, threads)}
            add(results, "workloads", row, out)
    for p in scaled:
        row = p.row(SETS) | {"contenders": measure(p.work, p.threads)}
        add(results, "scaling", row, out)
    print(f"bench: wrote {out}/results.md, .json and .svg")
    rows = results["workloads"] + results["scaling"]
    failed = [(r["name"], c) for r in rows for c, v in r["contenders"].items() if "failed" in v and c == "zinc"]
    return 1 if failed else 0


SETS = data.sets(SIDE) | scaling.sets(QUICK)
try:
    sys.exit(main())
finally:
    for place in (TARGET, MANY):
        shutil.rmtree(place, ignore_errors=True)
        for ending in ENDINGS.values():
            if os.path.exists(place + ending):
                os.unlink(place + ending)
