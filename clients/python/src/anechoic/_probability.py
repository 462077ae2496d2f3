"""The probability of a voice in what a filter returns, for the voice activity detectors of other packages."""

from __future__ import annotations

import numpy as np

from .live import LiveFilter

LEAST_VOICE = 0.5
"""The probability from which a frame counts as voice. The server decides what does."""
_MOST_SILENCE = 0.49
_LOUD_WITHOUT_SERVER = 0.02
"""The level above which audio counts as voice while there is no session. Full scale is 1."""


def next_probability(live: LiveFilter, samples: bytes) -> float:
    """Returns the probability of a voice in the next 10 ms that the filter has returned, `samples`.

    A frame that the server counts as voice has at least 0.5, and every other one less. While there is no session, loud
    audio has 1, and other audio 0.
    """
    voice = live.voice
    result = voice.results.popleft() if voice is not None and voice.results else None
    if result is None:
        signal = np.frombuffer(samples, np.int16).astype(np.float32) / 32768
        return 1.0 if len(signal) and np.sqrt(np.mean(signal**2)) > _LOUD_WITHOUT_SERVER else 0.0
    if result.voice:
        return min(1.0, max(result.speech_probability, LEAST_VOICE))
    return max(0.0, min(result.speech_probability, _MOST_SILENCE))


def drop_results(live: LiveFilter, kept: int) -> None:
    """Drops the oldest results of the filter but for a number of them: those of audio that nobody has asked about."""
    results = live.voice.results if live.voice is not None else None
    while results and len(results) > kept:
        results.popleft()
