"""Augments the examples during training: some parts become calls that start there, others a voice alone, with pauses of
digital silence."""

from __future__ import annotations

import numpy as np

import features
from examples import ERROR, FEATURE_VALUES, PRODUCT, TARGET, compressed, power_of

# The shares of the parts that are restarted or become a clean voice. The others stay as they are.
_RESTARTED = 0.43
_CLEAN = 0.12
# The mean power of the loudest frame of a near talker.
_AUDIBLE = 1e-4


def augmented(parts: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns augmented examples, of examples of calls x frames x VALUES as `examples.examples` orders them."""
    parts = parts.copy()
    chance, frames = random.random(len(parts)), parts.shape[1]
    clean = np.flatnonzero(chance < _CLEAN)
    power = power_of(parts[clean, :, TARGET[-1]].astype(np.float32))
    audible = power.mean(2).max(1) > _AUDIBLE
    clean, power = clean[audible], power[audible]
    restart = np.flatnonzero((chance >= _CLEAN) & (chance < _CLEAN + _RESTARTED))
    changed = np.concatenate([clean, restart])
    bands = np.zeros((4, len(changed), frames, features.BANDS), np.float32)
    coherence = np.zeros(bands.shape[1:], np.float32)
    for place, call in enumerate(clean):
        sound = _with_silent_pauses(power[place], random)
        bands[[0, 2], place] = sound * 10 ** random.uniform(-2.5, 0.5) @ features.AVERAGES
        for values in (ERROR, *TARGET, *PRODUCT):
            parts[call, :, values] = compressed(sound)
    bands[:, len(clean) :], coherence[len(clean) :] = _parts_of_features(parts[restart])
    dither = np.zeros(bands.shape[1:], np.float32)
    dither[: len(clean)] = _dither((len(clean), *bands.shape[2:]), random)
    if len(changed):
        parts[changed, :, :FEATURE_VALUES] = _features(bands, coherence, dither).reshape(-1, frames, FEATURE_VALUES)
    return parts


def restarted(parts: np.ndarray) -> np.ndarray:
    """Returns examples with the features of calls that start where the parts start."""
    parts = parts.copy()
    bands, coherence = _parts_of_features(parts)
    rows = _features(bands, coherence, np.zeros_like(coherence))
    parts[:, :, :FEATURE_VALUES] = rows.reshape(*parts.shape[:2], FEATURE_VALUES)
    return parts


def _parts_of_features(parts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the band powers of four signals, 4 x calls x frames x BANDS, and the coherence, both recovered from the
    features. The powers keep their level normalization, and the coherence its smoothing in the whole call."""
    rows = parts[:, :, :FEATURE_VALUES].astype(np.float32).reshape(*parts.shape[:2], features.FEATURES, features.BANDS)
    return np.exp((rows[:, :, :4] - 1.4) * 8).transpose(2, 0, 1, 3), rows[:, :, 4]


def _with_silent_pauses(power: np.ndarray, random: np.random.Generator) -> np.ndarray:
    mean = power.mean(1, keepdims=True)
    return np.where(mean > mean.max() * 10 ** random.uniform(-5.5, -3.5), power, 0)


def _dither(shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """Returns the dither of calls, in half of them with up to 20 dB more."""
    louder = np.where(random.random(shape[0]) < 0.5, 10 ** random.uniform(0, 2, shape[0]), 1)
    return (features.DITHER_POWER * louder[:, None, None] * random.exponential(size=shape)).astype(np.float32)


def _features(bands: np.ndarray, coherence: np.ndarray, dither: np.ndarray) -> np.ndarray:
    """Returns the features of calls that start here, calls x frames x FEATURES x BANDS. `bands` has the powers of four
    signals, `dither` that of the dither for two of them."""
    state, rows = features.FeatureState(bands.shape[1]), []
    for frame in range(bands.shape[2]):
        found = state.add_dither(bands[:, :, frame], dither[:, frame])
        state.advance(found)
        rows.append(state.rows(found, coherence[:, frame]))
    return np.stack(rows, 1)
