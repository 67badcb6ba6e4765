"""Attributes of a node, as a mapping.

A change reaches the store at once, and changes only the keys that it names: edits by other processes and threads at the
same time are kept.  Reading always shows what is stored; `asdict()` reads once.

A value that is a list or a dictionary is a copy: changing it changes nothing in the store.  Assign it again:

>>> import zinczarr
>>> attrs = zinczarr.create_group("memory://attrs").attrs
>>> attrs["levels"] = [1, 2]
>>> levels = attrs["levels"]
>>> levels.append(3)
>>> attrs["levels"]
[1, 2]
>>> attrs["levels"] = levels
>>> attrs
{'levels': [1, 2, 3]}
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, MutableMapping, ValuesView
from typing import Any, TypeVar

from . import _json
from ._errors import NotFoundError
from ._place import Place

T = TypeVar("T")


class Attributes(MutableMapping[str, Any]):
    """The attributes of the array or group at a place."""

    __slots__ = ("_place",)

    def __init__(self, place: Place) -> None:
        self._place = place

    # ---- reading ----

    def asdict(self) -> dict[str, Any]:
        """All attributes, read once."""
        return read(self._place)

    def __getitem__(self, key: str) -> Any:
        return self.asdict()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.asdict())

    def __len__(self) -> int:
        return len(self.asdict())

    def __contains__(self, key: object) -> bool:
        return key in self.asdict()

    def keys(self) -> KeysView[str]:
        """The names."""
        return self.asdict().keys()

    def values(self) -> ValuesView[Any]:
        """The values, as of now."""
        return self.asdict().values()

    def items(self) -> ItemsView[str, Any]:
        """Names and values, as of now."""
        return self.asdict().items()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Mapping):
            return self.asdict() == dict(other)
        return NotImplemented

    def __repr__(self) -> str:
        return repr(self.asdict())

    def __reduce__(self) -> tuple[object, ...]:
        return Attributes, (self._place,)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.asdict())

    # ---- changing ----

    def _edit(self, changes: Iterable[tuple[str, str | None]]) -> None:
        self._place.hierarchy().edit_attributes(self._place.path, [*changes])

    def __setitem__(self, key: str, value: object) -> None:
        self.update({key: value})

    def __delitem__(self, key: str) -> None:
        try:
            self._edit([(key, None)])
        except NotFoundError:
            if key in self.asdict():
                raise
            raise KeyError(key) from None

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Set all given keys in one step; the others stay as they are."""
        changes = dict(*args, **kwargs)
        for key in changes:
            if not isinstance(key, str):
                raise TypeError(f"names of attributes are texts, not {key!r}")
        if changes:
            self._edit((key, _json.dumps(value)) for key, value in changes.items())

    def put(self, d: Mapping[str, Any]) -> None:
        """Replace all attributes by those of `d`, in one step."""
        new = [(key, _json.dumps(value)) for key, value in d.items()]
        while True:
            old = [(key, None) for key in self.asdict() if key not in d]
            if not old and not new:
                return
            try:
                return self._edit([*old, *new])
            except NotFoundError:  # another process has removed one of `old` meanwhile
                if all(key in self.asdict() for key, _ in old):
                    raise

    def clear(self) -> None:
        """Remove all attributes."""
        self.put({})


_TOKENS = ('"NaN"', '"Infinity"', '"-Infinity"')


def read(place: Place) -> dict[str, Any]:
    """The attributes that are stored at a place."""
    text = place.hierarchy().attributes(place.path)
    if any(token in text for token in _TOKENS):  # numbers or texts?  The library shows both as texts
        return _as_stored(place, _json.loads(text))
    return _json.loads(text)  # type: ignore[no-any-return]


def _as_stored(place: Place, shown: dict[str, Any]) -> dict[str, Any]:
    """The attributes of the document itself, in which NaN and the infinities are numbers, as zarr-python reads them."""
    h = place.hierarchy()
    if h.format != "v2":
        made = _json.loads(h.document(place.path)).get("attributes")
    else:
        blob = h.store.get(h.prefix + f"{place.path.strip('/')}/.zattrs".lstrip("/"))
        made = None if blob is None else _json.loads(bytes(blob).decode())
    return made if isinstance(made, dict) and made.keys() == shown.keys() else shown
