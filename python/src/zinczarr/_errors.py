"""Exceptions, one class for each status of the library, and warnings."""

from __future__ import annotations


class ZincWarning(UserWarning):
    """Something that readers tolerate, and that should be mended."""


class ZincError(Exception):
    """Why a call failed.  `str()` is everything on one line; the attributes are its parts, empty if they do not apply."""

    status: str = ""
    os_error: int = 0
    url: str = ""
    key: str = ""
    chunk: str = ""
    codec: str = ""
    rule: str = ""
    pointer: str = ""
    text: str = ""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


class InvalidError(ZincError, ValueError):
    """The arguments contradict each other or the specification."""


class NotFoundError(ZincError, FileNotFoundError, KeyError):
    """There is no such key or node."""


class CorruptError(ZincError, ValueError):
    """The stored bytes contradict the format."""


class ChecksumError(CorruptError):
    """A checksum does not match."""


class UnsupportedError(ZincError, NotImplementedError):
    """Valid Zarr, but not built into this library."""


class LimitError(ZincError, ValueError):
    """A limit would be passed."""


class IoError(ZincError, OSError):
    """The operating system or a server reported an error."""


class ConflictError(ZincError):
    """Someone else changed the key first."""


class UncertainError(IoError):
    """The write may or may not have happened."""


class ExistsError(ZincError, FileExistsError):
    """The target already exists."""


class CancelledError(ZincError):
    """The caller cancelled, or the time was over."""


class ReadOnlyError(ZincError, PermissionError):
    """This store or handle cannot be written."""


class RangeError(ZincError, IndexError, OverflowError):
    """An index is out of range, or a value does not fit."""


_CLASSES: dict[int, tuple[str, type[ZincError] | type[MemoryError]]] = {
    1: ("E_NOMEM", MemoryError),
    2: ("E_INVALID", InvalidError),
    3: ("E_NOTFOUND", NotFoundError),
    4: ("E_CORRUPT", CorruptError),
    5: ("E_CHECKSUM", ChecksumError),
    6: ("E_UNSUPPORTED", UnsupportedError),
    7: ("E_LIMIT", LimitError),
    8: ("E_IO", IoError),
    9: ("E_CONFLICT", ConflictError),
    10: ("E_UNCERTAIN", UncertainError),
    11: ("E_EXISTS", ExistsError),
    12: ("E_CANCELLED", CancelledError),
    13: ("E_READONLY", ReadOnlyError),
    14: ("E_RANGE", RangeError),
}

for _name, _class in _CLASSES.values():  # of those that Python code raises, too
    if issubclass(_class, ZincError):
        _class.status = _name


def from_status(
    status: int,
    os_error: int,
    url: str,
    key: str,
    chunk: str,
    codec: str,
    rule: str,
    pointer: str,
    text: str,
    line: str,
) -> BaseException:
    """The exception of a failed call; the extension calls this."""
    name, kind = _CLASSES.get(status, ("E_IO", IoError))
    error = kind(line)
    if isinstance(error, ZincError):
        error.__dict__.update(
            status=name, os_error=os_error, url=url, key=key, chunk=chunk, codec=codec, rule=rule, pointer=pointer, text=text
        )
    return error


def _rebuild(kind: type[ZincError], args: tuple[object, ...], parts: dict[str, object]) -> ZincError:
    error = kind(*args)
    error.__dict__.update(parts)
    return error
