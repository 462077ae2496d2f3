"""Tells how well the engine's probability of a voice is calibrated, on the held-out examples: for
ten ranges of the probability, the mean probability and the share of frames with a voice."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from examples import FEATURE_VALUES
from features import BANDS, FEATURES
from network import MaskNetwork
from train_network import HELD_OUT
from weight_file import load

# The part of the last probability that remains in a frame: see `VoiceDecision` in the engine.
_KEPT = 0.93


def probabilities(network: MaskNetwork, examples: np.ndarray) -> np.ndarray:
    """Returns calls x frames of probabilities, which fall slowly as the engine's do."""
    inputs = torch.tensor(examples[..., :FEATURE_VALUES], dtype=torch.float32)
    with torch.no_grad():
        found = torch.sigmoid(network(inputs.reshape(*inputs.shape[:2], FEATURES, BANDS))[1]).numpy()
    for frame in range(1, found.shape[1]):
        found[:, frame] = np.maximum(found[:, frame], _KEPT * found[:, frame - 1])
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("weights", type=Path)
    options.add_argument("examples", type=Path, nargs="+")
    chosen = options.parse_args()
    network = MaskNetwork()
    network.load_state_dict(load(chosen.weights, "suppressor", network))
    examples = np.concatenate([np.load(file, mmap_mode="r")[-HELD_OUT:] for file in chosen.examples])
    found = np.concatenate([probabilities(network, examples[k : k + 8]) for k in range(0, len(examples), 8)])
    voice, ranges = examples[..., -1] > 0.5, np.minimum((found * 10).astype(int), 9)
    differences = []
    for index in range(10):
        inside = ranges == index
        if not inside.any():
            continue
        mean, share = found[inside].mean(), voice[inside].mean()
        differences.append(abs(mean - share))
        print(f"{index / 10:.1f} to {(index + 1) / 10:.1f}: {inside.sum():6} frames, probability {mean:.3f}, voice {share:.3f}")
    print(f"mean difference of the ranges: {np.mean(differences):.3f}")


if __name__ == "__main__":
    main()
