"""zarr-python's requests for parts of values, as requests of the extension; and those that are better read together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zarr.abc.store import ByteRequest, OffsetByteRequest, RangeByteRequest, SuffixByteRequest

Range = tuple[int, int, bool]  # start, length (-1: to the end), suffix
WHOLE: Range = (0, -1, False)


def as_range(byte_range: ByteRequest | None) -> Range:
    """Start, length and suffix.

    >>> as_range(RangeByteRequest(2, 5)), as_range(OffsetByteRequest(2)), as_range(SuffixByteRequest(2))
    ((2, 3, False), (2, -1, False), (0, 2, True))
    """
    match byte_range:
        case None:
            return WHOLE
        case RangeByteRequest(start, end):
            return _checked(byte_range, start, end), max(0, end - start), False
        case OffsetByteRequest(offset):
            return _checked(byte_range, offset), -1, False
        case SuffixByteRequest(suffix):
            return 0, _checked(byte_range, suffix), True
        case _:
            raise TypeError(f"Unexpected byte_range, got {byte_range}.")


def _checked(byte_range: ByteRequest, first: int, *others: int) -> int:
    if min(first, *others, 0) < 0:
        raise ValueError(f"a byte range does not begin before the value: {byte_range}")
    return first


class Together(NamedTuple):
    """One request, and the ranges that it answers: (index, start in the answer, end in the answer or None)."""

    request: Range
    members: list[tuple[int, int, int | None]]


def together(byte_ranges: Sequence[ByteRequest | None], gap: int, most: int) -> list[Together]:
    """Ranges that are at most `gap` bytes apart as one request of at most `most` bytes.

    >>> for request, members in together([RangeByteRequest(10, 20), None, RangeByteRequest(0, 9)], 1, 100):
    ...     print(request, members)
    (0, -1, False) [(1, 0, None)]
    (0, 20, False) [(2, 0, 9), (0, 10, 20)]
    """
    ranges = [as_range(r) for r in byte_ranges]
    alone = [Together(r, [(i, 0, None)]) for i, r in enumerate(ranges) if not _is_closed(r)]
    closed = sorted((r[0], r[0] + r[1], i) for i, r in enumerate(ranges) if _is_closed(r))
    return alone + [_join(run) for run in _runs(closed, gap, most)]


def _is_closed(r: Range) -> bool:
    return r[1] >= 0 and not r[2]


def _runs(closed: Iterable[tuple[int, int, int]], gap: int, most: int) -> Iterator[list[tuple[int, int, int]]]:
    run: list[tuple[int, int, int]] = []
    end = 0
    for item in closed:
        if run and (item[0] - end > gap or max(end, item[1]) - run[0][0] > most):
            yield run
            run = []
        end = max(end, item[1]) if run else item[1]
        run.append(item)
    if run:
        yield run


def _join(run: list[tuple[int, int, int]]) -> Together:
    start = run[0][0]
    end = max(item[1] for item in run)
    return Together((start, end - start, False), [(i, a - start, b - start) for a, b, i in run])
