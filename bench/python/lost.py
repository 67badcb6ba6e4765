#!/usr/bin/env python3
"""lost.py - elements that are wrong after concurrent writes, by zarr-python's pipelines, zarrs-python and Zinc

Every case of a contender has a process of its own, with a time limit, in which it runs RUNS times; a cell is the range of wrong
elements over the runs.  `da.store(source, target, lock=False)` stores 200 x 200 elements in blocks of 10 x 10, so that many blocks share a
chunk or a shard of 40 x 40: by 4 threads, 4 processes, and the 4 workers of a dask.distributed cluster on loopback.
Then 8 processes append 10 elements 25 times each, and a process that has used its threads forks, reads and writes.
Writes python-lost.md and .json to $BENCH_OUT [bench].

Environment: LOST_RUNS [5], LOST_ONLY (a pattern of contenders), LOST_SHORT=1 (fewer blocks and appends).  The status is 1 if
Zinc lost an element where it can decide.
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile

import contenders

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = int(os.environ.get("LOST_RUNS", "5"))
WHO = ("zarr-python", "fused", "zarrs-python", "zinc-pipeline", "zinc")
SHORT = bool(os.environ.get("LOST_SHORT"))
SIDE, OBJECT, BLOCK = 80 if SHORT else 200, 40, 10
WRITERS, TIMES, COUNT = 4 if SHORT else 8, 5 if SHORT else 25, 10  # of the appends
PATIENCE = {"fork": 120}  # seconds
HANGS = "hangs"

# ---- one case, in its own process ----


def create(path, shape, **options):
    import zarr

    zarr.create_array(path, shape=shape, dtype="f8", fill_value=-1, **options)


def grid(kind):
    """Chunks, or shards of smaller chunks, of the same size as stored objects"""
    return {"chunks": (OBJECT, OBJECT)} if kind == "chunks" else {"chunks": (BLOCK, BLOCK), "shards": (OBJECT, OBJECT)}


def target(who, path):
    return contenders.CONTENDERS[who]().open(path, write=True)


def wrong(path, expected):
    """Compared by zarr-python's own pipeline"""
    import numpy
    import zarr

    with zarr.config.set({"codec_pipeline.path": contenders.PIPELINES["zarr-python"]}):
        seen = zarr.open_array(path, mode="r")[...]
    return int(expected.size if seen.shape != expected.shape else numpy.count_nonzero(seen != expected))


@contextlib.contextmanager
def scheduled(scheduler):
    """dask with 4 threads, processes, or workers of a cluster"""
    import dask

    if scheduler != "distributed":
        with dask.config.set(scheduler=scheduler, num_workers=4):
            yield
        return
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster, Client(cluster):
        yield


def store(scheduler, kind, who, paths):
    import dask.array
    import numpy

    values = numpy.arange(1.0, SIDE * SIDE + 1).reshape(SIDE, SIDE)
    source = dask.array.from_array(values, chunks=(BLOCK, BLOCK))
    with scheduled(scheduler):
        for path in paths:
            create(path, (SIDE, SIDE), **grid(kind))
            try:
                dask.array.store(source, target(who, path), lock=False)
                yield wrong(path, values), values.size
            except Exception as e:
                yield f"{type(e).__name__}: {str(e).splitlines()[0][:100]}"


def append_some(who, paths, first, together):
    """The values say who wrote them: all of them must be there at the end, in any order of the calls"""
    import numpy

    for path in paths:
        together.wait()
        a = target(who, path)
        for i in range(TIMES):
            at = first + i * COUNT
            a.append(numpy.arange(at, at + COUNT, dtype="f8"))


def reserve_some(who, paths, first, together):
    """zarr-python writes, but at a place that Zinc has reserved"""
    import numpy
    import zarr
    import zinczarr

    for path in paths:
        together.wait()
        places = zinczarr.open_array(path, mode="r+", relaxed=True)
        for i in range(TIMES):
            at = first + i * COUNT
            start = places.reserve(COUNT)
            zarr.open_array(path, mode="r+")[start : start + COUNT] = numpy.arange(at, at + COUNT, dtype="f8")


def appends(how, who, paths):
    import numpy
    import zarr

    for path in paths:
        create(path, (0,), chunks=(16,))
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(WRITERS, timeout=120)
    writers = [context.Process(target=how, args=(who, paths, w * TIMES * COUNT, together)) for w in range(WRITERS)]
    for w in writers:
        w.start()
    for w in writers:
        w.join()
    if any(w.exitcode for w in writers):
        print(f"lost: {sum(w.exitcode != 0 for w in writers)} of {WRITERS} writers failed", file=sys.stderr)
    number = WRITERS * TIMES * COUNT
    for path in paths:
        with zarr.config.set({"codec_pipeline.path": contenders.PIPELINES["zarr-python"]}):
            seen = zarr.open_array(path, mode="r")[...]
        lost = number - len(numpy.intersect1d(seen, numpy.arange(number)))
        yield lost + max(0, len(seen) - number), number


def fork(who, paths):
    """0 wrong or all elements; a child that hangs is ended by the time limit of the whole case"""
    import numpy

    values = numpy.arange(1.0, SIDE * SIDE + 1).reshape(SIDE, SIDE)
    for path in paths:
        create(path, (SIDE, SIDE), **grid("chunks"))
        a = target(who, path)
        a[...] = values
        assert (numpy.asarray(a[...]) == values).all()
        child = os.fork()
        if child == 0:
            ok = (numpy.asarray(a[...]) == values).all()
            a[...] = values + 1
            os._exit(0 if ok else 1)
        _, status = os.waitpid(child, 0)
        yield values.size if status else wrong(path, values + 1), values.size


APPEND = f"{WRITERS} processes append"
CASES = {
    **{f"dask {s}, {k}": (lambda w, p, s=s, k=k: store(s, k, w, p)) for s in ("threads", "processes", "distributed") for k in ("chunks", "shards")},
    APPEND: lambda w, p: appends(append_some, w, p),
    f"{APPEND}, place reserved by Zinc": lambda w, p: appends(reserve_some, w, p),
    "fork after threads": fork,
}

# ---- all of them ----


def run(case, who):
    """Of each run: wrong elements and their number, HANGS, or why it failed"""
    where = tempfile.mkdtemp(prefix="zinc-lost-")
    argv = [sys.executable, os.path.abspath(__file__), "--case", case, "--who", who, "--path", where]
    child = subprocess.Popen(argv, env=os.environ | contenders.environment(who), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, err = child.communicate(timeout=PATIENCE.get(case.split()[0], 900))
        ended = (err.strip().splitlines() or [f"status {child.returncode}"])[-1][:120] if child.returncode else None
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        out, _ = child.communicate()
        ended = HANGS
    finally:
        shutil.rmtree(where, ignore_errors=True)
    return [json.loads(line) for line in out.splitlines() if line.startswith(("[", '"'))] + ([ended] if ended else [])


def cell(results):
    """The range of the wrong elements, or what else happened"""
    other = sorted({r for r in results if isinstance(r, str)})
    counts = [r[0] for r in results if not isinstance(r, str)]
    parts = [f"{min(counts)}–{max(counts)}" if min(counts) != max(counts) else str(counts[0])] if counts else []
    return "; ".join(parts + other)


def applies(case, who):
    return "reserved" not in case or who in contenders.PIPELINES


def table(chosen):
    rows, found, bad = [], [], 0
    for case in CASES:
        cells, number = [], "–"
        for who in WHO:
            if who not in chosen or not applies(case, who):
                cells.append("–")
                continue
            results = run(case, who)
            number = next((r[1] for r in results if not isinstance(r, str)), number)
            cells.append(cell(results))
            counts = who.startswith("zinc") and not (who == "zinc-pipeline" and case == APPEND)
            lost = (not results) + sum(1 if isinstance(r, str) else r[0] for r in results)
            found.append({"case": case, "who": who, "results": results, "lost": lost, "counts": counts})
            bad += counts and lost > 0
        rows.append(f"| {case} | {number} | " + " | ".join(cells) + " |")
        print(rows[-1], flush=True)
    return rows, found, bad


TITLE = f"""# Elements that are wrong after concurrent writes

Made by `bench/python/lost.py`, which says how: the range over {RUNS} runs. Blocks of
{BLOCK} × {BLOCK} elements are stored into chunks, or shards of smaller chunks, of {OBJECT} × {OBJECT}, by 4 threads, processes or workers
without a lock.
The first three columns and "Zinc pipeline" are pipelines of zarr-python {{zarr}} (zarrs {{zarrs}}); "Zinc direct" is `zinczarr.Array`. dask {{dask}}.

zarr-python's own `append` takes the place to write from a shape that it read before, whatever pipeline it has: a pipeline cannot change that. Concurrent appends
need `zinczarr.Array.append`, or a place that `zinczarr.Array.reserve` reserved.

| | elements | """


def versions():
    from importlib.metadata import PackageNotFoundError, version

    def of(name):
        try:
            return version(name)
        except PackageNotFoundError:
            return "(not installed)"

    return {name: of(name) for name in ("zarr", "zarrs", "dask")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--case", "--who", "--path"):
        parser.add_argument(name)
    args = parser.parse_args()
    if args.case:
        for result in CASES[args.case](args.who, [os.path.join(args.path, str(i)) for i in range(RUNS)]):
            print(json.dumps(result), flush=True)
        return 0
    only = re.compile(os.environ.get("LOST_ONLY", ""))
    chosen = [w for w in WHO if only.search(w)]
    heading = TITLE.format(**versions()) + " | ".join(contenders.NAMES[w] for w in WHO) + " |\n|---|" + "---|" * (1 + len(WHO))
    print(heading.splitlines()[-2])
    rows, found, bad = table(chosen)
    out = os.environ.get("BENCH_OUT", os.path.join(HERE, ".."))
    with open(os.path.join(out, "python-lost.md"), "w", encoding="utf-8") as f:
        f.write("\n".join([heading, *rows, ""]))
    with open(os.path.join(out, "python-lost.json"), "w", encoding="utf-8") as f:
        json.dump(found, f, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
