"""Writes trained weights as the engine reads them: see `WeightFile` there."""

from __future__ import annotations

import argparse
import struct
from pathlib import Path

import numpy as np
import torch

from network import Suppressor


def export(parts: dict[str, dict[str, torch.Tensor]], file: Path) -> None:
    """Writes the tensors of several networks, each with its name before that of the tensor."""
    tensors = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
    with open(file, "wb") as out:
        out.write(b"ANECHOIC" + struct.pack("<II", 1, len(tensors)))
        for name, value in sorted(tensors.items()):
            flat = np.ascontiguousarray(value.numpy(), "<f4").ravel()
            out.write(struct.pack("<I", len(name)) + name.encode() + struct.pack("<I", len(flat)) + flat.tobytes())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path)
    options.add_argument("--adaptation", type=Path, required=True)
    options.add_argument("--suppressor", type=Path, help="without it, one that is not trained")
    chosen = options.parse_args()
    suppressor = torch.load(chosen.suppressor) if chosen.suppressor else Suppressor().state_dict()
    export({"adaptation": torch.load(chosen.adaptation), "suppressor": suppressor}, chosen.output)


if __name__ == "__main__":
    main()
