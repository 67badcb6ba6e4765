"""What a node is, in one table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _url
from ._progress import size_text
from ._results import plain, table_html

if TYPE_CHECKING:
    from ._array import Array
    from ._group import Group


@dataclass(frozen=True, repr=False)
class Info:
    """Names and values, in the order in which they are shown.  `info["Shape"]` is one of them."""

    rows: tuple[tuple[str, Any], ...]

    def __getitem__(self, name: str) -> Any:
        return dict(self.rows)[name]

    def asdict(self) -> dict[str, Any]:
        """The rows by name."""
        return dict(self.rows)

    def __repr__(self) -> str:
        wide = max(len(name) for name, _ in self.rows)
        return "\n".join(f"{name:{wide}} : {plain(str(value))}" for name, value in self.rows)

    def _repr_html_(self) -> str:
        return table_html(("", ""), self.rows)


def codec_text(codec: dict[str, Any]) -> str:
    """A codec for people.

    >>> codec_text({"name": "zstd", "configuration": {"level": 3}})
    'zstd(level=3)'
    """
    settings = codec.get("configuration") or {}
    inside = ", ".join(f"{k}={json.dumps(v) if not isinstance(v, (str, int)) else v}" for k, v in settings.items())
    return f"{codec.get('name', '?')}({inside})" if inside else str(codec.get("name", "?"))


def chain(about: dict[str, Any]) -> list[dict[str, Any]]:
    """The codecs of chunks; of the inner ones where sharded."""
    codecs = about.get("codecs") or []
    for codec in codecs:
        if codec.get("name") == "sharding_indexed":
            inner = (codec.get("configuration") or {}).get("codecs")
            return [c for c in codecs if c is not codec] + list(inner or [])
    return list(codecs)


def dtype_name(about: dict[str, Any]) -> str:
    """The data type for people: the name of an extension, with its settings."""
    return type_text(about.get("data_type"))


def type_text(given: object) -> str:
    """A data type for people.

    >>> type_text({"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int32"}]}})
    'struct(a: int32)'
    """
    if not isinstance(given, dict):
        return str(given)
    fields = (given.get("configuration") or {}).get("fields")
    if not isinstance(fields, list):
        return codec_text(given)
    pairs = [(f.get("name"), f.get("data_type")) if isinstance(f, dict) else f for f in fields]
    return f"{given.get('name')}({', '.join(f'{name}: {type_text(kind)}' for name, kind in pairs)})"


def _stored_rows(array: Array) -> list[tuple[str, Any]]:
    found = array.stored()
    rows: list[tuple[str, Any]] = [
        ("Objects stored", f"{found['objects']} of {found['objects_total']}"),
        ("Bytes", f"{array.nbytes} ({size_text(array.nbytes)})"),
        ("Bytes stored", f"{found['bytes']} ({size_text(found['bytes'])})"),
    ]
    if found["bytes"]:
        rows.append(("Storage ratio", f"{found['decoded_bytes'] / found['bytes']:.1f}"))
    return rows


def _shards(array: Array) -> Any:
    return "different lengths" if array._core.shards and not array._core.regular else array.shards


def array_info(array: Array, *, complete: bool = False) -> Info:
    """What an array is; `complete` also lists what is stored."""
    about: dict[str, Any] = dict(array.metadata)
    rows: list[tuple[str, Any]] = [
        ("Type", "Array"),
        ("Path", array.name),
        ("Store", _url.store_url(array.place)),
        ("Format", about["format"]),
        ("Data type", dtype_name(about)),
        ("Shape", array.shape),
        ("Chunk shape", array.chunks if array._core.chunks is not None else "different lengths"),
        ("Shard shape", _shards(array)),
        ("Dimension names", about.get("dimension_names")),
        ("Fill value", about.get("fill_value")),
        ("Codecs", ", ".join(codec_text(codec) for codec in chain(about))),
        ("Order", about.get("order")),
        ("Read-only", array.read_only),
    ]
    unsupported = array._core.unsupported
    rows += [("Not supported", unsupported)] if unsupported else []
    rows += _stored_rows(array) if complete else []
    return Info(tuple((name, value) for name, value in rows if value is not None))


def group_info(group: Group, *, complete: bool = False) -> Info:
    """What a group is; `complete` also counts its members."""
    rows: list[tuple[str, Any]] = [
        ("Type", "Group"),
        ("Path", group.name),
        ("Store", group.store),
        ("Format", group.format),
        ("Read-only", group.read_only),
        ("Attributes", len(group.attrs)),
        ("Consolidated", group.consolidated),
    ]
    if complete:
        nodes = [*group._below(None)]
        arrays = sum(node.kind == 2 for node in nodes)
        rows += [("Members", len(nodes)), ("Arrays", arrays), ("Groups", len(nodes) - arrays)]
    return Info(tuple(rows))
