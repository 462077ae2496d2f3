"""The events of a session. `session.events()` yields them in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _session_events
from ._convert import from_message
from ._event import Event
from ._session_events import *
from ._session_events import KINDS, POSITIONS

__all__ = [
    "Event", "Reconnecting", "Restarted", "Resumed", "UnknownEvent", "event_from", *_session_events.__all__,
]


@dataclass(frozen=True)
class UnknownEvent(Event):
    """An event of a newer server."""

    message: Any


@dataclass(frozen=True)
class Reconnecting(Event):
    """The connection was lost. The session tries to resume."""

    error: Exception


@dataclass(frozen=True)
class Resumed(Event):
    """The connection is back, and the session goes on with `sample`."""

    concealed_samples: int
    """The samples of the microphone that were not kept, and are concealed."""
    lost_events: int
    """The events that came meanwhile and are not kept."""


@dataclass(frozen=True)
class Restarted(Event):
    """The old session is gone. A new one continues with `sample`, and has to find the echo again."""

    error: Exception
    lost_samples: int = 0
    """The samples of the microphone before `sample` that no session has processed. 0 for a recording."""


def event_from(message: Any, base: int = 0) -> Event:
    """Returns the event of a `SessionEvent`, whose session began at the sample `base`."""
    name = message.WhichOneof("event")
    known = {"id": message.event_id, "sample": base + message.microphone_sample}
    kind = KINDS.get(name)
    if kind is None:
        return UnknownEvent(message, **known)
    event = getattr(message, name)
    positions = {name: base + getattr(event, name) for name in POSITIONS.get(kind, [])}
    return from_message(kind, event, **known, **positions)
