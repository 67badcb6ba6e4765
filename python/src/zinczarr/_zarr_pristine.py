"""Are zarr-python's codecs as zarr-python has them?

A program can replace methods of a class (a monkey patch, a mock in a test).  Then it wants its own code to run, and
libzinc must not read or write in its place.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any


def _is_own(cls: type, name: str, value: Any) -> bool:
    """Was this attribute written in the body of the class?"""
    function = getattr(value, "__func__", value)  # of a classmethod or staticmethod
    function = getattr(function, "fget", function)  # of a property
    if not callable(function) or isinstance(function, type):
        return True
    return getattr(function, "__qualname__", "") == f"{cls.__qualname__}.{name}"


# The attributes of classes when they were last looked at and found to be their own.
_known: dict[type, tuple[Any, ...]] = {}


def _is_unchanged(cls: type) -> bool:
    values = tuple(vars(cls).values())
    known = _known.get(cls)
    if known is not None and len(known) == len(values) and all(map(operator.is_, known, values)):
        return True
    if all(name.startswith("__") or _is_own(cls, name, value) for name, value in vars(cls).items()):
        _known[cls] = values
        return True
    return False


def is_pristine(classes: Iterable[type]) -> bool:
    """Has no method of the classes been replaced?"""
    return all(map(_is_unchanged, classes))
