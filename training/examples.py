"""Makes training examples, features and targets, from rendered scenes."""

from __future__ import annotations

import argparse
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import features as hearing
from make_scenes import before_of
from render import LEAD

COMPRESSION = 0.3
AIMS = 3
# Of a frame: what the network hears; the compressed magnitudes of the error and of the aims; the same magnitudes of
# the aims times the cosine of the phase between aim and error; and whether there is a voice.
HEARD = hearing.FEATURES * hearing.BANDS
VALUES = HEARD + (1 + 2 * AIMS) * hearing.BINS + 1
# Where they are.
ERROR = slice(HEARD, HEARD + hearing.BINS)
AIM = [slice(ERROR.stop + k * hearing.BINS, ERROR.stop + (k + 1) * hearing.BINS) for k in range(AIMS)]
PRODUCT = [slice(aim.start + AIMS * hearing.BINS, aim.stop + AIMS * hearing.BINS) for aim in AIM]
_LEAST = 1e-10
# The part of the calls that have 8 kHz.
_NARROW = 0.1
# The part of the calls that are 6 to 24 dB softer than the others.
_SOFT = 0.2
# The calls that are made at once.
_PART = 16


def voice(samples: np.ndarray) -> np.ndarray:
    """Returns calls x frames of 1 where there is a voice: within 25 dB of its loud frames. Gaps of up to 80 ms count
    as voice."""
    power = (samples.reshape(len(samples), -1, hearing.HOP) ** 2).mean(2)
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
    microphone, reference, near, rival, echo = (scenes[:, k].astype(np.float32) / 32768 for k in range(5))
    calls = (len(scenes), 1)
    soft = np.where(random.random(calls) < _SOFT, random.uniform(-24, -6, calls), 0)
    gain = 10 ** ((random.uniform(-12, 6, calls) + soft) / 20).astype(np.float32)
    far_gain = 10 ** (random.uniform(-10, 10, calls) / 20).astype(np.float32)
    # Some calls have 8 kHz: nothing above 4 kHz.
    highest = np.where(random.random(calls) < _NARROW, hearing.BINS // 2, hearing.BINS)
    passed = (np.arange(hearing.BINS) <= highest).astype(np.float32)[:, None]

    def spectra(samples: np.ndarray) -> np.ndarray:
        return hearing.spectra(samples) * passed

    error = error * passed
    before = lead.astype(np.float32) / 32768
    whole = [np.concatenate([before[:, k], part], 1) for k, part in enumerate((microphone, reference))]
    parts = error * gain[..., None], spectra(whole[0] * gain), spectra(whole[1] * far_gain)
    frames, led = microphone.shape[1] // hearing.HOP, before.any((1, 2))
    heard = np.empty((len(scenes), frames, HEARD), np.float32)
    for chosen, start in ((led, 0), (~led, error.shape[1] - frames)):
        if chosen.any():
            found = hearing.features(*(part[chosen, start:] for part in parts))[:, -frames:]
            heard[chosen] = found.reshape(-1, frames, HEARD)
    error = error[:, -frames:]
    level = np.sqrt((microphone**2).mean(1)).clip(1e-4)[:, None, None] / 0.1
    # A softer talker is the voice where there is no near talker.
    talker = np.where(np.abs(near).max(1, keepdims=True) > 1e-3, near, rival)
    rows = [heard, _compressed(error / level)]
    aims = [spectra(signal) / level for signal in (microphone - echo, near + rival, near)]
    rows += [_compressed(aim) for aim in aims]
    for aim in aims:
        cosine = (aim * error.conj()).real / (np.abs(aim) * np.abs(error) + 1e-12)
        rows.append(_compressed(aim) * cosine)
    return np.concatenate([*rows, voice(talker)[..., None]], 2).astype(np.float16)


def _compressed(spectrum: np.ndarray) -> np.ndarray:
    return compressed(hearing.power(spectrum))


def compressed(power: np.ndarray) -> np.ndarray:
    return (power + _LEAST) ** (COMPRESSION / 2)


def power_of(magnitudes: np.ndarray) -> np.ndarray:
    """Returns the power of compressed magnitudes."""
    return np.maximum(magnitudes ** (2 / COMPRESSION) - _LEAST, 0)


def _make(start: int) -> np.ndarray:
    scenes, before, rendered, seed = _files["all"]
    part, lead = slice(start, start + _PART), LEAD * hearing.HOP
    error = rendered[part].astype(np.float32).view(np.complex64)[..., 0]
    return examples(scenes[part], before[part, :, -lead:], error, np.random.default_rng(seed + start))


_files: dict = {}


def _start(scenes: Path, rendered: Path, seed: int) -> None:
    files = (scenes, before_of(scenes), rendered)
    _files["all"] = (*(np.load(file, mmap_mode="r") for file in files), seed)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("scenes", type=Path)
    options.add_argument("rendered", type=Path, help="what render.py has made of them")
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
