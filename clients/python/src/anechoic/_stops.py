"""A microphone that does not come for a while."""

from __future__ import annotations

_LONGEST_WAIT = 1.0


class Stops:
    """The times for which a microphone has stopped: those of more than 1 s in which none of it came.

    The class does no I/O. Times are in seconds, of one clock.

    >>> stops = Stops()
    >>> stops.came(1.0, seconds=0.5), stops.has_stopped(2.0), stops.has_stopped(2.5)
    (0.0, False, True)
    >>> stops.passed(2.0), stops.passed(3.0), stops.passed(4.0)
    (0.0, 2.0, 1.0)
    >>> stops.came(5.0, seconds=0.5)
    0.5
    """

    def __init__(self) -> None:
        self._came_at: float | None = None
        self._passed_until = 0.0

    def has_stopped(self, now: float) -> bool:
        """Returns whether the microphone has stopped. The first call counts as its last audio."""
        if self._came_at is None:
            self._came_at = self._passed_until = now
        return now - self._came_at > _LONGEST_WAIT

    def passed(self, now: float) -> float:
        """Returns the seconds since the microphone has stopped, or since the last call. 0 unless it has stopped."""
        if not self.has_stopped(now) or now <= self._passed_until:
            return 0.0
        passed, self._passed_until = now - self._passed_until, now
        return passed

    def came(self, now: float, seconds: float) -> float:
        """Records that some seconds of the microphone have come. Returns what `passed` would have before them."""
        passed = self.passed(now - seconds)
        self._came_at = self._passed_until = now
        return passed
