"""Compares the gradients of `QuickNetwork` with PyTorch's on noise. Exits with 1 if they differ."""

from __future__ import annotations

import sys

import numpy as np
import torch

from examples import VALUES
from network import MaskNetwork
from quick_network import QuickNetwork
from train_network import TorchNetwork

# The largest difference of a gradient, as a part of the largest gradient of the same tensor.
_TOLERANCE = 1e-4


def main() -> None:
    torch.manual_seed(1)
    random, network = np.random.default_rng(1), MaskNetwork()
    quick = QuickNetwork(network, threads=2)
    batches = [[random.uniform(0, 1, (50, VALUES)).astype(np.float16) for _ in range(3)] for _ in range(2)]
    found, worst = [], 0.0
    for learner in (quick, TorchNetwork(network, "cpu")):
        value = learner.learn(batches, 1.8, 0.6, np.array([1, 0.7, 0.5], np.float32)).sum()
        found.append((value, learner.state(learner.weights.grad)))
    (quick_value, quick_gradients), (value, gradients) = found
    for name, gradient in gradients.items():
        worst = max(worst, float((quick_gradients[name] - gradient).abs().max() / gradient.abs().max()))
    print(f"losses {quick_value:.6f} and {value:.6f}, the largest difference of a gradient is {worst:.1e} of the largest")
    sys.exit(1 if worst > _TOLERANCE or abs(quick_value - value) > 1e-4 * value else 0)


if __name__ == "__main__":
    main()
