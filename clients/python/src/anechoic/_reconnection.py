"""The decisions after a lost connection."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Reconnect:
    """The limits within which a session gets its connection back."""

    shortest_delay: float = 0.1
    """The seconds before the first attempt. They double with each attempt, and vary by 30 %."""
    longest_delay: float = 2.0
    """The most seconds between two attempts."""
    attempt_timeout: float = 2.0
    """The most seconds for one attempt."""
    loyalty: float = 2.0
    """The seconds for which the same server is tried alone, if there are others."""
    longest_outage: float = 60.0
    """The seconds without any server after which the session ends. 0: a lost connection is the end."""
    silence: float = 3.0
    """The seconds without an answer after which a connection in real time counts as lost."""


@dataclass(frozen=True)
class Attempt:
    """The next attempt: to resume the session, or to start a new one."""

    resumes: bool
    server: int
    delay: float


class Reconnection:
    """Decides what to try next. It does no I/O and reads no clock.

    >>> steps = Reconnection(Reconnect(), window=10.0, server=0, servers=2, now=0.0)
    >>> steps.next(now=0.0, variation=0)
    Attempt(resumes=True, server=0, delay=0.1)
    >>> steps.session_is_gone()
    >>> steps.next(now=0.5, variation=0)
    Attempt(resumes=False, server=0, delay=0.0)
    >>> steps.next(now=1.0, variation=0)
    Attempt(resumes=False, server=1, delay=0.2)
    >>> steps.next(now=61.0, variation=0)
    """

    def __init__(self, policy: Reconnect, window: float, server: int, servers: int, now: float) -> None:
        """`window` is the time for which the session waits; 0 if it cannot be resumed."""
        self._policy, self._server, self._servers = policy, server, servers
        self._lost_at = now
        patience = min(window, policy.loyalty) if servers > 1 else window
        self._waits_until = now + patience if window else None
        self._attempts = 0

    def session_is_gone(self) -> None:
        """Notes that the server does not know the session any more."""
        self._waits_until = None
        self._attempts = 0

    def next(self, now: float, variation: float | None = None) -> Attempt | None:
        """Returns the next attempt, or None to give up. `variation` is in -1...1."""
        policy = self._policy
        if now - self._lost_at >= policy.longest_outage:
            return None
        varied = 1 + 0.3 * (random.uniform(-1, 1) if variation is None else variation)
        delay = min(policy.shortest_delay * 2 ** min(self._attempts, 16), policy.longest_delay) * varied
        self._attempts += 1
        if self._waits_until is not None:
            if now + delay < self._waits_until:
                return Attempt(True, self._server, delay)
            self._waits_until = None
            self._attempts = 1
            self._server = (self._server + 1) % self._servers
        server = self._server
        self._server = (self._server + 1) % self._servers
        return Attempt(False, server, 0.0 if self._attempts == 1 else delay)
