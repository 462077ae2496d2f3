"""The network that decides on voice, behind the suppressor, and its training: see `VoiceNetwork` in the engine."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from examples import HEARD
from features import BANDS, FEATURES
from network import Suppressor
from train_network import HELD_OUT
from variety import varied
from weight_file import load

# The features that are heard as well, each the mean of groups of bands: the error's level, the coherence and the level
# above the floor.
_HEARD_FEATURES, _GROUPS = [0, 4, 5], BANDS // 4
_LEFT_OUT = 0.25
# The share of a teacher in what the network learns. The rest is whether there is a voice.
_TAUGHT = 0.5


class VoiceNetwork(nn.Module):
    """The probability of a near voice, from what the suppressor remembers of a call."""

    def __init__(self, whole: int = 96, memory: int = 32):
        super().__init__()
        self.remember = nn.GRU(2 * whole + len(_HEARD_FEATURES) * _GROUPS, memory, batch_first=True)
        self.leave = nn.Linear(memory + whole, 1)
        self.whole = whole

    def forward(self, heard: torch.Tensor) -> torch.Tensor:
        """Takes what `heard` returns. Returns the logits of calls x frames."""
        return self.leave(torch.cat([self.remember(heard)[0], heard[..., : self.whole]], 2))[..., 0]


def heard(suppressor: Suppressor, features: torch.Tensor) -> torch.Tensor:
    """Takes calls x frames x FEATURES x BANDS. Returns what the network hears of them."""
    calls, frames = features.shape[:2]
    means = features[:, :, _HEARD_FEATURES].reshape(calls, frames, len(_HEARD_FEATURES), _GROUPS, -1).mean(-1)
    return torch.cat([suppressor.remembered(features), means.reshape(calls, frames, -1)], 2)


def probabilities(network: VoiceNetwork, suppressor: Suppressor, features: torch.Tensor) -> torch.Tensor:
    """Returns the probabilities of a near voice of calls x frames, of calls x frames x FEATURES x BANDS."""
    with torch.no_grad():
        return torch.sigmoid(network(heard(suppressor, features)))


def load_both(file: Path) -> tuple[VoiceNetwork, Suppressor]:
    """Loads the decision on voice and the suppressor that it hears from the engine's file."""
    network, suppressor = VoiceNetwork(), Suppressor()
    network.load_state_dict(load(file, "voice", network))
    suppressor.load_state_dict(load(file, "suppressor", suppressor))
    return network, suppressor


class Calls:
    """What the network hears of all examples, kept in memory as float16, what it is to find, and whether there is a
    voice. Half of them are changed by `varied`: calls that begin in the middle of a word, and voices over digital
    silence."""

    def __init__(self, suppressor: Suppressor, teacher: Path | None, files: list[Path], random: np.random.Generator):
        self.suppressor = suppressor
        self.teacher = load_both(teacher) if teacher else None
        self.learned: list[np.ndarray] = []
        self.held_out: list[np.ndarray] = []
        for file in files:
            examples = np.load(file, mmap_mode="r")
            calls = []
            for start in range(0, len(examples), 16):
                part = np.array(examples[start : start + 16])
                calls += list(self._heard(part if random.random() < 0.5 else varied(part, random)))
            held_out = min(HELD_OUT, len(calls) // 4)
            self.learned += calls[: len(calls) - held_out]
            self.held_out += calls[len(calls) - held_out :]

    def _heard(self, examples: np.ndarray) -> np.ndarray:
        features = torch.tensor(examples[..., :HEARD]).float().reshape(*examples.shape[:2], FEATURES, BANDS)
        aim = voice = examples[..., -1:]
        if self.teacher:
            aim = _TAUGHT * probabilities(*self.teacher, features).numpy()[..., None] + (1 - _TAUGHT) * voice
        with torch.no_grad():
            found = heard(self.suppressor, features).numpy()
        return np.concatenate([found, aim, voice], 2).astype(np.float16)


def loss(network: VoiceNetwork, calls: list[np.ndarray]) -> torch.Tensor:
    """Returns the cross-entropy: while the network learns, with what it is to find, otherwise with whether there is a
    voice. While it learns, some of what it hears is left out of each call: with all of it, it learned calls by
    heart."""
    batch = torch.tensor(np.stack(calls)).float()
    heard, aim, voice = batch[..., :-2], batch[..., -2], batch[..., -1]
    if not network.training:
        return binary_cross_entropy_with_logits(network(heard), voice)
    heard = heard * (torch.rand(len(batch), 1, heard.shape[2]) > _LEFT_OUT) / (1 - _LEFT_OUT)
    return binary_cross_entropy_with_logits(network(heard), aim)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path, help="the weights with the least loss on calls that are not learned from")
    options.add_argument("suppressor", type=Path, help="weights of the suppressor, which stay as they are")
    options.add_argument("examples", type=Path, nargs="+")
    options.add_argument("--from", dest="start", type=Path, help="weights to go on from, also the engine's")
    options.add_argument(
        "--teacher", type=Path, help="the engine's weights, whose decision counts as half of the truth")
    options.add_argument("--minutes", type=float, default=20)
    options.add_argument("--batch", type=int, default=32)
    options.add_argument("--rate", type=float, default=3e-3)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    random = np.random.default_rng(chosen.seed)
    suppressor, network = Suppressor(), VoiceNetwork()
    suppressor.load_state_dict(load(chosen.suppressor, "suppressor", suppressor))
    if chosen.start:
        network.load_state_dict(load(chosen.start, "voice", network))
    calls = Calls(suppressor, chosen.teacher, chosen.examples, random)
    optimizer = torch.optim.AdamW(network.parameters(), lr=chosen.rate, weight_decay=1e-2)
    average = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995)).eval()
    began, step, least = time.time(), 0, float("inf")

    def measure() -> None:
        nonlocal least
        with torch.no_grad():
            parts = [loss(average.module, calls.held_out[k : k + 32]) for k in range(0, len(calls.held_out), 32)]
        held_out = float(np.mean([float(part) for part in parts]))
        print(f"{(time.time() - began) / 60:.1f} min, step {step}: held-out loss {held_out:.4f}", flush=True)
        # The network learns calls by heart in the end: the best average of the course is kept.
        if held_out < least:
            least = held_out
            torch.save(average.module.state_dict(), chosen.output)

    while (done := (time.time() - began) / (60 * chosen.minutes)) < 1:
        if step % 200 == 0:
            measure()
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * (0.5 + 0.5 * np.cos(np.pi * done)) + 2e-5
        value = loss(network, [calls.learned[k] for k in random.integers(len(calls.learned), size=chosen.batch)])
        optimizer.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        average.update_parameters(network)
        step += 1
    measure()


if __name__ == "__main__":
    main()
