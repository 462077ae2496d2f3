"""The second connection: sees and controls the sessions of a server."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, AsyncIterator, Iterable, Mapping, Type, Union

import grpc

from . import _methods
from ._checks import check_flag, check_interval, check_number, check_sample, check_text
from ._convert import from_message, interval
from ._opus import Encoder
from ._start import checked_format, duration, field_named
from ._writing import finish, write
from .connection import Connection, connection_to
from .enums import (
    CaptureProblem, EchoReference, GestureOutcome, InjectionPermission, MicMode, SessionState, VoiceEnrollment,
)
from .events import AudioRoute, Event, MuteState, event_from
from .formats import Format, Samples
from .settings import Settings, config_of, mask_of
from .statistics import Statistics
from .v1 import audio_pb2, config_pb2, sessions_pb2 as api


@dataclass(frozen=True)
class SessionInfo:
    """The state of a session."""

    name: str
    create_time: datetime
    mute: MuteState
    active_mic_mode: MicMode
    voice_active: bool
    far_end_voice_active: bool
    muted_speech_active: bool
    injection_available: bool
    injection_permission: InjectionPermission
    """The permission of this client."""
    route: AudioRoute | None
    stats: Statistics | None
    """None unless from `get`."""
    labels: dict[str, str]
    last_event_id: int
    owner: str
    echo_reference: EchoReference
    state: SessionState
    playback_client: str
    """The client that plays the playback on another device. Empty if there is none."""
    client_host: str
    """The address of the media client, for clients with the scope `admin`. Otherwise empty."""
    problems: list[CaptureProblem]
    """The capture warnings that are active."""
    reduced: bool
    """Whether the engine runs without its most expensive part, because the server is overloaded."""
    echo_converged: bool | None
    """None while the echo is not cancelled, and until the reference has sounded for 2 s."""
    config: Any
    """A `SessionConfig` of anechoic.v1."""
    turn_active: bool = False
    """Whether the person at the microphone has the turn. False while turns are not detected."""
    voice_enrollment: VoiceEnrollment = VoiceEnrollment.UNSPECIFIED
    """The voice that the mic mode VOICE_ISOLATION keeps."""

    @property
    def id(self) -> str:
        return self.name.removeprefix("sessions/")


@dataclass(frozen=True, kw_only=True, eq=False)
class ChangedMute(MuteState):
    """The mute state after a change of this client. It equals the same state without the sample."""

    applied_at_sample: int
    """The sample of the microphone from which the state holds."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MuteState):
            return NotImplemented
        return all(getattr(self, each.name) == getattr(other, each.name) for each in fields(MuteState))

    __hash__ = MuteState.__hash__


@dataclass(frozen=True, kw_only=True)
class ChangedSession(SessionInfo):
    """The state of a session after a change of this client."""

    applied_at_sample: int
    """The sample of the microphone at which the settings were changed."""


@dataclass(frozen=True)
class EventGap:
    """Events that a watcher asked for are no longer kept. A `SessionInfo` follows."""

    oldest_event_id: int


@dataclass(frozen=True)
class Gesture:
    """The decision about a press of a mute button."""

    outcome: GestureOutcome
    state: MuteState
    chime_in_playback: bool


@dataclass(frozen=True)
class InjectionStatus:
    """All that a client needs to know of a session before it injects speech."""

    session: str
    """`sessions/ID`"""
    running: bool
    available: bool
    """Whether the server and the session accept injected speech and the microphone runs."""
    permission: InjectionPermission
    """The permission of this client."""


@dataclass(frozen=True)
class _Asked:
    permission: InjectionPermission


Watched = Union[SessionInfo, Event, Statistics, EventGap]


class Sessions:
    """The sessions of a server. Use it with `async with`. Ids are written with or without `sessions/`."""

    def __init__(self, server: str | Connection, *, client: str = "") -> None:
        """`client` is the name of this client, which others see, unless a `Connection` has one."""
        self._is_own = isinstance(server, str)
        self._connection = connection_to(server, client)

    async def __aenter__(self) -> Sessions:
        return self

    async def __aexit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_own:
            await self._connection.close()

    async def list(self) -> AsyncIterator[SessionInfo]:
        """Yields all sessions that this client may see."""
        request = api.ListSessionsRequest(page_size=100)
        while True:
            page = await self._connection.unary(_methods.LIST_SESSIONS, request)
            for session in page.sessions:
                yield _info(session)
            if page.next_page_token in ("", request.page_token):
                return
            request.page_token = page.next_page_token

    async def get(self, session: str) -> SessionInfo:
        """Returns the state of a session, with its statistics."""
        response = await self._unary(_methods.GET_SESSION, session)
        return _info(response.session)

    async def watch(
        self, session: str, *, from_event: int | None = None, statistics_interval: float = 0.0
    ) -> AsyncIterator[Watched]:
        """Yields the state, then each event, and statistics if asked for, until the session ends."""
        request = api.WatchSessionRequest(name=_name(session))
        if from_event is not None:
            with field_named("from_event"):
                request.from_event_id = from_event
        check_interval("statistics_interval", statistics_interval)
        if statistics_interval:
            request.stats_interval.CopyFrom(duration(statistics_interval))
        async for response in self._stream(_methods.WATCH_SESSION, request, _id(session)):
            item = _watched(response)
            if item is not None:
                yield item

    async def mute(
        self, session: str, *, if_generation: int | None = None, at_sample: int | None = None
    ) -> ChangedMute:
        """Mutes a session. With `if_generation`, only if nobody has changed the state since. With
        `at_sample`, at this sample of the microphone, and returns then. The result has the sample."""
        return await self._set_mute(session, True, if_generation, at_sample)

    async def unmute(
        self, session: str, *, if_generation: int | None = None, at_sample: int | None = None
    ) -> ChangedMute:
        """Unmutes a session, as `mute` does."""
        return await self._set_mute(session, False, if_generation, at_sample)

    async def configure(
        self, session: str, settings: Settings, *, at_sample: int | None = None
    ) -> ChangedSession:
        """Changes settings of a session. With `at_sample`, at this sample of the microphone, and returns
        then. The result has the sample."""
        request = api.UpdateSessionRequest(session=api.Session(name=_name(session), config=config_of(settings)))
        request.update_mask.CopyFrom(mask_of(settings, "config."))
        response = await self._change(_methods.UPDATE_SESSION, request, session, at_sample)
        return from_message(
            ChangedSession, response.session, config=response.session.config,
            applied_at_sample=response.applied_at_sample)

    async def label(self, session: str, labels: Mapping[str, str]) -> SessionInfo:
        """Replaces the labels of a session."""
        request = api.UpdateSessionRequest(session=api.Session(name=_name(session)))
        with field_named("labels"):
            request.session.labels.update(labels)
        request.update_mask.paths.append("labels")
        response = await self._connection.unary(_methods.UPDATE_SESSION, request, _id(session))
        return _info(response.session)

    async def gesture(
        self, session: str, *, muted: bool | None = None, gesture_id: str = "", timeout: float = 70.0
    ) -> Gesture:
        """Reports a press of a mute button, and waits for the decision. None toggles the state."""
        check_text("gesture_id", gesture_id)
        check_number("timeout", timeout, 0, 86400, " s")
        request = api.ReportMuteGestureRequest(name=_name(session), gesture_id=gesture_id or uuid.uuid4().hex)
        if muted is not None:
            check_flag("muted", muted)
            request.muted = muted
        response = await self._connection.unary(_methods.REPORT_MUTE_GESTURE, request, _id(session), timeout)
        return from_message(Gesture, response)

    async def injection(self, session: str) -> InjectionStatus:
        """Tells whether this client can speak into a session, without asking anybody."""
        response = await self._unary(_methods.GET_INJECTION_STATUS, session)
        return from_message(InjectionStatus, response.status)

    async def watch_injection(self, session: str = "") -> AsyncIterator[InjectionStatus]:
        """Yields the status of a session, which need not run yet, and each change of it. Does not end.

        Without a session: of all sessions that this client may know of.
        """
        request = api.WatchInjectionRequest(name=_name(session) if session else "")
        async for response in self._stream(_methods.WATCH_INJECTION, request, _id(session) if session else None):
            for status in response.statuses:
                yield from_message(InjectionStatus, status)

    async def ask_to_inject(self, session: str, usage: str) -> InjectionPermission:
        """Asks for permission to inject speech, and waits for the answer. `usage` is shown to the person."""
        check_text("usage", usage)
        request = api.RequestInjectionPermissionRequest(name=_name(session), usage_description=usage)
        method = _methods.REQUEST_INJECTION_PERMISSION
        response = await self._connection.unary(method, request, _id(session), None)
        return from_message(_Asked, response).permission

    async def say(self, session: str, text: str, *, voice: str = "", only_here: bool = False) -> timedelta:
        """Speaks a text into a session. Returns, once all of it was heard, how long that took.

        With `only_here`, the person at the device hears it, and the far end does not.
        """
        check_text("text", text)
        check_text("voice", voice)
        start = api.InjectionStart(name=_name(session), voice=voice, preferred_injection_mode=_mode(only_here))
        return await self._inject(session, start, [api.InjectSpeechRequest(text=text)])

    async def play(
        self, session: str, samples: Samples, format: Format, *, only_here: bool = False
    ) -> timedelta:
        """Plays audio into a session, as if at its microphone. Returns, once all was heard, how long that took.

        With `only_here`, the person at the device hears it, and the far end does not.
        """
        checked_format(format, "format")
        start = api.InjectionStart(
            name=_name(session), format=format._message(), preferred_injection_mode=_mode(only_here))
        data = bytes(format.to_bytes(samples, "samples"))
        count = format.rate // (50 if format.is_opus else 10)
        size = count * format.frame_bytes
        pieces = [data[first : first + size] for first in range(0, len(data), size)]
        if format.is_opus:
            encoder = Encoder(format, count)
            pieces = [encoder.encode(piece) for piece in pieces]
        audio = [api.InjectSpeechRequest(audio=audio_pb2.AudioChunk(samples=piece)) for piece in pieces]
        return await self._inject(session, start, audio)

    async def delete(self, session: str) -> None:
        """Ends a session."""
        await self._unary(_methods.DELETE_SESSION, session)

    async def _unary(self, method: _methods.Method, session: str) -> Any:
        return await self._connection.unary(method, method.request(name=_name(session)), _id(session))

    async def _stream(self, method: _methods.Method, request: Any, session: str | None) -> AsyncIterator[Any]:
        """Yields the responses of a call."""
        stream = await self._connection._begin(method, "unary_stream", request, session=session or "")
        try:
            async for response in stream:
                if response is None:  # grpc has logged why these bytes are no message.
                    raise self._connection.garbage()
                yield response
        except grpc.RpcError as failure:
            raise self._connection.error(failure) from None
        finally:
            stream.cancel()

    async def _change(
        self, method: _methods.Method, request: Any, session: str, at_sample: int | None
    ) -> Any:
        """Sends a change, and waits without a limit where it has a sample."""
        if at_sample is None:
            return await self._connection.unary(method, request, _id(session))
        check_sample("at_sample", at_sample)
        request.at_sample = at_sample
        return await self._connection.unary(method, request, _id(session), None)

    async def _set_mute(
        self, session: str, muted: bool, if_generation: int | None, at_sample: int | None
    ) -> ChangedMute:
        request = api.SetMuteRequest(name=_name(session), muted=muted)
        if if_generation is not None:
            with field_named("if_generation"):
                request.if_generation = if_generation
        response = await self._change(_methods.SET_MUTE, request, session, at_sample)
        return from_message(ChangedMute, response.state, applied_at_sample=response.applied_at_sample)

    async def _inject(
        self, session: str, start: api.InjectionStart, requests: Iterable[api.InjectSpeechRequest]
    ) -> timedelta:
        stream = await self._connection._begin(_methods.INJECT_SPEECH, "stream_unary", session=_id(session))
        try:
            for request in (api.InjectSpeechRequest(start=start), *requests):
                if not await write(stream, request):
                    break
            await finish(stream)
            response = await stream
        except grpc.RpcError as failure:
            raise self._connection.error(failure) from None
        finally:
            stream.cancel()
        if response is None:
            raise self._connection.garbage()
        return interval(response.injected)


def _id(session: str) -> str:
    check_text("session", session)
    return session.removeprefix("sessions/")


def _name(session: str) -> str:
    return f"sessions/{_id(session)}"


def _mode(only_here: bool) -> Any:
    check_flag("only_here", only_here)
    return config_pb2.INJECTION_MODE_NONE if only_here else config_pb2.INJECTION_MODE_SPOKEN_AUDIO


def _info(session: api.Session) -> SessionInfo:
    return from_message(SessionInfo, session, config=session.config)


def _watched(response: api.WatchSessionResponse) -> Watched | None:
    kind = response.WhichOneof("item")
    if kind == "snapshot":
        return _info(response.snapshot)
    if kind == "event":
        return event_from(response.event)
    if kind == "stats":
        return from_message(Statistics, response.stats)
    if kind == "gap":
        return EventGap(response.gap.oldest_event_id)
    return None
