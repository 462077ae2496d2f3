"""Makes training examples, features and targets, from rendered scenes."""

from __future__ import annotations

import argparse
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import features
from make_scenes import before_of
from render import LEAD

COMPRESSION = 0.3
TARGETS = 3
# The values of a frame: the features; the compressed magnitudes of the error and of the targets; the same magnitudes of
# the targets times the cosine of the phase between target and error; and whether there is a voice.
FEATURE_VALUES = features.FEATURES * features.BANDS
VALUES = FEATURE_VALUES + (1 + 2 * TARGETS) * features.BINS + 1
# The places of the magnitudes and of the products.
ERROR = slice(FEATURE_VALUES, FEATURE_VALUES + features.BINS)
TARGET = [slice(ERROR.stop + k * features.BINS, ERROR.stop + (k + 1) * features.BINS) for k in range(TARGETS)]
PRODUCT = [slice(target.start + TARGETS * features.BINS, target.stop + TARGETS * features.BINS) for target in TARGET]
_LEAST = 1e-10
# The part of the calls with a sample rate of 8 kHz.
_NARROW = 0.1
# The part of the calls that are 6 to 24 dB softer than the others.
_SOFT = 0.2
# The calls that are made at once.
_PART = 16


def voice(samples: np.ndarray) -> np.ndarray:
    """Returns calls x frames of 1 where there is a voice: within 25 dB of its loud frames. Gaps of up to 80 ms count
    as voice."""
    power = (samples.reshape(len(samples), -1, features.HOP) ** 2).mean(2)
    loud = np.quantile(power, 0.95, axis=1, keepdims=True)
    # A voice of less than a twentieth of the time leaves the quantile silent.
    loud = np.maximum(loud, 0.3 * np.sort(power, 1)[:, -12:].mean(1, keepdims=True))
    active = (power > loud * 10**-2.5) & (power > 1e-8)
    wider = _spread(active, np.logical_or)
    return _spread(wider, np.logical_and)


def _spread(active: np.ndarray, combine: np.ufunc, frames: int = 4) -> np.ndarray:
    """Combines each frame with those up to `frames` before and after it."""
    result = active.copy()
    for shift in range(1, frames + 1):
        result[:, shift:] = combine(result[:, shift:], active[:, :-shift])
        result[:, :-shift] = combine(result[:, :-shift], active[:, shift:])
    return result


def examples(scenes: np.ndarray, lead: np.ndarray, error: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns calls x frames x VALUES of scenes, at levels of the microphone and of the reference that are random. `lead`
    has microphone and reference of the last moments before the scenes. `error` begins there."""
    microphone, reference, near, competing, echo = (scenes[:, k].astype(np.float32) / 32768 for k in range(5))
    calls = (len(scenes), 1)
    soft = np.where(random.random(calls) < _SOFT, random.uniform(-24, -6, calls), 0)
    gain = 10 ** ((random.uniform(-12, 6, calls) + soft) / 20).astype(np.float32)
    far_gain = 10 ** (random.uniform(-10, 10, calls) / 20).astype(np.float32)
    # Some calls have a sample rate of 8 kHz: nothing above 4 kHz.
    highest = np.where(random.random(calls) < _NARROW, features.BINS // 2, features.BINS)
    passed = (np.arange(features.BINS) <= highest).astype(np.float32)[:, None]

    def spectra(samples: np.ndarray) -> np.ndarray:
        return features.spectra(samples) * passed

    error = error * passed
    before = lead.astype(np.float32) / 32768
    whole = [np.concatenate([before[:, k], part], 1) for k, part in enumerate((microphone, reference))]
    parts = error * gain[..., None], spectra(whole[0] * gain), spectra(whole[1] * far_gain)
    frames, has_lead = microphone.shape[1] // features.HOP, before.any((1, 2))
    inputs = np.empty((len(scenes), frames, FEATURE_VALUES), np.float32)
    for chosen, start in ((has_lead, 0), (~has_lead, error.shape[1] - frames)):
        if chosen.any():
            found = features.features(*(part[chosen, start:] for part in parts))[:, -frames:]
            inputs[chosen] = found.reshape(-1, frames, FEATURE_VALUES)
    error = error[:, -frames:]
    level = np.sqrt((microphone**2).mean(1)).clip(1e-4)[:, None, None] / 0.1
    # Where there is no near talker, the competing voice is the target.
    talker = np.where(np.abs(near).max(1, keepdims=True) > 1e-3, near, competing)
    rows = [inputs, _compressed(error / level)]
    targets = [spectra(signal) / level for signal in (microphone - echo, near + competing, near)]
    rows += [_compressed(target) for target in targets]
    for target in targets:
        cosine = (target * error.conj()).real / (np.abs(target) * np.abs(error) + 1e-12)
        rows.append(_compressed(target) * cosine)
    return np.concatenate([*rows, voice(talker)[..., None]], 2).astype(np.float16)


def _compressed(spectrum: np.ndarray) -> np.ndarray:
    return compressed(features.power(spectrum))


def compressed(power: np.ndarray) -> np.ndarray:
    return (power + _LEAST) ** (COMPRESSION / 2)


def power_of(magnitudes: np.ndarray) -> np.ndarray:
    """Returns the power of compressed magnitudes."""
    return np.maximum(magnitudes ** (2 / COMPRESSION) - _LEAST, 0)


def _make(start: int) -> np.ndarray:
    scenes, before, rendered, seed = _files["all"]
    part, lead = slice(start, start + _PART), LEAD * features.HOP
    error = rendered[part].astype(np.float32).view(np.complex64)[..., 0]
    return examples(scenes[part], before[part, :, -lead:], error, np.random.default_rng(seed + start))


_files: dict = {}


def _start(scenes: Path, rendered: Path, seed: int) -> None:
    files = (scenes, before_of(scenes), rendered)
    _files["all"] = (*(np.load(file, mmap_mode="r") for file in files), seed)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("scenes", type=Path)
    options.add_argument("rendered", type=Path, help="the output of render.py for them")
    options.add_argument("output", type=Path)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=2)
    chosen = options.parse_args()
    count, frames = np.load(chosen.rendered, mmap_mode="r").shape[:2]
    frames -= LEAD
    output = np.lib.format.open_memmap(chosen.output, "w+", np.float16, (count, frames, VALUES))
    with Pool(chosen.jobs, _start, (chosen.scenes, chosen.rendered, chosen.seed * 1_000_000)) as pool:
        starts = range(0, count, _PART)
        for start, made in zip(starts, pool.imap(_make, starts)):
            output[start : start + _PART] = made


if __name__ == "__main__":
    main()
