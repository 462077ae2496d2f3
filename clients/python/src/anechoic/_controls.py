"""The controls of a session that wait to be sent or answered."""

from __future__ import annotations

import asyncio
from typing import Any

from ._checks import check_sample
from ._status import refusal_error
from .errors import AnechoicError, Overloaded
from .v1 import voice_processing_pb2 as api

_MOST_WAITING = 256


class Controls:
    """Numbers the controls, and matches the answers. Controls without an answer are sent again on a new connection."""

    def __init__(self) -> None:
        self.base = 0
        """The index of the microphone's sample with which the present session began."""
        self._last_id = 0
        self._waiting: dict[int, tuple[api.ProcessRequest, asyncio.Future[int]]] = {}
        self._after: dict[int, int] = {}
        """The samples of the microphone before which controls wait, by the ids of the controls."""
        self._unsent: list[api.ProcessRequest] = []

    def add(
        self, at_sample: int | None, *, is_first: bool = False, after: int | None = None, **control: Any
    ) -> asyncio.Future[int]:
        """Returns the future sample at which the control was applied. It throws the refusal.

        `is_first` is for a control that goes before those that wait, however many they are.
        `after` is for a control that is sent, also once more, only after the microphone's samples before this index.
        """
        if len(self._waiting) >= _MOST_WAITING and not is_first:
            raise Overloaded(f"{_MOST_WAITING} controls wait for their answers", reason="TOO_MANY_CONTROLS")
        if at_sample is not None:
            check_sample("at_sample", at_sample)
        self._last_id += 1
        request = api.ProcessRequest(control=api.Control(control_id=self._last_id, **control))
        if at_sample is not None:
            request.control.at_sample = at_sample
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting[self._last_id] = (request, answer)
        if after is not None:
            self._after[self._last_id] = after
        self._unsent.insert(0 if is_first else len(self._unsent), request)
        return answer

    def withdraw(self, answer: asyncio.Future[int]) -> bool:
        """Forgets the control that this future belongs to. Returns false if it has been sent on this connection."""
        for request in self._unsent:
            number = request.control.control_id
            if self._waiting[number][1] is answer:
                self._unsent.remove(request)
                self._after.pop(number, None)
                del self._waiting[number]
                return True
        return False

    def next_message(self, unsent_from: int | None = None) -> api.ProcessRequest | None:
        """Returns the next control. `unsent_from` is the index of the next sample to send, or None if none waits."""
        request = next((each for each in self._unsent if self._is_due(each, unsent_from)), None)
        if request is None:
            return None
        self._unsent.remove(request)
        if self.base and request.control.HasField("at_sample"):
            moved = api.ProcessRequest()
            moved.CopyFrom(request)
            moved.control.at_sample = max(0, request.control.at_sample - self.base)
            return moved
        return request

    def _is_due(self, request: api.ProcessRequest, unsent_from: int | None) -> bool:
        return unsent_from is None or self._after.get(request.control.control_id, 0) <= unsent_from

    def resolve(self, result: api.ControlResult, sample: int) -> bool:
        """Records an answer. Returns false if nobody can wait for it.

        `sample` is where the control was applied, counted from the start of the first session.
        """
        self._after.pop(result.control_id, None)
        _, answer = self._waiting.pop(result.control_id, (None, None))
        if answer is None:
            return 0 < result.control_id <= self._last_id  # It may have been sent twice, over two connections.
        if answer.done():
            return True
        if result.HasField("refusal"):
            refusal = result.refusal
            answer.set_exception(refusal_error(refusal.code, refusal.reason, refusal.message))
        else:
            answer.set_result(sample)
        return True

    def rewind(self) -> None:
        """Sends the controls without an answer again."""
        self._unsent = [request for request, _ in self._waiting.values()]

    def close(self, error: AnechoicError) -> None:
        for _, answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error)
                answer.exception()  # A caller that has gone away does not need to see it.
        self._waiting.clear()
        self._after.clear()
        self._unsent.clear()
