"""Makes examples for the network of other sounds: voices, music and noise in rooms, with a label for each step.

    python examples.py CORPUS PIECES OUTPUT.npz --count 1200 --seed 1 [--held-out]

CORPUS has speech, music, noise and rir, as for the campaign; PIECES is what pieces.py writes. A label is 1 where a voice
sounds, 0 where only music or noise does, and -1 where it does not matter.
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
# The softest frame that counts as a voice or as another sound, by the loud ones: -27 and -30 dB.
_SOFTEST_VOICE, _SOFTEST_OTHER = 10**-2.7, 1e-3
# The frames of 10 ms around a voice that count as neither.
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
        if choice < 0.42:
            samples, labels = self._voice()
        elif choice < 0.78:
            samples, labels = self._alone(self._music(), (10, 40))
        else:
            samples, labels = self._alone(self._loud_noise(), (0, 20))
        samples = samples * 10 ** (self._random.uniform(-50, -15) / 20)
        samples = samples + self._random.normal(size=len(samples)) * 1e-5
        return partial_features(decimated(samples)), labels[1::2].astype(np.float32)

    def _voice(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns a voice, alone, in noise or beside music."""
        random = self._random
        # Voices of children and of giants.
        voice = self._faster(self._of(self._material.voices), random.uniform(-0.4, 0.75), 0.45)
        if random.random() < 0.08:
            voice = sounds.whispered(random, voice)
        if random.random() < 0.25:
            voice = np.concatenate([np.zeros(int(random.uniform(1, 6) * RATE)), voice])[:_COUNT]
        voice = _level(self._tilted(self._in_room(voice)))
        choice = random.random()
        if choice < 0.45:
            other = self._noise(random.uniform(-3, 35))
        elif choice < 0.8:
            other = self._in_room(self._music()) * 10 ** (-random.uniform(-2, 25) / 20)
        else:
            other = np.zeros(_COUNT)
        return voice + other, _labels(_powers(voice), _powers(other))

    def _alone(self, sound: np.ndarray, below: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
        """Returns music or noise without a voice, half of them above another noise, softer by some dB."""
        sound = _level(self._tilted(self._in_room(sound)))
        power = _powers(sound)
        labels = np.where(power < _loud(power) * _SOFTEST_OTHER, -1, 0)
        if self._random.random() < 0.5:
            sound = sound + self._noise(self._random.uniform(*below))
        return sound, labels

    def _loud_noise(self) -> np.ndarray:
        """Returns noise that no voice makes, recorded or made."""
        random, choice = self._random, self._random.random()
        if choice < 0.5:
            return _level(self._faster(self._of(self._material.noises), random.uniform(-0.6, 0.6), 0.7))
        if choice < 0.56:
            return self._babble()
        make = (sounds.wind, sounds.rain, sounds.wind, sounds.rain, sounds.dishes, sounds.clicks, sounds.colored)
        return _level(make[random.integers(len(make))](random, _COUNT))

    def _babble(self) -> np.ndarray:
        voices = self._material.voices
        return _level(sum(_level(self._cut(self._of(voices), _COUNT)) for _ in range(self._random.integers(6, 13))))

    def _music(self) -> np.ndarray:
        random, choice = self._random, self._random.random()
        if choice < 0.4:
            return _level(self._cut(self._of(self._material.pieces), _COUNT))
        if choice < 0.52:
            return _level(sounds.instrument(random, _COUNT))
        return _level(self._faster(self._of(self._material.music), random.uniform(-0.4, 0.4), 1))

    def _noise(self, below: float) -> np.ndarray:
        return self._loud_noise() * 10 ** (-below / 20)

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


def _labels(voice: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Returns the label of each frame of a voice beside other sounds, by the powers of both."""
    talks = voice > _loud(voice) * _SOFTEST_VOICE
    is_near = np.convolve(talks, np.ones(2 * _MARGIN + 1), "same") > 0
    sounds = other > max(_loud(other), 1e-3 * _loud(voice)) * _SOFTEST_OTHER
    return np.where(talks & (voice > other), 1, np.where(is_near | ~sounds, -1, 0))


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
