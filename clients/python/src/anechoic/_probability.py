"""The probability of a voice in what a filter returns, for the voice activity detectors of other packages."""

from __future__ import annotations

from math import inf
from time import monotonic

import numpy as np

from .live import LiveFilter

LEAST_VOICE = 0.5
"""The probability from which a frame counts as voice. The server decides what does."""
_MOST_SILENCE = 0.49
_LOUD_WITHOUT_SERVER = 0.02
"""The level above which audio counts as voice while there is no session. Full scale is 1."""
_MOST_BEHIND = 50
"""The steps of 10 ms by which a detector may be behind the filter."""
_PAUSE_SECONDS = 0.2
"""The seconds without a step after which a detector has left audio out."""


class VoiceProbability:
    """The results of a filter for one detector, which judges what the filter returns in steps of 10 ms.

    A detector may leave audio out. The results of that audio are dropped.
    """

    def __init__(self, live: LiveFilter) -> None:
        self._live = live
        self._expected_at = -inf

    def expect(self, count: int) -> None:
        """Announces the next steps, and drops the results before theirs.

        A detector that goes on may be behind by 0.5 s. One that begins, or that has paused, is not.
        """
        now = monotonic()
        behind = _MOST_BEHIND if now - self._expected_at < _PAUSE_SECONDS else 0
        self._expected_at = now
        results = self._live.voice.results if self._live.voice is not None else None
        while results and len(results) > count + behind:
            results.popleft()

    def next(self, samples: bytes) -> float:
        """Returns the probability of a voice in the next step, `samples`.

        A step that the server counts as voice has at least 0.5, and every other one less. While the person is muted,
        it is 0. While there is no session, loud audio has 1, and other audio 0.
        """
        voice = self._live.voice
        result = voice.results.popleft() if voice is not None and voice.results else None
        if result is None:
            signal = np.frombuffer(samples, np.int16).astype(np.float32) / 32768
            return 1.0 if len(signal) and np.sqrt(np.mean(signal**2)) > _LOUD_WITHOUT_SERVER else 0.0
        if result.muted:
            return 0.0
        if result.voice:
            return min(1.0, max(result.speech_probability, LEAST_VOICE))
        return max(0.0, min(result.speech_probability, _MOST_SILENCE))
