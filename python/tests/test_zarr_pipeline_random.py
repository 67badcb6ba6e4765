"""Arrays, selections and element types of zarr-python's own strategies, through our codec pipeline."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", reason="zarr-python 3.4 needs Python 3.12")

import zarr.testing.strategies as zst  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from zinczarr.zarr_pipeline import counts  # noqa: E402
from zinczarr.zarr_store import ZincStore  # noqa: E402

OURS, DEFAULT = "zinczarr.ZincCodecPipeline", "zarr.core.codec_pipeline.BatchedCodecPipeline"
EXAMPLES = 1000 if os.environ.get("ZINC_LONG") else 60
_number = itertools.count()

stores = st.builds(lambda _: ZincStore(f"memory://random-{os.getpid()}-{next(_number)}"), st.integers())
many = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True, scope="module")
def pipeline() -> Iterator[None]:
    with zarr.config.set({"codec_pipeline.path": OURS}):
        yield


def by_default(array: Any) -> Any:
    with zarr.config.set({"codec_pipeline.path": DEFAULT}):
        return zarr.open_array(array.store, path=array.path, mode="r")[...]


def assert_same(a: Any, b: Any) -> None:
    np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@many
@given(data=st.data())
def round_trip(data: st.DataObject) -> None:
    x = data.draw(zst.numpy_arrays())
    a = data.draw(zst.arrays(arrays=st.just(x), stores=stores))
    assert_same(a[...], x)
    assert_same(by_default(a), x)


def test_round_trip() -> None:
    """Most of it is done by libzinc; a general write of shards counts their chunks, too."""
    counts.clear()
    round_trip()
    assert counts["read"] > counts["general read"] and counts["write"] > 0


@many
@given(data=st.data())
def test_basic(data: st.DataObject) -> None:
    a = data.draw(zst.arrays(shapes=zst.array_shapes, stores=stores))
    x = a[...]
    key = data.draw(zst.basic_indices(shape=x.shape))
    assert_same(a[key], x[key])
    value = data.draw(zst.numpy_arrays(shapes=st.just(np.shape(x[key])), dtype=x.dtype))
    a[key] = value
    x[key] = value
    assert_same(a[...], x)
    assert_same(by_default(a), x)


@many
@given(data=st.data())
def test_orthogonal(data: st.DataObject) -> None:
    a = data.draw(zst.arrays(stores=stores))
    x = a[...]
    if x.ndim == 0 or 0 in x.shape:
        return
    key, numpy_key = data.draw(zst.orthogonal_indices(shape=x.shape))
    assert_same(a.oindex[key], x[numpy_key])
    value = data.draw(zst.numpy_arrays(shapes=st.just(x[numpy_key].shape), dtype=x.dtype))
    if not _repeats(key):
        a.oindex[key] = value
        x[numpy_key] = value
        assert_same(a[...], x)
        assert_same(by_default(a), x)


@many
@given(data=st.data())
def test_points(data: st.DataObject) -> None:
    a = data.draw(zst.arrays(shapes=zst.npst.array_shapes(max_dims=3, min_side=1, max_side=7), stores=stores))
    x = a[...]
    n = data.draw(st.integers(1, 12))
    key = tuple(np.array(data.draw(st.lists(st.integers(0, s - 1), min_size=n, max_size=n))) for s in x.shape)
    assert_same(a.vindex[key], x[key])
    a.vindex[key] = x.flat[0]
    x[key] = x.flat[0]
    assert_same(a[...], x)
    assert_same(by_default(a), x)


@many
@given(data=st.data())
def test_writes_on_writes(data: st.DataObject) -> None:
    a = data.draw(zst.arrays(shapes=zst.npst.array_shapes(max_dims=3, min_side=2, max_side=9), stores=stores))
    x = a[...]
    for _ in range(2):
        key = data.draw(zst.basic_indices(shape=x.shape, allow_ellipsis=False))
        value = data.draw(zst.numpy_arrays(shapes=st.just(np.shape(x[key])), dtype=x.dtype))
        a[key] = value
        x[key] = value
    assert_same(a[...], x)
    assert_same(by_default(a), x)


def _repeats(key: Any) -> bool:
    lists = [np.asarray(k) for k in key if isinstance(k, np.ndarray | list)]
    return any(k.dtype.kind in "iu" and len(np.unique(k)) < len(k) for k in lists)
