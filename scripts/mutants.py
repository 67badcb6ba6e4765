#!/usr/bin/env python3
"""mutants.py [--build DIR] [--each N] [--stale] [WORD...] - a test fails for each small mistake in tests/mutants/*.txt

A test that cannot fail checks nothing.  Each stanza is one mistake in one line of the source and the test that must
detect it:

    mutant: accept a frame of another size
    file: src/codec/codec_zstd.c
    from: if (size != want)
    to: if (0)
    test: test_codec_zstd

(1) The tree is copied to DIR (build-mutants) and changed there only.
(2) Every named test passes before the first mistake is made; otherwise its failure would prove nothing.
(3) `from` occurs exactly once in the file.  Otherwise the mutant is stale, which counts as a failure.
(4) A mutant that does not compile counts as a failure: the compiler detected it, no test did.
(5) A test that hangs has detected the mistake.

--each N uses at most N of each file; WORDs select mutants by the text of their stanza.  --stale only checks (3), which
takes a second and is part of `make check`.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIELDS = ("mutant", "file", "from", "to", "test")
HANGS = 600  # seconds; each test has a limit of its own, which wins over ctest's option


class Mutant:
    def __init__(self, origin, text):
        self.origin = origin
        self.text = text
        for line in text.splitlines():
            name, colon, value = line.partition(":")
            if not colon or name not in FIELDS:
                sys.exit(f"{origin}: not a line of a stanza: {line}")
            setattr(self, name, value[1:] if value.startswith(" ") else value)
        for name in FIELDS:
            if not hasattr(self, name):
                sys.exit(f"{origin}: no `{name}:` in the stanza of {text.splitlines()[0]}")


def read_mutants(each, words):
    out = []
    for path in sorted((ROOT / "tests/mutants").glob("*.txt")):
        text = "\n".join(l for l in path.read_text().splitlines() if not l.startswith("#"))
        found = [Mutant(path.stem, s.strip("\n")) for s in re.split(r"\n\s*\n", text) if s.strip()]
        found = [m for m in found if all(w in m.text for w in words)]
        out += found[:each] if each else found
    return out


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)


class Tree:
    """The copy of the tree in which mistakes are made, and its build"""

    def __init__(self, place):
        self.source, self.build = place / "source", place / "build"
        self.source.mkdir(parents=True, exist_ok=True)
        files = run(["git", "ls-files"], cwd=ROOT).stdout.split("\n")
        for name in filter(None, files):
            self.restore(name)
        made = run(["cmake", "-G", "Ninja", "-B", self.build, "-S", self.source, "-DZINC_TESTS=ON",
                    f"-DZINC_TEST_GUARD={HANGS}"])
        if made.returncode:
            sys.exit(made.stdout)
        made = self.ninja([])
        if made.returncode:
            sys.exit(made.stdout)
        self.programs = {p.name for p in (self.build / "tests").iterdir()}

    def restore(self, name):
        """Restore files from the tree; unchanged ones keep their time, so that they are not compiled again"""
        here, there = ROOT / name, self.source / name
        if not here.is_file() or (there.is_file() and there.read_bytes() == here.read_bytes()):
            return
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here, there)
        there.touch()

    def ninja(self, targets):
        return run(["ninja", "-C", self.build, "--quiet"] + targets)

    def tests(self, expression):
        listed = run(["ctest", "--test-dir", self.build, "-N", "-R", f"^({expression})$"]).stdout
        return re.findall(r"Test +#\d+: (\S+)", listed)

    def make(self, expression):
        """Build what the tests need: their programs, and for all others the product"""
        names = self.tests(expression)
        own = [n for n in names if n in self.programs]
        return self.ninja(own + (["product"] if len(own) < len(names) else []))

    def passes(self, expression):
        if not self.tests(expression):
            sys.exit(f"mutants: no test is named {expression}")
        return run(["ctest", "--test-dir", self.build, "-j", "2", "--stop-on-failure", "-R",
                    f"^({expression})$"]).returncode == 0


def stale(root, mutant):
    """Why the mistake cannot be made, or None"""
    path = root / mutant.file
    n = (path.read_text() if path.is_file() else "").count(getattr(mutant, "from"))
    return None if n == 1 else f"stale: `from` occurs {n} times in {mutant.file}"


def look_for_stale(mutants):
    found = [(m, why) for m in mutants if (why := stale(ROOT, m))]
    for m, why in found:
        print(f"tests/mutants/{m.origin}.txt: {m.mutant}: {why}")
    print(f"mutants: {len(mutants)} stanzas, {len(found)} stale")
    return 1 if found or not mutants else 0


def verdict(tree, mutant):
    path = tree.source / mutant.file
    if stale(tree.source, mutant):
        return stale(tree.source, mutant)
    text = path.read_text()
    path.write_text(text.replace(getattr(mutant, "from"), mutant.to))
    try:
        made = tree.make(mutant.test)
        if made.returncode:
            return "does not compile: " + next((l for l in made.stdout.splitlines() if "error" in l), "")
        return "SURVIVED" if tree.passes(mutant.test) else "killed"
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=ROOT / "build-mutants", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=0)
    parser.add_argument("--stale", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    mutants = read_mutants(options.each, options.words)
    if options.stale:
        sys.exit(look_for_stale(mutants))
    tree = Tree(options.build.resolve())
    bad = [t for t in sorted({m.test for m in mutants}) if not tree.passes(t)]
    for test in bad:
        print(f"mutants: {test} fails without any mistake")
    killed = 0
    for m in mutants if not bad else []:
        said = verdict(tree, m)
        killed += said == "killed"
        print(f"{m.origin:12} {said:10} {m.mutant}  [{m.test}]", flush=True)
    failed = len(bad) + (len(mutants) - killed if not bad else 0)
    print(f"{killed} passed, {failed} failed")
    sys.exit(failed != 0 or killed == 0)


if __name__ == "__main__":
    main()
