"""Checks simulated rooms by Schroeder integration: run with `python -m unittest`."""

from __future__ import annotations

import unittest

import numpy as np
from scipy import signal

from rooms import RATE, Room

# Ranges in Hz inside of the bands in which walls reflect differently.
_RANGES = ((150, 600), (900, 2200), (3000, 7000))


def _decay(response: np.ndarray, band: tuple[float, float]) -> np.ndarray:
    """Returns the energy that is still to come, in dB of all energy, for each sample."""
    passed = signal.sosfilt(signal.butter(4, band, "band", fs=RATE, output="sos"), response)
    left = np.cumsum(passed[::-1] ** 2)[::-1]
    return 10 * np.log10(left / left[0] + 1e-12)


def _reverberation(decay: np.ndarray, first: float, last: float) -> float:
    """Returns the time for 60 dB, by a line between two levels."""
    start, end = np.argmax(decay < first), np.argmax(decay < last)
    slope, _ = np.polyfit(np.arange(start, end) / RATE, decay[start:end], 1)
    return -60 / slope


class RoomsTest(unittest.TestCase):
    def setUp(self) -> None:
        random = np.random.default_rng(3)
        rooms = [Room(random) for _ in range(40)]
        self.rooms = [(room, room.response(room.place((0.3, 3)))) for room in rooms]

    def test_responses_reverberate_as_long_as_the_room(self) -> None:
        for index, band in enumerate(_RANGES):
            ratios = [_reverberation(_decay(response, band), -5, -35) / room.decays[index]
                      for room, response in self.rooms]
            # Low frequencies have few images, and so steps.
            self.assertLess(abs(np.median(ratios) - 1), 0.1, band)
            self.assertLess(np.quantile(np.abs(np.log(ratios)), 0.75), 0.3, band)

    def test_the_late_decay_is_that_of_the_room(self) -> None:
        for index, band in enumerate(_RANGES):
            ratios = [_reverberation(_decay(response, band), -20, -50) / room.decays[index]
                      for room, response in self.rooms]
            self.assertLess(np.quantile(np.abs(np.log(ratios)), 0.75), 0.15, band)

    def test_the_tail_joins_the_images_without_a_step(self) -> None:
        steps = []
        for room, response in self.rooms:
            if room.decay > 0.3:
                early, late = (slice(int(a * RATE), int(b * RATE)) for a, b in ((0.035, 0.055), (0.08, 0.1)))
                passed = signal.sosfilt(signal.butter(4, _RANGES[1], "band", fs=RATE, output="sos"), response)
                fall = 10 * np.log10((passed[early] ** 2).sum() / (passed[late] ** 2).sum())
                steps.append(fall - 60 * 0.045 / room.decays[1])
        self.assertLess(abs(np.median(steps)), 1)
        self.assertLess(np.quantile(np.abs(steps), 0.9), 4)

    def test_places_are_as_far_as_wanted(self) -> None:
        random = np.random.default_rng(4)
        found = []
        for _ in range(100):
            room = Room(random)
            found.append(np.linalg.norm(room.place((1, 1)) - room.microphone))
        self.assertLess(abs(np.median(found) - 1), 0.01)


if __name__ == "__main__":
    unittest.main()
