"""The connection to a server, which sessions may share."""

from __future__ import annotations

import asyncio
import itertools
from types import TracebackType
from typing import Any, Type

import grpc
import grpc.aio

from . import _methods
from ._channels import Channels, ChannelsOfLoops
from ._checks import check_flag, check_number
from ._connecting import connect_once
from ._credentials import StrPath, Token, check_address, is_local, is_token, tls_credentials, token_of
from ._status import closed_at_once, error_from, was_connection_lost
from ._within import within
from .errors import AnechoicError, InvalidRequest, ServerUnavailable, Unauthenticated

_RETRY_SECONDS = 0.1
_LARGEST_MESSAGE = 8 << 20
"""The most bytes of an answer. A page of sessions may have 3 MiB; in memory, a message may be 16 times as large."""
_serial = itertools.count()


class Connection:
    """The address of a server, the name and the credentials of this client.

    `Session` and `Sessions` make a connection of their own from an address. Make one yourself to share
    it between many sessions, or to present credentials. It connects with the first call, and in each event loop anew.
    """

    def __init__(
        self,
        address: str,
        *,
        client: str = "",
        token: Token | None = None,
        token_file: StrPath | None = None,
        tls: bool = False,
        ca_file: StrPath | None = None,
        certificate_file: StrPath | None = None,
        key_file: StrPath | None = None,
        connect_timeout: float = 2.0,
    ) -> None:
        """Creates a connection.

        - address: `HOST:PORT`, `[IPv6]:PORT` or `unix:PATH`.
        - client: The name of this client, which others see. 1 to 100 printable ASCII characters.
        - token: A bearer token, or a function that returns the token of the next call.
        - token_file: A file with a token. It is read again when it has changed.
        - tls: Encrypts, and verifies the server by the authorities of this machine.
        - ca_file: The authorities (PEM) that verify the server. Implies TLS.
        - certificate_file, key_file: The certificate of this client and its key (PEM). Implies TLS.
        - connect_timeout: The seconds to wait for a server that refuses the connection, 0 to 3600.

        Throws `InvalidRequest`, which is a `ValueError`, for a value that cannot be used.
        """
        check_address(address)
        self.address = address
        self._client = client
        if not isinstance(client, str) or len(client) > 100 or any(not " " <= each <= "~" for each in client):
            raise InvalidRequest("client: the name must have 1 to 100 printable ASCII characters", field="client")
        check_flag("tls", tls)
        check_number("connect_timeout", connect_timeout, 0, 3600, " s")
        self._token = token_of(token, token_file)
        uses_tls = tls or any(each is not None for each in (ca_file, certificate_file, key_file))
        self._credentials = tls_credentials(ca_file, certificate_file, key_file) if uses_tls else None
        self.connect_timeout = connect_timeout
        self._channels_of_loops = ChannelsOfLoops(self._make)

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection, and ends the calls of this event loop that still use it."""
        await self._channels_of_loops.close()

    @property
    def _channels(self) -> Channels:
        return self._channels_of_loops.here()

    @property
    def channel(self) -> grpc.aio.Channel:
        """The channel of new calls. A new one if the last one could not connect: it would wait before it tries again.

        A channel that is replaced is closed after the last call of this package. That ends your own calls on it.
        """
        return self._channels.newest()

    def renew(self, failed: grpc.aio.Channel) -> None:
        """Makes the next call use a new channel, because a channel that has failed waits before it connects.

        The calls of other sessions on the old channel go on. It is closed when the last one has ended.
        """
        self._channels.renew(failed)

    def _make(self) -> grpc.aio.Channel:
        # libgrpc shares a connection between channels with equal options, even one that is broken.
        options = [
            ("grpc.keepalive_time_ms", 20_000),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.use_local_subchannel_pool", 1),
            # A channel that has failed is replaced, and should not try by itself beside the next one.
            ("grpc.initial_reconnect_backoff_ms", 20_000),
            ("grpc.max_reconnect_backoff_ms", 20_000),
            # Otherwise libgrpc starts a call anew, and at once, whose connection the server has closed with GOAWAY.
            ("grpc.enable_retries", 0),
            ("grpc.max_receive_message_length", _LARGEST_MESSAGE),
            # A stream of audio through an HTTP proxy would be late, and a server on this machine out of reach.
            ("grpc.enable_http_proxy", 0),
            ("anechoic.serial", next(_serial)),
        ]
        if self._credentials is None:
            return grpc.aio.insecure_channel(self.address, options)
        return grpc.aio.secure_channel(self.address, self._credentials, options)

    def metadata(self, session: str = "") -> tuple[tuple[str, str], ...]:
        """Returns the headers of a new call. Throws `Unauthenticated` for a token that cannot be used."""
        headers = [("anechoic-client", self._client)] if self._client else []
        if session:
            if any(not " " <= each <= "~" for each in session):
                raise InvalidRequest(f"session: {session!r} is not the id of a session", field="session_id")
            # A proxy in front of several servers sends all calls about one session to the same server.
            headers.append(("anechoic-session", session))
        if self._token is not None:
            if self._credentials is None and not is_local(self.address):
                message = f"{self.address}: a token is not sent without TLS to another machine; use tls or ca_file"
                raise Unauthenticated(message, field="token")
            if token := self._present_token():
                headers.append(("authorization", f"Bearer {token}"))
        return tuple(headers)

    def _present_token(self) -> str:
        assert self._token is not None
        try:
            token = self._token if isinstance(self._token, str) else self._token()
        except AnechoicError:
            raise
        except Exception as error:
            raise Unauthenticated(f"token: the function failed: {error!r}", field="token") from error
        if not is_token(token):
            raise Unauthenticated("token: must be printable ASCII characters without a space", field="token")
        return token

    async def unary(self, method: _methods.Method, request: Any, session: str = "", timeout: float | None = 10) -> Any:
        """Sends a request and returns the response. Waits for a server that is still starting.

        A request that may have arrived is repeated only if it changes nothing.
        """
        deadline = asyncio.get_running_loop().time() + self.connect_timeout
        while True:
            may_repeat = True
            try:
                with self._channels.use() as channel:
                    if await within(timeout, connect_once(channel)):
                        call = method.on(channel, "unary_unary")
                        may_repeat = method.only_reads
                        response = await call(request, metadata=self.metadata(session), timeout=timeout)
                        if response is None:  # grpc has logged why these bytes are no message.
                            raise self.garbage()
                        return response
                was_lost, error = True, self.closed_at_once()
            except asyncio.TimeoutError:
                problem = f"{self.address}: the server has not answered for {timeout:g} s"
                raise ServerUnavailable(problem, status="DEADLINE_EXCEEDED") from None
            except grpc.RpcError as failure:
                was_lost = was_connection_lost(failure) and failure.code() is not grpc.StatusCode.DEADLINE_EXCEEDED
                error = self.error(failure)
            if not may_repeat or not was_lost or asyncio.get_running_loop().time() > deadline:
                raise error
            await asyncio.sleep(_RETRY_SECONDS)

    async def _begin(self, method: _methods.Method, shape: str, *request: Any, session: str = "") -> Any:
        """Connects, if there is no connection, and begins a call with a stream.

        Throws `ServerUnavailable` if the server closes the connection at once.
        """
        with self._channels.use() as channel:
            await self._connect(channel)
            return self._channels.begin(channel, method, shape, *request, metadata=self.metadata(session))

    async def connect(self) -> None:
        """Connects, if there is no connection. Throws `ServerUnavailable` if the server closes it at once."""
        with self._channels.use() as channel:
            await self._connect(channel)

    async def _connect(self, channel: grpc.aio.Channel) -> None:
        if not await connect_once(channel):
            raise self.closed_at_once()

    def closed_at_once(self) -> AnechoicError:
        """Returns the error for a server that accepts a connection and closes it."""
        return closed_at_once(self.address)

    def garbage(self) -> AnechoicError:
        """Returns the error for an answer that is no message, or makes no sense."""
        return ServerUnavailable(f"{self.address}: the server has sent bytes that are no message", status="INTERNAL")

    def error(self, failure: grpc.RpcError) -> AnechoicError:
        """Returns the error for a failed call on this connection."""
        return error_from(failure, self.address)


def connection_to(server: str | Connection, client: str = "") -> Connection:
    """Returns a connection to an address, with the name of this client, or the given connection."""
    if isinstance(server, Connection):
        return server
    if not isinstance(server, str):
        raise InvalidRequest(f"server: {server!r} is neither an address nor a Connection", field="server")
    return Connection(server, client=client)
