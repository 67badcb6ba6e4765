"""`ZincStore`: every store of libzinc as a store of zarr-python.

>>> import zarr
>>> store = ZincStore("memory://example")
>>> array = zarr.create_array(store, name="t", shape=4, chunks=2, dtype="i4")
>>> array[:] = [1, 2, 3, 4]
>>> sorted(key for key, size in store.keys("t/"))
['t/c/0', 't/c/1', 't/zarr.json']
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any, Self, TypeVar

from zarr.abc.store import ByteRequest, Store
from zarr.core.buffer import Buffer, BufferPrototype, default_buffer_prototype

from zinczarr import _core
from zinczarr._byte_ranges import Together, as_range, together
from zinczarr._capabilities import Capability
from zinczarr._errors import ExistsError, IoError, LimitError, NotFoundError, UnsupportedError
from zinczarr._open import settings_of, url_of
from zinczarr._workers import workers

T = TypeVar("T")

# A call in another thread costs about 100 microseconds.  A local store reads this many bytes in less, so that values up
# to here are read at once; longer ones, in threads.
SMALL = 1 << 18


class ZincStore(Store):
    """A store of zarr-python on a store of libzinc, named by its URL.

    Parameters
    ----------
    url
        A path, or a URL: `file:///x`, `memory://name`, `x.zip`, `sqlite:///x.db`, `s3://bucket/path`,
        `https://host/path` ...
    read_only
        Every change raises ValueError, as with the stores of zarr-python.
    settings
        Of the store, by name, such as `{"endpoint": "http://localhost:9000", "anonymous": True}` for s3.  fsspec's
        words for them (`anon`, `endpoint_url`) are understood, too.
    relaxed
        Writes do not wait for the disk, as those of zarr's LocalStore do not.  With False, what was written survives a
        power loss where the store can promise it.

    Notes
    -----
    What the stores give:

    ====================== ======= ======== ========================================================
    store                  deletes listing  `set_if_not_exists`
    ====================== ======= ======== ========================================================
    memory                 yes     yes      atomic in this process
    a directory            yes     yes      atomic
    zip, on the local disk no      yes      atomic
    sqlite, lmdb, leveldb  yes     yes      atomic
    s3, gs, az             yes     yes      atomic, by a conditional request; else see below
    http, https            no      no       read-only
    ====================== ======= ======== ========================================================

    Where a server has no conditions, `set_if_not_exists` looks first and then writes, as zarr's own `Store` does: then
    two writers can both believe that they were the first.

    A key that does not exist is None.  Whatever else happens raises, and never a `FileNotFoundError` or `KeyError`,
    which zarr takes for a missing node: a bucket that does not exist is an `OSError`.

    Keys that a store cannot have (empty components, `..`, control characters; in a directory also names of more than
    248 bytes) raise ValueError.  A directory cannot have both `a` and `a/b`; a key that is the name of a directory is a
    missing key.

    A change of a zip archive writes the archive anew.  It is a good place to read from and to copy to, not to write
    single chunks to.

    Instances can be pickled, and used after fork.  `memory://` belongs to its process, and unpickling it in another one
    raises ValueError.  Its values live as long as an instance does.
    """

    def __init__(
        self,
        url: str | os.PathLike[str],
        *,
        read_only: bool = False,
        settings: Mapping[str, object] | None = None,
        relaxed: bool = True,
    ) -> None:
        super().__init__(read_only=read_only)
        if not isinstance(url, (str, os.PathLike)):
            raise TypeError(f"the URL of a ZincStore is a text or a path, not {url!r}")
        self._url = str(url_of(url))
        self._settings = settings_of(settings, None)
        self._relaxed = relaxed
        self._handle: _core.Store | None = None
        self._keep: object = None  # a handle that keeps the values of memory:// alive

    # ---- the handle ----

    @property
    def core(self) -> _core.Store:
        """The store of libzinc, which is opened when it is first used."""
        if self._handle is None:
            handle = _core.Store(self._url, settings=self._settings, read_only=self._read_only, relaxed=self._relaxed)
            self._handle = self._handle or handle  # another thread may have been faster
            self._is_open = True
        return self._handle

    async def _ready(self) -> _core.Store:
        """Opening may wait: for a server that has the directory of an archive, for the lock of a database."""
        handle = self._handle
        if handle is None:
            handle = await _in_thread(lambda: self.core)
        return handle

    async def _open(self) -> None:
        if self._is_open:
            raise ValueError("store is already open")
        await self._ready()
        self._is_open = True

    def close(self) -> None:
        """Close the store.  Calls that are under way end as usual, and the next one opens it again."""
        super().close()
        if not _in_memory(self._url):
            self._handle = None

    def with_read_only(self, read_only: bool = False) -> Self:
        """The same store, writable or not.  It is not open."""
        other = type(self)(self._url, read_only=read_only, settings=self._settings, relaxed=self._relaxed)
        if _in_memory(self._url):
            other._keep = self.core
        return other

    @property
    def url(self) -> str:
        """The URL, and a path as an absolute one.  `str(store)` leaves out user, password and query."""
        return self._url

    @property
    def settings(self) -> dict[str, str]:
        """The settings that were given."""
        return dict(self._settings)

    @property
    def capabilities(self) -> Capability:
        """What the store can do.  Of a remote store this may change as the server answers."""
        return Capability(self.core.flags)

    def _can(self, capability: Capability) -> bool:
        return bool(self.core.flags & capability)

    @property
    def supports_writes(self) -> bool:
        """Can keys be written?"""
        return self._can(Capability.WRITE) or self._read_only

    @property
    def supports_deletes(self) -> bool:
        """Can keys be deleted?  Not those of an archive."""
        return self._can(Capability.ERASE) or self._read_only

    @property
    def supports_listing(self) -> bool:
        """Can keys be listed?  Not those of a web server."""
        return self._can(Capability.LIST)

    @property
    def _supports_sync_io(self) -> bool:
        """zarr asks: it then reads one key after the other, which is for stores that answer at once."""
        return not self._can(Capability.REMOTE)

    # ---- the object ----

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ZincStore) and (self._url, self._settings) == (other._url, other._settings)

    def __hash__(self) -> int:
        return hash(self._url)

    def __str__(self) -> str:
        shown = _shown(self._url)
        return f"file://{shown}" if shown.startswith("/") else shown

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self}')"

    def __reduce__(self) -> tuple[object, ...]:
        options = {"read_only": self._read_only, "settings": self._settings, "relaxed": self._relaxed}
        return _rebuild, (type(self), self._url, options, os.getpid())

    # ---- reading ----

    def get_sync(
        self, key: str, *, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """As `get`, without an event loop."""
        return _buffer(_get(self.core, key, as_range(byte_range)), prototype)

    async def get(
        self, key: str, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """The value or a part of it; None if there is no such key."""
        core, part = await self._ready(), as_range(byte_range)
        if not core.flags & Capability.REMOTE:
            try:
                return _buffer(_get(core, key, part, SMALL), prototype)
            except LimitError:
                pass
        return _buffer(await _in_thread(lambda: _get(core, key, part)), prototype)

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        """Many values or parts, with one call of the store."""
        core = await self._ready()
        requests = [(key, *as_range(byte_range)) for key, byte_range in key_ranges]
        found = await _in_thread(lambda: _get_many(core, requests)) if requests else []
        return [_buffer(value, prototype) for value in found]

    async def _get_many(
        self, requests: Iterable[tuple[str, BufferPrototype, ByteRequest | None]]
    ) -> AsyncGenerator[tuple[str, Buffer | None], None]:
        wanted = list(requests)
        core = await self._ready()
        parts = [(key, *as_range(byte_range)) for key, _, byte_range in wanted]
        found = await _in_thread(lambda: _get_many(core, parts)) if parts else []
        for (key, prototype, _), value in zip(wanted, found, strict=True):
            yield key, _buffer(value, prototype)

    async def get_ranges(
        self,
        key: str,
        byte_ranges: Sequence[ByteRequest | None],
        *,
        prototype: BufferPrototype,
        max_concurrency: int = 10,
        max_gap_bytes: int = 1 << 20,
        max_coalesced_bytes: int = 16 << 20,
    ) -> AsyncIterator[Sequence[tuple[int, Buffer | None]]]:
        """Many parts of one value, also while others replace it.  The store decides how many requests are open."""
        plan = together(byte_ranges, max_gap_bytes, max_coalesced_bytes)
        core = await self._ready()
        if plan:
            yield await _in_thread(lambda: _get_plan(core, key, plan, prototype))

    def get_ranges_sync(
        self,
        key: str,
        byte_ranges: Sequence[ByteRequest | None],
        *,
        prototype: BufferPrototype,
        max_gap_bytes: int = 1 << 20,
        max_coalesced_bytes: int = 16 << 20,
    ) -> Sequence[tuple[int, Buffer | None]]:
        """As `get_ranges`, without an event loop."""
        plan = together(byte_ranges, max_gap_bytes, max_coalesced_bytes)
        return _get_plan(self.core, key, plan, prototype) if plan else []

    async def exists(self, key: str) -> bool:
        """Is there such a key?"""
        return await self._size(key) is not None

    async def getsize(self, key: str) -> int:
        """The bytes of a value; FileNotFoundError if there is no such key."""
        size = await self._size(key)
        if size is None:
            raise FileNotFoundError(key)
        return size

    async def _size(self, key: str) -> int | None:
        core = await self._ready()
        return await _soon(core, lambda: _missing_is_none(lambda: core.size(key)))

    # ---- writing ----

    def set_sync(self, key: str, value: Buffer) -> None:
        """As `set`, without an event loop."""
        self._check_writable()
        self.core.put(key, _bytes_of(value), relaxed=self._relaxed)

    async def set(self, key: str, value: Buffer) -> None:
        """Store a value."""
        self._check_writable()
        core, data = await self._ready(), _bytes_of(value)
        await _write(core, lambda: core.put(key, data, relaxed=self._relaxed))

    async def set_if_not_exists(self, key: str, value: Buffer) -> None:
        """Store a value if there is no such key.

        Of several writers exactly one succeeds, where the store has conditions.
        """
        self._check_writable()
        core, data = await self._ready(), _bytes_of(value)
        await _write(core, lambda: _put_new(core, key, data, self._relaxed))

    async def _set_many(self, values: Iterable[tuple[str, Buffer]]) -> None:
        self._check_writable()
        core, items = await self._ready(), {key: _bytes_of(value) for key, value in values}
        await _write(core, lambda: core.put_many(list(items.items()), relaxed=self._relaxed))

    # ---- deleting ----

    def delete_sync(self, key: str) -> None:
        """As `delete`, without an event loop."""
        self._check_writable()
        _delete(self.core, key, self._relaxed)

    async def delete(self, key: str) -> None:
        """Delete a key, or do nothing if there is none.  NotImplementedError if the store keeps it for ever."""
        self._check_writable()
        core = await self._ready()
        await _write(core, lambda: _delete(core, key, self._relaxed))

    async def delete_dir(self, prefix: str) -> None:
        """Delete every key below a prefix."""
        self._check_writable()
        core, below = await self._ready(), _below(prefix)
        await _write(core, lambda: _delete_below(core, below, self._relaxed))

    async def clear(self) -> None:
        """Delete every key."""
        await self.delete_dir("")

    # ---- listing ----

    def keys(self, prefix: str = "") -> list[tuple[str, int]]:
        """Every key that begins with the prefix, in byte order, with its size."""
        return _keys(self.core, prefix)

    async def list(self) -> AsyncIterator[str]:
        """Every key."""
        async for key in self.list_prefix(""):
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Every key that begins with the prefix, as text: "a" gives "ab/c", and "a/" does not."""
        core = await self._ready()
        for key, _ in await _in_thread(lambda: _keys(core, prefix)):
            yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """The names of keys and prefixes directly below a prefix."""
        core, below = await self._ready(), _below(prefix)
        for entry in await _soon(core, lambda: _names(core, below)):
            yield entry

    async def is_empty(self, prefix: str) -> bool:
        """Is there no key below the prefix?"""
        core, below = await self._ready(), _below(prefix)
        return not await _soon(core, lambda: _names(core, below))

    async def getsize_prefix(self, prefix: str) -> int:
        """The bytes of all values below a prefix."""
        core, below = await self._ready(), _below(prefix)
        return sum(size for _, size in await _in_thread(lambda: _listed(core, below)))


def _rebuild(kind: type[ZincStore], url: str, options: dict[str, Any], process: int) -> ZincStore:
    if _in_memory(url) and process != os.getpid():
        raise ValueError(f"{_shown(url)} is in the memory of another process")
    return kind(url, **options)


# ---- threads ----


async def _in_thread(job: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(workers(), job)


async def _soon(core: _core.Store, job: Callable[[], T]) -> T:
    """What a local store answers at once."""
    return await _in_thread(job) if core.flags & Capability.REMOTE else job()


async def _write(core: _core.Store, job: Callable[[], None]) -> None:
    """Disks and locks may take their time; memory does not."""
    if core.flags & (Capability.REMOTE | Capability.DURABLE):
        await _in_thread(job)
    else:
        job()


# ---- errors ----


def _missing_is_none(call: Callable[[], T | None]) -> T | None:
    """A directory is not a key.  No failure is a missing key: zarr would go on with fill values, or create a node."""
    try:
        return call()
    except NotFoundError as error:
        raise _as_io(error) from error
    except IoError as error:
        if error.os_error == errno.EISDIR:
            return None
        raise


def _as_io(error: NotFoundError) -> IoError:
    other = IoError(*error.args)
    other.__dict__.update(error.__dict__)
    return other


# ---- values ----


def _get(core: _core.Store, key: str, part: tuple[int, int, bool], limit: int = 0) -> _core.Blob | None:
    return _missing_is_none(lambda: core.get(key, *part, limit))


def _get_many(core: _core.Store, requests: Sequence[tuple[str, int, int, bool]]) -> list[_core.Blob | None]:
    try:
        return core.get_many(requests)
    except (NotFoundError, IoError):  # one of them may be a directory
        return [_get(core, key, (start, length, suffix)) for key, start, length, suffix in requests]


def _get_plan(
    core: _core.Store, key: str, plan: list[Together], prototype: BufferPrototype
) -> list[tuple[int, Buffer | None]]:
    """The parts of one value.  As zarr does, failures come as a group, and a missing key is a failure."""
    requests = [(key, *group.request) for group in plan]
    try:
        found = _missing_is_none(lambda: core.get_many(requests, same=True))
    except Exception as error:
        raise BaseExceptionGroup("reading parts of a value failed", [error]) from None
    if found is None or None in found:
        raise BaseExceptionGroup("reading parts of a value failed", [FileNotFoundError(key)])
    parts: list[tuple[int, Buffer | None]] = []
    for group, value in zip(plan, found, strict=True):
        whole = _buffer(value, prototype)
        parts += [(i, whole[start:end] if whole is not None else None) for i, start, end in group.members]
    return parts


def _buffer(value: _core.Blob | None, prototype: BufferPrototype | None) -> Buffer | None:
    if value is None:
        return None
    return (prototype or default_buffer_prototype()).buffer.from_bytes(value)  # type: ignore[arg-type]


def _bytes_of(value: Buffer) -> Any:
    if not isinstance(value, Buffer):
        raise TypeError(
            f"ZincStore.set(): `value` must be a Buffer instance. Got an instance of {type(value)} instead."
        )
    return value.as_buffer_like()


def _put_new(core: _core.Store, key: str, data: Any, relaxed: bool) -> None:
    try:
        core.put(key, data, absent=True, relaxed=relaxed)
    except ExistsError:
        core.size(key)  # raises if it is a directory that exists
    except UnsupportedError:
        if core.size(key) is None:
            core.put(key, data, relaxed=relaxed)


# ---- deleting ----


def _delete(core: _core.Store, key: str, relaxed: bool) -> None:
    """zarr deletes chunks without asking whether they exist."""
    if core.flags & Capability.ERASE:
        core.delete(key, relaxed=relaxed)
    elif _missing_is_none(lambda: core.size(key)) is not None:
        raise NotImplementedError(f"{_shown(core.url)}: keys of this store cannot be deleted")


def _delete_below(core: _core.Store, below: str, relaxed: bool) -> None:
    if core.flags & Capability.ERASE:
        core.delete_prefix(below, relaxed=relaxed)
    elif _names(core, below):
        raise NotImplementedError(f"{_shown(core.url)}: keys of this store cannot be deleted")


# ---- listing ----


def _below(prefix: str) -> str:
    """A prefix of zarr, with or without slashes at its ends, as one of libzinc: "" or "a/b/"."""
    inner = prefix.strip("/")
    return f"{inner}/" if inner else ""


def _listed(core: _core.Store, below: str) -> list[tuple[str, int]]:
    try:
        return core.list(below)
    except NotFoundError as error:
        raise _as_io(error) from error


def _keys(core: _core.Store, prefix: str) -> list[tuple[str, int]]:
    """Where the last part of a prefix is the beginning of names, only these are listed."""
    parent, slash, start = prefix.lstrip("/").rpartition("/")
    if not start:
        return _listed(core, parent + slash)
    found: list[tuple[str, int]] = []
    for entry in core.list_dir(parent + slash):
        if entry.startswith(parent + slash + start):
            found += _listed(core, entry) if entry.endswith("/") else [(entry, core.size(entry) or 0)]
    return found


def _names(core: _core.Store, below: str) -> list[str]:
    """A name can be both a key and a prefix."""
    try:
        entries = core.list_dir(below)
    except NotFoundError as error:
        raise _as_io(error) from error
    return list(dict.fromkeys(entry[len(below) :].rstrip("/") for entry in entries))


# ---- URLs ----


def _in_memory(url: str) -> bool:
    """Are the values in the memory of this process?

    >>> _in_memory("memory://x"), _in_memory("zip://a::memory://x"), _in_memory("/memory:/x")
    (True, True, False)
    """
    return re.match(r"(.*::)?memory:", url) is not None


def _shown(url: str) -> str:
    """Without user, password and query.

    >>> _shown("https://user:password@host/a?token=secret")
    'https://host/a'
    """
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", url):
        return url
    return re.sub(r"\?[^|]*", "", re.sub(r"//[^/@|]*@", "//", url))
