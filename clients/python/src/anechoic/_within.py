"""A time limit for what is awaited."""

from __future__ import annotations

import asyncio
from typing import Any, Coroutine, TypeVar

T = TypeVar("T")


def watched(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Starts a task whose error counts as seen, also if nobody waits for it any more."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda _: task.cancelled() or task.exception())
    return task


async def within(seconds: float | None, work: Coroutine[Any, Any, T]) -> T:
    """Returns the result, or throws `asyncio.TimeoutError`. Without a limit if `seconds` is None.

    `asyncio.wait_for` of Python 3.11 and earlier forgets that it was cancelled if the result comes at the same moment.
    """
    task = watched(work)
    try:
        await asyncio.wait([task], timeout=seconds)
        if task.done():
            return task.result()
        raise asyncio.TimeoutError
    finally:
        task.cancel()
