"""Changes parts of examples as the network learns from them: some calls begin there, others have a voice and nothing
else, with pauses of digital silence."""

from __future__ import annotations

import numpy as np

import features as hearing
from examples import AIM, ERROR, HEARD, PRODUCT, compressed, power_of

# The shares of the parts. The others stay as they are.
_BEGINNING = 0.43
_CLEAN = 0.12
# The mean power of the loudest frame of a near talker.
_AUDIBLE = 1e-4


def varied(parts: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Takes calls x frames x VALUES as `examples.examples` orders them, and returns them changed."""
    parts = parts.astype(np.float32)
    calls, frames = parts.shape[:2]
    chance = random.random(calls)
    power = power_of(parts[..., AIM[-1]])
    clean = (chance < _CLEAN) & (power.mean(2).max(1) > _AUDIBLE)
    anew = clean | (chance >= _CLEAN) & (chance < _CLEAN + _BEGINNING)
    rows = parts[..., :HEARD].reshape(calls, frames, hearing.FEATURES, hearing.BANDS)
    bands = np.exp((rows[:, :, :4] - 1.4) * 8).transpose(2, 0, 1, 3)
    coherence = rows[:, :, 4].copy()
    for call in np.flatnonzero(clean):
        sound = _with_silent_pauses(power[call], random)
        bands[:, call], coherence[call] = 0, 0
        bands[[0, 2], call] = sound * 10 ** random.uniform(-2.5, 0.5) @ hearing.AVERAGES
        for place in (ERROR, *AIM, *PRODUCT):
            parts[call, :, place] = compressed(sound)
    bands[[0, 2]] += _noise(bands.shape[1:], clean, random)
    parts[anew, :, :HEARD] = _heard(bands[:, anew], coherence[anew]).reshape(-1, frames, HEARD)
    return parts.astype(np.float16)


def _with_silent_pauses(power: np.ndarray, random: np.random.Generator) -> np.ndarray:
    mean = power.mean(1, keepdims=True)
    return np.where(mean > mean.max() * 10 ** random.uniform(-5.5, -3.5), power, 0)


def _noise(shape: tuple[int, ...], clean: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns the noise that the network hears with every call, and half of the clean ones with up to 20 dB more."""
    louder = np.where(clean & (random.random(len(clean)) < 0.5), 10 ** random.uniform(0, 2, len(clean)), 1)
    return (hearing.NOISE_POWER * louder[:, None, None] * random.exponential(size=shape)).astype(np.float32)


def _heard(bands: np.ndarray, coherence: np.ndarray) -> np.ndarray:
    """Returns the features of calls that begin here, calls x frames x FEATURES x BANDS. `bands` has the powers of four
    signals."""
    tracker, heard = hearing.Tracker(bands.shape[1]), []
    for frame in range(bands.shape[2]):
        tracker.advance(bands[:, :, frame])
        heard.append(tracker.rows(bands[:, :, frame], coherence[:, frame]))
    return np.stack(heard, 1)
