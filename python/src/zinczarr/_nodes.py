"""Nodes of a hierarchy as listing shows them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import _core
from ._errors import ZincWarning
from ._place import Place

NOTHING, GROUP, ARRAY = 0, 1, 2


class Node(NamedTuple):
    """One node: what its document says, or why it cannot be used."""

    kind: int
    path: str
    name: str
    metadata_key: str
    implicit: bool
    depth: int
    problem: str | None
    attributes_json: str
    shown: str | _core.Array  # of an array: what its document says as JSON, or a handle
    hidden: bool

    @property
    def usable(self) -> bool:
        """Can it be opened by its path?"""
        return self.kind != NOTHING and not self.hidden

    @property
    def damaged(self) -> bool:
        """Is its document, or its copy in consolidated metadata, so wrong that it cannot be opened?"""
        return bool(self.problem) and not self.hidden and (self.kind == NOTHING or (self.kind == ARRAY and not self.shown))

    @property
    def attributes(self) -> dict[str, Any]:
        made = json.loads(self.attributes_json or "{}")
        return made if isinstance(made, dict) else {}

    @property
    def array(self) -> dict[str, Any]:
        """Shape, data type, codecs ... of an array; {} otherwise."""
        text = self.shown if isinstance(self.shown, str) else self.shown.describe()
        made = json.loads(text or "{}")
        return made if isinstance(made, dict) else {}


def walk(place: Place, depth: int = -1, arrays: bool = False) -> list[Node]:
    """The node (depth 0), with its children (1), or everything below (-1); those that cannot be used, too.  `arrays`: with
    handles of arrays."""
    return [Node(*node) for node in place.hierarchy().walk(place.path, depth, arrays)]


def below(place: Place, depth: int = 1, arrays: bool = False) -> Iterator[Node]:
    """Usable nodes below a group.  A warning names each of the others, so that nothing disappears silently."""
    for node in walk(place, depth, arrays)[1:]:
        if node.problem:
            warnings.warn(f"{node.path}: {node.problem}", ZincWarning, stacklevel=4)
        if node.usable and not node.damaged:
            yield node
