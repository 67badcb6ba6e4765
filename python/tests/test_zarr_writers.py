"""Several writers of the same chunks through the codec pipeline: no element is lost.

Each writer writes its share of small blocks, which do not fit the chunks; every element must have its value afterwards.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", reason="zarr-python 3.4 needs Python 3.12")

from zarr.codecs import GzipCodec  # noqa: E402
from zarr.registry import register_codec  # noqa: E402
from zarr.storage import LocalStore, MemoryStore  # noqa: E402

from zinczarr import _core  # noqa: E402
from zinczarr._zarr_locks import KeyLocks, key_locks  # noqa: E402
from zinczarr.zarr_pipeline import counts  # noqa: E402
from zinczarr.zarr_store import ZincStore  # noqa: E402

OURS = "zinczarr.ZincCodecPipeline"
SIDE, BLOCK, WRITERS = 48, 5, 4
LAYOUTS: dict[str, dict[str, Any]] = {
    "chunks": {"chunks": (20, 20)},
    "shards": {"chunks": (10, 10), "shards": (20, 20)},
    "unknown codec": {"chunks": (20, 20), "compressors": "mine"},
    "unknown codec in shards": {"chunks": (10, 10), "shards": (20, 20), "compressors": "mine"},
}


class Mine(GzipCodec):
    """libzinc does not know it: arrays with it take the general way."""


@pytest.fixture(autouse=True)
def pipeline() -> Iterator[None]:
    use_codec()
    with zarr.config.set({"codec_pipeline.path": OURS}):
        counts.clear()
        yield
    assert len(key_locks) == 0


def use_codec() -> None:
    register_codec("gzip", Mine, qualname="tests.Mine")
    zarr.config.set({"codecs.gzip": "tests.Mine"})


@pytest.fixture(autouse=True, scope="module")
def restore() -> Iterator[None]:
    before = zarr.config.get("codecs.gzip")
    yield
    zarr.config.set({"codecs.gzip": before})


def open_store(kind: str, place: str) -> Any:
    return {
        "local": lambda: LocalStore(place + "/s"),
        "directory": lambda: ZincStore(place + "/s"),
        "sqlite": lambda: ZincStore(f"sqlite://{place}/s.sqlite"),
        "memory": lambda: ZincStore(f"memory://{place.replace('/', '-')}"),
        "MemoryStore": MemoryStore,
    }[kind]()


def create(store: Any, layout: str) -> Any:
    args = dict(LAYOUTS[layout])
    if args.get("compressors") == "mine":
        args["compressors"] = [Mine()]
    return zarr.create_array(store, name="a", shape=(SIDE, SIDE), dtype="i4", fill_value=-1, **args)


EXPECTED = np.arange(SIDE * SIDE, dtype="i4").reshape(SIDE, SIDE)


def write_share(array: Any, writer: int) -> None:
    blocks = [(r, c) for r in range(0, SIDE, BLOCK) for c in range(0, SIDE, BLOCK)]
    for r, c in blocks[writer::WRITERS]:
        array[r : r + BLOCK, c : c + BLOCK] = EXPECTED[r : r + BLOCK, c : c + BLOCK]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["local", "directory", "memory", "sqlite", "MemoryStore"])
def test_threads(kind: str, layout: str, tmp_path: Path) -> None:
    array = create(open_store(kind, str(tmp_path)), layout)
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(lambda writer: write_share(array, writer), range(WRITERS)))
    assert np.count_nonzero(array[:] != EXPECTED) == 0
    fast = kind != "MemoryStore" and layout in ("chunks", "shards")
    assert (counts["write"] > 0) == fast and counts["given up"] == 0


CHILD = """
import sys, time
sys.path.insert(0, {here!r})
import zarr, test_zarr_writers as t
t.use_codec()
zarr.config.set({{"codec_pipeline.path": t.OURS}})
array = zarr.open_array(t.open_store({kind!r}, {place!r}), path="a", mode="r+")
print("ready", flush=True)
sys.stdin.readline()
t.write_share(array, {writer})
"""


PROCESSES = [("local", "chunks"), ("local", "shards"), ("local", "unknown codec in shards")]
if os.environ.get("ZINC_LONG"):
    PROCESSES += [("local", "unknown codec"), ("sqlite", "chunks"), ("sqlite", "shards"), ("sqlite", "unknown codec")]


@pytest.mark.parametrize(("kind", "layout"), PROCESSES)
def test_processes(kind: str, layout: str, tmp_path: Path) -> None:
    array = create(open_store(kind, str(tmp_path)), layout)
    here = str(Path(__file__).parent)
    code = [CHILD.format(here=here, kind=kind, place=str(tmp_path), writer=i) for i in range(WRITERS)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    children = [subprocess.Popen([sys.executable, "-W", "ignore", "-c", text], **pipes) for text in code]
    for child in children:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
    for child in children:
        child.communicate("go\n", timeout=120)
    assert [child.returncode for child in children] == [0] * WRITERS
    assert np.count_nonzero(array[:] != EXPECTED) == 0


def test_whole_and_part(tmp_path: Path) -> None:
    """A whole chunk that is written while a part of it is changed: both stay."""
    array = create(MemoryStore(), "chunks")
    stop = threading.Event()

    def part() -> None:
        while not stop.is_set():
            array[3, 3] = 1

    thread = threading.Thread(target=part)
    thread.start()
    for value in range(100, 130):
        array[0:20, 0:20] = value
        found = array[0:20, 0:20]
        found[3, 3] = value
        assert np.all(found == value)
    stop.set()
    thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("kind", ["local", "MemoryStore"])
@pytest.mark.parametrize("layout", ["chunks", "unknown codec"])
def test_fork(kind: str, layout: str, tmp_path: Path) -> None:
    """Threads were used before the fork; the child reads and writes."""
    array = create(open_store(kind, str(tmp_path)), layout)
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(lambda writer: write_share(array, writer), range(WRITERS)))
    child = os.fork()
    if child == 0:
        try:
            same = np.array_equal(array[:], EXPECTED)
            array[1:40, 2] = 7
            os._exit(0 if same and np.all(array[1:40, 2] == 7) else 1)
        finally:
            os._exit(2)
    for _ in range(600):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0


async def test_waiting_does_not_block_the_loop(tmp_path: Path) -> None:
    """While another process holds the lock of a chunk, the event loop goes on."""
    with zarr.config.set({"codec_pipeline.path": OURS}):
        array = await zarr.api.asynchronous.create_array(str(tmp_path), shape=(8,), chunks=(4,), dtype="i4")
    await array.setitem(slice(None), np.arange(8, dtype="i4"))
    hold = (
        "import fcntl, struct, sys\n"
        f"f = open({str(tmp_path / 'c' / '0.__lock')!r}, 'wb')\n"
        "F_OFD_SETLK = 37\n"
        "fcntl.fcntl(f, F_OFD_SETLK, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))\n"
        "print('held', flush=True)\nsys.stdin.readline()\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    writing = asyncio.ensure_future(array.setitem(slice(1, 3), np.array([50, 51], "i4")))
    for _ in range(20):
        await asyncio.sleep(0.01)
    assert not writing.done()
    assert np.array_equal(await array.getitem(slice(4, 8)), [4, 5, 6, 7])
    holder.communicate("\n", timeout=30)
    await asyncio.wait_for(writing, 30)
    assert np.array_equal(await array.getitem(slice(0, 4)), [0, 50, 51, 3])


# ---- the lock ----


async def test_lock_excludes_and_is_left() -> None:
    locks, inside, most = KeyLocks(), 0, 0

    async def enter(key: str) -> None:
        nonlocal inside, most
        async with locks.hold(key):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(enter("a") for _ in range(50)))
    assert most == 1 and len(locks) == 0


async def test_cancelled_waiter_wakes_the_next() -> None:
    locks, done = KeyLocks(), []

    async def wait(name: str) -> None:
        async with locks.hold("k"):
            done.append(name)

    async with locks.hold("k"):
        tasks = [asyncio.ensure_future(wait(name)) for name in "abc"]
        await asyncio.sleep(0.01)
        tasks[1].cancel()
        await asyncio.sleep(0)
    tasks[0].cancel()  # woken already, or about to be
    await asyncio.wait(tasks, timeout=5)
    assert "c" in done and len(locks) == 0


def test_lock_of_several_loops() -> None:
    locks, total = KeyLocks(), 0

    async def add() -> None:
        nonlocal total
        for _ in range(50):
            async with locks.hold("k"):
                seen = total
                await asyncio.sleep(0.0001)
                total = seen + 1

    threads = [threading.Thread(target=lambda: asyncio.run(add())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert total == 200 and len(locks) == 0


def test_durable_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes are relaxed unless the user wants durable ones."""
    seen = []
    write = _core.Array.write

    class Spy:
        def __init__(self, array: Any) -> None:
            self.array = array

        def __getattr__(self, name: str) -> Any:
            return getattr(self.array, name)

        def write(self, *args: Any, **kw: Any) -> None:
            seen.append(kw["relaxed"])
            write(self.array, *args, **kw)

    make = _core.Array.from_document
    monkeypatch.setattr("zinczarr._zarr_arrays._core.Array", type("A", (), {"from_document": lambda *a: Spy(make(*a))}))
    array = zarr.create_array(tmp_path, shape=4, chunks=2, dtype="i4")
    array[:] = 1
    with zarr.config.set({"zinczarr.durable": True}):
        array[:] = 2
    assert seen == [True, False] and array[0] == 2
