"""The last events of a session, for any number of readers."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import AsyncIterator

from .events import Event

_KEPT = 1000


class EventLog:
    """Keeps the last 1,000 events. A reader that is further behind continues with the oldest one."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=_KEPT)
        self._count = 0
        self._is_closed = False
        self._error: Exception | None = None
        self._readers: set[asyncio.Event] = set()

    def add(self, event: Event) -> None:
        self._events.append(event)
        self._count += 1
        self._wake()

    def close(self, error: Exception | None = None) -> None:
        """Ends the log. Readers get what is left, then the error."""
        self._is_closed, self._error = True, error
        self._wake()

    async def read(self) -> AsyncIterator[Event]:
        """Yields the events from the oldest one that is kept, then each new one, until the session ends."""
        position = self._count - len(self._events)
        changed = asyncio.Event()
        self._readers.add(changed)
        try:
            while True:
                position = max(position, self._count - len(self._events))
                if position < self._count:
                    position += 1
                    yield self._events[position - 1 - self._count]
                elif self._error is not None:
                    raise self._error
                elif self._is_closed:
                    return
                else:
                    changed.clear()
                    await changed.wait()
        finally:
            self._readers.discard(changed)

    def _wake(self) -> None:
        for changed in self._readers:
            changed.set()
