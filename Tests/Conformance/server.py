"""A server that plays a vector against one client. It returns the microphone with the opposite sign."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio
import numpy as np
from anechoic.rpc import error_details_pb2, status_pb2
from anechoic.v1 import audio_pb2, config_pb2, events_pb2, voice_processing_pb2 as api
from gate import Gate

AHEAD = 0.5  # seconds by which input in real time may be ahead of the session's clock, as for the real server
KEPT = 0.5  # seconds of output that a session keeps for a client that resumes
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
        self.began = time.monotonic()
        self.position = 0
        self.output = bytearray()
        self.is_muted = start.muted
        self.generation = 0
        self.config = config_pb2.SessionConfig()
        self.config.CopyFrom(start.config)
        self.events: list[events_pb2.SessionEvent] = []
        self.lost_at: float | None = None

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


class Call:
    """One `Process` call: what waits to be sent, and when."""

    def __init__(self, server: Server, context: Any, session: Session, record: Start) -> None:
        self.server, self.context, self.session, self.record = server, context, session, record
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
            await self.context.write(response if isinstance(response, bytes) else response.SerializeToString())

    async def read_all(self) -> None:
        while True:
            request = await self.context.read()
            if request is grpc.aio.EOF:
                self.has_finished = True
                self.add_output()
                self.add(self.session.event(session_ended=events_pb2.SessionEnded(reason=1)))
                self.waiting.put_nowait((0.0, None))
                return
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
        self.server.check_samples(record, session, first, values)
        if first > session.position:  # As long as a gap: silence.
            session.process(bytes((first - session.position) * session.size))
        known = max(0, session.position - first)
        session.process(chunk.samples[known * session.size:])

    def _control(self, control: api.Control) -> None:
        result = api.ControlResult(control_id=control.control_id, applied_at_sample=self.session.position)
        self.add(api.ProcessResponse(control_result=result))
        if control.HasField("set_mute") and control.set_mute.muted != self.session.is_muted:
            self.add(self.session.mute(control.set_mute.muted, "client"))


class Server:
    """Plays the steps of a vector. `began` is the time of the client's first sample."""

    def __init__(self, vector: dict, folder: str) -> None:
        self.vector = vector
        self.socket = f"{folder}/server.sock"
        self.gate = Gate(self.socket)
        self.starts: list[Start] = []
        self.controls: list[tuple[float, api.Control]] = []
        self.losses: list[float] = []
        """The times at which connections were cut, or fell silent."""
        self.calls: list[Call] = []
        self.sessions: dict[bytes, Session] = {}
        self.answers = [each for each in vector.get("answers", []) for _ in range(each.get("times", 1))]
        self.answers_audio = self.answers_controls = True
        self.late = self.piece = self.lost_output = 0.0
        self.repeats = False

    async def open(self) -> None:
        self._server = grpc.aio.server(options=[("grpc.max_send_message_length", -1)])
        handler = grpc.stream_stream_rpc_method_handler(
            self._process, request_deserializer=api.ProcessRequest.FromString, response_serializer=lambda data: data)
        service = grpc.method_handlers_generic_handler(
            "anechoic.v1.VoiceProcessingService", {"Process": handler})
        self._server.add_generic_rpc_handlers((service,))
        self._server.add_insecure_port(f"unix:{self.socket}")
        await self._server.start()
        await self.gate.open()

    async def close(self) -> None:
        await self.gate.close()
        await self._server.stop(0)

    async def play(self, began: float) -> None:
        """Performs the steps, each at its time after the client's first sample."""
        for step in self.vector.get("steps", []):
            await asyncio.sleep(max(0.0, began + step["at_ms"] / 1000 - time.monotonic()))
            self._do(step)

    def _do(self, step: dict) -> None:
        match step["do"]:
            case "cut":
                self._cut()
            case "go away":
                self.gate.accepts = False
                self._cut()
            case "refuse connections":
                self.gate.accepts = False
            case "come back":
                self.gate.accepts = self.gate.forwards = True
            case "fall silent":
                self.gate.fall_silent()
                self.losses.append(time.monotonic())
            case "forget the sessions":
                self.sessions.clear()
            case "end the call":
                for call in self.calls:
                    call.end = self._status(step)
                    call.waiting.put_nowait((0.0, None))
                self.losses.append(time.monotonic())
                if step["code"] == "UNAVAILABLE":
                    self.sessions.clear()
            case "mute" | "unmute" as change:
                for session in self.sessions.values():
                    self._send(session, session.mute(change == "mute", "watcher"))
            case "configure":
                for session in self.sessions.values():
                    session.config.preferred_mic_mode = config_pb2.MicMode.Value(step["mic_mode"])
                    changed = events_pb2.ConfigChanged(config=self._resolved(session), actor="watcher")
                    self._send(session, session.event(config_changed=changed))
            case "announce the drain":
                draining = events_pb2.Draining()
                draining.ends_in.seconds = 1
                for session in self.sessions.values():
                    self._send(session, session.event(draining=draining))
            case "answer no controls":
                self.answers_controls = False
            case "answer late":
                self.late = step["ms"] / 1000
            case "answer in pieces":
                self.piece = step["ms"] / 1000
            case "lose output":
                self.lost_output = step["ms"] / 1000
            case "repeat output":
                self.repeats = step.get("on", True)
            case "answer early":
                for call in self.calls:
                    call.add_early(round(step["ms"] * call.session.rate / 1000))
            case "send a huge answer":
                for call in self.calls:
                    call.add(huge_answer())
                self.losses.append(time.monotonic())
            case "send garbage":
                for call in self.calls:
                    call.add(b"\xff\xff\xff\xff garbage")
                self.losses.append(time.monotonic())
            case "send odd answers":
                for call in self.calls:
                    for response in odd_answers():
                        call.add(response)
            case other:
                raise ValueError(f"{other}: there is no such step")

    def _cut(self) -> None:
        self.losses.append(time.monotonic())
        self.gate.cut()

    def _send(self, session: Session, response: api.ProcessResponse) -> None:
        for call in self.calls:
            if call.session is session:
                call.add(response)

    @staticmethod
    def _resolved(session: Session) -> config_pb2.SessionConfig:
        """The settings with all stages, as the real server tells them."""
        config = config_pb2.SessionConfig()
        config.CopyFrom(session.config)
        stages = config.voice_processing
        if not stages.HasField("noise_suppression"):
            stages.noise_suppression.enabled = True
            stages.noise_suppression.level = 4 if config.preferred_mic_mode == 2 else 2
        return config

    async def _process(self, _: Any, context: Any) -> None:
        request = await context.read()
        if request is grpc.aio.EOF or not request.HasField("start"):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the first request is not start")
        record = Start(time.monotonic(), request.start)
        self.starts.append(record)
        answer = self.answers.pop(0) if self.answers else {"answer": "accept"}
        if not self.answers and self.vector.get("answers_repeat"):
            self.answers.append(answer)
        record.answer = answer["answer"]
        await asyncio.sleep(answer.get("after_ms", 0) / 1000)
        if record.answer == "lose":
            self._cut()
        if record.answer in ("lose", "ignore"):
            await asyncio.sleep(60)
        if record.answer == "refuse":
            record.answered = time.monotonic()
            await self._abort(context, self._status(answer))
        if request.start.resume_token:
            session = self.sessions.get(request.start.resume_token)
            if session is None or session.is_gone:
                record.answered, record.answer = time.monotonic(), "unknown token"
                await self._abort(context, self._status({"code": "NOT_FOUND", "reason": "RESUME_TOKEN_UNKNOWN"}))
        else:
            session = Session(request.start, self.vector.get("resume_window_ms", 10_000) / 1000)
            self.sessions[session.token] = session
        await self._run(Call(self, context, session, record), answer)

    async def _run(self, call: Call, answer: dict) -> None:
        session = call.session
        session.lost_at = None
        call.record.id = session.id
        self.calls = [call]
        tasks = []
        try:
            call.add(self._started(call))
            for event in self._missed_events(call):
                call.add(api.ProcessResponse(event=event))
            call.add_output()
            call.record.answered = time.monotonic()
            tasks = [asyncio.create_task(call.write_all()), asyncio.create_task(call.read_all())]
            if answer.get("then") == "cut":
                await asyncio.sleep(0.05)
                self.sessions.clear()  # A session without audio does not outlive its connection.
                self._cut()
            await tasks[0]
            if call.end is not None:
                await self._abort(call.context, call.end)
            self.sessions.pop(session.token, None)
        finally:
            session.lost_at = call.record.ended = time.monotonic()
            self.calls = [each for each in self.calls if each is not call]
            for task in tasks:
                task.cancel()

    def _started(self, call: Call) -> api.ProcessResponse:
        session, start = call.session, call.record.start
        response = api.ProcessResponse()
        started = response.started
        started.session = f"sessions/{session.id}"
        started.config.CopyFrom(self._resolved(session))
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
            call.sent = max(wanted, oldest)
            resumed.processed_sample, resumed.lost_samples = call.sent, call.sent - wanted
        return response

    @staticmethod
    def _missed_events(call: Call) -> list[events_pb2.SessionEvent]:
        point = call.record.start.resume_point
        return call.session.events[point.last_event_id:] if point.HasField("last_event_id") else []

    def check_samples(self, record: Start, session: Session, first: int, values: np.ndarray) -> None:
        """Notes where samples do not follow each other: the microphone counts 1, 2, 3 and so on, and begins anew."""
        heard = np.flatnonzero(values)  # A client may add silence at the end.
        if not len(heard):
            return
        bases = (values[heard] - 1 - first - heard) % PERIOD
        base, wrong = int(bases[0]), np.flatnonzero(bases != bases[0])
        if len(wrong):
            record.breaks.append(f"within the chunk at {first}")
        if record.base is not None and record.base != base:
            record.breaks.append(f"before the chunk at {first}")
        record.base = base

    @staticmethod
    def _status(values: dict) -> tuple:
        code, reason = values["code"], values.get("reason", "")
        status = status_pb2.Status(code=grpc.StatusCode[code].value[0], message=reason)
        if reason:
            _pack(status, "ErrorInfo", error_details_pb2.ErrorInfo(reason=reason, domain="anechoic"))
        if "retry_after_ms" in values:
            info = error_details_pb2.RetryInfo()
            info.retry_delay.FromMilliseconds(values["retry_after_ms"])
            _pack(status, "RetryInfo", info)
        return grpc.StatusCode[code], reason, status.SerializeToString() if status.details else None

    @staticmethod
    async def _abort(context: Any, status: tuple) -> None:
        code, message, details = status
        trailing = (("grpc-status-details-bin", details),) if details else ()
        await context.abort(code, message, trailing)


def _pack(status: status_pb2.Status, name: str, message: Any) -> None:
    # The package has its own copy of these messages, which has another name.
    status.details.add(type_url=f"type.googleapis.com/google.rpc.{name}", value=message.SerializeToString())


PERIOD = 30000
"""The microphone of a client counts from 1 to this number, and begins anew."""


def huge_answer() -> bytes:
    """An answer of 65 MiB, which is more than any client accepts."""
    response = api.ProcessResponse()
    response.audio.processed.samples = bytes(65 << 20)
    return response.SerializeToString()


def odd_answers() -> list[api.ProcessResponse]:
    """Answers that no server should send: nothing, half a sample, indexes far away, a second `started`."""
    odd = [api.ProcessResponse() for _ in range(4)]
    odd[1].audio.processed.samples = b"\1"
    odd[2].audio.processed.first_sample = -(1 << 40)
    odd[2].audio.processed.samples = bytes(640)
    odd[3].control_result.control_id = 1 << 60
    return odd
