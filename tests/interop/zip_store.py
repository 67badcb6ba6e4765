"""zip_store.py ZINC DIRECTORY - exchange archives with zarr-python's ZipStore (2.x or 3.x), both ways

Each side writes an archive that the other reads, changes and passes back.  Ends with "N passed, N failed".
"""
import json
import pathlib
import shutil
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import zarr

ZINC, DIRECTORY = sys.argv[1], pathlib.Path(sys.argv[2])
NEW = not zarr.__version__.startswith("2.")
if NEW:
    from zarr.storage import ZipStore
else:
    from zarr import ZipStore
FORMATS = (2, 3) if NEW else (2,)
VALUES = np.arange(5000, dtype="<i4").reshape(100, 50)
counts = {"passed": 0, "failed": 0}


def zinc(*args, **options):
    done = subprocess.run([ZINC, *map(str, args)], capture_output=True, **options)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return done.stdout


def elements(url):
    return np.array(json.loads(zinc("cat", url, "--as", "json")))


def create(path, zarr_format, method):
    """an archive of zarr-python, with the array t"""
    store = ZipStore(str(path), mode="w", compression=method)
    more = {"zarr_format": zarr_format} if NEW else {"zarr_version": zarr_format}
    zarr.open_group(store=store, mode="a", **more)
    a = zarr.create(shape=VALUES.shape, chunks=(10, 10), dtype="<i4", store=store, path="t", **more)
    a[:] = VALUES
    store.close()


def read(path):
    store = ZipStore(str(path), mode="r")
    values = zarr.open_array(store=store, path="t", mode="r")[:]
    store.close()
    return values


def change(path, value):
    store = ZipStore(str(path), mode="a")
    zarr.open_array(store=store, path="t", mode="r+")[3, 4] = value
    store.close()


def check(name, holds):
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print("zip_store: FAILED:", name)


def exchange(zarr_format, method):
    name = f"v{zarr_format}, method {method}"
    theirs, ours = DIRECTORY / "theirs.zip", DIRECTORY / "ours.zip"
    want = VALUES.copy()
    create(theirs, zarr_format, method)
    check(f"{name}: ours of theirs", (elements(f"{theirs}/t") == want).all())
    zinc("put", f"{theirs}/t", "-s", "3,4", "--from", "-", input=b"\x58\0\0\0")
    want[3, 4] = 0x58
    check(f"{name}: theirs after our change", (read(theirs) == want).all())
    change(theirs, 99)
    want[3, 4] = 99
    check(f"{name}: ours after their change", (elements(f"{theirs}/t") == want).all())
    zinc("cp", theirs, ours, "--format", f"v{zarr_format}")
    check(f"{name}: theirs of ours", (read(ours) == want).all())
    change(ours, 5)
    want[3, 4] = 5
    check(f"{name}: ours of ours after their change", (elements(f"zip://t::{ours}") == want).all())
    zinc("put", f"{ours}/t", "-s", "0,0", "--from", "-", input=b"\x07\0\0\0")
    want[0, 0] = 7
    check(f"{name}: both after both changes", (read(ours) == want).all())
    check(f"{name}: zipfile", zipfile.ZipFile(ours).testzip() is None)
    theirs.unlink()
    ours.unlink()


warnings.simplefilter("ignore")  # of names that are in an archive twice
shutil.rmtree(DIRECTORY, ignore_errors=True)
DIRECTORY.mkdir(parents=True)
for number in FORMATS:
    for way in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        exchange(number, way)
print(f"zip_store: zarr {zarr.__version__}: {counts['passed']} passed, {counts['failed']} failed")
sys.exit(counts["failed"] != 0)
