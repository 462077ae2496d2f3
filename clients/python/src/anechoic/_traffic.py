"""Moves the messages of a session over one call after another."""

from __future__ import annotations

import asyncio
from typing import Callable

from ._call import Call
from ._controls import Controls
from ._debt import Debt
from ._inbox import Inbox
from ._outbox import Outbox
from ._reconnection import Reconnect
from ._reports import Reports
from ._start import Plan, seconds
from ._state import State
from .errors import AnechoicError, SessionEnded
from .events import Event, Restarted, Resumed
from .v1 import voice_processing_pb2 as api

_LAST_SECONDS = 0.1
"""The time for which a frame may wait for its reference, and a frame that is not complete."""
_LONGEST_GAP = 10.0
"""The seconds of audio that a server conceals."""


class Traffic:
    """The messages that wait to be sent and those that have arrived, on any connection."""

    def __init__(self, plan: Plan, policy: Reconnect, state: State, on_event: Callable[[Event], None]) -> None:
        self._plan, self._policy, self._state, self._on_event = plan, policy, state, on_event
        self.outbox = Outbox(plan.inputs, plan.chunk, plan.is_real_time, plan.has_intermittent_reference)
        self.controls = Controls()
        self.reports = Reports(plan)
        self.inbox = Inbox(plan, self.controls, self.reports, state, self.outbox)
        self.to_send = asyncio.Event()
        """Set when something waits to be sent."""
        self.room = asyncio.Event()
        """Set when audio was sent, or is not needed any more."""
        self.is_abandoned = False
        self._debt = Debt(plan.inputs["microphone"].rate)
        self._has_sent_audio = True
        """Whether the present session has got audio."""
        self._has_answered = True

    def tell(self, event: Event) -> None:
        """Adds an event of this client."""
        self.inbox.events.add(event)
        self._on_event(event)

    # One call.

    async def exchange(self, call: Call) -> None:
        """Sends and receives until the call ends."""
        self._state.is_connected, self._has_answered = True, True
        started = call.started
        self.inbox.silence.delayed(
            samples=seconds(started.algorithmic_delay), recognizer=seconds(started.recognizer_delay),
            raw=seconds(started.raw_delay))
        self.to_send.set()
        sending = asyncio.create_task(self._send(call))
        sending.add_done_callback(lambda _: None if _failure(sending) is None else call.abandon())
        tasks = [sending]
        if self._plan.is_real_time:
            tasks.append(asyncio.create_task(self._watch(call)))
        try:
            while (response := await call.read()) is not None:
                self._has_answered = True
                event = self.inbox.add(response)
                if event is not None:
                    self._on_event(event)
                if not self._plan.is_real_time:
                    self._confirm()
                    await self.inbox.output.room()
        except asyncio.CancelledError:
            call.abandon()
            raise
        finally:
            self._state.is_connected = False
            for task in tasks:
                task.cancel()
            if (failure := _failure(sending)) is not None:
                raise failure
        if not call.is_finished:
            raise SessionEnded("the server has ended the session, although its input goes on", reason="ENDED_EARLY")

    async def _send(self, call: Call) -> None:
        while True:
            message = self.controls.next_message(self.outbox.unsent_from)
            message = message or self.reports.next_message(self.outbox.base, self.outbox.sent)
            if message is None and (pause := self._settle_debt()) > 0:
                await asyncio.sleep(pause)
                continue
            if message is None and (message := self.outbox.next_message()) is not None:
                self._has_sent_audio = True
            if message is not None:
                if not await call.write(message):
                    return
                self.room.set()
            elif self.outbox.is_finished and self._may_finish(call.started):
                await call.finish()
                return
            else:
                self.to_send.clear()
                await self.to_send.wait()

    def owe(self, fed_at: float | None) -> None:
        """Records that a new session has begun. The program gave audio last at a time of the loop."""
        if self._plan.is_real_time:
            self._debt.began(asyncio.get_running_loop().time(), fed_at, self.outbox.base)
            self._has_sent_audio = False

    @property
    def drops_oldest(self) -> bool:
        """Whether audio that finds no room replaces the oldest, because the session does not need all of it."""
        return self._plan.is_real_time and (not self._state.is_connected or self._debt.is_open)

    def _settle_debt(self) -> float:
        """Drops what is older than the session. Returns the seconds for which audio waits before this is known."""
        now, end = asyncio.get_running_loop().time(), self.outbox.microphone.end
        if (pause := self._debt.pause(now, end)) > 0:
            return pause
        expected = self.most_expected
        if not self._has_sent_audio and expected > 0:  # The oldest of a long burst were dropped already.
            self.outbox.skip(expected)
            self._debt.gave_up(expected)
            self._rebase(after=0)
        if (count := self._debt.excess(now, end)) > 0:
            after = self.most_expected
            self.outbox.drop_waiting(count)
            self._rebase(after)
        return 0.0

    def _rebase(self, after: int) -> None:
        """Makes the answers after a sample of the session count from another one."""
        self.inbox.rebase(self.outbox.base, after=after)
        self.controls.base = self.outbox.base

    def _may_finish(self, started: api.Started) -> bool:
        """Whether the input may end. A recording waits for almost all of its output.

        A session whose input has ended cannot be resumed.
        """
        if self._plan.is_real_time or self.is_abandoned:
            return True
        rest = seconds(started.algorithmic_delay) + self._plan.chunk + _LAST_SECONDS
        return self.inbox.position / self._plan.processed.rate >= self.outbox.seconds - rest

    async def _watch(self, call: Call) -> None:
        """Gives up a connection that does not answer although audio was sent. A stalled loop counts as one step."""
        silent, sent = 0, self.outbox.sent
        while silent < 6:
            await asyncio.sleep(self._policy.silence / 6)
            was_sent, sent = self.outbox.sent > sent, self.outbox.sent
            silent = 0 if self._has_answered or not (was_sent or silent) else silent + 1
            self._has_answered = False
        call.abandon()

    def _confirm(self) -> None:
        """Forgets audio whose output has arrived."""
        self.outbox.confirm(self._heard)
        self.room.set()
        if self.outbox.is_finished:
            self.to_send.set()

    @property
    def _heard(self) -> int:
        """The index after the last sample of the microphone whose output has arrived."""
        return self.inbox.position * self._plan.inputs["microphone"].rate // self._plan.processed.rate

    # The next call.

    def resume_point(self) -> api.Start.ResumePoint:
        """Returns where the session goes on."""
        point = api.Start.ResumePoint(
            last_event_id=self.inbox.last_event_id, processed_samples=max(0, self.inbox.session_position))
        if self._plan.is_real_time:
            point.microphone_sample = max(0, self.outbox.microphone.start - self.outbox.base)
        return point

    @property
    def most_expected(self) -> int:
        """The index in the session after the last sample of the microphone that this client has sent."""
        return self.outbox.sent - self.outbox.base

    def go_on(self, how: api.Started.Resumed) -> None:
        """Continues the session where it expects audio."""
        resumed = how.microphone_sample
        concealed = min(max(0, how.concealed_samples), resumed)
        microphone = self.outbox.microphone
        # Audio that became too old while the answer was under way is one more gap, which the server conceals.
        missing = microphone.start - self.outbox.base - resumed
        if self._plan.is_real_time and missing > _LONGEST_GAP * microphone.format.rate:
            # The gap was too long: it is shorter in the session than here.
            self.outbox.base = microphone.start - resumed
            self._rebase(after=resumed - concealed)
        self.outbox.rewind(self.outbox.base + resumed)
        self.controls.rewind()
        self.reports.begin(self.outbox.sent)
        self.tell(Resumed(concealed, how.lost_events, sample=self.outbox.base + resumed))

    def restart(self, error: AnechoicError) -> None:
        """Continues with a new session."""
        base = self.outbox.restart()  # First of all: no audio is captured in between.
        self.controls.rewind()
        self.reports.begin(self.outbox.sent)
        self.reports.restart()
        self.inbox.rebase(base)
        self.controls.base = base
        self.owe(self.outbox.fed_at)
        self.inbox.last_event_id = 0
        self.tell(Restarted(error, lost_samples=max(0, base - self._heard), sample=base))


def _failure(task: asyncio.Task[None]) -> BaseException | None:
    """Returns the error of a task that has failed."""
    return task.exception() if task.done() and not task.cancelled() else None
