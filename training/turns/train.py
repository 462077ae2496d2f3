"""Trains the turn network on rendered scenes, and writes its weights as the session reads them."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from network import TurnNetwork, export
from scenes import END, HOLD, NO_PAUSE

# The weight of a frame of each kind: silence, speech, backchannel, no speech. Backchannels are rare.
_KINDS = torch.tensor([1.0, 1.0, 2.0, 2.0])
# The share of ends and holds whose label is taken to be wrong.
_DOUBT = 0.08
# The first frames of a pause in which its end counts fully, and the weight of later ones.
_EARLY, _LATE = 80, 0.3
# The frames of a part of a scene, and those at its beginning that do not count.
_PART, _SETTLING, _IGNORED = 400, 60, -100
# The features of the sound: bands, level. Bands from this one on are above 4 kHz.
_SOUND, _HIGH = 24, range(18, 23)
_FLOOR = (np.log(1e-11) + 14) / 4


def weights_of_pauses(pauses: np.ndarray) -> np.ndarray:
    """Returns the weight of each frame for the end of a turn."""
    weights = np.zeros(pauses.shape, np.float16)
    age = np.zeros(len(pauses), int)
    for frame in range(pauses.shape[1]):
        age = np.where(pauses[:, frame] != NO_PAUSE, age + 1, 0)
        weights[:, frame] = np.where(age > 2, np.where(age <= _EARLY, 1, _LATE), 0)
    return weights


def varied(features: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Returns features at other levels and of other microphones, with noise, some as of a telephone, and some without
    the engine's opinion."""
    count = len(features)
    features = features.clone()
    gain = torch.randn(count, 1, 1, generator=generator) * 8 * np.log(10) / 10 / 4
    response = torch.randn(count, 1, _SOUND, generator=generator) * 0.3
    noise = torch.randn(features[:, :, :_SOUND].shape, generator=generator) * 0.15
    features[:, :, :_SOUND] = (features[:, :, :_SOUND] + gain + response + noise).clamp(min=_FLOOR)
    narrow = torch.rand(count, generator=generator) < 0.25
    for band in _HIGH:
        features[narrow, :, band] = _FLOOR
    silent = torch.rand(count, generator=generator) < 0.1
    features[silent, :, 26:28] = 0
    return features


def loss(scores: torch.Tensor, kinds: torch.Tensor, pauses: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Returns the losses of the kinds of sound and of the ends of turns."""
    sound = functional.cross_entropy(scores[..., :4].reshape(-1, 4), kinds.reshape(-1), _KINDS, ignore_index=_IGNORED)
    wanted = _DOUBT + (1 - 2 * _DOUBT) * (pauses == END).float()
    ends = functional.binary_cross_entropy_with_logits(scores[..., 4], wanted, reduction="none")
    return torch.stack([sound, (ends * weights).sum() / weights.sum().clamp(min=1)])


def _starts(pauses: np.ndarray, label: int) -> np.ndarray:
    """Returns the scene and the first frame of each pause of a kind that lasts for 100 ms."""
    is_here = pauses == label
    begins = is_here & ~np.roll(is_here, 1, 1) & np.roll(is_here, -10, 1)
    begins[:, 0] = False
    return np.argwhere(begins)


class Data:
    """Rendered scenes."""

    def __init__(self, files: list[Path]):
        parts = [np.load(file) for file in files]
        self.features = torch.from_numpy(np.concatenate([part["features"] for part in parts]))
        self.kinds = torch.from_numpy(np.concatenate([part["kinds"] for part in parts]))
        pauses = np.concatenate([part["pauses"] for part in parts])
        self.starts = [torch.from_numpy(_starts(pauses, label)) for label in (HOLD, END)]
        self.pauses, self.weights = torch.from_numpy(pauses), torch.from_numpy(weights_of_pauses(pauses))

    def batch(self, chosen: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Returns whole scenes."""
        return (self.features[chosen].float(), self.kinds[chosen].long(), self.pauses[chosen],
                self.weights[chosen].float())

    def parts(self, count: int, generator: torch.Generator) -> tuple[torch.Tensor, ...]:
        """Returns parts of scenes: a quarter are beginnings, and half have a pause, as many of them ends as holds. The
        first frames do not count, but for beginnings."""
        frames = self.kinds.shape[1]
        chosen = torch.randint(len(self.kinds), (count, 1), generator=generator)
        first = torch.randint(frames - _PART, (count, 1), generator=generator)
        first[: count // 4] = 0
        for place, starts in zip((count // 2, 3 * count // 4), self.starts):
            picked = starts[torch.randint(len(starts), (count // 4,), generator=generator)]
            before = torch.randint(_PART // 3, _PART - 60, (count // 4,), generator=generator)
            chosen[place : place + count // 4, 0] = picked[:, 0]
            first[place : place + count // 4, 0] = (picked[:, 1] - before).clamp(0, frames - _PART)
        places = first + torch.arange(_PART)
        kinds, weights = self.kinds[chosen, places].long(), self.weights[chosen, places].float()
        kinds[count // 4 :, :_SETTLING], weights[count // 4 :, :_SETTLING] = _IGNORED, 0
        return self.features[chosen, places].float(), kinds, self.pauses[chosen, places], weights


def measure(network: TurnNetwork, data: Data) -> list[float]:
    """Returns the losses on all scenes."""
    network.eval()
    with torch.no_grad():
        found = [loss(network(features), *rest)
                 for features, *rest in map(data.batch, torch.arange(len(data.kinds)).split(64))]
    network.train()
    return torch.stack(found).mean(0).tolist()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path, help="the file of weights")
    options.add_argument("scenes", type=Path, nargs="+", help="rendered scenes")
    options.add_argument("--measure", type=Path, required=True, help="rendered scenes that are held out")
    options.add_argument("--from", dest="first", type=Path, help="the .pt file of weights to go on from")
    options.add_argument("--minutes", type=float, default=20)
    options.add_argument("--rate", type=float, default=3e-3)
    options.add_argument("--batch", type=int, default=64)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--ends", type=float, default=1, help="the weight of the ends of turns beside the kinds of sound")
    options.add_argument("--caution", type=float, default=0,
                         help="lowers the score of the end in the weights, so that fewer turns are cut off")
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_flush_denormal(True)
    generator = torch.Generator().manual_seed(chosen.seed)
    data, held_out, network = Data(chosen.scenes), Data([chosen.measure]), TurnNetwork()
    if chosen.first:
        network.load_state_dict(torch.load(chosen.first, weights_only=True))
    optimizer = torch.optim.AdamW(network.parameters(), chosen.rate, weight_decay=0.01)
    weights = torch.tensor([1, chosen.ends])
    begin, shown, steps, best = time.monotonic(), 0.0, 0, np.inf
    while (share := (time.monotonic() - begin) / 60 / chosen.minutes) < 1:
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * min(1, steps / 50 + 0.02) * 0.5 * (1 + np.cos(np.pi * share))
        features, *rest = data.parts(chosen.batch, generator)
        found = loss(network(varied(features, generator)), *rest)
        optimizer.zero_grad()
        (found @ weights).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        steps += 1
        if time.monotonic() - shown > 40:
            shown = time.monotonic()
            held = measure(network, held_out)
            print(f"{share:5.2f} step {steps}: {found.tolist()} held out {held}", flush=True)
            if (score := float(torch.tensor(held) @ weights)) < best:
                best = score
                export(network, chosen.output, chosen.caution)


if __name__ == "__main__":
    main()
