"""What the tools return: small classes that show themselves well, in a terminal and in Jupyter."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ._progress import count_text, size_text
from ._style import page


def _escape(value: object) -> str:
    return html.escape(str(value))


def _cell(value: object) -> str:
    return _escape(f"{value:.7g}" if isinstance(value, float) else plain(str(value)))


def _rows(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    cells = "".join(f"<th>{_cell(name)}</th>" for name in head)
    top = f"<thead><tr>{cells}</tr></thead>" if any(head) else ""
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{top}<tbody>{body}</tbody></table>"


def table_html(head: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "", below: str = "") -> str:
    """A table, everything in it escaped; `below` is HTML."""
    title = f'<div class="zinc-head">{_cell(caption)}</div>' if caption else ""
    return page(title + (_rows(head, rows) if rows else "") + below)


def plain(text: str) -> str:
    """Text from a store, without characters that would move a terminal's cursor."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _clip(value: object, most: int = 100) -> str:
    text = plain(value if isinstance(value, str) else repr(value))
    return text if len(text) <= most else text[: most - 1] + "…"


# ---- copying ----


@dataclass(frozen=True)
class Note:
    """What a copy does with a node: "plan", "replaced", "lost", "notice", "hidden", "refused"."""

    kind: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind:9} {plain(self.path)}: {plain(self.message)}"


@dataclass(frozen=True, repr=False)
class CopyResult:
    """What a copy did, or with dry_run would do."""

    source: str
    target: str
    dry_run: bool
    notes: list[Note]
    groups: int
    arrays: int
    objects: int
    raw: int  # objects that were copied as they are stored
    skipped: int  # that an earlier copy had finished
    bytes: int
    lost: int
    replaced: int
    hidden: int

    def _summary(self) -> str:
        parts = [
            count_text(n, unit)
            for n, unit in ((self.groups, "group"), (self.arrays, "array"), (self.objects, "object"))
        ]
        return f"{'would copy' if self.dry_run else 'copied'} {', '.join(parts)}, {size_text(self.bytes)}"

    def _shown(self) -> list[Note]:
        return [note for note in self.notes if self.dry_run or note.kind != "plan"]

    def __repr__(self) -> str:
        return "\n".join([self._summary(), *(f"  {note}" for note in self._shown())])

    def _repr_html_(self) -> str:
        rows = [(note.kind, note.path, note.message) for note in self._shown()]
        return table_html(("note", "path", "message"), rows, self._summary())


# ---- validating ----


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    level: str  # "error", "warning", "unsupported"
    rule: str  # a number of the rules in the documentation, or a word
    path: str
    key: str
    pointer: str
    message: str
    fix: str
    repaired: bool

    def __str__(self) -> str:
        where = " ".join(plain(part) for part in (self.path, self.key, self.pointer) if part)
        fix = f"; {plain(self.fix)}" if self.fix else ""
        return f"{self.level} {self.rule} {where}: {plain(self.message)}{fix}{' (repaired)' if self.repaired else ''}"


@dataclass(frozen=True, repr=False)
class ValidateResult:
    """What a check found.  True if there is neither an error nor something that is not supported."""

    url: str
    findings: list[Finding]
    unchecked_arrays: list[str]  # without a checksum: damage that still decodes is not detected
    groups: int
    arrays: int
    objects: int
    bytes: int
    missing: int
    empty: int
    errors: int
    warnings: int
    unsupported: int
    repaired: int
    unchecked: int

    def __bool__(self) -> bool:
        return self.errors == 0 and self.unsupported == 0

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def _amount(self) -> str:
        counts = ((self.groups, "group"), (self.arrays, "array"), (self.objects, "object"))
        return ", ".join([*(count_text(n, unit) for n, unit in counts if n), size_text(self.bytes)])

    def _summary(self) -> str:
        counts = ((self.errors, "error"), (self.warnings, "warning"))
        found = [count_text(n, unit) for n, unit in counts if n]
        found += [f"{self.unsupported} not supported"] if self.unsupported else []
        found += [f"{self.repaired} repaired"] if self.repaired else []
        return f"{self.url}: {', '.join(found) or 'nothing is wrong'} ({self._amount()})"

    def __repr__(self) -> str:
        return "\n".join([*(str(finding) for finding in self.findings), self._summary()])

    def _repr_html_(self) -> str:
        head = ("level", "rule", "path", "key", "pointer", "message", "fix")
        rows = [[getattr(finding, name) for name in head] for finding in self.findings]
        return table_html(head, rows, self._summary())


# ---- comparing ----


@dataclass(frozen=True)
class Difference:
    """One difference.  `a` and `b` are the two sides; of values: the first two that differ."""

    kind: str  # "tree", "metadata", "values", "storage", "unknown", "hidden"
    path: str
    what: str
    a: Any
    b: Any
    count: int = 0
    total: int = 0
    first: tuple[int, ...] | None = None

    def __str__(self) -> str:
        path = plain(self.path)
        if self.kind == "tree":
            return f"{path} {self.what}: {self.a or 'nothing'} | {self.b or 'nothing'}"
        if self.kind == "values":
            sides = "" if self.a is None or self.b is None else f": {_clip(self.a)} | {_clip(self.b)}"
            return f"{path} {self.what}: {self.count} of {self.total} differ, the first at {self.first}{sides}"
        if self.kind in ("unknown", "hidden"):
            return f"{path} {plain(self.what)} cannot be compared: {_clip(self.a)}"
        return f"{path} {plain(self.what)}: {_clip(self.a)} | {_clip(self.b)}"


@dataclass(frozen=True, repr=False)
class DiffResult:
    """What differs.  `equal` is true if everything was compared and is equal."""

    a: str
    b: str
    differences: list[Difference]
    nodes: int
    unknown: int
    elements: int
    different: int

    @property
    def equal(self) -> bool:
        """Were there no differences?"""
        return not self.differences and not self.unknown

    def __bool__(self) -> bool:
        raise TypeError("the truth of a comparison is ambiguous; use .equal")

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def _summary(self) -> str:
        amount = f"({count_text(self.nodes, 'node')}, {count_text(self.elements, 'element')})"
        return f"{count_text(len(self), 'difference')} {amount}" if self.differences else f"equal {amount}"

    def __repr__(self) -> str:
        return "\n".join(str(d) for d in self.differences) if self.differences else self._summary()

    def _repr_html_(self) -> str:
        rows = [
            (d.kind, d.path, d.what, _clip(d.a), _clip(d.b), d.count or "", d.first or "") for d in self.differences
        ]
        return table_html(("kind", "path", "what", self.a, self.b, "elements", "first"), rows, self._summary())


# ---- statistics ----

_BLOCKS = " ▁▂▃▄▅▆▇█"


def _spark(counts: Sequence[int]) -> str:
    most = max(counts, default=0)
    return "".join(_BLOCKS[-(-n * 8 // most)] if most else " " for n in counts)


@dataclass(frozen=True, repr=False)
class Stats:
    """Statistics of an array's elements; None where there is no number."""

    path: str
    of: str  # "values", "times", "magnitudes", "lengths", "nothing"
    elements: int
    nan: int
    infinite: int
    min: Any
    max: Any
    mean: Any
    std: Any
    sum: int | None
    histogram: list[tuple[float, float, int]] = field(default_factory=list)  # from, to, how many

    @staticmethod
    def of_array(found: dict[str, Any], dtype: np.dtype[Any], path: str) -> Stats:
        """From the extension's dictionary."""
        values = {name: _as_time(found[name], found["of"], dtype) for name in ("min", "max")}
        width = 2.0 ** found["exponent"]
        bins = [
            ((found["first"] + i) * width, (found["first"] + i + 1) * width, n) for i, n in enumerate(found["count"])
        ]
        return Stats(
            path,
            found["of"],
            found["elements"],
            found["nan"],
            found["infinite"],
            values["min"],
            values["max"],
            found["mean"],
            found["deviation"],
            found["sum"],
            bins,
        )

    def _rows(self) -> list[tuple[str, object]]:
        names = [f.name for f in fields(self) if f.name not in ("path", "histogram", "of")]
        what = "" if self.of in ("values", "nothing") else f" of {self.of}"
        return [(name + (what if name in ("min", "max", "mean", "std") else ""), getattr(self, name)) for name in names]

    def __repr__(self) -> str:
        rows = [(name, value) for name, value in self._rows() if value is not None]
        wide = max(len(name) for name, _ in rows)
        lines = [plain(self.path), *(f"  {name:{wide}}  {value}" for name, value in rows)]
        if self.histogram:
            low, high = self.histogram[0][0], self.histogram[-1][1]
            lines.append(f"  {low:g} {_spark([n for _, _, n in self.histogram])} {high:g}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [(name, value) for name, value in self._rows() if value is not None]
        return table_html(("", ""), rows, self.path, histogram_svg(self.histogram))


def _as_time(value: Any, of: str, dtype: np.dtype[Any]) -> Any:
    if of != "times" or value is None or dtype.kind not in "mM":
        return value
    unit = np.datetime_data(dtype)
    kind: Any = np.datetime64 if dtype.kind == "M" else np.timedelta64
    return kind(int(value), unit)


def histogram_svg(bins: Sequence[tuple[float, float, int]], width: int = 260, height: int = 60) -> str:
    """A histogram as an inline picture; colours follow the text."""
    most = max((n for _, _, n in bins), default=0)
    if not most:
        return ""
    step = width / len(bins)
    bars = "".join(
        f'<rect x="{i * step:.1f}" y="{height - height * n / most:.1f}" width="{max(step - 1, 1):.1f}" '
        f'height="{height * n / most:.1f}"><title>{low:g} to {high:g}: {n}</title></rect>'
        for i, (low, high, n) in enumerate(bins)
    )
    return f'<svg width="{width}" height="{height}" role="img" class="zinc-bars">{bars}</svg>'


@dataclass(frozen=True, repr=False)
class StatsTable:
    """Statistics of some arrays, by path."""

    all: list[Stats]

    def __iter__(self) -> Iterator[Stats]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, path: str) -> Stats:
        for item in self.all:
            if item.path.strip("/") == path.strip("/"):
                return item
        raise KeyError(path)

    def _cells(self) -> list[list[object]]:
        names = ("path", "elements", "nan", "min", "max", "mean", "std")
        return [["" if getattr(item, name) is None else getattr(item, name) for name in names] for item in self.all]

    def __repr__(self) -> str:
        head: list[object] = ["path", "elements", "nan", "min", "max", "mean", "std"]
        rows = [head, *self._cells()]
        texts = [[plain(f"{cell:g}" if isinstance(cell, float) else str(cell)) for cell in row] for row in rows]
        wide = [max(len(row[i]) for row in texts) for i in range(7)]
        return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip() for row in texts)

    def _repr_html_(self) -> str:
        return table_html(("path", "elements", "nan", "min", "max", "mean", "std"), self._cells())


# ---- what a read costs ----


@dataclass(frozen=True)
class Chunk:
    """One chunk that a read touches."""

    key: str
    index: tuple[int, ...]
    present: bool
    in_shard: bool
    offset: int
    bytes: int
    decoded_bytes: int
    selected_bytes: int


@dataclass(frozen=True, repr=False)
class Explanation:
    """What reading a selection costs."""

    objects: int
    objects_present: int
    chunks: int
    chunks_present: int
    requests: int
    ranges: int  # of the requests: for parts of objects
    bytes: int  # that these requests transfer
    object_bytes: int
    decoded_bytes: int
    selected_bytes: int
    waste: float  # share of the decoded bytes that is not selected
    better: tuple[int, ...] | None  # chunks that would waste less than half as much
    better_waste: float | None
    only_stored: bool  # too many chunks: only stored ones were counted
    all: list[Chunk] = field(default_factory=list)  # if they were asked for

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("objects", f"{self.objects} ({self.objects_present} stored)"),
            ("chunks", f"{self.chunks} ({self.chunks_present} stored)"),
            ("requests", f"{self.requests} ({self.ranges} for parts of objects)"),
            ("transferred", f"{size_text(self.bytes)} of {size_text(self.object_bytes)}"),
            ("decoded", size_text(self.decoded_bytes)),
            (
                "selected",
                f"{size_text(self.selected_bytes)} ({100 * self.waste:.0f} % of the decoded bytes are not needed)",
            ),
        ]
        if self.better is not None and self.better_waste is not None:
            rows.append(("better chunks", f"{self.better} would waste {100 * self.better_waste:.0f} %"))
        if self.only_stored:
            rows.append(("note", "too many chunks: only stored ones were counted"))
        return rows

    def __repr__(self) -> str:
        return "\n".join(f"{name:14}{value}" for name, value in self._rows())

    def _repr_html_(self) -> str:
        return table_html(("", ""), self._rows(), "What the read costs")
