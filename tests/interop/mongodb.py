#!/usr/bin/env python3
"""mongodb.py ZINC URL - the same documents for Zinc and for zarr-python's MongoDBStore (zarr 2.x), both ways

URL is mongodb://HOST:PORT; databases and collections are made anew.
"""
import json
import subprocess
import sys
import warnings

import numpy as np
import zarr
from zarr.storage import MongoDBStore

warnings.simplefilter("ignore")
ZINC, URL = sys.argv[1], sys.argv[2]
DATA = np.arange(5000, dtype="<i4").reshape(50, 100) * 3
failed = 0


def check(what, good):
    global failed
    if not good:
        failed += 1
        print("FAILED:", what)


def zinc(*words):
    run = subprocess.run([ZINC, *words], capture_output=True, text=True, check=False, timeout=120)
    if run.returncode:
        print("zinc", *words, "->", run.returncode, run.stderr.strip())
    return run.stdout if run.returncode == 0 else ""


def store(name):
    return MongoDBStore(database="exchange", collection=name, host=URL)


def place(name, path):
    return f"{URL}/exchange/{path}?collection={name}&conditions=yes"  # there is no other writer


# MongoDBStore writes, Zinc reads, changes and lists
s = store("theirs")
s.clear()
root = zarr.group(s, overwrite=True)
array = root.create_dataset("a", data=DATA, chunks=(20, 30))
root.attrs["who"] = "zarr"
check("their array", json.loads(zinc("cat", place("theirs", "a"), "--as", "json") or "0") == DATA.tolist())
check("their tree", "int32 (50, 100)" in zinc("tree", place("theirs", "")))
check("their hierarchy is valid", "0 errors" in zinc("validate", place("theirs", "")))
zinc("attrs", place("theirs", "a"), 'units="m"')
check("our attribute", zarr.open_group(store("theirs"), "r")["a"].attrs.get("units") == "m")
array[0, :] = 7  # a change by MongoDBStore of what Zinc has read
check("their change", json.loads(zinc("cat", place("theirs", "a"), "--as", "json") or "[0]")[0] == [7] * 100)

# Zinc writes, MongoDBStore reads and changes
store("ours").clear()
check("a copy", zinc("cp", place("theirs", "a"), place("ours", "b")) is not None)
got = zarr.open_array(store("ours"), path="b", mode="r+")
check("our array", np.array_equal(got[1:], DATA[1:]) and (got[0] == 7).all())
got[3, 4] = -1
check("their change of ours", json.loads(zinc("cat", place("ours", "b"), "--as", "json") or "[[]]" * 4)[3][4] == -1)
zinc("rm", "--yes", place("ours", "b"))
check("nothing is left", len(list(store("ours"))) == 0)
print(f"mongodb.py: {failed} failed")
sys.exit(failed != 0)
