"""The sessions and calls of the conformance server."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import numpy as np
from anechoic.v1 import audio_pb2, config_pb2, events_pb2, voice_processing_pb2 as api

if TYPE_CHECKING:
    from server import Server

PERIOD = 30000
"""The microphone of a client counts from 1 to this number, and begins anew."""
AHEAD = 0.5
"""The seconds by which input in real time may be ahead of the session's clock."""
KEPT = 0.5
"""The seconds of output that a session keeps for a client that resumes."""
TOO_MANY_CONTROLS = "TOO_MANY_CONTROLS"
"""The reason of a server that has no room for a control."""
F32 = audio_pb2.AUDIO_ENCODING_PCM_F32LE


@dataclass
class Start:
    """A start that a client sent, and what followed it."""

    time: float
    start: api.Start
    answer: str = ""
    id: str = ""
    """The id of the session that it started or continued."""
    answered: float = 0.0
    """The time of `started`, or of the refusal. 0 if there was none."""
    first_index: int | None = None
    """`first_sample` of the first microphone audio."""
    first_value: int | None = None
    first_audio: float = 0.0
    ended: float = 0.0
    base: int | None = None
    """How the microphone counts in this session, apart from the index of the sample."""
    breaks: list[str] = field(default_factory=list)
    """Places at which the samples do not follow each other as their indexes say."""
    ticket: int | None = None
    """The number of the session whose ticket a player has used, from 1 on. 0: there was no such session."""
    from_event: int | None = None
    """The first event that a watcher wants. None if it wants only new ones."""

    def check(self, first: int, values: np.ndarray) -> None:
        """Notes where samples do not follow each other: the microphone counts 1, 2, 3 and so on, and begins anew."""
        heard = np.flatnonzero(values)  # A client may add silence at the end.
        if not len(heard):
            return
        bases = (values[heard] - 1 - first - heard) % PERIOD
        base, wrong = int(bases[0]), np.flatnonzero(bases != bases[0])
        if len(wrong):
            self.breaks.append(f"within the chunk at {first}")
        if self.base is not None and self.base != base:
            self.breaks.append(f"before the chunk at {first}")
        self.base = base


class Session:
    """The state of a session, which outlives its connection."""

    def __init__(self, start: api.Start, window: float) -> None:
        self.start, self.window = start, window
        self.id = start.session_id or secrets.token_hex(8)
        self.token = secrets.token_bytes(16)
        self.format = start.inputs.microphone
        self.rate = self.format.sample_rate_hz
        self.size = (4 if self.format.encoding == F32 else 2) * self.format.channel_count
        self.is_real_time = start.pacing != api.PACING_MEDIA_CLOCK
        self.began, self.created = time.monotonic(), time.time_ns()
        self.position = 0
        self.output = bytearray()
        self.is_muted = start.muted
        self.generation = 0
        self.config = config_pb2.SessionConfig()
        self.config.CopyFrom(start.config)
        self.events: list[events_pb2.SessionEvent] = []
        self.lost_at: float | None = None

    @property
    def ticket(self) -> str:
        """The line with which another device joins the session."""
        return f"{self.id}:{self.token.hex()}\n"

    @property
    def is_gone(self) -> bool:
        return self.lost_at is not None and time.monotonic() - self.lost_at > self.window

    def samples(self, data: bytes) -> np.ndarray:
        """The first channel as integers of 16 bits."""
        if self.format.encoding == F32:
            values = np.rint(np.frombuffer(data, "<f4") * 32768)
        else:
            values = np.frombuffer(data, "<i2")
        return values[:: self.format.channel_count].astype(np.int64)

    def process(self, data: bytes) -> None:
        if self.is_muted:
            self.output += bytes(len(data))
        else:
            kind = "<f4" if self.format.encoding == F32 else "<i2"
            self.output += (-np.frombuffer(data, kind)).astype(kind).tobytes()
        self.position += len(data) // self.size

    def event(self, **values: Any) -> api.ProcessResponse:
        event = events_pb2.SessionEvent(
            event_id=len(self.events) + 1, microphone_sample=self.position, **values)
        self.events.append(event)
        return api.ProcessResponse(event=event)

    def mute(self, muted: bool, actor: str) -> api.ProcessResponse:
        self.is_muted = muted
        self.generation += 1
        state = events_pb2.MuteState(muted=muted, generation=self.generation, actor=actor)
        return self.event(mute_changed=events_pb2.MuteChanged(state=state))

    @property
    def resolved(self) -> config_pb2.SessionConfig:
        """The settings with all stages, as the real server tells them."""
        config = config_pb2.SessionConfig()
        config.CopyFrom(self.config)
        stages = config.voice_processing
        if not stages.HasField("noise_suppression"):
            stages.noise_suppression.enabled = True
            stages.noise_suppression.level = 4 if config.preferred_mic_mode == 2 else 2
        return config


class Call:
    """One `Process` call: what waits to be sent, and when."""

    def __init__(
        self, server: Server, context: Any, session: Session, record: Start, answer: dict
    ) -> None:
        self.server, self.context, self.session, self.record = server, context, session, record
        self.answer = answer
        """How the start is answered."""
        self.sent = 0
        self.waiting: asyncio.Queue = asyncio.Queue()
        self.has_finished = False
        self.end: tuple | None = None
        self.expected: int | None = None

    def add(self, response: api.ProcessResponse | bytes) -> None:
        self.waiting.put_nowait((0.0, response))

    def add_output(self) -> None:
        """Queues complete chunks of the output, each for its time."""
        session = self.session
        chunk = session.start.outputs.chunk_duration
        duration = self.server.piece or chunk.seconds + chunk.nanos / 1e9 or 0.01
        step = round(duration * session.rate)
        while session.position - self.sent >= step or (self.has_finished and self.sent < session.position):
            end = min(self.sent + step, session.position)
            due = 0.0
            if session.is_real_time or self.server.vector.get("slowly"):
                due = session.began + end / session.rate - AHEAD
            if self.server.lost_output > 0:
                self.server.lost_output -= (end - self.sent) / session.rate
            else:
                self._queue(self.sent, end, due + self.server.late if due else 0.0)
                if self.server.repeats:
                    self._queue(self.sent, end, 0.0)
            self.sent = end

    def add_early(self, count: int) -> None:
        """Queues the output of samples that the client has not sent yet. The server knows how they count."""
        session, ahead = self.session, self.session.position
        values = 1 + (self.record.base + np.arange(ahead, ahead + count)) % PERIOD
        kind, scale = ("<f4", 32768) if session.format.encoding == F32 else ("<i2", 1)
        data = np.repeat(-values / scale, session.format.channel_count).astype(kind).tobytes()
        step = session.rate // 50
        for first in range(0, count, step):
            response = api.ProcessResponse()
            response.audio.processed.first_sample = ahead + first
            response.audio.processed.samples = data[first * session.size: (first + step) * session.size]
            self.add(response)

    def _queue(self, first: int, end: int, due: float) -> None:
        session = self.session
        if self.server.late:
            due = max(due, time.monotonic() + self.server.late)
        response = api.ProcessResponse()
        response.audio.processed.first_sample = first
        response.audio.processed.samples = bytes(session.output[first * session.size: end * session.size])
        for _ in range(0, end - first, max(1, session.rate // 100)):
            response.audio.frames.add(speech_probability=0.5, muted=session.is_muted)
        self.waiting.put_nowait((due, response))

    async def write_all(self) -> None:
        while True:
            due, response = await self.waiting.get()
            if response is None:
                return
            if (pause := due - time.monotonic()) > 0:
                await asyncio.sleep(pause)
            if self.end is not None:  # The rest of the queue is lost.
                return
            await self.context.write(response if isinstance(response, bytes) else response.SerializeToString())

    async def read_all(self) -> None:
        while True:
            request = await self.context.read()
            if request is grpc.aio.EOF:
                self.has_finished = True
                self.add_output()
                return self.end_in_order(events_pb2.SessionEnded.REASON_CLIENT_CLOSED)
            kind = request.WhichOneof("request")
            if kind == "audio":
                self._hear(request.audio.microphone)
                if self.server.answers_audio:
                    self.add_output()
            elif kind == "control":
                self.server.controls.append((time.monotonic(), request.control))
                if self.server.answers_controls:
                    self._control(request.control)

    def _hear(self, chunk: audio_pb2.AudioChunk) -> None:
        session, record = self.session, self.record
        values = session.samples(chunk.samples)
        if not len(values):
            return
        first = chunk.first_sample
        if record.first_index is None:
            record.first_index, record.first_value, record.first_audio = first, int(values[0]), time.monotonic()
        record.check(first, values)
        if first > session.position:  # As long as a gap: silence.
            session.process(bytes((first - session.position) * session.size))
        known = max(0, session.position - first)
        session.process(chunk.samples[known * session.size:])

    @property
    def heard(self) -> int | None:
        """The end of the audio that has come, as the microphone counts it from 0 on. None before the first audio."""
        bases = [each.base for each in self.server.starts if each.id == self.session.id and each.base is not None]
        return (bases[-1] + self.session.position) % PERIOD if bases else None

    def _control(self, control: api.Control) -> None:
        if control.HasField("set_mute") and not control.set_mute.muted:
            self.server.unmutes.append(self.heard)
        result = api.ControlResult(control_id=control.control_id, applied_at_sample=self.session.position)
        if self.server.refuses_a_control():
            result.refusal.code, result.refusal.reason = grpc.StatusCode.RESOURCE_EXHAUSTED.value[0], TOO_MANY_CONTROLS
            self.add(api.ProcessResponse(control_result=result))
            return
        self.add(api.ProcessResponse(control_result=result))
        if control.HasField("set_mute") and control.set_mute.muted != self.session.is_muted:
            self.add(self.session.mute(control.set_mute.muted, "client"))

    def add_odd_answers(self) -> None:
        """Queues answers that no server should send: nothing, half a sample, and indexes far away."""
        odd = [api.ProcessResponse() for _ in range(4)]
        odd[1].audio.processed.samples = b"\1"
        odd[2].audio.processed.first_sample = -(1 << 40)
        odd[2].audio.processed.samples = bytes(640)
        odd[3].control_result.control_id = 1 << 60
        for response in odd:
            self.add(response)

    def end_in_order(self, reason: events_pb2.SessionEnded.Reason) -> None:
        """Ends the call with OK, after everything that waits."""
        self.add(self.session.event(session_ended=events_pb2.SessionEnded(reason=reason)))
        self.waiting.put_nowait((0.0, None))

    def started(self) -> api.ProcessResponse:
        """The answer to the start. The output then continues where the client wants it."""
        session, start = self.session, self.record.start
        response = api.ProcessResponse()
        started = response.started
        started.session = f"sessions/{session.id}"
        started.config.CopyFrom(session.resolved)
        started.mute.muted, started.mute.generation = session.is_muted, session.generation
        started.inputs.CopyFrom(start.inputs)
        started.outputs.CopyFrom(start.outputs)
        started.outputs.processed.CopyFrom(session.format)
        started.algorithmic_delay.nanos = 0
        started.engine.name = "conformance"
        started.resume_token = session.token
        started.resume_window.nanos = round(session.window * 1e9) % 10**9
        started.resume_window.seconds = int(session.window)
        if start.resume_token:
            point, resumed = start.resume_point, started.resumed
            before = session.position
            if point.HasField("microphone_sample") and point.microphone_sample > before:
                session.process(bytes((point.microphone_sample - before) * session.size))
            resumed.microphone_sample = session.position
            resumed.concealed_samples = session.position - before
            wanted = point.processed_samples if point.HasField("processed_samples") else session.position
            oldest = max(0, before - round(KEPT * session.rate)) if session.is_real_time else 0
            self.sent = max(wanted, oldest)
            resumed.processed_sample, resumed.lost_samples = self.sent, self.sent - wanted
            resumed.microphone_sample += round(self.answer.get("ahead_ms", 0) * session.rate / 1000)
        for name, value in self.answer.get("processed", {}).items():
            setattr(started.outputs.processed, name, value)
        if "delay_ms" in self.answer:
            started.algorithmic_delay.FromMilliseconds(self.answer["delay_ms"])
        if self.answer.get("impossible"):
            far = (1 << 63) - 1
            started.algorithmic_delay.seconds = far
            started.resume_window.seconds = -far
            started.resumed.microphone_sample, started.resumed.processed_sample = -far, far
        return response

    @property
    def missed_events(self) -> list[events_pb2.SessionEvent]:
        point = self.record.start.resume_point
        return self.session.events[point.last_event_id:] if point.HasField("last_event_id") else []
