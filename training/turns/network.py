"""The turn network, as `TurnNetwork` in VoiceSessions runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn

sys.path.append(str(Path(__file__).parent.parent))
from weight_file import write  # noqa: E402

FEATURES = 32
HIDDEN = 32
STATE = 128
# The scores before softmax and sigmoid: silence, speech, backchannel, no speech; the end of a turn.
OUTPUTS = 5


class TurnNetwork(nn.Module):
    """A layer, a GRU and a layer of scores."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(FEATURES, HIDDEN)
        self.remember = nn.GRU(HIDDEN, STATE, batch_first=True)
        self.leave = nn.Linear(STATE, OUTPUTS)
        # In training alone: there are few utterances, and the state would learn them by heart.
        self.enough, self.most = nn.Dropout(0.15), nn.Dropout(0.4)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Returns the scores of calls, from features of the shape (calls, frames, FEATURES)."""
        return self.leave(self.most(self.remember(self.enough(torch.tanh(self.enter(features))))[0]))


def export(network: TurnNetwork, file: Path, caution: float = 0) -> None:
    """Writes the weights as the session reads them, and beside them as PyTorch does, both with the score of the end
    lowered by `caution`."""
    weights = {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}
    weights["leave.bias"][OUTPUTS - 1] -= caution
    torch.save(weights, file.with_suffix(".pt"))
    write({"turns": weights}, file)
