"""A server of the live page that plays a vector: the same steps as the conformance server, over HTTP."""

from __future__ import annotations

import asyncio
import json
import time
from http import HTTPStatus
from typing import Any

import grpc
from anechoic.rpc import error_details_pb2, status_pb2
from anechoic.v1 import sessions_pb2, voice_processing_pb2 as api
from calls import Start
from clients import PROJECT
from connections import Connections
from google.protobuf import json_format
from server import Server
from viewers import Watch, snapshot

FILES = PROJECT / "Sources/Server/CLivePage/page"
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
CALLS = "/anechoic.v1.SessionService/"
JSON = "application/json"
REFUSALS = {
    grpc.StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND, grpc.StatusCode.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    grpc.StatusCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED, grpc.StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    grpc.StatusCode.RESOURCE_EXHAUSTED: HTTPStatus.TOO_MANY_REQUESTS,
    grpc.StatusCode.UNIMPLEMENTED: HTTPStatus.NOT_IMPLEMENTED, grpc.StatusCode.ABORTED: HTTPStatus.CONFLICT,
    grpc.StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
}
"""The status of HTTP for a status of gRPC, as the server of the page maps them. All others are 500."""


class Refusal(Exception):
    """The status with which a call ends."""

    def __init__(self, code: grpc.StatusCode, message: str, details: bytes | None) -> None:
        self.code = code
        self.fields = {"code": code.name, "message": message}
        for detail in status_pb2.Status.FromString(details or b"").details:
            match detail.type_url.rpartition(".")[2]:
                case "ErrorInfo":
                    self.fields["reason"] = error_details_pb2.ErrorInfo.FromString(detail.value).reason
                case "RetryInfo":
                    delay = error_details_pb2.RetryInfo.FromString(detail.value).retry_delay
                    self.fields["retryDelay"] = delay.ToJsonString()


class Exchange:
    """A request over HTTP, with the functions of a call of gRPC that the conformance server uses."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.has_begun = False

    async def write(self, message: Any) -> None:
        """Sends an event of a stream: a message, or bytes as they are."""
        await self.send_event(message if isinstance(message, bytes) else _json(message))

    async def send_event(self, data: bytes, kind: str | None = None) -> None:
        if not self.has_begun:
            self.has_begun = True
            self._writer.write(_head(HTTPStatus.OK, "text/event-stream"))
        named = f"event: {kind}\n".encode() if kind else b""
        self._writer.write(named + b"data: " + data + b"\n\n")
        await self._writer.drain()

    async def abort(self, code: grpc.StatusCode, message: str, trailing: tuple = ()) -> None:
        raise Refusal(code, message, dict(trailing).get("grpc-status-details-bin"))


class PageServer(Server):
    """Serves the files of the live page, and the calls that the page makes."""

    async def _listen(self) -> None:
        self._connections = Connections(self._serve)
        self._listener = await asyncio.start_unix_server(self._connections.accept, self.socket)

    async def _stop(self) -> None:
        self._listener.close()
        await self._connections.end()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            method, path, _ = head.split(" ", 2)
            headers = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            if method == "POST" and path.startswith(CALLS):
                await self._call(path.removeprefix(CALLS), body, writer)
            else:
                self._send_file(path, writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    @staticmethod
    def _send_file(path: str, writer: asyncio.StreamWriter) -> None:
        name = "live.html" if path == "/live" else path.removeprefix("/live/")
        file = FILES / name
        if "/" in name or not file.exists():
            return writer.write(_head(HTTPStatus.NOT_FOUND, "text/plain"))
        writer.write(_head(HTTPStatus.OK, TYPES[file.suffix[1:]]) + file.read_bytes())

    async def _call(self, method: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        exchange = Exchange(writer)
        try:
            match method:
                case "ListSessions":
                    if self.list_refusals:
                        await self._abort(exchange, self._status(self.list_refusals.pop(0)))
                    answer = sessions_pb2.ListSessionsResponse(sessions=map(snapshot, self.sessions.values()))
                case "GetSession":
                    request = await self._parsed(body, sessions_pb2.GetSessionRequest(), exchange)
                    session = await self._session(request.name, exchange)
                    answer = sessions_pb2.GetSessionResponse(session=snapshot(session))
                case "SetMute":
                    request = await self._parsed(body, sessions_pb2.SetMuteRequest(), exchange)
                    answer = await self._set_mute(request, exchange)
                case "WatchSession":
                    await self._watch(await self._parsed(body, sessions_pb2.WatchSessionRequest(), exchange), exchange)
                    return await exchange.send_event(b'{"code":"OK"}', "end")
                case _:
                    await exchange.abort(grpc.StatusCode.UNIMPLEMENTED, f"the vectors need no {method}")
            writer.write(_head(HTTPStatus.OK, JSON) + _json(answer))
        except Refusal as refusal:
            text = json.dumps(refusal.fields).encode()
            if exchange.has_begun:
                await exchange.send_event(text, "end")
            else:
                status = REFUSALS.get(refusal.code, HTTPStatus.INTERNAL_SERVER_ERROR)
                writer.write(_head(status, JSON) + text)

    @staticmethod
    async def _parsed(body: bytes, message: Any, exchange: Exchange) -> Any:
        try:
            return json_format.Parse(body, message)
        except json_format.ParseError as error:
            await exchange.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))

    async def _watch(self, request: sessions_pb2.WatchSessionRequest, exchange: Exchange) -> None:
        record = Start(time.monotonic(), api.Start(session_id=request.name.removeprefix("sessions/")))
        if request.HasField("from_event_id"):
            record.from_event = request.from_event_id
        answer = await self._answer(record, exchange)
        record.answered = time.monotonic()
        session = await self._session(request.name, exchange)
        if record.from_event is not None and not 1 <= record.from_event <= len(session.events) + 1:
            record.answer = "refuse"
            await self._abort(exchange, self._status({"code": "INVALID_ARGUMENT", "reason": "INVALID_FIELD"}))
        await self._show(Watch(self, exchange, session, record, answer))


def _json(message: Any) -> bytes:
    return json_format.MessageToJson(message, indent=None).encode()


def _head(status: HTTPStatus, kind: str) -> bytes:
    """The head of an answer that ends with its connection."""
    return (f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}\r\nCache-Control: no-store\r\n"
            "Connection: close\r\n\r\n").encode()
