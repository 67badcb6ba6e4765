"""contenders.py - the ways to use Zarr in Python that bench.py and lost.py compare

Each is used as it comes: its own number of threads and open files, no cache.  The three pipelines are those of
zarr-python, chosen by the environment, so that the workers of dask have the same one.  Of zarr-python, zarrs and zarrista
no write is durable; TensorStore and Zinc write without fsync here (`file_io_sync` false, `relaxed`).
"""

import os

PIPELINES = {
    "zinc-pipeline": "zinczarr.ZincCodecPipeline",
    "zarr-python": "zarr.core.codec_pipeline.BatchedCodecPipeline",
    "fused": "zarr.core.codec_pipeline.FusedCodecPipeline",
    "zarrs-python": "zarrs.ZarrsCodecPipeline",
}
NAMES = {
    "zinc": "Zinc direct",
    "zarrista": "zarrista",
    "tensorstore": "TensorStore",
    "zinc-pipeline": "Zinc pipeline",
    "zarr-python": "zarr-python",
    "fused": "fused",
    "zarrs-python": "zarrs-python",
}


def environment(who):
    """Variables of the process in which the contender runs"""
    return {"ZARR_CODEC_PIPELINE__PATH": PIPELINES[who]} if who in PIPELINES else {}


def version(path):
    return 2 if os.path.exists(os.path.join(path, ".zarray")) else 3


class Zinc:
    def __init__(self):
        import zinczarr

        self.zinc = zinczarr

    def open(self, path, write=False):
        return self.zinc.open_array(path, mode="r+" if write else "r", relaxed=write)

    def read(self, a, sel):
        return a.oindex[sel] if any(isinstance(s, list) for s in sel) else a[sel if sel else ...]

    def points(self, a, points):
        return a.vindex[tuple(points)]

    def write(self, a, sel, data):
        a[sel if sel else ...] = data

    def append(self, a, plane):
        a.append(plane, axis=0)
        return a

    def group(self, path):
        """Every array of a group"""
        return [a for _, a in self.zinc.open_group(path, mode="r").arrays()]


class ZarrPython(Zinc):
    def __init__(self):
        import zarr

        self.zarr = zarr

    def open(self, path, write=False):
        return self.zarr.open_array(path, mode="r+" if write else "r", zarr_format=version(path))

    def group(self, path):
        return [a for _, a in self.zarr.open_group(path, mode="r", zarr_format=3, use_consolidated=False).arrays()]


class Zarrista:
    """Steps of 1 only, no index lists, no points"""

    def __init__(self):
        import numpy
        import zarrista
        from zarrista.store import FilesystemStore

        self.np, self.zarrista, self.store = numpy, zarrista, FilesystemStore

    def open(self, path, write=False):
        return self.zarrista.Array.open(self.store(path))

    def read(self, a, sel):
        return self.np.asarray(a.retrieve_array_subset(sel if sel else ...))

    def write(self, a, sel, data):
        a.store_array_subset(sel if sel else ..., data)

    def append(self, a, plane):
        n = a.shape[0]
        a = a.with_shape([n + 1, *a.shape[1:]])
        a.store_metadata()
        a.store_array_subset((slice(n, n + 1),), plane)
        return a

    def group(self, path):
        return self.zarrista.Group.open(self.store(path)).child_arrays()


class TensorStore:
    def __init__(self):
        import tensorstore

        self.ts = tensorstore
        self.context = tensorstore.Context({"cache_pool": {"total_bytes_limit": 0}})

    def open(self, path, write=False):
        spec = {"driver": "zarr3" if version(path) == 3 else "zarr", "kvstore": {"driver": "file", "path": path, "file_io_sync": False}}
        return self.ts.open(spec, context=self.context, read=True, write=write).result()

    def read(self, a, sel):
        if any(isinstance(s, list) for s in sel):
            a = a.oindex[sel]
        elif sel:
            a = a[sel]
        return a.read().result()

    def points(self, a, points):
        return a.vindex[tuple(points)].read().result()

    def write(self, a, sel, data):
        (a[sel] if sel else a).write(data).result()

    def append(self, a, plane):
        n = a.shape[0]
        a = a.resize(exclusive_max=[n + 1, *a.shape[1:]]).result()
        a[n : n + 1].write(plane).result()
        return a

    def group(self, path):
        """It has no groups: all arrays at once, which is faster than one after the other"""
        names = [e.name for e in os.scandir(path) if e.is_dir()]
        specs = [{"driver": "zarr3", "kvstore": {"driver": "file", "path": os.path.join(path, n)}} for n in names]
        return [f.result() for f in [self.ts.open(s, context=self.context, read=True) for s in specs]]


CONTENDERS = {
    "zinc": Zinc,
    "zarrista": Zarrista,
    "tensorstore": TensorStore,
    **dict.fromkeys(PIPELINES, ZarrPython),
}
