"""Trains the network on examples."""

from __future__ import annotations

import argparse
import copy
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

import features as hearing
from examples import AIMS, COMPRESSION, HEARD
from network import Suppressor


class Batches:
    """Random batches of examples."""

    def __init__(self, files: list[Path], size: int, seed: int):
        self.files = [np.load(file, mmap_mode="r") for file in files]
        self.places = [(file, index) for file, array in enumerate(self.files) for index in range(len(array))]
        self.size = size
        self.random = np.random.default_rng(seed)
        self.waiting: list[int] = []

    def next(self) -> torch.Tensor:
        """Returns calls x frames x values, as `examples.examples` orders them."""
        if len(self.waiting) < self.size:
            self.waiting = list(self.random.permutation(len(self.places)))
        chosen, self.waiting = self.waiting[: self.size], self.waiting[self.size :]
        examples = [self.files[file][index] for file, index in (self.places[k] for k in chosen)]
        return torch.tensor(np.stack(examples)).float()


def loss(network: Suppressor, batch: torch.Tensor, lost: float, interpolation: torch.Tensor) -> torch.Tensor:
    """Compares spectra after each of the three gains with their aims. Too little sound counts `lost` times as much as
    too much."""
    calls, frames = batch.shape[:2]
    heard, rest = batch[..., :HEARD], batch[..., HEARD:-1].reshape(calls, frames, 1 + 2 * AIMS, hearing.BINS)
    gains, logits, _ = network(heard.reshape(calls, frames, hearing.FEATURES, hearing.BANDS))
    error, aims, products = rest[:, :, 0], rest[:, :, 1 : 1 + AIMS], rest[:, :, 1 + AIMS :]
    compressed = (gains.float() @ interpolation).clamp(1e-5) ** COMPRESSION
    total, found = 0.3 * binary_cross_entropy_with_logits(logits.float(), batch[..., -1]), error
    for index in range(AIMS):
        found = found * compressed[:, index]
        aim = aims[:, :, index]
        difference = found - aim
        weight = 1 + (lost - 1) * (difference.detach() < 0)
        total = total + (weight * difference**2).mean()
        # The squared distance of two complex numbers, by the law of cosines.
        total = total + 0.3 * (found**2 + aim**2 - 2 * found * products[:, :, index]).mean()
    return total


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path)
    options.add_argument("examples", type=Path, nargs="+")
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--batch", type=int, default=8)
    options.add_argument("--rate", type=float, default=2e-3)
    options.add_argument("--lost", type=float, default=1.5, help="weight of lost speech")
    options.add_argument("--from", dest="start", type=Path, help="weights to go on from")
    options.add_argument("--bfloat16", action="store_true", help="faster where the processor has AMX")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(1)
    network = Suppressor()
    if chosen.start:
        network.load_state_dict(torch.load(chosen.start))
    average = copy.deepcopy(network)
    optimizer = torch.optim.AdamW(network.parameters(), lr=chosen.rate, weight_decay=1e-3)
    batches = Batches(chosen.examples, chosen.batch, chosen.seed)
    interpolation = torch.tensor(hearing.INTERPOLATION)
    began, step, mean = time.time(), 0, None
    while (done := (time.time() - began) / (60 * chosen.minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * (0.5 + 0.5 * np.cos(np.pi * done)) * min(1, (step + 1) / 50) + 1e-5
        with torch.autocast("cpu", torch.bfloat16, enabled=chosen.bfloat16):
            value = loss(network, batches.next(), chosen.lost, interpolation)
        optimizer.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        step += 1
        keep = min(0.998, 1 - 1 / (step + 1))
        with torch.no_grad():
            for old, new in zip(average.parameters(), network.parameters()):
                old.lerp_(new, 1 - keep)
        mean = value.item() if mean is None else 0.98 * mean + 0.02 * value.item()
        if step % 50 == 0:
            print(f"{(time.time() - began) / 60:.1f} min, step {step}: loss {mean:.4f}", flush=True)
            torch.save(average.state_dict(), chosen.output)
    torch.save(average.state_dict(), chosen.output)


if __name__ == "__main__":
    main()
