#!/usr/bin/env python3
"""bench.py - Zinc beside other ways to use Zarr in Python: time and memory

The contenders are those of contenders.py: direct bindings (Zinc, zarrista, TensorStore) and pipelines of zarr-python
(Zinc's, its default, its fused one, that of zarrs).  Each operation of each contender runs in a process of its own, which
prepares it, runs it once to warm up, and then REPEAT times, short reads more often; contenders take turns, in an order that
rotates from round to round.  Reported are medians of the times, and of the peak memory.  Files are in the page cache.  `limit`
does the same I/O and codec calls without any Zarr (bench/limit.c, with as many threads as there are processors), if $BUILD has
it.

Results are compared with what NumPy expects before times are taken.  Writes python.md and python.json to $BENCH_OUT [bench].

Environment: BUILD [build], BENCH_SIDE [256] (volumes of SIDE**3), BENCH_QUICK=1 (64, 1 round), BENCH_ROUNDS [3],
BENCH_ONLY (a pattern of rows; figures of others stay), BENCH_WHO (a pattern of contenders), BENCH_DIR (where data are made).
"""

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import contenders  # noqa: E402
import data  # noqa: E402
import peers  # noqa: E402
from workloads import slices  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
QUICK = bool(os.environ.get("BENCH_QUICK"))
SIDE = int(os.environ.get("BENCH_SIDE", "64" if QUICK else "256"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "1" if QUICK else "3"))
REPEAT, MOST = (2, 2) if QUICK else (3, 15)
WHERE = os.path.abspath(os.environ.get("BENCH_DIR", os.path.join(BUILD, f"bench-python-{SIDE}")))
OUT = os.environ.get("BENCH_OUT", os.path.join(HERE, ".."))
DIRECT = ("zinc", "zarrista", "tensorstore")
PIPES = ("zinc-pipeline", "zarr-python", "fused", "zarrs-python")
TINY, ARRAYS = (20, 100) if QUICK else (100, 1000)

# ---- data: those of bench/data.py, and some small ones ----


def more_sets():
    return {
        "ten": data.Set("ten", (TINY * 10, TINY * 10), (10, 10), "raw", entropy="noise", dtype="float32"),
        "hundred": data.Set("hundred", (1000, 1000), (100, 100), "zstd", dtype="float32"),
    }


SETS = data.sets(SIDE) | more_sets()


def values_of(name):
    """Two dimensions are a plane of three"""
    import numpy

    s = SETS[name]
    if len(s.shape) == 3:
        return data.values(numpy, s)
    flat = data.Set(s.name, (*s.shape, 1), (*s.chunk, 1), s.codec, s.entropy, dtype=s.dtype)
    return data.values(numpy, flat)[..., 0]


def make(name):
    """The data set, as TensorStore writes it"""
    s = SETS[name]
    if len(s.shape) == 3:
        return data.make(s, WHERE)
    s.path = os.path.join(WHERE, s.name)
    if not os.path.exists(os.path.join(s.path, "complete")):
        import tensorstore

        shutil.rmtree(s.path, ignore_errors=True)
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": s.path}, "metadata": data.document(s)}
        tensorstore.open(spec, create=True).result().write(values_of(name)).result()
        open(os.path.join(s.path, "complete"), "w", encoding="ascii").close()
    return None


def tree():
    """A group of so many arrays"""
    top = os.path.join(WHERE, "tree")
    if not os.path.exists(os.path.join(top, "zarr.json")):
        array = data.document(SETS["hundred"]) | {"zarr_format": 3, "node_type": "array", "fill_value": 0}
        array |= {"chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "attributes": {"units": "K"}}
        for i in range(ARRAYS):
            data.write_document(os.path.join(top, f"a{i:04d}"), array)
        data.write_document(top, {"zarr_format": 3, "node_type": "group", "attributes": {}})
    return top


# ---- operations, in the process of the contender: (prepare, run, check) ----


def read(peer, name, sel=""):
    a = peer.open(SETS[name].path)
    key = peers.parse_selection(sel) if sel else ()
    expected = values_of(name)
    for axis, part in enumerate(key):
        expected = expected.take(part, axis) if isinstance(part, list) else expected[(slice(None),) * axis + (part,)]
    return lambda: peer.read(a, key), lambda seen: same(seen, expected)


def same(seen, expected):
    import numpy

    assert numpy.array_equal(numpy.asarray(seen), expected), "it read other elements"


def points(peer, name, count):
    import numpy

    a, shape = peer.open(SETS[name].path), SETS[name].shape
    at = [numpy.array([i * peers.PRIMES[d] % n for i in range(count)]) for d, n in enumerate(shape)]
    return lambda: peer.points(a, at), lambda seen: same(seen, values_of(name)[tuple(at)])


def small_reads(peer, name, count=200):
    """Boxes of 10 x 10 elements, each in one chunk of 100 x 100"""
    import random

    a, chance = peer.open(SETS[name].path), random.Random(1)
    boxes = []
    for _ in range(count):
        at = [100 * chance.randrange(n // 100) + chance.randrange(90) for n in SETS[name].shape]
        boxes.append(tuple(slice(i, i + 10) for i in at))
    expected = values_of(name)

    def check(seen):
        for box, part in zip(boxes, seen, strict=True):
            same(part, expected[box])

    return lambda: [peer.read(a, box) for box in boxes], check


def write(peer, name):
    """Into an array without chunks, each time a new one: the time to make it does not count"""
    s, content, turn = SETS[name], values_of(name), [0]
    places = tempfile.mkdtemp(prefix="zinc-bench-", dir=data.place_of_many(WHERE + "-to").rsplit("/", 1)[0])
    targets = [peer.open(data.empty_copy(s, os.path.join(places, str(i)), False), write=True) for i in range(REPEAT + 1)]

    def run():
        turn[0] += 1
        peer.write(targets[turn[0] - 1], (), content)

    def check(_):
        same(contenders.TensorStore().open(os.path.join(places, "0"))[...].read().result(), content)

    run.end = lambda: shutil.rmtree(places, ignore_errors=True)
    return run, check


def pokes(peer, name, count):
    """Boxes of 16**3 into an array that is full: chunks or shards are read, changed and written"""
    import numpy

    place = tempfile.mkdtemp(prefix="zinc-bench-", dir=os.path.dirname(WHERE))
    path = data.full_copy(SETS[name], os.path.join(place, "a"))
    a, part = peer.open(path, write=True), numpy.full((16, 16, 16), 7, SETS[name].dtype)
    boxes = list(peers.pokes(SETS[name].shape, count))
    expected = values_of(name)
    for box in boxes:
        expected[box] = part

    def run():
        for box in boxes:
            peer.write(a, box, part)

    run.end = lambda: shutil.rmtree(place, ignore_errors=True)
    return run, lambda _: same(contenders.TensorStore().open(path)[...].read().result(), expected)


def open_one(peer, name, count=50):
    def check(seen):
        assert all(tuple(a.shape) == tuple(SETS[name].shape) for a in seen)

    return lambda: [peer.open(SETS[name].path) for _ in range(count)], check


def open_all(peer, _):
    def check(seen):
        assert len(seen) == ARRAYS and all(tuple(a.shape) == (1000, 1000) for a in seen)

    return lambda: peer.group(tree()), check


def rows():
    """Name: (operation, data set, further arguments, unit, how many of it in one run)"""
    out = {}
    cut = slices(SIDE)
    for kind in ("raw-noise", "zstd-noise", "shard-noise", "gzip", "blosc", "edge", "float", "v2-zstd", "v2-blosc"):
        out[f"read all, {kind.replace('-noise', '')}"] = (read, kind, (), "ms", 1)
    for kind in ("raw-noise", "zstd-noise", "shard-noise", "gzip", "blosc"):
        out[f"write all, {kind.replace('-noise', '')}"] = (write, kind, (), "ms", 1)
    for kind in ("raw-noise", "zstd-noise", "shard-noise"):
        for part in ("plane of axis 0", "plane of axis 2", "box", "every second", "index lists"):
            out[f"{part}, {kind.replace('-noise', '')}"] = (read, kind, (cut[part],), "ms", 1)
        out[f"1000 points, {kind.replace('-noise', '')}"] = (points, kind, (1000,), "ms", 1)
    out["parts of shards"] = (pokes, "shard-noise", (16,), "ms", 1)
    out[f"read {TINY * TINY} tiny chunks"] = (read, "ten", (), "ms", 1)
    out[f"write {TINY * TINY} tiny chunks"] = (write, "ten", (), "ms", 1)
    out["10 × 10 of a chunk of 100 × 100, zstd"] = (small_reads, "hundred", (), "µs", 200)
    out["open an array"] = (open_one, "hundred", (), "µs", 50)
    out[f"open {ARRAYS} arrays of a group"] = (open_all, "hundred", (), "ms", 1)
    return out


def child(who, row):
    """Times of one operation, as JSON"""
    operation, name, arguments, unit, count = rows()[row]
    make(name)
    run, check = operation(contenders.CONTENDERS[who](), name, *arguments)
    try:
        check(run())
        times, computed = [], []
        while len(times) < REPEAT or (operation not in (write, pokes) and len(times) < MOST and sum(times) < 1000):
            cpu, began = time.process_time(), time.perf_counter()
            result = run()
            times.append((time.perf_counter() - began) * 1e3)
            computed.append((time.process_time() - cpu) * 1e3)
            del result
    finally:
        getattr(run, "end", lambda: None)()
    scale = 1e3 / count if unit == "µs" else 1
    print(json.dumps({"ms": [t * scale for t in times], "cpu": [t * scale for t in computed], "rss": peers.peak_kb() / 1024}))


# ---- all of them ----


def measure(who, row):
    argv = [sys.executable, os.path.abspath(__file__), "--child", who, row]
    try:
        done = subprocess.run(argv, env=os.environ | contenders.environment(who), capture_output=True, text=True, check=False, timeout=600)
    except subprocess.TimeoutExpired:
        return {"failed": "took more than 600 s"}
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no reason"])[-1][:160]}
    return json.loads(done.stdout.splitlines()[-1])


def limit(row):
    """Of whole reads and writes and boxes, with the program of bench/limit.c"""
    operation, name, arguments, _, _ = rows()[row]
    program = os.path.join(BUILD, "bench-limit")
    plain = operation in (read, write) and not any("[" in str(a) or "::" in str(a) for a in arguments)
    s = SETS[name]
    if not os.path.exists(program) or not plain or len(s.shape) != 3:
        return None
    data.make(s, WHERE)
    options = [f"sel={arguments[0]}"] if arguments else []
    if operation is write:
        options.append(f"to={data.empty_copy(s, WHERE + '-limit', True)}")
    argv = [program, "read" if operation is read else "write", s.path, str(os.cpu_count()), str(REPEAT + 1), *options, *s.told]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=600)
    shutil.rmtree(WHERE + "-limit", ignore_errors=True)
    return statistics.median(json.loads(done.stdout.splitlines()[-1])["ms"][1:]) if done.returncode == 0 else None


def row_of(row, chosen):
    """Medians of all contenders"""
    seen = {w: {"ms": [], "cpu": [], "rss": []} for w in chosen}
    for r in range(ROUNDS):
        for who in chosen[r % len(chosen) :] + chosen[: r % len(chosen)]:
            if "failed" in seen[who]:
                continue
            told = measure(who, row)
            if "failed" in told:
                seen[who] = told
                continue
            seen[who]["ms"] += told["ms"]
            seen[who]["cpu"] += told["cpu"]
            seen[who]["rss"].append(told["rss"])
    middle = {w: v if "failed" in v else {k: statistics.median(x) for k, x in v.items()} for w, v in seen.items()}
    return {"unit": rows()[row][3], "limit": limit(row), "contenders": middle}


def figure(value):
    return "–" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def took(row, who, what="ms"):
    return row["contenders"].get(who, {}).get(what)


def ahead(row, family, what="ms"):
    """How many times the best other contender of a family takes as long as ours"""
    ours, others = took(row, family[0], what), [t for w in family[1:] if (t := took(row, w, what))]
    return min(others) / ours if ours and others else None


def table(results, what):
    order = [*DIRECT, None, *PIPES, None]
    heads = ["best / Zinc" if w is None else contenders.NAMES[w] for w in order]
    lines = ["| | unit | limit | " + " | ".join(heads) + " |", "|---|---|" + "---:|" * (1 + len(heads))]
    for name, row in results.items():
        cells, family = [], DIRECT
        for w in order:
            if w is None:
                ratio = ahead(row, family, what)
                cells.append("–" if ratio is None else f"**{ratio:.2f}**" if ratio >= 1 else f"{ratio:.2f}")
                family = PIPES
            else:
                cells.append(figure(took(row, w, what)))
        unit = "MiB" if what == "rss" else row["unit"]
        bound = figure(row["limit"]) if what == "ms" else "–"
        lines.append(f"| {name} | {unit} | {bound} | " + " | ".join(cells) + " |")
    return lines


def machine():
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("numpy", "tensorstore", "zarr", "zarrista", "zarrs"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            pass
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        model = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), "")
    return {"model": model, "processors": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}", "python": platform.python_version(), "versions": found}


def report(results, load):
    m = machine()
    versions = ", ".join(f"{k} {v}" for k, v in m["versions"].items())
    behind = [f"{n} ({what})" for n, r in results.items() for f, what in ((DIRECT, "direct"), (PIPES, "pipelines")) if (ahead(r, f) or 1) < 1]
    failed = [f"- {contenders.NAMES[w]}, {n}: {v['failed']}" for n, r in results.items() for w, v in r["contenders"].items() if "failed" in v]
    lines = [
        "# Zinc in Python beside other implementations",
        "",
        f"{m['model']}, {m['processors']} processors, {m['system']}, Python {m['python']}; {versions}; volumes of {SIDE}³; medians of at",
        f"least {ROUNDS * REPEAT} times in {ROUNDS} processes each, contenders interleaved. Load average {load[0]:.1f} before, {load[1]:.1f} after: on a machine with other work the",
        "figures are not reliable. Made by `bench/python/bench.py`, which says how.",
        "",
        "The first columns are direct bindings, the others pipelines of zarr-python. \"best / Zinc\" is how many times as long as Zinc the fastest",
        "other one of the same kind takes. Every contender has its own number of threads, and none waits for the disk when it writes (Zinc with",
        "`relaxed=True` or, in the pipeline, by its default; TensorStore with `file_io_sync` false; the others have no choice). \"–\": not supported.",
        "",
        "What is compared differs in two ways. Zinc and TensorStore write each object under a lock and rename it, so that no reader sees half of it and",
        "no other writer's elements are lost; zarrista and zarrs write in place. Zinc finds the version of Zarr and the root of the hierarchy when it opens;",
        "zarrista reads the one document that it is told. The limit is that of the system's libraries, which Zinc uses; other wheels bring their own.",
        "",
        f"Zinc is behind in: {', '.join(behind)}." if behind else "Zinc is ahead in every row.",
        "",
        "## Time",
        "",
        *table(results, "ms"),
        "",
        "## Peak memory of the process",
        "",
        *table(results, "rss"),
        "",
        *(["## Failures", "", *failed, ""] if failed else []),
    ]
    os.makedirs(OUT, exist_ok=True)
    with open(os.path.join(OUT, "python.md"), "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    with open(os.path.join(OUT, "python.json"), "w", encoding="utf-8") as f:
        json.dump({"machine": m, "side": SIDE, "load": load, "rows": results}, f, indent=1)


def before(only):
    path = os.path.join(OUT, "python.json")
    if not only or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        return json.load(f)["rows"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--child", nargs=2, metavar=("WHO", "ROW"))
    args = parser.parse_args()
    os.makedirs(WHERE, exist_ok=True)
    if args.child:
        return child(*args.child)
    only = os.environ.get("BENCH_ONLY", "")
    chosen = [w for w in (*DIRECT, *PIPES) if re.search(os.environ.get("BENCH_WHO", ""), w)]
    kept, load = before(only), [os.getloadavg()[0], 0]
    tree()
    results = {}
    for name in rows():
        if re.search(only, name):
            results[name] = row_of(name, chosen)
            bare = {contenders.NAMES[w]: figure(took(results[name], w)) for w in chosen}
            print(name, bare, flush=True)
        elif name in kept:
            results[name] = kept[name]
        load[1] = os.getloadavg()[0]
        report(results, load)
    print(f"bench: wrote {OUT}/python.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
