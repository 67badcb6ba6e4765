"""Opening, creating and groups: the modes and arguments of zarr-python, in all versions of Zarr."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import zinczarr
from zinczarr import Array, Group, ZincWarning
from zinczarr.errors import CorruptError, ExistsError, InvalidError, NotFoundError, ReadOnlyError

FORMATS = [name for name, _ in zinczarr.formats()]
zarr = None
try:
    import zarr  # type: ignore[no-redef]
except ImportError:  # the interpreter is older than zarr-python needs
    pass
needs_zarr = pytest.mark.skipif(zarr is None, reason="zarr-python is not installed")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return str(tmp_path / "a.zarr")


# ---- modes ----


def test_modes_where_nothing_is(url: str) -> None:
    for mode in ("r", "r+"):
        for function in (zinczarr.open, zinczarr.open_array, zinczarr.open_group):
            with pytest.raises(FileNotFoundError):
                function(url, mode=mode)
    with pytest.raises(NotFoundError):
        zinczarr.open_array(url)
    assert not os.path.exists(url)
    assert isinstance(zinczarr.open(url), Group)
    assert isinstance(zinczarr.open(url + "/x", mode="w-", shape=3, dtype="i4"), Array)


def test_modes_where_something_is(url: str) -> None:
    zinczarr.create_array(url, name="t", data=np.arange(4))
    for mode in ("r", "r+", "a", None):
        a = zinczarr.open(url, path="t", mode=mode)
        assert isinstance(a, Array) and a[:].tolist() == [0, 1, 2, 3]
        assert a.read_only == (mode == "r")
        assert isinstance(zinczarr.open(url, mode=mode), Group)
    for function in (zinczarr.open, zinczarr.open_array):
        with pytest.raises(ExistsError):
            function(url + "/t", mode="w-", shape=3, dtype="i4")
    with pytest.raises(ExistsError):
        zinczarr.open_group(url, mode="w-")
    with pytest.raises(NotFoundError, match="not an array"):
        zinczarr.open_array(url)
    with pytest.raises(NotFoundError, match="not a group"):
        zinczarr.open_group(url + "/t")
    with pytest.raises(ReadOnlyError):
        zinczarr.open(url + "/t", mode="r")[0] = 1
    assert zinczarr.open(url + "/t")[:].tolist() == [0, 1, 2, 3]
    new = zinczarr.open(url + "/t", mode="w", shape=(2,), dtype="f8")
    assert new.shape == (2,) and new[:].tolist() == [0, 0]
    assert len(zinczarr.open_group(url, mode="w")) == 0
    with pytest.raises(ValueError, match="mode"):
        zinczarr.open(url, mode="x")  # type: ignore[arg-type]


def test_an_existing_array_keeps_its_shape(url: str) -> None:
    """As in zarr-python: the arguments are for a new array."""
    a = zinczarr.open(url, mode="a", shape=(0,), dtype="i4", chunks=(4,))
    a.append(np.arange(3))
    assert zinczarr.open(url, mode="a", shape=(0,), dtype="i4").shape == (3,)


@pytest.mark.parametrize("old", FORMATS)
@pytest.mark.parametrize("new", ["v2", "v3", "v3-2020"])
def test_mode_w_changes_the_version(url: str, old: str, new: str) -> None:
    zinczarr.open_group(url, format=old, relaxed=True).create_array("t", shape=(2,), dtype="i4")
    g = zinczarr.open_group(url, mode="w", format=new, relaxed=True)
    assert g.format == new and list(g) == []
    assert zinczarr.open(url).format == new


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    a = zinczarr.create_array("a.zarr/x/t", data=np.arange(3))
    monkeypatch.chdir("/")
    assert pickle.loads(pickle.dumps(a))[:].tolist() == [0, 1, 2]  # relative to where it was opened
    places: list[Any] = [tmp_path / "a.zarr/x/t", f"file://{tmp_path}/a.zarr/x/t", f"{tmp_path}/a.zarr|x/t"]
    for place in places:
        assert zinczarr.open(place, mode="r")[:].tolist() == [0, 1, 2]
    assert zinczarr.open(tmp_path / "a.zarr", path="/x/t/").name == "/x/t"
    for name in ("b.zip", "c.sqlite", "memory://places"):
        where = name if "://" in name else str(tmp_path / name)
        g = zinczarr.open_group(where)
        g["t"] = np.arange(5)
        assert zinczarr.open(where)["t"][:].tolist() == [0, 1, 2, 3, 4]  # type: ignore[index]


def test_places_that_are_refused(tmp_path: Path) -> None:
    for wrong in ({}, 5, b"bytes", [str(tmp_path)]):
        with pytest.raises(TypeError, match="pass a URL|a path is a text"):
            zinczarr.open(wrong)
    with pytest.raises(ValueError):
        zinczarr.open("")
    with pytest.raises(InvalidError):
        zinczarr.open("nosuch://x")
    with pytest.raises(ValueError, match="links"):
        zinczarr.open(tmp_path, links="maybe")
    with pytest.raises(InvalidError):
        zinczarr.open("https://127.0.0.1:1/a.zarr", settings={"http.nosuch": 1})
    with pytest.raises(ValueError, match='"\\."'):
        zinczarr.open(tmp_path / "a.zarr", path="../b")


def test_nothing_gives_memory() -> None:
    g = zinczarr.open_group()
    g["t"] = 5
    assert g["t"][()] == 5  # type: ignore[index]
    assert list(zinczarr.open_group()) == []


@needs_zarr
def test_stores_of_zarr_python(tmp_path: Path) -> None:
    store = zarr.storage.LocalStore(tmp_path / "a.zarr")
    zarr.create_array(store, name="t", data=np.arange(3))
    assert zinczarr.open(store)["t"][:].tolist() == [0, 1, 2]
    assert zinczarr.open(zarr.storage.LocalStore(tmp_path / "a.zarr", read_only=True)).read_only
    with pytest.raises(TypeError, match="MemoryStore cannot be opened"):
        zinczarr.open(zarr.storage.MemoryStore())


def test_arguments_that_are_refused(url: str) -> None:
    bad: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"shape": (2,)}, ValueError, "dtype"),
        ({"dtype": "i4"}, ValueError, "shape"),
        ({"data": np.zeros(2), "shape": (2,)}, ValueError, "do not pass"),
        ({"shape": (2,), "dtype": "O"}, TypeError, "string"),
        ({"shape": (2,), "dtype": "U"}, TypeError, "length"),
        ({"shape": (-1,), "dtype": "i4"}, ValueError, "negative"),
        ({"shape": (2,), "dtype": "i4", "chunks": (0,)}, ValueError, "at least 1"),
        ({"shape": (2,), "dtype": "i4", "chunks": (1, 1)}, ValueError, "dimensions"),
        ({"shape": (2,), "dtype": "i4", "chunks": "big"}, ValueError, "auto"),
        ({"shape": (5,), "dtype": "i4", "chunks": [[2, 2]]}, ValueError, "cover|add up"),
        ({"shape": (2,), "dtype": "i4", "order": "A"}, ValueError, "order"),
        ({"shape": (2,), "dtype": "i4", "nosuch": 1}, TypeError, "nosuch"),
        ({"shape": (2,), "dtype": "i4", "synchronizer": object()}, TypeError, "exclusive"),
        ({"shape": (2,), "dtype": "i4", "codecs": "nosuch"}, InvalidError, "nosuch"),
        ({"shape": (2,), "dtype": "i4", "codecs": "zstd", "filters": None}, TypeError, "whole chain"),
        ({"shape": (2,), "dtype": "i4", "compressors": 5}, TypeError, "codec"),
        ({"shape": (2,), "dtype": "u1", "fill_value": 300}, ValueError, "fill"),
        ({"shape": (2,), "dtype": "i4", "fill_value": 1.5}, TypeError, "integer"),
        ({"shape": (2,), "dtype": "i4", "chunk_key_encoding": ("v9", ".")}, ValueError, "chunk key"),
        ({"shape": (2,), "dtype": "i4", "dimension_names": "x"}, TypeError, "sequence"),
        ({"shape": (2,), "dtype": "i4", "dimension_names": ["x", "y"]}, ValueError, "names"),
        ({"shape": (2,), "dtype": "i4", "zarr_format": 4}, ValueError, "2 or 3"),
        ({"shape": (2,), "dtype": "i4", "zarr_format": 2, "format": "v3"}, ValueError, "contradicts"),
        ({"shape": (2,), "dtype": "i4", "format": "v9"}, InvalidError, "v9"),
    ]
    for arguments, kind, text in bad:
        with pytest.raises(kind, match=text):
            zinczarr.create_array(url, **arguments)
        assert not os.path.exists(url), arguments


# ---- creating, with zarr-python as the oracle ----

DTYPES = ["?", "i1", "<i8", ">i4", "u2", "f2", "f4", ">f8", "c8", "c16", "M8[ns]", "m8[s]", "S5", "U4", "V3"]
FILLS: dict[str, Any] = {
    "?": True,
    "f4": float("nan"),
    ">f8": -0.0,
    "c8": complex(1, float("inf")),
    "M8[ns]": np.datetime64("2020-01-01", "ns"),
    "m8[s]": np.timedelta64("NaT", "s"),
    "S5": b"ab",
    "U4": "åb",
    "V3": b"\1\2\3",
}


@needs_zarr
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_types_and_fill_values(tmp_path: Path, dtype: str, version: int) -> None:
    fill = FILLS.get(dtype, 5)
    ours = zinczarr.create_array(
        tmp_path / "a.zarr",
        shape=(3, 4),
        chunks=(2, 3),
        dtype=dtype,
        fill_value=fill,
        zarr_format=version,
        relaxed=True,
    )
    theirs = zarr.open_array(tmp_path / "a.zarr", mode="r")
    assert theirs.shape == ours.shape and theirs.chunks == ours.chunks
    assert theirs.dtype.newbyteorder("=") == ours.dtype.newbyteorder("=")
    assert np.asarray(theirs[...]).tobytes() == np.asarray(ours[...].astype(theirs.dtype)).tobytes()
    assert np.full(1, fill).astype(ours.dtype).tobytes() == np.asarray(ours[0, :1]).tobytes() or dtype == "V3"


@needs_zarr
@pytest.mark.filterwarnings("ignore")
def test_codecs_of_zarr_python(tmp_path: Path) -> None:
    import numcodecs
    from zarr import codecs as z

    data = np.arange(24, dtype="f4").reshape(4, 6)
    chains: list[dict[str, Any]] = [
        {"compressors": z.GzipCodec(level=1)},
        {"compressors": [z.BloscCodec(cname="lz4"), z.Crc32cCodec()]},
        {"compressors": None},
        {"compressors": {"name": "zstd", "configuration": {"level": 1, "checksum": True}}},
        {"filters": [z.TransposeCodec(order=(1, 0))]},
        {"serializer": z.BytesCodec(endian="big"), "compressors": ()},
        {"codecs": [z.TransposeCodec(order=(1, 0)), z.BytesCodec(), z.ZstdCodec(level=2)]},
        {"codecs": "blosc:zstd:3:shuffle"},
        {"codecs": ["gzip:1", "crc32c"]},
        {"codecs": '[{"name":"bytes","configuration":{"endian":"little"}}]'},
        {"shards": (4, 6), "compressors": z.ZstdCodec()},
        {"shards": {"shape": (4, 6), "index_location": "end"}},
        {"zarr_format": 2, "compressors": numcodecs.Zlib(level=2)},
        {"zarr_format": 2, "compressor": numcodecs.Blosc(), "filters": [numcodecs.Delta(dtype="<f4")]},
        {"zarr_format": 2, "compressors": None, "order": "F"},
        {"zarr_format": 2, "dimension_separator": "/"},
        {"chunk_key_encoding": {"name": "v2", "separator": "."}},
        {"chunk_key_encoding": ("default", ".")},
    ]
    for i, chain in enumerate(chains):
        a = zinczarr.create_array(tmp_path / f"{i}.zarr", data=data, chunks=(2, 3), relaxed=True, **chain)
        assert np.array_equal(zarr.open_array(tmp_path / f"{i}.zarr", mode="r")[...], data), chain
        assert np.array_equal(a[...], data), chain
    blosc = json.loads((tmp_path / "1.zarr" / "zarr.json").read_text())["codecs"][1]["configuration"]
    assert blosc["typesize"] == 4 and blosc["shuffle"] == "shuffle"
    assert (tmp_path / "16.zarr" / "0.0").exists() and (tmp_path / "17.zarr" / "c.0.0").exists()


def test_other_arguments(tmp_path: Path) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr", relaxed=True)
    a = g.create_array(
        "t", shape=(6, 5), dtype="f4", chunks=(3, -1), dimension_names=["y", None], attributes={"u": "K"}
    )
    assert a.chunks == (3, 5) and a.dimension_names == ("y", None) and a.attrs == {"u": "K"}
    assert g.create_array("one", shape=7, dtype="i4", chunks=2).chunks == (2,)
    assert g.create_array("all", shape=(7, 3), dtype="i4", chunks=False).chunks == (7, 3)
    big = g.create_array("big", shape=(20000, 20000), dtype="f8", shards="auto")
    assert big.shards is not None and all(s % c == 0 for s, c in zip(big.shards, big.chunks, strict=True))
    text = g.create_array("text", data=np.array(["a", "åå", ""], dtype=object), fill_value="-")
    assert list(text[:]) == ["a", "åå", ""] and text.fill_value == "-"
    raw = g.create_array("raw", data=np.array([b"a", b""], dtype=object))
    assert list(raw[:]) == [b"a", b""]
    record = g.create_array("record", shape=2, dtype=[("a", ">i2"), ("b", "S3")], fill_value=(1, b"x"))
    assert record[0].tolist() == (1, b"x")
    aligned = np.dtype([("a", "u1"), ("b", "f8")], align=True)
    assert g.create_array("aligned", data=np.zeros(2, aligned))[:].dtype.names == ("a", "b")
    assert g.create_array("later", data=np.ones(3), write_data=False)[:].tolist() == [0, 0, 0]
    empty = g.create_array("empty", data=np.zeros((3, 0)))
    assert empty.shape == (3, 0) and empty[...].shape == (3, 0)
    assert g.create_array("scalar", data=np.float32(2.5))[()] == 2.5
    g.zeros(name="z", shape=2), g.ones(name="o", shape=2), g.full(name="f", shape=2, fill_value=7, dtype="i2")
    assert [g[n][:].tolist() for n in "zof"] == [[0, 0], [1, 1], [7, 7]]  # type: ignore[index]


def test_write_empty_chunks(tmp_path: Path) -> None:
    for name, config, n in (("a", None, 0), ("b", {"write_empty_chunks": True}, 2)):
        a = zinczarr.create_array(tmp_path / name, shape=4, dtype="i4", chunks=2, config=config, fill_value=0)
        a[:] = 0
        assert a.stored()["objects"] == n
        assert pickle.loads(pickle.dumps(a)).write_empty_chunks == (n > 0)
    again = zinczarr.open_array(tmp_path / "a", config={"write_empty_chunks": True})
    again[:] = 0
    assert again.stored()["objects"] == 2


def test_write_empty_chunks_by_its_older_name(tmp_path: Path) -> None:
    zinczarr.create_array(tmp_path / "a", shape=4, dtype="i4", chunks=2)
    assert zinczarr.open_array(tmp_path / "a", write_empty_chunks=True).write_empty_chunks
    assert zinczarr.open(tmp_path / "a", write_empty_chunks=True).write_empty_chunks  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="older name"):
        zinczarr.open_array(tmp_path / "a", write_empty_chunks=True, config={})


def test_no_argument_is_ignored(tmp_path: Path) -> None:
    """Not even if the array exists, and nothing is created."""
    zinczarr.create_array(tmp_path / "a", shape=(4, 4), dtype="i4", chunks=2)
    for mode in ("r", "r+", "a"):
        for open_ in (zinczarr.open, zinczarr.open_array):
            with pytest.raises(TypeError, match="setings"):
                open_(tmp_path / "a", mode=mode, setings={})  # type: ignore[operator]
        assert zinczarr.open_array(tmp_path / "a", mode=mode, shape=3, dtype="i4", compressor=None).shape == (4, 4)  # type: ignore[arg-type]
    for config in ({"write_empty_chunk": True}, {"order": "F"}, {"read_missing_chunks": False}):
        with pytest.raises(TypeError, match="config"):
            zinczarr.open_array(tmp_path / "a", config=config)
    tuned = {"order": "C", "read_missing_chunks": True, "sharding_coalesce_max_bytes": 1}
    assert zinczarr.open_array(tmp_path / "a", config=tuned).shape == (4, 4)


def test_undefined_fill_value(tmp_path: Path) -> None:
    """None is null in version 2: xarray would take a zero for a missing value."""
    for path in ("a", "g/b"):
        a = zinczarr.create_array(tmp_path / "x", name=path, shape=3, dtype="i4", zarr_format=2, fill_value=None)
        assert json.loads((tmp_path / "x" / path / ".zarray").read_text())["fill_value"] is None
        a[1:] = 7
        a.append([8])
        for again in (a, zinczarr.open_array(tmp_path / "x" / path)):
            assert again.fill_value is None and again[:].tolist() == [0, 7, 7, 8]
    a = zinczarr.create_array(tmp_path / "v3", shape=3, dtype="i4", fill_value=None)
    assert a.fill_value == 0


def test_errors_of_new_arrays_say_what_is_wrong(tmp_path: Path) -> None:
    for fill, dtype in ((1.5, "i4"), (float("nan"), "u1"), ("abc", "f4"), ([1, 2], "i4"), (1j, "f8"), ((1,), "i4,f8")):
        with pytest.raises((TypeError, ValueError), match="fill value"):
            zinczarr.create_array(tmp_path / "a", shape=3, dtype=dtype, fill_value=fill)
    a = zinczarr.create_array(tmp_path / "a", shape=3, dtype="i4")
    for shape in (-1, (-1,), (2, 2)):
        with pytest.raises(ValueError, match="shape"):
            a.resize(shape)
    assert a.shape == (3,)


# ---- groups ----


@pytest.fixture(params=FORMATS)
def group(request: pytest.FixtureRequest, tmp_path: Path) -> Group:
    g = zinczarr.open_group(tmp_path / "a.zarr", format=request.param, relaxed=True)
    g.create_array("t", data=np.arange(3))
    g.create_group("g/k", attributes={"n": 1})
    g.create_array("g/u", shape=(2, 2), dtype="f4")
    return g


def test_members(group: Group) -> None:
    assert list(group) == ["g", "t"] == list(group.keys()) and len(group) == 2
    assert list(group.array_keys()) == ["t"] and list(group.group_keys()) == ["g"]
    assert [name for name, _ in group.arrays()] == ["t"] and [g.name for g in group.group_values()] == ["/g"]
    assert [a[2] for a in group.array_values()] == [2]
    assert [path for path, _ in group.members()] == ["g", "t"]
    everything = dict(group.members(max_depth=None))
    assert list(everything) == ["g", "g/k", "g/u", "t"]
    assert [type(node) for node in everything.values()] == [Group, Group, Array, Array]
    assert [path for path, _ in group["g"].members()] == ["k", "u"]  # type: ignore[union-attr]
    assert group.nmembers() == 2 and group.nmembers(max_depth=None) == 4
    for path in ("g", "g/k", "/g/u/", "t"):
        assert path in group
    for path in ("", "x", "g/x"):
        assert (path in group) == (path == "")
    assert 5 not in group


def test_getting(group: Group) -> None:
    u = group["g/u"]
    assert isinstance(u, Array) and u.path == "g/u" and u.name == "/g/u" and u.basename == "u"
    k = group["g"]["k"]  # type: ignore[index]
    assert k.attrs == {"n": 1} and (k.path, k.name, k.basename) == ("g/k", "/g/k", "k")
    assert (group.path, group.name, group.basename) == ("", "/", "")
    assert group[""] is group
    for missing in ("x", "g/x", "t/x"):
        with pytest.raises(KeyError):
            group[missing]
    assert group.get("x") is None and group.get("x", 5) == 5
    assert group.get_array("t").shape == (3,) and group.get_group("g/k").name == "/g/k"
    with pytest.raises(NotFoundError):
        group.get_array("g")
    with pytest.raises(NotFoundError):
        group.get_group("t")
    with pytest.raises(TypeError):
        group[5]  # type: ignore[index]


def test_changing(group: Group) -> None:
    group["t"] = np.array([1.5, 2.5])
    assert group["t"][:].tolist() == [1.5, 2.5]  # type: ignore[index]
    group["g/new"] = [7] if group.format == "n5" else 7  # N5 has no scalars
    assert group["g/new"][()] == 7  # type: ignore[index]
    del group["t"]
    assert "t" not in group
    with pytest.raises(KeyError):
        del group["t"]
    with pytest.raises(ExistsError):
        group.create_group("g/k")
    with pytest.raises(ExistsError):
        group.create_array("g/u", shape=1, dtype="i4")
    assert len(group.create_group("g", overwrite=True, attributes={"a": 1})) == 0
    with pytest.raises(ValueError, match="itself"):
        group.erase("")
    assert group.require_group("g").attrs == {"a": 1} and group.require_group("h/i").name == "/h/i"
    assert [g.name for g in group.require_groups("h", "j")] == ["/h", "/j"]
    a = group.require_array("g/r", shape=(3,), dtype="f4")
    assert group.require_array("g/r", shape=(3,), dtype="f8") == a
    for wrong in ({"shape": 2}, {"shape": 3, "dtype": "i1"}, {"shape": 3, "dtype": "f8", "exact": True}):
        with pytest.raises(TypeError):
            group.require_array("g/r", **wrong)
    with pytest.raises(TypeError, match="a group"):
        group.require_array("g", shape=2)
    with pytest.raises(TypeError, match="an array"):
        group.require_group("g/r")


def test_move(group: Group) -> None:
    group.move("g", "m/n")
    assert "g" not in group and list(group["m/n"]) == ["k", "u"]  # type: ignore[call-overload]
    with pytest.raises(ExistsError):
        group.move("m", "t")
    group.move("m/n/u", "t", overwrite=True)
    assert group["t"].shape == (2, 2)  # type: ignore[union-attr]


def test_metadata_and_info(group: Group) -> None:
    assert group.metadata["format"] == group.format and group.zarr_format == (2 if group.format == "v2" else 3)
    assert group.info["Type"] == "Group" and group.info_complete()["Members"] == 4
    assert "Arrays" in repr(group.info_complete())
    assert group.store.endswith("/a.zarr") and group.store in repr(group)
    assert group.update_attributes({"x": 1}).attrs["x"] == 1


@pytest.mark.parametrize("format", ["v2", "v3"])
def test_consolidate(tmp_path: Path, format: str) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr", format=format)
    g["t"] = np.arange(3)
    assert not g.consolidated
    with pytest.raises(ValueError, match="no consolidated"):
        zinczarr.open_group(tmp_path / "a.zarr", use_consolidated=True)
    seen: list[tuple[int, int, int]] = []
    assert zinczarr.consolidate(g, progress=lambda *n: seen.append(n)).consolidated and seen
    assert zinczarr.open_group(tmp_path / "a.zarr", use_consolidated=True)["t"][:].tolist() == [0, 1, 2]  # type: ignore[index]
    g["t"].attrs["new"] = 1  # consolidated metadata would be stale now
    assert zinczarr.open_group(tmp_path / "a.zarr")["t"].attrs == {"new": 1}
    assert not zinczarr.consolidate(str(tmp_path / "a.zarr"), remove=True).consolidated


def test_as_an_object(group: Group) -> None:
    copy = pickle.loads(pickle.dumps(group["g"]))
    assert copy == group["g"] and hash(copy) == hash(group["g"]) and copy != group
    assert list(copy) == ["k", "u"] and copy.read_only is False
    assert pickle.loads(pickle.dumps(zinczarr.open_group(group.url, mode="r"))).read_only
    same = zinczarr.open_group(group.url + "/g")
    assert same == copy and same.__dask_tokenize__() == copy.__dask_tokenize__()
    token = group.__dask_tokenize__()
    group.attrs["changed"] = 1
    assert token != group.__dask_tokenize__()
    assert group != 5
    assert copy._ipython_key_completions_() == ["k", "u"]


# ---- nodes that cannot be used ----


def test_nothing_disappears_silently(tmp_path: Path) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr")
    g["t"] = np.arange(3)
    (tmp_path / "a.zarr/bad").mkdir()
    (tmp_path / "a.zarr/bad/zarr.json").write_text("{")
    (tmp_path / "a.zarr/t/below").mkdir()
    (tmp_path / "a.zarr/t/below/zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    with pytest.warns(ZincWarning, match="/bad: JSON"):
        assert list(g) == ["t"]
    with pytest.warns(ZincWarning, match="below"):
        assert [path for path, _ in g.members(max_depth=None)] == ["t"]
    assert "bad ! JSON" in repr(g.tree()) and "below ! " in repr(g.tree())
    for use in (lambda: g["bad"], lambda: "bad" in g, lambda: g.require_group("bad")):
        with pytest.raises(CorruptError):
            use()


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("consolidated", [False, True])
def test_a_damaged_child_hides_no_other(tmp_path: Path, version: Literal[2, 3], consolidated: bool) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr", zarr_format=version)
    for name in "abc":
        g[name] = np.arange(3)
    if consolidated:
        g.consolidate()
    (tmp_path / "a.zarr/b" / (".zarray" if version == 2 else "zarr.json")).write_text("{ broken")
    for read in (
        lambda: [name for name, _ in g.arrays()],
        lambda: [path for path, _ in g.members()],
        lambda: [name for name, _ in g.items()],
        lambda: [array.basename for array in g.array_values()],
        lambda: [s.path.strip("/") for s in zinczarr.stats(g)],
    ):
        with pytest.warns(ZincWarning, match="/b: JSON"):
            assert read() == ["a", "c"]
    shutil.rmtree(tmp_path / "a.zarr/b")
    if consolidated:  # which is out of date
        with pytest.warns(ZincWarning, match="/b: there is no node"):
            assert [name for name, _ in g.arrays()] == ["a", "c"]


def test_handles_of_a_listing_are_fresh(tmp_path: Path) -> None:
    """Consolidated metadata may be older than the documents."""
    g = zinczarr.open_group(tmp_path / "a.zarr")
    g["t"] = np.arange(3)
    g.consolidate()
    document = tmp_path / "a.zarr/t/zarr.json"
    document.write_text(json.dumps({**json.loads(document.read_text()), "shape": [9]}))
    assert dict(g.arrays())["t"].shape == (9,)


def test_unsupported_arrays_are_members(tmp_path: Path) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr")
    g["t"] = np.arange(3)
    document = tmp_path / "a.zarr/t/zarr.json"
    document.write_text(document.read_text().replace('"zstd"', '"strange"'))
    with pytest.warns(ZincWarning, match="strange"):
        assert list(g) == ["t"]
    assert g["t"].shape == (3,) and "strange" in repr(g.tree())  # type: ignore[union-attr]
    with pytest.raises(NotImplementedError):
        g["t"][:]  # type: ignore[index]


def test_importing_is_light() -> None:
    import subprocess
    import sys

    code = "import sys, zinczarr; print([m for m in ('zarr', 'xarray', 'dask') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
    assert "ZincStore" in dir(zinczarr)
    with pytest.raises(AttributeError):
        zinczarr.nosuch  # noqa: B018


def test_no_secrets_are_shown(tmp_path: Path) -> None:
    from zinczarr import _url

    assert _url.shown("https://me:pw@host/a.zarr?token=x|zip:b?c=d") == "https://host/a.zarr|zip:b"
    assert _url.shown("az://container@account/x") == "az://container@account/x"
    assert _url.node_url("/d/a?b.zarr", "x") == "/d/a?b.zarr/x"
    assert _url.node_url("/d/a.sqlite?patience=5", "x") == "/d/a.sqlite/x?patience=5"
    g = zinczarr.open_group(f"{tmp_path}/a.sqlite?patience=5")
    g["t"] = 1
    assert "patience" not in repr(g) + repr(g["t"]) + repr(g.info) + g._repr_html_() + repr(g.validate())
    assert pickle.loads(pickle.dumps(g))["t"][()] == 1 and g.url.endswith("?patience=5")
    assert g.get_group("").url == g.url
