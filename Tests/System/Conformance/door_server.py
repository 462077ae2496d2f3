"""A server that plays a vector over WebSockets: the conformance server behind `GET /v1/process`."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import struct

import grpc
import grpc.aio
from anechoic.rpc import error_details_pb2, status_pb2
from anechoic.v1 import voice_processing_pb2 as api
from clients import PROJECT
from connections import Connections
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from server import Server

FOLDERS = [PROJECT / "Sources/Server/CLivePage" / name for name in ("try", "page")]
PROCESS = "/anechoic.v1.VoiceProcessingService/Process"
PROOF = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE = 1, 2, 8
INPUTS = {1: "microphone", 2: "reference", 3: "far_end", 4: "other_audio"}
PROCESSED, PLAYBACK = 16, 17
FIRST_CODE = 4000


class Closed(Exception):
    """The client has closed the WebSocket."""


async def read_frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Reads a whole message, as browsers send it: in one frame, with a mask."""
    first, second = await reader.readexactly(2)
    size = second & 127
    if size > 125:
        size = int.from_bytes(await reader.readexactly(2 if size == 126 else 8), "big")
    mask = await reader.readexactly(4)
    payload = await reader.readexactly(size)
    whole = (mask * (size // 4 + 1))[:size]
    return first & 15, (int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")).to_bytes(size, "big")


def frame(opcode: int, payload: bytes) -> bytes:
    size = len(payload)
    head = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size) if size < 65536 else (
        b"\x7f" + struct.pack(">Q", size))
    return bytes([128 | opcode]) + head + payload


def request(opcode: int, payload: bytes) -> api.ProcessRequest | None:
    """Returns the request of a message, or None for the end of the requests."""
    message = api.ProcessRequest()
    if opcode == TEXT:
        return None if json.loads(payload) == {"end": {}} else json_format.Parse(payload, message)
    while payload:
        stream, flags, gap, _, size = struct.unpack_from("<BBBBI", payload)
        chunk, position = getattr(message.audio, INPUTS[stream]), 8
        for flag, field in ((1, "first_sample"), (2, "device_time_ns")):
            if flags & flag:
                setattr(chunk, field, struct.unpack_from("<q", payload, position)[0])
                position += 8
        chunk.gap_before, chunk.samples = gap, payload[position:position + size]
        chunk.SetInParent()
        payload = payload[-(-(position + size) // 8) * 8:]
    return message


def message(response: bytes) -> bytes:
    """Returns the frame of a serialized response. Bytes that are no response stay as they are."""
    try:
        parsed = api.ProcessResponse.FromString(response)
    except DecodeError:
        return frame(TEXT, b"garbage")
    if not parsed.HasField("audio"):
        return frame(TEXT, json_format.MessageToJson(parsed, indent=None).encode())
    payload = b""
    for stream, chunk in ((PROCESSED, parsed.audio.processed), (PLAYBACK, parsed.audio.playback)):
        if chunk.samples or chunk.HasField("first_sample"):
            payload += bytes(-len(payload) % 8)
            payload += struct.pack("<BBBBIq", stream, 1, chunk.gap_before, 0, len(chunk.samples), chunk.first_sample)
            payload += chunk.samples
    return frame(BINARY, payload)


def ending(error: grpc.aio.AioRpcError | None) -> bytes:
    """Returns the frames with the status of a call."""
    if error is None:
        return frame(TEXT, b'{"status":{"code":"OK"}}') + frame(CLOSE, struct.pack(">H", 1000))
    fields = {"code": error.code().name, "message": error.details() or ""}
    details = (error.trailing_metadata() or grpc.aio.Metadata()).get("grpc-status-details-bin", b"")
    for detail in status_pb2.Status.FromString(details).details:
        match detail.type_url.rpartition(".")[2]:
            case "ErrorInfo":
                fields["reason"] = error_details_pb2.ErrorInfo.FromString(detail.value).reason
            case "RetryInfo":
                delay = error_details_pb2.RetryInfo.FromString(detail.value).retry_delay
                fields["retryDelay"] = delay.ToJsonString()
    code = struct.pack(">H", FIRST_CODE + error.code().value[0])
    return frame(TEXT, json.dumps({"status": fields}).encode()) + frame(CLOSE, code)


class DoorServer(Server):
    """Serves the files of the page /try, and WebSockets, each of which is a call to the server behind."""

    async def _listen(self) -> None:
        door, self.socket = self.socket, f"{self.folder}/grpc.sock"
        await super()._listen()
        self._connections = Connections(self._serve)
        self._listener = await asyncio.start_unix_server(self._connections.accept, door)

    async def _stop(self) -> None:
        self._listener.close()
        await self._connections.end()
        await super()._stop()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            headers = dict(line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
            headers = {name.lower(): value for name, value in headers.items()}
            if "sec-websocket-key" in headers:
                await self._call(headers["sec-websocket-key"], reader, writer)
            else:
                self._send_file(head.split(" ")[1].removeprefix("/try/"), writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    @staticmethod
    def _send_file(name: str, writer: asyncio.StreamWriter) -> None:
        found = [folder / name for folder in FOLDERS if name.endswith(".js") and (folder / name).exists()]
        kind, body = ("text/javascript", found[0].read_bytes()) if found else ("text/html", b"<!doctype html><title>.")
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode() + body)

    async def _call(self, key: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accept = base64.b64encode(hashlib.sha1((key + PROOF).encode()).digest()).decode()
        writer.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     f"Sec-WebSocket-Protocol: anechoic.v1\r\nSec-WebSocket-Accept: {accept}\r\n\r\n".encode())
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
        async with grpc.aio.insecure_channel(f"unix:{self.socket}", options=options) as channel:
            call = channel.stream_stream(PROCESS, request_serializer=api.ProcessRequest.SerializeToString)()
            sending = asyncio.create_task(self._send_responses(call, writer))
            try:
                await self._read_requests(call, reader)
            except Closed:
                pass
            except (OSError, asyncio.IncompleteReadError):
                call.cancel()
            await asyncio.wait([sending], timeout=2)
            sending.cancel()

    @staticmethod
    async def _read_requests(call: grpc.aio.StreamStreamCall, reader: asyncio.StreamReader) -> None:
        while True:
            opcode, payload = await read_frame(reader)
            if opcode == CLOSE and int.from_bytes(payload[:2], "big") >= FIRST_CODE:
                raise OSError("the client has given the connection up")
            if opcode == CLOSE:
                with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    await call.done_writing()
                raise Closed
            found = request(opcode, payload) if opcode in (TEXT, BINARY) else api.ProcessRequest()
            try:
                if found is None:
                    await call.done_writing()
                elif found.WhichOneof("request"):
                    await call.write(found)
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
                pass  # `_send_responses` gets the same error.

    @staticmethod
    async def _send_responses(call: grpc.aio.StreamStreamCall, writer: asyncio.StreamWriter) -> None:
        error = None
        try:
            while (response := await call.read()) is not grpc.aio.EOF:
                writer.write(message(response))
                await writer.drain()
            if await call.code() is not grpc.StatusCode.OK:
                error = grpc.aio.AioRpcError(
                    await call.code(), await call.initial_metadata(), await call.trailing_metadata(),
                    await call.details())
        except grpc.aio.AioRpcError as found:
            error = found
        except (OSError, asyncio.CancelledError):
            return
        writer.write(ending(error))
