"""copy, validate, diff, stats, explain: against NumPy, and with things that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zinczarr
from zinczarr import Group
from zinczarr.errors import CancelledError, ChecksumError, ExistsError, InvalidError, NotFoundError

FORMATS = [name for name, _ in zinczarr.formats()]


@pytest.fixture
def group(tmp_path: Path) -> Group:
    g = zinczarr.open_group(tmp_path / "a.zarr", attributes={"title": "x"}, relaxed=True)
    g.create_array("t", data=np.arange(60, dtype="f4").reshape(6, 10), chunks=(2, 5), dimension_names=["y", "x"])
    g.create_array("g/u", data=np.arange(5), attributes={"units": "K"})
    return g


# ---- copying ----


@pytest.mark.parametrize("format", FORMATS)
def test_copy(group: Group, tmp_path: Path, format: str) -> None:
    seen: list[tuple[int, int, int]] = []
    result = group.copy(tmp_path / "b.zarr", format=format, verify=True, progress=lambda *n: seen.append(n))
    assert (result.groups, result.arrays, result.lost) == (2, 2, 0) and result.objects == 7
    assert seen[-1][0] == seen[-1][1] > 0
    b = zinczarr.open_group(tmp_path / "b.zarr", mode="r")
    assert b.format == format and np.array_equal(b["t"][...], group["t"][...])  # type: ignore[index]
    assert zinczarr.diff(group, b).equal
    assert "copied 2 groups, 2 arrays" in repr(result) and ("<table>" in result._repr_html_()) == (format != "v3")
    assert (format == "v3") == (not [note for note in result.notes if note.kind == "replaced"])


def test_copy_options(group: Group, tmp_path: Path) -> None:
    t: Any = group["t"]
    to = tmp_path / "b.zarr"
    plan = zinczarr.copy(t, to, chunks=(3, 10), shards=(6, 10), codecs="gzip:1", dtype="f8", dry_run=True)
    assert plan.dry_run and [note.kind for note in plan.notes] == ["plan"] and not to.exists()
    assert "would copy" in repr(plan)
    zinczarr.copy(t, to, chunks=(3, 10), shards=(6, 10), codecs="gzip:1", dtype="f8")
    b: Any = zinczarr.open(to)
    assert (b.chunks, b.shards, b.dtype) == ((3, 10), (6, 10), np.dtype("f8")) and np.array_equal(b[...], t[...])
    with pytest.raises(ExistsError):
        zinczarr.copy(t, to)
    zinczarr.copy(t, to, overwrite=True, select=(slice(1, 3), [0, 7]))
    assert np.array_equal(zinczarr.open(to)[...], t.oindex[1:3, [0, 7]])  # type: ignore[index]
    zinczarr.copy(t, to, overwrite=True, select="0, ::3", chunks="auto")
    assert np.array_equal(zinczarr.open(to)[...], t[0, ::3])  # type: ignore[index]
    for url in (tmp_path / "c.zip", "memory://tools/c"):
        kept = zinczarr.open_group("memory://tools", mode="a")
        zinczarr.copy(group, url)
        assert zinczarr.diff(group, url).equal, kept


def test_copy_that_is_refused(group: Group, tmp_path: Path) -> None:
    to = tmp_path / "b.zarr"
    with pytest.raises(NotFoundError):
        zinczarr.copy(tmp_path / "nothing", to)
    with pytest.raises(InvalidError):
        zinczarr.copy(group, to, codecs="nosuch")
    with pytest.raises(TypeError):
        zinczarr.copy(group, to, nosuch=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="convert"):
        zinczarr.copy(group, to, convert="maybe")
    with pytest.raises(TypeError, match="progress"):
        zinczarr.copy(group, to, progress=5)  # type: ignore[arg-type]
    with pytest.raises(CancelledError):
        zinczarr.copy(group, to, progress=lambda *n: True)
    with pytest.raises(ZeroDivisionError):
        zinczarr.copy(group, to, resume=True, progress=lambda *n: 1 / 0)
    zinczarr.copy(group, to, resume=True)
    assert zinczarr.diff(group, to).equal


def test_progress_bar(group: Group, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    group.copy(tmp_path / "b.zarr", progress=True)
    shown = capsys.readouterr().err
    assert "copying [" in shown and "7 objects" in shown.rsplit("\r", 1)[-1] and shown.endswith("s\n")


# ---- validating ----


def test_validate(group: Group) -> None:
    result = zinczarr.validate(group)
    assert result and not len(result) and (result.groups, result.arrays, result.objects) == (2, 2, 7)
    assert "nothing is wrong" in repr(result) and "nothing is wrong" in result._repr_html_()
    assert result.unchecked_arrays == []
    group.create_array("plain", data=np.arange(3), codecs="none")
    assert group.validate(fast=True).unchecked_arrays == ["/plain"]


def test_validate_finds(group: Group, tmp_path: Path) -> None:
    (tmp_path / "a.zarr/bad").mkdir()
    (tmp_path / "a.zarr/bad/zarr.json").write_text("{<script>")
    chunk = tmp_path / "a.zarr/t/c/1/1"
    chunk.write_bytes(chunk.read_bytes()[:-1] + b"x")
    with pytest.raises(ChecksumError):
        group["t"][...]  # type: ignore[index]
    result = zinczarr.validate(tmp_path / "a.zarr", strict=True)
    assert not result and result.errors == 2 == len(list(result))
    by_path = {finding.path: finding for finding in result}
    assert by_path["/bad"].rule == "M2" and by_path["/t"].key.endswith("t/c/1/1")
    assert {finding.level for finding in result} == {"error"}
    assert "2 errors" in repr(result) and "error M2 /bad" in repr(result)
    page = result._repr_html_()
    assert "<script" not in page and "M2" in page
    assert zinczarr.validate(tmp_path / "a.zarr", fast=True).errors == 1


def test_validate_unsupported_and_repair(group: Group, tmp_path: Path) -> None:
    document = tmp_path / "a.zarr/t/zarr.json"
    document.write_text(document.read_text().replace('"zstd"', '"strange"'))
    result = group.validate()
    assert not result and result.unsupported == 1 and result.errors == 0
    group.consolidate()
    document.write_text(document.read_text().replace('"strange"', '"zstd"'))
    assert [finding.rule for finding in group.validate()] == ["consolidated"]
    assert group.validate(repair=True).repaired == 1
    assert group.validate() and not len(group.validate())
    with pytest.raises(NotFoundError):
        zinczarr.validate(tmp_path / "nothing")


# ---- comparing ----


def test_diff(group: Group, tmp_path: Path) -> None:
    group.copy(tmp_path / "b.zarr")
    b = zinczarr.open_group(tmp_path / "b.zarr")
    same = group.diff(b)
    assert (
        same.equal and len(same) == 0 and same.elements == 65 and repr(same).startswith("equal (4 nodes, 65 elements)")
    )
    b["t"][3, 4] = -1  # type: ignore[index]
    b["g/u"].attrs["units"] = "degC"
    b.create_group("only")
    found = {d.path + " " + d.what: d for d in zinczarr.diff(group, b)}
    assert set(found) == {"/t values", "/g/u attributes/units", "/only node"}
    values = found["/t values"]
    assert (values.count, values.total, values.first, values.a, values.b) == (1, 60, (3, 4), 34.0, -1.0)
    assert (found["/g/u attributes/units"].a, found["/g/u attributes/units"].b) == ("K", "degC")
    assert found["/only node"].a is None
    with pytest.raises(TypeError, match=r"\.equal"):
        bool(zinczarr.diff(group, b))
    assert "1 of 60 differ" in repr(group.diff(b)) and "<table>" in group.diff(b)._repr_html_()
    assert zinczarr.diff(group["t"], b["t"], atol=40).equal
    assert zinczarr.diff(group["t"], b["t"], select=(slice(0, 3),)).equal
    assert zinczarr.diff(group["t"], b["t"], rtol=0.1, select="3, 4").different == 1


def test_diff_of_storage(group: Group, tmp_path: Path) -> None:
    group.copy(tmp_path / "b.zarr", codecs="gzip:1")
    assert group.diff(tmp_path / "b.zarr").equal
    assert {d.what for d in group.diff(tmp_path / "b.zarr", storage=True)} == {"codecs"}


# ---- statistics ----


@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "f8", "?", "c8", "M8[s]"])
def test_stats(tmp_path: Path, dtype: str) -> None:
    rng = np.random.default_rng(1)
    data = rng.integers(0, 100, (20, 30)).astype(dtype)
    if dtype == "f4":
        data[3, 4] = np.nan
        data[5, 5] = np.inf
    s = zinczarr.create_array(tmp_path / "a.zarr", data=data, chunks=(7, 8)).stats()
    values = np.abs(data) if dtype == "c8" else data
    if dtype == "f4":
        assert (s.nan, s.infinite, s.max) == (1, 1, np.inf)
        assert s.min == np.nanmin(data)
    else:
        assert (s.min, s.max) == (values.min(), values.max())
        numbers = values.astype("i8") if dtype == "M8[s]" else values.astype("f8")
        assert s.mean == pytest.approx(numbers.mean()) and s.std == pytest.approx(numbers.std())
    assert s.elements == 600 and sum(n for _, _, n in s.histogram) == 600 - s.nan - s.infinite
    if dtype in ("i1", "u8"):
        assert s.sum == int(data.sum(dtype="i8"))
    for low, high, n in s.histogram:
        if dtype in ("i1", "u8", "f8"):
            assert n == np.count_nonzero((data >= low) & (data < high))
    assert repr(s).startswith("/") and "<svg" in s._repr_html_()


def test_stats_of_parts_and_groups(group: Group) -> None:
    t: Any = group["t"]
    data = t[...]
    for key in (0, (slice(1, 5, 2), slice(None)), (..., -1), ([0, 3], slice(None)), data > 30):
        s = t.stats(key)
        assert (s.elements, s.min, s.max) == (data[key].size, data[key].min(), data[key].max()), key
    assert t.stats((slice(0, 0),)).elements == 0 and t.stats((slice(0, 0),)).min is None
    table = group.stats()
    assert [s.path for s in table] == ["/g/u", "/t"] and table["t"].max == 59.0  # type: ignore[union-attr, index]
    assert "/g/u" in repr(table) and len(repr(table).splitlines()) == 3
    with pytest.raises(ValueError):
        zinczarr.stats(group, 0)


def test_stats_of_what_has_no_numbers(tmp_path: Path) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr")
    texts = g.create_array("texts", data=np.array(["a", "ååå"], dtype=object)).stats()
    assert (texts.of, texts.min, texts.max) == ("lengths", 1, 3)
    records = g.create_array("records", shape=3, dtype=[("a", "i4")]).stats()
    assert (records.of, records.elements, records.min) == ("nothing", 3, None) and "elements" in repr(records)


# ---- what a read costs ----


def test_explain(group: Group) -> None:
    t: Any = group["t"]
    e = t.explain((slice(None), 0), chunks=True)
    assert (e.objects, e.chunks, e.chunks_present, e.selected_bytes) == (3, 3, 3, 24)
    assert e.decoded_bytes == 3 * 2 * 5 * 4 and e.waste == pytest.approx(0.8)
    assert [chunk.index for chunk in e.all] == [(0, 0), (1, 0), (2, 0)] and e.bytes == sum(
        chunk.bytes for chunk in e.all
    )
    assert "better chunks" in repr(e) and "<table>" in e._repr_html_()
    whole = zinczarr.explain(t)
    assert whole.waste == 0 and whole.better is None and whole.all == []
    with pytest.raises(TypeError, match="group"):
        zinczarr.explain(group)
    with pytest.raises(IndexError):
        t.explain(9)


def test_stored_and_info(group: Group) -> None:
    t: Any = group["t"]
    stored = t.stored()
    assert (stored["objects"], stored["objects_total"], stored["decoded_bytes"]) == (6, 6, 240)
    info = zinczarr.info(t, complete=True)
    assert info["Shape"] == (6, 10) and info["Objects stored"] == "6 of 6" and "Storage ratio" in info.asdict()
    assert "Chunk shape" in repr(t.info) and "zstd(level=3, checksum=False)" in t.info["Codecs"]
