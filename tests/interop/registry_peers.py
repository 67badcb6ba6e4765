#!/usr/bin/env python3
"""registry_peers.py - measure which registered names other implementations read and write, into scripts/registry.json

    registry_peers.py DIRECTORY

Each implementation opens the sample array of each name, reads it, writes other elements and reads these back.  Run it
by hand when a peer has a new version, and scripts/registry_page.py after it.  $ZARRS_PEER is the program of zarrs, and
zarrita is in $BUILD/interop-npm.
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import warnings
from importlib.metadata import version

import numpy as np
import tensorstore
import zarr

warnings.simplefilter("ignore")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from registry_page import KINDS, document, zeros, zinc  # noqa: E402

PATH = os.path.join(ROOT, "scripts", "registry.json")
URL = os.path.join(sys.argv[1], "a.zarr")
PEER = os.environ["ZARRS_PEER"]
NPM = os.path.join(os.environ.get("BUILD", os.path.join(ROOT, "build")), "interop-npm")
NODE = subprocess.check_output(["node", "--version"], encoding="ascii")[1:].split(".")[0]


def other(now):
    """Elements like these, but not these: zeros, or texts."""
    if now.dtype.kind in "OUT":
        return np.array(["b"] * now.size if isinstance(now.flat[0], str) else [b"b"] * now.size, dtype=now.dtype).reshape(now.shape)
    return np.zeros_like(now)


def with_zarr():
    zarr.config.set({"array.rectilinear_chunks": True})
    array = zarr.open_array(URL, mode="r+")
    yield
    array[...] = other(np.asarray(array[...]))
    again = np.asarray(zarr.open_array(URL, mode="r")[...])
    assert (again == other(again)).all()


def with_tensorstore():
    array = tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": URL}}, open=True).result()
    now = array.read().result()
    yield
    array.write(other(now)).result()
    again = array.read().result()
    assert (again == other(again)).all()


def with_zarrs():
    now = subprocess.run([PEER, "read", URL], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    yield
    data = b"\1\0\0\0b" * 4 if now.startswith(b"\1\0\0\0x") else bytes(len(now))
    subprocess.run([PEER, "write", URL], input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    again = subprocess.run([PEER, "read", URL], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    assert again == data


def ask_zarrita(op, **more):
    node = subprocess.run(["node", os.path.join(ROOT, "tests", "interop", "zarrita.mjs"), NPM], encoding="utf-8",
                          input=json.dumps({"op": op, "path": URL, **more}) + "\n", stdout=subprocess.PIPE, check=True)
    answer = json.loads(node.stdout)
    assert "error" not in answer, answer
    return answer


def with_zarrita():
    """It opens what it cannot decode, so it reads what Zinc has written; then it writes the same over something else."""
    with open(os.path.join(URL, "zarr.json")) as f:
        array = json.load(f)
    zinc("put", URL, "--from", "-", stdin=zeros(URL, array))
    now = ask_zarrita("read")
    want = zinc("cat", "--as", "raw", URL)
    assert now["texts"] == list("abcd") if "texts" in now else base64.b64decode(now["data"]) == want
    yield
    clear(array)
    ask_zarrita("put", box=[[0, 4]], shape=[4], **{k: now[k] for k in ("data", "texts") if k in now})
    assert zinc("cat", "--as", "raw", URL) == want and ask_zarrita("read") == now


def clear(array):
    """The array without chunks."""
    shutil.rmtree(URL, ignore_errors=True)
    os.makedirs(URL)
    with open(os.path.join(URL, "zarr.json"), "w") as f:
        json.dump(document(array), f)


def measure(steps, array):
    clear(array)
    done = 0
    try:
        for _ in steps():
            done = 1
        return "read and write"
    except Exception:
        return "read" if done else "no"


def save(data):
    """One line for each name."""
    with open(PATH, "w") as f:
        parts = []
        for key, value in data.items():
            rows = ",\n".join(f"    {json.dumps(n)}: {json.dumps(row)}" for n, row in value.items()) if key in KINDS else ""
            parts.append(f"  {json.dumps(key)}: " + ("{\n" + rows + "\n  }" if rows else json.dumps(value)))
        f.write("{\n" + ",\n".join(parts) + "\n}\n")


with open(PATH) as f:
    data = json.load(f)
peers = {"zarr-python": (zarr.__version__, with_zarr), "tensorstore": (version("tensorstore"), with_tensorstore),
         "zarrs": ("0.23.14", with_zarrs), "zarrita": (ask_zarrita("version")["version"] + " in Node " + NODE, with_zarrita)}
for kind in KINDS:
    for name, row in data[kind].items():
        row["peers"] = {p: measure(steps, row["array"]) for p, (_, steps) in peers.items()}
        print(name, row["peers"])
data["peers"] = {p: v for p, (v, _) in peers.items()}
save(data)
