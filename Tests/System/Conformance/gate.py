"""The network in front of the conformance server: it can be cut, refuse connections and fall silent."""

from __future__ import annotations

import asyncio
import time

from connections import Connections

GOODBYE = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]) + bytes([0, 0, 8, 7, 0, 0, 0, 0, 0]) + bytes(8)
"""The frames SETTINGS and GOAWAY of HTTP/2."""


class Gate:
    """A TCP port that forwards to a Unix socket."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._connections = Connections(self._serve)
        self.port = 0
        self.refused: list[float] = []
        """The times of the connections that were closed at once."""
        self.says_goodbye = False
        """Whether connections that are closed at once get GOAWAY before, as from a proxy that stops."""
        self.accepts = True
        """Whether new connections are forwarded. Otherwise they are closed at once."""
        self.forwards = True
        """Whether the bytes of new connections are forwarded."""
        self._silent: set[asyncio.StreamWriter] = set()
        """The connections whose bytes are swallowed, as by a network that fails silently."""

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._connections.accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def cut(self) -> None:
        """Resets all connections."""
        for writer in list(self._writers):
            writer.transport.abort()

    def fall_silent(self) -> None:
        """Swallows the bytes of all connections, also of new ones until `forwards` is set."""
        self.forwards = False
        self._silent |= self._writers

    async def close(self) -> None:
        self.cut()
        if self._server is not None:
            self._server.close()
        await self._connections.end()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.accepts:
            self.refused.append(time.monotonic())
            if self.says_goodbye and await reader.read(1000):
                writer.write(GOODBYE)
                writer.close()
            else:
                writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_unix_connection(self._target)
        self._writers |= {writer, far_writer}
        if not self.forwards:
            self._silent |= {writer, far_writer}
        try:
            await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        finally:
            self._writers -= {writer, far_writer}
            self._silent -= {writer, far_writer}
            for each in (writer, far_writer):
                each.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                if writer not in self._silent:
                    writer.write(data)
                    await writer.drain()
        except OSError:
            pass
        finally:
            writer.transport.abort()
