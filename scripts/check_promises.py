#!/usr/bin/env python3
"""check_promises.py [--root DIR] - every line of docs/promises.md names an existing test

(1) Each item, row of a table and paragraph below the first heading of level two names at least one test.
(2) An item is one sentence.
(3) Every named test exists: a unit test, a fuzz target's replay, a test of the command, a script, a target of make.
"""
import argparse
import pathlib
import re
import sys

TEST = re.compile(r"`((?:test|cli|replay|scripts|example)_[\w.]*|make [\w-]+)`")


def there(root, name):
    """Does a test, or a family of tests, of this name exist?"""
    kind, _, rest = name.partition("_")
    places = {
        "test": ["tests/unit/test_{}.c"],
        "cli": ["tests/cli/{}.sh"],
        "replay": ["fuzz/fuzz_{}*.c"],
        "scripts": ["tests/scripts/{}.*"],
        "example": ["examples/{}.c"],
    }
    if name.startswith("make "):
        return re.search(rf"^{name[5:]}:", (root / "Makefile").read_text(), re.M) is not None
    return any(list(root.glob(p.format(rest))) for p in places[kind])


def blocks(text):
    """(line, text) of each item, row and paragraph after the introduction"""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            inside = True
        elif inside and line.strip() and not line.startswith("#"):
            yield number, line


def check(root):
    lines = (root / "docs/promises.md").read_text().splitlines()
    for number, line in blocks("\n".join(lines)):
        head = line.startswith("|") and (line.startswith("|---") or lines[number : number + 1] and lines[number].startswith("|---"))
        names = TEST.findall(line)
        if not names and not head:
            yield number, "a promise without a test"
        if line.startswith("- ") and re.search(r"[a-z)`]\. [A-Z]", line):
            yield number, "more than one sentence"
        for name in names:
            if not there(root, name):
                yield number, f"there is no {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    wrong = list(check(root))
    for number, what in wrong:
        print(f"docs/promises.md:{number}: {what}")
    print(f"check_promises: {len(wrong)} findings")
    return 1 if wrong else 0


sys.exit(main())
