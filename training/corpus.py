"""Recordings that scenes are made from: a folder with `speech`, `noise` and `music`, one subfolder a source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

RATE = 16000

# Sources whose licences let weights be published under any terms (see the model card).
SPEECH = (
    "librispeech-resemblyzer picovoice-wakeword picovoice picovoice-samples ljspeech mycroft-precise vctk-autovc "
    "vctk-stargan libritts-r rhasspy-kerstin festvox-ru librosa-libri rtvc-samples riva-samples dali-librispeech "
    "thorsten-emotional"
).split()
NOISE = (
    "blanket speech_commands_bg modern_alarm_clock_cc0 mycroft_pd_noise ibm_max_audio kitchen koala dishes speechbrain"
).split()
MUSIC = "sonic_pi librosa visqol".split()


@dataclass(frozen=True)
class Corpus:
    """All recordings in memory, as int16 at 16 kHz."""

    speech: list[np.ndarray]
    noise: list[np.ndarray]
    music: list[np.ndarray]

    @staticmethod
    def load(folder: Path) -> "Corpus":
        """Reads the permitted sources. Every tenth file of a kind is left for `held_out`."""
        return Corpus(*(_read(folder / kind, names) for kind, names in _KINDS))

    def split(self, held_out: bool) -> "Corpus":
        """Returns the tenth that training never hears, or the rest."""
        return Corpus(*([clip for index, clip in enumerate(clips) if (index % 10 == 7) == held_out]
                        for clips in (self.speech, self.noise, self.music)))


_KINDS = (("speech", SPEECH), ("noise", NOISE), ("music", MUSIC))


def _read(folder: Path, names: list[str]) -> list[np.ndarray]:
    clips = []
    for name in names:
        files = sorted((folder / name).rglob("*")) + sorted(folder.glob(f"{name}.*"))
        for file in files:
            if file.suffix not in (".flac", ".wav", ".opus", ".ogg"):
                continue
            samples, rate = soundfile.read(file, dtype="float32", always_2d=True)
            samples = samples[:, 0]
            if rate != RATE:
                samples = soxr.resample(samples, rate, RATE)
            if len(samples) > RATE // 2:
                clips.append((np.clip(samples, -1, 1) * 32767).astype(np.int16))
    return clips
