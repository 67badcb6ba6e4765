#!/usr/bin/env python3
"""python_zarr.py OURS.xml [DEFAULT.xml] - compare the outcomes of zarr-python's tests (JUnit files)

With DEFAULT.xml: a test that passes there must pass in OURS.xml; every difference is named.  Without it: no test may fail.
The last line is "N passed, N failed".
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

BAD = ("failure", "error")


def outcomes(path: str) -> dict[str, str]:
    """The outcome of each test: passed, failure, error or skipped."""
    found: dict[str, str] = {}
    for case in ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        tags = [part.tag for part in case if part.tag in (*BAD, "skipped")]
        found[name] = min(tags, key=(*BAD, "skipped").index) if tags else "passed"
    return found


def summary(title: str, found: dict[str, str]) -> None:
    print(f"{title}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(Counter(found.values()).items())))


def lost(ours: dict[str, str], default: dict[str, str]) -> list[str]:
    """Tests that pass with the default only."""
    return [name for name, outcome in default.items() if outcome == "passed" and ours.get(name) != "passed"]


def main(ours_path: str, default_path: str | None = None) -> int:
    ours = outcomes(ours_path)
    summary("zinczarr", ours)
    if default_path is None:
        bad = [name for name, outcome in ours.items() if outcome in BAD]
    else:
        default = outcomes(default_path)
        summary("default", default)
        for name in sorted(set(ours) | set(default)):
            if ours.get(name) != default.get(name):
                print(f"  {default.get(name, 'not run')} -> {ours.get(name, 'not run')}: {name}")
        bad = lost(ours, default)
    for name in bad:
        print(f"python_zarr: {name}: {ours.get(name, 'not run')}", file=sys.stderr)
    print(f"{sum(outcome == 'passed' for outcome in ours.values())} passed, {len(bad)} failed")
    return 1 if bad or not ours else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
