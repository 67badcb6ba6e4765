"""The engine `zinc` gives what the engine `zarr` gives."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import pickle
import shutil
import threading
import warnings

import numpy as np
import pytest

xr = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")

import zinczarr  # noqa: E402
from zinczarr.errors import CorruptError, NotFoundError  # noqa: E402
from zinczarr.xarray_engine import ZincBackendEntrypoint as ZINC  # noqa: E402
from zinczarr.xarray_engine import decode_fill  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
RNG = np.random.default_rng(7)


def numbers():
    kinds = "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"
    return xr.Dataset({f"v{k.strip('?') or 'b'}": (("x", "y"), (RNG.random((7, 5)) * 50).astype(k)) for k in kinds})


def climate():
    time = xr.date_range("2000-01-01", periods=9)
    t = 280 + RNG.random((9, 4, 6)).astype("f4")
    t[2, 1, 3] = np.nan
    made = xr.Dataset(
        {"t": (("time", "lat", "lon"), t, {"units": "K", "coordinates": "area"}), "p": ("time", np.arange(9))},
        {"time": time, "lat": np.linspace(-90, 90, 4), "lon": np.arange(6.0), "area": (("lat", "lon"), np.ones((4, 6)))},
        {"title": "test", "list": [1, 2], "nested": {"a": None}},
    )
    made.t.encoding = {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32768, "chunks": (4, 4, 5)}
    made.p.encoding = {"chunks": (2,)}
    return made


def texts():
    return xr.Dataset(
        {
            "u": ("x", np.array(["a", "bcd", "éß", ""])),
            "s": ("x", np.array([b"a", b"bcd", b"", b"x"])),
            "o": ("x", np.array(["a", "bcd", "éß", ""], object)),
            "zero": ((), np.array("text")),
        },
        {"x": list("wxyz")},
    )


def dates():
    day = np.array(["2000-01-01", "NaT", "2020-02-29T12:00"], "M8[ns]")
    span = np.array([1, 10**9, 86400 * 10**9], "m8[ns]")
    cf = xr.date_range("2001-01-01", periods=3, calendar="noleap", use_cftime=True)
    return xr.Dataset({"day": ("x", day), "span": ("x", span), "cf": ("t", np.arange(3.0)), "one": ((), day[0])}, {"t": cf})


def small():
    return xr.Dataset({"a": ((), 3.5), "b": ((), 7, {"k": "v"}), "empty": (("e", "x"), np.zeros((0, 3)))}, {"x": [1, 2, 3]})


def empty():
    return xr.Dataset(attrs={"nothing": True})


def missing():
    made = xr.Dataset({"f": ("x", np.array([1.0, np.nan, -9.0])), "i": ("x", np.array([1, 2, 3], "i2"))})
    made.f.encoding["_FillValue"] = -9.0
    made.i.encoding["_FillValue"] = 2
    return made


def big_endian():
    return xr.Dataset({k[1:]: (("x", "y"), np.arange(12).reshape(3, 4).astype(k)) for k in (">i4", ">f8", ">u2")})


SETS = [numbers, climate, texts, dates, small, empty, missing, big_endian]


def write(ds, path, zarr_format, **options):
    ds.to_zarr(path, zarr_format=zarr_format, mode="w", **options)
    return str(path)


def both(path, function=xr.open_dataset, **options):
    return function(path, engine=ZINC, **options), function(path, engine="zarr", **options)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("make", SETS)
@pytest.mark.parametrize("consolidated", [False, True])
def test_identical(tmp_path, make, zarr_format, consolidated):
    path = write(make(), tmp_path / "a", zarr_format, consolidated=consolidated)
    for options in ({}, {"decode_cf": False}, {"mask_and_scale": False}, {"decode_times": False}, {"decode_coords": "all"}):
        ours, theirs = both(path, consolidated=consolidated, **options)
        xr.testing.assert_identical(ours, theirs)
        for name in theirs.variables:
            assert ours[name].dtype == theirs[name].dtype, name
            same_encoding(ours[name].encoding, theirs[name].encoding)


def same_encoding(ours, theirs):
    ours, theirs = dict(ours), dict(theirs)
    for encoding in (ours, theirs):
        encoding.pop("source", None)
    assert set(ours) == set(theirs)
    for key in theirs:
        a, b = ours[key], theirs[key]
        assert type(a) is type(b) and (a == b or (a != a and b != b)), key


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_sharded_compressed_filtered(tmp_path, zarr_format):
    ds = climate().drop_encoding()
    from numcodecs import Delta, Zlib
    from zarr.codecs import GzipCodec

    encoding = {
        2: {"t": {"compressors": (Zlib(3),), "chunks": (2, 2, 3)}, "p": {"filters": (Delta("i8"),), "compressors": None}},
        3: {"t": {"chunks": (2, 2, 3), "shards": (4, 4, 6), "compressors": (GzipCodec(level=2),)}},
    }[zarr_format]
    path = write(ds, tmp_path / "a", zarr_format, encoding=encoding)
    ours, theirs = both(path)
    xr.testing.assert_identical(ours, theirs)
    xr.testing.assert_identical(ours, xr.open_dataset(path, engine="zarr"))
    for name in theirs.variables:
        same_encoding(ours[name].encoding, theirs[name].encoding)
    ours.to_zarr(tmp_path / "b", zarr_format=zarr_format)  # the encoding can be written again
    again = xr.open_dataset(tmp_path / "b", engine=ZINC)
    xr.testing.assert_identical(again, theirs)
    assert again.t.encoding["compressors"] == theirs.t.encoding["compressors"]
    assert again.t.encoding["shards"] == theirs.t.encoding["shards"]


def keys():
    lists = xr.DataArray([2, 0, 2], dims="p"), xr.DataArray([1, 3, 0], dims="p"), xr.DataArray([5, 5, 1], dims="p")
    grid = xr.DataArray([[0, 1], [8, 3]], dims=("a", "b"))
    return [
        {},
        {"time": 0},
        {"time": -1, "lat": 0, "lon": 2},
        {"time": slice(1, 7, 3)},
        {"time": slice(None, None, -1), "lon": slice(4, 0, -2)},
        {"time": slice(3, 3)},
        {"lat": [3, 0, 0]},
        {"time": [8, 1], "lon": [0, 5, 2]},
        {"time": [8, 1], "lat": 2, "lon": slice(1, 4)},
        {"lat": np.array([True, False, True, False])},
        {"time": lists[0], "lat": lists[1], "lon": lists[2]},
        {"time": lists[0], "lon": lists[2]},
        {"time": grid},
        {"time": grid, "lat": grid.clip(0, 3)},
        {"time": []},
    ]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_lazy_indexing(tmp_path, zarr_format):
    path = write(climate(), tmp_path / "a", zarr_format)
    memory = xr.open_dataset(path, engine="zarr").load()
    for key in keys():
        lazy = xr.open_dataset(path, engine=ZINC, cache=False)
        assert not lazy.t.variable._in_memory
        xr.testing.assert_identical(lazy.isel(key), memory.isel(key))
        for more in ({"lat": 1}, {"lat": slice(None, None, 2)}, {"lon": [0, 1]}):
            if set(more) <= set(lazy.t.isel(key).dims) and max(lazy.isel(key).sizes[d] for d in more) > 1:
                xr.testing.assert_identical(lazy.isel(key).isel(more), memory.isel(key).isel(more))


def test_points_are_read_as_points(tmp_path, monkeypatch):
    path = write(xr.Dataset({"v": (("x", "y"), np.arange(10000).reshape(100, 100))}), tmp_path / "a", 3)
    asked = []
    original = zinczarr._array.VIndex.__getitem__
    monkeypatch.setattr(zinczarr._array.VIndex, "__getitem__", lambda self, key: asked.append(key) or original(self, key))
    ds = xr.open_dataset(path, engine=ZINC)
    far = {d: xr.DataArray(np.arange(0, 100, 5), dims="p") for d in "xy"}
    assert (ds.v.isel(far).values == np.arange(10000).reshape(100, 100)[::5, ::5].diagonal()).all()
    assert len(asked) == 1
    near = {"x": xr.DataArray([[1, 1], [2, 2]], dims=("p", "q")), "y": xr.DataArray([[1, 2], [1, 2]], dims=("p", "q"))}
    assert (ds.v.isel(near).values == [[101, 102], [201, 202]]).all()
    assert len(asked) == 1


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_dask_chunks(tmp_path, zarr_format):
    path = write(climate(), tmp_path / "a", zarr_format)
    ours, theirs = both(path, chunks={})
    assert {n: v.chunks for n, v in ours.variables.items()} == {n: v.chunks for n, v in theirs.variables.items()}
    xr.testing.assert_identical(ours.compute(), theirs.compute())
    assert ours.t.data.name != theirs.t.data.name
    assert ours.t.data.name == xr.open_dataset(path, engine=ZINC, chunks={}).t.data.name
    with_shards = write(climate().drop_encoding(), tmp_path / "s", 3, encoding={"t": {"chunks": (2, 2, 3), "shards": (4, 4, 6)}})
    ours, theirs = both(with_shards, chunks={})
    assert ours.t.chunks == theirs.t.chunks and float(ours.t.mean()) == float(theirs.t.mean())


def tree():
    return xr.DataTree.from_dict(
        {"/": climate(), "/a": xr.Dataset({"v": ("w", [1, 2])}, attrs={"k": 1}), "/a/b": texts(), "/c": empty()}
    )


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("group", [None, "a", "/a/b"])
def test_groups(tmp_path, zarr_format, group):
    path = str(tmp_path / "a")
    tree().to_zarr(path, zarr_format=zarr_format)
    ours, theirs = both(path, xr.open_datatree, group=group)
    xr.testing.assert_identical(ours, theirs)
    ours, theirs = both(path, xr.open_groups, group=group)
    assert set(ours) == set(theirs)
    for name in theirs:
        xr.testing.assert_identical(ours[name], theirs[name])
    ours, theirs = both(path, group=group)
    xr.testing.assert_identical(ours, theirs)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_variables_without_a_name(tmp_path, zarr_format):
    """Their names are reserved in version 3, and there all the same."""
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    xr.Dataset({None: ("x", [1, 2])}).to_zarr(a, zarr_format=zarr_format)
    xr.DataArray([[1.0, 2.0]], dims=("x", "y")).to_zarr(b, zarr_format=zarr_format)
    for path in (a, b):
        ours, theirs = both(path)
        xr.testing.assert_identical(ours, theirs)
        assert len(ours.data_vars) == 1
    xr.testing.assert_identical(*both(b, xr.open_dataarray))


def test_other_sources(tmp_path):
    path = write(climate(), tmp_path / "a", 3)
    expected = xr.open_dataset(path, engine="zarr")
    group = zinczarr.open_group(path, mode="r")
    for source in (group, tmp_path / "a", path + "/", zarr.storage.LocalStore(path)):
        xr.testing.assert_identical(xr.open_dataset(source, engine=ZINC), expected)


def test_stores_of_zinc(tmp_path):
    """What only Zinc opens: guessed from the URL, and the same data."""
    path = write(climate(), tmp_path / "a", 3, consolidated=False)
    expected = xr.open_dataset(path, engine="zarr", consolidated=False).load()
    for url in (f"sqlite://{tmp_path}/a.sqlite", f"{tmp_path}/a.zip|zip:"):
        zinczarr.copy(path, url)
        assert ZINC().guess_can_open(url)
        xr.testing.assert_identical(xr.open_dataset(url, engine=ZINC), expected)


def test_drafts(tmp_path):
    """A draft has its names of dimensions in an attribute, and its fill value is _FillValue, as when it was written."""
    path = write(missing().assign(c=("y", [1.5, 2.5])), tmp_path / "a", 2, consolidated=False)
    expected = xr.open_dataset(path, engine="zarr", consolidated=False)
    for version in ("v3-2020", "v3-2019"):
        draft = str(tmp_path / version)
        source = zinczarr.open_group(path, mode="r")
        target = zinczarr.create_group(draft, format=version, attributes=dict(source.attrs))
        for name, a in source.arrays():
            made = target.create_array(
                name, shape=a.shape, dtype=a.dtype, chunks=a.chunks, fill_value=a.fill_value, attributes=dict(a.attrs)
            )
            made[...] = a[...]
        assert ZINC().guess_can_open(draft)
        assert zinczarr.open_group(draft, mode="r").format == version
        xr.testing.assert_identical(xr.open_dataset(draft, engine=ZINC), expected)


def test_guess(tmp_path):
    guess = ZINC().guess_can_open
    for zarr_format in (2, 3):
        assert not guess(write(missing(), tmp_path / f"{zarr_format}.zarr", zarr_format))
        assert not guess(write(missing(), tmp_path / str(zarr_format), zarr_format))
    for other in ("s3://b/a.zarr", "https://h/a.zarr", "file:///a", "a.nc", "nothing", str(tmp_path), None, 3, b"x"):
        assert not guess(other)
    for ours in ("sqlite://a.sqlite", "lmdb:///a", "redis://h/0", "a.zip|zip:", "postgresql://h/d"):
        assert guess(ours)


def test_missing_names_of_dimensions(tmp_path):
    for zarr_format in (2, 3):
        path = str(tmp_path / str(zarr_format))
        zarr.open_group(path, mode="w", zarr_format=zarr_format).create_array("v", shape=(2,), dtype="i4")
        with pytest.raises(KeyError, match="dimension"):
            xr.open_dataset(path, engine=ZINC, consolidated=False)


def test_names_of_netcdf(tmp_path):
    path = write(xr.Dataset({"v": (("x", "y"), np.ones((2, 3)))}), tmp_path / "a", 2, consolidated=False)
    document = json.loads((tmp_path / "a/v/.zarray").read_text())
    document["_NCZARR_ARRAY"] = {"dimrefs": ["/x", "/y"], "storage": "chunked"}
    (tmp_path / "a/v/.zarray").write_text(json.dumps(document))
    attributes = json.loads((tmp_path / "a/v/.zattrs").read_text())
    del attributes["_ARRAY_DIMENSIONS"]
    (tmp_path / "a/v/.zattrs").write_text(json.dumps(attributes | {"_NCProperties": "x"}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = both(path, consolidated=False)
    xr.testing.assert_identical(ours, theirs)
    assert ours.v.dims == ("x", "y")


def test_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        xr.open_dataset(tmp_path / "nothing", engine=ZINC)
    path = write(missing(), tmp_path / "a", 3, consolidated=False)
    with pytest.raises(FileNotFoundError):
        xr.open_dataset(path, engine=ZINC, group="nothing")
    with pytest.raises(ValueError, match="consolidated"):
        xr.open_dataset(path, engine=ZINC, consolidated=True)
    with pytest.raises(ValueError, match="mode"):
        xr.open_dataset(path, engine=ZINC, backend_kwargs={"mode": "w"})


def test_drop_variables(tmp_path):
    path = write(climate(), tmp_path / "a", 3)
    ours, theirs = both(path, drop_variables=["t"])
    xr.testing.assert_identical(ours, theirs)
    assert "t" not in ours


def test_fill_value_as_mask(tmp_path):
    path = write(xr.Dataset({"v": ("x", np.array([0, 1, 2], "i4"))}), tmp_path / "a", 3, consolidated=False)
    plain = xr.open_dataset(path, engine=ZINC)
    assert plain.v.dtype == np.dtype("i4") and plain.v.encoding["fill_value"] == 0
    masked = xr.open_dataset(path, engine=ZINC, backend_kwargs={"use_zarr_fill_value_as_mask": True})
    assert np.isnan(masked.v.values[0]) and masked.v.values[1] == 1


def test_decode_fill():
    from xarray.backends.zarr import FillValueCoder

    cases = [("f4", 1.5), ("f8", float("nan")), ("i2", -3), ("u8", 2**63), ("?", True), ("c16", 1 + 2j)]
    for kind, value in cases:
        dtype = np.dtype(kind)
        stored = FillValueCoder.encode(value, dtype)
        ours, theirs = decode_fill(stored, dtype), FillValueCoder.decode(stored, dtype)
        assert type(ours) is type(theirs) and (ours == theirs or ours != ours)


# ---- many at once ----


def total(path):
    return float(xr.open_dataset(path, engine=ZINC).t.sum())


def test_threads_processes_pickle_fork(tmp_path):
    path = write(climate(), tmp_path / "a", 3)
    ds = xr.open_dataset(path, engine=ZINC, cache=False)
    expected = total(path)
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(float(ds.t.sum()))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert seen == [expected] * 8
    xr.testing.assert_identical(pickle.loads(pickle.dumps(ds)), ds)
    for kind in ("fork", "spawn"):
        with multiprocessing.get_context(kind).Pool(2) as pool:
            assert pool.map_async(total, [path] * 4).get(60) == [expected] * 4


def test_dask_processes(tmp_path):
    import dask

    path = write(climate(), tmp_path / "a", 3)
    ds = xr.open_dataset(path, engine=ZINC, chunks={})
    with dask.config.set(scheduler="processes", num_workers=2):
        assert float(ds.p.sum()) == 36


def test_async(tmp_path):
    path = write(climate(), tmp_path / "a", 3)
    loaded = asyncio.run(xr.open_dataset(path, engine=ZINC).load_async())
    xr.testing.assert_identical(loaded, xr.open_dataset(path, engine="zarr"))


def test_missing_chunks(tmp_path):
    ds = xr.Dataset({"v": ("x", np.arange(10.0))})
    path = write(ds, tmp_path / "a", 3, encoding={"v": {"chunks": (3,)}}, consolidated=False)
    shutil.rmtree(tmp_path / "a/v/c")
    ours, theirs = both(path, consolidated=False)
    xr.testing.assert_identical(ours, theirs)
    assert np.isnan(ours.v).all()


def test_unsupported_is_said(tmp_path):
    """A grid that libzinc does not know: an error with its name, and no data set without the variable."""
    group = zarr.open_group(tmp_path / "a", mode="w")
    group.create_array("v", shape=(6,), chunks=(2,), dtype="i4", dimension_names=("x",))
    document = tmp_path / "a/v/zarr.json"
    document.write_text(document.read_text().replace('"regular"', '"hexagonal"'))
    with pytest.raises(zinczarr.errors.UnsupportedError, match="hexagonal"):
        xr.open_dataset(tmp_path / "a", engine=ZINC)


@pytest.mark.parametrize("shards", [False, True])
def test_chunks_of_several_lengths(tmp_path, shards):
    grid = {"shards": ((4, 6, 2), (6,)), "chunks": (2, 3)} if shards else {"chunks": ((1, 8, 3), (2, 4))}
    with zarr.config.set({"array.rectilinear_chunks": True}):
        group = zarr.open_group(tmp_path / "a", mode="w")
        v = group.create_array("v", shape=(12, 6), dtype="i4", dimension_names=("y", "x"), **grid)
        v[...] = np.arange(72).reshape(12, 6)
    ours = xr.open_dataset(tmp_path / "a", engine=ZINC, chunks={})
    assert (ours.v.values == np.arange(72).reshape(12, 6)).all()
    assert ours.v.encoding["chunks"] == ((2, 3) if shards else ((1, 8, 3), (2, 4)))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("how", ["broken", "gone"])
def test_a_damaged_variable_is_an_error(tmp_path, version, consolidated, how):
    """A data set without it would be another one."""
    path = tmp_path / "a.zarr"
    xr.Dataset({n: ("x", np.arange(3)) for n in "abc"}).to_zarr(path, zarr_format=version, consolidated=consolidated)
    if how == "broken":
        (path / "b" / (".zarray" if version == 2 else "zarr.json")).write_text("{ broken")
    else:
        shutil.rmtree(path / "b")
    if how == "gone" and not consolidated:
        assert list(xr.open_dataset(path, engine=ZINC)) == ["a", "c"]
        return
    for open_it in (xr.open_dataset, xr.open_datatree):
        with pytest.raises((CorruptError, NotFoundError), match="b/"):
            open_it(path, engine=ZINC)


def test_a_damaged_group_is_an_error(tmp_path):
    path = tmp_path / "a.zarr"
    zinczarr.create_group(path, zarr_format=2)
    zinczarr.create_group(path / "g", zarr_format=2, attributes={"k": 1})
    assert xr.open_datatree(path, engine=ZINC)["g"].attrs == {"k": 1}
    (path / "g/.zgroup").write_text("{ broken")
    with pytest.raises(CorruptError, match="g/"):
        xr.open_datatree(path, engine=ZINC)
