#!/usr/bin/env python3
"""check_layers.py [--root DIR] - which room includes which, against the table of rooms

A room is a directory of src/; its door (public header) is src/<room>/<room>.h.  Rules:

(1) A file of a room includes files of its own room and the doors of the rooms in its row, no others.
(2) A dependency's header is included by its one wrapper file only.
(3) Code outside (the command, examples, benchmarks, bindings) includes <zinc.h> and <zinc/*.h> only,
    and so do the public headers themselves.
(4) The table of rooms in docs/architecture.md is the table here.
"""
import argparse
import pathlib
import re
import sys

MAY_INCLUDE = {
    "base": "",
    "json": "base",
    "report": "json base",
    "dtype": "report json base",
    "grid": "report json base",
    "codec": "dtype grid report json base",
    "net": "json base",
    "store": "net json base",
    "fetch": "store json base",
    "shard": "fetch store codec grid report json base",
    "transform": "shard fetch store codec grid report json base",
    "format": "codec dtype grid store report json base",
    "array": "format transform shard fetch codec dtype grid store report json base",
    "node": "array format dtype store report json base",
    "schema": "report json base",
    "convention": "schema node report json base",
    "cf": "node array format dtype grid store report json base",
    "tool": "cf convention node array format fetch codec dtype grid store report json base",
}

# header, as a pattern -> the files that wrap it
WRAPPERS = {
    r"zstd.*\.h": ["codec/codec_zstd.c"],
    r"blosc.*\.h": ["codec/codec_blosc.c"],
    r"libdeflate\.h": ["base/flate.c"],
    r"isa-l(\.h|/(igzip_lib|types)\.h)": ["codec/deflate.c"],
    r"isa-l/crc.*\.h": ["base/crc.c"],
    r"zlib\.h": [],
    r"bzlib\.h": ["codec/codec_bz2.c"],
    r"lzma.*": ["codec/codec_lzma.c"],
    r"lz4.*\.h": ["codec/codec_lz4.c"],
    r"zfp.*\.h": ["codec/zfp.c"],
    r"pcre2.*\.h": ["schema/regex.c"],
    r"curl/.*": ["net/http_lane.h"],
    r"lmdb.*": ["store/store_lmdb.h"],
    r"(mongoc|bson)/.*": ["store/store_mongodb.h"],
    r"(postgresql/)?libpq.*": ["store/store_postgresql.h"],
    r"leveldb/.*": ["store/store_leveldb.c"],
    r"db\.h": ["store/store_berkeleydb.c"],
    r"kc.*\.h": ["store/store_kyotocabinet.c"],
    r"tc(b|h)db\.h|tcutil\.h": ["store/store_tokyocabinet.c"],
    r"sqlite3.*": ["store/store_sqlite.h"],
    r"openssl/.*": ["net/digest.c", "net/rsa.c", "net/tcp.c"],
}

OUTSIDE = ["cli", "examples", "bench", "server", "python", "mpi", "fortran", "tests/cxx"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    """(line number, '<' or '"', name) of each include in a file"""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1], found[2]


def check_room_include(src, path, kind, name):
    """What is wrong with this include of a library file, or None"""
    room = path.parent.name
    here = f"{room}/{path.name}"
    if kind == "<":
        if name.split("/")[0] in MAY_INCLUDE:
            return f'<{name}> is ours: write it as "{name}"'
        for pattern, wrappers in WRAPPERS.items():
            if re.fullmatch(pattern, name) and here not in wrappers:
                return f"<{name}> belongs to {' or '.join(wrappers) or 'nobody'}"
        return None
    if name.startswith("zinc"):
        return f'"{name}" is public: write it as <{name}>'
    parts = name.split("/")
    if len(parts) == 1:
        parts = [room, name]
    if len(parts) != 2 or not (src / parts[0] / parts[1]).is_file():
        return f'"{name}" is not a file of a room'
    other = parts[0]
    if other == room:
        return None
    if other not in MAY_INCLUDE[room].split():
        return f"room {room} may not include room {other}"
    if parts[1] != f"{other}.h":
        return f'"{name}" is inside room {other}: only its door {other}/{other}.h may be included'
    return None


def check_outside_include(path, kind, name):
    """What is wrong with this include in a file that may use only the public headers, or None"""
    if kind == "<":
        if name.split("/")[0] in MAY_INCLUDE:
            return f"<{name}> is inside the library"
        wrapped = any(re.fullmatch(pattern, name) for pattern in WRAPPERS) and path.parent.name != "bench"
        return f"<{name}> is of a library that libzinc wraps" if wrapped else None
    if "/" in name or not (path.parent / name).is_file():
        return f'"{name}" is not a file of {path.parent.name}/; only <zinc.h> and <zinc/*.h> may be used'
    return None


def check_document(root):
    """Rows of the document's table of rooms that differ from MAY_INCLUDE"""
    path = root / "docs" / "architecture.md"
    if not path.is_file():
        return
    rows = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r"\| `(\w+)` \| .* \| ([a-z –]*) \|$", line)
        if found:
            rows[found[1]] = number, found[2].replace("–", "")
    for room, may in MAY_INCLUDE.items():
        number, said = rows.get(room, (1, None))
        yield path, number, None if said == may else f"room {room} may include: {may or '–'}"


def check(root):
    src = root / "src"
    yield from check_document(root)
    for path in sorted(src.glob("**/*.[ch]")):
        if path.parent.parent != src or path.parent.name not in MAY_INCLUDE:
            yield path, 1, "not in a known room"
            continue
        for number, kind, name in includes(path):
            yield path, number, check_room_include(src, path, kind, name)
    outside = [p for d in OUTSIDE for p in (root / d).glob("**/*") if p.suffix in (".c", ".h", ".cpp")]
    for path in sorted(outside) + sorted((root / "include").glob("**/*.h")):
        for number, kind, name in includes(path):
            yield path, number, check_outside_include(path, kind, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    seen = list(check(root))
    wrong = [(path, number, text) for path, number, text in seen if text]
    for path, number, text in wrong:
        print(f"{path.relative_to(root)}:{number}: {text}")
    if not seen:
        print("check_layers: no includes found, wrong directory?")
    print(f"check_layers: {len(seen)} includes, {len(wrong)} wrong")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
