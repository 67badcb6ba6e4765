"""Every kind of key against NumPy, for reading and for writing."""

from __future__ import annotations

import itertools
import os
from typing import Any

import hypothesis.extra.numpy as npst
import hypothesis.strategies as st
import numpy as np
import pytest
from arrays import grids, narrower, numpy_keys, outer, outer_keys, put, shapes
from hypothesis import HealthCheck, given, settings

from zinczarr import _indexing

quick = settings(
    max_examples=2000 if os.environ.get("ZINC_LONG") else 80, deadline=None, suppress_health_check=list(HealthCheck)
)


def numbers(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)


def outcome(action: Any) -> Any:
    """What an action gives, or the class of its error."""
    try:
        return action()
    except (IndexError, ValueError) as e:
        return IndexError if isinstance(e, IndexError) else ValueError


def assert_same(ours: Any, theirs: Any) -> None:
    assert np.shape(ours) == np.shape(theirs)
    np.testing.assert_array_equal(ours, theirs)
    assert isinstance(ours, np.ndarray) == bool(np.shape(theirs))


def check_read(array: Any, data: np.ndarray[Any, Any], key: Any) -> None:
    theirs, ours = outcome(lambda: data[key]), outcome(lambda: array[key])
    if theirs is IndexError:
        assert ours is IndexError, ours
        return
    assert_same(ours, theirs)


def check_write(array: Any, data: np.ndarray[Any, Any], key: Any, value: Any) -> None:
    def assign(target: Any) -> None:
        target[key] = value

    theirs, ours = outcome(lambda: assign(data)), outcome(lambda: assign(array))
    if theirs is None and ours is IndexError:  # NumPy refuses some keys that select nothing only when it reads
        theirs = outcome(lambda: data[key])
    assert ours is theirs
    np.testing.assert_array_equal(array[...], data)


# ---- random keys ----


@quick
@given(st.data())
def test_read_as_numpy(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    reference = numbers(shape)
    array = put(reference, **data.draw(grids(shape)))
    for _ in range(4):
        check_read(array, reference, data.draw(numpy_keys(shape)))


@quick
@given(st.data())
def test_write_as_numpy(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    reference = numbers(shape)
    array = put(reference, **data.draw(grids(shape)))
    for turn in range(3):
        key = data.draw(numpy_keys(shape))
        selected = outcome(lambda key=key: np.shape(reference[key]))
        if isinstance(selected, type):
            check_write(array, reference, key, 1)
            continue
        value = 1000 * (turn + 1) + numbers(data.draw(narrower(selected))) if data.draw(st.booleans()) else -turn - 1
        check_write(array, reference, key, value)


@quick
@given(st.data())
def test_read_and_write_in_small_batches(data: st.DataObject) -> None:
    """Index arrays beside slices, in several batches of points, and one by one."""
    shape = data.draw(npst.array_shapes(min_dims=3, max_dims=4, min_side=1, max_side=6))
    reference = numbers(shape)
    array = put(reference, **data.draw(grids(shape)))
    before = _indexing.POINTS
    try:
        _indexing.POINTS = data.draw(st.sampled_from([1, 5, 17]))
        key = data.draw(numpy_keys(shape))
        check_read(array, reference, key)
        theirs = outcome(lambda: np.shape(reference[key]))
        if not isinstance(theirs, type):
            check_write(array, reference, key, -1 - numbers(theirs))
    finally:
        _indexing.POINTS = before


def test_where_the_axes_of_index_arrays_go() -> None:
    """All keys of up to four items: an ellipsis or True between index arrays moves their axes, even if it selects nothing."""
    reference = numbers((3, 4, 3))
    array = put(reference, chunks=(2, 3, 1))
    kinds = (slice(None, None, -1), [2, 0], 1, None, ..., True)
    tried = 0
    for length in (2, 3, 4):
        for key in itertools.product(kinds, repeat=length):
            try:
                expected = reference[key]
            except IndexError:
                continue
            tried += 1
            np.testing.assert_array_equal(array[key], expected, err_msg=str(key))
    assert tried > 900


@quick
@given(st.data())
def test_orthogonal(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    reference = numbers(shape)
    array = put(reference, **data.draw(grids(shape)))
    key = data.draw(outer_keys(shape))
    mesh, result = outer(reference, key)
    assert_same(array.oindex[key], reference[mesh].reshape(result)[()])
    assert_same(array.get_orthogonal_selection(key), reference[mesh].reshape(result)[()])
    value = -1 - numbers(result)
    array.oindex[key] = value
    reference[mesh] = value.reshape(reference[mesh].shape)
    np.testing.assert_array_equal(array[...], reference)


@quick
@given(st.data())
def test_coordinates(data: st.DataObject) -> None:
    shape = data.draw(npst.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=7))
    reference = numbers(shape)
    array = put(reference, **data.draw(grids(shape)))
    key = data.draw(
        npst.integer_array_indices(shape, result_shape=npst.array_shapes(max_dims=3, min_side=0, max_side=4))
    )
    np.testing.assert_array_equal(array.vindex[key], reference[key])
    value = -1 - numbers(reference[key].shape)
    array.set_coordinate_selection(key, value)
    reference[key] = value
    np.testing.assert_array_equal(array.get_coordinate_selection(key), reference[key])
    np.testing.assert_array_equal(array[...], reference)


@quick
@given(st.data())
def test_masks(data: st.DataObject) -> None:
    shape = data.draw(npst.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=7))
    reference = numbers(shape)
    array = put(reference, **data.draw(grids(shape)))
    mask = data.draw(npst.arrays(bool, shape))
    for ours in (array[mask], array.vindex[mask], array.get_mask_selection(mask)):
        assert_same(ours, reference[mask])
    array.vindex[mask] = -5
    reference[mask] = -5
    np.testing.assert_array_equal(array[...], reference)
    with pytest.raises(IndexError):
        array.get_mask_selection(np.ones((*shape, 1), bool))


@quick
@given(st.data())
def test_blocks(data: st.DataObject) -> None:
    shape = data.draw(npst.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=9))
    grid = data.draw(grids(shape))
    reference = numbers(shape)
    array = put(reference, **grid)
    lengths = grid.get("shards", grid["chunks"])
    counts = [-(-n // c) for n, c in zip(shape, lengths, strict=True)]
    key: list[Any] = []
    box: list[slice] = []
    for n, c, count in zip(shape, lengths, counts, strict=True):
        if data.draw(st.booleans()):
            i = data.draw(st.integers(-count, count - 1))
            key.append(i)
            i %= count
            box.append(slice(i * c, min(n, (i + 1) * c)))
        else:
            s = data.draw(st.slices(count).filter(lambda s: s.step in (None, 1)))
            key.append(s)
            first, end, _ = s.indices(count)
            box.append(slice(first * c, min(n, max(end, first) * c)))
    np.testing.assert_array_equal(array.blocks[tuple(key)], reference[tuple(box)])
    array.blocks[tuple(key)] = -3
    reference[tuple(box)] = -3
    np.testing.assert_array_equal(array[...], reference)


# ---- out ----


@quick
@given(st.data())
def test_out_of_any_layout(data: st.DataObject) -> None:
    shape = data.draw(shapes)
    reference = numbers(shape)
    array = put(reference, **data.draw(grids(shape)))
    key = data.draw(numpy_keys(shape))
    expected = outcome(lambda: reference[key])
    if expected is IndexError:
        return
    expected = np.asarray(expected)
    dtype = data.draw(st.sampled_from(["i4", "i8", "f8", ">i4", ">f8", "c16", "u4"]))
    whole = np.zeros([2 * n + 1 for n in expected.shape], dtype, order=data.draw(st.sampled_from("CF")))
    parts = tuple(slice(1, None, 2) if data.draw(st.booleans()) else slice(None, n, 1) for n in expected.shape)
    view = whole[(*parts, ...)]
    if view.ndim and data.draw(st.booleans()):
        view = view[::-1]
    got = array.read(key, out=view)
    assert got is view
    np.testing.assert_array_equal(view, expected)
    view[...] = 0
    assert not whole.any()  # nothing beside the view was written


def test_out_is_checked_before_anything_is_read() -> None:
    array = put(numbers((4, 5)), chunks=(2, 2))
    out = np.full((4, 4), 7)
    with pytest.raises(ValueError, match="shape"):
        array.read(..., out=out)
    assert (out == 7).all()
    fixed = np.zeros((4, 5))
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        array.get_basic_selection(..., out=fixed)
    with pytest.raises(ValueError, match="type"):
        array.read(..., out=np.zeros((4, 5)), dtype="i2")
    with pytest.raises(TypeError):
        array.read(..., out=[[0] * 5] * 4)


@pytest.mark.parametrize("how", ["basic", "orthogonal", "coordinate", "mask", "block"])
def test_each_way_has_out(how: str) -> None:
    reference = numbers((4, 6))
    array = put(reference, chunks=(2, 2))
    key, expected = {
        "basic": ((slice(1, 3), 2), reference[1:3, 2]),
        "orthogonal": (([1, 3], slice(0, 2)), reference[[1, 3], 0:2]),
        "coordinate": (([1, 3], [0, 5]), reference[[1, 3], [0, 5]]),
        "mask": (reference % 2 == 0, reference[reference % 2 == 0]),
        "block": ((1, 2), reference[2:4, 4:6]),
    }[how]
    out = np.zeros(expected.shape, "i4")
    assert getattr(array, f"get_{how}_selection")(key, out=out) is out
    np.testing.assert_array_equal(out, expected)


# ---- errors ----

BAD_KEYS = [
    (5,),
    (-5, 0),
    (0, 6),
    (0, 0, 0),
    (..., ...),
    (1.0,),
    ([0.5],),
    ("a b", [0, "x"]),
    ([0, 4],),
    ([0, -5],),
    ([0, 1], [0, 1, 2]),
    (np.ones((3, 6), bool),),
    (np.ones((4, 6, 1), bool),),
    (slice(0.5, 2),),
    ({1: 2},),
    (object(),),
]


@pytest.mark.parametrize("key", BAD_KEYS, ids=range(len(BAD_KEYS)))
def test_bad_keys_change_nothing(key: Any) -> None:
    reference = numbers((4, 6))
    array = put(reference, chunks=(2, 3))
    with pytest.raises((IndexError, TypeError)):
        array[key]
    with pytest.raises((IndexError, TypeError)):
        array[key] = 1
    np.testing.assert_array_equal(array[...], reference)


def test_wrong_values_change_nothing() -> None:
    reference = numbers((4, 6))
    array = put(reference, chunks=(2, 3))
    for key, value in [(..., np.zeros(4)), (0, np.zeros(5)), ([0, 1], np.zeros((3, 6))), (reference > 2, [1, 2])]:
        with pytest.raises(ValueError, match="broadcast"):
            array[key] = value
    np.testing.assert_array_equal(array[...], reference)
    array[0] = np.zeros((1, 1, 6))  # leading axes of length one are fine, as in NumPy
    assert not array[0].any()


def test_orthogonal_refuses() -> None:
    array = put(numbers((4, 6)), chunks=(2, 3))
    for key in [(None, 0), ([[0, 1]], 0), (..., ...), ([0, 9],)]:
        with pytest.raises(IndexError):
            array.oindex[key]
    for key in [(0, slice(None)), ([0],), (..., 0), ([True] * 4, [0] * 4)]:
        with pytest.raises(IndexError):
            array.vindex[key]
    for key in [([0],), (slice(None, None, 2),), (2,), (None,)]:
        with pytest.raises(IndexError):
            array.blocks[key]
    for key in [([0],), (np.array([1]),), (np.ones((4, 6), bool),)]:
        with pytest.raises(IndexError):
            array.get_basic_selection(key)


def test_repeated_indices_keep_the_last_value() -> None:
    for grid in ({"chunks": (3, 2)}, {"chunks": (1, 1), "shards": (3, 4)}):
        reference = numbers((7, 5))
        array = put(reference, **grid)
        rows = [2, 0, 2, 6, 2, 0]
        for key in [(rows,), (rows, [1, 1, 1, 4, 1, 1]), (rows, slice(None), None), (slice(1, 4), [3, 3, 3])]:
            value = 100 + numbers(np.shape(reference[key]))
            array[key] = value
            reference[key] = value
            np.testing.assert_array_equal(array[...], reference)


def test_integers_of_every_kind() -> None:
    reference = numbers((4, 6))
    array = put(reference, chunks=(2, 3))

    class Two:
        def __index__(self) -> int:
            return 2

    for two in (2, np.int8(2), np.uint64(2), np.array(2), Two(), np.int64(-2)):
        assert_same(array[two, 1], reference[two, 1])
        assert_same(array[two], reference[two])
    assert array[np.True_].shape == reference[np.True_].shape
    assert array[False].shape == (0, 4, 6)
