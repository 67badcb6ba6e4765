#!/usr/bin/env python3
"""copy_matrix.py ZINC [--quick] <PLACES - copy a hierarchy between any two stores, in three formats, and compare it

Each line of PLACES is a store and a URL in which {} stands for a name, as "s3 s3://bucket/{}?endpoint=...".  A hierarchy with
the corners of a store (scalars, edges, missing chunks, a long value, deep and odd names, shards) is copied from files to each
place, and from there to every place.  The result is compared with the files each time, and validated.  --quick tries each pair
in one of the formats instead of all.  Ends with "N passed, N failed".
"""
import argparse
import array
import concurrent.futures
import os
import subprocess
import sys
import tempfile

FORMATS = ("v3", "v2", "v3-2022")
ODD, PLAIN = "deep/er/odd name+\u00e4", "deep/er/plain"  # drafts have few characters
ARRAYS = {  # shape, chunks, type, and what is written: numbers of Python's array type
    "scalar": ("", "", "float64", array.array("d", [2.5])),
    "edge": ("7,5", "3,2", "int16", array.array("h", [7 * i - 99 for i in range(35)])),
    "empty": ("0,4", "1,2", "int32", None),
    "missing": ("9", "2", "uint8", None),
    ODD: ("4", "4", "float32", array.array("f", [1, 2, 3, float("nan")])),
    "long": ("300000", "150000", "int64", array.array("q", [i * i for i in range(300000)])),
    "sharded": ("30", "5", "int32", array.array("i", range(30))),
}


def names(kind):
    return [PLAIN if name == ODD and kind == "v3-2022" else name for name in ARRAYS]


class Failed(Exception):
    pass


def run(*words, data=None):
    try:
        p = subprocess.run([options.zinc, *words], input=data, capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        raise Failed("zinc %s: still running after 300 s" % " ".join(words))
    if p.returncode:
        told = (p.stderr + p.stdout).decode(errors="replace")[:400].strip()
        raise Failed("zinc %s: exit status %d: %s" % (" ".join(words), p.returncode, told))
    return p.stdout.decode()


def inside(url, path):
    """The URL of a node: a query follows the path"""
    if "|" in url:
        return url + path
    base, mark, query = url.partition("?")
    if "://" in url:
        path = path.replace(" ", "%20").replace("+", "%2B")
    return base.rstrip("/") + "/" + path + mark + query


def make_sample(top, kind):
    run("create", top, "--group", "--format", kind, "--attrs", '{"title":"places","n":[1,2.5,null]}')
    for name, (shape, chunks, dtype, numbers) in zip(names(kind), ARRAYS.values()):
        sizes = ["--shape", shape] + (["--chunks", chunks] if chunks else [])
        if name == "sharded" and kind == "v3":
            sizes += ["--shards", "10"]
        codec = "none" if name == "long" else "gzip:1"
        run("create", top + "/" + name, *sizes, "--dtype", dtype, "--format", kind, "--codecs", codec)
        if numbers:
            run("put", top + "/" + name, "--from", "-", data=numbers.tobytes())
    run("put", top + "/missing", "-s", "2:4", "--from", "-", data=b"\3\4")
    run("consolidate", top) if kind != "v3-2022" else None


def copy(source, target, kind, listed):
    """A store without listing shows a hierarchy by its consolidated metadata, which drafts do not have."""
    if listed or kind != "v3-2022":
        return run("cp", source, target, "--consolidate" if kind != "v3-2022" else "--no-consolidate")
    run("create", target, "--group", "--format", kind, "--attrs", '{"title":"places","n":[1,2.5,null]}')
    for name in names(kind):
        run("cp", inside(source, name), inside(target, name))


def compare(sample, target, kind, listed):
    for name in [None] if listed or kind != "v3-2022" else names(kind):
        run("diff", "--storage", sample if name is None else inside(sample, name), target if name is None else inside(target, name))
    if listed:
        run("validate", target)


def attempt(sample, source, target, kind):
    """None, or what went wrong"""
    try:
        copy(source[1], target[1], kind, source[0] not in UNLISTED)
        compare(sample, target[1], kind, target[0] not in UNLISTED)
    except Failed as e:
        return "%s to %s, %s: %s" % (source[0], target[0], kind, e)
    return None


def wanted(i, j, kind):
    return not options.quick or (i + j) % len(FORMATS) == FORMATS.index(kind)


def all_pairs(places, top):
    """One copy to each place first: the sources of the others"""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for kind in FORMATS:
            sample = os.path.join(top, kind + ".zarr")
            make_sample(sample, kind)
            from_files = [(s, u.replace("{}", "from-" + kind)) for s, u in places]
            yield from pool.map(lambda p: attempt(sample, ("files", sample), p, kind), from_files)
            jobs = [
                (a, (b[0], b[1].replace("{}", "%s-%s-%d-%d" % (kind, a[0], i, j))))
                for i, a in enumerate(from_files) for j, b in enumerate(places) if wanted(i, j, kind)
            ]
            yield from pool.map(lambda x: attempt(sample, *x, kind), jobs)


def main():
    places = [tuple(line.split(None, 1)) for line in sys.stdin.read().splitlines()]
    failed = passed = 0
    with tempfile.TemporaryDirectory() as top:
        for wrong in all_pairs(places, top):
            failed, passed = failed + (wrong is not None), passed + (wrong is None)
            if wrong:
                print("FAILED:", wrong)
    print("%d stores: %s" % (len(places), " ".join(s for s, _ in places)))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0 or passed == 0


UNLISTED = ("http",)
parser = argparse.ArgumentParser()
parser.add_argument("zinc")
parser.add_argument("--quick", action="store_true")
parser.add_argument("--jobs", type=int, default=2)
options = parser.parse_args()
sys.exit(main())
