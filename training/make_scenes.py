"""Writes scenes to a file of int16: scenes x signals x samples, signals as in `scenes.Scene`. A file beside it, see
`before_of`, has the call before each scene: scenes x (microphone, reference) x samples."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from corpus import RATE, Corpus, read
from scenes import COUNT, LONGEST_BEFORE, SORTS, Scene, SceneMaker

_maker: dict = {}


def before_of(scenes: Path) -> Path:
    """Returns the file with the calls before the scenes of a file."""
    return scenes.with_suffix(".before.npy")


def _start(folder: str, held_out: bool, seed: int, sort: str) -> None:
    corpus = Corpus.load(Path(folder), held_out)
    _maker["parts"] = (corpus, responses(Path(folder)), seed, SORTS[sort])


def responses(folder: Path) -> list[np.ndarray]:
    """Reads the measured responses, from 1 ms before their direct sound on, at most 1 s."""
    found = []
    for file in sorted((folder / "rir").rglob("*.flac")):
        samples = read(file)
        start = max(0, int(np.abs(samples).argmax()) - RATE // 1000)
        found.append(samples[start : start + RATE].astype(np.float32))
    return found


def _scene(index: int) -> tuple[np.ndarray, np.ndarray]:
    corpus, bank, seed, sort = _maker["parts"]
    return stacks(SceneMaker(corpus, bank, seed + index).make(sort))


def stacks(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Returns the arrays of a scene for `write`."""
    return scene.stack(), scene.stack_before()


def write(file: Path, count: int, scenes: Iterable[tuple[np.ndarray, np.ndarray]]) -> None:
    """Writes `count` scenes and the calls before them. Silence before a scene takes no room on the disk."""
    output = np.lib.format.open_memmap(file, "w+", np.int16, (count, 5, COUNT))
    before = np.lib.format.open_memmap(before_of(file), "w+", np.int16, (count, 2, int(LONGEST_BEFORE * RATE)))
    for index, (scene, earlier) in enumerate(scenes):
        output[index] = scene
        start = first_sample(earlier)
        before[index, :, start:] = earlier[:, start:]


def first_sample(before: np.ndarray) -> int:
    """Returns the first sample of the call before a scene, in whole frames. Silence fills the file before that."""
    sounds = before.any(0)
    return int(sounds.argmax()) // 160 * 160 if sounds.any() else before.shape[1]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", help="folder with speech, noise, music and rir")
    options.add_argument("output", type=Path)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--held-out", action="store_true", help="use the held-out recordings")
    options.add_argument("--sort", default="any", choices=SORTS, help="scenes of one sort, for evaluation")
    options.add_argument("--jobs", type=int, default=2)
    chosen = options.parse_args()
    start = (chosen.corpus, chosen.held_out, chosen.seed * 1_000_000, chosen.sort)
    with Pool(chosen.jobs, _start, start) as pool:
        write(chosen.output, chosen.count, pool.imap(_scene, range(chosen.count), chunksize=8))


if __name__ == "__main__":
    main()
