"""A gRPC client that writes HTTP/2 frames itself and may break the rules of both.

    connection = Connection("127.0.0.1:50051")
    call = connection.call("/anechoic.v1.VoiceProcessingService/Process")
    call.send(start)
    call.wait(10)
    print(call.code, call.text, call.reason)

A connection is not safe for use by several threads. Nothing is read from the socket except by
`pump`, `wait` and `send`.
"""

import select
import socket
import struct
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS = 0, 1, 2, 3, 4
PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
HEADER_TABLE_SIZE, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 1, 3, 4
TRUE_BINARY_METADATA = 0xFE03  # The setting of gRPC for "-bin" headers without base64.
DEFAULT_WINDOW = 65535
LARGEST_FRAME = 16384

STATIC_TABLE = [None] + [tuple((entry + "=").split("=")[:2]) for entry in (
    ":authority :method=GET :method=POST :path=/ :path=/index.html :scheme=http :scheme=https "
    ":status=200 :status=204 :status=206 :status=304 :status=400 :status=404 :status=500 "
    "accept-charset accept-encoding=gzip,deflate accept-language accept-ranges accept "
    "access-control-allow-origin age allow authorization cache-control content-disposition "
    "content-encoding content-language content-length content-location content-range content-type "
    "cookie date etag expect expires from host if-match if-modified-since if-none-match if-range "
    "if-unmodified-since last-modified link location max-forwards proxy-authenticate "
    "proxy-authorization range referer refresh retry-after server set-cookie "
    "strict-transport-security transfer-encoding user-agent vary via www-authenticate").split()]


def frame(kind, flags, stream, payload=b""):
    """The bytes of one HTTP/2 frame."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(values):
    return b"".join(struct.pack(">HI", key, value) for key, value in values.items())


def header_block(fields):
    """The fields as literals that no table remembers."""
    def literal(text):
        text = text if isinstance(text, bytes) else text.encode()
        prefix = bytes([len(text)]) if len(text) < 127 else b"\x7f" + varint(len(text) - 127)
        return prefix + text
    return b"".join(b"\0" + literal(name) + literal(value) for name, value in fields)


def request_headers(path, metadata=(), authority="localhost"):
    """The header block of a gRPC call."""
    return header_block([
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", authority),
        ("content-type", "application/grpc"), ("te", "trailers"), *metadata])


def varint(value):
    encoded = b""
    while value >= 128:
        encoded += bytes([value & 127 | 128])
        value >>= 7
    return encoded + bytes([value])


def parse_headers(block):
    """The fields of a block without Huffman coding and without a dynamic table, which libgrpc
    sends to a client that asked for neither."""
    position = 0

    def number(bits):
        nonlocal position
        value = block[position] & ((1 << bits) - 1)
        position += 1
        if value < (1 << bits) - 1:
            return value
        shift = 0
        while True:
            byte = block[position]
            position += 1
            value += (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text():
        nonlocal position
        if block[position] & 128:
            raise ValueError("a header is Huffman-coded")
        length = number(7)
        position += length
        return block[position - length:position]

    fields = {}
    while position < len(block):
        first = block[position]
        if first & 128:
            name, value = STATIC_TABLE[number(7)]
            fields[name] = value.encode()
        elif first & 0xE0 == 0x20:
            number(5)  # the size of the dynamic table
        else:
            index = number(6) if first & 0x40 else number(4)
            name = STATIC_TABLE[index][0] if index else text().decode()
            fields[name] = text()
    return fields


class Call:
    """One stream. `code` is the gRPC status once the call has ended, and None before that;
    `reset` is the HTTP/2 error code of a stream that the server has reset."""

    def __init__(self, connection, stream):
        self.connection, self.stream = connection, stream
        self.window = connection.initial_window
        self.headers = {}
        self.messages = []
        self.received = b""
        self.code = self.reset = None

    @property
    def has_ended(self):
        return self.code is not None or self.reset is not None or self.connection.is_closed

    @property
    def text(self):
        return self.headers.get("grpc-message", b"").decode()

    @property
    def details(self):
        """The serialized google.rpc.Status, or nothing."""
        return self.headers.get("grpc-status-details-bin", b"")[1:]  # 0 marks raw bytes

    def send(self, message, length=None, end=False, flag=0, timeout=10):
        """Sends a message within the windows that the server grants. A `length` that is larger
        than the message leaves the message incomplete. Returns whether all of it was sent."""
        length = len(message) if length is None else length
        return self.send_data(struct.pack(">BI", flag, length) + message, end, timeout)

    def send_data(self, data, end=False, timeout=10):
        until = time.monotonic() + timeout
        while data or end:
            room = min(self.window, self.connection.window, LARGEST_FRAME, len(data))
            if room > 0 or not data:
                piece, data = data[:room], data[room:]
                self.window -= room
                self.connection.window -= room
                is_last = end and not data
                self.connection.frame(DATA, END_STREAM if is_last else 0, self.stream, piece)
                if is_last:
                    return True
            elif self.has_ended or time.monotonic() > until:
                return False
            else:
                self.connection.pump(0.05)
        return True

    def cancel(self):
        self.connection.frame(RST_STREAM, 0, self.stream, struct.pack(">I", 8))

    def wait(self, timeout=10, messages=None):
        """Waits for the end of the call, or for a number of messages. Returns whether it came in time."""
        until = time.monotonic() + timeout
        while not self.has_ended:
            if messages is not None and len(self.messages) >= messages:
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            self.connection.pump(left)
        return messages is None or len(self.messages) >= messages

    def take(self, data):
        self.received += data
        while len(self.received) >= 5:
            length = struct.unpack(">I", self.received[1:5])[0]
            if len(self.received) < 5 + length:
                break
            self.messages.append(self.received[5:5 + length])
            self.received = self.received[5 + length:]


class Connection:
    """An HTTP/2 connection. `source` is the local address to call from, such as "127.0.0.2".
    Without `acknowledges` the server's settings are never acknowledged, and so never binding;
    without `reads` the server gets no window for more than it was granted at first."""

    call_type = Call

    def __init__(self, address, source=None, acknowledges=True, reads=True, extra_settings=None):
        if address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(10)
            self.socket.connect(address.removeprefix("unix:"))
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection(
                (host, int(port)), timeout=10, source_address=(source, 0) if source else None)
        self.acknowledges, self.reads = acknowledges, reads
        self.window = self.initial_window = DEFAULT_WINDOW
        self.buffer = b""
        self.calls = {}
        self.next_stream = 1
        self.peer_settings = {}
        self.goaway = None
        self.is_closed = False
        self.write(PREFACE)
        self.frame(SETTINGS, 0, 0, settings(
            {HEADER_TABLE_SIZE: 0, TRUE_BINARY_METADATA: 1, **(extra_settings or {})}))

    def write(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            self.is_closed = True

    def frame(self, kind, flags, stream, payload=b""):
        self.write(frame(kind, flags, stream, payload))

    def call(self, path, metadata=(), authority="localhost"):
        """Opens a stream with the headers of a gRPC call."""
        call = self.call_type(self, self.next_stream)
        self.calls[call.stream] = call
        self.next_stream += 2
        kind, block = HEADERS, request_headers(path, metadata, authority)
        while len(block) > LARGEST_FRAME:
            self.frame(kind, 0, call.stream, block[:LARGEST_FRAME])
            kind, block = CONTINUATION, block[LARGEST_FRAME:]
        self.frame(kind, END_HEADERS, call.stream, block)
        return call

    def pump(self, timeout=0.0):
        """Reads the data that the server has sent. Waits if there is none yet."""
        if self.is_closed:
            return
        if not select.select([self.socket], [], [], max(timeout, 0))[0]:
            return
        try:
            data = self.socket.recv(1 << 20)
        except OSError:
            data = b""
        if not data:
            self.is_closed = True
        self.buffer += data
        while len(self.buffer) >= 9:
            length = int.from_bytes(self.buffer[:3], "big")
            if len(self.buffer) < 9 + length:
                break
            kind, flags = self.buffer[3], self.buffer[4]
            stream = int.from_bytes(self.buffer[5:9], "big") & 0x7FFFFFFF
            payload = self.buffer[9:9 + length]
            self.buffer = self.buffer[9 + length:]
            self.take(kind, flags, stream, payload)

    def take(self, kind, flags, stream, payload):
        call = self.calls.get(stream)
        if kind == SETTINGS and not flags & ACK:
            for position in range(0, len(payload), 6):
                key, value = struct.unpack_from(">HI", payload, position)
                self.peer_settings[key] = value
                if key == INITIAL_WINDOW_SIZE:
                    for other in self.calls.values():
                        other.window += value - self.initial_window
                    self.initial_window = value
            if self.acknowledges:
                self.frame(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK:
            self.frame(PING, ACK, 0, payload)
        elif kind == WINDOW_UPDATE:
            step = int.from_bytes(payload, "big") & 0x7FFFFFFF
            if stream == 0:
                self.window += step
            elif call:
                call.window += step
        elif kind == GOAWAY:
            self.goaway = payload
        elif kind == RST_STREAM and call:
            call.reset = int.from_bytes(payload, "big")
        elif kind == HEADERS and call:
            call.headers.update(parse_headers(payload))
            if "grpc-status" in call.headers:
                call.code = int(call.headers["grpc-status"])
        elif kind == DATA and call:
            call.take(payload)
            if self.reads and payload:
                for grown in (0, stream):
                    self.frame(WINDOW_UPDATE, 0, grown, struct.pack(">I", len(payload)))

    def close(self):
        self.socket.close()
        self.is_closed = True


PROCESS = "/anechoic.v1.VoiceProcessingService/Process"
# A ProcessRequest with a Start whose microphone sends s16 at 16 kHz, one channel.
START = bytes.fromhex("120b22090a07080110807d1801")
# A ProcessRequest with 10 ms of silence for that microphone.
AUDIO = bytes.fromhex("0ac6020ac3020ac002") + bytes(320)
