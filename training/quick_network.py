"""The loss of the mask network and its gradients on processors with AVX2, two to three times faster than PyTorch. The
computation is in `quick/network.cpp`."""

from __future__ import annotations

import ctypes
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from examples import TARGETS
from features import BANDS, BINS, FEATURES, INTERPOLATION
from network import MaskNetwork

_HERE = Path(__file__).parent
# The widths of the computation: matrices have a multiple of 8 columns.
_INPUTS, _OUTPUTS = 8, 8


class QuickNetwork:
    """A network whose weights are one vector, in the order of `Places` in `quick/network.cpp`. Its initial states are
    zero."""

    def __init__(self, network: MaskNetwork, threads: int):
        self._library = _compiled()
        self.weights = torch.nn.Parameter(_flat(network.state_dict()))
        if len(self.weights) != self._library.weight_count():
            raise ValueError("quick/network.cpp computes another network")
        # Padding of the matrices stays zero.
        self._used = _flat({name: torch.ones_like(value) for name, value in network.state_dict().items()})
        self._shapes = {name: value.shape for name, value in network.state_dict().items()}
        self._pool = ThreadPoolExecutor(threads)
        self._gradients = [np.zeros(len(self.weights), np.float32) for _ in range(threads)]
        bins = np.arange(BINS)
        left = np.minimum(np.argmax(INTERPOLATION > 0, 0), BANDS - 2)
        self._left = left.astype(np.int32)
        self._share = np.ascontiguousarray(INTERPOLATION[left + 1, bins])

    def learn(self, batches: list[list[np.ndarray]], lost: float, voice: float, gain_weights: np.ndarray) -> np.ndarray:
        """Computes the gradients of the weights, and returns the parts of the loss: see `loss` in `train_network`.
        `batches` has a batch of examples for each thread, each example frames x values as float16."""
        work = [self._pool.submit(self._step, gradients, batch, lost, voice, gain_weights)
                for gradients, batch in zip(self._gradients, batches)]
        parts = [part.result() for part in work]
        self.weights.grad = torch.from_numpy(np.mean(self._gradients[: len(batches)], 0)) * self._used
        return np.mean(parts, 0)

    def measure(self, batches: list[list[np.ndarray]], lost: float, voice: float, gain_weights: np.ndarray) -> np.ndarray:
        """Returns the parts of the loss as `learn` does, without gradients."""
        work = [self._pool.submit(self._step, None, batch, lost, voice, gain_weights) for batch in batches]
        return np.mean([part.result() for part in work], 0)

    def _step(self, gradients: np.ndarray | None, batch: list[np.ndarray], lost: float, voice: float,
              gain_weights: np.ndarray) -> np.ndarray:
        if gradients is not None:
            gradients[:] = 0
        examples = [np.ascontiguousarray(example, np.float16) for example in batch]
        addresses = (ctypes.c_void_p * len(examples))(*[example.ctypes.data for example in examples])
        weights, parts = self.weights.detach().numpy(), np.zeros(TARGETS + 1)
        gain_weights = np.asarray(gain_weights, np.float32)
        self._library.step(
            _address(weights), None if gradients is None else _address(gradients), addresses, len(examples),
            len(examples[0]),
            _address(self._left), _address(self._share), ctypes.c_float(lost), ctypes.c_float(voice),
            _address(gain_weights), _address(parts))
        return parts

    def flat(self, state: dict[str, torch.Tensor]) -> torch.Tensor:
        """Returns the vector of weights that PyTorch's network has as `state`."""
        return _flat(state)

    def state(self, weights: torch.Tensor) -> dict[str, torch.Tensor]:
        """Returns a vector of weights as PyTorch's network has them."""
        return _shaped(weights.detach(), self._shapes)


def _compiled() -> ctypes.CDLL:
    source, library = _HERE / "quick" / "network.cpp", _HERE / ".build" / "quick_network.so"
    newest = max(file.stat().st_mtime for file in source.parent.iterdir())
    if not library.exists() or library.stat().st_mtime < newest:
        library.parent.mkdir(exist_ok=True)
        flags = "-std=c++17 -O3 -march=native -ffast-math -shared -fPIC -w".split()
        subprocess.run(["g++", *flags, "-o", library, source], check=True)
    found = ctypes.CDLL(str(library))
    found.step.restype = None
    return found


def _address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


# The order of the weights, by their names in files (see `StoredNames`). Those of a convolution are taps x inputs x
# outputs, those of its transpose taps x outputs x inputs, and those of a linear layer inputs x outputs.

_CONVOLUTIONS, _TRANSPOSED = ("first", "second", "third"), ("up", "up_again")
_RECURRENT = ("of_group", "of_all")
_ORDER = ("first", "second", "third", "of_group", "gather", "of_all", "spread", "up", "up_again", "leave", "voice")


def _flat(state: dict[str, torch.Tensor]) -> torch.Tensor:
    parts = []
    for layer in _ORDER:
        for name, value in _of_layer(state, layer):
            parts.append(_padded(name, _to_columns(name, value.float())).reshape(-1))
    return torch.cat(parts)


def _shaped(weights: torch.Tensor, shapes: dict[str, torch.Size]) -> dict[str, torch.Tensor]:
    # The initial state of the band GRU is not among the weights, and stays zero.
    empty = {name: torch.zeros(shape) for name, shape in shapes.items()}
    result, place = dict(empty), 0
    for layer in _ORDER:
        for name, value in _of_layer(empty, layer):
            columns = _to_columns(name, value)
            padded = _padded(name, columns)
            part = weights[place : place + padded.numel()].reshape(padded.shape)
            place += padded.numel()
            part = part[tuple(slice(size) for size in columns.shape)]
            result[name] = _from_columns(name, part).reshape(value.shape).contiguous()
    return result


def _of_layer(state: dict[str, torch.Tensor], layer: str) -> list[tuple[str, torch.Tensor]]:
    ends = ("weight_ih_l0", "bias_ih_l0", "weight_hh_l0", "bias_hh_l0") if layer in _RECURRENT else ("weight", "bias")
    return [(f"{layer}.{end}", state[f"{layer}.{end}"]) for end in ends]


def _is_convolution(name: str) -> bool:
    return name.endswith(".weight") and name.split(".")[0] in _CONVOLUTIONS + _TRANSPOSED


def _to_columns(name: str, value: torch.Tensor) -> torch.Tensor:
    if _is_convolution(name):
        return value[:, :, 0].permute(2, 1, 0)
    return value if value.dim() == 1 else value.reshape(value.shape[0], -1).T


def _from_columns(name: str, value: torch.Tensor) -> torch.Tensor:
    if _is_convolution(name):
        return value.permute(2, 1, 0)
    return value if value.dim() == 1 else value.T


def _padded(name: str, value: torch.Tensor) -> torch.Tensor:
    if name == "first.weight":
        return torch.nn.functional.pad(value, (0, 0, 0, _INPUTS - FEATURES))
    if name.split(".")[0] in ("leave", "voice"):
        return torch.nn.functional.pad(value, (0, _OUTPUTS - value.shape[-1]))
    return value
