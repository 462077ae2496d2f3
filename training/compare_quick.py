"""Compares the slopes of `QuickNetwork` with PyTorch's on noise. Exits with 1 if they differ."""

from __future__ import annotations

import sys

import numpy as np
import torch

from examples import VALUES
from network import Suppressor
from quick_network import QuickNetwork
from train_network import TorchNetwork

# The largest difference of a slope, as a part of the largest slope of the same tensor.
_TOLERANCE = 1e-4


def main() -> None:
    torch.manual_seed(1)
    random, network = np.random.default_rng(1), Suppressor()
    quick = QuickNetwork(network, threads=2)
    batches = [[random.uniform(0, 1, (50, VALUES)).astype(np.float16) for _ in range(3)] for _ in range(2)]
    found, worst = [], 0.0
    for learner in (quick, TorchNetwork(network, "cpu")):
        value = learner.learn(batches, 1.8, 0.6, np.array([1, 0.7, 0.5], np.float32)).sum()
        found.append((value, learner.state(learner.weights.grad)))
    (quick_value, quick_slopes), (value, slopes) = found
    for name, slope in slopes.items():
        worst = max(worst, float((quick_slopes[name] - slope).abs().max() / slope.abs().max()))
    print(f"losses {quick_value:.6f} and {value:.6f}, the largest difference of a slope is {worst:.1e} of the largest")
    sys.exit(1 if worst > _TOLERANCE or abs(quick_value - value) > 1e-4 * value else 0)


if __name__ == "__main__":
    main()
