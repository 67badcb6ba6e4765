"""ZincStore under zarr-python, and by itself: URLs, pickles, processes, failures."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import pickle
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

pytest.importorskip("zarr", "3.4")

import zarr
from store_places import PLACES, S3, Place, Zip, server
from zarr.abc.store import OffsetByteRequest, RangeByteRequest, Store, SuffixByteRequest, SupportsSyncStore
from zarr.core.buffer import cpu, default_buffer_prototype
from zarr.core.sync import sync
from zarr.errors import ContainsArrayError
from zarr.registry import fully_qualified_name
from zarr.storage import LocalStore, MemoryStore, ZipStore

import zinczarr
from zinczarr import _errors
from zinczarr._capabilities import Capability
from zinczarr.zarr_store import SMALL, ZincStore

PROTOTYPE = default_buffer_prototype()
LONG = bool(os.environ.get("ZINC_LONG"))
T = TypeVar("T")


@pytest.fixture(autouse=True)
def pipeline() -> Iterator[None]:
    """zarr-python's own: these tests are about the store."""
    with zarr.config.set({"codec_pipeline.path": "zarr.core.codec_pipeline.BatchedCodecPipeline"}):
        yield


@pytest.fixture(scope="module", autouse=True)
def s3_server() -> Iterator[None]:
    with server("s3_server.py") as address:
        S3.server = address
        yield


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return PLACES[request.param](tmp_path)


@pytest.fixture
def store(place: Place) -> ZincStore:
    return ZincStore(place.url, settings=place.settings)


def buffer(value: bytes) -> cpu.Buffer:
    return cpu.Buffer.from_bytes(value)


async def collect(items: AsyncIterator[T]) -> list[T]:
    return [item async for item in items]


def listed(store: Store, prefix: str = "") -> list[str]:
    return sorted(sync(collect(store.list_prefix(prefix))))


def names(store: Store, prefix: str = "") -> list[str]:
    return sorted(sync(collect(store.list_dir(prefix))))


def get(store: Store, key: str, byte_range: Any = None) -> bytes | None:
    value = sync(store.get(key, PROTOTYPE, byte_range))
    return None if value is None else value.to_bytes()


# ---- zarr-python on top ----


def build(store: Store) -> None:
    """A hierarchy with both formats, shards, missing chunks, 0-d and empty arrays."""
    root = zarr.create_group(store, attributes={"title": "ü"})
    root.create_array("edge", shape=(5, 7), chunks=(2, 3), dtype=">i4", fill_value=-1)[1:4, 2:] = np.arange(15).reshape(
        3, 5
    )
    root.create_array("shards", shape=(64,), chunks=(4,), shards=(16,), dtype="f8", fill_value=np.nan)[3:40] = (
        np.arange(37)
    )
    root.create_array("scalar", shape=(), chunks=(), dtype="c16")[...] = 1 + 2j
    root.create_array("empty", shape=(0, 3), chunks=(1, 3), dtype="u1")
    root.create_array("text", shape=3, chunks=2, dtype="str")[:] = np.array(["a", "", "ü"])
    deep = root.create_group("a group/ünïcode/x.y-z", attributes={"n": 1})
    deep.create_array("q", data=np.arange(6).reshape(2, 3), chunks=(1, 2))


def contents(group: zarr.Group) -> dict[str, Any]:
    found: dict[str, Any] = {"": dict(group.attrs)}
    for name, node in group.members(max_depth=None):
        found[name] = (dict(node.attrs), node[...] if isinstance(node, zarr.Array) else None)
    return found


@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning", "ignore::zarr.errors.ZarrUserWarning")
def test_hierarchies_are_those_of_zarr(place: Place, store: ZincStore, tmp_path: Path) -> None:
    """The same calls on zarr's own store leave the same keys and values, and the same arrays are read."""
    own = MemoryStore()
    build(own)
    build(store)
    assert listed(store) == listed(own)
    for key in listed(own):
        assert get(store, key) == get(own, key) == place.get(key), key
    again = ZincStore(place.url, settings=place.settings, read_only=True)
    expected, found = contents(zarr.open_group(own, mode="r")), contents(zarr.open_group(again, mode="r"))
    assert list(found) and sorted(found) == sorted(expected)
    for name in expected:
        np.testing.assert_equal(found[name], expected[name])


@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning", "ignore::zarr.errors.ZarrUserWarning")
@pytest.mark.parametrize("place", ["directory", "zip"], indirect=True)
def test_zarr_reads_what_it_wrote_here(place: Place, store: ZincStore) -> None:
    build(store)
    own = ZipStore(place.url, mode="r") if isinstance(place, Zip) else LocalStore(place.url, read_only=True)
    np.testing.assert_equal(contents(zarr.open_group(own, mode="r")), contents(zarr.open_group(store, mode="r")))


@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning", "ignore::zarr.errors.ZarrUserWarning")
def test_consolidated_metadata(store: ZincStore) -> None:
    build(store)
    zarr.consolidate_metadata(store)
    group = zarr.open_consolidated(store)
    assert group.metadata.consolidated_metadata is not None
    assert len(group.metadata.consolidated_metadata.flattened_metadata) == 9
    assert group["a group/ünïcode/x.y-z/q"][1, 2] == 5  # type: ignore[index]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_changes(store: ZincStore, zarr_format: Any) -> None:
    array = zarr.create_array(store, name="x/t", shape=10, chunks=2, dtype="i4", zarr_format=zarr_format)
    array[:] = np.arange(10)
    array.attrs["a"] = 1
    if store.supports_deletes:
        array[2:6] = 0  # two chunks become fill values and disappear
        assert len(listed(store, "x/t/")) == (4 if zarr_format == 3 else 5)
        array.resize((3,))
        assert array[:].tolist() == [0, 1, 0]
        del zarr.open_group(store, path="x", zarr_format=zarr_format, mode="a")["t"]
        assert [key for key in listed(store) if "/t/" in key] == []
    else:
        with pytest.raises(NotImplementedError):
            array[2:6] = 0
        with pytest.raises(ContainsArrayError):
            zarr.create_array(store, name="x/t", shape=10, dtype="i4", overwrite=True, zarr_format=zarr_format)
        assert zarr.open_array(store, path="x/t", mode="r")[8:].tolist() == [8, 9]


def test_fused_pipeline_and_shards(store: ZincStore) -> None:
    """The pipeline that uses the methods without an event loop."""
    with zarr.config.set({"codec_pipeline.path": "zarr.core.codec_pipeline.FusedCodecPipeline"}):
        array = zarr.create_array(store, name="s", shape=(40, 40), chunks=(3, 3), shards=(21, 21), dtype="u2")
        data = np.arange(1600, dtype="u2").reshape(40, 40)
        array[:] = data
        for select in (np.s_[:], np.s_[5:30, 7], np.s_[::7, 3:9], np.s_[39, 39]):
            np.testing.assert_array_equal(array[select], data[select])
        if store.supports_deletes:
            array[4:9, :] = 1
            data[4:9, :] = 1
            np.testing.assert_array_equal(zarr.open_array(store, path="s")[:], data)


def test_modes(place: Place) -> None:
    def new() -> ZincStore:
        return ZincStore(place.url, settings=place.settings)

    keep = new()
    with pytest.raises(FileNotFoundError):
        zarr.open_array(keep, mode="r")
    zarr.open_array(new(), mode="w-", shape=3, dtype="i4")[:] = 1
    with pytest.raises(FileExistsError):
        zarr.open_array(new(), mode="w-", shape=3, dtype="i4")
    array = zarr.open_array(new(), mode="r")
    with pytest.raises(ValueError, match="read-only"):
        array[:] = 2
    assert zarr.open_array(new(), mode="a")[:].tolist() == [1, 1, 1]


# ---- keys ----


ODD = [
    "a b",
    "ü",
    "e\u0301",
    "\U0001f600",
    "%20",
    "a:b",
    "a?b#c",
    "[x]",
    "'",
    '"',
    "&amp;",
    "+",
    "~",
    "-",
    "x" * 200,
    "CON",
    ".hidden",
]


def test_odd_names(store: ZincStore) -> None:
    own = MemoryStore()
    for i, name in enumerate(ODD):
        for s in (store, own):
            sync(s.set(f"g/{name}/zarr.json", buffer(b"%d" % i)))
    assert listed(store) == listed(own)
    assert names(store, "g") == sorted(ODD)
    for name in ODD:
        assert get(store, f"g/{name}/zarr.json") == get(own, f"g/{name}/zarr.json")
        assert names(store, f"g/{name}") == names(store, f"g/{name}/") == ["zarr.json"]
        assert sync(store.getsize_prefix(f"g/{name}")) == len(str(ODD.index(name)))


def test_prefixes_are_text(store: ZincStore) -> None:
    """As in MemoryStore, and as list_prefix is documented."""
    own = MemoryStore()
    for key in ("a", "ab/c", "abc/d/e", "b/a/x", "b/ab"):
        if key == "a" and isinstance(store, ZincStore):
            key = "a0"
        for s in (store, own):
            sync(s.set(key, buffer(b"12")))
    for prefix in ("", "a", "ab", "ab/", "abc/d", "b/a", "b/a/", "b/ab", "c", "c/", "b/a/x"):
        assert listed(store, prefix) == listed(own, prefix), prefix
    assert sync(store.is_empty("a")) and not sync(store.is_empty("ab")) and not sync(store.is_empty("/"))
    assert names(store, "/") == names(store, "") == ["a0", "ab", "abc", "b"]


def test_a_directory_is_not_a_key(store: ZincStore) -> None:
    sync(store.set("a/b", buffer(b"1")))
    assert get(store, "a") is None
    assert not sync(store.exists("a"))
    assert sync(store.get_partial_values(PROTOTYPE, [("a", None), ("a/b", None)]))[0] is None
    with pytest.raises(FileNotFoundError):
        sync(store.getsize("a"))
    if store.supports_deletes:
        sync(store.delete("a"))
    assert get(store, "a/b") == b"1"


def test_no_directory_is_taken_for_a_key_that_was_set(tmp_path: Path) -> None:
    store = ZincStore(tmp_path / "x")
    sync(store.set("a/b", buffer(b"1")))
    for call in (store.set, store.set_if_not_exists):
        with pytest.raises(OSError, match="directory"):
            sync(call("a", buffer(b"2")))


@pytest.mark.parametrize("key", ["", "/a", "a//b", "../a", "a\nb"])
def test_keys_that_no_store_has(store: ZincStore, key: str) -> None:
    for call in (store.get(key, PROTOTYPE), store.exists(key), store.set(key, buffer(b"")), store.getsize(key)):
        with pytest.raises(ValueError):
            sync(call)


# ---- ranges ----


def test_ranges(store: ZincStore) -> None:
    value = bytes(range(100))
    sync(store.set("k", buffer(value)))
    ranges = [None, RangeByteRequest(0, 0), RangeByteRequest(5, 9), RangeByteRequest(7, 30), RangeByteRequest(90, 120)]
    ranges += [RangeByteRequest(200, 300), RangeByteRequest(9, 5), OffsetByteRequest(98), OffsetByteRequest(100)]
    ranges += [SuffixByteRequest(0), SuffixByteRequest(3), SuffixByteRequest(1000), RangeByteRequest(31, 31)]
    expected = [value, b"", value[5:9], value[7:30], value[90:], b"", b"", value[98:], b"", b"", value[97:], value, b""]
    assert [get(store, "k", r) for r in ranges] == expected
    for gap, most in ((0, 1), (1 << 20, 16 << 20), (0, 50), (20, 20)):
        options = {"prototype": PROTOTYPE, "max_gap_bytes": gap, "max_coalesced_bytes": most}
        groups = sync(collect(store.get_ranges("k", ranges, **options)))
        for parts in ([part for group in groups for part in group], store.get_ranges_sync("k", ranges, **options)):
            assert [part.to_bytes() for _, part in sorted(parts, key=lambda p: p[0]) if part is not None] == expected
    assert sync(collect(store.get_ranges("k", [], prototype=PROTOTYPE))) == []
    for bad in (RangeByteRequest(-1, 3), OffsetByteRequest(-1), SuffixByteRequest(-1)):
        with pytest.raises(ValueError):
            get(store, "k", bad)


def test_parts_of_a_missing_key(store: ZincStore) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        store.get_ranges_sync("k", [RangeByteRequest(0, 1)], prototype=PROTOTYPE)
    assert isinstance(caught.value.exceptions[0], FileNotFoundError)
    with pytest.raises(BaseExceptionGroup) as caught:
        sync(collect(store.get_ranges("k", [RangeByteRequest(0, 1)], prototype=PROTOTYPE)))
    assert isinstance(caught.value.exceptions[0], FileNotFoundError)


@pytest.mark.parametrize("place", ["memory", "directory", "sqlite", "s3"], indirect=True)
def test_parts_belong_to_one_value(place: Place, store: ZincStore) -> None:
    """Although another writer replaces it all the time."""
    values = [buffer(bytes([i]) * 300_000) for i in range(4)]
    store.set_sync("k", values[0])
    stop = threading.Event()

    def write() -> None:
        writer = ZincStore(place.url, settings=place.settings)
        while not stop.is_set():
            for value in values:
                writer.set_sync("k", value)
                time.sleep(0.001)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        ranges = [RangeByteRequest(0, 1000), RangeByteRequest(150_000, 151_000), SuffixByteRequest(10)]
        for _ in range(30):
            parts = store.get_ranges_sync("k", ranges, prototype=PROTOTYPE, max_gap_bytes=0)
            assert len({byte for _, part in parts if part is not None for byte in part.to_bytes()}) == 1
            whole = store.get_sync("k")
            assert whole is not None and len(set(whole.to_bytes())) == 1
    finally:
        stop.set()
        thread.join()


def test_small_and_large_values(store: ZincStore) -> None:
    for size in (0, SMALL - 1, SMALL, SMALL + 1, 5_000_000):
        value = os.urandom(size)
        sync(store.set("k", buffer(value)))
        assert get(store, "k") == value
        assert get(store, "k", OffsetByteRequest(size // 3)) == value[size // 3 :]
        assert sync(store.getsize("k")) == size


# ---- the object ----


def test_equal_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ZincStore("x") == ZincStore(tmp_path / "x/") == ZincStore(Path("x")) != ZincStore("y")
    assert hash(ZincStore("x")) == hash(ZincStore(tmp_path / "x"))
    assert ZincStore("x") == ZincStore("x", read_only=True)
    assert ZincStore("s3://b", settings={"region": "a"}) != ZincStore("s3://b", settings={"region": "b"})
    assert str(ZincStore("x")) == f"file://{tmp_path}/x"
    assert ZincStore("s3://b", settings={"anon": True}).settings == {"anonymous": "yes"}
    for bad in (None, 5, b"x"):
        with pytest.raises(TypeError):
            ZincStore(bad)  # type: ignore[arg-type]
    secret = ZincStore("https://user:password@host/a?token=secret", settings={"http.header.x": "hidden"})
    for text in (repr(secret), str(secret)):
        assert "host/a" in text
        assert not {"user", "password", "secret", "hidden"} & set(text.replace("/", " ").replace(":", " ").split())


def test_capabilities(store: ZincStore, place: Place) -> None:
    assert isinstance(store, SupportsSyncStore)
    assert store._supports_sync_io == (not isinstance(place, S3))
    assert store.supports_writes and store.supports_listing and not store.supports_partial_writes
    assert store.supports_deletes == (not isinstance(place, Zip))
    assert Capability.CAS in store.capabilities


def test_zinczarr_opens_it_with_its_settings(place: Place, store: ZincStore) -> None:
    zarr.create_array(store, name="a/t", shape=4, chunks=2, dtype="i4")[:] = [1, 2, 3, 4]
    assert zinczarr.open_array(store, path="a/t", mode="r")[:].tolist() == [1, 2, 3, 4]
    with pytest.raises(_errors.ReadOnlyError):
        zinczarr.open_array(store.with_read_only(True), path="a/t")[:] = 0


def test_with_the_pipeline_of_zinczarr(store: ZincStore) -> None:
    """Calls of the store and of the pipeline, mixed."""
    pipeline = fully_qualified_name(zinczarr.ZincCodecPipeline)
    with zarr.config.set({"codec_pipeline.path": pipeline}):
        array = zarr.create_array(store, name="a/t", shape=8, chunks=2, shards=4, dtype="i4")
        array[:] = np.arange(8)
        assert zarr.open_array(store, path="a/t")[2:7].tolist() == [2, 3, 4, 5, 6]
        assert listed(store, "a/t/") == ["a/t/c/0", "a/t/c/1", "a/t/zarr.json"]
        sync(store.set("x", buffer(b"1")))
        assert get(store, "x") == b"1" and sync(store.exists("x"))


def test_a_value_must_be_a_buffer(store: ZincStore) -> None:
    for call in (store.set, store.set_if_not_exists):
        with pytest.raises(TypeError, match="Buffer"):
            sync(call("k", b"1"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Buffer"):
        store.set_sync("k", b"1")  # type: ignore[arg-type]


def test_every_change_of_a_read_only_store_is_refused(place: Place) -> None:
    store = ZincStore(place.url, settings=place.settings)
    sync(store.set("k", buffer(b"1")))
    reader = store.with_read_only(True)
    value = buffer(b"2")
    changes = [reader.set("k", value), reader.set_if_not_exists("l", value), reader.delete("k"), reader.delete_dir("")]
    for change in [*changes, reader.clear(), reader._set_many([("k", value)])]:
        with pytest.raises(ValueError, match="read-only"):
            sync(change)
    for call in (lambda: reader.set_sync("k", value), lambda: reader.delete_sync("k")):
        with pytest.raises(ValueError, match="read-only"):
            call()
    assert listed(reader) == ["k"] and get(reader, "k") == b"1"


def test_closed_in_use(store: ZincStore, place: Place) -> None:
    """Calls that are under way end as usual; the next one opens it again."""
    expected = os.urandom(1_000_000)
    sync(store.set("k", buffer(expected)))
    wrong: list[object] = []

    def read() -> None:
        for _ in range(20):
            try:
                value = store.get_sync("k")
                wrong.extend([] if value is not None and value.to_bytes() == expected else [value])
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        store.close()
        time.sleep(0.001)
    assert not wrong
    assert get(store, "k") == expected


# ---- processes ----


def in_process(method: str, target: Any, *arguments: Any) -> None:
    context = multiprocessing.get_context(method)
    process = context.Process(target=target, args=arguments)
    process.start()
    process.join(60)
    assert process.exitcode == 0


def check_and_put(stores: list[ZincStore]) -> None:
    for store in stores:
        assert store.get_sync("k").to_bytes() == b"parent"  # type: ignore[union-attr]
        assert sync(store.exists("k"))
        store.set_sync("child", buffer(b"child"))


@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(tmp_path: Path, method: str) -> None:
    """The handles are open when the process is forked, and used on both sides."""
    places = [PLACES[kind](tmp_path) for kind in ("directory", "zip", "sqlite", "s3")]
    stores = [ZincStore(place.url, settings=place.settings) for place in places]
    for store in stores:
        sync(store.set("k", buffer(b"parent")))
    in_process(method, check_and_put, stores)
    for store in stores:
        assert get(store, "child") == b"child"
        assert sync(store.getsize("child")) == 5


def unpickle_memory(state: bytes) -> None:
    with pytest.raises(ValueError, match="another process"):
        pickle.loads(state)


@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
def test_memory_belongs_to_its_process() -> None:
    store = ZincStore("memory://own")
    store.set_sync("k", buffer(b"1"))
    assert pickle.loads(pickle.dumps(store)).get_sync("k").to_bytes() == b"1"
    in_process("fork", unpickle_memory, pickle.dumps(store))


def test_memory_survives_close() -> None:
    store = ZincStore("memory://closed")
    store.set_sync("k", buffer(b"1"))
    store.close()
    reader = store.with_read_only(True)
    assert get(store, "k") == b"1"
    del store
    gc.collect()
    assert get(reader, "k") == b"1"
    del reader
    gc.collect()
    assert get(ZincStore("memory://closed"), "k") is None


def race(store: ZincStore, barrier: Any, won: Any, rounds: int) -> None:
    me = os.getpid()
    for i in range(rounds):
        barrier.wait(30)
        sync(store.set_if_not_exists(f"r/{i}", buffer(b"%d" % me)))
        if get(store, f"r/{i}") == b"%d" % me:
            with won.get_lock():
                won[i] += 1


@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
@pytest.mark.parametrize("place", ["directory", "zip", "sqlite", "s3"], indirect=True)
def test_one_of_eight_processes_is_first(store: ZincStore) -> None:
    context = multiprocessing.get_context("spawn" if LONG else "fork")  # eight imports of zarr take a while
    rounds = 100 if LONG else 10
    barrier, won = context.Barrier(8), context.Array("i", rounds)
    processes = [context.Process(target=race, args=(store, barrier, won, rounds)) for _ in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 8
    assert list(won) == [1] * rounds


def put_new(store: ZincStore, key: str, mine: bytes, barrier: threading.Barrier, outcomes: list[bytes | None]) -> None:
    barrier.wait()
    asyncio.run(store.set_if_not_exists(key, buffer(mine)))
    value = store.get_sync(key)
    outcomes.append(value and value.to_bytes())


def test_one_of_eight_threads_is_first() -> None:
    store = ZincStore("memory://race")
    for i in range(50):
        outcomes: list[bytes | None] = []
        barrier = threading.Barrier(8)
        arguments = [(store, f"k{i}", b"%d" % n, barrier, outcomes) for n in range(8)]
        threads = [threading.Thread(target=put_new, args=a) for a in arguments]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(outcomes) == 8 and len(set(outcomes)) == 1 and outcomes[0]


# ---- servers ----


@pytest.mark.parametrize("quirk", ["notimplemented", "ignores"])
def test_without_conditions_a_new_key_is_put_after_a_look(quirk: str) -> None:
    place = S3(Path(), quirk)
    key = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}
    settings = {**place.settings, "s3.anonymous": False, "s3.access_key_id": key["AWS_ACCESS_KEY_ID"]}
    store = ZincStore(place.url, settings={**settings, "s3.secret_access_key": key["AWS_SECRET_ACCESS_KEY"]})
    sync(store.set_if_not_exists("k", buffer(b"1")))
    sync(store.set_if_not_exists("k", buffer(b"2")))
    assert get(store, "k") == b"1"


@pytest.mark.parametrize("bucket", ["nosuch", "overloaded"])
def test_a_failure_is_not_a_missing_key(bucket: str) -> None:
    """Neither None, nor an exception that zarr takes for a missing node."""
    place = S3(Path(), bucket)
    store = ZincStore(place.url, settings={**place.settings, "s3.retries": 0})
    calls = [
        lambda: store.get_sync("k"),
        lambda: get(store, "k"),
        lambda: sync(store.exists("k")),
        lambda: sync(store.getsize("k")),
        lambda: listed(store),
        lambda: names(store),
        lambda: sync(store.is_empty("")),
        lambda: sync(store.get_partial_values(PROTOTYPE, [("k", None)])),
        lambda: zarr.open_group(store, mode="a"),
        lambda: zarr.open_array(store, mode="r"),
    ]
    for call in calls:
        with pytest.raises(_errors.ZincError) as caught:
            call()
        assert not isinstance(caught.value, (FileNotFoundError, KeyError))


def test_a_web_server(tmp_path: Path) -> None:
    """Read-only, without listing."""
    own = LocalStore(tmp_path / "served" / "x.zarr")
    zarr.create_array(own, name="t", shape=10, chunks=3, dtype="i4")[:] = np.arange(10)
    with server("http_server.py", str(tmp_path / "served"), "--log", str(tmp_path / "log")) as address:
        store = ZincStore(f"{address}/plain/x.zarr")
        assert zarr.open_array(store, path="t", mode="r")[2:8].tolist() == [2, 3, 4, 5, 6, 7]
        assert not store.supports_listing and not store.supports_writes and not store.supports_deletes
        assert get(store, "nothing") is None and not sync(store.exists("nothing"))
        assert get(store, "t/c/0", SuffixByteRequest(4)) == get(own, "t/c/0", SuffixByteRequest(4))
        for call in (store.set("k", buffer(b"")), store.set_if_not_exists("k", buffer(b""))):
            with pytest.raises(_errors.ReadOnlyError):
                sync(call)


@pytest.mark.parametrize("kind", ["lmdb", "leveldb"])
def test_other_databases(kind: str, tmp_path: Path) -> None:
    store = ZincStore(f"{kind}://{tmp_path}/base.{kind}")
    try:
        sync(store.set("k", buffer(b"1")))
    except _errors.UnsupportedError:
        pytest.skip(f"built without {kind}")
    sync(store.set_if_not_exists("k", buffer(b"2")))
    assert get(store, "k") == b"1"
    array = zarr.create_array(store, name="a/t", shape=10, chunks=3, dtype="i4")
    array[:] = np.arange(10)
    array.resize((4,))
    assert zarr.open_array(pickle.loads(pickle.dumps(store)), path="a/t")[:].tolist() == [0, 1, 2, 3]
    assert names(store, "a/t/c") == ["0", "1"]
    sync(store.delete_dir("a"))
    assert listed(store) == ["k", "zarr.json"]


def test_the_loop_goes_on_while_a_server_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x"
        store = ZincStore(url, settings={"http.timeout": 1, "http.retries": 0})

        async def main() -> int:
            turns = 0
            task = asyncio.gather(*(store.get(f"k{i}", PROTOTYPE) for i in range(40)), return_exceptions=True)
            while not task.done():
                await asyncio.sleep(0.01)
                turns += 1
            assert all(isinstance(outcome, _errors.ZincError) for outcome in task.result())
            return turns

        begun = time.monotonic()
        assert asyncio.run(main()) > 30
        assert time.monotonic() - begun < 5  # all of them at once


def test_a_program_ends_after_an_interrupt() -> None:
    """Although a server does not answer."""
    program = """
        import os, signal, socket, sys, threading
        import zarr
        from zinczarr.zarr_store import ZincStore
        silent = socket.create_server(("127.0.0.1", 0))
        store = ZincStore(f"http://127.0.0.1:{silent.getsockname()[1]}/x", settings={"http.timeout": 100})
        threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
        try:
            zarr.open_array(store, mode="r")
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    begun = time.monotonic()
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr
    assert time.monotonic() - begun < 20
