"""Makes the data of a campaign in portions: scenes, remixed scenes, the output of the canceller, and examples. New
portions replace old ones. Stops when the process that started it has ended."""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import make_scenes
from checkpoint import Checkpoint
from corpus import Corpus
from examples import VALUES, examples
from features import BINS, HOP
from make_scenes import stacks
from remix import Remixer
from render import LEAD, render_scene
from scenes import COUNT, LENGTH, SORTS, SceneMaker

# The examples of a portion that are made of new scenes: as many are remixed. The first portions are small, so that
# the training begins soon.
_SCENES = 160
_FIRST_SCENES = 64
# The portions that there are at least.
_LEAST = 5
# The calls that are turned into examples at once.
_PART = 16
# The held-out scenes of each sort.
_HELD_OUT = 32
# The times that each example is used on average (epochs) before another portion is made.
_EPOCHS = 4
_FRAMES = COUNT // HOP
_BYTES = 2 * _FRAMES * VALUES

_work: dict = {}


class Portions:
    """The files of a campaign's folder that have examples."""

    def __init__(self, folder: Path):
        self._checkpoint = folder / "checkpoint.pt"
        self.folder = folder / "portions"
        self.held_out = folder / "held-out"

    def files(self) -> list[Path]:
        """Returns the complete portions, the oldest first."""
        return sorted(self.folder.glob("[0-9]*.npy"))

    def held_out_examples(self) -> dict[str, np.ndarray]:
        """Returns the held-out examples of each sort."""
        files = {sort: self.held_out / f"{sort}.npy" for sort in SORTS}
        return {sort: np.load(file, mmap_mode="r") for sort, file in files.items() if file.exists()}

    def are_used_up(self) -> bool:
        """Returns whether the examples have been used often enough, so that another portion is due."""
        made = sum(np.load(file, mmap_mode="r").shape[0] for file in self.files())
        dropped = self._dropped()
        if len(self.files()) < _LEAST or not self._checkpoint.exists():
            return True
        hours = (made + dropped) * LENGTH / 3600
        return Checkpoint.read(self._checkpoint).course.hours_heard > _EPOCHS * hours

    def _dropped(self) -> int:
        """Returns the number of examples that were removed."""
        kept = self.folder / "dropped"
        return int(kept.read_text()) if kept.exists() else 0

    def drop_others(self) -> None:
        """Removes unfinished files, and all data if the code of the features has changed since they were made."""
        digest, kept = hashlib.sha256(), self.folder / "code.sha256"
        for name in ("features.py", "examples.py"):
            digest.update((Path(__file__).parent / name).read_bytes())
        for folder in (self.folder, self.held_out):
            folder.mkdir(parents=True, exist_ok=True)
        for file in self.folder.glob("*.part"):
            file.unlink()
        if not kept.exists() or kept.read_text() != digest.hexdigest():
            for file in (*self.folder.glob("*.npy"), *self.held_out.glob("*.npy"), self.folder / "dropped"):
                file.unlink(missing_ok=True)
            kept.write_text(digest.hexdigest())

    def drop_old(self, most_bytes: float) -> None:
        """Removes the oldest portions, so that another fits."""
        files = self.files()
        while files and sum(file.stat().st_size for file in files) + 3 * _BYTES * _SCENES > most_bytes:
            oldest = files.pop(0)
            (self.folder / "dropped").write_text(str(self._dropped() + np.load(oldest, mmap_mode="r").shape[0]))
            oldest.unlink()


def _start(corpus: Path, folder: Path, held_out: bool, program: Path, weights: Path) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.nice(max(0, 19 - os.nice(0)))
    name = "held-out" if held_out else "corpus"
    _work.update(
        corpus=Corpus.cached(corpus, held_out, folder / f"{name}.npy"), bank=make_scenes.responses(corpus),
        program=program, weights=weights)


def _made(seeds: range, sort: str) -> list[tuple[np.ndarray, np.ndarray]]:
    return [stacks(SceneMaker(_work["corpus"], _work["bank"], seed).make(SORTS[sort])) for seed in seeds]


def _remixed(file: Path, seeds: range) -> list[tuple[np.ndarray, np.ndarray]]:
    scenes, before = np.load(file, mmap_mode="r"), np.load(make_scenes.before_of(file), mmap_mode="r")
    return [stacks(Remixer(scenes, before, _work["corpus"], seed).make()) for seed in seeds]


def _examples(made: list[tuple[np.ndarray, np.ndarray]], seed: int) -> np.ndarray:
    """Renders scenes, and returns their examples."""
    error = np.zeros((len(made), LEAD + _FRAMES, BINS), np.complex64)
    for index, (scene, before) in enumerate(made):
        found = render_scene(_work["program"], _work["weights"], scene, before)
        error[index, -len(found) :] = found
    scenes, before = (np.stack(parts) for parts in zip(*made))
    return examples(scenes, before[:, :, -LEAD * HOP :], error, np.random.default_rng(seed))


def _new_part(seeds: range, sort: str) -> tuple[list, np.ndarray]:
    made = _made(seeds, sort)
    return made, _examples(made, seeds[0])


def _remixed_part(file: Path, seeds: range) -> np.ndarray:
    return _examples(_remixed(file, seeds), seeds[0])


class Maker:
    """Makes portions with some processes."""

    def __init__(self, options: argparse.Namespace, held_out: bool):
        start = (options.corpus, options.folder, held_out, options.render, options.weights)
        self._pool = get_context("forkserver").Pool(options.jobs, _start, start)
        self._scratch, self._parent = options.folder / "scratch.npy", os.getppid()

    def close(self) -> None:
        self._pool.terminate()

    def make_held_out(self, sort: str, file: Path) -> None:
        """Makes the held-out examples of a sort."""
        first = 10**9 + 1000 * list(SORTS).index(sort)
        work = [self._pool.apply_async(_new_part, (part, sort)) for part in _split(first, _HELD_OUT)]
        self._write(file, _HELD_OUT, (found for _, found in map(self._wait, work)))

    def portion(self, number: int, file: Path, count: int) -> None:
        """Makes a portion of `count` new scenes and as many remixed ones."""
        self._write(file, 2 * count, self._portion(10_000 * number, count))

    def _portion(self, first: int, count: int) -> Iterator[np.ndarray]:
        work = [self._pool.apply_async(_new_part, (part, "any")) for part in _split(first, count)]
        scenes: list = []
        for made, found in map(self._wait, work):
            scenes += made
            yield found
        make_scenes.write(self._scratch, count, scenes)
        for part in [
            self._pool.apply_async(_remixed_part, (self._scratch, part)) for part in _split(first + 5_000, count)
        ]:
            yield self._wait(part)

    def _write(self, file: Path, count: int, parts: Iterable[np.ndarray]) -> None:
        unfinished = file.with_suffix(".part")
        with open(unfinished, "wb") as output:
            shape = {"descr": "<f2", "fortran_order": False, "shape": (count, _FRAMES, VALUES)}
            np.lib.format.write_array_header_1_0(output, shape)
            for part in parts:
                output.write(part.tobytes())
        unfinished.rename(file)

    def _wait(self, result):
        """Returns a result of the pool, as long as someone wants it."""
        while not result.ready():
            result.wait(1)
            if os.getppid() != self._parent:
                self.close()
                sys.exit(0)
        return result.get()


def _split(first: int, count: int) -> list[range]:
    return [range(seed, min(seed + _PART, first + count)) for seed in range(first, first + count, _PART)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", type=Path, help="folder with speech, noise, music and rir")
    options.add_argument("folder", type=Path, help="the folder of the campaign")
    options.add_argument("--render", type=Path, required=True, help="render-scenes")
    options.add_argument("--weights", type=Path, required=True, help="weights whose adaptation the canceller uses")
    options.add_argument("--first", type=int, default=0, help="the number of the next portion, at least")
    options.add_argument("--gigabytes", type=float, default=10, help="the room for portions on the disk")
    options.add_argument("--jobs", type=int, default=1)
    chosen = options.parse_args()
    os.nice(max(0, 19 - os.nice(0)))
    # The pool ends in order.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    portions = Portions(chosen.folder)
    portions.drop_others()
    missing = [sort for sort in SORTS if not (portions.held_out / f"{sort}.npy").exists()]
    if missing:
        maker = Maker(chosen, held_out=True)
        for sort in missing:
            maker.make_held_out(sort, portions.held_out / f"{sort}.npy")
        maker.close()
    maker, parent = Maker(chosen, held_out=False), os.getppid()
    numbers = [int(file.stem) for file in portions.files()]
    number = max([chosen.first, *(number + 1 for number in numbers)])
    while True:
        while not portions.are_used_up():
            time.sleep(5)
            if os.getppid() != parent:
                return
        portions.drop_old(1e9 * chosen.gigabytes)
        began, count = time.time(), _SCENES if len(portions.files()) > 2 else _FIRST_SCENES
        maker.portion(number, portions.folder / f"{number:06}.npy", count)
        print(f"portion {number}: {2 * count} examples in {time.time() - began:.0f} s", flush=True)
        number += 1


if __name__ == "__main__":
    main()
