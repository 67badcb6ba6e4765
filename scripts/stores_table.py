#!/usr/bin/env python3
"""stores_table.py ZINC [--check] - the table of capabilities in docs/stores/README.md, from `zinc stores --json`

Rewrites what is between the two marks; stores that this build does not have keep their line.  --check changes nothing, and
fails if a line differs from the program.
"""
import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/stores/README.md"
BEGIN, END = "<!-- made by scripts/stores_table.py -->\n", "<!-- end -->\n"
COLUMNS = {
    "read": "read", "range": "range", "list": "list", "write": "write", "erase": "erase", "atomic-put": "atomic put",
    "durable": "durable", "cas": "conditions", "update": "update", "tags": "tags", "remote": "remote",
}


def row(name, caps):
    return "| %s | %s |" % (name, " | ".join("yes" if c in caps else "" for c in COLUMNS))


def main():
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    have = {l.split("|")[1].strip(): l for l in old.splitlines()[2:]}
    told = json.loads(subprocess.run([sys.argv[1], "stores", "--json"], capture_output=True, check=True).stdout)
    new = {s["name"]: row(s["name"], s["caps"]) for s in told["stores"] if not s["missing"]}
    if "--check" in sys.argv:
        wrong = [n for n in new if have.get(n) != new[n]]
        for name in wrong:
            print("docs/stores/README.md: %r instead of %r: run scripts/stores_table.py" % (have.get(name), new[name]))
        sys.exit(1 if wrong else 0 if set(have) <= set(new) else 77)
    head = ["| store | %s |" % " | ".join(COLUMNS.values()), "|---" * (len(COLUMNS) + 1) + "|"]
    PAGE.write_text(before + BEGIN + "\n".join(head + list((have | new).values())) + "\n" + END + after)


main()
