"""A server that plays a vector against one client. It returns the microphone with the opposite sign."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from anechoic._version import __version__
from anechoic.rpc import error_details_pb2, status_pb2
from anechoic.v1 import audio_pb2, config_pb2, events_pb2, sessions_pb2, voice_processing_pb2 as api
from calls import TOO_MANY_CONTROLS, Call, Session, Start
from gate import Gate
from viewers import Join, Viewer

GARBAGE = b"\xff\xff\xff\xff garbage"
"""Bytes that are no message."""
HOSTED_RATE = 16000
"""The rate of the sessions of other media clients."""
TICKET = "ticket"
"""The file with the ticket of the newest session, in the folder of the output."""


class Server:
    """Plays the steps of a vector. `began` is the time of the client's first sample."""

    def __init__(self, vector: dict, folder: str) -> None:
        self.vector = vector
        self.folder = Path(folder)
        self.socket = f"{folder}/server.sock"
        self.gate = Gate(self.socket)
        self.starts: list[Start] = []
        self.second_gate = Gate(self.socket)
        """The network in front of a second server, which has the same sessions."""
        self.controls: list[tuple[float, api.Control]] = []
        self.unmutes: list[int | None] = []
        """The ends of the microphone's audio before each request to unmute, as `Call.heard` says."""
        self.losses: list[float] = []
        """The times at which connections were cut, or fell silent."""
        self.calls: list[Call | Viewer] = []
        self.hosted: list[Session] = []
        """The sessions of other media clients, in order: for clients that play or watch them."""
        self.sessions: dict[bytes, Session] = {}
        self.answers = [each for each in vector.get("answers", []) for _ in range(each.get("times", 1))]
        self.answers_audio = self.answers_controls = self.plays = True
        self.missed = ""
        """A step that had no effect, because the client had no session at its time."""
        self.refused_controls = 0
        """How many of the next controls are refused."""
        self.list_refusals: list[dict] = []
        """The statuses of the next answers to `ListSessions`."""
        self.late = self.piece = self.lost_output = 0.0
        self.repeats = False

    async def open(self) -> None:
        await self._listen()
        await self.gate.open()
        await self.second_gate.open()

    async def close(self) -> None:
        await self.gate.close()
        await self.second_gate.close()
        await self._stop()

    async def _listen(self) -> None:
        """Begins to serve calls at the socket."""
        self._server = grpc.aio.server(options=[("grpc.max_send_message_length", -1)])
        process = grpc.stream_stream_rpc_method_handler(
            self._process, request_deserializer=api.ProcessRequest.FromString, response_serializer=lambda data: data)
        join = grpc.unary_stream_rpc_method_handler(
            self._join, request_deserializer=api.JoinSessionRequest.FromString,
            response_serializer=lambda data: data)
        capabilities = grpc.unary_unary_rpc_method_handler(
            self._capabilities, request_deserializer=api.GetCapabilitiesRequest.FromString,
            response_serializer=api.GetCapabilitiesResponse.SerializeToString)
        service = grpc.method_handlers_generic_handler(
            "anechoic.v1.VoiceProcessingService",
            {"Process": process, "JoinSession": join, "GetCapabilities": capabilities})
        set_mute = grpc.unary_unary_rpc_method_handler(
            self._set_mute, request_deserializer=sessions_pb2.SetMuteRequest.FromString,
            response_serializer=sessions_pb2.SetMuteResponse.SerializeToString)
        sessions = grpc.method_handlers_generic_handler("anechoic.v1.SessionService", {"SetMute": set_mute})
        self._server.add_generic_rpc_handlers((service, sessions))
        self._server.add_insecure_port(f"unix:{self.socket}")
        await self._server.start()

    async def _stop(self) -> None:
        """Ends all calls."""
        await self._server.stop(0)

    def host(self, session_id: str) -> None:
        """Starts a session of another media client, and writes down how a device joins it."""
        start = api.Start(session_id=session_id)
        start.inputs.microphone.encoding = audio_pb2.AUDIO_ENCODING_PCM_S16LE
        start.inputs.microphone.sample_rate_hz, start.inputs.microphone.channel_count = HOSTED_RATE, 1
        session = Session(start, 0.0)
        self.sessions[session.token] = session
        self.hosted.append(session)
        self._write_ticket()

    def _write_ticket(self) -> None:
        """Replaces the ticket by that of the newest session."""
        (self.folder / "new-ticket").write_text(self.hosted[-1].ticket)
        (self.folder / "new-ticket").rename(self.folder / TICKET)

    async def play(self, began: float) -> None:
        """Performs the steps, each at its time after the client's first sample."""
        for step in self.vector.get("steps", []):
            await asyncio.sleep(max(0.0, began + step["at_ms"] / 1000 - time.monotonic()))
            self._do(step)

    def _do(self, step: dict) -> None:
        if step["do"] in ("mute", "unmute", "configure") and not self.sessions:
            self.missed = f"the step {step['do']!r} found no session"
        match step["do"]:
            case "cut":
                self._cut()
            case "go away":
                self.gate.accepts = False
                self._cut()
            case "refuse connections":
                self.gate.accepts = False
            case "say goodbye":
                self.gate.accepts, self.gate.says_goodbye = False, True
                self._cut()
            case "come back":
                self.gate.accepts = self.gate.forwards = True
                self.gate.says_goodbye = False
            case "fall silent":
                self.gate.fall_silent()
                self.losses.append(time.monotonic())
            case "forget the sessions":
                self.sessions.clear()
            case "end the call":
                for call in self.calls:
                    self._end(call, step)
                if step["code"] == "UNAVAILABLE":
                    self.sessions.clear()
            case "mute" | "unmute" as change:
                for session in self.sessions.values():
                    self._send(session, session.mute(change == "mute", "watcher"))
            case "configure":
                for session in self.sessions.values():
                    session.config.preferred_mic_mode = config_pb2.MicMode.Value(step["mic_mode"])
                    changed = events_pb2.ConfigChanged(config=session.resolved, actor="watcher")
                    self._send(session, session.event(config_changed=changed))
            case "start a session":
                self.host(step.get("id") or self.hosted[-1].id)
            case "touch the ticket":
                self._write_ticket()
            case "play nothing" | "play" as change:
                self.plays = change == "play"
            case "announce the drain":
                draining = events_pb2.Draining()
                draining.ends_in.seconds = 1
                for session in self.sessions.values():
                    self._send(session, session.event(draining=draining))
            case "ask to inject":
                asked = events_pb2.InjectionPermissionRequested(client="assistant", usage_description="News")
                for session in self.sessions.values():
                    self._send(session, session.event(injection_permission_requested=asked))
            case "ask to mute":
                gesture = events_pb2.MuteGestureRequested(gesture_id=f"press-{step['at_ms']}", proposed_muted=True)
                for session in self.sessions.values():
                    self._send(session, session.event(mute_gesture_requested=gesture))
            case "answer no controls":
                self.answers_controls = False
            case "answer controls":
                self.answers_controls = True
            case "refuse controls":
                self.refused_controls = step["times"]
            case "refuse the list":
                self.list_refusals += [step] * step["times"]
            case "end in order":
                for call in self.calls:
                    call.end_in_order(events_pb2.SessionEnded.REASON_DELETED)
                self.sessions.clear()
                self.losses.append(time.monotonic())
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
                    call.add(GARBAGE)
                self.losses.append(time.monotonic())
            case "send odd answers":
                for call in self.calls:
                    call.add_odd_answers()
            case "send impossible answers":
                for call in self.calls:
                    for response in impossible_answers(call.session):
                        call.add(response)
                self.losses.append(time.monotonic())
            case other:
                raise ValueError(f"{other}: there is no such step")

    def refuses_a_control(self) -> bool:
        """Whether a control that has come is refused because there are too many."""
        self.refused_controls -= 1
        return self.refused_controls >= 0

    def _cut(self) -> None:
        self.losses.append(time.monotonic())
        self.gate.cut()

    def _end(self, call: Call | Viewer, status: dict) -> None:
        call.end = self._status(status)
        call.waiting.put_nowait((0.0, None))
        self.losses.append(time.monotonic())

    def _send(self, session: Session, response: api.ProcessResponse) -> None:
        for call in self.calls:
            if call.session is session:
                call.add(response)

    async def _capabilities(self, _: Any, __: Any) -> api.GetCapabilitiesResponse:
        return api.GetCapabilitiesResponse(version=__version__)

    async def _set_mute(self, request: sessions_pb2.SetMuteRequest, context: Any) -> sessions_pb2.SetMuteResponse:
        session = await self._session(request.name, context)
        self.controls.append((time.monotonic(), api.Control(set_mute=api.SetMute(muted=request.muted))))
        if self.refuses_a_control():
            await self._abort(context, self._status({"code": "RESOURCE_EXHAUSTED", "reason": TOO_MANY_CONTROLS}))
        if not self.answers_controls:
            await asyncio.sleep(60)
        if session.is_muted != request.muted:
            self._send(session, session.mute(request.muted, "client"))
        state = events_pb2.MuteState(muted=session.is_muted, generation=session.generation, actor="client")
        return sessions_pb2.SetMuteResponse(state=state)

    async def _session(self, name: str, context: Any) -> Session:
        """Returns the session with a name. Ends the call if there is none."""
        session = next((each for each in self.sessions.values() if f"sessions/{each.id}" == name), None)
        if session is None:
            await self._abort(context, self._status({"code": "NOT_FOUND", "reason": "SESSION_NOT_FOUND"}))
        return session

    async def _process(self, _: Any, context: Any) -> None:
        request = await context.read()
        if request is grpc.aio.EOF or not request.HasField("start"):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the first request is not start")
        record = Start(time.monotonic(), request.start)
        answer = await self._answer(record, context)
        if request.start.resume_token:
            session = self.sessions.get(request.start.resume_token)
            if session is None or session.is_gone:
                await self._refuse_token(record, context, "RESUME_TOKEN_UNKNOWN")
        else:
            session = Session(request.start, self.vector.get("resume_window_ms", 10_000) / 1000)
            self.sessions[session.token] = session
        await self._run(Call(self, context, session, record, answer), answer)

    async def _join(self, request: api.JoinSessionRequest, context: Any) -> None:
        tokens = [each.token for each in self.hosted]
        record = Start(time.monotonic(), api.Start())
        record.ticket = tokens.index(request.token) + 1 if request.token in tokens else 0
        answer = await self._answer(record, context)
        if request.token not in self.sessions:
            await self._refuse_token(record, context, "JOIN_TOKEN_UNKNOWN")
        await self._show(Join(self, context, self.sessions[request.token], record, answer))

    async def _answer(self, record: Start, context: Any) -> dict:
        """Answers a start as the vector says. Returns the answer if it accepts the start."""
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
        if record.answer == "garbage":
            await context.write(GARBAGE)
            record.answered = time.monotonic()
            await asyncio.sleep(60)
        return answer

    async def _refuse_token(self, record: Start, context: Any, reason: str) -> None:
        record.answered, record.answer = time.monotonic(), "unknown token"
        await self._abort(context, self._status({"code": "NOT_FOUND", "reason": reason}))

    async def _show(self, viewer: Viewer) -> None:
        """Serves a client that has no microphone until its call ends."""
        self.calls = [viewer]
        viewer.record.id, viewer.record.answered = viewer.session.id, time.monotonic()
        ending = asyncio.create_task(self._then(viewer, viewer.answer))
        try:
            await viewer.run()
            if viewer.end is not None:
                await self._abort(viewer.context, viewer.end)
        finally:
            ending.cancel()
            viewer.record.ended = time.monotonic()
            self.calls = [each for each in self.calls if each is not viewer]

    async def _then(self, call: Call | Viewer, answer: dict) -> None:
        """Ends a call that has just begun, if its answer says so."""
        if "then" not in answer:
            return
        await asyncio.sleep(answer.get("then_after_ms", 50) / 1000)
        if isinstance(call, Call):
            self.sessions.clear()  # A session without audio does not outlive its connection.
        if answer["then"] == "cut":
            self._cut()
        else:
            self._end(call, answer["then"])

    async def _run(self, call: Call, answer: dict) -> None:
        session = call.session
        session.lost_at = None
        call.record.id = session.id
        self.calls = [call]
        tasks = []
        try:
            call.add(call.started())
            for event in call.missed_events:
                call.add(api.ProcessResponse(event=event))
            call.add_output()
            call.record.answered = time.monotonic()
            tasks = [asyncio.create_task(call.write_all()), asyncio.create_task(call.read_all())]
            await self._then(call, answer)
            await tasks[0]
            if call.end is not None:
                await self._abort(call.context, call.end)
            self.sessions.pop(session.token, None)
        finally:
            session.lost_at = call.record.ended = time.monotonic()
            self.calls = [each for each in self.calls if each is not call]
            for task in tasks:
                task.cancel()

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


def huge_answer() -> bytes:
    """An answer of 65 MiB, which is more than any client accepts."""
    response = api.ProcessResponse()
    response.audio.processed.samples = bytes(65 << 20)
    return response.SerializeToString()


def impossible_answers(session: Session) -> list[api.ProcessResponse]:
    """Answers with numbers that no session can have reached, and samples that are no numbers."""
    answers = []
    for index in (-(1 << 63), (1 << 63) - 1):
        audio, event, result = (api.ProcessResponse() for _ in range(3))
        audio.audio.processed.first_sample = index
        audio.audio.processed.samples = bytes(20 * session.size)
        event.event.microphone_sample = index
        event.event.discontinuity.missing_samples = index
        result.control_result.applied_at_sample = index
        answers += [audio, event, result]
    no_numbers = api.ProcessResponse()
    no_numbers.audio.processed.first_sample = session.position
    no_numbers.audio.processed.samples = b"\x00\x00\xc0\x7f" * (5 * session.size)
    return [no_numbers, *answers]
