"""Makes new scenes from the parts of others: a talker, an echo and a competing voice of different scenes, and a noise
of a scene or of the corpus."""

from __future__ import annotations

import argparse
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from corpus import Corpus
from make_scenes import before_of, first_sample, stacks, write
from scenes import Scene, SceneMaker, factor_to, scaled

_MICROPHONE, _REFERENCE, _NEAR, _COMPETING, _ECHO = range(5)
_files: dict = {}


class Remixer:
    """Takes parts of scenes at random."""

    def __init__(self, scenes: np.ndarray, before: np.ndarray, corpus: Corpus, seed: int):
        self.scenes, self.before = scenes, before
        self.random = np.random.default_rng(seed)
        self.maker = SceneMaker(corpus, [], seed)
        self.silence = np.zeros(scenes.shape[2], np.float32)

    def make(self) -> Scene:
        random = self.random
        kinds = ["double talk", "far end", "no echo", "near end", "noise"]
        kind = random.choice(kinds, p=[0.3, 0.12, 0.05, 0.35, 0.18])
        decibels = self.maker.level()
        level = 10 ** (decibels / 20)
        reference, echo, near, competing = (self.silence,) * 4
        before = np.zeros((2, 0), np.float32)
        if kind in ("double talk", "far end", "no echo"):
            place = self._place(_ECHO)
            reference, echo = self._parts(place, _REFERENCE, _ECHO)
            before = self.before[place]
            before = before[:, first_sample(before) :].astype(np.float32) / 32768
            factor = factor_to(echo, level * 10 ** (random.normal(1, 9) / 20))
            echo, before = echo * factor, before * np.array([[factor], [1]], np.float32)
        if kind == "no echo":
            echo, before = self.silence, before[:, :0]
        if kind in ("double talk", "no echo", "near end"):
            # Competing voices are farther away than the talkers of scenes that have them.
            has_competing = random.random() < 0.25
            near = scaled(*self._parts(self._place(*((_NEAR, _COMPETING) if has_competing else (_NEAR,))), _NEAR), level)
            if has_competing:
                competing = scaled(
                    *self._parts(self._place(_COMPETING), _COMPETING), level * 10 ** (-random.uniform(3, 20) / 20))
        distance = self.maker.noise_distance() if kind != "noise" else random.uniform(-8, 25)
        noise = scaled(self._noise(kind == "noise"), level * 10 ** (-distance / 20))
        return self.maker.mixed([near, competing, echo, noise], reference, before, decibels)

    def _place(self, *needed: int) -> int:
        """Returns the place of a scene in which some signals are not silent."""
        while True:
            place = self.random.integers(len(self.scenes))
            if all(np.abs(self.scenes[place, signal]).max() > 30 for signal in needed):
                return place

    def _parts(self, place: int, *wanted: int) -> list[np.ndarray]:
        return [self.scenes[place, k].astype(np.float32) / 32768 for k in wanted]

    def _noise(self, alone: bool) -> np.ndarray:
        choice = self.random.random()
        if choice < (0.85 if alone else 0.55):
            return self.maker.noise(len(self.silence), alone=alone)
        if choice < 0.85:  # babble
            return sum(
                scaled(*self._parts(self._place(_NEAR), _NEAR), 1) for _ in range(self.random.integers(3, 9)))
        while True:
            scene = self.scenes[self.random.integers(len(self.scenes))].astype(np.float32) / 32768
            if np.abs(scene[_MICROPHONE]).max() < 0.98:
                return scene[_MICROPHONE] - scene[_NEAR] - scene[_COMPETING] - scene[_ECHO]


def _start(folder: Path, scenes: Path, held_out: bool, seed: int) -> None:
    _files["all"] = (
        np.load(scenes, mmap_mode="r"), np.load(before_of(scenes), mmap_mode="r"), Corpus.load(folder, held_out), seed)


def _scene(index: int) -> tuple[np.ndarray, np.ndarray]:
    scenes, before, corpus, seed = _files["all"]
    return stacks(Remixer(scenes, before, corpus, seed + index).make())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", type=Path, help="folder with speech, noise, music and rir")
    options.add_argument("scenes", type=Path)
    options.add_argument("output", type=Path)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--held-out", action="store_true", help="use the held-out recordings")
    options.add_argument("--jobs", type=int, default=2)
    chosen = options.parse_args()
    with Pool(chosen.jobs, _start, (chosen.corpus, chosen.scenes, chosen.held_out, chosen.seed * 1_000_000)) as pool:
        write(chosen.output, chosen.count, pool.imap(_scene, range(chosen.count), chunksize=8))


if __name__ == "__main__":
    main()
