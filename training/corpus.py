"""Recordings that scenes are made from: a folder with `speech`, `noise` and `music`, one subfolder a source."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import soxr

RATE = 16000

# Sources and their licences are listed in the model card.
SPEECH = (
    "librispeech-resemblyzer picovoice-wakeword picovoice picovoice-samples ljspeech mycroft-precise vctk-autovc "
    "vctk-stargan libritts-r rhasspy-kerstin festvox-ru librosa-libri rtvc-samples riva-samples dali-librispeech "
    "thorsten-emotional asterisk fillets-ng tuxpaint-stamps ktuberling klettres 0ad-voices"
).split()
NOISE = (
    "blanket speech_commands_bg modern_alarm_clock_cc0 mycroft_pd_noise ibm_max_audio kitchen koala dishes speechbrain "
    "0ad_ambient megaglest_ambient bucklespring_typing tuxpaint_sfx flightgear torcs_engines pomodoro_clock"
).split()
MUSIC = "sonic_pi librosa visqol wesnoth singularity freedroidrpg asterisk_moh_opsound".split()


SOURCES = {"speech": SPEECH, "noise": NOISE, "music": MUSIC}
# Recordings that are also in test sets, as check_overlap.py found them. Paths are relative to the corpus.
OVERLAPS = Path(__file__).parent / "overlaps.txt"


@dataclass(frozen=True)
class Corpus:
    """All recordings in memory, as int16 at 16 kHz."""

    speech: list[np.ndarray]
    noise: list[np.ndarray]
    music: list[np.ndarray]

    @staticmethod
    def load(folder: Path, held_out: bool) -> "Corpus":
        """Reads the permitted sources without overlaps: the held-out tenth of each kind, or the rest."""
        overlaps = set(OVERLAPS.read_text().splitlines())
        return Corpus(*(
            [
                samples for index, (name, samples) in enumerate(recordings(folder, kind))
                if name not in overlaps and (index % 10 == 7) == held_out
            ]
            for kind in SOURCES))

    @staticmethod
    def cached(folder: Path, held_out: bool, cache: Path) -> "Corpus":
        """Does as `load`, but keeps the recordings in a file, which is read at once the next time."""
        lengths = cache.with_suffix(".lengths.npz")
        if not lengths.exists():
            found = Corpus.load(folder, held_out)
            np.save(cache, np.concatenate([*found.speech, *found.noise, *found.music]))
            counts = {kind: [len(clip) for clip in getattr(found, kind)] for kind in SOURCES}
            np.savez(lengths.with_suffix(".part.npz"), **counts)
            lengths.with_suffix(".part.npz").rename(lengths)
        samples, place, parts = np.load(cache, mmap_mode="r"), 0, []
        for counts in np.load(lengths).values():
            ends = place + np.cumsum(counts)
            parts.append([samples[end - count : end] for end, count in zip(ends, counts)])
            place = ends[-1]
        return Corpus(*parts)


def recordings(folder: Path, kind: str) -> Iterator[tuple[str, np.ndarray]]:
    """Yields the path of each recording of the permitted sources, relative to the folder, and its samples."""
    files = [
        file for source in SOURCES[kind]
        for file in sorted((folder / kind / source).rglob("*")) + sorted((folder / kind).glob(f"{source}.*"))
        if file.suffix in (".flac", ".wav", ".opus", ".ogg")]
    # libsndfile decodes without Python's lock.
    with ThreadPoolExecutor() as pool:
        for file, samples in zip(files, pool.map(_read_int16, files)):
            if len(samples) > RATE // 2:
                yield str(file.relative_to(folder)), samples


def _read_int16(file: Path) -> np.ndarray:
    return (np.clip(read(file), -1, 1) * 32767).astype(np.int16)


def read(file: Path) -> np.ndarray:
    """Reads the first channel of a file at 16 kHz."""
    samples, rate = soundfile.read(file, dtype="float32", always_2d=True)
    return samples[:, 0] if rate == RATE else soxr.resample(samples[:, 0], rate, RATE)
