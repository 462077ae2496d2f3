"""One `Process` call."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import grpc.aio

from ._answers import problem_of
from ._connecting import connect_once, is_connecting
from ._methods import PROCESS
from ._reconnection import STOPPING
from ._status import was_connection_lost
from ._within import watched, within
from ._writing import finish, write
from .connection import Connection
from .errors import AnechoicError, ServerUnavailable
from .v1 import voice_processing_pb2 as api

_LOOK_SECONDS = 0.002
"""The time between two looks at the connection of an attempt. libgrpc connects again every few milliseconds."""


class LostCall(Exception):
    """The connection of a call was lost. The cause is the error for the user."""

    def __init__(self, error: AnechoicError) -> None:
        super().__init__(str(error))
        self.error = error


class Call:
    """A call that the server has accepted: its first response was `started`."""

    def __init__(self, connection: Connection, channel: grpc.aio.Channel, session: str) -> None:
        self._connection, self._channel = connection, channel
        self._headers = connection.metadata(session)
        self._stream: Any = None
        self._abandoned = False
        self.is_finished = False
        """Whether this side has ended its requests."""
        self.started = api.Started()

    @classmethod
    async def open(cls, connection: Connection, start: api.Start, timeout: float) -> Call:
        """Starts a session, or continues it.

        Throws `LostCall` if nobody answers in time or the answer makes no sense, and the `AnechoicError` of a refusal.
        """
        with connection._channels.use() as channel:
            call = cls(connection, channel, start.session_id)
            try:
                response = await within(timeout, call._first(start))
            except asyncio.TimeoutError:
                call._cancel()
                raise call._lost(f"the server has not answered for {timeout:g} s", "DEADLINE_EXCEEDED") from None
            except BaseException:
                call._cancel()
                raise
        if response is None or not response.HasField("started"):
            raise call.refuse("the server has not started the session")
        if problem := problem_of(response.started, start):
            raise call.refuse(problem)
        call.started = response.started
        return call

    async def _first(self, start: api.Start) -> api.ProcessResponse | None:
        """Sends the start on one connection, and returns the answer."""
        if not await connect_once(self._channel):
            raise self._closed_at_once()
        self._stream = self._connection._channels.begin(
            self._channel, PROCESS, "stream_stream", metadata=self._headers)
        answer = watched(self._answer(start))
        try:
            while not is_connecting(self._channel):
                await asyncio.wait([answer], timeout=_LOOK_SECONDS)
                if answer.done():
                    return answer.result()
        finally:
            answer.cancel()
        self._cancel()  # The call waits for another connection: the server has closed this one before the call began.
        raise self._closed_at_once()

    async def _answer(self, start: api.Start) -> api.ProcessResponse | None:
        await self.write(api.ProcessRequest(start=start))
        return await self.read()

    async def write(self, request: api.ProcessRequest) -> bool:
        """Sends a request. Returns false if the call has ended: `read` says why."""
        return await write(self._stream, request)

    async def finish(self) -> None:
        """Ends the requests."""
        self.is_finished = True
        await finish(self._stream)

    async def read(self) -> api.ProcessResponse | None:
        """Returns the next response, or None at the end.

        Throws `LostCall` if the connection was lost, and otherwise the `AnechoicError` of the status.
        """
        try:
            response = await self._stream.read()
            if response is None:  # grpc has logged why these bytes are no message.
                self.abandon()
                raise self._lost("the server has sent bytes that are no message", "INTERNAL")
            if response is not grpc.aio.EOF:
                return response  # type: ignore[no-any-return]
            if await self._stream.code() is grpc.StatusCode.OK:
                return None
            raise await self._failure()
        except asyncio.CancelledError:
            if not self._abandoned:
                raise
            raise self._lost("the server does not answer", "UNAVAILABLE") from None
        except grpc.RpcError as failure:
            raise self._error(failure) from None

    def abandon(self) -> None:
        """Ends the call at once. `read` then throws `LostCall`."""
        self._abandoned = True
        self._cancel()

    def _cancel(self) -> None:
        if self._stream is not None:
            self._stream.cancel()

    def refuse(self, problem: str) -> LostCall:
        """Ends a call whose answer makes no sense. Returns the loss, for the caller to raise."""
        self.abandon()
        return self._lost(f"the answer of the server makes no sense: {problem}", "INTERNAL")

    def _closed_at_once(self) -> LostCall:
        self._connection.renew(self._channel)
        return LostCall(self._connection.closed_at_once())

    def _lost(self, message: str, status: str) -> LostCall:
        self._connection.renew(self._channel)
        return LostCall(ServerUnavailable(f"{self._connection.address}: {message}", status=status))

    async def _failure(self) -> grpc.RpcError:
        return grpc.aio.AioRpcError(
            await self._stream.code(), await self._stream.initial_metadata(), await self._stream.trailing_metadata(),
            await self._stream.details(),
        )

    def _error(self, failure: grpc.RpcError) -> Exception:
        error = self._connection.error(failure)
        is_lost = was_connection_lost(failure)
        if is_lost or error.reason in STOPPING:
            self._connection.renew(self._channel)
        return LostCall(error) if is_lost else error
