"""Attributes as a mapping: against a dictionary, zarr-python, and eight processes at once."""

from __future__ import annotations

import math
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zinczarr
from zinczarr.errors import ReadOnlyError

FORMATS = [name for name, _ in zinczarr.formats()]
VALUES = {
    "text": "å ✓ \n",
    "int": -3,
    "big": 2**70,
    "float": 1.5,
    "none": None,
    "bool": True,
    "list": [1, [2, {"a": None}]],
    "object": {"b": {"c": []}},
    "": "an empty name",
    "a/b": 1,
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", ["group", "array"])
def test_values(tmp_path: Path, format: str, kind: str) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr", format=format, relaxed=True)
    node: Any = g if kind == "group" else g.create_array("t", shape=(2,), dtype="i4")
    for key, value in VALUES.items():
        node.attrs[key] = value
    assert node.attrs == VALUES
    assert dict(node.attrs) == VALUES == node.attrs.asdict()
    assert list(node.attrs) == list(VALUES) and len(node.attrs) == len(VALUES)
    again = zinczarr.open(tmp_path / "a.zarr", path="t" if kind == "array" else None, mode="r")
    assert dict(again.attrs.items()) == VALUES
    assert list(again.attrs.values()) == list(VALUES.values())


def test_as_a_mapping(tmp_path: Path) -> None:
    attrs = zinczarr.open_group(tmp_path / "a.zarr", attributes={"a": 1}).attrs
    attrs.update({"b": 2}, c=3)
    attrs.update([("d", 4)])
    assert attrs == {"a": 1, "b": 2, "c": 3, "d": 4}
    assert attrs.setdefault("a", 9) == 1 and attrs.setdefault("e", 5) == 5
    assert attrs.pop("e") == 5 and attrs.pop("e", None) is None
    with pytest.raises(KeyError):
        attrs.pop("e")
    with pytest.raises(KeyError, match="nope"):
        attrs["nope"]
    with pytest.raises(KeyError, match="nope"):
        del attrs["nope"]
    del attrs["a"]
    assert "a" not in attrs and 5 not in attrs and attrs.get("a", 7) == 7
    attrs.put({"x": [1]})
    assert attrs == {"x": [1]} and attrs != {"x": [2]}
    attrs.update({})
    attrs.clear()
    assert attrs == {} and not attrs
    attrs.clear()
    assert repr(attrs) == "{}"


def test_a_change_of_one_key_changes_nothing_else(tmp_path: Path) -> None:
    """Numbers keep their spelling, members that are not understood stay."""
    zinczarr.create_group(tmp_path / "a.zarr")
    document = tmp_path / "a.zarr" / "zarr.json"
    document.write_text('{"zarr_format": 3, "node_type": "group", "attributes": {"a": 1.50, "b": 1e2}}')
    attrs = zinczarr.open_group(tmp_path / "a.zarr").attrs
    attrs["c"] = 1
    assert '"a": 1.50' in document.read_text() and '"b": 1e2' in document.read_text()
    assert attrs == {"a": 1.5, "b": 100.0, "c": 1}


def test_nested_values_are_copies(tmp_path: Path) -> None:
    attrs = zinczarr.open_group(tmp_path / "a.zarr", attributes={"list": [1]}).attrs
    attrs["list"].append(2)
    assert attrs["list"] == [1]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.int16(3), 3),
        (np.float32(1.5), 1.5),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.array([[1, 2]]), [[1, 2]]),
        ((1, 2), [1, 2]),
        ({"a": np.uint8(1)}, {"a": 1}),
    ],
)
def test_values_of_numpy(tmp_path: Path, value: object, plain: object) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr", attributes={"first": value})
    g.attrs["then"] = value
    assert g.attrs == {"first": plain, "then": plain}


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", np.array([1 + 2j]), 1j, np.datetime64("2020-01-01")])
def test_what_is_not_json_is_refused(tmp_path: Path, value: object) -> None:
    g = zinczarr.open_group(tmp_path / "a.zarr", attributes={"a": 1})
    with pytest.raises(TypeError):
        g.attrs["b"] = value
    with pytest.raises(TypeError):
        g.create_group("x", attributes={"b": value})
    with pytest.raises(TypeError, match="texts"):
        g.attrs[1] = 2  # type: ignore[index]
    assert g.attrs == {"a": 1} and "x" not in g


@pytest.mark.filterwarnings("ignore::zinczarr.ZincWarning")
@pytest.mark.parametrize("format", [f for f in FORMATS if f != "n5"])  # whose readers know no NaN
def test_nan_and_infinity(tmp_path: Path, format: str) -> None:
    """As zarr-python has them: numbers.  A text of the same letters stays a text."""
    g = zinczarr.open_group(tmp_path / "a.zarr", format=format, attributes={"n": math.nan, "t": "NaN"})
    a = g.create_array("t", shape=(2,), dtype="f4", attributes={"v": [math.inf, -math.inf, 1.0]})
    g.attrs["i"] = -math.inf
    for _ in range(2):
        assert math.isnan(g.attrs["n"]) and g.attrs["t"] == "NaN" and g.attrs["i"] == -math.inf
        assert a.attrs["v"] == [math.inf, -math.inf, 1.0]
        g.attrs["other"] = 1
    del g.attrs["n"]
    assert g.attrs == {"t": "NaN", "i": -math.inf, "other": 1}


@pytest.mark.filterwarnings("ignore::zinczarr.ZincWarning")
@pytest.mark.parametrize("version", [2, 3])
def test_exchange_with_zarr_python(tmp_path: Path, version: int) -> None:
    zarr = pytest.importorskip("zarr")
    theirs = zarr.open_group(tmp_path / "a.zarr", zarr_format=version)
    theirs.attrs.update({**VALUES, "nan": math.nan})
    ours = zinczarr.open_group(tmp_path / "a.zarr")
    mine = ours.attrs.asdict()
    assert math.isnan(mine.pop("nan")) and mine == VALUES
    ours.attrs["ours"] = [1, math.inf]
    assert zarr.open_group(tmp_path / "a.zarr").attrs["ours"] == [1, math.inf]


def test_read_only(tmp_path: Path) -> None:
    zinczarr.open_group(tmp_path / "a.zarr", attributes={"a": 1})
    g = zinczarr.open_group(tmp_path / "a.zarr", mode="r")
    with pytest.raises(ReadOnlyError):
        g.attrs["b"] = 2
    assert g.attrs == {"a": 1}


def test_pickle(tmp_path: Path) -> None:
    attrs = zinczarr.open_group(tmp_path / "a.zarr", attributes={"a": 1}).attrs
    copy = pickle.loads(pickle.dumps(attrs))
    copy["b"] = 2
    assert attrs == {"a": 1, "b": 2}


EDITS = 15


def _edit(url: str, number: int) -> None:
    attrs = zinczarr.open_group(url, relaxed=True).attrs
    for i in range(EDITS):
        attrs[f"{number}-{i}"] = i
        attrs["shared"] = number
        if i % 5 == 4:
            del attrs[f"{number}-{i - 1}"]


@pytest.mark.parametrize(("start", "format"), [("fork", "v3"), ("spawn", "v2")])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_eight_processes_lose_nothing(tmp_path: Path, start: str, format: str) -> None:
    url = str(tmp_path / "a.zarr")
    zinczarr.open_group(url, format=format, relaxed=True, attributes={"before": 1})
    context = multiprocessing.get_context(start)
    workers = [context.Process(target=_edit, args=(url, n)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0] * 8
    found = zinczarr.open_group(url).attrs.asdict()
    assert found.pop("before") == 1 and found.pop("shared") in range(8)
    kept = [i for i in range(EDITS) if i % 5 != 3]
    assert found == {f"{n}-{i}": i for n in range(8) for i in kept}
