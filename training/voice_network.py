"""The network for voice activity, behind the mask network, and its training: see `VoiceNetwork` in the engine."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from augmentation import augmented
from examples import FEATURE_VALUES
from features import BANDS, FEATURES
from network import MaskNetwork
from train_network import HELD_OUT
from weight_file import StoredNames, load

# The features that are inputs as well, averaged over groups of bands: the level of the error, the coherence and the level
# above the noise floor.
_FEATURES, _GROUPS = [0, 4, 5], BANDS // 4
DROPOUT = 0.25
# The weight of a teacher in the target (distillation). The rest is the label.
TEACHER_WEIGHT = 0.5


class VoiceNetwork(StoredNames):
    """The probability of a near voice, from the full-band state of the mask network."""

    stored_names = {"gru": "remember", "output_layer": "leave"}

    def __init__(self, full_band: int = 96, memory: int = 32):
        super().__init__()
        self.gru = nn.GRU(2 * full_band + len(_FEATURES) * _GROUPS, memory, batch_first=True)
        self.output_layer = nn.Linear(memory + full_band, 1)
        self.full_band = full_band

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Returns the logits of calls x frames, of the values that `inputs` returns."""
        return self.output_layer(torch.cat([self.gru(inputs)[0], inputs[..., : self.full_band]], 2))[..., 0]


def inputs(mask_network: MaskNetwork, features: torch.Tensor) -> torch.Tensor:
    """Returns the inputs of the network, of features of calls x frames x FEATURES x BANDS."""
    return torch.cat([mask_network.full_band_states(features), means_of_groups(features)], 2)


def means_of_groups(features: torch.Tensor) -> torch.Tensor:
    """Returns the means of some features over groups of bands, calls x frames x values, of features of calls x frames x
    FEATURES x BANDS."""
    calls, frames = features.shape[:2]
    means = features[:, :, _FEATURES].reshape(calls, frames, len(_FEATURES), _GROUPS, -1).mean(-1)
    return means.reshape(calls, frames, -1)


def probabilities(network: VoiceNetwork, mask_network: MaskNetwork, features: torch.Tensor) -> torch.Tensor:
    """Returns the probabilities of a near voice of calls x frames, of calls x frames x FEATURES x BANDS."""
    with torch.no_grad():
        return torch.sigmoid(network(inputs(mask_network, features)))


def load_both(file: Path) -> tuple[VoiceNetwork, MaskNetwork]:
    """Loads the voice network and the mask network behind which it was trained from the engine's file."""
    network, mask_network = VoiceNetwork(), MaskNetwork()
    network.load_state_dict(load(file, "voice", network))
    mask_network.load_state_dict(load(file, "suppressor", mask_network))
    return network, mask_network


class Calls:
    """The inputs, targets and labels of all examples, in memory as float16. Half of the examples are augmented: calls that
    start in the middle of a word, and voices over digital silence."""

    def __init__(self, mask_network: MaskNetwork, teacher: Path | None, files: list[Path], random: np.random.Generator):
        self.mask_network = mask_network
        self.teacher = load_both(teacher) if teacher else None
        self.training: list[np.ndarray] = []
        self.held_out: list[np.ndarray] = []
        for file in files:
            examples = np.load(file, mmap_mode="r")
            calls = []
            for start in range(0, len(examples), 16):
                part = np.array(examples[start : start + 16])
                calls += list(self._inputs(part if random.random() < 0.5 else augmented(part, random)))
            held_out = min(HELD_OUT, len(calls) // 4)
            self.training += calls[: len(calls) - held_out]
            self.held_out += calls[len(calls) - held_out :]

    def _inputs(self, examples: np.ndarray) -> np.ndarray:
        features = torch.tensor(examples[..., :FEATURE_VALUES]).float().reshape(*examples.shape[:2], FEATURES, BANDS)
        target = voice = examples[..., -1:]
        if self.teacher:
            taught = probabilities(*self.teacher, features).numpy()[..., None]
            target = TEACHER_WEIGHT * taught + (1 - TEACHER_WEIGHT) * voice
        with torch.no_grad():
            found = inputs(self.mask_network, features).numpy()
        return np.concatenate([found, target, voice], 2).astype(np.float16)


def loss(network: VoiceNetwork, calls: list[np.ndarray]) -> torch.Tensor:
    """Returns the cross-entropy: with the targets in training mode, otherwise with the labels. In training mode, a dropout
    of inputs, constant in each call, prevents overfitting."""
    batch = torch.tensor(np.stack(calls)).float()
    inputs, target, voice = batch[..., :-2], batch[..., -2], batch[..., -1]
    if not network.training:
        return binary_cross_entropy_with_logits(network(inputs), voice)
    inputs = inputs * (torch.rand(len(batch), 1, inputs.shape[2]) > DROPOUT) / (1 - DROPOUT)
    return binary_cross_entropy_with_logits(network(inputs), target)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path, help="the weights with the least held-out loss")
    options.add_argument("suppressor", type=Path, help="weights of the mask network, which stay as they are")
    options.add_argument("examples", type=Path, nargs="+")
    options.add_argument("--from", dest="start", type=Path, help="weights to go on from, also the engine's")
    options.add_argument(
        "--teacher", type=Path, help="the engine's weights, whose probability counts as half of the target")
    options.add_argument("--minutes", type=float, default=20)
    options.add_argument("--batch", type=int, default=32)
    options.add_argument("--rate", type=float, default=3e-3)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    random = np.random.default_rng(chosen.seed)
    mask_network, network = MaskNetwork(), VoiceNetwork()
    mask_network.load_state_dict(load(chosen.suppressor, "suppressor", mask_network))
    if chosen.start:
        network.load_state_dict(load(chosen.start, "voice", network))
    calls = Calls(mask_network, chosen.teacher, chosen.examples, random)
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
        # The network overfits in the end: the best average of the course is kept (early stopping).
        if held_out < least:
            least = held_out
            torch.save(average.module.state_dict(), chosen.output)

    while (done := (time.time() - began) / (60 * chosen.minutes)) < 1:
        if step % 200 == 0:
            measure()
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * (0.5 + 0.5 * np.cos(np.pi * done)) + 2e-5
        value = loss(network, [calls.training[k] for k in random.integers(len(calls.training), size=chosen.batch)])
        optimizer.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        average.update_parameters(network)
        step += 1
    measure()


if __name__ == "__main__":
    main()
