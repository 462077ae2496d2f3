"""Makes the examples that the voice encoder learns from: pieces of recordings, as a microphone near by has them, and how
the encoder of Resemblyzer, whose weights are under the Apache licence, describes them."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from scipy import signal

from inputs import BANDS, bands, levels, loudness
from speakers import RATE, Speaker, load, other_voice
from rooms import Room, equalizer
from sounds import colored

FRAMES = 400
_COUNT = FRAMES * RATE // 100
_MOST_PIECES = 12
# Shares of the speed at which a voice counts as that of another speaker.
_PACES = (0.83, 0.91, 1.1, 1.21)
_LEVEL = 10 ** (-30 / 20)


class Teacher(torch.nn.Module):
    """The encoder of Resemblyzer (generalized end-to-end loss, Wan et al., 2018)."""

    def __init__(self, file: Path):
        super().__init__()
        self.lstm = torch.nn.LSTM(40, 256, 3, batch_first=True)
        self.linear = torch.nn.Linear(256, 256)
        self.load_state_dict(torch.load(file, map_location="cpu", weights_only=False)["model_state"], strict=False)
        self._mel = _mel_filters()

    @torch.no_grad()
    def forward(self, samples: np.ndarray) -> np.ndarray:
        """Returns voices x 256, from voices x samples."""
        blocks = signal.ShortTimeFFT(signal.get_window("hann", 400), 160, RATE).stft(samples)
        mel = np.einsum("vbt,mb->vtm", np.abs(blocks) ** 2, self._mel)[:, 2 : FRAMES + 2].astype(np.float32)
        halves = torch.from_numpy(mel).reshape(2 * len(mel), FRAMES // 2, 40)
        found = torch.relu(self.linear(self.lstm(halves)[1][0][-1]))
        found = torch.nn.functional.normalize(found, dim=1).reshape(len(mel), 2, 256).mean(1)
        return torch.nn.functional.normalize(found, dim=1).numpy()


def _mel_filters() -> np.ndarray:
    """Returns 40 x 201: Slaney's mel filters with areas of 1."""
    hertz = lambda mel: np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))
    top = 15 + np.log(8.0) / (np.log(6.4) / 27)
    edges, bins = hertz(np.linspace(0, top, 42)), np.linspace(0, RATE / 2, 201)
    rise = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(rise, fall)) * (2 / (edges[2:] - edges[:-2]))[:, None]


def pieces(speaker: Speaker, pace: float, random: np.random.Generator) -> list[np.ndarray]:
    """Returns some pieces of a speaker of `_COUNT` samples; short recordings repeat."""
    found = []
    for clip in speaker.clips:
        voice = other_voice(clip, pace)
        for start in range(0, max(1, len(voice) - _COUNT // 2), _COUNT):
            part = voice[start : start + _COUNT]
            if len(part) > RATE:
                found.append(np.resize(part, _COUNT))
    random.shuffle(found)
    return found[:_MOST_PIECES]


def heard(voice: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns a voice as a microphone near by has it."""
    response = Room(random)
    response = response.response(response.place((0.2, 1.0))) if random.random() < 0.8 else np.ones(1, np.float32)
    response = np.convolve(response / np.sqrt((response**2).sum()), equalizer(random, 3, (20, 150)))
    voice = signal.fftconvolve(voice, response)[: len(voice)] * 10 ** (random.uniform(-40, -20) / 20)
    noise = colored(random, len(voice)) * np.sqrt((voice**2).mean()) * 10 ** (-random.uniform(12, 50) / 20)
    return (voice + noise).astype(np.float32)


def bands_of(samples: np.ndarray) -> np.ndarray:
    """Returns the inputs of the encoder."""
    powers = bands(samples)
    return levels(powers, loudness(powers))[:, :BANDS].astype(np.float16)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", type=Path)
    options.add_argument("teacher", type=Path, help="pretrained.pt of the package Resemblyzer")
    options.add_argument("output", type=Path, help="the .npz file of examples")
    options.add_argument("--held-out", action="store_true")
    options.add_argument("--paces", type=int, default=2, help="other voices made of each speaker")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    torch.set_num_threads(1)
    random, teacher = np.random.default_rng(chosen.seed), Teacher(chosen.teacher)
    inputs, prints, names = [], [], []
    for speaker in load(chosen.corpus, chosen.held_out, least=2.0):
        for pace in (1.0, *random.choice(_PACES, chosen.paces, replace=False)):
            voices = pieces(speaker, pace, random)
            if not voices:
                continue
            prints.append(teacher(np.stack(voices) * _LEVEL).astype(np.float16))
            inputs += [bands_of(heard(voice, random)) for voice in voices]
            names += [f"{speaker.name}@{pace}"] * len(voices)
    np.savez(chosen.output, inputs=np.stack(inputs), prints=np.concatenate(prints), names=np.array(names))


if __name__ == "__main__":
    main()
