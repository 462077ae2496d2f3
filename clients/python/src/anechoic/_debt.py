"""The audio from before a new session that its program gives late."""

from __future__ import annotations

_ALLOWANCE_SECONDS = 0.1
"""Audio that is ahead of real time by this much does no harm."""
_BURST_SECONDS = 0.05
"""The first audio waits so long for the rest of its burst."""
_LONGEST_BURST_SECONDS = 1.0
"""Audio that comes later than this after the first one belongs to no burst."""


class Debt:
    """Finds the audio that a new session must not get. The class does no I/O and reads no clock.

    A program that stalls while the session starts gives this audio afterwards, at once. The session reads in real time,
    so it would stay behind by as much.

    >>> debt = Debt(rate=16000)
    >>> debt.began(now=10.0, fed_at=8.5, index=16000)
    >>> debt.pause(10.9, 16160) > 0, debt.pause(10.96, 56000), debt.excess(10.95, 56000)
    (True, 0.0, 24000)
    >>> debt.excess(10.96, 72000)
    0
    >>> debt.began(now=10.0, fed_at=9.98, index=16000)
    >>> debt.pause(10.02, 16320), debt.excess(10.02, 64000)
    (0.0, 0)
    """

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._owed = 0
        self._began = 0.0
        self._index = 0
        """The index of the first sample that the session may have."""
        self._first: float | None = None

    def began(self, now: float, fed_at: float | None, index: int) -> None:
        """Records a new session whose first sample has an index. The program gave audio last at `fed_at`."""
        stalled = 0.0 if fed_at is None else now - fed_at
        self._owed = round(stalled * self._rate) if stalled > _ALLOWANCE_SECONDS else 0
        self._began, self._index, self._first = now, index, None

    @property
    def is_open(self) -> bool:
        """Whether the program may still give audio from before the session."""
        return self._owed > 0

    def gave_up(self, count: int) -> None:
        """Records samples that were dropped."""
        self._index += count
        self._owed = max(0, self._owed - count)

    def pause(self, now: float, end: int) -> float:
        """Returns the seconds for which audio must not be sent. `end` is the index after the last sample."""
        if self._owed == 0 or end <= self._index:
            return 0.0
        if self._first is None:
            self._first = now
        if now - self._first > _LONGEST_BURST_SECONDS:
            self._owed = 0
        return max(0.0, self._first + _BURST_SECONDS - now)

    def excess(self, now: float, end: int) -> int:
        """Returns how many of the oldest samples to drop."""
        ahead = end - self._index - round((now - self._began) * self._rate)
        if self._owed == 0 or ahead <= _ALLOWANCE_SECONDS * self._rate:
            return 0
        count = min(ahead, self._owed)
        self.gave_up(count)
        return count
