"""Asks the callbacks of a session for decisions."""

from __future__ import annotations

import asyncio
import inspect
import logging
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Union

from .errors import AnechoicError, Overloaded
from .events import Event, InjectionPermissionRequested, MuteGestureRequested

if TYPE_CHECKING:
    from .session import Session

PermissionCallback = Callable[[InjectionPermissionRequested], Union[bool, Awaitable[bool]]]
GestureCallback = Callable[[MuteGestureRequested], Union[bool, Awaitable[bool]]]
_MOST_WAITING = 64
_PAUSES = (0.1, 0.2, 0.4, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
"""The seconds after each refusal because of too many controls."""
_log = logging.getLogger("anechoic")


class Decisions:
    """Runs each callback in a task of its own, at most 64 at a time, and sends the answer."""

    def __init__(
        self, session: Session, permission: PermissionCallback | None, gesture: GestureCallback | None
    ) -> None:
        self._session, self._permission, self._gesture = session, permission, gesture
        self._tasks: set[asyncio.Task[None]] = set()

    def settings(self) -> dict[str, object]:
        """Returns the settings that the callbacks need."""
        settings: dict[str, object] = {}
        if self._gesture is not None:
            settings["mute.gesture_policy"] = "ASK"
        return settings

    def handle(self, event: Event) -> None:
        """Asks a callback if the event needs a decision. A decision in an earlier session is repeated."""
        if isinstance(event, InjectionPermissionRequested):
            client = event.client
            decided = self._session._state.permissions.get(client)
            callback = self._permission if decided is None else lambda _: decided
            if callback is not None:
                self._ask(callback, event, lambda grant: self._session.decide_injection(client, grant))
        elif isinstance(event, MuteGestureRequested) and self._gesture is not None:
            gesture = event.gesture_id
            self._ask(self._gesture, event, lambda accept: self._session.decide_gesture(gesture, accept))

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _ask(self, callback: Callable[[Any], Any], event: Event, answer: Callable[[bool], Awaitable[int]]) -> None:
        if len(self._tasks) >= _MOST_WAITING:
            _log.warning("%d decisions wait; %s is not answered", _MOST_WAITING, type(event).__name__)
            return
        task = asyncio.create_task(self._decide(callback, event, answer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _decide(
        self, callback: Callable[[Any], Any], event: Event, answer: Callable[[bool], Awaitable[int]]
    ) -> None:
        try:
            decision = callback(event)
            if inspect.isawaitable(decision):
                decision = await decision
        except Exception:
            _log.exception("the callback for %s failed; the answer is no", type(event).__name__)
            decision = False
        for pause in _PAUSES:
            try:
                await answer(bool(decision))
                return
            except Overloaded as error:  # There are too many controls at the moment.
                refusal: AnechoicError = error
                await asyncio.sleep(pause)
            except AnechoicError as error:
                refusal = error
                break
        _log.warning("the decision about %s was refused: %s", type(event).__name__, refusal)
