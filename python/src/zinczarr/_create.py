"""What a new array shall be: zarr-python's arguments as those of the library.

Each function takes one argument in every form that zarr-python accepts, and returns what `_core.Array.create` wants.
What cannot be done is refused by name.
"""

from __future__ import annotations

import ast
import base64
import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from . import _core, _json


class _Default:
    """The fill value that was not given; None is another one."""

    def __repr__(self) -> str:
        return "DEFAULT_FILL_VALUE"


DEFAULT: Final = _Default()

# ---- element types ----

_RAW = re.compile(r"r[0-9]+\Z")
_names: set[str] = set()


def _is_name(text: str) -> bool:
    """A name of the specification, or JSON."""
    if not _names:
        _names.update(name for name, _, _ in _core.rows("dtypes"))
    return text in _names or text[:1] in ("{", "[") or bool(_RAW.match(text))


def _fields(dtype: np.dtype[Any]) -> list[tuple[Any, ...]]:
    """The fields one after the other: room between them is a matter of memory, not of storage."""
    made: list[tuple[Any, ...]] = []
    for name in dtype.names or ():
        inner: np.dtype[Any] = dtype[name]
        if inner.subdtype is not None:
            raise NotImplementedError(f"field {name!r} is an array; fields of one element each can be stored")
        made.append((name, _fields(inner) if inner.names else inner.str))
    return made


def _numpy_text(dtype: np.dtype[Any]) -> str:
    if dtype.names:
        return repr(_fields(dtype))
    if dtype.kind == "T":
        return "string"
    if dtype.kind == "O":
        raise TypeError('objects cannot be stored; pass dtype="string" for texts or dtype="bytes" for bytes')
    if dtype.kind in "SU" and dtype.itemsize == 0:
        free = "bytes" if dtype.kind == "S" else "string"
        raise TypeError(f'the length is missing: {dtype.kind}10 for example, or dtype="{free}"')
    if (dtype.kind == "V" or dtype.isbuiltin == 2) and _is_name(dtype.name):  # bfloat16 and others of ml_dtypes
        return dtype.name
    return dtype.str


def dtype_text(dtype: object) -> str:
    """The element type for the library.

    >>> dtype_text("f4"), dtype_text(">i2"), dtype_text(str), dtype_text(np.dtype("M8[ns]"))
    ('<f4', '>i2', 'string', '<M8[ns]')
    """
    if dtype is str or dtype == "str":
        return "string"
    if dtype is bytes:
        return "bytes"
    if isinstance(dtype, str) and _is_name(dtype):
        return dtype
    if isinstance(dtype, Mapping):
        return _json.dumps(dtype)
    if hasattr(dtype, "to_json"):  # zarr.dtype
        made = dtype.to_json(zarr_format=3)
        return made if isinstance(made, str) else _json.dumps(made)
    return _numpy_text(np.dtype(dtype))  # type: ignore[call-overload, unused-ignore]


def _all(data: npt.NDArray[Any], kind: type) -> bool:
    return all(isinstance(item, kind) for item in data.flat)


def dtype_of(data: npt.NDArray[Any]) -> str:
    """The element type that holds `data`; objects must be texts alone, or bytes alone."""
    if data.dtype.kind == "O" and data.size:
        for kind, name in ((str, "string"), (bytes, "bytes")):
            if _all(data, kind):
                return name
    return dtype_text(data.dtype)


def numpy_of(text: str) -> np.dtype[Any] | None:
    """NumPy's type of a text that dtype_text made, if it has one."""
    try:
        made = np.dtype(ast.literal_eval(text)) if text.startswith("[(") else np.dtype(text)
    except (TypeError, ValueError, SyntaxError):
        return None
    return None if made.isbuiltin == 2 else made  # bfloat16 and others of ml_dtypes: the library has them


# ---- shapes ----


def shape_of(shape: object) -> tuple[int, ...]:
    """A shape: a number, or some.

    >>> shape_of(5), shape_of([2, np.int64(3)])
    ((5,), (2, 3))
    """
    try:
        made = (operator.index(shape),)  # type: ignore[arg-type]
    except TypeError:
        made = tuple(operator.index(n) for n in shape)  # type: ignore[assignment, attr-defined]
    if any(n < 0 for n in made):
        raise ValueError(f"a shape has no negative numbers: {shape!r}")
    return made


def edges_text(chunks: object) -> str | None:
    """Chunks of several lengths as the library takes them: for each dimension a length, or a list; None: of one length.

    >>> edges_text([[10, 20], 4]), edges_text((5, 4))
    ('[[10, 20], 4]', None)
    """
    if isinstance(chunks, (str, Mapping)) or not isinstance(chunks, Iterable):
        return None
    items = [*chunks]
    if not any(isinstance(item, Iterable) for item in items):
        return None
    return json.dumps([_edges(item) if isinstance(item, Iterable) else operator.index(item) for item in items])


def _edges(items: Iterable[object]) -> list[object]:
    """Lengths, and [length, count]."""
    return [[*map(operator.index, n)] if isinstance(n, Iterable) else operator.index(n) for n in items]  # type: ignore[arg-type]


def _length(item: object, span: int, unit: int) -> int:
    """Of a chunk along one dimension; -1 and None are all of it."""
    n = -1 if item is None else operator.index(item)  # type: ignore[arg-type]
    if n == -1:
        return max(-(-span // unit), 1) * unit
    if n <= 0:
        raise ValueError(f"the length of a chunk is at least 1, or -1 for the whole dimension; it is {n}")
    return n


def chunk_shape(chunks: object, shape: Sequence[int], unit: Sequence[int] | None = None) -> tuple[int, ...] | None:
    """Chunks in every form of zarr-python; None: the library chooses.

    >>> shape = (10, 10)
    >>> chunk_shape("auto", shape), chunk_shape(4, shape), chunk_shape((5, -1), shape), chunk_shape(False, shape)
    (None, (4, 4), (5, 10), (10, 10))
    """
    unit = unit or [1] * len(shape)
    chunks = getattr(chunks, "chunk_shape", chunks)
    if chunks is None or chunks is True or (isinstance(chunks, str) and chunks == "auto"):
        return None
    if isinstance(chunks, str):
        raise ValueError(f'chunks are numbers or "auto", not {chunks!r}')
    if chunks is False:
        chunks = -1
    items = [*chunks] if isinstance(chunks, Iterable) else [chunks] * len(shape)
    if len(items) != len(shape):
        raise ValueError(f"chunks {chunks!r} have {len(items)} dimensions, the array has {len(shape)}")
    return tuple(_length(item, span, u) for item, span, u in zip(items, shape, unit, strict=True))


def shards_of(
    shards: object, chunks: tuple[int, ...] | None, shape: Sequence[int]
) -> tuple[tuple[int, ...] | None, bool]:
    """The shape of shards, and whether the library shall choose it."""
    if shards is None or shards is False:
        return None, False
    if isinstance(shards, Mapping):
        place = shards.get("index_location", "end")
        if getattr(place, "value", place) not in (None, "end"):
            raise NotImplementedError("an index at the start of shards: give the codec sharding_indexed in codecs=")
        shards = shards["shape"]
    made = chunk_shape(shards, shape, chunks)
    return made, made is None


# ---- codecs ----

Codecs = str | Mapping[str, object] | Iterable[object] | object | None


def _numcodecs(config: Mapping[str, object]) -> dict[str, object]:
    """A codec of numcodecs, whose `id` is among its settings."""
    return {"name": f"numcodecs.{config['id']}", "configuration": {k: v for k, v in config.items() if k != "id"}}


def _tuned(codec: object, made: dict[str, Any], itemsize: int) -> dict[str, Any]:
    """zarr-python's BloscCodec leaves open what depends on the elements."""
    tunable = getattr(codec, "_tunable_attrs", ())
    values = {"typesize": itemsize, "shuffle": "bitshuffle" if itemsize == 1 else "shuffle"}
    for name in tunable:
        if name in values:
            made["configuration"][name] = values[name]
    return made


def codec_json(codec: object, itemsize: int = 1) -> dict[str, object]:
    """One codec: a dictionary, or an object of zarr-python or numcodecs.

    >>> codec_json({"id": "zlib", "level": 1})
    {'name': 'numcodecs.zlib', 'configuration': {'level': 1}}
    """
    if isinstance(codec, Mapping):
        return _numcodecs(codec) if "id" in codec and "name" not in codec else dict(codec)
    if hasattr(codec, "to_dict"):
        return _tuned(codec, codec.to_dict(), itemsize)
    if hasattr(codec, "get_config"):
        return _numcodecs(codec.get_config())
    raise TypeError(f"{codec!r} is not a codec: pass a dictionary, or an object of zarr.codecs or numcodecs")


def _codec_list(given: Codecs, itemsize: int) -> list[dict[str, object]]:
    if given is None:
        return []
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        given = [given]
    return [codec_json(item, itemsize) for item in given]


_ZSTD: dict[str, object] = {"name": "zstd", "configuration": {"level": 3}}
_CRC: dict[str, object] = {"name": "crc32c"}


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"


def codecs_text(
    codecs: Codecs, filters: Codecs, serializer: Codecs, compressors: Codecs, itemsize: int = 1, checksum: bool = True
) -> str | None:
    """The chain of codecs for the library; None: its own choice.

    >>> codecs_text("blosc:lz4", "auto", "auto", "auto")
    'blosc:lz4'
    >>> codecs_text(None, "auto", "auto", None)
    '[]'
    """
    parts = {"filters": filters, "serializer": serializer, "compressors": compressors}
    given = [name for name, value in parts.items() if not _is_auto(value)]
    if codecs is not None:
        if given:
            raise TypeError(f"codecs= is the whole chain; {given[0]}= cannot be given too")
        if isinstance(codecs, str):
            return codecs
        items = [codecs] if isinstance(codecs, Mapping) or not isinstance(codecs, Iterable) else list(codecs)
        if items and all(isinstance(item, str) for item in items):
            return "+".join(str(item) for item in items)
        return _json.dumps(_codec_list(items, itemsize))
    if not given:
        return None
    chain = [] if _is_auto(filters) else _codec_list(filters, itemsize)
    chain += [] if _is_auto(serializer) else _codec_list(serializer, itemsize)
    if _is_auto(compressors):
        return _json.dumps([*chain, _ZSTD, *([_CRC] if checksum else [])])
    return _json.dumps(chain + _codec_list(compressors, itemsize))


# ---- fill values ----


def _float(value: Any) -> object:
    v = float(value)
    if math.isnan(v):
        return "NaN"
    return v if math.isfinite(v) else ("Infinity" if v > 0 else "-Infinity")


def _int(value: Any) -> object:
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    return operator.index(value)


def _complex(value: Any) -> object:
    v = complex(value)
    return [_float(v.real), _float(v.imag)]


def _bytes(value: Any) -> object:
    if isinstance(value, str):
        value = value.encode()
    if value == 0 and not isinstance(value, (bytes, np.void)):  # zarr-python's default
        value = b""
    return base64.b64encode(bytes(value)).decode()


def _text(value: Any) -> object:
    return "" if value == 0 else str(value)


def _time(value: Any, dtype: np.dtype[Any]) -> object:
    made = np.asarray(value).astype(dtype) if isinstance(value, (int, np.integer)) else np.asarray(value, dtype=dtype)
    return "NaT" if np.isnat(made) else int(made.astype("i8"))


def _record(value: Any, dtype: np.dtype[Any]) -> object:
    names = dtype.names or ()
    if isinstance(value, Mapping):
        value = tuple(value[name] for name in names)
    elif isinstance(value, (int, np.integer)) and value == 0:
        value = np.zeros((), dtype)[()]
    return {name: fill_json(value[i], dtype[name]) for i, name in enumerate(names)}


def _void(value: Any, dtype: np.dtype[Any]) -> object:
    if dtype.names:
        return _record(value, dtype)
    return base64.b64encode(bytes(value).ljust(dtype.itemsize, b"\0") if value != 0 else bytes(dtype.itemsize)).decode()


_FILLS: dict[str, Callable[[Any, np.dtype[Any]], object]] = {
    "b": lambda v, _: bool(v),
    "i": lambda v, _: _int(v),
    "u": lambda v, _: _int(v),
    "f": lambda v, _: _float(v),
    "c": lambda v, _: _complex(v),
    "M": _time,
    "m": _time,
    "S": lambda v, _: _bytes(v),
    "U": lambda v, _: _text(v),
    "V": _void,
}


def fill_json(value: Any, dtype: np.dtype[Any]) -> object:
    """A fill value in the words of the v3 specification.

    >>> fill_json(float("nan"), np.dtype("f4")), fill_json(1 - 2j, np.dtype("c8")), fill_json(7.0, np.dtype("i2"))
    ('NaN', [1.0, -2.0], 7)
    """
    return _FILLS[dtype.kind](value, dtype)


def _fill_by_value(value: Any) -> object:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(value)
    if isinstance(value, np.generic) and value.dtype.isbuiltin == 2:  # a scalar of ml_dtypes
        value = value.item()
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, (complex, np.complexfloating)):
        return _complex(value)
    if isinstance(value, (float, np.floating)):
        return _float(value)
    return value


def fill_text(value: object, dtype: str) -> str | None:
    """The same as text; None: the default of the type."""
    if value is DEFAULT or value is None:
        return None
    if dtype == "string":
        return _json.dumps(_text(value))
    if dtype == "bytes":
        return _json.dumps(_bytes(value))
    known = numpy_of(dtype)
    if known is None or _RAW.match(dtype):
        return _json.dumps(_fill_by_value(value))
    try:
        return _json.dumps(fill_json(value, known))
    except (TypeError, ValueError, OverflowError, KeyError, IndexError) as e:
        kind = TypeError if isinstance(e, TypeError) else ValueError
        raise kind(f"the fill value {value!r} does not fit {known}: {e}") from e


# ---- chunk keys ----

_KEYS = {("default", "/"): "default", ("default", "."): "default.", ("v2", "."): "v2", ("v2", "/"): "v2/"}
_SEPARATORS = {"default": "/", "v2": "."}


def key_encoding_text(given: object) -> str | None:
    """The names of chunks.

    >>> key_encoding_text({"name": "v2", "separator": "/"}), key_encoding_text(("default", "."))
    ('v2/', 'default.')
    """
    if given is None or isinstance(given, str):
        return given
    if hasattr(given, "to_dict"):
        given = given.to_dict()
    if isinstance(given, Mapping):
        name = str(given["name"])
        inner = given.get("configuration", {})
        separator = given.get("separator", inner.get("separator")) or _SEPARATORS.get(name, "/")
        given = (name, separator)
    if isinstance(given, tuple) and len(given) == 2 and given in _KEYS:
        return _KEYS[given]
    raise ValueError(f"a chunk key encoding is one of {sorted(_KEYS.values())}, not {given!r}")


def names_of(given: object) -> tuple[str | None, ...] | None:
    """Names of dimensions: some texts, each may be None."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"dimension_names is a sequence of texts, not {given!r}")
    return tuple(given)
