"""Compares the engine's linear canceller and network with PyTorch's, frame by frame. Exits with 1 if they differ."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import torch

from features import HOP, SIZE
from linear import LearnedFilter
from network import MaskNetwork
from render import run
from store import expected
from voice_network import VoiceNetwork
from weight_file import load

# The largest difference of a sample by full scale, and of a gain or of a probability: these differ more where the echo
# estimate of a loud call is nothing but rounding.
_TOLERANCE, _TOLERANCE_OF_GAINS = 1e-4, 5e-3


def linear(model: LearnedFilter, microphone: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Returns the output of PyTorch's linear canceller for a call: frames x SIZE. As in the engine, a frame is never
    louder than the microphone."""
    state = model.start(1)
    frames = [torch.tensor(samples).reshape(-1, 1, HOP) for samples in (microphone, reference)]
    with torch.no_grad():
        found = np.stack([model.frame(state, *frame)[0].numpy() for frame in zip(*frames)])
    padded = np.concatenate([np.zeros(HOP, np.float32), microphone]).reshape(-1, HOP)
    most = (np.concatenate([padded[:-1], padded[1:]], 1) ** 2).mean(1)
    return found * np.sqrt(np.minimum(1, most / np.maximum((found**2).mean(1), 1e-20)))[:, None]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", type=Path, help="render-scenes")
    options.add_argument("weights", type=Path, help="the weights of all networks, as exported")
    options.add_argument("network", type=Path, help="the same weights of the network, as trained")
    options.add_argument("scenes", type=Path)
    options.add_argument("--count", type=int, default=4, help="scenes to compare")
    chosen = options.parse_args()
    network = MaskNetwork()
    network.load_state_dict(torch.load(chosen.network))
    decision = VoiceNetwork()
    decision.load_state_dict(load(chosen.weights, "voice", decision))
    canceller = LearnedFilter()
    canceller.load_state_dict(load(chosen.weights, "adaptation", canceller))
    worst, worst_sample = 0.0, 0.0
    for scene in np.load(chosen.scenes, mmap_mode="r")[: chosen.count]:
        microphone, reference = scene[:2].astype(np.float32) / 32768
        found = run(chosen.program, chosen.weights, microphone, reference)
        samples = linear(canceller, microphone, reference)
        worst_sample = max(worst_sample, np.abs(samples - found[:, :SIZE]).max())
        wanted = expected(network, decision, found, microphone, reference)
        worst = max(worst, np.abs(wanted - found[:, SIZE:]).max())
    print(f"the largest difference of a gain or probability is {worst:.1e}, of a sample {worst_sample:.1e}")
    sys.exit(1 if worst > _TOLERANCE_OF_GAINS or worst_sample > _TOLERANCE else 0)


if __name__ == "__main__":
    main()
