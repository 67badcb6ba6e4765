"""Progress of long calls: a function of the caller, or a bar on standard error.

copying [=========           ]  46%  23/50 chunks  1.5 GiB  512 MiB/s  0:03 left
copied 50 chunks, 3.2 GiB, in 6.4 s
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

# None: silent; True: a bar; or a function of (units done, units in all, bytes done), which may return True to cancel
Progress = Callable[[int, int, int], object] | bool | None

_BAR = 20


def size_text(n: float) -> str:
    """Bytes for people.

    >>> size_text(999), size_text(1536), size_text(3 * 2**30)
    ('999 B', '1.5 KiB', '3.0 GiB')
    """
    if n < 1024:
        return f"{n:.0f} B"
    for unit in ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB"):
        n /= 1024
        if n < 1024 or unit == "EiB":
            break
    return f"{n:.1f} {unit}"


def count_text(n: int, unit: str) -> str:
    return f"{n:,} {unit}{'' if n == 1 else 's'}".replace(",", " ")


def _left(seconds: float) -> str:
    s = int(seconds + 0.5)
    return f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02} left" if s >= 3600 else f"{s // 60}:{s % 60:02} left"


class Bar:
    """A bar on a stream, drawn at most ten times a second."""

    def __init__(self, what: str, unit: str, stream: TextIO | None = None) -> None:
        self.what, self.unit = what, unit
        self.stream = stream or sys.stderr
        self.began = time.monotonic()
        self.drawn = 0.0
        self.done = self.total = self.nbytes = 0

    def __call__(self, done: int, total: int, nbytes: int) -> None:
        self.done, self.total, self.nbytes = done, total, nbytes
        now = time.monotonic()
        if now - self.drawn >= 0.1:
            self.drawn = now
            self._write("\r" + self.line(now - self.began) + "\x1b[K")

    def line(self, seconds: float) -> str:
        share = self.done / self.total if self.total else 0.0
        bar = ("=" * int(share * _BAR)).ljust(_BAR)
        parts = [f"{self.what} [{bar}] {share * 100:3.0f}%", f"{self.done}/{count_text(self.total, self.unit)}"]
        if self.nbytes:
            parts.append(size_text(self.nbytes))
            if seconds > 0:
                parts.append(size_text(self.nbytes / seconds) + "/s")
        if share > 0:
            parts.append(_left(seconds / share - seconds))
        return "  ".join(parts)

    def end(self) -> None:
        seconds = time.monotonic() - self.began
        amount = f", {size_text(self.nbytes)}," if self.nbytes else ""
        self._write(f"\r\x1b[K{self.what}: {count_text(self.total, self.unit)}{amount} in {seconds:.1f} s\n")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


@contextlib.contextmanager
def reporter(progress: Progress, what: str, unit: str) -> Iterator[Callable[[int, int, int], object] | None]:
    """The function that the library calls, for one call."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        bar = Bar(what, unit)
        try:
            yield bar
        finally:
            bar.end()
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress is a function, True or None, not {progress!r}")
