"""Change parts of chunks through zarr-python's own codecs without losing what others change.

zarr-python reads the chunk, changes it in memory and writes it back; another writer's change in between is lost.  Here
a chunk is written back only if it is still the one that was read, otherwise everything is done again.  Stores that
cannot compare get a lock for each key: it excludes the tasks and threads of this process, not other processes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest
from zarr.core.buffer import default_buffer_prototype

from zinczarr import _core
from zinczarr._capabilities import Capability
from zinczarr._errors import ConflictError, ExistsError, NotFoundError, ZincError
from zinczarr._workers import in_thread
from zinczarr._zarr_arrays import opened_store
from zinczarr._zarr_locks import key_locks

if TYPE_CHECKING:
    from zarr.abc.store import ByteRequest
    from zarr.core.buffer import Buffer, BufferPrototype

    from zinczarr._zarr_batch import Piece


class Compared:
    """A key as the codecs see it (zarr.abc.store.ByteSetter): what is set replaces only what was read."""

    def __init__(self, store: _core.Store, key: str, durable: bool) -> None:
        self.store, self.key, self.relaxed = store, key, not durable
        self.read = False
        self.tag: bytes | None = None  # of what was read; None: there was nothing

    async def get(
        self, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        found = await in_thread(self.store.get_tagged, self.key)
        tag = None if found is None else found[1]
        if self.read and tag != self.tag:
            raise ConflictError("the chunk was changed between two reads")
        self.read, self.tag = True, tag
        if found is None:
            return None
        value = memoryview(found[0])[_range(byte_range, len(found[0]))]
        return (prototype or default_buffer_prototype()).buffer.from_bytes(bytes(value))

    async def set(self, value: Buffer) -> None:
        data = np.ascontiguousarray(value.as_numpy_array()).view(np.uint8)
        await in_thread(self._put, data)

    def _put(self, data: Any) -> None:
        absent = self.read and self.tag is None
        self.store.put(self.key, data, absent=absent, tag=self.tag, relaxed=self.relaxed)

    async def delete(self) -> None:
        if not self.read or self.tag is not None:
            await in_thread(self._delete)

    def _delete(self) -> None:
        try:
            self.store.delete(self.key, tag=self.tag, relaxed=self.relaxed)
        except NotFoundError:
            if self.read:
                raise ConflictError("the chunk was deleted after it was read") from None

    async def set_if_not_exists(self, default: Buffer) -> None:
        raise NotImplementedError


def _range(request: ByteRequest | None, length: int) -> slice:
    if isinstance(request, RangeByteRequest):
        return slice(request.start, request.end)
    if isinstance(request, OffsetByteRequest):
        return slice(request.offset, None)
    if isinstance(request, SuffixByteRequest):
        return slice(max(0, length - request.suffix), None)
    return slice(None)


async def write_alone(piece: Piece, write: Callable[[Piece], Awaitable[None]], durable: bool) -> None:
    """Write one piece so that changes of others to the same chunk are kept."""
    path = piece[0]
    opened = opened_store(path.store)
    async with key_locks.hold((type(path.store), str(path.store), path.path)):
        if path.store.read_only or opened is None or not opened.store.flags & Capability.CAS:
            await write(piece)
            return
        while True:
            try:
                await write((Compared(opened.store, path.path, durable), *piece[1:]))
                return
            except (ConflictError, ExistsError):
                continue
            except ZincError:  # a key that libzinc refuses: zarr-python writes it, or raises its own exception
                await write(piece)
                return
