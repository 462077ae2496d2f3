"""The frames of HTTP/2 (RFC 9113) that a gRPC call needs, and flow control for what is sent."""

import asyncio
from collections import deque

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 3, 4, 6, 8
END_STREAM = ACK = 1
END_HEADERS = 4
INITIAL_WINDOW_SIZE = 4
OUR_WINDOW = 1 << 30


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def literal(name, value):
    """A header that is neither compressed nor remembered (RFC 7541)."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


class Connection(asyncio.Protocol):
    """Parses frames, answers settings and pings, and sends data as far as the windows of the peer allow."""

    def connection_made(self, transport):
        self.transport = transport
        self.buffer = bytearray()
        self.window, self.initial_window, self.windows = 65535, 65535, {}
        self.waiting = deque()
        self.received = 0
        settings = INITIAL_WINDOW_SIZE.to_bytes(2, "big") + OUR_WINDOW.to_bytes(4, "big")
        transport.write(frame(SETTINGS, 0, 0, settings))
        transport.write(frame(WINDOW_UPDATE, 0, 0, (OUR_WINDOW - 65535).to_bytes(4, "big")))

    def data_received(self, data):
        self.buffer += data
        buffer, position = self.buffer, 0
        while len(buffer) - position >= 9:
            length = int.from_bytes(buffer[position:position + 3], "big")
            if len(buffer) - position < 9 + length:
                break
            kind, flags = buffer[position + 3], buffer[position + 4]
            stream = int.from_bytes(buffer[position + 5:position + 9], "big")
            payload = bytes(buffer[position + 9:position + 9 + length])
            position += 9 + length
            self.handle(kind, flags, stream, payload)
        del buffer[:position]
        self.flush()

    def handle(self, kind, flags, stream, payload):
        if kind == DATA:
            self.received += len(payload)
            if self.received > OUR_WINDOW // 2:
                self.transport.write(frame(WINDOW_UPDATE, 0, 0, self.received.to_bytes(4, "big")))
                self.received = 0
            self.data(stream, payload, bool(flags & END_STREAM))
        elif kind == HEADERS:
            self.headers(stream, bool(flags & END_STREAM))
        elif kind == WINDOW_UPDATE:
            more = int.from_bytes(payload, "big")
            if stream == 0:
                self.window += more
            elif stream in self.windows:
                self.windows[stream] += more
        elif kind == SETTINGS and not flags & ACK:
            for first in range(0, len(payload), 6):
                if int.from_bytes(payload[first:first + 2], "big") == INITIAL_WINDOW_SIZE:
                    size = int.from_bytes(payload[first + 2:first + 6], "big")
                    self.windows = {each: left + size - self.initial_window for each, left in self.windows.items()}
                    self.initial_window = size
            self.transport.write(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self.transport.write(frame(PING, ACK, 0, payload))
        elif kind == RST_STREAM:
            self.windows.pop(stream, None)

    def open(self, stream):
        """Notes a stream on which data will be sent."""
        self.windows[stream] = self.initial_window

    def send(self, stream, payload):
        """Sends data, at most 16 KiB, as soon as the windows allow."""
        self.waiting.append((stream, payload))

    def flush(self):
        sending = []
        while self.waiting:
            stream, payload = self.waiting[0]
            if len(payload) > min(self.window, self.windows.get(stream, 1 << 30)):
                break
            self.waiting.popleft()
            if stream in self.windows:
                self.window -= len(payload)
                self.windows[stream] -= len(payload)
                sending.append(frame(DATA, 0, stream, payload))
        if sending:
            self.transport.write(b"".join(sending))

    def headers(self, stream, is_end):
        pass

    def data(self, stream, payload, is_end):
        pass
