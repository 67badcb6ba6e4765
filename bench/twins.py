"""twins.py hdf5|netcdf SET CHUNK CODEC - the elements of a Zarr array in the usual file formats of C programs

Writes SET.h5 or SET.nc with the same elements, chunks, codec and level, and beside it a file "-empty" without any
chunk, to be written.  The variable is called v.  It is a separate program, because h5py and netCDF4 each contain an
HDF5, and one process should not load both.
"""

import json
import os
import sys

UNLIMITED = ("planes",)  # arrays that something is appended to


def elements(path):
    import tensorstore as ts

    driver = "zarr3" if os.path.exists(os.path.join(path, "zarr.json")) else "zarr"
    return ts.open({"driver": driver, "kvstore": {"driver": "file", "path": path}}).result().read().result()


def hdf5(path, shape, dtype, chunk, codec, grows, data):
    import h5py
    import hdf5plugin

    filters = {
        "raw": {},
        "gzip": {"compression": "gzip", "compression_opts": 5},
        "zstd": dict(hdf5plugin.Zstd(clevel=3)),  # what level 0 of Zarr's zstd stands for
        "blosc": dict(hdf5plugin.Blosc(cname="lz4", clevel=5, shuffle=hdf5plugin.Blosc.SHUFFLE)),
    }[codec]
    with h5py.File(path, "w", libver="latest") as f:
        most = (None, *shape[1:]) if grows else None
        v = f.create_dataset("v", shape, dtype, chunks=chunk, maxshape=most, fill_time="never", **filters)
        if data is not None:
            v[...] = data


def netcdf(path, shape, dtype, chunk, codec, grows, data):
    import netCDF4

    filters = {
        "raw": {},
        "gzip": {"compression": "zlib", "complevel": 5, "shuffle": False},
        "zstd": {"compression": "zstd", "complevel": 3, "shuffle": False},
        "blosc": {"compression": "blosc_lz4", "complevel": 5, "blosc_shuffle": 1, "shuffle": False},
    }[codec]
    with netCDF4.Dataset(path, "w", format="NETCDF4") as f:
        names = [f"d{i}" for i in range(len(shape))]
        for i, name in enumerate(names):
            f.createDimension(name, None if grows and i == 0 else shape[i])
        v = f.createVariable("v", dtype, names, chunksizes=chunk, fill_value=False, **filters)
        v.set_auto_maskandscale(False)
        if data is not None:
            v[...] = data


MAKERS = {"hdf5": (hdf5, ".h5"), "netcdf": (netcdf, ".nc")}


def make(kind, path, chunk, codec):
    maker, ending = MAKERS[kind]
    data, grows = elements(path), os.path.basename(path) in UNLIMITED
    for where, what in ((path + "-empty" + ending, None), (path + ending + ".part", data)):
        maker(where, data.shape, data.dtype.str, chunk, codec, grows, what)
    os.rename(path + ending + ".part", path + ending)


def group_of(path):
    """A group that holds the array as v: netCDF-C opens groups only"""
    group = path + "-group"
    if not os.path.exists(os.path.join(group, "v")):
        os.makedirs(group, exist_ok=True)
        with open(os.path.join(group, ".zgroup"), "w", encoding="utf-8") as f:
            json.dump({"zarr_format": 2}, f)
        os.symlink(os.path.abspath(path), os.path.join(group, "v"))
    return group


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2], tuple(int(n) for n in sys.argv[3].split(",")), sys.argv[4])
