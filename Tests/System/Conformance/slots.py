"""How many runs are beside each other: fewer while the machine is busy with something else."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator


class Slot:
    """The place of one run. Its holder says whether the machine was too busy for the run."""

    was_disturbed: bool | None = None


LEAST = 2
"""The runs that stay allowed on a busy machine, so that all of them end in time."""


class Slots:
    """Up to `most` runs beside each other.

    Half as many are allowed after a disturbed run, and one more after as many undisturbed ones as are allowed. One
    busy moment disturbs all runs that are beside each other: those that began before the number was halved do not
    count.
    """

    def __init__(self, most: int) -> None:
        self._most = self._allowed = most
        self._running = self._undisturbed = self._halvings = 0
        self._ended = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[Slot]:
        """Waits for a place, and holds it."""
        async with self._ended:
            await self._ended.wait_for(lambda: self._running < self._allowed)
            self._running += 1
        slot, halvings = Slot(), self._halvings
        try:
            yield slot
        finally:
            if slot.was_disturbed is not None and halvings == self._halvings:
                self._learn(slot.was_disturbed)
            async with self._ended:
                self._running -= 1
                self._ended.notify_all()

    def _learn(self, was_disturbed: bool) -> None:
        self._undisturbed = 0 if was_disturbed else self._undisturbed + 1
        if was_disturbed:
            self._halvings += 1
            self._allowed = min(self._allowed, max(LEAST, self._allowed // 2))
        elif self._undisturbed >= self._allowed:
            self._undisturbed = 0
            self._allowed = min(self._most, self._allowed + 1)
