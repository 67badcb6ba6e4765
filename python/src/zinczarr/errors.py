"""Exceptions by status, and the class of warnings."""

from ._errors import (
    CancelledError,
    ChecksumError,
    ConflictError,
    CorruptError,
    ExistsError,
    InvalidError,
    IoError,
    LimitError,
    NotFoundError,
    RangeError,
    ReadOnlyError,
    UncertainError,
    UnsupportedError,
    ZincError,
    ZincWarning,
)

__all__ = [
    "CancelledError",
    "ChecksumError",
    "ConflictError",
    "CorruptError",
    "ExistsError",
    "InvalidError",
    "IoError",
    "LimitError",
    "NotFoundError",
    "RangeError",
    "ReadOnlyError",
    "UncertainError",
    "UnsupportedError",
    "ZincError",
    "ZincWarning",
]
