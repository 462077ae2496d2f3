"""Writes the weights of the voice encoder and of the isolation network as the engine reads them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parent.parent))
from weight_file import write  # noqa: E402


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path, help="the file of weights")
    options.add_argument("encoder", type=Path, help="the .pt file of the encoder")
    options.add_argument("network", type=Path, help="the .pt file of the isolation network")
    chosen = options.parse_args()
    encoder, network = (torch.load(file, weights_only=True) for file in (chosen.encoder, chosen.network))
    network = {name: value for name, value in network.items() if not name.startswith("nearness")}
    write({"encoder": encoder, "isolation": network}, chosen.output, "<f2")


if __name__ == "__main__":
    main()
