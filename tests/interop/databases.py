"""databases.py ZINC DIR - arrays of Zarr v2 in SQLite and LMDB databases, exchanged with zarr-python 2.18 in both directions

Needs zarr 2.18 and lmdb (scripts/interop.sh makes an environment for it).
"""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import zarr

warnings.simplefilter("ignore")
zinc, here = sys.argv[1], Path(sys.argv[2])
failed = 0


def run(*args, data=None):
    done = subprocess.run([zinc, *map(str, args)], input=data, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"databases: zinc {' '.join(map(str, args))}: {done.stderr.decode()}")
    return done.stdout


def check(what, good):
    global failed
    failed += not good
    print(f"{'ok' if good else 'FAILED'} {what}")


def values(dtype):
    return (numpy.arange(60 * 70).reshape(60, 70) * 37 % 251).astype(dtype)


# name, how zarr-python opens it, its path and the URL of it
STORES = [
    ("sqlite", lambda path: zarr.SQLiteStore(str(path)), "x.sqlite", "sqlite://"),
    ("lmdb", lambda path: zarr.LMDBStore(str(path)), "x.lmdb", "lmdb://"),
    ("lmdb in a file", lambda path: zarr.LMDBStore(str(path), subdir=False), "y.lmdb", "lmdb://"),
]


def theirs(name, make, path, url):
    """zarr-python writes, Zinc reads and changes, zarr-python reads again"""
    store = make(path)
    root = zarr.group(store=store, overwrite=True)
    for dtype in ("i4", "f8", "u1"):
        root.create_dataset(f"g/{dtype}", data=values(dtype), chunks=(16, 32))
    store.close()
    for dtype in ("i4", "f8", "u1"):
        raw = run("cat", f"{url}/g/{dtype}", "--as", "raw")
        check(f"{name}: Zinc reads {dtype} of zarr-python", raw == values(dtype).tobytes())
    run("attrs", f"{url}/g/i4", 'by="zinc"')
    store = make(path)
    check(f"{name}: zarr-python reads an attribute of Zinc", zarr.open_group(store, mode="r")["g/i4"].attrs["by"] == "zinc")
    store.close()


def ours(name, make, path, url):
    """Zinc copies an array into the database, zarr-python reads it, Zinc copies it out"""
    source = here / "source.zarr"
    if not source.exists():
        zarr.save_array(zarr.DirectoryStore(str(source)), values("i2"), chunks=(10, 70))
    run("cp", source, f"{url}/copy")
    store = make(path)
    got = zarr.open_group(store, mode="a")["copy"]
    check(f"{name}: zarr-python reads an array of Zinc", (got[:] == values("i2")).all())
    got[5:7, 3] = 99
    store.close()
    back = here / f"back-{path.name}.zarr"
    run("cp", f"{url}/copy", back)
    want = values("i2")
    want[5:7, 3] = 99
    check(f"{name}: and Zinc what zarr-python has changed", (zarr.open_array(str(back), mode="r")[:] == want).all())


for name, make, path, scheme in STORES:
    path = here / path
    theirs(name, make, path, f"{scheme}{path}")
    ours(name, make, path, f"{scheme}{path}")
print(f"databases: {failed} failed, zarr {zarr.__version__}")
sys.exit(failed > 0)
