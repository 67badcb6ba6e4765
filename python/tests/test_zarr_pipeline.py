"""zarr-python's arrays through our codec pipeline: NumPy and zarr-python's own pipeline are the oracles."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", reason="zarr-python 3.4 needs Python 3.12")

from zarr.codecs import BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec  # noqa: E402
from zarr.core.array_spec import ArraySpec  # noqa: E402
from zarr.core.buffer import BufferPrototype, cpu, default_buffer_prototype  # noqa: E402
from zarr.core.chunk_grids import ChunkGrid  # noqa: E402
from zarr.core.indexing import BasicIndexer  # noqa: E402
from zarr.errors import ChunkNotFoundError  # noqa: E402
from zarr.registry import fully_qualified_name, get_pipeline_class, register_codec  # noqa: E402
from zarr.storage import LocalStore, MemoryStore  # noqa: E402

import zinczarr  # noqa: E402
from zinczarr import _core  # noqa: E402
from zinczarr._zarr_batch import Grid, chunk_of_key, selection_of  # noqa: E402
from zinczarr.zarr_pipeline import ZincCodecPipeline, counts  # noqa: E402
from zinczarr.zarr_store import ZincStore  # noqa: E402

OURS, DEFAULT = "zinczarr.ZincCodecPipeline", "zarr.core.codec_pipeline.BatchedCodecPipeline"


@pytest.fixture(autouse=True)
def pipeline() -> Iterator[None]:
    with zarr.config.set({"codec_pipeline.path": OURS}):
        counts.clear()
        yield


# Stores that libzinc has too.
STORES = ["local", "directory", "memory", "sqlite"]


def open_store(kind: str, place: Path) -> Any:
    makers: dict[str, Callable[[], Any]] = {
        "local": lambda: LocalStore(place / "s"),
        "directory": lambda: ZincStore(place / "s"),
        "memory": lambda: ZincStore(f"memory://{place.name}"),
        "sqlite": lambda: ZincStore(f"sqlite://{place}/s.sqlite"),
    }
    return makers[kind]()


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return open_store(request.param, tmp_path)


def by_default(read: Callable[[], Any]) -> Any:
    """What zarr-python's own pipeline gives."""
    with zarr.config.set({"codec_pipeline.path": DEFAULT}):
        return read()


def reopened(array: Any) -> Any:
    return zarr.open_array(array.store, path=array.path, mode="r")


def only_fast() -> None:
    """All batches since the last call were done by libzinc."""
    assert counts["read"] + counts["write"] > 0
    assert not set(counts) - {"read", "write"}, counts
    counts.clear()


# ---- the class ----


def test_name() -> None:
    assert zinczarr.ZincCodecPipeline is ZincCodecPipeline
    assert fully_qualified_name(ZincCodecPipeline) == OURS
    assert get_pipeline_class() is ZincCodecPipeline


def test_equal_hash_pickle(tmp_path: Path) -> None:
    a = zarr.create_array(tmp_path / "a", shape=(9,), chunks=(4,), dtype="i4")
    b = zarr.open_array(tmp_path / "a")
    assert a == b and a.async_array.codec_pipeline == b.async_array.codec_pipeline
    assert hash(a.async_array.codec_pipeline) == hash(b.async_array.codec_pipeline)
    assert list(a.async_array.codec_pipeline) == list(a.metadata.codecs)
    other = zarr.create_array(tmp_path / "b", shape=(9,), chunks=(4,), dtype="i4", compressors=None)
    assert a.async_array.codec_pipeline != other.async_array.codec_pipeline
    a[:] = np.arange(9)
    c = pickle.loads(pickle.dumps(a))
    assert type(c.async_array.codec_pipeline) is ZincCodecPipeline
    assert np.array_equal(c[:], np.arange(9))
    c[3:5] = 0
    assert a[4] == 0
    only_fast()


async def test_without_a_store() -> None:
    """decode, encode, validate, compute_encoded_size: zarr-python's own."""
    array = zarr.create_array(MemoryStore(), shape=(8,), chunks=(4,), dtype="i4", compressors=[])
    spec = ArraySpec((4,), array.metadata.dtype, 0, array.async_array.config, default_buffer_prototype())
    pipeline = ZincCodecPipeline.from_codecs([BytesCodec(), Crc32cCodec()]).evolve_from_array_spec(spec)
    pipeline.validate(shape=(4,), dtype=array.metadata.dtype, chunk_grid=array.metadata.chunk_grid)
    assert pipeline.compute_encoded_size(16, spec) == 20
    buffer = cpu.NDBuffer.from_numpy_array(np.arange(4, dtype="i4"))
    (encoded,) = await pipeline.encode([(buffer, spec)])
    assert encoded is not None and len(encoded) == 20
    decoded, nothing = await pipeline.decode([(encoded, spec), (None, spec)])
    assert decoded is not None and nothing is None
    assert np.array_equal(decoded.as_numpy_array(), np.arange(4))


# ---- element types ----

DTYPES = [
    "?", "i1", "<i2", ">i4", "<u8", ">u2", "f2", "<f4", ">f8", "c8", ">c16", "<M8[s]", ">M8[us]", "<m8[10us]", "<U5",
    ">U3", "S3", "V4",
]  # fmt: skip


def elements(dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Elements of all kinds, with the same value nowhere near."""
    n = int(np.prod(shape))
    if dtype.kind in "US":
        return np.array([f"{i % 97}" for i in range(n)], dtype).reshape(shape)
    if dtype.kind == "V":
        return np.arange(n * dtype.itemsize, dtype="u1").view(dtype).reshape(shape)
    return (np.arange(n) % 2 if dtype.kind == "b" else np.arange(1, n + 1)).astype(dtype).reshape(shape)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", DTYPES)
def test_types(name: str, version: int, tmp_path: Path) -> None:
    x = elements(np.dtype(name), (11, 7))
    a = zarr.create_array(tmp_path, shape=x.shape, chunks=(4, 3), dtype=x.dtype, zarr_format=version)
    a[:] = x
    a[2:9:3, 1] = x[0, 0]
    x[2:9:3, 1] = x[0, 0]
    assert a[:].dtype == a.dtype == x.dtype
    for got in (a[:], reopened(a)[:], by_default(lambda: reopened(a)[:])):
        assert got.dtype == x.dtype.newbyteorder(got.dtype.byteorder) and np.array_equal(got, x)
    assert np.array_equal(a.oindex[[9, 1], 2:5], x[[9, 1], 2:5])
    only_fast()
    by_default(lambda: reopened_to_write(a).__setitem__(slice(None), x[::-1]))
    assert np.array_equal(a[:], x[::-1])


def reopened_to_write(array: Any) -> Any:
    return zarr.open_array(array.store, path=array.path, mode="r+")


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("dtype", ["text", "object"])
def test_strings(version: int, dtype: str, tmp_path: Path) -> None:
    x = np.array([f"{'ä' * (i % 5)}{i}" for i in range(21)]).reshape(3, 7)
    a = zarr.create_array(tmp_path, shape=x.shape, chunks=(2, 3), dtype=str, zarr_format=version)
    a[:] = x.astype(object if dtype == "object" else np.dtypes.StringDType())
    a[1, 2:5] = "one"
    x = x.astype(object)
    x[1, 2:5] = "one"
    for got in (a[:], by_default(lambda: reopened(a)[:])):
        assert np.array_equal(got.astype(object), x)
    assert np.array_equal(a.vindex[[0, 2], [3, 6]].astype(object), x[[0, 2], [3, 6]])
    only_fast()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("version", [2, 3])
def test_records(version: int, tmp_path: Path) -> None:
    dtype = np.dtype([("a", "<i4"), ("b", ">f8" if version == 2 else "<f8"), ("s", "S3")])
    x = np.zeros(10, dtype)
    x["a"], x["b"], x["s"] = np.arange(10), np.arange(10) / 4, b"xy"
    a = zarr.create_array(tmp_path, shape=10, chunks=4, dtype=dtype, zarr_format=version)
    a[:] = x
    a[3] = x[7]
    x[3] = x[7]
    for got in (a[:], by_default(lambda: reopened(a)[:])):
        assert got.dtype == dtype and np.array_equal(got, x)
    only_fast()
    for name in dtype.names or ():
        assert outcome(lambda name=name: a[name]) == by_default(lambda name=name: outcome(lambda: reopened(a)[name]))


def outcome(call: Callable[[], Any]) -> str:
    """What a call returns or raises; zarr-python 3.4.2 cannot read some fields."""
    try:
        return repr(call())
    except Exception as error:
        return repr(error)


@pytest.mark.parametrize("order", ["C", "F"])
def test_foreign_byte_order_and_order(order: str, tmp_path: Path) -> None:
    """The value's byte order, and the memory orders of both sides, may differ from the array's."""
    x = np.arange(70, dtype=">i4").reshape(10, 7)
    a = zarr.create_array(tmp_path, shape=x.shape, chunks=(4, 3), dtype="<i4", config={"order": order})
    a[:] = np.asfortranarray(x)[::-1][::-1]
    assert a[:].flags.f_contiguous == (order == "F")
    assert np.array_equal(a[:], x) and np.array_equal(by_default(lambda: reopened(a)[:]), x)


def test_no_elements_and_scalars(store: Any) -> None:
    a = zarr.create_array(store, name="zero", shape=(0, 5), chunks=(2, 2), dtype="f4")
    a[:] = 1
    assert a[:].shape == (0, 5)
    s = zarr.create_array(store, name="scalar", shape=(), chunks=(), dtype="f8", fill_value=3)
    assert s[...] == 3
    s[...] = 4.5
    assert s[()] == 4.5 and by_default(lambda: reopened(s)[()]) == 4.5
    only_fast()


# ---- codecs and grids ----

LAYOUTS: dict[str, dict[str, Any]] = {
    "chunks": {"chunks": (4, 3)},
    "shards": {"chunks": (2, 3), "shards": (4, 6)},
    "v2": {"chunks": (4, 3), "zarr_format": 2},
    "v2 F": {"chunks": (4, 3), "zarr_format": 2, "order": "F"},
    "v2 nested": {"chunks": (4, 3), "zarr_format": 2, "chunk_key_encoding": {"name": "v2", "separator": "/"}},
    "dots": {"chunks": (4, 3), "chunk_key_encoding": {"name": "default", "separator": "."}},
    "v3 as v2": {"chunks": (4, 3), "chunk_key_encoding": {"name": "v2", "separator": "."}},
    "transposed": {"chunks": (4, 3), "filters": [TransposeCodec(order=(1, 0))], "compressors": [GzipCodec()]},
    "checked": {"chunks": (4, 3), "serializer": BytesCodec(endian="big"), "compressors": [ZstdCodec(), Crc32cCodec()]},
    "index first": {
        "chunks": (4, 6),
        "serializer": ShardingCodec(chunk_shape=(2, 2), codecs=[BytesCodec(), ZstdCodec()], index_location="start"),
        "compressors": [],
    },
    "one chunk": {"chunks": (40, 30)},
}
SHAPE = (13, 10)


@pytest.fixture(
    params=[(name, "local") for name in LAYOUTS] + [(n, s) for n in ("chunks", "shards") for s in STORES[1:]]
)
def array(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    layout, kind = request.param
    store = open_store(kind, tmp_path)
    return zarr.create_array(store, name="g/a", shape=SHAPE, dtype="i4", fill_value=-7, **LAYOUTS[layout])


def select(a: Any, how: str, key: Any) -> Any:
    return a[key] if how == "basic" else getattr(a, how)[key]


def assign(a: Any, how: str, key: Any, value: Any) -> None:
    if how == "basic":
        a[key] = value
    else:
        getattr(a, how)[key] = value


def numpy_key(how: str, key: Any) -> Any:
    """The same for NumPy."""
    if how != "oindex":
        return key
    items = []
    for item, n in zip(key, SHAPE, strict=True):
        item = np.asarray(item) if not isinstance(item, slice | int) else item
        items.append(np.arange(n)[item] if not isinstance(item, int) else [item])
    return np.ix_(*items)


MASK = np.arange(13) % 3 == 1
SELECTIONS: list[tuple[str, Any]] = [
    ("basic", (slice(None), slice(None))),
    ("basic", (slice(2, 11), slice(3, 9))),
    ("basic", (slice(1, 13, 2), slice(0, 10, 3))),
    ("basic", (slice(0, 13, 9), slice(1, 10, 7))),
    ("basic", (5, slice(None))),
    ("basic", (slice(None), -1)),
    ("basic", (12, 9)),
    ("basic", (slice(12, 13), slice(9, 10))),
    ("oindex", ([1, 5, 12], [0, 9])),
    ("oindex", ([12, 0, 5, 4], slice(2, 9, 2))),
    ("oindex", (MASK, 3)),
    ("oindex", (MASK, slice(None))),
    ("oindex", (4, [9, 8, 1])),
    ("vindex", ([1, 5, 12, 0], [0, 9, 9, 3])),
    ("vindex", ([12, 1, 5, 0], [9, 0, 2, 3])),
]


@pytest.mark.parametrize(("how", "key"), SELECTIONS)
def test_selections(array: Any, how: str, key: Any) -> None:
    """Reading and writing of each kind of selection, in each layout and store; nothing takes the general way."""
    x = np.arange(130, dtype="i4").reshape(SHAPE)
    array[:] = x
    k = numpy_key(how, key)
    expected = x[k].reshape(np.shape(select(array, how, key)))
    assert np.array_equal(select(array, how, key), expected)
    value = -np.arange(1, expected.size + 1, dtype="i4").reshape(expected.shape)
    assign(array, how, key, value)
    x[k] = value.reshape(x[k].shape)
    assert np.array_equal(array[:], x)
    assert np.array_equal(by_default(lambda: reopened(array)[:]), x)
    assign(array, how, key, 99)
    x[k] = 99
    assert np.array_equal(array[:], x)
    only_fast()


def test_blocks_and_masks(array: Any) -> None:
    x = np.arange(130, dtype="i4").reshape(SHAPE)
    array[:] = x
    rows, cols = array.shards or array.chunks
    assert np.array_equal(array.blocks[0, 0], x[:rows, :cols])
    mask = x % 7 == 3
    assert np.array_equal(array.get_mask_selection(mask), x[mask])
    array.set_mask_selection(mask, 5)
    x[mask] = 5
    assert np.array_equal(array[:], x)
    only_fast()


def test_random_boxes(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    for _ in range(150):
        shape = tuple(int(n) for n in rng.integers(1, 14, rng.integers(1, 4)))
        chunks = tuple(int(n) for n in rng.integers(1, 6, len(shape)))
        a = zarr.create_array(tmp_path, shape=shape, chunks=chunks, dtype="i4", fill_value=-1, overwrite=True)
        x = np.full(shape, -1, "i4")
        for _ in range(3):
            key = tuple(
                int(rng.integers(n))
                if rng.random() < 0.2
                else slice(*sorted(rng.integers(0, n + 1, 2)), int(rng.integers(1, 8)))
                for n in shape
            )
            key = tuple(k if isinstance(k, int) else slice(int(k.start), int(k.stop), k.step) for k in key)
            value = rng.integers(0, 1000, x[key].shape, "i4")
            a[key] = value
            x[key] = value
            assert np.array_equal(a[key], x[key]), (shape, chunks, key)
        assert np.array_equal(a[...], x) and np.array_equal(by_default(lambda a=a: reopened(a)[...]), x)
    assert not set(counts) - {"read", "write", "general write", "general read"} and counts["read"] > 400
    assert counts["general read"] == 0  # empty selections are not even asked for


# ---- missing chunks and fill values ----


@pytest.mark.parametrize("layout", ["chunks", "shards", "v2"])
@pytest.mark.parametrize(("how", "key"), SELECTIONS)
def test_missing(layout: str, how: str, key: Any, tmp_path: Path) -> None:
    """Exactly the chunks that zarr-python misses are reported."""
    config = {"read_missing_chunks": False}
    a = zarr.create_array(tmp_path, shape=SHAPE, dtype="i4", fill_value=-7, config=config, **LAYOUTS[layout])
    a[4:8, 3:6] = 1
    a[12, 0] = 1

    def message(array: Any) -> str:
        try:
            select(array, how, key)
        except ChunkNotFoundError as error:
            return str(error)
        return ""

    counts.clear()
    ours = message(a)
    only_fast()
    assert ours == by_default(lambda: message(zarr.open_array(tmp_path, mode="r", config=config)))


def stored(array: Any) -> set[str]:
    """The keys of the chunks."""
    return {
        str(p.relative_to(array.store.root))
        for p in array.store.root.rglob("*")
        if p.is_file() and p.name[0] in "c0123456789"
    }


@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    ("dtype", "fill", "value"),
    [
        ("f8", 0.0, 0.0), ("f8", 0.0, -0.0), ("f8", -0.0, 0.0), ("f8", -0.0, -0.0), ("f4", float("nan"), float("nan")),
        ("f4", float("inf"), float("inf")), ("i4", 5, 5), ("i4", 5, 0), ("?", True, True), ("S2", b"ab", b"ab"),
    ],
)  # fmt: skip
def test_fill(empty: bool, version: int, dtype: str, fill: Any, value: Any, tmp_path: Path) -> None:
    """The same keys are stored and deleted as by zarr-python, and the same values are read."""
    found = []
    for name in (OURS, DEFAULT):
        with zarr.config.set({"codec_pipeline.path": name}):
            config = {"write_empty_chunks": empty}
            args = {
                "shape": 10,
                "chunks": 4,
                "dtype": dtype,
                "fill_value": fill,
                "zarr_format": version,
                "config": config,
            }
            a = zarr.create_array(tmp_path / name, **args)
            a[:] = value
            a[5] = np.ones(1, "u1").astype(a.dtype)[0]
            whole = stored(a)
            a[5] = value
            found.append((whole, stored(a), a[:].tobytes()))
    assert found[0] == found[1]


def test_no_fill_value(tmp_path: Path) -> None:
    a = zarr.create_array(tmp_path, shape=5, chunks=2, dtype="i4", zarr_format=2, fill_value=None)
    assert np.array_equal(a[:], np.zeros(5))
    a[1] = 3
    assert np.array_equal(by_default(lambda: reopened(a)[:]), [0, 3, 0, 0, 0])
    only_fast()


# ---- changing arrays ----


@pytest.mark.parametrize("layout", ["chunks", "shards", "v2"])
def test_resize_after_opening(layout: str, store: Any) -> None:
    """The pipeline is not made again after a resize."""
    a = zarr.create_array(store, name="a", shape=(5, 5), dtype="i4", **LAYOUTS[layout])
    x = np.arange(25, dtype="i4").reshape(5, 5)
    a[:] = x
    a.resize((17, 14))
    big = np.zeros((17, 14), "i4")
    big[:5, :5] = x
    assert np.array_equal(a[:], big)
    a[3:17, 4:14] = 7
    big[3:, 4:] = 7
    assert np.array_equal(a[:], big) and np.array_equal(by_default(lambda: reopened(a)[:]), big)
    a.resize((6, 7))
    assert np.array_equal(a[:], big[:6, :7])
    a.append(np.full((9, 7), 4, "i4"))
    assert np.array_equal(a[:], np.concatenate([big[:6, :7], np.full((9, 7), 4)]))
    only_fast()


def test_part_of_an_edge_that_has_grown(tmp_path: Path) -> None:
    """Another handle has extended the last chunk: writing the end of the old shape keeps what is there."""
    a = zarr.create_array(tmp_path, shape=15, chunks=10, dtype="i4")
    other = zarr.open_array(tmp_path)
    other.resize(20)
    other[:] = 1
    a[10:15] = 2
    assert np.array_equal(other[:], [1] * 10 + [2] * 5 + [1] * 5)


def test_directory_replaced(tmp_path: Path) -> None:
    """A root that was deleted, made again, or moved, is not taken for the one that was opened."""
    store = LocalStore(tmp_path / "s")
    a = zarr.create_array(store, name="a", shape=4, chunks=2, dtype="i4")
    a[:] = 1
    shutil.copytree(tmp_path / "s", tmp_path / "t")
    shutil.rmtree(tmp_path / "s")
    assert np.array_equal(a[:], [0] * 4)
    (tmp_path / "t").rename(tmp_path / "s")
    assert np.array_equal(a[:], [1] * 4)
    a[1:3] = 5
    assert np.array_equal(zarr.open_array(tmp_path / "s" / "a")[:], [1, 5, 5, 1])


def test_relative_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        zarr.create_array("x.zarr", shape=3, chunks=2, dtype="i4")[:] = value
    a = zarr.open_array("x.zarr")
    assert a[0] == 2
    monkeypatch.chdir(tmp_path / "one")
    assert a[0] == 1
    only_fast()


# ---- everything else: zarr-python's own codecs ----


class Reversed(GzipCodec):
    """A codec that libzinc does not know, by the name of one that it knows."""

    def _encode_sync(self, chunk_bytes: Any, chunk_spec: Any) -> Any:
        return super()._encode_sync(chunk_bytes.from_bytes(chunk_bytes.to_bytes()[::-1]), chunk_spec)

    def _decode_sync(self, chunk_bytes: Any, chunk_spec: Any) -> Any:
        found = super()._decode_sync(chunk_bytes, chunk_spec)
        return found.from_bytes(found.to_bytes()[::-1])

    async def _encode_single(self, chunk_bytes: Any, chunk_spec: Any) -> Any:
        return self._encode_sync(chunk_bytes, chunk_spec)

    async def _decode_single(self, chunk_bytes: Any, chunk_spec: Any) -> Any:
        return self._decode_sync(chunk_bytes, chunk_spec)


@pytest.fixture
def other_codec() -> Iterator[None]:
    register_codec("gzip", Reversed, qualname="tests.Reversed")
    with zarr.config.set({"codecs.gzip": "tests.Reversed"}):
        yield


@pytest.mark.parametrize("sharded", [False, True])
def test_replaced_codec(other_codec: None, store: Any, sharded: bool) -> None:
    """A subclass is not the class: bytes and elements are the subclass's."""
    shards = {"shards": (4, 6)} if sharded else {}
    a = zarr.create_array(store, name="a", shape=SHAPE, chunks=(2, 3), dtype="i4", compressors=[Reversed()], **shards)
    x = np.arange(130, dtype="i4").reshape(SHAPE)
    a[:] = x
    a[1:3, 2:5] = 0
    x[1:3, 2:5] = 0
    a[5, 5] = 1
    x[5, 5] = 1
    assert np.array_equal(a[:], x) and np.array_equal(a.oindex[[3, 1]], x[[3, 1]])
    assert counts["read"] == counts["write"] == 0 and counts["general write"] >= 3
    a[:] = 0  # deletes them all
    assert np.array_equal(a[:], np.zeros(SHAPE)) and np.array_equal(by_default(lambda: reopened(a)[:]), np.zeros(SHAPE))


def test_rectilinear_grid(tmp_path: Path) -> None:
    with zarr.config.set({"array.rectilinear_chunks": True}):
        a = zarr.create_array(tmp_path, shape=(10, 6), chunks=([2, 5, 3], [4, 2]), dtype="i4")
        x = np.arange(60, dtype="i4").reshape(10, 6)
        a[:] = x
        a[1:4, 3:5] = 9
        x[1:4, 3:5] = 9
        assert np.array_equal(a[:], x) and np.array_equal(a[1:9:3, 2], x[1:9:3, 2])
    assert counts["read"] == 0


def test_chosen_order_of_chunks_in_shards(tmp_path: Path) -> None:
    """What the user has chosen is what zarr-python writes."""
    stored = []
    for name in (OURS, DEFAULT):
        codec = ShardingCodec(chunk_shape=(2, 2), codecs=[BytesCodec()], subchunk_write_order="colexicographic")
        with zarr.config.set({"codec_pipeline.path": name}):
            a = zarr.create_array(
                tmp_path / name, shape=(6, 4), chunks=(6, 4), dtype="i4", serializer=codec, compressors=[]
            )
            a[:] = np.arange(1, 25).reshape(6, 4)
        stored.append((tmp_path / name / "c/0/0").read_bytes())
    assert stored[0] == stored[1]


class OtherBuffer(cpu.NDBuffer):
    """A buffer that may be anywhere."""


def test_other_buffers(tmp_path: Path) -> None:
    a = zarr.create_array(tmp_path, shape=6, chunks=4, dtype="i4")
    a[:] = np.arange(6)
    counts.clear()
    prototype = BufferPrototype(buffer=cpu.Buffer, nd_buffer=OtherBuffer)
    assert np.array_equal(a.get_basic_selection(slice(1, 6), prototype=prototype), np.arange(1, 6))
    assert counts["read"] == 0
    out = cpu.NDBuffer.from_numpy_array(np.zeros(6, "f8"))
    a.get_basic_selection(slice(None), out=out)
    assert np.array_equal(out.as_numpy_array(), np.arange(6))
    strided = cpu.NDBuffer.from_numpy_array(np.zeros((6, 3), "i4")[::-1, 1])
    a.get_basic_selection(slice(None), out=strided)
    assert np.array_equal(strided.as_numpy_array(), np.arange(6)) and counts["read"] == 1


def test_read_only(tmp_path: Path) -> None:
    zarr.create_array(tmp_path, shape=6, chunks=4, dtype="i4")[:] = 2
    a = zarr.open_array(LocalStore(tmp_path, read_only=True), mode="r")
    with pytest.raises(ValueError, match="read-only"):
        a[:] = 3
    assert np.array_equal(a[:], [2] * 6)


@pytest.mark.parametrize("codecs", [[GzipCodec()], [ZstdCodec()], [Crc32cCodec()], []])
def test_damage_is_an_error(codecs: list[Any], tmp_path: Path) -> None:
    """Never a fill value; the exception is zarr-python's."""
    a = zarr.create_array(tmp_path, shape=1000, chunks=1000, dtype="i4", compressors=codecs)
    a[:] = np.arange(1000)
    chunk = tmp_path / "c/0"
    chunk.write_bytes(chunk.read_bytes()[:-9])
    with pytest.raises(Exception) as ours:
        a[:]
    with pytest.raises(Exception) as theirs:
        by_default(lambda: reopened(a)[:])
    assert type(ours.value) is type(theirs.value) and counts["given up"] == 1


# ---- batches ----


class Path_:
    """As much of a StorePath as the C code looks at."""

    def __init__(self, store: object, path: str) -> None:
        self.store, self.path = store, path


def batch_of(
    key: tuple[Any, ...], shape: tuple[int, ...], chunks: tuple[int, ...], letter: str = "c", sep: str = "/"
) -> list[Any]:
    store, spec = object(), object()
    pieces = []
    for index, local, out, whole in BasicIndexer(key, shape, ChunkGrid.from_sizes(shape, chunks)):
        name = sep.join(map(str, ([letter] if letter else []) + list(index))) or "0"
        pieces.append((Path_(store, f"a/b.2/{name}"), spec, local, out, whole))
    return pieces


@pytest.mark.parametrize("letter", ["c", ""])
@pytest.mark.parametrize("sep", ["/", "."])
def test_box(letter: str, sep: str) -> None:
    key = (slice(3, 41, 7), 5, slice(0, 9))
    batch = batch_of(key, (50, 8, 9), (6, 3, 4), letter, sep)
    assert _core.batch_box(batch, (6, 3, 4), letter, sep) == ("a/b.2", ((3, 6, 7), 5, (0, 9, 1)))
    grid = Grid((6, 3, 4), letter, sep)
    found = selection_of(batch, grid, (6, 9), ())
    assert found is not None and found.end == (39, 6, 9)
    indices = [chunk_of_key(piece[0].path, grid) for piece in batch]
    assert all(index is not None and index[0] == "a/b.2" for index in indices)
    assert found.places(grid, [index[1] for index in indices if index]) == list(range(len(batch)))
    assert selection_of(batch, grid, (9, 6), ()) is None


def changes(piece: Any) -> list[Any]:
    """The piece with one thing changed."""
    path, spec, local, out, whole = piece
    other = Path_(path.store, path.path)
    other.path = path.path[:-1] + "7"
    deeper = Path_(path.store, "x/" + path.path)
    return [
        (other, spec, local, out, whole),
        (deeper, spec, local, out, whole),
        (Path_(path.store, path.path.replace("/0", "/00")), spec, local, out, whole),
        (Path_(path.store, ""), spec, local, out, whole),
        (Path_(object(), path.path), spec, local, out, whole),
        (path, object(), local, out, whole),
        (path, spec, (slice(1, 3, 1), local[1]), out, whole),
        (path, spec, (slice(None), local[1]), out, whole),
        (path, spec, (local[0], 0), out, whole),
        (path, spec, (local[0], "x"), out, whole),
        (path, spec, local[:1], out, whole),
        (path, spec, local, (slice(1, 3), out[1]), whole),
        (path, spec, local, out[:1], whole),
        (path, spec, local, out[0], whole),
        (path, spec, local, out),
        "x",
        None,
    ]


def test_each_piece_is_compared() -> None:
    batch = batch_of((slice(0, 12), slice(2, 9)), (12, 9), (4, 3))
    grid = ((4, 3), "c", "/")
    assert _core.batch_box(batch, *grid) is not None
    for i, piece in enumerate(batch):
        for n, change in enumerate(changes(piece)):
            tried = [*batch[:i], change, *batch[i + 1 :]]
            if change != piece and not (n == 2 and "/0" not in piece[0].path):
                assert _core.batch_box(tried, *grid) is None, (i, n)
    assert _core.batch_box(batch[:-1], *grid) is None
    assert _core.batch_box(batch[::-1], *grid) is None
    assert _core.batch_box([*batch, batch[-1]], *grid) is None
    assert _core.batch_box([], *grid) is None
    assert _core.batch_box(batch, (4, 0), "c", "/") is None


def test_keys() -> None:
    assert chunk_of_key("a/c/1/20", Grid((2, 2), "c", "/")) == ("a", (1, 20))
    assert chunk_of_key("c/1", Grid((2,), "c", "/")) == ("", (1,))
    assert chunk_of_key("a.b/c.1.2", Grid((2, 2), "c", ".")) == ("a.b", (1, 2))
    assert chunk_of_key("x/1.2", Grid((2, 2), "", ".")) == ("x", (1, 2))
    assert chunk_of_key("x/1/2", Grid((2, 2), "", "/")) == ("x", (1, 2))
    assert chunk_of_key("x/c", Grid((), "c", "/")) == ("x", ())
    assert chunk_of_key("0", Grid((), "", "/")) == ("", ())
    for bad in ("a/d/1/2", "a/c/01/2", "a/c/1", "a/c/-1/2", "a/c/1/²", "", "c"):
        assert chunk_of_key(bad, Grid((2, 2), "c", "/")) is None


def test_replaced_methods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that replaces methods of zarr-python's codecs wants them to be called."""
    a = zarr.create_array(tmp_path, shape=8, chunks=2, shards=4, dtype="i4", fill_value=-1)
    a[:] = np.arange(8)
    only_fast()
    monkeypatch.setattr("zarr.codecs.sharding._ShardIndex.get_chunk_slice", lambda *_: None)
    assert zarr.open_array(tmp_path)[0] == by_default(lambda: zarr.open_array(tmp_path)[0]) == -1
    assert counts["read"] == 0
    counts.clear()
    monkeypatch.undo()
    assert zarr.open_array(tmp_path)[1] == 1
    only_fast()
