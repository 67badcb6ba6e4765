#!/usr/bin/env python3
"""check_symbols.py [--root DIR] [--write] [LIBRARY...] - cmake/libzinc.map lists every public function of include/, and nothing else

With --write the list is written again: check the changes, because names are permanent.  With a library it also compares
the names that the library exports.
"""
import argparse
import pathlib
import re
import subprocess
import sys

LIST = re.compile(r"(ZINC_0 \{\n\tglobal:\n)(.*?)(\tlocal:)", re.S)


def declared(root):
    """Names that the headers mark ZINC_API."""
    names = set()
    for header in sorted(root.glob("include/**/*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for m in re.finditer(r"^ZINC_API\b([^;{]*?)\b(zinc_\w+)\s*\(", text, re.M):
            names.add(m.group(2))
    return names


def exported(library):
    out = subprocess.check_output(["nm", "-D", "--defined-only", library], text=True)
    names = {line.split()[-1].split("@")[0] for line in out.splitlines()}
    return {n for n in names if n.startswith("zinc_") and not n.startswith("zinc__")}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("libraries", nargs="*")
    options = parser.parse_args()
    map_file = options.root / "cmake/libzinc.map"
    names, text = declared(options.root), map_file.read_text()
    if options.write:
        lines = "".join(f"\t\t{name};\n" for name in sorted(names))
        map_file.write_text(LIST.sub(lambda m: m.group(1) + lines + m.group(3), text))
        return 0
    listed = set(re.findall(r"(zinc_\w+);", LIST.search(text).group(2)))
    wrong = [f"{n}: in the headers, not in cmake/libzinc.map" for n in sorted(names - listed)]
    wrong += [f"{n}: in cmake/libzinc.map, not in the headers" for n in sorted(listed - names)]
    for library in options.libraries:
        wrong += [f"{n}: declared, but {library} does not export it" for n in sorted(names - exported(library))]
        wrong += [f"{n}: exported by {library}, but in no header" for n in sorted(exported(library) - names)]
    print("\n".join(wrong + [f"check_symbols: {len(names)} functions, {len(wrong)} findings"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
