"""Trains the voice encoder on the examples of `prepare_voices.py`."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from network import PRINT, VoiceEncoder

# The frames of a part in training, and the ends of the parts whose voiceprints count.
_FRAMES = 240
_ENDS, _ENDS_HELD_OUT = (60, 120, 180, 240), (60, 120, 200, 400)
# The margin by which parts of one voice are more alike than two voices, as a cosine, and the scale of the cosines.
_MARGIN, _SCALE = 0.15, 20.0


def projection(prints: np.ndarray, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the mean of descriptions, and the linear discriminants (Fisher) that tell best who talks."""
    mean = prints.mean(0)
    classes = [prints[names == name] for name in np.unique(names)]
    within = sum((part - part.mean(0)).T @ (part - part.mean(0)) for part in classes) / len(prints)
    between = np.cov(np.stack([part.mean(0) for part in classes]).T)
    values, vectors = np.linalg.eigh(within + 1e-3 * np.trace(within) / len(within) * np.eye(len(within)))
    whitened = vectors / np.sqrt(values)
    _, directions = np.linalg.eigh(whitened.T @ between @ whitened)
    return mean, whitened @ directions[:, -PRINT:]


def equal_error(prints: torch.Tensor, names: np.ndarray) -> float:
    """Returns the rate at which the same voice counts as another, at the threshold at which others count as the same."""
    alike = (prints @ prints.T).numpy()
    same = names[:, None] == names[None]
    apart = alike[~same]
    same = alike[same & ~np.eye(len(names), dtype=bool)]
    thresholds = np.linspace(-1, 1, 401)
    misses, alarms = ((same[:, None] < thresholds).mean(0), (apart[:, None] > thresholds).mean(0))
    return float(misses[np.abs(misses - alarms).argmin()])


def varied(inputs: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Returns inputs at other levels and with other frequency responses."""
    count = len(inputs)
    decibels = np.log(10) / 10 / 4
    level = (torch.rand(count, 1, 1, generator=generator) * 24 - 18) * decibels
    points = torch.randn(count, 1, 9, generator=generator) * 3 * decibels
    response = functional.interpolate(points, size=inputs.shape[-1], mode="linear", align_corners=True)
    floor = torch.exp(4 * (torch.rand(count, 1, 1, generator=generator) * 2.2 - 1.95 - 1.5 + 0.3 * points[..., :1]))
    return torch.log(torch.exp(4 * (inputs + level + response - 1.5)) + floor) / 4 + 1.5


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path, help="the .pt file of weights")
    options.add_argument("held_out", type=Path, help="examples to measure with")
    options.add_argument("examples", type=Path, nargs="+")
    options.add_argument("--minutes", type=float, default=12)
    options.add_argument("--rate", type=float, default=4e-3)
    options.add_argument("--batch", type=int, default=64)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    generator = torch.Generator().manual_seed(chosen.seed)
    parts, held = [np.load(file) for file in chosen.examples], np.load(chosen.held_out)
    data = {name: np.concatenate([part[name] for part in parts]) for name in ("names", "prints", "inputs")}
    names, classes = np.unique(data["names"], return_inverse=True)
    is_named = np.array(["." not in name.split("@")[0] for name in data["names"]])
    teacher = data["prints"].astype(np.float32)
    mean, matrix = projection(teacher[is_named], data["names"][is_named])
    project = lambda prints: functional.normalize(torch.tensor((prints.astype(np.float32) - mean) @ matrix).float(), dim=1)
    wanted, inputs = project(teacher), torch.from_numpy(data["inputs"])
    held_inputs, held_named = torch.from_numpy(held["inputs"]).float(), np.array(
        ["." not in name.split("@")[0] for name in held["names"]])
    held_names, held_wanted = held["names"][held_named], project(held["prints"][held_named])
    print("teacher", equal_error(functional.normalize(torch.tensor(held["prints"][held_named].astype(np.float32)), dim=1), held_names),
          "projected", equal_error(held_wanted, held_names), flush=True)
    members = [np.flatnonzero(classes == index) for index in range(len(names))]
    several = np.array([index for index, part in enumerate(members) if len(part) > 1])
    encoder, random = VoiceEncoder(), np.random.default_rng(chosen.seed)
    optimizer = torch.optim.AdamW(encoder.parameters(), chosen.rate, weight_decay=0.01)
    begin, shown, steps = time.monotonic(), 0.0, 0
    while (share := (time.monotonic() - begin) / 60 / chosen.minutes) < 1:
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * min(1, steps / 30 + 0.03) * 0.5 * (1 + np.cos(np.pi * share))
        pairs = np.concatenate([random.choice(members[index], 2, replace=False)
                                for index in random.choice(several, chosen.batch // 2, replace=False)])
        first = random.integers(inputs.shape[1] - _FRAMES)
        found = encoder(varied(inputs[pairs, first : first + _FRAMES].float(), generator))
        sums = functional.normalize(found.cumsum(1)[:, [end - 1 for end in _ENDS]], dim=-1)
        distill = (1 - (sums * wanted[pairs][:, None]).sum(-1)).mean()
        one, other = sums[0::2, -2], sums[1::2, -1]
        alike = _SCALE * (one @ other.T - _MARGIN * torch.eye(len(one)))
        labels = torch.arange(len(one))
        apart = (functional.cross_entropy(alike, labels) + functional.cross_entropy(alike.T, labels)) / 2
        optimizer.zero_grad()
        (distill + 0.3 * apart).backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1)
        optimizer.step()
        steps += 1
        if time.monotonic() - shown > 45:
            shown = time.monotonic()
            with torch.no_grad():
                sums = encoder(held_inputs[torch.from_numpy(held_named)]).cumsum(1)
            errors = [equal_error(functional.normalize(sums[:, end - 1], dim=1), held_names) for end in _ENDS_HELD_OUT]
            close = (functional.normalize(sums[:, -1], dim=1) * held_wanted).sum(1).mean()
            print(f"{share:.2f} step {steps}: {distill.item():.3f} {apart.item():.3f} held out: cosine {close:.3f} equal "
                  f"errors {errors}", flush=True)
            torch.save(encoder.state_dict(), chosen.output)
    torch.save(encoder.state_dict(), chosen.output)


if __name__ == "__main__":
    main()
