"""Trees, and what Jupyter shows: well-formed, without scripts, hostile names and attributes escaped."""

from __future__ import annotations

import os
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zinczarr
from zinczarr import Group

VOID = {"br"}
ALLOWED = VOID | {
    *(
        "div span style table thead tbody tr td th details summary ul li b code svg text title rect line polygon".split()
    ),
}
FORMATS = [name for name, _ in zinczarr.formats()]
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202e&amp;'


class Checker(HTMLParser):
    """Every tag is closed, known, and has no handler of events and no address."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, _ in attrs:
            assert not name.startswith("on") and name not in ("href", "src", "xlink:href"), name
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def check(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    assert "\x1b" not in page and "<script" not in page
    return checker


@pytest.fixture
def hostile(tmp_path: Path) -> Group:
    g = zinczarr.open_group(tmp_path / "a.zarr", attributes={HOSTILE: HOSTILE, "list": [HOSTILE]})
    name = '"><script>alert(1)<'
    a = g.create_array(
        name,
        shape=(4, 6),
        dtype="f4",
        chunks=(2, 3),
        dimension_names=[HOSTILE, None],
        attributes={HOSTILE: {HOSTILE: 1}},
    )
    a[0] = 1
    (tmp_path / "a.zarr/bad<b>").mkdir()
    (tmp_path / "a.zarr/bad<b>/zarr.json").write_text('{"<script>": }')
    return g


@pytest.mark.filterwarnings("ignore::zinczarr.ZincWarning")
def test_everything_is_escaped(hostile: Group) -> None:
    a: Any = next(hostile.array_values())
    shown: list[Any] = [hostile, a, hostile.tree(attrs=True), hostile.info, a.info, a.stats(), a.explain(0)]
    other = zinczarr.create_array("memory://hostile/t", data=np.zeros(3), attributes={HOSTILE: 2})
    shown += [hostile.validate(), zinczarr.diff(a, other), hostile.stats()]
    for thing in shown:
        check(thing._repr_html_())
        assert "\x1b" not in repr(thing) and "\u202e" not in repr(thing)
    assert any("alert(1)" in text for text in check(hostile._repr_html_()).text)


def test_text_of_trees(tmp_path: Path) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr", attributes={"title": "x"})
    g.create_array("b/t", shape=(2, 3), dtype="f4", dimension_names=["y", "x"], attributes={"u": "K"})
    g.create_array("b/u", shape=(5,), dtype="i8")
    g.create_group("c")
    assert repr(g.tree()) == "/\n├── b\n│   ├── t (2, 3) float32\n│   └── u (5,) int64\n└── c"
    assert repr(g.tree(level=1)) == "/\n├── b\n└── c"
    assert repr(g.tree(max_nodes=2)) == "/\n└── b\n... 3 nodes more"
    assert repr(g["b"].tree()) == "b\n├── t (2, 3) float32\n└── u (5,) int64"  # type: ignore[union-attr]
    assert repr(g["b/t"].tree()) == "t (2, 3) float32"  # type: ignore[union-attr]
    full = repr(zinczarr.tree(tmp_path / "a.zarr", attrs=True))
    assert full.splitlines()[:5] == [
        "/",
        '│   title: "x"',
        "├── b",
        "│   ├── t (2, 3) float32",
        "│   │       dimensions: y, x",
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_every_kind_of_array_has_a_picture(tmp_path: Path, format: str) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr", format=format, relaxed=True)
    shapes: list[tuple[int, ...]] = [(), (7,), (5, 8), (3, 4, 5), (2, 3, 4, 5), (2, 1, 2, 3, 2), (0, 5), (100000, 2)]
    for i, shape in enumerate(shapes):
        if format == "n5" and not shape:  # it has no arrays without dimensions
            continue
        a = g.create_array(f"a{i}", shape=shape, dtype="i2", chunks=tuple(min(2, max(n, 1)) for n in shape))
        page = check(a._repr_html_())
        assert ("svg" in page.tags) == (0 not in shape), shape
        assert "nan" not in a._repr_html_()


@pytest.mark.parametrize("format", FORMATS)
def test_the_picture_shows_what_is_stored(tmp_path: Path, format: str) -> None:
    from zinczarr._picture import stored_grid

    a: Any = zinczarr.create_array(
        tmp_path / "a.zarr", name="g/t", shape=(4, 6), dtype="i2", chunks=(2, 2), format=format
    )
    a[0:2, 2:4] = 1
    a[3, 5] = 1
    found = stored_grid(a)
    assert found is not None and found.tolist() == [[False, True, False], [False, False, True]]
    assert a._repr_html_().count("zinc-stored") == 2 + 1  # the cells, and the style
    assert "2 of 6 chunks" in a._repr_html_()


def test_shards_and_large_grids(tmp_path: Path) -> None:
    from zinczarr._picture import stored_grid

    g = zinczarr.open_group(tmp_path / "a.zarr", relaxed=True)
    s: Any = g.create_array("s", shape=(40, 40), dtype="i2", chunks=(5, 5), shards=(20, 20))
    s[:20] = 1
    page = check(s._repr_html_())
    assert page.tags.count("line") == 2 * 7 + 2 * 1 and "2 of 4 shards" in s._repr_html_()
    large: Any = g.create_array("l", shape=(10**9, 10**9), dtype="i2", chunks=(1, 1))
    assert stored_grid(large) is None
    assert len(large._repr_html_()) < 10_000
    many = g.create_array("m", shape=(2,), dtype="i1", attributes={f"k{i}": "x" * 1000 for i in range(200)})
    assert "150 more" in many._repr_html_() and len(many._repr_html_()) < 40_000


def test_a_store_that_fails_does_not_break_the_display(tmp_path: Path) -> None:
    a: Any = zinczarr.create_array(tmp_path / "a.zarr", data=np.arange(4), chunks=(2,))
    os.rename(tmp_path / "a.zarr", tmp_path / "b.zarr")
    check(a._repr_html_())
    assert "shape=(4,)" in repr(a)
