"""The network that separates the near voice from echo, noise and competing voices: see `MaskNetwork` in the engine."""

from __future__ import annotations

import torch
from torch import nn

from features import BANDS, FEATURES
from weight_file import StoredNames


class MaskNetwork(StoredNames):
    """Estimates masks for echo, noise and competing voices, one gain for each band, and the logit of a near voice as an
    auxiliary output. The engine decides on voice by `VoiceNetwork`, but the auxiliary output helps all layers to learn.

    A convolutional encoder and decoder over the bands enclose two recurrent layers: a GRU for each group of bands, all
    with the same weights, and a GRU for the full band."""

    stored_names = {
        "initial_band_state": "start", "encoder1": "first", "encoder2": "second", "encoder3": "third",
        "band_gru": "of_group", "to_full_band": "gather", "full_band_gru": "of_all", "to_bands": "spread",
        "decoder1": "up", "decoder2": "up_again", "gain_layer": "leave", "auxiliary_voice": "voice"}

    def __init__(self, narrow: int = 16, middle: int = 24, wide: int = 32, full_band: int = 96):
        super().__init__()
        self.encoder1 = nn.Conv2d(FEATURES, narrow, (1, 3), padding=(0, 1))
        self.encoder2 = nn.Conv2d(narrow, middle, (1, 4), stride=(1, 2), padding=(0, 1))
        self.encoder3 = nn.Conv2d(middle, wide, (1, 4), stride=(1, 2), padding=(0, 1))
        self.groups = BANDS // 4
        self.band_gru = nn.GRU(wide, wide, batch_first=True)
        self.to_full_band = nn.Linear(self.groups * wide, full_band)
        self.full_band_gru = nn.GRU(full_band, full_band, batch_first=True)
        self.to_bands = nn.Linear(full_band, self.groups * narrow)
        self.decoder1 = nn.ConvTranspose2d(wide + narrow, middle, (1, 4), stride=(1, 2), padding=(0, 1))
        self.decoder2 = nn.ConvTranspose2d(middle, narrow, (1, 4), stride=(1, 2), padding=(0, 1))
        self.gain_layer = nn.Conv2d(narrow, 3, (1, 1))
        self.auxiliary_voice = nn.Linear(full_band, 1)
        # The state of the band GRU with which a call begins: `train_start.py` learns it.
        self.register_buffer("initial_band_state", torch.zeros(self.groups, wide))

    def full_band_states(self, features: torch.Tensor) -> torch.Tensor:
        """Returns the state of the full-band GRU and its input, the bottleneck: calls x frames x 2 * full_band, of
        features of calls x frames x FEATURES x BANDS."""
        bottleneck = self._bottleneck(self._encode(features)[-1])
        return torch.cat([self.full_band_gru(bottleneck)[0], bottleneck], 2)

    def _encode(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        first = torch.tanh(self.encoder1(features.transpose(1, 2)))
        second = torch.tanh(self.encoder2(first))
        return first, second, torch.tanh(self.encoder3(second))

    def _bottleneck(self, third: torch.Tensor) -> torch.Tensor:
        calls, _, frames, _ = third.shape
        return torch.tanh(self.to_full_band(third.permute(0, 2, 3, 1).reshape(calls, frames, -1)))

    def forward(self, features: torch.Tensor, state=None):
        """Returns gains of calls x 3 x frames x BANDS, the logits of voice of calls x frames, and the state, of features
        of calls x frames x FEATURES x BANDS."""
        calls, frames = features.shape[:2]
        band_state, full_band_state = state or (self.initial_band_state.repeat(calls, 1)[None], None)
        first, second, third = self._encode(features)
        series = third.permute(0, 3, 2, 1)  # calls x groups x frames x channels
        local, band_state = self.band_gru(series.reshape(calls * self.groups, frames, -1), band_state)
        local = local.reshape(calls, self.groups, frames, -1).permute(0, 3, 2, 1)
        full_band, full_band_state = self.full_band_gru(self._bottleneck(third), full_band_state)
        to_bands = torch.tanh(self.to_bands(full_band)).reshape(calls, frames, self.groups, -1).permute(0, 3, 1, 2)
        decoded = torch.tanh(self.decoder1(torch.cat([local + third, to_bands], 1)) + second)
        decoded = torch.tanh(self.decoder2(decoded) + first)
        gains = torch.sigmoid(self.gain_layer(decoded) + 2)
        return gains, self.auxiliary_voice(full_band)[..., 0], (band_state, full_band_state)
