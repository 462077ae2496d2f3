"""Runs the engine's linear canceller over scenes and the calls before them, and writes the spectra of its output, the
input of the training."""

from __future__ import annotations

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from features import BANDS, BINS, HOP, SIZE, windowed
from make_scenes import before_of, first_sample


# The frames before a scene that are kept, if there are as many: they give the features a state.
LEAD = 200


def render_scene(program: Path, weights: Path, scene: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Returns frames x BINS of a scene without echo, and of at most LEAD frames before it."""
    return windowed(render_windows(program, weights, scene, before))


def render_windows(program: Path, weights: Path, scene: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Returns frames x SIZE samples of a scene without echo, and of at most LEAD frames before it. The frames overlap by
    half, and both halves of one are the output of the same filter."""
    call = np.concatenate([before[:, first_sample(before) :], scene[:2]], 1).astype(np.float32) / 32768
    return _run([program, weights, "--linear"], *call, SIZE)[-(LEAD + scene.shape[1] // HOP) :]


def run(program: Path, weights: Path, microphone: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Returns the outputs of the engine for a call: frames x (samples, three rows of gains, probability of voice)."""
    return _run([program, weights], microphone, reference, SIZE + 3 * BANDS + 1)


def _run(command: list, microphone: np.ndarray, reference: np.ndarray, values: int) -> np.ndarray:
    frames = np.stack([microphone.reshape(-1, HOP), reference.reshape(-1, HOP)], 1).astype("<f4")
    done = subprocess.run(command, input=frames.tobytes(), stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    return np.frombuffer(done.stdout, "<f4").reshape(-1, values)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", type=Path, help="render-scenes, from `swift build -c release --product render-scenes`")
    options.add_argument("weights", type=Path)
    options.add_argument("scenes", type=Path)
    options.add_argument("output", type=Path)
    options.add_argument("--jobs", type=int, default=2)
    chosen = options.parse_args()
    scenes = np.load(chosen.scenes, mmap_mode="r")
    before = np.load(before_of(chosen.scenes), mmap_mode="r")
    shape = (len(scenes), LEAD + scenes.shape[2] // HOP, BINS, 2)
    output = np.lib.format.open_memmap(chosen.output, "w+", np.float16, shape)

    def one(index: int) -> None:
        found = render_scene(chosen.program, chosen.weights, scenes[index], before[index])
        # Frames before the beginning of a call stay empty, and take no room on the disk.
        output[index, -len(found) :] = found.view(np.float32).reshape(*found.shape, 2)

    # Not multiprocessing.pool, which waits for ever for a thread that has called sys.exit.
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for _ in pool.map(one, range(len(scenes))):
            pass


if __name__ == "__main__":
    main()
