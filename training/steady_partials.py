"""Measures how steady the partials of recordings are: those of a struck or plucked string hardly change their
frequency, those of a voice always do.

    python training/steady_partials.py FOLDER...

prints, for the recordings of each folder together, percentiles over frames of the steadiness: the part of the power of
spectral peaks whose frequency has stayed within 2 Hz for 40 ms, in the mean over 0.6 s.
"""

import random
import sys
from pathlib import Path

import numpy as np
import soundfile
from scipy.signal import resample_poly

RATE = 16_000
HOP = 160
BINS = 100  # up to 5 kHz
LAG = 4  # frames
TOLERANCE = 2.0  # Hz
FLOOR = 10**-2.5  # by the loudest bin
MEAN = 60  # frames
WINDOW = np.sin(np.pi * np.arange(2 * HOP) / (2 * HOP))
SUFFIXES = {".wav", ".flac", ".ogg", ".opus"}


def read(path: Path, seconds: float = 15) -> np.ndarray:
    samples, rate = soundfile.read(path, always_2d=True)
    mono = samples[: int(seconds * rate)].mean(axis=1)
    return resample_poly(mono, RATE, rate) if rate != RATE else mono


def frequencies(spectra: np.ndarray) -> np.ndarray:
    """The frequency in each bin, in Hz, from the advance of its phase between two frames."""
    centers = np.arange(BINS) * 50.0
    advance = np.angle(spectra[1:] * np.conj(spectra[:-1])) - 2 * np.pi * centers * 0.01
    found = centers + np.angle(np.exp(1j * advance)) / (2 * np.pi * 0.01)
    return np.vstack([found[:1], found])


def steadiness(samples: np.ndarray) -> np.ndarray:
    """The mean steadiness of each frame that is less than 30 dB below the loud ones."""
    count = len(samples) // HOP - 1
    frames = np.stack([samples[index * HOP : index * HOP + 2 * HOP] for index in range(count)])
    spectra = np.fft.rfft(frames * WINDOW, axis=1)[:, :BINS]
    powers, found = np.abs(spectra) ** 2, frequencies(spectra)
    loudest = powers.max(axis=1)
    inner = powers[:, 1:-1]
    peaks = (inner >= powers[:, :-2]) & (inner >= powers[:, 2:]) & (inner > FLOOR * loudest[:, None])
    shares = np.zeros(count)
    for frame in range(LAG, count):
        bins = np.nonzero(peaks[frame])[0] + 1
        if not len(bins):
            continue
        steady = np.ones(len(bins), bool)
        for before in range(frame - LAG, frame):
            near = np.stack([found[before, np.clip(bins + step, 0, BINS - 1)] for step in (-1, 0, 1)])
            steady &= np.abs(near - found[frame, bins]).min(axis=0) < TOLERANCE
        shares[frame] = powers[frame, bins][steady].sum() / powers[frame, bins].sum()
    active = loudest > np.percentile(loudest, 95) / 1000
    weights = np.convolve(active, np.ones(MEAN))[:count]
    means = np.convolve(shares * active, np.ones(MEAN))[:count] / np.maximum(weights, 0.3 * MEAN)
    return means[active]


def main() -> None:
    for folder in map(Path, sys.argv[1:]):
        paths = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
        random.Random(3).shuffle(paths)
        signals = [read(path) for path in paths[:60]]
        values = np.concatenate([steadiness(signal) for signal in signals if len(signal) > RATE])
        marks = " ".join(f"{mark}%: {np.percentile(values, mark):.2f}" for mark in (10, 25, 50, 75, 90, 99))
        print(f"{folder.name}: {len(signals)} recordings, {len(values)} frames, {marks}")


if __name__ == "__main__":
    main()
