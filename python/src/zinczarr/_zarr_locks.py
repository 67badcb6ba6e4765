"""Locks that tasks of any event loop can wait for without blocking it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Hashable

# A lost wake-up, of a loop that was stopped, delays a waiter by no more than this.
_LONGEST_SLEEP = 0.5

Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]


class KeyLocks:
    """A lock for each key, which tasks of any event loop and thread can hold; waiting does not block the loop."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held: set[Hashable] = set()
        self._lines: dict[Hashable, deque[Waiter]] = {}

    def __len__(self) -> int:
        """How many keys are held or waited for; 0 when nothing is going on."""
        return len(self._held | set(self._lines))

    @contextlib.asynccontextmanager
    async def hold(self, key: Hashable) -> AsyncIterator[None]:
        """Exclude all others that hold the key."""
        while (waiter := self._take(key)) is not None:
            await self._sleep(key, waiter)
        try:
            yield
        finally:
            with self._guard:
                self._held.discard(key)
            self._wake(key)

    def _take(self, key: Hashable) -> Waiter | None:
        """Take the lock (None), or get in line."""
        with self._guard:
            if key not in self._held:
                self._held.add(key)
                return None
            loop = asyncio.get_running_loop()
            waiter = (loop, loop.create_future())
            self._lines.setdefault(key, deque()).append(waiter)
            return waiter

    async def _sleep(self, key: Hashable, waiter: Waiter) -> None:
        """Wait to be woken; then others may still be faster."""
        try:
            await asyncio.wait({waiter[1]}, timeout=_LONGEST_SLEEP)
        except BaseException:
            if not self._leave(key, waiter):
                self._wake(key)  # the next one instead
            raise
        self._leave(key, waiter)

    def _leave(self, key: Hashable, waiter: Waiter) -> bool:
        """Leave the line; false: was woken before."""
        with self._guard:
            line = self._lines.get(key)
            if line is None or waiter not in line:
                return False
            line.remove(waiter)
            if not line:
                del self._lines[key]
            return True

    def _wake(self, key: Hashable) -> None:
        """Wake the first in line whose event loop is still there."""
        while True:
            with self._guard:
                line = self._lines.get(key)
                if not line:
                    return
                loop, future = line.popleft()
                if not line:
                    del self._lines[key]
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(_finish, future)
                return


def _finish(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


key_locks = KeyLocks()


def _after_fork() -> None:
    """Tasks of the parent do not exist in the child."""
    key_locks.__init__()  # type: ignore[misc]


os.register_at_fork(after_in_child=_after_fork)
