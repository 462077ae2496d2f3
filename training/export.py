"""Writes trained weights as the engine reads them."""

from __future__ import annotations

import argparse
from pathlib import Path

from linear import LearnedFilter
from network import MaskNetwork
from voice_network import VoiceNetwork
from weight_file import Tensors, is_of_engine, load, write


def mean(parts: list[Tensors], shares: list[float]) -> Tensors:
    """Returns the mean of weights, each with its share."""
    total = sum(shares)
    return {name: sum(share / total * part[name] for part, share in zip(parts, shares)) for name in parts[0]}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path)
    options.add_argument("--adaptation", type=Path, required=True)
    options.add_argument(
        "--suppressor", type=Path, nargs="+",
        help="weights of the mask network; several are averaged; omitted: untrained weights")
    options.add_argument("--voice", type=Path, help="weights of the voice network; omitted: untrained weights")
    options.add_argument("--shares", type=float, nargs="+", help="the share of each mask network in the mean")
    options.add_argument(
        "--caution", type=float, default=0,
        help="added to the logarithm of the noise that the adaptation expects: the filter follows the echo more slowly, "
             "and removes less of a near voice")
    chosen = options.parse_args()
    mask_network = MaskNetwork()
    weights = [load(file, "suppressor", mask_network) for file in chosen.suppressor or []]
    weights = weights or [mask_network.state_dict()]
    shares = chosen.shares or [1] * len(weights)
    if min(shares) < 0 or sum(shares) == 0:
        options.error("shares must not be negative, and at least one must be more than zero")
    if len(shares) != len(weights):
        options.error(f"{len(weights)} mask networks need as many shares, not {len(shares)}")
    adaptation = load(chosen.adaptation, "adaptation", LearnedFilter())
    if chosen.caution and is_of_engine(chosen.adaptation):
        options.error("the adaptation of the engine's file has a caution of its own, to which --caution would add")
    adaptation["leave.bias"][0] += chosen.caution
    voice = VoiceNetwork()
    parts = {
        "adaptation": adaptation, "suppressor": mean(weights, shares),
        "voice": load(chosen.voice, "voice", voice) if chosen.voice else voice.state_dict()}
    write(parts, chosen.output)


if __name__ == "__main__":
    main()
