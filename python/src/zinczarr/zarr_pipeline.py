"""The codec pipeline for zarr-python: its arrays, read and written by libzinc.

>>> import zarr
>>> _ = zarr.config.set({"codec_pipeline.path": "zinczarr.ZincCodecPipeline"})

or, for a whole program, ``ZARR_CODEC_PIPELINE__PATH=zinczarr.ZincCodecPipeline`` in the environment.  Nothing else
changes.

Arrays in a `LocalStore` or `ZincStore` whose codecs libzinc knows are read and written by it: whole selections at once,
by several threads.  Everything else goes through zarr-python's own codecs.  In both cases a chunk or shard of which
only a part is written is changed without losing what others write to it at the same time:

* `LocalStore`, `ZincStore`: other tasks, threads and processes (with a `ZincStore` if the store has compare-and-swap),
* other stores: other tasks and threads of this process.

Writes to a `LocalStore` do not wait for the disk, as those of zarr-python do not.  The setting ``zinczarr.durable`` of
`zarr.config`, or ``ZARR_ZINCZARR__DURABLE=1`` in the environment, lets them wait; a `ZincStore` has an argument for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from zarr.abc.codec import GetResult
from zarr.core.array_spec import ArrayConfig, ArraySpec
from zarr.core.buffer import cpu, default_buffer_prototype
from zarr.core.codec_pipeline import BatchedCodecPipeline
from zarr.core.common import concurrent_map
from zarr.core.config import config
from zarr.core.metadata.v3 import ArrayV3Metadata, RegularChunkGridMetadata
from zarr.registry import register_pipeline
from zarr.storage import StorePath

from zinczarr._errors import ZincError, ZincWarning
from zinczarr._workers import in_thread
from zinczarr._zarr_arrays import Handle, Source, codecs_of, is_durable, native
from zinczarr._zarr_batch import Piece, Selection, selection_of
from zinczarr._zarr_guard import write_alone

if TYPE_CHECKING:
    from zarr.abc.store import Store
    from zarr.core.buffer import NDBuffer
    from zarr.core.metadata import ArrayMetadata

# How often each way was taken, for tests: "read", "write", "general read", "general write", "given up".
counts: Counter[str] = Counter()

_PRESENT, _MISSING = GetResult(status="present"), GetResult(status="missing")

# A call in another thread costs 50 to 100 microseconds.  A read that decodes fewer bytes than this, of few chunks in a
# local store, takes about as long, and is done at once in the thread of the event loop.
_SMALL_BYTES, _SMALL_PIECES = 1 << 18, 4


# Preparing codecs does not depend on it; ArrayConfig.from_dict would ask zarr-python's configuration five times.
_CONFIG = ArrayConfig(order="C", write_empty_chunks=False)


def _chunk_spec(metadata: ArrayMetadata) -> ArraySpec:
    """The specification that the codecs are prepared for."""
    if isinstance(metadata, ArrayV3Metadata):
        grid, made = metadata.chunk_grid, _CONFIG
        shape = grid.chunk_shape if isinstance(grid, RegularChunkGridMetadata) else (1,) * len(metadata.shape)
    else:
        shape, made = metadata.chunks, ArrayConfig.from_dict({"order": metadata.order})
    prototype = default_buffer_prototype()
    return ArraySpec(
        shape=shape, dtype=metadata.dtype, fill_value=metadata.fill_value, config=made, prototype=prototype
    )


def _same_fill(a: Any, b: Any) -> bool:
    """Resizing makes new metadata with equal values."""
    return a is b or (type(a) is type(b) and (a == b or repr(a) == repr(b)) and str(a) == str(b))


# ---- memory ----


def _memory(buffer: NDBuffer) -> np.ndarray[Any, Any] | None:
    """The NumPy array of a buffer in main memory."""
    if type(buffer) is not cpu.NDBuffer:
        return None
    data: Any = buffer.as_ndarray_like()
    return data if type(data) in (np.ndarray, np.memmap) else None


def _raw(array: np.ndarray[Any, Any]) -> Any:
    """As plain bytes: dates have no buffer protocol."""
    return array.view(f"V{array.dtype.itemsize}")


def _read(handle: Handle, found: Selection, out: np.ndarray[Any, Any]) -> list[tuple[int, ...]]:
    """Read into `out`; returns the indices of chunks that are not stored."""
    machine, missing = native(out.dtype), []  # type: ignore[var-annotated]
    direct = machine == out.dtype and machine.kind not in "OT"
    to = out if direct else np.empty(out.shape, object if machine.kind in "OT" else machine)
    memory = to if to.dtype == object else _raw(to)
    handle.array.read(memory, 0, found.select, points=found.points, missing=missing)
    if not direct:
        out[...] = to
    return missing


def _write(handle: Handle, found: Selection, value: np.ndarray[Any, Any], store_fill: bool, durable: bool) -> None:
    machine = native(value.dtype)
    if machine.kind in "OT":
        memory: Any = value.astype(object)
    else:
        memory = _raw(value.astype(machine, copy=False))
    if memory.shape != found.shape:
        memory = np.broadcast_to(memory, found.shape)
    handle.array.write(memory, 0, found.select, points=found.points, store_fill=store_fill, relaxed=not durable)


# ---- the pipeline ----


@dataclass(frozen=True)
class ZincCodecPipeline(BatchedCodecPipeline):
    """zarr-python's codec pipeline on libzinc; see the module's description."""

    __module__ = "zinczarr"  # zarr-python finds it by this name

    source: Source | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_array_metadata_and_store(cls, array_metadata: ArrayMetadata, store: Store) -> Self:
        """The pipeline of an array that is stored in `store`."""
        pipeline = cls.from_codecs(codecs_of(array_metadata)).evolve_from_array_spec(_chunk_spec(array_metadata))
        return replace(pipeline, source=Source(array_metadata, store))

    # ---- reading ----

    async def read(
        self, batch_info: Iterable[Any], out: NDBuffer, drop_axes: tuple[int, ...] = ()
    ) -> tuple[GetResult, ...]:
        """Read the pieces of a batch into `out`."""
        batch = batch_info if isinstance(batch_info, list) else list(batch_info)
        results = await self._read_batch_at_once(batch, out, drop_axes)
        if results is None:
            counts["general read"] += 1
            results = await super().read(batch, out, drop_axes)
        return results

    async def _read_batch_at_once(
        self, batch: list[Piece], out: NDBuffer, drop: tuple[int, ...]
    ) -> tuple[GetResult, ...] | None:
        """None: libzinc cannot read this batch."""
        memory = _memory(out)
        if memory is None or not self._qualifies(batch, memory.dtype):
            return None
        found = self._find(batch, memory.shape, drop)
        if found is None:
            return None
        handle, selection = found
        small = len(batch) <= _SMALL_PIECES and len(batch) * handle.chunk_bytes <= _SMALL_BYTES and not handle.remote
        try:
            if small:
                missing = _read(handle, selection, memory)
            else:
                missing = await in_thread(_read, handle, selection, memory)
        except (ZincError, ZincWarning):  # zarr-python reads it, or raises its own exception
            counts["given up"] += 1
            return None
        counts["read"] += 1
        return self._results(len(batch), selection, missing)

    def _results(self, n: int, selection: Selection, missing: list[tuple[int, ...]]) -> tuple[GetResult, ...]:
        if not missing:
            return (_PRESENT,) * n
        assert self.source is not None and self.source.grid is not None
        results = [_PRESENT] * n
        for place in selection.places(self.source.grid, missing):
            results[place] = _MISSING
        return tuple(results)

    # ---- writing ----

    async def write(self, batch_info: Iterable[Any], value: NDBuffer, drop_axes: tuple[int, ...] = ()) -> None:
        """Write the pieces of a batch."""
        batch = batch_info if isinstance(batch_info, list) else list(batch_info)
        if not batch or await self._write_batch_at_once(batch, value, drop_axes):
            return
        counts["general write"] += 1
        if all(isinstance(piece[0], StorePath) for piece in batch):
            await self._write_pieces(batch, value, drop_axes)
        else:  # inner chunks of a shard in memory
            await super().write(batch, value, drop_axes)

    async def _write_batch_at_once(self, batch: list[Piece], value: NDBuffer, drop: tuple[int, ...]) -> bool:
        """False: libzinc cannot write this batch."""
        memory = _memory(value)
        if memory is None or not self._qualifies(batch, memory.dtype):
            return False
        assert self.source is not None
        if batch[0][0].store.read_only or not self.source.writable:
            return False
        found = self._find(batch, None if memory.shape == () else memory.shape, drop)
        if found is None or not found[0].excludes or found[1].repeats():
            return False
        store_fill = batch[0][1].config.write_empty_chunks
        try:
            await in_thread(_write, *found, memory, store_fill, is_durable(batch[0][0].store))
        except (ZincError, ZincWarning):  # zarr-python writes it, or raises its own exception
            counts["given up"] += 1
            return False
        counts["write"] += 1
        return True

    async def _write_pieces(self, batch: list[Piece], value: NDBuffer, drop: tuple[int, ...]) -> None:
        durable = is_durable(batch[0][0].store)

        async def write(piece: Piece) -> None:
            await self.write_batch([piece], value, drop)

        async def write_one(piece: Piece) -> None:
            await write_alone(piece, write, durable)

        await concurrent_map([(piece,) for piece in batch], write_one, config.get("async.concurrency"))

    # ---- both ----

    def _qualifies(self, batch: list[Piece], dtype: np.dtype[Any]) -> bool:
        """Can libzinc handle this array, with these buffers?"""
        source = self.source
        if source is None or not source.usable or not batch or dtype != source.dtype:
            return False
        path, spec = batch[0][0], batch[0][1]
        return (
            type(path) is StorePath
            and path.store is source.store
            and (spec.dtype is source.metadata.dtype or spec.dtype == source.metadata.dtype)
            and _same_fill(spec.fill_value, source.metadata.fill_value)
            and spec.prototype.nd_buffer is cpu.NDBuffer
            and spec.prototype.buffer is cpu.Buffer
            and source.grid is not None
            and tuple(spec.shape) == source.grid.chunks
        )

    def _find(
        self, batch: list[Piece], shape: tuple[int, ...] | None, drop: tuple[int, ...]
    ) -> tuple[Handle, Selection] | None:
        assert self.source is not None and self.source.grid is not None
        selection = selection_of(batch, self.source.grid, shape, drop)
        handle = None if selection is None else self.source.handle(selection.path, selection.end)
        return None if selection is None or handle is None else (handle, selection)


register_pipeline(ZincCodecPipeline)
