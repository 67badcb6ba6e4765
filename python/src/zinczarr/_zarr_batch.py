"""Turn the batch that zarr-python gives a codec pipeline back into one selection of the array.

zarr-python splits a selection into pieces, one for each chunk.  libzinc wants the selection itself: then one call reads
all chunks, by several threads, straight into the caller's memory.  Every piece is compared with the selection that was
found; if one does not fit, there is no selection, and the caller takes the general way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from zinczarr import _core

Indices = npt.NDArray[np.uint64]
# The store path of the chunk, its specification, what to select of it, where that goes, is the whole chunk selected?
Piece = tuple[Any, Any, Any, Any, bool]


@dataclass(frozen=True)
class Grid:
    """How chunks are cut and named."""

    chunks: tuple[int, ...]
    letter: str  # "c", or "" for keys as in version 2
    separator: str


@dataclass(frozen=True)
class Selection:
    """What a batch selects."""

    path: str  # of the array in the store, without slashes at its ends
    shape: tuple[int, ...]  # of the elements
    end: tuple[int, ...]  # the smallest shape of an array that has them all
    select: tuple[Any, ...] | None = None  # as _core.Select
    points: Indices | None = None  # or the points
    where: dict[tuple[int, ...], int] | None = None  # the place of each chunk in the batch; None: a box in C order

    def places(self, grid: Grid, missing: Sequence[tuple[int, ...]]) -> list[int]:
        """The places of some chunks in the batch."""
        if self.where is not None:
            return [self.where[index] for index in missing]
        assert self.select is not None
        dims = [_visited(item, chunk) for item, chunk in zip(self.select, grid.chunks, strict=True)]
        return [_place(index, dims) for index in missing]

    def repeats(self) -> bool:
        """Is an element selected twice?  Then the order of writing matters."""
        if self.points is not None:
            return len(np.unique(self.points, axis=0)) < len(self.points)
        lists = [item for item in self.select or () if isinstance(item, np.ndarray)]
        return any(len(np.unique(item)) < len(item) for item in lists)


# ---- boxes: integers and slices ----


def _visited(item: Any, chunk: int) -> tuple[int, int, int, int, int]:
    """start, step, chunk, first chunk and number of chunks of one dimension of a box."""
    start, count, step = (item, 1, 1) if isinstance(item, int) else item
    last = (start + (count - 1) * step) // chunk
    number = count if step > chunk else last - start // chunk + 1
    return start, step, chunk, start // chunk, number


def _place(index: tuple[int, ...], dims: list[tuple[int, int, int, int, int]]) -> int:
    place = 0
    for i, (start, step, chunk, first, number) in zip(index, dims, strict=True):
        # A step larger than a chunk leaves chunks out, and selects one element of each other one.
        at = max(0, -((start - i * chunk) // step)) if step > chunk else i - first
        place = place * number + at
    return place


def _end_of(item: Any) -> int:
    if isinstance(item, np.ndarray):
        return int(item.max()) + 1 if len(item) else 0
    start, count, step = (item, 1, 1) if isinstance(item, int) else item
    return int(start + (count - 1) * step + 1) if count else 0


def _length(item: Any) -> int:
    return len(item) if isinstance(item, np.ndarray) else int(item[1])


def _of_dims(path: str, select: tuple[Any, ...], where: dict[tuple[int, ...], int] | None) -> Selection:
    shape = tuple(_length(item) for item in select if not isinstance(item, int))
    return Selection(path, shape, tuple(map(_end_of, select)), select, where=where)


# ---- keys ----


def chunk_of_key(key: str, grid: Grid) -> tuple[str, tuple[int, ...]] | None:
    """The path of the array, and the index of the chunk, of a key."""
    ndim = len(grid.chunks)
    if ndim == 0:
        head, name = key.rpartition("/")[::2]
        return (head, ()) if name == (grid.letter or "0") else None
    rest, numbers = key, []
    for _ in range(ndim - (not grid.letter)):
        rest, _, number = rest.rpartition(grid.separator)
        numbers.append(number)
    path, _, name = rest.rpartition("/")
    if not grid.letter:
        numbers.append(name)
    elif name != grid.letter:
        return None
    if not all(n.isascii() and n.isdigit() and str(int(n)) == n for n in numbers):
        return None
    return path, tuple(map(int, reversed(numbers)))


def _indexed(batch: list[Piece], grid: Grid) -> tuple[str, dict[tuple[int, ...], int]] | None:
    """The path of the array, and the place of each chunk in the batch, if all pieces are of one array."""
    first = batch[0]
    where: dict[tuple[int, ...], int] = {}
    path = ""
    for i, piece in enumerate(batch):
        found = chunk_of_key(piece[0].path, grid)
        if found is None or piece[1] is not first[1] or piece[0].store is not first[0].store:
            return None
        if i and found[0] != path:
            return None
        path = found[0]
        where[found[1]] = i
    return (path, where) if len(where) == len(batch) else None


# ---- points ----


def _positions(item: Any) -> npt.NDArray[np.intp] | None:
    """A slice or a list of places as a list."""
    if isinstance(item, slice):
        if item.stop is None or item.stop < 0 or (item.start or 0) < 0 or (item.step or 1) < 1:
            return None
        return np.arange(item.start or 0, item.stop, item.step or 1, dtype=np.intp)
    if isinstance(item, np.ndarray) and item.ndim == 1 and item.dtype.kind in "iu":
        return item.astype(np.intp, copy=False)
    return None


def _covers(places: npt.NDArray[np.intp], length: int) -> bool:
    """Does each place from 0 to length occur once?"""
    if len(places) != length:
        return False
    seen = np.zeros(length, dtype=bool)
    if length and (places.min() < 0 or places.max() >= length):
        return False
    seen[places] = True
    return bool(seen.all())


def _points_of(piece: Piece, index: tuple[int, ...], grid: Grid) -> npt.NDArray[np.intp] | None:
    """The coordinates that one piece selects."""
    local = piece[2]
    if not isinstance(local, tuple) or len(local) != len(index):
        return None
    for item in local:
        if not isinstance(item, np.ndarray) or item.ndim != 1 or item.dtype.kind not in "iu":
            return None
    if len({len(item) for item in local}) != 1:
        return None
    table = np.stack(local, axis=1).astype(np.intp, copy=False)
    if len(table) and ((table < 0).any() or (table >= np.array(grid.chunks)).any()):
        return None
    return table + np.array(index, dtype=np.intp) * np.array(grid.chunks, dtype=np.intp)


def _points(
    batch: list[Piece], grid: Grid, path: str, where: dict[tuple[int, ...], int], shape: tuple[int, ...] | None
) -> Selection | None:
    parts, places = [], []
    for piece, index in zip(batch, where, strict=True):
        part, place = _points_of(piece, index, grid), _positions(piece[3])
        if part is None or place is None or len(part) != len(place):
            return None
        parts.append(part)
        places.append(place)
    at = np.concatenate(places)
    length = len(at)
    if shape not in (None, (length,)) or not _covers(at, length) or length == 0:
        return None
    points = np.empty((length, len(grid.chunks)), dtype=np.uint64)
    points[at] = np.concatenate(parts)
    end = tuple(int(n) + 1 for n in points.max(axis=0))
    return Selection(path, (length,), end, points=points, where=where)


# ---- lists, slices and integers, each for its own dimension ----


def _flat(item: Any, dim: int, length: int) -> npt.NDArray[np.intp] | None:
    """What one dimension selects, as a list; a mask has `length` items; arrays of np.ix_ have further dimensions."""
    if isinstance(item, int | np.integer):
        return np.array([item], dtype=np.intp)
    if isinstance(item, np.ndarray):
        if item.dtype.kind == "b" and item.ndim == 1 and len(item) == length:
            return np.flatnonzero(item)
        if item.ndim > 1 and (dim >= item.ndim or item.size != item.shape[dim]):
            return None
        item = item.reshape(-1)
    return _positions(item)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)


def _as_slice(indices: Indices) -> Any:
    """Start, count and step if the indices are evenly spaced: beside a list zarr-python makes a list of every slice, and rows
    are copied faster than single elements."""
    steps = np.diff(indices.astype(np.int64))
    if len(indices) == 0 or (len(steps) and (steps[0] < 1 or (steps != steps[0]).any())):
        return indices
    return int(indices[0]), len(indices), int(steps[0]) if len(steps) else 1


class _Dimension:
    """What a batch selects along one dimension, chunk by chunk."""

    def __init__(self, dim: int, kept: int | None, chunk: int) -> None:
        self.dim, self.kept, self.chunk = dim, kept, chunk  # kept: its number among the dimensions of the elements
        self.seen: dict[int, tuple[Any, Any]] = {}
        self.parts: list[npt.NDArray[np.intp]] = []
        self.places: list[npt.NDArray[np.intp]] = []

    def add(self, index: int, local: Any, out: Any) -> bool:
        if index in self.seen:
            before = self.seen[index]
            return _same(before[0], local) and _same(before[1], out)
        self.seen[index] = (local, out)
        part = _flat(local, self.dim, self.chunk)
        if part is None or (len(part) and (part.min() < 0 or part.max() >= self.chunk)):
            return False
        self.parts.append(part + index * self.chunk)
        if self.kept is None:
            return len(part) == 1
        place = _flat(out, self.kept, -1)
        if place is None or len(place) != len(part):
            return False
        self.places.append(place)
        return True

    def item(self) -> Any:
        """As _core.Select has it; None: places are left out or used twice."""
        part = np.concatenate(self.parts)
        if self.kept is None:
            return int(part[0]) if len(part) == 1 else None
        place = np.concatenate(self.places)
        if not _covers(place, len(place)):
            return None
        indices = np.empty(len(place), dtype=np.uint64)
        indices[place] = part
        return _as_slice(indices)


def _dimensions(batch: list[Piece], grid: Grid, drop: tuple[int, ...]) -> list[_Dimension] | None:
    local = batch[0][2]
    if not isinstance(local, tuple) or len(local) != len(grid.chunks):
        return None
    dims: list[_Dimension] = []
    kept = 0
    for d, chunk in enumerate(grid.chunks):
        dropped = d in drop or isinstance(local[d], int | np.integer)
        dims.append(_Dimension(d, None if dropped else kept, chunk))
        kept += not dropped
    return dims


def _add_all(batch: list[Piece], where: dict[tuple[int, ...], int], dims: list[_Dimension]) -> bool:
    kept = sum(d.kept is not None for d in dims)
    for piece, index in zip(batch, where, strict=True):
        local, out = piece[2], piece[3]
        if not isinstance(local, tuple) or not isinstance(out, tuple) or len(local) != len(dims) or len(out) != kept:
            return False
        for d in dims:
            if not d.add(index[d.dim], local[d.dim], None if d.kept is None else out[d.kept]):
                return False
    return math.prod(len(d.seen) for d in dims) == len(batch)


def _orthogonal(
    batch: list[Piece], grid: Grid, path: str, where: dict[tuple[int, ...], int], drop: tuple[int, ...]
) -> Selection | None:
    dims = _dimensions(batch, grid, drop)
    if dims is None or not _add_all(batch, where, dims):
        return None
    select = tuple(d.item() for d in dims)
    return None if any(item is None for item in select) else _of_dims(path, select, where)


# ---- all ----


def selection_of(
    batch: list[Piece], grid: Grid, shape: tuple[int, ...] | None, drop: tuple[int, ...]
) -> Selection | None:
    """The selection of a batch whose elements have `shape` (None: any, a scalar is written); None: there is none."""
    box = _core.batch_box(batch, grid.chunks, grid.letter, grid.separator)
    if box is not None:
        found: Selection | None = _of_dims(box[0], box[1], None)
    else:
        found = _scattered(batch, grid, shape, drop)
    return found if found is None or shape is None or found.shape == shape else None


def _scattered(
    batch: list[Piece], grid: Grid, shape: tuple[int, ...] | None, drop: tuple[int, ...]
) -> Selection | None:
    indexed = _indexed(batch, grid) if grid.chunks else None
    if indexed is None:
        return None
    path, where = indexed
    if isinstance(batch[0][3], tuple):
        return _orthogonal(batch, grid, path, where, drop)
    return _points(batch, grid, path, where, shape)
