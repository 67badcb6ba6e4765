"""The C extension: thin objects on libzinc, without NumPy.  Private; the package's modules give it a Python face.

A buffer is any object with the buffer protocol (strides are fine).  JSON is text.  A call that fails raises a class of
`zinczarr._errors`.  Every call releases the GIL, and Ctrl-C cancels it if the main thread made it.  `progress`
gets (units done, units in all, bytes done) and may return true to cancel.
"""

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Self, final

from typing_extensions import Buffer

Progress = Callable[[int, int, int], object]
# One item for each dimension: an index (the dimension disappears), (start, count, step), or a contiguous buffer of uint64
Select = Sequence[int | tuple[int, int, int] | Buffer]
# kind (0 nothing usable, 1 group, 2 array), path, name, metadata key, implicit, depth, problem, attributes (JSON),
# describe (JSON of the array in the words of v3, "" for groups), hidden
Node = tuple[int, str, str, str, bool, int, str | None, str, str | Array, bool]

VERSION: Final[str]

def threads(n: int = ...) -> int:
    """The most threads that a call uses; n > 0 changes it.  Calls at the same time share them."""

def trim() -> None:
    """Free memory that is kept for later calls."""

def rows(what: str) -> list[tuple[str, str, str]]:
    """Name, other names and purpose of all `what`: formats, stores, codecs, dtypes, libraries ..."""

@final
class Blob:
    """Bytes that the library returned, without a copy: a read-only buffer."""

    def __len__(self) -> int: ...
    def __bytes__(self) -> bytes: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class Store:
    """Keys and bytes (zinc/store.h)."""

    def __new__(
        cls,
        url: str,
        *,
        settings: Mapping[str, str] | None = None,
        read_only: bool = False,
        relaxed: bool = False,
        links: int = 0,
    ) -> Self: ...
    @property
    def url(self) -> str: ...
    @property
    def flags(self) -> int:
        """Capabilities: the numbers of ZINC_CAP_*"""
    def get(self, key: str, start: int = 0, length: int = -1, suffix: bool = False, limit: int = 0) -> Blob | None:
        """The value or a part of it (length < 0: to the end; suffix: its last `length` bytes); None: no such key.

        More than `limit` bytes (0: any number) raise LimitError, before they are in memory.
        """
    def get_many(
        self, requests: Sequence[tuple[str, int, int, bool]], *, same: bool = False
    ) -> builtins.list[Blob | None]:
        """Many of them in one call.

        same: they are parts of one value, also while others replace it; ConflictError if it never stays long enough.
        """
    def get_tagged(self, key: str) -> tuple[Blob, bytes] | None:
        """The value and its tag, for `put(..., tag=)`."""
    def size(self, key: str) -> int | None: ...
    def put(self, key: str, value: Buffer, *, absent: bool = False, tag: bytes | None = None, relaxed: bool = False) -> None:
        """absent: raise ExistsError if the key exists; tag: ConflictError if the value has another tag."""
    def put_many(self, items: Sequence[tuple[str, Buffer]], *, relaxed: bool = False) -> None: ...
    def delete(self, key: str, *, tag: bytes | None = None, relaxed: bool = False) -> None: ...
    def delete_many(self, keys: Sequence[str], *, relaxed: bool = False) -> None: ...
    def delete_prefix(self, prefix: str, *, relaxed: bool = False) -> None: ...
    def list(self, prefix: str = "") -> builtins.list[tuple[str, int]]:
        """Every key below the prefix ("" or ending in "/"), with its size."""
    def list_dir(self, prefix: str = "") -> builtins.list[str]:
        """One level; prefixes end in "/"."""
    def sync(self) -> None: ...

@final
class Hierarchy:
    """A hierarchy of any version of Zarr (zinc.h section 6)."""

    def __new__(
        cls,
        url: str | Store,
        *,
        prefix: str = "",
        format: str | None = None,
        read_only: bool = False,
        relaxed: bool = False,
        create: bool = False,
        climb: bool = True,
        strict: bool = False,
        keep_documents: bool = False,
        links: int = 0,
        fallback: str | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> Self:
        """Of a URL; or with the root at `prefix` of an open store, which then decides read_only, relaxed and links."""
    @property
    def path(self) -> str:
        """Of the node that the URL names: "/" is the root."""
    @property
    def format(self) -> str: ...
    @property
    def url(self) -> str:
        """Of the store, without secrets."""
    @property
    def prefix(self) -> str: ...
    @property
    def store(self) -> Store: ...
    def kind(self, path: str) -> int:
        """0 nothing, 1 group, 2 array"""
    def walk(self, path: str, depth: int = -1, arrays: bool = False) -> list[Node]:
        """The node (depth 0), with its children (1), or with everything below (-1).  `arrays`: those that can be used are
        handles, not texts."""
    def document(self, path: str) -> str: ...
    def attributes(self, path: str) -> str: ...
    def edit_attributes(self, path: str, changes: Sequence[tuple[str, str | None]]) -> None:
        """Set keys to JSON, or remove them (None), in one step."""
    def create_group(self, path: str, attributes: str | None = None, overwrite: int = 0) -> None:
        """overwrite: 1 as zinc_node_erase_with, 2 also keys that may not belong to the node."""
    def erase(self, path: str, *, force: bool = False, progress: Progress | None = None) -> tuple[int, int]:
        """Returns the numbers of nodes and keys that were erased."""
    def consolidate(self, path: str, *, remove: bool = False, progress: Progress | None = None) -> None: ...
    def consolidated(self, path: str) -> bool: ...

@final
class Array:
    """An array (zinc.h section 7)."""

    @staticmethod
    def open(hierarchy: Hierarchy, path: str) -> Array: ...
    @staticmethod
    def from_document(hierarchy: Hierarchy, path: str, document: str) -> Array:
        """An array whose document is `document`, whatever the store has.  Reads nothing."""
    @staticmethod
    def create(
        hierarchy: Hierarchy,
        path: str,
        *,
        shape: Sequence[int],
        dtype: str,
        chunks: Sequence[int] | None = None,
        shards: Sequence[int] | None = None,
        auto_shards: bool = False,
        codecs: str | None = None,
        fill: str | None = None,
        dimension_names: Sequence[str | None] | None = None,
        attributes: str | None = None,
        key_encoding: str | None = None,
        overwrite: int = 0,
        big_endian: bool = False,
        fortran: bool = False,
        chunk_edges: str | None = None,
        shard_edges: str | None = None,
    ) -> Array: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def type(self) -> int:
        """The number of the element type in zinc.h (1 bool, 2 int8 ... 14 complex128); 0: another type"""
    @property
    def dtype(self) -> str:
        """The v3 name, or the JSON of an extension"""
    @property
    def numpy(self) -> str:
        """The NumPy type as Python source ("'<f4'", "[('a', '<i4')]"); "": variable length, or unsupported"""
    @property
    def element_size(self) -> int: ...
    @property
    def variable(self) -> bool: ...
    @property
    def dimension_names(self) -> tuple[str | None, ...]: ...
    @property
    def path(self) -> str: ...
    @property
    def unsupported(self) -> str | None: ...
    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The inner chunks where sharded; None where chunks have several lengths"""
    @property
    def shards(self) -> tuple[int, ...] | None:
        """The largest along each dimension, where they have several lengths"""
    @property
    def grid(self) -> tuple[int, ...] | None:
        """Stored objects along each dimension"""
    @property
    def regular(self) -> bool:
        """Stored objects have one shape"""
    @property
    def fill(self) -> bytes | str | None:
        """The fill value: an element in native byte order; text for "string"; None: unsupported"""
    def lengths(self, axis: int, /) -> tuple[int, ...]:
        """The length of each stored object along a dimension, not cut at the array's end"""
    def describe(self) -> str: ...
    def refresh(self) -> None: ...
    def get(self, key: Any, make: Callable[..., Any], dtype: Any, /) -> Any:
        """Of a key of ints, forward slices and an ellipsis: `make(shape, dtype)`, a NumPy array, with the elements of
        the array's own type; a scalar if it has no dimensions.  NotImplemented: another key."""
    def read(
        self,
        out: Buffer,
        type: int,
        select: Select | None = None,
        *,
        points: Buffer | None = None,
        mask: Buffer | None = None,
        convert: int = 0,
        missing_is_error: bool = False,
        missing: list[tuple[int, ...]] = ...,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> None:
        """Read into `out`, a buffer of the selection's shape whose elements are of `type` (0: the array's own).

        Elements of variable length go as str or bytes into a buffer of objects (format "O").  `points` is a
        contiguous buffer of uint64 of shape (n, rank), `mask` a contiguous one of a byte for each element of the array.
        `convert`: what to do with numbers that do not fit, by the flags of zinc_convert.  `missing` gets the grid index
        of every chunk or shard that is not stored; an index may come twice.
        """
    def write(
        self,
        source: Buffer,
        type: int,
        select: Select | None = None,
        *,
        points: Buffer | None = None,
        mask: Buffer | None = None,
        convert: int = 0,
        store_fill: bool = False,
        relaxed: bool = False,
        single_writer: bool = False,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> None: ...
    def append(
        self, source: Buffer, type: int, axis: int, *, convert: int = 0, relaxed: bool = False, progress: Progress | None = None
    ) -> int:
        """Returns the first index of the range that was reserved and written."""
    def reserve(self, count: int, axis: int, /) -> int:
        """Grow the axis as append does, and return the first index of the range; it is fill value until it is written."""
    def resize(self, shape: Sequence[int]) -> None: ...
    def chunk_key(self, index: Sequence[int], /) -> str: ...
    def chunk_get(self, index: Sequence[int], /) -> Blob | None: ...
    def chunk_put(self, index: Sequence[int], value: Buffer | None) -> None: ...
    def stored(self) -> dict[str, int]:
        """The members of zinc_stored."""
    def explain(
        self,
        select: Select | None = None,
        *,
        points: Buffer | None = None,
        mask: Buffer | None = None,
        chunks: bool = False,
    ) -> dict[str, Any]:
        """The members of zinc_explanation; `better` is a shape of chunks or None.  With `chunks` also their list, "list"."""
    def stats(
        self,
        select: Select | None = None,
        *,
        points: Buffer | None = None,
        mask: Buffer | None = None,
        threads: int = 0,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """The members of zinc_stats; None where there is no number."""

def copy(
    source: str,
    target: str,
    options: Mapping[str, Any],
    *,
    chunks: Sequence[int] | None = None,
    shards: Sequence[int] | None = None,
    settings: Mapping[str, str] | None = None,
    note: Callable[[int, str, str], object] | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """zinc_copy_url; options are the other members of zinc_copy_options by name.  Returns zinc_copy_counts.

    `note` gets the kind, path and message of each zinc_copy_note, and may return true to cancel.
    """

def move(
    hierarchy: Hierarchy,
    source: str,
    target: str,
    options: Mapping[str, Any],
    *,
    note: Callable[[int, str, str], object] | None = None,
    progress: Progress | None = None,
) -> None:
    """zinc_move: rename a node within its hierarchy."""

def validate(
    url: str,
    options: Mapping[str, Any],
    *,
    settings: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> tuple[list[dict[str, Any]], list[str], dict[str, int]]:
    """zinc_validate: the findings, the arrays without a checksum, and zinc_validate_counts."""

def diff(
    a: Hierarchy, path_a: str, b: Hierarchy, path_b: str, options: Mapping[str, Any], *, progress: Progress | None = None
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """zinc_diff: the differences, and zinc_diff_counts."""

def batch_box(
    batch: list[Any], chunks: Sequence[int], letter: str, separator: str
) -> tuple[str, tuple[int | tuple[int, int, int], ...]] | None:
    """The array's path and the box that a batch of zarr-python's pieces selects; None: they are no box.

    `letter` ("c" or "") and `separator` say how chunks are named.
    """
