"""The audio of one input that waits to be sent, or that may have to be sent again."""

from __future__ import annotations

from .formats import Format


class Track:
    """Samples by their index. Bytes arrive in any lengths; only whole samples leave.

    >>> track = Track(Format(8000))
    >>> track.add(b"abc")
    >>> track.end, bytes(track.take(10)), track.sent
    (1, b'ab', 1)
    >>> track.add(b"d")
    >>> track.end, bytes(track.take(10))
    (2, b'cd')
    """

    def __init__(self, format: Format) -> None:
        self.format = format
        self._size = format.frame_bytes
        self.start = 0
        """The index of the oldest sample that is kept."""
        self.sent = 0
        """The index of the next sample to send."""
        self._data = bytearray()

    @property
    def end(self) -> int:
        """The index after the last whole sample."""
        return self.start + len(self._data) // self._size

    def add(self, data: bytes | bytearray | memoryview) -> None:
        """Adds bytes, which may end within a sample."""
        self._data += data

    def pad_to(self, index: int) -> None:
        """Adds silence up to an index."""
        missing = index - self.end
        if missing > 0:
            del self._data[len(self._data) // self._size * self._size :]
            self._data += bytes(missing * self._size)

    def take(self, count: int) -> bytes:
        """Returns the next samples to send, at most `count`."""
        first = (self.sent - self.start) * self._size
        last = min(first + count * self._size, len(self._data) // self._size * self._size)
        if last <= first:
            return b""
        self.sent = self.start + last // self._size
        return bytes(memoryview(self._data)[first:last])

    def forget(self, index: int) -> None:
        """Forgets the samples before an index, sent or not."""
        if index <= self.start:
            return
        count = min(index, self.end) - self.start
        del self._data[: count * self._size]
        self.start += count
        self.sent = max(self.sent, self.start)

    def discard(self, index: int) -> bytes:
        """Forgets the samples from an index on, unless they were sent. Returns them."""
        kept = (max(index, self.sent) - self.start) * self._size
        data = bytes(self._data[kept:])
        del self._data[kept:]
        return data

    def rewind(self, index: int) -> None:
        """Makes the sample with an index the next one to send, or the oldest one that is kept."""
        self.sent = min(max(index, self.start), self.end)
