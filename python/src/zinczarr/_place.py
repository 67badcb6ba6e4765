"""Where a node is: what it takes to open it again, in this process or another."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _core

Url = str | os.PathLike[str] | _core.Store


@dataclass(frozen=True)
class Place:
    """A URL, a path inside its hierarchy ("/" is the root) and the options of `_core.Hierarchy`.

    The URL is as the user gave it.  A pickled place is these three; the open hierarchy stays behind, and is opened
    again when it is needed.
    """

    url: Url
    path: str = "/"
    options: Mapping[str, Any] = field(default_factory=dict)

    def hierarchy(self) -> _core.Hierarchy:
        """The open hierarchy, the same one at each call."""
        held = self.__dict__.get("_held")
        if held is None:
            held = _core.Hierarchy(_openable(self.url), **self.options)
            object.__setattr__(self, "_held", held)
        return held

    def attach(self, hierarchy: _core.Hierarchy) -> Place:
        """Use this open hierarchy, of the same URL and options, instead of opening another.  Returns self."""
        object.__setattr__(self, "_held", hierarchy)
        return self

    def at(self, path: str) -> Place:
        """Another path in the same open hierarchy."""
        other = Place(self.url, path, self.options)
        held = self.__dict__.get("_held")
        return other if held is None else other.attach(held)

    @property
    def read_only(self) -> bool:
        return bool(self.options.get("read_only", False))

    @property
    def text(self) -> str:
        """The URL as text."""
        return self.url.url if isinstance(self.url, _core.Store) else os.fspath(self.url)

    def __hash__(self) -> int:
        return hash((self.text, self.path))

    def __reduce__(self) -> tuple[object, ...]:
        if isinstance(self.url, _core.Store):
            raise TypeError("a node that was opened on an open store cannot be pickled; open it by its URL")
        return Place, (os.fspath(self.url), self.path, dict(self.options))


def _openable(url: Url) -> str | _core.Store:
    return url if isinstance(url, _core.Store) else os.fspath(url)
