"""The network that tells other sounds from voices, and its training.

`OtherSoundDetector` of the engine runs the same network.

    python train.py other-sounds.weights held-out.npz examples-*.npz --steps 3600
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from inputs import COUNT
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

sys.path.append(str(Path(__file__).parent.parent))
from weight_file import write  # noqa: E402

HIDDEN = 48
_DROPOUT, _BATCH, _RATE = 0.15, 32, 4e-3
# The weight of voices in the loss: a voice that is lost is worse than another sound that passes.
_VOICE_WEIGHT = torch.tensor(4.0)
# The first 12 steps of a voice after 12 or more without one count more by this part.
_BEGINNING, _BEGINNING_WEIGHT = 12, 1.5


class OtherSoundNetwork(nn.Module):
    """The probability of a voice where other sounds may be: logits of calls x steps, of calls x steps x COUNT."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(COUNT, HIDDEN)
        self.remember = nn.GRU(HIDDEN, HIDDEN, batch_first=True)
        self.leave = nn.Linear(HIDDEN, 1)
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        state = self.remember(torch.tanh(self.enter(self.dropout(inputs))))[0]
        return self.leave(self.dropout(state))[..., 0]


def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    voiced = (labels == 1).float()
    total = voiced.cumsum(1)
    recent = total - nn.functional.pad(total, (2 * _BEGINNING, 0))[:, : total.shape[1]]
    weights = (labels >= 0) * (1 + _BEGINNING_WEIGHT * voiced * (recent <= _BEGINNING))
    each = binary_cross_entropy_with_logits(logits, labels.clamp(min=0), pos_weight=_VOICE_WEIGHT, reduction="none")
    return (each * weights).sum() / weights.sum()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("output", type=Path, help="the weights with the least held-out loss, as the engine reads them")
    options.add_argument("held_out", type=Path)
    options.add_argument("examples", type=Path, nargs="+")
    options.add_argument("--steps", type=int, default=3600)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.manual_seed(chosen.seed)
    random = np.random.default_rng(chosen.seed)
    files = [np.load(file) for file in chosen.examples]
    inputs, labels = (torch.tensor(np.concatenate([file[name] for file in files])) for name in ("inputs", "labels"))
    held_out = np.load(chosen.held_out)
    held_inputs, held_labels = torch.tensor(held_out["inputs"]).float(), torch.tensor(held_out["labels"])
    network, least = OtherSoundNetwork(), float("inf")
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=0.02)
    average = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99)).eval()
    for step in range(1, chosen.steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (0.5 + 0.5 * np.cos(np.pi * step / chosen.steps)) + 1e-5
        batch = random.integers(len(inputs), size=_BATCH)
        value = loss(network(inputs[batch].float()), labels[batch])
        optimizer.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        average.update_parameters(network)
        if step % 250 and step < chosen.steps:
            continue
        with torch.no_grad():
            found = loss(average.module(held_inputs), held_labels).item()
        print(f"step {step}: loss {value.item():.4f}, held-out {found:.4f}", flush=True)
        if found < least:
            least = found
            write({"other_sounds": average.module.state_dict()}, chosen.output, "<f2")


if __name__ == "__main__":
    main()
