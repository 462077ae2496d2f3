"""Writes scenes to a file of int16: scenes x signals x samples, signals as in `scenes.Scene`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from corpus import RATE, Corpus, read
from scenes import LENGTH, SceneMaker

_maker: dict = {}


def _start(folder: str, held_out: bool, seed: int) -> None:
    corpus = Corpus.load(Path(folder), held_out)
    _maker["parts"] = (corpus, _responses(Path(folder)), seed)


def _responses(folder: Path) -> list[np.ndarray]:
    """Reads the measured responses, from 1 ms before their direct sound on, at most 1 s."""
    found = []
    for file in sorted((folder / "rir").rglob("*.flac")):
        samples = read(file)
        start = max(0, int(np.abs(samples).argmax()) - RATE // 1000)
        found.append(samples[start : start + RATE].astype(np.float32))
    return found


def _scene(index: int) -> np.ndarray:
    corpus, responses, seed = _maker["parts"]
    return SceneMaker(corpus, responses, seed + index).make().stack()


def write(file: Path, count: int, scenes: Iterable[np.ndarray]) -> None:
    output = np.lib.format.open_memmap(file, "w+", np.int16, (count, 5, int(LENGTH * RATE)))
    for index, scene in enumerate(scenes):
        output[index] = scene


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", help="folder with speech, noise, music and rir")
    options.add_argument("output", type=Path)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--held-out", action="store_true", help="use the recordings that training never hears")
    options.add_argument("--jobs", type=int, default=2)
    chosen = options.parse_args()
    start = (chosen.corpus, chosen.held_out, chosen.seed * 1_000_000)
    with Pool(chosen.jobs, _start, start) as pool:
        write(chosen.output, chosen.count, pool.imap(_scene, range(chosen.count), chunksize=8))


if __name__ == "__main__":
    main()
