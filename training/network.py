"""The network that tells voice from echo, noise and competing voices: see `Suppressor` in the engine."""

from __future__ import annotations

import torch
from torch import nn

from features import BANDS, FEATURES


class Suppressor(nn.Module):
    """Gains for echo, noise and competing voices in each band, and what a linear layer makes of a near voice: the engine
    asks `VoiceNetwork` instead, but all layers learn by it what a voice is.

    Convolutions over the bands share their weights. One recurrent layer follows each group of bands, another all of
    them."""

    def __init__(self, narrow: int = 16, middle: int = 24, wide: int = 32, whole: int = 96):
        super().__init__()
        self.first = nn.Conv2d(FEATURES, narrow, (1, 3), padding=(0, 1))
        self.second = nn.Conv2d(narrow, middle, (1, 4), stride=(1, 2), padding=(0, 1))
        self.third = nn.Conv2d(middle, wide, (1, 4), stride=(1, 2), padding=(0, 1))
        self.groups = BANDS // 4
        self.of_group = nn.GRU(wide, wide, batch_first=True)
        self.gather = nn.Linear(self.groups * wide, whole)
        self.of_all = nn.GRU(whole, whole, batch_first=True)
        self.spread = nn.Linear(whole, self.groups * narrow)
        self.up = nn.ConvTranspose2d(wide + narrow, middle, (1, 4), stride=(1, 2), padding=(0, 1))
        self.up_again = nn.ConvTranspose2d(middle, narrow, (1, 4), stride=(1, 2), padding=(0, 1))
        self.leave = nn.Conv2d(narrow, 3, (1, 1))
        self.voice = nn.Linear(whole, 1)
        # The state in which the recurrent layer of each group begins a call: `train_start.py` learns it.
        self.register_buffer("start", torch.zeros(self.groups, wide))

    def remembered(self, features: torch.Tensor) -> torch.Tensor:
        """Takes calls x frames x FEATURES x BANDS. Returns the state of the layer of all bands, and its input: calls x
        frames x 2 * whole."""
        entered = self._entered(self._encoded(features)[-1])
        return torch.cat([self.of_all(entered)[0], entered], 2)

    def _encoded(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        first = torch.tanh(self.first(features.transpose(1, 2)))
        second = torch.tanh(self.second(first))
        return first, second, torch.tanh(self.third(second))

    def _entered(self, third: torch.Tensor) -> torch.Tensor:
        calls, _, frames, _ = third.shape
        return torch.tanh(self.gather(third.permute(0, 2, 3, 1).reshape(calls, frames, -1)))

    def forward(self, features: torch.Tensor, state=None):
        """Takes calls x frames x FEATURES x BANDS. Returns gains of calls x 3 x frames x BANDS, the logits of voice
        of calls x frames, and the state."""
        calls, frames = features.shape[:2]
        group_state, whole_state = state or (self.start.repeat(calls, 1)[None], None)
        first, second, third = self._encoded(features)
        series = third.permute(0, 3, 2, 1)  # calls x groups x frames x channels
        local, group_state = self.of_group(series.reshape(calls * self.groups, frames, -1), group_state)
        local = local.reshape(calls, self.groups, frames, -1).permute(0, 3, 2, 1)
        whole, whole_state = self.of_all(self._entered(third), whole_state)
        spread = torch.tanh(self.spread(whole)).reshape(calls, frames, self.groups, -1).permute(0, 3, 1, 2)
        up = torch.tanh(self.up(torch.cat([local + third, spread], 1)) + second)
        up = torch.tanh(self.up_again(up) + first)
        gains = torch.sigmoid(self.leave(up) + 2)
        return gains, self.voice(whole)[..., 0], (group_state, whole_state)
