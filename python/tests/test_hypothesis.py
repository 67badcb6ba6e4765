"""Random arrays of zarr-python's own strategies: each side reads what the other wrote."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from typing import Any

import hypothesis.extra.numpy as npst
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

zarr = pytest.importorskip("zarr", minversion="3.4", reason="zarr-python 3.4 needs Python 3.12 or later")

import zarr.testing.strategies as zst
from zarr.core.buffer import cpu
from zarr.core.metadata.v3 import RegularChunkGridMetadata
from zarr.storage import MemoryStore

from zinczarr import _core
from zinczarr._array import Array
from zinczarr._errors import UnsupportedError
from zinczarr._place import Place

quick = settings(
    max_examples=1000 if os.environ.get("ZINC_LONG") else 30, deadline=None, suppress_health_check=list(HealthCheck)
)
pytestmark = [
    pytest.mark.filterwarnings("ignore::zarr.errors.ZarrUserWarning"),
    pytest.mark.filterwarnings("ignore::zarr.core.dtype.common.UnstableSpecificationWarning"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # NumPy on NaN and overflow
]
_count = itertools.count()


@pytest.fixture(autouse=True)
def rectilinear() -> Iterator[None]:
    with zarr.config.set({"array.rectilinear_chunks": True}):
        yield


def ours(theirs: Any) -> Array:
    """The same keys in a store of ours, and the array in it."""
    store = _core.Store(f"memory://hypothesis-{next(_count)}")
    for key, value in theirs.store._store_dict.items():
        store.put(key, value.to_bytes())
    return opened(store, theirs.path)


def opened(store: _core.Store, path: str) -> Array:
    h = _core.Hierarchy(store, climb=False)
    place = Place(store, "/" + path, {}).attach(h)
    return Array(_core.Array.open(h, place.path), place)


def theirs_of(array: Array) -> Any:
    """Our keys in a store of zarr-python, and the array in it."""
    store = array.place.hierarchy().store
    keys = {key: cpu.Buffer.from_bytes(bytes(store.get(key) or b"")) for key, _ in store.list()}
    return zarr.open_array(MemoryStore(keys), path=array.path, mode="r")


def same(a: Any, b: Any) -> None:
    """Equal to the last bit, NaN too."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape == () and a.dtype.kind in "SU":  # a scalar of NumPy has no zeros at its end
        a, b = a.astype(np.promote_types(a.dtype, b.dtype)), b.astype(np.promote_types(a.dtype, b.dtype))
    assert a.dtype == b.dtype and a.shape == b.shape
    if a.dtype.kind in "OT":
        assert a.tolist() == b.tolist()
    else:
        assert a.tobytes() == b.tobytes()


def is_uneven(z: Any) -> bool:
    return z.metadata.zarr_format == 3 and not isinstance(z.metadata.chunk_grid, RegularChunkGridMetadata)


def check_properties(a: Array, z: Any) -> None:
    assert (a.shape, a.ndim, a.size, a.dtype, a.nbytes) == (z.shape, z.ndim, z.size, z.dtype, z.nbytes)
    assert (a.path, a.name, a.basename, a.order) == (z.path, z.name, z.basename, z.order)
    assert a.write_chunk_sizes == z.write_chunk_sizes
    assert a.read_chunk_sizes == z.read_chunk_sizes
    if is_uneven(z) and z.metadata.sharding_codec is not None:
        with pytest.raises(UnsupportedError, match="write_chunk_sizes"):
            assert a.shards
    else:
        assert a.shards == z.shards
    assert a.cdata_shape == z.cdata_shape
    assert a.nchunks == z.nchunks
    assert a.nchunks_initialized == z.nchunks_initialized
    assert a.nbytes_stored() == z.nbytes_stored()
    names = getattr(z.metadata, "dimension_names", None)
    assert a.metadata.dimension_names == names
    if z.fill_value is not None:
        same(np.asarray(a.fill_value, a.dtype), np.asarray(z.fill_value, a.dtype))


small = npst.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=6)


@st.composite
def any_array(draw: st.DrawFn) -> Any:
    """An array of zarr-python."""
    plain = zst.arrays(stores=st.builds(lambda: MemoryStore({})), shapes=small)
    uneven = zst.rectilinear_arrays(shapes=npst.array_shapes(max_dims=3, min_side=1, max_side=12))
    z = draw(st.one_of(plain, zst.sharded_arrays(), uneven))
    assume(_is_unicode(dict(z.attrs)))
    return z


def _is_unicode(attributes: dict[str, Any]) -> bool:
    """Not so with half of a surrogate pair, which we refuse: no text in UTF-8 has it."""
    try:
        json.dumps(attributes, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@quick
@given(st.data())
def test_we_read_theirs(data: st.DataObject) -> None:
    z = data.draw(any_array())
    a = ours(z)
    check_properties(a, z)
    same(a[...], z[...])
    assert dict(a.attrs) == dict(z.attrs)


@quick
@given(st.data())
def test_they_read_ours(data: st.DataObject) -> None:
    z = data.draw(any_array())
    a = ours(z)
    value = data.draw(zst.numpy_arrays(shapes=st.just(z.shape), dtype=z.dtype))
    a[...] = value
    same(np.asarray(a[...]), np.asarray(value, a.dtype))
    same(theirs_of(a)[...], np.asarray(value, a.dtype))


@quick
@given(st.data())
def test_basic_indices(data: st.DataObject) -> None:
    z = data.draw(any_array())
    a, n = ours(z), np.asarray(z[...])
    key = data.draw(zst.basic_indices(shape=z.shape))
    same(a[key], z[key])
    value = data.draw(zst.numpy_arrays(shapes=st.just(np.shape(n[key])), dtype=n.dtype))
    n[key] = value
    a[key] = value
    same(a[...], n)
    same(theirs_of(a)[...], n)


@quick
@given(st.data())
def test_orthogonal_indices(data: st.DataObject) -> None:
    z = data.draw(any_array())
    if z.ndim == 0:
        return
    a, n = ours(z), np.asarray(z[...])
    key, numpy_key = data.draw(zst.orthogonal_indices(shape=z.shape))
    same(a.oindex[key], n[numpy_key])
    value = data.draw(zst.numpy_arrays(shapes=st.just(n[numpy_key].shape), dtype=n.dtype))
    n[numpy_key] = value
    a.oindex[key] = value
    same(a[...], n)
    same(theirs_of(a)[...], n)


@quick
@given(st.data())
def test_block_indices(data: st.DataObject) -> None:
    z = data.draw(any_array())
    if 0 in z.shape or z.ndim == 0:
        return
    a, n = ours(z), np.asarray(z[...])
    key, box = data.draw(zst.block_indices(chunk_sizes=z.write_chunk_sizes))
    same(a.blocks[key], n[box])
    value = data.draw(zst.numpy_arrays(shapes=st.just(n[box].shape), dtype=n.dtype))
    n[box] = value
    a.blocks[key] = value
    same(a[...], n)
    same(theirs_of(a)[...], n)


@quick
@given(st.data())
def test_coordinates(data: st.DataObject) -> None:
    z = data.draw(any_array())
    if 0 in z.shape or z.ndim == 0:
        return
    a, n = ours(z), np.asarray(z[...])
    key = data.draw(npst.integer_array_indices(z.shape, result_shape=npst.array_shapes(max_dims=2, max_side=5)))
    same(a.vindex[key], n[key])
    same(a[key], n[key])
    n[key] = n.flat[0]
    a.vindex[key] = n.flat[0]
    same(a[...], n)
    same(theirs_of(a)[...], n)


def storable(dtype: np.dtype[Any]) -> bool:
    """Not records with dates, which zarr-python cannot encode in v2, with raw bytes, of which hypothesis has no values, or
    of several byte orders, which Array shows in one."""
    if dtype.names is None:
        return True
    parts = leaves(dtype)
    orders = {part.byteorder for part in parts} - {"|"}
    return not any(part.kind in "mMV" for part in parts) and len(orders) <= 1


def leaves(dtype: np.dtype[Any]) -> list[np.dtype[Any]]:
    if dtype.names is None:
        return [dtype.base]
    return [leaf for name in dtype.names for leaf in leaves(dtype[name])]


@quick
@given(st.data())
def test_types_of_both_versions(data: st.DataObject) -> None:
    """Every element type that zarr-python can store."""
    version = data.draw(st.sampled_from([2, 3]))
    dtype = data.draw(st.one_of(zst.v2_dtypes() if version == 2 else zst.v3_dtypes(), zst.structured_dtypes()).filter(storable))
    value = data.draw(npst.arrays(dtype, st.one_of(st.just(()), small)))
    store = MemoryStore()
    z = zarr.create_array(store, shape=value.shape, dtype=dtype, zarr_format=version, fill_value=None)
    z[...] = value
    a = ours(zarr.open_array(store))
    assert a.dtype == zarr.open_array(store).dtype
    same(np.asarray(a[...], a.dtype), np.asarray(zarr.open_array(store)[...], a.dtype))
    a[...] = value
    same(np.asarray(theirs_of(a)[...], a.dtype), np.asarray(value, a.dtype))
