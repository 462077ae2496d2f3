"""Returns as many samples as came, at a constant delay, whether or not the voice has arrived."""

from __future__ import annotations

from array import array
from collections import deque

from ._output import Frame, Output
from .formats import finite_bytes


_QUIET = 0.005
"""The level of a pause: -46 dB of full scale."""


class AlignedVoice:
    """The processed voice on the time axis of the raw audio. The class does no I/O.

    Voice that has not arrived in time is replaced by the raw audio of the same time, or by silence. The processing
    delays the voice, so raw audio is delayed by `lag_samples` more.

    >>> voice = AlignedVoice(frame_bytes=2, rate=8000, delay=1, passes_raw=True)
    >>> voice.exchange(b"aabb"), voice.exchange(b"cc")
    (b'\\x00\\x00aa', b'bb')
    >>> voice.is_muted = True
    >>> voice.exchange(b"dd")
    b'\\x00\\x00'
    """

    def __init__(self, frame_bytes: int, rate: int, delay: int, passes_raw: bool, has_floats: bool = False) -> None:
        """`delay` is the delay in samples, apart from that of the processing itself."""
        self._has_floats = has_floats
        self._size, self._rate, self._passes_raw = frame_bytes, rate, passes_raw
        self._next = -delay  # The index of the next sample to return.
        self._most_lag = rate // 5
        self._lag = 0
        self._raw = bytearray((self._most_lag + delay) * frame_bytes)  # From `_most_lag` before the next sample on.
        self._voice = bytearray()
        self._part = b""
        self._frames: deque[tuple[int, Frame]] = deque()
        self.results: deque[Frame | None] = deque(maxlen=500)
        """A result for each 10 ms that was returned; None for audio that was not processed."""
        self.replaced_samples = 0
        self.late_samples = 0
        """The samples of the voice that were dropped because they arrived after their time."""
        self.most_late_samples = 0
        """By how much the latest of them was late. The reader may set it to 0."""
        self._rise = 0
        self.is_muted = False
        """Whether the microphone is muted: silence takes the place of voice that has not arrived."""
        self.is_muting = False
        """Whether the session has not confirmed yet that it is muted: silence takes the place of all that came before."""
        self._silent_until = self._next

    @property
    def position(self) -> int:
        """The index of the next sample that comes."""
        return self._next - self._most_lag + len(self._raw) // self._size

    @property
    def lag_samples(self) -> int:
        """The delay of the processing, 0.2 s at most."""
        return self._lag

    @lag_samples.setter
    def lag_samples(self, count: int) -> None:
        self._lag = max(0, min(count, self._most_lag))

    def add(self, output: Output, base: int) -> None:
        """Adds voice of a session whose first sample has the index `base`. Audio that was lost is replaced later."""
        if output.is_lost:
            return
        first = base + output.first_sample
        if first > self.position + self._most_lag:
            return  # It is for audio that nobody has captured yet.
        data = bytes(output)
        end = self._next + len(self._voice) // self._size
        if first > end:
            self._voice += self._substitute(end, first, self._passes_raw)
            end = first
        late = min(end - first, len(data) // self._size)
        self.late_samples += late
        self.most_late_samples = max(self.most_late_samples, end - first)
        self._voice += data[late * self._size :]
        step = self._rate // 100
        self._frames.extend((first + step * number, frame) for number, frame in enumerate(output.frames))

    def exchange(self, raw: bytes, is_processed: bool = True) -> bytes:
        """Takes raw audio and returns as many samples. Without `is_processed`, the raw ones, unless muted.

        A part of a sample at the end waits for its rest.
        """
        raw = self._part + bytes(raw)
        count = len(raw) // self._size
        self._part = raw[count * self._size :]
        wanted = count * self._size
        # A muted microphone is never heard, not even by a delay that ends after it is unmuted.
        whole = finite_bytes(raw[:wanted]) if self._has_floats else raw[:wanted]
        self._raw += bytes(wanted) if self.is_muted else whole
        if self.is_muting:
            self._silent_until = self.position + self._lag
        if not is_processed:
            self._voice.clear()
        self._stretch(wanted)
        if len(self._voice) < wanted:
            end = self._next + len(self._voice) // self._size
            self.replaced_samples += self._next + count - end
            self._voice += self._substitute(end, self._next + count, self._passes_raw or not is_processed)
        silent = min(max(0, self._silent_until - self._next), count) * self._size
        returned = bytes(silent) + bytes(self._voice[silent:wanted])
        del self._voice[:wanted], self._raw[:wanted]
        self._collect_results(self._next + count)
        self._next += count
        return returned

    @property
    def is_rising(self) -> bool:
        """Whether the delay has not become longer yet, as `raise_delay` wants."""
        return self._rise > 0

    def raise_delay(self, count: int) -> None:
        """Makes the delay so many samples longer, with silence at the next pause, or where voice is missing."""
        self._rise += count

    def _stretch(self, wanted: int) -> None:
        """Makes the delay longer if the next bytes are a pause."""
        if self._rise and (len(self._voice) < wanted or self._is_quiet(self._voice[:wanted])):
            silence = bytes(self._rise * self._size)
            self._voice[:0], self._raw[:0] = silence, silence
            self._silent_until = max(self._silent_until, self._next)
            self._next -= self._rise
            self._rise = 0

    def _is_quiet(self, data: bytearray) -> bool:
        most = _QUIET if self._has_floats else _QUIET * 32768
        return all(-most <= sample <= most for sample in array("f" if self._has_floats else "h", data))

    def _substitute(self, first: int, end: int, passes_raw: bool) -> bytes:
        size = (end - first) * self._size
        if self.is_muted or not passes_raw:
            return bytes(size)
        start = (first - self._next + self._most_lag - self._lag) * self._size
        return bytes(self._raw[start : start + size]).ljust(size, b"\0")

    def _collect_results(self, end: int) -> None:
        """Moves the results of what is returned, one for each 10 ms."""
        step = self._rate // 100
        for boundary in range(-(-self._next // step) * step, end, step):
            while self._frames and self._frames[0][0] + step <= boundary:
                self._frames.popleft()
            has_result = self._frames and self._frames[0][0] <= boundary
            self.results.append(self._frames[0][1] if has_result else None)
