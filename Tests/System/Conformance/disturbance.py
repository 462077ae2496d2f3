"""Whether other programs had the processor during a run: then its failure tells nothing."""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path

MOST_LATE = 0.05
"""The seconds by which this program may run late. Beyond them, another program had the processor."""
MOST_WAITING = 0.25
"""The share of a run alone in which programs may wait for a processor: on a quiet machine with two cores they wait in
1 to 4 % of it, and in 12 to 17 % with a browser."""
PRESSURE = Path("/proc/pressure/cpu")


class Disturbance:
    """Measures from its creation on how late this program runs, and how long programs wait for a processor."""

    def __init__(self) -> None:
        self._late = 0.0
        self._began, self._waited = time.monotonic(), _waited()
        self._measuring = asyncio.create_task(self._measure_lateness())

    def end(self) -> None:
        self._measuring.cancel()

    def reason(self, counts_waiting: bool) -> str:
        """Says what disturbed a run, or nothing. Runs beside each other wait for each other, which is no disturbance:
        without `counts_waiting`, only this program's own lateness counts."""
        if self._late > MOST_LATE:
            return f"this program ran {self._late * 1000:.0f} ms late"
        share = (_waited() - self._waited) / (time.monotonic() - self._began)
        if counts_waiting and share > MOST_WAITING:
            return f"programs waited for a processor in {share:.0%} of the time"
        return ""

    async def _measure_lateness(self) -> None:
        while True:
            due = time.monotonic() + 0.01
            await asyncio.sleep(0.01)
            self._late = max(self._late, time.monotonic() - due)


def _waited() -> float:
    """Returns the seconds in which some program waited for a processor, since the start of the machine.

    They stay 0 where the kernel does not tell them."""
    with contextlib.suppress(OSError, ValueError):
        return int(PRESSURE.read_text().split("total=")[1].split()[0]) / 1e6
    return 0.0
