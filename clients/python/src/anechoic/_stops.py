"""A microphone that does not come for a while."""

from __future__ import annotations

_LONGEST_WAIT = 1.0
_BURST_SECONDS = 0.5
"""The time in which a microphone that was only late gives what it has gathered."""
_ALLOWANCE_SECONDS = 0.1
"""The audio by which a microphone that comes again may be ahead of the time without a burst."""


class Stops:
    """The times for which a microphone has stopped: those of more than 1 s in which none of it came.

    If it was only late, because the program or its network stalled, what it has gathered comes in a burst. That much of
    the time is taken back. The class does no I/O. Times are in seconds, of one clock.

    >>> stops = Stops()
    >>> stops.came(1.0, seconds=0.5), stops.has_stopped(2.0), stops.has_stopped(2.5)
    (0.0, False, True)
    >>> stops.passed(2.0), stops.passed(3.0), stops.passed(4.0)
    (0.0, 2.0, 1.0)
    >>> stops.came(5.0, seconds=0.5), stops.came(5.0, seconds=2.0), stops.came(5.0, seconds=9.0)
    (0.5, -2.0, -1.5)
    """

    def __init__(self) -> None:
        self._came_at: float | None = None
        self._passed_until = 0.0
        self._resumed_at = 0.0
        self._stopped = 0.0
        """The seconds of the last stop, without those that were taken back."""
        self._ahead = 0.0
        """The seconds of the microphone since it has come again, without those that were taken back."""
        self._allowance = 0.0

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
        """Records that some seconds of the microphone have come. Returns what `passed` would have before them.

        Less than 0 is what `passed` has returned and is taken back.
        """
        passed = 0.0
        if self.has_stopped(now) and self._came_at is not None:
            began = max(self._came_at, now - seconds)
            passed, self._stopped = began - self._passed_until, began - self._came_at
            self._resumed_at, self._ahead, self._allowance = now, 0.0, _ALLOWANCE_SECONDS
        elif now - self._resumed_at < _BURST_SECONDS:
            self._ahead += seconds
            passed = -self._taken_back(now)
        self._came_at = self._passed_until = now
        return passed

    def _taken_back(self, now: float) -> float:
        ahead = self._ahead - (now - self._resumed_at)
        if ahead <= self._allowance:
            return 0.0
        self._allowance, taken = 0.0, min(ahead, self._stopped)
        self._stopped -= taken
        self._ahead -= taken
        return taken
