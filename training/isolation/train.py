"""Trains the isolation network on the scenes of `make_talks.py`, behind a voice encoder that has been trained."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from scipy import signal
from torch.nn import functional

from gains import deepened
from inputs import GROUP, LEAST_LEVEL
from make_talks import COMPRESSION, FRAMES
from network import BANDS, FAST, LIKENESS, SLOW, IsolationNetwork, VoiceEncoder

# How often the kept voice is enrolled, nobody is, and somebody is who is absent.
_OWN, _NOBODY = 0.48, 0.48
# A voice talks in a frame in which its power is at least this part of the loudness: -25 dB.
_ACTIVE = 0.003
# How much a kept voice that is missing counts in the loss beside one that is not kept; the weights of the probability and of
# the nearness.
_LOST, _PROBABILITY, _NEARNESS = 4.0, 0.05, 0.05
# How often the band of a scene ends at 4 kHz, and the first band above.
_NARROW, _HIGH = 0.08, 66


class Pool:
    """Scenes in memory, with the likeness of each frame to the voice of the scene, and to one that is absent."""

    def __init__(self, encoder: VoiceEncoder):
        self.encoder = encoder
        self.files: set[Path] = set()
        self.parts: list[dict[str, torch.Tensor]] = []

    def read(self, folder: Path, most: int = 1 << 30) -> None:
        """Reads the files that are new in a folder."""
        for file in sorted(folder.glob("*[0-9].npz")):
            if file in self.files or most <= 0:
                continue
            most -= 1
            self.files.add(file)
            data = np.load(file)
            part = {name: torch.from_numpy(data[name]) for name in ("inputs", "kept", "beside")}
            powers = [data[name].astype(np.float32) ** (2 / COMPRESSION) for name in ("kept", "removed")]
            part["both"] = torch.from_numpy(((powers[0] + powers[1]) ** (COMPRESSION / 2)).astype(np.float16))
            part["power"], part["power_removed"] = (torch.from_numpy(power.mean(-1)) for power in powers)
            directions = self._directions(part["inputs"][..., :BANDS])
            for name in ("own", "absent"):
                prints = self._directions(torch.from_numpy(data[name])).sum(1)
                part[name] = likeness(directions, functional.normalize(prints, dim=1)).half()
            self.parts.append(part)

    def _directions(self, inputs: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return torch.cat([self.encoder(some.float()) for some in inputs.split(50)])

    def batch(self, count: int, frames: int, random: np.random.Generator) -> dict[str, torch.Tensor]:
        """Returns parts of scenes, each as a call that begins with it. Some have the band of a telephone."""
        part = self.parts[random.integers(len(self.parts))]
        chosen = torch.from_numpy(random.choice(len(part["beside"]), count, replace=False))
        first = random.integers(part["inputs"].shape[1] - frames + 1) if random.random() < 0.7 else 0
        example = self.example(
            part, chosen, torch.from_numpy(random.random(count)), slice(first, first + frames))
        narrow = torch.from_numpy(random.random(count) < _NARROW)
        example["inputs"][narrow, :, _HIGH:BANDS] = LEAST_LEVEL
        example["inputs"][narrow, :, BANDS + _HIGH // GROUP :] = 0
        return example

    def example(
        self, part: dict[str, torch.Tensor], chosen: torch.Tensor, chance: torch.Tensor, frames: slice
    ) -> dict[str, torch.Tensor]:
        """Returns the inputs of some scenes and what is wanted of them. `chance` says who is enrolled."""
        kept, both = part["kept"][chosen, frames].float(), part["both"][chosen, frames].float()
        power, power_removed = part["power"][chosen, frames], part["power_removed"][chosen, frames]
        nobody = (chance >= _OWN) & (chance < _OWN + _NOBODY) & ~part["beside"][chosen]
        absent = chance >= _OWN + _NOBODY
        alike = torch.where(
            absent[:, None, None], part["absent"][chosen, frames], part["own"][chosen, frames]).float()
        alike[nobody] = 0
        # Until the kept voice talks for the first time, the first voice is the nearest.
        talks = power > _ACTIVE
        before = nobody[:, None] & (talks.cumsum(1) == 0)
        wanted = torch.where(before[..., None], both, kept)
        wanted[absent] = 0
        talks = torch.where(before, power + power_removed, power) > _ACTIVE
        talks[absent] = False
        return {"inputs": part["inputs"][chosen, frames].float(), "alike": alike, "both": both, "wanted": wanted,
                "talks": talks.float(), "before": before, "kept": kept, "power": power, "power_removed": power_removed}


def likeness(directions: torch.Tensor, voiceprints: torch.Tensor) -> torch.Tensor:
    """Returns scenes x frames x LIKENESS: how alike an enrolled voice is each frame."""
    found = [torch.ones(directions.shape[:2]), torch.tanh(directions.norm(dim=-1))]
    for rate in (1, FAST, SLOW):
        mean = torch.from_numpy(signal.lfilter([rate], [1, rate - 1], directions.numpy(), axis=1).astype(np.float32))
        found.append(functional.cosine_similarity(mean, voiceprints[:, None], -1, 1e-4))
    return torch.stack(found, -1)


def losses(scores: torch.Tensor, example: dict[str, torch.Tensor], lost: float = _LOST) -> torch.Tensor:
    """Returns the losses of the gains, of the probability and of the nearness."""
    gains = torch.exp(COMPRESSION * functional.logsigmoid(scores[..., :BANDS]))
    error = gains * example["both"] - example["wanted"]
    error = (error**2 * torch.where(error < 0, lost, 1.0)).mean()
    powers = example["power"] + example["power_removed"]
    nearness = functional.binary_cross_entropy_with_logits(
        scores[..., BANDS + 1], example["power"] / (powers + 1e-9), reduction="none")
    return torch.stack([
        error, functional.binary_cross_entropy_with_logits(scores[..., BANDS], example["talks"]),
        (nearness * (powers > _ACTIVE)).mean()])


def decibels(power: torch.Tensor) -> float:
    return float(10 * torch.log10(power + 1e-9))


@torch.no_grad()
def measure(network: IsolationNetwork, pool: Pool) -> str:
    """Returns, with the kept voice enrolled and with nobody enrolled, how much others are lowered while they are alone and
    beside the kept voice, and how much of the kept voice alone is lost, in dB: the mean power, and the median scene."""
    texts = []
    for name, chance in (("own", 0.0), ("nobody", 0.6), ("absent", 0.99)):
        part = pool.parts[0]
        chosen = torch.arange(len(part["beside"]))
        if name == "nobody":
            chosen = chosen[~part["beside"]]
        example = pool.example(part, chosen, torch.full((len(chosen),), chance), slice(None))
        scores = network(example["inputs"], example["alike"])
        power = deepened(torch.sigmoid(scores[..., :BANDS]), torch.sigmoid(scores[..., BANDS])) ** 2
        kept, both = (example[of] ** (2 / COMPRESSION) for of in ("kept", "both"))
        removed, has_kept = both - kept, example["power"] > _ACTIVE
        has_removed = example["power_removed"] > _ACTIVE / 3
        counted = ~example["before"]
        rows = []
        for of, frames in ((removed, has_removed & (example["power"] < 1e-4)), (removed, has_removed & has_kept),
                           (kept, has_kept & (example["power_removed"] < 1e-4))):
            frames = (frames & counted)[..., None]
            sums = torch.stack([(of * power * frames).sum((1, 2)), (of * frames).sum((1, 2))])
            enough = sums[1] > 1
            each = sums[0][enough] / sums[1][enough]
            rows.append(f"{decibels(sums[0].sum() / sums[1].sum()):.1f}/{decibels(each.median()):.1f}")
        gated = torch.sigmoid(scores[..., BANDS]) > 0.5
        wrong = (gated & (example["talks"] == 0) & counted & has_removed).sum() / (
            (example["talks"] == 0) & counted & has_removed).sum()
        missed = (~gated & (example["talks"] > 0)).sum() / (example["talks"] > 0).sum()
        texts.append(f"{name}: alone {rows[0]} beside {rows[1]} kept {rows[2]} false {wrong:.3f} missed {missed:.3f}")
    return "; ".join(texts)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path, help="the .pt file of weights")
    options.add_argument("encoder", type=Path)
    options.add_argument("scenes", type=Path, help="a folder of scenes")
    options.add_argument("held_out", type=Path, help="a folder of scenes to measure with")
    options.add_argument("--from", dest="first", type=Path)
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--rate", type=float, default=3e-3)
    options.add_argument("--batch", type=int, default=8, help="whole scenes, or twice as many halves of scenes at first")
    options.add_argument("--halves", type=float, default=0.6, help="the share of the time for halves of scenes")
    options.add_argument("--lost", type=float, default=_LOST, help="how much a missing voice counts")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    random, encoder, network = np.random.default_rng(chosen.seed), VoiceEncoder.load(chosen.encoder), IsolationNetwork()
    if chosen.first:
        network.load_state_dict(torch.load(chosen.first, weights_only=True), strict=False)
    pool, held_out = Pool(encoder), Pool(encoder)
    held_out.read(chosen.held_out)
    pool.read(chosen.scenes, most=12)
    average = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995))
    optimizer = torch.optim.AdamW(network.parameters(), chosen.rate, weight_decay=0.01)
    begin, shown, steps, sums = time.monotonic(), time.monotonic(), 0, torch.zeros(4)
    while (share := (time.monotonic() - begin) / 60 / chosen.minutes) < 1:
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * min(1, steps / 100 + 0.02) * 0.5 * (1 + np.cos(np.pi * share))
        is_half = share < chosen.halves
        example = pool.batch(chosen.batch * (1 + is_half), FRAMES // (1 + is_half), random)
        found = losses(network(example["inputs"], example["alike"]), example, chosen.lost)
        optimizer.zero_grad()
        (found[0] + _PROBABILITY * found[1] + _NEARNESS * found[2]).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()
        average.update_parameters(network)
        steps += 1
        sums += torch.tensor([*found.tolist(), 1])
        if steps % 40 == 0:
            pool.read(chosen.scenes, most=1)
        if time.monotonic() - shown > 100:
            print(f"{share:.2f} step {steps}, {100 * len(pool.parts)} scenes: {(sums / sums[3]).tolist()[:3]} "
                  f"{measure(average.module, held_out)}", flush=True)
            sums.zero_()
            torch.save(average.module.state_dict(), chosen.output)
            shown = time.monotonic()
    torch.save(average.module.state_dict(), chosen.output)
    print(measure(average.module, held_out))


if __name__ == "__main__":
    main()
