"""The decisions after a lost connection."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ._checks import check_number
from .errors import AnechoicError, IncompatibleServer, InvalidRequest, PermissionDenied, Unauthenticated

FOR_GOOD = (InvalidRequest, IncompatibleServer, Unauthenticated, PermissionDenied)
"""The errors after which a person has to change something."""
_REFUSED_SECONDS = 5.0
_AWAY_SECONDS = 60.0
_MOST_NAMED_SECONDS = 60.0
"""The most seconds of a server's RetryInfo that count."""
UNSTEADY_SECONDS = 1.0
"""The loss of a session that did not last as long is no first loss: the times between attempts go on."""
STOPPING = ("DRAINING", "SERVER_SHUTDOWN")
"""The reasons of a server that stops: a new session follows at once."""
UNKNOWN = ("RESUME_TOKEN_UNKNOWN", "TOO_MANY_RESUMES")
"""The reasons of a server that does not have the session: a new session follows at once."""


@dataclass(frozen=True)
class Reconnect:
    """The limits within which a session gets its connection back."""

    shortest_delay: float = 0.1
    """The seconds before the first attempt. They double with each attempt, and vary by 30 %."""
    longest_delay: float = 0.5
    """The most seconds between two attempts."""
    longest_delay_later: float = 5.0
    """The most seconds between two attempts once the server has been away for a minute."""
    attempt_timeout: float = 2.0
    """The most seconds for one attempt."""
    loyalty: float = 2.0
    """The seconds for which the same server is tried alone, if there are others."""
    longest_outage: float = 60.0
    """The seconds without any server after which the session ends. 0: a lost connection is the end."""
    silence: float = 2.0
    """The seconds without an answer after which a connection in real time counts as lost."""

    def __post_init__(self) -> None:
        check_number("shortest_delay", self.shortest_delay, 0.01, 60, " s")
        for name in ("longest_delay", "longest_delay_later"):
            check_number(name, getattr(self, name), self.shortest_delay, 3600, " s, at least shortest_delay")
        check_number("attempt_timeout", self.attempt_timeout, 0.1, 60, " s")
        check_number("loyalty", self.loyalty, 0, 3600, " s")
        check_number("longest_outage", self.longest_outage, 0, 1e9, " s, or math.inf", or_infinite=True)
        check_number("silence", self.silence, 0.1, 3600, " s")


class Retries:
    """The times between attempts. The class does no I/O and reads no clock.

    >>> retries = Retries(Reconnect(), since=0.0)
    >>> [retries.delay(0.0, variation=0) for _ in range(4)], retries.delay(60.0, variation=0)
    ([0.1, 0.2, 0.4, 0.5], 1.6)
    >>> retries.delay(0.0, AnechoicError("", retry_after=2.0), variation=-0.5)
    2.3
    >>> [retries.delay(0.0, AnechoicError("", retry_after=each), variation=0) for each in (-1.0, 1e300)]
    [0.5, 60.0]
    >>> retries.delay(0.0, InvalidRequest(""), variation=0)
    5.0
    """

    def __init__(self, policy: Reconnect, since: float) -> None:
        """`since` is the time of the loss."""
        self._policy, self._since, self._attempts = policy, since, 0

    def begin_anew(self) -> None:
        """Makes the next delay the shortest one."""
        self._attempts = 0

    def delay(self, now: float, error: AnechoicError | None = None, variation: float | None = None) -> float:
        """Returns the seconds before the next attempt. `error` is a refusal, and `variation` is in -1...1."""
        varied = 0.3 * (random.uniform(-1, 1) if variation is None else variation)
        own = self._own(now, error)
        named = error.retry_after if error is not None else None
        if named is not None and named > own:
            return max(own, min(named, _MOST_NAMED_SECONDS)) * (1 + abs(varied))
        return own * (1 + varied)

    def _own(self, now: float, error: AnechoicError | None) -> float:
        """Returns the time of this client, whatever the server says."""
        if isinstance(error, FOR_GOOD):
            return _REFUSED_SECONDS
        policy = self._policy
        longest = policy.longest_delay if now - self._since < _AWAY_SECONDS else policy.longest_delay_later
        delay = min(policy.shortest_delay * 2.0 ** min(self._attempts, 16), longest)
        self._attempts += 1
        return delay


@dataclass(frozen=True)
class Attempt:
    """The next attempt: to resume the session, or to start a new one."""

    resumes: bool
    server: int
    delay: float


class Reconnection:
    """Decides what to try next. The class does no I/O and reads no clock.

    >>> steps = Reconnection(Reconnect(), window=10.0, server=0, servers=2, now=0.0)
    >>> steps.next(now=0.0, variation=0)
    Attempt(resumes=True, server=0, delay=0.1)
    >>> steps.session_is_gone()
    >>> steps.next(now=0.5, variation=0)
    Attempt(resumes=False, server=0, delay=0.0)
    >>> steps.next(now=1.0, variation=0)
    Attempt(resumes=False, server=1, delay=0.1)
    >>> steps.next(now=61.0, variation=0)
    """

    def __init__(
        self, policy: Reconnect, window: float, server: int, servers: int, now: float, has_stopped: bool = False,
        earlier: Retries | None = None,
    ) -> None:
        """`window` is the time for which the session waits; 0 if it cannot be resumed.

        `has_stopped` says that the server ended the session because it stops. `earlier` are the retries after which
        the lost session began, if it was lost again soon: their times go on.
        """
        self._policy, self._servers, self._lost_at = policy, servers, now
        self._server = (server + 1) % servers if has_stopped else server
        self.retries = Retries(policy, now) if earlier is None else earlier
        self._is_unsteady = earlier is not None
        self._waits_until = now + (min(window, policy.loyalty) if servers > 1 else window)
        self._comes_at_once = has_stopped and not self._is_unsteady

    def session_is_gone(self) -> None:
        """Records that the server does not know the session any more."""
        self._waits_until = self._lost_at
        self._comes_at_once = True

    def next(
        self, now: float, error: AnechoicError | None = None, variation: float | None = None
    ) -> Attempt | None:
        """Returns the next attempt, or None to give up. `error` is the refusal of the last one."""
        if now - self._lost_at >= self._policy.longest_outage:
            return None
        resumes, delay = now < self._waits_until, 0.0
        if self._comes_at_once:
            self._comes_at_once = False
            if not self._is_unsteady:
                self.retries.begin_anew()
        else:
            # Another server does not know for how long the last one refuses.
            delay = self.retries.delay(now, error if resumes or self._servers == 1 else None, variation)
        if resumes:
            if now + delay < self._waits_until:
                return Attempt(True, self._server, delay)
            self._server = (self._server + 1) % self._servers
        server, self._server = self._server, (self._server + 1) % self._servers
        return Attempt(False, server, delay)
