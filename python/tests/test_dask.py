"""dask: reading by blocks, and writing without alignment or locks."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

import zinczarr  # noqa: E402
from zinczarr._dask import Task, shard_aligned_chunks, to_dask  # noqa: E402

VALUES = np.arange(1.0, 1601.0).reshape(40, 40)
GRIDS = {"chunks": {"chunks": (16, 16)}, "shards": {"chunks": (4, 4), "shards": (16, 16)}}


def create(path, grid="chunks", **options):
    return zinczarr.create_array(
        str(path), shape=VALUES.shape, dtype="f8", fill_value=-1, relaxed=True, **GRIDS[grid], **options
    )


# ---- reading ----


@pytest.mark.parametrize("grid", GRIDS)
def test_to_dask(tmp_path, grid):
    a = create(tmp_path / "a", grid)
    a[...] = VALUES
    d = a.to_dask()
    assert d.chunks == ((16, 16, 8), (16, 16, 8)) and d.dtype == a.dtype
    assert (d.compute() == VALUES).all()
    assert float(d[3:30:2, ::-1].sum().compute()) == VALUES[3:30:2, ::-1].sum()
    assert (d.vindex[[1, 2], [3, 4]].compute() == VALUES[[1, 2], [3, 4]]).all()
    assert to_dask(a, chunks=(7, 40)).chunks == ((7,) * 5 + (5,), (40,))
    assert to_dask(a, chunks="64 MiB").chunks == ((40,), (40,))


def test_names_follow_the_array(tmp_path):
    a, b = create(tmp_path / "a"), create(tmp_path / "b")
    assert a.to_dask().name == zinczarr.open_array(str(tmp_path / "a"), relaxed=True).to_dask().name
    assert a.to_dask().name != b.to_dask().name
    assert a.to_dask(name="mine").name == "mine"
    before = a.to_dask().name
    a.resize((50, 40))
    assert a.to_dask().name != before


@pytest.mark.parametrize("kind", ["f4", "M8[s]", "U3", "S2", "c16", "?", "string"])
def test_types(tmp_path, kind):
    source = np.array(["2000-01-01", "NaT"], "M8[s]") if kind == "M8[s]" else np.array([1, 0]).astype("U1" if kind == "string" else kind)
    a = zinczarr.create_array(str(tmp_path / "a"), shape=(2,), dtype=kind, chunks=(1,))
    a[...] = source
    d = a.to_dask()
    assert d.dtype == a.dtype
    seen = d.compute()
    assert seen.dtype == a.dtype
    np.testing.assert_array_equal(seen, a[...])


def test_small_shapes(tmp_path):
    zero = zinczarr.create_array(str(tmp_path / "zero"), shape=(), dtype="i4", fill_value=7)
    assert zero.to_dask().compute() == 7 and shard_aligned_chunks(zero) == ()
    empty = zinczarr.create_array(str(tmp_path / "empty"), shape=(0, 3), dtype="i4", chunks=(2, 2))
    assert empty.to_dask().compute().shape == (0, 3)
    assert shard_aligned_chunks(empty) == ((0,), (3,))


def test_shard_aligned_chunks(tmp_path):
    a = zinczarr.create_array(str(tmp_path / "a"), shape=(100, 70, 33), dtype="f4", chunks=(5, 5, 5), shards=(20, 20, 10))
    one = 20 * 20 * 10 * 4
    assert shard_aligned_chunks(a, 1) == ((20,) * 5, (20, 20, 20, 10), (10, 10, 10, 3))
    assert shard_aligned_chunks(a, 2 * one) == ((20,) * 5, (20, 20, 20, 10), (20, 13))
    assert shard_aligned_chunks(a, 20 * 40 * 33 * 4) == ((20,) * 5, (40, 30), (33,))
    assert shard_aligned_chunks(a, "1 GiB") == shard_aligned_chunks(a) == ((100,), (70,), (33,))
    for target in (1, 3 * one, 10**6, 10**9):
        for edge, n, chunks in zip((20, 20, 10), a.shape, shard_aligned_chunks(a, target), strict=True):
            assert sum(chunks) == n
            assert all(start % edge == 0 for start in np.cumsum((0,) + chunks)[:-1])


def test_shard_aligned_chunks_of_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    a = zarr.create_array(tmp_path / "a", shape=(100, 70), dtype="f4", chunks=(5, 5), shards=(20, 20))
    assert shard_aligned_chunks(a, 1) == ((20,) * 5, (20, 20, 20, 10))


def test_a_worker_survives_an_array_that_is_not_there(tmp_path):
    """A task is received, its error comes when it runs: dask ends workers that cannot read what they receive."""
    a = zinczarr.create_array(tmp_path / "a", data=np.arange(6), chunks=2)
    task = Task(a)
    sent = pickle.dumps(pickle.loads(pickle.dumps(task)))
    assert pickle.loads(sent)[1:3].tolist() == [1, 2]
    shutil.rmtree(tmp_path / "a")
    received = pickle.loads(sent)
    assert (received.shape, received.dtype, received.ndim) == ((6,), a.dtype, 1)
    with pytest.raises(zinczarr.errors.NotFoundError, match="a"):
        received[0]


def test_pickle(tmp_path):
    a = create(tmp_path / "a")
    a[...] = VALUES
    d = pickle.loads(pickle.dumps(a.to_dask()))
    assert (d.compute() == VALUES).all()


# ---- writing: no block fits a stored object, and several tasks change the same one ----


def blocks():
    return da.from_array(VALUES, chunks=(7, 3))


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
@pytest.mark.parametrize("grid", GRIDS)
def test_store_unaligned(tmp_path, scheduler, grid):
    a = create(tmp_path / "a", grid)
    with dask.config.set(scheduler=scheduler, num_workers=4):
        da.store(blocks(), a, lock=False)
    assert (a[...] == VALUES).all()


@pytest.mark.parametrize("grid", GRIDS)
def test_store_regions(tmp_path, grid):
    a = create(tmp_path / "a", grid)
    parts = [(slice(i, i + 13), slice(j, j + 11)) for i in range(0, 40, 13) for j in range(0, 40, 11)]
    sources = [da.from_array(VALUES[p], chunks=(5, 4)) for p in parts]
    with dask.config.set(scheduler="threads", num_workers=4):
        da.store(sources, [a] * len(parts), regions=parts, lock=False)
    assert (a[...] == VALUES).all()


@pytest.mark.parametrize("grid", GRIDS)
def test_distributed(tmp_path, grid):
    """Several workers on loopback: unaligned blocks, then appends, then reading."""
    distributed = pytest.importorskip("distributed")
    a = create(tmp_path / "a", grid)
    log = zinczarr.create_array(str(tmp_path / "log"), shape=(0,), dtype="i8", chunks=(16,), relaxed=True)
    with (
        distributed.LocalCluster(n_workers=3, threads_per_worker=2, dashboard_address=None, host="127.0.0.1") as cluster,
        distributed.Client(cluster) as client,
    ):
        da.store(blocks(), a, lock=False)
        client.gather(client.map(append, [log] * 30, range(30), pure=False))
        assert (a.to_dask().compute() == VALUES).all()
    assert (a[...] == VALUES).all()
    assert sorted(log.refresh()[...]) == list(range(300))


def append(log, i):
    log.append(np.arange(10 * i, 10 * i + 10))


def test_pipeline_of_zarr(tmp_path):
    """The same through zarr-python: da.store into zarr.Array, and to_zarr of xarray by regions."""
    zarr = pytest.importorskip("zarr")
    pytest.importorskip("zinczarr.zarr_pipeline")
    for grid, options in GRIDS.items():
        path = tmp_path / grid
        with zarr.config.set({"codec_pipeline.path": "zinczarr.ZincCodecPipeline"}):
            a = zarr.create_array(path, shape=VALUES.shape, dtype="f8", fill_value=-1, **options)
            with dask.config.set(scheduler="threads", num_workers=4):
                da.store(blocks(), a, lock=False)
        assert (zarr.open_array(path)[...] == VALUES).all()


def test_nothing_is_lost(tmp_path):
    """The table of lost elements in short: all its cases once, with both of ours."""
    pytest.importorskip("zarr")
    pytest.importorskip("zinczarr.zarr_pipeline")
    program = Path(__file__).resolve().parents[2] / "bench/python/lost.py"
    source = Path(zinczarr.__file__).resolve().parents[1]
    environment = os.environ | {"LOST_RUNS": "1", "LOST_ONLY": "^zinc", "LOST_SHORT": "1", "BENCH_OUT": str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join([str(source), environment.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((tmp_path / "python-lost.json").read_text())
    assert len(rows) >= 8 and all(r["lost"] == 0 for r in rows if r["counts"])
