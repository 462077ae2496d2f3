"""Makes scenes without end, in several processes, for a training that reads them as they come: chunks of rendered
scenes in a folder in memory. `scene_pool.py` keeps them on a GPU."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import make_scenes
from corpus import Corpus
from features import HOP, SIZE
from make_scenes import stacks
from remix import Remixer
from render import LEAD, render_windows
from scenes import COUNT, SceneMaker

FRAMES = COUNT // HOP
# The factor of the canceller's output in a chunk, which is stored with 16 bits.
ERROR_SCALE = 256
# The scenes of a chunk, and the last new scenes from which others are remixed.
SCENES = 16
_KEPT = 96
# The remixed chunks for each chunk of new scenes.
_REMIXED = 1
# The chunks that may wait in the folder.
_MOST_WAITING = 200
_SHAPES = (
    (np.dtype("<i2"), (SCENES, 5, COUNT)), (np.dtype("<i2"), (SCENES, 2, LEAD * HOP)),
    (np.dtype("<f2"), (SCENES, LEAD + FRAMES, SIZE)))


@dataclass(frozen=True)
class Source:
    """What scenes are made of: the corpus, its cache, `render-scenes` and the weights of the canceller."""

    corpus: Path
    cache: Path
    program: Path
    weights: Path


def read_chunk(file: Path) -> list[np.ndarray]:
    """Returns the signals, the lead and the canceller's output of the scenes of a chunk."""
    parts, content, place = [], np.fromfile(file, np.uint8), 0
    for kind, shape in _SHAPES:
        size = kind.itemsize * int(np.prod(shape))
        parts.append(content[place : place + size].view(kind).reshape(shape))
        place += size
    return parts


class ChunkMaker:
    """Makes the chunks of one process."""

    def __init__(self, source: Source, folder: Path, number: int):
        self._source, self._folder, self._number, self._made = source, folder, number, 0
        self._corpus = Corpus.cached(source.corpus, False, source.cache)
        self._bank = make_scenes.responses(source.corpus)
        self._scenes: list[tuple[np.ndarray, np.ndarray]] = []

    def make(self) -> None:
        """Makes a chunk of new scenes, and one of remixed ones."""
        new = [stacks(self._maker(k).make()) for k in range(SCENES)]
        self._write(new)
        self._scenes = [*self._scenes, *new][-_KEPT:]
        scenes, before = (np.stack(parts) for parts in zip(*self._scenes))
        for _ in range(_REMIXED):
            seed = self._seed()
            self._write([stacks(Remixer(scenes, before, self._corpus, seed + k).make()) for k in range(SCENES)])

    def _seed(self) -> int:
        return 20_000_000 * (self._number + 1) + 1000 * self._made

    def _maker(self, place: int) -> SceneMaker:
        return SceneMaker(self._corpus, self._bank, self._seed() + place)

    def _write(self, scenes: list[tuple[np.ndarray, np.ndarray]]) -> None:
        error = np.zeros(_SHAPES[2][1], np.float16)
        for row, (scene, before) in zip(error, scenes):
            found = render_windows(self._source.program, self._source.weights, scene, before) * ERROR_SCALE
            row[-len(found) :] = found
        parts = (
            np.stack([scene for scene, _ in scenes]), np.stack([before[:, -LEAD * HOP :] for _, before in scenes]), error)
        file = self._folder / f"{self._made:06}-{self._number:03}.part"
        with open(file, "wb") as output:
            for (kind, _), part in zip(_SHAPES, parts):
                output.write(np.ascontiguousarray(part, kind))
        file.rename(file.with_suffix(".chunk"))
        self._made += 1


def _run(source: Source, folder: Path, number: int, parent: int) -> None:
    os.nice(5)
    maker = ChunkMaker(source, folder, number)
    while os.getppid() == parent:
        if len(list(folder.glob("*.chunk"))) < _MOST_WAITING:
            maker.make()
        else:
            time.sleep(0.2)


def start(source: Source, folder: Path, jobs: int) -> list:
    """Starts the processes, which end with the one that called this function."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.*"):
        old.unlink()
    found = [
        get_context("spawn").Process(target=_run, args=(source, folder, number, os.getpid()), daemon=True)
        for number in range(jobs)]
    for process in found:
        process.start()
    return found
