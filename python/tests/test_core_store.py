"""_core.Store against a dict, over each kind of store."""

from __future__ import annotations

import gc
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from store_places import PLACES, S3, Directory, Memory, Place, server

from zinczarr import _core, _errors

KINDS = [*PLACES]
ERASE = 0x0020


@pytest.fixture(scope="module", autouse=True)
def s3_server() -> Iterator[None]:
    with server("s3_server.py") as address:
        S3.server = address
        yield


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return PLACES[request.param](tmp_path)


@pytest.fixture
def store(place: Place) -> _core.Store:
    return _core.Store(place.url, settings=place.settings)


def data(value: _core.Blob | None) -> bytes | None:
    return None if value is None else bytes(value)


# ---- reading ----


def test_values_are_those_of_the_place(place: Place, store: _core.Store) -> None:
    for value in [b"", b"x", b"\0" * 1000, os.urandom(100_000)]:
        place.set("a/b", value) if place.url.endswith(".zip") is False else store.put("a/b", value)
        assert data(store.get("a/b")) == value
        assert store.size("a/b") == len(value)
        store.put("a/c", value)
        assert place.get("a/c") == value
    assert store.get("a/d") is None
    assert store.size("a/d") is None
    assert store.get_tagged("a/d") is None


@pytest.mark.parametrize("size", [0, 1, 10])
def test_ranges_are_slices(store: _core.Store, size: int) -> None:
    value = bytes(range(size))
    store.put("k", value)
    requests: list[tuple[str, int, int, bool]] = []
    expected: list[bytes | None] = []
    for start in (0, 1, 9, 10, 11, 2**62):
        for length in (-1, 0, 1, 9, 10, 11, 2**62):
            requests.append(("k", start, length, False))
            expected.append(value[start:] if length < 0 else value[start : start + length])
    for length in (0, 1, 9, 10, 11, 2**62):
        requests.append(("k", 0, length, True))
        expected.append(value[max(0, size - length) :])
    requests.insert(5, ("missing", 0, -1, False))
    expected.insert(5, None)
    assert [data(v) for v in store.get_many(requests)] == expected
    assert [data(store.get(*request)) for request in requests] == expected


def test_parts_of_the_same_value(store: _core.Store) -> None:
    store.put("k", b"0123456789")
    found = store.get_many([("k", 1, 2, False), ("k", 0, 3, True), ("k", 99, 1, False)], same=True)
    assert [data(value) for value in found] == [b"12", b"789", b""]
    assert store.get_many([("no", 0, 1, False), ("no", 0, 2, True)], same=True) == [None, None]
    with pytest.raises(_errors.ConflictError):  # they are never the same
        store.get_many([("k", 0, 1, False), ("no", 0, 1, False)], same=True)


def test_a_blob_is_a_read_only_buffer(store: _core.Store) -> None:
    store.put("k", b"0123")
    blob = store.get("k")
    assert blob is not None
    view = memoryview(blob)
    assert view.readonly and view.nbytes == 4 and len(blob) == 4
    store.put("k", b"4567")
    del blob, store
    gc.collect()
    assert bytes(view) == b"0123"
    assert np.frombuffer(view, "<u2").tolist() == [0x3130, 0x3332]


@pytest.mark.parametrize("bad", [("k", -1), ("k", 0, "1"), ("k", 2**64), ("k", 1, 1, True), (1,), (), "k", None])
def test_bad_requests(store: _core.Store, bad: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        store.get_many([("k", 0, -1, False), bad])
    if isinstance(bad, tuple):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            store.get(*bad)


def test_a_limit_is_kept(store: _core.Store) -> None:
    store.put("k", b"0123")
    assert data(store.get("k", limit=4)) == b"0123"
    assert data(store.get("k", 1, 2, limit=2)) == b"12"
    with pytest.raises(_errors.LimitError):
        store.get("k", limit=3)


# ---- changes ----


def test_many_changes_as_a_dict(store: _core.Store) -> None:
    model: dict[str, bytes] = {}
    chance = random.Random(1)
    for _ in range(10):
        items = {
            f"d{chance.randrange(3)}/k{chance.randrange(20)}": chance.randbytes(chance.randrange(50)) for _ in range(20)
        }
        store.put_many(list(items.items()))
        model.update(items)
        if store.flags & ERASE:
            gone = chance.sample(sorted(model), 5) + ["missing"]
            store.delete_many(gone)
            for key in gone:
                model.pop(key, None)
        assert store.list() == sorted((key, len(value)) for key, value in model.items())
    found = store.get_many([(key, 0, -1, False) for key in model])
    assert [data(value) for value in found] == list(model.values())
    if store.flags & ERASE:
        store.delete_prefix("d1/")
        assert {key for key, _ in store.list()} == {key for key in model if not key.startswith("d1/")}
        store.delete_prefix("")
        assert store.list() == []


def test_conditions(store: _core.Store) -> None:
    store.put("k", b"1", absent=True)
    with pytest.raises(_errors.ExistsError):
        store.put("k", b"2", absent=True)
    found = store.get_tagged("k")
    assert found is not None
    value, tag = found
    assert bytes(value) == b"1"
    store.put("k", b"3", tag=tag)
    with pytest.raises(_errors.ConflictError):
        store.put("k", b"4", tag=tag)
    if store.flags & ERASE:
        with pytest.raises(_errors.ConflictError):
            store.delete("k", tag=tag)
    assert data(store.get("k")) == b"3"


@pytest.mark.parametrize("tag", [b"", b"x" * 128, "text", 5])
def test_bad_tags(store: _core.Store, tag: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        store.put("k", b"1", tag=tag)
    with pytest.raises(ValueError, match="absent"):
        store.put("k", b"1", tag=b"x", absent=True)
    assert store.get("k") is None


def test_buffers_of_all_kinds(store: _core.Store) -> None:
    array = np.arange(6, dtype="<i4").reshape(2, 3)
    for value in (b"x", bytearray(b"xy"), memoryview(b"xyz"), array, np.array(7, "u1")):
        store.put("k", value)
        assert data(store.get("k")) == bytes(memoryview(value))
    with pytest.raises((BufferError, ValueError)):
        store.put("k", array[:, ::2])
    for bad in ("text", 5, None):
        with pytest.raises(TypeError):
            store.put("k", bad)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            store.put_many([("good", b""), ("k", bad)])  # type: ignore[list-item]
    assert store.get("good") is None
    with pytest.raises(TypeError):
        store.put_many([["k", b""]])  # type: ignore[list-item]


def test_a_buffer_is_free_after_a_failure(store: _core.Store) -> None:
    value = bytearray(b"x")
    for call in (
        lambda: store.put("../k", value),
        lambda: store.put_many([("k", value), ("../k", value)]),
        lambda: store.put_many([("k", value), ("k", 5)]),  # type: ignore[list-item]
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
        value.append(1)  # BufferError if it were still held


@pytest.mark.parametrize("key", ["", "/a", "a/", "a//b", ".", "..", "a/../b", "a\nb", "a\0b", "\ud800"])
def test_keys_that_are_refused(store: _core.Store, key: str) -> None:
    calls = [
        lambda: store.get(key),
        lambda: store.get_many([(key, 0, -1, False)]),
        lambda: store.get_tagged(key),
        lambda: store.size(key),
        lambda: store.put(key, b""),
        lambda: store.put_many([(key, b"")]),
        lambda: store.list(key + "x"),
        lambda: store.list_dir("/" + key),
    ]
    if store.flags & ERASE:
        calls += [
            lambda: store.delete(key),
            lambda: store.delete_many(["a", key]),
            lambda: store.delete_prefix("/" + key),
        ]
    for call in calls:
        with pytest.raises(ValueError):
            call()
    assert store.list() == []


def test_read_only(place: Place) -> None:
    _core.Store(place.url, settings=place.settings).put("k", b"1")
    store = _core.Store(place.url, settings=place.settings, read_only=True)
    for call in (
        lambda: store.put("k", b"2"),
        lambda: store.put_many([("k", b"2")]),
        lambda: store.delete("k"),
        lambda: store.delete_many(["k"]),
        lambda: store.delete_prefix(""),
    ):
        with pytest.raises(_errors.ReadOnlyError):
            call()
    assert data(store.get("k")) == b"1"


# ---- listing ----


def test_levels(store: _core.Store) -> None:
    keys = ["a/b/c", "a/b2", "a b/ü", "x", "z.json"]
    store.put_many([(key, b"1") for key in keys])
    assert [key for key, _ in store.list()] == sorted(keys, key=str.encode)
    assert store.list_dir() == ["a b/", "a/", "x", "z.json"]
    assert store.list_dir("a/") == ["a/b/", "a/b2"]
    assert store.list("a/b/") == [("a/b/c", 1)]
    assert store.list("missing/") == store.list_dir("missing/") == []


def test_a_key_and_a_prefix_of_one_name(place: Place, store: _core.Store) -> None:
    store.put("a/b", b"1")
    if isinstance(place, Directory):
        with pytest.raises(_errors.ExistsError):
            store.put("a", b"2")
        with pytest.raises(_errors.IoError) as caught:
            store.get("a")
        assert caught.value.os_error == 21
    else:
        store.put("a", b"2")
        assert sorted(store.list_dir()) == ["a", "a/"]


# ---- opening ----


def test_urls_and_settings(tmp_path: Path) -> None:
    assert _core.Store("memory://x").url == "memory://x"
    with pytest.raises(_errors.InvalidError):
        _core.Store("nosuch://x")
    with pytest.raises(_errors.InvalidError):
        _core.Store("memory://x", settings={"no.such.setting": "1"})
    with pytest.raises(TypeError):
        _core.Store("memory://x", settings={"a": 1})  # type: ignore[dict-item]
    with pytest.raises((TypeError, AttributeError)):
        _core.Store("memory://x", settings=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _core.Store()  # type: ignore[call-arg]


def test_a_missing_bucket_is_not_a_missing_key() -> None:
    place = S3(Path(), "nosuch")
    store = _core.Store(place.url, settings=place.settings)
    for call in (
        lambda: store.get("k"),
        lambda: store.size("k"),
        lambda: store.get_many([("k", 0, -1, False)]),
        store.list,
    ):
        with pytest.raises(_errors.ZincError):
            call()


# ---- threads, signals, memory ----


def silent_server() -> tuple[socket.socket, str]:
    """It accepts connections and answers nothing."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}/x"


def test_interrupt_ends_a_slow_get() -> None:
    listener, url = silent_server()
    store = _core.Store(url, settings={"http.timeout": "60"})
    for call in (lambda: store.get("k"), lambda: store.get_many([("k", 0, -1, False)] * 3), lambda: store.size("k")):
        timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
        begun = time.monotonic()
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            call()
        assert time.monotonic() - begun < 5
    listener.close()


def test_the_gil_is_free_during_a_get() -> None:
    listener, url = silent_server()
    store = _core.Store(url, settings={"http.timeout": "1", "http.retries": "0"})
    failures: list[BaseException] = []

    def get() -> None:
        try:
            store.get("k")
        except _errors.ZincError as error:
            failures.append(error)

    thread = threading.Thread(target=get)
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(0.01)
        turns += 1
    assert turns > 20 and len(failures) == 1
    listener.close()


def test_threads_share_a_handle(store: _core.Store) -> None:
    expected = {f"k{i}": os.urandom(1000 * i) for i in range(16)}
    store.put_many(list(expected.items()))
    wrong: list[str] = []

    def check(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(30):
            keys = chance.choices(sorted(expected), k=5)
            found = store.get_many([(key, 0, -1, False) for key in keys])
            wrong.extend(key for key, value in zip(keys, found, strict=True) if data(value) != expected[key])

    threads = [threading.Thread(target=check, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_calls_leak_nothing(tmp_path: Path) -> None:
    store = _core.Store(str(tmp_path / "x"), relaxed=True)
    value = bytes(10_000)
    store.put("a", value)
    (tmp_path / "x" / "d").mkdir()
    (tmp_path / "x" / "d" / "k").write_bytes(b"")

    def calls() -> None:
        store.get("a"), store.get("b"), store.get_tagged("a"), store.size("a")
        store.get_many([("a", 0, -1, False), ("b", 0, -1, False), ("a", 5, 5, True)][:2])
        store.list(), store.list_dir()
        for bad in (
            lambda: store.get("d"),
            lambda: store.get_many([("a", 0, -1, False), ("d", 0, -1, False)]),
            lambda: store.get_many([("a", 0, -1, False), ("a", "x")]),  # type: ignore[list-item]
            lambda: store.get("a", limit=5),
            lambda: store.put("d", value),
            lambda: store.put_many([("../a", value)]),
            lambda: store.delete_many(["a", 5]),  # type: ignore[list-item]
            lambda: store.list("nowhere"),
        ):
            try:
                bad()
            except Exception:
                continue
            raise AssertionError("no exception")

    for _ in range(300):
        calls()
    gc.collect()
    before, objects, references = resident(), len(gc.get_objects()), sys.getrefcount(value)
    for _ in range(2000):
        calls()
    gc.collect()
    if "san" not in os.environ.get("LD_PRELOAD", ""):  # sanitizers keep what was freed
        assert resident() - before < 4_000_000  # 2000 values of 10 000 bytes would be 20 MB
    assert len(gc.get_objects()) - objects < 100
    assert sys.getrefcount(value) == references


def test_memory_lives_as_long_as_a_handle() -> None:
    place = Memory(Path())
    place.set("k", b"1")
    other = _core.Store(place.url)
    del place
    gc.collect()
    assert data(other.get("k")) == b"1"
