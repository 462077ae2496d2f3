"""Trains the initial state of the band GRU, on calls that start anywhere, also in the middle of a word. All other weights
are frozen.

The initial state of the full-band GRU stays zero. If it were trained too, the network would expect a voice, and detect
one in the noise with which calls begin."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from augmentation import restarted
from network import MaskNetwork
from train_network import Batches, loss
from weight_file import load

# The weights in the loss: those of `train_network`, but more for noise.
_LOST, _VOICE, _GAIN_WEIGHTS = 1.8, 0.3, np.array([60, 45, 10], np.float32)


def _loss(network: MaskNetwork, parts: list[np.ndarray]) -> torch.Tensor:
    return loss(network, torch.tensor(restarted(np.stack(parts))).float(), _LOST, _VOICE, _GAIN_WEIGHTS).sum()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("output", type=Path)
    options.add_argument("examples", type=Path, nargs="+")
    options.add_argument("--from", dest="network", type=Path, required=True, help="the network, also the engine's")
    options.add_argument("--minutes", type=float, default=4)
    options.add_argument("--batch", type=int, default=16, help="parts of examples in a step")
    options.add_argument("--frames", type=int, default=100, help="frames of a part")
    options.add_argument("--rate", type=float, default=0.02)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    network = MaskNetwork()
    network.load_state_dict(load(chosen.network, "suppressor", network))
    network.requires_grad_(False)
    start = network.initial_band_state.zero_().requires_grad_()
    optimizer = torch.optim.Adam([start], lr=chosen.rate)
    batches = Batches(chosen.examples, chosen.seed)
    held_out = batches.held_out(chosen.frames)
    held_out = [held_out[k : k + chosen.batch] for k in range(0, len(held_out), chosen.batch)]
    began, measured, step = time.time(), 0.0, 0

    def save() -> None:
        with torch.no_grad():
            value = np.mean([_loss(network, parts).item() for parts in held_out])
        print(f"{(time.time() - began) / 60:.1f} min, step {step}: held-out loss {value:.4f}", flush=True)
        torch.save({name: value.detach() for name, value in network.state_dict().items()}, chosen.output)

    while (done := (time.time() - began) / (60 * chosen.minutes)) < 1:
        if time.time() - measured > 60:
            measured = time.time()
            save()
        for group in optimizer.param_groups:
            group["lr"] = chosen.rate * (0.5 + 0.5 * np.cos(np.pi * done))
        optimizer.zero_grad()
        _loss(network, batches.parts(chosen.batch, chosen.frames)).backward()
        optimizer.step()
        start.data.clamp_(-1, 1)
        step += 1
    save()


if __name__ == "__main__":
    main()
