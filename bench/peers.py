"""peers.py PEER OPERATION PATH THREADS REPEAT [name=value ...] - another implementation as a contender

PEER is tensorstore, zarr-python, zarrs-python (zarr-python with the pipeline of zarrs), gdal, which has version 2 only,
hdf5, netcdf (a file of twins.py each) or nczarr, by which netCDF-C reads version 2.  Operations, options and output are
those of ours.c.  Each gets its best settings: TensorStore no cache and as many copies and reads at once as there are
threads; GDAL gets the region before the read, because otherwise it uses one thread; HDF5 and netCDF-C have one
thread, except those of Blosc; the others have as many workers.
"""

import concurrent.futures
import itertools
import json
import os
import sys
import time

FAR = int(os.environ.get("BENCH_FAR_OPEN", "0"))  # requests that may be open at once to a server; 0: the default
PRIMES = (7919, 104729, 1299709, 15485863, 179424673, 2038074743, 7927, 104743)


def parse_selection(text):
    """ "0:10,:,5:6" or "[1,2],:,::2" as an index of NumPy"""
    out = []
    for part in (p.strip() for p in _split(text)):
        if part.startswith("["):
            out.append([int(n) for n in part[1:-1].split(",")])
        elif ":" in part:
            out.append(slice(*[int(n) if n else None for n in part.split(":")]))
        else:
            out.append(int(part))
    return tuple(out)


def _split(text):
    depth, part = 0, ""
    for c in text:
        depth += (c == "[") - (c == "]")
        if c == "," and depth == 0:
            yield part
            part = ""
        else:
            part += c
    yield part


def boxes(shape, chunk):
    for at in itertools.product(*[range(0, n, c) for n, c in zip(shape, chunk)]):
        yield tuple(slice(a, min(a + c, n)) for a, c, n in zip(at, chunk, shape))


def pokes(shape, count):
    for i in range(count):
        start = [(i + 1) * (37 + 10 * d) % (n - 16) for d, n in enumerate(shape)]
        yield tuple(slice(a, a + 16) for a in start)


def version(path):
    if "://" in path:
        return 3
    return 2 if os.path.exists(os.path.join(path, ".zarray")) else 3


class TensorStore:
    def __init__(self, threads):
        import numpy
        import tensorstore

        self.np, self.ts = numpy, tensorstore
        limits = {"data_copy_concurrency": threads, "file_io_concurrency": threads}
        if FAR:
            limits |= {"http_request_concurrency": FAR, "s3_request_concurrency": FAR}
        resources = {name: {"limit": limit} for name, limit in limits.items()}
        self.context = tensorstore.Context({"cache_pool": {"total_bytes_limit": 0}, **resources})

    def open(self, path, write=False):
        spec = {"driver": "zarr3" if version(path) == 3 else "zarr", "kvstore": {"driver": "file", "path": path}}
        if "://" in path:
            spec["kvstore"] = self.far(path, write)
        elif self.relaxed:
            spec["kvstore"]["file_io_sync"] = False
        return self.ts.open(spec, context=self.context, read=True, write=write).result()

    def far(self, url, write):
        """Its http driver cannot write, so a server with paths like S3's is written to as S3"""
        if not write:
            return {"driver": "http", "base_url": url + "/"}
        host, bucket, key = url.rsplit("/", 2)
        s3 = {"driver": "s3", "endpoint": host, "bucket": bucket, "path": key + "/", "aws_region": "us-east-1"}
        return s3 | {"aws_credentials": {"type": "anonymous"}}

    def read(self, a, sel, order=None, cast=None):
        if any(isinstance(s, list) for s in sel):
            a = a.oindex[sel]
        elif sel:
            a = a[sel]
        if cast:
            a = self.ts.cast(a, cast)
        return a.read(order=order or "C").result()

    def chunks(self, a, chunk, threads):
        waiting = []
        for box in boxes(a.shape, chunk):
            waiting.append(a[box].read())
            if len(waiting) == threads:
                waiting.pop(0).result()
        for w in waiting:
            w.result()

    def points(self, a, points):
        return a.vindex[tuple(points)].read().result()

    def write(self, a, sel, data):
        (a[sel] if sel else a).write(data).result()

    def append(self, a, plane):
        n = a.shape[0]
        a = a.resize(exclusive_max=[n + 1, *a.shape[1:]]).result()
        a[n : n + 1].write(plane).result()
        return a

    def shape(self, a):
        return a.shape


class ZarrPython:
    def __init__(self, threads):
        import numpy
        import zarr

        self.np, self.zarr = numpy, zarr
        zarr.config.set({"async.concurrency": max(threads, 2), "threading.max_workers": threads})

    def open(self, path, write=False):
        return self.zarr.open_array(path, mode="r+" if write else "r", zarr_format=version(path))

    def read(self, a, sel, order=None, cast=None):
        if any(isinstance(s, list) for s in sel):
            out = a.oindex[sel]
        else:
            out = a[sel if sel else ...]
        if order == "F":
            out = self.np.asfortranarray(out)
        return out.astype(cast) if cast else out

    def chunks(self, a, chunk, threads):
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            for _ in pool.map(a.__getitem__, boxes(a.shape, chunk)):
                pass

    def points(self, a, points):
        return a.vindex[tuple(points)]

    def write(self, a, sel, data):
        a[sel if sel else ...] = data

    def append(self, a, plane):
        a.append(plane, axis=0)
        return a

    def shape(self, a):
        return a.shape

    def walk(self, path):
        return sum(1 for _ in self.zarr.open_group(path, mode="r", zarr_format=3).members(max_depth=None))


class ZarrsPython(ZarrPython):
    def __init__(self, threads):
        super().__init__(threads)
        self.zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})


class Gdal:
    """Runs in the system's Python, which has the bindings"""

    def __init__(self, threads):
        from osgeo import gdal, gdal_array

        self.gdal, self.arrays, self.threads = gdal, gdal_array, threads  # gdal_array: else the first read imports it
        gdal.UseExceptions()
        gdal.SetConfigOption("GDAL_NUM_THREADS", str(threads))

    def open(self, path, write=False):
        self.path = path
        return path if write else self.array(path, 0)

    def array(self, path, mode):
        self.root = self.gdal.OpenEx(path, self.gdal.OF_MULTIDIM_RASTER | mode).GetRootGroup()
        return self.root.OpenMDArray(self.root.GetMDArrayNames()[0])

    def write(self, path, sel, data):
        """It writes everything only when the array is closed, so it is opened each time"""
        a = self.array(path, self.gdal.OF_UPDATE)
        a.WriteArray(data)
        del a, self.root

    def read(self, a, sel, order=None, cast=None):
        box = [s.indices(d.GetSize()) for s, d in zip(sel, a.GetDimensions())]
        start, count = [b[0] for b in box] or None, [b[1] - b[0] for b in box] or None
        if self.threads > 1:
            a.AdviseRead(start, count, ["CACHE_SIZE=4000000000"])
        return a.ReadAsArray(start, count)


class Hdf5:
    """One thread: the library has one lock.  Its default cache is smaller than our chunks, so it only costs time"""

    def __init__(self, threads):
        os.environ["BLOSC_NTHREADS"] = str(threads)  # read when the filter is loaded
        import h5py
        import hdf5plugin  # noqa: F401, it registers the filters
        import numpy

        self.np, self.h5py = numpy, h5py

    def open(self, path, write=False):
        return self.h5py.File(path, "r+" if write else "r", libver="latest")["v"]

    def read(self, a, sel, order=None, cast=None):
        out = (a.astype(cast) if cast else a)[sel if sel else ...]
        return self.np.asfortranarray(out) if order == "F" else out

    def chunks(self, a, chunk, threads):
        for box in boxes(a.shape, chunk):
            a[box]

    def write(self, a, sel, data):
        a[sel if sel else ...] = data
        a.file.flush()

    def append(self, a, plane):
        a.resize(a.shape[0] + 1, axis=0)
        a[-1:] = plane
        a.file.flush()
        return a

    def shape(self, a):
        return a.shape


class NetCdf:
    """netCDF-C with files of its own kind, which are HDF5's"""

    def __init__(self, threads):
        os.environ["BLOSC_NTHREADS"] = str(threads)
        import netCDF4
        import numpy

        self.np, self.netcdf = numpy, netCDF4

    def open(self, path, write=False):
        self.files = [*getattr(self, "files", []), self.netcdf.Dataset(self.url(path), "r+" if write else "r")]
        a = self.files[-1].variables["v"]
        a.set_auto_maskandscale(False)
        return a

    def url(self, path):
        return path

    def read(self, a, sel, order=None, cast=None):
        out = a[sel if sel else ...]
        out = self.np.asfortranarray(out) if order == "F" else out
        return out.astype(cast) if cast else out

    def chunks(self, a, chunk, threads):
        for box in boxes(a.shape, chunk):
            a[box]

    def write(self, a, sel, data):
        a[sel if sel else ...] = data
        a.group().sync()

    def append(self, a, plane):
        n = a.shape[0]
        a[n : n + 1] = plane
        a.group().sync()
        return a

    def shape(self, a):
        return a.shape


class NcZarr(NetCdf):
    """netCDF-C with Zarr of version 2; it opens groups only"""

    def url(self, path):
        return f"file://{path}-group#mode=zarr,file"


PEERS = {
    "tensorstore": TensorStore,
    "zarr-python": ZarrPython,
    "zarrs-python": ZarrsPython,
    "gdal": Gdal,
    "hdf5": Hdf5,
    "netcdf": NetCdf,
    "nczarr": NcZarr,
}


def make(peer, operation, path, threads, options):
    """The operation as a function of nothing"""
    if operation == "walk":
        return lambda: peer.walk(path)
    a = peer.open(path)
    if operation == "read":
        sel = parse_selection(options["sel"]) if options.get("sel") else ()
        return lambda: peer.read(a, sel, options.get("order"), options.get("as"))
    if operation == "chunks":
        chunk = [int(n) for n in options["chunk"].split(",")]
        return lambda: peer.chunks(a, chunk, threads)
    if operation == "points":
        shape, n = peer.shape(a), int(options["count"])
        points = [peer.np.array([i * PRIMES[d] % shape[d] for i in range(n)]) for d in range(len(shape))]
        return lambda: peer.points(a, points)
    return make_write(peer, operation, a, options)


def make_write(peer, operation, a, options):
    to = peer.open(options["to"], write=True)
    data = peer.read(a, ())
    if operation == "write":
        return lambda: peer.write(to, (), data)
    if operation == "roundtrip":
        return lambda: peer.write(to, (), peer.read(a, ()))
    if operation == "poke":
        part = peer.np.ascontiguousarray(data.reshape(-1)[: 16**data.ndim].reshape((16,) * data.ndim))

        def poke():
            for box in pokes(peer.shape(to), int(options["count"])):
                peer.write(to, box, part)

        return poke
    plane = data[:1]

    def append():
        nonlocal to
        for _ in range(int(options["count"])):
            to = peer.append(to, plane)

    return append


def peak_kb():
    """Of this program alone, see common.c"""
    with open("/proc/self/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))


def main():
    name, operation, path, threads, repeat = sys.argv[1:6]
    options = dict(o.split("=", 1) for o in sys.argv[6:])
    peer = PEERS[name](int(threads))
    peer.relaxed = "durable" not in options
    run = make(peer, operation, path, int(threads), options)
    times, computed = [], []
    for _ in range(int(repeat)):
        cpu, began = time.process_time(), time.perf_counter()
        result = run()
        times.append((time.perf_counter() - began) * 1e3)
        computed.append((time.process_time() - cpu) * 1e3)
        del result
    print(json.dumps({"ms": times, "cpu_ms": computed, "rss_kb": peak_kb()}))


if __name__ == "__main__":
    main()
