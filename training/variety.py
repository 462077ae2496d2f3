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
    """Takes calls x frames x VALUES of float16 as `examples.examples` orders them, and returns them changed."""
    parts = parts.copy()
    chance, frames = random.random(len(parts)), parts.shape[1]
    clean = np.flatnonzero(chance < _CLEAN)
    power = power_of(parts[clean, :, AIM[-1]].astype(np.float32))
    audible = power.mean(2).max(1) > _AUDIBLE
    clean, power = clean[audible], power[audible]
    beginning = np.flatnonzero((chance >= _CLEAN) & (chance < _CLEAN + _BEGINNING))
    anew = np.concatenate([clean, beginning])
    bands = np.zeros((4, len(anew), frames, hearing.BANDS), np.float32)
    coherence = np.zeros(bands.shape[1:], np.float32)
    for place, call in enumerate(clean):
        sound = _with_silent_pauses(power[place], random)
        bands[[0, 2], place] = sound * 10 ** random.uniform(-2.5, 0.5) @ hearing.AVERAGES
        for values in (ERROR, *AIM, *PRODUCT):
            parts[call, :, values] = compressed(sound)
    bands[:, len(clean) :], coherence[len(clean) :] = _parts_of_features(parts[beginning])
    noise = np.zeros(bands.shape[1:], np.float32)
    noise[: len(clean)] = _noise((len(clean), *bands.shape[2:]), random)
    if len(anew):
        parts[anew, :, :HEARD] = _heard(bands, coherence, noise).reshape(-1, frames, HEARD)
    return parts


def begun_anew(parts: np.ndarray) -> np.ndarray:
    """Takes calls as `varied` does, and returns them with the features of calls that begin where the parts begin."""
    parts = parts.copy()
    bands, coherence = _parts_of_features(parts)
    parts[:, :, :HEARD] = _heard(bands, coherence, np.zeros_like(coherence)).reshape(*parts.shape[:2], HEARD)
    return parts


def _parts_of_features(parts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns what the features of calls tell of each frame: the band powers of four signals, 4 x calls x frames x
    BANDS, as softly as they were heard, and the coherence, which stays as smooth as it was in the whole call."""
    rows = parts[:, :, :HEARD].astype(np.float32).reshape(*parts.shape[:2], hearing.FEATURES, hearing.BANDS)
    return np.exp((rows[:, :, :4] - 1.4) * 8).transpose(2, 0, 1, 3), rows[:, :, 4]


def _with_silent_pauses(power: np.ndarray, random: np.random.Generator) -> np.ndarray:
    mean = power.mean(1, keepdims=True)
    return np.where(mean > mean.max() * 10 ** random.uniform(-5.5, -3.5), power, 0)


def _noise(shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """Returns the noise that the network hears with every call, in half of the calls with up to 20 dB more."""
    louder = np.where(random.random(shape[0]) < 0.5, 10 ** random.uniform(0, 2, shape[0]), 1)
    return (hearing.NOISE_POWER * louder[:, None, None] * random.exponential(size=shape)).astype(np.float32)


def _heard(bands: np.ndarray, coherence: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Returns the features of calls that begin here, calls x frames x FEATURES x BANDS. `bands` has the powers of four
    signals, `noise` what is heard beside two of them."""
    tracker, heard = hearing.Tracker(bands.shape[1]), []
    for frame in range(bands.shape[2]):
        found = tracker.hear(bands[:, :, frame], noise[:, frame])
        tracker.advance(found)
        heard.append(tracker.rows(found, coherence[:, frame]))
    return np.stack(heard, 1)
