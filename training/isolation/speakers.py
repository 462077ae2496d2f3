"""Recordings by speaker: a table of all speakers of the corpus, a sixth of whom are held out for measurements."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent))
from corpus import OVERLAPS, RATE, recordings  # noqa: E402

# Sources without names of speakers: each recording counts as a speaker.
_UNNAMED = ("picovoice", "picovoice-wakeword", "mycroft-precise")
# Sources with one speaker in one folder.
_SINGLE = ("ljspeech",)
_HELD_OUT_SHARE = 6
# Pauses longer than this are cut, in frames of 10 ms.
_HOP, _LONGEST_PAUSE = RATE // 100, 40


@dataclass
class Speaker:
    """A speaker, and the recordings as int16 at 16 kHz, without long pauses."""

    name: str
    clips: list[np.ndarray] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return sum(map(len, self.clips)) / RATE


def speaker_of(path: str) -> str:
    """Returns the name of the speaker of a recording, from its path in the corpus."""
    _, source, *rest = path.split("/")
    if source in _UNNAMED:
        return path
    return source if source in _SINGLE else f"{source}/{rest[0]}"


def is_held_out(speaker: str) -> bool:
    """Returns whether a speaker is for measurements alone."""
    return int(hashlib.sha256(speaker.encode()).hexdigest(), 16) % _HELD_OUT_SHARE == 0


def without_pauses(samples: np.ndarray) -> np.ndarray:
    """Returns a recording of int16 whose long pauses are cut."""
    count = len(samples) // _HOP
    frames = samples[: count * _HOP].reshape(count, _HOP)
    level = 10 * np.log10((frames.astype(np.float32) ** 2).mean(1) + 1)
    active = level > np.percentile(level, 95) - 30
    since = np.where(active, 0, 1)
    for frame in range(1, count):
        since[frame] = 0 if active[frame] else since[frame - 1] + 1
    return frames[since < _LONGEST_PAUSE].ravel()


def load(folder: Path, held_out: bool, least: float = 1.0) -> list[Speaker]:
    """Reads all speakers with at least `least` seconds: those held out, or the others."""
    overlaps, found = set(OVERLAPS.read_text().splitlines()), {}
    for path, samples in recordings(folder, "speech"):
        name = speaker_of(path)
        if path not in overlaps and is_held_out(name) == held_out:
            found.setdefault(name, Speaker(name)).clips.append(without_pauses(samples))
    return [speaker for speaker in found.values() if speaker.seconds >= least]


def other_voice(samples: np.ndarray, pace: float) -> np.ndarray:
    """Returns a recording of int16 with another pitch, other formants and another tempo, as that of another speaker: floats
    with an effective value of 1."""
    voice = samples.astype(np.float32) / 32768
    voice = np.interp(np.arange(0, len(voice) - 1, pace), np.arange(len(voice)), voice).astype(np.float32)
    return voice / (np.sqrt(np.mean(voice**2)) + 1e-6)
