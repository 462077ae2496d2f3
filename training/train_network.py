"""Trains the network on rendered scenes."""

from __future__ import annotations

import argparse
import copy
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

import features as hearing
from network import Suppressor

_COMPRESSION = 0.3
# The part of the calls that have 8 kHz.
_NARROW = 0.1


def compressed(spectrum: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the compressed magnitude, and the spectrum with that magnitude."""
    magnitude = (spectrum.real**2 + spectrum.imag**2 + 1e-10).sqrt()
    return magnitude**_COMPRESSION, spectrum * magnitude ** (_COMPRESSION - 1)


def distance(found: torch.Tensor, wanted: torch.Tensor, lost: float) -> torch.Tensor:
    """Compares spectra. Too little sound counts `lost` times as much as too much."""
    (magnitude, spectrum), (aim, aims) = compressed(found), compressed(wanted)
    difference = magnitude - aim
    weight = torch.where(difference < 0, lost, 1.0)
    return (weight * difference**2).mean() + 0.3 * ((spectrum - aims).abs() ** 2).mean()


class Batches:
    """Random batches of calls, at random levels."""

    def __init__(self, scenes: Path, rendered: Path, size: int, seed: int, ready: int | None = None):
        self.scenes = np.load(scenes, mmap_mode="r")
        self.rendered = np.load(rendered, mmap_mode="r")
        self.count = ready or len(self.rendered)
        self.size = size
        self.random = np.random.default_rng(seed)

    def next(self):
        indexes = np.sort(self.random.choice(self.count, self.size, replace=False))
        scenes = self.scenes[indexes].astype(np.float32) / 32768
        error = self.rendered[indexes].astype(np.float32).view(np.complex64)[..., 0]
        gain = 10 ** (self.random.uniform(-12, 6, (self.size, 1)) / 20).astype(np.float32)
        microphone, reference, near, rival, echo = (scenes[:, k] for k in range(5))
        reference = reference * 10 ** (self.random.uniform(-10, 10, (self.size, 1)) / 20).astype(np.float32)
        # Some calls have 8 kHz: nothing above 4 kHz.
        narrow = self.random.random(self.size) < _NARROW
        passed = np.where(narrow[:, None, None] & (np.arange(hearing.BINS) > hearing.BINS // 2), 0, 1)
        passed = passed.astype(np.float32)

        def spectra(samples: np.ndarray) -> np.ndarray:
            return hearing.spectra(samples) * passed

        error = error * passed
        heard = hearing.features(error * gain[..., None], spectra(microphone * gain), spectra(reference))
        level = np.sqrt((microphone**2).mean(1, keepdims=True)).clip(1e-4) / 0.1
        wanted = (microphone - echo, near + rival, near)
        aims = [torch.tensor(spectra(signal / level)) for signal in wanted]
        return (torch.tensor(heard), torch.tensor(error / level[..., None]), aims,
                torch.tensor(voice(near + rival)))


def voice(samples: np.ndarray) -> np.ndarray:
    """Returns calls x frames of 1 where there is a voice: within 35 dB of its loudest frames, bridging 60 ms."""
    power = (samples.reshape(len(samples), -1, hearing.HOP) ** 2).mean(2)
    loud = np.quantile(power, 0.95, axis=1, keepdims=True)
    active = (power > loud * 10**-3.5) & (power > 1e-8)
    bridged = active.copy()
    for shift in range(1, 4):
        bridged[:, shift:] |= active[:, :-shift]
        bridged[:, :-shift] |= active[:, shift:]
    return bridged.astype(np.float32)


def loss(network: Suppressor, batch, lost: float):
    heard, error, wanted, voices = batch
    gains, logits, _ = network(heard)
    gains = gains @ torch.tensor(hearing.INTERPOLATION)
    total, found = 0.0, error
    for index, aim in enumerate(wanted):
        found = found * gains[:, index]
        total = total + distance(found, aim, lost)
    return total + 0.15 * binary_cross_entropy_with_logits(logits, voices)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("scenes", type=Path)
    options.add_argument("rendered", type=Path)
    options.add_argument("output", type=Path)
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--batch", type=int, default=8)
    options.add_argument("--rate", type=float, default=2e-3)
    options.add_argument("--lost", type=float, default=1.5, help="weight of lost speech")
    options.add_argument("--from", dest="start", type=Path, help="weights to go on from")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(1)
    network = Suppressor()
    if chosen.start:
        network.load_state_dict(torch.load(chosen.start))
    average = copy.deepcopy(network)
    optimizer = torch.optim.AdamW(network.parameters(), lr=chosen.rate, weight_decay=1e-3)
    batches = Batches(chosen.scenes, chosen.rendered, chosen.batch, chosen.seed)
    began, step, mean = time.time(), 0, None
    while (done := (time.time() - began) / (60 * chosen.minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * (0.5 + 0.5 * np.cos(np.pi * done)) * min(1, (step + 1) / 50) + 1e-5
        value = loss(network, batches.next(), chosen.lost)
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
