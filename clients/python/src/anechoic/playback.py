"""The playback of a session on another device than the one with the microphone."""

from __future__ import annotations

from types import TracebackType
from typing import Any, AsyncIterator, Type

import grpc

from . import _methods
from ._checks import check_text
from ._opus import Decoder
from ._start import seconds
from .connection import Connection, connection_to
from .errors import FormatError, InvalidRequest, Refused, SessionEnded
from .formats import Format, Samples, finite
from .v1 import voice_processing_pb2 as api


class Playback:
    """Plays what a session elsewhere plays, for example on a television. Use it with `async with`.

    The session is a `Session` with `playback_elsewhere`. It goes on without this device, which may leave and
    join again. The clocks of the two devices need not agree.

        async with anechoic.Playback("127.0.0.1:50051", token) as playback:
            async for samples in playback:
                loudspeaker.write(samples)
    """

    def __init__(self, server: str | Connection, token: bytes, *, session_id: str = "", client: str = "") -> None:
        """Describes the playback.

        - token: `Session.join_token` of the session.
        - session_id: The id of the session. Needed only for proxies in front of several servers.
        - client: The name of this client, which others see, unless a `Connection` has one.
        """
        self._is_own = isinstance(server, str)
        self._connection = connection_to(server, client)
        if not isinstance(token, bytes) or not token:
            raise InvalidRequest("token: must be bytes that are not empty; use Session.join_token", field="token")
        check_text("session_id", session_id)
        self._request = api.JoinSessionRequest(token=token)
        self._session_id = session_id
        self._stream: Any = None
        self._joined = api.Joined()
        self._format: Format | None = None
        self.position = 0
        """The index after the last sample that was read. It jumps if this side reads too slowly."""

    async def __aenter__(self) -> Playback:
        self._stream = await self._connection._begin(
            _methods.JOIN_SESSION, "unary_stream", self._request, session=self._session_id)
        try:
            first = await self._next()
            if first is None:
                raise SessionEnded("the session has ended", reason="SESSION_ENDED")
            if not first.HasField("joined"):
                raise self._connection.garbage()
            self._joined, self._format = first.joined, _format(first.joined)
            if self._format is None:
                raise self._connection.garbage()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Leaves the session, which goes on."""
        if self._stream is not None:
            self._stream.cancel()
        if self._is_own:
            await self._connection.close()

    @property
    def session(self) -> str:
        """The id of the session."""
        return self._joined.session.removeprefix("sessions/")

    @property
    def format(self) -> Format:
        """The format of the samples."""
        if self._format is None:
            raise Refused("the device has not joined; use async with", reason="NOT_OPEN")
        return self._format

    @property
    def chunk(self) -> float:
        """The seconds of audio in a piece."""
        return seconds(self._joined.chunk_duration)

    async def __aiter__(self) -> AsyncIterator[Samples]:
        """Yields the samples as they arrive, until the session ends.

        Throws `SessionEnded`, reason `TAKEN_OVER`, once another device plays instead.
        """
        format = self.format
        decoder = Decoder(format) if format.is_opus else None
        while (response := await self._next()) is not None:
            data = response.playback.samples
            if not data or (decoder is None and len(data) % format.frame_bytes):
                continue  # Another message, or a part of a sample.
            samples = finite(format.to_array(data if decoder is None else decoder.decode(data)))
            self.position = response.playback.first_sample + len(samples)
            yield samples

    async def _next(self) -> api.JoinSessionResponse | None:
        """Returns the next message, or None at the end."""
        try:
            response = await self._stream.read()
        except grpc.RpcError as failure:
            raise self._connection.error(failure) from None
        if response is None:  # grpc has logged why these bytes are no message.
            raise self._connection.garbage()
        return None if response is grpc.aio.EOF else response


def _format(joined: api.Joined) -> Format | None:
    """Returns the format of the playback, or None for one that does not exist."""
    try:
        return Format._from(joined.playback)
    except FormatError:
        return None
