"""Array as an object: its properties, its shape, pickling, threads, processes, signals, errors."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arrays import create, put, reopen

import zinczarr
from zinczarr import _core, errors
from zinczarr._array import Array
from zinczarr._place import Place


def numbers(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return str(tmp_path / "a.zarr")


# ---- properties ----


def test_properties(url: str) -> None:
    a = put(numbers((7, 10)), url=url, chunks=(2, 3), shards=(4, 6), dimension_names=["y", None], fill="5")
    assert (a.shape, a.ndim, a.size, a.itemsize, a.nbytes) == ((7, 10), 2, 70, 4, 280)
    assert (a.chunks, a.shards, a.cdata_shape, a.nchunks) == ((2, 3), (4, 6), (4, 4), 16)
    assert a.write_chunk_sizes == ((4, 3), (6, 4)) and a.read_chunk_sizes == ((2, 2, 2, 1), (3, 3, 3, 1))
    assert a.nchunks_initialized == 16
    assert (a.path, a.name, a.basename, a.order) == ("", "/", "", "C")
    assert a.metadata.dimension_names == ("y", None) == a.dimension_names
    assert a.metadata["data_type"] == "int32" and a.metadata.shape == (7, 10) and a.metadata.zarr_format == 3
    assert a.fill_value == 5 and a.read_only is False and a.url == url
    assert repr(a) == f"<Array {url} / shape=(7, 10) dtype=int32>"
    stored = sum(f.stat().st_size for f in Path(url).rglob("*") if f.is_file() and f.name[0] != ".")
    assert a.nbytes_stored() == stored
    with pytest.raises(AttributeError):
        a.metadata.nothing  # noqa: B018


def test_paths(url: str) -> None:
    h = _core.Hierarchy(url, create=True)
    core = _core.Array.create(h, "/g/deep/x", shape=(2,), dtype="int8")
    a = Array(core, Place(url, "/g/deep/x", {}))
    assert (a.path, a.name, a.basename) == ("g/deep/x", "/g/deep/x", "x")


def test_fortran_order() -> None:
    data = numbers((4, 5))
    a = put(data, format="v2", chunks=(2, 2), fortran=True)
    assert a.order == "F" and a[...].flags.f_contiguous
    np.testing.assert_array_equal(a[...], data)
    np.testing.assert_array_equal(a[1:3, [0, 4]], data[1:3, [0, 4]])
    b = put(data, chunks=(2, 2), fortran=True)  # in v3 a codec, of which memory knows nothing
    assert b.order == "C" and b[...].flags.c_contiguous
    np.testing.assert_array_equal(b[...], data)


def test_python_protocols() -> None:
    data = numbers((5, 3))
    a = put(data, chunks=(2, 2))
    np.testing.assert_array_equal(np.asarray(a), data)
    assert np.asarray(a, dtype="f8").dtype == np.float64
    with pytest.raises(ValueError, match="copy"):
        np.array(a, copy=False)
    assert len(a) == 5
    np.testing.assert_array_equal(np.stack(list(a)), data)
    np.testing.assert_array_equal(np.from_dlpack(a), data)
    assert a.__dlpack_device__() == (1, 0)
    one = put(np.array(7), chunks=())
    assert int(one) == 7 and float(one) == 7.0 and complex(one) == 7 and bool(one) and [0] * 8 == [0] * 8
    assert list(range(10))[one] == 7  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        len(one)
    with pytest.raises(TypeError):
        iter(one).__next__()
    with pytest.raises(TypeError):
        int(a)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a)
    b = put(np.zeros((5, 3)), chunks=(2, 2))
    b[...] = a  # an array of ours as the value
    np.testing.assert_array_equal(b[...], data)


# ---- the shape ----


def test_append(url: str) -> None:
    a = put(numbers((3, 4)), url=url, chunks=(2, 3))
    assert a.append(np.full((2, 4), 9)) == (5, 4)
    assert a.append(np.full((5, 1), 8.0, "f4"), axis=-1) == (5, 5)
    expected = np.vstack([numbers((3, 4)), np.full((2, 4), 9)])
    np.testing.assert_array_equal(a[...], np.hstack([expected, np.full((5, 1), 8)]))
    assert a.append(np.zeros((0, 5), "i4")) == (5, 5)
    for bad, axis, error in [
        (np.zeros((2, 4)), 0, ValueError),
        (np.zeros(5), 0, ValueError),
        (np.zeros((2, 5)), 2, IndexError),
    ]:
        with pytest.raises(error):
            a.append(bad, axis)
    assert reopen(a).shape == (5, 5)
    texts = create((0,), "string", chunks=(3,))
    assert texts.append(["a", "b"]) == (2,) and texts.append(["c"]) == (3,)
    assert texts[...].tolist() == ["a", "b", "c"]


def test_resize_and_refresh(url: str) -> None:
    a = put(numbers((4, 4)), url=url, chunks=(2, 2), fill="-1")
    other = reopen(a)
    a.resize((6, 3))
    assert a.shape == (6, 3) and other.shape == (4, 4)
    assert other.refresh() is other and other.shape == (6, 3)
    np.testing.assert_array_equal(a[4:], np.full((2, 3), -1))
    a.resize((6, 2))
    a.resize((6, 4))
    np.testing.assert_array_equal(a[:, 2:], np.full((6, 2), -1))  # of chunks that lay outside
    a.shape = (1, 1)
    assert a[...].tolist() == [[0]]
    one = put(numbers((4,)), chunks=(2,))
    one.resize(2)
    assert one[...].tolist() == [0, 1]
    for bad in [(1,), (1, 2, 3), (-1, 2), (1.5, 2), "ab"]:
        with pytest.raises((ValueError, TypeError, OverflowError)):
            a.resize(bad)
    assert a.shape == (1, 1)


def _append(url: str, n: int) -> None:
    a = reopen_url(url)
    for i in range(n):
        a.append(np.full(5, os.getpid(), "i8") * 100 + i)


def reopen_url(url: str, **options: Any) -> Array:
    place = Place(url, "/", options)
    return Array(_core.Array.open(place.hierarchy(), "/"), place)


def test_appends_of_processes_keep_everything(url: str) -> None:
    create((0,), "int64", url=url, chunks=(7,))
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_append, args=(url, 8)) for _ in range(3)]
    for p in others:
        p.start()
    for p in others:
        p.join(120)
        assert p.exitcode == 0
    found = reopen_url(url)[...].reshape(-1, 5)
    assert len(found) == 24 and (found == found[:, :1]).all()  # whole ranges, none mixed
    assert len(np.unique(found[:, 0])) == 24


# ---- pickling, copying, comparing ----


def test_pickle(url: str) -> None:
    a = put(numbers((4, 4)), url=url, chunks=(2, 2))
    b = pickle.loads(pickle.dumps(a))
    assert b == a and hash(b) == hash(a) and b.place.options == a.place.options
    np.testing.assert_array_equal(b[...], a[...])
    assert len(pickle.dumps(a)) < 1000
    c, d = copy.copy(a), copy.deepcopy(a)
    assert c == a == d
    c[0, 0] = 99
    assert b[0, 0] == 99
    locked = pickle.loads(pickle.dumps(reopen_url(url, read_only=True)))
    assert locked.read_only
    with pytest.raises(errors.ReadOnlyError):
        locked[0] = 1
    from_store = Array(a._core, Place(_core.Store(url), "/", {}))
    with pytest.raises(TypeError, match="URL"):
        pickle.dumps(from_store)
    assert a != put(numbers((4, 4)), chunks=(2, 2)) and a != 1


def test_pickle_of_an_array_by_its_document(url: str) -> None:
    a = put(numbers((4,)), url=url, chunks=(2,))
    h = a.place.hierarchy()
    document = h.document("/").replace('"shape": [4]', '"shape": [6]').replace('"shape":[4]', '"shape":[6]')
    b = Array(_core.Array.from_document(h, "/", document), a.place, document=document)
    again = pickle.loads(pickle.dumps(b))
    assert again.shape == b.shape
    np.testing.assert_array_equal(again[...], b[...])


def test_equal_however_opened(url: str) -> None:
    a = put(numbers((4,)), url=url, chunks=(2,))
    for b in (zinczarr.open_array(a.url, mode="r"), zinczarr.open_array(a.url, format=a.metadata["format"])):
        assert a == b and hash(a) == hash(b) and a.__dask_tokenize__() == b.__dask_tokenize__()
    b.resize((5,))
    assert a != b


def test_dask_token(url: str) -> None:
    a = put(numbers((4,)), url=url, chunks=(2,))
    assert a.__dask_tokenize__() == reopen(a).__dask_tokenize__()
    assert a.__dask_tokenize__() != put(numbers((4,)), chunks=(2,)).__dask_tokenize__()
    before = a.__dask_tokenize__()
    a.resize((5,))
    assert a.__dask_tokenize__() != before


# ---- threads and processes ----


def test_threads_share_a_handle(url: str) -> None:
    a = create((40, 40), "int32", url=url, chunks=(16, 16))
    expected = numbers((40, 40))

    def write(i: int) -> None:
        a[i] = expected[i]
        np.testing.assert_array_equal(a[i], expected[i])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))
    np.testing.assert_array_equal(a[...], expected)


def test_threads_of_a_call() -> None:
    before = _core.threads()
    assert before >= 1
    try:
        assert _core.threads(3) == 3 and _core.threads() == 3
        a = put(numbers((50, 50)), chunks=(5, 5))
        np.testing.assert_array_equal(a.read(..., threads=1), numbers((50, 50)))
        np.testing.assert_array_equal(a.read(..., threads=7), numbers((50, 50)))
    finally:
        _core.threads(before)


def test_the_gil_is_released(url: str) -> None:
    """With the GIL held another thread would run once after each read; without, it runs all the time."""
    a = create((128, 1 << 14), "float64", url=url, chunks=(1, 1 << 14), codecs="gzip:1")
    a[...] = np.random.default_rng(0).random((128, 1 << 14))
    ticks, reads = 0, 5
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    other = threading.Thread(target=count)
    other.start()
    for _ in range(reads):
        a.read(...)
    done.set()
    other.join()
    assert ticks > 4 * reads


def test_memory_is_held_while_in_use() -> None:
    a = create((1000,), "string", chunks=(10,))
    values = np.array([f"text {i}" * 20 for i in range(1000)], object)
    stop = threading.Event()

    def disturb() -> None:
        i = 0
        while not stop.is_set():
            values[i % 1000] = f"other {i}" * 20
            i += 1

    other = threading.Thread(target=disturb)
    other.start()
    try:
        for _ in range(10):
            a[...] = values
    finally:
        stop.set()
        other.join()
    assert all(t.startswith(("text", "other")) for t in a[...])
    out = bytearray(b"\0" * 80)
    view = np.frombuffer(out, "i4")
    put(numbers((20,)), chunks=(5,)).read(..., out=view)
    with pytest.raises(BufferError):
        out.append(1)  # the view holds it; without it this would move the memory
    assert view.tolist() == list(range(20))


def _child(a: Array, queue: Any) -> None:
    a[10:20] = 7
    queue.put(a[...].tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python's, on fork with threads
def test_fork(url: str) -> None:
    a = put(numbers((100,)), url=url, chunks=(3,))
    np.testing.assert_array_equal(a[...], numbers((100,)))  # starts threads
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_child, args=(a, queue))
    child.start()
    found = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    expected = numbers((100,))
    expected[10:20] = 7
    assert found == expected.tolist()
    np.testing.assert_array_equal(a[...], expected)


# ---- Ctrl-C ----

# Reads again and again what takes long, says when it begins, and what ended it.
SLOW = """
import signal, sys, time
import numpy as np
from zinczarr import _core
from zinczarr._array import Array
from zinczarr._place import Place

url, how = sys.argv[1:]
h = _core.Hierarchy(url)
a = Array(_core.Array.open(h, "/"), Place(url, "/", {}))
seen = []
if how == "quiet":
    signal.signal(signal.SIGINT, lambda *_: seen.append(1))
print("ready", flush=True)
try:
    if how == "quiet":
        while not seen:
            total = int(a.read(..., threads=1)[:, 0].sum())
        print("right" if total == sum(range(a.shape[0])) else "wrong", flush=True)
    else:
        while True:
            a.read(..., threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("how", ["raise", "quiet"])
def test_interrupt(url: str, how: str) -> None:
    n = 200
    a = create((n, 1 << 16), "int64", url=url, chunks=(1, 1 << 16))
    a[...] = np.arange(n)[:, None]
    source = os.path.dirname(os.path.dirname(os.path.abspath(sys.modules["zinczarr"].__file__ or "")))
    environment = {**os.environ, "PYTHONPATH": source}
    run = subprocess.Popen([sys.executable, "-c", SLOW, url, how], stdout=subprocess.PIPE, text=True, env=environment)
    assert run.stdout is not None
    try:
        assert run.stdout.readline() == "ready\n"
        time.sleep(0.3)
        sent = time.monotonic()
        run.send_signal(signal.SIGINT)
        said = run.stdout.readline()
        assert said == ("interrupted\n" if how == "raise" else "right\n")
        if how == "raise":
            assert time.monotonic() - sent < 5  # a whole read takes longer on a loaded machine
        assert run.wait(60) == 0
    finally:
        run.kill()
        run.wait()


def test_progress_can_cancel_and_raise() -> None:
    a = put(numbers((50,)), chunks=(1,))
    calls: list[tuple[int, int, int]] = []

    def stop(done: int, total: int, nbytes: int) -> bool:
        calls.append((done, total, nbytes))
        return done >= 3

    with pytest.raises(errors.CancelledError):
        a.read(..., progress=stop)
    assert calls and calls[-1][1] == 50

    def fail(done: int, total: int, nbytes: int) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        a.read(..., progress=fail)
    with pytest.raises(LookupError, match="mine"):
        a.write(numbers((50,)), progress=fail)


# ---- errors ----


def test_errors_say_where(url: str) -> None:
    a = put(numbers((4, 4)), url=url, chunks=(2, 2))
    chunk = Path(url) / "c/1/0"
    raw = bytearray(chunk.read_bytes())
    raw[-1] ^= 1
    chunk.write_bytes(raw)
    with pytest.raises(errors.ChecksumError) as caught:
        a[...]
    e = caught.value
    assert e.status == "E_CHECKSUM" and e.chunk == "1,0" and e.key.endswith("c/1/0") and e.codec == "crc32c"
    assert str(e) and e.text in str(e)
    assert isinstance(e, errors.CorruptError) and isinstance(e, errors.ZincError)
    again = pickle.loads(pickle.dumps(e))
    assert type(again) is type(e) and again.__dict__ == e.__dict__ and str(again) == str(e)
    np.testing.assert_array_equal(a[:2], numbers((4, 4))[:2])


def test_classes_of_errors(url: str, tmp_path: Path) -> None:
    with pytest.raises(errors.NotFoundError) as missing:
        reopen_url(str(tmp_path / "nothing.zarr"))
    assert isinstance(missing.value, FileNotFoundError) and isinstance(missing.value, KeyError)
    put(numbers((4, 4)), url=url, chunks=(2, 2))
    with pytest.raises(errors.ExistsError):
        create((1,), "int8", url=url)
    with pytest.raises(errors.InvalidError) as invalid:
        create((1,), "no such type")
    assert invalid.value.rule == "dtype" and isinstance(invalid.value, ValueError)
    locked = reopen_url(url, read_only=True)
    for change in (
        lambda: locked.__setitem__(0, 1),
        lambda: locked.resize((5, 5)),
        lambda: locked.append(numbers((1, 4))),
    ):
        with pytest.raises(errors.ReadOnlyError) as refused:
            change()
        assert isinstance(refused.value, PermissionError)
    (Path(url) / "zarr.json").write_text("{")
    with pytest.raises(errors.CorruptError) as corrupt:
        reopen_url(url)
    assert corrupt.value.key.endswith("zarr.json")


def test_every_class_pickles() -> None:
    for name in dir(errors):
        kind = getattr(errors, name)
        if isinstance(kind, type) and issubclass(kind, errors.ZincError):
            e = kind("a line")
            e.__dict__.update(url="u", key="k", chunk="1,2", codec="c", rule="M1")
            again = pickle.loads(pickle.dumps(e))
            assert type(again) is kind and str(again) == "a line" and again.chunk == "1,2"
