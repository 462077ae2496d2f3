"""The processed audio that waits to be read."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Callable, Mapping

import numpy as np

from .errors import InvalidRequest
from .formats import Format, Samples

_WAITING_SECONDS = 10.0
_SILENCE_SECONDS = 1.0
"""The most seconds of a piece of silence in place of lost output."""


@dataclass(frozen=True)
class Frame:
    """The result for 10 ms."""

    speech_probability: float
    """0 to 1."""
    voice: bool
    muted: bool


@dataclass(frozen=True)
class Output:
    """A run of processed audio."""

    samples: Samples
    """The processed microphone. An array of the shape (n,) or, with two channels, (n, 2)."""
    first_sample: int
    """The index of the first sample, counted from the start of the first session."""
    playback: Samples | None
    """The mix for the loudspeaker, in step with `samples`. None unless the session has it."""
    frames: tuple[Frame, ...]
    """One result for each 10 ms of `samples`."""
    is_lost: bool = False
    """Whether this is silence in place of audio that was lost with a connection, or dropped."""
    first_playback_sample: int = 0
    """The index of the first sample of `playback`, for `Session.report_playback`."""
    recognizer: Samples | None = None
    """The microphone for a recognizer of speech, of the same time as `samples`. None unless the session has it."""
    raw: Samples | None = None
    """The microphone as it was captured, of the same time as `samples`. None unless the session has it."""

    @property
    def voice(self) -> bool:
        """Whether any frame contains voice."""
        return any(frame.voice for frame in self.frames)

    def __bytes__(self) -> bytes:
        return self.samples.tobytes()


@dataclass
class _Gap:
    """Output that was lost. It takes no memory until it is read."""

    first: int
    count: int


class OutputQueue:
    """A bounded queue of output. It drops the oldest in real time; otherwise the receiver waits."""

    def __init__(self, format: Format, others: Mapping[str, Format], is_real_time: bool) -> None:
        """`others` are the formats of the other outputs by their names."""
        self.format, self._others = format, others
        self.dropped_samples = 0
        """The samples that were dropped because nobody read them."""
        self._is_real_time = is_real_time
        self._limit = round(_WAITING_SECONDS * format.rate)
        self._longest_silence = round(_SILENCE_SECONDS * format.rate)
        self._items: deque[Output | _Gap] = deque()
        self._count = 0
        self._rest: Samples | None = None
        self.filter: Callable[[Output], Output] | None = None
        """Changes an output when it is read."""
        self._is_closed = False
        self._error: Exception | None = None
        self._changed = asyncio.Event()

    @property
    def is_full(self) -> bool:
        return self._count >= self._limit

    def playback_sample(self, sample: int) -> int:
        """Returns the index in the playback of a sample of the output."""
        playback = self._others.get("playback")
        return 0 if playback is None else sample * playback.rate // self.format.rate

    def add(self, output: Output) -> None:
        self._items.append(output)
        self._count += self._cost(output)
        while self._is_real_time and self._count > self._limit:
            oldest = self._items.popleft()
            if isinstance(oldest, Output):
                self._count -= self._cost(oldest)
                self.dropped_samples += len(oldest.samples)
        self._changed.set()

    def add_gap(self, first: int, count: int) -> None:
        """Adds output that was lost. Readers get silence in its place, in pieces."""
        self._items.append(_Gap(first, count))
        self._changed.set()

    def _cost(self, output: Output) -> int:
        """The samples for which an output counts. Short ones take memory, too."""
        return max(len(output.samples), self.format.rate // 100)

    def close(self, error: Exception | None = None) -> None:
        """Ends the queue. Readers get what is left, then the error."""
        self._is_closed, self._error = True, error
        self._changed.set()

    def give_up(self) -> None:
        """Ends all waits for room, because the output is no longer read."""
        self._is_real_time = True
        self._changed.set()

    async def room(self) -> None:
        """Waits until the queue is not full. Never waits in real time."""
        while self.is_full and not self._is_real_time:
            self._changed.clear()
            await self._changed.wait()

    async def next(self) -> Output | None:
        """Returns the next output, or None at the end. Throws the error with which the session ended."""
        while not self._items:
            if self._error is not None:
                raise self._error
            if self._is_closed:
                return None
            self._changed.clear()
            await self._changed.wait()
        return self.take()

    def take(self) -> Output | None:
        """Returns the next output, or None if none has arrived."""
        if not self._items:
            return None
        item = self._items[0]
        if isinstance(item, _Gap):
            output = self._silence(item)
            if item.count > 0:
                return output
        else:
            output = item if self.filter is None else self.filter(item)
            self._count -= self._cost(item)
        self._items.popleft()
        self._changed.set()
        return output

    def _silence(self, gap: _Gap) -> Output:
        """Returns the beginning of a gap, and shortens it."""
        first, count = gap.first, min(gap.count, self._longest_silence)
        gap.first, gap.count = first + count, gap.count - count
        def silence(format: Format) -> Samples:
            start, end = (each * format.rate // self.format.rate for each in (first, first + count))
            return format.to_array(bytes((end - start) * format.frame_bytes))

        others = {name: silence(format) for name, format in self._others.items()}
        return Output(
            silence(self.format), first, others.get("playback"), (), is_lost=True,
            first_playback_sample=self.playback_sample(first), recognizer=others.get("recognizer"),
            raw=others.get("raw"),
        )

    async def read(self, count: int | None) -> Samples:
        """Returns exactly `count` samples, or fewer at the end; all that are there if it is None."""
        if count is not None and (not isinstance(count, (int, np.integer)) or count < 0):
            raise InvalidRequest(f"count: {count!r} is not a number of samples", field="count")
        parts = [] if self._rest is None else [self._rest]
        self._rest = None
        length = sum(len(part) for part in parts)
        while length == 0 if count is None else length < count:
            output = await self._next_or_keep(parts)
            if output is None:
                break
            parts.append(output.samples)
            length += len(output.samples)
        if not parts:
            return self.format.to_array(b"")
        samples = parts[0] if len(parts) == 1 else np.concatenate(parts)
        if count is not None and len(samples) > count:
            self._rest = samples[count:]
            samples = samples[:count]
        return samples

    async def _next_or_keep(self, parts: list[Samples]) -> Output | None:
        """Keeps what was read if this wait is cancelled or fails."""
        try:
            return await self.next()
        except BaseException:
            if parts:
                self._rest = np.concatenate(parts)
            raise
