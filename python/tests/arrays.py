"""Arrays for tests, made with the extension alone, and keys of NumPy for hypothesis."""

from __future__ import annotations

import itertools
import json
from typing import Any

import hypothesis.extra.numpy as npst
import hypothesis.strategies as st
import numpy as np

from zinczarr import _core
from zinczarr._array import Array
from zinczarr._place import Place

_count = itertools.count()


def create(
    shape: tuple[int, ...], dtype: str, url: str | None = None, format: str | None = None, **options: Any
) -> Array:
    """A new array, in memory if no URL is given."""
    url = url or f"memory://tests-{next(_count)}/a.zarr"
    place = Place(url, "/", {"format": format} if format else {})
    h = _core.Hierarchy(url, create=True, format=format)
    path = h.path
    core = _core.Array.create(h, path, shape=shape, dtype=dtype, **options)
    return Array(core, Place(url, path, place.options).attach(h))


def put(data: np.ndarray[Any, Any], dtype: str | None = None, **options: Any) -> Array:
    """An array that holds `data`."""
    array = create(data.shape, dtype or data.dtype.newbyteorder("<").str, **options)
    array[...] = data
    return array


def reopen(array: Array) -> Array:
    place = Place(array.place.url, array.place.path, array.place.options)
    return Array(_core.Array.open(place.hierarchy(), place.path), place)


def fill_json(value: object) -> str:
    return json.dumps(value)


# ---- strategies ----

shapes = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7)


@st.composite
def grids(draw: st.DrawFn, shape: tuple[int, ...]) -> dict[str, Any]:
    """Chunks, and perhaps shards, of a shape."""
    chunks = tuple(draw(st.integers(1, max(n + 1, 1))) for n in shape)
    if not shape or draw(st.booleans()):
        return {"chunks": chunks}
    return {"chunks": chunks, "shards": tuple(c * draw(st.integers(1, 3)) for c in chunks)}


def _slices(n: int) -> st.SearchStrategy[slice]:
    bound = st.none() | st.integers(-n - 2, n + 2)
    step = st.none() | st.integers(-n - 1, n + 1).filter(bool)
    return st.builds(slice, bound, bound, step)


def _indices(n: int) -> st.SearchStrategy[Any]:
    # Now and then out of bounds.
    return st.integers(-n, n - 1) if n else st.integers(0, 0)


@st.composite
def narrower(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts to this one."""
    kept = shape[draw(st.integers(0, len(shape))) :]
    return tuple(draw(st.sampled_from([1, n])) for n in kept)


@st.composite
def _index_array(draw: st.DrawFn, n: int, broadcast: tuple[int, ...]) -> Any:
    shape = draw(narrower(broadcast).filter(len))
    if n == 0:
        shape = (0, *shape[1:]) if shape else (0,)
    dtype = draw(st.sampled_from(["i8", "i4", "i1", "u1", "u8"]))
    low = 0 if dtype[0] == "u" else -n
    array = draw(npst.arrays(dtype, shape, elements=st.integers(low, max(n - 1, 0))))
    return array.tolist() if draw(st.booleans()) and array.ndim == 1 else array


@st.composite
def numpy_keys(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """A key that NumPy understands, or in rare cases refuses."""
    broadcast = draw(st.sampled_from([(3,), (2, 3), (1,), (2, 1, 2)]))
    items: list[Any] = []
    d = 0
    dots = False
    while d < len(shape):
        kind = draw(st.sampled_from(["int", "slice", "slice", "array", "mask", "new", "dots", "stop", "bool"]))
        if kind == "stop":
            break
        if kind == "int":
            items.append(draw(_indices(shape[d])))
            d += 1
        elif kind == "slice":
            items.append(draw(_slices(shape[d])))
            d += 1
        elif kind == "array":
            items.append(draw(_index_array(shape[d], broadcast)))
            d += 1
        elif kind == "mask":
            rank = draw(st.integers(1, len(shape) - d))
            items.append(draw(npst.arrays(bool, shape[d : d + rank])))
            d += rank
        elif kind == "new":
            if len(items) < 7:
                items.append(None)
        elif kind == "dots" and not dots:
            items.append(...)
            dots = True
            d += draw(st.integers(0, len(shape) - d))
        elif kind == "bool" and draw(st.integers(0, 9)) == 0:
            items.append(draw(st.sampled_from([True, False, np.True_])))
    key = tuple(items)
    return key[0] if len(key) == 1 and draw(st.booleans()) else key


@st.composite
def outer_keys(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """One index for each dimension: an int, a slice, a list or a mask."""
    items: list[Any] = []
    for n in shape:
        one = st.lists(_indices(n), max_size=5) if n else st.just([])
        kinds: list[st.SearchStrategy[Any]] = [_slices(n), one, npst.arrays(bool, (n,))]
        items.append(draw(st.one_of(*kinds, _indices(n)) if n else st.one_of(*kinds)))
    return tuple(items)


def outer(array: np.ndarray[Any, Any], key: tuple[Any, ...]) -> tuple[Any, tuple[int, ...]]:
    """`np.ix_` for these keys, and the shape without the axes of the integers."""
    lists = [
        np.arange(n)[k] if not isinstance(k, list) else np.asarray(k, np.intp) % max(n, 1)
        for k, n in zip(key, array.shape, strict=True)
    ]
    shape = tuple(a.size for a in lists if a.ndim)
    return np.ix_(*[np.atleast_1d(a) for a in lists]) if lists else (), shape
