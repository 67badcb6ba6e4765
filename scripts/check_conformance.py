#!/usr/bin/env python3
"""check_conformance.py [--build DIR] [--write] [--list] - every rule of docs/conformance.md has a passing test

(1) A row's fourth column says what a breach is.  "not testable" needs no test, "-" (a dash) one that follows the rule,
    anything else also one that breaks it.
(2) A file below tests/ names a rule as `20-17+` (follows) or `20-17-` (breaks).  In tests/rules/index_*.txt a line
    "20-17,20-18 valid ..." is the first form, any other expectation the second.
(3) ctest runs the tests that name a rule; they count only if they pass.
(4) The last column lists no other tests.  --write only fills it in; --list runs nothing, and treats every
    test as passed.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

ROW = re.compile(r"^\| ((?:19|20|22)-[0-9]+|C[0-9]+) \|")
NAMED = re.compile(r"(?<![\w-])((?:19|20|22)-[0-9]+|C[0-9]+)([+-])(?![\w])")
LINE = re.compile(r"^((?:(?:19|20|22)-|C)[0-9][0-9,C-]*)\s+(\w+)\s+(\S+)")
DASH = "\N{EN DASH}"


class Rule:
    def __init__(self, number, breach):
        self.number = number
        self.signs = "" if breach.startswith("not testable") else "+" if breach.startswith(DASH) else "+-"
        self.tests = {"+": set(), "-": set()}

    def column(self):
        """The text of the last column"""
        parts = [sign + " " + ", ".join(sorted(self.tests[sign])) for sign in "+-" if self.tests[sign]]
        return "; ".join(parts)


def cells(line):
    return [c.strip() for c in line.strip().strip("|").split(" | ")]


def read_rules(doc):
    rules = {}
    for line in doc.read_text().splitlines():
        found = ROW.match(line)
        if not found:
            continue
        row = cells(line.replace("| |", "|  |"))
        if found[1] in rules or len(row) < 4:
            sys.exit(f"{doc.name}: {found[1]}: twice, or too few columns")
        rules[found[1]] = Rule(found[1], row[3])
    return rules


def test_name(root, path):
    """The ctest that runs a file of tests/, or None"""
    here = path.relative_to(root / "tests")
    if here.parts[0] == "unit" and path.suffix == ".c":
        return path.stem
    if here.parts[0] == "cli" and path.suffix == ".sh":
        return "cli_" + path.stem
    return None


def index_test(path):
    """The ctest that replays an index of stores"""
    return "test_draft_rules" if path.stem.startswith("index_v3_") else "cli_validate_" + path.stem.removeprefix("index_")


def collect(root, rules):
    """Note in each rule which tests name it; complaints about unknown numbers"""
    for path in sorted((root / "tests").glob("**/*")):
        name = test_name(root, path)
        if name:
            for number, sign in NAMED.findall(path.read_text()):
                if number in rules:
                    rules[number].tests[sign].add(name)
                else:
                    yield f"{path.relative_to(root)}: there is no rule {number}"
    for path in sorted((root / "tests/rules").glob("index_*.txt")):
        for line in path.read_text().splitlines():
            found = LINE.match(line)
            for number in found[1].split(",") if found else []:
                if number in rules:
                    rules[number].tests["+" if found[2] == "valid" else "-"].add(index_test(path))
                else:
                    yield f"{path.name}: there is no rule {number}"


def run(build, names):
    """Which of these tests pass"""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "junit.xml"
        pattern = "^(" + "|".join(sorted(names)) + ")$"
        subprocess.run(["ctest", "--test-dir", build, "-j", "2", "--output-on-failure", "-R", pattern,
                        "--output-junit", report], check=False, stdout=subprocess.DEVNULL)
        if not report.exists():
            sys.exit(f"ctest made no report; is {build}/ built with the tests?")
        cases = tree.parse(report).getroot().iter("testcase")
        return {c.get("name") for c in cases if c.get("status") == "run"}


def write(doc, rules):
    lines = []
    for line in doc.read_text().splitlines():
        found = ROW.match(line)
        if found:
            row = cells(line.replace("| |", "|  |"))
            line = "| " + " | ".join(row[:4]) + " | " + rules[found[1]].column() + " |"
            line = line.replace("|  |", "| |")
        lines.append(line)
    return "\n".join(lines) + "\n"


def untrue(doc, rules):
    """Tests that the last column lists and that do not name the rule"""
    for line in doc.read_text().splitlines():
        found = ROW.match(line)
        listed = re.findall(r"\w+", cells(line)[4]) if found and len(cells(line)) > 4 else []
        for name in listed:
            if not any(name in rules[found[1]].tests[s] for s in "+-"):
                yield f"{found[1]}: {name} does not name it"


def missing(rules, passed):
    for rule in rules.values():
        for sign in rule.signs:
            good = rule.tests[sign] & passed
            if not good:
                what = "follows" if sign == "+" else "breaks"
                why = "does not pass" if rule.tests[sign] else "is missing"
                yield f"{rule.number}: a test that {what} it {why}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    doc = root / "docs/conformance.md"
    rules = read_rules(doc)
    complaints = list(collect(root, rules))
    text = write(doc, rules)
    if args.write:
        doc.write_text(text)
        return 0
    complaints += untrue(doc, rules)
    if text != doc.read_text():
        print("docs/conformance.md: more tests than it lists; scripts/check_conformance.py --write")
    names = set().union(*(r.tests[s] for r in rules.values() for s in "+-"))
    passed = names if args.list else run(args.build, names) if names else set()
    complaints += missing(rules, passed)
    for c in complaints:
        print(c)
    exempt = sum(not r.signs for r in rules.values())
    held = sum(bool(r.signs) and all(r.tests[s] & passed for s in r.signs) for r in rules.values())
    print(f"{len(rules)} rules: {held} held by {len(passed)} tests, {exempt} not testable, {len(rules) - held - exempt} not held")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
