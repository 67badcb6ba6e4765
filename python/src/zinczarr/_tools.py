"""`copy`, `validate`, `diff`, `stats`, `explain`, `consolidate`, `info`, `tree`: what the command `zinc` does.

A node is given as an `Array`, a `Group`, or a URL.  Options have the names of the command's.
"""

from __future__ import annotations

import contextlib
import json
import operator
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _create, _open, _url
from ._place import Place
from ._progress import Progress, reporter
from ._results import (
    Chunk,
    CopyResult,
    Difference,
    DiffResult,
    Explanation,
    Finding,
    Note,
    Stats,
    StatsTable,
    ValidateResult,
)

if TYPE_CHECKING:
    from ._array import Array
    from ._group import Group
    from ._html import Tree
    from ._info import Info

Node = Any  # Array, Group, str, os.PathLike

# ---- arguments ----


def node_of(node: Node, settings: Mapping[str, object] | None = None) -> Array | Group:
    """The open node, for reading."""
    if isinstance(getattr(node, "place", None), Place):
        return node  # type: ignore[no-any-return]
    return _open.open(node, mode="r", settings=settings)


def _address(node: Node, settings: Mapping[str, object] | None) -> tuple[str, dict[str, str]]:
    """The URL of a node that need not exist, and the settings of its store."""
    given = _open.settings_of(settings, None)
    place = getattr(node, "place", None)
    if isinstance(place, Place):
        if isinstance(place.url, _core.Store):
            raise TypeError("a node that was opened on an open store has no URL of its own")
        return _url.place_url(place), {**place.options.get("settings", {}), **given}
    url = _open.url_of(node)
    if isinstance(url, _core.Store):
        raise TypeError("pass a URL, not an open store")
    return url, given


def _merged(a: Mapping[str, str], b: Mapping[str, str]) -> dict[str, str]:
    """Settings of two stores, which one call gets together."""
    for name in a.keys() & b.keys():
        if a[name] != b[name]:
            raise ValueError(f"the stores have different settings {name}; put them into the URLs")
    return {**a, **b}


def _item_text(item: object) -> str:
    if item is Ellipsis:
        return "..."
    if isinstance(item, slice):
        parts = ["" if n is None else str(operator.index(n)) for n in (item.start, item.stop, item.step)]
        return ":".join(parts if item.step is not None else parts[:2])
    if isinstance(item, (list, np.ndarray)):
        return "[" + ",".join(str(operator.index(n)) for n in item) + "]"
    return str(operator.index(item))  # type: ignore[arg-type]


def selection_text(selection: object) -> str | None:
    """A selection in the words of the command.

    >>> selection_text((slice(0, 10), ..., 3, [1, 2])), selection_text("0:10")
    ('0:10,...,3,[1,2]', '0:10')
    """
    if selection is None or isinstance(selection, str):
        return selection
    items = selection if isinstance(selection, tuple) else (selection,)
    return ",".join(_item_text(item) for item in items)


def _flags(options: Mapping[str, object]) -> dict[str, Any]:
    """Without what is not set; the extension takes numbers for flags."""
    return {k: int(v) if isinstance(v, bool) else v for k, v in options.items() if v is not None}


# ---- copying ----

_NOTES = ("plan", "replaced", "lost", "notice", "hidden", "refused")


def copy(
    source: Node,
    target: Node,
    *,
    format: str | None = None,
    chunks: object = None,
    shards: object = None,
    codecs: object = None,
    dtype: object = None,
    key_encoding: object = None,
    select: object = None,
    convert: str = "exact",
    for_xarray: bool = False,
    verify: bool = False,
    resume: bool = False,
    lossy: bool = False,
    overwrite: bool | str = False,
    dry_run: bool = False,
    strict: bool = False,
    fallback: str | None = None,
    max_memory: int | None = None,
    threads: int = 0,
    links: str = "follow",
    climb: bool = True,
    settings: Mapping[str, object] | None = None,
    progress: Progress = None,
) -> CopyResult:
    """Copy an array or a whole hierarchy, between any two stores and versions of Zarr.

    All content arrives, or the copy fails before it starts and says what the target cannot hold; `lossy` lets it go.

    format:       of a new target: "v2", "v3", "v3-2020" ...
    chunks, shards, codecs, key_encoding: how to store; "auto" chooses chunks or shards [as they are]
    dtype:        convert the elements; `convert` says what becomes of those that do not fit
    select:       a part of one array, as text ("0:10, :") or as NumPy's key
    verify:       read everything back and compare, before the target appears
    resume:       continue an interrupted copy
    overwrite:    erase the target first, if it certainly is a node; "force" erases whatever is there
    dry_run:      plan and report only

    >>> import zinczarr
    >>> a = zinczarr.create_array("memory://copy/t", data=np.arange(6, dtype="i4"))
    >>> zinczarr.copy(a, "memory://other/t", format="v2", codecs="gzip:1", verify=True)
    copied 0 groups, 1 array, 1 object, 24 B
      replaced  /: chunk keys default(separator="/") become v2(separator="/")
    """
    from ._array import _flags as convert_flags

    (url, mine), (to, theirs) = _address(source, settings), _address(target, settings)
    notes: list[Note] = []

    def note(kind: int, path: str, message: str) -> None:
        notes.append(Note(_NOTES[kind] if kind < len(_NOTES) else str(kind), path, message))

    options = {
        "format": format,
        "codecs": None if codecs is None else _create.codecs_text(codecs, "auto", "auto", "auto"),
        "dtype": None if dtype is None else _create.dtype_text(dtype),
        "key_encoding": _create.key_encoding_text(key_encoding),
        "select": selection_text(select),
        "convert": convert_flags(convert),
        "auto_chunks": _is_auto(chunks),
        "auto_shards": _is_auto(shards),
        "chunk_edges": _create.edges_text(chunks),
        "shard_edges": _create.edges_text(shards),
        "for_xarray": for_xarray,
        "verify": verify,
        "resume": resume,
        "lossy": lossy,
        "overwrite": _open.overwrite_of(overwrite),
        "dry_run": dry_run,
        "strict": strict,
        "fallback": fallback,
        "max_memory": max_memory,
        "threads": threads,
        "links": _open.links_of(links),
        "climb": 0 if climb else -1,
    }
    with reporter(progress, "copying", "object") as report:
        counts = _core.copy(
            url,
            to,
            _flags(options),
            chunks=_shape(chunks),
            shards=_shape(shards),
            settings=_merged(mine, theirs),
            note=note,
            progress=report,
        )
    return CopyResult(_url.shown(url), _url.shown(to), dry_run, notes, **counts)


def _shape(value: object) -> tuple[int, ...] | None:
    """None where it is not one."""
    return None if value is None or _is_auto(value) or _create.edges_text(value) else _create.shape_of(value)


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"


# ---- validating ----

_LEVELS = ("warning", "error", "unsupported")


def validate(
    node: Node,
    *,
    format: str | None = None,
    strict: bool = False,
    fast: bool = False,
    repair: bool = False,
    orphans: bool = False,
    schemas: str | os.PathLike[str] | None = None,
    fetch: bool = False,
    threads: int = 0,
    links: str = "follow",
    climb: bool = True,
    settings: Mapping[str, object] | None = None,
    progress: Progress = None,
) -> ValidateResult:
    """Check a node and everything below: documents against the specification, and stored objects by decoding them.

    The result is true if nothing is wrong; it lists the findings.

    strict:   what readers usually tolerate is an error, too
    fast:     metadata only
    repair:   remove leftovers, rewrite stale consolidated metadata; with `orphans` also erase objects of no array

    >>> import zinczarr
    >>> a = zinczarr.create_array("memory://check/t", data=np.arange(6))
    >>> zinczarr.validate(a)
    memory://check/t: nothing is wrong (1 array, 1 object, ...)
    """
    url, mine = _address(node, settings)
    options = {
        "format": format,
        "strict": strict,
        "fast": fast,
        "repair": repair,
        "orphans": orphans,
        "schemas": None if schemas is None else os.fspath(schemas),
        "fetch": fetch,
        "threads": threads,
        "links": _open.links_of(links),
        "climb": 0 if climb else -1,
    }
    with reporter(progress, "checking", "object") as report:
        found, unchecked, counts = _core.validate(url, _flags(options), settings=mine, progress=report)
    findings = [Finding(**{**f, "level": _LEVELS[f["level"]]}) for f in found]
    return ValidateResult(_url.shown(url), findings, unchecked, **counts)


# ---- comparing ----

_KINDS = ("tree", "metadata", "values", "storage", "unknown", "hidden")


def _side(node: Node, settings: Mapping[str, object] | None) -> tuple[_core.Hierarchy, str, str]:
    place = node_of(node, settings).place
    return place.hierarchy(), place.path, _url.node_url(_url.store_url(place), place.path)


def _parsed(text: str, plain: bool) -> Any:
    if plain or not text:
        return text or None
    with contextlib.suppress(ValueError):
        return json.loads(text)
    return text


def _difference(d: Mapping[str, Any]) -> Difference:
    kind = _KINDS[d["kind"]]
    plain = kind in ("unknown", "hidden")
    a, b = (_parsed(d[side], plain) for side in ("a", "b"))
    return Difference(
        kind, d["path"], d["what"], a, b, d["count"], d["total"], d["index"] if kind == "values" else None
    )


def diff(
    a: Node,
    b: Node,
    *,
    storage: bool = False,
    select: object = None,
    rtol: float = 0.0,
    atol: float = 0.0,
    threads: int = 0,
    settings: Mapping[str, object] | None = None,
    progress: Progress = None,
) -> DiffResult:
    """Compare two nodes and everything below, whatever their stores and versions.

    `storage` compares chunks, codecs and the like, too.  Numbers are equal when |a - b| <= atol + rtol * |b|.

    >>> import zinczarr
    >>> a = zinczarr.create_array("memory://a/t", data=np.arange(6))
    >>> b = zinczarr.create_array("memory://b/t", data=np.array([0, 1, 2, 3, 4, 9]))
    >>> zinczarr.diff(a, b)
    / values: 1 of 6 differ, the first at (5,): 5 | 9
    """
    (ha, pa, ua), (hb, pb, ub) = _side(a, settings), _side(b, settings)
    options = {"storage": storage, "select": selection_text(select), "rtol": rtol, "atol": atol, "threads": threads}
    with reporter(progress, "comparing", "chunk") as report:
        found, counts = _core.diff(ha, pa, hb, pb, _flags(options), progress=report)
    counts.pop("differences")
    return DiffResult(ua, ub, [_difference(d) for d in found], **counts)


# ---- looking at arrays ----


def _select(array: Array, selection: object) -> dict[str, Any]:
    from ._indexing import Mixed, numpy_plan

    plan = numpy_plan(selection, array.shape)
    if isinstance(plan, Mixed):
        raise NotImplementedError("lists of indices beside slices: use a selection that oindex or vindex would take")
    return {"select": plan.select, "points": plan.points, "mask": plan.mask}


def array_stats(array: Array, selection: object = ..., *, threads: int = 0, progress: Progress = None) -> Stats:
    with reporter(progress, "reading", "chunk") as report:
        found = array._core.stats(**_select(array, selection), threads=threads, progress=report)
    return Stats.of_array(found, array.dtype, array.name)


def array_explain(array: Array, selection: object = ..., *, chunks: bool = False) -> Explanation:
    found = array._core.explain(**_select(array, selection), chunks=chunks)
    listed = [Chunk(**chunk) for chunk in found.pop("list", ())]
    return Explanation(**found, all=listed)


def _arrays(group: Group) -> Iterator[Array]:
    from ._array import Array

    return (array for _, array in group.members(None) if isinstance(array, Array))


def stats(
    node: Node,
    selection: object = ...,
    *,
    threads: int = 0,
    settings: Mapping[str, object] | None = None,
    progress: Progress = None,
) -> Stats | StatsTable:
    """Minimum, maximum, mean, deviation, NaN and a histogram of an array; of a group: of all arrays below.

    >>> import zinczarr
    >>> s = zinczarr.stats(zinczarr.create_array("memory://stats/t", data=np.arange(100.0)))
    >>> s.min, s.max, s.mean, s.elements
    (0.0, 99.0, 49.5, 100)
    """
    opened: Any = node_of(node, settings)
    if hasattr(opened, "shape"):
        return array_stats(opened, selection, threads=threads, progress=progress)
    if selection is not ...:
        raise ValueError("a selection is for one array")
    return StatsTable([array_stats(array, threads=threads, progress=progress) for array in _arrays(opened)])


def explain(
    node: Node, selection: object = ..., *, chunks: bool = False, settings: Mapping[str, object] | None = None
) -> Explanation:
    """What a read of a selection would do: requests, bytes, chunks, waste.  `chunks` lists them.

    >>> import zinczarr
    >>> a = zinczarr.create_array("memory://explain/t", shape=(100, 100), dtype="f4", chunks=(10, 100), codecs="none")
    >>> a[...] = 1
    >>> e = zinczarr.explain(a, (slice(None), 0))
    >>> e.objects, e.selected_bytes, e.better
    (10, 400, (100, 1))
    """
    opened: Any = node_of(node, settings)
    if not hasattr(opened, "shape"):
        raise TypeError(f"{opened!r} is a group; a read is explained for one array")
    return array_explain(opened, selection, chunks=chunks)


# ---- looking at nodes ----


def info(node: Node, *, complete: bool = False, settings: Mapping[str, object] | None = None) -> Info:
    """What a node is; `complete` also counts what is stored."""
    from ._info import array_info, group_info

    opened: Any = node_of(node, settings)
    return (array_info if hasattr(opened, "shape") else group_info)(opened, complete=complete)


def tree(
    node: Node,
    level: int | None = None,
    *,
    attrs: bool = False,
    max_nodes: int = 500,
    settings: Mapping[str, object] | None = None,
) -> Tree:
    """The hierarchy below a node, for people."""
    from ._html import tree as made

    return made(node_of(node, settings).place, level=level, attrs=attrs, max_nodes=max_nodes)


def consolidate(
    node: Node,
    *,
    remove: bool = False,
    settings: Mapping[str, object] | None = None,
    progress: Progress = None,
) -> Group:
    """Write (or remove) consolidated metadata of a group and everything below."""
    if not isinstance(getattr(node, "place", None), Place):
        node = _open.open_group(node, mode="r+", settings=settings)
    if not hasattr(node, "consolidate"):
        raise TypeError(f"{node!r} is not a group")
    return node.consolidate(remove=remove, progress=progress)  # type: ignore[no-any-return]


__all__ = ["consolidate", "copy", "diff", "explain", "info", "stats", "tree", "validate"]
