"""Tools for attacks: many simultaneous calls, frames of any kind, and one status for each call."""

import select
import struct
import time

import raw_client
from raw_client import DATA, END_STREAM, HEADERS, RST_STREAM, WINDOW_UPDATE

LARGEST_WINDOW = 2**31 - 1


class Call(raw_client.Call):
    """A call with one `status`: gRPC's, or "RST n", "HTTP n", "gone" where there is none."""

    def __init__(self, connection, stream):
        super().__init__(connection, stream)
        self.on_message = None
        self.is_closed = False

    @property
    def status(self):
        if self.code is not None:
            return self.code
        if self.reset is not None:
            return f"RST {self.reset}"
        if self.is_closed:
            return f"HTTP {self.headers.get(':status', b'?').decode()}"
        return "gone" if self.connection.is_closed else None

    @property
    def has_ended(self):
        return self.status is not None

    def half_close(self):
        self.connection.frame(DATA, END_STREAM, self.stream)

    def result(self, timeout=10):
        """Waits for the end. Returns the status, or None if it did not come in time."""
        self.wait(timeout)
        return self.status

    def take(self, data):
        super().take(data)
        if self.on_message:
            for message in self.messages:
                self.on_message(message)
            self.messages.clear()


class Connection(raw_client.Connection):
    """A connection that takes as much as the server sends, unless `reads` is false."""

    call_type = Call

    def __init__(self, address, reads=True, **options):
        self.resets = self.open_calls = 0
        if reads:
            options["extra_settings"] = {raw_client.INITIAL_WINDOW_SIZE: LARGEST_WINDOW}
        super().__init__(address, reads=False, **options)
        if reads:
            grant = LARGEST_WINDOW - raw_client.DEFAULT_WINDOW
            self.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", grant))
            end = time.monotonic() + 5
            while not self.peer_settings and not self.is_closed and time.monotonic() < end:
                self.pump(0.1)

    def call(self, path, metadata=(), authority="localhost"):
        self.open_calls += 1
        return super().call(path, metadata, authority)

    def unary(self, path, message, metadata=(), timeout=10):
        """Returns the status and the answer."""
        call = self.call(path, metadata)
        call.send(message, end=True)
        status = call.result(timeout)
        return status, call.messages[0] if call.messages else None

    @property
    def has_room(self):
        most = self.peer_settings.get(raw_client.MAX_CONCURRENT_STREAMS, 2**31)
        return not self.is_closed and not self.goaway and self.open_calls < most

    def take(self, kind, flags, stream, payload):
        super().take(kind, flags, stream, payload)
        call = self.calls.get(stream)
        if kind == RST_STREAM:
            self.resets += 1
        if call and kind in (DATA, HEADERS) and flags & END_STREAM:
            call.is_closed = True
        if call and call.has_ended:
            del self.calls[stream]
            self.open_calls -= 1


class Pool:
    """Connections for any number of simultaneous calls."""

    def __init__(self, address, calls_each=100, **options):
        self.address, self.calls_each, self.options = address, calls_each, options
        self.connections = []

    def call(self, path, metadata=()):
        last = self.connections[-1] if self.connections else None
        if not last or not last.has_room or last.open_calls >= self.calls_each:
            last = Connection(self.address, **self.options)
            self.connections.append(last)
        return last.call(path, metadata)

    def pump(self, timeout=0.0, until=lambda: False):
        """Reads from all connections for a time, or until a condition is true."""
        end = time.monotonic() + timeout
        while True:
            poll = select.poll()
            alive = {c.socket.fileno(): c for c in self.connections if not c.is_closed}
            for number in alive:
                poll.register(number, select.POLLIN)
            left = max(0.0, end - time.monotonic())
            for number, _ in poll.poll(min(left, 0.05) * 1000):
                alive[number].pump()
            if until() or time.monotonic() >= end:
                return

    def close(self):
        for connection in self.connections:
            connection.close()
