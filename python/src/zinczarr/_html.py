"""Trees as text and HTML, and what Jupyter shows of groups and arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _nodes
from ._info import dtype_name
from ._nodes import ARRAY, GROUP, Node
from ._place import Place
from ._results import plain

if TYPE_CHECKING:
    from ._array import Array
    from ._group import Group


# ---- trees ----


def _label(node: Node) -> str:
    """One line about a node."""
    name = plain(node.name) or "/"
    if node.kind == ARRAY and node.array_json:
        about = node.array
        shape = "(" + ", ".join(str(n) for n in about["shape"]) + ("," if len(about["shape"]) == 1 else "") + ")"
        name += f" {shape} {plain(dtype_name(about))}"
    if node.kind == GROUP and node.implicit:
        name += " (implicit)"
    return f"{name}  ! {plain(node.problem)}" if node.problem else name


@dataclass(frozen=True, repr=False)
class Tree:
    """A hierarchy for people."""

    nodes: list[Node]
    left_out: int = 0
    attrs: bool = False

    def __repr__(self) -> str:
        return "\n".join(_lines(self))


def _children(nodes: list[Node]) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for node in nodes[1:]:
        found.setdefault(node.path.rpartition("/")[0] or "/", []).append(node)
    return found


def _lines(tree: Tree) -> list[str]:
    return [_label(node) for node in tree.nodes]


def tree(place: Place, *, level: int | None = None, attrs: bool = False, max_nodes: int = 500) -> Tree:
    """The tree below a place."""
    nodes = _nodes.walk(place, -1 if level is None else level)
    return Tree(nodes[:max_nodes], max(len(nodes) - max_nodes, 0), attrs)


def array_html(array: Array) -> str:
    return array.info._repr_html_()


def group_html(group: Group) -> str:
    return f"<pre>{group.tree()!r}</pre>"
