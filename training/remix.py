"""Makes new scenes from the parts of others: a talker, an echo and a competing voice of different scenes, and a noise
of a scene or of the corpus."""

from __future__ import annotations

import argparse
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from corpus import Corpus
from make_scenes import write
from scenes import Scene, SceneMaker, scaled

_MICROPHONE, _REFERENCE, _NEAR, _RIVAL, _ECHO = range(5)
_files: dict = {}


class Remixer:
    """Takes parts of scenes at random."""

    def __init__(self, scenes: np.ndarray, corpus: Corpus, seed: int):
        self.scenes = scenes
        self.random = np.random.default_rng(seed)
        self.maker = SceneMaker(corpus, [], seed)
        self.silence = np.zeros(scenes.shape[2], np.float32)

    def make(self) -> Scene:
        random = self.random
        kinds = ["double talk", "far end", "no echo", "near end", "noise"]
        kind = random.choice(kinds, p=[0.22, 0.05, 0.05, 0.43, 0.25])
        level = 10 ** (random.normal(-27, 6) / 20)
        reference, echo, near, rival = (self.silence,) * 4
        if kind in ("double talk", "far end", "no echo"):
            reference, echo = self._parts(_ECHO, _REFERENCE, _ECHO)
        if kind == "no echo":
            echo = self.silence
        echo = scaled(echo, level * 10 ** (random.normal(1, 9) / 20))
        if kind in ("double talk", "no echo", "near end"):
            near = scaled(*self._parts(_NEAR, _NEAR), level)
        if random.random() < 0.1:
            rival = scaled(*self._parts(_NEAR, _NEAR), level * 10 ** (-random.uniform(6, 22) / 20))
        distance = random.uniform(-6, 20) if random.random() < 0.65 else random.uniform(20, 50)
        noise = scaled(self._noise(), level * 10 ** (-distance / 20))
        microphone = near + rival + echo + noise
        factor = min(1, 0.99 / (np.abs(microphone).max() + 1e-9))
        near, rival, echo, microphone = (part * factor for part in (near, rival, echo, microphone))
        return Scene(microphone, reference, near, rival, echo)

    def _parts(self, needed: int, *wanted: int) -> list[np.ndarray]:
        """Returns signals of a scene in which one signal is not silent."""
        while True:
            scene = self.scenes[self.random.integers(len(self.scenes))]
            if np.abs(scene[needed]).max() > 30:
                return [scene[k].astype(np.float32) / 32768 for k in wanted]

    def _noise(self) -> np.ndarray:
        choice = self.random.random()
        if choice < 0.65:
            return self.maker.noise(len(self.silence))
        if choice < 0.85:  # babble
            return sum(scaled(*self._parts(_NEAR, _NEAR), 1) for _ in range(self.random.integers(3, 9)))
        while True:
            scene = self.scenes[self.random.integers(len(self.scenes))].astype(np.float32) / 32768
            if np.abs(scene[_MICROPHONE]).max() < 0.98:
                return scene[_MICROPHONE] - scene[_NEAR] - scene[_RIVAL] - scene[_ECHO]


def _start(folder: Path, scenes: Path, held_out: bool, seed: int) -> None:
    _files["all"] = (np.load(scenes, mmap_mode="r"), Corpus.load(folder, held_out), seed)


def _scene(index: int) -> np.ndarray:
    scenes, corpus, seed = _files["all"]
    return Remixer(scenes, corpus, seed + index).make().stack()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", type=Path, help="folder with speech, noise, music and rir")
    options.add_argument("scenes", type=Path)
    options.add_argument("output", type=Path)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--held-out", action="store_true", help="use the recordings that training never hears")
    options.add_argument("--jobs", type=int, default=2)
    chosen = options.parse_args()
    with Pool(chosen.jobs, _start, (chosen.corpus, chosen.scenes, chosen.held_out, chosen.seed * 1_000_000)) as pool:
        write(chosen.output, chosen.count, pool.imap(_scene, range(chosen.count), chunksize=8))


if __name__ == "__main__":
    main()
