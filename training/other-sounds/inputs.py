"""The inputs of the network of other sounds, as `PartialFeatures` of the engine computes them: steps x 64."""

from __future__ import annotations

import numpy as np

RATE, STEP, SIZE = 8000, 160, 512
COUNT = 64
# The first bin of each group, and the bin behind the last one.
_EDGES = np.array([6, 19, 32, 51, 77, 109, 147, 192, 243])
_BINS = np.diff(_EDGES)
_SOFTEST = 1e-9
_WINDOW = np.hanning(SIZE + 1)[:SIZE]
# Levels are compared with those 1 and 3 steps before, magnitudes with those 2 and 5 steps before.
_LEVEL_STEPS, _MAGNITUDE_STEPS = (1, 3), (2, 5)
# The means of the phases' advance keep these parts in a step.
_KEPT = (0.6, 0.9)


def decimated(samples: np.ndarray, rate: int = 16000) -> np.ndarray:
    """Returns the means of the samples of each 1/8000 s."""
    parts = rate // RATE
    return samples[: len(samples) // parts * parts].reshape(-1, parts).mean(1)


def partial_features(samples: np.ndarray) -> np.ndarray:
    """Returns the inputs of samples at 8 kHz, one row for each complete step."""
    steps = len(samples) // STEP
    padded = np.concatenate([np.zeros(SIZE - STEP), samples])
    blocks = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::STEP][:steps]
    spectra = np.fft.rfft(blocks * _WINDOW, axis=1)[:, : _EDGES[-1]]
    powers = np.abs(spectra) ** 2 + _SOFTEST
    magnitudes, of_group = np.sqrt(powers), _sums(powers)
    levels = np.log(of_group)
    found = [(levels - np.log(of_group.sum(1, keepdims=True))) / 4]
    found += [(levels - _before(levels, distance, np.log(_SOFTEST))) / 3 for distance in _LEVEL_STEPS]
    found.append((_sums(np.log(powers)) / _BINS - np.log(of_group / _BINS)) / 2)
    for distance in _MAGNITUDE_STEPS:
        former = _before(magnitudes, distance, np.sqrt(_SOFTEST))
        found.append(2 * _sums(magnitudes * former) / np.sqrt(of_group * _sums(former**2)) - 1)
    advance = spectra * np.conj(_before(spectra, 1, 0))
    size = magnitudes * _before(magnitudes, 1, np.sqrt(_SOFTEST))
    for kept in _KEPT:
        coherent, all_of_it = _sums(np.abs(_smooth(advance, kept))), _sums(_smooth(size, kept))
        found.append(2 * coherent / (all_of_it + _SOFTEST) - 1)
    return np.concatenate(found, 1).astype(np.float32)


def _sums(values: np.ndarray) -> np.ndarray:
    return np.add.reduceat(values, _EDGES[:-1], axis=1)


def _before(values: np.ndarray, steps: int, first: float) -> np.ndarray:
    return np.vstack([np.full((steps, values.shape[1]), first, values.dtype), values[:-steps]])


def _smooth(values: np.ndarray, kept: float) -> np.ndarray:
    result, mean = np.empty_like(values), np.zeros_like(values[0])
    for step, value in enumerate(values):
        mean = kept * mean + (1 - kept) * value
        result[step] = mean
    return result
