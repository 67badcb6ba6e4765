"""Every function of the extension, called often, with good arguments and bad ones: nothing may stay behind.

Three counters are compared before and after many calls:
- sys.getallocatedblocks(): objects of Python
- mallinfo2(): bytes that C allocated, of all arenas of glibc
- sys.getrefcount(): of the arguments, which the calls must not keep

The library keeps some memory for later calls, and threads come and go.  So only what grows in every one of several rounds
is a leak.  With PYTHONMALLOC=malloc or a sanitizer the first two counters stand still; the calls run anyway.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zinczarr import _core

CALLS = 40 if os.environ.get("ZINC_QUICK") else 100
ROUNDS = 6
WARM = 20
# A leaked object is one block, a leaked allocation at least 24 bytes: half of that in each call is a leak.
MAX_BLOCKS = CALLS // 2
MAX_BYTES = CALLS * 12

DATA = np.arange(24, dtype="<i4").reshape(4, 6)
INT32 = 4


class Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def c_bytes() -> int:
    """Bytes in use of malloc; without glibc's function 0."""
    function = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if function is None:
        return 0
    function.restype = Mallinfo
    info = function()
    return int(info.uordblks + info.hblkhd)


def state() -> tuple[int, int]:
    _core.trim()
    gc.collect()
    return sys.getallocatedblocks(), c_bytes()


def grows(call: Callable[[], object]) -> str:
    """What grew in every round; "" if nothing did."""
    least = [sys.maxsize, sys.maxsize]
    for _ in range(WARM):
        call()
    for _ in range(ROUNDS):
        before = state()
        for _ in range(CALLS):
            call()
        after = state()
        least = [min(known, now - was) for known, now, was in zip(least, after, before, strict=True)]
        if least[0] <= MAX_BLOCKS and least[1] <= MAX_BYTES:
            return ""
    return f"{CALLS} calls leave {least[0]} objects and {least[1]} bytes behind"


# ---- what is called ----


class Rig:
    """Handles, and the arguments of calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = "memory://leaks"
        self.store = _core.Store(self.url)
        self.h = _core.Hierarchy(self.store, create=True)
        self.h.create_group("/", json.dumps({"a": 1}), overwrite=1)
        self.a = _core.Array.create(self.h, "/a", shape=[4, 6], dtype="int32", chunks=[2, 3], dimension_names=["y", None])
        self.a.write(DATA, INT32)
        self.s = _core.Array.create(self.h, "/s", shape=[3], dtype="string", chunks=[2])
        self.texts = np.array(["a", "bc" * 50, "ö"], dtype=object)
        self.s.write(self.texts, 0)
        self.grow = _core.Array.create(self.h, "/grow", shape=[0], dtype="int32", chunks=[64])
        self.out = np.zeros((4, 6), "<i4")
        self.index = np.array([0, 2], np.uint64)
        self.points = np.array([[0, 0], [3, 5]], np.uint64)
        self.mask = np.ones((4, 6), np.uint8)
        self.key, self.value = "k" * 40, b"v" * 1000
        self.document = self.h.document("/a")
        self.settings = {"fs.nothing": "x"}
        self.store.put(self.key, self.value)
        self.deep = str(folder / "deep.zarr")
        _core.Hierarchy(self.deep, create=True).create_group("/", overwrite=1)

    def progress(self, done: int, units: int, nbytes: int) -> bool:
        return False

    def failing_progress(self, done: int, units: int, nbytes: int) -> bool:
        raise KeyError("stop")

    def append(self) -> None:
        self.grow.append(DATA[0], INT32, 0)
        self.grow.resize([0])

    def reserve(self) -> None:
        self.grow.reserve(3, 0)
        self.grow.resize([0])

    def erase(self) -> None:
        self.h.create_group("/e", overwrite=1)
        self.h.erase("/e")

    def consolidate(self) -> None:
        self.h.consolidate("/")
        self.h.consolidate("/", remove=True)

    def copy(self) -> None:
        _core.copy(self.url + "/a", "memory://leaks-copy/t", {"overwrite": True})

    def move(self) -> None:
        self.h.create_group("/m", overwrite=1)
        _core.move(self.h, "/m", "/n", {})
        self.h.erase("/n")

    def batch(self) -> None:
        _core.batch_box([], [2, 3], "c", "/")


# Calls that succeed, by the name of what they call; a name may have several.
GOOD: dict[str, Callable[[Rig], object]] = {
    "threads": lambda r: _core.threads(),
    "trim": lambda r: _core.trim(),
    "rows": lambda r: [_core.rows(w) for w in ("formats", "stores", "codecs", "dtypes", "libraries")],
    "Store": lambda r: _core.Store("memory://leaks-2"),
    "Store.url": lambda r: r.store.url,
    "Store.flags": lambda r: r.store.flags,
    "Store.get": lambda r: bytes(r.store.get(r.key, 1, 5) or b""),
    "Store.get 2": lambda r: (r.store.get("missing"), memoryview(r.store.get(r.key) or b"")[:4]),
    "Store.get_many": lambda r: r.store.get_many([(r.key, 0, -1, False), ("missing", 0, -1, False)]),
    "Store.get_tagged": lambda r: r.store.get_tagged(r.key),
    "Store.size": lambda r: r.store.size(r.key),
    "Store.put": lambda r: r.store.put(r.key, r.value),
    "Store.put_many": lambda r: r.store.put_many([(r.key, r.value), ("k2", memoryview(r.value))]),
    "Store.delete": lambda r: (r.store.put("d", b""), r.store.delete("d")),
    "Store.delete_many": lambda r: (r.store.put("d", b""), r.store.delete_many(["d", "e"])),
    "Store.delete_prefix": lambda r: (r.store.put("p/d", b""), r.store.delete_prefix("p/")),
    "Store.list": lambda r: r.store.list(),
    "Store.list_dir": lambda r: r.store.list_dir("a/"),
    "Store.sync": lambda r: r.store.sync(),
    "Hierarchy": lambda r: _core.Hierarchy(r.store, prefix=""),
    "Hierarchy 2": lambda r: _core.Hierarchy(r.deep, read_only=True, settings={}),
    "Hierarchy.path": lambda r: r.h.path,
    "Hierarchy.format": lambda r: r.h.format,
    "Hierarchy.url": lambda r: r.h.url,
    "Hierarchy.prefix": lambda r: r.h.prefix,
    "Hierarchy.store": lambda r: r.h.store,
    "Hierarchy.kind": lambda r: r.h.kind("/a"),
    "Hierarchy.walk": lambda r: (r.h.walk("/"), r.h.walk("/", -1, True)),
    "Hierarchy.document": lambda r: r.h.document("/a"),
    "Hierarchy.attributes": lambda r: r.h.attributes("/"),
    "Hierarchy.edit_attributes": lambda r: [r.h.edit_attributes("/", [("x", "[1, 2]"), ("y", y)]) for y in ("1", None)],
    "Hierarchy.create_group": lambda r: r.h.create_group("/g", '{"b": 2}', overwrite=1),
    "Hierarchy.erase": lambda r: r.erase(),
    "Hierarchy.consolidate": lambda r: r.consolidate(),
    "Hierarchy.consolidated": lambda r: r.h.consolidated("/"),
    "Array.open": lambda r: _core.Array.open(r.h, "/a"),
    "Array.from_document": lambda r: _core.Array.from_document(r.h, "/a", r.document),
    "Array.create": lambda r: _core.Array.create(r.h, "/c", shape=[2], dtype="int8", attributes='{"u": 1}', overwrite=1),
    "Array.shape": lambda r: r.a.shape,
    "Array.type": lambda r: r.a.type,
    "Array.dtype": lambda r: r.a.dtype,
    "Array.numpy": lambda r: r.a.numpy,
    "Array.element_size": lambda r: r.a.element_size,
    "Array.variable": lambda r: r.a.variable,
    "Array.dimension_names": lambda r: r.a.dimension_names,
    "Array.path": lambda r: r.a.path,
    "Array.unsupported": lambda r: r.a.unsupported,
    "Array.chunks": lambda r: r.a.chunks,
    "Array.shards": lambda r: r.a.shards,
    "Array.grid": lambda r: r.a.grid,
    "Array.regular": lambda r: r.a.regular,
    "Array.fill": lambda r: (r.a.fill, r.s.fill),
    "Array.describe": lambda r: r.a.describe(),
    "Array.lengths": lambda r: r.a.lengths(0),
    "Array.refresh": lambda r: r.a.refresh(),
    "Array.get": lambda r: (r.a.get((slice(1, 3), 2), np.empty, np.dtype("i4")), r.a.get((0, 0), np.empty, np.dtype("i4"))),
    "Array.read": lambda r: r.a.read(r.out, INT32, progress=r.progress),
    "Array.read 2": lambda r: r.a.read(r.out[:2, :1], INT32, (r.index, (1, 1, 1))),
    "Array.read 3": lambda r: r.a.read(r.out[0, :2], INT32, points=r.points),
    "Array.read 4": lambda r: r.a.read(r.out.reshape(-1), INT32, mask=r.mask),
    "Array.read 5": lambda r: r.s.read(np.empty(3, object), 0),
    "Array.write": lambda r: r.a.write(DATA, INT32, progress=r.progress),
    "Array.write 2": lambda r: r.s.write(r.texts, 0),
    "Array.append": lambda r: r.append(),
    "Array.reserve": lambda r: r.reserve(),
    "Array.resize": lambda r: r.a.resize([4, 6]),
    "Array.chunk_key": lambda r: r.a.chunk_key([0, 1]),
    "Array.chunk_get": lambda r: r.a.chunk_get([0, 1]),
    "Array.chunk_put": lambda r: r.a.chunk_put([0, 1], r.a.chunk_get([0, 1])),
    "Array.stored": lambda r: r.a.stored(),
    "Array.explain": lambda r: r.a.explain(chunks=True),
    "Array.stats": lambda r: r.a.stats(),
    "copy": lambda r: r.copy(),
    "move": lambda r: r.move(),
    "validate": lambda r: _core.validate(r.deep, {}),
    "diff": lambda r: _core.diff(r.h, "/a", r.h, "/s", {}),
    "batch_box": lambda r: r.batch(),
}

# Calls that fail, each at another place.
BAD: dict[str, Callable[[Rig], object]] = {
    "Store of no kind": lambda r: _core.Store("nothing://x"),
    "Store with a setting that does not exist": lambda r: _core.Store("/tmp", settings=r.settings),
    "Store with settings that are no texts": lambda r: _core.Store("/tmp", settings={"a": 1}),  # type: ignore[dict-item]
    "get of a bad key": lambda r: r.store.get("../x"),
    "get_many of no tuple": lambda r: r.store.get_many([("a", 0, -1, False), 3]),  # type: ignore[list-item]
    "put of no buffer": lambda r: r.store.put("x", 3),  # type: ignore[arg-type]
    "put_many of no buffer": lambda r: r.store.put_many([("x", b""), ("y", None)]),  # type: ignore[list-item]
    "put of a key that exists": lambda r: r.store.put(r.key, r.value, absent=True),
    "put with another tag": lambda r: r.store.put(r.key, r.value, tag=b"no such tag"),
    "list of a bad prefix": lambda r: r.store.list("x"),
    "Hierarchy that is not there": lambda r: _core.Hierarchy("/nowhere/at/all", read_only=True, strict=True).document("/"),
    "edit with bad JSON": lambda r: r.h.edit_attributes("/", [("x", "1"), ("y", "{")]),
    "edit with no pairs": lambda r: r.h.edit_attributes("/", [("x", "1"), 3]),  # type: ignore[list-item]
    "open what is a group": lambda r: _core.Array.open(r.h, "/"),
    "from_document of garbage": lambda r: _core.Array.from_document(r.h, "/a", "{}"),
    "create with a bad type": lambda r: _core.Array.create(r.h, "/q", shape=[2], dtype="nothing"),
    "create with bad names": lambda r: _core.Array.create(r.h, "/q", shape=[2], dtype="int8", dimension_names=[3]),  # type: ignore[list-item]
    "create with a negative shape": lambda r: _core.Array.create(r.h, "/q", shape=[2, -1], dtype="int8"),
    "read into a small buffer": lambda r: r.a.read(r.out[:1], INT32),
    "read into bytes": lambda r: r.a.read(b"x" * 96, INT32),
    "read with a bad selection": lambda r: r.a.read(r.out, INT32, (r.index, "x")),  # type: ignore[list-item]
    "read outside": lambda r: r.a.read(r.out[0, :1], INT32, points=np.array([[9, 9]], np.uint64)),
    "read whose progress fails": lambda r: r.a.read(r.out, INT32, progress=r.failing_progress),
    "write of numbers into strings": lambda r: r.s.write(np.array([1, 2, 3], object), 0),
    "append of another shape": lambda r: r.grow.append(DATA, INT32, 0),
    "reserve on an axis that is not there": lambda r: r.grow.reserve(1, 5),
    "resize to another rank": lambda r: r.a.resize([1]),
    "chunk outside": lambda r: r.a.chunk_key([9, 9]),
    "copy of nothing": lambda r: _core.copy("/nowhere/x", "memory://y/t", {}),
    "copy with an unknown option": lambda r: _core.copy(r.deep, "memory://y/t", {"nothing": 1}),
    "validate with an unknown option": lambda r: _core.validate(r.deep, {"nothing": 1}),
    "diff of nothing": lambda r: _core.diff(r.h, "/nothing", r.h, "/a", {}),
    "move of nothing": lambda r: _core.move(r.h, "/nothing", "/b", {}),
    "rows of nothing": lambda r: _core.rows("nothing"),
}


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    yield Rig(tmp_path_factory.mktemp("leaks"))


def test_every_function_is_called() -> None:
    classes = {name: kind for name, kind in vars(_core).items() if isinstance(kind, type)}
    names = {name for name, thing in vars(_core).items() if callable(thing) and name not in classes and name[0] != "_"}
    for name, kind in classes.items():
        names |= {f"{name}.{member}" for member in vars(kind) if member[0] != "_"}
    assert names <= {name.split()[0] for name in GOOD}, "these need a line in GOOD"


@pytest.mark.parametrize("name", GOOD)
def test_good_calls_leave_nothing(rig: Rig, name: str) -> None:
    assert not grows(lambda: GOOD[name](rig))


@pytest.mark.parametrize("name", BAD)
def test_failing_calls_leave_nothing(rig: Rig, name: str) -> None:
    def call() -> None:
        try:
            BAD[name](rig)
        except Exception:
            return
        raise AssertionError("it did not fail")

    assert not grows(call)


def test_arguments_are_not_kept(rig: Rig) -> None:
    things: dict[str, Any] = {
        name: getattr(rig, name) for name in "texts out index points mask key value settings document store h a".split()
    }
    things["data"] = DATA
    before = {name: sys.getrefcount(thing) for name, thing in things.items()}
    for calls in (GOOD, BAD):
        for call in calls.values():
            for _ in range(3):
                try:
                    call(rig)
                except Exception:
                    assert calls is BAD
    gc.collect()
    assert {name: sys.getrefcount(thing) for name, thing in things.items()} == before


def test_a_leak_would_be_found() -> None:
    kept: list[object] = []
    if sys.getallocatedblocks() > 0:
        assert "objects" in grows(lambda: kept.append(object()))
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    if c_bytes() > 0:
        assert "bytes" in grows(lambda: libc.malloc(ctypes.c_size_t(24)) and None)
