"""The file of weights that the engine reads (see `WeightFile` there), and weights as PyTorch stores them."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import numpy as np
import torch

_MAGIC = b"ANECHOIC"
_VERSION = 2
_DIGEST = 32
# Marks the number of values of a tensor whose values are f16.
_HALF_PRECISION = 1 << 31

Tensors = dict[str, torch.Tensor]


class StoredNames(torch.nn.Module):
    """A network whose layers have other names in files than in the code: files keep the names of the first version, so
    that old weights and checkpoints can be read."""

    # The name in files of each layer whose name differs.
    stored_names: dict[str, str] = {}

    @classmethod
    def stored(cls, name: str) -> str:
        """Returns the name in files of a tensor."""
        layer, *rest = name.split(".")
        return ".".join([cls.stored_names.get(layer, layer), *rest])

    def state_dict(self, *arguments, **options) -> Tensors:
        """Returns the tensors by their names in files."""
        return {self.stored(name): value for name, value in super().state_dict(*arguments, **options).items()}

    def load_state_dict(self, state: Tensors, *arguments, **options):
        """Loads tensors by their names in files."""
        names = {self.stored(name): name for name in super().state_dict()}
        return super().load_state_dict(
            {names.get(name, name): value for name, value in state.items()}, *arguments, **options)


def write(parts: dict[str, Tensors], file: Path, kind: str = "<f4") -> None:
    """Writes the tensors of several networks, each with its name before that of the tensor, as f32 or as f16 ("<f2")."""
    mark = _HALF_PRECISION if kind == "<f2" else 0
    tensors = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
    content = _MAGIC + struct.pack("<II", _VERSION, len(tensors))
    for name, value in sorted(tensors.items()):
        flat = np.ascontiguousarray(value.numpy(), kind).ravel()
        content += struct.pack("<I", len(name)) + name.encode() + struct.pack("<I", len(flat) | mark) + flat.tobytes()
    file.write_bytes(content + hashlib.sha256(content).digest())


def is_of_engine(file: Path) -> bool:
    """Returns whether a file is the engine's, not PyTorch's."""
    with open(file, "rb") as source:
        return source.read(len(_MAGIC)) == _MAGIC


def load(file: Path, part: str, network: torch.nn.Module) -> Tensors:
    """Returns the weights of a network from a file of any kind. The engine's file has those of several `part`s. Of the
    checkpoint of a campaign, they are the average."""
    if not is_of_engine(file):
        found = torch.load(file, weights_only=True)
        return found.get("average", found)
    found = _read(file)
    missing = [name for name in network.state_dict() if f"{part}.{name}" not in found]
    if missing:
        raise ValueError(f"{file}: has no {', '.join(missing)} of the {part}; an older version wrote it")
    return {name: found[f"{part}.{name}"].reshape(value.shape) for name, value in network.state_dict().items()}


def _read(file: Path) -> Tensors:
    """Returns the flat tensors of the engine's file."""
    data = file.read_bytes()
    version, count = struct.unpack_from("<II", data, len(_MAGIC))
    if version != _VERSION:
        raise ValueError(f"{file}: version {version} of the format is not supported; use {_VERSION}")
    if hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise ValueError(f"{file}: the weights are damaged: their SHA-256 digest is another")
    found, place = {}, len(_MAGIC) + 8

    def length() -> int:
        nonlocal place
        place += 4
        return struct.unpack_from("<I", data, place - 4)[0]

    for _ in range(count):
        size = length()
        name = data[place : place + size].decode()
        place += size
        size = length()
        kind = np.dtype("<f2" if size & _HALF_PRECISION else "<f4")
        size &= ~_HALF_PRECISION
        found[name] = torch.tensor(np.frombuffer(data, kind, size, place).astype(np.float32))
        place += kind.itemsize * size
    return found
