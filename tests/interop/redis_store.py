"""redis_store.py ZINC PORT - arrays of Zarr v2 in a Redis server, exchanged with zarr-python 2.18 in both directions

Needs zarr 2.18 and redis (scripts/stores/redis.sh makes an environment for it), a server on loopback and its password in
REDISCLI_AUTH.  Uses the database 3.
"""

import os
import subprocess
import sys
import warnings

import numpy
import redis
import zarr

warnings.simplefilter("ignore")
zinc, port = sys.argv[1], int(sys.argv[2])
password = os.environ.get("REDISCLI_AUTH")
failed = 0


def run(*args, data=None):
    done = subprocess.run([zinc, *args], input=data, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"redis_store: zinc {' '.join(args)}: {done.stderr.decode()}")
    return done.stdout


def check(what, good):
    global failed
    failed += not good
    print(f"{'ok' if good else 'FAILED'} {what}")


def values(dtype):
    return (numpy.arange(60 * 70).reshape(60, 70) * 37 % 251).astype(dtype)


def store_of(prefix):
    return zarr.storage.RedisStore(prefix=prefix, host="127.0.0.1", port=port, db=3, password=password)


def theirs(prefix, query):
    """zarr-python writes, Zinc reads and changes, zarr-python reads again"""
    url = f"redis://127.0.0.1:{port}/3"
    root = zarr.group(store=store_of(prefix), overwrite=True)
    for dtype in ("i4", "f8", "u1"):
        root.create_dataset(f"g/{dtype}", data=values(dtype), chunks=(16, 32))
    for dtype in ("i4", "f8", "u1"):
        raw = run("cat", f"{url}/g/{dtype}{query}", "--as", "raw")
        check(f"{prefix}: Zinc reads {dtype} of zarr-python", raw == values(dtype).tobytes())
    run("attrs", f"{url}/g/i4{query}", 'by="zinc"')
    seen = zarr.open_group(store_of(prefix), mode="r")["g/i4"].attrs["by"]
    check(f"{prefix}: zarr-python reads an attribute of Zinc", seen == "zinc")
    tree = run("tree", f"{url}/g{query}").decode()
    check(f"{prefix}: Zinc lists the arrays of zarr-python", all(d in tree for d in ("i4", "f8", "u1")))


def ours(prefix, query):
    """Zinc creates and writes, zarr-python reads and changes, Zinc reads again"""
    url = f"redis://127.0.0.1:{port}/3"
    run("create", f"{url}/ours{query}", "--format", "v2", "--shape", "60,70", "--chunks", "10,70", "--dtype", "int16")
    run("put", f"{url}/ours{query}", "--from", "-", data=values("i2").tobytes())
    got = zarr.open_array(store_of(prefix), path="ours", mode="r+")
    check(f"{prefix}: zarr-python reads an array of Zinc", (got[:] == values("i2")).all())
    got[5:7, 3] = 99
    want = values("i2")
    want[5:7, 3] = 99
    raw = run("cat", f"{url}/ours{query}", "--as", "raw")
    check(f"{prefix}: and Zinc what zarr-python has changed", raw == want.tobytes())
    names = sorted(k for k in store_of(prefix).keys() if k.startswith("ours/"))
    check(f"{prefix}: the keys are those of zarr-python", names[0] == "ours/.zarray" and "ours/0.0" in names)


server = redis.Redis(host="127.0.0.1", port=port, db=3, password=password)
for prefix, query in (("zarr", ""), ("other-1", "?prefix=other-1")):
    for key in server.scan_iter(match="*"):
        server.delete(key)
    theirs(prefix, query)
    ours(prefix, query)
check("no marker is left", not [k for k in server.scan_iter(match="zinc:*")])
print(f"redis_store: {failed} failed")
sys.exit(failed != 0)
