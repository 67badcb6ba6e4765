"""Which arrays of zarr-python libzinc can read and write itself, and the handles for them.

An array qualifies if its store is one that libzinc has too, every codec is exactly a class of zarr-python or numcodecs
whose bytes libzinc knows, the grid is regular, and libzinc agrees with zarr-python on the element type and the fill
value.
"""

from __future__ import annotations

import ast
import functools
import json
import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numcodecs
import numpy as np
import zarr.codecs as zc
from zarr.codecs import numcodecs as zn
from zarr.codecs._v2 import V2Codec
from zarr.codecs.sharding import ShardingCodec, _ShardIndex, _ShardReader
from zarr.core.chunk_key_encodings import DefaultChunkKeyEncoding, V2ChunkKeyEncoding
from zarr.core.config import config
from zarr.core.metadata.v2 import ArrayV2Metadata
from zarr.core.metadata.v3 import ArrayV3Metadata, RegularChunkGridMetadata
from zarr.storage import LocalStore

from zinczarr import _core
from zinczarr._capabilities import Capability
from zinczarr._errors import ZincError, ZincWarning
from zinczarr._zarr_batch import Grid
from zinczarr._zarr_pristine import is_pristine
from zinczarr.zarr_store import ZincStore

if TYPE_CHECKING:
    from zarr.abc.store import Store
    from zarr.core.metadata import ArrayMetadata

# Compared by identity: a subclass, or a class that a program registered instead, encodes as it likes.
V3_CODECS: frozenset[type] = frozenset(
    {
        zc.BytesCodec,
        zc.BloscCodec,
        zc.Crc32cCodec,
        zc.GzipCodec,
        zc.TransposeCodec,
        zc.VLenBytesCodec,
        zc.VLenUTF8Codec,
        zc.ZstdCodec,
        zn.BZ2,
        zn.Blosc,
        zn.GZip,
        zn.LZ4,
        zn.LZMA,
        zn.Shuffle,
        zn.Zlib,
        zn.Zstd,
    }
)
V2_CODECS: frozenset[type] = frozenset(
    {
        numcodecs.BZ2,
        numcodecs.Blosc,
        numcodecs.GZip,
        numcodecs.LZ4,
        numcodecs.LZMA,
        numcodecs.Shuffle,
        numcodecs.VLenBytes,
        numcodecs.VLenUTF8,
        numcodecs.Zlib,
        numcodecs.Zstd,
    }
)
# Members of a v3 document that decide how elements are stored.
V3_MEMBERS = (
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
)


# ---- metadata ----


def _known_codecs(codecs: Any) -> bool:
    return all(type(c) in V3_CODECS or (type(c) is ShardingCodec and _known_sharding(c)) for c in codecs)


def _known_sharding(codec: ShardingCodec) -> bool:
    return _known_codecs(codec.codecs) and _known_codecs(codec.index_codecs)


def _classes_of(codecs: Any) -> set[type]:
    """The classes that encode and decode."""
    found = {type(c) for c in codecs}
    for c in codecs:
        if type(c) is ShardingCodec:
            found |= {_ShardIndex, _ShardReader} | _classes_of(c.codecs) | _classes_of(c.index_codecs)
    return found


def _chosen_order(codecs: Any) -> bool:
    """Has the user chosen an order of chunks in shards?  zarr-python keeps it; libzinc has its own."""
    shards = [c for c in codecs if type(c) is ShardingCodec]
    return any(c.subchunk_write_order != "morton" or _chosen_order(c.codecs) for c in shards)


def _v3_grid(metadata: ArrayV3Metadata) -> Grid | None:
    grid, keys = metadata.chunk_grid, metadata.chunk_key_encoding
    if type(grid) is not RegularChunkGridMetadata or metadata.storage_transformers:
        return None
    if not _known_codecs(metadata.codecs):
        return None
    if type(keys) is DefaultChunkKeyEncoding:
        return Grid(tuple(grid.chunk_shape), "c", keys.separator)
    return Grid(tuple(grid.chunk_shape), "", keys.separator) if type(keys) is V2ChunkKeyEncoding else None


def _v2_grid(metadata: ArrayV2Metadata) -> Grid | None:
    codecs = [*(metadata.filters or ()), metadata.compressor]
    if not all(c is None or type(c) in V2_CODECS for c in codecs):
        return None
    return Grid(tuple(metadata.chunks), "", metadata.dimension_separator)


def _document(metadata: ArrayMetadata) -> dict[str, Any]:
    members = metadata.to_dict()
    if isinstance(metadata, ArrayV2Metadata):
        members.pop("attributes", None)
        return members
    return {name: members[name] for name in V3_MEMBERS}


def fill_of(metadata: ArrayMetadata) -> Any:
    """The fill value as zarr-python uses it: version 2 may have none."""
    return metadata.dtype.default_scalar() if metadata.fill_value is None else metadata.fill_value


def native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same type in this machine's byte order."""
    return dtype if dtype.kind in "OT" else dtype.newbyteorder("=")


# ---- stores ----


class Opened:
    """A store that libzinc has opened, and its hierarchies by version of Zarr."""

    def __init__(self, store: _core.Store) -> None:
        self.store = store
        self._hierarchies: dict[int, _core.Hierarchy] = {}

    def hierarchy(self, version: int) -> _core.Hierarchy:
        found = self._hierarchies.get(version)
        if found is None:
            found = _core.Hierarchy(self.store, format=f"v{version}", create=True, climb=False)
            self._hierarchies[version] = found
        return found


@functools.lru_cache(maxsize=64)
def _open_directory(path: str, identity: tuple[int, int]) -> Opened:
    """`identity` (device, inode) tells a directory from another one that has taken its place."""
    opened = Opened(_core.Store(path))
    if _identity(path) != identity:
        raise FileNotFoundError(path)
    return opened


def _identity(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def _opened_directory(store: LocalStore) -> Opened:
    path = os.path.abspath(store.root)
    return _open_directory(path, _identity(path))


def _opened_zinc(store: ZincStore) -> Opened:
    """The store has it, so that both end together: the values of memory:// live as long as a handle."""
    opened: Opened | None = store.__dict__.get("_of_pipelines")
    if opened is None or opened.store is not store.core:
        opened = Opened(store.core)
        store.__dict__["_of_pipelines"] = opened
    return opened


_OPENERS: dict[type, Any] = {LocalStore: _opened_directory, ZincStore: _opened_zinc}


def opened_store(store: Store) -> Opened | None:
    """The store as libzinc has it; None: it has none, or its directory does not exist."""
    opener = _OPENERS.get(type(store))
    try:
        return None if opener is None else opener(store)
    except (ZincError, OSError):
        return None


def is_durable(store: Store) -> bool:
    """Do writes wait for the disk?  Those of zarr-python's LocalStore do not, unless the user wants it."""
    if type(store) is ZincStore:
        return not store._relaxed
    return config.get("zinczarr.durable", False) in (True, 1, "1", "true", "yes")


# ---- arrays ----


@dataclass(frozen=True)
class Handle:
    """An array that libzinc has opened by zarr-python's metadata."""

    array: _core.Array
    opened: Opened
    path: str
    shape: tuple[int, ...]
    chunk_bytes: int  # of a chunk in memory, or of an inner one of a shard

    @property
    def remote(self) -> bool:
        """Is each request a wait?"""
        return bool(self.opened.store.flags & Capability.REMOTE)

    @property
    def excludes(self) -> bool:
        """Does the store exclude other writers while part of a chunk is changed?"""
        return bool(self.opened.store.flags & (Capability.CAS | Capability.UPDATE))


class Source:
    """What one pipeline knows of its array: metadata and store; handles are opened when they are needed."""

    def __init__(self, metadata: ArrayMetadata, store: Store) -> None:
        self.metadata, self.store = metadata, store
        self.grid = _v3_grid(metadata) if isinstance(metadata, ArrayV3Metadata) else _v2_grid(metadata)
        known = self.grid is not None and type(store) in _OPENERS
        self.usable = known and is_pristine(_classes_of(codecs_of(metadata)))
        self.writable = not (isinstance(metadata, ArrayV3Metadata) and _chosen_order(metadata.codecs))
        self.dtype: np.dtype[Any] = metadata.dtype.to_native_dtype()
        self._document: dict[str, Any] | None = None
        self._handle: Handle | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Source, (self.metadata, self.store)

    def handle(self, path: str, end: tuple[int, ...]) -> Handle | None:
        """A handle whose shape has at least the extents `end`.

        A resize changes the metadata of zarr-python's array, but not those that its pipeline was made with.
        """
        opened = opened_store(self.store)
        if opened is None:
            return None
        h = self._handle
        if h and h.path == path and h.opened is opened and all(map(int.__ge__, h.shape, end)):
            return h
        h = self._make(opened, path, self._room(end))
        if h is None:
            self.usable = False
        self._handle = h
        return h

    def _room(self, end: tuple[int, ...]) -> tuple[int, ...]:
        """The shape, or where it is too small whole chunks and twice as many, so that few handles are opened."""
        assert self.grid is not None
        shape = tuple(map(int, self.metadata.shape))
        return tuple(n if e <= n else -(-e // c) * c * 2 for n, e, c in zip(shape, end, self.grid.chunks, strict=True))

    def _make(self, opened: Opened, path: str, shape: tuple[int, ...]) -> Handle | None:
        try:
            if self._document is None:
                self._document = _document(self.metadata)
            document = json.dumps({**self._document, "shape": shape})
            array = _core.Array.from_document(opened.hierarchy(self.metadata.zarr_format), "/" + path, document)
        except (ZincError, ZincWarning, ValueError, TypeError):
            return None
        if not self._agrees(array):
            return None
        return Handle(array, opened, path, shape, math.prod(array.chunks or ()) * array.element_size)

    def _agrees(self, array: _core.Array) -> bool:
        """Has libzinc understood the type, the chunks and the fill value as zarr-python does?"""
        assert self.grid is not None
        if array.unsupported is not None or (array.shards or array.chunks) != self.grid.chunks:
            return False
        fill = fill_of(self.metadata)
        if array.variable:
            return self.dtype.kind in "OT" and array.fill == fill
        if not array.numpy or self.dtype.kind in "OT":
            return False
        machine = native(self.dtype)
        if np.dtype(ast.literal_eval(array.numpy)) != machine:
            return False
        return array.fill == np.asarray(fill, dtype=self.dtype).astype(machine).tobytes()


def codecs_of(metadata: ArrayMetadata) -> list[Any]:
    """The codecs as zarr-python's own pipelines get them."""
    if isinstance(metadata, ArrayV3Metadata):
        return list(metadata.codecs)
    return [V2Codec(filters=metadata.filters, compressor=metadata.compressor)]
