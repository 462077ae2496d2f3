"""Runs a session: opens it, and gets it back after a lost connection."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Callable, Sequence

from ._call import Call, LostCall
from ._muting import Muting
from ._reconnection import FOR_GOOD, STOPPING, UNKNOWN, UNSTEADY_SECONDS, Reconnect, Reconnection, Retries
from ._start import Plan
from ._starts import FIRST_SECONDS, Starts
from ._state import State
from ._traffic import Traffic
from ._within import within
from .connection import Connection
from .errors import AnechoicError, ConnectionLost, Overloaded, Refused, ServerUnavailable, SessionEnded
from .events import Event, Reconnecting
from .v1 import voice_processing_pb2 as api

_ABANDON_SECONDS = 1.0
_CANCEL_SECONDS = 0.5
_log = logging.getLogger("anechoic")


class Link:
    """The life of a session, from its start to its end, over all its connections."""

    def __init__(
        self, connections: Sequence[Connection], plan: Plan, policy: Reconnect, on_event: Callable[[Event], None],
        state: State,
    ) -> None:
        self._plan, self._policy, self.state = plan, policy, state
        self._starts = Starts(connections, plan, policy, state)
        self._traffic = Traffic(plan, policy, state, on_event)
        self.outbox, self.controls = self._traffic.outbox, self._traffic.controls
        self.reports, self.inbox = self._traffic.reports, self._traffic.inbox
        self._muting = Muting(self.controls, state, self.outbox, self.inbox.silence, self.wake)
        self.error: AnechoicError | None = None
        self._ended = asyncio.Event()
        self._is_opening = False
        self._task: asyncio.Task[None] | None = None
        self._call: Call | None = None
        self._began = 0.0
        self._retries: Retries | None = None

    @property
    def started(self) -> api.Started:
        """The last answer to a start. Empty before the first one."""
        return self._starts.started

    @property
    def is_connected(self) -> bool:
        return self.state.is_connected

    @property
    def drops_oldest(self) -> bool:
        """Whether audio that finds no room replaces the oldest."""
        return self._traffic.drops_oldest

    @property
    def was_opened(self) -> bool:
        return self._task is not None

    # The start.

    async def open(self, once: bool = False) -> None:
        """Starts the session. Waits for a server that refuses the connection because it is still starting.

        `once` is for a program that tries again by itself: each server gets one attempt.
        """
        self.check_not_opened()
        self._is_opening = True
        try:
            self._call = await self._open(once)
        finally:
            self._is_opening = False
        self._began = asyncio.get_running_loop().time()
        self.state.is_connected = True  # The task begins later, and the program may feed at once.
        self._task = asyncio.create_task(self._run(self._call))
        if (wanted := self.state.wanted_mute) is not None:  # Since the start was sent.
            self.set_mute(wanted, insists=True)

    async def _open(self, once: bool) -> Call:
        now = asyncio.get_running_loop().time
        servers = self._starts.connections
        deadline = now() + servers[0].connect_timeout
        retries, attempts = Retries(self._policy, now()), 0
        while True:
            attempts += 1
            try:
                return await self._starts.begin(
                    self._starts.server, self._policy.attempt_timeout if once else FIRST_SECONDS)
            except LostCall as lost:
                error: AnechoicError = lost.error
            except (Overloaded, ServerUnavailable) as refused:
                if not once:
                    raise
                error = refused
            if attempts >= len(servers) and (once or now() >= deadline):  # An attempt may have taken all the time.
                raise error
            self._starts.try_next()
            await asyncio.sleep(0.0 if once else retries.delay(now()))

    def owe(self, fed_at: float | None) -> None:
        """Records when the program, which has fed nothing yet, had audio last: what it gives at once is too old."""
        self._traffic.owe(fed_at)

    # Requests.

    def control(self, at_sample: int | None, **control: Any) -> asyncio.Future[int]:
        """Sends a control. Returns the future sample at which it was applied."""
        self.check()
        answer = self.controls.add(at_sample, **control)
        self.wake()
        return answer

    def clear_playback(self) -> asyncio.Future[int]:
        """Discards what waits to be played, here and in the session. A recording keeps its samples in their place."""
        answer = self.control(None, clear_playback=api.ClearPlayback())
        if self._plan.is_real_time and self._plan.playback is not None:
            self.outbox.drop_playback()
            self._traffic.room.set()
        return answer

    def set_mute(self, muted: bool, at_sample: int | None = None, *, insists: bool = False) -> asyncio.Future[int]:
        """Mutes or unmutes. A request without an answer holds for the next session, too, from its sample on.

        `insists` sends a request again that the session refuses.
        """
        try:
            self.check()
        except AnechoicError:
            if at_sample is None:
                self.state.want_mute(muted)
            raise
        return self._muting.ask(muted, insists) if at_sample is None else self._muting.at(muted, at_sample)

    def wake(self) -> None:
        """Sends what waits."""
        self._traffic.to_send.set()

    async def room(self) -> None:
        """Waits until audio was sent or is not needed any more. Throws the error of a session that has ended."""
        self.check()
        self._traffic.room.clear()
        await self._traffic.room.wait()
        self.check()

    def check(self) -> None:
        """Throws if the session has not been opened, or has ended."""
        self.check_opened()
        if self._ended.is_set():
            raise self.error or SessionEnded("the session has ended", reason="SESSION_ENDED")

    def check_not_opened(self) -> None:
        """Throws if the session has been opened, or is being opened."""
        if self.was_opened or self._is_opening:
            raise Refused("a session can be opened only once; create another one", reason="OPENED_BEFORE")

    def check_opened(self) -> None:
        """Throws if the session has not been opened."""
        if not self.was_opened:
            raise Refused("the session is not open; use async with, or open", reason="NOT_OPEN")

    # The end.

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
        self._traffic.is_abandoned = True
        self.outbox.drop_unsent()
        self.inbox.output.give_up()
        self.wake()
        try:
            if self.is_connected:
                await within(_ABANDON_SECONDS, self.ended())
        except asyncio.TimeoutError:
            pass
        finally:
            await self.cancel()

    async def cancel(self) -> None:
        """Ends the session at once."""
        if self._task is None:
            return
        while not self._task.done():  # A call that is lost at the same moment may swallow the first request.
            self._task.cancel()
            await asyncio.wait([self._task], timeout=_CANCEL_SECONDS)
        if not self._ended.is_set():  # The task was cancelled before its first step.
            if self._call is not None:
                self._call.abandon()
            self._close(SessionEnded("the session was cancelled", reason="CANCELLED"))

    async def _run(self, call: Call) -> None:
        error: AnechoicError | None = None
        try:
            current: Call | None = call
            while current is not None:
                try:
                    await self._traffic.exchange(current)
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

    def _close(self, error: AnechoicError | None) -> None:
        self.state.is_connected = False
        self.error = error
        self._ended.set()
        self._traffic.room.set()
        self.inbox.output.close(error)
        self.inbox.events.close(error)
        ending = error or SessionEnded("the session has ended", reason="SESSION_ENDED")
        self._muting.close(ending)
        self.controls.close(ending)

    # A lost connection.

    async def _get_back(self, error: AnechoicError, can_resume: bool) -> Call:
        """Resumes the session, or starts a new one. Throws the error if neither is possible."""
        now = asyncio.get_running_loop().time
        was_short = now() - self._began < UNSTEADY_SECONDS
        steps = Reconnection(
            self._policy, self._starts.window if can_resume else 0.0, self._starts.server,
            len(self._starts.connections), now(), has_stopped=not can_resume,
            earlier=self._retries if was_short else None)
        self._retries = steps.retries
        refusal: AnechoicError | None = None
        self._traffic.tell(Reconnecting(error))
        self._traffic.room.set()
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
            except AnechoicError as refused:
                if isinstance(refused, FOR_GOOD) or not refused.status:  # Or an error of this program.
                    raise
                error = refused
                if attempt.resumes and refused.reason in (*UNKNOWN, *STOPPING):
                    steps.session_is_gone()
                else:
                    refusal = refused
        message = f"the connection was lost, and the session could not go on: {error}"
        raise ConnectionLost(message, status=error.status, reason=error.reason) from error

    async def _resume(self) -> Call:
        call = await self._starts.resume(self._traffic.resume_point(), self._traffic.most_expected)
        self._traffic.go_on(call.started.resumed)
        self._began = asyncio.get_running_loop().time()
        return call

    async def _restart(self, server: int, error: AnechoicError) -> Call:
        self._muting.want_due()
        was_muted = self.outbox.microphone.start < self._muting.muted_until and not self.state.starts_muted
        self.state.resends_muted = was_muted and not self._plan.is_real_time
        call = await self._starts.begin(server, self._policy.attempt_timeout)
        self._traffic.restart(error)
        if self.state.resends_muted:
            self._muting.restart()
        self._began = asyncio.get_running_loop().time()
        return call
