"""Keys of NumPy, and of zarr-python's other ways of indexing, as selections of the library.

A key becomes a `Plan`: the library's selection, and how the memory that the library fills lies within the user's array.
Everything is checked here, before anything is read or written.

The library reads boxes with steps, lists of indices for each dimension on its own (orthogonal), points and masks.
NumPy's index arrays beside slices are none of these: they become a `Mixed` plan (see there).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

AnyArray = np.ndarray[Any, Any]
Shape = tuple[int, ...]
# What a key may hold, after it was looked at: an index, a slice, None, or an array of indices
Item = Any
# Transfers elements: (memory of the library's shape, select, points, mask)
Transfer = Callable[[AnyArray, Any, Any, Any], None]

# Index arrays beside slices: at most so many points at a time
POINTS = 1 << 20

_WHOLE = slice(None)
_BACKWARDS = slice(None, None, -1)


def _bad_item(item: object) -> IndexError:
    return IndexError(
        f"only integers, slices, an ellipsis, None, and arrays of integers or booleans are indices, not {item!r:.100}"
    )


@dataclass(slots=True)
class Plan:
    """One call of the library.

    The user's array has `shape`.  `take` indexes it, `axes` transposes that, and `inner` is the shape that the library
    sees; all three make views.
    """

    shape: Shape
    inner: Shape
    select: tuple[Any, ...] | None = None
    points: NDArray[np.uint64] | None = None
    mask: NDArray[np.bool_] | None = None
    take: tuple[Any, ...] = ()
    axes: tuple[int, ...] | None = None

    def read(self, into: AnyArray, transfer: Transfer) -> None:
        """Read into an array of the shape `shape`, with any strides."""
        if 0 in self.shape:
            return
        part = self._part(into)
        memory = part.reshape(self.inner)
        if not np.may_share_memory(memory, part):  # axes that cannot be merged in place
            memory = np.empty(self.inner, into.dtype)
            transfer(memory, self.select, self.points, self.mask)
            part[...] = memory.reshape(part.shape)
        else:
            transfer(memory, self.select, self.points, self.mask)

    def write(self, source: AnyArray, transfer: Transfer) -> None:
        """Write from an array of the shape `shape`, with any strides, zero too."""
        if 0 not in self.shape:
            transfer(self._part(source).reshape(self.inner), self.select, self.points, self.mask)

    def _part(self, array: AnyArray) -> AnyArray:
        part = array[(*self.take, ...)]
        return part if self.axes is None else part.transpose(self.axes)


@dataclass(slots=True)
class Mixed:
    """Index arrays, broadcast together, beside slices: NumPy's most general key.

    Reading takes what needs less memory: the orthogonal hull of the indices, from which NumPy picks in memory; or
    points, of which at most POINTS are made at a time.  Writing uses points, because a hull would write elements that
    the key does not name.
    """

    shape: Shape
    items: list[Item]  # the whole key: for each dimension an index array or a slice; None
    extent: Shape  # of the array
    first: int  # where the index arrays' axes are in `shape`
    broadcast: Shape
    arrays: dict[int, NDArray[np.uint64]] = field(default_factory=dict)  # by dimension, each of the shape `broadcast`
    ranges: dict[int, range] = field(default_factory=dict)  # by dimension

    def read(self, into: AnyArray, transfer: Transfer) -> None:
        if 0 in self.shape:
            return
        hull = {d: np.unique(a, return_inverse=True) for d, a in self.arrays.items()}
        nhull = math.prod(len(u) for u, _ in hull.values()) * self._nslice()
        result = math.prod(self.shape)
        points = min(result, POINTS) * (1 + 8 * len(self.extent) // max(into.itemsize, 1))
        if nhull <= max(points, result):
            self._read_hull(into, hull, transfer)
            return
        spread = self._spread(into)
        for at, select, pts, shape in self._batches():
            memory = np.empty(shape, into.dtype)
            transfer(memory, select, pts, None)
            spread[at] = memory.reshape(spread[at].shape)

    def write(self, source: AnyArray, transfer: Transfer) -> None:
        if 0 in self.shape:
            return
        spread = self._spread(source)
        for at, select, pts, shape in self._batches():
            transfer(spread[at].reshape(shape), select, pts, None)

    def _nslice(self) -> int:
        return math.prod(len(r) for r in self.ranges.values())

    def _read_hull(self, into: AnyArray, hull: dict[int, tuple[Any, Any]], transfer: Transfer) -> None:
        select: list[Any] = []
        for d in range(len(self.extent)):
            select.append(np.ascontiguousarray(hull[d][0]) if d in hull else _forward(self.ranges[d])[0])
        lengths = tuple(len(hull[d][0] if d in hull else self.ranges[d]) for d in range(len(self.extent)))
        memory = np.empty(lengths, into.dtype)
        transfer(memory, tuple(select), None, None)
        # In front, so that the axes of the result are where `_spread` has them, whatever stands between the arrays.
        front = np.moveaxis(memory, list(hull), range(len(hull)))
        picked = [inverse.reshape(self.broadcast) for _, inverse in hull.values()]
        flips = [_BACKWARDS if _forward(r)[1] else _WHOLE for r in self.ranges.values()]
        self._spread(into)[...] = front[(*picked, *flips)]

    def _items(self) -> Iterator[tuple[Item, int]]:
        d = 0
        for item in self.items:
            yield item, d
            d += item is not None

    def _spread(self, array: AnyArray) -> AnyArray:
        """A view: the axes of the index arrays, then those of the slices; without the new axes."""
        nb = len(self.broadcast)
        array = np.moveaxis(array, range(self.first, self.first + nb), range(nb))
        rest = [0 if item is None else _WHOLE for item, d in self._items() if item is None or d in self.ranges]
        return array[(_WHOLE,) * nb + tuple(rest)]

    def _batches(self) -> Iterator[tuple[Any, Any, Any, Shape]]:
        """(index of the spread view, select, points, shape), sorted so that few batches share a chunk."""
        total, each = math.prod(self.broadcast), self._nslice()
        if each > POINTS:
            yield from self._one_by_one()
            return
        step = max(1, POINTS // each)
        order = np.lexsort([a.ravel() for a in reversed(self.arrays.values())]) if total > step else np.arange(total)
        grid = np.meshgrid(*[_indices(r) for r in self.ranges.values()], indexing="ij")
        for i in range(0, total, step):
            js = order[i : i + step]
            points = np.empty((len(js), each, len(self.extent)), np.uint64)
            for d, a in self.arrays.items():
                points[:, :, d] = a.ravel()[js, None]
            for d, g in zip(self.ranges, grid, strict=True):
                points[:, :, d] = g.ravel()
            at = np.unravel_index(js, self.broadcast)
            yield at, None, points.reshape(-1, len(self.extent)), (len(js) * each,)

    def _one_by_one(self) -> Iterator[tuple[Any, Any, Any, Shape]]:
        flips = tuple(_BACKWARDS if r.step < 0 else _WHOLE for r in self.ranges.values())
        shape = tuple(len(r) for r in self.ranges.values())
        for at in np.ndindex(*self.broadcast):
            select = tuple(
                int(self.arrays[d][at]) if d in self.arrays else _forward(self.ranges[d])[0]
                for d in range(len(self.extent))
            )
            yield at + flips, select, None, shape


def _indices(r: range) -> NDArray[np.uint64]:
    return np.arange(r.start, r.stop, r.step, dtype=np.int64).astype(np.uint64)


def _forward(r: range) -> tuple[tuple[int, int, int], bool]:
    """(start, count, step) with a positive step, and whether that is backwards."""
    n = len(r)
    if n == 0:
        return (0, 0, 1), False
    if r.step > 0 or n == 1:
        return (r[0], n, r.step if n > 1 else 1), False
    return (r[-1], n, -r.step), True


# ---- what is in a key ----


def _is_index(item: Item) -> bool:
    return isinstance(item, (int, np.integer)) and not isinstance(item, (bool, np.bool_))


def _index(i: int, n: int, axis: int) -> int:
    at = i + n if i < 0 else i
    if not 0 <= at < n:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
    return at


def _wrap(a: AnyArray, n: int, axis: int) -> NDArray[np.uint64]:
    """Indices of an axis, which may be negative, as the library wants them."""
    if a.size == 0:
        return a.astype(np.uint64)
    low, high = int(a.min()), int(a.max())
    if low < -n or high >= n:
        raise IndexError(f"index {low if low < -n else high} is out of bounds for axis {axis} with size {n}")
    if low < 0:
        a = np.where(a < 0, a.astype(np.int64) + n, a)
    return np.ascontiguousarray(a, np.uint64)


def _as_array(item: Item) -> AnyArray:
    """An index array from anything that NumPy makes one of."""
    try:
        array = np.asarray(item)
    except ValueError:
        raise _bad_item(item) from None
    if array.size == 0 and not isinstance(item, np.ndarray) and array.dtype.kind == "f":
        array = array.astype(np.intp)  # NumPy's empty list
    if array.dtype.kind not in "iub":
        if isinstance(item, np.ndarray) or array.dtype.kind != "O":
            raise IndexError(f"arrays used as indices must be of integer or boolean type, not {array.dtype}")
        raise _bad_item(item)
    return array


def _look(item: Item) -> Item:
    """An item of a key: an int, a slice, None, Ellipsis or an array, of which only booleans may have no dimensions."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if _is_index(item):
        return int(item)
    if hasattr(item, "__index__") and not hasattr(item, "dtype") and not isinstance(item, bool):
        return operator.index(item)
    if isinstance(item, (str, bytes)):
        raise _bad_item(item)
    array = _as_array(item)
    return array if array.ndim or array.dtype.kind == "b" else int(array)


def _consumes(item: Item) -> int:
    """How many dimensions of the array an item stands for."""
    if item is None:
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype.kind == "b" else 1


def _expand(key: Any, ndim: int) -> list[Item]:
    """The items of a key for every dimension of the array.  An ellipsis stays only if it stands for none."""
    items = [_look(item) for item in (key if isinstance(key, tuple) else (key,))]
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = ndim - sum(_consumes(item) for item in items if item is not Ellipsis)
    if missing < 0:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {ndim - missing} were indexed")
    if not dots:
        return items + [_WHOLE] * missing
    between: list[Item] = [_WHOLE] * missing
    return items[: dots[0]] + (between or [Ellipsis]) + items[dots[0] + 1 :]


# ---- NumPy's keys ----


def numpy_plan(key: Any, shape: Shape) -> Plan | Mixed:
    """The key of `a[key]`, with NumPy's meaning."""
    items = _expand(key, len(shape))
    if not any(isinstance(item, np.ndarray) for item in items):
        return _basic_plan(items, shape)
    if len(items) == 1 and items[0].dtype.kind == "b" and items[0].ndim == len(shape) > 0:
        return mask_plan(items[0], shape)
    return _advanced_plan(items, shape)


def _basic_plan(items: list[Item], shape: Shape) -> Plan:
    select: list[Any] = []
    take: list[Any] = []
    outer: list[int] = []
    inner: list[int] = []
    for item in items:
        if item is Ellipsis:
            continue
        d = len(select)
        if item is None:
            take.append(0)
            outer.append(1)
        elif isinstance(item, slice):
            r = range(shape[d])[item]
            forward, backwards = _forward(r)
            select.append(forward)
            take.append(_BACKWARDS if backwards else _WHOLE)
            outer.append(len(r))
            inner.append(len(r))
        else:
            select.append(_index(item, shape[d], d))
    return Plan(tuple(outer), tuple(inner), tuple(select), take=tuple(take))


def mask_plan(mask: AnyArray, shape: Shape) -> Plan:
    """A mask of the whole array."""
    if mask.shape != shape:
        raise IndexError(f"a mask of the shape {shape} is needed, not {mask.shape}")
    n = int(np.count_nonzero(mask))
    return Plan((n,), (n,), mask=np.ascontiguousarray(mask))


@dataclass(slots=True)
class _Advanced:
    """A key with index arrays: what NumPy does with them."""

    items: list[Item]  # without masks and ellipsis: slices, None, arrays of the shapes they were given in
    dims: list[int]  # the dimension of each item that is an array
    broadcast: Shape
    first: int  # where the arrays' axes are in the result


def _advance(items: list[Item], shape: Shape) -> _Advanced:
    """Masks become arrays of indices, integers too; NumPy's rule for where their axes go."""
    flat: list[Item] = []
    dims: list[int] = []
    nothing: list[AnyArray] = []  # arrays of no dimension: True and False
    d = axes = first = 0
    state = "before"  # of the arrays: before, within, behind, apart
    for item in items:
        if item is None or item is Ellipsis or isinstance(item, slice):
            state = "behind" if state == "within" else state
            axes += item is not Ellipsis
            if item is not Ellipsis:
                flat.append(item)
            d += isinstance(item, slice)
            continue
        if state == "before":
            first = axes
        state = "within" if state in ("before", "within") else "apart"
        found = _index_arrays(item, shape, d)
        if isinstance(item, np.ndarray) and item.ndim == 0:
            nothing += found
            continue
        flat += found
        dims += range(d, d + len(found))
        d += len(found)
    try:
        broadcast = np.broadcast_shapes(
            *[a.shape for a in flat if isinstance(a, np.ndarray)], *[a.shape for a in nothing]
        )
    except ValueError:
        raise IndexError("shape mismatch: indexing arrays could not be broadcast together") from None
    return _Advanced(flat, dims, broadcast, 0 if state == "apart" else first)


def _index_arrays(item: Item, shape: Shape, d: int) -> list[AnyArray]:
    if not isinstance(item, np.ndarray):
        return [np.asarray(_index(item, shape[d], d), np.uint64)]
    if item.dtype.kind != "b":
        return [_wrap(item, shape[d], d)]
    if item.ndim == 0:
        return [np.zeros(int(item), np.uint64)]
    for i, n in enumerate(item.shape):
        if n != shape[d + i]:
            raise IndexError(f"boolean index did not match axis {d + i}: its size is {shape[d + i]}, the mask has {n}")
    return [a.astype(np.uint64) for a in item.nonzero()]


def _advanced_plan(items: list[Item], shape: Shape) -> Plan | Mixed:
    key = _advance(items, shape)
    nb = len(key.broadcast)
    ranges: dict[int, range] = {}
    rest: list[int] = []  # the result's axes of slices and None
    arrays: dict[int, NDArray[np.uint64]] = {}
    d = 0
    for item in key.items:
        if item is None:
            rest.append(1)
            continue
        if isinstance(item, slice):
            ranges[d] = range(shape[d])[item]
            rest.append(len(ranges[d]))
        else:
            arrays[d] = item
        d += 1
    result = (*rest[: key.first], *key.broadcast, *rest[key.first :])
    plan = _outer_plan(key, arrays, ranges, result)
    if plan is not None:
        return plan
    full = {d: np.broadcast_to(a, key.broadcast) for d, a in arrays.items()}
    if not ranges:
        points = np.stack([a.ravel() for a in full.values()], axis=-1) if full else np.zeros((1, 0), np.uint64)
        take = [0 if i < key.first or i >= key.first + nb else _WHOLE for i in range(len(result))]
        return Plan(result, (len(points),), points=np.ascontiguousarray(points), take=tuple(take))
    return Mixed(result, key.items, shape, key.first, key.broadcast, full, ranges)


def _outer_plan(
    key: _Advanced, arrays: dict[int, NDArray[np.uint64]], ranges: dict[int, range], result: Shape
) -> Plan | None:
    """A selection for each dimension on its own, if each array has an axis of its own, or one array is alone."""
    nb = len(key.broadcast)
    wide = {d: a for d, a in arrays.items() if a.size != 1}
    if 0 in key.broadcast:
        return Plan(result, result, select=())  # nothing is transferred
    alone = len(wide) == 1
    axis = {d: [nb - a.ndim + i for i, n in enumerate(a.shape) if n != 1] for d, a in wide.items()}
    used = [i for found in axis.values() for i in found]
    if not alone and (any(len(found) != 1 for found in axis.values()) or len(set(used)) != len(used)):
        return None
    select: list[Any] = []
    take: list[Any] = [0 if i not in used else _WHOLE for i in range(nb)]
    # each axis of the taken view belongs to a dimension, or is one of several of the array that is alone
    owner: list[tuple[int, int]] = sorted((found, d) for d, list_ in axis.items() for found in list_)
    owners = [d for _, d in owner]
    before: list[Any] = []
    behind: list[Any] = []
    before_owners: list[int] = []
    behind_owners: list[int] = []
    inner: list[int] = []
    d = at = 0
    for item in key.items:
        if item is not None and d in arrays:
            select.append(int(arrays[d].ravel()[0]) if d not in wide else np.ascontiguousarray(arrays[d].ravel()))
            if d in wide:
                inner.append(arrays[d].size)
            d += 1
            continue
        side, side_owners = (before, before_owners) if at < key.first else (behind, behind_owners)
        at += 1
        if item is None:
            side.append(0)
            continue
        forward, backwards = _forward(ranges[d])
        select.append(forward)
        side.append(_BACKWARDS if backwards else _WHOLE)
        side_owners.append(d)
        inner.append(len(ranges[d]))
        d += 1
    all_owners = before_owners + owners + behind_owners
    axes = tuple(sorted(range(len(all_owners)), key=lambda i: all_owners[i]))
    return Plan(result, tuple(inner), tuple(select), take=(*before, *take, *behind), axes=axes)


# ---- zarr-python's other ways ----


def orthogonal_plan(key: Any, shape: Shape) -> Plan:
    """The key of `a.oindex[key]`: each dimension on its own."""
    items = _expand(key, len(shape))
    select: list[Any] = []
    take: list[Any] = []
    inner: list[int] = []
    for d, item in enumerate(item for item in items if item is not Ellipsis):
        if item is None:
            raise IndexError("a new axis (None) is no orthogonal index")
        if isinstance(item, int):
            select.append(_index(item, shape[d], d))
            continue
        if isinstance(item, slice):
            r = range(shape[d])[item]
            forward, backwards = _forward(r)
            select.append(forward)
            take.append(_BACKWARDS if backwards else _WHOLE)
            inner.append(len(r))
            continue
        if item.ndim != 1:
            raise IndexError(f"an orthogonal index has one dimension, not {item.ndim}")
        (array,) = _index_arrays(item, shape, d)
        select.append(array)
        take.append(_WHOLE)
        inner.append(array.size)
    return Plan(tuple(inner), tuple(inner), tuple(select), take=tuple(take))


def coordinate_plan(key: Any, shape: Shape) -> Plan:
    """The key of `a.vindex[key]`: an index array, or an index, for each dimension; they are broadcast together."""
    items = [_look(item) for item in (key if isinstance(key, tuple) else (key,))]
    if len(items) != len(shape) or any(item is None or item is Ellipsis or isinstance(item, slice) for item in items):
        raise IndexError(f"a coordinate selection has {len(shape)} integers or index arrays, one for each dimension")
    if any(isinstance(item, np.ndarray) and item.dtype.kind == "b" for item in items):
        raise IndexError("a coordinate selection has integers; use a mask of the whole array for booleans")
    items = [
        np.asarray([item]) if isinstance(item, int) and all(isinstance(i, int) for i in items) else item
        for item in items
    ]
    plan = _advanced_plan(items, shape)
    if isinstance(plan, Mixed):  # it has no slices
        raise IndexError("not a coordinate selection")
    return plan


def block_plan(key: Any, shape: Shape, edges: Sequence[int | Shape]) -> Plan:
    """The key of `a.blocks[key]`: indices and slices of stored objects.

    `edges` has for each dimension their length, or the lengths of all.
    """
    items = [item for item in _expand(key, len(shape)) if item is not Ellipsis]
    return _basic_plan([_block_slice(item, d, shape, edges) for d, item in enumerate(items)], shape)


def _block_slice(item: Item, d: int, shape: Shape, edges: Sequence[int | Shape]) -> slice:
    edge = edges[d] if d < len(edges) else 1
    ends = [0, *accumulate(edge)] if isinstance(edge, tuple) else None
    step = 1 if isinstance(edge, tuple) else max(edge, 1)
    count = len(ends) - 1 if ends else -(-shape[d] // step) if d < len(shape) else 0

    def end_of(block: int) -> int:
        return ends[block] if ends else block * step

    if isinstance(item, int):
        at = item + count if item < 0 else item
        if not 0 <= at < count:
            raise IndexError(f"block {item} is out of bounds for axis {d} with {count} blocks")
        return slice(end_of(at), end_of(at + 1))
    if not isinstance(item, slice) or item.step not in (None, 1):
        raise IndexError("blocks are selected by integers and slices without a step")
    first, end, _ = item.indices(count)
    return slice(end_of(first), end_of(max(first, end)))
