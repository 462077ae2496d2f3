"""What all events have in common."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Event:
    """Something that happened in a session."""

    id: int = field(kw_only=True, default=0)
    """1, 2, 3 and so on. 0 for events that this package adds, such as `Reconnecting`."""
    sample: int = field(kw_only=True, default=0)
    """The index of the microphone's sample at which it happened."""
