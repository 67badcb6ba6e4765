#!/usr/bin/env bash
# convert_matrix.sh - a hierarchy with all features from every version of Zarr to every other and back
#
# It has everything that a version can represent: groups, implicit groups, every type of the version, shards, Fortran
# order, big-endian elements, attributes, names of dimensions, fill values, members and names that only this version
# has; N5, which has few types, has less.  Each copy either keeps all content, which the copy back shows, or names before
# it starts what the target cannot represent; with --lossy exactly that is left out.  New formats are included without a
# change here.
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
command -v python3 >/dev/null || exit 77

if [ -d /dev/shm ] && [ -w /dev/shm ]; then
	place=$(mktemp -d -p /dev/shm)
	trap 'rm -rf "$place"' EXIT
	cd "$place"
fi

cat >matrix.py <<'END'
import json
import os
import shutil
import subprocess
import sys

ZINC, STEP = os.environ["ZINC"], int(sys.argv[1])


def zinc(*words, stdin=None, ok=True):
    done = subprocess.run([ZINC, *words], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ok and done.returncode != 0:
        sys.exit(f"FAILED: zinc {' '.join(words)}: {done.stderr.decode()}")
    return done


def noise(n, seed):
    out = bytearray()
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) % 2**31
        out.append(seed >> 16 & 0xFF)
    return bytes(out)


RAWS = json.dumps({"name": "struct", "configuration": {"fields": [
    {"name": "a", "data_type": "r24"}, {"name": "b", "data_type": "int16"}]}})

# name, type, bytes of one element (None: none are written), options
ARRAYS = [
    ("bool", "bool", lambda i: bytes([i % 3 == 0]), ["--fill", "true"]),
    *((t, t, lambda i, n=n: noise(n, i), ["--fill", "5"]) for t, n in
      (("int8", 1), ("int16", 2), ("int32", 4), ("int64", 8), ("uint8", 1), ("uint16", 2), ("uint32", 4))),
    ("uint64", "uint64", lambda i: noise(8, i), ["--fill", "18446744073709551615"]),
    ("float16", "float16", lambda i: noise(1, i) + b"\x3c", ["--fill", "-0.0"]),
    ("float32", "float32", lambda i: noise(3, i) + b"\x3f", ["--fill", "NaN"]),
    ("float64", "float64", lambda i: noise(7, i) + b"\x40", ["--fill", "-Infinity"]),
    ("payload", "float32", None, ["--fill", "0x7fc00001"]),
    ("complex64", "complex64", lambda i: (noise(3, i) + b"\x3f") * 2, ["--fill", '[1.5, "NaN"]']),
    ("complex128", "complex128", lambda i: (noise(7, i) + b"\x40") * 2, []),
    ("raw", "r24", lambda i: noise(3, i), ["--fill", "[1, 2, 3]"]),
    ("void", "|V3", lambda i: noise(3, i), ["--fill", '"AQID"']),
    ("voids", '[["a", "|V3"], ["b", "|V2", [2]]]', lambda i: noise(7, i), []),
    ("raws", RAWS, lambda i: noise(5, i), ["--fill", '{"a": [1, 2, 3], "b": 4}']),
    ("datetime", "<M8[ns]", lambda i: noise(7, i) + b"\x00", ["--fill", '"NaT"']),
    ("timedelta", "<m8[25s]", lambda i: noise(6, i) + b"\x00\x00", []),
    ("utf32", "<U3", lambda i: b"".join(bytes([65 + (i + k) % 26, 0, 0, 0]) for k in range(3)), ["--fill", '"ab"']),
    ("chars", "|S4", lambda i: bytes(97 + (i + k) % 26 for k in range(4)), []),
    ("struct", '[["a", "<i4"], ["b", "|S3"], ["c", "<f8"]]', lambda i: noise(4, i) + b"xyz" + noise(7, i) + b"\x40", []),
    ("big", ">i4", lambda i: noise(4, i), ["--fill", "-7"]),
    ("fortran", "int16", lambda i: noise(2, i), ["--order", "F"]),
    ("named", "int16", lambda i: noise(2, i), ["--dims", "y,x"]),
    ("nulled", "int16", lambda i: noise(2, i), ["--dims", "y,x"]),
    ("partly", "int16", lambda i: noise(2, i), ["--dims", ",x"]),
    ("zstd", "int16", lambda i: noise(2, i), ["--codecs", "zstd:7"]),
    ("checked", "int16", lambda i: noise(2, i), ["--codecs", "gzip:5+crc32c"]),
    ("blosc", "int16", lambda i: noise(2, i), ["--codecs", "blosc:lz4:5:shuffle"]),
    ("plain", "int16", lambda i: noise(2, i), ["--codecs", "none"]),
    ("shards", "int16", lambda i: noise(2, i), ["--shards", "6,8", "--codecs", "gzip:1"]),
    ("sparse", "int32", None, ["--fill", "9"]),
    ("deep/below/x", "int8", lambda i: noise(1, i), []),
    ("Upper", "int8", None, []),
    ("\u00fcml\u00e4ut", "int8", None, []),
    (".zhidden", "int8", None, []),
    ("a b", "int8", None, []),
    ("__mine", "int8", None, []),
]


def build(form):
    """All of it that the format takes, in FORM.zarr"""
    url = f"{form}.zarr"
    zinc("create", url, "--group", "--format", form, "--attrs", '{"title": "all", "n": [1, 2.50, null, "\u00fc"]}')
    for name, dtype, element, options in ARRAYS:
        extra = [] if "--codecs" in options else ["--codecs", "gzip:1"]
        attrs = json.dumps({"units": "K", "name": name, "nested": {"a": [True, None]}})
        create = ["create", f"{url}/{name}", "--shape", "7,9", "--chunks", "3,4", "--dtype", dtype, "--attrs", attrs]
        done = zinc(*create, *options, *extra, ok=False)
        if done.returncode != 0 and "--fill" in options:  # a format whose fill value is 0
            done = zinc(*create, *extra, ok=False)
        if done.returncode != 0:  # this format does not have it
            continue
        if element:
            zinc("put", f"{url}/{name}", "--from", "-", stdin=b"".join(element(i) for i in range(63)))
    zinc("create", f"{url}/scalar", "--shape", "", "--dtype", "int32", "--fill", "3", "--codecs", "gzip:1", ok=False)
    zinc("create", f"{url}/nothing", "--shape", "0,5", "--dtype", "int32", "--codecs", "gzip:1")
    zinc("cp", f"{url}/utf32", f"{url}/strings", "--dtype", "string", ok=False)
    special(form, url)
    return url


def special(form, url):
    """Members that nobody defined, a group without a document, and no fill value, where the format has a place for them"""
    if form == "v3":
        path = f"{url}/int8/zarr.json"
        doc = json.load(open(path))
        doc["example.org/mine"] = {"must_understand": False, "level": 7}
        json.dump(doc, open(path, "w"))
        os.unlink(f"{url}/deep/below/zarr.json")
    for path in (f"{url}/nulled/.zarray", f"{url}/meta/root/nulled.array", f"{url}/meta/root/nulled.array.json"):
        if os.path.exists(path):
            doc = json.load(open(path))
            doc["fill_value"] = None
            json.dump(doc, open(path, "w"))
    doc = entry(url)
    if doc:
        doc.setdefault("extensions", []).append({"extension": "https://example.org/mine", "must_understand": False, "n": 1})
        json.dump(doc, open(f"{url}/zarr.json", "w"))


def entry(url):
    """The entry point of a draft, which is a document of the whole hierarchy"""
    path = f"{url}/zarr.json"
    doc = json.load(open(path)) if os.path.exists(path) else {}
    return doc if doc.get("zarr_format", 3) != 3 else None


def diff(a, b):
    """Paths whose content differs, and the number of nodes"""
    done = zinc("diff", "--json", a, b, ok=False)
    if done.returncode not in (0, 1):
        sys.exit(f"FAILED: zinc diff {a} {b}: {done.stderr.decode()}")
    found = json.loads(done.stdout)
    return sorted({d["path"] for d in found["differences"]}), found["nodes"]


def elements(url, name):
    return zinc("cat", f"{url}/{name}", "--as", "json").stdout


def lost_in(text):
    """Paths that a refusal names, with what"""
    found = {}
    for line in text.decode().split("\n"):
        if line.startswith("zinc: lost: "):
            path, what = line[len("zinc: lost: "):].split(": ", 1)
            found.setdefault(path, []).append(what)
    return found


def is_below(path, above):
    return path == above or path.startswith(above.rstrip("/") + "/")


def convert(a, b):
    """a -> b -> a; what is told to be lost is, and nothing else"""
    there, back = f"{a}-to-{b}.zarr", f"{a}-to-{b}-back.zarr"
    plan = zinc("cp", f"{a}.zarr", there, "--format", b, "--dry-run", ok=False)
    lost = lost_in(plan.stderr)
    if plan.returncode not in (0, 2) or (plan.returncode == 2) != bool(lost) or os.path.exists(there):
        sys.exit(f"FAILED: {a} -> {b}: exit status {plan.returncode}: {plan.stderr.decode()}")
    if lost:
        refused = zinc("cp", f"{a}.zarr", there, "--format", b, ok=False)
        if refused.returncode != 2 or os.path.exists(there) or refused.stderr.count(b"\n") != 1:
            sys.exit(f"FAILED: {a} -> {b} is not refused in one line")
    zinc("cp", f"{a}.zarr", there, "--format", b, "--verify", *(["--lossy"] if lost else []))
    zinc("validate", there)
    if entry(f"{a}.zarr") and a == b and entry(there) != entry(f"{a}.zarr"):
        sys.exit(f"FAILED: {a}: the entry point is another")
    if entry(f"{a}.zarr") and a != b and "example.org/mine" not in str(lost.pop("/", "")):
        sys.exit(f"FAILED: {a} -> {b}: the hierarchy's extension is lost in silence")
    changed, n = diff(f"{a}.zarr", there)
    for path in changed:
        if not any(is_below(path, p) for p in lost):
            sys.exit(f"FAILED: {a} -> {b}: {path} differs and was not named; lost: {lost}")
    for path, whats in lost.items():
        if any(w.startswith("the whole node") for w in whats) and path not in changed:
            sys.exit(f"FAILED: {a} -> {b}: {path} was told to be lost")
    for name in ("float64", "complex64", "int8"):  # independent of diff
        if not any(is_below("/" + name, p) and "the whole node" in str(w) for p, w in lost.items()) \
                and zinc("info", f"{a}.zarr/{name}", ok=False).returncode == 0 and elements(there, name) != elements(f"{a}.zarr", name):
            sys.exit(f"FAILED: {a} -> {b}: elements of {name} differ")
    zinc("cp", there, back, "--format", a, "--verify")  # everything that was copied can be copied back
    if diff(there if lost else f"{a}.zarr", back)[0]:
        sys.exit(f"FAILED: {a} -> {b} -> {a} is not the same")
    shutil.rmtree(there)
    shutil.rmtree(back)
    print(f"{a} -> {b}: {n} nodes" + "".join(f"; {p}: {', '.join(w)}" for p, w in sorted(lost.items())))
    return n


formats = [line.split()[0] for line in zinc("formats").stdout.decode().split("\n") if line.strip()]
for form in formats:
    build(form)
for a in formats:
    for b in formats[formats.index(a) % STEP::STEP]:
        if convert(a, b) < (20 if "n5" in (a, b) else 30):
            sys.exit(f"FAILED: hardly a node of {a} arrives in {b}")
END
python3 matrix.py $(sampled && echo 3 || echo 1) >out 2>err || bad "$(cat err)"
cat out
finish
