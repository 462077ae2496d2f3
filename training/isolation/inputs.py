"""The inputs of the isolation networks: equal to `IsolationFeatures` in the engine."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy import signal

sys.path.append(str(Path(__file__).parent.parent))
from features import AVERAGES, BANDS, power, spectra  # noqa: E402

# The loudness follows the mean power of the bands, smoothed over some frames. In a frame, its logarithm rises by a part of
# the difference, and falls by 0.3 dB a second.
SMOOTHING, RISE, FALL = 0.2, 0.04, 0.0007
# The loudness with which a call begins, and the least: -70 and -80 dBFS.
FIRST_LOUDNESS, LEAST_LOUDNESS = 1e-7, 1e-8
_LEAST = np.log(LEAST_LOUDNESS)
# The loudness is at least this part of the smoothed power, -18 dB, so that it follows a sudden voice at once.
LEAST_SHARE = 1 / 64
# The power in a band, by the loudness, below which levels do not tell anything: -60 dB.
SMALLEST = 1e-6
# Bands of a group, and how fast the level of a group is followed: 100 ms.
GROUP, FOLLOWING = 4, 0.1
GROUPS = BANDS // GROUP
INPUTS = BANDS + GROUPS
LEAST_LEVEL = np.log(SMALLEST) / 4 + 1.5


def bands(samples: np.ndarray) -> np.ndarray:
    """Returns frames x BANDS, the powers of the bands of a signal."""
    return (power(spectra(samples[None])[0]) @ AVERAGES).astype(np.float32)


class Loudness:
    """The loudness of the loudest recent voice, a power. In the engine it falls only while the kept voice talks."""

    def __init__(self):
        self.smooth, self.logarithm = 0.0, np.log(FIRST_LOUDNESS)

    def frame(self, power: float, falls: bool = True) -> float:
        """Returns the loudness of a frame with a mean power of its bands."""
        self.smooth += SMOOTHING * (power - self.smooth)
        level = np.log(self.smooth + 1e-12)
        difference = level - self.logarithm
        self.logarithm += RISE * difference if difference > 0 else -FALL if falls else 0
        self.logarithm = max(self.logarithm, _LEAST, level + np.log(LEAST_SHARE))
        return np.exp(self.logarithm)


def loudness(powers: np.ndarray) -> np.ndarray:
    """Returns the loudness for each frame of the powers of the bands."""
    state = Loudness()
    return np.array([state.frame(power) for power in powers.mean(1).tolist()], np.float32)


def levels(powers: np.ndarray, loudest: np.ndarray) -> np.ndarray:
    """Returns frames x INPUTS, from the powers of the bands and the loudness: the level of each band relative to the
    loudness, and the level of each group of bands relative to its recent mean."""
    level = np.log(powers / loudest[:, None] + SMALLEST) / 4 + 1.5
    groups = level.reshape(len(powers), GROUPS, GROUP).mean(2)
    first = np.full((1, GROUPS), (1 - FOLLOWING) * LEAST_LEVEL)
    means = signal.lfilter([FOLLOWING], [1, FOLLOWING - 1], groups, axis=0, zi=first)[0]
    return np.concatenate([level, groups - means], 1).astype(np.float32)
