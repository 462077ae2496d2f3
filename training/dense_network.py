"""The mask network for training on a GPU: the same weights as `MaskNetwork`, but each convolution over the bands is one
product with a dense matrix, which a GPU multiplies much sooner than it convolves few channels."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import conv2d, conv_transpose2d

from device_recurrence import states_of_gru
from features import BANDS, FEATURES
from network import MaskNetwork


class DenseNetwork(nn.Module):
    """Computes as `MaskNetwork` does, for features of frames x calls x values: frames come first, as a recurrent
    layer of a GPU wants them. Layers at a quarter of the bands have the order groups x channels, others channels x bands.

    The convolutions compute with bfloat16 on a GPU, the recurrent layers and the gains with float32."""

    def __init__(self, network: MaskNetwork, device: str):
        super().__init__()
        self.network = network.to(device)
        self._half = device.startswith("cuda")
        sizes = (FEATURES * BANDS, network.encoder2.in_channels * BANDS, network.encoder3.in_channels * BANDS // 2)
        self._units = {size: torch.eye(size, device=device) for size in {*sizes, self._joined() * network.groups}}

    def _joined(self) -> int:
        return self.network.decoder1.in_channels

    def _matrix(self, layer: nn.Module, bands: int) -> torch.Tensor:
        """Returns the dense matrix of a convolution over `bands` bands: inputs x outputs, both channels x bands."""
        size = layer.in_channels * bands
        units = self._units[size].view(size, layer.in_channels, 1, bands)
        convolve = conv_transpose2d if isinstance(layer, nn.ConvTranspose2d) else conv2d
        return convolve(units, layer.weight, stride=layer.stride, padding=layer.padding).flatten(1)

    def _encoder(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        network, groups = self.network, self.network.groups
        third = self._matrix(network.encoder3, BANDS // 2).unflatten(1, (-1, groups)).transpose(1, 2).flatten(1)
        return [
            (self._matrix(network.encoder1, BANDS), network.encoder1.bias.repeat_interleave(BANDS)),
            (self._matrix(network.encoder2, BANDS), network.encoder2.bias.repeat_interleave(BANDS // 2)),
            (third, network.encoder3.bias.repeat(groups))]

    def _first_decoder(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the matrices of `decoder1`: for the band GRU, and for the full-band GRU."""
        groups, channels = self.network.groups, self.network.encoder3.out_channels
        by_group = self._matrix(self.network.decoder1, groups).unflatten(0, (-1, groups)).transpose(0, 1)
        return by_group[:, :channels].flatten(0, 1), by_group[:, channels:].flatten(0, 1)

    def _lower(self):
        return torch.autocast("cuda", torch.bfloat16, enabled=self._half)

    def _encode(self, features: torch.Tensor) -> list[torch.Tensor]:
        matrices, found = self._encoder(), []
        first, bias = matrices[0]
        found.append(torch.tanh(torch.addmm(bias, features.flatten(0, 1), first)))
        with self._lower():
            for matrix, bias in matrices[1:]:
                found.append(torch.tanh(torch.addmm(bias, found[-1], matrix)))
        return found

    def _bottleneck(self, third: torch.Tensor, frames: int) -> torch.Tensor:
        return torch.tanh(self.network.to_full_band(third.float())).unflatten(0, (frames, -1))

    def full_band_states(self, features: torch.Tensor) -> torch.Tensor:
        """Does as that of `MaskNetwork`, with frames first."""
        bottleneck = self._bottleneck(self._encode(features)[-1], len(features))
        return torch.cat([_recur(self.network.full_band_gru, bottleneck), bottleneck], 2)

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns gains of frames x calls x 3 x BANDS and logits of a voice of frames x calls, of features of frames x
        calls x values."""
        network, (frames, calls) = self.network, features.shape[:2]
        first, second, third = self._encode(features)
        layer, start = network.band_gru, network.initial_band_state.repeat(calls, 1)
        with self._lower():
            series = third.view(-1, layer.input_size)
            inputs = torch.addmm(layer.bias_ih_l0, series, layer.weight_ih_l0.T)
        inputs = inputs.view(frames, calls * network.groups, -1)
        local = states_of_gru(layer, inputs, start).view(frames * calls, -1)
        full_band = _recur(network.full_band_gru, self._bottleneck(third, frames))
        to_bands = torch.tanh(network.to_bands(full_band.flatten(0, 1)))
        of_bands, of_all = self._first_decoder()
        upper = self._matrix(network.decoder2, BANDS // 2)
        with self._lower():
            bias = network.decoder1.bias.repeat_interleave(BANDS // 2)
            decoded = torch.addmm(bias, local + third, of_bands) + to_bands @ of_all
            decoded = torch.tanh(decoded + second)
            bias = network.decoder2.bias.repeat_interleave(BANDS)
            decoded = torch.tanh(torch.addmm(bias, decoded, upper) + first)
            last = self._matrix(network.gain_layer, BANDS)
        logits = torch.addmm(network.gain_layer.bias.repeat_interleave(BANDS) + 2, decoded.float(), last.float())
        gains = torch.sigmoid(logits).view(frames, calls, 3, BANDS)
        return gains, network.auxiliary_voice(full_band)[..., 0]


def _recur(layer: nn.GRU, series: torch.Tensor) -> torch.Tensor:
    """Returns the states of a recurrent layer for a series whose frames come first."""
    return layer(series.transpose(0, 1))[0].transpose(0, 1)
