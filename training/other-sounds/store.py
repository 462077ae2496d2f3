"""Writes a short sound and what PyTorch makes of it, for the tests of the engine: for each step of 20 ms the samples at 8 kHz,
the inputs of the network and the probability of a voice.

    python store.py other-sounds.weights Tests/Unit/AnechoicEngineTests/Stored
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import torch
from inputs import COUNT, RATE, STEP, partial_features
from train import OtherSoundNetwork

sys.path.append(str(Path(__file__).parent.parent))
from weight_file import load  # noqa: E402

_STEPS = 100


def sound() -> np.ndarray:
    """Returns plucked tones, then a gliding pitch in syllables."""
    random, time = np.random.default_rng(5), np.arange(_STEPS * STEP) / RATE
    glide = 2 * np.pi * np.cumsum(140 + 60 * np.sin(2 * np.pi * 1.5 * time)) / RATE
    voice = sum(np.sin(order * glide) / order for order in range(1, 20)) * np.maximum(0, np.sin(2 * np.pi * 4 * time))
    plucked = sum(
        np.where(time >= start, np.exp(-(time - start) * 4) * np.sin(2 * np.pi * pitch * (time - start)), 0)
        for start, pitch in ((0.1, 440), (0.3, 554.4), (0.5, 659.3), (0.7, 880)))
    return (0.05 * np.where(time < 1, plucked, voice) + 0.0003 * random.normal(size=len(time))).astype(np.float32)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("weights", type=Path, help="the weights, as train.py writes them")
    options.add_argument("folder", type=Path, help="Tests/Unit/AnechoicEngineTests/Stored")
    chosen = options.parse_args()
    network = OtherSoundNetwork().eval()
    network.load_state_dict(load(chosen.weights, "other_sounds", network))
    samples = sound()
    inputs = partial_features(samples)
    with torch.no_grad():
        voice = torch.sigmoid(network(torch.from_numpy(inputs)[None]))[0].numpy()
    stored = np.concatenate([samples.reshape(_STEPS, STEP), inputs, voice[:, None]], 1)
    assert stored.shape == (_STEPS, STEP + COUNT + 1)
    stored.astype("<f4").tofile(chosen.folder / "other-sounds.f32")


if __name__ == "__main__":
    main()
