#!/usr/bin/env python3
"""check_abi.py [--write] [--root DIR] - public structures have the layout of tests/abi/lp64.txt, and can grow

(1) The table has the size of each structure and union of include/, and the offset of each member, from the compiler (CC).
    After a change, --write writes the table again, so that the change is visible; list it in CHANGELOG.md.
(2) A structure that begins with its size can grow.  Programs that were compiled before have its old size, so it is never
    inside another structure or in a list, and never passed or returned by value.
(3) Any other structure never changes, and is in FIXED with a reason.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FIXED = {
    "zinc_error": "on the caller's stack, without initialization; has reserved room",
    "zinc_cancel": "set by signal handlers",
    "zinc_blob": "inside the caller's structures",
    "zinc_vlen": "an element of the caller's buffer",
    "zinc_number": "one number",
    "zinc_tag": "inside the caller's structures; compared as bytes",
    "zinc_condition": "two words of one put or delete",
    "zinc_select_dim": "in lists",
    "zinc_attribute": "in lists",
    "zinc_setting": "in lists",
    "zinc_copy_choice": "in lists",
    "zinc_layer": "in lists",
    "zinc_setting_row": "in lists; has reserved room",
    "zinc_get": "in lists; has reserved room",
    "zinc_put": "in lists; has reserved room",
    "zinc_del": "in lists; has reserved room",
    "zinc_part": "in lists; has reserved room",
    "zinc_partial": "in lists; has reserved room",
}
STRUCTURE = re.compile(r"\b(?:struct|union)\s+(zinc_\w+)\s*\{(.*?)\n\}", re.S)
FUNCTION = re.compile(r"^(?:ZINC_API|ZINC_CHECKED|typedef)\b[^;{]*\([^;{]*;", re.M)
PROGRAM = "%s#include <stddef.h>\n#include <stdio.h>\nint\nmain(void)\n{\n%s\treturn 0;\n}\n"


def plain(header):
    """The text without comments and preprocessor lines"""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n", "", text, flags=re.M)


def members(body):
    """Names in the order of their declaration, each with the declaration"""
    out = []
    for declaration in filter(None, (" ".join(d.split()) for d in body.split(";"))):
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
        if pointer:
            out.append((pointer.group(1), declaration))
            continue
        for part in declaration.split(","):
            out.append((re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", part).group(1), declaration))
    return out


def layout(found, headers, include):
    """The lines of the table, from the compiler"""
    lines = "".join(f"#include <{h.relative_to(include)}>\n" for h in headers)
    body = ""
    for name in sorted(found):
        body += f'\tprintf("{name} %zu\\n", sizeof({name}));\n'
        for member, _ in found[name]:
            body += f'\tprintf("\\t%zu {member}\\n", offsetof({name}, {member}));\n'
    with tempfile.TemporaryDirectory() as room:
        source, program = pathlib.Path(room, "x.c"), pathlib.Path(room, "x")
        source.write_text(PROGRAM % (lines, body))
        compiler = os.environ.get("CC", "cc").split()
        subprocess.run(compiler + ["-std=c11", "-D_GNU_SOURCE", "-I", include, "-o", program, source], check=True)
        return subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def with_names(table):
    """Each line of a member with the name of its structure"""
    name = ""
    for line in table:
        if not line.startswith("\t"):
            name = line.split()[0]
        yield name + ":" + line if line.startswith("\t") else line


def differences(now, then):
    now, then = list(with_names(now)), list(with_names(then))
    return [f"{l}: not in the table" for l in now if l not in then] + [f"{l}: only in the table" for l in then if l not in now]


def by_value(name, text):
    """Is it used without a pointer in this declaration?"""
    return re.search(rf"\b{name}\b(?!\s*(?:const\s*)?\*)\s*\w*\s*[,;)\[]", text) is not None


def growing_inside(name, found):
    """(2) for structures"""
    for other, content in found.items():
        names = {member for member, _ in content}
        for member, declaration in content:
            if by_value(name, declaration + ";"):
                yield f"{other}: {name} can grow and must be passed by pointer: {declaration}"
            if re.search(rf"\b{name} \*{member}$", declaration) and "n" + member in names:
                yield f"{other}: {name} can grow and cannot be in a list: {declaration}"


def growing_passed(name, functions):
    """(2) for functions"""
    for d in functions:
        if by_value(name, d) or re.match(rf"ZINC_API (ZINC_CHECKED )?{name}\s+\w", d):
            yield f"{name} can grow and must be passed by pointer: {d}"
        if re.search(rf"\b{name} \*\w+, size_t n\w*\b", d):
            yield f"{name} can grow and cannot be in a list: {d}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    include, table = options.root.resolve() / "include", options.root / "tests/abi/lp64.txt"
    headers = [h for h in sorted(include.glob("**/*.h")) if h.name != "cxx.h"]
    found = {name: members(body) for h in headers for name, body in STRUCTURE.findall(plain(h))}
    functions = [" ".join(d.split()) for h in headers for d in FUNCTION.findall(plain(h))]
    grow = [n for n in found if found[n][0] == ("size", "size_t size")]
    now = layout(found, headers, include)
    if options.write:
        table.write_text("\n".join(now) + "\n")
        return 0
    wrong = differences(now, table.read_text().splitlines())
    for name in grow:
        wrong += list(growing_inside(name, found)) + list(growing_passed(name, functions))
    wrong += [f"{n}: does not begin with its size, and FIXED has no reason" for n in found if n not in grow and n not in FIXED]
    wrong += [f"{n}: can grow, though FIXED says otherwise" for n in grow if n in FIXED]
    print("\n".join(wrong + [f"check_abi: {len(found)} structures, {len(grow)} can grow, {len(wrong)} findings"]))
    return 1 if wrong or not grow else 0


sys.exit(main())
