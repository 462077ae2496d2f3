"""Makes examples for the instrument network: voices, music and both, in rooms and noise, with a label for each step.

    python examples.py CORPUS PIECES OUTPUT.npz --count 1200 --seed 1 [--held-out]

CORPUS has speech, music, noise and rir, as for the campaign; PIECES is what pieces.py writes. A label is 1 where a voice
sounds, 0 where music sounds alone, and -1 where it does not matter. Noise alone has 1: only instruments count here.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from inputs import decimated, partial_features
from scipy.signal import fftconvolve

sys.path.append(str(Path(__file__).parent.parent))
import sounds  # noqa: E402
from corpus import OVERLAPS, read, recordings  # noqa: E402

RATE, SECONDS, HOP = 16000, 8, 160
_COUNT = RATE * SECONDS
_SUFFIXES = {".wav", ".flac", ".ogg", ".opus"}
# Music with voices, which no label could be right for.
_WITH_VOICES = ("Lets_Go_Fishin", "voxy", "choir", "robot_dity", "vocal")
# Recordings by which the network is judged: it never hears them.
JUDGED = ("Sugar_Plum", "Vibe_Ace", "glock48", "guitar48", "harpsichord48", "wesnoth/sad")
# The softest frame that counts as voice or music, by the loud ones: -27 and -30 dB.
_SOFTEST_VOICE, _SOFTEST_MUSIC = 10**-2.7, 1e-3
# The frames around a voice that count as neither.
_MARGIN = 15


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES)


class Material:
    """The recordings of training, or those held out: a tenth of each kind, as for the other networks."""

    def __init__(self, corpus: Path, pieces: Path, held_out: bool):
        overlaps = set(OVERLAPS.read_text().splitlines())

        def of_corpus(kind: str, without: tuple[str, ...] = ()) -> list[np.ndarray]:
            return [
                samples.astype(np.float32) / 32768 for index, (name, samples) in enumerate(recordings(corpus, kind))
                if (index % 10 == 7) == held_out and name not in overlaps and not any(part in name for part in without)]

        def made(kind: str) -> list[np.ndarray]:
            return [read(path) for index, path in enumerate(files(pieces / kind)) if (index % 10 == 7) == held_out]

        # Few voices are machines. Each of theirs is heard twice as often.
        self.voices = of_corpus("speech") + 2 * made("readings")
        self.noises, self.pieces = of_corpus("noise"), made("pieces")
        self.music = [
            piece[start : start + _COUNT] for piece in of_corpus("music", (*JUDGED, *_WITH_VOICES))
            for start in range(0, max(1, len(piece) - _COUNT // 2), _COUNT)]
        self.rooms = [room / np.abs(room).max() for room in (read(path)[:RATE] for path in files(corpus / "rir"))]


class Maker:
    """Makes examples of 8 s."""

    def __init__(self, material: Material, seed: int):
        self._material, self._random = material, np.random.default_rng(seed)

    def example(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the inputs of an example, and the label of each step."""
        choice = self._random.random()
        if choice < 0.04:
            samples, labels = _level(sounds.colored(self._random, _COUNT)), np.ones(_COUNT // HOP)
        elif choice < 0.55:
            samples, labels = self._voice()
        else:
            samples, labels = self._music_alone()
        samples = samples * 10 ** (self._random.uniform(-50, -15) / 20)
        samples = samples + self._random.normal(size=len(samples)) * 1e-5
        return partial_features(decimated(samples)), labels[1::2].astype(np.float32)

    def _voice(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns a voice, alone, in noise or beside music."""
        random = self._random
        # Voices of children and of giants.
        voice = self._faster(self._of(self._material.voices), random.uniform(-0.4, 0.75), 0.45)
        voice = _level(self._tilted(self._in_room(voice)))
        power = _powers(voice)
        talks = power > _loud(power) * _SOFTEST_VOICE
        is_near = np.convolve(talks, np.ones(2 * _MARGIN + 1), "same") > 0
        choice = random.random()
        labels = np.where(talks, 1, np.where(is_near, -1, 1))
        if choice < 0.35:
            return voice + self._noise(random.uniform(5, 35)), labels
        if choice < 0.8:
            labels = np.where(talks, 1, np.where(is_near, -1, 0))
            return voice + self._in_room(self._music()) * 10 ** (-random.uniform(-2, 25) / 20), labels
        return voice, labels

    def _music_alone(self) -> tuple[np.ndarray, np.ndarray]:
        music = _level(self._tilted(self._in_room(self._music())))
        power = _powers(music)
        labels = np.where(power < _loud(power) * _SOFTEST_MUSIC, -1, 0)
        if self._random.random() < 0.5:
            music = music + self._noise(self._random.uniform(10, 40))
        return music, labels

    def _music(self) -> np.ndarray:
        random, choice = self._random, self._random.random()
        if choice < 0.4:
            return _level(self._cut(self._of(self._material.pieces), _COUNT))
        if choice < 0.52:
            return _level(sounds.instrument(random, _COUNT))
        return _level(self._faster(self._of(self._material.music), random.uniform(-0.4, 0.4), 1))

    def _noise(self, below: float) -> np.ndarray:
        return _level(self._cut(self._of(self._material.noises), _COUNT)) * 10 ** (-below / 20)

    def _of(self, sounds: list[np.ndarray]) -> np.ndarray:
        return sounds[self._random.integers(len(sounds))]

    def _faster(self, sound: np.ndarray, octaves: float, share: float) -> np.ndarray:
        """Returns 8 s of a sound, a share of all faster and higher by a part of an octave."""
        factor = 2**octaves if self._random.random() < share else 1
        part = self._cut(sound, int(_COUNT * factor) + 2)
        return np.interp(np.arange(_COUNT) * factor, np.arange(len(part)), part)

    def _cut(self, sound: np.ndarray, count: int) -> np.ndarray:
        """Returns a part of a sound, or the sound again and again with pauses."""
        if len(sound) >= count:
            start = self._random.integers(len(sound) - count + 1)
            return sound[start : start + count]
        result, place = np.zeros(count, np.float32), 0
        while place < count:
            length = min(len(sound), count - place)
            result[place : place + length] = sound[:length]
            place += length + int(self._random.uniform(0.1, 1) * RATE)
        return result

    def _in_room(self, sound: np.ndarray) -> np.ndarray:
        return sound if self._random.random() < 0.5 else fftconvolve(sound, self._of(self._material.rooms))[:_COUNT]

    def _tilted(self, sound: np.ndarray) -> np.ndarray:
        tilt = self._random.uniform(-0.4, 0.6)
        return np.concatenate([sound[:1], sound[1:] - tilt * sound[:-1]])


def _level(sound: np.ndarray) -> np.ndarray:
    return sound / (np.sqrt(np.mean(sound**2)) + 1e-9)


def _powers(sound: np.ndarray) -> np.ndarray:
    return np.convolve((sound**2).reshape(-1, HOP).sum(1), np.ones(3) / 3, "same")


def _loud(powers: np.ndarray) -> float:
    return np.percentile(powers, 95) + 1e-12


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("corpus", type=Path)
    options.add_argument("pieces", type=Path)
    options.add_argument("output", type=Path)
    options.add_argument("--count", type=int, default=1200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--held-out", action="store_true")
    chosen = options.parse_args()
    maker = Maker(Material(chosen.corpus, chosen.pieces, chosen.held_out), chosen.seed)
    examples = [maker.example() for _ in range(chosen.count)]
    inputs, labels = (np.stack(part) for part in zip(*examples))
    np.savez(chosen.output, inputs=inputs.astype(np.float16), labels=labels)


if __name__ == "__main__":
    main()
