"""Finds where speech begins and ends in audio with a probability of speech for each 10 ms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

STEP = 0.01
"""The seconds of a step."""


@dataclass(frozen=True)
class SegmentOptions:
    """When speech begins and ends. Times are in seconds."""

    least_speech: float
    least_silence: float
    padding: float
    """The audio before the begin that a segment contains."""
    longest: float
    """The audio after the padding that a segment keeps."""
    threshold: float
    """The probability from which a step is speech."""


class SpeechSegments:
    """Speech and silence, step by step. The class does no I/O.

    >>> found = SpeechSegments(SegmentOptions(0.02, 0.03, 0.01, 60, 0.5), bytes_per_second=200)
    >>> [found.add(b"%02d" % step, p) for step, p in enumerate((0, 1, 1, 1, 0, 0, 0))]
    [None, None, 'start', None, None, None, 'end']
    >>> bytes(found.segment), round(found.speech, 2), round(found.silence, 2)
    (b'00010203040506', 0.03, 0.03)
    """

    def __init__(self, options: SegmentOptions, bytes_per_second: int) -> None:
        self._options = options
        self._padding_bytes = _whole_steps(options.padding, bytes_per_second)
        self._most_bytes = self._padding_bytes + _whole_steps(options.longest, bytes_per_second)
        self._is_over = False
        self.is_speaking = False
        self.speech = 0.0
        """The seconds of the present speech, or of the last one."""
        self.silence = 0.0
        """The seconds of the present silence, or of the one that has ended the speech."""
        self.steady_speech = 0.0
        self.steady_silence = 0.0
        """The seconds since the last step of the other kind."""
        self.segment = bytearray()
        """The audio of the present speech with what came before it. At the end of a speech, all of it."""

    def add(self, step: bytes, probability: float) -> Literal["start", "end"] | None:
        """Adds a step. Returns whether speech begins or ends with it."""
        if self._is_over:
            self._is_over = False
            self.speech = 0.0
            self._forget()
        if len(self.segment) < self._most_bytes:
            self.segment += step
        if self.is_speaking:
            self.speech += STEP
        else:
            self.silence += STEP
        if probability >= self._options.threshold:
            self.steady_speech, self.steady_silence = self.steady_speech + STEP, 0.0
            if not self.is_speaking and _reaches(self.steady_speech, self._options.least_speech):
                self.is_speaking, self.silence, self.speech = True, 0.0, self.steady_speech
                return "start"
            return None
        self.steady_speech, self.steady_silence = 0.0, self.steady_silence + STEP
        if not self.is_speaking:
            self._forget()
        elif _reaches(self.steady_silence, self._options.least_silence):
            self.is_speaking, self._is_over, self.silence = False, True, self.steady_silence
            self.speech = max(0.0, self.speech - self.steady_silence)
            return "end"
        return None

    def _forget(self) -> None:
        """Keeps the padding only."""
        del self.segment[: max(0, len(self.segment) - self._padding_bytes)]


def _reaches(time: float, wanted: float) -> bool:
    """Returns whether a sum of steps reaches a time, but for the error of the sum."""
    return time > wanted - STEP / 10


def _whole_steps(seconds: float, bytes_per_second: int) -> int:
    return round(seconds / STEP) * round(bytes_per_second * STEP)
