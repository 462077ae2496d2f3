"""Trains the mask network on examples: on a GPU by PyTorch, otherwise by `QuickNetwork`."""

from __future__ import annotations

import argparse
import functools
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

import features
from augmentation import augmented
from examples import COMPRESSION, FEATURE_VALUES, TARGETS
from network import MaskNetwork
from quick_network import QuickNetwork
from weight_file import load

# The examples at the end of each file that are held out.
HELD_OUT = 60


class Batches:
    """Random parts of examples, each frames x values as `examples.examples` orders them."""

    def __init__(self, files: list[Path], seed: int):
        self._files = [np.load(file, mmap_mode="r") for file in files]
        self._random = np.random.default_rng(seed)
        self._waiting: list[tuple[int, int]] = []
        # Of a whole example.
        self.frames = self._files[0].shape[1]

    def next(self, size: int, frames: int) -> list[np.ndarray]:
        """Returns parts of `size` examples, some of them changed by `augmented`."""
        return list(augmented(np.stack(self.parts(size, frames)), self._random))

    def parts(self, size: int, frames: int) -> list[np.ndarray]:
        """Returns parts of `size` examples as they are."""
        if len(self._waiting) < size:
            places = [(file, index) for file, array in enumerate(self._files)
                      for index in range(max(1, len(array) - HELD_OUT))]
            self._waiting = [places[k] for k in self._random.permutation(len(places))]
        chosen, self._waiting = self._waiting[:size], self._waiting[size:]
        return [self._part(file, index, frames) for file, index in chosen]

    def _part(self, file: int, index: int, frames: int) -> np.ndarray:
        start = self._random.integers(self._files[file].shape[1] - frames + 1)
        return np.array(self._files[file][index, start : start + frames])

    def held_out(self, frames: int) -> list[np.ndarray]:
        """Returns a part of each held-out example."""
        return [self._part(file, index, frames) for file, array in enumerate(self._files)
                for index in range(len(array))[-HELD_OUT:]]


def loss(network: MaskNetwork, batch: torch.Tensor, lost: float, voice: float, gain_weights: np.ndarray) -> torch.Tensor:
    """Returns the four parts of the loss of a batch of calls x frames x values: see `loss_of_outputs`."""
    calls, frames = batch.shape[:2]
    inputs = batch[..., :FEATURE_VALUES]
    spectra = batch[..., FEATURE_VALUES:-1].reshape(calls, frames, 1 + 2 * TARGETS, features.BINS)
    gains, logits, _ = network(inputs.reshape(calls, frames, features.FEATURES, features.BANDS))
    return loss_of_outputs(gains.transpose(1, 2), logits, spectra, batch[..., -1], lost, voice, gain_weights)


def loss_of_outputs(
        gains: torch.Tensor, logits: torch.Tensor, spectra: torch.Tensor, labels: torch.Tensor, lost: float, voice: float,
        gain_weights: np.ndarray) -> torch.Tensor:
    """Returns the four parts of the loss: for each of the three gains the distance of the masked spectrum from its
    target, with compressed magnitudes, weighted by `gain_weights`, and the cross-entropy of the auxiliary voice output,
    weighted by `voice`. The distance is asymmetric: missing magnitude (lost speech) counts `lost` times as much as
    excess. The gains are frames x 3 x BANDS, the spectra frames x 7 x BINS as `examples.examples` orders them."""
    error, targets = spectra[..., 0, :], spectra[..., 1 : 1 + TARGETS, :]
    products = spectra[..., 1 + TARGETS :, :]
    compressed = (gains @ _interpolation(gains.device)).clamp(1e-5) ** COMPRESSION
    parts, found = [], error
    for index in range(TARGETS):
        found = found * compressed[..., index, :]
        target = targets[..., index, :]
        difference = found - target
        weight = 1 + (lost - 1) * (difference.detach() < 0)
        # The squared distance of two complex numbers, by the law of cosines.
        distance = found**2 + target**2 - 2 * found * products[..., index, :]
        parts.append(float(gain_weights[index]) * (weight * difference**2 + 0.3 * distance).mean())
    return torch.stack([*parts, voice * binary_cross_entropy_with_logits(logits, labels)])


@functools.cache
def _interpolation(device: torch.device) -> torch.Tensor:
    return torch.tensor(features.INTERPOLATION, device=device)


class TorchNetwork:
    """The network on a device of PyTorch, with the interface of `QuickNetwork`."""

    def __init__(self, network: MaskNetwork, device: str):
        self._network, self._device = network.to(device), device
        vector = torch.nn.utils.parameters_to_vector(network.parameters())
        self.weights = torch.nn.Parameter(vector.detach().clone())

    def learn(self, batches: list[list[np.ndarray]], lost: float, voice: float, gain_weights: np.ndarray) -> np.ndarray:
        torch.nn.utils.vector_to_parameters(self.weights.detach(), self._network.parameters())
        self._network.zero_grad()
        parts = loss(self._network, self._batch(batches), lost, voice, gain_weights)
        parts.sum().backward()
        gradients = [parameter.grad for parameter in self._network.parameters()]
        self.weights.grad = torch.nn.utils.parameters_to_vector(gradients)
        return parts.detach().cpu().double().numpy()

    def measure(self, batches: list[list[np.ndarray]], lost: float, voice: float, gain_weights: np.ndarray) -> np.ndarray:
        torch.nn.utils.vector_to_parameters(self.weights.detach(), self._network.parameters())
        with torch.no_grad():
            return loss(self._network, self._batch(batches), lost, voice, gain_weights).cpu().double().numpy()

    def _batch(self, batches: list[list[np.ndarray]]) -> torch.Tensor:
        examples = np.stack([example for batch in batches for example in batch])
        return torch.tensor(examples, device=self._device).float()

    def flat(self, state: dict[str, torch.Tensor]) -> torch.Tensor:
        names = [self._network.stored(name) for name, _ in self._network.named_parameters()]
        return torch.cat([state[name].reshape(-1) for name in names]).to(self._device)

    def state(self, weights: torch.Tensor) -> dict[str, torch.Tensor]:
        torch.nn.utils.vector_to_parameters(weights.detach(), self._network.parameters())
        return {name: value.cpu().clone() for name, value in self._network.state_dict().items()}


def evaluate(network: QuickNetwork | TorchNetwork, examples: list[np.ndarray], weights: torch.Tensor,
             voice: float, gain_weights: np.ndarray) -> np.ndarray:
    """Returns the parts of the loss of weights on examples, without the weight of lost speech."""
    kept = network.weights.detach().clone()
    network.weights.data.copy_(weights)
    parts = [examples[k : k + 4] for k in range(0, len(examples), 4)]
    found = np.mean([network.measure([part], 1, voice, gain_weights) for part in parts], 0)
    network.weights.data.copy_(kept)
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path)
    options.add_argument("examples", type=Path, nargs="+")
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--batch", type=int, default=8, help="whole examples in a step")
    options.add_argument("--halves", type=float, default=0.65, help="the part of the time with halves of examples")
    options.add_argument("--rate", type=float, default=2e-3)
    options.add_argument("--lost", type=float, default=1.8, help="weight of lost speech")
    options.add_argument("--voice", type=float, default=0.3, help="weight of the decision on voice")
    options.add_argument("--kinds", type=float, nargs=3, default=(60, 30, 10), help="weights of the three gains")
    options.add_argument("--from", dest="start", type=Path, help="weights to go on from, also the engine's")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--device", default="quick", help="quick, or a device of PyTorch: cuda or cpu")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    start = MaskNetwork()
    if chosen.start:
        start.load_state_dict(load(chosen.start, "suppressor", start))
        # Parts of calls start with zeros: `train_start.py` trains the initial state later.
        start.initial_band_state.zero_()
    network = (QuickNetwork(start, chosen.threads) if chosen.device == "quick" else TorchNetwork(start, chosen.device))
    threads = chosen.threads if chosen.device == "quick" else 1
    average = network.weights.detach().clone()
    optimizer = torch.optim.AdamW([network.weights], lr=chosen.rate, weight_decay=1e-3)
    batches, gain_weights = Batches(chosen.examples, chosen.seed), np.array(chosen.kinds, np.float32)
    frames = batches.frames
    held_out = batches.held_out(frames)
    began, saved, step, mean = time.time(), time.time(), 0, None

    def save() -> None:
        value = evaluate(network, held_out, average, chosen.voice, gain_weights).sum()
        print(f"{(time.time() - began) / 60:.1f} min, step {step}: held-out loss {value:.4f}", flush=True)
        torch.save(network.state(average), chosen.output)

    while (done := (time.time() - began) / (60 * chosen.minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * (0.5 + 0.5 * np.cos(np.pi * done)) * min(1, (step + 1) / 100) + 1e-5
        size, length = (2, frames // 2) if done < chosen.halves else (1, frames)
        size = max(1, size * chosen.batch // threads)
        value = network.learn(
            [batches.next(size, length) for _ in range(threads)], chosen.lost, chosen.voice, gain_weights).sum()
        torch.nn.utils.clip_grad_norm_([network.weights], 1)
        optimizer.step()
        step += 1
        with torch.no_grad():
            average.lerp_(network.weights.detach(), 1 - min(0.9985, 1 - 1 / (step + 1)))
        mean = value if mean is None else 0.99 * mean + 0.01 * value
        if step % 200 == 0:
            print(f"{(time.time() - began) / 60:.1f} min, step {step}: loss {mean:.4f}", flush=True)
        if time.time() - saved > 300:
            saved = time.time()
            save()
    save()


if __name__ == "__main__":
    main()
