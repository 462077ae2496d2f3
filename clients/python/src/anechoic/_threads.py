"""Runs the callbacks of a blocking session, which may wait for the session, outside its event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from concurrent.futures import Future
from typing import Any, Awaitable, Callable


def in_thread(callback: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
    """Returns a function that runs a callback in a new thread. The result of the callback may be awaitable.

    The thread does not keep the program from its end.
    """

    async def run(event: Any) -> Any:
        outcome: Future[Any] = Future()
        outcome.set_running_or_notify_cancel()  # So that a session that ends cannot cancel it.
        threading.Thread(target=_run, args=(callback, event, outcome), name="anechoic callback", daemon=True).start()
        result = await asyncio.wrap_future(outcome)
        return await result if inspect.isawaitable(result) else result

    return run


def _run(callback: Callable[[Any], Any], event: Any, outcome: Future[Any]) -> None:
    try:
        outcome.set_result(callback(event))
    except BaseException as error:  # A future takes no StopIteration, and SystemExit would end the event loop.
        failure = RuntimeError(f"{type(error).__name__}: {error}")
        failure.__cause__ = error
        outcome.set_exception(failure)
