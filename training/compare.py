"""Compares the engine's network with PyTorch's, frame by frame. Exits with 1 if they differ."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import torch

from features import BANDS, SIZE, features, spectra, windowed
from network import Suppressor
from render import run

# The largest difference of a gain or of a probability.
_TOLERANCE = 1e-4


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", type=Path, help="render-scenes")
    options.add_argument("weights", type=Path, help="the weights of both networks, as exported")
    options.add_argument("network", type=Path, help="the same weights of the network, as trained")
    options.add_argument("scenes", type=Path)
    options.add_argument("--count", type=int, default=4, help="scenes to compare")
    chosen = options.parse_args()
    network = Suppressor()
    network.load_state_dict(torch.load(chosen.network))
    worst = 0.0
    for scene in np.load(chosen.scenes, mmap_mode="r")[: chosen.count]:
        microphone, reference = scene[:2].astype(np.float32) / 32768
        found = run(chosen.program, chosen.weights, microphone, reference, warm=False)
        heard = features(windowed(found[:, :SIZE])[None], spectra(microphone[None]), spectra(reference[None]))
        with torch.no_grad():
            gains, voice, _ = network(torch.tensor(heard))
        wanted = gains[0].permute(1, 0, 2).reshape(len(found), 3 * BANDS).numpy()
        worst = max(
            worst, np.abs(wanted - found[:, SIZE:-1]).max(),
            np.abs(torch.sigmoid(voice[0]).numpy() - found[:, -1]).max())
    print(f"the largest difference of a gain or probability is {worst:.1e}")
    sys.exit(1 if worst > _TOLERANCE else 0)


if __name__ == "__main__":
    main()
