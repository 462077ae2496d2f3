"""Measures a turn network on rendered scenes: how well ends of turns and kinds of sounds are told apart."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from network import TurnNetwork
from scenes import BACKCHANNEL, END, HOLD, NO_PAUSE, NO_SPEECH, SPEECH


def runs(labels: np.ndarray, least: int) -> list[tuple[int, int, int]]:
    """Returns the stretches of one label, of at least `least` frames: the label, the first frame, the one after."""
    edges = np.concatenate([[0], np.flatnonzero(np.diff(labels)) + 1, [len(labels)]])
    return [(int(labels[start]), start, end) for start, end in zip(edges[:-1], edges[1:]) if end - start >= least]


def area(positive: list[float], negative: list[float]) -> float:
    """Returns the area under the curve."""
    both = np.argsort(np.argsort(np.concatenate([positive, negative])))
    count = len(positive)
    return (both[:count].sum() - count * (count - 1) / 2) / (count * len(negative))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("weights", type=Path, help="the .pt file that train.py writes")
    options.add_argument("scenes", type=Path, help="rendered scenes that are held out")
    chosen = options.parse_args()
    data, network = np.load(chosen.scenes), TurnNetwork()
    network.load_state_dict(torch.load(chosen.weights, weights_only=True))
    network.eval()
    with torch.no_grad():
        scores = torch.cat([network(part.float()) for part in torch.from_numpy(data["features"]).split(16)])
    kinds, ends = scores[..., :4].softmax(-1).numpy(), scores[..., 4].sigmoid().numpy()
    for after in (10, 20, 30, 50):
        found = {label: [] for label in (HOLD, END)}
        for scene, pauses in enumerate(data["pauses"]):
            for label, start, _ in runs(pauses, after + 1):
                if label != NO_PAUSE:
                    found[label].append(ends[scene, start + after])
        print(f"ends and holds {after * 10} ms after the voice: area {area(found[END], found[HOLD]):.3f} "
              f"({len(found[END])}, {len(found[HOLD])})")
    for after in (5, 10, 20):
        sounds = {label: [] for label in (SPEECH, BACKCHANNEL, NO_SPEECH)}
        for scene, labels in enumerate(data["kinds"]):
            quiet = True
            for label, start, end in runs(labels, 1):
                if label and quiet and end - start > after:
                    part = kinds[scene, start : start + after + 1].sum(0)
                    sounds[label].append(part[SPEECH] / part[1:].sum())
                quiet = not label and end - start >= 20
        areas = [area(sounds[SPEECH], sounds[other]) for other in (BACKCHANNEL, NO_SPEECH)]
        print(f"speech by its first {after * 10} ms: area to backchannels {areas[0]:.3f}, to no speech {areas[1]:.3f}")
    silent = (data["kinds"] == 0) & (data["pauses"] == NO_PAUSE)
    print(f"frames of a sound that are heard: {(kinds[data['kinds'] != 0][:, 1:].sum(-1) > 0.5).mean():.3f}, "
          f"others: {(kinds[silent][:, 1:].sum(-1) > 0.5).mean():.4f}")


if __name__ == "__main__":
    main()
