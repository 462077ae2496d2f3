"""Calls of Process that send prepared sound, over gRPC and over a WebSocket."""

import base64
import hashlib
import json
import os
import select
import socket
import struct
import time

import service
import wire
from google.protobuf import json_format

OK = 0
TEXT, BINARY, CLOSE = 1, 2, 8
PROCESSED = 16  # The stream of a part in a binary message.
LONGEST_WAIT = 60


class Failure(Exception):
    """An answer that is not the expected one."""


def expect(got, wanted, about):
    if got != wanted:
        raise Failure(f"{about} ended with {got}, not {wanted}")


class Stream:
    """A session over gRPC. Takes all output, and hashes the processed voice."""

    def __init__(self, address, request, keep=None, **options):
        self.connection = wire.Connection(address, **options)
        self.call = self.connection.call(service.PROCESS)
        self.call.on_message = self._take
        self.digest, self.keep = hashlib.sha256(), keep
        self.started = self.voiceprint = self.question = None
        self.events, self.is_heard = 0, False
        self.call.send(request.SerializeToString())

    def _take(self, payload):
        response = service.voice.ProcessResponse.FromString(payload)
        kind = response.WhichOneof("response")
        if kind == "audio":
            self.is_heard = True
            samples = response.audio.processed.samples
            self.digest.update(samples)
            if self.keep:
                self.keep(samples)
        elif kind == "started":
            self.started = response.started
        elif kind == "voiceprint":
            self.voiceprint = response.voiceprint
        elif kind == "event":
            self.events += 1
            if response.event.HasField("injection_permission_requested"):
                self.question = response.event.injection_permission_requested

    def until(self, condition, about, timeout=LONGEST_WAIT):
        end = time.monotonic() + timeout
        while not condition():
            if self.call.has_ended or time.monotonic() > end:
                raise Failure(f"no {about}; the call has {self.call.status}: {self.call.text}")
            self.connection.pump(0.05)

    def begun(self):
        self.until(lambda: self.started, "start of the session")
        return self

    def feed(self, sound, seconds, pace, *others):
        """Sends sound. Reads meanwhile, from other connections too."""
        for message in sound.of(seconds):
            if not self.call.send_data(message, timeout=LONGEST_WAIT):
                raise Failure(f"a session takes no more sound: {self.call.status} {self.call.text}")
            for connection in (self.connection, *others):
                connection.pump()
            pace.advance(sound.seconds_each)

    def control(self, **fields):
        request = service.voice.ProcessRequest(control=service.voice.Control(control_id=1, **fields))
        self.call.send(request.SerializeToString())

    def finish(self, wanted=OK):
        self.call.half_close()
        expect(self.call.result(LONGEST_WAIT), wanted, f"a session ({self.call.text})")
        self.connection.close()
        return self.digest.hexdigest()


class WebSocketStream:
    """A session over a WebSocket. Its mask is zero, which leaves the bytes as they are."""

    def __init__(self, address, request):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=LONGEST_WAIT)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /v1/process HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Protocol: anechoic.v1\r\n\r\n".encode())
        self.buffer, self.digest, self.status = b"", hashlib.sha256(), None
        self.is_closed = False
        while b"\r\n\r\n" not in self.buffer:
            self._read()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        expect(head.split(b" ")[1], b"101", "a handshake")
        self.send_text(json_format.MessageToDict(request))

    def _read(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise Failure("a WebSocket was cut")
        self.buffer += data

    def _send(self, opcode, payload):
        length = len(payload)
        size = bytes([0x80 | length]) if length < 126 else struct.pack(">BH", 0x80 | 126, length)
        self.socket.sendall(bytes([0x80 | opcode]) + size + bytes(4) + payload)

    def send_text(self, value):
        self._send(TEXT, json.dumps(value).encode())

    def send_audio(self, microphone, reference):
        parts = b""
        for stream, samples in ((1, microphone), (2, reference)):
            parts += bytes(-len(parts) % 8) + struct.pack("<BBBBI", stream, 0, 0, 0, len(samples)) + samples
        self._send(BINARY, parts)

    def pump(self, timeout=0.0):
        """Takes the frames that have arrived. The server sends none in fragments."""
        if select.select([self.socket], [], [], timeout)[0]:
            self._read()
        while len(self.buffer) >= 2:
            opcode, length, head = self.buffer[0] & 15, self.buffer[1] & 127, 2
            if length >= 126:
                size = 2 if length == 126 else 8
                length, head = int.from_bytes(self.buffer[2:2 + size], "big"), 2 + size
            if len(self.buffer) < head + length:
                return
            payload, self.buffer = self.buffer[head:head + length], self.buffer[head + length:]
            self._take(opcode, payload)

    def _take(self, opcode, payload):
        if opcode == BINARY and payload[0] == PROCESSED:
            size = int.from_bytes(payload[4:8], "little")
            begin = 8 + 8 * (payload[1] & 1) + 4 * (payload[1] & 2)
            self.digest.update(payload[begin:begin + size])
        elif opcode == TEXT:
            self.status = json.loads(payload).get("status", self.status)
        elif opcode == CLOSE:
            self.is_closed = True

    def feed(self, sound, seconds, pace):
        for message in sound.of(seconds):
            audio = service.voice.ProcessRequest.FromString(message[5:]).audio
            self.send_audio(audio.microphone.samples, audio.reference.samples)
            self.pump()
            pace.advance(sound.seconds_each)

    def finish(self):
        self.send_text({"end": {}})
        end = time.monotonic() + LONGEST_WAIT
        while not self.is_closed and time.monotonic() < end:
            self.pump(0.05)
        expect((self.status or {}).get("code"), "OK", "a session over a WebSocket")
        self.close()
        return self.digest.hexdigest()

    def close(self):
        self.socket.close()
