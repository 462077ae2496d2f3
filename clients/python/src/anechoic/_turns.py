"""The turns that a voice agent hears: those of a person who is not muted."""

from __future__ import annotations

from typing import Callable

from .events import Event, MuteChanged, NotSpeech, Restarted, TurnEnded, TurnInterruption, TurnStarted
from .live import LiveFilter

ENDS = (TurnEnded, NotSpeech, Restarted)
"""The events after which no turn is open. A turn does not outlast its session."""


class HeardTurns:
    """Passes the events of a filter on to a listener, as if a muted person said nothing.

    The server also finds the turns of a muted person. Here, a mute ends a turn, and a turn that goes on when the person
    is unmuted begins then.
    """

    def __init__(self, live: LiveFilter, listener: Callable[[Event], None]) -> None:
        self._live, self._listener = live, listener
        self._beginning: list[Event] = []
        """The events with which the open turn began. Empty without a turn."""
        self._is_heard = False
        """Whether the listener knows of the turn."""
        live.listen(self._take)

    def _take(self, event: Event) -> None:
        is_muted = self._live.is_muted
        if isinstance(event, MuteChanged):
            return self._follow_mute(event, is_muted)
        if isinstance(event, TurnStarted):
            self._beginning, self._is_heard = [event], not is_muted
        elif isinstance(event, TurnInterruption) and self._beginning:
            self._beginning.append(event)
        passes = self._is_heard or not is_muted
        if isinstance(event, ENDS):
            self._beginning, self._is_heard = [], False
        if passes:
            self._listener(event)

    def _follow_mute(self, event: MuteChanged, is_muted: bool) -> None:
        if is_muted and self._is_heard:
            self._is_heard = False
            self._listener(TurnEnded(event.sample, 1.0, id=event.id, sample=event.sample))
        elif not is_muted and self._beginning and not self._is_heard:
            self._is_heard = True
            for each in self._beginning:
                self._listener(each)
