"""Runs a session: sends, receives, and gets the session back after a lost connection."""

from __future__ import annotations

import asyncio
import logging
import uuid
from typing import Callable, Sequence

from ._call import Call, LostCall
from ._controls import Controls
from ._inbox import Inbox
from ._outbox import Outbox
from ._reports import Reports
from ._reconnection import STOPPING, Reconnect, Reconnection, Retries
from ._start import Plan, seconds
from ._state import State
from .connection import Connection
from .errors import (
    AlreadyExists, AnechoicError, ConnectionLost, NotFound, Overloaded, Refused, ServerUnavailable, SessionEnded,
)
from .events import Event, Reconnecting, Restarted, Resumed
from .v1 import voice_processing_pb2 as api

_START_SECONDS = 10.0
"""The time for the answer to the first start of a session."""
_LAST_SECONDS = 0.1
"""The time for which a frame may wait for its reference, and a frame that is not complete."""
_ABANDON_SECONDS = 1.0
_log = logging.getLogger("anechoic")


class Link:
    """The session's state, and the tasks that move its messages."""

    def __init__(
        self, connections: Sequence[Connection], plan: Plan, policy: Reconnect, on_event: Callable[[Event], None],
        state: State,
    ) -> None:
        self._connections, self._plan, self._policy, self._on_event = connections, plan, policy, on_event
        self._start = plan.request()
        if not self._start.session_id:
            self._start.session_id = uuid.uuid4().hex
        self.state = state
        self.outbox = Outbox(plan.inputs, plan.chunk, plan.is_real_time, plan.has_intermittent_reference)
        self.controls = Controls()
        self.reports = Reports(plan)
        self.inbox = Inbox(plan, self.controls, state)
        self.started = api.Started()
        self.error: AnechoicError | None = None
        self._server = 0
        self._to_send = asyncio.Event()
        self._room = asyncio.Event()
        self._has_answered = True
        self._ended = asyncio.Event()
        self._is_abandoned = False
        self._task: asyncio.Task[None] | None = None

    @property
    def is_connected(self) -> bool:
        return self.state.is_connected

    @property
    def was_opened(self) -> bool:
        return self._task is not None

    async def open(self, once: bool = False) -> None:
        """Starts the session. Waits for a server that refuses the connection because it is still starting.

        `once` is for a program that tries again by itself: each server gets one attempt.
        """
        if self.was_opened:
            raise Refused("a session can be opened only once; create another one", reason="OPENED_BEFORE")
        now = asyncio.get_running_loop().time
        deadline = now() + self._connections[0].connect_timeout
        retries, attempts = Retries(self._policy, now()), 0
        while True:
            attempts += 1
            is_last = attempts >= len(self._connections) if once else now() >= deadline
            try:
                call = await self._begin(self._server, self._policy.attempt_timeout if once else _START_SECONDS)
                break
            except LostCall as lost:
                if is_last:
                    raise lost.error from None
            except (Overloaded, ServerUnavailable):
                if is_last or not once:
                    raise
            self._server = (self._server + 1) % len(self._connections)
            await asyncio.sleep(0.0 if once else retries.delay(now()))
        self._task = asyncio.create_task(self._run(call))
        if (wanted := self.state.wanted_mute) is not None:  # Since the start was sent.
            self.set_mute(wanted)

    def control(self, at_sample: int | None, **control: object) -> asyncio.Future[int]:
        """Sends a control. Returns the future sample at which it was applied."""
        self.check()
        answer = self.controls.add(at_sample, **control)
        self.wake()
        return answer

    def set_mute(self, muted: bool, at_sample: int | None = None) -> asyncio.Future[int]:
        """Mutes or unmutes. A request without an answer holds for the next session, too."""
        number = self.state.want_mute(muted)

        def note(answer: asyncio.Future[int]) -> None:
            if answer.exception() is None:
                self.state.mute_answered(number, muted)
            elif not self._ended.is_set():
                self.state.mute_answered(number, None)

        self.check()
        try:
            answer = self.controls.add(at_sample, set_mute=api.SetMute(muted=muted))
        except AnechoicError:
            self.state.mute_answered(number, None)
            raise
        answer.add_done_callback(note)
        self.wake()
        return answer

    def wake(self) -> None:
        """Sends what waits."""
        self._to_send.set()

    async def room(self) -> None:
        """Waits until audio was sent or is not needed any more. Throws the error of a session that has ended."""
        self._room.clear()
        await self._room.wait()
        self.check()

    def check(self) -> None:
        """Throws if the session has not been opened, or has ended."""
        self.check_opened()
        if self._ended.is_set():
            raise self.error or SessionEnded("the session has ended", reason="SESSION_ENDED")

    def check_opened(self) -> None:
        """Throws if the session has not been opened."""
        if not self.was_opened:
            raise Refused("the session is not open; use async with, or open", reason="NOT_OPEN")

    def finish(self) -> None:
        """Ends the input, after all that was fed."""
        self.outbox.is_finished = True
        self.inbox.length = round(self.outbox.seconds * self._plan.processed.rate)
        self.wake()

    async def ended(self) -> None:
        """Waits for the end of the session."""
        await self._ended.wait()

    async def abandon(self) -> None:
        """Ends the session without its remaining output. Tells the server, which otherwise waits for us."""
        self._is_abandoned = True
        self.outbox.drop_unsent()
        self.inbox.output.give_up()
        self.wake()
        try:
            if self.is_connected:
                await asyncio.wait_for(self.ended(), _ABANDON_SECONDS)
        except asyncio.TimeoutError:
            pass
        finally:
            await self.cancel()

    async def cancel(self) -> None:
        """Ends the session at once."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self, call: Call) -> None:
        error: Exception | None = None
        try:
            current: Call | None = call
            while current is not None:
                try:
                    await self._exchange(current)
                    break
                except LostCall as lost:
                    current = await self._get_back(lost.error, can_resume=True)
                except ServerUnavailable as stopping:
                    if stopping.reason not in STOPPING:
                        raise
                    current = await self._get_back(stopping, can_resume=False)
        except AnechoicError as failure:
            error = failure
        except asyncio.CancelledError:
            error = SessionEnded("the session was cancelled", reason="CANCELLED")
        except Exception as failure:
            _log.exception("the session has failed")
            error = AnechoicError(f"the session has failed: {type(failure).__name__}: {failure}")
            error.__cause__ = failure
        finally:
            self._close(error)

    def _close(self, error: Exception | None) -> None:
        self.state.is_connected = False
        self.error = error if isinstance(error, AnechoicError) else None
        self._ended.set()
        self._room.set()
        self.inbox.output.close(error)
        self.inbox.events.close(error)
        self.controls.close(self.error or SessionEnded("the session has ended", reason="SESSION_ENDED"))

    async def _exchange(self, call: Call) -> None:
        """Sends and receives until the call ends."""
        self.state.is_connected, self._has_answered = True, True
        self._to_send.set()
        tasks = [asyncio.create_task(self._send(call))]
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
            self.state.is_connected = False
            for task in tasks:
                task.cancel()

    async def _send(self, call: Call) -> None:
        while True:
            message = self.controls.next_message() or self.reports.next_message(self.outbox.base)
            message = message or self.outbox.next_message()
            if message is not None:
                if not await call.write(message):
                    return
                self._room.set()
            elif self.outbox.is_finished and self._may_finish:
                await call.finish()
                return
            else:
                self._to_send.clear()
                await self._to_send.wait()

    @property
    def _may_finish(self) -> bool:
        """Whether the input may end. A recording waits for almost all of its output.

        A session whose input has ended cannot be resumed.
        """
        if self._plan.is_real_time or self._is_abandoned:
            return True
        rest = seconds(self.started.algorithmic_delay) + self._plan.chunk + _LAST_SECONDS
        return self.inbox.position / self._plan.processed.rate >= self.outbox.seconds - rest

    async def _watch(self, call: Call) -> None:
        """Gives a connection up that does not answer, though audio was sent. A stalled loop counts as one step."""
        silent, sent = 0, self.outbox.microphone.sent
        while silent < 6:
            await asyncio.sleep(self._policy.silence / 6)
            was_sent, sent = self.outbox.microphone.sent > sent, self.outbox.microphone.sent
            silent = 0 if self._has_answered or not (was_sent or silent) else silent + 1
            self._has_answered = False
        call.abandon()

    def _confirm(self) -> None:
        """Forgets audio whose output has arrived."""
        position = self.inbox.position * self._plan.inputs["microphone"].rate // self._plan.processed.rate
        self.outbox.confirm(position)
        self._room.set()
        if self.outbox.is_finished:
            self._to_send.set()

    async def _get_back(self, error: AnechoicError, can_resume: bool) -> Call:
        """Resumes the session, or starts a new one. Throws the error if neither is possible."""
        now = asyncio.get_running_loop().time
        window = seconds(self.started.resume_window) if can_resume and self.started.resume_token else 0.0
        steps = Reconnection(
            self._policy, window, self._server, len(self._connections), now(), has_stopped=not can_resume)
        refusal: AnechoicError | None = None
        self._tell(Reconnecting(error))
        self._room.set()
        while (attempt := steps.next(now(), refusal)) is not None:
            await asyncio.sleep(attempt.delay)
            refusal = None
            try:
                if attempt.resumes:
                    return await self._resume()
                if self.outbox.has_nothing_left:
                    break
                return await self._restart(attempt.server, error)
            except LostCall:
                continue  # The first error explains the loss.
            except NotFound as gone:
                if not attempt.resumes:
                    raise
                error = gone
                steps.session_is_gone()
            except (Overloaded, ServerUnavailable) as refused:
                error = refusal = refused
                if attempt.resumes and refused.reason in ("TOO_MANY_RESUMES", *STOPPING):
                    steps.session_is_gone()  # The right token is never refused, but by a server that stops.
        message = f"the connection was lost, and the session could not go on: {error}"
        raise ConnectionLost(message, status=error.status, reason=error.reason) from error

    async def _resume(self) -> Call:
        start = api.Start()
        start.CopyFrom(self._start)
        start.session_id = self.started.session.removeprefix("sessions/")
        start.resume_token = self.started.resume_token
        point = start.resume_point
        point.last_event_id = self.inbox.last_event_id
        point.processed_samples = self.inbox.session_position
        if self._plan.is_real_time:
            point.microphone_sample = max(0, self.outbox.microphone.start - self.outbox.base)
        call = await Call.open(self._connections[self._server], start, self._policy.attempt_timeout)
        self._go_on(call, start)
        how = call.started.resumed
        resumed = how.microphone_sample
        if self._plan.is_real_time and resumed < self.outbox.microphone.start - self.outbox.base:
            # The gap was too long: it is shorter in the session than here.
            self.outbox.base = self.outbox.microphone.start - resumed
            self.inbox.rebase(self.outbox.base)
            self.controls.base = self.outbox.base
        self.outbox.rewind(self.outbox.base + resumed)
        self._tell(Resumed(how.concealed_samples, how.lost_events, sample=self.outbox.base + resumed))
        return call

    async def _restart(self, server: int, error: AnechoicError) -> Call:
        call = await self._begin(server, self._policy.attempt_timeout)
        self._server = server
        base = self.outbox.restart()  # First of all: no audio is captured in between.
        position = self.inbox.position * self._plan.inputs["microphone"].rate // self._plan.processed.rate
        self.reports.restart()
        self.inbox.rebase(base)
        self.controls.base = base
        self.inbox.last_event_id = 0
        self._tell(Restarted(error, lost_samples=max(0, base - position), sample=base))
        return call

    async def _begin(self, server: int, patience: float) -> Call:
        """Starts a new session with the state of the one before it."""
        start = api.Start()
        start.CopyFrom(self._start)
        self.state.continue_in(start)
        try:
            call = await Call.open(self._connections[server], start, patience)
        except AlreadyExists:
            if not self.state.session_id:
                raise
            start.session_id = uuid.uuid4().hex
            call = await Call.open(self._connections[server], start, patience)
        self._go_on(call, start)
        return call

    def _go_on(self, call: Call, start: api.Start) -> None:
        self.started = call.started
        self.controls.rewind()
        self.state.began(start, call.started)

    def _tell(self, event: Event) -> None:
        self.inbox.events.add(event)
        self._on_event(event)
