"""Asks a session for the mute state that was requested last."""

from __future__ import annotations

import asyncio
import logging
from typing import Callable

from ._controls import Controls
from ._outbox import Outbox
from ._silence import Silence
from ._state import State
from .errors import AnechoicError, Overloaded
from .v1 import voice_processing_pb2 as api

_SHORTEST_SECONDS = 0.1
_LONGEST_SECONDS = {True: 0.5, False: 5.0}
"""The most seconds before the next request after a refusal: because there are too many, and for another reason."""
_log = logging.getLogger("anechoic")


class Muting:
    """Sends one request at a time. Of those that come meanwhile, only the last one is sent.

    An unmute is sent after all audio that was captured before its request, and a mute before all that waits. The
    output is silent from the request to mute to the sample at which the session was muted.

    A request that the server refuses because there are too many is sent again, unless another one has followed.
    """

    def __init__(
        self, controls: Controls, state: State, outbox: Outbox, silence: Silence, wake: Callable[[], None]
    ) -> None:
        self._controls, self._state, self._wake = controls, state, wake
        self._outbox, self._silence = outbox, silence
        self._number = 0
        self._wanted: bool | None = None
        """The state that is asked for and has not been sent. None if there is none."""
        self._callers: list[asyncio.Future[int]] = []
        """The answers for those who asked for it, or for a state before it that was not sent."""
        self._captured = 0
        """The index after the last sample of the microphone that was captured before the request."""
        self._unmute: tuple[asyncio.Future[int], list[asyncio.Future[int]]] | None = None
        """The answer to an unmute that is sent or waits for its audio, and those who asked for it."""
        self._later: dict[int, tuple[bool, int]] = {}
        """The states that are asked for from a sample on, and the samples, by the numbers of the requests."""
        self.muted_until = 0
        """The index after the last sample of the microphone that was captured while muted."""
        self._insists = False
        self._is_sent = False
        self._pause: asyncio.TimerHandle | None = None
        self._refusals = 0
        self._error: AnechoicError | None = None

    def ask(self, muted: bool, insists: bool, captured: int | None = None) -> asyncio.Future[int]:
        """Returns the future sample at which the session had the state, or the last one that was asked for.

        `insists` sends it again whatever the reason of a refusal. `captured` is the index after the last sample that
        was captured before the request: by default, the end of the microphone.
        """
        was_muted = self._state.is_muted
        self._number, self._wanted, self._insists = self._state.want_mute(muted), muted, insists
        self._captured = self._outbox.microphone.end if captured is None else captured
        self._later = {number: each for number, each in self._later.items() if each[1] > self._captured}
        self._hold(muted, self._captured, was_muted)
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._callers.append(answer)
        if muted and self._unmute is not None and self._controls.withdraw(self._unmute[0]):
            self._callers = [*self._unmute[1], *self._callers]
            self._unmute, self._is_sent = None, False
        if not self._is_sent and self._pause is None:
            self._send()
        return answer

    def at(self, muted: bool, sample: int) -> asyncio.Future[int]:
        """Asks for a state from a sample on. Such requests do not wait for each other.

        Before that sample, the state is as it was, also for a new session, which gets the request again.
        """
        was_muted = self._state.is_muted or any(muted and first <= sample for muted, first in self._later.values())
        answer = self._controls.add(sample, set_mute=api.SetMute(muted=muted))
        number = self._state.add_request()
        self._later[number] = muted, sample
        self.want_due()
        self._hold(muted, sample, was_muted)
        answer.add_done_callback(lambda _: self._answered_later(number, muted, answer))
        self._wake()
        return answer

    def want_due(self) -> None:
        """Wants the states of the requests without an answer that hold from the first sample of a new session on."""
        due = {number: each for number, each in self._later.items() if each[1] <= self._outbox.next_start}
        for number, (muted, _) in sorted(due.items(), key=lambda item: item[1][1]):
            self._state.want_mute(muted, number)
            del self._later[number]

    def restart(self) -> None:
        """Unmutes a session that began muted to process audio of before an unmute once more."""
        if self._unmute is None and self._wanted is None:
            self.ask(False, insists=True, captured=self.muted_until)

    def close(self, error: AnechoicError) -> None:
        """Ends all requests. The state is still wanted, by the next session."""
        self._error = error
        if self._pause is not None:
            self._pause.cancel()
        self._answer(self._callers, error)
        self._callers = []

    def _send(self) -> None:
        self._pause = None
        if self._wanted is None or self._error is not None:
            return
        number, muted, callers, insists = self._number, self._wanted, self._callers, self._insists
        self._wanted, self._callers, self._is_sent = None, [], True
        after = None if muted else self._captured
        answer = self._controls.add(None, is_first=True, after=after, set_mute=api.SetMute(muted=muted))
        if not muted:
            self._outbox.hurries_to = self._captured
            self._unmute = answer, callers
        answer.add_done_callback(lambda _: self._answered(number, muted, callers, insists, answer))
        self._wake()

    def _answered(
        self, number: int, muted: bool, callers: list[asyncio.Future[int]], insists: bool, answer: asyncio.Future[int]
    ) -> None:
        self._is_sent, self._unmute = False, None
        error = _error_of(answer)
        if error is None:
            self._refusals = 0
            self._answer(callers, answer.result())
        elif self._error is None and (insists or isinstance(error, Overloaded)):
            if self._wanted is None:
                self._wanted, self._insists = muted, insists
            self._callers = [*callers, *self._callers]
            return self._try_later(error)
        else:
            self._answer(callers, error)
        self._note(number, muted, error, answer)
        self._send()

    def _answered_later(self, number: int, muted: bool, answer: asyncio.Future[int]) -> None:
        self._later.pop(number, None)
        self._note(number, muted, _error_of(answer), answer)

    def _try_later(self, error: AnechoicError) -> None:
        if self._refusals == 0 and not isinstance(error, Overloaded):
            _log.error("the session refuses to be muted or unmuted: %s; it is asked again", error)
        delay = min(_SHORTEST_SECONDS * 2.0 ** min(self._refusals, 16), _LONGEST_SECONDS[isinstance(error, Overloaded)])
        self._refusals += 1
        self._pause = asyncio.get_running_loop().call_later(delay, self._send)

    def _hold(self, muted: bool, sample: int, was_muted: bool) -> None:
        """Makes the output silent from the sample of a request to mute on, or up to that of one to unmute."""
        if muted:
            self._silence.begin(self._state.requests, sample)
        else:
            self._silence.end(sample)
            self.muted_until = sample if was_muted else self.muted_until

    def _note(self, number: int, muted: bool, error: AnechoicError | None, answer: asyncio.Future[int]) -> None:
        if error is None:
            self._state.mute_answered(number, muted)
            self._silence.confirm(number, answer.result())
        elif self._error is None:
            self._state.mute_answered(number, None)
            self._silence.confirm(number, self._outbox.microphone.end)

    @staticmethod
    def _answer(callers: list[asyncio.Future[int]], result: int | AnechoicError) -> None:
        for each in callers:
            if each.done():
                continue
            if isinstance(result, AnechoicError):
                each.set_exception(result)
                each.exception()  # A caller that has gone away does not need to see it.
            else:
                each.set_result(result)


def _error_of(answer: asyncio.Future[int]) -> AnechoicError | None:
    if answer.cancelled():
        return AnechoicError("the request was cancelled")
    error = answer.exception()
    return error if error is None or isinstance(error, AnechoicError) else AnechoicError(str(error))
