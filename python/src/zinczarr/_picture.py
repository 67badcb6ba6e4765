"""The grid of an array as an inline picture: chunks, shards, and which of them are stored.

The picture shows the last two dimensions as a face, and the third last as depth.  Thin lines are chunks, thick ones
shards.  Each cell of the face is as full as the share of its objects, along all other dimensions, that are stored.
"""

from __future__ import annotations

import html
import itertools
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ._errors import ZincError
from ._results import plain

if TYPE_CHECKING:
    from ._array import Array

LONGEST, SHORTEST = 180.0, 22.0  # pixels of a side
MARGIN = 8.0
DENSE = 3.0  # lines that are nearer to each other than this are left out
MOST_OBJECTS = 4096  # more are not looked for one by one
MOST_CELLS = 48  # along one side

_REMOTE = re.compile(r"(https?|s3|gs|az|abfss?|mongodb(\+srv)?|postgres(ql)?|rediss?)://")


# ---- what is stored ----


def _common(a: str, b: str) -> str:
    """The directory that holds both keys."""
    shared = os.path.commonprefix([a.rpartition("/")[0] + "/", b.rpartition("/")[0] + "/"])
    return shared[: shared.rfind("/") + 1]


def stored_grid(array: Array) -> npt.NDArray[np.bool_] | None:
    """Which objects of the grid are stored; None where finding out is not cheap: a remote store, a large grid."""
    grid = array._core.grid
    h = array.place.hierarchy()
    if grid is None or math.prod(grid) > MOST_OBJECTS or _REMOTE.match(h.url):
        return None
    try:
        first = array._core.chunk_key((0,) * len(grid))
        keys = {key for key, _ in h.store.list(_common(first, array._core.chunk_key([max(n, 1) - 1 for n in grid])))}
        found = np.zeros(grid, bool)
        for index in np.ndindex(*grid):
            found[index] = array._core.chunk_key(index) in keys
    except ZincError:
        return None
    return found


# ---- lines ----


@dataclass(frozen=True)
class Side:
    """One dimension of the picture."""

    n: int
    length: float  # in pixels
    chunks: Sequence[float]  # where chunks end
    objects: Sequence[float]  # where stored objects end
    name: str | None

    @property
    def label(self) -> str:
        return f"{self.name}: {self.n}" if self.name else str(self.n)


def _scale(n: int, longest: int) -> float:
    """Long dimensions are drawn shorter than they are, so that short ones can be seen."""
    if n <= 0 or longest <= 0:
        return SHORTEST
    return float(max(LONGEST * (n / longest) ** 0.5, SHORTEST))


def _ends(lengths: Sequence[int] | int, n: int, length: float) -> list[float]:
    """Where pieces end, in pixels; nothing if the lines would be too dense."""
    if n <= 0:
        return []
    if isinstance(lengths, int):
        count = -(-n // lengths) if lengths > 0 else 0
        if count > length / DENSE:
            return []
        return [i * lengths / n * length for i in range(1, count)]
    if len(lengths) > length / DENSE:
        return []
    return [end / n * length for end in itertools.accumulate(lengths) if end < n]


def _sides(array: Array) -> list[Side]:
    longest = max(array.shape, default=0)
    inner, outer = array._edges(inner=True), array._edges()
    names = array.dimension_names or (None,) * array.ndim
    made = []
    for d, n in enumerate(array.shape):
        length = _scale(n, longest)
        chunks = inner[d] if d < len(inner) else n
        objects = outer[d] if d < len(outer) else n
        made.append(Side(n, length, _ends(chunks, n, length), _ends(objects, n, length), names[d]))
    return made


# ---- drawing ----


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="zinc-{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, turn: bool = False) -> str:
    turned = f' transform="rotate(90 {x:.1f} {y:.1f})"' if turn else ""
    return f'<text class="zinc-label" x="{x:.1f}" y="{y:.1f}"{turned}>{html.escape(plain(text))}</text>'


def _bins(edges: Sequence[float], n: int) -> list[tuple[int, int]]:
    """Cells of neighbouring objects: at most MOST_CELLS."""
    step = max(1, -(-n // MOST_CELLS))
    return [(i, min(i + step, n)) for i in range(0, n, step)]


def _bounds(side: Side, n: int) -> list[float]:
    """Where each of n objects begins and ends."""
    if len(side.objects) == n - 1:
        return [0.0, *side.objects, side.length]
    return [side.length * i / n for i in range(n + 1)]


def _cells(stored: npt.NDArray[np.bool_], across: Side, down: Side, left: float, top: float) -> str:
    """The face: cells as full as the share of their objects that are stored."""
    face = stored.reshape((-1, *stored.shape[-2:])) if stored.ndim >= 2 else stored.reshape((1, 1, -1))
    xs, ys = _bounds(across, face.shape[2]), _bounds(down, face.shape[1])
    parts = []
    for (r0, r1), (c0, c1) in itertools.product(_bins(ys, face.shape[1]), _bins(xs, face.shape[2])):
        share = float(face[:, r0:r1, c0:c1].mean())
        if share > 0:
            parts.append(
                f'<rect class="zinc-stored" x="{left + xs[c0]:.1f}" y="{top + ys[r0]:.1f}" '
                f'width="{xs[c1] - xs[c0]:.1f}" height="{ys[r1] - ys[r0]:.1f}" fill-opacity="{share:.2f}"/>'
            )
    return "".join(parts)


def _face(across: Side, down: Side, left: float, top: float) -> str:
    w, h = across.length, down.length
    parts = []
    for kind, xs, ys in (("chunk", across.chunks, down.chunks), ("object", across.objects, down.objects)):
        parts += [_line(kind, left + x, top, left + x, top + h) for x in xs]
        parts += [_line(kind, left, top + y, left + w, top + y) for y in ys]
    parts.append(f'<rect class="zinc-edge" x="{left:.1f}" y="{top:.1f}" width="{w:.1f}" height="{h:.1f}"/>')
    return "".join(parts)


def _depth(across: Side, down: Side, deep: Side, left: float, top: float, slope: tuple[float, float]) -> str:
    """The faces above and to the right of the front."""
    w, h, (dx, dy) = across.length, down.length, slope
    fx, fy = dx / deep.length, dy / deep.length
    top_face = (
        f"{left:.1f},{top:.1f} {left + dx:.1f},{top - dy:.1f} "
        f"{left + w + dx:.1f},{top - dy:.1f} {left + w:.1f},{top:.1f}"
    )
    side_face = (
        f"{left + w:.1f},{top:.1f} {left + w + dx:.1f},{top - dy:.1f} "
        f"{left + w + dx:.1f},{top + h - dy:.1f} {left + w:.1f},{top + h:.1f}"
    )
    parts = [f'<polygon class="zinc-top" points="{top_face}"/><polygon class="zinc-side" points="{side_face}"/>']
    for kind, xs, ys, zs in (
        ("chunk", across.chunks, down.chunks, deep.chunks),
        ("object", across.objects, down.objects, deep.objects),
    ):
        parts += [_line(kind, left + x, top, left + x + dx, top - dy) for x in xs]
        parts += [_line(kind, left + w, top + y, left + w + dx, top + y - dy) for y in ys]
        for z in zs:
            parts.append(_line(kind, left + z * fx, top - z * fy, left + w + z * fx, top - z * fy))
            parts.append(_line(kind, left + w + z * fx, top - z * fy, left + w + z * fx, top + h - z * fy))
    return "".join(parts)


def _caption(array: Array, sides: Sequence[Side]) -> str:
    more = " × ".join(side.label for side in sides[:-3])
    return f"{more} × the box" if more else ""


def svg(array: Array, stored: npt.NDArray[np.bool_] | None = None) -> str:
    """The picture; "" for an array that has no elements to draw."""
    if 0 in array.shape:
        return ""
    sides = _sides(array)
    flat = Side(1, SHORTEST * 1.5, (), (), None)
    across = sides[-1] if sides else Side(1, SHORTEST * 1.5, (), (), None)
    down = sides[-2] if len(sides) > 1 else flat
    deep = sides[-3] if len(sides) > 2 else None
    dx, dy = (deep.length * 0.42, deep.length * 0.34) if deep else (0.0, 0.0)
    left, top = MARGIN, MARGIN + dy
    wide = [len(side.label) * 7.0 for side in (across, down)]
    width = max(left + across.length + dx + 26, left + wide[0], 60) + MARGIN
    if deep:
        width = max(width, left + across.length + dx * 0.5 + 14 + len(deep.label) * 7.0)
    caption = _caption(array, sides)
    height = top + max(down.length, wide[1] if len(sides) > 1 else 0) + 22 + (16 if caption else 0) + MARGIN
    width = max(width, len(caption) * 7.0 + left)
    parts = [_depth(across, down, deep, left, top, (dx, dy))] if deep else []
    parts.append(
        f'<rect class="zinc-face" x="{left}" y="{top:.1f}" width="{across.length:.1f}" height="{down.length:.1f}"/>'
    )
    if stored is not None and stored.size:
        parts.append(_cells(stored, across, down, left, top))
    parts.append(_face(across, down, left, top))
    if sides:
        parts.append(_text(left, top + down.length + 16, across.label))
    if len(sides) > 1:
        parts.append(_text(left + across.length + dx + 8, top - dy + 2, down.label, turn=True))
    if deep:
        parts.append(_text(left + across.length + dx * 0.5 + 14, top + down.length + 16 - dy * 0.5, deep.label))
    if caption:
        parts.append(_text(left, height - MARGIN, caption))
    return (
        f'<svg class="zinc-picture" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'role="img" aria-label="the grid of chunks">{"".join(parts)}</svg>'
    )
