"""dask: arrays as dask's, with blocks that fit what is stored."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._array import Array

TARGET = 128 << 20  # bytes of a block, as dask's own default


def shard_aligned_chunks(array: Any, target: int | str | None = None) -> tuple[tuple[int, ...], ...]:
    """Chunks for dask that never divide a stored object (a shard, or a chunk where there are none) among blocks.

    Blocks are as large as `target` bytes allow ("64 MiB", a number, [128 MiB]), and at least one object.  They grow along
    the last dimensions first, where elements are next to each other.  Takes `zinczarr.Array` and `zarr.Array`.

    Blocks need no alignment to be stored correctly.  Aligned ones are faster: no object is read, changed and written again.

    >>> import zinczarr
    >>> a = zinczarr.create_array("memory://aligned/t", shape=(100, 100), dtype="f8", chunks=(5, 5), shards=(20, 20))
    >>> zinczarr.shard_aligned_chunks(a, 8 * 20 * 40)
    ((20, 20, 20, 20, 20), (40, 40, 20))
    """
    lengths = _stored(array)
    most = max(1, _bytes(target) // max(1, np.dtype(array.dtype).itemsize))
    counts = [1] * len(lengths)
    for axis in reversed(range(len(lengths))):
        counts[axis] = _grown(lengths, counts, axis, most)
        if counts[axis] < len(lengths[axis]):
            break
    return tuple(_joined(edge, count) for edge, count in zip(lengths, counts, strict=True))


def _stored(array: Any) -> list[tuple[int, ...]]:
    """The lengths of the stored objects along each dimension; a dimension of length 0 has one of length 0."""
    return [tuple(edge) or (0,) for edge in array.write_chunk_sizes]


def _bytes(target: int | str | None) -> int:
    if isinstance(target, str):
        from dask.utils import parse_bytes

        return int(parse_bytes(target))
    return TARGET if target is None else target


def _grown(lengths: list[tuple[int, ...]], counts: list[int], axis: int, most: int) -> int:
    """How many objects of an axis a block may have."""
    others = math.prod(max(_joined(edge, n)) for i, (edge, n) in enumerate(zip(lengths, counts, strict=True)) if i != axis)
    count = 1
    while count < len(lengths[axis]) and others * max(_joined(lengths[axis], count + 1)) <= most:
        count += 1
    return count


def _joined(lengths: tuple[int, ...], count: int) -> tuple[int, ...]:
    return tuple(sum(lengths[i : i + count]) for i in range(0, len(lengths), count))


class Task:
    """An array as the tasks of dask read it: with one thread each, because dask has its own.

    Only what dask asks of a source: a shape, a type, and indexing.
    In a worker it is opened at its first use: an error is the task's then, and is reported.  An error while a task is
    received ends the worker.
    """

    __slots__ = ("_array", "_how", "dtype", "ndim", "shape")

    def __init__(self, array: Array) -> None:
        self._array: Array | None = array
        self._how: tuple[Any, ...] = array.__reduce__()
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    @property
    def array(self) -> Array:
        if self._array is None:
            reopen, arguments = self._how
            self._array = reopen(*arguments)
        return self._array

    def __getitem__(self, key: Any) -> Any:
        return self.array.read(key, threads=1)

    def __getstate__(self) -> tuple[object, ...]:
        return self._how, self.shape, self.dtype, self.ndim

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._array = None
        self._how, self.shape, self.dtype, self.ndim = state

    def __dask_tokenize__(self) -> tuple[object, ...]:
        return "zinczarr.Task", self.array.__dask_tokenize__()


def to_dask(array: Array, chunks: Any = None, *, name: str | None = None, inline_array: bool = True) -> Any:
    """A dask array whose tasks read `array`.

    chunks: as `dask.array.from_array` takes them; by default one for each stored object, a shard or a chunk; a text such as
            "64 MiB" means `shard_aligned_chunks(array, "64 MiB")`
    name:   of the dask array; by default made from the URL, the path and the metadata of the array

    >>> import zinczarr
    >>> a = zinczarr.create_array("memory://dask/t", shape=(4, 6), dtype="i4", chunks=(2, 3), fill_value=7)
    >>> d = a.to_dask()
    >>> d.chunks, int(d.sum().compute())
    (((2, 2), (3, 3)), 168)
    """
    import dask.array

    if chunks is None:
        chunks = tuple(_stored(array))
    elif isinstance(chunks, str) and chunks != "auto":
        chunks = shard_aligned_chunks(array, chunks)
    return dask.array.from_array(
        Task(array), chunks=chunks, name=name, lock=False, asarray=False, inline_array=inline_array, meta=_meta(array)
    )


def _meta(array: Array) -> Any:
    return np.empty((0,) * array.ndim, array.dtype)
