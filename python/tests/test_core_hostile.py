"""The extension with hostile arguments, threads, callbacks and signals: an exception, never a crash or another meaning.

What may crash or end the process runs in a process of its own.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_leaks import grows

import zinczarr
from zinczarr import _core
from zinczarr._errors import CancelledError, InvalidError, RangeError, ZincWarning

INT32 = 4
N = 100
DATA = np.arange(N, dtype="<i4")
SECONDS = 1.0 if os.environ.get("ZINC_QUICK") else 2.0


@pytest.fixture
def h(tmp_path: Path) -> _core.Hierarchy:
    made = _core.Hierarchy(str(tmp_path / "h.zarr"), create=True, relaxed=True)
    made.create_group("/")
    return made


@pytest.fixture
def a(h: _core.Hierarchy) -> _core.Array:
    made = _core.Array.create(h, "/x", shape=(N,), dtype="int32", chunks=(7,))
    made.write(DATA, INT32)
    return made


def run(code: str, *args: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own; `a` is the array that is named by its first argument."""
    begin = """
        import gc, os, signal, sys, threading, time
        import numpy as np
        from zinczarr import _core
        a = _core.Array.open(_core.Hierarchy(sys.argv[1]), "/x")
        shape = a.shape
    """
    whole = textwrap.dedent(begin) + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", whole, *args], capture_output=True, text=True, timeout=timeout
    )


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """Repeat `work` in another thread."""
    stop = threading.Event()

    def loop() -> None:
        while not stop.is_set():
            work()

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


# ---- other threads change what the library uses without the GIL ----


races = pytest.mark.skipif("tsan" in os.environ.get("LD_PRELOAD", ""), reason="the program of the test races itself")


@races
def test_mask_is_changed_meanwhile(h: _core.Hierarchy, tmp_path: Path) -> None:
    """The library counts the points of a mask and then stores them."""
    n = 1 << 18
    _core.Array.create(h, "/m", shape=(n,), dtype="int8", chunks=(n,))
    program = f"""
        import zinczarr
        z = zinczarr.open_array(sys.argv[1] + "/m", mode="r")
        mask, stop = np.zeros({n}, bool), False
        def flip():
            while not stop:
                mask[:] = True
                mask[:] = False
        thread = threading.Thread(target=flip)
        thread.start()
        end = time.monotonic() + {SECONDS}
        while time.monotonic() < end:
            try:
                assert not z[mask].any()
            except zinczarr.errors.ZincError:
                pass
        stop = True
        thread.join()
    """
    _core.Array.create(h, "/x", shape=(1,), dtype="int8")
    done = run(program, str(tmp_path / "h.zarr"))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("how", ["list", "points"])
def test_indices_are_changed_meanwhile(h: _core.Hierarchy, how: str) -> None:
    """The library checks indices once: it must not see later ones."""
    n = 1 << 14
    b = _core.Array.create(h, "/i", shape=(n,), dtype="int32", chunks=(n // 8,))
    b.write(np.arange(n, dtype="<i4"), INT32)
    index, out = np.arange(n, dtype=np.uint64), np.zeros(n, "<i4")
    ruined = 0

    def ruin(done: int, units: int, nbytes: int) -> None:
        nonlocal ruined
        ruined += 1
        index[:] = 1 << 50

    arguments: dict[str, Any] = {"points": index.reshape(-1, 1)} if how == "points" else {"select": (index,)}
    b.read(out, INT32, **arguments, progress=ruin, threads=1)
    assert ruined > 1
    assert (out == np.arange(n)).all()


def test_objects_are_replaced_meanwhile(h: _core.Hierarchy) -> None:
    n = 4000
    s = _core.Array.create(h, "/s", shape=(n,), dtype="string", chunks=(n // 8,))
    source = np.array([f"first {i}" for i in range(n)], object)

    def replace() -> None:
        source[:] = [f"other {i}" for i in range(n)]

    with meanwhile(replace):
        for _ in range(20):
            s.write(source, 0)
    out = np.empty(n, object)
    s.read(out, 0)
    assert all(text in (f"first {i}", f"other {i}") for i, text in enumerate(out))


def test_batch_is_changed_by_its_pieces() -> None:
    """An attribute of a piece may be a function, here one that empties the list."""
    program = """
        class Path:
            store = None
            def __init__(self, key, bad):
                self.key, self.bad = key, bad
            @property
            def path(self):
                if self.bad:
                    batch.clear()
                    gc.collect()
                return self.key
        for bad in range(3):
            batch = [(Path(f"x/c/{i}", i == bad), 5, (slice(0, 7),), (slice(i * 7, i * 7 + 7),), True) for i in range(3)]
            assert _core.batch_box(batch, (7,), "c", "/") == ("x", ((0, 21, 1),))
    """
    # nothing of the array is needed
    done = subprocess.run(
        [sys.executable, "-c", "import gc\nfrom zinczarr import _core\n" + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


# ---- texts with NUL characters, and numbers that do not fit ----


def test_nul_does_not_end_a_text(h: _core.Hierarchy, a: _core.Array, tmp_path: Path) -> None:
    url = str(tmp_path / "h.zarr")
    store = _core.Store(url)
    calls: list[Callable[[], object]] = [
        lambda: _core.Hierarchy(url + "\0x"),
        lambda: _core.Store(url + "\0x"),
        lambda: _core.Store(url, settings={"fs.x\0": "1"}),
        lambda: _core.Array.create(h, "/n", shape=(1,), dtype="int8", dimension_names=["a\0b"]),
        lambda: _core.Array.create(h, "/n\0", shape=(1,), dtype="int8"),
        lambda: _core.copy(url, url + "2", {"codecs": "none\0x"}),
        lambda: store.get("zarr.json\0x"),
        lambda: store.get_many([("zarr.json\0x", 0, -1, False)]),
        lambda: store.put("k\0x", b""),
        lambda: store.put_many([("k\0x", b"")]),
        lambda: store.delete("x/zarr.json\0x"),
        lambda: store.delete_many(["x/zarr.json\0x"]),
        lambda: store.list("x/\0x"),
        lambda: h.kind("/x\0y"),
        lambda: h.edit_attributes("/", [("k\0x", "1")]),
    ]
    for i, call in enumerate(calls):
        with pytest.raises(ValueError, match="null"):
            pytest.fail(f"call {i} returned {call()!r}")
    assert h.kind("/n") == 0 and h.kind("/x") == 2
    assert not (tmp_path / "h.zarr2").exists()


def test_numbers_do_not_wrap(h: _core.Hierarchy, a: _core.Array, tmp_path: Path) -> None:
    url = str(tmp_path / "h.zarr")
    store = _core.Store(url)
    big = 1 << 64
    calls: list[Callable[[], object]] = [
        lambda: a.reserve(-1, 0),
        lambda: a.reserve(big + 5, 0),
        lambda: store.get("zarr.json", limit=-1),
        lambda: store.get("zarr.json", limit=big + 1),
        lambda: store.get("zarr.json", big),
        lambda: _core.copy(url, url + "2", {"threads": (1 << 32) + 1}),
        lambda: _core.copy(url, url + "2", {"max_memory": -1}),
        lambda: _core.copy(url, url + "2", {"max_memory": big}),
        lambda: a.resize((-1,)),
        lambda: a.resize((big + 1,)),
        lambda: a.chunk_get((-1,)),
        lambda: a.read(np.zeros((), "<i4"), INT32, (-1,)),
        lambda: a.read(np.zeros((), "<i4"), INT32, (big,)),
        lambda: a.read(np.zeros(1, "<i4"), INT32, ((0, 1, -1),)),
        lambda: a.read(DATA.copy(), 1 << 32),
    ]
    for i, call in enumerate(calls):
        with pytest.raises(OverflowError):
            pytest.fail(f"call {i} returned {call()!r}")
    assert a.shape == (N,)
    assert not (tmp_path / "h.zarr2").exists()


@pytest.mark.parametrize(
    "part", [(2**64 - 1, 2, 1), (0, 2, 2**64 - 1), (0, 2**64 - 1, 1), (99, 2, 1), (2**63, 2**63, 2)]
)
def test_slices_outside(a: _core.Array, part: tuple[int, int, int]) -> None:
    with pytest.raises(RangeError):
        a.read(np.zeros(2, "<i4"), INT32, (part,))


# ---- buffers ----


@pytest.mark.parametrize("number", [0, INT32])
@pytest.mark.parametrize("kind", ["i1", "<i2", "<i8", "<f8"])
def test_elements_of_another_size(a: _core.Array, number: int, kind: str) -> None:
    """Numbers would be written into halves of larger elements, or over each other."""
    memory = np.full(N, 3, kind)
    for call in (a.read, a.write):
        with pytest.raises(TypeError, match="bytes"):
            call(memory, number)
    with pytest.raises(TypeError, match="bytes"):
        a.append(memory, number, 0)
    assert (memory == 3).all() and a.shape == (N,)
    out = np.zeros(N, "<i4")
    a.read(out, INT32)
    assert (out == DATA).all()


@pytest.mark.parametrize("number", [-1, 64, 99, 2**31 - 1, -(2**31)])
def test_types_that_do_not_exist(a: _core.Array, number: int) -> None:
    out = np.zeros(N, "<i4")
    for call in (a.read, a.write):
        with pytest.raises(InvalidError):
            call(out, number)


def deep(n: int) -> Any:
    made: Any = ctypes.c_int
    for _ in range(n):
        made = made * 1
    return made()


def test_buffers_that_cannot_be(a: _core.Array) -> None:
    view = memoryview(bytearray(4 * N)).cast("i")
    view.release()
    shared = np.lib.stride_tricks.as_strided(np.zeros(1, "<i4"), (N,), (0,))
    frozen = np.zeros(N, "<i4")
    frozen.flags.writeable = False
    calls: list[tuple[object, type[Exception]]] = [
        (view, ValueError),
        (shared, InvalidError),
        (frozen, ValueError),
        (bytes(4 * N), BufferError),
        (bytearray(4 * N), TypeError),
        (np.zeros(N + 1, "<i4"), InvalidError),
        (np.zeros((N, 1), "<i4"), InvalidError),
        (np.zeros(N, object), TypeError),
        (deep(65), ValueError),
        ([0] * N, TypeError),
        (None, TypeError),
    ]
    for buffer, error in calls:
        with pytest.raises(error):
            a.read(buffer, INT32)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", [np.s_[::-1, ::-1], np.s_[:, ::-3], np.s_[::-1, 5:2]])
def test_empty_buffers(h: _core.Hierarchy, key: Any) -> None:
    e = _core.Array.create(h, "/e", shape=(0, 1 << 40), dtype="int8", chunks=(1, 1000))
    memory = np.empty((0, 1 << 40), "i1")[key]
    if memory.shape == e.shape:
        e.read(memory, 2)
        e.write(memory, 2)
    else:
        with pytest.raises(InvalidError):
            e.read(memory, 2)


def test_objects_of_other_types(h: _core.Hierarchy) -> None:
    s = _core.Array.create(h, "/s", shape=(3,), dtype="string", chunks=(2,))
    s.write(np.array(["a", "b", "c"], object), 0)
    for bad in (None, b"x", 5):
        with pytest.raises(TypeError, match="str"):
            s.write(np.array(["x", bad, "y"], object), 0)
    with pytest.raises(UnicodeEncodeError):
        s.write(np.array(["x", "\udc80", "y"], object), 0)
    for memory in (np.zeros(3), np.zeros(3, "U3"), bytearray(24)):
        with pytest.raises(TypeError):
            s.read(memory, 0)
    packed = np.zeros(3, [("byte", "i1"), ("text", "O")])  # not aligned
    s.read(packed["text"], 0)
    assert packed["text"].tolist() == ["a", "b", "c"]


def test_objects_that_change_the_buffer(h: _core.Hierarchy) -> None:
    s = _core.Array.create(h, "/s", shape=(100,), dtype="string", chunks=(10,))
    s.write(np.array([f"{i}" for i in range(100)], object), 0)
    out = np.empty(100, object)

    class Bad:
        def __del__(self) -> None:
            out[:] = None
            gc.collect()

    out[0], out[5] = Bad(), Bad()
    s.read(out, 0)
    assert out[0] is None and out[6:].tolist() == [f"{i}" for i in range(6, 100)]


def test_stored_text_that_is_not_utf8(h: _core.Hierarchy) -> None:
    s = _core.Array.create(h, "/s", shape=(2,), dtype="string", chunks=(2,), codecs='[{"name": "vlen-utf8"}]')
    s.write(np.array(["ab", "cd"], object), 0)
    good = bytes(s.chunk_get((0,)) or b"")
    out = np.array([1, 2], object)
    for bad in (good.replace(b"ab", b"\xff\xfe"), b"", b"\xff" * 4, b"\2\0\0\0\xff\xff\xff\xff"):
        assert bad != good
        s.chunk_put((0,), bad)
        with pytest.raises(zinczarr.errors.CorruptError):
            s.read(out, 0)
        assert out.tolist() == [1, 2]


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"x")
    with open(os.fsencode(tmp_path) + b"/bad\xff", "wb"):
        pass
    store = _core.Store(str(tmp_path))
    assert store.list() == [("good", 1)] and store.list_dir() == ["good"]
    with pytest.raises(UnicodeEncodeError):
        store.get("bad\udcff")


# ---- mappings ----


class NoPairs(dict[str, Any]):
    def items(self) -> Any:
        return [1, 2]


def test_mappings_without_pairs(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="mapping"):
        _core.Store(str(tmp_path), settings=NoPairs())
    with pytest.raises(TypeError, match="mapping"):
        _core.validate(str(tmp_path), NoPairs())


# ---- objects that cannot be made or copied ----


def test_objects_cannot_be_made_otherwise(h: _core.Hierarchy, a: _core.Array, tmp_path: Path) -> None:
    import copy
    import pickle

    store = _core.Store(str(tmp_path / "h.zarr"))
    blob = store.get("zarr.json")
    for thing in (h, a, store, blob):
        kind: Any = type(thing)
        for call in (
            lambda: pickle.dumps(thing),  # noqa: B023
            lambda: copy.copy(thing),  # noqa: B023
            lambda: object.__new__(kind),  # noqa: B023
            lambda: kind(),  # noqa: B023
            lambda: type("Sub", (kind,), {}),  # noqa: B023
        ):
            with pytest.raises(TypeError):
                call()


# ---- keys with functions of their own ----


def test_index_that_resizes(a: _core.Array) -> None:
    class Index:
        def __index__(self) -> int:
            a.resize((5,))
            a.refresh()
            return 3

    assert a.get(slice(Index(), 5), np.empty, "<i4").tolist() == [3, 4]
    with pytest.raises(TypeError):
        a.get(slice(0, 3), lambda shape, dtype: 5, "<i4")
    with pytest.raises(InvalidError):
        a.get(slice(0, 3), lambda shape, dtype: np.empty(7, dtype), "<i4")
    with pytest.raises(TypeError):
        a.get(slice(0, 3), lambda shape, dtype: np.empty(shape, "<i8"), "<i4")


# ---- callbacks ----


class Stop(Exception):
    pass


def test_progress_uses_the_library(a: _core.Array) -> None:
    depth = 0

    def progress(done: int, units: int, nbytes: int) -> None:
        nonlocal depth
        if depth < 2:
            depth += 1
            inner = np.zeros(N, "<i4")
            a.read(inner, INT32, progress=progress if depth == 1 else None)
            a.refresh()
            _core.trim()
            assert (inner == DATA).all()
            depth -= 1

    out = np.zeros(N, "<i4")
    a.read(out, INT32, progress=progress)
    assert (out == DATA).all()


def test_trim_does_not_wait_for_progress(a: _core.Array) -> None:
    def progress(done: int, units: int, nbytes: int) -> None:
        time.sleep(0.001)

    with meanwhile(_core.trim):
        out = np.zeros(N, "<i4")
        a.read(out, INT32, progress=progress)
    assert (out == DATA).all()


def test_callbacks_that_raise(h: _core.Hierarchy, a: _core.Array, tmp_path: Path) -> None:
    calls = 0

    def bad(*args: object) -> None:
        nonlocal calls
        calls += 1
        raise Stop(calls)

    class NoTruth:
        def __bool__(self) -> bool:
            raise Stop("no truth")

    out, url = np.zeros(N, "<i4"), str(tmp_path / "h.zarr")
    for call in (
        lambda: a.read(out, INT32, progress=bad, threads=4),
        lambda: a.read(out, INT32, progress=lambda *n: NoTruth()),
        lambda: a.write(DATA, INT32, progress=bad, threads=4),
        lambda: a.stats(progress=bad),
        lambda: _core.copy(url, url + "2", {}, progress=bad),
        lambda: _core.copy(url, url + "3", {}, note=bad),
        lambda: _core.validate(url, {}, progress=bad),
        lambda: _core.diff(h, "/x", h, "/x", {}, progress=bad),
        lambda: h.consolidate("/", progress=bad),
    ):
        with pytest.raises(Stop):
            call()
    with pytest.raises(TypeError):
        a.read(out, INT32, progress=5)  # type: ignore[arg-type]
    with pytest.raises(CancelledError):
        a.read(out, INT32, progress=lambda *n: True)
    a.read(out, INT32)
    assert (out == DATA).all()


# ---- warnings that are errors: what the call made is freed ----


def test_warning_as_error_leaves_nothing(tmp_path: Path) -> None:
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "https://codec.example/none", "must_understand": False},
        ],
        "attributes": {},
    }
    root = tmp_path / "w.zarr"
    (root / "a").mkdir(parents=True)
    (root / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (root / "a" / "zarr.json").write_text(json.dumps(document))
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (tmp_path / "two" / ".zgroup").write_text('{"zarr_format": 2}')
    good = _core.Hierarchy(str(root))

    def expect(call: Callable[[], object]) -> Callable[[], None]:
        def checked() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with pytest.raises(ZincWarning):
                    call()

        return checked

    text = json.dumps(document)
    assert grows(expect(lambda: _core.Array.open(good, "/a"))) == ""
    assert grows(expect(lambda: _core.Array.from_document(good, "/a", text))) == ""
    assert grows(expect(lambda: _core.Hierarchy(str(tmp_path / "two")))) == ""


# ---- signals ----


@pytest.mark.parametrize("new", ["SIG_DFL", "SIG_IGN", "None"])
def test_handler_that_a_callback_sets(a: _core.Array, tmp_path: Path, new: str) -> None:
    """It stays: the end of the call does not bring the old one back."""
    program = f"""
        new = {"lambda *n: print('called', flush=True)" if new == "None" else "signal." + new}
        a.read(np.zeros(shape, "<i4"), 4, progress=lambda *n: signal.signal(signal.SIGINT, new) and None, threads=1)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        print("alive")
    """
    done = run(program, str(tmp_path / "h.zarr"))
    expected = {"SIG_DFL": (-signal.SIGINT, ""), "SIG_IGN": (0, "alive\n"), "None": (0, "called\nalive\n")}[new]
    assert (done.returncode, done.stdout) == expected, done.stderr


def test_handler_is_the_programs_after_calls(a: _core.Array) -> None:
    before = signal.getsignal(signal.SIGINT)
    calls: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: calls.append(number))
    try:
        out = np.zeros(N, "<i4")

        def interrupt(done: int, units: int, nbytes: int) -> None:
            if not calls:
                os.kill(os.getpid(), signal.SIGINT)

        a.read(out, INT32, progress=interrupt, threads=1)  # repeated: the handler does not raise
        assert calls and (out == DATA).all()
    finally:
        signal.signal(signal.SIGINT, before)
    with pytest.raises(KeyboardInterrupt):
        a.read(out, INT32, progress=lambda *n: os.kill(os.getpid(), signal.SIGINT), threads=1)


# ---- fork, and the end of the program ----


def test_fork_in_a_callback_of_a_thread(a: _core.Array, tmp_path: Path) -> None:
    program = """
        pid = 0
        def progress(*n):
            global pid
            pid = pid or os.fork() or -1
        def work():
            for _ in range(3):
                out = np.full(shape, -1, "<i4")
                a.read(out, 4, progress=progress, threads=1)
                assert (out == np.arange(len(out))).all()
                a.read(out, 4)  # with a share of the threads of all calls
            if pid == -1:
                signal.alarm(0)
                os._exit(7)
        signal.alarm(60)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """
    done = run(program, str(tmp_path / "h.zarr"))
    assert (done.returncode, done.stdout) == (0, "7\n"), done.stderr


def test_fork_while_others_read(h: _core.Hierarchy, tmp_path: Path) -> None:
    n = 1 << 18
    b = _core.Array.create(h, "/x", shape=(n,), dtype="int32", chunks=(n >> 6,))
    b.write(np.arange(n, dtype="<i4"), INT32)
    program = """
        stop = False
        def work():
            out = np.zeros(shape, "<i4")
            while not stop:
                a.read(out, 4)
        threads = [threading.Thread(target=work) for _ in range(2)]
        for t in threads:
            t.start()
        codes = []
        for _ in range(5):
            pid = os.fork()
            if pid == 0:
                signal.alarm(60)
                out = np.zeros(shape, "<i4")
                a.read(out, 4)
                os._exit(0 if (out == np.arange(len(out))).all() else 3)
            codes.append(os.waitpid(pid, 0)[1])
        stop = True
        for t in threads:
            t.join()
        print(codes)
    """
    done = run(program, str(tmp_path / "h.zarr"))
    assert (done.returncode, done.stdout) == (0, "[0, 0, 0, 0, 0]\n"), done.stderr


@races
@pytest.mark.parametrize("progress", [False, True])
def test_end_of_the_program_with_daemons(h: _core.Hierarchy, tmp_path: Path, progress: bool) -> None:
    """Daemons that read when the program ends, which Python does not wait for."""
    n = 1 << 22
    b = _core.Array.create(h, "/x", shape=(n,), dtype="int32", chunks=(n >> 10,))
    b.write(np.arange(n, dtype="<i4"), INT32)
    program = f"""
        out = np.zeros(shape, "<i4")
        def work():
            while True:
                a.read(out, 4, progress={"(lambda *n: None)" if progress else None}, threads=2)
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        print("end", flush=True)
    """
    for _ in range(3):
        done = run(program, str(tmp_path / "h.zarr"))
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
