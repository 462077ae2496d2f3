"""The calls of clients that have no microphone: a device that plays a session, and a page that watches one."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from anechoic.v1 import config_pb2, events_pb2, sessions_pb2, voice_processing_pb2 as api
from calls import PERIOD, Session, Start

if TYPE_CHECKING:
    from server import Server

TICK = 0.02
"""The seconds between two pieces of what a session plays."""


class Viewer:
    """A call that gets what a session plays or tells, until it ends."""

    def __init__(self, server: Server, context: Any, session: Session, record: Start, answer: dict) -> None:
        self.server, self.context, self.session, self.record = server, context, session, record
        self.answer = answer
        """How the start is answered."""
        self.waiting: asyncio.Queue = asyncio.Queue()
        self.end: tuple | None = None

    def add(self, response: api.ProcessResponse | bytes) -> None:
        """Queues a response of the session in the form of this call. Bytes are sent as they are."""
        if isinstance(response, bytes):
            self._queue(response)

    def end_in_order(self, _: events_pb2.SessionEnded.Reason) -> None:
        """Ends the call with OK, after everything that waits."""
        self._queue(None)

    async def run(self) -> None:
        due = time.monotonic()
        await self._begin()
        while True:
            while not self.waiting.empty():
                _, message = self.waiting.get_nowait()
                if message is None:
                    return
                await self.context.write(message)
            if self.server.plays:
                await self._tick()
            due += TICK
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    def _queue(self, message: Any) -> None:
        self.waiting.put_nowait((0.0, message))

    async def _begin(self) -> None:
        """Sends the first responses."""
        raise NotImplementedError

    async def _tick(self) -> None:
        """Sends the next piece."""
        raise NotImplementedError


class Join(Viewer):
    """The call of a device that plays a session, whose playback is negative as all that a session has processed."""

    async def _begin(self) -> None:
        response = api.JoinSessionResponse()
        response.joined.session = f"sessions/{self.session.id}"
        response.joined.playback.CopyFrom(self.session.format)
        for name, value in self.answer.get("processed", {}).items():
            setattr(response.joined.playback, name, value)
        await self.context.write(response.SerializeToString())
        self._step = round(TICK * self.session.rate)
        self._position = round((time.monotonic() - self.session.began) * self.session.rate)

    async def _tick(self) -> None:
        values = -(1 + np.arange(self._position, self._position + self._step) % PERIOD)
        await self.context.write(self._chunk(self._position, values.astype("<i2").tobytes()))
        self._position += self._step

    def add_odd_answers(self) -> None:
        """Queues answers that no server should send: nothing, half a sample, and indexes far away."""
        for message in (b"", self._chunk(self._position, b"\1"), self._chunk(-(1 << 40), bytes(640)),
                        self._chunk((1 << 63) - 1, bytes(640))):
            self._queue(message)

    @staticmethod
    def _chunk(first: int, samples: bytes) -> bytes:
        response = api.JoinSessionResponse()
        response.playback.first_sample, response.playback.samples = first, samples
        return response.SerializeToString()


class Watch(Viewer):
    """The call of a page that watches a session."""

    STATISTICS = 5
    """The ticks between two statistics."""
    OWNER = "kiosk"

    def add(self, response: api.ProcessResponse | bytes) -> None:
        if isinstance(response, bytes):
            self._queue(response)
        elif response.HasField("event"):
            self._tell(response.event)

    def end_in_order(self, reason: events_pb2.SessionEnded.Reason) -> None:
        self.add(self.session.event(session_ended=events_pb2.SessionEnded(reason=reason)))
        super().end_in_order(reason)

    def add_odd_answers(self) -> None:
        """Queues answers that no server should send: nothing, an event of nothing, and one far away."""
        for response in (
                sessions_pb2.WatchSessionResponse(),
                sessions_pb2.WatchSessionResponse(event=events_pb2.SessionEvent()),
                sessions_pb2.WatchSessionResponse(event=events_pb2.SessionEvent(event_id=(1 << 64) - 1))):
            self._queue(response)

    async def _begin(self) -> None:
        self._ticks = 0
        await self.context.write(sessions_pb2.WatchSessionResponse(snapshot=snapshot(self.session)))
        if self.record.from_event is not None:
            for event in self.session.events[self.record.from_event - 1:]:
                self._tell(event)

    async def _tick(self) -> None:
        self._ticks += 1
        if self._ticks % self.STATISTICS == 0:
            response = sessions_pb2.WatchSessionResponse()
            response.stats.levels.microphone_rms_dbfs = -20
            await self.context.write(response)

    def _tell(self, event: events_pb2.SessionEvent) -> None:
        response = sessions_pb2.WatchSessionResponse(event=event)
        response.event.time.GetCurrentTime()
        self._queue(response)


def snapshot(session: Session) -> sessions_pb2.Session:
    """The state of a session as its watchers see it."""
    message = sessions_pb2.Session(
        name=f"sessions/{session.id}", config=session.resolved, owner=Watch.OWNER, last_event_id=len(session.events),
        active_mic_mode=session.config.preferred_mic_mode or config_pb2.MIC_MODE_STANDARD,
        state=sessions_pb2.Session.STATE_RUNNING)
    message.mute.muted, message.mute.generation = session.is_muted, session.generation
    message.create_time.FromNanoseconds(session.created)
    return message
