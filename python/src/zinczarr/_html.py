"""Trees as text and HTML, and what Jupyter shows of groups and arrays.

The HTML has no script and loads nothing.  Everything that comes from a store is escaped.  Colours are those of the
page's text, with some transparency, so that light and dark themes both work.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _nodes, _picture, _url
from ._errors import ZincError
from ._info import chain, codec_text, dtype_name
from ._nodes import ARRAY, GROUP, Node
from ._place import Place
from ._progress import count_text, size_text
from ._results import plain
from ._style import page

if TYPE_CHECKING:
    from ._array import Array
    from ._group import Group

MOST_NODES = 500
MOST_ATTRIBUTES = 50
MOST_TEXT = 300

# ---- trees ----


def shape_text(shape: Sequence[int]) -> str:
    return str(tuple(shape))


def _name(node: Node, parent: str) -> str:
    """Below an array, or where directories are missing, the rest of the path."""
    if not node.depth:
        return plain(node.name) or "/"
    return plain(node.path[len(parent.rstrip("/")) + 1 :] or node.name)


def _about(node: Node) -> str:
    """What is said beside the name."""
    if node.kind == ARRAY and node.shown:
        about = node.array
        return f"{shape_text(about['shape'])} {plain(dtype_name(about))}"
    return "(implicit)" if node.kind == GROUP and node.implicit else ""


def _value(value: object) -> str:
    text = plain(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"


def _details(node: Node) -> list[str]:
    """Dimensions and attributes, as `zinc tree --attrs` shows them."""
    names = node.array.get("dimension_names") or []
    lines = [f"dimensions: {', '.join('-' if n is None else plain(n) for n in names)}"] if names else []
    return lines + [f"{plain(key)}: {_value(value)}" for key, value in node.attributes.items()]


@dataclass(frozen=True, repr=False)
class Tree:
    """A hierarchy for people.  Nodes that cannot be used are shown with the reason, after a "!"."""

    nodes: list[Node]
    left_out: int = 0
    attrs: bool = False

    def _branches(self) -> dict[str, list[Node]]:
        """Nodes by the path of the nearest node above them that is shown."""
        known = {node.path for node in self.nodes if not node.hidden}
        top = self.nodes[0].path
        found: dict[str, list[Node]] = {}
        for node in self.nodes[1:]:
            above = node.path
            while above != top:
                above = above.rpartition("/")[0] or "/"
                if above in known or above == "/":
                    break
            found.setdefault(above if above in known else top, []).append(node)
        return found

    def __repr__(self) -> str:
        lines: list[str] = []
        _draw(self.nodes[0], self, self._branches(), "", "", "", lines)
        if self.left_out:
            lines.append(f"... {count_text(self.left_out, 'node')} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return page(tree_html(self))


def _draw(
    node: Node, tree: Tree, branches: Mapping[str, list[Node]], parent: str, first: str, rest: str, lines: list[str]
) -> None:
    problem = f"! {plain(node.problem)}" if node.problem else ""
    lines.append(first + " ".join(part for part in (_name(node, parent), _about(node), problem) if part))
    below = [] if node.hidden else branches.get(node.path, [])
    if tree.attrs and not node.hidden:
        lines += [f"{rest}{'│   ' if below else '    '}{line}" for line in _details(node)]
    for i, child in enumerate(below):
        last = i + 1 == len(below)
        _draw(
            child,
            tree,
            branches,
            node.path,
            rest + ("└── " if last else "├── "),
            rest + ("    " if last else "│   "),
            lines,
        )


def tree(place: Place, *, level: int | None = None, attrs: bool = False, max_nodes: int = MOST_NODES) -> Tree:
    """The tree below a place: `level` levels of it, `max_nodes` nodes at most."""
    nodes = _nodes.walk(place, -1 if level is None else level)
    return Tree(nodes[: max(max_nodes, 1)], max(len(nodes) - max(max_nodes, 1), 0), attrs)


# ---- HTML ----


def _esc(value: object) -> str:
    return html.escape(plain(value if isinstance(value, str) else str(value)))


def _table(rows: Sequence[tuple[str, str]]) -> str:
    """Rows of a name, which is escaped here, and HTML."""
    return "<table><tbody>" + "".join(f"<tr><th>{_esc(k)}</th><td>{v}</td></tr>" for k, v in rows) + "</tbody></table>"


def attributes_html(attributes: Mapping[str, Any], opened: bool = False) -> str:
    """Attributes, folded."""
    if not attributes:
        return ""
    items = list(attributes.items())
    rows = [(key, f"<code>{_esc(_value(value))}</code>") for key, value in items[:MOST_ATTRIBUTES]]
    if len(items) > MOST_ATTRIBUTES:
        rows.append(("", f"… {len(items) - MOST_ATTRIBUTES} more"))
    title = count_text(len(items), "attribute")
    return f"<details{' open' if opened else ''}><summary>{title}</summary>{_table(rows)}</details>"


def _label_html(node: Node, parent: str) -> str:
    name = f"<b>{_esc(_name(node, parent))}</b>" if node.kind != ARRAY else f"<span>{_esc(_name(node, parent))}</span>"
    about = _about(node)
    beside = f' <span class="zinc-dim zinc-mono">{_esc(about)}</span>' if about else ""
    problem = f' <span class="zinc-bad">{_esc(node.problem)}</span>' if node.problem else ""
    return name + beside + problem


def _node_html(node: Node, tree: Tree, branches: Mapping[str, list[Node]], parent: str) -> str:
    below = [] if node.hidden else branches.get(node.path, [])
    label = _label_html(node, parent)
    about = attributes_html(node.attributes) if tree.attrs and not node.hidden else ""
    if not below and not about:
        return f'<div class="zinc-leaf">{label}</div>'
    items = f"<li>{about}</li>" if about else ""
    items += "".join(f"<li>{_node_html(child, tree, branches, node.path)}</li>" for child in below)
    opened = " open" if node.depth < 2 else ""
    return f"<details{opened}><summary>{label}</summary><ul>{items}</ul></details>"


def tree_html(tree: Tree) -> str:
    more = f'<div class="zinc-dim">… {count_text(tree.left_out, "node")} more</div>' if tree.left_out else ""
    return _node_html(tree.nodes[0], tree, tree._branches(), "") + more


def _head(what: str, name: str, store: str, format: str) -> str:
    return (
        f'<div class="zinc-head">{what} <code>{_esc(name)}</code> '
        f'<span class="zinc-dim">{_esc(_url.shown(store))} · {_esc(format)}</span></div>'
    )


def group_html(group: Group) -> str:
    """A group for Jupyter: its tree."""
    made = tree(group.place, attrs=True)
    return page(_head("Group", group.name, group.store, group.format) + tree_html(made))


def _stored_html(array: Array, grid: Any) -> list[tuple[str, str]]:
    """How much is stored, where that is known without much work."""
    if grid is None:
        return []
    try:
        found = array.stored()
    except ZincError:
        return []
    what = "shards" if array._core.shards else "chunks"
    ratio = f", ratio {found['decoded_bytes'] / found['bytes']:.1f}" if found["bytes"] else ""
    text = f"{found['objects']} of {found['objects_total']} {what}, {size_text(found['bytes'])}{ratio}"
    return [("Stored", f'<span class="zinc-key"></span>{_esc(text)}')]


def _shards(array: Array) -> str | None:
    if array._core.shards is None:
        return None
    return _esc(shape_text(array._core.shards)) if array._core.regular else "different lengths"


def array_html(array: Array) -> str:
    """An array for Jupyter: its metadata, and a picture of its grid."""
    about: dict[str, Any] = dict(array.metadata)
    grid = _picture.stored_grid(array)
    names = about.get("dimension_names")
    regular = array._core.chunks is not None
    count = f" ({count_text(array.nchunks, 'chunk')})" if regular else ""
    rows: list[tuple[str, str | None]] = [
        ("Type", _esc(dtype_name(about))),
        ("Shape", _esc(shape_text(array.shape))),
        ("Dimensions", _esc(", ".join("-" if n is None else n for n in names)) if names else None),
        ("Chunks", _esc((shape_text(array.chunks) if regular else "different lengths") + count)),
        ("Shards", _shards(array)),
        ("Codecs", "<br>".join(_esc(codec_text(codec)) for codec in chain(about))),
        ("Fill value", f"<code>{_esc(_value(about.get('fill_value')))}</code>"),
        ("Size", _esc(size_text(array.nbytes))),
        (
            "Not supported",
            f'<span class="zinc-bad">{_esc(array._core.unsupported)}</span>' if array._core.unsupported else None,
        ),
    ]
    table = _table([(k, v) for k, v in rows if v is not None] + _stored_html(array, grid))
    attributes = attributes_html(about.get("attributes") or {})
    head = _head("Array", array.name, _url.store_url(array.place), str(about.get("format", "")))
    return page(
        f'{head}<div class="zinc-cols"><div>{table}{attributes}</div><div>{_picture.svg(array, grid)}</div></div>'
    )
