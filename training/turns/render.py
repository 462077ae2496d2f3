"""Makes scenes and computes their features with the session's own code."""

from __future__ import annotations

import argparse
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

from network import FEATURES
from scenes import FRAMES, Maker, Material, Scene

_SCORES = 4


class Renderer:
    """A process that runs sessions with an engine."""

    def __init__(self, program: Path, engine: str):
        self._process = subprocess.Popen([program, engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def render(self, microphone: np.ndarray, reference: np.ndarray | None) -> np.ndarray:
        """Returns the features and the scores of each 10 ms of a signal at 16 kHz."""
        frames = len(microphone) // 160
        self._process.stdin.write(struct.pack("<ii", frames, reference is not None))
        for part in (microphone, reference):
            if part is not None:
                self._process.stdin.write(part[: frames * 160].astype("<f4").tobytes())
        self._process.stdin.flush()
        size = frames * (FEATURES + _SCORES) * 4
        return np.frombuffer(self._process.stdout.read(size), "<f4").reshape(-1, FEATURES + _SCORES)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", type=Path, help="render-turns")
    options.add_argument("corpus", type=Path)
    options.add_argument("output", type=Path, help="the file of features and labels, .npz")
    options.add_argument("--count", type=int, default=500)
    options.add_argument("--first", type=int, default=0, help="the number of the first scene")
    options.add_argument("--held-out", action="store_true")
    chosen = options.parse_args()
    maker = Maker(Material.load(chosen.corpus, chosen.held_out, chosen.output.parent, np.random.default_rng(1)))
    renderers = {name: Renderer(chosen.program, name) for name in ("anechoic", "webrtc-audio-processing")}
    features = np.zeros((chosen.count, FRAMES, FEATURES), np.float16)
    kinds, pauses = np.zeros((2, chosen.count, FRAMES), np.uint8)
    for index in range(chosen.count):
        scene: Scene = maker.scene(chosen.first + index)
        engine = "webrtc-audio-processing" if index % 6 == 5 else "anechoic"
        found = renderers[engine].render(scene.microphone, scene.reference)[:, :FEATURES]
        features[index, : len(found)] = found
        kinds[index], pauses[index] = scene.kinds, scene.pauses
        if index % 50 == 0:
            print(index, file=sys.stderr, flush=True)
    np.savez(chosen.output, features=features, kinds=kinds, pauses=pauses)


if __name__ == "__main__":
    main()
