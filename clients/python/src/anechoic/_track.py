"""The audio of one input that waits to be sent, or that may have to be sent again."""

from __future__ import annotations

from collections import deque

from .formats import Format, finite_bytes

_MOST_TIMES = 1000


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
        self._times: deque[tuple[int, int, int]] = deque(maxlen=_MOST_TIMES)
        """The first and last index of samples whose times are known, and the time of the first, in ns."""

    @property
    def end(self) -> int:
        """The index after the last whole sample."""
        return self.start + len(self._data) // self._size

    def add(self, data: bytes | bytearray | memoryview, time: int | None = None) -> None:
        """Adds bytes, which may end within a sample. `time` is that of the first sample, in nanoseconds."""
        first = self.end
        self._data += data
        if time is not None:
            self._times.append((first, self.end, time))

    def time_of(self, index: int) -> int | None:
        """Returns the time of a sample, in nanoseconds, or None if it is not known.

        >>> track = Track(Format(8000))
        >>> track.add(bytes(160), time=1_000_000)
        >>> track.time_of(8), track.time_of(80)
        (2000000, None)
        """
        while self._times and self._times[0][1] <= self.start:
            self._times.popleft()
        for first, end, time in self._times:
            if first <= index < end:
                return time + (index - first) * 1_000_000_000 // self.format.rate
        return None

    def pad_to(self, index: int) -> None:
        """Adds silence up to an index."""
        missing = index - self.end
        if missing > 0:
            del self._data[len(self._data) // self._size * self._size :]
            self._data += bytes(missing * self._size)

    def take(self, count: int) -> bytes:
        """Returns the next samples to send, at most `count`. A float that is not a number becomes silence."""
        first = (self.sent - self.start) * self._size
        last = min(first + count * self._size, len(self._data) // self._size * self._size)
        if last <= first:
            return b""
        self.sent = self.start + last // self._size
        data = bytes(memoryview(self._data)[first:last])
        return finite_bytes(data) if self.format.encoding == "f32" else data

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
        while self._times and self._times[-1][1] > self.end:
            first, _, time = self._times.pop()
            if first < self.end:
                self._times.append((first, self.end, time))
        return data

    def cut(self, index: int, count: int) -> bytes:
        """Forgets samples from an index on, unless they were sent, and returns them. Those behind take their place.

        >>> track = Track(Format(8000))
        >>> track.add(b"aabbccd")
        >>> track.cut(1, 1)
        b'bb'
        >>> track.insert(0, b"ee")
        >>> track.end, bytes(track.take(10))
        (3, b'eeaacc')
        """
        rest = self.discard(index)
        size = min(count, len(rest) // self._size) * self._size
        self.add(rest[size:])
        return rest[:size]

    def insert(self, index: int, data: bytes) -> None:
        """Adds samples before that with an index, or after those that were sent."""
        rest = self.discard(index)
        self.add(data + rest)

    def rewind(self, index: int) -> None:
        """Makes the sample with an index the next one to send, or the oldest one that is kept."""
        self.sent = min(max(index, self.start), self.end)
