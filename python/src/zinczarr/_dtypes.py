"""Element types: those of the library as NumPy's, and what their elements look like in memory.

The library reads into and writes from memory in this machine's byte order.  Texts and bytes of any length are objects
there.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from . import _core
from ._errors import RangeError

# The numbers of zinc.h that a buffer can have, by NumPy's type.
NUMBERS: dict[np.dtype[Any], int] = {
    np.dtype(code): number
    for number, code in enumerate(
        ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"), 1
    )
}

OBJECT = np.dtype(object)


def converts(source: np.dtype[Any], to: np.dtype[Any]) -> bool:
    """Does the library convert elements of these native types?  It does not for booleans, nor from complex to real."""
    if source not in NUMBERS or to not in NUMBERS or not (source.isnative and to.isnative):
        return False
    return source.kind in ("c" if to.kind == "c" else "") or (source.kind in "iuf" and to.kind in "iufc")


def text_dtype() -> np.dtype[Any]:
    """What zarr-python shows for texts of any length: StringDType, or objects where NumPy is older than 2."""
    kinds = getattr(np, "dtypes", None)
    made = getattr(kinds, "StringDType", None)
    return np.dtype(made()) if made is not None else OBJECT


@dataclass(frozen=True, slots=True)
class Element:
    """How the elements of an array look."""

    dtype: np.dtype[Any]  # what users see
    memory: np.dtype[Any]  # what the library reads and writes
    number: int  # of zinc.h, if it is a number
    text: bool  # texts of any length
    variable: bool  # texts or bytes of any length

    @property
    def as_is(self) -> bool:
        """Can the library read into arrays of `dtype`?"""
        return self.dtype == self.memory

    def finish(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Elements that were read as `memory`, as `dtype`; may change the given array."""
        if self.dtype == self.memory:
            return array
        if self.dtype.kind in "iufcmM" and self.dtype.itemsize == self.memory.itemsize:
            return array.byteswap(inplace=True).view(self.dtype)  # only the byte order differs
        return array.astype(self.dtype)


def of(core: _core.Array, big_endian: bool = False) -> Element:
    """The element type of an array.

    zarr-python shows the byte order of v2 (`big_endian`), where it is part of the type, and none of v3.
    """
    if core.variable:
        text = "string" in core.dtype
        return Element(text_dtype() if text else OBJECT, OBJECT, 0, text, True)
    source = core.numpy
    if not source:
        native = np.dtype((np.void, max(core.element_size, 1)))
        return Element(native, native, core.type, False, False)
    return _element(source, core.type, big_endian)


@lru_cache(maxsize=256)
def _element(source: str, number: int, big_endian: bool) -> Element:
    native = _native(source)
    return Element(native.newbyteorder(">") if big_endian else native, native, number, False, False)


@lru_cache(maxsize=256)
def _native(source: str) -> np.dtype[Any]:
    """NumPy's type of its Python source, in the byte order of this machine."""
    made: np.dtype[Any] = np.dtype(ast.literal_eval(source))
    return made.newbyteorder("=")


def fill_value(core: _core.Array, element: Element) -> Any:
    """The fill value as a NumPy scalar, a str or bytes; None if the array has none that is known."""
    fill = core.fill
    if fill is None or isinstance(fill, str) or element.variable:
        return fill
    return np.frombuffer(fill, element.memory, 1)[0] if element.memory.itemsize else None


# ---- values to write ----


def prepare(value: Any, element: Element, convert: int | None) -> tuple[np.ndarray[Any, Any], int, int]:
    """(an array that the library takes, the number of its type, flags of zinc_convert) for a value to be written.

    `convert` None casts as NumPy's assignment does; else numbers are converted by the library with these flags, and
    other types only if no element changes.
    """
    if element.variable:
        return _objects(value, element, convert), 0, 0
    if convert is None:
        return _cast_as_numpy(value, element)
    array = np.asarray(value)
    if array.dtype == element.memory:
        return array, 0, 0
    native = array.dtype.newbyteorder("=")
    if element.number and converts(native, element.memory):
        return array.astype(native, copy=False), NUMBERS[native], convert
    return checked(array, element.memory), 0, 0


def _cast_as_numpy(value: Any, element: Element) -> tuple[np.ndarray[Any, Any], int, int]:
    if not hasattr(value, "dtype"):
        return np.asarray(value, element.memory), 0, 0
    array = np.asarray(value)
    if element.number and converts(array.dtype, element.memory) and np.can_cast(array.dtype, element.memory):
        return array, NUMBERS[array.dtype], 8  # the library converts it without a copy; 2**53 + 1 rounds as in NumPy
    return array.astype(element.memory, copy=False), 0, 0


def _is_nothing(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where elements are NaN or NaT."""
    return np.asarray(np.isnat(array) if array.dtype.kind in "mM" else np.isnan(array))


def checked(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The elements as another type; RangeError if one changes, which shows when it is cast back."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of NumPy, on what this finds
        made = array.astype(dtype)
        back = made.astype(array.dtype)
    same = back == array
    if array.dtype.names is None and array.dtype.kind in "fcmM":
        same = same | (_is_nothing(back) & _is_nothing(array))
    if not np.all(same):
        raise RangeError(f"some elements of the type {array.dtype} do not fit {dtype}")
    return made


def _objects(value: Any, element: Element, convert: int | None) -> np.ndarray[Any, Any]:
    """Texts or bytes as an array of objects."""
    array = np.asarray(value) if isinstance(value, np.ndarray) else _object_array(value)
    kind, wanted = array.dtype.kind, str if element.text else bytes
    if kind == ("U" if element.text else "S") or kind == "T":
        array = array.astype(OBJECT)
    if array.dtype == OBJECT and all(isinstance(item, wanted) for item in array.flat):
        return array
    if convert is not None:
        raise TypeError(f"elements of this array are {wanted.__name__}")
    if element.text and element.dtype != OBJECT:
        return array.astype(element.dtype).astype(OBJECT)
    if element.text:
        return array.astype(np.str_).astype(OBJECT)
    return array.astype(np.bytes_).astype(OBJECT)


def _object_array(value: Any) -> np.ndarray[Any, Any]:
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        made = np.empty((), OBJECT)
        made[()] = bytes(value) if isinstance(value, (bytearray, memoryview)) else value
        return made
    array = np.asarray(value)
    return array if array.dtype.kind == "T" else np.asarray(value, OBJECT)  # "U" would drop NULs at the end
