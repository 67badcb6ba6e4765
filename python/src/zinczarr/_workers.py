"""Threads for calls that may wait, so that an event loop does not.

`asyncio.to_thread` uses the loop's executor.  It has few threads, and the interpreter waits for them when it ends:
after Ctrl-C it would wait for a server that does not answer.  These are daemon threads, and as many as requests.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
Job = tuple[Future[Any], Callable[[], Any]]


class Workers(Executor):
    """An executor of at most `most` daemon threads; they are made when no other is idle."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._count = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a function in a thread."""
        future: Future[T] = Future()
        self._jobs.put((future, lambda: fn(*args, **kwargs)))
        if not self._idle.acquire(blocking=False):
            self._add()
        return future

    def _add(self) -> None:
        with self._lock:
            if self._count == self._most:
                return
            self._count += 1
        threading.Thread(target=self._work, name="zinczarr", daemon=True).start()

    def _work(self) -> None:
        while True:
            _run(*self._jobs.get())
            self._idle.release()


def _run(future: Future[Any], job: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(job())
    except BaseException as error:
        future.set_exception(error)


_workers = Workers(64)


def workers() -> Workers:
    """Those of this process."""
    return _workers


async def in_thread(function: Callable[..., T], *args: Any) -> T:
    """Call a function in one of them, and let the event loop do other things meanwhile."""
    return await asyncio.get_running_loop().run_in_executor(_workers, function, *args)


def _renew() -> None:
    global _workers
    _workers = Workers(64)


# A child of fork has none of its parent's threads.
os.register_at_fork(after_in_child=_renew)
