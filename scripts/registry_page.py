#!/usr/bin/env python3
"""registry_page.py [--check] - write docs/registry.md: every registered name, and who can read and write it

Names and sample arrays are in scripts/registry.json.  What Zinc does with a name is not claimed but tried, with $ZINC
(default build/zinc): it opens the sample array, writes zeros into it and reads them back.  With --check nothing is
written; it fails if the page is not what would be written, or if a name does not work that registry.json does not
list as missing.
"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ZINC = os.environ.get("ZINC", os.path.join(ROOT, "build", "zinc"))
PAGE = os.path.join(ROOT, "docs", "registry.md")
WORDS = {"read and write": "yes", "read": "read", "": "no", "no": "no"}
KINDS = {"codecs": ("Codecs", "docs/codecs/{}.md"), "data_types": ("Data types", None), "chunk_grids": ("Chunk grids", None),
         "chunk_key_encodings": ("Chunk key encodings", None)}
PAGES = {"vlen-bytes": "vlen-utf8"}  # pages with several names


def document(array):
    """The sample, with what it does not say."""
    return {"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "codecs": [{"name": "bytes"}], "fill_value": 0, **array}


def zinc(*args, stdin=None):
    done = subprocess.run([ZINC, *args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else None


def npy(words):
    """An .npy file of texts or bytes of length 1."""
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (4,), }" % ("|S1" if isinstance(words, bytes) else "<U1")
    header = header + " " * (63 - (10 + len(header)) % 64) + "\n"
    body = words if isinstance(words, bytes) else words.encode("utf-32-le")
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + body


def zeros(url, array):
    """What is written into the array: something else than its fill value."""
    if array["data_type"] in ("string", "bytes"):
        return npy("abcd" if array["data_type"] == "string" else b"abcd")
    return bytes(len(zinc("cat", "--as", "raw", url) or b""))


def can(array):
    """"read and write", "read" or ""."""
    with tempfile.TemporaryDirectory() as directory:
        url = os.path.join(directory, "a.zarr")
        os.mkdir(url)
        with open(os.path.join(url, "zarr.json"), "w") as f:
            json.dump(document(array), f)
        before = zinc("cat", "--as", "json", url)
        if before is None:
            return ""
        written = zinc("put", url, "--from", "-", stdin=zeros(url, array))
        after = zinc("cat", "--as", "json", url)
        return "read and write" if written is not None and after not in (None, before) else "read"


def link(kind, name):
    page = KINDS[kind][1] and KINDS[kind][1].format(PAGES.get(name, name))
    there = page and os.path.exists(os.path.join(ROOT, page))
    return f"[`{name}`]({page[5:]})" if there else f"`{name}`"


def table(kind, data, does):
    title, peers = KINDS[kind][0], data["peers"]
    works = sum(1 for n in data[kind] if does[kind, n] == "read and write")
    lines = [f"## {title}", "", f"{len(data[kind])} names; Zinc reads and writes {works}.", "",
             "| name | Zinc | " + " | ".join(peers) + " |", "|---|---|" + "---|" * len(peers)]
    for name, row in data[kind].items():
        own = WORDS[does[kind, name]]
        if own == "read" and name in data["read_only"]:
            own = f"read ({data['read_only'][name]})"
        if own == "no" and name in data["missing"]:
            own = f"no: {data['missing'][name]}"
        lines.append(f"| {link(kind, name)} | {own} | " + " | ".join(WORDS[row["peers"].get(p, "no")] for p in peers) + " |")
    return lines + [""]


def page(data, does):
    lines = ["# What is registered, and who has it", "",
             "Written by `scripts/registry_page.py`, which tries each name: it opens an array that uses it, writes into it and reads it",
             "back: \"yes\". `make test` checks that the page is true and that no name is missing. The other columns were measured in the",
             "same way (`tests/interop/registry_peers.py`): " + ", ".join(f"{p} {v}" for p, v in data["peers"].items()) + ".", "",
             "Registered are the names of [core 3.1](https://zarr-specs.readthedocs.io/) and of",
             "[zarr-extensions](https://github.com/zarr-developers/zarr-extensions). There are no registered storage transformers.",
             "Names that are not registered, but in use, are in [codecs](codecs/README.md) and [data types](dtypes.md).", ""]
    for kind in KINDS:
        lines += table(kind, data, does)
    return "\n".join(lines)


def main():
    with open(os.path.join(ROOT, "scripts", "registry.json")) as f:
        data = json.load(f)
    does = {(kind, name): can(row["array"]) for kind in KINDS for name, row in data[kind].items()}
    wrong = [k for k, d in does.items() if d != "read and write" and k[1] not in data["missing"] and k[1] not in data["read_only"]]
    for kind, name in wrong:
        print(f"registry_page: \"{name}\" is registered, but {does[kind, name] or 'not supported'}", file=sys.stderr)
    for (kind, name), d in does.items():
        if d and name in data["missing"]:
            print(f"registry_page: \"{name}\" is supported: take it out of \"missing\" in scripts/registry.json")
    text = page(data, does)
    if sys.argv[1:] == ["--check"]:
        with open(PAGE) as f:
            stale = f.read() != text
        if stale:
            print("docs/registry.md: run scripts/registry_page.py", file=sys.stderr)
        else:
            print(f"registry_page: {len(does)} names, the page matches the build")
        return int(bool(wrong) or stale)
    with open(PAGE, "w") as f:
        f.write(text)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
