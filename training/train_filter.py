"""Trains the adaptation of the linear canceller on scenes."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from linear import HOP, LearnedFilter
from weight_file import load

# The frames of a call between two changes of the weights: 0.5 s.
_CHUNK = 50 * HOP
_COMPRESSION = 0.3


def distance(found: torch.Tensor, wanted: torch.Tensor, lost: float) -> torch.Tensor:
    """Compares samples by compressed spectra. Too little sound counts `lost` times as much as too much."""
    window = torch.hann_window(512, device=found.device)

    def compressed(samples: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        spectrum = torch.stft(samples, 512, HOP, window=window, center=False, return_complex=True)
        magnitude = (spectrum.real**2 + spectrum.imag**2 + 1e-8).sqrt()
        return magnitude**_COMPRESSION, spectrum * magnitude ** (_COMPRESSION - 1)

    (magnitude, spectrum), (target, targets) = compressed(found), compressed(wanted)
    difference = magnitude - target
    weight = torch.where(difference < 0, lost, 1.0)
    return (weight * difference**2).mean() + 0.3 * ((spectrum - targets).abs() ** 2).mean()


def calls(scenes: np.ndarray, count: int, random: np.random.Generator) -> tuple[torch.Tensor, ...]:
    """Returns microphone, reference and what should be left of the microphone, of calls with a reference."""
    chosen = []
    while len(chosen) < count:
        scene = scenes[random.integers(len(scenes))].astype(np.float32) / 32768
        if (scene[1] ** 2).mean() > 1e-8:
            chosen.append(scene)
    z = torch.tensor(np.stack(chosen))
    gain = torch.tensor(10 ** (random.uniform(-15, 10, (count, 1)) / 20), dtype=torch.float32)
    late = torch.nn.functional.pad(z[:, 0] - z[:, 4], (HOP, 0))[:, : z.shape[2]]
    return z[:, 0], (z[:, 1] * gain).clamp(-1, 1), late


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("scenes", type=Path)
    options.add_argument("output", type=Path)
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--calls", type=int, default=12, help="calls at a time")
    options.add_argument("--rate", type=float, default=3e-3)
    options.add_argument("--lost", type=float, default=8, help="weight of a lost near voice")
    options.add_argument("--from", dest="start", type=Path, help="weights to go on from, also the engine's")
    options.add_argument("--device", default="cpu", help="a device of PyTorch: cpu or cuda")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(1)
    random = np.random.default_rng(chosen.seed)
    scenes = np.load(chosen.scenes, mmap_mode="r")
    model = LearnedFilter()
    if chosen.start:
        model.load_state_dict(load(chosen.start, "adaptation", model))
    model.to(chosen.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=chosen.rate, weight_decay=1e-4)
    began, step, mean = time.time(), 0, None
    while (done := (time.time() - began) / (60 * chosen.minutes)) < 1:
        microphone, reference, wanted = (part.to(chosen.device) for part in calls(scenes, chosen.calls, random))
        level = microphone.pow(2).mean(1, keepdim=True).sqrt().clamp(min=1e-3) / 0.1
        state = model.start(chosen.calls, chosen.device)
        for start in range(0, microphone.shape[1] - _CHUNK + 1, _CHUNK):
            for group in optimizer.param_groups:
                group["lr"] = chosen.rate * (0.51 + 0.5 * np.cos(np.pi * done)) * min(1, (step + 1) / 50)
            state.detach()
            part = slice(start, start + _CHUNK)
            found = model(state, microphone[:, part], reference[:, part])
            value = distance(found / level, wanted[:, part] / level, chosen.lost)
            optimizer.zero_grad()
            value.backward()
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            if torch.isfinite(norm):
                optimizer.step()
            step += 1
            mean = value.item() if mean is None else 0.998 * mean + 0.002 * value.item()
        print(f"{(time.time() - began) / 60:.1f} min, step {step}: loss {mean:.5f}", flush=True)
        torch.save({name: value.cpu() for name, value in model.state_dict().items()}, chosen.output)


if __name__ == "__main__":
    main()
