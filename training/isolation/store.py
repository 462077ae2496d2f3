"""Writes the powers of a short call and what PyTorch makes of them, for the tests of the engine: for each frame the powers of
the bands, the output of the voice encoder, and gains and probability of the isolation network, without an enrolled voice and
with that of the first half of the call."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

sys.path.append(str(Path(__file__).parent.parent))
from gains import deepened  # noqa: E402
from inputs import BANDS, Loudness, bands, levels  # noqa: E402
from network import LIKENESS, IsolationNetwork, VoiceEncoder  # noqa: E402
from train import likeness  # noqa: E402
from weight_file import load  # noqa: E402

_FRAMES, _RATE = 100, 16000


def call() -> np.ndarray:
    """Returns tones with a pitch in syllables, which change in the middle."""
    random, time = np.random.default_rng(5), np.arange(_FRAMES * _RATE // 100) / _RATE
    pitch = np.where(time < 0.5, 120, 210) * (1 + 0.1 * np.sin(2 * np.pi * 3 * time))
    phase = 2 * np.pi * np.cumsum(pitch) / _RATE
    sound = sum(np.sin(order * phase) / order for order in range(1, 20)) * np.maximum(0, np.sin(2 * np.pi * 4 * time))
    return (0.05 * sound + 0.0003 * random.normal(size=len(time))).astype(np.float32)


@torch.no_grad()
def isolated(
    encoder: VoiceEncoder, network: IsolationNetwork, powers: np.ndarray, voiceprint: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the outputs of the encoder, and gains and probability of each frame. The probability of a frame decides
    whether the loudness may fall in the next one, as in the engine."""
    talks, scores = np.ones(len(powers), bool), torch.zeros(0)
    while True:
        state = Loudness()
        loudest = np.array([state.frame(power, falls) for power, falls in zip(powers.mean(1).tolist(), talks)], np.float32)
        inputs = torch.from_numpy(levels(powers, loudest))[None]
        directions = encoder(inputs)
        alike = torch.zeros(1, len(powers), LIKENESS) if voiceprint is None else likeness(directions, voiceprint)
        scores = torch.sigmoid(network(inputs, alike))[0, :, : BANDS + 1]
        now = np.concatenate([[True], scores[:-1, BANDS].numpy() > 0.5])
        # All is causal, so that each round makes at least one more frame right.
        if (now == talks).all():
            gains = deepened(scores[None, :, :BANDS], scores[None, :, BANDS])[0]
            return directions, torch.cat([gains, scores[:, BANDS:]], 1)
        talks = now


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("weights", type=Path, help="the weights, as exported")
    options.add_argument("folder", type=Path, help="Tests/Unit/AnechoicEngineTests/Stored")
    chosen = options.parse_args()
    encoder, network = VoiceEncoder(), IsolationNetwork()
    encoder.load_state_dict(load(chosen.weights, "encoder", encoder))
    # The file has no weights of the nearness, which only training needs.
    del network.nearness
    network.load_state_dict(load(chosen.weights, "isolation", network))
    network.nearness = torch.nn.Linear(network.remember.hidden_size, 1)
    powers = bands(call())
    directions, nearest = isolated(encoder, network, powers)
    voiceprint = functional.normalize(directions[:, : _FRAMES // 2].sum(1), dim=1)
    _, enrolled = isolated(encoder, network, powers, voiceprint)
    stored = torch.cat([torch.from_numpy(powers), directions[0], nearest, enrolled], 1)
    assert stored.shape == (_FRAMES, 3 * BANDS + 2 + directions.shape[2])
    stored.numpy().astype("<f4").tofile(chosen.folder / "isolation.f32")


if __name__ == "__main__":
    main()
