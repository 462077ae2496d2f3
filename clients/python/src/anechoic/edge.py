"""The call of this machine, at its edge agent."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, AsyncIterable, AsyncIterator, Tuple, Type

import grpc

from . import _methods
from ._checks import check_flag, check_iterable, check_path, check_text
from ._credentials import StrPath
from ._reports import pose_message
from ._start import checked_format, field_named
from ._within import watched
from ._writing import finish, write
from .connection import Connection
from .enums import EnrollmentFailure, PolarPattern, VoiceEnrollment
from .errors import AnechoicError, InvalidRequest
from .formats import Audio, Format
from .spatial import Source
from .v1 import edge_pb2 as api

_FILE = "anechoic-edge/control.sock"
_HOLD_SECONDS = 1.0
"""The time before a call that was lost is held again."""


@dataclass(frozen=True)
class CallState:
    """The call of a machine. Between calls the agent has no session, and its devices are closed."""

    active: bool
    begin_time: datetime | None
    """None between calls."""
    holders: tuple[str, ...]
    """The programs that asked for the call."""


@dataclass(frozen=True)
class InjectionRequest:
    """A client that asks to speak into the call."""

    client: str
    usage_description: str


@dataclass(frozen=True)
class KeptVoice:
    """The voice that VOICE_ISOLATION keeps at a machine."""

    enrollment: VoiceEnrollment
    failure: EnrollmentFailure
    """Why the last enrollment ended without a voice. UNSPECIFIED if it did not."""
    problem: str
    """What is wrong with the voice, such as a file that cannot be written. Empty if nothing is."""


class EdgeAgent:
    """The edge agent of this machine. Use it with `async with`."""

    def __init__(self, socket: StrPath | None = None) -> None:
        """`socket` is the agent's control socket. None finds that of this user's agent, or of the service."""
        self._socket = None if socket is None else os.fspath(check_path("socket", socket))
        if self._socket == "":
            raise InvalidRequest("socket: the path of a socket must not be empty", field="socket")
        self._connections: dict[str, Connection] = {}

    async def __aenter__(self) -> EdgeAgent:
        return self

    async def __aexit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection in self._connections.values():
            await connection.close()

    @property
    def _connection(self) -> Connection:
        """The connection to the agent. Without a given socket, an agent that starts may have another one."""
        path = _default_socket() if self._socket is None else self._socket
        if path not in self._connections:
            self._connections[path] = Connection(f"unix:{path}")
        return self._connections[path]

    async def call(self) -> CallState:
        """Returns the call of this machine."""
        response = await self._connection.unary(_methods.GET_EDGE_STATUS, api.GetEdgeStatusRequest())
        return _state(response.status.call)

    async def begin_call(self, holder: str) -> CallState:
        """Begins a call, or becomes another holder of the one that runs. It lasts until `end_call`."""
        check_text("holder", holder)
        return _state((await self._connection.unary(_methods.BEGIN_CALL, api.BeginCallRequest(holder=holder))).call)

    async def end_call(self, holder: str = "") -> CallState:
        """Takes `begin_call` back, for all holders if none is named."""
        check_text("holder", holder)
        return _state((await self._connection.unary(_methods.END_CALL, api.EndCallRequest(holder=holder))).call)

    async def injection_requests(self) -> list[InjectionRequest]:
        """Returns the clients that wait for permission to speak into the call."""
        response = await self._connection.unary(_methods.GET_EDGE_STATUS, api.GetEdgeStatusRequest())
        return [InjectionRequest(item.client, item.usage_description) for item in response.status.injection_requests]

    async def decide_injection(self, client: str, permit: bool) -> None:
        """Permits or refuses a client that asks to speak into calls of this machine, also anew or before it asks."""
        check_text("client", client)
        check_flag("permit", permit)
        request = api.DecideInjectionRequest(client=client, grant=permit)
        await self._connection.unary(_methods.DECIDE_INJECTION, request)

    async def kept_voice(self) -> KeptVoice:
        """Returns the voice that VOICE_ISOLATION keeps."""
        response = await self._connection.unary(_methods.GET_EDGE_STATUS, api.GetEdgeStatusRequest())
        return _kept(response.status.voice)

    async def enroll_voice(self) -> KeptVoice:
        """Learns the voice at the microphone, 3 s of it, and keeps it. `kept_voice` tells how it goes.

        Raises `Refused` while no session runs on a server.
        """
        response = await self._connection.unary(_methods.ENROLL_VOICE, api.EnrollVoiceRequest())
        return _kept(response.status.voice)

    async def forget_voice(self) -> KeptVoice:
        """Forgets the voice, and deletes the file of `session.voiceprint`. Then the nearest voice is kept."""
        response = await self._connection.unary(_methods.FORGET_VOICE, api.ForgetVoiceRequest())
        return _kept(response.status.voice)

    async def set_up_microphone(self, pattern: PolarPattern | None, *, turned: bool = False) -> None:
        """Sets up the two microphones of the port in use, until the agent stops. None: each one is a channel."""
        check_flag("turned", turned)
        request = api.SetUpMicrophoneRequest(turned=turned)
        if pattern is not None:
            with field_named("pattern"):
                request.pattern = PolarPattern(pattern).value  # type: ignore[assignment]
        await self._connection.unary(_methods.SET_UP_MICROPHONE, request)

    async def turn_head(self, poses: AsyncIterable[Tuple[float, float, float]]) -> None:
        """Turns the listener's head with each (yaw, pitch, roll) in degrees, until there are no more.

        For sessions with `spatial_audio.head_tracked`.
        """
        check_iterable("poses", poses)
        connection = self._connection
        stream = await connection._begin(_methods.TURN_HEAD, "stream_unary")
        try:
            async for pose in poses:
                if not await write(stream, api.TurnHeadRequest(pose=pose_message(pose, None, None))):
                    break
            await finish(stream)
            await stream
        except grpc.RpcError as failure:
            raise connection.error(failure) from None
        finally:
            stream.cancel()

    async def play_far_end(
        self, name: str, format: Format, samples: AsyncIterable[Audio | Source], *, place: Source | None = None,
    ) -> int:
        """Plays sound to the person as a far end of its own, until there is no more. Returns the number of samples.

        - name: That of one of `programs.far_ends`, or any other if `programs.spare_far_ends` has room.
        - samples: Pieces of up to 1 s, in the format. A `Source` among them moves the far end.
        - place: Where it is heard with spatial audio. None: its place in `programs.far_ends`, or straight ahead.

        The agent takes samples at the pace of the microphone. Raises `AlreadyExists` if a program plays this far
        end, and `Overloaded` if there is no room for another one.
        """
        check_text("name", name)
        check_iterable("samples", samples)
        if checked_format(format, "format").is_opus:
            raise InvalidRequest("format: a far end at the agent is not Opus", field="format")
        start = api.PlayFarEndRequest.Start(name=name, format=format._message())
        if place is not None:
            if not isinstance(place, Source):
                raise InvalidRequest(f"place: {place!r} is not a place; use Source(…)", field="place")
            start.place.CopyFrom(place._message())
        connection = self._connection
        stream = await connection._begin(_methods.PLAY_FAR_END, "stream_unary")
        try:
            if await write(stream, api.PlayFarEndRequest(start=start)):
                async for piece in samples:
                    if not await write(stream, _piece(piece, format)):
                        break
            await finish(stream)
            return int((await stream).samples)
        except grpc.RpcError as failure:
            raise connection.error(failure) from None
        finally:
            stream.cancel()

    @asynccontextmanager
    async def hold_call(self, holder: str) -> AsyncIterator[None]:
        """Holds a call while the block runs. A program that dies ends its call.

        If the agent goes away, such as for an update, it is asked again every second.
        """
        check_text("holder", holder)
        holding = watched(self._keep_holding(holder, await self._hold(holder)))
        try:
            yield
        finally:
            holding.cancel()
            await asyncio.wait([holding])

    async def _hold(self, holder: str) -> Any:
        """Returns a stream that holds a call until it is cancelled."""
        request = api.HoldCallRequest(holder=holder)
        connection = self._connection
        stream = await connection._begin(_methods.HOLD_CALL, "unary_stream", request)
        try:
            if await stream.read() is None:
                raise connection.garbage()
        except grpc.RpcError as failure:
            raise connection.error(failure) from None
        except BaseException:
            stream.cancel()
            raise
        return stream

    async def _keep_holding(self, holder: str, stream: Any) -> None:
        while True:
            try:
                while await stream.read() not in (None, grpc.aio.EOF):
                    pass
            except grpc.RpcError:
                pass
            finally:
                stream.cancel()
            stream = await self._hold_again(holder)

    async def _hold_again(self, holder: str) -> Any:
        while True:
            await asyncio.sleep(_HOLD_SECONDS)
            try:
                return await self._hold(holder)
            except AnechoicError:
                pass


def _piece(piece: Audio | Source, format: Format) -> api.PlayFarEndRequest:
    if isinstance(piece, Source):
        return api.PlayFarEndRequest(place=piece._message())
    return api.PlayFarEndRequest(samples=bytes(format.to_bytes(piece, "samples")))


def _default_sockets() -> list[str]:
    """Returns the paths at which an agent may listen: that of this user, then that of the service."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folders = [runtime] if runtime.startswith("/") else []
    own = [f"{folder}/{_FILE}" for folder in folders] + [f"/tmp/anechoic-edge-{os.geteuid()}/control.sock"]
    return [*own, f"/run/{_FILE}"]


def _default_socket() -> str:
    paths = _default_sockets()
    return next((path for path in paths if os.path.exists(path)), paths[0])


def _kept(voice: api.EdgeStatus.Voice) -> KeptVoice:
    return KeptVoice(VoiceEnrollment(voice.enrollment), EnrollmentFailure(voice.failure), voice.problem)


def _state(call: Any) -> CallState:
    began = call.begin_time.ToDatetime(timezone.utc) if call.HasField("begin_time") else None
    requests = [sign.program for sign in call.signs if sign.kind == api.CallSign.KIND_REQUEST]
    return CallState(call.active, began, tuple(requests))
