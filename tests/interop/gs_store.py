"""gs_store.py ZINC ENDPOINT BUCKET [PEER...] - arrays in a server of Google Cloud Storage, exchanged with other programs, both ways

With zarr-python 3 (gcsfs, and obstore's GCSStore, which uses the XML API and can only read from fake-gcs-server) and
tensorstore's gcs driver, whichever are installed; scripts/stores/gs.sh makes an environment for it.  Each peer writes arrays of Zarr v3 and v2, sharded ones, too;
Zinc reads and changes them, and the peer reads again.  Then the same the other way.
"""

import importlib.util
import json
import os
import subprocess
import sys

zinc, endpoint, bucket, *only = sys.argv[1:]
os.environ["TENSORSTORE_GCS_HTTP_URL"] = endpoint
os.environ["STORAGE_EMULATOR_HOST"] = endpoint
os.environ["NO_GCE_CHECK"] = "true"
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"  # it asks an address of Google's for the kind of bucket

import numpy  # noqa: E402

failed = passed = 0


def run(*args, data=None):
    done = subprocess.run([zinc, *args], input=data, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"zinc {' '.join(args)}: {done.stderr.decode()}")
    return done.stdout


def check(what, good):
    global failed, passed
    failed, passed = failed + (not good), passed + bool(good)
    print(f"{'ok' if good else 'FAILED'} {what}", flush=True)


def values(dtype):
    return (numpy.arange(60 * 70).reshape(60, 70) * 37 % 251).astype(dtype)


def url(path):
    return f"gs://{bucket}/{path}?endpoint={endpoint}"


# ---- peers: write(path, version, shards, array), read(path), change(path, rows, column, value) ----


class ZarrPython:
    writes = True

    def store(self, path):
        raise NotImplementedError

    def write(self, path, version, shards, array):
        import zarr

        more = {"shards": (32, 64)} if shards else {}
        got = zarr.create_array(self.store(path), shape=array.shape, chunks=(16, 32), dtype=array.dtype, zarr_format=version, **more)
        got[:] = array

    def read(self, path):
        import zarr

        return zarr.open_array(self.store(path), mode="r")[:]

    def change(self, path, rows, column, value):
        import zarr

        zarr.open_array(self.store(path), mode="r+")[rows, column] = value


class Gcsfs(ZarrPython):
    needs = ("gcsfs", "zarr")

    def store(self, path):
        import zarr

        options = {"endpoint_url": endpoint, "token": "anon", "project": "zinc"}
        return zarr.storage.FsspecStore.from_url(f"gs://{bucket}/{path}", storage_options=options)


class Obstore(ZarrPython):
    needs = ("obstore", "zarr")
    writes = False

    def store(self, path):
        import obstore.store
        import zarr

        key = json.dumps({"gcs_base_url": endpoint, "disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""})
        gcs = obstore.store.GCSStore(bucket, prefix=path, service_account_key=key, client_options={"allow_http": True})
        return zarr.storage.ObjectStore(gcs)


class Tensorstore:
    needs = ("tensorstore",)
    writes = True

    def open(self, path, **more):
        import tensorstore

        driver = more.pop("driver", None)
        for name in [driver] if driver else ["zarr3", "zarr"]:
            spec = {"driver": name, "kvstore": {"driver": "gcs", "bucket": bucket, "path": path + "/"}}
            try:
                return tensorstore.open(spec, **more).result()
            except ValueError:
                if name in (driver, "zarr"):
                    raise

    def write(self, path, version, shards, array):
        import tensorstore

        layout = tensorstore.ChunkLayout(read_chunk_shape=(16, 32), write_chunk_shape=(32, 64) if shards else (16, 32))
        got = self.open(path, driver="zarr3" if version == 3 else "zarr", create=True, dtype=array.dtype.name, shape=array.shape, chunk_layout=layout)
        got.write(array).result()

    def read(self, path):
        return self.open(path, open=True).read().result()

    def change(self, path, rows, column, value):
        self.open(path, open=True)[rows, column].write(value).result()


# ---- exchange ----


def theirs(name, peer, version, shards, dtype):
    path = f"{name}/theirs-{version}-{shards}-{dtype}"
    what = f"{name}, v{version}{', sharded' if shards else ''}, {dtype}"
    array = values(dtype)
    peer.write(path, version, shards, array)
    check(f"{what}: Zinc reads", run("cat", url(path), "--as", "raw") == array.tobytes())
    run("put", url(path), "-s", "3:9, 5:6", "--from", "-", data=numpy.full((6, 1), 7, dtype).tobytes())
    array[3:9, 5:6] = 7
    check(f"{what}: and the peer what Zinc has changed", (peer.read(path) == array).all())


def ours(name, peer, version, shards, dtype):
    path = f"{name}/ours-{version}-{shards}-{dtype}"
    what = f"{name}, v{version}{', sharded' if shards else ''}, {dtype}"
    array = values(dtype)
    kind = numpy.dtype(dtype).name
    more = ["--shards", "32,64"] if shards else []
    run("create", url(path), "--format", f"v{version}", "--shape", "60,70", "--chunks", "16,32", "--dtype", kind, *more)
    run("put", url(path), "--from", "-", data=array.tobytes())
    check(f"{what}: the peer reads", (peer.read(path) == array).all())
    if not peer.writes:
        return
    peer.change(path, slice(5, 7), 3, 99)
    array[5:7, 3] = 99
    check(f"{what}: and Zinc what the peer has changed", run("cat", url(path), "--as", "raw") == array.tobytes())


for peer_class in (Gcsfs, Obstore, Tensorstore):
    name = peer_class.__name__.lower()
    if only and name not in only:
        continue
    if not all(importlib.util.find_spec(n) for n in peer_class.needs):
        print(f"{name} is not installed: skipped")
        continue
    for version, shards in ((3, False), (3, True), (2, False)):
        for dtype in ("i4", "f8"):
            for exchange in (theirs, ours) if peer_class.writes else (ours,):
                try:
                    exchange(name, peer_class(), version, shards, dtype)
                except Exception as e:  # a peer may fail in any way
                    check(f"{name}, v{version}, {exchange.__name__}, {dtype}: {type(e).__name__}: {e}"[:400], False)
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
