"""The voice encoder and the isolation network, as `VoiceEncoder` and `IsolationNetwork` in the engine run them."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from inputs import BANDS, INPUTS

PRINT = 64
# How fast the mean directions of a voice follow: 100 ms and 1 s.
FAST, SLOW = 0.1, 0.01
# Whether a voice is enrolled, how much voice a frame has, and how alike the enrolled voice are this frame, the last 100 ms
# and the last second.
LIKENESS = 5


class VoiceEncoder(nn.Module):
    """A layer, a GRU and a layer whose outputs point in the direction of a voice. The longer the output of a frame, the
    more it tells about the voice. The voiceprint of a recording is the direction of the sum of all outputs."""

    def __init__(self, hidden: int = 64, state: int = 96):
        super().__init__()
        self.enter = nn.Linear(BANDS, hidden)
        self.remember = nn.GRU(hidden, state, batch_first=True)
        self.leave = nn.Linear(state, PRINT)

    @staticmethod
    def load(file: Path) -> "VoiceEncoder":
        """Reads an encoder of any size."""
        weights = torch.load(file, weights_only=True)
        encoder = VoiceEncoder(weights["enter.bias"].numel(), weights["remember.weight_hh_l0"].shape[1])
        encoder.load_state_dict(weights)
        return encoder

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Returns calls x frames x PRINT, from inputs of calls x frames x INPUTS or BANDS."""
        return self.leave(self.remember(torch.tanh(self.enter(inputs[..., :BANDS])))[0])


class IsolationNetwork(nn.Module):
    """A layer, a GRU and a layer of gains for the bands and of the probability that the kept voice talks."""

    def __init__(self, hidden: int = 96, state: int = 128):
        super().__init__()
        self.enter = nn.Linear(INPUTS + LIKENESS, hidden)
        self.remember = nn.GRU(hidden, state, batch_first=True)
        self.leave = nn.Linear(state, BANDS + 1)
        # In training alone: whether the nearer voice of the scene is the louder one, whoever is kept.
        self.nearness = nn.Linear(state, 1)

    def forward(self, inputs: torch.Tensor, alike: torch.Tensor) -> torch.Tensor:
        """Returns calls x frames x (BANDS + 2): gains, probability and nearness before the sigmoid."""
        state = self.remember(torch.tanh(self.enter(torch.cat([inputs, alike], -1))))[0]
        return torch.cat([self.leave(state), self.nearness(state)], -1)
