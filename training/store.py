"""Writes a short call and the expected outputs of the engine, for the tests of the engine.

Samples without echo come from the engine itself, as frames x 320; gains and probabilities come from PyTorch."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from features import BANDS, HOP, SIZE, features, spectra, windowed
from network import MaskNetwork
from render import run
from voice_network import VoiceNetwork, load_both, probabilities

_FRAMES = 100


def call() -> np.ndarray:
    """Returns microphone and reference: a far end in syllables, its echo, a near end from the middle on, and noise."""
    random = np.random.default_rng(11)
    count = _FRAMES * HOP

    def syllables(rate: float) -> np.ndarray:
        noise = np.convolve(random.normal(0, 1, count), np.ones(4) / 4, "same")
        return noise * np.maximum(0, np.sin(2 * np.pi * rate * np.arange(count) / 16000)) * 0.1

    reference = syllables(3)
    echo = np.convolve(reference, random.normal(0, 1, 800) * np.exp(-np.arange(800) / 150) * 0.1)[:count]
    near = syllables(2.3) * (np.arange(count) > count // 2)
    microphone = echo + near + random.normal(0, 0.001, count)
    return (np.clip(np.stack([microphone, reference]), -1, 1) * 32767).astype("<i2")


def expected(
    network: MaskNetwork, decision: VoiceNetwork, found: np.ndarray, microphone: np.ndarray,
    reference: np.ndarray) -> np.ndarray:
    """Returns the gains and the probability of each frame of a call by PyTorch: frames x (three rows of gains,
    probability). `found` is the result of `run` for the call."""
    inputs = torch.tensor(
        features(windowed(found[:, :SIZE])[None], spectra(microphone[None]), spectra(reference[None])))
    with torch.no_grad():
        gains = network(inputs)[0][0].permute(1, 0, 2).reshape(len(found), 3 * BANDS)
    return np.concatenate([gains.numpy(), probabilities(decision, network, inputs)[0][:, None].numpy()], 1)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", type=Path, help="render-scenes")
    options.add_argument("weights", type=Path, help="the weights of all networks, as exported")
    options.add_argument("folder", type=Path, help="Tests/Unit/AnechoicEngineTests/Stored")
    chosen = options.parse_args()
    decision, network = load_both(chosen.weights)
    signals = call()
    microphone, reference = signals.astype(np.float32) / 32768
    found = run(chosen.program, chosen.weights, microphone, reference).copy()
    found[:, SIZE:] = expected(network, decision, found, microphone, reference)
    chosen.folder.mkdir(exist_ok=True)
    signals.tofile(chosen.folder / "call.s16")
    found.astype("<f4").tofile(chosen.folder / "expected.f32")


if __name__ == "__main__":
    main()
