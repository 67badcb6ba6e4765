"""run.py - exchange every case with every peer, both ways, and print the table

    run.py [--quick] [--among-peers] [--anyway] [--only TEXT] [--jobs N] [--keep]

--among-peers leaves Zinc out, and the others read each other: this checks the matrix itself. --anyway also runs cases
that are normally skipped. --only runs the cases and scenarios whose name contains TEXT.
"""

import argparse
import collections
import json
import multiprocessing
import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import cases
import scenarios
import values
import writers
from peers import BUILD, Zinc, fresh, has_numcodecs, peers

Outcome = collections.namedtuple("Outcome", "case tags way state detail")  # way: "zarr > zinc"


# ---- comparing ----


def canonical(value):
    """JSON with one form for each value: 1 and 1.0 differ, the order of members does not matter."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def spelled(codecs):
    """Codecs with optional members filled in, so that two forms of a chain are equal."""
    chain = []
    for c in codecs:
        c = {"name": c} if isinstance(c, str) else c
        config = dict(c.get("configuration") or {})
        if c["name"] == "zstd":
            config.setdefault("checksum", False)
        if c["name"] == "blosc" and config["shuffle"] == "noshuffle":
            config.pop("typesize", None)  # means nothing then
        if c["name"] == "sharding_indexed":
            config["codecs"], config["index_codecs"] = spelled(config["codecs"]), spelled(config["index_codecs"])
            config.setdefault("index_location", "end")
        chain.append({"name": c["name"], "configuration": config})
    return chain


def names_alone(codecs):
    """For codecs of Zarr v2, which Zinc shows as v3 calls them and with all their members."""
    return [(c if isinstance(c, str) else c["name"]).removeprefix("numcodecs.") for c in codecs]


def differences(case, seen, exact):
    """The differences between the read array and the case; all NaNs are equal unless `exact`."""
    want, spell = case.data(), names_alone if has_numcodecs(case) else spelled
    got, fill = np.asarray(seen.values), values.fill_of(case.dtype, case.fill)
    seen_fill = np.frombuffer(seen.fill, fill.dtype).reshape(())
    if not exact:
        want, got, fill, seen_fill = (values.quiet(a) for a in (want, got, fill, seen_fill))
    if got.dtype != want.dtype or got.shape != want.shape:
        yield f"elements are {got.dtype}{list(got.shape)}, not {want.dtype}{list(want.shape)}"
    elif values.bits(got) != values.bits(want):
        size = want.dtype.itemsize
        a, b = (np.frombuffer(values.bits(x), f"V{size}") for x in (want, got))
        where = [i for i in range(a.size) if a[i] != b[i]]
        first = tuple(int(k) for k in np.unravel_index(where[0], want.shape))
        yield f"{len(where)} of {a.size} elements differ, first {first}: {want[first]} became {got[first]}"
    for what, expected, found in (
        ("data type", case.dtype, seen.dtype),
        ("shape", list(case.shape), seen.shape),
        ("fill value", fill.tobytes().hex(), seen_fill.tobytes().hex()),
        ("attributes", case.attributes, seen.attributes),
        ("dimension names", None if case.names is None or not any(n is not None for n in case.names) else list(case.names), seen.names),
        ("chunk shape", list(case.chunks), seen.chunks if seen.chunks is not None else list(case.chunks)),
        ("codecs", spell(case.codecs), spell(seen.codecs if seen.codecs is not None else case.codecs)),
    ):
        if canonical(expected) != canonical(found):
            yield f"{what} {canonical(expected)[:200]} became {canonical(found)[:200]}"


# ---- exchanging ----


def attempt(step):
    """None, or a text about the failure."""
    try:
        return step()
    except Exception as e:  # any exception of a peer is a result here
        return f"{type(e).__name__}: {e}".strip()[:600]


def exchange(case, writer, readers, path, anyway):
    """One writes, all read; an outcome for each reader."""
    way = lambda reader: f"{writer.name} > {reader.name}"
    refusal = None if anyway else writer.why_not(case, "write")
    if refusal:
        return [Outcome(case.name, case.tags, way(r), "skip", refusal) for r in readers]
    trouble = attempt(lambda: writer.write(case, fresh(path)))
    if not trouble and isinstance(writer, Zinc):
        trouble = attempt(lambda: writer.validate(path))
    if trouble:
        return [Outcome(case.name, case.tags, way(r), "fail", f"writing: {trouble}") for r in readers]
    outcomes = []
    for reader in readers:
        refusal = None if anyway else reader.why_not(case, "read")
        if refusal:
            outcomes.append(Outcome(case.name, case.tags, way(reader), "skip", refusal))
            continue
        exact = writer.exact(case) and reader.exact(case)
        found = attempt(lambda: "; ".join(differences(case, reader.read(path), exact)))
        if not found and isinstance(reader, Zinc):
            found = attempt(lambda: reader.validate(path))
        outcomes.append(Outcome(case.name, case.tags, way(reader), "fail" if found else "pass", found or ""))
    return outcomes


def run_case(case, options, folder):
    outcomes = []
    if options.among_peers:
        plan = [(w, [r for r in peers() if r is not w]) for w in peers()]
    else:
        plan = [(w, [Zinc()]) for w in peers()] + [(Zinc(), peers())]
    for writer, readers in plan:
        path = os.path.join(folder, case.name, writer.name)
        outcomes += exchange(case, writer, readers, path, options.anyway)
        if not options.keep and all(o.state != "fail" for o in outcomes):
            shutil.rmtree(path, ignore_errors=True)
    if not options.keep and all(o.state != "fail" for o in outcomes):
        shutil.rmtree(os.path.join(folder, case.name), ignore_errors=True)
    return outcomes


def run_scenario(scenario, options, folder):
    return [Outcome(scenario.name, scenario.tags, *rest) for rest in scenarios.run(scenario, os.path.join(folder, scenario.name))]


def run_some(jobs, options, folder):
    """What one worker process does."""
    outcomes = []
    for job in jobs:
        outcomes += (run_case if isinstance(job, cases.Case) else run_scenario)(job, options, folder)
    return outcomes


# ---- the table ----

def cell(outcomes):
    count = collections.Counter(o.state for o in outcomes)
    if count["fail"]:
        return f"{count['fail']} BAD of {sum(count.values())}"
    if not count["pass"]:
        return "-" if count["skip"] else ""
    return f"{count['pass']}" + (f"  -{count['skip']}" if count["skip"] else "")


def table(outcomes, ways, tags):
    """Lines of the table: one per tag, one column per way; a case counts in each line it has a tag for."""
    lines = collections.defaultdict(lambda: collections.defaultdict(list))
    for o in outcomes:
        for tag in o.tags:
            lines[tag][o.way].append(o)
    rows = [["", *ways]] + [[tag, *(cell(lines[tag][w]) for w in ways)] for tag in tags]
    rows.append(["all", *(cell([o for o in outcomes if o.way == w]) for w in ways)])
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    out = ["| " + " | ".join(c.ljust(w) for c, w in zip(r, widths)) + " |" for r in rows]
    out.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return out


def in_order(jobs):
    """Every tag once: by its first word, then as the cases come."""
    tags = list(dict.fromkeys(tag for job in jobs for tag in job.tags))
    words = list(dict.fromkeys(tag.split()[0] for tag in tags))
    return sorted(tags, key=lambda tag: words.index(tag.split()[0]))


def report(outcomes, jobs):
    ways = list(dict.fromkeys(o.way for o in outcomes))
    ways.sort(key=lambda w: w.startswith("zinc"))
    print("\n".join(table(outcomes, ways, in_order(jobs))))
    print("\nA number is how many exchanges agreed; -N: that many skipped; -: all skipped.")
    skipped = collections.Counter(o.detail for o in outcomes if o.state == "skip")
    if skipped:
        print("\nSkipped, because")
        for reason, n in sorted(skipped.items()):
            print(f"  {n:5}  {reason}")
    failed = [o for o in outcomes if o.state == "fail"]
    if failed:
        print("\nFailed")
        for o in failed:
            print(f"  {o.way}: {o.case}: {o.detail}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--among-peers", action="store_true")
    parser.add_argument("--anyway", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1))
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--folder", default=os.path.join(BUILD, "interop"))
    options = parser.parse_args()

    began = time.monotonic()
    versions = [f"{p.name} {p.version()}" for p in (peers() if options.among_peers else [Zinc(), *peers()])]
    print(", ".join(versions), flush=True)
    jobs = cases.all_cases(options.quick)
    if not options.among_peers:
        jobs += scenarios.all_scenarios(options.quick)
    jobs = [j for j in jobs if options.only in j.name]
    folder = fresh(options.folder)
    os.makedirs(folder)
    parts = [jobs[i :: options.jobs * 8] for i in range(options.jobs * 8)]
    outcomes = []
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for some in pool.map(run_some, parts, [options] * len(parts), [folder] * len(parts)):
            outcomes += some
    report(outcomes, jobs)
    count = collections.Counter(o.state for o in outcomes)
    if not options.among_peers and options.only in "writers":
        print("\nWriters at the same time")
        for title, state, detail in writers.run(folder, options.quick):
            print(f"  {title}: {'' if state == 'pass' else 'FAILED: '}{detail}", flush=True)
            count[state] += 1
    print(f"\n{len(jobs)} arrays and scenarios in {time.monotonic() - began:.0f} s")
    print(f"{count['pass']} passed, {count['fail']} failed, {count['skip']} skipped")
    return 1 if count["fail"] or not count["pass"] else 0


if __name__ == "__main__":
    sys.exit(main())
