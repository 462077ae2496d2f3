"""Runs the engine's linear canceller over scenes, and writes the spectra of its output: what the network learns from."""

from __future__ import annotations

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from features import BANDS, BINS, HOP, SIZE, windowed


def render(program: Path, weights: Path, microphone: np.ndarray, reference: np.ndarray, warm: bool) -> np.ndarray:
    """Returns frames x BINS of one call. A warm canceller has heard the call before."""
    return windowed(run(program, weights, microphone, reference, warm)[:, :SIZE])


def run(program: Path, weights: Path, microphone: np.ndarray, reference: np.ndarray, warm: bool) -> np.ndarray:
    """Returns what the engine makes of a call: frames x (samples, three rows of gains, probability of voice)."""
    frames = np.stack([microphone.reshape(-1, HOP), reference.reshape(-1, HOP)], 1).astype("<f4")
    heard = np.concatenate([frames, frames]) if warm else frames
    done = subprocess.run([program, weights], input=heard.tobytes(), stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    return np.frombuffer(done.stdout, "<f4").reshape(-1, SIZE + 3 * BANDS + 1)[-len(frames):]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", type=Path, help="render-scenes, from `swift build -c release --product render-scenes`")
    options.add_argument("weights", type=Path)
    options.add_argument("scenes", type=Path)
    options.add_argument("output", type=Path)
    options.add_argument("--jobs", type=int, default=2)
    chosen = options.parse_args()
    scenes = np.load(chosen.scenes, mmap_mode="r")
    shape = (len(scenes), scenes.shape[2] // HOP, BINS, 2)
    output = np.lib.format.open_memmap(chosen.output, "w+", np.float16, shape)
    warm = np.random.default_rng(5).random(len(scenes)) < 0.4

    def one(index: int) -> None:
        microphone, reference = scenes[index, :2].astype(np.float32) / 32768
        found = render(chosen.program, chosen.weights, microphone, reference, bool(warm[index]))
        output[index] = found.view(np.float32).reshape(*found.shape, 2)

    # Not multiprocessing.pool, which waits for ever for a thread that has called sys.exit.
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for _ in pool.map(one, range(len(scenes))):
            pass


if __name__ == "__main__":
    main()
