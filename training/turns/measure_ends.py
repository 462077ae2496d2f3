"""Measures a turn network on held-out turns as they were spoken: how many turns are cut off, and how late they end.

Does in a minute, with the features of one run, what `scripts/bench quality turns` does with sessions for each setting."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import torch

from network import FEATURES, TurnNetwork
from render import Renderer
from voices import HOP, RATE, load

sys.path.append(str(Path(__file__).resolve().parents[2] / "Benchmarks"))
from quality.turn_figures import best, outcome  # noqa: E402
from quality.turns import A_SESSION, LEAST, TAIL, TIME_OUTS, Turns  # noqa: E402

PROBABILITIES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
# As in TurnDecisions: the voice that continues a turn, the shortest pause in frames, and the longest in s.
HEARD, SHORTEST, LONGEST = 0.5, 8, 2


def ends(voice: np.ndarray, end: np.ndarray, probability: float, turns: Turns) -> list[tuple[list[float], float | None]]:
    """Returns what `turn_figures.ends` does, from the scores of frames."""
    found, last, is_turn = [], 0, False
    for frame, is_heard in enumerate(voice >= HEARD):
        if is_heard:
            last, is_turn = frame, True
        elif is_turn and frame - last >= SHORTEST and end[frame] >= probability:
            found.append(((frame + 1) / 100, (last + 1) / 100))
            is_turn = False
    result = []
    for begin, stop in turns.spans:
        late = [at - stop for at, _ in found if stop <= at < stop + TAIL]
        result.append(([at - since for at, since in found if begin < at < stop], late[0] if late else None))
    return result


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("weights", type=Path, help="the .pt file that train.py writes")
    options.add_argument("program", type=Path, help="render-turns")
    options.add_argument("corpus", type=Path)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--engine", default="anechoic")
    chosen = options.parse_args()
    voices = [voice for voice in load(chosen.corpus, True) if len(voice.active) * HOP / RATE >= LEAST]
    np.random.default_rng(1).shuffle(voices)
    random, voices = np.random.default_rng(1), voices[: chosen.count]
    sets = [Turns(random, voices[first : first + A_SESSION]) for first in range(0, len(voices), A_SESSION)]
    pauses = [each for turns in sets for each in turns.pauses]
    network, renderer, scores = TurnNetwork(), Renderer(chosen.program, chosen.engine), []
    network.load_state_dict(torch.load(chosen.weights, weights_only=True))
    network.eval()
    for turns in sets:
        features = renderer.render(turns.sound.astype(np.float32), None)[:, :FEATURES].copy()
        with torch.no_grad():
            found = network(torch.from_numpy(features)[None])[0]
        scores.append((found[:, :4].softmax(-1)[:, 1:3].sum(-1).numpy(), found[:, 4].sigmoid().numpy()))
    outcomes = []
    for probability in PROBABILITIES:
        found = [each for (voice, end), turns in zip(scores, sets) for each in ends(voice, end, probability, turns)]
        outcomes += [outcome(found, pauses, longest) for longest in TIME_OUTS if longest <= LONGEST]
        row = "; ".join("{:.0%} cut off, {:.2f} s".format(*outcome(found, pauses, most)) for most in (0.8, 1, 1.2, 2))
        print(f"end_probability {probability}, pauses of 0.8, 1, 1.2 and 2 s end a turn: {row}")
    print(f"the network: {best(outcomes)}")
    print(f"a time-out: {best([outcome([([], None)] * len(pauses), pauses, longest) for longest in TIME_OUTS])}")


if __name__ == "__main__":
    main()
