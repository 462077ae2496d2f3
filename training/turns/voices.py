"""Recorded utterances whose end is the end of a turn, and where they have voice."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import signal

sys.path.append(str(Path(__file__).parent.parent))
from corpus import OVERLAPS, read  # noqa: E402

RATE = 16000
HOP = 160
# Sources of whole sentences; their licences are in the card.
_NAMES = (
    "librispeech-resemblyzer picovoice picovoice-samples ljspeech vctk-autovc vctk-stargan libritts-r rhasspy-kerstin "
    "festvox-ru librosa-libri rtvc-samples riva-samples dali-librispeech thorsten-emotional").split()
SENTENCES = tuple(_NAMES)
# Sources of single words, which are whole turns too.
WORDS = ("picovoice-wakeword", "mycroft-precise")
# Sources without names of speakers, or with one: recordings are held out, not speakers.
_UNNAMED = ("picovoice", "ljspeech", "rhasspy-kerstin", "festvox-ru", *WORDS)
_HELD_OUT_SHARE = 6


@dataclass(frozen=True)
class Voice:
    """An utterance, from its first voice to its last."""

    name: str
    samples: np.ndarray
    active: np.ndarray  # a bool for each 10 ms

    def gaps(self, least: int) -> list[tuple[int, int]]:
        """Returns the pauses of at least this many frames, as their first frame and the frame after them."""
        edges = np.flatnonzero(np.diff(self.active.astype(np.int8)))
        return [(start + 1, end + 1) for start, end in zip(edges[::2], edges[1::2]) if end - start >= least]

    def silence(self, random: np.random.Generator, count: int) -> np.ndarray:
        """Returns noise with the spectrum of the softest parts, so that a pause sounds as the recording does."""
        frames = self.samples[: len(self.active) * HOP].reshape(-1, HOP)
        power = (frames**2).mean(1) + 1e-12
        softest = frames[power <= np.percentile(power, 8)]
        spectrum = np.sqrt((np.abs(np.fft.rfft(softest * np.hanning(HOP), axis=1)) ** 2).mean(0) / (HOP * 0.375))
        taps = signal.firwin2(129, np.linspace(0, 1, len(spectrum)), spectrum)
        return signal.fftconvolve(random.normal(size=count + 128), taps, "valid")[:count]


def activity(samples: np.ndarray) -> np.ndarray:
    """Returns for each 10 ms whether there is voice, by its level. Gaps below 80 ms count as voice."""
    count = len(samples) // HOP
    level = 10 * np.log10((samples[: count * HOP].reshape(count, HOP) ** 2).mean(1) + 1e-10)
    level = np.maximum(level, np.roll(level, 1))
    loud = np.percentile(level, 95)
    threshold = max(loud - 32, min(np.percentile(level, 5) + 9, loud - 15))
    active = level > threshold
    active = signal.medfilt(active.astype(float), 3) > 0.5
    for value, least in ((False, 8), (True, 4)):
        runs = np.flatnonzero(np.diff(np.concatenate([[0], (active == value).astype(np.int8), [0]])))
        for start, end in zip(runs[::2], runs[1::2]):
            if end - start < least and start > 0 and end < count:
                active[start:end] = not value
    return active


def is_held_out(name: str) -> bool:
    """Returns whether a recording is for measurements: a sixth of the speakers, or of the recordings of a source."""
    kind, source, *rest = name.split("/")
    key = name if source in _UNNAMED else f"{source}/{rest[0]}"
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % _HELD_OUT_SHARE == 0


def load(corpus: Path, held_out: bool, sources: tuple[str, ...] = SENTENCES) -> list[Voice]:
    """Reads the utterances of some sources."""
    overlaps, voices = set(OVERLAPS.read_text().splitlines()), []
    files = [file for source in sources for file in sorted((corpus / "speech" / source).rglob("*.*"))]
    for file in files:
        name = str(file.relative_to(corpus))
        if file.suffix not in (".flac", ".opus") or name in overlaps or is_held_out(name) != held_out:
            continue
        samples = read(file)
        if len(samples) <= RATE // 2:
            continue
        active = activity(samples)
        found = np.flatnonzero(active)
        if len(found) < 30:
            continue
        first, last = found[0], found[-1] + 1
        part = samples[first * HOP : last * HOP]
        level = np.sqrt((part.reshape(-1, HOP)[active[first:last]] ** 2).mean())
        voices.append(Voice(name, (part * (0.05 / level)).astype(np.float32), active[first:last]))
    return voices
